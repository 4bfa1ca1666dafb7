// build_layers.c: the pictures of a drawing, their simulation meshes, and what is drawn.
//
// Every layer gets a mesh of its own, all with about one spacing; together they are the simulation
// mesh, in the plane z = 0. The render mesh has the same triangles and a rim around them
// (build_rim.c), a part and a look per layer, each layer a little before the one behind it. Its
// first vertices are those of the simulation mesh.
#include "build.h"

#include "../file/model.h"
#include "lattice.h"
#include "outline.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define APART 1e-3 // distance of one layer before another, of the canvas's larger side

// --- pictures ---------------------------------------------------------------------------------

static bool read_layer(wri_builder *b, wri_drawing_layer *layer, const char *name, wr_error *why)
{
    const char *path = wri_recipe_file(b->recipe, &b->arena, name);
    if (!path) {
        return wri_fail_memory(why, strlen(name));
    }
    if (!wri_read_picture(&b->arena, path, &b->pixels_left, &layer->image, why)) {
        return false;
    }
    layer->image.name = name;
    return true;
}

// Upper left corners, y down, become lower left ones on a canvas that contains all, y up.
static void place_layers(wri_builder *b)
{
    const wri_recipe_layer *recipe = b->recipe->layers;
    int low[2] = {0, 0}, high[2] = {0, 0};
    for (int i = 0; i < b->layer_count; i++) {
        const int *at = recipe[i].raw.at;
        const int end[2] = {at[0] + b->layers[i].image.width, at[1] + b->layers[i].image.height};
        for (int k = 0; k < 2; k++) {
            low[k] = at[k] < low[k] ? at[k] : low[k];
            high[k] = end[k] > high[k] ? end[k] : high[k];
        }
    }
    b->canvas[0] = high[0] - low[0];
    b->canvas[1] = high[1] - low[1];
    for (int i = 0; i < b->layer_count; i++) {
        b->layers[i].x = recipe[i].raw.at[0] - low[0];
        b->layers[i].y = high[1] - recipe[i].raw.at[1] - b->layers[i].image.height;
    }
}

static bool read_layers(wri_builder *b, wr_error *why)
{
    const wr_recipe *r = b->recipe;
    for (int i = 0; i < r->layer_count; i++) {
        wri_drawing_layer *layer = &b->layers[i];
        layer->name = r->layers[i].raw.name;
        layer->at = b->at_handle = r->layers[i].json;
        b->where = wri_arena_printf(&b->arena, "layer \"%s\"", layer->name);
        if (!b->where || !read_layer(b, layer, r->layers[i].raw.image, why)) {
            return b->where ? false : wri_fail_memory(why, 1);
        }
    }
    b->layer_count = r->layer_count;
    place_layers(b);
    return true;
}

bool wri_build_layers(wri_builder *b, wr_error *why)
{
    const wr_recipe *r = b->recipe;
    size_t count = r->layer_count > 0 ? (size_t)r->layer_count : 1;
    b->pixels_left = WRI_DRAWING_PIXELS;
    b->layers = wri_arena_alloc(&b->arena, count, sizeof *b->layers);
    b->at_handle = wri_json_find(r->root, r->raw.sheet ? "sheet" : "model");
    b->where = r->raw.sheet ? "sheet" : "model";
    if (!b->layers) {
        return wri_fail_memory(why, count * sizeof *b->layers);
    }
    if (r->layer_count > 0) {
        if (!read_layers(b, why)) {
            return false;
        }
    } else {
        wri_drawing_layer *layer = b->layers;
        layer->name = r->raw.name;
        layer->at = b->at_handle;
        if (!(r->raw.sheet ? wri_build_sheet(b, layer, why)
                           : read_layer(b, layer, r->raw.model, why))) {
            return false;
        }
        b->layer_count = 1;
        b->canvas[0] = layer->image.width;
        b->canvas[1] = layer->image.height;
    }
    b->at_handle = NULL;
    b->where = NULL;
    return true;
}

bool wri_build_warn(wri_builder *b, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return wri_model_warn(b->asset->model, b->reader.error, b->recipe->path, "%s", text);
}

