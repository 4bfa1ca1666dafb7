// grip.c: particles that are held, moved and let go.
//
// Within a step a grip goes with constant velocity V and turns with constant angular velocity w
// from the pose that it has to the one that it is given. A held particle stays at its arm r in the
// grip's frame: after a share s of the step, and in the middle s' of the substep before
//
//     x = p + s dt V + R(s) r,    v = V + w x R(s') r
//
// where v is that of the middle, as of all particles. It has no inverse mass: what
// others do to it the grip takes.
#include "clay.h"

#include "../math/elementary.h"
#include "../math/slerp.h"

// --- the way of a grip --------------------------------------------------------------------------

// The motion of a grip in a step.
typedef struct way {
    wr_vec3 velocity, angular_velocity; // m/s, rad/s
    wr_quat rotation;                   // in the middle of the substep
} way;

static bool holds_any(const wri_clay *c)
{
    bool any = false;
    for (int k = 0; k < WR_CLAY_GRIPS_MAX; k++) {
        any = any || c->state.grips[k].count > 0;
    }
    return any;
}

static wr_vec3 rotation_between(wr_quat from, wr_quat to) // axis times angle
{
    wr_quat q = wr_quat_multiply(to, wr_quat_conjugate(from));
    if (q.w < 0.0f) {
        q = (wr_quat){-q.x, -q.y, -q.z, -q.w};
    }
    wr_vec3 axis = wr_v3(q.x, q.y, q.z);
    double sine = sqrt((double)wr_dot(axis, axis));
    return wr_scale(sine > 0.0 ? (float)(2.0 * wri_atan2_fine(sine, (double)q.w) / sine) : 0.0f,
                    axis);
}

// dt: seconds, of the step; share: of it that has passed.
static way way_of(const wri_clay_grip *g, float dt, double share)
{
    return (way){
        wr_scale(1.0f / dt, wr_sub(g->to.position, g->from.position)),
        wr_scale(1.0f / dt, rotation_between(g->from.rotation, g->to.rotation)),
        wri_quat_slerp(g->from.rotation, g->to.rotation, share),
    };
}

void wri_clay_hold(wri_clay *c, float dt, double share)
{
    way ways[WR_CLAY_GRIPS_MAX];
    bool any = holds_any(c);
    for (int k = 0; any && k < WR_CLAY_GRIPS_MAX; k++) {
        ways[k] = way_of(&c->state.grips[k], dt, share);
    }
    for (int i = 0; any && i < c->count; i++) {
        if (c->flags[i] & WRI_CLAY_HELD) {
            const way *w = &ways[c->grip[i]];
            wr_vec3 arm = wr_rotate(w->rotation, f4_vec3(c->arm[i]));
            c->v[i] = f4_of(wr_add(w->velocity, wr_cross(w->angular_velocity, arm)));
        }
    }
}

// Where the frame of a grip is after a share of the step, about the body's origin.
typedef struct frame {
    double position[3];
    wr_quat rotation;
} frame;

static frame frame_at(const wri_clay *c, const wri_clay_grip *g, double share)
{
    wr_vec3 a = g->from.position, b = g->to.position;
    const double from[3] = {(double)a.x, (double)a.y, (double)a.z};
    const double to[3] = {(double)b.x, (double)b.y, (double)b.z};
    frame f = {.rotation = wri_quat_slerp(g->from.rotation, g->to.rotation, share)};
    for (int k = 0; k < 3; k++) {
        f.position[k] = from[k] + share * (to[k] - from[k]) - c->state.origin[k];
    }
    return f;
}

static void place(wri_clay *c, int i, const frame *f)
{
    f4 arm = f4_of(wr_rotate(f->rotation, f4_vec3(c->arm[i])));
    for (int k = 0; k < 3; k++) {
        double x = f->position[k] + (double)arm[k];
        c->x[i][k] = (float)x;
        c->x_low[i][k] = (float)(x - (double)(float)x);
    }
}

void wri_clay_carry(wri_clay *c, double share)
{
    frame frames[WR_CLAY_GRIPS_MAX];
    bool any = holds_any(c);
    for (int k = 0; any && k < WR_CLAY_GRIPS_MAX; k++) {
        frames[k] = frame_at(c, &c->state.grips[k], share);
    }
    for (int i = 0; any && i < c->count; i++) {
        if (c->flags[i] & WRI_CLAY_HELD) {
            place(c, i, &frames[c->grip[i]]);
        }
    }
}

void wri_clay_end_grips(wri_clay *c)
{
    for (int k = 0; k < WR_CLAY_GRIPS_MAX; k++) {
        c->state.grips[k].from = c->state.grips[k].to;
    }
}

