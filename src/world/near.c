// near.c: where two boundaries are near each other.
//
// A point is near the nearest triangle of a boundary that has some, or all points of a heap of
// balls that it reaches, when the two may touch within the step.
#include "near.h"

#include "../math/triangle.h"

#include <stdlib.h>

// A triangle or a point, by where it begins along the axis of the sweep.
typedef struct feature {
    float begin, end;
    int index;
} feature;

// What of b is near a, sorted.
typedef struct sweep {
    const wr_boundary *a, *b;
    float dt, range; // range: of a
    int axis, count;
    feature *list;
    float widest; // metres, along the axis
    wri_array *out;
} sweep;

static wr_box grown(wr_box box, float by)
{
    wr_vec3 room = wr_v3(by, by, by);
    return (wr_box){wr_sub(box.min, room), wr_add(box.max, room)};
}

wri_reach wri_boundary_reach(const wr_boundary *boundary, float dt)
{
    wri_reach out = {boundary, WR_BOX_EMPTY, 0.0f};
    for (int i = 0; i < boundary->point_count; i++) {
        const wr_boundary_point *p = &boundary->points[i];
        WR_ASSERT(wr_is_finite3(p->position) && wr_is_finite3(p->velocity) && p->radius >= 0.0f);
        out.range = fmaxf(out.range, p->radius + dt * wr_length(p->velocity));
        out.box = wr_box_add(out.box, p->position);
    }
    out.box = grown(out.box, out.range);
    return out;
}

// --- features ---------------------------------------------------------------------------------

static int compare_features(const void *a, const void *b)
{
    const feature *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1)
                                : (x->index > y->index) - (x->index < y->index);
}

