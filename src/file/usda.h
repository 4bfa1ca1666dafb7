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
// Begins a thing that is called `own` elsewhere, which the metadata keep where it differs.
void wri_usda_def_named(wri_usda *u, const char *type, const char *name, const char *own,
                        const char *metadata);
void wri_usda_metadata(wri_usda *u, const char *text);
void wri_usda_open(wri_usda *u);                                   // {
void wri_usda_close(wri_usda *u);                                  // }
void wri_usda_tuple(wri_usda *u, const float *numbers, int count); // (1, 2, 3)
void wri_usda_indent(wri_usda *u);
void wri_usda_begin(wri_usda *u, const char *declaration);             // begins a line
void wri_usda_vectors(wri_usda *u, const wr_vec3 *vectors, int count); // [(1, 2, 3), ...]
void wri_usda_extent(wri_usda *u, const wr_vec3 *points, int count);   // their box

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

// The morphs of a mesh that the prim at `path` refers to, and their weights, inside that prim.
bool wri_usda_morphs(wri_usda *u, const wr_mesh *mesh, const wr_node_motion *motion,
                     const char *path);

// The looks of a mesh inside a Scope "Looks" at `path`, and the lines that bind them: the mesh's
// own, or a GeomSubset per look when it has several. names[look] was given by the first.
bool wri_usda_looks(wri_usda *u, const wr_mesh *mesh, const char *path, const char ***names);
bool wri_usda_bind(wri_usda *u, const wr_mesh *mesh, const char *path, const char **names);
// The look of all triangles; -1: none, or several.
int wri_usda_single_look(const wr_mesh *mesh);
bool wri_usda_is_double_sided(const wri_usda *u, const wr_mesh *mesh);
