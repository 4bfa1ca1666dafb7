// springs.c: a block of particles, each on damped springs to its 26 neighbours in a lattice.
//
// The forces on a particle are gathered from its neighbours, so that particles can be shared out
// among threads and every sum has one order. Symplectic Euler in steps of its own: the stiffest
// motion of the lattice has omega^2 <= 2 * 26 k / m, and decays by 2 * 26 c / m. The outer
// particles feel rigid bodies as balls and meet other materials as points.
#include "springs.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

enum { PARTICLES, STIFFNESS, DAMPING, PARAMETER_COUNT };
enum { NEIGHBOURS = 26, GRAIN = 512, LEAST_SIDE = 2 };

static const float STEP = 0.5f;        // of its own, in units of 1 / (omega + decay)
static const float PUSH_OUT = 0.2f;    // share of an overlap that goes in one step of the world
static const float CALM_TIME = 0.5f;   // seconds
static const float CALM_SPEED = 0.02f; // sizes of the block per second

static const wr_parameter parameters[PARAMETER_COUNT] = {
    [PARTICLES] = {"particles", "", 8, 1e6, 1000, "about how many", .is_whole = true},
    [STIFFNESS] = {"stiffness", "N/m", 1, 1e9, 2000, "of each spring"},
    [DAMPING] = {"damping", "N s/m", 0, 1e6, 2, "of each spring"},
};

typedef struct springs {
    wr_allocator allocator;
    int side[3], count; // particles along the axes of the block, and of all
    int *outer;         // the particles on the outside, ascending
    int outer_count;
    float spacing, mass, radius, size; // metres, kg per particle, metres, metres
    float stiffness, damping, friction;
    wr_vec3 *x, *v; // the state: world, metres and m/s
    wr_vec3 *given; // N s: impulses of other materials that act during the next step
    float calm;     // seconds at rest
    bool asleep;
    wr_ball *balls;
    wr_boundary_point *points;
    int steps;
    double seconds;
} springs;

// --- life -------------------------------------------------------------------------------------

static void springs_destroy(void *body)
{
    springs *s = body;
    if (s) {
        wr_allocator heap = s->allocator;
        size_t n = (size_t)s->count, outer = (size_t)s->outer_count;
        wri_free(&heap, s->x, n, sizeof *s->x);
        wri_free(&heap, s->v, n, sizeof *s->v);
        wri_free(&heap, s->given, n, sizeof *s->given);
        wri_free(&heap, s->outer, outer, sizeof *s->outer);
        wri_free(&heap, s->balls, outer, sizeof *s->balls);
        wri_free(&heap, s->points, outer, sizeof *s->points);
        wri_free(&heap, s, 1, sizeof *s);
    }
}

static bool is_outer(const springs *s, int i)
{
    int a = i % s->side[0], b = i / s->side[0] % s->side[1], c = i / (s->side[0] * s->side[1]);
    return a == 0 || b == 0 || c == 0 || a == s->side[0] - 1 || b == s->side[1] - 1 ||
           c == s->side[2] - 1;
}

// A lattice of cubes, about as many particles as wished.
static void choose_lattice(springs *s, wr_vec3 size, double wished)
{
    const float extents[3] = {size.x, size.y, size.z};
    s->spacing = cbrtf(size.x * size.y * size.z / (float)wished);
    s->count = 1;
    for (int k = 0; k < 3; k++) {
        int side = (int)(extents[k] / s->spacing + 0.5f);
        s->side[k] = side < LEAST_SIDE ? LEAST_SIDE : side;
        s->count *= s->side[k];
    }
    for (int i = 0; i < s->count; i++) {
        s->outer_count += is_outer(s, i);
    }
}

static bool alloc_arrays(springs *s)
{
    size_t n = (size_t)s->count, outer = (size_t)s->outer_count;
    s->x = wri_alloc(&s->allocator, n, sizeof *s->x);
    s->v = wri_alloc(&s->allocator, n, sizeof *s->v);
    s->given = wri_alloc(&s->allocator, n, sizeof *s->given);
    s->outer = wri_alloc(&s->allocator, outer, sizeof *s->outer);
    s->balls = wri_alloc(&s->allocator, outer, sizeof *s->balls);
    s->points = wri_alloc(&s->allocator, outer, sizeof *s->points);
    return s->x && s->v && s->given && s->outer && s->balls && s->points;
}

