// metal.c: what deformation costs, without an engine: barrels under a script of hits like those of
// the pachinko scene, bodies at rest, damage as bytes, growth with vertices and examples.
#include "barrel.h"
#include "metal_bench.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BARRELS = 9, STEPS = 1200 };
static const double AUTHORS_DEFORMATION = 0.88; // ms per step, nine barrels of 1790/12/3
static const float DT = 1.0f / 240.0f;

static float noise(uint32_t *seed) // [0, 1)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) * 0x1p-24f;
}

// --- barrels ----------------------------------------------------------------------------------

typedef struct yard {
    barrel *barrel;
    wr_metal_asset *asset;
    wr_metal_asset_info info;
    wr_metal *bodies[BARRELS];
} yard;

static void yard_destroy(yard *y)
{
    for (int i = 0; i < BARRELS; i++) {
        wr_metal_destroy(y->bodies[i]);
    }
    wr_metal_asset_destroy(y->asset);
    barrel_destroy(y->barrel);
}

static bool add_bodies(yard *y, wr_error *error)
{
    wr_metal_desc desc = wr_metal_desc_default();
    desc.asset = y->asset;
    for (int i = 0; i < BARRELS; i++) {
        wr_metal_destroy(y->bodies[i]);
        y->bodies[i] = wr_metal_create(&desc, error);
        if (!y->bodies[i]) {
            return false;
        }
    }
    return true;
}

// All neighbourhoods that hits may need.
static void bench_balls(const yard *y, bench_rows *rows)
{
    double start = wri_seconds();
    wr_metal_asset_prepare(y->asset, wr_metal_parameters_default().reach, NULL);
    double seconds = wri_seconds() - start;
    wr_metal_asset_info info = wr_metal_asset_describe(y->asset);
    bench_add_row(rows, "neighbourhood of a vertex, once", "time", "us",
                  1e6 * seconds / info.ball_count, NAN);
    bench_add_row(rows, "neighbourhoods of the whole asset", "memory", "MB",
                  1e-6 * (double)info.ball_size, NAN);
}

static bool yard_create(yard *y, int across, int along, bench_rows *rows, wr_error *error)
{
    *y = (yard){.barrel = barrel_create(across, along, 0.76f)};
    if (!y->barrel) {
        return wri_fail(error, WR_E_MEMORY, "out of memory");
    }
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    desc.rig = &y->barrel->rig;
    double start = wri_seconds();
    y->asset = wr_metal_asset_create(&desc, error);
    if (!y->asset) {
        return false;
    }
    y->info = wr_metal_asset_describe(y->asset);
    if (rows) {
        bench_add_row(rows, "asset, 1782/12/3", "time to create", "ms",
                      1e3 * (wri_seconds() - start), NAN);
        bench_add_row(rows, "asset", "convex pieces", "", y->info.piece_count, NAN);
        bench_add_row(rows, "asset", "pieces off the surface", "% of size",
                      100.0 * (double)y->info.piece_error, 2.0);
        bench_balls(y, rows);
        bench_add_row(rows, "body", "memory", "kB", 1e-3 * (double)y->info.body_bytes, NAN);
    }
    return add_bodies(y, error);
}

// --- a script of hits -------------------------------------------------------------------------

typedef struct tally {
    double
        seconds[STEPS]; // the least of all rounds, which are alike: others run on the machine, too
    double hits, bending_bodies, skinned_bodies, skinned_vertices;
} tally;

static void add_hit(const yard *y, wr_metal *body, float angle, float height, float speed)
{
    wr_vec3 point = wr_scale(y->info.size, wr_v3(0.36f * cosf(angle), height, 0.36f * sinf(angle)));
    float j = (float)y->info.mass * y->info.unit_speed * speed;
    wr_metal_add_impulse(body, point,
                         wr_v3(-j * cosf(angle), -0.5f * j * height, -j * sinf(angle)));
}

// Lies on two points.
static void add_rest(const yard *y, wr_metal *body)
{
    float weight = 0.5f * 9.81f * DT / y->info.unit_speed;
    add_hit(y, body, 1.5f, 0.3f, weight);
    add_hit(y, body, 1.5f, -0.3f, weight);
}

