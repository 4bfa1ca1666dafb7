// export_sprites.c: a take as a sprite sheet: a PNG of equal cells, and a JSON that says where they
// are and how long each is shown, in the "array" layout of Aseprite that game engines read.
//
// Cells go with the middle of what is drawn and are as large as its widest excursion around it.
// The place of the middle is given with every frame ("at", metres), for games that want the motion
// too.
#include "export.h"

#include "../file/json.h"
#include "../file/names.h"

#include <math.h>
#include <stdio.h>

enum { MARGIN = 1, SAMPLES = 64, LEAST = 16, MOST = 16384 }; // pixels; LEAST: render's, too

typedef struct sheet {
    wri_export *e;
    int count;         // cells
    wr_vec3 *at;       // of each: the middle
    wr_box box;        // of all, around their middles
    double scale;      // pixels per metre
    int width, height; // of a cell
    int columns, rows;
    wr_render *render;
    uint8_t *pixels, *cell;
} sheet;

// --- what is drawn ----------------------------------------------------------------------------

// Lists what is in a cell; *box is around it.
static bool read_cell(sheet *s, int number, wr_box *box)
{
    wri_export *e = s->e;
    int picture = number * e->desc->every;
    const wr_frame *frame = wri_export_frame(e, picture);
    *box = WR_BOX_EMPTY;
    wri_drawing_begin(e->take);
    for (int b = 0; frame && b < e->body_count; b++) {
        const wri_export_body *body = &e->bodies[b];
        if (picture >= body->first && picture <= body->last &&
            !wri_drawing_add(e->take, frame, body->number, &body->body, WR_PAINT_LOOKS, e->error)) {
            return false;
        }
    }
    for (int i = 0; i < e->take->things.count; i++) {
        const wr_render_thing *thing = &WRI_ITEM(e->take->things, wr_render_thing, i);
        const wr_mesh *mesh = thing->model->meshes;
        const wr_vec3 *x = thing->positions ? thing->positions : mesh->positions;
        for (int k = 0; k < mesh->vertex_count; k++) {
            *box = wr_box_add(*box, wr_pose_point(thing->pose, x[k]));
        }
    }
    return frame != NULL;
}

static bool measure(sheet *s)
{
    wri_export *e = s->e;
    s->at = wri_arena_alloc(&e->arena, (size_t)s->count, sizeof *s->at);
    if (!s->at) {
        return wri_fail_memory(e->error, (size_t)s->count * sizeof *s->at);
    }
    s->box = (wr_box)WR_BOX_EMPTY;
    for (int i = 0; i < s->count; i++) {
        wr_box box;
        if (!read_cell(s, i, &box)) {
            return false;
        }
        if (!wr_box_is_empty(box)) {
            s->at[i] = wr_box_center(box);
            s->box =
                wr_box_join(s->box, (wr_box){wr_sub(box.min, s->at[i]), wr_sub(box.max, s->at[i])});
        }
    }
    wr_vec3 size = wr_box_size(s->box);
    return (!wr_box_is_empty(s->box) && fmaxf(size.x, size.y) > 0.0f) ||
           wri_fail(e->error, WR_E_ARGUMENT, "%s: there is nothing to draw", e->take->name);
}

// --- the picture ------------------------------------------------------------------------------

static int cell_side(double pixels)
{
    int side = (int)ceil(pixels - 1e-3) + 2 * MARGIN;
    return side < LEAST ? LEAST : side;
}

