// clay.c: what a frame of clay costs, at the particle counts and steps of the thesis, and how that
// grows.
//
// The thesis gives neither sizes nor stiffnesses. Here are blocks of as many particles, all of E =
// 100 own weights as the preset clay, and as large as makes the longest stable substep 1.25 of the
// published one; their height and E are printed. They lie on the ground and are flattened by three
// quarters per own time from the start, so that all of them flow all the time, and for a fifth of
// their own time are measured: neighbours change once or twice meanwhile. That is done again from
// the start, and the quickest counts.
#include "clay_bench.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double FRAME = 1.0 / 30.0;
static const float STIFFNESS = 100.0f; // own weights
static const float RATE = 0.75f;       // per own time: how fast they are flattened
static const float MEASURED = 0.2f;    // own times
static const float WIDTH = 0.3f;       // metres, where nothing else decides

typedef struct example {
    const char *name;
    int across, along; // particles along the axes of the block; what is too much is left out
    int count;
    float dt; // of a substep, s
    wr_clay_embedding embedding;
    double published, goal; // seconds per frame
    int per_step;           // substeps between two looks for contacts
} example;

static const example EXAMPLES[] = {
    {"fig. 3.2 linear, 5 000", 13, 30, 5000, 1e-3f, WR_CLAY_EMBED_LINEAR, 2.36, NAN, 4},
    {"fig. 3.2 nonlinear, 5 000", 13, 30, 5000, 1e-3f, WR_CLAY_EMBED_NONLINEAR, 4.30, NAN, 4},
    {"fig. 3.4, 5 408", 13, 32, 5408, 1e-3f, WR_CLAY_EMBED_LINEAR, 1.2, 0.08, 4},
    {"fig. 3.7, 36 675", 33, 34, 36675, 4e-4f, WR_CLAY_EMBED_LINEAR, 278, 2.0, 10},
    {"fig. 3.8, 10 470", 20, 27, 10470, 5e-3f, WR_CLAY_EMBED_LINEAR, 2.39, 0.10, 1},
    {"fig. 3.9, 21 708", 27, 30, 21708, 1e-4f, WR_CLAY_EMBED_LINEAR, 92, 4.0, 40},
};

// A world with one block over the ground, and what a step of it needs.
typedef struct stage {
    wr_clay_world *world;
    wr_tasks tasks;
    wr_clay_touch *touches;
    int room;
    double seconds[WR_CLAY_STAGE_COUNT];
} stage;

static void close_stage(stage *s)
{
    wr_clay_world_destroy(s->world);
    free(s->touches);
}

// sqrt(2 L / g), where L is the cube root of the volume.
static float own_time(const example *x, float width)
{
    float spacing = width / (float)x->across;
    return sqrtf(2.0f * spacing * cbrtf((float)x->count) / 9.81f);
}

static bool add_block(stage *s, const example *x, float width, wr_error *error)
{
    wr_clay_desc desc = wr_clay_desc_default();
    float spacing = width / (float)x->across;
    float rate = RATE / own_time(x, width); // 1/s
    wr_vec3 *positions = malloc((size_t)x->count * sizeof *positions);
    wr_vec3 *velocities = malloc((size_t)x->count * sizeof *velocities);
    float *volumes = malloc((size_t)x->count * sizeof *volumes);
    bool ok = positions && velocities && volumes;
    for (int i = 0; ok && i < x->count; i++) {
        wr_vec3 place = {(float)(i % x->across), (float)(i / (x->across * x->across)),
                         (float)(i / x->across % x->across)};
        uint32_t hash = (uint32_t)i * 2654435761u;
        float shake = 0.1f * ((float)(hash >> 8) / 8388608.0f - 1.0f);
        positions[i] = wr_v3(spacing * (place.x + shake), spacing * (place.y + 0.6f),
                             spacing * (place.z - shake));
        velocities[i] = wr_v3(0.5f * rate * (positions[i].x - 0.5f * width), -rate * positions[i].y,
                              0.5f * rate * (positions[i].z - 0.5f * width));
        volumes[i] = spacing * spacing * spacing;
    }
    desc.parameters.stiffness = STIFFNESS;
    desc.parameters.yield = 0.1f;
    desc.parameters.flow = 0.2f;
    desc.parameters.viscosity = 0.01f;
    desc.parameters.embedding = x->embedding;
    desc.positions = positions;
    desc.velocities = velocities;
    desc.volumes = volumes;
    desc.count = x->count;
    ok = ok ? wr_clay_add(s->world, &desc, error) == 0 : wri_fail_memory(error, 0);
    free(positions);
    free(velocities);
    free(volumes);
    return ok;
}

