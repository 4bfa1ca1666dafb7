// sprite.h (internal): the asset of a sprite, and the steps that need nothing else.
//
// After B. Jones, J. Popovic, J. McCann, W. Li, A. Bargteil. Dynamic sprites: artistic authoring of
// interactive animations. Equations, sections and algorithms have the numbers of chapter 4 of
// B. Jones. Artist-guided physics-based animation. PhD thesis, University of Utah, 2015. Symbols as
// there: x positions, v velocities, m a point of the pose manifold (m_p
// projected, m_e after the hit, m_eq after the equilibrium, m_v after the speed), q equilibrium,
// p momentum reservoir, L body size.
#pragma once

#include "wrought/sprite.h"

#include "../skin/skin.h"

enum {
    WRI_SPRITE_PAIRS = 768, // most pairs of representative particles
    WRI_SPRITE_ROUNDS = 32, // simplices one move may lead through
};

// A handle of an example in the plane: R(turn) S (u - pivot) + pivot + offset.
typedef struct wri_flat_pose {
    wri_lanes bend;   // turn in radians, S: xx yy xy
    wri_lanes offset; // x y
} wri_flat_pose;

// Points that are posed together, four by four; the last lanes of the last quad are 0. A point is
// a particle or the difference of two. With A_b = R S - I and d_b of every handle it is at
//     rest + sum_b (A_b p_b + w_b d_b) + sum_e share_e corrective_e,  p_b = w_b (u - pivot_b)
typedef struct wri_pose_pack {
    int count, quad_count;
    int *entry_begin; // quad_count + 1: handles that move one of the four
    int *entry_handles;
    wri_lanes *entries;     // 3 each: p_b x y, w_b
    wri_lanes *rest;        // 2 per quad
    wri_lanes *correctives; // 2 per quad, example by example; NULL: none
} wri_pose_pack;

struct wr_sprite_asset {
    wri_arena arena; // the asset itself lives in it
    int N, B, E;     // particles, handles, examples
    float *rest;     // x of all, then y of all, scaled
    float *masses;   // kg
    int triangle_count, *triangles;
    float L, v_L, t_L, mass, thin;
    const char **example_names;

    // posing (pose.c)
    float *pivots;           // B * 2
    wri_flat_pose *poses;    // E * B
    wri_pose_pack particles; // all of them
    // the manifold (manifold.c)
    int simplex_count;
    wr_simplex *simplices;
    int *corner_begin, *corner_simplices; // E + 1: the simplices that have each example
    int *next_corner; // E * E: the first step of the shortest way between examples, -1: no way
    int component_count;
    // the projection (project.c)
    int cluster_count, *clusters; // representative particles
    int pair_count, *pairs;       // of representative particles whose clusters touch, 2 each
    wri_pose_pack differences;    // between the two of every pair
    float *likeness;      // E * E: sum over pairs of the products of their displacements by two
                          // examples
    float likeness_floor; // added where both are the same

    // shape matching and collision (ring.c)
    int layer_count, *layer_of;  // per particle
    int *ring_begin, *ring;      // N + 1: particles matched together, itself too; symmetric
    float *ring_shares;          // 1 / particles in the ring
    float *ring_masses;          // of the ring, each particle counting its share
    int edge_count, *edges;      // of the outline, the inside on their left
    int *edge_ways;              // the edges before and after each
    int outline_count, *outline; // particles on it
    int pin_count;
    wr_pin *pins;
};

// asset.c makes the asset with the help of these, each of which fills its own part.
bool wri_sprite_prepare_poses(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                              wr_error *error); // pose.c
bool wri_sprite_prepare_manifold(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                                 wr_error *error); // manifold.c
bool wri_sprite_prepare_projection(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                                   wr_error *error); // project.c
bool wri_sprite_prepare_rings(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                              wr_error *error); // ring.c

// --- pose.c -----------------------------------------------------------------------------------

