// test_sprite_manifold.c: the pose manifold of a drawing: what its points look like, moves and ways
// through it, finding the point a shape looks like, and what hits, rest and speed wish.
#include "blob.h"

#include "../src/sprite/sprite.h"

static blob sheet;
static wr_sprite_asset *asset;

static int setup(void **state)
{
    (void)state;
    wr_error error = {0};
    blob_make(&sheet);
    wr_sprite_asset_desc desc = blob_desc(&sheet);
    asset = wr_sprite_asset_create(&desc, &error);
    if (!asset) {
        print_error("%s\n", error.message);
    }
    return asset ? 0 : 1;
}

static int teardown(void **state)
{
    (void)state;
    wr_sprite_asset_destroy(asset);
    return 0;
}

static wr_sprite_point place(int simplex, float a, float b, float c)
{
    return (wr_sprite_point){simplex, {a, b, c}};
}

// Anywhere in a simplex with at least two corners.
static wr_sprite_point random_point(uint64_t *seed)
{
    int simplex = (int)(random_bits(seed) % 5);
    float a = random_float(seed, 0, 1), b = random_float(seed, 0, 1);
    if (BLOB_SIMPLICES[simplex].corner_count == 2) {
        return place(simplex, 1 - a, a, 0);
    }
    return a + b > 1 ? place(simplex, a + b - 1, 1 - a, 1 - b) : place(simplex, 1 - a - b, a, b);
}

static void check_point(wr_sprite_point point)
{
    assert_true(wri_sprite_is_point(asset, point));
}

// --- shapes -----------------------------------------------------------------------------------

// skin.h's formula for one blend of the whole body, with doubles and the C library's functions.
static void pose_by_formula(const double *blend, double *x, double *y)
{
    for (int i = 0; i < BLOB_N; i++) {
        double ux = sheet.rest[i].x, uy = sheet.rest[i].y, sx = 0, sy = 0;
        for (int h = 0; h < BLOB_B; h++) {
            double w = sheet.weights[i * BLOB_B + h];
            double turn = 0, s[3] = {0}, d[2] = {0};
            for (int e = 0; e < BLOB_E; e++) {
                const wr_handle_pose *p = &sheet.poses[e][h];
                turn += blend[e] * 2 * atan2(p->rotation.z, p->rotation.w);
                s[0] += blend[e] * p->stretch[0];
                s[1] += blend[e] * p->stretch[1];
                s[2] += blend[e] * p->stretch[3];
                d[0] += blend[e] * p->offset.x;
                d[1] += blend[e] * p->offset.y;
            }
            double px = ux - sheet.handles[h].pivot.x, py = uy - sheet.handles[h].pivot.y;
            double qx = s[0] * px + s[2] * py, qy = s[2] * px + s[1] * py;
            sx += w * (cos(turn) * qx - sin(turn) * qy + sheet.handles[h].pivot.x + d[0]);
            sy += w * (sin(turn) * qx + cos(turn) * qy + sheet.handles[h].pivot.y + d[1]);
        }
        x[i] = sx + blend[TALL] * sheet.correctives[i].x;
        y[i] = sy + blend[TALL] * sheet.correctives[i].y;
    }
}

static void the_corners_are_the_examples(void **state)
{
    (void)state;
    for (int e = 0; e < BLOB_E; e++) {
        double blend[BLOB_E] = {0}, x[BLOB_N], y[BLOB_N];
        wr_vec2 shape[BLOB_N];
        blend[e] = 1;
        pose_by_formula(blend, x, y);
        wr_sprite_asset_shape(asset, wr_sprite_asset_example_point(asset, e), shape);
        for (int i = 0; i < BLOB_N; i++) {
            CHECK_NEAR(shape[i].x, x[i], 2e-6);
            CHECK_NEAR(shape[i].y, y[i], 2e-6);
        }
    }
}

static void between_them_it_looks_as_the_skin_blends(void **state)
{
    (void)state;
    uint64_t seed = 11;
    wr_skin_desc desc = wr_skin_desc_default();
    desc.least_weight = 0.0f;
    wr_skin *skin = wr_skin_create(&sheet.rig, &desc, NULL);
    assert_non_null(skin);
    for (int k = 0; k < 100; k++) {
        wr_sprite_point m = k ? random_point(&seed) : place(2, 0.5f, 0.5f, 0);
        float blend[BLOB_E], x[BLOB_N], y[BLOB_N];
        wr_mat34 maps[BLOB_B];
        wr_vec3 expected[BLOB_N];
        wr_sprite_asset_blend(asset, m, blend);
        wr_skin_blend(skin, blend, NULL, maps, expected);
        wri_sprite_shape(asset, m, x, y);
        for (int i = 0; i < BLOB_N; i++) {
            CHECK_NEAR(x[i], expected[i].x, 1e-6);
            CHECK_NEAR(y[i], expected[i].y, 1e-6);
        }
    }
    wr_skin_destroy(skin);
}

static void scale_makes_everything_larger(void **state)
{
    (void)state;
    uint64_t seed = 12;
    wr_sprite_asset_desc desc = blob_desc(&sheet);
    desc.scale = 3.0f;
    wr_sprite_asset *large = wr_sprite_asset_create(&desc, NULL);
    for (int k = 0; k < 10; k++) {
        wr_sprite_point m = random_point(&seed);
        wr_vec2 small_shape[BLOB_N], large_shape[BLOB_N];
        wr_sprite_asset_shape(asset, m, small_shape);
        wr_sprite_asset_shape(large, m, large_shape);
        for (int i = 0; i < BLOB_N; i++) {
            CHECK_NEAR(large_shape[i].x, 3.0 * (double)small_shape[i].x, 6e-6);
            CHECK_NEAR(large_shape[i].y, 3.0 * (double)small_shape[i].y, 6e-6);
        }
    }
    wr_sprite_asset_info a = wr_sprite_asset_describe(asset), b = wr_sprite_asset_describe(large);
    CHECK_NEAR(b.mass, 9.0 * (double)a.mass, 1e-4);
    CHECK_NEAR(b.size, 3.0 * 1.4, 1e-5);
    wr_sprite_asset_destroy(large);
}

