// clay.h (internal): one body of particles, and the passes over it.
//
// Symbols, as in the thesis: x world, e embedded and u_ij rest positions, w_ij weights, h_i radii
// of support, A_i basis matrices, F_i deformation gradients, P_i first Piola-Kirchhoff stresses,
// V_i volumes, alpha_i accumulated plastic stress, gamma_i share of the deformation that becomes
// plastic.
//
// Every pass is a loop over particles that writes only what is its own. Particles lie in the order
// of a space-filling curve through embedded space, so that neighbours are near in memory.
#pragma once

#include "wrought/clay.h"

#include "../base/base.h"
#include "../math/lanes.h"

enum {
    NEIGHBOURS = 32,
    GRAIN = 256,     // particles in a task: a multiple of LANES
    BASIS_ROWS = 10, // of wri_clay.basis: A^-1 (6: xx xy xz yy yz zz), sum w u (3), firmness
    RECORD_ROWS = 4, // of wri_clay.records
    FLOW_ROWS = 4,   // of wri_clay.plan: columns of F_p F^-1, each with one of the diagonal of
                     // F_p behind it; xy, xz, yz of F_p
};

typedef enum wri_clay_flag {
    WRI_CLAY_SURFACE = 1,    // nothing lies on one side of it
    WRI_CLAY_DEGENERATE = 2, // its neighbours do not span space: no stress
    WRI_CLAY_TOUCHED = 4,    // by a rigid body or a push, in the last step
    WRI_CLAY_HELD = 8,       // by a grip
    WRI_CLAY_PUSHED = 16,    // in the last step
} wri_clay_flag;

// The units of a body and its material in SI.
typedef struct wri_clay_moduli {
    float rho;              // kg/m^3
    float lambda, mu;       // Pa
    float yield;            // Pa
    float forget;           // ln(1 - nu) per second: what is left of a stress falls as e^(forget t)
    float eta;              // Pa s
    float sticks;           // Pa
    float L, t_L, pressure; // m, s, Pa
} wri_clay_moduli;

// Moves from one pose to the other in the step. No padding: it is hashed.
typedef struct wri_clay_grip {
    wr_pose from, to; // m, world
    int32_t count;    // of the particles that it holds; 0: there is no such grip
} wri_clay_grip;

// What changes besides the particles. No padding: it is hashed.
typedef struct wri_clay_state {
    double origin[3]; // m, world: x is about it; it flies with the body
    double start[3];  // m, world: where it was at the start, e and seed are about it
    double splits, merges, retired, embeddings; // since the start
    double unflowed;                            // seconds since it was asked what flows
    double followed;     // plastic strain of the worst since it was embedded, when omega was found
    float omega, decay;  // 1/s: bounds of the fastest oscillation, and of explicit damping
    float sparse, dense; // eigenvalues below and above which it splits and merges
    float omega_tightness, decay_tightness; // measured over bound, with a margin; decay 0:
                                            // viscosity needed too many substeps and is solved for
    float omega_start, decay_start;         // 1/s: these bounds at the start
    float ease; // factor on the stiffness: below 1 it would need too many substeps
    float calm; // seconds at rest
    int32_t asleep;
    uint32_t next_id;
    wri_clay_grip grips[WR_CLAY_GRIPS_MAX];
} wri_clay_state;

static_assert(sizeof(wri_clay_state) ==
                  12 * sizeof(double) + 12 * 4 + WR_CLAY_GRIPS_MAX * sizeof(wri_clay_grip),
              "padding would be hashed");

// Both momenta, and the sums of their sizes.
typedef struct wri_clay_momentum {
    double mass;          // kg
    double center[3];     // metres, world: of mass
    double P[3], spin[3]; // N s; N m s, about the centre of mass
    double inertia[3][3]; // kg m^2, likewise
    double P_size, spin_size;
} wri_clay_momentum;

