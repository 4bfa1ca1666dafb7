// scene.c: a scene file becomes plain data.
#include "wrought/file.h"
#include "wrought/world.h"

#include "../base/os.h"
#include "materials.h"
#include "scene_tables.h"
#include "shape.h"

#include <stdlib.h>

enum { MOST_BODIES = 100000, MOST_GROUPS = 31, SCENE_BYTES = 64 << 20, MOST_FRAMES = 10000000 };

typedef struct owner {
    wr_scene scene;
    wri_arena arena;
    wri_model_cache models;
    wri_asset *assets;
    int asset_count;
} owner;

typedef struct name_slot {
    int body, count; // the first body called so and how many are; 0: free
} name_slot;

// What the readers of bodies and joints share.
typedef struct context {
    owner *owner;
    const wr_scene_options *options;
    const char *folder; // of the scene file
    wri_array bodies;   // of wr_scene_body
    wri_array joints;   // of wr_scene_joint
    wri_array models;   // of const wr_model *
    name_slot *names;   // hash table of the bodies' names, made for the first joint
    size_t name_room;   // a power of two
    const char *groups[MOST_GROUPS];
    int group_count;
    uint64_t hash;
} context;

static const char *quoted(wri_reader *reader, const char *kind, const char *name)
{
    const char *text = wri_arena_printf(reader->arena, "%s \"%s\"", kind, name);
    return text ? text : kind; // out of memory: still good enough for a message
}

static const char *numbered(wri_reader *reader, const char *kind, int index)
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

// Some models have parts in files of their own (.mtl, .bin, pictures): what came out of them.
static uint64_t hash_model(const wr_model *model, uint64_t hash)
{
    const wr_mesh *mesh = model->meshes;
    size_t n = (size_t)mesh->vertex_count;
    const struct {
        const void *bytes;
        size_t size;
    } arrays[] = {{mesh->positions, n * sizeof(wr_vec3)},
                  {mesh->normals, n * sizeof(wr_vec3)},
                  {mesh->uvs, n * sizeof(wr_vec2)},
                  {mesh->colors, n * sizeof(wr_color)},
                  {mesh->triangles, (size_t)mesh->triangle_count * 3 * sizeof(int)},
                  {mesh->parts, (size_t)mesh->part_count * sizeof(wr_mesh_part)}};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        hash = arrays[i].bytes ? wri_hash(arrays[i].bytes, arrays[i].size, hash) : hash;
    }
    for (int i = 0; i < model->look_count; i++) {
        const wr_look *l = &model->looks[i];
        const float look[] = {l->base_color.r,   l->base_color.g, l->base_color.b, l->base_color.a,
                              (float)l->texture, l->roughness,    l->metallic,     l->double_sided};
        hash = wri_hash(look, sizeof look, hash);
    }
    for (int i = 0; i < model->image_count; i++) {
        const wr_image *image = &model->images[i];
        size_t size = (size_t)image->width * (size_t)image->height * 4;
        hash = image->pixels ? wri_hash(image->pixels, size, hash) : hash;
    }
    return hash;
}

static bool read_asset(wri_reader *reader, const wri_json *json, wri_asset *asset)
{
    context *c = reader->context;
    reader->where = quoted(reader, "asset", json->key);
    if (!wri_expect(reader, json, WRI_JSON_STRING)) {
        return false;
    }
    asset->name = json->key;
    asset->path = wri_path_join(reader->arena, c->folder, json->string);
    if (!asset->path) {
        return wri_fail_memory(reader->error, strlen(json->string));
    }
    const wr_allocator *allocator = &reader->arena->allocator;
    wr_error why = {0};
    bool ok = hash_file(asset->path, allocator, &c->hash, &why) &&
              (asset->source = wr_model_read(asset->path, allocator, &why)) &&
              (asset->flat = wr_model_flatten(asset->source, &why));
    if (!ok) {
        return wri_fail_inner(reader, json, &why);
    }
    c->hash = hash_model(asset->flat, c->hash);
    return true;
}

