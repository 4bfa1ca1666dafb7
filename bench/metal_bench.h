// metal_bench.h: the parts of bench metal.
#pragma once

#include "bench.h"

// metal_scenes.c: with the engine and the demo assets; adds nothing where these are missing
bool bench_metal_scenes(const bench_options *options, bench_rows *rows, wr_error *error);
