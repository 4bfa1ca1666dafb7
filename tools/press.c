// press.c: thin sheet under tools, for the dents of the demo models.
//
// Position-based dynamics: M. Müller, B. Heidelberger, M. Hennix, J. Ratcliff. Position based
// dynamics. VRIPHYS 2006. Edges keep their length; the angle across an edge is drawn to a rest
// angle that follows once it is off by more than the yield angle, so that folds stay. Gradients of
// the angle after R. Bridson, S. Marino, R. Fedkiw. Simulation of clothing with folds and wrinkles.
// SCA 2003, section 4: with the edge E = x4 - x3, wings x1 and x2, N1 = (x1 - x3) x (x1 - x4),
// N2 = (x2 - x4) x (x2 - x3). One thread, fixed order: the same program gives the same bits.
#include "press.h"

#include "draw.h"
#include "../src/base/base.h"
#include "../src/math/decompose.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct bond {
    int a, b;
    float rest, length; // at first, and now that it may have been drawn out
} bond;

typedef struct hinge {
    int wing[2], edge[2]; // x1 x2, x3 x4
    float angle;          // at which it rests
    float folded;         // radians by which that has moved
    float bend;
} hinge;

typedef struct contact {
    int a, b;
} contact;

typedef struct side {
    int low, high, wing; // an edge of a triangle and the corner that is not on it
} side;

struct sheet {
    wri_array rest, triangles, bonds, hinges, contacts; // wr_vec3, int[3], ...
    wr_vec3 *x, *before;
    float *mobility; // 0: led
};

