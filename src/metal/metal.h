// metal.h (internal): what the files of the material share.
//
// Symbols: N vertices, E examples, C = E - 1 columns: the rest weight is never stored as a goal, it
// is what the others leave. L body size. Goals are integers in steps of 1/WRI_METAL_ONE, so that
// damage can be written in few bytes and read back exactly.
#pragma once

#include "wrought/metal.h"

#include "../base/base.h"
#include "../skin/skin.h"

#include <stdatomic.h>

enum { WRI_METAL_VERTICES = 1 << 24 }; // limit, so that no few bytes stand for hours of work
enum { WRI_METAL_ONE = 4096, WRI_METAL_PATCHES = 16, WRI_MASS_BLOCK = 32 };
#define WRI_GRAVITY 9.81

// --- assets -----------------------------------------------------------------------------------

typedef struct wri_ball_entry {
    int vertex;
    float distance; // metres, along the body
} wri_ball_entry;

// All vertices nearer than `radius` to one, by distance, then number. Never changes once it is
// published; a wider one takes its place and keeps it, for somebody may still read it.
typedef struct wri_ball wri_ball;
struct wri_ball {
    wri_ball *next;  // of the same vertex, found before
    uint64_t broken; // names the broken bonds that it does not cross, 0: none is
    float radius;
    int count;
    wri_ball_entry entries[];
};

// A vertex at the other end of an edge.
typedef struct wri_neighbour {
    int vertex;
    float length; // metres
} wri_neighbour;

struct wr_metal_asset {
    wri_arena arena; // the asset itself lives in it
    wr_skin *skin;
    int *slots; // per vertex: where it stands in the skin's order
    int N, E, C;
    wr_vec3 *rest;
    int element_count, *elements;
    double axes[3][3]; // of the shape, see wri_shape_frame
    float L, v_L, t_L;
    uint32_t identity; // hash of the rig, by which damage knows it

    int F;               // fragments, 1: it stays whole
    int *fragments;      // N; NULL: it stays whole
    int *origins;        // N, likewise
    int *fragment_begin; // F + 1: vertices of each
    int corner_count;
    wr_ride *corners; // the shape of the fragments, see wr_fracture
    int bond_count;
    wr_bond *bonds;
    int16_t *bond_between; // F * F: the bond of two fragments, -1: none
    int tie_count;
    wr_metal_tie *ties;
    int *bond_ties;  // bond_count: ties of each bond
    double bond_arm; // metres: the least lever by which a bond resists bending
    double area;     // V^(2/3), m^2

    int surface_count, triangle_count;
    int first_count;      // the same without copies of one triangle: before all others
    int outer_count;      // triangles on the outside of the whole body: the first ones
    float *outer_shares;  // per such triangle: the part of it that its fragment has; NULL: all
    int *surface;         // vertices
    int *surface_begin;   // F + 1: those of each fragment
    int *triangles;       // three vertices each
    int *triangles_begin; // N + 1: triangles around a vertex
    int *triangles_of;
    int *neighbours_begin; // N + 1
    wri_neighbour *neighbours;

    float *compliance, *yield, *reach; // maps, NULL: 1; compliance: 1 / strength
    float yield_min;                   // smallest of the map
    float *extent; // in the skin's order: largest displacement by any example, metres

    double mass;
    float *masses;          // per vertex, kilograms
    wri_lanes *lane_masses; // the masses in the skin's order, four at a time; 0 past the end
    float center[3];        // centre of mass at rest; block sums are taken relative to it
    int block_count;        // blocks of WRI_MASS_BLOCK vertices

    int piece_count;
    int *piece_begin;     // piece_count + 1
    int *piece_vertices;  // vertex of every point, or N + number of a corner
    int *piece_fragments; // piece_count
    int *pieces_begin;    // N + 1: the pieces that a vertex is, or carries, a point of
    int *pieces_of;
    float piece_error;

    _Atomic(wri_ball *) *balls; // per vertex
    atomic_size_t ball_size;
    atomic_int ball_count;
    size_t cache_size;
};

// Working memory for one ball.
typedef struct wri_ball_space {
    float *distance;         // N
    int *place;              // N: in the heap, -1: not seen, -2: done
    int *heap;               // N
    wri_ball_entry *entries; // N
} wri_ball_space;

typedef struct wri_ball_view {
    const wri_ball_entry *entries;
    int count; // nearer than the radius asked for
} wri_ball_view;

