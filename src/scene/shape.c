// shape.c: from the words of a body to what collides, what it weighs and what is drawn.
#include "shape.h"

#include "tables.h"

// --- models shared by equal bodies ------------------------------------------------------------

typedef struct cache_entry {
    const wri_asset *asset; // NULL: a primitive
    wr_primitive primitive;
    wr_vec3 size; // of the primitive; x: scale of the asset
    wr_model *model;
} cache_entry;

wri_model_cache wri_model_cache_create(const wr_allocator *allocator)
{
    return (wri_model_cache){wri_array_create(allocator, sizeof(cache_entry))};
}

void wri_model_cache_destroy(wri_model_cache *cache)
{
    for (int i = 0; i < cache->entries.count; i++) {
        wr_model_destroy(WRI_ITEM(cache->entries, cache_entry, i).model);
    }
    wri_array_destroy(&cache->entries);
}

static wr_model *scaled_model(const wri_asset *asset, float scale, wr_error *error)
{
    wr_model *model = wr_model_flatten(asset->flat, error);
    for (int i = 0; model && i < model->meshes->vertex_count; i++) {
        model->meshes->positions[i] = wr_scale(scale, model->meshes->positions[i]);
    }
    return model;
}

static const wr_model *find_model(wri_reader *reader, wri_model_cache *cache, cache_entry wanted)
{
    for (int i = 0; i < cache->entries.count; i++) {
        const cache_entry *e = &WRI_ITEM(cache->entries, cache_entry, i);
        if (e->asset == wanted.asset && e->primitive == wanted.primitive &&
            wr_distance(e->size, wanted.size) == 0.0f) {
            return e->model;
        }
    }
    cache_entry *entry = wri_array_add(&cache->entries, 1);
    if (!entry) {
        wri_fail_memory(reader->error, sizeof *entry);
        return NULL;
    }
    *entry = wanted;
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    entry->model = wanted.asset ? scaled_model(wanted.asset, wanted.size.x, reader->error)
                                : wr_model_create_primitive(wanted.primitive, wanted.size, white,
                                                            reader->error);
    return entry->model;
}

// --- shapes from an asset ---------------------------------------------------------------------

static bool add_hull(wri_reader *reader, const wri_json *at, const wr_vec3 *points, int count,
                     double density, wr_piece *piece, wr_mass_properties *mass)
{
    wr_error why = {0};
    wr_model *hull = wr_hull_create(points, count, &why);
    if (!hull) {
        return wri_fail_inner(reader, at, &why);
    }
    const wr_mesh *mesh = hull->meshes;
    size_t size = (size_t)mesh->vertex_count * sizeof(wr_vec3);
    wr_vec3 *copy = wri_arena_alloc(reader->arena, 1, size);
    bool ok = copy ? wr_mesh_find_mass(mesh, density, mass, reader->error)
                   : wri_fail_memory(reader->error, size);
    if (copy) {
        memcpy(copy, mesh->positions, size);
        *piece = (wr_piece){copy, mesh->vertex_count};
    }
    wr_model_destroy(hull);
    return ok;
}

static bool read_hull(wri_reader *reader, const wri_json *at, double density, wri_body_shape *out)
{
    const wr_mesh *mesh = out->model->meshes;
    wr_piece *piece = wri_arena_alloc(reader->arena, 1, sizeof *piece);
    if (!piece) {
        return wri_fail_memory(reader->error, sizeof *piece);
    }
    out->shape = (wr_shape){.kind = WR_SHAPE_HULLS, .pieces = piece, .piece_count = 1};
    return add_hull(reader, at, mesh->positions, mesh->vertex_count, density, piece, &out->mass);
}

