// render_asset.c: wrought render of an asset: one shape, or a contact sheet of all.
#include "asset_view.h"

#include "../src/file/png.h"
#include "../src/render/canvas.h"
#include "../src/render/palette.h"

#include <limits.h>
#include <stdio.h>

typedef enum view_kind {
    VIEW_SHADED,
    VIEW_EXAMPLES,
    VIEW_WEIGHTS,
    VIEW_WIRE,
} view_kind;

// What one picture shows.
typedef struct cell {
    view_kind view;
    int example;
    float share;
    int handle;  // of VIEW_WEIGHTS: -1: all
    bool behind; // seen from the other side
    char note[96];
} cell;

typedef struct job {
    const cli_render_options *options;
    view_kind view;
    wri_arena arena;
    wr_asset *asset;
    cli_asset_view shapes;
    wr_render *shaded, *wire; // created when first needed
    wr_model *ball;
    wr_stage stage;
    wr_camera camera;
    wri_array points; // wr_vec3, what the camera has to see
    float floor_y;    // lowest point of the render mesh, metres; of the simulation mesh in its view
    wr_color floor;
    float ball_radius; // metres
    uint8_t *pixels;   // of one picture
    int width, height, samples;
    wr_error error;
} job;

static const float TURN = 0.45f, RISE = 0.21f; // of the camera, radians
static const wri_ink PAPER = {250, 250, 251}, DARK = {28, 30, 34}, GREY = {104, 108, 116};

// --- the stage --------------------------------------------------------------------------------

// The lamp goes around with the camera.
static void aim_camera(job *j, bool behind)
{
    const wr_vec3 lamp = {-0.50f, 0.80f, 0.62f};
    float aspect = (float)j->width / (float)j->height, side = behind ? -1.0f : 1.0f;
    const wr_vec3 *points = j->points.items;
    int count = j->points.count;
    if (j->asset->rig.dimension == 2) {
        wr_box box = WR_BOX_EMPTY;
        for (int i = 0; i < count; i++) {
            box = wr_box_add(box, points[i]);
        }
        j->camera = wr_camera_frame_flat(box, aspect);
        return;
    }
    j->camera = wr_camera_frame_points(points, count, aspect, behind ? TURN + WR_PI : TURN, RISE);
    j->stage.light.sun_direction = wr_normalize(wr_v3(side * lamp.x, lamp.y, side * lamp.z));
}

// A studio: even light from above, one soft lamp, and a floor that sends back just the colour of
// the wall behind it, so that only shadows and lines show.
static void build_stage(job *j)
{
    wr_light *light = &j->stage.light;
    j->stage = wr_stage_default();
    j->stage.flat.on = j->asset->rig.dimension == 2;
    j->stage.flat.top = j->stage.flat.low = (wr_color){0.83f, 0.84f, 0.86f, 1.0f};
    aim_camera(j, false);
    light->sun_color = (wr_color){0.80f, 0.77f, 0.71f, 1.0f};
    light->sun_radius = 0.09f;
    light->sky_zenith = (wr_color){0.27f, 0.29f, 0.32f, 1.0f};
    light->sky_horizon = (wr_color){0.60f, 0.62f, 0.65f, 1.0f};
    const float sun[3] = {light->sun_color.r, light->sun_color.g, light->sun_color.b};
    const float zenith[3] = {light->sky_zenith.r, light->sky_zenith.g, light->sky_zenith.b};
    const float wall[3] = {light->sky_horizon.r, light->sky_horizon.g, light->sky_horizon.b};
    float tint[3];
    for (int i = 0; i < 3; i++) { // light that falls on the floor, as in wri_shading
        float falls = 0.9f * zenith[i] + 0.1f * wall[i] + light->sun_direction.y * sun[i];
        tint[i] = wall[i] / falls;
    }
    j->floor = light->ground = (wr_color){tint[0], tint[1], tint[2], 1.0f};
}

static bool add_points(job *j, const wr_vec3 *points, int count, bool stands)
{
    wr_vec3 *room = wri_array_add(&j->points, count);
    if (!room) {
        return wri_fail_memory(&j->error, (size_t)count * sizeof *room);
    }
    memcpy(room, points, (size_t)count * sizeof *room);
    for (int i = 0; stands && i < count; i++) {
        j->floor_y = fminf(j->floor_y, points[i].y);
    }
    return true;
}

