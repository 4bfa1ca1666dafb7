// example_moves.c: poses from handles that the artist dragged and turned.
//
// Points that are given constrain the shape (posing.h); a handle whose rotation is given as well
// does so with arrows that span its frame. Where handles are scaled the shape wants to be larger,
// so that what follows makes room.
#include "wrought/example.h"

#include "../base/base.h"
#include "wrought/posing.h"

enum { ROUNDS = 400 }; // stops long before when nothing moves any more

int wr_rig_find_handle(const wr_rig *rig, const char *name, wr_error *error)
{
    if (!WRI_REQUIRE(error, rig, name)) {
        return -1;
    }
    for (int b = 0; b < rig->handle_count; b++) {
        if (rig->handles[b].name && strcmp(rig->handles[b].name, name) == 0) {
            return b;
        }
    }
    const char **names = wri_alloc(NULL, (size_t)rig->handle_count, sizeof *names);
    for (int b = 0; names && b < rig->handle_count; b++) {
        names[b] = rig->handles[b].name;
    }
    char text[120];
    wri_fail(error, WR_E_ARGUMENT, "there is no handle \"%.80s\"%s", name,
             wri_suggest_word(text, sizeof text, name, names, names ? rig->handle_count : 0));
    wri_free(NULL, names, (size_t)rig->handle_count, sizeof *names);
    return -1;
}

// --- constraints ------------------------------------------------------------------------------

typedef struct drag {
    const wr_rig *rig;
    const wr_handle_move **of; // per handle, NULL: not moved
    wr_vec3 *scales;
    wr_posing_constraint *constraints;
    wr_vec3 *targets;
    int constraint_count;
} drag;

static bool is_factor(float x)
{
    return x >= 0.01f && x <= 100.0f;
}

static bool check_moves(const wr_rig *rig, const wr_handle_move *moves, int count,
                        const wr_handle_move **of, wr_error *error)
{
    for (int i = 0; i < count; i++) {
        const wr_handle_move *m = &moves[i];
        wr_quat q = m->rotation;
        if (m->handle < 0 || m->handle >= rig->handle_count) {
            return wri_fail(error, WR_E_ARGUMENT, "moves[%d]: handle %d of %d", i, m->handle,
                            rig->handle_count);
        }
        const char *name = rig->handles[m->handle].name;
        if (of[m->handle]) {
            return wri_fail(error, WR_E_ARGUMENT, "handle \"%.100s\" is moved twice", name);
        }
        if (!wr_is_finite3(m->offset) ||
            (m->is_turned && !(fabsf(wr_quat_dot(q, q) - 1.0f) < 1e-3f))) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "handle \"%.100s\": offset not finite, or rotation not of unit length",
                            name);
        }
        bool leaves = m->offset.z != 0.0f || (m->is_turned && fabsf(q.x) + fabsf(q.y) > 1e-6f);
        if (rig->dimension == 2 && leaves) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "handle \"%.100s\": leaves the plane; move it along x and y and turn "
                            "it about z",
                            name);
        }
        if (m->is_scaled &&
            (rig->dimension != 2 || !is_factor(m->scale.x) || !is_factor(m->scale.y))) {
            return wri_fail(
                error, WR_E_ARGUMENT,
                "handle \"%.100s\": scaled by %g %g, expected 0.01 to 100 in a flat rig", name,
                (double)m->scale.x, (double)m->scale.y);
        }
        of[m->handle] = m;
    }
    return true;
}

static void add_constraint(drag *d, int handle, bool is_arrow, wr_vec3 from, wr_vec3 to)
{
    d->constraints[d->constraint_count] = (wr_posing_constraint){handle, from, is_arrow};
    d->targets[d->constraint_count++] = to;
}

