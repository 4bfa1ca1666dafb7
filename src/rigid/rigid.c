// rigid.c: the world of rigid bodies: creating it, adding and changing its bodies.
//
// This side keeps the record of everything that was described (engine.h); the engine behind
// bullet_shim.h can be thrown away and built anew from it at any time.
#include "engine.h"

static const uint32_t DESC_COOKIE = 0x57526467u;
static const uint32_t BODY_COOKIE = 0x57526462u;
static const double WATER = 1000.0; // kg/m^3
// Limits in engine units. Beyond them numbers no longer resolve what the engine has to decide;
// bodies that get there have exploded, or have fallen for hours.
static const double FASTEST = 1e6;
static const double MAX_ANGULAR_VELOCITY = 1e6;
static const double FARTHEST = 1e9;

// --- the world --------------------------------------------------------------------------------

wr_rigid_desc wr_rigid_desc_default(void)
{
    return (wr_rigid_desc){.gravity = wr_v3(0.0f, -9.81f, 0.0f),
                           .unit_length = 1.0f,
                           .iterations = 30,
                           .sleeping = true,
                           .allocator = *wr_allocator_default(),
                           .cookie = DESC_COOKIE};
}

static bool check_desc(const wr_rigid_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_rigid_desc, desc, DESC_COOKIE)) {
        return false;
    }
    if (!wr_is_finite3(desc->gravity)) {
        return wri_fail(error, WR_E_ARGUMENT, "gravity: not finite");
    }
    if (!(desc->unit_length > 0.0f && isfinite(desc->unit_length))) {
        return wri_fail(error, WR_E_ARGUMENT, "unit_length: %s is not a positive length",
                        WRI_NUMBER(desc->unit_length, 6));
    }
    if (desc->iterations < 1 || desc->iterations > 1000) {
        return wri_fail(error, WR_E_ARGUMENT, "iterations: %d not in [1, 1000]", desc->iterations);
    }
    return true;
}

static wri_units choose_units(const wr_rigid_desc *desc)
{
    double length = desc->unit_length, g[3];
    wri_to_engine(desc->gravity, 1.0, g);
    double strength = wri_length3(g);
    wri_units units = {.length = length,
                       .time = sqrt(length * (strength > 0 ? WRI_EARTH / strength : 1.0)),
                       .mass = WATER * length * length * length};
    WR_ASSERT(isfinite(units.time) && units.time > 0 && units.mass > 0);
    return units;
}

static void create_arrays(wr_rigid *rigid)
{
    const wr_allocator *heap = &rigid->allocator;
    rigid->bodies = wri_array_create(heap, sizeof(wri_rigid_body));
    rigid->joints = wri_array_create(heap, sizeof(wri_rigid_joint));
    rigid->states = wri_array_create(heap, sizeof(wri_body_state));
    rigid->fresh = wri_array_create(heap, sizeof(wri_body_state));
    rigid->movers = wri_array_create(heap, sizeof(wri_mover));
    rigid->starts = wri_array_create(heap, sizeof(wri_frame));
    rigid->contacts = wri_array_create(heap, sizeof(wr_contact));
    rigid->bounces = wri_array_create(heap, sizeof(wri_bounce));
    rigid->kept = wri_array_create(heap, 1);
    rigid->raw = wri_array_create(heap, sizeof(wri_bullet_contact));
    rigid->saved = wri_array_create(heap, 1);
    rigid->links = wri_array_create(heap, sizeof(wri_joint_state));
    rigid->piece = wri_array_create(heap, sizeof(double[3]));
    rigid->supports = wri_array_create(heap, sizeof(wri_bullet_support));
    wri_touch_memory_create(&rigid->touch, heap);
}

wr_rigid *wr_rigid_create(const wr_rigid_desc *desc, wr_error *error)
{
    if (!check_desc(desc, error)) {
        return NULL;
    }
    wr_rigid *rigid = wri_alloc(&desc->allocator, 1, sizeof *rigid);
    if (!rigid) {
        wri_fail_memory(error, sizeof *rigid);
        return NULL;
    }
    rigid->allocator = desc->allocator;
    rigid->units = choose_units(desc);
    rigid->sleeping = desc->sleeping;
    create_arrays(rigid);
    wri_bullet_desc engine = {.iterations = desc->iterations};
    wri_to_engine(desc->gravity, rigid->units.length / (rigid->units.time * rigid->units.time),
                  engine.gravity);
    memcpy(rigid->gravity, engine.gravity, sizeof rigid->gravity);
    rigid->bullet = wri_bullet_create(&engine);
    if (!rigid->bullet) {
        wri_fail_memory(error, 0);
        wr_rigid_destroy(rigid);
        return NULL;
    }
    return rigid;
}

