// group.c: what the contacts of bodies of flesh do to each other, W, and conjugate gradients in it.
//
// The thesis replaces A^-1 in W by the inverse of A's block diagonal, which makes finer skins
// stiffer. Here W is exact: a solve restricted to the touched nodes in each product, preconditioned
// by J_s A J_s^T, or, where that is worth it, by what contacts do to each other nearby (local.c).
#include "group.h"

#include "lever.h"
#include "../math/turn.h"

#include "../math/decompose.h"

#include <stdlib.h>

// Of A's diagonal, in the preconditioner: a node may be in several contacts, of which A alone tells
// nothing apart.
static const double STEADY = 0.02;
static const double LEAST_SIGMA = 0.5;  // singular value of a mean of rotations
static const double CORE_GIVES = 0.01;  // of a contact's own compliance: that of a core,
static const double BONE_GIVES = 0.02;  // but of its bone's mobility at most, if not many share it;
static const double SKIN_GIVES = 0.02;  // of a contact's own compliance: that of two skins;
static const double RIGID_GIVES = 5e-4; // of how easily what it touches is moved: that of all

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
        push->v[3 + k] -= moment[k];
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
        wri_cross3(&by->v[3], arm, velocity);
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
        double in[6], *out = g->pushed[i].v;
        memcpy(in, g->pushed[i].v, sizeof in);
        for (int k = 0; k < 6; k++) {
            out[k] = 0.0;
            for (int l = 0; l < 6; l++) {
                out[k] += g->G[36 * i + 6 * k + l] * in[l];
            }
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
        if (wri_dot3(&lambda[3 * i], &lambda[3 * i]) > 0.0) {
            spread(g, &g->rows[i], &lambda[3 * i]);
        }
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

void wri_group_multiply(wri_group *g, const double *lambda, double *out, bool open)
{
    if (g->is_local) {
        wri_group_multiply_local(g, lambda, out);
        return;
    }
    wri_group_spread(g, lambda);
    answer_of_bodies(g);
    for (int i = 0; i < g->member_count; i++) {
        answer_of_member(&g->members[i], g->tasks);
    }
    for (int i = 0; i < g->count; i++) {
        if (open || g->rows[i].closed) {
            wri_group_gather(g, &g->rows[i], &out[3 * i]);
        } else {
            memset(&out[3 * i], 0, 3 * sizeof *out);
        }
    }
}

// What of a vector is free to be solved for, with what is along and across the normal times
// factors.
static void project(const wri_row *r, double v[3], double along, double across)
{
    double speed = wri_dot3(r->n, v);
    for (int k = 0; k < 3; k++) {
        double normal = speed * r->n[k], slip = v[k] - normal;
        v[k] = !r->closed ? 0.0 : along * normal + (isinf(r->compliance) ? 0.0 : across * slip);
    }
}

// Where a contact gives way its answer is less. What squeezes has that in its inverse already.
static void project_all(const wri_group *g, double *v)
{
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        double along = wri_is_own_core(r) ? 1.0 : 1.0 / sqrt(1.0 + r->give / r->own);
        project(r, &v[3 * i], along, 1.0 / sqrt(1.0 + r->compliance / r->own));
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

// m/s per N s: how the node of a contact gives way by itself.
static double give_of_node(const wri_group *g, const wri_flesh_contact *c)
{
    return 1.0 / (double)g->members[c->member].f->model->diagonal[c->node];
}

// Likewise the corners that it meets.
static double give_of_corners(const wri_group *g, const wri_flesh_contact *c)
{
    const float *diagonal = g->members[c->other].f->model->diagonal;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += (double)(c->shares[k] * c->shares[k]) / (double)diagonal[c->corners[k]];
    }
    return sum;
}

// Two skins give way together: each answers for as much of a contact as it is softer than the
// other. Where three corners share an impulse the part of it that comes back is the sum of the
// shares' squares, which the scale makes good.
static double scale_of(const wri_group *g, const wri_row *r, int side)
{
    const wri_flesh_contact *c = r->contact;
    const float *w = c->shares;
    if (!wri_is_flesh(r)) {
        return 1.0;
    }
    double share = give_of_node(g, c) / r->own;
    double squares = (double)(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    return side == 0 ? share : (1.0 - share) / squares;
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
    wri_member *m = &g->members[k == 0 ? c->member : c->other];
    double share = scale_of(g, r, k > 0) * (k == 0 ? 1.0 : -(double)c->shares[k - 1]);
    return (foot){m, r->places[k], share / fmax(m->pressed[r->places[k]], 1.0)};
}

// How many contacts press each node from outside, by their shares.
static void count_feet(wri_group *g)
{
    for (int i = 0; i < g->member_count; i++) {
        wri_member *m = &g->members[i];
        memset(m->pressed, 0, (size_t)m->node_count * sizeof *m->pressed);
    }
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        const wri_flesh_contact *c = r->contact;
        for (int k = 0; k < wri_feet(r) && r->closed && !wri_is_own_core(r); k++) {
            double *pressed = g->members[k == 0 ? c->member : c->other].pressed;
            pressed[r->places[k]] += k == 0 ? 1.0 : (double)c->shares[k - 1];
        }
    }
}

// A core that presses against what something presses from outside.
static bool is_squeezing(const wri_group *g, const wri_row *r)
{
    return wri_is_own_core(r) && r->closed &&
           g->members[r->contact->member].pressed[r->places[0]] > 0.5;
}

// Velocities of the nodes, as those of the contacts have it.
static void spread_velocities(wri_group *g, const double *v)
{
    clear_patches(g);
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        const double *at = &v[3 * i];
        for (int f = 0; f < wri_feet(r) && r->closed && !is_squeezing(g, r); f++) {
            foot to = foot_of(g, r, f);
            const double *R = to.member->R[to.place];
            for (int k = 0; k < 3; k++) {
                double turned = R[k] * at[0] + R[3 + k] * at[1] + R[6 + k] * at[2];
                to.member->s[3 * to.place + k] +=
                    (float)(to.share * (wri_is_own_core(r) ? at[k] : turned));
            }
        }
    }
}