typedef struct wri_clay {
    wr_allocator allocator;
    wr_clay_parameters parameters;
    wri_clay_moduli moduli, created; // now, and before it was made softer
    uint32_t group, collides;
    wri_clay_state state;
    bool frozen;          // it takes part in nothing
    bool is_new;          // embedded space is: neighbours are to be found
    bool has_moved;       // embedded space, in this step
    bool touched;         // by a rigid body, in this step
    bool pushed;          // by something else than that, in this step
    bool met;             // it is at another body of clay, in this step
    bool flows;           // in this substep, where it yields
    double flowed_before; // mean plastic strain since it was embedded, before this step
    // For wri_clay_restore_momentum, of this step: what it carried before, what it was given since
    // (N s; N m s, about where its centre of mass was), and where that is now.
    wri_clay_momentum carried;
    double given[3], moment[3], center[3], retired_before;
    double twist[3]; // N m s: what pushes give too much because they move with their particles

    // --- state of the particles: see wri_clay_columns
    int count, capacity; // capacity: a multiple of LANES
    f4 *x, *x_low;       // m, about state.origin: where it is, and what rounding that leaves over
    f4 *v;               // m/s
    f4 *e;               // m
    float *m, *h;        // kg, m
    float *radius;       // m, in contacts
    float *alpha;        // Pa
    float *flowed;       // plastic strain since the last embedding
    float *pause;        // s: until it may split or merge again
    f4 *before;          // m, from where it is: where it was before it split or merged; and its
                         // radius then over its own
    float *soften, *yield, *flow; // painted factors: on stiffness, yield and flow
    f4 *rotation;                 // quaternion: where the polar decomposition begins
    int *neighbours;              // NEIGHBOURS each; itself: none
    f4 *u;                        // likewise: m, and w
    uint32_t *parted;             // bits: neighbours on the other side of a thin obstacle, w = 0
    f4 *seed;                     // m: where it was at the start, as e
    float *plastic;               // 9 each: from there to its rest shape, all F_p so far
    int *component;               // particles of different components do not become neighbours
    uint32_t *id;
    uint8_t *flags;
    uint8_t *grip; // number of the grip that holds it, if one does
    f4 *arm;       // m, in the frame of that grip

    // --- derived
    int *reverse_begin, *reverse; // edges (particle * NEIGHBOURS + k) that end at each particle
    float *basis;                 // per eight: [BASIS_ROWS][LANES]
    f4 *records;                  // RECORD_ROWS each: columns of T = V (P A^-1 - c F), each with a
                                  // component of v behind it; x and firmness
    f4 *force;                    // N
    float *gamma;
    f4 *plan;                 // FLOW_ROWS each, where gamma > 0
    int substeps, iterations; // of the last step, of the last embedding
} wri_clay;

struct wr_clay_world {
    wr_allocator allocator;
    wri_array bodies; // of wri_clay *; NULL: removed
    wr_scratch scratch;
    double (*clock)(void);
    double seconds[WR_CLAY_STAGE_COUNT];
};

// --- storage (clay.c) -------------------------------------------------------------------------

// An array with so many items of so many bytes for each particle.
typedef struct wri_clay_column {
    size_t offset; // of the pointer in wri_clay
    size_t size;   // bytes per particle
    bool is_state; // saved and hashed
} wri_clay_column;
const wri_clay_column *wri_clay_columns(int *count);

// Makes room for so many particles; those there are stay. False: out of memory, nothing is changed.
bool wri_clay_reserve(wri_clay *c, int count);
wri_clay *wri_clay_of(const wr_clay_world *world, int body); // NULL: removed
typedef struct wri_clay_units {
    double length, time, pressure; // L, t_L and the own weight: m, s, Pa
} wri_clay_units;
wri_clay_units wri_clay_find_units(double density, double volume);
// Half the edge of a cube of a particle's volume: surface particles lie that deep.
float wri_clay_radius_of(double volume);
bool wri_clay_check_parameters(const wr_clay_parameters *p, wr_error *error);

static inline bool wri_clay_is_active(const wri_clay *c)
{
    return c && !c->frozen && !c->state.asleep;
}

// A point about the origin, in the world.
static inline wr_vec3 wri_clay_place(const wri_clay *c, f4 x)
{
    return wr_v3((float)((double)x[0] + c->state.origin[0]),
                 (float)((double)x[1] + c->state.origin[1]),
                 (float)((double)x[2] + c->state.origin[2]));
}

static inline float wri_clay_volume(const wri_clay *c, int i)
{
    return c->m[i] / c->moduli.rho;
}

// 1/kg; nothing moves what a grip holds.
static inline float wri_clay_inverse_mass(const wri_clay *c, int i)
{
    return c->flags[i] & WRI_CLAY_HELD ? 0.0f : 1.0f / c->m[i];
}

// V / sum_j w |u|^2, with the painted factor on stiffness: what pairs resist with, elastically and
// viscously.
static inline float wri_clay_firmness(const wri_clay *c, int i)
{
    return c->basis[i / LANES * BASIS_ROWS * LANES + 9 * LANES + i % LANES];
}

