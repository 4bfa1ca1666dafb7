// flesh_texels.c: nodes of flesh from the texels of its model.
#include "flesh_texels.h"

#include "../base/base.h"

#include <stdio.h>

enum { MOST_NODES = 100000 };

static const float COARSE = 0.02f; // of the size: how far off of its texels a model may be drawn

static void warn_of_limit(const wr_material_desc *desc, int wanted, int side)
{
    char text[512];
    if (desc->log.write) {
        snprintf(text, sizeof text,
                 "%.200s%sbody \"%.100s\" has %d texels along a side, not %d as wanted: it would "
                 "have more than %d nodes",
                 desc->place ? desc->place : "", desc->place ? ": " : "", desc->name, side, wanted,
                 MOST_NODES);
        desc->log.write(desc->log.user, text);
    }
}

// Its vertices ride on triangles of texels, some way off where these are coarse; and it is the
// texels that touch things.
static void warn_of_coarse(const wr_material_desc *desc, const wr_texels *texels)
{
    const wr_mesh *mesh = desc->model->meshes;
    wr_box box = wr_mesh_bounds(mesh);
    float farthest = 0.0f, size = wr_length(wr_sub(box.max, box.min));
    for (int i = 0; i < texels->ride_count; i++) {
        farthest = fmaxf(farthest, wr_length(texels->rides[i].offset));
    }
    char text[512];
    if (desc->log.write && farthest > COARSE * size) {
        snprintf(text, sizeof text,
                 "%.200s%sbody \"%.100s\" has %d texels along a side, too few for its shape: it is "
                 "drawn up to %.0f %% of its size off of what touches things",
                 desc->place ? desc->place : "", desc->place ? ": " : "", desc->name, texels->side,
                 100.0 * (double)(farthest / size));
        desc->log.write(desc->log.user, text);
    }
}

// Where fewer would not do either, the first reason counts.
static wr_texels *sample(const wr_material_desc *desc, int side, wr_error *error)
{
    wr_texels_desc texels = wr_texels_desc_default();
    texels.mesh = desc->model->meshes;
    texels.vertex_limit = MOST_NODES;
    texels.allocator = desc->allocator;
    texels.side = side;
    wr_error why = {0};
    wr_texels *out = wr_texels_create(&texels, error);
    while (!out && error->code == WR_E_LIMIT && texels.side > WR_TEXELS_SIDE_MIN &&
           (why.code == WR_OK || why.code == WR_E_LIMIT)) {
        texels.side -= 1 + texels.side / 8;
        out = wr_texels_create(&texels, &why);
    }
    *error = out ? (wr_error){0} : *error;
    return out;
}

wr_texels *wri_flesh_sample(const wr_material_desc *desc, double side, wr_error *error)
{
    if (side == 0.0) {
        return NULL;
    }
    if (!(side >= WR_TEXELS_SIDE_MIN && side <= WR_TEXELS_SIDE_MAX)) {
        wri_fail(error, WR_E_ARGUMENT, "\"texels\" is %g, expected %d to %d, or 0", side,
                 WR_TEXELS_SIDE_MIN, WR_TEXELS_SIDE_MAX);
        return NULL;
    }
    wr_texels *texels = sample(desc, (int)side, error);
    if (texels && texels->side < (int)side) {
        warn_of_limit(desc, (int)side, texels->side);
    }
    if (texels) {
        warn_of_coarse(desc, texels);
    }
    return texels;
}
