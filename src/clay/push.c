// push.c: impulses of others, such as flesh, that act on particles all through a step.
//
// Others that advance in steps as long as the world's ask how far a particle goes within one. With
// lambda the impulse that it gets all through the step,
//
//     way / dt = v* + (lambda - lambda*) / m*,   m* = 2 rho s^2 max(s, c dt, sqrt(eta dt / rho))
//
// where v* is what it does when lambda* acts, which is tried: the elastic body alone goes ahead by
// a step. lambda* is what holds it now, as the contact of the step before left it. m* is what lies
// below its share s^2 of the surface, to the depth that a wave reaches: with the impedance rho c a
// partner that solves for lambda is stable in one go, however light or heavy it is (J. W. Banks, W.
// D. Henshaw, D. W. Schwendeman. An analysis of a new stable partitioned algorithm for FSI
// problems. JCP 2014). Without the trial the answer came half a step late, and a ball of clay on
// flesh bounced for ever.
#include "clay.h"

// A load on a few particles spreads to the sides as well. Measured: with 1 and 4 balls of clay
// jitter on flesh.
static const float SPREAD = 2.0f;

// --- what a particle would do -----------------------------------------------------------------

// A body that goes ahead; what it was before, and what holds those that are pushed, N.
typedef struct trial {
    wri_clay *c;
    f4 gravity;
    float dt; // of a substep
    f4 *x, *v, *rotation, *hold;
} trial;

static float effective_mass(const wri_clay *c, int i, float dt)
{
    const wri_clay_moduli *m = &c->moduli;
    float edge = 2.0f * wri_clay_radius_of((double)wri_clay_volume(c, i));
    float wave = dt * sqrtf((m->lambda + 2.0f * m->mu) * c->soften[i] / m->rho);
    float depth = fmaxf(fmaxf(edge, wave), sqrtf(m->eta * dt / m->rho));
    return SPREAD * c->m[i] * depth / edge;
}

static bool begin_trial(trial *t, wr_scratch *scratch)
{
    wri_clay *c = t->c;
    size_t count = (size_t)c->count;
    t->x = wr_scratch_push(scratch, count, sizeof *t->x);
    t->v = wr_scratch_push(scratch, count, sizeof *t->v);
    t->rotation = wr_scratch_push(scratch, count, sizeof *t->rotation);
    t->hold = wr_scratch_push(scratch, count, sizeof *t->hold);
    if (!t->x || !t->v || !t->rotation || !t->hold) {
        return false;
    }
    memcpy(t->x, c->x, count * sizeof *t->x);
    memcpy(t->v, c->v, count * sizeof *t->v);
    memcpy(t->rotation, c->rotation, count * sizeof *t->rotation);
    return true;
}

static void end_trial(const trial *t)
{
    size_t count = (size_t)t->c->count;
    memcpy(t->c->x, t->x, count * sizeof *t->x);
    memcpy(t->c->v, t->v, count * sizeof *t->v);
    memcpy(t->c->rotation, t->rotation, count * sizeof *t->rotation);
}

static void find_holds(const trial *t)
{
    const wri_clay *c = t->c;
    for (int i = 0; i < c->count; i++) {
        if (c->flags[i] & WRI_CLAY_PUSHED) {
            t->hold[i] = -(c->force[i] + c->m[i] * t->gravity);
            if (wri_clay_solves_viscosity(c)) {
                t->hold[i] -= wri_clay_viscous_force(c, i);
            }
        }
    }
}

// What lies on a rigid body or is gripped goes on as it does.
static void go_range(void *context, int block, int begin, int end)
{
    (void)block;
    const trial *t = context;
    wri_clay *c = t->c;
    for (int i = begin; i < end; i++) {
        int flags = c->flags[i];
        bool is_held =
            flags & WRI_CLAY_HELD || (flags & WRI_CLAY_TOUCHED && !(flags & WRI_CLAY_PUSHED));
        if (!is_held) {
            c->v[i] += t->dt * ((c->force[i] + t->hold[i]) / c->m[i] + t->gravity);
        }
    }
}

static void drift_range(void *context, int block, int begin, int end)
{
    (void)block;
    const trial *t = context;
    for (int i = begin; i < end; i++) {
        t->c->x[i] += t->dt * t->c->v[i];
    }
}

