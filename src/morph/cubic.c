// cubic.c: polynomials of reduced St. Venant-Kirchhoff forces.
//
// The energy is a quartic polynomial, 1/2 |q_i e_i + 1/2 q_i q_j e_ij|^2 in the metric of gram.c.
// Its second derivative, the tangent stiffness, is kept:
//
//     K_kl(q) = e_k.e_l + (e_k.e_li + e_ki.e_l + e_kl.e_i) q_i
//               + (e_ki.e_lj + 1/2 e_kl.e_ij) q_i q_j
//
// from which forces follow by Euler's theorem on homogeneous functions, K_0 q + 1/2 K_1 q + 1/3 K_2
// q (spec, 7): S^ijk of the thesis, eq. 5.7, need not be kept beside its derivative. Appendix D's
// change of variables then is that of a quadratic polynomial; the sign of its dq is that of minus
// the target's offset, and its Q would want S to be symmetric.
#include "morph.h"

size_t wr_morph_cubic_size(int r)
{
    size_t pairs = (size_t)wri_pair_count(r);
    return pairs * (1 + (size_t)r + pairs);
}

// --- making -------------------------------------------------------------------------------------

typedef struct strains {
    int r;
    const double *gram;
} strains;

static double product(const strains *s, int a, int b)
{
    return s->gram[wri_pair(a, b)];
}

static int both(const strains *s, int i, int j) // which vector e_ij is
{
    return s->r + wri_pair(i, j);
}

static double quadratic_part(const strains *s, int k, int l, int i, int j)
{
    double crossed = product(s, both(s, k, i), both(s, l, j));
    double straight = product(s, both(s, k, l), both(s, i, j));
    return i == j ? crossed + 0.5 * straight
                  : crossed + product(s, both(s, k, j), both(s, l, i)) + straight;
}

void wri_cubic_from_gram(int r, const double *gram, double *cubic)
{
    const strains s = {r, gram};
    ptrdiff_t pairs = wri_pair_count(r);
    for (int k = 0; k < r; k++) {
        for (int l = 0; l <= k; l++) {
            double *out = cubic + wri_pair(k, l);
            *out = product(&s, k, l), out += pairs;
            for (int i = 0; i < r; i++, out += pairs) {
                *out = product(&s, k, both(&s, l, i)) + product(&s, both(&s, k, i), l) +
                       product(&s, both(&s, k, l), i);
            }
            for (int i = 0; i < r; i++) {
                for (int j = 0; j <= i; j++, out += pairs) {
                    *out = quadratic_part(&s, k, l, i, j);
                }
            }
        }
    }
}

// K(q - d): of the monomial 1 it gets -K_1(d) + K_2(d, d), of q_i -2 K_2(d, e_i).     appendix D
void wri_cubic_shift(int r, const double *d, double *cubic)
{
    ptrdiff_t pairs = wri_pair_count(r);
    double *K1 = cubic + pairs, *K2 = K1 + r * pairs;
    for (ptrdiff_t p = 0; p < pairs; p++) {
        for (int i = 0; i < r; i++) {
            cubic[p] -= K1[i * pairs + p] * d[i];
        }
    }
    for (int i = 0; i < r; i++) {
        for (int j = 0; j <= i; j++, K2 += pairs) {
            for (ptrdiff_t p = 0; p < pairs; p++) {
                cubic[p] += K2[p] * d[i] * d[j];
                K1[i * pairs + p] -= K2[p] * d[j];
                K1[j * pairs + p] -= K2[p] * d[i];
            }
        }
    }
}

// --- using --------------------------------------------------------------------------------------

static f4 load4(const float *x)
{
    f4 v;
    memcpy(&v, x, sizeof v);
    return v;
}

enum { LANE = 4, SHEAF = 8 * LANE }; // entries that stay in registers through all monomials

// sum_c factors[c] table[c][p] for SHEAF entries p on; eight sums side by side.
static void add_sheaf(const float *table, ptrdiff_t pairs, const float *factors, int count,
                      float out[SHEAF])
{
    f4 sum[8];
    memset(sum, 0, sizeof sum);
    for (int c = 0; c < count; c++, table += pairs) {
        f4 x = {factors[c], factors[c], factors[c], factors[c]};
        for (int k = 0; k < 8; k++) {
            sum[k] += x * load4(table + LANE * k);
        }
    }
    memcpy(out, sum, sizeof sum);
}

static void add_rest(const float *table, ptrdiff_t pairs, const float *factors, int count,
                     int width, float *out)
{
    for (int k = 0; k < width; k++) {
        float sum = 0.0f;
        for (int c = 0; c < count; c++) {
            sum += factors[c] * table[c * pairs + k];
        }
        out[k] = sum;
    }
}

static void combine(const float *table, int pairs, const float *factors, int count, float *out)
{
    int p = 0;
    for (; p + SHEAF <= pairs; p += SHEAF) {
        add_sheaf(table + p, pairs, factors, count, out + p);
    }
    add_rest(table + p, pairs, factors, count, pairs - p, out + p);
}

enum { MODES = WR_MORPH_MODES_MAX, PAIRS = MODES * (MODES + 1) / 2 };

typedef struct parts {
    float K1[PAIRS], K2[PAIRS];
} parts;

static void find_parts(int r, const float *cubic, const double *q, parts *out)
{
    float x[MODES], xx[PAIRS];
    int pairs = wri_pair_count(r), count = 0;
    for (int i = 0; i < r; i++) {
        x[i] = (float)q[i];
        for (int j = 0; j <= i; j++) {
            xx[count++] = x[i] * x[j];
        }
    }
    combine(cubic + pairs, pairs, x, r, out->K1);
    combine(cubic + (ptrdiff_t)(1 + r) * pairs, pairs, xx, pairs, out->K2);
}

void wri_cubic_evaluate(int r, const float *cubic, const double *q, double *force, double *tangent)
{
    parts k;
    find_parts(r, cubic, q, &k);
    memset(force, 0, (size_t)r * sizeof *force);
    for (int i = 0, p = 0; i < r; i++) {
        for (int j = 0; j <= i; j++, p++) {
            double K0 = (double)cubic[p], K1 = (double)k.K1[p], K2 = (double)k.K2[p];
            double secant = K0 + K1 / 2.0 + K2 / 3.0;
            tangent[p] = K0 + K1 + K2;
            force[i] += secant * q[j];
            force[j] += i == j ? 0.0 : secant * q[i];
        }
    }
}

double wri_cubic_energy(int r, const float *cubic, const double *q)
{
    parts k;
    double energy = 0.0;
    find_parts(r, cubic, q, &k);
    for (int i = 0, p = 0; i < r; i++) {
        for (int j = 0; j <= i; j++, p++) {
            double part = (double)cubic[p] / 2.0 + (double)k.K1[p] / 6.0 + (double)k.K2[p] / 12.0;
            energy += part * q[i] * q[j] * (i == j ? 1.0 : 2.0);
        }
    }
    return energy;
}

enum { CHUNK = 1024 }; // floats that stay near while all targets are added

void wri_cubic_blend(const float *tables, size_t size, int count, const double *shares, float *out)
{
    memset(out, 0, size * sizeof *out);
    for (size_t first = 0; first < size; first += CHUNK) {
        size_t end = first + CHUNK < size ? first + CHUNK : size;
        for (int i = 0; i < count; i++) {
            const float *table = tables + (size_t)i * size;
            float share = (float)shares[i];
            for (size_t k = first; share > 0.0f && k < end; k++) {
                out[k] += share * table[k];
            }
        }
    }
}