// surface.c: boundary, neighbours, and the arrays that follow from them
// shares: of elements of a body that was cut, see wr_fracture
bool wri_metal_find_surface(wr_metal_asset *asset, const float *shares, wri_arena *temporary);
bool wri_metal_find_edges(wr_metal_asset *asset, float gap, wri_arena *temporary);
// Copies of one vertex in fragments that hold together, which edges of no length join: lower number
// in the upper half of each pair. Returns how many, -1: out of memory; pairs NULL: only that.
int wri_metal_list_links(const wr_metal_asset *asset, wri_arena *temporary, uint64_t *pairs);
// ball.c
bool wri_ball_space_create(wri_ball_space *space, wri_arena *arena, int vertex_count);
// missed counts up when the ball could not be kept. broken: bit per bond that it must not cross,
// NULL: it may cross all.
wri_ball_view wri_metal_ball(wr_metal_asset *asset, int vertex, float radius,
                             const uint64_t *broken, wri_ball_space *space, int64_t *missed);
void wri_metal_free_balls(wr_metal_asset *asset);
// pieces.c
bool wri_metal_find_pieces(wr_metal_asset *asset, const wr_metal_asset_desc *desc,
                           wri_arena *temporary);

// --- bodies -----------------------------------------------------------------------------------

// A contact patch: a place where the body was pushed lately. Symbols: see hit.c.
typedef struct wri_patch {
    double point[3];          // metres, weighted mean of the contacts
    double weight;            // N s, of that mean; fades like window_impulse
    double impulse[3];        // j, N s, added since the last step
    double window_impulse[3]; // S, N s, over the window, less what was carried or has bent the body
    double load[3];           // F, N, the steady load
} wri_patch;

// Four rows on their way to their goals: neighbours in the skin's order, which move together.
typedef struct wri_fading {
    float remaining; // part of the way that is left since they were last moved
    float distance;  // metres, the longest still to go then
    float change2;   // squared length of the change of weights still to come then
} wri_fading;

// Sums over one block of vertices in the skin's order, relative to asset->center.
typedef struct wri_moments {
    double m1[3];
    double m2[6]; // xx yy zz xy xz yz
} wri_moments;

// What pushed a fragment lately: impulse and angular impulse about asset->center, over the window,
// and of that since the last step.
typedef struct wri_load {
    double impulse[3], turn[3];
    double fresh_impulse[3], fresh_turn[3];
} wri_load;

// What a tie passed on, N s: over the window, and of that since the last step. One that is torn
// keeps what it passed on when it tore.
typedef struct wri_tie_load {
    double impulse[3], fresh[3];
    uint64_t torn; // 0: it holds
} wri_tie_load;

// Mass of a fragment and its first and second moments, relative to asset->center.
typedef struct wri_fragment_mass {
    double mass;
    wri_moments moments;
} wri_fragment_mass;

enum { WRI_METAL_DENTS = 16 };

struct wr_metal {
    wri_arena arena; // the body itself lives in it
    wr_metal_asset *asset;
    wr_metal_parameters parameters;
    double mass;
    double mass_scale; // mass over the asset's

    uint16_t *goal;     // N * C, rows in the skin's order
    float *E;           // N * E
    float *change;      // N * E: Delta E, of a body that bends as the paper has it; else NULL
    wr_vec3 *x;         // N
    wri_fading *fading; // per group of four in the skin's order
    uint64_t *bending;  // bit per vertex in that order: not at its goal
    uint64_t *fresh;    // bit per vertex in that order: its goal has changed since the last step
    int bending_count;
    float lag;        // part of all changes that is left since the body was last moved
    float since;      // seconds, since then
    double to_come2;  // |Delta E|_F^2: sum of remaining^2 change2 over the fading
    float repair_due; // share that small repairs have summed up to

    int patch_count;
    wri_patch patches[WRI_METAL_PATCHES];
    uint8_t patch_fragments[WRI_METAL_PATCHES];
    float restitution;
    float dt, lambda;    // of the last step; dt 0: there was none
    double window_decay; // factor on sums over the window, per such step

    int changed_count;
    int *changed; // N
    wr_metal_range changed_range;
    bool any_piece_changed, *piece_changed; // piece_count
    uint64_t *stale_blocks;
    wri_moments *blocks;
    wr_mass_properties properties;
    wr_vec3 *points; // points of all pieces

    // Of a body that can break; NULL: it cannot.
    wri_load *loads;                    // F
    wri_tie_load *tie_loads;            // tie_count; NULL: bonds hold it together
    wri_fragment_mass *fragment_masses; // F, of the present shape unless they are stale
    bool masses_stale;
    double slack;     // N s: impulses may change by this much before a bond can break
    uint64_t *broken; // bit per bond
    uint8_t *part_of; // F
    int part_count, broken_count;
    wr_mass_properties *part_properties; // F
    wr_metal_break *breaks;              // of the last step, room for all bonds
    int break_count;
    double *work;                         // of the solver, see fracture.c
    wr_metal_dent dents[WRI_METAL_DENTS]; // of the last step
    int dent_count;