// Makes room for the shape at hand.
static bool add_shape(job *j, const cell *c)
{
    const cli_asset_view *v = &j->shapes;
    if (c->view == VIEW_WIRE) {
        return add_points(j, v->x, j->asset->rig.vertex_count, j->view == VIEW_WIRE);
    }
    if (c->view == VIEW_WEIGHTS && !add_points(j, v->pivots, j->asset->rig.handle_count, false)) {
        return false;
    }
    return add_points(j, v->positions, j->asset->model->meshes[0].vertex_count, true);
}

static wr_render *find_render(job *j, bool wire)
{
    wr_render **slot = wire ? &j->wire : &j->shaded;
    if (!*slot) {
        wr_render_desc desc = wr_render_desc_default();
        desc.width = j->width;
        desc.height = j->height;
        desc.samples = j->samples;
        desc.tasks = j->shapes.tasks;
        desc.view = wire ? WR_VIEW_WIRE : WR_VIEW_SHADED;
        *slot = wr_render_create(&desc, &j->error);
    }
    return *slot;
}

// --- one picture ------------------------------------------------------------------------------

static void add_handles(job *j, const cell *c, wri_array *things)
{
    int count = j->asset->rig.handle_count;
    for (int b = 0; b < count; b++) {
        wr_render_thing *thing = c->handle < 0 || c->handle == b ? wri_array_add(things, 1) : NULL;
        if (thing) {
            *thing = (wr_render_thing){.model = j->ball,
                                       .pose = {j->shapes.pivots[b], WR_QUAT_IDENTITY},
                                       .tint = j->shapes.handle_colors[b]};
        }
    }
}

// Handles often lie inside: a ring shows where, also through what is in front.
static void mark_handles(job *j, const cell *c)
{
    wri_canvas canvas = {j->pixels, j->width, j->height};
    for (int b = 0; b < j->asset->rig.handle_count; b++) {
        wr_vec2 at;
        float depth;
        if ((c->handle < 0 || c->handle == b) &&
            wr_camera_project(&j->camera, j->width, j->height, j->shapes.pivots[b], &at, &depth)) {
            float radius = j->camera.flat > 0.0f
                               ? j->ball_radius * (float)j->height / j->camera.flat
                               : j->ball_radius * 0.5f * (float)j->height /
                                     (tanf(0.5f * j->camera.fov) * depth);
            radius += 0.5f;
            wri_ink ink = wri_ink_from_color(j->shapes.handle_colors[b]);
            wri_canvas_ring(&canvas, at.x, at.y, radius + 1.0f, 1.3f, DARK, 0.85f);
            wri_canvas_ring(&canvas, at.x, at.y, radius, 1.2f, ink, 1.0f);
        }
    }
}

static bool fill_things(job *j, const cell *c, wr_model *solid, wri_array *things)
{
    cli_asset_view *v = &j->shapes;
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    wr_render_thing *thing = wri_array_add(things, 2);
    if (!thing) {
        return wri_fail_memory(&j->error, sizeof *thing);
    }
    thing[0] = (wr_render_thing){
        .model = solid ? solid : j->asset->model, .pose = WR_POSE_IDENTITY, .tint = white};
    thing[1] =
        (wr_render_thing){.pose = {{0.0f, j->floor_y, 0.0f}, WR_QUAT_IDENTITY}, .tint = j->floor};
    things->count = j->asset->rig.dimension == 2 ? 1 : 2;
    if (!solid) {
        thing->positions = v->positions;
        thing->normals = v->normals;
        thing->colors = c->view == VIEW_SHADED ? NULL : v->colors;
    }
    if (c->view == VIEW_EXAMPLES) {
        cli_asset_view_paint_examples(v);
    } else if (c->view == VIEW_WEIGHTS && c->handle < 0) {
        cli_asset_view_paint_handles(v);
    } else if (c->view == VIEW_WEIGHTS) {
        cli_asset_view_paint_weight(v, c->handle);
    }
    if (c->view == VIEW_WEIGHTS) {
        add_handles(j, c, things);
    }
    return true;
}

