// usda_film.c: meshes whose triangles change from frame to frame, and particles, with time samples.
//
// What belongs to the triangles (counts, indices, texture coordinates, subsets of looks) has a
// sample only where it changed; USD keeps such values until the next one. In frames without
// triangles the prim is invisible and has no samples.
#include "usda.h"

#include "model.h"

#include <stdio.h>

typedef struct film {
    wri_usda *u;
    const wr_mesh *meshes; // one per frame
    int frame_count;
    bool *is_new; // per frame: its triangles are others than those of the last frame that had some
    int first;    // frame with triangles, -1: none
} film;

typedef void value_fn(wri_usda *u, const wr_mesh *mesh);

static bool same(const void *a, const void *b, size_t size)
{
    return a == b || (a && b && (size == 0 || memcmp(a, b, size) == 0));
}

static bool same_topology(const wr_mesh *a, const wr_mesh *b)
{
    size_t n = (size_t)a->vertex_count;
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           a->part_count == b->part_count &&
           same(a->triangles, b->triangles, 3 * sizeof(int) * (size_t)a->triangle_count) &&
           same(a->parts, b->parts, sizeof(wr_mesh_part) * (size_t)a->part_count) &&
           same(a->uvs, b->uvs, sizeof(wr_vec2) * n);
}

static bool find_changes(film *f)
{
    f->is_new = wri_arena_alloc(&f->u->arena, (size_t)f->frame_count, sizeof *f->is_new);
    f->first = -1;
    int last = -1;
    for (int i = 0; f->is_new && i < f->frame_count; i++) {
        if (f->meshes[i].triangle_count > 0) {
            f->is_new[i] = last < 0 || !same_topology(&f->meshes[last], &f->meshes[i]);
            f->first = last < 0 ? i : f->first;
            last = i;
        }
    }
    return f->is_new || wri_fail_memory(f->u->error, (size_t)f->frame_count);
}

// --- checks -----------------------------------------------------------------------------------

static bool check_particles(const wr_particles *p, const char *where, wr_error *error)
{
    for (int i = 0; i < p->count; i++) {
        float r = p->radii ? p->radii[i] : p->radius;
        if (!wr_is_finite3(p->positions[i]) || !(r > 0.0f && isfinite(r))) {
            return wri_fail(error, WR_E_ARGUMENT, "%s: particle %d: not a place and a radius",
                            where, i);
        }
    }
    return true;
}

bool wri_usda_check_film(const wr_model *model, const wr_node_motion *motion, int number,
                         int frame_count, wr_error *error)
{
    if (motion->meshes && model->nodes[motion->node].mesh >= 0) {
        return wri_fail(error, WR_E_ARGUMENT, "motion %d: node %d has a mesh of its own", number,
                        motion->node);
    }
    bool ok = true;
    for (int f = 0; ok && f < frame_count; f++) {
        char where[64];
        snprintf(where, sizeof where, "motion %d: frame %d", number, f);
        if (motion->meshes) {
            wr_mesh mesh = motion->meshes[f];
            const wr_model alone = {.name = "",
                                    .mesh_count = 1,
                                    .meshes = &mesh,
                                    .look_count = model->look_count,
                                    .looks = model->looks,
                                    .image_count = model->image_count,
                                    .images = model->images};
            mesh.name = mesh.name ? mesh.name : "";
            ok = wri_model_check(&alone, where, WR_E_ARGUMENT, error);
        }
        ok = ok && (!motion->particles || check_particles(&motion->particles[f], where, error));
    }
    return ok;
}

// --- values -----------------------------------------------------------------------------------

static void put_counts(wri_usda *u, const wr_mesh *mesh)
{
    wri_out_text(u->out, "[");
    for (int i = 0; i < mesh->triangle_count; i++) {
        wri_out_text(u->out, i ? ",3" : "3");
    }
    wri_out_text(u->out, "]");
}

static void put_indices(wri_usda *u, const wr_mesh *mesh)
{
    wri_out_text(u->out, "[");
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        wri_out_text(u->out, i ? "," : "");
        wri_out_int(u->out, mesh->triangles[i]);
    }
    wri_out_text(u->out, "]");
}

static void put_uvs(wri_usda *u, const wr_mesh *mesh)
{
    wri_out_text(u->out, "[");
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec2 uv = mesh->uvs ? mesh->uvs[i] : (wr_vec2){0.0f, 0.0f};
        wri_out_text(u->out, i ? "," : "");
        wri_usda_tuple(u, (float[2]){uv.x, 1.0f - uv.y}, 2);
    }
    wri_out_text(u->out, "]");
}

static void put_points(wri_usda *u, const wr_mesh *mesh)
{
    wri_usda_vectors(u, mesh->positions, mesh->vertex_count);
}

static void put_extent(wri_usda *u, const wr_mesh *mesh)
{
    wri_usda_extent(u, mesh->positions, mesh->vertex_count);
}

static void put_normals(wri_usda *u, const wr_mesh *mesh)
{
    wri_usda_vectors(u, mesh->normals, mesh->vertex_count);
}

