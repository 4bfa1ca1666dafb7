// What metal promises about dents: rows inside the simplex, dents where and as hard as the body was
// hit, nothing at rest, the same at any step, scale and side; momentum kept.
#include "metal.h"

// --- dents ------------------------------------------------------------------------------------

static void a_hit_dents_where_it_lands_the_way_it_pushes(void **state)
{
    (void)state;
    fixture f = start();
    add_hit(&f, f.body, at(&f, 0.38f, 0.02f, 0.03f), wr_v3(-1, 0, 0), 0.8f);
    wr_metal_step(f.body, DT);
    assert_int_equal(wr_metal_stats(f.body).hits, 1);
    assert_true(wr_metal_changed(f.body));
    settle(f.body, DT);
    check_rows(&f, f.body);
    float d = depth(&f, f.body);
    assert_true(d > 0.03f && d < 0.3f);
    const wr_vec3 *x = wr_metal_positions(f.body);
    for (int i = 0; i < f.info.vertex_count; i++) { // nothing on the far side, nothing outwards
        wr_vec3 u = f.barrel->rest[i];
        float gone = wr_distance(x[i], u) / f.info.size;
        if (wr_distance(u, at(&f, 0.38f, 0.02f, 0.03f)) > 0.65f * f.info.size) {
            assert_true(gone == 0.0f);
        }
        if (u.x > 0.33f * f.info.size && fabsf(u.y) < 0.1f * f.info.size) {
            assert_true(gone > 0.02f && x[i].x < u.x);
        }
    }
    assert_int_equal(wr_metal_inverted_count(f.body), 0);
    stop(&f);
}

// Hammered all over its side, over a tenth of its size.
static void hammer(fixture *f, float steep, int *inverted, float *deepest)
{
    wr_metal_parameters p = wr_metal_parameters_default();
    uint64_t seed = 3;
    p.reach = 0.1f;
    p.steep = steep;
    wr_metal *body = make_body(f, &p);
    for (int i = 0; i < 60; i++) {
        float angle = random_float(&seed, -0.8f, 0.8f), y = random_float(&seed, -0.3f, 0.3f);
        add_hit(f, body, at(f, 0.38f * cosf(angle), y, 0.38f * sinf(angle)),
                wr_v3(-cosf(angle), 0, -sinf(angle)), 3.0f);
        wr_metal_step(body, DT);
    }
    settle(body, DT);
    check_rows(f, body);
    *inverted = wr_metal_inverted_count(body);
    *deepest = depth(f, body);
    wr_metal_destroy(body);
}

static void a_steep_limit_keeps_a_body_from_running_through_itself(void **state)
{
    (void)state;
    fixture f = start_sized(8, 21, 0.76f);
    int free, limited;
    float far, near;
    hammer(&f, 0.0f, &free, &far);
    hammer(&f, 0.3f, &limited, &near);
    print_message("    inside out: %d, with the limit %d; depth %.3f, with the limit %.3f\n", free,
                  limited, (double)far, (double)near);
    assert_true(free > 20);
    assert_int_equal(limited, 0);
    assert_true(far > 0.1f && near <= 0.03f + 1e-3f && near > 0.015f); // 0.3 of a reach of 0.1
    stop(&f);
}

// How far each vertex goes in the example that moves it farthest.
static void measure_examples(const fixture *f, float *farthest)
{
    size_t n = (size_t)f->info.vertex_count, examples = (size_t)f->info.example_count;
    wr_skin_desc desc = wr_skin_desc_default();
    wr_tasks tasks = {0};
    wr_skin *skin = wr_skin_create(&f->barrel->rig, &desc, NULL);
    float *rows = calloc(n * examples, sizeof *rows);
    wr_vec3 *x = calloc(n, sizeof *x);
    assert_true(skin && rows && x);
    for (size_t e = 1; e < examples; e++) {
        for (size_t i = 0; i < n; i++) {
            rows[i * examples + e - 1] = 0.0f;
            rows[i * examples + e] = 1.0f;
        }
        wr_skin_positions(skin, rows, NULL, 0, &tasks, x);
        for (size_t i = 0; i < n; i++) {
            farthest[i] = fmaxf(farthest[i], wr_distance(x[i], f->barrel->rest[i]));
        }
    }
    free(x);
    free(rows);
    wr_skin_destroy(skin);
}

// Rows stay in the simplex, so that a body that is struck in one place again and again comes near
// what was sculpted and goes no farther.
static void ten_hits_on_one_place_go_no_deeper_than_its_examples(void **state)
{
    (void)state;
    fixture f = start_sized(8, 21, 0.76f);
    float *farthest = calloc((size_t)f.info.vertex_count, sizeof *farthest);
    assert_non_null(farthest);
    measure_examples(&f, farthest);
    float sculpted = 0.0f, first = 0.0f;
    for (int i = 0; i < f.info.vertex_count; i++) {
        sculpted = fmaxf(sculpted, farthest[i] / f.info.size);
    }
    const wr_vec3 way = wr_v3(-1, -0.2f, 0.1f);
    for (int hit = 0; hit < 10; hit++) {
        add_hit(&f, f.body, at(&f, 0.38f, 0.05f, 0.03f), way, 1.2f);
        settle(f.body, DT);
        check_rows(&f, f.body);
        float deep = depth(&f, f.body);
        first = hit == 0 ? deep : first;
        print_message("    hit %d: %.4f of its size, sculpted %.4f\n", hit, (double)deep,
                      (double)sculpted);
        const wr_vec3 *x = wr_metal_positions(f.body);
        for (int i = 0; i < f.info.vertex_count; i++) {
            float gone = wr_distance(x[i], f.barrel->rest[i]);
            assert_true(gone <= farthest[i] + 1e-5f * f.info.size);
        }
    }
    assert_true(depth(&f, f.body) > 0.5f * sculpted);
    assert_true(depth(&f, f.body) > 1.05f * first);
    free(farthest);
    stop(&f);
}

