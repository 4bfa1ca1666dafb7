// contact.c: skin that touches something moves its bones and what it touches, all in one solve.
//
// Each contact has an impulse lambda in R^3 on its node, and, the other way, on what it touches:
//
//     0 <= lambda_n  _|_  n.u - goal >= 0,   |lambda_t| <= mu lambda_n,   u = c + W lambda
//
// with u the relative velocity after the step, c that without contact, goal -gap / dt where they
// are apart, and W = J M^-1 J^T (eq. 3.17). The thesis replaces A^-1 in W by the inverse of A's
// block diagonal, which makes finer skins stiffer. Here W is exact: conjugate gradients in lambda,
// with a solve restricted to the touched nodes in each, preconditioned by J_s A J_s^T. Around them
// an active set: what pulls is dropped, what would go in is added, what exceeds the cone slides.
#include "flesh.h"
#include "lever.h"
#include "turn.h"

#include <stdlib.h>

enum {
    ROUNDS = 12,    // of the active set at most
    ADDING = 8,     // rounds in which contacts are added; then they are only dropped
    ITERATIONS = 3, // of conjugate gradients in a round, while anything changes
    LAST = 20,      // in the last one
};
static const double PRECISION = 1e-3; // of the velocities that are stopped, in the preconditioned
                                      // norm
static const double CHANGES = 2e-2;   // of the largest impulse: what is still the same
static const double STEADY = 0.02;    // of A's diagonal, in the preconditioner: a node may be in
                                      // several contacts, of which A alone tells nothing apart
static const float CORRECTED = 0.2f;  // of an overlap, in a step

typedef enum contact_state { OPEN, STICKS, SLIDES } contact_state;

// A contact as the solver sees it.
typedef struct row {
    wri_flesh_contact *contact;
    int place; // of its node in the patch
    contact_state state;
    double n[3], x[3];  // normal; where: world (own core: bind pose)
    double c[3];        // m/s: relative velocity without contact, less the goal along n
    double lambda[3];   // N s
    double u[3];        // m/s: c + W lambda
    double friction[3]; // N s: what sliding contacts add, held while the others are solved
} row;

typedef struct answer {
    double v[3], omega[3];
} answer;

typedef struct contact_solve {
    wri_flesh *f;
    const wr_tasks *tasks;
    wr_body_copy *bodies;
    int body_count;
    row *rows;
    int count;
    int *nodes; // of the patch
    int node_count;
    double (*R)[9];     // per node of the patch: sum w Q
    float *s, *t;       // three of each node of the patch
    double *b, *change; // six of each bone
    answer *pushed;     // per body: impulse and its moment, then what it does
    double *vectors[4]; // for conjugate gradients, three of each row
} contact_solve;

// --- J, and its transpose ---------------------------------------------------------------------

static bool is_own_core(const row *r)
{
    return r->contact->body == WRI_OWN_CORE;
}

// Adds J^T lambda of a contact to s, b and what is pushed.
static void spread(contact_solve *a, const row *r, const double lambda[3])
{
    const wr_flesh_model *m = a->f->model;
    const double *R = a->R[r->place];
    float *s = &a->s[3 * r->place];
    for (int k = 0; k < 3; k++) {
        double turned = R[k] * lambda[0] + R[3 + k] * lambda[1] + R[6 + k] * lambda[2];
        s[k] += (float)(is_own_core(r) ? lambda[k] : turned);
    }
    if (is_own_core(r)) { // between skin and bone: no bone is moved by what is within it
        return;
    }
    int node = r->contact->node;
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        int bone = m->bone_ids[e];
        double arm[3], impulse[3], moment[3], w = (double)m->weights[e];
        wri_lever_now(a->f, node, bone, arm);
        wri_apply_transposed(WRI_MATRIX(a->f->Q[bone].m), lambda, impulse);
        wri_cross3(arm, impulse, moment);
        for (int k = 0; k < 3; k++) {
            a->b[6 * bone + k] += w * impulse[k];
            a->b[6 * bone + 3 + k] += w * moment[k];
        }
    }
    if (r->contact->body >= 0) {
        answer *push = &a->pushed[r->contact->body];
        wr_vec3 center = a->bodies[r->contact->body].center;
        double arm[3] = {r->x[0] - (double)center.x, r->x[1] - (double)center.y,
                         r->x[2] - (double)center.z};
        double moment[3];
        wri_cross3(arm, lambda, moment);
        for (int k = 0; k < 3; k++) {
            push->v[k] -= lambda[k];
            push->omega[k] -= moment[k];
        }
    }
}

