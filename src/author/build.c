// build.c: from a recipe to an asset, stage after stage; and assets that were built before.
#include "build.h"

#include "../base/os.h"
#include "../file/model.h"

static const uint32_t COOKIE = 0xb0117d;

enum { FILE_BYTES = 1 << 30 };

wr_build_desc wr_build_desc_default(void)
{
    return (wr_build_desc){.allocator = *wr_allocator_default(), .cookie = COOKIE};
}

void wr_build_report_clear(wr_build_report *report)
{
    wri_free(NULL, report->examples, (size_t)report->example_count, sizeof *report->examples);
    *report = (wr_build_report){0};
}

bool wri_build_fail(wri_builder *b, const wri_json *at, const char *where, const wr_error *why)
{
    b->reader.where = where;
    return wri_fail_inner(&b->reader, at, why);
}

void wri_build_progress(wri_builder *b, const char *stage, double done)
{
    if (b->desc.progress.report) {
        b->desc.progress.report(b->desc.progress.user, stage, done);
    }
}

// --- building ---------------------------------------------------------------------------------

static char *keep_text(wr_asset *asset, const char *text)
{
    char *copy = wr_asset_alloc(asset, strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}

// Name, material and cuts are as the recipe says.
static bool copy_words(wri_builder *b)
{
    const wr_recipe *r = b->recipe;
    wr_asset *asset = b->asset;
    asset->name = keep_text(asset, r->raw.name);
    asset->material = r->material ? keep_text(asset, r->material) : NULL;
    asset->cuts = wr_asset_alloc(asset, (size_t)r->cut_count, sizeof *asset->cuts);
    if (!asset->name || (r->material && !asset->material) || !asset->cuts) {
        return wri_fail_memory(b->reader.error, 1);
    }
    if (r->cut_count > 0) {
        memcpy(asset->cuts, r->cuts, (size_t)r->cut_count * sizeof *asset->cuts);
    }
    asset->cut_count = r->cut_count;
    return true;
}

static bool build(wri_builder *b)
{
    int count = b->recipe->example_count;
    b->report->examples = wri_alloc(NULL, (size_t)count, sizeof *b->report->examples);
    if (!b->report->examples) {
        return wri_fail_memory(b->reader.error, (size_t)count * sizeof *b->report->examples);
    }
    b->report->example_count = count;
    wri_build_progress(b, "model", 0.0);
    return wri_build_model(b) && wri_build_simulation(b) && wri_build_examples(b) &&
           wri_build_maps(b) && copy_words(b) && wr_asset_check(b->asset, b->reader.error);
}

wr_asset *wr_recipe_build(const wr_recipe *recipe, const wr_build_desc *desc,
                          wr_build_report *report, wr_error *error)
{
    WR_ASSERT(desc->cookie == COOKIE); // start from wr_build_desc_default()
    wr_build_report own = {0};
    wri_builder b = {
        .recipe = recipe,
        .desc = *desc,
        .report = report ? report : &own,
        .reader = {.path = recipe->path, .where = "recipe", .error = error},
        .arena = wri_arena_create(&desc->allocator),
    };
    *b.report = (wr_build_report){0};
    bool ok = build(&b) && wr_recipe_find_hash(recipe, &b.asset->recipe_hash, error);
    for (int i = 0; ok && i < b.report->example_count; i++) { // the recipe lives longer
        b.report->examples[i].name = recipe->examples[i].raw.name;
    }
    wr_build_report_clear(&own);
    wr_skin_handles_destroy(b.joints);
    wr_handle_set_destroy(b.handles);
    wr_lattice_destroy(b.lattice);
    wr_model_destroy(b.source);
    wri_arena_destroy(&b.arena);
    if (!ok) {
        wr_asset_destroy(b.asset);
        return NULL;
    }
    return b.asset;
}

// --- the cache --------------------------------------------------------------------------------

static bool hash_file(const wr_recipe *recipe, wri_arena *arena, const char *name, uint64_t *hash,
                      wr_error *error)
{
    if (!name) {
        return true;
    }
    const char *path = wri_recipe_file(recipe, arena, name);
    size_t size;
    char *bytes = path ? wri_file_read(path, FILE_BYTES, NULL, &size, error) : NULL;
    if (!bytes) {
        return path ? false : wri_fail_memory(error, strlen(name));
    }
    *hash = wri_hash(bytes, size, *hash);
    wri_free(NULL, bytes, size + 1, 1);
    return true;
}

// Its bytes, and what is in the files beside it.
static bool hash_model(const wr_recipe *recipe, wri_arena *arena, const char *name, uint64_t *hash,
                       wr_error *error)
{
    if (!hash_file(recipe, arena, name, hash, error)) {
        return false;
    }
    if (!name || !wr_model_has_ending(name)) { // a picture has all in one file
        return true;
    }
    const wr_read_options options = wri_recipe_read_options(recipe);
    const char *path = wri_recipe_file(recipe, arena, name);
    wr_model *model = path ? wr_model_read(path, &options, error) : NULL;
    if (!model) {
        return false;
    }
    *hash = wri_model_hash(model, *hash);
    wr_model_destroy(model);
    return true;
}

static bool hash_files(const wr_recipe *r, wri_arena *arena, uint64_t *hash, wr_error *why)
{
    bool ok = hash_model(r, arena, r->raw.model, hash, why) &&
              hash_file(r, arena, r->simulation.mesh, hash, why) &&
              hash_file(r, arena, r->handles.graph, hash, why) &&
              hash_file(r, arena, r->handles.weights, hash, why);
    for (int i = 0; ok && i < r->example_count; i++) {
        ok = hash_model(r, arena, r->examples[i].raw.sculpt, hash, why) &&
             hash_file(r, arena, r->examples[i].recording.file, hash, why);
    }
    for (int i = 0; ok && i < WR_MAP_COUNT; i++) {
        ok = hash_file(r, arena, r->paint[i].raw.picture, hash, why);
    }
    return ok;
}

bool wr_recipe_find_hash(const wr_recipe *recipe, uint64_t *hash, wr_error *error)
{
    const char version[] = {WR_VERSION_MAJOR, WR_VERSION_MINOR, WR_VERSION_PATCH};
    wri_arena arena = wri_arena_create(NULL);
    wr_error why = {0};
    *hash = wri_hash(version, sizeof version, recipe->text_hash);
    bool ok = hash_files(recipe, &arena, hash, &why);
    *hash += *hash == 0; // 0 means unknown
    wri_arena_destroy(&arena);
    if (!ok) {
        wri_reader reader = {.path = recipe->path, .where = "recipe", .error = error};
        return wri_fail_inner(&reader, recipe->root, &why);
    }
    return true;
}

static const char *cache_path(wri_arena *arena, uint64_t hash)
{
    const char *folder = wri_cache_folder(arena);
    char *name = wri_arena_printf(arena, "%016llx.glb", (unsigned long long)hash);
    return folder && name && wri_folder_create(folder, NULL) ? wri_path_join(arena, folder, name)
                                                             : NULL;
}

wr_asset *wr_recipe_build_cached(const wr_recipe *recipe, const wr_build_desc *desc,
                                 wr_build_report *report, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    uint64_t hash;
    wr_asset *asset = NULL;
    if (wr_recipe_find_hash(recipe, &hash, error)) {
        const char *path = cache_path(&arena, hash);
        asset = path && wri_file_exists(path) ? wr_asset_read(path, &desc->allocator, NULL) : NULL;
        bool found = asset && asset->recipe_hash == hash;
        if (found && report) {
            *report = (wr_build_report){.from_cache = true};
        }
        if (!found) {
            wr_asset_destroy(asset);
            asset = wr_recipe_build(recipe, desc, report, error);
            if (asset && path) {
                (void)wr_asset_write(asset, path, NULL);
            }
        }
    }
    wri_arena_destroy(&arena);
    return asset;
}
