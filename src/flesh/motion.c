// motion.c: a step without contact.
//
//     s = dt (f - a m v) - K (dt q + dt (dt + b) v),   y = A^-1 s                         eq. 3.10
//     dv_b = G (dt F_b - M_bs y)                                                      eq. 3.8, 4.25
//     dv_s = y - Y dv_b                                                               eq. 3.9, 4.26
//
// f has gravity and the inertial forces of turning bones, -m w (alpha x (alpha x r) + 2 alpha x v).
// Forces act where the skin is now, so that what lies still is still; M has the levers at rest.
// What that and explicit inertial forces take from the momenta is given back by one rigid twist of
// all bones after each step.
#include "flesh.h"
#include "lever.h"
#include "published.h"
#include "../math/turn.h"

enum { ROUNDS = 8 }; // of limits that are met or given up; from half of them on given up only
static const double TWIST = 0.04; // of what it moves about its centre: what is given back in a hit
static const double TURN = 0.5;   // rad: what turns by more in a step is watched

// --- bones as they are now --------------------------------------------------------------------

void wri_flesh_find_turns(wri_flesh *f)
{
    for (int i = 0; i < f->model->bone_count; i++) {
        wri_turn_matrix(f->bones[i].turn, f->Q[i].m);
    }
}

// --- forces -----------------------------------------------------------------------------------

typedef struct free_pass {
    wri_flesh *f;
    double (*gravity)[3]; // per bone, m/s^2, bind pose
    float *z;             // dt q + dt (dt + b) v, three of each node
    float *s;             // K z, then s
    double *sums;         // per block: 6 k
} free_pass;

// What the share of a node that moves with a bone feels, m/s^2, bind pose.
static void acceleration(const double alpha[3], const double gravity[3], const double r[3],
                         const double v[3], double out[3])
{
    double inner[3], turning[3];
    wri_cross3(alpha, r, inner);
    for (int k = 0; k < 3; k++) {
        inner[k] += 2.0 * v[k];
    }
    wri_cross3(alpha, inner, turning);
    for (int k = 0; k < 3; k++) {
        out[k] = gravity[k] - turning[k];
    }
}

// dt f - dt a m v of a node; its bones get their shares.
static void force_node(const free_pass *p, int node, double *bones, double out[3])
{
    const wri_flesh *f = p->f;
    const wr_flesh_model *m = f->model;
    double dt = (double)m->dt, mass = (double)m->mass[node], v[3];
    for (int k = 0; k < 3; k++) {
        v[k] = (double)f->v[node][k];
        out[k] = -dt * (double)m->damping_mass * mass * v[k];
    }
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        int bone = m->bone_ids[e];
        double share = dt * mass * (double)m->weights[e], force[3], r[3], moment[3];
        if (!(share > 0.0)) {
            break;
        }
        wri_lever_now(f, node, bone, r);
        acceleration(f->bones[bone].alpha, p->gravity[bone], r, v, force);
        for (int k = 0; k < 3; k++) {
            force[k] *= share;
            out[k] += force[k];
            bones[6 * bone + k] += force[k];
        }
        wri_cross3(r, force, moment);
        for (int k = 0; k < 3; k++) {
            bones[6 * bone + 3 + k] += moment[k];
        }
    }
}

static void stretch_range(void *context, int block, int begin, int end)
{
    (void)block;
    const free_pass *p = context;
    const wr_flesh_model *m = p->f->model;
    float dt = m->dt, ahead = dt * (dt + m->damping_stiffness);
    for (int i = begin; i < end; i++) {
        f4 z = dt * p->f->q[i] + ahead * p->f->v[i];
        memcpy(&p->z[3 * i], &z, 3 * sizeof(float));
    }
}

static void force_range(void *context, int block, int begin, int end)
{
    const free_pass *p = context;
    const wr_flesh_model *m = p->f->model;
    double *bones = &p->sums[(size_t)block * 6 * (size_t)m->bone_count];
    for (int node = begin; node < end; node++) {
        double force[3];
        force_node(p, node, bones, force);
        float *s = &p->s[3 * node];
        for (int k = 0; k < 3; k++) {
            s[k] = (float)force[k] - s[k];
        }
    }
}

