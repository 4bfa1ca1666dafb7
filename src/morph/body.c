// body.c: one body: its memory, its pose, what it is like, and its state as bytes.
#include "morph.h"

// --- memory -------------------------------------------------------------------------------------

static double *numbers(wri_morph *b, size_t count)
{
    return wri_arena_alloc(&b->arena, count, sizeof(double));
}

static bool take_freedom(wri_morph *b, size_t n)
{
    b->q = numbers(b, n);
    b->v = numbers(b, n);
    b->a = numbers(b, n);
    b->rest = numbers(b, n);
    b->push = numbers(b, n);
    b->rest_velocity = numbers(b, n);
    b->force = numbers(b, n);
    b->constant = numbers(b, n);
    b->change = numbers(b, n);
    b->missing = numbers(b, n);
    b->work = numbers(b, n);
    return b->q && b->v && b->a && b->rest && b->push && b->rest_velocity && b->force &&
           b->constant && b->change && b->missing && b->work;
}

static bool take_reduced(wri_morph *b, size_t r)
{
    bool is_linear = b->model->elasticity == WR_MORPH_LINEAR;
    size_t pairs = r * (r + 1) / 2;
    b->tangent = numbers(b, pairs);
    b->stiffness = numbers(b, pairs);
    b->gyration = numbers(b, r * r);
    b->system = numbers(b, r * r);
    b->cubic =
        wri_arena_alloc(&b->arena, is_linear ? 0 : wr_morph_cubic_size((int)r), sizeof(float));
    return b->tangent && b->stiffness && b->gyration && b->system && b->cubic;
}

static bool take_full(wri_morph *b)
{
    const wri_blocks *pattern = &b->model->full.pattern;
    b->K = *pattern;
    b->K.value =
        wri_arena_alloc(&b->arena, (size_t)pattern->begin[pattern->count], sizeof *b->K.value);
    b->vectors = wri_arena_alloc(&b->arena, 5 * (size_t)b->model->freedom, sizeof *b->vectors);
    b->start = numbers(b, (size_t)b->model->freedom);
    return b->K.value && b->vectors && b->start;
}

bool wri_morph_create(wri_morph *out, const wr_morph_model *model, const wr_allocator *allocator)
{
    const wr_morph_data *d = model->data;
    size_t bones = (size_t)d->bone_count, targets = (size_t)model->target_count;
    *out = (wri_morph){.model = model, .arena = wri_arena_create(allocator)};
    out->bones = wri_arena_alloc(&out->arena, bones, sizeof *out->bones);
    out->goals = wri_arena_alloc(&out->arena, bones, sizeof *out->goals);
    out->pushes = wri_arena_alloc(&out->arena, bones, sizeof *out->pushes);
    out->maps = wri_arena_alloc(&out->arena, 4 * bones, sizeof *out->maps);
    out->scalars = wri_arena_alloc(&out->arena, (size_t)d->space.scalar_count, sizeof(float));
    out->dents = wri_arena_alloc(&out->arena, model->is_full ? 0 : (size_t)d->vertex_count,
                                 sizeof *out->dents); // full bodies follow every contact
    out->shapes = numbers(out, targets);
    out->shares = numbers(out, targets);
    out->descriptor = numbers(out, 6 * bones + (size_t)d->space.scalar_count);
    if (!out->bones || !out->goals || !out->pushes || !out->maps || !out->scalars || !out->dents ||
        !out->shapes || !out->shares || !out->descriptor ||
        !take_freedom(out, (size_t)model->freedom) ||
        !(model->is_full ? take_full(out) : take_reduced(out, (size_t)model->freedom))) {
        wri_morph_destroy(out);
        return false;
    }
    for (int i = 0; i < d->bone_count; i++) {
        out->goals[i] = WR_POSE_IDENTITY;
        wri_bone_set(&out->bones[i], WR_POSE_IDENTITY, d->origins[i]);
    }
    wri_bones_find_maps(out);
    wri_morph_find_shape(out, true);
    return true;
}

void wri_morph_destroy(wri_morph *b)
{
    wri_arena arena = b->arena;
    wri_arena_destroy(&arena);
}

// --- pose ---------------------------------------------------------------------------------------

static void blend_rest(const wri_morph *b, const double *shares, double *out)
{
    const wr_morph_model *m = b->model;
    const double *rest = m->is_full ? m->full.rest : m->reduced.rest;
    memset(out, 0, (size_t)m->freedom * sizeof *out);
    for (int target = 0; target < m->target_count; target++, rest += m->freedom) {
        for (int i = 0; shares[target] != 0.0 && i < m->freedom; i++) {
            out[i] += shares[target] * rest[i];
        }
    }
}

