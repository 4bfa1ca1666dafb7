// clay.h: bodies that stretch, flow and stay: particles that remember where they want their
// neighbours, and forget it where they are pressed too hard.
//
//     wr_clay_world_desc world_desc = wr_clay_world_desc_default();
//     wr_clay_world *world = wr_clay_world_create(&world_desc, &error);
//     wr_clay_desc desc = wr_clay_desc_default();
//     desc.positions = points, desc.volumes = volumes;       // inside of a model, see fill.h
//     desc.count = count;
//     wr_clay_find_preset("putty", &desc.parameters, &error);
//     desc.parameters.resamples = false;                     // as many particles as points
//     int body = wr_clay_add(world, &desc, &error);
//     wr_clay_step step = wr_clay_step_default();
//     for (int i = 0; i < 240; i++) {
//         wr_clay_world_step(world, &step);
//         wr_clay_positions(world, body, points);
//     }
//     wr_clay_world_destroy(world);
//
// After B. Jones, A. Martin, J. A. Levine, T. Shinar, A. W. Bargteil: Deformation embedding for
// point-based elastoplastic simulation, ACM TOG 33 (2), 2014; docs/clay.md says where we differ.
//
// Units. So that a toy and a ship of clay behave alike, an artist's numbers are in those of the
// body: L is the cube root of its volume, its own weight means the stress rho g L, and its time is
// sqrt(2 L / g), with g = 9.81 m/s^2.
//
// Part of wrought-rt: needs nothing but the C library. Thread safety: a world belongs to one thread
// at a time; it shares its work out itself. Results do not depend on the number of threads.
#pragma once

#include "body_copy.h"
#include "parameter.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- parameters -------------------------------------------------------------------------------

// What the rest shapes of all particles are joined to, to find new neighbours.
typedef enum wr_clay_embedding {
    WR_CLAY_EMBED_LINEAR,    // the least-squares fit, thesis eq. 3.9
    WR_CLAY_EMBED_NONLINEAR, // the fit up to a rotation of each neighbourhood, as Wicke 2010
    WR_CLAY_EMBED_NONE,      // neighbours stay for ever (fig. 3.4)
} wr_clay_embedding;

// The stress that is compared with the yield.
typedef enum wr_clay_norm {
    WR_CLAY_NORM_SHEAR, // without pressure
    WR_CLAY_NORM_FULL,  // the thesis: pressure alone makes it flow, too
} wr_clay_norm;

// Start from wr_clay_parameters_default().
typedef struct wr_clay_parameters {
    float stiffness; // E, own weights, (0, 1e9]. Default 100
    float poisson;   // Poisson's ratio, [0, 0.49]. Default 0.35
    float yield;     // P_Y, own weights: below this stress it is elastic; INFINITY: always
    float flow;      // nu: share of the stress above the yield that it forgets in a hundredth of
                     // its time, [0, 0.9999]
    float hardening; // K: how much the yield grows with every stress forgotten; below 0 it softens
    float viscosity; // eta, own weights x times, >= 0
    bool implicit;   // viscosity is solved for, not stepped: for large ones
    float hourglass; // xi: resistance to what no gradient sees, [0, 10]. Default 0.5
    wr_clay_embedding embedding;
    wr_clay_norm norm;
    bool resamples;  // particles split where they are sparse, and merge where they crowd
    bool fuses;      // parts that were apart grow together where they are pressed
    float friction;  // against others, [0, 100]
    float sticks;    // own weights: pull that contacts of it hold, >= 0; with other clay the lesser
                     // of both
    float tears;     // stretch at which neighbours let go, > 1; INFINITY: never
    bool keeps_step; // substeps stay as long as they are at the start, as in the thesis
    uint32_t cookie;
} wr_clay_parameters;

WR_API wr_clay_parameters wr_clay_parameters_default(void);
WR_API const wr_preset *wr_clay_presets(int *count);
WR_API bool wr_clay_find_preset(const char *name, wr_clay_parameters *out, wr_error *error);

// --- worlds and bodies ------------------------------------------------------------------------

typedef struct wr_clay_world wr_clay_world;

typedef struct wr_clay_world_desc {
    double (*seconds)(void);       // a clock for the statistics. Default NULL: they stay 0
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;
} wr_clay_world_desc;

WR_API wr_clay_world_desc wr_clay_world_desc_default(void);
WR_API WR_NODISCARD wr_clay_world *wr_clay_world_create(const wr_clay_world_desc *desc,
                                                        wr_error *error);
WR_API void wr_clay_world_destroy(wr_clay_world *world); // accepts NULL

enum { WR_CLAY_PARTICLES_MIN = 4, WR_CLAY_PARTICLES_MAX = 2000000 };