static bool read_assets(wri_reader *reader, const wri_json *json)
{
    context *c = reader->context;
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

static bool find_asset(wri_reader *reader, const wri_json *json, const char *name,
                       const wri_asset **asset)
{
    const context *c = reader->context;
    const char *names[64];
    int count = 0;
    for (int i = 0; i < c->owner->asset_count; i++) {
        if (strcmp(c->owner->assets[i].name, name) == 0) {
            *asset = &c->owner->assets[i];
            return true;
        }
        if (count < WRI_COUNT(names)) {
            names[count++] = c->owner->assets[i].name;
        }
    }
    return wri_fail_word(reader, wri_json_find(json, "asset"), "asset", name, names, count);
}

// --- parts of a body --------------------------------------------------------------------------

static bool group_bit(wri_reader *reader, const wri_json *value, uint32_t *bits)
{
    context *c = reader->context;
    if (!wri_expect(reader, value, WRI_JSON_STRING)) {
        return false;
    }
    int i = 0;
    while (i < c->group_count && strcmp(c->groups[i], value->string) != 0) {
        i++;
    }
    if (i == MOST_GROUPS) {
        return wri_fail_at(reader, value, "\"%s\" is the 32nd group, expected at most %d",
                           value->string, MOST_GROUPS);
    }
    if (i == c->group_count) {
        c->groups[c->group_count++] = value->string;
    }
    *bits |= 2u << i; // bit 0: bodies in no group
    return true;
}

static bool read_groups(wri_reader *reader, const wri_json *list, uint32_t *bits)
{
    if (!list) {
        return true;
    }
    bool ok = wri_expect(reader, list, WRI_JSON_ARRAY);
    for (int i = 0; ok && i < list->count; i++) {
        ok = group_bit(reader, &list->items[i], bits);
    }
    return ok;
}

static bool read_path(wri_reader *reader, const wri_json *list, wr_scene_body *body)
{
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count == 0) {
        return wri_fail_at(reader, list, "\"path\" is empty, expected at least one key");
    }
    wr_path_key *keys = wri_arena_alloc(reader->arena, (size_t)list->count, sizeof *keys);
    if (!keys) {
        return wri_fail_memory(reader->error, (size_t)list->count * sizeof *keys);
    }
    for (int i = 0; i < list->count; i++) {
        raw_path_key raw = {0};
        if (!wri_read_object(reader, &wri_path_table, &list->items[i], &raw)) {
            return false;
        }
        keys[i] = (wr_path_key){raw.time, {raw.at, raw.turn}};
        if (i > 0 && !(keys[i].time > keys[i - 1].time)) {
            return wri_fail_at(reader, &list->items[i],
                               "\"time\" is %g s, expected more than the %g s before it",
                               keys[i].time, keys[i - 1].time);
        }
    }
    body->path = keys;
    body->path_count = list->count;
    return true;
}

static bool read_preset(wri_reader *reader, const wri_json *value, const wr_material *material,
                        double *values)
{
    const char *names[64] = {"default"};
    int count = 1;
    if (!wri_expect(reader, value, WRI_JSON_STRING)) {
        return false;
    }
    if (strcmp(value->string, "default") == 0) {
        return true;
    }
    for (int i = 0; i < material->preset_count; i++) {
        if (strcmp(material->presets[i].name, value->string) == 0) {
            memcpy(values, material->presets[i].values,
                   (size_t)material->parameter_count * sizeof *values);
            return true;
        }
        if (count < WRI_COUNT(names)) {
            names[count++] = material->presets[i].name;
        }
    }
    return wri_fail_word(reader, value, "preset", value->string, names, count);
}

static bool read_parameter(wri_reader *reader, const wri_json *member, const wr_material *material,
                           double *values)
{
    const char *names[64];
    int count = 0;
    for (int i = 0; i < material->parameter_count; i++) {
        const wr_parameter *p = &material->parameters[i];
        if (strcmp(p->name, member->key) == 0) {
            const wri_key key = {.name = p->name,
                                 .kind = WRI_KEY_NUMBER,
                                 .min = p->min,
                                 .max = p->max,
                                 .unit = p->unit[0] ? p->unit : NULL};
            return wri_read_key(reader, &key, member, &values[i]);
        }
        if (count < WRI_COUNT(names)) {
            names[count++] = p->name;
        }
    }
    wri_json at = wri_at_key(member);
    return wri_fail_word(reader, &at, "parameter", member->key, names, count);
}