// What squeezes a node between its core and something else does not move it, so that A has nothing
// to say of it. Where the core gives way by epsilon the inverse of W is, for what presses from
// outside and for the core, o its normal,
//
//     [A + o o^T / epsilon, -o / epsilon; -o^T / epsilon, 1 / epsilon]
static void squeeze(wri_group *g, const double *v, double *out)
{
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        if (!is_squeezing(g, r)) {
            continue;
        }
        const wri_member *m = &g->members[r->contact->member];
        const float *s = &m->s[3 * r->places[0]];
        const double outer[3] = {(double)s[0], (double)s[1], (double)s[2]};
        double along = (wri_dot3(r->n, &v[3 * i]) - wri_dot3(r->n, outer)) / r->give;
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = along * r->n[k];
            m->t[3 * r->places[0] + k] -= (float)(along * r->n[k]);
        }
    }
}

static void gather_impulses(const wri_group *g, const wri_row *r, const double v[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = STEADY / r->own * v[k];
    }
    for (int f = 0; f < wri_feet(r); f++) {
        foot from = foot_of(g, r, f);
        const double *R = from.member->R[from.place];
        const float *t = &from.member->t[3 * from.place];
        for (int k = 0; k < 3; k++) {
            double turned =
                R[3 * k] * (double)t[0] + R[3 * k + 1] * (double)t[1] + R[3 * k + 2] * (double)t[2];
            out[k] += from.share * (wri_is_own_core(r) ? (double)t[k] : turned);
        }
    }
}

