// nearest.c: closest points of primitives and triangles, and balls on their way.
//
// The closest points are the textbook's (C. Ericson. Real-time collision detection. 2005, chapter
// 5). A moving ball is stopped by conservative advancement: the plane through the closest point of
// a convex solid, across the line to the ball, holds the solid off the ball's side, so the ball may
// go on until it reaches that plane; where it cannot reach it, it misses. (B. Mirtich.
// Impulse-based dynamic simulation of rigid body systems. 1996.)
#include "nearest.h"

#include <float.h>

enum { MOST_ADVANCES = 48 };
static const double CLOSE_ENOUGH = 1e-6; // of the radius: distance left to a touch

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] - b[i];
    }
}

static void add_scaled(const double a[3], double s, const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] + s * b[i];
    }
}

static double clamp(double x, double limit)
{
    return x < -limit ? -limit : x > limit ? limit : x;
}

// The nearest point lies `radius` from `core` towards `at`; where both are the same, along
// `otherwise`.
static bool finish(const double core[3], double radius, const double at[3], double max_distance,
                   const double otherwise[3], wri_nearest *out)
{
    double d[3], far = radius + max_distance;
    WR_ASSERT(radius >= 0);
    subtract(at, core, d);
    double square = wri_dot3(d, d);
    if (!(far > 0 && square < far * far)) {
        return false;
    }
    double length = sqrt(square);
    bool same = !(length > DBL_MIN);
    for (int i = 0; i < 3; i++) {
        out->normal[i] = same ? otherwise[i] : d[i] / length;
    }
    out->distance = length - radius;
    add_scaled(core, radius, out->normal, out->point);
    return true;
}

// --- primitives -------------------------------------------------------------------------------

// Leaves the inside of a box by the nearest side.
static bool leave_box(const double half[3], const double at[3], double max_distance,
                      wri_nearest *out)
{
    int axis = 0;
    WR_ASSERT(fabs(at[0]) <= half[0] && fabs(at[1]) <= half[1] && fabs(at[2]) <= half[2]);
    for (int i = 1; i < 3; i++) {
        axis = half[i] - fabs(at[i]) < half[axis] - fabs(at[axis]) ? i : axis;
    }
    double side = at[axis] < 0 ? -1.0 : 1.0;
    out->distance = fabs(at[axis]) - half[axis];
    for (int i = 0; i < 3; i++) {
        out->normal[i] = i == axis ? side : 0.0;
        out->point[i] = i == axis ? side * half[i] : at[i];
    }
    return out->distance < max_distance;
}

static bool nearest_of_box(const double half[3], const double at[3], double max_distance,
                           wri_nearest *out)
{
    double p[3];
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        p[i] = clamp(at[i], half[i]);
        inside = inside && p[i] == at[i];
    }
    return inside ? leave_box(half, at, max_distance, out) : finish(p, 0, at, max_distance, p, out);
}

static bool nearest_of_capsule(const double size[3], const double at[3], double max_distance,
                               wri_nearest *out)
{
    const double core[3] = {0, clamp(at[1], 0.5 * size[1]), 0}, across[3] = {1, 0, 0};
    return finish(core, size[0], at, max_distance, across, out);
}

static bool nearest_of_cylinder(const double size[3], const double at[3], double max_distance,
                                wri_nearest *out)
{
    double far = sqrt(at[0] * at[0] + at[2] * at[2]), radius = size[0], half = size[1];
    double x = far > 0 ? at[0] / far : 1.0, z = far > 0 ? at[2] / far : 0.0;
    if (far > radius || fabs(at[1]) > half) {
        double r = far < radius ? far : radius;
        const double p[3] = {r * x, clamp(at[1], half), r * z};
        return finish(p, 0, at, max_distance, p, out);
    }
    bool by_end = half - fabs(at[1]) < radius - far;
    double side = at[1] < 0 ? -1.0 : 1.0;
    const double normal[3] = {by_end ? 0 : x, by_end ? side : 0, by_end ? 0 : z};
    out->distance = by_end ? fabs(at[1]) - half : far - radius;
    memcpy(out->normal, normal, sizeof normal);
    add_scaled(at, -out->distance, normal, out->point);
    return out->distance < max_distance;
}

static bool nearest_of_half_space(const double at[3], double max_distance, wri_nearest *out)
{
    *out = (wri_nearest){at[1], {at[0], 0, at[2]}, {0, 1, 0}};
    return at[1] < max_distance;
}

// --- triangles --------------------------------------------------------------------------------

