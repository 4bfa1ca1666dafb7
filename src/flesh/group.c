// group.c: what the contacts of bodies of flesh do to each other, W, and conjugate gradients in it.
//
// The thesis replaces A^-1 in W by the inverse of A's block diagonal, which makes finer skins
// stiffer. Here W is exact: a solve restricted to the touched nodes in each product, preconditioned
// by J_s A J_s^T.
#include "group.h"

#include "lever.h"
#include "turn.h"

#include <stdlib.h>

// Of A's diagonal, in the preconditioner: a node may be in several contacts, of which A alone tells
// nothing apart.
static const double STEADY = 0.02;

// --- J, and its transpose ---------------------------------------------------------------------

// Adds what an impulse on a node does to s and b.
static void spread_at(wri_member *m, int place, const double lambda[3], double share)
{
    const wr_flesh_model *model = m->f->model;
    const double *R = m->R[place];
    float *s = &m->s[3 * place];
    for (int k = 0; k < 3; k++) {
        double turned = R[k] * lambda[0] + R[3 + k] * lambda[1] + R[6 + k] * lambda[2];
        s[k] += (float)(share * turned);
    }
    int node = m->nodes[place];
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        int bone = model->bone_ids[e];
        double arm[3], impulse[3], moment[3], w = share * (double)model->weights[e];
        if (w == 0.0) { // so are the rest
            break;
        }
        wri_lever_now(m->f, node, bone, arm);
        wri_apply_transposed(WRI_MATRIX(m->f->Q[bone].m), lambda, impulse);
        wri_cross3(arm, impulse, moment);
        for (int k = 0; k < 3; k++) {
            m->b[6 * bone + k] += w * impulse[k];
            m->b[6 * bone + 3 + k] += w * moment[k];
        }
    }
}

// Adds the velocity of a node.
static void gather_at(const wri_member *m, int place, double share, double out[3])
{
    const wr_flesh_model *model = m->f->model;
    const double *R = m->R[place];
    const float *s = &m->s[3 * place];
    const double v[3] = {(double)s[0], (double)s[1], (double)s[2]};
    for (int k = 0; k < 3; k++) {
        out[k] += share * (R[3 * k] * v[0] + R[3 * k + 1] * v[1] + R[3 * k + 2] * v[2]);
    }
    int node = m->nodes[place];
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        int bone = model->bone_ids[e];
        const double *by = &m->change[6 * bone];
        double arm[3], velocity[3], w = share * (double)model->weights[e];
        if (w == 0.0) {
            break;
        }
        wri_lever_now(m->f, node, bone, arm);
        wri_cross3(&by[3], arm, velocity);
        for (int k = 0; k < 3; k++) {
            velocity[k] += by[k];
        }
        wri_apply(WRI_MATRIX(m->f->Q[bone].m), velocity, velocity);
        for (int k = 0; k < 3; k++) {
            out[k] += w * velocity[k];
        }
    }
}

static void find_arm(const wri_group *g, const wri_row *r, double arm[3])
{
    wr_vec3 center = g->bodies[r->contact->body].center;
    arm[0] = r->x[0] - (double)center.x;
    arm[1] = r->x[1] - (double)center.y;
    arm[2] = r->x[2] - (double)center.z;
}

static void push_body(const wri_group *g, const wri_row *r, const double lambda[3])
{
    wri_answer *push = &g->pushed[r->contact->body];
    double arm[3], moment[3];
    find_arm(g, r, arm);
    wri_cross3(arm, lambda, moment);
    for (int k = 0; k < 3; k++) {
        push->v[k] -= lambda[k];
        push->omega[k] -= moment[k];
    }
}

