// metal.h: a barrel, a body of it, hits, and how far it is dented.
#pragma once

#include "check.h"

#include "../bench/barrel.h"
#include "../src/metal/metal.h"

enum { STEPS_PER_SECOND = 240 };
#define DT (1.0f / STEPS_PER_SECOND)

typedef struct fixture {
    barrel *barrel;
    wr_metal_asset *asset;
    wr_metal_asset_info info;
    wr_metal *body;
} fixture;

static inline wr_metal *make_body(fixture *f, const wr_metal_parameters *parameters)
{
    wr_metal_desc desc = wr_metal_desc_default();
    wr_error error = {0};
    desc.asset = f->asset;
    if (parameters) {
        desc.parameters = *parameters;
    }
    wr_metal *body = wr_metal_create(&desc, &error);
    if (!body) {
        fail_msg("%s", error.message);
    }
    return body;
}

static inline fixture start_sized(int across, int along, float size)
{
    fixture f = {.barrel = barrel_create(across, along, size)};
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    wr_error error = {0};
    desc.rig = &f.barrel->rig;
    f.asset = wr_metal_asset_create(&desc, &error);
    if (!f.asset) {
        fail_msg("%s", error.message);
    }
    f.info = wr_metal_asset_describe(f.asset);
    f.body = make_body(&f, NULL);
    return f;
}

static inline fixture start(void)
{
    return start_sized(6, 9, 0.76f);
}

static inline void stop(fixture *f)
{
    wr_metal_destroy(f->body);
    wr_metal_asset_destroy(f->asset);
    barrel_destroy(f->barrel);
}

// speed in v_L.
static inline void add_hit(fixture *f, wr_metal *body, wr_vec3 point, wr_vec3 direction,
                           float speed)
{
    float j = (float)wr_metal_mass(body).mass * speed * f->info.unit_speed;
    wr_metal_add_impulse(body, point, wr_scale(j, wr_normalize(direction)));
}

static inline void settle(wr_metal *body, float dt)
{
    for (int i = 0; i < 4000 && !wr_metal_is_idle(body); i++) {
        wr_metal_step(body, dt);
    }
    assert_true(wr_metal_is_idle(body));
}

// Points on the barrel's side and top, as shares of its height.
static inline wr_vec3 at(const fixture *f, float x, float y, float z)
{
    return wr_scale(f->info.size, wr_v3(x, y, z));
}

static inline void check_rows(const fixture *f, const wr_metal *body)
{
    const float *E = wr_metal_weights(body);
    const wr_vec3 *x = wr_metal_positions(body);
    for (int i = 0; i < f->info.vertex_count; i++) {
        double sum = 0.0;
        for (int e = 0; e < f->info.example_count; e++) {
            float w = E[i * f->info.example_count + e];
            assert_true(w >= 0.0f && w <= 1.0f);
            sum += (double)w;
        }
        CHECK_NEAR(sum, 1.0, 2e-7);
        assert_true(wr_is_finite3(x[i]));
    }
}

// Largest distance between two bodies' vertices, in body sizes.
static inline float largest_gap(const fixture *f, const wr_vec3 *a, const wr_vec3 *b)
{
    float most = 0.0f;
    for (int i = 0; i < f->info.vertex_count; i++) {
        most = fmaxf(most, wr_distance(a[i], b[i]) / f->info.size);
    }
    return most;
}

static inline float depth(const fixture *f, const wr_metal *body)
{
    return largest_gap(f, wr_metal_positions(body), f->barrel->rest);
}
