// tets.c: tetrahedra of the artist as a simulation mesh.
#include "lattice.h"

static double volume6(const wr_vec3 *positions, const int *t)
{
    double e[3][3];
    wr_vec3 o = positions[t[0]];
    for (int k = 0; k < 3; k++) {
        wr_vec3 p = positions[t[k + 1]];
        e[k][0] = (double)p.x - (double)o.x;
        e[k][1] = (double)p.y - (double)o.y;
        e[k][2] = (double)p.z - (double)o.z;
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static double mean_edge(const wr_tet_mesh *mesh)
{
    double sum = 0.0;
    for (int i = 0; i < mesh->tetrahedron_count; i++) {
        const int *t = &mesh->tetrahedra[4 * (size_t)i];
        sum += (double)wr_distance(mesh->positions[t[0]], mesh->positions[t[1]]);
    }
    return sum / mesh->tetrahedron_count;
}

static void take_tetrahedra(wr_lattice *lattice, const wr_tet_mesh *mesh, int *flipped)
{
    double total = 0.0;
    for (int i = 0; i < mesh->tetrahedron_count; i++) {
        const int *t = &mesh->tetrahedra[4 * (size_t)i];
        double volume = volume6(mesh->positions, t);
        if (volume == 0.0) {
            continue;
        }
        const int turned[4] = {t[0], t[1], t[3], t[2]};
        memcpy(&lattice->elements[4 * (size_t)lattice->element_count++], volume > 0.0 ? t : turned,
               sizeof turned);
        *flipped += volume < 0.0;
        total += fabs(volume) / 6.0;
    }
    lattice->report =
        (wr_lattice_report){.shells = 1, .parts = 1, .spacing = mean_edge(mesh), .volume = total};
}

wr_lattice *wri_lattice_from_tets(const wr_tet_mesh *mesh, const wr_allocator *allocator,
                                  int *flipped, wr_error *error)
{
    const wri_lattice_sizes sizes = {3, mesh->vertex_count, mesh->tetrahedron_count, 0, 0};
    wr_lattice *lattice = wri_lattice_allocate(&sizes, allocator, error);
    *flipped = 0;
    if (!lattice) {
        return NULL;
    }
    lattice->vertex_count = mesh->vertex_count;
    lattice->element_count = 0;
    memcpy(lattice->rest, mesh->positions, (size_t)mesh->vertex_count * sizeof(wr_vec3));
    take_tetrahedra(lattice, mesh, flipped);
    if (lattice->element_count == 0) {
        wri_fail(error, WR_E_FORMAT, "holds no tetrahedra with a volume");
        wr_lattice_destroy(lattice);
        return NULL;
    }
    return lattice;
}
