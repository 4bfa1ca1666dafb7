// clay.c: worlds of clay, their bodies, and the arrays of a body.
#include "clay.h"

#include "../math/elementary.h"

#include <stdlib.h>

static const uint32_t COOKIE = 0x434c4144, WORLD_COOKIE = 0x434c4157;
static const double GRAVITY = 9.81;

// --- columns ----------------------------------------------------------------------------------

#define COLUMN(member, items, is_state)                                                            \
    {                                                                                              \
        offsetof(wri_clay, member), (items) * sizeof *((wri_clay *)NULL)->member, is_state         \
    }

static const wri_clay_column columns[] = {
    COLUMN(x, 1, true),
    COLUMN(x_low, 1, true),
    COLUMN(v, 1, true),
    COLUMN(e, 1, true),
    COLUMN(m, 1, true),
    COLUMN(h, 1, true),
    COLUMN(radius, 1, true),
    COLUMN(alpha, 1, true),
    COLUMN(flowed, 1, true),
    COLUMN(pause, 1, true),
    COLUMN(before, 1, true),
    COLUMN(soften, 1, true),
    COLUMN(yield, 1, true),
    COLUMN(flow, 1, true),
    COLUMN(rotation, 1, true),
    COLUMN(neighbours, NEIGHBOURS, true),
    COLUMN(u, NEIGHBOURS, true),
    COLUMN(parted, 1, true),
    COLUMN(seed, 1, true),
    COLUMN(plastic, 9, true),
    COLUMN(component, 1, true),
    COLUMN(id, 1, true),
    COLUMN(flags, 1, true),
    COLUMN(grip, 1, true),
    COLUMN(arm, 1, true),
    COLUMN(reverse_begin, 1, false),
    COLUMN(reverse, NEIGHBOURS, false),
    COLUMN(basis, BASIS_ROWS, false),
    COLUMN(records, RECORD_ROWS, false),
    COLUMN(force, 1, false),
    COLUMN(gamma, 1, false),
    COLUMN(plan, FLOW_ROWS, false),
};

const wri_clay_column *wri_clay_columns(int *count)
{
    *count = WRI_COUNT(columns);
    return columns;
}

static void **pointer_of(wri_clay *c, const wri_clay_column *column)
{
    return (void **)((char *)c + column->offset);
}

// Room for one particle more than there are, for reverse_begin.
bool wri_clay_reserve(wri_clay *c, int count)
{
    int capacity = (count + LANES) / LANES * LANES;
    void *fresh[WRI_COUNT(columns)];
    bool ok = true;
    if (capacity <= c->capacity) {
        return true;
    }
    for (int i = 0; i < WRI_COUNT(columns); i++) {
        fresh[i] = ok ? wri_alloc(&c->allocator, (size_t)capacity, columns[i].size) : NULL;
        ok = ok && fresh[i];
    }
    for (int i = 0; i < WRI_COUNT(columns); i++) {
        void **pointer = pointer_of(c, &columns[i]), *other = fresh[i];
        if (ok) {
            if (*pointer) {
                memcpy(fresh[i], *pointer, (size_t)c->capacity * columns[i].size);
            }
            other = *pointer;
            *pointer = fresh[i];
        }
        wri_free(&c->allocator, other, (size_t)(ok ? c->capacity : capacity), columns[i].size);
    }
    c->capacity = ok ? capacity : c->capacity;
    return ok;
}

static void destroy_body(wri_clay *c)
{
    if (c) {
        const wr_allocator a = c->allocator;
        for (int i = 0; i < WRI_COUNT(columns); i++) {
            wri_free(&a, *pointer_of(c, &columns[i]), (size_t)c->capacity, columns[i].size);
        }
        wri_free(&a, c, 1, sizeof *c);
    }
}

// --- worlds -----------------------------------------------------------------------------------

wr_clay_world_desc wr_clay_world_desc_default(void)
{
    return (wr_clay_world_desc){.cookie = WORLD_COOKIE};
}

wr_clay_world *wr_clay_world_create(const wr_clay_world_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_clay_world_desc, desc, WORLD_COOKIE)) {
        return NULL;
    }
    const wr_allocator heap = desc->allocator ? *desc->allocator : *wr_allocator_default();
    wr_clay_world *world = wri_alloc(&heap, 1, sizeof *world);
    if (!world) {
        wri_fail_memory(error, sizeof *world);
        return NULL;
    }
    world->allocator = heap;
    world->clock = desc->seconds;
    world->bodies = wri_array_create(&heap, sizeof(wri_clay *));
    world->scratch = wri_scratch_create(&heap);
    return world;
}