// Adds J^T lambda of a contact to s, b and what is pushed.
static void spread(wri_group *g, const wri_row *r, const double lambda[3])
{
    const wri_flesh_contact *c = r->contact;
    if (wri_is_own_core(r)) { // between skin and bone: no bone is moved by what is within it
        float *s = &g->members[c->member].s[3 * r->places[0]];
        for (int k = 0; k < 3; k++) {
            s[k] += (float)lambda[k];
        }
        return;
    }
    spread_at(&g->members[c->member], r->places[0], lambda, 1.0);
    if (c->body >= 0) {
        push_body(g, r, lambda);
    }
    for (int k = 0; wri_is_flesh(r) && k < 3; k++) {
        spread_at(&g->members[c->other], r->places[1 + k], lambda, -(double)c->shares[k]);
    }
}

void wri_group_gather(const wri_group *g, const wri_row *r, double out[3])
{
    const wri_flesh_contact *c = r->contact;
    memset(out, 0, 3 * sizeof *out);
    if (wri_is_own_core(r)) {
        for (int k = 0; k < 3; k++) {
            out[k] = (double)g->members[c->member].s[3 * r->places[0] + k];
        }
        return;
    }
    gather_at(&g->members[c->member], r->places[0], 1.0, out);
    if (c->body >= 0) {
        const wri_answer *by = &g->pushed[c->body];
        double arm[3], velocity[3];
        find_arm(g, r, arm);
        wri_cross3(by->omega, arm, velocity);
        for (int k = 0; k < 3; k++) {
            out[k] -= by->v[k] + velocity[k];
        }
    }
    for (int k = 0; wri_is_flesh(r) && k < 3; k++) {
        gather_at(&g->members[c->other], r->places[1 + k], -(double)c->shares[k], out);
    }
}

// --- W ----------------------------------------------------------------------------------------

static void answer_of_bodies(wri_group *g)
{
    for (int i = 0; i < g->body_count; i++) {
        const wr_body_copy *body = &g->bodies[i];
        wri_answer in = g->pushed[i], *out = &g->pushed[i];
        for (int k = 0; k < 3; k++) {
            const float *I = body->inverse_inertia.m[k];
            out->v[k] = (double)body->inverse_mass * in.v[k];
            out->omega[k] = (double)I[0] * in.omega[0] + (double)I[1] * in.omega[1] +
                            (double)I[2] * in.omega[2];
        }
    }
}

static void clear_patches(wri_group *g)
{
    for (int i = 0; i < g->member_count; i++) {
        wri_member *m = &g->members[i];
        memset(m->s, 0, 3 * (size_t)m->node_count * sizeof *m->s);
    }
}

void wri_group_spread(wri_group *g, const double *lambda)
{
    clear_patches(g);
    for (int i = 0; i < g->member_count; i++) {
        wri_member *m = &g->members[i];
        memset(m->b, 0, 6 * (size_t)m->f->model->bone_count * sizeof *m->b);
    }
    memset(g->pushed, 0, (size_t)g->body_count * sizeof *g->pushed);
    for (int i = 0; i < g->count; i++) {
        spread(g, &g->rows[i], &lambda[3 * i]);
    }
    for (int i = 0; i < g->member_count; i++) {
        wri_member *m = &g->members[i];
        for (int k = 0; k < m->node_count; k++) {
            wri_flesh_hold_bones(m->f->model, m->nodes[k], &m->s[3 * k], m->b);
        }
    }
}

static void answer_of_member(wri_member *m, const wr_tasks *tasks)
{
    const wr_flesh_model *model = m->f->model;
    wri_flesh_answer_of_bones(m->f, m->b, m->change);
    wri_factor_solve_path(model->factor, &m->f->path, m->s, tasks);
    for (int i = 0; i < m->node_count; i++) {
        f4 follow = wri_flesh_follow(model, m->nodes[i], m->change);
        for (int k = 0; k < 3; k++) {
            m->s[3 * i + k] += follow[k];
        }
    }
}

// out = W lambda.
static void multiply(wri_group *g, const double *lambda, double *out)
{
    wri_group_spread(g, lambda);
    answer_of_bodies(g);
    for (int i = 0; i < g->member_count; i++) {
        answer_of_member(&g->members[i], g->tasks);
    }
    for (int i = 0; i < g->count; i++) {
        wri_group_gather(g, &g->rows[i], &out[3 * i]);
    }
}

