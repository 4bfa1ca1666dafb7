// layer.h: a layer of flesh under a model's skin: nodes on the skin, each with a partner on a core,
// and tetrahedra between them.
//
//     wr_layer_desc desc = wr_layer_desc_default();
//     desc.positions = mesh->positions;
//     desc.vertex_count = mesh->vertex_count;
//     desc.triangles = mesh->triangles;
//     desc.triangle_count = mesh->triangle_count;
//     wr_layer *layer = wr_layer_create(&desc, &error);
//     for (int t = 0; layer && t < layer->triangle_count; t++) {
//         int tets[3][4], count = wr_layer_split(layer, t, tets);
//         for (int k = 0; k < count; k++) {
//             add_tetrahedron(tets[k]); // i: layer->skin[i]; i + node_count: layer->core[i]
//         }
//     }
//     wr_layer_destroy(layer);
//
// Thread safety: functions are pure; a result can be shared freely as long as nobody changes it.
#pragma once

#include "base.h"
#include "math.h"

#if defined(__cplusplus)
extern "C" {
#endif

// Start from wr_layer_desc_default(). Any triangles will do: split along seams, with holes, inside
// out, crossing each other.
typedef struct wr_layer_desc {
    const wr_vec3 *positions; // metres, finite
    int vertex_count;
    const int *triangles;   // three indices each
    int triangle_count;     // at least 1
    double thickness;       // metres, distance from skin to core; 0, the default: a quarter of the
                            // body's depth below half of its skin, see wr_layer
    const float *factors;   // factor on the thickness, one per vertex, [0, 1e3]; 0: no flesh. Of
                            // vertices at one place the first counts. NULL, the default: 1
    wr_allocator allocator; // of the result and of working memory
    wr_tasks tasks;         // nothing depends on them but the time
    uint32_t cookie;        // set by wr_layer_desc_default; do not touch
} wr_layer_desc;

WR_API wr_layer_desc wr_layer_desc_default(void);

// Plain data in one block. Vertices at one place, within 1e-6 of the size of the model, are one
// node; every vertex has a node. Prisms between a triangle of the skin and its partner on the core
// are split into three tetrahedra in a way that fits the neighbours'; see wr_layer_split.
typedef struct wr_layer {
    int node_count, triangle_count;
    int *node_of;       // per vertex of the model: its node
    int *vertex_of;     // per node: the first vertex of the model that is there
    wr_vec3 *skin;      // per node, metres: the position of that vertex
    wr_vec3 *core;      // per node, metres: its partner
    float *thicknesses; // per node, metres: distance of the two; 0 where it is fixed
    bool *fixed;        // per node: there is no flesh, the skin lies on the core
    int *triangles;     // three nodes each, counterclockwise seen from outside
    int *triangle_of;   // per triangle: which one of the model it is
    double thickness;   // metres, where the factor is 1
    int fixed_count;    // nodes
    int thinned_count;  // nodes with less than 0.99 of the wished thickness, fixed ones among them
    int dropped_count;  // triangles of the model without area, or that are there twice
    int turned_count;   // triangles that face another side than in the model
    void *memory;       // owner of all the arrays above
} wr_layer;

// A node's partner lies below it along the vertex normal, bent where that keeps clear of the
// triangles around the node, or makes room for the partners of its neighbours. It is as deep as
// wished, but at most 0.45 of the way through the body, so that the flesh of two sides does not
// meet, and the depth changes by at most the distance from node to node. It becomes less wherever a
// tetrahedron would have less than 0.05 of its share: of the triangle's area times the mean depth
// of its nodes / 3. Nodes are fixed where the surface has no one inside: on edges of more than two
// triangles, where several fans of triangles or triangles of opposite sides meet, and where no
// direction is inwards for all the triangles around; likewise where less than 0.05 of the mean edge
// would be left of the depth, and nodes of no triangle.
//
// Shells are turned to face outwards: closed ones like those of wr_mesh_clean, open ones where they
// clearly bulge to the other side. A sheet has as much flesh as is wished, on the side it does not
// face. The default thickness is a quarter of the way through the body along the inwards
// directions, its median over the area of the skin: half of the radius of balls and limbs. Where
// there is no such way, as on sheets, it is 0.05 of the size of the model. Fails on values out of
// range, models without a triangle of any area, and when out of memory.
WR_API WR_NODISCARD wr_layer *wr_layer_create(const wr_layer_desc *desc, wr_error *error);
WR_API void wr_layer_destroy(wr_layer *layer); // accepts NULL

// Writes the tetrahedra below a triangle and returns their number, 3 less the number of its fixed
// nodes. Of the triangle's nodes a < b < c with the partners a', b', c' they are abcc', abb'c' and
// aa'b'c' without those in which a fixed node and its partner appear, each in an order in which
// (p1 - p0) . ((p2 - p0) x (p3 - p0)) > 0. Node i is i, its partner i + node_count.
WR_API int wr_layer_split(const wr_layer *layer, int triangle, int tets[3][4]);

#if defined(__cplusplus)
}
#endif
