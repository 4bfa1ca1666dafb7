// tube.c: soft tubes of five and of three links.
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

static const figure_part three_parts[] = {
    LINK("2", NULL, -0.15f, 0.15f, YELLOW),
    LINK("3", "link 2", 0.15f, 0.44f, BLUE),
    LINK("1", "link 2", -0.15f, -0.44f, BLUE),
};

static const figure five = {.name = "tube",
                            .parts = parts,
                            .part_count = WRI_COUNT(parts),
                            .colors = colors,
                            .color_count = COLORS,
                            .fine = 0.0395f,
                            .coarse = 0.0415f,
                            .cell = 0.02f,
                            .smooth = 2};

wr_model *make_tube(void)
{
    return figure_make(&five);
}

wr_model *make_three_links(void)
{
    figure three = five;
    three.name = "three-links";
    three.parts = three_parts;
    three.part_count = WRI_COUNT(three_parts);
    three.fine = 0.0275f;
    three.coarse = 0.029f;
    three.cell = 0.014f;
    three.smooth = 5;
    return figure_make(&three);
}