static void what_is_not_above_the_yield_changes_nothing_at_all(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal_add_impulse(f.body, at(&f, 0.38f, 0, 0), wr_v3(0, 0, 0));
    add_hit(&f, f.body, at(&f, 0.38f, 0, 0), wr_v3(-1, 0, 0),
            0.995f * wr_metal_parameters_default().yield);
    settle(f.body, DT);
    assert_true(depth(&f, f.body) == 0.0f);
    // Ten barrels on top for 10 s, on four corners, with a solver's noise.
    uint64_t seed = 5;
    for (int i = 0; i < 2400; i++) {
        for (int k = 0; k < 4; k++) {
            float weight = 9.81f * 10.0f * DT / f.info.unit_speed / 4.0f;
            float noise = random_float(&seed, 0.5f, 1.5f);
            add_hit(&f, f.body, at(&f, k & 1 ? 0.2f : -0.2f, -0.5f, k & 2 ? 0.2f : -0.2f),
                    wr_v3(0.1f * (noise - 1.0f), 1, 0), weight * noise);
        }
        wr_metal_step(f.body, DT);
        assert_true(!wr_metal_changed(f.body));
    }
    assert_int_equal(wr_metal_stats(f.body).hits_total, 0);
    assert_true(wr_metal_stats(f.body).to_come == 0.0);
    assert_true(depth(&f, f.body) == 0.0f);
    // And on one point, laid on suddenly.
    for (int i = 0; i < 480; i++) {
        add_hit(&f, f.body, at(&f, 0, 0.5f, 0), wr_v3(0, -1, 0),
                9.81f * 10.0f * DT / f.info.unit_speed);
        wr_metal_step(f.body, DT);
    }
    assert_int_equal(wr_metal_stats(f.body).hits_total, 0);
    // But a press beyond what it carries does bend it.
    for (int i = 0; i < 240; i++) {
        add_hit(&f, f.body, at(&f, 0, 0.5f, 0), wr_v3(0, -1, 0),
                9.81f * 200.0f * DT / f.info.unit_speed);
        wr_metal_step(f.body, DT);
    }
    assert_true(depth(&f, f.body) > 0.1f);
    stop(&f);
}

static void a_mirrored_hit_gives_a_mirrored_dent(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal *other = make_body(&f, NULL);
    const float hits[3][7] = {{0.33f, 0.1f, 0.17f, -1, 0.1f, -0.4f, 0.9f},
                              {0.1f, 0.5f, 0.2f, 0.2f, -1, 0.1f, 1.2f},
                              {0.2f, -0.3f, 0.28f, -0.4f, 0.1f, -1, 1.5f}};
    for (int i = 0; i < 3; i++) {
        const float *h = hits[i];
        add_hit(&f, f.body, at(&f, h[0], h[1], h[2]), wr_v3(h[3], h[4], h[5]), h[6]);
        add_hit(&f, other, at(&f, h[0], h[1], -h[2]), wr_v3(h[3], h[4], -h[5]), h[6]);
        settle(f.body, DT);
        settle(other, DT);
    }
    assert_true(depth(&f, f.body) > 0.05f);
    const wr_vec3 *a = wr_metal_positions(f.body), *b = wr_metal_positions(other);
    int side = 7;
    for (int i = 0; i < f.info.vertex_count; i++) {
        int layer = i / (side * side), row = i / side % side, column = i % side;
        wr_vec3 m = b[layer * side * side + (side - 1 - row) * side + column];
        CHECK_NEAR((double)(wr_distance(a[i], wr_v3(m.x, m.y, -m.z)) / f.info.size), 0.0, 3e-4);
    }
    wr_metal_destroy(other);
    stop(&f);
}

static void lambda_does_not_change_where_it_ends(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal_parameters p = wr_metal_parameters_default();
    static const float lambdas[] = {NAN, 0.0f, 0.5f, 0.9f, 0.99f};
    float most = 0.0f;
    for (int i = 0; i < WRI_COUNT(lambdas); i++) {
        p.lambda = lambdas[i];
        wr_metal *body = make_body(&f, &p);
        for (int hit = 0; hit < 2; hit++) {
            add_hit(&f, body, at(&f, 0.38f, 0.1f, 0.05f), wr_v3(-1, 0, 0), 0.6f + (float)hit);
            settle(body, DT);
        }
        if (i == 0) {
            settle(f.body, DT);
            size_t size = wr_metal_write_damage(body, NULL);
            void *bytes = malloc(size);
            wr_metal_write_damage(body, bytes);
            assert_true(wr_metal_read_damage(f.body, bytes, size, NULL));
            free(bytes);
        }
        // The second hit sees weights within the accuracy of the first one's goal.
        most = fmaxf(most, largest_gap(&f, wr_metal_positions(body), wr_metal_positions(f.body)));
        wr_metal_destroy(body);
    }
    printf("    lambda 0 ... 0.99: final vertices within %.1e body sizes\n", (double)most);
    assert_true(most < 1e-3f);
    stop(&f);
}

