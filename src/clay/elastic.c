// elastic.c: from where the particles are to the forces between them.
//
//     F_i = (sum_j w_ij x_ij u_ij^T) A_i^-1                         thesis eq. 3.2
//     P_i = R_i (mu (S + S^T - 2 I) + lambda tr(S - I)), S = R_i^T F_i   thesis eq. 3.4
//     f_i += V_i P_i A_i^-1 w_ij u_ij,   f_j -= the same            thesis eq. 3.5
//     f_i += V_i c_i w_ij (x_ij - F_i u_ij),   f_j -= the same      hourglass
//
// with R the rotation nearest to F, never a mirror: the diagonal of R^T F then has the signs of
// Irving 2004, and a neighbourhood that is turned inside out is pushed back. The hourglass term is
// the gradient of V c/2 sum w |x_ij - F u_ij|^2, which F minimises, so that its own change does not
// count. Without it a body gets softer the more particles it has.
//
// All that particle i does to others is one matrix and one number, T_i = V_i (P_i A_i^-1 - c_i F_i)
// and the firmness of i. Torques vanish because R^T F is symmetric. Rounding leaves it a little
// askew, which would turn bodies with the force of the whole stiffness; as P is made of its
// symmetric part, with that of the strain only.
#include "pack.h"

#include "../math/elementary.h"

static const float TINY = 1e-30f; // m^2, so that 0/0 is 0

// --- stresses ---------------------------------------------------------------------------------

// |dev P| for P = 2 mu (S - I) + lambda tr(S - I) I, or |P| as in the thesis.
static f8 stress_size(const wri_clay_pack *p, wr_clay_norm norm)
{
    const mat8 *S = &p->S;
    f8 strain[3], trace = f8_all(0.0f), sum = f8_all(0.0f);
    for (int k = 0; k < 3; k++) {
        strain[k] = S->m[k][k] - f8_all(1.0f);
        trace += strain[k];
    }
    f8 pressure =
        norm == WR_CLAY_NORM_FULL ? p->lambda * trace : -f8_all(2.0f / 3.0f) * p->mu * trace;
    for (int i = 0; i < 3; i++) {
        f8 normal = f8_all(2.0f) * p->mu * strain[i] + pressure;
        f8 shear = p->mu * (S->m[i][(i + 1) % 3] + S->m[(i + 1) % 3][i]);
        sum += normal * normal + f8_all(2.0f) * shear * shear;
    }
    return f8_sqrt(sum);
}

// gamma = (1 - (1 - nu)^(dt / dt_ref)) max(0, 1 - Y / |P|), thesis eq. 3.7, where nu is for dt_ref:
// a longer step forgets as much as two short ones. alpha grows by the stress that is forgotten.
static void yield(wri_clay *c, int first, const wri_clay_pack *p, float share)
{
    f8 size = stress_size(p, c->parameters.norm);
    for (int l = 0; l < LANES && first + l < c->count; l++) {
        int i = first + l;
        float limit = c->yield[i] * c->moduli.yield + c->parameters.hardening * c->alpha[i];
        float above = size[l] - fmaxf(limit, 0.0f);
        c->gamma[i] = above > 0.0f ? fminf(share * c->flow[i], 1.0f) * above / size[l] : 0.0f;
        c->alpha[i] += c->gamma[i] * size[l];
    }
}

// Writes T = V (P A^-1 - c F), and what i itself feels of all its pairs, T sum w u + V c sum w x.
static void write_records(wri_clay *c, int first, const wri_clay_pack *p)
{
    const float *basis = &c->basis[first * BASIS_ROWS];
    const float viscosity = wri_clay_pair_viscosity(c);
    f8 Vc = p->firmness * f8_all(wri_clay_hourglass(c));
    f8 trace = p->S.m[0][0] + p->S.m[1][1] + p->S.m[2][2] - f8_all(3.0f), b[3];
    memcpy(b, &basis[6 * LANES], sizeof b);
    mat8 P, T;
    for (int i = 0; i < 9; i++) { // eq. 3.4
        int row = i / 3, column = i % 3;
        P.m[row][column] = p->mu * (p->S.m[row][column] + p->S.m[column][row]);
        if (row == column) {
            P.m[row][column] += p->lambda * trace - f8_all(2.0f) * p->mu;
        }
    }
    P = mat8_multiply(&p->R, &P);
    T = mat8_multiply(&P, &p->inverse);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            T.m[i][j] = p->volume * T.m[i][j] - Vc * p->F.m[i][j];
        }
    }
    for (int l = 0; l < LANES && first + l < c->count; l++) {
        f4 *record = &c->records[(first + l) * RECORD_ROWS], x = c->x[first + l];
        f4 v = c->v[first + l], force = {0};
        for (int j = 0; j < 3; j++) {
            record[j] = (f4){T.m[0][j][l], T.m[1][j][l], T.m[2][j][l], v[j]};
            force += b[j][l] * record[j];
        }
        f4 pull = {p->pull[0][l], p->pull[1][l], p->pull[2][l], 0.0f};
        f4 drag = {p->drag[0][l], p->drag[1][l], p->drag[2][l], 0.0f};
        record[3] = (f4){x[0], x[1], x[2], p->firmness[l]};
        c->force[first + l] = force + Vc[l] * pull + viscosity * p->firmness[l] * drag;
    }
}

typedef struct stress_pass {
    wri_clay *c;
    float share; // 1 - (1 - nu)^(dt / dt_ref)
} stress_pass;

