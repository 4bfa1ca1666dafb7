// sprite.h: the readers of what scenes say about sprites alone.
#pragma once

#include "materials.h"
#include "scene.h"
#include "sprite_tables.h"

extern const wri_material_reader wri_sprite_reader;

bool wri_read_manifold(wri_reader *reader, const wri_json *json, const wr_rig *rig,
                       wr_sprite_setup *setup);
// The vertex of a handle that can be nailed; value: its name.
bool wri_find_handle(wri_reader *reader, const wr_rig *rig, const wri_json *value, int *vertex);
// setup has the manifold and the nails; value: the words, or a file's name.
bool wri_read_controller(wri_reader *reader, const wri_json *value, const wr_scene_body *body,
                         const wr_sprite_setup *setup, const wr_controller_desc **desc);
