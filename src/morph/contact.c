// contact.c: vertices that meet planes of rigid bodies; impulses push both.
//
// An impulse p at a vertex acts within Newmark's step on the degrees of freedom by J^T p, with
// J = B_v (vertex' rows of the basis), B_v = sum w_b Q_b. It is kept out of the acceleration that
// the next step begins with, which otherwise would throw back what has hit something:
//
//     dv = A^-1 J^T p      dq = h/2 dv      da = (dv - M^-1 J^T p) / (h gamma)
//
// fulfils the equations of the step, with a velocity that jumps by M^-1 J^T p, where beta =
// gamma/2. Otherwise dq = h (beta/gamma) dv would be exact, but with that skin that is held creeps
// on by h^2 a (1/2 - beta/gamma) per step, away from where it belongs, and stiff modes run away.
// Wanted are p_n >= 0 and, of the velocity w of the vertex against the body along the normal,
//
//     0 <= p_n  |  w_n + gap/h + C p_n >= 0
//
// with friction up to mu p_n. A body of r modes cannot follow more than r contacts. Where it does
// not, the node below the vertex gives way like a spring of its own stiffness k in the full model,
// p / h = -k (gap + h w_n), which is C = 1 / (h^2 k): any number of contacts has an answer (spec,
// 8), and forces are near those of the full model. Solved by projected Gauss-Seidel over all
// contacts that share bodies.
//
// Full bodies have the factor of the nearest target in place of A^-1 for that, and correct what it
// gets wrong in rounds.
#include "contact.h"
#include "full.h"

enum { SWEEPS = 40, ROUNDS = 4 };
static const double SETTLED = 1e-5;   // of the largest impulse: change that ends the sweeps
static const double PUSH_SPEED = 4.0; // sizes per second: how fast a full body is pushed out
static const double SLOP = 1e-4;      // of the size: overlap of full bodies that stays
static const double FULL_OUT = 0.2;   // of an overlap of full bodies that is gone after a step
static const double CREEP = 0.1;      // of C across the normal, where no spring remembers
static const double AROUND = 3.0;     // nodes around a node give way, too: factor on its compliance
static const double FULL_SOFT = 0.02; // of C, in full bodies, which give way by themselves

// --- making -------------------------------------------------------------------------------------

static void find_frame(const double n[3], double t[2][3])
{
    int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                        : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double axis[3] = {least == 0 ? 1.0 : 0.0, least == 1 ? 1.0 : 0.0, least == 2 ? 1.0 : 0.0};
    wri_cross3(n, axis, t[0]);
    double length = wri_length3(t[0]);
    for (int k = 0; k < 3; k++) {
        t[0][k] /= length;
    }
    wri_cross3(n, t[0], t[1]);
}

static void find_bias(const wri_morph *b, const wr_morph_touch *touch, wri_contact *c)
{
    double h = b->model->dt, slop = b->model->is_full ? SLOP * b->model->size : 0.0;
    double most = b->model->is_full ? PUSH_SPEED * b->model->size : INFINITY;
    double out = (b->model->is_full ? FULL_OUT : 1.0) * (-c->gap - slop) / h;
    c->bias = c->gap > 0.0 ? c->gap / h : out > 0.0 ? -(out < most ? out : most) : 0.0;
    if (touch->restitution > 0.0f && c->gap <= 0.0 && c->approach > 0.0) {
        double leave = -(double)touch->restitution * c->approach;
        c->bias = leave < c->bias ? leave : c->bias;
    }
}

