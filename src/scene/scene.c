// scene.c: a scene file becomes plain data: assets, stage and the whole. Bodies and joints have
// files of their own.
#include "wrought/example.h"
#include "wrought/recipe.h"

#include "../base/os.h"
#include "../file/asset.h"
#include "../file/hdr.h"
#include "../file/model.h"
#include "../file/unit.h"
#include "materials.h"
#include "../math/elementary.h"
#include "scene.h"

enum { SCENE_BYTES = 64 << 20, MOST_FRAMES = 10000000 };

const wri_json *wri_open_beside(wri_reader *reader, const wri_json *value, size_t most_bytes)
{
    wri_scene_context *c = reader->context;
    char *path = wri_path_join(reader->arena, c->folder, value->string);
    if (!path) {
        wri_fail_memory(reader->error, strlen(value->string));
        return NULL;
    }
    size_t size;
    wr_error why = {0};
    char *text = wri_file_read(path, most_bytes, &reader->arena->allocator, &size, &why);
    if (!text) {
        wri_fail_inner(reader, value, &why);
        return NULL;
    }
    c->hash = wri_hash(text, size, c->hash);
    const wri_json *json = wri_json_parse(reader->arena, text, size, path, true, reader->error);
    wri_free(&reader->arena->allocator, text, size + 1, 1);
    reader->path = path;
    return json;
}

const char *wri_quoted(wri_reader *reader, const char *kind, const char *name)
{
    const char *text = wri_arena_printf(reader->arena, "%s \"%s\"", kind, name);
    return text ? text : kind; // out of memory: still good enough for a message
}

const char *wri_numbered(wri_reader *reader, const char *kind, int index)
{
    const char *text = wri_arena_printf(reader->arena, "%s %d", kind, index + 1);
    return text ? text : kind;
}

// --- assets -----------------------------------------------------------------------------------

static bool hash_file(const char *path, const wr_allocator *allocator, uint64_t *hash,
                      wr_error *error)
{
    size_t size;
    char *bytes = wri_file_read(path, (size_t)1 << 30, allocator, &size, error);
    if (!bytes) {
        return false;
    }
    *hash = wri_hash(bytes, size, *hash);
    wri_free(allocator, bytes, size + 1, 1);
    return true;
}

// A file's name, or an object that says more.
static bool read_asset_words(wri_reader *reader, const wri_json *json, raw_asset *raw)
{
    if (json->type == WRI_JSON_OBJECT) {
        return wri_read_object(reader, &wri_asset_table, json, raw);
    }
    raw->file = json->string;
    return wri_expect(reader, json, WRI_JSON_STRING);
}

static bool read_model(wri_reader *reader, const raw_asset *raw, wri_asset *asset, wr_error *why)
{
    wri_scene_context *c = reader->context;
    const wr_read_options options = {.unit = raw->unit < 0 ? NULL : wri_unit_words[raw->unit],
                                     .up = raw->up < 0 ? NULL : wri_up_words[raw->up],
                                     .follow_links = c->options && c->options->follow_links,
                                     .allocator = &reader->arena->allocator};
    asset->source = wr_model_read(asset->path, &options, why);
    asset->flat = asset->source ? wr_model_flatten(asset->source, why) : NULL;
    if (asset->source) {
        c->hash = wri_model_hash(asset->source, c->hash); // .mtl, .bin, pictures lie beside it
    }
    return asset->flat && (raw->unit >= 0 ||
                           wri_model_warn_of_size(asset->source, why, asset->path,
                                                  wr_box_size(wr_mesh_bounds(asset->flat->meshes)),
                                                  WRI_UNIT_IN_SCENE));
}

// Built now, unless that was done before.
static bool read_recipe(wri_reader *reader, wri_asset *asset, wr_error *why)
{
    wri_scene_context *c = reader->context;
    wr_recipe *recipe = wr_recipe_read(asset->path, &reader->arena->allocator, why);
    wr_build_desc desc = wr_build_desc_default();
    desc.allocator = reader->arena->allocator;
    if (recipe && c->options) {
        wr_recipe_set_follow_links(recipe, c->options->follow_links);
        desc.tasks = c->options->tasks;
        desc.progress = c->options->progress;
        desc.log = c->options->log;
    }
    if (recipe && wri_recipe_simulate(recipe, c->options, &c->chain, why)) {
        asset->rigged = wr_recipe_build_cached(recipe, &desc, false, NULL, why);
    }
    wr_recipe_destroy(recipe);
    if (asset->rigged) {
        asset->flat = asset->rigged->model;
        c->hash = wri_hash(&asset->rigged->recipe_hash, sizeof(uint64_t), c->hash);
    }
    return asset->rigged != NULL;
}

