// convert.c: what Assimp read as a model.
#include "import.h"

const char *import_text(importer *im, const struct aiString *text)
{
    size_t length = text->length < sizeof text->data ? text->length : 0;
    char *copy = wri_arena_text(wri_model_arena(im->model), text->data, length);
    if (!copy) {
        wri_fail_memory(im->error, length + 1);
    }
    return copy;
}

bool import_scene(importer *im)
{
    const struct aiScene *scene = im->scene;
    if (!scene->mRootNode || scene->mNumMeshes == 0) {
        return wri_fail(im->error, WR_E_FORMAT, "holds no triangles");
    }
    im->model->name = wri_model_stem(im->model, im->path);
    return (im->model->name || wri_fail_memory(im->error, strlen(im->path))) && import_looks(im) &&
           import_nodes(im) && import_clips(im);
}
