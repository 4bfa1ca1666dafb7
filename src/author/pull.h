// pull.h: a lattice laid against the surface it was made for.
#pragma once

#include "bcc.h"

// One part's tetrahedra while they are being worked on. Positions are floats from the start, so
// that what is checked is what comes out.
typedef struct wri_body {
    wri_array x;           // wr_vec3, metres
    wri_array tetrahedra;  // int[4]
    wri_array is_boundary; // uint8_t per vertex
    wri_array is_fixed;    // uint8_t per vertex
    double regular;        // m^3, volume of a tetrahedron of the regular lattice
} wri_body;

// Fails when float positions cannot resolve the lattice, and when out of memory.
bool wri_body_create(wri_body *body, const wri_bcc *bcc, const wr_allocator *allocator,
                     wr_error *error);
void wri_body_destroy(wri_body *body);
double wri_body_volume(const wri_body *body, int tetrahedron); // m^3

typedef enum wri_snap { WRI_SNAP_FAILED, WRI_SNAP_MOVED, WRI_SNAP_ADDED } wri_snap;
// Puts a vertex exactly at p and fixes it: the nearest free one that gets there without turning a
// tetrahedron over, else a new one in the middle of a tetrahedron. *vertex: which one; a handle at
// the place of an earlier one gets the same. error is filled when out of memory only.
bool wri_body_snap(wri_body *body, wr_vec3 p, wri_snap *how, int *vertex, wr_error *error);

// Boundary vertices go towards the nearest point of the surface and spread along it, the others
// follow; a step that would leave a tetrahedron less than a tenth of its volume is cut short.
bool wri_body_pull(wri_body *body, const wri_soup *soup, int passes, const wr_tasks *tasks,
                   wr_error *error);
// Returns the distance of the farthest boundary vertex that is not fixed from the surface, metres.
double wri_body_gap(const wri_body *body, const wri_soup *soup);