static bool plan(sheet *s)
{
    wri_export *e = s->e;
    wr_vec3 size = wr_box_size(s->box);
    s->scale = (e->desc->cell - 2 * MARGIN) / (double)fmaxf(size.x, size.y);
    s->width = cell_side((double)size.x * s->scale);
    s->height = cell_side((double)size.y * s->scale);
    double across = sqrt((double)s->count * s->height / s->width); // nearly square
    s->columns = (int)fmin(fmax(ceil(across), 1.0), s->count);
    s->rows = (s->count + s->columns - 1) / s->columns;
    if ((int64_t)s->columns * s->width > MOST || (int64_t)s->rows * s->height > MOST) {
        return wri_fail(e->error, WR_E_LIMIT,
                        "a sheet of %d cells of %d x %d pixels would have more than %d a side",
                        s->count, s->width, s->height, MOST);
    }
    size_t cell = (size_t)s->width * (size_t)s->height;
    size_t all = cell * (size_t)s->columns * (size_t)s->rows;
    wr_render_desc desc = wr_render_desc_default();
    desc.width = s->width;
    desc.height = s->height;
    desc.samples = SAMPLES;
    desc.tasks = e->desc->tasks;
    s->cell = wri_arena_alloc(&e->arena, cell, 4);
    s->pixels = wri_arena_alloc(&e->arena, all, 4);
    if (!s->cell || !s->pixels) {
        return wri_fail_memory(e->error, all * 4);
    }
    s->render = wr_render_create(&desc, e->error);
    return s->render != NULL;
}

static wr_camera camera_of(const sheet *s, int number)
{
    wr_vec3 middle = wr_box_center(s->box), size = wr_box_size(s->box);
    wr_camera camera = {
        .to = wr_add(s->at[number], middle), .fov = 1.0f, .flat = (float)(s->height / s->scale)};
    camera.from = wr_add(camera.to, wr_v3(0.0f, 0.0f, size.z + camera.flat));
    return camera;
}

static void place_cell(sheet *s, int number)
{
    size_t row = 4 * (size_t)s->width, stride = row * (size_t)s->columns;
    uint8_t *to = s->pixels + (size_t)(number / s->columns) * (size_t)s->height * stride +
                  (size_t)(number % s->columns) * row;
    for (int y = 0; y < s->height; y++) {
        memcpy(to + (size_t)y * stride, s->cell + (size_t)y * row, row);
    }
}

static bool draw_cells(sheet *s)
{
    wri_export *e = s->e;
    const wri_array *things = &e->take->things;
    wr_stage stage = wr_stage_default();
    stage.flat.line = 1.2f / (float)s->height; // of what is no drawing
    for (int i = 0; i < s->count; i++) {
        wr_box box;
        wr_camera camera = camera_of(s, i);
        if (!wri_watch(&e->desc->watch, WR_WATCH_CELLS, i, s->count)) {
            return wri_export_cancel(e);
        }
        if (!read_cell(s, i, &box) ||
            !wr_render_draw_cutout(s->render, things->items, things->count, &stage, &camera,
                                   s->cell, e->error)) {
            return false;
        }
        place_cell(s, i);
    }
    return wri_watch(&e->desc->watch, WR_WATCH_CELLS, s->count, s->count) || wri_export_cancel(e);
}

// --- the words --------------------------------------------------------------------------------

static void write_size(wri_json_writer *json, const char *key, int width, int height)
{
    wri_json_begin_object(json, key);
    wri_json_write_int(json, "w", width);
    wri_json_write_int(json, "h", height);
    wri_json_end_object(json);
}

static void write_box(wri_json_writer *json, const char *key, int x, int y, int width, int height)
{
    wri_json_begin_object(json, key);
    wri_json_write_int(json, "x", x);
    wri_json_write_int(json, "y", y);
    wri_json_write_int(json, "w", width);
    wri_json_write_int(json, "h", height);
    wri_json_end_object(json);
}

// Milliseconds until a cell begins, rounded so that errors do not add up.
static int64_t begin_of(const sheet *s, int number)
{
    const wr_schedule *c = &s->e->schedule;
    return llround(1000.0 * number * s->e->desc->every * c->denominator / c->numerator);
}

static void write_frame(sheet *s, wri_json_writer *json, const char *stem, int i)
{
    char name[256];
    snprintf(name, sizeof name, "%.200s %d.png", stem, i);
    wri_json_begin_object(json, NULL);
    wri_json_write_string(json, "filename", name);
    write_box(json, "frame", i % s->columns * s->width, i / s->columns * s->height, s->width,
              s->height);
    wri_json_write_bool(json, "rotated", false);
    wri_json_write_bool(json, "trimmed", false);
    write_box(json, "spriteSourceSize", 0, 0, s->width, s->height);
    write_size(json, "sourceSize", s->width, s->height);
    wri_json_write_int(json, "duration", begin_of(s, i + 1) - begin_of(s, i));
    wri_json_begin_array(json, "at");
    wri_json_write_float(json, NULL, s->at[i].x);
    wri_json_write_float(json, NULL, s->at[i].y);
    wri_json_end_array(json);
    wri_json_end_object(json);
}