// out = J_s A J_s^T v on the patches, with what squeezes, and a little of A's diagonal.
static void precondition(wri_group *g, const double *v, double *out)
{
    spread_velocities(g, v);
    for (int i = 0; i < g->member_count; i++) {
        multiply_patch(&g->members[i], g->tasks);
    }
    squeeze(g, v, out);
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        if (!r->closed) {
            memset(&out[3 * i], 0, 3 * sizeof *out);
        } else if (!is_squeezing(g, r)) {
            gather_impulses(g, r, &v[3 * i], &out[3 * i]);
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
        wri_give_way(r, r->lambda, &out[3 * i]);
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = -(r->u[k] + out[3 * i + k]);
        }
        project(r, &out[3 * i], 1.0, 1.0);
    }
}

static void precondition_free(wri_group *g, const double *r, double *z, double *room)
{
    if (g->is_local) {
        wri_group_precondition(g, r, z);
        return;
    }
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
        wri_give_way(&g->rows[i], &d[3 * i], Cd);
        sum += wri_dot3(Cd, &d[3 * i]);
    }
    return sum;
}

double wri_group_work(const wri_group *g)
{
    double work = 0.0;
    for (int i = 0; i < 3 * g->count; i++) {
        const wri_row *r = &g->rows[i / 3];
        work += 0.5 * r->lambda[i % 3] * (r->c[i % 3] + r->u[i % 3]);
    }
    return work;
}

double wri_group_evaluate(wri_group *g)
{
    double *lambda = g->vectors[0], *Wlambda = g->vectors[1], all = 0.0;
    for (int i = 0; i < 3 * g->count; i++) {
        lambda[i] = g->rows[i / 3].lambda[i % 3];
        all += fabs(lambda[i]);
    }
    if (all > 0.0) {
        wri_group_multiply(g, lambda, Wlambda, true);
    } else {
        memset(Wlambda, 0, 3 * (size_t)g->count * sizeof *Wlambda);
    }
    for (int i = 0; i < 3 * g->count; i++) {
        g->rows[i / 3].u[i % 3] = g->rows[i / 3].c[i % 3] + Wlambda[i];
    }
    return wri_group_work(g);
}

