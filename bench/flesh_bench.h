// flesh_bench.h: the parts of bench flesh: bodies made in code, and how long a frame of them takes.
#pragma once

#include "bench.h"

#include "../src/base/base.h"
#include "wrought/flesh.h"
#include "wrought/layer.h"

// --- flesh_mesh.c: closed surfaces ------------------------------------------------------------

// A limb of a body: its bone turns about `from`.
typedef struct flesh_limb {
    int parent; // -1: none
    wr_vec3 from, to;
    float radius[2]; // at either end
} flesh_limb;

typedef struct flesh_mesh {
    wr_vec3 *positions; // metres
    int *triangles;     // counter-clockwise seen from outside
    int vertex_count, triangle_count;
} flesh_mesh;

// All take memory of the arena and return false when there is none.
//
// The unit sphere as an octahedron whose edges are cut into n: 4 n^2 + 2 vertices.
bool flesh_make_sphere(wri_arena *arena, int n, flesh_mesh *out);
// A ring around y: `rings` circles of `around` vertices each.
bool flesh_make_ring(wri_arena *arena, int rings, int around, float radius, float thickness,
                     flesh_mesh *out);
// A sausage along x that begins at the origin: rings * around + 2 vertices.
bool flesh_make_tube(wri_arena *arena, int rings, int around, float length, float radius,
                     flesh_mesh *out);
// What surrounds all the limbs, by marching cubes on a grid of this cell.
bool flesh_make_limbs(wri_arena *arena, const flesh_limb *limbs, int count, float cell,
                      flesh_mesh *out);

// --- flesh_body.c: bodies ---------------------------------------------------------------------

typedef struct flesh_body {
    wri_arena arena;
    wr_layer *layer;
    int bone_count;
    wr_vec3 *origins;
    wr_flesh_joint *joints;
    wr_flesh_mass *inner;
    int *bones; // of each node
    float *weights;
} flesh_body;

enum { DEER_BONES = 34 };

// Which of these a body is.
typedef enum flesh_kind {
    FLESH_DEER,     // 34 limbs; detail: 0 to 2, about 1 748, 2 755 and 8 408 nodes
    FLESH_TUBE,     // links of 20 cm; detail: rings, around: vertices of each
    FLESH_BALL,     // detail: 4 n^2 + 2 nodes
    FLESH_CYLINDER, // likewise
    FLESH_PUMPKIN,  // likewise
    FLESH_GEAR,     // likewise
    FLESH_HEAD,     // likewise
    FLESH_TYRE,     // detail: rings, around: vertices of each
} flesh_kind;

typedef struct flesh_body_desc {
    flesh_kind kind;
    int detail, around;
    int bones; // of a tube
} flesh_body_desc;

bool flesh_body_create(flesh_body *out, const flesh_body_desc *desc, wr_error *error);
void flesh_body_destroy(flesh_body *body); // zeroed ones, too
// published: by the thesis' own approximations.
wr_flesh_model *flesh_body_model(const flesh_body *body, double young, float dt, bool published,
                                 wr_error *error);

// --- flesh_run.c: how long frames take --------------------------------------------------------

typedef struct flesh_run_desc {
    const flesh_body *body;
    double young;   // Pa; 0: the default
    int steps;      // per frame of 1/60 s
    bool free;      // it falls, and touches nothing
    bool alone;     // on one thread only
    bool published; // by the thesis' own approximations
    int held; // so many of its lowest nodes are held from below, each where it is; 0: it falls
              // on a plane
} flesh_run_desc;

typedef struct flesh_run {
    double alone;    // s of processor time per frame, on one thread
    double shared;   // s of the clock on the wall, on all threads; NaN where there is only one
    double contacts; // per step, in the mean: nodes that are pushed
} flesh_run;

bool flesh_measure(const flesh_run_desc *desc, const bench_options *options, flesh_run *out,
                   wr_error *error);
// As frames/s, on one thread and on all; goal NaN: none.
void flesh_add_frames(const char *name, const char *measure, const flesh_run *got, double published,
                      double goal, bench_rows *rows);

// --- parts of the bench -----------------------------------------------------------------------

bench_fn bench_flesh_characters; // flesh.c: table 4.1
bench_fn bench_flesh_cores;      // flesh_cores.c: tables 3.1 and 3.2
bench_fn bench_flesh_growth;     // flesh_growth.c
bench_fn bench_flesh_meet;       // flesh_meet.c: two ways in which skins find each other
bench_fn bench_flesh_solve;      // flesh_solve.c: the factor against conjugate gradients
bench_fn bench_flesh_peer;       // flesh_peer.c: Bullet's deformable bodies
