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
#include "../math/turn.h"

enum {
    ROUNDS = 12,     // of the active set at most
    ADDING = 8,      // rounds in which contacts are added; then they are only dropped
    ITERATIONS = 15, // of conjugate gradients in a round
    RUBBING = 3,     // rounds for friction alone, when all else is settled
    BACK = 3,        // how often a round may be halved, before it is given up
    TIMES = 3,       // all is solved at most, until nothing is passed that was left out
};
static const double PRECISION = 5e-4; // of the velocities that are stopped, in the preconditioned
                                      // norm
static const double RUBBED = 1e-2;    // and what friction may be off
static const double ROUGHLY = 1e-3;   // of the residual's energy: what a round may leave,
static const double OFF = 0.05;       // of velocities and impulses: what may be wrong in the end
static const double FAR = 3.0;        // times as fast as the fastest: what is not met in this step
static const double FIRM = 0.75;      // of what gives way: bones and bodies, where contacts bounce
static const float CORRECTED_MOST = 480.0f; // slops per second: what of an overlap is taken back
                                            // at most: stiff skin is hard to shift

// --- the active set ---------------------------------------------------------------------------

static double length_across(const wri_row *r, const double v[3])
{
    double along = wri_dot3(r->n, v), square = wri_dot3(v, v) - along * along;
    return square > 0.0 ? sqrt(square) : 0.0;
}

double wri_row_rub(wri_row *r, double still)
{
    double most = (double)r->contact->friction * wri_dot3(r->n, r->lambda);
    double across = length_across(r, r->lambda), speed = length_across(r, r->u);
    r->compliance = wri_rub(most, across, speed, r->own, r->give);
    return most > 0.0 && speed > still ? most - across : 0.0;
}

// Of the rounds: all normal impulses, what of them changed, and what friction is off, N s.
typedef struct changes {
    double all, pressing, friction;
} changes;

// m/s: what counts as no velocity.
static double find_still(const wri_group *a)
{
    double fastest = 0.0;
    for (int i = 0; i < a->count; i++) {
        fastest = fmax(fastest, fabs(wri_dot3(a->rows[i].n, a->rows[i].c)));
    }
    return PRECISION * fastest;
}

// Adds what goes in, and lets friction follow.
static void update_states(wri_group *a, int round, changes *to)
{
    double still = find_still(a);
    for (int i = 0; i < a->count; i++) {
        wri_row *r = &a->rows[i];
        double speed = wri_dot3(r->n, r->u);
        if (r->closed) {
            to->all += wri_dot3(r->n, r->lambda);
            to->friction += wri_row_rub(r, still);
        } else if (speed < -still && round < ADDING) {
            r->closed = true;
            to->pressing -= speed / r->own;
        }
    }
}

void wri_row_open(wri_row *r)
{
    r->closed = false;
    r->compliance = INFINITY;
    memset(r->lambda, 0, sizeof r->lambda);
}

// Puts an impulse back on Coulomb's cone. Returns how far it was beyond.
double wri_row_clip(wri_row *r, double along)
{
    double most = (double)r->contact->friction * along, across = length_across(r, r->lambda);
    for (int k = 0; k < 3 && across > most; k++) {
        double normal = along * r->n[k];
        r->lambda[k] = normal + most / across * (r->lambda[k] - normal);
    }
    return fmax(across - most, 0.0);
}

// What pulls is let go, and what is beyond the cone is put back on it.
static void let_go(wri_group *a, changes *to)
{
    for (int i = 0; i < a->count; i++) {
        wri_row *r = &a->rows[i];
        double along = wri_dot3(r->n, r->lambda);
        if (r->closed && along < 0.0) {
            wri_row_open(r);
            to->pressing -= along;
        } else if (r->closed) {
            to->friction += wri_row_clip(r, along);
        }
    }
}

static void keep(wri_group *a)
{
    for (int i = 0; i < a->count; i++) {
        memcpy(a->rows[i].kept, a->rows[i].lambda, sizeof a->rows[i].kept);
    }
}

// Goes back towards the last impulses that did no work, where those there are now would.
static void back_off(wri_group *a, double work)
{
    for (int back = 0; work > 0.0 && back < BACK; back++) {
        double share = back + 1 < BACK ? 0.5 : 0.0;
        for (int i = 0; i < 3 * a->count; i++) {
            wri_row *r = &a->rows[i / 3];
            double *lambda = &r->lambda[i % 3];
            *lambda = r->kept[i % 3] + share * (*lambda - r->kept[i % 3]);
        }
        work = wri_group_evaluate(a);
    }
}

