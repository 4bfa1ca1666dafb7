// show.c: pictures, films and sheets of a take, and a picture of a model.
#include "exposure.h"
#include "reel.h"

#include "../render/canvas.h"

#include <math.h>

enum { COOKIE = 0x73686f77, SPAN_COOKIE = 0x7370616e };

struct wr_show {
    wri_arena arena;
    wr_take *take;
    wr_show_view view;
    wr_light own_light; // in place of the recording's, if it has one
    bool has_own_light;
    wr_render *render;
    wr_shot *shot;
    uint8_t *pixels; // of a film or sheet: the picture at hand
    float *light;    // or its light; NULL until it is needed
    int width, height;
    wri_exposure exposure;  // count 0: a picture is one moment, seen from one place
    wri_contacts *contacts; // of WR_SHOW_CONTACTS
};

wr_show_desc wr_show_desc_default(void)
{
    return (wr_show_desc){
        .width = 960, .height = 540, .blur = -1.0, .lens = -1.0f, .cookie = COOKIE};
}

wr_show_span wr_show_span_default(void)
{
    return (wr_show_span){.to = 1e9, .slow = 1.0, .count = 12, .cookie = SPAN_COOKIE};
}

static bool has_map(const wr_record_info *info, wr_map_kind kind)
{
    bool found = false;
    for (int i = 0; i < info->asset_count; i++) {
        found = found || info->assets[i]->maps[kind];
    }
    return found;
}

static bool has_bones(const wr_record_info *info)
{
    bool found = false;
    for (int i = 0; i < info->body_count; i++) {
        const wr_record_skin *skin = wr_record_skin_of(info, i);
        found = found || (skin && skin->bone_count > 1);
    }
    return found;
}

// What a view needs besides frames.
static bool begin_view(wr_show *show, wr_error *error)
{
    wr_take *take = show->take;
    if (show->view >= WR_SHOW_MAPS) {
        wr_map_kind kind = (wr_map_kind)(show->view - WR_SHOW_MAPS);
        return has_map(take->info, kind) ||
               wri_fail(error, WR_E_ARGUMENT,
                        "%s: holds no painted %s; of clay and flesh, only their assets do",
                        take->name, wr_map_name(kind));
    }
    if (show->view == WR_SHOW_BONES && !has_bones(take->info)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "%s: holds no bones; only bodies with a skeleton under a soft skin have "
                        "some",
                        take->name);
    }
    bool needs_contacts = show->view == WR_SHOW_CONTACTS;
    show->contacts = needs_contacts ? wri_contacts_gather(take, &show->arena, error) : NULL;
    return !needs_contacts || show->contacts;
}

static bool begin_show(wr_show *show, const wr_show_desc *desc, wr_error *error)
{
    if (!wri_take_check_frames(desc->take, error) || !begin_view(show, error)) {
        return false;
    }
    float aspect = (float)desc->width / (float)desc->height;
    show->shot = desc->own_camera ? wr_shot_create_own(desc->take, desc->own_camera, aspect, error)
                                  : wr_shot_create(desc->take, desc->camera, aspect, error);
    if (!show->shot) {
        return false;
    }
    size_t count = (size_t)desc->width * (size_t)desc->height;
    wr_render_desc render = wr_render_desc_default();
    render.width = desc->width;
    render.height = desc->height;
    bool is_flat = desc->take->info->stage.flat.on;
    double blur = desc->blur == -1.0 ? (double)wr_shot_camera(show->shot, 0).blur : desc->blur;
    float lens = desc->lens == -1.0f ? wri_shot_lens(show->shot) : desc->lens;
    bool is_exposed = blur != 0.0 || lens != 0.0f;
    render.samples = desc->samples ? desc->samples : is_flat || is_exposed ? 16 : 4;
    if (is_exposed) {
        wr_show_desc exposed = *desc;
        exposed.blur = blur;
        if (!wri_exposure_create(&show->exposure, &exposed, render.samples, &show->arena, error)) {
            return false;
        }
        render.samples = 1;
    }
    render.tasks = desc->tasks;
    show->take->tasks = desc->tasks.run ? desc->tasks : show->take->tasks;
    render.view = desc->view == WR_SHOW_WIRE ? WR_VIEW_WIRE : WR_VIEW_SHADED;
    if (lens > 0.0f && is_flat) {
        return wri_fail(error, WR_E_ARGUMENT, "a flat stage has no lens");
    }
    show->render = wr_render_create(&render, error);
    show->pixels = show->render ? wri_arena_alloc(&show->arena, count, 3) : NULL;
    if (!show->pixels) {
        return show->render && wri_fail_memory(error, 3 * count);
    }
    return true;
}

