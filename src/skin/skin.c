// skin.c: making a skin from a rig: checks, the copies of poses, what is in it.
#include "skin.h"

#include "../math/decompose.h"

static const uint32_t COOKIE = 0x534b494e;

wr_skin_desc wr_skin_desc_default(void)
{
    return (wr_skin_desc){.least_weight = 1e-3f, .cookie = COOKIE};
}

wr_handle_pose wr_handle_pose_from_affine(wr_mat34 map, wr_vec3 pivot)
{
    double a[3][3], r[3][3], t[3][3];
    for (int i = 0; i < 9; i++) {
        a[i / 3][i % 3] = (double)map.m[i / 3][i % 3];
    }
    wri_polar3d(a, r, t);
    wr_handle_pose pose = {
        .rotation = wri_quat_from_rotation(r),
        .offset = wr_sub(wr_mat34_apply(map, pivot), pivot),
        .stretch = {(float)t[0][0], (float)t[1][1], (float)t[2][2], (float)t[0][1], (float)t[0][2],
                    (float)t[1][2]},
    };
    return pose;
}

// --- checks -----------------------------------------------------------------------------------

static bool check_counts(const wr_rig *rig, wr_error *error)
{
    if (rig->dimension != 2 && rig->dimension != 3) {
        return wri_fail(error, WR_E_ARGUMENT, "dimension: %d, not 2 or 3", rig->dimension);
    }
    if (rig->vertex_count < 1 || rig->vertex_count > INT32_MAX - WRI_LANES) {
        return wri_fail(error, WR_E_ARGUMENT, "vertex_count: %d, need at least 1",
                        rig->vertex_count);
    }
    if (rig->handle_count > 1 << 20) {
        return wri_fail(error, WR_E_ARGUMENT, "handle_count: %d, at most %d", rig->handle_count,
                        1 << 20);
    }
    if (rig->handle_count < 0 || rig->element_count < 0 || rig->ride_count < 0) {
        return wri_fail(error, WR_E_ARGUMENT, "handle_count, element_count or ride_count: below 0");
    }
    if (rig->example_count < 1 || rig->example_count > WR_SKIN_EXAMPLES_MAX) {
        return wri_fail(error, WR_E_ARGUMENT, "example_count: %d, not in [1, %d]",
                        rig->example_count, WR_SKIN_EXAMPLES_MAX);
    }
    return WRI_REQUIRE(error, rig->rest, rig->examples) &&
           WRI_REQUIRE_LIST(error, rig->handles, rig->handle_count) &&
           WRI_REQUIRE_LIST(error, rig->weights, rig->handle_count) &&
           WRI_REQUIRE_LIST(error, rig->elements, rig->element_count) &&
           WRI_REQUIRE_LIST(error, rig->rides, rig->ride_count);
}

