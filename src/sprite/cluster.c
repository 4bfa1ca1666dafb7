// cluster.c: the particles that stand for the others when a shape is projected onto the manifold.
//
// "Rotation clusters" (A. Jacobson et al. Fast automatic skinning transformations. SIGGRAPH 2012):
// particles with nearly the same weights move nearly alike, so one of each cluster is enough. Found
// by k-means over the weights, seeded by the farthest particle each time, so that nothing is
// random. To the weights of a particle its place is added, at half their size: a drawing with one
// handle, or with correctives alone, has clusters too.
#include "sprite.h"

static const double PLACE = 0.5, WORK = 2e9;
enum { ROUNDS_MAX = 20 };

typedef struct clustering {
    const wr_sprite_asset *asset;
    const wr_rig *rig;
    int F; // numbers per particle: a weight per handle, then the place
    double *means;
    int *label, *sizes;
    double *distance; // of every particle to its mean
} clustering;

static double feature(const clustering *c, int i, int k)
{
    const wr_sprite_asset *asset = c->asset;
    if (k < asset->B) {
        return (double)c->rig->weights[(size_t)i * (size_t)asset->B + (size_t)k];
    }
    return PLACE * (double)asset->rest[(k - asset->B) * asset->N + i] / (double)asset->L;
}

static double distance_to(const clustering *c, int i, int mean)
{
    double sum = 0.0;
    for (int k = 0; k < c->F; k++) {
        double d = feature(c, i, k) - c->means[mean * c->F + k];
        sum += d * d;
    }
    return sum;
}

// Gives particles that are nearer to this mean to it, and tells whether any changed.
static bool claim(const clustering *c, int mean)
{
    bool changed = false;
    for (int i = 0; i < c->asset->N; i++) {
        double d = distance_to(c, i, mean);
        if (d < c->distance[i]) {
            changed = changed || c->label[i] != mean;
            c->distance[i] = d;
            c->label[i] = mean;
        }
    }
    return changed;
}

// Starts every next mean from the particle farthest from all, and returns how many there are: fewer
// than wished where all particles are on means already.
static int seed(clustering *c, int count)
{
    for (int i = 0; i < c->asset->N; i++) {
        c->distance[i] = INFINITY;
    }
    for (int m = 0, far = 0; m < count; m++) {
        for (int i = 0; m > 0 && i < c->asset->N; i++) {
            far = c->distance[i] > c->distance[far] ? i : far;
        }
        if (m > 0 && !(c->distance[far] > 1e-12)) {
            return m;
        }
        for (int k = 0; k < c->F; k++) {
            c->means[m * c->F + k] = feature(c, far, k);
        }
        claim(c, m);
    }
    return count;
}

static void find_means(clustering *c, int count)
{
    memset(c->sizes, 0, (size_t)count * sizeof(int));
    memset(c->means, 0, (size_t)count * (size_t)c->F * sizeof(double));
    for (int i = 0; i < c->asset->N; i++) {
        c->sizes[c->label[i]]++;
        for (int k = 0; k < c->F; k++) {
            c->means[c->label[i] * c->F + k] += feature(c, i, k);
        }
    }
    for (int k = 0; k < count * c->F; k++) {
        int size = c->sizes[k / c->F];
        c->means[k] /= size > 0 ? size : 1;
    }
}

// Runs Lloyd's rounds, as many as the work allows.
static void settle(clustering *c, int count)
{
    double work = (double)c->asset->N * c->F * count;
    int rounds = (int)fmin(fmax(WORK / work, 1.0), ROUNDS_MAX);
    bool changed = true;
    for (int r = 0; r < rounds && changed; r++) {
        find_means(c, count);
        for (int i = 0; i < c->asset->N; i++) {
            c->distance[i] = distance_to(c, i, c->label[i]); // stays where no other is nearer
        }
        changed = false;
        for (int m = 0; m < count; m++) {
            changed = claim(c, m) || changed;
        }
    }
}

