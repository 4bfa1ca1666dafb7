// outline.c: marching squares over the alpha of an image.
//
// Samples stand in the middles of pixels, with a transparent border around the image. Between two
// neighbours on different sides of one half lies a crossing, where a straight line between the two
// alphas passes it. In each square of four samples lines lead from a crossing that leaves the shape
// (going round the square counter-clockwise) to one that enters it; where two corners that face
// each other are inside, the mean of the four decides whether they are joined.
#include "outline.h"

#include "key_table.h"

#define HALF 127.5

// No drawing has an outline this long, noise does: 8192 x 8192 pixels of it would take gigabytes.
enum { MOST_POINTS = 1 << 22 };

typedef struct tracer {
    const wr_image *image;
    wri_key_table crossings; // crossings by name
    wri_array next;          // int, beside crossings: where the line from it leads
} tracer;

static double alpha(const wr_image *image, int x, int y)
{
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) {
        return 0.0;
    }
    size_t row = (size_t)(image->height - 1 - y);
    return image->pixels[4 * (row * (size_t)image->width + (size_t)x) + 3];
}

// A crossing is named by its lower or left sample and whether it lies above it. Side k of a square
// goes from corner k to the next one.
static uint64_t side_key(int x, int y, int side)
{
    int i = x + (side == 1), j = y + (side == 2), up = side & 1;
    return (uint64_t)(i + 1) << 33 | (uint64_t)(j + 1) << 1 | (uint64_t)up;
}

static int add_crossing(tracer *t, uint64_t key)
{
    int number = wri_key_table_add(&t->crossings, key);
    if (number == t->next.count) {
        int *next = wri_array_add(&t->next, 1);
        if (!next) {
            return -1;
        }
        *next = -1;
    }
    return number;
}

static bool trace_square(tracer *t, int x, int y)
{
    const double a[4] = {alpha(t->image, x, y), alpha(t->image, x + 1, y),
                         alpha(t->image, x + 1, y + 1), alpha(t->image, x, y + 1)};
    bool joined = a[0] + a[1] + a[2] + a[3] > 4.0 * HALF;
    for (int k = 0; k < 4; k++) {
        if (!(a[k] > HALF && a[(k + 1) & 3] < HALF)) {
            continue;
        }
        // The side where the shape is entered: the next one when two corners are joined.
        int enter = k;
        do {
            enter = (enter + (joined ? 1 : 3)) & 3;
        } while (!(a[enter] < HALF && a[(enter + 1) & 3] > HALF));
        int from = add_crossing(t, side_key(x, y, k));
        int to = add_crossing(t, side_key(x, y, enter));
        if (from < 0 || to < 0) {
            return false;
        }
        WRI_ITEM(t->next, int, from) = to;
    }
    return true;
}

static void crossing_point(const tracer *t, int number, double out[2])
{
    uint64_t key = wri_key_table_key(&t->crossings, number);
    int x = (int)(key >> 33) - 1, y = (int)(key >> 1 & 0xffffffff) - 1, up = (int)(key & 1);
    double a = alpha(t->image, x, y), b = alpha(t->image, x + !up, y + up);
    double part = (HALF - a) / (b - a);
    out[0] = x + 0.5 + (up ? 0.0 : part);
    out[1] = y + 0.5 + (up ? part : 0.0);
}

// Appends the loop through a crossing, or drops it when it is a speck.
static void put_loop(tracer *t, int first, wri_outline *out)
{
    int begin = out->loop_begin[out->loop_count], count = begin;
    for (int i = first; i >= 0;) {
        crossing_point(t, i, out->points[count++]);
        int next = WRI_ITEM(t->next, int, i);
        WRI_ITEM(t->next, int, i) = -1; // been here
        i = next;
    }
    count -= count > begin + 1; // the first crossing was met again
    double area = 0.0, length = 0.0;
    for (int i = begin; i < count; i++) {
        const double *p = out->points[i], *q = out->points[i + 1 < count ? i + 1 : begin];
        area += 0.5 * (p[0] * q[1] - p[1] * q[0]);
        length += hypot(q[0] - p[0], q[1] - p[1]);
    }
    if (fabs(area) < WRI_OUTLINE_LEAST_AREA) {
        out->dropped_count += area > 0.0;
        return;
    }
    out->area += area;
    out->length += length;
    out->shape_count += area > 0.0;
    out->loop_begin[++out->loop_count] = count;
}

static bool collect_loops(tracer *t, wri_arena *arena, wri_outline *out)
{
    size_t n = (size_t)t->next.count;
    out->loop_begin = wri_arena_alloc(arena, n + 2, sizeof(int));
    out->points = wri_arena_alloc(arena, n + 2, sizeof *out->points);
    if (!out->loop_begin || !out->points) {
        return false;
    }
    for (int i = 0; i < t->next.count; i++) {
        if (WRI_ITEM(t->next, int, i) >= 0) {
            put_loop(t, i, out);
        }
    }
    return true;
}

static bool check_image(const wr_image *image, wr_error *error)
{
    const char *name = image->name ? image->name : "";
    if (!image->pixels || image->width < 1 || image->height < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "image \"%s\": has no pixels", name);
    }
    if (image->width < 3 || image->height < 3) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "image \"%s\": has %d x %d pixels, expected at least 3 x 3", name,
                        image->width, image->height);
    }
    size_t inside = 0, all = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < all; i++) {
        inside += image->pixels[4 * i + 3] > HALF;
    }
    if (inside == all) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "image \"%s\": opaque everywhere, expected alpha that shows a shape; a "
                        "transparent border of one pixel makes a rectangle one",
                        name);
    }
    return inside > 0 || wri_fail(error, WR_E_ARGUMENT,
                                  "image \"%s\": transparent everywhere, expected a shape", name);
}

bool wri_outline_find(const wr_image *image, wri_arena *arena, wri_outline *out, wr_error *error)
{
    *out = (wri_outline){0};
    if (!check_image(image, error)) {
        return false;
    }
    tracer t = {image, wri_key_table_create(&arena->allocator),
                wri_array_create(&arena->allocator, sizeof(int))};
    bool ok = true, is_noise = false;
    for (int y = -1; ok && !is_noise && y < image->height; y++) {
        for (int x = -1; ok && x < image->width; x++) {
            ok = trace_square(&t, x, y);
        }
        is_noise = t.next.count > MOST_POINTS;
    }
    if (is_noise) {
        ok = wri_fail(error, WR_E_ARGUMENT,
                      "image \"%s\": its outline has more than %d points, expected a shape rather "
                      "than noise",
                      image->name ? image->name : "", MOST_POINTS);
    } else {
        ok = (ok && collect_loops(&t, arena, out)) || wri_fail_memory(error, arena->total);
    }
    wri_key_table_destroy(&t.crossings);
    wri_array_destroy(&t.next);
    if (ok && out->shape_count == 0) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "image \"%s\": its shapes are smaller than %g pixels, too small to mesh",
                        image->name ? image->name : "", WRI_OUTLINE_LEAST_AREA);
    }
    return ok;
}