// --- preparation ------------------------------------------------------------------------------

// A contact begins as that of its node with the same body was in the step before.
static void begin_row(const wri_flesh *f, wri_row *r)
{
    const wri_felt *felt = &f->felt[r->contact->node];
    bool is_old = felt->body == r->contact->body && wri_dot3(felt->impulse, r->n) > 0.0;
    r->compliance = INFINITY;
    if (wri_is_own_core(r)) {
        r->closed = !r->contact->is_end && felt->core > 0.0;
        for (int k = 0; k < 3; k++) {
            r->lambda[k] = r->closed ? felt->core * r->n[k] : 0.0;
        }
    } else if (is_old && wri_dot3(r->c, r->n) < 0.0) {
        r->closed = true;
        r->compliance = felt->compliance;
        memcpy(r->lambda, felt->impulse, sizeof r->lambda);
    }
}

// Metres that an overlap is lessened by in a step of dt seconds.
static float corrected(float gap, float slop, float dt)
{
    return fminf(WRI_FLESH_CORRECTED * fmaxf(-gap - slop, 0.0f), CORRECTED_MOST * dt * slop);
}

// How far a contact moves bones and bodies rather than skin.
static double firmness_of(const wri_row *r)
{
    return r->mobility / (r->own + r->mobility);
}

// m/s: with which stiff skin, and what it is on, leave an overlap; soft skin is shifted instead.
static double speed_out_of(const wri_flesh *f, const wri_row *r)
{
    float dt = f->model->dt, way = corrected(r->contact->gap, WRI_FLESH_SLOP * f->model->size, dt);
    return (double)(way / dt) * firmness_of(r);
}

// m/s: with which it leaves. Soft skin does that by itself: thrown off node by node, while its
// bone still comes, it would only lose what it could give back.
static double bounce_of(const wri_row *r)
{
    double firm = fmax(firmness_of(r) - FIRM, 0.0) / (1.0 - FIRM);
    return fmax(firm * (double)r->contact->bounce, (double)r->contact->push);
}

// m/s, along the normal. What bounces does so in the step in which it would meet: in the next one
// there would be nothing left of the speed with which it came.
static double goal_of(const wri_flesh *f, const wri_row *r)
{
    const wri_flesh_contact *c = r->contact;
    double bounce = bounce_of(r);
    bool bounces = bounce > 0.0 && c->gap < f->model->dt * c->approach;
    bool is_apart = c->gap > 0.0f || wri_is_own_core(r); // a core is a spring, too
    return is_apart && !bounces ? -(double)(c->gap / f->model->dt)
                                : fmax(bounce, speed_out_of(f, r));
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
    for (int i = 0; i < a->count; i++) {
        wri_row *r = &a->rows[i];
        const wri_flesh *f = a->members[r->contact->member].f;
        wri_group_gather(a, r, r->c);
        r->goal = goal_of(f, r);
        for (int k = 0; k < 3; k++) {
            r->c[k] -= r->goal * r->n[k];
        }
        begin_row(f, r);
    }
}

// --- what may be met ----------------------------------------------------------------------------

// m/s, along the normal, without contact: how much faster than that it would have to be to be met.
static double clearance_of(wri_flesh *const *members, const wri_flesh_contact *c,
                           const wr_body_copy *bodies)
{
    const wri_flesh *f = members[c->member];
    wr_vec3 v = wri_flesh_velocity(f, c->node);
    if (c->body == WRI_OWN_CORE) {
        v = f4_vec3(f->v[c->node]);
    } else if (c->body >= 0) {
        v = wr_sub(v, wr_body_copy_velocity(&bodies[c->body], c->point));
    }
    for (int k = 0; c->body <= WRI_FLESH && k < 3; k++) {
        v = wr_add_scaled(v, -c->shares[k], wri_flesh_velocity(members[c->other], c->corners[k]));
    }
    return (double)(wr_dot(v, c->normal) + c->gap / f->model->dt);
}