static void stress_range(void *context, int block, int begin, int end)
{
    (void)block;
    const stress_pass *pass = context;
    wri_clay *c = pass->c;
    for (int first = begin; first < end; first += LANES) {
        wri_clay_pack p;
        wri_clay_measure_pack(c, first, wri_clay_steps_viscosity(c), &p);
        wri_clay_keep_rotations(c, first, &p);
        write_records(c, first, &p);
        if (pass->share > 0.0f) {
            yield(c, first, &p, pass->share);
            wri_clay_plan_flow(c, first, &p);
        }
    }
}

void wri_clay_find_stresses(wri_clay *c, float elapsed, const wr_tasks *tasks)
{
    stress_pass pass = {c, (float)(1.0 - wri_exp((double)(c->moduli.forget * elapsed)))};
    wri_parallel_for(tasks, c->count, GRAIN, stress_range, &pass);
}

// --- forces -----------------------------------------------------------------------------------

// Fetches what an edge a few places on needs: edges lie in one list, what they name does not. With
// it this pass takes half the time. Behind the last edge there are others, or 0.
static void fetch_ahead(const wri_clay *c, int k)
{
    enum { AHEAD = 12 };
    int edge = c->reverse[k + AHEAD];
    __builtin_prefetch(&c->u[edge]);
    __builtin_prefetch(&c->records[edge / NEIGHBOURS * RECORD_ROWS]);
}

// What the particles that have p for a neighbour do to it, eq. 3.5.
static f4 gather_forces(const wri_clay *c, int p)
{
    const float hourglass = wri_clay_hourglass(c);
    f4 x = c->x[p], sum = {0};
    for (int k = c->reverse_begin[p]; k < c->reverse_begin[p + 1]; k++) {
        int edge = c->reverse[k];
        f4 u = c->u[edge];
        const f4 *T = &c->records[edge / NEIGHBOURS * RECORD_ROWS];
        fetch_ahead(c, k);
        f4 pair = T[0] * u[0] + T[1] * u[1] + T[2] * u[2];
        sum += u[3] * (pair + hourglass * T[3][3] * (x - T[3]));
    }
    return sum;
}

// The same with explicit viscosity, see viscosity.c.
static f4 gather_viscous_forces(const wri_clay *c, int p)
{
    const float hourglass = wri_clay_hourglass(c), viscosity = wri_clay_pair_viscosity(c);
    f4 x = c->x[p], v = c->v[p], sum = {0};
    for (int k = c->reverse_begin[p]; k < c->reverse_begin[p + 1]; k++) {
        int edge = c->reverse[k];
        f4 u = c->u[edge];
        const f4 *T = &c->records[edge / NEIGHBOURS * RECORD_ROWS];
        fetch_ahead(c, k);
        f4 arm = x - T[3], speed = v - (f4){T[0][3], T[1][3], T[2][3], 0.0f};
        f4 pair = T[0] * u[0] + T[1] * u[1] + T[2] * u[2];
        float drag = viscosity * f4_dot(speed, arm) / (f4_dot(arm, arm) + TINY);
        sum += u[3] * (pair + T[3][3] * (hourglass + drag) * arm);
    }
    return sum;
}

static void force_range(void *context, int block, int begin, int end)
{
    (void)block;
    wri_clay *c = context;
    bool drags = wri_clay_steps_viscosity(c);
    for (int p = begin; p < end; p++) {
        f4 force = c->force[p] - (drags ? gather_viscous_forces(c, p) : gather_forces(c, p));
        c->force[p] = (f4){force[0], force[1], force[2], 0.0f};
    }
}

void wri_clay_find_forces(wri_clay *c, const wr_tasks *tasks)
{
    wri_parallel_for(tasks, c->count, GRAIN, force_range, c);
}

// --- energy -----------------------------------------------------------------------------------

// V c / 2 sum_j w |x_ij - F u_ij|^2
static double hourglass_energy(const wri_clay *c, int i, const wri_clay_pack *p)
{
    int l = i % LANES;
    double sum = 0.0;
    for (int k = 0; k < NEIGHBOURS; k++) {
        f4 u = c->u[i * NEIGHBOURS + k], x = c->x[c->neighbours[i * NEIGHBOURS + k]] - c->x[i];
        for (int row = 0; row < 3; row++) {
            double off = (double)x[row] - (double)p->F.m[row][0][l] * (double)u[0] -
                         (double)p->F.m[row][1][l] * (double)u[1] -
                         (double)p->F.m[row][2][l] * (double)u[2];
            sum += (double)u[3] * off * off;
        }
    }
    return 0.5 * (double)(p->firmness[l] * wri_clay_hourglass(c)) * sum;
}

// V (mu |S - I|^2 + lambda/2 tr(S - I)^2)
static double elastic_energy(const wri_clay_pack *p, int l)
{
    double squares = 0.0, trace = 0.0;
    for (int i = 0; i < 9; i++) {
        double strain = (double)p->S.m[i / 3][i % 3][l] - (i % 4 == 0 ? 1.0 : 0.0);
        squares += strain * strain;
        trace += i % 4 == 0 ? strain : 0.0;
    }
    return (double)p->volume[l] *
           ((double)p->mu[l] * squares + 0.5 * (double)p->lambda[l] * trace * trace);
}

wri_clay_energy wri_clay_find_energy(wri_clay *c)
{
    wri_clay_energy sum = {0.0, 0.0};
    for (int first = 0; first < c->count; first += LANES) {
        wri_clay_pack p;
        wri_clay_measure_pack(c, first, false, &p);
        for (int i = first; i < first + LANES && i < c->count; i++) {
            bool has_stress = !(c->flags[i] & WRI_CLAY_DEGENERATE);
            sum.elastic += has_stress ? elastic_energy(&p, i - first) : 0.0;
            sum.hourglass += has_stress ? hourglass_energy(c, i, &p) : 0.0;
        }
    }
    return sum;
}
