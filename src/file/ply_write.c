// ply_write.c: Stanford PLY, as little-endian bytes or as text.
//
// All nodes become one mesh, with their transforms applied. Normals and texture coordinates are
// written when every node's mesh, or any of them, has them. PLY has no materials: the plain colour
// of a look goes into the vertex colours, 8 bits of sRGB; a vertex between two looks has that of
// its first triangle. Particles are vertices without faces; the properties "radius" and "id" are
// there only with them.
#include "out.h"
#include "place.h"

typedef struct writer {
    const wr_model *model;
    wri_out *out;
    wri_place place;
    bool text, normals, uvs, colors;
    const wr_ply_cloud *clouds;
    int cloud_count;
    bool ids; // true when any cloud has ids
    int64_t vertex_count, triangle_count;
    wr_error *error;
} writer;

static void count_all(writer *w)
{
    w->normals = true;
    w->colors = w->model->look_count > 0;
    for (int i = 0; i < w->model->node_count; i++) {
        if (w->model->nodes[i].mesh >= 0) {
            const wr_mesh *mesh = &w->model->meshes[w->model->nodes[i].mesh];
            w->vertex_count += mesh->vertex_count;
            w->triangle_count += mesh->triangle_count;
            w->normals = w->normals && mesh->normals;
            w->uvs = w->uvs || mesh->uvs;
            w->colors = w->colors || mesh->colors;
        }
    }
    w->normals = w->normals && (w->cloud_count == 0 || w->triangle_count > 0);
    for (int i = 0; i < w->cloud_count; i++) {
        w->vertex_count += w->clouds[i].particles.count;
        w->ids = w->ids || w->clouds[i].particles.ids;
        w->colors = true;
    }
}

static void write_header(writer *w)
{
    wri_out_printf(w->out, "ply\nformat %s 1.0\ncomment Wrought; metres, +Y up\n",
                   w->text ? "ascii" : "binary_little_endian");
    wri_out_printf(w->out, "element vertex %lld\n", (long long)w->vertex_count);
    wri_out_text(w->out, "property float x\nproperty float y\nproperty float z\n");
    if (w->normals) {
        wri_out_text(w->out, "property float nx\nproperty float ny\nproperty float nz\n");
    }
    if (w->uvs) {
        wri_out_text(w->out, "property float s\nproperty float t\n");
    }
    if (w->colors) {
        wri_out_text(w->out, "property uchar red\nproperty uchar green\n"
                             "property uchar blue\nproperty uchar alpha\n");
    }
    if (w->cloud_count > 0) {
        wri_out_text(w->out, "property float radius\n");
    }
    if (w->ids) {
        wri_out_text(w->out, "property uint id\n");
    }
    wri_out_printf(w->out,
                   "element face %lld\nproperty list uchar int vertex_indices\n"
                   "end_header\n",
                   (long long)w->triangle_count);
}

// --- values -----------------------------------------------------------------------------------

static void put_u32(wri_out *out, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    wri_out_bytes(out, bytes, 4);
}

static void put_floats(writer *w, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if (w->text) {
            wri_out_float(w->out, values[i]);
            wri_out_bytes(w->out, " ", 1);
        } else {
            put_u32(w->out, bits);
        }
    }
}

static void put_color(writer *w, wr_color c)
{
    const float channels[4] = {wri_linear_to_srgb(c.r), wri_linear_to_srgb(c.g),
                               wri_linear_to_srgb(c.b), wr_clampf(c.a, 0.0f, 1.0f)};
    for (int i = 0; i < 4; i++) {
        uint8_t byte = (uint8_t)(255.0f * channels[i] + 0.5f);
        if (w->text) {
            wri_out_printf(w->out, "%d ", byte);
        } else {
            wri_out_bytes(w->out, &byte, 1);
        }
    }
}

// Writes what only particles have; 0 for vertices.
static void put_extras(writer *w, float radius, uint32_t id)
{
    if (w->cloud_count > 0) {
        put_floats(w, &radius, 1);
    }
    if (w->ids && w->text) {
        wri_out_printf(w->out, "%u ", (unsigned)id);
    } else if (w->ids) {
        put_u32(w->out, id);
    }
    if (w->text) {
        wri_out_bytes(w->out, "\n", 1);
    }
}

static void write_cloud(writer *w, const wr_ply_cloud *cloud)
{
    const wr_particles *p = &cloud->particles;
    static const float none[3] = {0};
    for (int i = 0; i < p->count; i++) {
        put_floats(w, &p->positions[i].x, 3);
        put_floats(w, none, (w->normals ? 3 : 0));
        put_floats(w, none, (w->uvs ? 2 : 0));
        put_color(w, cloud->color);
        put_extras(w, p->radii ? p->radii[i] : p->radius, p->ids ? p->ids[i] : 0);
    }
}

// --- meshes -----------------------------------------------------------------------------------

static wr_color multiply(wr_color a, wr_color b)
{
    return (wr_color){a.r * b.r, a.g * b.g, a.b * b.b, a.a * b.a};
}

