// materials.h: the materials that a scene may name.
#pragma once

#include "wrought/scene.h"

#include "../file/keys.h"

// NULL when there is none of that name. "rigid" is the absence of a material.
const wr_material *wri_find_material(const wr_scene_options *options, const char *name);

// Names of all materials, "rigid" first; returns how many were written.
int wri_material_names(const wr_scene_options *options, const char **names, int room);

// What a file may say for a parameter, and reading it: a number, a whole number, or a word's index.
wri_key wri_parameter_key(const wr_parameter *p);
bool wri_read_parameter(wri_reader *reader, const wri_json *value, const wr_parameter *p,
                        double *number);
