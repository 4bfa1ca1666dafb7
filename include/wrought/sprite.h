// sprite.h: drawings that come alive between the poses an artist drew, in a world of their own.
//
//     wr_sprite_asset *ball = wr_sprite_asset_create(&asset_desc, &error);  // drawing + manifold
//     wr_sprite_world *world = wr_sprite_world_create(&world_desc, &error);
//     int sprite = wr_sprite_add(world, &sprite_desc, &error);
//     for (;;) {
//         wr_sprite_world_step(world, 1.0f / 60.0f, NULL);
//         draw(wr_sprite_positions(world, sprite));
//     }
//
// A sprite is a cloud of particles, the vertices of a flat rig. Which shape they wish to have is a
// point m of the *pose manifold*: corners, edges and triangles between examples, drawn by the
// artist. Every step the present shape is projected onto it, contact, equilibrium and speed move
// the point, and shape matching pulls the particles towards what the point looks like. Numbers
// that an artist sets are in units of the body: its size L, the larger side of the drawing's box
// at rest, its fall speed sqrt(2 g L) with g 9.81 m/s^2, its fall time sqrt(2 L / g); shares are
// per 1/60 s, whatever the step (for bodies below a metre per 1/27 of their fall time).
//
// Part of wrought-rt: needs nothing but the C library; nothing but create, add and destroy touches
// the heap. Same calls, same bits, for any number of threads. Thread safety: an asset never
// changes, share it; one thread at a time per world.
#pragma once

#include "skin.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- assets -----------------------------------------------------------------------------------

typedef struct wr_sprite_asset wr_sprite_asset;

enum { WR_SPRITE_PARTICLES_MAX = 1 << 16, WR_SPRITE_SIMPLICES_MAX = 4096 };
enum { WR_SPRITE_HANDLES_MAX = WR_FLAT_HANDLES_MAX, WR_SPRITE_NAILS_MAX = 32 };

// A place in the manifold: shares of a simplex' corners, >= 0, sum 1.
typedef struct wr_sprite_point {
    int simplex;
    float shares[WR_SIMPLEX_CORNERS]; // 0 past corner_count
} wr_sprite_point;

// Start from wr_sprite_asset_desc_default().
typedef struct wr_sprite_asset_desc {
    const wr_rig *rig;           // dimension 2; copied. Parts that do not hang together are layers
    float scale;                 // of the rig's lengths. Default 1
    float density;               // kg/m^2. Default 1
    const wr_simplex *simplices; // the pose manifold; no simplex may be a part of another
    int simplex_count;           // 0: an edge from rest to every other example
    const wr_pin *pins;          // between layers
    int pin_count;
    int ring;     // particles this many edges away are matched together, [1, 8]. Default 3
    int clusters; // representative particles for the projection, [2, 256]; Default 16
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;
} wr_sprite_asset_desc;

WR_API wr_sprite_asset_desc wr_sprite_asset_desc_default(void);
WR_API WR_NODISCARD wr_sprite_asset *wr_sprite_asset_create(const wr_sprite_asset_desc *desc,
                                                            wr_error *error);
WR_API void wr_sprite_asset_destroy(wr_sprite_asset *asset); // accepts NULL; after its sprites

typedef struct wr_sprite_asset_info {
    int particle_count, triangle_count, example_count, simplex_count, cluster_count, layer_count;
    float size;                  // L, metres
    float fall_speed, fall_time; // m/s, s
    float mass;                  // kg
    int component_count;         // of the manifold: parts no path leads between
} wr_sprite_asset_info;
WR_API wr_sprite_asset_info wr_sprite_asset_describe(const wr_sprite_asset *asset);
WR_API const wr_simplex *wr_sprite_asset_simplices(const wr_sprite_asset *asset);
// Returns -1 where none has that name.
WR_API int wr_sprite_asset_find_example(const wr_sprite_asset *asset, const char *name);
// Returns the point that is the example alone, in a simplex that has it; simplex -1: none has.
WR_API wr_sprite_point wr_sprite_asset_example_point(const wr_sprite_asset *asset, int example);
// Writes the point's shares of all examples: example_count numbers, sum 1.
WR_API void wr_sprite_asset_blend(const wr_sprite_asset *asset, wr_sprite_point point,
                                  float *blend);
// Writes the shape of a point: particle_count positions in the drawing's frame, scaled.
WR_API void wr_sprite_asset_shape(const wr_sprite_asset *asset, wr_sprite_point point, wr_vec2 *x);
// Returns the point that looks most like these positions, wherever they are and however turned. It
// looks through all simplices.
WR_API wr_sprite_point wr_sprite_asset_project(const wr_sprite_asset *asset, const wr_vec2 *x);
// Returns the point `share` of the way from one to another, straight through simplices that both
// share, or by the shortest way through the manifold; where there is no way, `from`.
WR_API wr_sprite_point wr_sprite_asset_walk(const wr_sprite_asset *asset, wr_sprite_point from,
                                            wr_sprite_point to, float share);