// Rows of J: what the vertex does along the normal and across it.
static void find_rows(const wri_morph *b, wri_contact *c)
{
    double B[3][3];
    wri_vertex_turn(b, c->touch->vertex, B);
    for (int row = 0; row < 3; row++) {
        double local[3];
        for (int k = 0; k < 3; k++) {
            local[k] =
                c->axes[row][0] * B[0][k] + c->axes[row][1] * B[1][k] + c->axes[row][2] * B[2][k];
        }
        memcpy(c->local[row], local, sizeof local);
        if (!b->model->is_full) {
            memset(c->J[row], 0, (size_t)b->model->freedom * sizeof(double));
            wri_vertex_force(b, c->touch->vertex, local, c->J[row]);
            memcpy(c->Y[row], c->J[row], (size_t)b->model->freedom * sizeof(double));
            wri_reduced_answer(b, c->Y[row]);
        }
    }
}

static double dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// What the body and the rigid one do at the contact per impulse: 1/kg.
static void find_masses(wri_contact *c, const wr_body_copy *rigid, int freedom)
{
    wr_mat3 inverse = {{{0}}};
    if (rigid) {
        inverse = wr_body_copy_inverse_mass(rigid, c->touch->point);
    }
    for (int row = 0; row < 3; row++) {
        const double *n = c->axes[row];
        double sum = dot(c->J[row], c->Y[row], freedom);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                sum += n[i] * (double)inverse.m[i][k] * n[k];
            }
        }
        c->inverse_mass[row] = sum;
    }
}

static double find_compliance(const wri_morph *b, int vertex)
{
    const wr_morph_model *m = b->model;
    double sum = 0.0;
    for (int i = 0; i < m->target_count; i++) {
        sum += b->shares[i] *
               (double)m->skin.compliance[(ptrdiff_t)i * m->data->vertex_count + vertex];
    }
    return (m->is_full ? FULL_OUT * FULL_SOFT : AROUND) * sum / (m->dt * m->dt);
}

void wri_contact_prepare(const wri_morph *b, wr_morph_touch *touch, const wr_body_copy *rigid,
                         wri_contact *c)
{
    double x[3], v[3];
    const wr_vec3 n = touch->normal, at = touch->point;
    c->touch = touch;
    c->axes[0][0] = (double)n.x, c->axes[0][1] = (double)n.y, c->axes[0][2] = (double)n.z;
    find_frame(c->axes[0], c->axes + 1);
    memset(c->p, 0, sizeof c->p);
    wri_vertex_place(b, touch->vertex, x);
    const double apart[3] = {x[0] - (double)at.x, x[1] - (double)at.y, x[2] - (double)at.z};
    c->gap = wri_dot3(c->axes[0], apart);
    wri_vertex_velocity(b, touch->vertex, v);
    wr_vec3 other = rigid ? wr_body_copy_velocity(rigid, at) : wr_v3(0, 0, 0);
    const double against[3] = {v[0] - (double)other.x, v[1] - (double)other.y,
                               v[2] - (double)other.z};
    c->approach = -wri_dot3(c->axes[0], against);
    find_bias(b, touch, c);
}

void wri_contact_make(const wri_morph *b, const wr_body_copy *rigid, wri_contact *c)
{
    double v[3];
    wri_vertex_velocity(b, c->touch->vertex, v);
    for (int row = 0; row < 3; row++) {
        c->free[row] = wri_dot3(c->axes[row], v);
    }
    c->compliance = find_compliance(b, c->touch->vertex);
    find_rows(b, c);
    if (!b->model->is_full) {
        find_masses(c, rigid, b->model->freedom);
    }
}

// --- solving ------------------------------------------------------------------------------------

static void push_rigid(wr_body_copy *rigid, const wri_contact *c, int row, double by)
{
    if (rigid) {
        const double *n = c->axes[row];
        wr_body_copy_push(rigid, c->touch->point,
                          wr_v3((float)(-by * n[0]), (float)(-by * n[1]), (float)(-by * n[2])));
    }
}

static double rigid_speed(const wr_body_copy *rigid, const wri_contact *c, int row)
{
    if (!rigid) {
        return 0.0;
    }
    wr_vec3 v = wr_body_copy_velocity(rigid, c->touch->point);
    const double *n = c->axes[row];
    return n[0] * (double)v.x + n[1] * (double)v.y + n[2] * (double)v.z;
}