// 170 degrees one way and 170 the other are 20 degrees apart, by the far side.
static void a_wide_spin_goes_the_short_way(void **state)
{
    (void)state;
    static blob b;
    blob_make(&b);
    float most = 170.0f * 3.14159265f / 180.0f;
    for (int h = 0; h < BLOB_B; h++) {
        b.poses[BENT][h] = flat_pose(most, 0, 0, 1, 1, 0);
        b.poses[LONG][h] = flat_pose(-most, 0, 0, 1, 1, 0);
        b.poses[BACK][h] = flat_pose(3.1415926f, 0, 0, 1, 1, 0); // half a turn
    }
    static const wr_simplex edges[2] = {{2, {BENT, LONG}}, {2, {REST, BACK}}};
    wr_sprite_asset_desc desc = blob_desc(&b);
    desc.simplices = edges;
    desc.simplex_count = 2;
    wr_sprite_asset *spun = wr_sprite_asset_create(&desc, NULL);
    wr_vec2 x[BLOB_N];
    wr_sprite_asset_shape(spun, place(0, 0.5f, 0.5f, 0), x);
    for (int i = 0; i < BLOB_N; i++) { // half a turn about every pivot
        double px = 0, py = 0;
        for (int h = 0; h < BLOB_B; h++) {
            px += (double)b.weights[i * BLOB_B + h] * (double)b.handles[h].pivot.x;
            py += (double)b.weights[i * BLOB_B + h] * (double)b.handles[h].pivot.y;
        }
        CHECK_NEAR(x[i].x, 2 * px - (double)b.rest[i].x, 1e-5);
        CHECK_NEAR(x[i].y, 2 * py - (double)b.rest[i].y, 1e-5);
    }
    wr_sprite_asset_shape(spun, place(1, 0.5f, 0.5f, 0), x); // a quarter, the way it was drawn
    wr_skin_desc skin_desc = wr_skin_desc_default();
    skin_desc.least_weight = 0.0f;
    wr_skin *skin = wr_skin_create(&b.rig, &skin_desc, NULL);
    float blend[BLOB_E] = {0};
    blend[REST] = blend[BACK] = 0.5f;
    wr_mat34 maps[BLOB_B];
    wr_vec3 expected[BLOB_N];
    wr_skin_blend(skin, blend, NULL, maps, expected);
    for (int i = 0; i < BLOB_N; i++) {
        CHECK_NEAR(x[i].x, expected[i].x, 1e-5);
        CHECK_NEAR(x[i].y, expected[i].y, 1e-5);
    }
    wr_skin_destroy(skin);
    wr_sprite_asset_destroy(spun);
}

// A handle that is mirrored has its rotation about an axis in the plane.
static void mirrored_handles_stay_in_the_plane(void **state)
{
    (void)state;
    static blob b;
    blob_make(&b);
    for (int h = 0; h < BLOB_B; h++) {
        wr_mat34 map = {{{-2.0f, 0.4f, 0, 0}, {0.1f, 1.5f, 0, 0}, {0, 0, 1, 0}}};
        b.poses[BENT][h] = wr_handle_pose_from_affine(map, b.handles[h].pivot);
    }
    wr_sprite_asset_desc desc = blob_desc(&b);
    wr_sprite_asset *mirrored = wr_sprite_asset_create(&desc, NULL);
    assert_non_null(mirrored);
    wr_vec2 x[BLOB_N];
    wr_sprite_asset_shape(mirrored, wr_sprite_asset_example_point(mirrored, BENT), x);
    for (int i = 0; i < BLOB_N; i++) {
        double ux = b.rest[i].x, uy = b.rest[i].y;
        CHECK_NEAR(x[i].x, -2.0 * ux + 0.4 * uy, 1e-5);
        CHECK_NEAR(x[i].y, 0.1 * ux + 1.5 * uy, 1e-5);
    }
    wr_sprite_asset_destroy(mirrored);
}

// How the shape changes with the share of a corner, shares taken as free numbers.
static void find_slope(wr_sprite_point point, int corner, float *dx, float *dy)
{
    wri_pose_field fields[2];
    wri_shares direction = {0};
    direction[corner] = 1.0f;
    wri_sprite_pose_fields(asset, point, &direction, 1, fields);
    for (int g = 0; g < asset->particles.quad_count; g++) {
        wri_lanes p[2];
        wri_sprite_pose_quad(&asset->particles, g, &asset->simplices[point.simplex], &fields[1], p);
        for (int k = 0; k < WRI_LANES && WRI_LANES * g + k < BLOB_N; k++) {
            dx[WRI_LANES * g + k] = p[0][k];
            dy[WRI_LANES * g + k] = p[1][k];
        }
    }
}

static void derivatives_are_the_slopes(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int k = 0; k < 30; k++) {
        wr_sprite_point m = random_point(&seed);
        const wr_simplex *simplex = &BLOB_SIMPLICES[m.simplex];
        for (int c = 0; c < simplex->corner_count; c++) {
            static double xs[2][BLOB_N], ys[2][BLOB_N];
            float dx[BLOB_N], dy[BLOB_N];
            for (int side = 0; side < 2; side++) {
                double blend[BLOB_E] = {0};
                for (int j = 0; j < simplex->corner_count; j++) {
                    blend[simplex->corners[j]] = m.shares[j];
                }
                blend[simplex->corners[c]] += side ? 1e-4 : -1e-4;
                pose_by_formula(blend, xs[side], ys[side]);
            }
            find_slope(m, c, dx, dy);
            for (int i = 0; i < BLOB_N; i++) {
                CHECK_NEAR(dx[i], (xs[1][i] - xs[0][i]) / 2e-4, 1e-4);
                CHECK_NEAR(dy[i], (ys[1][i] - ys[0][i]) / 2e-4, 1e-4);
            }
        }
    }
}

