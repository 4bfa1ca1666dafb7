// local.c: what contacts do to each other if only the skin near them moves, and the bone of a body
// that has no other.
//
// A contact that is closed is a spring S = C^-1 that pulls its node by r, and skin gives way,
//
//     z = S (r - J x),   (A + J^T S J) x = J^T S r
//
// of which relax.c finds x, roughly. That is the inverse of W + C on what is closed, but for bones
// and what lies farther away. It preconditions conjugate gradients; and it tells, without W, which
// contacts close and slide a few rounds ahead (ahead.c).
//
// All this is in the frame of the bind pose, where the one bone turns nothing, and in floats.
#include "group.h"

#include "lever.h"
#include "../math/dense.h"
#include "../math/turn.h"

enum {
    CYCLES = 2,  // of the preconditioners
    MANY = 100,  // contacts: for fewer there is little to gain
    BLOCK = 128, // nodes whose sums are floats
};

static inline f4 cross(f4 a, f4 b)
{
    f4 a1 = {a[1], a[2], a[0], a[3]}, b1 = {b[1], b[2], b[0], b[3]}, c = a * b1 - a1 * b;
    return (f4){c[1], c[2], c[0], c[3]};
}

// --- contacts as springs ------------------------------------------------------------------------

void wri_local_clear_springs(wri_local *l)
{
    memset(l->outer, 0, (size_t)l->node_count * sizeof *l->outer);
    memset(l->inner, 0, (size_t)l->node_count * sizeof *l->inner);
}

void wri_local_add_spring(wri_local *l, const wri_near *r, wri_spring s)
{
    wri_columns *to = r->is_core ? &l->inner[r->place] : &l->outer[r->place];
    f4 along = (s.along - s.across) * r->n;
    for (int c = 0; c < 3; c++) {
        f4 column = along[c] * r->n;
        column[c] += s.across;
        to->c[c] += column;
    }
}

void wri_local_take_springs(wri_local *l)
{
    wri_columns *D = l->relax.level[0].D;
    for (int i = 0; i < l->node_count; i++) {
        for (int c = 0; c < 3; c++) {
            D[i].c[c] = l->outer[i].c[c] + l->inner[i].c[c];
        }
    }
    wri_relax_set(&l->relax);
}

void wri_local_clear_pulls(wri_local *l)
{
    memset(l->outer_b, 0, (size_t)l->node_count * sizeof *l->outer_b);
    memset(l->inner_b, 0, (size_t)l->node_count * sizeof *l->inner_b);
}

void wri_local_pull(wri_local *l, const wri_near *r, f4 impulse)
{
    f4 *to = r->is_core ? &l->inner_b[r->place] : &l->outer_b[r->place];
    *to += impulse;
}

// --- the bone -----------------------------------------------------------------------------------

// Floats are added over a few nodes only.
static void flush(f4 sum[6], double out[6])
{
    for (int k = 0; k < 6; k++) {
        out[k] += (double)sum[k][0] + (double)sum[k][1] + (double)sum[k][2];
        sum[k] = (f4){0};
    }
}

// What pushes from outside, and cores, do to the bone by way of the nodes.
static inline void add_push(const wri_core_node *node, f4 outside, f4 core, f4 sum[6])
{
    f4 all = outside + core, moment = cross(node->lever, outside);
    for (int k = 0; k < 3; k++) {
        f4 along = {0}, turning = {0};
        along[k] = outside[k];
        turning[k] = moment[k];
        sum[k] += along + node->follow[k] * all;
        sum[3 + k] += turning + node->follow[3 + k] * all;
    }
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
static void hold_core(wri_local *l, int place, f4 sum[6][6])
{
    const wri_columns *outer = &l->outer[place], *inner = &l->inner[place];
    wri_columns hold = wri_relax_inverse(&l->relax.sums[place], &l->relax.level[0].D[place]);
    const f4 *own = l->nodes[place].follow;
    f4 whole[6], outside[6], core[6], *answer = l->answers[place].of;
    for (int c = 0; c < 6; c++) {
        f4 unit = {0};
        unit[c % 3] = 1.0f;
        whole[c] = own[c] + (c < 3 ? unit : cross(unit, l->nodes[place].lever));
        outside[c] = wri_columns_apply(outer, whole[c]);
        core[c] = wri_columns_apply(inner, own[c]);
        answer[c] = -wri_columns_apply(&hold, outside[c] + core[c]);
    }
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c <= r; c++) {
            sum[r][c] += outside[r] * (whole[c] + answer[c]) + core[r] * (own[c] + answer[c]);
        }
    }
}