void wr_clay_world_destroy(wr_clay_world *world)
{
    if (world) {
        for (int i = 0; i < world->bodies.count; i++) {
            destroy_body(WRI_ITEM(world->bodies, wri_clay *, i));
        }
        wri_array_destroy(&world->bodies);
        wri_scratch_destroy(&world->scratch);
        wri_free(&world->allocator, world, 1, sizeof *world);
    }
}

wri_clay *wri_clay_of(const wr_clay_world *world, int body)
{
    WR_ASSERT(body >= 0 && body < world->bodies.count);
    return WRI_ITEM(world->bodies, wri_clay *, body);
}

float wri_clay_radius_of(double volume)
{
    return 0.5f * (float)wri_exp(wri_log(volume) / 3.0);
}

// --- bodies -----------------------------------------------------------------------------------

wr_clay_desc wr_clay_desc_default(void)
{
    return (wr_clay_desc){.parameters = wr_clay_parameters_default(),
                          .density = 1000.0,
                          .group = ~0u,
                          .collides = ~0u,
                          .cookie = COOKIE};
}

static bool check_particles(const wr_clay_desc *desc, wr_error *error)
{
    for (int i = 0; i < desc->count; i++) {
        if (!wr_is_finite3(desc->positions[i]) ||
            (desc->velocities && !wr_is_finite3(desc->velocities[i]))) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "particle %d: its position or velocity is not "
                            "finite",
                            i);
        }
        if (!(desc->volumes[i] > 0.0f) || isinf(desc->volumes[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "volumes[%d]: %g, need more than 0", i,
                            (double)desc->volumes[i]);
        }
        if (desc->radii && (!(desc->radii[i] > 0.0f) || isinf(desc->radii[i]))) {
            return wri_fail(error, WR_E_ARGUMENT, "radii[%d]: %g, need more than 0", i,
                            (double)desc->radii[i]);
        }
    }
    return true;
}

static bool check_map(const char *name, const float *map, int count, wr_error *error)
{
    for (int i = 0; map && i < count; i++) {
        if (!(map[i] >= 0.0f && map[i] <= 1e6f)) {
            return wri_fail(error, WR_E_ARGUMENT, "%s: particle %d has %g, not in [0, 1e6]", name,
                            i, (double)map[i]);
        }
    }
    return true;
}

static bool check_desc(const wr_clay_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_clay_desc, desc, COOKIE) ||
        !wri_clay_check_parameters(&desc->parameters, error)) {
        return false;
    }
    if (desc->count < WR_CLAY_PARTICLES_MIN || desc->count > WR_CLAY_PARTICLES_MAX) {
        return wri_fail(error, WR_E_ARGUMENT, "count: %d particles, need %d to %d", desc->count,
                        WR_CLAY_PARTICLES_MIN, WR_CLAY_PARTICLES_MAX);
    }
    if (!(desc->density > 0.0 && desc->density <= 1e9)) {
        return wri_fail(error, WR_E_ARGUMENT, "density: %g not in (0, 1e9] kg/m^3", desc->density);
    }
    return WRI_REQUIRE(error, desc->positions, desc->volumes) && check_particles(desc, error) &&
           check_map("stiffness", desc->stiffness, desc->count, error) &&
           check_map("yield", desc->yield, desc->count, error) &&
           check_map("flow", desc->flow, desc->count, error);
}

wri_clay_units wri_clay_find_units(double density, double volume)
{
    double L = wri_exp(wri_log(volume) / 3.0);
    return (wri_clay_units){L, sqrt(2.0 * L / GRAVITY), density * GRAVITY * L};
}

// The units of the body and what its parameters are in SI.
static void find_material(wri_clay *c, const wr_clay_desc *desc)
{
    const wr_clay_parameters *p = &c->parameters;
    double volume = 0.0;
    for (int i = 0; i < desc->count; i++) {
        volume += (double)desc->volumes[i];
    }
    wri_clay_units units = wri_clay_find_units(desc->density, volume);
    double L = units.length, time = units.time, pressure = units.pressure;
    double E = pressure * (double)p->stiffness;
    double nu = (double)p->poisson, share = (double)p->flow;
    c->moduli = (wri_clay_moduli){
        .rho = (float)desc->density,
        .lambda = (float)(E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))),
        .mu = (float)(E / (2.0 * (1.0 + nu))),
        .yield = (float)(pressure * (double)p->yield),
        .forget = share > 0.0 ? (float)(wri_log(1.0 - share) / (0.01 * time)) : 0.0f,
        .eta = (float)(pressure * time * (double)p->viscosity),
        .sticks = (float)(pressure * (double)p->sticks),
        .L = (float)L,
        .t_L = (float)time,
        .pressure = (float)pressure,
    };
    c->created = c->moduli;
}

