// make_figures.c: models the figures of the demo scenes, and what is of clay: make_figures FOLDER
// writes FOLDER/*.glb.
//
// The same program writes the same bytes every time.
#include "figure.h"

#include "wrought/file.h"
#include "../src/base/base.h"
#include "../src/base/os.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    typedef wr_model *make_fn(void);
    make_fn *const makers[] = {make_rabbit, make_hen, make_pig, make_wall, make_loaf};
    wr_error error = {0};
    if (argc != 2) {
        fputs("usage: make_figures FOLDER\n", stderr);
        return 2;
    }
    bool ok = wri_folder_create(argv[1], &error);
    for (int i = 0; i < WRI_COUNT(makers) && ok; i++) {
        wr_model *model = makers[i]();
        const wr_mesh *mesh = &model->meshes[0];
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.glb", argv[1], model->name);
        ok = wr_model_write_glb(model, path, &error);
        printf("%s: %d triangles, %d vertices\n", path, mesh->triangle_count, mesh->vertex_count);
        wr_model_destroy(model);
    }
    if (!ok) {
        fprintf(stderr, "make_figures: %s\n", error.message);
    }
    return ok ? 0 : 1;
}
