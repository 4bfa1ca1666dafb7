// morph_bench.h: bodies of morph of any size, and what a frame of them costs.
#pragma once

#include "bench.h"

#include "../src/author/morph.h"
#include "../src/base/base.h"

// A limb of a chain of bones, cut into cubes; its targets swell as it bends.
typedef struct morph_body_desc {
    int cells[3]; // along the limb, across it
    int bone_count, target_count;
    int vertex_count; // displayed; 0: the surface
    int mode_count;   // of vibration, without targets
    bool with_cubic;
    bool is_detailed; // sculpted finer than its tetrahedra are
} morph_body_desc;

enum { MORPH_BENCH_TARGETS = 8, MORPH_BENCH_BONES = 64 };

typedef struct morph_body {
    morph_body_desc desc;
    int free_count; // nodes that move
    wri_morph_bone bones[MORPH_BENCH_BONES];
    wr_morph_data *data;
    wri_morph_report report;
} morph_body;

bool morph_body_create(morph_body *out, const morph_body_desc *desc, wr_error *error);
void morph_body_destroy(morph_body *body);
// Bends all joints alike, radians in all; the root swings.
void morph_body_pose(const morph_body *body, double angle, wr_pose *poses);

typedef struct morph_run_desc {
    const morph_body *body;
    bool is_full, without_targets, with_skin;
    wr_morph_elasticity elasticity;
    int copies; // bodies of one model; 1
} morph_run_desc;

// Seconds of processor time per frame of 1/60 s, one step, on one thread; how many iterations a
// full one takes, may be NULL.
bool morph_measure(const morph_run_desc *run, double *seconds, double *iterations, wr_error *error);
double morph_processor_seconds(void);
