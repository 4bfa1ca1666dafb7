// raster.c: where two patches of skin meet, drawn on a plane between them.
//
// After the thesis, sections 3.3 and 3.5.4. Both patches are projected along the normal d of a
// contact plane D, which points from b to a: of b the triangles are drawn that face a, and the
// highest stays in a texel; of a those that face b, and the lowest stays. What lies between the two
// heights is a gap, or an overlap. A node takes the deepest of the four texels around it in which a
// triangle of its own was drawn: what lies behind another part of its own surface takes none.
//
// Where we differ: texels decide which triangle a node meets, but its depth, and where in the
// triangle that is, are the node's own. With those of the texel depths are off by five times as
// much, and jump from step to step, which costs the solver rounds: tubes.scene.json takes 1.4 times
// as long. Gaps count as well as overlaps, as far as skins may come in the step. Where a node meets
// several patches the nearest counts, as in the exact stage: depths along different planes do not
// compare.
#include "meet.h"

#include "../math/triangle.h"

enum { TEXELS_MAX = 1 << 18 };   // of a plane; larger ones get larger texels
static const float FLAT = 0.1f;  // of the area: normals that add up to less do not agree
static const float ASKEW = 0.2f; // cosine: surfaces that are steeper on the plane are not met

// A patch as it is drawn.
typedef struct layer {
    const wri_skin *skin;
    float side;            // 1: the highest stays, of what faces along d; -1: the lowest
    int *list, list_count; // triangles
    float *height;         // metres along d, per texel
    int *drawn;            // triangle, and one: 0 is nothing
} layer;

typedef struct plane {
    wr_vec3 u, v, d; // unit; u and v span it
    float low[2];    // metres along u and v: where it begins
    float texel;     // metres
    int size[2];
    layer a, b;
} plane;

typedef struct spot {
    float s, t; // texels
    float h;    // metres along d
} spot;

static spot project(const plane *p, wr_vec3 x)
{
    return (spot){(wr_dot(x, p->u) - p->low[0]) / p->texel,
                  (wr_dot(x, p->v) - p->low[1]) / p->texel, wr_dot(x, p->d)};
}

static void corners_of(const plane *p, const layer *l, int triangle, spot out[3])
{
    const int *t = &l->skin->f->model->triangles[3 * triangle];
    for (int k = 0; k < 3; k++) {
        out[k] = project(p, l->skin->x[t[k]]);
    }
}

// Twice the signed area of three points of the plane, texels^2.
static float area_of(spot a, spot b, float s, float t)
{
    return (b.s - a.s) * (t - a.t) - (b.t - a.t) * (s - a.s);
}

// Barycentric coordinates on the plane. False: outside.
static bool find_shares(const spot x[3], float s, float t, float w[3])
{
    float area = area_of(x[0], x[1], x[2].s, x[2].t);
    for (int k = 0; k < 3; k++) {
        w[k] = area_of(x[(k + 1) % 3], x[(k + 2) % 3], s, t) / area;
    }
    return w[0] >= 0.0f && w[1] >= 0.0f && w[2] >= 0.0f;
}

// --- planes -----------------------------------------------------------------------------------

// The triangles of what a bone carries that come near a box.
static bool list_triangles(layer *l, int bone, wr_box box, float margin, wr_scratch *scratch)
{
    const wri_patches *p = &l->skin->f->model->patches;
    int begin = p->triangle_begin[bone], end = p->triangle_begin[bone + 1];
    l->list = wr_scratch_push(scratch, (size_t)(end - begin), sizeof *l->list);
    for (int i = begin; l->list && i < end; i++) {
        if (wri_boxes_meet(l->skin->hulls[p->triangles[i]], box, margin)) {
            l->list[l->list_count++] = p->triangles[i];
        }
    }
    return l->list;
}

// Adds what of a layer faces the other one; returns its area. `axis`: towards the layer a.
static float add_normals(const layer *l, wr_vec3 axis, wr_vec3 *sum)
{
    float area = 0.0f;
    for (int i = 0; i < l->list_count; i++) {
        const int *t = &l->skin->f->model->triangles[3 * l->list[i]];
        const wr_vec3 *x = l->skin->x;
        wr_vec3 n = wr_scale(l->side, wr_cross(wr_sub(x[t[1]], x[t[0]]), wr_sub(x[t[2]], x[t[0]])));
        if (wr_dot(n, axis) > 0.0f) {
            *sum = wr_add(*sum, n);
            area += wr_length(n);
        }
    }
    return area;
}

