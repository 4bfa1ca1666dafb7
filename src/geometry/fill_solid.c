// fill_solid.c: the inside of a soup of triangles as tiles of cells.
//
// An octree, level by level. A node without surface in its ball inherits its side from one winding
// number; the others are divided, down to tiles of a few spacings and within them to cells. A cell
// that the surface cuts counts as the part of a slab that the plane through the nearest point of
// the surface leaves: where that plane is the only one near, the error is of second order.
#include "fill.h"

enum { GRAIN = 64, CHUNK = 1024, LEVELS = 20 };

typedef enum side { SIDE_OUT, SIDE_IN, SIDE_MIXED } side;

typedef struct node {
    float center[3], half; // half an edge
    float winding;
    float distance; // distance of the centre to the surface
    side side;
} node;

typedef struct builder {
    const wri_soup *soup;
    const wri_fill_size *size;
    const wr_tasks *tasks;
    const node *parents;
    const int *offsets; // of the children of each parent, 1 or 8
    node *children;
    wri_fill_sample *samples; // CHUNK * WRI_TILE_SAMPLES
    int *counts;
    float (*range)[2]; // least and most winding number in a tile
} builder;

// --- nodes ------------------------------------------------------------------------------------

static bool is_clear(const node *n)
{
    return fabsf(n->winding) < 0.1f || fabsf(n->winding) > 0.9f;
}

// Far from the surface the winding number hardly changes; near a hole it does so over the distance
// to the hole's border.
static side find_side(const node *n)
{
    float w = fabsf(n->winding), radius = n->half * sqrtf(3.0f);
    bool fair = w < 0.3f || w > 0.7f;
    if (n->distance > radius && (is_clear(n) || (fair && n->distance > 3.0f * radius))) {
        return w >= 0.5f ? SIDE_IN : SIDE_OUT;
    }
    return SIDE_MIXED;
}

static node child_of(const node *parent, int k)
{
    float h = 0.5f * parent->half;
    return (node){{parent->center[0] + (k & 1 ? h : -h), parent->center[1] + (k & 2 ? h : -h),
                   parent->center[2] + (k & 4 ? h : -h)},
                  h,
                  parent->winding,
                  parent->distance,
                  parent->side};
}

// Finds distance and winding number of a child that has its parent's. The winding number stays when
// the balls around both centres that are free of surface meet. Distances beyond what find_side asks
// for are cut off.
static wri_soup_point measure(const builder *b, node *n)
{
    const double p[3] = {n->center[0], n->center[1], n->center[2]};
    float way = n->half * sqrtf(3.0f), free = n->distance, most = is_clear(n) ? way : 3.0f * way;
    most *= 1.001f;
    wri_soup_point near = wri_soup_nearest_within(b->soup, p, (double)most);
    n->distance = near.triangle >= 0 ? (float)sqrt(near.distance2) : most;
    if (!is_clear(n) || free + n->distance <= way) {
        n->winding = (float)wri_winding(b->soup, p, WRI_FILL_ACCURACY);
    }
    return near;
}

static bool is_tile(const builder *b, const node *n)
{
    float s = wri_fill_size_at(b->size, n->center);
    return 2.0f * n->half <= 1.001f * (float)WRI_TILE_SIDE / WRI_FILL_CELLS * s;
}

static void divide(void *context, int block, int begin, int end)
{
    (void)block;
    builder *b = context;
    for (int i = begin; i < end; i++) {
        node *out = &b->children[b->offsets[i]];
        if (b->offsets[i + 1] - b->offsets[i] == 1) {
            *out = b->parents[i];
            continue;
        }
        for (int k = 0; k < 8; k++) {
            out[k] = child_of(&b->parents[i], k);
            if (out[k].side == SIDE_MIXED) {
                measure(b, &out[k]);
                out[k].side = find_side(&out[k]);
            }
        }
    }
}

