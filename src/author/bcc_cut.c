// bcc_cut.c: which tetrahedra of a body-centred cubic lattice a triangle crosses.
//
// The triangle's box is cut in halves down to single cubes; the tetrahedra of a cube are then
// tested one by one with separating axes. Everything is in lattice coordinates.
#include "bcc_key.h"

typedef double corners3[3][3];

// fmin and fmax are calls, and there are many.
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

typedef struct cutter {
    corners3 t; // lattice coordinates
    double normal[3];
    double low[3], high[3];
    double touch;
    wri_array *keys;
    bool is_short_of_memory;
} cutter;

// True when the projections onto an axis overlap by less than `touch` times its length.
static bool separates(const double axis[3], const corners3 t, const double v[4][3], double touch)
{
    double low_t = INFINITY, high_t = -INFINITY, low_v = INFINITY, high_v = -INFINITY;
    double length2 = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    if (length2 < 1e-18) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        double d = axis[0] * v[i][0] + axis[1] * v[i][1] + axis[2] * v[i][2];
        low_v = least(low_v, d), high_v = most(high_v, d);
        if (i < 3) {
            d = axis[0] * t[i][0] + axis[1] * t[i][1] + axis[2] * t[i][2];
            low_t = least(low_t, d), high_t = most(high_t, d);
        }
    }
    double slack = touch * sqrt(length2);
    return low_t > high_v - slack || low_v > high_t - slack;
}

static void cross_edges(const double *a, const double *b, const double *c, const double *d,
                        double out[3])
{
    double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double v[3] = {d[0] - c[0], d[1] - c[1], d[2] - c[2]};
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

// The bounds of the triangle and of the tetrahedron, which most pairs fail.
static bool boxes_part(const double v[4][3], const double low[3], const double high[3])
{
    for (int i = 0; i < 3; i++) {
        double a = least(least(v[0][i], v[1][i]), least(v[2][i], v[3][i]));
        double b = most(most(v[0][i], v[1][i]), most(v[2][i], v[3][i]));
        if (low[i] > b || high[i] < a) {
            return true;
        }
    }
    return false;
}

// Tries the separating axes of a triangle (also one that is a segment or a point) and a
// tetrahedron.
static bool crosses(const cutter *c, uint64_t key)
{
    const double(*t)[3] = c->t;
    static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    static const int edges[6][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};
    int corners[4][3];
    double v[4][3], axis[3];
    wri_bcc_tetrahedron_corners(key, corners);
    for (int i = 0; i < 12; i++) {
        v[i / 3][i % 3] = corners[i / 3][i % 3];
    }
    double touch = c->touch;
    if (boxes_part((const double(*)[3])v, c->low, c->high) ||
        separates(c->normal, t, (const double(*)[3])v, touch)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        const int *f = faces[i];
        cross_edges(v[f[0]], v[f[1]], v[f[0]], v[f[2]], axis);
        if (separates(axis, t, (const double(*)[3])v, touch)) {
            return false;
        }
    }
    for (int i = 0; i < 18; i++) {
        const int *e = edges[i / 3];
        cross_edges(t[i % 3], t[(i + 1) % 3], v[e[0]], v[e[1]], axis);
        if (separates(axis, t, (const double(*)[3])v, touch)) {
            return false;
        }
    }
    return true;
}

// True when the triangle may come near the cubes low to high; the tetrahedra of cube c reach from 2
// c to 2 c + 3.
static bool is_near(const cutter *c, const int low[3], const int high[3])
{
    double distance = 0.0, reach = 0.0;
    for (int i = 0; i < 3; i++) {
        double a = 2.0 * low[i], b = 2.0 * high[i] + 3.0;
        if (c->high[i] < a || c->low[i] > b) {
            return false;
        }
        distance += c->normal[i] * (0.5 * (a + b) - c->t[0][i]);
        reach += fabs(c->normal[i]) * 0.5 * (b - a);
    }
    return fabs(distance) <= reach * (1.0 + 1e-9) + 1e-30;
}

static void test_cube(cutter *c, const int cube[3])
{
    const int middle[3] = {2 * cube[0] + 1, 2 * cube[1] + 1, 2 * cube[2] + 1};
    for (int i = 0; i < 12; i++) {
        uint64_t key = wri_bcc_tetrahedron_key(middle, i / 4, i % 4);
        if (crosses(c, key)) {
            uint64_t *k = wri_array_add(c->keys, 1);
            if (!k) {
                c->is_short_of_memory = true;
                return;
            }
            *k = key;
        }
    }
}

static void cut(cutter *c, const int low[3], const int high[3])
{
    if (c->is_short_of_memory || !is_near(c, low, high)) {
        return;
    }
    int axis = 0;
    for (int i = 1; i < 3; i++) {
        axis = high[i] - low[i] > high[axis] - low[axis] ? i : axis;
    }
    if (high[axis] == low[axis]) {
        test_cube(c, low);
        return;
    }
    int middle[3];
    memcpy(middle, high, sizeof middle);
    middle[axis] = (low[axis] + high[axis]) / 2;
    cut(c, low, middle);
    memcpy(middle, low, sizeof middle);
    middle[axis] = (low[axis] + high[axis]) / 2 + 1;
    cut(c, middle, high);
}

// A triangle that lies in a plane of the lattice crosses nothing: then what it touches counts.
bool wri_bcc_cut_triangle(const wri_bcc_grid *grid, const double corners[3][3], wri_array *keys)
{
    cutter c = {.touch = 1e-7, .keys = keys};
    int low[3], high[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            c.t[k][i] = (corners[k][i] - grid->origin[i]) / grid->unit;
        }
        c.low[i] = least(c.t[0][i], least(c.t[1][i], c.t[2][i]));
        c.high[i] = most(c.t[0][i], most(c.t[1][i], c.t[2][i]));
        low[i] = (int)ceil(0.5 * (c.low[i] - 3.0) - 1e-6);
        high[i] = (int)floor(0.5 * c.high[i] + 1e-6);
    }
    cross_edges(c.t[0], c.t[1], c.t[0], c.t[2], c.normal);
    int before = keys->count;
    cut(&c, low, high);
    if (keys->count == before) {
        c.touch = -1e-7;
        cut(&c, low, high);
    }
    return !c.is_short_of_memory;
}
