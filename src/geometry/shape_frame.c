// shape_frame.c: axes that belong to a shape.
//
// Principal axes of inertia would tilt with every handle on a box. What an artist calls the axes of
// a thing are the directions that its sides face: those a, b, c that maximise
//
//     f = sum A ((n.a)^4 + (n.b)^4 + (n.c)^4) / sum A    over triangles with normal n and area A,
//
// 1 for boxes, 3/5 for balls. f needs only the tensor T = sum A n n n n. In the plane of two axes
// it is f0 + C cos 4t + S sin 4t in the angle t of a turn, so that the best turn is known in closed
// form; sweeps over the three planes converge (the "quartimax" rotation of statistics: J. Neuhaus
// and C. Wrigley, 1954). Several starts find the largest of the maxima.
//
// f does not tell the order and signs of the axes: the order is that of the shape's extents, and
// along every axis the third moment of the surface is positive. Where one vanishes by symmetry,
// either sign will do, unless the shape is handed: then x y z tells.
#include "shape_frame.h"

#include "../math/elementary.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 100, STEPS = 3 };

#define LEAST_GAIN 1e-5 // in f: less does not tell a direction from the coordinate axes
#define LEAST_TURN 1e-3 // radians, likewise
#define SAME 1e-3       // part of the size: extents that are equal
#define NONE 1e-5       // third moment, relative, that vanishes

static const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

typedef struct moments {
    double T[3][3][3][3];
    double area, center[3];
} moments;

static void read_corners(const wr_vec3 *positions, const int *triangle, double p[3][3])
{
    for (int k = 0; k < 3; k++) {
        wr_vec3 q = positions[triangle[k]];
        p[k][0] = q.x, p[k][1] = q.y, p[k][2] = q.z;
    }
}

// Twice the area times the normal; returns its length.
static double find_normal(const double p[3][3], double n[3])
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = p[1][k] - p[0][k], v[k] = p[2][k] - p[0][k];
    }
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static void add_triangle(moments *m, const double p[3][3])
{
    double n[3], area = find_normal(p, n);
    if (!(area > 0.0)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        n[k] /= area;
    }
    for (int i = 0; i < 81; i++) {
        m->T[i / 27][i / 9 % 3][i / 3 % 3][i % 3] +=
            area * n[i / 27] * n[i / 9 % 3] * n[i / 3 % 3] * n[i % 3];
    }
    for (int k = 0; k < 3; k++) {
        m->center[k] += area * (p[0][k] + p[1][k] + p[2][k]) / 3.0;
    }
    m->area += area;
}

static double contract(const moments *m, const double a[3], const double b[3], const double c[3],
                       const double d[3])
{
    double sum = 0.0;
    for (int i = 0; i < 81; i++) {
        sum += m->T[i / 27][i / 9 % 3][i / 3 % 3][i % 3] * a[i / 27] * b[i / 9 % 3] * c[i / 3 % 3] *
               d[i % 3];
    }
    return sum / m->area;
}

static double find_f(const moments *m, const double axes[3][3])
{
    double f = 0.0;
    for (int k = 0; k < 3; k++) {
        f += contract(m, axes[k], axes[k], axes[k], axes[k]);
    }
    return f;
}

// --- directions of the sides ------------------------------------------------------------------

static void turn(double a[3], double b[3], double angle)
{
    double s, c;
    wri_sin_cos_fine(angle, &s, &c);
    for (int k = 0; k < 3; k++) {
        double x = c * a[k] + s * b[k];
        b[k] = c * b[k] - s * a[k];
        a[k] = x;
    }
}

// The turn of a to b that makes f largest.
static double best_turn(const moments *m, const double a[3], const double b[3])
{
    double c = contract(m, a, a, a, a) - 6.0 * contract(m, a, a, b, b) + contract(m, b, b, b, b);
    double s = 4.0 * (contract(m, a, a, a, b) - contract(m, a, b, b, b));
    return c * c + s * s > 1e-24 ? 0.25 * wri_atan2_fine(s, c) : 0.0;
}

static void climb(const moments *m, double axes[3][3])
{
    double most = 1.0;
    for (int i = 0; i < SWEEPS && most > 1e-10; i++) {
        most = 0.0;
        for (int k = 0; k < 3; k++) {
            double angle = best_turn(m, axes[k], axes[(k + 1) % 3]);
            turn(axes[k], axes[(k + 1) % 3], angle);
            most = fmax(most, fabs(angle));
        }
    }
}

// Returns how far the axes are from the coordinate axes, whatever their order and signs; radians.
static double find_tilt(const double axes[3][3])
{
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        double along = fmax(fabs(axes[i][0]), fmax(fabs(axes[i][1]), fabs(axes[i][2])));
        largest = fmax(largest, 1.0 - along * along);
    }
    return sqrt(largest);
}

