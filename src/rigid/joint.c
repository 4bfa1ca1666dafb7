// joint.c: joints between bodies, and when they break.
//
// A joint breaks by the impulse it passed on within the last 1/60 s. The window is cut into buckets
// of 1/480 s over which the impulse of a step is spread evenly, so that a steady load and an impact
// both read the same for every step length up to 1/60 s. (A leaky sum with the same time constant
// reads a steady load 58 % higher at 1/60 s than at 1/960 s.)
#include "engine.h"

static const uint32_t JOINT_COOKIE = 0x5752646au;

wr_joint_desc wr_joint_desc_default(void)
{
    return (wr_joint_desc){.body_a = -1,
                           .body_b = -1,
                           .axis = wr_v3(0.0f, 1.0f, 0.0f),
                           .lower = 1.0f,
                           .upper = -1.0f,
                           .breaking_impulse = INFINITY,
                           .cookie = JOINT_COOKIE};
}

static bool is_present(const wr_rigid *rigid, int body)
{
    return body >= 0 && body < rigid->bodies.count &&
           wri_rigid_body_at(rigid, body)->engine.present;
}

static bool check_joint(const wr_rigid *rigid, const wr_joint_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_joint_desc, desc, JOINT_COOKIE)) {
        return false;
    }
    if (!is_present(rigid, desc->body_a)) {
        return wri_fail(error, WR_E_ARGUMENT, "body_a: there is no body %d", desc->body_a);
    }
    if (desc->body_b != -1 && !is_present(rigid, desc->body_b)) {
        return wri_fail(error, WR_E_ARGUMENT, "body_b: there is no body %d", desc->body_b);
    }
    if (desc->body_a == desc->body_b) {
        return wri_fail(error, WR_E_ARGUMENT, "body_b: a body cannot be joined to itself");
    }
    if (!wr_is_finite3(desc->at) || !isfinite(desc->lower) || !isfinite(desc->upper)) {
        return wri_fail(error, WR_E_ARGUMENT, "at, lower or upper: not finite");
    }
    bool has_axis = desc->kind == WR_JOINT_HINGE || desc->kind == WR_JOINT_SLIDER;
    if (has_axis && (!wr_is_finite3(desc->axis) || !(wr_length(desc->axis) > 1e-12f))) {
        return wri_fail(error, WR_E_ARGUMENT, "axis: has no direction");
    }
    if (!has_axis && desc->kind != WR_JOINT_POINT && desc->kind != WR_JOINT_FIXED) {
        return wri_fail(error, WR_E_ARGUMENT, "kind: %d is unknown", (int)desc->kind);
    }
    return desc->breaking_impulse >= 0.0f ||
           wri_fail(error, WR_E_ARGUMENT, "breaking_impulse: %g is negative",
                    (double)desc->breaking_impulse);
}

// A right-handed frame at the joint whose column `main` is the axis.
static wri_frame joint_frame(const wr_rigid *rigid, const wr_joint_desc *desc, int main)
{
    wri_frame frame;
    double z[3], x[3], y[3];
    wri_to_engine(desc->at, rigid->units.length, frame.position);
    wri_to_engine(desc->axis, 1.0, z);
    double length = wri_length3(z);
    int smallest = 0;
    for (int i = 0; i < 3; i++) {
        z[i] = length > 0 ? z[i] / length : i == 1;
        smallest = fabs(z[i]) < fabs(z[smallest]) ? i : smallest;
    }
    double other[3] = {smallest == 0, smallest == 1, smallest == 2};
    wri_cross3(other, z, x);
    length = wri_length3(x);
    for (int i = 0; i < 3; i++) {
        x[i] /= length;
    }
    wri_cross3(z, x, y);
    for (int i = 0; i < 3; i++) {
        frame.basis[i][main] = z[i];
        frame.basis[i][(main + 1) % 3] = x[i];
        frame.basis[i][(main + 2) % 3] = y[i];
    }
    WR_ASSERT(wri_is_rotation((const double(*)[3])frame.basis));
    return frame;
}

// Body frame to principal frame; the world's frame stays.
static wri_frame seen_by_engine(const wr_rigid *rigid, int body, const wri_frame *frame)
{
    return body < 0 ? *frame
                    : wri_frame_multiply(&wri_rigid_body_at(rigid, body)->engine.shape, frame);
}