// Leaves out what is farther off than anything comes near. `kept`: per contact, whether it is in.
// Returns whether any is.
static bool find_near(wri_flesh *const *members, const wri_flesh_contact *contacts, int count,
                      const wr_body_copy *bodies, double *clearances, bool *kept)
{
    double fastest = 0.0;
    bool any = false;
    for (int i = 0; i < count; i++) {
        clearances[i] = clearance_of(members, &contacts[i], bodies);
        fastest = fmax(fastest, -clearances[i]);
    }
    for (int i = 0; i < count; i++) {
        kept[i] = clearances[i] < FAR * fastest;
        any = any || kept[i];
    }
    return any;
}

// Adds what the velocities there are now would pass after all: what bounces stops more than comes
// nearer, and levers make ends of bones faster than what hits these. Returns whether any is.
static bool add_passed(wri_flesh *const *members, const wri_flesh_contact *contacts, int count,
                       const wr_body_copy *bodies, double *clearances, bool *kept)
{
    bool any = false;
    double fastest = 0.0;
    for (int i = 0; i < count; i++) {
        fastest = fmax(fastest, -clearances[i]);
    }
    for (int i = 0; i < count; i++) {
        bool is_passed = clearance_of(members, &contacts[i], bodies) < -OFF * fastest;
        any = any || (is_passed && !kept[i]);
        kept[i] = kept[i] || is_passed;
    }
    return any;
}

// --- the answer -------------------------------------------------------------------------------

