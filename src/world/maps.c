// maps.c: painted maps of an asset, where a body is drawn.
#include "maps.h"

#include "../base/base.h"

#include <math.h>

static float map_at(const wr_asset *asset, wr_map_kind kind, const wr_ride *ride)
{
    const wr_rig *rig = &asset->rig;
    int corners = rig->dimension + 1;
    double sum = 0.0;
    for (int k = 0; k < corners; k++) {
        int vertex = rig->elements[(size_t)ride->element * (size_t)corners + (size_t)k];
        sum += (double)ride->weights[k] * (double)asset->maps[kind][vertex];
    }
    return fmaxf((float)sum, 0.0f); // vertices may ride a little outside of an element
}

float *wri_map_at_vertices(const wr_material_desc *desc, wr_map_kind kind, bool *ok)
{
    const wr_asset *asset = desc->asset;
    if (!asset || !asset->maps[kind]) {
        return NULL;
    }
    int count = asset->rig.ride_count;
    WR_ASSERT(count + desc->added.count == desc->model->meshes->vertex_count);
    float *values = wr_scratch_push(desc->work.scratch, (size_t)desc->model->meshes->vertex_count,
                                    sizeof *values);
    for (int i = 0; values && i < count; i++) {
        values[i] = map_at(asset, kind, &asset->rig.rides[i]);
    }
    if (values) {
        wr_added_interpolate(&desc->added, 1, values);
    }
    *ok = *ok && values;
    return values;
}
