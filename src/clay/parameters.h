// parameters.h: the one list of clay's parameters and presets. What scenes may say, what
// wr_clay_parameters has in it when nothing is said, and the ranges of both follow from it.
#pragma once

#include "wrought/clay.h"

#include "../base/parameter.h"

#include <math.h>

enum { WRI_CLAY_BODY };
#define BODY(member) WRI_FIELD(WRI_CLAY_BODY, wr_clay_parameters, member)
#define NEVER(member) WRI_FIELD_ZERO(WRI_CLAY_BODY, wr_clay_parameters, member, INFINITY)

static const char *const wri_clay_embeddings[] = {"linear", "nonlinear", "none", NULL};
static const char *const wri_clay_norms[] = {"shear", "full", NULL};
enum {
    WRI_CLAY_SURFACE_AUTO,
    WRI_CLAY_SURFACE_MODEL,
    WRI_CLAY_SURFACE_PARTICLES,
    WRI_CLAY_SURFACE_EMBEDDED
};
static const char *const wri_clay_surfaces[] = {"auto", "model", "particles", "embedded", NULL};
static const char *const wri_clay_steps[] = {"fixed", "auto", NULL};
static const char *const wri_clay_switch[] = {"on", "off", NULL};

static const wr_parameter wri_clay_parameters[] = {
    {"particles", "", WR_CLAY_PARTICLES_MIN, WR_CLAY_PARTICLES_MAX, 3000,
     "about how many it is made of; more follow finer shapes and cost more", .is_whole = true},
    {"stiffness", "own weights", 1e-3, 1e9, 100, "Young's modulus, the thesis' E", "Pa",
     BODY(stiffness)},
    {"poisson", "", 0, 0.49, 0.35, "Poisson's ratio: how much it gives way sideways",
     BODY(poisson)},
    {"yield", "own weights", 0, 1e9, 1,
     "stress from which on it does not come back, P_Y; 0: at once", "Pa", BODY(yield)},
    {"flow", "", 0, 0.9999, 0.2,
     "share of the stress above the yield that it forgets in a hundredth of its time, ν; 0: it is "
     "elastic",
     BODY(flow)},
    {"hardening", "", -100, 100, 0.04,
     "K: how much the yield grows per stress forgotten; below 0 it gets softer", BODY(hardening)},
    {"viscosity", "own weights x times", 0, 1e6, 0.2, "inner friction, η", "Pa s", BODY(viscosity)},
    {"implicit", "", 0, 1, 1,
     "viscosity is solved for: for large ones; from where it would need too many substeps on "
     "always",
     NULL, wri_clay_switch, BODY(implicit)},
    {"hourglass", "", 0, 10, 0.5, "ξ: resistance to what the deformation gradient does not see",
     BODY(hourglass)},
    {"embedding", "", 0, 2, WR_CLAY_EMBED_LINEAR,
     "how rest shapes are joined to find new neighbours", NULL, wri_clay_embeddings,
     BODY(embedding)},
    {"norm", "", 0, 1, WR_CLAY_NORM_SHEAR,
     "stress that is compared with `yield`: without pressure, or all of it (the thesis)", NULL,
     wri_clay_norms, BODY(norm)},
    {"resample", "", 0, 1, 0, "particles split where sparse and merge where dense", NULL,
     wri_clay_switch, BODY(resamples)},
    {"fuse", "", 0, 1, 1, "parts that were apart grow together where pressed", NULL,
     wri_clay_switch, BODY(fuses)},
    {"stick", "own weights", 0, 1e6, 0,
     "pull that its contacts hold; with other clay the lesser of both", "Pa", BODY(sticks)},
    {"surface", "", 0, 3, WRI_CLAY_SURFACE_AUTO,
     "what is drawn: the model, carried along; a surface around the particles, without textures; "
     "the model until a tenth of it has flowed to three times its length (auto); or the model in "
     "embedded space, where it started and without stress, for pictures of the method",
     NULL, wri_clay_surfaces},
    {"tear", "", 0, 1e6, 0, "stretch at which it tears, above 1; 0: never", NEVER(tears)},
    {"step", "", 0, 1, 1,
     "length of its substeps: what it needs, or for ever what it needs at the start (the thesis)",
     NULL, wri_clay_steps, BODY(keeps_step)},
};

#undef BODY
#undef NEVER

// The first is what is left out.
static const wr_preset wri_clay_presets[] = {
    {"clay", "keeps every mark, stands under its own weight", NULL},
    {"rubber", "comes back from everything",
     WRI_VALUES({"stiffness", 60}, {"poisson", 0.45}, {"flow", 0}, {"hardening", 0},
                {"viscosity", 0.1})},
    {"putty", "stands for a moment, then spreads",
     WRI_VALUES({"stiffness", 60}, {"yield", 0.1}, {"flow", 0.05}, {"hardening", 0},
                {"viscosity", 0.4})},
    {"chewing gum", "stretches far, sticks, stays",
     WRI_VALUES({"stiffness", 25}, {"poisson", 0.42}, {"yield", 0.4}, {"flow", 0.06},
                {"hardening", 0.02}, {"viscosity", 0.4}, {"stick", 1})},
    {"toffee", "stiff when hit, creeps when left",
     WRI_VALUES({"stiffness", 200}, {"yield", 0.02}, {"flow", 0.12}, {"hardening", 0},
                {"viscosity", 0.5})},
};
