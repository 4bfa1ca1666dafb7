// reskin.c: bodies that were recorded as example weights, as shapes again.
//
// A recorded body is skinned at the size of its asset and then scaled, since skinning a scaled rig
// is the same but for rounding: one skin serves all instances.
#include "format.h"

#include "../file/asset.h"

// One body as it was last asked for.
typedef struct shape {
    bool is_bent; // by the weights in rows
    bool has_normals;
    uint32_t version;
    int row_count, vertex_count; // what there is room for
    float *rows;
    wr_vec3 *positions, *normals;
} shape;

struct wr_reskin {
    const wr_record_info *info;
    wri_arena arena;
    wr_skin **skins;  // per asset, NULL until needed
    wri_array shapes; // per body
    wri_array rows;   // float
    wri_array x;      // wr_vec3, of a simulation mesh
};

wr_reskin *wr_reskin_create(const wr_record_info *info, wr_error *error)
{
    if (!WRI_REQUIRE(error, info)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_reskin *r = wri_arena_alloc(&arena, 1, sizeof *r);
    wr_skin **skins = wri_arena_alloc(&arena, (size_t)info->asset_count, sizeof *skins);
    if (!r || !skins) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, sizeof *r);
        return NULL;
    }
    *r = (wr_reskin){.info = info,
                     .arena = arena,
                     .skins = skins,
                     .shapes = wri_array_create(NULL, sizeof(shape)),
                     .rows = wri_array_create(NULL, sizeof(float)),
                     .x = wri_array_create(NULL, sizeof(wr_vec3))};
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
    wri_array_destroy(&r->shapes);
    wri_array_destroy(&r->rows);
    wri_array_destroy(&r->x);
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

// --- shapes -----------------------------------------------------------------------------------

static shape *find_shape(wr_reskin *r, int number)
{
    WR_ASSERT(number >= 0);
    if (r->shapes.count <= number && !wri_array_add(&r->shapes, number + 1 - r->shapes.count)) {
        return NULL;
    }
    return &WRI_ITEM(r->shapes, shape, number);
}

static bool take_room(wr_reskin *r, shape *s, int row_count, int vertex_count)
{
    if (s->row_count == row_count && s->vertex_count == vertex_count) {
        return true;
    }
    size_t n = (size_t)vertex_count;
    *s = (shape){.version = s->version, .row_count = row_count, .vertex_count = vertex_count};
    s->rows = wri_arena_alloc(&r->arena, (size_t)row_count, sizeof *s->rows);
    s->positions = wri_arena_alloc(&r->arena, n, sizeof *s->positions);
    s->normals = wri_arena_alloc(&r->arena, n, sizeof *s->normals);
    return s->rows && s->positions && s->normals;
}

static bool set_count(wri_array *array, size_t count)
{
    array->count = 0;
    return count <= INT32_MAX && wri_array_add(array, (int)count);
}

static const wr_skin *find_skin(wr_reskin *r, int number, wr_error *error)
{
    WR_ASSERT(number >= 0 && number < r->info->asset_count);
    if (!r->skins[number]) {
        wr_skin_desc desc = wr_skin_desc_default();
        r->skins[number] = wr_skin_create(&r->info->assets[number]->rig, &desc, error);
    }
    return r->skins[number];
}

static bool skin_body(wr_reskin *r, shape *s, const wr_record_rig *rig, wr_error *error)
{
    const wr_skin *skin = find_skin(r, rig->asset, error);
    if (!skin) {
        return false;
    }
    size_t n = (size_t)r->info->assets[rig->asset]->rig.vertex_count;
    WR_ASSERT(s->vertex_count == r->info->assets[rig->asset]->rig.ride_count && rig->scale > 0.0f);
    if (!set_count(&r->x, n)) {
        return wri_fail_memory(error, n * sizeof(wr_vec3));
    }
    wr_skin_positions(skin, s->rows, NULL, 0, NULL, r->x.items);
    wr_skin_ride_positions(skin, s->rows, r->x.items, NULL, 0, NULL, s->positions);
    for (int i = 0; i < s->vertex_count && rig->scale != 1.0f; i++) {
        s->positions[i] = wr_scale(rig->scale, s->positions[i]);
    }
    return true;
}

