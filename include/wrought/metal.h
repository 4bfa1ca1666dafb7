// metal.h: bodies that are rigid until they are hit, and then crumple towards the artist's
// examples.
//
//     wr_metal_asset_desc asset_desc = wr_metal_asset_desc_default();
//     asset_desc.rig = &rig;                                 // with its examples
//     wr_metal_asset *barrel = wr_metal_asset_create(&asset_desc, &error);
//
//     wr_metal_desc desc = wr_metal_desc_default();
//     desc.asset = barrel;                                   // shared by every barrel
//     wr_metal *body = wr_metal_create(&desc, &error);
//
//     wr_metal_add_impulse(body, local_point, local_impulse); // every contact the engine reports
//     wr_metal_step(body, dt);                               // once per step of the engine
//     if (wr_metal_changed(body)) {
//         upload(wr_metal_positions(body), wr_metal_changed_range(body));
//         engine_set_mass(wr_metal_mass(body));
//     }
//
// The engine stays unmodified: it takes points of convex pieces (or triangles), mass properties
// and a restitution, and reports impulses. After Jones, Thuerey, Shinar, Bargteil: Example-based
// plastic deformation of rigid bodies, SIGGRAPH 2016; docs/metal.md says where we differ.
//
// Everything is in the frame the rig was authored in, which is also the body's frame and never
// moves in it; the centre of mass does.
//
// Units. So that a toy and a ship dent alike, an artist's numbers are in body sizes: L is the
// longest side of the box around the rest shape, along axes of its own; v_L = sqrt(2 g L) the speed
// and t_L = sqrt(2 L/g) the time of a fall from the body's own height, g = 9.81 m/s^2.
// wr_metal_asset_describe has them.
//
// Part of wrought-rt: needs nothing but the C library. Thread safety: an asset may be used by any
// number of bodies in any number of threads; a body belongs to one thread at a time. Results do not
// depend on which bodies share an asset, or on their order in time.
#pragma once

#include "geometry.h"
#include "parameter.h"
#include "skin.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- assets -----------------------------------------------------------------------------------

typedef struct wr_metal_asset wr_metal_asset;

// Start from wr_metal_asset_desc_default(). Everything is copied.
typedef struct wr_metal_asset_desc {
    const wr_rig *rig; // a rig in 3D, with elements and, to be of use, at least two examples
    // Painted maps: a factor per vertex of the rig, NULL: 1 everywhere.
    const float *strength; // 2: bends half as far as elsewhere; >= 0, below 0.01 counts as that;
                           // INFINITY: never
    const float *yield;    // factor on how hard a hit must be there; >= 0
    const float *reach;    // factor on how far a hit there spreads; >= 0
    const wr_fracture *fracture; // fragments that it may break into, NULL: it stays whole
    float gap; // body sizes: parts of the mesh this near hang together, >= 0, 0: only
               // where they share vertices. Default 0.05
    // Mass per vertex of the rig. NULL: density times the volume of the elements, or, for a hollow
    // thing with walls thinner than INFINITY, times wall times the area of the surface.
    const float *masses; // kilograms, >= 0
    double density;      // kg/m^3, > 0. Default 1000
    float wall;          // metres, (0, 100]. Default INFINITY: solid
    int pieces_max;      // convex pieces for collision, [1, 64]. Default 12
    float piece_error;   // body sizes: split further while one is less true to the
                         // examples than this; 0: always down to pieces_max. Default 0.02
    float within; // body sizes: as many pieces as it takes to be this true to the skin of every
                  // example, on both sides of hollow bodies' walls; of a body with fracture at most
                  // 64, and without the inner sides. 0: pieces_max decides. Default 0
    size_t cache_size;             // bytes for neighbourhoods at most; 0: none. Default 64 MiB
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;               // set by wr_metal_asset_desc_default; do not touch
} wr_metal_asset_desc;

WR_API wr_metal_asset_desc wr_metal_asset_desc_default(void);
WR_API WR_NODISCARD wr_metal_asset *wr_metal_asset_create(const wr_metal_asset_desc *desc,
                                                          wr_error *error);
// Destroys an asset, after all of its bodies. Accepts NULL.
WR_API void wr_metal_asset_destroy(wr_metal_asset *asset);