// The member that names a material, or the first one for the complaint.
static const wri_json *find_material_member(const context *c, const wri_json *json,
                                            const wr_material **material)
{
    for (int i = 0; i < json->count; i++) {
        *material = wri_find_material(c->options, json->items[i].key);
        if (*material) {
            return &json->items[i];
        }
    }
    return json->count ? &json->items[0] : NULL;
}

static bool fail_material(wri_reader *reader, const wri_json *at, const char *word)
{
    const context *c = reader->context;
    const char *names[64];
    int count = wri_material_names(c->options, names, WRI_COUNT(names));
    return wri_fail_word(reader, at, "material", word, names, count);
}

static bool read_material(wri_reader *reader, const wri_json *json, wr_scene_body *body)
{
    const context *c = reader->context;
    const wr_material *material = NULL;
    if (json->type == WRI_JSON_STRING) {
        if (strcmp(json->string, "rigid") == 0) {
            return true;
        }
        material = wri_find_material(c->options, json->string);
        if (!material) {
            return fail_material(reader, json, json->string);
        }
    }
    const wri_json *named = NULL;
    if (!material) {
        if (json->type != WRI_JSON_OBJECT) {
            return wri_fail_at(reader, json, "\"material\" is %s, expected a name or an object",
                               wri_json_type_name(json->type));
        }
        named = find_material_member(c, json, &material);
        if (!named) {
            return wri_fail_at(reader, json,
                               "\"material\" is empty, expected the name of a material");
        }
        if (!material) {
            wri_json at = wri_at_key(named);
            return strcmp(named->key, "rigid") == 0
                       ? wri_fail_at(reader, &at,
                                     "the material \"rigid\" has no presets, expected "
                                     "\"material\": \"rigid\"")
                       : fail_material(reader, &at, named->key);
        }
    }
    size_t count = (size_t)material->parameter_count;
    double *values = wri_arena_alloc(reader->arena, count, sizeof *values);
    if (!values) {
        return wri_fail_memory(reader->error, count * sizeof *values);
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = material->parameters[i].fallback;
    }
    bool ok = !named || read_preset(reader, named, material, values);
    for (int i = 0; ok && named && i < json->count; i++) {
        ok = &json->items[i] == named || read_parameter(reader, &json->items[i], material, values);
    }
    body->material = material;
    body->values = values;
    return ok;
}

// --- bodies -----------------------------------------------------------------------------------

static void scale_mass(wr_mass_properties *mass, double wanted)
{
    double factor = wanted / mass->mass;
    for (int i = 0; i < 9; i++) {
        mass->inertia[i / 3][i % 3] *= factor;
    }
    mass->mass = wanted;
}

static wr_motion decide_motion(const raw_body *raw)
{
    bool plane = raw->shape && raw->shape->type == WRI_JSON_STRING &&
                 strcmp(raw->shape->string, "plane") == 0;
    switch (raw->motion) {
    case RAW_MOVING:
        return WR_MOTION_MOVING;
    case RAW_STATIC:
        return WR_MOTION_STATIC;
    case RAW_DRIVEN:
        return WR_MOTION_DRIVEN;
    default:
        return raw->path ? WR_MOTION_DRIVEN : plane ? WR_MOTION_STATIC : WR_MOTION_MOVING;
    }
}

static bool check_motion(wri_reader *reader, const wri_json *json, const raw_body *raw,
                         wr_motion motion, wr_shape_kind shape)
{
    if (shape == WR_SHAPE_PLANE && motion != WR_MOTION_STATIC) {
        return wri_fail_at(reader, json, "a plane cannot move, expected the motion \"static\"");
    }
    if (raw->path && motion != WR_MOTION_DRIVEN) {
        return wri_fail_at(reader, json, "a body with a \"path\" expects the motion \"driven\"");
    }
    if (motion == WR_MOTION_DRIVEN && !raw->path) {
        return wri_fail_at(reader, json, "the motion \"driven\" expects a \"path\"");
    }
    return true;
}