static bool read_rigged(wri_reader *reader, wri_asset *asset, wr_error *why)
{
    asset->rigged = wr_asset_read(asset->path, &reader->arena->allocator, why);
    asset->flat = asset->rigged ? asset->rigged->model : NULL;
    return asset->rigged != NULL;
}

static bool read_asset(wri_reader *reader, const wri_json *json, wri_asset *asset)
{
    wri_scene_context *c = reader->context;
    raw_asset raw = {.unit = -1, .up = -1};
    reader->where = wri_quoted(reader, "asset", json->key);
    if (!read_asset_words(reader, json, &raw)) {
        return false;
    }
    asset->name = json->key;
    asset->path = wri_path_join(reader->arena, c->folder, raw.file);
    if (!asset->path) {
        return wri_fail_memory(reader->error, strlen(raw.file));
    }
    bool is_recipe = wr_recipe_has_ending(asset->path), is_rigged = wr_asset_is_one(asset->path);
    if ((is_recipe || is_rigged) && (raw.unit >= 0 || raw.up >= 0)) {
        return wri_fail_at(reader, json, "\"unit\" and \"up\" are said in the recipe of an asset");
    }
    wr_error why = {0};
    bool ok = hash_file(asset->path, &reader->arena->allocator, &c->hash, &why) &&
              (is_recipe   ? read_recipe(reader, asset, &why)
               : is_rigged ? read_rigged(reader, asset, &why)
                           : read_model(reader, &raw, asset, &why));
    return ok || wri_fail_inner(reader, json, &why);
}

static bool read_assets(wri_reader *reader, const wri_json *json)
{
    wri_scene_context *c = reader->context;
    if (!json) {
        return true;
    }
    if (!wri_expect(reader, json, WRI_JSON_OBJECT)) {
        return false;
    }
    c->owner->assets = wri_arena_alloc(reader->arena, (size_t)json->count, sizeof(wri_asset));
    if (!c->owner->assets) {
        return wri_fail_memory(reader->error, (size_t)json->count * sizeof(wri_asset));
    }
    for (int i = 0; i < json->count; i++) {
        c->owner->asset_count = i + 1;
        if (!read_asset(reader, &json->items[i], &c->owner->assets[i])) {
            return false;
        }
    }
    return true;
}

// --- stage ------------------------------------------------------------------------------------

static void choose_hero(wri_reader *reader)
{
    const wri_scene_context *c = reader->context;
    wr_stage *stage = &c->owner->scene.stage;
    for (int i = 0; i < c->bodies.count && stage->flat.on && !stage->follows; i++) {
        const wr_scene_body *body = &WRI_ITEM(c->bodies, wr_scene_body, i);
        const wri_material_reader *own = wri_material_reader_of(body->material);
        if (own && own->is_hero && own->is_hero(body)) {
            stage->follows = true;
            stage->body = i;
        }
    }
}

static bool read_flat(wri_reader *reader, const wri_json *json)
{
    wri_scene_context *c = reader->context;
    wr_flat *flat = &c->owner->scene.stage.flat;
    reader->where = "flat";
    if (json->type == WRI_JSON_BOOL) {
        flat->on = json->boolean;
        return true;
    }
    if (json->type != WRI_JSON_OBJECT) {
        return wri_fail_at(reader, json, "expected true, false or an object, found %s",
                           wri_json_type_name(json->type));
    }
    raw_flat raw = {0};
    if (!wri_read_object(reader, &wri_flat_table, json, &raw)) {
        return false;
    }
    flat->on = true;
    flat->top = raw.top;
    flat->low = raw.low;
    flat->line = (float)raw.line;
    return true;
}

// A flat game with bodies that live in the plane: what moves freely stays in it as well.
static void stay_in_plane(wri_scene_context *c)
{
    bool is_flat = false;
    for (int i = 0; i < c->bodies.count && c->owner->scene.stage.flat.on; i++) {
        const wr_material *material = WRI_ITEM(c->bodies, wr_scene_body, i).material;
        is_flat = is_flat || (material && material->is_planar);
    }
    for (int i = 0; i < c->bodies.count && is_flat; i++) {
        wr_scene_body *body = &WRI_ITEM(c->bodies, wr_scene_body, i);
        body->rigid.is_planar = !body->material && body->rigid.motion == WR_MOTION_MOVING;
    }
}

