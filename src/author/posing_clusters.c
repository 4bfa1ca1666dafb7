// posing_clusters.c: elements that share a rotation: k-means on their weights.
#include "posing.h"

#include <math.h>

enum { MEANS_ROUNDS = 12 };

// Weights of an element: the mean of its corners.
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

static double difference(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

// The first centres: each is the element furthest from those before it. Returns how many differ.
static int seed_means(const double *w, int elements, int dimension, int count, double *means,
                      double *far)
{
    int found = 0;
    for (int pick = 0; found < count; found++) {
        memcpy(means + (size_t)found * (size_t)dimension, w + (size_t)pick * (size_t)dimension,
               (size_t)dimension * sizeof *means);
        int next = -1;
        double best = 1e-12;
        for (int e = 0; e < elements; e++) {
            double d = difference(w + (size_t)e * (size_t)dimension,
                                  means + (size_t)found * (size_t)dimension, dimension);
            far[e] = found == 0 || d < far[e] ? d : far[e];
            if (far[e] > best) {
                best = far[e];
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

static void assign(const double *w, int elements, int dimension, int count, const double *means,
                   int *cluster)
{
    for (int e = 0; e < elements; e++) {
        double best = INFINITY;
        for (int k = 0; k < count; k++) {
            double d = difference(w + (size_t)e * (size_t)dimension,
                                  means + (size_t)k * (size_t)dimension, dimension);
            if (d < best) {
                best = d;
                cluster[e] = k;
            }
        }
    }
}

static void move_means(const double *w, int elements, int dimension, int count, double *means,
                       const int *cluster, int *members)
{
    size_t d = (size_t)dimension;
    memset(members, 0, (size_t)count * sizeof *members);
    for (int e = 0; e < elements; e++) {
        double *mean = means + (size_t)cluster[e] * d;
        if (members[cluster[e]]++ == 0) {
            memset(mean, 0, d * sizeof *mean);
        }
        for (size_t i = 0; i < d; i++) {
            mean[i] += w[(size_t)e * d + i];
        }
    }
    for (int k = 0; k < count; k++) {
        for (size_t i = 0; members[k] > 0 && i < d; i++) {
            means[(size_t)k * d + i] /= members[k];
        }
    }
}

int wri_posing_find_clusters(const wr_rig *rig, int count, int *cluster,
                             const wr_allocator *allocator)
{
    wri_arena arena = wri_arena_create(allocator);
    size_t elements = (size_t)rig->element_count, d = (size_t)rig->handle_count;
    double *w = wri_arena_alloc(&arena, elements * d, sizeof *w);
    double *far = wri_arena_alloc(&arena, elements, sizeof *far);
    double *means = wri_arena_alloc(&arena, (size_t)count * d, sizeof *means);
    int *members = wri_arena_alloc(&arena, (size_t)count, sizeof *members), found = 0;
    if (w && far && means && members) {
        for (int e = 0; e < rig->element_count; e++) {
            element_weights(rig, e, w + (size_t)e * d);
        }
        found = seed_means(w, rig->element_count, (int)d, count, means, far);
        for (int round = 0; round < MEANS_ROUNDS; round++) {
            assign(w, rig->element_count, (int)d, found, means, cluster);
            move_means(w, rig->element_count, (int)d, found, means, cluster, members);
        }
    }
    wri_arena_destroy(&arena);
    return found;
}
