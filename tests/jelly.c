// jelly.c: a lattice of 3 x 3 x 3 particles on damped springs around a rigid core.
//
// Particles feel the rigid world as balls, by penalty forces; what a ball gets, the body it touches
// loses. The core, part 0, is a box with a nose that hangs on the middle particle. It is squashed
// with the lattice, which changes one of its two pieces, its inertia and its restitution. A hard
// blow on the core splits a shard off it that vanishes after a while. Symplectic Euler, in as many
// steps of its own as its springs need, against copies of the core and of what it touches.
#include "jelly.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

enum { STIFFNESS, DAMPING, SHATTER, LIFETIME, POISON_AT, PARAMETER_COUNT };
enum { CORNERS = 8, SPRINGS_AT_MOST = 26, NEVER = 1000000 };

static const float CORE_SHARE = 0.3f;  // of the mass
static const float CORE_SIZE = 0.4f;   // of the lattice
static const float SHARD_SHARE = 0.2f; // of the core's mass, each
static const float CALM_TIME = 0.5f;   // seconds

static const wr_parameter parameters[PARAMETER_COUNT] = {
    [STIFFNESS] = {"stiffness", "N/m", 1, 1e7, 20000, "of each spring"},
    [DAMPING] = {"damping", "N s/m", 0, 1e5, 150, "of each spring"},
    [SHATTER] = {"shatter", "N s", 0, NEVER, NEVER, "blow on the core that splits a shard off"},
    [LIFETIME] = {"lifetime", "s", 0, NEVER, NEVER, "of a shard"},
    [POISON_AT] = {"poison_at", "s", 0, NEVER, NEVER, "when a particle becomes not a number"},
};
static const wr_parameter_value firm[] = {{"stiffness", 100000}, {"damping", 400}, {NULL, 0}};
static const wr_preset presets[] = {{"firm", NULL, firm}};

// Everything that changes, as it is saved: no padding, no pointers.
typedef struct jelly_state {
    double blow;  // N s on the core in this step
    wr_vec3 away; // N s, from which side
    float padding;
    double born[JELLY_PARTS]; // seconds
    wr_vec3 x[JELLY_COUNT], v[JELLY_COUNT];
    wr_pose starts[JELLY_PARTS];
    wr_vec3 speeds[JELLY_PARTS], angular_velocities[JELLY_PARTS];
    float masses[JELLY_PARTS];
    float squash[3]; // of the core's pieces as the engine knows them
    float calm;      // seconds at rest
    int32_t part_count, alive[JELLY_PARTS], asleep, trouble;
    uint32_t pieces_version, mass_version, velocity_version;
} jelly_state;

typedef struct jelly {
    wr_allocator allocator;
    double values[PARAMETER_COUNT];
    wr_vec3 size, middle; // of the lattice at rest, in the body's frame
    float friction, restitution, particle_mass, radius;
    jelly_state now;
    wr_ball balls[JELLY_COUNT];
    wr_material_part parts[JELLY_PARTS];
    wr_piece pieces[JELLY_PARTS][2];
    wr_vec3 corners[JELLY_PARTS][2][CORNERS];
    bool changed[2];
    int vertex_count, changed_begin, changed_end;
    wr_vec3 *rest, *surface; // rest: in the lattice, 0 to 2
    double seconds;
    float core_speed; // m/s, after the last step of its own
} jelly;

// --- shape ------------------------------------------------------------------------------------

static wr_vec3 lattice_point(int i)
{
    return wr_v3((float)(i % 3), (float)(i / 3 % 3), (float)(i / 9));
}

