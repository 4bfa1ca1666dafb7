// Parts of a sprite's step against sums of their own: points and outlines, bodies on nails that
// move, and what a contact knows of both its sides.
#include "sprite_trial.h"

// --- outlines ---------------------------------------------------------------------------------

// A crossing count over all edges, however far the point is.
static bool is_in_outline(const wri_sprite *s, float x, float y)
{
    bool inside = false;
    for (int e = 0; e < s->asset->edge_count; e++) {
        int a = s->asset->edges[2 * e], b = s->asset->edges[2 * e + 1];
        float ax = s->x[a], ay = s->y[a], bx = s->x[b], by = s->y[b];
        if ((ay > y) != (by > y) && x < ax + (y - ay) / (by - ay) * (bx - ax)) {
            inside = !inside;
        }
    }
    return inside;
}

static float distance_to_outline(const wri_sprite *s, float x, float y)
{
    float least = INFINITY;
    for (int e = 0; e < s->asset->edge_count; e++) {
        int a = s->asset->edges[2 * e], b = s->asset->edges[2 * e + 1];
        float dx = s->x[b] - s->x[a], dy = s->y[b] - s->y[a], px = x - s->x[a], py = y - s->y[a];
        float t = wr_clampf((px * dx + py * dy) / (dx * dx + dy * dy), 0.0f, 1.0f);
        least = fminf(least, hypotf(px - t * dx, py - t * dy));
    }
    return least;
}

// A block bent into a hook, with corners of all kinds, and its mirror image.
static void the_nearest_edge_tells_what_is_inside(void **state)
{
    (void)state;
    trial t = begin(0.0f);
    wr_sprite_desc desc = describe(add_block(&t, 2.0f, 0.5f, 6, 2), 0.0f, 0.0f);
    wri_sprite *s = wri_sprite_of(t.world, add(&t, &desc));
    for (int i = 0; i < s->asset->N; i++) { // bends by a right angle and widens
        float a = 1.5f * s->x[i], r = 0.9f - (0.8f + 0.5f * s->x[i]) * s->y[i];
        s->x[i] = r * sinf(a);
        s->y[i] = -r * cosf(a) + 0.3f * sinf(3.0f * a);
    }
    uint64_t seed = 3;
    for (int k = 0; k < 2; k++) {
        int inside = 0;
        for (int i = 0; i < 4000; i++) {
            float x = random_float(&seed, -1.6f, 1.6f), y = random_float(&seed, -1.6f, 1.6f);
            bool expected = is_in_outline(s, x, y);
            if (distance_to_outline(s, x, y) > 1e-4f) {
                int edge = wri_sprite_nearest_edge(t.world, s, x, y, 0.0f);
                assert_int_equal(edge >= 0, expected);
                inside += expected;
            }
        }
        assert_true(inside > 200);
        for (int i = 0; i < s->asset->N; i++) {
            s->x[i] = -s->x[i];
        }
        s->state.flipped = !s->state.flipped;
    }
    end(&t);
}

// --- nails ------------------------------------------------------------------------------------

// Nails that turn about a point that moves: the point's motion is not taken for a turn, and places
// of the body go as the turn takes them.
static void nails_that_move_and_turn_are_told_apart(void **state)
{
    (void)state;
    const float omega = 1.7f, vx = 4.0f, vy = -2.5f, dt = 0.01f;
    trial t = begin(0.0f);
    wr_sprite_desc desc = describe(add_block(&t, 1.6f, 0.6f, 8, 3), 0.3f, -0.2f);
    int number = add(&t, &desc);
    wri_sprite *s = wri_sprite_of(t.world, number);
    const int particles[3] = {0, s->asset->N / 2, s->asset->N - 2};
    double mx = 0.0, my = 0.0;
    for (int k = 0; k < 3; k++) {
        wr_vec2 place = {s->x[particles[k]], s->y[particles[k]]};
        assert_true(wr_sprite_set_nail(t.world, number, particles[k], place, NULL));
        mx += (double)place.x / 3.0;
        my += (double)place.y / 3.0;
    }
    for (int k = 0; k < 3; k++) {
        float x = s->x[particles[k]] - (float)mx, y = s->y[particles[k]] - (float)my;
        s->nail_velocities[k] = (wr_vec2){vx - omega * y, vy + omega * x};
    }
    wri_fulcrum p = wri_sprite_find_fulcrum(s);
    CHECK_NEAR(p.x, mx, 1e-6);
    CHECK_NEAR(p.vx, vx, 1e-5);
    CHECK_NEAR(p.vy, vy, 1e-5);
    CHECK_NEAR(wri_sprite_nail_angular_velocity(s, &p), omega, 1e-5);
    s->state.angular_velocity = omega;
    for (int k = 0; k < 8; k++) { // places all round, normals askew
        float x = 0.9f * cosf((float)k), y = 0.9f * sinf((float)k), nx = 0.6f, ny = -0.8f;
        double u = (double)vx - (double)omega * ((double)y - my);
        double v = (double)vy + (double)omega * ((double)x - mx);
        CHECK_NEAR(wri_sprite_travel_on_nails(s, x, y, nx, ny, dt),
                   (double)dt * (0.6 * u - 0.8 * v), 1e-6);
    }
    end(&t);
}

// --- contacts ---------------------------------------------------------------------------------

// A corner of the level in a sprite, and two sprites in one another: the friction is the geometric
// mean of both sides.
static void contacts_have_the_friction_of_both(void **state)
{
    (void)state;
    static const wr_vec2 wedge[3] = {{-0.3f, -1.0f}, {0.3f, -1.0f}, {0.0f, 0.0f}};
    trial t = begin(0.0f);
    wr_sprite_level level = {
        .corners = wedge, .corner_count = 3, .position = {0.0f, -0.45f}, .friction = 0.9f};
    assert_true(wr_sprite_add_level(t.world, &level, NULL) >= 0);
    const wr_sprite_asset *block = add_block(&t, 1.0f, 1.0f, 8, 8);
    for (int i = 0; i < 2; i++) {
        wr_sprite_desc desc = describe(block, 0.95f * (float)i, 0.05f * (float)i);
        desc.parameters.friction = i ? 0.25f : 0.4f;
        add(&t, &desc);
    }
    wr_sprite_world_step(t.world, DT, NULL);
    int corners = 0, sprites = 0;
    for (int i = 0; i < t.world->contact_count; i++) {
        const wri_contact *c = &WRI_ITEM(t.world->contacts, wri_contact, i);
        CHECK_NEAR(c->friction, c->a < 0 ? sqrt(0.9 * 0.4) : sqrt(0.4 * 0.25), 1e-6);
        corners += c->a < 0;
        sprites += c->a >= 0;
    }
    assert_true(corners > 0 && sprites > 0);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_edge_tells_what_is_inside),
        cmocka_unit_test(nails_that_move_and_turn_are_told_apart),
        cmocka_unit_test(contacts_have_the_friction_of_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
