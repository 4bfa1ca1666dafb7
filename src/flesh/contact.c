// contact.c: skin that touches something moves its bones and what it touches, all in one solve.
//
// The impulse lambda of each contact of a group obeys
//
//     0 <= lambda_n  _|_  n.u - goal >= 0,   |lambda_t| <= mu lambda_n,   u = c + W lambda
//
// with u the relative velocity after the step, and goal -gap / dt where they are apart. W and
// conjugate gradients are those of group.c. Around them an active set: what pulls is dropped, what
// would go in is added, and friction gives way as much as keeps it within the cone.
#include "group.h"
#include "turn.h"

enum {
    ROUNDS = 12,    // of the active set at most
    ADDING = 8,     // rounds in which contacts are added; then they are only dropped
    ITERATIONS = 3, // of conjugate gradients in a round, while anything changes
    LAST = 20,      // in the last one
    BACK = 3,       // how often a round may be halved, before it is given up
};
static const double PRECISION = 1e-3; // of the velocities that are stopped, in the preconditioned
                                      // norm
static const double CHANGES = 5e-2;   // of the largest friction: what is still the same
static const double STUCK = 1e-4;     // of a node's own: the compliance of what sticks
static const float CORRECTED = 0.2f;  // of an overlap, in a step

// --- the active set ---------------------------------------------------------------------------

static double length_across(const wri_row *r, const double v[3])
{
    double along = wri_dot3(r->n, v), square = wri_dot3(v, v) - along * along;
    return square > 0.0 ? sqrt(square) : 0.0;
}

// The least compliance, at which it sticks.
static double stuck(const wri_group *a, const wri_row *r)
{
    const wri_member *m = &a->members[r->contact->member];
    return STUCK / (double)m->f->model->diagonal[r->contact->node];
}

// Coulomb's law as a fixed point: |lambda_t| = |u_t| / C, which is mu lambda_n where it slides.
// What is beyond the cone is put back on it, and gives way the more. True: it was off.
static bool slide(wri_row *r, double largest)
{
    double most = (double)r->contact->friction * wri_dot3(r->n, r->lambda);
    double across = length_across(r, r->lambda), along = wri_dot3(r->n, r->lambda);
    if (!(across > most)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        double normal = along * r->n[k];
        r->lambda[k] = normal + most / across * (r->lambda[k] - normal);
    }
    r->compliance = most > 0.0 ? r->compliance * across / most : INFINITY;
    return across - most > CHANGES * fmin((double)r->contact->friction, 1.0) * largest;
}

// What is within it gives way the less, until it sticks. True: it is still off.
static bool stick(const wri_group *a, wri_row *r, double largest)
{
    double most = (double)r->contact->friction * wri_dot3(r->n, r->lambda);
    double across = length_across(r, r->lambda), least = stuck(a, r);
    if (!(most > 0.0)) {
        return false;
    }
    if (isinf(r->compliance)) { // nothing rubbed before
        r->compliance = fmax(length_across(r, r->u) / most, least);
        return most > CHANGES * largest;
    }
    double ratio = across < most ? across / most : 1.0;
    bool is_stuck = r->compliance <= least;
    r->compliance = fmax(r->compliance * ratio * ratio, least);
    return !is_stuck && most - across > CHANGES * fmin((double)r->contact->friction, 1.0) * largest;
}

static double largest_normal(const wri_group *a)
{
    double largest = 0.0;
    for (int i = 0; i < a->count; i++) {
        largest = fmax(largest, wri_dot3(a->rows[i].n, a->rows[i].lambda));
    }
    return largest;
}

// How many contacts changed in a round: that press or do not, and whose friction is off.
typedef struct changes {
    int pressing, friction;
} changes;

static bool are_few(changes c, int count)
{
    return c.pressing <= count / 100 && c.friction <= count / 50 + 1;
}

// Adds what goes in, and lets friction hold.
static void update_states(wri_group *a, int round, changes *to)
{
    double largest = largest_normal(a), fastest = 0.0;
    for (int i = 0; i < a->count; i++) {
        fastest = fmax(fastest, fabs(wri_dot3(a->rows[i].n, a->rows[i].c)));
    }
    for (int i = 0; i < a->count; i++) {
        wri_row *r = &a->rows[i];
        if (r->closed) {
            to->friction += stick(a, r, largest);
        } else {
            r->closed = wri_dot3(r->n, r->u) < -PRECISION * fastest && round < ADDING;
            to->pressing += r->closed;
        }
    }
}

static void open_row(wri_row *r)
{
    r->closed = false;
    r->compliance = INFINITY;
    memset(r->lambda, 0, sizeof r->lambda);
}

// What pulls is let go, and what is beyond the cone slides.
static void let_go(wri_group *a, changes *to)
{
    double largest = largest_normal(a);
    for (int i = 0; i < a->count; i++) {
        wri_row *r = &a->rows[i];
        if (r->closed && wri_dot3(r->n, r->lambda) < 0.0) {
            open_row(r);
            to->pressing++;
        } else if (r->closed) {
            to->friction += slide(r, largest);
        }
    }
}

static void keep(wri_group *a)
{
    for (int i = 0; i < a->count; i++) {
        memcpy(a->rows[i].kept, a->rows[i].lambda, sizeof a->rows[i].kept);
    }
}

// Goes back where impulses would do work: what was let go may have held others.
static void descend(wri_group *a)
{
    double work = wri_group_evaluate(a);
    for (int back = 0; work > 0.0 && back < BACK; back++) {
        double share = back + 1 < BACK ? 0.5 : 0.0;
        for (int i = 0; i < 3 * a->count; i++) {
            wri_row *r = &a->rows[i / 3];
            double *lambda = &r->lambda[i % 3];
            *lambda = r->kept[i % 3] + share * (*lambda - r->kept[i % 3]);
            r->closed = r->closed || *lambda != 0.0;
        }
        work = wri_group_evaluate(a);
    }
    keep(a);
}

// --- preparation ------------------------------------------------------------------------------

// A contact begins as that of its node with the same body was in the step before.
static void begin_row(const wri_flesh *f, wri_row *r)
{
    const wri_felt *felt = &f->felt[r->contact->node];
    bool is_old = felt->body == r->contact->body && wri_dot3(felt->impulse, r->n) > 0.0;
    r->compliance = INFINITY;
    if (is_old && wri_dot3(r->c, r->n) < 0.0) {
        r->closed = true;
        r->compliance = felt->compliance;
        memcpy(r->lambda, felt->impulse, sizeof r->lambda);
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
        one->compliance = r->compliance;
        memcpy(one->impulse, r->lambda, sizeof one->impulse);
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
        const double *lambda = r->lambda;
        memcpy(&a->vectors[0][3 * i], lambda, sizeof r->lambda);
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
    if (wri_group_evaluate(a) > 0.0) { // what was felt before misleads
        for (int i = 0; i < a->count; i++) {
            open_row(&a->rows[i]);
        }
        wri_group_evaluate(a);
    }
    keep(a);
    bool is_solved = wri_group_solve(a, 0, enough);
    changes now = {0, 0};
    update_states(a, 0, &now);
    for (int round = 1; round < ROUNDS && !(is_solved && are_few(now, a->count)); round++) {
        is_solved = wri_group_solve(a, are_few(now, a->count) ? LAST : ITERATIONS, enough);
        now = (changes){0, 0};
        let_go(a, &now);
        descend(a);
        update_states(a, round, &now);
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
