// polytope.c: the hull of points by its faces, and the point of it that is nearest to a given one.
//
// The largest of the signed distances to the planes of the faces is never more than the distance to
// the hull. Where the foot on that plane lies within its face, it is the distance, and inside the
// hull it always is (up to the sign): both need nothing but one pass over the planes, in single
// precision and four at a time, and most balls that come near a hull end there, too far away or
// over a face. For the others the nearest point lies on an edge of a face they can see.
#include "nearest.h"

typedef int32_t four_ints __attribute__((vector_size(16)));

bool wri_polytope_create(wri_polytope *polytope, wri_arena *arena, int capacity)
{
    WR_ASSERT(capacity >= 4);
    size_t n = (size_t)capacity;
    *polytope = (wri_polytope){.capacity = capacity};
    polytope->points = wri_arena_alloc(arena, n, sizeof *polytope->points);
    polytope->faces = wri_arena_alloc(arena, 2 * n, sizeof *polytope->faces);
    polytope->quartets = wri_arena_alloc(arena, (n + 1) / 2, sizeof *polytope->quartets);
    polytope->first_corner = wri_arena_alloc(arena, 2 * n + 1, sizeof(int));
    polytope->corners = wri_arena_alloc(arena, 6 * n, sizeof(int));
    return polytope->points && polytope->faces && polytope->quartets && polytope->first_corner &&
           polytope->corners;
}

// --- faces ------------------------------------------------------------------------------------

static void find_box(wri_polytope *polytope)
{
    polytope->size = 0;
    for (int k = 0; k < 3; k++) {
        polytope->box[0][k] = HUGE_VAL, polytope->box[1][k] = -HUGE_VAL;
        for (int i = 0; i < polytope->capacity; i++) {
            polytope->box[0][k] = fmin(polytope->box[0][k], polytope->points[i][k]);
            polytope->box[1][k] = fmax(polytope->box[1][k], polytope->points[i][k]);
        }
        polytope->size = fmax(polytope->size, fmax(-polytope->box[0][k], polytope->box[1][k]));
    }
}

// Newell's normal of the polygon; false when it has none.
static bool find_normal(const wri_polytope *polytope, int face, double n[3])
{
    const int *corner = &polytope->corners[polytope->first_corner[face]];
    int count = polytope->first_corner[face + 1] - polytope->first_corner[face];
    WR_ASSERT(count >= 1);
    n[0] = n[1] = n[2] = 0.0;
    for (int i = 2; i < count; i++) {
        double u[3], v[3], area[3];
        for (int k = 0; k < 3; k++) {
            u[k] = polytope->points[corner[i - 1]][k] - polytope->points[corner[0]][k];
            v[k] = polytope->points[corner[i]][k] - polytope->points[corner[0]][k];
        }
        wri_cross3(u, v, area);
        for (int k = 0; k < 3; k++) {
            n[k] += area[k];
        }
    }
    double length = wri_length3(n);
    for (int k = 0; k < 3; k++) {
        n[k] /= length;
    }
    return length > 0.0;
}

// The plane touches the points from outside, however flat the polygon is.
static bool find_plane(wri_polytope *polytope, int face)
{
    double *plane = polytope->faces[face];
    bool ok = find_normal(polytope, face, plane);
    plane[3] = -HUGE_VAL;
    for (int i = 0; ok && i < polytope->capacity; i++) {
        plane[3] = fmax(plane[3], wri_dot3(plane, polytope->points[i]));
    }
    return ok;
}

static void fill_quartets(wri_polytope *polytope)
{
    WR_ASSERT((polytope->face_count + 3) / 4 <= (polytope->capacity + 1) / 2);
    for (int i = 0; i < (polytope->face_count + 3) / 4 * 4; i++) {
        const double *plane = polytope->faces[i < polytope->face_count ? i : 0];
        for (int k = 0; k < 4; k++) {
            polytope->quartets[i / 4].row[k][i % 4] = (float)plane[k];
        }
    }
}

// Corners of faces without a plane, slivers between rounded points, go with them.
static void keep_planes(wri_polytope *polytope, int face_count)
{
    int kept = 0, end = 0;
    for (int f = 0; f < face_count; f++) {
        int first = polytope->first_corner[f], last = polytope->first_corner[f + 1];
        if (find_plane(polytope, f)) {
            memcpy(polytope->faces[kept], polytope->faces[f], sizeof polytope->faces[0]);
            memmove(&polytope->corners[end], &polytope->corners[first],
                    (size_t)(last - first) * sizeof(int));
            polytope->first_corner[kept++] = end;
            end += last - first;
        }
    }
    WR_ASSERT(kept <= face_count && end <= 6 * polytope->capacity);
    polytope->first_corner[kept] = end;
    polytope->face_count = kept;
}

bool wri_polytope_update(wri_polytope *polytope)
{
    find_box(polytope);
    int count = wri_bullet_find_faces((const double(*)[3])polytope->points, polytope->capacity,
                                      polytope->first_corner, polytope->corners);
    polytope->face_count = 0;
    if (count < 0) {
        return false;
    }
    WR_ASSERT(count <= 2 * polytope->capacity);
    keep_planes(polytope, count);
    polytope->is_flat = polytope->face_count < 4;
    if (polytope->face_count < 2) {
        polytope->face_count = 0; // a line, or a point
    }
    fill_quartets(polytope);
    return true;
}

