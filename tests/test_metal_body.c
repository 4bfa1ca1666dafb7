// What metal promises about bodies: changes are told, assets are shared, damage and snapshots come
// back, nothing breaks them.
#include "metal.h"

#include "../src/metal/parameters.h"
#include "../src/world/metal.h"

// --- pieces and changes -----------------------------------------------------------------------

static void changes_are_told_and_nothing_else_changes(void **state)
{
    (void)state;
    fixture f = start();
    int n = f.info.vertex_count;
    wr_vec3 *old = malloc((size_t)n * sizeof *old);
    uint8_t *told = calloc((size_t)n, 1);
    add_hit(&f, f.body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.0f);
    for (int step = 0; step < 300; step++) {
        memcpy(old, wr_metal_positions(f.body), (size_t)n * sizeof *old);
        wr_metal_step(f.body, DT);
        int count;
        const int *changed = wr_metal_changed_vertices(f.body, &count);
        wr_metal_range range = wr_metal_changed_range(f.body);
        assert_int_equal(wr_metal_changed(f.body), count > 0);
        memset(told, 0, (size_t)n);
        for (int i = 0; i < count; i++) {
            assert_true(changed[i] >= range.begin && changed[i] < range.end && !told[changed[i]]);
            told[changed[i]] = 1;
        }
        for (int i = 0; i < n; i++) {
            assert_true(told[i] || memcmp(&old[i], &wr_metal_positions(f.body)[i], 12) == 0);
        }
        for (int k = 0; k < f.info.piece_count; k++) {
            int points;
            const wr_vec3 *p = wr_metal_piece_points(f.body, k, &points);
            bool any = false;
            for (int i = 0; i < points; i++) {
                int v = f.asset->piece_vertices[f.asset->piece_begin[k] + i];
                assert_memory_equal(&p[i], &wr_metal_positions(f.body)[v], sizeof *p);
                any |= told[v];
            }
            assert_int_equal(wr_metal_piece_changed(f.body, k), any);
        }
    }
    assert_true(wr_metal_is_idle(f.body));
    free(told);
    free(old);
    stop(&f);
}

// How far a point is outside of a piece, seen from many sides; 0: inside.
static float height_over_piece(const wr_metal *body, int piece, wr_vec3 p)
{
    int count;
    const wr_vec3 *points = wr_metal_piece_points(body, piece, &count);
    uint64_t seed = 5;
    float most = 0.0f;
    for (int d = 0; d < 3000; d++) {
        wr_vec3 way = wr_normalize(random_vec3(&seed, -1, 1));
        float far = -INFINITY;
        for (int i = 0; i < count; i++) {
            far = fmaxf(far, wr_dot(way, points[i]));
        }
        most = fmaxf(most, wr_dot(way, p) - far);
    }
    return most;
}

static void pieces_are_convex_enough_and_cover_the_surface(void **state)
{
    (void)state;
    fixture f = start_sized(8, 21, 0.76f);
    wr_metal_asset_info i = f.info;
    printf("    %d vertices: %d pieces with %d points, off by %.3f body sizes at most\n",
           i.vertex_count, i.piece_count, i.piece_points, (double)i.piece_error);
    assert_true(i.piece_count > 1 && i.piece_count <= 16);
    assert_true(i.piece_error <= 0.02f);
    float out = 0.0f; // how far the surface sticks out of the pieces
    for (int s = 0; s < i.surface_count; s++) {
        wr_vec3 p = f.barrel->rest[f.asset->surface[s]];
        float least = INFINITY;
        for (int k = 0; k < i.piece_count; k++) {
            least = fminf(least, height_over_piece(f.body, k, p));
        }
        out = fmaxf(out, least / i.size);
    }
    printf("    the surface sticks out by %.4f body sizes at most\n", (double)out);
    assert_true(out < 0.005f);
    for (int k = 0; k < i.piece_count; k++) {
        int points;
        (void)wr_metal_piece_points(f.body, k, &points);
        assert_true(points >= 4);
    }
    stop(&f);
}

// --- neighbourhoods ---------------------------------------------------------------------------

static void neighbourhoods_do_not_depend_on_who_asked_first(void **state)
{
    (void)state;
    fixture f = start(), wide = start();
    wr_metal_asset_prepare(wide.asset, 2.0f, NULL);
    wr_metal_asset_info info = wr_metal_asset_describe(wide.asset);
    assert_int_equal(info.ball_count, info.surface_count);
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    desc.rig = &f.barrel->rig;
    desc.cache_size = 0;
    fixture none = {
        .barrel = f.barrel, .asset = wr_metal_asset_create(&desc, NULL), .info = f.info};
    none.body = make_body(&none, NULL);
    fixture *all[3] = {&f, &wide, &none};
    for (int i = 0; i < 3; i++) {
        for (int h = 0; h < 5; h++) {
            add_hit(all[i], all[i]->body, at(&f, 0.3f, 0.1f * (float)h - 0.2f, 0.15f),
                    wr_v3(-1, 0.1f, -0.3f), 1.0f);
            settle(all[i]->body, DT);
        }
    }
    assert_true(wr_metal_hash(f.body) == wr_metal_hash(wide.body));
    assert_memory_equal(wr_metal_weights(f.body), wr_metal_weights(none.body),
                        (size_t)f.info.vertex_count * BARREL_EXAMPLES * sizeof(float));
    assert_true(wr_metal_stats(none.body).balls_missed > 0);
    wr_metal_destroy(none.body);
    wr_metal_asset_destroy(none.asset);
    stop(&wide);
    stop(&f);
}

static void distances_are_nearly_straight_in_a_solid(void **state)
{
    (void)state;
    fixture f = start_sized(8, 21, 0.76f);
    wri_arena arena = wri_arena_create(NULL);
    wri_ball_space space;
    int64_t missed = 0;
    assert_true(wri_ball_space_create(&space, &arena, f.info.vertex_count));
    int center = 10 * 81 + 40;
    wri_ball_view ball = wri_metal_ball(f.asset, center, 0.5f * f.info.size, NULL, &space, &missed);
    double worst = 1.0, mean = 0.0;
    for (int i = 1; i < ball.count; i++) {
        assert_true(ball.entries[i].distance >= ball.entries[i - 1].distance);
        double straight =
            (double)wr_distance(f.barrel->rest[center], f.barrel->rest[ball.entries[i].vertex]);
        double ratio = (double)ball.entries[i].distance / straight;
        assert_true(ratio > 0.99999);
        worst = fmax(worst, ratio);
        mean += ratio / (ball.count - 1);
    }
    printf("    distance along edges over straight distance: mean %.3f, worst %.3f\n", mean, worst);
    assert_true(worst < 1.3 && mean < 1.12);
    wri_arena_destroy(&arena);
    stop(&f);
}

