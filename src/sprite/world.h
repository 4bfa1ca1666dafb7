// world.h (internal): the world of sprites and the files that step it.
//
// Positions of particles are floats relative to their sprite's origin, a pair of doubles that goes
// along with the centre of mass: a step adds the same bits wherever in a large level it happens,
// and velocities are v + (x - px) / dt, which is (x - x_prev) / dt without its rounding.
//
// Contacts apply *positional impulses*, masses times displacements in kg m: impulses times the
// length of the step. Letters as in M. Mueller, M. Macklin, N. Chentanez, S. Jeschke, T.-Y. Kim.
// Detailed rigid body simulation with extended position based dynamics. SCA 2020: n the normal of a
// contact, t = (-n_y, n_x) its tangent, lambda_n and lambda_t the positional impulses along them
// (that of the tangent is friction), w_n and w_t the inverse effective masses, 1/kg.
#pragma once

#include "sprite.h"

#include "../skin/skin.h"
#include "wrought/parameter.h"

// A particle that is fixed to a place of the world.
typedef struct wri_nail {
    int32_t particle;
    float place[2];
} wri_nail;

// Everything of a sprite that changes besides its particles and parameters; saved as it is.
typedef struct wri_sprite_state {
    double origin[2];
    double bounce_energy; // J/kg, of the whole when it met the level, relative to the level's
                          // motion, with that of its height above where the level is now
    int64_t steps;
    wr_sprite_point m_p, before, wished, q;
    float p[2];              // momentum reservoir, kg m/s
    float drive;             // distance that the equilibrium has moved and the pose has not yet
    float sunk;              // m, by which a hit has let it down for its feet to stay on the level
    float approach_speed;    // m/s, at which it met the level
    float level_velocity[2]; // m/s, of the level then
    float bounce_factor;     // factor on its bounce by what it met: 1, or a nailed sprite's bounce
    float carried;           // share of the weight that the ground still carries while p comes back
    float impact_energy;     // e of the last step, (fall speed)^2 per mass
    float fatigue;           // whole ways that its pose went lately, answering hits among others
    float pending_hits[2];   // energies that the pose has still to answer, of hits by the level and
                             // by others
    float angle;             // radians
    float control_rate;      // rad/s, of the orientation control, which velocities do not have
    float goal_angle;        // radians, of the step before
    float level_normal[2];   // direction the level pushed it in the last step, 0: none
    float velocity[2];       // m/s, of its centre of mass
    float angular_velocity;  // rad/s
    int32_t has_goal, armed, on_ground, touching, flipped;
    int32_t met; // another sprite pushed it in the last step
    int32_t nail_count;
    wri_nail nails[WR_SPRITE_NAILS_MAX]; // 0 past nail_count
} wri_sprite_state;
_Static_assert(offsetof(wri_sprite_state, nails) + sizeof(wri_nail[WR_SPRITE_NAILS_MAX]) ==
                   sizeof(wri_sprite_state),
               "wri_sprite_state has padding");

typedef struct wri_flat_box {
    float min[2], max[2];
} wri_flat_box;

// A sprite or a rigid body, as contacts move it: as one.
typedef struct wri_whole {
    struct wri_sprite *sprite;  // NULL: it is that of a body
    struct wri_flat_body *body; // NULL: it is that of a sprite
    float mass;                 // kg
    double inertia; // kg m^2, about its centre of mass, last computed; 0: it cannot turn

    // of one step
    float velocity[2];                 // m/s, predicted
    float positional_impulse[2];       // kg m, sum over its contacts, with friction
    double angular_positional_impulse; // kg m^2, the same about the origin of its frame
    bool met;                          // another one that may move pushed it
    double motion[3];                  // m/s, rad/s, see work.c
    double motion_before[3];

    // of one round, see touch.c
    int nail_count;                // 2: nothing moves it
    float lever[2], lever_inertia; // from a single nail to the centre of mass, kg m^2 about it
    float slide[3];                // m, m, radians: displacement by contacts
    float old_slide[3];            // part of it that was due before the step
    int touch_count;
} wri_whole;

// Sums over the positional impulses that the level, or a sprite that is as good as level, gave to a
// sprite in a step.
typedef struct wri_level_sums {
    float normal[2];   // kg m, along the normals
    float friction[2]; // kg m, along the tangents
    float size;        // kg m, of their parts along the normals
    float bounce;      // kg m, the same times the factors on the sprite's bounce
    float travel;      // kg m^2, the same times how far the level itself moved
    float glide;       // kg m^2, likewise how far along the tangents
    double angular;    // kg m^2, of all about the origin
    double work;       // kg m^2, of all times how far the level itself moved
} wri_level_sums;