wr_show *wr_show_create(const wr_show_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_show_desc, desc, COOKIE) || !WRI_REQUIRE(error, desc->take)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_show *show = wri_arena_alloc(&arena, 1, sizeof *show);
    if (!show) {
        wri_fail_memory(error, sizeof *show);
        return NULL;
    }
    *show = (wr_show){.arena = arena,
                      .take = desc->take,
                      .view = desc->view,
                      .width = desc->width,
                      .height = desc->height};
    if (desc->own_light) {
        show->own_light = *desc->own_light;
        show->has_own_light = true;
    }
    if (!begin_show(show, desc, error)) {
        wr_show_destroy(show);
        return NULL;
    }
    return show;
}

void wr_show_destroy(wr_show *show)
{
    if (show) {
        wr_render_destroy(show->render);
        wr_shot_destroy(show->shot);
        wri_arena arena = show->arena; // the show itself is in it
        wri_arena_destroy(&arena);
    }
}

// Where a picture goes; light NULL: to pixels.
typedef struct canvas {
    uint8_t *pixels;
    float *light;
} canvas;

static bool draw_moment(wr_show *show, double frame, const wr_camera *camera, const canvas *to,
                        wr_error *error)
{
    wr_stage own = show->take->info->stage;
    const wr_stage *stage = &own;
    own.light = show->has_own_light ? show->own_light : own.light;
    wr_show_view view = show->view;
    wr_paint paint = view == WR_SHOW_EXAMPLES ? WR_PAINT_EXAMPLES
                     : view == WR_SHOW_BONES  ? WR_PAINT_BONES
                     : view == WR_SHOW_GREY   ? WR_PAINT_GREY
                     : view >= WR_SHOW_MAPS   ? (wr_paint)(WR_PAINT_MAPS + (view - WR_SHOW_MAPS))
                                              : WR_PAINT_LOOKS;
    wr_drawing list;
    return wr_take_read(show->take, frame, paint, &list, error) &&
           (to->light ? wr_render_draw_light(show->render, list.things, list.count, stage, camera,
                                             to->light, error)
                      : wr_render_draw(show->render, list.things, list.count, stage, camera,
                                       to->pixels, error));
}

static bool draw_exposed(wr_show *show, double frame, double interval, const canvas *to,
                         wr_error *error)
{
    wri_exposure *x = &show->exposure;
    const canvas one = {.pixels = x->pixels, .light = to->light ? x->light : NULL};
    int last = wr_record_frame_count(show->take->reader) - 1;
    for (int i = 0; i < x->count; i++) {
        double moment = wri_exposure_moment(x, i, frame, interval, last);
        wr_camera camera = wr_shot_camera(show->shot, moment);
        camera = wri_exposure_camera(x, i, &camera);
        wr_render_set_exposure(show->render, i);
        if (!draw_moment(show, moment, &camera, &one, error)) {
            return false;
        }
        (to->light ? wri_exposure_add_light : wri_exposure_add)(x, i);
    }
    if (to->light) {
        memcpy(to->light, x->mean, x->bytes * sizeof *x->mean);
    } else {
        wri_exposure_develop(x, to->pixels);
    }
    return true;
}

// interval: frames from one picture to the next.
static bool draw_on(wr_show *show, double frame, double interval, const canvas *to, wr_error *error)
{
    wr_camera camera = wr_shot_camera(show->shot, frame);
    return show->exposure.count > 0 ? draw_exposed(show, frame, interval, to, error)
                                    : draw_moment(show, frame, &camera, to, error);
}

// Those since the picture before, of a film in slow motion those of the nearest frame: none is
// missed.
static void mark_contacts(wr_show *show, double frame, double interval, uint8_t *pixels)
{
    wr_camera camera = wr_shot_camera(show->shot, frame);
    int first = (int)floor(frame - interval + 1e-6) + 1, last = (int)floor(frame + 1e-6);
    if (first > last) {
        first = last = (int)lround(frame);
    }
    wri_contacts_mark(show->contacts, first, last, &camera, pixels, show->width, show->height);
}

static void draw_legend(const wr_show *show, uint8_t *pixels)
{
    int width = show->width, height = show->height;
    if (show->view == WR_SHOW_EXAMPLES) {
        wri_draw_legend(show->take->info, pixels, width, height);
    } else if (show->view == WR_SHOW_CONTACTS) {
        wri_contacts_legend(show->contacts, pixels, width, height);
    } else if (show->view >= WR_SHOW_MAPS) {
        wri_draw_map_legend((wr_map_kind)(show->view - WR_SHOW_MAPS), pixels, width, height);
    }
}

