// reskin.c: bodies that were recorded as example weights, as shapes again.
//
// A recorded body is skinned at the size of its asset and then scaled, since skinning a scaled rig
// is the same but for rounding: one skin serves all instances.
//
// A shape is made in three steps: finding what belongs to it and room for it, which one thread
// does; bending it, and turning its normals, which touch nothing but the shape.
#include "format.h"

#include "record.h"
#include "../file/asset.h"
#include "../geometry/renew.h"

// A recorded weight.
typedef struct entry {
    int vertex, example;
    float weight;
} entry;

// One body as it was last asked for.
typedef struct shape {
    bool is_bent; // by the weights in rows
    bool has_normals;
    bool is_claimed; // in wri_reskin_prepare, by the one who bends it
    uint32_t version;
    int row_count, vertex_count; // what there is room for
    wri_array entries;           // entry, that rows were filled from
    float *rows;
    wr_vec3 *positions, *normals; // positions of a body of points: those that it has normals of
} shape;

// What is known of a model of the recording, once it is needed.
typedef struct model {
    bool has_groups;
    wri_normal_groups groups;
} model;

// The making of one shape.
typedef struct work {
    wr_reskin *reskin;
    const wr_record_body *body;
    int number;
    bool with_normals;
    const wr_record_points *points;   // or NULL
    const wr_record_weights *weights; // or NULL: at rest
    wr_record_shape out;
    bool is_wanted; // else there is nothing to do
    bool bends;     // in wri_reskin_prepare: another one does not
} work;

struct wr_reskin {
    const wr_record_info *info;
    wri_arena arena;
    wr_skin **skins;  // per asset, NULL until needed
    model *models;    // per model
    wri_array shapes; // per body
    wri_array works;  // work
};

wr_reskin *wr_reskin_create(const wr_record_info *info, wr_error *error)
{
    if (!WRI_REQUIRE(error, info)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_reskin *r = wri_arena_alloc(&arena, 1, sizeof *r);
    wr_skin **skins = wri_arena_alloc(&arena, (size_t)info->asset_count, sizeof *skins);
    model *models = wri_arena_alloc(&arena, (size_t)info->model_count, sizeof *models);
    if (!r || !skins || !models) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, sizeof *r);
        return NULL;
    }
    *r = (wr_reskin){.info = info,
                     .arena = arena,
                     .skins = skins,
                     .models = models,
                     .shapes = wri_array_create(NULL, sizeof(shape)),
                     .works = wri_array_create(NULL, sizeof(work))};
    return r;
}

void wr_reskin_destroy(wr_reskin *r)
{
    if (!r) {
        return;
    }
    for (int i = 0; i < r->info->asset_count; i++) {
        wr_skin_destroy(r->skins[i]);
    }
    for (int i = 0; i < r->shapes.count; i++) {
        wri_array_destroy(&WRI_ITEM(r->shapes, shape, i).entries);
    }
    wri_array_destroy(&r->shapes);
    wri_array_destroy(&r->works);
    wri_arena arena = r->arena;
    wri_arena_destroy(&arena);
}

// --- weights ----------------------------------------------------------------------------------

bool wr_record_fill_rows(const wr_record_weights *weights, int vertex_count, int example_count,
                         float *rows, wr_error *error)
{
    if (!WRI_REQUIRE(error, weights, rows)) {
        return false;
    }
    size_t examples = (size_t)example_count;
    WR_ASSERT(vertex_count >= 0 && example_count >= 1); // the first one is the rest shape
    memset(rows, 0, (size_t)vertex_count * examples * sizeof *rows);
    for (int i = 0; i < weights->entry_count; i++) {
        int v = weights->vertices[i], e = weights->examples[i];
        if (v < 0 || v >= vertex_count || e < 0 || e >= example_count) {
            return wri_fail(error, WR_E_FORMAT,
                            "a weight of vertex %d and example %d, of an asset with %d and %d", v,
                            e, vertex_count, example_count);
        }
        if (e > 0) {
            rows[(size_t)v * examples + (size_t)e] = weights->weights[i];
        }
    }
    for (size_t v = 0; v < (size_t)vertex_count; v++) { // rest has what the others leave
        float sum = 0.0f, *row = rows + v * examples;
        for (size_t e = 1; e < examples; e++) {
            sum += row[e];
        }
        for (size_t e = 1; e < examples && sum > 1.0f; e++) { // 16 bits each may add up to more
            row[e] /= sum;
        }
        row[0] = sum < 1.0f ? 1.0f - sum : 0.0f;
        WR_ASSERT(row[0] >= 0.0f && row[0] <= 1.0f);
    }
    return true;
}