// --- order ------------------------------------------------------------------------------------

typedef struct place {
    uint64_t key;
    int particle;
} place;

static uint64_t spread_bits(uint32_t x) // 21 bits, two zeros behind each
{
    uint64_t v = x & 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffff;
    v = (v | v << 16) & 0x1f0000ff0000ff;
    v = (v | v << 8) & 0x100f00f00f00f00f;
    v = (v | v << 4) & 0x10c30c30c30c30c3;
    return (v | v << 2) & 0x1249249249249249;
}

static int by_key(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->particle - y->particle;
}

// The order of a space-filling curve through the positions.
static void find_order(const wr_clay_desc *desc, place *places)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < desc->count; i++) {
        box = wr_box_add(box, desc->positions[i]);
    }
    wr_vec3 size = wr_box_size(box);
    float scale = 2097151.0f / fmaxf(fmaxf(size.x, fmaxf(size.y, size.z)), 1e-30f);
    for (int i = 0; i < desc->count; i++) {
        wr_vec3 p = wr_scale(scale, wr_sub(desc->positions[i], box.min));
        places[i].key = spread_bits((uint32_t)p.x) | spread_bits((uint32_t)p.y) << 1 |
                        spread_bits((uint32_t)p.z) << 2;
        places[i].particle = i;
    }
    qsort(places, (size_t)desc->count, sizeof *places, by_key);
}

static void fill(wri_clay *c, const wr_clay_desc *desc, const place *places)
{
    double center[3] = {0};
    for (int i = 0; i < desc->count; i++) {
        wr_vec3 p = desc->positions[i];
        center[0] += (double)p.x, center[1] += (double)p.y, center[2] += (double)p.z;
    }
    for (int k = 0; k < 3; k++) {
        c->state.origin[k] = c->state.start[k] = (double)(float)(center[k] / desc->count);
    }
    c->count = desc->count;
    c->state.next_id = (uint32_t)desc->count;
    c->state.ease = 1.0f;
    for (int i = 0; i < c->count; i++) {
        int from = places[i].particle;
        wr_vec3 p = desc->positions[from];
        c->x[i] = (f4){(float)((double)p.x - c->state.origin[0]),
                       (float)((double)p.y - c->state.origin[1]),
                       (float)((double)p.z - c->state.origin[2]), 0.0f};
        c->e[i] = c->seed[i] = c->x[i];
        for (int k = 0; k < 3; k++) {
            c->plastic[i * 9 + k * 4] = 1.0f;
        }
        c->v[i] = desc->velocities ? f4_of(desc->velocities[from]) : (f4){0};
        c->m[i] = (float)((double)desc->volumes[from] * desc->density);
        c->radius[i] =
            desc->radii ? desc->radii[from] : wri_clay_radius_of((double)desc->volumes[from]);
        c->soften[i] = desc->stiffness ? fmaxf(desc->stiffness[from], 1e-3f) : 1.0f;
        c->yield[i] = desc->yield ? desc->yield[from] : 1.0f;
        c->flow[i] = desc->flow ? desc->flow[from] : 1.0f;
        c->id[i] = (uint32_t)from;
        c->rotation[i] = (f4){0.0f, 0.0f, 0.0f, 1.0f};
    }
}

static wri_clay *create_body(wr_clay_world *world, const wr_clay_desc *desc)
{
    wri_clay *c = wri_alloc(&world->allocator, 1, sizeof *c);
    place *places = wr_scratch_push(&world->scratch, (size_t)desc->count, sizeof *places);
    if (!c) {
        return NULL;
    }
    c->allocator = world->allocator;
    c->parameters = desc->parameters;
    c->group = desc->group;
    c->collides = desc->collides;
    int spare = desc->parameters.resamples ? desc->count / 4 + 16 : 0;
    if (!places || !wri_clay_reserve(c, desc->count + spare)) {
        destroy_body(c);
        return NULL;
    }
    find_order(desc, places);
    find_material(c, desc);
    fill(c, desc, places);
    if (!wri_clay_start_neighbours(c, NULL, &world->scratch)) {
        destroy_body(c);
        return NULL;
    }
    wri_clay_measure_speed(c, NULL, &world->scratch);
    wri_clay_measure_decay(c, NULL, &world->scratch);
    wri_clay_find_speeds(c, NULL, &world->scratch);
    wri_clay_find_sampling(c);
    return c;
}