static void *need(void *memory)
{
    if (!memory) {
        fputs("make_models: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

sheet *sheet_create(void)
{
    sheet *s = need(wri_alloc(NULL, 1, sizeof *s));
    s->rest = wri_array_create(NULL, sizeof(wr_vec3));
    s->triangles = wri_array_create(NULL, sizeof(int[3]));
    s->bonds = wri_array_create(NULL, sizeof(bond));
    s->hinges = wri_array_create(NULL, sizeof(hinge));
    s->contacts = wri_array_create(NULL, sizeof(contact));
    return s;
}

static void free_state(sheet *s)
{
    size_t count = (size_t)s->rest.count;
    if (s->x) {
        wri_free(NULL, s->x, count, sizeof *s->x);
        wri_free(NULL, s->before, count, sizeof *s->before);
        wri_free(NULL, s->mobility, count, sizeof *s->mobility);
    }
    s->x = NULL;
}

void sheet_destroy(sheet *s)
{
    free_state(s);
    wri_array *const arrays[] = {&s->rest, &s->triangles, &s->bonds, &s->hinges, &s->contacts};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        wri_array_destroy(arrays[i]);
    }
    wri_free(NULL, s, 1, sizeof *s);
}

static int add_point(sheet *s, wr_vec3 at)
{
    const wr_vec3 *rest = s->rest.items;
    for (int i = s->rest.count - 1; i >= 0; i--) { // neighbours were added lately
        if (wr_distance(rest[i], at) < 1e-5f) {
            return i;
        }
    }
    *(wr_vec3 *)need(wri_array_add(&s->rest, 1)) = at;
    return s->rest.count - 1;
}

void sheet_add_triangle(sheet *s, wr_vec3 a, wr_vec3 b, wr_vec3 c)
{
    int corner[3] = {add_point(s, a), add_point(s, b), add_point(s, c)};
    if (corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0]) {
        memcpy(need(wri_array_add(&s->triangles, 1)), corner, sizeof corner);
    }
}

void sheet_add_grid(sheet *s, const wr_vec3 *points, int columns, int rows)
{
    for (int j = 0; j + 1 < rows; j++) {
        for (int i = 0; i + 1 < columns; i++) {
            const wr_vec3 *p = points + j * columns + i, *q = p + columns;
            if ((i + j) % 2 == 0) {
                sheet_add_triangle(s, p[0], p[1], q[1]);
                sheet_add_triangle(s, p[0], q[1], q[0]);
            } else {
                sheet_add_triangle(s, p[0], p[1], q[0]);
                sheet_add_triangle(s, p[1], q[1], q[0]);
            }
        }
    }
}

static void add_bond(sheet *s, int a, int b)
{
    const wr_vec3 *rest = s->rest.items;
    float length = wr_distance(rest[a], rest[b]);
    *(bond *)need(wri_array_add(&s->bonds, 1)) = (bond){a, b, length, length};
}

// --- edges and hinges -------------------------------------------------------------------------

static int compare_sides(const void *a, const void *b)
{
    const side *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return p->wing < q->wing ? -1 : p->wing > q->wing;
}

// The angle between the normals, 0 when flat, and its gradient by x1 x2 x3 x4.
static bool find_angle(const wr_vec3 *x, const hinge *h, float *angle, wr_vec3 gradient[4])
{
    wr_vec3 x1 = x[h->wing[0]], x2 = x[h->wing[1]], x3 = x[h->edge[0]], x4 = x[h->edge[1]];
    wr_vec3 e = wr_sub(x4, x3);
    wr_vec3 n1 = wr_cross(wr_sub(x1, x3), wr_sub(x1, x4));
    wr_vec3 n2 = wr_cross(wr_sub(x2, x4), wr_sub(x2, x3));
    float length = wr_length(e), s1 = wr_dot(n1, n1), s2 = wr_dot(n2, n2);
    if (length < 1e-6f || s1 < 1e-14f || s2 < 1e-14f) {
        return false; // nothing to turn about
    }
    *angle = atan2f(wr_dot(wr_cross(n2, n1), e) / length, wr_dot(n1, n2));
    wr_vec3 u1 = wr_scale(1.0f / s1, n1), u2 = wr_scale(1.0f / s2, n2);
    gradient[0] = wr_scale(length, u1);
    gradient[1] = wr_scale(length, u2);
    gradient[2] = wr_add(wr_scale(wr_dot(wr_sub(x1, x4), e) / length, u1),
                         wr_scale(wr_dot(wr_sub(x2, x4), e) / length, u2));
    gradient[3] = wr_add(wr_scale(-wr_dot(wr_sub(x1, x3), e) / length, u1),
                         wr_scale(-wr_dot(wr_sub(x2, x3), e) / length, u2));
    return true;
}

// Where more than two triangles meet, as at a beam's web, every neighbouring pair in order of the
// wings makes a hinge.
static void find_edges(sheet *s)
{
    int count = 3 * s->triangles.count;
    side *sides = need(wri_alloc(NULL, (size_t)count, sizeof *sides));
    for (int i = 0; i < count; i++) {
        const int *c = (const int *)s->triangles.items + i / 3 * 3;
        int a = c[i % 3], b = c[(i + 1) % 3];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, c[(i + 2) % 3]};
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    for (int i = 0; i < count; i++) {
        const side *p = &sides[i], *q = p + 1;
        if (i == 0 || p[-1].low != p->low || p[-1].high != p->high) {
            add_bond(s, p->low, p->high);
        }
        if (i + 1 < count && q->low == p->low && q->high == p->high) {
            *(hinge *)need(wri_array_add(&s->hinges, 1)) =
                (hinge){.wing = {p->wing, q->wing}, .edge = {p->low, p->high}};
        }
    }
    wri_free(NULL, sides, (size_t)count, sizeof *sides);
}

static void reset_hinges(sheet *s, const press *p)
{
    const wr_vec3 *rest = s->rest.items;
    for (int i = 0; i < s->hinges.count; i++) {
        hinge *h = &WRI_ITEM(s->hinges, hinge, i);
        wr_vec3 unused[4];
        h->angle = h->folded = 0.0f;
        h->bend = p->bend;
        if (p->stiff) {
            h->bend *= p->stiff(wr_lerp3(rest[h->edge[0]], rest[h->edge[1]], 0.5f));
        }
        h->bend = fminf(h->bend, 1.0f);
        find_angle(rest, h, &h->angle, unused);
    }
}

static void start(sheet *s, const press *p)
{
    size_t count = (size_t)s->rest.count;
    const wr_vec3 *rest = s->rest.items;
    if (s->hinges.count == 0) {
        find_edges(s);
    }
    free_state(s);
    s->x = need(wri_alloc(NULL, count, sizeof *s->x));
    s->before = need(wri_alloc(NULL, count, sizeof *s->before));
    s->mobility = need(wri_alloc(NULL, count, sizeof *s->mobility));
    reset_hinges(s, p);
    for (int i = 0; i < s->bonds.count; i++) {
        bond *b = &WRI_ITEM(s->bonds, bond, i);
        b->length = b->rest;
    }
    for (int i = 0; i < s->rest.count; i++) {
        wr_vec3 away;
        s->mobility[i] = p->hold && p->hold(rest[i], 0.0f, &away) ? 0.0f : 1.0f;
        wr_vec3 at = wr_add(wr_scale(9.0f, rest[i]), wr_v3(50.0f, 50.0f, 50.0f));
        wr_vec3 off = wr_v3(fractal(at, 2, p->seed), fractal(at, 2, p->seed + 1),
                            fractal(at, 2, p->seed + 2));
        off = wr_scale(2.0f * p->flaw, wr_sub(off, wr_v3(0.5f, 0.5f, 0.5f)));
        s->x[i] = s->before[i] = wr_add_scaled(rest[i], s->mobility[i], off);
    }
}

// --- one step ---------------------------------------------------------------------------------

static void keep_length(sheet *s, const bond *b)
{
    float wa = s->mobility[b->a], wb = s->mobility[b->b];
    wr_vec3 d = wr_sub(s->x[b->b], s->x[b->a]);
    float length = wr_length(d);
    if (wa + wb == 0.0f || length < 1e-9f) {
        return;
    }
    float share = (length - b->length) / (length * (wa + wb));
    s->x[b->a] = wr_add_scaled(s->x[b->a], wa * share, d);
    s->x[b->b] = wr_add_scaled(s->x[b->b], -wb * share, d);
}

static float turn_between(float from, float to)
{
    float d = to - from;
    return d > WR_PI ? d - 2.0f * WR_PI : d < -WR_PI ? d + 2.0f * WR_PI : d;
}

static void keep_angle(sheet *s, const hinge *h)
{
    wr_vec3 u[4];
    float angle = 0.0f, sum = 0.0f;
    if (!find_angle(s->x, h, &angle, u)) {
        return;
    }
    const int at[4] = {h->wing[0], h->wing[1], h->edge[0], h->edge[1]};
    for (int k = 0; k < 4; k++) {
        sum += s->mobility[at[k]] * wr_dot(u[k], u[k]);
    }
    if (sum < 1e-9f) {
        return;
    }
    float share = -h->bend * wr_clampf(turn_between(h->angle, angle), -0.3f, 0.3f) / sum;
    for (int k = 0; k < 4; k++) {
        s->x[at[k]] = wr_add_scaled(s->x[at[k]], share * s->mobility[at[k]], u[k]);
    }
}

static void keep_apart(sheet *s, const contact *c, float gap)
{
    float wa = s->mobility[c->a], wb = s->mobility[c->b];
    wr_vec3 d = wr_sub(s->x[c->b], s->x[c->a]);
    float length = wr_length(d);
    if (length >= gap || length < 1e-9f || wa + wb == 0.0f) {
        return;
    }
    float share = (length - gap) / (length * (wa + wb));
    s->x[c->a] = wr_add_scaled(s->x[c->a], wa * share, d);
    s->x[c->b] = wr_add_scaled(s->x[c->b], -wb * share, d);
}

// Pairs that are near now but not at rest, by a sort along x.
typedef struct ordered {
    float x;
    int point;
} ordered;

static int compare_ordered(const void *a, const void *b)
{
    const ordered *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return p->point < q->point ? -1 : 1;
}

static void find_contacts(sheet *s, float gap)
{
    const wr_vec3 *rest = s->rest.items;
    int count = s->rest.count;
    ordered *order = need(wri_alloc(NULL, (size_t)count, sizeof *order));
    for (int i = 0; i < count; i++) {
        order[i] = (ordered){s->x[i].x, i};
    }
    qsort(order, (size_t)count, sizeof *order, compare_ordered);
    s->contacts.count = 0;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count && order[j].x < order[i].x + 1.5f * gap; j++) {
            int a = order[i].point, b = order[j].point;
            if (wr_distance(s->x[a], s->x[b]) < 1.5f * gap &&
                wr_distance(rest[a], rest[b]) > 2.0f * gap) {
                *(contact *)need(wri_array_add(&s->contacts, 1)) = (contact){a, b};
            }
        }
    }
    wri_free(NULL, order, (size_t)count, sizeof *order);
}