static void place_particles(springs *s, const wr_material_desc *desc, wr_vec3 middle)
{
    for (int i = 0, next = 0; i < s->count; i++) {
        int place[3] = {i % s->side[0], i / s->side[0] % s->side[1], i / (s->side[0] * s->side[1])};
        float from[3];
        for (int k = 0; k < 3; k++) {
            from[k] = s->spacing * ((float)place[k] - 0.5f * (float)(s->side[k] - 1));
        }
        wr_vec3 arm = wr_rotate(desc->pose.rotation, wr_v3(from[0], from[1], from[2]));
        s->x[i] = wr_add(wr_pose_point(desc->pose, middle), arm);
        s->v[i] = wr_add(desc->velocity, wr_cross(desc->angular_velocity, arm));
        if (is_outer(s, i)) {
            s->outer[next++] = i;
        }
    }
}

static void *springs_create(const wr_material_desc *desc, wr_error *error)
{
    springs *s = wri_alloc(&desc->allocator, 1, sizeof *s);
    if (!s) {
        wri_fail_memory(error, sizeof *s);
        return NULL;
    }
    wr_box box = wr_mesh_bounds(desc->model->meshes);
    wr_vec3 size = wr_box_size(box);
    s->allocator = desc->allocator;
    choose_lattice(s, size, desc->values[PARTICLES]);
    if (!alloc_arrays(s)) {
        wri_fail_memory(error, (size_t)s->count * sizeof *s->x);
        springs_destroy(s);
        return NULL;
    }
    double mass = desc->mass > 0.0 ? desc->mass : desc->density * size.x * size.y * size.z;
    s->mass = (float)(mass / s->count);
    s->size = fmaxf(size.x, fmaxf(size.y, size.z));
    s->radius = 0.5f * s->spacing;
    s->stiffness = (float)desc->values[STIFFNESS];
    s->damping = (float)desc->values[DAMPING];
    s->friction = desc->friction;
    place_particles(s, desc, wr_box_center(box));
    return s;
}

// --- forces -----------------------------------------------------------------------------------

typedef struct pull {
    const springs *s;
    const wr_vec3 *x, *v; // when the step began
    wr_vec3 *next;        // velocities
    wr_vec3 gravity;
    float dt, share; // seconds; share: of the whole step
} pull;

static wr_vec3 spring_force(const pull *p, int i, int k, float length)
{
    wr_vec3 apart = wr_sub(p->x[k], p->x[i]);
    float now = wr_length(apart);
    wr_vec3 along = wr_scale(1.0f / now, apart);
    float speed = wr_dot(wr_sub(p->v[k], p->v[i]), along);
    return wr_scale(p->s->stiffness * (now - length) + p->s->damping * speed, along);
}

static wr_vec3 gather_force(const pull *p, int i)
{
    static const float lengths[] = {0.0f, 1.0f, 1.41421356f, 1.73205081f};
    const springs *s = p->s;
    const int *n = s->side, row = n[0], layer = n[0] * n[1];
    int place[3] = {i % row, i / row % n[1], i / layer};
    wr_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int c = -1; c <= 1; c++) {
        for (int b = -1; b <= 1; b++) {
            for (int a = -1; a <= 1; a++) {
                int ways = (a != 0) + (b != 0) + (c != 0);
                bool there = place[0] + a >= 0 && place[0] + a < n[0] && place[1] + b >= 0 &&
                             place[1] + b < n[1] && place[2] + c >= 0 && place[2] + c < n[2];
                if (ways > 0 && there) {
                    int k = i + a + row * b + layer * c;
                    sum = wr_add(sum, spring_force(p, i, k, lengths[ways] * s->spacing));
                }
            }
        }
    }
    return sum;
}

static void pull_range(void *context, int block, int begin, int end)
{
    (void)block;
    const pull *p = context;
    for (int i = begin; i < end; i++) {
        wr_vec3 v = wr_add_scaled(p->v[i], p->dt, p->gravity);
        wr_vec3 impulse = wr_scale(p->share, p->s->given[i]);
        impulse = wr_add_scaled(impulse, p->dt, gather_force(p, i));
        p->next[i] = wr_add_scaled(v, 1.0f / p->s->mass, impulse);
    }
}

