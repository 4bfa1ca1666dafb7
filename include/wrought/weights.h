// weights.h: handles on a simulation mesh, and how much each vertex follows each of them.
//
//     wr_handle_set *handles = wr_handles_place(&mesh, placed, placed_count, 32, NULL, &error);
//     wr_weights_desc desc = wr_weights_desc_default();
//     desc.mesh = mesh;
//     desc.handles = handles;
//     wr_weights_find(&desc, weights, &report, &error);
//
// Thread safety: no state; but while weights are found, the BLAS of the whole process may be
// limited to one thread.
#pragma once

#include "geometry.h"
#include "skin.h"

#if defined(__cplusplus)
extern "C" {
#endif

// A simulation mesh, as a rig has it or a wr_tet_mesh: only read.
typedef struct wr_solid {
    int dimension; // 3: tetrahedra, 2: triangles, anywhere in space
    int vertex_count;
    const wr_vec3 *positions; // metres
    int element_count;
    const int *elements; // dimension + 1 vertices each
} wr_solid;

WR_API wr_solid wr_solid_from_tets(const wr_tet_mesh *mesh);
WR_API wr_solid wr_solid_from_rig(const wr_rig *rig);

// --- handles ----------------------------------------------------------------------------------

// A vertex that moves wholly with a handle. Several handles may share one vertex equally: where
// bones meet.
typedef struct wr_anchor {
    int vertex, handle;
} wr_anchor;

// Handles and their anchors. Plain data in one block.
typedef struct wr_handle_set {
    int handle_count, anchor_count;
    int point_count;    // points come first, the rest are bones
    wr_handle *handles; // names h0, h1, ...
    wr_vec3 *tips;      // the other end of each bone; of points the pivot again
    int *sources;       // the vertex of each handle, or its node (point) or edge (bone) of a graph
    wr_anchor *anchors; // sorted by handle; every handle has at least one
    int moved_count;    // handles on which no vertex lay; the nearest one is their anchor
    void *memory;       // owner of all the arrays above
} wr_handle_set;
WR_API void wr_handle_set_destroy(wr_handle_set *set); // accepts NULL

// `count` point handles on vertices of the surface. The placed ones come first and stay; the others
// are found: of all vertices of the surface the closest two are looked for and the one further from
// the bounding box is dropped, until enough are left. Fails when the surface has too few vertices,
// or a vertex is placed twice.
WR_API WR_NODISCARD wr_handle_set *wr_handles_place(const wr_solid *mesh, const int *placed,
                                                    int placed_count, int count,
                                                    const wr_allocator *allocator, wr_error *error);

// `count` point handles on a flat mesh: triangles in a plane. The placed ones come first and stay;
// the others stand in the middle, at the tips of limbs and between, away from the outline, every
// part of the mesh getting one while there are enough. Fails when the mesh has too few vertices, or
// a vertex is placed twice.
WR_API WR_NODISCARD wr_handle_set *wr_handles_spread(const wr_solid *mesh, const int *placed,
                                                     int placed_count, int count,
                                                     const wr_allocator *allocator,
                                                     wr_error *error);

// Nodes that are part of no bone, then the bones, in the graph's order but parents first. The
// anchors of a bone are the vertices on it, that of a point is the vertex on it: within tolerance,
// metres (0: a thousandth of the mesh's size for bones; a point always takes the nearest vertex).
// The pivot of a bone is its first node; its parent is the first bone that ends there.
WR_API WR_NODISCARD wr_handle_set *
wr_handles_from_graph(const wr_solid *mesh, const wr_handle_graph *graph, float tolerance,
                      const wr_allocator *allocator, wr_error *error);

// --- weights ----------------------------------------------------------------------------------

typedef struct wr_weights_desc {
    wr_solid mesh;
    const wr_handle_set *handles;
    double tolerance; // error of a weight, before rows are normalised, as far as one can tell from
                      // how rounds change less and less; (0, 0.1]. Default 1e-4
    int round_limit;  // per handle, at least 1. Default 100
    wr_progress progress;
    wr_allocator allocator;
    wr_tasks tasks;
    uint32_t cookie; // set by wr_weights_desc_default
} wr_weights_desc;

WR_API wr_weights_desc wr_weights_desc_default(void);

// The quality of the weights. Lengths in the energy are in units of the mesh's size: twice the root
// mean square distance of its vertices from their middle.
typedef struct wr_weights_report {
    bool has_converged;   // all handles within round_limit
    int rounds;           // rounds of the slowest handle on the mesh itself
    int levels;           // the mesh and how many coarser ones
    int exact_columns;    // handles that were left to an active set
    double kkt_residual;  // largest change of a weight that could still move alone
    double energy;        // sum over handles of w' L M^-1 L w / 2, before rows are normalised
    double energy_excess; // the least energy possible is lower by at most this (and usually by far
                          // less)
    double outside;       // largest distance of a weight from [0, 1] before it was put back
    double row_error;     // largest distance of the sum of a row from 1 before it was normalised
    int local_maxima;     // vertices off their handle that are larger than all neighbours, by 1e-3
    int flat_elements;    // elements without a volume, which only keep their vertices together
    int loose_parts;      // connected parts without an anchor: each goes with the vertex of
                          // another part that is nearest to it
    int loose_vertices;
    double seconds, coarse_seconds;
} wr_weights_report;

// Bounded biharmonic weights: vertex_count rows of handle_count numbers in [0, 1] that sum to 1.
// The same bits for every number of workers. report may be NULL. Time grows with the vertices to
// the power 1.3 or so and in proportion to the handles: with 32 of them 3 s of processor time for
// 20 000 vertices, 76 s and 0.5 GB for 200 000, shared by the workers, four handles each.
// Triangles, and tetrahedra of extreme shapes, take several times longer.
WR_API bool wr_weights_find(const wr_weights_desc *desc, float *weights, wr_weights_report *report,
                            wr_error *error);

#if defined(__cplusplus)
}
#endif
