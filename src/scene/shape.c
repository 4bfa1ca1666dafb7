// shape.c: from the words of a body to what collides, what it weighs and what is drawn.
#include "shape.h"

#include "tables.h"

// --- models shared by equal bodies ------------------------------------------------------------

enum { MOST_PIECES = 256 };

// What a shape of a model weighs at the density that was asked for last; 0: none yet.
typedef struct weight {
    double density;
    wr_mass_properties mass;
} weight;

// Convex pieces of a model.
typedef struct convex {
    wr_model **hulls; // one mesh each
    wr_piece *pieces; // their points
    int count;        // 0: not made yet
    weight weight;
} convex;

typedef struct cache_entry {
    const wri_asset *asset; // NULL: a primitive
    wr_primitive primitive;
    wr_vec3 size;           // of the primitive; x: scale of the asset
    int coarse;             // instead: the entry + 1 of which it is a finer copy, 0: it is none
    double wanted, reached; // metres: edges of this copy are no longer, should be and are
    int number;             // + 1 among the models that bodies are drawn with, 0: it is none
    wr_added_vertices added;
    wr_model *model;
    convex whole, shells;
    enum { NOT_TRIED, CONVEX, NOT_CONVEX } convexity; // of its shells, see wri_make_solid
    weight weight;                                    // of its mesh
} cache_entry;

static void destroy_hulls(convex *c)
{
    for (int i = 0; i < c->count; i++) {
        wr_model_destroy(c->hulls[i]);
    }
}

wri_model_cache wri_model_cache_create(const wr_allocator *allocator)
{
    return (wri_model_cache){.entries = wri_array_create(allocator, sizeof(cache_entry))};
}

void wri_model_cache_destroy(wri_model_cache *cache)
{
    for (int i = 0; i < cache->entries.count; i++) {
        cache_entry *e = &WRI_ITEM(cache->entries, cache_entry, i);
        wr_model_destroy(e->model);
        destroy_hulls(&e->whole);
        destroy_hulls(&e->shells);
    }
    wri_free(&cache->entries.allocator, cache->table, cache->table_size, sizeof *cache->table);
    wri_array_destroy(&cache->entries);
}

static size_t find_slot(const wri_model_cache *cache, const cache_entry *wanted)
{
    uint64_t seed = (uint64_t)(uintptr_t)wanted->asset + (uint64_t)wanted->primitive;
    seed = wri_hash(&wanted->wanted, sizeof wanted->wanted, seed + (uint64_t)wanted->coarse);
    size_t mask = cache->table_size - 1;
    size_t slot = (size_t)wri_hash(&wanted->size, sizeof wanted->size, seed) & mask;
    for (; cache->table[slot]; slot = (slot + 1) & mask) {
        const cache_entry *e = &WRI_ITEM(cache->entries, cache_entry, cache->table[slot] - 1);
        if (e->asset == wanted->asset && e->primitive == wanted->primitive &&
            e->coarse == wanted->coarse && e->wanted == wanted->wanted &&
            memcmp(&e->size, &wanted->size, sizeof e->size) == 0) {
            break;
        }
    }
    return slot;
}

static bool grow_table(wri_model_cache *cache)
{
    if (2 * (size_t)cache->entries.count < cache->table_size) {
        return true;
    }
    const wr_allocator *allocator = &cache->entries.allocator;
    size_t size = cache->table_size ? 2 * cache->table_size : 64;
    int *table = wri_alloc(allocator, size, sizeof *table);
    if (!table) {
        return false;
    }
    wri_free(allocator, cache->table, cache->table_size, sizeof *table);
    cache->table = table;
    cache->table_size = size;
    for (int i = 0; i < cache->entries.count; i++) {
        cache->table[find_slot(cache, &WRI_ITEM(cache->entries, cache_entry, i))] = i + 1;
    }
    return true;
}

static wr_model *scaled_model(const wri_asset *asset, float scale, wr_error *error)
{
    wr_model *model = wr_model_flatten(asset->flat, error);
    for (int i = 0; model && i < model->meshes->vertex_count; i++) {
        model->meshes->positions[i] = wr_scale(scale, model->meshes->positions[i]);
    }
    return model;
}

// As fine as the limit allows: n vertices have 2 n triangles, whose sides l allow sqrt(3) / 4 l^2.
static wr_model *refine_model(const wr_model *source, cache_entry *e, const wr_allocator *allocator,
                              wr_error *error)
{
    enum { MOST_VERTICES = 100000 };
    const double coarser = 1.2;
    wr_error why = {.code = WR_E_LIMIT};
    wr_model *model = NULL;
    e->reached = fmax(e->wanted, sqrt(wr_mesh_area(source->meshes) / (0.866 * MOST_VERTICES)));
    while (!model && why.code == WR_E_LIMIT) {
        model =
            wr_mesh_refine(source->meshes, e->reached, MOST_VERTICES, allocator, &e->added, &why);
        e->reached *= model ? 1.0 : coarser;
    }
    if (!model) {
        wri_fail(error, why.code, "%s", why.message);
        return NULL;
    }
    model->looks = source->looks;
    model->look_count = source->look_count;
    model->images = source->images;
    model->image_count = source->image_count;
    return model;
}

