// The outline that the plane z = 0 cuts out of a rigid shape, against points: which of them lie in
// the shape is asked of the shape itself.
#include "check.h"

#include "../src/world/sprite_cut.h"

// --- shapes -----------------------------------------------------------------------------------

enum { CORNERS = 7 };

// An uneven hull, nowhere symmetric about its origin.
static const wr_vec3 corners[CORNERS] = {
    {-0.5f, -0.4f, -0.3f}, {0.7f, -0.5f, -0.2f}, {0.1f, 0.8f, -0.4f}, {-0.3f, -0.2f, 0.9f},
    {0.6f, 0.3f, 0.5f},    {-0.6f, 0.4f, 0.2f},  {0.2f, -0.7f, 0.4f}};
static const wr_piece pieces[1] = {{corners, CORNERS}};

static const wr_shape shapes[] = {
    {.kind = WR_SHAPE_BOX, .size = {1.4f, 0.6f, 0.9f}},
    {.kind = WR_SHAPE_SPHERE, .size = {0.7f, 0.0f, 0.0f}},
    {.kind = WR_SHAPE_CAPSULE, .size = {0.3f, 1.1f, 0.0f}},
    {.kind = WR_SHAPE_CYLINDER, .size = {0.5f, 1.2f, 0.0f}},
    {.kind = WR_SHAPE_HULLS, .pieces = pieces, .piece_count = 1},
};

// True when some plane through three corners has p on one side and all corners on the other.
static bool is_outside_hull(wr_vec3 p)
{
    for (int i = 0; i < CORNERS * CORNERS * CORNERS; i++) {
        int a = i % CORNERS, b = i / CORNERS % CORNERS, c = i / (CORNERS * CORNERS);
        wr_vec3 n = wr_cross(wr_sub(corners[b], corners[a]), wr_sub(corners[c], corners[a]));
        float most = -INFINITY;
        for (int k = 0; k < CORNERS; k++) {
            most = fmaxf(most, wr_dot(n, wr_sub(corners[k], corners[a])));
        }
        if (a != b && b != c && c != a && most <= 1e-6f &&
            wr_dot(n, wr_sub(p, corners[a])) > 1e-6f) {
            return true;
        }
    }
    return false;
}

static bool is_inside(const wr_shape *shape, wr_vec3 p)
{
    wr_vec3 s = shape->size;
    float along = wr_clampf(p.y, -0.5f * s.y, 0.5f * s.y);
    switch (shape->kind) {
    case WR_SHAPE_BOX:
        return fabsf(p.x) < 0.5f * s.x && fabsf(p.y) < 0.5f * s.y && fabsf(p.z) < 0.5f * s.z;
    case WR_SHAPE_SPHERE:
        return wr_length(p) < s.x;
    case WR_SHAPE_CAPSULE:
        return wr_length(wr_sub(p, wr_v3(0.0f, along, 0.0f))) < s.x;
    case WR_SHAPE_CYLINDER:
        return p.y == along && p.x * p.x + p.z * p.z < s.x * s.x;
    default:
        return !is_outside_hull(p);
    }
}

static wr_pose random_pose(uint64_t *seed)
{
    wr_quat q = {random_float(seed, -1, 1), random_float(seed, -1, 1), random_float(seed, -1, 1),
                 random_float(seed, -1, 1)};
    wr_vec3 at = {random_float(seed, -9, 9), random_float(seed, -9, 9),
                  random_float(seed, -0.4f, 0.4f)};
    return (wr_pose){at, wr_quat_normalize(q)};
}

// --- outlines ---------------------------------------------------------------------------------

// Twice the signed distance of the nearest side times its length: below 0 outside.
static float depth_in(const wri_array *outline, wr_vec2 p)
{
    float least = INFINITY;
    for (int i = 0; i < outline->count; i++) {
        wr_vec2 a = WRI_ITEM(*outline, wr_vec2, i);
        wr_vec2 b = WRI_ITEM(*outline, wr_vec2, (i + 1) % outline->count);
        float x = b.x - a.x, y = b.y - a.y;
        least = fminf(least, (x * (p.y - a.y) - y * (p.x - a.x)) / hypotf(x, y));
    }
    return outline->count ? least : -INFINITY;
}

