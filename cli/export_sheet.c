// export_sheet.c: a take as a sprite sheet: a PNG of equal cells, and a JSON that says where they
// are and how long each is shown, in the "array" layout of Aseprite that game engines read.
//
// Cells go with the middle of what is drawn and are as large as its widest excursion around it.
// Where the middle was is said with every frame ("at", metres), for games that want the motion too.
#include "take.h"

#include "../src/file/json.h"
#include "../src/file/names.h"

#include <math.h>
#include <stdio.h>

enum {
    USUAL = 128,
    MARGIN = 1,
    SAMPLES = 64,
    LEAST = 16,
    MOST = 16384
}; // pixels; LEAST: what render can draw

typedef struct sheet {
    cli_take *take;
    int every;         // pictures from one cell to the next
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

// The things of a cell and their box; false: failed.
static bool read_cell(sheet *s, int number, wri_array *things, wr_box *box)
{
    cli_take *take = s->take;
    int picture = number * s->every;
    const wr_frame *frame = wr_record_read_frame(
        take->reader, cli_schedule_frame(&take->schedule, picture), &take->error);
    *box = WR_BOX_EMPTY;
    things->count = 0;
    for (int b = 0; frame && b < take->body_count; b++) {
        const cli_take_body *body = &take->bodies[b];
        if (body->body.model < 0 || picture < body->first || picture > body->last) {
            continue;
        }
        wr_record_shape shape;
        wr_render_thing *thing = wri_array_add(things, 1);
        if (!thing || !cli_take_shape(take, frame, body, true, &shape)) {
            return thing ? false : wri_fail_memory(&take->error, sizeof *thing);
        }
        const wr_model *model = take->info->models[body->body.model];
        *thing = (wr_render_thing){.model = model,
                                   .pose = body->poses[picture],
                                   .tint = body->body.color,
                                   .positions = shape.positions,
                                   .normals = shape.normals};
        const wr_vec3 *x = shape.positions ? shape.positions : model->meshes->positions;
        for (int i = 0; i < model->meshes->vertex_count; i++) {
            *box = wr_box_add(*box, wr_pose_point(thing->pose, x[i]));
        }
    }
    return frame != NULL;
}

static bool measure(sheet *s, wri_array *things)
{
    cli_take *take = s->take;
    s->at = wri_arena_alloc(&take->arena, (size_t)s->count, sizeof *s->at);
    if (!s->at) {
        return wri_fail_memory(&take->error, (size_t)s->count * sizeof *s->at);
    }
    s->box = (wr_box)WR_BOX_EMPTY;
    for (int i = 0; i < s->count; i++) {
        wr_box box;
        if (!read_cell(s, i, things, &box)) {
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
           wri_fail(&take->error, WR_E_ARGUMENT, "%s: there is nothing to draw",
                    take->options->input);
}

// --- the picture ------------------------------------------------------------------------------

static int cell_side(double pixels)
{
    int side = (int)ceil(pixels - 1e-3) + 2 * MARGIN;
    return side < LEAST ? LEAST : side;
}

static bool plan(sheet *s)
{
    cli_take *take = s->take;
    wr_vec3 size = wr_box_size(s->box);
    s->scale = ((take->options->cell ? take->options->cell : USUAL) - 2 * MARGIN) /
               (double)fmaxf(size.x, size.y);
    s->width = cell_side((double)size.x * s->scale);
    s->height = cell_side((double)size.y * s->scale);
    double across = sqrt((double)s->count * s->height / s->width); // nearly square
    s->columns = (int)fmin(fmax(ceil(across), 1.0), s->count);
    s->rows = (s->count + s->columns - 1) / s->columns;
    if ((int64_t)s->columns * s->width > MOST || (int64_t)s->rows * s->height > MOST) {
        return wri_fail(&take->error, WR_E_ARGUMENT,
                        "a sheet of %d cells of %d x %d pixels would have more than %d a side; "
                        "--every, --from and --to choose fewer, --cell smaller ones",
                        s->count, s->width, s->height, MOST);
    }
    size_t cell = (size_t)s->width * (size_t)s->height;
    size_t all = cell * (size_t)s->columns * (size_t)s->rows;
    wr_render_desc desc = wr_render_desc_default();
    desc.width = s->width;
    desc.height = s->height;
    desc.samples = SAMPLES;
    desc.tasks = wr_tasks_openmp(0);
    s->cell = wri_arena_alloc(&take->arena, cell, 4);
    s->pixels = wri_arena_alloc(&take->arena, all, 4);
    if (!s->cell || !s->pixels) {
        return wri_fail_memory(&take->error, all * 4);
    }
    s->render = wr_render_create(&desc, &take->error);
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

static bool draw_cells(sheet *s, wri_array *things)
{
    cli_take *take = s->take;
    wr_stage stage = wr_stage_default();
    stage.flat.line = 1.2f / (float)s->height; // of what is no drawing
    cli_progress progress =
        cli_progress_start("drawing", "cells", 0, s->count, take->options->quiet);
    bool ok = true;
    for (int i = 0; ok && i < s->count; i++) {
        wr_box box;
        wr_camera camera = camera_of(s, i);
        take->interrupted = cli_interrupted();
        ok = !take->interrupted && read_cell(s, i, things, &box) &&
             wr_render_draw_cutout(s->render, things->items, things->count, &stage, &camera,
                                   s->cell, &take->error);
        if (ok) {
            place_cell(s, i);
        }
        cli_progress_show(&progress, i + 1, "");
    }
    cli_progress_end(&progress);
    return ok;
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
    const cli_schedule *c = &s->take->schedule;
    return llround(1000.0 * number * s->every * c->denominator / c->numerator);
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
    cli_take *take = s->take;
    const char *image = wri_path_name(take->options->output);
    const char *stem = wri_path_stem(&take->arena, image);
    wri_json_writer json = wri_json_writer_create(NULL, true);
    wri_json_begin_object(&json, NULL);
    write_meta(s, &json, image, take->bodies[0].body.name);
    wri_json_begin_array(&json, "frames");
    for (int i = 0; stem && i < s->count; i++) {
        write_frame(s, &json, stem, i);
    }
    wri_json_end_array(&json);
    wri_json_end_object(&json);
    const char *text = stem ? wri_json_finish(&json) : NULL;
    bool ok = text ? wri_file_write(path, text, strlen(text), &take->error)
                   : wri_fail_memory(&take->error, (size_t)s->count * 300);
    wri_json_writer_destroy(&json);
    return ok;
}

// --- the whole --------------------------------------------------------------------------------

// A sheet is of somebody: who, must be said where there are several.
static bool check_bodies(cli_take *take)
{
    int kept = 0;
    for (int b = 0; b < take->body_count; b++) {
        const wr_record_body *body = &take->bodies[b].body;
        if (body->model >= 0 && (take->options->body || !body->is_static)) {
            take->bodies[kept++] = take->bodies[b];
        }
    }
    take->body_count = kept;
    if (kept == 0) {
        return wri_fail(&take->error, WR_E_ARGUMENT, "%s: there is nothing to draw",
                        take->options->input);
    }
    return kept == 1 || take->options->body ||
           wri_fail(&take->error, WR_E_ARGUMENT,
                    "%s: %d bodies move, such as \"%s\"; --body says whose sheet it is",
                    take->options->input, kept, take->bodies[0].body.name);
}

static bool write_sheet(sheet *s, const char *words)
{
    cli_take *take = s->take;
    wri_array things = wri_array_create(NULL, sizeof(wr_render_thing));
    bool ok = measure(s, &things) && plan(s) && draw_cells(s, &things);
    wri_array_destroy(&things);
    wr_render_destroy(s->render);
    return ok &&
           wr_png_write(take->options->output, s->pixels, s->columns * s->width,
                        s->rows * s->height, 4, &take->error) &&
           write_words(s, words);
}

int cli_export_sheet(cli_take *take)
{
    sheet s = {.take = take, .every = take->options->every ? take->options->every : 1};
    s.count = (take->schedule.count + s.every - 1) / s.every;
    const char *stem = wri_path_stem(&take->arena, take->options->output);
    const char *words = stem ? wri_arena_printf(&take->arena, "%s.json", stem) : NULL;
    bool ok = words || wri_fail_memory(&take->error, 256);
    ok = ok && check_bodies(take) && cli_check_beside(words, take->options->force, &take->error) &&
         write_sheet(&s, words);
    if (!ok) {
        return cli_take_failed(take);
    }
    if (!take->options->quiet) {
        char size[32];
        printf("%s: %d %s of %dx%d, %s; %s\n", take->options->output, s.count,
               wri_plural(s.count, "cell", "cells"), s.width, s.height,
               cli_size_text(size, wri_file_size(take->options->output)), words);
    }
    return CLI_OK;
}
