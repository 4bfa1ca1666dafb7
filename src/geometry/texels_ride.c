// texels_ride.c: what the source's vertices ride on: the triangle of the samples that has their
// place in the atlas, or the nearest of the same chart.
#include "texels.h"

#include <stdlib.h>

static const double FAR = 1.5; // texels: the part of the chart that was there is gone

typedef struct item {
    int triangle; // of the half-edge mesh
    int next;     // item + 1 of the same texel, 0: none
} item;

typedef struct finder {
    const wri_half_mesh *mesh;
    int side;
    int *first; // per texel: item + 1
    wri_array items;
} finder;

// A triangle, and the weights of its corners at the point of it that is nearest.
typedef struct hit {
    int triangle;
    double weights[3];
    double distance; // texels
} hit;

// A triangle without area has no frame to ride in.
static bool can_carry(const wri_half_mesh *m, int triangle)
{
    const double least = 1e-4; // of the square of its longest side
    const int *v = &m->corner[3 * triangle];
    if (v[0] < 0) {
        return false;
    }
    wr_vec3 a = wr_sub(m->points[v[1]], m->points[v[0]]);
    wr_vec3 b = wr_sub(m->points[v[2]], m->points[v[0]]), c = wr_sub(b, a);
    double longest = fmax(fmax((double)wr_dot(a, a), (double)wr_dot(b, b)), (double)wr_dot(c, c));
    return (double)wr_length(wr_cross(a, b)) > least * longest;
}

static int cell_of(const finder *f, double x)
{
    return (int)fmin(fmax(floor(x), 0.0), f->side - 1.0);
}

static bool fill_cells(finder *f)
{
    const wri_half_mesh *m = f->mesh;
    for (int t = 0; t < m->triangle_count; t++) {
        if (!can_carry(m, t)) {
            continue;
        }
        const double *a = m->uv[3 * t], *b = m->uv[3 * t + 1], *c = m->uv[3 * t + 2];
        int from[2], to[2];
        for (int k = 0; k < 2; k++) {
            from[k] = cell_of(f, fmin(fmin(a[k], b[k]), c[k]));
            to[k] = cell_of(f, fmax(fmax(a[k], b[k]), c[k]));
        }
        for (int y = from[1]; y <= to[1]; y++) {
            for (int x = from[0]; x <= to[0]; x++) {
                item *i = wri_array_add(&f->items, 1);
                if (!i) {
                    return false;
                }
                *i = (item){t, f->first[y * f->side + x]};
                f->first[y * f->side + x] = f->items.count;
            }
        }
    }
    return true;
}

// The nearest point of an edge.
static void look_at_edge(const wri_half_mesh *m, int half, const double p[2], hit *out)
{
    int next = wri_next_half(half);
    const double *a = m->uv[half], *b = m->uv[next];
    double d[2] = {b[0] - a[0], b[1] - a[1]}, length = d[0] * d[0] + d[1] * d[1];
    double t = length > 0.0 ? ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / length : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    double distance = wri_length2(a[0] + t * d[0] - p[0], a[1] + t * d[1] - p[1]);
    if (distance < out->distance) {
        *out = (hit){.triangle = half / 3, .distance = distance};
        out->weights[half % 3] = 1.0 - t;
        out->weights[next % 3] = t;
    }
}

static void look_at(const wri_half_mesh *m, int triangle, const double p[2], hit *out)
{
    const double(*uv)[2] = (const double(*)[2]) & m->uv[3 * triangle];
    double area = wri_cross2(uv[0], uv[1], uv[2]);
    const double w[3] = {wri_cross2(p, uv[1], uv[2]), wri_cross2(uv[0], p, uv[2]),
                         wri_cross2(uv[0], uv[1], p)};
    if (area > 0.0 && w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0) {
        *out = (hit){triangle, {w[0] / area, w[1] / area, w[2] / area}, 0.0};
        return;
    }
    for (int k = 0; k < 3; k++) {
        look_at_edge(m, 3 * triangle + k, p, out);
    }
}