// Start from wr_clay_desc_default(). Everything is copied.
typedef struct wr_clay_desc {
    wr_clay_parameters parameters;
    const wr_vec3 *positions;  // metres, world, at rest
    const float *volumes;      // cubic metres: the share of each of the body's volume
    const wr_vec3 *velocities; // m/s; NULL: at rest
    const float *radii;        // metres, in contacts, > 0: how deep each lies below the surface.
                               // NULL: half the edge of a cube of its volume
    // Painted maps: a factor per particle, NULL: 1 everywhere.
    const float *stiffness, *yield, *flow;
    int count;         // [WR_CLAY_PARTICLES_MIN, WR_CLAY_PARTICLES_MAX]
    double density;    // kg/m^3, > 0. Default 1000
    uint32_t group;    // bits; bodies collide when each is in a group that the other collides with
    uint32_t collides; // Default: both all ones
    uint32_t cookie;
} wr_clay_desc;

WR_API wr_clay_desc wr_clay_desc_default(void);
// Returns the number of the body, -1 on failure.
WR_API int wr_clay_add(wr_clay_world *world, const wr_clay_desc *desc, wr_error *error);
// Takes it out of the world: its number is given to another one. Accepts -1.
WR_API void wr_clay_remove(wr_clay_world *world, int body);

// --- steps ------------------------------------------------------------------------------------

// A plane of a rigid body that a particle may meet within the step: it goes with the body.
typedef struct wr_clay_touch {
    int clay, particle;                // of the world's bodies, and which of its particles
    int body;                          // index into wr_clay_step.bodies
    wr_vec3 local_point, local_normal; // in the body's frame; the normal points out of the body
    float friction;
    wr_vec3 impulse; // N s, on the rigid body: what the step answers
} wr_clay_touch;

// An impulse that acts on a particle all through the step. The angular momentum it gives is that of
// the place where the particle is when the step begins.
typedef struct wr_clay_push {
    int clay, particle; // of the world's bodies, and which of its particles
    wr_vec3 impulse;    // N s
    wr_vec3 couple;     // N m s, about the particle: it turns the body as a whole
    wr_vec3 from;       // metres, world: the step's own
} wr_clay_push;

// A line between two neighbours.
typedef struct wr_clay_line {
    int body;         // index into wr_clay_step.bodies: what may lie between them
    wr_vec3 from, to; // metres, world
    bool is_parted;   // the answer
} wr_clay_line;

enum { WR_CLAY_SUBSTEPS_MAX = 100 }; // of a step: what needs more is made softer, see ease below

// Start from wr_clay_step_default().
typedef struct wr_clay_step {
    float dt;             // seconds, (0, WR_STEP_MAX]. Default 1/240
    int substeps;         // at least so many, and WR_CLAY_SUBSTEPS_MAX at most: more are as many as
                          // that. Default 0: as many as it needs
    wr_vec3 gravity;      // m/s^2. Default (0, -9.81, 0)
    wr_body_copy *bodies; // rigid ones that are touched; they are moved along
    int body_count;
    wr_clay_touch *touches;
    int touch_count;
    wr_clay_push *pushes; // of others than rigid bodies
    int push_count;
    // Says which lines go through their bodies: no force does. Asked for neighbours of one body of
    // clay around its touches, before the first substep. NULL: nothing is thin.
    void (*find_between)(void *context, int clay, wr_clay_line *lines, int count);
    void *context;
    wr_tasks tasks; // zeroed: the calling thread alone
    // The answers.
    int taken;    // substeps
    int contacts; // touches that gave an impulse, and pairs of particles of clay that overlapped
} wr_clay_step;

WR_API wr_clay_step wr_clay_step_default(void);

// Advances all bodies that are awake by dt, in as many substeps as the stiffest of them needs.
WR_API void wr_clay_world_step(wr_clay_world *world, wr_clay_step *step);

// --- grips ------------------------------------------------------------------------------------

enum { WR_CLAY_GRIPS_MAX = 16 }; // of a body

// Takes hold of all particles of a body inside a box, given by its middle, its axes and its full
// extents in metres, that no other grip has. They stop, and go with the pose from then on. Returns
// the number of the grip; -1 when there is no particle inside, and when all grips are in use.
WR_API int wr_clay_add_grip(wr_clay_world *world, int body, wr_pose pose, wr_vec3 size,
                            wr_error *error);
WR_API bool wr_clay_has_grip(const wr_clay_world *world, int body, int grip);
// Where its box is at the end of the next step, the shorter way round; it stays there until it is
// moved on.
WR_API void wr_clay_move_grip(wr_clay_world *world, int body, int grip, wr_pose pose);
// Lets go: the particles fly on as they were moved, or, at_rest, stand still.
WR_API void wr_clay_remove_grip(wr_clay_world *world, int body, int grip, bool at_rest);

// --- what it is like --------------------------------------------------------------------------

// Particles lie in an order of their own, which changes as they split and merge.
WR_API int wr_clay_count(const wr_clay_world *world, int body); // of its particles; it may change
// Which is which: its place in the desc; those that split off later get numbers after these.
WR_API const uint32_t *wr_clay_ids(const wr_clay_world *world, int body); // wr_clay_count() of them
// Into room for wr_clay_count() of them.
WR_API void wr_clay_positions(const wr_clay_world *world, int body, wr_vec3 *out);  // m, world
WR_API void wr_clay_velocities(const wr_clay_world *world, int body, wr_vec3 *out); // m/s
WR_API void wr_clay_embedded(const wr_clay_world *world, int body, wr_vec3 *out);   // m, at rest
// Bytes of a body.
WR_API size_t wr_clay_memory(const wr_clay_world *world, int body);
WR_API const float *wr_clay_masses(const wr_clay_world *world, int body);        // kg
WR_API float wr_clay_radius(const wr_clay_world *world, int body, int particle); // m, in contacts