// -M_bs y: what skin that moves by y keeps its bones from.
static void hold_range(void *context, int block, int begin, int end)
{
    const free_pass *p = context;
    const wr_flesh_model *m = p->f->model;
    double *bones = &p->sums[(size_t)block * 6 * (size_t)m->bone_count];
    for (int e = begin * WRI_FLESH_BONES; e < end * WRI_FLESH_BONES; e++) {
        int node = e / WRI_FLESH_BONES, bone = m->bone_ids[e];
        double share = (double)(m->mass[node] * m->weights[e]), r[3], impulse[3], moment[3];
        if (!(share > 0.0)) {
            continue;
        }
        wri_lever_of(&m->bones[bone], m->rest[node], r);
        for (int k = 0; k < 3; k++) {
            impulse[k] = -share * (double)p->s[3 * node + k];
        }
        wri_cross3(r, impulse, moment);
        for (int k = 0; k < 3; k++) {
            bones[6 * bone + k] += impulse[k];
            bones[6 * bone + 3 + k] += moment[k];
        }
    }
}

void wri_flesh_hold_bones(const wr_flesh_model *m, int node, const float s[3], double *bones)
{
    for (int e = m->reach_begin[node]; e < m->reach_begin[node + 1]; e++) {
        const wri_bone_reach *reach = &m->reaches[e];
        double *out = &bones[6 * reach->bone];
        for (int c = 0; c < 6; c++) {
            double sum =
                (double)(reach->Y[c] * s[0] + reach->Y[6 + c] * s[1] + reach->Y[12 + c] * s[2]);
            out[c] -= sum;
        }
    }
}

// Gravity and inertial forces of the cores.
static void force_cores(const free_pass *p, double *bones)
{
    const wr_flesh_model *m = p->f->model;
    double dt = (double)m->dt;
    for (int i = 0; i < m->bone_count; i++) {
        const wri_flesh_bone *bone = &m->bones[i];
        const double *alpha = p->f->bones[i].alpha;
        double turning[3], spin[3], moment[3];
        wri_cross3(alpha, bone->core_first, turning);
        wri_cross3(alpha, turning, turning);
        wri_apply(bone->core_inertia, alpha, spin);
        wri_cross3(alpha, spin, spin);
        wri_cross3(bone->core_first, p->gravity[i], moment);
        for (int k = 0; k < 3; k++) {
            bones[6 * i + k] += dt * (bone->core_mass * p->gravity[i][k] - turning[k]);
            bones[6 * i + 3 + k] += dt * (moment[k] - spin[k]);
        }
    }
}

// --- velocities -------------------------------------------------------------------------------

// What a node does when the bones' velocities change: -Y dv_b.
f4 wri_flesh_follow(const wr_flesh_model *m, int node, const double *bones)
{
    f4 out = {0};
    for (int e = m->reach_begin[node]; e < m->reach_begin[node + 1]; e++) {
        const wri_bone_reach *reach = &m->reaches[e];
        const double *by = &bones[6 * reach->bone];
        for (int k = 0; k < 18; k++) {
            out[k / 6] -= reach->Y[k] * (float)by[k % 6];
        }
    }
    return out;
}

// Row by row of G, which is symmetric: few bones are pushed.
void wri_flesh_answer_of_free_bones(const wr_flesh_model *m, const double *impulses, double *out)
{
    int size = 6 * m->bone_count;
    memset(out, 0, (size_t)size * sizeof *out);
    for (int i = 0; i < size; i++) {
        const double *row = &m->G[(size_t)i * (size_t)size], impulse = impulses[i];
        for (int j = 0; j < size && impulse != 0.0; j++) {
            out[j] += impulse * row[j];
        }
    }
}

void wri_flesh_answer_of_bones(wri_flesh *f, const double *impulses, double *out)
{
    wri_flesh_answer_of_free_bones(f->model, impulses, out);
    wri_flesh_keep_joints(f, NULL, out);
}

void wri_flesh_find_velocities(const wri_flesh *f, double *out)
{
    for (int i = 0; i < f->model->bone_count; i++) {
        wri_apply_transposed(WRI_MATRIX(f->Q[i].m), f->bones[i].v, &out[6 * i]);
        memcpy(&out[6 * i + 3], f->bones[i].alpha, 3 * sizeof *out);
    }
}

