// basis.c: what follows from the rest vectors of a particle alone: weights and basis matrix.
//
//     w_ij = (1 - |u_ij|^2 / h_i^2)^3          thesis eq. 3.14, without its dimension
//     A_i  = sum_j w_ij u_ij u_ij^T            thesis eq. 3.2
//     c_i  = 3 xi mu / sum_j w_ij |u_ij|^2     stiffness of what no gradient sees
#include "clay.h"

// Bodies whose neighbours lie so nearly in a plane or on a line have no stress: det A over the cube
// of its mean eigenvalue.
static const float FLATTEST = 1e-3f;
// |sum w u| / (h sum w), from which on a particle counts as lying at the surface.
static const float ASIDE = 0.06f;

// --- basis ------------------------------------------------------------------------------------

// The inverse of a symmetric matrix (xx xy xz yy yz zz); false: it is nearly singular.
static bool invert(const double a[6], float out[6])
{
    double xx = a[3] * a[5] - a[4] * a[4], xy = a[2] * a[4] - a[1] * a[5];
    double xz = a[1] * a[4] - a[2] * a[3];
    double det = a[0] * xx + a[1] * xy + a[2] * xz, mean = (a[0] + a[3] + a[5]) / 3.0;
    if (!(det > (double)FLATTEST * mean * mean * mean)) {
        return false;
    }
    const double adjugate[6] = {xx,
                                xy,
                                xz,
                                a[0] * a[5] - a[2] * a[2],
                                a[1] * a[2] - a[0] * a[4],
                                a[0] * a[3] - a[1] * a[1]};
    const double inverse = 1.0 / det;
    for (int k = 0; k < 6; k++) {
        out[k] = (float)(adjugate[k] * inverse);
    }
    return true;
}

void wri_clay_find_basis(wri_clay *c, int i)
{
    const int *neighbours = &c->neighbours[i * NEIGHBOURS];
    const uint32_t parted = c->parted[i];
    f4 *u = &c->u[i * NEIGHBOURS], rows[3] = {{0}, {0}, {0}}, sum = {0};
    float inverse_square = 1.0f / (c->h[i] * c->h[i]);
    for (int k = 0; k < NEIGHBOURS; k++) {
        const f4 rest = u[k];
        bool counts = neighbours[k] != i && !(parted >> k & 1);
        float w = counts ? wri_clay_poly6(f4_dot(rest, rest) * inverse_square) : 0.0f;
        const f4 q = w * (f4){rest[0], rest[1], rest[2], 1.0f};
        u[k] = (f4){rest[0], rest[1], rest[2], w};
        sum += q;
        rows[0] += q[0] * rest;
        rows[1] += q[1] * rest;
        rows[2] += q[2] * rest;
    }
    const double a[6] = {rows[0][0], rows[0][1], rows[0][2], rows[1][1], rows[1][2], rows[2][2]};
    float trace = (float)(a[0] + a[3] + a[5]), inverse[6] = {0};
    float *basis = &c->basis[i / LANES * BASIS_ROWS * LANES + i % LANES];
    bool ok = invert(a, inverse);
    for (int k = 0; k < 6; k++) {
        basis[k * LANES] = inverse[k];
    }
    for (int k = 0; k < 3; k++) {
        basis[(6 + k) * LANES] = ok ? sum[k] : 0.0f;
    }
    basis[9 * LANES] = ok ? c->soften[i] * wri_clay_volume(c, i) / trace : 0.0f;
    bool aside = f4_dot(sum, sum) > ASIDE * ASIDE * c->h[i] * c->h[i] * sum[3] * sum[3];
    c->flags[i] = (uint8_t)((c->flags[i] & ~(WRI_CLAY_SURFACE | WRI_CLAY_DEGENERATE)) |
                            (aside || !ok ? WRI_CLAY_SURFACE : 0) | (ok ? 0 : WRI_CLAY_DEGENERATE));
}

static void basis_range(void *context, int block, int begin, int end)
{
    (void)block;
    for (int i = begin; i < end; i++) {
        wri_clay_find_basis(context, i);
    }
}

void wri_clay_find_all_bases(wri_clay *c, const wr_tasks *tasks)
{
    wri_parallel_for(tasks, c->count, GRAIN, basis_range, c);
}
