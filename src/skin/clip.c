// clip.c: handles that follow a clip, and poses between two.
//
// Both work on handles within the frames of their parents: see skin.h. Such a local pose is kept in
// a wr_handle_pose whose offset is the position t. Where no parent is stretched A_p is a rotation
// and quaternions do; otherwise a polar decomposition of A_p R(r) S(s) gives rotation and stretch.
#include "skin.h"

#include "../math/decompose.h"
#include "../math/slerp.h"

// --- frames -----------------------------------------------------------------------------------

static bool is_stretched(const wr_handle_pose *pose)
{
    const float *s = pose->stretch;
    return s[0] != 1.0f || s[1] != 1.0f || s[2] != 1.0f || s[3] != 0.0f || s[4] != 0.0f ||
           s[5] != 0.0f;
}

// Computes A = R S.
static void find_linear(const wr_handle_pose *pose, double a[3][3])
{
    wr_mat3 r = wr_mat3_from_quat(pose->rotation);
    const float *s = pose->stretch;
    const double t[3][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            a[i][k] = r.m[i][0] * t[0][k] + r.m[i][1] * t[1][k] + r.m[i][2] * t[2][k];
        }
    }
}

static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
        }
    }
}

static wr_vec3 apply(const double a[3][3], wr_vec3 v)
{
    return wr_v3((float)(a[0][0] * v.x + a[0][1] * v.y + a[0][2] * v.z),
                 (float)(a[1][0] * v.x + a[1][1] * v.y + a[1][2] * v.z),
                 (float)(a[2][0] * v.x + a[2][1] * v.y + a[2][2] * v.z));
}

// Inverts a; false where it is nearly flat.
static bool invert(const double a[3][3], double out[3][3])
{
    double determinant = 0.0, largest = 0.0;
    for (int i = 0; i < 9; i++) {
        int r = i / 3, k = i % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, k1 = (k + 1) % 3,
            k2 = (k + 2) % 3;
        out[k][r] = a[r1][k1] * a[r2][k2] - a[r1][k2] * a[r2][k1];
        determinant += r == 0 ? a[0][k] * out[k][0] : 0.0;
        largest = fmax(largest, fabs(a[r][k]));
    }
    for (int i = 0; i < 9; i++) {
        out[i / 3][i % 3] /= determinant;
    }
    return fabs(determinant) > 1e-12 * largest * largest * largest;
}

static void set_linear(const double a[3][3], wr_handle_pose *pose)
{
    double r[3][3], t[3][3];
    wri_polar3d(a, r, t);
    const float stretch[6] = {(float)t[0][0], (float)t[1][1], (float)t[2][2],
                              (float)t[0][1], (float)t[0][2], (float)t[1][2]};
    pose->rotation = wri_quat_from_rotation(r);
    memcpy(pose->stretch, stretch, sizeof stretch);
}

static wr_vec3 place_of(const wr_handle *handles, const wr_handle_pose *poses, int b)
{
    return wr_add(handles[b].pivot, poses[b].offset);
}

wr_handle_pose wri_pose_within(const wr_handle *handles, const wr_handle_pose *poses, int b)
{
    int parent = handles[b].parent;
    wr_handle_pose local = poses[b];
    local.offset = place_of(handles, poses, b);
    if (parent < 0) {
        return local;
    }
    const wr_handle_pose *above = &poses[parent];
    wr_vec3 from = wr_sub(local.offset, place_of(handles, poses, parent));
    double a[3][3], inverse[3][3], own[3][3], m[3][3];
    find_linear(above, a);
    if (is_stretched(above) && invert((const double(*)[3])a, inverse)) {
        find_linear(&poses[b], own);
        multiply((const double(*)[3])inverse, (const double(*)[3])own, m);
        set_linear((const double(*)[3])m, &local);
        local.offset = apply((const double(*)[3])inverse, from);
    } else {
        wr_quat back = wr_quat_conjugate(above->rotation);
        local.rotation = wr_quat_normalize(wr_quat_multiply(back, poses[b].rotation));
        local.offset = wr_rotate(back, from);
    }
    return local;
}

