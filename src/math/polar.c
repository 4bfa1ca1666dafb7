// polar.c: A = R T with R the nearest rotation and T symmetric.
//
// Most matrices need no singular values. With l = trace T, d = det A and n = |A|^2 the invariants
// of T are i1 = l, i2 = (l^2 - n) / 2, i3 = d, and l is the largest root of the quartic
//     l^4 - 2 n l^2 - 8 d l + n^2 - 4 |cof A|^2
// (the characteristic polynomial of Davenport's 4x4 matrix), found by Halley's method from above.
// Cayley-Hamilton for T, multiplied by R from the left and combined with cof A = R cof T, gives
//     R = ((i1^2 - i2) A + i1 cof A - A A^T A) / (i1 i2 - i3)
// without an inverse: right also for singular and mirroring A. The denominator is the product of
// the pair sums of the (signed) singular values; it vanishes exactly where R is not unique. Where
// it is small the singular value decomposition takes over. One Newton step on the rotation (see
// rotation.c) and one on its orthogonality remove the rounding of the formula.
#include "decompose.h"

#include <float.h>
#include <stddef.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double sum_of_squares(const double a[3][3])
{
    return dot(a[0], a[0]) + dot(a[1], a[1]) + dot(a[2], a[2]);
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double largest_root(double n, double d, double c)
{
    double l = 1.7320508075688774 * sqrt(n); // all singular values equal
    for (int i = 0; i < 12; i++) {
        double l2 = l * l;
        double f = (l2 - 2.0 * n) * l2 - 8.0 * d * l + c;
        double f1 = 4.0 * (l2 - n) * l - 8.0 * d, f2 = 6.0 * l2 - 2.0 * n;
        double below = f1 * f1 - f * f2;
        if (!(below > 0.0)) {
            break;
        }
        double step = f * f1 / below;
        l -= step;
        if (fabs(step) <= 1e-6 * l) { // cubic: the next one would be rounding
            break;
        }
    }
    return l;
}

// s = R^T A becomes nearly symmetric with R (I + [w]).
static void correct(const double s[3][3], double r[3][3])
{
    const double a[3] = {s[2][1] - s[1][2], s[0][2] - s[2][0], s[1][0] - s[0][1]};
    double p = s[1][1] + s[2][2], q = s[0][0] + s[2][2], t = s[0][0] + s[1][1];
    double e = -s[0][1], f = -s[0][2], g = -s[1][2];
    double c00 = q * t - g * g, c01 = f * g - e * t, c02 = e * g - f * q;
    double c11 = p * t - f * f, c12 = e * f - p * g, c22 = p * q - e * e;
    double scale = 1.0 / (p * c00 + e * c01 + f * c02);
    double x = scale * (c00 * a[0] + c01 * a[1] + c02 * a[2]);
    double y = scale * (c01 * a[0] + c11 * a[1] + c12 * a[2]);
    double z = scale * (c02 * a[0] + c12 * a[1] + c22 * a[2]);
    for (int i = 0; i < 3; i++) {
        double u = r[i][0], v = r[i][1], w = r[i][2];
        r[i][0] = u + v * z - w * y;
        r[i][1] = v + w * x - u * z;
        r[i][2] = w + u * y - v * x;
    }
}

// Sets r <- (3 I - r r^T) r / 2.
static void polish(double r[3][3])
{
    double g01 = -0.5 * dot(r[0], r[1]), g02 = -0.5 * dot(r[0], r[2]), g12 = -0.5 * dot(r[1], r[2]);
    double g00 = 1.5 - 0.5 * dot(r[0], r[0]), g11 = 1.5 - 0.5 * dot(r[1], r[1]),
           g22 = 1.5 - 0.5 * dot(r[2], r[2]);
    for (int j = 0; j < 3; j++) {
        double a = r[0][j], b = r[1][j], c = r[2][j];
        r[0][j] = g00 * a + g01 * b + g02 * c;
        r[1][j] = g01 * a + g11 * b + g12 * c;
        r[2][j] = g02 * a + g12 * b + g22 * c;
    }
}

// Computes r^T a.
static void turn_back(const double r[3][3], const double a[3][3], double s[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s[i][j] = r[0][i] * a[0][j] + r[1][i] * a[1][j] + r[2][i] * a[2][j];
        }
    }
}

// False where the singular values have to decide.
static bool polar_by_invariants(const double a[3][3], double r[3][3], double s[3][3])
{
    double n = sum_of_squares(a), k[3][3], b[3][3];
    if (!(n > 0x1p-200 && n < 0x1p200)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        cross(a[(i + 1) % 3], a[(i + 2) % 3], k[i]);
        for (int j = 0; j < 3; j++) {
            b[i][j] = dot(a[i], a[j]); // A A^T
        }
    }
    double d = dot(a[0], k[0]), l = largest_root(n, d, n * n - 4.0 * sum_of_squares(k));
    double i2 = 0.5 * (l * l - n), below = l * i2 - d;
    if (!(below > 1e-4 * n * l)) {
        return false;
    }
    double scale = 1.0 / below, first = l * l - i2;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double baj = b[i][0] * a[0][j] + b[i][1] * a[1][j] + b[i][2] * a[2][j];
            r[i][j] = scale * (first * a[i][j] + l * k[i][j] - baj);
        }
    }
    polish(r);
    turn_back(r, a, s);
    correct(s, r);
    polish(r);
    turn_back(r, a, s);
    return true;
}

static double saturate(double x)
{
    return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x;
}

static void polar_by_singular_values(const double a[3][3], double r[3][3], double t[3][3])
{
    double u[3][3], s[3], v[3][3];
    wri_svd3d(a, u, s, v);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[i][j] = dot(u[i], v[j]);
            t[i][j] = saturate(s[0] * (v[i][0] * v[j][0]) + s[1] * (v[i][1] * v[j][1]) +
                               s[2] * (v[i][2] * v[j][2]));
        }
    }
}

void wri_polar3d(const double a[3][3], double r[3][3], double t[3][3])
{
    double cr[3][3], ct[3][3];
    if (!polar_by_invariants(a, cr, ct)) {
        polar_by_singular_values(a, cr, ct);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (r) {
                r[i][j] = cr[i][j];
            }
            if (t) {
                t[i][j] = 0.5 * ct[i][j] + 0.5 * ct[j][i];
            }
        }
    }
}

static float to_float(double x)
{
    double most = (double)FLT_MAX;
    return x > most ? FLT_MAX : x < -most ? -FLT_MAX : (float)x;
}

void wri_polar3f(const float a[3][3], float r[3][3], float t[3][3])
{
    double da[3][3], dr[3][3], dt[3][3];
    for (int i = 0; i < 9; i++) {
        da[i / 3][i % 3] = (double)a[i / 3][i % 3];
    }
    wri_polar3d(da, dr, dt);
    for (int i = 0; i < 9; i++) {
        if (r) {
            r[i / 3][i % 3] = (float)dr[i / 3][i % 3];
        }
        if (t) {
            t[i / 3][i % 3] = to_float(dt[i / 3][i % 3]);
        }
    }
}