// The map by which a handle moves points: for a point of the manifold, or its change along a
// direction.
typedef struct wri_pose_map {
    wri_lanes a; // R S - I row by row, or its change
    wri_lanes d; // x y
} wri_pose_map;
typedef struct wri_pose_field {
    wri_pose_map maps[WR_SPRITE_HANDLES_MAX];
    float shares[WR_SIMPLEX_CORNERS]; // of the correctives
} wri_pose_field;
typedef float wri_shares[WR_SIMPLEX_CORNERS];

// Finds the field of the point, then those of its changes along the directions, shares taken as
// free numbers: 1 + count in all.
void wri_sprite_pose_fields(const wr_sprite_asset *asset, wr_sprite_point point,
                            const wri_shares *directions, int count, wri_pose_field *fields);
// Finds the displacement of quad g of the pack by a field.
void wri_sprite_pose_quad(const wri_pose_pack *pack, int g, const wr_simplex *simplex,
                          const wri_pose_field *field, wri_lanes out[2]);
// Packs count pairs of particles, of which the second (-1: none) is subtracted.
bool wri_sprite_pack(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc, const int *points,
                     int count, wri_pose_pack *pack);

// Finds the shape of a point, x and y apart.
void wri_sprite_shape(const wr_sprite_asset *asset, wr_sprite_point point, float *x, float *y);

// --- manifold.c -------------------------------------------------------------------------------

// Tells whether it is a place of this manifold: shares finite, >= 0, sum 1.
bool wri_sprite_is_point(const wr_sprite_asset *asset, wr_sprite_point point);
int wri_sprite_find_corner(const wr_simplex *simplex, int example); // -1: is not one of its corners
// Moves on by length * direction, a change of the share of every example that sums to 0. Through
// faces into neighbouring simplices, as far as what changes there is like what changed before, else
// along the face where it leaves.
wr_sprite_point wri_sprite_move(const wr_sprite_asset *asset, wr_sprite_point from,
                                const float *direction, float length);
// Finds the direction in which the shortest way leads on, as long as 1 in the distance below, and
// returns the length of the way; -1 where there is none, and 0 for the point itself, leave
// direction 0.
float wri_sprite_heading(const wr_sprite_asset *asset, wr_sprite_point from, wr_sprite_point to,
                         float *direction);
// Returns the distance of two points as shares: half the sum of |difference| over all examples,
// [0, 1].
float wri_sprite_point_distance(const wr_sprite_asset *asset, wr_sprite_point a, wr_sprite_point b);

// --- cluster.c --------------------------------------------------------------------------------

// Finds representative particles and their pairs.
bool wri_sprite_find_clusters(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                              wri_arena *temporary);

// --- project.c: m_p (step 2a) -----------------------------------------------------------------

// Returns m_p, looking at every simplex (all) or at the present one and its neighbours. angle
// receives the best rotation: the particles look like R(angle) shape + somewhere; mirrored, like
// R(angle) M shape with M the mirror x -> -x. Where positions are not finite, it is `from`, and 0.
wr_sprite_point wri_sprite_project(const wr_sprite_asset *asset, const float *x, const float *y,
                                   bool mirrored, wr_sprite_point from, bool all, float *angle);

// --- parameters.c -----------------------------------------------------------------------------

// The owners are those of parameters.h.
void wri_sprite_set_default(int owner, void *object);
bool wri_sprite_check_ranges(int owner, const void *object, wr_error *error);
// Returns the share of a way for `part` of the time in which it is k.
float wri_sprite_share(float k, float part);

// --- wish.c: from m_p to m_v (steps 2b to 2d) -------------------------------------------------

typedef struct wri_wish {
    wr_sprite_point m_p, m_e, m_eq, m_v;
} wri_wish;
// Returns the points of steps 2b to 2d. `before` is m_p of the step before, for the direction along
// the way it moves; hit (e) and speed (s) are in units of the body. The step has left out hits
// below give_from: this is the part that is answered now.
wri_wish wri_sprite_wish(const wr_sprite_asset *asset, const wr_sprite_parameters *parameters,
                         wr_sprite_point m_p, wr_sprite_point before, wr_sprite_point q, float hit,
                         float speed, float dt);
