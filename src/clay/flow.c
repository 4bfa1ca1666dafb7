// flow.c: what is pressed too hard forgets where it wanted its neighbours.
//
//     F = U F^ V^T,   F* = F^ / det(F^)^(1/3),   F_p = V (F*)^gamma V^T      thesis eq. 3.6
//     u_ij := F_p u_ij                                                        section 3.2.4
//
// V and F^ are the eigenvectors and values of S = R^T F. det F_p = 1: plastic flow keeps volumes.
// What no gradient sees is forgotten likewise: of x_ij - F u_ij the share gamma becomes rest, else
// the hourglass forces would remember the old shape.
#include "pack.h"

#include "../math/elementary.h"

static const double MOST = 0.1;      // plastic strain of one substep
static const float FLATTEST = 0.01f; // no flow where det F is below: it is nearly inside out

// --- eigenvectors, eight at a time ------------------------------------------------------------

// One rotation of Jacobi's method: S becomes J^T S J and V becomes V J with S[p][q] = 0.
static void rotate_pair(mat8 *S, mat8 *V, int p, int q)
{
    const f8 zero = f8_all(0.0f), one = f8_all(1.0f);
    f8 d = S->m[q][q] - S->m[p][p], off = S->m[p][q] + S->m[p][q];
    f8 size = f8_max(d, -d) + f8_sqrt(d * d + off * off);
    f8 t = f8_select(size > zero, off / f8_max(size, f8_all(1e-30f)), zero);
    t = f8_select(d < zero, -t, t);
    f8 c = one / f8_sqrt(one + t * t), s = t * c;
    for (int k = 0; k < 3; k++) { // columns
        f8 a = S->m[k][p], b = S->m[k][q], v = V->m[k][p], w = V->m[k][q];
        S->m[k][p] = c * a - s * b, S->m[k][q] = s * a + c * b;
        V->m[k][p] = c * v - s * w, V->m[k][q] = s * v + c * w;
    }
    for (int k = 0; k < 3; k++) { // rows
        f8 a = S->m[p][k], b = S->m[q][k];
        S->m[p][k] = c * a - s * b, S->m[q][k] = s * a + c * b;
    }
}

static void find_eigenvectors(mat8 *S, mat8 *V)
{
    enum { SWEEPS = 4 };
    for (int i = 0; i < 9; i++) {
        V->m[i / 3][i % 3] = f8_all(i % 4 == 0 ? 1.0f : 0.0f);
    }
    for (int i = 0; i < SWEEPS; i++) {
        rotate_pair(S, V, 0, 1);
        rotate_pair(S, V, 0, 2);
        rotate_pair(S, V, 1, 2);
    }
}

// --- plastic deformation ----------------------------------------------------------------------

// (F*)^gamma of one particle, eq. 3.6, with the strain of one substep limited. Returns that strain.
static float find_powers(const mat8 *S, int l, float gamma, float powers[3])
{
    double logs[3], mean = 0.0, size = 0.0;
    for (int k = 0; k < 3; k++) {
        logs[k] = wri_log((double)S->m[k][k][l]);
        mean += logs[k] / 3.0;
    }
    for (int k = 0; k < 3; k++) {
        logs[k] = (double)gamma * (logs[k] - mean);
        size += logs[k] * logs[k];
    }
    size = sqrt(size);
    double limit = size > MOST ? MOST / size : 1.0;
    for (int k = 0; k < 3; k++) {
        powers[k] = (float)wri_exp(limit * logs[k]);
    }
    return (float)(limit * size);
}

// F^-1 = S^-1 R^T = V diag(1/s) V^T R^T, with the columns of R V ready.
typedef struct plastic {
    float change[3][3]; // F_p
    float back[3][3];   // F_p F^-1
} plastic;

static void find_plastic(const wri_clay_pack *p, const mat8 *S, const mat8 *V, int l,
                         const float powers[3], plastic *out)
{
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; k++) {
        float turned[3]; // column k of U = R V
        for (int i = 0; i < 3; i++) {
            turned[i] = p->R.m[i][0][l] * V->m[0][k][l] + p->R.m[i][1][l] * V->m[1][k][l] +
                        p->R.m[i][2][l] * V->m[2][k][l];
        }
        for (int i = 0; i < 3; i++) {
            float v = powers[k] * V->m[i][k][l];
            for (int j = 0; j < 3; j++) {
                out->change[i][j] += v * V->m[j][k][l];
                out->back[i][j] += v / S->m[k][k][l] * turned[j];
            }
        }
    }
}

// u := F_p u, and of what F does not explain the share gamma: u := F_p ((1 - gamma) u + gamma F^-1
// x_ij).
static void change_rest(wri_clay *c, int i, const plastic *p)
{
    const int *neighbours = &c->neighbours[i * NEIGHBOURS];
    float gamma = c->gamma[i];
    for (int k = 0; k < NEIGHBOURS; k++) {
        f4 u = c->u[i * NEIGHBOURS + k], x = c->x[neighbours[k]] - c->x[i], out = {0};
        for (int row = 0; row < 3; row++) {
            const float *a = p->change[row], *b = p->back[row];
            out[row] = (1.0f - gamma) * (a[0] * u[0] + a[1] * u[1] + a[2] * u[2]) +
                       gamma * (b[0] * x[0] + b[1] * x[1] + b[2] * x[2]);
        }
        if (neighbours[k] != i) {
            c->u[i * NEIGHBOURS + k] = out;
        }
    }
    wri_clay_find_basis(c, i);
}

static void add_plastic(float total[9], const plastic *p)
{
    for (int column = 0; column < 3; column++) {
        float v[3] = {total[column], total[3 + column], total[6 + column]};
        for (int row = 0; row < 3; row++) {
            const float *a = p->change[row];
            total[3 * row + column] = a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
        }
    }
}

static bool any_flows(const wri_clay *c, int first)
{
    bool any = false;
    for (int i = first; i < first + LANES && i < c->count; i++) {
        any = any || c->gamma[i] > 0.0f;
    }
    return any;
}

static void flow_pack(wri_clay *c, int first)
{
    wri_clay_pack p;
    wri_clay_measure_pack(c, first, &p);
    mat8 S = p.S, V;
    find_eigenvectors(&S, &V);
    for (int l = 0; l < LANES && first + l < c->count; l++) {
        int i = first + l;
        float det = S.m[0][0][l] * S.m[1][1][l] * S.m[2][2][l], powers[3];
        float least = fminf(S.m[0][0][l], fminf(S.m[1][1][l], S.m[2][2][l]));
        if (!(c->gamma[i] > 0.0f && least > 0.0f && det > FLATTEST)) {
            c->gamma[i] = 0.0f;
            continue;
        }
        c->flowed[i] += find_powers(&S, l, c->gamma[i], powers);
        plastic change;
        find_plastic(&p, &S, &V, l, powers, &change);
        change_rest(c, i, &change);
        add_plastic(&c->plastic[i * 9], &change);
    }
}

static void flow_range(void *context, int block, int begin, int end)
{
    (void)block;
    wri_clay *c = context;
    for (int first = begin; first < end; first += LANES) {
        if (any_flows(c, first)) {
            flow_pack(c, first);
        }
    }
}

void wri_clay_flow(wri_clay *c, const wr_tasks *tasks)
{
    wri_parallel_for(tasks, c->count, GRAIN, flow_range, c);
}