// c_i V_i over the firmness, and k_ij over firmness and weight.
static inline float wri_clay_hourglass(const wri_clay *c)
{
    return 3.0f * c->parameters.hourglass * c->moduli.mu;
}

// Viscosity is stepped with the elastic forces, or solved for.
static inline bool wri_clay_solves_viscosity(const wri_clay *c)
{
    return c->moduli.eta > 0.0f && (c->parameters.implicit || c->state.decay_tightness == 0.0f);
}

static inline bool wri_clay_steps_viscosity(const wri_clay *c)
{
    return c->moduli.eta > 0.0f && !wri_clay_solves_viscosity(c);
}

static inline float wri_clay_pair_viscosity(const wri_clay *c)
{
    return 15.0f * c->moduli.eta;
}

// A^-1 v
static inline f4 wri_clay_apply_inverse(const wri_clay *c, int i, f4 v)
{
    const float *a = &c->basis[i / LANES * BASIS_ROWS * LANES + i % LANES];
    return (f4){a[0] * v[0] + a[LANES] * v[1] + a[2 * LANES] * v[2],
                a[LANES] * v[0] + a[3 * LANES] * v[1] + a[4 * LANES] * v[2],
                a[2 * LANES] * v[0] + a[4 * LANES] * v[1] + a[5 * LANES] * v[2], 0.0f};
}

static inline f4 wri_clay_sum_of_rests(const wri_clay *c, int i) // sum_j w u
{
    const float *a = &c->basis[i / LANES * BASIS_ROWS * LANES + i % LANES];
    return (f4){a[6 * LANES], a[7 * LANES], a[8 * LANES], 0.0f};
}

// --- passes -----------------------------------------------------------------------------------

// neighbours.c
// Finds all neighbours anew; rest vectors of those who stay are kept. False: out of memory.
bool wri_clay_find_neighbours(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch);
// Whether some are stretched so far that they let go when neighbours are found anew.
bool wri_clay_has_torn(const wri_clay *c);
// Finds the first ones, and how far each particle's support reaches.
bool wri_clay_start_neighbours(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch);
void wri_clay_find_reverse(wri_clay *c);
void wri_clay_find_components(wri_clay *c);

// basis.c
// Eq. 3.14 without its dimension, of |u|^2 / h^2.
static inline float wri_clay_poly6(float q)
{
    float s = fmaxf(1.0f - q, 0.0f);
    return s * s * s;
}
void wri_clay_find_basis(wri_clay *c, int i);
void wri_clay_find_all_bases(wri_clay *c, const wr_tasks *tasks);

// speed.c
f4 wri_clay_noise(uint32_t id); // in [-1, 1]: where an iteration starts
// Measures once how tight the bound is for this body.
void wri_clay_measure_speed(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch);
// 1/s: no oscillation is faster than this.
float wri_clay_fastest(const wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch);

// elastic.c
// With explicit viscosity, unless the body solves for it. elapsed: seconds for which it flows.
void wri_clay_find_stresses(wri_clay *c, float elapsed, const wr_tasks *tasks);
void wri_clay_find_forces(wri_clay *c, const wr_tasks *tasks);
typedef struct wri_clay_energy {
    double elastic, hourglass; // J
} wri_clay_energy;
wri_clay_energy wri_clay_find_energy(wri_clay *c);

// flow.c
// Rest vectors flow as was planned with the stresses (pack.h).
void wri_clay_flow(wri_clay *c, const wr_tasks *tasks);

// touch.c
// Contacts of particles with rigid bodies, one after the other, for one substep of dt.
void wri_clay_solve_touches(const wr_clay_world *world, wr_clay_step *step, float dt);

// push.c
// How far particles go within dt, over dt, when nobody pushes them, and by how much an impulse
// changes that, 1/kg. What sleeps stands still; without memory, too.
typedef struct wri_clay_answer {
    wr_vec3 velocity;
    float inverse_mass;
} wri_clay_answer;
typedef struct wri_clay_question {
    const int *particles;
    int count;
    wr_vec3 gravity; // m/s^2
    float dt;
    const wr_tasks *tasks;
    wr_scratch *scratch;
} wri_clay_question;
void wri_clay_find_answers(wri_clay *c, const wri_clay_question *question, wri_clay_answer *out);
// The pushes of a step; dt: of a substep.
void wri_clay_begin_pushes(const wr_clay_world *world, wr_clay_step *step);
void wri_clay_add_pushes(const wr_clay_world *world, const wr_clay_step *step, float dt);
void wri_clay_end_pushes(wri_clay *c);

