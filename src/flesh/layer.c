#include "layer.h"

#include "../math/double3.h"

#include <math.h>
#include <stdlib.h>

// Of three nodes a < b < c, the tetrahedra of their prism: the diagonals of its sides go from the
// skin of the smaller number to the core of the larger one, and so agree with the neighbours'.
static const int SPLIT[3][4] = {{0, 1, 2, 5}, {0, 1, 4, 5}, {0, 3, 4, 5}}; // + 3: on the core

typedef struct tetrahedron {
    int node[4]; // whose corner, or whose partner's
    bool is_skin[4];
    double at[4][3];       // metres
    double gradient[4][3]; // 1/m, of the shape functions
    double volume;         // m^3; < 0: inside out
} tetrahedron;

// --- tetrahedra -------------------------------------------------------------------------------

// Gradients are the rows of the inverse of the edges from corner 3.
static void find_gradients(tetrahedron *t)
{
    double edge[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            edge[i][k] = t->at[i][k] - t->at[3][k];
        }
    }
    double area[3];
    wri_cross3(edge[1], edge[2], area);
    double six = wri_dot3(edge[0], area);
    t->volume = six / 6.0;
    for (int i = 0; i < 3; i++) {
        wri_cross3(edge[(i + 1) % 3], edge[(i + 2) % 3], t->gradient[i]);
        for (int k = 0; k < 3; k++) {
            t->gradient[i][k] /= six;
            t->gradient[3][k] = (i == 0 ? 0.0 : t->gradient[3][k]) - t->gradient[i][k];
        }
    }
}

// Number `part` of the three of a triangle.
static tetrahedron tetrahedron_of(const wri_layer_desc *d, int triangle, int part)
{
    int a[3];
    memcpy(a, &d->triangles[3 * triangle], sizeof a);
    bool turned = false; // whether sorting changes the orientation
    for (int pass = 0; pass < 3; pass++) {
        int k = pass % 2;
        if (a[k] > a[k + 1]) {
            int swap = a[k];
            a[k] = a[k + 1];
            a[k + 1] = swap;
            turned = !turned;
        }
    }
    tetrahedron t;
    for (int i = 0; i < 4; i++) {
        int corner = SPLIT[part][i], node = a[corner % 3];
        wr_vec3 at = corner < 3 ? d->skin[node] : d->core[node];
        t.node[i] = node;
        t.is_skin[i] = corner < 3 && !(d->fixed && d->fixed[node]);
        t.at[i][0] = (double)at.x;
        t.at[i][1] = (double)at.y;
        t.at[i][2] = (double)at.z;
    }
    find_gradients(&t);
    // Seen from outside, skin above core, the three of a sorted counterclockwise prism have the
    // signs +, -, +.
    t.volume *= (part == 1) != turned ? -1.0 : 1.0;
    return t;
}

// --- places of the blocks ---------------------------------------------------------------------

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Sorts the neighbours of each node and drops those that come twice.
static void tidy_rows(wri_blocks *K, const int *room)
{
    int end = 0;
    for (int i = 0; i < K->count; i++) {
        int *row = &K->column[room[i]], length = K->begin[i];
        qsort(row, (size_t)length, sizeof *row, compare_ints);
        K->begin[i] = end;
        for (int k = 0; k < length; k++) {
            if (k == 0 || row[k] != row[k - 1]) {
                K->column[end++] = row[k];
            }
        }
    }
    K->begin[K->count] = end;
}

// begin[] counts while the rows are filled, each at its room.
static bool find_places(const wri_layer_desc *d, wri_arena *arena, wri_blocks *K)
{
    size_t n = (size_t)d->node_count;
    int *room = wri_arena_alloc(arena, n + 1, sizeof *room);
    K->count = d->node_count;
    K->begin = wri_arena_alloc(arena, n + 1, sizeof *K->begin);
    K->column = wri_arena_alloc(arena, n + 6 * (size_t)d->triangle_count, sizeof *K->column);
    if (!room || !K->begin || !K->column) {
        return false;
    }
    for (int i = 0; i < 3 * d->triangle_count; i++) {
        room[d->triangles[i] + 1] += 2;
    }
    for (int i = 0; i < d->node_count; i++) {
        room[i + 1] += room[i] + 1;
        K->column[room[i]] = i;
        K->begin[i] = 1;
    }
    for (int i = 0; i < 3 * d->triangle_count; i++) {
        int node = d->triangles[i];
        for (int k = 1; k < 3; k++) {
            int other = d->triangles[i / 3 * 3 + (i + k) % 3];
            K->column[room[node] + K->begin[node]++] = other;
        }
    }
    tidy_rows(K, room);
    K->value = wri_arena_alloc(arena, (size_t)K->begin[K->count], sizeof *K->value);
    return K->value;
}

