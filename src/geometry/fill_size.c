// fill_size.c: the spacing at every place of a model, from factors painted on its surface.
//
// Every corner of a grid takes the factor of the nearest point of the surface. That jumps where two
// sides are equally near and where the paint does, so the spacing s is lowered to the largest field
// of slope G below it: s(x) = min over y of s(y) + G |x - y|, by sweeps of a chamfer distance.
#include "fill.h"

enum { SIDE = 48, GRAIN = 64, SWEEPS = 2 };
#define SLOPE 0.3f      // G
#define RATIO_MOST 4.0f // of the largest to the smallest spacing

typedef struct painter {
    wri_fill_size *size;
    const wri_soup *soup;
    const float *factors;
} painter;

static float factor_at(const wri_soup *soup, const float *factors, const double p[3])
{
    wri_soup_point near = wri_soup_nearest(soup, p);
    const int *t = &soup->triangles[3 * (size_t)near.triangle];
    float w[3];
    wri_soup_weights(soup, &near, w);
    return w[0] * factors[t[0]] + w[1] * factors[t[1]] + w[2] * factors[t[2]];
}

static void paint(void *context, int block, int begin, int end)
{
    (void)block;
    painter *p = context;
    wri_fill_size *s = p->size;
    for (int i = begin; i < end; i++) {
        int at[3] = {i % s->n[0], i / s->n[0] % s->n[1], i / s->n[0] / s->n[1]};
        double place[3];
        for (int k = 0; k < 3; k++) {
            place[k] = (double)s->low[k] + (double)s->pitch * at[k];
        }
        s->painted[i] = factor_at(p->soup, p->factors, place);
    }
}

bool wri_fill_size_build(wri_fill_size *size, wri_arena *arena, const wri_soup *soup,
                         const float *factors, const wr_tasks *tasks)
{
    *size = (wri_fill_size){.base = size->base, .pitch = 1.0f / (float)(SIDE - 3)};
    if (!factors) {
        return true;
    }
    const float low[3] = {soup->bounds.min.x, soup->bounds.min.y, soup->bounds.min.z};
    const float high[3] = {soup->bounds.max.x, soup->bounds.max.y, soup->bounds.max.z};
    for (int k = 0; k < 3; k++) {
        size->low[k] = low[k] - size->pitch;
        size->n[k] = (int)((high[k] - low[k]) / size->pitch) + 4;
    }
    int count = size->n[0] * size->n[1] * size->n[2];
    size->painted = wri_arena_alloc(arena, (size_t)count, sizeof *size->painted);
    size->values = wri_arena_alloc(arena, (size_t)count, sizeof *size->values);
    if (!size->painted || !size->values) {
        return false;
    }
    painter p = {size, soup, factors};
    wri_parallel_for(tasks, count, GRAIN, paint, &p);
    return true;
}

// One sweep in the order of the grid, or backwards.
static void sweep(wri_fill_size *s, const float steps[4], bool back)
{
    int count = s->n[0] * s->n[1] * s->n[2];
    for (int j = 0; j < count; j++) {
        int i = back ? count - 1 - j : j;
        int at[3] = {i % s->n[0], i / s->n[0] % s->n[1], i / s->n[0] / s->n[1]};
        for (int k = 0; k < 13; k++) { // the first half of the 27 neighbours
            int sign = back ? -1 : 1;
            int d[3] = {sign * (k % 3 - 1), sign * (k / 3 % 3 - 1), sign * (k / 9 - 1)};
            int x = at[0] + d[0], y = at[1] + d[1], z = at[2] + d[2];
            if (x < 0 || y < 0 || z < 0 || x >= s->n[0] || y >= s->n[1] || z >= s->n[2]) {
                continue;
            }
            float step = steps[d[0] * d[0] + d[1] * d[1] + d[2] * d[2]];
            s->values[i] = fminf(s->values[i], s->values[x + s->n[0] * (y + s->n[1] * z)] + step);
        }
    }
}

void wri_fill_size_limit(wri_fill_size *size)
{
    if (!size->values) {
        return;
    }
    int count = size->n[0] * size->n[1] * size->n[2];
    float least = INFINITY, step = SLOPE / size->base * size->pitch;
    for (int i = 0; i < count; i++) {
        least = fminf(least, size->painted[i]);
    }
    for (int i = 0; i < count; i++) {
        size->values[i] = fminf(size->painted[i], RATIO_MOST * least);
    }
    const float steps[4] = {0.0f, step, step * sqrtf(2.0f), step * sqrtf(3.0f)};
    for (int i = 0; i < 2 * SWEEPS; i++) {
        sweep(size, steps, i % 2 == 1);
    }
}

float wri_fill_size_at(const wri_fill_size *size, const float p[3])
{
    if (!size->values) {
        return size->base;
    }
    int at[3];
    float t[3], sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        float x = fminf(fmaxf((p[k] - size->low[k]) / size->pitch, 0.0f), (float)(size->n[k] - 1));
        at[k] = x < (float)(size->n[k] - 2) ? (int)x : size->n[k] - 2;
        t[k] = x - (float)at[k];
    }
    for (int c = 0; c < 8; c++) {
        int x = at[0] + (c & 1), y = at[1] + (c >> 1 & 1), z = at[2] + (c >> 2);
        float w = (c & 1 ? t[0] : 1.0f - t[0]) * (c & 2 ? t[1] : 1.0f - t[1]) *
                  (c & 4 ? t[2] : 1.0f - t[2]);
        sum += w * size->values[x + size->n[0] * (y + size->n[1] * z)];
    }
    return size->base * sum;
}
