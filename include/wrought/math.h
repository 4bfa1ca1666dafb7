// math.h: vectors, quaternions, matrices and poses as plain values.
//
//     wr_quat turn = wr_quat_from_axis_angle(wr_v3(0, 1, 0), 0.5f);
//     wr_vec3 tip = wr_pose_point((wr_pose){at, turn}, wr_v3(1, 0, 0));
//
// Right-handed, +Y up, metres, radians. Quaternions are x y z w. Matrices are rows of rows:
// m[r][c]. Everything is inline and pure; nothing can fail.
#pragma once

#include <math.h>
#include <stdbool.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct wr_vec2 {
    float x, y;
} wr_vec2;

typedef struct wr_vec3 {
    float x, y, z;
} wr_vec3;

typedef struct wr_quat {
    float x, y, z, w;
} wr_quat;

typedef struct wr_mat3 {
    float m[3][3];
} wr_mat3;

// An affine map: x becomes the first three columns times x, plus the fourth.
typedef struct wr_mat34 {
    float m[3][4];
} wr_mat34;

// A rigid motion: rotate, then move.
typedef struct wr_pose {
    wr_vec3 position;
    wr_quat rotation;
} wr_pose;

typedef struct wr_box {
    wr_vec3 min, max; // empty when min > max
} wr_box;

#define WR_PI 3.14159265358979323846f
#define WR_QUAT_IDENTITY ((wr_quat){0.0f, 0.0f, 0.0f, 1.0f})
#define WR_POSE_IDENTITY ((wr_pose){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}})
#define WR_MAT34_IDENTITY                                                                          \
    ((wr_mat34){{{1.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f, 0.0f}}})
#define WR_BOX_EMPTY ((wr_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}})

static inline wr_vec3 wr_v3(float x, float y, float z)
{
    wr_vec3 v = {x, y, z};
    return v;
}

