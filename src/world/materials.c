// materials.c: registration. A new material is a new folder, its adapter and one line here.
#include "materials.h"

#include "../base/base.h"
#include "clay.h"
#include "flesh.h"
#include "metal.h"
#include "morph.h"
#include "sprite.h"

static const wr_material *const library[] = {
    &wri_metal_material, &wri_sprite_material, &wri_clay_material,
    &wri_flesh_material, &wri_morph_material,
};

int wri_material_count(void)
{
    return WRI_COUNT(library);
}

const wr_material *wri_material_at(int index)
{
    WR_ASSERT(index >= 0 && index < WRI_COUNT(library));
    return library[index];
}
