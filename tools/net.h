// net.h: a surface of triangles whose edges are split, flipped and collapsed.
//
// Half-edge h belongs to triangle h / 3 and runs from corner[h] to corner[net_next(h)]; twin[h]
// runs back in the neighbour, -1 at a rim. A vertex and its triangles form one fan. Every triangle
// has a label; an edge between different labels, or at a rim, is a border.
#pragma once

#include "draw.h"

typedef struct net {
    int vertex_count, triangle_count; // with those that are gone: corner and out are -1
    wr_vec3 *places;
    int *out; // a half-edge that leaves the vertex
    int *corner, *twin;
    int *label; // of triangles
} net;

enum { NET_MAX_VERTICES = 1 << 17, NET_MAX_TRIANGLES = 1 << 18, NET_MAX_RING = 64 };

// Zeroed memory for free(), or the end of the program.
void *net_alloc(size_t count, size_t size);

net net_create(void);
void net_destroy(net *n);
int net_add_vertex(net *n, wr_vec3 place);
void net_add_triangle(net *n, int a, int b, int c);
void net_join_twins(net *n); // after the last triangle was added

static inline int net_next(int h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

static inline int net_previous(int h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

static inline int net_head(const net *n, int h)
{
    return n->corner[net_next(h)];
}

// Half-edges that leave the vertex, counter-clockwise, from the rim if it has one.
int net_ring(const net *n, int vertex, int ring[NET_MAX_RING]);
bool net_is_rim(const net *n, int vertex);

bool net_is_border(const net *n, int h);
// Gives the number of border edges at a vertex, and the vertices at the other ends of two.
int net_find_borders(const net *n, int vertex, int ends[2]);

// The triangles' shape does not matter to these; can_collapse is what keeps a surface one.
int net_split(net *n, int h, wr_vec3 place); // the new vertex
bool net_can_flip(const net *n, int h);
void net_flip(net *n, int h);
bool net_can_collapse(const net *n, int h);
void net_collapse(net *n, int h); // where it begins goes to where it ends
