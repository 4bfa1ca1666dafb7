// render_manifold.c: where in their pose manifolds the bodies of a recording spent their time.
#include "asset_view.h"

#include "../src/render/manifold.h"

#include <math.h>
#include <stdio.h>

enum { MOST_PLOTS = 16, WIDTH = 480, HEIGHT = 360, MANY_POSES = 6, PICTURE = 160 };

typedef struct plots {
    const cli_render_options *options;
    wri_arena arena;
    wr_record_reader *reader;
    const wr_record_info *info;
    const wr_record_manifold *manifolds[MOST_PLOTS]; // of the first of its kind
    int shown[MOST_PLOTS];                           // bodies in the plot: it and its copies
    wri_manifold_plot plots[MOST_PLOTS];
    wri_array stays[MOST_PLOTS]; // wri_manifold_stay
    int count;
    wr_error error;
} plots;

// --- from the recording -------------------------------------------------------------------------

// The length of a name without what copies have behind it, ".12".
static size_t stem_of(const char *name)
{
    size_t length = strlen(name), end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') {
        end--;
    }
    return end > 1 && end < length && name[end - 1] == '.' ? end - 1 : length;
}

// Whether a body is shown in a plot: it is the plot's own, or a copy of it.
static bool is_shown_in(const plots *p, int body, int plot)
{
    const wr_record_body *a = &p->info->bodies[body];
    const wr_record_body *b = &p->info->bodies[p->manifolds[plot]->body];
    size_t stem = stem_of(b->name);
    return a == b || (stem < strlen(b->name) && stem_of(a->name) == stem &&
                      strncmp(a->name, b->name, stem) == 0 &&
                      wr_record_asset(p->info, a, NULL) == wr_record_asset(p->info, b, NULL));
}

// The first of every kind. False: there are more than can be drawn.
static bool choose(plots *p)
{
    bool all = true;
    for (int i = 0; i < p->info->manifold_count; i++) {
        int plot = 0;
        while (plot < p->count && !is_shown_in(p, p->info->manifolds[i].body, plot)) {
            plot++;
        }
        if (plot == MOST_PLOTS) {
            all = false;
            continue;
        }
        if (plot == p->count) {
            p->manifolds[p->count++] = &p->info->manifolds[i];
        }
        p->shown[plot]++;
    }
    return all;
}

// Bodies of one asset share them.
static bool add_pictures(plots *p, int index)
{
    const wr_record_info *info = p->info;
    const wr_asset *asset = wr_record_asset(info, &info->bodies[p->manifolds[index]->body], NULL);
    for (int i = 0; i < index; i++) {
        if (wr_record_asset(info, &info->bodies[p->manifolds[i]->body], NULL) == asset) {
            p->plots[index].pictures = p->plots[i].pictures;
            return true;
        }
    }
    p->plots[index].pictures =
        cli_pose_pictures(asset, PICTURE, p->options->threads, &p->arena, &p->error);
    return p->plots[index].pictures != NULL;
}

static bool begin_plot(plots *p, int index)
{
    const wr_record_manifold *m = p->manifolds[index];
    const wr_record_body *body = &p->info->bodies[m->body];
    const wr_rig *rig = &wr_record_asset(p->info, body, NULL)->rig;
    const char **names = wri_arena_alloc(&p->arena, (size_t)rig->example_count, sizeof *names);
    wri_manifold_simplex *simplices =
        wri_arena_alloc(&p->arena, (size_t)m->simplex_count, sizeof *simplices);
    if (!names || !simplices) {
        return wri_fail_memory(&p->error, (size_t)m->simplex_count * sizeof *simplices);
    }
    for (int e = 0; e < rig->example_count; e++) {
        names[e] = rig->examples[e].name;
    }
    for (int i = 0; i < m->simplex_count; i++) {
        simplices[i].corner_count = m->simplices[i].corner_count;
        memcpy(simplices[i].corners, m->simplices[i].corners, sizeof simplices[i].corners);
    }
    const char *title = body->name;
    if (p->shown[index] > 1) {
        title = wri_arena_printf(&p->arena, "%.*s, the mean of %d", (int)stem_of(body->name),
                                 body->name, p->shown[index]);
    }
    p->plots[index] = (wri_manifold_plot){.title = title ? title : body->name,
                                          .examples = names,
                                          .example_count = rig->example_count,
                                          .simplices = simplices,
                                          .simplex_count = m->simplex_count,
                                          .picture_size = PICTURE};
    return add_pictures(p, index);
}