// Finds the axes with the largest f. A quarter turn about each axis is no turn at all: starts lie
// within one.
static void find_sides(const moments *m, double axes[3][3])
{
    const double step = 1.5707963267948966 / STEPS;
    double best = 0.0, tried[3][3];
    for (int i = 0; i < STEPS * STEPS * STEPS; i++) {
        memcpy(tried, identity, sizeof tried);
        turn(tried[0], tried[1], step * (i % STEPS));
        turn(tried[1], tried[2], step * (i / STEPS % STEPS));
        turn(tried[2], tried[0], step * (i / (STEPS * STEPS)));
        climb(m, tried);
        double f = find_f(m, (const double(*)[3])tried);
        if (f > best + 1e-9) {
            best = f;
            memcpy(axes, tried, sizeof tried);
        }
    }
    if (best < find_f(m, identity) + LEAST_GAIN ||
        find_tilt((const double(*)[3])axes) < LEAST_TURN) {
        memcpy(axes, identity, sizeof identity);
    }
}

// --- order and signs --------------------------------------------------------------------------

typedef struct outline {
    double low[3], high[3]; // along the axes
    double third[3][3];     // [i][k]: sum A x_i^2 x_k
    double handed;          // sum A x y z
} outline;

static void measure_triangle(const moments *m, const double axes[3][3], const double p[3][3],
                             outline *o)
{
    double n[3], area = find_normal(p, n), x[3], middle[3] = {0};
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            x[k] = axes[k][0] * p[c][0] + axes[k][1] * p[c][1] + axes[k][2] * p[c][2];
            o->low[k] = fmin(o->low[k], x[k]);
            o->high[k] = fmax(o->high[k], x[k]);
        }
        for (int k = 0; k < 3; k++) {
            middle[k] += (x[k] - axes[k][0] * m->center[0] - axes[k][1] * m->center[1] -
                          axes[k][2] * m->center[2]) /
                         3.0;
        }
    }
    for (int i = 0; i < 9; i++) {
        o->third[i / 3][i % 3] += area * middle[i / 3] * middle[i / 3] * middle[i % 3];
    }
    o->handed += area * middle[0] * middle[1] * middle[2];
}

static void swap_axes(double axes[3][3], outline *o, int a, int b)
{
    outline old = *o;
    for (int k = 0; k < 3; k++) {
        double kept = axes[a][k];
        axes[a][k] = axes[b][k];
        axes[b][k] = kept;
    }
    for (int i = 0; i < 9; i++) {
        int row = i / 3 == a ? b : i / 3 == b ? a : i / 3;
        int column = i % 3 == a ? b : i % 3 == b ? a : i % 3;
        o->third[i / 3][i % 3] = old.third[row][column];
    }
    o->low[a] = old.low[b], o->high[a] = old.high[b];
    o->low[b] = old.low[a], o->high[b] = old.high[a];
}

// Longest first; equal ones stay.
static void sort_axes(double axes[3][3], outline *o)
{
    for (int i = 0; i < 3; i++) {
        int a = i % 2; // 0-1, 1-2, 0-1
        double first = o->high[a] - o->low[a], second = o->high[a + 1] - o->low[a + 1];
        if (second > first * (1.0 + SAME)) {
            swap_axes(axes, o, a, a + 1);
        }
    }
}

static void choose_signs(double axes[3][3], const outline *o, double unit)
{
    double signs[3] = {0}, handed = o->handed;
    int open = -1;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3 && signs[k] == 0.0; i++) {
            double moment = o->third[(k + i) % 3][k];
            signs[k] = fabs(moment) > NONE * unit ? copysign(1.0, moment) : 0.0;
        }
        open = signs[k] == 0.0 ? k : open;
        signs[k] = signs[k] == 0.0 ? 1.0 : signs[k];
        handed *= signs[k];
    }
    if (open >= 0 && fabs(handed) > NONE * unit) {
        signs[open] = copysign(1.0, handed);
    }
    for (int i = 0; i < 9; i++) {
        axes[i / 3][i % 3] *= signs[i / 3];
    }
}

void wri_shape_frame(const wr_vec3 *positions, const int *triangles, int triangle_count,
                     double axes[3][3])
{
    moments m = {0};
    double p[3][3];
    memcpy(axes, identity, sizeof identity);
    for (int i = 0; i < triangle_count; i++) {
        read_corners(positions, &triangles[3 * (size_t)i], p);
        add_triangle(&m, (const double(*)[3])p);
    }
    if (!(m.area > 0.0) || !isfinite(m.area)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        m.center[k] /= m.area;
    }
    find_sides(&m, axes);
    outline o = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < triangle_count; i++) {
        read_corners(positions, &triangles[3 * (size_t)i], p);
        measure_triangle(&m, (const double(*)[3])axes, (const double(*)[3])p, &o);
    }
    sort_axes(axes, &o);
    double size = o.high[0] - o.low[0];
    choose_signs(axes, &o, m.area * size * size * size);
}
