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

// The meaning of the alpha of colour, texture and vertex colours.
typedef enum wr_alpha {
    WR_ALPHA_OPAQUE, // nothing
    WR_ALPHA_MASK,   // there is nothing where it is below the look's cutoff
    WR_ALPHA_BLEND,  // alpha is the share that hides what is behind
} wr_alpha;

// Images that change a look from place to place, as in glTF, on the same texture coordinates.
enum {
    WR_LOOK_MAP_SURFACE,   // green: multiplied with roughness, blue: with metallic
    WR_LOOK_MAP_NORMAL,    // x right, y up and z out of the surface, each from -1 to 1
    WR_LOOK_MAP_OCCLUSION, // red: how much of the ambient light comes there
    WR_LOOK_MAP_EMISSION,  // sRGB: multiplied with emission
    WR_LOOK_MAP_GLASS,     // red: multiplied with transmission
    WR_LOOK_MAP_COUNT,
};
// How a map lies on the texture coordinates of the mesh: these are scaled, then turned, then moved,
// and then say where the map is looked up. As in KHR_texture_transform, a turn by a right angle
// takes (u, v) to (v, -u).
typedef struct wr_map_layout {
    float offset[2];
    float turn; // radians
    float scale[2];
} wr_map_layout;

typedef struct wr_look_maps {
    int images[WR_LOOK_MAP_COUNT];            // indices into the model's images, -1 for none
    float normal_scale;                       // of x and y of the normals
    float occlusion_strength;                 // [0, 1]
    wr_color emission;                        // light that it sends by itself, linear, not negative
    wr_map_layout layouts[WR_LOOK_MAP_COUNT]; // of the map alone: not of the look's texture
} wr_look_maps;

// No images, numbers of 1, no emission, and every map lies as the coordinates are.
WR_API wr_look_maps wr_look_maps_default(void);
WR_API bool wr_map_layout_is_plain(const wr_map_layout *layout); // exactly
// u, v and 1 of the mesh to those of the map.
WR_API void wr_map_layout_find(const wr_map_layout *layout, float out[2][3]);

// The look of a surface. ("Material" is how a body answers to physics.)
typedef struct wr_look {
    const char *name;
    wr_color base_color; // multiplied with the texture and the vertex colour
    int texture;         // index into the model's images, -1 for none
    float roughness;     // [0, 1]
    float metallic;      // [0, 1]
    bool double_sided;
    bool unlit;               // shows its colours as they are, whatever the light: a drawing
    wr_alpha alpha;           // even with WR_ALPHA_OPAQUE files keep a base colour's alpha below 1
    float cutoff;             // threshold of WR_ALPHA_MASK, [0, 1]
    float transmission;       // [0, 1]; 1: glass
    const wr_look_maps *maps; // NULL: none, and no light of its own
} wr_look;

// What counts in place of a look, as far as it is said. A look of which more than the sides is
// changed has no maps.
enum {
    WR_LOOK_COLOR = 1, // in place of textures and vertex colours, too
    WR_LOOK_METALLIC = 2,
    WR_LOOK_ROUGHNESS = 4,
    WR_LOOK_GLASS = 8,
    WR_LOOK_SIDES = 16,
};
typedef struct wr_look_change {
    int said;       // sum of the above; 0: the look stays as it is
    wr_color color; // linear
    float metallic, roughness, transmission;
    bool double_sided;
} wr_look_change;
WR_API void wr_look_apply(const wr_look_change *change, wr_look *look);

// A run of triangles with one look.
typedef struct wr_mesh_part {
    int first_triangle, triangle_count;
    int look; // index into the model's looks, -1 for the default grey
} wr_mesh_part;

// Another shape of a mesh, as offsets that are added in proportion to a weight.
typedef struct wr_morph {
    const char *name;
    wr_vec3 *positions; // offsets, one per vertex, metres
    wr_vec3 *normals;   // offsets, one per vertex, or NULL
    float weight;       // its weight where nothing else is said, usually in [0, 1]
} wr_morph;