typedef struct wri_sprite {
    const wr_sprite_asset *asset;
    wr_sprite_parameters parameters;
    uint32_t group, collides;
    bool removed;
    wri_sprite_state state;
    float *x, *y, *vx, *vy; // N
    wr_vec2 *positions, *velocities;
    float *inverse_masses; // 1/kg, 0: nailed
    uint8_t *ring_nails;   // number of nails in the ring of each particle

    // of one step
    float *px, *py;          // predicted
    float *ex, *ey;          // the shape it wishes, about its centre of mass
    wri_lanes *sums;         // per particle, see match.c
    wri_lanes *ring_motions; // likewise
    wri_lanes *rest_centers; // likewise
    wri_flat_box box;        // of all positions in the step, relative to its origin
    float world_box[4];      // the same in the world
    float travel[3];         // m, that it will go in the step, and by turning; see substeps.c
    float cosine, sine;      // of the rotation of the whole
    double center[2];        // of mass, last computed
    float wish_center[2];    // place of the middle of the wished shape, last computed
    wr_vec2 nail_velocities[WR_SPRITE_NAILS_MAX];
    double nail_places[2 * WR_SPRITE_NAILS_MAX]; // in the world, after this substep
    float ring_share, hold_share;                // parameters `firmness` and `hold`, per round
    wri_level_sums level;
    float fall[2];             // m/s, that gravity adds
    float let_down[2];         // m, back to where it was before it was let down with its feet
    float rise;                // m, by which the wish lowers its feet
    float impact_energy;       // kg m^2, e dt^2 of all contacts, see wri_sprite_impact_energy
    float level_impact_energy; // kg m^2, part of it that is due to the level
    bool touched;
    int first_pair, last_pair; // with bodies
    double angular_momentum;   // kg m^2/s, predicted
    int trouble;               // count of numbers that had to be clamped in this substep
    float limit;               // m, no contact moves a particle further in one round
    wri_whole whole;
} wri_sprite;

enum { WRI_SUPPORTS = 8 };

// A place where a body leans on what is below it, see bearing.c.
typedef struct wri_support {
    const struct wri_flat_body *below; // NULL: something that nothing moves
    float at[2], normal[2];            // from its centre of mass; towards it
    float inverse_effective_mass;      // 1/kg, of what is below
} wri_support;

// A rigid body that moves freely, see body.c. Its frame has its axes along the world's.
typedef struct wri_flat_body {
    wri_whole whole;
    wr_sprite_body start; // before the step
    int first_piece, piece_count;
    bool is_near;           // it may touch a sprite in this step, or lean on what does
    double impulse[2];      // N s, of the step so far
    double angular_impulse; // N m s, likewise, about its centre of mass before the step
    double shift[3];        // m, radians: likewise, without velocity

    // of one substep
    double begin[3];         // m, radians: its centre of mass and its angle when it began
    float begin_velocity[3]; // m/s, rad/s, then
    float velocity[2];       // m/s, with gravity and the supports, without sprites
    float angular_velocity;  // rad/s, likewise
    double origin[2];        // m, of its frame: its centre of mass, predicted
    double center[2];        // m, of mass, in its frame: its displacement by contacts
    double angle;            // radians, now
    int storey;              // 1: on the ground, 2: on one of these ...
    wri_support supports[WRI_SUPPORTS];
    int support_count;
    double displacement[3];    // m, radians: by the velocity that positional impulses give it
    double bearing_impulse[3]; // kg m, kg m^2: positional impulses that bearings pass on
} wri_flat_body;

// Response of a body, with all that it leans on, to a positional impulse of 1 kg m at a place:
// along a direction n, and along its tangent t.
typedef struct wri_response {
    float slides[2][3];              // m, m, radians
    float inverse_effective_mass[2]; // 1/kg
} wri_response;

// Two that may move, and the positional impulses between them in a step.
typedef struct wri_sprite_pair {
    wri_whole *a, *b;
    bool deep;                    // in one another: they are moved apart as wholes
    double positional_impulse[2]; // kg m, on a
    double angular_a, angular_b;  // kg m^2, on each about its centre of mass
} wri_sprite_pair;