static void set_core(wri_local *l)
{
    memcpy(l->H, l->M, sizeof l->H);
    for (int begin = 0; begin < l->node_count; begin += BLOCK) {
        int end = begin + BLOCK < l->node_count ? begin + BLOCK : l->node_count;
        f4 sum[6][6] = {{{0}}};
        for (int i = begin; i < end; i++) {
            const wri_columns *D = &l->relax.level[0].D[i];
            if (D->c[0][0] + D->c[1][1] + D->c[2][2] > 0.0f) {
                hold_core(l, i, sum);
            } else {
                l->answers[i] = (wri_core_answer){{{0}}};
            }
        }
        for (int r = 0; r < 6; r++) {
            flush(sum[r], &l->H[6 * r]);
        }
    }
    l->is_held = wri_dense_factor(6, l->H);
}

// What the bone, which moves by w, does to the nodes of the patch, which move by x themselves.
static void move_nodes(wri_local *l, const double w[6], const f4 *x)
{
    f4 along = {(float)w[0], (float)w[1], (float)w[2], 0.0f};
    f4 turning = {(float)w[3], (float)w[4], (float)w[5], 0.0f};
    for (int i = 0; i < l->node_count; i++) {
        const wri_core_node *node = &l->nodes[i];
        f4 own = x[i];
        for (int c = 0; c < 3; c++) {
            own += along[c] * node->follow[c] + turning[c] * node->follow[3 + c];
        }
        l->own[i] = own;
        l->whole[i] = own + along + cross(turning, node->lever);
    }
}

// What the contacts push the bone with, after move_nodes.
static void find_push(const wri_local *l, double out[6])
{
    f4 sum[6] = {{0}};
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < l->node_count; i++) {
        f4 outside = l->outer_b[i] - wri_columns_apply(&l->outer[i], l->whole[i]);
        f4 core = l->inner_b[i] - wri_columns_apply(&l->inner[i], l->own[i]);
        add_push(&l->nodes[i], outside, core, sum);
        if (i % BLOCK == BLOCK - 1 || i + 1 == l->node_count) {
            flush(sum, out);
        }
    }
}

// A step of Newton's towards M w = what the contacts push with.
static void move_core(wri_local *l)
{
    double by[6];
    find_push(l, by);
    for (int k = 0; k < 36; k++) {
        by[k / 6] -= l->M[k] * l->w[k % 6];
    }
    wri_dense_solve(6, l->H, by);
    for (int k = 0; k < 6; k++) {
        l->w[k] += by[k];
    }
    for (int i = 0; i < l->node_count; i++) {
        f4 x = l->relax.x[i];
        for (int k = 0; k < 6; k++) {
            x += (float)by[k] * l->answers[i].of[k];
        }
        l->relax.x[i] = x;
    }
}

// --- skin ---------------------------------------------------------------------------------------

bool wri_group_find_local(const wri_group *g)
{
    const wri_flesh *f = g->members[0].f;
    bool is_local = g->count >= MANY && g->member_count == 1 && f->model->bone_count == 1 &&
                    !f->is_driven[0] && !f->pulls[0].is_on;
    for (int i = 0; i < g->count && is_local; i++) {
        int body = g->rows[i].contact->body;
        is_local = body < 0 ? body > WRI_FLESH : !(g->bodies[body].inverse_mass > 0.0f);
    }
    return is_local;
}

static void set_row(const wri_local *l, const wri_row *r, wri_near *out)
{
    *out = (wri_near){.own = (float)r->own,
                      .friction = r->contact->friction,
                      .place = r->places[0],
                      .is_core = wri_is_own_core(r)};
    out->n = wri_to_bind(l, out, r->n);
}