// Forward and back in turn, so that the order leaves no lean.
static void make_round(sheet *s, const press *p, float t, bool back, bool tools)
{
    for (int k = 0; k < s->hinges.count; k++) {
        keep_angle(s, &WRI_ITEM(s->hinges, hinge, back ? s->hinges.count - 1 - k : k));
    }
    for (int k = 0; k < s->contacts.count; k++) {
        keep_apart(s, &WRI_ITEM(s->contacts, contact, k), p->gap);
    }
    for (int k = 0; k < s->bonds.count; k++) {
        keep_length(s, &WRI_ITEM(s->bonds, bond, back ? s->bonds.count - 1 - k : k));
    }
    for (int i = 0; tools && p->push && i < s->rest.count; i++) {
        if (s->mobility[i] > 0.0f) {
            s->x[i] = p->push(s->x[i], WRI_ITEM(s->rest, wr_vec3, i), t);
        }
    }
}

static void yield_angles(sheet *s, const press *p)
{
    for (int i = 0; i < s->hinges.count; i++) {
        hinge *h = &WRI_ITEM(s->hinges, hinge, i);
        wr_vec3 unused[4];
        float angle = h->angle;
        find_angle(s->x, h, &angle, unused);
        float off = turn_between(h->angle, angle), over = fabsf(off) - p->yield;
        if (over > 0.0f) {
            h->angle = turn_between(0.0f, h->angle + copysignf(over, off));
            if (h->folded < 0.25f && h->folded + over >= 0.25f) {
                h->bend *= p->soften;
            }
            h->folded += over;
        }
    }
}