// --- sprites ----------------------------------------------------------------------------------

// The direction in which a hit moves the pose.
typedef enum wr_sprite_energy {
    WR_SPRITE_ENERGY_AWAY,    // from the equilibrium
    WR_SPRITE_ENERGY_ALONG,   // the way it moves already
    WR_SPRITE_ENERGY_EXAMPLE, // towards give_example
} wr_sprite_energy;

// The goal of the orientation control.
typedef enum wr_sprite_aim {
    WR_SPRITE_AIM_NONE,
    WR_SPRITE_AIM_ANGLE,    // `angle`
    WR_SPRITE_AIM_VELOCITY, // the direction `angle` of the drawing looks along the velocity
    WR_SPRITE_AIM_AXIS,     // the same, or against it, whichever is nearer: a ball that stretches
} wr_sprite_aim;

// Start from wr_sprite_parameters_default().
typedef struct wr_sprite_parameters {
    float firmness;  // share of the way to the shape of its neighbourhoods, [0, 1]. Default 0.9
    float hold;      // share of the way to the shape as a whole; of a penetration, the share that
                     // the whole takes: 0 jelly, 1 rigid, [0, 1]. Default 0.97
    int rounds;      // of matching, collision and pins per step, [1, 32]. Default 4
    float wobble;    // share of its inner motion that is left after 1/60 s, [0, 1]. Default 0.6
    float settle;    // k_eq: share of the way back to the equilibrium, [0, 1]. Default 0.15
    float give;      // k_e: how far a hit moves the pose: shares per (fall speed)^2 of hit energy;
                     // hits by other sprites count half, and in a heap it tires. Default 1
    float give_from; // hits below this energy, (fall speed)^2 per mass, do not. Default 0.02
    wr_sprite_energy give_way; // Default WR_SPRITE_ENERGY_AWAY
    int give_example;          // with WR_SPRITE_ENERGY_EXAMPLE. Default -1
    float stretch;       // k_v: share of the way to stretch_example per fall speed. Default 0.15
    int stretch_example; // -1: none. Default -1
    float bounce;  // k_m: how much of the momentum that the level takes comes back; 1: all of it,
                   // back to the height it fell from, [0, 10]. Of one with two nails: a factor on
                   // the bounce of what lands on it, which it is level for. Sprites that are free
                   // do not bounce off one another, nor off bodies. Default 0.7
    float release; // r: share of it that comes back per 1/60 s, (0, 1]. Default 0.2
    wr_sprite_aim aim;  // Default WR_SPRITE_AIM_NONE
    float angle;        // radians, [-200 pi, 200 pi]. Default 0
    bool smooth;        // turns like a critically damped spring; false: by k_oc, as in the paper.
                        // Default true
    float aim_strength; // k_oc, [0, 1], or fall time / time constant of the spring. Default 8
    float drag;         // velocity falls to 1 / e^drag in a fall time. Default 0.02
    const float *drag_of_example; // example_count factors on drag, blended by the pose; NULL: 1
    float friction; // against level and other sprites: the geometric mean of both, [0, 100].
                    // Default 0.6
    float gravity;  // factor on the world's. Default 1
} wr_sprite_parameters;

WR_API wr_sprite_parameters wr_sprite_parameters_default(void);

// Start from wr_sprite_desc_default().
typedef struct wr_sprite_desc {
    const wr_sprite_asset *asset; // outlives the world
    wr_sprite_parameters parameters;
    wr_sprite_point pose;   // at the start, and the equilibrium. Default: rest
    wr_vec2 position;       // of the drawing's origin, metres
    float angle;            // radians
    wr_vec2 velocity;       // m/s
    float angular_velocity; // rad/s
    uint32_t group;    // bits; sprites collide when each is in a group that the other collides with
    uint32_t collides; // Default: both all ones
    uint32_t cookie;
} wr_sprite_desc;
WR_API wr_sprite_desc wr_sprite_desc_default(void);

// --- worlds -----------------------------------------------------------------------------------

typedef struct wr_sprite_world wr_sprite_world;

typedef struct wr_sprite_world_desc {
    wr_vec2 gravity;               // m/s^2. Default 0, -9.81
    double (*seconds)(void);       // a clock for the statistics. Default NULL: they stay 0
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;
} wr_sprite_world_desc;

WR_API wr_sprite_world_desc wr_sprite_world_desc_default(void);
WR_API WR_NODISCARD wr_sprite_world *wr_sprite_world_create(const wr_sprite_world_desc *desc,
                                                            wr_error *error);
