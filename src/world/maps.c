// maps.c: painted maps of an asset, where a body is drawn.
#include "maps.h"

#include "../base/base.h"
#include "../file/asset.h"

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
        values[i] = wri_asset_map_at(asset, kind, i);
    }
    if (values) {
        wr_added_interpolate(&desc->added, 1, values);
    }
    *ok = *ok && values;
    return values;
}
