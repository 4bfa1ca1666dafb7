// asset_sheet.c: all examples or handles of an asset on one sheet.
#include "asset_view.h"

#include "../file/png.h"
#include "../render/canvas.h"
#include "../render/palette.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

enum {
    COOKIE = 0x61737368,
    HEAD = 30,       // rows of pixels above the cells
    STRIP = 40,      // below each picture: two lines of text
    GAP = 6,         // between cells
    LEAST = 132,     // side of a square picture by default
    MOST = 360,      //
    AREA = 700000,   // pixels of all pictures by default
    BYTES = 200000,  // of the file by default
    WIDE = 1600,     // pixels; where a sheet begins a new row by default
    SIDE = 16384,    // pixels of a sheet, at most
    LEAST_SIDE = 16, // pixels of a picture
};

static const char BEHIND[] = "behind"; // seen from there

static const wri_ink PAPER = {250, 250, 251}, DARK = {28, 30, 34}, GREY = {104, 108, 116};

typedef struct cell {
    wri_asset_cell shown; // an example of -1: nothing
    char note[96];
} cell;

typedef struct sheet {
    wr_asset_view *view;
    const wr_asset_sheet_desc *desc;
    wri_arena arena;
    cell *cells;
    int count, columns, rows; // cells are placed row by row
    uint8_t *picture;         // of one cell
    uint8_t *pixels;
    int width, height;
    wr_error *error;
} sheet;

wr_asset_sheet_desc wr_asset_sheet_desc_default(void)
{
    return (wr_asset_sheet_desc){.cookie = COOKIE};
}

// --- which cells ------------------------------------------------------------------------------

static bool alloc_cells(sheet *s)
{
    s->count = s->columns * s->rows;
    s->cells = wri_arena_alloc(&s->arena, (size_t)s->count, sizeof *s->cells);
    return s->cells || wri_fail_memory(s->error, (size_t)s->count * sizeof *s->cells);
}

// Columns: rest, then the examples; rows: all of the way, half of it. Below the rest shape, where
// half of the way is the same, stands the simulation mesh. Many examples take several such bands.
static bool plan_examples(sheet *s, int widest)
{
    int examples = s->view->asset->rig.example_count;
    int bands = (examples + widest - 1) / widest;
    s->columns = (examples + bands - 1) / bands;
    s->rows = 2 * bands;
    if (!alloc_cells(s)) {
        return false;
    }
    for (int i = 0; i < s->count; i++) {
        int row = i / s->columns, example = row / 2 * s->columns + i % s->columns;
        bool is_mesh = example == 0 && row % 2;
        example = example < examples ? example : -1; // nothing there
        s->cells[i].shown = (wri_asset_cell){.pose = {example, row % 2 ? 0.5f : 1.0f, -1},
                                             .style = is_mesh ? WR_ASSET_WIRE : s->view->style};
    }
    return true;
}

static bool plan_handles(sheet *s, int widest)
{
    const wr_rig *rig = &s->view->asset->rig;
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
    if (!alloc_cells(s)) {
        return false;
    }
    wr_vec3 middle = wr_box_center(wr_mesh_bounds(s->view->asset->model->meshes));
    const wr_vec3 front = {sinf(wri_asset_turn), 0.0f, cosf(wri_asset_turn)};
    for (int i = 0; i < s->count; i++) {
        bool is_there = i < rig->handle_count;
        wri_asset_cell *shown = &s->cells[i].shown;
        *shown = (wri_asset_cell){.pose = {is_there ? 0 : -1, 1.0f, i}, .style = WR_ASSET_WEIGHTS};
        if (is_there && rig->dimension == 3) {
            shown->behind = wr_dot(wr_sub(rig->handles[i].pivot, middle), front) < 0.0f;
        }
    }
    return true;
}

static bool gather_points(sheet *s)
{
    wri_asset_view_clear(s->view);
    for (int i = 0; i < s->count; i++) {
        const wri_asset_cell *shown = &s->cells[i].shown;
        bool again = i > 0 && shown->style == WR_ASSET_WEIGHTS; // handles: all of one shape
        if (shown->pose.example >= 0 && !again && !wri_asset_view_add(s->view, shown, s->error)) {
            return false;
        }
    }
    return true;
}

// --- how large --------------------------------------------------------------------------------

// Width to height of what the camera sees, with room for its shadow.
static double find_aspect(sheet *s)
{
    wr_asset_view *view = s->view;
    wri_asset_view_resize(view, 1000, 1000);
    wri_asset_view_aim(view, false);
    float left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    for (int i = 0; i < view->points.count; i++) {
        wr_vec2 at;
        float depth;
        if (wr_camera_project(&view->camera, view->width, view->height,
                              WRI_ITEM(view->points, wr_vec3, i), &at, &depth)) {
            left = fminf(left, at.x);
            right = fmaxf(right, at.x);
            top = fminf(top, at.y);
            bottom = fmaxf(bottom, at.y);
        }
    }
    double aspect = right > left && bottom > top ? (double)((right - left) / (bottom - top)) : 1.0;
    return fmin(fmax(aspect + 0.15, 0.75), 1.7);
}

