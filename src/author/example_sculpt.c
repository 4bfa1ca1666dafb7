// example_sculpt.c: where the vertices of a model are in a sculpted copy of it.
//
// Programs that edit a model keep its faces in order, but may split vertices along other seams than
// before, or cut polygons into other triangles. So vertices are matched by their order when the
// faces agree with that, else by the corners of the triangles. Nothing is guessed from places.
#include "wrought/example.h"

#include "../base/base.h"

#include <stdlib.h>

// --- vertex by vertex -------------------------------------------------------------------------

static int compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t list_edges(const wr_mesh *mesh, uint64_t *edges)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    for (size_t i = 0; i < count; i++) {
        int a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    return count;
}

// Finds out whether most edges are edges of both. Of quadrilaterals cut along the other diagonal
// two thirds are; of vertices in another order hardly any.
static bool share_edges(const wr_mesh *a, const wr_mesh *b, bool *out)
{
    size_t na = 3 * (size_t)a->triangle_count, nb = 3 * (size_t)b->triangle_count, same = 0;
    uint64_t *ea = wri_alloc(NULL, na, sizeof *ea), *eb = wri_alloc(NULL, nb, sizeof *eb);
    bool ok = ea && eb;
    if (ok) {
        list_edges(a, ea);
        list_edges(b, eb);
        for (size_t i = 0, j = 0; i < nb; i++) {
            while (j < na && ea[j] < eb[i]) {
                j++;
            }
            same += j < na && ea[j] == eb[i];
        }
        *out = 2 * same >= nb;
    }
    wri_free(NULL, ea, na, sizeof *ea);
    wri_free(NULL, eb, nb, sizeof *eb);
    return ok;
}

static bool has_same_triangles(const wr_mesh *a, const wr_mesh *b)
{
    return a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles,
                  3 * (size_t)a->triangle_count * sizeof *a->triangles) == 0;
}

// --- corner by corner -------------------------------------------------------------------------

typedef enum corner_result { CORNERS_FIT, CORNERS_APART, CORNERS_NO_MEMORY } corner_result;

// A vertex of no triangle has no corner to go by, and stays. *vertex: one whose corners lie apart.
static corner_result match_corners(const wr_mesh *model, const wr_mesh *sculpt, wr_vec3 *positions,
                                   int *vertex)
{
    size_t count = (size_t)model->vertex_count;
    uint8_t *is_set = wri_alloc(NULL, count, 1);
    wr_box box = wr_mesh_bounds(sculpt);
    float near = 1e-5f * wr_distance(box.min, box.max);
    corner_result result = is_set ? CORNERS_FIT : CORNERS_NO_MEMORY;
    if (is_set) {
        memcpy(positions, model->positions, count * sizeof *positions);
    }
    for (int i = 0; is_set && i < 3 * model->triangle_count; i++) {
        int v = model->triangles[i];
        wr_vec3 p = sculpt->positions[sculpt->triangles[i]];
        if (!is_set[v]) {
            is_set[v] = 1;
            positions[v] = p;
        } else if (!(wr_distance(positions[v], p) <= near)) {
            result = CORNERS_APART;
            *vertex = v;
            break;
        }
    }
    wri_free(NULL, is_set, count, 1);
    return result;
}

static bool match_meshes(const wr_mesh *model, const wr_mesh *sculpt, const char *names[2],
                         wr_vec3 *positions, wr_sculpt_match *match, wr_error *error)
{
    bool same_count = model->vertex_count == sculpt->vertex_count, by_order = same_count;
    int vertex = -1;
    if (same_count && !has_same_triangles(model, sculpt) &&
        !share_edges(model, sculpt, &by_order)) {
        return wri_fail_memory(error, (size_t)sculpt->triangle_count * sizeof(uint64_t));
    }
    if (by_order) {
        memcpy(positions, sculpt->positions, (size_t)model->vertex_count * sizeof *positions);
        *match = WR_SCULPT_VERTICES;
        return true;
    }
    if (model->triangle_count == sculpt->triangle_count) {
        *match = WR_SCULPT_TRIANGLES;
        switch (match_corners(model, sculpt, positions, &vertex)) {
        case CORNERS_FIT:
            return true;
        case CORNERS_NO_MEMORY:
            return wri_fail_memory(error, (size_t)model->vertex_count);
        case CORNERS_APART:
            break;
        }
    }
    if (vertex >= 0) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "%.100s: has as many triangles as %.100s, but in another order, or torn "
                        "apart: the corners of vertex %d lie in different places",
                        names[1], names[0], vertex);
    }
    return wri_fail(error, WR_E_ARGUMENT,
                    "%.100s: has %d vertices and %d triangles where %.100s has %d and %d; a sculpt "
                    "must keep the vertices, or at least the faces, in number and order",
                    names[1], sculpt->vertex_count, sculpt->triangle_count, names[0],
                    model->vertex_count, model->triangle_count);
}

bool wr_shape_from_sculpt(const wr_model *model, const wr_model *sculpt, wr_vec3 *positions,
                          wr_sculpt_match *match, wr_error *error)
{
    if (!WRI_REQUIRE(error, model, sculpt, positions)) {
        return false;
    }
    wr_sculpt_match found;
    const char *names[2] = {model->name[0] ? model->name : "the model",
                            sculpt->name[0] ? sculpt->name : "the sculpt"};
    wr_model *a = wr_model_flatten(model, error);
    wr_model *b = a ? wr_model_flatten(sculpt, error) : NULL;
    bool ok = b && match_meshes(&a->meshes[0], &b->meshes[0], names, positions, &found, error);
    if (ok && match) {
        *match = found;
    }
    wr_model_destroy(a);
    wr_model_destroy(b);
    return ok;
}