static wri_frame seen_by_body(const wr_rigid *rigid, int body, const wri_frame *frame)
{
    if (body < 0) {
        return *frame;
    }
    wri_frame at = wri_body_frame(rigid, body);
    wri_frame back = wri_frame_inverse(&at);
    return wri_frame_multiply(&back, frame);
}

static void place_joint(const wr_rigid *rigid, wri_rigid_joint *joint)
{
    joint->engine.frame_a = seen_by_engine(rigid, joint->engine.body_a, &joint->frame_a);
    joint->engine.frame_b = seen_by_engine(rigid, joint->engine.body_b, &joint->frame_b);
}

int wr_rigid_add_joint(wr_rigid *rigid, const wr_joint_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE(error, rigid)) {
        return -1;
    }
    if (!check_joint(rigid, desc, error)) {
        return -1;
    }
    if (!wri_array_reserve(&rigid->joints, rigid->joints.count + 1)) {
        wri_fail_memory(error, sizeof(wri_rigid_joint));
        return -1;
    }
    double unit = desc->kind == WR_JOINT_SLIDER ? rigid->units.length : 1.0;
    wri_frame frame = joint_frame(rigid, desc, desc->kind == WR_JOINT_SLIDER ? 0 : 2);
    wri_rigid_joint joint = {
        .engine = {.kind = (wri_bullet_joint_kind)desc->kind,
                   .body_a = desc->body_a,
                   .body_b = desc->body_b,
                   .lower = desc->lower / unit,
                   .upper = desc->upper / unit,
                   .collide = desc->collide,
                   .present = true},
        .frame_a = seen_by_body(rigid, desc->body_a, &frame),
        .frame_b = seen_by_body(rigid, desc->body_b, &frame),
        .breaking_impulse = desc->breaking_impulse,
    };
    WR_ASSERT(joint.breaking_impulse >= 0 && joint.engine.body_a != joint.engine.body_b);
    place_joint(rigid, &joint);
    if (!wri_bullet_add_joint(rigid->bullet, &joint.engine)) {
        wri_fail_memory(error, sizeof joint);
        return -1;
    }
    wr_rigid_wake(rigid, desc->body_a);
    if (desc->body_b >= 0) {
        wr_rigid_wake(rigid, desc->body_b);
    }
    WR_ASSERT(rigid->joints.count < rigid->joints.capacity);
    *(wri_rigid_joint *)wri_array_add(&rigid->joints, 1) = joint;
    return rigid->joints.count - 1;
}

void wri_place_joint(wr_rigid *rigid, int joint)
{
    place_joint(rigid, wri_rigid_joint_at(rigid, joint));
}

void wri_update_joint_frames(wr_rigid *rigid, int body)
{
    for (int i = 0; i < rigid->joints.count; i++) {
        wri_rigid_joint *joint = wri_rigid_joint_at(rigid, i);
        if (joint->engine.present &&
            (joint->engine.body_a == body || joint->engine.body_b == body)) {
            place_joint(rigid, joint);
            wri_bullet_set_joint(rigid->bullet, i, &joint->engine);
        }
    }
}

void wri_break_joint(wr_rigid *rigid, int index)
{
    wri_rigid_joint *joint = wri_rigid_joint_at(rigid, index);
    WR_ASSERT(joint->engine.present != (joint->broken || joint->removed));
    if (joint->engine.present) {
        joint->engine.present = false;
        joint->broken = true;
        wri_bullet_remove_joint(rigid->bullet, index);
    }
}

void wr_rigid_remove_joint(wr_rigid *rigid, int index)
{
    wri_rigid_joint *joint = wri_rigid_joint_at(rigid, index);
    WR_ASSERT(joint->engine.present != (joint->broken || joint->removed));
    if (joint->engine.present) {
        joint->engine.present = false;
        joint->removed = true;
        wri_bullet_remove_joint(rigid->bullet, index);
    }
}

// --- breaking ---------------------------------------------------------------------------------