// --- what belongs to a shape --------------------------------------------------------------------

static bool has_shape(wr_reskin *r, int number)
{
    WR_ASSERT(number >= 0);
    return r->shapes.count > number || wri_array_add(&r->shapes, number + 1 - r->shapes.count);
}

static shape *shape_of(const wr_reskin *r, int number)
{
    return &WRI_ITEM(r->shapes, shape, number);
}

static bool take_room(wr_reskin *r, shape *s, int row_count, int vertex_count)
{
    if (s->row_count == row_count && s->vertex_count == vertex_count) {
        return true;
    }
    size_t n = (size_t)vertex_count;
    wri_array entries = s->entries.item_size ? s->entries : wri_array_create(NULL, sizeof(entry));
    *s = (shape){.version = s->version,
                 .row_count = row_count,
                 .vertex_count = vertex_count,
                 .entries = entries};
    s->rows = wri_arena_alloc(&r->arena, (size_t)row_count, sizeof *s->rows);
    s->positions = wri_arena_alloc(&r->arena, n, sizeof *s->positions);
    s->normals = wri_arena_alloc(&r->arena, n, sizeof *s->normals);
    return s->rows && s->positions && s->normals;
}

static bool find_skin(wr_reskin *r, int number, wr_error *error)
{
    WR_ASSERT(number >= 0 && number < r->info->asset_count);
    if (!r->skins[number]) {
        wr_skin_desc desc = wr_skin_desc_default();
        r->skins[number] = wr_skin_create(&r->info->assets[number]->rig, &desc, error);
    }
    return r->skins[number] != NULL;
}

static bool find_groups(wr_reskin *r, int number)
{
    const wr_mesh *mesh = r->info->models[number]->meshes;
    model *m = &r->models[number];
    m->has_groups = m->has_groups || !mesh->normals ||
                    wri_normal_groups_find(&m->groups, mesh, mesh->normals, &r->arena);
    return m->has_groups;
}

static const wr_record_points *points_of(const wr_frame *frame, int number)
{
    for (int i = 0; i < frame->points_count; i++) {
        if (frame->points[i].body == number) {
            return &frame->points[i];
        }
    }
    return NULL;
}

// Those that bend a body; NULL: it is at rest.
static const wr_record_weights *weights_of(const wr_frame *frame, int number)
{
    for (int i = 0; i < frame->weights_count; i++) {
        if (frame->weights[i].body == number) {
            return frame->weights[i].entry_count > 0 ? &frame->weights[i] : NULL;
        }
    }
    return NULL;
}

static bool plan_points(work *w, wr_error *error)
{
    wr_reskin *r = w->reskin;
    int expected = r->info->models[w->body->model]->meshes->vertex_count;
    if (w->points->count != expected) {
        return wri_fail(error, WR_E_UNSUPPORTED, "%d points, expected the %d of its model",
                        w->points->count, expected);
    }
    w->out.positions = w->points->positions;
    return take_room(r, shape_of(r, w->number), 0, expected) ||
           wri_fail_memory(error, (size_t)expected * sizeof(wr_vec3));
}

// A body of an asset, or a fragment: the whole body's shape from its first vertex on, with normals
// of its own.
static bool plan_weights(work *w, const wr_frame *frame, wr_error *error)
{
    wr_reskin *r = w->reskin;
    const wr_record_rig *rig = &r->info->rigs[w->body->model];
    const wr_rig *source = &w->out.asset->rig;
    int count, vertices = r->info->models[w->body->model]->meshes->vertex_count;
    WR_ASSERT(rig->asset >= 0 && w->out.asset == r->info->assets[rig->asset]);
    if (w->body->fragment_of > 0) {
        w->out.owner = w->body->fragment_of - 1;
        wri_asset_fragment_range(w->out.asset, rig->fragment - 1, &w->out.first, &count);
    }
    if (!has_shape(r, w->out.owner)) {
        return wri_fail_memory(error, sizeof(shape));
    }
    w->weights = weights_of(frame, w->out.owner);
    if (!w->weights) {
        return true;
    }
    size_t size = (size_t)source->vertex_count * (size_t)source->example_count;
    shape *whole = shape_of(r, w->out.owner), *own = shape_of(r, w->number);
    bool ok = size <= INT32_MAX && take_room(r, whole, (int)size, source->ride_count) &&
              wri_array_reserve(&whole->entries, w->weights->entry_count) &&
              (own == whole || take_room(r, own, 0, vertices));
    return ok ? find_skin(r, rig->asset, error) : wri_fail_memory(error, size * sizeof(float));
}