typedef struct wr_mesh {
    const char *name;
    int vertex_count, triangle_count, part_count;
    wr_vec3 *positions; // metres
    wr_vec3 *normals;   // unit length, or NULL
    wr_vec2 *uvs;       // (0, 0) is the image's top left corner; or NULL
    wr_color *colors;   // linear; or NULL
    int *triangles;     // three indices each, counter-clockwise seen from outside
    wr_mesh_part *parts;
    int morph_count;
    wr_morph *morphs;
    int influence_count; // joints per vertex, 0: none
    int *joints;         // vertex_count * influence_count, into the joints of the node's skin
    float *weights;      // vertex_count * influence_count, not negative; the sum over a vertex is 1
} wr_mesh;

// A mesh with influences whose node has a skin is placed by the joints alone: the node's own place
// does not matter to it.
typedef struct wr_node {
    const char *name;
    int parent; // index of an earlier node, -1 for a root
    int mesh;   // index into meshes, -1 for none
    int skin;   // index into skins, -1 for none; without meaning when the mesh has no influences
    wr_pose pose;
    wr_vec3 scale;
    float *morph_weights; // one per morph of the mesh, NULL: the morphs' own
} wr_node;

typedef struct wr_model_skin {
    const char *name;
    int joint_count;        // at least 1
    int *joints;            // nodes
    wr_mat34 *inverse_bind; // per joint: from the mesh's frame to the joint's, as it was bound
} wr_model_skin;

typedef enum wr_channel {
    WR_CHANNEL_POSITION, // 3 numbers
    WR_CHANNEL_ROTATION, // 4 numbers, x y z w
    WR_CHANNEL_SCALE,    // 3 numbers
    WR_CHANNEL_WEIGHTS,  // a number per morph of the node's mesh
} wr_channel;

typedef enum wr_interpolation {
    WR_INTERPOLATION_LINEAR, // rotations turn evenly along the shorter arc
    WR_INTERPOLATION_STEP,
    WR_INTERPOLATION_CUBIC, // Hermite; every key has slope before, value, slope after (per second)
} wr_interpolation;

// The change of one property of one node over time. Before the first and after the last key it
// stays.
typedef struct wr_track {
    int node;
    wr_channel channel;
    wr_interpolation interpolation;
    int key_count; // at least 1; cubic: at least 2
    float *times;  // seconds, from 0 on, strictly increasing
    float *values; // key_count times the channel's numbers, cubic: three times as many
} wr_track;

typedef struct wr_clip {
    const char *name;
    int track_count; // no two for the same channel of a node
    wr_track *tracks;
} wr_clip;

// Everything a model file contains, in one block of memory. Plain data: read it as you like.
// What stands at a node and looks along its -Z, with +Y at the top.
typedef struct wr_model_camera {
    int node;
    float fov;       // vertical opening angle, radians, (0, pi); says nothing where flat is not 0
    float flat;      // metres from the lower to the upper border without perspective; 0: by fov
    float aspect;    // width / height of the pictures it was placed for
    float focus;     // metres to what it looks at
    float near, far; // metres between which things are drawn, near > 0
} wr_model_camera;

// Light from far away, along the -Z of a node or from the whole sky.
typedef struct wr_model_light {
    int node;
    bool is_sky;
    wr_color color; // linear light; radiance that a white surface that faces it sends back
    float radius;   // radians; half the angle under which a sun is seen
} wr_model_light;

// Cameras and lights are written to .glb, which has no sky, and .usda; no reader fills them in.
typedef struct wr_model {
    const char *name;
    int mesh_count, look_count, image_count, node_count, skin_count, clip_count;
    int camera_count, light_count; // at most one of both per node
    wr_mesh *meshes;
    wr_look *looks;
    wr_image *images;
    wr_node *nodes;
    wr_model_skin *skins;
    wr_clip *clips;
    wr_model_camera *cameras;
    wr_model_light *lights;
    // Things that the file names and the model is without, a sentence each: "car.mtl:3: the texture
    // ...".
    int warning_count;
    const char **warnings;
    void *memory; // owner of all the arrays above
} wr_model;

