// decompose.c: one-sided and two-sided Jacobi for 3x3 matrices, and Newton for rotations.
//
// The singular values by Hestenes' one-sided Jacobi: rotations V make the columns of B = A V
// orthogonal. Then V is made orthogonal to the last digit by one Newton step, B is computed afresh,
// and U follows from B by Gram-Schmidt with a cross product for its last column, which gives both
// determinants +1 and the sign of the last value. Based on: J. Demmel, K. Veselic. Jacobi's method
// is more accurate than QR. SIAM J. Matrix Anal. 13, 1992; G. Irving, J. Teran, R. Fedkiw.
// Invertible finite elements. SCA 2004 (signs). Before all this A is scaled by a power of two,
// which is exact, so that no square overflows and none that matters underflows.
//
// Inside this file matrices are stored column by column, m[column][row], written `columns`.
#include "decompose.h"

#include <float.h>
#include <stddef.h>

enum { SWEEPS = 16 }; // 4 is usual, 7 the most seen

typedef double columns[3][3];

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void set_identity(columns m)
{
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = i % 4 == 0 ? 1.0 : 0.0;
    }
}

// --- scale ------------------------------------------------------------------------------------

// Brings the largest entry near 1 when squares could leave the range of double, and tells the
// exponent to put back.
static int scale_down(columns m)
{
    double largest = 0.0;
    for (int i = 0; i < 9; i++) {
        largest = fmax(largest, fabs(m[i / 3][i % 3]));
    }
    if (largest == 0.0 || (largest > 0x1p-200 && largest < 0x1p200)) {
        return 0;
    }
    int exponent;
    frexp(largest, &exponent);
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = ldexp(m[i / 3][i % 3], -exponent);
    }
    return exponent;
}

static double saturate(double x)
{
    return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x;
}

static double scale_up(double x, int exponent)
{
    return exponent ? saturate(ldexp(x, exponent)) : x;
}

static float to_float(double x)
{
    double most = (double)FLT_MAX;
    return x > most ? FLT_MAX : x < -most ? -FLT_MAX : (float)x;
}

// --- Jacobi -----------------------------------------------------------------------------------

static void rotate_pair(double a[3], double b[3], double c, double s)
{
    for (int i = 0; i < 3; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x + s * y;
        b[i] = c * y - s * x;
    }
}

// The rotation by at most 45 degrees that makes the symmetric matrix [p g; g q] diagonal, with
// x = (p - q) / 2: tan 2t = g / x, so (|x| + h, g) with h = |(x, g)| points along t.
static void find_rotation(double x, double g, double *c, double *s)
{
    double along = fabs(x) + sqrt(x * x + g * g);
    double scale = 1.0 / sqrt(along * along + g * g);
    *c = along * scale;
    *s = x < 0.0 ? -g * scale : g * scale;
}

// False when the two columns were orthogonal already, or one is nothing beside the other.
static bool make_orthogonal(columns b, columns v, int i, int j)
{
    double p = dot(b[i], b[i]), q = dot(b[j], b[j]), g = dot(b[i], b[j]);
    double small = DBL_EPSILON * DBL_EPSILON;
    if (g * g <= 4.0 * small * p * q || fmin(p, q) <= 0.0625 * small * fmax(p, q)) {
        return false;
    }
    double c, s;
    find_rotation(0.5 * (p - q), g, &c, &s);
    rotate_pair(b[i], b[j], c, s);
    rotate_pair(v[i], v[j], c, s);
    return true;
}

static void swap_columns(columns m, int i, int j, double sign)
{
    for (int r = 0; r < 3; r++) {
        double x = m[i][r];
        m[i][r] = m[j][r];
        m[j][r] = sign * x;
    }
}

// Sets v <- v (3 I - v^T v) / 2: errors of 1e-15 in its orthogonality become 1e-30.
static void polish(columns v)
{
    columns w;
    double g[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            g[i][j] = (i == j ? 1.5 : 0.0) - 0.5 * dot(v[i], v[j]);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int r = 0; r < 3; r++) {
            w[i][r] = v[0][r] * g[0][i] + v[1][r] * g[1][i] + v[2][r] * g[2][i];
        }
    }
    for (int i = 0; i < 9; i++) {
        v[i / 3][i % 3] = w[i / 3][i % 3];
    }
}