typedef struct wr_metal_asset_info {
    int vertex_count, example_count;
    int surface_count, triangle_count; // vertices and triangles of the simulation mesh's boundary
    int piece_count, piece_points;     // pieces, and the points of all of them
    int fragment_count;                // 1: it stays whole
    float piece_error; // body sizes: how far the pieces bulge over the surface of any example
    float size;        // L, metres
    float unit_speed;  // v_L, m/s
    float unit_time;   // t_L, seconds
    double mass;       // kilograms
    int ball_count;    // neighbourhoods computed so far
    size_t ball_size;  // bytes they take
    size_t size_bytes; // size of the rest of the asset
    size_t body_bytes; // size of one body
} wr_metal_asset_info;

WR_API wr_metal_asset_info wr_metal_asset_describe(const wr_metal_asset *asset);
// The fragment that a piece is of.
WR_API int wr_metal_asset_piece_fragment(const wr_metal_asset *asset, int piece);
// The skin that carries the render mesh: see wr_skin_ride_positions.
WR_API const wr_skin *wr_metal_asset_skin(const wr_metal_asset *asset);
// A vertex that two fragments share. See wr_metal_parameters.joined.
typedef struct wr_metal_tie {
    int a, b;   // fragments, a < b
    int bond;   // the one between them
    wr_vec3 at; // metres, at rest
} wr_metal_tie;
// All vertices that fragments with a bond share, and three places on each bond that has fewer.
WR_API const wr_metal_tie *wr_metal_asset_ties(const wr_metal_asset *asset, int *count);
// Triangles of the boundary: three vertices each, counter-clockwise seen from outside.
WR_API const int *wr_metal_asset_triangles(const wr_metal_asset *asset, int *count);

// Neighbourhoods are computed the first time a vertex is struck (some 0.1 ms each). This computes
// those of all surface vertices now, for a reach in body sizes, as far as cache_size allows.
WR_API void wr_metal_asset_prepare(wr_metal_asset *asset, float reach, const wr_tasks *tasks);

// --- how it answers ---------------------------------------------------------------------------

// The law by which an impulse j on a body of mass m becomes a desired displacement (eq. 4).
typedef enum wr_metal_yield {
    WR_METAL_YIELD_SPEED,   // (t_L / 2) max(|j|/m - yield v_L, 0), j summed over a short window:
                            // does not depend on the length of the step
    WR_METAL_YIELD_IMPULSE, // (dt/m) max(|j| - yield, 0), yield in N s: eq. 4 of the paper
    WR_METAL_YIELD_LENGTH,  // max(dt |j|/m - yield, 0), yield in metres: the authors' program
} wr_metal_yield;

// The law by which a displacement becomes a change of weights; J: derivative of the struck point.
typedef enum wr_metal_projection {
    WR_METAL_PROJECT_GRADIENT, // along J^T dx, as long as dx: eq. 8
    WR_METAL_PROJECT_INVERSE,  // J^+ dx: eq. 9
    WR_METAL_PROJECT_NATURAL,  // J^T dx: eq. 10
} wr_metal_projection;

// The number by which the size of a change is divided before it reduces restitution (eq. 15); N:
// number of vertices.
typedef enum wr_metal_norm {
    WR_METAL_NORM_ROOT, // sqrt(N): the same for coarse and fine meshes
    WR_METAL_NORM_ONE,  // 1: the paper
    WR_METAL_NORM_ALL,  // N: the thesis and the authors' program
} wr_metal_norm;

typedef enum wr_metal_method {
    WR_METAL_METHOD_DEFAULT,
    WR_METAL_METHOD_PUBLISHED, // the paper's step as it is printed, to compare with: docs/metal.md
} wr_metal_method;

// What holds the fragments of a body together: docs/metal.md compares them.
typedef enum wr_metal_joined {
    WR_METAL_JOINED_BONDS, // they are one rigid body, and bonds break by what they carry
    WR_METAL_JOINED_TIES,  // the paper: they are rigid bodies of their own, which the engine joins
                           // at every vertex that they share: see wr_metal_add_tie_impulse
} wr_metal_joined;

