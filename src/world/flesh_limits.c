// flesh_limits.c: kinds and limits of joints, from what the clips of a skeleton do with them.
//
// A joint whose rotations v in all clips stay about one axis is a hinge. The others are balls whose
// axis goes along the bone: they twist about it and swing across it. Limits are a fifth beyond what
// the clips need.
#include "flesh_skeleton.h"

#include "../math/elementary.h"

static const double DEGREE = 0.017453292519943295;
static const double ASKEW = 4.0;   // degrees off its axis that a hinge may be
static const double BENT = 10.0;   // degrees that a hinge turns at least
static const double BEYOND = 0.2;  // of the range, and
static const double MARGIN = 10.0; // degrees: how far a limit is beyond what clips do
static const double FREE = 150.0;  // degrees from which on there is no limit
static const double TWIST = 50.0;  // degrees, without clips
static const double SWING = 100.0; // likewise

enum { RATE = 30, MOST = 600 }; // looks per second, and of a clip

typedef struct range {
    double least, most;
} range;

// --- what clips do ----------------------------------------------------------------------------

// The rotation from one to the other in the frame of the first, as a vector, radians.
static void find_vector(wr_quat from, wr_quat to, double out[3])
{
    wr_quat q = wr_quat_multiply((wr_quat){-from.x, -from.y, -from.z, from.w}, to);
    double sign = q.w < 0.0f ? -1.0 : 1.0;
    double v[3] = {(double)q.x, (double)q.y, (double)q.z};
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double angle = 2.0 * wri_atan2_fine(size, sign * (double)q.w);
    for (int k = 0; k < 3; k++) {
        out[k] = size > 1e-9 ? sign * v[k] * angle / size : 2.0 * sign * v[k];
    }
}

static int count_looks(const wr_rig_clip *clip)
{
    double looks = ceil(clip->length * RATE) + 1.0;
    return looks < MOST ? (int)looks : MOST;
}

// Rotation vectors of all joints, one look after the other; NULL: out of memory.
static double (*find_vectors(const wri_flesh_skeleton_desc *desc, const wri_flesh_skeleton *s,
                             wri_arena *work, int *count))[3]
{
    const wr_skeleton *skeleton = desc->skeleton;
    *count = 0;
    for (int i = 0; i < skeleton->clip_count; i++) {
        *count += count_looks(&skeleton->clips[i]);
    }
    size_t joints = (size_t)s->joint_count;
    double(*all)[3] = wri_arena_alloc(work, (size_t)*count * joints, sizeof *all);
    wr_handle_pose *poses = wri_arena_alloc(work, (size_t)skeleton->handle_count, sizeof *poses);
    if (!all || !poses) {
        return NULL;
    }
    double(*at)[3] = all;
    for (int i = 0; i < skeleton->clip_count; i++) {
        const wr_rig_clip *clip = &skeleton->clips[i];
        int looks = count_looks(clip);
        for (int k = 0; k < looks; k++) {
            double time = looks > 1 ? clip->length * k / (looks - 1) : 0.0;
            wr_rig_clip_poses(clip, skeleton->handles, skeleton->handle_count, time, false, poses);
            for (size_t j = 0; j < joints; j++, at++) {
                find_vector(poses[s->handles[s->joints[j].b]].rotation,
                            poses[s->handles[s->joints[j].a]].rotation, *at);
            }
        }
    }
    return all;
}

// --- one joint --------------------------------------------------------------------------------

typedef struct looks {
    const double (*v)[3]; // of the joint, `step` apart
    int count, step;
} looks;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The direction that is most common: the first eigenvector of sum v v^T, by powers. False: nothing
// turns.
static bool find_axis(const looks *l, double n[3])
{
    double most = 0.0;
    for (int i = 0; i < l->count; i++) {
        const double *v = l->v[i * l->step];
        if (dot(v, v) > most) {
            most = dot(v, v);
            memcpy(n, v, 3 * sizeof *n);
        }
    }
    for (int round = 0; round < 30 && most > 0.0; round++) {
        double next[3] = {0.0};
        for (int i = 0; i < l->count; i++) {
            const double *v = l->v[i * l->step];
            for (int k = 0; k < 3; k++) {
                next[k] += dot(v, n) * v[k];
            }
        }
        double size = sqrt(dot(next, next));
        for (int k = 0; k < 3; k++) {
            n[k] = next[k] / size;
        }
    }
    return most > 0.0;
}

