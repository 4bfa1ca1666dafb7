// nearest.h: the point of a convex solid that is nearest to a given one, and the first touch of a
// ball on its way. Everything is in the solid's own frame; any length unit will do.
#pragma once

#include "../base/base.h"
#include "frame.h"
#include "wrought/rigid.h"

#define WRI_ROUNDING 1e-6 // of all lengths: what single precision may miss

// Four planes side by side: x, y and z of the normals, and the offsets.
typedef float wri_four __attribute__((vector_size(16)));
typedef struct wri_four_planes {
    wri_four row[4];
} wri_four_planes;

// The hull of some points by its faces, polygons whose corners run counter-clockwise seen from
// outside. A point x is inside when normal . x <= offset for all faces. The arrays have room for
// every hull of `capacity` points.
typedef struct wri_polytope {
    int capacity, face_count;
    double box[2][3];
    double size;               // largest coordinate
    bool is_flat;              // its points lie in a plane: it has no inside
    double (*points)[3];       // capacity
    double (*faces)[4];        // normal and offset
    wri_four_planes *quartets; // the same in single precision; filled up with the first face
    int *first_corner;         // of each face, and the end of the last one
    int *corners;              // numbers of points
} wri_polytope;

// False when out of memory. Without points it is empty and nothing is near it.
bool wri_polytope_create(wri_polytope *polytope, wri_arena *arena, int capacity);
// Finds the faces around polytope->points, all of which must be finite. False when out of memory.
bool wri_polytope_update(wri_polytope *polytope);

// A convex solid: a box (size: half extents), sphere (radius), capsule (radius, length of the
// straight part along y), cylinder (radius, half height along y), the half space below y = 0, a
// polytope (WR_SHAPE_HULLS) or a triangle (WR_SHAPE_MESH), which has no inside.
typedef struct wri_solid {
    wr_shape_kind kind;
    double size[3];
    const wri_polytope *polytope;
    const double *corner[3];
} wri_solid;

typedef struct wri_nearest {
    double distance;  // from the surface, < 0 inside
    double point[3];  // on the surface
    double normal[3]; // unit, out of the solid; of a triangle towards the side asked from
} wri_nearest;

// False when the surface is at least `max_distance` away, which may be negative.
bool wri_find_nearest(const wri_solid *solid, const double at[3], double max_distance,
                      wri_nearest *out);
bool wri_find_nearest_of_polytope(const wri_polytope *polytope, const double at[3],
                                  double max_distance, wri_nearest *out);

// The plane of the face that the point is farthest above; `point` is its foot, which may lie beside
// the face. False when there are no faces.
bool wri_find_highest_face(const wri_polytope *polytope, const double at[3], wri_nearest *out);

// A ball that is clear of the solid goes from `at` by `displacement`. Returns true when it touches,
// and writes after which part of the displacement, and where.
bool wri_find_first_touch(const wri_solid *solid, const double at[3], const double displacement[3],
                          double radius, double *time, wri_nearest *out);
