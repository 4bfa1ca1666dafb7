// sprite_cut.c: what the plane z = 0 cuts out of a rigid shape.
//
// The cut of a convex shape is convex: the hull of the points in which segments between its corners
// pass through the plane. Segments that are no edges lie inside and change nothing, so all pairs of
// corners do. Round shapes get ROUND corners on their outline.
#include "sprite_cut.h"

#include "../math/elementary.h"

#include <stdlib.h>

enum { ROUND = 64, SLICES = 32, ENOUGH = 4096 };

// --- hulls ------------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const wr_vec2 *p = a, *q = b;
    int by_x = (p->x > q->x) - (p->x < q->x);
    return by_x ? by_x : (p->y > q->y) - (p->y < q->y);
}

// Returns how far b lies to the right of the line from a to c, m.
static double outside(wr_vec2 a, wr_vec2 b, wr_vec2 c)
{
    double ux = (double)c.x - (double)a.x, uy = (double)c.y - (double)a.y;
    double vx = (double)b.x - (double)a.x, vy = (double)b.y - (double)a.y;
    double length = sqrt(ux * ux + uy * uy);
    return length > 0.0 ? (vx * uy - vy * ux) / length : 0.0;
}

// One side of the hull by Andrew's scan; the last corner is the first of the other side.
static int scan(const wr_vec2 *points, int count, bool back, float least, wr_vec2 *out)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        wr_vec2 p = points[back ? count - 1 - i : i];
        while (n > 1 && outside(out[n - 2], out[n - 1], p) <= (double)least) {
            n--;
        }
        out[n++] = p;
    }
    return n - 1;
}

static float size_of(const wr_vec2 *points, int count)
{
    float size = 0.0f;
    for (int i = 0; i < count; i++) {
        size = wr_maxf(size, fabsf(points[i].x - points[0].x));
        size = wr_maxf(size, fabsf(points[i].y - points[0].y));
    }
    return size;
}

// Points closer to each other than `least` become one. They are sorted.
static int merge(wr_vec2 *points, int count, float least)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        bool near = false;
        for (int k = n - 1; k >= 0 && points[i].x - points[k].x <= least && !near; k--) {
            near = fabsf(points[i].y - points[k].y) <= least;
        }
        if (!near) {
            points[n++] = points[i];
        }
    }
    return n;
}

// Puts the hull of the points in their place; none when it has no area.
static bool make_hull(wri_array *points)
{
    int count = points->count;
    if (count == 0) {
        return true;
    }
    qsort(points->items, (size_t)count, sizeof(wr_vec2), compare);
    float least = 1e-6f * size_of(points->items, count); // a few times what rounding does
    count = merge(points->items, count, least);
    wri_array out = wri_array_create(&points->allocator, sizeof(wr_vec2));
    if (!wri_array_add(&out, 2 * count + 2)) {
        wri_array_destroy(&out);
        return false;
    }
    wr_vec2 *corners = out.items;
    int n = scan(points->items, count, false, least, corners);
    n += scan(points->items, count, true, least, corners + n);
    points->count = 0;
    if (n >= 3) {
        memcpy(points->items, corners, (size_t)n * sizeof *corners);
        points->count = n;
    }
    wri_array_destroy(&out);
    return true;
}

// --- shapes -----------------------------------------------------------------------------------

static bool add_point(wri_array *out, double x, double y)
{
    wr_vec2 *p = wri_array_add(out, 1);
    if (p) {
        *p = (wr_vec2){(float)x, (float)y};
    }
    return p != NULL;
}

// z from the plane, x and y from the body.
static bool cut_corners(const wr_vec3 *corners, int count, wri_array *out)
{
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        wr_vec3 a = corners[i];
        if (a.z == 0.0f) {
            ok = add_point(out, (double)a.x, (double)a.y);
        }
        for (int k = 0; ok && k < count && a.z < 0.0f; k++) {
            wr_vec3 b = corners[k];
            if (b.z > 0.0f) {
                double t = (double)a.z / ((double)a.z - (double)b.z);
                ok = add_point(out, (double)a.x + t * ((double)b.x - (double)a.x),
                               (double)a.y + t * ((double)b.y - (double)a.y));
            }
        }
        ok = ok && (out->count < ENOUGH || make_hull(out));
    }
    return ok;
}

// A ball cut at a distance from its centre.
static bool cut_ball(wr_vec3 center, float radius, wri_array *out)
{
    double r2 = (double)radius * (double)radius - (double)center.z * (double)center.z;
    bool ok = true;
    for (int k = 0; ok && r2 > 0.0 && k < ROUND; k++) {
        float sine, cosine;
        wri_sin_cos(2.0f * WR_PI * (float)k / ROUND, &sine, &cosine);
        ok = add_point(out, (double)center.x + sqrt(r2) * (double)cosine,
                       (double)center.y + sqrt(r2) * (double)sine);
    }
    return ok;
}

// A tube with round ends is a row of balls.
static bool cut_capsule(wr_vec3 size, wr_quat turned, float z, wri_array *out)
{
    bool ok = true;
    for (int k = 0; ok && k <= SLICES; k++) {
        wr_vec3 at = wr_v3(0.0f, size.y * ((float)k / SLICES - 0.5f), 0.0f);
        wr_vec3 center = wr_rotate(turned, at);
        center.z += z;
        ok = cut_ball(center, size.x, out);
    }
    return ok;
}