// One level: divides every node that is larger than a tile. Returns how many nodes there are then;
// -1 when out of memory.
static int divide_level(builder *b, wri_arena *arena, int count, bool *done)
{
    int *offsets = wri_arena_alloc(arena, (size_t)count + 1, sizeof *offsets);
    if (!offsets) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        offsets[i + 1] = offsets[i] + (is_tile(b, &b->parents[i]) ? 1 : 8);
    }
    *done = offsets[count] == count;
    b->children = wri_arena_alloc(arena, (size_t)offsets[count], sizeof *b->children);
    if (!b->children) {
        return -1;
    }
    b->offsets = offsets;
    wri_parallel_for(b->tasks, count, GRAIN, divide, b);
    int kept = 0;
    for (int i = 0; i < offsets[count]; i++) {
        if (b->children[i].side != SIDE_OUT) {
            b->children[kept++] = b->children[i];
        }
    }
    b->parents = b->children;
    return kept;
}

// --- cells ------------------------------------------------------------------------------------

// The cell as a slab across the direction to the surface, at distance d from its middle: the part
// (h + d) / 2h lies on this side. Where both sides are inside, shells overlap or touch; the other
// side is asked only when the middle of the octant is not there.
static wri_fill_sample cut_cell(const builder *b, const node *octant, const node *cell,
                                const wri_soup_point *near)
{
    const float *c = cell->center;
    float h = cell->half, d = cell->distance, whole = 8.0f * h * h * h;
    bool inside = fabsf(cell->winding) >= 0.5f,
         differs = inside != (fabsf(octant->winding) >= 0.5f);
    wri_fill_sample s = {{c[0], c[1], c[2]}, inside ? whole : 0.0f};
    if (d >= h) {
        return s;
    }
    if (d <= 0.0f) {
        s.volume = 0.5f * whole;
        return s;
    }
    double n[3], beyond[3];
    for (int k = 0; k < 3; k++) {
        n[k] = (near->point[k] - (double)c[k]) / (double)d;
        beyond[k] = near->point[k] + 0.5 * (double)h * n[k];
    }
    if (!differs && inside == (fabs(wri_winding(b->soup, beyond, WRI_FILL_ACCURACY)) >= 0.5)) {
        return s;
    }
    for (int k = 0; k < 3; k++) {
        s.p[k] += 0.5f * (inside ? d - h : d + h) * (float)n[k];
    }
    s.volume = whole * 0.5f * (inside ? h + d : h - d) / h;
    return s;
}

typedef struct collected {
    wri_fill_sample *samples;
    int count;
    float *range;
} collected;

static void add_sample(collected *c, const node *n, wri_fill_sample s)
{
    if (n->distance > 0.5f * n->half) { // on the surface it may be anything
        c->range[0] = fminf(c->range[0], n->winding);
        c->range[1] = fmaxf(c->range[1], n->winding);
    }
    if (s.volume > 0.0f) {
        c->samples[c->count++] = s;
    }
}

static void collect_octant(const builder *b, const node *octant, collected *c)
{
    for (int k = 0; k < 8; k++) {
        node cell = child_of(octant, k);
        float edge = 2.0f * cell.half;
        if (cell.side == SIDE_MIXED) {
            wri_soup_point near = measure(b, &cell);
            add_sample(c, &cell, cut_cell(b, octant, &cell, &near));
        } else {
            const float *p = cell.center;
            add_sample(c, &cell, (wri_fill_sample){{p[0], p[1], p[2]}, edge * edge * edge});
        }
    }
}

static void collect_cells(void *context, int block, int begin, int end)
{
    (void)block;
    builder *b = context;
    for (int i = begin; i < end; i++) {
        const node *tile = &b->parents[i];
        collected c = {&b->samples[(size_t)i * WRI_TILE_SAMPLES], 0, b->range[i]};
        c.range[0] = c.range[1] = tile->side == SIDE_IN ? tile->winding : 0.0f;
        for (int k = 0; k < 8 && tile->side == SIDE_MIXED; k++) {
            node octant = child_of(tile, k);
            measure(b, &octant);
            octant.side = find_side(&octant);
            if (octant.side != SIDE_OUT) {
                collect_octant(b, &octant, &c);
            }
        }
        b->counts[i] = c.count;
    }
}

// --- the solid --------------------------------------------------------------------------------