static wr_color scale_color(float s, wr_color c)
{
    return (wr_color){s * c.r, s * c.g, s * c.b, c.a};
}

static wr_vec3 direction_of(float azimuth, float elevation)
{
    double east, south, up, flat;
    wri_sin_cos_fine((double)azimuth, &east, &south);
    wri_sin_cos_fine((double)elevation, &up, &flat);
    return wr_v3((float)flat * (float)east, (float)up, (float)flat * (float)south);
}

// Sun and sky are not seen in an environment.
static bool check_light_keys(wri_reader *reader, const wri_json *json)
{
    static const char *const idle[] = {"azimuth", "elevation", "softness",
                                       "color",   "zenith",    "horizon"};
    bool has = wri_json_find(json, "environment") != NULL;
    const wri_json *turn = wri_json_find(json, "turn");
    for (int i = 0; has && i < WRI_COUNT(idle); i++) {
        const wri_json *found = wri_json_find(json, idle[i]);
        if (found) {
            wri_json at = wri_at_key(found);
            return wri_fail_at(reader, &at, "\"%s\" has no effect beside an \"environment\"",
                               idle[i]);
        }
    }
    return has || !turn ||
           wri_fail_at(reader, turn, "\"turn\" has no effect without an \"environment\"");
}

static bool read_environment(wri_reader *reader, const wri_json *at, const char *name,
                             wr_light *light)
{
    wri_scene_context *c = reader->context;
    wr_error why = {0};
    if (strcmp(name, "studio") == 0) {
        light->environment = wr_environment_studio();
        return true;
    }
    wri_arena *arena = &c->owner->arena;
    wr_environment *read = wri_arena_alloc(arena, 1, sizeof *read);
    char *path = wri_path_join(reader->arena, c->folder, name);
    if (!read || !path) {
        return wri_fail_memory(reader->error, sizeof *read);
    }
    light->environment = read;
    if (!wri_has_ending(name, ".hdr") && !wri_has_ending(name, ".pic")) {
        return wri_fail_at(reader, at, "unknown environment \"%s\", expected studio or a .hdr",
                           name);
    }
    return wri_hdr_read(arena, path, read, &why) || wri_fail_inner(reader, at, &why);
}

static bool read_light(wri_reader *reader, const wri_json *json)
{
    wri_scene_context *c = reader->context;
    wr_light *light = &c->owner->scene.stage.light;
    reader->where = "light";
    raw_light raw = {0};
    const wri_json nothing = {.type = WRI_JSON_OBJECT};
    json = json ? json : &nothing;
    if (!wri_read_object(reader, &wri_light_table, json, &raw) || !check_light_keys(reader, json)) {
        return false;
    }
    light->sun_direction = direction_of((float)raw.azimuth, (float)raw.elevation);
    light->sun_color = scale_color((float)raw.strength, raw.color);
    light->sun_radius = (float)raw.softness;
    light->sky_zenith = raw.zenith;
    light->sky_horizon = raw.horizon;
    light->ground = raw.ground;
    light->exposure = (float)raw.exposure;
    if (!raw.environment) {
        return true;
    }
    light->exposure *= wri_json_find(json, "strength") ? (float)raw.strength : 1.0f;
    light->turn = (float)raw.turn;
    return read_environment(reader, wri_json_find(json, "environment"), raw.environment, light);
}

// --- the whole --------------------------------------------------------------------------------

typedef bool item_fn(wri_reader *reader, const wri_json *json, int index);

static bool read_list(wri_reader *reader, const wri_json *list, item_fn *read)
{
    if (!list) {
        return true;
    }
    bool ok = wri_expect(reader, list, WRI_JSON_ARRAY);
    for (int i = 0; ok && i < list->count; i++) {
        ok = read(reader, &list->items[i], i);
    }
    return ok;
}

