// registration.c: an as-rigid-as-possible mesh that looks for its picture, from coarse to fine.
//
// Two ways to see where to go, both held together by the mesh:
// - Push (D. Sykora, J. Dingliana, S. Collins. As-rigid-as-possible image registration for
//   hand-drawn cartoon animations. NPAR 2009): every vertex looks around for the place where its
//   surroundings, turned as the mesh turns, look most alike. Finds what has gone far; on the coarse
//   levels.
// - Refine: Gauss-Newton on sum_p |B(x(p)) - A(p)|^2 over points p of the mesh, colours and alpha,
//   and on the distance of the outlines, both ways. Exact to a part of a pixel; on all levels.
// The mesh resists with a sum_ij |x_i - x_j - R_i (u_i - u_j)|^2 over its edges (O. Sorkine, M.
// Alexa 2007), R_i the rotation nearest to what is around i. u rest, x places, both in pixels.
#include "registration.h"

#include "cholesky.h"
#include "key_table.h"
#include "outline.h"
#include "pyramid.h"

#include <math.h>
#include <stdlib.h>

enum {
    PUSH_ROUNDS = 8,
    PUSH_REACH = 3, // pixels of a level
    PUSH_SIDE = 32, // levels up to this size are pushed
    REFINE_ROUNDS = 14,
    OUTLINE_POINTS = 400,
    TURNS = 24,
};

#define RIGID_COARSE 0.3 // a, relative to the slopes of the picture
#define RIGID_FINE 0.003
#define OUTLINE_WEIGHT 0.3
#define ROBUST 0.15 // squared differences of colour beyond which a point counts less
#define STEP 2.0    // pixels of a level that a vertex may go per round

// A point of the mesh that carries a colour of the drawing.
typedef struct point {
    int element;
    float b[3];
    float value[WRI_CHANNELS];
} point;

typedef struct points {
    point *items;
    int count;
} points;

struct wri_registrar {
    wri_arena arena; // until destroy
    int n, element_count;
    const wri_place2 *u;
    const int *elements;
    int *begin, *around; // neighbours of each vertex, ascending
    int (*border)[2];    // edges of the outline, the inside on their left
    int *border_of;      // the triangle of each
    int border_count;
    double spacing; // pixels
    wri_pyramid picture;
    points points[WRI_PYRAMID_LEVELS];
    wri_sparse lower; // two rows per vertex
    wri_cholesky *cholesky;
    double *right;     // 2 n
    double (*turn)[2]; // cosine and sine of R_i
    wri_place2 *last, *best;
};

// What belongs to one cell.
typedef struct search {
    wri_registrar *r;
    wri_arena arena;
    wri_pyramid picture;
    wri_place2 *outline; // points of its outline
    wri_place2 *normal;  // outwards
    int outline_count;
    wri_place2 *x;
    wr_error *error;
} search;

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

// Lower triangle: row 2i has the columns of neighbours before i, and 2i; row 2i + 1 one more.
static bool create_system(wri_registrar *r, wr_error *error)
{
    size_t entries = 0;
    for (int i = 0; i < r->n; i++) {
        entries += 4 * (size_t)(r->begin[i + 1] - r->begin[i]) + 3;
    }
    r->lower = (wri_sparse){.size = 2 * r->n,
                            .begin = wri_arena_alloc(&r->arena, 2 * (size_t)r->n + 1, sizeof(int)),
                            .index = wri_arena_alloc(&r->arena, entries, sizeof(int)),
                            .values = wri_arena_alloc(&r->arena, entries, sizeof(double))};
    r->right = wri_arena_alloc(&r->arena, 2 * (size_t)r->n, sizeof(double));
    r->turn = wri_arena_alloc(&r->arena, (size_t)r->n, sizeof *r->turn);
    r->last = wri_arena_alloc(&r->arena, (size_t)r->n, sizeof *r->last);
    r->best = wri_arena_alloc(&r->arena, (size_t)r->n, sizeof *r->best);
    if (!r->lower.begin || !r->lower.index || !r->lower.values || !r->right || !r->turn ||
        !r->last || !r->best) {
        return wri_fail_memory(error, entries * sizeof(double));
    }
    int count = 0;
    for (int row = 0; row < 2 * r->n; row++) {
        int i = row / 2;
        r->lower.begin[row] = count;
        for (int k = r->begin[i]; k < r->begin[i + 1] && r->around[k] < i; k++) {
            r->lower.index[count++] = 2 * r->around[k];
            r->lower.index[count++] = 2 * r->around[k] + 1;
        }
        for (int column = 2 * i; column <= row; column++) {
            r->lower.index[count++] = column;
        }
    }
    r->lower.begin[2 * r->n] = count;
    for (int i = 0; i < r->n; i++) { // for the analysis alone: positive definite
        r->lower.values[r->lower.begin[2 * i + 1] - 1] = 1.0;
        r->lower.values[r->lower.begin[2 * i + 2] - 1] = 1.0;
    }
    r->cholesky = wri_cholesky_create(&r->lower, NULL, 1, error);
    return r->cholesky != NULL;
}