// --- projection -------------------------------------------------------------------------------

typedef struct shown {
    float x[BLOB_N], y[BLOB_N];
} shown;

// R(angle) M shape(m) + somewhere, with noise.
static shown show(wr_sprite_point m, float angle, bool mirrored, float noise, uint64_t *seed)
{
    shown s;
    float x[BLOB_N], y[BLOB_N], tx = random_float(seed, -30, 30), ty = random_float(seed, -30, 30);
    wri_sprite_shape(asset, m, x, y);
    for (int i = 0; i < BLOB_N; i++) {
        float px = mirrored ? -x[i] : x[i];
        s.x[i] = cosf(angle) * px - sinf(angle) * y[i] + tx + random_float(seed, -noise, noise);
        s.y[i] = sinf(angle) * px + cosf(angle) * y[i] + ty + random_float(seed, -noise, noise);
    }
    return s;
}

static double turn_between(float a, float b)
{
    return fabs(remainder((double)a - (double)b, 2 * 3.14159265358979));
}

static void a_shape_is_found_from_a_thousand_starts(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int k = 0; k < 1000; k++) {
        wr_sprite_point m = random_point(&seed), from = random_point(&seed);
        bool mirrored = k % 2;
        float angle = random_float(&seed, -3.1f, 3.1f), found_angle;
        shown s = show(m, angle, mirrored, 0, &seed);
        wr_sprite_point found =
            wri_sprite_project(asset, s.x, s.y, mirrored, from, true, &found_angle);
        check_point(found);
        float off = wri_sprite_point_distance(asset, m, found);
        if (off > 1e-3f || turn_between(angle, found_angle) > 1e-3) {
            fail_msg("%d: simplex %d (%g %g %g) found as %d (%g %g %g), angle %g as %g", k,
                     m.simplex, (double)m.shares[0], (double)m.shares[1], (double)m.shares[2],
                     found.simplex, (double)found.shares[0], (double)found.shares[1],
                     (double)found.shares[2], (double)angle, (double)found_angle);
        }
    }
}

static void the_public_projection_finds_it_too(void **state)
{
    (void)state;
    uint64_t seed = 22;
    for (int k = 0; k < 50; k++) {
        wr_sprite_point m = random_point(&seed);
        shown s = show(m, random_float(&seed, -3, 3), false, 0, &seed);
        wr_vec2 x[BLOB_N];
        for (int i = 0; i < BLOB_N; i++) {
            x[i] = (wr_vec2){s.x[i], s.y[i]};
        }
        CHECK_NEAR(wri_sprite_point_distance(asset, wr_sprite_asset_project(asset, x), m), 0, 1e-3);
    }
}

// As in a step: it was there a moment ago, or round the corner.
static void the_neighbours_are_enough_for_what_was_near(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (int k = 0; k < 300; k++) {
        wr_sprite_point m = random_point(&seed), from = m;
        if (k % 3 == 0) { // from a corner of it, as a neighbour sees it
            int e = BLOB_SIMPLICES[m.simplex].corners[k % 2];
            from = wr_sprite_asset_example_point(asset, e);
        } else {
            wr_sprite_point other = random_point(&seed);
            from = wr_sprite_asset_walk(asset, m, other, 0.1f);
        }
        float angle, turn = random_float(&seed, -3, 3);
        shown s = show(m, turn, false, 0, &seed);
        wr_sprite_point found = wri_sprite_project(asset, s.x, s.y, false, from, false, &angle);
        CHECK_NEAR(wri_sprite_point_distance(asset, m, found), 0, 1e-3);
        CHECK_NEAR(turn_between(angle, turn), 0, 1e-3);
    }
}

// Noise of 1 % of the size moves the point by a few hundredths.
static void noise_moves_the_point_a_little(void **state)
{
    (void)state;
    uint64_t seed = 24;
    double sum = 0.0;
    for (int k = 0; k < 200; k++) {
        wr_sprite_point m = random_point(&seed);
        float angle, turn = random_float(&seed, -3, 3);
        shown s = show(m, turn, false, 0.014f, &seed);
        wr_sprite_point found = wri_sprite_project(asset, s.x, s.y, false, m, true, &angle);
        float off = wri_sprite_point_distance(asset, m, found);
        assert_true(off < 0.12f);
        assert_true(turn_between(angle, turn) < 0.06);
        sum += (double)off / 200;
    }
    assert_true(sum < 0.03);
}

// Nothing nearby fits better: the least of f over a fine grid of every simplex is no lower.
static void no_place_fits_better(void **state)
{
    (void)state;
    uint64_t seed = 25;
    for (int k = 0; k < 6; k++) {
        shown s = show(random_point(&seed), 0.4f, false, 0.25f, &seed); // far off the manifold
        float angle;
        wr_sprite_point found =
            wri_sprite_project(asset, s.x, s.y, false, random_point(&seed), true, &angle);
        double least = INFINITY, own = INFINITY;
        for (int g = -1; g < 5 * 41 * 41; g++) {
            int simplex = g < 0 ? found.simplex : g / (41 * 41);
            float a = (float)(g % 41) / 40, b = (float)(g / 41 % 41) / 40;
            wr_sprite_point m = place(simplex, 1 - a - b, a, b);
            if (g >= 0 && (a + b > 1 || (b > 0 && BLOB_SIMPLICES[simplex].corner_count == 2))) {
                continue;
            }
            float ex[BLOB_N], ey[BLOB_N];
            wri_sprite_shape(asset, g < 0 ? found : m, ex, ey);
            double xx = 0, ee = 0, cr = 0, ci = 0;
            for (int p = 0; p < asset->pair_count; p++) {
                int i = asset->pairs[2 * p], j = asset->pairs[2 * p + 1];
                double ax = ex[i] - ex[j], ay = ey[i] - ey[j];
                double bx = s.x[i] - s.x[j], by = s.y[i] - s.y[j];
                ee += ax * ax + ay * ay;
                xx += bx * bx + by * by;
                cr += ax * bx + ay * by;
                ci += ax * by - ay * bx;
            }
            double f = ee + xx - 2 * sqrt(cr * cr + ci * ci);
            *(g < 0 ? &own : &least) = fmin(g < 0 ? own : least, f);
        }
        assert_true(own <= least * 1.0001);
    }
}

