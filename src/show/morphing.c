// morphing.c: morph targets for what bends, found for many bodies at once.
//
// A body that bends has a mesh and a few shapes that are added to it; the animation says how much
// of each, in [0, 1]: Blender allows no more. What does not play animations shows the first
// picture.
// Dents stay: bodies of metal have shapes of geometry/profiles.h where these come within the
// tolerance, or as near as the shapes that are wanted allow. They leave the mesh as it was
// modelled, so that all bodies of an asset share it, and a shape holds only vertices that follow
// its profile. All others have the shapes of geometry/shapes.h, as few as reach 5e-6 of their size.
#include "morphing.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

// Of a body's size, where shapes are found together.
#define SHAPES_TOLERANCE 5e-6f
// Of a body's size, too: the most by which profiles may be off where the shapes do not suffice.
#define LOOSEST 4e-3f
#define LOOSER 4.0f // in tolerances: likewise
// Where offsets are multiples of a step, it is this much of the tolerance.
#define STEP_SHARE 0.25f
// Normals of dents may be off by this many radians: 1.8 degrees.
#define NORMAL_TOLERANCE 0x1p-5f
enum { NORMAL_KEYS = 24 }; // at most, at which they are looked at

// --- normals ----------------------------------------------------------------------------------

// The shapes found together are added to the base, each alone.
static bool fill_normals(const wr_mesh *rest, const wri_shapes *shapes, wri_morphing *out,
                         wr_error *error)
{
    size_t n = (size_t)rest->vertex_count;
    wri_arena room = wri_arena_create(NULL);
    wr_vec3 *points = wri_arena_alloc(&room, n, sizeof *points);
    wr_vec3 *now = wri_arena_alloc(&room, n, sizeof *now);
    bool ok = (points && now) || wri_fail_memory(error, n * sizeof *now);
    for (int k = 0; ok && k < shapes->count; k++) {
        wr_vec3 *steps = out->morphs[k].normals = wri_arena_alloc(&out->arena, n, sizeof *steps);
        for (size_t i = 0; i < n; i++) {
            points[i] = wr_add(shapes->base[i], shapes->offsets[(size_t)k * n + i]);
        }
        ok = (steps || wri_fail_memory(error, n * sizeof *steps)) &&
             wr_mesh_renew_normals(rest, rest->normals, points, NULL, now, error);
        for (size_t i = 0; ok && i < n; i++) {
            steps[i] = wr_sub(now[i], out->normals[i]);
        }
    }
    wri_arena_destroy(&room);
    return ok;
}

// Those of dents follow the profiles of the places, as at some of the keys, the last among them.
static bool fit_normals(const wr_mesh *rest, const wri_holds *holds, const wri_profiles *profiles,
                        wri_morphing *out, wr_error *error)
{
    size_t n = (size_t)rest->vertex_count, width = (size_t)profiles->shapes.count;
    int keys[NORMAL_KEYS],
        count = profiles->key_count < NORMAL_KEYS ? profiles->key_count : NORMAL_KEYS;
    wri_arena room = wri_arena_create(NULL);
    wr_vec3 *values = wri_arena_alloc(&room, n * (size_t)count, sizeof *values);
    wr_vec3 *steps = wri_arena_alloc(&out->arena, n * width, sizeof *steps);
    bool ok = (values && steps) || wri_fail_memory(error, n * width * sizeof *steps);
    for (int j = 0; ok && j < count; j++) {
        keys[j] = count > 1 ? j * (profiles->key_count - 1) / (count - 1) : 0;
        wr_vec3 *now = values + (size_t)j * n;
        ok = wr_mesh_renew_normals(rest, rest->normals, holds->points[profiles->held[keys[j]]],
                                   NULL, now, error);
        for (size_t i = 0; ok && i < n; i++) {
            now[i] = wr_sub(now[i], rest->normals[i]);
        }
    }
    ok = ok &&
         wri_profiles_fit(profiles, keys, count, values, (int)n, NORMAL_TOLERANCE, steps, error);
    for (size_t k = 0; ok && k < width; k++) {
        out->morphs[k].normals = steps + k * n;
    }
    wri_arena_destroy(&room);
    return ok;
}

// --- morph targets ----------------------------------------------------------------------------

