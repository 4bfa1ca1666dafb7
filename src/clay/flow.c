// flow.c: what is pressed too hard forgets where it wanted its neighbours.
//
//     F = U F^ V^T,   F* = F^ / det(F^)^(1/3),   F_p = V (F*)^gamma V^T      thesis eq. 3.6
//     u_ij := F_p u_ij                                                        section 3.2.4
//
// V and F^ are the eigenvectors and values of S = R^T F. det F_p = 1: plastic flow keeps volumes.
// What no gradient sees is forgotten likewise: of x_ij - F u_ij the share gamma becomes rest, else
// the hourglass forces would remember the old shape.
//
// Stresses say who flows and how, and forces still need the old rest vectors: it is planned with
// the former and done after the latter.
#include "pack.h"

static const float MOST = 0.1f;      // plastic strain of one substep
static const float LEAST = 0.01f;    // no flow where it is flatter than this
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
    enum { SWEEPS = 3 };
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

// Natural logarithm within 1e-5 for arguments in [0.01, 100]: 8 atanh((r - 1) / (r + 1)) with r the
// fourth root.
static f8 log8(f8 x)
{
    const f8 one = f8_all(1.0f);
    f8 r = f8_sqrt(f8_sqrt(x)), t = (r - one) / (r + one), t2 = t * t, sum = f8_all(1.0f / 13.0f);
    for (int n = 11; n >= 1; n -= 2) {
        sum = sum * t2 + f8_all(1.0f / (float)n);
    }
    return f8_all(8.0f) * t * sum;
}

static f8 expm1_8(f8 x) // e^x - 1 for small x
{
    f8 sum = f8_all(1.0f);
    for (int n = 5; n >= 2; n--) {
        sum = f8_all(1.0f) + x * sum * f8_all(1.0f / (float)n);
    }
    return x * sum;
}

// The diagonals of (F*)^gamma - I, eq. 3.6, with the strain of one substep limited. Returns that
// strain.
static f8 find_powers(const f8 stretch[3], f8 gamma, f8 powers[3])
{
    const f8 most = f8_all(MOST), one = f8_all(1.0f);
    f8 logs[3] = {log8(stretch[0]), log8(stretch[1]), log8(stretch[2])};
    f8 mean = (logs[0] + logs[1] + logs[2]) * f8_all(1.0f / 3.0f), size = f8_all(0.0f);
    for (int k = 0; k < 3; k++) {
        logs[k] = gamma * (logs[k] - mean);
        size += logs[k] * logs[k];
    }
    size = f8_sqrt(size);
    f8 limit = f8_select(size > most, most / size, one);
    for (int k = 0; k < 3; k++) {
        powers[k] = expm1_8(limit * logs[k]);
    }
    return limit * size;
}

// F_p = I + V diag(powers) V^T, and F_p F^-1 with F^-1 = S^-1 R^T = V diag(1/s) (R V)^T, by
// columns. What rounding leaves of V V^T - I would swell or shrink rest shapes by a little every
// time.
typedef struct plastic {
    f4 change[3], back[3];
} plastic;

static plastic find_plastic(const wri_clay_pack *p, const mat8 *S, const mat8 *V, int l,
                            const f8 powers[3])
{
    plastic out = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, {{0}}};
    for (int k = 0; k < 3; k++) {
        f4 v = {V->m[0][k][l], V->m[1][k][l], V->m[2][k][l], 0.0f};
        for (int j = 0; j < 3; j++) {
            float turned = p->R.m[j][0][l] * v[0] + p->R.m[j][1][l] * v[1] + p->R.m[j][2][l] * v[2];
            out.change[j] += powers[k][l] * v[j] * v;
            out.back[j] += (1.0f + powers[k][l]) * turned / S->m[k][k][l] * v;
        }
    }
    return out;
}

static void write_plan(const plastic *p, f4 plan[FLOW_ROWS])
{
    for (int k = 0; k < 3; k++) {
        plan[k] = (f4){p->back[k][0], p->back[k][1], p->back[k][2], p->change[k][k]};
    }
    plan[3] = (f4){p->change[1][0], p->change[2][0], p->change[2][1], 0.0f};
}

static plastic read_plan(const f4 plan[FLOW_ROWS])
{
    f4 off = plan[3];
    return (plastic){{{plan[0][3], off[0], off[1], 0.0f},
                      {off[0], plan[1][3], off[2], 0.0f},
                      {off[1], off[2], plan[2][3], 0.0f}},
                     {plan[0], plan[1], plan[2]}};
}

static f4 apply(const f4 columns[3], f4 v)
{
    return columns[0] * v[0] + columns[1] * v[1] + columns[2] * v[2];
}

static void add_plastic(float total[9], const f4 change[3])
{
    for (int column = 0; column < 3; column++) {
        f4 v = {total[column], total[3 + column], total[6 + column], 0.0f};
        v = apply(change, v);
        total[column] = v[0], total[3 + column] = v[1], total[6 + column] = v[2];
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

void wri_clay_plan_flow(wri_clay *c, int first, const wri_clay_pack *p)
{
    if (!any_flows(c, first)) {
        return;
    }
    mat8 S = p->S, V;
    find_eigenvectors(&S, &V);
    f8 stretch[3] = {S.m[0][0], S.m[1][1], S.m[2][2]}, powers[3], gamma = f8_all(0.0f);
    for (int i = first; i < first + LANES && i < c->count; i++) {
        gamma[i - first] = c->gamma[i];
    }
    f8 strain = find_powers(stretch, gamma, powers);
    for (int l = 0; l < LANES && first + l < c->count; l++) {
        int i = first + l;
        float det = stretch[0][l] * stretch[1][l] * stretch[2][l];
        float least = fminf(stretch[0][l], fminf(stretch[1][l], stretch[2][l]));
        if (!(c->gamma[i] > 0.0f && least > LEAST && det > FLATTEST)) {
            c->gamma[i] = 0.0f;
            continue;
        }
        plastic flow = find_plastic(p, &S, &V, l, powers);
        write_plan(&flow, &c->plan[i * FLOW_ROWS]);
        add_plastic(&c->plastic[i * 9], flow.change);
        c->flowed[i] += strain[l];
    }
}

// --- flow -------------------------------------------------------------------------------------

// u := F_p u, and of what F does not explain the share gamma: u := F_p ((1 - gamma) u + gamma F^-1
// x_ij).
static void change_rest(wri_clay *c, int i)
{
    const int *neighbours = &c->neighbours[i * NEIGHBOURS];
    plastic flow = read_plan(&c->plan[i * FLOW_ROWS]);
    float gamma = c->gamma[i];
    f4 at = c->x[i];
    for (int k = 0; k < NEIGHBOURS; k++) { // where there is no neighbour, 0 stays 0
        f4 *u = &c->u[i * NEIGHBOURS + k], x = c->x[neighbours[k]] - at;
        *u = (1.0f - gamma) * apply(flow.change, *u) + gamma * apply(flow.back, x);
    }
    wri_clay_find_basis(c, i);
}

static void flow_range(void *context, int block, int begin, int end)
{
    (void)block;
    wri_clay *c = context;
    for (int i = begin; i < end; i++) {
        if (c->gamma[i] > 0.0f) {
            change_rest(c, i);
        }
    }
}

void wri_clay_flow(wri_clay *c, const wr_tasks *tasks)
{
    wri_parallel_for(tasks, c->count, GRAIN, flow_range, c);
}