// has_legend: where colours mean something, it is said which.
static bool draw(wr_show *show, double frame, double interval, bool has_legend, uint8_t *pixels,
                 wr_error *error)
{
    const canvas to = {.pixels = pixels};
    if (!draw_on(show, frame, interval, &to, error)) {
        return false;
    }
    if (show->contacts) {
        mark_contacts(show, frame, interval, pixels);
    }
    if (has_legend) {
        draw_legend(show, pixels);
    }
    return true;
}

// Frames from one picture to the next.
static double find_interval(const wr_schedule *s)
{
    return s->rate * s->denominator / (s->numerator * s->slow);
}

bool wr_show_draw(wr_show *show, double frame, uint8_t *pixels, wr_error *error)
{
    if (!WRI_REQUIRE(error, show, pixels)) {
        return false;
    }
    wr_schedule film = wr_take_plan(show->take, 0.0, 0.0, 1e9, 30.0);
    return draw(show, frame, find_interval(&film), true, pixels, error);
}

bool wr_show_draw_light(wr_show *show, double frame, float *light, wr_error *error)
{
    if (!WRI_REQUIRE(error, show, light)) {
        return false;
    }
    wr_schedule film = wr_take_plan(show->take, 0.0, 0.0, 1e9, 30.0);
    const canvas to = {.light = light};
    return draw_on(show, frame, find_interval(&film), &to, error);
}

static bool fail_span(const wr_show *show, const wr_show_span *span, wr_error *error)
{
    return wri_fail(error, WR_E_ARGUMENT, "%s: there is nothing between %s s and %s s",
                    show->take->name, WRI_NUMBER(span->from, 6), WRI_NUMBER(span->to, 6));
}

// --- films ------------------------------------------------------------------------------------

typedef struct shooting {
    const wr_watch *watch;
    int done, count; // pictures
    bool is_stopped; // for good, whatever the watch says later
} shooting;

static bool watch_ffmpeg(void *user)
{
    shooting *shot = user;
    shot->is_stopped =
        shot->is_stopped || !wri_watch(shot->watch, WR_WATCH_PICTURES, shot->done, shot->count);
    return !shot->is_stopped;
}

static bool add_picture(wr_show *show, wri_reel *reel, double moment, double interval,
                        wr_error *error)
{
    if (!reel->is_light) {
        return draw(show, moment, interval, true, show->pixels, error) &&
               wri_reel_add(reel, show->pixels, error);
    }
    size_t count = 3 * (size_t)show->width * (size_t)show->height;
    show->light = show->light ? show->light : wri_arena_alloc(&show->arena, count, sizeof(float));
    const canvas to = {.light = show->light};
    return (show->light || wri_fail_memory(error, count * sizeof(float))) &&
           draw_on(show, moment, interval, &to, error) &&
           wri_reel_add_light(reel, show->light, error);
}

// Returns the number of pictures, -1: failed.
static int add_pictures(wr_show *show, wri_reel *reel, const wr_schedule *s, shooting *shot,
                        wr_error *error)
{
    if (reel->film) {
        wr_film_set_watch(reel->film, watch_ffmpeg, shot);
    }
    while (shot->done < s->count && watch_ffmpeg(shot)) {
        double moment = wr_schedule_moment(s, shot->done);
        if (!add_picture(show, reel, moment, find_interval(s), error)) {
            return -1;
        }
        shot->done++;
    }
    if (shot->done == s->count) {
        watch_ffmpeg(shot);
    }
    return shot->done;
}

bool wr_show_write_film(wr_show *show, const char *path, const wr_show_span *span, wr_error *error)
{
    if (!WRI_REQUIRE(error, show, path)) {
        return false;
    }
    if (!WRI_REQUIRE_DESC(error, wr_show_span, span, SPAN_COOKIE)) {
        return false;
    }
    if (!(span->slow >= 1.0 && span->slow <= 1000.0)) {
        return wri_fail(error, WR_E_ARGUMENT, "slow is %s, expected 1 to 1000",
                        WRI_NUMBER(span->slow, 6));
    }
    wr_schedule s = wr_take_plan(show->take, span->fps, span->from, span->to, 30.0);
    s = wr_schedule_slow(&s, span->slow);
    if (s.count == 0) {
        return fail_span(show, span, error);
    }
    wri_reel reel = {.path = path,
                     .width = show->width,
                     .height = show->height,
                     .replace = span->replace,
                     .keep_part = span->keep_part};
    shooting shot = {.watch = &span->watch, .count = s.count};
    bool is_open = wri_reel_open(&reel, &s, error);
    int done = is_open ? add_pictures(show, &reel, &s, &shot, error) : -1;
    bool ok = done == s.count && wri_reel_finish(&reel, error);
    if (done >= 0 && done < s.count) {
        wri_reel_stop(&reel, s.count, error);
    }
    wri_reel_close(&reel);
    return ok;
}

// --- sheets -----------------------------------------------------------------------------------

