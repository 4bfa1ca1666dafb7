// layer.c: a layer of flesh under a skin: checks, order of the steps, split of prisms, the result.
#include "layer.h"

enum { COOKIE = 0x4c415952 };

wr_layer_desc wr_layer_desc_default(void)
{
    return (wr_layer_desc){.cookie = COOKIE};
}

// --- checks -----------------------------------------------------------------------------------

static bool check_vertices(const wr_layer_desc *d, wr_error *error)
{
    for (int i = 0; i < d->vertex_count; i++) {
        if (!wr_is_finite3(d->positions[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "positions[%d]: not finite", i);
        }
        if (d->factors && !(d->factors[i] >= 0.0f && d->factors[i] <= 1e3f)) {
            return wri_fail(error, WR_E_ARGUMENT, "factors[%d]: %g, expected a number in [0, 1000]",
                            i, (double)d->factors[i]);
        }
    }
    return true;
}

static bool check_triangles(const wr_layer_desc *d, wr_error *error)
{
    if (d->triangle_count > (INT32_MAX - 1) / 3) {
        return wri_fail(error, WR_E_LIMIT, "triangle_count: %d, expected at most %d",
                        d->triangle_count, (INT32_MAX - 1) / 3);
    }
    for (int i = 0; i < 3 * d->triangle_count; i++) {
        if (d->triangles[i] < 0 || d->triangles[i] >= d->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT, "triangles[%d]: vertex %d of %d", i / 3,
                            d->triangles[i], d->vertex_count);
        }
    }
    return true;
}

static bool check_thickness(const wr_layer_desc *d, wr_error *error)
{
    return (d->thickness >= 0.0 && d->thickness < INFINITY) ||
           wri_fail(error, WR_E_ARGUMENT, "thickness: %g m, expected a positive number, or 0",
                    d->thickness);
}

static bool check(const wr_layer_desc *desc, wr_error *error)
{
    return WRI_REQUIRE_DESC(error, wr_layer_desc, desc, COOKIE) &&
           WRI_REQUIRE_LIST(error, desc->positions, desc->vertex_count) &&
           WRI_REQUIRE_LIST(error, desc->triangles, desc->triangle_count) &&
           check_thickness(desc, error) && check_vertices(desc, error) &&
           check_triangles(desc, error);
}

// --- split ------------------------------------------------------------------------------------

// Sorts three nodes; returns whether that took an odd number of swaps.
static bool sort_nodes(const int nodes[3], int v[3])
{
    bool odd = false;
    memcpy(v, nodes, 3 * sizeof *v);
    for (int i = 0; i < 3; i++) {
        int k = i == 1 ? 1 : 0;
        if (v[k] > v[k + 1]) {
            int swap = v[k];
            v[k] = v[k + 1];
            v[k + 1] = swap;
            odd = !odd;
        }
    }
    return odd;
}

// Every side of a prism is cut from the smaller node of the skin to the larger one's partner, which
// both prisms at the side agree on. Of the tetrahedra of an even triangle only abb'c' is positive.
int wri_layer_split(const int nodes[3], const bool *fixed, int node_count, int tets[3][4])
{
    int v[6], count = 0;
    bool odd = sort_nodes(nodes, v);
    for (int k = 0; k < 3; k++) {
        v[3 + k] = v[k] + node_count;
    }
    static const int corners[3][4] = {{0, 1, 2, 5}, {0, 1, 4, 5}, {0, 3, 4, 5}};
    for (int i = 0; i < 3; i++) {
        if (fixed[v[2 - i]]) { // the node that appears with its partner
            continue;
        }
        bool swap = odd == (i == 1);
        for (int k = 0; k < 4; k++) {
            tets[count][swap && k < 2 ? 1 - k : k] = v[corners[i][k]];
        }
        count++;
    }
    return count;
}

int wr_layer_split(const wr_layer *layer, int triangle, int tets[3][4])
{
    return wri_layer_split(&layer->triangles[3 * (size_t)triangle], layer->fixed, layer->node_count,
                           tets);
}

// --- the result -------------------------------------------------------------------------------

typedef struct owner {
    wri_arena arena;
    wr_layer layer; // lives in the arena that it owns
} owner;

