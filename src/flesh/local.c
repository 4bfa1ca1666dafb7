// local.c: what contacts do to each other if only the skin near them moves, and the bone of a body
// that has no other.
//
// A contact that is closed is a spring S = C^-1 that pulls its nodes by r, and skin gives way,
//
//     z = S (r - J x),   (A + J^T S J) x = J^T S r
//
// of which relax.c finds x, roughly. That is the inverse of W + C on what is closed, but for bones,
// rigid bodies and what lies farther away. It preconditions conjugate gradients; and it tells,
// without W, which contacts close and slide a few rounds ahead.
#include "group.h"

#include "lever.h"
#include "../math/turn.h"

#include "../math/dense.h"

enum {
    CYCLES = 2, // of the preconditioner
    MANY = 100, // contacts: for fewer there is little to gain
};
static const double STIFFEST = 0.01; // of a contact's own compliance: the least that is used here

// --- contacts as springs ------------------------------------------------------------------------

// Foot k of a contact: 0 is its node, the others are the corners it meets. Two skins give way
// together: each side answers for as much of a contact as it is softer than the other, and the
// corners share what theirs does.
typedef struct foot {
    wri_member *member;
    int place;
    double sign, share; // as the contact sees it
    double side;
} foot;

static foot foot_of(const wri_group *g, const wri_row *r, int k)
{
    const wri_flesh_contact *c = r->contact;
    if (k == 0) {
        return (foot){&g->members[c->member], r->places[0], 1.0, 1.0, r->side};
    }
    return (foot){&g->members[c->other], r->places[k], -1.0, (double)c->shares[k - 1],
                  1.0 - r->side};
}

// N s per m/s.
typedef struct spring {
    double along, across;
} spring;

static spring spring_of(const wri_row *r)
{
    double least = STIFFEST * r->own;
    return (spring){1.0 / fmax(r->give, least), 1.0 / fmax(r->compliance, least)};
}

// S v
static void resist(const wri_row *r, spring s, const double v[3], double out[3])
{
    double along = (s.along - s.across) * wri_dot3(r->n, v);
    for (int k = 0; k < 3; k++) {
        out[k] = s.across * v[k] + along * r->n[k];
    }
}

static void turn_to_node(const wri_row *r, const foot *at, const double f[3], double out[3])
{
    if (wri_is_own_core(r)) {
        memcpy(out, f, 3 * sizeof *out);
    } else {
        wri_apply_transposed(WRI_MATRIX(at->member->R[at->place]), f, out);
    }
}

// How the node of a foot moves, as its contact sees it.
static void turn_from_node(const wri_row *r, const foot *at, double out[3])
{
    bool is_core = wri_is_own_core(r);
    f4 x = is_core ? at->member->own[at->place] : at->member->whole[at->place];
    const double v[3] = {(double)x[0], (double)x[1], (double)x[2]};
    if (is_core) {
        memcpy(out, v, sizeof v);
    } else {
        wri_apply(WRI_MATRIX(at->member->R[at->place]), v, out);
    }
}

// As the node has it. Where R is the mean of several rotations R^T R is less than the 1 that is
// taken here.
static void add_spring(const wri_row *r, spring s, const foot *at)
{
    wri_columns *D = &at->member->relax.level[0].D[at->place];
    wri_columns *outer = &at->member->core.outer[at->place];
    double n[3];
    turn_to_node(r, at, r->n, n);
    f4 q = {(float)n[0], (float)n[1], (float)n[2], 0.0f};
    float along = (float)(at->share * (s.along - s.across));
    for (int c = 0; c < 3; c++) {
        f4 column = along * q[c] * q;
        column[c] += (float)(at->share * s.across);
        D->c[c] += column;
        if (!wri_is_own_core(r)) {
            outer->c[c] += column;
        }
    }
}

// --- the bone -----------------------------------------------------------------------------------

static inline float dot3(f4 a, f4 b)
{
    f4 p = a * b;
    return p[0] + p[1] + p[2];
}

static inline f4 cross3(f4 a, f4 b)
{
    return (f4){a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
                0.0f};
}

static void set_node(const wri_member *m, int place, wri_core_node *out)
{
    const wr_flesh_model *model = m->f->model;
    const float *Y = model->reaches[model->reach_begin[m->nodes[place]]].Y;
    double r[3];
    wri_lever_now(m->f, m->nodes[place], 0, r);
    out->lever = (f4){(float)r[0], (float)r[1], (float)r[2], 0.0f};
    for (int c = 0; c < 6; c++) {
        out->follow[c] = -(f4){Y[c], Y[6 + c], Y[12 + c], 0.0f};
    }
}

