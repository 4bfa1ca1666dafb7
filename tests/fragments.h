// fragments.h: measures of the render meshes of fragments.
#pragma once

#include "check.h"

#include "../src/author/key_table.h"
#include "../src/base/base.h"
#include "wrought/asset.h"

// The triangles of one fragment; the caller frees them.
static inline wr_mesh mesh_of(const wr_asset *asset, int fragment)
{
    wr_mesh mesh = *asset->model->meshes;
    mesh.triangles = calloc(3 * (size_t)mesh.triangle_count, sizeof *mesh.triangles);
    mesh.triangle_count = 0;
    for (int i = 0; i < asset->model->meshes->triangle_count; i++) {
        const int *t = &asset->model->meshes->triangles[3 * i];
        int own = wr_fragment_of(&asset->fracture, &asset->rig, asset->rig.rides[t[0]].element);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(
                own, wr_fragment_of(&asset->fracture, &asset->rig, asset->rig.rides[t[k]].element));
        }
        if (own == fragment) {
            memcpy(&mesh.triangles[3 * mesh.triangle_count++], t, 3 * sizeof *t);
        }
    }
    return mesh;
}

static inline double volume_of(const wr_mesh *mesh)
{
    double sum = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        double p[3][3];
        for (int k = 0; k < 3; k++) {
            wr_vec3 v = mesh->positions[mesh->triangles[3 * i + k]];
            p[k][0] = v.x, p[k][1] = v.y, p[k][2] = v.z;
        }
        sum += (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
               6.0;
    }
    return sum;
}

// As many edges one way as the other between any two places: nothing is open.
static inline void check_no_hole(const wr_mesh *mesh)
{
    wri_key_table places = wri_key_table_create(NULL), edges = wri_key_table_create(NULL);
    wri_array balance = wri_array_create(NULL, sizeof(int));
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        int ends[2];
        for (int k = 0; k < 2; k++) {
            wr_vec3 p = mesh->positions[mesh->triangles[i / 3 * 3 + (i + k) % 3]];
            p = wr_add(p, wr_v3(0, 0, 0));
            ends[k] = wri_key_table_add(&places, wri_hash(&p, sizeof p, 0));
        }
        int low = ends[0] < ends[1] ? ends[0] : ends[1], high = ends[0] + ends[1] - low;
        int edge = wri_key_table_add(&edges, (uint64_t)low << 32 | (uint32_t)high);
        if (edge == balance.count) {
            wri_array_add(&balance, 1);
        }
        WRI_ITEM(balance, int, edge) += ends[0] == ends[1] ? 0 : ends[0] < ends[1] ? 1 : -1;
    }
    for (int i = 0; i < balance.count; i++) {
        assert_int_equal(WRI_ITEM(balance, int, i), 0);
    }
    wri_key_table_destroy(&places);
    wri_key_table_destroy(&edges);
    wri_array_destroy(&balance);
}
