// metal_bench.h: the parts of bench metal.
#pragma once

#include "bench.h"

// metal_tables.c: the paper's tables; pachinko: engine and deformation in ms per step, frames/s
bool bench_metal_tables(const bench_options *options, const bench_folder *folder,
                        const double pachinko[3], bench_rows *rows, wr_error *error);
// metal_scenes.c: with the engine and the demo assets; adds nothing where these are missing
bool bench_metal_scenes(const bench_options *options, bench_rows *rows, wr_error *error);