// A contact of a sprite, as far as the wholes take it.
typedef struct wri_touch {
    wri_whole *a, *b;       // b NULL: level
    float normal[2];        // a is pushed along it, b against it
    float at_a[2], at_b[2]; // from the centres of mass
    float depth, old;       // m; old: part of it that was there before the step
    float slid;             // m, of a over b along t in this step
    float friction;
    float moved[2];            // m, of the level or fixed sprite, as in wri_level_impulse
    float share;               // part of the depth that the whole takes
    float approach;            // m, by which the motion of both as wholes brings it in
    float lambda_n, lambda_t;  // kg m, positional impulses
    float old_lambda_max;      // kg m, of lambda_n no more gives no velocity
    wri_response response;     // of a body b
    float lambda_before[2];    // kg m, both before a sweep
    float lambda_direction[2]; // kg m, conjugate direction of all sweeps
    float w_n, w_t;            // 1/kg, inverse effective masses
    float softness;            // 1/kg, of the contact itself, see touch.c
    int pair;                  // -1: none
} wri_touch;

typedef struct wri_level_side {
    float normal[2], offset; // outside: normal . x > offset
} wri_level_side;

// Position and orientation of a piece of level.
typedef struct wri_level_place {
    wr_vec2 position;
    float angle, cosine, sine;
} wri_level_place;

typedef struct wri_level {
    int first, count; // corners and sides; 0: a half-plane
    float friction;
    uint32_t group, collides;
    wri_level_place now, before, next;
    bool moves;
    wri_flat_body *body; // whose piece it is, NULL: nothing pushes it
    int room;            // corners that it may have
    bool is_absent;      // out of the plane, or of everybody's way
    float box[4];        // min x, min y, max x, max y in the world, now and before
    float radius;
} wri_level;

// A particle that may have got into another sprite, or a corner of the level in a sprite.
typedef struct wri_contact {
    int a, particle; // a -1: a corner of the level at `shift`
    int level;       // whose corner
    int b, edge;
    int pair;        // -1: none, one of them is as good as level
    float shift[2];  // from a's frame to b's
    float travel[2]; // m, of the level's corner in this step
    float friction;
} wri_contact;

struct wr_sprite_world {
    wri_arena arena; // the world itself lives in it
    wr_vec2 gravity;
    double (*seconds)(void);
    wri_array sprites; // wri_sprite *
    wri_array levels;  // wri_level
    wri_array bodies;  // wri_flat_body *
    wr_sprite_bearing *bearings;
    int bearing_count;  // of those near sprites, once that is known
    wri_array present;  // int: levels that sprites may meet in this substep
    wri_array corners;  // wr_vec2
    wri_array sides;    // wri_level_side
    wri_array order;    // int: sprites by the lower end of their boxes
    wri_array contacts; // wri_contact; room for CONTACTS per particle on an outline
    int contact_count, outline_count;
    wri_array touches; // wri_touch; room for TOUCHES per particle
    int touch_count;
    wri_array pairs; // wri_sprite_pair; room for PAIRS per sprite
    int pair_count;
    wri_array nearness; // float, one per edge of the largest outline
    float dt, elapsed;  // s, of this substep; from the beginning of the step to its end
    wr_sprite_statistics statistics;
};

static inline bool wri_sprite_exists(const wr_sprite_world *world, int sprite, wr_error *error)
{
    return (sprite >= 0 && sprite < world->sprites.count) ||
           wri_fail(error, WR_E_ARGUMENT, "sprite: there is no sprite %d", sprite);
}

static inline wri_sprite *wri_sprite_of(const wr_sprite_world *world, int sprite)
{
    WR_ASSERT(sprite >= 0 && sprite < world->sprites.count);
    return WRI_ITEM(world->sprites, wri_sprite *, sprite);
}

static inline const wri_level *wri_present_level(const wr_sprite_world *world, int index)
{
    return &WRI_ITEM(world->levels, wri_level, WRI_ITEM(world->present, int, index));
}

static inline bool wri_sprites_collide(const wri_sprite *a, const wri_sprite *b)
{
    return (a->group & b->collides) && (b->group & a->collides);
}

// Boxes are min x, min y, max x, max y.
static inline bool wri_sprite_boxes_meet(const float a[4], const float b[4])
{
    return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}

static inline bool wri_sprite_collides_with_level(const wri_sprite *s, const wri_level *level)
{
    return (s->group & level->collides) && (level->group & s->collides) && !level->is_absent;
}

// A sprite with two nails is as good as level to what lands on it.
static inline bool wri_sprite_is_fixed(const wri_sprite *s)
{
    return s->state.nail_count > 1;
}