void wr_rigid_destroy(wr_rigid *rigid)
{
    if (!rigid) {
        return;
    }
    wri_bullet_destroy(rigid->bullet);
    for (int i = 0; i < rigid->bodies.count; i++) {
        wri_free_shape(&rigid->allocator, wri_rigid_body_at(rigid, i));
    }
    wri_array *arrays[] = {&rigid->bodies,   &rigid->joints,  &rigid->states, &rigid->fresh,
                           &rigid->starts,   &rigid->raw,     &rigid->saved,  &rigid->links,
                           &rigid->contacts, &rigid->piece,   &rigid->movers, &rigid->bounces,
                           &rigid->kept,     &rigid->supports};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        wri_array_destroy(arrays[i]);
    }
    wri_touch_memory_destroy(&rigid->touch);
    wr_allocator heap = rigid->allocator;
    wri_free(&heap, rigid, 1, sizeof *rigid);
}

// --- adding bodies ----------------------------------------------------------------------------

wr_rigid_body_desc wr_rigid_body_desc_default(void)
{
    return (wr_rigid_body_desc){.motion = WR_MOTION_MOVING,
                                .pose = WR_POSE_IDENTITY,
                                .friction = 0.6f,
                                .restitution = 0.1f,
                                .angular_damping = 0.004f,
                                .group = 1,
                                .collides = UINT32_MAX,
                                .can_sleep = true,
                                .cookie = BODY_COOKIE};
}

static bool check_range(const char *field, float value, float most, wr_error *error)
{
    return (value >= 0.0f && value <= most && isfinite(value)) ||
           wri_fail(error, WR_E_ARGUMENT, "%s: %s not in [0, %s]", field, WRI_NUMBER(value, 6),
                    WRI_NUMBER(most, 6));
}

static bool check_body(const wr_rigid_body_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_rigid_body_desc, desc, BODY_COOKIE)) {
        return false;
    }
    if (desc->motion != WR_MOTION_MOVING && desc->motion != WR_MOTION_STATIC &&
        desc->motion != WR_MOTION_DRIVEN) {
        return wri_fail(error, WR_E_ARGUMENT, "motion: %d is unknown", (int)desc->motion);
    }
    if (!wr_pose_is_finite(desc->pose) ||
        !(wr_quat_dot(desc->pose.rotation, desc->pose.rotation) > 1e-12f)) {
        return wri_fail(error, WR_E_ARGUMENT, "pose: not a finite position and rotation");
    }
    if (!wr_is_finite3(desc->velocity) || !wr_is_finite3(desc->angular_velocity)) {
        return wri_fail(error, WR_E_ARGUMENT, "velocity or spin: not finite");
    }
    if (desc->surface < 0) {
        return wri_fail(error, WR_E_ARGUMENT, "surface: %d is below 0", desc->surface);
    }
    return check_range("friction", desc->friction, INFINITY, error) &&
           check_range("restitution", desc->restitution, 1.0f, error) &&
           check_range("rolling_friction", desc->rolling_friction, 1.0f, error) &&
           check_range("linear_damping", desc->linear_damping, INFINITY, error) &&
           check_range("angular_damping", desc->angular_damping, INFINITY, error) &&
           wri_check_shape(&desc->shape, desc->motion, error);
}

// Of a body that turns about z alone only the moment about z counts; the same about all axes, it
// does not tumble.
static wr_mass_properties mass_of(const wr_rigid_body_desc *desc)
{
    wr_mass_properties mass = desc->mass;
    if (desc->is_planar) {
        wr_vec3 z = wr_rotate(wr_quat_conjugate(desc->pose.rotation), wr_v3(0.0f, 0.0f, 1.0f));
        const double axis[3] = {(double)z.x, (double)z.y, (double)z.z};
        double moment = 0.0;
        for (int i = 0; i < 9; i++) {
            moment += axis[i / 3] * axis[i % 3] * desc->mass.inertia[i / 3][i % 3];
        }
        memset(mass.inertia, 0, sizeof mass.inertia);
        mass.inertia[0][0] = mass.inertia[1][1] = mass.inertia[2][2] = moment;
    }
    return mass;
}