// --- which layer ------------------------------------------------------------------------------

static double alpha_at(const wr_image *image, int x, int y)
{
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) {
        return 0.0;
    }
    size_t row = (size_t)(image->height - 1 - y);
    return image->pixels[4 * (row * (size_t)image->width + (size_t)x) + 3];
}

double wri_alpha_between(const wr_image *image, double x, double y)
{
    if (!(x > -1.0 && y > -1.0 && x < image->width + 1.0 && y < image->height + 1.0)) {
        return 0.0;
    }
    int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    double u = x - 0.5 - i, v = y - 0.5 - j;
    double low = (1.0 - u) * alpha_at(image, i, j) + u * alpha_at(image, i + 1, j);
    double high = (1.0 - u) * alpha_at(image, i, j + 1) + u * alpha_at(image, i + 1, j + 1);
    return (1.0 - v) * low + v * high;
}

// True when a point is inside as the outline sees it.
static bool is_inside(const wr_image *image, double x, double y)
{
    return wri_alpha_between(image, x, y) > 127.5;
}

static double distance_to(const wr_image *image, double x, double y)
{
    double nearest = INFINITY;
    for (int j = 0; j < image->height; j++) {
        for (int i = 0; i < image->width; i++) {
            if (alpha_at(image, i, j) > 127.5) {
                nearest = fmin(nearest, hypot(i + 0.5 - x, j + 0.5 - y));
            }
        }
    }
    return nearest;
}

int wri_layer_at(const wri_builder *b, wr_vec3 at)
{
    double unit = b->recipe->simulation.pixel, x = at.x / unit, y = at.y / unit, least = INFINITY;
    int nearest = b->layer_count - 1;
    for (int i = b->layer_count - 1; i >= 0; i--) {
        if (is_inside(&b->layers[i].image, x - b->layers[i].x, y - b->layers[i].y)) {
            return i;
        }
    }
    for (int i = b->layer_count - 1; i >= 0; i--) {
        double d = distance_to(&b->layers[i].image, x - b->layers[i].x, y - b->layers[i].y);
        if (d < least) {
            least = d;
            nearest = i;
        }
    }
    return nearest;
}

// --- simulation meshes ------------------------------------------------------------------------

typedef struct mesher {
    wri_builder *b;
    const wri_points *given;
    wr_lattice **lattices; // one per layer
    double *areas, *lengths;
} mesher;

static bool fail_at_layer(wri_builder *b, const wri_drawing_layer *layer)
{
    b->at_handle = layer->at;
    b->where = b->layer_count > 1 || b->recipe->layer_count > 0
                   ? wri_arena_printf(&b->arena, "layer \"%s\"", layer->name)
                   : "simulation";
    return false;
}

static bool measure_layers(mesher *m, wr_error *why)
{
    wri_builder *b = m->b;
    wri_arena arena = wri_arena_create(&b->desc.allocator);
    bool ok = true;
    for (int i = 0; ok && i < b->layer_count; i++) {
        wri_outline outline;
        ok = wri_outline_find(&b->layers[i].image, &arena, &outline, why) ||
             fail_at_layer(b, &b->layers[i]);
        m->areas[i] = ok ? outline.area : 0.0;
        m->lengths[i] = ok ? outline.length : 0.0;
    }
    wri_arena_destroy(&arena);
    return ok;
}

static double expect_vertices(const mesher *m, int layer, double spacing)
{
    return fmax(8.0,
                m->areas[layer] / (0.866 * spacing * spacing) + 0.5 * m->lengths[layer] / spacing);
}

// The spacing in pixels at which all layers together have the vertices that are wanted.
static double find_spacing(const mesher *m)
{
    double low = 1e-3, high = 2.0 * (m->b->canvas[0] + m->b->canvas[1]);
    for (int k = 0; k < 60; k++) {
        double s = sqrt(low * high), count = 0.0;
        for (int i = 0; i < m->b->layer_count; i++) {
            count += expect_vertices(m, i, s);
        }
        *(count > m->b->recipe->simulation.vertices ? &low : &high) = s;
    }
    return high;
}

