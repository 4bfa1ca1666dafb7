// frame.h: rigid frames, vectors and boxes in double precision, as the engine keeps them.
#pragma once

#include "../base/base.h"
#include "../math/double3.h"
#include "bullet_shim.h"
#include "wrought/math.h"

#define WRI_FRAME_IDENTITY ((wri_frame){{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}})

// For assertions. What is not a number passes: bodies that have it are found and frozen later.
static inline bool wri_is_unit(const double v[3])
{
    return !(fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1.0) > 1e-6);
}

static inline bool wri_is_rotation(const double basis[3][3])
{
    bool ok = wri_is_unit(basis[0]) && wri_is_unit(basis[1]) && wri_is_unit(basis[2]);
    for (int i = 0; i < 3; i++) {
        const double *a = basis[i], *b = basis[(i + 1) % 3];
        ok = ok && !(fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) > 1e-6);
    }
    return ok;
}

static inline void wri_frame_turn(const wri_frame *f, const double v[3], double out[3])
{
    double r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = f->basis[i][0] * v[0] + f->basis[i][1] * v[1] + f->basis[i][2] * v[2];
    }
    out[0] = r[0], out[1] = r[1], out[2] = r[2];
}

static inline void wri_frame_turn_back(const wri_frame *f, const double v[3], double out[3])
{
    double r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = f->basis[0][i] * v[0] + f->basis[1][i] * v[1] + f->basis[2][i] * v[2];
    }
    out[0] = r[0], out[1] = r[1], out[2] = r[2];
}

static inline void wri_frame_point(const wri_frame *f, const double p[3], double out[3])
{
    wri_frame_turn(f, p, out);
    for (int i = 0; i < 3; i++) {
        out[i] += f->position[i];
    }
}

// First b, then a.
static inline wri_frame wri_frame_multiply(const wri_frame *a, const wri_frame *b)
{
    wri_frame f;
    wri_frame_point(a, b->position, f.position);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            f.basis[i][j] = a->basis[i][0] * b->basis[0][j] + a->basis[i][1] * b->basis[1][j] +
                            a->basis[i][2] * b->basis[2][j];
        }
    }
    return f;
}

static inline wri_frame wri_frame_inverse(const wri_frame *f)
{
    wri_frame g;
    WR_ASSERT(wri_is_rotation(f->basis));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            g.basis[i][j] = f->basis[j][i];
        }
    }
    wri_frame_turn(&g, f->position, g.position);
    for (int i = 0; i < 3; i++) {
        g.position[i] = -g.position[i];
    }
    return g;
}

// q need not be unit length, but must not be zero.
static inline void wri_frame_set_rotation(wri_frame *f, const double q[4])
{
    double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = 2.0 / length2;
    double x = q[0], y = q[1], z = q[2], w = q[3];
    WR_ASSERT(!(length2 <= 0));
    double basis[3][3] = {{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                          {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                          {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
    for (int i = 0; i < 9; i++) {
        f->basis[i / 3][i % 3] = basis[i / 3][i % 3];
    }
}

// Unit quaternion x y z w with the largest component computed first, so that no root is of a
// negative number (Shepperd 1978).
static inline void wri_frame_rotation(const wri_frame *f, double q[4])
{
    const double(*m)[3] = f->basis;
    WR_ASSERT(wri_is_rotation(m));
    double trace = m[0][0] + m[1][1] + m[2][2];
    if (trace > 0) {
        double s = sqrt(trace + 1);
        q[3] = 0.5 * s;
        s = 0.5 / s;
        q[0] = (m[2][1] - m[1][2]) * s;
        q[1] = (m[0][2] - m[2][0]) * s;
        q[2] = (m[1][0] - m[0][1]) * s;
        return;
    }
    int i = m[1][1] > m[0][0] ? 1 : 0;
    i = m[2][2] > m[i][i] ? 2 : i;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double s = sqrt(m[i][i] - m[j][j] - m[k][k] + 1);
    q[i] = 0.5 * s;
    s = s > 0 ? 0.5 / s : 0;
    q[3] = (m[k][j] - m[j][k]) * s;
    q[j] = (m[j][i] + m[i][j]) * s;
    q[k] = (m[k][i] + m[i][k]) * s;
}

static inline bool wri_boxes_meet(const double a[2][3], const double b[2][3])
{
    return a[0][0] <= b[1][0] && b[0][0] <= a[1][0] && a[0][1] <= b[1][1] && b[0][1] <= a[1][1] &&
           a[0][2] <= b[1][2] && b[0][2] <= a[1][2];
}