// From rest the weights of a vertex at the distance d add up to 1 - exp(-c phi(d / reach) /
// strength), with one c for the whole hit, which those of the struck vertex tell.
static void a_hit_reaches_every_vertex_around_by_the_kernel(void **state)
{
    (void)state;
    fixture f = start();
    int n = f.info.vertex_count, remainders = 0;
    float *strength = malloc((size_t)n * sizeof *strength);
    for (int i = 0; i < n; i++) {
        strength[i] = 0.8f + 0.05f * (float)(i % 11);
    }
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    desc.rig = &f.barrel->rig;
    desc.strength = strength;
    fixture weak = {
        .barrel = f.barrel, .asset = wr_metal_asset_create(&desc, NULL), .info = f.info};
    for (int k = 5; k < weak.asset->surface_count; k += 3) {
        int struck = weak.asset->surface[k], inside = 0;
        weak.body = make_body(&weak, NULL);
        wr_vec3 p = f.barrel->rest[struck];
        add_hit(&weak, weak.body, p, wr_add(wr_scale(-1.0f, p), wr_v3(0.02f, 0.05f, -0.03f)), 0.7f);
        wr_metal_step(weak.body, DT);
        float radius = wri_metal_reach(weak.body, struck), goal[BARREL_EXAMPLES];
        wr_metal_goal(weak.body, struck, goal);
        double c = -(double)strength[struck] * log((double)goal[0]);
        if (goal[0] > 0.97f) { // no example goes there
            wr_metal_destroy(weak.body);
            continue;
        }
        wri_ball_view ball = wri_metal_ball(weak.asset, struck, radius, NULL, &weak.body->space,
                                            &weak.body->statistics.balls_missed);
        for (int i = 0; i < ball.count; i++) {
            double s = (double)(ball.entries[i].distance / radius);
            int v = ball.entries[i].vertex;
            double phi = 1.0 - 3.0 * s * s + 2.0 * s * s * s;
            wr_metal_goal(weak.body, v, goal);
            CHECK_NEAR(goal[0], exp(-c * phi / (double)strength[v]), 1.5e-3);
        }
        for (int v = 0; v < n; v++) {
            wr_metal_goal(weak.body, v, goal);
            inside += goal[0] < 1.0f;
        }
        assert_true(inside > 20 && inside <= ball.count);
        remainders |= 1 << ball.count % 4; // vertices are taken by fours
        wr_metal_destroy(weak.body);
    }
    assert_int_equal(remainders, 15);
    free(strength);
    wr_metal_asset_destroy(weak.asset);
    stop(&f);
}

// Two barrels, one on top of the other, as one rig.
static wr_rig stack_two(const barrel *b, float distance)
{
    wr_rig rig = b->rig;
    size_t n = (size_t)rig.vertex_count, m = 4 * (size_t)rig.element_count;
    rig.rest = malloc(2 * n * sizeof *rig.rest);
    rig.elements = malloc(2 * m * sizeof *rig.elements);
    rig.weights = malloc(2 * n * BARREL_HANDLES * sizeof *rig.weights);
    for (size_t i = 0; i < 2 * n; i++) {
        rig.rest[i] = wr_add(b->rest[i % n], wr_v3(0, i < n ? 0 : distance, 0));
        memcpy(&rig.weights[i * BARREL_HANDLES], &b->weights[i % n * BARREL_HANDLES],
               BARREL_HANDLES * sizeof(float));
    }
    for (size_t i = 0; i < 2 * m; i++) {
        rig.elements[i] = b->elements[i % m] + (int)(i < m ? 0 : n);
    }
    rig.vertex_count *= 2;
    rig.element_count *= 2;
    return rig;
}

static void dents_pass_between_parts_that_nearly_touch(void **state)
{
    (void)state;
    barrel *b = barrel_create(4, 8, 1.0f);
    wr_rig rig = stack_two(b, 1.03f); // together two metres: a gap of 0.015 body sizes
    for (int k = 0; k < 2; k++) {
        wr_metal_asset_desc desc = wr_metal_asset_desc_default();
        desc.rig = &rig;
        desc.gap = k ? 0.02f : 0.01f;
        wr_metal_asset *asset = wr_metal_asset_create(&desc, NULL);
        assert_non_null(asset);
        wri_arena arena = wri_arena_create(NULL);
        wri_ball_space space;
        int64_t missed = 0;
        assert_true(wri_ball_space_create(&space, &arena, rig.vertex_count));
        int top = 25 * 8 + 12, other = 25 * 9 + 12; // of the lower one, and above it
        wri_ball_view ball = wri_metal_ball(asset, top, 0.2f, NULL, &space, &missed);
        float distance = INFINITY;
        for (int i = 0; i < ball.count; i++) {
            distance = ball.entries[i].vertex == other ? ball.entries[i].distance : distance;
        }
        CHECK_NEAR((double)fminf(distance, 9.0f), k ? 0.03 : 9.0, 1e-5);
        wri_arena_destroy(&arena);
        wr_metal_asset_destroy(asset);
    }
    free(rig.rest);
    free(rig.elements);
    free(rig.weights);
    barrel_destroy(b);
}

typedef struct crowd {
    fixture *f;
    wr_metal *bodies[16];
} crowd;

static void run_one(void *task, int index)
{
    crowd *c = task;
    wr_metal *body = c->bodies[index];
    uint64_t seed = 77 + (uint64_t)(index % 4); // every fourth is the same
    for (int step = 0; step < 120; step++) {
        if (step % 10 == 0) {
            float angle = random_float(&seed, 0, 6.28f);
            float y = random_float(&seed, -0.4f, 0.4f);
            add_hit(c->f, body, at(c->f, 0.36f * cosf(angle), y, 0.36f * sinf(angle)),
                    wr_v3(-cosf(angle), random_float(&seed, -1, 1), -sinf(angle)), 0.7f);
        }
        wr_metal_step(body, DT);
    }
}

static void bodies_in_many_threads_share_an_asset(void **state)
{
    (void)state;
    uint64_t reference[4] = {0};
    for (int workers = 1; workers <= 8; workers *= 8) {
        fixture f = start();
        crowd c = {.f = &f};
        for (int i = 0; i < 16; i++) {
            c.bodies[i] = make_body(&f, NULL);
        }
        wr_tasks tasks = wr_tasks_openmp(workers);
        tasks.run(tasks.user, run_one, &c, 16);
        for (int i = 0; i < 16; i++) {
            uint64_t hash = wr_metal_hash(c.bodies[i]);
            reference[i % 4] = workers == 1 && i < 4 ? hash : reference[i % 4];
            assert_true(hash == reference[i % 4]);
            check_rows(&f, c.bodies[i]);
            wr_metal_destroy(c.bodies[i]);
        }
        stop(&f);
    }
}

// --- damage -----------------------------------------------------------------------------------

typedef struct blob {
    uint8_t *bytes;
    size_t size;
} blob;

static blob write_blob(const wr_metal *body)
{
    blob b = {.size = wr_metal_write_damage(body, NULL)};
    b.bytes = malloc(b.size);
    assert_int_equal(wr_metal_write_damage(body, b.bytes), b.size);
    return b;
}