static bool copy_lists(wri_scene_context *c, wr_scene *scene, wr_error *error)
{
    wri_arena *arena = &c->owner->arena;
    size_t bodies = (size_t)c->bodies.count, joints = (size_t)c->joints.count;
    wr_scene_body *body = wri_arena_alloc(arena, bodies, sizeof *body);
    wr_scene_joint *joint = wri_arena_alloc(arena, joints, sizeof *joint);
    size_t pairs = (size_t)c->contact_pairs.count;
    wr_surface_pair *pair = wri_arena_alloc(arena, pairs, sizeof *pair);
    const wr_model **model = wri_model_cache_list(&c->owner->models, arena);
    if (!body || !joint || !pair || !model) {
        return wri_fail_memory(error, bodies * sizeof *body);
    }
    if (bodies) {
        memcpy(body, c->bodies.items, bodies * sizeof *body);
    }
    if (joints) {
        memcpy(joint, c->joints.items, joints * sizeof *joint);
    }
    if (pairs) {
        memcpy(pair, c->contact_pairs.items, pairs * sizeof *pair);
    }
    scene->bodies = body;
    scene->body_count = c->bodies.count;
    scene->joints = joint;
    scene->joint_count = c->joints.count;
    scene->surface_pairs = pair;
    scene->surface_pair_count = c->contact_pairs.count;
    scene->models = model;
    scene->model_count = c->owner->models.model_count;
    return true;
}

// The model as it was read, before it was flattened or rigged.
static const wr_model *first_model(const wri_asset *asset)
{
    return asset->source ? asset->source : asset->flat;
}

bool wri_scene_warn(wri_reader *reader, const char *text)
{
    wri_scene_context *c = reader->context;
    const char **room = text ? wri_array_add(&c->warnings, 1) : NULL;
    if (room) {
        *room = text;
    }
    return room || wri_fail_memory(reader->error, sizeof *room);
}

static bool list_warnings(const wri_scene_context *c, wri_array *list)
{
    wri_scene_owner *o = c->owner;
    for (int i = 0; i < o->asset_count; i++) {
        const wr_model *source = first_model(&o->assets[i]);
        const char **room = wri_array_add(list, source->warning_count);
        if (!room && source->warning_count) {
            return false;
        }
        for (int k = 0; k < source->warning_count; k++) {
            room[k] = source->warnings[k];
        }
    }
    const char **room = wri_array_add(list, c->warnings.count);
    if (room && c->warnings.count) {
        memcpy(room, c->warnings.items, (size_t)c->warnings.count * sizeof *room);
    }
    bool ok = room || !c->warnings.count;
    for (int i = 0; ok && i < wri_material_reader_count(); i++) {
        const wri_material_reader *own = wri_material_reader_at(i);
        ok = !own->warn || own->warn(&o->scene, &o->arena, list);
    }
    return ok;
}

static bool collect_warnings(const wri_scene_context *c, wr_error *error)
{
    wri_scene_owner *o = c->owner;
    wri_array list = wri_array_create(&o->arena.allocator, sizeof(const char *));
    bool ok = list_warnings(c, &list);
    size_t count = (size_t)list.count;
    const char **warnings = ok ? wri_arena_alloc(&o->arena, count, sizeof *warnings) : NULL;
    if (warnings && count) {
        memcpy(warnings, list.items, count * sizeof *warnings);
    }
    o->scene.warnings = warnings;
    o->scene.warning_count = warnings ? list.count : 0;
    wri_array_destroy(&list);
    return warnings || wri_fail_memory(error, count * sizeof *warnings);
}

// Substeps that the scene's materials ask for, unless something else moves: contacts between rigid
// bodies want short steps.
static int default_substeps(const wri_scene_context *c, raw_rate frames)
{
    enum { USUAL = 4, MOST = 1000 };
    int64_t rate = 0;
    for (int i = 0; i < c->bodies.count; i++) {
        const wr_scene_body *body = &WRI_ITEM(c->bodies, wr_scene_body, i);
        int wish = body->material ? body->material->step_rate : 0;
        bool moves = body->material || body->rigid.motion == WR_MOTION_MOVING;
        if (moves && wish == 0) {
            return USUAL;
        }
        rate = wish > rate ? wish : rate;
    }
    int64_t n = (rate * frames.denominator + frames.numerator - 1) / frames.numerator;
    return rate == 0 ? USUAL : n < MOST ? (int)n : MOST;
}