static wr_model *make_model(const wri_model_cache *cache, cache_entry *e, wr_error *error)
{
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    if (e->coarse) {
        const wr_model *source = WRI_ITEM(cache->entries, cache_entry, e->coarse - 1).model;
        return refine_model(source, e, &cache->entries.allocator, error);
    }
    return e->asset ? scaled_model(e->asset, e->size.x, error)
                    : wr_model_create_primitive(e->primitive, e->size, white, error);
}

// Fills in the model and its number.
static bool find_model(wri_reader *reader, wri_model_cache *cache, cache_entry wanted,
                       wri_body_shape *out)
{
    size_t slot = grow_table(cache) ? find_slot(cache, &wanted) : 0;
    if (!cache->table || !cache->table[slot]) {
        cache_entry *entry = cache->table ? wri_array_add(&cache->entries, 1) : NULL;
        if (!entry) {
            return wri_fail_memory(reader->error, sizeof *entry);
        }
        *entry = wanted;
        entry->model = make_model(cache, entry, reader->error);
        cache->table[slot] = cache->entries.count;
    }
    out->model_index = cache->table[slot] - 1;
    out->model = WRI_ITEM(cache->entries, cache_entry, out->model_index).model;
    return out->model != NULL;
}

int wri_model_cache_number(wri_model_cache *cache, const wri_body_shape *shape)
{
    if (!shape->model) {
        return -1;
    }
    cache_entry *e = &WRI_ITEM(cache->entries, cache_entry, shape->model_index);
    e->number = e->number ? e->number : ++cache->model_count;
    return e->number - 1;
}

const wr_model **wri_model_cache_list(const wri_model_cache *cache, wri_arena *arena)
{
    const wr_model **list = wri_arena_alloc(arena, (size_t)cache->model_count, sizeof *list);
    for (int i = 0; list && i < cache->entries.count; i++) {
        const cache_entry *e = &WRI_ITEM(cache->entries, cache_entry, i);
        if (e->number) {
            list[e->number - 1] = e->model;
        }
    }
    return list;
}

// --- shapes from an asset ---------------------------------------------------------------------

static bool begin_convex(wri_reader *reader, int room, convex *out)
{
    out->hulls = wri_arena_alloc(reader->arena, (size_t)room, sizeof(wr_model *));
    out->pieces = wri_arena_alloc(reader->arena, (size_t)room, sizeof *out->pieces);
    return (out->hulls && out->pieces) ||
           wri_fail_memory(reader->error, (size_t)room * sizeof *out->pieces);
}

static bool add_hull(wri_reader *reader, const wri_json *at, const wr_vec3 *points, int count,
                     convex *out)
{
    wr_error why = {0};
    wr_model *hull = wr_hull_create(points, count, &why);
    if (!hull) {
        return wri_fail_inner(reader, at, &why);
    }
    const wr_mesh *mesh = hull->meshes;
    out->hulls[out->count] = hull;
    out->pieces[out->count++] = (wr_piece){mesh->positions, mesh->vertex_count};
    return true;
}

// One convex piece per separate shell of the mesh.
static bool add_shells(wri_reader *reader, const wri_json *at, const wr_mesh *mesh, convex *out)
{
    size_t n = (size_t)mesh->vertex_count;
    int *shell_of_vertex = wri_arena_alloc(reader->arena, n, sizeof *shell_of_vertex);
    wr_vec3 *points = wri_arena_alloc(reader->arena, n, sizeof *points);
    int shells = shell_of_vertex && points ? wr_mesh_find_shells(mesh, shell_of_vertex) : -1;
    if (shells < 0) {
        return wri_fail_memory(reader->error, n * sizeof *points);
    }
    if (shells > MOST_PIECES) {
        return wri_fail_at(reader, at,
                           "the asset has %d separate shells, expected at most %d for "
                           "\"hulls\"",
                           shells, MOST_PIECES);
    }
    bool ok = begin_convex(reader, shells, out);
    for (int s = 0; s < shells && ok; s++) {
        int count = 0;
        for (int i = 0; i < mesh->vertex_count; i++) {
            if (shell_of_vertex[i] == s) {
                points[count++] = mesh->positions[i];
            }
        }
        ok = add_hull(reader, at, points, count, out);
    }
    return ok;
}

