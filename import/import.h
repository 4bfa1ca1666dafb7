// import.h: what the files of wrought-import share. Nothing here survives a hostile file for sure:
// that is what the process is for.
#pragma once

#include "../src/file/model.h"

#include <assimp/scene.h>

typedef struct importer {
    const char *path;
    const struct aiScene *scene;
    wr_model *model;
    wri_arena arena;    // lives as long as the import
    float unit;         // metres per unit of the scene
    bool keep_unit;     // lengths stay as the file has them
    bool keep_axes;     // likewise
    bool drop_normals;  // they are those of the triangles and would only keep vertices apart
    int *look_of;       // per material of the scene, -1: the default grey
    int *uv_channel_of; // per material: the coordinates of its picture
    const struct aiNode **sources; // per node of the model, what it was made of
    bool is_fbx;
    wr_error *error;
} importer;

// Fills the model, which is empty, with the scene.
bool import_scene(importer *im);
bool import_looks(importer *im);
bool import_nodes(importer *im); // with their meshes and skins
bool import_clips(importer *im);

// The meshes of one node as one, and its skin. `place` is applied to it, NULL: none. No triangles:
// mesh is empty.
bool import_mesh(importer *im, const struct aiNode *node, const struct aiMatrix4x4 *place,
                 wr_mesh *mesh, int *skin);

// All bones of the meshes of a node as one skin; *skin is -1 when there are none.
bool import_skin(importer *im, const struct aiNode *node, int *skin);
// Per vertex of all meshes of the node up to *count joints of the skin and their weights.
enum { IMPORT_MOST_INFLUENCES = 16 };
bool import_influences(importer *im, const struct aiNode *node, int skin, wri_arena *arena,
                       int *count, int **joints, float **weights);

bool import_is_fbx(const struct aiScene *scene);
// Whether a bone has this name, NULL: any.
bool import_has_bones(const struct aiScene *scene, const struct aiString *name);

const char *import_text(importer *im, const struct aiString *text); // NULL when out of memory
int import_find_node(const importer *im, const char *name, size_t length); // -1: none of that name
