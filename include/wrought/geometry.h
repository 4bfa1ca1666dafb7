// geometry.h: meshes and models as plain data, and what can be computed from triangles alone.
//
//     wr_mass_properties mass = {0};
//     if (wr_mesh_find_mass(&model->meshes[0], 1000.0, &mass, &error)) {
//         printf("%g kg\n", mass.mass);
//     }
//
// Thread safety: data you can share freely as long as nobody changes it; functions are pure.
#pragma once

#include "base.h"
#include "math.h"

#if defined(__cplusplus)
extern "C" {
#endif

// Linear light, each channel usually in [0, 1]; alpha 1 is opaque.
typedef struct wr_color {
    float r, g, b, a;
} wr_color;

// 8-bit sRGB RGBA, rows from the top. width * height * 4 bytes.
typedef struct wr_image {
    const char *name;
    int width, height;
    const uint8_t *pixels;
} wr_image;

// How a surface looks. ("Material" is how a body answers to physics.)
typedef struct wr_look {
    const char *name;
    wr_color base_color; // multiplied with the texture and the vertex colour
    int texture;         // index into the model's images, -1 for none
    float roughness;     // [0, 1]
    float metallic;      // [0, 1]
    bool double_sided;
} wr_look;

// A run of triangles with one look.
typedef struct wr_mesh_part {
    int first_triangle, triangle_count;
    int look; // index into the model's looks, -1 for the default grey
} wr_mesh_part;

typedef struct wr_mesh {
    const char *name;
    int vertex_count, triangle_count, part_count;
    wr_vec3 *positions; // metres
    wr_vec3 *normals;   // unit length, or NULL
    wr_vec2 *uvs;       // (0, 0) is the image's top left corner; or NULL
    wr_color *colors;   // linear; or NULL
    int *triangles;     // three indices each, counter-clockwise seen from outside
    wr_mesh_part *parts;
} wr_mesh;

typedef struct wr_node {
    const char *name;
    int parent; // index of an earlier node, -1 for a root
    int mesh;   // index into meshes, -1 for none
    wr_pose pose;
    wr_vec3 scale;
} wr_node;

// Everything a model file holds, in one block of memory. Plain data: read it as you like.
typedef struct wr_model {
    const char *name;
    int mesh_count, look_count, image_count, node_count;
    wr_mesh *meshes;
    wr_look *looks;
    wr_image *images;
    wr_node *nodes;
    void *memory; // owner of all the arrays above
} wr_model;

// An empty model whose arrays the caller then takes with wr_model_alloc.
WR_API WR_NODISCARD wr_model *wr_model_create(const wr_allocator *allocator, wr_error *error);
// Zeroed memory that lives as long as the model; NULL when out of memory.
WR_API WR_NODISCARD void *wr_model_alloc(wr_model *model, size_t count, size_t size);
WR_API void wr_model_destroy(wr_model *model); // accepts NULL

// A model with one mesh in which every node's transform is applied, in one frame; one node.
// Images and looks are shared with the source, which must outlive the result.
WR_API WR_NODISCARD wr_model *wr_model_flatten(const wr_model *model, wr_error *error);

// Tetrahedra that fill a volume, and the triangles that came with them. Plain data in one block.
typedef struct wr_tet_mesh {
    int vertex_count, tetrahedron_count, triangle_count;
    wr_vec3 *positions; // metres
    int *tetrahedra;    // four indices each; a b c d is positive when (b-a) x (c-a) . (d-a) > 0
    int *triangles;     // three indices each; often the boundary, but nothing promises it
    void *memory;       // owner of all the arrays above
} wr_tet_mesh;

// Zeroed arrays of the given lengths.
WR_API WR_NODISCARD wr_tet_mesh *wr_tet_mesh_create(int vertex_count, int tetrahedron_count,
                                                    int triangle_count,
                                                    const wr_allocator *allocator, wr_error *error);
WR_API void wr_tet_mesh_destroy(wr_tet_mesh *mesh); // accepts NULL

typedef struct wr_tet_volume {
    double total;       // m^3, inverted tetrahedra count as negative
    int inverted_count; // tetrahedra with a negative volume
    int flat_count;     // tetrahedra with none at all
} wr_tet_volume;
WR_API wr_tet_volume wr_tet_mesh_volume(const wr_tet_mesh *mesh);

// A model with one mesh, the boundary: the faces of exactly one tetrahedron, counter-clockwise seen
// from outside it; where there are no tetrahedra, the triangles. Vertices that no face uses are
// left out, the others stay in order. Fails when nothing remains.
WR_API WR_NODISCARD wr_model *
wr_tet_mesh_create_surface(const wr_tet_mesh *mesh, const wr_allocator *allocator, wr_error *error);

// A table of numbers, such as one weight per vertex (row) and handle (column).
typedef struct wr_matrix {
    int rows, columns;
    double *values; // column after column: (row, column) is values[column * rows + row]
    void *memory;   // owner of values
} wr_matrix;

WR_API WR_NODISCARD wr_matrix *wr_matrix_create(int rows, int columns,
                                                const wr_allocator *allocator, wr_error *error);
WR_API void wr_matrix_destroy(wr_matrix *matrix); // accepts NULL

// Two joined nodes of a handle graph. An edge can be nothing, one or several of the three.
typedef struct wr_handle_edge {
    int from, to; // indices of nodes, not their ids
    bool is_bone, is_pseudo, is_cage;
} wr_handle_edge;

// Handles of a rig: points in space and what joins them to bones and cages.
typedef struct wr_handle_graph {
    int node_count, edge_count;
    int *ids;           // one per node, all different
    wr_vec3 *positions; // metres, one per node
    wr_handle_edge *edges;
    void *memory; // owner of all the arrays above
} wr_handle_graph;

WR_API WR_NODISCARD wr_handle_graph *wr_handle_graph_create(int node_count, int edge_count,
                                                            const wr_allocator *allocator,
                                                            wr_error *error);
WR_API void wr_handle_graph_destroy(wr_handle_graph *graph); // accepts NULL

// Primitive shapes as one-mesh models with smooth normals where the shape is smooth.
typedef enum wr_primitive {
    WR_PRIMITIVE_BOX,      // size: full extents x y z
    WR_PRIMITIVE_SPHERE,   // size.x: radius
    WR_PRIMITIVE_CAPSULE,  // size.x: radius, size.y: length of the straight part, along Y
    WR_PRIMITIVE_CYLINDER, // size.x: radius, size.y: height, along Y
} wr_primitive;
WR_API WR_NODISCARD wr_model *wr_model_create_primitive(wr_primitive primitive, wr_vec3 size,
                                                        wr_color color, wr_error *error);

WR_API wr_box wr_mesh_bounds(const wr_mesh *mesh);

typedef struct wr_mass_properties {
    double mass;          // kilograms
    double center[3];     // metres, in the mesh's frame
    double inertia[3][3]; // kg m^2 about the centre, axes of the mesh's frame
} wr_mass_properties;

// Exact integrals over the solid that the triangles enclose (Mirtich 1996), as sums of signed
// tetrahedra. density in kg/m^3, positive. Fails when the surface is open, flat or inside out;
// cracks and holes that change the volume by less than a hundredth are let through.
WR_API bool wr_mesh_find_mass(const wr_mesh *mesh, double density, wr_mass_properties *out,
                              wr_error *error);

// Closed forms of the primitives, about their centre.
WR_API wr_mass_properties wr_primitive_mass(wr_primitive primitive, wr_vec3 size, double density);

// Sum of bodies that are rigidly joined; all in one frame.
WR_API wr_mass_properties wr_mass_sum(const wr_mass_properties *parts, int count);

// The convex hull as a mesh with only positions and triangles, hull vertices only.
// Fails when the points lie in a plane (thickness under 1e-6 of the size) or are not finite.
WR_API WR_NODISCARD wr_model *wr_hull_create(const wr_vec3 *points, int count, wr_error *error);

// Which connected shell each vertex belongs to, counting from 0 in order of first vertex. Vertices
// at the same position are connected. Returns the number of shells, -1 when out of memory.
WR_API int wr_mesh_find_shells(const wr_mesh *mesh, int *shell_of_vertex);

// Area-weighted vertex normals of any triangle mesh. Vertices of no triangle get (0, 1, 0).
WR_API void wr_find_normals(const wr_vec3 *positions, int vertex_count, const int *triangles,
                            int triangle_count, wr_vec3 *normals);

#if defined(__cplusplus)
}
#endif