// An empty model whose arrays the caller then takes with wr_model_alloc.
WR_API WR_NODISCARD wr_model *wr_model_create(const wr_allocator *allocator, wr_error *error);
// Zeroed memory that lives as long as the model; NULL when out of memory.
WR_API WR_NODISCARD void *wr_model_alloc(wr_model *model, size_t count, size_t size);
WR_API void wr_model_destroy(wr_model *model); // accepts NULL

// The model at rest as one mesh in one frame, with one node: every node's transform, its skin and
// the morphs' weights are applied, as other programs show it before they play a clip. Skins, morphs
// and clips themselves are left out. Images and looks are shared with the source, which must
// outlive the result.
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

// --- motion -----------------------------------------------------------------------------------
//
//     wr_model_pose(model, &model->clips[0], 0.5, world, weights);
//     wr_model_skin_matrices(skin, world, joints);
//     wr_mesh_deform(mesh, weights, NULL, joints, positions, normals);

WR_API double wr_clip_length(const wr_clip *clip); // seconds; the time of its last key

// Numbers per key without slopes: 3, 4, 3, or how many morphs the node's mesh has.
WR_API int wr_track_width(const wr_model *model, const wr_track *track);
// `width` numbers at a time in seconds.
WR_API void wr_track_sample(const wr_track *track, int width, double time, float *values);

// Returns the number of morph weights of all nodes together: for each node with a mesh, one per
// morph.
WR_API int wr_model_weight_count(const wr_model *model);
// Poses the nodes at a time of a clip, clip NULL: at rest. node_world gets node_count maps from the
// node's frame into the model's. morph_weights gets the weights of node after node, or is NULL.
WR_API void wr_model_pose(const wr_model *model, const wr_clip *clip, double time,
                          wr_mat34 *node_world, float *morph_weights);

// joint_count maps from the mesh's frame into the model's.
WR_API void wr_model_skin_matrices(const wr_model_skin *skin, const wr_mat34 *node_world,
                                   wr_mat34 *joints);
// Vertices bent by morphs, then placed: by joints when joints is not NULL and the mesh has
// influences, else by node (NULL: left in the mesh's frame). morph_weights NULL: the morphs' own.
// positions gets vertex_count; normals likewise, unit length, when it is not NULL and the mesh has
// some.
WR_API void wr_mesh_deform(const wr_mesh *mesh, const float *morph_weights, const wr_mat34 *node,
                           const wr_mat34 *joints, wr_vec3 *positions, wr_vec3 *normals);

// --- shapes -----------------------------------------------------------------------------------

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
WR_API double wr_mesh_area(const wr_mesh *mesh); // m^2, of all triangles

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

// Finds the connected shell each vertex belongs to, counting from 0 in order of first vertex.
// Vertices at the same position are connected. Returns the number of shells, -1 when out of memory.
WR_API int wr_mesh_find_shells(const wr_mesh *mesh, int *shell_of_vertex);

// Area-weighted vertex normals of any triangle mesh. Vertices of no triangle get (0, 1, 0).
WR_API void wr_find_normals(const wr_vec3 *positions, int vertex_count, const int *triangles,
                            int triangle_count, wr_vec3 *normals);

// The artist's normals on a shape whose vertices moved from mesh->positions to positions: each
// turns as the triangles around it do. What did not move keeps every bit, hard edges stay hard, and
// vertices at one place with one normal keep one. rest_normals and normals: vertex_count, unit
// length; triangles without area turn nothing. allocator, of working memory, may be NULL. Fails
// when out of memory only.
WR_API bool wr_mesh_renew_normals(const wr_mesh *mesh, const wr_vec3 *rest_normals,
                                  const wr_vec3 *positions, const wr_allocator *allocator,
                                  wr_vec3 *normals, wr_error *error);