// A body of an asset, or the whole that a fragment is of. weights NULL: it is at rest.
static bool find_bent(wr_reskin *r, shape *s, const wr_record_body *body,
                      const wr_record_weights *weights, wr_record_shape *out, wr_error *error)
{
    const wr_record_rig *rig = &r->info->rigs[body->model];
    WR_ASSERT(rig->asset >= 0 && out->asset == r->info->assets[rig->asset]);
    const wr_rig *source = &out->asset->rig;
    size_t count = (size_t)source->vertex_count * (size_t)source->example_count;
    if (!weights || weights->entry_count == 0) {
        s->version += s->is_bent;
        s->is_bent = false;
        out->version = s->version;
        return true;
    }
    if (!set_count(&r->rows, count) || !take_room(r, s, (int)count, source->ride_count)) {
        return wri_fail_memory(error, count * sizeof(float));
    }
    if (!wr_record_fill_rows(weights, source->vertex_count, source->example_count, r->rows.items,
                             error)) {
        return false;
    }
    if (!s->is_bent || memcmp(s->rows, r->rows.items, count * sizeof(float)) != 0) {
        memcpy(s->rows, r->rows.items, count * sizeof(float));
        s->is_bent = s->has_normals = false;
        if (!skin_body(r, s, rig, error)) {
            return false;
        }
        s->is_bent = true;
        s->version++;
    }
    out->positions = s->positions;
    out->rows = s->rows;
    out->version = s->version;
    return true;
}

static bool find_free(wr_reskin *r, shape *s, const wr_record_body *body,
                      const wr_record_points *points, wr_record_shape *out, wr_error *error)
{
    int expected = r->info->models[body->model]->meshes->vertex_count;
    if (points->count != expected) {
        return wri_fail(error, WR_E_UNSUPPORTED, "%d points, expected the %d of its model",
                        points->count, expected);
    }
    s->has_normals = false;
    out->positions = points->positions;
    return take_room(r, s, 0, expected) ||
           wri_fail_memory(error, (size_t)expected * sizeof(wr_vec3));
}

static bool turn_normals(const wr_reskin *r, shape *s, const wr_record_body *body,
                         wr_record_shape *out, wr_error *error)
{
    const wr_mesh *mesh = r->info->models[body->model]->meshes;
    WR_ASSERT(out->positions && s->vertex_count == mesh->vertex_count);
    if (!mesh->normals) {
        return true;
    }
    if (!s->has_normals &&
        !wr_mesh_renew_normals(mesh, mesh->normals, out->positions, NULL, s->normals, error)) {
        return false;
    }
    s->has_normals = true;
    out->normals = s->normals;
    return true;
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

static const wr_record_weights *weights_of(const wr_frame *frame, int number)
{
    for (int i = 0; i < frame->weights_count; i++) {
        if (frame->weights[i].body == number) {
            return &frame->weights[i];
        }
    }
    return NULL;
}

// A fragment: the whole body's shape from its first vertex on, with normals of its own.
static bool find_fragment(wr_reskin *r, const wr_frame *frame, int number,
                          const wr_record_body *body, bool with_normals, wr_record_shape *out,
                          wr_error *error)
{
    const wr_mesh *mesh = r->info->models[body->model]->meshes;
    int count;
    out->owner = body->fragment_of - 1;
    wri_asset_fragment_range(out->asset, r->info->rigs[body->model].fragment - 1, &out->first,
                             &count);
    if (!find_shape(r, number > out->owner ? number : out->owner)) { // both: they may move
        return wri_fail_memory(error, sizeof(shape));
    }
    shape *s = find_shape(r, number), *whole = find_shape(r, out->owner);
    bool ok = find_bent(r, whole, body, weights_of(frame, out->owner), out, error);
    if (!ok || !out->positions) {
        return ok;
    }
    out->positions += out->first;
    s->has_normals = s->has_normals && s->version == whole->version;
    s->version = whole->version;
    return (take_room(r, s, 0, mesh->vertex_count) || wri_fail_memory(error, sizeof *s)) &&
           (!with_normals || turn_normals(r, s, body, out, error));
}

bool wr_reskin_find(wr_reskin *r, const wr_frame *frame, int number, const wr_record_body *body,
                    bool with_normals, wr_record_shape *out, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "reskin, frame, body, shape", r, frame, body, out)) {
        return false;
    }
    *out = (wr_record_shape){.asset = wr_record_asset(r->info, body, NULL), .owner = number};
    const wr_record_points *points = points_of(frame, number);
    if (body->model < 0 || (!points && !out->asset)) {
        return true;
    }
    shape *s = find_shape(r, number);
    if (!s) {
        return wri_fail_memory(error, sizeof *s);
    }
    wr_error why = {0};
    if (!points && body->fragment_of > 0) {
        return find_fragment(r, frame, number, body, with_normals, out, &why) ||
               wri_fail(error, why.code, "frame %d: body \"%.100s\": %s", frame->index, body->name,
                        why.message);
    }
    bool ok = points ? find_free(r, s, body, points, out, &why)
                     : find_bent(r, s, body, weights_of(frame, number), out, &why);
    ok = ok && (!with_normals || !out->positions || turn_normals(r, s, body, out, &why));
    return ok || wri_fail(error, why.code, "frame %d: body \"%.100s\": %s", frame->index,
                          body->name, why.message);
}
