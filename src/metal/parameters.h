// parameters.h: the one list of metal's parameters and presets. What scenes may say, what the
// structs of metal.h have in them when nothing is said, and the ranges of both follow from it.
//
// The authors' scenes, in body sizes (their yield and alpha work per step; barrels are 0.76 m):
//     pachinko      bend 0.6   yield 0.03   reach 0.5   fade 0.2
//     loading dock  bend 0.9   yield 0.02   reach 0.4-2
//     cars          bend 3.6   yield 0.28   reach 0.7   fade 0.1
#pragma once

#include "wrought/metal.h"

#include "../base/parameter.h"

#include <math.h>

// The structs that have them: wr_metal_parameters and wr_metal_asset_desc.
enum { WRI_METAL_BODY, WRI_METAL_ASSET };
#define BODY(member) WRI_FIELD(WRI_METAL_BODY, wr_metal_parameters, member)
#define ASSET(member) WRI_FIELD(WRI_METAL_ASSET, wr_metal_asset_desc, member)

// Names in the order of wr_metal_yield, wr_metal_projection, wr_metal_norm, wr_metal_method and
// wr_metal_joined.
static const char *const wri_metal_yields[] = {"speed", "impulse", "length", NULL};
static const char *const wri_metal_projections[] = {"gradient", "inverse", "natural", NULL};
static const char *const wri_metal_norms[] = {"root", "one", "all", NULL};
static const char *const wri_metal_methods[] = {"default", "published", NULL};
static const char *const wri_metal_joins[] = {"bonds", "ties", NULL};
enum { WRI_METAL_COLLIDE_PIECES, WRI_METAL_COLLIDE_MESH };
static const char *const wri_metal_shapes[] = {"pieces", "mesh", NULL};

static const wr_parameter wri_metal_parameters[] = {
    {"bend", "", 0, 1000, 1.1,
     "how far it bends: weight of an example per unit of speed above the yield", .may_differ = true,
     BODY(bend)},
    {"yield", "fall speeds", 0, 1e9, 0.2,
     "how hard a hit must be to leave a dent; 1 is a fall from the body's own height; other units: "
     "see `yield_by`",
     "m/s", .may_differ = true, BODY(yield)},
    {"reach", "body sizes", 0.001, 100, 0.35, "how far a dent spreads along the body", "m",
     BODY(reach)},
    {"fade", "fall times", 0, 100, 0.2, "how long a dent takes to appear", "s", .may_differ = true,
     BODY(fade)},
    {"bounce", "", 0, 1, 0.3, "coefficient of restitution while it does not bend",
     .may_differ = true, BODY(bounce)},
    {"absorb", "", 0, 1000, 7,
     "how much a deformation reduces restitution, that of the hit itself included",
     .may_differ = true, BODY(absorb)},
    {"recover", "per fall time", 0, 1000, 0.4, "how fast restitution recovers", .may_differ = true,
     BODY(recover)},
    {"focus", "", 0, 1, 0, "1 prefers one example over a mixture of several", .may_differ = true,
     BODY(focus)},
    {"patch", "body sizes", 0, 10, 0.2, "contacts this close to each other count as one hit", "m",
     .may_differ = true, BODY(patch)},
    {"window", "fall times", 0, 10, 0.04, "contacts within this time count as one hit", "s",
     .may_differ = true, BODY(window)},
    {"carries", "body weights", 0, 1e6, 15, "steady load that never bends it", .may_differ = true,
     BODY(carries)},
    {"break", "fall speeds", 0, 1e9, 1,
     "how hard a hit must be to break it where the recipe has `cuts`, over a section as large as "
     "the body is on average: half the area breaks at half of it",
     "m/s", .may_differ = true, BODY(break_speed)},
    {"joined", "", 0, WR_METAL_JOINED_TIES, WR_METAL_JOINED_BONDS,
     "what holds the fragments together where the recipe has `cuts`: bonds within one rigid body, "
     "which carry what the motion of the whole asks of them; or ties, the paper's way: a joint of "
     "the engine at every vertex that fragments share, which give a little, tear one by one, and "
     "cost many times as much",
     NULL, wri_metal_joins, .may_differ = true, BODY(joined)},
    {"shard", "body sizes", 0, 100, 0,
     "fragments smaller than this are taken away some time after they came off; 0: none is", "m",
     .may_differ = true},
    {"shard_life", "fall times", 0, 1e6, 10, "that time", "s", .may_differ = true},
    {"wall", "m", 0, 100, 0, "thickness of a hollow body's walls, for its mass; 0: solid",
     WRI_FIELD_ZERO(WRI_METAL_ASSET, wr_metal_asset_desc, wall, INFINITY)},
    {"pieces", "", 1, 64, 12,
     "largest number of convex pieces for collision; more follow dents more closely and cost more",
     .is_whole = true, ASSET(pieces_max)},
    {"within", "body sizes", 0, 1, 0,
     "as many convex pieces as it takes for each to be this close to the skin in every example, on "
     "the inside of hollow bodies, too; of a body with `cuts` at most 64; 0: `pieces` decides",
     ASSET(within)},
    {"lambda", "", 0, 0.9999, 0,
     "the fraction of a dent still to come after each step, the paper's λ; 0: `fade` decides",
     .may_differ = true, WRI_FIELD_ZERO(WRI_METAL_BODY, wr_metal_parameters, lambda, NAN)},
    {"yield_by", "", 0, WR_METAL_YIELD_LENGTH, WR_METAL_YIELD_SPEED,
     "what is compared with `yield`: the change of velocity by a hit, summed over `window`; the "
     "impulse of each step in N s (the paper); the impulse times the time step over the mass, in m "
     "(its authors' program)",
     NULL, wri_metal_yields, .may_differ = true, BODY(yield_by)},
    {"projection", "", 0, WR_METAL_PROJECT_NATURAL, WR_METAL_PROJECT_GRADIENT,
     "how a hit becomes weights of examples: along the gradient, by as much as the hit was hard; "
     "by the pseudo-inverse; by the gradient itself (the paper's equations 8, 9, 10)",
     NULL, wri_metal_projections, .may_differ = true, BODY(projection)},
    {"norm", "", 0, WR_METAL_NORM_ALL, WR_METAL_NORM_ROOT,
     "what the change of all N vertices is divided by before it reduces restitution: √N, 1 (the "
     "paper), N (its authors' program); `absorb` must be scaled to match",
     NULL, wri_metal_norms, .may_differ = true, BODY(norm)},
    {"method", "", 0, WR_METAL_METHOD_PUBLISHED, WR_METAL_METHOD_DEFAULT,
     "published: the paper's step as it is printed, to compare with. Every impulse is a hit on the "
     "nearest vertex, rows are scaled to the sum 1 in every step, and less bounce is felt from the "
     "next step on; `yield_by` is then impulse or length",
     NULL, wri_metal_methods, .may_differ = true, BODY(method)},
    {"redirect", "", 0, 1, 0,
     "what becomes of a hit across all examples, which 0 lets pass: the share of it that bends the "
     "body the nearest way they allow",
     .may_differ = true, BODY(redirect)},
    {"collide", "", 0, WRI_METAL_COLLIDE_MESH, WRI_METAL_COLLIDE_PIECES,
     "what others collide with: convex pieces, or the triangles of the simulation mesh, which "
     "follow every dent but are slower and rest less quietly",
     NULL, wri_metal_shapes},
    {"steep", "reaches", 0, 1000, 0,
     "how deep a dent may become; about 0.3 keeps a body that is bent far over a small `reach` "
     "from folding through itself; 0: as deep as its examples",
     .may_differ = true, BODY(steep)},
    {"struck_by", "kg", 0, 1e12, 0,
     "mass of what it is meant to be hit by, of a body that is far heavier: it dents as if it "
     "weighed no more than that; 0: as its own mass says",
     .may_differ = true, WRI_FIELD_ZERO(WRI_METAL_BODY, wr_metal_parameters, struck_by, INFINITY)},
};