static wr_vec3 corner_of(const wri_builder *b, const wri_drawing_layer *layer)
{
    double unit = b->recipe->simulation.pixel;
    return wr_v3((float)(layer->x * unit), (float)(layer->y * unit), 0.0f);
}

static bool mesh_layer(mesher *m, int index, int vertices, const wr_progress *progress,
                       wr_error *why)
{
    wri_builder *b = m->b;
    wr_planar_desc desc = wr_planar_desc_default();
    wr_vec3 corner = corner_of(b, &b->layers[index]);
    wr_vec3 *given = wri_arena_alloc(&b->arena, (size_t)m->given->count, sizeof *given);
    if (!given) {
        return wri_fail_memory(why, (size_t)m->given->count * sizeof *given);
    }
    for (int i = 0; i < m->given->count; i++) {
        if (m->given->layers[i] == index) {
            given[desc.handle_count++] = wr_sub(m->given->items[i], corner);
        }
    }
    desc.image = &b->layers[index].image;
    desc.metres_per_pixel = b->recipe->simulation.pixel;
    desc.vertices = vertices;
    desc.handles = given;
    desc.allocator = b->desc.allocator;
    desc.progress = *progress;
    m->lattices[index] = wr_lattice_create_planar(&desc, why);
    return m->lattices[index] || fail_at_layer(b, &b->layers[index]);
}

static void add_report(wr_lattice_report *sum, const wr_lattice_report *one)
{
    sum->shells += one->shells;
    sum->parts += one->parts;
    sum->dropped_shells += one->dropped_shells;
    sum->handles_missed += one->handles_missed;
    sum->spacing = fmax(sum->spacing, one->spacing);
    sum->volume += one->volume;
    sum->least_volume = fmin(sum->least_volume, one->least_volume);
}

// Moves the mesh of a layer to its place on the canvas, behind those that are there already.
static void append(mesher *m, int index, wr_lattice *out)
{
    const wr_lattice *l = m->lattices[index];
    wri_drawing_layer *layer = &m->b->layers[index];
    wr_vec3 corner = corner_of(m->b, layer);
    layer->first_vertex = out->vertex_count;
    layer->vertex_count = l->vertex_count;
    layer->first_element = out->element_count;
    layer->element_count = l->element_count;
    for (int v = 0; v < l->vertex_count; v++) {
        int to = out->vertex_count + v;
        out->rest[to] = wr_add(l->rest[v], corner);
        out->vertex_parts[to] = out->report.parts + l->vertex_parts[v];
        out->is_boundary[to] = l->is_boundary[v];
    }
    for (int i = 0; i < 3 * l->element_count; i++) {
        layer->elements[i] = l->elements[i];
        out->elements[3 * out->element_count + i] = out->vertex_count + l->elements[i];
    }
    for (int i = 0, own = 0; i < m->given->count; i++) {
        if (m->given->layers[i] == index) {
            int v = l->handle_vertices[own++];
            out->handle_vertices[i] = v < 0 ? -1 : out->vertex_count + v;
            if (v >= 0) { // exact to the last bit, wherever the layer lies
                wr_vec3 at = m->given->items[i];
                out->rest[out->vertex_count + v] = wr_v3(at.x, at.y, 0.0f);
            }
        }
    }
    add_report(&out->report, &l->report);
    out->vertex_count += l->vertex_count;
    out->element_count += l->element_count;
}

static bool join_layers(mesher *m, wr_error *why)
{
    wri_builder *b = m->b;
    wri_lattice_sizes sizes = {.dimension = 2, .handles = m->given->count};
    for (int i = 0; i < b->layer_count; i++) {
        size_t corners = 3 * (size_t)m->lattices[i]->element_count;
        sizes.vertices += m->lattices[i]->vertex_count;
        sizes.elements += m->lattices[i]->element_count;
        b->layers[i].elements = wri_arena_alloc(&b->arena, corners, sizeof(int));
        if (!b->layers[i].elements) {
            return wri_fail_memory(why, corners * sizeof(int));
        }
    }
    b->lattice = wri_lattice_allocate(&sizes, &b->desc.allocator, why);
    if (b->lattice) {
        b->lattice->report.least_volume = INFINITY;
    }
    for (int i = 0; b->lattice && i < b->layer_count; i++) {
        append(m, i, b->lattice);
    }
    return b->lattice != NULL;
}