// What of a vector is free to be solved for, with what is across the normal times a factor.
static void project(const wri_row *r, double v[3], double across)
{
    double along = wri_dot3(r->n, v);
    for (int k = 0; k < 3; k++) {
        double normal = along * r->n[k];
        v[k] = !r->closed ? 0.0 : isinf(r->compliance) ? normal : normal + across * (v[k] - normal);
    }
}

// Where friction gives way the answer across the normal is less.
static void project_all(const wri_group *g, double *v)
{
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        const wri_member *m = &g->members[r->contact->member];
        double diagonal = (double)m->f->model->diagonal[m->nodes[r->places[0]]];
        project(r, &v[3 * i], 1.0 / sqrt(1.0 + r->compliance * diagonal));
    }
}

// C v, of a closed contact.
static void give_way(const wri_row *r, const double v[3], double out[3])
{
    double along = wri_dot3(r->n, v), C = isinf(r->compliance) ? 0.0 : r->compliance;
    for (int k = 0; k < 3; k++) {
        out[k] = C * (v[k] - along * r->n[k]);
    }
}

// --- the preconditioner -----------------------------------------------------------------------

// t = A s on the patch.
static void multiply_patch(wri_member *m, const wr_tasks *tasks)
{
    const wr_flesh_model *model = m->f->model;
    float stiff = model->damping_stiffness * model->dt + model->dt * model->dt;
    float heavy = 1.0f + model->damping_mass * model->dt;
    wri_block_patch_multiply(&m->f->patch, &model->K, m->s, m->t, tasks);
    for (int i = 0; i < 3 * m->node_count; i++) {
        m->t[i] = stiff * m->t[i] + heavy * model->mass[m->nodes[i / 3]] * m->s[i];
    }
}

// Of a contact of two skins each answers for a half. Where three corners share an impulse the part
// of it that comes back is the sum of the shares' squares, which the scale makes good.
static double scale_of(const wri_row *r, int side)
{
    const float *w = r->contact->shares;
    if (!wri_is_flesh(r) || side == 0) {
        return wri_is_flesh(r) ? 0.5 : 1.0;
    }
    return 0.5 / (double)(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

typedef struct foot {
    wri_member *member;
    int place;
    double share;
} foot;

// Foot k of a contact: 0 is its node, the others are the corners it meets.
static foot foot_of(const wri_group *g, const wri_row *r, int k)
{
    const wri_flesh_contact *c = r->contact;
    return (foot){&g->members[k == 0 ? c->member : c->other], r->places[k],
                  scale_of(r, k > 0) * (k == 0 ? 1.0 : -(double)c->shares[k - 1])};
}

// out = J_s A J_s^T v on the patches, and a little of A's diagonal.
static void precondition(wri_group *g, const double *v, double *out)
{
    clear_patches(g);
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        const double *at = &v[3 * i];
        for (int f = 0; f < wri_feet(r); f++) {
            foot to = foot_of(g, r, f);
            const double *R = to.member->R[to.place];
            for (int k = 0; k < 3; k++) {
                double turned = R[k] * at[0] + R[3 + k] * at[1] + R[6 + k] * at[2];
                to.member->s[3 * to.place + k] +=
                    (float)(to.share * (wri_is_own_core(r) ? at[k] : turned));
            }
        }
    }
    for (int i = 0; i < g->member_count; i++) {
        multiply_patch(&g->members[i], g->tasks);
    }
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        const wri_member *m = &g->members[r->contact->member];
        double steady = STEADY * (double)m->f->model->diagonal[m->nodes[r->places[0]]];
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = steady * v[3 * i + k];
        }
        for (int f = 0; f < wri_feet(r); f++) {
            foot from = foot_of(g, r, f);
            const double *R = from.member->R[from.place];
            const float *t = &from.member->t[3 * from.place];
            for (int k = 0; k < 3; k++) {
                double turned = R[3 * k] * (double)t[0] + R[3 * k + 1] * (double)t[1] +
                                R[3 * k + 2] * (double)t[2];
                out[3 * i + k] += from.share * (wri_is_own_core(r) ? (double)t[k] : turned);
            }
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

// -(u + C lambda) where it is free.
static void find_residual(const wri_group *g, double *out)
{
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        give_way(r, r->lambda, &out[3 * i]);
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = -(r->u[k] + out[3 * i + k]);
        }
        project(r, &out[3 * i], 1.0);
    }
}