static bool fill_body(const wr_rigid *rigid, const wr_rigid_body_desc *desc, wri_rigid_body *body,
                      wr_error *error)
{
    body->kind = desc->shape.kind;
    body->motion = desc->motion;
    body->principal = body->engine.shape = WRI_FRAME_IDENTITY;
    body->mass = mass_of(desc);
    body->linear_damping = desc->linear_damping;
    body->angular_damping = desc->angular_damping;
    if (desc->motion == WR_MOTION_MOVING && !wri_set_inertia(&rigid->units, &body->mass, body)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "mass: %s kg is not positive or its inertia is not positive definite",
                        WRI_NUMBER(desc->mass.mass, 6));
    }
    wri_bullet_body *engine = &body->engine;
    engine->motion = (wri_bullet_motion)desc->motion;
    engine->friction = desc->friction;
    engine->restitution = engine->bounce = desc->restitution;
    engine->surface = desc->surface;
    engine->rolling = desc->rolling_friction;
    engine->group = desc->group;
    engine->collides = desc->collides;
    engine->is_planar = desc->is_planar;
    return true;
}

static void stay_in_plane(const wri_rigid_body *body, wri_body_state *state)
{
    if (body->engine.is_planar) {
        state->velocity[2] = state->angular_velocity[0] = state->angular_velocity[1] = 0;
    }
}

static wri_body_state first_state(const wr_rigid *rigid, const wr_rigid_body_desc *desc,
                                  const wri_rigid_body *body)
{
    wri_body_state state = {.activation = WRI_ASLEEP};
    wri_frame at = wri_frame_from_pose(&rigid->units, desc->pose);
    state.frame = wri_frame_multiply(&at, &body->principal);
    WR_ASSERT(wri_is_rotation(state.frame.basis));
    if (desc->motion == WR_MOTION_MOVING) {
        wri_to_engine(desc->velocity, wri_unit_speed(&rigid->units), state.velocity);
        wri_to_engine(desc->angular_velocity, 1.0 / rigid->units.time, state.angular_velocity);
        stay_in_plane(body, &state);
        state.activation = desc->can_sleep && rigid->sleeping ? WRI_ACTIVE : WRI_NEVER_SLEEPS;
    }
    return state;
}

static bool check_state(const wri_units *units, const wri_body_state *state, wr_error *error)
{
    double place = wri_length3(state->frame.position), speed = wri_length3(state->velocity);
    double angular_velocity = wri_length3(state->angular_velocity);
    if (!(place <= FARTHEST)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "pose: %s m from the origin is too far to compute for bodies of this size, "
                        "expected at most %s m",
                        WRI_NUMBER(place * units->length, 6),
                        WRI_NUMBER(FARTHEST * units->length, 6));
    }
    if (!(speed <= FASTEST)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "velocity: %s m/s is too fast to compute for bodies of this size, expected "
                        "at most %s m/s",
                        WRI_NUMBER(speed * wri_unit_speed(units), 6),
                        WRI_NUMBER(FASTEST * wri_unit_speed(units), 6));
    }
    return angular_velocity <= MAX_ANGULAR_VELOCITY ||
           wri_fail(error, WR_E_ARGUMENT,
                    "spin: %s rad/s is too fast to compute for bodies of this size, expected at "
                    "most %s rad/s",
                    WRI_NUMBER(angular_velocity / units->time, 6),
                    WRI_NUMBER(MAX_ANGULAR_VELOCITY / units->time, 6));
}

