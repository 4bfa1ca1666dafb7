// palette.c: the colours of a picture in boxes, split where they vary most, then moved to the
// middle of the pixels that chose them (k-means).
//
// Colours are first counted in cells of four levels a side. A cell counts by the root of its
// pixels: a wide background needs one colour, a thin line of another hue needs one too. An ordered
// dither of 4 levels hides the steps between entries; it makes files a quarter larger.
#include "palette.h"

#include <math.h>

enum { BITS = 6, CELLS = 1 << (3 * BITS), SHIFT = 8 - BITS, ROUNDS = 4 };

typedef struct cell {
    double color[3]; // mean
    double weight;
    int key;   // of its place in the cube
    int group; // box, later nearest palette entry
} cell;

typedef struct box {
    double weight, mean[3], spread[3]; // spread: weighted sum of squared distances, per axis
} box;

static int key_of(const uint8_t *p)
{
    return p[0] >> SHIFT << 2 * BITS | p[1] >> SHIFT << BITS | p[2] >> SHIFT;
}

typedef struct tally {
    uint32_t count, sum[3];
} tally;

static bool count_cells(const uint8_t *pixels, size_t count, wri_arena *arena, cell **cells,
                        int *cell_count)
{
    tally *tallies = wri_arena_alloc(arena, CELLS, sizeof *tallies);
    int used = 0;
    for (size_t i = 0; tallies && i < count; i++) {
        const uint8_t *p = pixels + 3 * i;
        tally *t = &tallies[key_of(p)];
        if (t->count < 1u << 24) { // what sums can hold; enough for a mean
            used += t->count++ == 0;
            for (int k = 0; k < 3; k++) {
                t->sum[k] += p[k];
            }
        }
    }
    *cells = tallies ? wri_arena_alloc(arena, (size_t)used, sizeof **cells) : NULL;
    *cell_count = 0;
    for (int key = 0; *cells && key < CELLS; key++) {
        const tally *t = &tallies[key];
        if (t->count) {
            cell *c = &(*cells)[(*cell_count)++];
            c->key = key;
            c->weight = sqrt((double)t->count);
            for (int k = 0; k < 3; k++) {
                c->color[k] = (double)t->sum[k] / t->count;
            }
        }
    }
    return *cells != NULL;
}

static void measure(const cell *cells, int count, int group, box *b)
{
    *b = (box){0};
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            for (int k = 0; cells[i].group == group && k < 3; k++) {
                double off = cells[i].color[k] - b->mean[k];
                if (pass) {
                    b->spread[k] += cells[i].weight * off * off;
                } else {
                    b->spread[k] += cells[i].weight * cells[i].color[k];
                    b->weight += k == 0 ? cells[i].weight : 0.0;
                }
            }
        }
        for (int k = 0; !pass && k < 3; k++) {
            b->mean[k] = b->weight > 0.0 ? b->spread[k] / b->weight : 0.0;
            b->spread[k] = 0.0;
        }
    }
}

static int widest(const box *b)
{
    int axis = b->spread[1] >= b->spread[0] ? 1 : 0;
    return b->spread[2] > b->spread[axis] ? 2 : axis;
}

// Returns the number of boxes.
static int split_boxes(cell *cells, int count, int most, box *boxes)
{
    int boxes_count = 1;
    measure(cells, count, 0, &boxes[0]);
    while (boxes_count < most) {
        int worst = 0;
        for (int i = 1; i < boxes_count; i++) {
            worst = boxes[i].spread[widest(&boxes[i])] > boxes[worst].spread[widest(&boxes[worst])]
                        ? i
                        : worst;
        }
        int axis = widest(&boxes[worst]);
        if (!(boxes[worst].spread[axis] > 1e-6)) {
            break;
        }
        for (int i = 0; i < count; i++) {
            if (cells[i].group == worst && cells[i].color[axis] > boxes[worst].mean[axis]) {
                cells[i].group = boxes_count;
            }
        }
        measure(cells, count, worst, &boxes[worst]);
        measure(cells, count, boxes_count, &boxes[boxes_count]);
        boxes_count++;
    }
    return boxes_count;
}

