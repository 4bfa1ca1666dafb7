// laplacian.c: the cotangent Laplacian and the lumped masses of tetrahedra or triangles.
//
//     L_ij = sum over elements of |e| grad h_i . grad h_j                               (a)
//     M_ii = sum over elements of |e| / corners                                         (b)
// with |e| the volume or area and h the hat functions: the cotangent weights in 2D and 3D, written
// without angles.
#include "laplacian.h"

// An element whose volume is under this part of its longest edge to the power of the dimension is
// flat: float positions cannot tell its angles.
#define FLAT 1e-7

static void corner(const wri_elements *mesh, int element, int k, double size, double out[3])
{
    wr_vec3 p = mesh->positions[mesh->elements[(size_t)element * (size_t)(mesh->dimension + 1) +
                                               (size_t)k]];
    out[0] = p.x / size;
    out[1] = p.y / size;
    out[2] = p.z / size;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Finds the edges from corner 0; returns the square of the longest edge of all.
static double find_edges(const wri_elements *mesh, int element, double size, double e[3][3])
{
    double p[4][3], longest = 0.0;
    int corners = mesh->dimension + 1;
    for (int k = 0; k < corners; k++) {
        corner(mesh, element, k, size, p[k]);
        for (int j = 0; j < k; j++) {
            double d[3] = {p[k][0] - p[j][0], p[k][1] - p[j][1], p[k][2] - p[j][2]};
            longest = fmax(longest, dot(d, d));
        }
        for (int a = 0; k > 0 && a < 3; a++) {
            e[k - 1][a] = p[k][a] - p[0][a];
        }
    }
    return longest;
}

bool wri_element_gradients(const wri_elements *mesh, int element, double size,
                           double gradients[4][3], double *measure)
{
    double e[3][3], n[3], longest = find_edges(mesh, element, size, e);
    int dimension = mesh->dimension;
    cross(e[0], e[1], n);
    if (dimension == 2) { // the third edge is the normal
        double length = sqrt(dot(n, n));
        *measure = 0.5 * length;
        for (int a = 0; a < 3; a++) {
            e[2][a] = length > 0.0 ? n[a] / length : 0.0;
        }
    } else {
        *measure = fabs(dot(n, e[2])) / 6.0;
    }
    double limit = FLAT * (dimension == 2 ? longest : longest * sqrt(longest));
    if (!(*measure > limit)) {
        return false;
    }
    double determinant = dot(n, e[2]);
    memset(gradients, 0, 4 * sizeof *gradients);
    for (int k = 0; k < dimension; k++) { // rows of the inverse of the edges
        cross(e[(k + 1) % 3], e[(k + 2) % 3], gradients[k + 1]);
        for (int a = 0; a < 3; a++) {
            gradients[k + 1][a] /= determinant;
            gradients[0][a] -= gradients[k + 1][a];
        }
    }
    return true;
}

// Writes the two entries of an edge, and takes them from the diagonal.
static void put_edge(wri_triplet *out, double *diagonal, int i, int j, double weight)
{
    out[0] = (wri_triplet){i, j, weight};
    out[1] = (wri_triplet){j, i, weight};
    diagonal[i] -= weight;
    diagonal[j] -= weight;
}

static void put_element(wri_laplacian *l, const wri_elements *mesh, int element, double size,
                        wri_triplet *out, double *diagonal)
{
    double g[4][3], e[3][3], measure;
    int corners = mesh->dimension + 1;
    const int *v = &mesh->elements[(size_t)element * (size_t)corners];
    bool sound = wri_element_gradients(mesh, element, size, g, &measure);
    double length = sqrt(find_edges(mesh, element, size, e));
    double weak = -0.05 * (mesh->dimension == 3 ? length : 1.0);
    for (int j = 1; j < corners; j++) {
        for (int i = 0; i < j; i++, out += 2) {
            put_edge(out, diagonal, v[i], v[j], sound ? measure * dot(g[i], g[j]) : weak); // (a)
        }
        l->mass[v[j]] += measure / corners; // (b)
    }
    l->mass[v[0]] += measure / corners;
    l->measure += measure;
    l->flat_count += !sound;
}

bool wri_laplacian_create(wri_laplacian *out, wri_arena *arena, const wri_elements *mesh,
                          double size)
{
    size_t n = (size_t)mesh->vertex_count, per_element = mesh->dimension == 3 ? 12 : 6;
    size_t count = (size_t)mesh->element_count * per_element + n;
    const wr_allocator *allocator = &arena->allocator;
    wri_triplet *entries = wri_alloc(allocator, count, sizeof *entries);
    double *diagonal = wri_alloc(allocator, n, sizeof *diagonal);
    *out = (wri_laplacian){.mass = wri_arena_alloc(arena, n, sizeof(double))};
    bool ok = entries && diagonal && out->mass;
    for (int i = 0; ok && i < mesh->element_count; i++) {
        put_element(out, mesh, i, size, &entries[(size_t)i * per_element], diagonal);
    }
    double least = ok && n > 0 ? 1e-8 * out->measure / (double)n : 0.0;
    for (size_t i = 0; ok && i < n; i++) {
        out->mass[i] = fmax(out->mass[i], least > 0.0 ? least : 1.0);
        entries[count - n + i] = (wri_triplet){(int)i, (int)i, diagonal[i]};
    }
    ok = ok && wri_sparse_create(&out->stiffness, arena, (int)n, entries, count);
    wri_free(allocator, entries, count, sizeof *entries);
    wri_free(allocator, diagonal, n, sizeof *diagonal);
    return ok;
}

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

int wri_find_parts(const wri_elements *mesh, int *part, const wr_allocator *allocator)
{
    size_t n = (size_t)mesh->vertex_count;
    int corners = mesh->dimension + 1, count = 0, *parent = wri_alloc(allocator, n, sizeof *parent);
    if (!parent) {
        return -1;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        parent[i] = i;
    }
    for (int i = 0; i < mesh->element_count * corners; i++) {
        int a = find_root(parent, mesh->elements[i]);
        int b = find_root(parent, mesh->elements[i - i % corners]);
        parent[a > b ? a : b] = a < b ? a : b; // the first vertex is the root
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        int root = find_root(parent, i);
        part[i] = root == i ? count++ : part[root];
    }
    wri_free(allocator, parent, n, sizeof *parent);
    return count;
}
