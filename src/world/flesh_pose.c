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

// A root is pulled to its place by a critically damped spring.
static void keep_balance(const wri_flesh_follower *f, int root, const wr_handle_pose *begin,
                         const wr_handle_pose *end, float dt)
{
    int handle = f->skeleton->handles[root];
    wr_pose from = pose_of(f, begin, handle), to = pose_of(f, end, handle);
    wr_vec3 origin = f->skeleton->origins[root];
    wr_vec3 way = wr_sub(wr_pose_point(to, origin), wr_pose_point(from, origin));
    wr_vec3 turn = vector_of(wr_quat_multiply(to.rotation, inverse(from.rotation)));
    double mass = f->skeleton->loads[root].mass, reach = f->skeleton->loads[root].reach;
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

// --- the whole --------------------------------------------------------------------------------

void wri_flesh_follow_poses(const wri_flesh_follower *f, const wr_handle_pose *begin,
                            const wr_handle_pose *end, float dt)
{
    if (f->by_torque && f->skeleton) {
        aim(f, begin, end, dt);
        for (int i = 0; i < f->skeleton->bone_count; i++) {
            if (f->skeleton->parents[i] < 0) {
                keep_balance(f, i, begin, end, dt);
            }
        }
        return;
    }
    for (int i = 0; i < bone_count(f); i++) {
        wr_flesh_drive(f->world, f->body, i, pose_of(f, end, handle_of(f, i)));
    }
}