static bool add_tile(wri_fill_solid *solid, const builder *b, int i)
{
    const node *n = &b->parents[i];
    float h = n->half, cell = 2.0f * h / (float)WRI_TILE_SIDE;
    wri_fill_tile t = {{n->center[0] - h, n->center[1] - h, n->center[2] - h}, cell, -1, 64};
    solid->least = fminf(solid->least, b->range[i][0]);
    solid->most = fmaxf(solid->most, b->range[i][1]);
    if (n->side == SIDE_IN) {
        solid->volume += 8.0 * (double)h * (double)h * (double)h;
    } else {
        t.first = solid->samples.count;
        t.count = b->counts[i];
        wri_fill_sample *to = wri_array_add(&solid->samples, t.count);
        if (!to) {
            return false;
        }
        memcpy(to, &b->samples[(size_t)i * WRI_TILE_SAMPLES], (size_t)t.count * sizeof *to);
        for (int k = 0; k < t.count; k++) {
            solid->volume += (double)to[k].volume;
        }
    }
    if (t.count > 0) {
        solid->tiles[solid->tile_count++] = t;
    }
    return true;
}

static bool add_tiles(wri_fill_solid *solid, wri_arena *arena, builder *b, int count)
{
    size_t room = (size_t)(count < CHUNK ? count : CHUNK);
    solid->tiles = wri_arena_alloc(arena, (size_t)count, sizeof *solid->tiles);
    b->samples = wri_arena_alloc(arena, room * WRI_TILE_SAMPLES, sizeof *b->samples);
    b->counts = wri_arena_alloc(arena, room, sizeof *b->counts);
    b->range = wri_arena_alloc(arena, room, sizeof *b->range);
    if (!solid->tiles || !b->samples || !b->counts || !b->range) {
        return false;
    }
    const node *nodes = b->parents;
    for (int first = 0; first < count; first += CHUNK) {
        int part = count - first < CHUNK ? count - first : CHUNK;
        b->parents = nodes + first;
        wri_parallel_for(b->tasks, part, GRAIN / 8, collect_cells, b);
        for (int i = 0; i < part; i++) {
            if (!add_tile(solid, b, i)) {
                return false;
            }
        }
    }
    return true;
}

bool wri_fill_solid_build(wri_fill_solid *solid, wri_arena *arena, const wri_soup *soup,
                          const wri_fill_size *size, const wr_tasks *tasks)
{
    *solid =
        (wri_fill_solid){.samples = wri_array_create(&arena->allocator, sizeof(wri_fill_sample))};
    builder b = {.soup = soup, .size = size, .tasks = tasks};
    node root = {.half = 0.5f * (float)WRI_TILE_SIDE / WRI_FILL_CELLS * size->base,
                 .winding = 0.5f,
                 .side = SIDE_MIXED};
    while (root.half < 0.51f) {
        root.half *= 2.0f;
    }
    b.parents = &root;
    int count = 1;
    bool done = false;
    for (int level = 0; level < LEVELS && count > 0 && !done; level++) {
        count = divide_level(&b, arena, count, &done);
    }
    return count == 0 || (count > 0 && add_tiles(solid, arena, &b, count));
}

void wri_fill_solid_destroy(wri_fill_solid *solid)
{
    wri_array_destroy(&solid->samples);
}

int wri_fill_tile_samples(const wri_fill_solid *solid, int tile,
                          wri_fill_sample samples[WRI_TILE_SAMPLES])
{
    const wri_fill_tile *t = &solid->tiles[tile];
    if (t->first >= 0) {
        const wri_fill_sample *from = &WRI_ITEM(solid->samples, wri_fill_sample, t->first);
        memcpy(samples, from, (size_t)t->count * sizeof *from);
        return t->count;
    }
    float h = t->cell;
    for (int i = 0; i < WRI_TILE_SAMPLES;
         i++) { // bits of i: xyz of the octant above xyz of the cell
        int x = (i & 1) + (i >> 2 & 2), y = (i >> 1 & 1) + (i >> 3 & 2),
            z = (i >> 2 & 1) + (i >> 4 & 2);
        samples[i] =
            (wri_fill_sample){{t->low[0] + h * ((float)x + 0.5f), t->low[1] + h * ((float)y + 0.5f),
                               t->low[2] + h * ((float)z + 0.5f)},
                              h * h * h};
    }
    return WRI_TILE_SAMPLES;
}