// --- positional impulses ----------------------------------------------------------------------

// Adds a positional impulse p at a place of the whole's frame.
static inline void wri_sprite_add_impulse(wri_whole *w, float x, float y, float px, float py)
{
    w->positional_impulse[0] += px;
    w->positional_impulse[1] += py;
    w->angular_positional_impulse += (double)x * (double)py - (double)y * (double)px;
}

// A positional impulse by the level or a fixed sprite at a place of the sprite's frame.
typedef struct wri_level_impulse {
    wr_vec2 at;
    float normal[2];
    float lambda_n, lambda_t; // kg m
    float moved[2];           // m, of the place that pushes, along n and t
    float travel;             // m, of the level along n; of a fixed sprite, as a whole
} wri_level_impulse;

static inline void wri_sprite_add_level_impulse(wri_sprite *s, const wri_sprite *fixed,
                                                const wri_level_impulse *p)
{
    float nx = p->normal[0], ny = p->normal[1];
    double x = (double)(p->lambda_n * nx - p->lambda_t * ny);
    double y = (double)(p->lambda_n * ny + p->lambda_t * nx);
    wri_level_sums *sums = &s->level;
    sums->normal[0] += p->lambda_n * nx;
    sums->normal[1] += p->lambda_n * ny;
    sums->friction[0] -= p->lambda_t * ny;
    sums->friction[1] += p->lambda_t * nx;
    sums->size += p->lambda_n;
    sums->bounce += p->lambda_n * (fixed ? fixed->parameters.bounce : 1.0f);
    sums->travel += p->lambda_n * p->travel;
    sums->glide += p->lambda_n * p->moved[1];
    sums->angular += (double)p->at.x * y - (double)p->at.y * x;
    // A place that gives way comes back within the step: only what it throws is work of its own.
    sums->work +=
        (double)(p->lambda_n * wr_maxf(p->moved[0], p->travel) + p->lambda_t * p->moved[1]);
}

// Adds a positional impulse on `w`, one of a pair, by the other; `at` and `other` are its place as
// seen from the centres of mass of both.
static inline void wri_sprite_add_pair_impulse(wr_sprite_world *world, int pair, const wri_whole *w,
                                               float x, float y, const float at[2],
                                               const float other[2])
{
    if (pair >= 0) {
        wri_sprite_pair *p = &WRI_ITEM(world->pairs, wri_sprite_pair, pair);
        bool first = p->a == w;
        p->a->met = p->b->met = true;
        double angular = (double)(at[0] * y - at[1] * x);
        double back = (double)(other[0] * y - other[1] * x);
        p->positional_impulse[0] += (double)(first ? x : -x);
        p->positional_impulse[1] += (double)(first ? y : -y);
        p->angular_a += first ? angular : -back;
        p->angular_b += first ? -back : angular;
    }
}

// Moving two apart while they pass one another changes the angular momentum of both by
// x, y cross (v_a - v_b), which no force did: each takes half of it back. x, y is on a.
static inline void wri_sprite_add_passing(wri_whole *a, wri_whole *b, float x, float y, float dt)
{
    float u = a->velocity[0] - b->velocity[0];
    float v = a->velocity[1] - b->velocity[1];
    double angular = 0.5 * (double)dt * (double)(x * v - y * u);
    a->angular_positional_impulse -= angular;
    b->angular_positional_impulse -= angular;
}

// --- motion of the whole ----------------------------------------------------------------------

// Returns dt in units of 1/60 s, the time that shares are per; for bodies below a metre in as much
// of their fall time as that is of a metre's, or a marble would be done falling before it bounced.
static inline float wri_sprite_ticks(const wr_sprite_asset *asset, float dt)
{
    return dt * wr_maxf(60.0f, 27.09f / asset->t_L);
}

float wri_sprite_travel_on_nails(const wri_sprite *s, float x, float y, float nx, float ny,
                                 float dt);

// Returns how far the motion of the whole brings a place of its frame along a direction in the
// step, m, without what gravity adds in it: the weight of a heap on its lowest is no hit.
static inline float wri_sprite_travel(const wri_sprite *s, float x, float y, float nx, float ny,
                                      float dt)
{
    const wri_sprite_state *t = &s->state;
    if (t->nail_count > 0) {
        return wri_sprite_travel_on_nails(s, x, y, nx, ny, dt);
    }
    return dt * ((t->velocity[0] - s->fall[0] - t->angular_velocity * y) * nx +
                 (t->velocity[1] - s->fall[1] + t->angular_velocity * x) * ny);
}

