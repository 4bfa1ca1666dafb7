// layer.h (internal): what the steps of building a layer share.
//
// Symbols: h depth of a node, d its direction, which points outwards: core = skin - h d.
#pragma once

#include "wrought/layer.h"

#include "bvh.h"
#include "topology.h"

typedef struct wri_layer_vec {
    double x, y, z;
} wri_layer_vec;

// Deepest core, as a part of the way through the body.
#define WRI_LAYER_WAY 0.45

typedef struct wri_layer_work {
    const wr_layer_desc *desc;
    wri_arena arena;
    wri_topology topology;
    int node_count, triangle_count;
    const wr_vec3 *skin;       // metres
    int *triangles;            // nodes, facing outwards
    int *triangle_of;          // of the model
    int *begin, *around;       // node i has triangles around[begin[i]] to around[begin[i + 1] - 1]
    wri_layer_vec *normals;    // of triangles, unit length
    double *areas;             // of triangles
    double *edges;             // of nodes: mean length of the edges around
    wri_layer_vec *directions; // of nodes, unit length
    double *ways;              // of nodes: through the body to its other side; INFINITY: none, or
                               // too far to matter
    bool *has_moved;           // nodes whose direction is not that of their way
    wri_bvh tree;              // of the triangles
    double *factors;           // of nodes, as painted
    bool *fixed;
    double thickness;
    double *depths;
    wr_vec3 *core;
    int turned_count;
} wri_layer_work;

// The steps, in this order. False when out of memory.
bool wri_layer_find_nodes(wri_layer_work *w);
bool wri_layer_find_directions(wri_layer_work *w);
bool wri_layer_find_ways(wri_layer_work *w);
bool wri_layer_fit(wri_layer_work *w);
// Finds the ways of nodes that have moved.
void wri_layer_renew_ways(wri_layer_work *w);
// The mean of the directions around a node, or its own where that would come too near to one of the
// triangles around.
wri_layer_vec wri_layer_smooth_direction(const wri_layer_work *w, int node);

// The wished depth; more than the size of the model would say nothing.
static inline double wri_layer_wish(const wri_layer_work *w, int node)
{
    return fmin(w->thickness * w->factors[node], w->topology.size);
}

// The tetrahedra of wr_layer_split.
int wri_layer_split(const int nodes[3], const bool *fixed, int node_count, int tets[3][4]);

static inline wri_layer_vec wri_layer_sub(wr_vec3 a, wr_vec3 b)
{
    return (wri_layer_vec){(double)a.x - b.x, (double)a.y - b.y, (double)a.z - b.z};
}

static inline wri_layer_vec wri_layer_add(wri_layer_vec a, double s, wri_layer_vec b)
{
    return (wri_layer_vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double wri_layer_dot(wri_layer_vec a, wri_layer_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline wri_layer_vec wri_layer_cross(wri_layer_vec a, wri_layer_vec b)
{
    return (wri_layer_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double wri_layer_length(wri_layer_vec a)
{
    return sqrt(wri_layer_dot(a, a));
}

// Zero stays zero.
static inline wri_layer_vec wri_layer_unit(wri_layer_vec a)
{
    double length = wri_layer_length(a), s = length > 0.0 ? 1.0 / length : 0.0;
    return (wri_layer_vec){s * a.x, s * a.y, s * a.z};
}
