// joint.c: bones that are joined.
//
// A joint is a few rows J on the increments of its two bones, with impulses mu: at the end of a
// step
//
//     J v + epsilon mu = bias                                              thesis eq. 4.17, 4.25
//
// Rows that hold have epsilon near 0; what is springy (a stiffness k, a damping d, an error g) has
// epsilon = 1 / (dt^2 k + dt d) and bias -g k / (dt k + d), which is the spring of the end of the
// step. Limits are rows that push one way only: an active set of them is found in a few rounds,
// from none of them on. Since G is constant, J G J^T + epsilon is all that
// is factored in a step; whatever moves bones afterwards, such as a contact, moves them by
// G b - G J^T (J G J^T + epsilon)^-1 J G b. Bones that turn far in a step come apart meanwhile:
// they are put together again after it, by the same factor.
#include "flesh.h"
#include "../math/turn.h"

#include "../math/dense.h"

static const double STABILIZED = 0.25; // of what is apart, in a step
static const double NEAR = 0.5;        // rad: how far off a limit may be that is met in a step
enum { TOGETHER = 2 };                 // times bones are put together after a step
static const double PASSED = 1e-9;     // rad/s beyond a limit that count
static const double TIGHT = 1e-9;      // epsilon of rows that hold, of their J G J^T

// The rotation from one to the other in the frame of the first, w >= 0: the shorter way.
static void find_turn_between(const double from[4], const double to[4], double out[4])
{
    double w = from[3] * to[3] + wri_dot3(from, to), sign = w < 0.0 ? -1.0 : 1.0;
    wri_cross3(to, from, out);
    for (int k = 0; k < 3; k++) {
        out[k] = sign * (out[k] + from[3] * to[k] - to[3] * from[k]);
    }
    out[3] = sign * w;
}

// The same as a vector, radians.
static void find_angle_between(const double from[4], const double to[4], double out[3])
{
    double turn[4];
    find_turn_between(from, to, turn);
    double size = wri_length3(turn), angle = 2.0 * wri_atan2_fine(size, turn[3]);
    for (int k = 0; k < 3; k++) {
        out[k] = turn[k] * (size > 1e-12 ? angle / size : 2.0);
    }
}

static wri_joint_row *add_row(wri_joints *x, int a, int b)
{
    wri_joint_row *row = &x->rows[x->count++];
    *row = (wri_joint_row){.a = a, .b = b};
    return row;
}

