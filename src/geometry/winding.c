// winding.c: generalised winding numbers and nearest points of a triangle soup.
//
// A. Jacobson, L. Kavan, O. Sorkine-Hornung. Robust inside-outside segmentation using generalized
// winding numbers. SIGGRAPH 2013: w(q) = sum of signed solid angles / 4 pi, each by A. van Oosterom
// and J. Strackee (1983). G. Barill, N. Dickson, R. Schmidt, D. Levin, A. Jacobson. Fast winding
// numbers for soups and clouds. SIGGRAPH 2018: far away a node of the tree counts as the first two
// terms of its Taylor series about its centre p,
//
//     4 pi w(q) ~ (n . d + tr M) / r^3 - 3 d^T M d / r^5,   d = p - q, r = |d|
//     n = sum of area vectors,  M = sum of (triangle's centre - p) (area vector)^T
//
// of which only the symmetric part of M matters. Everything is double: fifth powers of any float
// fit.
//
// The exact terms are half angles of points (x, y) of the plane. They are added by multiplying
// these as complex numbers and counting the full turns, so that a sum takes one arc tangent, of our
// own: the same bits with every C library.
#include "winding.h"

#include "../math/elementary.h"
#include "../math/triangle.h"

struct wri_soup_node {
    double p[3], n[3];
    double m[6]; // symmetric part: xx yy zz xy xz yz
    double area, radius;
};

enum { DEPTH_MAX = 64, GRAIN = 256 };

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] - b[i];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// --- the tree ---------------------------------------------------------------------------------

static void add_moment(wri_soup_node *node, const double center[3], const double n[3])
{
    double a[3];
    subtract(center, node->p, a);
    for (int i = 0; i < 3; i++) {
        node->n[i] += n[i];
        node->m[i] += a[i] * n[i];
    }
    node->m[3] += 0.5 * (a[0] * n[1] + a[1] * n[0]);
    node->m[4] += 0.5 * (a[0] * n[2] + a[2] * n[0]);
    node->m[5] += 0.5 * (a[1] * n[2] + a[2] * n[1]);
}

static void area_vector(const wri_soup *soup, int triangle, double center[3], double n[3])
{
    double c[3][3], u[3], v[3];
    wri_soup_corners(soup, triangle, c);
    subtract(c[1], c[0], u);
    subtract(c[2], c[0], v);
    cross(u, v, n);
    for (int i = 0; i < 3; i++) {
        n[i] *= 0.5;
        center[i] = (c[0][i] + c[1][i] + c[2][i]) / 3.0;
    }
}

double wri_soup_area(const wri_soup *soup, int triangle)
{
    double center[3], n[3];
    area_vector(soup, triangle, center, n);
    return sqrt(dot(n, n));
}

// The centre has to be inside the box, for the radius is measured to the box's corners.
static void set_center(wri_soup_node *node, wr_box box, const double sum[3])
{
    const double low[3] = {box.min.x, box.min.y, box.min.z};
    const double high[3] = {box.max.x, box.max.y, box.max.z};
    double radius2 = 0.0;
    for (int i = 0; i < 3; i++) {
        double p = node->area > 0.0 ? sum[i] / node->area : 0.5 * (low[i] + high[i]);
        node->p[i] = fmin(fmax(p, low[i]), high[i]);
        double reach = fmax(node->p[i] - low[i], high[i] - node->p[i]);
        radius2 += reach * reach;
    }
    node->radius = sqrt(radius2);
}

static void fill_leaf(const wri_soup *soup, const wri_bvh_node *leaf, wri_soup_node *node)
{
    double sum[3] = {0}, center[3], n[3];
    for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
        area_vector(soup, soup->tree.items[i], center, n);
        double area = sqrt(dot(n, n));
        node->area += area;
        for (int k = 0; k < 3; k++) {
            sum[k] += area * center[k];
        }
    }
    set_center(node, leaf->box, sum);
    for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
        area_vector(soup, soup->tree.items[i], center, n);
        add_moment(node, center, n);
    }
}

static void fill_inner(wri_soup_node *node, wr_box box, const wri_soup_node *a,
                       const wri_soup_node *b)
{
    double sum[3];
    node->area = a->area + b->area;
    for (int k = 0; k < 3; k++) {
        sum[k] = a->area * a->p[k] + b->area * b->p[k];
    }
    set_center(node, box, sum);
    add_moment(node, a->p, a->n);
    add_moment(node, b->p, b->n);
    for (int i = 0; i < 6; i++) {
        node->m[i] += a->m[i] + b->m[i];
    }
}