// Along an axis; `across`, may be NULL: most of what is left.
static range find_range(const looks *l, const double n[3], double *across)
{
    range r = {0.0, 0.0};
    for (int i = 0; i < l->count; i++) {
        const double *v = l->v[i * l->step];
        double along = dot(v, n);
        r.least = fmin(r.least, along);
        r.most = fmax(r.most, along);
        if (across) {
            *across = fmax(*across, sqrt(fmax(dot(v, v) - along * along, 0.0)));
        }
    }
    return r;
}

static float limit(double angle, double beyond)
{
    double with = angle + (angle < 0.0 || beyond < 0.0 ? -fabs(beyond) : beyond);
    return fabs(with) > FREE * DEGREE ? (with < 0.0 ? -INFINITY : INFINITY) : (float)with;
}

static void set_range(wr_flesh_joint *j, range r)
{
    double beyond = fmax(BEYOND * (r.most - r.least), MARGIN * DEGREE);
    j->least = limit(r.least, -beyond);
    j->most = limit(r.most, beyond);
}

// From the joint to the middle of the bone.
static void find_direction(const wri_flesh_skeleton *s, const wr_flesh_joint *j, double out[3])
{
    const wr_flesh_mass *m = &s->links[j->a];
    const double at[3] = {(double)j->at.x, (double)j->at.y, (double)j->at.z};
    for (int k = 0; k < 3; k++) {
        out[k] = m->mass > 0.0 ? m->first[k] / m->mass - at[k] : 0.0;
    }
    double size = sqrt(dot(out, out));
    for (int k = 0; k < 3; k++) {
        out[k] = size > 0.0 ? out[k] / size : k == 1;
    }
}

static void find_kind(const wri_flesh_skeleton *s, const looks *l, wr_flesh_joint *j)
{
    double n[3], across = 0.0;
    bool turns = find_axis(l, n);
    range r = turns ? find_range(l, n, &across) : (range){0.0, 0.0};
    bool is_hinge = turns && across < ASKEW * DEGREE && r.most - r.least > BENT * DEGREE;
    j->kind = is_hinge ? WR_FLESH_HINGE : WR_FLESH_BALL;
    if (!is_hinge) {
        find_direction(s, j, n);
        across = 0.0;
        r = find_range(l, n, &across);
    }
    j->axis = wr_v3((float)n[0], (float)n[1], (float)n[2]);
    set_range(j, r);
    j->swing = limit(across, fmax(BEYOND * across, MARGIN * DEGREE));
}

static void set_generous(const wri_flesh_skeleton *s, wr_flesh_joint *j)
{
    double n[3];
    find_direction(s, j, n);
    j->axis = wr_v3((float)n[0], (float)n[1], (float)n[2]);
    j->least = (float)(-TWIST * DEGREE);
    j->most = (float)(TWIST * DEGREE);
    j->swing = (float)(SWING * DEGREE);
}

bool wri_flesh_find_limits(const wri_flesh_skeleton_desc *desc, wri_flesh_skeleton *s)
{
    wri_arena work = wri_arena_create(&desc->allocator);
    int count = 0;
    double(*vectors)[3] = find_vectors(desc, s, &work, &count);
    for (int i = 0; vectors && i < s->joint_count; i++) {
        const looks l = {(const double(*)[3])(vectors + i), count, s->joint_count};
        if (count > 0) {
            find_kind(s, &l, &s->joints[i]);
        } else {
            set_generous(s, &s->joints[i]);
        }
    }
    wri_arena_destroy(&work);
    return vectors;
}
