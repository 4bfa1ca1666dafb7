// morph_run.c: how long a frame of bodies of morph takes.
//
// A frame is one step of 1/60 s at a pose that is another one in every frame and, where that is
// measured, the places of all displayed vertices in the world. The shortest of several runs over
// the same frames counts; one thread is measured by its processor time, several by the clock on the
// wall.
#include "morph_bench.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 15, POSES = MORPH_BENCH_POSES };

typedef struct show {
    const morph_run_desc *run;
    wr_morph_model *model;
    wr_morph_world *world;
    wr_vec3 *places;
    int frames;
} show;

static bool play(show *s, int frames)
{
    const morph_body *body = s->run->body;
    wr_morph_step step = wr_morph_step_default();
    for (int f = 0; f < frames; f++) {
        for (int i = 0; i < s->run->copies; i++) {
            int pose = (f + i) % POSES;
            wr_morph_drive(s->world, i, body->poses + pose * body->data->bone_count, NULL);
        }
        if (!wr_morph_world_step(s->world, &step)) {
            return false;
        }
        if (s->run->with_skin) {
            for (int i = 0; i < s->run->copies; i++) {
                wr_morph_positions(s->world, i, NULL, s->places);
            }
        }
    }
    return true;
}

static bool open_show(show *s, const morph_run_desc *run, wr_error *error)
{
    const morph_body *body = run->body;
    wr_morph_model_desc desc = wr_morph_model_desc_default();
    desc.data = body->data;
    desc.is_full = run->is_full;
    desc.without_targets = run->without_targets;
    desc.elasticity = run->elasticity;
    desc.dt = 1.0f / 60.0f;
    desc.tasks = wr_tasks_openmp(0);
    *s = (show){.run = run};
    s->model = wr_morph_model_create(&desc, error);
    s->world = s->model ? wr_morph_world_create(NULL, error) : NULL;
    s->places = malloc((size_t)body->data->vertex_count * sizeof *s->places);
    if (!s->world || !s->places) {
        return s->world ? wri_fail_memory(error, 0) : false;
    }
    bool ok = true;
    for (int i = 0; ok && i < run->copies; i++) {
        ok = wr_morph_add(s->world, s->model, error) == i;
    }
    for (int i = 0; ok && i < run->copies; i++) {
        wr_morph_put(s->world, i, body->poses, NULL);
    }
    return ok;
}

// As many frames as 20 ms have, all poses at least.
static bool choose_frames(show *s)
{
    double start = bench_processor_seconds();
    bool ok = play(s, POSES);
    double took = (bench_processor_seconds() - start) / POSES;
    s->frames = took < 0.02 / POSES ? (int)(0.02 / took / POSES) * POSES : POSES;
    return ok;
}

static bool measure(show *s, double *seconds)
{
    double start = bench_processor_seconds();
    bool ok = play(s, s->frames);
    *seconds = fmin(*seconds, (bench_processor_seconds() - start) / s->frames);
    return ok;
}

bool morph_measure(const morph_run_desc *runs, int count, double *seconds, double *iterations,
                   wr_error *error)
{
    show shows[MORPH_BENCH_RUNS] = {0};
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        ok = open_show(&shows[i], &runs[i], error) && choose_frames(&shows[i]);
        seconds[i] = INFINITY;
    }
    for (int i = 0; ok && i < ROUNDS * count; i++) {
        ok = measure(&shows[i % count], &seconds[i % count]);
    }
    if (ok && iterations) {
        *iterations = wr_morph_describe(shows[count - 1].world, 0).iterations;
    }
    for (int i = 0; i < count; i++) {
        wr_morph_world_destroy(shows[i].world);
        wr_morph_model_destroy(shows[i].model);
        free(shows[i].places);
    }
    return ok || (error && error->code) || wri_fail_memory(error, 0);
}
