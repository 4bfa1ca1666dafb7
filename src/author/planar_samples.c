// planar_samples.c: points on the outline of an image, on its handles, and inside it.
#include "planar.h"

#define CORNER 0.2 // share of the spacing by which samples may cut a corner

int wri_planar_add_point(wri_planar *p, double x, double y, bool is_fixed)
{
    wri_point2 *q = wri_array_add(&p->points, 1);
    uint8_t *fixed = wri_array_add(&p->is_fixed, 1);
    if (!q || !fixed) {
        return -1;
    }
    (*q)[0] = x, (*q)[1] = y;
    *fixed = is_fixed;
    return p->points.count - 1;
}

bool wri_planar_add_edge(wri_planar *p, int a, int b)
{
    int *e = wri_array_add(&p->edges, 1);
    if (e) {
        e[0] = a, e[1] = b;
    }
    return e != NULL;
}

// Returns the distance of r from the segment a b.
static double segment_distance(const double *a, const double *b, const double *r)
{
    double x = b[0] - a[0], y = b[1] - a[1], l2 = x * x + y * y;
    double t = l2 > 0.0 ? ((r[0] - a[0]) * x + (r[1] - a[1]) * y) / l2 : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return hypot(a[0] + t * x - r[0], a[1] + t * y - r[1]);
}

// Marks the points that a polygon needs to stay within a fifth of the spacing of the loop (D.
// Douglas, T. Peucker 1973).
static bool mark_corners(wri_planar *p, const wri_point2 *q, int n, uint8_t *is_corner)
{
    wri_array open = wri_array_create(&p->desc->allocator, 2 * sizeof(int));
    const int starts[4] = {0, n / 3, 2 * n / 3, n};
    int(*spans)[2] = wri_array_add(&open, 3);
    for (int i = 0; spans && i < 3; i++) {
        spans[i][0] = starts[i], spans[i][1] = starts[i + 1];
        is_corner[starts[i]] = 1;
    }
    while (spans && open.count > 0) {
        int a = WRI_ITEM(open, int, 2 * (open.count - 1)), far = -1;
        int b = WRI_ITEM(open, int, 2 * (open.count - 1) + 1);
        open.count--;
        double most = CORNER * p->spacing;
        for (int i = a + 1; i < b; i++) {
            double d = segment_distance(q[a], q[b % n], q[i]);
            if (d > most) {
                most = d, far = i;
            }
        }
        if (far >= 0) {
            is_corner[far] = 1;
            spans = wri_array_add(&open, 2);
            if (spans) {
                spans[0][0] = a, spans[0][1] = spans[1][0] = far, spans[1][1] = b;
            }
        }
    }
    wri_array_destroy(&open);
    return spans != NULL;
}

// A corner, and points at equal distances along the loop up to the next one.
static bool sample_span(wri_planar *p, const wri_point2 *q, int n, int from, int to)
{
    double length = 0.0, done = 0.0;
    for (int i = from; i < to; i++) {
        length += hypot(q[(i + 1) % n][0] - q[i][0], q[(i + 1) % n][1] - q[i][1]);
    }
    int count = (int)fmax(1.0, floor(length / p->spacing + 0.5)), placed = 0;
    for (int i = from; i < to; i++) {
        const double *a = q[i], *b = q[(i + 1) % n];
        double step = hypot(b[0] - a[0], b[1] - a[1]);
        for (; placed < count && placed * length / count < done + step; placed++) {
            double t = (placed * length / count - done) / step;
            if (wri_planar_add_point(p, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), true) <
                0) {
                return false;
            }
        }
        done += step;
    }
    return true;
}

static bool sample_loop(wri_planar *p, int loop)
{
    const wri_point2 *q = (const wri_point2 *)p->outline.points + p->outline.loop_begin[loop];
    int n = p->outline.loop_begin[loop + 1] - p->outline.loop_begin[loop];
    uint8_t *is_corner = wri_alloc(&p->desc->allocator, (size_t)n, 1);
    int first = p->points.count;
    bool ok = is_corner && mark_corners(p, q, n, is_corner);
    for (int from = 0, i = 1; ok && i <= n; i++) {
        if (i == n || is_corner[i]) {
            ok = sample_span(p, q, n, from, i);
            from = i;
        }
    }
    wri_free(&p->desc->allocator, is_corner, (size_t)n, 1);
    int count = p->points.count - first;
    for (int i = 0; ok && i < count; i++) {
        ok = wri_planar_add_edge(p, first + i, first + (i + 1) % count);
    }
    return ok;
}

static int clamp_bin(double x, int count)
{
    return x < 0.0 ? 0 : x >= count ? count - 1 : (int)x;
}

static int row_of(const wri_planar *p, double y)
{
    return clamp_bin(y / p->spacing, p->rows);
}