// Adds a symmetric 2 x 2 block at vertices i and j.
static void add_block(wri_registrar *r, int i, int j, double xx, double xy, double yy)
{
    if (j > i) {
        int kept = i;
        i = j;
        j = kept;
    }
    double *top = r->lower.values + r->lower.begin[2 * i];
    double *low = r->lower.values + r->lower.begin[2 * i + 1];
    int k = 0;
    while (r->lower.index[r->lower.begin[2 * i] + k] != 2 * j) {
        k++;
    }
    top[k] += xx;
    low[k] += xy;
    low[k + 1] += yy;
    if (i != j) {
        top[k + 1] += xy;
    }
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
    point *p = wri_array_add(out, 1);
    if (!p) {
        return false;
    }
    wri_pyramid_sample(level, x, y, value, NULL);
    *p = (point){.element = element, .b = {(float)(1.0 - w1 - w2), (float)w1, (float)w2}};
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
    wri_array list = wri_array_create(&r->arena.allocator, sizeof(point));
    bool ok = fill_border(&list, r, &r->picture.levels[level]);
    for (int i = 0; ok && i < r->element_count; i++) {
        ok = fill_triangle(&list, r, &r->picture.levels[level], i);
    }
    points *out = &r->points[level];
    out->items = ok ? wri_arena_alloc(&r->arena, (size_t)list.count, sizeof(point)) : NULL;
    if (out->items) {
        memcpy(out->items, list.items, (size_t)list.count * sizeof(point));
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
    if (!ok || !create_system(r, error)) {
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

// --- rigidity ---------------------------------------------------------------------------------

static void find_turns(wri_registrar *r, const wri_place2 *x)
{
    for (int i = 0; i < r->n; i++) {
        double c = 0.0, s = 0.0;
        for (int k = r->begin[i]; k < r->begin[i + 1]; k++) {
            int j = r->around[k];
            double ux = r->u[j][0] - r->u[i][0], uy = r->u[j][1] - r->u[i][1];
            double xx = x[j][0] - x[i][0], xy = x[j][1] - x[i][1];
            c += ux * xx + uy * xy;
            s += ux * xy - uy * xx;
        }
        double length = hypot(c, s);
        r->turn[i][0] = length > 0.0 ? c / length : 1.0;
        r->turn[i][1] = length > 0.0 ? s / length : 0.0;
    }
}

// Empties the system and fills in a (the edges as they would like to be).
static void begin_system(wri_registrar *r, double a)
{
    memset(r->lower.values, 0, (size_t)r->lower.begin[2 * r->n] * sizeof(double));
    memset(r->right, 0, 2 * (size_t)r->n * sizeof(double));
    for (int i = 0; i < r->n; i++) {
        for (int k = r->begin[i]; k < r->begin[i + 1]; k++) {
            int j = r->around[k]; // |x_i - x_j - (R_i + R_j)(u_i - u_j) / 2|^2, twice
            double ux = r->u[i][0] - r->u[j][0], uy = r->u[i][1] - r->u[j][1];
            double c = r->turn[i][0] + r->turn[j][0], s = r->turn[i][1] + r->turn[j][1];
            add_block(r, i, i, 2.0 * a, 0.0, 2.0 * a);
            if (j < i) {
                add_block(r, i, j, -2.0 * a, 0.0, -2.0 * a);
            }
            r->right[2 * i] += a * (c * ux - s * uy);
            r->right[2 * i + 1] += a * (s * ux + c * uy);
        }
        add_block(r, i, i, 1e-9, 0.0, 1e-9); // parts that nothing shows stay where they are
        r->right[2 * i] += 1e-9 * r->u[i][0];
        r->right[2 * i + 1] += 1e-9 * r->u[i][1];
    }
}

// Places after one solve, none further away than limit.
static bool solve_system(search *s, double limit)
{
    wri_registrar *r = s->r;
    if (!wri_cholesky_factor(r->cholesky, &r->lower, s->error)) {
        return false;
    }
    if (!wri_cholesky_solve(r->cholesky, 0, 1, r->right, r->right)) {
        return wri_fail_memory(s->error, 2 * (size_t)r->n * sizeof(double));
    }
    for (int i = 0; i < r->n; i++) {
        double dx = r->right[2 * i] - s->x[i][0], dy = r->right[2 * i + 1] - s->x[i][1];
        double length = hypot(dx, dy), part = length > limit ? limit / length : 1.0;
        s->x[i][0] += part * dx;
        s->x[i][1] += part * dy;
    }
    return true;
}

// --- push -------------------------------------------------------------------------------------

static double difference(const float *a, const double *b)
{
    double sum = 0.0;
    for (int c = 0; c < WRI_CHANNELS; c++) {
        sum += ((double)a[c] - b[c]) * ((double)a[c] - b[c]);
    }
    return sum;
}

enum { SPOTS = 49, MARGIN = PUSH_REACH + 8 }; // spots of a disc around; room around a level

// A level with nothing around it, so that no look needs to ask where the border is.
typedef struct padded {
    int width, height;
    float *values;
} padded;

static bool pad(search *s, int level, padded *out)
{
    const wri_pyramid_level *l = &s->picture.levels[level];
    out->width = l->width + 2 * MARGIN;
    out->height = l->height + 2 * MARGIN;
    out->values =
        wri_arena_alloc(&s->arena, 4 * (size_t)out->width * (size_t)out->height, sizeof(float));
    for (int y = 0; out->values && y < l->height; y++) {
        memcpy(out->values + 4 * ((size_t)(y + MARGIN) * (size_t)out->width + MARGIN),
               l->values + 4 * (size_t)y * (size_t)l->width, 4 * (size_t)l->width * sizeof(float));
    }
    return out->values || wri_fail_memory(s->error, 1);
}

// Adds how much a value differs from the level at a spot, for all displacements by whole pixels:
// they share the place between pixels.
static void compare_spot(const padded *l, double x, double y, const double value[WRI_CHANNELS],
                         float costs[2 * PUSH_REACH + 1][2 * PUSH_REACH + 1])
{
    x = fmin(fmax(x - 0.5 + MARGIN, PUSH_REACH), l->width - 2.0 - PUSH_REACH);
    y = fmin(fmax(y - 0.5 + MARGIN, PUSH_REACH), l->height - 2.0 - PUSH_REACH);
    int i = (int)x, j = (int)y;
    float u = (float)(x - i), v = (float)(y - j);
    const float w[4] = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
    const float a[4] = {(float)value[0], (float)value[1], (float)value[2], (float)value[3]};
    size_t row = 4 * (size_t)l->width;
    for (int dy = 0; dy <= 2 * PUSH_REACH; dy++) {
        const float *p =
            l->values + (size_t)(j + dy - PUSH_REACH) * row + 4 * (size_t)(i - PUSH_REACH);
        for (int dx = 0; dx <= 2 * PUSH_REACH; dx++, p += 4) {
            float sum = 0.0f;
            for (int c = 0; c < WRI_CHANNELS; c++) {
                float d = w[0] * p[c] + w[1] * p[4 + c] + w[2] * p[row + (size_t)c] +
                          w[3] * p[row + 4 + (size_t)c] - a[c];
                sum += d * d;
            }
            costs[dy][dx] += sum;
        }
    }
}

// How much the surroundings of a vertex differ at places around it.
static void look_around(const search *s, int level, const padded *to, int vertex,
                        float costs[2 * PUSH_REACH + 1][2 * PUSH_REACH + 1])
{
    const wri_registrar *r = s->r;
    const wri_pyramid_level *from = &r->picture.levels[level];
    double c = r->turn[vertex][0], t = r->turn[vertex][1];
    for (int k = 0; k < SPOTS; k++) {
        static const int spots[SPOTS][2] = {
            {-4, 0}, {-3, -2}, {-3, -1}, {-3, 0}, {-3, 1},  {-3, 2},  {-2, -3}, {-2, -2}, {-2, -1},
            {-2, 0}, {-2, 1},  {-2, 2},  {-2, 3}, {-1, -3}, {-1, -2}, {-1, -1}, {-1, 0},  {-1, 1},
            {-1, 2}, {-1, 3},  {0, -4},  {0, -3}, {0, -2},  {0, -1},  {0, 0},   {0, 1},   {0, 2},
            {0, 3},  {0, 4},   {1, -3},  {1, -2}, {1, -1},  {1, 0},   {1, 1},   {1, 2},   {1, 3},
            {2, -3}, {2, -2},  {2, -1},  {2, 0},  {2, 1},   {2, 2},   {2, 3},   {3, -2},  {3, -1},
            {3, 0},  {3, 1},   {3, 2},   {4, 0}};
        double a[WRI_CHANNELS], u = spots[k][0], v = spots[k][1];
        wri_pyramid_sample(from, r->u[vertex][0] + u * from->unit, r->u[vertex][1] + v * from->unit,
                           a, NULL);
        compare_spot(to, s->x[vertex][0] / from->unit + c * u - t * v,
                     s->x[vertex][1] / from->unit + t * u + c * v, a, costs);
    }
}

// Pulls every vertex to the place nearby that looks most like it, by how much better it looks.
static bool push(search *s, int level, const padded *to)
{
    wri_registrar *r = s->r;
    double unit = s->picture.levels[level].unit;
    find_turns(r, (const wri_place2 *)s->x);
    begin_system(r, 1.0);
    for (int v = 0; v < r->n; v++) {
        float costs[2 * PUSH_REACH + 1][2 * PUSH_REACH + 1] = {{0}};
        double best = INFINITY, sum = 0.0, at[2] = {0.0, 0.0};
        int count = 0;
        look_around(s, level, to, v, costs);
        for (int j = -PUSH_REACH; j <= PUSH_REACH; j++) {
            for (int i = -PUSH_REACH; i <= PUSH_REACH; i++, count++) {
                double cost = (double)costs[j + PUSH_REACH][i + PUSH_REACH];
                sum += cost;
                cost += 0.02 * (i * i + j * j); // of equals the nearest
                if (cost < best) {
                    best = cost;
                    at[0] = i * unit;
                    at[1] = j * unit;
                }
            }
        }
        double sure = sum > 0.0 ? 1.0 - fmin(1.0, best * count / sum) : 0.0;
        add_block(r, v, v, sure, 0.0, sure);
        r->right[2 * v] += sure * (s->x[v][0] + at[0]);
        r->right[2 * v + 1] += sure * (s->x[v][1] + at[1]);
    }
    return solve_system(s, INFINITY);
}

// --- refine -----------------------------------------------------------------------------------

static void place_of(const search *s, const point *p, double out[2])
{
    const int *t = s->r->elements + 3 * p->element;
    for (int k = 0; k < 2; k++) {
        out[k] = (double)p->b[0] * s->x[t[0]][k] + (double)p->b[1] * s->x[t[1]][k] +
                 (double)p->b[2] * s->x[t[2]][k];
    }
}

// w (n . (sum_k b_k x_k) - d)^2, or with a symmetric matrix g for w n n'.
static void add_term(wri_registrar *r, const int *v, const double *b, int count, const double g[3],
                     const double right[2])
{
    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i; j++) {
            double w = b[i] * b[j];
            add_block(r, v[i], v[j], w * g[0], w * g[1], w * g[2]);
        }
        r->right[2 * v[i]] += b[i] * right[0];
        r->right[2 * v[i] + 1] += b[i] * right[1];
    }
}

// Colours: the linear model of B at x(p). Slopes are counted per pixel of the level, points per
// vertex, so that rigidity weighs the same on all levels and meshes.
static void add_colors(search *s, int level)
{
    wri_registrar *r = s->r;
    const wri_pyramid_level *to = &s->picture.levels[level];
    double scale = to->unit * to->unit * to->unit * to->unit / (r->spacing * r->spacing);
    for (int i = 0; i < r->points[level].count; i++) {
        const point *p = &r->points[level].items[i];
        double at[2], value[WRI_CHANNELS], slope[WRI_CHANNELS][2], g[3] = {0}, right[2] = {0};
        place_of(s, p, at);
        wri_pyramid_sample(to, at[0], at[1], value, slope);
        double w = scale / (1.0 + difference(p->value, value) / ROBUST);
        for (int c = 0; c < WRI_CHANNELS; c++) {
            double x = slope[c][0], y = slope[c][1];
            double want = (double)p->value[c] - value[c] + x * at[0] + y * at[1];
            g[0] += w * x * x, g[1] += w * x * y, g[2] += w * y * y;
            right[0] += w * x * want, right[1] += w * y * want;
        }
        const double b[3] = {(double)p->b[0], (double)p->b[1], (double)p->b[2]};
        add_term(r, r->elements + 3 * p->element, b, 3, g, right);
    }
}

typedef struct meeting {
    double distance; // INFINITY: none
    int edge;        // of the border
    double t;        // along it
    int point;       // of the outline
} meeting;

static void border_normal(const search *s, int edge, double out[2])
{
    const double *a = s->x[s->r->border[edge][0]], *b = s->x[s->r->border[edge][1]];
    double x = b[1] - a[1], y = a[0] - b[0], length = hypot(x, y);
    out[0] = length > 0.0 ? x / length : 0.0;
    out[1] = length > 0.0 ? y / length : 0.0;
}

// The nearest place of the border from a point of the outline, facing the same way.
static meeting meet_border(const search *s, int index)
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
static meeting meet_outline(const search *s, int edge)
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

static void add_meeting(search *s, const meeting *m, double w)
{
    wri_registrar *r = s->r;
    const double *n = s->normal[m->point], *q = s->outline[m->point];
    const double b[2] = {1.0 - m->t, m->t},
                 g[3] = {w * n[0] * n[0], w * n[0] * n[1], w * n[1] * n[1]};
    double d = w * (n[0] * q[0] + n[1] * q[1]);
    const double right[2] = {d * n[0], d * n[1]};
    add_term(r, r->border[m->edge], b, 2, g, right);
}

static void add_outlines(search *s, double reach)
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

static bool refine(search *s, int level)
{
    double unit = s->picture.levels[level].unit;
    double fine =
        s->picture.level_count > 1 ? 1.0 - (double)level / (s->picture.level_count - 1) : 1.0;
    double a = RIGID_COARSE * pow(RIGID_FINE / RIGID_COARSE, fine);
    for (int round = 0; round < REFINE_ROUNDS; round++) {
        find_turns(s->r, (const wri_place2 *)s->x);
        begin_system(s->r, a);
        add_colors(s, level);
        if (level > 0 || round < REFINE_ROUNDS / 2) { // the border cuts corners; colours do not
            add_outlines(s, 4.0 * unit);
        }
        if (!solve_system(s, STEP * unit)) {
            return false;
        }
    }
    return true;
}

// --- starts -----------------------------------------------------------------------------------

// What differs at the points of a level, in the mean.
static double mismatch(const search *s, int level)
{
    const points *p = &s->r->points[level];
    double sum = 0.0;
    for (int i = 0; i < p->count; i++) {
        double at[2], value[WRI_CHANNELS];
        place_of(s, &p->items[i], at);
        wri_pyramid_sample(&s->picture.levels[level], at[0], at[1], value, NULL);
        sum += difference(p->items[i].value, value);
    }
    return sum / (p->count > 0 ? p->count : 1);
}

// The middle of what is there, by alpha.
static void find_middle(const wri_pyramid_level *l, double out[2])
{
    double sum = 1e-12;
    out[0] = out[1] = 0.0;
    for (int i = 0; i < l->width * l->height; i++) {
        double a = (double)l->values[4 * i + 3];
        out[0] += a * (i % l->width + 0.5) * l->unit;
        out[1] += a * (i / l->width + 0.5) * l->unit;
        sum += a;
    }
    out[0] /= sum;
    out[1] /= sum;
}

// The whole drawing moved and turned; turned only where that looks much better.
static void start_rigid(search *s)
{
    const wri_registrar *r = s->r;
    int level = s->picture.level_count - 1;
    double from[2], to[2], best = INFINITY;
    int chosen = 0;
    find_middle(&r->picture.levels[level], from);
    find_middle(&s->picture.levels[level], to);
    for (int k = -1; k <= TURNS; k++) { // the last time for good
        int turn = k < TURNS ? k : chosen;
        double angle = turn < 0 ? 0.0 : 2.0 * 3.14159265358979323846 * turn / TURNS;
        double c = cos(angle), t = sin(angle), stay = turn < 0 ? 0.0 : 1.0; // -1: not even moved
        for (int v = 0; v < r->n; v++) {
            double x = r->u[v][0] - from[0], y = r->u[v][1] - from[1];
            s->x[v][0] = c * x - t * y + from[0] + stay * (to[0] - from[0]);
            s->x[v][1] = t * x + c * y + from[1] + stay * (to[1] - from[1]);
        }
        double cost = mismatch(s, level) * (turn > 0 ? 1.3 : 1.0);
        if (cost < best) {
            best = cost;
            chosen = turn;
        }
    }
}

static bool descend(search *s)
{
    bool ok = true;
    for (int level = s->picture.level_count - 1; ok && level >= 0; level--) {
        const wri_pyramid_level *l = &s->picture.levels[level];
        bool pushes = (l->width > l->height ? l->width : l->height) <= PUSH_SIDE;
        padded to;
        ok = !pushes || pad(s, level, &to);
        for (int i = 0; ok && pushes && i < PUSH_ROUNDS; i++) {
            ok = push(s, level, &to);
        }
        ok = ok && refine(s, level);
    }
    return ok;
}

// --- how well ---------------------------------------------------------------------------------

// Marks the pixels of a level that the mesh covers.
static void cover(const search *s, const wri_pyramid_level *l, uint8_t *covered)
{
    for (int e = 0; e < s->r->element_count; e++) {
        const int *t = s->r->elements + 3 * e;
        const double *a = s->x[t[0]], *b = s->x[t[1]], *c = s->x[t[2]];
        double low[2], high[2];
        for (int k = 0; k < 2; k++) {
            low[k] = fmax(0.0, fmin(a[k], fmin(b[k], c[k])) / l->unit);
            high[k] =
                fmin(k == 0 ? l->width - 1 : l->height - 1, fmax(a[k], fmax(b[k], c[k])) / l->unit);
        }
        for (int j = (int)low[1]; j <= (int)floor(high[1]); j++) {
            for (int i = (int)low[0]; i <= (int)floor(high[0]); i++) {
                double x = (i + 0.5) * l->unit, y = (j + 0.5) * l->unit;
                double p = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
                double q = (c[0] - b[0]) * (y - b[1]) - (c[1] - b[1]) * (x - b[0]);
                double o = (a[0] - c[0]) * (y - c[1]) - (a[1] - c[1]) * (x - c[0]);
                if ((p >= 0.0 && q >= 0.0 && o >= 0.0) || (p <= 0.0 && q <= 0.0 && o <= 0.0)) {
                    covered[j * l->width + i] = 1;
                }
            }
        }
    }
}

static double find_overlap(const search *s, uint8_t *covered)
{
    const wri_pyramid_level *l = &s->picture.levels[0];
    int both = 0, any = 0;
    cover(s, l, covered);
    for (int i = 0; i < l->width * l->height; i++) {
        bool there = l->values[4 * i + 3] > 0.5f;
        both += there && covered[i];
        any += there || covered[i];
    }
    return any > 0 ? (double)both / any : 0.0;
}

static void find_distances(const search *s, wri_registration *out)
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

static bool measure(search *s, wri_registration *out)
{
    const wri_pyramid_level *l = &s->picture.levels[0];
    uint8_t *covered = wri_arena_alloc(&s->arena, (size_t)l->width * (size_t)l->height, 1);
    if (!covered) {
        return wri_fail_memory(s->error, (size_t)l->width * (size_t)l->height);
    }
    *out = (wri_registration){.color = sqrt(mismatch(s, 0) / WRI_CHANNELS)};
    out->overlap = find_overlap(s, covered);
    find_distances(s, out);
    return true;
}

// --- the whole --------------------------------------------------------------------------------

// Every so many points, with their normals.
static bool trace(search *s, const wr_image *picture)
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

static double cost_of(const wri_registration *report)
{
    return report->color * report->color + 0.5 * (1.0 - report->overlap);
}

bool wri_registrar_find(wri_registrar *r, const wr_image *picture, const wri_place2 *start,
                        wri_place2 *x, wri_registration *report, wr_error *error)
{
    search s = {.r = r, .arena = wri_arena_create(&r->arena.allocator), .x = x, .error = error};
    size_t bytes = (size_t)r->n * sizeof *x;
    wri_registration second;
    bool ok = wri_pyramid_create(&s.picture, &s.arena, picture, error) && trace(&s, picture);
    if (ok) {
        start_rigid(&s);
        ok = descend(&s) && measure(&s, report);
    }
    bool is_found = ok && report->overlap > 0.95 && report->color < 0.03;
    if (ok && start && !is_found) { // drawn one after the other, poses are near to the last one
        memcpy(r->best, x, bytes);
        memcpy(x, start, bytes);
        ok = descend(&s) && measure(&s, &second);
        if (ok && cost_of(&second) < cost_of(report)) {
            *report = second;
        } else {
            memcpy(x, r->best, bytes);
        }
    }
    wri_arena_destroy(&s.arena);
    return ok;
}