static bool open_stage(stage *s, const example *x, float width, const bench_options *options,
                       wr_error *error)
{
    wr_clay_world_desc desc = wr_clay_world_desc_default();
    desc.seconds = wri_seconds;
    *s = (stage){.tasks = wr_tasks_openmp(options->threads)};
    s->world = wr_clay_world_create(&desc, error);
    s->room = x->count * 2;
    s->touches = malloc((size_t)s->room * sizeof *s->touches);
    bool ok =
        s->world && (s->touches || wri_fail_memory(error, 0)) && add_block(s, x, width, error);
    if (!ok) {
        close_stage(s);
    }
    return ok;
}

// Waves of a material of so many own weights run as the root of the size: the longest substep
// grows so, too.
static bool find_width(const example *x, const bench_options *options, float *width,
                       wr_error *error)
{
    stage s;
    if (!open_stage(&s, x, WIDTH, options, error)) {
        return false;
    }
    float ratio = 1.25f * x->dt / wri_clay_longest_substep(wri_clay_of(s.world, 0));
    *width = WIDTH * ratio * ratio;
    close_stage(&s);
    return true;
}

int bench_clay_touch_ground(const wri_clay *c, wr_clay_touch *touches, int room)
{
    int count = 0;
    for (int i = 0; i < c->count && count < room; i++) {
        double height = (double)c->x[i][1] + c->state.origin[1];
        if (c->flags[i] & WRI_CLAY_SURFACE && height < 4.0 * (double)c->radius[i]) {
            touches[count++] =
                (wr_clay_touch){.particle = i, .local_normal = {0, 1, 0}, .friction = 0.6f};
        }
    }
    return count;
}

static void take_step(stage *s, float dt, int substeps)
{
    wr_body_copy ground = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}};
    wr_clay_step step = {.dt = dt,
                         .substeps = substeps,
                         .gravity = {0.0f, -9.81f, 0.0f},
                         .bodies = &ground,
                         .body_count = 1,
                         .touches = s->touches,
                         .tasks = s->tasks};
    step.touch_count = bench_clay_touch_ground(wri_clay_of(s->world, 0), s->touches, s->room);
    wr_clay_world_step(s->world, &step);
    const double *seconds = wr_clay_world_seconds(s->world);
    for (int k = 0; k < WR_CLAY_STAGE_COUNT; k++) {
        s->seconds[k] += seconds[k];
    }
}

// Seconds that `steps` of dt seconds take from the start of a block on, at least `substeps` each.
// The stage is left open as it is then.
static bool measure(stage *s, const example *x, float width, float dt, int substeps, int steps,
                    const bench_options *options, double *seconds, wr_error *error)
{
    const int tries = options->full ? 4 : 2;
    *seconds = INFINITY;
    for (int k = 0; k < tries; k++) {
        if (k > 0) {
            close_stage(s);
        }
        if (!bench_goes_on(options, error) || !open_stage(s, x, width, options, error)) {
            return false;
        }
        take_step(s, dt, substeps);
        memset(s->seconds, 0, sizeof s->seconds);
        double start = wri_seconds();
        for (int i = 0; i < steps; i++) {
            take_step(s, dt, substeps);
        }
        *seconds = fmin(*seconds, wri_seconds() - start);
    }
    return true;
}

// --- tables -----------------------------------------------------------------------------------

// Shares of table 3.2: the thesis' stages in ours.
static void add_shares(const stage *s, const char *name, bench_rows *rows)
{
    static const double published[WR_CLAY_STAGE_COUNT] = {
        [WR_CLAY_STAGE_STRESS] = 3.54,     [WR_CLAY_STAGE_FORCE] = 4.55,
        [WR_CLAY_STAGE_FLOW] = 3.73,       [WR_CLAY_STAGE_VISCOSITY] = 17.19,
        [WR_CLAY_STAGE_MOTION] = 0.36,     [WR_CLAY_STAGE_CONTACT] = 0.19,
        [WR_CLAY_STAGE_EMBEDDING] = 41.70, [WR_CLAY_STAGE_NEIGHBOURS] = 22.91,
        [WR_CLAY_STAGE_RESAMPLING] = 2.24};
    double sum = 0.0;
    for (int k = 0; k < WR_CLAY_STAGE_COUNT; k++) {
        sum += s->seconds[k];
    }
    for (int k = 0; k < WR_CLAY_STAGE_COUNT; k++) {
        bench_add_compared(rows, name, wr_clay_stage_name((wr_clay_stage)k), "% of time",
                           100.0 * s->seconds[k] / sum, published[k],
                           k == WR_CLAY_STAGE_CONTACT ? 15.0 : NAN, false);
    }
}

