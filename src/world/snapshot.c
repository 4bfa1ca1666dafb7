// snapshot.c: the whole state of a world as bytes, and back.
//
// The engine keeps more than its state: caches, and the order of its lists. At fixed frames, and
// when somebody changed it by hand, the world is saved and the engine built anew from the saved
// bytes: it *forgets*. A save in between would have to forget, too, and so change what follows.
// Instead it is the bytes of the last time, with the number of frames since; restoring simulates
// these again.
//
// Little-endian: magic, hash of everything behind it, version, frames to simulate again, step,
// number of materials, of parts, of joints between parts; per material its frozen flag, the points
// and weights it is shown with when frozen, size and bytes; per part and per joint its owner, index
// and whether it is alive, in order of birth; the engine's bytes. Restoring rebuilds the engine by
// the same calls that built it, then overwrites its state.
#include "world.h"

static const char MAGIC[8] = "wrworld";
enum { VERSION = 4, HEAD = 16, FRAMES = 24 }; // HEAD: bytes of magic and hash; FRAMES: where

// --- bytes out --------------------------------------------------------------------------------

typedef struct output {
    wri_array *bytes;
    wr_error *error;
} output;

// Room for more bytes at the end; NULL, with a sentence, when there is none.
static void *make_room(const output *out, size_t size)
{
    WR_ASSERT(out->bytes->item_size == 1);
    if (size > (size_t)(INT32_MAX - out->bytes->count)) {
        wri_fail(out->error, WR_E_LIMIT, "snapshot: would have more than %d bytes", INT32_MAX);
        return NULL;
    }
    void *room = wri_array_add(out->bytes, (int)size);
    if (!room) {
        wri_fail_memory(out->error, size);
    }
    return room;
}

