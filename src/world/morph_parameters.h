// morph_parameters.h: the one list of morph's parameters and presets for scenes.
#pragma once

#include "wrought/morph.h"

#include "../base/parameter.h"

enum {
    WRI_MORPH_STIFFNESS,
    WRI_MORPH_DAMPING,
    WRI_MORPH_DRAG,
    WRI_MORPH_FREEDOM,
    WRI_MORPH_ELASTICITY,
    WRI_MORPH_BETWEEN,
    WRI_MORPH_TARGETS,
    WRI_MORPH_NEWMARK,
    WRI_MORPH_AIR,
    WRI_MORPH_TOUCH_POINTS,
    WRI_MORPH_PARAMETERS
};

enum { WRI_MORPH_REDUCED, WRI_MORPH_FULL };
static const char *const wri_morph_freedom_words[] = {"reduced", "full", NULL};
// In the order of wr_morph_elasticity and wr_morph_between.
static const char *const wri_morph_elasticity_words[] = {"linear", "stvk", NULL};
static const char *const wri_morph_between_words[] = {"shapes", "forces", NULL};

enum { WRI_MORPH_ALL_TARGETS, WRI_MORPH_NO_TARGETS };
static const char *const wri_morph_targets_words[] = {"all", "none", NULL};

static const wr_parameter wri_morph_parameters[WRI_MORPH_PARAMETERS] = {
    {"stiffness", "", 1e-4, 1e4, 1, "factor on the stiffness that its recipe says"},
    {"damping", "s", 0, 10, 0.01,
     "how fast strains die down, Rayleigh's beta: against the shape that belongs to the pose"},
    {"drag", "1/s", 0, 1e3, 0, "how fast it stops moving against its bones, Rayleigh's alpha"},
    {"freedom", "", 0, 1, 0,
     "reduced: it moves in the modes of its recipe, at a cost that does not depend on its mesh. "
     "full: every node moves for itself",
     .choices = wri_morph_freedom_words},
    {"elasticity", "", 0, 1, 0,
     "linear, or St. Venant and Kirchhoff's, whose forces are cubic polynomials of displacements",
     .choices = wri_morph_elasticity_words},
    {"between", "", 0, 1, 0,
     "what is interpolated between targets: shapes, whatever their stiffness, or forces, as the "
     "thesis does: stiff targets come early then",
     .choices = wri_morph_between_words},
    {"targets", "", 0, 1, 0, "all, or none: the model itself alone, to compare with",
     .choices = wri_morph_targets_words},
    {"newmark", "", 0.5, 1, 0.6,
     "gamma of Newmark's rule: 0.5 keeps the energy of every mode, more takes it out of fast "
     "ones"},
    {"air", "N s/m^3", 0, 1e4, 0,
     "how much air drags on its skin, per area and speed; the scene's `wind` moves it"},
    {"touch_points", "", 0, 20000, 300,
     "how many points of its skin feel what touches it, spread evenly; 0: it passes through all",
     .is_whole = true},
};

// The first is what is left out.
static const wr_preset wri_morph_presets[] = {
    {"muscle", "firm, and quickly at rest", NULL},
    {"jelly", "gives way at once, and wobbles on",
     WRI_VALUES({"stiffness", 0.3}, {"damping", 0.004})},
    {"fat", "soft and slow", WRI_VALUES({"stiffness", 0.4}, {"damping", 0.04})},
    {"rubber", "stiff, and bounces", WRI_VALUES({"stiffness", 4}, {"damping", 0.001})},
};