static blob merge(blob a, blob b)
{
    blob m = {.size = wr_metal_merge_damage(a.bytes, a.size, b.bytes, b.size, NULL, NULL)};
    assert_true(m.size > 0);
    m.bytes = malloc(m.size);
    assert_int_equal(wr_metal_merge_damage(a.bytes, a.size, b.bytes, b.size, m.bytes, NULL),
                     m.size);
    return m;
}

static void check_same(blob a, blob b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
}

static void damage_comes_back_exactly_and_is_small(void **state)
{
    (void)state;
    fixture f = start_sized(8, 21, 0.76f);
    wr_metal *other = make_body(&f, NULL);
    blob none = write_blob(f.body);
    uint64_t seed = 9;
    printf("    %d vertices: %zu bytes undamaged", f.info.vertex_count, none.size);
    for (int hit = 1; hit <= 8; hit++) {
        float angle = random_float(&seed, 0, 6.28f), y = random_float(&seed, -0.45f, 0.45f);
        add_hit(&f, f.body, at(&f, 0.36f * cosf(angle), y, 0.36f * sinf(angle)),
                wr_v3(-cosf(angle), 0.3f, -sinf(angle)), 0.9f);
        wr_metal_step(f.body, DT);
        blob early = write_blob(f.body); // while it is still fading in
        settle(f.body, DT);
        blob late = write_blob(f.body);
        check_same(early, late);
        assert_true(wr_metal_read_damage(other, late.bytes, late.size, NULL));
        assert_memory_equal(wr_metal_positions(other), wr_metal_positions(f.body),
                            (size_t)f.info.vertex_count * sizeof(wr_vec3));
        assert_memory_equal(wr_metal_weights(other), wr_metal_weights(f.body),
                            (size_t)f.info.vertex_count * BARREL_EXAMPLES * sizeof(float));
        blob again = write_blob(other);
        check_same(again, late);
        printf(hit == 1   ? ", %zu after one hit"
               : hit == 8 ? ", %zu after eight\n"
                          : "%.0zu",
               hit == 1 || hit == 8 ? late.size : 0);
        assert_true(late.size < 4096);
        free(again.bytes);
        free(early.bytes);
        free(late.bytes);
    }
    assert_true(none.size < 24);
    assert_true(wr_metal_read_damage(f.body, none.bytes, none.size, NULL));
    assert_true(depth(&f, f.body) == 0.0f);
    free(none.bytes);
    wr_metal_destroy(other);
    stop(&f);
}

// One body was bent all the way to one example, the other to another: together they are both half
// way, and never more than all.
static void damage_that_merges_to_more_than_all_is_shared_out(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal *other = make_body(&f, NULL);
    int C = f.asset->C;
    f.body->goal[5 * C] = other->goal[5 * C + 1] = WRI_METAL_ONE;
    f.body->goal[7 * C] = WRI_METAL_ONE / 4;
    other->goal[7 * C + 1] = WRI_METAL_ONE / 2;
    blob a = write_blob(f.body), b = write_blob(other), both = merge(a, b);
    assert_true(wr_metal_read_damage(f.body, both.bytes, both.size, NULL));
    CHECK_NEAR(f.body->goal[5 * C], WRI_METAL_ONE / 2, 1);
    CHECK_NEAR(f.body->goal[5 * C + 1], WRI_METAL_ONE / 2, 1);
    CHECK_NEAR(f.body->goal[7 * C], WRI_METAL_ONE / 4, 0); // less than all stays
    CHECK_NEAR(f.body->goal[7 * C + 1], WRI_METAL_ONE / 2, 0);
    const float *rows = wr_metal_weights(f.body);
    for (int i = 0; i < f.info.vertex_count; i++) {
        float sum = 0.0f;
        for (int e = 0; e <= C; e++) {
            assert_true(rows[i * (C + 1) + e] >= 0.0f);
            sum += rows[i * (C + 1) + e];
        }
        CHECK_NEAR(sum, 1.0, 1e-5);
    }
    free(a.bytes);
    free(b.bytes);
    free(both.bytes);
    wr_metal_destroy(other);
    stop(&f);
}

static void damage_merges_in_any_order(void **state)
{
    (void)state;
    fixture f = start();
    blob parts[3];
    for (int i = 0; i < 3; i++) {
        wr_metal *body = make_body(&f, NULL);
        float angle = 2.0f * (float)i;
        add_hit(&f, body, at(&f, 0.36f * cosf(angle), 0.1f * (float)i, 0.36f * sinf(angle)),
                wr_v3(-cosf(angle), -1.0f, -sinf(angle)), 1.5f);
        settle(body, DT);
        parts[i] = write_blob(body);
        wr_metal_destroy(body);
    }
    blob ab = merge(parts[0], parts[1]), ba = merge(parts[1], parts[0]);
    blob bc = merge(parts[1], parts[2]), ab_c = merge(ab, parts[2]), a_bc = merge(parts[0], bc);
    blob twice = merge(ab_c, bc);
    check_same(ab, ba);
    check_same(ab_c, a_bc);
    check_same(twice, ab_c);
    assert_true(wr_metal_read_damage(f.body, ab_c.bytes, ab_c.size, NULL));
    check_rows(&f, f.body);
    float whole = depth(&f, f.body);
    assert_true(wr_metal_read_damage(f.body, parts[0].bytes, parts[0].size, NULL));
    assert_true(whole >= 0.9f * depth(&f, f.body) && whole > 0.05f);
    blob all[] = {ab, ba, bc, ab_c, a_bc, twice, parts[0], parts[1], parts[2]};
    for (int i = 0; i < WRI_COUNT(all); i++) {
        free(all[i].bytes);
    }
    stop(&f);
}

static void broken_damage_is_refused(void **state)
{
    (void)state;
    fixture f = start();
    add_hit(&f, f.body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.5f);
    settle(f.body, DT);
    blob good = write_blob(f.body), bad = {malloc(good.size + 8), good.size};
    uint64_t hash = wr_metal_hash(f.body), seed = 3;
    wr_error error;
    for (size_t size = 0; size < good.size; size++) { // cut short, in an exact block
        uint8_t *part = malloc(size + 1);
        memcpy(part, good.bytes, size);
        error = (wr_error){0};
        assert_true(!wr_metal_read_damage(f.body, part, size, &error));
        assert_true(error.message[0] != 0);
        free(part);
    }
    assert_true(wr_metal_hash(f.body) == hash);
    wr_metal *other = make_body(&f, NULL);
    for (int i = 0; i < 3000; i++) { // any bytes may be read as damage, but nothing goes wrong
        memcpy(bad.bytes, good.bytes, good.size);
        int flips = 1 + (int)(random_bits(&seed) % 4);
        for (int k = 0; k < flips; k++) {
            bad.bytes[random_bits(&seed) % good.size] ^= (uint8_t)(1 << random_bits(&seed) % 8);
        }
        if (wr_metal_read_damage(other, bad.bytes, good.size, NULL)) {
            check_rows(&f, other);
        }
        (void)wr_metal_merge_damage(bad.bytes, good.size, good.bytes, good.size, NULL, NULL);
    }
    fixture g = start_sized(4, 9, 0.76f);
    error = (wr_error){0};
    assert_true(!wr_metal_read_damage(g.body, good.bytes, good.size, &error));
    assert_non_null(strstr(error.message, "another asset"));
    memset(bad.bytes, 0, 16); // a head that promises very much
    memcpy(bad.bytes, "WRDM\1\1\2\0\377\377\377\177", 12);
    assert_int_equal(wr_metal_merge_damage(bad.bytes, 16, bad.bytes, 16, NULL, &error), 0);
    stop(&g);
    free(good.bytes);
    free(bad.bytes);
    wr_metal_destroy(other);
    stop(&f);
}