static void precondition_free(wri_group *g, const double *r, double *z, double *room)
{
    memcpy(room, r, 3 * (size_t)g->count * sizeof *room);
    project_all(g, room);
    precondition(g, room, z);
    project_all(g, z);
}

// d.(W + C) d
static double energy_of(const wri_group *g, const double *d, const double *Wd)
{
    double sum = inner(d, Wd, 3 * g->count);
    for (int i = 0; i < g->count; i++) {
        double Cd[3];
        give_way(&g->rows[i], &d[3 * i], Cd);
        sum += wri_dot3(Cd, &d[3 * i]);
    }
    return sum;
}

double wri_group_evaluate(wri_group *g)
{
    double *lambda = g->vectors[0], *Wlambda = g->vectors[1];
    for (int i = 0; i < 3 * g->count; i++) {
        lambda[i] = g->rows[i / 3].lambda[i % 3];
    }
    multiply(g, lambda, Wlambda);
    double work = 0.0;
    for (int i = 0; i < 3 * g->count; i++) {
        wri_row *r = &g->rows[i / 3];
        r->u[i % 3] = r->c[i % 3] + Wlambda[i];
        work += 0.5 * lambda[i] * (r->c[i % 3] + r->u[i % 3]);
    }
    return work;
}

bool wri_group_solve(wri_group *g, int iterations, double enough)
{
    int size = 3 * g->count;
    double *r = g->vectors[1], *z = g->vectors[2], *d = g->vectors[3];
    double *Wd = z, *room = g->vectors[0]; // z is used up before W d is needed
    find_residual(g, r);
    precondition_free(g, r, z, room);
    memcpy(d, z, (size_t)size * sizeof *d);
    double energy = inner(r, z, size);
    for (int k = 0; k < iterations && energy > enough; k++) {
        multiply(g, d, Wd);
        double step = energy / energy_of(g, d, Wd);
        for (int i = 0; i < size; i++) {
            g->rows[i / 3].lambda[i % 3] += step * d[i];
            g->rows[i / 3].u[i % 3] += step * Wd[i];
        }
        find_residual(g, r);
        precondition_free(g, r, z, room);
        double next = inner(r, z, size);
        for (int i = 0; i < size; i++) {
            d[i] = z[i] + next / energy * d[i];
        }
        energy = next;
    }
    return energy <= enough;
}

double wri_group_norm(wri_group *g)
{
    double *r = g->vectors[1], *z = g->vectors[2];
    for (int i = 0; i < g->count; i++) {
        const wri_row *one = &g->rows[i];
        double along = fmin(wri_dot3(one->n, one->c), 0.0);
        for (int k = 0; k < 3; k++) {
            r[3 * i + k] = along * one->n[k];
        }
    }
    precondition(g, r, z);
    return inner(r, z, 3 * g->count);
}

// --- preparation ------------------------------------------------------------------------------

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int member_at(const wri_row *r, int k)
{
    return k == 0 ? r->contact->member : r->contact->other;
}

static int node_at(const wri_row *r, int k)
{
    return k == 0 ? r->contact->node : r->contact->corners[k - 1];
}

// How many feet of contacts are on a member; lists their nodes.
static int list_feet(const wri_group *g, int member, int *nodes)
{
    int count = 0;
    for (int i = 0; i < g->count; i++) {
        for (int k = 0; k < wri_feet(&g->rows[i]); k++) {
            if (member_at(&g->rows[i], k) == member) {
                if (nodes) {
                    nodes[count] = node_at(&g->rows[i], k);
                }
                count++;
            }
        }
    }
    return count;
}

