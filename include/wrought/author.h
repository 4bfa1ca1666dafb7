// author.h: from a model or a picture to what can be simulated.
//
//     wr_lattice_desc desc = wr_lattice_desc_default();
//     desc.mesh = &model->meshes[0];
//     desc.vertices = 1800;
//     wr_lattice *lattice = wr_lattice_create(&desc, &error);
//     wr_lattice_find_rides(lattice, desc.mesh->positions, lattice->render_parts,
//                           desc.mesh->vertex_count, NULL, rides, &ride_report, &error);
//     wr_lattice_destroy(lattice);
//
// Slow work with progress; the same input gives the same bits for any number of threads.
// Thread safety: no state; call from any thread.
#pragma once

#include "asset.h"
#include "base.h"
#include "geometry.h"
#include "math.h"
#include "skin.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- simulation meshes ------------------------------------------------------------------------

// The lattice that came out, and what had to be done for it.
typedef struct wr_lattice_report {
    int shells;         // connected pieces of the surface or outline that have an extent
    int parts;          // pieces of the simulation mesh, not connected with one another
    int nested_shells;  // joined with the closed shell around them
    int trim_shells;    // small ones that touch a large one and were joined with it
    int glued_shells;   // joined with another part because the vertices did not suffice
    int dropped_shells; // specks of an image, too small for a triangle
    int handles_missed; // no vertex could be put there; handle_vertices has -1
    int handles_added;  // stand on a vertex that was added for them, since all near ones were taken
    double spacing;     // metres: edge of the lattice's cubes, distance of samples in 2D
    double volume;      // m^3, in 2D m^2
    double least_volume; // smallest element, as a part of an element of the regular lattice
    double largest_gap;  // metres: farthest boundary vertex from the surface; not of handles
} wr_lattice_report;

// A simulation mesh. Plain data in one block; rest and elements are as in wr_rig.
typedef struct wr_lattice {
    int dimension; // 3: tetrahedra, 2: triangles in the plane z = 0
    int vertex_count;
    wr_vec3 *rest; // metres
    int element_count;
    int *elements;        // dimension + 1 vertices each, all of positive volume or area
    int *vertex_parts;    // the part of each vertex; those of an element agree
    uint8_t *is_boundary; // per vertex: 1 on the outside of its part
    int handle_count;
    int *handle_vertices; // the vertex that lies exactly on each handle, -1: none
    int render_count;     // vertices of the mesh it was made for, 0 in 2D
    int *render_parts;    // the part that each of them belongs to, -1: of no triangle
    wr_lattice_report report;
    void *memory; // owner of all the arrays above
} wr_lattice;

// Start from wr_lattice_desc_default().
typedef struct wr_lattice_desc {
    const wr_mesh *mesh;    // open, self-intersecting and in several shells as it likes
    int vertices;           // wanted, [8, 4000000]; what comes out is within 10 %. Default 1800
    const wr_vec3 *handles; // a vertex is put exactly there and stays; may be NULL
    int handle_count;
    int smoothing;       // passes that pull the boundary to the surface, [0, 100]. Default 8
    bool separate_parts; // false: one lattice for all shells. Default true
    double trim;         // [0, 0.5]: shells of at most this part of the size of one that they touch
                         // are joined with it; 0: none. Default 0
    wr_tasks tasks;      // Default: the calling thread
    wr_allocator allocator;
    wr_progress progress;
    uint32_t cookie; // set by wr_lattice_desc_default; do not touch
} wr_lattice_desc;

WR_API wr_lattice_desc wr_lattice_desc_default(void);

// Tetrahedra of a body-centred cubic lattice that enclose the surface. What is inside is told by
// the generalised winding number, so that holes and crossings do not matter; cells that a surface
// crosses are kept, so that thin sheets get some. Every shell has its own lattice; shells inside
// another closed shell belong to it, and so does trim to what it sits on. When there are so many
// shells that their lattices need more vertices than wanted, the smallest are glued to their
// neighbours. A handle outside the surface is joined to it by a row of cells. Fails on a mesh
// without triangles or without extent, on numbers that are not finite, on a mesh so far from the
// origin that float cannot resolve the lattice, and when out of memory.
WR_API WR_NODISCARD wr_lattice *wr_lattice_create(const wr_lattice_desc *desc, wr_error *error);
WR_API void wr_lattice_destroy(wr_lattice *lattice); // accepts NULL

// Start from wr_planar_desc_default().
typedef struct wr_planar_desc {
    const wr_image *image;   // its alpha is the shape
    double metres_per_pixel; // positive. Default 0.01
    int vertices;            // wanted, [8, 1000000]; what comes out is within 10 %. Default 500
    const wr_vec3 *handles;  // z is ignored; may be NULL
    int handle_count;
    wr_allocator allocator;
    wr_progress progress;
    uint32_t cookie; // set by wr_planar_desc_default; do not touch
} wr_planar_desc;

WR_API wr_planar_desc wr_planar_desc_default(void);

// Triangles within the outline of an image, where alpha passes one half. The image's lower left
// corner is the origin, +Y up, one pixel is metres_per_pixel wide. Pieces and holes of less than
// four pixels are left out; an outline with many corners may need more vertices than wanted. Fails
// on an image that is opaque or transparent everywhere, has nothing but specks, or so many outlines
// that the vertices are far from enough. A handle outside
// the outline gets no vertex unless a vertex of the outline is near.
WR_API WR_NODISCARD wr_lattice *wr_lattice_create_planar(const wr_planar_desc *desc,
                                                         wr_error *error);

typedef struct wr_ride_report {
    int outside;            // points in no element
    double largest_outside; // metres: how far from the nearest element
    double least_weight;    // 0 or more: no point is outside; -0.1: one is carried by a lever of
                            // a tenth
} wr_ride_report;

// Finds for every point the element of the simulation mesh that contains it, the nearest one when
// none does, and the point's barycentric weights there, which then leave [0, 1]; in 2D with its z
// as the fourth. parts: of each point, only elements of this part are looked at (-1: all); NULL:
// all for all. rides gets count items. Fails on points that are not finite, on parts that do not
// exist, and when out of memory.
WR_API bool wr_lattice_find_rides(const wr_lattice *lattice, const wr_vec3 *points,
                                  const int *parts, int count, const wr_tasks *tasks,
                                  wr_ride *rides, wr_ride_report *report, wr_error *error);

// --- rigs of others ---------------------------------------------------------------------------

// A folder with mesh.mesh (tetrahedra; those inside out are turned), coarseWeights.dmat,
// bone_roots.bf and exampleGraph.txt, as published with example-based plastic deformation of rigid
// bodies. mesh_render.obj is drawn, mesh.obj where there is none, and the surface of the tetrahedra
// where there is neither. Files do not say their unit: options do, for all of them. Handles are
// called "bone 0", ..., examples "rest", "example 1", .... The model's warnings say which files are
// not read. Fails with a sentence that names the file.
WR_API WR_NODISCARD wr_asset *wr_asset_read_published(const char *folder,
                                                      const wr_read_options *options,
                                                      const wr_allocator *allocator,
                                                      wr_error *error);

#if defined(__cplusplus)
}
#endif
