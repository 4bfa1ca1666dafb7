// layer_directions.c: where a node's partner is: below it, and clear of the triangles around.
//
// A direction starts as the mean of the normals around, each weighted by its angle, and so does not
// depend on how a face is cut into triangles. Where one of them is more than 60 degrees away it is
// bent to the direction that maximises the least dot product with them, which points to the centre
// of the smallest ball around the unit normals: M. Badoiu, K. Clarkson, Smaller core-sets for
// balls, 2003, goes 1/(k + 1) of the way to the farthest one in round k.
#include "layer.h"

#include "../math/elementary.h"

enum { GRAIN = 1024, ROUNDS = 64 };
static const double CLEAR = 0.5;  // least dot product that needs no bending
static const double LEAST = 0.06; // below it a tetrahedron would hardly have 0.05 of its share

static void measure_triangles(void *context, int block, int begin, int end)
{
    (void)block;
    wri_layer_work *w = context;
    for (int t = begin; t < end; t++) {
        const int *v = &w->triangles[3 * (size_t)t];
        wr_vec3 a = w->skin[v[0]];
        wri_layer_vec n =
            wri_layer_cross(wri_layer_sub(w->skin[v[1]], a), wri_layer_sub(w->skin[v[2]], a));
        w->areas[t] = 0.5 * wri_layer_length(n);
        w->normals[t] = wri_layer_unit(n);
    }
}

// The normal of the triangle that is farthest from a direction.
static wri_layer_vec farthest(const wri_layer_work *w, int node, wri_layer_vec d, double *dot)
{
    wri_layer_vec worst = d;
    *dot = 1.0;
    for (int i = w->begin[node]; i < w->begin[node + 1]; i++) {
        wri_layer_vec n = w->normals[w->around[i]];
        double x = wri_layer_dot(n, d);
        worst = x < *dot ? n : worst;
        *dot = fmin(*dot, x);
    }
    return worst;
}

static wri_layer_vec bend(const wri_layer_work *w, int node, wri_layer_vec d, double *least)
{
    wri_layer_vec center = d, best = d;
    wri_layer_vec worst = farthest(w, node, d, least);
    for (int k = 1; k <= ROUNDS && *least < CLEAR; k++) {
        center = wri_layer_add(center, 1.0 / (k + 1), wri_layer_add(worst, -1.0, center));
        double dot;
        wri_layer_vec unit = wri_layer_unit(center);
        worst = farthest(w, node, unit, &dot);
        best = dot > *least ? unit : best;
        *least = fmax(*least, dot);
    }
    return best;
}

// Adds the normals, weighted by the angles at the node, and the lengths of the edges there.
static wri_layer_vec sum_normals(const wri_layer_work *w, int node, double *length)
{
    wri_layer_vec sum = {0};
    for (int i = w->begin[node]; i < w->begin[node + 1]; i++) {
        int t = w->around[i];
        const int *v = &w->triangles[3 * (size_t)t];
        int k = v[0] == node ? 0 : v[1] == node ? 1 : 2;
        wri_layer_vec a = wri_layer_sub(w->skin[v[(k + 1) % 3]], w->skin[node]);
        wri_layer_vec b = wri_layer_sub(w->skin[v[(k + 2) % 3]], w->skin[node]);
        double la = wri_layer_length(a), lb = wri_layer_length(b);
        double sine = 2.0 * w->areas[t] / (la * lb), cosine = wri_layer_dot(a, b) / (la * lb);
        sum = wri_layer_add(sum, wri_atan2_fine(sine, cosine), w->normals[t]);
        *length += 0.5 * (la + lb);
    }
    return sum;
}

static void find_directions(void *context, int block, int begin, int end)
{
    (void)block;
    wri_layer_work *w = context;
    for (int i = begin; i < end; i++) {
        int count = w->begin[i + 1] - w->begin[i];
        double length = 0.0, least = -1.0;
        wri_layer_vec sum = sum_normals(w, i, &length);
        w->edges[i] = count > 0 ? length / count : 0.0;
        w->directions[i] = bend(w, i, wri_layer_unit(sum), &least);
        w->fixed[i] = w->fixed[i] || count == 0 || least < LEAST;
    }
}

wri_layer_vec wri_layer_smooth_direction(const wri_layer_work *w, int node)
{
    wri_layer_vec sum = {0};
    for (int i = w->begin[node]; i < w->begin[node + 1]; i++) {
        const int *v = &w->triangles[3 * (size_t)w->around[i]];
        for (int k = 0; k < 3; k++) {
            sum = wri_layer_add(sum, w->fixed[v[k]] ? 0.0 : 1.0, w->directions[v[k]]);
        }
    }
    double own, other;
    wri_layer_vec mean = wri_layer_unit(sum);
    farthest(w, node, w->directions[node], &own);
    farthest(w, node, mean, &other);
    return other >= fmin(own, CLEAR) ? mean : w->directions[node];
}

bool wri_layer_find_directions(wri_layer_work *w)
{
    size_t nodes = (size_t)w->node_count, triangles = (size_t)w->triangle_count;
    w->normals = wri_arena_alloc(&w->arena, triangles, sizeof *w->normals);
    w->areas = wri_arena_alloc(&w->arena, triangles, sizeof *w->areas);
    w->edges = wri_arena_alloc(&w->arena, nodes, sizeof *w->edges);
    w->directions = wri_arena_alloc(&w->arena, nodes, sizeof *w->directions);
    if (!w->normals || !w->areas || !w->edges || !w->directions) {
        return false;
    }
    wri_parallel_for(&w->desc->tasks, w->triangle_count, GRAIN, measure_triangles, w);
    wri_parallel_for(&w->desc->tasks, w->node_count, GRAIN, find_directions, w);
    return true;
}
