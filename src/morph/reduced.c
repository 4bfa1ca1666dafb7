// reduced.c: bodies that move in a few modes.
//
// Implicit Newmark, for the acceleration a_1 at the end of a step:                  thesis 5.1.4
//
//     q_1 = q + h v + h^2 ((1/2 - beta) a + beta a_1)      v_1 = v + h ((1 - gamma) a + gamma a_1)
//     a_1 + G v_1 + (a + b R'(q_1)) (v_1 - r') + R(q_1) = f_1
//
// beta = gamma/2, so that q_1 = q + h (v + v_1)/2, a follows from q and v alone, and the energy of
// linear motion without damping changes by -(gamma - 1/2) (q_1 - q)' R' (q_1 - q), exactly. Another
// beta moves bodies by h^2 (gamma/2 - beta) (a - a_1) beside that: (gamma + 1/2)^2 / 4, which damps
// fast modes most evenly, threw stiff skin that was hit many times as far as its dent. G is of
// Coriolis' forces, which are implicit like the rest: explicit ones would feed energy to
// flesh on bones that spin. Linear bodies need one solve, others Newton's iteration. Its matrix
// (1 + gamma h a) I + (beta h^2 + gamma h b) R' + gamma h G has a positive symmetric part, so that
// it is factored without exchanging rows.
#include "morph.h"

#include "../math/dense.h"

enum { NEWTON = 6 };              // solves at most
static const double CLOSE = 1e-5; // of the forces at the begin: where Newton's iteration ends
static const double PIVOT = 1e-3; // least pivot, of 1: the tangent is given up below

// --- models -------------------------------------------------------------------------------------

static void find_rest(wr_morph_model *m)
{
    const wr_morph_data *d = m->data;
    int r = m->reduced.r;
    for (int target = 0; target < m->target_count; target++) {
        const wr_vec3 *offset = d->offsets + (ptrdiff_t)target * d->node_count;
        double *q = m->reduced.rest + target * r;
        for (int node = 0; node < d->node_count; node++) {
            const float *U = d->basis + (ptrdiff_t)node * r * 3;
            double mass = (double)d->masses[node];
            for (int j = 0; j < r; j++) {
                q[j] += mass * ((double)U[3 * j] * (double)offset[node].x +
                                (double)U[3 * j + 1] * (double)offset[node].y +
                                (double)U[3 * j + 2] * (double)offset[node].z);
            }
        }
    }
}

static void multiply_packed(int r, const double *K, const double *x, double *y)
{
    memset(y, 0, (size_t)r * sizeof *y);
    for (int i = 0; i < r; i++) {
        const double *row = K + wri_pair(i, 0);
        double sum = 0.0;
        for (int j = 0; j < i; j++) {
            sum += row[j] * x[j];
            y[j] += row[j] * x[i];
        }
        y[i] += sum + row[i] * x[i];
    }
}

static bool find_linear(wr_morph_model *m, const wr_tasks *tasks)
{
    int r = m->reduced.r, pairs = wri_pair_count(r);
    for (int target = 0; target < m->target_count; target++) {
        double *K = m->reduced.stiffness + (ptrdiff_t)target * pairs;
        double *constant = m->reduced.constant + (ptrdiff_t)target * r;
        if (!wri_gram_find(m->data, target, false, tasks, &m->arena.allocator, K)) {
            return false;
        }
        for (int i = 0; i < pairs; i++) {
            K[i] *= m->stiffness;
        }
        multiply_packed(r, K, m->reduced.rest + target * r, constant);
        for (int i = 0; i < r; i++) {
            constant[i] = -constant[i];
        }
    }
    return true;
}

static bool make_cubic(const wr_morph_data *d, int target, const wr_tasks *tasks,
                       const wr_allocator *allocator, double *cubic)
{
    int r = d->mode_count, vectors = r + wri_pair_count(r);
    size_t size = (size_t)wri_pair_count(vectors);
    double *gram = wri_alloc(allocator, size, sizeof *gram);
    bool ok = gram && wri_gram_find(d, target, true, tasks, allocator, gram);
    if (ok) {
        wri_cubic_from_gram(r, gram, cubic);
    }
    wri_free(allocator, gram, size, sizeof *gram);
    return ok;
}

