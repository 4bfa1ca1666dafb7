// build_simulation.c: the rig of an asset without its examples: simulation mesh, handles, weights,
// and where the render mesh rides.
#include "build.h"

#include "lattice.h"

#include <math.h>

static const char *file_of(wri_builder *b, const char *name)
{
    return wri_recipe_file(b->recipe, &b->arena, name);
}

static wr_solid solid_of(const wr_lattice *l)
{
    return (wr_solid){l->dimension, l->vertex_count, l->rest, l->element_count, l->elements};
}

// --- where vertices must be -------------------------------------------------------------------

static bool fail_place(wri_builder *b, int place, const char *what, wr_error *why)
{
    b->at_handle = b->recipe->places[place].json;
    return wri_fail(why, WR_E_FORMAT, "\"%s\" %s", b->recipe->places[place].name, what);
}

// No handle may be further away than the model is large: a slip of the unit, mostly.
static bool list_places(wri_builder *b, wri_points *out, wr_error *why)
{
    wr_box box = b->asset ? wr_mesh_bounds(b->asset->model->meshes) : WR_BOX_EMPTY;
    float size = b->asset ? wr_distance(box.min, box.max) : INFINITY;
    const wr_recipe *r = b->recipe;
    out->count = r->place_count + r->pin_count;
    out->items = wri_arena_alloc(&b->arena, (size_t)out->count, sizeof *out->items);
    out->layers = wri_arena_alloc(&b->arena, (size_t)out->count, sizeof *out->layers);
    if (!out->items || !out->layers) {
        return wri_fail_memory(why, (size_t)out->count * sizeof *out->items);
    }
    b->spots = out->items;
    if (!wri_find_spots(b, out->items, why)) {
        return false;
    }
    for (int i = 0; i < r->place_count; i++) {
        wr_vec3 at = b->spots[i], middle = wr_scale(0.5f, wr_add(box.min, box.max));
        if (b->asset && wr_distance(at, middle) > 1.5f * size) {
            return fail_place(b, i, "is too far from the model", why);
        }
        out->layers[i] = r->places[i].layer ? wri_recipe_find_layer(&b->reader, r, r->root, "layer",
                                                                    r->places[i].layer)
                         : b->layer_count > 1 ? wri_layer_at(b, at)
                                              : 0;
    }
    for (int i = 0; i < r->pin_count; i++) { // pins come after the others: a vertex lies exactly
                                             // there
        out->items[r->place_count + i] = r->pins[i].raw.at;
        out->layers[r->place_count + i] = r->pins[i].layer;
    }
    return true;
}

// The nodes of a graph, and points along its bones as far from one another as vertices will be.
static bool list_graph_points(wri_builder *b, const wr_handle_graph *graph, wri_points *out)
{
    const raw_simulation *simulation = &b->recipe->simulation;
    double spacing;
    if (b->layer_count > 0) {
        spacing =
            simulation->pixel * hypot(b->canvas[0], b->canvas[1]) / sqrt(simulation->vertices);
    } else {
        wr_box box = wr_mesh_bounds(b->asset->model->meshes);
        spacing = (double)wr_distance(box.min, box.max) / cbrt(simulation->vertices);
    }
    wri_array list = wri_array_create(&b->desc.allocator, sizeof(wr_vec3));
    bool ok = true;
    for (int i = 0; ok && i < graph->node_count; i++) {
        wr_vec3 *p = wri_array_add(&list, 1);
        ok = p != NULL;
        if (ok) {
            *p = graph->positions[i];
        }
    }
    for (int i = 0; ok && i < graph->edge_count; i++) {
        const wr_handle_edge *edge = &graph->edges[i];
        wr_vec3 from = graph->positions[edge->from], to = graph->positions[edge->to];
        int pieces = edge->is_bone ? (int)ceil((double)wr_distance(from, to) / spacing) : 1;
        for (int k = 1; ok && k < pieces && k < 64; k++) {
            wr_vec3 *p = wri_array_add(&list, 1);
            ok = p != NULL;
            if (ok) {
                *p = wr_add_scaled(from, (float)k / (float)pieces, wr_sub(to, from));
            }
        }
    }
    out->count = list.count;
    out->items = ok ? wri_arena_alloc(&b->arena, (size_t)list.count, sizeof(wr_vec3)) : NULL;
    out->layers = wri_arena_alloc(&b->arena, (size_t)list.count, sizeof(int));
    if (out->items && list.count > 0) {
        memcpy(out->items, list.items, (size_t)list.count * sizeof(wr_vec3));
    }
    wri_array_destroy(&list);
    return out->items && out->layers;
}

