// build_rim.c: what is drawn of a drawing beyond its simulation mesh.
//
// The mesh has few vertices, so its straight sides cut off what bulges between them, and all of the
// last half-transparent pixels. Every side therefore gets a strip outwards: as wide as the soft
// edge of a picture at its ends, where the side's vertices lie on the outline, and between them as
// far as the picture has something to show. Its alpha hides the rest of it. A strip ends where the
// picture is empty first, so that it shows no neighbouring limb.
//
//     a' --- m1 ----- m2 --- b'      m1, m2 over a quarter and three quarters of the side: over
//     a ------------------- b        an arc that is as high as they are in its middle
#include "build.h"

#include "key_table.h"

#include <math.h>

#define STEP 0.5   // pixels, of looking outwards
#define EDGE 1.5   // pixels: the soft edge of a picture
#define BULGE 0.35 // bulge of a side in its middle, of its length; none at its ends
#define MITER 2.0

typedef struct corner {
    double out[2]; // sum of the normals of its sides
    int sides;
    int rim; // its vertex there
} corner;

typedef struct rim_builder {
    const wri_builder *b;
    const wri_drawing_layer *layer;
    wri_rim *rim;
    wri_key_table edges; // edges of all triangles, both directions where two meet
    corner *corners;     // per vertex of the layer
} rim_builder;

// A side with the mesh to its left, in pixels of the picture, y up.
typedef struct side {
    int ends[2];
    double from[2], way[2], normal[2], length;
} side;

