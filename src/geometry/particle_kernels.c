// particle_kernels.c: kernels that are flat where particles lie flat.
//
// After: J. Yu, G. Turk. Reconstructing surfaces of particle-based fluids using anisotropic
// kernels. ACM Transactions on Graphics 32, 2013. Particle i of radius r_i stands for the volume
// V_i = (2 r_i)^3. Around it, with d_ij = x_j - x_i,
//
//     w_ij = V_j (1 - |d_ij|^2 / R_ij^2)^3,   R_ij = NEAR (r_i + r_j)
//     m_i = sum_j w_ij d_ij / sum_j w_ij                                        (mean, their 6)
//     C_i = sum_j w_ij (d_ij d_ij^T + r_j^2 / 3) / sum_j w_ij - m_i m_i^T       (spread, their 9)
//
// The kernel is an ellipsoid about x_i + SMOOTHING m_i. Along eigenvector k of C_i it reaches
//
//     a_k = WIDTH r_i clamp(sqrt(C_k / C_full), FLATTEST, 1)
//
// where C_full is the spread of a neighbourhood that is filled on all sides. Its integral is V_i.
//
// Where we differ: r^2 / 3 is the spread of the cube that a particle stands for. So few neighbours
// make a kernel that is small and nearly round, without a threshold on their number; and every
// neighbour comes and goes with the weight 0. Everything here is continuous in all positions. They
// stretch kernels with the eigenvalue, we with its square root: the kernel is then as wide as what
// it stands for, and holes do not open between flat kernels at a border and round ones inside.
// Their SMOOTHING is 0.9 and more, which thins a sheet of two layers by a seventh.
#include "particle_kernels.h"

#include "../math/decompose.h"
#include "places.h"

enum {
    ROWS = 9,    // of three bins each, which are those around a bin
    GRAIN = 256, // particles in a task
};

#define NEAR 2.25
#define SMOOTHING 0.6
#define WIDTH 4.1
#define FLATTEST 0.55
#define LARGER 2.0             // own radii: larger neighbours count as if they had as much
#define POLY6 1.56668147106098 // 315 / (64 pi)

// A particle, in cells.
typedef struct site {
    double x[3], r;
} site;

typedef struct crowd {
    int count;
    wri_place *places; // sorted by bins that are as wide as the farthest neighbour is away
    site *sites;       // of the places
    wri_particle_kernel *kernels;
} crowd;

typedef struct range {
    int first, end;
} range;

typedef struct neighbourhood {
    double weight;       // of all together; then
    double mean[3];      // means over the weight
    double spread[3][3]; // its upper triangle
    double full;         // spread of a neighbourhood that is filled on all sides
} neighbourhood;

// --- neighbours -------------------------------------------------------------------------------

static site find_site(const wr_particles *p, int i, double cell)
{
    double r = (double)(p->radii ? p->radii[i] : p->radius);
    const float *x = &p->positions[i].x;
    return (site){{(double)x[0] / cell, (double)x[1] / cell, (double)x[2] / cell}, r / cell};
}

// Bins lie still in the frame of the particles, or sums would change their order with the first
// particle's place.
static void fill_places(crowd *c, const wr_particles *p, double cell)
{
    double largest = 0.0, low[3] = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < p->count; i++) {
        site s = find_site(p, i, cell);
        largest = fmax(largest, s.r);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], s.x[k]);
        }
    }
    double bin = 2.0 * NEAR * largest;
    for (int i = 0; i < p->count; i++) {
        site s = find_site(p, i, cell);
        int64_t at[3];
        for (int k = 0; k < 3; k++) { // counts from 1, so that there is one before
            at[k] = (int64_t)(floor(s.x[k] / bin) - floor(low[k] / bin)) + 1;
        }
        c->places[i] = (wri_place){wri_place_key(at[0], at[1], at[2]), i};
    }
    wri_sort_places(c->places, (size_t)p->count);
    for (int i = 0; i < p->count; i++) {
        c->sites[i] = find_site(p, c->places[i].particle, cell);
    }
}

static int find_place(const crowd *c, uint64_t key)
{
    return wri_find_key(c->places, sizeof *c->places, c->count, key);
}

