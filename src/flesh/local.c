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
#include "turn.h"

#include "../math/dense.h"

enum { CYCLES = 2 };                  // of the preconditioner
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

// S v of a closed contact.
static void resist(const wri_row *r, const double v[3], double out[3])
{
    double least = STIFFEST * r->own, across = 1.0 / fmax(r->compliance, least);
    double along = (1.0 / fmax(r->give, least) - across) * wri_dot3(r->n, v);
    for (int k = 0; k < 3; k++) {
        out[k] = across * v[k] + along * r->n[k];
    }
}

// As the node has it: R^T S R.
static void add_spring(const wri_row *r, const foot *at)
{
    static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    bool is_core = wri_is_own_core(r);
    const double *R = is_core ? IDENTITY : at->member->R[at->place];
    wri_columns *D = &at->member->relax.level[0].D[at->place];
    wri_columns *outer = &at->member->core.outer[at->place];
    for (int c = 0; c < 3; c++) {
        const double column[3] = {R[c], R[3 + c], R[6 + c]};
        double f[3], turned[3];
        resist(r, column, f);
        wri_apply_transposed((const double(*)[3])R, f, turned);
        for (int k = 0; k < 3; k++) {
            D->c[c][k] += (float)(at->share * turned[k]);
            outer->c[c][k] += is_core ? 0.0f : (float)(at->share * turned[k]);
        }
    }
}

// --- the bone -----------------------------------------------------------------------------------

// 3 x 6, rows first: what a bone does to a node, at its lever, and what of that its skin alone
// does, -Y.
static void find_levers(const wri_member *m, int place, double whole[18], double own[18])
{
    const wr_flesh_model *model = m->f->model;
    double r[3], L[3][6];
    wri_lever_now(m->f, m->nodes[place], 0, r);
    wri_lever_matrix(r, L);
    for (int k = 0; k < 18; k++) {
        own[k] = -(double)model->reaches[model->reach_begin[m->nodes[place]]].Y[k];
        whole[k] = L[k / 6][k % 6] + own[k];
    }
}

// out += a b, of 3x3 and 3x6.
static void add_times(const wri_columns *a, const double b[18], double out[18])
{
    for (int k = 0; k < 18; k++) {
        for (int l = 0; l < 3; l++) {
            out[k] += (double)a->c[l][k / 6] * b[6 * l + k % 6];
        }
    }
}

// H += a^T b, its lower half.
static void add_transposed(const double a[18], const double b[18], double sign, double *H)
{
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c <= r; c++) {
            H[6 * r + c] +=
                sign * (a[r] * b[c] + a[6 + r] * b[6 + c] + a[12 + r] * b[12 + c]);
        }
    }
}

// A node between its contacts and a bone that moves, where its neighbours do as it does: it is held
// by the sum of its row of A alone.
static void hold_core(wri_member *m, int place)
{
    const wri_columns *D = &m->relax.level[0].D[place], *outer = &m->core.outer[place];
    wri_columns inner, hold = wri_relax_inverse(&m->relax.sums[place], D);
    double whole[18], own[18], F[18] = {0}, pulled[18] = {0}, answer[18] = {0};
    for (int c = 0; c < 3; c++) {
        inner.c[c] = D->c[c] - outer->c[c];
    }
    find_levers(m, place, whole, own);
    add_times(outer, whole, pulled);
    add_transposed(whole, pulled, 1.0, m->core.H);
    add_times(&inner, own, F);
    add_transposed(own, F, 1.0, m->core.H);
    for (int k = 0; k < 18; k++) {
        pulled[k] += F[k];
    }
    add_times(&hold, pulled, answer);
    add_transposed(pulled, answer, -1.0, m->core.H);
    for (int c = 0; c < 6; c++) {
        m->core.answer[place][c] =
            -(f4){(float)answer[c], (float)answer[6 + c], (float)answer[12 + c], 0.0f};
    }
}

static void set_core(wri_member *m)
{
    memcpy(m->core.H, m->core.M, sizeof m->core.H);
    for (int i = 0; i < m->node_count; i++) {
        memset(m->core.answer[i], 0, sizeof m->core.answer[i]);
        const wri_columns *D = &m->relax.level[0].D[i];
        if (D->c[0][0] + D->c[1][1] + D->c[2][2] > 0.0f) {
            hold_core(m, i);
        }
    }
    m->core.is_there = wri_dense_factor(6, m->core.H);
}

// How the nodes of the patch move, with what the bone does.
static void move_nodes(wri_member *m)
{
    memcpy(m->own, m->relax.x, (size_t)m->node_count * sizeof *m->own);
    memcpy(m->whole, m->relax.x, (size_t)m->node_count * sizeof *m->whole);
    for (int i = 0; i < m->node_count && m->core.is_there; i++) {
        const double *w = m->core.w;
        double r[3], turned[3];
        m->own[i] += wri_flesh_follow(m->f->model, m->nodes[i], w);
        wri_lever_now(m->f, m->nodes[i], 0, r);
        wri_cross3(&w[3], r, turned);
        for (int k = 0; k < 3; k++) {
            m->whole[i][k] = m->own[i][k] + (float)(w[k] + turned[k]);
        }
    }
}