static void a_body_moves_at_most_as_often_as_asked(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal_parameters p = wr_metal_parameters_default();
    p.refresh = 0.0f;
    wr_metal *often = make_body(&f, &p);
    int moves[2] = {0};
    wr_metal *both[2] = {f.body, often};
    for (int i = 0; i < 61; i++) {
        for (int k = 0; k < 2; k++) {
            if (i % 15 == 0) {
                add_hit(&f, both[k], at(&f, 0.38f, 0.1f, 0.05f), wr_v3(-1, 0, 0), 0.5f);
            }
            wr_metal_step(both[k], DT);
            moves[k] += wr_metal_changed(both[k]);
            assert_true(i > 0 || wr_metal_changed(both[k])); // the first hit shows at once
        }
        double a = wr_metal_stats(f.body).to_come, b = wr_metal_stats(often).to_come;
        CHECK_NEAR(a, b, 0.1 * b + 1e-4);
    }
    assert_int_equal(moves[0], 16);
    assert_int_equal(moves[1], 61);
    settle(f.body, DT);
    settle(often, DT);
    assert_true(largest_gap(&f, wr_metal_positions(f.body), wr_metal_positions(often)) < 0.01f);
    wr_metal_destroy(often);
    stop(&f);
}

// A hit of 8 ms, rising and falling, in steps of dt.
static void scripted_hit(fixture *f, wr_metal *body, float dt)
{
    float length = 0.008f, done = 0.0f;
    for (float t = 0.0f; t < length; t += dt) {
        float end = fminf(t + dt, length);
        float until = 0.5f * (1.0f - cosf(WR_PI * end / length));
        add_hit(f, body, at(f, 0.35f, 0.1f, 0.1f), wr_v3(-1, 0.1f, -0.1f), 1.2f * (until - done));
        wr_metal_step(body, dt);
        done = until;
    }
    settle(body, dt);
}

static void the_step_does_not_matter(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal *once = make_body(&f, NULL);
    add_hit(&f, once, at(&f, 0.35f, 0.1f, 0.1f), wr_v3(-1, 0.1f, -0.1f), 1.2f);
    settle(once, DT);
    scripted_hit(&f, f.body, 1.0f / 120.0f);
    for (int i = 1; i < 5; i++) {
        wr_metal *body = make_body(&f, NULL);
        float dt = 1.0f / 120.0f / (float)(1 << i);
        scripted_hit(&f, body, dt);
        float gap = largest_gap(&f, wr_metal_positions(body), wr_metal_positions(f.body));
        float from_once = largest_gap(&f, wr_metal_positions(body), wr_metal_positions(once));
        printf("    8 ms in steps of 1/%.0f s: %.4f body sizes from twice the step, %.4f from "
               "one blow (depth %.3f)\n",
               1.0 / (double)dt, (double)gap, (double)from_once, (double)depth(&f, body));
        assert_true(gap < 0.03f);
        wr_metal_destroy(f.body);
        f.body = body;
    }
    wr_metal_destroy(once);
    stop(&f);
}

static void one_hit_in_several_points_is_one_hit(void **state)
{
    (void)state;
    fixture f = start();
    wr_metal *parts = make_body(&f, NULL);
    wr_vec3 p = at(&f, 0.36f, 0.05f, 0.05f), d = wr_v3(-1, 0, 0);
    add_hit(&f, f.body, p, d, 0.5f);
    for (int k = 0; k < 4; k++) { // each alone is below the yield
        wr_vec3 off = at(&f, 0, k & 1 ? 0.04f : -0.04f, k & 2 ? 0.04f : -0.04f);
        add_hit(&f, parts, wr_add(p, off), d, 0.125f);
    }
    settle(f.body, DT);
    settle(parts, DT);
    assert_true(depth(&f, f.body) > 0.02f);
    assert_true(largest_gap(&f, wr_metal_positions(f.body), wr_metal_positions(parts)) < 1e-3f);
    wr_metal_destroy(parts);
    stop(&f);
}

static void any_size_dents_alike(void **state)
{
    (void)state;
    fixture reference = start();
    for (int i = 0; i < 6; i++) {
        float scale = i % 2 ? 100.0f : 0.01f, time = sqrtf(scale);
        fixture f = start_sized(6, 9, 0.76f * scale);
        wr_metal_parameters p = wr_metal_parameters_default();
        p.projection = (wr_metal_projection)(i / 2);
        p.bend = i / 2 == 2 ? 5.0f : p.bend;
        assert_true(wr_metal_set_parameters(f.body, &p, NULL));
        add_hit(&f, f.body, at(&f, 0.3f, 0.1f, 0.2f), wr_v3(-1, 0, -0.5f), 1.1f);
        settle(f.body, DT * time);
        if (i % 2 == 0) {
            wr_metal_destroy(reference.body);
            reference.body = make_body(&reference, &p);
            add_hit(&reference, reference.body, at(&reference, 0.3f, 0.1f, 0.2f),
                    wr_v3(-1, 0, -0.5f), 1.1f);
            settle(reference.body, DT);
        }
        float most = 0.0f;
        for (int v = 0; v < f.info.vertex_count; v++) {
            wr_vec3 a = wr_scale(scale, wr_metal_positions(reference.body)[v]);
            most = fmaxf(most, wr_distance(a, wr_metal_positions(f.body)[v]) / f.info.size);
        }
        printf("    scale %g: %.1e body sizes apart, depth %.3f\n", (double)scale, (double)most,
               (double)depth(&f, f.body));
        assert_true(most < 3e-4f);
        assert_true(depth(&f, f.body) > 0.03f);
        stop(&f);
    }
    stop(&reference);
}

