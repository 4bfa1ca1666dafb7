// test_clip.c: promises of clips: handles at a time, and poses between two.
#include "check.h"

#include "wrought/skin.h"

#include <malloc.h>
#include <string.h>

enum { B = 6, KEYS = 5, TRACKS = WR_RIG_CHANNELS * B };

typedef struct fixture {
    wr_handle handles[B];
    float times[KEYS];
    float values[TRACKS][6 * KEYS];
    wr_rig_track tracks[TRACKS];
    wr_rig_clip clip;
} fixture;

// --- a rig that is nowhere straight -----------------------------------------------------------

static wr_vec3 random_vector(uint64_t *seed, float size)
{
    float x = random_float(seed, -size, size), y = random_float(seed, -size, size);
    return wr_v3(x, y, random_float(seed, -size, size));
}

static wr_quat random_turn(uint64_t *seed, float most)
{
    return wr_quat_from_axis_angle(random_vector(seed, 1.0f), random_float(seed, -most, most));
}

static void fill_key(uint64_t *seed, const fixture *f, const wr_rig_track *track, float *out)
{
    int parent = f->handles[track->handle].parent;
    wr_vec3 c = f->handles[track->handle].pivot;
    wr_vec3 rest = parent < 0 ? c : wr_sub(c, f->handles[parent].pivot);
    if (track->channel == WR_RIG_ROTATION) {
        wr_quat q = random_turn(seed, 3.0f);
        float side = random_bits(seed) % 2 ? 1.0f : -1.0f; // both names of a rotation
        const float numbers[4] = {side * q.x, side * q.y, side * q.z, side * q.w};
        memcpy(out, numbers, sizeof numbers);
    } else if (track->channel == WR_RIG_POSITION) {
        wr_vec3 t = wr_add(rest, random_vector(seed, 0.2f));
        memcpy(out, &t, sizeof t);
    } else {
        for (int i = 0; i < 6; i++) {
            out[i] = (i < 3 ? 1.0f : 0.0f) + random_float(seed, -0.2f, 0.2f);
        }
    }
}

// Two trees; handle 4 has no tracks, only every other track has all keys.
static void setup(fixture *f, bool stretches)
{
    static const int parents[B] = {-1, 0, 1, -1, 1, 4};
    uint64_t seed = 7;
    memset(f, 0, sizeof *f);
    for (int b = 0; b < B; b++) {
        f->handles[b] = (wr_handle){"", random_vector(&seed, 1.0f), parents[b], -1};
    }
    for (int k = 0; k < KEYS; k++) {
        f->times[k] = 0.125f + 0.3f * (float)k;
    }
    f->clip = (wr_rig_clip){"walk", 1.5, 0, f->tracks};
    for (int i = 0; i < TRACKS; i++) {
        wr_rig_track *track = &f->tracks[f->clip.track_count];
        *track = (wr_rig_track){i / WR_RIG_CHANNELS, (wr_rig_channel)(i % WR_RIG_CHANNELS),
                                i % 2 ? KEYS : KEYS - 2, f->times, f->values[i]};
        if (track->handle == 4 || (track->channel == WR_RIG_STRETCH && !stretches)) {
            continue;
        }
        int width = wr_rig_channel_width(track->channel);
        for (int k = 0; k < track->key_count; k++) {
            fill_key(&seed, f, track, track->values + k * width);
        }
        f->clip.track_count++;
    }
}

static void find_poses(const fixture *f, double time, bool loops, wr_handle_pose *poses)
{
    wr_rig_clip_poses(&f->clip, f->handles, B, time, loops, poses);
}

// --- comparing --------------------------------------------------------------------------------

// Where the map of a handle takes a point of the rest shape.
static wr_vec3 carry(const wr_handle *handle, const wr_handle_pose *pose, wr_vec3 point)
{
    wr_vec3 v = wr_sub(point, handle->pivot);
    const float *s = pose->stretch;
    v = wr_v3(s[0] * v.x + s[3] * v.y + s[4] * v.z, s[3] * v.x + s[1] * v.y + s[5] * v.z,
              s[4] * v.x + s[5] * v.y + s[2] * v.z);
    return wr_add(wr_add(handle->pivot, pose->offset), wr_rotate(pose->rotation, v));
}

// Largest distance between what two poses of all handles do to points around each.
static float difference(const fixture *f, const wr_handle_pose *a, const wr_handle_pose *b)
{
    float most = 0.0f;
    for (int i = 0; i < B; i++) {
        for (int k = 0; k < 4; k++) {
            wr_vec3 p = wr_add(f->handles[i].pivot, wr_v3(k == 1, k == 2, k == 3));
            float d = wr_distance(carry(&f->handles[i], &a[i], p), carry(&f->handles[i], &b[i], p));
            most = fmaxf(most, d);
        }
    }
    return most;
}