// --- simulation mesh --------------------------------------------------------------------------

static bool build_tets(wri_builder *b, wr_error *why)
{
    const char *path = file_of(b, b->recipe->simulation.mesh);
    const wr_read_options options = wri_recipe_read_options(b->recipe);
    wr_tet_mesh *tets = path ? wr_tet_mesh_read(path, &options, why) : NULL;
    if (!tets) {
        return path ? false : wri_fail_memory(why, 1);
    }
    b->lattice = wri_lattice_from_tets(tets, &b->desc.allocator, &b->report->flipped_elements, why);
    wr_tet_mesh_destroy(tets);
    return b->lattice != NULL;
}

static bool build_lattice(wri_builder *b, const wri_points *given, wr_error *why)
{
    wri_stage_progress progress = {b, 0.05, 0.3};
    if (b->layer_count > 0) {
        wr_progress part = wri_part_of_progress(&progress);
        (void)wri_mesh_layers(b, given, &part, why);
    } else {
        wr_lattice_desc desc = wr_lattice_desc_default();
        desc.mesh = b->asset->model->meshes;
        desc.vertices = b->recipe->simulation.vertices;
        desc.handles = given->items;
        desc.handle_count = given->count;
        desc.smoothing = b->recipe->simulation.smoothing;
        desc.separate_parts = b->recipe->simulation.separate;
        desc.trim = b->recipe->simulation.trim;
        desc.tasks = b->desc.tasks;
        desc.allocator = b->desc.allocator;
        desc.progress = wri_part_of_progress(&progress);
        b->lattice = wri_memo_lattice(&b->memo, &desc, why);
    }
    if (b->lattice) {
        b->report->lattice = b->lattice->report;
    }
    return b->lattice != NULL;
}

// --- handles ----------------------------------------------------------------------------------

static int nearest_vertex(const wr_lattice *l, wr_vec3 p)
{
    int nearest = 0;
    for (int v = 1; v < l->vertex_count; v++) {
        nearest = wr_distance(l->rest[v], p) < wr_distance(l->rest[nearest], p) ? v : nearest;
    }
    return nearest;
}

// The vertex of every placed handle.
static bool find_placed(wri_builder *b, int *vertices, wr_error *why)
{
    const wr_recipe *r = b->recipe;
    const wr_lattice *l = b->lattice;
    for (int i = 0; i < r->place_count; i++) {
        wr_vec3 at = b->spots[i];
        vertices[i] = r->simulation.mesh ? nearest_vertex(l, at) : l->handle_vertices[i];
        if (vertices[i] < 0 || (double)wr_distance(l->rest[vertices[i]], at) > l->report.spacing) {
            return fail_place(b, i,
                              r->simulation.mesh ? "is far from every vertex of the mesh"
                                                 : "is too far from the model",
                              why);
        }
        for (int k = 0; k < i; k++) {
            if (vertices[k] == vertices[i]) {
                return fail_place(b, i, "is where another handle is", why);
            }
        }
    }
    return true;
}

// True when bones were wished for that the model does not have: then it has one.
static bool has_one_bone(const wri_builder *b)
{
    const wr_recipe *r = b->recipe;
    return r->raw.morph && !r->raw.handles && b->source->skin_count == 0;
}

// Placed ones keep their names, automatic ones count from h0.
static bool place_handles(wri_builder *b, wr_error *why)
{
    const wr_recipe *r = b->recipe;
    int placed = r->place_count;
    int count = placed + (has_one_bone(b) ? 1 : r->handles.automatic);
    int *vertices = wri_arena_alloc(&b->arena, (size_t)placed, sizeof *vertices);
    b->names = wri_arena_alloc(&b->arena, (size_t)count, sizeof *b->names);
    if (!vertices || !b->names) {
        return wri_fail_memory(why, (size_t)count * sizeof *b->names);
    }
    if (!find_placed(b, vertices, why)) {
        return false;
    }
    if (b->layer_count > 0) {
        return wri_place_layer_handles(b, vertices, why);
    }
    const wr_solid solid = solid_of(b->lattice);
    b->handles = wr_handles_place(&solid, vertices, placed, count, &b->desc.allocator, why);
    for (int i = 0; b->handles && i < count; i++) {
        b->names[i] =
            i < placed ? r->places[i].name : wri_arena_printf(&b->arena, "h%d", i - placed);
        if (!b->names[i]) {
            return wri_fail_memory(why, 1);
        }
    }
    return b->handles != NULL;
}