// Samples, then the value of the first frame for those who do not look at samples.
static void write_attribute(const film *f, const char *declaration, value_fn *put, bool only_new,
                            const char *metadata)
{
    wri_usda *u = f->u;
    wri_usda_line(u, "%s.timeSamples = {", declaration);
    u->depth++;
    for (int i = 0; i < f->frame_count; i++) {
        if (only_new ? f->is_new[i] : f->meshes[i].triangle_count > 0) {
            wri_usda_indent(u);
            wri_out_printf(u->out, "%d: ", i);
            put(u, &f->meshes[i]);
            wri_out_text(u->out, ",\n");
        }
    }
    wri_usda_close(u);
    wri_usda_indent(u);
    wri_out_printf(u->out, "%s = ", declaration);
    put(u, &f->meshes[f->first]);
    if (metadata) {
        wri_usda_metadata(u, metadata);
    } else {
        wri_out_text(u->out, "\n");
    }
}

static void write_visibility(const film *f)
{
    wri_usda *u = f->u;
    bool always = true;
    for (int i = 0; i < f->frame_count; i++) {
        always = always && f->meshes[i].triangle_count > 0;
    }
    if (always) {
        return;
    }
    wri_usda_line(u, "token visibility.timeSamples = {");
    u->depth++;
    for (int i = 0; i < f->frame_count; i++) {
        bool is_there = f->meshes[i].triangle_count > 0;
        if (i == 0 || is_there != (f->meshes[i - 1].triangle_count > 0)) {
            wri_usda_line(u, "%d: \"%s\",", i, is_there ? "inherited" : "invisible");
        }
    }
    wri_usda_close(u);
}

// --- looks ------------------------------------------------------------------------------------

// A mesh that has every look of the frames once; *single is the only one of all triangles, or -1.
static bool gather_looks(const film *f, wr_mesh *all, int *single)
{
    wri_usda *u = f->u;
    int count = u->model->look_count, used = 0;
    bool bare = false;
    all->parts = wri_arena_alloc(&u->arena, (size_t)count, sizeof *all->parts);
    if (!all->parts) {
        return wri_fail_memory(u->error, (size_t)count * sizeof *all->parts);
    }
    for (int i = 0; i < f->frame_count; i++) {
        int covered = 0;
        for (int p = 0; p < f->meshes[i].part_count; p++) {
            const wr_mesh_part *part = &f->meshes[i].parts[p];
            if (part->look >= 0 && part->triangle_count > 0) {
                all->parts[part->look] = (wr_mesh_part){0, 1, part->look};
                covered += part->triangle_count;
            }
        }
        bare = bare || covered < f->meshes[i].triangle_count;
    }
    all->part_count = count;
    for (int i = 0; i < count; i++) {
        used += all->parts[i].triangle_count;
        *single = all->parts[i].triangle_count ? i : *single;
        all->parts[i].look = i;
    }
    *single = used == 1 && !bare ? *single : -1;
    return true;
}

static void put_subset(wri_usda *u, const wr_mesh *mesh, int look)
{
    bool any = false;
    wri_out_text(u->out, "[");
    for (int p = 0; p < mesh->part_count; p++) {
        const wr_mesh_part *part = &mesh->parts[p];
        for (int i = 0; part->look == look && i < part->triangle_count; i++) {
            wri_out_text(u->out, any ? "," : "");
            wri_out_int(u->out, part->first_triangle + i);
            any = true;
        }
    }
    wri_out_text(u->out, "]");
}

static void write_subset(const film *f, int look, const char *path, const char *name)
{
    wri_usda *u = f->u;
    wri_usda_def(u, "GeomSubset", name, WRI_USDA_BINDING);
    wri_usda_line(u, "uniform token elementType = \"face\"");
    wri_usda_line(u, "uniform token familyName = \"materialBind\"");
    wri_usda_line(u, "rel material:binding = <%s/Looks/%s>", path, name);
    wri_usda_line(u, "int[] indices.timeSamples = {");
    u->depth++;
    for (int i = 0; i < f->frame_count; i++) {
        if (f->is_new[i]) {
            wri_usda_indent(u);
            wri_out_printf(u->out, "%d: ", i);
            put_subset(u, &f->meshes[i], look);
            wri_out_text(u->out, ",\n");
        }
    }
    wri_usda_close(u);
    wri_usda_begin(u, "int[] indices = ");
    put_subset(u, &f->meshes[f->first], look);
    wri_out_text(u->out, "\n");
    wri_usda_close(u);
}

// --- meshes -----------------------------------------------------------------------------------