static void choose_nearest(cell *cells, int count, const box *boxes, int boxes_count)
{
    for (int i = 0; i < count; i++) {
        double least = INFINITY;
        for (int b = 0; b < boxes_count; b++) {
            double x = cells[i].color[0] - boxes[b].mean[0];
            double y = cells[i].color[1] - boxes[b].mean[1];
            double z = cells[i].color[2] - boxes[b].mean[2];
            double d = x * x + y * y + z * z;
            if (d < least) {
                least = d;
                cells[i].group = b;
            }
        }
    }
}

static void move_boxes(const cell *cells, int count, box *boxes, int boxes_count)
{
    box sums[WRI_PALETTE_MAX] = {{0}};
    for (int i = 0; i < count; i++) {
        box *s = &sums[cells[i].group];
        s->weight += cells[i].weight;
        for (int k = 0; k < 3; k++) {
            s->mean[k] += cells[i].weight * cells[i].color[k];
        }
    }
    for (int b = 0; b < boxes_count; b++) {
        for (int k = 0; sums[b].weight > 0.0 && k < 3; k++) {
            boxes[b].mean[k] = sums[b].mean[k] / sums[b].weight;
        }
    }
}

// The nearest entry for every cell of the cube: dither also asks for cells that no pixel is in.
static void fill_keys(uint8_t *index_of_key, const box *boxes, int boxes_count)
{
    enum { SIDE = 1 << BITS };
    float means[WRI_PALETTE_MAX][3];
    for (int i = 0; i < 3 * boxes_count; i++) {
        means[i / 3][i % 3] = (float)boxes[i / 3].mean[i % 3];
    }
    for (int key = 0; key < CELLS; key++) {
        const float middle = 0.5f * (float)((1 << SHIFT) - 1);
        float r = (float)((key >> 2 * BITS) << SHIFT) + middle;
        float g = (float)((key >> BITS & (SIDE - 1)) << SHIFT) + middle;
        float b = (float)((key & (SIDE - 1)) << SHIFT) + middle;
        float least = INFINITY;
        for (int i = 0; i < boxes_count; i++) {
            float x = r - means[i][0], y = g - means[i][1], z = b - means[i][2];
            float d = x * x + y * y + z * z;
            if (d < least) {
                least = d;
                index_of_key[key] = (uint8_t)i;
            }
        }
    }
}

// Ordered dither: a step between two entries becomes a pattern that the eye does not follow.
static void map_pixels(const uint8_t *pixels, int width, int height, const uint8_t *index_of_key,
                       int dither, uint8_t *indices)
{
    static const int8_t pattern[4][4] = {
        {-7, 1, -5, 3}, {5, -3, 7, -1}, {-4, 4, -6, 2}, {8, 0, 6, -2}};
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * (size_t)width + (size_t)x;
            int shift = pattern[y & 3][x & 3] * dither / 8;
            uint8_t p[3];
            for (int k = 0; k < 3; k++) {
                int v = pixels[3 * i + (size_t)k] + shift;
                p[k] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
            }
            indices[i] = index_of_key[key_of(p)];
        }
    }
}

bool wri_palette_find(const uint8_t *pixels, int width, int height, int most, int dither,
                      uint8_t *indices, uint8_t (*palette)[3], int *palette_count, wr_error *error)
{
    size_t count = (size_t)width * (size_t)height;
    WR_ASSERT(most >= 2 && most <= WRI_PALETTE_MAX);
    wri_arena arena = wri_arena_create(NULL);
    cell *cells;
    int cell_count;
    uint8_t *index_of_key = wri_arena_alloc(&arena, CELLS, 1);
    box boxes[WRI_PALETTE_MAX];
    bool ok = index_of_key && count_cells(pixels, count, &arena, &cells, &cell_count);
    if (ok) {
        *palette_count = split_boxes(cells, cell_count, most, boxes);
        for (int i = 0; i < ROUNDS; i++) {
            choose_nearest(cells, cell_count, boxes, *palette_count);
            move_boxes(cells, cell_count, boxes, *palette_count);
        }
        fill_keys(index_of_key, boxes, *palette_count);
        map_pixels(pixels, width, height, index_of_key, dither, indices);
        for (int i = 0; i < 3 * *palette_count; i++) {
            palette[i / 3][i % 3] = (uint8_t)(boxes[i / 3].mean[i % 3] + 0.5);
        }
    }
    wri_arena_destroy(&arena);
    return ok || wri_fail_memory(error, CELLS * sizeof(tally));
}