static void what_is_no_shape_stays_where_it_was(void **state)
{
    (void)state;
    static shown s;
    float angle;
    wr_sprite_point from = place(0, 0.2f, 0.3f, 0.5f);
    check_point(wri_sprite_project(asset, s.x, s.y, false, from, true, &angle)); // all in one place
    assert_true(isfinite(angle));
    static const float numbers[] = {NAN, INFINITY, 1e25f};
    for (int k = 0; k < 3; k++) {
        s.x[asset->pairs[0]] = numbers[k];
        wr_sprite_point found = wri_sprite_project(asset, s.x, s.y, false, from, true, &angle);
        assert_memory_equal(&found, &from, sizeof found);
        assert_true(angle == 0.0f);
    }
}

// Two edges that look the same: what was on one of them does not jump to the other.
static void where_two_fit_alike_it_stays(void **state)
{
    (void)state;
    static blob b;
    blob_make(&b);
    memcpy(b.poses[LONG], b.poses[BENT], sizeof b.poses[BENT]);
    memcpy(b.poses[RAISED], b.poses[LEANING], sizeof b.poses[LEANING]);
    static const wr_simplex edges[2] = {{2, {BENT, LEANING}}, {2, {LONG, RAISED}}};
    wr_sprite_asset_desc desc = blob_desc(&b);
    desc.simplices = edges;
    desc.simplex_count = 2;
    wr_sprite_asset *twins = wr_sprite_asset_create(&desc, NULL);
    uint64_t seed = 26;
    for (int k = 0; k < 40; k++) {
        float t = random_float(&seed, 0, 1), x[BLOB_N], y[BLOB_N], angle;
        wri_sprite_shape(twins, place(0, 1 - t, t, 0), x, y);
        for (int i = 0; i < BLOB_N; i++) {
            x[i] += random_float(&seed, -0.1f, 0.1f);
        }
        wr_sprite_point found =
            wri_sprite_project(twins, x, y, false, place(k % 2, 0.5f, 0.5f, 0), true, &angle);
        assert_int_equal(found.simplex, k % 2);
    }
    wr_sprite_asset_destroy(twins);
}

// --- clusters ---------------------------------------------------------------------------------

static void representatives_are_spread_and_joined(void **state)
{
    (void)state;
    assert_int_equal(asset->cluster_count, 16);
    assert_in_range(asset->pair_count, 15, 48);
    int group[BLOB_N];
    for (int i = 0; i < BLOB_N; i++) {
        group[i] = i;
    }
    for (int r = 0; r < 16; r++) {
        for (int p = 0; p < asset->pair_count; p++) {
            int a = asset->pairs[2 * p], b = asset->pairs[2 * p + 1];
            group[a] = group[b] = group[a] < group[b] ? group[a] : group[b];
        }
    }
    for (int k = 0; k < 16; k++) {
        assert_int_equal(group[asset->clusters[k]], group[asset->clusters[0]]);
        for (int j = 0; j < k; j++) {
            assert_int_not_equal(asset->clusters[k], asset->clusters[j]);
        }
    }
    for (int i = 0; i < BLOB_N; i++) { // somebody is near
        float least = INFINITY;
        for (int k = 0; k < 16; k++) {
            least = fminf(least, wr_distance(sheet.rest[i], sheet.rest[asset->clusters[k]]));
        }
        assert_true(least < 0.35f);
    }
}

// One handle has the same weight everywhere, none has no weights at all.
static void drawings_with_few_handles_are_found_too(void **state)
{
    (void)state;
    uint64_t seed = 31;
    for (int handles = 0; handles < 2; handles++) {
        static blob b;
        blob_make(&b);
        b.rig.handle_count = handles;
        for (int i = 0; i < BLOB_N; i++) {
            b.weights[i] = 1.0f;
        }
        static const wr_simplex edge = {2, {REST, TALL}};
        wr_sprite_asset_desc desc = blob_desc(&b);
        desc.simplices = &edge;
        desc.simplex_count = 1;
        wr_sprite_asset *few = wr_sprite_asset_create(&desc, NULL);
        assert_non_null(few);
        assert_int_equal(wr_sprite_asset_describe(few).cluster_count, 16);
        for (int k = 0; k < 20; k++) {
            float t = random_float(&seed, 0, 1);
            wr_vec2 x[BLOB_N];
            wr_sprite_asset_shape(few, place(0, 1 - t, t, 0), x);
            CHECK_NEAR(wr_sprite_asset_project(few, x).shares[1], t, 1e-3);
        }
        wr_sprite_asset_destroy(few);
    }
}

// --- ways -------------------------------------------------------------------------------------

static void distances_are_shares(void **state)
{
    (void)state;
    CHECK_NEAR(wri_sprite_point_distance(asset, place(2, 1, 0, 0), place(2, 0, 1, 0)), 1, 0);
    CHECK_NEAR(wri_sprite_point_distance(asset, place(2, 0.75f, 0.25f, 0), place(2, 0.5f, 0.5f, 0)),
               0.25, 1e-7);
    CHECK_NEAR(wri_sprite_point_distance(asset, place(0, 1, 0, 0), place(2, 1, 0, 0)), 0, 0);
    CHECK_NEAR(wri_sprite_point_distance(asset, place(0, 0, 1, 0), place(4, 1, 0, 0)), 1, 0);
}

