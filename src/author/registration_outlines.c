// registration_outlines.c: the outlines of a drawing and of its cell, drawn to each other.
#include "registrar.h"

#include "outline.h"

#include <math.h>

enum { OUTLINE_POINTS = 400 };

#define OUTLINE_WEIGHT 0.3

typedef struct meeting {
    double distance; // INFINITY: none
    int edge;        // edge of the border
    double t;        // along it
    int point;       // point of the outline
} meeting;

static void border_normal(const wri_search *s, int edge, double out[2])
{
    const double *a = s->x[s->r->border[edge][0]], *b = s->x[s->r->border[edge][1]];
    double x = b[1] - a[1], y = a[0] - b[0], length = hypot(x, y);
    out[0] = length > 0.0 ? x / length : 0.0;
    out[1] = length > 0.0 ? y / length : 0.0;
}

// The nearest place of the border from a point of the outline, facing the same way.
static meeting meet_border(const wri_search *s, int index)
{
    meeting best = {.distance = INFINITY, .point = index};
    const double *q = s->outline[index], *m = s->normal[index];
    for (int e = 0; e < s->r->border_count; e++) {
        const double *a = s->x[s->r->border[e][0]], *b = s->x[s->r->border[e][1]];
        double x = b[0] - a[0], y = b[1] - a[1], l2 = x * x + y * y, n[2];
        double t = l2 > 0.0 ? ((q[0] - a[0]) * x + (q[1] - a[1]) * y) / l2 : 0.0;
        t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        double d = hypot(a[0] + t * x - q[0], a[1] + t * y - q[1]);
        if (d < best.distance) {
            border_normal(s, e, n);
            if (n[0] * m[0] + n[1] * m[1] > 0.3) {
                best.distance = d, best.edge = e, best.t = t;
            }
        }
    }
    return best;
}

// The nearest point of the outline from the middle of an edge of the border.
static meeting meet_outline(const wri_search *s, int edge)
{
    meeting best = {.distance = INFINITY, .edge = edge, .t = 0.5};
    const double *a = s->x[s->r->border[edge][0]], *b = s->x[s->r->border[edge][1]];
    double x = 0.5 * (a[0] + b[0]), y = 0.5 * (a[1] + b[1]), n[2];
    border_normal(s, edge, n);
    for (int i = 0; i < s->outline_count; i++) {
        double d = hypot(s->outline[i][0] - x, s->outline[i][1] - y);
        if (d < best.distance && n[0] * s->normal[i][0] + n[1] * s->normal[i][1] > 0.3) {
            best.distance = d, best.point = i;
        }
    }
    return best;
}

static void add_meeting(wri_search *s, const meeting *m, double w)
{
    wri_registrar *r = s->r;
    const double *n = s->normal[m->point], *q = s->outline[m->point];
    const double b[2] = {1.0 - m->t, m->t},
                 g[3] = {w * n[0] * n[0], w * n[0] * n[1], w * n[1] * n[1]};
    double d = w * (n[0] * q[0] + n[1] * q[1]);
    const double right[2] = {d * n[0], d * n[1]};
    wri_registrar_add_term(r, r->border[m->edge], b, 2, g, right);
}

void wri_search_add_outlines(wri_search *s, double reach)
{
    for (int e = 0; e < s->r->border_count; e++) {
        meeting m = meet_outline(s, e);
        if (m.distance < reach) {
            add_meeting(s, &m, OUTLINE_WEIGHT);
        }
    }
    double share = fmin(1.0, (double)s->r->border_count / s->outline_count);
    for (int i = 0; i < s->outline_count; i++) {
        meeting m = meet_border(s, i);
        if (m.distance < reach) {
            add_meeting(s, &m, OUTLINE_WEIGHT * share);
        }
    }
}

void wri_search_find_distances(const wri_search *s, wri_registration *out)
{
    double sum = 0.0;
    int count = s->r->border_count + s->outline_count;
    for (int i = 0; i < count; i++) {
        int e = i - s->outline_count;
        meeting m = e < 0 ? meet_border(s, i) : meet_outline(s, e);
        double d = m.distance < INFINITY ? m.distance : 0.0;
        sum += d * d;
        out->farthest = fmax(out->farthest, d);
    }
    out->outline = sqrt(sum / count);
}

// Every so many points, with their normals.
bool wri_search_trace(wri_search *s, const wr_image *picture)
{
    wri_outline o;
    if (!wri_outline_find(picture, &s->arena, &o, s->error)) {
        return false;
    }
    int all = o.loop_begin[o.loop_count], step = (all + OUTLINE_POINTS - 1) / OUTLINE_POINTS;
    s->outline = wri_arena_alloc(&s->arena, (size_t)all, sizeof *s->outline);
    s->normal = wri_arena_alloc(&s->arena, (size_t)all, sizeof *s->normal);
    if (!s->outline || !s->normal) {
        return wri_fail_memory(s->error, (size_t)all * sizeof *s->outline);
    }
    for (int l = 0; l < o.loop_count; l++) {
        int first = o.loop_begin[l], n = o.loop_begin[l + 1] - first;
        for (int i = 0; i < n; i += step) {
            int reach = n > 8 ? 2 : 1; // single steps go along pixels
            const double *a = o.points[first + (i + n - reach) % n];
            const double *b = o.points[first + (i + reach) % n];
            double x = b[1] - a[1], y = a[0] - b[0], length = hypot(x, y);
            if (length > 0.0) {
                memcpy(s->outline[s->outline_count], o.points[first + i], sizeof *s->outline);
                s->normal[s->outline_count][0] = x / length;
                s->normal[s->outline_count++][1] = y / length;
            }
        }
    }
    return s->outline_count > 0 ||
           wri_fail(s->error, WR_E_ARGUMENT, "image \"%s\": has no outline", picture->name);
}
