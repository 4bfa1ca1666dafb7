// published.c: contact as the thesis has it: equalities, and nodes of skin that do not feel each
// other. What it costs in truth is in docs/flesh.md.
//
// D is the block diagonal of A, and each node has one row n at most, so that M_lambda is diagonal:
//
//     J_cond = J_b - J_s D^-1 M_bs^T,   M_lambda = J_s D^-1 J_s^T               eq. 4.27, 4.29
//     (M^_cond + S) dv_b - J_j^T mu = b*,   J_j dv_b = 0                        eq. 4.31
//     S = J_cond^T M_lambda^-1 J_cond,   b* = -J_cond^T M_lambda^-1 b_lambda
//     lambda = -M_lambda^-1 (J_cond dv_b + b_lambda)                            eq. 4.30
//     dv_s = D^-1 (J_s^T lambda - M_bs^T dv_b)                                  eq. 4.32
//
// With P what the joints leave of G = M^_cond^-1 (joint.c) this is (1 + P S) dv_b = P b*, and only
// for the few bones that are touched. The other side is a moving wall (eq. 3.19) and feels -lambda
// afterwards; skins that meet each solve for their own nodes. Friction changes the velocity of the
// node alone (eq. 3.20). The thesis does not say what keeps skin from passing its core: nothing.
#include "published.h"

#include "lever.h"
#include "../math/turn.h"
#include "wall.h"

#include "../math/dense.h"

static const double COLLAPSED = 0.25; // |J_s|^2: a mean of rotations through which a node is lost

// --- D ----------------------------------------------------------------------------------------

void wri_published_invert_blocks(wr_flesh_model *m, const wri_blocks *A)
{
    for (int i = 0; i < m->node_count; i++) {
        for (int e = A->begin[i]; e < A->begin[i + 1]; e++) {
            double D[9], inverse[9];
            for (int k = 0; k < 9; k++) {
                D[k] = (double)A->value[e][k];
            }
            if (A->column[e] == i && wri_dense_factor(3, D)) {
                wri_dense_invert(3, D, inverse);
                for (int k = 0; k < 9; k++) {
                    m->D_inverse[i][k] = (float)inverse[k];
                }
            }
        }
    }
}

static void apply_block(const wr_flesh_model *m, int node, const double in[3], double out[3])
{
    const float *D = m->D_inverse[node];
    for (int k = 0; k < 3; k++) {
        out[k] =
            (double)D[3 * k] * in[0] + (double)D[3 * k + 1] * in[1] + (double)D[3 * k + 2] * in[2];
    }
}

void wri_published_solve_columns(const wr_flesh_model *m, float *columns)
{
    for (int i = 0; i < 6 * m->node_count; i++) {
        float *at = &columns[3 * i];
        double in[3] = {(double)at[0], (double)at[1], (double)at[2]}, out[3];
        apply_block(m, i % m->node_count, in, out);
        for (int k = 0; k < 3; k++) {
            at[k] = (float)out[k];
        }
    }
}

// --- rows -------------------------------------------------------------------------------------

typedef struct row {
    wri_flesh_contact *contact;
    double n[3];
    double J[WRI_FLESH_BONES][6]; // J_cond, of the bones of its node
    double D_J[3];                // D^-1 J_s^T
    double M_lambda, b, lambda;
    wr_vec3 before, slip; // m/s: velocity of the node, and its relative one across n
} row;

// Those of one member, and the bones they touch.
typedef struct response {
    wri_flesh *f;
    row *rows;
    int count;
    int *place_of; // per bone: its place among those touched, -1: none
    int *touched;
    int touched_count;
    double *change; // dv_b
} response;

// From the world to the bind pose, as the bones of a node have it.
static void turn_back(const wri_flesh *f, int node, const double v[3], double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        double own[3];
        wri_apply_transposed(WRI_MATRIX(f->Q[f->model->bone_ids[e]].m), v, own);
        for (int k = 0; k < 3; k++) {
            out[k] += (double)f->model->weights[e] * own[k];
        }
    }
}

// Eq. 4.27 and 4.29. False: hardly any displacement of the node moves it along the normal.
static bool condense_row(const wri_flesh *f, row *r)
{
    const wr_flesh_model *m = f->model;
    int node = r->contact->node;
    double J_s[3], mass = (double)m->mass[node];
    turn_back(f, node, r->n, J_s);
    apply_block(m, node, J_s, r->D_J);
    r->M_lambda = wri_dot3(J_s, r->D_J);
    for (int i = 0; i < WRI_FLESH_BONES; i++) {
        int e = node * WRI_FLESH_BONES + i, bone = m->bone_ids[e];
        double now[3], rest[3], direct[3], moment[3], held[3];
        wri_lever_now(f, node, bone, now);
        wri_lever_of(&m->bones[bone], m->rest[node], rest);
        wri_apply_transposed(WRI_MATRIX(f->Q[bone].m), r->n, direct);
        wri_cross3(now, direct, moment);
        wri_cross3(rest, r->D_J, held);
        for (int k = 0; k < 3; k++) {
            double w = (double)m->weights[e];
            r->J[i][k] = w * (direct[k] - mass * r->D_J[k]);
            r->J[i][3 + k] = w * (moment[k] - mass * held[k]);
        }
    }
    return wri_dot3(J_s, J_s) > COLLAPSED;
}