static bool check_material(wri_reader *reader, const wri_json *at, const wr_scene_body *body)
{
    return !body->material || body->rigid.motion == WR_MOTION_MOVING ||
           wri_fail_at(reader, at, "a body of \"%s\" moves, expected the motion \"moving\"",
                       body->material->name);
}

static int model_index(context *c, const wr_model *model)
{
    for (int i = 0; i < c->models.count; i++) {
        if (WRI_ITEM(c->models, const wr_model *, i) == model) {
            return i;
        }
    }
    const wr_model **item = wri_array_add(&c->models, 1);
    if (!item) {
        return -1;
    }
    *item = model;
    return c->models.count - 1;
}

static void fill_rigid(const raw_body *raw, wr_motion motion, const wri_body_shape *shape,
                       wr_rigid_body_desc *desc)
{
    *desc = wr_rigid_body_desc_default();
    desc->shape = shape->shape;
    desc->motion = motion;
    desc->mass = shape->mass;
    if (raw->mass > 0.0 && desc->mass.mass > 0.0) {
        scale_mass(&desc->mass, raw->mass);
    }
    desc->pose = (wr_pose){raw->at, raw->turn};
    desc->velocity = raw->velocity;
    desc->spin = wr_scale(WR_PI / 180.0f, raw->spin);
    desc->friction = (float)raw->friction;
    desc->restitution = (float)raw->restitution;
    desc->rolling_friction = (float)raw->rolling;
    desc->linear_damping = (float)raw->linear_damping;
    desc->angular_damping = (float)raw->angular_damping;
    desc->can_sleep = raw->sleep;
}

static wr_color body_color(const raw_body *raw, const wri_json *json)
{
    if (wri_json_find(json, "color")) {
        return raw->color;
    }
    float grey = raw->asset ? 1.0f : 0.55f;
    bool plane = raw->shape && raw->shape->type == WRI_JSON_STRING;
    return plane && !raw->asset ? (wr_color){0} // the stage's ground colour
                                : (wr_color){grey, grey, grey, 1.0f};
}

static bool read_copies(wri_reader *reader, const wri_json *value, raw_copies rows[4], int *count)
{
    *count = 0;
    if (!value) {
        return true;
    }
    const wri_json *items = value->type == WRI_JSON_ARRAY ? value->items : value;
    int rows_wanted = value->type == WRI_JSON_ARRAY ? value->count : 1;
    if (rows_wanted > 4) {
        return wri_fail_at(reader, value, "\"copies\" has %d rows, expected at most 4",
                           rows_wanted);
    }
    int64_t total = 1;
    for (int i = 0; i < rows_wanted; i++) {
        rows[i] = (raw_copies){0};
        if (!wri_read_object(reader, &wri_copies_table, &items[i], &rows[i])) {
            return false;
        }
        total *= rows[i].count;
        if (total > MOST_BODIES) {
            return wri_fail_at(reader, value, "\"copies\" asks for more than %d bodies",
                               MOST_BODIES);
        }
    }
    *count = rows_wanted;
    return true;
}

// Which of the copies: the first row counts fastest.
static wr_pose copy_pose(wr_pose pose, const raw_copies *rows, int row_count, int copy)
{
    for (int r = 0; r < row_count; r++) {
        int k = copy % rows[r].count;
        copy /= rows[r].count;
        pose.position = wr_add_scaled(pose.position, (float)k, rows[r].step);
        for (int i = 0; i < k; i++) {
            pose.rotation = wr_quat_normalize(wr_quat_multiply(pose.rotation, rows[r].turn));
        }
    }
    return pose;
}

// A row of driven bodies moves side by side.
static bool copy_path(wri_reader *reader, const raw_copies *rows, int row_count, int copy,
                      wr_scene_body *body)
{
    size_t count = (size_t)body->path_count;
    wr_path_key *keys = wri_arena_alloc(reader->arena, count, sizeof *keys);
    if (!keys) {
        return wri_fail_memory(reader->error, count * sizeof *keys);
    }
    for (int i = 0; i < body->path_count; i++) {
        const wr_path_key *key = &body->path[i];
        keys[i] = (wr_path_key){key->time, copy_pose(key->pose, rows, row_count, copy)};
    }
    body->path = keys;
    return true;
}