// What J makes of the changes of bones, of the node itself (bind pose), and of what it touches.
static void gather(const contact_solve *a, const row *r, const float own[3], double out[3])
{
    const wr_flesh_model *m = a->f->model;
    const double *R = a->R[r->place];
    double v[3] = {(double)own[0], (double)own[1], (double)own[2]};
    for (int k = 0; k < 3; k++) {
        out[k] =
            is_own_core(r) ? v[k] : R[3 * k] * v[0] + R[3 * k + 1] * v[1] + R[3 * k + 2] * v[2];
    }
    if (is_own_core(r)) {
        return;
    }
    int node = r->contact->node;
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        int bone = m->bone_ids[e];
        const double *by = &a->change[6 * bone];
        double arm[3], velocity[3], w = (double)m->weights[e];
        wri_lever_now(a->f, node, bone, arm);
        wri_cross3(&by[3], arm, velocity);
        for (int k = 0; k < 3; k++) {
            velocity[k] += by[k];
        }
        wri_apply(WRI_MATRIX(a->f->Q[bone].m), velocity, velocity);
        for (int k = 0; k < 3; k++) {
            out[k] += w * velocity[k];
        }
    }
    if (r->contact->body >= 0) {
        const answer *by = &a->pushed[r->contact->body];
        wr_vec3 center = a->bodies[r->contact->body].center;
        double arm[3] = {r->x[0] - (double)center.x, r->x[1] - (double)center.y,
                         r->x[2] - (double)center.z};
        double velocity[3];
        wri_cross3(by->omega, arm, velocity);
        for (int k = 0; k < 3; k++) {
            out[k] -= by->v[k] + velocity[k];
        }
    }
}

// --- W ----------------------------------------------------------------------------------------

static void answer_of_bodies(contact_solve *a)
{
    for (int i = 0; i < a->body_count; i++) {
        const wr_body_copy *body = &a->bodies[i];
        answer in = a->pushed[i], *out = &a->pushed[i];
        for (int k = 0; k < 3; k++) {
            const float *I = body->inverse_inertia.m[k];
            out->v[k] = (double)body->inverse_mass * in.v[k];
            out->omega[k] = (double)I[0] * in.omega[0] + (double)I[1] * in.omega[1] +
                            (double)I[2] * in.omega[2];
        }
    }
}

// s, b and pushes from all impulses.
static void spread_all(contact_solve *a, const double *lambda)
{
    memset(a->s, 0, 3 * (size_t)a->node_count * sizeof *a->s);
    memset(a->b, 0, 6 * (size_t)a->f->model->bone_count * sizeof *a->b);
    memset(a->pushed, 0, (size_t)a->body_count * sizeof *a->pushed);
    for (int i = 0; i < a->count; i++) {
        spread(a, &a->rows[i], &lambda[3 * i]);
    }
    for (int i = 0; i < a->node_count; i++) {
        wri_flesh_hold_bones(a->f->model, a->nodes[i], &a->s[3 * i], a->b);
    }
}

// out = W lambda.
static void multiply(contact_solve *a, const double *lambda, double *out)
{
    const wr_flesh_model *m = a->f->model;
    spread_all(a, lambda);
    answer_of_bodies(a);
    wri_flesh_answer_of_bones(a->f, a->b, a->change);
    wri_factor_solve_path(m->factor, &a->f->path, a->s, a->tasks);
    for (int i = 0; i < a->node_count; i++) {
        f4 follow = wri_flesh_follow(m, a->nodes[i], a->change);
        for (int k = 0; k < 3; k++) {
            a->s[3 * i + k] += follow[k];
        }
    }
    for (int i = 0; i < a->count; i++) {
        const row *r = &a->rows[i];
        gather(a, r, &a->s[3 * r->place], &out[3 * i]);
    }
}

