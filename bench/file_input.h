// file_input.h: what `bench file` reads and writes: things to write, and small generators of text
// for formats that the library only reads.
#pragma once

#include "wrought/wrought.h"

#include <stdio.h>

enum { BENCH_FRAMES = 8 };

typedef struct bench_input {
    int scale;       // 1: files of 0.7 to 27 MB
    wr_model *grid;  // bumpy; scale times 200 000 triangles with normals and texture coordinates
    wr_model *rig;   // the same with a skin of 16 joints, two morphs and a clip
    wr_vec3 *moved;  // BENCH_FRAMES times as many as the grid has vertices: it in motion
    uint8_t *pixels; // RGBA
    int width, height;
} bench_input;

bool bench_input_create(bench_input *input, int scale, wr_error *error);
void bench_input_destroy(bench_input *input);

static inline const wr_vec3 *bench_input_frame(const bench_input *input, int frame)
{
    return input->moved + (size_t)frame * (size_t)input->grid->meshes->vertex_count;
}

// Each prints one file.
typedef void bench_print_fn(FILE *file, const bench_input *input);
bench_print_fn bench_print_off, bench_print_medit, bench_print_dmat_text, bench_print_dmat_bytes,
    bench_print_tgf, bench_print_jpeg, bench_print_scene, bench_print_stl, bench_print_dae;