static bool fill_morphs(const wri_shapes *shapes, size_t n, wri_morphing *out, wr_error *error)
{
    size_t count = (size_t)shapes->count;
    out->morph_count = shapes->count;
    out->morphs = wri_arena_alloc(&out->arena, count, sizeof *out->morphs);
    out->error = shapes->error;
    if (!out->morphs) {
        return wri_fail_memory(error, count * sizeof *out->morphs);
    }
    for (size_t k = 0; k < count; k++) {
        out->morphs[k].name = wri_arena_printf(&out->arena, "shape %d", (int)k + 1);
        out->morphs[k].positions = shapes->offsets + k * n;
        out->morphs[k].weight = out->weights[k];
        if (!out->morphs[k].name) {
            return wri_fail_memory(error, 16);
        }
    }
    return true;
}

static bool find_profiles(const wr_mesh *rest, const wri_holds *holds, int most, float tolerance,
                          float size, bool rounds, wri_morphing *out, bool *found, wr_error *error)
{
    wri_profiles profiles;
    float loosest = fmaxf(LOOSER * tolerance, LOOSEST);
    out->step = rounds ? STEP_SHARE * tolerance * size : 0.0f;
    const wri_profiles_desc desc = {most, tolerance * size, loosest * size, out->step};
    if (!wri_profiles_find(holds, rest->positions, &desc, &out->arena, &profiles, found, error)) {
        return false;
    }
    if (!*found) {
        return true;
    }
    out->base = rest->positions;
    out->normals = rest->normals;
    out->key_count = profiles.key_count;
    out->keys = profiles.keys;
    out->weights = profiles.shapes.weights;
    return fill_morphs(&profiles.shapes, (size_t)rest->vertex_count, out, error) &&
           (!rest->normals || rounds || fit_normals(rest, holds, &profiles, out, error));
}

// A key where a hold begins, and one where it ends.
static bool fill_keys(const wri_holds *holds, const wri_shapes *shapes, wri_morphing *out)
{
    size_t count = (size_t)shapes->count, most = 2 * (size_t)holds->count;
    out->keys = wri_arena_alloc(&out->arena, most, sizeof *out->keys);
    out->weights = wri_arena_alloc(&out->arena, most * count, sizeof *out->weights);
    if (!out->keys || !out->weights) {
        return false;
    }
    for (int s = 0; s < holds->count; s++) {
        int last = (s + 1 < holds->count ? holds->first[s + 1] : holds->picture_count) - 1;
        for (int i = 0; i < 1 + (last > holds->first[s]); i++) {
            memcpy(out->weights + (size_t)out->key_count * count,
                   shapes->weights + (size_t)s * count, count * sizeof *out->weights);
            out->keys[out->key_count++] = i ? last : holds->first[s];
        }
    }
    return true;
}

static bool find_shapes(const wr_mesh *rest, const wri_holds *holds, int most, float size,
                        wri_morphing *out, wr_error *error)
{
    size_t n = (size_t)holds->vertex_count, count = (size_t)holds->count;
    wri_arena room = wri_arena_create(NULL);
    wr_vec3 *frames = wri_arena_alloc(&room, n * count, sizeof *frames);
    wri_shapes shapes;
    for (size_t s = 0; frames && s < count; s++) {
        memcpy(frames + s * n, holds->points[s], n * sizeof *frames);
    }
    bool ok = (frames || wri_fail_memory(error, n * count * sizeof *frames)) &&
              wri_shapes_find(frames, holds->count, holds->vertex_count, most,
                              SHAPES_TOLERANCE * size, &out->arena, &shapes, error) &&
              (fill_keys(holds, &shapes, out) || wri_fail_memory(error, n * count)) &&
              fill_morphs(&shapes, n, out, error);
    out->base = ok ? shapes.base : NULL;
    if (ok && rest->normals) {
        out->normals = wri_arena_alloc(&out->arena, n, sizeof *out->normals);
        ok = (out->normals || wri_fail_memory(error, n * sizeof *out->normals)) &&
             wr_mesh_renew_normals(rest, rest->normals, shapes.base, NULL, out->normals, error) &&
             fill_normals(rest, &shapes, out, error);
    }
    wri_arena_destroy(&room);
    return ok;
}