// The lowest number that was taken out of the world, or a new one; -1: out of memory.
static int find_number(wr_clay_world *world)
{
    int number = 0;
    while (number < world->bodies.count && wri_clay_of(world, number)) {
        number++;
    }
    bool ok = number < world->bodies.count || wri_array_add(&world->bodies, 1);
    return ok ? number : -1;
}

int wr_clay_add(wr_clay_world *world, const wr_clay_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE(error, world) || !check_desc(desc, error)) {
        return -1;
    }
    wri_clay *c = create_body(world, desc);
    int number = c ? find_number(world) : -1;
    wri_scratch_reset(&world->scratch);
    if (number < 0) {
        destroy_body(c);
        wri_fail_memory(error, (size_t)desc->count * NEIGHBOURS * sizeof(f4));
        return -1;
    }
    WRI_ITEM(world->bodies, wri_clay *, number) = c;
    return number;
}

void wr_clay_remove(wr_clay_world *world, int body)
{
    if (body >= 0) {
        wri_clay **slot = &WRI_ITEM(world->bodies, wri_clay *, body);
        destroy_body(*slot);
        *slot = NULL;
    }
}

// --- what it is like --------------------------------------------------------------------------

int wr_clay_count(const wr_clay_world *world, int body)
{
    return wri_clay_of(world, body)->count;
}

const uint32_t *wr_clay_ids(const wr_clay_world *world, int body)
{
    return wri_clay_of(world, body)->id;
}

void wr_clay_positions(const wr_clay_world *world, int body, wr_vec3 *out)
{
    const wri_clay *c = wri_clay_of(world, body);
    for (int i = 0; i < c->count; i++) {
        out[i] = wri_clay_place(c, c->x[i]);
    }
}

void wr_clay_velocities(const wr_clay_world *world, int body, wr_vec3 *out)
{
    const wri_clay *c = wri_clay_of(world, body);
    for (int i = 0; i < c->count; i++) {
        out[i] = f4_vec3(c->v[i]);
    }
}

void wr_clay_embedded(const wr_clay_world *world, int body, wr_vec3 *out)
{
    const wri_clay *c = wri_clay_of(world, body);
    for (int i = 0; i < c->count; i++) {
        out[i] = f4_vec3(c->e[i]);
    }
}

size_t wr_clay_memory(const wr_clay_world *world, int body)
{
    const wri_clay *c = wri_clay_of(world, body);
    size_t sum = sizeof *c;
    for (int i = 0; i < WRI_COUNT(columns); i++) {
        sum += (size_t)c->capacity * columns[i].size;
    }
    return sum;
}

const float *wr_clay_masses(const wr_clay_world *world, int body)
{
    return wri_clay_of(world, body)->m;
}

float wr_clay_radius(const wr_clay_world *world, int body, int particle)
{
    return wri_clay_of(world, body)->radius[particle];
}

const char *wr_clay_stage_name(wr_clay_stage stage)
{
    static const char *const names[WR_CLAY_STAGE_COUNT] = {"stress",    "forces",     "flow",
                                                           "viscosity", "motion",     "contact",
                                                           "embedding", "neighbours", "resampling"};
    return names[stage];
}

const double *wr_clay_world_seconds(const wr_clay_world *world)
{
    return world->seconds;
}

wr_clay_statistics wr_clay_get_statistics(wr_clay_world *world, int body)
{
    wri_clay *c = wri_clay_of(world, body);
    wri_clay_energy energy = wri_clay_find_energy(c);
    wr_clay_statistics s = {.substeps = c->substeps,
                            .splits = (int)c->state.splits,
                            .merges = (int)c->state.merges,
                            .retired = (int)c->state.retired,
                            .embeddings = (int)c->state.embeddings,
                            .iterations = c->iterations,
                            .ease = c->state.ease,
                            .elastic = energy.elastic,
                            .hourglass = energy.hourglass};
    for (int i = 0; i < c->count; i++) {
        s.flowing += c->gamma[i] > 0.0f;
        s.degenerate += (c->flags[i] & WRI_CLAY_DEGENERATE) != 0;
    }
    return s;
}

bool wr_clay_is_asleep(const wr_clay_world *world, int body)
{
    return wri_clay_of(world, body)->state.asleep;
}

void wr_clay_wake(wr_clay_world *world, int body)
{
    wri_clay *c = wri_clay_of(world, body);
    c->state.asleep = false;
    c->state.calm = 0.0f;
}

void wr_clay_freeze(wr_clay_world *world, int body)
{
    wri_clay_of(world, body)->frozen = true;
}