static void find_places(wri_group *g, int member)
{
    const wri_member *m = &g->members[member];
    for (int i = 0; i < g->count; i++) {
        wri_row *r = &g->rows[i];
        for (int k = 0; k < wri_feet(r); k++) {
            int node = node_at(r, k);
            if (member_at(r, k) == member) {
                const int *at =
                    bsearch(&node, m->nodes, (size_t)m->node_count, sizeof *m->nodes, compare_ints);
                r->places[k] = (int)(at - m->nodes);
            }
        }
    }
}

static void find_rotations(wri_member *m)
{
    const wr_flesh_model *model = m->f->model;
    for (int i = 0; i < m->node_count; i++) {
        memset(m->R[i], 0, sizeof m->R[i]);
        for (int e = 0; e < WRI_FLESH_BONES; e++) {
            int at = m->nodes[i] * WRI_FLESH_BONES + e;
            for (int k = 0; k < 9; k++) {
                m->R[i][k] +=
                    (double)model->weights[at] * m->f->Q[model->bone_ids[at]].m[k / 3][k % 3];
            }
        }
    }
}

static bool create_member(wri_group *g, int member, wr_scratch *scratch)
{
    wri_member *m = &g->members[member];
    const wr_flesh_model *model = m->f->model;
    size_t feet = (size_t)list_feet(g, member, NULL), bones = 6 * (size_t)model->bone_count;
    m->nodes = wr_scratch_push(scratch, feet, sizeof *m->nodes);
    m->R = wr_scratch_push(scratch, feet, sizeof *m->R);
    m->s = wr_scratch_push(scratch, 6 * feet, sizeof *m->s);
    m->b = wr_scratch_push(scratch, 2 * bones, sizeof *m->b);
    if (!m->nodes || !m->R || !m->s || !m->b) {
        return false;
    }
    m->t = m->s + 3 * feet;
    m->change = m->b + bones;
    list_feet(g, member, m->nodes);
    qsort(m->nodes, feet, sizeof *m->nodes, compare_ints);
    for (size_t i = 0; i < feet; i++) {
        if (i == 0 || m->nodes[i] != m->nodes[i - 1]) {
            m->nodes[m->node_count++] = m->nodes[i];
        }
    }
    find_places(g, member);
    find_rotations(m);
    return wri_path_set(&m->f->path, m->nodes, m->node_count, NULL) &&
           wri_block_patch_set(&m->f->patch, &model->K, m->nodes, m->node_count, NULL);
}

bool wri_group_create(wri_group *g, wri_flesh *const *members, int member_count,
                      wri_flesh_contact *contacts, int count, wr_scratch *scratch)
{
    size_t rows = (size_t)count;
    g->member_count = member_count;
    g->count = count;
    g->members = wr_scratch_push(scratch, (size_t)member_count, sizeof *g->members);
    g->rows = wr_scratch_push(scratch, rows, sizeof *g->rows);
    g->pushed = wr_scratch_push(scratch, (size_t)g->body_count, sizeof *g->pushed);
    double *vectors = wr_scratch_push(scratch, 12 * rows, sizeof *vectors);
    if (!g->members || !g->rows || !g->pushed || !vectors) {
        return false;
    }
    for (int k = 0; k < 4; k++) {
        g->vectors[k] = vectors + 3 * rows * (size_t)k;
    }
    for (int i = 0; i < count; i++) {
        wri_flesh_contact *c = &contacts[i];
        g->rows[i] = (wri_row){.contact = c,
                               .n = {(double)c->normal.x, (double)c->normal.y, (double)c->normal.z},
                               .x = {(double)c->point.x, (double)c->point.y, (double)c->point.z}};
    }
    bool ok = true;
    for (int i = 0; ok && i < member_count; i++) {
        g->members[i] = (wri_member){.f = members[i]};
        ok = create_member(g, i, scratch);
    }
    return ok;
}
