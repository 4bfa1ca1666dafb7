// momentum.c: what a body carries, and what rounding takes from it.
//
// Own forces and reactions cancel but for rounding, which in a body under a steady stress is the
// same in every substep: it drifts, by 1e-5 of its momentum in a second. After each step that is
// put right by one rigid motion of all particles. Only what rounding may do is: more is somebody's
// fault, and is left to be seen.
#include "clay.h"

#include "../math/dense.h"
#include "../math/double3.h"

static const double ROUNDING = 1e-6; // of the sizes of both momenta, in a step,
static const double NOISE = 1e-8;    // and of what it would carry at the speed of its waves

static void add_particle(const wri_clay *c, int i, const double center[3], wri_clay_momentum *m)
{
    double mass = (double)c->m[i], r[3], v[3], moment[3];
    for (int k = 0; k < 3; k++) {
        r[k] = (double)c->x[i][k] - center[k];
        v[k] = (double)c->v[i][k];
    }
    wri_cross3(r, v, moment);
    for (int k = 0; k < 3; k++) {
        m->P[k] += mass * v[k];
        m->spin[k] += mass * moment[k];
        for (int l = 0; l < 3; l++) {
            m->inertia[k][l] -= mass * r[k] * r[l];
            m->inertia[l][l] += mass * r[k] * r[k];
        }
    }
    m->P_size += mass * wri_length3(v);
    m->spin_size += mass * wri_length3(r) * wri_length3(v);
}

// Spin is about the centre of mass, which is in the world.
static wri_clay_momentum find_momentum(const wri_clay *c)
{
    wri_clay_momentum m = {0};
    double center[3] = {0};
    for (int i = 0; i < c->count; i++) {
        m.mass += (double)c->m[i];
        for (int k = 0; k < 3; k++) {
            center[k] += (double)c->m[i] * (double)c->x[i][k];
        }
    }
    for (int k = 0; k < 3; k++) {
        center[k] /= m.mass;
        m.center[k] = c->state.origin[k] + center[k];
    }
    for (int i = 0; i < c->count; i++) {
        add_particle(c, i, center, &m);
    }
    return m;
}

// --- a step -------------------------------------------------------------------------------------

void wri_clay_begin_momentum(wri_clay *c)
{
    c->carried = find_momentum(c);
    memcpy(c->center, c->carried.center, sizeof c->center);
    memset(c->given, 0, sizeof c->given);
    memset(c->moment, 0, sizeof c->moment);
    c->retired_before = c->state.retired;
}

void wri_clay_give(wri_clay *c, const double impulse[3], const double at[3])
{
    double arm[3], moment[3];
    for (int k = 0; k < 3; k++) {
        arm[k] = at[k] - c->carried.center[k];
    }
    wri_cross3(arm, impulse, moment);
    for (int k = 0; k < 3; k++) {
        c->given[k] += impulse[k];
        c->moment[k] += moment[k];
    }
}

// Grips, other clay and particles that were brought back give what is not counted.
static bool is_counted(const wri_clay *c)
{
    bool held = false;
    for (int i = 0; i < c->count; i++) {
        held = held || c->flags[i] & WRI_CLAY_HELD;
    }
    return !held && !c->met && c->state.retired == c->retired_before;
}

static void move(wri_clay *c, const wri_clay_momentum *now, const double P[3], const double spin[3])
{
    double I[9], omega[3];
    memcpy(I, now->inertia, sizeof I);
    memcpy(omega, spin, sizeof omega);
    if (wri_dense_factor(3, I)) {
        wri_dense_solve(3, I, omega);
    } else {
        memset(omega, 0, sizeof omega);
    }
    f4 v = {(float)(P[0] / now->mass), (float)(P[1] / now->mass), (float)(P[2] / now->mass), 0.0f};
    for (int i = 0; i < c->count; i++) {
        double r[3], lift[3];
        for (int k = 0; k < 3; k++) {
            r[k] = (double)c->x[i][k] + c->state.origin[k] - now->center[k];
        }
        wri_cross3(omega, r, lift);
        c->v[i] += v + (f4){(float)lift[0], (float)lift[1], (float)lift[2], 0.0f};
    }
}

void wri_clay_turn(wri_clay *c, const double spin[3])
{
    const double none[3] = {0.0, 0.0, 0.0};
    wri_clay_momentum now = find_momentum(c);
    move(c, &now, none, spin);
}

void wri_clay_restore_momentum(wri_clay *c)
{
    wri_clay_momentum now = find_momentum(c);
    double way[3], P[3], spin[3], moment[3];
    for (int k = 0; k < 3; k++) {
        way[k] = now.center[k] - c->carried.center[k];
        P[k] = c->carried.P[k] + c->given[k];
    }
    wri_cross3(way, P, moment);
    for (int k = 0; k < 3; k++) {
        spin[k] = c->carried.spin[k] + c->moment[k] - moment[k] - now.spin[k];
        P[k] -= now.P[k];
    }
    double waves = sqrt((double)((c->moduli.lambda + 2.0f * c->moduli.mu) / c->moduli.rho));
    double noise = NOISE * now.mass * waves;
    bool is_rounding = wri_length3(P) <= ROUNDING * (now.P_size + wri_length3(c->given)) + noise &&
                       wri_length3(spin) <= ROUNDING * (now.spin_size + wri_length3(c->moment)) +
                                                noise * (double)c->moduli.L;
    if (is_rounding && is_counted(c)) {
        move(c, &now, P, spin);
    }
}