// What of a vector is free to be solved for.
static void project(const row *r, double v[3])
{
    double along = r->state == SLIDES ? wri_dot3(r->n, v) : 0.0;
    for (int k = 0; k < 3; k++) {
        v[k] = r->state == STICKS ? v[k] : along * r->n[k];
    }
}

static void project_all(const contact_solve *a, double *v)
{
    for (int i = 0; i < a->count; i++) {
        project(&a->rows[i], &v[3 * i]);
    }
}

// out = J_s A J_s^T v on the patch, and a little of A's diagonal.
static void precondition(contact_solve *a, const double *v, double *out)
{
    const wr_flesh_model *m = a->f->model;
    float stiff = m->damping_stiffness * m->dt + m->dt * m->dt;
    float heavy = 1.0f + m->damping_mass * m->dt;
    memset(a->s, 0, 3 * (size_t)a->node_count * sizeof *a->s);
    for (int i = 0; i < a->count; i++) {
        const row *r = &a->rows[i];
        const double *R = a->R[r->place], *at = &v[3 * i];
        for (int k = 0; k < 3; k++) {
            double turned = R[k] * at[0] + R[3 + k] * at[1] + R[6 + k] * at[2];
            a->s[3 * r->place + k] += (float)(is_own_core(r) ? at[k] : turned);
        }
    }
    wri_block_patch_multiply(&a->f->patch, &m->K, a->s, a->t, a->tasks);
    for (int i = 0; i < 3 * a->node_count; i++) {
        a->t[i] = stiff * a->t[i] + heavy * m->mass[a->nodes[i / 3]] * a->s[i];
    }
    for (int i = 0; i < a->count; i++) {
        const row *r = &a->rows[i];
        const double *R = a->R[r->place];
        const float *t = &a->t[3 * r->place];
        double steady = STEADY * (double)m->diagonal[a->nodes[r->place]];
        for (int k = 0; k < 3; k++) {
            double turned =
                R[3 * k] * (double)t[0] + R[3 * k + 1] * (double)t[1] + R[3 * k + 2] * (double)t[2];
            out[3 * i + k] = (is_own_core(r) ? (double)t[k] : turned) + steady * v[3 * i + k];
        }
    }
}

// --- conjugate gradients ----------------------------------------------------------------------