// The inverse of wri_pose_within: computes poses[b] from its local pose; its parent's must be
// there.
static void place(const wr_handle *handles, wr_handle_pose local, int b, wr_handle_pose *poses)
{
    int parent = handles[b].parent;
    wr_vec3 at = local.offset;
    if (parent >= 0) {
        const wr_handle_pose *above = &poses[parent];
        double a[3][3], own[3][3], m[3][3];
        if (is_stretched(above)) {
            find_linear(above, a);
            find_linear(&local, own);
            multiply((const double(*)[3])a, (const double(*)[3])own, m);
            set_linear((const double(*)[3])m, &local);
            at = apply((const double(*)[3])a, at);
        } else {
            wr_quat turned = wr_quat_multiply(above->rotation, local.rotation);
            local.rotation = wr_quat_normalize(turned);
            at = wr_rotate(above->rotation, at);
        }
        at = wr_add(place_of(handles, poses, parent), at);
    }
    wr_quat q = local.rotation;
    local.rotation = q.w < 0.0f ? (wr_quat){-q.x, -q.y, -q.z, -q.w} : q;
    local.offset = wr_sub(at, handles[b].pivot);
    poses[b] = local;
}

// --- tracks -----------------------------------------------------------------------------------

int wr_rig_channel_width(wr_rig_channel channel)
{
    static const int widths[WR_RIG_CHANNELS] = {4, 3, 6};
    WR_ASSERT(channel >= 0 && channel < WR_RIG_CHANNELS);
    return widths[channel];
}

// Returns the last key that is not after the time, -1 when all are.
static int find_key(const wr_rig_track *track, double time)
{
    int low = -1, high = track->key_count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if ((double)track->times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void wri_rig_track_sample(const wr_rig_track *track, double time, float *out)
{
    int key = find_key(track, time), width = wr_rig_channel_width(track->channel);
    const float *a = track->values + (size_t)(key < 0 ? 0 : key) * (size_t)width, *b = a + width;
    bool between = key >= 0 && key < track->key_count - 1 && (double)track->times[key] < time;
    if (!between) {
        memcpy(out, a, (size_t)width * sizeof *out);
        return;
    }
    double start = track->times[key], t = (time - start) / ((double)track->times[key + 1] - start);
    if (track->channel == WR_RIG_ROTATION) {
        wr_quat q =
            wri_quat_slerp((wr_quat){a[0], a[1], a[2], a[3]}, (wr_quat){b[0], b[1], b[2], b[3]}, t);
        memcpy(out, &q, sizeof q);
        return;
    }
    for (int i = 0; i < width; i++) {
        out[i] = (float)((1.0 - t) * a[i] + t * b[i]);
    }
}

static double time_within(const wr_rig_clip *clip, double time, bool loops)
{
    if (!loops || !(clip->length > 0.0)) {
        return time;
    }
    double rest = fmod(time, clip->length);
    return rest < 0.0 ? rest + clip->length : rest;
}

void wr_rig_clip_poses(const wr_rig_clip *clip, const wr_handle *handles, int handle_count,
                       double time, bool loops, wr_handle_pose *poses)
{
    double within = time_within(clip, time, loops);
    for (int b = 0, next = 0; b < handle_count; b++) {
        int parent = handles[b].parent;
        wr_vec3 c = handles[b].pivot;
        wr_handle_pose local = {.rotation = WR_QUAT_IDENTITY,
                                .offset = parent < 0 ? c : wr_sub(c, handles[parent].pivot),
                                .stretch = {1, 1, 1, 0, 0, 0}};
        for (; next < clip->track_count && clip->tracks[next].handle == b; next++) {
            const wr_rig_track *track = &clip->tracks[next];
            float *const fields[] = {&local.rotation.x, &local.offset.x, local.stretch};
            wri_rig_track_sample(track, within, fields[track->channel]);
        }
        place(handles, local, b, poses);
    }
}

// --- blending ---------------------------------------------------------------------------------

static wr_handle_pose blend(const wr_handle_pose *a, const wr_handle_pose *b, float share)
{
    wr_handle_pose out = {.rotation = wr_quat_nlerp(a->rotation, b->rotation, share),
                          .offset = wr_lerp3(a->offset, b->offset, share)};
    for (int i = 0; i < 6; i++) {
        out.stretch[i] = a->stretch[i] + share * (b->stretch[i] - a->stretch[i]);
    }
    return out;
}

void wr_rig_blend_poses(const wr_handle *handles, int handle_count, const wr_handle_pose *a,
                        const wr_handle_pose *b, float share, wr_handle_pose *poses)
{
    WR_ASSERT(poses != a && poses != b);
    if (share <= 0.0f || share >= 1.0f) {
        memcpy(poses, share <= 0.0f ? a : b, (size_t)handle_count * sizeof *poses);
        return;
    }
    for (int i = 0; i < handle_count; i++) {
        wr_handle_pose from = wri_pose_within(handles, a, i), to = wri_pose_within(handles, b, i);
        place(handles, blend(&from, &to, share), i, poses);
    }
}