static uint64_t edge_key(int from, int to)
{
    return (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
}

static void place_of(const rim_builder *r, int vertex, double out[2])
{
    double unit = r->b->recipe->simulation.pixel;
    wr_vec3 at = r->b->lattice->rest[r->layer->first_vertex + vertex];
    out[0] = (double)at.x / unit - r->layer->x;
    out[1] = (double)at.y / unit - r->layer->y;
}

static bool find_side(const rim_builder *r, int corner_index, side *out)
{
    const int *t = r->layer->elements;
    int from = t[corner_index], to = t[corner_index - corner_index % 3 + (corner_index + 1) % 3];
    if (wri_key_table_find(&r->edges, edge_key(to, from)) >= 0) {
        return false;
    }
    double end[2];
    *out = (side){.ends = {from, to}};
    place_of(r, from, out->from);
    place_of(r, to, end);
    out->way[0] = end[0] - out->from[0];
    out->way[1] = end[1] - out->from[1];
    out->length = hypot(out->way[0], out->way[1]);
    out->normal[0] = out->way[1] / out->length;
    out->normal[1] = -out->way[0] / out->length;
    return true;
}

// Adds a vertex at a place in pixels; pictures repeat beyond their edges, so that it stays within.
static int add_vertex(rim_builder *r, double x, double y, int root)
{
    wri_rim *rim = r->rim;
    double unit = r->b->recipe->simulation.pixel;
    x = fmin(fmax(x, 0.0), r->layer->image.width) + r->layer->x;
    y = fmin(fmax(y, 0.0), r->layer->image.height) + r->layer->y;
    rim->places[rim->vertex_count] = wr_v3((float)(x * unit), (float)(y * unit), 0.0f);
    rim->roots[rim->vertex_count] = root;
    return r->layer->vertex_count + rim->vertex_count++;
}

static void add_triangle(wri_rim *rim, int a, int b, int c)
{
    int *out = rim->triangles[rim->triangle_count++];
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

// Normals of n sides sum up to n cos a, with a the angle between each of two sides and their
// middle; where they cancel out, limbs touch in a point, which needs no rim.
static void add_corners(rim_builder *r)
{
    for (int v = 0; v < r->layer->vertex_count; v++) {
        corner *c = &r->corners[v];
        if (c->sides > 0) {
            double at[2], length = hypot(c->out[0], c->out[1]), cosine = length / c->sides;
            double far = cosine > 1e-3 ? EDGE / fmax(cosine, 1.0 / MITER) / length : 0.0;
            place_of(r, v, at);
            c->rim = add_vertex(r, at[0] + far * c->out[0], at[1] + far * c->out[1], v);
        }
    }
}

// Finds how high m1 and m2 must stand for the lines to them and between them to be over the
// picture.
static void find_heights(const rim_builder *r, const side *s, double heights[2])
{
    int steps = (int)ceil(2.0 * s->length);
    heights[0] = heights[1] = 0.0;
    for (int i = 1; i < steps; i++) {
        double t = (double)i / steps, near = fmin(t, 1.0 - t), far = 0.0;
        double x = s->from[0] + t * s->way[0], y = s->from[1] + t * s->way[1];
        double most = EDGE + 4.0 * t * (1.0 - t) * BULGE * s->length;
        while (far < most && wri_alpha_between(&r->layer->image, x + (far + STEP) * s->normal[0],
                                               y + (far + STEP) * s->normal[1]) > 0.0) {
            far += STEP;
        }
        if (far > 0.0) { // a line from EDGE at the end
            double high = near < 0.25 ? EDGE + (far + STEP - EDGE) * 0.25 / near : far + STEP;
            double *out = &heights[t > 0.5];
            *out = fmax(*out, fmin(high, EDGE + BULGE * s->length));
            if (near >= 0.25) { // m1 and m2 carry it together
                heights[0] = fmax(heights[0], far + STEP);
                heights[1] = fmax(heights[1], far + STEP);
            }
        }
    }
}

static void add_strip(rim_builder *r, const side *s)
{
    int a = s->ends[0], b = s->ends[1], last = r->corners[a].rim;
    double heights[2];
    find_heights(r, s, heights);
    if (heights[0] > EDGE || heights[1] > EDGE) {
        for (int k = 0; k < 2; k++) {
            double t = 0.25 + 0.5 * k, h = fmax(heights[k], EDGE);
            int m = add_vertex(r, s->from[0] + t * s->way[0] + h * s->normal[0],
                               s->from[1] + t * s->way[1] + h * s->normal[1], s->ends[k]);
            add_triangle(r->rim, a, last, m);
            last = m;
        }
    }
    add_triangle(r->rim, a, last, r->corners[b].rim);
    add_triangle(r->rim, a, r->corners[b].rim, b);
}

static bool add_sides(rim_builder *r)
{
    const int *t = r->layer->elements;
    int count = 3 * r->layer->element_count;
    side s;
    for (int i = 0; i < count; i++) {
        if (wri_key_table_add(&r->edges, edge_key(t[i], t[i - i % 3 + (i + 1) % 3])) < 0) {
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 2 && find_side(r, i, &s); k++) {
            corner *c = &r->corners[s.ends[k]];
            c->out[0] += s.normal[0];
            c->out[1] += s.normal[1];
            c->sides++;
        }
    }
    add_corners(r);
    for (int i = 0; i < count; i++) {
        if (find_side(r, i, &s)) {
            add_strip(r, &s);
        }
    }
    return true;
}

bool wri_find_rim(wri_builder *b, wri_drawing_layer *layer, wr_error *why)
{
    // There is at most a side per edge, two vertices and four triangles each.
    size_t n = (size_t)layer->vertex_count, edges = 3 * (size_t)layer->element_count;
    wri_rim *rim = &layer->rim;
    rim_builder r = {.b = b,
                     .layer = layer,
                     .rim = rim,
                     .edges = wri_key_table_create(&b->desc.allocator),
                     .corners = wri_arena_alloc(&b->arena, n, sizeof *r.corners)};
    rim->roots = wri_arena_alloc(&b->arena, n + 2 * edges, sizeof *rim->roots);
    rim->places = wri_arena_alloc(&b->arena, n + 2 * edges, sizeof *rim->places);
    rim->triangles = wri_arena_alloc(&b->arena, 4 * edges, sizeof *rim->triangles);
    bool ok = r.corners && rim->roots && rim->places && rim->triangles && add_sides(&r);
    wri_key_table_destroy(&r.edges);
    return ok || wri_fail_memory(why, (n + 2 * edges) * sizeof *rim->places);
}