bool wri_group_create_local(wri_group *g, wr_scratch *scratch)
{
    wri_local *l = &g->local;
    const wri_member *m = &g->members[0];
    size_t count = (size_t)m->node_count;
    double L[36];
    l->node_count = m->node_count;
    size_t rows = (size_t)g->count;
    l->rows = wr_scratch_push(scratch, rows, sizeof *l->rows);
    l->residual = wr_scratch_push(scratch, (2 + 2 * WRI_WAYS) * rows, sizeof *l->residual);
    l->own = wr_scratch_push(scratch, 4 * count, sizeof *l->own);
    l->outer = wr_scratch_push(scratch, 2 * count, sizeof *l->outer);
    l->nodes = wr_scratch_push(scratch, count, sizeof *l->nodes);
    l->answers = wr_scratch_push(scratch, count, sizeof *l->answers);
    if (!l->rows || !l->residual || !l->own || !l->outer || !l->nodes || !l->answers ||
        !wri_relax_create(&l->relax, m->f->model, m->nodes, m->node_count, scratch)) {
        return false;
    }
    l->answer = l->residual + rows;
    for (int k = 0; k < WRI_WAYS; k++) {
        l->ways[k] = l->answer + (1 + 2 * (size_t)k) * rows;
        l->W_ways[k] = l->ways[k] + rows;
    }
    l->whole = l->own + count;
    l->outer_b = l->whole + count;
    l->inner_b = l->outer_b + count;
    l->inner = l->outer + count;
    memcpy(L, m->f->model->G, sizeof L);
    wri_dense_factor(6, L);
    wri_dense_invert(6, L, l->M);
    for (int k = 0; k < 9; k++) {
        l->to_world.c[k % 3][k / 3] = (float)m->f->Q[0].m[k / 3][k % 3];
        l->to_bind.c[k / 3][k % 3] = (float)m->f->Q[0].m[k / 3][k % 3];
    }
    for (int i = 0; i < m->node_count; i++) {
        set_node(m, i, &l->nodes[i]);
    }
    for (int i = 0; i < g->count; i++) {
        set_row(l, &g->rows[i], &l->rows[i]);
    }
    return true;
}

void wri_local_take_rows(wri_group *g)
{
    wri_local *l = &g->local;
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        wri_near *to = &l->rows[i];
        to->closed = r->closed;
        to->compliance = (float)r->compliance;
        to->give = (float)r->give;
        to->c = wri_to_bind(l, to, r->c);
        to->lambda = wri_to_bind(l, to, r->lambda);
        to->u = wri_to_bind(l, to, r->u);
    }
}

void wri_local_give_rows(wri_group *g)
{
    const wri_local *l = &g->local;
    for (int i = 0; i < g->count; i++) {
        const wri_near *r = &l->rows[i];
        wri_row *to = &g->rows[i];
        to->closed = r->closed;
        to->compliance = (double)r->compliance;
        wri_to_world(l, r, r->lambda, to->lambda);
        wri_to_world(l, r, r->u, to->u);
    }
}

void wri_local_set_springs(wri_local *l, int count)
{
    wri_local_clear_springs(l);
    for (int i = 0; i < count; i++) {
        if (l->rows[i].closed) {
            wri_local_add_spring(l, &l->rows[i], wri_near_spring(&l->rows[i]));
        }
    }
    wri_local_take_springs(l);
    set_core(l);
}

void wri_group_set_springs(wri_group *g)
{
    wri_local_take_rows(g);
    wri_local_set_springs(&g->local, g->count);
}

// With what the springs do less where the bone moves the nodes.
static void relax(wri_local *l)
{
    for (int i = 0; i < l->node_count; i++) {
        f4 own = l->own[i] - l->relax.x[i], rigid = l->whole[i] - l->relax.x[i];
        l->relax.b[i] = l->outer_b[i] + l->inner_b[i] - wri_columns_apply(&l->inner[i], own) -
                        wri_columns_apply(&l->outer[i], rigid);
    }
    wri_relax_solve(&l->relax);
}

void wri_local_move(wri_local *l, bool anew)
{
    if (anew) {
        set_core(l);
    }
    move_nodes(l, l->w, l->relax.x);
    relax(l);
    move_nodes(l, l->w, l->relax.x);
    if (l->is_held) {
        move_core(l);
        move_nodes(l, l->w, l->relax.x);
    }
}