static void repair_fades_back_to_rest(void **state)
{
    (void)state;
    fixture f = start();
    add_hit(&f, f.body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.5f);
    settle(f.body, DT);
    float before = depth(&f, f.body);
    wr_metal_repair(f.body, 0.5f);
    settle(f.body, DT);
    float half = depth(&f, f.body);
    assert_true(half < 0.75f * before && half > 0.25f * before);
    wr_metal_repair(f.body, 1.0f);
    wr_metal_step(f.body, DT);
    assert_true(depth(&f, f.body) > 0.0f); // not at once
    settle(f.body, DT);
    assert_true(depth(&f, f.body) == 0.0f);
    stop(&f);
}

// A hundred and more calls per second must do what one does.
static void small_repairs_add_up(void **state)
{
    (void)state;
    fixture f = start();
    add_hit(&f, f.body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.5f);
    settle(f.body, DT);
    float before = depth(&f, f.body);
    for (int i = 0; i < 3600; i++) {
        wr_metal_repair(f.body, 1e-6f);
        wr_metal_step(f.body, DT);
    }
    assert_true(depth(&f, f.body) == before); // 0.4 % are saved up
    for (int i = 0; i < 7000; i++) {
        wr_metal_repair(f.body, 1e-4f);
    }
    settle(f.body, DT);
    CHECK_NEAR(depth(&f, f.body) / before, 0.5, 0.05);
    stop(&f);
}

static void damage_of_other_examples_is_refused(void **state)
{
    (void)state;
    fixture f = start();
    add_hit(&f, f.body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.5f);
    settle(f.body, DT);
    blob damage = write_blob(f.body);
    stop(&f);
    f = (fixture){.barrel = barrel_create(6, 9, 0.76f)};
    wr_example swapped = f.barrel->examples[1];
    f.barrel->examples[1] = f.barrel->examples[2];
    f.barrel->examples[2] = swapped;
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    desc.rig = &f.barrel->rig;
    f.asset = wr_metal_asset_create(&desc, NULL);
    f.body = make_body(&f, NULL);
    wr_error error = {0};
    assert_false(wr_metal_read_damage(f.body, damage.bytes, damage.size, &error));
    free(damage.bytes);
    stop(&f);
}

static void damage_that_is_read_forgets_hits_that_wait(void **state)
{
    (void)state;
    fixture f = start();
    blob none = write_blob(f.body);
    add_hit(&f, f.body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.5f);
    assert_true(wr_metal_read_damage(f.body, none.bytes, none.size, NULL));
    settle(f.body, DT);
    assert_true(depth(&f, f.body) == 0.0f);
    free(none.bytes);
    stop(&f);
}

// --- robustness -------------------------------------------------------------------------------

// All places for hits are taken by touches, then it is pressed from two sides.
// A patch is where it was pushed lately: what came a while ago counts less, as in the window.
static void a_patch_moves_to_where_it_is_pushed_now(void **state)
{
    (void)state;
    enum { STEPS = 5 };
    fixture f = start();
    wr_vec3 first = at(&f, 0.3f, 0.1f, 0.05f), second = at(&f, 0.3f, 0.12f, 0.05f);
    add_hit(&f, f.body, first, wr_v3(-1, 0, 0), 0.05f);
    for (int i = 0; i < STEPS; i++) {
        wr_metal_step(f.body, DT);
    }
    add_hit(&f, f.body, second, wr_v3(-1, 0, 0), 0.05f);
    assert_int_equal(f.body->patch_count, 1);
    double old = pow(f.body->window_decay, STEPS), share = 1.0 / (1.0 + old);
    assert_true(old > 0.05 && old < 0.9);
    double expected = (double)first.y + share * ((double)second.y - (double)first.y);
    CHECK_NEAR(f.body->patches[0].point[1], expected, 1e-6);
    stop(&f);
}

static void many_touches_do_not_hide_a_hit(void **state)
{
    (void)state;
    fixture f = start();
    for (int i = 0; i < WRI_METAL_PATCHES; i++) {
        float angle = 6.2832f * (float)i / 8, y = i < 8 ? -0.3f : 0.3f;
        wr_vec3 p = at(&f, 0.36f * cosf(angle), y, 0.36f * sinf(angle));
        add_hit(&f, f.body, p, wr_v3(-cosf(angle), 0, -sinf(angle)), 0.001f);
    }
    assert_int_equal(f.body->patch_count, WRI_METAL_PATCHES);
    add_hit(&f, f.body, at(&f, 0, 0.5f, 0), wr_v3(0, -1, 0), 1.0f);
    add_hit(&f, f.body, at(&f, 0, -0.5f, 0), wr_v3(0, 1, 0), 1.0f);
    settle(f.body, DT);
    assert_int_equal(f.body->statistics.hits_total, 2);
    assert_true(depth(&f, f.body) > 0.02f);
    stop(&f);
}

static void bits_past_the_last_vertex_are_no_vertices(void **state)
{
    (void)state;
    fixture f = start_sized(8, 3, 0.76f);
    assert_in_range(f.info.vertex_count % 64, 1, 8);
    add_hit(&f, f.body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.0f);
    wr_metal_step(f.body, DT);
    size_t size = wr_metal_save_size(f.body), words = (size_t)(f.info.vertex_count + 63) / 64;
    uint8_t *bytes = malloc(size);
    wr_metal_save(f.body, bytes);
    memset(bytes + size - 2 * words * sizeof(uint64_t), 0xff, 2 * words * sizeof(uint64_t));
    if (wr_metal_restore(f.body, bytes, size, NULL)) {
        int rest = f.info.vertex_count % 64;
        assert_true(f.body->fresh[words - 1] >> rest == 0);
        assert_true(f.body->bending[words - 1] >> rest == 0);
        wr_metal_step(f.body, DT);
    }
    free(bytes);
    stop(&f);
}

static float nasty(uint64_t *seed, float usual)
{
    static const float values[] = {0.0f, -0.0f,    1e-38f, 1e38f,     -1e38f,
                                   NAN,  INFINITY, 3e9f,   -INFINITY, 1e-45f};
    uint64_t pick = random_bits(seed) % 40;
    return pick < 10 ? values[pick] : random_float(seed, -usual, usual);
}