void wri_morph_find_shape(wri_morph *b, bool is_put)
{
    const wr_morph_model *m = b->model;
    double shares[WR_MORPH_TARGETS_MAX], shapes[WR_MORPH_TARGETS_MAX];
    size_t size = (size_t)m->target_count * sizeof *shares;
    wri_space_describe(m->data, b->goals, b->scalars, b->descriptor);
    wri_space_shares(m->data, m->target_count, b->descriptor, shapes, shares);
    bool is_same = memcmp(shapes, b->shapes, size) == 0;
    b->is_blended = b->is_blended && is_same;
    memcpy(b->shares, shares, size);
    memcpy(b->shapes, shapes, size);
    if (m->between == WR_MORPH_SHAPES && !(is_same && !is_put)) {
        memcpy(b->rest_velocity, b->rest, (size_t)m->freedom * sizeof *b->rest);
        blend_rest(b, shapes, b->rest);
        for (int i = 0; i < m->freedom; i++) {
            b->rest_velocity[i] = is_put ? 0.0 : (b->rest[i] - b->rest_velocity[i]) / m->dt;
        }
    } else {
        memset(b->rest_velocity, 0, (size_t)m->freedom * sizeof *b->rest_velocity);
    }
    if (is_put) {
        blend_rest(b, shapes, b->q);
        memset(b->v, 0, (size_t)m->freedom * sizeof *b->v);
        memset(b->a, 0, (size_t)m->freedom * sizeof *b->a);
    }
}

void wr_morph_drive(wr_morph_world *world, int body, const wr_pose *poses, const float *scalars)
{
    wri_morph *b = wri_morph_of(world, body);
    const wr_morph_data *d = b->model->data;
    if (poses) {
        memcpy(b->goals, poses, (size_t)d->bone_count * sizeof *poses);
    }
    if (scalars) {
        memcpy(b->scalars, scalars, (size_t)d->space.scalar_count * sizeof *scalars);
    }
}

void wr_morph_put(wr_morph_world *world, int body, const wr_pose *poses, const float *scalars)
{
    wri_morph *b = wri_morph_of(world, body);
    wr_morph_drive(world, body, poses, scalars);
    for (int i = 0; i < b->model->data->bone_count; i++) {
        wri_bone_set(&b->bones[i], poses[i], b->model->data->origins[i]);
    }
    wri_bones_find_maps(b);
    wri_morph_find_shape(b, true);
    wri_morph_forget_dents(b);
}

void wri_morph_forget_dents(wri_morph *b)
{
    if (b->is_dented) {
        memset(b->dents, 0, (size_t)b->model->data->vertex_count * sizeof *b->dents);
        b->is_dented = false;
    }
}

void wr_morph_push(wr_morph_world *world, int body, int vertex, wr_vec3 impulse)
{
    wri_morph *b = wri_morph_of(world, body);
    double B[3][3], local[3];
    wri_vertex_turn(b, vertex, B);
    for (int k = 0; k < 3; k++) {
        local[k] =
            B[0][k] * (double)impulse.x + B[1][k] * (double)impulse.y + B[2][k] * (double)impulse.z;
    }
    wri_vertex_force(b, vertex, local, b->push);
    b->is_pushed = true;
}

// --- what it is like ----------------------------------------------------------------------------

int wr_morph_vertex_count(const wr_morph_world *world, int body)
{
    return wri_morph_of(world, body)->model->data->vertex_count;
}

wr_pose wr_morph_bone_pose(const wr_morph_world *world, int body, int bone)
{
    const wri_morph *b = wri_morph_of(world, body);
    const wri_morph_bone_motion *at = &b->bones[bone];
    wr_pose pose = {
        {(float)at->c[0], (float)at->c[1], (float)at->c[2]},
        {(float)at->turn[0], (float)at->turn[1], (float)at->turn[2], (float)at->turn[3]}};
    pose.position = wr_sub(pose.position, wr_rotate(pose.rotation, b->model->data->origins[bone]));
    return pose;
}

void wr_morph_shares(const wr_morph_world *world, int body, double *out)
{
    const wri_morph *b = wri_morph_of(world, body);
    memcpy(out, b->shares, (size_t)b->model->target_count * sizeof *out);
}

wr_morph_statistics wr_morph_describe(const wr_morph_world *world, int body)
{
    const wri_morph *b = wri_morph_of(world, body);
    const wr_morph_model *m = b->model;
    wr_morph_statistics out = b->statistics;
    if (b->is_blended) {
        out.elastic_energy = m->is_full ? wri_full_energy(b) : wri_reduced_energy(b);
    }
    for (int i = 0; i < m->freedom; i++) {
        double mass = m->is_full ? m->full.mass[i / 3] : 1.0;
        out.motion_energy += 0.5 * mass * b->v[i] * b->v[i];
    }
    return out;
}

// --- state --------------------------------------------------------------------------------------

static const uint64_t MAGIC = 0x31504e534850524d; // "MRPHSNP1"

typedef struct head {
    uint64_t magic, check; // check: hash of everything behind it
    int64_t freedom, bone_count, target_count, is_frozen;
} head;

enum { UNCHECKED = 16, PARTS = 11 };

typedef struct part {
    void *items;
    size_t size;
} part;