static bool plan(work *w, const wr_frame *frame, wr_error *error)
{
    wr_reskin *r = w->reskin;
    w->out =
        (wr_record_shape){.asset = wr_record_asset(r->info, w->body, NULL), .owner = w->number};
    w->points = points_of(frame, w->number);
    w->is_wanted = w->body->model >= 0 && (w->points || w->out.asset);
    if (!w->is_wanted) {
        return true;
    }
    if (!has_shape(r, w->number) || (w->with_normals && !find_groups(r, w->body->model))) {
        return wri_fail_memory(error, sizeof(shape));
    }
    return w->points ? plan_points(w, error) : plan_weights(w, frame, error);
}

// --- bending ------------------------------------------------------------------------------------

static bool same_entries(const shape *s, const wr_record_weights *weights)
{
    bool same = s->entries.count == weights->entry_count;
    for (int i = 0; same && i < weights->entry_count; i++) {
        const entry *e = &WRI_ITEM(s->entries, entry, i);
        same = e->vertex == weights->vertices[i] && e->example == weights->examples[i] &&
               e->weight == weights->weights[i];
    }
    return same;
}

static void keep_entries(shape *s, const wr_record_weights *weights)
{
    s->entries.count = 0;
    entry *e = wri_array_add(&s->entries, weights->entry_count); // there is room
    for (int i = 0; i < weights->entry_count; i++) {
        e[i] = (entry){weights->vertices[i], weights->examples[i], weights->weights[i]};
    }
}

static bool skin_body(const wr_reskin *r, shape *s, const wr_record_rig *rig, wr_error *error)
{
    const wr_skin *skin = r->skins[rig->asset];
    const wr_rig *source = &r->info->assets[rig->asset]->rig;
    size_t n = (size_t)source->vertex_count;
    WR_ASSERT(s->vertex_count == source->ride_count && rig->scale > 0.0f);
    wr_vec3 *x = wri_alloc(NULL, n, sizeof *x); // of the simulation mesh
    if (!x) {
        return wri_fail_memory(error, n * sizeof *x);
    }
    wr_skin_positions(skin, s->rows, NULL, 0, NULL, x);
    wr_skin_ride_positions(skin, s->rows, x, NULL, 0, NULL, s->positions);
    for (int i = 0; i < s->vertex_count && rig->scale != 1.0f; i++) {
        s->positions[i] = wr_scale(rig->scale, s->positions[i]);
    }
    wri_free(NULL, x, n, sizeof *x);
    return true;
}

// The body that a work is of, or the whole that it is a fragment of.
static bool bend(const work *w, wr_error *error)
{
    const wr_reskin *r = w->reskin;
    shape *s = shape_of(r, w->out.owner);
    if (w->points) {
        return true;
    }
    if (!w->weights) {
        s->version += s->is_bent;
        s->is_bent = false;
        return true;
    }
    if (s->is_bent && same_entries(s, w->weights)) {
        return true;
    }
    const wr_rig *source = &w->out.asset->rig;
    s->is_bent = s->has_normals = false;
    keep_entries(s, w->weights);
    if (!wr_record_fill_rows(w->weights, source->vertex_count, source->example_count, s->rows,
                             error) ||
        !skin_body(r, s, &r->info->rigs[w->body->model], error)) {
        return false;
    }
    s->is_bent = true;
    s->version++;
    return true;
}

// --- normals ------------------------------------------------------------------------------------

// Whether the normals of a shape are those of its positions; else they will be.
static bool has_normals(const work *w, shape *s)
{
    const shape *whole = shape_of(w->reskin, w->out.owner);
    bool same = true;
    if (w->points) {
        size_t size = (size_t)s->vertex_count * sizeof *s->positions;
        same = memcmp(s->positions, w->points->positions, size) == 0;
        memcpy(s->positions, w->points->positions, size);
    } else if (s != whole) {
        same = s->version == whole->version;
        s->version = whole->version;
    }
    return s->has_normals = s->has_normals && same;
}

