// renew.h: what wr_mesh_renew_normals finds out about a mesh, kept for many shapes of it.
#pragma once

#include "wrought/geometry.h"

#include "../base/base.h"

// Vertices at one place with one normal.
typedef struct wri_normal_groups {
    int count;
    int *of_vertex;
} wri_normal_groups;

// Bytes that wri_normal_groups_renew needs, for a mesh with the groups at hand.
size_t wri_normal_groups_memory(const wri_normal_groups *groups);

// False: out of memory.
bool wri_normal_groups_find(wri_normal_groups *groups, const wr_mesh *mesh,
                            const wr_vec3 *rest_normals, wri_arena *arena);
// See wr_mesh_renew_normals; memory: of the size above, with any content.
void wri_normal_groups_renew(const wri_normal_groups *groups, const wr_mesh *mesh,
                             const wr_vec3 *rest_normals, const wr_vec3 *positions, void *memory,
                             wr_vec3 *normals);
