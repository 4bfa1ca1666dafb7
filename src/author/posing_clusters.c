// posing_clusters.c: elements that share a rotation: k-means on their weights.
#include "posing.h"

#include <math.h>

enum { MEANS_ROUNDS = 12 };

// Computes the weights of an element: the mean of its corners.
static void element_weights(const wr_rig *rig, int element, double *out)
{
    int corners = rig->dimension + 1, count = rig->handle_count;
    memset(out, 0, (size_t)count * sizeof *out);
    for (int c = 0; c < corners; c++) {
        size_t v = (size_t)rig->elements[(size_t)element * (size_t)corners + (size_t)c];
        for (int b = 0; b < count; b++) {
            out[b] += (double)rig->weights[v * (size_t)count + (size_t)b] / corners;
        }
    }
}

// k-means over the rows of w.
typedef struct clustering {
    int element_count, dimension;
    double *w;     // a row of `dimension` weights per element
    double *far;   // squared distance of each element from the nearest seed
    double *means; // a row per cluster
    int *cluster;  // of each element
    int *members;  // elements of each cluster
} clustering;

static const double *weights_of(const clustering *c, int element)
{
    return c->w + (size_t)element * (size_t)c->dimension;
}

static double *mean_of(const clustering *c, int cluster)
{
    return c->means + (size_t)cluster * (size_t)c->dimension;
}

static double difference(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

// Picks the first centres: each is the element furthest from those before it. Returns how many
// differ.
static int seed_means(const clustering *c, int count)
{
    int found = 0;
    for (int pick = 0; found < count; found++) {
        double *mean = mean_of(c, found);
        memcpy(mean, weights_of(c, pick), (size_t)c->dimension * sizeof *mean);
        int next = -1;
        double best = 1e-12;
        for (int e = 0; e < c->element_count; e++) {
            double d = difference(weights_of(c, e), mean, c->dimension);
            c->far[e] = found == 0 || d < c->far[e] ? d : c->far[e];
            if (c->far[e] > best) {
                best = c->far[e];
                next = e;
            }
        }
        if (next < 0) {
            return found + 1;
        }
        pick = next;
    }
    return found;
}

static void assign(const clustering *c, int count)
{
    for (int e = 0; e < c->element_count; e++) {
        double best = INFINITY;
        for (int k = 0; k < count; k++) {
            double d = difference(weights_of(c, e), mean_of(c, k), c->dimension);
            if (d < best) {
                best = d;
                c->cluster[e] = k;
            }
        }
    }
}

static void move_means(const clustering *c, int count)
{
    size_t d = (size_t)c->dimension;
    memset(c->members, 0, (size_t)count * sizeof *c->members);
    for (int e = 0; e < c->element_count; e++) {
        double *mean = mean_of(c, c->cluster[e]);
        if (c->members[c->cluster[e]]++ == 0) {
            memset(mean, 0, d * sizeof *mean);
        }
        for (size_t i = 0; i < d; i++) {
            mean[i] += weights_of(c, e)[i];
        }
    }
    for (int k = 0; k < count; k++) {
        for (size_t i = 0; c->members[k] > 0 && i < d; i++) {
            mean_of(c, k)[i] /= c->members[k];
        }
    }
}

int wri_posing_find_clusters(const wr_rig *rig, int count, int *cluster,
                             const wr_allocator *allocator)
{
    wri_arena arena = wri_arena_create(allocator);
    size_t elements = (size_t)rig->element_count, d = (size_t)rig->handle_count;
    clustering c = {.element_count = rig->element_count,
                    .dimension = rig->handle_count,
                    .w = wri_arena_alloc(&arena, elements * d, sizeof(double)),
                    .far = wri_arena_alloc(&arena, elements, sizeof(double)),
                    .means = wri_arena_alloc(&arena, (size_t)count * d, sizeof(double)),
                    .cluster = cluster,
                    .members = wri_arena_alloc(&arena, (size_t)count, sizeof(int))};
    int found = 0;
    if (c.w && c.far && c.means && c.members) {
        for (int e = 0; e < rig->element_count; e++) {
            element_weights(rig, e, c.w + (size_t)e * d);
        }
        found = seed_means(&c, count);
        for (int round = 0; round < MEANS_ROUNDS; round++) {
            assign(&c, found);
            move_means(&c, found);
        }
    }
    wri_arena_destroy(&arena);
    return found;
}