void wri_window_add(wri_window *window, const double impulse[3], double dt)
{
    double rest = dt;
    WR_ASSERT(dt > 0 && window->head >= 0 && window->head < WRI_WINDOW_BUCKETS);
    if (dt > WRI_WINDOW_BUCKETS * WRI_BUCKET) { // what is older falls out of the window
        rest = WRI_WINDOW_BUCKETS * WRI_BUCKET;
    }
    while (rest > 0) {
        double part = fmin(rest, WRI_BUCKET - window->fill);
        for (int i = 0; i < 3; i++) {
            window->bucket[window->head][i] += impulse[i] * (part / dt);
        }
        WR_ASSERT(part > 0 && window->fill >= 0 && window->fill <= WRI_BUCKET);
        window->fill += part;
        rest -= part;
        if (window->fill >= WRI_BUCKET * (1.0 - 1e-9)) {
            window->head = (window->head + 1) % WRI_WINDOW_BUCKETS;
            window->fill = 0;
            memset(window->bucket[window->head], 0, sizeof window->bucket[0]);
        }
        rest = rest < 1e-9 * WRI_BUCKET ? 0 : rest;
    }
}

double wri_window_length(const wri_window *window)
{
    double sum[3] = {0, 0, 0};
    WR_ASSERT(window->fill >= 0 && window->fill < WRI_BUCKET);
    int oldest = (window->head + 1) % WRI_WINDOW_BUCKETS;
    for (int b = 0; b < WRI_WINDOW_BUCKETS; b++) {
        double weight = b == oldest ? 1.0 - window->fill / WRI_BUCKET : 1.0;
        for (int i = 0; i < 3; i++) {
            sum[i] += weight * window->bucket[b][i];
        }
    }
    return wri_length3(sum);
}

void wri_read_joints(wr_rigid *rigid, double dt)
{
    double unit = wri_unit_impulse(&rigid->units);
    WR_ASSERT(dt > 0);
    for (int i = 0; i < rigid->joints.count; i++) {
        wri_rigid_joint *joint = wri_rigid_joint_at(rigid, i);
        if (!joint->engine.present) {
            continue;
        }
        wri_joint_state state;
        double impulse[3];
        wri_bullet_read_joint(rigid->bullet, i, &state);
        for (int k = 0; k < 3; k++) {
            double j = state.force[k] * dt * unit;
            impulse[k] = isfinite(j) ? j : 0;
            joint->impulse[k] += impulse[k];
            for (int side = 0; side < 2; side++) {
                double turn = state.torque[side][k] * dt * unit * rigid->units.length;
                joint->turn[side][k] += isfinite(turn) ? turn : 0;
            }
        }
        wri_window_add(&joint->window, impulse, dt * rigid->units.time);
        if (wri_window_length(&joint->window) > joint->breaking_impulse) {
            wri_break_joint(rigid, i);
        }
    }
}

// --- reading ----------------------------------------------------------------------------------

int wr_rigid_joint_count(const wr_rigid *rigid)
{
    return rigid->joints.count;
}

bool wr_rigid_joint_is_broken(const wr_rigid *rigid, int joint)
{
    return wri_rigid_joint_at(rigid, joint)->broken;
}

wr_vec3 wr_rigid_joint_impulse(const wr_rigid *rigid, int joint)
{
    return wri_from_engine(wri_rigid_joint_at(rigid, joint)->impulse, 1.0);
}

wr_vec3 wr_rigid_joint_angular_impulse(const wr_rigid *rigid, int joint, int side)
{
    return wri_from_engine(wri_rigid_joint_at(rigid, joint)->turn[side], 1.0);
}

int wr_rigid_joint_body(const wr_rigid *rigid, int joint, int side)
{
    const wri_bullet_joint *engine = &wri_rigid_joint_at(rigid, joint)->engine;
    return side == 0 ? engine->body_a : engine->body_b;
}

wr_vec3 wr_rigid_joint_point(const wr_rigid *rigid, int joint, int side)
{
    const wri_rigid_joint *j = wri_rigid_joint_at(rigid, joint);
    return wri_from_engine((side == 0 ? j->frame_a : j->frame_b).position, rigid->units.length);
}

void wr_rigid_move_joint(wr_rigid *rigid, int joint, int side, int body)
{
    wri_rigid_joint *j = wri_rigid_joint_at(rigid, joint);
    int *place = side == 0 ? &j->engine.body_a : &j->engine.body_b;
    WR_ASSERT(is_present(rigid, body) && *place >= 0);
    int before = *place;
    *place = body;
    place_joint(rigid, j);
    if (j->engine.present) {
        wri_bullet_set_joint(rigid->bullet, joint, &j->engine);
        wr_rigid_wake(rigid, before);
        wr_rigid_wake(rigid, body);
    }
}