// Chooses a size that was not given: pictures have the shape of the asset and share an area that
// keeps the file small.
static void choose_size(sheet *s)
{
    int width = s->desc->width, height = s->desc->height;
    if (width == 0) {
        double aspect = find_aspect(s), area = (double)AREA / s->count;
        area = fmin(fmax(area, LEAST * LEAST), MOST * MOST);
        width = (int)sqrt(area * aspect);
        height = (int)(width / aspect);
    }
    wri_asset_view_resize(s->view, width, height);
}

// --- drawing ----------------------------------------------------------------------------------

static const char *title_of(const sheet *s, const wri_asset_cell *c)
{
    const wr_rig *rig = &s->view->asset->rig;
    return c->style == WR_ASSET_WEIGHTS && c->pose.handle >= 0 ? rig->handles[c->pose.handle].name
           : c->style == WR_ASSET_WIRE && s->view->style != WR_ASSET_WIRE
               ? "simulation mesh"
               : rig->examples[c->pose.example].name;
}

static void write_note(sheet *s, cell *c)
{
    const wr_rig *rig = &s->view->asset->rig;
    const wri_asset_cell *shown = &c->shown;
    size_t handle = (size_t)shown->pose.handle;
    char length[32];
    if (shown->style == WR_ASSET_WEIGHTS && shown->pose.handle >= 0) {
        double sum = 0.0;
        for (int i = 0; i < rig->vertex_count; i++) {
            sum += (double)rig->weights[(size_t)i * (size_t)rig->handle_count + handle];
        }
        char place[64];
        wr_box box = wr_mesh_bounds(s->view->asset->model->meshes);
        wri_place_text(place, sizeof place, rig->handles[handle].pivot,
                       wr_length(wr_box_size(box)));
        snprintf(c->note, sizeof c->note, "%s, %s %%", place,
                 WRI_NUMBER(100.0 * sum / rig->vertex_count, 2));
    } else if (shown->style == WR_ASSET_WIRE && s->view->style != WR_ASSET_WIRE) {
        snprintf(c->note, sizeof c->note, "%d %s", rig->vertex_count,
                 wri_plural(rig->vertex_count, "vertex", "vertices"));
    } else if (shown->pose.example == 0) {
        snprintf(c->note, sizeof c->note, "as it was %s",
                 rig->dimension == 2 ? "drawn" : "modelled");
    } else {
        snprintf(c->note, sizeof c->note, "%s %s", shown->pose.share < 1.0f ? "half way:" : "moves",
                 wri_length_text(length, s->view->shape.largest_move));
    }
}

static void place_cell(const sheet *s, int i)
{
    const wr_asset_view *view = s->view;
    const cell *c = &s->cells[i];
    wri_canvas canvas = {s->pixels, s->width, s->height};
    int x = GAP + i % s->columns * (view->width + GAP);
    int y = HEAD + i / s->columns * (view->height + STRIP);
    char text[256];
    wri_canvas_place(&canvas, x, y, s->picture, view->width, view->height);
    int under = y + view->height + WRI_TEXT_LINE;
    int left = x + 1;
    if (view->style == WR_ASSET_EXAMPLES && c->shown.style == WR_ASSET_EXAMPLES) { // as a legend
        wr_color color = wr_example_color(c->shown.pose.example, view->asset->rig.example_count);
        wri_canvas_fill(&canvas, x, under - WRI_TEXT_CAPITAL, WRI_TEXT_CAPITAL + 1,
                        WRI_TEXT_CAPITAL + 1, wri_ink_from_color(color));
        left += WRI_TEXT_CAPITAL + 6;
    }
    int room = x + view->width - left, width = wri_text_width(BEHIND, 1);
    if (c->shown.behind && room > 2 * width) {
        room -= width + 6;
        wri_canvas_text(&canvas, x + view->width - width, under, 1, GREY, BEHIND);
    }
    wri_canvas_text(&canvas, left, under, 1, DARK,
                    wri_text_fit(title_of(s, &c->shown), 1, room, text, sizeof text));
    wri_canvas_text(&canvas, left, under + WRI_TEXT_LINE, 1, GREY,
                    wri_text_fit(c->note, 1, x + view->width - left, text, sizeof text));
}

static bool alloc_pixels(sheet *s)
{
    const wr_asset_view *view = s->view;
    int64_t width = (int64_t)s->columns * (view->width + GAP) + GAP;
    int64_t height = (int64_t)s->rows * (view->height + STRIP) + HEAD;
    if (width > SIDE || height > SIDE) {
        return wri_fail(s->error, WR_E_LIMIT,
                        "a sheet of %d x %d pictures would have more than %d pixels a side",
                        s->columns, s->rows, SIDE);
    }
    s->width = (int)width;
    s->height = (int)height;
    s->picture = wri_arena_alloc(&s->arena, (size_t)view->width * (size_t)view->height, 3);
    s->pixels = wri_arena_alloc(&s->arena, (size_t)(width * height), 3);
    return (s->picture && s->pixels) || wri_fail_memory(s->error, (size_t)(width * height) * 3);
}

