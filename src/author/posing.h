// posing.h: what the files of posing share.
#pragma once

#include "wrought/posing.h"

#include "../base/base.h"

#define WRI_POSING_PULL 1e-6 // share of the mean diagonal of A

struct wr_posing {
    wri_arena arena;            // lives until destroy
    wri_arena constraint_arena; // lives until other constraints come
    int dimension, handle_count, cluster_count, constraint_count;
    int m; // 4 handle_count
    double size, middle[3];
    double *measure; // per cluster: sum of |e|
    double *share;   // cluster_count * handle_count: mean weights of a cluster, times measure
    double *scale;   // cluster_count * 3: S_k
    double *a;       // m * m
    double *k;       // m * 3r: row per unknown
    double *kt;      // 3r * m
    double pull;
    double *t, *next, *other; // m * 3
    double *r;                // 3r * 3: rows 3k.. are (R_k S_k)'
    double *c;                // 3r * 3
    double *from_targets;     // m * 3: contribution of the constraints alone
    double energy;
    wr_mat34 *maps;
    wr_vec3 *pivots;
    wr_posing_constraint *constraints;
    double *by_rotation; // m * 3r
    double *by_last;     // m * m
    double *by_target;   // m * constraint_count
};

// Finds clusters of elements with like weights: k-means without chance. Returns how many there are,
// 0 when out of memory.
int wri_posing_find_clusters(const wr_rig *rig, int count, int *cluster,
                             const wr_allocator *allocator);

// A place in units of the rest shape, and 1.
void wri_posing_rest_point(const wr_posing *p, wr_vec3 at, double out[4]);

// A place or direction that a constraint is about: the same, or a length and 0.
void wri_posing_constraint_point(const wr_posing *p, const wr_posing_constraint *constraint,
                                 wr_vec3 at, double out[4]);