static bool find_mass(convex *c, bool by_shell, double density, wr_error *error)
{
    if (c->weight.density == density) {
        return true;
    }
    wr_mass_properties masses[MOST_PIECES];
    for (int i = 0; i < c->count; i++) {
        if (!wr_mesh_find_mass(c->hulls[i]->meshes, density, &masses[i], error)) {
            return false;
        }
    }
    c->weight = (weight){density, by_shell ? wr_mass_sum(masses, c->count) : masses[0]};
    return true;
}

// Pieces are made once for all bodies of a model.
static bool read_hulls(wri_reader *reader, wri_model_cache *cache, const wri_json *at,
                       bool by_shell, double density, wri_body_shape *out)
{
    cache_entry *entry = &WRI_ITEM(cache->entries, cache_entry, out->model_index);
    const wr_mesh *mesh = out->model->meshes;
    convex *c = by_shell ? &entry->shells : &entry->whole;
    bool ok = c->count > 0 ||
              (by_shell ? add_shells(reader, at, mesh, c)
                        : begin_convex(reader, 1, c) &&
                              add_hull(reader, at, mesh->positions, mesh->vertex_count, c));
    out->shape = (wr_shape){.kind = WR_SHAPE_HULLS, .pieces = c->pieces, .piece_count = c->count};
    ok = ok && find_mass(c, by_shell, density, reader->error);
    out->mass = c->weight.mass;
    return ok;
}

static bool read_mesh(wri_reader *reader, wri_model_cache *cache, const wri_json *at,
                      double density, bool moving, wri_body_shape *out)
{
    weight *known = &WRI_ITEM(cache->entries, cache_entry, out->model_index).weight;
    const wr_mesh *mesh = out->model->meshes;
    if (mesh->triangle_count == 0) {
        return wri_fail_at(reader, at, "the asset has no triangles, expected some for \"mesh\"");
    }
    out->shape = (wr_shape){.kind = WR_SHAPE_MESH,
                            .positions = mesh->positions,
                            .vertex_count = mesh->vertex_count,
                            .triangles = mesh->triangles,
                            .triangle_count = mesh->triangle_count};
    if (known->density == density) {
        out->mass = known->mass;
        return true;
    }
    wr_error why = {0};
    if (wr_mesh_find_mass(mesh, density, &out->mass, &why)) {
        *known = (weight){density, out->mass};
        return true;
    }
    return !moving ||
           wri_fail_at(reader, at, "%s; close it, or choose the shape \"hull\"", why.message);
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
    const cache_entry wanted = {.primitive = primitive, .size = size};
    return out->model || find_model(reader, cache, wanted, out);
}

// --- all of them ------------------------------------------------------------------------------

static bool read_word(wri_reader *reader, wri_model_cache *cache, const wri_json *value,
                      const wri_json *at, double density, bool moving, wri_body_shape *out)
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
    if (!out->model) {
        return wri_fail_at(reader, at, "the shape \"%s\" needs an \"asset\" to take it from", word);
    }
    return which == 3 ? read_mesh(reader, cache, at, density, moving, out)
                      : read_hulls(reader, cache, at, which == 2, density, out);
}

bool wri_read_drawing(wri_reader *reader, wri_model_cache *cache, const wri_asset *asset,
                      double scale, wri_body_shape *out)
{
    const cache_entry wanted = {.asset = asset, .size = {(float)scale, 0.0f, 0.0f}};
    *out = (wri_body_shape){0};
    return find_model(reader, cache, wanted, out);
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
        return read_word(reader, cache, shape, shape ? shape : at, density, moving, out);
    }
    if (shape->type != WRI_JSON_OBJECT) {
        return wri_fail_at(reader, shape, "\"shape\" is %s, expected a word or an object",
                           wri_json_type_name(shape->type));
    }
    return read_primitive_shape(reader, cache, shape, density, out);
}

// --- static meshes that are convex ------------------------------------------------------------

// Says whether no corner of the hull lies before a triangle of the shell. A shell that is inside
// out, as that of a room, is not its own hull.
static bool is_own_hull(const wr_mesh *mesh, const int *shell_of_vertex, int shell,
                        const wr_mesh *hull)
{
    enum { MOST_CORNERS = 128 }; // the engine looks through all of them
    const float slack = 1e-3f * wr_length(wr_box_size(wr_mesh_bounds(hull)));
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = &mesh->triangles[3 * t];
        if (shell_of_vertex[v[0]] != shell) {
            continue;
        }
        wr_vec3 a = mesh->positions[v[0]], b = mesh->positions[v[1]], c = mesh->positions[v[2]];
        wr_vec3 n = wr_normalize(wr_cross(wr_sub(b, a), wr_sub(c, a)));
        for (int i = 0; i < hull->vertex_count; i++) {
            if (wr_dot(n, wr_sub(hull->positions[i], a)) > slack) {
                return false;
            }
        }
    }
    return hull->vertex_count <= MOST_CORNERS;
}

