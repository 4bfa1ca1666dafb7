// registrar.c: a drawing that is looked for: its mesh, and the points that carry its colours.
#include "registrar.h"

#include "key_table.h"

#include <math.h>
#include <stdlib.h>

// --- the mesh ---------------------------------------------------------------------------------

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Neighbours by way of triangles; an inner edge is met twice.
static bool list_neighbours(wri_registrar *r)
{
    size_t corners = 3 * (size_t)r->element_count;
    int *room = wri_arena_alloc(&r->arena, 2 * corners, sizeof(int));
    r->begin = wri_arena_alloc(&r->arena, (size_t)r->n + 1, sizeof(int));
    int *fill = wri_arena_alloc(&r->arena, (size_t)r->n + 1, sizeof(int));
    r->border = wri_arena_alloc(&r->arena, corners, sizeof *r->border);
    r->border_of = wri_arena_alloc(&r->arena, corners, sizeof(int));
    if (!room || !r->begin || !fill || !r->border || !r->border_of) {
        return false;
    }
    for (size_t i = 0; i < corners; i++) {
        fill[r->elements[i] + 1] += 2;
    }
    for (int v = 0; v < r->n; v++) {
        fill[v + 1] += fill[v];
    }
    for (size_t i = 0; i < corners; i++) {
        const int *t = r->elements + (i - i % 3);
        room[fill[t[i % 3]]++] = t[(i + 1) % 3];
        room[fill[t[i % 3]]++] = t[(i + 2) % 3];
    }
    int count = 0;
    for (int v = 0, from = 0; v < r->n; v++) {
        int to = fill[v];
        qsort(room + from, (size_t)(to - from), sizeof(int), compare_ints);
        r->begin[v] = count;
        for (int i = from; i < to; i++) {
            if (i == from || room[i] != room[i - 1]) {
                room[count++] = room[i];
            }
        }
        from = to;
    }
    r->begin[r->n] = count;
    r->around = room;
    return true;
}

static uint64_t edge_key(int a, int b)
{
    return (uint64_t)a << 32 | (uint64_t)b;
}

// An edge of one triangle only: the other direction is in none.
static bool list_border(wri_registrar *r)
{
    wri_key_table table = wri_key_table_create(&r->arena.allocator);
    double sum = 0.0;
    bool ok = true;
    for (int i = 0; ok && i < 3 * r->element_count; i++) {
        int a = r->elements[i], b = r->elements[i % 3 == 2 ? i - 2 : i + 1];
        ok = wri_key_table_add(&table, edge_key(a, b)) >= 0;
        sum += hypot(r->u[a][0] - r->u[b][0], r->u[a][1] - r->u[b][1]);
    }
    for (int i = 0; ok && i < 3 * r->element_count; i++) {
        int a = r->elements[i], b = r->elements[i % 3 == 2 ? i - 2 : i + 1];
        if (wri_key_table_find(&table, edge_key(b, a)) < 0) {
            r->border[r->border_count][0] = a;
            r->border[r->border_count][1] = b;
            r->border_of[r->border_count++] = i / 3;
        }
    }
    wri_key_table_destroy(&table);
    r->spacing = sum / (3.0 * r->element_count);
    return ok;
}

// --- points -----------------------------------------------------------------------------------