bool wri_cubic_make(const wr_morph_data *data, int target, const wr_tasks *tasks,
                    const wr_allocator *allocator, float *out)
{
    size_t size = wr_morph_cubic_size(data->mode_count);
    double *cubic = wri_alloc(allocator, size, sizeof *cubic);
    bool ok = cubic && make_cubic(data, target, tasks, allocator, cubic);
    for (size_t i = 0; ok && i < size; i++) {
        out[i] = (float)cubic[i];
    }
    wri_free(allocator, cubic, size, sizeof *cubic);
    return ok;
}

// The constant of forces about the model's own shape, then the coefficients there.
static void move_cubic(wr_morph_model *m, int target, double *work)
{
    int r = m->reduced.r;
    size_t size = wr_morph_cubic_size(r);
    float *cubic = m->reduced.cubic + (size_t)target * size;
    const double *rest = m->reduced.rest + target * r;
    double back[WR_MORPH_MODES_MAX];
    for (int i = 0; i < r; i++) {
        back[i] = -rest[i];
    }
    wri_cubic_evaluate(r, cubic, back, m->reduced.constant + target * r, work);
    for (size_t i = 0; i < size; i++) {
        work[i] = (double)cubic[i];
    }
    wri_cubic_shift(r, rest, work);
    for (size_t i = 0; i < size; i++) {
        cubic[i] = (float)work[i];
    }
}

static bool find_cubic(wr_morph_model *m, const wr_tasks *tasks)
{
    size_t size = wr_morph_cubic_size(m->reduced.r);
    const wr_allocator *allocator = &m->arena.allocator;
    double *work = wri_alloc(allocator, size, sizeof *work);
    bool ok = work != NULL;
    for (int target = 0; ok && target < m->target_count; target++) {
        float *out = m->reduced.cubic + (size_t)target * size;
        if (m->data->cubic) {
            memcpy(out, m->data->cubic + (size_t)target * size, size * sizeof *out);
        } else {
            ok = wri_cubic_make(m->data, target, tasks, allocator, out);
        }
        for (size_t i = 0; i < size; i++) {
            out[i] = (float)(m->stiffness * (double)out[i]);
        }
        if (ok && m->between == WR_MORPH_FORCES) {
            move_cubic(m, target, work);
        }
    }
    wri_free(allocator, work, size, sizeof *work);
    return ok;
}

// At the rest shape of a target.
static double stiffness_at(const wr_morph_model *m, int target, int i, int j)
{
    int r = m->reduced.r, p = wri_pair(i, j);
    return m->elasticity == WR_MORPH_LINEAR
               ? m->reduced.stiffness[(ptrdiff_t)target * wri_pair_count(r) + p]
               : (double)m->reduced.cubic[(size_t)target * wr_morph_cubic_size(r) + (size_t)p];
}

double wri_reduced_mass(const wri_morph *b, int mode)
{
    const wr_morph_model *m = b->model;
    double stiffness = 0.0;
    for (int i = 0; i < m->target_count; i++) {
        stiffness += b->shares[i] * stiffness_at(m, i, mode, mode);
    }
    return m->inertia_factor + m->stiffness_factor * stiffness;
}

// The least eigenvalue of a target's stiffness at its rest shape, by inverse iteration.
static double find_slowest(const wr_morph_model *m, int target)
{
    int r = m->reduced.r;
    double L[WR_MORPH_MODES_MAX * WR_MORPH_MODES_MAX], x[WR_MORPH_MODES_MAX] = {0.0}, size = 1.0;
    for (int i = 0; i < r * r; i++) {
        L[i] = stiffness_at(m, target, i / r, i % r);
        x[i / r] = 1.0 + 0.1 * (i / r);
    }
    if (!wri_dense_factor(r, L)) {
        return 0.0;
    }
    for (int round = 0; round < 30; round++) {
        wri_dense_solve(r, L, x);
        size = 0.0;
        for (int i = 0; i < r; i++) {
            size += x[i] * x[i];
        }
        size = sqrt(size);
        for (int i = 0; i < r; i++) {
            x[i] /= size;
        }
    }
    return 1.0 / size;
}