int wr_rigid_add_body(wr_rigid *rigid, const wr_rigid_body_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE(error, rigid)) {
        return -1;
    }
    wri_rigid_body body = {0};
    WR_ASSERT(rigid->states.count == rigid->bodies.count);
    if (!check_body(desc, error) || !fill_body(rigid, desc, &body, error)) {
        return -1;
    }
    int index = rigid->bodies.count, needed = index + 1;
    if (!wri_array_reserve(&rigid->bodies, needed) || !wri_array_reserve(&rigid->states, needed) ||
        !wri_array_reserve(&rigid->fresh, needed) || !wri_array_reserve(&rigid->starts, needed) ||
        !wri_array_reserve(&rigid->movers, needed)) {
        wri_fail_memory(error, sizeof body);
        return -1;
    }
    wri_body_state state = first_state(rigid, desc, &body);
    if (!check_state(&rigid->units, &state, error)) {
        return -1;
    }
    if (!wri_add_shape(rigid, &desc->shape, &body, &state, error)) {
        wri_free_shape(&rigid->allocator, &body);
        return -1;
    }
    WR_ASSERT(body.engine.present && index == rigid->bodies.count);
    *(wri_rigid_body *)wri_array_add(&rigid->bodies, 1) = body;
    *(wri_body_state *)wri_array_add(&rigid->states, 1) = state;
    return index;
}

void wr_rigid_remove_body(wr_rigid *rigid, int index)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (!body->engine.present) {
        return;
    }
    wri_bullet_wake_neighbours(rigid->bullet, index);
    for (int i = 0; i < rigid->joints.count; i++) {
        wri_rigid_joint *joint = wri_rigid_joint_at(rigid, i);
        if (joint->engine.body_a == index || joint->engine.body_b == index) {
            wri_break_joint(rigid, i);
        }
        WR_ASSERT(joint->engine.body_a < rigid->bodies.count &&
                  joint->engine.body_b < rigid->bodies.count);
    }
    body->engine.present = false;
    body->has_target = false;
    wri_bullet_set_body(rigid->bullet, index, &body->engine);
}

int wr_rigid_body_count(const wr_rigid *rigid)
{
    return rigid->bodies.count;
}

// --- changing bodies --------------------------------------------------------------------------

bool wri_state_is_sound(const wri_body_state *state)
{
    const double *m = &state->frame.basis[0][0];
    double sum = 0;
    for (int i = 0; i < 9; i++) {
        sum += m[i] * m[i];
    }
    // written so that no NaN passes
    return wri_length3(state->frame.position) <= FARTHEST &&
           wri_length3(state->velocity) <= FASTEST &&
           wri_length3(state->angular_velocity) <= MAX_ANGULAR_VELOCITY && fabs(sum - 3.0) <= 1e-3;
}

void wr_rigid_wake(wr_rigid *rigid, int body)
{
    wri_body_state *state = wri_rigid_state_at(rigid, body);
    if (wri_rigid_moves(wri_rigid_body_at(rigid, body))) {
        wri_bullet_wake(rigid->bullet, body);
        state->deactivation_time = 0;
        state->activation = state->activation == WRI_NEVER_SLEEPS ? WRI_NEVER_SLEEPS : WRI_ACTIVE;
    }
}

void wr_rigid_sleep(wr_rigid *rigid, int body)
{
    wri_body_state *state = wri_rigid_state_at(rigid, body);
    if (wri_rigid_moves(wri_rigid_body_at(rigid, body)) && state->activation != WRI_NEVER_SLEEPS) {
        memset(state->velocity, 0, sizeof state->velocity);
        memset(state->angular_velocity, 0, sizeof state->angular_velocity);
        state->activation = WRI_ASLEEP;
        wri_bullet_set_state(rigid->bullet, body, state);
    }
}

// True when an unsound state is finite: the body has run away then.
static bool is_runaway(const wri_body_state *state)
{
    double sum = wri_length3(state->frame.position) + wri_length3(state->velocity) +
                 wri_length3(state->angular_velocity);
    for (int i = 0; i < 9; i++) {
        sum += state->frame.basis[i / 3][i % 3];
    }
    return isfinite(sum);
}

void wri_give_up(wr_rigid *rigid, int body, const wri_body_state *state)
{
    WR_ASSERT(!state || !wri_state_is_sound(state));
    if (!wri_rigid_body_at(rigid, body)->frozen) {
        rigid->statistics.frozen++;
        rigid->statistics.runaway += state && is_runaway(state);
        wr_rigid_freeze(rigid, body);
    }
}

void wri_set_state(wr_rigid *rigid, int body, const wri_body_state *state)
{
    if (!wri_state_is_sound(state)) {
        wri_give_up(rigid, body, state);
        return;
    }
    wri_body_state *own = wri_rigid_state_at(rigid, body);
    *own = *state;
    stay_in_plane(wri_rigid_body_at(rigid, body), own);
    wri_bullet_set_state(rigid->bullet, body, own);
    wr_rigid_wake(rigid, body);
}

