// morphing.c: morph targets for what bends, found for many bodies at once.
//
// A body that bends has a mesh and a few shapes that are added to it; the animation says how much
// of each, in [0, 1]: Blender allows no more. What does not play animations shows the first
// picture.
// Dents stay: bodies of metal of which a chain of shapes (geometry/chain.h) comes within the
// tolerance, or as near as the shapes that are wanted allow, have such a chain. It leaves their
// mesh as it was modelled, so that all bodies of an asset share it, and its shapes hold only
// vertices that move. All others have the shapes of geometry/shapes.h, as few as reach 5e-6 of
// their size.
#include "morphing.h"

#include <math.h>

// Of a body's size, where shapes are found together.
#define SHAPES_TOLERANCE 5e-6f
// Of a body's size, too: the most by which a chain may be off where its shapes do not suffice.
#define CHAIN_LOOSEST 4e-3f
// Normals of a chain that turn by less than this many radians stay: 1.8 degrees.
#define NORMAL_TOLERANCE 0x1p-5f

// --- normals ----------------------------------------------------------------------------------

// Differences of `now` from `at`, which goes along, where they are large enough to be seen.
static void step_normals(const wr_vec3 *now, int count, float least, wr_vec3 *at, wr_vec3 *steps)
{
    for (int i = 0; i < count; i++) {
        wr_vec3 d = wr_sub(now[i], at[i]);
        if (wr_dot(d, d) > least * least) {
            steps[i] = d;
            at[i] = wr_add(at[i], d);
        }
    }
}

// Shapes of a chain are added to all before them, others to the base alone; so are their normals.
static bool fill_normals(const wr_mesh *rest, const wri_shapes *shapes, bool is_chain,
                         wri_morphing *out, wr_error *error)
{
    size_t n = (size_t)rest->vertex_count;
    wri_arena room = wri_arena_create(NULL);
    wr_vec3 *points = wri_arena_alloc(&room, n, sizeof *points);
    wr_vec3 *now = wri_arena_alloc(&room, n, sizeof *now), *at = wri_arena_alloc(&room, n, 12);
    bool ok = (points && now && at) || wri_fail_memory(error, n * sizeof *now);
    if (ok) {
        memcpy(points, shapes->base, n * sizeof *points);
        memcpy(at, out->normals, n * sizeof *at);
    }
    for (int k = 0; ok && k < shapes->count; k++) {
        const wr_vec3 *offsets = shapes->offsets + (size_t)k * n;
        wr_vec3 *steps = out->morphs[k].normals = wri_arena_alloc(&out->arena, n, sizeof *steps);
        for (size_t i = 0; i < n; i++) {
            points[i] = wr_add(is_chain ? points[i] : shapes->base[i], offsets[i]);
        }
        ok = (steps || wri_fail_memory(error, n * sizeof *steps)) &&
             wr_mesh_renew_normals(rest, rest->normals, points, NULL, now, error);
        if (ok) {
            if (!is_chain) {
                memcpy(at, out->normals, n * sizeof *at);
            }
            step_normals(now, (int)n, is_chain ? NORMAL_TOLERANCE : 0.0f, at, steps);
        }
    }
    wri_arena_destroy(&room);
    return ok;
}

// --- morph targets ----------------------------------------------------------------------------

static bool fill_morphs(const wr_mesh *rest, const wri_shapes *shapes, bool is_chain,
                        wri_morphing *out, wr_error *error)
{
    size_t n = (size_t)rest->vertex_count, count = (size_t)shapes->count;
    out->morph_count = shapes->count;
    out->morphs = wri_arena_alloc(&out->arena, count, sizeof *out->morphs);
    out->error = shapes->error;
    out->base = is_chain ? rest->positions : shapes->base;
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
    out->normals = rest->normals;
    if (rest->normals && !is_chain) {
        out->normals = wri_arena_alloc(&out->arena, n, sizeof *out->normals);
        if (!out->normals) {
            return wri_fail_memory(error, n * sizeof *out->normals);
        }
        if (!wr_mesh_renew_normals(rest, rest->normals, shapes->base, NULL, out->normals, error)) {
            return false;
        }
    }
    return !rest->normals || fill_normals(rest, shapes, is_chain, out, error);
}