// What overlaps or will within the step, and comes nearer.
static bool make_row(wri_flesh *const *members, wri_flesh_contact *c, wr_body_copy *bodies,
                     const wri_whole *wholes, row *out)
{
    const wri_flesh *f = members[c->member];
    wr_vec3 v = wri_flesh_velocity(f, c->node), other = wri_wall_velocity(members, c, bodies);
    wr_vec3 relative = wr_sub(v, other);
    float speed = wr_dot(relative, c->normal);
    if (c->body == WRI_OWN_CORE || (c->gap > 0.0f && c->gap + f->model->dt * speed > 0.0f)) {
        return false;
    }
    *out = (row){.contact = c,
                 .n = {(double)c->normal.x, (double)c->normal.y, (double)c->normal.z},
                 .before = v,
                 .slip = wr_add_scaled(relative, -speed, c->normal)};
    float bounce = fmaxf(c->bounce, c->push);
    double restitution = bounce > 0.0f ? (double)(bounce / c->approach) : 0.0;
    double approach = (double)wr_dot(v, c->normal) - wri_wall_speed(wholes, c, bodies, v, other);
    out->b = (1.0 + restitution) * approach;
    return approach < 0.0 && condense_row(f, out);
}

// Eq. 3.21: what of an overlap is taken back by either skin, the more the softer it is.
static void share_overlap(wri_flesh *const *members, wri_flesh_contact *c)
{
    double own = 1.0 / (double)members[c->member]->model->diagonal[c->node], other = 0.0;
    for (int k = 0; c->body <= WRI_FLESH && k < 3; k++) {
        const float *diagonal = members[c->other]->model->diagonal;
        other += (double)(c->shares[k] * c->shares[k]) / (double)diagonal[c->corners[k]];
    }
    c->softness[0] = (float)(own / (own + other));
    c->softness[1] = (float)(other / (own + other));
}

// The deepest of each node.
static bool list_rows(response *x, wri_flesh *const *members, int member,
                      const wri_flesh_step_desc *step, const wri_whole *wholes, wr_scratch *scratch)
{
    int *row_of =
        wr_scratch_push(scratch, (size_t)x->f->model->node_count, sizeof *row_of); // and 1
    x->rows = wr_scratch_push(scratch, (size_t)step->contact_count, sizeof *x->rows);
    if (!row_of || !x->rows) {
        return false;
    }
    for (int i = 0; i < step->contact_count; i++) {
        wri_flesh_contact *c = &step->contacts[i];
        row made;
        if (c->member == member) {
            share_overlap(members, c);
        }
        if (c->member != member || !make_row(members, c, step->bodies, wholes, &made)) {
            continue;
        }
        int *at = &row_of[c->node];
        if (*at == 0) {
            *at = ++x->count;
            x->rows[*at - 1] = made;
        } else if (c->gap < x->rows[*at - 1].contact->gap) {
            x->rows[*at - 1] = made;
        }
    }
    return true;
}

// --- bones ------------------------------------------------------------------------------------

static bool list_touched(response *x, wr_scratch *scratch)
{
    const wr_flesh_model *m = x->f->model;
    x->place_of = wr_scratch_push(scratch, (size_t)m->bone_count, sizeof *x->place_of);
    x->touched = wr_scratch_push(scratch, (size_t)m->bone_count, sizeof *x->touched);
    if (!x->place_of || !x->touched) {
        return false;
    }
    for (int i = 0; i < m->bone_count; i++) {
        x->place_of[i] = -1;
    }
    for (int i = 0; i < x->count * WRI_FLESH_BONES; i++) {
        int e = x->rows[i / WRI_FLESH_BONES].contact->node * WRI_FLESH_BONES + i % WRI_FLESH_BONES;
        int bone = m->bone_ids[e];
        if (m->weights[e] > 0.0f && x->place_of[bone] < 0) {
            x->place_of[bone] = x->touched_count;
            x->touched[x->touched_count++] = bone;
        }
    }
    return true;
}

// J_cond of a row as so many numbers, and where each is among those of the bones touched.
static int spread_row(const response *x, const row *r, double J[], int at[])
{
    const wr_flesh_model *m = x->f->model;
    int count = 0;
    for (int i = 0; i < WRI_FLESH_BONES; i++) {
        int e = r->contact->node * WRI_FLESH_BONES + i;
        for (int k = 0; k < 6 && m->weights[e] > 0.0f; k++, count++) {
            J[count] = r->J[i][k];
            at[count] = 6 * x->place_of[m->bone_ids[e]] + k;
        }
    }
    return count;
}