static void abuse_never_gives_a_number_that_is_none(void **state)
{
    (void)state;
    fixture f = start_sized(4, 7, 0.76f);
    uint64_t seed = 1;
    for (int round = 0; round < 60; round++) {
        wr_metal_parameters p = wr_metal_parameters_default();
        p.projection = (wr_metal_projection)(round % 3);
        p.yield_by = (wr_metal_yield)(round / 3 % 3);
        p.norm = (wr_metal_norm)(round / 9 % 3);
        p.bend = round % 5 ? 1.0f : 1000.0f;
        p.reach = round % 7 ? 0.5f : 0.001f;
        p.yield = round % 4 ? p.yield : 0.0f;
        p.window = round % 6 ? p.window : 0.0f;
        p.fade = round % 8 ? p.fade : 0.0f;
        wr_metal *body = make_body(&f, &p);
        for (int step = 0; step < 60; step++) {
            for (int k = (int)(random_bits(&seed) % 30); k > 0; k--) {
                float s = (float)f.info.mass * f.info.unit_speed;
                wr_metal_add_impulse(
                    body, wr_v3(nasty(&seed, 0.4f), nasty(&seed, 0.4f), nasty(&seed, 0.4f)),
                    wr_v3(nasty(&seed, s), nasty(&seed, s), nasty(&seed, s)));
            }
            wr_metal_step(body, nasty(&seed, DT));
            assert_true(wr_metal_is_sound(body));
            wr_mass_properties mass = wr_metal_mass(body);
            for (int k = 0; k < 9; k++) {
                assert_true(isfinite(mass.inertia[k / 3][k % 3]));
            }
            assert_true(wr_metal_restitution(body) >= 0.0f && wr_metal_restitution(body) <= 1.0f);
        }
        check_rows(&f, body);
        assert_true(wr_metal_stats(body).refused > 0);
        wr_metal_destroy(body);
    }
    stop(&f);
}

static void a_snapshot_goes_on_as_the_body_does(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal *other = make_body(&f, NULL);
    add_hit(&f, f.body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.0f);
    for (int i = 0; i < 7; i++) {
        add_hit(&f, f.body, at(&f, 0.1f, 0.5f, 0.05f), wr_v3(0, -1, 0), 0.1f);
        wr_metal_step(f.body, DT);
    }
    size_t size = wr_metal_save_size(f.body);
    uint8_t *bytes = malloc(size);
    wr_metal_save(f.body, bytes);
    assert_true(wr_metal_restore(other, bytes, size, NULL));
    assert_true(wr_metal_hash(other) == wr_metal_hash(f.body));
    wr_metal *both[2] = {f.body, other};
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 2; k++) {
            add_hit(&f, both[k], at(&f, 0.1f, 0.5f, 0.05f), wr_v3(0, -1, 0), i % 9 ? 0.05f : 0.5f);
            wr_metal_step(both[k], DT);
        }
        assert_true(wr_metal_hash(other) == wr_metal_hash(f.body));
        assert_memory_equal(wr_metal_positions(other), wr_metal_positions(f.body),
                            (size_t)f.info.vertex_count * sizeof(wr_vec3));
        wr_mass_properties a = wr_metal_mass(f.body), b = wr_metal_mass(other);
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_true(!wr_metal_restore(other, bytes, size - 1, NULL));
    bytes[0] ^= 1;
    assert_true(!wr_metal_restore(other, bytes, size, NULL));
    free(bytes);
    wr_metal_destroy(other);
    stop(&f);
}

// Between two pictures, in the middle of a fade and of a hit, with a repair that has begun and one
// that is saved up: nothing that is saved is zero.
static wr_metal *make_busy(fixture *f)
{
    wr_metal_parameters parameters = wr_metal_parameters_default();
    parameters.refresh = 1.0f / 24.0f;
    parameters.fade = 0.5f;
    wr_metal *body = make_body(f, &parameters);
    add_hit(f, body, at(f, 0.36f, 0, 0.05f), wr_v3(-1, 0.3f, 0.2f), 1.0f);
    for (int i = 0; i < 27; i++) {
        add_hit(f, body, at(f, 0.1f, 0.5f, 0.05f), wr_v3(0.1f, -1, 0), 0.1f);
        wr_metal_step(body, DT);
    }
    wr_metal_repair(body, 0.03f);
    wr_metal_repair(body, 0.005f);
    add_hit(f, body, at(f, -0.36f, 0.1f, 0), wr_v3(1, 0, 0), 0.7f);
    return body;
}

static bool any_bit(const uint64_t *words, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++) {
        any = any || words[i];
    }
    return any;
}

static void check_busy(const wr_metal *body)
{
    int words = (body->asset->N + 63) / 64;
    const wri_patch *patch = &body->patches[0];
    assert_true(body->lag > 0.0f && body->lag < 1.0f && body->since > 0.0f && body->dt > 0.0f);
    assert_true(body->to_come2 > 0.0 && body->repair_due > 0.0f);
    assert_true(body->restitution > 0.0f && body->restitution < body->parameters.bounce);
    assert_true(any_bit(body->bending, words) && any_bit(body->fresh, words));
    assert_true(body->patch_count >= 2 && patch->weight > 0.0 && patch->load[1] != 0.0 &&
                patch->window_impulse[1] != 0.0);
    assert_true(body->patches[body->patch_count - 1].impulse[0] != 0.0);
}

static void check_same_state(const wr_metal *a, const wr_metal *b)
{
    assert_true(wr_metal_hash(a) == wr_metal_hash(b));
    assert_true(a->lag == b->lag && a->since == b->since && a->dt == b->dt);
    assert_true(a->to_come2 == b->to_come2 && a->repair_due == b->repair_due);
    assert_true(a->restitution == b->restitution && a->bending_count == b->bending_count);
    assert_true(a->lambda == b->lambda && a->window_decay == b->window_decay);
    assert_int_equal(a->patch_count, b->patch_count);
    assert_memory_equal(a->patches, b->patches, (size_t)a->patch_count * sizeof a->patches[0]);
    assert_memory_equal(&a->statistics, &b->statistics, sizeof a->statistics);
    assert_memory_equal(a->E, b->E, (size_t)(a->asset->N * a->asset->E) * sizeof *a->E);
    assert_memory_equal(a->x, b->x, (size_t)a->asset->N * sizeof *a->x);
}