    wri_ball_space space;
    wr_metal_statistics statistics;
};

// The place of a corner, given those of the vertices.
static inline wr_vec3 wri_metal_corner(const wr_metal_asset *asset, const wr_vec3 *x, int corner)
{
    const wr_ride *ride = &asset->corners[corner];
    const int *v = &asset->elements[4 * (size_t)ride->element];
    wr_vec3 p = wr_scale(ride->weights[0], x[v[0]]);
    p = wr_add_scaled(wr_add_scaled(p, ride->weights[1], x[v[1]]), ride->weights[2], x[v[2]]);
    return wr_add_scaled(p, ride->weights[3], x[v[3]]);
}

static inline int wri_metal_part_of(const wr_metal *body, int fragment)
{
    return body->part_of ? body->part_of[fragment] : 0;
}

// Says that the goal of a row has changed.
static inline void wri_metal_mark_goal(wr_metal *body, int slot)
{
    uint64_t bit = (uint64_t)1 << (slot % 64), *word = &body->bending[slot / 64];
    body->bending_count += (*word & bit) == 0;
    *word |= bit;
    body->fresh[slot / 64] |= bit;
}

// metal.c: what depends on the length of the step alone, which seldom changes
void wri_metal_set_dt(wr_metal *body, float dt);
// parameters.c; owner: see parameters.h
void wri_metal_set_default(int owner, void *object);
bool wri_metal_check(int owner, const void *object, wr_error *error);
bool wri_metal_check_parameters(const wr_metal_parameters *p, wr_error *error);
// hit.c: the impulses since the last step become new goals
void wri_metal_hit(wr_metal *body, float dt);
float wri_metal_reach(const wr_metal *body, int vertex);      // metres: how far a hit there spreads
double wri_metal_hit_mass(const wr_metal *body, double mass); // of `mass`, what a hit has to move
void wri_metal_project_inverse(const float *J, int columns, const float d[3], float *out);
// published.c: the same as the paper has it, for bodies with `change`
void wri_metal_strike_published(wr_metal *body, int vertex, const float d[3], double length);
void wri_metal_aim_published(wr_metal *body, int slot, const uint16_t *goal);
double wri_metal_fade_published(wr_metal *body, float lambda); // |Delta E|_F / sqrt(N) afterwards
// fade.c: rows on their way to their goals
void wri_metal_set_goal(wr_metal *body, int slot, const uint16_t *goal);
double wri_metal_fade(wr_metal *body, float lambda, float dt);   // |Delta E|_F / sqrt(N) before
void wri_metal_finish_row(wr_metal *body, int slot, int vertex); // the weights are their goals
void wri_metal_settle(wr_metal *body);                           // everything appears at once
void wri_metal_mark_all(wr_metal *body);
void wri_metal_forget_pieces(wr_metal *body); // no piece has changed
void wri_metal_refresh(wr_metal *body);       // computes what follows from the changed vertices
// fracture.c
bool wri_metal_find_bonds(wr_metal_asset *asset, const wr_metal_asset_desc *desc);
bool wri_metal_can_break(wr_metal *body); // makes room; false: out of memory
void wri_metal_load(wr_metal *body, int fragment, const double point[3], const double impulse[3]);
void wri_metal_break(wr_metal *body);
bool wri_metal_is_loaded(const wr_metal *body);
void wri_metal_find_parts(wr_metal *body); // from the broken bonds, when there are no parts yet
void wri_metal_find_part_masses(wr_metal *body);
double wri_metal_bond_limit(const wr_metal *body, const wr_bond *bond); // N s; may be infinite
// load: N s, that broke it; left: what its loads have still to give to its part, if that falls in
// two
void wri_metal_break_bond(wr_metal *body, int bond, double load, double left);
// ties.c
bool wri_metal_find_ties(wr_metal_asset *asset, wri_arena *temporary);
bool wri_metal_can_tear(wr_metal *body); // makes room; false: out of memory
void wri_metal_tear(wr_metal *body);     // the impulses since the last step tear ties
bool wri_metal_ties_loaded(const wr_metal *body);
void wri_metal_reset_ties(wr_metal *body); // those of broken bonds are torn, no others
// mass.c
wri_moments wri_metal_sum_fragment(const wr_metal *body, int fragment, double *mass);
wr_mass_properties wri_metal_properties(const wr_metal *body, const wri_moments *sum, double mass);
void wri_metal_find_vertex_masses(wr_metal_asset *asset, const wr_metal_asset_desc *desc);
void wri_metal_find_mass(wr_metal *body);