bool wri_soup_build(wri_soup *soup, wri_arena *arena, const wr_vec3 *positions,
                    const int *triangles, int triangle_count)
{
    *soup = (wri_soup){.positions = positions,
                       .triangles = triangles,
                       .triangle_count = triangle_count,
                       .bounds = WR_BOX_EMPTY};
    wr_box *boxes = wri_arena_alloc(arena, (size_t)triangle_count, sizeof *boxes);
    if (!boxes) {
        return false;
    }
    for (int i = 0; i < triangle_count; i++) {
        boxes[i] = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            boxes[i] = wr_box_add(boxes[i], positions[triangles[3 * (size_t)i + (size_t)k]]);
        }
        soup->bounds = wr_box_join(soup->bounds, boxes[i]);
    }
    if (!wri_bvh_build(&soup->tree, arena, boxes, NULL, triangle_count)) {
        return false;
    }
    soup->nodes = wri_arena_alloc(arena, (size_t)soup->tree.node_count, sizeof *soup->nodes);
    if (!soup->nodes) {
        return false;
    }
    for (int i = soup->tree.node_count - 1; i >= 0; i--) { // children stand behind their parent
        const wri_bvh_node *n = &soup->tree.nodes[i];
        if (n->count > 0) {
            fill_leaf(soup, n, &soup->nodes[i]);
        } else {
            fill_inner(&soup->nodes[i], n->box, &soup->nodes[i + 1], &soup->nodes[n->first]);
        }
    }
    return true;
}

// --- winding ----------------------------------------------------------------------------------

// A sum of angles: that of the vector (x, y), in (-pi, pi], and full turns.
typedef struct angle_sum {
    double x, y;
    int turns;
} angle_sum;

static bool is_up(double x, double y) // its angle is in (0, pi]
{
    return y > 0.0 || (y == 0.0 && x < 0.0);
}

// Adds the angle of (x, y); the zero vector has none. Lengths do not matter: the factor here is at
// most 1 long and at least 0.7, and the sum is made longer before it vanishes.
static void add_angle(angle_sum *sum, double x, double y)
{
    double length = fabs(x) + fabs(y);
    if (!(length > 0.0)) {
        return;
    }
    double scale = (fabs(sum->x) + fabs(sum->y) < 1e-200 ? 1e200 : 1.0) / length;
    double re = (sum->x * x - sum->y * y) * scale, im = (sum->x * y + sum->y * x) * scale;
    sum->turns += is_up(sum->x, sum->y) && is_up(x, y) && !is_up(re, im);
    sum->turns -= sum->y < 0.0 && y < 0.0 && !(im < 0.0);
    sum->x = re, sum->y = im;
}

// Adds half of the solid angle of a triangle.
static void add_triangle(angle_sum *sum, const double q[3], const double corners[3][3])
{
    double a[3], b[3], c[3], bc[3];
    subtract(corners[0], q, a);
    subtract(corners[1], q, b);
    subtract(corners[2], q, c);
    cross(b, c, bc);
    double la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
    double over = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    add_angle(sum, over, dot(a, bc));
}

static double far_field(const wri_soup_node *node, const double d[3], double r2)
{
    const double *m = node->m;
    double r3 = 1.0 / (r2 * sqrt(r2));
    double dmd = m[0] * d[0] * d[0] + m[1] * d[1] * d[1] + m[2] * d[2] * d[2] +
                 2.0 * (m[3] * d[0] * d[1] + m[4] * d[0] * d[2] + m[5] * d[1] * d[2]);
    return (dot(node->n, d) + m[0] + m[1] + m[2]) * r3 - 3.0 * dmd * r3 / r2;
}

double wri_winding(const wri_soup *soup, const double point[3], double accuracy)
{
    WR_ASSERT(accuracy >= 1.0);
    int stack[DEPTH_MAX], depth = 0;
    angle_sum near = {1.0, 0.0, 0};
    double far = 0.0, corners[3][3], d[3];
    if (soup->tree.node_count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        int index = stack[--depth];
        const wri_bvh_node *n = &soup->tree.nodes[index];
        const wri_soup_node *node = &soup->nodes[index];
        subtract(node->p, point, d);
        double r2 = dot(d, d), reach = accuracy * node->radius;
        if (r2 > reach * reach) {
            far += far_field(node, d, r2);
            continue;
        }
        if (n->count == 0) {
            stack[depth++] = n->first;
            stack[depth++] = index + 1;
            continue;
        }
        for (int i = n->first; i < n->first + n->count; i++) {
            wri_soup_corners(soup, soup->tree.items[i], corners);
            add_triangle(&near, point, (const double(*)[3])corners);
        }
    }
    const double pi = 3.14159265358979323846;
    return (far + 2.0 * wri_atan2_fine(near.y, near.x)) / (4.0 * pi) + near.turns;
}