bool wri_mesh_layers(wri_builder *b, const wri_points *given, const wr_progress *progress,
                     wr_error *why)
{
    size_t count = (size_t)b->layer_count;
    mesher m = {.b = b,
                .given = given,
                .lattices = wri_arena_alloc(&b->arena, count, sizeof(wr_lattice *)),
                .areas = wri_arena_alloc(&b->arena, count, sizeof(double)),
                .lengths = wri_arena_alloc(&b->arena, count, sizeof(double))};
    bool ok = (m.lattices && m.areas && m.lengths) || wri_fail_memory(why, count);
    ok = ok && (count == 1 || measure_layers(&m, why));
    double spacing = ok && count > 1 ? find_spacing(&m) : 0.0;
    for (int i = 0; ok && i < b->layer_count; i++) {
        int vertices = count > 1 ? (int)(expect_vertices(&m, i, spacing) + 0.5)
                                 : b->recipe->simulation.vertices;
        ok = mesh_layer(&m, i, vertices, progress, why);
    }
    ok = ok && join_layers(&m, why);
    for (int i = 0; m.lattices && i < b->layer_count; i++) {
        wr_lattice_destroy(m.lattices[i]);
    }
    return ok;
}

// --- what is drawn ----------------------------------------------------------------------------

typedef struct layer_frame {
    wr_vec3 corner; // lower left, metres
    double width, height;
    float z;
} layer_frame;

static void draw_vertex(const layer_frame *f, wr_vec3 at, wr_mesh *mesh, int vertex)
{
    mesh->positions[vertex] = wr_v3(at.x, at.y, f->z);
    mesh->normals[vertex] = wr_v3(0, 0, 1);
    mesh->uvs[vertex] = (wr_vec2){(float)((double)(at.x - f->corner.x) / f->width),
                                  (float)(1.0 - (double)(at.y - f->corner.y) / f->height)};
}

static void draw_triangles(const wri_drawing_layer *layer, int rim_first, wr_mesh *mesh, int *count)
{
    const wri_rim *rim = &layer->rim;
    int *out = mesh->triangles + 3 * *count;
    for (int i = 0; i < 3 * layer->element_count; i++) {
        *out++ = layer->first_vertex + layer->elements[i];
    }
    for (int i = 0; i < 3 * rim->triangle_count; i++) {
        int v = rim->triangles[i / 3][i % 3], own = layer->vertex_count;
        *out++ = v < own ? layer->first_vertex + v : rim_first + v - own;
    }
    *count += layer->element_count + rim->triangle_count;
}

// vertices, triangles: how many the mesh has of those that do not come from the lattice, and at
// all.
static bool draw_layer(const wri_builder *b, int index, wr_model *m, int *vertices, int *triangles)
{
    const wri_drawing_layer *layer = &b->layers[index];
    const wr_image *p = &layer->image;
    double unit = b->recipe->simulation.pixel;
    int larger = b->canvas[0] > b->canvas[1] ? b->canvas[0] : b->canvas[1], first = *triangles;
    const layer_frame frame = {corner_of(b, layer), p->width * unit, p->height * unit,
                               (float)(index * APART * larger * unit)};
    for (int v = layer->first_vertex; v < layer->first_vertex + layer->vertex_count; v++) {
        draw_vertex(&frame, b->lattice->rest[v], m->meshes, v);
    }
    draw_triangles(layer, *vertices, m->meshes, triangles);
    for (int i = 0; i < layer->rim.vertex_count; i++) {
        draw_vertex(&frame, layer->rim.places[i], m->meshes, (*vertices)++);
    }
    char *name = wr_model_alloc(m, strlen(layer->name) + 1, 1);
    if (!name) {
        return false;
    }
    strcpy(name, layer->name);
    m->images[index] = (wr_image){name, p->width, p->height, p->pixels};
    m->looks[index] = (wr_look){.name = name,
                                .base_color = {1, 1, 1, 1},
                                .texture = index,
                                .roughness = 1.0f,
                                .double_sided = true,
                                .unlit = true,
                                .alpha = WR_ALPHA_BLEND};
    m->meshes->parts[index] = (wr_mesh_part){first, *triangles - first, index};
    return true;
}

