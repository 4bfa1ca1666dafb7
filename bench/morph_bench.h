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

enum { MORPH_BENCH_TARGETS = 8, MORPH_BENCH_BONES = 64, MORPH_BENCH_POSES = 32 };

typedef struct morph_body {
    wr_morph_data *data;
    int free_count; // nodes that move
    wr_pose *poses; // of all bones, MORPH_BENCH_POSES times, there and back
} morph_body;

bool morph_body_create(morph_body *out, const morph_body_desc *desc, wr_error *error);
// A figure of the gallery: the asset of a recipe, with the poses of one of its clips.
bool morph_figure_create(morph_body *out, const char *recipe, const char *clip, wr_error *error);
void morph_body_destroy(morph_body *body);
// Counts free nodes and makes room for poses, once the data is there.
bool morph_body_finish(morph_body *body, wr_error *error);

typedef struct morph_run_desc {
    const morph_body *body;
    bool is_full, without_targets, with_skin;
    wr_morph_elasticity elasticity;
    int copies; // bodies of one model; 1
} morph_run_desc;

enum { MORPH_BENCH_RUNS = 2 };

// Seconds of processor time per frame of 1/60 s, one step, on one thread, of each of `count` runs,
// which take turns; how many iterations the last one takes if it is full, may be NULL.
bool morph_measure(const morph_run_desc *runs, int count, double *seconds, double *iterations,
                   wr_error *error);