static inline wr_vec3 wr_add(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline wr_vec3 wr_sub(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline wr_vec3 wr_scale(float s, wr_vec3 v)
{
    return wr_v3(s * v.x, s * v.y, s * v.z);
}

// a + s b
static inline wr_vec3 wr_add_scaled(wr_vec3 a, float s, wr_vec3 b)
{
    return wr_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline float wr_dot(wr_vec3 a, wr_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline wr_vec3 wr_cross(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float wr_length(wr_vec3 v)
{
    return sqrtf(wr_dot(v, v));
}

static inline float wr_distance(wr_vec3 a, wr_vec3 b)
{
    return wr_length(wr_sub(a, b));
}

// The zero vector stays zero.
static inline wr_vec3 wr_normalize(wr_vec3 v)
{
    float length = wr_length(v);
    return length > 0.0f ? wr_scale(1.0f / length, v) : v;
}

static inline wr_vec3 wr_min3(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}

static inline wr_vec3 wr_max3(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

static inline wr_vec3 wr_lerp3(wr_vec3 a, wr_vec3 b, float t)
{
    return wr_add_scaled(a, t, wr_sub(b, a));
}

static inline bool wr_is_finite3(wr_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// One instruction each, where fminf and fmaxf are calls; the second when one is no number.
static inline float wr_minf(float a, float b)
{
    return a < b ? a : b;
}

static inline float wr_maxf(float a, float b)
{
    return a > b ? a : b;
}

static inline float wr_clampf(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

// --- quaternions ------------------------------------------------------------------------------

// The rotation by a, after the rotation by b.
static inline wr_quat wr_quat_multiply(wr_quat a, wr_quat b)
{
    wr_quat q = {
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
    return q;
}

static inline wr_quat wr_quat_conjugate(wr_quat q)
{
    wr_quat c = {-q.x, -q.y, -q.z, q.w};
    return c;
}

static inline float wr_quat_dot(wr_quat a, wr_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// A quaternion too short to have a direction, or with a NaN, becomes the identity. Lengths up to
// 1e19.
static inline wr_quat wr_quat_normalize(wr_quat q)
{
    float length = sqrtf(wr_quat_dot(q, q));
    if (!(length > 1e-20f)) {
        wr_quat identity = {0.0f, 0.0f, 0.0f, 1.0f};
        return identity;
    }
    float s = 1.0f / length;
    wr_quat n = {s * q.x, s * q.y, s * q.z, s * q.w};
    return n;
}

// axis need not be unit length; a zero axis gives the identity.
static inline wr_quat wr_quat_from_axis_angle(wr_vec3 axis, float radians)
{
    wr_vec3 a = wr_scale(sinf(0.5f * radians), wr_normalize(axis));
    wr_quat q = {a.x, a.y, a.z, cosf(0.5f * radians)};
    return wr_quat_normalize(q);
}

// q must be unit length.
static inline wr_vec3 wr_rotate(wr_quat q, wr_vec3 v)
{
    wr_vec3 u = wr_v3(q.x, q.y, q.z);
    wr_vec3 t = wr_scale(2.0f, wr_cross(u, v));
    return wr_add(wr_add_scaled(v, q.w, t), wr_cross(u, t));
}

static inline wr_vec3 wr_rotate_back(wr_quat q, wr_vec3 v)
{
    return wr_rotate(wr_quat_conjugate(q), v);
}

// Normalised linear interpolation along the shorter arc.
static inline wr_quat wr_quat_nlerp(wr_quat a, wr_quat b, float t)
{
    float s = wr_quat_dot(a, b) < 0.0f ? -t : t;
    wr_quat q = {a.x * (1 - t) + b.x * s, a.y * (1 - t) + b.y * s, a.z * (1 - t) + b.z * s,
                 a.w * (1 - t) + b.w * s};
    return wr_quat_normalize(q);
}

// Spherical linear interpolation of unit quaternions along the shorter arc: even turning.
static inline wr_quat wr_quat_slerp(wr_quat a, wr_quat b, float t)
{
    double dot = (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w;
    double side = dot < 0.0 ? -1.0 : 1.0, u = 1.0 - (double)t, v = (double)t;
    dot *= side;
    if (dot < 1.0 - 1e-9) { // otherwise the arc is straight
        double angle = acos(dot), s = 1.0 / sin(angle);
        u = sin(u * angle) * s;
        v = sin(v * angle) * s;
    }
    v *= side;
    wr_quat q = {(float)(u * a.x + v * b.x), (float)(u * a.y + v * b.y), (float)(u * a.z + v * b.z),
                 (float)(u * a.w + v * b.w)};
    return wr_quat_normalize(q);
}

static inline wr_mat3 wr_mat3_from_quat(wr_quat q)
{
    float x = q.x, y = q.y, z = q.z, w = q.w;
    wr_mat3 r = {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                  {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                  {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
    return r;
}

static inline wr_vec3 wr_mat3_apply(wr_mat3 a, wr_vec3 v)
{
    return wr_v3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                 a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                 a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}

// --- poses ------------------------------------------------------------------------------------

static inline wr_vec3 wr_pose_point(wr_pose pose, wr_vec3 local)
{
    return wr_add(pose.position, wr_rotate(pose.rotation, local));
}

static inline wr_vec3 wr_pose_local(wr_pose pose, wr_vec3 world)
{
    return wr_rotate_back(pose.rotation, wr_sub(world, pose.position));
}

// First b, then a.
static inline wr_pose wr_pose_multiply(wr_pose a, wr_pose b)
{
    wr_pose p = {wr_pose_point(a, b.position),
                 wr_quat_normalize(wr_quat_multiply(a.rotation, b.rotation))};
    return p;
}

static inline wr_pose wr_pose_inverse(wr_pose a)
{
    wr_quat back = wr_quat_conjugate(a.rotation);
    wr_pose p = {wr_rotate(back, wr_scale(-1.0f, a.position)), back};
    return p;
}

static inline bool wr_pose_is_finite(wr_pose p)
{
    return wr_is_finite3(p.position) && isfinite(p.rotation.x) && isfinite(p.rotation.y) &&
           isfinite(p.rotation.z) && isfinite(p.rotation.w);
}

// --- affine maps ------------------------------------------------------------------------------

// Scale, then rotate, then move.
static inline wr_mat34 wr_mat34_from_pose(wr_pose pose, wr_vec3 scale)
{
    wr_mat3 r = wr_mat3_from_quat(pose.rotation);
    wr_mat34 a = {
        {{r.m[0][0] * scale.x, r.m[0][1] * scale.y, r.m[0][2] * scale.z, pose.position.x},
         {r.m[1][0] * scale.x, r.m[1][1] * scale.y, r.m[1][2] * scale.z, pose.position.y},
         {r.m[2][0] * scale.x, r.m[2][1] * scale.y, r.m[2][2] * scale.z, pose.position.z}}};
    return a;
}

static inline wr_vec3 wr_mat34_apply(wr_mat34 a, wr_vec3 p)
{
    return wr_v3(a.m[0][0] * p.x + a.m[0][1] * p.y + a.m[0][2] * p.z + a.m[0][3],
                 a.m[1][0] * p.x + a.m[1][1] * p.y + a.m[1][2] * p.z + a.m[1][3],
                 a.m[2][0] * p.x + a.m[2][1] * p.y + a.m[2][2] * p.z + a.m[2][3]);
}

// First b, then a.
static inline wr_mat34 wr_mat34_multiply(wr_mat34 a, wr_mat34 b)
{
    wr_mat34 c;
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 4; k++) {
            c.m[r][k] = a.m[r][0] * b.m[0][k] + a.m[r][1] * b.m[1][k] + a.m[r][2] * b.m[2][k];
        }
        c.m[r][3] += a.m[r][3];
    }
    return c;
}

static inline wr_mat3 wr_mat34_linear(wr_mat34 a)
{
    wr_mat3 r = {{{a.m[0][0], a.m[0][1], a.m[0][2]},
                  {a.m[1][0], a.m[1][1], a.m[1][2]},
                  {a.m[2][0], a.m[2][1], a.m[2][2]}}};
    return r;
}

static inline bool wr_mat34_is_finite(wr_mat34 a)
{
    for (int i = 0; i < 12; i++) {
        if (!isfinite(a.m[i / 4][i % 4])) {
            return false;
        }
    }
    return true;
}

// --- boxes ------------------------------------------------------------------------------------

static inline wr_box wr_box_add(wr_box box, wr_vec3 p)
{
    wr_box b = {wr_min3(box.min, p), wr_max3(box.max, p)};
    return b;
}

static inline wr_box wr_box_join(wr_box a, wr_box b)
{
    wr_box c = {wr_min3(a.min, b.min), wr_max3(a.max, b.max)};
    return c;
}

static inline bool wr_boxes_meet(wr_box a, wr_box b)
{
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y &&
           a.min.z <= b.max.z && b.min.z <= a.max.z;
}

static inline bool wr_box_is_empty(wr_box b)
{
    return !(b.min.x <= b.max.x && b.min.y <= b.max.y && b.min.z <= b.max.z);
}

static inline wr_vec3 wr_box_center(wr_box b)
{
    return wr_scale(0.5f, wr_add(b.min, b.max));
}

static inline wr_vec3 wr_box_size(wr_box b)
{
    return wr_sub(b.max, b.min);
}

#if defined(__cplusplus)
}
#endif
