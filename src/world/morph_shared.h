// morph_shared.h: what the bodies of one asset of morph share.
#pragma once

#include "morph.h"

enum { WRI_MORPH_DENSITY = 1000 }; // kg/m^3, of which recipes are built; a scene scales it

typedef struct wri_morph_shared {
    wr_allocator allocator;
    wr_morph_data *data; // in metres and kilograms of the scene's bodies
    wr_morph_model *model;
    wr_record_skin skin;
    wr_record_bone *bones;
    int *nodes;    // of the skin: every vertex is one
    int *touching; // vertices that feel what touches them
    int touching_count, touching_room;
    double size; // m: cube root of the volume
    double mass; // kg
} wri_morph_shared;

void *wri_morph_create_shared(const wr_material_desc *desc, wr_error *error);
void wri_morph_destroy_shared(void *shared);
bool wri_morph_can_share(const wr_material_desc *a, const wr_material_desc *b);