// The bones' answer to the forces of a step, as far as joints allow it.
static void answer_with_joints(wri_flesh *f, const double *forces, double *v, double *change)
{
    wri_flesh_find_velocities(f, v);
    wri_flesh_answer_of_free_bones(f->model, forces, change);
    wri_flesh_keep_joints(f, v, change);
    for (int i = 0; i < ROUNDS && wri_flesh_meet_limits(f, v, change, i >= ROUNDS / 2); i++) {
        wri_flesh_answer_of_free_bones(f->model, forces, change);
        wri_flesh_keep_joints(f, v, change);
    }
}

void wri_flesh_change_bones(wri_flesh *f, const double *by)
{
    for (int i = 0; i < f->model->bone_count; i++) {
        double v[3];
        wri_apply(WRI_MATRIX(f->Q[i].m), &by[6 * i], v);
        for (int k = 0; k < 3; k++) {
            f->bones[i].v[k] += v[k];
            f->bones[i].alpha[k] += by[6 * i + 3 + k];
        }
    }
}

typedef struct skin_pass {
    wri_flesh *f;
    const float *s; // A^-1 s
    const double *bones;
} skin_pass;

static void skin_range(void *context, int block, int begin, int end)
{
    (void)block;
    const skin_pass *p = context;
    for (int i = begin; i < end; i++) {
        f4 y = {p->s[3 * i], p->s[3 * i + 1], p->s[3 * i + 2], 0.0f};
        p->f->v[i] += y + wri_flesh_follow(p->f->model, i, p->bones);
    }
}

void wri_flesh_answer_of_skin(wri_flesh *f, const float *s, const double *bones,
                              const wr_tasks *tasks)
{
    skin_pass skin = {f, s, bones};
    wri_parallel_for(tasks, f->model->node_count, WRI_FLESH_GRAIN, skin_range, &skin);
}

bool wri_flesh_move_freely(wri_flesh *f, const double gravity[3], const wr_tasks *tasks,
                           wr_scratch *scratch)
{
    const wr_flesh_model *m = f->model;
    size_t used = scratch->used, n = (size_t)m->node_count, size = 6 * (size_t)m->bone_count;
    int blocks = wri_block_count(m->node_count, WRI_FLESH_GRAIN);
    free_pass p = {f, wr_scratch_push(scratch, (size_t)m->bone_count, sizeof *p.gravity),
                   wr_scratch_push(scratch, 3 * n, sizeof *p.z),
                   wr_scratch_push(scratch, 3 * n, sizeof *p.s),
                   wr_scratch_push(scratch, size * (size_t)blocks, sizeof *p.sums)};
    double *forces = wr_scratch_push(scratch, size, sizeof *forces);
    double *change = wr_scratch_push(scratch, size, sizeof *change);
    double *velocities = wr_scratch_push(scratch, size, sizeof *velocities);
    bool ok = p.gravity && p.z && p.s && p.sums && forces && change && velocities &&
              wri_flesh_find_joints(f);
    if (ok) {
        for (int i = 0; i < m->bone_count; i++) {
            wri_apply_transposed(WRI_MATRIX(f->Q[i].m), gravity, p.gravity[i]);
        }
        wri_parallel_for(tasks, m->node_count, WRI_FLESH_GRAIN, stretch_range, &p);
        wri_blocks_multiply(&m->K, p.z, p.s, tasks);
        wri_parallel_for(tasks, m->node_count, WRI_FLESH_GRAIN, force_range, &p);
        wri_factor_solve(m->factor, p.s, tasks);
        wri_parallel_for(tasks, m->node_count, WRI_FLESH_GRAIN, hold_range, &p);
        force_cores(&p, forces);
        for (size_t i = 0; i < size * (size_t)blocks; i++) {
            forces[i % size] += p.sums[i];
        }
        answer_with_joints(f, forces, velocities, change);
        wri_flesh_answer_of_skin(f, p.s, change, tasks);
        wri_flesh_change_bones(f, change);
    }
    scratch->used = used;
    return ok;
}