// As the surfaces face each other; as their boxes lie where they face all ways.
static void find_normal(plane *p, wr_box box_a, wr_box box_b)
{
    wr_vec3 off = wr_sub(wr_add(box_a.min, box_a.max), wr_add(box_b.min, box_b.max));
    wr_vec3 axis = wr_dot(off, off) > 0.0f ? wr_normalize(off) : wr_v3(0, 1, 0), sum = {0};
    float area = add_normals(&p->a, axis, &sum);
    area += add_normals(&p->b, axis, &sum);
    p->d = wr_length(sum) > FLAT * area ? wr_normalize(sum) : axis;
    wr_vec3 across = fabsf(p->d.x) < 0.6f ? wr_v3(1, 0, 0) : wr_v3(0, 1, 0);
    p->u = wr_normalize(wr_cross(across, p->d));
    p->v = wr_cross(p->d, p->u);
}

// What both layers cover. False: nothing.
static bool find_extent(plane *p, float texel)
{
    float low[2] = {-INFINITY, -INFINITY}, high[2] = {INFINITY, INFINITY};
    p->low[0] = p->low[1] = 0.0f;
    p->texel = 1.0f;
    for (int side = 0; side < 2; side++) {
        const layer *l = side ? &p->b : &p->a;
        float least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < l->list_count; i++) {
            spot x[3];
            corners_of(p, l, l->list[i], x);
            for (int k = 0; k < 3; k++) {
                least[0] = fminf(least[0], x[k].s), least[1] = fminf(least[1], x[k].t);
                most[0] = fmaxf(most[0], x[k].s), most[1] = fmaxf(most[1], x[k].t);
            }
        }
        for (int k = 0; k < 2; k++) {
            low[k] = fmaxf(low[k], least[k]);
            high[k] = fminf(high[k], most[k]);
        }
    }
    float wide = high[0] - low[0], tall = high[1] - low[1];
    if (!(wide > 0.0f && tall > 0.0f)) {
        return false;
    }
    p->texel = fmaxf(texel, sqrtf(wide * tall / (float)TEXELS_MAX));
    p->texel = fmaxf(p->texel, fmaxf(wide, tall) / (float)TEXELS_MAX);
    p->low[0] = low[0], p->low[1] = low[1];
    p->size[0] = 1 + (int)(wide / p->texel);
    p->size[1] = 1 + (int)(tall / p->texel);
    return true;
}

// --- drawing ----------------------------------------------------------------------------------

// The first texel whose centre is not before a place, within the plane.
static int texel_from(float place, int size)
{
    float at = ceilf(place - 0.5f);
    return at <= 0.0f ? 0 : at >= (float)size ? size : (int)at;
}

static void draw_triangle(const plane *p, layer *l, int triangle)
{
    spot x[3];
    corners_of(p, l, triangle, x);
    if (!(l->side * area_of(x[0], x[1], x[2].s, x[2].t) > 0.0f)) {
        return;
    }
    int left = texel_from(fminf(fminf(x[0].s, x[1].s), x[2].s), p->size[0]);
    int right = texel_from(fmaxf(fmaxf(x[0].s, x[1].s), x[2].s), p->size[0]);
    int first = texel_from(fminf(fminf(x[0].t, x[1].t), x[2].t), p->size[1]);
    int last = texel_from(fmaxf(fmaxf(x[0].t, x[1].t), x[2].t), p->size[1]);
    for (int t = first; t < last; t++) {
        for (int s = left; s < right; s++) {
            float w[3];
            int at = s + p->size[0] * t;
            if (!find_shares(x, (float)s + 0.5f, (float)t + 0.5f, w)) {
                continue;
            }
            float h = w[0] * x[0].h + w[1] * x[1].h + w[2] * x[2].h;
            if (l->drawn[at] == 0 || l->side * (h - l->height[at]) > 0.0f) {
                l->height[at] = h;
                l->drawn[at] = triangle + 1;
            }
        }
    }
}

static bool draw(const plane *p, layer *l, wr_scratch *scratch)
{
    size_t texels = (size_t)p->size[0] * (size_t)p->size[1];
    l->height = wr_scratch_push(scratch, texels, sizeof *l->height);
    l->drawn = wr_scratch_push(scratch, texels, sizeof *l->drawn);
    if (!l->height || !l->drawn) {
        return false;
    }
    for (int i = 0; i < l->list_count; i++) {
        draw_triangle(p, l, l->list[i]);
    }
    return true;
}

// --- back to the nodes ------------------------------------------------------------------------

static bool has_corner(const wr_flesh_model *m, int triangle, int node)
{
    const int *t = &m->triangles[3 * triangle];
    return t[0] == node || t[1] == node || t[2] == node;
}

// Where a node meets the other layer.
typedef struct hit {
    int triangle; // of the other layer, -1: none
    float w[3];   // in it
    float gap;    // metres along d
} hit;