// Shares are of the corners there are, none below 0, and all of them together are 1.
static void what_is_no_point_is_told(void **state)
{
    (void)state;
    int edge = 0;
    while (asset->simplices[edge].corner_count != 2) {
        edge++;
    }
    assert_true(wri_sprite_is_point(asset, place(edge, 0.25f, 0.75f, 0)));
    assert_false(wri_sprite_is_point(asset, place(edge, 0.25f, 0.5f, 0.25f))); // it has two corners
    assert_false(wri_sprite_is_point(asset, place(edge, 1.25f, -0.25f, 0)));
    assert_false(wri_sprite_is_point(asset, place(edge, 0.25f, 0.5f, 0)));
    assert_false(wri_sprite_is_point(asset, place(edge, NAN, 1, 0)));
    assert_false(wri_sprite_is_point(asset, place(-1, 1, 0, 0)));
    assert_false(wri_sprite_is_point(asset, place(asset->simplex_count, 1, 0, 0)));
}

static void a_walk_ends_at_its_goal(void **state)
{
    (void)state;
    uint64_t seed = 41;
    for (int k = 0; k < 500; k++) {
        wr_sprite_point from = random_point(&seed), to = random_point(&seed);
        wr_sprite_point end = wr_sprite_asset_walk(asset, from, to, 1.0f);
        assert_memory_equal(&end, &to, sizeof to);
        wr_sprite_point start = wr_sprite_asset_walk(asset, from, to, 0.0f);
        assert_memory_equal(&start, &from, sizeof from);
        CHECK_NEAR(
            wri_sprite_point_distance(asset, wr_sprite_asset_walk(asset, from, to, 0.9999f), to), 0,
            1e-3);
    }
}

// In small steps, each a tenth of what is left, it gets nearer by that tenth every time.
static void a_walk_in_steps_is_as_short(void **state)
{
    (void)state;
    uint64_t seed = 42;
    float direction[BLOB_E];
    for (int k = 0; k < 200; k++) {
        wr_sprite_point at = random_point(&seed), to = random_point(&seed);
        float left = wri_sprite_heading(asset, at, to, direction);
        for (int i = 0; i < 40; i++) {
            wr_sprite_point next = wr_sprite_asset_walk(asset, at, to, 0.1f);
            check_point(next);
            assert_true(wri_sprite_point_distance(asset, at, next) <= 0.1f * left + 1e-5f);
            at = next;
            float now = wri_sprite_heading(asset, at, to, direction);
            CHECK_NEAR(now, 0.9 * (double)left, 1e-4);
            left = now;
        }
    }
}

static void ways_lead_through_corners_and_faces(void **state)
{
    (void)state;
    float direction[BLOB_E];
    // bent -> rest -> back -> leaning -> raised
    wr_sprite_point bent = wr_sprite_asset_example_point(asset, BENT);
    wr_sprite_point raised = wr_sprite_asset_example_point(asset, RAISED);
    CHECK_NEAR(wri_sprite_heading(asset, bent, raised, direction), 4, 1e-5);
    CHECK_NEAR(direction[BENT], -1, 1e-6);
    CHECK_NEAR(direction[REST], 1, 1e-6);
    static const int knots[] = {BENT, REST, BACK, LEANING, RAISED};
    for (int i = 0; i <= 4; i++) {
        float blend[BLOB_E];
        wr_sprite_asset_blend(asset, wr_sprite_asset_walk(asset, bent, raised, 0.25f * (float)i),
                              blend);
        CHECK_NEAR(blend[knots[i]], 1, 1e-5);
    }
    // across the face rest-long of the two triangles: straight, not round a corner
    wr_sprite_point a = place(0, 0.25f, 0.5f, 0.25f), b = place(1, 0.25f, 0.25f, 0.5f);
    CHECK_NEAR(wri_sprite_heading(asset, a, b, direction), 1.0, 1e-5);
    float blend[BLOB_E];
    wr_sprite_asset_blend(asset, wr_sprite_asset_walk(asset, a, b, 0.5f), blend);
    CHECK_NEAR(blend[REST], 0.5, 1e-5);
    CHECK_NEAR(blend[LONG], 0.5, 1e-5);
    // inside one simplex the straight line
    wr_sprite_asset_blend(
        asset, wr_sprite_asset_walk(asset, a, place(0, 0.65f, 0.1f, 0.25f), 0.25f), blend);
    CHECK_NEAR(blend[REST], 0.35, 1e-6);
    CHECK_NEAR(blend[BENT], 0.4, 1e-6);
}

static void where_there_is_no_way_it_stays(void **state)
{
    (void)state;
    float direction[BLOB_E];
    wr_sprite_point alone = wr_sprite_asset_example_point(asset, ALONE),
                    m = place(2, 0.5f, 0.5f, 0);
    wr_sprite_point end = wr_sprite_asset_walk(asset, m, alone, 1.0f);
    assert_memory_equal(&end, &m, sizeof m);
    CHECK_NEAR(wri_sprite_heading(asset, m, alone, direction), -1, 0);
    assert_int_equal(wr_sprite_asset_describe(asset).component_count, 2);
    assert_int_equal(wr_sprite_asset_example_point(asset, BLOB_E).simplex, -1);
}

// --- moves ------------------------------------------------------------------------------------

static void a_move_inside_is_the_sum(void **state)
{
    (void)state;
    float direction[BLOB_E] = {0};
    direction[REST] = -1.0f;
    direction[BENT] = 0.75f;
    direction[LONG] = 0.25f;
    wr_sprite_point m = wri_sprite_move(asset, place(0, 0.6f, 0.1f, 0.3f), direction, 0.4f);
    assert_int_equal(m.simplex, 0);
    CHECK_NEAR(m.shares[0], 0.2, 1e-5);
    CHECK_NEAR(m.shares[1], 0.4, 1e-5);
    CHECK_NEAR(m.shares[2], 0.4, 1e-5);
}

static void moves_keep_shares_that_sum_to_one(void **state)
{
    (void)state;
    uint64_t seed = 51;
    for (int k = 0; k < 2000; k++) {
        float direction[BLOB_E], mean = 0.0f;
        for (int e = 0; e < BLOB_E; e++) {
            direction[e] = random_float(&seed, -1, 1);
            mean += direction[e] / BLOB_E;
        }
        for (int e = 0; e < BLOB_E; e++) {
            direction[e] -= mean;
        }
        check_point(
            wri_sprite_move(asset, random_point(&seed), direction, random_float(&seed, 0, 3)));
    }
}