typedef struct grid {
    wri_canvas whole;
    int count, columns;
} grid;

enum { GAP = 4, MOST = 400 }; // pixels of white between pictures; pictures

static bool fill_sheet(wr_show *show, const wr_schedule *s, grid *g, const wr_watch *watch,
                       wr_error *error)
{
    wr_schedule film = wr_take_plan(show->take, 0.0, 0.0, 1e9, 30.0);
    int i = 0;
    for (; i < g->count && wri_watch(watch, WR_WATCH_PICTURES, i, g->count); i++) {
        int64_t at = g->count > 1 ? (int64_t)i * (s->count - 1) / (g->count - 1) : s->count / 2;
        if (!draw(show, wr_schedule_frame(s, (int)at), find_interval(&film), i == 0, show->pixels,
                  error)) {
            return false;
        }
        wri_canvas_place(&g->whole, i % g->columns * (show->width + GAP),
                         i / g->columns * (show->height + GAP), show->pixels, show->width,
                         show->height);
    }
    bool all = i == g->count && wri_watch(watch, WR_WATCH_PICTURES, i, g->count);
    return all || wri_fail(error, WR_E_CANCELLED, "interrupted; no sheet was written");
}

bool wr_show_write_sheet(wr_show *show, const char *path, const wr_show_span *span, int *width,
                         int *height, wr_error *error)
{
    if (!WRI_REQUIRE(error, show, path)) {
        return false;
    }
    if (!WRI_REQUIRE_DESC(error, wr_show_span, span, SPAN_COOKIE)) {
        return false;
    }
    if (span->count < 1 || span->count > MOST) {
        return wri_fail(error, WR_E_ARGUMENT, "count is %d, expected 1 to %d", span->count, MOST);
    }
    wr_schedule s = wr_take_plan(show->take, 0.0, span->from, span->to, INFINITY);
    grid g = {.count = span->count, .columns = (int)ceil(sqrt((double)span->count))};
    int rows = (g.count + g.columns - 1) / g.columns;
    g.whole.width = g.columns * (show->width + GAP) - GAP;
    g.whole.height = rows * (show->height + GAP) - GAP;
    if (s.count == 0) {
        return fail_span(show, span, error);
    }
    wri_arena arena = wri_arena_create(NULL);
    size_t bytes = 3 * (size_t)g.whole.width * (size_t)g.whole.height;
    g.whole.pixels = wri_arena_alloc(&arena, bytes, 1);
    bool ok = g.whole.pixels || wri_fail(error, WR_E_MEMORY, "out of memory for a sheet of %dx%d",
                                         g.whole.width, g.whole.height);
    if (ok) {
        memset(g.whole.pixels, 255, bytes);
        ok = fill_sheet(show, &s, &g, &span->watch, error) &&
             wr_png_write(path, g.whole.pixels, g.whole.width, g.whole.height, 3, error);
    }
    wri_arena_destroy(&arena);
    if (width && height) {
        *width = g.whole.width;
        *height = g.whole.height;
    }
    return ok;
}

// --- models -----------------------------------------------------------------------------------

bool wr_model_draw(const wr_model *model, const wr_render_desc *desc, const wr_light *light,
                   wr_paint paint, uint8_t *pixels, wr_error *error)
{
    if (!WRI_REQUIRE(error, model, desc, pixels)) {
        return false;
    }
    wr_render *render = wr_render_create(desc, error);
    if (!render) {
        return false;
    }
    size_t count = wri_paint_is_colors(paint) ? (size_t)model->meshes->vertex_count : 0;
    wr_color *colors = count ? wri_alloc(NULL, count, sizeof *colors) : NULL;
    for (size_t i = 0; colors && i < count; i++) {
        colors[i] = wri_paint_grey();
    }
    wr_box box = wr_mesh_bounds(model->meshes);
    wr_stage stage = wr_stage_default();
    stage.light = light ? *light : stage.light;
    wr_camera camera = wr_camera_frame(box, (float)desc->width / (float)desc->height);
    wr_pose ground = {{0.0f, wr_box_is_empty(box) ? 0.0f : box.min.y, 0.0f}, WR_QUAT_IDENTITY};
    const wr_render_thing things[] = {
        {.model = model,
         .pose = WR_POSE_IDENTITY,
         .tint = {1.0f, 1.0f, 1.0f, 1.0f},
         .colors = colors},
        {.model = NULL, .pose = ground, .tint = stage.light.ground},
    };
    bool ok = (colors || !count || wri_fail_memory(error, count * sizeof *colors)) &&
              wr_render_draw(render, things, WRI_COUNT(things), &stage, &camera, pixels, error);
    wr_render_destroy(render);
    wri_free(NULL, colors, colors ? count : 0, sizeof *colors);
    return ok;
}
