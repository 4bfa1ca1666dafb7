// atlas_pack.c: charts side by side in rows, at the largest scale at which all of them fit.
#include "atlas.h"

#include <stdlib.h>

typedef struct box {
    int chart;
    double min[2], max[2]; // metres
    double width, height;  // metres, as it lies: never higher than wide
    bool is_turned;        // by a quarter
    double x, y;           // texels: where its corner goes
} box;

static int compare_boxes(const void *a, const void *b)
{
    const box *p = a, *q = b;
    return p->height != q->height ? (p->height < q->height) - (p->height > q->height)
           : p->width != q->width ? (p->width < q->width) - (p->width > q->width)
                                  : (p->chart > q->chart) - (p->chart < q->chart);
}

static box *find_boxes(const wri_atlas *atlas, const wri_facets *f)
{
    box *boxes = wri_arena_alloc(f->arena, (size_t)atlas->chart_count, sizeof *boxes);
    for (int i = 0; boxes && i < atlas->chart_count; i++) {
        boxes[i] = (box){.chart = i, .min = {INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY}};
    }
    for (int i = 0; boxes && i < 3 * f->count; i++) {
        box *b = &boxes[atlas->chart[i / 3]];
        for (int k = 0; k < 2; k++) {
            b->min[k] = fmin(b->min[k], atlas->uv[i][k]);
            b->max[k] = fmax(b->max[k], atlas->uv[i][k]);
        }
    }
    for (int i = 0; boxes && i < atlas->chart_count; i++) {
        box *b = &boxes[i];
        double width = b->max[0] - b->min[0], height = b->max[1] - b->min[1];
        b->is_turned = height > width;
        b->width = fmax(width, height);
        b->height = fmin(width, height);
    }
    return boxes;
}

// Row by row, a texel apart. Whether they all fit.
static bool place_boxes(box *boxes, int count, double side, double scale)
{
    double x = 0.0, y = 0.0, row = 0.0;
    for (int i = 0; i < count; i++) {
        double width = ceil(boxes[i].width * scale) + 1.0;
        double height = ceil(boxes[i].height * scale) + 1.0;
        if (x > 0.0 && x + width > side) {
            y += row;
            x = row = 0.0;
        }
        boxes[i].x = x;
        boxes[i].y = y;
        x += width;
        row = fmax(row, height);
        if (x > side || y + row > side) {
            return false;
        }
    }
    return true;
}

static double find_scale(box *boxes, int count, double side)
{
    double longest = 0.0;
    for (int i = 0; i < count; i++) {
        longest = fmax(longest, boxes[i].width);
    }
    double low = 0.0, high = side / longest;
    for (int round = 0; round < 40; round++) {
        double middle = 0.5 * (low + high);
        bool fits = place_boxes(boxes, count, side, middle);
        low = fits ? middle : low;
        high = fits ? high : middle;
    }
    return place_boxes(boxes, count, side, low) ? low : 0.0;
}

bool wri_atlas_pack(wri_atlas *atlas, const wri_facets *f, wr_error *error)
{
    int count = atlas->chart_count;
    box *boxes = find_boxes(atlas, f);
    box *sorted = wri_arena_alloc(f->arena, (size_t)count, sizeof *sorted);
    if (!boxes || !sorted) {
        return wri_fail_memory(error, f->arena->total);
    }
    memcpy(sorted, boxes, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_boxes);
    double scale = find_scale(sorted, count, atlas->side);
    if (!(scale > 0.0)) {
        return wri_fail(error, WR_E_LIMIT,
                        "%d texels along a side are too few for %d %s of the surface", atlas->side,
                        count, wri_plural(count, "chart", "charts"));
    }
    for (int i = 0; i < count; i++) {
        boxes[sorted[i].chart] = sorted[i];
    }
    for (int i = 0; i < 3 * f->count; i++) {
        const box *b = &boxes[atlas->chart[i / 3]];
        double u = atlas->uv[i][0] - b->min[0], v = atlas->uv[i][1] - b->min[1];
        double x = b->is_turned ? v : u, y = b->is_turned ? b->max[0] - b->min[0] - u : v;
        atlas->uv[i][0] = b->x + 0.5 + scale * x;
        atlas->uv[i][1] = b->y + 0.5 + scale * y;
    }
    return true;
}