static void change(wri_contact *c, wr_body_copy *rigid, double *dz, int freedom, int row, double by)
{
    c->p[row] += by;
    for (int i = 0; i < freedom; i++) {
        dz[i] += c->Y[row][i] * by;
    }
    push_rigid(rigid, c, row, by);
}

// Returns how much the impulse changed.
static double solve_one(wri_contact *c, wr_body_copy *rigid, double *dz, int freedom)
{
    double w = c->free[0] + dot(c->J[0], dz, freedom) - rigid_speed(rigid, c, 0);
    double mass = c->inverse_mass[0] + c->compliance;
    double wish = mass > 0.0 ? c->p[0] - (w + c->bias + c->compliance * c->p[0]) / mass : 0.0;
    double by = (wish > 0.0 ? wish : 0.0) - c->p[0], sum = fabs(by);
    change(c, rigid, dz, freedom, 0, by);
    double tangent[2], most = (double)c->touch->friction * c->p[0];
    for (int k = 0; k < 2; k++) {
        int row = 1 + k;
        double slip = c->free[row] + dot(c->J[row], dz, freedom) - rigid_speed(rigid, c, row);
        double creep = CREEP * c->compliance, softness = c->inverse_mass[row] + creep;
        tangent[k] = softness > 0.0 ? c->p[row] - (slip + creep * c->p[row]) / softness : 0.0;
    }
    double length = wri_length2(tangent[0], tangent[1]);
    double share = length > most ? most / length : 1.0;
    for (int k = 0; k < 2; k++) {
        by = share * tangent[k] - c->p[1 + k];
        change(c, rigid, dz, freedom, 1 + k, by);
        sum += fabs(by);
    }
    return sum;
}

static wr_body_copy *rigid_of(const wri_contacts *set, const wri_contact *c)
{
    return c->touch->body >= 0 ? &set->bodies[c->touch->body] : NULL;
}

void wri_contacts_solve(const wri_contacts *set)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0.0, largest = 0.0;
        for (int i = 0; i < set->count; i++) {
            wri_contact *c = &set->items[i];
            double by = solve_one(c, rigid_of(set, c), c->dz, c->freedom);
            moved = by > moved ? by : moved;
            largest = c->p[0] > largest ? c->p[0] : largest;
        }
        if (moved <= SETTLED * largest) {
            return;
        }
    }
}

// The dent of a vertex that modes cannot follow, metres.
static void put_dent(wri_morph *b, const wri_contact *c)
{
    double depth = c->compliance * b->model->dt * c->p[0];
    wr_vec3 *dent = &b->dents[c->touch->vertex];
    *dent = wr_add(*dent, wr_v3((float)(depth * c->local[0][0]), (float)(depth * c->local[0][1]),
                                (float)(depth * c->local[0][2])));
    b->is_dented = true;
}

void wri_contact_finish(wri_morph *b, wri_contact *c, double *impulse)
{
    double sum[3] = {0.0}, local[3] = {0.0};
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) {
            sum[k] -= c->p[row] * c->axes[row][k];
            local[k] += c->p[row] * c->local[row][k];
        }
    }
    wri_vertex_force(b, c->touch->vertex, local, impulse);
    c->touch->impulse = wr_v3((float)sum[0], (float)sum[1], (float)sum[2]);
    if (c->p[0] > 0.0 && !b->model->is_full) {
        put_dent(b, c);
    }
}

// dv is A^-1 J^T p.
void wri_contact_apply(wri_morph *b, const double *dv, const double *impulse)
{
    const wr_morph_model *m = b->model;
    double h = m->dt;
    for (int i = 0; i < m->freedom; i++) {
        double mass = m->is_full ? m->full.mass[i / 3] : 1.0;
        b->v[i] += dv[i];
        b->q[i] += 0.5 * h * dv[i];
        b->a[i] += (dv[i] - impulse[i] / mass) / (h * m->gamma);
    }
}