static void a_finer_mesh_dents_alike(void **state)
{
    (void)state;
    fixture coarse = start_sized(6, 10, 0.76f), fine = start_sized(8, 12, 0.76f);
    fixture *both[2] = {&coarse, &fine};
    for (int i = 0; i < 2; i++) {
        add_hit(both[i], both[i]->body, at(both[i], 0.36f, 0.1f, 0.08f), wr_v3(-1, 0, 0), 0.9f);
        settle(both[i]->body, DT);
    }
    // The deepest point, and the middle of the mass.
    CHECK_NEAR((double)depth(&coarse, coarse.body), (double)depth(&fine, fine.body), 0.02);
    CHECK_NEAR(wr_metal_mass(coarse.body).center[0] / 0.76,
               wr_metal_mass(fine.body).center[0] / 0.76, 0.005);
    printf("    depth %.3f with %d vertices, %.3f with %d\n", (double)depth(&coarse, coarse.body),
           coarse.info.vertex_count, (double)depth(&fine, fine.body), fine.info.vertex_count);
    stop(&coarse);
    stop(&fine);
}

static void a_strong_hit_along_an_example_chooses_it(void **state)
{
    (void)state;
    fixture f = start();
    int E = f.info.example_count, clear = 0, chosen = 0, moved = 0;
    float *J = malloc((size_t)(3 * E) * sizeof *J), *w = malloc((size_t)E * sizeof *w);
    for (int s = 0; s < f.asset->surface_count; s++) {
        int v = f.asset->surface[s], best = 1;
        wr_metal *body = make_body(&f, NULL);
        wr_skin_jacobians(f.asset->skin, wr_metal_weights(body), &v, 1, NULL, J);
        wr_vec3 columns[BARREL_EXAMPLES];
        for (int e = 1; e < E; e++) {
            columns[e] = wr_v3(J[e] - J[0], J[E + e] - J[E], J[2 * E + e] - J[2 * E]);
            best = wr_length(columns[e]) > wr_length(columns[best]) ? e : best;
        }
        bool is_clear = wr_length(columns[best]) > 0.01f * f.info.size;
        moved += is_clear;
        for (int e = 1; e < E; e++) {
            float cosine = wr_dot(wr_normalize(columns[e]), wr_normalize(columns[best]));
            is_clear &= e == best || cosine < 0.8f;
        }
        if (is_clear) {
            clear++;
            add_hit(&f, body, f.barrel->rest[v], columns[best], 6.0f);
            wr_metal_step(body, DT);
            wr_metal_goal(body, v, w);
            int largest = 0;
            for (int e = 1; e < E; e++) {
                largest = w[e] > w[largest] ? e : largest;
            }
            chosen += largest == best;
        }
        wr_metal_destroy(body);
    }
    printf("    of %d surface vertices examples move %d, one clearly most %d, and it was chosen at "
           "%d (%.0f %%)\n",
           f.asset->surface_count, moved, clear, chosen, 100.0 * chosen / clear);
    assert_true(clear > f.asset->surface_count / 4);
    assert_true(chosen >= 0.95 * clear);
    free(J);
    free(w);
    stop(&f);
}

// A body a hundred times as heavy is dented by one that meets it as if it weighed no more than
// `struck_by`, whatever the law; by its own mass nothing happens.
static void what_is_light_dents_what_is_heavy(void **state)
{
    (void)state;
    fixture f = start();
    for (int law = 0; law < 3; law++) {
        wr_metal *bodies[3];
        for (int i = 0; i < 3; i++) { // as light as what hits it; heavy; heavy, and meant for it
            wr_metal_desc desc = wr_metal_desc_default();
            desc.asset = f.asset;
            desc.mass = i == 0 ? 40.0 : 4000.0;
            desc.parameters.yield_by = (wr_metal_yield)law;
            desc.parameters.yield = law == 0 ? 0.2f : law == 1 ? 20.0f : 0.004f;
            desc.parameters.bend = law == 0 ? 1.1f : 40.0f;
            desc.parameters.struck_by = i == 2 ? 40.0f : INFINITY;
            bodies[i] = wr_metal_create(&desc, NULL);
            wr_metal_add_impulse(bodies[i], at(&f, 0.33f, 0.1f, 0.05f), wr_v3(-180, 20, 40));
            wr_metal_step(bodies[i], DT);
            settle(bodies[i], DT);
        }
        assert_true(depth(&f, bodies[0]) > 0.01f);
        CHECK_NEAR(depth(&f, bodies[1]), 0.0, law == 1 ? 0.01 : 0.0); // a yield impulse is one
        CHECK_NEAR(largest_gap(&f, wr_metal_positions(bodies[0]), wr_metal_positions(bodies[2])),
                   0.0, 1e-6);
        for (int i = 0; i < 3; i++) {
            wr_metal_destroy(bodies[i]);
        }
    }
    stop(&f);
}