// Makes the hulls of all shells and says whether they are the shells themselves.
static bool has_convex_shells(wri_reader *reader, cache_entry *e)
{
    const wr_mesh *mesh = e->model->meshes;
    wr_mass_properties mass;
    wr_error ignored = {0};
    wri_reader quiet = *reader;
    quiet.error = &ignored;
    const wri_json nowhere = {0};
    size_t n = (size_t)mesh->vertex_count;
    int *shell_of_vertex = wri_arena_alloc(reader->arena, n, sizeof *shell_of_vertex);
    if (!shell_of_vertex || !wr_mesh_find_mass(mesh, 1.0, &mass, NULL) || // open, or inside out
        wr_mesh_find_shells(mesh, shell_of_vertex) < 1 ||
        (e->shells.count == 0 && !add_shells(&quiet, &nowhere, mesh, &e->shells))) {
        return false;
    }
    bool all = true;
    for (int s = 0; all && s < e->shells.count; s++) {
        all = is_own_hull(mesh, shell_of_vertex, s, e->shells.hulls[s]->meshes);
    }
    return all;
}

static bool is_inside(const wr_mesh *hull, wr_vec3 p)
{
    for (int t = 0; t < hull->triangle_count; t++) {
        const int *v = &hull->triangles[3 * t];
        wr_vec3 a = hull->positions[v[0]], b = hull->positions[v[1]], c = hull->positions[v[2]];
        if (wr_dot(wr_cross(wr_sub(b, a), wr_sub(c, a)), wr_sub(p, a)) > 0.0f) {
            return false;
        }
    }
    return true;
}

// A body that begins inside of a shell lives there: the mesh is a room.
static bool is_room(const convex *shells, wr_pose pose, const wr_scene_body *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        if (bodies[i].rigid.motion != WR_MOTION_MOVING) {
            continue;
        }
        wr_vec3 p = wr_rotate(wr_quat_conjugate(pose.rotation),
                              wr_sub(bodies[i].rigid.pose.position, pose.position));
        for (int s = 0; s < shells->count; s++) {
            if (is_inside(shells->hulls[s]->meshes, p)) {
                return true;
            }
        }
    }
    return false;
}

static cache_entry *entry_of_mesh(const wri_model_cache *cache, const wr_shape *mesh)
{
    for (int i = 0; i < cache->entries.count; i++) {
        cache_entry *e = &WRI_ITEM(cache->entries, cache_entry, i);
        if (e->model && e->model->meshes->positions == mesh->positions) {
            return e;
        }
    }
    return NULL;
}

void wri_make_solid(wri_reader *reader, wri_model_cache *cache, wr_scene_body *bodies, int count)
{
    cache_entry *e = NULL;
    for (int i = 0; i < count; i++) {
        wr_shape *shape = &bodies[i].rigid.shape;
        if (bodies[i].material || bodies[i].rigid.motion != WR_MOTION_STATIC ||
            shape->kind != WR_SHAPE_MESH) {
            continue;
        }
        if (!e || e->model->meshes->positions != shape->positions) {
            e = entry_of_mesh(cache, shape);
        }
        WR_ASSERT(e);
        if (e->convexity == NOT_TRIED) {
            e->convexity = has_convex_shells(reader, e) ? CONVEX : NOT_CONVEX;
        }
        if (e->convexity == CONVEX && !is_room(&e->shells, bodies[i].rigid.pose, bodies, count)) {
            *shape = (wr_shape){
                .kind = WR_SHAPE_HULLS, .pieces = e->shells.pieces, .piece_count = e->shells.count};
        }
    }
}

static double longest_edge(const wr_mesh *mesh)
{
    double longest = 0.0;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        longest = fmax(longest, (double)wr_distance(mesh->positions[mesh->triangles[i]],
                                                    mesh->positions[mesh->triangles[next]]));
    }
    return longest;
}

bool wri_refine_shape(wri_reader *reader, wri_model_cache *cache, double length,
                      wri_body_shape *shape, double *reached)
{
    double longest = shape->model ? longest_edge(shape->model->meshes) : 0.0;
    *reached = length;
    if (!(longest > length)) {
        return true;
    }
    const cache_entry wanted = {.coarse = shape->model_index + 1, .wanted = length};
    if (!find_model(reader, cache, wanted, shape)) {
        return false;
    }
    const cache_entry *e = &WRI_ITEM(cache->entries, cache_entry, shape->model_index);
    shape->added = e->added;
    *reached = fmin(e->reached, longest);
    return true;
}
