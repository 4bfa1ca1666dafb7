// body.c: the bodies of a scene file: shape, motion, groups, material, copies.
#include "../author/recipe.h"
#include "../base/parameter.h"
#include "materials.h"
#include "scene.h"

static bool find_asset(wri_reader *reader, const wri_json *json, const char *name,
                       const wri_asset **asset)
{
    const wri_scene_context *c = reader->context;
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
    wri_scene_context *c = reader->context;
    if (!wri_expect(reader, value, WRI_JSON_STRING)) {
        return false;
    }
    int i = 0;
    while (i < c->group_count && strcmp(c->groups[i], value->string) != 0) {
        i++;
    }
    if (i == WRI_MOST_GROUPS) {
        return wri_fail_at(reader, value, "\"%s\" is the 32nd group, expected at most %d",
                           value->string, WRI_MOST_GROUPS);
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
                               "\"time\" is %s s, expected more than the %s s before it",
                               WRI_NUMBER(keys[i].time, 6), WRI_NUMBER(keys[i - 1].time, 6));
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
            for (int k = 0; k < material->parameter_count; k++) {
                values[k] = wri_parameter_in(&material->presets[i], &material->parameters[k]);
            }
            return true;
        }
        if (count < WRI_COUNT(names)) {
            names[count++] = material->presets[i].name;
        }
    }
    return wri_fail_word(reader, value, "preset", value->string, names, count);
}

// A number in units of the body, or text with a unit: "0.8 m/s".
static bool read_real_or_relative(wri_reader *reader, const wri_json *member, const wr_parameter *p,
                                  double *value, bool *is_real)
{
    *is_real = member->type == WRI_JSON_STRING;
    const wri_key key = {.name = p->name,
                         .kind = WRI_KEY_NUMBER,
                         .min = *is_real ? 0.0 : p->min,
                         .max = *is_real ? 1e9 : p->max,
                         .unit = *is_real ? p->real_unit : NULL};
    return wri_read_key(reader, &key, member, value);
}

static bool read_parameter(wri_reader *reader, const wri_json *member, const wr_material *material,
                           double *values, bool *is_real)
{
    const char *names[64];
    int count = 0;
    for (int i = 0; i < material->parameter_count; i++) {
        const wr_parameter *p = &material->parameters[i];
        if (strcmp(p->name, member->key) == 0) {
            return p->real_unit ? read_real_or_relative(reader, member, p, &values[i], &is_real[i])
                                : wri_read_parameter(reader, member, p, &values[i]);
        }
        if (count < WRI_COUNT(names)) {
            names[count++] = p->name;
        }
    }
    wri_json at = wri_at_key(member);
    return wri_fail_word(reader, &at, "parameter", member->key, names, count);
}

// Parameters that say the same thing in two ways.
static bool check_exclusions(wri_reader *reader, const wri_json *json, const wr_material *material)
{
    bool ok = true;
    for (int i = 0; ok && i < material->parameter_count; i++) {
        const wr_parameter *p = &material->parameters[i];
        const wri_json *said = p->excludes ? wri_json_find(json, p->name) : NULL;
        ok = !said || !wri_json_find(json, p->excludes) ||
             wri_fail_at(reader, said, "\"%s\" and \"%s\" exclude each other, expected one of them",
                         p->name, p->excludes);
    }
    return ok;
}

// The member that names a material, or the first one for the complaint.
static const wri_json *find_material_member(const wri_scene_context *c, const wri_json *json,
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
    const wri_scene_context *c = reader->context;
    char rest[400];
    return wri_fail_at(reader, at, "unknown material \"%s\"%s", word,
                       wri_mean_material(rest, sizeof rest, c->options, word));
}

static bool read_material(wri_reader *reader, const wri_json *json, wr_scene_body *body)
{
    const wri_scene_context *c = reader->context;
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
    bool *is_real = wri_arena_alloc(reader->arena, count, sizeof *is_real);
    if (!values || !is_real) {
        return wri_fail_memory(reader->error, count * sizeof *values);
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = material->parameters[i].fallback;
    }
    bool ok = !named || read_preset(reader, named, material, values);
    for (int i = 0; ok && named && i < json->count; i++) {
        ok = &json->items[i] == named ||
             read_parameter(reader, &json->items[i], material, values, is_real);
    }
    ok = ok && (!named || check_exclusions(reader, json, material));
    body->material = material;
    body->values = values;
    body->is_real = is_real;
    return ok;
}