static void all_projections_and_yields_bend_the_same_way(void **state)
{
    (void)state;
    fixture f = start();
    for (int k = 0; k < 9; k++) {
        wr_metal_parameters p = wr_metal_parameters_default();
        p.yield_by = (wr_metal_yield)(k / 3);
        p.projection = (wr_metal_projection)(k % 3);
        p.bend = k % 3 == 2 ? 8.0f : p.bend;
        float speed = 1.0f;
        if (k / 3 > 0) { // the paper's and the program's numbers for the same hit and yield
            float m = (float)f.info.mass;
            p.yield = p.yield * f.info.unit_speed * (k / 3 == 1 ? m : DT);
            p.bend *= f.info.size / f.info.unit_speed / DT;
        }
        wr_metal *body = make_body(&f, &p);
        add_hit(&f, body, at(&f, 0.36f, 0.05f, 0.05f), wr_v3(-1, 0, 0), speed);
        settle(body, DT);
        check_rows(&f, body);
        float w[BARREL_EXAMPLES];
        int v = f.asset->surface[0];
        for (int s = 0; s < f.asset->surface_count; s++) { // the struck one
            wr_vec3 p0 = at(&f, 0.36f, 0.05f, 0.05f);
            v = wr_distance(f.barrel->rest[f.asset->surface[s]], p0) <
                        wr_distance(f.barrel->rest[v], p0)
                    ? f.asset->surface[s]
                    : v;
        }
        wr_metal_goal(body, v, w);
        assert_true(w[1] > 0.1f && w[1] > w[2]);
        assert_true(depth(&f, body) > 0.02f);
        // With the same numbers, all three forms of the yield agree to a few steps of the grid.
        if (k == 0) {
            wr_metal_destroy(f.body);
            f.body = make_body(&f, NULL);
            add_hit(&f, f.body, at(&f, 0.36f, 0.05f, 0.05f), wr_v3(-1, 0, 0), speed);
            settle(f.body, DT);
        } else if (k % 3 == 0) {
            assert_true(largest_gap(&f, wr_metal_positions(f.body), wr_metal_positions(body)) <
                        1e-3f);
        }
        wr_metal_destroy(body);
    }
    stop(&f);
}

static void a_hit_across_all_examples_does_nothing(void **state)
{
    (void)state;
    fixture f = start();
    float J[3 * BARREL_EXAMPLES];
    for (int s = 0; s < f.asset->surface_count; s += 13) {
        int v = f.asset->surface[s];
        wr_metal *body = make_body(&f, NULL);
        wr_skin_jacobians(f.asset->skin, wr_metal_weights(body), &v, 1, NULL, J);
        wr_vec3 a = wr_v3(J[1] - J[0], J[4] - J[3], J[7] - J[6]),
                b = wr_v3(J[2] - J[0], J[5] - J[3], J[8] - J[6]);
        wr_vec3 across = wr_normalize(wr_cross(a, b)), along = wr_normalize(wr_add(a, b));
        add_hit(&f, body, f.barrel->rest[v], wr_add_scaled(across, 0.02f, along), 5.0f);
        wr_metal_step(body, DT);
        float w[BARREL_EXAMPLES];
        wr_metal_goal(body, v, w);
        assert_true(w[0] == 1.0f);
        wr_metal_destroy(body);
    }
    stop(&f);
}

static void maps_make_weak_and_strong_places(void **state)
{
    (void)state;
    fixture f = start();
    int n = f.info.vertex_count;
    float *strength = malloc((size_t)n * sizeof *strength),
          *yield = malloc((size_t)n * sizeof *yield), *reach = malloc((size_t)n * sizeof *reach);
    for (int i = 0; i < n; i++) {
        bool upper = f.barrel->rest[i].y > 0.0f;
        strength[i] = upper ? INFINITY : 0.5f;
        yield[i] = f.barrel->rest[i].z > 0.0f ? 1000.0f : 1.0f;
        reach[i] = 0.5f;
    }
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    desc.rig = &f.barrel->rig;
    desc.strength = strength;
    desc.yield = yield;
    desc.reach = reach;
    wr_metal_asset *asset = wr_metal_asset_create(&desc, NULL);
    wr_metal_desc body_desc = wr_metal_desc_default();
    body_desc.asset = asset;
    wr_metal *body = wr_metal_create(&body_desc, NULL);
    add_hit(&f, body, at(&f, 0.2f, -0.05f, 0.3f), wr_v3(-1, 0, 0), 2.0f); // hard to yield
    settle(body, DT);
    assert_true(depth(&f, body) == 0.0f);
    add_hit(&f, body, at(&f, 0.34f, -0.1f, -0.1f), wr_v3(-1, 0, 0), 1.0f);
    settle(body, DT);
    assert_true(depth(&f, body) > 0.02f);
    for (int i = 0; i < n; i++) {
        if (f.barrel->rest[i].y > 0.0f ||
            wr_distance(f.barrel->rest[i], at(&f, 0.34f, -0.1f, -0.1f)) > 0.35f * f.info.size) {
            assert_true(wr_distance(wr_metal_positions(body)[i], f.barrel->rest[i]) == 0.0f);
        }
    }
    yield[3] = NAN;
    wr_error error = {0};
    assert_null(wr_metal_asset_create(&desc, &error));
    assert_non_null(strstr(error.message, "yield: vertex 3"));
    free(strength);
    free(yield);
    free(reach);
    wr_metal_destroy(body);
    wr_metal_asset_destroy(asset);
    stop(&f);
}