static bool graph_handles(wri_builder *b, const wr_handle_graph *graph, wr_error *why)
{
    const wr_solid solid = solid_of(b->lattice);
    b->handles = wr_handles_from_graph(&solid, graph, 0.0f, &b->desc.allocator, why);
    if (!b->handles) {
        return false;
    }
    int count = b->handles->handle_count;
    b->names = wri_arena_alloc(&b->arena, (size_t)count, sizeof *b->names);
    for (int i = 0; b->names && i < count; i++) {
        b->names[i] = b->handles->handles[i].name;
    }
    return b->names || wri_fail_memory(why, 1);
}

static bool joint_handles(wri_builder *b, wr_error *why)
{
    if (b->layer_count > 0) {
        return wri_fail(why, WR_E_FORMAT, "a picture has no skin");
    }
    b->joints = wr_handles_from_skin(b->source, &b->desc.allocator, why);
    if (!b->joints) {
        return false;
    }
    b->names = wri_arena_alloc(&b->arena, (size_t)b->joints->handle_count, sizeof *b->names);
    for (int i = 0; b->names && i < b->joints->handle_count; i++) {
        b->names[i] = b->joints->handles[i].name;
    }
    return b->names || wri_fail_memory(why, 1);
}

static bool build_handles(wri_builder *b, const wr_handle_graph *graph, wr_error *why)
{
    bool skin = b->recipe->handles.skin && !has_one_bone(b);
    bool ok = skin    ? joint_handles(b, why)
              : graph ? graph_handles(b, graph, why)
                      : place_handles(b, why);
    if (ok && b->layer_count > 0 && b->handles->handle_count > WR_FLAT_HANDLES_MAX) {
        return wri_fail(why, WR_E_FORMAT,
                        "the drawing has %d handles, those of its pins among them, expected at "
                        "most %d",
                        b->handles->handle_count, WR_FLAT_HANDLES_MAX);
    }
    return ok;
}

// --- the rig ----------------------------------------------------------------------------------

static bool copy_handles(wri_builder *b, wr_rig *rig)
{
    const wr_handle *handles = b->joints ? b->joints->handles : b->handles->handles;
    rig->handle_count = b->joints ? b->joints->handle_count : b->handles->handle_count;
    rig->handles = wr_asset_alloc(b->asset, (size_t)rig->handle_count, sizeof *rig->handles);
    for (int i = 0; rig->handles && i < rig->handle_count; i++) {
        wr_handle *handle = &rig->handles[i];
        size_t length = strlen(b->names[i]) + 1;
        char *name = wr_asset_alloc(b->asset, length, 1);
        if (!name) {
            return false;
        }
        memcpy(name, b->names[i], length);
        *handle = handles[i];
        handle->name = name;
    }
    return rig->handles != NULL;
}

static bool copy_mesh(wri_builder *b, wr_rig *rig)
{
    const wr_lattice *l = b->lattice;
    size_t n = (size_t)l->vertex_count, corners = (size_t)l->element_count;
    corners *= (size_t)(l->dimension + 1);
    rig->dimension = l->dimension;
    rig->vertex_count = l->vertex_count;
    rig->element_count = l->element_count;
    rig->rest = wr_asset_alloc(b->asset, n, sizeof *rig->rest);
    rig->elements = wr_asset_alloc(b->asset, corners, sizeof *rig->elements);
    if (!rig->rest || !rig->elements) {
        return false;
    }
    memcpy(rig->rest, l->rest, n * sizeof *rig->rest);
    memcpy(rig->elements, l->elements, corners * sizeof *rig->elements);
    return true;
}

