// metal_bench.h: the parts of bench metal.
#pragma once

#include "bench.h"

// ms per step, frames/s of 1/60 s
typedef struct bench_numbers {
    double engine, deformation, frames;
} bench_numbers;

// What is known of a shipped scene; NaN: nothing.
typedef struct known_scene {
    bench_numbers published, authors; // the paper's laptop of 2013; its program on such a machine
    double frames_goal, deformation_goal;
} known_scene;

// metal_tables.c: the paper's tables. Every scene says what it measured, for table 2.
known_scene bench_find_known(const char *scene);
void bench_keep_measured(const char *scene, bench_numbers measured);
bool bench_metal_tables(const bench_options *options, const bench_folder *folder, bench_rows *rows,
                        wr_error *error);
// metal_scenes.c: with the engine and the demo assets; adds nothing where these are missing
bool bench_metal_scenes(const bench_options *options, bench_rows *rows, wr_error *error);
// metal_mesh.c: nine barrels fall on a heap, colliding by convex pieces and by triangles.
bool bench_metal_mesh(const bench_options *options, bench_rows *rows, wr_error *error);