static void write_head(const sheet *s)
{
    const wr_asset *asset = s->view->asset;
    const wr_rig *rig = &asset->rig;
    wri_canvas canvas = {s->pixels, s->width, s->height};
    wri_canvas_fill(&canvas, 0, 0, s->width, s->height, PAPER);
    char text[256], about[160];
    snprintf(about, sizeof about, "%d %s, %d %s", rig->handle_count,
             wri_plural(rig->handle_count, "handle", "handles"), rig->example_count - 1,
             wri_plural(rig->example_count - 1, "example", "examples"));
    int x = wri_canvas_text(&canvas, GAP + 1, HEAD - 10, 1, DARK,
                            wri_text_fit(asset->name, 1, s->width / 2, text, sizeof text));
    wri_canvas_text(&canvas, x + 10, HEAD - 10, 1, GREY,
                    wri_text_fit(about, 1, s->width - x - 10 - GAP, text, sizeof text));
}

static bool draw_cells(sheet *s)
{
    const wr_watch *watch = &s->desc->watch;
    bool go_on = true;
    for (int i = 0; i < s->count && go_on; i++) {
        cell *c = &s->cells[i];
        go_on = wri_watch(watch, WR_WATCH_PICTURES, i, s->count);
        if (!go_on || c->shown.pose.example < 0) {
            continue;
        }
        if (!wri_asset_view_draw_cell(s->view, &c->shown, s->picture, s->error)) {
            return false;
        }
        write_note(s, c);
        place_cell(s, i);
    }
    go_on = go_on && wri_watch(watch, WR_WATCH_PICTURES, s->count, s->count);
    return go_on || wri_fail(s->error, WR_E_CANCELLED, "interrupted; no sheet was written");
}

// --- the file ---------------------------------------------------------------------------------

// Encodes with as many colours as the file has room for, when its size is ours to choose.
static bool encode(sheet *s, const uint8_t **bytes, size_t *size)
{
    static const int tries[][2] = {{256, 4}, {160, 3}, {96, 2}, {64, 0}, {32, 0}};
    uint8_t *indices = wri_arena_alloc(&s->arena, (size_t)s->width * (size_t)s->height, 1);
    uint8_t palette[WRI_PALETTE_MAX][3];
    if (!indices) {
        return wri_fail_memory(s->error, (size_t)s->width * (size_t)s->height);
    }
    for (int i = 0; i < WRI_COUNT(tries); i++) {
        wri_png_picture picture = {indices, s->width, s->height, 1, (const uint8_t(*)[3])palette};
        if (!wri_palette_find(s->pixels, s->width, s->height, tries[i][0], tries[i][1], indices,
                              palette, &picture.palette_count, s->error) ||
            !wri_png_encode(&s->arena, &picture, bytes, size, s->error)) {
            return false;
        }
        if (*size <= BYTES || s->desc->width) {
            break;
        }
    }
    return true;
}

static bool write_sheet(sheet *s, const char *path)
{
    const uint8_t *bytes;
    size_t size;
    if (!encode(s, &bytes, &size) || !wri_file_write(path, bytes, size, s->error)) {
        return false;
    }
    for (int i = 0; i < s->count; i++) {
        const cell *c = &s->cells[i];
        if (c->shown.pose.example >= 0) {
            wri_show_say(&s->desc->log, "%s: %s", title_of(s, &c->shown), c->note);
        }
    }
    return true;
}

static bool make_sheet(sheet *s, const char *path)
{
    bool weights = s->view->style == WR_ASSET_WEIGHTS;
    int widest = WIDE / (s->desc->width ? s->desc->width : 2 * LEAST);
    widest = widest < 2 ? 2 : widest;
    if (!(weights ? plan_handles(s, widest) : plan_examples(s, widest)) || !gather_points(s)) {
        return false;
    }
    choose_size(s);
    if (!alloc_pixels(s)) {
        return false;
    }
    write_head(s);
    return draw_cells(s) && write_sheet(s, path);
}

bool wr_asset_view_write_sheet(wr_asset_view *view, const char *path,
                               const wr_asset_sheet_desc *desc, int *width, int *height,
                               wr_error *error)
{
    if (!WRI_REQUIRE(error, view, path)) {
        return false;
    }
    if (!WRI_REQUIRE_DESC(error, wr_asset_sheet_desc, desc, COOKIE)) {
        return false;
    }
    sheet s = {.view = view, .desc = desc, .arena = wri_arena_create(NULL), .error = error};
    if (view->style == WR_ASSET_WEIGHTS && view->asset->rig.handle_count < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "%s: has no handles", view->asset->name);
    }
    if (desc->width && (desc->width < LEAST_SIDE || desc->height < LEAST_SIDE)) {
        return wri_fail(error, WR_E_ARGUMENT, "pictures of %d x %d pixels, expected at least %d",
                        desc->width, desc->height, LEAST_SIDE);
    }
    bool ok = make_sheet(&s, path);
    wri_arena_destroy(&s.arena);
    if (width && height) {
        *width = s.width;
        *height = s.height;
    }
    return ok;
}