// A step of Newton's towards M w = what the contacts push with.
static void move_core(wri_member *m)
{
    wri_core *core = &m->core;
    double by[6];
    for (int k = 0; k < 6; k++) {
        by[k] = core->pull[k];
        for (int l = 0; l < 6; l++) {
            by[k] -= core->M[6 * k + l] * core->w[l];
        }
    }
    wri_dense_solve(6, core->H, by);
    for (int k = 0; k < 6; k++) {
        core->w[k] += by[k];
    }
    for (int i = 0; i < m->node_count; i++) {
        for (int k = 0; k < 6; k++) {
            m->relax.x[i] += (float)by[k] * core->answer[i][k];
        }
    }
}

// What an impulse on a node does to the bone.
static void push_core(wri_member *m, int place, bool is_own_core, const double turned[3])
{
    const float s[3] = {(float)turned[0], (float)turned[1], (float)turned[2]};
    double r[3], moment[3];
    wri_flesh_hold_bones(m->f->model, m->nodes[place], s, m->core.pull);
    if (!is_own_core) {
        wri_lever_now(m->f, m->nodes[place], 0, r);
        wri_cross3(r, turned, moment);
        for (int k = 0; k < 3; k++) {
            m->core.pull[k] += turned[k];
            m->core.pull[3 + k] += moment[k];
        }
    }
}

// --- skin ---------------------------------------------------------------------------------------

bool wri_group_create_local(wri_member *m, wr_scratch *scratch)
{
    const wr_flesh_model *model = m->f->model;
    size_t count = (size_t)m->node_count;
    m->own = wr_scratch_push(scratch, 2 * count, sizeof *m->own);
    m->core.outer = wr_scratch_push(scratch, count, sizeof *m->core.outer);
    m->core.answer = wr_scratch_push(scratch, count, sizeof *m->core.answer);
    if (!m->own || !m->core.outer || !m->core.answer ||
        !wri_relax_create(&m->relax, model, m->nodes, m->node_count, scratch)) {
        return false;
    }
    m->whole = m->own + count;
    m->core.is_there = model->bone_count == 1 && !m->f->is_driven[0];
    if (m->core.is_there) {
        double L[36];
        memcpy(L, model->G, sizeof L);
        m->core.is_there = wri_dense_factor(6, L);
        wri_dense_invert(6, L, m->core.M);
    }
    return true;
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
        for (int k = 0; k < wri_feet(r) && r->closed; k++) {
            foot at = foot_of(g, r, k);
            add_spring(r, &at);
        }
    }
    for (int i = 0; i < g->member_count; i++) {
        wri_relax_set(&g->members[i].relax);
    }
}

static void turn_to_node(const wri_row *r, const foot *at, const double f[3], double out[3])
{
    if (wri_is_own_core(r)) {
        memcpy(out, f, 3 * sizeof *out);
    } else {
        wri_apply_transposed((const double(*)[3])at->member->R[at->place], f, out);
    }
}

static void turn_from_node(const wri_row *r, const foot *at, double out[3])
{
    bool is_core = wri_is_own_core(r);
    f4 x = is_core ? at->member->own[at->place] : at->member->whole[at->place];
    const double v[3] = {(double)x[0], (double)x[1], (double)x[2]};
    if (is_core) {
        memcpy(out, v, sizeof v);
    } else {
        wri_apply((const double(*)[3])at->member->R[at->place], v, out);
    }
}

static void clear_sides(wri_group *g)
{
    for (int i = 0; i < g->member_count; i++) {
        wri_member *m = &g->members[i];
        memset(m->relax.b, 0, (size_t)m->relax.level[0].count * sizeof *m->relax.b);
        memset(m->core.pull, 0, sizeof m->core.pull);
    }
}

static void forget(wri_group *g)
{
    for (int i = 0; i < g->member_count; i++) {
        wri_member *m = &g->members[i];
        memset(m->relax.x, 0, (size_t)m->relax.level[0].count * sizeof *m->relax.x);
        memset(m->core.w, 0, sizeof m->core.w);
    }
}

// Adds an impulse, and a spring that pulls the contact by v.
static void pull(wri_group *g, const wri_row *r, const double v[3], const double impulse[3])
{
    double f[3] = {0}, sum[3], turned[3];
    if (r->closed) {
        resist(r, v, f);
    }
    for (int k = 0; k < wri_feet(r); k++) {
        foot at = foot_of(g, r, k);
        f4 *b = &at.member->relax.b[at.place];
        for (int c = 0; c < 3; c++) {
            sum[c] = at.sign * at.share * (impulse[c] + at.side * f[c]);
        }
        turn_to_node(r, &at, sum, turned);
        for (int c = 0; c < 3; c++) {
            (*b)[c] += (float)turned[c];
        }
    }
}