static bool alloc_drawing(const wri_builder *b, wr_model *m)
{
    size_t n = (size_t)b->lattice->vertex_count, triangles = (size_t)b->lattice->element_count;
    size_t layers = (size_t)b->layer_count;
    for (int i = 0; i < b->layer_count; i++) {
        n += (size_t)b->layers[i].rim.vertex_count;
        triangles += (size_t)b->layers[i].rim.triangle_count;
    }
    char *name = wr_model_alloc(m, strlen(b->recipe->raw.name) + 1, 1);
    wr_mesh *mesh = m->meshes = wr_model_alloc(m, 1, sizeof *m->meshes);
    m->nodes = wr_model_alloc(m, 1, sizeof *m->nodes);
    m->looks = wr_model_alloc(m, layers, sizeof *m->looks);
    m->images = wr_model_alloc(m, layers, sizeof *m->images);
    if (!name || !mesh || !m->nodes || !m->looks || !m->images) {
        return false;
    }
    strcpy(name, b->recipe->raw.name);
    *mesh = (wr_mesh){.name = name,
                      .vertex_count = (int)n,
                      .triangle_count = (int)triangles,
                      .part_count = b->layer_count,
                      .positions = wr_model_alloc(m, n, sizeof(wr_vec3)),
                      .normals = wr_model_alloc(m, n, sizeof(wr_vec3)),
                      .uvs = wr_model_alloc(m, n, sizeof(wr_vec2)),
                      .triangles = wr_model_alloc(m, triangles, 3 * sizeof(int)),
                      .parts = wr_model_alloc(m, layers, sizeof(wr_mesh_part))};
    m->nodes[0] = (wr_node){.name = name, .parent = -1, .skin = -1, .scale = {1, 1, 1}};
    m->nodes[0].pose.rotation = WR_QUAT_IDENTITY;
    m->name = name;
    m->mesh_count = m->node_count = 1;
    m->look_count = m->image_count = b->layer_count;
    return mesh->positions && mesh->normals && mesh->uvs && mesh->triangles && mesh->parts;
}

// Warns of what falls apart when it is simulated.
static bool warn_of_pieces(wri_builder *b, const wri_drawing_layer *layer)
{
    const int *parts = b->lattice->vertex_parts + layer->first_vertex;
    int most = parts[0];
    for (int v = 1; v < layer->vertex_count; v++) {
        most = parts[v] > most ? parts[v] : most;
    }
    int pieces = most - parts[0] + 1;
    return pieces == 1 ||
           wri_build_warn(b, "%s has %d pieces that nothing holds together, expected one",
                          layer->image.name, pieces);
}

bool wri_draw_layers(wri_builder *b, wr_error *why)
{
    for (int i = 0; i < b->layer_count; i++) {
        if (!wri_find_rim(b, &b->layers[i], why)) {
            return false;
        }
    }
    wr_model *m = wr_model_create(&b->desc.allocator, why);
    if (!m) {
        return false;
    }
    int vertices = b->lattice->vertex_count, triangles = 0;
    bool ok = alloc_drawing(b, m);
    for (int i = 0; ok && i < b->layer_count; i++) {
        ok = draw_layer(b, i, m, &vertices, &triangles);
    }
    if (!ok) {
        wr_model_destroy(m);
        return wri_fail_memory(why, (size_t)b->lattice->vertex_count * sizeof(wr_vec3));
    }
    b->asset = wr_asset_create(m, &b->desc.allocator, why); // copies the pictures
    for (int i = 0; b->asset && i < b->layer_count; i++) {
        if (!warn_of_pieces(b, &b->layers[i])) {
            return wri_fail_memory(why, 1);
        }
    }
    return b->asset != NULL;
}