static bool add_copies(wri_reader *reader, const wri_json *json, const raw_body *raw,
                       const wr_scene_body *prototype)
{
    context *c = reader->context;
    raw_copies rows[4];
    int row_count, copies = 1;
    if (!read_copies(reader, raw->copies, rows, &row_count)) {
        return false;
    }
    for (int r = 0; r < row_count; r++) {
        copies *= rows[r].count;
    }
    if (c->bodies.count + copies > MOST_BODIES) {
        return wri_fail_at(reader, json, "the scene has more than %d bodies", MOST_BODIES);
    }
    for (int i = 0; i < copies; i++) {
        wr_scene_body *body = wri_array_add(&c->bodies, 1);
        char *name = raw->copies ? wri_arena_printf(reader->arena, "%s.%d", prototype->name, i + 1)
                                 : (char *)(uintptr_t)prototype->name;
        if (!body || !name) {
            return wri_fail_memory(reader->error, sizeof *body);
        }
        *body = *prototype;
        body->name = name;
        body->rigid.pose = copy_pose(prototype->rigid.pose, rows, row_count, i);
        if (i > 0 && body->path_count && !copy_path(reader, rows, row_count, i, body)) {
            return false;
        }
    }
    return true;
}

static bool read_body(wri_reader *reader, const wri_json *json, int index)
{
    context *c = reader->context;
    const wri_json *name = wri_json_find(json, "name");
    reader->where = name && name->type == WRI_JSON_STRING ? quoted(reader, "body", name->string)
                                                          : numbered(reader, "body", index);
    raw_body raw = {.motion = RAW_UNSAID};
    if (!wri_read_object(reader, &wri_body_table, json, &raw)) {
        return false;
    }
    const wri_asset *asset = NULL;
    if (raw.asset && !find_asset(reader, json, raw.asset, &asset)) {
        return false;
    }
    wr_motion motion = decide_motion(&raw);
    wri_body_shape shape;
    if (!wri_read_shape(reader, &c->owner->models, raw.shape, json, asset, raw.scale, raw.density,
                        motion == WR_MOTION_MOVING, &shape) ||
        !check_motion(reader, json, &raw, motion, shape.shape.kind)) {
        return false;
    }
    wr_scene_body body = {.density = raw.density, .color = body_color(&raw, json), .model = -1};
    body.name = raw.name ? raw.name : wri_arena_printf(reader->arena, "body %d", index + 1);
    if (!body.name) {
        return wri_fail_memory(reader->error, 16);
    }
    fill_rigid(&raw, motion, &shape, &body.rigid);
    uint32_t missed = 0, in = 0;
    if (!read_groups(reader, raw.groups, &in) || !read_groups(reader, raw.misses, &missed) ||
        (raw.path && !read_path(reader, raw.path, &body)) ||
        (raw.material && !read_material(reader, raw.material, &body)) ||
        !check_material(reader, raw.material, &body)) {
        return false;
    }
    body.rigid.group = in ? in : 1u;
    body.rigid.collides = ~missed;
    if (body.path_count) {
        body.rigid.pose = body.path[0].pose;
    }
    body.visible = raw.visible;
    if (shape.model) {
        body.model = model_index(c, shape.model);
        if (body.model < 0) {
            return wri_fail_memory(reader->error, sizeof(void *));
        }
    }
    return add_copies(reader, json, &raw, &body);
}

// --- joints -----------------------------------------------------------------------------------

// Where a name is in the table, or the free slot where it belongs.
static name_slot *find_name(const context *c, const char *name)
{
    size_t slot = wri_hash(name, strlen(name), 0) & (c->name_room - 1);
    while (c->names[slot].count > 0 &&
           strcmp(WRI_ITEM(c->bodies, wr_scene_body, c->names[slot].body).name, name) != 0) {
        slot = (slot + 1) & (c->name_room - 1);
    }
    return &c->names[slot];
}

static bool index_names(wri_reader *reader)
{
    context *c = reader->context;
    size_t room = 16;
    while (room < 2 * (size_t)c->bodies.count) {
        room *= 2;
    }
    c->names = wri_arena_alloc(reader->arena, room, sizeof *c->names);
    if (!c->names) {
        return wri_fail_memory(reader->error, room * sizeof *c->names);
    }
    c->name_room = room;
    for (int i = 0; i < c->bodies.count; i++) {
        name_slot *slot = find_name(c, WRI_ITEM(c->bodies, wr_scene_body, i).name);
        slot->body = slot->count++ ? slot->body : i;
    }
    return true;
}