static bool put(const output *out, const void *bytes, size_t size)
{
    WR_ASSERT(bytes || size == 0);
    void *room = make_room(out, size);
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

static bool put_number(const output *out, uint64_t value)
{
    uint8_t bytes[8];
    write_number(bytes, value);
    return put(out, bytes, sizeof bytes);
}

// The surface that a frozen body is shown with; other bodies tell theirs themselves.
static bool put_surface(const output *out, const wri_material_body *body)
{
    WR_ASSERT(body->vertices.count == body->examples.count &&
              body->vertices.count == body->weights.count);
    WR_ASSERT(body->surface_part >= -1 && body->surface_part < body->part_count);
    size_t points = body->frozen ? (size_t)body->shown.count : 0;
    size_t weights = body->frozen ? (size_t)body->vertices.count : 0;
    return put_number(out, (uint64_t)(body->surface_part + 1)) && put_number(out, points) &&
           put(out, body->shown.items, points * sizeof(wr_vec3)) && put_number(out, weights) &&
           put(out, body->vertices.items, weights * sizeof(int)) &&
           put(out, body->examples.items, weights * sizeof(int)) &&
           put(out, body->weights.items, weights * sizeof(float));
}

static bool put_material(const output *out, const wri_material_body *body)
{
    size_t size = body->material->size(body->state);
    if (!put_number(out, body->frozen) || !put_surface(out, body) || !put_number(out, size)) {
        return false;
    }
    void *room = make_room(out, size);
    if (room) {
        body->material->save(body->state, room);
    }
    return room != NULL;
}

// Frames from one time to the next: a second of film.
static int forget_interval(const wr_scene *scene)
{
    WR_ASSERT(scene->rate_numerator > 0 && scene->rate_denominator > 0);
    int rate = scene->rate_numerator / scene->rate_denominator;
    return rate < 1 ? 1 : rate;
}

bool wr_world_forgets(const wr_world *world)
{
    return world->frame.index % forget_interval(world->scene) == 0;
}

static void seal(wri_array *bytes)
{
    uint8_t *out = bytes->items;
    WR_ASSERT(bytes->count > FRAMES); // the number of frames is under the seal
    write_number(out + sizeof MAGIC, wri_hash(out + HEAD, (size_t)bytes->count - HEAD, 0));
}

static bool save(wr_world *world, wr_error *error)
{
    size_t engine_size;
    const void *engine = wr_rigid_save(world->rigid, &engine_size, error);
    if (!engine) {
        return false;
    }
    const output to = {&world->snapshot, error}, *out = &to;
    world->snapshot.count = 0;
    bool ok = put(out, MAGIC, sizeof MAGIC) && put_number(out, 0) && put_number(out, VERSION) &&
              put_number(out, 0) && put_number(out, (uint64_t)world->step) &&
              put_number(out, (uint64_t)world->material_count) &&
              put_number(out, (uint64_t)world->parts.count) &&
              put_number(out, (uint64_t)world->joints.count);
    for (int i = 0; ok && i < world->material_count; i++) {
        ok = put_material(out, &world->materials[i]);
    }
    for (int i = 0; ok && i < world->parts.count; i++) {
        const wri_part *part = &WRI_ITEM(world->parts, wri_part, i);
        WR_ASSERT(wri_part_of_engine(world, part->engine) == part);
        ok = put_number(out, (uint64_t)part->owner) && put_number(out, (uint64_t)part->index) &&
             put_number(out, part->alive);
    }
    for (int i = 0; ok && i < world->joints.count; i++) {
        const wri_part_joint *joint = &WRI_ITEM(world->joints, wri_part_joint, i);
        WR_ASSERT(joint->engine == world->scene->joint_count + i); // the scene's are first
        ok = put_number(out, (uint64_t)joint->owner) && put_number(out, (uint64_t)joint->index) &&
             put_number(out, joint->alive);
    }
    ok = ok && put_number(out, engine_size) && put(out, engine, engine_size);
    if (ok) {
        seal(&world->snapshot);
    }
    return ok;
}

bool wri_world_forget(wr_world *world, wr_error *error)
{
    WR_ASSERT(world->push_contacts.count == 0);
    bool ok = save(world, error);
    world->saved_step = ok ? world->step : -1;
    world->is_changed = false;
    return ok;
}

const void *wr_world_save(wr_world *world, size_t *size, wr_error *error)
{
    if (!WRI_REQUIRE(error, world, size)) {
        return NULL;
    }
    if (world->is_cancelled) {
        wr_world_check(world, error);
        return NULL;
    }
    if ((world->saved_step < 0 || world->is_changed) && !wri_world_forget(world, error)) {
        return NULL;
    }
    WR_ASSERT(world->saved_step >= 0 && world->saved_step <= world->step);
    *size = (size_t)world->snapshot.count;
    if (world->saved_step == world->step) {
        return world->snapshot.items;
    }
    wri_array *out = &world->replay;
    out->count = 0;
    if (!put(&(output){out, error}, world->snapshot.items, *size)) {
        return NULL;
    }
    int64_t frames = (world->step - world->saved_step) / world->scene->substeps;
    WR_ASSERT(frames > 0 && frames < forget_interval(world->scene));
    write_number((uint8_t *)out->items + FRAMES, (uint64_t)frames);
    seal(out);
    return out->items;
}

// --- bytes in ---------------------------------------------------------------------------------

typedef struct input {
    const uint8_t *bytes;
    size_t size, at;
    wr_error *error;
} input;

static const uint8_t *take(input *in, size_t size)
{
    WR_ASSERT(in->at <= in->size);
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
    WR_ASSERT(array->item_size > 0 && size / array->item_size == count);
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
    body->frozen_why = body->pushes.lost = NULL;
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

// The owner, number and liveliness of a part or a joint.
typedef struct belonging {
    uint64_t owner, index, alive;
} belonging;

static bool take_belonging(const wr_world *world, input *in, const char *what, belonging *b)
{
    if (!take_number(in, INT32_MAX, &b->owner) || !take_number(in, INT32_MAX, &b->index) ||
        !take_number(in, 1, &b->alive)) {
        return false;
    }
    return b->owner < (uint64_t)world->material_count ||
           wri_fail(in->error, WR_E_FORMAT,
                    "snapshot: byte %zu: %s of material %d, expected less than %d", in->at - 24,
                    what, (int)b->owner, world->material_count);
}

static bool check_index(const input *in, const belonging *b, const char *what, int known, int count)
{
    return ((int)b->index == known && (int)b->index < count) ||
           wri_fail(in->error, WR_E_FORMAT, "snapshot: byte %zu: %s %d of a body with %d", in->at,
                    what, (int)b->index, count);
}

// The engine's bytes say whether the part is in the engine as well.
static bool take_part(wr_world *world, input *in)
{
    belonging b;
    if (!take_belonging(world, in, "part", &b)) {
        return false;
    }
    wri_material_body *body = &world->materials[b.owner];
    int count = 0;
    if (body->material->parts) {
        body->material->parts(body->state, &count);
    }
    if (!check_index(in, &b, "part", body->part_count, count) ||
        !wri_world_add_part(world, (int)b.owner, (int)b.index, false, in->error)) {
        return false;
    }
    WR_ASSERT(body->part_count == (int)b.index + 1);
    WRI_ITEM(world->parts, wri_part, world->parts.count - 1).alive = b.alive != 0;
    return true;
}

static bool take_joint(wr_world *world, input *in)
{
    belonging b;
    if (!take_belonging(world, in, "joint", &b)) {
        return false;
    }
    wri_material_body *body = &world->materials[b.owner];
    int count = 0;
    const wr_material_joint *joints =
        body->material->joints ? body->material->joints(body->state, &count) : NULL;
    if (!check_index(in, &b, "joint", body->joint_count, count)) {
        return false;
    }
    const wr_joint_desc *joint = &joints[b.index].joint;
    if (joint->body_a >= body->part_count || joint->body_b >= body->part_count) {
        return wri_fail(in->error, WR_E_FORMAT, "snapshot: byte %zu: joint %d has parts to come",
                        in->at, (int)b.index);
    }
    if (!wri_world_add_part_joint(world, (int)b.owner, (int)b.index, in->error)) {
        return false;
    }
    WR_ASSERT(body->joint_count == (int)b.index + 1);
    WRI_ITEM(world->joints, wri_part_joint, world->joints.count - 1).alive = b.alive != 0;
    return true;
}

// The bytes before those of the materials.
typedef struct snapshot_head {
    uint64_t frames, step, parts, joints;
} snapshot_head;

static bool take_counts(const wr_world *world, input *in, snapshot_head *head)
{
    uint64_t materials, last = (uint64_t)INT32_MAX * (uint64_t)world->scene->substeps;
    if (!take_number(in, (uint64_t)forget_interval(world->scene) - 1, &head->frames) ||
        !take_number(in, last, &head->step) || !take_number(in, INT32_MAX, &materials) ||
        !take_number(in, INT32_MAX, &head->parts) || !take_number(in, INT32_MAX, &head->joints)) {
        return false;
    }
    return materials == (uint64_t)world->material_count ||
           wri_fail(in->error, WR_E_FORMAT,
                    "snapshot: is of a world with %d materials, expected %d", (int)materials,
                    world->material_count);
}

static bool take_head(const wr_world *world, input *in, snapshot_head *head)
{
    uint64_t hash, version;
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
    WR_ASSERT(in->at == FRAMES); // where wr_world_save and wr_world_restore write them
    return take_counts(world, in, head);
}

static bool take_all(wr_world *world, input *in, const snapshot_head *head)
{
    bool ok = true;
    uint64_t engine_size;
    for (int i = 0; ok && i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        ok = take_material(in, body, world->scene->bodies[body->scene_body].asset);
    }
    wri_world_reset_ensembles(world);
    wri_world_forget_parts(world);
    ok = ok && wri_world_build_engine(world, in->error);
    for (uint64_t i = 0; ok && i < head->parts; i++) {
        ok = take_part(world, in);
    }
    ok = ok && wri_world_add_joints(world, in->error);
    for (uint64_t i = 0; ok && i < head->joints; i++) {
        ok = take_joint(world, in);
    }
    WR_ASSERT(!ok ||
              (world->parts.count == (int)head->parts && world->joints.count == (int)head->joints));
    ok = ok && take_number(in, in->size, &engine_size);
    const uint8_t *engine = ok ? take(in, (size_t)engine_size) : NULL;
    if (!engine || !wr_rigid_restore(world->rigid, engine, (size_t)engine_size, in->error)) {
        return false;
    }
    return in->at == in->size ||
           wri_fail(in->error, WR_E_FORMAT, "snapshot: byte %zu: ends too late", in->at);
}

static bool check_surfaces(const wr_world *world, wr_error *error)
{
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        if (body->frozen && body->surface_part >= body->part_count) {
            return wri_fail(error, WR_E_FORMAT,
                            "snapshot: surface of part %d, expected less than %d",
                            body->surface_part, body->part_count);
        }
    }
    return true;
}

// Nothing is logged: the log, and whoever read the frames, have heard of them.
static void simulate_again(wr_world *world, uint64_t frames)
{
    WR_ASSERT(frames < (uint64_t)forget_interval(world->scene));
    wr_log log = world->log;
    world->log = (wr_log){0};
    for (uint64_t i = 0; i < frames; i++) {
        wr_world_step_frame(world);
    }
    world->log = log;
    world->events.count = 0;
    world->frame.event_count = world->frame.contact_count = 0;
}

bool wr_world_restore(wr_world *world, const void *bytes, size_t size, wr_error *error)
{
    if (!WRI_REQUIRE(error, world, bytes)) {
        return false;
    }
    input in = {bytes, size, 0, error};
    snapshot_head head = {0};
    if (!take_head(world, &in, &head) || !take_all(world, &in, &head) ||
        !check_surfaces(world, error)) {
        return false;
    }
    world->step = (int64_t)head.step;
    world->is_changed = false;
    world->snapshot.count = 0;
    world->saved_step = put(&(output){&world->snapshot, NULL}, bytes, size) ? world->step : -1;
    if (world->saved_step >= 0) {
        write_number((uint8_t *)world->snapshot.items + FRAMES, 0);
        seal(&world->snapshot);
    }
    world->pairs.count = 0;
    world->lacks_memory = world->is_cancelled = false;
    world->unsaved.code = WR_OK;
    wri_world_mark_reported(world);
    wri_world_read_frame(world);
    simulate_again(world, head.frames);
    return wr_world_check(world, error);
}