// Chooses the particle nearest to the mean of each; clusters that lost all are left out.
static void choose_representatives(wr_sprite_asset *asset, const clustering *c, int count)
{
    int kept = 0;
    for (int m = 0; m < count; m++) {
        int best = -1;
        for (int i = 0; i < asset->N; i++) {
            if (c->label[i] == m && (best < 0 || c->distance[i] < c->distance[best])) {
                best = i;
            }
        }
        if (best >= 0) {
            for (int i = 0; i < asset->N; i++) {
                c->label[i] = c->label[i] == m ? kept : c->label[i];
            }
            asset->clusters[kept++] = best;
        }
    }
    asset->cluster_count = kept;
}

// --- pairs ------------------------------------------------------------------------------------

static void join(const wr_sprite_asset *asset, const int *label, uint8_t *joined, int i, int j)
{
    int a = label[i], b = label[j], K = asset->cluster_count;
    if (a != b) {
        joined[(a < b ? a : b) * K + (a < b ? b : a)] = 1;
    }
}

static float length_of(const wr_sprite_asset *asset, const int *pair)
{
    float x = asset->rest[pair[0]] - asset->rest[pair[1]];
    float y = asset->rest[asset->N + pair[0]] - asset->rest[asset->N + pair[1]];
    return x * x + y * y;
}

// Adds a pair. When there is no more room the longest goes, which tells least about its
// surroundings.
static void add_pair(wr_sprite_asset *asset, int a, int b)
{
    int pair[2] = {asset->clusters[a], asset->clusters[b]}, at = asset->pair_count;
    if (at == WRI_SPRITE_PAIRS) {
        at = 0;
        for (int k = 1; k < WRI_SPRITE_PAIRS; k++) {
            at = length_of(asset, &asset->pairs[2 * k]) > length_of(asset, &asset->pairs[2 * at])
                     ? k
                     : at;
        }
        if (length_of(asset, &asset->pairs[2 * at]) <= length_of(asset, pair)) {
            return;
        }
        asset->pair_count--;
    }
    memcpy(&asset->pairs[2 * at], pair, sizeof pair);
    asset->pair_count++;
}

// Pairs clusters that touch, in the mesh or through a pin; where none do, each with the next.
static void find_pairs(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc, const int *label,
                       uint8_t *joined)
{
    int K = asset->cluster_count;
    for (int k = 0; k < 3 * asset->triangle_count; k++) {
        int next = k % 3 == 2 ? k - 2 : k + 1;
        join(asset, label, joined, asset->triangles[k], asset->triangles[next]);
    }
    for (int k = 0; k < 3 * desc->pin_count; k++) {
        const wr_pin *pin = &desc->pins[k / 3];
        join(asset, label, joined, pin->particle, pin->corners[k % 3]);
    }
    for (int k = 0; k < K * K; k++) {
        if (joined[k]) {
            add_pair(asset, k / K, k % K);
        }
    }
    for (int k = 0; asset->pair_count == 0 && k + 1 < K; k++) {
        add_pair(asset, k, k + 1);
    }
}

bool wri_sprite_find_clusters(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                              wri_arena *temporary)
{
    int count = desc->clusters < asset->N ? desc->clusters : asset->N;
    size_t N = (size_t)asset->N, K = (size_t)count;
    clustering c = {.asset = asset, .rig = desc->rig, .F = asset->B + 2};
    c.means = wri_arena_alloc(temporary, K * (size_t)c.F, sizeof(double));
    c.label = wri_arena_alloc(temporary, N, sizeof(int));
    c.sizes = wri_arena_alloc(temporary, K, sizeof(int));
    c.distance = wri_arena_alloc(temporary, N, sizeof(double));
    uint8_t *joined = wri_arena_alloc(temporary, K * K, 1);
    size_t pairs = K * K / 2 < WRI_SPRITE_PAIRS ? K * K / 2 : WRI_SPRITE_PAIRS;
    asset->clusters = wri_arena_alloc(&asset->arena, K, sizeof(int));
    asset->pairs = wri_arena_alloc(&asset->arena, pairs, 2 * sizeof(int));
    if (!c.means || !c.label || !c.sizes || !c.distance || !joined || !asset->clusters ||
        !asset->pairs) {
        return false;
    }
    count = seed(&c, count);
    settle(&c, count);
    choose_representatives(asset, &c, count);
    find_pairs(asset, desc, c.label, joined);
    return true;
}