static bool add_point(wri_array *out, const wri_registrar *r, const wri_pyramid_level *level,
                      int element, double x, double y)
{
    const int *t = r->elements + 3 * element;
    const double *o = r->u[t[0]], *a = r->u[t[1]], *b = r->u[t[2]];
    double all = (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    double w1 = ((x - o[0]) * (b[1] - o[1]) - (y - o[1]) * (b[0] - o[0])) / all;
    double w2 = ((a[0] - o[0]) * (y - o[1]) - (a[1] - o[1]) * (x - o[0])) / all;
    double value[WRI_CHANNELS];
    wri_registrar_point *p = wri_array_add(out, 1);
    if (!p) {
        return false;
    }
    wri_pyramid_sample(level, x, y, value, NULL);
    *p = (wri_registrar_point){.element = element,
                               .b = {(float)(1.0 - w1 - w2), (float)w1, (float)w2}};
    for (int c = 0; c < WRI_CHANNELS; c++) {
        p->value[c] = (float)value[c];
    }
    return true;
}

// The middles of pixels within a triangle. Edges belong to the triangle on their left or above.
static bool fill_triangle(wri_array *out, const wri_registrar *r, const wri_pyramid_level *level,
                          int element)
{
    const int *t = r->elements + 3 * element;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, s = level->unit;
    for (int k = 0; k < 6; k++) {
        low[k % 2] = fmin(low[k % 2], r->u[t[k / 2]][k % 2]);
        high[k % 2] = fmax(high[k % 2], r->u[t[k / 2]][k % 2]);
    }
    for (int j = (int)floor(low[1] / s); j <= (int)(high[1] / s); j++) {
        for (int i = (int)floor(low[0] / s); i <= (int)(high[0] / s); i++) {
            double x = (i + 0.5) * s, y = (j + 0.5) * s;
            bool inside = true;
            for (int k = 0; k < 3; k++) {
                const double *a = r->u[t[k]], *b = r->u[t[(k + 1) % 3]];
                double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
                bool owns = b[1] < a[1] || (b[1] == a[1] && b[0] > a[0]);
                inside = inside && (side > 0.0 || (side == 0.0 && owns));
            }
            if (inside && !add_point(out, r, level, element, x, y)) {
                return false;
            }
        }
    }
    return true;
}

// Points outside along the outline, half a pixel and one and a half away: nothing shall be there.
static bool fill_border(wri_array *out, const wri_registrar *r, const wri_pyramid_level *level)
{
    for (int e = 0; e < r->border_count; e++) {
        const double *a = r->u[r->border[e][0]], *b = r->u[r->border[e][1]];
        double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y), s = level->unit;
        int count = (int)fmax(1.0, floor(length / s + 0.5));
        int element = r->border_of[e];
        for (int k = 0; k < 2 * count && length > 0.0; k++) {
            double t = (k / 2 + 0.5) / count, d = (k % 2 + 0.5) * s / length;
            if (!add_point(out, r, level, element, a[0] + t * x + d * y, a[1] + t * y - d * x)) {
                return false;
            }
        }
    }
    return true;
}

static bool fill_points(wri_registrar *r, int level)
{
    wri_array list = wri_array_create(&r->arena.allocator, sizeof(wri_registrar_point));
    bool ok = fill_border(&list, r, &r->picture.levels[level]);
    for (int i = 0; ok && i < r->element_count; i++) {
        ok = fill_triangle(&list, r, &r->picture.levels[level], i);
    }
    wri_registrar_points *out = &r->points[level];
    out->items =
        ok ? wri_arena_alloc(&r->arena, (size_t)list.count, sizeof(wri_registrar_point)) : NULL;
    if (out->items) {
        memcpy(out->items, list.items, (size_t)list.count * sizeof(wri_registrar_point));
        out->count = list.count;
    }
    wri_array_destroy(&list);
    return out->items != NULL;
}

wri_registrar *wri_registrar_create(const wri_registrar_desc *desc, wr_error *error)
{
    wri_arena arena = wri_arena_create(desc->allocator);
    wri_registrar *r = wri_arena_alloc(&arena, 1, sizeof *r);
    if (!r) {
        wri_fail_memory(error, sizeof *r);
        return NULL;
    }
    *r = (wri_registrar){.arena = arena,
                         .n = desc->vertex_count,
                         .u = desc->rest,
                         .element_count = desc->element_count,
                         .elements = desc->elements};
    bool ok = (list_neighbours(r) && list_border(r)) || wri_fail_memory(error, r->arena.total);
    ok = ok && wri_pyramid_create(&r->picture, &r->arena, desc->picture, error);
    for (int i = 0; ok && i < r->picture.level_count; i++) {
        ok = fill_points(r, i) || wri_fail_memory(error, r->arena.total);
    }
    if (!ok || !wri_registrar_create_system(r, error)) {
        wri_registrar_destroy(r);
        return NULL;
    }
    return r;
}

void wri_registrar_destroy(wri_registrar *r)
{
    if (r) {
        wri_arena arena = r->arena;
        wri_cholesky_destroy(r->cholesky);
        wri_arena_destroy(&arena);
    }
}