// Finds v and b = a v with orthogonal columns, the longest first.
static void jacobi_one_sided(const columns a, columns v, columns b)
{
    set_identity(v);
    for (int i = 0; i < 9; i++) {
        b[i / 3][i % 3] = a[i / 3][i % 3];
    }
    bool changed = true;
    for (int sweep = 0; changed && sweep < SWEEPS; sweep++) {
        changed = make_orthogonal(b, v, 0, 1);
        changed |= make_orthogonal(b, v, 0, 2);
        changed |= make_orthogonal(b, v, 1, 2);
    }
    polish(v);
    double n[3] = {dot(b[0], b[0]), dot(b[1], b[1]), dot(b[2], b[2])};
    for (int k = 0; k < 3; k++) { // pairs 01, 12, 01
        int i = k % 2;
        if (n[i] < n[i + 1]) {
            double m = n[i];
            n[i] = n[i + 1], n[i + 1] = m;
            swap_columns(v, i, i + 1, -1.0); // the sign keeps the determinant
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int r = 0; r < 3; r++) {
            b[i][r] = a[0][r] * v[i][0] + a[1][r] * v[i][1] + a[2][r] * v[i][2];
        }
    }
}

// --- singular values --------------------------------------------------------------------------

static void find_perpendicular(const double u[3], double out[3])
{
    int least = fabs(u[0]) < fabs(u[1]) ? 0 : 1;
    least = fabs(u[2]) < fabs(u[least]) ? 2 : least;
    double axis[3] = {0.0, 0.0, 0.0};
    axis[least] = 1.0;
    cross(u, axis, out);
}

// Takes the part along the unit vector u out of b. False when so little is left that its direction
// is rounding.
static bool take_out(const double u[3], const double b[3], double out[3])
{
    double before = dot(b, b), along = dot(u, b);
    for (int r = 0; r < 3; r++) {
        out[r] = b[r] - along * u[r];
    }
    return dot(out, out) > 0.25 * before && before > 1e-280;
}

static void normalize(double v[3])
{
    double s = 1.0 / sqrt(dot(v, v));
    v[0] *= s, v[1] *= s, v[2] *= s;
}

// The second column of U: what of b is perpendicular to u0, or anything perpendicular to u0 when
// b is too small to say. Columns of B that matter are orthogonal, so once is enough for them.
static void find_second(const double u0[3], const double b[3], double u1[3])
{
    double w[3];
    if (!take_out(u0, b, u1)) {
        w[0] = u1[0], w[1] = u1[1], w[2] = u1[2];
        if (!take_out(u0, w, u1)) {
            find_perpendicular(u0, u1);
        }
    }
    normalize(u1);
    if (dot(u1, b) < 0.0) {
        u1[0] = -u1[0], u1[1] = -u1[1], u1[2] = -u1[2];
    }
}

// Rounding can leave neighbours out of order by an eps.
static void order_pair(columns u, double s[3], columns v, int i)
{
    if (s[i] < fabs(s[i + 1])) {
        double x = s[i], sign = s[i + 1] < 0.0 ? -1.0 : 1.0;
        s[i] = sign * s[i + 1];
        s[i + 1] = sign * x;
        // Both are turned by a quarter; where the moved value was negative, u by a half more.
        swap_columns(v, i, i + 1, -1.0);
        swap_columns(u, i, i + 1, -1.0);
        for (int r = 0; r < 3; r++) {
            u[i][r] *= sign;
            u[i + 1][r] *= sign;
        }
    }
}

static void decompose(const columns a, columns u, double s[3], columns v)
{
    columns b;
    jacobi_one_sided(a, v, b);
    double n0 = dot(b[0], b[0]);
    if (!(n0 > 0.0)) {
        set_identity(u);
        s[0] = s[1] = s[2] = 0.0;
        return;
    }
    s[0] = sqrt(n0);
    for (int r = 0; r < 3; r++) {
        u[0][r] = b[0][r] / s[0];
    }
    find_second(u[0], b[1], u[1]);
    cross(u[0], u[1], u[2]);
    s[1] = dot(u[1], b[1]);
    s[2] = dot(u[2], b[2]);
    order_pair(u, s, v, 1);
    order_pair(u, s, v, 0);
    order_pair(u, s, v, 1);
}

static int load(const double a[3][3], columns m)
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            m[c][r] = a[r][c];
        }
    }
    return scale_down(m);
}