static bool check_vertices(const wr_rig *rig, wr_error *error)
{
    for (int i = 0; i < rig->vertex_count; i++) {
        if (!wr_is_finite3(rig->rest[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "rest[%d]: not finite", i);
        }
        const float *row = &rig->weights[(size_t)i * (size_t)rig->handle_count];
        for (int b = 0; b < rig->handle_count; b++) {
            if (!(fabsf(row[b]) <= 1e3f)) { // rows sum to 1
                return wri_fail(error, WR_E_ARGUMENT, "weights: vertex %d has %g for handle %d", i,
                                (double)row[b], b);
            }
        }
    }
    return true;
}

static bool check_elements(const wr_rig *rig, wr_error *error)
{
    int corners = rig->dimension + 1;
    for (int t = 0; t < rig->element_count; t++) {
        for (int k = 0; k < corners; k++) {
            int v = rig->elements[(size_t)t * (size_t)corners + (size_t)k];
            if (v < 0 || v >= rig->vertex_count) {
                return wri_fail(error, WR_E_ARGUMENT, "elements[%d]: vertex %d of %d", t, v,
                                rig->vertex_count);
            }
        }
    }
    for (int i = 0; i < rig->ride_count; i++) {
        const wr_ride *r = &rig->rides[i];
        if (r->element < 0 || r->element >= rig->element_count) {
            return wri_fail(error, WR_E_ARGUMENT, "rides[%d]: element %d of %d", i, r->element,
                            rig->element_count);
        }
        for (int k = 0; k < 4; k++) {
            if (!isfinite(r->weights[k])) {
                return wri_fail(error, WR_E_ARGUMENT, "rides[%d]: weight not finite", i);
            }
        }
    }
    return true;
}

static bool is_stretched(const wr_handle_pose *pose)
{
    static const float none[6] = {1, 1, 1, 0, 0, 0};
    for (int k = 0; k < 6; k++) {
        if (pose->stretch[k] != none[k]) {
            return true;
        }
    }
    return false;
}

static bool is_turned(const wr_handle_pose *pose)
{
    wr_quat q = pose->rotation;
    return q.x != 0.0f || q.y != 0.0f || q.z != 0.0f;
}

static bool check_pose(const wr_handle_pose *pose, int e, int b, wr_error *error)
{
    float length = wr_quat_dot(pose->rotation, pose->rotation), sum = 0.0f;
    for (int k = 0; k < 6; k++) {
        sum += pose->stretch[k];
    }
    if (!(fabsf(length - 1.0f) < 1e-3f) || !wr_is_finite3(pose->offset) || !isfinite(sum)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "examples[%d]: handle %d: rotation not of unit length, or not finite", e,
                        b);
    }
    wr_quat q = pose->rotation;
    float turn = fabsf(q.x) + fabsf(q.y) + fabsf(q.z);
    float offset = fabsf(pose->offset.x) + fabsf(pose->offset.y) + fabsf(pose->offset.z);
    if (e == 0 && (turn > 1e-6f || offset > 0.0f || is_stretched(pose))) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "examples[0]: must be the rest shape, but handle %d is moved", b);
    }
    return true;
}

static bool check_examples(const wr_rig *rig, wr_error *error)
{
    for (int b = 0; b < rig->handle_count; b++) {
        if (!wr_is_finite3(rig->handles[b].pivot)) {
            return wri_fail(error, WR_E_ARGUMENT, "handles[%d]: pivot not finite", b);
        }
    }
    for (int e = 0; e < rig->example_count; e++) {
        const wr_example *example = &rig->examples[e];
        for (int b = 0; b < rig->handle_count; b++) {
            if (!check_pose(&example->poses[b], e, b, error)) {
                return false;
            }
        }
        if (e == 0 && (example->correctives || example->details)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "examples[0]: must be the rest shape, but has correctives or details");
        }
        for (int i = 0; example->correctives && i < rig->vertex_count; i++) {
            if (!wr_is_finite3(example->correctives[i])) {
                return wri_fail(error, WR_E_ARGUMENT,
                                "examples[%d]: corrective of vertex %d not finite", e, i);
            }
        }
        for (int i = 0; example->details && i < rig->ride_count; i++) {
            if (!wr_is_finite3(example->details[i])) {
                return wri_fail(error, WR_E_ARGUMENT, "examples[%d]: detail of ride %d not finite",
                                e, i);
            }
        }
    }
    return true;
}

bool wri_rig_check(const wr_rig *rig, wr_error *error)
{
    return check_counts(rig, error) && check_vertices(rig, error) && check_elements(rig, error) &&
           check_examples(rig, error);
}

static bool check_desc(const wr_skin_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_skin_desc, desc, COOKIE)) {
        return false;
    }
    if (!(desc->least_weight >= 0.0f && desc->least_weight < 1.0f)) {
        return wri_fail(error, WR_E_ARGUMENT, "least_weight: %g not in [0, 1)",
                        (double)desc->least_weight);
    }
    return true;
}

// --- handles and their poses ------------------------------------------------------------------

// Unit length, in the hemisphere of the rest quaternion; the rest itself exactly the identity.
static wr_handle_pose tidy_pose(wr_handle_pose pose, int example)
{
    wr_quat q = wr_quat_normalize(pose.rotation);
    float side = q.w < 0.0f ? -1.0f : 1.0f;
    q = (wr_quat){side * q.x, side * q.y, side * q.z, side * q.w};
    pose.rotation = example == 0 ? WR_QUAT_IDENTITY : q;
    return pose;
}

static wri_lanes spread(float x)
{
    return (wri_lanes){x, x, x, x};
}