static void a_snapshot_in_the_middle_of_everything_goes_on(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal *body = make_busy(&f), *other = make_body(&f, &body->parameters);
    check_busy(body);
    size_t size = wr_metal_save_size(body);
    uint8_t *bytes = malloc(size);
    wr_metal_save(body, bytes);
    assert_true(wr_metal_restore(other, bytes, size, NULL));
    check_same_state(other, body);
    wr_metal *both[2] = {body, other};
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 2; k++) {
            wr_metal_repair(both[k], 0.004f);
            add_hit(&f, both[k], at(&f, 0.1f, 0.5f, 0.05f), wr_v3(0, -1, 0), i % 9 ? 0.05f : 0.5f);
            wr_metal_step(both[k], DT);
        }
        check_same_state(other, body);
    }
    free(bytes);
    wr_metal_destroy(body);
    wr_metal_destroy(other);
    stop(&f);
}

// A full list of steady loads: whether a touch is weaker than they are depends on the last step.
static void a_snapshot_remembers_how_long_the_last_step_was(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal *other = make_body(&f, NULL), *both[2] = {f.body, other};
    for (int step = 0; step < 240; step++) {
        for (int i = 0; i < WRI_METAL_PATCHES; i++) {
            float angle = 6.2832f * (float)i / 8, y = i < 8 ? -0.3f : 0.3f;
            wr_vec3 p = at(&f, 0.36f * cosf(angle), y, 0.36f * sinf(angle));
            add_hit(&f, f.body, p, wr_v3(-cosf(angle), 0, -sinf(angle)), 0.001f);
        }
        wr_metal_step(f.body, DT);
    }
    assert_int_equal(f.body->patch_count, WRI_METAL_PATCHES);
    size_t size = wr_metal_save_size(f.body);
    uint8_t *bytes = malloc(size);
    wr_metal_save(f.body, bytes);
    assert_true(wr_metal_restore(other, bytes, size, NULL));
    for (int k = 0; k < 2; k++) {
        add_hit(&f, both[k], at(&f, 0, 0.5f, 0), wr_v3(0, -1, 0), 0.0007f);
        wr_metal_step(both[k], DT);
    }
    check_same_state(other, f.body);
    free(bytes);
    wr_metal_destroy(other);
    stop(&f);
}

static void the_hash_sees_every_number_of_the_state(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal *body = make_busy(&f);
    uint64_t hash = wr_metal_hash(body);
    wri_patch *patch = &body->patches[body->patch_count - 1];
    float *floats[] = {&body->restitution,      &body->lag,  &body->since,
                       &body->repair_due,       &body->E[5], &body->fading[3].remaining,
                       &body->fading[2].change2};
    double *doubles[] = {&body->to_come2,
                         &patch->point[2],
                         &patch->weight,
                         &patch->impulse[0],
                         &body->patches[0].window_impulse[1],
                         &body->patches[0].load[2]};
    for (int i = 0; i < WRI_COUNT(floats); i++) {
        float was = *floats[i];
        *floats[i] = was + 1.0f;
        assert_true(wr_metal_hash(body) != hash);
        *floats[i] = was;
    }
    for (int i = 0; i < WRI_COUNT(doubles); i++) {
        double was = *doubles[i];
        *doubles[i] = was + 1.0;
        assert_true(wr_metal_hash(body) != hash);
        *doubles[i] = was;
    }
    uint64_t *words[] = {&body->bending[0], &body->fresh[0]};
    for (int i = 0; i < WRI_COUNT(words); i++) {
        *words[i] ^= 4;
        assert_true(wr_metal_hash(body) != hash);
        *words[i] ^= 4;
    }
    body->goal[7] ^= 1;
    assert_true(wr_metal_hash(body) != hash);
    body->goal[7] ^= 1;
    assert_true(wr_metal_hash(body) == hash);
    wr_metal_destroy(body);
    stop(&f);
}

// A body that reads damage is the same whatever it was doing: also its next hit bends and bounces
// alike.
static void damage_that_is_read_forgets_what_was_going_on(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal *body = make_busy(&f), *fresh = make_body(&f, &body->parameters);
    wr_metal *both[2] = {body, fresh};
    blob damage = write_blob(body);
    check_busy(body);
    for (int k = 0; k < 2; k++) {
        assert_true(wr_metal_read_damage(both[k], damage.bytes, damage.size, NULL));
    }
    for (int i = 0; i < 30; i++) {
        assert_true(wr_metal_hash(body) == wr_metal_hash(fresh));
        for (int k = 0; k < 2; k++) {
            wr_metal_repair(both[k], 0.013f);
            add_hit(&f, both[k], at(&f, 0.1f, 0.5f, 0.05f), wr_v3(0, -1, 0), 0.2f);
            wr_metal_step(both[k], DT);
        }
        assert_true(body->restitution == fresh->restitution);
    }
    free(damage.bytes);
    wr_metal_destroy(body);
    wr_metal_destroy(fresh);
    stop(&f);
}

static void every_allocation_may_fail_and_steps_make_none(void **state)
{
    (void)state;
    barrel *b = barrel_create(4, 6, 1.0f);
    for (int budget = 0;; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_metal_asset_desc desc = wr_metal_asset_desc_default();
        desc.rig = &b->rig;
        desc.allocator = &allocator;
        wr_error error = {0};
        wr_metal_asset *asset = wr_metal_asset_create(&desc, &error);
        wr_metal_desc body_desc = wr_metal_desc_default();
        body_desc.asset = asset;
        body_desc.allocator = &allocator;
        wr_metal *body = asset ? wr_metal_create(&body_desc, &error) : NULL;
        assert_true(body || error.code == WR_E_MEMORY);
        if (body) { // as far as memory goes
            wr_metal_asset_prepare(asset, 0.5f, NULL);
        }
        for (int i = 0; body && i < 2; i++) {
            int calls = heap.calls;
            wr_metal_add_impulse(body, wr_v3(0.36f, 0, 0.05f), wr_v3(-1e4f, 0, 0));
            wr_metal_step(body, DT);
            for (int k = 0; k < 500; k++) {
                wr_metal_step(body, DT);
            }
            assert_true(heap.budget == 0 || heap.calls == calls);
        }
        wr_metal_destroy(body);
        wr_metal_asset_destroy(asset);
        assert_int_equal(heap.alive, 0);
        if (body && heap.budget > 0) {
            break;
        }
    }
    barrel_destroy(b);
}

static void an_unfit_rig_is_refused(void **state)
{
    (void)state;
    barrel *b = barrel_create(4, 6, 1.0f);
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    wr_error error = {0};
    wr_rig rig = b->rig;
    desc.rig = &rig;
    rig.element_count = 0;
    assert_null(wr_metal_asset_create(&desc, &error));
    rig.element_count = b->rig.element_count;
    desc.pieces_max = 65;
    assert_null(wr_metal_asset_create(&desc, &error));
    desc.pieces_max = 24;
    desc.density = -1.0;
    assert_null(wr_metal_asset_create(&desc, &error));
    desc.density = 1000.0;
    float *none = calloc((size_t)rig.vertex_count, sizeof *none);
    desc.masses = none;
    assert_null(wr_metal_asset_create(&desc, &error));
    assert_non_null(strstr(error.message, "masses"));
    desc.masses = NULL;
    rig.example_count = 1; // never bends, but is a body
    wr_metal_asset *asset = wr_metal_asset_create(&desc, &error);
    wr_metal_desc body_desc = wr_metal_desc_default();
    body_desc.asset = asset;
    wr_metal *body = wr_metal_create(&body_desc, &error);
    wr_metal_add_impulse(body, wr_v3(0.36f, 0, 0), wr_v3(-1e6f, 0, 0));
    settle(body, DT);
    assert_true(!wr_metal_changed(body));
    wr_metal_destroy(body);
    wr_metal_asset_destroy(asset);
    free(none);
    barrel_destroy(b);
}