void wri_local_forget(wri_local *l)
{
    wri_relax_forget(&l->relax);
    memset(l->w, 0, sizeof l->w);
}

void wri_local_answer(wri_local *l, const f4 *r, int count, f4 *z)
{
    wri_local_forget(l);
    wri_local_clear_pulls(l);
    for (int i = 0; i < count; i++) {
        const wri_near *row = &l->rows[i];
        if (row->closed) {
            wri_local_pull(l, row, wri_resist(row, wri_near_spring(row), r[i]));
        }
    }
    for (int k = 0; k < CYCLES; k++) {
        wri_local_move(l, false);
    }
    relax(l);
    move_nodes(l, l->w, l->relax.x);
    for (int i = 0; i < count; i++) {
        const wri_near *row = &l->rows[i];
        z[i] = row->closed ? wri_resist(row, wri_near_spring(row), r[i] - wri_near_moved(l, row))
                           : (f4){0};
    }
}

void wri_group_precondition(wri_group *g, const double *r, double *z)
{
    wri_local *l = &g->local;
    wri_relax_forget(&l->relax);
    wri_local_clear_pulls(l);
    for (int i = 0; i < g->count; i++) {
        const wri_near *row = &l->rows[i];
        if (row->closed) {
            f4 pull = wri_resist(row, wri_near_spring(row), wri_to_bind(l, row, &r[3 * i]));
            wri_local_pull(l, row, pull);
        }
    }
    for (int i = 0; i < l->node_count; i++) {
        l->relax.b[i] = l->outer_b[i] + l->inner_b[i];
    }
    for (int k = 0; k < CYCLES; k++) {
        wri_relax_solve(&l->relax);
    }
    for (int i = 0; i < g->count; i++) {
        const wri_near *row = &l->rows[i];
        f4 left = wri_to_bind(l, row, &r[3 * i]) - l->relax.x[row->place], z_bind = {0};
        if (row->closed) {
            z_bind = wri_resist(row, wri_near_spring(row), left);
        }
        wri_to_world(l, row, z_bind, &z[3 * i]);
    }
}

// --- W ------------------------------------------------------------------------------------------

void wri_local_multiply(wri_group *g, const f4 *lambda, f4 *out)
{
    wri_local *l = &g->local;
    wri_member *m = &g->members[0];
    f4 sum[6] = {{0}}, *x = l->own;
    wri_local_clear_pulls(l);
    for (int i = 0; i < g->count; i++) {
        wri_local_pull(l, &l->rows[i], lambda[i]);
    }
    memset(m->b, 0, 6 * sizeof *m->b);
    for (int i = 0; i < l->node_count; i++) {
        f4 all = l->outer_b[i] + l->inner_b[i];
        memcpy(&m->s[3 * i], &all, 3 * sizeof *m->s);
        add_push(&l->nodes[i], l->outer_b[i], l->inner_b[i], sum);
        if (i % BLOCK == BLOCK - 1 || i + 1 == l->node_count) {
            flush(sum, m->b);
        }
    }
    wri_flesh_answer_of_bones(m->f, m->b, m->change);
    wri_factor_solve_path(m->f->model->factor, &m->f->path, m->s, g->tasks);
    for (int i = 0; i < l->node_count; i++) {
        x[i] = (f4){m->s[3 * i], m->s[3 * i + 1], m->s[3 * i + 2], 0.0f};
    }
    move_nodes(l, m->change, x);
    for (int i = 0; i < g->count; i++) {
        out[i] = wri_near_moved(l, &l->rows[i]);
    }
}

void wri_group_multiply_local(wri_group *g, const double *lambda, double *out)
{
    wri_local *l = &g->local;
    for (int i = 0; i < g->count; i++) {
        l->residual[i] = wri_to_bind(l, &l->rows[i], &lambda[3 * i]);
    }
    wri_local_multiply(g, l->residual, l->answer);
    for (int i = 0; i < g->count; i++) {
        wri_to_world(l, &l->rows[i], l->answer[i], &out[3 * i]);
    }
}