static int count_turns(const wr_skin *skin, int b, bool *turning)
{
    int turns = 0;
    *turning = false;
    for (int e = 1; e < skin->info.example_count; e++) {
        const wr_handle_pose *pose = &skin->poses[e * skin->info.handle_count + b];
        turns += is_turned(pose);
        *turning |= is_turned(pose) || is_stretched(pose);
    }
    return turns;
}

static void add_turns(wr_skin *skin, wri_turning_handle *handle)
{
    handle->turn_begin = skin->turn_count;
    for (int e = 1; e < skin->info.example_count; e++) {
        const wr_handle_pose *pose = &skin->poses[e * skin->info.handle_count + handle->index];
        if (is_turned(pose)) {
            wr_quat q = pose->rotation;
            skin->turn_examples[skin->turn_count] = e;
            skin->turns[skin->turn_count++] =
                (wri_turn){spread(q.x), spread(q.y), spread(q.z), spread(q.w - 1.0f)};
        }
    }
    handle->turn_count = skin->turn_count - handle->turn_begin;
}

static bool pack_handles(wr_skin *skin, const wr_rig *rig)
{
    int B = rig->handle_count, E = rig->example_count, turns = 0, turning = 0;
    skin->pivots = wri_arena_alloc(&skin->arena, (size_t)B, sizeof *skin->pivots);
    skin->poses = wri_arena_alloc(&skin->arena, (size_t)B * (size_t)E, sizeof *skin->poses);
    if (!skin->pivots || !skin->poses) {
        return false;
    }
    for (int i = 0; i < B * E; i++) {
        skin->poses[i] = tidy_pose(rig->examples[i / B].poses[i % B], i / B);
    }
    bool turns_here;
    for (int b = 0; b < B; b++) {
        skin->pivots[b] = rig->handles[b].pivot;
        turns += count_turns(skin, b, &turns_here);
        turning += turns_here;
    }
    skin->info.turning_count = turning;
    skin->turning = wri_arena_alloc(&skin->arena, (size_t)turning, sizeof *skin->turning);
    skin->turns = wri_arena_alloc(&skin->arena, (size_t)turns, sizeof *skin->turns);
    skin->turn_examples = wri_arena_alloc(&skin->arena, (size_t)turns, sizeof(int));
    if (!skin->turning || !skin->turns || !skin->turn_examples) {
        return false;
    }
    for (int b = 0, t = 0; b < B; b++) {
        count_turns(skin, b, &turns_here);
        if (turns_here) {
            wri_turning_handle *handle = &skin->turning[t++];
            wr_vec3 c = skin->pivots[b];
            *handle = (wri_turning_handle){{spread(c.x), spread(c.y), spread(c.z)}, b, 0, 0};
            add_turns(skin, handle);
        }
    }
    return true;
}

// --- create -----------------------------------------------------------------------------------

wr_skin *wr_skin_create(const wr_rig *rig, const wr_skin_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE(error, rig)) {
        return NULL;
    }
    if (!check_desc(desc, error) || !wri_rig_check(rig, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(desc->allocator);
    wri_arena temporary = wri_arena_create(desc->allocator);
    wr_skin *skin = wri_arena_alloc(&arena, 1, sizeof *skin);
    if (!skin) {
        wri_fail_memory(error, sizeof *skin);
        return NULL;
    }
    skin->arena = arena;
    skin->info = (wr_skin_info){.vertex_count = rig->vertex_count,
                                .handle_count = rig->handle_count,
                                .example_count = rig->example_count,
                                .ride_count = rig->ride_count};
    bool ok = pack_handles(skin, rig) && wri_skin_pack(skin, rig, desc->least_weight, &temporary) &&
              wri_skin_pack_rides(skin, rig, &temporary);
    if (!ok) {
        wri_fail_memory(error, skin->arena.total + temporary.total);
        wr_skin_destroy(skin);
        skin = NULL;
    }
    wri_arena_destroy(&temporary);
    return skin;
}

void wr_skin_destroy(wr_skin *skin)
{
    if (skin) {
        wri_arena arena = skin->arena;
        wri_arena_destroy(&arena);
    }
}

wr_skin_info wr_skin_describe(const wr_skin *skin)
{
    return skin->info;
}

const int *wr_skin_order(const wr_skin *skin)
{
    return skin->order;
}