static bool find_chain(const wr_mesh *rest, const wri_holds *holds, int most, float tolerance,
                       float size, wri_morphing *out, bool *found, wr_error *error)
{
    wri_chain chain;
    float loosest = fmaxf(tolerance, CHAIN_LOOSEST);
    if (!wri_chain_find(holds, rest->positions, most, tolerance * size, loosest * size, &out->arena,
                        &chain, found, error)) {
        return false;
    }
    if (!*found) {
        return true;
    }
    out->key_count = chain.key_count;
    out->keys = chain.keys;
    out->weights = chain.shapes.weights;
    return fill_morphs(rest, &chain.shapes, true, out, error);
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
              fill_morphs(rest, &shapes, false, out, error);
    wri_arena_destroy(&room);
    return ok;
}

bool wri_morphing_find(const wr_mesh *rest, const wri_holds *holds, int most, float tolerance,
                       float size, bool only_chain, wri_morphing *out, wr_error *error)
{
    bool found = false;
    *out = (wri_morphing){.arena = wri_arena_create(NULL)};
    return (!(tolerance * size > 0.0f) ||
            find_chain(rest, holds, most, tolerance, size, out, &found, error)) &&
           (found || only_chain || find_shapes(rest, holds, most, size, out, error));
}

// --- many bodies ------------------------------------------------------------------------------

typedef struct task {
    wri_export *e;
    const wri_bend *bends;
    wri_morphing *found;
    wr_error *errors;
    bool *ok;
    bool only_chains;
} task;

static void find_range(void *context, int block, int begin, int end)
{
    task *t = context;
    const wr_export_desc *desc = t->e->desc;
    (void)block;
    for (int b = begin; b < end; b++) {
        const wri_bend *bend = &t->bends[b];
        float size = wri_model_size(t->e->info->models[bend->body->body.model]);
        bool is_dented = strcmp(bend->body->body.material, "metal") == 0;
        t->ok[b] = wri_morphing_find(bend->rest, &bend->holds, desc->shapes,
                                     is_dented ? desc->tolerance : 0.0f, size, t->only_chains,
                                     &t->found[b], &t->errors[b]);
    }
}

// A few bodies per worker between looks at whether it is to go on.
static bool find_all(task *t, int count)
{
    wri_export *e = t->e;
    int workers = e->desc->tasks.worker_count > 1 ? e->desc->tasks.worker_count : 1;
    for (int b = 0; b < count; b += 2 * workers) {
        if (!wri_watch(&e->desc->watch, WR_WATCH_SHAPES, b, count)) {
            return wri_export_cancel(e);
        }
        int part = count - b < 2 * workers ? count - b : 2 * workers;
        task some = {t->e, t->bends + b, t->found + b, t->errors + b, t->ok + b, t->only_chains};
        wri_parallel_for(&e->desc->tasks, part, 1, find_range, &some);
    }
    return wri_watch(&e->desc->watch, WR_WATCH_SHAPES, count, count) || wri_export_cancel(e);
}

bool wri_export_find_morphings(wri_export *e, const wri_bend *bends, int count, bool only_chains,
                               wri_arena *room, wri_array *arenas, wri_morphing **found)
{
    size_t n = (size_t)count;
    task t = {.e = e,
              .bends = bends,
              .found = wri_arena_alloc(room, n, sizeof(wri_morphing)),
              .errors = wri_arena_alloc(room, n, sizeof(wr_error)),
              .ok = wri_arena_alloc(room, n, sizeof(bool)),
              .only_chains = only_chains};
    wri_arena *kept = wri_array_add(arenas, count);
    if (!t.found || !t.errors || !t.ok || !kept) {
        return wri_fail_memory(e->error, n * sizeof *t.found);
    }
    bool ok = find_all(&t, count);
    for (int b = 0; b < count; b++) {
        kept[b] = t.found[b].arena;
        ok = ok && (t.ok[b] || wri_fail(e->error, t.errors[b].code, "%s", t.errors[b].message));
    }
    *found = t.found;
    return ok;
}
