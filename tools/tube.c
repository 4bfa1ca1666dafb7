// tube.c: a soft tube of five links.
#include "figure.h"
#include "../src/base/base.h"

enum { BLUE, YELLOW, COLORS };

static const figure_color colors[COLORS] = {
    [BLUE] = {"blue", {0.18f, 0.42f, 0.66f}, 0.6f},
    [YELLOW] = {"yellow", {0.93f, 0.76f, 0.24f}, 0.6f},
};

// The joint is where the link meets its parent.
#define LINK(number, of, z0, z1, paint)                                                            \
    {                                                                                              \
        .name = "link " number, .parent = of, .from = {0, 0.061f, z0}, .to = {0, 0.061f, z1},      \
        .radius = {0.06f, 0.06f}, .color = paint                                                   \
    }

static const figure_part parts[] = {
    LINK("3", NULL, -0.1f, 0.1f, BLUE),       LINK("4", "link 3", 0.1f, 0.3f, YELLOW),
    LINK("5", "link 4", 0.3f, 0.44f, BLUE),   LINK("2", "link 3", -0.1f, -0.3f, YELLOW),
    LINK("1", "link 2", -0.3f, -0.44f, BLUE),
};

wr_model *make_tube(void)
{
    return figure_make(&(figure){.name = "tube",
                                 .parts = parts,
                                 .part_count = WRI_COUNT(parts),
                                 .colors = colors,
                                 .color_count = COLORS,
                                 .fine = 0.0395f,
                                 .coarse = 0.0415f,
                                 .cell = 0.02f,
                                 .smooth = 2});
}