static void an_outline_holds_what_of_the_plane_is_in_the_shape(void **state)
{
    (void)state;
    uint64_t seed = 5;
    wri_array outline = wri_array_create(NULL, sizeof(wr_vec2));
    for (int i = 0; i < 40 * WRI_COUNT(shapes); i++) {
        const wr_shape *shape = &shapes[i % WRI_COUNT(shapes)];
        wr_pose pose = random_pose(&seed);
        const float slack = 4e-3f; // of what is round between its corners
        assert_true(wri_cut_piece(shape, 0, pose, &outline));
        assert_true(outline.count <= wri_cut_most_corners(shape, 0));
        for (int k = 0; k < 200; k++) {
            wr_vec2 p = {random_float(&seed, -1.1f, 1.1f), random_float(&seed, -1.1f, 1.1f)};
            wr_vec3 in_plane = {p.x + pose.position.x, p.y + pose.position.y, 0.0f};
            bool inside = is_inside(shape, wr_pose_local(pose, in_plane));
            float depth = depth_in(&outline, p);
            if (inside ? depth < -slack : depth > slack) {
                fail_msg("shape %d: (%g, %g) is %g m inside", (int)shape->kind, (double)p.x,
                         (double)p.y, (double)depth);
            }
        }
    }
    wri_array_destroy(&outline);
}

static void a_size_reaches_the_farthest_point(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int i = 0; i < WRI_COUNT(shapes); i++) {
        float size = wri_cut_size(&shapes[i]), farthest = 0.0f;
        for (int k = 0; k < 40000; k++) {
            wr_vec3 p = {random_float(&seed, -1.1f, 1.1f), random_float(&seed, -1.1f, 1.1f),
                         random_float(&seed, -1.1f, 1.1f)};
            if (wr_length(p) > farthest && is_inside(&shapes[i], p)) {
                farthest = wr_length(p);
            }
        }
        assert_true(farthest <= size && farthest > 0.85f * size);
    }
}

// --- planes and turns -------------------------------------------------------------------------

static void a_leaning_plane_cuts_along_its_own_points(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 100; i++) {
        wr_pose pose = random_pose(&seed);
        wr_vec2 at;
        float angle;
        wr_vec3 n = wr_rotate(pose.rotation, wr_v3(0.0f, 1.0f, 0.0f));
        if (hypotf(n.x, n.y) < 0.2f) {
            continue;
        }
        assert_true(wri_cut_plane(pose, &at, &angle));
        for (int k = -2; k <= 2; k++) { // along the line, and 0.1 above and below it
            wr_vec3 on = {at.x + (float)k * cosf(angle), at.y + (float)k * sinf(angle), 0.0f};
            wr_vec3 above = {on.x - 0.1f * sinf(angle), on.y + 0.1f * cosf(angle), 0.0f};
            CHECK_NEAR(wr_dot(n, wr_sub(on, pose.position)), 0.0, 2e-5);
            assert_true(wr_dot(n, wr_sub(above, pose.position)) > 0.0f);
        }
    }
}

// What lies flat on the plane and turns about z has turned by that, however it lay before.
static void a_turn_about_z_is_found_whatever_was_before(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 100; i++) {
        wr_quat start = random_pose(&seed).rotation;
        float turn = random_float(&seed, -3.0f, 3.0f);
        wr_quat about_z = wr_quat_from_axis_angle(wr_v3(0.0f, 0.0f, 1.0f), turn);
        float found = wri_cut_turn(start, wr_quat_multiply(about_z, start));
        CHECK_NEAR(remainder((double)(found - turn), 2.0 * 3.14159265358979), 0.0, 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_outline_holds_what_of_the_plane_is_in_the_shape),
        cmocka_unit_test(a_size_reaches_the_farthest_point),
        cmocka_unit_test(a_leaning_plane_cuts_along_its_own_points),
        cmocka_unit_test(a_turn_about_z_is_found_whatever_was_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