// --- as a material of the world -----------------------------------------------------------------

typedef struct matter {
    fixture f;
    wr_asset asset;
    wr_vec3 *correctives; // of the second example
    wr_ride rides[2];
    wr_vec3 details[2]; // likewise
    double values[WRI_COUNT(wri_metal_parameters)];
    bool is_real[WRI_COUNT(wri_metal_parameters)];
    wr_material_desc desc;
} matter;

// Metal as the world makes it, of the barrel with correctives.
static void start_matter(matter *m, float scale)
{
    *m = (matter){.f = start()};
    size_t n = (size_t)m->f.info.vertex_count;
    m->correctives = calloc(n, sizeof *m->correctives);
    for (size_t i = 0; i < n; i++) {
        m->correctives[i] = wr_v3(0.001f * (float)(i % 7), 0.002f * (float)(i % 3), -0.001f);
    }
    m->f.barrel->examples[1].correctives = m->correctives;
    m->rides[0] = (wr_ride){1, {0.1f, 0.2f, 0.3f, 0.4f}};
    m->rides[1] = (wr_ride){9, {0.4f, 0.1f, 0.2f, 0.3f}};
    m->details[0] = wr_v3(0.01f, 0.02f, 0.03f);
    m->details[1] = wr_v3(-0.03f, 0.01f, 0.02f);
    m->f.barrel->examples[1].details = m->details;
    m->asset.rig = m->f.barrel->rig;
    m->asset.rig.rides = m->rides;
    m->asset.rig.ride_count = 2;
    for (int i = 0; i < WRI_COUNT(wri_metal_parameters); i++) {
        m->values[i] = wri_metal_parameters[i].fallback;
    }
    m->desc = (wr_material_desc){.name = "barrel",
                                 .asset = &m->asset,
                                 .scale = scale,
                                 .values = m->values,
                                 .is_real = m->is_real,
                                 .pose = WR_POSE_IDENTITY,
                                 .velocity = wr_v3(1, 2, 3),
                                 .angular_velocity = wr_v3(4, 5, 6),
                                 .density = 700.0,
                                 .friction = 0.5f,
                                 .allocator = *wr_allocator_default()};
    m->desc.shared = wri_metal_material.create_shared(&m->desc, NULL);
    assert_non_null(m->desc.shared);
}

static void stop_matter(matter *m)
{
    wri_metal_material.destroy_shared(m->desc.shared);
    free(m->correctives);
    stop(&m->f);
}

static void *make_state(const matter *m)
{
    void *state = wri_metal_material.create(&m->desc, NULL);
    assert_non_null(state);
    return state;
}

// A contact while the part turns and flies: its point and impulse belong to where the part was.
static void touch(void *state, float speed)
{
    wr_contact c = {.body_b = 1,
                    .point = wr_v3(0.3f, 0.2f, -0.1f),
                    .normal = wr_normalize(wr_v3(-2, 1, 1)),
                    .normal_impulse = speed * (float)wr_metal_mass(wri_metal_of(state)).mass,
                    .tangential_impulse = wr_v3(0.1f, 0.3f, -0.1f)};
    wr_part_state part = {
        .pose = {wr_v3(5, 6, 7), wr_quat_from_axis_angle(wr_v3(0, 1, 1), 2)},
        .contact_pose = {wr_v3(0.1f, 0.3f, -0.2f), wr_quat_from_axis_angle(wr_v3(1, -2, 3), 1.1f)}};
    const int parts[1] = {0};
    wr_material_step step = {.dt = DT,
                             .part_count = 1,
                             .parts = &part,
                             .contact_count = 1,
                             .contacts = &c,
                             .contact_parts = parts};
    wri_metal_material.take_contacts(state, &step);
}

static void bend(void *state, int steps)
{
    const wr_part_state part = {.pose = WR_POSE_IDENTITY};
    wr_material_step step = {.dt = DT, .part_count = 1, .parts = &part};
    for (int i = 0; i < steps; i++) {
        wri_metal_material.end_step(state, &step);
    }
}

static void a_contact_is_felt_where_the_part_was(void **state)
{
    (void)state;
    matter m;
    start_matter(&m, 1.0f);
    void *body = make_state(&m);
    touch(body, 0.5f);
    const wr_metal *metal = wri_metal_of(body);
    assert_int_equal(metal->patch_count, 1);
    // R^T (x - c) and R^T j, with R by Rodrigues' formula.
    const double axis[3] = {1.0 / sqrt(14.0), -2.0 / sqrt(14.0), 3.0 / sqrt(14.0)};
    const double point[3] = {0.2, -0.1, 0.1};
    double j[3] = {0.1, 0.3, -0.1}, n[3] = {-2, 1, 1}, size = 0.5 * wr_metal_mass(metal).mass;
    for (int k = 0; k < 3; k++) {
        j[k] += size * n[k] / sqrt(6.0);
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        double cosine = cos(-1.1), sine = sin(-1.1);
        double p = cosine * point[k] + sine * (axis[a] * point[b] - axis[b] * point[a]);
        double q = cosine * j[k] + sine * (axis[a] * j[b] - axis[b] * j[a]);
        for (int i = 0; i < 3; i++) {
            p += (1.0 - cosine) * axis[k] * axis[i] * point[i];
            q += (1.0 - cosine) * axis[k] * axis[i] * j[i];
        }
        CHECK_NEAR(metal->patches[0].point[k], p, 1e-6);
        CHECK_NEAR(metal->patches[0].impulse[k], q, 1e-5 * size);
    }
    wri_metal_material.destroy(body);
    stop_matter(&m);
}

