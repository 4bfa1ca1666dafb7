// make_props.c: builds the props of the demo scenes from their cages and from parts:
// make_props CAGES FOLDER writes FOLDER/*.glb.
//
// Lengths in metres, +Y up. Every prop is one mesh of closed shells with a look per material and no
// texture. The same program writes the same bytes every time.
#include "props.h"

#include "wrought/file.h"
#include "../src/base/os.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    typedef wr_model *make_fn(const char *cages);
    make_fn *const makers[] = {make_car,      make_crane,      make_bridge,
                               make_big_ship, make_small_ship, make_cannonball};
    wr_error error = {0};
    if (argc != 3) {
        fputs("usage: make_props CAGES FOLDER\n", stderr);
        return 2;
    }
    if (!wri_folder_create(argv[2], &error)) {
        stop(error.message);
    }
    for (int i = 0; i < WRI_COUNT(makers); i++) {
        wr_model *model = makers[i](argv[1]);
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.glb", argv[2], model->name);
        if (!wr_model_write_glb(model, path, &error)) {
            stop(error.message);
        }
        printf("%s: %d triangles, %d vertices\n", path, model->meshes[0].triangle_count,
               model->meshes[0].vertex_count);
        wr_model_destroy(model);
    }
    return 0;
}