// Among the triangles of texels that are `ring` away.
static void look_at_ring(const finder *f, const double p[2], int chart, int ring, hit *out)
{
    int column = cell_of(f, p[0]), row = cell_of(f, p[1]);
    for (int y = row - ring; y <= row + ring; y++) {
        for (int x = column - ring; x <= column + ring; x++) {
            bool is_ring = abs(y - row) == ring || abs(x - column) == ring;
            bool is_inside = x >= 0 && y >= 0 && x < f->side && y < f->side;
            int i = is_ring && is_inside ? f->first[y * f->side + x] : 0;
            while (i > 0 && out->distance > 0.0) {
                const item *at = &WRI_ITEM(f->items, item, i - 1);
                if (f->mesh->chart[at->triangle] == chart) {
                    look_at(f->mesh, at->triangle, p, out);
                }
                i = at->next;
            }
        }
    }
}

static hit find_in_atlas(const finder *f, const double p[2], int chart)
{
    const int most = 8;
    hit out = {.triangle = -1, .distance = INFINITY};
    for (int ring = 0; ring <= most && out.distance > ring - 1.0; ring++) {
        look_at_ring(f, p, chart, ring, &out);
    }
    return out;
}

// What is in no chart rides on the nearest corner, of a triangle that can carry it if there is one.
static hit find_in_space(const wri_half_mesh *m, wr_vec3 p)
{
    int best = -1, any = 0;
    float least = INFINITY;
    for (int h = 0; h < 3 * m->triangle_count; h++) {
        any = m->corner[h] >= 0 ? h : any;
        bool may = can_carry(m, h / 3);
        float distance = may ? wr_distance(p, m->points[m->corner[h]]) : INFINITY;
        best = distance < least ? h : best;
        least = fminf(least, distance);
    }
    best = best < 0 ? any : best;
    hit out = {.triangle = best / 3};
    out.weights[best % 3] = 1.0;
    return out;
}

static void store(const wri_texel_work *w, int vertex, const hit *found, const int *triangle_of)
{
    wr_texel_ride *ride = &w->out->rides[vertex];
    ride->triangle = triangle_of[found->triangle];
    for (int k = 0; k < 3; k++) {
        ride->weights[k] = (float)found->weights[k];
    }
    wr_vec3 p = wri_texel_ride_point(w->out, ride, w->out->positions);
    ride->offset =
        wri_texel_ride_offset(w->out, ride, wr_sub(w->facets.mesh->positions[vertex], p));
}

static bool find_rides(wri_texel_work *w, const finder *f, const int *triangle_of)
{
    const wri_facets *facets = &w->facets;
    int places = facets->topology.place_count;
    int *corner = wri_arena_alloc(&w->arena, (size_t)places, sizeof *corner);
    hit *hits = wri_arena_alloc(&w->arena, (size_t)places, sizeof *hits);
    if (!corner || !hits) {
        return false;
    }
    for (int i = 3 * facets->count - 1; i >= 0; i--) {
        corner[facets->place[i]] = i + 1;
    }
    for (int i = 0; i < places; i++) {
        int c = corner[i] - 1;
        hits[i] = c < 0 ? (hit){.triangle = -1, .distance = INFINITY}
                        : find_in_atlas(f, w->atlas.uv[c], w->atlas.chart[c / 3]);
        if (hits[i].distance > FAR) {
            hits[i] = find_in_space(&w->mesh, facets->topology.points[i]);
        }
    }
    for (int i = 0; i < facets->mesh->vertex_count; i++) { // at one place they ride on one
        store(w, i, &hits[facets->topology.place[i]], triangle_of);
    }
    return true;
}

bool wri_texels_find_rides(wri_texel_work *w, const int *triangle_of)
{
    size_t texels = (size_t)w->atlas.side * (size_t)w->atlas.side;
    finder f = {.mesh = &w->mesh,
                .side = w->atlas.side,
                .first = wri_arena_alloc(&w->arena, texels, sizeof *f.first),
                .items = wri_array_create(&w->arena.allocator, sizeof(item))};
    bool ok = f.first && fill_cells(&f) && find_rides(w, &f, triangle_of);
    wri_array_destroy(&f.items);
    return ok;
}
