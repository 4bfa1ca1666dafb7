// bench.h: rows of measurements, and the programs that make them.
#pragma once

#include "wrought/wrought.h"

typedef struct bench_row {
    char name[64];    // what was measured
    char measure[32]; // "time per step"
    char unit[16];    // "ms"
    double value;     // measured now
    double published; // from a paper; NaN: none
    double goal;      // from the project's plan; NaN: none
    bool more_is_better;
} bench_row;

enum { BENCH_ROWS = 64 };
typedef struct bench_rows {
    bench_row rows[BENCH_ROWS];
    int count;
} bench_rows;

typedef struct bench_options {
    bool full;
    int threads; // 0: one per core
} bench_options;

typedef bool bench_fn(const bench_options *options, bench_rows *rows, wr_error *error);
bench_fn bench_rigid;