static bool fail_body(wri_reader *reader, const wri_json *at, const char *name)
{
    const context *c = reader->context;
    const char **names = wri_arena_alloc(reader->arena, (size_t)c->bodies.count, sizeof *names);
    if (!names) {
        return wri_fail_memory(reader->error, (size_t)c->bodies.count * sizeof *names);
    }
    for (int i = 0; i < c->bodies.count; i++) {
        names[i] = WRI_ITEM(c->bodies, wr_scene_body, i).name;
    }
    return wri_fail_word(reader, at, "body", name, names, c->bodies.count);
}

// "link.3" and 2 copies further: "link.5". Names without a number stay as they are.
static const char *counted_name(wri_reader *reader, const char *name, int copy)
{
    const char *dot = strrchr(name, '.');
    char *end = NULL;
    long number = dot ? strtol(dot + 1, &end, 10) : 0;
    if (!dot || end == dot + 1 || *end || number < 0 || number > MOST_BODIES || copy == 0) {
        return name;
    }
    return wri_arena_printf(reader->arena, "%.*s.%ld", (int)(dot - name), name, number + copy);
}

static bool join_bodies(wri_reader *reader, const raw_joint *raw, int copy, wr_joint_desc *joint)
{
    const context *c = reader->context;
    int found[2] = {-1, -1};
    for (int i = 0; i < raw->bodies->count; i++) {
        const wri_json *item = &raw->bodies->items[i];
        if (!wri_expect(reader, item, WRI_JSON_STRING)) {
            return false;
        }
        const char *name = counted_name(reader, item->string, copy);
        if (!name) {
            return wri_fail_memory(reader->error, strlen(item->string));
        }
        const name_slot *slot = find_name(c, name);
        if (slot->count == 0) {
            return fail_body(reader, item, name);
        }
        if (slot->count > 1) {
            return wri_fail_at(reader, item, "%d bodies are called \"%s\", expected one",
                               slot->count, name);
        }
        found[i] = slot->body;
    }
    if (found[0] == found[1]) {
        return wri_fail_at(reader, raw->bodies, "joins a body with itself, expected two bodies");
    }
    joint->body_a = found[0];
    joint->body_b = found[1];
    return true;
}

static bool read_limits(wri_reader *reader, const raw_joint *raw, wr_joint_desc *joint)
{
    const wri_json *list = raw->limits;
    if (!list) {
        return true;
    }
    if (joint->kind != WR_JOINT_HINGE && joint->kind != WR_JOINT_SLIDER) {
        return wri_fail_at(reader, list, "\"limits\" are for hinges and sliders");
    }
    if (list->type != WRI_JSON_ARRAY || list->count != 2) {
        return wri_fail_at(reader, list, "\"limits\" expects [lower, upper]");
    }
    bool hinge = joint->kind == WR_JOINT_HINGE;
    const wri_key key = {.name = "limits",
                         .kind = hinge ? WRI_KEY_ANGLE : WRI_KEY_NUMBER,
                         .min = hinge ? -180 : -1e6,
                         .max = hinge ? 180 : 1e6,
                         .unit = hinge ? "deg" : "m"};
    double lower, upper;
    if (!wri_read_key(reader, &key, &list->items[0], &lower) ||
        !wri_read_key(reader, &key, &list->items[1], &upper)) {
        return false;
    }
    if (lower > upper) {
        return wri_fail_at(reader, list, "\"limits\" has its lower end above the upper one");
    }
    joint->lower = (float)lower;
    joint->upper = (float)upper;
    return true;
}