// Points of both bones that stay together: three rows along the axes of the world.
static void add_point(wri_flesh *f, const wr_flesh_joint *j)
{
    const double at[3] = {(double)j->at.x, (double)j->at.y, (double)j->at.z};
    double r[2][3], x[2][3];
    for (int side = 0; side < 2; side++) {
        int bone = side ? j->b : j->a;
        for (int k = 0; k < 3; k++) {
            r[side][k] = at[k] - f->model->bones[bone].origin[k];
        }
        wri_apply(WRI_MATRIX(f->Q[bone].m), r[side], x[side]);
        for (int k = 0; k < 3; k++) {
            x[side][k] += f->bones[bone].c[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        wri_joint_row *row = add_row(&f->joints, j->a, j->b);
        for (int side = 0; side < 2; side++) {
            double *J = side ? row->J_b : row->J_a;
            for (int l = 0; l < 3; l++) {
                J[l] = (side ? -1.0 : 1.0) * f->Q[side ? j->b : j->a].m[k][l];
            }
            wri_cross3(r[side], J, &J[3]);
        }
        row->bias = -STABILIZED / (double)f->model->dt * (x[0][k] - x[1][k]);
    }
}

// A turn about a direction of the second bone.
static wri_joint_row turn_row(const wri_flesh *f, const wr_flesh_joint *j,
                              const double direction[3])
{
    wri_joint_row row = {.a = j->a, .b = j->b};
    double world[3];
    wri_apply(WRI_MATRIX(f->Q[j->b].m), direction, world);
    wri_apply_transposed(WRI_MATRIX(f->Q[j->a].m), world, &row.J_a[3]);
    for (int k = 0; k < 3; k++) {
        row.J_b[3 + k] = -direction[k];
    }
    return row;
}

static wri_joint_row *add_turn(wri_flesh *f, const wr_flesh_joint *j, const double direction[3])
{
    wri_joint_row *row = &f->joints.rows[f->joints.count++];
    *row = turn_row(f, j, direction);
    return row;
}

// A bone that is where it is told to be at the end of the step.
static void add_drive(wri_flesh *f, int bone)
{
    const wri_flesh_pose *now = &f->bones[bone], *goal = &f->goals[bone];
    double turn[3], dt = (double)f->model->dt;
    find_angle_between(now->turn, goal->turn, turn);
    for (int k = 0; k < 3; k++) {
        wri_joint_row *row = add_row(&f->joints, bone, -1);
        memcpy(row->J_a, f->Q[bone].m[k], 3 * sizeof(double));
        row->bias = (goal->c[k] - now->c[k]) / dt;
        row = add_row(&f->joints, bone, -1);
        row->J_a[3 + k] = 1.0;
        row->bias = turn[k] / dt;
    }
}

// rate: with which the damping goes along.
static void set_spring(const wri_flesh *f, wri_joint_row *row, double k, double d, double error,
                       double rate)
{
    double dt = (double)f->model->dt;
    row->epsilon = 1.0 / (dt * dt * k + dt * d);
    row->bias = (d * rate - error * k) / (dt * k + d);
}

// A bone that is pulled to where it is told to be. What would be more than the limit is a weaker
// spring with a weaker damper.
static void add_pull(wri_flesh *f, int bone, bool turns)
{
    const wri_pull *p = &f->pulls[bone];
    const wri_flesh_pose *now = &f->bones[bone];
    const double *v = turns ? now->alpha : now->v;
    double error[3], rate[3], force[3], dt = (double)f->model->dt;
    if (turns) {
        find_angle_between(p->goal.turn, now->turn, error);
        wri_apply_transposed(WRI_MATRIX(f->Q[bone].m), p->goal.alpha, rate);
    }
    for (int k = 0; k < 3; k++) {
        error[k] = turns ? error[k] : now->c[k] - p->goal.c[k];
        rate[k] = turns ? rate[k] : p->goal.v[k];
        force[k] =
            p->stiffness[turns] * (error[k] + dt * v[k]) + p->damping[turns] * (v[k] - rate[k]);
    }
    double size = wri_length3(force), share = size > p->most[turns] ? p->most[turns] / size : 1.0;
    for (int k = 0; k < 3 && share > 0.0; k++) {
        wri_joint_row *row = add_row(&f->joints, bone, -1);
        row->J_a[3 + k] = turns;
        for (int l = 0; l < 3 && !turns; l++) {
            row->J_a[l] = f->Q[bone].m[k][l];
        }
        set_spring(f, row, share * p->stiffness[turns], share * p->damping[turns], error[k],
                   rate[k]);
    }
}

// A direction, and two across it.
static void find_axes(wr_vec3 axis, double out[3][3])
{
    double *n = out[0], size;
    n[0] = (double)axis.x, n[1] = (double)axis.y, n[2] = (double)axis.z;
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    double unit[3] = {least == 0, least == 1, least == 2};
    wri_cross3(n, unit, out[1]);
    size = sqrt(wri_dot3(out[1], out[1]));
    for (int k = 0; k < 3; k++) {
        out[1][k] /= size;
    }
    wri_cross3(n, out[1], out[2]);
}

// The angle about the axis, whatever it is, and how far the two axes are askew: a rotation vector
// would mix them up half a turn from the bind pose.
static void find_hinge(const wri_flesh *f, const wr_flesh_joint *j, const double axis[3],
                       double out[3])
{
    double turn[4], other[3], askew[3];
    find_turn_between(f->bones[j->b].turn, f->bones[j->a].turn, turn);
    double angle = 2.0 * wri_atan2_fine(wri_dot3(turn, axis), turn[3]);
    wri_apply(WRI_MATRIX(f->Q[j->a].m), axis, other);
    wri_apply_transposed(WRI_MATRIX(f->Q[j->b].m), other, other);
    wri_cross3(axis, other, askew);
    for (int k = 0; k < 3; k++) {
        out[k] = angle * axis[k] + askew[k];
    }
}

// What is near a limit may go as far as that; what is past it comes back.
static void add_limit(wri_flesh *f, const wr_flesh_joint *j, const double direction[3],
                      double error, float least, float most)
{
    bool is_upper = (double)most - error < error - (double)least;
    double room = is_upper ? (double)most - error : error - (double)least;
    if (room < NEAR) {
        wri_joint_row *row = &f->joints.limits[f->joints.limit_count++];
        *row = turn_row(f, j, direction);
        double speed = (room > 0.0 ? room : STABILIZED * room) / (double)f->model->dt;
        row->bias = is_upper ? speed : -speed;
        row->one_way = is_upper ? -1 : 1;
    }
}

// A ball swings as far to all sides: in a cone about its axis.
static void add_swing_limit(wri_flesh *f, const wr_flesh_joint *j, const double angle[3],
                            double directions[3][3])
{
    double across[3], twist = wri_dot3(angle, directions[0]);
    for (int k = 0; k < 3; k++) {
        across[k] = angle[k] - twist * directions[0][k];
    }
    double swing = wri_length3(across);
    for (int k = 0; k < 3; k++) {
        across[k] = swing > 1e-9 ? across[k] / swing : directions[1][k];
    }
    add_limit(f, j, across, swing, -INFINITY, j->swing);
}

// How far a ball is turned from where it is aimed, as a rotation vector in the frame of bone b.
static void find_ball_error(const wri_flesh *f, const wr_flesh_joint *j, const double target[3],
                            double out[3])
{
    double aim[4] = {0.0, 0.0, 0.0, 1.0}, goal[4], T[3][3];
    memcpy(goal, f->bones[j->b].turn, sizeof goal);
    wri_turn_on(aim, target);
    wri_turn_on(goal, target);
    wri_turn_matrix(aim, T);
    find_angle_between(goal, f->bones[j->a].turn, out);
    wri_apply(WRI_MATRIX(T), out, out);
}

// Rotation vectors cannot be subtracted where they are large.
static void find_off(const wri_flesh *f, int number, const double angle[3], double out[3])
{
    const wr_flesh_joint *j = &f->model->joints[number];
    const double *target = f->targets[number].angle;
    if (j->kind == WR_FLESH_BALL && wri_dot3(target, target) > 0.0) {
        find_ball_error(f, j, target, out);
        return;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = angle[k] - target[k];
    }
}

static void add_turns(wri_flesh *f, int number)
{
    const wr_flesh_joint *j = &f->model->joints[number];
    double angle[3], off[3], dt = (double)f->model->dt, directions[3][3];
    find_axes(j->axis, directions);
    if (j->kind == WR_FLESH_HINGE) {
        find_hinge(f, j, directions[0], angle);
    } else {
        find_angle_between(f->bones[j->b].turn, f->bones[j->a].turn, angle);
    }
    find_off(f, number, angle, off);
    for (int k = 0; k < 3; k++) {
        double error = wri_dot3(angle, directions[k]);
        bool holds = j->kind == WR_FLESH_FIXED || (j->kind == WR_FLESH_HINGE && k > 0);
        if (holds) {
            add_turn(f, j, directions[k])->bias = -STABILIZED / dt * error;
            continue;
        }
        if (j->stiffness > 0.0 || j->damping > 0.0) {
            set_spring(f, add_turn(f, j, directions[k]), j->stiffness, j->damping,
                       wri_dot3(off, directions[k]),
                       wri_dot3(f->targets[number].rate, directions[k]));
        }
        if (k == 0) {
            add_limit(f, j, directions[k], error, j->least, j->most);
        }
    }
    if (j->kind == WR_FLESH_BALL) {
        add_swing_limit(f, j, angle, directions);
    }
}

// --- solving ----------------------------------------------------------------------------------

static double row_times(const wri_joint_row *row, const double *v)
{
    double sum = 0.0;
    for (int k = 0; k < 6; k++) {
        sum += row->J_a[k] * v[6 * row->a + k];
        sum += row->b >= 0 ? row->J_b[k] * v[6 * row->b + k] : 0.0;
    }
    return sum;
}

static void add_transposed(const wri_joint_row *row, double mu, double *out)
{
    for (int k = 0; k < 6; k++) {
        out[6 * row->a + k] += mu * row->J_a[k];
        if (row->b >= 0) {
            out[6 * row->b + k] += mu * row->J_b[k];
        }
    }
}

// G J^T of a row, which is that of two bones only: so many rows of G, which is symmetric.
static void find_answer(const wr_flesh_model *m, const wri_joint_row *row, double *out)
{
    size_t size = 6 * (size_t)m->bone_count;
    const int bones[2] = {row->a, row->b};
    const double *J[2] = {row->J_a, row->J_b};
    memset(out, 0, size * sizeof *out);
    for (int side = 0; side < 2 && bones[side] >= 0; side++) {
        for (size_t k = 0; k < 6; k++) {
            const double *G = &m->G[(6 * (size_t)bones[side] + k) * size], by = J[side][k];
            for (size_t i = 0; i < size && by != 0.0; i++) {
                out[i] += by * G[i];
            }
        }
    }
}

// J G J^T + epsilon, and its factor.
static bool factor_joints(wri_flesh *f)
{
    wri_joints *x = &f->joints;
    for (int i = 0; i < x->count; i++) {
        double *answer = x->work;
        find_answer(f->model, &x->rows[i], answer);
        for (int j = 0; j <= i; j++) {
            x->H[i * x->count + j] = row_times(&x->rows[j], answer);
        }
        double *own = &x->H[i * x->count + i];
        *own += fmax(x->rows[i].epsilon, TIGHT * *own);
    }
    return wri_dense_factor(x->count, x->H);
}

static void find_rows(wri_flesh *f)
{
    f->joints.count = f->joints.limit_count = 0;
    for (int i = 0; i < f->model->joint_count; i++) {
        const wr_flesh_joint *j = &f->model->joints[i];
        if (!f->is_driven[j->a] || !f->is_driven[j->b]) { // else there is nothing to be held
            add_point(f, j);
            add_turns(f, i);
        }
    }
    for (int i = 0; i < f->model->bone_count; i++) {
        if (f->is_driven[i]) {
            add_drive(f, i);
        } else if (f->pulls[i].is_on) {
            add_pull(f, i, false);
            add_pull(f, i, true);
        }
    }
    f->joints.held_count = f->joints.count;
    memset(f->joints.is_met, 0, (size_t)f->joints.limit_count * sizeof *f->joints.is_met);
}

bool wri_flesh_find_joints(wri_flesh *f)
{
    find_rows(f);
    return f->joints.count == 0 || factor_joints(f);
}

// Takes out of `change`, increments of the bones, what the joints do not allow. With `v`, what the
// bones have already, rows go for their bias; without, they keep to what they have.
void wri_flesh_keep_joints(wri_flesh *f, const double *v, double *change)
{
    wri_joints *x = &f->joints;
    int size = 6 * f->model->bone_count;
    if (x->count == 0) {
        return;
    }
    for (int i = 0; i < x->count; i++) {
        x->mu[i] = -row_times(&x->rows[i], change);
        x->mu[i] += v ? x->rows[i].bias - row_times(&x->rows[i], v) : 0.0;
    }
    wri_dense_solve(x->count, x->H, x->mu);
    memset(x->work, 0, (size_t)size * sizeof *x->work);
    for (int i = 0; i < x->count; i++) {
        add_transposed(&x->rows[i], x->mu[i], x->work);
    }
    wri_flesh_answer_of_free_bones(f->model, x->work, &x->work[size]);
    for (int i = 0; i < size; i++) {
        change[i] += x->work[size + i];
    }
}

bool wri_flesh_meet_limits(wri_flesh *f, const double *v, const double *change, bool only_drops)
{
    wri_joints *x = &f->joints;
    bool changed = false;
    for (int i = 0, met = x->held_count; i < x->limit_count; i++) {
        const wri_joint_row *row = &x->limits[i];
        double past = row->bias - row_times(row, v) - row_times(row, change);
        double pull = x->is_met[i] ? -x->mu[met++] : only_drops ? 0.0 : past;
        bool turns = x->is_met[i] ? pull * row->one_way > 0.0 : pull * row->one_way > PASSED;
        x->is_met[i] = x->is_met[i] != turns;
        changed = changed || turns;
    }
    x->count = x->held_count;
    for (int i = 0; i < x->limit_count; i++) {
        if (x->is_met[i]) {
            x->rows[x->count++] = x->limits[i];
        }
    }
    return changed && (x->count == 0 || factor_joints(f));
}

// --- together -----------------------------------------------------------------------------------

static void move_bones(wri_flesh *f, const double *by)
{
    for (int i = 0; i < f->model->bone_count; i++) {
        double shift[3];
        wri_apply(WRI_MATRIX(f->Q[i].m), &by[6 * i], shift);
        for (int k = 0; k < 3; k++) {
            f->bones[i].c[k] += shift[k];
        }
        wri_turn_on(f->bones[i].turn, &by[6 * i + 3]);
    }
    wri_flesh_find_turns(f);
}

// Rows that hold, by what they are off; springs and limits stay as they are.
static void find_tight_rows(wri_flesh *f)
{
    wri_joints *x = &f->joints;
    int count = 0;
    find_rows(f);
    for (int i = 0; i < x->count; i++) {
        if (x->rows[i].epsilon == 0.0) {
            wri_joint_row *row = &x->rows[count++];
            *row = x->rows[i];
            row->bias *= row->b >= 0 ? (double)f->model->dt / STABILIZED : 0.0;
        }
    }
    x->count = count;
}

// What holds is put together by its errors, which are all that rows that hold have in their bias.
bool wri_flesh_put_together(wri_flesh *f, double *change)
{
    wri_joints *x = &f->joints;
    int size = 6 * f->model->bone_count;
    for (int pass = 0; pass < TOGETHER && f->model->joint_count > 0; pass++) {
        find_tight_rows(f);
        if (x->count == 0 || !factor_joints(f)) {
            return x->count == 0;
        }
        memset(change, 0, (size_t)size * sizeof *change);
        double *none = &x->work[2 * size];
        memset(none, 0, (size_t)size * sizeof *none);
        wri_flesh_keep_joints(f, none, change);
        move_bones(f, change);
    }
    return true;
}
