// registration_colors.c: where the colours of a drawing say that it is.
//
// Push (D. Sykora, J. Dingliana, S. Collins. As-rigid-as-possible image registration for hand-drawn
// cartoon animations. NPAR 2009): every vertex looks around for the place where its surroundings,
// turned as the mesh turns, look most alike.
// Refine: sum_p |B(x(p)) - A(p)|^2 over points p of the mesh, colours and alpha; A the drawing, B
// the cell.
#include "registrar.h"

#include <math.h>

enum {
    PUSH_ROUNDS = 8,
    PUSH_REACH = 3, // pixels of a level
    PUSH_SIDE = 32, // levels up to this size are pushed
};

#define ROBUST 0.15 // squared differences of colour beyond which a point counts less

// --- push -------------------------------------------------------------------------------------

enum { SPOTS = 49, MARGIN = PUSH_REACH + 8 }; // spots of a disc around; room around a level

// A level with nothing around it, so that no look needs to ask where the border is.
typedef struct padded {
    int width, height;
    float *values;
} padded;

static bool pad(wri_search *s, int level, padded *out)
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

// Measures how much the surroundings of a vertex differ at places around it.
static void look_around(const wri_search *s, int level, const padded *to, int vertex,
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
static bool push(wri_search *s, int level, const padded *to)
{
    wri_registrar *r = s->r;
    double unit = s->picture.levels[level].unit;
    wri_registrar_find_turns(r, (const wri_place2 *)s->x);
    wri_registrar_begin_system(r, 1.0);
    for (int v = 0; v < r->n; v++) {
        float costs[2 * PUSH_REACH + 1][2 * PUSH_REACH + 1] = {{0}};
        double best = INFINITY, sum = 0.0, at[2] = {0.0, 0.0};
        int count = 0;
        look_around(s, level, to, v, costs);
        for (int j = -PUSH_REACH; j <= PUSH_REACH; j++) {
            for (int i = -PUSH_REACH; i <= PUSH_REACH; i++, count++) {
                double cost = (double)costs[j + PUSH_REACH][i + PUSH_REACH];
                sum += cost;
                cost += 0.02 * (i * i + j * j); // prefers the nearest of equals
                if (cost < best) {
                    best = cost;
                    at[0] = i * unit;
                    at[1] = j * unit;
                }
            }
        }
        double sure = sum > 0.0 ? 1.0 - fmin(1.0, best * count / sum) : 0.0;
        wri_registrar_add_block(r, v, v, sure, 0.0, sure);
        r->right[2 * v] += sure * (s->x[v][0] + at[0]);
        r->right[2 * v + 1] += sure * (s->x[v][1] + at[1]);
    }
    return wri_search_solve(s, INFINITY);
}

bool wri_search_push(wri_search *s, int level)
{
    const wri_pyramid_level *l = &s->picture.levels[level];
    padded to;
    if ((l->width > l->height ? l->width : l->height) > PUSH_SIDE) {
        return true;
    }
    bool ok = pad(s, level, &to);
    for (int i = 0; ok && i < PUSH_ROUNDS; i++) {
        ok = push(s, level, &to);
    }
    return ok;
}

// --- refine -----------------------------------------------------------------------------------

static double difference(const float *a, const double *b)
{
    double sum = 0.0;
    for (int c = 0; c < WRI_CHANNELS; c++) {
        sum += ((double)a[c] - b[c]) * ((double)a[c] - b[c]);
    }
    return sum;
}

static void place_of(const wri_search *s, const wri_registrar_point *p, double out[2])
{
    const int *t = s->r->elements + 3 * p->element;
    for (int k = 0; k < 2; k++) {
        out[k] = (double)p->b[0] * s->x[t[0]][k] + (double)p->b[1] * s->x[t[1]][k] +
                 (double)p->b[2] * s->x[t[2]][k];
    }
}

// Colours: the linear model of B at x(p). Slopes are counted per pixel of the level, points per
// vertex, so that rigidity weighs the same on all levels and meshes.
void wri_search_add_colors(wri_search *s, int level)
{
    wri_registrar *r = s->r;
    const wri_pyramid_level *to = &s->picture.levels[level];
    double scale = to->unit * to->unit * to->unit * to->unit / (r->spacing * r->spacing);
    for (int i = 0; i < r->points[level].count; i++) {
        const wri_registrar_point *p = &r->points[level].items[i];
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
        wri_registrar_add_term(r, r->elements + 3 * p->element, b, 3, g, right);
    }
}

double wri_search_mismatch(const wri_search *s, int level)
{
    const wri_registrar_points *p = &s->r->points[level];
    double sum = 0.0;
    for (int i = 0; i < p->count; i++) {
        double at[2], value[WRI_CHANNELS];
        place_of(s, &p->items[i], at);
        wri_pyramid_sample(&s->picture.levels[level], at[0], at[1], value, NULL);
        sum += difference(p->items[i].value, value);
    }
    return sum / (p->count > 0 ? p->count : 1);
}