// Returns the impact energy, kg m^2, of a positional impulse lambda that resolves `share` of a
// depth: twice the energy that it takes out of an approach by `approach`, times dt^2. The sum over
// all contacts of a step, and over the steps of a hit, is m v^2 for a body that comes to a halt,
// however many places take part (in place of e = sum m_i |dx_i|^2 of 000, section 4.2.2.1). What
// the shape itself pushes, by growing or getting up, is no hit.
static inline float wri_sprite_impact_energy(float lambda, float depth, float share, float approach)
{
    float in = approach < depth ? approach : depth; // the rest of depth and lambda is its own
    return in > 0.0f ? lambda * in * (in / depth) * (2.0f - share) : 0.0f;
}

// --- substeps.c, parameters.c, world.c --------------------------------------------------------

// Returns into how many substeps a step is to be divided.
int wri_sprite_count_substeps(const wr_sprite_world *world, float dt);
// Returns a parameter of wr_sprite_parameters, NULL: none has that name.
const wr_parameter *wri_sprite_find_parameter(const char *name);
// Copies all but drag_of_example, field by field.
void wri_sprite_copy_parameters(const wr_sprite_parameters *from, wr_sprite_parameters *to);
// Hashes the numbers themselves, with the factors that drag_of_example points to.
uint64_t wri_sprite_hash_parameters(const wr_sprite_parameters *p, int example_count,
                                    uint64_t seed);
bool wri_sprite_check_parameters(const wr_sprite_asset *asset, const wr_sprite_parameters *p,
                                 wr_error *error);
bool wri_sprite_is_number(float x);
void wri_sprite_show(wri_sprite *s); // writes positions and velocities for the caller
// Fails unless these are the corners of a convex polygon, counterclockwise.
bool wri_sprite_check_outline(const wr_vec2 *corners, int count, wr_error *error);
// Sets the corners of a piece, for which there must be room.
void wri_sprite_set_corners(wr_sprite_world *world, wri_level *level, const wr_vec2 *corners,
                            int count);

// --- match.c ----------------------------------------------------------------------------------

// Centres the wished shape and sums it over the rings; called when it has changed.
void wri_sprite_begin_match(wri_sprite *s);
void wri_sprite_match_rings(wri_sprite *s, float share);
void wri_sprite_match_whole(wri_sprite *s, float share);
// Finds the centre of mass and the rotation of the wished shape that fits best.
void wri_sprite_fit_whole(wri_sprite *s);
void wri_sprite_match_pins(wri_sprite *s);

// --- nail.c -----------------------------------------------------------------------------------

// The point that a sprite turns about: its centre of mass, or the middle of its nails, in its
// frame; ex, ey are the middle of the nails in the wished shape.
typedef struct wri_fulcrum {
    float x, y, vx, vy, ex, ey;
} wri_fulcrum;

void wri_sprite_prepare_nails(wri_sprite *s); // called when they have changed
// Mirrors their places about the vertical through their middle, and returns twice the x of that in
// the sprite's frame.
float wri_sprite_mirror_nails(wri_sprite *s);
// Gives nailed particles, before the prediction, the velocities that bring them where they are to
// be after `substeps` more.
void wri_sprite_drive_nails(wri_sprite *s, float dt, int substeps);
void wri_sprite_set_nails(wri_sprite *s); // moves them where they are to be
void wri_sprite_set_nail_velocities(wri_sprite *s);
wri_fulcrum wri_sprite_find_fulcrum(const wri_sprite *s);
// Returns the angular velocity, rad/s, of the nails of a sprite that has some.
float wri_sprite_nail_angular_velocity(const wri_sprite *s, const wri_fulcrum *fulcrum);
void wri_sprite_fit_nails(wri_sprite *s); // finds rotation and wish_center of the whole
// Returns the motion of a ring with nails, see match.c.
wri_lanes wri_sprite_fit_nailed_ring(const wri_sprite *s, int ring, float least);

// --- level.c, collide.c, touch.c --------------------------------------------------------------

// Finds where the levels are in the next substep, when so many are left, and which are there.
void wri_sprite_place_levels(wr_sprite_world *world, int substeps);
void wri_sprite_find_contacts(wr_sprite_world *world);
// Returns the edge of a sprite's outline nearest to a point in its frame, -1: none is nearer than
// `far` and the point is not inside.
int wri_sprite_nearest_edge(const wr_sprite_world *world, const wri_sprite *s, float x, float y,
                            float far);
