// solids.h: small simulation meshes for tests of handles, weights and posing.
#pragma once

#include "wrought/weights.h"

#include "check.h"

// A box of nx * ny * nz cells of the given size, six tetrahedra each, symmetric about its diagonal.
static inline wr_tet_mesh *make_grid(int nx, int ny, int nz, float cell)
{
    wr_error error = {0};
    wr_tet_mesh *mesh =
        wr_tet_mesh_create((nx + 1) * (ny + 1) * (nz + 1), 6 * nx * ny * nz, 0, NULL, &error);
    assert_non_null(mesh);
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    const int step[3] = {1, nx + 1, (nx + 1) * (ny + 1)};
    for (int v = 0; v < mesh->vertex_count; v++) {
        mesh->positions[v] =
            wr_v3(cell * (float)(v % (nx + 1)), cell * (float)(v / step[1] % (ny + 1)),
                  cell * (float)(v / step[2]));
    }
    int *out = mesh->tetrahedra;
    for (int c = 0; c < nx * ny * nz; c++) {
        int first = c % nx * step[0] + c / nx % ny * step[1] + c / nx / ny * step[2];
        for (int p = 0; p < 6; p++) {
            int v[4] = {first};
            for (int k = 0; k < 3; k++) {
                v[k + 1] = v[k] + step[paths[p][k]];
            }
            for (int k = 0; k < 4; k++) { // odd paths are turned over
                *out++ = v[p >= 3 && k >= 2 ? 5 - k : k];
            }
        }
    }
    return mesh;
}

// A square of n * n cells in the plane z = 0, cut criss-cross: symmetric in x and y.
static inline wr_tet_mesh *make_sheet(int n, float cell)
{
    wr_error error = {0};
    int corners = (n + 1) * (n + 1);
    wr_tet_mesh *mesh = wr_tet_mesh_create(corners + n * n, 0, 4 * n * n, NULL, &error);
    assert_non_null(mesh);
    for (int v = 0; v < corners; v++) {
        mesh->positions[v] = wr_v3(cell * (float)(v % (n + 1)), cell * (float)(v / (n + 1)), 0.0f);
    }
    int *out = mesh->triangles;
    for (int c = 0; c < n * n; c++) {
        int a = c % n + c / n * (n + 1), middle = corners + c;
        const int ring[5] = {a, a + 1, a + n + 2, a + n + 1, a};
        mesh->positions[middle] =
            wr_v3(cell * ((float)(c % n) + 0.5f), cell * ((float)(c / n) + 0.5f), 0.0f);
        for (int k = 0; k < 4; k++) {
            *out++ = ring[k];
            *out++ = ring[k + 1];
            *out++ = middle;
        }
    }
    return mesh;
}
