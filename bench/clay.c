// clay.c: what a frame of clay costs, at the particle counts and steps of the thesis, and how that
// grows.
//
// The thesis gives neither sizes nor stiffnesses. Here are blocks of as many particles that fall on
// the ground and flow, with E such that the longest stable substep is 1.25 of the published one; E
// is printed, in own weights. They lie on the ground and are flattened at a rate of 3 per second
// from the start, so that all of them flow all the time; of the large ones only a part of a frame
// is measured, in whole steps, as often as fits into the time there is.
#include "clay_bench.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double FRAME = 1.0 / 30.0;

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
    float stiffness;
    double seconds[WR_CLAY_STAGE_COUNT];
} stage;

static void close_stage(stage *s)
{
    wr_clay_world_destroy(s->world);
    free(s->touches);
}

static bool add_block(stage *s, const example *x, float stiffness, wr_error *error)
{
    wr_clay_desc desc = wr_clay_desc_default();
    float spacing = 0.3f / (float)x->across;
    const float rate = 3.0f; // 1/s
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
        velocities[i] = wr_v3(0.5f * rate * (positions[i].x - 0.15f), -rate * positions[i].y,
                              0.5f * rate * (positions[i].z - 0.15f));
        volumes[i] = spacing * spacing * spacing;
    }
    desc.parameters.stiffness = stiffness;
    desc.parameters.yield = 0.1f;
    desc.parameters.flow = 0.2f;
    desc.parameters.viscosity = 1e-3f * sqrtf(stiffness); // waves are damped alike
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

static bool open_stage(stage *s, const example *x, float stiffness, const bench_options *options,
                       wr_error *error)
{
    wr_clay_world_desc desc = wr_clay_world_desc_default();
    desc.seconds = wri_seconds;
    *s = (stage){.tasks = wr_tasks_openmp(options->threads), .stiffness = stiffness};
    s->world = wr_clay_world_create(&desc, error);
    s->room = x->count * 2;
    s->touches = malloc((size_t)s->room * sizeof *s->touches);
    bool ok =
        s->world && (s->touches || wri_fail_memory(error, 0)) && add_block(s, x, stiffness, error);
    if (!ok) {
        close_stage(s);
    }
    return ok;
}

// The fastest oscillation and its damping grow with the root of E.
static bool open_for_step(stage *s, const example *x, const bench_options *options, wr_error *error)
{
    const float guess = 100.0f;
    if (!open_stage(s, x, guess, options, error)) {
        return false;
    }
    float ratio = wri_clay_longest_substep(wri_clay_of(s->world, 0)) / (1.25f * x->dt);
    close_stage(s);
    return open_stage(s, x, guess * ratio * ratio, options, error);
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

// Seconds per substep, the best of a few stretches of steps.
static double measure(stage *s, float dt, int per_step, bool full)
{
    const int warm = 4, stretches = full ? 5 : 3;
    const double patience = full ? 2.0 : 0.4; // seconds, of a stretch
    double best = INFINITY;
    for (int i = 0; i < warm; i++) {
        take_step(s, dt * (float)per_step, per_step);
    }
    memset(s->seconds, 0, sizeof s->seconds);
    for (int k = 0; k < stretches; k++) {
        double start = wri_seconds(), now = start;
        int steps = 0;
        do {
            take_step(s, dt * (float)per_step, per_step);
            steps++;
            now = wri_seconds();
        } while (now - start < patience);
        best = fmin(best, (now - start) / (steps * per_step));
    }
    return best;
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
    if (!open_for_step(&s, x, options, error)) {
        return false;
    }
    double substep = measure(&s, x->dt, x->per_step, options->full);
    bench_add_compared(rows, x->name, "time per frame of 1/30 s", "s",
                       substep * FRAME / (double)x->dt, x->published, x->goal, false);
    bench_add_row(rows, x->name, "E", "own weights", (double)s.stiffness, NAN);
    bench_add_row(rows, x->name, "substep", "s",
                  (double)x->dt * x->per_step / wri_clay_of(s.world, 0)->substeps, NAN);
    if (x->count == 5408) {
        add_shares(&s, x->name, rows);
    }
    close_stage(&s);
    return true;
}

// The default material with substeps of its own.
static bool add_own_step(const bench_options *options, bench_rows *rows, wr_error *error)
{
    const example *x = &EXAMPLES[2];
    const char *name = "5 408, the preset clay";
    stage s;
    if (!open_stage(&s, x, 100.0f, options, error)) {
        return false;
    }
    double step = measure(&s, 1.0f / 240.0f, 1, options->full);
    bench_add_row(rows, name, "time per frame of 1/30 s", "s", 8.0 * step, 0.08);
    bench_add_row(rows, name, "substeps", "per 1/240 s", wri_clay_of(s.world, 0)->substeps, NAN);
    close_stage(&s);
    return true;
}

// --- growth -----------------------------------------------------------------------------------

// One material at all sizes, with the substeps that it needs: with one substep at all sizes it
// would be the softer the finer, and flow ever more.
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
        if (!bench_goes_on(options, error) || !open_stage(&s, &x, 100.0f, options, error)) {
            return false;
        }
        double each = 1e9 * measure(&s, 1.0f / 240.0f, 1, options->full) / counts[k];
        each /= wri_clay_of(s.world, 0)->substeps;
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
        ok = bench_goes_on(options, error) && add_example(&EXAMPLES[i], options, rows, error);
    }
    return ok && add_own_step(options, rows, error) && bench_clay_volume(options, rows, error) &&
           add_growth(options, rows, error);
}
