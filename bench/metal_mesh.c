// metal_mesh.c: nine barrels fall on a heap, colliding by convex pieces and by triangles.
#include "barrel.h"
#include "metal_bench.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

#include "wrought/rigid.h"

#include <math.h>

enum { BARRELS = 9, WALLS = 5, STEPS = 480 };
static const float DT = 1.0f / 240.0f;

typedef struct heap {
    wr_rigid *rigid;
    wr_metal_asset *asset;
    wr_metal *metals[BARRELS];
    int bodies[BARRELS];
    bool as_mesh;
    double engine, refresh; // seconds
    int64_t refreshed, contacts;
} heap;

static void on_substep(void *user, float dt, const wr_contact *contacts, int count)
{
    (void)dt;
    heap *h = user;
    h->contacts += count;
    for (int i = 0; i < 2 * count; i++) {
        const wr_contact *c = &contacts[i / 2];
        int body = i % 2 ? c->body_b : c->body_a;
        float side = i % 2 ? -1.0f : 1.0f;
        if (body < WALLS) {
            continue;
        }
        wr_pose pose = wr_rigid_pose(h->rigid, body);
        wr_quat back = wr_quat_conjugate(pose.rotation);
        wr_vec3 j = wr_add_scaled(c->tangential_impulse, c->normal_impulse, c->normal);
        wr_metal_add_impulse(h->metals[body - WALLS],
                             wr_rotate(back, wr_sub(c->point, pose.position)),
                             wr_rotate(back, wr_scale(side, j)));
    }
}

static void refresh(heap *h, int i)
{
    wr_metal *metal = h->metals[i];
    double start = wri_seconds();
    if (h->as_mesh) {
        wr_rigid_set_mesh(h->rigid, h->bodies[i], wr_metal_positions(metal));
    }
    int pieces = h->as_mesh ? 0 : wr_metal_asset_describe(h->asset).piece_count;
    for (int p = 0; p < pieces; p++) {
        int count;
        const wr_vec3 *points = wr_metal_piece_points(metal, p, &count);
        if (wr_metal_piece_changed(metal, p)) {
            wr_rigid_set_piece(h->rigid, h->bodies[i], p, points);
        }
    }
    wr_mass_properties mass = wr_metal_mass(metal);
    wr_rigid_set_mass(h->rigid, h->bodies[i], &mass);
    h->refresh += wri_seconds() - start;
    h->refreshed++;
}

static bool add_barrel(heap *h, int i, wr_error *error)
{
    wr_metal_desc desc = wr_metal_desc_default();
    desc.asset = h->asset;
    h->metals[i] = wr_metal_create(&desc, error);
    if (!h->metals[i]) {
        return false;
    }
    wr_metal_asset_info info = wr_metal_asset_describe(h->asset);
    wr_piece pieces[64];
    wr_rigid_body_desc body = wr_rigid_body_desc_default();
    body.shape.kind = h->as_mesh ? WR_SHAPE_MESH : WR_SHAPE_HULLS;
    body.shape.positions = wr_metal_positions(h->metals[i]);
    body.shape.vertex_count = info.vertex_count;
    body.shape.triangles = wr_metal_asset_triangles(h->asset, &body.shape.triangle_count);
    body.shape.pieces = pieces;
    body.shape.piece_count = info.piece_count;
    for (int p = 0; p < info.piece_count; p++) {
        pieces[p].points = wr_metal_piece_points(h->metals[i], p, &pieces[p].point_count);
    }
    body.mass = wr_metal_mass(h->metals[i]);
    body.restitution = wr_metal_restitution(h->metals[i]);
    body.pose.position = wr_v3(0.1f * (float)(i % 3), 0.6f + 0.8f * (float)i, 0.04f * (float)i);
    body.angular_velocity = wr_v3(1.0f + (float)i, 0.0f, 2.0f);
    h->bodies[i] = wr_rigid_add_body(h->rigid, &body, error);
    return h->bodies[i] >= 0;
}

// A bin of 1.6 x 1.6 m, so that it becomes a heap.
static bool add_bin(heap *h, wr_error *error)
{
    wr_rigid_body_desc part = wr_rigid_body_desc_default();
    part.shape.kind = WR_SHAPE_PLANE;
    part.motion = WR_MOTION_STATIC;
    bool ok = wr_rigid_add_body(h->rigid, &part, error) >= 0;
    part.shape.kind = WR_SHAPE_BOX;
    for (int i = 0; ok && i < 4; i++) {
        float side = i % 2 ? 0.9f : -0.9f;
        part.shape.size = i < 2 ? wr_v3(0.2f, 12.0f, 2.0f) : wr_v3(2.0f, 12.0f, 0.2f);
        part.pose.position = wr_v3(i < 2 ? side : 0.0f, 6.0f, i < 2 ? 0.0f : side);
        ok = wr_rigid_add_body(h->rigid, &part, error) >= 0;
    }
    return ok;
}

static bool build(heap *h, wr_error *error)
{
    wr_rigid_desc desc = wr_rigid_desc_default();
    desc.unit_length = 0.76f;
    h->rigid = wr_rigid_create(&desc, error);
    bool ok = h->rigid && add_bin(h, error);
    for (int i = 0; ok && i < BARRELS; i++) {
        ok = add_barrel(h, i, error);
    }
    return ok;
}

static void run(heap *h)
{
    for (int step = 0; step < STEPS; step++) {
        double start = wri_seconds();
        wr_rigid_step(h->rigid, DT, on_substep, h);
        h->engine += wri_seconds() - start;
        for (int i = 0; i < BARRELS; i++) {
            wr_metal_step(h->metals[i], DT);
            if (wr_metal_changed(h->metals[i])) {
                refresh(h, i);
            }
        }
    }
}

static bool bench_heap(const bench_options *options, wr_metal_asset *asset, bool as_mesh,
                       bench_rows *rows, wr_error *error)
{
    heap best = {.engine = INFINITY, .refresh = INFINITY};
    for (int round = 0; round < (options->full ? 5 : as_mesh ? 1 : 2); round++) {
        heap h = {.asset = asset, .as_mesh = as_mesh};
        bool ok = bench_goes_on(options, error) && build(&h, error);
        if (ok) {
            run(&h);
        }
        for (int i = 0; i < BARRELS; i++) {
            wr_metal_destroy(h.metals[i]);
        }
        wr_rigid_destroy(h.rigid);
        if (!ok) {
            return false;
        }
        h.engine = fmin(h.engine, best.engine); // every round does the same
        h.refresh = fmin(h.refresh, best.refresh);
        best = h;
    }
    const char *name = as_mesh ? "heap of 9, triangles" : "heap of 9, pieces";
    bench_add_row(rows, name, "engine per step", "ms", 1e3 * best.engine / STEPS, NAN);
    bench_add_row(rows, name, "contacts", "per step", (double)best.contacts / STEPS, NAN);
    bench_add_row(rows, name, "new shape of a bent body", "us",
                  1e6 * best.refresh / (double)(best.refreshed ? best.refreshed : 1), NAN);
    return true;
}

bool bench_metal_mesh(const bench_options *options, bench_rows *rows, wr_error *error)
{
    barrel *b = barrel_create(8, 21, 0.76f);
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    if (!b) {
        return wri_fail(error, WR_E_MEMORY, "out of memory");
    }
    desc.rig = &b->rig;
    wr_metal_asset *asset = wr_metal_asset_create(&desc, error);
    bool ok = asset && bench_heap(options, asset, false, rows, error) &&
              bench_heap(options, asset, true, rows, error);
    wr_metal_asset_destroy(asset);
    barrel_destroy(b);
    return ok;
}