static void store(const columns m, double out[3][3])
{
    for (int r = 0; out && r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[r][c] = m[c][r];
        }
    }
}

void wri_svd3d(const double a[3][3], double u[3][3], double s[3], double v[3][3])
{
    columns m, cu, cv;
    double cs[3];
    int exponent = load(a, m);
    decompose(m, cu, cs, cv);
    store(cu, u);
    store(cv, v);
    for (int i = 0; s && i < 3; i++) {
        s[i] = scale_up(cs[i], exponent);
    }
}

// --- eigenvectors -----------------------------------------------------------------------------

// Makes m[i][j] zero; k is the third index.
static bool make_diagonal(columns m, columns q, int i, int j, int k)
{
    double g = m[i][j], p = m[i][i], r = m[j][j];
    // Twice the sum of what is off the diagonal stays below eps times the norm.
    double small = 0.0625 * DBL_EPSILON *
                   (fabs(m[0][0]) + fabs(m[1][1]) + fabs(m[2][2]) + fabs(m[i][k]) + fabs(m[j][k]));
    if (fabs(g) <= small) {
        return false;
    }
    double c, s;
    find_rotation(0.5 * (p - r), g, &c, &s);
    double a = m[i][k], b = m[j][k];
    m[i][i] = c * c * p + 2.0 * c * s * g + s * s * r;
    m[j][j] = s * s * p - 2.0 * c * s * g + c * c * r;
    m[i][j] = m[j][i] = 0.0;
    m[i][k] = m[k][i] = c * a + s * b;
    m[j][k] = m[k][j] = c * b - s * a;
    rotate_pair(q[i], q[j], c, s);
    return true;
}

// Returns x^T a y.
static double quadratic(const columns a, const double x[3], const double y[3])
{
    return x[0] * dot(a[0], y) + x[1] * dot(a[1], y) + x[2] * dot(a[2], y);
}

static void decompose_symmetric(const columns a, double l[3], columns q)
{
    columns m;
    set_identity(q);
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = a[i / 3][i % 3];
    }
    bool changed = true;
    for (int sweep = 0; changed && sweep < SWEEPS; sweep++) {
        changed = make_diagonal(m, q, 0, 1, 2);
        changed |= make_diagonal(m, q, 0, 2, 1);
        changed |= make_diagonal(m, q, 1, 2, 0);
    }
    polish(q);
    for (int i = 0; i < 3; i++) {
        l[i] = quadratic(a, q[i], q[i]);
    }
    for (int k = 0; k < 3; k++) {
        int i = k % 2;
        if (l[i] < l[i + 1]) {
            double x = l[i];
            l[i] = l[i + 1], l[i + 1] = x;
            swap_columns(q, i, i + 1, -1.0);
        }
    }
}

void wri_eigen3d(const double a[3][3], double l[3], double q[3][3])
{
    double upper[3][3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            upper[r][c] = r <= c ? a[r][c] : a[c][r];
        }
    }
    columns m, cq;
    double cl[3];
    int exponent = load(upper, m);
    decompose_symmetric(m, cl, cq);
    store(cq, q);
    for (int i = 0; l && i < 3; i++) {
        l[i] = scale_up(cl[i], exponent);
    }
}

// --- float ------------------------------------------------------------------------------------

static void widen(const float a[3][3], double out[3][3])
{
    for (int i = 0; i < 9; i++) {
        out[i / 3][i % 3] = (double)a[i / 3][i % 3];
    }
}

static void narrow(const double a[3][3], float out[3][3])
{
    for (int i = 0; out && i < 9; i++) {
        out[i / 3][i % 3] = to_float(a[i / 3][i % 3]);
    }
}

static void narrow3(const double a[3], float out[3])
{
    for (int i = 0; out && i < 3; i++) {
        out[i] = to_float(a[i]);
    }
}

void wri_svd3f(const float a[3][3], float u[3][3], float s[3], float v[3][3])
{
    double da[3][3], du[3][3], ds[3], dv[3][3];
    widen(a, da);
    wri_svd3d(da, du, ds, dv);
    narrow(du, u);
    narrow3(ds, s);
    narrow(dv, v);
}

void wri_eigen3f(const float a[3][3], float l[3], float q[3][3])
{
    double da[3][3], dl[3], dq[3][3];
    widen(a, da);
    wri_eigen3d(da, dl, dq);
    narrow3(dl, l);
    narrow(dq, q);
}