// The simplex with exactly these corners, -1: none.
static int find_simplex(const wri_manifold_plot *plot, const wr_blend *blend)
{
    for (int i = 0; i < plot->simplex_count; i++) {
        const wri_manifold_simplex *simplex = &plot->simplices[i];
        bool same = true;
        for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
            int corner = k < simplex->corner_count ? simplex->corners[k] : -1;
            same = same && blend->examples[k] == corner;
        }
        if (same) {
            return i;
        }
    }
    return -1;
}

static bool add_stay(plots *p, const wr_record_blend *blend, float seconds)
{
    for (int i = 0; i < p->count; i++) {
        if (!is_shown_in(p, blend->body, i)) {
            continue;
        }
        int simplex = find_simplex(&p->plots[i], &blend->looks);
        wri_manifold_stay *stay = simplex < 0 ? NULL : wri_array_add(&p->stays[i], 1);
        if (stay) {
            *stay = (wri_manifold_stay){simplex, .seconds = seconds / (float)p->shown[i]};
            float sum = 0.0f;
            for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
                sum += blend->looks.shares[k];
            }
            for (int k = 0; k < WR_SIMPLEX_CORNERS && sum > 0.0f; k++) { // they have 16 bits
                stay->shares[k] = blend->looks.shares[k] / sum;
            }
        }
        return stay || simplex < 0 || wri_fail_memory(&p->error, sizeof *stay);
    }
    return true;
}

static bool read_stays(plots *p)
{
    float seconds = (float)p->info->rate_denominator / (float)p->info->rate_numerator;
    bool ok = true;
    for (int i = 0; ok && i < wr_record_frame_count(p->reader) && !cli_interrupted(); i++) {
        const wr_frame *frame = wr_record_read_frame(p->reader, i, &p->error);
        ok = frame != NULL;
        bool shown = ok && frame->time >= p->options->from && frame->time <= p->options->to;
        for (int k = 0; shown && ok && k < frame->blend_count; k++) {
            ok = add_stay(p, &frame->blends[k], seconds);
        }
    }
    for (int i = 0; i < p->count; i++) {
        p->plots[i].stays = p->stays[i].items;
        p->plots[i].stay_count = p->stays[i].count;
    }
    return ok;
}

// --- the picture --------------------------------------------------------------------------------

// "hero: never reached "float" (at most 12 %); ways never used: "fall" - "stand"".
static void say_unused(plots *p, const wri_manifold_plot *plot)
{
    wri_manifold_use *uses = wri_arena_alloc(&p->arena, (size_t)plot->example_count, sizeof *uses);
    bool *is_used = wri_arena_alloc(&p->arena, (size_t)plot->simplex_count, sizeof *is_used);
    if (!uses || !is_used) {
        return; // only a report
    }
    wri_manifold_measure(plot, uses, is_used);
    const char *before = ": never reached ";
    int said = 0;
    for (int e = 0; e < plot->example_count; e++) {
        if (uses[e].is_there && !uses[e].is_reached) {
            printf("%s%s\"%s\" (at most %.0f %%)", said ? "" : plot->title, before,
                   plot->examples[e], 100.0 * (double)uses[e].nearest);
            before = ", ";
            said++;
        }
    }
    before = said ? "; ways never used: " : ": ways never used: ";
    for (int i = 0; i < plot->simplex_count; i++) {
        for (int k = 0; !is_used[i] && k < plot->simplices[i].corner_count; k++) {
            printf("%s%s\"%s\"", said ? "" : plot->title, k ? " - " : before,
                   plot->examples[plot->simplices[i].corners[k]]);
            before = ", ";
            said++;
        }
    }
    printf("%s", said ? "\n" : "");
}