static double inner(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Goes on with conjugate gradients from the impulses there are, towards those for which u is zero
// where it is free. Leaves u of all rows. True: `enough` of the preconditioned norm was reached.
static bool solve_active(contact_solve *a, int iterations, double enough)
{
    int size = 3 * a->count;
    double *lambda = a->vectors[0], *r = a->vectors[1], *z = a->vectors[2], *d = a->vectors[3];
    double *Wd = z; // z is used up before W d is needed
    for (int i = 0; i < size; i++) {
        lambda[i] = a->rows[i / 3].lambda[i % 3] + a->rows[i / 3].friction[i % 3];
    }
    multiply(a, lambda, r);
    for (int i = 0; i < a->count; i++) {
        row *one = &a->rows[i];
        for (int k = 0; k < 3; k++) {
            one->u[k] = one->c[k] + r[3 * i + k];
            r[3 * i + k] = -one->u[k];
        }
    }
    project_all(a, r);
    precondition(a, r, z);
    project_all(a, z);
    memcpy(d, z, (size_t)size * sizeof *d);
    double energy = inner(r, z, size);
    for (int k = 0; k < iterations && energy > enough; k++) {
        multiply(a, d, Wd);
        double step = energy / inner(d, Wd, size);
        for (int i = 0; i < size; i++) {
            a->rows[i / 3].lambda[i % 3] += step * d[i];
            a->rows[i / 3].u[i % 3] += step * Wd[i];
            r[i] = -a->rows[i / 3].u[i % 3];
        }
        project_all(a, r);
        precondition(a, r, z);
        project_all(a, z);
        double next = inner(r, z, size);
        for (int i = 0; i < size; i++) {
            d[i] = z[i] + next / energy * d[i];
        }
        energy = next;
    }
    return energy <= enough;
}

// The preconditioned norm of what must be stopped.
static double norm_of_start(contact_solve *a)
{
    double *r = a->vectors[1], *z = a->vectors[2];
    for (int i = 0; i < a->count; i++) {
        const row *one = &a->rows[i];
        double along = fmin(wri_dot3(one->n, one->c), 0.0);
        for (int k = 0; k < 3; k++) {
            r[3 * i + k] = along * one->n[k];
        }
    }
    precondition(a, r, z);
    return inner(r, z, 3 * a->count);
}

// --- the active set ---------------------------------------------------------------------------

// Coulomb's impulse against the slip, or, where nothing slips, in the direction it had.
static void rub(row *r, double normal)
{
    double along = wri_dot3(r->n, r->u), slip[3], size = 0.0;
    for (int k = 0; k < 3; k++) {
        slip[k] = r->u[k] - along * r->n[k];
        size += slip[k] * slip[k];
    }
    size = sqrt(size);
    double most = (double)r->contact->friction * fmax(normal, 0.0);
    for (int k = 0; k < 3 && size > 0.0; k++) {
        r->friction[k] = -most * slip[k] / size;
    }
}

static bool update_sticking(row *r)
{
    double normal = wri_dot3(r->n, r->lambda), across[3], size = 0.0;
    for (int k = 0; k < 3; k++) {
        across[k] = r->lambda[k] - normal * r->n[k];
        size += across[k] * across[k];
    }
    size = sqrt(size);
    double most = (double)r->contact->friction * normal;
    if (!(size > most * (1.0 + CHANGES))) {
        return false;
    }
    r->state = SLIDES;
    for (int k = 0; k < 3; k++) {
        r->friction[k] = most * across[k] / size;
        r->lambda[k] = normal * r->n[k];
    }
    return true;
}

static bool update_sliding(row *r, double largest)
{
    double before[3], off = 0.0, normal = wri_dot3(r->n, r->lambda);
    memcpy(before, r->friction, sizeof before);
    if (wri_dot3(r->u, r->friction) > 0.0) { // friction drives it: it has come to rest
        r->state = STICKS;
        for (int k = 0; k < 3; k++) {
            r->lambda[k] += r->friction[k];
            r->friction[k] = 0.0;
        }
        return true;
    }
    rub(r, normal);
    for (int k = 0; k < 3; k++) {
        off += (r->friction[k] - before[k]) * (r->friction[k] - before[k]);
    }
    return off > CHANGES * CHANGES * largest * largest;
}

static void drop(row *r)
{
    r->state = OPEN;
    memset(r->lambda, 0, sizeof r->lambda);
    memset(r->friction, 0, sizeof r->friction);
}

// How many changed.
static int update_states(contact_solve *a, int round)
{
    int changed = 0;
    double largest = 0.0, fastest = 0.0;
    for (int i = 0; i < a->count; i++) {
        largest = fmax(largest, wri_dot3(a->rows[i].n, a->rows[i].lambda));
        fastest = fmax(fastest, fabs(wri_dot3(a->rows[i].n, a->rows[i].c)));
    }
    for (int i = 0; i < a->count; i++) {
        row *r = &a->rows[i];
        if (r->state != OPEN && wri_dot3(r->n, r->lambda) < 0.0) {
            drop(r);
            changed++;
        } else if (r->state == OPEN) {
            bool goes_in = wri_dot3(r->n, r->u) < -PRECISION * fastest;
            if (goes_in && round < ADDING) {
                r->state = r->contact->friction > 0.0f ? STICKS : SLIDES;
                changed++;
            }
        } else {
            changed += r->state == STICKS ? update_sticking(r) : update_sliding(r, largest);
        }
    }
    return changed;
}

// --- preparation ------------------------------------------------------------------------------

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void list_nodes(contact_solve *a)
{
    for (int i = 0; i < a->count; i++) {
        a->nodes[i] = a->rows[i].contact->node;
    }
    qsort(a->nodes, (size_t)a->count, sizeof *a->nodes, compare_ints);
    for (int i = 0; i < a->count; i++) {
        if (i == 0 || a->nodes[i] != a->nodes[i - 1]) {
            a->nodes[a->node_count++] = a->nodes[i];
        }
    }
    for (int i = 0; i < a->count; i++) {
        const int *at = bsearch(&a->rows[i].contact->node, a->nodes, (size_t)a->node_count,
                                sizeof *a->nodes, compare_ints);
        a->rows[i].place = (int)(at - a->nodes);
    }
}

static void find_rotations(contact_solve *a)
{
    const wr_flesh_model *m = a->f->model;
    for (int i = 0; i < a->node_count; i++) {
        memset(a->R[i], 0, sizeof a->R[i]);
        for (int e = 0; e < WRI_FLESH_BONES; e++) {
            int at = a->nodes[i] * WRI_FLESH_BONES + e;
            for (int k = 0; k < 9; k++) {
                a->R[i][k] += (double)m->weights[at] * a->f->Q[m->bone_ids[at]].m[k / 3][k % 3];
            }
        }
    }
}

// A contact begins as that of its node with the same body was in the step before.
static void begin_row(const wri_flesh *f, row *r)
{
    const wri_felt *felt = &f->felt[r->contact->node];
    double normal = wri_dot3(felt->impulse, r->n);
    if (felt->body != r->contact->body || !(normal > 0.0) || !(wri_dot3(r->c, r->n) < 0.0)) {
        return;
    }
    r->state = felt->slid ? SLIDES : STICKS;
    for (int k = 0; k < 3; k++) {
        double across = felt->impulse[k] - normal * r->n[k];
        r->lambda[k] = normal * r->n[k] + (felt->slid ? 0.0 : across);
        r->friction[k] = felt->slid ? across : 0.0;
    }
}

// Velocities without contact, as J sees them, less the goal.
static void find_velocities(contact_solve *a)
{
    const wr_flesh_model *m = a->f->model;
    wri_flesh_find_velocities(a->f, a->change);
    for (int i = 0; i < a->body_count; i++) {
        wr_vec3 v = a->bodies[i].velocity, omega = a->bodies[i].angular_velocity;
        a->pushed[i] = (answer){{(double)v.x, (double)v.y, (double)v.z},
                                {(double)omega.x, (double)omega.y, (double)omega.z}};
    }
    for (int i = 0; i < a->count; i++) {
        row *r = &a->rows[i];
        f4 own = a->f->v[r->contact->node];
        gather(a, r, (float[3]){own[0], own[1], own[2]}, r->c);
        double goal = r->contact->gap > 0.0f ? -(double)(r->contact->gap / m->dt)
                                             : (double)r->contact->bounce;
        for (int k = 0; k < 3; k++) {
            r->c[k] -= goal * r->n[k];
        }
        begin_row(a->f, r);
    }
}

static bool prepare(contact_solve *a, wri_flesh_contact *contacts, wr_scratch *scratch)
{
    const wr_flesh_model *m = a->f->model;
    size_t count = (size_t)a->count, bones = 6 * (size_t)m->bone_count;
    a->rows = wr_scratch_push(scratch, count, sizeof *a->rows);
    a->nodes = wr_scratch_push(scratch, count, sizeof *a->nodes);
    a->R = wr_scratch_push(scratch, count, sizeof *a->R);
    a->s = wr_scratch_push(scratch, 6 * count, sizeof *a->s);
    a->b = wr_scratch_push(scratch, 2 * bones, sizeof *a->b);
    a->pushed = wr_scratch_push(scratch, (size_t)a->body_count, sizeof *a->pushed);
    double *vectors = wr_scratch_push(scratch, 12 * count, sizeof *vectors);
    if (!a->rows || !a->nodes || !a->R || !a->s || !a->b || !a->pushed || !vectors) {
        return false;
    }
    a->t = a->s + 3 * count;
    a->change = a->b + bones;
    for (int k = 0; k < 4; k++) {
        a->vectors[k] = vectors + 3 * count * (size_t)k;
    }
    for (int i = 0; i < a->count; i++) {
        wri_flesh_contact *c = &contacts[i];
        a->rows[i] = (row){.contact = c,
                           .n = {(double)c->normal.x, (double)c->normal.y, (double)c->normal.z},
                           .x = {(double)c->point.x, (double)c->point.y, (double)c->point.z}};
    }
    list_nodes(a);
    find_rotations(a);
    find_velocities(a);
    return wri_path_set(&a->f->path, a->nodes, a->node_count, NULL) &&
           wri_block_patch_set(&a->f->patch, &m->K, a->nodes, a->node_count, NULL);
}

// --- the answer -------------------------------------------------------------------------------

static void keep_for_the_next(contact_solve *a)
{
    wri_felt *felt = a->f->felt;
    memset(felt, 0, (size_t)a->f->model->node_count * sizeof *felt);
    for (int i = 0; i < a->count; i++) {
        const row *r = &a->rows[i];
        wri_felt *one = &felt[r->contact->node];
        one->body = r->contact->body;
        one->slid = r->state == SLIDES;
        for (int k = 0; k < 3; k++) {
            one->impulse[k] = r->lambda[k] + r->friction[k];
        }
    }
}

static bool apply(contact_solve *a, wr_scratch *scratch)
{
    const wr_flesh_model *m = a->f->model;
    float *s = wr_scratch_push(scratch, 3 * (size_t)m->node_count, sizeof *s);
    if (!s) {
        return false;
    }
    for (int i = 0; i < a->count; i++) {
        row *r = &a->rows[i];
        for (int k = 0; k < 3; k++) {
            a->vectors[0][3 * i + k] = r->lambda[k] + r->friction[k];
        }
        const double *lambda = &a->vectors[0][3 * i];
        r->contact->impulse = wr_v3((float)lambda[0], (float)lambda[1], (float)lambda[2]);
        if (r->contact->body >= 0) {
            wr_body_copy_push(&a->bodies[r->contact->body], r->contact->point,
                              wr_scale(-1.0f, r->contact->impulse));
        }
    }
    spread_all(a, a->vectors[0]);
    wri_flesh_answer_of_bones(a->f, a->b, a->change);
    for (int i = 0; i < a->node_count; i++) {
        memcpy(&s[3 * a->nodes[i]], &a->s[3 * i], 3 * sizeof *s);
    }
    wri_factor_solve(m->factor, s, a->tasks);
    wri_flesh_answer_of_skin(a->f, s, a->change, a->tasks);
    wri_flesh_change_bones(a->f, a->change);
    return true;
}

bool wri_flesh_solve_contacts(wri_flesh *f, wri_flesh_contact *contacts, int count,
                              wr_body_copy *bodies, int body_count, const wr_tasks *tasks,
                              wr_scratch *scratch)
{
    size_t used = scratch->used;
    contact_solve a = {
        .f = f, .tasks = tasks, .bodies = bodies, .body_count = body_count, .count = count};
    bool ok = count == 0 || prepare(&a, contacts, scratch);
    if (ok && count > 0) {
        double enough = PRECISION * PRECISION * norm_of_start(&a);
        bool is_solved = solve_active(&a, 0, enough);
        int few = count / 100, changed = update_states(&a, 0);
        for (int round = 1; round < ROUNDS && (changed > few || !is_solved); round++) {
            is_solved = solve_active(&a, changed > few ? ITERATIONS : LAST, enough);
            changed = update_states(&a, round);
        }
        ok = apply(&a, scratch);
    }
    keep_for_the_next(&a);
    scratch->used = used;
    return ok;
}

// Eq. 3.21, 3.22: a part of what is left of an overlap, by the skin alone.
void wri_flesh_correct(wri_flesh *f, const wri_flesh_contact *contacts, int count, float slop)
{
    const wr_flesh_model *m = f->model;
    for (int i = 0; i < count; i++) {
        const wri_flesh_contact *c = &contacts[i];
        float depth = -c->gap - slop;
        if (!(depth > 0.0f) || c->body == WRI_OWN_CORE) {
            continue;
        }
        double n[3] = {(double)c->normal.x, (double)c->normal.y, (double)c->normal.z}, own[3];
        for (int e = c->node * WRI_FLESH_BONES; e < (c->node + 1) * WRI_FLESH_BONES; e++) {
            wri_apply_transposed(WRI_MATRIX(f->Q[m->bone_ids[e]].m), n, own);
            for (int k = 0; k < 3; k++) {
                f->q[c->node][k] += m->weights[e] * CORRECTED * depth * (float)own[k];
            }
        }
    }
}