static bool read_weights(wri_builder *b, wr_rig *rig, wr_error *why)
{
    const char *path = file_of(b, b->recipe->handles.weights);
    wr_matrix *m = path ? wr_matrix_read(path, &b->desc.allocator, why) : NULL;
    if (!m) {
        return path ? false : wri_fail_memory(why, 1);
    }
    bool fits = m->rows == rig->vertex_count && m->columns == rig->handle_count;
    if (!fits) {
        wri_fail(why, WR_E_FORMAT,
                 "%s: %d rows and %d columns, expected one per vertex (%d) and handle (%d)", path,
                 m->rows, m->columns, rig->vertex_count, rig->handle_count);
    }
    for (int i = 0; fits && i < m->rows; i++) {
        double sum = 0.0;
        for (int k = 0; k < m->columns; k++) {
            sum += m->values[(size_t)k * (size_t)m->rows + (size_t)i];
        }
        fits = fabs(sum) > 1e-3 ||
               wri_fail(why, WR_E_FORMAT, "%s: row %d sums to %g, expected 1", path, i + 1, sum);
        for (int k = 0; fits && k < m->columns; k++) {
            rig->weights[(size_t)i * (size_t)m->columns + (size_t)k] =
                (float)(m->values[(size_t)k * (size_t)m->rows + (size_t)i] / sum);
        }
    }
    wr_matrix_destroy(m);
    return fits;
}

// What the run time leaves out is not kept: most of the weights of many handles.
static void drop_small_weights(wr_rig *rig)
{
    float least = wr_skin_desc_default().least_weight;
    size_t handles = (size_t)rig->handle_count;
    for (int i = 0; i < rig->vertex_count; i++) {
        float *row = rig->weights + (size_t)i * handles;
        double sum = 0.0;
        for (size_t b = 0; b < handles; b++) {
            row[b] = row[b] < least ? 0.0f : row[b];
            sum += (double)row[b];
        }
        for (size_t b = 0; b < handles && sum > 0.0; b++) {
            row[b] = (float)((double)row[b] / sum);
        }
    }
}

static bool find_weights(wri_builder *b, wr_rig *rig, wr_error *why)
{
    size_t count = (size_t)rig->vertex_count * (size_t)rig->handle_count;
    rig->weights = wr_asset_alloc(b->asset, count, sizeof *rig->weights);
    if (!rig->weights) {
        return wri_fail_memory(why, count * sizeof *rig->weights);
    }
    if (b->recipe->handles.weights) {
        return read_weights(b, rig, why);
    }
    if (b->joints) {
        const wr_solid solid = solid_of(b->lattice);
        return wr_weights_carry(&solid, rig->rides, rig->ride_count, b->joints->weights,
                                rig->handle_count, &b->desc.allocator, rig->weights, NULL, why);
    }
    wri_stage_progress progress = {b, 0.35, 0.75};
    if (b->layer_count > 0 && b->layers[0].handles) {
        wr_progress part = wri_part_of_progress(&progress);
        return wri_find_layer_weights(b, rig, &part, why);
    }
    wri_build_tell_duration(b, rig->vertex_count, rig->handle_count); // now they are known
    wr_weights_desc desc = wr_weights_desc_default();
    desc.mesh = solid_of(b->lattice);
    desc.handles = b->handles;
    desc.allocator = b->desc.allocator;
    desc.tasks = b->desc.tasks;
    desc.progress = wri_part_of_progress(&progress);
    bool ok = wri_memo_weights(&b->memo, &desc, rig->weights, &b->report->weights,
                               &b->report->weights_are_kept, why);
    if (ok) {
        drop_small_weights(rig);
    }
    return ok;
}

// A vertex for each of the mesh, then the rims, which lie outside as they should.
static bool find_drawn_rides(wri_builder *b, wr_rig *rig, wr_error *why)
{
    const wr_vec3 *places = b->asset->model->meshes->positions;
    int own = b->lattice->vertex_count, count = 0;
    int *parts = wri_arena_alloc(&b->arena, (size_t)(rig->ride_count - own), sizeof *parts);
    wr_ride_report rims;
    if (!parts) {
        return wri_fail_memory(why, (size_t)rig->ride_count * sizeof *parts);
    }
    for (int i = 0; i < b->layer_count; i++) {
        const wri_drawing_layer *layer = &b->layers[i];
        for (int k = 0; k < layer->rim.vertex_count; k++) {
            parts[count++] = b->lattice->vertex_parts[layer->first_vertex + layer->rim.roots[k]];
        }
    }
    return wr_lattice_find_rides(b->lattice, places, b->lattice->vertex_parts, own, &b->desc.tasks,
                                 rig->rides, &b->report->rides, why) &&
           wr_lattice_find_rides(b->lattice, places + own, parts, count, &b->desc.tasks,
                                 rig->rides + own, &rims, why);
}