// Keeps what a texel says of a node where that is deeper.
static void look_at(const plane *p, const layer *own, const layer *other, int node, int s, int t,
                    hit *deepest)
{
    int at = s + p->size[0] * t;
    const wr_flesh_model *m = other->skin->f->model;
    if (s < 0 || t < 0 || s >= p->size[0] || t >= p->size[1] || !own->drawn[at] ||
        !other->drawn[at] || !has_corner(own->skin->f->model, own->drawn[at] - 1, node)) {
        return;
    }
    hit h = {other->drawn[at] - 1, .gap = p->a.height[at] - p->b.height[at]};
    spot x[3];
    corners_of(p, other, h.triangle, x);
    find_shares(x, (float)s + 0.5f, (float)t + 0.5f, h.w);
    bool is_same = own->skin == other->skin &&
                   wri_is_near_at_rest(m, node, &m->triangles[3 * h.triangle], h.w);
    if (!is_same && (deepest->triangle < 0 || h.gap < deepest->gap)) {
        *deepest = h;
    }
}

// The normal is the mean of both surfaces.
static void meet_node(const wri_visit *v, const plane *p, const layer *own, const layer *other,
                      int node)
{
    spot x = project(p, own->skin->x[node]);
    int s = (int)floorf(x.s - 0.5f), t = (int)floorf(x.t - 0.5f);
    hit h = {.triangle = -1};
    for (int k = 0; k < 4; k++) {
        look_at(p, own, other, node, s + k % 2, t + k / 2, &h);
    }
    if (h.triangle < 0) {
        return;
    }
    const int *corners = &other->skin->f->model->triangles[3 * h.triangle];
    const wr_vec3 *y = other->skin->x;
    wr_vec3 place = own->skin->x[node], facing = own->skin->normals[node];
    float w[3];
    wri_nearest_in_triangle(place, y[corners[0]], y[corners[1]], y[corners[2]], w);
    wr_vec3 off = wr_sub(place, wri_mix_corners(y, corners, w));
    wr_vec3 n = wr_normalize(wri_mix_corners(other->skin->normals, corners, w));
    n = wr_normalize(wr_sub(n, facing));
    float gap = wr_dot(off, n), away = wr_length(off);
    if (other->side * wr_dot(n, p->d) > ASKEW && gap < v->margin &&
        away < (gap < 0.0f ? v->deep : v->margin) && wr_dot(facing, n) < 0.0f) {
        wri_flesh_keep_meeting(v,
                               (wri_flesh_contact){.node = node,
                                                   .corners = {corners[0], corners[1], corners[2]},
                                                   .shares = {w[0], w[1], w[2]},
                                                   .normal = n,
                                                   .gap = gap,
                                                   .distance = away});
    }
}

static bool meet_nodes(const wri_visit *v, const plane *p, const layer *own, const layer *other,
                       wr_scratch *scratch)
{
    const wr_flesh_model *m = own->skin->f->model;
    bool *is_seen = wr_scratch_push(scratch, (size_t)m->node_count, sizeof *is_seen);
    for (int i = 0; is_seen && i < 3 * own->list_count; i++) {
        int node = m->triangles[3 * own->list[i / 3] + i % 3];
        if (!is_seen[node]) {
            is_seen[node] = true;
            meet_node(v, p, own, other, node);
        }
    }
    return is_seen;
}

bool wri_flesh_draw_meetings(const wri_visit *v, int bone_a, int bone_b, wr_scratch *scratch)
{
    wr_box box_a = v->a->boxes[bone_a], box_b = v->b->boxes[bone_b];
    plane p = {.a = {.skin = v->a, .side = -1.0f}, .b = {.skin = v->b, .side = 1.0f}};
    wri_visit back = *v;
    back.a = v->b, back.b = v->a;
    size_t used = scratch->used;
    bool ok = list_triangles(&p.a, bone_a, box_b, v->look, scratch) &&
              list_triangles(&p.b, bone_b, box_a, v->look, scratch);
    if (ok && p.a.list_count > 0 && p.b.list_count > 0) {
        float edge = fminf(v->a->f->model->patches.edge, v->b->f->model->patches.edge);
        find_normal(&p, box_a, box_b);
        *v->clear = 0.0f; // what a plane does not show may be near: it looks again in the next step
        ok = !find_extent(&p, v->all->texel * edge) ||
             (draw(&p, &p.a, scratch) && draw(&p, &p.b, scratch) &&
              meet_nodes(v, &p, &p.a, &p.b, scratch) && meet_nodes(&back, &p, &p.b, &p.a, scratch));
    }
    scratch->used = used;
    return ok;
}
