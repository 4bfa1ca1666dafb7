// asset_fragment.c: the render mesh of one fragment of an asset, as a model of its own.
#include "asset.h"

void wri_asset_fragment_range(const wr_asset *asset, int fragment, int *first, int *count)
{
    const wr_rig *rig = &asset->rig;
    int begin = 0, end;
    while (begin < rig->ride_count &&
           wr_fragment_of(&asset->fracture, rig, rig->rides[begin].element) < fragment) {
        begin++;
    }
    for (end = begin; end < rig->ride_count &&
                      wr_fragment_of(&asset->fracture, rig, rig->rides[end].element) == fragment;
         end++) {
    }
    *first = begin;
    *count = end - begin;
}

// Triangles whose vertices are in the range, part by part.
static bool copy_triangles(const wr_mesh *from, int first, int count, wri_arena *arena,
                           wr_mesh *mesh)
{
    int kept = 0;
    for (int i = 0; i < from->triangle_count; i++) {
        int v = from->triangles[3 * (size_t)i] - first;
        kept += v >= 0 && v < count;
    }
    mesh->triangles = wri_arena_alloc(arena, (size_t)kept, 3 * sizeof(int));
    mesh->parts = wri_arena_alloc(arena, (size_t)from->part_count, sizeof *mesh->parts);
    if (!mesh->triangles || !mesh->parts) {
        return false;
    }
    mesh->triangle_count = mesh->part_count = 0;
    for (int p = 0; p < from->part_count; p++) {
        const wr_mesh_part *part = &from->parts[p];
        wr_mesh_part own = {mesh->triangle_count, 0, part->look};
        for (int i = 0; i < part->triangle_count; i++) {
            const int *t = &from->triangles[3 * (size_t)(part->first_triangle + i)];
            if (t[0] >= first && t[0] < first + count) {
                for (size_t k = 0; k < 3; k++) {
                    mesh->triangles[3 * (size_t)mesh->triangle_count + k] = t[k] - first;
                }
                mesh->triangle_count++;
                own.triangle_count++;
            }
        }
        if (own.triangle_count > 0) {
            mesh->parts[mesh->part_count++] = own;
        }
    }
    return true;
}

wr_model *wri_asset_fragment(const wr_asset *asset, int fragment, float scale, wri_arena *arena)
{
    WR_ASSERT(fragment >= 0 && fragment < asset->fracture.fragment_count && scale > 0.0f);
    int first, count;
    wri_asset_fragment_range(asset, fragment, &first, &count);
    wr_model *model = wri_arena_alloc(arena, 1, sizeof *model);
    wr_mesh *mesh = wri_arena_alloc(arena, 1, sizeof *mesh);
    wr_vec3 *positions = wri_arena_alloc(arena, (size_t)count, sizeof *positions);
    if (!model || !mesh || !positions) {
        return NULL;
    }
    const wr_mesh *from = asset->model->meshes;
    *model = *asset->model; // looks, images and the node are the asset's
    *mesh = *from;
    model->meshes = mesh;
    model->memory = NULL;
    for (int i = 0; i < count; i++) {
        positions[i] = wr_scale(scale, from->positions[first + i]);
    }
    mesh->vertex_count = count;
    mesh->positions = positions;
    mesh->normals = from->normals ? from->normals + first : NULL;
    mesh->uvs = from->uvs ? from->uvs + first : NULL;
    mesh->colors = from->colors ? from->colors + first : NULL;
    return copy_triangles(from, first, count, arena, mesh) ? model : NULL;
}