// --- stiffness and mass -----------------------------------------------------------------------

static float *block_at(const wri_blocks *K, int row, int column)
{
    const int *begin = &K->column[K->begin[row]];
    size_t length = (size_t)(K->begin[row + 1] - K->begin[row]);
    const int *found = bsearch(&column, begin, length, sizeof *begin, compare_ints);
    return K->value[found - K->column];
}

// V (lambda g_a g_b^T + mu (g_b g_a^T + g_a.g_b I)) of linear elasticity.
static void add_stiffness(wri_blocks *K, const tetrahedron *t, double lambda, double mu)
{
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            if (!t->is_skin[a] || !t->is_skin[b]) {
                continue;
            }
            const double *g = t->gradient[a], *h = t->gradient[b];
            float *block = block_at(K, t->node[a], t->node[b]);
            for (int k = 0; k < 9; k++) {
                int r = k / 3, c = k % 3;
                double shear = g[c] * h[r] + (r == c ? wri_dot3(g, h) : 0.0);
                block[k] += (float)(t->volume * (lambda * g[r] * h[c] + mu * shear));
            }
        }
    }
}

static void add_mass(wri_layer *layer, const tetrahedron *t, double density)
{
    for (int i = 0; i < 4; i++) {
        float *mass = t->is_skin[i] ? layer->mass : layer->core_mass;
        mass[t->node[i]] += (float)(0.25 * density * t->volume);
    }
    layer->volume += t->volume;
}

static double young_of(const wri_layer_desc *d, int triangle)
{
    const int *a = &d->triangles[3 * triangle];
    const float *f = d->factors;
    return d->young * (f ? (double)(f[a[0]] + f[a[1]] + f[a[2]]) / 3.0 : 1.0);
}

// A tetrahedron that has a node twice, as skin and as its own partner.
static bool is_flat(const wri_layer_desc *d, const tetrahedron *t)
{
    bool flat = false;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            flat = flat || (t->node[i] == t->node[j] && d->fixed && d->fixed[t->node[i]]);
        }
    }
    return flat;
}

// Fixed nodes have no layer to hold them: something much stiffer does.
static void hold_fixed(const wri_layer_desc *d, wri_layer *layer)
{
    const double much = 1e4;
    double sum = 0.0;
    for (int i = 0; i < d->node_count; i++) {
        const float *block = block_at(&layer->K, i, i);
        sum += (double)(block[0] + block[4] + block[8]);
    }
    float hold = (float)fmax(much * sum / (3.0 * d->node_count), 1e-6 * d->young);
    for (int i = 0; d->fixed && i < d->node_count; i++) {
        float *block = block_at(&layer->K, i, i);
        for (int k = 0; k < 9 && d->fixed[i]; k += 4) {
            block[k] += hold;
        }
    }
}

bool wri_layer_build(const wri_layer_desc *d, wri_arena *arena, wri_layer *out, wr_error *error)
{
    *out = (wri_layer){0};
    out->mass = wri_arena_alloc(arena, (size_t)d->node_count, sizeof *out->mass);
    out->core_mass = wri_arena_alloc(arena, (size_t)d->node_count, sizeof *out->core_mass);
    if (!out->mass || !out->core_mass || !find_places(d, arena, &out->K)) {
        return wri_fail_memory(error, 0);
    }
    double poisson = (double)d->poisson;
    for (int triangle = 0; triangle < d->triangle_count; triangle++) {
        double E = young_of(d, triangle), mu = E / (2.0 * (1.0 + poisson));
        double lambda = E * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        for (int part = 0; part < 3; part++) {
            tetrahedron t = tetrahedron_of(d, triangle, part);
            if (is_flat(d, &t)) {
                continue;
            }
            if (!(t.volume > 0.0)) {
                return wri_fail(error, WR_E_ARGUMENT,
                                "triangle %d: the layer below it is turned inside out", triangle);
            }
            add_stiffness(&out->K, &t, lambda, mu);
            add_mass(out, &t, d->density);
        }
    }
    hold_fixed(d, out);
    return true;
}