WR_API void wr_sprite_world_destroy(wr_sprite_world *world); // accepts NULL

// Returns the number of the sprite, -1 on failure.
WR_API int wr_sprite_add(wr_sprite_world *world, const wr_sprite_desc *desc, wr_error *error);

// Level geometry: a convex polygon, counterclockwise, in its own frame; or a half-plane
// (corner_count 0): everything below its x axis.
typedef struct wr_sprite_level {
    const wr_vec2 *corners; // copied
    int corner_count;
    wr_vec2 position;
    float angle;
    float friction;           // met at the geometric mean, as two sprites meet
    uint32_t group, collides; // as a sprite's; both 0: it touches all of them
} wr_sprite_level;
// Returns the number of the level piece, -1 on failure.
WR_API int wr_sprite_add_level(wr_sprite_world *world, const wr_sprite_level *level,
                               wr_error *error);
// Says where a driven level piece will be after the next step; it carries what stands on it.
WR_API void wr_sprite_move_level(wr_sprite_world *world, int level, wr_vec2 position, float angle);

// Puts a level piece somewhere, without moving it there.
WR_API void wr_sprite_place_level(wr_sprite_world *world, int level, wr_vec2 position, float angle);

// A rigid body that moves freely: pieces of level that give way as one. Somebody else moves it, and
// says before every step where it is; afterwards the world of sprites says what it did to it.
typedef struct wr_sprite_body_desc {
    int piece_count;
    const int *corner_counts; // of every piece, at most
    float friction;
    uint32_t group, collides; // as a sprite's
} wr_sprite_body_desc;
// Returns the number of the body, -1 on failure. Its pieces have no corners yet.
WR_API int wr_sprite_add_body(wr_sprite_world *world, const wr_sprite_body_desc *desc,
                              wr_error *error);
// Sets the outline of a piece from now on: convex, counterclockwise, in the body's frame, no more
// corners than said; 0: it is not there. On failure it stays as it was.
WR_API bool wr_sprite_set_outline(wr_sprite_world *world, int body, int piece,
                                  const wr_vec2 *corners, int corner_count, wr_error *error);

typedef struct wr_sprite_body {
    wr_vec2 position; // of its frame, m
    float angle;
    wr_vec2 center, velocity; // of mass, m, m/s
    float angular_velocity;   // rad/s
    float inverse_mass;       // 1/kg; 0: nothing moves it, and it goes on evenly
    float inverse_inertia;    // 1/(kg m^2)
} wr_sprite_body;
WR_API void wr_sprite_place_body(wr_sprite_world *world, int body, const wr_sprite_body *now);

// A point in which a body touches another, or something that stays where it is or is driven. The
// world of sprites does not solve such contacts; but it has to know that a body on the ground gives
// way to nothing that presses it down.
typedef struct wr_sprite_bearing {
    int a, b;         // bodies; b -1: something else
    wr_vec2 point;    // m, world
    wr_vec2 normal;   // unit, towards a
    wr_vec2 velocity; // m/s, of something else at that point
    float gap;        // m; < 0: they overlap
    float friction;   // Coulomb coefficient
    // kg m; the world of sprites keeps its positional impulses (masses times displacements) here
    float normal_positional_impulse, friction_positional_impulse;
} wr_sprite_bearing;
// Sets the bearings of the next step, until whose end the array must live; what is in it afterwards
// means nothing.
WR_API void wr_sprite_set_bearings(wr_sprite_world *world, wr_sprite_bearing *bearings, int count);

// The change that a step makes to a body.
typedef struct wr_sprite_push {
    wr_vec2 impulse;       // N s
    float angular_impulse; // N m s, about its centre of mass where that was before the step
    wr_vec2 shift;         // m, by which it has to be moved without velocity
    float rotation;        // radians, likewise, about its centre of mass
} wr_sprite_push;
WR_API wr_sprite_push wr_sprite_body_push(const wr_sprite_world *world, int body);

// Advances by dt seconds; not in (0, WR_STEP_MAX]: nothing happens. Where there is enough work, it
// is shared out by tasks; NULL or zeroed: done alone. The bits are the same.
WR_API void wr_sprite_world_step(wr_sprite_world *world, float dt, const wr_tasks *tasks);

// Seconds of the last step, for tables as in the paper.
typedef struct wr_sprite_statistics {
    double projection, matching, collision, other;
    int contacts; // particles that were moved out of something
    int pairs;    // of sprites whose boxes met
    int trouble;  // numbers that had to be clamped, since the start
} wr_sprite_statistics;
WR_API wr_sprite_statistics wr_sprite_world_stats(const wr_sprite_world *world);

// --- one sprite of a world --------------------------------------------------------------------