static bool read_scene(wri_reader *reader, const wri_json *json)
{
    wri_scene_context *c = reader->context;
    wr_scene *scene = &c->owner->scene;
    reader->where = "scene";
    raw_scene raw = {0};
    if (!wri_read_object(reader, &wri_scene_table, json, &raw)) {
        return false;
    }
    scene->name = raw.name;
    scene->length = raw.length;
    scene->rate_numerator = raw.frames.numerator;
    scene->rate_denominator = raw.frames.denominator;
    scene->iterations = raw.iterations;
    scene->gravity = raw.gravity;
    scene->wind = raw.wind;
    scene->sleeping = raw.sleeping;
    scene->two_phases = raw.two_phases;
    scene->stage = wr_stage_default();
    if (raw.length * raw.frames.numerator / raw.frames.denominator > MOST_FRAMES) {
        return wri_fail_at(reader, json, "has more than %d frames", MOST_FRAMES);
    }
    if (!read_assets(reader, raw.assets) || !read_list(reader, raw.bodies, wri_read_body) ||
        !wri_warn_of_namesakes(reader) || !wri_find_leaders(reader)) {
        return false;
    }
    scene->substeps = raw.substeps > 0 ? raw.substeps : default_substeps(c, raw.frames);
    if (!read_list(reader, raw.joints, wri_read_joint) ||
        !read_list(reader, raw.contacts, wri_read_contact_pair) ||
        !wri_read_inputs(reader, raw.inputs) || !read_flat(reader, raw.flat) ||
        !read_list(reader, raw.cameras, wri_read_camera) || !read_light(reader, raw.light)) {
        return false;
    }
    choose_hero(reader);
    stay_in_plane(c);
    wri_make_solid(reader, &c->owner->models, c->bodies.items, c->bodies.count);
    return copy_lists(c, scene, reader->error) && collect_warnings(c, reader->error);
}

static bool read_file(const char *path, wri_scene_context *c, wr_error *error)
{
    wri_arena *arena = &c->owner->arena;
    size_t size;
    char *text = wri_file_read(path, SCENE_BYTES, &arena->allocator, &size, error);
    if (!text) {
        return false;
    }
    const char version[] = {WR_VERSION_MAJOR, WR_VERSION_MINOR, WR_VERSION_PATCH};
    c->folder = wri_path_folder(arena, path);
    c->body_table = wri_all_body_keys(arena, true);
    wri_reader reader = {arena, path, "scene", c, error};
    const wri_json *json = NULL;
    bool ok = ((c->folder && c->body_table) || wri_fail_memory(error, strlen(path))) &&
              (json = wri_json_parse(arena, text, size, path, true, error));
    if (ok) {
        c->hash = wri_physics_hash(json, c->body_table, wri_hash(version, sizeof version, 0));
        ok = read_scene(&reader, json);
    }
    c->owner->scene.hash = c->hash;
    wri_free(&arena->allocator, text, size + 1, 1);
    return ok;
}

wr_scene *wri_scene_read(const char *path, const wr_scene_options *options,
                         const wri_scene_chain *outer, wr_error *error)
{
    if (!wri_check_materials(options, error)) {
        return NULL;
    }
    const wr_allocator *allocator = options ? options->allocator : NULL;
    wri_arena arena = wri_arena_create(allocator);
    wri_scene_owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    if (!o) {
        wri_fail_memory(error, sizeof *o);
        return NULL;
    }
    o->arena = arena;
    o->models = wri_model_cache_create(allocator);
    o->scene.memory = o;
    wri_scene_context c = {
        .owner = o,
        .options = options,
        .chain = {path, outer},
        .bodies = wri_array_create(allocator, sizeof(wr_scene_body)),
        .joints = wri_array_create(allocator, sizeof(wr_scene_joint)),
        .contact_pairs = wri_array_create(allocator, sizeof(wr_surface_pair)),
        .followers = wri_array_create(allocator, sizeof(wri_follower)),
        .warnings = wri_array_create(allocator, sizeof(const char *)),
    };
    bool ok = read_file(path, &c, error);
    wri_array_destroy(&c.bodies);
    wri_array_destroy(&c.joints);
    wri_array_destroy(&c.contact_pairs);
    wri_array_destroy(&c.followers);
    wri_array_destroy(&c.warnings);
    if (!ok) {
        wr_scene_destroy(&o->scene);
        return NULL;
    }
    return &o->scene;
}

wr_scene *wr_scene_read(const char *path, const wr_scene_options *options, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    return wri_scene_read(path, options, NULL, error);
}

void wr_scene_destroy(wr_scene *scene)
{
    if (!scene) {
        return;
    }
    wri_scene_owner *o = scene->memory;
    wri_model_cache_destroy(&o->models);
    for (int i = 0; i < o->asset_count; i++) {
        const wri_asset *asset = &o->assets[i];
        if (asset->source) {
            wr_model_destroy((wr_model *)(uintptr_t)asset->flat);
        }
        wr_skin_handles_destroy(asset->joints);
        wr_model_destroy(asset->source);
        wr_asset_destroy(asset->rigged);
    }
    wri_arena arena = o->arena;
    wri_arena_destroy(&arena);
}