// A node between its contacts and a bone that moves, where its neighbours do as it does, so that it
// is held by the sum of its row of A alone.
static void hold_core(wri_member *m, int place)
{
    const wri_columns *D = &m->relax.level[0].D[place], *outer = &m->core.outer[place];
    wri_columns inner, hold = wri_relax_inverse(&m->relax.sums[place], D);
    wri_core_node *node = &m->core.nodes[place];
    const f4 *own = node->follow;
    f4 whole[6], outside[6], core[6];
    for (int c = 0; c < 3; c++) {
        inner.c[c] = D->c[c] - outer->c[c];
    }
    for (int c = 0; c < 6; c++) {
        f4 unit = {0};
        unit[c % 3] = 1.0f;
        whole[c] = own[c] + (c < 3 ? unit : cross3(unit, node->lever));
        outside[c] = wri_columns_apply(outer, whole[c]);
        core[c] = wri_columns_apply(&inner, own[c]);
        node->answer[c] = -wri_columns_apply(&hold, outside[c] + core[c]);
    }
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c <= r; c++) {
            m->core.H[6 * r + c] += (double)(dot3(outside[r], whole[c] + node->answer[c]) +
                                             dot3(core[r], own[c] + node->answer[c]));
        }
    }
}

static void set_core(wri_member *m)
{
    memcpy(m->core.H, m->core.M, sizeof m->core.H);
    for (int i = 0; i < m->node_count; i++) {
        const wri_columns *D = &m->relax.level[0].D[i];
        memset(m->core.nodes[i].answer, 0, sizeof m->core.nodes[i].answer);
        if (D->c[0][0] + D->c[1][1] + D->c[2][2] > 0.0f) {
            hold_core(m, i);
        }
    }
    m->core.is_there = wri_dense_factor(6, m->core.H);
}

// What the bone does to the nodes of the patch, and they themselves.
static void move_nodes(wri_member *m)
{
    const double *w = m->core.w;
    f4 along = {(float)w[0], (float)w[1], (float)w[2], 0.0f};
    f4 turning = {(float)w[3], (float)w[4], (float)w[5], 0.0f};
    for (int i = 0; i < m->node_count; i++) {
        const wri_core_node *node = &m->core.nodes[i];
        f4 own = m->relax.x[i];
        for (int c = 0; c < 3; c++) {
            own += along[c] * node->follow[c] + turning[c] * node->follow[3 + c];
        }
        m->own[i] = own;
        m->whole[i] = own + along + cross3(turning, node->lever);
    }
}

// What the contacts push the bone with, after move_nodes.
static void find_push(const wri_member *m, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < m->node_count; i++) {
        const wri_columns *D = &m->relax.level[0].D[i], *outer = &m->core.outer[i];
        const wri_core_node *node = &m->core.nodes[i];
        f4 outside = m->core.outer_b[i] - wri_columns_apply(outer, m->whole[i]);
        f4 core = m->core.inner_b[i] - wri_columns_apply(D, m->own[i]) +
                  wri_columns_apply(outer, m->own[i]);
        f4 all = outside + core, moment = cross3(node->lever, outside);
        for (int k = 0; k < 3; k++) {
            out[k] += (double)(outside[k] + dot3(node->follow[k], all));
            out[3 + k] += (double)(moment[k] + dot3(node->follow[3 + k], all));
        }
    }
}

// A step of Newton's towards M w = what the contacts push with.
static void move_core(wri_member *m)
{
    wri_core *core = &m->core;
    double by[6];
    move_nodes(m);
    find_push(m, by);
    for (int k = 0; k < 36; k++) {
        by[k / 6] -= core->M[k] * core->w[k % 6];
    }
    wri_dense_solve(6, core->H, by);
    for (int k = 0; k < 6; k++) {
        core->w[k] += by[k];
    }
    for (int i = 0; i < m->node_count; i++) {
        for (int k = 0; k < 6; k++) {
            m->relax.x[i] += (float)by[k] * core->nodes[i].answer[k];
        }
    }
}

// --- skin ---------------------------------------------------------------------------------------