// From the first triangle through rest-long into the second, whose third corner is wished.
static void a_move_crosses_a_face(void **state)
{
    (void)state;
    float direction[BLOB_E] = {0}, blend[BLOB_E];
    direction[BENT] = -1.0f;
    direction[TALL] = 1.0f;
    wr_sprite_point m = wri_sprite_move(asset, place(0, 0.45f, 0.1f, 0.45f), direction, 1.0f);
    wr_sprite_asset_blend(asset, m, blend);
    assert_int_equal(m.simplex, 1);
    assert_true(blend[BENT] == 0.0f && blend[TALL] > 0.1f);
}

// A chain of equal steps of the same change is one long edge.
static void a_chain_of_like_poses_is_one_road(void **state)
{
    (void)state;
    static blob b;
    blob_make(&b);
    b.rig.example_count = 4;
    for (int e = 1; e < 4; e++) {
        for (int h = 0; h < BLOB_B; h++) {
            wr_vec3 p = b.handles[h].pivot;
            float s = 0.2f * (float)e;
            b.poses[e][h] = flat_pose(0, s * p.x, -s * p.y, 1 + s, 1 - s, 0);
        }
    }
    static const wr_simplex chain[3] = {{2, {0, 1}}, {2, {2, 1}}, {2, {2, 3}}};
    wr_sprite_asset_desc desc = blob_desc(&b);
    desc.simplices = chain;
    desc.simplex_count = 3;
    wr_sprite_asset *road = wr_sprite_asset_create(&desc, NULL);
    const float direction[4] = {-1, 1, 0, 0};
    static const float lengths[] = {0.5f, 0.9f, 1.3f, 2.4f, 9.0f};
    for (int i = 0; i < 5; i++) {
        float blend[4], gone = fminf(0.1f + lengths[i], 3.0f);
        wr_sprite_asset_blend(
            road, wri_sprite_move(road, place(0, 0.9f, 0.1f, 0), direction, lengths[i]), blend);
        CHECK_NEAR(blend[1] + 2 * blend[2] + 3 * blend[3], gone, 1e-2);
    }
    wr_sprite_asset_destroy(road);
}

// back-rest leads nowhere like itself but into bent, which undoes what back does.
static void a_move_stops_at_the_rim(void **state)
{
    (void)state;
    float direction[BLOB_E] = {0}, blend[BLOB_E];
    direction[LEANING] = -1.0f;
    direction[RAISED] = 1.0f;
    wr_sprite_point m = wri_sprite_move(asset, place(4, 0.7f, 0.3f, 0), direction, 5.0f);
    wr_sprite_asset_blend(asset, m, blend);
    CHECK_NEAR(blend[RAISED], 1, 1e-6);
    direction[LEANING] = direction[RAISED] = 0.0f;
    direction[BACK] = -1.0f;
    direction[REST] = 1.0f;
    m = wri_sprite_move(asset, place(2, 0.7f, 0.3f, 0), direction, 1.0f);
    wr_sprite_asset_blend(asset, m, blend);
    assert_true(blend[BENT] > 0.2f && blend[BACK] == 0.0f);
    // along the face where it leaves: bent cannot get below nothing, long still grows
    memset(direction, 0, sizeof direction);
    direction[REST] = -0.1f;
    direction[BENT] = -0.9f;
    direction[LONG] = 1.0f;
    m = wri_sprite_move(asset, place(0, 0.6f, 0.05f, 0.35f), direction, 1.0f);
    wr_sprite_asset_blend(asset, m, blend);
    assert_true(blend[BENT] == 0.0f && blend[LONG] > 0.45f);
}

// --- wishes -----------------------------------------------------------------------------------

static wr_sprite_parameters quiet(void)
{
    return (wr_sprite_parameters){.give_way = WR_SPRITE_ENERGY_AWAY, .stretch_example = -1};
}

// On the edge rest-back, from 0.2: a hit of 0.5 with give 0.6 moves it by 0.3 away from rest, the
// equilibrium takes a quarter back, the speed 2 at 0.1 a fifth of the rest of the way.
static void a_wish_follows_the_equations(void **state)
{
    (void)state;
    wr_sprite_parameters p = quiet();
    p.give = 0.6f;
    p.settle = 0.25f;
    p.stretch = 0.1f;
    p.stretch_example = BACK;
    wr_sprite_point m_p = place(2, 0.8f, 0.2f, 0), q = place(2, 1, 0, 0);
    wri_wish w = wri_sprite_wish(asset, &p, m_p, m_p, q, 0.5f, 2.0f, 1.0f / 60);
    assert_memory_equal(&w.m_p, &m_p, sizeof m_p);
    CHECK_NEAR(w.m_e.shares[1], 0.5, 1e-5);
    CHECK_NEAR(w.m_eq.shares[1], 0.375, 1e-5);
    CHECK_NEAR(w.m_v.shares[1], 0.375 + 0.2 * 0.625, 1e-5);
    w = wri_sprite_wish(asset, &p, m_p, m_p, q, 0.0f, 0.0f, 1.0f / 60); // no hit
    CHECK_NEAR(w.m_e.shares[1], 0.2, 1e-6);
    CHECK_NEAR(w.m_v.shares[1], 0.15, 1e-5);
    w = wri_sprite_wish(asset, &p, m_p, m_p, q, 0.0f, 1e6f, 1.0f / 60); // never past the pose
    CHECK_NEAR(w.m_v.shares[1], 1, 1e-5);
}