static float along(wr_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// False: out of memory.
static bool list_features(sweep *s, const wri_reach *a, const wri_reach *b, wr_scratch *scratch)
{
    const wr_boundary *other = s->b;
    int total = other->triangle_count ? other->triangle_count : other->point_count;
    int corners = other->triangle_count ? 3 : 1;
    s->list = wr_scratch_push(scratch, (size_t)total, sizeof *s->list);
    for (int i = 0; s->list && i < total; i++) {
        wr_box box = WR_BOX_EMPTY;
        for (int k = 0; k < corners; k++) {
            int point = corners == 3 ? other->triangles[3 * i + k] : i;
            WR_ASSERT(point >= 0 && point < other->point_count);
            box = wr_box_add(box, other->points[point].position);
        }
        box = grown(box, b->range);
        if (wr_boxes_meet(box, a->box)) {
            feature f = {along(box.min, s->axis), along(box.max, s->axis), i};
            s->list[s->count++] = f;
            s->widest = fmaxf(s->widest, f.end - f.begin);
        }
    }
    if (s->list) {
        qsort(s->list, (size_t)s->count, sizeof *s->list, compare_features);
    }
    return s->list;
}

// --- distances --------------------------------------------------------------------------------

// The depth beyond which an overlap is taken for the far side of a thin thing.
static float max_depth(float radii, float displacement)
{
    return 2.0f * radii + displacement;
}

static bool measure_triangle(const sweep *s, int point, int triangle, wri_nearness *out)
{
    const int *corners = &s->b->triangles[3 * triangle];
    const wr_boundary_point *p = &s->a->points[point];
    wr_vec3 x[3], speed = p->velocity;
    float radii = p->radius, w[3];
    for (int i = 0; i < 3; i++) {
        x[i] = wr_sub(s->b->points[corners[i]].position, p->position);
    }
    wri_nearest_in_triangle(wr_v3(0.0f, 0.0f, 0.0f), x[0], x[1], x[2], w);
    wr_vec3 away = {0.0f, 0.0f, 0.0f}; // from the point to the triangle
    for (int i = 0; i < 3; i++) {
        const wr_boundary_point *q = &s->b->points[corners[i]];
        away = wr_add_scaled(away, w[i], x[i]);
        speed = wr_add_scaled(speed, -w[i], q->velocity);
        radii += w[i] * q->radius;
    }
    wr_vec3 face = wr_cross(wr_sub(x[1], x[0]), wr_sub(x[2], x[0]));
    float area = wr_length(face), distance = wr_length(away);
    float displacement = s->dt * wr_length(speed);
    bool behind = wr_dot(away, face) > 0.0f;
    if (!(area > 0.0f) || !(distance <= radii + displacement) ||
        (behind && distance > max_depth(radii, displacement))) {
        return false;
    }
    wr_vec3 normal = distance > 1e-3f * radii && distance > 0.0f && !behind
                         ? wr_scale(-1.0f / distance, away)
                         : wr_scale(1.0f / area, face);
    *out = (wri_nearness){.point = point,
                          .others = {corners[0], corners[1], corners[2]},
                          .weights = {w[0], w[1], w[2]},
                          .normal = normal,
                          .gap = (behind ? -distance : distance) - radii};
    return true;
}

static bool measure_point(const sweep *s, int point, int other, wri_nearness *out)
{
    const wr_boundary_point *p = &s->a->points[point], *q = &s->b->points[other];
    wr_vec3 apart = wr_sub(p->position, q->position);
    float radii = p->radius + q->radius, distance = wr_length(apart);
    if (distance > radii + s->dt * wr_length(wr_sub(p->velocity, q->velocity)) ||
        distance <= 0.0f) {
        return false;
    }
    *out = (wri_nearness){.point = point,
                          .others = {other, -1, -1},
                          .weights = {1.0f, 0.0f, 0.0f},
                          .normal = wr_scale(1.0f / distance, apart),
                          .gap = distance - radii};
    return true;
}

// --- the sweep --------------------------------------------------------------------------------

static bool add(const sweep *s, wri_nearness n)
{
    WR_ASSERT(isfinite(n.gap) && fabsf(wr_dot(n.normal, n.normal) - 1.0f) < 1e-3f);
    WR_ASSERT(fabsf(n.weights[0] + n.weights[1] + n.weights[2] - 1.0f) < 1e-4f); // momentum is kept
    wri_nearness *place = wri_array_add(s->out, 1);
    if (place) {
        *place = n;
    }
    return place != NULL;
}

// The first feature that can reach as far as `low`.
static int find_first(const sweep *s, float low)
{
    int begin = 0;
    for (int step = s->count; step > 0; step /= 2) {
        while (begin + step <= s->count && s->list[begin + step - 1].begin < low - s->widest) {
            begin += step;
        }
    }
    WR_ASSERT(begin == 0 || s->list[begin - 1].begin < low - s->widest);
    WR_ASSERT(begin == s->count || s->list[begin].begin >= low - s->widest);
    return begin;
}

static bool find_for_point(const sweep *s, int point)
{
    wr_vec3 x = s->a->points[point].position;
    float low = along(x, s->axis) - s->range, high = along(x, s->axis) + s->range;
    bool triangles = s->b->triangle_count > 0, found = false, ok = true;
    wri_nearness best = {0}, n;
    for (int i = find_first(s, low); ok && i < s->count && s->list[i].begin <= high; i++) {
        int index = s->list[i].index;
        if (s->list[i].end < low) {
            continue;
        }
        if (!triangles) {
            ok = !measure_point(s, point, index, &n) || add(s, n);
        } else if (measure_triangle(s, point, index, &n) &&
                   (!found || fabsf(n.gap) < fabsf(best.gap))) {
            best = n;
            found = true;
        }
    }
    return ok && (!found || add(s, best));
}

bool wri_boundaries_near(const wri_reach *a, const wri_reach *b, float dt, wr_scratch *scratch,
                         wri_array *out)
{
    wr_vec3 size = wr_box_size(b->box);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    sweep s = {
        .a = a->boundary, .b = b->boundary, .dt = dt, .range = a->range, .axis = axis, .out = out};
    bool ok = list_features(&s, a, b, scratch);
    for (int i = 0; ok && s.count > 0 && i < s.a->point_count; i++) {
        wr_vec3 at = s.a->points[i].position;
        if (wr_boxes_meet(grown((wr_box){at, at}, s.range), b->box)) {
            ok = find_for_point(&s, i);
        }
    }
    return ok;
}