void wr_rigid_set_pose(wr_rigid *rigid, int index, wr_pose pose)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (!body->engine.present || body->frozen) {
        return;
    }
    wri_bullet_wake_neighbours(rigid->bullet, index);
    wri_body_state state = *wri_rigid_state_at(rigid, index);
    wri_frame at = wri_frame_from_pose(&rigid->units, pose);
    state.frame = wri_frame_multiply(&at, &body->principal);
    wri_set_state(rigid, index, &state);
}

void wr_rigid_set_velocity(wr_rigid *rigid, int body, wr_vec3 velocity, wr_vec3 angular_velocity)
{
    if (!wri_rigid_moves(wri_rigid_body_at(rigid, body))) {
        return;
    }
    wri_body_state state = *wri_rigid_state_at(rigid, body);
    wri_to_engine(velocity, wri_unit_speed(&rigid->units), state.velocity);
    wri_to_engine(angular_velocity, 1.0 / rigid->units.time, state.angular_velocity);
    wri_set_state(rigid, body, &state);
}

void wr_rigid_lift(wr_rigid *rigid, int index)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (wri_rigid_moves(body)) {
        body->engine.is_weightless = true;
        wri_bullet_set_body(rigid->bullet, index, &body->engine);
    }
}

void wr_rigid_set_surface(wr_rigid *rigid, int index, float friction, float restitution)
{
    if (!(friction >= 0.0f && isfinite(friction) && restitution >= 0.0f && restitution <= 1.0f)) {
        return;
    }
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    // Sleeping bodies do not feel how things bounce, and a restitution may change in every step.
    bool wakes = body->engine.present && body->engine.friction != (double)friction;
    body->engine.friction = friction;
    body->engine.restitution = restitution;
    wri_bullet_set_body(rigid->bullet, index, &body->engine);
    if (wakes) {
        wri_bullet_wake_neighbours(rigid->bullet, index);
        wr_rigid_wake(rigid, index);
    }
}

bool wr_rigid_set_surface_pair(wr_rigid *rigid, const wr_surface_pair *pair, wr_error *error)
{
    if (!WRI_REQUIRE(error, rigid, pair)) {
        return false;
    }
    int a = pair->surface_a, b = pair->surface_b;
    if (a < 1 || b < 1 || pair->friction < 0.0f || isinf(pair->friction) ||
        pair->restitution < 0.0f || pair->restitution > 1.0f) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "surfaces %d and %d: friction %s or restitution %s is out of range", a, b,
                        WRI_NUMBER(pair->friction, 6), WRI_NUMBER(pair->restitution, 6));
    }
    wri_surface_pair engine = {a < b ? a : b, a < b ? b : a, pair->friction, pair->restitution};
    return wri_bullet_set_surface_pair(rigid->bullet, &engine) ||
           wri_fail_memory(error, sizeof engine);
}

// L = I w about the centre of mass, with the principal moments of the body.
static void find_angular_momentum(const wri_frame *frame, const double inertia[3],
                                  const double angular_velocity[3], double out[3])
{
    wri_frame_turn_back(frame, angular_velocity, out);
    for (int i = 0; i < 3; i++) {
        out[i] *= inertia[i];
    }
    wri_frame_turn(frame, out, out);
}

wri_body_state wri_keep_momentum(const wri_body_state *old, const wri_bullet_body *before,
                                 const wri_bullet_body *after, const wri_frame *frame, double *gain)
{
    wri_body_state state = *old;
    double L[3], share = before->mass / after->mass;
    WR_ASSERT(before->mass > 0 && after->mass > 0);
    state.frame = *frame;
    WR_ASSERT(after->inertia[0] > 0 && after->inertia[1] > 0 && after->inertia[2] > 0);
    find_angular_momentum(&old->frame, before->inertia, old->angular_velocity, L);
    wri_frame_turn_back(frame, L, state.angular_velocity);
    for (int i = 0; i < 3; i++) {
        state.velocity[i] *= share;
        state.angular_velocity[i] /= after->inertia[i];
    }
    wri_frame_turn(frame, state.angular_velocity, state.angular_velocity);
    *gain = 0.5 * (wri_dot3(L, state.angular_velocity) - wri_dot3(L, old->angular_velocity)) +
            0.5 * before->mass * (share - 1.0) * wri_dot3(old->velocity, old->velocity);
    return state;
}

