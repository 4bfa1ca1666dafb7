// make_figures.c: models the figures of the demo scenes, and what is of clay: make_figures FOLDER
// writes FOLDER/*.glb, make_figures FOLDER NAME ... only these.
//
// The same program writes the same bytes every time.
#include "figure.h"

#include "wrought/file.h"
#include "../src/base/base.h"
#include "../src/base/os.h"

#include <stdio.h>
#include <string.h>

typedef struct maker {
    const char *name;
    wr_model *(*make)(void);
} maker;

static const maker MAKERS[] = {
    {"rabbit", make_rabbit},     {"hen", make_hen},       {"pig", make_pig},
    {"wall", make_wall},         {"loaf", make_loaf},     {"tyre", make_tyre},
    {"pumpkin", make_pumpkin},   {"tube", make_tube},     {"snake", make_snake},
    {"fish", make_fish},         {"deer", make_deer},     {"deer-light", make_deer_light},
    {"bird", make_bird},         {"hand", make_hand},     {"fist", make_fist},
    {"head", make_head},         {"gear", make_gear},     {"ridges", make_ridges},
    {"cylinder", make_cylinder}, {"roller", make_roller}, {"three-links", make_three_links},
    {"elbow", make_elbow},       {"diver", make_diver},   {"shoulder", make_shoulder},
    {"jelly", make_jelly},
};

static bool is_wanted(const char *name, int count, char **names)
{
    bool wanted = count == 0;
    for (int i = 0; i < count; i++) {
        wanted = wanted || strcmp(names[i], name) == 0;
    }
    return wanted;
}

static bool write(const maker *m, const char *folder, wr_error *error)
{
    wr_model *model = m->make();
    const wr_mesh *mesh = &model->meshes[0];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.glb", folder, m->name);
    bool ok = wr_model_write_glb(model, path, error);
    printf("%s: %d triangles, %d vertices\n", path, mesh->triangle_count, mesh->vertex_count);
    wr_model_destroy(model);
    return ok;
}

int main(int argc, char **argv)
{
    wr_error error = {0};
    if (argc < 2) {
        fputs("usage: make_figures FOLDER [NAME ...]\n", stderr);
        return 2;
    }
    bool ok = wri_folder_create(argv[1], &error);
    for (int i = 0; i < WRI_COUNT(MAKERS) && ok; i++) {
        if (is_wanted(MAKERS[i].name, argc - 2, argv + 2)) {
            ok = write(&MAKERS[i], argv[1], &error);
        }
    }
    if (!ok) {
        fprintf(stderr, "make_figures: %s\n", error.message);
    }
    return ok ? 0 : 1;
}