static void go_ahead(const trial *t, int substeps, const wr_tasks *tasks, wr_scratch *scratch)
{
    wri_clay *c = t->c;
    for (int k = 0; k < substeps; k++) {
        wri_clay_find_stresses(c, 0.0f, tasks);
        wri_clay_find_forces(c, tasks);
        if (k == 0) {
            find_holds(t);
        }
        wri_parallel_for(tasks, c->count, GRAIN, go_range, (void *)(uintptr_t)t);
        if (wri_clay_solves_viscosity(c)) {
            wri_clay_solve_viscosity(c, t->dt, tasks, scratch);
        }
        wri_parallel_for(tasks, c->count, GRAIN, drift_range, (void *)(uintptr_t)t);
    }
}

static wri_clay_answer answer_of(const trial *t, int i, float dt)
{
    const wri_clay *c = t->c;
    f4 way = (c->x[i] - t->x[i]) / dt;
    wri_clay_answer out = {f4_vec3(way), 0.0f};
    if (!(c->flags[i] & WRI_CLAY_HELD)) {
        out.inverse_mass = 1.0f / effective_mass(c, i, dt);
        out.velocity = wr_sub(out.velocity, wr_scale(dt * out.inverse_mass, f4_vec3(t->hold[i])));
    }
    return out;
}

void wri_clay_find_answers(wri_clay *c, const wri_clay_question *q, wri_clay_answer *out)
{
    size_t used = q->scratch->used;
    int substeps = wri_clay_count_substeps(c, q->dt);
    trial t = {.c = c, .gravity = f4_of(q->gravity), .dt = q->dt / (float)substeps};
    bool ok = !c->state.asleep && begin_trial(&t, q->scratch);
    if (ok) {
        go_ahead(&t, substeps, q->tasks, q->scratch);
    }
    for (int i = 0; i < q->count; i++) {
        out[i] = ok ? answer_of(&t, q->particles[i], q->dt) : (wri_clay_answer){0};
    }
    if (ok) {
        end_trial(&t);
    }
    q->scratch->used = used;
}

// --- pushes -----------------------------------------------------------------------------------

// Adds to what angular momentum has changed by.
static void add_moment(double sum[3], wr_vec3 arm, wr_vec3 impulse)
{
    const double r[3] = {(double)arm.x, (double)arm.y, (double)arm.z};
    const double j[3] = {(double)impulse.x, (double)impulse.y, (double)impulse.z};
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, n = (k + 2) % 3;
        sum[k] += r[l] * j[n] - r[n] * j[l];
    }
}

void wri_clay_begin_pushes(const wr_clay_world *world, wr_clay_step *step)
{
    for (int k = 0; k < step->push_count; k++) {
        wr_clay_push *p = &step->pushes[k];
        const wri_clay *c = wri_clay_of(world, p->clay);
        p->from = wri_clay_place(c, c->x[p->particle]);
    }
}

static void push(wri_clay *c, const wr_clay_push *p, float share)
{
    int i = p->particle;
    wr_vec3 impulse = wr_scale(share, p->impulse), x = wri_clay_place(c, c->x[i]);
    c->pushed = true;
    c->flags[i] |= WRI_CLAY_TOUCHED | WRI_CLAY_PUSHED;
    c->v[i] += f4_of(wr_scale(1.0f / c->m[i], impulse));
    wri_clay_give(c, (double[3]){(double)impulse.x, (double)impulse.y, (double)impulse.z},
                  (double[3]){(double)x.x, (double)x.y, (double)x.z});
    add_moment(c->twist, wr_sub(x, p->from), impulse);
    c->twist[0] -= (double)(share * p->couple.x);
    c->twist[1] -= (double)(share * p->couple.y);
    c->twist[2] -= (double)(share * p->couple.z);
}

void wri_clay_add_pushes(const wr_clay_world *world, const wr_clay_step *step, float dt)
{
    for (int k = 0; k < step->push_count; k++) {
        const wr_clay_push *p = &step->pushes[k];
        wri_clay *c = wri_clay_of(world, p->clay);
        if (wri_clay_is_active(c) && !(c->flags[p->particle] & WRI_CLAY_HELD)) {
            push(c, p, dt / step->dt);
        }
    }
}

void wri_clay_end_pushes(wri_clay *c)
{
    double back[3];
    for (int k = 0; k < 3; k++) {
        back[k] = -c->twist[k];
        c->moment[k] += back[k];
        c->twist[k] = 0.0;
    }
    if (back[0] != 0.0 || back[1] != 0.0 || back[2] != 0.0) {
        wri_clay_turn(c, back);
    }
}