void wr_rigid_set_mass(wr_rigid *rigid, int index, const wr_mass_properties *mass)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (!wri_rigid_moves(body)) {
        return;
    }
    wri_frame at = wri_body_frame(rigid, index);
    wri_bullet_body before = body->engine;
    if (!wri_set_inertia(&rigid->units, mass, body)) {
        wri_give_up(rigid, index, NULL);
        return;
    }
    wri_frame frame = wri_frame_multiply(&at, &body->principal);
    const wri_body_state *old = wri_rigid_state_at(rigid, index);
    if (!wri_rigid_is_pressed(rigid, index)) {
        // Nothing that happens inside a body moves its centre: the rest goes the other way. Only
        // what supports a body holds the rest in its place, and so pushes the centre.
        memcpy(frame.position, old->frame.position, sizeof frame.position);
    }
    double gain, height = 0;
    for (int i = 0; i < 3; i++) {
        height -= rigid->gravity[i] * (frame.position[i] - old->frame.position[i]);
    }
    wri_body_state state = wri_keep_momentum(old, &before, &body->engine, &frame, &gain);
    gain += body->engine.mass * height;
    rigid->statistics.mass_energy +=
        gain * wri_unit_speed(&rigid->units) * wri_unit_impulse(&rigid->units);
    wri_bullet_set_body(rigid->bullet, index, &body->engine);
    wri_update_joint_frames(rigid, index);
    wri_set_state(rigid, index, &state);
}

void wr_rigid_set_rest(wr_rigid *rigid, int index, const wr_mass_properties *mass)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (!wri_rigid_moves(body)) {
        return;
    }
    wri_frame at = wri_body_frame(rigid, index);
    if (!wri_set_inertia(&rigid->units, mass, body)) {
        wri_give_up(rigid, index, NULL);
        return;
    }
    wri_body_state state = *wri_rigid_state_at(rigid, index);
    double arm[3], turned[3];
    wri_frame frame = wri_frame_multiply(&at, &body->principal);
    for (int i = 0; i < 3; i++) {
        arm[i] = frame.position[i] - state.frame.position[i];
    }
    wri_cross3(state.angular_velocity, arm, turned);
    for (int i = 0; i < 3; i++) { // the velocity that its centre had as a point of the whole
        state.velocity[i] += turned[i];
    }
    state.frame = frame;
    wri_bullet_set_body(rigid->bullet, index, &body->engine);
    wri_update_joint_frames(rigid, index);
    wri_set_state(rigid, index, &state);
}

static void set_points(wr_rigid *rigid, int index, int piece, const wr_vec3 *points)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    WR_ASSERT(points && piece >= 0 && piece < body->piece_count);
    int first = body->first_point[piece], count = body->first_point[piece + 1] - first;
    bool finite = true;
    for (int i = 0; i < count; i++) {
        finite = finite && wr_is_finite3(points[i]);
    }
    if (!finite) {
        wri_give_up(rigid, index, NULL);
        return;
    }
    memcpy(&body->points[first], points, (size_t)count * sizeof(wr_vec3));
    body->changed[piece] = body->deformed = true;
    wri_update_piece(rigid, index, piece);
    if (body->engine.present) {
        wri_bullet_wake_neighbours(rigid->bullet, index);
        wr_rigid_wake(rigid, index);
    }
}

void wr_rigid_set_piece(wr_rigid *rigid, int index, int piece, const wr_vec3 *points)
{
    WR_ASSERT(wri_rigid_body_at(rigid, index)->kind == WR_SHAPE_HULLS && piece >= 0 &&
              piece < wri_rigid_body_at(rigid, index)->piece_count);
    set_points(rigid, index, piece, points);
}

void wr_rigid_set_mesh(wr_rigid *rigid, int index, const wr_vec3 *positions)
{
    WR_ASSERT(wri_rigid_body_at(rigid, index)->kind == WR_SHAPE_MESH &&
              wri_rigid_body_at(rigid, index)->motion == WR_MOTION_MOVING);
    set_points(rigid, index, 0, positions);
}