bool wri_morphing_find(const wr_mesh *rest, const wri_holds *holds, int most, float tolerance,
                       float size, bool only_dents, wri_morphing *out, wr_error *error)
{
    bool found = false;
    *out = (wri_morphing){.arena = wri_arena_create(NULL)};
    return (!(tolerance * size > 0.0f) ||
            find_profiles(rest, holds, most, tolerance, size, only_dents, out, &found, error)) &&
           (found || only_dents || find_shapes(rest, holds, most, size, out, error));
}

// --- many bodies ------------------------------------------------------------------------------

static _Thread_local char mark; // its address tells threads apart

typedef struct task {
    wri_export *e;
    int count;
    const wri_bend *bends;
    const int *order;
    wri_morphing *found;
    wr_error *errors;
    bool *ok;
    bool only_dents;
    const char *caller; // the mark of the thread that may look at whether it is to go on
    atomic_int done;
    atomic_bool stopped;
} task;

static void find_body(task *t, int b)
{
    const wr_export_desc *desc = t->e->desc;
    const wri_bend *bend = &t->bends[b];
    float size = wri_model_size(t->e->info->models[bend->body->body.model]);
    bool is_dented = strcmp(bend->body->body.material, "metal") == 0;
    t->ok[b] =
        wri_morphing_find(bend->rest, &bend->holds, desc->shapes, is_dented ? desc->tolerance : 0,
                          size, t->only_dents, &t->found[b], &t->errors[b]);
}

static void find_range(void *context, int block, int begin, int end)
{
    task *t = context;
    (void)block;
    for (int i = begin; i < end && !atomic_load(&t->stopped); i++) {
        if (t->caller == &mark &&
            !wri_watch(&t->e->desc->watch, WR_WATCH_SHAPES, atomic_load(&t->done), t->count)) {
            atomic_store(&t->stopped, true);
            return;
        }
        find_body(t, t->order[i]);
        atomic_fetch_add(&t->done, 1);
    }
}

typedef struct weighed {
    double work;
    int body;
} weighed;

static int compare_work(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    return x->work != y->work ? (x->work < y->work ? 1 : -1) : x->body - y->body;
}

// Those with most to do first, so that no worker begins one of them when all others are done.
static int *order_bodies(const wri_bend *bends, int count, wri_arena *room)
{
    weighed *all = wri_arena_alloc(room, (size_t)count, sizeof *all);
    int *order = wri_arena_alloc(room, (size_t)count, sizeof *order);
    for (int b = 0; all && b < count; b++) {
        const wri_holds *holds = &bends[b].holds;
        all[b] = (weighed){(double)holds->count * holds->vertex_count, b};
    }
    if (all && order) {
        qsort(all, (size_t)count, sizeof *all, compare_work);
    }
    for (int b = 0; all && order && b < count; b++) {
        order[b] = all[b].body;
    }
    return all ? order : NULL;
}

bool wri_export_find_morphings(wri_export *e, const wri_bend *bends, int count, bool only_dents,
                               wri_arena *room, wri_array *arenas, wri_morphing **found)
{
    size_t n = (size_t)count;
    task t = {.e = e,
              .count = count,
              .bends = bends,
              .order = order_bodies(bends, count, room),
              .found = wri_arena_alloc(room, n, sizeof(wri_morphing)),
              .errors = wri_arena_alloc(room, n, sizeof(wr_error)),
              .ok = wri_arena_alloc(room, n, sizeof(bool)),
              .only_dents = only_dents,
              .caller = &mark};
    wri_arena *kept = wri_array_add(arenas, count);
    if (!t.order || !t.found || !t.errors || !t.ok || !kept) {
        return wri_fail_memory(e->error, n * sizeof *t.found);
    }
    wri_parallel_for(&e->desc->tasks, count, 1, find_range, &t);
    bool go_on = !t.stopped && wri_watch(&e->desc->watch, WR_WATCH_SHAPES, count, count);
    bool ok = go_on || wri_export_cancel(e);
    for (int b = 0; b < count; b++) {
        kept[b] = t.found[b].arena;
        ok = ok && (t.ok[b] || wri_fail(e->error, t.errors[b].code, "%s", t.errors[b].message));
    }
    *found = t.found;
    return ok;
}