static bool read_joint(wri_reader *reader, const wri_json *json, int index)
{
    context *c = reader->context;
    reader->where = numbered(reader, "joint", index);
    raw_joint raw = {.breaks = -1.0};
    raw_copies rows[4];
    int row_count;
    if ((!c->names && !index_names(reader)) ||
        !wri_read_object(reader, &wri_joint_table, json, &raw) ||
        !wri_expect(reader, raw.bodies, WRI_JSON_ARRAY) ||
        !read_copies(reader, raw.copies, rows, &row_count)) {
        return false;
    }
    if (raw.bodies->count < 1 || raw.bodies->count > 2) {
        return wri_fail_at(reader, raw.bodies, "\"bodies\" has %d names, expected one or two",
                           raw.bodies->count);
    }
    if (row_count > 1) {
        return wri_fail_at(reader, raw.copies, "\"copies\" has %d rows, expected one for joints",
                           row_count);
    }
    if (!(wr_length(raw.axis) > 0.0f)) {
        return wri_fail_at(reader, wri_json_find(json, "axis"),
                           "\"axis\" is zero, expected a direction");
    }
    wr_joint_desc joint = wr_joint_desc_default();
    joint.kind = (wr_joint_kind)raw.kind;
    joint.axis = wr_normalize(raw.axis);
    joint.breaking_impulse = raw.breaks >= 0.0 ? (float)raw.breaks : INFINITY;
    joint.collide = raw.collide;
    if (!read_limits(reader, &raw, &joint)) {
        return false;
    }
    int copies = row_count ? rows[0].count : 1;
    for (int i = 0; i < copies; i++) {
        joint.at = row_count ? wr_add_scaled(raw.at, (float)i, rows[0].step) : raw.at;
        if (!join_bodies(reader, &raw, i, &joint)) {
            return false;
        }
        wr_scene_joint *item = wri_array_add(&c->joints, 1);
        if (!item) {
            return wri_fail_memory(reader->error, sizeof *item);
        }
        *item = (wr_scene_joint){raw.name, joint};
    }
    return true;
}

// --- stage ------------------------------------------------------------------------------------

static bool read_camera(wri_reader *reader, const wri_json *json, int index)
{
    context *c = reader->context;
    wr_stage *stage = &c->owner->scene.stage;
    reader->where = numbered(reader, "camera", index);
    if (index >= WR_STAGE_CAMERAS) {
        return wri_fail_at(reader, json, "is one too many, expected at most %d", WR_STAGE_CAMERAS);
    }
    raw_camera raw = {0};
    if (!wri_read_object(reader, &wri_camera_table, json, &raw)) {
        return false;
    }
    if (strlen(raw.name) >= WR_STAGE_NAME) {
        return wri_fail_at(reader, json, "\"name\" is longer than %d bytes", WR_STAGE_NAME - 1);
    }
    if (wr_distance(raw.from, raw.to) <= 0.0f) {
        return wri_fail_at(reader, json, "\"from\" and \"to\" are the same point");
    }
    wr_camera *camera = &stage->cameras[stage->camera_count++];
    strcpy(camera->name, raw.name);
    camera->from = raw.from;
    camera->to = raw.to;
    camera->fov = (float)raw.fov;
    return true;
}

static wr_color scale_color(float s, wr_color c)
{
    return (wr_color){s * c.r, s * c.g, s * c.b, c.a};
}

