// tets.c: tetrahedra of the artist as a simulation mesh.
#include "lattice.h"

static double volume6(const wr_vec3 *p, const int *t)
{
    wr_vec3 o = p[t[0]], a = wr_sub(p[t[1]], o), b = wr_sub(p[t[2]], o), c = wr_sub(p[t[3]], o);
    return (double)wr_dot(wr_cross(a, b), c);
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

// A face belongs to the outside when no second tetrahedron has it; its vertices are then on it.
static bool mark_boundary(wr_lattice *lattice, const wr_tet_mesh *mesh, wr_error *error)
{
    wr_model *surface = wr_tet_mesh_create_surface(mesh, NULL, error);
    if (!surface) {
        return false;
    }
    // The surface keeps its vertices in order, so that walking along both finds them.
    const wr_mesh *shell = surface->meshes;
    for (int v = 0, k = 0; v < lattice->vertex_count && k < shell->vertex_count; v++) {
        lattice->is_boundary[v] =
            memcmp(&lattice->rest[v], &shell->positions[k], sizeof(wr_vec3)) == 0;
        k += lattice->is_boundary[v];
    }
    wr_model_destroy(surface);
    return true;
}

wr_lattice *wri_lattice_from_tets(const wr_tet_mesh *mesh, const wr_allocator *allocator,
                                  int *flipped, wr_error *error)
{
    *flipped = 0;
    if (mesh->tetrahedron_count == 0) {
        wri_fail(error, WR_E_ARGUMENT, "it has triangles only, expected tetrahedra");
        return NULL;
    }
    const wri_lattice_sizes sizes = {3, mesh->vertex_count, mesh->tetrahedron_count, 0, 0};
    wr_lattice *lattice = wri_lattice_allocate(&sizes, allocator, error);
    if (!lattice) {
        return NULL;
    }
    lattice->vertex_count = mesh->vertex_count;
    lattice->element_count = mesh->tetrahedron_count;
    memcpy(lattice->rest, mesh->positions, (size_t)mesh->vertex_count * sizeof(wr_vec3));
    double total = 0.0;
    for (int i = 0; i < mesh->tetrahedron_count; i++) {
        int *t = &lattice->elements[4 * (size_t)i];
        memcpy(t, &mesh->tetrahedra[4 * (size_t)i], 4 * sizeof *t);
        double volume = volume6(mesh->positions, t);
        if (volume < 0.0) { // turned, not dropped: most files agree with themselves
            int last = t[3];
            t[3] = t[2], t[2] = last;
            ++*flipped;
        }
        total += fabs(volume) / 6.0;
    }
    lattice->report =
        (wr_lattice_report){.shells = 1, .parts = 1, .spacing = mean_edge(mesh), .volume = total};
    if (!(total > 0.0) || !mark_boundary(lattice, mesh, error)) {
        if (!(total > 0.0)) {
            wri_fail(error, WR_E_ARGUMENT, "its tetrahedra have no volume");
        }
        wr_lattice_destroy(lattice);
        return NULL;
    }
    return lattice;
}
