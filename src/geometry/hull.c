// hull.c: convex hulls by Qhull (reentrant interface).
#include "wrought/geometry.h"

#include "../base/os.h"

#include <libqhull_r/qhull_ra.h>

// Smallest extent of the points over all directions that matter is unknown before the hull; the
// farthest point from the plane of three far points is a sure lower bound for "not flat".
static bool is_flat(const wr_vec3 *points, int count)
{
    int a = 0, b = 0, c = 0;
    float best = 0.0f;
    for (int i = 0; i < count; i++) {
        float d = wr_distance(points[a], points[i]);
        if (d > best) {
            best = d, b = i;
        }
    }
    float size = best;
    wr_vec3 axis = wr_normalize(wr_sub(points[b], points[a]));
    best = 0.0f;
    for (int i = 0; i < count; i++) {
        float d = wr_length(wr_cross(axis, wr_sub(points[i], points[a])));
        if (d > best) {
            best = d, c = i;
        }
    }
    if (!(best > 1e-6f * size)) {
        return true;
    }
    wr_vec3 normal = wr_normalize(wr_cross(axis, wr_sub(points[c], points[a])));
    best = 0.0f;
    for (int i = 0; i < count; i++) {
        best = fmaxf(best, fabsf(wr_dot(normal, wr_sub(points[i], points[a]))));
    }
    return !(best > 1e-6f * size);
}

static bool read_hull(qhT *qh, wr_model *model, const wr_vec3 *points, wr_error *error)
{
    wr_mesh *mesh = model->meshes;
    mesh->positions = wr_model_alloc(model, (size_t)qh->num_vertices, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(model, (size_t)qh->num_facets, 3 * sizeof(int));
    mesh->parts = wr_model_alloc(model, 1, sizeof(wr_mesh_part));
    if (!mesh->positions || !mesh->triangles || !mesh->parts) {
        return wri_fail_memory(error, (size_t)qh->num_facets * 3 * sizeof(int));
    }
    vertexT *vertex;
    FORALLvertices
    {
        vertex->visitid = (unsigned)mesh->vertex_count;
        mesh->positions[mesh->vertex_count++] = points[qh_pointid(qh, vertex->point)];
    }
    facetT *facet;
    FORALLfacets
    {
        int *t = &mesh->triangles[3 * mesh->triangle_count];
        int corner = 0;
        vertexT **vertexp;
        FOREACHvertex_(facet->vertices)
        {
            if (corner < 3) {
                t[corner++] = (int)vertex->visitid;
            }
        }
        // Qhull lists corners in no order and notes apart which way round they are. Asking the
        // corners themselves fails where three of them lie on a line.
        if (facet->toporient ^ qh_ORIENTclock) {
            int swap = t[1];
            t[1] = t[2];
            t[2] = swap;
        }
        mesh->triangle_count++;
    }
    mesh->parts[0] = (wr_mesh_part){0, mesh->triangle_count, -1};
    mesh->part_count = 1;
    return true;
}

static bool run_qhull(wr_model *model, const wr_vec3 *points, int count, wr_error *error)
{
    coordT *coordinates = wri_alloc(NULL, (size_t)count * 3, sizeof *coordinates);
    if (!coordinates) {
        return wri_fail_memory(error, (size_t)count * 3 * sizeof *coordinates);
    }
    for (int i = 0; i < count; i++) {
        coordinates[3 * i] = points[i].x;
        coordinates[3 * i + 1] = points[i].y;
        coordinates[3 * i + 2] = points[i].z;
    }
    FILE *silence = wri_open_sink(error); // Qhull explains failures on a stream
    if (!silence) {
        wri_free(NULL, coordinates, (size_t)count * 3, sizeof *coordinates);
        return false;
    }
    qhT state;
    qhT *qh = &state;
    qh_zero(qh, silence);
    char options[] = "qhull Qt Pp"; // triangulated facets, no warnings
    int code = qh_new_qhull(qh, 3, count, coordinates, False, options, silence, silence);
    bool ok = code == 0 || (code == qh_ERRmem
                                ? wri_fail_memory(error, 0)
                                : wri_fail(error, WR_E_ARGUMENT,
                                           "hull: Qhull found no convex hull of %d points", count));
    ok = ok && read_hull(qh, model, points, error);
    qh_freeqhull(qh, !qh_ALL);
    int lost, lost_size;
    qh_memfreeshort(qh, &lost, &lost_size);
    fclose(silence);
    wri_free(NULL, coordinates, (size_t)count * 3, sizeof *coordinates);
    return ok;
}

wr_model *wr_hull_create(const wr_vec3 *points, int count, wr_error *error)
{
    if (!WRI_REQUIRE_LIST(error, points, count)) {
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (!wr_is_finite3(points[i])) {
            wri_fail(error, WR_E_ARGUMENT, "hull: point %d is not finite", i);
            return NULL;
        }
    }
    if (count < 4 || is_flat(points, count)) {
        wri_fail(error, WR_E_ARGUMENT,
                 "the shape is flat: its %d points lie in a plane and have no volume, expected a "
                 "solid",
                 count);
        return NULL;
    }
    wr_model *model = wr_model_create(NULL, error);
    if (!model) {
        return NULL;
    }
    model->meshes = wr_model_alloc(model, 1, sizeof *model->meshes);
    model->nodes = wr_model_alloc(model, 1, sizeof *model->nodes);
    bool ok = (model->meshes && model->nodes) || wri_fail_memory(error, sizeof *model->meshes);
    if (!ok || !run_qhull(model, points, count, error)) {
        wr_model_destroy(model);
        return NULL;
    }
    model->meshes[0].name = "hull";
    model->nodes[0] = (wr_node){"hull", -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}};
    model->mesh_count = model->node_count = 1;
    return model;
}
