// pieces.h: what cutting a body into convex pieces and joining them again share.
#pragma once

#include "metal.h"

// A piece to be: elements, in the order of the context.
typedef struct wri_cluster {
    int begin, end;
    int fragment;
    float error; // metres
} wri_cluster;

enum { WRI_PIECE_DIRECTIONS = 26, WRI_PIECE_OUTER = 256 };

typedef struct wri_piece_context {
    const wr_metal_asset *asset;
    size_t count;       // N, and behind them the corners of a body that was cut
    int *corners_begin; // per element: its corners among corners_of
    int *corners_of;
    const float *shares; // of elements, NULL: it was not cut
    int *order;          // elements
    int *spare;          // elements while trying, points that stay at the end
    wr_vec3 *centers;    // centroids of the elements
    wr_vec3 *shapes;     // E * count: the examples, along axes of the body's own
    wr_vec3 *normals;    // E * count
    int *skin;           // per face of each element: its triangle, -1: it is inside
    bool follow;         // the skin of hollow bodies on both sides: see pieces.c
    float side;          // -1: the body's axes are left-handed
    float same;          // metres
    uint8_t *marks;      // count
    uint8_t *on_surface; // count
    int *roots;          // N: a vertex it hangs together with, itself: the root of a tree
    int *points;         // count
    wr_vec3 directions[WRI_PIECE_DIRECTIONS], outer[WRI_PIECE_OUTER];
} wri_piece_context;

// Returns the error of a piece of these elements, metres, or something larger than `most` when it
// is larger.
float wri_piece_error(wri_piece_context *ctx, const int *elements, int count, float most);

// pieces_join.c: joins clusters that touch for as long as no error passes `most`. Returns how many
// are left, the first ones; -1: out of memory.
int wri_join_pieces(wri_piece_context *ctx, wri_cluster *clusters, int count, float most,
                    wri_arena *temporary);
