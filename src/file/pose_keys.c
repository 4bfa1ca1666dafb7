// pose_keys.c: leaves out the frames of a motion that lines between others reproduce.
#include "pose_keys.h"

#include <math.h>

// Radians between two nearby rotations; from their difference, since near 1 their product is too
// coarse.
static float angle_between(wr_quat a, wr_quat b)
{
    float s = wr_quat_dot(a, b) < 0.0f ? -1.0f : 1.0f;
    wr_quat d = {a.x - s * b.x, a.y - s * b.y, a.z - s * b.z, a.w - s * b.w};
    return 2.0f * sqrtf(wr_quat_dot(d, d));
}

static bool line_holds(const wr_pose *poses, int a, int b, float max_distance, float max_angle)
{
    for (int i = a + 1; i < b; i++) {
        float t = (float)(i - a) / (float)(b - a);
        wr_vec3 p = wr_lerp3(poses[a].position, poses[b].position, t);
        wr_quat q = wr_quat_nlerp(poses[a].rotation, poses[b].rotation, t);
        if (wr_distance(p, poses[i].position) > max_distance ||
            angle_between(q, poses[i].rotation) > max_angle) {
            return false;
        }
    }
    return true;
}

// Chooses frames greedily: each line reaches as far as it holds.
int wri_pose_keys(const wr_pose *poses, int count, float max_distance, float max_angle, int *keys)
{
    enum { LONGEST = 240 }; // frames; bounds the search
    int chosen = 0, at = 0;
    keys[chosen++] = 0;
    while (at < count - 1) {
        int next = at + 1;
        while (next + 1 < count && next + 1 - at <= LONGEST &&
               line_holds(poses, at, next + 1, max_distance, max_angle)) {
            next++;
        }
        keys[chosen++] = next;
        at = next;
    }
    return chosen;
}
