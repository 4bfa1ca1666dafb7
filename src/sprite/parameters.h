// parameters.h: the one list of a sprite's parameters and presets. From it follow the words of
// scenes, the settings of controllers, the defaults of the structs of sprite.h, the ranges of all
// of these, hashes and what snapshots keep.
#pragma once

#include "wrought/sprite.h"

#include "../base/parameter.h"

// The structs that have them: wr_sprite_parameters and wr_sprite_asset_desc.
enum { WRI_SPRITE_BODY, WRI_SPRITE_ASSET };
#define BODY(member) WRI_FIELD(WRI_SPRITE_BODY, wr_sprite_parameters, member)
#define ASSET(member) WRI_FIELD(WRI_SPRITE_ASSET, wr_sprite_asset_desc, member)

// In the order of wr_sprite_energy, but for WR_SPRITE_ENERGY_EXAMPLE, and of wr_sprite_aim.
static const char *const wri_sprite_ways[] = {"away", "along", NULL};
static const char *const wri_sprite_aims[] = {"none", "angle", "velocity", "axis", NULL};
static const char *const wri_sprite_turns[] = {"smooth", "spring", NULL};

// Left out: a body that keeps its look, squashes when it lands, gets back to itself within a
// quarter of a second and bounces to half the height it fell from.
static const wr_parameter wri_sprite_parameters[] = {
    {"firmness", "share", 0, 1, 0.9,
     "how far every neighbourhood returns to its shape in 1/60 s; 0 is a liquid",
     .may_differ = true, BODY(firmness)},
    {"hold", "share", 0, 1, 0.97,
     "how far the whole body returns to its shape in 1/60 s; low is limp", .may_differ = true,
     BODY(hold)},
    {"rounds", "", 1, 32, 4, "iterations of shape matching and contacts per step; more for stacks",
     .is_whole = true, .may_differ = true, BODY(rounds)},
    {"wobble", "share", 0, 1, 0.6, "fraction of its internal motion that is left after 1/60 s",
     .may_differ = true, BODY(wobble)},
    {"settle", "share", 0, 1, 0.15, "how far the pose returns to its goal in 1/60 s",
     .may_differ = true, BODY(settle)},
    {"give", "per (fall speed)²", 0, 1e6, 1,
     "how far a hit moves the pose: 1 is all the way, at a fall from the body's own height",
     .may_differ = true, BODY(give)},
    {"give_from", "(fall speed)²", 0, 1e6, 0.02, "hits weaker than this do not move the pose",
     .may_differ = true, BODY(give_from)},
    {"give_way", "", 0, WR_SPRITE_ENERGY_EXAMPLE, WR_SPRITE_ENERGY_AWAY,
     "where a hit moves the pose: away from its goal, or along the direction in which it already "
     "moves; the manifold's `give_to` overrides this",
     NULL, wri_sprite_ways, .may_differ = true, BODY(give_way)},
    {"stretch", "per fall speed", 0, 1e6, 0.15,
     "how far speed moves the pose towards the manifold's `stretch_to`", .may_differ = true,
     BODY(stretch)},
    {"bounce", "", 0, 10, 0.7,
     "how much of the momentum that the level takes comes back; 1 is all of it. For a sprite with "
     "two nails: a factor on the bounce of what lands on it. Free sprites do not bounce off one "
     "another",
     .may_differ = true, BODY(bounce)},
    {"release", "share", 1e-6, 1, 0.2, "fraction of that momentum that comes back in 1/60 s",
     .may_differ = true, BODY(release)},
    {"aim", "", 0, WR_SPRITE_AIM_AXIS, WR_SPRITE_AIM_NONE,
     "what it turns towards: nothing; `angle`; the direction `angle` of the drawing along its "
     "velocity; the same along or against it, whichever is nearer",
     NULL, wri_sprite_aims, .may_differ = true, BODY(aim)},
    {"angle", "deg", -36000, 36000, 0, "for `aim`, counterclockwise", .may_differ = true,
     .field = {WR_FIELD_ANGLE, WRI_SPRITE_BODY, offsetof(wr_sprite_parameters, angle)}},
    {"turn", "", 0, 1, 0,
     "how it turns there: like a damped spring, or by the paper's fraction of the way per step",
     NULL, wri_sprite_turns, .may_differ = true, BODY(smooth)},
    {"aim_strength", "per fall time", 0, 1e4, 8,
     "how fast it turns there; with the turn `spring` a share, at most 1", .may_differ = true,
     BODY(aim_strength)},
    {"drag", "per fall time", 0, 1e6, 0.02,
     "fraction of its velocity that the air takes; the manifold's `drag` has factors on it",
     .may_differ = true, BODY(drag)},
    {"gravity", "", -1000, 1000, 1, "factor on the scene's", .may_differ = true, BODY(gravity)},
    {"ring", "", 1, 8, 3,
     "particles up to this many edges away are matched to their shape together", .is_whole = true,
     ASSET(ring)},
    {"clusters", "", 2, 256, 16,
     "number of particles that stand for all when the nearest pose is sought", .is_whole = true,
     ASSET(clusters)},
};

// Parameters that scenes say elsewhere: a body's friction and its manifold. Only the asset knows
// which examples there are.
static const wr_parameter wri_sprite_hidden[] = {
    {"friction", "", 0, 100, 0.6, "against level and other sprites", BODY(friction)},
    {"give_example", "", -1e9, 1e9, -1, "where a hit moves the pose; -1: none", BODY(give_example)},
    {"stretch_example", "", -1e9, 1e9, -1, "where speed moves the pose; -1: none",
     BODY(stretch_example)},
};

#undef BODY
#undef ASSET

static const wr_preset wri_sprite_presets[] = {
    {"rubber ball", NULL,
     WRI_VALUES({"settle", 0.2}, {"give", 1.3}, {"bounce", 0.9}, {"release", 0.25},
                {"drag", 0.01})},
    {"jelly", NULL,
     WRI_VALUES({"firmness", 0.5}, {"hold", 0.5}, {"wobble", 0.95}, {"settle", 0.05}, {"give", 1.6},
                {"bounce", 0.3}, {"release", 0.12})},
    {"stiff card", NULL,
     WRI_VALUES({"firmness", 1}, {"hold", 1}, {"wobble", 0.2}, {"settle", 0.5}, {"give", 0.1},
                {"stretch", 0}, {"bounce", 0.2}, {"release", 0.5}, {"drag", 0.05})},
    {"cloth", NULL,
     WRI_VALUES({"firmness", 0.6}, {"hold", 0.05}, {"wobble", 0.8}, {"settle", 0.05}, {"give", 0.5},
                {"stretch", 0.05}, {"bounce", 0}, {"drag", 0.4})},
    {"springy", NULL,
     WRI_VALUES({"firmness", 0.8}, {"hold", 0.9}, {"wobble", 0.9}, {"settle", 0.08}, {"give", 2.5},
                {"stretch", 0.2}, {"bounce", 0.9}, {"release", 0.1}, {"drag", 0.01})},
};