static void write_meta(sheet *s, wri_json_writer *json, const char *image, const char *tag)
{
    wri_json_begin_object(json, "meta");
    wri_json_write_string(json, "app", WRI_PROGRAM);
    wri_json_write_string(json, "image", image);
    wri_json_write_string(json, "format", "RGBA8888");
    write_size(json, "size", s->columns * s->width, s->rows * s->height);
    wri_json_write_string(json, "scale", "1");
    wri_json_write_number(json, "pixelsPerMetre", s->scale);
    wri_json_begin_array(json, "frameTags");
    wri_json_begin_object(json, NULL);
    wri_json_write_string(json, "name", tag);
    wri_json_write_int(json, "from", 0);
    wri_json_write_int(json, "to", s->count - 1);
    wri_json_write_string(json, "direction", "forward");
    wri_json_end_object(json);
    wri_json_end_array(json);
    wri_json_end_object(json);
}

static bool write_words(sheet *s, const char *path)
{
    wri_export *e = s->e;
    const char *image = wri_path_name(e->path);
    const char *stem = wri_path_stem(&e->arena, image);
    wri_json_writer json = wri_json_writer_create(NULL, true);
    wri_json_begin_object(&json, NULL);
    write_meta(s, &json, image, e->bodies[0].body.name);
    wri_json_begin_array(&json, "frames");
    for (int i = 0; stem && i < s->count; i++) {
        write_frame(s, &json, stem, i);
    }
    wri_json_end_array(&json);
    wri_json_end_object(&json);
    const char *text = stem ? wri_json_finish(&json) : NULL;
    bool ok = text ? wri_file_write(path, text, strlen(text), e->error)
                   : wri_fail_memory(e->error, (size_t)s->count * 300);
    wri_json_writer_destroy(&json);
    return ok;
}

// --- the whole --------------------------------------------------------------------------------

// A sheet is of somebody: who, must be said where there are several.
static bool choose_bodies(wri_export *e)
{
    int kept = 0;
    if (e->film_count > 0) {
        return wri_fail(e->error, WR_E_UNSUPPORTED,
                        "%s: a sprite sheet has drawings, but \"%s\" is none; render makes "
                        "pictures of it",
                        e->path, e->films[0].name);
    }
    for (int b = 0; b < e->body_count; b++) {
        const wr_record_body *body = &e->bodies[b].body;
        if (body->model >= 0 && (e->desc->bodies || !body->is_static)) {
            e->bodies[kept++] = e->bodies[b];
        }
    }
    e->body_count = kept;
    if (kept == 0) {
        return wri_fail(e->error, WR_E_ARGUMENT, "%s: there is nothing to draw", e->take->name);
    }
    return kept == 1 || e->desc->bodies ||
           wri_fail(e->error, WR_E_AMBIGUOUS, "%s: %d bodies move, such as \"%s\"", e->take->name,
                    kept, e->bodies[0].body.name);
}

static bool write_sheet(sheet *s, const char *words)
{
    wri_export *e = s->e;
    bool ok = measure(s) && plan(s) && draw_cells(s);
    wr_render_destroy(s->render);
    return ok &&
           wr_png_write(e->path, s->pixels, s->columns * s->width, s->rows * s->height, 4,
                        e->error) &&
           write_words(s, words);
}

bool wri_export_sprites(wri_export *e)
{
    int every = e->desc->every;
    sheet s = {.e = e, .count = (e->schedule.count + every - 1) / every};
    const char *stem = wri_path_stem(&e->arena, e->path);
    const char *words = stem ? wri_arena_printf(&e->arena, "%s.json", stem) : NULL;
    bool ok = words || wri_fail_memory(e->error, 256);
    ok = ok && choose_bodies(e) && wri_check_beside(words, e->desc->replace, e->error) &&
         write_sheet(&s, words);
    e->report.frames = s.count;
    e->report.width = s.width;
    e->report.height = s.height;
    return ok;
}