typedef struct drift {
    springs *s;
    float dt;
} drift;

static void drift_range(void *context, int block, int begin, int end)
{
    (void)block;
    const drift *d = context;
    for (int i = begin; i < end; i++) {
        d->s->x[i] = wr_add_scaled(d->s->x[i], d->dt, d->s->v[i]);
    }
}

// --- contact ----------------------------------------------------------------------------------

// What takes part in the steps of its own.
typedef struct inner {
    springs *s;
    const wr_material_step *step;
    wr_vec3 *next;        // velocities, of one step
    wr_body_copy *bodies; // as in step
    wr_vec3 *impulses;    // N s per touch so far, on the body
    float dt;
} inner;

// 0 <= lambda  _|_  n.v + gap / h >= 0 for one particle and the body, one after the other; friction
// against what slides then. h is the step of the world where they overlap, so that overlaps go
// slowly, and the own step where they do not.
static void answer_touch(inner *in, int i)
{
    springs *s = in->s;
    const wr_touch *t = &in->step->touches[i];
    int particle = s->outer[t->ball];
    wr_body_copy *body = &in->bodies[in->step->touch_bodies[i]];
    wr_vec3 x = s->x[particle], n = wr_rotate(body->pose.rotation, t->local_normal);
    wr_vec3 point = wr_pose_point(body->pose, t->local_point);
    float gap = wr_dot(wr_sub(x, point), n) - s->radius;
    wr_vec3 v = wr_sub(s->v[particle], wr_body_copy_velocity(body, x));
    wr_mat3 own = wr_body_copy_inverse_mass(body, x);
    float speed = wr_dot(v, n);
    float w = 1.0f / s->mass + wr_dot(n, wr_mat3_apply(own, n));
    float wanted = gap >= 0.0f ? -gap / in->dt : -PUSH_OUT * gap / in->step->dt;
    float lambda = fmaxf(0.0f, (wanted - speed) / w);
    wr_vec3 slip = wr_add_scaled(v, -speed, n), t1 = wr_normalize(slip);
    float stop = wr_length(slip) / (1.0f / s->mass + wr_dot(t1, wr_mat3_apply(own, t1)));
    float grip = fminf(sqrtf(s->friction * t->friction) * lambda, stop);
    wr_vec3 impulse = wr_add_scaled(wr_scale(lambda, n), -grip, t1);
    s->v[particle] = wr_add_scaled(s->v[particle], 1.0f / s->mass, impulse);
    wr_body_copy_push(body, x, wr_scale(-1.0f, impulse));
    in->impulses[i] = wr_sub(in->impulses[i], impulse);
}

// Copies as they are when the step begins. False: out of memory.
static bool begin_inner(inner *in)
{
    const wr_material_step *step = in->step;
    wr_scratch *scratch = step->work.scratch;
    size_t touches = (size_t)step->touch_count, bodies = (size_t)step->body_count;
    in->next = wr_scratch_push(scratch, (size_t)in->s->count, sizeof *in->next);
    in->bodies = wr_scratch_push(scratch, bodies, sizeof *in->bodies);
    in->impulses = wr_scratch_push(scratch, touches, sizeof *in->impulses);
    if (!in->next || !in->bodies || !in->impulses) {
        return false;
    }
    for (int i = 0; i < step->body_count; i++) {
        in->bodies[i] = wr_touched_body_copy(&step->bodies[i]);
    }
    return true;
}

static void take_step(inner *in)
{
    springs *s = in->s;
    const wr_tasks *tasks = &in->step->work.tasks;
    pull p = {s, s->x, s->v, in->next, in->step->gravity, in->dt, 1.0f / (float)s->steps};
    wri_parallel_for(tasks, s->count, GRAIN, pull_range, &p);
    memcpy(s->v, in->next, (size_t)s->count * sizeof *s->v);
    for (int i = 0; i < in->step->body_count; i++) {
        wr_body_copy_move(&in->bodies[i], in->step->gravity, in->dt);
    }
    for (int i = 0; i < in->step->touch_count; i++) {
        answer_touch(in, i);
    }
    drift d = {s, in->dt};
    wri_parallel_for(tasks, s->count, GRAIN, drift_range, &d);
}