static bool create_member(wri_member *m, wr_scratch *scratch)
{
    const wr_flesh_model *model = m->f->model;
    size_t count = (size_t)m->node_count;
    double L[36];
    m->own = wr_scratch_push(scratch, 4 * count, sizeof *m->own);
    m->core.outer = wr_scratch_push(scratch, count, sizeof *m->core.outer);
    m->core.nodes = wr_scratch_push(scratch, count, sizeof *m->core.nodes);
    if (!m->own || !m->core.outer || !m->core.nodes ||
        !wri_relax_create(&m->relax, model, m->nodes, m->node_count, scratch)) {
        return false;
    }
    m->whole = m->own + count;
    m->core.outer_b = m->whole + count;
    m->core.inner_b = m->core.outer_b + count;
    memcpy(L, model->G, sizeof L);
    m->core.is_there = wri_dense_factor(6, L);
    wri_dense_invert(6, L, m->core.M);
    for (int i = 0; i < m->node_count; i++) {
        set_node(m, i, &m->core.nodes[i]);
    }
    return true;
}

bool wri_group_create_local(wri_group *g, wr_scratch *scratch)
{
    bool ok = true;
    for (int i = 0; ok && i < g->member_count; i++) {
        ok = create_member(&g->members[i], scratch);
    }
    return ok;
}

bool wri_group_find_local(const wri_group *g)
{
    bool is_local = g->count >= MANY;
    for (int i = 0; i < g->member_count; i++) {
        const wri_flesh *f = g->members[i].f;
        is_local = is_local && f->model->bone_count == 1 && !f->is_driven[0] && !f->pulls[0].is_on;
    }
    for (int i = 0; i < g->count && is_local; i++) {
        int body = g->rows[i].contact->body;
        is_local = body < 0 ? body > WRI_FLESH : !(g->bodies[body].inverse_mass > 0.0f);
    }
    return is_local;
}

void wri_group_set_springs(wri_group *g)
{
    for (int i = 0; i < g->member_count; i++) {
        wri_member *m = &g->members[i];
        wri_relax_level *l = &m->relax.level[0];
        memset(l->D, 0, (size_t)l->count * sizeof *l->D);
        memset(m->core.outer, 0, (size_t)m->node_count * sizeof *m->core.outer);
    }
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        spring s = spring_of(r);
        for (int k = 0; k < wri_feet(r) && r->closed; k++) {
            foot at = foot_of(g, r, k);
            add_spring(r, s, &at);
        }
    }
    for (int i = 0; i < g->member_count; i++) {
        wri_relax_set(&g->members[i].relax);
    }
}

static void forget(wri_group *g)
{
    for (int i = 0; i < g->member_count; i++) {
        wri_member *m = &g->members[i];
        wri_relax_forget(&m->relax);
        memset(m->core.w, 0, sizeof m->core.w);
    }
}

// Adds an impulse, and a spring that pulls the contact by v.
static void pull(const wri_group *g, const wri_row *r, const double v[3], const double impulse[3])
{
    double f[3] = {0}, sum[3], turned[3];
    if (r->closed) {
        resist(r, spring_of(r), v, f);
    }
    for (int k = 0; k < wri_feet(r); k++) {
        foot at = foot_of(g, r, k);
        f4 *b = wri_is_own_core(r) ? at.member->core.inner_b : at.member->core.outer_b;
        for (int c = 0; c < 3; c++) {
            sum[c] = at.sign * at.share * (impulse[c] + at.side * f[c]);
        }
        turn_to_node(r, &at, sum, turned);
        b[at.place] += (f4){(float)turned[0], (float)turned[1], (float)turned[2], 0.0f};
    }
}

// How a contact moves, m/s, and what its spring, which pulls it by v, pulls with, N s.
static void find_pulled(const wri_group *g, const wri_row *r, const double v[3], double moved[3],
                        double impulse[3])
{
    spring s = r->closed ? spring_of(r) : (spring){0};
    memset(moved, 0, 3 * sizeof *moved);
    memset(impulse, 0, 3 * sizeof *impulse);
    for (int k = 0; k < wri_feet(r); k++) {
        foot at = foot_of(g, r, k);
        double x[3], left[3], f[3];
        turn_from_node(r, &at, x);
        for (int c = 0; c < 3; c++) {
            moved[c] += at.sign * at.share * x[c];
            left[c] = at.side * v[c] - at.sign * x[c];
        }
        resist(r, s, left, f);
        for (int c = 0; c < 3; c++) {
            impulse[c] += at.side * at.share * f[c];
        }
    }
}

