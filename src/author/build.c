// build.c: from a recipe to an asset, stage after stage; and assets that were built before.
#include "build.h"

#include "../base/cache.h"
#include "../base/os.h"
#include "../file/model.h"
#include "../record/record.h"

static const uint32_t COOKIE = 0xb0117d;

enum { FILE_BYTES = 1 << 30, SUM_BYTES = 1 << 20 };

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

static void pass_progress(void *user, const char *stage, double done)
{
    wri_stage_progress *p = user;
    p->b->desc.progress.report(p->b->desc.progress.user, stage, p->from + done * (p->to - p->from));
}

wr_progress wri_part_of_progress(wri_stage_progress *p)
{
    return p->b->desc.progress.report ? (wr_progress){pass_progress, p} : (wr_progress){0};
}

// --- building ---------------------------------------------------------------------------------

static char *keep_text(wr_asset *asset, const char *text)
{
    char *copy = wr_asset_alloc(asset, strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}

// Name and material are as the recipe says. The model is called like the asset, as one that was
// read from a file is: a recording that embeds it must not depend on whether it was in the cache.
static bool copy_words(wri_builder *b)
{
    const wr_recipe *r = b->recipe;
    wr_asset *asset = b->asset;
    asset->name = keep_text(asset, r->raw.name);
    asset->material = r->material ? keep_text(asset, r->material) : NULL;
    asset->model->name = asset->model->meshes[0].name = asset->model->nodes[0].name = asset->name;
    return (asset->name && (!r->material || asset->material)) ||
           wri_fail_memory(b->reader.error, 1);
}

double wri_build_seconds(int vertices, int handles, int workers)
{
    double alone = pow((double)vertices, 1.3) * (1e-5 + 2e-7 * (double)handles);
    return alone / (double)(workers < 1 ? 1 : workers > 4 ? 4 : workers);
}

void wri_build_tell_duration(wri_builder *b, int vertices, int handles)
{
    double seconds = wri_build_seconds(vertices, handles, b->desc.tasks.worker_count);
    if (b->is_long || seconds < 60.0 || !b->desc.log.write) {
        return;
    }
    char text[512];
    snprintf(text, sizeof text,
             "%.300s: a simulation mesh of %d vertices with %d %s takes about %.0f min to build",
             b->recipe->path, vertices, handles, wri_plural(handles, "handle", "handles"),
             ceil(seconds / 60.0));
    b->desc.log.write(b->desc.log.user, text);
    b->is_long = true;
}

static bool build(wri_builder *b)
{
    wr_recipe_info info = wr_recipe_describe(b->recipe);
    if (info.vertices > 0 && info.layer_count == 0) {
        wri_build_tell_duration(b, info.vertices, info.placed + info.automatic);
    }
    wri_build_progress(b, "model", 0.0);
    if (!wri_build_model(b)) {
        return false;
    }
    int cells = b->sheet.cells ? b->sheet.cell_count - 1 : 0;
    int count = cells + b->recipe->example_count;
    if (count >= WR_SKIN_EXAMPLES_MAX) {
        return wri_fail(b->reader.error, WR_E_FORMAT,
                        "%s: has %d examples, %d of them cells of its sheet, expected at most %d",
                        b->recipe->path, count, cells, WR_SKIN_EXAMPLES_MAX - 1);
    }
    b->report->examples = wri_alloc(NULL, (size_t)count, sizeof *b->report->examples);
    if (!b->report->examples) {
        return wri_fail_memory(b->reader.error, (size_t)count * sizeof *b->report->examples);
    }
    b->report->example_count = count;
    return wri_build_simulation(b) && wri_build_examples(b) && wri_build_clips(b) &&
           wri_build_maps(b) && wri_build_morph(b) && wri_build_cuts(b) && copy_words(b) &&
           wr_asset_check(b->asset, b->reader.error);
}

static wr_asset *build_with(const wr_recipe *recipe, const wr_build_desc *desc,
                            const wri_memo *memo, wr_build_report *report, wr_error *error)
{
    wr_build_report own = {0};
    wri_builder b = {
        .recipe = recipe,
        .desc = *desc,
        .report = report ? report : &own,
        .reader = {.path = recipe->path, .where = "recipe", .error = error},
        .arena = wri_arena_create(&desc->allocator),
        .memo = *memo,
    };
    *b.report = (wr_build_report){0};
    bool ok = build(&b) && wr_recipe_find_hash(recipe, &b.asset->recipe_hash, error);
    wr_build_report_clear(&own);
    wr_skin_handles_destroy(b.joints);
    wr_handle_set_destroy(b.handles);
    for (int i = 0; i < b.layer_count; i++) {
        wr_handle_set_destroy(b.layers[i].handles);
    }
    wr_lattice_destroy(b.lattice);
    for (int i = 0; b.finer && i < b.source->mesh_count; i++) {
        wr_model_destroy(b.finer[i]);
    }
    wr_model_destroy(b.source);
    wri_arena_destroy(&b.arena);
    if (!ok) {
        wr_asset_destroy(b.asset);
        return NULL;
    }
    return b.asset;
}

wr_asset *wr_recipe_build(const wr_recipe *recipe, const wr_build_desc *desc,
                          wr_build_report *report, wr_error *error)
{
    if (!WRI_REQUIRE(error, recipe) || !WRI_REQUIRE_DESC(error, wr_build_desc, desc, COOKIE)) {
        return NULL;
    }
    const wri_memo nothing = {0};
    return build_with(recipe, desc, &nothing, report, error);
}

// --- the cache --------------------------------------------------------------------------------

// Hashes a file, when there is one. A recording may be named by its folder.
static bool hash_file(const wr_recipe *recipe, wri_arena *arena, const char *name, void *user,
                      wr_error *error)
{
    uint64_t *hash = user;
    if (!name) {
        return true;
    }
    const char *path = wri_recipe_file(recipe, arena, name);
    path = path ? wri_record_path(arena, path) : NULL;
    size_t size;
    char *bytes = path ? wri_file_read(path, FILE_BYTES, NULL, &size, error) : NULL;
    if (!bytes) {
        return path ? false : wri_fail_memory(error, strlen(name));
    }
    *hash = wri_hash(bytes, size, *hash);
    wri_free(NULL, bytes, size + 1, 1);
    return true;
}

// Hashes the bytes of a model and what is in the files beside it.
static bool hash_model(const wr_recipe *recipe, wri_arena *arena, const char *name, void *user,
                       wr_error *error)
{
    uint64_t *hash = user;
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

typedef bool file_fn(const wr_recipe *recipe, wri_arena *arena, const char *name, void *user,
                     wr_error *error);

// Every file that a recipe names, models with what lies beside them.
static bool visit_files(const wr_recipe *r, wri_arena *arena, file_fn *model, file_fn *other,
                        void *user, wr_error *error)
{
    bool ok = model(r, arena, r->raw.model, user, error) &&
              other(r, arena, r->simulation.mesh, user, error) &&
              other(r, arena, r->handles.graph, user, error) &&
              other(r, arena, r->handles.weights, user, error);
    if (ok && r->raw.sheet) {
        wri_sheet sheet = {0};
        const char *data = r->sheet.data ? wri_recipe_file(r, arena, r->sheet.data) : NULL;
        bool known = data && wri_sheet_read(arena, data, &sheet, NULL);
        ok = other(r, arena, r->sheet.data, user, error) &&
             other(r, arena, known ? wri_sheet_picture(r, arena, &sheet) : r->sheet.image, user,
                   error);
    }
    for (int i = 0; ok && i < r->layer_count; i++) {
        ok = other(r, arena, r->layers[i].raw.image, user, error);
    }
    for (int i = 0; ok && i < r->example_count; i++) {
        const wri_recipe_example *example = &r->examples[i];
        ok = model(r, arena, example->raw.sculpt, user, error) &&
             model(r, arena, example->crush.tool, user, error) &&
             other(r, arena, example->recording.file, user, error) &&
             other(r, arena, example->recording.scene, user, error) &&
             other(r, arena, example->simulated, user, error);
    }
    for (int i = 0; ok && i < WR_MAP_COUNT; i++) {
        ok = other(r, arena, r->paint[i].raw.picture, user, error);
    }
    for (int i = 0; ok && i < r->target_count; i++) {
        ok = other(r, arena, r->targets[i].paint.raw.picture, user, error);
    }
    ok = ok && other(r, arena, r->morph_paint.raw.picture, user, error);
    return ok;
}

bool wr_recipe_find_hash(const wr_recipe *recipe, uint64_t *hash, wr_error *error)
{
    if (!WRI_REQUIRE(error, recipe, hash)) {
        return false;
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_error why = {0};
    const char version[] = {WR_VERSION_MAJOR, WR_VERSION_MINOR, WR_VERSION_PATCH};
    *hash = wri_hash(version, sizeof version, recipe->text_hash);
    *hash = wri_hash(recipe->raw.name, strlen(recipe->raw.name), *hash);
    // How it is built: drawings with alpha, no light and handles in limbs, solids in their own
    // frame.
    const char *way = wri_recipe_is_drawing(recipe) ? "drawing 2" : "solid 2";
    *hash = wri_hash(way, strlen(way), *hash);
    bool ok = visit_files(recipe, &arena, hash_model, hash_file, hash, &why);
    *hash += *hash == 0; // 0 means unknown
    wri_arena_destroy(&arena);
    if (!ok) {
        wri_reader reader = {.path = recipe->path, .where = "recipe", .error = error};
        return wri_fail_inner(&reader, recipe->root, &why);
    }
    return true;
}

// False ends the visit: found.
static bool is_other_file(const wr_recipe *recipe, wri_arena *arena, const char *name, void *user,
                          wr_error *error)
{
    (void)error;
    const char *path = name ? wri_recipe_file(recipe, arena, name) : NULL;
    return !path || !wri_same_file(path, user);
}

bool wr_recipe_uses_file(const wr_recipe *recipe, const char *path)
{
    wri_arena arena = wri_arena_create(NULL);
    bool used =
        wri_same_file(recipe->path, path) ||
        !visit_files(recipe, &arena, is_other_file, is_other_file, (void *)(uintptr_t)path, NULL);
    wri_arena_destroy(&arena);
    return used;
}

// --- built before -----------------------------------------------------------------------------

// Two files: the asset; and as text the hash of both, and behind it the warnings, which are no part
// of an asset, a line each.
typedef struct cache_entry {
    const char *asset, *sum; // paths, NULL: there is no cache
} cache_entry;

// A program that was built again may build assets differently.
static cache_entry find_entry(wri_arena *arena, uint64_t hash)
{
    hash ^= wri_program_stamp();
    const char *folder = wri_cache_folder(arena);
    char *asset = wri_arena_printf(arena, "%016llx.glb", (unsigned long long)hash);
    char *sum = wri_arena_printf(arena, "%016llx.sum", (unsigned long long)hash);
    if (!folder || !asset || !sum || !wri_folder_create(folder, NULL)) {
        return (cache_entry){NULL, NULL};
    }
    cache_entry entry = {wri_path_join(arena, folder, asset), wri_path_join(arena, folder, sum)};
    return entry.asset && entry.sum ? entry : (cache_entry){NULL, NULL};
}

static bool find_sum(wri_arena *arena, const char *path, const char *warnings, const char **text)
{
    size_t size;
    char *bytes = wri_file_read(path, FILE_BYTES, NULL, &size, NULL);
    if (!bytes) {
        return false;
    }
    uint64_t hash = wri_hash(warnings, strlen(warnings), wri_hash(bytes, size, 0));
    *text = wri_arena_printf(arena, "%016llx\n%s", (unsigned long long)hash, warnings);
    wri_free(NULL, bytes, size + 1, 1);
    return *text != NULL;
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

// Warnings begin with a path: those beside the recipe are kept without its folder and a + before
// them, so that the folder may be named differently the next time.
static bool read_warnings(wri_arena *arena, const wr_recipe *recipe, wr_model *model,
                          const char *line)
{
    bool ok = true;
    for (size_t length; ok && *line; line += length + 1) { // a sound sum ends each line
        length = strcspn(line, "\n");
        int folder = line[0] == '+' ? (int)folder_length(recipe->path) : 0;
        const char *text =
            wri_arena_printf(arena, "%.*s%.*s", folder, recipe->path, (int)length - 1, line + 1);
        ok = text && wri_model_keep_warning(model, text, strlen(text));
    }
    return ok;
}

static const char *join_warnings(wri_arena *arena, const wr_recipe *recipe, const wr_model *model)
{
    size_t folder = folder_length(recipe->path);
    const char *text = "";
    for (int i = 0; text && i < model->warning_count; i++) {
        const char *warning = model->warnings[i];
        bool beside = strncmp(warning, recipe->path, folder) == 0 && warning[folder] != '/';
        text = wri_arena_printf(arena, "%s%c%s\n", text, beside ? '+' : '=',
                                warning + (beside ? folder : 0));
    }
    return text;
}

// A cache that was damaged is as good as none.
static wr_asset *read_entry(wri_arena *arena, const wr_recipe *recipe, const cache_entry *entry,
                            uint64_t hash, const wr_allocator *allocator)
{
    const char *expected = NULL;
    size_t size;
    char *sum = entry->sum ? wri_file_read(entry->sum, SUM_BYTES, NULL, &size, NULL) : NULL;
    const char *warnings = sum ? strchr(sum, '\n') : NULL;
    bool sound = warnings && find_sum(arena, entry->asset, warnings + 1, &expected) &&
                 strcmp(sum, expected) == 0;
    wr_asset *asset = sound ? wr_asset_read(entry->asset, allocator, NULL) : NULL;
    if (asset && !read_warnings(arena, recipe, asset->model, warnings + 1)) {
        wr_asset_destroy(asset);
        asset = NULL;
    }
    if (sum) {
        wri_free(NULL, sum, size + 1, 1);
    }
    if (asset) {
        wri_cache_use(entry->asset);
        wri_cache_use(entry->sum);
    }
    if (asset && asset->recipe_hash != hash) {
        wr_asset_destroy(asset);
        return NULL;
    }
    return asset;
}

static void write_entry(wri_arena *arena, const wr_recipe *recipe, const cache_entry *entry,
                        const wr_asset *asset)
{
    const char *sum, *warnings = join_warnings(arena, recipe, asset->model);
    if (entry->asset && warnings && wr_asset_write(asset, entry->asset, NULL) &&
        find_sum(arena, entry->asset, warnings, &sum)) {
        wri_file_write(entry->sum, sum, strlen(sum), NULL);
    }
}

static bool report_cached(const wr_asset *asset, const wr_tasks *tasks, wr_build_report *report,
                          wr_error *error)
{
    int count = asset->rig.example_count - 1;
    *report = (wr_build_report){.from_cache = true, .example_count = count};
    report->examples = wri_alloc(NULL, (size_t)count, sizeof *report->examples);
    return report->examples ? wr_asset_measure(asset, tasks, report->examples, error)
                            : wri_fail_memory(error, (size_t)count * sizeof *report->examples);
}

// Errors are better told by building than by hashing: with their line.
wr_asset *wr_recipe_build_cached(const wr_recipe *recipe, const wr_build_desc *desc, bool fresh,
                                 wr_build_report *report, wr_error *error)
{
    if (!WRI_REQUIRE(error, recipe) || !WRI_REQUIRE_DESC(error, wr_build_desc, desc, COOKIE)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(NULL);
    uint64_t hash;
    bool known = wr_recipe_find_hash(recipe, &hash, NULL);
    cache_entry entry = known ? find_entry(&arena, hash) : (cache_entry){NULL, NULL};
    wr_asset *asset = fresh ? NULL : read_entry(&arena, recipe, &entry, hash, &desc->allocator);
    if (asset && report && !report_cached(asset, &desc->tasks, report, error)) {
        wr_asset_destroy(asset);
        asset = NULL;
    } else if (!asset) {
        const wri_memo memo = wri_memo_create(&arena, fresh);
        asset = build_with(recipe, desc, &memo, report, error);
        if (asset) {
            write_entry(&arena, recipe, &entry, asset);
        }
        if (memo.folder) { // recordings that the build has read are not needed any more
            wri_cache_trim(memo.folder, WRI_CACHE_BYTES);
        }
    }
    wri_arena_destroy(&arena);
    return asset;
}