bool wri_reduced_create(wr_morph_model *m, const wr_tasks *tasks, wr_error *error)
{
    wri_morph_reduced *out = &m->reduced;
    size_t targets = (size_t)m->target_count, r = (size_t)m->data->mode_count;
    bool is_linear = m->elasticity == WR_MORPH_LINEAR;
    out->r = (int)r;
    m->freedom = (int)r;
    out->rest = wri_arena_alloc(&m->arena, targets * r, sizeof *out->rest);
    out->constant = wri_arena_alloc(&m->arena, targets * r, sizeof *out->constant);
    out->stiffness = wri_arena_alloc(&m->arena, is_linear ? targets * r * (r + 1) / 2 : 0,
                                     sizeof *out->stiffness);
    out->cubic = wri_arena_alloc(&m->arena, is_linear ? 0 : targets * wr_morph_cubic_size((int)r),
                                 sizeof *out->cubic);
    bool ok = out->rest && out->constant && out->stiffness && out->cubic;
    if (ok) {
        find_rest(m);
        ok = (is_linear ? find_linear(m, tasks) : find_cubic(m, tasks)) && wri_inertia_create(m);
    }
    m->slowest = ok ? find_slowest(m, 0) : 0.0;
    for (int target = 1; ok && target < m->target_count; target++) {
        m->slowest = fmin(m->slowest, find_slowest(m, target));
    }
    return ok || wri_fail_memory(error, 0);
}

// --- systems ------------------------------------------------------------------------------------

static bool factor(int r, double *A)
{
    for (int k = 0; k < r; k++) {
        const double *pivot = A + (ptrdiff_t)k * r;
        if (!(pivot[k] > PIVOT)) {
            return false;
        }
        double inverse = 1.0 / pivot[k];
        for (int i = k + 1; i < r; i++) {
            double *row = A + (ptrdiff_t)i * r, share = row[k] * inverse;
            row[k] = share;
            for (int j = k + 1; j < r; j++) {
                row[j] -= share * pivot[j];
            }
        }
    }
    return true;
}

void wri_reduced_answer(const wri_morph *b, double *x)
{
    int r = b->model->reduced.r;
    const double *A = b->system;
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < i; j++) {
            x[i] -= A[i * r + j] * x[j];
        }
    }
    for (int i = r - 1; i >= 0; i--) {
        for (int j = i + 1; j < r; j++) {
            x[i] -= A[i * r + j] * x[j];
        }
        x[i] /= A[i * r + i];
    }
}

static bool find_system(wri_morph *b, const double *K, bool turns)
{
    const wr_morph_model *m = b->model;
    int r = m->reduced.r;
    double share = m->stiffness_factor, spin = m->gamma * m->dt;
    for (int i = 0, p = 0; i < r; i++) {
        for (int j = 0; j <= i; j++, p++) {
            b->system[i * r + j] = b->system[j * r + i] = share * K[p];
        }
        b->system[i * r + i] += m->inertia_factor;
    }
    for (int i = 0; turns && i < r * r; i++) {
        b->system[i] += spin * b->gyration[i];
    }
    return factor(r, b->system);
}

// --- what changes with the pose -----------------------------------------------------------------

