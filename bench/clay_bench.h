// clay_bench.h: the parts of bench clay.
#pragma once

#include "bench.h"

#include "../src/clay/clay.h"

// clay.c: what a body touches of the plane y = 0, body 0 of its step; returns how many.
int bench_clay_touch_ground(const wri_clay *c, wr_clay_touch *touches, int room);

// clay_volume.c: needs the shipped models; adds nothing where these are missing
bool bench_clay_volume(const bench_options *options, bench_rows *rows, wr_error *error);
