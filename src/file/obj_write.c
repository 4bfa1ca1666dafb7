// obj_write.c: Wavefront OBJ with its material library and textures.
//
// One `o` per node that shows a mesh, in the order of the nodes; one `v` per vertex, in the order
// of the mesh, with the node's transform applied. Triangles keep their order: a change of look is a
// `usemtl`. What OBJ has no word for is left out: nodes without meshes, parents, double-sidedness.
#include "names.h"
#include "out.h"
#include "place.h"

typedef struct writer {
    const wr_model *model;
    wri_arena arena;
    wri_out *out;
    wri_place place;
    const char **looks;         // their names in the library
    int64_t vertex, uv, normal; // numbers given out so far
    wr_error *error;
} writer;

// --- the library ------------------------------------------------------------------------------

// Names of the looks, the same whenever they are asked for.
static const char **name_looks(const wr_model *model, wri_arena *arena)
{
    wri_names names = wri_names_create(arena);
    const char **out = wri_arena_alloc(arena, (size_t)model->look_count, sizeof *out);
    for (int i = 0; out && i < model->look_count; i++) {
        const char *line = wri_name_line(arena, model->looks[i].name, "look");
        out[i] = line ? wri_names_add(&names, line) : NULL;
        out = out[i] ? out : NULL;
    }
    return out;
}

static void write_fraction(wri_out *out, const char *key, float value)
{
    wri_out_text(out, key);
    wri_out_float(out, wr_clampf(value, 0.0f, 1.0f));
}

static void write_look(wri_out *out, const wr_look *look, const char *name, const char *texture)
{
    wri_out_text(out, "\nnewmtl ");
    wri_out_text(out, name);
    write_fraction(out, "\nKd ", look->base_color.r);
    write_fraction(out, " ", look->base_color.g);
    write_fraction(out, " ", look->base_color.b);
    write_fraction(out, "\nd ", look->base_color.a);
    write_fraction(out, "\nPr ", look->roughness);
    write_fraction(out, "\nPm ", look->metallic);
    wri_out_text(out, "\nillum 2\n");
    if (texture) {
        wri_out_text(out, "map_Kd ");
        wri_out_text(out, texture);
        wri_out_text(out, look->alpha == WR_ALPHA_OPAQUE ? "\n" : "\nmap_d ");
        wri_out_text(out, look->alpha == WR_ALPHA_OPAQUE ? "" : texture);
        wri_out_text(out, look->alpha == WR_ALPHA_OPAQUE ? "" : "\n");
    }
}

static bool write_library(const wr_model *model, wri_arena *arena, const char *path,
                          wr_error *error)
{
    const char **looks = name_looks(model, arena);
    const char **textures = wri_arena_alloc(arena, (size_t)model->image_count, sizeof *textures);
    if (!looks || !textures) {
        return wri_fail_memory(error, (size_t)model->look_count * sizeof *looks);
    }
    if (!wri_textures_write(model, path, arena, textures, error)) {
        return false;
    }
    wri_out *out = wri_out_create(path, error);
    if (!out) {
        return false;
    }
    wri_out_text(out, "# Wrought\n");
    for (int i = 0; i < model->look_count; i++) {
        int image = model->looks[i].texture;
        write_look(out, &model->looks[i], looks[i], image < 0 ? NULL : textures[image]);
    }
    bool ok = wri_out_finish(out, error);
    wri_out_destroy(out);
    return ok;
}

bool wr_model_write_mtl(const wr_model *model, const char *path, wr_error *error)
{
    if (!WRI_REQUIRE(error, model, path)) {
        return false;
    }
    wri_arena arena = wri_arena_create(NULL);
    bool ok = wri_model_check(model, path, WR_E_ARGUMENT, error) &&
              write_library(model, &arena, path, error);
    wri_arena_destroy(&arena);
    return ok;
}

// --- vertices ---------------------------------------------------------------------------------

static void write_numbers(wri_out *out, const char *key, const float *numbers, int count)
{
    wri_out_text(out, key);
    for (int i = 0; i < count; i++) {
        wri_out_bytes(out, " ", 1);
        wri_out_float(out, numbers[i]);
    }
}

static void write_color(wri_out *out, wr_color c)
{
    float srgb[4] = {wri_linear_to_srgb(c.r), wri_linear_to_srgb(c.g), wri_linear_to_srgb(c.b),
                     wr_clampf(c.a, 0.0f, 1.0f)};
    write_numbers(out, "", srgb, c.a == 1.0f ? 3 : 4);
}

