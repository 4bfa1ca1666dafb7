// usda.h: what the pieces of the USD writer share.
#pragma once

#include "names.h"
#include "out.h"

#include "wrought/file.h"

typedef struct wri_usda {
    const wr_model *model;
    const wr_model_motion *take; // NULL: nothing moves
    wri_arena arena;
    wri_out *out;
    int depth;             // depth of indentation
    const char **textures; // file names of the images
    wr_error *error;
} wri_usda;

#define WRI_USDA_BINDING "prepend apiSchemas = [\"MaterialBindingAPI\"]"

// A line with as many blanks before it as the depth says.
void wri_usda_line(wri_usda *u, const char *format, ...) WRI_PRINTF(2, 3);
// def TYPE "NAME", with one line of metadata or NULL, and {
void wri_usda_def(wri_usda *u, const char *type, const char *name, const char *metadata);
// The same with "def TYPE", "over" ... as the specifier.
void wri_usda_begin_prim(wri_usda *u, const char *specifier, const char *name,
                         const char *metadata);
// Begins a thing that is called `own` elsewhere, which the metadata keep where it differs.
void wri_usda_def_named(wri_usda *u, const char *type, const char *name, const char *own,
                        const char *metadata);
void wri_usda_metadata(wri_usda *u, const char *text);
void wri_usda_open(wri_usda *u);  // {
void wri_usda_close(wri_usda *u); // }
// Tuples (1,2,3) and lists of them [(1,2,3),(4,5,6)], rounded to so many digits behind the point.
enum { WRI_USDA_EXACT = -1 }; // as few as read back equal
void wri_usda_round_tuple(wri_usda *u, const float *numbers, int count, int digits);
void wri_usda_round_vectors(wri_usda *u, const wr_vec3 *vectors, int count, int digits);
void wri_usda_tuple(wri_usda *u, const float *numbers, int count); // exact
void wri_usda_vectors(wri_usda *u, const wr_vec3 *vectors, int count);
void wri_usda_indent(wri_usda *u);
void wri_usda_begin(wri_usda *u, const char *declaration);           // begins a line
void wri_usda_extent(wri_usda *u, const wr_vec3 *points, int count); // their box

// A mesh that morphs bend: metres in its own unit, and its points, each of which stands for all
// vertices that are at one place and stay there together.
typedef struct wri_usda_cage {
    float unit;    // 0: no morphs bend the mesh
    int count;     // of points
    int *vertices; // per point: the first of its vertices
    int *points;   // per vertex
} wri_usda_cage;

// The meshes and particles of motion `number`.
bool wri_usda_check_film(const wr_model *model, const wr_node_motion *motion, int number,
                         int frame_count, wr_error *error);
// A mesh that is another one in every frame, and the particles of a node, inside the prim at
// `path`.
bool wri_usda_film(wri_usda *u, const char *name, const wr_node_motion *motion, const char *path);
void wri_usda_particles(wri_usda *u, const wr_node_motion *motion);

// The type of a prim that is a camera or a light, NULL: it is neither; and what it has as such.
const char *wri_usda_stage_type(const wri_usda *u, int node);
void wri_usda_stage(wri_usda *u, int node);

float wri_usda_unit(const wr_mesh *mesh, const wr_node_motion *motion);
// meshes: those that share the arrays of the first one, with morphs of their own.
bool wri_usda_join_points(wri_usda *u, const wr_mesh *const *meshes, int count,
                          wri_usda_cage *cage);
// The morphs of a mesh that the prim at `path` refers to, and their weights, inside that prim.
bool wri_usda_morphs(wri_usda *u, const wr_mesh *mesh, const wri_usda_cage *cage,
                     const wr_node_motion *motion, const char *path);

// The looks of a mesh inside a Scope "Looks" at `path`, and the lines that bind them: the mesh's
// own, or a GeomSubset per look when it has several. names[look] was given by the first. Without a
// path the faces alone, without faces what is bound to those of the mesh that is referred to.
bool wri_usda_name_looks(wri_usda *u, const wr_mesh *mesh, const char ***names);
bool wri_usda_looks(wri_usda *u, const wr_mesh *mesh, const char *path, const char ***names);
bool wri_usda_bind(wri_usda *u, const wr_mesh *mesh, const char *path, const char **names,
                   bool with_faces);
// The look of all triangles; -1: none, or several.
int wri_usda_single_look(const wr_mesh *mesh);
// A Mesh prim. cage: of one that morphs bend, or NULL; points: per frame, or NULL; looks: their
// names, at `path`, or without a path bound elsewhere.
bool wri_usda_mesh(wri_usda *u, const char *name, const wr_mesh *mesh, const wri_usda_cage *cage,
                   const wr_vec3 *const *points, const char *path, const char **looks);
bool wri_usda_is_double_sided(const wri_usda *u, const wr_mesh *mesh);
