// usda_mesh.c: a mesh as a Mesh prim: faces, places, normals, texture coordinates and colours.
#include "usda.h"

// Numbers of vertices, or of the points that stand for them.
static void write_numbers(wri_usda *u, const wr_mesh *mesh, const int *points)
{
    wri_out_text(u->out, "[");
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        int vertex = mesh->triangles[i];
        wri_out_text(u->out, i ? "," : "");
        wri_out_int(u->out, points ? points[vertex] : vertex);
    }
    wri_out_text(u->out, "]\n");
}

static void write_faces(wri_usda *u, const wr_mesh *mesh, const int *points)
{
    wri_usda_begin(u, "int[] faceVertexCounts = [");
    for (int i = 0; i < mesh->triangle_count; i++) {
        wri_out_text(u->out, i ? ",3" : "3");
    }
    wri_out_text(u->out, "]\n");
    wri_usda_begin(u, "int[] faceVertexIndices = ");
    write_numbers(u, mesh, points);
}

// Where points stand for several vertices, corners have the numbers of the vertices.
static void end_surface(wri_usda *u, const wr_mesh *mesh, const wri_usda_cage *cage,
                        const char *declaration)
{
    wri_out_text(u->out, "]");
    wri_usda_metadata(u, cage ? "interpolation = \"faceVarying\"" : "interpolation = \"vertex\"");
    if (cage) {
        wri_usda_begin(u, declaration);
        write_numbers(u, mesh, NULL);
    }
}

static void write_surface(wri_usda *u, const wr_mesh *mesh, const wri_usda_cage *cage)
{
    if (mesh->uvs) {
        wri_usda_begin(u, "texCoord2f[] primvars:st = [");
        for (int i = 0; i < mesh->vertex_count; i++) {
            wri_out_text(u->out, i ? "," : "");
            wri_usda_tuple(u, (float[2]){mesh->uvs[i].x, 1.0f - mesh->uvs[i].y}, 2);
        }
        end_surface(u, mesh, cage, "int[] primvars:st:indices = ");
    }
    if (mesh->colors) {
        wri_usda_begin(u, "color3f[] primvars:displayColor = [");
        for (int i = 0; i < mesh->vertex_count; i++) {
            wri_out_text(u->out, i ? "," : "");
            wri_usda_tuple(u, &mesh->colors[i].r, 3);
        }
        end_surface(u, mesh, cage, "int[] primvars:displayColor:indices = ");
    }
}

// Samples where the shape changes, and the last before: between two, readers go straight.
static void write_deformation(wri_usda *u, const wr_mesh *mesh, const wr_vec3 *const *points,
                              wr_vec3 *normals)
{
    int count = u->take->frame_count;
    static const char *const names[3] = {"point3f[] points", "float3[] extent",
                                         "normal3f[] normals"};
    for (int k = 0; k < (mesh->normals ? 3 : 2); k++) {
        wri_usda_line(u, "%s.timeSamples = {", names[k]);
        u->depth++;
        for (int f = 0; f < count; f++) {
            const wr_vec3 *frame = points[f];
            if (f > 0 && frame == points[f - 1] && (f == count - 1 || frame == points[f + 1])) {
                continue;
            }
            wri_usda_indent(u);
            wri_out_printf(u->out, "%d: ", f);
            if (k == 0) {
                wri_usda_vectors(u, frame, mesh->vertex_count);
            } else if (k == 1) {
                wri_usda_extent(u, frame, mesh->vertex_count);
            } else {
                wr_find_normals(frame, mesh->vertex_count, mesh->triangles, mesh->triangle_count,
                                normals);
                wri_usda_vectors(u, normals, mesh->vertex_count);
            }
            wri_out_text(u->out, ",\n");
        }
        wri_usda_close(u);
    }
}

bool wri_usda_is_double_sided(const wri_usda *u, const wr_mesh *mesh)
{
    for (int i = 0; i < mesh->part_count; i++) {
        if (mesh->parts[i].look >= 0 && u->model->looks[mesh->parts[i].look].double_sided) {
            return true;
        }
    }
    return false;
}

static void write_list(wri_usda *u, const char *declaration, const wr_vec3 *vectors, int count)
{
    wri_usda_begin(u, declaration);
    wri_usda_vectors(u, vectors, count);
}

// Points in the mesh's own unit, which its scale turns into metres.
static bool write_cage(wri_usda *u, const wr_mesh *mesh, const wri_usda_cage *cage)
{
    size_t size = (size_t)cage->count;
    wr_vec3 *places = wri_alloc(NULL, size, sizeof *places);
    for (int i = 0; places && i < cage->count; i++) {
        places[i] = wr_scale(1.0f / cage->unit, mesh->positions[cage->vertices[i]]);
    }
    if (!places) {
        return wri_fail_memory(u->error, size * sizeof *places);
    }
    write_list(u, "point3f[] points = ", places, cage->count);
    wri_out_text(u->out, "\n");
    wri_usda_begin(u, "float3[] extent = ");
    wri_usda_extent(u, places, cage->count);
    wri_out_text(u->out, "\n");
    wri_usda_begin(u, "float3 xformOp:scale = ");
    wri_usda_tuple(u, (float[3]){cage->unit, cage->unit, cage->unit}, 3);
    wri_out_text(u->out, "\n");
    wri_usda_line(u, "uniform token[] xformOpOrder = [\"xformOp:scale\"]");
    wri_free(NULL, places, size, sizeof *places);
    return true;
}

static void write_places(wri_usda *u, const wr_mesh *mesh, const wr_vec3 *places)
{
    write_list(u, "point3f[] points = ", places, mesh->vertex_count);
    wri_out_text(u->out, "\n");
    wri_usda_begin(u, "float3[] extent = ");
    wri_usda_extent(u, places, mesh->vertex_count);
    wri_out_text(u->out, "\n");
    if (mesh->normals) {
        write_list(u, "normal3f[] normals = ", mesh->normals, mesh->vertex_count);
        wri_usda_metadata(u, "interpolation = \"vertex\"");
    }
}

bool wri_usda_mesh(wri_usda *u, const char *name, const wr_mesh *mesh, const wri_usda_cage *cage,
                   const wr_vec3 *const *points, const char *path, const char **looks)
{
    size_t size = points ? (size_t)mesh->vertex_count : 0;
    wr_vec3 *normals = wri_arena_alloc(&u->arena, size, sizeof *normals);
    if (!normals) {
        return wri_fail_memory(u->error, size * sizeof *normals);
    }
    bool single = path && wri_usda_single_look(mesh) >= 0;
    wri_usda_def_named(u, "Mesh", name, mesh->name, single ? WRI_USDA_BINDING : NULL);
    wri_usda_line(u, "uniform token subdivisionScheme = \"none\"");
    wri_usda_line(u, "uniform bool doubleSided = %d", wri_usda_is_double_sided(u, mesh));
    write_faces(u, mesh, cage ? cage->points : NULL);
    if (points) {
        write_deformation(u, mesh, points, normals);
    }
    if (cage && !write_cage(u, mesh, cage)) {
        return false;
    }
    if (!cage) {
        write_places(u, mesh, points ? points[0] : mesh->positions);
    }
    write_surface(u, mesh, cage);
    bool ok = wri_usda_bind(u, mesh, path, looks, true);
    wri_usda_close(u);
    return ok;
}
