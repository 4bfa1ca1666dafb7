// rotation.c: the rotation nearest to a matrix, from a start near it.
//
// R maximises trace(R^T A). With S = R^T A and R exp([d]) for R, the trace grows by
// d . a - d^T M d / 2, with a the axial vector of S and M = trace(S) I - (S + S^T) / 2: a Newton
// step is d = M^-1 a. At a stationary point S is symmetric, and R is the nearest rotation exactly
// when M is positive definite (the two smallest of the signed singular values sum to more than 0).
// Where it is not, or nearly not, the full polar decomposition decides. Compare M. Mueller et al. A
// robust method to extract the rotational part of deformations. MIG 2016, which divides by the
// trace instead of M and converges linearly.
#include "decompose.h"

#include <stddef.h>

typedef struct quat4 {
    double x, y, z, w;
} quat4;

wr_quat wri_quat_from_rotation(const double r[3][3])
{
    // Four times the square of each component; the largest is at least 1.
    double n[4] = {1 + r[0][0] - r[1][1] - r[2][2], 1 - r[0][0] + r[1][1] - r[2][2],
                   1 - r[0][0] - r[1][1] + r[2][2], 1 + r[0][0] + r[1][1] + r[2][2]};
    int k = 3;
    for (int i = 0; i < 3; i++) {
        k = n[i] > n[k] ? i : k;
    }
    double s = 0.5 / sqrt(n[k]), q[4];
    double wx = r[2][1] - r[1][2], wy = r[0][2] - r[2][0], wz = r[1][0] - r[0][1];
    double xy = r[0][1] + r[1][0], xz = r[0][2] + r[2][0], yz = r[1][2] + r[2][1];
    const double rows[4][4] = {
        {n[0], xy, xz, wx}, {xy, n[1], yz, wy}, {xz, yz, n[2], wz}, {wx, wy, wz, n[3]}};
    for (int i = 0; i < 4; i++) {
        q[i] = s * rows[k][i];
    }
    double side = q[3] < 0.0 ? -1.0 : 1.0;
    wr_quat out = {(float)(side * q[0]), (float)(side * q[1]), (float)(side * q[2]),
                   (float)(side * q[3])};
    return out;
}

static quat4 unit(quat4 q)
{
    double s = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    quat4 n = {s * q.x, s * q.y, s * q.z, s * q.w};
    return n;
}

// Computes S = R(q)^T A.
static void turn_back(quat4 q, const float a[3][3], double s[3][3])
{
    double x = q.x, y = q.y, z = q.z, w = q.w;
    const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s[i][j] =
                r[0][i] * (double)a[0][j] + r[1][i] * (double)a[1][j] + r[2][i] * (double)a[2][j];
        }
    }
}

// Solves d = M^-1 a by Cramer's rule; false where M is not safely positive definite.
static bool newton_step(const double s[3][3], double d[3])
{
    const double a[3] = {s[2][1] - s[1][2], s[0][2] - s[2][0], s[1][0] - s[0][1]};
    double p = s[1][1] + s[2][2], q = s[0][0] + s[2][2], r = s[0][0] + s[1][1]; // M's diagonal
    double e = -0.5 * (s[0][1] + s[1][0]), f = -0.5 * (s[0][2] + s[2][0]),
           g = -0.5 * (s[1][2] + s[2][1]);
    double size = p + q + r; // 2 trace(S)
    double c00 = q * r - g * g, c01 = f * g - e * r, c02 = e * g - f * q;
    double determinant = p * c00 + e * c01 + f * c02;
    double c22 = p * q - e * e;
    const double margin = 1e-3; // part of the mean eigenvalue
    if (!(p > margin * size && c22 > margin * size * p && determinant > margin * size * c22)) {
        return false;
    }
    double c11 = p * r - f * f, c12 = e * f - p * g, scale = 1.0 / determinant;
    d[0] = scale * (c00 * a[0] + c01 * a[1] + c02 * a[2]);
    d[1] = scale * (c01 * a[0] + c11 * a[1] + c12 * a[2]);
    d[2] = scale * (c02 * a[0] + c12 * a[1] + c22 * a[2]);
    return true;
}

wr_quat wri_nearest_rotation(const float a[3][3], wr_quat start)
{
    quat4 q = {start.x, start.y, start.z, start.w};
    q = unit(q);
    for (int i = 0; i < 6; i++) {
        double s[3][3], d[3];
        turn_back(q, a, s);
        if (!newton_step(s, d)) {
            break;
        }
        double x = 0.5 * d[0], y = 0.5 * d[1], z = 0.5 * d[2]; // exp(d), to second order
        quat4 next = {q.x + q.w * x + q.y * z - q.z * y, q.y + q.w * y + q.z * x - q.x * z,
                      q.z + q.w * z + q.x * y - q.y * x, q.w - q.x * x - q.y * y - q.z * z};
        q = unit(next);
        // Quadratic: what is left is the square of this, up to the condition of M.
        if (x * x + y * y + z * z < 1e-10) {
            wr_quat out = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
            return out;
        }
    }
    double wide[3][3], r[3][3];
    for (int i = 0; i < 9; i++) {
        wide[i / 3][i % 3] = (double)a[i / 3][i % 3];
    }
    wri_polar3d(wide, r, NULL);
    wr_quat out = wri_quat_from_rotation(r);
    float side = wr_quat_dot(out, start) < 0.0f ? -1.0f : 1.0f;
    out.x *= side, out.y *= side, out.z *= side, out.w *= side;
    return out;
}
