// sprite.h (internal): what the files of the material share.
//
// Symbols as in the papers: x positions, v velocities, m a point of the pose manifold (m_p
// projected, m_e after the hit, m_eq after the equilibrium, m_v after the speed), q equilibrium,
// p momentum reservoir, L body size.
#pragma once

#include "wrought/sprite.h"

#include "../base/base.h"

enum { WRI_SPRITE_NEIGHBOURS = 16 };

// A handle of an example in the plane: R(turn) S (u - pivot) + pivot + offset.
typedef struct wri_flat_pose {
    float turn;       // radians
    float stretch[3]; // S: xx yy xy
    float offset[2];
} wri_flat_pose;

struct wr_sprite_asset {
    wri_arena arena; // the asset itself lives in it
    int N, B, E;     // particles, handles, examples
    float *rest;     // x of all, then y of all, scaled
    float *masses;   // kg
    int triangle_count, *triangles;
    float L, v_L, t_L, mass;
    const char **example_names;

    // posing (pose.c)
    float *pivots;        // B * 2
    int *weights_begin;   // N + 1
    int *weight_handles;  // sparse rows of the rig's weights
    float *weights;       //
    wri_flat_pose *poses; // E * B
    float *correctives;   // E * 2 N or NULL: x of all, then y of all
    // the manifold (manifold.c)
    int simplex_count;
    wr_simplex *simplices;
    int *around_begin, *around; // simplices that share a corner with each, without itself
    int *example_simplex;       // E: the first simplex that has it, -1
    int *next_corner;           // E * E: the first step of the shortest way between examples, -1
    int component_count;
    // the projection (project.c)
    int cluster_count, *clusters; // representative particles
    int pair_count, *pairs;       // of clusters, connected

    // shape matching and collision (ring.c)
    int layer_count, *layer_of;  // per particle
    int *ring_begin, *ring;      // N + 1: particles matched together, itself too; symmetric
    float *ring_shares;          // 1 / particles in the ring
    float *ring_masses;          // of the ring, each particle counting its share
    int edge_count, *edges;      // of the outline, the inside on their left
    int *edge_ways;              // the edges before and after each
    int outline_count, *outline; // particles on it
    int pin_count;
    wr_sprite_pin *pins;
};

// asset.c: makes the asset with the help of these, each of which fills its own part
bool wri_sprite_prepare_poses(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                              wr_error *error); // pose.c
bool wri_sprite_prepare_manifold(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                                 wr_error *error); // manifold.c
bool wri_sprite_prepare_projection(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                                   wr_error *error); // project.c
bool wri_sprite_prepare_rings(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                              wr_error *error); // ring.c

// --- pose.c -----------------------------------------------------------------------------------

// What a point looks like, and, where derivative is not NULL, how it changes with the share of
// `corner` (the shares taken as free numbers), for the listed particles, NULL: all. x and y apart.
void wri_sprite_shape(const wr_sprite_asset *asset, wr_sprite_point point, const int *particles,
                      int count, float *x, float *y);
void wri_sprite_shape_derivative(const wr_sprite_asset *asset, wr_sprite_point point, int corner,
                                 const int *particles, int count, float *dx, float *dy);

// --- manifold.c -------------------------------------------------------------------------------

// A direction in the manifold, per example: sums to 0.
// Moves on by it, through faces into neighbouring simplices that allow more of it, else along the
// face where it leaves.
wr_sprite_point wri_sprite_move(const wr_sprite_asset *asset, wr_sprite_point from,
                                const float *direction, float length);
// Distance of two points as shares: half the sum of |difference| over all examples, [0, 1].
float wri_sprite_point_distance(const wr_sprite_asset *asset, wr_sprite_point a, wr_sprite_point b);

// --- project.c: m_p (step 2a) -----------------------------------------------------------------

// all: looks at every simplex, else at the present one and its neighbours. angle receives the best
// rotation R_g. mirrored: the particles show the drawing mirrored (x -> -x).
wr_sprite_point wri_sprite_project(const wr_sprite_asset *asset, const float *x, const float *y,
                                   bool mirrored, wr_sprite_point from, bool all, float *angle);

// --- wish.c: from m_p to m_v (steps 2b to 2d) -------------------------------------------------

typedef struct wri_wish {
    wr_sprite_point m_p, m_e, m_eq, m_v;
} wri_wish;
// before: m_p of the step before, for the direction along the way it moves; hit, speed in units of
// the body.
wri_wish wri_sprite_wish(const wr_sprite_asset *asset, const wr_sprite_parameters *parameters,
                         wr_sprite_point m_p, wr_sprite_point before, wr_sprite_point q, float hit,
                         float speed, float dt);