// S and b*.
static void sum_rows(const response *x, double *S, double *b)
{
    int size = 6 * x->touched_count, at[6 * WRI_FLESH_BONES];
    double J[6 * WRI_FLESH_BONES];
    for (int i = 0; i < x->count; i++) {
        const row *r = &x->rows[i];
        int count = spread_row(x, r, J, at);
        for (int k = 0; k < count; k++) {
            double share = J[k] / r->M_lambda;
            b[at[k]] -= share * r->b;
            for (int l = 0; l < count; l++) {
                S[at[k] * size + at[l]] += share * J[l];
            }
        }
    }
}

// P of the bones touched; `impulses` is room for all bones, and zero.
static void find_P(const response *x, double *impulses, double *P)
{
    int size = 6 * x->touched_count;
    for (int i = 0; i < size; i++) {
        double *impulse = &impulses[6 * x->touched[i / 6] + i % 6];
        *impulse = 1.0;
        wri_flesh_answer_of_bones(x->f, impulses, x->change);
        *impulse = 0.0;
        for (int j = 0; j < size; j++) {
            P[j * size + i] = x->change[6 * x->touched[j / 6] + j % 6];
        }
    }
}

static void swap_rows(int size, double *A, double *x, int i, int j)
{
    for (int k = 0; k < size && i != j; k++) {
        double kept = A[i * size + k];
        A[i * size + k] = A[j * size + k];
        A[j * size + k] = kept;
    }
    double kept = x[i];
    x[i] = x[j];
    x[j] = kept;
}

// x = A^-1 x by Gaussian elimination: 1 + P S is not symmetric. A is used up.
static void eliminate(int size, double *A, double *x)
{
    for (int i = 0; i < size; i++) {
        int best = i;
        for (int j = i + 1; j < size; j++) {
            best = fabs(A[j * size + i]) > fabs(A[best * size + i]) ? j : best;
        }
        swap_rows(size, A, x, i, best);
        for (int j = i + 1; j < size; j++) {
            double share = A[j * size + i] / A[i * size + i];
            for (int k = i; k < size && share != 0.0; k++) {
                A[j * size + k] -= share * A[i * size + k];
            }
            x[j] -= share * x[i];
        }
    }
    for (int i = size - 1; i >= 0; i--) {
        for (int k = i + 1; k < size; k++) {
            x[i] -= A[i * size + k] * x[k];
        }
        x[i] /= A[i * size + i];
    }
}

// (1 + P S) x = P b.
static void solve_touched(int size, const double *P, const double *S, const double *b, double *A,
                          double *x)
{
    for (int i = 0; i < size; i++) {
        double *out = &A[i * size];
        out[i] = 1.0;
        for (int k = 0; k < size; k++) {
            double by = P[i * size + k];
            x[i] += by * b[k];
            for (int j = 0; j < size; j++) {
                out[j] += by * S[k * size + j];
            }
        }
    }
    eliminate(size, A, x);
}

// lambda of all rows, eq. 4.30, and dv_b.
static void push_bones(response *x, const double *touched_change, double *impulses)
{
    double J[6 * WRI_FLESH_BONES];
    int at[6 * WRI_FLESH_BONES];
    for (int i = 0; i < x->count; i++) {
        row *r = &x->rows[i];
        int count = spread_row(x, r, J, at);
        double sum = r->b;
        for (int k = 0; k < count; k++) {
            sum += J[k] * touched_change[at[k]];
        }
        r->lambda = -sum / r->M_lambda;
        for (int k = 0; k < count; k++) {
            impulses[6 * x->touched[at[k] / 6] + at[k] % 6] += J[k] * r->lambda;
        }
    }
    wri_flesh_answer_of_bones(x->f, impulses, x->change);
}

static bool answer_of_bones(response *x, wr_scratch *scratch)
{
    size_t all = 6 * (size_t)x->f->model->bone_count;
    x->change = wr_scratch_push(scratch, all, sizeof *x->change);
    double *impulses = wr_scratch_push(scratch, all, sizeof *impulses);
    if (!x->change || !impulses || !list_touched(x, scratch)) {
        return false;
    }
    size_t size = 6 * (size_t)x->touched_count;
    double *S = wr_scratch_push(scratch, size * size, sizeof *S);
    double *P = wr_scratch_push(scratch, size * size, sizeof *P);
    double *A = wr_scratch_push(scratch, size * size, sizeof *A);
    double *b = wr_scratch_push(scratch, size, sizeof *b);
    double *change = wr_scratch_push(scratch, size, sizeof *change);
    if (!S || !P || !A || !b || !change) {
        return false;
    }
    sum_rows(x, S, b);
    find_P(x, impulses, P);
    solve_touched((int)size, P, S, b, A, change);
    push_bones(x, change, impulses);
    return true;
}