static int count_poses(const wri_manifold_plot *plot)
{
    int count = 0;
    for (int e = 0; e < plot->example_count; e++) {
        bool is_there = false;
        for (int i = 0; i < 3 * plot->simplex_count; i++) {
            const wri_manifold_simplex *s = &plot->simplices[i / 3];
            is_there = is_there || (i % 3 < s->corner_count && s->corners[i % 3] == e);
        }
        count += is_there;
    }
    return count;
}

// Many poses would lie on one another in a small picture.
static void choose_size(const plots *p, int *width, int *height)
{
    int times = 1;
    for (int i = 0; i < p->count; i++) {
        times = count_poses(&p->plots[i]) > MANY_POSES ? 2 : times;
    }
    const int *asked = p->options->size;
    *width = asked[0] ? asked[0] : times * WIDTH;
    *height = asked[0] ? asked[1] : times * HEIGHT;
}

static int draw(plots *p)
{
    const cli_render_options *o = p->options;
    int columns = (int)ceil(sqrt((double)p->count)), rows = (p->count + columns - 1) / columns;
    int width, height;
    choose_size(p, &width, &height);
    size_t cell = (size_t)width * (size_t)height;
    uint8_t *picture = wri_arena_alloc(&p->arena, cell, 3);
    uint8_t *all = wri_arena_alloc(&p->arena, cell * (size_t)(columns * rows), 3);
    if (!picture || !all) {
        return cli_complain(CLI_BAD_INPUT, "out of memory for a picture of %dx%d", columns * width,
                            rows * height);
    }
    wri_canvas canvas = {picture, width, height}, whole = {all, columns * width, rows * height};
    wri_canvas_fill(&whole, 0, 0, whole.width, whole.height, (wri_ink){250, 250, 251});
    for (int i = 0; i < p->count; i++) {
        if (!wri_manifold_draw(&canvas, &p->plots[i], &p->error)) {
            return cli_fail(&p->error);
        }
        wri_canvas_place(&whole, i % columns * width, i / columns * height, picture, width, height);
        if (!o->quiet) {
            say_unused(p, &p->plots[i]);
        }
    }
    if (!wr_png_write(o->output, all, whole.width, whole.height, 3, &p->error)) {
        return cli_fail(&p->error);
    }
    if (!o->quiet) {
        char size[32];
        printf("%s: %dx%d, %s\n", o->output, whole.width, whole.height,
               cli_size_text(size, wri_file_size(o->output)));
    }
    return CLI_OK;
}

int cli_run_render_manifold(const cli_render_options *options)
{
    plots p = {.options = options, .arena = wri_arena_create(NULL)};
    for (int i = 0; i < MOST_PLOTS; i++) {
        p.stays[i] = wri_array_create(NULL, sizeof(wri_manifold_stay));
    }
    if (cli_check_recording(options->input, &p.error)) {
        p.reader = wr_record_open(cli_recording_path(&p.arena, options->input), &p.error);
    }
    int status = p.reader ? CLI_OK : cli_fail(&p.error);
    if (p.reader) {
        p.info = wr_record_about(p.reader);
        bool all = choose(&p);
        if (p.count == 0) {
            status = cli_complain(CLI_BAD_INPUT,
                                  "%s: has no sprites, and only they have a pose manifold",
                                  options->input);
        } else if (!all && !options->quiet) {
            printf("only the first %d kinds of sprites are drawn\n", MOST_PLOTS);
        }
    }
    bool ok = status == CLI_OK;
    for (int i = 0; ok && i < p.count; i++) {
        ok = begin_plot(&p, i);
    }
    if (ok) {
        status = read_stays(&p) ? draw(&p) : cli_fail(&p.error);
    }
    for (int i = 0; i < MOST_PLOTS; i++) {
        wri_array_destroy(&p.stays[i]);
    }
    wr_record_close(p.reader);
    wri_arena_destroy(&p.arena);
    return status;
}