static wr_layer *create_result(const wri_layer_work *w)
{
    wri_arena arena = wri_arena_create(&w->desc->allocator);
    size_t nodes = (size_t)w->node_count, triangles = (size_t)w->triangle_count;
    owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    wr_layer l = {.node_count = w->node_count, .triangle_count = w->triangle_count, .memory = o};
    l.node_of = wri_arena_alloc(&arena, (size_t)w->desc->vertex_count, sizeof *l.node_of);
    l.vertex_of = wri_arena_alloc(&arena, nodes, sizeof *l.vertex_of);
    l.skin = wri_arena_alloc(&arena, nodes, sizeof *l.skin);
    l.core = wri_arena_alloc(&arena, nodes, sizeof *l.core);
    l.thicknesses = wri_arena_alloc(&arena, nodes, sizeof *l.thicknesses);
    l.fixed = wri_arena_alloc(&arena, nodes, sizeof *l.fixed);
    l.triangles = wri_arena_alloc(&arena, triangles, 3 * sizeof *l.triangles);
    l.triangle_of = wri_arena_alloc(&arena, triangles, sizeof *l.triangle_of);
    if (!o || !l.node_of || !l.vertex_of || !l.skin || !l.core || !l.thicknesses || !l.fixed ||
        !l.triangles || !l.triangle_of) {
        wri_arena_destroy(&arena);
        return NULL;
    }
    *o = (owner){arena, l};
    return &o->layer;
}

static void write_nodes(const wri_layer_work *w, wr_layer *l)
{
    size_t n = (size_t)w->node_count;
    memcpy(l->node_of, w->topology.place, (size_t)w->desc->vertex_count * sizeof *l->node_of);
    for (int i = w->desc->vertex_count - 1; i >= 0; i--) {
        l->vertex_of[l->node_of[i]] = i;
    }
    memcpy(l->skin, w->skin, n * sizeof *l->skin);
    memcpy(l->core, w->core, n * sizeof *l->core);
    memcpy(l->fixed, w->fixed, n * sizeof *l->fixed);
    for (int i = 0; i < w->node_count; i++) {
        l->thicknesses[i] = (float)w->depths[i];
        l->fixed_count += w->fixed[i];
        l->thinned_count += w->fixed[i] || w->depths[i] < 0.99 * wri_layer_wish(w, i);
    }
}

static void write_result(const wri_layer_work *w, wr_layer *l)
{
    size_t n = (size_t)w->triangle_count;
    l->thickness = w->thickness;
    l->turned_count = w->turned_count;
    l->dropped_count = w->desc->triangle_count - w->triangle_count;
    memcpy(l->triangles, w->triangles, 3 * n * sizeof *l->triangles);
    memcpy(l->triangle_of, w->triangle_of, n * sizeof *l->triangle_of);
    write_nodes(w, l);
}

static bool build(wri_layer_work *w, wr_error *error)
{
    if (!wri_layer_find_nodes(w)) {
        return wri_fail_memory(error, 0);
    }
    if (w->triangle_count == 0) {
        int count = w->desc->triangle_count;
        return wri_fail(error, WR_E_ARGUMENT,
                        "the model of %d %s has no surface: no triangle has an area", count,
                        wri_plural(count, "triangle", "triangles"));
    }
    return (wri_layer_find_directions(w) && wri_layer_find_ways(w) && wri_layer_fit(w)) ||
           wri_fail_memory(error, 0);
}

wr_layer *wr_layer_create(const wr_layer_desc *desc, wr_error *error)
{
    if (!check(desc, error)) {
        return NULL;
    }
    wri_layer_work w = {.desc = desc, .arena = wri_arena_create(&desc->allocator)};
    wr_layer *layer = NULL;
    if (build(&w, error)) {
        layer = create_result(&w);
        if (layer) {
            write_result(&w, layer);
        } else {
            wri_fail_memory(error, 0);
        }
    }
    wri_arena_destroy(&w.arena);
    return layer;
}

void wr_layer_destroy(wr_layer *layer)
{
    if (layer) {
        wri_arena arena = ((owner *)layer->memory)->arena;
        wri_arena_destroy(&arena);
    }
}
