// fill.h (internal): the stages of filling a model with points: size field, solid, points.
//
// All stages work in the model's own frame: the middle of the bounds is the origin, the longest
// side 1.
#pragma once

#include "wrought/fill.h"

#include "winding.h"

enum { WRI_TILE_SIDE = 4, WRI_TILE_SAMPLES = 64 };
#define WRI_FILL_CELLS 3.0f // cells of a solid per spacing
// Of winding numbers: 0.05 off beside an open edge moves the side of a hole by little.
#define WRI_FILL_ACCURACY 2.0

// Spacing at every place: `base` times a factor that a grid interpolates; without values 1.
typedef struct wri_fill_size {
    float base;
    float *painted; // factors of the nearest points of the surface, n[0] * n[1] * n[2], x first
    float *values;  // the same, limited; NULL: 1 everywhere
    int n[3];
    float low[3], pitch;
} wri_fill_size;

// factors: one per vertex of the soup, or NULL. False when out of memory.
bool wri_fill_size_build(wri_fill_size *size, wri_arena *arena, const wri_soup *soup,
                         const float *factors, const wr_tasks *tasks);
// Sets the values for the present base.
void wri_fill_size_limit(wri_fill_size *size);
float wri_fill_size_at(const wri_fill_size *size, const float p[3]);

// A cell's part of the inside, as if it were in one point.
typedef struct wri_fill_sample {
    float p[3], volume;
} wri_fill_sample;

// A cube of 4 x 4 x 4 cells.
typedef struct wri_fill_tile {
    float low[3], cell; // lower corner, edge of a cell
    int first, count;   // samples of the solid; first -1: all cells are inside
} wri_fill_tile;

// The inside of a soup, as tiles along a space-filling curve.
typedef struct wri_fill_solid {
    wri_fill_tile *tiles;
    int tile_count;
    wri_array samples; // wri_fill_sample, owned
    double volume;     // sum over the samples
    float least, most; // winding numbers that were met
} wri_fill_solid;

// Cells are 1 / WRI_FILL_CELLS of the spacing or less. False when out of memory; to be destroyed in
// either case.
bool wri_fill_solid_build(wri_fill_solid *solid, wri_arena *arena, const wri_soup *soup,
                          const wri_fill_size *size, const wr_tasks *tasks);
void wri_fill_solid_destroy(wri_fill_solid *solid);
// Writes the tile's samples along the curve and returns their number.
int wri_fill_tile_samples(const wri_fill_solid *solid, int tile,
                          wri_fill_sample samples[WRI_TILE_SAMPLES]);

// Points and what they own of a solid.
typedef struct wri_fill_points {
    int count;
    float (*x)[3];
    double *volumes;
    double far_volume;
    bool *is_far;            // per triangle: no point is near its middle
    wri_soup_point *nearest; // on the surface
} wri_fill_points;

// --- who is nearest ---------------------------------------------------------------------------

enum { WRI_FILL_FAN = 8, WRI_FILL_DEPTH = 9 }; // children of a node, levels of the tree

typedef struct wri_fill_box {
    float low[3], high[3];
} wri_fill_box;

// What is known about a sample.
typedef struct wri_fill_ownership {
    int owner, other;        // nearest and second nearest point; other -1: there is none
    float distance2, other2; // squared distances
} wri_fill_ownership;

// Start from {.solid, .tasks, .points}.
typedef struct wri_fill_owners {
    const wri_fill_solid *solid;
    const wr_tasks *tasks;
    const wri_fill_points *points;
    wri_fill_box *levels[WRI_FILL_DEPTH]; // of runs of points, of runs of those, up to one box
    int counts[WRI_FILL_DEPTH], level_count;
    int *hints;                // per tile: a point near it
    wri_fill_ownership *owned; // of some tiles from first_tile on
    int first_tile;
    int rank; // 2: the second nearest are found, too; else 1
} wri_fill_owners;

// False when out of memory. resize: when the number of points has changed; fit: when they moved.
bool wri_fill_owners_create(wri_fill_owners *owners, wri_arena *arena);
bool wri_fill_owners_resize(wri_fill_owners *owners, wri_arena *arena);
void wri_fill_owners_fit(wri_fill_owners *owners);

// Calls visit for every sample, in the order of the curve, on the calling thread. half: half the
// edge of its cell. rank 2 finds the second nearest points, too. Fits the tree.
typedef void wri_fill_visit_fn(void *context, const wri_fill_sample *sample, float half,
                               const wri_fill_ownership *owned);
void wri_fill_owners_visit(wri_fill_owners *owners, int rank, wri_fill_visit_fn *visit,
                           void *context);
// Returns whether one of the first `count` points is nearer than `most`; the tree is fitted.
bool wri_fill_has_point(const wri_fill_owners *owners, const float x[3], float most, int count);

// total: the integral of 1 / spacing^3 over the solid. False when out of memory.
bool wri_fill_points_spread(wri_fill_points *points, wri_arena *arena, const wri_soup *soup,
                            const wri_fill_solid *solid, const wri_fill_size *size, double total,
                            int count, const wr_tasks *tasks);