static wr_vec3 times(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static float smallest3(wr_vec3 v)
{
    return fminf(v.x, fminf(v.y, v.z));
}

static void set_box(wr_vec3 corners[CORNERS], wr_vec3 middle, wr_vec3 half)
{
    for (int i = 0; i < CORNERS; i++) {
        wr_vec3 side = wr_v3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
        corners[i] = wr_add(middle, times(side, half));
    }
}

static wr_vec3 core_half(const jelly *j)
{
    const float *s = j->now.squash;
    return wr_scale(0.5f * CORE_SIZE, times(j->size, wr_v3(s[0], s[1], s[2])));
}

// The nose is inside the box and weighs nothing.
static void fill_part(jelly *j, int i)
{
    wr_vec3 half = i ? wr_scale(0.1f * CORE_SIZE, j->size) : core_half(j);
    set_box(j->corners[i][0], wr_v3(0, 0, 0), half);
    set_box(j->corners[i][1], wr_v3(0, 0, 0), wr_scale(0.05f, j->size));
    double m = j->now.masses[i], x = half.x, y = half.y, z = half.z;
    wr_material_part *part = &j->parts[i];
    *part = (wr_material_part){.alive = j->now.alive[i] != 0,
                               .pieces = j->pieces[i],
                               .piece_count = i ? 1 : 2,
                               .pieces_version = i ? 0 : j->now.pieces_version,
                               .piece_changed = i ? NULL : j->changed,
                               .mass_version = i ? 0 : j->now.mass_version,
                               .surface_version = i ? 0 : j->now.pieces_version,
                               .friction = j->friction,
                               .restitution = j->restitution,
                               .pose = j->now.starts[i],
                               .velocity = j->now.speeds[i],
                               .angular_velocity = j->now.angular_velocities[i],
                               .velocity_version = i ? 0 : j->now.velocity_version};
    part->mass = (wr_mass_properties){.mass = m};
    part->mass.inertia[0][0] = m * (y * y + z * z) / 3.0;
    part->mass.inertia[1][1] = m * (z * z + x * x) / 3.0;
    part->mass.inertia[2][2] = m * (x * x + y * y) / 3.0;
    if (i == 0) {
        const float *s = j->now.squash;
        part->restitution *= wr_clampf(smallest3(wr_v3(s[0], s[1], s[2])), 0.0f, 1.0f);
    }
    for (int k = 0; k < 2; k++) {
        j->pieces[i][k] = (wr_piece){j->corners[i][k], CORNERS};
    }
}

static wr_vec3 blend(const wr_vec3 *x, wr_vec3 at)
{
    int i = at.x >= 1.0f, k = at.y >= 1.0f, l = at.z >= 1.0f;
    wr_vec3 t = wr_sub(at, wr_v3((float)i, (float)k, (float)l)), sum = {0, 0, 0};
    for (int c = 0; c < CORNERS; c++) {
        float weight =
            (c & 1 ? t.x : 1.0f - t.x) * (c & 2 ? t.y : 1.0f - t.y) * (c & 4 ? t.z : 1.0f - t.z);
        int p = i + (c & 1) + 3 * (k + (c >> 1 & 1)) + 9 * (l + (c >> 2));
        sum = wr_add_scaled(sum, weight, x[p]);
    }
    return sum;
}

// Surface, balls and parts follow the state.
static void follow(jelly *j)
{
    j->changed_begin = j->changed_end = 0;
    for (int i = 0; i < j->vertex_count; i++) {
        wr_vec3 p = blend(j->now.x, j->rest[i]);
        if (memcmp(&p, &j->surface[i], sizeof p) != 0) {
            j->changed_begin = j->changed_end ? j->changed_begin : i;
            j->changed_end = i + 1;
            j->surface[i] = p;
        }
    }
    for (int i = 0; i < JELLY_COUNT; i++) {
        j->balls[i] = (wr_ball){.center = j->now.x[i], .radius = j->radius};
    }
    for (int i = 0; i < j->now.part_count; i++) {
        fill_part(j, i);
    }
}

// --- life -------------------------------------------------------------------------------------

static void jelly_destroy(void *body)
{
    jelly *j = body;
    if (j) {
        wr_allocator heap = j->allocator;
        wri_free(&heap, j->rest, (size_t)j->vertex_count, sizeof(wr_vec3));
        wri_free(&heap, j->surface, (size_t)j->vertex_count, sizeof(wr_vec3));
        wri_free(&heap, j, 1, sizeof *j);
    }
}

static void begin_state(jelly *j, const wr_material_desc *desc)
{
    jelly_state *s = &j->now;
    float mass = (float)desc->density * j->size.x * j->size.y * j->size.z;
    j->particle_mass = (1.0f - CORE_SHARE) * mass / JELLY_COUNT;
    for (int i = 0; i < JELLY_COUNT; i++) {
        wr_vec3 offset = times(wr_scale(0.5f, j->size), wr_sub(lattice_point(i), wr_v3(1, 1, 1)));
        wr_vec3 arm = wr_rotate(desc->pose.rotation, offset);
        s->x[i] = wr_pose_point(desc->pose, wr_add(j->middle, offset));
        s->v[i] = wr_add(desc->velocity, wr_cross(desc->angular_velocity, arm));
    }
    s->starts[0] = (wr_pose){s->x[JELLY_CENTER], desc->pose.rotation};
    s->speeds[0] = desc->velocity;
    s->masses[0] = CORE_SHARE * mass;
    s->part_count = s->alive[0] = 1;
    for (int a = 0; a < 3; a++) {
        s->squash[a] = 1.0f;
    }
}

static void *jelly_create(const wr_material_desc *desc, wr_error *error)
{
    const wr_mesh *mesh = desc->model->meshes;
    size_t n = (size_t)mesh->vertex_count;
    jelly *j = wri_alloc(&desc->allocator, 1, sizeof *j);
    if (!j) {
        wri_fail_memory(error, sizeof *j);
        return NULL;
    }
    wr_box box = wr_mesh_bounds(mesh);
    j->allocator = desc->allocator;
    memcpy(j->values, desc->values, sizeof j->values);
    j->size = wr_box_size(box);
    j->middle = wr_box_center(box);
    j->radius = 0.1f * smallest3(j->size);
    j->friction = desc->friction;
    j->restitution = desc->restitution;
    j->vertex_count = mesh->vertex_count;
    j->rest = wri_alloc(&desc->allocator, n, sizeof(wr_vec3));
    j->surface = wri_alloc(&desc->allocator, n, sizeof(wr_vec3));
    if (!j->rest || !j->surface) {
        wri_fail_memory(error, n * sizeof(wr_vec3));
        jelly_destroy(j);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        wr_vec3 p = wr_sub(mesh->positions[i], box.min);
        j->rest[i] = wr_v3(2.0f * p.x / j->size.x, 2.0f * p.y / j->size.y, 2.0f * p.z / j->size.z);
    }
    begin_state(j, desc);
    follow(j);
    return j;
}

// --- motion -----------------------------------------------------------------------------------

static float tie_stiffness(const jelly *j)
{
    return 8.0f * (float)j->values[STIFFNESS];
}

// How many steps of its own it takes in dt seconds.
static int count_steps(const jelly *j, float dt)
{
    double k = 2.0 * SPRINGS_AT_MOST * j->values[STIFFNESS] + tie_stiffness(j);
    return (int)ceil(dt * sqrt(k / j->particle_mass) / 0.5);
}

static void give(jelly *j, int i, wr_vec3 impulse)
{
    j->now.v[i] = wr_add_scaled(j->now.v[i], 1.0f / j->particle_mass, impulse);
}

typedef void pair_fn(void *context, int a, int b, float length);

// Every pair of neighbours, also across faces and cells, with the length it has at rest.
static void each_spring(const jelly *j, pair_fn *visit, void *context)
{
    for (int a = 0; a < JELLY_COUNT; a++) {
        for (int b = a + 1; b < JELLY_COUNT; b++) {
            wr_vec3 d = wr_sub(lattice_point(b), lattice_point(a));
            if (fabsf(d.x) <= 1.0f && fabsf(d.y) <= 1.0f && fabsf(d.z) <= 1.0f) {
                visit(context, a, b, wr_length(times(d, wr_scale(0.5f, j->size))));
            }
        }
    }
}

typedef struct pull {
    jelly *j;
    wr_vec3 x[JELLY_COUNT], v[JELLY_COUNT]; // when the substep began
    float dt;
} pull;

static void pull_pair(void *context, int a, int b, float length)
{
    pull *p = context;
    wr_vec3 d = wr_sub(p->x[b], p->x[a]);
    float now = wr_length(d);
    wr_vec3 along = wr_scale(1.0f / now, d);
    float speed = wr_dot(wr_sub(p->v[b], p->v[a]), along);
    float force =
        (float)p->j->values[STIFFNESS] * (now - length) + (float)p->j->values[DAMPING] * speed;
    give(p->j, a, wr_scale(p->dt * force, along));
    give(p->j, b, wr_scale(-p->dt * force, along));
}

// What takes part in the steps of its own.
typedef struct inner {
    jelly *j;
    const wr_material_step *step;
    wr_body_copy core, *bodies; // bodies: as in step
    wr_vec3 *impulses;          // N s per touch so far, on the body
    float dt;
} inner;

static void hold_core(inner *in)
{
    jelly *j = in->j;
    wr_vec3 d = wr_sub(j->now.x[JELLY_CENTER], in->core.center);
    wr_vec3 speed = wr_sub(j->now.v[JELLY_CENTER], in->core.velocity);
    wr_vec3 force =
        wr_add(wr_scale(tie_stiffness(j), d), wr_scale(8.0f * (float)j->values[DAMPING], speed));
    wr_vec3 impulse = wr_scale(in->dt, force);
    wr_body_copy_push(&in->core, in->core.center, impulse);
    give(j, JELLY_CENTER, wr_scale(-1.0f, impulse));
}

static void answer_touch(inner *in, int i)
{
    jelly *j = in->j;
    const wr_touch *t = &in->step->touches[i];
    int ball = t->ball;
    wr_body_copy *body = &in->bodies[in->step->touch_bodies[i]];
    wr_vec3 point = wr_pose_point(body->pose, t->local_point), x = j->now.x[ball];
    wr_vec3 normal = wr_rotate(body->pose.rotation, t->local_normal);
    float depth = j->radius - wr_dot(wr_sub(x, point), normal);
    if (depth <= 0.0f) {
        return;
    }
    float stiffness = 10.0f * (float)j->values[STIFFNESS];
    float damping = 10.0f * (float)j->values[DAMPING];
    wr_vec3 speed = wr_sub(j->now.v[ball], wr_body_copy_velocity(body, x));
    float into = wr_dot(speed, normal);
    float push = in->dt * fmaxf(0.0f, stiffness * depth - damping * into);
    wr_vec3 slip = wr_add_scaled(speed, -into, normal);
    float grip = sqrtf(j->friction * t->friction) * push, fast = wr_length(slip);
    float most = 0.5f * j->particle_mass * fast; // what would stop half of it
    wr_vec3 impulse = wr_add_scaled(wr_scale(push, normal), -fminf(grip, most), wr_normalize(slip));
    wr_body_copy_push(body, x, wr_scale(-1.0f, impulse));
    in->impulses[i] = wr_sub(in->impulses[i], impulse);
    give(j, ball, impulse);
}

static void take_step(inner *in)
{
    jelly *j = in->j;
    for (int i = 0; i < JELLY_COUNT; i++) { // first, so that what carries it leaves it at rest
        j->now.v[i] = wr_add_scaled(j->now.v[i], in->dt, in->step->gravity);
    }
    pull p = {.j = j, .dt = in->dt};
    memcpy(p.x, j->now.x, sizeof p.x);
    memcpy(p.v, j->now.v, sizeof p.v);
    each_spring(j, pull_pair, &p);
    wr_body_copy_move(&in->core, in->step->gravity, in->dt);
    hold_core(in);
    j->core_speed = wr_length(in->core.velocity);
    for (int i = 0; i < in->step->body_count; i++) {
        wr_body_copy_move(&in->bodies[i], in->step->gravity, in->dt);
    }
    for (int i = 0; i < in->step->touch_count; i++) {
        answer_touch(in, i);
    }
    for (int i = 0; i < JELLY_COUNT; i++) {
        j->now.x[i] = wr_add_scaled(j->now.x[i], in->dt, j->now.v[i]);
    }
}

// Copies and planes as they are when the step begins. False: out of memory.
static bool begin_inner(inner *in)
{
    const wr_material_step *step = in->step;
    size_t touches = (size_t)step->touch_count, bodies = (size_t)step->body_count;
    in->bodies = wr_scratch_push(step->work.scratch, bodies, sizeof *in->bodies);
    in->impulses = wr_scratch_push(step->work.scratch, touches, sizeof *in->impulses);
    if (!in->bodies || !in->impulses) {
        return false;
    }
    const wr_part_state *core = &step->parts[0];
    in->core = (wr_body_copy){.pose = core->pose,
                              .center = core->center,
                              .velocity = core->velocity,
                              .angular_velocity = core->angular_velocity,
                              .inverse_mass = 1.0f / in->j->now.masses[0]};
    for (int i = 0; i < step->body_count; i++) {
        in->bodies[i] = wr_touched_body_copy(&step->bodies[i]);
    }
    return true;
}

// The bodies themselves get what their copies got, at the points of the touches.
static void hand_over(const inner *in)
{
    const wr_material_step *step = in->step;
    for (int i = 0; i < step->touch_count; i++) {
        const wr_touch *t = &step->touches[i];
        wr_body_copy *body = &in->bodies[step->touch_bodies[i]];
        wr_push_add(step->pushes, (wr_push){t->body, t->point, in->impulses[i], {0, 0, 0}});
        wr_body_copy_push(body, t->point, wr_scale(-1.0f, in->impulses[i]));
    }
    for (int i = 0; i < step->body_count; i++) {
        const double *rest = in->bodies[i].angular_momentum;
        wr_vec3 angular = {(float)rest[0], (float)rest[1], (float)rest[2]};
        wr_vec3 center = step->bodies[i].view.center;
        wr_push_add(step->pushes, (wr_push){step->bodies[i].body, center, {0, 0, 0}, angular});
    }
    const double *p = in->core.impulse;
    wr_vec3 impulse = {(float)p[0], (float)p[1], (float)p[2]};
    wr_push_add(step->pushes,
                (wr_push){step->part_bodies[0], step->parts[0].center, impulse, {0, 0, 0}});
}

// The shard takes its share of the mass along; the velocity of the core stays what it is.
static void split_core(jelly *j, const wr_material_step *step)
{
    jelly_state *s = &j->now;
    const wr_part_state *core = &step->parts[0];
    float mass = SHARD_SHARE * s->masses[0];
    int i = s->part_count;
    if (i == JELLY_PARTS || !s->alive[0]) {
        return;
    }
    float clear = 1.3f * wr_length(core_half(j)) + 0.1f * wr_length(j->size);
    s->part_count++;
    s->alive[i] = 1;
    s->masses[i] = mass;
    s->masses[0] -= mass;
    s->mass_version++;
    s->velocity_version++;
    s->speeds[0] = s->speeds[i] = core->velocity;
    s->angular_velocities[0] = core->angular_velocity;
    s->born[i] = step->time;
    s->starts[i] =
        (wr_pose){wr_add_scaled(core->center, clear, wr_normalize(s->away)), core->pose.rotation};
}

static void jelly_take_contacts(void *body, const wr_material_step *step)
{
    jelly *j = body;
    for (int i = 0; i < step->contact_count; i++) {
        const wr_contact *c = &step->contacts[i];
        if (step->contact_parts[i] == 0) {
            j->now.blow += c->normal_impulse;
            j->now.away = wr_add_scaled(j->now.away, c->normal_impulse, c->normal);
        }
    }
}

static void jelly_advance(void *body, const wr_material_step *step)
{
    jelly *j = body;
    double start = wri_seconds();
    j->now.blow = 0.0;
    j->now.away = wr_v3(0, 0, 0);
    j->changed[0] = j->changed[1] = false;
    if (j->values[POISON_AT] < NEVER && step->time >= j->values[POISON_AT]) {
        j->now.x[5].x = NAN;
    }
    int count = count_steps(j, step->dt);
    inner in = {.j = j, .step = step, .dt = step->dt / (float)count};
    if (begin_inner(&in)) { // else it waits until there is memory again
        for (int i = 0; i < count; i++) {
            take_step(&in);
        }
        hand_over(&in);
    }
    j->seconds = wri_seconds() - start;
}

// Middles of opposite faces.
static float axis_stretch(const jelly *j, int axis)
{
    const int step[3] = {1, 3, 9};
    const float size[3] = {j->size.x, j->size.y, j->size.z};
    return wr_distance(j->now.x[JELLY_CENTER + step[axis]], j->now.x[JELLY_CENTER - step[axis]]) /
           size[axis];
}

static void squash_core(jelly *j)
{
    jelly_state *s = &j->now;
    for (int a = 0; a < 3; a++) {
        float now = axis_stretch(j, a), kept = wr_clampf(now, 0.5f, 1.5f);
        if (fabsf(kept - s->squash[a]) > 0.01f) {
            s->trouble += kept != now;
            s->squash[a] = kept;
            j->changed[0] = true;
        }
    }
    if (j->changed[0]) {
        s->pieces_version++;
        s->mass_version++;
    }
}

static void find_rest(jelly *j, const wr_material_step *step)
{
    jelly_state *s = &j->now;
    float fastest = j->core_speed;
    for (int i = 0; i < JELLY_COUNT; i++) {
        fastest = fmaxf(fastest, wr_length(s->v[i]));
    }
    s->calm = fastest < 0.01f * smallest3(j->size) ? s->calm + step->dt : 0.0f;
    s->asleep = s->calm >= CALM_TIME;
    if (s->asleep) {
        memset(s->v, 0, sizeof s->v);
    }
}

static bool jelly_is_sound(const void *body)
{
    const jelly_state *s = &((const jelly *)body)->now;
    bool ok = isfinite(s->blow) && isfinite(s->calm) &&
              wr_is_finite3(wr_v3(s->squash[0], s->squash[1], s->squash[2]));
    for (int i = 0; i < JELLY_COUNT; i++) {
        ok = ok && wr_is_finite3(s->x[i]) && wr_is_finite3(s->v[i]);
    }
    for (int i = 0; i < s->part_count; i++) {
        ok = ok && isfinite(s->born[i]) && isfinite(s->masses[i]) &&
             wr_pose_is_finite(s->starts[i]) && wr_is_finite3(s->speeds[i]) &&
             wr_is_finite3(s->angular_velocities[i]);
    }
    return ok;
}

static void jelly_end_step(void *body, const wr_material_step *step)
{
    jelly *j = body;
    if (!jelly_is_sound(j)) { // the parts stay as they last were
        return;
    }
    double end = step->time + step->dt;
    for (int i = 1; i < j->now.part_count; i++) {
        j->now.alive[i] &= end - j->now.born[i] < j->values[LIFETIME];
    }
    squash_core(j);
    if (j->now.blow > j->values[SHATTER]) {
        split_core(j, step);
    }
    find_rest(j, step);
    follow(j);
}

// --- questions --------------------------------------------------------------------------------

static const wr_material_part *jelly_parts(const void *body, int *count)
{
    *count = ((const jelly *)body)->now.part_count;
    return ((const jelly *)body)->parts;
}

static wr_ball_set jelly_balls(void *body, float dt)
{
    (void)dt;
    return (wr_ball_set){((const jelly *)body)->balls, JELLY_COUNT, 0.0f, 1};
}

static void jelly_wake(void *body)
{
    jelly *j = body;
    j->now.asleep = 0;
    j->now.calm = 0.0f;
}

static bool jelly_is_asleep(const void *body)
{
    return ((const jelly *)body)->now.asleep;
}

static wr_material_surface jelly_surface(const void *body)
{
    const jelly *j = body;
    return (wr_material_surface){.part = -1,
                                 .vertex_count = j->vertex_count,
                                 .positions = j->surface,
                                 .changed_begin = j->changed_begin,
                                 .changed_end = j->changed_end};
}

typedef struct energy_sum {
    const jelly *j;
    double joule;
} energy_sum;

static void add_energy(void *context, int a, int b, float length)
{
    energy_sum *e = context;
    double d = wr_distance(e->j->now.x[a], e->j->now.x[b]) - length;
    e->joule += 0.5 * e->j->values[STIFFNESS] * d * d;
}

static wr_material_statistics jelly_statistics(const void *body)
{
    const jelly *j = body;
    energy_sum e = {j, 0.0};
    each_spring(j, add_energy, &e);
    return (wr_material_statistics){.work_seconds = j->seconds,
                                    .energy = e.joule,
                                    .active = j->now.asleep ? 0 : JELLY_COUNT,
                                    .trouble = j->now.trouble};
}

static uint64_t jelly_hash(const void *body)
{
    return wri_hash(&((const jelly *)body)->now, sizeof(jelly_state), 0);
}

static size_t jelly_size(const void *body)
{
    (void)body;
    return sizeof(jelly_state);
}

static void jelly_save(const void *body, void *bytes)
{
    memcpy(bytes, &((const jelly *)body)->now, sizeof(jelly_state));
}

// Numbers that are not finite are let in: a frozen jelly has some. is_sound finds them.
static bool jelly_restore(void *body, const void *bytes, size_t size, wr_error *error)
{
    jelly *j = body;
    jelly_state state;
    if (size != sizeof state) {
        return wri_fail(error, WR_E_FORMAT, "jelly: %zu bytes, expected %zu", size, sizeof state);
    }
    memcpy(&state, bytes, size);
    bool ok = state.part_count >= 1 && state.part_count <= JELLY_PARTS && state.trouble >= 0 &&
              (state.asleep == 0 || state.asleep == 1);
    for (int i = 0; i < JELLY_PARTS; i++) {
        ok = ok && (state.alive[i] == 0 || state.alive[i] == 1);
    }
    if (!ok) {
        return wri_fail(error, WR_E_FORMAT, "jelly: counts or flags are damaged");
    }
    j->now = state;
    follow(j);
    return true;
}

jelly_view jelly_look(const void *body)
{
    const jelly *j = body;
    return (jelly_view){.count = JELLY_COUNT,
                        .x = j->now.x,
                        .v = j->now.v,
                        .particle_mass = j->particle_mass,
                        .squash = {axis_stretch(j, 0), axis_stretch(j, 1), axis_stretch(j, 2)},
                        .part_count = j->now.part_count,
                        .part_masses = j->now.masses};
}

const wr_material jelly_material = {
    .table_size = sizeof(wr_material),
    .name = "jelly",
    .about = "Wobbles around a rigid core.",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .presets = presets,
    .preset_count = 1,
    .create = jelly_create,
    .destroy = jelly_destroy,
    .parts = jelly_parts,
    .balls = jelly_balls,
    .advance = jelly_advance,
    .take_contacts = jelly_take_contacts,
    .end_step = jelly_end_step,
    .wake = jelly_wake,
    .is_asleep = jelly_is_asleep,
    .surface = jelly_surface,
    .statistics = jelly_statistics,
    .is_sound = jelly_is_sound,
    .hash = jelly_hash,
    .size = jelly_size,
    .save = jelly_save,
    .restore = jelly_restore,
};