static void list_parts(const wri_morph *b, part parts[PARTS])
{
    size_t n = (size_t)b->model->freedom, k = (size_t)b->model->data->bone_count;
    parts[0] = (part){b->bones, k * sizeof *b->bones};
    parts[1] = (part){b->goals, k * sizeof *b->goals};
    parts[2] = (part){b->scalars, (size_t)b->model->data->space.scalar_count * sizeof(float)};
    parts[3] = (part){b->q, n * sizeof *b->q};
    parts[4] = (part){b->v, n * sizeof *b->v};
    parts[5] = (part){b->a, n * sizeof *b->a};
    parts[6] = (part){b->push, n * sizeof *b->push};
    parts[7] = (part){b->rest, n * sizeof *b->rest};
    parts[8] = (part){b->shapes, (size_t)b->model->target_count * sizeof *b->shapes};
    size_t dents = b->model->is_full ? 0 : (size_t)b->model->data->vertex_count;
    parts[10] = (part){b->dents, dents * sizeof *b->dents};
    parts[9] = (part){b->shares, (size_t)b->model->target_count * sizeof *b->shares};
}

static head head_of(const wri_morph *b)
{
    head h;
    memset(&h, 0, sizeof h);
    h.magic = MAGIC;
    h.freedom = b->model->freedom;
    h.bone_count = b->model->data->bone_count;
    h.target_count = b->model->target_count;
    h.is_frozen = b->is_frozen;
    return h;
}

uint64_t wr_morph_hash(const wr_morph_world *world, int body)
{
    const wri_morph *b = wri_morph_of(world, body);
    part parts[PARTS];
    head h = head_of(b);
    list_parts(b, parts);
    uint64_t hash = wri_hash(&h, sizeof h, 0);
    for (int i = 0; i < PARTS; i++) {
        hash = wri_hash(parts[i].items, parts[i].size, hash);
    }
    return hash;
}

size_t wr_morph_save_size(const wr_morph_world *world, int body)
{
    part parts[PARTS];
    size_t sum = sizeof(head);
    list_parts(wri_morph_of(world, body), parts);
    for (int i = 0; i < PARTS; i++) {
        sum += parts[i].size;
    }
    return sum;
}

void wr_morph_save(const wr_morph_world *world, int body, void *bytes)
{
    const wri_morph *b = wri_morph_of(world, body);
    part parts[PARTS];
    head h = head_of(b);
    uint8_t *out = (uint8_t *)bytes + sizeof h;
    memcpy(bytes, &h, sizeof h);
    list_parts(b, parts);
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].size > 0) {
            memcpy(out, parts[i].items, parts[i].size);
        }
        out += parts[i].size;
    }
    h.check =
        wri_hash((uint8_t *)bytes + UNCHECKED, (size_t)(out - (uint8_t *)bytes) - UNCHECKED, 0);
    memcpy((uint8_t *)bytes + offsetof(head, check), &h.check, sizeof h.check);
}

bool wr_morph_restore(wr_morph_world *world, int body, const void *bytes, size_t size,
                      wr_error *error)
{
    wri_morph *b = wri_morph_of(world, body);
    head h, own = head_of(b);
    bool fits = size == wr_morph_save_size(world, body);
    if (fits) {
        memcpy(&h, bytes, sizeof h);
        fits = h.magic == MAGIC && h.freedom == own.freedom && h.bone_count == own.bone_count &&
               h.target_count == own.target_count &&
               h.check == wri_hash((const uint8_t *)bytes + UNCHECKED, size - UNCHECKED, 0);
    }
    if (!fits) {
        return wri_fail(error, WR_E_FORMAT, "the state of a body of morph targets is damaged");
    }
    const uint8_t *in = (const uint8_t *)bytes + sizeof h;
    part parts[PARTS];
    list_parts(b, parts);
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].size > 0) {
            memcpy(parts[i].items, in, parts[i].size);
        }
        in += parts[i].size;
    }
    b->is_frozen = h.is_frozen != 0;
    b->is_pushed = true; // it may be, and so may
    b->is_dented = !b->model->is_full;
    b->is_blended = false;
    wri_bones_find_maps(b);
    return true;
}

bool wr_morph_is_sound(const wr_morph_world *world, int body)
{
    const wri_morph *b = wri_morph_of(world, body);
    bool sound = true;
    for (int i = 0; i < b->model->freedom; i++) {
        sound = sound && isfinite(b->q[i]) && isfinite(b->v[i]) && isfinite(b->a[i]) &&
                fabs(b->v[i]) < 1e7;
    }
    for (int i = 0; i < b->model->data->bone_count; i++) {
        for (int k = 0; k < 3; k++) {
            sound = sound && isfinite(b->bones[i].c[k]) && isfinite(b->bones[i].turn[k]);
        }
    }
    return sound;
}

void wr_morph_freeze(wr_morph_world *world, int body)
{
    wri_morph *b = wri_morph_of(world, body);
    b->is_frozen = true;
    blend_rest(b, b->shapes, b->q);
    memset(b->v, 0, (size_t)b->model->freedom * sizeof *b->v);
    memset(b->a, 0, (size_t)b->model->freedom * sizeof *b->a);
}
