// make_drawings.c: draws the sprites of the demo scenes: make_drawings FOLDER writes FOLDER/*.png.
//
// It says of layers where they are on their canvas, as recipes want to know. The same program
// writes the same bytes every time.
#include "drawings.h"

#include "../src/base/os.h"

#include <stdio.h>

enum { MARGIN = 2 }; // pixels

typedef struct picture {
    const char *name;
    sketch (*draw)(void);
    bool cut; // down to what is drawn: layers
} picture;

static const picture pictures[] = {
    {"ball", draw_ball},
    {"brick", draw_brick},
    {"i-beam", draw_beam},
    {"rope", draw_rope},
    {"snake", draw_snake},
    {"spring", draw_spring},
    {"box", draw_box},
    {"cannon-barrel", draw_cannon_barrel, true},
    {"cannon-carriage", draw_cannon_carriage, true},
    {"catapult-frame", draw_catapult_frame, true},
    {"catapult-arm", draw_catapult_arm, true},
    {"ragdoll-arm-far", draw_doll_arm_far, true},
    {"ragdoll-leg-far", draw_doll_leg_far, true},
    {"ragdoll-body", draw_doll_body, true},
    {"ragdoll-leg-near", draw_doll_leg_near, true},
    {"ragdoll-jacket", draw_doll_jacket, true},
    {"ragdoll-head", draw_doll_head, true},
    {"ragdoll-arm-near", draw_doll_arm_near, true},
};

int main(int argc, char **argv)
{
    wr_error error = {0};
    if (argc != 2) {
        fputs("usage: make_drawings FOLDER\n", stderr);
        return 2;
    }
    if (!wri_folder_create(argv[1], &error)) {
        fprintf(stderr, "make_drawings: %s\n", error.message);
        return 1;
    }
    for (int i = 0; i < WRI_COUNT(pictures); i++) {
        const picture *p = &pictures[i];
        char path[4096];
        int at[2], size[2];
        snprintf(path, sizeof path, "%s/%s.png", argv[1], p->name);
        sketch s = p->draw();
        sketch_write(&s, path, p->cut ? MARGIN : s.width + s.height, at, size);
        printf("%s: %d x %d pixels at %d %d\n", path, size[0], size[1], at[0], at[1]);
        sketch_destroy(&s);
    }
    return 0;
}