bool wr_recipe_check_material(const wr_recipe *recipe, wr_error *error)
{
    if (!WRI_REQUIRE(error, recipe)) {
        return false;
    }
    wri_arena arena = wri_arena_create(NULL);
    wri_scene_context context = {0};
    wri_reader reader = {&arena, recipe->path, "material", &context, error};
    wr_scene_body body = {0};
    bool ok = !recipe->raw.material || read_material(&reader, recipe->raw.material, &body);
    wri_arena_destroy(&arena);
    return ok;
}

// Reads the material of the asset, for bodies that name none.
static bool read_asset_material(wri_reader *reader, const wri_asset *asset, wr_scene_body *body)
{
    const char *text = asset->rigged->material;
    wri_reader inner = *reader;
    inner.path = asset->path;
    inner.where = wri_quoted(reader, "material of asset", asset->name);
    const wri_json *json =
        wri_json_parse(reader->arena, text, strlen(text), asset->path, false, reader->error);
    return json && read_material(&inner, json, body);
}

static bool find_material(wri_reader *reader, const raw_body *raw, const wri_asset *asset,
                          wr_scene_body *body)
{
    if (raw->material) {
        return read_material(reader, raw->material, body);
    }
    bool wanted = body->rigid.motion == WR_MOTION_MOVING || raw->pose;
    return !(wanted && asset && asset->rigged && asset->rigged->material) ||
           read_asset_material(reader, asset, body);
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

// A path does not drive it: its pose goes along.
static bool is_taken_along(const raw_body *raw, const wr_material *material)
{
    return raw->path && material && material->follows_pose;
}

static bool check_motion(wri_reader *reader, const wri_json *json, const raw_body *raw,
                         const wr_scene_body *body, wr_shape_kind shape)
{
    wr_motion motion = body->rigid.motion;
    if (shape == WR_SHAPE_PLANE && motion != WR_MOTION_STATIC) {
        return wri_fail_at(reader, json, "a plane cannot move, expected the motion \"static\"");
    }
    if (raw->path && motion != WR_MOTION_DRIVEN && !is_taken_along(raw, body->material)) {
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

// Rigid bodies do, and materials whose only contact with the world is a body of the engine.
static bool moves_as_a_part(const wr_material *material)
{
    return !material ||
           (material->parts && !material->balls && !material->boundary && !material->step_ensemble);
}

// Keys that would be read and then change nothing.
static bool check_effect(wri_reader *reader, const wri_json *json, const raw_body *raw,
                         wr_motion motion, const wr_material *material)
{
    static const char *const moves[] = {"velocity", "spin"};
    static const char *const places[] = {"at", "turn"};
    for (int i = 0; i < 2; i++) {
        const wri_json *move = wri_json_find(json, moves[i]);
        const wri_json *place = wri_json_find(json, places[i]);
        if (move && motion != WR_MOTION_MOVING) {
            return wri_fail_at(reader, move, "\"%s\" has no effect on a body that is not moving",
                               moves[i]);
        }
        const wri_json *idle = place ? place : move;
        if (idle && raw->path) {
            return wri_fail_at(reader, idle, "\"%s\" has no effect beside a \"path\"", idle->key);
        }
    }
    static const char *const guides[] = {"hold", "again"};
    for (int i = 0; i < WRI_COUNT(guides); i++) {
        const wri_json *guide = wri_json_find(json, guides[i]);
        if (guide && (motion != WR_MOTION_MOVING || !moves_as_a_part(material))) {
            return wri_fail_at(reader, guide, "\"%s\" has no effect on a body %s%s%s", guides[i],
                               motion != WR_MOTION_MOVING ? "that is not moving" : "of \"",
                               motion != WR_MOTION_MOVING ? "" : material->name,
                               motion != WR_MOTION_MOVING ? "" : "\"");
        }
    }
    const wri_json *scale = wri_json_find(json, "scale");
    return !scale || raw->asset ||
           wri_fail_at(reader, scale, "\"scale\" has no effect without an \"asset\"");
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
    desc->angular_velocity = wr_scale(WR_PI / 180.0f, raw->angular_velocity);
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
    float grey = raw->asset || raw->look ? 1.0f : 0.55f;
    bool plane = raw->shape && raw->shape->type == WRI_JSON_STRING;
    return plane && !raw->asset && !raw->look ? (wr_color){0} // the stage's ground colour
                                              : (wr_color){grey, grey, grey, 1.0f};
}

bool wri_read_copies(wri_reader *reader, const wri_json *value, raw_copies rows[4], int *count)
{
    *count = 0;
    if (!value) {
        return true;
    }
    const wri_json *items = value->type == WRI_JSON_ARRAY ? value->items : value;
    int rows_wanted = value->type == WRI_JSON_ARRAY ? value->count : 1;
    if (rows_wanted < 1 || rows_wanted > 4) {
        return wri_fail_at(reader, value, "\"copies\" has %d rows, expected 1 to 4", rows_wanted);
    }
    int64_t total = 1;
    for (int i = 0; i < rows_wanted; i++) {
        rows[i] = (raw_copies){0};
        if (!wri_read_object(reader, &wri_copies_table, &items[i], &rows[i])) {
            return false;
        }
        total *= rows[i].count;
        if (total > WRI_MOST_BODIES) {
            return wri_fail_at(reader, value, "\"copies\" asks for more than %d bodies",
                               WRI_MOST_BODIES);
        }
    }
    *count = rows_wanted;
    return true;
}

// turn, k times over.
static wr_quat repeat_turn(wr_quat turn, int k)
{
    wr_quat result = WR_QUAT_IDENTITY;
    for (; k > 0; k /= 2) {
        result = k % 2 ? wr_quat_normalize(wr_quat_multiply(result, turn)) : result;
        turn = wr_quat_normalize(wr_quat_multiply(turn, turn));
    }
    return result;
}

// Pose of copy number `copy`: the first row counts fastest.
static wr_pose copy_pose(wr_pose pose, const raw_copies *rows, int row_count, int copy)
{
    for (int r = 0; r < row_count; r++) {
        int k = copy % rows[r].count;
        copy /= rows[r].count;
        pose.position = wr_add_scaled(pose.position, (float)k, rows[r].step);
        pose.rotation =
            wr_quat_normalize(wr_quat_multiply(pose.rotation, repeat_turn(rows[r].turn, k)));
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
    wri_scene_context *c = reader->context;
    raw_copies rows[4];
    int row_count, copies = 1;
    if (!wri_read_copies(reader, raw->copies, rows, &row_count)) {
        return false;
    }
    for (int r = 0; r < row_count; r++) {
        copies *= rows[r].count;
    }
    if (c->bodies.count + copies > WRI_MOST_BODIES) {
        return wri_fail_at(reader, json, "the scene has more than %d bodies", WRI_MOST_BODIES);
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

static bool read_body_shape(wri_reader *reader, const wri_json *json, const raw_body *raw,
                            const wri_asset *asset, const wr_scene_body *body,
                            wri_body_shape *shape)
{
    wri_scene_context *c = reader->context;
    const wri_material_reader *own = wri_material_reader_of(body->material);
    if (own && own->check && !own->check(reader, json, raw, body)) {
        return false;
    }
    if (body->material && body->material->is_shapeless) {
        return asset ? wri_read_drawing(reader, &c->owner->models, asset, raw->scale, shape)
                     : wri_fail_at(reader, json, "a body of \"%s\" expects an \"asset\"",
                                   body->material->name);
    }
    return wri_read_shape(reader, &c->owner->models, raw->shape, json, asset, raw->scale,
                          raw->density, body->rigid.motion == WR_MOTION_MOVING, shape);
}

static bool warn_of_limit(wri_reader *reader, const wr_scene_body *body, double length,
                          double reached)
{
    return wri_scene_warn(
        reader,
        wri_arena_printf(reader->arena,
                         "%s: body \"%s\": edges of its model stay up to %s m long, not %s m "
                         "as wanted: it would have too many vertices",
                         body->place, body->name, WRI_NUMBER(reached, 2), WRI_NUMBER(length, 2)));
}

// Materials may want a model with shorter edges.
static bool refine_model(wri_reader *reader, wri_body_shape *shape, wr_scene_body *body)
{
    const wri_scene_context *c = reader->context;
    const wr_material *m = body->material;
    double length = m && m->edge_length && shape->model
                        ? m->edge_length(shape->model->meshes, body->values, body->is_real)
                        : 0.0;
    double reached = length;
    if (length > 0.0 && !wri_refine_shape(reader, &c->owner->models, length, shape, &reached)) {
        return false;
    }
    body->added = shape->added;
    body->model = wri_model_cache_number(&c->owner->models, shape);
    return reached == length || warn_of_limit(reader, body, length, reached);
}

// Finds what a body is made of, and whether it moves.
static bool find_substance(wri_reader *reader, const wri_json *json, const raw_body *raw,
                           const wri_asset **asset, wr_scene_body *body)
{
    if (raw->asset && !find_asset(reader, json, raw->asset, asset)) {
        return false;
    }
    body->rigid.motion = decide_motion(raw);
    body->asset = *asset ? (*asset)->rigged : NULL;
    if (!find_material(reader, raw, *asset, body)) {
        return false;
    }
    if (raw->motion == RAW_UNSAID && is_taken_along(raw, body->material)) {
        body->rigid.motion = WR_MOTION_MOVING;
    }
    return true;
}

static bool read_filter(wri_reader *reader, const raw_body *raw, wr_rigid_body_desc *rigid)
{
    uint32_t missed = 0, in = 0;
    bool ok = read_groups(reader, raw->groups, &in) && read_groups(reader, raw->misses, &missed);
    rigid->group = in ? in : 1u;
    rigid->collides = ~missed;
    return ok;
}

static bool read_again(wri_reader *reader, const wri_json *json, wr_scene_body *body)
{
    raw_again raw = {0};
    if (!wri_read_object(reader, &wri_again_table, json, &raw)) {
        return false;
    }
    body->has_entry = wri_json_find(json, "at") != NULL;
    body->entry_at = raw.at;
    body->comes_again = true;
    body->again_below = (float)raw.below;
    float entry = body->has_entry ? raw.at.y : body->rigid.pose.position.y;
    return entry > body->again_below ||
           wri_fail_at(reader, json,
                       "\"below\" is %s m, expected less than the %s m where it comes in",
                       WRI_NUMBER(raw.below, 6), WRI_NUMBER(entry, 6));
}

static bool read_rest(wri_reader *reader, const wri_json *json, const raw_body *raw,
                      wr_scene_body *body)
{
    bool has_color = wri_json_find(json, "color") != NULL;
    if (!read_filter(reader, raw, &body->rigid) ||
        (raw->look && !wri_read_look(reader, raw->look, has_color, &body->look)) ||
        (raw->surface && !wri_find_surface(reader, json, raw->surface, &body->rigid.surface)) ||
        (raw->again && !read_again(reader, raw->again, body)) ||
        (raw->path && !read_path(reader, raw->path, body)) ||
        !check_material(reader, raw->material, body) || !wri_read_pose(reader, raw->pose, body) ||
        !wri_read_own_keys(reader, json, body)) {
        return false;
    }
    const wri_material_reader *own = wri_material_reader_of(body->material);
    if (own && own->mass) {
        body->rigid.mass.mass = own->mass(body);
    }
    if (body->path_count) {
        body->rigid.pose = body->path[0].pose;
    }
    return true;
}

bool wri_read_body(wri_reader *reader, const wri_json *json, int index)
{
    const wri_scene_context *c = reader->context;
    const wri_json *name = wri_json_find(json, "name");
    reader->where = name && name->type == WRI_JSON_STRING ? wri_quoted(reader, "body", name->string)
                                                          : wri_numbered(reader, "body", index);
    raw_body raw = {.motion = RAW_UNSAID};
    if (!wri_read_object(reader, c->body_table, json, &raw)) {
        return false;
    }
    const wri_asset *asset = NULL;
    wr_scene_body body = {.entry = index,
                          .density = raw.density,
                          .color = body_color(&raw, json),
                          .mass = raw.mass,
                          .hold = raw.hold,
                          .scale = (float)raw.scale,
                          .visible = raw.visible,
                          .model = -1};
    wri_body_shape shape;
    if (!find_substance(reader, json, &raw, &asset, &body) ||
        !read_body_shape(reader, json, &raw, asset, &body, &shape) ||
        !check_motion(reader, json, &raw, &body, shape.shape.kind) ||
        !check_effect(reader, json, &raw, body.rigid.motion, body.material)) {
        return false;
    }
    body.name = raw.name ? raw.name : wri_arena_printf(reader->arena, "body %d", index + 1);
    body.place =
        wri_arena_printf(reader->arena, "%s:%d:%d", reader->path, json->line, json->column);
    if (!body.name || !body.place) {
        return wri_fail_memory(reader->error, 16);
    }
    fill_rigid(&raw, body.rigid.motion, &shape, &body.rigid);
    return refine_model(reader, &shape, &body) &&
           wri_find_skeleton(reader, json, asset, raw.path, &body) &&
           read_rest(reader, json, &raw, &body) && add_copies(reader, json, &raw, &body);
}
