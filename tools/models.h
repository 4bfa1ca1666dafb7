// models.h: the demo models, and what they are painted with.
#pragma once

#include "solid.h"

wr_model *make_crate(void);
wr_model *make_barrel(void);
wr_model *make_container(void);
wr_model *make_beam(void);
wr_model *make_bar(void);

static const rgb RUST = {0.36f, 0.19f, 0.10f};

void stop(const char *message);

// look_count looks to fill in and one texture to paint.
wr_model *start_model(const char *name, int look_count, canvas *texture);
wr_look textured(const char *name, float roughness, float metallic);

// Paint over steel: `bare` in [0, 1] says how far the paint is gone, first to primer and rust, then
// to blank metal where something rubs.
rgb worn(rgb paint, float bare, float rubbed, float grain);
rgb iron(wr_vec3 at, uint32_t seed);
rgb iron_bar(float u, float v, uint32_t seed);

void add_block(solid *s, wr_vec3 at, wr_vec3 half, float bevel, area where);