static void write_values(const film *f)
{
    bool has_uvs = false, has_normals = true;
    for (int i = 0; i < f->frame_count; i++) {
        has_uvs = has_uvs || (f->meshes[i].triangle_count > 0 && f->meshes[i].uvs);
        has_normals = has_normals && (f->meshes[i].triangle_count == 0 || f->meshes[i].normals);
    }
    const char *vertex = "interpolation = \"vertex\"";
    write_attribute(f, "int[] faceVertexCounts", put_counts, true, NULL);
    write_attribute(f, "int[] faceVertexIndices", put_indices, true, NULL);
    write_attribute(f, "point3f[] points", put_points, false, NULL);
    write_attribute(f, "float3[] extent", put_extent, false, NULL);
    if (has_normals) {
        write_attribute(f, "normal3f[] normals", put_normals, false, vertex);
    }
    if (has_uvs) {
        write_attribute(f, "texCoord2f[] primvars:st", put_uvs, true, vertex);
    }
    write_visibility(f);
}

bool wri_usda_film(wri_usda *u, const char *name, const wr_node_motion *motion, const char *path)
{
    film f = {.u = u, .meshes = motion->meshes, .frame_count = u->take->frame_count};
    wr_mesh all = {0};
    const char **names;
    int single = -1;
    if (!find_changes(&f)) {
        return false;
    }
    if (f.first < 0) {
        return true;
    }
    if (!gather_looks(&f, &all, &single) || !wri_usda_looks(u, &all, path, &names)) {
        return false;
    }
    wri_usda_def_named(u, "Mesh", "mesh", name, single >= 0 ? WRI_USDA_BINDING : NULL);
    wri_usda_line(u, "uniform token subdivisionScheme = \"none\"");
    wri_usda_line(u, "uniform bool doubleSided = %d", wri_usda_is_double_sided(u, &all));
    write_values(&f);
    if (single >= 0) {
        wri_usda_line(u, "rel material:binding = <%s/Looks/%s>", path, names[single]);
    }
    for (int i = 0; single < 0 && i < u->model->look_count; i++) {
        if (names[i]) {
            write_subset(&f, i, path, names[i]);
        }
    }
    wri_usda_close(u);
    return true;
}

// --- particles --------------------------------------------------------------------------------

typedef void cloud_fn(wri_usda *u, const wr_particles *p);

static void put_places(wri_usda *u, const wr_particles *p)
{
    wri_usda_vectors(u, p->positions, p->count);
}

static void put_widths(wri_usda *u, const wr_particles *p)
{
    wri_out_text(u->out, "[");
    for (int i = 0; i < p->count; i++) {
        wri_out_text(u->out, i ? "," : "");
        wri_out_float(u->out, 2.0f * (p->radii ? p->radii[i] : p->radius));
    }
    wri_out_text(u->out, "]");
}

static void put_ids(wri_usda *u, const wr_particles *p)
{
    wri_out_text(u->out, "[");
    for (int i = 0; p->ids && i < p->count; i++) {
        wri_out_printf(u->out, "%s%u", i ? "," : "", (unsigned)p->ids[i]);
    }
    wri_out_text(u->out, "]");
}

// The box of the spheres.
static void put_box(wri_usda *u, const wr_particles *p)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < p->count; i++) {
        float r = p->radii ? p->radii[i] : p->radius;
        box = wr_box_add(box, wr_sub(p->positions[i], wr_v3(r, r, r)));
        box = wr_box_add(box, wr_add(p->positions[i], wr_v3(r, r, r)));
    }
    wr_vec3 corners[2] = {box.min, box.max};
    wri_usda_vectors(u, corners, p->count > 0 ? 2 : 0);
}

static void write_cloud(wri_usda *u, const wr_particles *sets, const char *declaration,
                        cloud_fn *put, const char *metadata)
{
    wri_usda_line(u, "%s.timeSamples = {", declaration);
    u->depth++;
    for (int i = 0; i < u->take->frame_count; i++) {
        wri_usda_indent(u);
        wri_out_printf(u->out, "%d: ", i);
        put(u, &sets[i]);
        wri_out_text(u->out, ",\n");
    }
    wri_usda_close(u);
    wri_usda_indent(u);
    wri_out_printf(u->out, "%s = ", declaration);
    put(u, &sets[0]);
    if (metadata) {
        wri_usda_metadata(u, metadata);
    } else {
        wri_out_text(u->out, "\n");
    }
}

void wri_usda_particles(wri_usda *u, const wr_node_motion *motion)
{
    const wr_particles *sets = motion->particles;
    bool has_ids = false;
    for (int i = 0; i < u->take->frame_count; i++) {
        has_ids = has_ids || sets[i].ids;
    }
    wri_usda_def(u, "Points", "particles", NULL);
    write_cloud(u, sets, "point3f[] points", put_places, NULL);
    write_cloud(u, sets, "float[] widths", put_widths, "interpolation = \"vertex\"");
    if (has_ids) {
        write_cloud(u, sets, "int64[] ids", put_ids, NULL);
    }
    write_cloud(u, sets, "float3[] extent", put_box, NULL);
    wri_usda_begin(u, "color3f[] primvars:displayColor = [");
    wri_usda_tuple(u, &motion->particle_color.r, 3);
    wri_out_text(u->out, "]");
    wri_usda_metadata(u, "interpolation = \"constant\"");
    wri_usda_close(u);
}