static bool find_rides(wri_builder *b, wr_rig *rig, wr_error *why)
{
    const wr_mesh *mesh = b->asset->model->meshes;
    rig->ride_count = mesh->vertex_count;
    rig->rides = wr_asset_alloc(b->asset, (size_t)mesh->vertex_count, sizeof *rig->rides);
    if (!rig->rides) {
        return wri_fail_memory(why, (size_t)mesh->vertex_count * sizeof *rig->rides);
    }
    if (b->layer_count > 0) {
        return find_drawn_rides(b, rig, why);
    }
    const int *parts =
        b->lattice->render_count == mesh->vertex_count ? b->lattice->render_parts : NULL;
    return wr_lattice_find_rides(b->lattice, mesh->positions, parts, mesh->vertex_count,
                                 &b->desc.tasks, rig->rides, &b->report->rides, why);
}

static bool build_rest_example(wri_builder *b, wr_rig *rig)
{
    size_t examples = (size_t)b->report->example_count + 1;
    rig->examples = wr_asset_alloc(b->asset, examples, sizeof *rig->examples);
    wr_handle_pose *poses = wr_asset_alloc(b->asset, (size_t)rig->handle_count, sizeof *poses);
    if (!rig->examples || !poses) {
        return false;
    }
    for (int i = 0; i < rig->handle_count; i++) {
        poses[i] = (wr_handle_pose){WR_QUAT_IDENTITY, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    }
    rig->example_count = 1;
    rig->examples[0] = (wr_example){.name = "rest", .poses = poses};
    return true;
}

static bool build_mesh(wri_builder *b, wr_handle_graph *graph, wr_error *why)
{
    wri_points given = {0};
    bool listed = graph ? list_graph_points(b, graph, &given) || wri_fail_memory(why, 1)
                        : list_places(b, &given, why);
    if (!listed) {
        return false;
    }
    return b->recipe->simulation.mesh ? build_tets(b, why) : build_lattice(b, &given, why);
}

bool wri_build_simulation(wri_builder *b)
{
    const wr_recipe *r = b->recipe;
    const wri_json *at_mesh = r->raw.simulation ? r->raw.simulation : r->root;
    const wri_json *at_handles = r->raw.handles ? r->raw.handles : r->root;
    wr_handle_graph *graph = NULL;
    wr_error why = {0};
    if (r->handles.graph) {
        const char *path = file_of(b, r->handles.graph);
        const wr_read_options options = wri_recipe_read_options(b->recipe);
        graph = path ? wr_handle_graph_read(path, &options, &why) : NULL;
        if (!graph) {
            return wri_build_fail(b, at_handles, "handles", &why);
        }
    }
    wri_build_progress(b, "simulation mesh", 0.05);
    bool ok = build_mesh(b, graph, &why) && (b->asset || wri_draw_layers(b, &why));
    if (!ok) {
        wr_handle_graph_destroy(graph);
        return wri_build_fail(b, b->at_handle ? b->at_handle : at_mesh,
                              b->where       ? b->where
                              : b->at_handle ? "handles"
                                             : "simulation",
                              &why);
    }
    wri_build_progress(b, "handles", 0.3);
    wr_rig *rig = &b->asset->rig;
    ok = build_handles(b, graph, &why) &&
         ((copy_mesh(b, rig) && copy_handles(b, rig) && build_rest_example(b, rig)) ||
          wri_fail_memory(&why, 1)) &&
         find_rides(b, rig, &why);
    wr_handle_graph_destroy(graph);
    wri_build_progress(b, "weights", 0.35);
    if (!ok || !find_weights(b, rig, &why) || !wri_build_pins(b, &why)) {
        return wri_build_fail(b, b->at_handle ? b->at_handle : at_handles,
                              b->where ? b->where : "handles", &why);
    }
    b->rig_key = wri_rig_key(rig);
    return true;
}