static bool draw_cell(job *j, const cell *c)
{
    wr_render *render = find_render(j, c->view == VIEW_WIRE);
    aim_camera(j, c->behind);
    if (!render || !cli_asset_view_pose(&j->shapes, c->example, c->share, &j->error)) {
        return false;
    }
    wr_model *solid =
        c->view == VIEW_WIRE ? cli_asset_view_create_solid(&j->shapes, &j->error) : NULL;
    wri_array things = wri_array_create(NULL, sizeof(wr_render_thing));
    bool ok = (solid || c->view != VIEW_WIRE) && fill_things(j, c, solid, &things) &&
              wr_render_draw(render, things.items, things.count, &j->stage, &j->camera, j->pixels,
                             &j->error);
    wri_array_destroy(&things);
    if (solid) {
        wr_render_forget(render);
        wr_model_destroy(solid);
    }
    if (ok && c->view == VIEW_WEIGHTS) {
        mark_handles(j, c);
    }
    return ok;
}

// --- pictures ---------------------------------------------------------------------------------

static int report(job *j, int width, int height)
{
    if (!j->options->quiet) {
        char size[32];
        printf("%s: %dx%d, %s\n", j->options->output, width, height,
               cli_size_text(size, wri_file_size(j->options->output)));
    }
    return CLI_OK;
}

static bool take_pixels(job *j)
{
    j->pixels = wri_arena_alloc(&j->arena, (size_t)j->width * (size_t)j->height, 3);
    return j->pixels || wri_fail_memory(&j->error, (size_t)j->width * (size_t)j->height * 3);
}

static int render_picture(job *j)
{
    const cli_render_options *o = j->options;
    cell c = {.view = j->view, .share = (float)o->blend, .handle = -1};
    if (o->example) {
        c.example = cli_find_example(j->asset, o->input, o->example, &j->error);
    }
    if (o->handle) {
        c.handle = cli_find_handle(j->asset, o->input, o->handle, &j->error);
    }
    if (c.example < 0 || (o->handle && c.handle < 0) || !take_pixels(j) ||
        !cli_asset_view_pose(&j->shapes, c.example, c.share, &j->error)) {
        return cli_fail(&j->error);
    }
    if (!add_shape(j, &c) || !draw_cell(j, &c) ||
        !wr_png_write(o->output, j->pixels, j->width, j->height, 3, &j->error)) {
        return cli_fail(&j->error);
    }
    return report(j, j->width, j->height);
}

// --- sheets -----------------------------------------------------------------------------------

enum {
    HEAD = 30,      // rows of pixels above the cells
    STRIP = 40,     // below each picture: two lines of text
    GAP = 6,        // between cells
    LEAST = 132,    // side of a square picture by default
    MOST = 360,     //
    AREA = 700000,  // pixels of all pictures by default
    BYTES = 200000, // of the file by default
    WIDE = 1600,    // pixels; where a sheet begins a new row by default
};

typedef struct sheet {
    cell *cells;
    int count, columns, rows; // cells are placed row by row
    uint8_t *pixels;
    int width, height;
} sheet;

static const char *title_of(const job *j, const cell *c)
{
    return c->view == VIEW_WEIGHTS && c->handle >= 0      ? j->asset->rig.handles[c->handle].name
           : c->view == VIEW_WIRE && j->view != VIEW_WIRE ? "simulation mesh"
                                                          : j->asset->rig.examples[c->example].name;
}

// Columns: rest, then the examples; rows: all of the way, half of it. Below the rest shape, where
// half of the way is the same, stands the simulation mesh. Many examples take several such bands.
static bool plan_examples(job *j, sheet *s, int widest)
{
    int examples = j->asset->rig.example_count;
    int bands = (examples + widest - 1) / widest;
    s->columns = (examples + bands - 1) / bands;
    s->rows = 2 * bands;
    s->count = s->columns * s->rows;
    s->cells = wri_arena_alloc(&j->arena, (size_t)s->count, sizeof *s->cells);
    if (!s->cells) {
        return wri_fail_memory(&j->error, (size_t)s->count * sizeof *s->cells);
    }
    for (int i = 0; i < s->count; i++) {
        int row = i / s->columns, example = row / 2 * s->columns + i % s->columns;
        cell *c = &s->cells[i];
        *c = (cell){
            .view = j->view, .example = example, .share = row % 2 ? 0.5f : 1.0f, .handle = -1};
        if (example == 0 && row % 2) {
            c->view = VIEW_WIRE;
        }
        c->example = example < examples ? example : -1; // nothing there
    }
    return true;
}

