// export.c: takes and models become files of other programs.
#include "export.h"

#include "../file/names.h"

#include <math.h>

enum { COOKIE = 0x6578706f };

typedef struct kind {
    const char *ending;
    wr_export_kind kind;
    wri_export_fn *run;
} kind;

static const kind kinds[] = {{".glb", WR_EXPORT_GLB, wri_export_glb},
                             {".usda", WR_EXPORT_USD, wri_export_usd},
                             {".pc2", WR_EXPORT_CACHE, wri_export_cache},
                             {".mdd", WR_EXPORT_CACHE, wri_export_cache},
                             {".png", WR_EXPORT_SPRITES, wri_export_sprites},
                             {".obj", WR_EXPORT_SEQUENCE, wri_export_sequence},
                             {".ply", WR_EXPORT_SEQUENCE, wri_export_sequence}};

wr_export_desc wr_export_desc_default(void)
{
    return (wr_export_desc){
        .to = 1e9, .cell = 128, .every = 1, .tolerance = -1.0f, .cookie = COOKIE};
}

static const kind *find_kind(const char *path)
{
    for (int i = 0; i < WRI_COUNT(kinds); i++) {
        if (wri_has_ending(path, kinds[i].ending) && strlen(path) > strlen(kinds[i].ending)) {
            return &kinds[i];
        }
    }
    return NULL;
}

wr_export_kind wr_export_kind_of(const char *path)
{
    const kind *found = find_kind(path);
    return found ? found->kind : WR_EXPORT_UNKNOWN;
}

// --- takes ------------------------------------------------------------------------------------

bool wri_export_cancel(const wri_export *e)
{
    return wri_fail(e->error, WR_E_CANCELLED, "interrupted; nothing was written");
}

static bool check_desc(const wr_export_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_export_desc, desc, COOKIE)) {
        return false;
    }
    if (desc->cell < 16 || desc->cell > 4096 || desc->every < 1) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "cell is %d and every is %d, expected 16 to 4096 and at least 1",
                        desc->cell, desc->every);
    }
    if (desc->shapes < 0 || desc->shapes > 256) {
        return wri_fail(error, WR_E_ARGUMENT, "shapes is %d, expected 0 to 256", desc->shapes);
    }
    if (!(desc->tolerance <= 0.1f)) {
        return wri_fail(error, WR_E_ARGUMENT, "tolerance is %s, expected at most 0.1",
                        WRI_NUMBER(desc->tolerance, 6));
    }
    return true;
}

// What the description leaves to the kind of file. Programs that play a .glb keep every target in
// memory; what a .usda costs is the places at which vertices go, as text.
static wr_export_desc complete(const wr_export_desc *desc, wr_export_kind file)
{
    bool usd = file == WR_EXPORT_USD;
    wr_export_desc whole = *desc;
    whole.shapes = desc->shapes > 0 ? desc->shapes : usd ? 64 : 32;
    whole.tolerance = desc->tolerance >= 0.0f ? desc->tolerance : usd ? 3e-3f : 1e-3f;
    return whole;
}

// Counts the bodies of which there is a model, a surface or particles.
static int count_bodies(const wri_export *e)
{
    int count = e->body_count;
    for (int i = 0; i < e->film_count; i++) {
        bool known = false;
        for (int b = 0; b < e->body_count; b++) {
            known = known || e->bodies[b].number == e->films[i].number;
        }
        for (int k = 0; k < i; k++) {
            known = known || e->films[k].number == e->films[i].number;
        }
        count += !known;
    }
    return count;
}

static bool run_export(wri_export *e, const kind *found)
{
    const wr_export_desc *desc = e->desc;
    if (!wri_take_check_frames(e->take, e->error)) {
        return false;
    }
    e->schedule = wr_take_plan(e->take, desc->fps, desc->from, desc->to, INFINITY);
    if (e->schedule.count == 0) {
        return wri_fail(e->error, WR_E_ARGUMENT, "%s: there is nothing between %s s and %s s",
                        e->take->name, WRI_NUMBER(desc->from, 6), WRI_NUMBER(desc->to, 6));
    }
    if (!wri_export_scan(e) || !wri_export_build_model(e)) {
        return false;
    }
    bool ok = found->run(e);
    e->report.bodies = count_bodies(e);
    return ok;
}

bool wr_take_export(wr_take *take, const char *path, const wr_export_desc *desc,
                    wr_export_report *report, wr_error *error)
{
    if (!WRI_REQUIRE(error, take, path)) {
        return false;
    }
    const kind *found = find_kind(path);
    if (!check_desc(desc, error)) {
        return false;
    }
    if (!found) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "%s: unknown kind of file, expected .glb, .usda, .pc2, .mdd, .png, .obj or "
                        ".ply",
                        path);
    }
    bool sequence = found->kind == WR_EXPORT_SEQUENCE; // which creates its folder
    if (sequence && !strchr(wri_path_name(path), '#')) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "%s: a recording becomes a file per frame, such as take.####%s", path,
                        found->ending);
    }
    if (!sequence && !wri_folder_check(path, error)) {
        return false;
    }
    const wr_export_desc whole = complete(desc, found->kind);
    wri_export e = {.take = take,
                    .path = path,
                    .desc = &whole,
                    .arena = wri_arena_create(NULL),
                    .info = take->info,
                    .error = error};
    bool ok = run_export(&e, found);
    if (report) {
        *report = e.report;
    }
    for (int i = 0; i < e.film_count; i++) {
        wri_array_destroy(&e.films[i].tints);
    }
    wr_model_destroy(e.model);
    wri_arena_destroy(&e.arena);
    return ok;
}

// --- models -----------------------------------------------------------------------------------

bool wr_model_export(const wr_model *model, const char *path, const wr_export_desc *desc,
                     wr_error *error)
{
    if (!WRI_REQUIRE(error, model, path, desc)) {
        return false;
    }
    bool replace = desc->replace;
    if (!WRI_REQUIRE_DESC(error, wr_export_desc, desc, COOKIE)) {
        return false;
    }
    if (wri_has_ending(path, ".glb")) {
        return desc->compress ? wr_model_write_glb_compressed(model, path, NULL, error)
                              : wr_model_write_glb(model, path, error);
    }
    if (wri_has_ending(path, ".usda")) {
        return wri_check_looks(model, path, NULL, replace, error) &&
               wr_model_write_usda(model, NULL, path, error);
    }
    if (wri_has_ending(path, ".obj")) {
        return wri_check_obj(model, path, replace, error) &&
               wr_model_write_obj(model, NULL, path, error);
    }
    if (wri_has_ending(path, ".ply")) {
        return wr_model_write_ply(model, desc->text, path, error);
    }
    return wri_fail(error, WR_E_ARGUMENT,
                    "%s: unknown kind of file for a model, expected .glb, .usda, .obj or .ply",
                    path);
}