static void blend(wri_morph *b)
{
    const wr_morph_model *m = b->model;
    const wri_morph_reduced *in = &m->reduced;
    int r = in->r, pairs = wri_pair_count(r);
    memset(b->constant, 0, (size_t)r * sizeof *b->constant);
    for (int target = 0; m->between == WR_MORPH_FORCES && target < m->target_count; target++) {
        for (int i = 0; i < r; i++) {
            b->constant[i] += b->shares[target] * in->constant[target * r + i];
        }
    }
    if (m->elasticity == WR_MORPH_STVK) {
        wri_cubic_blend(in->cubic, wr_morph_cubic_size(r), m->target_count, b->shares, b->cubic);
        for (int i = 0; i < pairs; i++) {
            b->stiffness[i] = (double)b->cubic[i];
        }
        return;
    }
    memset(b->stiffness, 0, (size_t)pairs * sizeof *b->stiffness);
    for (int target = 0; target < m->target_count; target++) {
        double share = b->shares[target];
        const double *K = in->stiffness + (ptrdiff_t)target * pairs;
        for (int i = 0; share > 0.0 && i < pairs; i++) {
            b->stiffness[i] += share * K[i];
        }
    }
}

// --- steps --------------------------------------------------------------------------------------

// R(q) and, in b->tangent, R'(q).
static void find_elastic(wri_morph *b, const double *q, double *out)
{
    int r = b->model->reduced.r;
    double d[WR_MORPH_MODES_MAX] = {0.0};
    for (int i = 0; i < r; i++) {
        d[i] = q[i] - b->rest[i];
    }
    if (b->model->elasticity == WR_MORPH_STVK) {
        wri_cubic_evaluate(r, b->cubic, d, out, b->tangent);
    } else {
        multiply_packed(r, b->stiffness, d, out);
    }
    for (int i = 0; i < r; i++) {
        out[i] += b->constant[i];
    }
}

typedef struct newmark {
    double q[WR_MORPH_MODES_MAX], v[WR_MORPH_MODES_MAX]; // as the step ends when a_1 is 0
    double q1[WR_MORPH_MODES_MAX], v1[WR_MORPH_MODES_MAX];
    bool turns;
} newmark;

// What is missing of the forces for the acceleration a_1: f - a_1 - G v - D (v - r') - R.
static double find_residual(wri_morph *b, newmark *n, const double *a1, double *out)
{
    const wr_morph_model *m = b->model;
    int r = m->reduced.r;
    double h = m->dt, elastic[WR_MORPH_MODES_MAX], speed[WR_MORPH_MODES_MAX];
    double viscous[WR_MORPH_MODES_MAX], square = 0.0;
    const double *K = m->elasticity == WR_MORPH_STVK ? b->tangent : b->stiffness;
    for (int i = 0; i < r; i++) {
        n->q1[i] = n->q[i] + m->beta * h * h * a1[i];
        n->v1[i] = n->v[i] + m->gamma * h * a1[i];
        speed[i] = n->v1[i] - b->rest_velocity[i];
    }
    find_elastic(b, n->q1, elastic);
    multiply_packed(r, K, speed, viscous);
    for (int i = 0; i < r; i++) {
        double gyration = 0.0;
        for (int j = 0; n->turns && j < r; j++) {
            gyration += b->gyration[i * r + j] * n->v1[j];
        }
        out[i] = b->force[i] - a1[i] - gyration - m->drag * speed[i] - m->damping * viscous[i] -
                 elastic[i];
        square += out[i] * out[i];
    }
    return square;
}

static void take(int r, double *a1, const double *change, double share)
{
    for (int i = 0; i < r; i++) {
        a1[i] += share * change[i];
    }
}

double wri_reduced_energy(const wri_morph *b)
{
    int r = b->model->reduced.r;
    double d[WR_MORPH_MODES_MAX] = {0.0}, y[WR_MORPH_MODES_MAX], energy = 0.0;
    for (int i = 0; i < r; i++) {
        d[i] = b->q[i] - b->rest[i];
        energy += b->constant[i] * d[i];
    }
    if (b->model->elasticity == WR_MORPH_STVK) {
        return energy + wri_cubic_energy(r, b->cubic, d);
    }
    multiply_packed(r, b->stiffness, d, y);
    for (int i = 0; i < r; i++) {
        energy += 0.5 * d[i] * y[i];
    }
    return energy;
}

