// flesh_run.c: how long a frame of a body of flesh takes.
//
// A frame is what a program does in 1/60 s: it asks where the nodes are, finds which of them may
// touch the ground, and takes its steps. It starts a little over the ground at 1 m/s, and is
// measured a few frames later, over and over from the same state: other programs use the machine,
// and the shortest time of every frame counts. One thread is measured by its processor time,
// several by the clock on the wall. Heavy bodies have fewer frames.
#include "flesh_bench.h"

#include "../src/base/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const float SPEED = 1.0f;   // m/s, downwards at the start
static const float MARGIN = 0.02f; // of the size: what is nearer may be met in a step
static const float RUBS = 0.6f;
static const float GENTLE = 0.05f; // of gravity and of the speed, where a few nodes hold it all
enum { WARMUP = 4, FRAMES = 20, FRAMES_LEAST = 2 };

typedef struct stage {
    const flesh_run_desc *desc;
    wr_flesh_model *model;
    wr_flesh_world *world;
    wr_tasks tasks;
    int count; // nodes
    float margin;
    wr_vec3 *places;
    wr_flesh_touch *touches;
    int held_count;
    wr_flesh_touch *held; // from below, each where it is at first
    int frames;           // that are measured
    double (*clock)(void);
    double shortest[FRAMES]; // s, of each
    long steps, pushed;
    bool ok;
} stage;

typedef struct saved {
    void *bytes;
    size_t size;
} saved;

static void close_stage(stage *s)
{
    wr_flesh_world_destroy(s->world);
    wr_flesh_model_destroy(s->model);
    free(s->places);
    free(s->touches);
    free(s->held);
}

// The lowest first, and of those, the ones in the middle: what is held there does not tip over.
static int compare_places(const void *a, const void *b)
{
    const wr_vec3 *x = &((const wr_flesh_touch *)a)->point,
                  *y = &((const wr_flesh_touch *)b)->point;
    return x->y != y->y ? (x->y > y->y) - (x->y < y->y)
                        : (fabsf(x->x) > fabsf(y->x)) - (fabsf(x->x) < fabsf(y->x));
}

static void hold_lowest(stage *s)
{
    for (int i = 0; i < s->count; i++) {
        s->held[i] = (wr_flesh_touch){
            .node = i, .point = s->places[i], .normal = {0, 1, 0}, .friction = RUBS};
    }
    qsort(s->held, (size_t)s->count, sizeof *s->held, compare_places);
    s->held_count = s->desc->held < s->count ? s->desc->held : s->count;
}

static bool place_body(stage *s, wr_error *error)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < s->count; i++) {
        box.min = wr_min3(box.min, s->desc->body->layer->skin[i]);
        box.max = wr_max3(box.max, s->desc->body->layer->skin[i]);
    }
    float middle = 0.5f * (box.min.x + box.max.x);
    wr_flesh_desc flesh = wr_flesh_desc_default();
    flesh.model = s->model;
    flesh.pose.position = wr_v3(-middle, 0.01f - box.min.y, 0);
    flesh.velocity = wr_v3(0, s->desc->held ? -GENTLE * SPEED : -SPEED, 0);
    if (wr_flesh_add(s->world, &flesh, error) != 0) {
        return false;
    }
    s->margin = MARGIN * (float)cbrt(wr_flesh_mass_of(s->world, 0) / 1000.0) +
                1.5f * SPEED / (60.0f * (float)s->desc->steps);
    wr_flesh_positions(s->world, 0, s->places);
    hold_lowest(s);
    return true;
}

static bool open_stage(stage *s, const flesh_run_desc *desc, wr_error *error)
{
    *s = (stage){.desc = desc, .count = desc->body->layer->node_count, .ok = true};
    s->model = flesh_body_model(desc->body, desc->young, 1.0f / (60.0f * (float)desc->steps),
                                desc->published, error);
    s->world = s->model ? wr_flesh_world_create(NULL, error) : NULL;
    s->places = malloc((size_t)s->count * sizeof *s->places);
    s->touches = malloc((size_t)s->count * sizeof *s->touches);
    s->held = malloc((size_t)s->count * sizeof *s->held);
    bool ok = s->world && ((s->places && s->touches && s->held) || wri_fail_memory(error, 0)) &&
              place_body(s, error);
    if (!ok) {
        close_stage(s);
    }
    return ok;
}

static int find_touches(stage *s)
{
    int count = 0;
    wr_flesh_positions(s->world, 0, s->places);
    if (s->desc->free) {
        return 0;
    }
    if (s->desc->held > 0) {
        memcpy(s->touches, s->held, (size_t)s->held_count * sizeof *s->touches);
        return s->held_count;
    }
    for (int i = 0; i < s->count; i++) {
        if (s->places[i].y < s->margin) {
            s->touches[count++] =
                (wr_flesh_touch){.node = i, .normal = {0, 1, 0}, .friction = RUBS};
        }
    }
    return count;
}