static bool plan_handles(job *j, sheet *s, int widest)
{
    const wr_rig *rig = &j->asset->rig;
    if (rig->handle_count < 1) {
        return wri_fail(&j->error, WR_E_ARGUMENT, "%s: has no handles", j->options->input);
    }
    int across = (int)ceil(sqrt(1.4 * rig->handle_count)), fewest = INT_MAX;
    for (int columns = across - 1; columns <= across + 2; columns++) { // the fullest last row
        int empty = columns > 0 ? (columns - rig->handle_count % columns) % columns : INT_MAX;
        if (empty < fewest && columns <= widest) {
            fewest = empty;
            s->columns = columns;
        }
    }
    s->columns = s->columns ? s->columns : widest;
    s->rows = (rig->handle_count + s->columns - 1) / s->columns;
    s->count = s->columns * s->rows;
    s->cells = wri_arena_alloc(&j->arena, (size_t)s->count, sizeof *s->cells);
    if (!s->cells) {
        return wri_fail_memory(&j->error, (size_t)s->count * sizeof *s->cells);
    }
    wr_vec3 middle = wr_box_center(wr_mesh_bounds(j->asset->model->meshes));
    const wr_vec3 front = {sinf(TURN), 0.0f, cosf(TURN)};
    for (int i = 0; i < s->count; i++) {
        s->cells[i] = (cell){.view = VIEW_WEIGHTS,
                             .share = 1.0f,
                             .handle = i,
                             .example = i < rig->handle_count ? 0 : -1};
        if (i < rig->handle_count && rig->dimension == 3) {
            s->cells[i].behind = wr_dot(wr_sub(rig->handles[i].pivot, middle), front) < 0.0f;
        }
    }
    return true;
}

static bool gather_points(job *j, const sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        const cell *c = &s->cells[i];
        if (c->example < 0 || (i > 0 && c->view == VIEW_WEIGHTS)) { // handles: all of one shape
            continue;
        }
        if (!cli_asset_view_pose(&j->shapes, c->example, c->share, &j->error) || !add_shape(j, c)) {
            return false;
        }
    }
    return true;
}

// Width to height of what the camera sees, with room for its shadow.
static double find_aspect(job *j)
{
    j->width = j->height = 1000;
    aim_camera(j, false);
    float left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    for (int i = 0; i < j->points.count; i++) {
        wr_vec2 at;
        float depth;
        if (wr_camera_project(&j->camera, j->width, j->height, WRI_ITEM(j->points, wr_vec3, i), &at,
                              &depth)) {
            left = fminf(left, at.x);
            right = fmaxf(right, at.x);
            top = fminf(top, at.y);
            bottom = fmaxf(bottom, at.y);
        }
    }
    double aspect = right > left && bottom > top ? (double)((right - left) / (bottom - top)) : 1.0;
    return fmin(fmax(aspect + 0.15, 0.75), 1.7);
}

// Where the size of the pictures is not said, they have the shape of the asset and share an area
// that keeps the file small.
static void choose_size(job *j, const sheet *s)
{
    if (j->width == 0) {
        double aspect = find_aspect(j), area = (double)AREA / s->count;
        area = fmin(fmax(area, LEAST * LEAST), MOST * MOST);
        j->width = (int)sqrt(area * aspect);
        j->height = (int)(j->width / aspect);
    }
}