static void presets_have_names_and_order(void **state)
{
    (void)state;
    int count;
    const wr_preset *presets = wr_metal_presets(&count);
    fixture f = start();
    float depths[16] = {0};
    for (int i = 0; i < count; i++) {
        wr_metal_parameters p;
        assert_true(wr_metal_find_preset(presets[i].name, &p, NULL));
        wr_metal *body = make_body(&f, &p);
        add_hit(&f, body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.5f);
        settle(body, DT);
        depths[i] = depth(&f, body);
        printf("    %-16s a fall from its own height, bouncing: %.3f body sizes deep\n",
               presets[i].name, (double)depths[i]);
        wr_metal_destroy(body);
    }
    wr_metal_parameters p;
    wr_error error = {0};
    assert_true(!wr_metal_find_preset("thin stel", &p, &error));
    assert_non_null(strstr(error.message, "thin steel"));
    p = wr_metal_parameters_default();
    p.reach = 0.0f;
    assert_true(!wr_metal_set_parameters(f.body, &p, &error));
    assert_non_null(strstr(error.message, "reach"));
    stop(&f);
}

// --- motion -----------------------------------------------------------------------------------

typedef struct momenta {
    double p[3], l[3], center[3];
} momenta;

// From the vertices themselves.
static momenta sum_momenta(const fixture *f, const wr_vec3 *x, wr_quat rotation, wr_vec3 v,
                           wr_vec3 w)
{
    momenta s = {{0}, {0}, {0}};
    double mass = 0.0;
    for (int i = 0; i < f->info.vertex_count; i++) {
        double m = (double)f->asset->masses[i];
        wr_vec3 p = wr_rotate(rotation, x[i]);
        s.center[0] += m * (double)p.x;
        s.center[1] += m * (double)p.y;
        s.center[2] += m * (double)p.z;
        mass += m;
    }
    wr_vec3 c = wr_v3((float)(s.center[0] / mass), (float)(s.center[1] / mass),
                      (float)(s.center[2] / mass));
    for (int i = 0; i < f->info.vertex_count; i++) {
        double m = (double)f->asset->masses[i];
        wr_vec3 r = wr_sub(wr_rotate(rotation, x[i]), c), u = wr_cross(w, r), l = wr_cross(r, u);
        s.p[0] += m * (double)(v.x + u.x);
        s.p[1] += m * (double)(v.y + u.y);
        s.p[2] += m * (double)(v.z + u.z);
        s.l[0] += m * (double)l.x;
        s.l[1] += m * (double)l.y;
        s.l[2] += m * (double)l.z;
    }
    return s;
}

static void momentum_is_kept(void **state)
{
    (void)state;
    fixture f = start();
    wr_quat q = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 0.8f);
    wr_vec3 v = wr_v3(3, -2, 5), w = wr_v3(7, 11, -4);
    momenta before = sum_momenta(&f, wr_metal_positions(f.body), q, v, w);
    wr_mass_properties mass = wr_metal_mass(f.body), first = mass;
    add_hit(&f, f.body, at(&f, 0.3f, 0.2f, 0.2f), wr_v3(-1, -0.3f, -0.5f), 2.5f);
    double gain = 0.0;
    for (int i = 0; i < 4000 && !wr_metal_is_idle(f.body); i++) {
        wr_metal_step(f.body, DT);
        wr_mass_properties now = wr_metal_mass(f.body);
        gain += wr_metal_keep_momentum(&mass, &now, q, &v, &w);
        mass = now;
    }
    assert_true(fabs(mass.center[0] - first.center[0]) > 1e-3 * (double)f.info.size);
    momenta after = sum_momenta(&f, wr_metal_positions(f.body), q, v, w);
    double l =
        sqrt(before.l[0] * before.l[0] + before.l[1] * before.l[1] + before.l[2] * before.l[2]);
    double worst = 0.0;
    for (int k = 0; k < 3; k++) {
        worst = fmax(worst, fabs(after.l[k] - before.l[k]) / l);
        CHECK_NEAR(after.p[k], before.p[k], 1e-4 * mass.mass * 5.0);
    }
    double spin_energy = 0.5 * l * (double)wr_length(wr_v3(7, 11, -4));
    printf("    angular momentum kept to %.1e; kinetic energy changed by %.2f of about %.1f J\n",
           worst, gain, spin_energy);
    assert_true(worst < 1e-4);
    stop(&f);
}