// --- places -----------------------------------------------------------------------------------

static void drift_range(void *context, int block, int begin, int end)
{
    (void)block;
    wri_flesh *f = context;
    for (int i = begin; i < end; i++) {
        f->q[i] += f->model->dt * f->v[i];
    }
}

void wri_flesh_drift(wri_flesh *f, const wr_tasks *tasks)
{
    double dt = (double)f->model->dt;
    for (int i = 0; i < f->model->bone_count; i++) {
        wri_flesh_pose *bone = &f->bones[i];
        double by[3];
        for (int k = 0; k < 3; k++) {
            bone->c[k] += dt * bone->v[k];
            by[k] = dt * bone->alpha[k];
        }
        wri_turn_on(bone->turn, by);
    }
    wri_flesh_find_turns(f);
    wri_parallel_for(tasks, f->model->node_count, WRI_FLESH_GRAIN, drift_range, f);
}

// --- a whole step -----------------------------------------------------------------------------

static void add_impulse(const wri_flesh_contact *c, double sign, wri_flesh_momentum *to)
{
    double impulse[3] = {(double)c->impulse.x, (double)c->impulse.y, (double)c->impulse.z};
    double arm[3] = {(double)c->point.x - to->center[0], (double)c->point.y - to->center[1],
                     (double)c->point.z - to->center[2]};
    double moment[3];
    wri_cross3(arm, impulse, moment);
    for (int k = 0; k < 3; k++) {
        to->P[k] += sign * impulse[k];
        to->spin[k] += sign * moment[k];
    }
}

// What contacts give to the whole of a member. False: none.
static bool add_impulses(const wri_flesh_step_desc *step, int member, wri_flesh_momentum *to)
{
    bool any = false;
    for (int i = 0; i < step->contact_count; i++) {
        const wri_flesh_contact *c = &step->contacts[i];
        if (c->member == member && c->body != WRI_OWN_CORE) {
            add_impulse(c, 1.0, to);
            any = any || wr_dot(c->impulse, c->impulse) > 0.0f;
        }
        if (c->other == member && c->body <= WRI_FLESH) {
            add_impulse(c, -1.0, to);
            any = any || wr_dot(c->impulse, c->impulse) > 0.0f;
        }
    }
    return any;
}

// What drives a bone gives it momentum, and the thesis leaves momenta as they are.
static bool is_restored(const wri_flesh *f)
{
    bool any = f->model->published;
    for (int i = 0; i < f->model->bone_count; i++) {
        any = any || f->is_driven[i] || f->pulls[i].is_on;
    }
    return !any;
}

// What a member is to have after a step.
typedef struct aim {
    wri_flesh_momentum wanted;
    bool is_touched;
    double most; // J, about its centre of mass
} aim;

// Inertial forces are those of how bones turn before the step, and levers those before it: what
// turns by radians within it would be thrown apart by them, and gain energy in every step.
static bool turns_far(const wri_flesh *f)
{
    bool any = false;
    for (int i = 0; i < f->model->bone_count; i++) {
        const double *alpha = f->bones[i].alpha;
        any = any || (double)f->model->dt * sqrt(wri_dot3(alpha, alpha)) > TURN;
    }
    return any && is_restored(f);
}

// Neither inertial forces nor gravity add to what moves about the centre of mass, and elasticity
// has no more than is stored.
static bool calm(wri_flesh *f, double most, const wri_flesh_step_desc *step, wr_scratch *scratch)
{
    wri_flesh_momentum now;
    bool ok = wri_flesh_find_momentum(f, &step->tasks, scratch, &now);
    if (ok) {
        wri_flesh_calm(f, &now, most);
    }
    return ok;
}

static bool begin(wri_flesh *f, const wri_flesh_step_desc *step, wr_scratch *scratch, aim *to)
{
    bool ok = !is_restored(f) || wri_flesh_find_momentum(f, &step->tasks, scratch, &to->wanted);
    ok = ok && wri_flesh_move_freely(f, step->gravity, &step->tasks, scratch);
    if (ok && turns_far(f)) {
        double most = wri_flesh_motion_about(&to->wanted) + wri_flesh_strain_energy(f);
        ok = calm(f, most, step, scratch);
    }
    return ok;
}

