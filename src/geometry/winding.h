// winding.h: a soup of triangles that can be asked what is inside and what is near.
#pragma once

#include "bvh.h"

typedef struct wri_soup_node wri_soup_node;

// Triangles in a tree of boxes. Points at the caller's positions, which must outlive it.
typedef struct wri_soup {
    const wr_vec3 *positions;
    const int *triangles;
    int triangle_count;
    wr_box bounds; // bounds of the triangles' corners
    wri_bvh tree;
    wri_soup_node *nodes; // beside tree.nodes
} wri_soup;

// Positions must be finite, indices in range. False when out of memory.
bool wri_soup_build(wri_soup *soup, wri_arena *arena, const wr_vec3 *positions,
                    const int *triangles, int triangle_count);

// The usual `accuracy` of wri_winding: errors stay under 0.02 even beside an open edge.
#define WRI_WINDING_ACCURACY 3.0
// Returns how many times the surface goes around a point, counted outwards: 1 inside a sphere, 0
// outside, in between near holes. accuracy: a node counts as one dipole from so many times its
// radius on; at least 1, INFINITY: every triangle for itself.
double wri_winding(const wri_soup *soup, const double point[3], double accuracy);
// Computes the winding numbers of many points, one after the other in memory.
void wri_winding_many(const wri_soup *soup, const double *points, int count, double accuracy,
                      const wr_tasks *tasks, float *out);

typedef struct wri_soup_point {
    int triangle; // -1: the soup is empty
    double point[3];
    double distance2;
} wri_soup_point;
wri_soup_point wri_soup_nearest(const wri_soup *soup, const double point[3]);
// The same for what is nearer than `most`; triangle -1: nothing is.
wri_soup_point wri_soup_nearest_within(const wri_soup *soup, const double point[3], double most);
// Barycentric coordinates of a point of the surface; not negative, their sum is 1.
void wri_soup_weights(const wri_soup *soup, const wri_soup_point *point, float weights[3]);
double wri_soup_area(const wri_soup *soup, int triangle);

// The point of a triangle that is nearest to p (Ericson, Real-time collision detection, 5.1.5).
void wri_triangle_nearest(const double p[3], const double corners[3][3], double out[3]);
// Squared distance of a point to a box, 0 inside.
double wri_box_distance2(wr_box box, const double p[3]);

static inline void wri_soup_corners(const wri_soup *soup, int triangle, double out[3][3])
{
    for (int k = 0; k < 3; k++) {
        wr_vec3 p = soup->positions[soup->triangles[3 * (size_t)triangle + (size_t)k]];
        out[k][0] = p.x, out[k][1] = p.y, out[k][2] = p.z;
    }
}