// What is drawn by more than a hundredth stays longer; what is pressed together buckles instead.
static void yield_lengths(sheet *s, const press *p)
{
    for (int i = 0; i < s->bonds.count; i++) {
        bond *b = &WRI_ITEM(s->bonds, bond, i);
        float now = wr_distance(s->x[b->a], s->x[b->b]) / 1.01f;
        b->length = fmaxf(b->length, fminf(now, (1.0f + p->stretch) * b->rest));
    }
}

void sheet_press(sheet *s, const press *p)
{
    start(s, p);
    for (int step = 0; step < p->steps + p->release; step++) {
        float t = fminf((float)(step + 1) / (float)p->steps, 1.0f);
        bool tools = step < p->steps;
        for (int i = 0; i < s->rest.count; i++) {
            wr_vec3 now = s->x[i];
            if (s->mobility[i] > 0.0f) {
                s->x[i] = wr_add_scaled(now, p->inertia, wr_sub(now, s->before[i]));
            } else {
                p->hold(WRI_ITEM(s->rest, wr_vec3, i), t, &s->x[i]);
            }
            s->before[i] = now;
        }
        s->contacts.count = 0;
        if (p->gap > 0.0f) {
            find_contacts(s, p->gap);
        }
        for (int round = 0; round < p->rounds; round++) {
            make_round(s, p, t, round % 2 == 1, tools);
        }
        yield_angles(s, p);
        yield_lengths(s, p);
    }
}

wr_vec3 blade_push(const blade *b, float depth, wr_vec3 p)
{
    wr_vec3 d = wr_sub(p, wr_add_scaled(b->tip, depth, b->way));
    float ahead = fminf(wr_dot(d, b->way) + b->radius, 0.0f); // the edge's middle is behind the tip
    float aside = wr_clampf(wr_dot(d, b->along), -b->half, b->half);
    wr_vec3 middle = wr_add_scaled(wr_scale(ahead - b->radius, b->way), aside, b->along);
    wr_vec3 out = wr_sub(d, middle);
    float distance = wr_length(out);
    if (distance >= b->radius || distance < 1e-9f) {
        return p;
    }
    return wr_add_scaled(p, b->radius / distance - 1.0f, out);
}

// --- carrying ---------------------------------------------------------------------------------

