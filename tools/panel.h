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

// The faces of a group, of "*" every group by itself, with the look that the cage says. What is
// closed already becomes solid; everything else gets an inner side and edges.
void skin_add(const skin *s, solid *to, const char *group, const panel *p);

// What is behind the gaps: all faces but those of look `without`, which may be NULL, and of groups
// that are closed already, as one shell of the solid's look.
void skin_add_core(const skin *s, solid *to, const char *without, const panel *p);