static bool move_on(wri_flesh *f, int member, const wri_flesh_step_desc *step, wr_scratch *scratch,
                    aim *to)
{
    double dt = (double)f->model->dt;
    wri_flesh_momentum *wanted = &to->wanted, now;
    bool ok = true;
    to->most = INFINITY;
    if (turns_far(f)) {
        ok = wri_flesh_find_momentum(f, &step->tasks, scratch, &now);
        to->most = wri_flesh_motion_about(&now);
    }
    if (is_restored(f)) {
        to->is_touched = add_impulses(step, member, wanted);
        for (int k = 0; k < 3; k++) {
            wanted->P[k] += dt * wanted->mass * step->gravity[k];
            wanted->center[k] += dt * wanted->P[k] / wanted->mass;
        }
    }
    wri_flesh_drift(f, &step->tasks);
    return ok;
}

// J: of the twist of a body. Where it is crushed by what is far heavier its levers change so much
// within the step that the moment of the impulses, which all but cancel, is not that of the system
// that was solved: a light body would be spun by the difference.
static double most_twist(const aim *to, const wri_flesh_momentum *now)
{
    return to->is_touched ? TWIST * fmax(wri_flesh_motion_about(now), 0.0) : INFINITY;
}

static bool put_together(wri_flesh *f, wr_scratch *scratch)
{
    size_t used = scratch->used;
    double *room = wr_scratch_push(scratch, 6 * (size_t)f->model->bone_count, sizeof *room);
    bool ok = room && wri_flesh_put_together(f, room);
    scratch->used = used;
    return ok;
}

static bool end(wri_flesh *f, const wri_flesh_step_desc *step, wr_scratch *scratch, const aim *to)
{
    wri_flesh_momentum now;
    bool ok = !is_restored(f) || wri_flesh_find_momentum(f, &step->tasks, scratch, &now);
    if (ok && is_restored(f)) {
        wri_flesh_restore(f, &now, &to->wanted, most_twist(to, &now));
    }
    return ok && (!isfinite(to->most) || calm(f, to->most, step, scratch));
}

static bool is_published(wri_flesh *const *members, int member_count)
{
    bool any = false;
    for (int i = 0; i < member_count; i++) {
        any = any || members[i]->model->published;
    }
    return any;
}

static bool solve_contacts(wri_flesh *const *members, int member_count,
                           const wri_flesh_step_desc *step, wr_scratch *scratch)
{
    return is_published(members, member_count)
               ? wri_published_solve_contacts(members, member_count, step, scratch)
               : wri_flesh_solve_contacts(members, member_count, step->contacts,
                                          step->contact_count, step->bodies, step->body_count,
                                          &step->tasks, scratch);
}

bool wri_flesh_step(wri_flesh *const *members, int member_count, const wri_flesh_step_desc *step,
                    wr_scratch *scratch)
{
    size_t used = scratch->used;
    aim *aims = wr_scratch_push(scratch, (size_t)member_count, sizeof *aims);
    bool ok = aims, keeps_out = !is_published(members, member_count);
    for (int i = 0; ok && i < member_count; i++) {
        ok = begin(members[i], step, scratch, &aims[i]);
    }
    ok = ok && solve_contacts(members, member_count, step, scratch);
    if (ok && keeps_out) {
        wri_flesh_foresee(members, step->contacts, step->contact_count, step->bodies);
    }
    for (int i = 0; ok && i < member_count; i++) { // bones first: skin is put back on them
        ok = move_on(members[i], i, step, scratch, &aims[i]) && put_together(members[i], scratch);
    }
    if (ok) {
        wri_flesh_correct(members, step->contacts, step->contact_count, step->slop);
    }
    if (ok && keeps_out) {
        wri_flesh_keep_out(members, step->contacts, step->contact_count);
    }
    for (int i = 0; ok && i < member_count; i++) {
        if (keeps_out) {
            wri_flesh_keep_within(members[i]);
        }
        ok = end(members[i], step, scratch, &aims[i]);
    }
    scratch->used = used;
    return ok;
}