// --- particles --------------------------------------------------------------------------------

// Places that each stand for a cube of edge 2 r: particles that fill a volume at rest are 2 r
// apart.
typedef struct wr_particles {
    int count;
    const wr_vec3 *positions; // metres, finite
    const float *radii;       // metres, > 0; NULL: `radius` of all
    float radius;
    const uint32_t *ids; // numbers of particles, the same in every frame, or NULL
} wr_particles;

// A closed surface around particles, as a model with one mesh of positions, normals and triangles
// that encloses their volume, within 3 % in bodies and sheets of two layers, within 15 % in threads
// and drops. Drops become balls, what is dense one smooth body with flat sides. It changes
// continuously as particles move, but where a neck breaks. Its vertices are 3/4 of a radius apart,
// of the mean one or of 1/8 of the largest: smaller ones may get lost. It is the same for any
// tasks, which may be NULL. Without particles it has no triangles. Fails on values out of range, on
// particles farther from the origin than 3 million radii, and when out of memory.
WR_API WR_NODISCARD wr_model *wr_particles_create_surface(const wr_particles *particles,
                                                          const wr_tasks *tasks, wr_error *error);

// --- soundness and cleaning -------------------------------------------------------------------

// Everything that was found in a mesh; read-only. Vertices at the same position are one *place*: a
// surface may be split along seams and still be closed. Everything from shells on is about the
// triangles that are left without degenerate ones of fewer than three places and without
// duplicates, so that a fault is not reported twice.
typedef struct wr_mesh_report {
    int vertices, triangles;
    int duplicate_vertices; // vertices at an earlier one's place that agree in everything else
    int seam_vertices;      // vertices at an earlier one's place with another normal, uv, ...: no
                            // fault
    int unused_vertices;    // vertices of no triangle

    int degenerate_triangles; // fewer than three places, or thinner than float can tell from a line
    int duplicate_triangles;  // same three places, same side, as an earlier one
    int back_to_back_triangles; // same three places, other side: two-sided sheets, touching solids

    int shells;              // triangles connected through edges of exactly two triangles
    int closed_shells;       // every edge has an even number of the shell's triangles
    int unorientable_shells; // such as a Moebius strip
    int inverted_shells;     // closed and consistent, but facing inwards; see wr_mesh_clean
    int boundary_edges;      // edges of one triangle
    int holes;               // closed loops of boundary edges; loops that meet in a place are one
    int largest_hole_edges;
    int non_manifold_edges;           // edges of three or more triangles
    int inconsistent_edges;           // edges of two triangles that face different sides
    int64_t self_intersections;       // pairs of triangles that cross; see wr_mesh_inspect
    bool self_intersections_complete; // false: there were too many to look for all of them

    double largest_hole_length; // metres
    double area;                // square metres
    double volume;              // cubic metres inside the closed shells, cavities taken off

    // The triangles bound a solid: all shells are closed and face outwards, and nothing else above
    // is wrong. Duplicate, seam and unused vertices do not matter.
    bool is_sound;
} wr_mesh_report;

// Looks at a mesh without changing it. Two triangles cross when the inside of one has more than a
// point in common with the other; what is shallower than 2e-7 of the mesh's size is touching, not
// crossing. Neighbours cross when they lie on one another. tasks may be NULL. Fails on positions
// that are not finite, on indices out of range and when out of memory.
WR_API bool wr_mesh_inspect(const wr_mesh *mesh, const wr_tasks *tasks, wr_mesh_report *report,
                            wr_error *error);