static void write_note(job *j, cell *c)
{
    const wr_rig *rig = &j->asset->rig;
    char length[32];
    if (c->view == VIEW_WEIGHTS && c->handle >= 0) {
        double sum = 0.0;
        for (int i = 0; i < rig->vertex_count; i++) {
            sum += (double)rig->weights[(size_t)i * (size_t)rig->handle_count + (size_t)c->handle];
        }
        snprintf(c->note, sizeof c->note, "share %.2g %%%s", 100.0 * sum / rig->vertex_count,
                 c->behind ? ", from behind" : "");
    } else if (c->view == VIEW_WIRE && j->view != VIEW_WIRE) {
        snprintf(c->note, sizeof c->note, "%d %s", rig->vertex_count,
                 wri_plural(rig->vertex_count, "vertex", "vertices"));
    } else if (c->example == 0) {
        snprintf(c->note, sizeof c->note, "as it was %s",
                 rig->dimension == 2 ? "drawn" : "modelled");
    } else {
        snprintf(c->note, sizeof c->note, "%s %s", c->share < 1.0f ? "half way:" : "moves",
                 cli_length_text(length, j->shapes.largest_move));
    }
}

static void place_cell(job *j, const sheet *s, int i)
{
    const cell *c = &s->cells[i];
    wri_canvas canvas = {s->pixels, s->width, s->height};
    int x = GAP + i % s->columns * (j->width + GAP);
    int y = HEAD + i / s->columns * (j->height + STRIP);
    char text[256];
    wri_canvas_place(&canvas, x, y, j->pixels, j->width, j->height);
    int under = y + j->height + WRI_TEXT_LINE;
    int left = x + 1;
    if (j->view == VIEW_EXAMPLES && c->view == VIEW_EXAMPLES) { // the colour as a legend
        wr_color color = wr_example_color(c->example, j->asset->rig.example_count);
        wri_canvas_fill(&canvas, x, under - WRI_TEXT_CAPITAL, WRI_TEXT_CAPITAL + 1,
                        WRI_TEXT_CAPITAL + 1, wri_ink_from_color(color));
        left += WRI_TEXT_CAPITAL + 6;
    }
    wri_canvas_text(&canvas, left, under, 1, DARK,
                    wri_text_fit(title_of(j, c), 1, x + j->width - left, text, sizeof text));
    wri_canvas_text(&canvas, left, under + WRI_TEXT_LINE, 1, GREY,
                    wri_text_fit(c->note, 1, x + j->width - left, text, sizeof text));
}

static bool begin_sheet(job *j, sheet *s)
{
    const wr_rig *rig = &j->asset->rig;
    int64_t width = (int64_t)s->columns * (j->width + GAP) + GAP;
    int64_t height = (int64_t)s->rows * (j->height + STRIP) + HEAD;
    if (width > 16384 || height > 16384) {
        return wri_fail(&j->error, WR_E_ARGUMENT,
                        "a sheet of %d x %d pictures would have more than 16384 pixels a side; "
                        "a smaller --size helps",
                        s->columns, s->rows);
    }
    s->width = (int)width;
    s->height = (int)height;
    s->pixels = wri_arena_alloc(&j->arena, (size_t)(width * height), 3);
    if (!s->pixels) {
        return wri_fail_memory(&j->error, (size_t)(width * height) * 3);
    }
    wri_canvas canvas = {s->pixels, s->width, s->height};
    wri_canvas_fill(&canvas, 0, 0, s->width, s->height, PAPER);
    char text[256], about[160];
    snprintf(about, sizeof about, "%d %s, %d %s", rig->handle_count,
             wri_plural(rig->handle_count, "handle", "handles"), rig->example_count - 1,
             wri_plural(rig->example_count - 1, "example", "examples"));
    int x = wri_canvas_text(&canvas, GAP + 1, HEAD - 10, 1, DARK,
                            wri_text_fit(j->asset->name, 1, s->width / 2, text, sizeof text));
    wri_canvas_text(&canvas, x + 10, HEAD - 10, 1, GREY,
                    wri_text_fit(about, 1, s->width - x - 10 - GAP, text, sizeof text));
    return true;
}

// As many colours as the file has room for, when its size is ours to choose.
static bool encode_sheet(job *j, const sheet *s, const uint8_t **bytes, size_t *size)
{
    static const int tries[][2] = {{256, 4}, {160, 3}, {96, 2}, {64, 0}, {32, 0}};
    uint8_t *indices = wri_arena_alloc(&j->arena, (size_t)s->width * (size_t)s->height, 1);
    uint8_t palette[WRI_PALETTE_MAX][3];
    if (!indices) {
        return wri_fail_memory(&j->error, (size_t)s->width * (size_t)s->height);
    }
    for (int i = 0; i < WRI_COUNT(tries); i++) {
        int colors;
        if (!wri_palette_find(s->pixels, s->width, s->height, tries[i][0], tries[i][1], indices,
                              palette, &colors, &j->error) ||
            !wri_png_encode_indexed(&j->arena, indices, s->width, s->height,
                                    (const uint8_t(*)[3])palette, colors, bytes, size, &j->error)) {
            return false;
        }
        if (*size <= BYTES || j->options->size[0]) {
            break;
        }
    }
    return true;
}

