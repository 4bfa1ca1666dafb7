// bench.h: rows of measurements, and the programs that make them.
#pragma once

#include "wrought/wrought.h"

typedef struct bench_row {
    char name[64];    // what was measured
    char measure[32]; // "time per step"
    char unit[16];    // "ms"
    double value;     // measured now
    double published; // from a paper; NaN: none
    double authors;   // what the paper's authors' own program does on such a machine; NaN: unknown
    double goal;      // from the project's plan; NaN: none
    bool more_is_better;
} bench_row;

// A picture of how one thing grows with another, both axes logarithmic unless they are linear.
typedef struct bench_plot {
    const char *name;        // of the file, without ending
    const char *title;       // what it shows
    const char *across, *up; // what the axes show, with units
    bool is_linear;
} bench_plot;

// Points of one plot and curve are joined in the order in which they were added.
typedef struct bench_point {
    int plot;
    const char *curve; // its name, as the legend says it
    bool measured;     // now; false: a curve to compare with, drawn grey
    double x, y;       // > 0 on logarithmic axes; others are left out
} bench_point;

enum { BENCH_ROWS = 384, BENCH_PLOTS = 16, BENCH_POINTS = 2048 };
typedef struct bench_rows {
    bench_row rows[BENCH_ROWS];
    bench_plot plots[BENCH_PLOTS];
    bench_point points[BENCH_POINTS];
    int count, plot_count, point_count;
} bench_rows;

typedef struct bench_options {
    bool full;
    int threads;                  // 0: one per core
    const char *scenes;           // folder of the shipped scenes and recipes; NULL: there is none
    const char *against;          // another build of the program, see against.h; NULL: none
    bool (*is_interrupted)(void); // asked between measurements; NULL: never
} bench_options;

typedef bool bench_fn(const bench_options *options, bench_rows *rows, wr_error *error);
bench_fn bench_clay, bench_export, bench_file, bench_flesh, bench_metal, bench_morph, bench_render,
    bench_rig, bench_rigid, bench_sprite;

// --- what the programs share ------------------------------------------------------------------

// One more row, without a published value; goal NaN: none.
void bench_add_row(bench_rows *rows, const char *name, const char *measure, const char *unit,
                   double value, double goal);

// The same with a published value, and a goal that is reached from below.
void bench_add_compared(bench_rows *rows, const char *name, const char *measure, const char *unit,
                        double value, double published, double goal, bool more_is_better);

// False, with a sentence, for what does not call itself wrought.
bool bench_check_against(const char *program, wr_error *error);

// Of the last row.
void bench_set_authors(bench_rows *rows, double authors);

// The number of a new plot; texts are not copied.
int bench_add_plot(bench_rows *rows, const bench_plot *plot);
void bench_add_point(bench_rows *rows, int plot, const char *curve, bool measured, double x,
                     double y);
// As FOLDER/NAME.png.
bool bench_draw_plot(const bench_rows *rows, int plot, const char *folder, wr_error *error);

double bench_processor_seconds(void); // of this process, all threads

// Fails when somebody wants to stop.
bool bench_goes_on(const bench_options *options, wr_error *error);

// A folder for files of one program, in $TMPDIR or /tmp. Destroy removes it with its files.
typedef struct bench_folder {
    char path[512];
} bench_folder;
bool bench_folder_create(bench_folder *folder, wr_error *error);
void bench_folder_destroy(const bench_folder *folder);