static void hits_know_where_to(void **state)
{
    (void)state;
    wr_sprite_parameters p = quiet();
    p.give = 1.0f;
    wr_sprite_point q = place(2, 1, 0, 0), m = place(2, 0.5f, 0.5f, 0),
                    less = place(2, 0.4f, 0.6f, 0);
    p.give_way = WR_SPRITE_ENERGY_ALONG;
    wri_wish w = wri_sprite_wish(asset, &p, m, less, q, 0.2f, 0, 1.0f / 60);
    CHECK_NEAR(w.m_v.shares[1], 0.3, 1e-5); // the way it moved: back to rest
    w = wri_sprite_wish(asset, &p, m, m, q, 0.2f, 0, 1.0f / 60);
    CHECK_NEAR(w.m_v.shares[1], 0.7, 1e-5); // stands still: away from the equilibrium
    p.give_way = WR_SPRITE_ENERGY_AWAY;
    w = wri_sprite_wish(asset, &p, q, m, q, 0.2f, 0, 1.0f / 60);
    assert_true(wri_sprite_point_distance(asset, w.m_v, q) > 0.05f); // at it: the way it moves
    w = wri_sprite_wish(asset, &p, q, q, q, 0.2f, 0, 1.0f / 60);
    CHECK_NEAR(wri_sprite_point_distance(asset, w.m_v, q), 0, 0); // nothing says where to
    p.give_way = WR_SPRITE_ENERGY_EXAMPLE;
    p.give_example = LEANING;
    w = wri_sprite_wish(asset, &p, m, m, q, 0.7f, 0, 1.0f / 60);
    float blend[BLOB_E];
    wr_sprite_asset_blend(asset, w.m_v, blend);
    CHECK_NEAR(blend[LEANING], 0.2, 1e-5); // 0.5 to back, 0.2 on
    CHECK_NEAR(blend[BACK], 0.8, 1e-5);
    w = wri_sprite_wish(asset, &p, m, m, q, 50.0f, 0, 1.0f / 60);
    wr_sprite_asset_blend(asset, w.m_v, blend);
    CHECK_NEAR(blend[LEANING], 1, 1e-6);
}

static void two_half_steps_wish_as_one(void **state)
{
    (void)state;
    uint64_t seed = 61;
    for (int k = 0; k < 100; k++) {
        wr_sprite_parameters p = quiet();
        p.settle = random_float(&seed, 0, 0.3f);
        p.stretch = random_float(&seed, 0, 0.1f);
        p.stretch_example = BACK;
        wr_sprite_point q = place(2, 1, 0, 0), m = place(2, 0.3f, 0.7f, 0);
        float dt = random_float(&seed, 0.005f, 0.02f);
        wr_sprite_point one = wri_sprite_wish(asset, &p, m, m, q, 0, 1.5f, dt).m_v;
        wr_sprite_point half = wri_sprite_wish(asset, &p, m, m, q, 0, 1.5f, 0.5f * dt).m_v;
        half = wri_sprite_wish(asset, &p, half, half, q, 0, 1.5f, 0.5f * dt).m_v;
        CHECK_NEAR(wri_sprite_point_distance(asset, one, half), 0, 0.01);
        p.stretch = 0.0f; // the equilibrium alone: exactly
        one = wri_sprite_wish(asset, &p, m, m, q, 0, 1.5f, dt).m_v;
        half = wri_sprite_wish(asset, &p, m, m, q, 0, 1.5f, 0.5f * dt).m_v;
        half = wri_sprite_wish(asset, &p, half, half, q, 0, 1.5f, 0.5f * dt).m_v;
        CHECK_NEAR(wri_sprite_point_distance(asset, one, half), 0, 1e-5);
    }
}

// --- assets -----------------------------------------------------------------------------------

static void an_asset_knows_its_size_and_mass(void **state)
{
    (void)state;
    wr_sprite_asset_info info = wr_sprite_asset_describe(asset);
    CHECK_NEAR(info.size, 1.4, 1e-6);
    CHECK_NEAR(info.mass, 1.4 * 0.8, 1e-5);
    CHECK_NEAR(info.fall_speed, sqrt(2 * 9.81 * 1.4), 1e-5);
    CHECK_NEAR(info.fall_time, sqrt(2 * 1.4 / 9.81), 1e-6);
    double sum = 0.0;
    for (int i = 0; i < BLOB_N; i++) {
        sum += (double)asset->masses[i];
    }
    CHECK_NEAR(sum, info.mass, 1e-5);
    assert_int_equal(info.particle_count, BLOB_N);
    assert_int_equal(info.layer_count, 1);
    assert_int_equal(wr_sprite_asset_find_example(asset, "leaning"), LEANING);
    assert_int_equal(wr_sprite_asset_find_example(asset, "walking"), -1);
}

static void without_simplices_rest_blends_with_each(void **state)
{
    (void)state;
    wr_sprite_asset_desc desc = blob_desc(&sheet);
    desc.simplex_count = 0;
    wr_sprite_asset *star = wr_sprite_asset_create(&desc, NULL);
    assert_int_equal(wr_sprite_asset_describe(star).simplex_count, BLOB_E - 1);
    for (int i = 0; i < BLOB_E - 1; i++) {
        const wr_simplex *simplex = &wr_sprite_asset_simplices(star)[i];
        assert_true(simplex->corner_count == 2 && simplex->corners[0] == REST &&
                    simplex->corners[1] == i + 1);
    }
    wr_sprite_asset_destroy(star);
    static blob b;
    blob_make(&b);
    b.rig.example_count = 1;
    desc = wr_sprite_asset_desc_default();
    desc.rig = &b.rig;
    wr_sprite_asset *still = wr_sprite_asset_create(&desc, NULL);
    wr_vec2 x[BLOB_N];
    wr_sprite_asset_shape(still, place(0, 1, 0, 0), x);
    wr_sprite_point m = wr_sprite_asset_project(still, x);
    assert_true(m.simplex == 0 && m.shares[0] == 1.0f);
    wr_sprite_asset_destroy(still);
}

static void check_refused(const wr_sprite_asset_desc *desc, const char *words)
{
    wr_error error = {0};
    wr_sprite_asset *made = wr_sprite_asset_create(desc, &error);
    assert_null(made);
    assert_int_equal(error.code, WR_E_ARGUMENT);
    if (!strstr(error.message, words)) {
        fail_msg("\"%s\" instead of \"%s\"", error.message, words);
    }
}