static int write_sheet(job *j, const sheet *s)
{
    const uint8_t *bytes;
    size_t size;
    if (!encode_sheet(j, s, &bytes, &size) ||
        !wri_file_write(j->options->output, bytes, size, &j->error)) {
        return cli_fail(&j->error);
    }
    for (int i = 0; i < s->count && !j->options->quiet; i++) {
        const cell *c = &s->cells[i];
        if (c->example >= 0) {
            printf("  %s: %s\n", title_of(j, c), c->note);
        }
    }
    return report(j, s->width, s->height);
}

static int render_sheet(job *j)
{
    sheet s = {0};
    int widest = WIDE / (j->width ? j->width : 2 * LEAST);
    widest = widest < 2 ? 2 : widest;
    bool planned =
        j->view == VIEW_WEIGHTS ? plan_handles(j, &s, widest) : plan_examples(j, &s, widest);
    if (!planned || !gather_points(j, &s)) {
        return cli_fail(&j->error);
    }
    choose_size(j, &s);
    if (!take_pixels(j) || !begin_sheet(j, &s)) {
        return cli_fail(&j->error);
    }
    cli_progress progress =
        cli_progress_start("rendering", "pictures", 0, s.count, j->options->quiet);
    for (int i = 0; i < s.count && !cli_interrupted(); i++) {
        if (s.cells[i].example < 0) {
            continue;
        }
        if (!draw_cell(j, &s.cells[i])) {
            cli_progress_end(&progress);
            return cli_fail(&j->error);
        }
        write_note(j, &s.cells[i]);
        place_cell(j, &s, i);
        cli_progress_show(&progress, i + 1, "");
    }
    cli_progress_end(&progress);
    return cli_interrupted() ? cli_complain(CLI_INTERRUPTED, "interrupted; no sheet was written")
                             : write_sheet(j, &s);
}

// --- the command ------------------------------------------------------------------------------

static bool prepare(job *j)
{
    const cli_render_options *o = j->options;
    j->asset = wr_asset_read(o->input, NULL, &j->error);
    if (!j->asset ||
        !cli_asset_view_create(&j->shapes, j->asset, wr_tasks_openmp(o->threads), &j->error)) {
        return false;
    }
    j->ball_radius = 0.011f * wr_length(wr_box_size(wr_mesh_bounds(j->asset->model->meshes)));
    j->ball = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(j->ball_radius, 0.0f, 0.0f),
                                        (wr_color){1.0f, 1.0f, 1.0f, 1.0f}, &j->error);
    build_stage(j);
    return j->ball != NULL;
}

int cli_run_render_asset(const cli_render_options *options)
{
    static const char *const views[] = {"shaded", "examples", "weights", "wire"};
    job j = {.options = options,
             .arena = wri_arena_create(NULL),
             .points = wri_array_create(NULL, sizeof(wr_vec3)),
             .floor_y = INFINITY,
             .width = options->size[0],
             .height = options->size[1],
             .samples = options->samples ? options->samples : 16};
    while (j.view < VIEW_WIRE && strcmp(views[j.view], options->view) != 0) {
        j.view++;
    }
    if (j.width == 0 && !options->sheet) {
        j.width = 960;
        j.height = 540;
    }
    int status = !prepare(&j)     ? cli_fail(&j.error)
                 : options->sheet ? render_sheet(&j)
                                  : render_picture(&j);
    wr_render_destroy(j.shaded);
    wr_render_destroy(j.wire);
    wr_model_destroy(j.ball);
    cli_asset_view_destroy(&j.shapes);
    wr_asset_destroy(j.asset);
    wri_array_destroy(&j.points);
    wri_arena_destroy(&j.arena);
    return status;
}
