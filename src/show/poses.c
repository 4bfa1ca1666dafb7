// poses.c: where in their pose manifolds the bodies of a take spent their time.
#include "show.h"

#include "../render/manifold.h"

#include <math.h>
#include <stdio.h>

enum {
    COOKIE = 0x706f7365,
    MOST_PLOTS = 16,
    WIDTH = 480,
    HEIGHT = 360,
    MANY_POSES = 6,
    PICTURE = 160,
    LEAST = 16, // pixels of a plot's side
    MOST = 16384
};

typedef struct plots {
    wr_take *take;
    const wr_pose_plot_desc *desc;
    wri_arena arena;
    const wr_record_info *info;
    const wr_record_manifold *manifolds[MOST_PLOTS]; // of the first of its kind
    int shown[MOST_PLOTS];                           // bodies in the plot: it and its copies
    wri_manifold_plot plots[MOST_PLOTS];
    wri_array stays[MOST_PLOTS]; // wri_manifold_stay
    int count;
    wri_canvas whole;
    wr_error *error;
} plots;

wr_pose_plot_desc wr_pose_plot_desc_default(void)
{
    return (wr_pose_plot_desc){.to = 1e9, .cookie = COOKIE};
}

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

// True when a body is shown in a plot: it is the plot's own, or a copy of it.
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
        wri_pose_pictures(asset, PICTURE, p->desc->tasks, &p->arena, p->error);
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
        return wri_fail_memory(p->error, (size_t)m->simplex_count * sizeof *simplices);
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
        return stay || simplex < 0 || wri_fail_memory(p->error, sizeof *stay);
    }
    return true;
}

static bool read_frame(plots *p, int index, float seconds)
{
    const wr_frame *frame = wr_record_read_frame(p->take->reader, index, p->error);
    bool shown = frame && frame->time >= p->desc->from && frame->time <= p->desc->to, ok = true;
    for (int k = 0; shown && ok && k < frame->blend_count; k++) {
        ok = add_stay(p, &frame->blends[k], seconds);
    }
    return frame && ok;
}

static bool read_stays(plots *p)
{
    const wr_watch *watch = &p->desc->watch;
    float seconds = (float)p->info->rate_denominator / (float)p->info->rate_numerator;
    int i = 0, count = wr_record_frame_count(p->take->reader);
    for (; i < count && wri_watch(watch, WR_WATCH_READ, i, count); i++) {
        if (!read_frame(p, i, seconds)) {
            return false;
        }
    }
    if (i < count || !wri_watch(watch, WR_WATCH_READ, count, count)) {
        return wri_fail(p->error, WR_E_CANCELLED, "interrupted; nothing was written");
    }
    for (int k = 0; k < p->count; k++) {
        p->plots[k].stays = p->stays[k].items;
        p->plots[k].stay_count = p->stays[k].count;
    }
    return true;
}

// --- words --------------------------------------------------------------------------------------

// Lengthens a sentence, an array of char without its end; what there is no memory for is left out.
static void add_words(wri_array *sentence, const char *format, ...) WRI_PRINTF(2, 3);
static void add_words(wri_array *sentence, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *words = wri_array_add(sentence, length + 1);
    if (words) {
        vsnprintf(words, (size_t)length + 1, format, again);
        sentence->count--;
    }
    va_end(again);
    va_end(arguments);
}

// "hero: never reached "float" (at most 12 %); ways never used: "fall" - "stand"".
static void say_unused(plots *p, const wri_manifold_plot *plot)
{
    wri_manifold_use *uses = wri_arena_alloc(&p->arena, (size_t)plot->example_count, sizeof *uses);
    bool *is_used = wri_arena_alloc(&p->arena, (size_t)plot->simplex_count, sizeof *is_used);
    if (!uses || !is_used || !p->desc->log.write) {
        return; // only a report
    }
    wri_manifold_measure(plot, uses, is_used);
    wri_array s = wri_array_create(NULL, 1);
    const char *before = ": never reached ";
    for (int e = 0; e < plot->example_count; e++) {
        if (uses[e].is_there && !uses[e].is_reached) {
            add_words(&s, "%s%s\"%s\" (at most %.0f %%)", s.count ? "" : plot->title, before,
                      plot->examples[e], 100.0 * (double)uses[e].nearest);
            before = ", ";
        }
    }
    before = s.count ? "; ways never used: " : ": ways never used: ";
    for (int i = 0; i < plot->simplex_count; i++) {
        for (int k = 0; !is_used[i] && k < plot->simplices[i].corner_count; k++) {
            add_words(&s, "%s%s\"%s\"", s.count ? "" : plot->title, k ? " - " : before,
                      plot->examples[plot->simplices[i].corners[k]]);
            before = ", ";
        }
    }
    if (s.count) {
        p->desc->log.write(p->desc->log.user, s.items);
    }
    wri_array_destroy(&s);
}