// Weights of the point of a triangle that is nearest to p (Ericson, Real-Time Collision Detection,
// 5.1.5); returns the squared distance.
static float nearest_on(wr_vec3 a, wr_vec3 b, wr_vec3 c, wr_vec3 p, float w[3])
{
    wr_vec3 ab = wr_sub(b, a), ac = wr_sub(c, a), ap = wr_sub(p, a), bp = wr_sub(p, b),
            cp = wr_sub(p, c);
    float d1 = wr_dot(ab, ap), d2 = wr_dot(ac, ap), d3 = wr_dot(ab, bp), d4 = wr_dot(ac, bp);
    float d5 = wr_dot(ab, cp), d6 = wr_dot(ac, cp);
    float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0.0f && d2 <= 0.0f) {
        memcpy(w, (float[]){1.0f, 0.0f, 0.0f}, 3 * sizeof *w);
    } else if (d3 >= 0.0f && d4 <= d3) {
        memcpy(w, (float[]){0.0f, 1.0f, 0.0f}, 3 * sizeof *w);
    } else if (d6 >= 0.0f && d5 <= d6) {
        memcpy(w, (float[]){0.0f, 0.0f, 1.0f}, 3 * sizeof *w);
    } else if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) {
        w[1] = d1 / (d1 - d3), w[0] = 1.0f - w[1], w[2] = 0.0f;
    } else if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) {
        w[2] = d2 / (d2 - d6), w[0] = 1.0f - w[2], w[1] = 0.0f;
    } else if (va <= 0.0f && d4 >= d3 && d5 >= d6) {
        w[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6)), w[1] = 1.0f - w[2], w[0] = 0.0f;
    } else {
        w[1] = vb / (va + vb + vc), w[2] = vc / (va + vb + vc), w[0] = 1.0f - w[1] - w[2];
    }
    wr_vec3 q = wr_add(wr_add(wr_scale(w[0], a), wr_scale(w[1], b)), wr_scale(w[2], c));
    return wr_dot(wr_sub(p, q), wr_sub(p, q));
}

static void triangle_axes(const wr_vec3 *x, const int *c, wr_vec3 axes[3])
{
    axes[0] = wr_normalize(wr_sub(x[c[1]], x[c[0]]));
    axes[2] = wr_normalize(wr_cross(axes[0], wr_sub(x[c[2]], x[c[0]])));
    axes[1] = wr_cross(axes[2], axes[0]);
}

// How the sheet has turned at every point: the rotation nearest to the sum over its triangles.
static wr_mat3 *find_turns(const sheet *s)
{
    wr_mat3 *turns = need(wri_alloc(NULL, (size_t)s->rest.count, sizeof *turns));
    for (int t = 0; t < s->triangles.count; t++) {
        const int *c = (const int *)s->triangles.items + 3 * t;
        wr_vec3 from[3], to[3];
        triangle_axes(s->rest.items, c, from);
        triangle_axes(s->x, c, to);
        for (int k = 0; k < 9; k++) {
            float turn = 0.0f;
            for (int axis = 0; axis < 3; axis++) {
                turn += (&to[axis].x)[k / 3] * (&from[axis].x)[k % 3];
            }
            for (int corner = 0; corner < 3; corner++) {
                turns[c[corner]].m[k / 3][k % 3] += turn;
            }
        }
    }
    for (int i = 0; i < s->rest.count; i++) {
        wr_mat3 sum = turns[i];
        float stretch[3][3];
        wri_polar3f(sum.m, turns[i].m, stretch);
    }
    return turns;
}

void sheet_carry(const sheet *s, const wr_vec3 *points, int count, wr_vec3 *out)
{
    const wr_vec3 *rest = s->rest.items;
    wr_mat3 *turns = find_turns(s);
    for (int i = 0; i < count; i++) {
        float least = INFINITY, weights[3] = {0};
        const int *on = NULL;
        for (int t = 0; t < s->triangles.count && least > 1e-12f; t++) {
            const int *c = (const int *)s->triangles.items + 3 * t;
            float w[3], d = nearest_on(rest[c[0]], rest[c[1]], rest[c[2]], points[i], w);
            if (d < least) {
                least = d;
                on = c;
                memcpy(weights, w, sizeof w);
            }
        }
        wr_vec3 sum = {0};
        for (int k = 0; k < 3; k++) {
            wr_vec3 arm = wr_mat3_apply(turns[on[k]], wr_sub(points[i], rest[on[k]]));
            sum = wr_add_scaled(sum, weights[k], wr_add(s->x[on[k]], arm));
        }
        out[i] = sum;
    }
    wri_free(NULL, turns, (size_t)s->rest.count, sizeof *turns);
}