static double kinetic_energy(const wr_mass_properties *m, wr_quat q, wr_vec3 v, wr_vec3 w)
{
    wr_vec3 own = wr_rotate(wr_quat_conjugate(q), w);
    const double u[3] = {own.x, own.y, own.z};
    double spin = 0.0;
    for (int i = 0; i < 9; i++) {
        spin += u[i / 3] * m->inertia[i / 3][i % 3] * u[i % 3];
    }
    return 0.5 * (m->mass * (double)wr_dot(v, v) + spin);
}

// A body that becomes lighter and another shape in flight: what it tells of its energy is true.
static void the_gain_is_that_of_the_kinetic_energy(void **state)
{
    (void)state;
    const wr_mass_properties before = {
        5.0, {0.1, 0, 0}, {{3.0, 0.4, -0.2}, {0.4, 2.0, 0.3}, {-0.2, 0.3, 1.5}}};
    const wr_mass_properties after = {
        4.0, {0, 0.2, 0}, {{2.0, -0.3, 0.1}, {-0.3, 2.5, 0.2}, {0.1, 0.2, 1.0}}};
    wr_quat q = wr_quat_from_axis_angle(wr_v3(1, -2, 0.5f), 1.1f);
    wr_vec3 v = wr_v3(3, -2, 5), w = wr_v3(1, 2, -4), v0 = v;
    double had = kinetic_energy(&before, q, v, w);
    double gain = wr_metal_keep_momentum(&before, &after, q, &v, &w);
    CHECK_NEAR(gain, kinetic_energy(&after, q, v, w) - had, 1e-4 * had);
    CHECK_NEAR(wr_distance(wr_scale(4.0f, v), wr_scale(5.0f, v0)), 0.0, 1e-5);
}

// A rod has no inertia about itself: it gets no spin there, and keeps the others.
static void a_rod_gets_no_spin_about_itself(void **state)
{
    (void)state;
    const wr_mass_properties before = {2.0, {0, 0, 0}, {{3, 0, 0}, {0, 3, 0}, {0, 0, 0.5}}};
    const wr_mass_properties after = {2.0, {0, 0, 0}, {{2, 0, 0}, {0, 1.5, 0}, {0, 0, 0}}};
    wr_quat q = wr_quat_from_axis_angle(wr_v3(2, 1, -0.5f), 0.8f);
    wr_vec3 v = wr_v3(1, 2, 3), w = wr_rotate(q, wr_v3(0.6f, -0.8f, 7.0f));
    wr_metal_keep_momentum(&before, &after, q, &v, &w);
    wr_vec3 expected = wr_rotate(q, wr_v3(0.9f, -1.6f, 0.0f));
    CHECK_NEAR(wr_distance(w, expected), 0.0, 1e-5);
}

static void mass_properties_are_those_of_the_points(void **state)
{
    (void)state;
    fixture f = start();
    // A solid barrel weighs what its elements fill, and stands symmetric.
    wr_mass_properties mass = wr_metal_mass(f.body);
    double volume = 0.0;
    for (int t = 0; t < f.barrel->rig.element_count; t++) {
        const int *v = &f.barrel->elements[4 * t];
        const wr_vec3 *u = f.barrel->rest;
        wr_vec3 n = wr_cross(wr_sub(u[v[1]], u[v[0]]), wr_sub(u[v[2]], u[v[0]]));
        volume += (double)wr_dot(n, wr_sub(u[v[3]], u[v[0]])) / 6.0;
    }
    CHECK_NEAR(mass.mass, 1000.0 * volume, 1e-3);
    int count;
    const int *triangles = wr_metal_asset_triangles(f.asset, &count);
    double enclosed = 0.0; // by the boundary, seen from outside
    for (int t = 0; t < count; t++) {
        const wr_vec3 *u = f.barrel->rest;
        const int *v = &triangles[3 * t];
        enclosed += (double)wr_dot(u[v[0]], wr_cross(u[v[1]], u[v[2]])) / 6.0;
    }
    CHECK_NEAR(enclosed, volume, 1e-6);
    CHECK_NEAR(mass.center[0], 0.0, 1e-6);
    CHECK_NEAR(mass.center[2], 0.0, 1e-6);
    CHECK_NEAR(mass.inertia[0][1], 0.0, 1e-4);
    // Hollow: more inertia per mass. And after a dent the sums by block are those of a fresh body.
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    desc.rig = &f.barrel->rig;
    desc.density = 7800.0;
    desc.wall = 0.001f;
    wr_metal_asset *hollow = wr_metal_asset_create(&desc, NULL);
    wr_metal_desc body_desc = wr_metal_desc_default();
    body_desc.asset = hollow;
    body_desc.mass = 20.0;
    wr_metal *body = wr_metal_create(&body_desc, NULL);
    wr_mass_properties shell = wr_metal_mass(body);
    CHECK_NEAR(shell.mass, 20.0, 1e-9);
    assert_true(shell.inertia[1][1] / shell.mass > 1.3 * mass.inertia[1][1] / mass.mass);
    assert_true(wr_metal_asset_describe(hollow).mass > 10.0);
    for (int i = 0; i < 5; i++) {
        float j = 20.0f * f.info.unit_speed;
        wr_metal_add_impulse(body, at(&f, 0.3f, 0.1f * (float)i, 0.2f), wr_v3(-j, 0, -j));
        settle(body, DT);
    }
    size_t size = wr_metal_write_damage(body, NULL);
    uint8_t *bytes = malloc(size);
    wr_metal_write_damage(body, bytes);
    wr_metal *other = wr_metal_create(&body_desc, NULL);
    assert_true(wr_metal_read_damage(other, bytes, size, NULL));
    wr_mass_properties a = wr_metal_mass(body), b = wr_metal_mass(other);
    assert_memory_equal(&a, &b, sizeof a);
    double moments[3];
    wr_pose frame = wr_metal_principal_frame(&a, moments);
    CHECK_NEAR(moments[0] + moments[1] + moments[2],
               a.inertia[0][0] + a.inertia[1][1] + a.inertia[2][2], 1e-9);
    CHECK_NEAR((double)frame.position.x, a.center[0], 1e-6);
    free(bytes);
    wr_metal_destroy(other);
    wr_metal_destroy(body);
    wr_metal_asset_destroy(hollow);
    stop(&f);
}

