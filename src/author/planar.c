// planar.c: triangles within the outline of an image.
//
// Samples stand on the outline, on its corners in any case, and, in a hexagonal pattern, inside it,
// all at one spacing; inner ones then move to the middle of their neighbours a few times. Edges of
// the outline that the Delaunay triangulation lacks are halved until it has them, so that no
// triangle crosses the outline, and the triangles outside are left out. Everything is in pixels
// until the end.
#include "wrought/author.h"

#include "delaunay.h"
#include "key_table.h"
#include "lattice.h"
#include "outline.h"

#include <stdlib.h>

enum { COOKIE = 0x2d1a771, VERTICES_MAX = 1000000, ROUNDS = 24, RELAXATIONS = 3, HALVINGS = 8 };

#define TOLERANCE 0.1
#define CORNER 0.2 // share of the spacing by which samples may cut a corner
#define FLAT 1e-5  // share of the spacing squared; thinner triangles lie along a straight outline

typedef double point2[2];

typedef struct planar {
    const wr_planar_desc *desc;
    wri_outline outline;
    double spacing;       // pixels
    double shift[2];      // shift of the inner samples, in spacings
    wri_array points;     // point2
    wri_array is_fixed;   // uint8_t
    wri_array edges;      // int[2], of the outline
    wri_array triangles;  // int[3], inside
    wri_array bin_begin;  // int: edges by rows of one spacing
    wri_array bin_edges;  // int
    wri_array bin_points; // int, first point in each square of one spacing, -1
    wri_array bin_next;   // int, beside points
    wri_array handles;    // int, the point of each handle
    int columns, rows;
} planar;

wr_planar_desc wr_planar_desc_default(void)
{
    return (wr_planar_desc){.metres_per_pixel = 0.01,
                            .vertices = 500,
                            .allocator = *wr_allocator_default(),
                            .cookie = COOKIE};
}

static bool check_desc(const wr_planar_desc *desc, wr_error *error)
{
    WR_ASSERT(desc->cookie == COOKIE); // start from wr_planar_desc_default()
    if (!desc->image) {
        return wri_fail(error, WR_E_ARGUMENT, "image: missing");
    }
    if (!(desc->metres_per_pixel > 0.0 && desc->metres_per_pixel < 1e6)) {
        return wri_fail(error, WR_E_ARGUMENT, "metres_per_pixel: %g not in (0, 1e6)",
                        desc->metres_per_pixel);
    }
    if (desc->vertices < 8 || desc->vertices > VERTICES_MAX) {
        return wri_fail(error, WR_E_ARGUMENT, "vertices: %d not in [8, %d]", desc->vertices,
                        VERTICES_MAX);
    }
    return wri_handles_check(desc->handles, desc->handle_count, error);
}

static double *point(const planar *p, int i)
{
    return ((point2 *)p->points.items)[i];
}

static int (*edges_of(const planar *p))[2]
{
    return p->edges.items;
}

// --- samples ----------------------------------------------------------------------------------

static int add_point(planar *p, double x, double y, bool is_fixed)
{
    point2 *q = wri_array_add(&p->points, 1);
    uint8_t *fixed = wri_array_add(&p->is_fixed, 1);
    if (!q || !fixed) {
        return -1;
    }
    (*q)[0] = x, (*q)[1] = y;
    *fixed = is_fixed;
    return p->points.count - 1;
}

static bool add_edge(planar *p, int a, int b)
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
static bool mark_corners(planar *p, const point2 *q, int n, uint8_t *is_corner)
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
static bool sample_span(planar *p, const point2 *q, int n, int from, int to)
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
            if (add_point(p, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), true) < 0) {
                return false;
            }
        }
        done += step;
    }
    return true;
}

static bool sample_loop(planar *p, int loop)
{
    const point2 *q = (const point2 *)p->outline.points + p->outline.loop_begin[loop];
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
        ok = add_edge(p, first + i, first + (i + 1) % count);
    }
    return ok;
}

static int clamp_bin(double x, int count)
{
    return x < 0.0 ? 0 : x >= count ? count - 1 : (int)x;
}