// The bodies themselves get what their copies got: at the points of the touches, so that what is
// hit knows where; what the moving of these points leaves over of the angular momentum at the end.
static void hand_over(const inner *in)
{
    const wr_material_step *step = in->step;
    const wr_vec3 none = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < step->touch_count; i++) {
        const wr_touch *t = &step->touches[i];
        wr_push_add(step->pushes, (wr_push){t->body, t->point, in->impulses[i], none});
        wr_body_copy_push(&in->bodies[step->touch_bodies[i]], t->point,
                          wr_scale(-1.0f, in->impulses[i]));
    }
    for (int i = 0; i < step->body_count; i++) {
        const double *left = in->bodies[i].angular_momentum;
        wr_vec3 angular = {(float)left[0], (float)left[1], (float)left[2]};
        wr_push_add(step->pushes,
                    (wr_push){step->bodies[i].body, step->bodies[i].view.center, none, angular});
    }
}

// --- the step ---------------------------------------------------------------------------------

static void find_rest(springs *s, float dt)
{
    float fastest = 0.0f;
    for (int i = 0; i < s->count; i++) {
        fastest = fmaxf(fastest, wr_dot(s->v[i], s->v[i]));
    }
    s->calm = sqrtf(fastest) < CALM_SPEED * s->size ? s->calm + dt : 0.0f;
    s->asleep = s->calm >= CALM_TIME;
    if (s->asleep) {
        memset(s->v, 0, (size_t)s->count * sizeof *s->v);
    }
}

static void springs_advance(void *body, const wr_material_step *step)
{
    springs *s = body;
    double start = wri_seconds();
    float omega = sqrtf(2.0f * NEIGHBOURS * s->stiffness / s->mass);
    float decay = 2.0f * NEIGHBOURS * s->damping / s->mass;
    s->steps = (int)ceilf(step->dt * (omega + decay) / STEP);
    inner in = {.s = s, .step = step, .dt = step->dt / (float)s->steps};
    if (begin_inner(&in)) { // else it waits until there is memory again
        for (int i = 0; i < s->steps; i++) {
            take_step(&in);
        }
        hand_over(&in);
        find_rest(s, step->dt);
        memset(s->given, 0, (size_t)s->count * sizeof *s->given);
    }
    s->seconds = wri_seconds() - start;
}

// --- what others see of it ----------------------------------------------------------------------

static wr_ball_set springs_balls(void *body, float dt)
{
    springs *s = body;
    for (int i = 0; i < s->outer_count; i++) {
        int k = s->outer[i];
        s->balls[i] = (wr_ball){s->x[k], s->radius, wr_scale(dt, s->v[k])};
    }
    return (wr_ball_set){s->balls, s->outer_count, 0.5f * s->radius, 3};
}

// What a push on the outside takes along within dt is what a wave reaches: sqrt(k m) kg/s, where
// 13/3 of the springs hold one layer to the next.
static wr_boundary springs_boundary(void *body, float dt, const wr_work *work)
{
    (void)work;
    springs *s = body;
    float w = 1.0f / (s->mass + dt * sqrtf(13.0f / 3.0f * s->stiffness * s->mass));
    for (int i = 0; i < s->outer_count; i++) {
        int k = s->outer[i];
        s->points[i] = (wr_boundary_point){.position = s->x[k],
                                           .velocity = s->v[k],
                                           .radius = s->radius,
                                           .inverse_mass = {{{w, 0, 0}, {0, w, 0}, {0, 0, w}}},
                                           .support = -1};
    }
    return (wr_boundary){
        .points = s->points, .point_count = s->outer_count, .friction = s->friction};
}

static void springs_apply_impulses(void *body, const wr_boundary_impulse *impulses, int count)
{
    springs *s = body;
    for (int i = 0; i < count; i++) {
        int k = s->outer[impulses[i].point];
        s->given[k] = wr_add(s->given[k], impulses[i].impulse);
    }
}

static void springs_wake(void *body)
{
    springs *s = body;
    s->asleep = false;
    s->calm = 0.0f;
}