// part.c
// Who is parted from whom by the rigid bodies that are touched. True: weights have changed.
bool wri_clay_find_parted(wri_clay *c, int clay, const wr_clay_step *step, wr_scratch *scratch);

// meet.c
typedef struct wri_clay_meetings wri_clay_meetings;
// Pairs of particles that may touch within dt, in the world's scratch. NULL: out of memory.
wri_clay_meetings *wri_clay_find_meetings(wr_clay_world *world, float dt, const wr_tasks *tasks);
// Adds to stresses and forces, between wri_clay_find_stresses and wri_clay_find_forces. Accepts
// NULL.
void wri_clay_add_meetings(wri_clay_meetings *meetings, float dt, const wr_tasks *tasks);
// How many substeps of dt seconds nobody passes through anybody in. Accepts NULL.
int wri_clay_meeting_substeps(const wri_clay_meetings *meetings, float dt);
// Pairs that overlapped when they were listed. Accepts NULL.
int wri_clay_count_meetings(const wri_clay_meetings *meetings);
// Whether others may meet after so many seconds. Accepts NULL.
bool wri_clay_meetings_are_over(const wri_clay_meetings *meetings, float elapsed);

// Two particles of different parts of one body that touch. False: none do. Accepts NULL.
bool wri_clay_find_touching_parts(const wri_clay_meetings *meetings, const wri_clay *c, int *i,
                                  int *j);

// fuse.c
// Moves the part of j, in embedded space, to where it touches i. False: one of them is degenerate.
bool wri_clay_fuse(wri_clay *c, int i, int j);

// embed.c
// Solves for e; what flowed so far counts as embedded. False: out of memory.
bool wri_clay_embed(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch);

// viscosity.c
void wri_clay_measure_decay(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch);
float wri_clay_fastest_decay(const wri_clay *c); // 1/s: nothing is damped faster than that
void wri_clay_solve_viscosity(wri_clay *c, float dt, const wr_tasks *tasks, wr_scratch *scratch);
f4 wri_clay_viscous_force(const wri_clay *c, int i); // N

// runaway.c
void wri_clay_find_runaways(wri_clay *c, float dt);

// grip.c
// Held particles get their velocities, of the middle of a substep, and after it their places; after
// the step of dt seconds the grips are where they were to go. share: of the step, in [0, 1].
void wri_clay_hold(wri_clay *c, float dt, double share);
void wri_clay_carry(wri_clay *c, double share);
void wri_clay_end_grips(wri_clay *c);

// fit.c
// Linear maps around a particle, fitted to its neighbours: from rest vectors to those of the world,
// which is F, and of embedded space; and both back.
typedef struct wri_clay_fit {
    float world[9], embedded[9], from_world[9], from_embedded[9];
} wri_clay_fit;
// False: they do not span space.
bool wri_clay_fit_at(const wri_clay *c, int i, wri_clay_fit *fit);
bool wri_clay_invert(const float m[9], float out[9]); // false: nearly singular, or inside out
static inline f4 wri_clay_apply(const float m[9], f4 v)
{
    return (f4){m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
                m[6] * v[0] + m[7] * v[1] + m[8] * v[2], 0.0f};
}

// resample.c
// What is sparse and dense, from the body as it is.
void wri_clay_find_sampling(wri_clay *c);
// Where a particle is drawn, about the origin, and its radius: it leaves where it was before it
// split or merged within a few frames.
f4 wri_clay_find_drawn(const wri_clay *c, int i);
// Splits and merges; neighbours must be found anew when it says true.
bool wri_clay_resample(wri_clay *c, float dt, const wr_tasks *tasks, wr_scratch *scratch);

// step.c
void wri_clay_find_speeds(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch);
// What rounding takes from both momenta in a step is given back: momentum.c. Impulses of others, N
// s, are counted between the two, at places in the world, metres.
void wri_clay_begin_momentum(wri_clay *c);
void wri_clay_give(wri_clay *c, const double impulse[3], const double at[3]);
void wri_clay_restore_momentum(wri_clay *c);
void wri_clay_turn(wri_clay *c, const double spin[3]); // N m s: as a rigid body, about its centre
f4 wri_clay_mean_velocity(const wri_clay *c, double *mass); // m/s, kg
float wri_clay_longest_substep(const wri_clay *c);          // s: what is stable
int wri_clay_count_substeps(const wri_clay *c, float dt);   // that it needs for dt
void wri_clay_ease(wri_clay *c);                            // sets the moduli as state.ease says
float wri_clay_calm_speed(const wri_clay *c);               // m/s: what is slower may sleep