static void a_restored_material_tells_everything_anew(void **state)
{
    (void)state;
    matter m;
    start_matter(&m, 1.0f);
    void *a = make_state(&m), *b = make_state(&m);
    uint64_t at_rest = wri_metal_material.hash(b);
    touch(a, 3.0f);
    bend(a, 9);
    assert_true(wri_metal_material.hash(a) != at_rest);
    size_t size = wri_metal_material.size(a);
    uint8_t *bytes = malloc(size);
    wri_metal_material.save(a, bytes);
    int count;
    wr_material_part before = *wri_metal_material.parts(b, &count);
    uint32_t weights = wri_metal_material.surface(b).weights_version;
    assert_true(wri_metal_material.restore(b, bytes, size, NULL));
    const wr_material_part *from = wri_metal_material.parts(a, &count);
    const wr_material_part *to = wri_metal_material.parts(b, &count);
    assert_true(from->restitution < before.restitution); // the hit has eaten some
    assert_true(to->restitution == from->restitution);
    assert_memory_equal(&to->mass, &from->mass, sizeof to->mass);
    assert_true(memcmp(&to->mass, &before.mass, sizeof to->mass) != 0);
    assert_true(to->pieces_version != before.pieces_version);
    assert_true(to->mass_version != before.mass_version);
    assert_true(to->surface_version != before.surface_version);
    assert_true(wri_metal_material.surface(b).weights_version != weights);
    for (int i = 0; i < to->piece_count; i++) {
        assert_true(to->piece_changed[i]);
        assert_memory_equal(to->pieces[i].points, from->pieces[i].points,
                            (size_t)to->pieces[i].point_count * sizeof(wr_vec3));
    }
    assert_true(wri_metal_material.hash(b) == wri_metal_material.hash(a));
    bend(a, 3);
    bend(b, 3);
    assert_true(wri_metal_material.hash(b) == wri_metal_material.hash(a));
    touch(a, 0.5f); // once it is known, too
    assert_true(wri_metal_material.hash(b) != wri_metal_material.hash(a));
    free(bytes);
    wri_metal_material.destroy(a);
    wri_metal_material.destroy(b);
    stop_matter(&m);
}

// Positions of a body all of whose vertices have a mixture of the examples.
static const wr_vec3 *mix(wr_metal *metal)
{
    for (int i = 0; i < metal->asset->N * metal->asset->C; i++) {
        metal->goal[i] = (uint16_t)(WRI_METAL_ONE / 4 + 100 * (i % 5));
    }
    wri_metal_settle(metal);
    return wr_metal_positions(metal);
}

static void a_scaled_asset_bends_to_scaled_shapes(void **state)
{
    (void)state;
    matter one, three;
    start_matter(&one, 1.0f);
    start_matter(&three, 3.0f);
    void *small = make_state(&one), *large = make_state(&three);
    const wr_vec3 *x = mix(wri_metal_of(small)), *y = mix(wri_metal_of(large));
    for (int i = 0; i < one.f.info.vertex_count; i++) {
        CHECK_NEAR(wr_distance(wr_scale(3.0f, x[i]), y[i]), 0, 1e-5);
    }
    wr_vec3 rides[2][2];
    wr_skin_ride_positions(wri_metal_of(small)->asset->skin, wri_metal_of(small)->E, x, NULL, 0,
                           NULL, rides[0]);
    wr_skin_ride_positions(wri_metal_of(large)->asset->skin, wri_metal_of(large)->E, y, NULL, 0,
                           NULL, rides[1]);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(wr_distance(wr_scale(3.0f, rides[0][i]), rides[1][i]), 0, 1e-5);
    }
    double ratio =
        wr_metal_mass(wri_metal_of(large)).mass / wr_metal_mass(wri_metal_of(small)).mass;
    CHECK_NEAR(ratio, 27.0, 1e-3);
    int count;
    const wr_material_part *part = wri_metal_material.parts(large, &count);
    assert_true(part->velocity.z == 3.0f && part->angular_velocity.z == 6.0f);
    assert_true(part->velocity.x == 1.0f && part->angular_velocity.x == 4.0f);
    wri_metal_material.destroy(small);
    wri_metal_material.destroy(large);
    stop_matter(&one);
    stop_matter(&three);
}

static void real_units_are_those_of_the_parameter(void **state)
{
    (void)state;
    matter m;
    start_matter(&m, 1.0f);
    const char *names[] = {"yield", "fade", "patch", "window"};
    for (int k = 0; k < WRI_COUNT(names); k++) {
        for (int i = 0; i < WRI_COUNT(wri_metal_parameters); i++) {
            if (strcmp(wri_metal_parameters[i].name, names[k]) == 0) {
                m.values[i] = 0.3;
                m.is_real[i] = true;
            }
        }
    }
    m.desc.mass = 123.0;
    void *body = make_state(&m);
    const wr_metal_parameters *p = &wri_metal_of(body)->parameters;
    double size = m.f.info.size, speed = sqrt(2.0 * 9.81 * size), time = sqrt(2.0 * size / 9.81);
    CHECK_NEAR(p->yield, 0.3 / speed, 1e-5);
    CHECK_NEAR(p->fade, 0.3 / time, 1e-5);
    CHECK_NEAR(p->window, 0.3 / time, 1e-5);
    CHECK_NEAR(p->patch, 0.3 / size, 1e-5);
    int count;
    CHECK_NEAR(wri_metal_material.parts(body, &count)->mass.mass, 123.0, 1e-9);
    wri_metal_material.destroy(body);
    stop_matter(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_told_and_nothing_else_changes),
        cmocka_unit_test(pieces_are_convex_enough_and_cover_the_surface),
        cmocka_unit_test(neighbourhoods_do_not_depend_on_who_asked_first),
        cmocka_unit_test(distances_are_nearly_straight_in_a_solid),
        cmocka_unit_test(a_hit_reaches_every_vertex_around_by_the_kernel),
        cmocka_unit_test(dents_pass_between_parts_that_nearly_touch),
        cmocka_unit_test(bodies_in_many_threads_share_an_asset),
        cmocka_unit_test(damage_comes_back_exactly_and_is_small),
        cmocka_unit_test(damage_that_merges_to_more_than_all_is_shared_out),
        cmocka_unit_test(damage_merges_in_any_order),
        cmocka_unit_test(broken_damage_is_refused),
        cmocka_unit_test(repair_fades_back_to_rest),
        cmocka_unit_test(small_repairs_add_up),
        cmocka_unit_test(damage_of_other_examples_is_refused),
        cmocka_unit_test(damage_that_is_read_forgets_hits_that_wait),
        cmocka_unit_test(a_patch_moves_to_where_it_is_pushed_now),
        cmocka_unit_test(many_touches_do_not_hide_a_hit),
        cmocka_unit_test(bits_past_the_last_vertex_are_no_vertices),
        cmocka_unit_test(abuse_never_gives_a_number_that_is_none),
        cmocka_unit_test(a_snapshot_goes_on_as_the_body_does),
        cmocka_unit_test(a_snapshot_in_the_middle_of_everything_goes_on),
        cmocka_unit_test(a_snapshot_remembers_how_long_the_last_step_was),
        cmocka_unit_test(the_hash_sees_every_number_of_the_state),
        cmocka_unit_test(damage_that_is_read_forgets_what_was_going_on),
        cmocka_unit_test(every_allocation_may_fail_and_steps_make_none),
        cmocka_unit_test(an_unfit_rig_is_refused),
        cmocka_unit_test(a_contact_is_felt_where_the_part_was),
        cmocka_unit_test(a_restored_material_tells_everything_anew),
        cmocka_unit_test(a_scaled_asset_bends_to_scaled_shapes),
        cmocka_unit_test(real_units_are_those_of_the_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