static void clear_pulls(wri_group *g)
{
    for (int i = 0; i < g->member_count; i++) { // and inner_b, which follows
        wri_member *m = &g->members[i];
        memset(m->core.outer_b, 0, 2 * (size_t)m->node_count * sizeof *m->core.outer_b);
    }
}

// With what the springs do less where the bone moves the nodes.
static void relax(wri_member *m)
{
    for (int i = 0; i < m->node_count; i++) {
        const wri_columns *D = &m->relax.level[0].D[i], *outer = &m->core.outer[i];
        f4 own = m->own[i] - m->relax.x[i], rigid = m->whole[i] - m->own[i];
        m->relax.b[i] = m->core.outer_b[i] + m->core.inner_b[i] - wri_columns_apply(D, own) -
                        wri_columns_apply(outer, rigid);
    }
    wri_relax_solve(&m->relax);
}

static void relax_skin(wri_member *m)
{
    for (int i = 0; i < m->node_count; i++) {
        m->relax.b[i] = m->core.outer_b[i] + m->core.inner_b[i];
    }
    for (int k = 0; k < CYCLES; k++) {
        wri_relax_solve(&m->relax);
    }
    memcpy(m->own, m->relax.x, (size_t)m->node_count * sizeof *m->own);
    memcpy(m->whole, m->relax.x, (size_t)m->node_count * sizeof *m->whole);
}

void wri_group_precondition(wri_group *g, const double *r, double *z)
{
    static const double NONE[3] = {0};
    forget(g);
    clear_pulls(g);
    for (int i = 0; i < g->count; i++) {
        if (g->rows[i].closed) {
            pull(g, &g->rows[i], &r[3 * i], NONE);
        }
    }
    for (int i = 0; i < g->member_count; i++) {
        relax_skin(&g->members[i]);
    }
    for (int i = 0; i < g->count; i++) {
        double moved[3];
        find_pulled(g, &g->rows[i], &r[3 * i], moved, &z[3 * i]);
    }
}

// --- ahead --------------------------------------------------------------------------------------

void wri_group_know(wri_group *g)
{
    for (int i = 0; i < g->count; i++) {
        wri_row *r = &g->rows[i];
        memcpy(r->known_lambda, r->lambda, sizeof r->lambda);
        memcpy(r->known_u, r->u, sizeof r->u);
    }
    forget(g);
}

// What a contact that is closed has to do, -(u + C lambda), from what is known; and what is taken
// from it at once: of one that was let go all, of one without friction what is across.
static void find_wish(const wri_row *r, double wish[3], double taken[3])
{
    double along = wri_dot3(r->n, r->known_lambda);
    wri_give_way(r, r->known_lambda, wish);
    for (int k = 0; k < 3; k++) {
        wish[k] = -(r->known_u[k] + wish[k]);
        taken[k] = !r->closed             ? -r->known_lambda[k]
                   : isinf(r->compliance) ? along * r->n[k] - r->known_lambda[k]
                                          : 0.0;
    }
}

static void foresee(wri_member *m, bool anew)
{
    if (anew) {
        set_core(m);
    }
    move_nodes(m);
    relax(m);
    if (m->core.is_there) {
        move_core(m);
    }
    move_nodes(m);
}

void wri_group_predict(wri_group *g, bool anew)
{
    double *wishes = g->vectors[0], *taken = g->vectors[1];
    wri_group_set_springs(g);
    clear_pulls(g);
    for (int i = 0; i < g->count; i++) {
        find_wish(&g->rows[i], &wishes[3 * i], &taken[3 * i]);
        pull(g, &g->rows[i], &wishes[3 * i], &taken[3 * i]);
    }
    for (int i = 0; i < g->member_count; i++) {
        foresee(&g->members[i], anew);
    }
    for (int i = 0; i < g->count; i++) {
        wri_row *r = &g->rows[i];
        double moved[3], pulled[3];
        find_pulled(g, r, &wishes[3 * i], moved, pulled);
        for (int k = 0; k < 3; k++) {
            r->u[k] = r->known_u[k] + moved[k];
            r->lambda[k] = r->known_lambda[k] + taken[3 * i + k] + pulled[k];
        }
    }
}