bool wri_planar_bin_edges(wri_planar *p)
{
    p->bin_begin.count = p->bin_edges.count = 0;
    int *begin = wri_array_add(&p->bin_begin, p->rows + 2);
    if (!begin) {
        return false;
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < p->edges.count; i++) {
            double y0 = wri_planar_point(p, wri_planar_edges(p)[i][0])[1],
                   y1 = wri_planar_point(p, wri_planar_edges(p)[i][1])[1];
            for (int r = row_of(p, fmin(y0, y1)); r <= row_of(p, fmax(y0, y1)); r++) {
                if (round == 0) {
                    begin[r + 2]++;
                } else {
                    WRI_ITEM(p->bin_edges, int, begin[r + 1]++) = i;
                }
            }
        }
        if (round == 0) {
            for (int r = 0; r < p->rows; r++) {
                begin[r + 2] += begin[r + 1];
            }
            if (!wri_array_add(&p->bin_edges, begin[p->rows + 1])) {
                return false;
            }
        }
    }
    return true;
}

// Applies the even-odd rule over the edges of the point's row.
bool wri_planar_is_inside(const wri_planar *p, double x, double y)
{
    const int *begin = p->bin_begin.items;
    bool inside = false;
    int row = row_of(p, y);
    for (int i = begin[row]; i < begin[row + 1]; i++) {
        const int *e = wri_planar_edges(p)[WRI_ITEM(p->bin_edges, int, i)];
        const double *a = wri_planar_point(p, e[0]), *b = wri_planar_point(p, e[1]);
        if ((a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) {
            inside = !inside;
        }
    }
    return inside;
}

static int square_of(const wri_planar *p, const double q[2])
{
    return row_of(p, q[1]) * p->columns + clamp_bin(q[0] / p->spacing, p->columns);
}

static bool bin_points(wri_planar *p, int first)
{
    int count = p->points.count - p->bin_next.count;
    if (!wri_array_add(&p->bin_next, count)) {
        return false;
    }
    for (int i = first; i < p->points.count; i++) {
        int *head = &WRI_ITEM(p->bin_points, int, square_of(p, wri_planar_point(p, i)));
        WRI_ITEM(p->bin_next, int, i) = *head;
        *head = i;
    }
    return true;
}

// The nearest point that was binned, when it is nearer than the limit (at most one spacing).
static int near_point(const wri_planar *p, const double q[2], double limit)
{
    int row = row_of(p, q[1]), column = clamp_bin(q[0] / p->spacing, p->columns), best = -1;
    for (int k = 0; k < 9; k++) {
        int r = row + k / 3 - 1, c = column + k % 3 - 1;
        if (r < 0 || c < 0 || r >= p->rows || c >= p->columns) {
            continue;
        }
        for (int i = WRI_ITEM(p->bin_points, int, r * p->columns + c); i >= 0;
             i = WRI_ITEM(p->bin_next, int, i)) {
            double d = hypot(wri_planar_point(p, i)[0] - q[0], wri_planar_point(p, i)[1] - q[1]);
            if (d < limit) {
                limit = d;
                best = i;
            }
        }
    }
    return best;
}

// A handle inside becomes a sample of its own; one that meets the outline takes the sample there.
static bool sample_handles(wri_planar *p)
{
    double unit = p->desc->metres_per_pixel;
    p->handles.count = 0;
    int *out = wri_array_add(&p->handles, p->desc->handle_count);
    if (!out) {
        return false;
    }
    for (int i = 0; i < p->desc->handle_count; i++) {
        const double q[2] = {p->desc->handles[i].x / unit, p->desc->handles[i].y / unit};
        out[i] = near_point(p, q, 0.05 * p->spacing);
        if (out[i] < 0 && wri_planar_is_inside(p, q[0], q[1])) {
            out[i] = wri_planar_add_point(p, q[0], q[1], true);
            if (out[i] < 0 || !bin_points(p, out[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool sample_inside(wri_planar *p)
{
    double s = p->spacing, dy = s * 0.86602540378443865;
    int rows = (int)(p->desc->image->height / dy) + 2;
    int columns = (int)(p->desc->image->width / s) + 2;
    double x0 = 0.5 * (p->desc->image->width - (columns - 1) * s) + s * p->shift[0];
    double y0 = 0.5 * (p->desc->image->height - (rows - 1) * dy) + s * p->shift[1];
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            const double q[2] = {x0 + s * (c + (r & 1 ? 0.25 : -0.25)), y0 + dy * r};
            if (wri_planar_is_inside(p, q[0], q[1]) && near_point(p, q, 0.7 * s) < 0 &&
                wri_planar_add_point(p, q[0], q[1], false) < 0) {
                return false;
            }
        }
    }
    return true;
}

bool wri_planar_place_samples(wri_planar *p)
{
    p->points.count = p->is_fixed.count = p->edges.count = p->bin_points.count = 0;
    p->bin_next.count = 0;
    p->columns = (int)(p->desc->image->width / p->spacing) + 1;
    p->rows = (int)(p->desc->image->height / p->spacing) + 1;
    int *heads = wri_array_add(&p->bin_points, p->columns * p->rows);
    if (!heads) {
        return false;
    }
    memset(heads, 0xff, (size_t)p->bin_points.count * sizeof *heads);
    for (int i = 0; i < p->outline.loop_count; i++) {
        if (!sample_loop(p, i)) {
            return false;
        }
    }
    return bin_points(p, 0) && wri_planar_bin_edges(p) && sample_handles(p) && sample_inside(p);
}