static int row_of(const planar *p, double y)
{
    return clamp_bin(y / p->spacing, p->rows);
}

// Edges by the rows that they pass through.
static bool bin_edges(planar *p)
{
    p->bin_begin.count = p->bin_edges.count = 0;
    int *begin = wri_array_add(&p->bin_begin, p->rows + 2);
    if (!begin) {
        return false;
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < p->edges.count; i++) {
            double y0 = point(p, edges_of(p)[i][0])[1], y1 = point(p, edges_of(p)[i][1])[1];
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

// Even-odd rule over the edges of the point's row.
static bool is_inside(const planar *p, double x, double y)
{
    const int *begin = p->bin_begin.items;
    bool inside = false;
    int row = row_of(p, y);
    for (int i = begin[row]; i < begin[row + 1]; i++) {
        const int *e = edges_of(p)[WRI_ITEM(p->bin_edges, int, i)];
        const double *a = point(p, e[0]), *b = point(p, e[1]);
        if ((a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) {
            inside = !inside;
        }
    }
    return inside;
}

static int square_of(const planar *p, const double q[2])
{
    return row_of(p, q[1]) * p->columns + clamp_bin(q[0] / p->spacing, p->columns);
}

static bool bin_points(planar *p, int first)
{
    int count = p->points.count - p->bin_next.count;
    if (!wri_array_add(&p->bin_next, count)) {
        return false;
    }
    for (int i = first; i < p->points.count; i++) {
        int *head = &WRI_ITEM(p->bin_points, int, square_of(p, point(p, i)));
        WRI_ITEM(p->bin_next, int, i) = *head;
        *head = i;
    }
    return true;
}

// The nearest point that was binned, when it is nearer than the limit (at most one spacing).
static int near_point(const planar *p, const double q[2], double limit)
{
    int row = row_of(p, q[1]), column = clamp_bin(q[0] / p->spacing, p->columns), best = -1;
    for (int k = 0; k < 9; k++) {
        int r = row + k / 3 - 1, c = column + k % 3 - 1;
        if (r < 0 || c < 0 || r >= p->rows || c >= p->columns) {
            continue;
        }
        for (int i = WRI_ITEM(p->bin_points, int, r * p->columns + c); i >= 0;
             i = WRI_ITEM(p->bin_next, int, i)) {
            double d = hypot(point(p, i)[0] - q[0], point(p, i)[1] - q[1]);
            if (d < limit) {
                limit = d;
                best = i;
            }
        }
    }
    return best;
}

// A handle inside becomes a sample of its own; one that meets the outline takes the sample there.
static bool sample_handles(planar *p)
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
        if (out[i] < 0 && is_inside(p, q[0], q[1])) {
            out[i] = add_point(p, q[0], q[1], true);
            if (out[i] < 0 || !bin_points(p, out[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool sample_inside(planar *p)
{
    double s = p->spacing, dy = s * 0.86602540378443865;
    int rows = (int)(p->desc->image->height / dy) + 2;
    int columns = (int)(p->desc->image->width / s) + 2;
    double x0 = 0.5 * (p->desc->image->width - (columns - 1) * s) + s * p->shift[0];
    double y0 = 0.5 * (p->desc->image->height - (rows - 1) * dy) + s * p->shift[1];
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            const double q[2] = {x0 + s * (c + (r & 1 ? 0.25 : -0.25)), y0 + dy * r};
            if (is_inside(p, q[0], q[1]) && near_point(p, q, 0.7 * s) < 0 &&
                add_point(p, q[0], q[1], false) < 0) {
                return false;
            }
        }
    }
    return true;
}

static bool place_samples(planar *p)
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
    return bin_points(p, 0) && bin_edges(p) && sample_handles(p) && sample_inside(p);
}

// --- triangles --------------------------------------------------------------------------------

static double area_of(const planar *p, const int t[3])
{
    const double *a = point(p, t[0]), *b = point(p, t[1]), *c = point(p, t[2]);
    return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

static bool triangulate(planar *p, wr_error *error)
{
    p->triangles.count = 0;
    return wri_delaunay((const double(*)[2])p->points.items, p->points.count, &p->triangles, error);
}

static void drop_outside(planar *p)
{
    int(*t)[3] = p->triangles.items, kept = 0;
    for (int i = 0; i < p->triangles.count; i++) {
        double x = 0.0, y = 0.0;
        for (int k = 0; k < 3; k++) {
            x += point(p, t[i][k])[0] / 3.0;
            y += point(p, t[i][k])[1] / 3.0;
        }
        if (area_of(p, t[i]) > FLAT * p->spacing * p->spacing && is_inside(p, x, y)) {
            memmove(t[kept++], t[i], sizeof *t);
        }
    }
    p->triangles.count = kept;
}

static bool relax(planar *p, wr_error *error)
{
    int n = p->points.count;
    double(*sum)[3] = wri_alloc(&p->desc->allocator, (size_t)n, sizeof *sum);
    if (!sum) {
        return wri_fail_memory(error, (size_t)n * sizeof *sum);
    }
    const int(*t)[3] = p->triangles.items;
    for (int i = 0; i < 3 * p->triangles.count; i++) {
        int v = t[i / 3][i % 3], next = t[i / 3][(i + 1) % 3]; // each neighbour once
        sum[v][0] += point(p, next)[0];
        sum[v][1] += point(p, next)[1];
        sum[v][2] += 1.0;
    }
    for (int i = 0; i < n; i++) {
        if (!WRI_ITEM(p->is_fixed, uint8_t, i) && sum[i][2] > 0.0) {
            point(p, i)[0] = sum[i][0] / sum[i][2];
            point(p, i)[1] = sum[i][1] / sum[i][2];
        }
    }
    wri_free(&p->desc->allocator, sum, (size_t)n, sizeof *sum);
    return true;
}

static uint64_t edge_key(int a, int b)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// Halves the edges of the outline that are no edge of a triangle. Returns how many, -1 when out of
// memory.
static int halve_missing(planar *p)
{
    wri_key_table table = wri_key_table_create(&p->desc->allocator);
    const int(*t)[3] = p->triangles.items;
    int halved = 0, count = p->edges.count;
    for (int i = 0; halved >= 0 && i < 3 * p->triangles.count; i++) {
        uint64_t key = edge_key(t[i / 3][i % 3], t[i / 3][(i + 1) % 3]);
        halved = wri_key_table_add(&table, key) < 0 ? -1 : 0;
    }
    for (int i = 0; halved >= 0 && i < count; i++) {
        int a = edges_of(p)[i][0], b = edges_of(p)[i][1];
        if (wri_key_table_find(&table, edge_key(a, b)) >= 0) {
            continue;
        }
        int m = add_point(p, 0.5 * (point(p, a)[0] + point(p, b)[0]),
                          0.5 * (point(p, a)[1] + point(p, b)[1]), true);
        if (m < 0 || !add_edge(p, m, b)) {
            halved = -1;
            break;
        }
        edges_of(p)[i][1] = m;
        halved++;
    }
    wri_key_table_destroy(&table);
    return halved;
}

static bool build(planar *p, double spacing, wr_error *error)
{
    p->spacing = spacing;
    if (!place_samples(p)) {
        return wri_fail_memory(error, (size_t)p->points.count * sizeof(point2));
    }
    for (int i = 0; i < RELAXATIONS; i++) {
        if (!triangulate(p, error)) {
            return false;
        }
        drop_outside(p);
        if (!relax(p, error)) {
            return false;
        }
    }
    for (int i = 0, halved = 1; i < HALVINGS && halved; i++) {
        if (!triangulate(p, error)) {
            return false;
        }
        halved = i + 1 < HALVINGS ? halve_missing(p) : 0;
        if (halved < 0 || !bin_edges(p)) {
            return wri_fail_memory(error, (size_t)p->points.count * sizeof(point2));
        }
    }
    drop_outside(p);
    return true;
}

// --- the number of vertices -------------------------------------------------------------------

static int mark_used(const planar *p, int *place)
{
    const int(*t)[3] = p->triangles.items;
    int count = 0;
    memset(place, 0xff, (size_t)p->points.count * sizeof *place);
    for (int i = 0; i < 3 * p->triangles.count; i++) {
        place[t[i / 3][i % 3]] = 0;
    }
    for (int i = 0; i < p->points.count; i++) {
        place[i] = place[i] < 0 ? -1 : count++;
    }
    return count;
}

static int count_used(const planar *p, wr_error *error)
{
    size_t n = (size_t)p->points.count;
    int *place = wri_alloc(&p->desc->allocator, n, sizeof *place);
    int count = place ? mark_used(p, place) : -1;
    wri_free(&p->desc->allocator, place, n, sizeof *place);
    if (count < 0) {
        wri_fail_memory(error, n * sizeof *place);
    }
    return count;
}

static double guess_spacing(const planar *p)
{
    double low = 1e-3, high = 2.0 * (p->desc->image->width + p->desc->image->height);
    for (int i = 0; i < 50; i++) {
        double s = sqrt(low * high);
        double count = p->outline.area / (0.866 * s * s) + 0.5 * p->outline.length / s;
        *(count > p->desc->vertices ? &low : &high) = s;
    }
    return high;
}

typedef struct trial {
    double spacing, shift[2];
    double off; // difference of the count from what is wanted, as a part of it
} trial;

// The spacing between one that gives too many vertices and one that gives too few.
static bool search_from(planar *p, double s, trial *best, wr_error *error)
{
    double many = 0.0, few = INFINITY, wanted = p->desc->vertices;
    for (int i = 0; i < ROUNDS && s <= p->outline.length; i++) {
        int count = build(p, s, error) ? count_used(p, error) : -1;
        if (count < 0) {
            return false;
        }
        double off = fabs(count / wanted - 1.0);
        if (off < best->off) {
            *best = (trial){s, {p->shift[0], p->shift[1]}, off};
        }
        if (off <= fmin(0.02 + 0.01 * i, TOLERANCE)) {
            return true;
        }
        *(count > wanted ? &many : &few) = s;
        double next = s * pow(fmax(count, 1) / wanted, 0.5) * (count > wanted ? 1.01 : 0.99);
        bool is_open = many == 0.0 || few == INFINITY;
        if (!is_open && few / many < 1.0003) {
            return true;
        }
        s = is_open                     ? fmin(fmax(next, 0.4 * s), 2.5 * s)
            : next > many && next < few ? next
                                        : sqrt(many * few);
    }
    return true;
}

// Few vertices on straight sides come in jumps, which are elsewhere when the pattern is shifted.
static bool search(planar *p, wr_error *error)
{
    static const double shifts[][2] = {{0, 0}, {0.5, 0.43}, {0.25, 0.2}, {0.4, 0.3}, {0.1, 0.65}};
    trial best = {.spacing = guess_spacing(p), .off = INFINITY};
    for (int i = 0; i < WRI_COUNT(shifts) && best.off > TOLERANCE; i++) {
        memcpy(p->shift, shifts[i], sizeof p->shift);
        if (!search_from(p, best.spacing, &best, error)) {
            return false;
        }
        if (p->desc->progress.report) {
            p->desc->progress.report(p->desc->progress.user, "triangles", 1.0 - 1.0 / (i + 2.0));
        }
    }
    memcpy(p->shift, best.shift, sizeof p->shift);
    return build(p, best.spacing, error);
}

// --- the result -------------------------------------------------------------------------------

// A loop has three vertices at least.
static bool check_specks(const planar *p, wr_error *error)
{
    int least = 3 * p->outline.loop_count;
    return least / 4 <= p->desc->vertices ||
           wri_fail(error, WR_E_ARGUMENT,
                    "image \"%s\": has %d outlines, which %d vertices cannot mesh, expected fewer "
                    "specks, or %d vertices",
                    p->desc->image->name ? p->desc->image->name : "", p->outline.loop_count,
                    p->desc->vertices, least);
}

static int find_root(int *parent, int v)
{
    for (; parent[v] != v; v = parent[v]) {
        parent[v] = parent[parent[v]];
    }
    return v;
}

// Triangles that share a vertex are of one part; numbered by their first vertex.
static bool find_parts(wr_lattice *l, const wr_allocator *allocator)
{
    size_t n = (size_t)l->vertex_count;
    int *parent = wri_alloc(allocator, n, sizeof *parent);
    for (int i = 0; parent && i < l->vertex_count; i++) {
        parent[i] = i;
    }
    for (int i = 0; parent && i < l->element_count; i++) {
        for (int k = 1; k < 3; k++) {
            int a = find_root(parent, l->elements[3 * i]);
            int b = find_root(parent, l->elements[3 * i + k]);
            parent[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (int i = 0; parent && i < l->vertex_count; i++) {
        int root = find_root(parent, i);
        l->vertex_parts[i] = root == i ? l->report.parts++ : l->vertex_parts[root];
    }
    wri_free(allocator, parent, n, sizeof *parent);
    return parent != NULL;
}

static bool mark_boundary(wr_lattice *l, const wr_allocator *allocator)
{
    wri_key_table table = wri_key_table_create(allocator);
    wri_array owners = wri_array_create(allocator, sizeof(int));
    bool ok = true;
    for (int i = 0; ok && i < 3 * l->element_count; i++) {
        int a = l->elements[i], b = l->elements[i % 3 == 2 ? i - 2 : i + 1];
        int number = wri_key_table_add(&table, edge_key(a, b));
        ok = number >= 0 && (number < owners.count || wri_array_add(&owners, 1));
        if (ok) {
            WRI_ITEM(owners, int, number)++;
        }
    }
    for (int i = 0; ok && i < owners.count; i++) {
        if (WRI_ITEM(owners, int, i) == 1) {
            uint64_t key = wri_key_table_key(&table, i);
            l->is_boundary[key >> 32] = l->is_boundary[key & 0xffffffff] = 1;
        }
    }
    wri_key_table_destroy(&table);
    wri_array_destroy(&owners);
    return ok;
}

static double element_area(const wr_lattice *l, int element)
{
    const int *t = &l->elements[3 * element];
    wr_vec3 a = l->rest[t[0]], b = l->rest[t[1]], c = l->rest[t[2]];
    return 0.5 *
           (((double)b.x - a.x) * ((double)c.y - a.y) - ((double)b.y - a.y) * ((double)c.x - a.x));
}

// A handle outside takes the nearest free vertex within one spacing when no triangle turns over.
static int move_vertex(wr_lattice *l, int handle, wr_vec3 to)
{
    int best = -1;
    double limit = l->report.spacing;
    for (int i = 0; i < l->vertex_count; i++) {
        double d = hypot((double)l->rest[i].x - to.x, (double)l->rest[i].y - to.y);
        bool is_free = true;
        for (int k = 0; k < handle && d < limit; k++) {
            is_free = is_free && l->handle_vertices[k] != i;
        }
        if (is_free && d < limit) {
            limit = d, best = i;
        }
    }
    if (best < 0) {
        return -1;
    }
    wr_vec3 old = l->rest[best];
    l->rest[best] = to;
    for (int i = 0; i < l->element_count; i++) {
        const int *t = &l->elements[3 * i];
        if ((t[0] == best || t[1] == best || t[2] == best) &&
            !(element_area(l, i) > 0.02 * l->report.spacing * l->report.spacing)) {
            l->rest[best] = old;
            return -1;
        }
    }
    return best;
}

static void put_handles(const planar *p, const int *place, wr_lattice *l)
{
    for (int i = 0; i < l->handle_count; i++) {
        int at = WRI_ITEM(p->handles, int, i);
        l->handle_vertices[i] = at < 0 ? -1 : place[at];
        if (l->handle_vertices[i] >= 0) {
            l->rest[l->handle_vertices[i]] =
                wr_v3(p->desc->handles[i].x, p->desc->handles[i].y, 0.0f);
        }
    }
    for (int i = 0; i < l->handle_count; i++) {
        if (l->handle_vertices[i] < 0) {
            wr_vec3 to = wr_v3(p->desc->handles[i].x, p->desc->handles[i].y, 0.0f);
            l->handle_vertices[i] = move_vertex(l, i, to);
            l->report.handles_missed += l->handle_vertices[i] < 0;
        }
    }
}

static bool check_areas(wr_lattice *l, wr_error *error)
{
    double regular = 0.4330127 * l->report.spacing * l->report.spacing;
    l->report.least_volume = INFINITY;
    for (int i = 0; i < l->element_count; i++) {
        double area = element_area(l, i);
        l->report.volume += area;
        l->report.least_volume = fmin(l->report.least_volume, area / regular);
    }
    return l->report.least_volume > 0.0 ||
           wri_fail(error, WR_E_ARGUMENT,
                    "two handles are so close that float numbers cannot resolve the triangles "
                    "between them");
}

static bool fill(planar *p, const int *place, wr_lattice *l, wr_error *error)
{
    double unit = p->desc->metres_per_pixel;
    for (int i = 0; i < p->points.count; i++) {
        if (place[i] >= 0) {
            l->rest[place[i]] =
                wr_v3((float)(unit * point(p, i)[0]), (float)(unit * point(p, i)[1]), 0.0f);
        }
    }
    const int(*t)[3] = p->triangles.items;
    for (int i = 0; i < 3 * p->triangles.count; i++) {
        l->elements[i] = place[t[i / 3][i % 3]];
    }
    l->element_count = p->triangles.count;
    l->report.shells = p->outline.shape_count;
    l->report.dropped_shells = p->outline.dropped_count;
    l->report.spacing = unit * p->spacing;
    put_handles(p, place, l);
    return ((find_parts(l, &p->desc->allocator) && mark_boundary(l, &p->desc->allocator)) ||
            wri_fail_memory(error, (size_t)l->vertex_count * sizeof(int))) &&
           check_areas(l, error);
}

static wr_lattice *finish(planar *p, wr_error *error)
{
    size_t n = (size_t)p->points.count;
    int *place = wri_alloc(&p->desc->allocator, n, sizeof *place);
    if (!place) {
        wri_fail_memory(error, n * sizeof *place);
        return NULL;
    }
    int count = mark_used(p, place);
    wri_lattice_sizes sizes = {2, count, p->triangles.count, p->desc->handle_count, 0};
    wr_lattice *l = count > 0 ? wri_lattice_allocate(&sizes, &p->desc->allocator, error) : NULL;
    if (count == 0) {
        wri_fail(error, WR_E_ARGUMENT, "image \"%s\": no triangle fits into its shapes",
                 p->desc->image->name ? p->desc->image->name : "");
    }
    if (l) {
        l->vertex_count = count;
    }
    if (l && !fill(p, place, l, error)) {
        wr_lattice_destroy(l);
        l = NULL;
    }
    wri_free(&p->desc->allocator, place, n, sizeof *place);
    return l;
}

wr_lattice *wr_lattice_create_planar(const wr_planar_desc *desc, wr_error *error)
{
    if (!check_desc(desc, error)) {
        return NULL;
    }
    const wr_allocator *a = &desc->allocator;
    wri_arena arena = wri_arena_create(a);
    planar p = {.desc = desc,
                .points = wri_array_create(a, sizeof(point2)),
                .is_fixed = wri_array_create(a, 1),
                .edges = wri_array_create(a, 2 * sizeof(int)),
                .triangles = wri_array_create(a, 3 * sizeof(int)),
                .bin_begin = wri_array_create(a, sizeof(int)),
                .bin_edges = wri_array_create(a, sizeof(int)),
                .bin_points = wri_array_create(a, sizeof(int)),
                .bin_next = wri_array_create(a, sizeof(int)),
                .handles = wri_array_create(a, sizeof(int))};
    bool ok = wri_outline_find(desc->image, &arena, &p.outline, error) && check_specks(&p, error) &&
              search(&p, error);
    wr_lattice *lattice = ok ? finish(&p, error) : NULL;
    wri_array *arrays[] = {&p.points,    &p.is_fixed,   &p.edges,    &p.triangles, &p.bin_begin,
                           &p.bin_edges, &p.bin_points, &p.bin_next, &p.handles};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        wri_array_destroy(arrays[i]);
    }
    wri_arena_destroy(&arena);
    return lattice;
}
