// parameters.h: the one list of flesh's parameters and presets for scenes.
#pragma once

#include "wrought/flesh.h"

#include "../base/parameter.h"

enum {
    WRI_FLESH_STIFFNESS,
    WRI_FLESH_POISSON,
    WRI_FLESH_DAMPING,
    WRI_FLESH_DRAG,
    WRI_FLESH_THICKNESS,
    WRI_FLESH_SPACING,
    WRI_FLESH_TEXELS,
    WRI_FLESH_FOLLOW,
    WRI_FLESH_JOINTS,
    WRI_FLESH_TORQUE,
    WRI_FLESH_BALANCE,
    WRI_FLESH_METHOD,
    WRI_FLESH_DETECTION,
    WRI_FLESH_PARAMETERS
};

enum { WRI_FLESH_EXACTLY, WRI_FLESH_BY_TORQUE };
static const char *const wri_flesh_follow_words[] = {"exactly", "by torque", NULL};
// In the order of wr_flesh_detection.
static const char *const wri_flesh_detection_words[] = {"exact", "raster", NULL};

enum { WRI_FLESH_EXACT, WRI_FLESH_PUBLISHED };
static const char *const wri_flesh_method_words[] = {"exact", "published", NULL};

static const wr_parameter wri_flesh_parameters[WRI_FLESH_PARAMETERS] = {
    {"stiffness", "own weights", 1e-2, 1e9, 40, "Young's modulus of the layer, E", "Pa"},
    {"poisson", "", 0, 0.45, 0.4, "Poisson's ratio: how much it gives way sideways"},
    {"damping", "own times", 0, 10, 0.01, "how fast strains die down, Rayleigh's beta", "s"},
    {"drag", "per own time", 0, 1e3, 0,
     "how fast the layer stops moving against its bone, Rayleigh's alpha", "1/s"},
    {"thickness", "sizes", 0, 10, 0,
     "of the layer; the size is the cube root of the volume. 0: a quarter of the way through the "
     "body. It is less where the body is thin",
     "m"},
    {"spacing", "usual spacings", 0, 100, 1,
     "longest distance of nodes along the skin: longer edges of the model are split, also where "
     "it is drawn. 1: so that a body has about 2000 nodes; 0: the model stays as it is",
     "m"},
    {"texels", "", 0, 1024, 0,
     "instead of `spacing`: nodes are the texels of a grid with so many along a side, over the "
     "model's UVs or an atlas that is made for it; 8 at least. 0: there is none",
     .is_whole = true, .excludes = "spacing"},
    {"follow", "", 0, 1, 0,
     "how its skeleton follows a `pose`: exactly, whatever is in its way, or by torque in its "
     "joints, with help with its balance",
     NULL, wri_flesh_follow_words},
    {"joints", "own torques", 0, 1e6, 0.3,
     "stiffness of its joints towards their places at rest, where it does not follow by torque; 1 "
     "gives way by a radian under the weight of what hangs on it"},
    {"torque", "own torques", 0, 1e6, 20,
     "stiffness of its joints towards the `pose`, by torque; without a `pose`, to that at rest"},
    {"balance", "own weights", 0, 1e3, 2,
     "largest force that pulls the root of its skeleton, or its only bone, to where the `pose` has "
     "it, by torque; without a `pose`, to where it starts. 0: it falls over",
     .may_differ = true},
    {"method", "", 0, 1, 0,
     "how bones and contacts are solved: exact, or published, by the approximations of the thesis, "
     "to compare with",
     NULL, wri_flesh_method_words},
    {"detection", "", 0, 1, 0,
     "how its skin finds other skin, and itself: nodes against triangles, or, where both say so, "
     "drawn on planes between them, as the thesis does",
     .choices = wri_flesh_detection_words, .may_differ = true},
};

// The first is what is left out.
static const wr_preset wri_flesh_presets[] = {
    {"muscle", "firm, and quickly at rest", NULL},
    {"rubber", "bounces, wobbles a little",
     WRI_VALUES({"stiffness", 150}, {"poisson", 0.45}, {"damping", 0.001})},
    {"tyre", "stiff, bulges where it is pressed",
     WRI_VALUES({"stiffness", 400}, {"damping", 0.003})},
    {"jelly", "gives way at once, and wobbles on",
     WRI_VALUES({"stiffness", 8}, {"poisson", 0.42}, {"damping", 0.004})},
    {"fat", "soft and slow", WRI_VALUES({"stiffness", 12}, {"damping", 0.06})},
};
