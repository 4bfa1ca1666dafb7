// cut.h: a body cut into fragments: what the files of cutting share.
//
// A cut divides space into cells, each with a function f of the place: a place belongs to the cell
// whose function is largest. The difference of two of them is linear within every element, so a cut
// of any kind passes through an element as a plane does. Later cuts divide the cells of earlier
// ones.
#pragma once

#include "wrought/author.h"

#include "../base/base.h"
#include "key_table.h"

enum { WRI_CUTS_MAX = 64 };

// The functions of a cut by parts of the model: they come out of the artist's triangles. A number
// per cell for each vertex.
typedef struct wri_cut_field {
    double *solid; // vertices of the rig: the farther from the part's triangles, the less
    double *mesh;  // vertices of the render mesh: 1 where the part has a triangle with it, else 0
} wri_cut_field;

// The cells of all cuts together are leaves of a tree that has a level per cut: a node is known by
// its parent, -1 at the first level, and the number of its cell within its cut.
typedef struct wri_cells {
    const wr_asset *asset;
    const wri_cut_field *fields; // per cut; used for those by parts
    wri_key_table nodes;
} wri_cells;

// cut_cells.c
int wri_cut_cell_count(const wr_cut *cut);
int wri_cut_share_count(const wr_cut *cut); // functions that are not those of the place; 0: none
// f_i - f_j at a place; shares: those functions there, NULL where it has none.
double wri_cut_difference(const wr_cut *cut, int i, int j, const double p[3], const double *shares);
// The same at a vertex of the rig, and at one of the render mesh.
void wri_cut_shares(const wri_cells *cells, int cut, int vertex, double *shares);
void wri_cut_mesh_shares(const wri_cells *cells, int cut, int vertex, double *shares);
int wri_cell_add(wri_cells *cells, int parent, int label); // -1: out of memory
// The cell like this one but for another label at one cut; -1: there is none.
int wri_cell_find_beside(const wri_cells *cells, int cell, int cut, int label);

// Labels of a cell at every cut.
void wri_cell_labels(const wri_cells *cells, int cell, int labels[WRI_CUTS_MAX]);

// The part of an element that lies in one cell.
typedef struct wri_chunk {
    int element, cell;
    int fragment;
    double volume;    // m^3
    double moment[4]; // part of the element times the barycentric coordinates of its centroid
    double faces[4];  // part of each face of the element, opposite to its corners, that it has
    wr_box box;
} wri_chunk;

// The face between two chunks of one element.
typedef struct wri_seam {
    int chunk, cut;
    int label;        // cell of the cut on the other side
    double area;      // m^2
    double first[3];  // integral of p over the face
    double second;    // integral of |p|^2
    double normal[3]; // times the area, away from the chunk
} wri_seam;

typedef struct wri_cut_corner {
    int chunk;
    double weights[4];
} wri_cut_corner;

// A rig in chunks.
typedef struct wri_cut_solid {
    wri_array chunks;     // wri_chunk
    wri_array seams;      // wri_seam
    wri_array corners;    // wri_cut_corner
    wri_key_table places; // number of the chunk by element and cell
    int fragment_count;
    wri_array bonds; // wr_bond
} wri_cut_solid;

wri_cut_solid wri_cut_solid_create(void);
void wri_cut_solid_destroy(wri_cut_solid *solid);
// Cuts the elements (cut_solid.c).
bool wri_cut_elements(wri_cells *cells, wri_cut_solid *solid, wr_error *error);
// Finds the chunks that hold together, and the bonds between them (cut_fragments.c).
bool wri_cut_find_fragments(const wri_cells *cells, wri_cut_solid *solid, wr_error *error);
int wri_cut_find_chunk(const wri_cut_solid *solid, int element, int cell); // -1: none

// A vertex of the render mesh in pieces.
typedef struct wri_cut_vertex {
    int point;  // its place
    int origin; // vertex of the mesh, -1: new
    int near;   // vertex of the mesh that it came from
} wri_cut_vertex;

typedef struct wri_cut_triangle {
    int vertices[3];
    int part; // of the mesh, -1: a cut face
} wri_cut_triangle;

typedef struct wri_cut_piece {
    int cell;
    wri_array triangles; // wri_cut_triangle
} wri_cut_piece;

// A render mesh in cells: every piece is closed if the mesh was.
typedef struct wri_cut_mesh {
    const wri_cells *cells;
    const wr_asset *asset;
    wri_array points; // double[3]
    wri_array shares; // double: those of all cuts, share_count per point
    int share_count;
    wri_array vertices; // wri_cut_vertex
    wri_array numbers;  // float: all that is interpolated, number_count per vertex
    int number_count;
    int normal, uv, color, detail; // where they begin among the numbers, -1: there are none
    wri_array pieces;              // wri_cut_piece
} wri_cut_mesh;

bool wri_cut_mesh_create(wri_cut_mesh *mesh, const wri_cells *cells, wr_error *error);
void wri_cut_mesh_destroy(wri_cut_mesh *mesh);
bool wri_cut_triangles(wri_cells *cells, wri_cut_mesh *mesh, wr_error *error);

// Triangles that fill the loops of a cut, whatever they are like: each edge of a loop is an edge of
// one triangle, every other edge one of two (cut_cap.c). loops: begin of each loop in the list, and
// its end; the points of a loop run counter-clockwise around what is to be filled. Adds three
// indices into the list per triangle; false: out of memory.
bool wri_cap_fill(const wr_vec2 *points, const int *loops, int loop_count, wri_array *triangles);

typedef struct wri_cut_desc {
    const wr_lattice *lattice;   // that the rig was made of
    const wri_cut_field *fields; // per cut of the asset; NULL: none is by parts
    int inside;                  // the look of cut faces, -1: one is added
    const wr_tasks *tasks;
    uint64_t *parting; // out: bit per cut that has something on more than one side; NULL: not asked
} wri_cut_desc;

// Cuts an asset by its cuts, in place.
bool wri_asset_cut(wr_asset *asset, const wri_cut_desc *desc, wr_error *error);