// Parts of a step, as in the tables of the thesis.
typedef enum wr_clay_stage {
    WR_CLAY_STAGE_STRESS,
    WR_CLAY_STAGE_FORCE,
    WR_CLAY_STAGE_FLOW,
    WR_CLAY_STAGE_VISCOSITY,
    WR_CLAY_STAGE_MOTION,
    WR_CLAY_STAGE_CONTACT,
    WR_CLAY_STAGE_EMBEDDING,
    WR_CLAY_STAGE_NEIGHBOURS,
    WR_CLAY_STAGE_RESAMPLING,
    WR_CLAY_STAGE_COUNT,
} wr_clay_stage;
WR_API const char *wr_clay_stage_name(wr_clay_stage stage);
// Seconds of the last step of the world, if it has a clock.
WR_API const double *wr_clay_world_seconds(const wr_clay_world *world); // WR_CLAY_STAGE_COUNT

typedef struct wr_clay_statistics {
    int substeps;       // of the last step
    int flowing;        // particles that flowed in its last substep
    int degenerate;     // particles without stress: too few neighbours, or all in a plane
    int splits, merges; // since the start
    int retired;        // runaways that were brought back, since the start
    int embeddings;     // solved since the start
    int iterations;     // of conjugate gradients in the last of them
    float ease;         // factor on its stiffness: below 1 it would need too many substeps
    double elastic;     // J
    double hourglass;   // J
} wr_clay_statistics;
// Goes through all particles.
WR_API wr_clay_statistics wr_clay_get_statistics(wr_clay_world *world, int body);

// --- skins ------------------------------------------------------------------------------------

// A mesh that is carried along.
typedef struct wr_clay_skin wr_clay_skin;

// vertices: metres, world, where the body is when it is added. Before the first step.
WR_API WR_NODISCARD wr_clay_skin *wr_clay_skin_create(wr_clay_world *world, int body,
                                                      const wr_vec3 *vertices, int count,
                                                      wr_error *error);
WR_API void wr_clay_skin_destroy(wr_clay_skin *skin); // before its world; accepts NULL
// Where its vertices are now; sunk: from 0, where they belong, to 1, at the particles within. tasks
// may be NULL. False: out of memory.
WR_API bool wr_clay_skin_positions(const wr_clay_skin *skin, wr_clay_world *world, int body,
                                   float sunk, const wr_tasks *tasks, wr_vec3 *out);
// Where they are in embedded space: what it would look like without stress, as far as there is such
// a shape. It does not move or turn with the body.
WR_API bool wr_clay_skin_embedded(const wr_clay_skin *skin, wr_clay_world *world, int body,
                                  const wr_tasks *tasks, wr_vec3 *out);

// --- state ------------------------------------------------------------------------------------

enum { WR_CLAY_SPEED_MAX = 10000000 }; // m/s

// A body is unsound when one of its numbers is not finite, or a particle faster than
// WR_CLAY_SPEED_MAX: it has blown up. The hash is of all that decides how it
// goes on; the bytes of a snapshot are for this program on this machine.
WR_API bool wr_clay_is_sound(const wr_clay_world *world, int body);
WR_API uint64_t wr_clay_hash(const wr_clay_world *world, int body);
WR_API size_t wr_clay_save_size(const wr_clay_world *world, int body);
WR_API void wr_clay_save(const wr_clay_world *world, int body, void *bytes);
// Its particles may be more or fewer afterwards. On failure it is as before, or, where the bytes
// contradict themselves, without neighbours.
WR_API bool wr_clay_restore(wr_clay_world *world, int body, const void *bytes, size_t size,
                            wr_error *error);

WR_API bool wr_clay_is_asleep(const wr_clay_world *world, int body);
WR_API void wr_clay_wake(wr_clay_world *world, int body);
// It stays as it is, and nothing touches it, until it is restored.
WR_API void wr_clay_freeze(wr_clay_world *world, int body);

// --- in scenes --------------------------------------------------------------------------------

// A box that holds what is inside of it at the start.
typedef struct wr_clay_grip {
    wr_vec3 size;                   // metres, full extents
    const struct wr_path_key *path; // see world.h: where it is, in the frame that the body has at
                                    // the start; the first key, at 0 s, is where it takes hold
    int path_count;                 // at least 1
    double until;                   // seconds of the scene, when it lets go; INFINITY: never
    bool rests;                     // what it lets go stands still
} wr_clay_grip;

// The part of a scene's description of a body of clay that is no number: the setup of
// wr_scene_body and wr_material_desc.
typedef struct wr_clay_setup {
    const wr_clay_grip *grips;
    int grip_count; // WR_CLAY_GRIPS_MAX at most
} wr_clay_setup;

#if defined(__cplusplus)
}
#endif