static void write_vertices(writer *w, const wr_mesh *mesh)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        write_numbers(w->out, "v", &w->place.positions[i].x, 3);
        if (mesh->colors) {
            write_color(w->out, mesh->colors[i]);
        }
        wri_out_bytes(w->out, "\n", 1);
    }
    for (int i = 0; mesh->uvs && i < mesh->vertex_count; i++) {
        write_numbers(w->out, "vt", (float[2]){mesh->uvs[i].x, 1.0f - mesh->uvs[i].y}, 2);
        wri_out_bytes(w->out, "\n", 1);
    }
    for (int i = 0; mesh->normals && i < mesh->vertex_count; i++) {
        write_numbers(w->out, "vn", &w->place.normals[i].x, 3);
        wri_out_bytes(w->out, "\n", 1);
    }
}

// --- faces ------------------------------------------------------------------------------------

static void write_corner(writer *w, const wr_mesh *mesh, int vertex)
{
    wri_out_bytes(w->out, " ", 1);
    wri_out_int(w->out, w->vertex + vertex + 1);
    if (mesh->uvs) {
        wri_out_bytes(w->out, "/", 1);
        wri_out_int(w->out, w->uv + vertex + 1);
    }
    if (mesh->normals) {
        wri_out_text(w->out, mesh->uvs ? "/" : "//");
        wri_out_int(w->out, w->normal + vertex + 1);
    }
}

static void write_look_change(writer *w, int look)
{
    wri_out_text(w->out, "usemtl ");
    wri_out_text(w->out, look < 0 ? "(none)" : w->looks[look]); // (none) is in no library
    wri_out_bytes(w->out, "\n", 1);
}

static bool write_faces(writer *w, const wr_mesh *mesh, int *look_at_hand)
{
    bool mirrored = w->place.mirrored;
    int *looks = wri_mesh_looks(mesh);
    if (!looks) {
        return wri_fail_memory(w->error, (size_t)mesh->triangle_count * sizeof *looks);
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        if (looks[i] != *look_at_hand) {
            write_look_change(w, looks[i]);
            *look_at_hand = looks[i];
        }
        wri_out_bytes(w->out, "f", 1);
        write_corner(w, mesh, t[0]);
        write_corner(w, mesh, t[mirrored ? 2 : 1]);
        write_corner(w, mesh, t[mirrored ? 1 : 2]);
        wri_out_bytes(w->out, "\n", 1);
    }
    wri_free(NULL, looks, (size_t)mesh->triangle_count, sizeof *looks);
    return true;
}

static bool write_nodes(writer *w)
{
    const wr_model *model = w->model;
    int look = -1;
    for (int i = 0; i < model->node_count; i++) {
        if (model->nodes[i].mesh < 0) {
            continue;
        }
        const wr_mesh *mesh = &model->meshes[model->nodes[i].mesh];
        const char *name = wri_name_line(&w->arena, model->nodes[i].name, "object");
        if (!name) {
            return wri_fail_memory(w->error, strlen(model->nodes[i].name));
        }
        wri_out_printf(w->out, "o %s\n", name);
        if (!wri_place_node(&w->place, i, w->error)) {
            return false;
        }
        write_vertices(w, mesh);
        if (!write_faces(w, mesh, &look)) {
            return false;
        }
        w->vertex += mesh->vertex_count;
        w->uv += mesh->uvs ? mesh->vertex_count : 0;
        w->normal += mesh->normals ? mesh->vertex_count : 0;
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

// The name to stand behind mtllib; writes the library when nobody else has. NULL: failed.
static const char *settle_library(writer *w, const char *library, const char *path)
{
    if (library || w->model->look_count == 0) {
        return library ? library : "";
    }
    char *stem = wri_path_stem(&w->arena, path);
    char *file = stem ? wri_arena_printf(&w->arena, "%s.mtl", stem) : NULL;
    if (!file) {
        wri_fail_memory(w->error, strlen(path));
        return NULL;
    }
    return write_library(w->model, &w->arena, file, w->error) ? wri_path_name(file) : NULL;
}

static bool write_obj(writer *w, const char *library, const char *path)
{
    library = settle_library(w, library, path);
    w->looks = library ? name_looks(w->model, &w->arena) : NULL;
    if (!w->looks) {
        return library ? wri_fail_memory(w->error, sizeof *w->looks) : false;
    }
    w->out = wri_out_create(path, w->error);
    if (!w->out) {
        return false;
    }
    wri_out_text(w->out, "# Wrought; metres, +Y up\n");
    if (library[0]) {
        wri_out_printf(w->out, "mtllib %s\n", library);
    }
    return write_nodes(w) && wri_out_finish(w->out, w->error);
}

bool wr_model_write_obj(const wr_model *model, const char *library, const char *path,
                        wr_error *error)
{
    if (!WRI_REQUIRE(error, model, path)) {
        return false;
    }
    writer w = {.model = model, .arena = wri_arena_create(NULL), .error = error};
    bool ok = wri_model_check(model, path, WR_E_ARGUMENT, error) &&
              wri_place_create(&w.place, model, error) && write_obj(&w, library, path);
    wri_out_destroy(w.out);
    wri_place_destroy(&w.place);
    wri_arena_destroy(&w.arena);
    return ok;
}