double wri_group_solve(wri_group *g, int iterations, double enough, double share)
{
    int size = 3 * g->count;
    double *r = g->vectors[1], *z = g->vectors[2], *d = g->vectors[3];
    double *Wd = z, *room = g->vectors[0]; // z is used up before W d is needed
    if (g->is_local) {
        wri_group_set_springs(g);
    } else {
        count_feet(g);
    }
    find_residual(g, r);
    precondition_free(g, r, z, room);
    memcpy(d, z, (size_t)size * sizeof *d);
    double energy = inner(r, z, size), least = fmax(enough, share * energy);
    for (int k = 0; k < iterations && energy > least; k++) {
        wri_group_multiply(g, d, Wd, false);
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
    return energy;
}

double wri_group_norm(wri_group *g)
{
    double norm = 0.0;
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        double along = fmin(wri_dot3(r->n, r->c), 0.0);
        norm += along * along / r->own;
    }
    return norm;
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

// Where bones are turned against each other by nearly half a turn the mean of their rotations
// collapses: hardly any displacement moves such a node, and an impulse would throw it far off.
static void keep_from_collapsing(double R[3][3])
{
    double U[3][3], sigma[3], V[3][3];
    wri_svd3d((const double(*)[3])R, U, sigma, V);
    for (int i = 0; i < 9; i++) {
        R[i / 3][i % 3] = 0.0;
        for (int k = 0; k < 3; k++) {
            R[i / 3][i % 3] += U[i / 3][k] * fmax(sigma[k], LEAST_SIGMA) * V[i % 3][k];
        }
    }
}

static void find_rotations(wri_member *m)
{
    const wr_flesh_model *model = m->f->model;
    for (int i = 0; i < m->node_count; i++) {
        double(*R)[3] = (double(*)[3])m->R[i], square = 0.0;
        memset(m->R[i], 0, sizeof m->R[i]);
        for (int e = 0; e < WRI_FLESH_BONES; e++) {
            int at = m->nodes[i] * WRI_FLESH_BONES + e;
            for (int k = 0; k < 9; k++) {
                R[k / 3][k % 3] +=
                    (double)model->weights[at] * m->f->Q[model->bone_ids[at]].m[k / 3][k % 3];
            }
        }
        for (int k = 0; k < 9; k++) {
            square += m->R[i][k] * m->R[i][k];
        }
        if (square < 2.0 + LEAST_SIGMA * LEAST_SIGMA) { // one of the three may be small
            keep_from_collapsing(R);
        }
    }
}

// 1/kg: how easily the bone of a node is moved, with nothing joined to it.
static double mobility_of(const wri_member *m, int node)
{
    const wr_flesh_model *model = m->f->model;
    int bone = model->bone_ids[node * WRI_FLESH_BONES], size = 6 * model->bone_count;
    double sum = 0.0;
    for (int k = 6 * bone; k < 6 * bone + 3; k++) {
        sum += model->G[(ptrdiff_t)k * size + k];
    }
    return sum / 3.0;
}

static double mobility_of_row(const wri_group *g, const wri_row *r)
{
    const wri_flesh_contact *c = r->contact;
    double other = c->body >= 0      ? (double)g->bodies[c->body].inverse_mass
                   : wri_is_flesh(r) ? mobility_of(&g->members[c->other], c->corners[0])
                                     : 0.0;
    return mobility_of(&g->members[c->member], c->node) + other;
}

// How contacts give way. Cores do a little, but where one node stops the whole bone by no more than
// a fiftieth of the bone's way, however soft its skin is, unless many share it; and so do skins
// that meet, since many nodes of a stiff one may meet one triangle of a soft one; and all where
// skin is stiff and what it moves is light: many contacts of what is all but rigid share its
// impulse evenly then.
static void find_compliances(wri_group *g)
{
    for (int i = 0; i < g->count; i++) {
        wri_row *r = &g->rows[i];
        double node = give_of_node(g, r->contact);
        double corners = wri_is_flesh(r) ? give_of_corners(g, r->contact) : 0.0;
        r->own = node + corners;
        r->side = node / r->own;
        if (wri_is_own_core(r)) {
            const wri_member *m = &g->members[r->contact->member];
            double most = g->is_local ? INFINITY : BONE_GIVES * mobility_of(m, r->contact->node);
            r->give = fmin(CORE_GIVES * r->own, most);
            continue;
        }
        r->mobility = mobility_of_row(g, r);
        r->give = (wri_is_flesh(r) ? SKIN_GIVES * r->own : 0.0) + RIGID_GIVES * r->mobility;
        r->contact->softness[0] = (float)(node / (r->own + r->mobility));
        r->contact->softness[1] = (float)(corners / (r->own + r->mobility));
    }
}

// Whether anything presses a body against what supports it there.
static bool is_pressed(const wri_group *g, int body, const wr_support *s)
{
    bool any = false;
    for (int i = 0; i < g->count && !any; i++) {
        const wri_flesh_contact *c = g->rows[i].contact;
        any = c->body == body && wr_dot(s->normal, c->normal) > WRI_FLESH_AGAINST;
    }
    return any;
}

// What lies on something fixed does not give way there: G loses the support's normal, and the body
// its velocity along it, G - G a a^T G / a^T G a with a = [n; r x n].
static void rest_on(wri_group *g, int body, const wr_support *s)
{
    double *G = &g->G[36 * body], *v = g->pushed[body].v;
    const wr_vec3 arm = wr_sub(s->point, g->bodies[body].center), turn = wr_cross(arm, s->normal);
    const double a[6] = {(double)s->normal.x, (double)s->normal.y, (double)s->normal.z,
                         (double)turn.x,      (double)turn.y,      (double)turn.z};
    double Ga[6] = {0}, w = 0.0, speed = -(double)wr_dot(s->normal, s->velocity);
    for (int k = 0; k < 36; k++) {
        Ga[k / 6] += G[k] * a[k % 6];
    }
    for (int k = 0; k < 6; k++) {
        w += a[k] * Ga[k];
        speed += a[k] * v[k];
    }
    if (w > 1e-6 * (double)g->bodies[body].inverse_mass) { // else others hold it there already
        for (int k = 0; k < 36; k++) {
            G[k] -= Ga[k / 6] * Ga[k % 6] / w;
        }
        for (int k = 0; k < 6; k++) {
            v[k] -= Ga[k] * speed / w;
        }
    }
}

// Inverse masses and velocities of the rigid bodies.
static void find_bodies(wri_group *g)
{
    for (int i = 0; i < g->body_count; i++) {
        wr_body_copy *b = &g->bodies[i];
        double *G = &g->G[36 * i];
        const float v[6] = {b->velocity.x,         b->velocity.y,         b->velocity.z,
                            b->angular_velocity.x, b->angular_velocity.y, b->angular_velocity.z};
        for (int k = 0; k < 6; k++) {
            g->pushed[i].v[k] = (double)v[k];
            G[7 * k] = k < 3 ? (double)b->inverse_mass : 0.0;
        }
        for (int k = 0; k < 9; k++) {
            G[6 * (3 + k / 3) + 3 + k % 3] = (double)b->inverse_inertia.m[k / 3][k % 3];
        }
        for (int k = 0; k < b->support_count && b->inverse_mass > 0.0f; k++) {
            if (is_pressed(g, i, &b->supports[k])) {
                rest_on(g, i, &b->supports[k]);
                b->supports[k].gap = 0.0f; // it answers to pushes
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
    m->pressed = wr_scratch_push(scratch, feet, sizeof *m->pressed);
    m->R = wr_scratch_push(scratch, feet, sizeof *m->R);
    m->s = wr_scratch_push(scratch, 6 * feet, sizeof *m->s);
    m->b = wr_scratch_push(scratch, 2 * bones, sizeof *m->b);
    if (!m->nodes || !m->pressed || !m->R || !m->s || !m->b) {
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
           (g->is_local ||
            wri_block_patch_set(&m->f->patch, &model->K, m->nodes, m->node_count, NULL));
}

bool wri_group_create(wri_group *g, wri_flesh *const *members, int member_count,
                      wri_flesh_contact *const *contacts, int count, wr_scratch *scratch)
{
    size_t rows = (size_t)count;
    g->member_count = member_count;
    g->count = count;
    g->members = wr_scratch_push(scratch, (size_t)member_count, sizeof *g->members);
    g->rows = wr_scratch_push(scratch, rows, sizeof *g->rows);
    g->pushed = wr_scratch_push(scratch, (size_t)g->body_count, sizeof *g->pushed);
    g->G = wr_scratch_push(scratch, 36 * (size_t)g->body_count, sizeof *g->G);
    double *vectors = wr_scratch_push(scratch, 12 * rows, sizeof *vectors);
    if (!g->members || !g->rows || !g->pushed || !g->G || !vectors) {
        return false;
    }
    for (int k = 0; k < 4; k++) {
        g->vectors[k] = vectors + 3 * rows * (size_t)k;
    }
    for (int i = 0; i < count; i++) {
        wri_flesh_contact *c = contacts[i];
        g->rows[i] = (wri_row){.contact = c,
                               .n = {(double)c->normal.x, (double)c->normal.y, (double)c->normal.z},
                               .x = {(double)c->point.x, (double)c->point.y, (double)c->point.z}};
    }
    find_bodies(g);
    for (int i = 0; i < member_count; i++) {
        g->members[i] = (wri_member){.f = members[i]};
    }
    g->is_local = wri_group_find_local(g);
    bool ok = true;
    for (int i = 0; ok && i < member_count; i++) {
        ok = create_member(g, i, scratch);
    }
    if (ok) {
        find_compliances(g);
    }
    return ok && (!g->is_local || wri_group_create_local(g, scratch));
}
