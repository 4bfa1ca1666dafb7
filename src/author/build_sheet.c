// build_sheet.c: a sprite sheet: its first cell is the drawing, every other one an example.
#include "build.h"

#include "../base/os.h"
#include "registration.h"

#include <math.h>

// Thresholds from which on an artist should look at a cell.
#define POOR_OVERLAP 0.85
#define POOR_OUTLINE 0.02 // share of the canvas's larger side, at least two pixels
#define POOR_COLOR 0.12

// --- cells ------------------------------------------------------------------------------------

const char *wri_sheet_picture(const wr_recipe *recipe, wri_arena *arena, const wri_sheet *sheet)
{
    if (recipe->sheet.image || !sheet->image) {
        return recipe->sheet.image;
    }
    const char *folder = wri_path_folder(arena, recipe->sheet.data);
    return folder ? wri_path_join(arena, folder, sheet->image) : NULL;
}

static bool read_cells(wri_builder *b, wr_error *why)
{
    const raw_sheet *raw = &b->recipe->sheet;
    if (raw->data) {
        const char *path = wri_recipe_file(b->recipe, &b->arena, raw->data);
        if (!path || !wri_sheet_read(&b->arena, path, &b->sheet, why)) {
            return path ? false : wri_fail_memory(why, 1);
        }
    }
    const char *name = raw->data ? wri_sheet_picture(b->recipe, &b->arena, &b->sheet) : raw->image;
    const char *path = name ? wri_recipe_file(b->recipe, &b->arena, name) : NULL;
    if (!path) {
        return wri_fail(why, WR_E_FORMAT,
                        "%s names no picture, expected \"image\" here to say which", raw->data);
    }
    wr_image *picture = &b->sheet_picture;
    if (!wri_read_picture(&b->arena, path, &b->pixels_left, picture, why)) {
        return false;
    }
    picture->name = name;
    return raw->data ? wri_sheet_check(&b->sheet, picture, why)
                     : wri_sheet_from_grid(&b->arena, picture, raw->grid[0], raw->grid[1],
                                           &b->sheet, why);
}

static uint8_t *cut(const wri_builder *b, wri_arena *arena, int cell, wr_error *why)
{
    size_t bytes = 4 * (size_t)b->sheet.width * (size_t)b->sheet.height;
    uint8_t *pixels = wri_arena_alloc(arena, bytes, 1);
    if (!pixels) {
        wri_fail_memory(why, bytes);
        return NULL;
    }
    wri_sheet_cut(&b->sheet, &b->sheet_picture, cell, pixels);
    return pixels;
}

bool wri_build_sheet(wri_builder *b, wri_drawing_layer *layer, wr_error *why)
{
    if (!read_cells(b, why) || !wri_sheet_drop_empty(&b->sheet, &b->sheet_picture, why) ||
        !wri_sheet_begin_with(&b->arena, &b->sheet, b->recipe->sheet.cell, why)) {
        return false;
    }
    // Trimmed cells may take much more room than their sheet does.
    int64_t pixels = (int64_t)b->sheet.width * b->sheet.height;
    if (pixels > WRI_DRAWING_PIXELS || pixels * b->sheet.cell_count > 4ll * WRI_DRAWING_PIXELS) {
        return wri_fail(why, WR_E_UNSUPPORTED,
                        "%d cells of %d x %d pixels, expected at most %lld pixels together",
                        b->sheet.cell_count, b->sheet.width, b->sheet.height,
                        4ll * WRI_DRAWING_PIXELS);
    }
    layer->image = (wr_image){b->sheet_picture.name, b->sheet.width, b->sheet.height,
                              cut(b, &b->arena, 0, why)};
    return layer->image.pixels != NULL;
}

// --- examples ---------------------------------------------------------------------------------

typedef struct job {
    wri_builder *b;
    wri_registrar *registrar;
    wri_place2 *rest, *x, *last; // pixels
    wr_vec3 *targets;
    uint8_t *fixed;
    wr_error *why;
} job;

static bool is_poor(const wri_builder *b, const wr_example_report *report)
{
    int side = b->canvas[0] > b->canvas[1] ? b->canvas[0] : b->canvas[1];
    return report->overlap < POOR_OVERLAP || report->color > POOR_COLOR ||
           report->outline > fmax(2.0, POOR_OUTLINE * side);
}

