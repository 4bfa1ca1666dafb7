// atlas_generate.c: an atlas of projections: what faces the same side of a cube and is connected is
// a chart, unless it would cover itself.
#include "atlas.h"

#include "../math/double3.h"

enum { SIDES = 6, ROUNDS = 6 };

static const double STEEP = 0.35;   // least cosine of a facet's angle with its projection
static const double COMPANY = 0.6;  // what neighbours on the same side are worth, as a cosine
static const double OVERLAP = 1e-6; // of the size: see wri_tiles_overlap
static const double SMALL = 3e-3;   // of the area: charts that should be parts of others
static const double SLANTED = 0.2;  // least cosine of their facets then

typedef struct generator {
    const wri_facets *facets;
    wri_atlas *atlas;
    uint8_t *side, *next; // per facet: along which axis it is projected
    wri_tiles tiles[SIDES];
    int *queue;
} generator;

// Cosine of a facet's normal and a direction: x, -x, y, -y, z, -z.
static double cosine(const wri_facets *f, int facet, int side)
{
    double along = f->normal[facet][side / 2];
    return side % 2 ? -along : along;
}

static double half_length(const wri_facets *f, int half)
{
    return (double)wr_distance(f->topology.points[f->place[half]],
                               f->topology.points[f->place[wri_next_half(half)]]);
}

// The side a facet faces most, or one that its neighbours have and it does not face much less.
static uint8_t best_side(const generator *g, int facet, bool is_first)
{
    const wri_facets *f = g->facets;
    double score[SIDES], around = 0.0;
    for (int h = 3 * facet; h < 3 * facet + 3; h++) {
        around += half_length(f, h);
    }
    for (int s = 0; s < SIDES; s++) {
        score[s] = cosine(f, facet, s);
        bool is_steep = score[s] < STEEP && wri_dot3(f->normal[facet], f->normal[facet]) > 0.0;
        score[s] = is_steep ? -INFINITY : score[s];
    }
    for (int h = 3 * facet; !is_first && h < 3 * facet + 3; h++) {
        if (f->twin[h] >= 0) {
            score[g->side[f->twin[h] / 3]] += COMPANY * half_length(f, h) / around;
        }
    }
    uint8_t best = 0;
    for (uint8_t s = 1; s < SIDES; s++) {
        best = score[s] > score[best] ? s : best;
    }
    return best;
}

static void find_sides(generator *g)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < g->facets->count; i++) {
            g->next[i] = best_side(g, i, round == 0);
        }
        uint8_t *old = g->side;
        g->side = g->next;
        g->next = old;
    }
}

// --- small charts -----------------------------------------------------------------------------

// Facets that are connected and face one side.
typedef struct patch {
    int begin, end;       // of its facets in the queue
    double area;          // m^2
    double border[SIDES]; // metres, with neighbours of that side
    double least[SIDES];  // cosine of its facets
} patch;

static patch find_patch(generator *g, int seed, int begin, bool *met)
{
    const wri_facets *f = g->facets;
    patch p = {.begin = begin, .end = begin, .least = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}};
    g->queue[p.end++] = seed;
    met[seed] = true;
    for (int i = begin; i < p.end; i++) {
        int facet = g->queue[i];
        p.area += f->area[facet];
        for (int s = 0; s < SIDES; s++) {
            p.least[s] = fmin(p.least[s], cosine(f, facet, s));
        }
        for (int h = 3 * facet; h < 3 * facet + 3; h++) {
            int other = f->twin[h] < 0 ? -1 : f->twin[h] / 3;
            if (other >= 0 && g->side[other] != g->side[facet]) {
                p.border[g->side[other]] += half_length(f, h);
            } else if (other >= 0 && !met[other]) {
                met[other] = true;
                g->queue[p.end++] = other;
            }
        }
    }
    return p;
}

// Small patches go to the side that they have most border with, if they face it at all.
static bool merge_small(generator *g)
{
    const wri_facets *f = g->facets;
    double total = 0.0;
    bool *met = wri_arena_alloc(f->arena, (size_t)f->count, sizeof *met);
    for (int i = 0; met && i < f->count; i++) {
        total += f->area[i];
    }
    for (int i = 0, begin = 0; met && i < f->count; i++) {
        if (met[i]) {
            continue;
        }
        patch p = find_patch(g, i, begin, met);
        int best = -1;
        for (int s = 0; s < SIDES; s++) {
            bool may = p.border[s] > 0.0 && p.least[s] > SLANTED;
            best = may && (best < 0 || p.border[s] > p.border[best]) ? s : best;
        }
        for (int k = p.begin; p.area < SMALL * total && best >= 0 && k < p.end; k++) {
            g->side[g->queue[k]] = (uint8_t)best;
        }
        begin = p.end;
    }
    return met;
}