// a + v (b - a) + w (c - a) is the point of the triangle nearest to p.
static void find_weights(const double ab[3], const double ac[3], const double ap[3], double *v,
                         double *w)
{
    double bp[3], cp[3];
    subtract(ap, ab, bp);
    subtract(ap, ac, cp);
    double d1 = wri_dot3(ab, ap), d2 = wri_dot3(ac, ap), d3 = wri_dot3(ab, bp);
    double d4 = wri_dot3(ac, bp), d5 = wri_dot3(ab, cp), d6 = wri_dot3(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    *v = *w = 0.0;
    if (d1 <= 0 && d2 <= 0) {
        return; // corner a
    }
    if (d3 >= 0 && d4 <= d3) {
        *v = 1.0; // corner b
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        *v = d1 / (d1 - d3); // edge ab
    } else if (d6 >= 0 && d5 <= d6) {
        *w = 1.0; // corner c
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        *w = d2 / (d2 - d6); // edge ac
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        *w = (d4 - d3) / ((d4 - d3) + (d5 - d6)); // edge bc
        *v = 1.0 - *w;
    } else {
        *v = vb / (va + vb + vc);
        *w = vc / (va + vb + vc);
    }
}

static bool nearest_of_triangle(const double *const corner[3], const double at[3],
                                double max_distance, wri_nearest *out)
{
    double ab[3], ac[3], ap[3], p[3], n[3], v, w;
    subtract(corner[1], corner[0], ab);
    subtract(corner[2], corner[0], ac);
    subtract(at, corner[0], ap);
    find_weights(ab, ac, ap, &v, &w);
    WR_ASSERT(!(v < -1e-9 || w < -1e-9 || v + w > 1.0 + 1e-9));
    for (int i = 0; i < 3; i++) {
        p[i] = corner[0][i] + v * ab[i] + w * ac[i];
    }
    wri_cross3(ab, ac, n);
    double area = wri_length3(n);
    for (int i = 0; i < 3; i++) {
        n[i] = area > 0 ? n[i] / area : i == 1;
    }
    return finish(p, 0, at, max_distance, n, out);
}

// --- any solid --------------------------------------------------------------------------------

bool wri_find_nearest(const wri_solid *solid, const double at[3], double max_distance,
                      wri_nearest *out)
{
    static const double origin[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    switch (solid->kind) {
    case WR_SHAPE_BOX:
        return nearest_of_box(solid->size, at, max_distance, out);
    case WR_SHAPE_SPHERE:
        return finish(origin, solid->size[0], at, max_distance, up, out);
    case WR_SHAPE_CAPSULE:
        return nearest_of_capsule(solid->size, at, max_distance, out);
    case WR_SHAPE_CYLINDER:
        return nearest_of_cylinder(solid->size, at, max_distance, out);
    case WR_SHAPE_PLANE:
        return nearest_of_half_space(at, max_distance, out);
    case WR_SHAPE_HULLS:
        return wri_find_nearest_of_polytope(solid->polytope, at, max_distance, out);
    case WR_SHAPE_MESH:
        return nearest_of_triangle(solid->corner, at, max_distance, out);
    }
    return false;
}

// A plane that holds the solid off the point: that of the nearest point, or of a face when it holds
// it farther than `near` off, which is found sooner. `distance` is from that plane.
static bool find_plane(const wri_solid *solid, const double at[3], double near, wri_nearest *out)
{
    if (solid->kind == WR_SHAPE_HULLS && wri_find_highest_face(solid->polytope, at, out) &&
        out->distance > near) {
        return true;
    }
    return wri_find_nearest(solid, at, HUGE_VAL, out);
}

bool wri_find_first_touch(const wri_solid *solid, const double at[3], const double displacement[3],
                          double radius, double *time, wri_nearest *out)
{
    WR_ASSERT(radius > 0);
    const double near = (1.0 + CLOSE_ENOUGH) * radius;
    double t = 0.0;
    for (int i = 0; i < MOST_ADVANCES; i++) {
        double now[3];
        add_scaled(at, t, displacement, now);
        if (!find_plane(solid, now, near, out)) {
            return false;
        }
        double gap = out->distance - radius, speed = -wri_dot3(displacement, out->normal);
        if (out->distance <= near) {
            break;
        }
        if (!(gap <= speed * (1.0 - t))) {
            return false;
        }
        t += gap / speed;
    }
    WR_ASSERT(t >= 0.0 && t <= 1.0 + 1e-12 && wri_is_unit(out->normal));
    *time = fmin(t, 1.0);
    return true;
}