static bool turn_normals(const work *w, shape *s, wr_error *error)
{
    const wr_mesh *mesh = w->reskin->info->models[w->body->model]->meshes;
    const wri_normal_groups *groups = &w->reskin->models[w->body->model].groups;
    WR_ASSERT(w->out.positions && s->vertex_count == mesh->vertex_count);
    if (has_normals(w, s)) {
        return true;
    }
    size_t size = wri_normal_groups_memory(groups);
    void *memory = wri_alloc(NULL, size, 1);
    if (!memory) {
        return wri_fail_memory(error, size);
    }
    wri_normal_groups_renew(groups, mesh, mesh->normals, w->out.positions, memory, s->normals);
    wri_free(NULL, memory, size, 1);
    s->has_normals = true;
    return true;
}

// The shape as it is bent, with its normals.
static bool finish(work *w, wr_error *error)
{
    const wr_reskin *r = w->reskin;
    shape *s = shape_of(r, w->number), *whole = shape_of(r, w->out.owner);
    if (!w->points) {
        w->out.version = whole->version;
        w->out.positions = w->weights ? whole->positions + w->out.first : NULL;
        w->out.rows = w->weights ? whole->rows : NULL;
    }
    bool turns =
        w->with_normals && w->out.positions && r->info->models[w->body->model]->meshes->normals;
    if (turns && !turn_normals(w, s, error)) {
        return false;
    }
    w->out.normals = turns ? s->normals : NULL;
    return true;
}

// --- all together -------------------------------------------------------------------------------

bool wr_reskin_find(wr_reskin *r, const wr_frame *frame, int number, const wr_record_body *body,
                    bool with_normals, wr_record_shape *out, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "reskin, frame, body, shape", r, frame, body, out)) {
        return false;
    }
    work w = {.reskin = r, .body = body, .number = number, .with_normals = with_normals};
    wr_error why = {0};
    bool ok = plan(&w, frame, &why) && (!w.is_wanted || (bend(&w, &why) && finish(&w, &why)));
    *out = w.out;
    return ok || wri_fail(error, why.code, "frame %d: body \"%.100s\": %s", frame->index,
                          body->name, why.message);
}

static void bend_some(void *works, int block, int begin, int end)
{
    (void)block;
    for (int i = begin; i < end; i++) {
        const work *w = &((const work *)works)[i];
        if (w->bends) {
            bend(w, NULL);
        }
    }
}

static void finish_some(void *works, int block, int begin, int end)
{
    (void)block;
    for (int i = begin; i < end; i++) {
        work *w = &((work *)works)[i];
        if (w->is_wanted && (!w->weights || shape_of(w->reskin, w->out.owner)->is_bent)) {
            (void)finish(w, NULL); // whoever asks for it hears why it failed
        }
    }
}

void wri_reskin_prepare(wr_reskin *r, const wr_frame *frame, const wr_record_body *bodies,
                        int count, const wr_tasks *tasks)
{
    r->works.count = 0;
    work *works = count > 0 && has_shape(r, count - 1) ? wri_array_add(&r->works, count) : NULL;
    for (int i = 0; works && i < count; i++) {
        works[i] = (work){.reskin = r, .body = &bodies[i], .number = i, .with_normals = true};
        bool has_surface = wr_frame_surface(frame, i, 0) != NULL; // in place of its model
        works[i].is_wanted = !has_surface && plan(&works[i], frame, NULL) && works[i].is_wanted;
    }
    for (int i = 0; works && i < count; i++) { // of fragments the first one bends the whole
        shape *whole = shape_of(r, works[i].out.owner);
        works[i].bends = works[i].is_wanted && !whole->is_claimed;
        whole->is_claimed = whole->is_claimed || works[i].bends;
    }
    for (int i = 0; works && i < count; i++) {
        shape_of(r, works[i].out.owner)->is_claimed = false;
    }
    wri_parallel_for(tasks, works ? count : 0, 1, bend_some, works);
    wri_parallel_for(tasks, works ? count : 0, 1, finish_some, works);
}