static void constrain(drag *d, int handle, bool follow, float reach)
{
    const wr_handle_move *move = d->of[handle];
    wr_vec3 s = wr_v3(1, 1, 1);
    if (move && move->is_scaled) {
        s = wr_v3(move->scale.x, move->scale.y, 1.0f);
    }
    d->scales[handle] = s;
    if (move ? !move->is_free : !follow) {
        wr_vec3 pivot = d->rig->handles[handle].pivot;
        add_constraint(d, handle, false, pivot, move ? wr_add(pivot, move->offset) : pivot);
    }
    for (int i = 0; move && move->is_turned && i < d->rig->dimension; i++) {
        wr_vec3 arm = wr_v3(i == 0 ? reach : 0, i == 1 ? reach : 0, i == 2 ? reach : 0);
        wr_vec3 to = wr_v3(arm.x * s.x, arm.y * s.y, arm.z * s.z);
        add_constraint(d, handle, true, arm, wr_rotate(wr_quat_normalize(move->rotation), to));
    }
}

static float arm_length(const wr_rig *rig)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < rig->vertex_count; i++) {
        box = wr_box_add(box, rig->rest[i]);
    }
    float size = wr_distance(box.min, box.max);
    return size > 0.0f ? 0.1f * size : 1.0f;
}

// --- solving ----------------------------------------------------------------------------------

static bool solve(const drag *d, wr_handle_pose *poses, wr_error *error)
{
    wr_posing_desc desc = wr_posing_desc_default();
    desc.rig = d->rig;
    wr_posing *posing = wr_posing_create(&desc, error);
    bool ok =
        posing && wr_posing_set_constraints(posing, d->constraints, d->constraint_count, error);
    if (ok) {
        wr_posing_set_scales(posing, d->scales);
        wr_posing_solve(posing, d->targets, ROUNDS);
        wr_posing_read_poses(posing, poses);
    }
    wr_posing_destroy(posing);
    return ok;
}

// Restores what was given, to the last bit.
static void keep_given(const drag *d, bool follow, wr_handle_pose *poses)
{
    for (int b = 0; b < d->rig->handle_count; b++) {
        const wr_handle_move *move = d->of[b];
        if (move ? !move->is_free : !follow) {
            poses[b].offset = move ? move->offset : wr_v3(0, 0, 0);
        }
        if (move && move->is_turned) {
            poses[b].rotation = move->rotation;
        }
        if (move && move->is_scaled) {
            poses[b].stretch[0] = move->scale.x;
            poses[b].stretch[1] = move->scale.y;
        }
    }
}

bool wr_example_from_moves(const wr_rig *rig, const wr_handle_move *moves, int move_count,
                           bool follow, wr_handle_pose *poses, wr_error *error)
{
    if (!WRI_REQUIRE(error, rig, poses) || !WRI_REQUIRE_LIST(error, moves, move_count)) {
        return false;
    }
    wri_arena arena = wri_arena_create(NULL);
    size_t handles = (size_t)(rig->handle_count > 0 ? rig->handle_count : 0);
    drag d = {.rig = rig,
              .of = wri_arena_alloc(&arena, handles, sizeof *d.of),
              .constraints = wri_arena_alloc(&arena, 4 * handles, sizeof *d.constraints),
              .targets = wri_arena_alloc(&arena, 4 * handles, sizeof *d.targets),
              .scales = wri_arena_alloc(&arena, handles, sizeof *d.scales)};
    bool ok =
        (d.of && d.constraints && d.targets && d.scales) || wri_fail_memory(error, arena.total);
    ok = ok && check_moves(rig, moves, move_count, d.of, error);
    float reach = ok ? arm_length(rig) : 0.0f;
    for (int b = 0; ok && b < rig->handle_count; b++) {
        poses[b] = (wr_handle_pose){.rotation = WR_QUAT_IDENTITY, .stretch = {1, 1, 1}};
        constrain(&d, b, follow, reach);
    }
    if (ok && move_count > 0) {
        ok = solve(&d, poses, error);
        if (ok) {
            keep_given(&d, follow, poses);
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}