static bool springs_is_asleep(const void *body)
{
    return ((const springs *)body)->asleep;
}

// The model itself is hidden: surface 0 stands in its place.
static wr_material_surface springs_surface(const void *body)
{
    (void)body;
    return (wr_material_surface){.part = -1};
}

static const wr_record_surface *springs_surfaces(const void *body, int *count)
{
    (void)body;
    static const wr_record_surface hidden = {
        .topology = 1, .in_world = true, .look = -1, .color = {1, 1, 1, 1}};
    *count = 1;
    return &hidden;
}

static bool springs_particles(const void *body, wr_record_particles *particles)
{
    const springs *s = body;
    *particles = (wr_record_particles){.count = s->count,
                                       .in_world = true,
                                       .view = WR_PARTICLES_SURFACE,
                                       .color = {1, 1, 1, 1},
                                       .positions = s->x,
                                       .radius = s->radius};
    return true;
}

static wr_material_statistics springs_statistics(const void *body)
{
    const springs *s = body;
    return (wr_material_statistics){.work_seconds = s->seconds, .active = s->asleep ? 0 : s->count};
}

static bool springs_is_sound(const void *body)
{
    const springs *s = body;
    bool ok = isfinite(s->calm);
    for (int i = 0; i < s->count; i++) {
        ok = ok && wr_is_finite3(s->x[i]) && wr_is_finite3(s->v[i]);
    }
    return ok;
}

// --- everything that changes ------------------------------------------------------------------

typedef struct springs_rest {
    float calm;
    int32_t asleep;
} springs_rest;

static uint64_t springs_hash(const void *body)
{
    const springs *s = body;
    size_t size = (size_t)s->count * sizeof *s->x;
    springs_rest rest = {s->calm, s->asleep};
    return wri_hash(s->v, size, wri_hash(s->x, size, wri_hash(&rest, sizeof rest, 0)));
}

static size_t springs_size(const void *body)
{
    return 2 * (size_t)((const springs *)body)->count * sizeof(wr_vec3) + sizeof(springs_rest);
}

static void springs_save(const void *body, void *bytes)
{
    const springs *s = body;
    size_t size = (size_t)s->count * sizeof *s->x;
    springs_rest rest = {s->calm, s->asleep};
    memcpy(bytes, s->x, size);
    memcpy((uint8_t *)bytes + size, s->v, size);
    memcpy((uint8_t *)bytes + 2 * size, &rest, sizeof rest);
}

static bool springs_restore(void *body, const void *bytes, size_t size, wr_error *error)
{
    springs *s = body;
    size_t half = (size_t)s->count * sizeof *s->x;
    springs_rest rest;
    if (size != springs_size(s)) {
        return wri_fail(error, WR_E_FORMAT, "springs: %zu bytes, expected %zu", size,
                        springs_size(s));
    }
    memcpy(&rest, (const uint8_t *)bytes + 2 * half, sizeof rest);
    if (rest.asleep != 0 && rest.asleep != 1) {
        return wri_fail(error, WR_E_FORMAT, "springs: asleep is %d, expected 0 or 1", rest.asleep);
    }
    memcpy(s->x, bytes, half);
    memcpy(s->v, (const uint8_t *)bytes + half, half);
    s->calm = rest.calm;
    s->asleep = rest.asleep;
    return true;
}

springs_view springs_look(const void *body)
{
    const springs *s = body;
    return (springs_view){s->count, s->x, s->v, s->mass, s->spacing, s->steps};
}

const wr_material springs_material = {
    .table_size = sizeof(wr_material),
    .name = "springs",
    .about = "A block of particles with springs between them.",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .uses_tasks = true,
    .create = springs_create,
    .destroy = springs_destroy,
    .balls = springs_balls,
    .boundary = springs_boundary,
    .apply_impulses = springs_apply_impulses,
    .advance = springs_advance,
    .wake = springs_wake,
    .is_asleep = springs_is_asleep,
    .surface = springs_surface,
    .surfaces = springs_surfaces,
    .particles = springs_particles,
    .statistics = springs_statistics,
    .is_sound = springs_is_sound,
    .hash = springs_hash,
    .size = springs_size,
    .save = springs_save,
    .restore = springs_restore,
};
