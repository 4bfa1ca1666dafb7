// flesh_pose.c: bones of flesh that follow the poses of handles, exactly or by torques.
#include "flesh_skeleton.h"

#include "../math/elementary.h"
#include "bone_pose.h"

static const double GRAVITY = 9.81; // m/s^2, that makes a weight
static const double SAG = 0.02;     // of its reach: how far the root gives way under its weight

// --- where bones are --------------------------------------------------------------------------

// The bind pose as the handle moves it, in the world.
static wr_pose pose_of(const wri_flesh_follower *f, const wr_handle_pose *poses, int handle)
{
    return wri_bone_pose(f->start, f->scale, &f->handles[handle], &poses[handle]);
}

static int bone_count(const wri_flesh_follower *f)
{
    return f->skeleton ? f->skeleton->bone_count : 1;
}

static int handle_of(const wri_flesh_follower *f, int bone)
{
    return f->skeleton ? f->skeleton->handles[bone] : 0;
}

void wri_flesh_follow_at_once(const wri_flesh_follower *f, const wr_handle_pose *poses)
{
    for (int i = 0; i < bone_count(f); i++) {
        wr_flesh_put(f->world, f->body, i, pose_of(f, poses, handle_of(f, i)));
    }
}

void wri_flesh_read_handles(const wri_flesh_follower *f, wr_handle_pose *poses)
{
    for (int i = 0; i < f->handle_count; i++) {
        wr_pose at =
            wr_flesh_bone_pose(f->world, f->body, f->skeleton ? f->skeleton->bone_of[i] : 0);
        poses[i] = wri_handle_pose(f->start, f->scale, &f->handles[i], at);
    }
}

// --- by torques -------------------------------------------------------------------------------

static wr_quat inverse(wr_quat q)
{
    return (wr_quat){-q.x, -q.y, -q.z, q.w};
}

// A rotation as a vector, radians, the shorter way.
static wr_vec3 vector_of(wr_quat q)
{
    float sign = q.w < 0.0f ? -1.0f : 1.0f;
    wr_vec3 v = wr_scale(sign, wr_v3(q.x, q.y, q.z));
    double size = (double)wr_length(v);
    double angle = 2.0 * wri_atan2_fine(size, (double)(sign * q.w));
    return wr_scale(size > 1e-9 ? (float)(angle / size) : 2.0f, v);
}

// Of bone a against bone b.
static wr_quat turn_between(const wri_flesh_skeleton *s, const wr_flesh_joint *j,
                            const wr_handle_pose *poses)
{
    return wr_quat_multiply(inverse(poses[s->handles[j->b]].rotation),
                            poses[s->handles[j->a]].rotation);
}

static void aim(const wri_flesh_follower *f, const wr_handle_pose *begin, const wr_handle_pose *end,
                float dt)
{
    const wri_flesh_skeleton *s = f->skeleton;
    for (int i = 0; i < s->joint_count; i++) {
        wr_quat from = turn_between(s, &s->joints[i], begin);
        wr_quat to = turn_between(s, &s->joints[i], end);
        wr_vec3 change = vector_of(wr_quat_multiply(to, inverse(from)));
        wr_flesh_aim(f->world, f->body, i, vector_of(to), wr_scale(1.0f / dt, change));
    }
}

static bool is_root(const wri_flesh_follower *f, int bone)
{
    return !f->skeleton || f->skeleton->parents[bone] < 0;
}

static bool hangs_on(const wri_flesh_follower *f, int bone, int root)
{
    while (!is_root(f, bone)) {
        bone = f->skeleton->parents[bone];
    }
    return bone == root;
}

// A root with what hangs on it.
typedef struct load {
    wr_vec3 origin; // metres: where it turns
    double mass;    // kg
    double reach;   // m: how far off the origin the mass is, root mean square
} load;

static load find_load(const wri_flesh_follower *f, int root)
{
    wr_flesh_mass all = {0};
    for (int i = 0; i < bone_count(f); i++) {
        wr_flesh_mass own = wr_flesh_bone_mass(f->model, i);
        double share = hangs_on(f, i, root) ? 1.0 : 0.0;
        all.mass += share * own.mass;
        for (int k = 0; k < 3; k++) {
            all.first[k] += share * own.first[k];
            all.second[k][k] += share * own.second[k][k];
        }
    }
    double o[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        double center = all.first[k] / all.mass;
        o[k] = f->skeleton ? (double)(&f->skeleton->origins[root].x)[k] : center;
        square += all.second[k][k] / all.mass - 2.0 * o[k] * center + o[k] * o[k];
    }
    return (load){wr_v3((float)o[0], (float)o[1], (float)o[2]), all.mass, sqrt(fmax(square, 0.0))};
}

// A root is pulled to its place by a critically damped spring.
static void keep_balance(const wri_flesh_follower *f, int root, wr_pose from, wr_pose to, float dt)
{
    load l = find_load(f, root);
    wr_vec3 way = wr_sub(wr_pose_point(to, l.origin), wr_pose_point(from, l.origin));
    wr_vec3 turn = vector_of(wr_quat_multiply(to.rotation, inverse(from.rotation)));
    double mass = l.mass, reach = l.reach;
    double omega = sqrt(GRAVITY / (SAG * reach)), inertia = mass * reach * reach;
    wr_flesh_pull_desc pull = {.pose = to,
                               .velocity = wr_scale(1.0f / dt, way),
                               .angular_velocity = wr_scale(1.0f / dt, turn),
                               .stiffness = mass * omega * omega,
                               .damping = 2.0 * mass * omega,
                               .force = f->balance * mass * GRAVITY,
                               .turn_stiffness = inertia * omega * omega,
                               .turn_damping = 2.0 * inertia * omega,
                               .torque = f->balance * mass * GRAVITY * reach};
    wr_flesh_pull(f->world, f->body, root, f->balance > 0.0 ? &pull : NULL);
}

void wri_flesh_stay(const wri_flesh_follower *f)
{
    for (int i = 0; i < bone_count(f); i++) {
        if (is_root(f, i)) {
            keep_balance(f, i, f->start, f->start, 1.0f);
        }
    }
}

static void follow_by_torque(const wri_flesh_follower *f, const wr_handle_pose *begin,
                             const wr_handle_pose *end, float dt)
{
    if (f->skeleton) {
        aim(f, begin, end, dt);
    }
    for (int i = 0; i < bone_count(f); i++) {
        int handle = handle_of(f, i);
        if (is_root(f, i)) {
            keep_balance(f, i, pose_of(f, begin, handle), pose_of(f, end, handle), dt);
        }
    }
}

// --- the whole --------------------------------------------------------------------------------

void wri_flesh_follow_poses(const wri_flesh_follower *f, const wr_handle_pose *begin,
                            const wr_handle_pose *end, float dt)
{
    for (int i = 0; i < bone_count(f) && !f->by_torque; i++) {
        wr_flesh_drive(f->world, f->body, i, pose_of(f, end, handle_of(f, i)));
    }
    if (f->by_torque) {
        follow_by_torque(f, begin, end, dt);
    }
}
