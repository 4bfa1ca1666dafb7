// fracture_bar.h: a bar that may be cut, and scenes with it, for tests of metal that breaks.
#pragma once

#include "folder.h"

#include "../bench/metal_world.h"

// 0.8 x 0.2 x 0.16 m, painted; texture coordinates are x + 0.5, y + 0.5.
static const char bar_model[] =
    "mtllib bar.mtl\nv -0.4 -0.1 -0.08\nv 0.4 -0.1 -0.08\nv 0.4 0.1 -0.08\n"
    "v -0.4 0.1 -0.08\nv -0.4 -0.1 0.08\nv 0.4 -0.1 0.08\n"
    "v 0.4 0.1 0.08\nv -0.4 0.1 0.08\nvt 0.1 0.4\nvt 0.9 0.4\nvt 0.9 0.6\nvt 0.1 0.6\n"
    "vn 0 0 -1\nvn 0 0 1\nvn 0 -1 0\nvn 0 1 0\nvn -1 0 0\nvn 1 0 0\n"
    "usemtl paint\nf 4/4/1 3/3/1 2/2/1 1/1/1\nf 5/1/2 6/2/2 7/3/2 8/4/2\n"
    "f 1/1/3 2/2/3 6/2/3 5/1/3\nf 3/3/4 4/4/4 8/4/4 7/3/4\n"
    "f 1/1/5 5/1/5 8/4/5 4/4/5\nf 2/2/6 3/3/6 7/3/6 6/2/6\n";

static inline void write_file(const char *name, const char *text)
{
    wr_error error = {0};
    if (!wri_file_write(in_folder(name), text, strlen(text), &error)) {
        fail_msg("%s", error.message);
    }
}

// A recipe of the bar with these cuts; ' stands for ".
static inline void write_recipe(const char *name, const char *cuts)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{'wrought': 1, 'model': 'bar.obj', 'simulation': {'vertices': 350}, 'handles': "
             "{'automatic': 4}, 'examples': [{'name': 'dent', 'move': {'h0': [0, -0.06, 0], 'h1': "
             "[0, 0.05, 0.02], 'h2': [0.03, -0.05, 0], 'h3': [0, 0.06, 0]}}]%s%s}",
             *cuts ? ", 'cuts': " : "", cuts);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    write_file(name, text);
}

static inline int set_up_bar(void **state)
{
    int failed = set_up_with_cache(state);
    write_file("bar.mtl", "newmtl paint\nKd 0.7 0.2 0.1\n");
    write_file("bar.obj", bar_model);
    return failed;
}

static inline show start(const char *recipe, const char *text)
{
    show s = {0};
    wr_error error = {0};
    char assets[200];
    snprintf(assets, sizeof assets, "'bar': '%s.recipe.json'", recipe);
    if (!show_start(&s, in_folder("scene.json"), folder.path, assets, text, NULL, &error)) {
        fail_msg("%s", error.message);
    }
    return s;
}