static void find_rows(const crowd *c, uint64_t key, range rows[ROWS])
{
    for (int row = 0; row < ROWS; row++) {
        uint64_t middle = key + wri_place_key(0, row % 3, row / 3) - wri_place_key(0, 1, 1);
        rows[row] = (range){find_place(c, middle - 1), find_place(c, middle + 2)};
    }
}

// Adds what is w_ij of the sums above, per volume of the particle itself.
static void add_neighbour(neighbourhood *n, const site *own, const site *other)
{
    double most = LARGER * own->r, r = other->r < most ? other->r : most;
    double reach = NEAR * (own->r + r);
    double d[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        d[k] = other->x[k] - own->x[k];
        square += d[k] * d[k];
    }
    if (!(square < reach * reach)) {
        return;
    }
    double rest = 1.0 - square / (reach * reach), size = r / own->r;
    double w = rest * rest * rest * size * size * size;
    n->weight += w;
    n->full += w * (reach * reach / 11.0 + r * r / 3.0); // 1/11 is the spread of (1 - d^2)^3
    for (int k = 0; k < 3; k++) {
        n->mean[k] += w * d[k];
        n->spread[k][k] += w * r * r / 3.0;
        for (int l = k; l < 3; l++) {
            n->spread[k][l] += w * d[k] * d[l];
        }
    }
}

static neighbourhood look_around(const crowd *c, const site *own, const range rows[ROWS])
{
    neighbourhood n = {0};
    for (int row = 0; row < ROWS; row++) {
        for (int j = rows[row].first; j < rows[row].end; j++) {
            add_neighbour(&n, own, &c->sites[j]);
        }
    }
    n.full /= n.weight;
    for (int k = 0; k < 3; k++) {
        n.mean[k] /= n.weight;
    }
    for (int k = 0; k < 3; k++) {
        for (int l = k; l < 3; l++) {
            n.spread[k][l] = n.spread[k][l] / n.weight - n.mean[k] * n.mean[l];
        }
    }
    return n;
}

// --- kernels ----------------------------------------------------------------------------------

static wri_particle_kernel make_kernel(const site *own, const neighbourhood *n)
{
    wri_particle_kernel kernel;
    double l[3], q[3][3], form[3][3] = {0}, square[3] = {0}, volume = 1.0;
    wri_eigen3d(n->spread, l, q);
    for (int k = 0; k < 3; k++) {
        double part = fmin(fmax(sqrt(fmax(l[k], 0.0) / n->full), FLATTEST), 1.0);
        double a = WIDTH * own->r * part;
        volume *= WIDTH * part;
        for (int i = 0; i < 3; i++) {
            square[i] += q[i][k] * a * a * q[i][k];
            for (int j = i; j < 3; j++) {
                form[i][j] += q[i][k] / (a * a) * q[j][k];
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        kernel.center[k] = own->x[k] + SMOOTHING * n->mean[k];
        kernel.reach[k] = (float)sqrt(square[k]);
        kernel.form[k] = (float)form[k][k];
    }
    kernel.form[3] = (float)form[0][1];
    kernel.form[4] = (float)form[0][2];
    kernel.form[5] = (float)form[1][2];
    kernel.share = (float)(8.0 * POLY6 / volume);
    return kernel;
}

static void find_kernels(void *context, int task, int begin, int end)
{
    (void)task;
    const crowd *c = context;
    range rows[ROWS];
    for (int i = begin; i < end; i++) {
        if (i == begin || c->places[i].key != c->places[i - 1].key) {
            find_rows(c, c->places[i].key, rows);
        }
        neighbourhood n = look_around(c, &c->sites[i], rows);
        c->kernels[c->places[i].particle] = make_kernel(&c->sites[i], &n);
    }
}

wri_particle_kernel *wri_particle_kernels_find(const wr_particles *particles, double cell,
                                               const wr_tasks *tasks, wri_arena *arena)
{
    size_t count = (size_t)particles->count;
    crowd c = {.count = particles->count,
               .places = wri_arena_alloc(arena, count, sizeof *c.places),
               .sites = wri_arena_alloc(arena, count, sizeof *c.sites),
               .kernels = wri_arena_alloc(arena, count, sizeof *c.kernels)};
    if (!c.places || !c.sites || !c.kernels) {
        return NULL;
    }
    fill_places(&c, particles, cell);
    wri_parallel_for(tasks, c.count, GRAIN, find_kernels, &c);
    return c.kernels;
}