// Colours of the vertices with those of their looks; freed by the caller.
static wr_color *find_colors(const writer *w, const wr_mesh *mesh)
{
    size_t n = (size_t)mesh->vertex_count, t = (size_t)mesh->triangle_count;
    wr_color *colors = wri_alloc(NULL, n, sizeof *colors);
    int *looks = wri_mesh_looks(mesh);
    if (!colors || !looks) {
        wri_free(NULL, colors, n, sizeof *colors);
        wri_free(NULL, looks, t, sizeof *looks);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        colors[i] = mesh->colors ? mesh->colors[i] : (wr_color){1.0f, 1.0f, 1.0f, 1.0f};
    }
    for (size_t i = 3 * t; i-- > 0;) { // backwards: the first triangle has the last word
        int look = looks[i / 3], v = mesh->triangles[i];
        wr_color own = mesh->colors ? mesh->colors[v] : (wr_color){1.0f, 1.0f, 1.0f, 1.0f};
        colors[v] = look < 0 ? own : multiply(own, w->model->looks[look].base_color);
    }
    wri_free(NULL, looks, t, sizeof *looks);
    return colors;
}

static void write_vertex(writer *w, const wr_mesh *mesh, int i)
{
    put_floats(w, &w->place.positions[i].x, 3);
    if (w->normals) {
        put_floats(w, &w->place.normals[i].x, 3);
    }
    if (w->uvs) {
        wr_vec2 uv = mesh->uvs ? mesh->uvs[i] : (wr_vec2){0.0f, 0.0f};
        put_floats(w, (float[2]){uv.x, 1.0f - uv.y}, 2);
    }
}

static bool write_vertices(writer *w, int node)
{
    const wr_mesh *mesh = &w->model->meshes[w->model->nodes[node].mesh];
    wr_color *colors = w->colors ? find_colors(w, mesh) : NULL;
    if (w->colors && !colors) {
        return wri_fail_memory(w->error, (size_t)mesh->vertex_count * sizeof *colors);
    }
    bool ok = wri_place_node(&w->place, node, w->error);
    for (int i = 0; ok && i < mesh->vertex_count; i++) {
        write_vertex(w, mesh, i);
        if (colors) {
            put_color(w, colors[i]);
        }
        put_extras(w, 0.0f, 0);
    }
    if (colors) {
        wri_free(NULL, colors, (size_t)mesh->vertex_count, sizeof *colors);
    }
    return ok;
}

static void write_faces(writer *w, const wr_mesh *mesh, bool mirrored, int64_t first)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        int64_t corners[3] = {first + t[0], first + t[mirrored ? 2 : 1],
                              first + t[mirrored ? 1 : 2]};
        if (w->text) {
            wri_out_printf(w->out, "3 %lld %lld %lld\n", (long long)corners[0],
                           (long long)corners[1], (long long)corners[2]);
            continue;
        }
        wri_out_bytes(w->out, "\3", 1);
        for (int k = 0; k < 3; k++) {
            put_u32(w->out, (uint32_t)corners[k]);
        }
    }
}

static bool write_meshes(writer *w)
{
    const wr_model *model = w->model;
    for (int i = 0; i < model->node_count; i++) {
        if (model->nodes[i].mesh >= 0 && !write_vertices(w, i)) {
            return false;
        }
    }
    for (int i = 0; i < w->cloud_count; i++) {
        write_cloud(w, &w->clouds[i]);
    }
    int64_t first = 0;
    for (int i = 0; i < model->node_count; i++) {
        if (model->nodes[i].mesh >= 0) {
            const wr_mesh *mesh = &model->meshes[model->nodes[i].mesh];
            if (!wri_place_node(&w->place, i, w->error)) {
                return false;
            }
            write_faces(w, mesh, w->place.mirrored, first);
            first += mesh->vertex_count;
        }
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool write_ply(writer *w, const char *path)
{
    count_all(w);
    if (w->vertex_count > INT32_MAX) {
        return wri_fail(w->error, WR_E_UNSUPPORTED, "%s: more than 2^31 vertices", path);
    }
    w->out = wri_out_create(path, w->error);
    if (!w->out) {
        return false;
    }
    write_header(w);
    return write_meshes(w) && wri_out_finish(w->out, w->error);
}

static bool check_clouds(const wr_ply_cloud *clouds, int count, const char *path, wr_error *error)
{
    for (int k = 0; k < count; k++) {
        const wr_particles *p = &clouds[k].particles;
        for (int i = 0; i < p->count; i++) {
            float r = p->radii ? p->radii[i] : p->radius;
            if (!wr_is_finite3(p->positions[i]) || !(r > 0.0f && isfinite(r))) {
                return wri_fail(error, WR_E_ARGUMENT, "%s: particle %d: not a place and a radius",
                                path, i);
            }
        }
    }
    return true;
}

bool wr_model_write_ply(const wr_model *model, bool text, const char *path, wr_error *error)
{
    return wr_model_write_ply_clouds(model, NULL, 0, text, path, error);
}

bool wr_model_write_ply_clouds(const wr_model *model, const wr_ply_cloud *clouds, int cloud_count,
                               bool text, const char *path, wr_error *error)
{
    if (!WRI_REQUIRE(error, model, path) || !WRI_REQUIRE_LIST(error, clouds, cloud_count)) {
        return false;
    }
    writer w = {
        .model = model, .clouds = clouds, .cloud_count = cloud_count, .text = text, .error = error};
    bool ok = wri_model_check(model, path, WR_E_ARGUMENT, error) &&
              check_clouds(clouds, cloud_count, path, error) &&
              wri_place_create(&w.place, model, error) && write_ply(&w, path);
    wri_out_destroy(w.out);
    wri_place_destroy(&w.place);
    return ok;
}
