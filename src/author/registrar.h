// registrar.h: what the files of registration share.
#pragma once

#include "registration.h"

#include "cholesky.h"
#include "pyramid.h"

// A point of the mesh that carries a colour of the drawing.
typedef struct wri_registrar_point {
    int element;
    float b[3];
    float value[WRI_CHANNELS];
} wri_registrar_point;

typedef struct wri_registrar_points {
    wri_registrar_point *items;
    int count;
} wri_registrar_points;

struct wri_registrar {
    wri_arena arena; // lives until destroy
    int n, element_count;
    const wri_place2 *u;
    const int *elements;
    int *begin, *around; // neighbours of each vertex, ascending
    int (*border)[2];    // edges of the outline, the inside on their left
    int *border_of;      // the triangle of each
    int border_count;
    double spacing; // pixels
    wri_pyramid picture;
    wri_registrar_points points[WRI_PYRAMID_LEVELS];
    wri_sparse lower; // two rows per vertex
    wri_cholesky *cholesky;
    double *right;     // 2 n
    double (*turn)[2]; // cosine and sine of R_i
    wri_place2 *best;
};

// The search for one cell.
typedef struct wri_search {
    wri_registrar *r;
    wri_arena arena;
    wri_pyramid picture;
    wri_place2 *outline; // points of its outline
    wri_place2 *normal;  // outwards
    int outline_count;
    wri_place2 *x;
    wr_error *error;
} wri_search;

// --- the system: registration_system.c --------------------------------------------------------

bool wri_registrar_create_system(wri_registrar *r, wr_error *error);

// The rotation of every vertex.
void wri_registrar_find_turns(wri_registrar *r, const wri_place2 *x);

// Empties the system and fills in a (the edges as they would like to be).
void wri_registrar_begin_system(wri_registrar *r, double a);

// Adds a symmetric 2 x 2 block at vertices i and j.
void wri_registrar_add_block(wri_registrar *r, int i, int j, double xx, double xy, double yy);

// w (n . (sum_k b_k x_k) - d)^2, or with a symmetric matrix g for w n n'.
void wri_registrar_add_term(wri_registrar *r, const int *v, const double *b, int count,
                            const double g[3], const double right[2]);

// Finds the places after one solve, none further away than limit.
bool wri_search_solve(wri_search *s, double limit);

// --- colours: registration_colors.c -----------------------------------------------------------

// Finds what has gone far, on coarse levels; on others nothing happens.
bool wri_search_push(wri_search *s, int level);

void wri_search_add_colors(wri_search *s, int level);

// Returns the mean difference at the points of a level.
double wri_search_mismatch(const wri_search *s, int level);

// --- outlines: registration_outlines.c --------------------------------------------------------

// Puts points on the outline of the cell.
bool wri_search_trace(wri_search *s, const wr_image *picture);

// Pulls border and outline together where they are nearer than reach, pixels.
void wri_search_add_outlines(wri_search *s, double reach);

void wri_search_find_distances(const wri_search *s, wri_registration *out);