static bool add_example(const example *x, const bench_options *options, bench_rows *rows,
                        wr_error *error)
{
    stage s;
    float width, dt = x->dt * (float)x->per_step;
    double seconds;
    if (!find_width(x, options, &width, error)) {
        return false;
    }
    int steps = (int)ceilf(MEASURED * own_time(x, width) / dt);
    if (!measure(&s, x, width, dt, x->per_step, steps, options, &seconds, error)) {
        return false;
    }
    const wri_clay *c = wri_clay_of(s.world, 0);
    bench_add_compared(rows, x->name, "time per frame of 1/30 s", "s",
                       seconds / steps * FRAME / (double)dt, x->published, x->goal, false);
    bench_add_row(rows, x->name, "width of the block", "m", (double)width, NAN);
    bench_add_row(rows, x->name, "E", "Pa", (double)(STIFFNESS * c->moduli.pressure), NAN);
    bench_add_row(rows, x->name, "substep", "s", (double)dt / c->substeps, NAN);
    bench_add_row(rows, x->name, "embeddings", "per own time",
                  c->state.embeddings / (double)(MEASURED + dt / own_time(x, width)), NAN);
    if (x->count == 5408) {
        add_shares(&s, x->name, rows);
    }
    close_stage(&s);
    return true;
}

// The same material with substeps of its own.
static bool add_own_step(const bench_options *options, bench_rows *rows, wr_error *error)
{
    const example *x = &EXAMPLES[2];
    const char *name = "5 408, own step";
    int steps = (int)ceilf(240.0f * MEASURED * own_time(x, WIDTH));
    stage s;
    double seconds;
    if (!measure(&s, x, WIDTH, 1.0f / 240.0f, 0, steps, options, &seconds, error)) {
        return false;
    }
    bench_add_row(rows, name, "time per frame of 1/30 s", "s", 8.0 * seconds / steps, 0.08);
    bench_add_row(rows, name, "substeps", "per 1/240 s", wri_clay_of(s.world, 0)->substeps, NAN);
    close_stage(&s);
    return true;
}

// --- growth -----------------------------------------------------------------------------------

// One body at all sizes, with the substeps that it needs, for two steps of 1/240 s.
static bool add_growth(const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const int counts[] = {5000, 16000, 50000, 160000, 500000};
    const int sizes = options->full ? 5 : 3;
    const bench_plot plot = {"clay-growth", "What a substep costs as bodies grow", "particles",
                             "ns per particle and substep"};
    int at = bench_add_plot(rows, &plot);
    double first = 0.0, last = 0.0;
    for (int k = 0; k < sizes; k++) {
        int side = (int)ceil(cbrt(counts[k]));
        example x = {.across = side, .along = side, .count = counts[k]};
        char name[64];
        stage s;
        snprintf(name, sizeof name, "%d particles", counts[k]);
        double seconds;
        if (!measure(&s, &x, WIDTH, 1.0f / 240.0f, 0, 2, options, &seconds, error)) {
            return false;
        }
        double each = 1e9 * seconds / (2.0 * counts[k] * wri_clay_of(s.world, 0)->substeps);
        bench_add_row(rows, name, "time per particle, substep", "ns", each, NAN);
        bench_add_point(rows, at, "substep", true, counts[k], each);
        if (k == 0) {
            first = each;
            bench_add_row(rows, name, "memory per particle", "bytes",
                          (double)wr_clay_memory(s.world, 0) / counts[k], 1500.0);
        }
        last = each;
        close_stage(&s);
    }
    double power = 1.0 + log(last / first) / log((double)counts[sizes - 1] / counts[0]);
    bench_add_row(rows, "clay", "time grows with power", "", power, 1.15);
    return true;
}

bool bench_clay(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bool ok = true;
    for (int i = 0; ok && i < WRI_COUNT(EXAMPLES); i++) {
        ok = add_example(&EXAMPLES[i], options, rows, error);
    }
    return ok && add_own_step(options, rows, error) && bench_clay_volume(options, rows, error) &&
           add_growth(options, rows, error);
}