static void keep_for_the_next(const wri_group *a)
{
    for (int i = 0; i < a->count; i++) {
        const wri_row *r = &a->rows[i];
        wri_felt *one = &a->members[r->contact->member].f->felt[r->contact->node];
        if (wri_is_own_core(r)) {
            one->core = r->contact->is_end ? one->core : wri_dot3(r->n, r->lambda);
            continue;
        }
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
    wri_factor_solve_from(model->factor, &m->f->path, m->s, s, tasks);
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

static double go_on(wri_group *a, double enough, double work)
{
    bool is_settled = false;
    for (int round = 1, rubbing = 0; round < ROUNDS && !is_settled; round++) {
        changes now = {0};
        double energy = wri_group_solve(a, ITERATIONS, enough, ROUGHLY);
        let_go(a, &now);
        work = wri_group_evaluate(a);
        if (work <= 0.0) {
            keep(a);
        }
        update_states(a, round, &now);
        rubbing += energy <= enough && now.pressing <= WRI_SETTLED * now.all;
        is_settled = rubbing == RUBBING || (rubbing > 0 && now.friction <= RUBBED * now.all);
    }
    return work;
}

// Whether what the sets of closed contacts have come to is too far off to be used.
static bool is_off(const wri_group *a, double work)
{
    double fastest = 0.0, worst = 0.0;
    for (int i = 0; i < a->count; i++) {
        const wri_row *r = &a->rows[i];
        double give = r->give * wri_dot3(r->n, r->lambda);
        fastest = fmax(fastest, -wri_dot3(r->n, r->c));
        worst = fmax(worst, -wri_dot3(r->n, r->u) - give);
    }
    return work > 0.0 || worst > OFF * fastest;
}

// Where sets of closed contacts follow each other without end, or what they are to do is another.
static bool solve_anew(wri_group *a, wr_scratch *scratch, double *work)
{
    bool ok = wri_group_settle(a, scratch);
    *work = wri_group_evaluate(a);
    if (ok && is_off(a, *work)) {
        ok = wri_group_descend(a, scratch);
        *work = wri_group_evaluate(a);
    }
    return ok;
}

// J: what the impulses add to the energy of motion. Where contacts contradict each other, as in a
// deep overlap, and drive apart what is between them, that may be more than they take.
static double gain_of(const wri_group *a, double work)
{
    for (int i = 0; i < a->count; i++) {
        work += a->rows[i].goal * wri_dot3(a->rows[i].n, a->rows[i].lambda);
    }
    return work;
}

// Contacts are to stop what comes nearer, but to drive nothing apart.
static void forget_goals(wri_group *a)
{
    for (int i = 0; i < a->count; i++) {
        wri_row *r = &a->rows[i];
        double more = fmax(r->goal, 0.0);
        r->goal -= more;
        for (int k = 0; k < 3; k++) {
            r->c[k] += more * r->n[k];
        }
    }
}

// From nothing at all. Returns the work, which is none.
static double begin_anew(wri_group *a)
{
    for (int i = 0; i < a->count; i++) {
        wri_row_open(&a->rows[i]);
    }
    double work = wri_group_evaluate(a);
    keep(a);
    return work;
}

// By sets of closed contacts. Returns the work.
static double solve_by_sets(wri_group *a)
{
    double enough = PRECISION * PRECISION * wri_group_norm(a), work = wri_group_evaluate(a);
    changes now = {0};
    bool is_settled = false;
    keep(a);
    if (work > 0.0) { // what was felt before misleads
        work = begin_anew(a);
    }
    update_states(a, 0, &now);
    if (a->is_local) {
        is_settled = wri_group_look_ahead(a, enough, find_still(a), &work);
        if (is_settled && work <= 0.0) {
            keep(a);
        } else if (!is_settled) {
            work = begin_anew(a);
            update_states(a, 0, &now);
        }
    }
    return is_settled ? work : go_on(a, enough, work);
}

static bool solve(wri_group *a, wr_scratch *scratch)
{
    bool ok = true;
    double work = solve_by_sets(a);
    if (is_off(a, work)) {
        ok = solve_anew(a, scratch, &work);
    }
    if (ok && gain_of(a, work) > 0.0) {
        forget_goals(a);
        ok = solve_anew(a, scratch, &work);
    }
    back_off(a, work);
    return ok;
}

// Velocities of bodies of flesh and of rigid ones, to return to.
typedef struct motion {
    wri_flesh_pose *bones; // of all members
    f4 *v;
    wr_body_copy *bodies;
    wr_support *supports; // WR_SUPPORTS_MAX of each
} motion;

// Copies there, or back.
static void copy_motion(motion *m, wri_flesh *const *members, int member_count,
                        wr_body_copy *bodies, int body_count, bool back)
{
    size_t bone = 0, node = 0;
    for (int i = 0; i < member_count; i++) {
        const wri_flesh *f = members[i];
        size_t bones = (size_t)f->model->bone_count, nodes = (size_t)f->model->node_count;
        memcpy(back ? f->bones : m->bones + bone, back ? m->bones + bone : f->bones,
               bones * sizeof *f->bones);
        memcpy(back ? f->v : m->v + node, back ? m->v + node : f->v, nodes * sizeof *f->v);
        bone += bones;
        node += nodes;
    }
    if (body_count > 0) {
        memcpy(back ? bodies : m->bodies, back ? m->bodies : bodies,
               (size_t)body_count * sizeof *bodies);
    }
    for (int i = 0; i < body_count; i++) { // what they answered in a solve is undone with it
        wr_support *kept = m->supports + (size_t)i * WR_SUPPORTS_MAX, *own = bodies[i].supports;
        size_t size = (size_t)bodies[i].support_count * sizeof *own;
        if (size > 0) {
            memcpy(back ? own : kept, back ? kept : own, size);
        }
    }
}

static bool create_motion(motion *m, wri_flesh *const *members, int member_count, int body_count,
                          wr_scratch *scratch)
{
    size_t bones = 0, nodes = 0;
    for (int i = 0; i < member_count; i++) {
        bones += (size_t)members[i]->model->bone_count;
        nodes += (size_t)members[i]->model->node_count;
    }
    m->bones = wr_scratch_push(scratch, bones, sizeof *m->bones);
    m->v = wr_scratch_push(scratch, nodes, sizeof *m->v);
    m->bodies = wr_scratch_push(scratch, (size_t)body_count, sizeof *m->bodies);
    m->supports =
        wr_scratch_push(scratch, (size_t)body_count * WR_SUPPORTS_MAX, sizeof *m->supports);
    return m->bones && m->v && m->bodies && m->supports;
}

// Those of the contacts that are kept.
static bool solve_kept(wri_group *a, wri_flesh *const *members, int member_count,
                       wri_flesh_contact *contacts, int count, const bool *kept,
                       wr_scratch *scratch)
{
    wri_flesh_contact **near = wr_scratch_push(scratch, (size_t)count, sizeof *near);
    int near_count = 0;
    for (int i = 0; near && i < count; i++) {
        if (kept[i]) {
            near[near_count++] = &contacts[i];
        }
    }
    if (!near || !wri_group_create(a, members, member_count, near, near_count, scratch)) {
        return false;
    }
    find_velocities(a);
    return solve(a, scratch) && apply(a, scratch);
}

bool wri_flesh_solve_contacts(wri_flesh *const *members, int member_count,
                              wri_flesh_contact *contacts, int count, wr_body_copy *bodies,
                              int body_count, const wr_tasks *tasks, wr_scratch *scratch)
{
    size_t used = scratch->used;
    wri_group a = {0};
    motion free = {0};
    bool *kept = wr_scratch_push(scratch, (size_t)count, sizeof *kept);
    double *clearances = wr_scratch_push(scratch, (size_t)count, sizeof *clearances);
    bool ok =
        kept && clearances && create_motion(&free, members, member_count, body_count, scratch);
    bool goes_on = ok && find_near(members, contacts, count, bodies, clearances, kept);
    if (goes_on) {
        copy_motion(&free, members, member_count, bodies, body_count, false);
    }
    for (int i = 0; ok && goes_on && i < TIMES; i++) {
        if (i > 0) {
            copy_motion(&free, members, member_count, bodies, body_count, true);
        }
        a = (wri_group){.tasks = tasks, .bodies = bodies, .body_count = body_count};
        ok = solve_kept(&a, members, member_count, contacts, count, kept, scratch);
        goes_on = ok && add_passed(members, contacts, count, bodies, clearances, kept);
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

// Metres, along the normal: where a contact's node is, over the corners that it meets.
static float height_of(wri_flesh *const *members, const wri_flesh_contact *c)
{
    float height = wr_dot(wri_flesh_place(members[c->member], c->node), c->normal);
    for (int k = 0; c->body <= WRI_FLESH && k < 3; k++) {
        wr_vec3 at = wri_flesh_place(members[c->other], c->corners[k]);
        height -= c->shares[k] * wr_dot(at, c->normal);
    }
    return height;
}

// m/s, likewise.
static float climb_of(wri_flesh *const *members, const wri_flesh_contact *c)
{
    float speed = wr_dot(wri_flesh_velocity(members[c->member], c->node), c->normal);
    for (int k = 0; c->body <= WRI_FLESH && k < 3; k++) {
        wr_vec3 v = wri_flesh_velocity(members[c->other], c->corners[k]);
        speed -= c->shares[k] * wr_dot(v, c->normal);
    }
    return speed;
}

// Whether a contact was near enough to be solved. Cores turn with what they hold: they do not
// count.
static bool is_solved(const wri_flesh_contact *c)
{
    return c->softness[0] + c->softness[1] > 0.0f;
}

void wri_flesh_foresee(wri_flesh *const *members, wri_flesh_contact *contacts, int count,
                       const wr_body_copy *bodies)
{
    for (int i = 0; i < count; i++) {
        wri_flesh_contact *c = &contacts[i];
        if (!is_solved(c)) {
            continue;
        }
        float dt = members[c->member]->model->dt, height = height_of(members, c), rise = 0.0f;
        if (c->body >= 0) {
            rise = dt * wr_dot(wr_body_copy_velocity(&bodies[c->body], c->point), c->normal);
        }
        c->height = height + fminf(dt * climb_of(members, c), rise - c->gap);
    }
}

void wri_flesh_keep_out(wri_flesh *const *members, const wri_flesh_contact *contacts, int count)
{
    for (int i = 0; i < count; i++) {
        const wri_flesh_contact *c = &contacts[i];
        float sunk = is_solved(c) ? c->height - height_of(members, c) : 0.0f;
        if (!(sunk > 0.0f)) {
            continue;
        }
        float node = c->softness[0], corners = c->softness[1];
        wr_vec3 way = wr_scale(sunk / (node + corners), c->normal);
        shift(members[c->member], c->node, wr_scale(node, way));
        for (int k = 0; c->body <= WRI_FLESH && k < 3; k++) {
            shift(members[c->other], c->corners[k], wr_scale(-corners * c->shares[k], way));
        }
    }
}

// Eq. 3.21, 3.22: a part of what is left of an overlap, as far as skin is what gives way.
void wri_flesh_correct(wri_flesh *const *members, const wri_flesh_contact *contacts, int count,
                       float slop)
{
    for (int i = 0; i < count; i++) {
        const wri_flesh_contact *c = &contacts[i];
        float dt = members[c->member]->model->dt;
        wr_vec3 way = wr_scale(corrected(c->gap, slop, dt), c->normal);
        if (!(wr_dot(way, way) > 0.0f) || c->body == WRI_OWN_CORE) {
            continue;
        }
        shift(members[c->member], c->node, wr_scale(c->softness[0], way));
        for (int k = 0; c->body <= WRI_FLESH && k < 3; k++) {
            shift(members[c->other], c->corners[k], wr_scale(-c->softness[1] * c->shares[k], way));
        }
    }
}