// Hits come 0.9 times a step, some of them too weak, on three barrels at a time; the others lie on
// something.
static void run_script(const yard *y, uint32_t seed, tally *t)
{
    t->hits = t->bending_bodies = t->skinned_bodies = t->skinned_vertices = 0.0;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BARRELS; i++) {
            add_rest(y, y->bodies[i]);
        }
        if (noise(&seed) < 0.9f) {
            int which =
                (int)(BARRELS * noise(&seed) * noise(&seed) * noise(&seed)); // some more often
            float angle = 6.28f * noise(&seed), height = noise(&seed) - 0.5f;
            add_hit(y, y->bodies[which], angle, height, 0.1f + 0.5f * noise(&seed));
        }
        double start = wri_seconds();
        for (int i = 0; i < BARRELS; i++) {
            wr_metal_step(y->bodies[i], DT);
        }
        t->seconds[step] = fmin(t->seconds[step], wri_seconds() - start);
        for (int i = 0; i < BARRELS; i++) {
            wr_metal_statistics s = wr_metal_stats(y->bodies[i]);
            t->hits += s.hits;
            t->bending_bodies += s.bending > 0;
            t->skinned_bodies += s.skinned > 0;
            t->skinned_vertices += s.skinned;
        }
    }
}

static double sum_seconds(const tally *t)
{
    double sum = 0.0;
    for (int i = 0; i < STEPS; i++) {
        sum += t->seconds[i];
    }
    return sum;
}

static bool bench_script(const bench_options *options, yard *y, bench_rows *rows, wr_error *error)
{
    tally best;
    for (int i = 0; i < STEPS; i++) {
        best.seconds[i] = INFINITY;
    }
    for (int round = 0; round < (options->full ? 40 : 8); round++) {
        if (!add_bodies(y, error) || !bench_goes_on(options, error)) {
            return false;
        }
        run_script(y, 7, &best);
    }
    bench_add_row(rows, "9 barrels, 1 thread", "deformation per step", "ms",
                  1e3 * sum_seconds(&best) / STEPS, 0.06);
    bench_set_authors(rows, AUTHORS_DEFORMATION);
    bench_add_row(rows, "9 barrels", "yielding contacts", "per step", best.hits / STEPS, 0.7);
    rows->rows[rows->count - 1].more_is_better = true;
    bench_add_row(rows, "9 barrels", "bending bodies", "per step", best.bending_bodies / STEPS,
                  3.0);
    rows->rows[rows->count - 1].more_is_better = true;
    bench_add_row(rows, "9 barrels", "skinned bodies", "per step", best.skinned_bodies / STEPS,
                  NAN);
    bench_add_row(rows, "9 barrels", "skinned vertices", "per step", best.skinned_vertices / STEPS,
                  NAN);
    bench_add_row(rows, "bending body", "deformation per step", "us",
                  1e6 * sum_seconds(&best) / best.bending_bodies, NAN);
    return true;
}

// --- at rest, one hit, bytes ------------------------------------------------------------------

static void bench_rest(const yard *y, bench_rows *rows)
{
    wr_metal *body = y->bodies[0];
    for (int i = 0; i < 5000 && !wr_metal_is_idle(body); i++) {
        wr_metal_step(body, DT);
    }
    for (int kind = 0; kind < 2; kind++) {
        double best = INFINITY;
        for (int round = 0; round < 50; round++) {
            double start = wri_seconds();
            for (int i = 0; i < 200; i++) {
                for (int k = 0; k < 2 * kind; k++) {
                    add_rest(y, body);
                }
                wr_metal_step(body, DT);
            }
            best = fmin(best, (wri_seconds() - start) / 200);
        }
        bench_add_row(rows, kind ? "body on four contacts" : "idle body", "time per step", "us",
                      1e6 * best, 1.0);
    }
}

static void bench_hit(const yard *y, bench_rows *rows)
{
    double best = INFINITY;
    for (int i = 0; i < 20; i++) { // the same place again, so that its neighbourhood is known
        add_hit(y, y->bodies[0], 0.3f, 0.1f, 0.5f);
        double start = wri_seconds();
        wr_metal_step(y->bodies[0], DT);
        best = i > 0 ? fmin(best, wri_seconds() - start) : best;
    }
    bench_add_row(rows, "step with a hit", "time", "us", 1e6 * best, NAN);
}

static bool bench_damage(const yard *y, bench_rows *rows, wr_error *error)
{
    static uint8_t bytes[1 << 16];
    double size = 0.0, write = INFINITY, read = INFINITY;
    for (int i = 0; i < BARRELS; i++) {
        size_t used = wr_metal_write_damage(y->bodies[i], NULL);
        if (used > sizeof bytes) {
            return wri_fail(error, WR_E_FULL, "damage of %zu bytes", used);
        }
        double start = wri_seconds();
        wr_metal_write_damage(y->bodies[i], bytes);
        double middle = wri_seconds();
        if (!wr_metal_read_damage(y->bodies[i], bytes, used, error)) {
            return false;
        }
        write = fmin(write, middle - start);
        read = fmin(read, wri_seconds() - middle);
        size += (double)used / BARRELS;
    }
    bench_add_row(rows, "damage of a dented barrel", "size", "bytes", size, NAN);
    bench_add_row(rows, "damage", "time to write", "us", 1e6 * write, NAN);
    bench_add_row(rows, "damage", "time to read and skin", "us", 1e6 * read, NAN);
    return true;
}