static void a_bad_manifold_is_refused(void **state)
{
    (void)state;
    static const struct {
        wr_simplex simplices[3];
        int count;
        const char *words;
    } cases[] = {
        {{{2, {0, 1}}, {0}}, 2, "simplices[1]: 0 examples"},
        {{{4, {0, 1, 2}}}, 1, "simplices[0]: 4 examples"},
        {{{2, {0, 1}}, {2, {1, BLOB_E}}}, 2, "simplices[1]: example 8, there are 8"},
        {{{2, {0, -1}}}, 1, "example -1"},
        {{{3, {0, 1, 0}}}, 1, "simplices[0]: example \"rest\" twice"},
        {{{3, {0, 1, 2}}, {2, {3, 4}}, {2, {2, 1}}}, 3, "simplices[2]: is a part of simplices[0]"},
        {{{2, {0, 1}}, {2, {1, 0}}}, 2, "simplices[0]: is a part of simplices[1]"},
        {{{1, {1}}, {2, {1, 0}}}, 2, "simplices[0]: is a part of simplices[1]"},
        {{{0}}, -1, "simplex_count: -1"},
        {{{0}}, WR_SPRITE_SIMPLICES_MAX + 1, "simplex_count: 4097"},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_sprite_asset_desc desc = blob_desc(&sheet);
        desc.simplices = cases[i].simplices;
        desc.simplex_count = cases[i].count;
        check_refused(&desc, cases[i].words);
    }
}

static void a_bad_drawing_is_refused(void **state)
{
    (void)state;
    static blob b;
    blob_make(&b);
    wr_sprite_asset_desc desc = blob_desc(&b);
    b.rig.dimension = 3;
    check_refused(&desc, "dimension 3");
    blob_make(&b);
    b.rig.vertex_count = WR_SPRITE_PARTICLES_MAX + 1;
    check_refused(&desc, "65537 vertices");
    blob_make(&b);
    b.rig.handle_count = WR_SPRITE_HANDLES_MAX + 1;
    check_refused(&desc, "129 handles");
    blob_make(&b);
    b.elements[3] = b.elements[4];
    check_refused(&desc, "triangle 1 has no area");
    blob_make(&b);
    b.rig.element_count -= 2;
    b.elements[3 * (BLOB_T - 3)] = b.elements[3 * (BLOB_T - 4)];
    check_refused(&desc, "belongs to no triangle");
    blob_make(&b);
    b.poses[BACK][3].rotation = (wr_quat){0.6f, 0, 0, 0.8f};
    check_refused(&desc, "example 2, \"back\", turns handle 3 out of the plane");
    blob_make(&b);
    b.rest[7].y = NAN;
    check_refused(&desc, "rest[7]");
    blob_make(&b);
    desc.scale = 0.0f;
    check_refused(&desc, "scale 0");
    desc = blob_desc(&b);
    desc.density = -1.0f;
    check_refused(&desc, "density -1");
    desc = blob_desc(&b);
    desc.clusters = 1;
    check_refused(&desc, "clusters: 1 not in [2, 256]");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int budget = 0;; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_sprite_asset_desc desc = blob_desc(&sheet);
        desc.allocator = &allocator;
        wr_error error = {0};
        wr_sprite_asset *made = wr_sprite_asset_create(&desc, &error);
        int calls = heap.calls;
        if (made) {
            uint64_t seed = 71;
            wr_vec2 x[BLOB_N];
            wr_sprite_asset_shape(made, random_point(&seed), x);
            wr_sprite_asset_project(made, x);
            assert_int_equal(heap.calls, calls);
        } else {
            assert_int_equal(error.code, WR_E_MEMORY);
        }
        wr_sprite_asset_destroy(made);
        assert_int_equal(heap.alive, 0);
        if (made) {
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corners_are_the_examples),
        cmocka_unit_test(between_them_it_looks_as_the_skin_blends),
        cmocka_unit_test(scale_makes_everything_larger),
        cmocka_unit_test(a_wide_spin_goes_the_short_way),
        cmocka_unit_test(mirrored_handles_stay_in_the_plane),
        cmocka_unit_test(derivatives_are_the_slopes),
        cmocka_unit_test(a_shape_is_found_from_a_thousand_starts),
        cmocka_unit_test(the_public_projection_finds_it_too),
        cmocka_unit_test(the_neighbours_are_enough_for_what_was_near),
        cmocka_unit_test(noise_moves_the_point_a_little),
        cmocka_unit_test(no_place_fits_better),
        cmocka_unit_test(what_is_no_shape_stays_where_it_was),
        cmocka_unit_test(where_two_fit_alike_it_stays),
        cmocka_unit_test(representatives_are_spread_and_joined),
        cmocka_unit_test(drawings_with_few_handles_are_found_too),
        cmocka_unit_test(distances_are_shares),
        cmocka_unit_test(what_is_no_point_is_told),
        cmocka_unit_test(a_walk_ends_at_its_goal),
        cmocka_unit_test(a_walk_in_steps_is_as_short),
        cmocka_unit_test(ways_lead_through_corners_and_faces),
        cmocka_unit_test(where_there_is_no_way_it_stays),
        cmocka_unit_test(a_move_inside_is_the_sum),
        cmocka_unit_test(moves_keep_shares_that_sum_to_one),
        cmocka_unit_test(a_move_crosses_a_face),
        cmocka_unit_test(a_chain_of_like_poses_is_one_road),
        cmocka_unit_test(a_move_stops_at_the_rim),
        cmocka_unit_test(a_wish_follows_the_equations),
        cmocka_unit_test(hits_know_where_to),
        cmocka_unit_test(two_half_steps_wish_as_one),
        cmocka_unit_test(an_asset_knows_its_size_and_mass),
        cmocka_unit_test(without_simplices_rest_blends_with_each),
        cmocka_unit_test(a_bad_manifold_is_refused),
        cmocka_unit_test(a_bad_drawing_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