void wr_rigid_set_target(wr_rigid *rigid, int index, wr_pose pose)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    WR_ASSERT(body->motion == WR_MOTION_DRIVEN);
    if (body->engine.present && wr_pose_is_finite(pose) &&
        wr_quat_dot(pose.rotation, pose.rotation) > 1e-12f) {
        body->has_target = true;
        body->target = wri_frame_from_pose(&rigid->units, pose);
    }
}

bool wr_rigid_set_collides_with(wr_rigid *rigid, int body_a, int body_b, bool collides,
                                wr_error *error)
{
    if (!WRI_REQUIRE(error, rigid)) {
        return false;
    }
    int count = rigid->bodies.count;
    if (body_a < 0 || body_a >= count || body_b < 0 || body_b >= count || body_a == body_b) {
        return wri_fail(error, WR_E_ARGUMENT, "body_a, body_b: %d and %d of %d bodies", body_a,
                        body_b, count);
    }
    const wri_rigid_body *a = wri_rigid_body_at(rigid, body_a);
    const wri_rigid_body *b = wri_rigid_body_at(rigid, body_b);
    wri_body_pair pair = wri_body_pair_of(body_a, body_b);
    if (wri_bullet_are_apart(rigid->bullet, pair) != collides) {
        return true;
    }
    if (!wri_bullet_set_apart(rigid->bullet, pair, !collides)) {
        return wri_fail_memory(error, sizeof pair);
    }
    if (a->engine.present && b->engine.present) {
        wr_rigid_wake(rigid, body_a);
        wr_rigid_wake(rigid, body_b);
    }
    return true;
}

void wr_rigid_freeze(wr_rigid *rigid, int index)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (!body->engine.present || body->frozen) {
        return;
    }
    wri_body_state *state = wri_rigid_state_at(rigid, index);
    memset(state->velocity, 0, sizeof state->velocity);
    memset(state->angular_velocity, 0, sizeof state->angular_velocity);
    state->activation = WRI_ASLEEP;
    WR_ASSERT(wri_state_is_sound(state)); // it stays where it last was
    body->frozen = true;
    body->has_target = false;
    body->engine.motion = WRI_BULLET_STATIC;
    wri_bullet_set_state(rigid->bullet, index, state);
    wri_bullet_wake_neighbours(rigid->bullet, index);
    wri_bullet_set_body(rigid->bullet, index, &body->engine);
    wri_update_joint_frames(rigid, index);
}

// Changes the angular velocity by an angular impulse about the centre of mass, engine units.
static void add_angular_impulse(const wri_rigid_body *body, wri_body_state *state,
                                const double impulse[3])
{
    double change[3];
    wri_frame_turn_back(&state->frame, impulse, change);
    for (int i = 0; i < 3; i++) {
        change[i] /= body->engine.inertia[i];
    }
    wri_frame_turn(&state->frame, change, change);
    for (int i = 0; i < 3; i++) {
        state->angular_velocity[i] += change[i];
    }
}

void wr_rigid_push(wr_rigid *rigid, int index, wr_vec3 point, wr_vec3 impulse)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (!wri_rigid_moves(body)) {
        return;
    }
    wri_body_state state = *wri_rigid_state_at(rigid, index);
    double p[3], arm[3], angular[3];
    WR_ASSERT(body->engine.mass > 0);
    wri_to_engine(impulse, wri_unit_impulse(&rigid->units), p);
    wri_to_engine(point, rigid->units.length, arm);
    for (int i = 0; i < 3; i++) {
        arm[i] -= state.frame.position[i];
        state.velocity[i] += p[i] / body->engine.mass;
    }
    wri_cross3(arm, p, angular);
    add_angular_impulse(body, &state, angular);
    wri_set_state(rigid, index, &state);
}

void wr_rigid_twist(wr_rigid *rigid, int index, wr_vec3 angular_impulse)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (!wri_rigid_moves(body)) {
        return;
    }
    wri_body_state state = *wri_rigid_state_at(rigid, index);
    double angular[3];
    wri_to_engine(angular_impulse, wri_unit_impulse(&rigid->units) * rigid->units.length, angular);
    add_angular_impulse(body, &state, angular);
    wri_set_state(rigid, index, &state);
}

// --- statistics -------------------------------------------------------------------------------

wr_rigid_statistics wr_rigid_stats(const wr_rigid *rigid)
{
    return rigid->statistics;
}
