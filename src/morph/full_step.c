// full_step.c: a step of a full body by implicit Newmark, as in reduced.c.
//
// Coriolis' forces turn the velocity of each node by -2 alpha h before the step: that neither feeds
// nor takes energy, and leaves the system symmetric.
#include "full.h"

#include "../math/turn.h"

enum { ITERATIONS = 60, NEWTON = 8, VECTORS = 6 };
static const double CLOSE = 1e-5;        // of the right side: where conjugate gradients end
static const double GAIN = 0.01;         // of the energy, that a step may err by
static const double NEWTON_CLOSE = 1e-4; // of the forces at the begin

// --- systems ------------------------------------------------------------------------------------

static int nearest_target(const wri_morph *b)
{
    int best = 0;
    for (int i = 1; i < b->model->target_count; i++) {
        best = b->shares[i] > b->shares[best] ? i : best;
    }
    return best;
}

static double dot(const float *x, const float *y, int count)
{
    double sum[4] = {0.0};
    for (int i = 0; i < count; i++) {
        sum[i % 4] += (double)x[i] * (double)y[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// y = A x
static void multiply(const wri_morph *b, const float *x, float *y, const wr_tasks *tasks)
{
    const wr_morph_model *m = b->model;
    wri_blocks_multiply(&b->K, x, y, tasks);
    float stiffness = (float)m->stiffness_factor;
    for (int i = 0; i < m->full.count; i++) {
        float inertia = (float)(m->inertia_factor * m->full.mass[i]);
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            y[k] = inertia * x[k] + stiffness * y[k];
        }
    }
}

void wri_full_solve(wri_morph *b, const double *right, double *out, const wr_tasks *tasks)
{
    int n = b->model->freedom;
    wri_factor *factor = b->model->full.factors[nearest_target(b)];
    float *x = b->vectors, *r = x + n, *z = r + n, *p = z + n, *Ap = p + n;
    for (int i = 0; i < n; i++) {
        x[i] = 0.0f;
        z[i] = r[i] = (float)right[i];
    }
    wri_factor_solve(factor, z, tasks);
    memcpy(p, z, (size_t)n * sizeof *p);
    double rz = dot(r, z, n), first = rz;
    for (int round = 0; round < ITERATIONS && rz > CLOSE * CLOSE * first; round++) {
        multiply(b, p, Ap, tasks);
        double curve = dot(p, Ap, n);
        if (!(curve > 0.0)) { // not positive in this direction: what there is has to do
            b->statistics.softened++;
            break;
        }
        float step = (float)(rz / curve);
        for (int i = 0; i < n; i++) {
            x[i] += step * p[i];
            r[i] -= step * Ap[i];
        }
        memcpy(z, r, (size_t)n * sizeof *z);
        wri_factor_solve(factor, z, tasks);
        double next = dot(r, z, n);
        float share = (float)(next / rz);
        for (int i = 0; i < n; i++) {
            p[i] = z[i] + share * p[i];
        }
        rz = next;
        b->statistics.iterations++;
    }
    for (int i = 0; i < n; i++) {
        out[i] = (double)x[i];
    }
}

bool wri_full_answer(wri_morph *b, float *columns, int count, const wr_tasks *tasks)
{
    wri_factor *factor = b->model->full.factors[nearest_target(b)];
    return wri_factor_solve_many(factor, columns, count, tasks, NULL);
}

// --- elastic forces -----------------------------------------------------------------------------

static void blend(wri_morph *b)
{
    const wr_morph_model *m = b->model;
    const wri_morph_full *f = &m->full;
    size_t numbers = 9 * (size_t)f->pattern.begin[f->count];
    float *out = b->K.value[0];
    memset(out, 0, numbers * sizeof *out);
    memset(b->constant, 0, (size_t)m->freedom * sizeof *b->constant);
    for (int target = 0; target < m->target_count; target++) {
        float share = (float)b->shares[target];
        const float *in = f->values[target][0];
        for (size_t i = 0; share > 0.0f && i < numbers; i++) {
            out[i] += share * in[i];
        }
        const double *constant = f->constant + (ptrdiff_t)target * m->freedom;
        for (int i = 0; m->between == WR_MORPH_FORCES && i < m->freedom; i++) {
            b->constant[i] += b->shares[target] * constant[i];
        }
    }
}

// Displacement of a tetrahedron's corners against the rest shape that its target's forces have.
static void find_corners(const wri_morph *b, const wri_tet *t, int target, const double *q,
                         double u[4][3])
{
    const wri_morph_full *f = &b->model->full;
    const double *rest = b->model->between == WR_MORPH_FORCES
                             ? f->rest + (ptrdiff_t)target * b->model->freedom
                             : b->rest;
    for (int a = 0; a < 4; a++) {
        int place = f->place_of[t->nodes[a]];
        for (int k = 0; k < 3; k++) {
            u[a][k] = place >= 0 ? q[3 * place + k] - rest[3 * place + k] : 0.0;
        }
    }
}

static void add_tet(wri_morph *b, int tet, double share, double force[4][3],
                    double tangent[4][4][9], double *out)
{
    const wri_morph_full *f = &b->model->full;
    const int *nodes = b->model->data->tets + 4 * (ptrdiff_t)tet;
    for (int a = 0; a < 4; a++) {
        int place = f->place_of[nodes[a]];
        for (int k = 0; place >= 0 && k < 3; k++) {
            out[3 * place + k] += share * force[a][k];
        }
        for (int c = 0; c < 4; c++) {
            int entry = f->tet_entry[16 * (ptrdiff_t)tet + 4 * a + c];
            for (int k = 0; entry >= 0 && k < 9; k++) {
                b->K.value[entry][k] += (float)(share * tangent[a][c][k]);
            }
        }
    }
}

// R(q); of St. Venant-Kirchhoff with R'(q) in b->K. work: `freedom` numbers.
static void find_elastic(wri_morph *b, const double *q, double *out, const wr_tasks *tasks)
{
    const wr_morph_model *m = b->model;
    int n = m->freedom;
    if (m->elasticity == WR_MORPH_LINEAR) {
        float *x = b->vectors, *y = x + n;
        for (int i = 0; i < n; i++) {
            x[i] = (float)(q[i] - b->rest[i]);
        }
        wri_blocks_multiply(&b->K, x, y, tasks);
        for (int i = 0; i < n; i++) {
            out[i] = (double)y[i] + b->constant[i];
        }
        return;
    }
    memset(out, 0, (size_t)n * sizeof *out);
    memset(b->K.value, 0, (size_t)b->K.begin[b->K.count] * sizeof *b->K.value);
    for (int target = 0; target < m->target_count; target++) {
        const wri_tet *tets = m->full.tets + (ptrdiff_t)target * m->data->tet_count;
        for (int tet = 0; b->shares[target] > 0.0 && tet < m->data->tet_count; tet++) {
            double u[4][3], force[4][3], tangent[4][4][9];
            find_corners(b, &tets[tet], target, q, u);
            wri_tet_stvk(&tets[tet], (const double(*)[3])u, force, tangent);
            add_tet(b, tet, b->shares[target], force, tangent, out);
        }
    }
}

double wri_full_energy(const wri_morph *b)
{
    const wr_morph_model *m = b->model;
    int n = m->freedom;
    double energy = 0.0;
    if (m->elasticity == WR_MORPH_LINEAR) {
        float *x = b->vectors, *y = x + n;
        for (int i = 0; i < n; i++) {
            x[i] = (float)(b->q[i] - b->rest[i]);
        }
        wri_blocks_multiply(&b->K, x, y, NULL);
        for (int i = 0; i < n; i++) {
            energy += (0.5 * (double)y[i] + b->constant[i]) * (double)x[i];
        }
        return energy;
    }
    for (int target = 0; target < m->target_count; target++) {
        const wri_tet *tets = m->full.tets + (ptrdiff_t)target * m->data->tet_count;
        for (int tet = 0; b->shares[target] > 0.0 && tet < m->data->tet_count; tet++) {
            double u[4][3], force[4][3];
            find_corners(b, &tets[tet], target, b->q, u);
            energy +=
                b->shares[target] * wri_tet_stvk(&tets[tet], (const double(*)[3])u, force, NULL);
        }
    }
    return energy;
}

// --- steps --------------------------------------------------------------------------------------

// Turns the velocity of a node by -2 alpha h, by Cayley's map.
static void turn_velocity(wri_morph *b, int place)
{
    const wr_morph_data *d = b->model->data;
    int node = b->model->full.node_of[place];
    const int *bones = d->node_bones + (ptrdiff_t)node * WRI_MORPH_BONES;
    const float *weights = d->node_weights + (ptrdiff_t)node * WRI_MORPH_BONES;
    double t[3] = {0.0}, *v = b->v + 3 * (ptrdiff_t)place, across[3], twice[3];
    for (int i = 0; i < WRI_MORPH_BONES && weights[i] > 0.0f; i++) {
        for (int k = 0; k < 3; k++) {
            t[k] -= b->model->dt * (double)weights[i] * b->pushes[bones[i]].alpha[k];
        }
    }
    double share = 2.0 / (1.0 + wri_dot3(t, t));
    wri_cross3(t, v, across);
    wri_cross3(t, across, twice);
    for (int k = 0; k < 3; k++) {
        v[k] += share * (across[k] + twice[k]);
    }
}

static void find_forces(wri_morph *b)
{
    const wr_morph_model *m = b->model;
    for (int i = 0; i < m->full.count; i++) {
        turn_velocity(b, i);
        wri_inertia_of_node(b, m->full.node_of[i], m->full.mass[i], b->q + 3 * (ptrdiff_t)i,
                            b->force + 3 * (ptrdiff_t)i);
    }
    for (int v = 0; m->air > 0.0 && v < m->data->vertex_count; v++) {
        double f[3];
        wri_wind_of_vertex(b, v, f);
        wri_vertex_force(b, v, f, b->force);
    }
    for (int i = 0; i < m->freedom; i++) {
        b->force[i] += b->push[i] / m->dt;
    }
}

// What is missing of the forces for the acceleration a_1, in `missing`; q and v of the end in
// b->q1, b->v1.
static double find_missing(wri_morph *b, const double *a1, double *missing, const wr_tasks *tasks)
{
    const wr_morph_model *m = b->model;
    int n = m->freedom;
    double h = m->dt, square = 0.0;
    for (int i = 0; i < n; i++) {
        b->work[i] = b->q[i] + m->beta * h * h * a1[i];
    }
    find_elastic(b, b->work, missing, tasks);
    float *x = b->vectors, *y = x + n;
    for (int i = 0; i < n; i++) {
        b->work[i] = b->v[i] + m->gamma * h * a1[i] - b->rest_velocity[i];
        x[i] = (float)b->work[i];
    }
    wri_blocks_multiply(&b->K, x, y, tasks);
    for (int i = 0; i < n; i++) {
        double mass = m->full.mass[i / 3];
        missing[i] = b->force[i] - mass * (a1[i] + m->drag * b->work[i]) -
                     m->damping * (double)y[i] - missing[i];
        square += missing[i] * missing[i];
    }
    return square;
}

static void take(wri_morph *b, double share)
{
    for (int i = 0; i < b->model->freedom; i++) {
        b->a[i] += share * b->change[i];
    }
}

// The change of the acceleration; by the stiffness at rest where the tangent is not positive.
static void find_change(wri_morph *b, const wr_tasks *tasks)
{
    int softened = b->statistics.softened;
    wri_full_solve(b, b->missing, b->change, tasks);
    if (b->statistics.softened > softened) {
        blend(b);
        wri_full_solve(b, b->missing, b->change, tasks);
    }
    b->statistics.solves++;
}

// Newton's iteration as in reduced.c, with halved steps where a whole one makes it worse.
static void iterate(wri_morph *b, const wr_tasks *tasks)
{
    double square = find_missing(b, b->a, b->missing, tasks), first = square;
    for (int round = 0; round < NEWTON && square > NEWTON_CLOSE * NEWTON_CLOSE * first; round++) {
        double before = square, share = 1.0;
        find_change(b, tasks);
        take(b, 1.0);
        square = find_missing(b, b->a, b->missing, tasks);
        for (; !(square <= before) && share > 0.05; share *= 0.5) {
            take(b, -0.5 * share);
            square = find_missing(b, b->a, b->missing, tasks);
        }
    }
}

static double find_energy(const wri_morph *b)
{
    double energy = wri_full_energy(b);
    for (int i = 0; i < b->model->freedom; i++) {
        energy += 0.5 * b->model->full.mass[i / 3] * b->v[i] * b->v[i];
    }
    return energy;
}

// Newmark's rule may feed energy to cubic forces in steps that are long for them. What is more than
// there was and forces have given is taken out of the motion; where that has less, the step has
// failed, and the body stays where it was, at rest.
static void keep_energy(wri_morph *b, double before)
{
    const wr_morph_model *m = b->model;
    double work = 0.0, motion = 0.0;
    for (int i = 0; i < m->freedom; i++) {
        work += b->force[i] * (b->q[i] - b->start[i]);
        motion += 0.5 * m->full.mass[i / 3] * b->v[i] * b->v[i];
    }
    double excess = find_energy(b) - (1.0 + GAIN) * before - fabs(work);
    if (excess <= 0.0) {
        return;
    }
    bool is_lost = !(excess < motion);
    double share = is_lost ? 0.0 : sqrt(1.0 - excess / motion);
    for (int i = 0; i < m->freedom; i++) {
        b->v[i] *= share;
        b->q[i] = is_lost ? b->start[i] : b->q[i];
        b->a[i] = is_lost ? 0.0 : b->a[i];
    }
    b->statistics.softened++;
}

void wri_full_step(wri_morph *b, const wr_tasks *tasks)
{
    const wr_morph_model *m = b->model;
    int n = m->freedom;
    double h = m->dt;
    bool is_linear = m->elasticity == WR_MORPH_LINEAR;
    if (is_linear && !b->is_blended) {
        blend(b);
    }
    b->is_blended = true;
    double before = is_linear ? 0.0 : find_energy(b);
    memcpy(b->start, b->q, (size_t)n * sizeof *b->q);
    find_forces(b);
    for (int i = 0; i < n; i++) {
        b->q[i] += h * b->v[i] + h * h * (0.5 - m->beta) * b->a[i];
        b->v[i] += h * (1.0 - m->gamma) * b->a[i];
        b->a[i] = 0.0;
    }
    if (is_linear) {
        find_missing(b, b->a, b->missing, tasks);
        wri_full_solve(b, b->missing, b->a, tasks);
        b->statistics.solves = 1;
    } else {
        iterate(b, tasks);
    }
    for (int i = 0; i < n; i++) {
        b->q[i] += m->beta * h * h * b->a[i];
        b->v[i] += m->gamma * h * b->a[i];
    }
    if (!is_linear) {
        keep_energy(b, before);
    }
}
