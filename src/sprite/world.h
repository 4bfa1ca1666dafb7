// world.h (internal): the world of sprites and the files that step it.
//
// Positions of particles are floats relative to their sprite's origin, a pair of doubles that goes
// along with the centre of mass: a step adds the same bits wherever in a large level it happens,
// and velocities are v + (x - px) / dt, which is (x - x_prev) / dt without its rounding.
#pragma once

#include "sprite.h"

#include "../skin/skin.h"
#include "wrought/parameter.h"

// A particle that is held, and where in the world.
typedef struct wri_nail {
    int32_t particle;
    float place[2];
} wri_nail;

// Everything of a sprite that changes besides its particles and parameters; saved as it is.
typedef struct wri_sprite_state {
    double origin[2];
    double energy; // J/kg, of the whole when it met the level, seen from it, with its height
    int64_t steps;
    wr_sprite_point m_p, before, wished, q;
    float p[2];        // momentum reservoir, kg m/s
    float drive;       // how far the equilibrium has moved that the pose has not followed yet
    float sunk;        // m, that a hit has let it down for its feet to stay on the level
    float coming;      // m/s, at which it met the level
    float level[2];    // m/s, of the level then
    float spring;      // factor on its bounce, of what it met: 1, or a nailed one's bounce
    float carry;       // share of the weight that the ground still carries while p comes back
    float hit;         // of the last step, (fall speed)^2 per mass
    float tired;       // of answering hits among others: whole ways of the pose lately
    float pending[2];  // of hits by the level and by others: what the pose has still to answer
    float angle;       // radians
    float turning;     // rad/s of the orientation control, which velocities do not have
    float goal;        // radians, of the step before
    float push[2];     // direction the level pushed it in the last step, 0: none
    float velocity[2]; // of its centre of mass
    float spin;
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

// What contacts move as one: a sprite or a rigid body.
typedef struct wri_whole {
    struct wri_sprite *sprite;  // NULL: it is that of a body
    struct wri_flat_body *body; // NULL: it is that of a sprite
    float mass;                 // kg
    double inertia; // kg m^2, about its centre of mass, last computed; 0: it cannot turn

    // of one step
    float velocity[2]; // m/s, predicted
    float push[2];     // kg m, sum of what contacts moved it by times mass, with friction
    double push_turn;  // kg m^2, of these pushes about the origin of its frame
    bool met;          // another one that may move pushed it
    double motion[3];  // m/s, rad/s, see work.c
    double motion_before[3];

    // of one round, see touch.c
    int nail_count;                // 2: nothing moves it
    float lever[2], lever_inertia; // from a single nail to the centre of mass, kg m^2 about it
    float slide[3];                // by contacts: x, y, turn
    float lasting[3];              // of it, what was due before the step
    int touch_count;
} wri_whole;

typedef struct wri_sprite {
    const wr_sprite_asset *asset;
    wr_sprite_parameters parameters;
    uint32_t kind, feels;
    bool removed;
    wri_sprite_state state;
    float *x, *y, *vx, *vy; // N
    wr_vec2 *positions, *velocities;
    float *inverse;      // 1 / mass of the particles, 0: nailed
    uint8_t *ring_nails; // how many are in the ring of each

    // of one step
    float *px, *py;          // predicted
    float *ex, *ey;          // the shape it wishes, about its centre of mass
    wri_lanes *sums, *turns; // per particle, see match.c
    wri_lanes *rest_centers; //
    wri_flat_box box;        // of all positions in the step, relative to its origin
    float wide_box[4];       // the same in the world
    float way[3];            // m, that it will go in the step, and by turning; see parts.c
    float cosine, sine;      // of the whole
    double center[2];        // of mass, last computed
    float anchor[2];         // where the middle of the wished shape belongs, last computed
    wr_vec2 nail_velocities[WR_SPRITE_NAILS_MAX];
    double nail_places[2 * WR_SPRITE_NAILS_MAX]; // in the world, after this part of the step
    float ring_share, hold_share;
    float level_push[2];      // kg m, sum of m_i dx_i by level pieces, along their normals
    float level_sum;          // kg m, their sizes
    float level_spring;       // the same times the factors on its bounce
    float level_way;          // kg m^2: the same times how far the level itself moved
    float level_hold[2];      // kg m, by its friction
    double level_turn;        // kg m^2, of both about the origin
    double level_work;        // kg m^2: both times how far the level itself moved
    float fall[2];            // m/s, that gravity adds
    float let_down[2];        // m, back to where it was before it was let down with its feet
    float rise;               // m, by which the wish lowers its feet
    float blows, level_blows; // kg m^2, see wri_sprite_blow: all, by the level
    bool touched;
    int first_pair, last_pair; // with bodies
    double turn;               // kg m^2/s, predicted
    int trouble;               // numbers that had to be clamped in this part of the step
    float limit;               // m, no contact moves a particle further in one round
    wri_whole whole;
} wri_sprite;

enum { WRI_SUPPORTS = 8 };

// A place where a body leans on what is below it, see bearing.c.
typedef struct wri_support {
    const struct wri_flat_body *below; // NULL: something that nothing moves
    float at[2], normal[2];            // from its centre of mass; towards it
    float give;                        // 1/kg, of what is below
} wri_support;

// A rigid body that moves freely, see body.c. Its frame has its axes along the world's.
typedef struct wri_flat_body {
    wri_whole whole;
    wr_sprite_body start; // before the step
    int first_piece, piece_count;
    bool is_near;      // it may touch a sprite in this step, or lean on what does
    double impulse[2]; // N s, of the step so far
    double angular;    // N m s, likewise, about its centre of mass before the step
    double shift[3];   // m, radians: likewise, without velocity

    // of one part of a step
    double begin[3];   // m, radians: its centre of mass and its angle when it began
    float coming[3];   // m/s, rad/s, then
    float velocity[2]; // m/s, with gravity, and what it leans on by itself
    float spin;        // rad/s, likewise
    double origin[2];  // m, of its frame: its centre of mass, predicted
    double center[2];  // m, of mass, in its frame: what contacts moved it by
    double angle;      // radians, now
    int layer;         // 1: on the ground, 2: on one of these ...
    wri_support supports[WRI_SUPPORTS];
    int support_count;
    double pushed[3]; // m, radians: what the velocity that pushes give moves it by
    double borne[3];  // kg m, kg m^2: of these, what bearings pass on
} wri_flat_body;

// How a body slides when it is pushed by 1 kg m at a place, along a direction n and along
// (-n_y, n_x), with what it leans on; and by how much, 1/kg, the place gives way.
typedef struct wri_answer {
    float slides[2][3], yielding[2];
} wri_answer;

// What two that may move have pushed one another by in a step.
typedef struct wri_pair {
    wri_whole *a, *b;
    bool deep;             // in one another: they are moved apart as wholes
    double push[2];        // kg m, on a
    double turn_a, turn_b; // kg m^2, on each about its centre of mass
} wri_pair;

// Where a sprite presses on something, for the whole of it.
typedef struct wri_touch {
    wri_whole *a, *b;       // b NULL: level
    float normal[2];        // a is pushed along it, b against it
    float at_a[2], at_b[2]; // from the centres of mass
    float depth, old;       // m; old: of it, what was there before the step
    float slid;             // m, of a over b along (-n_y, n_x) in this step
    float friction;
    float moved[2];          // m, of what pushes, the level or a fixed sprite, as in wri_level_push
    float share;             // of the depth that the whole takes
    float in;                // m, that it comes in by the motion of both as wholes
    float pressure, hold;    // kg m: what it comes to
    float most_old;          // kg m: of the pressure, no more gives no velocity
    wri_answer answer;       // of a body b
    float before[2], way[2]; // pressure and hold before a sweep, and the way of all sweeps
    float yielding, yielding_along;
    float soft; // of it, what the contact itself gives, see touch.c
    int pair;   // -1: none
} wri_touch;

typedef struct wri_level_side {
    float normal[2], offset; // outside: normal . x > offset
} wri_level_side;

// Where a piece of level stands.
typedef struct wri_level_place {
    wr_vec2 position;
    float angle, cosine, sine;
} wri_level_place;

typedef struct wri_level {
    int first, count; // corners and sides; 0: a half-plane
    float friction;
    uint32_t kind, feels;
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
    int pair;       // -1: none, one of them is as good as level
    float shift[2]; // from a's frame to b's
    float way[2];   // of the level's corner in this step
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
    wri_array present;  // int: levels that sprites may meet in this part of a step
    wri_array corners;  // wr_vec2
    wri_array sides;    // wri_level_side
    wri_array order;    // int: sprites by the lower end of their boxes
    wri_array contacts; // wri_contact; room for CONTACTS per particle on an outline
    int contact_count, outline_count;
    wri_array touches; // wri_touch; room for TOUCHES per particle
    int touch_count;
    wri_array pairs; // wri_pair; room for PAIRS per sprite
    int pair_count;
    wri_array nearness; // float, one per edge of the largest outline
    float dt, elapsed;  // of this part of the step; from the step's beginning to its end
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

static inline bool wri_sprite_feel_one_another(const wri_sprite *a, const wri_sprite *b)
{
    return (a->kind & b->feels) && (b->kind & a->feels);
}

// Boxes as min x, min y, max x, max y.
static inline bool wri_sprite_boxes_meet(const float a[4], const float b[4])
{
    return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}

static inline bool wri_sprite_feels_level(const wri_sprite *s, const wri_level *level)
{
    return (s->kind & level->feels) && (level->kind & s->feels) && !level->is_absent;
}

// A displacement times mass that a contact gave to a whole at a place in its frame.
static inline void wri_sprite_count_push(wri_whole *w, float x, float y, float px, float py)
{
    w->push[0] += px;
    w->push[1] += py;
    w->push_turn += (double)x * (double)py - (double)y * (double)px;
}

// What cannot move as a whole is as good as level to what lands on it.
static inline bool wri_sprite_is_fixed(const wri_sprite *s)
{
    return s->state.nail_count > 1;
}

// A push by the level or a fixed sprite at a place of the sprite's frame.
typedef struct wri_level_push {
    wr_vec2 at;
    float normal[2], push; // kg m, along the normal n
    float hold;            // kg m, by friction along (-n_y, n_x)
    float moved[2];        // m, of the place that pushes, along both
    float way;             // m, of the level along n; of a fixed sprite, as a whole
} wri_level_push;

static inline void wri_sprite_count_level(wri_sprite *s, const wri_sprite *fixed,
                                          const wri_level_push *p)
{
    float nx = p->normal[0], ny = p->normal[1];
    double x = (double)(p->push * nx - p->hold * ny), y = (double)(p->push * ny + p->hold * nx);
    s->level_push[0] += p->push * nx;
    s->level_push[1] += p->push * ny;
    s->level_hold[0] -= p->hold * ny;
    s->level_hold[1] += p->hold * nx;
    s->level_sum += p->push;
    s->level_spring += p->push * (fixed ? fixed->parameters.bounce : 1.0f);
    s->level_way += p->push * p->way;
    s->level_turn += (double)p->at.x * y - (double)p->at.y * x;
    // A place that gives way comes back within the step: only what it throws is work of its own.
    s->level_work += (double)(p->push * wr_maxf(p->moved[0], p->way) + p->hold * p->moved[1]);
}

// A push on one of a pair by the other; `at`: its place from the centres of mass of both.
static inline void wri_sprite_count_pair(wr_sprite_world *world, int pair, const wri_whole *w,
                                         float x, float y, const float at[2], const float other[2])
{
    if (pair >= 0) {
        wri_pair *p = &WRI_ITEM(world->pairs, wri_pair, pair);
        bool first = p->a == w;
        p->a->met = p->b->met = true;
        double turn = (double)(at[0] * y - at[1] * x);
        double back = (double)(other[0] * y - other[1] * x);
        p->push[0] += (double)(first ? x : -x);
        p->push[1] += (double)(first ? y : -y);
        p->turn_a += first ? turn : -back;
        p->turn_b += first ? -back : turn;
    }
}

// Moving two apart while they pass one another changes the angular momentum of both by
// push x (v_a - v_b), which no force did: each takes half of it back as spin. push: on a.
static inline void wri_sprite_count_passing(wri_whole *a, wri_whole *b, float x, float y, float dt)
{
    float u = a->velocity[0] - b->velocity[0];
    float v = a->velocity[1] - b->velocity[1];
    double turn = 0.5 * (double)dt * (double)(x * v - y * u);
    a->push_turn -= turn;
    b->push_turn -= turn;
}

// Shares hold for 1/60 s; for bodies below a metre for as much of their fall time as that is of a
// metre's, or a marble would be done falling before it bounced. dt in such units.
static inline float wri_sprite_ticks(const wr_sprite_asset *asset, float dt)
{
    return dt * wr_maxf(60.0f, 27.09f / asset->t_L);
}

float wri_sprite_way_on_nails(const wri_sprite *s, float x, float y, float nx, float ny, float dt);

// How far the motion of the whole brings a place of its frame along a direction in the step,
// without what gravity adds in it: the weight of a heap on its lowest is no hit.
static inline float wri_sprite_way(const wri_sprite *s, float x, float y, float nx, float ny,
                                   float dt)
{
    const wri_sprite_state *t = &s->state;
    if (t->nail_count > 0) {
        return wri_sprite_way_on_nails(s, x, y, nx, ny, dt);
    }
    return dt * ((t->velocity[0] - s->fall[0] - t->spin * y) * nx +
                 (t->velocity[1] - s->fall[1] + t->spin * x) * ny);
}

// What a push that resolves `share` of a depth counts as a hit: twice the energy that it takes out
// of coming in by `way`, times dt^2. The sum over all pushes of a step, and over the steps of a
// hit, is m v^2 for a body that comes to a halt, however many places take part. What the shape
// itself pushes, by growing or getting up, is no hit.
static inline float wri_sprite_blow(float pressure, float depth, float share, float way)
{
    float in = way < depth ? way : depth; // the rest of the depth, and of the pressure, is its own
    return in > 0.0f ? pressure * in * (in / depth) * (2.0f - share) : 0.0f;
}

// parts.c: into how many parts a step is to be divided
int wri_sprite_find_parts(const wr_sprite_world *world, float dt);
// parameters.c
// Of wr_sprite_parameters, NULL: none of that name.
const wr_parameter *wri_sprite_find_parameter(const char *name);
// All but drag_of_example, field by field.
void wri_sprite_copy_parameters(const wr_sprite_parameters *from, wr_sprite_parameters *to);
bool wri_sprite_check_parameters(const wr_sprite_asset *asset, const wr_sprite_parameters *p,
                                 wr_error *error);
// world.c
bool wri_sprite_is_number(float x);
void wri_sprite_show(wri_sprite *s); // positions and velocities for the caller
// Whether these are the corners of a convex polygon, counterclockwise.
bool wri_sprite_check_outline(const wr_vec2 *corners, int count, wr_error *error);
// There must be room for them.
void wri_sprite_set_corners(wr_sprite_world *world, wri_level *level, const wr_vec2 *corners,
                            int count);

// --- match.c ----------------------------------------------------------------------------------

// After the wished shape has changed: centres it and sums it over the rings.
void wri_sprite_begin_match(wri_sprite *s);
void wri_sprite_match_rings(wri_sprite *s, float share);
void wri_sprite_match_whole(wri_sprite *s, float share);
// Centre of mass and the rotation of the wished shape that fits best.
void wri_sprite_fit_whole(wri_sprite *s);
void wri_sprite_match_pins(wri_sprite *s);

// --- nail.c -----------------------------------------------------------------------------------

// What a sprite turns about: its centre of mass, or the middle of its nails, in its frame; e: of
// the nails, in the wished shape.
typedef struct wri_pivot {
    float x, y, vx, vy, ex, ey;
} wri_pivot;

void wri_sprite_prepare_nails(wri_sprite *s); // after they have changed
// Mirrors their places about the vertical through their middle; twice its x in the sprite's frame.
float wri_sprite_mirror_nails(wri_sprite *s);
// Before the prediction: velocities that bring the nailed particles where they will be after it;
// parts: in so many of it they are where they are to be.
void wri_sprite_drive_nails(wri_sprite *s, float dt, int parts);
void wri_sprite_set_nails(wri_sprite *s); // where they are to be
void wri_sprite_keep_nail_velocities(wri_sprite *s);
wri_pivot wri_sprite_find_pivot(const wri_sprite *s);
// Of a sprite with nails:
float wri_sprite_spin_of_nails(const wri_sprite *s, const wri_pivot *pivot);
void wri_sprite_fit_nails(wri_sprite *s); // rotation and anchor of the whole
// The motion of a ring with nails, see match.c.
wri_lanes wri_sprite_fit_nailed_ring(const wri_sprite *s, int ring, float least);

// --- level.c, collide.c, touch.c --------------------------------------------------------------

// Where the levels are in the next part of a step, when so many are left, and which are there.
void wri_sprite_place_levels(wr_sprite_world *world, int parts);
void wri_sprite_find_contacts(wr_sprite_world *world);
// The edge of a sprite's outline nearest to a point in its frame, -1: none is nearer than `far` and
// the point is not inside.
int wri_sprite_nearest_edge(const wr_sprite_world *world, const wri_sprite *s, float x, float y,
                            float far);
// The pair of a sprite and a body, -1: none.
int wri_sprite_pair_with(const wr_sprite_world *world, const wri_sprite *s,
                         const wri_flat_body *body);
// In every round: what presses where, the wholes moved apart, then the particles one by one.
void wri_sprite_touch_contacts(wr_sprite_world *world);
void wri_sprite_touch_levels(wr_sprite_world *world);
void wri_sprite_solve_touches(wr_sprite_world *world); // touch.c
void wri_sprite_solve_contacts(wr_sprite_world *world);
void wri_sprite_solve_levels(wr_sprite_world *world);
void wri_sprite_part_deep(wr_sprite_world *world); // after the rounds: pairs in one another
// NULL: no room, the particles will have to do.
wri_touch *wri_sprite_add_touch(wr_sprite_world *world);

// --- body.c -----------------------------------------------------------------------------------

static inline wri_flat_body *wri_flat_body_of(const wr_sprite_world *world, int body)
{
    WR_ASSERT(body >= 0 && body < world->bodies.count);
    return WRI_ITEM(world->bodies, wri_flat_body *, body);
}

// From its centre of mass to a place in the frame of a sprite.
static inline void wri_flat_body_arm(const wri_flat_body *body, const wri_sprite *s, float x,
                                     float y, float at[2])
{
    at[0] = (float)(s->state.origin[0] + (double)x - body->origin[0] - body->center[0]);
    at[1] = (float)(s->state.origin[1] + (double)y - body->origin[1] - body->center[1]);
}

// Before a step: where the bodies are, and will be if nothing happens. Then: those near sprites.
void wri_flat_bodies_start(wr_sprite_world *world, float dt);
void wri_flat_bodies_find_near(wr_sprite_world *world);
// Before and after a part of a step.
void wri_flat_bodies_begin(wr_sprite_world *world, float dt);
void wri_flat_bodies_end(wr_sprite_world *world, float dt);
// 1/kg: by what a place, seen from the centre of mass, gives way to a push along a direction; as if
// the body leant on nothing.
float wri_flat_body_yielding(const wri_flat_body *body, const float at[2], float nx, float ny);
// How far it comes along a direction in the step, as wri_sprite_way says of sprites.
float wri_flat_body_way(const wri_flat_body *body, const float at[2], float nx, float ny, float dt);
// Moves it by a slide of touch.c, its pieces with it.
void wri_flat_body_move(wr_sprite_world *world, wri_flat_body *body, const float slide[3]);
// The same for a single contact, whose push, kg m, counts; old: of the slide, what was due before
// the step.
void wri_flat_body_push(wr_sprite_world *world, wri_flat_body *body, const float at[2], float x,
                        float y, const float slide[3], const float old[3]);
void wri_flat_body_shift(wri_flat_body *body, const float at[2], float x, float y);

// --- bearing.c --------------------------------------------------------------------------------

// Bodies go on by themselves, without getting into what they lean on.
void wri_bearings_rest(wr_sprite_world *world);
void wri_bearings_find_supports(wr_sprite_world *world);
wri_answer wri_flat_body_answer(const wri_flat_body *body, const float at[2], float nx, float ny);
// What bearings pass on of the pushes of sprites.
void wri_bearings_settle(wr_sprite_world *world);
void wri_bearings_limit_shifts(wr_sprite_world *world);

// --- momentum.c (step 5) ----------------------------------------------------------------------

void wri_sprite_find_velocity(const wri_sprite *s, double v[2]); // of its centre of mass
double wri_sprite_find_turn(const wri_sprite *s);
// v: of the prediction; g: gravity as the sprite feels it.
void wri_sprite_collect_momentum(wri_sprite *s, const float v[2], const float g[2], float dt);
void wri_sprite_release_momentum(wri_sprite *s, const float g[2], float dt);

// --- work.c -----------------------------------------------------------------------------------

// After velocities are known: takes back what sprites have thrown one another by.
void wri_sprite_stop_work(wr_sprite_world *world);
// The same for the pushes of the level along the normal n; the share of them that is left.
float wri_sprite_stop_level_work(wri_sprite *s, float nx, float ny, const float g[2], float dt);

// --- turn.c: orientation control (step 6) -----------------------------------------------------

void wri_sprite_turn(wri_sprite *s, float dt);