// One convex piece per separate shell of the mesh.
static bool read_hulls(wri_reader *reader, const wri_json *at, double density, wri_body_shape *out)
{
    const wr_mesh *mesh = out->model->meshes;
    size_t n = (size_t)mesh->vertex_count;
    int *shell_of_vertex = wri_arena_alloc(reader->arena, n, sizeof *shell_of_vertex);
    wr_vec3 *points = wri_arena_alloc(reader->arena, n, sizeof *points);
    int shells = shell_of_vertex && points ? wr_mesh_find_shells(mesh, shell_of_vertex) : -1;
    if (shells < 0) {
        return wri_fail_memory(reader->error, n * sizeof *points);
    }
    enum { MOST_PIECES = 256 };
    if (shells > MOST_PIECES) {
        return wri_fail_at(reader, at,
                           "the asset has %d separate shells, expected at most %d for "
                           "\"hulls\"",
                           shells, MOST_PIECES);
    }
    wr_piece *pieces = wri_arena_alloc(reader->arena, (size_t)shells, sizeof *pieces);
    wr_mass_properties *masses = wri_arena_alloc(reader->arena, (size_t)shells, sizeof *masses);
    if (!pieces || !masses) {
        return wri_fail_memory(reader->error, (size_t)shells * sizeof *masses);
    }
    for (int s = 0; s < shells; s++) {
        int count = 0;
        for (int i = 0; i < mesh->vertex_count; i++) {
            if (shell_of_vertex[i] == s) {
                points[count++] = mesh->positions[i];
            }
        }
        if (!add_hull(reader, at, points, count, density, &pieces[s], &masses[s])) {
            return false;
        }
    }
    out->shape = (wr_shape){.kind = WR_SHAPE_HULLS, .pieces = pieces, .piece_count = shells};
    out->mass = wr_mass_sum(masses, shells);
    return true;
}

static bool read_mesh(wri_reader *reader, const wri_json *at, double density, bool moving,
                      wri_body_shape *out)
{
    const wr_mesh *mesh = out->model->meshes;
    if (mesh->triangle_count == 0) {
        return wri_fail_at(reader, at, "the asset has no triangles, expected some for \"mesh\"");
    }
    out->shape = (wr_shape){.kind = WR_SHAPE_MESH,
                            .positions = mesh->positions,
                            .vertex_count = mesh->vertex_count,
                            .triangles = mesh->triangles,
                            .triangle_count = mesh->triangle_count};
    wr_error why = {0};
    if (!wr_mesh_find_mass(mesh, density, &out->mass, &why) && moving) {
        return wri_fail_at(reader, at, "%s; close it, or choose the shape \"hull\"", why.message);
    }
    return true;
}

// --- primitives -------------------------------------------------------------------------------

static bool read_primitive(wri_reader *reader, const wri_json *value, wr_primitive *primitive,
                           wr_vec3 *size)
{
    static const char *const words[] = {"box", "sphere", "capsule", "cylinder"};
    double radius = 0.0;
    raw_capsule raw = {0};
    if (value->count != 1) {
        return wri_fail_at(reader, value,
                           "\"shape\" has %d keys, expected one of: box, sphere, "
                           "capsule, cylinder",
                           value->count);
    }
    const wri_json *member = &value->items[0];
    wri_json at;
    int which = 0;
    while (which < WRI_COUNT(words) && strcmp(words[which], member->key) != 0) {
        which++;
    }
    switch (which) {
    case 0:
        *primitive = WR_PRIMITIVE_BOX;
        return wri_read_key(reader, &wri_box_key, member, size);
    case 1:
        *primitive = WR_PRIMITIVE_SPHERE;
        bool ok = wri_read_key(reader, &wri_radius_key, member, &radius);
        *size = wr_v3((float)radius, 0.0f, 0.0f);
        return ok;
    case 2:
    case 3:
        *primitive = which == 2 ? WR_PRIMITIVE_CAPSULE : WR_PRIMITIVE_CYLINDER;
        ok = wri_read_object(reader, which == 2 ? &wri_capsule_table : &wri_cylinder_table, member,
                             &raw);
        *size = wr_v3((float)raw.radius, (float)raw.length, 0.0f);
        return ok;
    default:
        at = wri_at_key(member);
        return wri_fail_word(reader, &at, "shape", member->key, words, WRI_COUNT(words));
    }
}

