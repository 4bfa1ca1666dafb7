// contact.c: skin that touches something moves its bones and what it touches, all in one solve.
//
// The impulse lambda of each contact of a group obeys
//
//     0 <= lambda_n  _|_  n.u - goal >= 0,   |lambda_t| <= mu lambda_n,   u = c + W lambda
//
// with u the relative velocity after the step, and goal -gap / dt where they are apart. W and
// conjugate gradients are those of group.c. Around them an active set: what pulls is dropped, what
// would go in is added, what exceeds the cone slides.
#include "group.h"
#include "turn.h"

enum {
    ROUNDS = 12,    // of the active set at most
    ADDING = 8,     // rounds in which contacts are added; then they are only dropped
    ITERATIONS = 3, // of conjugate gradients in a round, while anything changes
    LAST = 20,      // in the last one
};
static const double PRECISION = 1e-3; // of the velocities that are stopped, in the preconditioned
                                      // norm
static const double CHANGES = 2e-2;   // of the largest impulse: what is still the same
static const float CORRECTED = 0.2f;  // of an overlap, in a step

// --- the active set ---------------------------------------------------------------------------

// Coulomb's impulse against the slip, or, where nothing slips, in the direction it had.
static void rub(wri_row *r, double normal)
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

static bool update_sticking(wri_row *r)
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
    r->state = WRI_SLIDES;
    for (int k = 0; k < 3; k++) {
        r->friction[k] = most * across[k] / size;
        r->lambda[k] = normal * r->n[k];
    }
    return true;
}