// Start from wr_metal_parameters_default() or a preset.
typedef struct wr_metal_parameters {
    float bend;     // share of an example that a hit of v_L above the yield adds, [0, 1000].
                    // Default 1.1 (the paper's alpha, per metre, is bend / L)
    float yield;    // least speed change that leaves a dent, v_L, [0, 1e9]; other units: see
                    // wr_metal_yield. Default 0.2
    float reach;    // distance over which a dent spreads, gamma, body sizes along the body, [0.001,
                    // 100]. Default 0.35
    float fade;     // time a dent takes to appear, t_L, [0, 100]. Default 0.2
    float lambda;   // instead of fade: the part still to come after each step, [0, 0.9999].
                    // Default NAN
    float bounce;   // restitution of the undisturbed body, C_r*, [0, 1]. Default 0.3
    float absorb;   // strength with which a deformation reduces restitution, nu, [0, 1000]. Default
                    // 7
    float recover;  // speed at which restitution comes back, mu, per t_L, [0, 1000]. Default 0.4
    float focus;    // prefer few examples: 0 the paper, 1 weights squared, [0, 1]. Default 0
    float redirect; // share of a hit across all examples that bends the body the nearest way they
                    // allow, [0, 1]. Default 0: such a hit leaves no dent
    float steep;    // limit on the depth of a dent, in reaches, [0, 1000]; some 0.3 keeps a body
                    // that is bent far over a small reach from running through itself. Default 0:
                    // no limit
    float struck_by; // kilograms, > 0: of what it is meant to be hit by; it dents as a body does
                     // that weighs no more than this. Default INFINITY: as its own mass says
    float patch;     // contacts this near are one hit, body sizes, [0, 10]. Default 0.2
    float window;    // impulses this soon after each other are one hit, t_L, [0, 10]. Default 0.04
    float break_speed; // how hard a hit must be to break a bond as large as the body, v_L,
                       // [0, 1e9]. Default 1
    float carries;     // steady load that never bends it, body weights, [0, 1e6]. Default 15
    float accuracy;    // body sizes: steps smaller than this are saved up, [1e-9, 1]. Default 1e-3
    float refresh;     // seconds: a bending body moves at most this often, [0, 1000]. Default 1/60
    wr_metal_yield yield_by;        // Default WR_METAL_YIELD_SPEED
    wr_metal_projection projection; // Default WR_METAL_PROJECT_GRADIENT
    wr_metal_norm norm;             // Default WR_METAL_NORM_ROOT
    wr_metal_method method;         // Default WR_METAL_METHOD_DEFAULT; a body keeps it. The other
                                    // one needs a yield_by that is not WR_METAL_YIELD_SPEED
    wr_metal_joined joined;         // Default WR_METAL_JOINED_BONDS; a body keeps it
    uint32_t cookie;                // set by wr_metal_parameters_default; do not touch
} wr_metal_parameters;

WR_API wr_metal_parameters wr_metal_parameters_default(void);

// count of them, in a fixed order; the first is the default.
WR_API const wr_preset *wr_metal_presets(int *count);
// The defaults with the preset's numbers. Fails, with a suggestion, when there is none.
WR_API bool wr_metal_find_preset(const char *name, wr_metal_parameters *out, wr_error *error);

// --- bodies -----------------------------------------------------------------------------------

typedef struct wr_metal wr_metal;

// Start from wr_metal_desc_default().
typedef struct wr_metal_desc {
    wr_metal_asset *asset; // outlives the body
    wr_metal_parameters parameters;
    double mass;                   // kilograms, > 0. Default NAN: as the asset says
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;               // set by wr_metal_desc_default; do not touch
} wr_metal_desc;

WR_API wr_metal_desc wr_metal_desc_default(void);
WR_API WR_NODISCARD wr_metal *wr_metal_create(const wr_metal_desc *desc, wr_error *error);
WR_API void wr_metal_destroy(wr_metal *body); // accepts NULL

// Takes effect with the next hit; the body is not bent back.
WR_API bool wr_metal_set_parameters(wr_metal *body, const wr_metal_parameters *parameters,
                                    wr_error *error);

// A contact pushed the body: N s, full impulse with friction, on the body, both in its frame. What
// is not finite is ignored and counted. The same order every time gives the same bits.
WR_API void wr_metal_add_impulse(wr_metal *body, wr_vec3 point, wr_vec3 impulse);
// The same on a fragment of a body that can break.
WR_API void wr_metal_add_impulse_on(wr_metal *body, int fragment, wr_vec3 point, wr_vec3 impulse);