// --- taking and letting go ----------------------------------------------------------------------

static bool is_pose(wr_pose p)
{
    float squared = wr_quat_dot(p.rotation, p.rotation);
    return wr_is_finite3(p.position) && fabsf(squared - 1.0f) < 1e-3f;
}

static bool check_grip(wr_pose pose, wr_vec3 size, wr_error *error)
{
    if (!is_pose(pose)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "pose: not finite, or its rotation is no unit "
                        "quaternion");
    }
    return (wr_is_finite3(size) && size.x > 0.0f && size.y > 0.0f && size.z > 0.0f) ||
           wri_fail(error, WR_E_ARGUMENT, "size: %g x %g x %g m, need more than 0", (double)size.x,
                    (double)size.y, (double)size.z);
}

static int free_grip(const wri_clay *c)
{
    int k = 0;
    while (k < WR_CLAY_GRIPS_MAX && c->state.grips[k].count > 0) {
        k++;
    }
    return k;
}

// The particles inside the box; those that another grip has stay with it.
static int take(wri_clay *c, int grip, wr_vec3 size)
{
    wri_clay_grip *g = &c->state.grips[grip];
    frame f = frame_at(c, g, 1.0);
    for (int i = 0; i < c->count; i++) {
        wr_vec3 arm =
            wr_rotate_back(f.rotation, wr_v3((float)((double)c->x[i][0] - f.position[0]),
                                             (float)((double)c->x[i][1] - f.position[1]),
                                             (float)((double)c->x[i][2] - f.position[2])));
        bool inside = fabsf(arm.x) <= 0.5f * size.x && fabsf(arm.y) <= 0.5f * size.y &&
                      fabsf(arm.z) <= 0.5f * size.z;
        if (inside && !(c->flags[i] & WRI_CLAY_HELD)) {
            c->arm[i] = f4_of(arm);
            c->grip[i] = (uint8_t)grip;
            c->flags[i] |= WRI_CLAY_HELD;
            c->v[i] = (f4){0};
            g->count++;
        }
    }
    return g->count;
}

int wr_clay_add_grip(wr_clay_world *world, int body, wr_pose pose, wr_vec3 size, wr_error *error)
{
    if (!WRI_REQUIRE(error, world) || !check_grip(pose, size, error)) {
        return -1;
    }
    wri_clay *c = wri_clay_of(world, body);
    int grip = free_grip(c);
    if (grip == WR_CLAY_GRIPS_MAX) {
        wri_fail(error, WR_E_ARGUMENT, "a body has at most %d grips", WR_CLAY_GRIPS_MAX);
        return -1;
    }
    pose.rotation = wr_quat_normalize(pose.rotation);
    c->state.grips[grip] = (wri_clay_grip){.from = pose, .to = pose};
    if (take(c, grip, size) == 0) {
        wri_fail(error, WR_E_ARGUMENT,
                 "the box holds no particle that is free: %g x %g x %g m at %g %g %g, "
                 "expected one around a part of the body",
                 (double)size.x, (double)size.y, (double)size.z, (double)pose.position.x,
                 (double)pose.position.y, (double)pose.position.z);
        return -1;
    }
    wr_clay_wake(world, body);
    return grip;
}

bool wr_clay_has_grip(const wr_clay_world *world, int body, int grip)
{
    WR_ASSERT(grip >= 0 && grip < WR_CLAY_GRIPS_MAX);
    return wri_clay_of(world, body)->state.grips[grip].count > 0;
}

void wr_clay_move_grip(wr_clay_world *world, int body, int grip, wr_pose pose)
{
    wri_clay_grip *g = &wri_clay_of(world, body)->state.grips[grip];
    WR_ASSERT(g->count > 0 && is_pose(pose));
    g->to = (wr_pose){pose.position, wr_quat_normalize(pose.rotation)};
    if (memcmp(&g->from, &g->to, sizeof g->from) != 0) {
        wr_clay_wake(world, body);
    }
}

void wr_clay_remove_grip(wr_clay_world *world, int body, int grip, bool at_rest)
{
    wri_clay *c = wri_clay_of(world, body);
    WR_ASSERT(c->state.grips[grip].count > 0);
    for (int i = 0; i < c->count; i++) {
        if (c->flags[i] & WRI_CLAY_HELD && c->grip[i] == grip) {
            c->flags[i] &= (uint8_t)~WRI_CLAY_HELD;
            c->grip[i] = 0;
            c->arm[i] = (f4){0};
            c->v[i] = at_rest ? (f4){0} : c->v[i];
        }
    }
    c->state.grips[grip] = (wri_clay_grip){.count = 0};
    wr_clay_wake(world, body);
}