// A_p R(r) S(s) and c_p + d_p + A_p t as matrices, from what the tracks say at one of their keys.
static void expect_key(const fixture *f, int key, wr_mat34 *maps)
{
    int next = 0;
    for (int b = 0; b < B; b++) {
        int parent = f->handles[b].parent;
        wr_vec3 c = f->handles[b].pivot;
        wr_vec3 t = parent < 0 ? c : wr_sub(c, f->handles[parent].pivot);
        wr_quat r = WR_QUAT_IDENTITY;
        float s[6] = {1, 1, 1, 0, 0, 0};
        for (; next < f->clip.track_count && f->tracks[next].handle == b; next++) {
            const wr_rig_track *track = &f->tracks[next];
            int last = track->key_count - 1, width = wr_rig_channel_width(track->channel);
            void *const fields[] = {&r, &t, s};
            memcpy(fields[track->channel], track->values + (key < last ? key : last) * width,
                   (size_t)width * sizeof(float));
        }
        wr_mat34 turn = wr_mat34_from_pose((wr_pose){t, r}, wr_v3(1, 1, 1));
        wr_mat34 stretch = {{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
        maps[b] = wr_mat34_multiply(turn, stretch);
        maps[b] = parent < 0 ? maps[b] : wr_mat34_multiply(maps[parent], maps[b]);
    }
}

// --- at a time --------------------------------------------------------------------------------

static void a_clip_is_exact_at_its_keys(void **state)
{
    (void)state;
    fixture f;
    for (int stretches = 0; stretches < 2; stretches++) {
        setup(&f, stretches);
        for (int key = 0; key < KEYS; key++) {
            wr_mat34 maps[B];
            wr_handle_pose poses[B];
            expect_key(&f, key, maps);
            find_poses(&f, (double)f.times[key], false, poses);
            for (int b = 0; b < B; b++) {
                for (int k = 0; k < 4; k++) {
                    wr_vec3 local = wr_v3(k == 1, k == 2, k == 3);
                    wr_vec3 found =
                        carry(&f.handles[b], &poses[b], wr_add(f.handles[b].pivot, local));
                    CHECK_NEAR(wr_distance(found, wr_mat34_apply(maps[b], local)), 0, 2e-6);
                }
                assert_true(poses[b].rotation.w >= 0.0f);
            }
            int last = f.tracks[0].key_count - 1; // the first handle has no parent: bit for bit
            wr_quat root = ((wr_quat *)f.tracks[0].values)[key < last ? key : last];
            wr_quat other = {-root.x, -root.y, -root.z, -root.w};
            assert_memory_equal(&poses[0].rotation, root.w < 0.0f ? &other : &root, sizeof root);
        }
    }
}

static void what_no_track_moves_is_at_rest(void **state)
{
    (void)state;
    fixture f;
    setup(&f, false);
    f.clip.track_count = 0;
    wr_handle_pose poses[B], rest[B];
    for (int b = 0; b < B; b++) {
        rest[b] = (wr_handle_pose){WR_QUAT_IDENTITY, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    }
    find_poses(&f, 0.3, true, poses);
    CHECK_NEAR(difference(&f, poses, rest), 0, 3e-7);
}

static void a_clip_moves_without_jumps(void **state)
{
    (void)state;
    fixture f;
    for (int stretches = 0; stretches < 2; stretches++) {
        setup(&f, stretches);
        wr_handle_pose before[B], now[B];
        find_poses(&f, 0.0, false, before);
        float most = 0.0f, least = INFINITY;
        for (double time = 1e-3; time < 1.6; time += 1e-3) {
            find_poses(&f, time, false, now);
            float d = difference(&f, before, now);
            most = fmaxf(most, d);
            least = time > 0.13 && time < 1.3 ? fminf(least, d) : least;
            memcpy(before, now, sizeof now);
        }
        assert_true(most < 0.1f && least > 0.0f);
    }
}

static void between_keys_a_handle_turns_evenly_the_short_way(void **state)
{
    (void)state;
    fixture f;
    setup(&f, false);
    const wr_quat *keys = (wr_quat *)f.tracks[0].values;
    double span = (double)f.times[1] - (double)f.times[0];
    for (int i = 0; i <= 10; i++) {
        wr_handle_pose poses[B];
        find_poses(&f, (double)f.times[0] + 0.1 * i * span, false, poses);
        wr_quat q = wr_quat_slerp(keys[0], keys[1], 0.1f * (float)i), p = poses[0].rotation;
        float side = wr_quat_dot(q, p) < 0.0f ? -1.0f : 1.0f;
        CHECK_NEAR(p.x, side * q.x, 1e-6);
        CHECK_NEAR(p.y, side * q.y, 1e-6);
        CHECK_NEAR(p.z, side * q.z, 1e-6);
        CHECK_NEAR(p.w, side * q.w, 1e-6);
    }
}

static void a_clip_that_does_not_loop_stays_at_its_ends(void **state)
{
    (void)state;
    fixture f;
    setup(&f, true);
    wr_handle_pose first[B], last[B], poses[B];
    find_poses(&f, (double)f.times[0], false, first);
    find_poses(&f, (double)f.times[KEYS - 1], false, last);
    find_poses(&f, -3.0, false, poses);
    assert_memory_equal(poses, first, sizeof poses);
    find_poses(&f, 100.0, false, poses);
    assert_memory_equal(poses, last, sizeof poses);
}

static void a_clip_that_loops_begins_again_without_a_seam(void **state)
{
    (void)state;
    fixture f;
    setup(&f, true);
    for (int i = 0; i < f.clip.track_count; i++) { // it ends as it begins
        wr_rig_track *track = &f.tracks[i];
        int width = wr_rig_channel_width(track->channel), last = track->key_count - 1;
        memcpy(track->values + last * width, track->values, (size_t)width * sizeof(float));
    }
    wr_handle_pose a[B], b[B];
    for (int i = -20; i <= 20; i++) { // eighths are exact
        find_poses(&f, 0.125 * i, true, a);
        find_poses(&f, 0.125 * i + 3.0 * f.clip.length, true, b);
        assert_memory_equal(a, b, sizeof a);
    }
    for (double turn = -2.0; turn < 3.0; turn++) {
        find_poses(&f, turn * f.clip.length - 1e-9, true, a);
        find_poses(&f, turn * f.clip.length, true, b);
        CHECK_NEAR(difference(&f, a, b), 0, 1e-5);
    }
    f.clip.length = 0.0; // of a single moment
    find_poses(&f, 7.0, true, a);
    find_poses(&f, 7.0, false, b);
    assert_memory_equal(a, b, sizeof a);
}

// --- between two ------------------------------------------------------------------------------

static void blends_begin_and_end_bit_for_bit(void **state)
{
    (void)state;
    fixture f;
    for (int stretches = 0; stretches < 2; stretches++) {
        setup(&f, stretches);
        wr_handle_pose a[B], b[B], out[B];
        find_poses(&f, 0.2, true, a);
        find_poses(&f, 0.9, true, b);
        wr_rig_blend_poses(f.handles, B, a, b, 0.0f, out);
        assert_memory_equal(out, a, sizeof out);
        wr_rig_blend_poses(f.handles, B, a, b, 1.0f, out);
        assert_memory_equal(out, b, sizeof out);
        wr_rig_blend_poses(f.handles, B, a, b, 1e-7f, out);
        CHECK_NEAR(difference(&f, a, out), 0, 5e-6);
        wr_rig_blend_poses(f.handles, B, a, a, 0.4f, out);
        CHECK_NEAR(difference(&f, a, out), 0, 5e-6);
    }
}

// An elbow that bends by 160 degrees: half way the forearm is as long as before.
static void limbs_keep_their_length_in_a_blend(void **state)
{
    (void)state;
    const wr_handle handles[3] = {
        {"shoulder", {0, 0, 0}, -1, -1}, {"elbow", {1, 0, 0}, 0, -1}, {"hand", {2, 0, 0}, 1, -1}};
    wr_handle_pose a[3], b[3], out[3];
    for (int i = 0; i < 3; i++) {
        a[i] = b[i] = (wr_handle_pose){WR_QUAT_IDENTITY, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    }
    wr_quat bend = wr_quat_from_axis_angle(wr_v3(0, 0, 1), 160.0f * WR_PI / 180.0f);
    b[1].rotation = b[2].rotation = bend;
    b[2].offset = wr_sub(wr_rotate(bend, wr_v3(1, 0, 0)), wr_v3(1, 0, 0));
    wr_rig_blend_poses(handles, 3, a, b, 0.5f, out);
    wr_vec3 forearm =
        wr_sub(wr_add(handles[2].pivot, out[2].offset), wr_add(handles[1].pivot, out[1].offset));
    CHECK_NEAR(wr_length(forearm), 1, 1e-6);
    CHECK_NEAR(forearm.x, cos(80.0 * 3.14159265358979 / 180.0), 1e-6);
    CHECK_NEAR(forearm.y, sin(80.0 * 3.14159265358979 / 180.0), 1e-6);
}

// The same rigid motion before or after: of every handle's map.
static void move_all(const fixture *f, wr_pose motion, wr_handle_pose *poses)
{
    for (int b = 0; b < B; b++) {
        wr_vec3 c = f->handles[b].pivot, at = wr_add(c, poses[b].offset);
        poses[b].rotation = wr_quat_multiply(motion.rotation, poses[b].rotation);
        poses[b].offset = wr_sub(wr_pose_point(motion, at), c);
    }
}

static void a_rigid_motion_carries_clips_and_blends_along(void **state)
{
    (void)state;
    const wr_pose motion = {{3, -1, 2}, wr_quat_from_axis_angle(wr_v3(1, 2, -0.5f), 2.4f)};
    for (int stretches = 0; stretches < 2; stretches++) {
        fixture f, moved;
        setup(&f, stretches);
        setup(&moved, stretches);
        for (int i = 0; i < moved.clip.track_count; i++) {
            const wr_rig_track *track = &moved.tracks[i];
            bool root = f.handles[track->handle].parent < 0;
            for (int k = 0; k < track->key_count && root; k++) {
                wr_quat *q = (wr_quat *)track->values + k;
                wr_vec3 *t = (wr_vec3 *)track->values + k;
                if (track->channel == WR_RIG_ROTATION) {
                    *q = wr_quat_multiply(motion.rotation, *q);
                } else if (track->channel == WR_RIG_POSITION) {
                    *t = wr_pose_point(motion, *t);
                }
            }
        }
        wr_handle_pose a[2][B], b[2][B], out[2][B];
        find_poses(&f, 0.37, true, a[0]);
        find_poses(&f, 0.8, true, b[0]);
        find_poses(&moved, 0.37, true, a[1]);
        find_poses(&moved, 0.8, true, b[1]);
        for (int i = 0; i < 2; i++) {
            wr_rig_blend_poses(f.handles, B, a[i], b[i], 0.3f, out[i]);
        }
        move_all(&f, motion, a[0]);
        move_all(&f, motion, out[0]);
        CHECK_NEAR(difference(&f, a[0], a[1]), 0, 1e-5);
        CHECK_NEAR(difference(&f, out[0], out[1]), 0, 1e-5);
    }
}

// A parent without extent takes its children along; nothing becomes NaN.
static void a_handle_that_shrinks_to_nothing_is_no_trouble(void **state)
{
    (void)state;
    fixture f;
    setup(&f, true);
    wr_handle_pose a[B], b[B], out[B];
    for (int i = 0; i < f.clip.track_count; i++) {
        if (f.tracks[i].handle == 1 && f.tracks[i].channel == WR_RIG_STRETCH) {
            memset(f.tracks[i].values, 0, 6 * sizeof(float));
        }
    }
    find_poses(&f, 0.0, false, a);
    find_poses(&f, 0.7, false, b);
    wr_rig_blend_poses(f.handles, B, a, b, 0.5f, out);
    CHECK_NEAR(wr_distance(wr_add(f.handles[2].pivot, a[2].offset),
                           wr_add(f.handles[1].pivot, a[1].offset)),
               0, 1e-6);
    for (int i = 0; i < B; i++) {
        float sum = a[i].rotation.w + a[i].offset.x + out[i].rotation.w + out[i].offset.x;
        for (int k = 0; k < 6; k++) {
            sum += a[i].stretch[k] + out[i].stretch[k];
        }
        assert_true(isfinite(sum));
    }
}

static void posing_takes_no_memory(void **state)
{
    (void)state;
    fixture f;
    setup(&f, true);
    wr_handle_pose a[B], b[B], out[B];
    size_t before = mallinfo2().uordblks, mapped = mallinfo2().hblkhd;
    for (int i = 0; i < 100; i++) {
        find_poses(&f, 0.01 * i, true, a);
        find_poses(&f, 0.02 * i, false, b);
        wr_rig_blend_poses(f.handles, B, a, b, 0.01f * (float)i, out);
    }
    assert_int_equal(mallinfo2().uordblks, before);
    assert_int_equal(mallinfo2().hblkhd, mapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clip_is_exact_at_its_keys),
        cmocka_unit_test(what_no_track_moves_is_at_rest),
        cmocka_unit_test(a_clip_moves_without_jumps),
        cmocka_unit_test(between_keys_a_handle_turns_evenly_the_short_way),
        cmocka_unit_test(a_clip_that_does_not_loop_stays_at_its_ends),
        cmocka_unit_test(a_clip_that_loops_begins_again_without_a_seam),
        cmocka_unit_test(blends_begin_and_end_bit_for_bit),
        cmocka_unit_test(limbs_keep_their_length_in_a_blend),
        cmocka_unit_test(a_rigid_motion_carries_clips_and_blends_along),
        cmocka_unit_test(a_handle_that_shrinks_to_nothing_is_no_trouble),
        cmocka_unit_test(posing_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