// A load on a fragment that bonds pass on but that leaves no dent, as that of a joint: N s, and N m
// s about the point, all in the body's frame.
WR_API void wr_metal_add_load(wr_metal *body, int fragment, wr_vec3 point, wr_vec3 impulse,
                              wr_vec3 angular_impulse);

// What the engine's joint at a tie passed on in the last step, of bodies with
// WR_METAL_JOINED_TIES: N s, along axes that do not turn with the body.
WR_API void wr_metal_add_tie_impulse(wr_metal *body, int tie, wr_vec3 impulse);
// How far the two places of a tie are apart, metres. One that is open by more than 2 % of the
// body's size tears in the next step: an engine that closes it at once would throw the fragments
// about.
WR_API void wr_metal_set_tie_gap(wr_metal *body, int tie, float gap);

// Answers to the impulses added since the last step and lets earlier answers appear. dt in seconds;
// not in (0, WR_STEP_MAX]: nothing happens, impulses stay. Cannot fail; touches the heap only when
// a vertex is struck for the first time.
WR_API void wr_metal_step(wr_metal *body, float dt);

// Nothing is left to do until the next impulse: the cost of a step is then a few nanoseconds.
WR_API bool wr_metal_is_idle(const wr_metal *body);

// --- what came of it --------------------------------------------------------------------------

// True when the last step, or read_damage or restore since, moved vertices.
WR_API bool wr_metal_changed(const wr_metal *body);
typedef struct wr_metal_range {
    int begin, end; // vertices of the rig; empty: 0, 0
} wr_metal_range;
WR_API wr_metal_range wr_metal_changed_range(const wr_metal *body);
// The changed vertices one by one, in wr_skin_order.
WR_API const int *wr_metal_changed_vertices(const wr_metal *body, int *count);

WR_API const wr_vec3 *wr_metal_positions(const wr_metal *body); // vertex_count, metres
// E: example_count per vertex, >= 0; a row's sum is 1 to the last bit but one.
WR_API const float *wr_metal_weights(const wr_metal *body);
// Writes the weights one vertex will have when all has appeared; example_count numbers.
WR_API void wr_metal_goal(const wr_metal *body, int vertex, float *weights);

// Collision: piece_count convex pieces, each the hull of its points. Counts never change.
WR_API const wr_vec3 *wr_metal_piece_points(const wr_metal *body, int piece, int *count);
WR_API bool wr_metal_piece_changed(const wr_metal *body, int piece);

WR_API wr_mass_properties wr_metal_mass(const wr_metal *body); // of part 0, see below
WR_API float wr_metal_restitution(const wr_metal *body);       // C_r, eq. 15

typedef struct wr_metal_statistics {
    int hits;             // patches that yielded in the last step
    int skinned;          // vertices that moved in the last step
    int bending;          // vertices still on their way
    double to_come;       // |Delta E|_F / sqrt(N)
    int64_t hits_total;   // since create
    int64_t moves_total;  // steps in which vertices moved, since create
    int64_t refused;      // impulses that were not finite
    int64_t balls_missed; // neighbourhoods computed again because the cache was full
} wr_metal_statistics;
WR_API wr_metal_statistics wr_metal_stats(const wr_metal *body);
// Elements turned inside out: where a body that is bent far over a small reach runs through itself,
// or where its examples do. wr_metal_parameters.steep limits the former.
WR_API int wr_metal_inverted_count(const wr_metal *body);

// --- fracture ---------------------------------------------------------------------------------
//
// Fragments hold together by bonds. What a bond carries follows from the impulses on the fragments:
// the body is rigid, so each of its fragments takes a known part of them, and bonds pass on the
// rest, stretching and bending alike. It breaks when
//     |F| + |T| / (0.4 k) > break v_L m (A / V^(2/3)) strength
// with the impulse F and angular impulse T that it passed on within the window, the mass m and the
// volume V of the whole body, the area A and the radius of gyration k of the bond.
//
// Fragments that hold together are a part. Part 0 is the whole body at first; when it falls apart,
// its heaviest piece stays part 0 and others are new parts, in the same frame. Mass and velocity of
// a part are what its vertices had, so momenta do not change.
//
// With ties the engine says what each of them passed on. It tears when that is more, within the
// window, than its share of what breaks its bond, which is the same for all ties of a bond; the
// bond is broken when the last of them is torn. Every fragment is then a body of the engine, parts
// are those that hold together.