static bool update_sliding(wri_row *r, double largest)
{
    double before[3], off = 0.0, normal = wri_dot3(r->n, r->lambda);
    memcpy(before, r->friction, sizeof before);
    if (wri_dot3(r->u, r->friction) > 0.0) { // friction drives it: it has come to rest
        r->state = WRI_STICKS;
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

static void drop(wri_row *r)
{
    r->state = WRI_OPEN;
    memset(r->lambda, 0, sizeof r->lambda);
    memset(r->friction, 0, sizeof r->friction);
}

// How many changed.
static int update_states(wri_group *a, int round)
{
    int changed = 0;
    double largest = 0.0, fastest = 0.0;
    for (int i = 0; i < a->count; i++) {
        largest = fmax(largest, wri_dot3(a->rows[i].n, a->rows[i].lambda));
        fastest = fmax(fastest, fabs(wri_dot3(a->rows[i].n, a->rows[i].c)));
    }
    for (int i = 0; i < a->count; i++) {
        wri_row *r = &a->rows[i];
        if (r->state != WRI_OPEN && wri_dot3(r->n, r->lambda) < 0.0) {
            drop(r);
            changed++;
        } else if (r->state == WRI_OPEN) {
            bool goes_in = wri_dot3(r->n, r->u) < -PRECISION * fastest;
            if (goes_in && round < ADDING) {
                r->state = r->contact->friction > 0.0f ? WRI_STICKS : WRI_SLIDES;
                changed++;
            }
        } else {
            changed += r->state == WRI_STICKS ? update_sticking(r) : update_sliding(r, largest);
        }
    }
    return changed;
}

// --- preparation ------------------------------------------------------------------------------

// A contact begins as that of its node with the same body was in the step before.
static void begin_row(const wri_flesh *f, wri_row *r)
{
    const wri_felt *felt = &f->felt[r->contact->node];
    double normal = wri_dot3(felt->impulse, r->n);
    if (felt->body != r->contact->body || !(normal > 0.0) || !(wri_dot3(r->c, r->n) < 0.0)) {
        return;
    }
    r->state = felt->slid ? WRI_SLIDES : WRI_STICKS;
    for (int k = 0; k < 3; k++) {
        double across = felt->impulse[k] - normal * r->n[k];
        r->lambda[k] = normal * r->n[k] + (felt->slid ? 0.0 : across);
        r->friction[k] = felt->slid ? across : 0.0;
    }
}

// Velocities without contact, as J sees them, less the goal.
static void find_velocities(wri_group *a)
{
    for (int i = 0; i < a->member_count; i++) {
        wri_member *m = &a->members[i];
        wri_flesh_find_velocities(m->f, m->change);
        for (int k = 0; k < 3 * m->node_count; k++) {
            m->s[k] = m->f->v[m->nodes[k / 3]][k % 3];
        }
    }
    for (int i = 0; i < a->body_count; i++) {
        wr_vec3 v = a->bodies[i].velocity, omega = a->bodies[i].angular_velocity;
        a->pushed[i] = (wri_answer){{(double)v.x, (double)v.y, (double)v.z},
                                    {(double)omega.x, (double)omega.y, (double)omega.z}};
    }
    for (int i = 0; i < a->count; i++) {
        wri_row *r = &a->rows[i];
        const wri_flesh *f = a->members[r->contact->member].f;
        wri_group_gather(a, r, r->c);
        double goal = r->contact->gap > 0.0f ? -(double)(r->contact->gap / f->model->dt)
                                             : (double)r->contact->bounce;
        for (int k = 0; k < 3; k++) {
            r->c[k] -= goal * r->n[k];
        }
        begin_row(f, r);
    }
}

// --- the answer -------------------------------------------------------------------------------

static void keep_for_the_next(const wri_group *a)
{
    for (int i = 0; i < a->count; i++) {
        const wri_row *r = &a->rows[i];
        wri_felt *one = &a->members[r->contact->member].f->felt[r->contact->node];
        one->body = r->contact->body;
        one->slid = r->state == WRI_SLIDES;
        for (int k = 0; k < 3; k++) {
            one->impulse[k] = r->lambda[k] + r->friction[k];
        }
    }
}

static bool change_member(wri_member *m, const wr_tasks *tasks, wr_scratch *scratch)
{
    const wr_flesh_model *model = m->f->model;
    float *s = wr_scratch_push(scratch, 3 * (size_t)model->node_count, sizeof *s);
    if (!s) {
        return false;
    }
    wri_flesh_answer_of_bones(m->f, m->b, m->change);
    for (int i = 0; i < m->node_count; i++) {
        memcpy(&s[3 * m->nodes[i]], &m->s[3 * i], 3 * sizeof *s);
    }
    wri_factor_solve(model->factor, s, tasks);
    wri_flesh_answer_of_skin(m->f, s, m->change, tasks);
    wri_flesh_change_bones(m->f, m->change);
    return true;
}

static bool apply(wri_group *a, wr_scratch *scratch)
{
    for (int i = 0; i < a->count; i++) {
        wri_row *r = &a->rows[i];
        double *lambda = &a->vectors[0][3 * i];
        for (int k = 0; k < 3; k++) {
            lambda[k] = r->lambda[k] + r->friction[k];
        }
        r->contact->impulse = wr_v3((float)lambda[0], (float)lambda[1], (float)lambda[2]);
        if (r->contact->body >= 0) {
            wr_body_copy_push(&a->bodies[r->contact->body], r->contact->point,
                              wr_scale(-1.0f, r->contact->impulse));
        }
    }
    wri_group_spread(a, a->vectors[0]);
    bool ok = true;
    for (int i = 0; ok && i < a->member_count; i++) {
        ok = change_member(&a->members[i], a->tasks, scratch);
    }
    return ok;
}

static void solve(wri_group *a)
{
    double enough = PRECISION * PRECISION * wri_group_norm(a);
    bool is_solved = wri_group_solve(a, 0, enough);
    int few = a->count / 100, changed = update_states(a, 0);
    for (int round = 1; round < ROUNDS && (changed > few || !is_solved); round++) {
        is_solved = wri_group_solve(a, changed > few ? ITERATIONS : LAST, enough);
        changed = update_states(a, round);
    }
}

bool wri_flesh_solve_contacts(wri_flesh *const *members, int member_count,
                              wri_flesh_contact *contacts, int count, wr_body_copy *bodies,
                              int body_count, const wr_tasks *tasks, wr_scratch *scratch)
{
    size_t used = scratch->used;
    wri_group a = {.tasks = tasks, .bodies = bodies, .body_count = body_count};
    bool ok = count == 0 || wri_group_create(&a, members, member_count, contacts, count, scratch);
    if (ok && count > 0) {
        find_velocities(&a);
        solve(&a);
        ok = apply(&a, scratch);
    }
    for (int i = 0; i < member_count; i++) {
        const wri_flesh *f = members[i];
        memset(f->felt, 0, (size_t)f->model->node_count * sizeof *f->felt);
    }
    if (ok) {
        keep_for_the_next(&a);
    }
    scratch->used = used;
    return ok;
}

// Moves a node in the world, by its skin alone.
static void shift(wri_flesh *f, int node, wr_vec3 by)
{
    const wr_flesh_model *m = f->model;
    const double way[3] = {(double)by.x, (double)by.y, (double)by.z};
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        double own[3];
        wri_apply_transposed(WRI_MATRIX(f->Q[m->bone_ids[e]].m), way, own);
        for (int k = 0; k < 3; k++) {
            f->q[node][k] += m->weights[e] * (float)own[k];
        }
    }
}

// Eq. 3.21, 3.22: a part of what is left of an overlap; two skins share it.
void wri_flesh_correct(wri_flesh *const *members, const wri_flesh_contact *contacts, int count,
                       float slop)
{
    for (int i = 0; i < count; i++) {
        const wri_flesh_contact *c = &contacts[i];
        float depth = -c->gap - slop;
        if (!(depth > 0.0f) || c->body == WRI_OWN_CORE) {
            continue;
        }
        bool shared = c->body <= WRI_FLESH;
        wr_vec3 way = wr_scale((shared ? 0.5f : 1.0f) * CORRECTED * depth, c->normal);
        shift(members[c->member], c->node, way);
        for (int k = 0; shared && k < 3; k++) {
            shift(members[c->other], c->corners[k], wr_scale(-c->shares[k], way));
        }
    }
}