// --- full bodies --------------------------------------------------------------------------------

// W_ij between the rows of a body's contacts, by the nearest target's factor.
static bool find_full_masses(wri_morph *b, const wri_contacts *set, const wr_tasks *tasks,
                             wr_scratch *scratch)
{
    int rows = 3 * set->count, freedom = b->model->freedom;
    float *columns = wr_scratch_push(scratch, (size_t)rows * (size_t)freedom, sizeof *columns);
    double *force = wr_scratch_push(scratch, (size_t)freedom, sizeof *force);
    if (!columns || !force) {
        return false;
    }
    for (int i = 0; i < rows; i++) {
        const wri_contact *c = &set->items[i / 3];
        memset(force, 0, (size_t)freedom * sizeof *force);
        wri_vertex_force(b, c->touch->vertex, c->local[i % 3], force);
        for (int k = 0; k < freedom; k++) {
            columns[(ptrdiff_t)i * freedom + k] = (float)force[k];
        }
    }
    if (!wri_full_answer(b, columns, rows, tasks)) {
        return false;
    }
    for (int j = 0; j < rows; j++) {
        for (int k = 0; k < freedom; k++) {
            force[k] = (double)columns[(ptrdiff_t)j * freedom + k];
        }
        for (int i = 0; i < rows; i++) {
            wri_contact *c = &set->items[i / 3];
            double u[3];
            wri_vertex_displacement(b, c->touch->vertex, force, u);
            set->items[j / 3].Y[j % 3][i] = wri_dot3(c->local[i % 3], u);
        }
    }
    return true;
}

static void give_back(const wri_contacts *set, int row)
{
    wri_contact *c = &set->items[row / 3];
    c->J[row % 3][row] = 1.0;
}

bool wri_contacts_solve_full(wri_morph *b, const wri_contacts *set, const wr_tasks *tasks,
                             wr_scratch *scratch)
{
    int rows = 3 * set->count, freedom = b->model->freedom;
    size_t size = (size_t)freedom;
    double *impulse = wr_scratch_push(scratch, size, sizeof *impulse);
    double *dv = wr_scratch_push(scratch, size, sizeof *dv);
    double *numbers =
        wr_scratch_push(scratch, 2 * (size_t)rows * (size_t)rows + (size_t)rows, sizeof *numbers);
    if (!impulse || !dv || !numbers) {
        return false;
    }
    double *dz = numbers + 2 * (ptrdiff_t)rows * rows, free[3];
    for (int i = 0; i < rows; i++) {
        wri_contact *c = &set->items[i / 3];
        c->J[i % 3] = numbers + (ptrdiff_t)i * rows;
        c->Y[i % 3] = numbers + (ptrdiff_t)(rows + i) * rows;
        c->dz = dz;
        c->freedom = rows;
        give_back(set, i);
    }
    if (!find_full_masses(b, set, tasks, scratch)) {
        return false;
    }
    for (int i = 0; i < set->count; i++) {
        find_masses(&set->items[i], rigid_of(set, &set->items[i]), rows);
    }
    for (int round = 0; round < ROUNDS; round++) {
        wri_contacts_solve(set);
        memset(impulse, 0, size * sizeof *impulse);
        for (int i = 0; i < set->count; i++) {
            wri_contact_finish(b, &set->items[i], impulse);
        }
        wri_full_solve(b, impulse, dv, tasks);
        memset(dz, 0, (size_t)rows * sizeof *dz);
        for (int i = 0; i < set->count; i++) { // what the factor of another target has got wrong
            wri_contact *c = &set->items[i];
            double u[3];
            wri_vertex_velocity(b, c->touch->vertex, free);
            wri_vertex_displacement(b, c->touch->vertex, dv, u);
            for (int row = 0; row < 3; row++) {
                c->free[row] = wri_dot3(c->axes[row], free) + wri_dot3(c->local[row], u);
            }
        }
    }
    wri_contact_apply(b, dv, impulse);
    return true;
}