WR_API int wr_metal_part_count(const wr_metal *body); // grows; parts never join again
WR_API int wr_metal_fragment_part(const wr_metal *body, int fragment);
// The fragment that is nearest to a place at rest; 0 when it cannot break.
WR_API int wr_metal_fragment_at(const wr_metal *body, wr_vec3 at);
WR_API wr_mass_properties wr_metal_part_mass(const wr_metal *body, int part);
WR_API wr_mass_properties wr_metal_fragment_mass(const wr_metal *body, int fragment);
WR_API bool wr_metal_tie_holds(const wr_metal *body, int tie); // with WR_METAL_JOINED_TIES

// A bond that broke in the last step.
typedef struct wr_metal_break {
    int a, b;       // fragments
    int bond;       // of the asset's
    wr_vec3 at;     // metres, in the body's frame at rest
    float strength; // m/s: the impulses within the window that broke it, over the body's mass; with
                    // ties the sum of what each of them carried when it tore
} wr_metal_break;
WR_API const wr_metal_break *wr_metal_breaks(const wr_metal *body, int *count);

// A hit that bent the body in the last step.
typedef struct wr_metal_dent {
    int fragment;
    wr_vec3 at; // metres, in the body's frame
    float
        strength; // m/s: the speed above the yield, or with other laws the displacement over t_L/2
} wr_metal_dent;
WR_API const wr_metal_dent *wr_metal_dents(const wr_metal *body, int *count);

// --- keeping the motion -----------------------------------------------------------------------

// For engines that do not do it themselves: changes the velocity of the centre of mass and the
// angular velocity (world) after the mass properties changed, so that linear and angular momentum
// are as before; rotation is the body's. The body's frame stays where it is. Returns the gain of
// kinetic energy, joules.
WR_API double wr_metal_keep_momentum(const wr_mass_properties *before,
                                     const wr_mass_properties *after, wr_quat rotation,
                                     wr_vec3 *velocity, wr_vec3 *angular_velocity);
// Returns the frame, in the body's, whose origin is the centre of mass and whose axes are the
// principal ones, and the moments of inertia about it, for engines that want that.
WR_API wr_pose wr_metal_principal_frame(const wr_mass_properties *mass, double moments[3]);

// --- damage as bytes --------------------------------------------------------------------------
//
// Where the weights will be when all has appeared, in steps of 1/4096, damaged vertices only. It
// grows with the dented surface and its examples: with two of them 0.7 kB after one hit and 2 kB
// for a well-dented barrel; with the six finely sculpted ones of scenes/barrel.recipe.json 2-3 kB
// after one fall and 6-10 kB after twenty hits. Restored exactly. The bytes are the same on every
// machine.

// Returns the size; bytes NULL: only that.
WR_API size_t wr_metal_write_damage(const wr_metal *body, void *bytes);
// The body gets the shape at once. Fails on bytes that are broken or from another asset, and leaves
// the body as it was.
WR_API bool wr_metal_read_damage(wr_metal *body, const void *bytes, size_t size, wr_error *error);
// Needs no asset. The larger weight wins, so neither the order of merging nor merging twice
// matters. Returns the size, 0 on failure; out NULL: only that. out must not overlap a or b.
WR_API size_t wr_metal_merge_damage(const void *a, size_t a_size, const void *b, size_t b_size,
                                    void *out, wr_error *error);

// Takes back a share of the damage, [0, 1]; 1 all of it. It fades like a dent does. Call it every
// frame with a small share for a body that heals.
WR_API void wr_metal_repair(wr_metal *body, float share);

// --- snapshots --------------------------------------------------------------------------------

// The whole state bit for bit, for bodies of the same asset and parameters on the same machine.
WR_API size_t wr_metal_save_size(const wr_metal *body);
WR_API void wr_metal_save(const wr_metal *body, void *bytes);
WR_API bool wr_metal_restore(wr_metal *body, const void *bytes, size_t size, wr_error *error);
WR_API uint64_t wr_metal_hash(const wr_metal *body);
// False when a number that changed in the last step is not finite: only after restoring such a one.
WR_API bool wr_metal_is_sound(const wr_metal *body);

#if defined(__cplusplus)
}
#endif