static bool cut_cylinder(wr_vec3 size, wr_quat turned, float z, wri_array *out)
{
    wr_vec3 rims[2 * ROUND];
    for (int k = 0; k < 2 * ROUND; k++) {
        float sine, cosine;
        wri_sin_cos(2.0f * WR_PI * (float)(k % ROUND) / ROUND, &sine, &cosine);
        wr_vec3 at =
            wr_v3(size.x * cosine, k < ROUND ? -0.5f * size.y : 0.5f * size.y, size.x * sine);
        rims[k] = wr_rotate(turned, at);
        rims[k].z += z;
    }
    return cut_corners(rims, 2 * ROUND, out);
}

static bool cut_box(wr_vec3 size, wr_quat turned, float z, wri_array *out)
{
    wr_vec3 corners[8];
    for (int k = 0; k < 8; k++) {
        wr_vec3 at =
            wr_v3(k & 1 ? 0.5f * size.x : -0.5f * size.x, k & 2 ? 0.5f * size.y : -0.5f * size.y,
                  k & 4 ? 0.5f * size.z : -0.5f * size.z);
        corners[k] = wr_rotate(turned, at);
        corners[k].z += z;
    }
    return cut_corners(corners, 8, out);
}

static bool cut_hull(const wr_piece *piece, wr_quat turned, float z, wri_array *out)
{
    wri_array corners = wri_array_create(&out->allocator, sizeof(wr_vec3));
    wr_vec3 *points = wri_array_add(&corners, piece->point_count);
    for (int i = 0; points && i < piece->point_count; i++) {
        points[i] = wr_rotate(turned, piece->points[i]);
        points[i].z += z;
    }
    bool ok = points && cut_corners(points, piece->point_count, out);
    wri_array_destroy(&corners);
    return ok;
}

int wri_cut_piece_count(const wr_shape *shape)
{
    bool has_none = shape->kind == WR_SHAPE_MESH || shape->kind == WR_SHAPE_PLANE;
    return has_none ? 0 : shape->kind == WR_SHAPE_HULLS ? shape->piece_count : 1;
}

// The cut of a polyhedron has a side in each of its faces at most, of which n corners have 2 n - 4;
// that of a capsule touches each of its balls' cuts, and some of them with several corners.
int wri_cut_most_corners(const wr_shape *shape, int piece)
{
    switch (shape->kind) {
    case WR_SHAPE_BOX:
        return 6;
    case WR_SHAPE_SPHERE:
        return ROUND;
    case WR_SHAPE_CYLINDER:
        return ROUND + 2;
    case WR_SHAPE_CAPSULE:
        return 4 * ROUND;
    case WR_SHAPE_HULLS:
        return 2 * shape->pieces[piece].point_count;
    case WR_SHAPE_PLANE:
    case WR_SHAPE_MESH:
        break;
    }
    return 0;
}

float wri_cut_size(const wr_shape *shape)
{
    float size = shape->kind == WR_SHAPE_BOX       ? 0.5f * wr_length(shape->size)
                 : shape->kind == WR_SHAPE_CAPSULE ? shape->size.x + 0.5f * shape->size.y
                 : shape->kind == WR_SHAPE_CYLINDER
                     ? wr_length(wr_v3(shape->size.x, 0.5f * shape->size.y, 0.0f))
                 : shape->kind == WR_SHAPE_SPHERE ? shape->size.x
                                                  : 0.0f;
    for (int i = 0; shape->kind == WR_SHAPE_HULLS && i < shape->piece_count; i++) {
        for (int k = 0; k < shape->pieces[i].point_count; k++) {
            size = wr_maxf(size, wr_length(shape->pieces[i].points[k]));
        }
    }
    return size;
}

bool wri_cut_piece(const wr_shape *shape, int piece, wr_pose pose, wri_array *out)
{
    wr_quat turned = pose.rotation;
    float z = pose.position.z;
    bool ok = true;
    out->count = 0;
    switch (shape->kind) {
    case WR_SHAPE_BOX:
        ok = cut_box(shape->size, turned, z, out);
        break;
    case WR_SHAPE_SPHERE:
        ok = cut_ball(wr_v3(0.0f, 0.0f, z), shape->size.x, out);
        break;
    case WR_SHAPE_CAPSULE:
        ok = cut_capsule(shape->size, turned, z, out);
        break;
    case WR_SHAPE_CYLINDER:
        ok = cut_cylinder(shape->size, turned, z, out);
        break;
    case WR_SHAPE_HULLS:
        ok = cut_hull(&shape->pieces[piece], turned, z, out);
        break;
    case WR_SHAPE_PLANE:
    case WR_SHAPE_MESH:
        break;
    }
    return ok && make_hull(out);
}

bool wri_cut_plane(wr_pose pose, wr_vec2 *position, float *angle)
{
    wr_vec3 n = wr_rotate(pose.rotation, wr_v3(0.0f, 1.0f, 0.0f));
    float flat = n.x * n.x + n.y * n.y;
    if (!(flat > 1e-6f)) {
        return false;
    }
    float off = n.z * pose.position.z / flat; // n . (x - position) = 0 at z = 0
    *position = (wr_vec2){pose.position.x + off * n.x, pose.position.y + off * n.y};
    *angle = wri_atan2(-n.x, n.y);
    return true;
}

float wri_cut_turn(wr_quat start, wr_quat now)
{
    wr_quat q = wr_quat_multiply(now, wr_quat_conjugate(start));
    return 2.0f * wri_atan2(q.z, q.w);
}