// --- the picture --------------------------------------------------------------------------------

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
    *width = p->desc->width ? p->desc->width : times * WIDTH;
    *height = p->desc->width ? p->desc->height : times * HEIGHT;
}

static bool draw(plots *p)
{
    int columns = (int)ceil(sqrt((double)p->count)), rows = (p->count + columns - 1) / columns;
    int width, height;
    choose_size(p, &width, &height);
    size_t cell = (size_t)width * (size_t)height;
    uint8_t *picture = wri_arena_alloc(&p->arena, cell, 3);
    uint8_t *all = wri_arena_alloc(&p->arena, cell * (size_t)(columns * rows), 3);
    if (!picture || !all) {
        return wri_fail(p->error, WR_E_MEMORY, "out of memory for a picture of %dx%d",
                        columns * width, rows * height);
    }
    wri_canvas canvas = {picture, width, height};
    p->whole = (wri_canvas){all, columns * width, rows * height};
    wri_canvas_fill(&p->whole, 0, 0, p->whole.width, p->whole.height, (wri_ink){250, 250, 251});
    for (int i = 0; i < p->count; i++) {
        if (!wri_manifold_draw(&canvas, &p->plots[i], p->error)) {
            return false;
        }
        wri_canvas_place(&p->whole, i % columns * width, i / columns * height, picture, width,
                         height);
        say_unused(p, &p->plots[i]);
    }
    return true;
}

static bool make_plots(plots *p, const char *path)
{
    const wr_pose_plot_desc *d = p->desc;
    if (d->width &&
        (d->width < LEAST || d->width > MOST || d->height < LEAST || d->height > MOST)) {
        return wri_fail(p->error, WR_E_ARGUMENT, "plots of %d x %d pixels, expected %d to %d",
                        d->width, d->height, LEAST, MOST);
    }
    p->info = p->take->info;
    bool all = choose(p);
    if (p->count == 0) {
        return wri_fail(p->error, WR_E_ARGUMENT,
                        "%s: has no sprites, and only they have a pose manifold", p->take->name);
    }
    if (!all) {
        wri_show_say(&p->desc->log, "only the first %d kinds of sprites are drawn", MOST_PLOTS);
    }
    for (int i = 0; i < p->count; i++) {
        if (!begin_plot(p, i)) {
            return false;
        }
    }
    return read_stays(p) && draw(p) &&
           wr_png_write(path, p->whole.pixels, p->whole.width, p->whole.height, 3, p->error);
}

bool wr_take_write_poses(wr_take *take, const char *path, const wr_pose_plot_desc *desc, int *width,
                         int *height, wr_error *error)
{
    if (!WRI_REQUIRE(error, take, path)) {
        return false;
    }
    if (!WRI_REQUIRE_DESC(error, wr_pose_plot_desc, desc, COOKIE)) {
        return false;
    }
    plots p = {.take = take, .desc = desc, .arena = wri_arena_create(NULL), .error = error};
    for (int i = 0; i < MOST_PLOTS; i++) {
        p.stays[i] = wri_array_create(NULL, sizeof(wri_manifold_stay));
    }
    bool ok = make_plots(&p, path);
    if (width && height) {
        *width = p.whole.width;
        *height = p.whole.height;
    }
    for (int i = 0; i < MOST_PLOTS; i++) {
        wri_array_destroy(&p.stays[i]);
    }
    wri_arena_destroy(&p.arena);
    return ok;
}