// --- nearest points ---------------------------------------------------------------------------

static double height(const double plane[4], const double at[3])
{
    return wri_dot3(plane, at) - plane[3];
}

// The face in whose plane's normal the point is farthest out, and that height.
static int find_highest(const wri_polytope *polytope, const double at[3], float *highest)
{
    const float x = (float)at[0], y = (float)at[1], z = (float)at[2];
    wri_four most = (wri_four){0} - INFINITY;
    four_ints number = {0, 1, 2, 3}, best = number;
    for (int i = 0; i < (polytope->face_count + 3) / 4; i++) {
        const wri_four *row = polytope->quartets[i].row;
        wri_four up = row[0] * x + row[1] * y + row[2] * z - row[3];
        four_ints higher = up > most;
        most = (wri_four)(((four_ints)up & higher) | ((four_ints)most & ~higher));
        best = (number & higher) | (best & ~higher);
        number += 4;
    }
    int lane = most[1] > most[0] ? 1 : 0, other = most[3] > most[2] ? 3 : 2;
    lane = most[other] > most[lane] ? other : lane;
    WR_ASSERT(best[lane] >= 0 && best[lane] < (polytope->face_count + 3) / 4 * 4);
    *highest = most[lane];
    return best[lane] < polytope->face_count ? best[lane] : 0;
}

static bool is_over(const wri_polytope *polytope, int face, const double at[3])
{
    const int *corner = &polytope->corners[polytope->first_corner[face]];
    int count = polytope->first_corner[face + 1] - polytope->first_corner[face];
    const double *a = polytope->points[corner[count - 1]];
    for (int i = 0; i < count; i++) {
        const double *b = polytope->points[corner[i]];
        double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        double v[3] = {at[0] - a[0], at[1] - a[1], at[2] - a[2]}, side[3];
        wri_cross3(u, v, side);
        if (!(wri_dot3(side, polytope->faces[face]) >= 0)) {
            return false;
        }
        a = b;
    }
    return true;
}

// Square of the distance from an edge, where that is less than `least`.
static double try_edge(const double a[3], const double b[3], const double at[3], double least,
                       double point[3])
{
    double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double v[3] = {at[0] - a[0], at[1] - a[1], at[2] - a[2]};
    double length = wri_dot3(u, u), along = wri_dot3(u, v);
    double t = along <= 0 ? 0 : along >= length ? 1 : along / length, p[3], d[3];
    for (int i = 0; i < 3; i++) {
        p[i] = a[i] + t * u[i];
        d[i] = at[i] - p[i];
    }
    double far = wri_dot3(d, d);
    if (far < least) {
        memcpy(point, p, sizeof p);
        return far;
    }
    return least;
}

static bool nearest_of_edges(const wri_polytope *polytope, const double at[3], double max_distance,
                             wri_nearest *out)
{
    double least = HUGE_VAL;
    for (int f = 0; f < polytope->face_count; f++) {
        if (!polytope->is_flat && height(polytope->faces[f], at) < 0) {
            continue;
        }
        const int *corner = &polytope->corners[polytope->first_corner[f]];
        int count = polytope->first_corner[f + 1] - polytope->first_corner[f];
        for (int i = 0, last = count - 1; i < count; last = i++) {
            least = try_edge(polytope->points[corner[last]], polytope->points[corner[i]], at, least,
                             out->point);
        }
    }
    out->distance = sqrt(least);
    for (int i = 0; i < 3; i++) {
        double d = at[i] - out->point[i];
        out->normal[i] = out->distance > 0 ? d / out->distance : polytope->faces[0][i];
    }
    return out->distance < max_distance;
}

static void fill_foot(const double plane[4], const double at[3], wri_nearest *out)
{
    WR_ASSERT(wri_is_unit(plane));
    out->distance = height(plane, at);
    for (int k = 0; k < 3; k++) {
        out->normal[k] = plane[k];
        out->point[k] = at[k] - out->distance * plane[k];
    }
}

bool wri_find_highest_face(const wri_polytope *polytope, const double at[3], wri_nearest *out)
{
    float highest;
    if (polytope->face_count > 0) {
        fill_foot(polytope->faces[find_highest(polytope, at, &highest)], at, out);
    }
    return polytope->face_count > 0;
}

bool wri_find_nearest_of_polytope(const wri_polytope *polytope, const double at[3],
                                  double max_distance, wri_nearest *out)
{
    if (polytope->face_count == 0) {
        return false;
    }
    float highest;
    int face = find_highest(polytope, at, &highest);
    if (highest > max_distance + WRI_ROUNDING * (polytope->size + max_distance)) {
        return false;
    }
    fill_foot(polytope->faces[face], at, out);
    bool inside = out->distance <= 0 && !polytope->is_flat;
    return inside || is_over(polytope, face, at)
               ? out->distance < max_distance
               : nearest_of_edges(polytope, at, max_distance, out);
}