// Start from wr_clean_options_default().
typedef struct wr_clean_options {
    double weld;            // distance within which places become one, as a part of the mesh's size
                            // (diagonal of its bounds), [0, 0.1]; 0: equal positions. Default 1e-6
    bool weld_vertices;     // Default true
    bool drop_degenerate;   // Default true
    bool drop_duplicates;   // Default true
    bool drop_back_to_back; // Default false: they are often meant
    bool drop_unused;       // Default true
    bool orient;            // Default true
    wr_tasks tasks;         // Default: the calling thread
    wr_allocator allocator; // for the result and working memory
    uint32_t cookie;        // set by wr_clean_options_default; do not touch
} wr_clean_options;

WR_API wr_clean_options wr_clean_options_default(void);

// The changes wr_mesh_clean made.
typedef struct wr_clean_report {
    int moved_vertices;   // vertices that went to the first place within the welding distance
    double largest_move;  // metres
    int welded_vertices;  // joined with an earlier one that agrees in everything
    int dropped_vertices; // vertices of no triangle, before or after
    int dropped_degenerate;
    int swapped_edges; // a thin triangle became a part of its neighbour, instead of leaving a crack
    int kept_degenerate; // thin triangles whose removal would tear a seam or a shell
    int dropped_duplicates;
    int dropped_back_to_back;
    int turned_triangles;
    int turned_shells;  // closed shells that faced inwards as a whole
    int turned_normals; // normals of vertices whose triangles were turned
    bool is_changed;
} wr_clean_report;

// A mended copy, as a model with one mesh and one node; the source is not touched. Parts keep their
// order and still count looks in the source's model, which the result does not contain. A mesh
// without faults comes back bit for bit, and cleaning twice is the same as cleaning once. Holes,
// self-intersections and non-manifold edges are found by wr_mesh_inspect and left alone.
//
// Welding moves vertices to a common place and joins those that agree in all attributes; seams stay
// split. Shells are made consistent by turning the smaller area. Closed shells are then turned to
// face outwards; a closed shell inside another may face either way (a cavity, or a thing inside)
// and keeps its side, unless the one around it had to be turned: then it is taken for a cavity.
// Open shells keep the side of the larger area, for they have no outside. Unorientable shells stay
// as they are. Vertex normals turn with their triangles when they agreed with them.
//
// before: what wr_mesh_inspect says about the source; mended: what was changed; vertex_map and
// triangle_map: for each old one the new one, or -1 when it was dropped. Each may be NULL.
WR_API WR_NODISCARD wr_model *wr_mesh_clean(const wr_mesh *mesh, const wr_clean_options *options,
                                            wr_mesh_report *before, wr_clean_report *mended,
                                            int *vertex_map, int *triangle_map, wr_error *error);

// --- refinement -------------------------------------------------------------------------------

// Vertices that were added to a mesh: number first + i is the middle of two earlier ones.
typedef struct wr_added_vertices {
    int first, count;
    const int *parents; // two per added vertex
} wr_added_vertices;

// A finer copy, as a model with one mesh and one node; the source is not touched. Edges longer than
// `length` are halved until none is left. The surface stays the same set of points, with its sharp
// edges and seams: at one place all vertices are split alike, and no vertex lies on the edge of a
// neighbour that did not have one there. The vertices of the source keep their numbers, everything
// they carry is interpolated, and parts keep their order and still count looks in the source's
// model, which the result does not contain. A mesh without long edges comes back bit for bit. The
// order of the source's triangles decides nothing but their own.
//
// length: metres, > 0; vertex_limit: WR_E_LIMIT when the result would have more. added, which may
// be NULL, lives as long as the result. Fails on positions that are not finite, on indices out of
// range and when out of memory.
WR_API WR_NODISCARD wr_model *wr_mesh_refine(const wr_mesh *mesh, double length, int vertex_limit,
                                             const wr_allocator *allocator,
                                             wr_added_vertices *added, wr_error *error);

// Gives added vertices the mean of their parents: values has a row of `width` numbers per vertex,
// of which those before added->first are known.
WR_API void wr_added_interpolate(const wr_added_vertices *added, int width, float *values);

#if defined(__cplusplus)
}
#endif