static bool find_cell(job *j, int cell, wr_example_report *report)
{
    wri_arena arena = wri_arena_create(&j->b->desc.allocator);
    const char *name = j->b->sheet.cells[cell].name;
    wri_registration found = {0};
    wr_error why = {0};
    wr_image image = {name, j->b->sheet.width, j->b->sheet.height, cut(j->b, &arena, cell, &why)};
    bool ok = image.pixels &&
              wri_registrar_find(j->registrar, &image,
                                 cell > 1 ? (const wri_place2 *)j->last : NULL, j->x, &found, &why);
    wri_arena_destroy(&arena);
    if (!ok) {
        return wri_fail(j->why, why.code, "%s: cell %d: %s", j->b->sheet_picture.name,
                        j->b->sheet.cells[cell].number, why.message);
    }
    report->is_registered = true;
    report->overlap = found.overlap;
    report->outline = found.outline;
    report->farthest = found.farthest;
    report->color = found.color;
    report->is_poor = is_poor(j->b, report);
    return true;
}

// Handles go where their vertices went, then the rest is fitted.
static bool build_cell(job *j, int cell)
{
    wri_builder *b = j->b;
    wr_rig *rig = &b->asset->rig;
    wr_example *out = &rig->examples[cell];
    wr_example_report *report = &b->report->examples[cell - 1];
    const char *name = b->sheet.cells[cell].name;
    char *copy = wr_asset_alloc(b->asset, strlen(name) + 1, 1);
    out->poses = wr_asset_alloc(b->asset, (size_t)rig->handle_count, sizeof *out->poses);
    if (!copy || !out->poses) {
        return wri_fail_memory(j->why, strlen(name));
    }
    out->name = strcpy(copy, name);
    if (!find_cell(j, cell, report)) {
        return false;
    }
    double unit = b->recipe->simulation.pixel;
    for (int v = 0; v < rig->vertex_count; v++) {
        j->targets[v] = wr_v3((float)(j->x[v][0] * unit), (float)(j->x[v][1] * unit), 0.0f);
    }
    memcpy(j->last, j->x, (size_t)rig->vertex_count * sizeof *j->x);
    wr_poses_from_vertices(rig, j->targets, out->poses, j->fixed);
    wr_fit_desc desc = wr_fit_desc_default();
    desc.targets = j->targets;
    desc.at_vertices = true;
    desc.poses = out->poses;
    desc.fixed = j->fixed;
    return wri_build_fit(b, &desc, out, report, j->why);
}

static bool create(job *j)
{
    wri_builder *b = j->b;
    const wr_rig *rig = &b->asset->rig;
    size_t n = (size_t)rig->vertex_count;
    j->rest = wri_arena_alloc(&b->arena, n, sizeof *j->rest);
    j->x = wri_arena_alloc(&b->arena, n, sizeof *j->x);
    j->last = wri_arena_alloc(&b->arena, n, sizeof *j->last);
    j->targets = wri_arena_alloc(&b->arena, n, sizeof *j->targets);
    j->fixed = wri_arena_alloc(&b->arena, (size_t)rig->handle_count, 1);
    if (!j->rest || !j->x || !j->last || !j->targets || !j->fixed) {
        return wri_fail_memory(j->why, n * sizeof *j->x);
    }
    for (size_t v = 0; v < n; v++) {
        j->rest[v][0] = (double)rig->rest[v].x / b->recipe->simulation.pixel;
        j->rest[v][1] = (double)rig->rest[v].y / b->recipe->simulation.pixel;
    }
    wri_registrar_desc desc = {.picture = &b->layers[0].image,
                               .vertex_count = rig->vertex_count,
                               .rest = (const wri_place2 *)j->rest,
                               .element_count = rig->element_count,
                               .elements = rig->elements,
                               .allocator = &b->desc.allocator};
    j->registrar = wri_registrar_create(&desc, j->why);
    return j->registrar != NULL;
}

bool wri_build_cells(wri_builder *b, wr_error *why)
{
    job j = {.b = b, .why = why};
    bool ok = b->sheet.cell_count == 1 || create(&j);
    for (int i = 1; ok && i < b->sheet.cell_count; i++) {
        wri_build_progress(b, b->sheet.cells[i].name, 0.75 + 0.2 * i / b->sheet.cell_count);
        ok = build_cell(&j, i);
    }
    wri_registrar_destroy(j.registrar);
    return ok;
}
