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
    wr_error *error;
} importer;

bool import_looks(importer *im);
bool import_nodes(importer *im); // with their meshes

// The meshes of one node as one. `place` is applied to it, NULL: none. No triangles: mesh is empty.
bool import_mesh(importer *im, const struct aiNode *node, const struct aiMatrix4x4 *place,
                 wr_mesh *mesh);

const char *import_text(importer *im, const struct aiString *text); // NULL when out of memory