// --- growth -------------------------------------------------------------------------------------

// The script on barrels of this rig: one row, and a point of a plot at x.
static bool bench_growth(const bench_options *options, const wr_rig *rig, const char *name,
                         int plot, double x, bench_rows *rows, wr_error *error)
{
    static tally best;
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    desc.rig = rig;
    yard y = {.asset = wr_metal_asset_create(&desc, error)};
    if (!y.asset) {
        return false;
    }
    y.info = wr_metal_asset_describe(y.asset);
    wr_metal_asset_prepare(y.asset, wr_metal_parameters_default().reach, NULL);
    for (int i = 0; i < STEPS; i++) {
        best.seconds[i] = INFINITY;
    }
    bool ok = true;
    for (int round = 0; ok && round < (options->full ? 10 : 2); round++) {
        ok = add_bodies(&y, error) && bench_goes_on(options, error);
        if (ok) {
            run_script(&y, 7, &best);
        }
    }
    if (ok) {
        double ms = 1e3 * sum_seconds(&best) / STEPS;
        bench_add_row(rows, name, "deformation per step", "ms", ms, NAN);
        bench_add_point(rows, plot, "here, one thread", true, x, ms);
    }
    yard_destroy(&y);
    return ok;
}

static bool bench_vertices(const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const int sizes[][2] = {{4, 11}, {6, 17}, {8, 21}, {10, 29}, {12, 42}};
    int plot = bench_add_plot(rows, &(bench_plot){"metal-vertices",
                                                  "Deformation of nine barrels under a script of "
                                                  "hits: growth with the simulation mesh",
                                                  "vertices of each barrel", "ms per step"});
    for (int i = 0; i < WRI_COUNT(sizes); i++) {
        barrel *b = barrel_create(sizes[i][0], sizes[i][1], 0.76f);
        if (!b) {
            return wri_fail(error, WR_E_MEMORY, "out of memory");
        }
        char name[64];
        snprintf(name, sizeof name, "9 barrels, %d vertices", b->rig.vertex_count);
        bool ok = bench_growth(options, &b->rig, name, plot, b->rig.vertex_count, rows, error);
        barrel_destroy(b);
        if (!ok) {
            return false;
        }
    }
    bench_add_point(rows, plot, "goal", false, 1790, 0.06);
    bench_add_point(rows, plot, "the authors' program", false, 1790, AUTHORS_DEFORMATION);
    return true;
}

// Besides rest; each pushes one handle in.
static bool bench_examples(const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const int counts[] = {1, 2, 4, 8, BARREL_HANDLES};
    static wr_handle_pose poses[BARREL_HANDLES + 1][BARREL_HANDLES];
    wr_example examples[BARREL_HANDLES + 1];
    barrel *b = barrel_create(8, 21, 0.76f);
    int plot = bench_add_plot(rows, &(bench_plot){"metal-examples",
                                                  "Deformation of nine barrels under a script of "
                                                  "hits: growth with the examples",
                                                  "examples besides rest", "ms per step"});
    if (!b) {
        return wri_fail(error, WR_E_MEMORY, "out of memory");
    }
    for (int e = 0; e <= BARREL_HANDLES; e++) {
        for (int h = 0; h < BARREL_HANDLES; h++) {
            wr_vec3 in = wr_scale(h == e - 1 ? -0.8f : 0.0f, b->handles[h].pivot);
            poses[e][h] = (wr_handle_pose){WR_QUAT_IDENTITY, in, {1, 1, 1, 0, 0, 0}};
        }
        examples[e] = (wr_example){"example", poses[e], NULL};
    }
    bool ok = true;
    for (int i = 0; ok && i < WRI_COUNT(counts); i++) {
        char name[64];
        wr_rig rig = b->rig;
        rig.examples = examples;
        rig.example_count = counts[i] + 1;
        snprintf(name, sizeof name, "9 barrels, %d examples and rest", counts[i]);
        ok = bench_growth(options, &rig, name, plot, counts[i], rows, error);
    }
    bench_add_point(rows, plot, "goal", false, 2, 0.06);
    bench_add_point(rows, plot, "the authors' program", false, 2, AUTHORS_DEFORMATION);
    barrel_destroy(b);
    return ok;
}

bool bench_metal(const bench_options *options, bench_rows *rows, wr_error *error)
{
    yard y;
    bool ok = yard_create(&y, 8, 21, rows, error) && bench_script(options, &y, rows, error) &&
              bench_damage(&y, rows, error);
    if (ok) {
        bench_hit(&y, rows);
        bench_rest(&y, rows);
    }
    yard_destroy(&y);
    return ok && bench_metal_mesh(options, rows, error) && bench_vertices(options, rows, error) &&
           bench_examples(options, rows, error) && bench_metal_scenes(options, rows, error);
}
