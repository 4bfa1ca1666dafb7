// morph.h: from tetrahedra, a skin and sculpted targets to the data of soft characters whose shape
// and firmness follow their pose (wrought/morph.h).
//
//     wri_morph_build_desc desc = wri_morph_build_desc_default();
//     desc.node_count = rig->vertex_count, desc.nodes = rig->rest;      // tetrahedra of the rig
//     desc.tet_count = rig->element_count, desc.tets = rig->elements;
//     desc.bones = bones, desc.bone_count = rig->handle_count;
//     desc.node_weights = rig->weights;
//     desc.vertex_count = rig->ride_count, desc.rides = rig->rides;     // its render mesh
//     desc.vertices = mesh->positions, desc.triangles = mesh->triangles, ...
//     desc.targets = targets, desc.target_count = 4;
//     wr_morph_data *data = wri_morph_build(&desc, &report, &error);
//     wr_morph_data_write(data, bytes);                                 // what an asset keeps
//
// Stages, one file each: which nodes are fixed to bones (morph_bones.c), offsets of nodes from
// sculpted vertices (morph_relax.c), the space of poses (morph_space.c), modes of vibration
// (morph_modes.c) and the basis of reduced motion (morph_basis.c).
//
// Thread safety: no state.
#pragma once

#include "../base/base.h"
#include "wrought/morph.h"

// A bone, in the bind pose.
typedef struct wri_morph_bone {
    int parent;     // another bone; -1: none
    wr_vec3 origin; // metres: its joint
    wr_vec3 tail;   // metres: its other end. Of bones without children it must be said: it is what
                    // holds flesh there; of others the mean of its children's origins is usual
} wri_morph_bone;

typedef struct wri_morph_target {
    const char *name;
    const wr_vec3 *displacements; // per vertex, metres, bind pose: what a glTF morph target holds;
                                  // NULL: none, which is another firmness alone
    int displacement_count;       // how many there are: must be vertex_count
    const wr_pose *poses;         // per bone, as wr_morph_drive: the pose it belongs to; NULL: bind
    const float *scalars;         // scalar_count; NULL: 0
    double stiffness;             // factor on desc.young, > 0
    const float *paint;           // factor per vertex on top of it, > 0; NULL: 1
    float poisson;                // [0, 0.49]; < 0: desc.poisson
} wri_morph_target;

// Start from wri_morph_build_desc_default(). Everything is copied.
typedef struct wri_morph_build_desc {
    int node_count;
    const wr_vec3 *nodes; // metres
    int tet_count;
    const int *tets;           // four nodes each, of positive volume, all connected
    const float *node_weights; // node_count * bone_count, rows sum to 1; NULL: from vertex_weights,
                               // carried inwards by a Laplace problem
    int bone_count;
    const wri_morph_bone *bones;
    int vertex_count;
    const wr_vec3 *vertices; // metres
    const wr_ride *rides;    // in the tetrahedra; NULL: vertices are the first vertex_count nodes
    const float *vertex_weights; // vertex_count * bone_count; NULL: from node_weights by the rides
    int triangle_count;          // of the vertices, for areas alone; 0: wind does not blow
    const int *triangles;
    // All of them. The first is usually the model itself in the bind pose; it is what
    // wr_morph_model_desc.without_targets keeps. None: that one alone.
    int target_count;
    const wri_morph_target *targets;
    int scalar_count;
    const float *scalar_scale; // per scalar, > 0
    double young;              // Pa. Default 2e4
    float poisson;             // Default 0.4
    double density;            // kg/m^3. Default 1000
    float smoothing;           // of the interpolation over poses, >= 0, in mean distances of
                               // targets; 0 goes through all targets. Default 0
    float rounding;            // likewise: c of the kernel sqrt(r^2 + c^2). Default 0
    int mode_count;            // r* of vibration, without targets; 0: full models alone. Default 14
    bool with_cubic; // coefficients of reduced St. Venant-Kirchhoff forces as well. Default false
    wr_tasks tasks;
    wr_progress progress;
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;               // set by wri_morph_build_desc_default; do not touch
} wri_morph_build_desc;

// What came out.
typedef struct wri_morph_report {
    int fixed_count;       // nodes that move with the skeleton alone
    int outside_bones;     // bones that cross no tetrahedron: the nearest nodes are theirs
    int turned_count;      // tetrahedra that a target would turn inside out: there it has the
                           // stiffness of the shape of the model itself
    double largest_detail; // metres: farthest that a vertex was sculpted beyond its tetrahedron
    int mode_count;        // r: modes of vibration and of targets
    double seconds[4];     // of skin, targets, modes, cubic coefficients
} wri_morph_report;

wri_morph_build_desc wri_morph_build_desc_default(void);
// Fails with one sentence on targets with another number of vertices, two targets at one pose,
// tetrahedra that are not connected, Poisson's ratio of 0.5 and more, leaf bones without a tail.
// report may be NULL.
wr_morph_data *wri_morph_build(const wri_morph_build_desc *desc, wri_morph_report *report,
                               wr_error *error);

// Tails for bones of which only joints are known, as in glTF: the mean of the children's origins,
// and of bones without children a point one and a half times as far off as the middle of what they
// carry.
void wri_morph_find_tails(const wr_vec3 *vertices, int vertex_count, const float *vertex_weights,
                          int bone_count, wri_morph_bone *bones);