static bool read_light(wri_reader *reader, const wri_json *json)
{
    context *c = reader->context;
    wr_light *light = &c->owner->scene.stage.light;
    reader->where = "light";
    raw_light raw = {0};
    if (!json) {
        return true;
    }
    if (!wri_read_object(reader, &wri_light_table, json, &raw)) {
        return false;
    }
    float flat = cosf((float)raw.elevation);
    light->sun_direction = wr_v3(flat * sinf((float)raw.azimuth), sinf((float)raw.elevation),
                                 flat * cosf((float)raw.azimuth));
    light->sun_color = scale_color((float)raw.strength, raw.color);
    light->sun_radius = (float)raw.softness;
    light->sky_zenith = raw.zenith;
    light->sky_horizon = raw.horizon;
    light->ground = raw.ground;
    light->exposure = (float)raw.exposure;
    return true;
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

static bool copy_lists(context *c, wr_scene *scene, wr_error *error)
{
    wri_arena *arena = &c->owner->arena;
    size_t bodies = (size_t)c->bodies.count, joints = (size_t)c->joints.count;
    size_t models = (size_t)c->models.count;
    wr_scene_body *body = wri_arena_alloc(arena, bodies, sizeof *body);
    wr_scene_joint *joint = wri_arena_alloc(arena, joints, sizeof *joint);
    const wr_model **model = wri_arena_alloc(arena, models, sizeof *model);
    if (!body || !joint || !model) {
        return wri_fail_memory(error, bodies * sizeof *body);
    }
    if (bodies) {
        memcpy(body, c->bodies.items, bodies * sizeof *body);
    }
    if (joints) {
        memcpy(joint, c->joints.items, joints * sizeof *joint);
    }
    if (models) {
        memcpy(model, c->models.items, models * sizeof *model);
    }
    scene->bodies = body;
    scene->body_count = c->bodies.count;
    scene->joints = joint;
    scene->joint_count = c->joints.count;
    scene->models = model;
    scene->model_count = c->models.count;
    return true;
}

static bool read_scene(wri_reader *reader, const wri_json *json)
{
    context *c = reader->context;
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
    scene->substeps = raw.substeps;
    scene->iterations = raw.iterations;
    scene->gravity = raw.gravity;
    scene->sleeping = raw.sleeping;
    scene->stage = wr_stage_default();
    if (raw.length * raw.frames.numerator / raw.frames.denominator > MOST_FRAMES) {
        return wri_fail_at(reader, json, "has more than %d frames", MOST_FRAMES);
    }
    return read_assets(reader, raw.assets) && read_list(reader, raw.bodies, read_body) &&
           read_list(reader, raw.joints, read_joint) &&
           read_list(reader, raw.cameras, read_camera) && read_light(reader, raw.light) &&
           copy_lists(c, scene, reader->error);
}

static bool read_file(const char *path, context *c, wr_error *error)
{
    wri_arena *arena = &c->owner->arena;
    size_t size;
    char *text = wri_file_read(path, SCENE_BYTES, &arena->allocator, &size, error);
    if (!text) {
        return false;
    }
    const char version[] = {WR_VERSION_MAJOR, WR_VERSION_MINOR, WR_VERSION_PATCH};
    c->hash = wri_hash(text, size, wri_hash(version, sizeof version, 0));
    c->folder = wri_path_folder(arena, path);
    wri_reader reader = {arena, path, "scene", c, error};
    const wri_json *json = NULL;
    bool ok = (c->folder || wri_fail_memory(error, strlen(path))) &&
              (json = wri_json_parse(arena, text, size, path, true, error)) &&
              read_scene(&reader, json);
    c->owner->scene.hash = c->hash;
    wri_free(&arena->allocator, text, size + 1, 1);
    return ok;
}

wr_scene *wr_scene_read(const char *path, const wr_scene_options *options, wr_error *error)
{
    const wr_allocator *allocator = options ? options->allocator : NULL;
    wri_arena arena = wri_arena_create(allocator);
    owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    if (!o) {
        wri_fail_memory(error, sizeof *o);
        return NULL;
    }
    o->arena = arena;
    o->models = wri_model_cache_create(allocator);
    o->scene.memory = o;
    context c = {
        .owner = o,
        .options = options,
        .bodies = wri_array_create(allocator, sizeof(wr_scene_body)),
        .joints = wri_array_create(allocator, sizeof(wr_scene_joint)),
        .models = wri_array_create(allocator, sizeof(const wr_model *)),
    };
    bool ok = read_file(path, &c, error);
    wri_array_destroy(&c.bodies);
    wri_array_destroy(&c.joints);
    wri_array_destroy(&c.models);
    if (!ok) {
        wr_scene_destroy(&o->scene);
        return NULL;
    }
    return &o->scene;
}

void wr_scene_destroy(wr_scene *scene)
{
    if (!scene) {
        return;
    }
    owner *o = scene->memory;
    wri_model_cache_destroy(&o->models);
    for (int i = 0; i < o->asset_count; i++) {
        wr_model_destroy(o->assets[i].flat);
        wr_model_destroy(o->assets[i].source);
    }
    wri_arena arena = o->arena;
    wri_arena_destroy(&arena);
}

int wr_scene_frame_count(const wr_scene *scene)
{
    double frames = scene->length * scene->rate_numerator / scene->rate_denominator;
    return (int)ceil(frames - 1e-6);
}
