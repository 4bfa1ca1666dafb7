// lengths.c: edges of the mesh get their length back, as far as nothing crosses for it.
//
// The sheet of the lattice keeps its lengths, but vertices of the mesh are beside it, in cells that
// a fold stretches. So at the end their places are projected onto the lengths of the edges, one
// after the other (M. Müller, B. Heidelberger, M. Hennix, J. Ratcliff. Position based dynamics.
// 2007, eq. 10-11). What did not move, and what is rigid, stays.
#include "plate.h"

enum { SWEEPS = 40 };

#define STILL 1e-6 // sizes: less is no motion

typedef struct keeper {
    const wri_plate *plate;
    const wri_topology *s;
    wr_vec3 *before, *x; // of places
    float *share;        // of the way from before to x that a place goes; 0: it stays
} keeper;

static void keep_edge(keeper *k, int edge)
{
    const wri_topology *s = k->s;
    int half = s->half_edges[s->edge_begin[edge]];
    int a = s->corners[half], b = s->corners[wri_next_half(half)];
    float sum = k->share[a] + k->share[b];
    wr_vec3 d = wr_sub(k->x[b], k->x[a]);
    float length = wr_length(d), rest = wr_distance(s->points[a], s->points[b]);
    if (sum > 0.0f && length > 0.0f) {
        wr_vec3 step = wr_scale((length - rest) / (length * sum), d);
        k->x[a] = wr_add_scaled(k->x[a], k->share[a], step);
        k->x[b] = wr_add_scaled(k->x[b], -k->share[b], step);
    }
}

static void project(keeper *k)
{
    const wri_topology *s = k->s;
    for (int i = 0; i < s->place_count; i++) {
        bool moved = wr_distance(k->before[i], s->points[i]) > (float)(STILL * s->size);
        k->share[i] = moved && !wri_plate_is_rigid(k->plate, i) ? 1.0f : 0.0f;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) { // to and fro, so that the order leaves no lean
        for (int i = 0; i < s->edge_count; i++) {
            keep_edge(k, sweep % 2 ? s->edge_count - 1 - i : i);
        }
    }
}

// Corners of triangles that cross now and did not before go half of the way back.
static bool go_back(keeper *k, const uint8_t *crossed, const uint8_t *crosses)
{
    bool any = false;
    for (int i = 0; i < 3 * k->s->triangle_count; i++) {
        int place = k->s->corners[i];
        if (crosses[i / 3] && !crossed[i / 3]) {
            any = any || k->share[place] > 0.0f;
            k->share[place] = k->share[place] < 0.1f ? 0.0f : 0.5f * k->share[place];
        }
    }
    return any;
}

bool wri_plate_keep_lengths(const wri_plate *p, wri_crossings *found, wri_arena *arena,
                            wr_vec3 *places)
{
    const wri_topology *s = &p->topology;
    size_t count = (size_t)s->place_count, triangles = (size_t)s->triangle_count;
    keeper k = {.plate = p,
                .s = s,
                .before = wri_arena_alloc(arena, count, sizeof *k.before),
                .x = wri_arena_alloc(arena, count, sizeof *k.x),
                .share = wri_arena_alloc(arena, count, sizeof *k.share)};
    uint8_t *crossed = wri_arena_alloc(arena, triangles, 1);
    uint8_t *crosses = wri_arena_alloc(arena, triangles, 1);
    bool ok = k.before && k.x && k.share && crossed && crosses &&
              wri_crossings_find(found, places, crossed);
    if (!ok) {
        return false;
    }
    memcpy(k.before, places, count * sizeof *places);
    memcpy(k.x, places, count * sizeof *places);
    project(&k);
    for (bool any = true; any && ok;) {
        for (int i = 0; i < s->place_count; i++) {
            wr_vec3 way = wr_sub(k.x[i], k.before[i]);
            places[i] =
                k.share[i] > 0.0f ? wr_add_scaled(k.before[i], k.share[i], way) : k.before[i];
        }
        ok = wri_crossings_find(found, places, crosses);
        any = ok && go_back(&k, crossed, crosses);
    }
    return ok;
}