static bool read_primitive_shape(wri_reader *reader, wri_model_cache *cache, const wri_json *value,
                                 double density, wri_body_shape *out)
{
    static const wr_shape_kind kinds[] = {
        [WR_PRIMITIVE_BOX] = WR_SHAPE_BOX,
        [WR_PRIMITIVE_SPHERE] = WR_SHAPE_SPHERE,
        [WR_PRIMITIVE_CAPSULE] = WR_SHAPE_CAPSULE,
        [WR_PRIMITIVE_CYLINDER] = WR_SHAPE_CYLINDER,
    };
    wr_primitive primitive = WR_PRIMITIVE_BOX;
    wr_vec3 size = {0};
    if (!read_primitive(reader, value, &primitive, &size)) {
        return false;
    }
    out->shape = (wr_shape){.kind = kinds[primitive], .size = size};
    out->mass = wr_primitive_mass(primitive, size, density);
    if (!out->model) {
        out->model = find_model(reader, cache, (cache_entry){NULL, primitive, size, NULL});
    }
    return out->model != NULL;
}

// --- all of them ------------------------------------------------------------------------------

static bool read_word(wri_reader *reader, const wri_json *value, const wri_json *at, bool has_asset,
                      double density, bool moving, wri_body_shape *out)
{
    static const char *const words[] = {"plane", "hull",   "hulls",   "mesh",
                                        "box",   "sphere", "capsule", "cylinder"};
    const char *word = value ? value->string : "hull";
    if (strcmp(word, "plane") == 0) {
        out->shape = (wr_shape){.kind = WR_SHAPE_PLANE};
        return true;
    }
    int which = 1;
    while (which < WRI_COUNT(words) && strcmp(words[which], word) != 0) {
        which++;
    }
    if (which == WRI_COUNT(words)) {
        return wri_fail_word(reader, value, "shape", word, words, WRI_COUNT(words));
    }
    if (which > 3) {
        return wri_fail_at(reader, value, "the shape \"%s\" has no size, expected {\"%s\": ...}",
                           word, word);
    }
    if (!has_asset) {
        return wri_fail_at(reader, at, "the shape \"%s\" needs an \"asset\" to take it from", word);
    }
    return which == 1   ? read_hull(reader, at, density, out)
           : which == 2 ? read_hulls(reader, at, density, out)
                        : read_mesh(reader, at, density, moving, out);
}

bool wri_read_drawing(wri_reader *reader, wri_model_cache *cache, const wri_asset *asset,
                      double scale, wri_body_shape *out)
{
    cache_entry wanted = {asset, WR_PRIMITIVE_BOX, {(float)scale, 0.0f, 0.0f}, NULL};
    *out = (wri_body_shape){0};
    out->model = find_model(reader, cache, wanted);
    return out->model != NULL;
}

bool wri_read_shape(wri_reader *reader, wri_model_cache *cache, const wri_json *shape,
                    const wri_json *at, const wri_asset *asset, double scale, double density,
                    bool moving, wri_body_shape *out)
{
    *out = (wri_body_shape){0};
    if (!shape && !asset) {
        return wri_fail_at(reader, at, "has neither \"shape\" nor \"asset\", expected one of them");
    }
    if (asset && !wri_read_drawing(reader, cache, asset, scale, out)) {
        return false;
    }
    if (!shape || shape->type == WRI_JSON_STRING) {
        return read_word(reader, shape, shape ? shape : at, asset != NULL, density, moving, out);
    }
    if (shape->type != WRI_JSON_OBJECT) {
        return wri_fail_at(reader, shape, "\"shape\" is %s, expected a word or an object",
                           wri_json_type_name(shape->type));
    }
    return read_primitive_shape(reader, cache, shape, density, out);
}