// The motion of a contact that would move by v.
static void find_moved(const wri_group *g, const wri_row *r, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < wri_feet(r); k++) {
        foot at = foot_of(g, r, k);
        double x[3];
        turn_from_node(r, &at, x);
        for (int c = 0; c < 3; c++) {
            out[c] += at.sign * at.share * x[c];
        }
    }
}

// What the spring of a contact that it pulls by v pulls with, N s.
static void find_pulled(const wri_group *g, const wri_row *r, const double v[3], double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < wri_feet(r) && r->closed; k++) {
        foot at = foot_of(g, r, k);
        double x[3], f[3];
        turn_from_node(r, &at, x);
        for (int c = 0; c < 3; c++) {
            x[c] = at.side * v[c] - at.sign * x[c];
        }
        resist(r, x, f);
        for (int c = 0; c < 3; c++) {
            out[c] += at.side * at.share * f[c];
        }
    }
}

static void relax(wri_group *g, int cycles)
{
    for (int i = 0; i < g->member_count; i++) {
        for (int k = 0; k < cycles; k++) {
            wri_relax_solve(&g->members[i].relax);
        }
    }
}

static void move_all(wri_group *g)
{
    for (int i = 0; i < g->member_count; i++) {
        move_nodes(&g->members[i]);
    }
}

void wri_group_precondition(wri_group *g, const double *r, double *z)
{
    static const double NONE[3] = {0};
    clear_sides(g);
    forget(g);
    for (int i = 0; i < g->count; i++) {
        if (g->rows[i].closed) {
            pull(g, &g->rows[i], &r[3 * i], NONE);
        }
    }
    relax(g, CYCLES);
    move_all(g);
    for (int i = 0; i < g->count; i++) {
        find_pulled(g, &g->rows[i], &r[3 * i], &z[3 * i]);
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
        taken[k] = !r->closed               ? -r->known_lambda[k]
                   : isinf(r->compliance) ? along * r->n[k] - r->known_lambda[k]
                                          : 0.0;
    }
}

// The bones' part of what springs are to do: they pull by what is left of it.
static void move_bones(wri_group *g)
{
    double wish[3], taken[3], impulse[3], turned[3];
    move_all(g);
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        find_wish(r, wish, taken);
        find_pulled(g, r, wish, impulse);
        for (int k = 0; k < 3; k++) {
            impulse[k] += taken[k];
        }
        foot at = foot_of(g, r, 0);
        if (at.member->core.is_there && !wri_is_flesh(r)) {
            turn_to_node(r, &at, impulse, turned);
            push_core(at.member, at.place, wri_is_own_core(r), turned);
        }
    }
    for (int i = 0; i < g->member_count; i++) {
        if (g->members[i].core.is_there) {
            move_core(&g->members[i]);
        }
    }
}

// What is left of a wish beside the bone's motion, with x of the skin's own at zero.
static void find_left(const wri_group *g, const wri_row *r, double v[3])
{
    for (int k = 0; k < wri_feet(r); k++) {
        foot at = foot_of(g, r, k);
        f4 x = at.member->relax.x[at.place];
        const double own[3] = {(double)x[0], (double)x[1], (double)x[2]};
        double moved[3], skin[3];
        turn_from_node(r, &at, moved);
        if (wri_is_own_core(r)) {
            memcpy(skin, own, sizeof skin);
        } else {
            wri_apply((const double(*)[3])at.member->R[at.place], own, skin);
        }
        for (int c = 0; c < 3; c++) {
            v[c] -= at.sign * at.share * (moved[c] - skin[c]);
        }
    }
}

void wri_group_predict(wri_group *g)
{
    double wish[3], taken[3], moved[3], pulled[3];
    wri_group_set_springs(g);
    for (int i = 0; i < g->member_count; i++) {
        if (g->members[i].core.is_there) {
            set_core(&g->members[i]);
        }
    }
    clear_sides(g);
    move_all(g);
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        find_wish(r, wish, taken);
        find_left(g, r, wish);
        pull(g, r, wish, taken);
    }
    relax(g, 1);
    move_bones(g);
    move_all(g);
    for (int i = 0; i < g->count; i++) {
        wri_row *r = &g->rows[i];
        find_wish(r, wish, taken);
        find_moved(g, r, moved);
        find_pulled(g, r, wish, pulled);
        for (int k = 0; k < 3; k++) {
            r->u[k] = r->known_u[k] + moved[k];
            r->lambda[k] = r->known_lambda[k] + taken[k] + pulled[k];
        }
    }
}