// --- skin -------------------------------------------------------------------------------------

// -D^-1 M_bs^T dv_b.
static void follow_range(void *context, int block, int begin, int end)
{
    (void)block;
    const response *x = context;
    const wr_flesh_model *m = x->f->model;
    for (int node = begin; node < end; node++) {
        double pulled[3] = {0}, answer[3];
        for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
            const double *by = &x->change[6 * m->bone_ids[e]];
            double w = (double)(m->mass[node] * m->weights[e]), r[3], v[3];
            if (w == 0.0) { // so are the rest
                break;
            }
            wri_lever_of(&m->bones[m->bone_ids[e]], m->rest[node], r);
            wri_cross3(&by[3], r, v);
            for (int k = 0; k < 3; k++) {
                pulled[k] += w * (by[k] + v[k]);
            }
        }
        apply_block(m, node, pulled, answer);
        x->f->v[node] -= (f4){(float)answer[0], (float)answer[1], (float)answer[2], 0.0f};
    }
}

// Eq. 3.20, after all else.
static void rub(const response *x, const row *r)
{
    const wri_flesh_contact *c = r->contact;
    float speed = wr_length(r->slip);
    float most = c->friction * wr_distance(wri_flesh_velocity(x->f, c->node), r->before);
    float share = most < speed ? most / speed : 1.0f;
    const double by[3] = {-(double)(share * r->slip.x), -(double)(share * r->slip.y),
                          -(double)(share * r->slip.z)};
    double own[3];
    turn_back(x->f, c->node, by, own);
    for (int k = 0; k < 3; k++) {
        x->f->v[c->node][k] += (float)own[k];
    }
}

// Eq. 4.32, and what is pushed feels it. What skins do to each other stays their own.
static void answer_of_skin(response *x, const wri_flesh_step_desc *step)
{
    wri_parallel_for(&step->tasks, x->f->model->node_count, WRI_FLESH_GRAIN, follow_range, x);
    wri_flesh_change_bones(x->f, x->change);
    for (int i = 0; i < x->count; i++) {
        const row *r = &x->rows[i];
        wri_flesh_contact *c = r->contact;
        for (int k = 0; k < 3; k++) {
            x->f->v[c->node][k] += (float)(r->D_J[k] * r->lambda);
        }
        rub(x, r);
        if (c->body > WRI_FLESH) {
            c->impulse = wr_scale((float)r->lambda, c->normal);
        }
        if (c->body >= 0) {
            wr_body_copy_push(&step->bodies[c->body], c->point, wr_scale(-1.0f, c->impulse));
        }
    }
}

// --- all of it ----------------------------------------------------------------------------------

// Those of members that are solved our way, all together.
static bool solve_others(wri_flesh *const *members, int member_count,
                         const wri_flesh_step_desc *step, wr_scratch *scratch)
{
    int count = 0;
    wri_flesh_contact *list = wr_scratch_push(scratch, (size_t)step->contact_count, sizeof *list);
    for (int i = 0; list && i < step->contact_count; i++) {
        if (!members[step->contacts[i].member]->model->published) {
            list[count++] = step->contacts[i];
        }
    }
    bool ok = list && wri_flesh_solve_contacts(members, member_count, list, count, step->bodies,
                                               step->body_count, &step->tasks, scratch);
    for (int i = step->contact_count - 1; ok && i >= 0; i--) {
        if (!members[step->contacts[i].member]->model->published) {
            step->contacts[i] = list[--count];
        }
    }
    return ok;
}

bool wri_published_solve_contacts(wri_flesh *const *members, int member_count,
                                  const wri_flesh_step_desc *step, wr_scratch *scratch)
{
    size_t used = scratch->used;
    wri_whole *wholes;
    response *x = wr_scratch_push(scratch, (size_t)member_count, sizeof *x);
    int others = 0;
    bool ok = x && wri_walls_find(members, member_count, step, scratch, &wholes);
    for (int i = 0; ok && i < member_count; i++) { // all, before any of them changes
        x[i] = (response){.f = members[i]};
        others += !members[i]->model->published;
        ok = !members[i]->model->published || list_rows(&x[i], members, i, step, wholes, scratch);
    }
    for (int i = 0; ok && i < member_count; i++) {
        if (x[i].count > 0) {
            ok = answer_of_bones(&x[i], scratch);
        }
        if (ok && x[i].count > 0) {
            answer_of_skin(&x[i], step);
        }
    }
    ok = ok && (others == 0 || solve_others(members, member_count, step, scratch));
    scratch->used = used;
    return ok;
}