// Returns the pair of a sprite and a body, -1: none.
int wri_sprite_pair_with(const wr_sprite_world *world, const wri_sprite *s,
                         const wri_flat_body *body);
// In every round touches are collected, the wholes moved apart, then the particles one by one.
void wri_sprite_touch_contacts(wr_sprite_world *world);
void wri_sprite_touch_levels(wr_sprite_world *world);
void wri_sprite_solve_touches(wr_sprite_world *world); // touch.c
void wri_sprite_solve_contacts(wr_sprite_world *world);
void wri_sprite_solve_levels(wr_sprite_world *world);
void wri_sprite_separate_deep(wr_sprite_world *world); // after the rounds: pairs in one another
// Returns NULL where there is no room: the particles will have to do.
wri_touch *wri_sprite_add_touch(wr_sprite_world *world);

// --- body.c -----------------------------------------------------------------------------------

static inline wri_flat_body *wri_flat_body_of(const wr_sprite_world *world, int body)
{
    WR_ASSERT(body >= 0 && body < world->bodies.count);
    return WRI_ITEM(world->bodies, wri_flat_body *, body);
}

// Finds the arm from a body's centre of mass to a place in the frame of a sprite.
static inline void wri_flat_body_arm(const wri_flat_body *body, const wri_sprite *s, float x,
                                     float y, float at[2])
{
    at[0] = (float)(s->state.origin[0] + (double)x - body->origin[0] - body->center[0]);
    at[1] = (float)(s->state.origin[1] + (double)y - body->origin[1] - body->center[1]);
}

// Places the bodies before a step, and where they will be if nothing happens.
void wri_flat_bodies_start(wr_sprite_world *world, float dt);
void wri_flat_bodies_find_near(wr_sprite_world *world); // finds those near sprites
// Called before and after a substep.
void wri_flat_bodies_begin(wr_sprite_world *world, float dt);
void wri_flat_bodies_end(wr_sprite_world *world, float dt);
// Returns the inverse effective mass, 1/kg, at a place, seen from the centre of mass, along a
// direction; as if the body leant on nothing.
float wri_flat_body_inverse_effective_mass(const wri_flat_body *body, const float at[2], float nx,
                                           float ny);
// Returns how far it comes along a direction in the step, as wri_sprite_travel says of sprites.
float wri_flat_body_travel(const wri_flat_body *body, const float at[2], float nx, float ny,
                           float dt);
// Moves it by a slide of touch.c, its pieces with it.
void wri_flat_body_move(wr_sprite_world *world, wri_flat_body *body, const float slide[3]);
// Moves it by a single contact, whose positional impulse counts; old_slide is the part of the slide
// that was due before the step.
void wri_flat_body_push(wr_sprite_world *world, wri_flat_body *body, const float at[2], float x,
                        float y, const float slide[3], const float old_slide[3]);
void wri_flat_body_shift(wri_flat_body *body, const float at[2], float x, float y);

// --- bearing.c --------------------------------------------------------------------------------

// Finds how bodies go on by themselves, without getting into what they lean on.
void wri_bearings_rest(wr_sprite_world *world);
void wri_bearings_find_supports(wr_sprite_world *world);
wri_response wri_flat_body_response(const wri_flat_body *body, const float at[2], float nx,
                                    float ny);
// Finds what bearings pass on of the positional impulses of sprites.
void wri_bearings_settle(wr_sprite_world *world);
void wri_bearings_limit_shifts(wr_sprite_world *world);

// --- momentum.c (step 5) ----------------------------------------------------------------------

void wri_sprite_find_velocity(const wri_sprite *s, double v[2]); // of its centre of mass
double wri_sprite_find_angular_momentum(const wri_sprite *s);
// v is the velocity of the prediction, g gravity as the sprite feels it.
void wri_sprite_collect_momentum(wri_sprite *s, const float v[2], const float g[2], float dt);
void wri_sprite_release_momentum(wri_sprite *s, const float g[2], float dt);

// --- work.c -----------------------------------------------------------------------------------

// Takes back, when velocities are known, what sprites have thrown one another by.
void wri_sprite_stop_work(wr_sprite_world *world);
// Does the same for the positional impulses of the level along the normal n, and returns the share
// of them that is left.
float wri_sprite_stop_level_work(wri_sprite *s, float nx, float ny, const float g[2], float dt);

// --- orientation.c (step 6) -------------------------------------------------------------------

void wri_sprite_control_orientation(wri_sprite *s, float dt);