// Newton's iteration for a_1, with halved steps where a whole one makes it worse: the material
// gives way to pressure below a stretch of 0.58 (spec, 6).
static bool iterate(wri_morph *b, newmark *n, double *a1)
{
    int r = b->model->reduced.r;
    double missing[WR_MORPH_MODES_MAX], change[WR_MORPH_MODES_MAX];
    double square = find_residual(b, n, a1, missing), first = square;
    for (int round = 0; round < NEWTON; round++) {
        if (!find_system(b, b->tangent, n->turns)) {
            find_system(b, b->stiffness, n->turns);
            b->statistics.softened++;
        }
        b->statistics.solves++;
        memcpy(change, missing, (size_t)r * sizeof *change);
        wri_reduced_answer(b, change);
        double share = 1.0, before = square;
        take(r, a1, change, 1.0);
        square = find_residual(b, n, a1, missing);
        for (; !(square <= before) && share > 0.1; share *= 0.5) {
            take(r, a1, change, -0.5 * share);
            square = find_residual(b, n, a1, missing);
        }
        if (square <= CLOSE * CLOSE * first) {
            return true;
        }
    }
    return false;
}

static double find_energy(const wri_morph *b)
{
    double energy = wri_reduced_energy(b);
    for (int i = 0; i < b->model->reduced.r; i++) {
        energy += 0.5 * b->v[i] * b->v[i];
    }
    return energy;
}

// Sets the end of a step whose iteration has not come to an end: what energy it has more than there
// was and forces have given is taken out of the motion; where that has less, the body stays where
// it was, at rest.
static void end_carefully(wri_morph *b, const double *q1, const double *v1)
{
    int r = b->model->reduced.r;
    double before = find_energy(b), start[WR_MORPH_MODES_MAX], work = 0.0, motion = 0.0;
    for (int i = 0; i < r; i++) {
        start[i] = b->q[i];
        work += b->force[i] * (q1[i] - b->q[i]);
        motion += 0.5 * v1[i] * v1[i];
        b->q[i] = q1[i];
        b->v[i] = v1[i];
    }
    double excess = find_energy(b) - before - fabs(work);
    bool is_lost = !(excess < motion);
    double share = is_lost ? 0.0 : excess > 0.0 ? sqrt(1.0 - excess / motion) : 1.0;
    for (int i = 0; i < r; i++) {
        b->v[i] *= share;
        b->q[i] = is_lost ? start[i] : b->q[i];
        b->a[i] = is_lost ? 0.0 : b->a[i];
    }
    b->statistics.softened++;
}

void wri_reduced_step(wri_morph *b)
{
    const wr_morph_model *m = b->model;
    int r = m->reduced.r;
    double h = m->dt, a1[WR_MORPH_MODES_MAX] = {0.0};
    newmark n;
    if (!b->is_blended) {
        blend(b);
        b->is_blended = true;
    }
    n.turns = wri_inertia_of_modes(b, b->force, b->gyration);
    for (int i = 0; i < r; i++) {
        b->force[i] += b->push[i] / h;
        n.q[i] = b->q[i] + h * b->v[i] + h * h * (0.5 - m->beta) * b->a[i];
        n.v[i] = b->v[i] + h * (1.0 - m->gamma) * b->a[i];
    }
    bool is_done = true;
    if (m->elasticity == WR_MORPH_STVK) {
        is_done = iterate(b, &n, a1);
    } else {
        find_residual(b, &n, a1, a1);
        find_system(b, b->stiffness, n.turns);
        wri_reduced_answer(b, a1);
        b->statistics.solves = 1;
    }
    for (int i = 0; i < r; i++) {
        n.q[i] += m->beta * h * h * a1[i];
        n.v[i] += m->gamma * h * a1[i];
        b->a[i] = a1[i];
    }
    if (!is_done) {
        end_carefully(b, n.q, n.v);
        return;
    }
    memcpy(b->q, n.q, (size_t)r * sizeof *b->q);
    memcpy(b->v, n.v, (size_t)r * sizeof *b->v);
}