WR_API int wr_sprite_count(const wr_sprite_world *world);
WR_API const wr_sprite_asset *wr_sprite_get_asset(const wr_sprite_world *world, int sprite);
WR_API const wr_vec2 *wr_sprite_positions(const wr_sprite_world *world, int sprite); // world
WR_API const wr_vec2 *wr_sprite_velocities(const wr_sprite_world *world, int sprite);

typedef struct wr_sprite_facts {
    wr_vec2 center, velocity;    // of mass
    float angle;                 // of the whole, radians; keeps counting past a turn
    float angular_velocity;      // of the whole, rad/s
    bool on_ground;              // something pushed it against gravity in the last step
    bool touching;               // anything pushed it
    float impact_energy;         // e of the last step's contacts, (fall speed)^2 per mass
    wr_sprite_point projected;   // m_p: what it looks like
    wr_sprite_point wished;      // m_v: what it wishes to look like
    wr_sprite_point equilibrium; // q
    bool flipped;
} wr_sprite_facts;
WR_API wr_sprite_facts wr_sprite_get_facts(const wr_sprite_world *world, int sprite);

WR_API const wr_sprite_parameters *wr_sprite_get_parameters(const wr_sprite_world *world,
                                                            int sprite);
// Fails with a sentence when a number is out of its range. drag_of_example must outlive the world.
WR_API bool wr_sprite_set_parameters(wr_sprite_world *world, int sprite,
                                     const wr_sprite_parameters *parameters, wr_error *error);
WR_API void wr_sprite_set_equilibrium(wr_sprite_world *world, int sprite, wr_sprite_point point);
WR_API void wr_sprite_add_velocity(wr_sprite_world *world, int sprite, wr_vec2 change,
                                   float angular_change);
// Mirrors it about the vertical through its centre of mass, or through the middle of its nails,
// whose places are mirrored too. Every particle keeps its velocity: momentum stays, angular
// velocity does not. Of it remains the share (y^2 - x^2) / (y^2 + x^2), means over the mass: what
// lies wide spins the other way, as its mirror image does, what stands tall goes on as before, what
// is round stops.
WR_API void wr_sprite_flip(wr_sprite_world *world, int sprite);

// Takes it out of the world: it stays as it is, and nothing touches it, until it is restored.
WR_API void wr_sprite_remove(wr_sprite_world *world, int sprite);

// Nails a particle to a place in the world: it is there after the next step, moves there in that
// step when it is elsewhere (as a driven level piece does), and nothing pushes it away. About one
// nail a sprite swings, between two it hangs or stands and bends; what it bounces and stretches by
// is its shape alone: what a nail takes of its momentum does not come back. A nail that is there
// already gets the new place. WR_SPRITE_NAILS_MAX in one sprite.
WR_API bool wr_sprite_set_nail(wr_sprite_world *world, int sprite, int particle, wr_vec2 place,
                               wr_error *error);
// Takes the nail out; none there: nothing happens. Released of its last nail it flies on.
WR_API void wr_sprite_remove_nail(wr_sprite_world *world, int sprite, int particle);

// A sprite is unsound when one of its numbers is not finite. The hash is of all that decides how it
// goes on, the same on every machine; the bytes of a snapshot are for this program on this machine.
WR_API bool wr_sprite_is_sound(const wr_sprite_world *world, int sprite);
WR_API uint64_t wr_sprite_hash(const wr_sprite_world *world, int sprite);
WR_API size_t wr_sprite_save_size(const wr_sprite_world *world, int sprite);
WR_API void wr_sprite_save(const wr_sprite_world *world, int sprite, void *bytes);
WR_API bool wr_sprite_restore(wr_sprite_world *world, int sprite, const void *bytes, size_t size,
                              wr_error *error);

// --- in scenes --------------------------------------------------------------------------------

// A particle that is nailed where it is at the start.
typedef struct wr_sprite_nail {
    int particle;
    double until; // seconds of the scene, when it is released; INFINITY: never
} wr_sprite_nail;

// The part of a scene's description of a sprite that is no number: the setup of wr_scene_body and
// wr_material_desc.
typedef struct wr_sprite_setup {
    const wr_simplex *simplices;  // the pose manifold
    int simplex_count;            // 0: an edge from rest to every other example
    int start_example;            // at the start, and the equilibrium; -1: rest
    int give_example;             // where a hit moves the pose; -1: as the material says
    int stretch_example;          // -1: none
    const float *drag_of_example; // see wr_sprite_parameters
    const wr_sprite_nail *nails;
    int nail_count;                              // WR_SPRITE_NAILS_MAX at most
    const struct wr_controller_desc *controller; // see controller.h; NULL: none
    const struct wr_buttons_down *played;        // input for the controller, steps increasing
    int played_count;
} wr_sprite_setup;

#if defined(__cplusplus)
}
#endif