// --- charts -----------------------------------------------------------------------------------

// Counterclockwise for what faces the side.
static void project(const generator *g, int facet)
{
    const wri_facets *f = g->facets;
    int axis = g->side[facet] / 2, flip = g->side[facet] % 2;
    for (int k = 3 * facet; k < 3 * facet + 3; k++) {
        wr_vec3 p = f->topology.points[f->place[k]];
        const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
        g->atlas->uv[k][flip] = at[(axis + 1) % 3];
        g->atlas->uv[k][1 - flip] = at[(axis + 2) % 3];
    }
}

static bool create_tiles(generator *g)
{
    const wri_facets *f = g->facets;
    const wr_box *box = &f->topology.bounds;
    const double low[3] = {(double)box->min.x, (double)box->min.y, (double)box->min.z};
    const double high[3] = {(double)box->max.x, (double)box->max.y, (double)box->max.z};
    bool ok = true;
    for (int s = 0; s < SIDES; s++) {
        int flip = s % 2, u = (s / 2 + 1) % 3, v = (s / 2 + 2) % 3;
        const double min[2] = {low[flip ? v : u], low[flip ? u : v]};
        const double max[2] = {high[flip ? v : u], high[flip ? u : v]};
        ok = wri_tiles_create(&g->tiles[s], f->arena, min, max, f->count) && ok;
    }
    return ok;
}

// Takes a facet into a chart unless it covers what is there already. False: out of memory.
static bool take(generator *g, int facet, int chart, int *end)
{
    wri_tiles *tiles = &g->tiles[g->side[facet]];
    const double(*uv)[2] = (const double(*)[2])g->atlas->uv;
    double margin = OVERLAP * g->facets->topology.size;
    bool is_flat = wri_dot3(g->facets->normal[facet], g->facets->normal[facet]) == 0.0;
    if (!is_flat && wri_tiles_overlap(tiles, &uv[3 * facet], uv, chart, margin)) {
        return true;
    }
    g->atlas->chart[facet] = chart;
    g->queue[(*end)++] = facet;
    return is_flat || wri_tiles_add(tiles, &uv[3 * facet], facet, chart);
}

static bool grow_chart(generator *g, int seed)
{
    const wri_facets *f = g->facets;
    int chart = g->atlas->chart_count++, begin = 0, end = 0;
    bool ok = take(g, seed, chart, &end);
    while (ok && begin < end) {
        int facet = g->queue[begin++];
        for (int h = 3 * facet; ok && h < 3 * facet + 3; h++) {
            int other = f->twin[h] < 0 ? -1 : f->twin[h] / 3;
            if (other >= 0 && g->atlas->chart[other] < 0 && g->side[other] == g->side[facet]) {
                ok = take(g, other, chart, &end);
            }
        }
    }
    return ok;
}

static bool find_charts(generator *g)
{
    const wri_facets *f = g->facets;
    bool ok = create_tiles(g);
    for (int i = 0; i < f->count; i++) {
        project(g, i);
        g->atlas->chart[i] = -1;
    }
    for (int i = 0; ok && i < f->count; i++) {
        ok = g->atlas->chart[i] >= 0 || grow_chart(g, i);
    }
    for (int s = 0; s < SIDES; s++) {
        wri_tiles_destroy(&g->tiles[s]);
    }
    return ok;
}

bool wri_atlas_generate(wri_atlas *atlas, const wri_facets *f, int side, wr_error *error)
{
    size_t n = (size_t)f->count;
    generator g = {.facets = f, .atlas = atlas};
    *atlas = (wri_atlas){.side = side};
    atlas->chart = wri_arena_alloc(f->arena, n, sizeof *atlas->chart);
    atlas->uv = wri_arena_alloc(f->arena, 3 * n, sizeof *atlas->uv);
    g.side = wri_arena_alloc(f->arena, n, sizeof *g.side);
    g.next = wri_arena_alloc(f->arena, n, sizeof *g.next);
    g.queue = wri_arena_alloc(f->arena, n, sizeof *g.queue);
    if (!atlas->chart || !atlas->uv || !g.side || !g.next || !g.queue) {
        return wri_fail_memory(error, f->arena->total);
    }
    find_sides(&g);
    bool ok = true;
    for (int round = 0; round < 3 && ok; round++) {
        ok = merge_small(&g);
    }
    return ((ok && find_charts(&g)) || wri_fail_memory(error, f->arena->total)) &&
           wri_atlas_pack(atlas, f, error);
}