// Dents on one side move the centre of mass along all three axes.
static void the_inertia_of_a_dented_body_is_that_of_its_points(void **state)
{
    (void)state;
    fixture f = start();
    for (int i = 0; i < 6; i++) {
        add_hit(&f, f.body, at(&f, 0.25f, 0.35f - 0.05f * (float)i, 0.25f), wr_v3(-1, -1, -2),
                3.0f);
        settle(f.body, DT);
    }
    const wr_vec3 *x = wr_metal_positions(f.body);
    wr_mass_properties mass = wr_metal_mass(f.body);
    double sum = 0.0, c[3] = {0}, inertia[3][3] = {{0}};
    for (int i = 0; i < f.info.vertex_count; i++) {
        double m = (double)f.asset->masses[i];
        sum += m;
        c[0] += m * (double)x[i].x, c[1] += m * (double)x[i].y, c[2] += m * (double)x[i].z;
    }
    for (int k = 0; k < 3; k++) {
        c[k] /= sum;
        CHECK_NEAR(mass.center[k], c[k], 1e-6);
        assert_true(fabs(c[k] - (double)f.asset->center[k]) > 5e-4 * (double)f.info.size);
    }
    for (int i = 0; i < 9 * f.info.vertex_count; i++) {
        wr_vec3 p = x[i / 9];
        double d[3] = {(double)p.x - c[0], (double)p.y - c[1], (double)p.z - c[2]};
        int row = i % 9 / 3, column = i % 3;
        double square = row == column ? d[0] * d[0] + d[1] * d[1] + d[2] * d[2] : 0.0;
        inertia[row][column] +=
            (double)f.asset->masses[i / 9] * (square - d[row] * d[column]) * mass.mass / sum;
    }
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(mass.inertia[i / 3][i % 3], inertia[i / 3][i % 3], 2e-6 * inertia[0][0]);
    }
    stop(&f);
}

static void bending_eats_bounce_and_it_comes_back(void **state)
{
    (void)state;
    fixture f = start();
    float bounce = wr_metal_restitution(f.body);
    add_hit(&f, f.body, at(&f, 0.36f, 0, 0.05f), wr_v3(-1, 0, 0), 1.5f);
    wr_metal_step(f.body, DT);
    float least = wr_metal_restitution(f.body);
    assert_true(least < 0.8f * bounce && least > 0.0f);
    float rate = wr_metal_parameters_default().recover / f.info.unit_time;
    for (int i = 0; i < 40; i++) {
        float last = wr_metal_restitution(f.body);
        wr_metal_step(f.body, DT);
        assert_true(wr_metal_restitution(f.body) >= last);
        assert_true(wr_metal_restitution(f.body) <= last + 1.001f * rate * DT + 1e-6f);
    }
    settle(f.body, DT);
    assert_true(wr_metal_restitution(f.body) == bounce);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_dents_where_it_lands_the_way_it_pushes),
        cmocka_unit_test(a_steep_limit_keeps_a_body_from_running_through_itself),
        cmocka_unit_test(ten_hits_on_one_place_go_no_deeper_than_its_examples),
        cmocka_unit_test(what_is_not_above_the_yield_changes_nothing_at_all),
        cmocka_unit_test(a_mirrored_hit_gives_a_mirrored_dent),
        cmocka_unit_test(lambda_does_not_change_where_it_ends),
        cmocka_unit_test(a_body_moves_at_most_as_often_as_asked),
        cmocka_unit_test(the_step_does_not_matter),
        cmocka_unit_test(one_hit_in_several_points_is_one_hit),
        cmocka_unit_test(any_size_dents_alike),
        cmocka_unit_test(a_finer_mesh_dents_alike),
        cmocka_unit_test(a_strong_hit_along_an_example_chooses_it),
        cmocka_unit_test(what_is_light_dents_what_is_heavy),
        cmocka_unit_test(all_projections_and_yields_bend_the_same_way),
        cmocka_unit_test(a_hit_across_all_examples_does_nothing),
        cmocka_unit_test(maps_make_weak_and_strong_places),
        cmocka_unit_test(presets_have_names_and_order),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(the_gain_is_that_of_the_kinetic_energy),
        cmocka_unit_test(a_rod_gets_no_spin_about_itself),
        cmocka_unit_test(mass_properties_are_those_of_the_points),
        cmocka_unit_test(the_inertia_of_a_dented_body_is_that_of_its_points),
        cmocka_unit_test(bending_eats_bounce_and_it_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
