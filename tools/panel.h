// panel.h: sheets of metal and panes of glass cut out of a subdivided cage.
//
//     skin *s = skin_read("scenes/cages/car.obj", 2);
//     skin_add(s, &solid, "bonnet", &(panel){.gap = 0.004f, .thickness = 0.012f});
//     skin_destroy(s);
//
// The surface of a cage is one and smooth; each of its groups becomes a closed shell of its own, so
// that neighbouring panels line up and a gap is left between them. Errors end the program: this is
// a build tool.
#pragma once

#include "solid.h"

typedef struct skin skin;

skin *skin_read(const char *path, int levels);
void skin_destroy(skin *s);

typedef struct panel {
    float gap;                // metres that every edge of it stays away from its neighbour's
    float thickness;          // metres, inwards
    float bevel;              // metres by which the edges are rounded off
    float sink;               // metres by which all of it lies deeper than the cage's surface
    const char *const *looks; // NULL at the end: the solid's look is the number of the cage's one
} panel;

// All faces of the groups, whose names may be "*" for every one, with the look that the cage says.
// What is closed already becomes solid; everything else gets an inner side and edges.
void skin_add(const skin *s, solid *to, const char *group, const panel *p);