typedef struct many {
    const wri_soup *soup;
    const double *points;
    double accuracy;
    float *out;
} many;

static void find_block(void *context, int block, int begin, int end)
{
    (void)block;
    many *m = context;
    for (int i = begin; i < end; i++) {
        m->out[i] = (float)wri_winding(m->soup, &m->points[3 * (size_t)i], m->accuracy);
    }
}

void wri_winding_many(const wri_soup *soup, const double *points, int count, double accuracy,
                      const wr_tasks *tasks, float *out)
{
    many m = {soup, points, accuracy, out};
    wri_parallel_for(tasks, count, GRAIN, find_block, &m);
}

// --- nearest points ---------------------------------------------------------------------------

static void along(const double a[3], const double u[3], double s, const double v[3], double t,
                  double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] + s * u[i] + t * v[i];
    }
}

void wri_triangle_nearest(const double p[3], const double corners[3][3], double out[3])
{
    const double *a = corners[0], *b = corners[1], *c = corners[2];
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    subtract(b, a, ab);
    subtract(c, a, ac);
    subtract(p, a, ap);
    subtract(p, b, bp);
    subtract(p, c, cp);
    double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp);
    double d5 = dot(ab, cp), d6 = dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0.0 && d2 <= 0.0) {
        along(a, ab, 0.0, ac, 0.0, out);
    } else if (d3 >= 0.0 && d4 <= d3) {
        along(b, ab, 0.0, ac, 0.0, out);
    } else if (d6 >= 0.0 && d5 <= d6) {
        along(c, ab, 0.0, ac, 0.0, out);
    } else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3) { // the last: not a point
        along(a, ab, d1 / (d1 - d3), ac, 0.0, out);
    } else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6) {
        along(a, ab, 0.0, ac, d2 / (d2 - d6), out);
    } else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 && (d4 - d3) + (d5 - d6) > 0.0) {
        double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        along(b, ab, -t, ac, t, out);
    } else {
        double sum = va + vb + vc;
        along(a, ab, sum > 0.0 ? vb / sum : 0.0, ac, sum > 0.0 ? vc / sum : 0.0, out);
    }
}

// Returns how far x is from an interval.
static inline double outside(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0.0;
}

double wri_box_distance2(wr_box box, const double p[3])
{
    double x = outside(box.min.x, box.max.x, p[0]);
    double y = outside(box.min.y, box.max.y, p[1]);
    double z = outside(box.min.z, box.max.z, p[2]);
    return x * x + y * y + z * z;
}

wri_soup_point wri_soup_nearest(const wri_soup *soup, const double point[3])
{
    return wri_soup_nearest_within(soup, point, INFINITY);
}

wri_soup_point wri_soup_nearest_within(const wri_soup *soup, const double point[3], double most)
{
    wri_soup_point best = {-1, {0}, most * most};
    int stack[DEPTH_MAX], depth = 0;
    double corners[3][3], found[3], d[3];
    if (soup->tree.node_count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        int index = stack[--depth];
        const wri_bvh_node *n = &soup->tree.nodes[index];
        if (wri_box_distance2(n->box, point) >= best.distance2) {
            continue;
        }
        if (n->count == 0) {
            double left = wri_box_distance2(soup->tree.nodes[index + 1].box, point);
            double right = wri_box_distance2(soup->tree.nodes[n->first].box, point);
            stack[depth++] = left <= right ? n->first : index + 1;
            stack[depth++] = left <= right ? index + 1 : n->first; // the nearer one first
            continue;
        }
        for (int i = n->first; i < n->first + n->count; i++) {
            wri_soup_corners(soup, soup->tree.items[i], corners);
            wri_triangle_nearest(point, (const double(*)[3])corners, found);
            subtract(found, point, d);
            if (dot(d, d) < best.distance2) {
                best = (wri_soup_point){
                    soup->tree.items[i], {found[0], found[1], found[2]}, dot(d, d)};
            }
        }
    }
    return best;
}

void wri_soup_weights(const wri_soup *soup, const wri_soup_point *point, float weights[3])
{
    const int *t = &soup->triangles[3 * (size_t)point->triangle];
    const double *p = point->point;
    wri_nearest_in_triangle(wr_v3((float)p[0], (float)p[1], (float)p[2]), soup->positions[t[0]],
                            soup->positions[t[1]], soup->positions[t[2]], weights);
}