static void take_frame(stage *s)
{
    for (int k = 0; k < s->desc->steps; k++) {
        wr_body_copy ground = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}};
        wr_flesh_step step = wr_flesh_step_default();
        step.bodies = &ground;
        step.body_count = 1;
        step.touches = s->touches;
        step.touch_count = find_touches(s);
        step.tasks = s->tasks;
        step.gravity = wr_scale(s->desc->held ? GENTLE : 1.0f, step.gravity);
        s->ok = wr_flesh_world_step(s->world, &step) && s->ok;
        wr_flesh_wake(s->world, 0);
        s->steps++;
        for (int i = 0; i < step.touch_count; i++) {
            wr_vec3 impulse = s->touches[i].impulse;
            s->pushed += wr_dot(impulse, impulse) > 0.0f;
        }
    }
}

// The frames from the state that was saved, as many as there is time for, but a few at least. The
// next time there are no more than that.
static bool try_frames(stage *s, const saved *from, int least, double seconds, wr_error *error)
{
    double start = s->clock();
    int i = 0;
    if (!wr_flesh_restore(s->world, 0, from->bytes, from->size, error)) {
        return false;
    }
    for (; i < s->frames && (i < least || s->clock() - start < seconds); i++) {
        double begin = s->clock();
        take_frame(s);
        s->shortest[i] = fmin(s->shortest[i], s->clock() - begin);
    }
    s->frames = i;
    return (s->ok && wr_flesh_is_sound(s->world, 0)) ||
           wri_fail(error, WR_E_ARGUMENT, "a body of %d nodes of flesh blew up", s->count);
}

// Over and over, on so many threads. On several of them one frame has to do where others use the
// machine so much that waiting for one another takes all the time.
static bool repeat(stage *s, int threads, const saved *from, const bench_options *options,
                   double *mean, wr_error *error)
{
    double start = wri_seconds(), budget = options->full ? 2.0 : 0.1;
    int tries = threads > 1 ? 1 : 2, least = threads > 1 ? 1 : FRAMES_LEAST;
    s->tasks = wr_tasks_openmp(threads);
    s->frames = FRAMES;
    s->clock = threads > 1 ? wri_seconds : bench_processor_seconds;
    *mean = 0.0;
    for (int i = 0; i < FRAMES; i++) {
        s->shortest[i] = INFINITY;
    }
    for (int time = 0; time < tries || wri_seconds() - start < budget; time++) {
        if (!bench_goes_on(options, error) ||
            !try_frames(s, from, least, time == 0 ? 0.5 * budget : INFINITY, error)) {
            return false;
        }
    }
    for (int i = 0; i < s->frames; i++) {
        *mean += s->shortest[i] / s->frames;
    }
    return true;
}

static bool measure(stage *s, const bench_options *options, flesh_run *out, wr_error *error)
{
    saved from = {.size = wr_flesh_save_size(s->world, 0)};
    from.bytes = malloc(from.size);
    if (!from.bytes) {
        return wri_fail_memory(error, from.size);
    }
    int threads = options->threads > 0 ? options->threads : wri_core_count();
    wr_flesh_save(s->world, 0, from.bytes);
    s->steps = s->pushed = 0;
    bool ok = repeat(s, 1, &from, options, &out->alone, error);
    out->contacts = (double)s->pushed / (double)(s->steps > 0 ? s->steps : 1);
    out->shared = NAN;
    ok = ok && (threads == 1 || s->desc->alone ||
                repeat(s, threads, &from, options, &out->shared, error));
    free(from.bytes);
    return ok;
}

bool flesh_measure(const flesh_run_desc *desc, const bench_options *options, flesh_run *out,
                   wr_error *error)
{
    stage s;
    *out = (flesh_run){0};
    if (!open_stage(&s, desc, error)) {
        return false;
    }
    for (int i = 0; i < WARMUP; i++) {
        take_frame(&s);
    }
    bool ok = measure(&s, options, out, error);
    close_stage(&s);
    return ok;
}

void flesh_add_frames(const char *name, const char *measure, const flesh_run *got, double published,
                      double goal, bench_rows *rows)
{
    char text[32];
    snprintf(text, sizeof text, "%s, one thread", measure);
    bench_add_compared(rows, name, text, "frames/s", 1.0 / got->alone, published, goal, true);
    if (!isnan(got->shared)) {
        bench_add_compared(rows, name, measure, "frames/s", 1.0 / got->shared, published, goal,
                           true);
    }
}
