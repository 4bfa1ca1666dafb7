// snapshot.c: the whole state of a world as bytes, and back.
//
// Little-endian: magic, hash of everything behind it, version, step, number of materials, number of
// parts; per material its frozen flag, the points and weights it is shown with when frozen, size
// and bytes;
// per part its owner, index and whether it is alive, in order of birth; the engine's bytes.
// Restoring rebuilds the engine by the same calls that built it, then overwrites its state.
#include "world.h"

static const char MAGIC[8] = "wrworld";
enum { VERSION = 2, HEAD = 16 }; // HEAD: bytes of magic and hash

// --- bytes out --------------------------------------------------------------------------------

static bool put(wri_array *out, const void *bytes, size_t size)
{
    void *room = size > INT32_MAX ? NULL : wri_array_add(out, (int)size);
    if (room && size) {
        memcpy(room, bytes, size);
    }
    return room != NULL;
}

static void write_number(uint8_t bytes[8], uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static bool put_number(wri_array *out, uint64_t value)
{
    uint8_t bytes[8];
    write_number(bytes, value);
    return put(out, bytes, sizeof bytes);
}

// What a frozen body is shown with; others tell it themselves.
static bool put_surface(wri_array *out, const wri_material_body *body)
{
    size_t points = body->frozen ? (size_t)body->shown.count : 0;
    size_t weights = body->frozen ? (size_t)body->vertices.count : 0;
    return put_number(out, (uint64_t)(body->surface_part + 1)) && put_number(out, points) &&
           put(out, body->shown.items, points * sizeof(wr_vec3)) && put_number(out, weights) &&
           put(out, body->vertices.items, weights * sizeof(int)) &&
           put(out, body->examples.items, weights * sizeof(int)) &&
           put(out, body->weights.items, weights * sizeof(float));
}

static bool put_material(wri_array *out, const wri_material_body *body)
{
    size_t size = body->material->size(body->state);
    if (!put_number(out, body->frozen) || !put_surface(out, body) || !put_number(out, size)) {
        return false;
    }
    void *room = size > INT32_MAX ? NULL : wri_array_add(out, (int)size);
    if (room) {
        body->material->save(body->state, room);
    }
    return room != NULL;
}

bool wr_world_forgets(const wr_world *world)
{
    int rate = world->scene->rate_numerator / world->scene->rate_denominator;
    return world->frame.index % (rate < 1 ? 1 : rate) == 0;
}

static bool save(wr_world *world, wr_error *error)
{
    size_t engine_size;
    const void *engine = wr_rigid_save(world->rigid, &engine_size, error);
    if (!engine) {
        return false;
    }
    wri_array *out = &world->snapshot;
    out->count = 0;
    bool ok = put(out, MAGIC, sizeof MAGIC) && put_number(out, 0) && put_number(out, VERSION) &&
              put_number(out, (uint64_t)world->step) &&
              put_number(out, (uint64_t)world->material_count) &&
              put_number(out, (uint64_t)world->parts.count);
    for (int i = 0; ok && i < world->material_count; i++) {
        ok = put_material(out, &world->materials[i]);
    }
    for (int i = 0; ok && i < world->parts.count; i++) {
        const wri_part *part = &WRI_ITEM(world->parts, wri_part, i);
        ok = put_number(out, (uint64_t)part->owner) && put_number(out, (uint64_t)part->index) &&
             put_number(out, part->alive);
    }
    ok = ok && put_number(out, engine_size) && put(out, engine, engine_size);
    if (!ok) {
        return wri_fail_memory(error, engine_size);
    }
    uint8_t *bytes = out->items;
    write_number(bytes + sizeof MAGIC, wri_hash(bytes + HEAD, (size_t)out->count - HEAD, 0));
    return true;
}

void wri_world_forget(wr_world *world)
{
    world->saved_step = save(world, NULL) ? world->step : -1;
}

const void *wr_world_save(wr_world *world, size_t *size, wr_error *error)
{
    if (world->saved_step != world->step) {
        if (!save(world, error)) {
            return NULL;
        }
        world->saved_step = world->step;
    }
    *size = (size_t)world->snapshot.count;
    return world->snapshot.items;
}

// --- bytes in ---------------------------------------------------------------------------------

typedef struct input {
    const uint8_t *bytes;
    size_t size, at;
    wr_error *error;
} input;

static const uint8_t *take(input *in, size_t size)
{
    if (size > in->size - in->at) {
        wri_fail(in->error, WR_E_FORMAT, "snapshot: byte %zu: ends too early", in->at);
        return NULL;
    }
    const uint8_t *bytes = in->bytes + in->at;
    in->at += size;
    return bytes;
}

static bool take_number(input *in, uint64_t limit, uint64_t *value)
{
    const uint8_t *bytes = take(in, 8);
    if (!bytes) {
        return false;
    }
    *value = 0;
    for (int i = 0; i < 8; i++) {
        *value |= (uint64_t)bytes[i] << (8 * i);
    }
    return *value <= limit ||
           wri_fail(in->error, WR_E_FORMAT, "snapshot: byte %zu: %llu, expected at most %llu",
                    in->at - 8, (unsigned long long)*value, (unsigned long long)limit);
}

static bool fail_surface(input *in)
{
    return wri_fail(in->error, WR_E_FORMAT, "snapshot: byte %zu: the surface before it is not one",
                    in->at);
}

// `count` items into an array; false when they are not there.
static bool take_items(input *in, wri_array *array, uint64_t count)
{
    size_t size = (size_t)count * array->item_size;
    const uint8_t *bytes = take(in, size);
    array->count = 0;
    void *items = bytes && count ? wri_array_add(array, (int)count) : NULL;
    if (!items) {
        return bytes && (count == 0 || wri_fail_memory(in->error, size));
    }
    memcpy(items, bytes, size);
    return true;
}

static bool take_points(input *in, wri_material_body *body)
{
    uint64_t count;
    if (!take_number(in, in->size / sizeof(wr_vec3), &count) ||
        !take_items(in, &body->shown, count)) {
        return false;
    }
    for (int i = 0; i < body->shown.count; i++) {
        if (!wr_is_finite3(WRI_ITEM(body->shown, wr_vec3, i))) {
            return fail_surface(in);
        }
    }
    return true;
}

static bool take_weights(input *in, wri_material_body *body, const wr_asset *asset)
{
    uint64_t count;
    body->weights_version = 0;
    if (!take_number(in, in->size / sizeof(float), &count) ||
        !take_items(in, &body->vertices, count) || !take_items(in, &body->examples, count) ||
        !take_items(in, &body->weights, count)) {
        return false;
    }
    for (int i = 0, vertex = 0; i < body->vertices.count; i++) {
        int v = WRI_ITEM(body->vertices, int, i), e = WRI_ITEM(body->examples, int, i);
        float weight = WRI_ITEM(body->weights, float, i);
        if (!asset || v < vertex || v >= asset->rig.vertex_count || e < 1 ||
            e >= asset->rig.example_count || !(weight >= 0.0f && weight <= 1.0f)) {
            return fail_surface(in);
        }
        vertex = v;
    }
    return true;
}

static bool take_surface(input *in, wri_material_body *body, const wr_asset *asset)
{
    uint64_t part;
    if (!take_number(in, INT32_MAX, &part)) {
        return false;
    }
    body->surface_part = (int)part - 1;
    return take_points(in, body) && take_weights(in, body, asset);
}

static bool take_material(input *in, wri_material_body *body, const wr_asset *asset)
{
    uint64_t frozen, size;
    if (!take_number(in, 1, &frozen) || !take_surface(in, body, asset) ||
        !take_number(in, in->size, &size)) {
        return false;
    }
    const uint8_t *bytes = take(in, (size_t)size);
    body->frozen = frozen != 0;
    if (!bytes || !body->material->restore(body->state, bytes, (size_t)size, in->error)) {
        return false;
    }
    if (body->frozen && body->material->freeze) {
        body->material->freeze(body->state);
    }
    return body->frozen || body->material->is_sound(body->state) ||
           wri_fail(in->error, WR_E_FORMAT, "snapshot: byte %zu: the state before it is not finite",
                    in->at);
}

static bool take_part(wr_world *world, input *in)
{
    uint64_t owner, index, alive;
    if (!take_number(in, INT32_MAX, &owner) || !take_number(in, INT32_MAX, &index) ||
        !take_number(in, 1, &alive)) {
        return false;
    }
    if (owner >= (uint64_t)world->material_count) {
        return wri_fail(in->error, WR_E_FORMAT,
                        "snapshot: byte %zu: part of material %d, expected less than %d",
                        in->at - 24, (int)owner, world->material_count);
    }
    wri_material_body *body = &world->materials[owner];
    int count = 0;
    if (body->material->parts) {
        body->material->parts(body->state, &count);
    }
    if ((int)index != body->part_count || (int)index >= count) {
        return wri_fail(in->error, WR_E_FORMAT,
                        "snapshot: byte %zu: part %d of a body with %d parts", in->at, (int)index,
                        count);
    }
    if (!wri_world_add_part(world, (int)owner, (int)index, false, in->error)) {
        return false;
    }
    // Whether it is in the engine as well is among the engine's bytes.
    WRI_ITEM(world->parts, wri_part, world->parts.count - 1).alive = alive != 0;
    return true;
}

static bool take_head(const wr_world *world, input *in, uint64_t *step, uint64_t *parts)
{
    uint64_t hash, version, materials,
        last = (uint64_t)INT32_MAX * (uint64_t)world->scene->substeps;
    const uint8_t *magic = take(in, sizeof MAGIC);
    if (!magic || memcmp(magic, MAGIC, sizeof MAGIC) != 0) {
        return wri_fail(in->error, WR_E_FORMAT, "snapshot: byte 0: not a snapshot of a world");
    }
    if (!take_number(in, UINT64_MAX, &hash) || !take_number(in, UINT64_MAX, &version)) {
        return false;
    }
    if (version != VERSION) {
        return wri_fail(in->error, WR_E_UNSUPPORTED, "snapshot: version %llu, expected %d",
                        (unsigned long long)version, VERSION);
    }
    if (hash != wri_hash(in->bytes + HEAD, in->size - HEAD, 0)) {
        return wri_fail(in->error, WR_E_FORMAT, "snapshot: its %zu bytes do not match their hash",
                        in->size);
    }
    if (!take_number(in, last, step) || !take_number(in, INT32_MAX, &materials) ||
        !take_number(in, INT32_MAX, parts)) {
        return false;
    }
    return materials == (uint64_t)world->material_count ||
           wri_fail(in->error, WR_E_FORMAT,
                    "snapshot: is of a world with %d materials, expected %d", (int)materials,
                    world->material_count);
}

bool wr_world_restore(wr_world *world, const void *bytes, size_t size, wr_error *error)
{
    input in = {bytes, size, 0, error};
    uint64_t step, parts, engine_size;
    bool ok = take_head(world, &in, &step, &parts);
    for (int i = 0; ok && i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        ok = take_material(&in, body, world->scene->bodies[body->scene_body].asset);
    }
    wri_world_forget_parts(world);
    ok = ok && wri_world_build_engine(world, error);
    for (uint64_t i = 0; ok && i < parts; i++) {
        ok = take_part(world, &in);
    }
    ok = ok && wri_world_add_joints(world, error) && take_number(&in, size, &engine_size);
    const uint8_t *engine = ok ? take(&in, (size_t)engine_size) : NULL;
    if (!engine || !wr_rigid_restore(world->rigid, engine, (size_t)engine_size, error)) {
        return false;
    }
    if (in.at != in.size) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: byte %zu: ends too late", in.at);
    }
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        if (body->frozen && body->surface_part >= body->part_count) {
            return wri_fail(error, WR_E_FORMAT,
                            "snapshot: surface of part %d, expected less than %d",
                            body->surface_part, body->part_count);
        }
    }
    world->step = (int64_t)step;
    world->saved_step = -1;
    world->pairs.count = 0;
    wri_world_mark_reported(world);
    wri_world_read_frame(world);
    return true;
}
