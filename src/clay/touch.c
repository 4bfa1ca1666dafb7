// touch.c: contact of particles with rigid bodies.
//
// Each obeys 0 <= lambda _|_ n.v + gap / h >= 0, one after the other, against a copy of the rigid
// body that has felt those before it: bodies a hundred times lighter than the clay stay quiet. The
// impulse acts at the particle's centre on both sides, so that friction keeps angular momentum.
// Where they overlap nothing but n.v < 0 is stopped, and the particle is moved out, slowly and
// without velocity: what is pushed out by velocities hops for ever.
//
// What is sticky is pulled back, too, until it is a little way off: lambda >= -sticks (2 r)^2 h.
#include "clay.h"

static const float PUSH_OUT = 0.2f; // share of an overlap that goes in one step
static const float PRESSED = 10.0f; // weights of a particle with which it may be pressed in
static const float HOLD = 0.4f;     // of the radius: how far off what is sticky lets go

typedef struct meeting {
    wri_clay *c;
    wr_clay_touch *touch;
    wr_body_copy *body;
    wr_vec3 x, n; // where, world; out of the body
    float gap;
} meeting;

static meeting meet(const wr_clay_world *world, const wr_clay_step *step, wr_clay_touch *t)
{
    meeting m = {.c = wri_clay_of(world, t->clay), .touch = t, .body = &step->bodies[t->body]};
    m.x = wri_clay_place(m.c, m.c->x[t->particle]);
    m.n = wr_rotate(m.body->pose.rotation, t->local_normal);
    wr_vec3 point = wr_pose_point(m.body->pose, t->local_point);
    m.gap = wr_dot(wr_sub(m.x, point), m.n) - m.c->radius[t->particle];
    return m;
}

static void push(meeting *m, wr_vec3 impulse)
{
    int i = m->touch->particle;
    m->c->v[i] += f4_of(wr_scale(wri_clay_inverse_mass(m->c, i), impulse));
    wr_body_copy_push(m->body, m->x, wr_scale(-1.0f, impulse));
    m->touch->impulse = wr_sub(m->touch->impulse, impulse);
    wri_clay_give(m->c, (double[3]){(double)impulse.x, (double)impulse.y, (double)impulse.z},
                  (double[3]){(double)m->x.x, (double)m->x.y, (double)m->x.z});
}

// N s: what it takes to pull the particle off within dt.
static float hold_of(const meeting *m, float dt)
{
    float edge = 2.0f * m->c->radius[m->touch->particle];
    return m->gap < 0.5f * HOLD * edge ? m->c->moduli.sticks * edge * edge * dt : 0.0f;
}

// What is pressed in by its own stress is moved out the less the harder it is: that is work which
// nobody does.
static float ease_of(const meeting *m, int i)
{
    const wri_clay_moduli *units = &m->c->moduli;
    float weight = m->c->m[i] * 2.0f * units->L / (units->t_L * units->t_L);
    float press = -wr_dot(f4_vec3(m->c->force[i]), m->n);
    return press > PRESSED * weight ? PRESSED * weight / press : 1.0f;
}

// What gave way in the first place and was stopped by its supports behaves as if it were heavier:
// what is left of the speed goes by a secant.
static void stop_again(meeting *m, float wanted, float before, float lambda)
{
    int i = m->touch->particle;
    wr_vec3 v = wr_sub(f4_vec3(m->c->v[i]), wr_body_copy_velocity(m->body, m->x));
    float speed = wr_dot(v, m->n);
    if (m->body->support_count > 0 && lambda > 0.0f && speed < wanted) {
        float w = fmaxf((speed - before) / lambda, wri_clay_inverse_mass(m->c, i));
        push(m, wr_scale(w > 0.0f ? (wanted - speed) / w : 0.0f, m->n));
    }
}

static void solve(meeting *m, float dt, float step_dt)
{
    int i = m->touch->particle;
    float inverse = wri_clay_inverse_mass(m->c, i);
    wr_vec3 v = wr_sub(f4_vec3(m->c->v[i]), wr_body_copy_velocity(m->body, m->x));
    wr_mat3 K = wr_body_copy_inverse_mass(m->body, m->x);
    float speed = wr_dot(v, m->n), w = inverse + wr_dot(m->n, wr_mat3_apply(K, m->n));
    if (!(w > 0.0f)) { // neither of them gives way
        return;
    }
    if (m->gap < 0.0f && inverse > 0.0f) {
        float depth = fminf(-m->gap, m->c->radius[i]);
        m->c->x[i] += PUSH_OUT * ease_of(m, i) * dt / step_dt * depth * f4_of(m->n);
    }
    float hold = hold_of(m, dt), wanted = -fmaxf(m->gap, 0.0f) / dt;
    float lambda = fmaxf(0.0f, (wanted - speed) / w);
    if (hold > 0.0f && lambda == 0.0f) {
        lambda = fmaxf(-hold, fminf(-speed / w, 0.0f));
    }
    if (lambda == 0.0f) {
        return;
    }
    m->c->touched = true;
    m->c->flags[i] |= WRI_CLAY_TOUCHED;
    wr_vec3 slip = wr_add_scaled(v, -speed, m->n), t = wr_normalize(slip);
    float stop = wr_length(slip) / (inverse + wr_dot(t, wr_mat3_apply(K, t)));
    float friction = sqrtf(m->c->parameters.friction * m->touch->friction);
    float most = friction * (fmaxf(lambda, 0.0f) + hold);
    push(m, wr_add_scaled(wr_scale(lambda, m->n), -fminf(most, stop), t));
    stop_again(m, wanted, speed, lambda);
}

void wri_clay_solve_touches(const wr_clay_world *world, wr_clay_step *step, float dt)
{
    for (int i = 0; i < step->touch_count; i++) {
        meeting m = meet(world, step, &step->touches[i]);
        solve(&m, dt, step->dt);
    }
}