// Parameters that scenes cannot set.
static const wr_parameter wri_metal_hidden[] = {
    {"accuracy", "body sizes", 1e-9, 1, 1e-3, "steps smaller than this are saved up",
     BODY(accuracy)},
    {"refresh", "s", 0, 1e3, 1.0 / 60.0, "a bending body moves at most this often", BODY(refresh)},
};

#undef BODY
#undef ASSET

// The first is what is left out.
static const wr_preset wri_metal_presets[] = {
    {"thin steel", "dents from knocks, crumples from falls", NULL},
    {"thick steel", "only a hard hit leaves a mark, and a wide one",
     WRI_VALUES({"bend", 0.35}, {"yield", 0.6}, {"reach", 0.7}, {"fade", 0.12}, {"bounce", 0.4},
                {"absorb", 5}, {"recover", 0.6})},
    {"car body", "gives way early and far, loses its bounce",
     WRI_VALUES({"bend", 1.2}, {"yield", 0.25}, {"reach", 0.6}, {"fade", 0.15}, {"bounce", 0.2},
                {"absorb", 10}, {"recover", 0.3})},
    {"tin", "creases at a touch, close to where it was hit",
     WRI_VALUES({"bend", 1.4}, {"yield", 0.08}, {"reach", 0.25}, {"fade", 0.1}, {"bounce", 0.35},
                {"absorb", 6}, {"recover", 0.5})},
    {"lead", "flattens where it lands and stays there",
     WRI_VALUES({"bend", 1}, {"yield", 0.1}, {"fade", 0.3}, {"bounce", 0.02}, {"absorb", 12},
                {"recover", 0.1})},
    {"plastic bumper", "takes knocks, then bows as a whole, slowly",
     WRI_VALUES({"bend", 0.45}, {"yield", 0.45}, {"reach", 0.9}, {"fade", 0.4}, {"bounce", 0.55},
                {"absorb", 3}, {"recover", 1})},
    {"cast iron", "hardly gives",
     WRI_VALUES({"bend", 0.08}, {"yield", 1.2}, {"reach", 0.8}, {"fade", 0.05}, {"bounce", 0.45},
                {"absorb", 2}, {"recover", 1})},
};
