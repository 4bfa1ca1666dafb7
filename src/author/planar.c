// planar.c: triangles within the outline of an image.
//
// Samples stand on the outline, on its corners in any case, and, in a hexagonal pattern, inside it,
// all at one spacing; inner ones then move to the middle of their neighbours a few times. Edges of
// the outline that the Delaunay triangulation lacks are halved until it has them, so that no
// triangle crosses the outline, and the triangles outside are left out. Everything is in pixels
// until the end.
#include "planar.h"

#include "delaunay.h"
#include "key_table.h"
#include "lattice.h"

enum { COOKIE = 0x2d1a771, VERTICES_MAX = 1000000, ROUNDS = 24, RELAXATIONS = 3, HALVINGS = 8 };

#define TOLERANCE 0.1
#define FLAT 1e-5 // share of the spacing squared; thinner triangles lie along a straight outline

wr_planar_desc wr_planar_desc_default(void)
{
    return (wr_planar_desc){.metres_per_pixel = 0.01,
                            .vertices = 500,
                            .allocator = *wr_allocator_default(),
                            .cookie = COOKIE};
}

static bool check_desc(const wr_planar_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_planar_desc, desc, COOKIE)) {
        return false;
    }
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

// --- triangles --------------------------------------------------------------------------------

static double area_of(const wri_planar *p, const int t[3])
{
    const double *a = wri_planar_point(p, t[0]), *b = wri_planar_point(p, t[1]),
                 *c = wri_planar_point(p, t[2]);
    return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

static bool triangulate(wri_planar *p, wr_error *error)
{
    p->triangles.count = 0;
    return wri_delaunay((const double(*)[2])p->points.items, p->points.count, &p->triangles, error);
}

static void drop_outside(wri_planar *p)
{
    int(*t)[3] = p->triangles.items, kept = 0;
    for (int i = 0; i < p->triangles.count; i++) {
        double x = 0.0, y = 0.0;
        for (int k = 0; k < 3; k++) {
            x += wri_planar_point(p, t[i][k])[0] / 3.0;
            y += wri_planar_point(p, t[i][k])[1] / 3.0;
        }
        if (area_of(p, t[i]) > FLAT * p->spacing * p->spacing && wri_planar_is_inside(p, x, y)) {
            memmove(t[kept++], t[i], sizeof *t);
        }
    }
    p->triangles.count = kept;
}

static bool relax(wri_planar *p, wr_error *error)
{
    int n = p->points.count;
    double(*sum)[3] = wri_alloc(&p->desc->allocator, (size_t)n, sizeof *sum);
    if (!sum) {
        return wri_fail_memory(error, (size_t)n * sizeof *sum);
    }
    const int(*t)[3] = p->triangles.items;
    for (int i = 0; i < 3 * p->triangles.count; i++) {
        int v = t[i / 3][i % 3], next = t[i / 3][(i + 1) % 3]; // each neighbour once
        sum[v][0] += wri_planar_point(p, next)[0];
        sum[v][1] += wri_planar_point(p, next)[1];
        sum[v][2] += 1.0;
    }
    for (int i = 0; i < n; i++) {
        if (!WRI_ITEM(p->is_fixed, uint8_t, i) && sum[i][2] > 0.0) {
            wri_planar_point(p, i)[0] = sum[i][0] / sum[i][2];
            wri_planar_point(p, i)[1] = sum[i][1] / sum[i][2];
        }
    }
    wri_free(&p->desc->allocator, sum, (size_t)n, sizeof *sum);
    return true;
}

// Halves the edges of the outline that are no edge of a triangle. Returns how many, -1 when out of
// memory.
static int halve_missing(wri_planar *p)
{
    wri_key_table table = wri_key_table_create(&p->desc->allocator);
    const int(*t)[3] = p->triangles.items;
    int halved = 0, count = p->edges.count;
    for (int i = 0; halved >= 0 && i < 3 * p->triangles.count; i++) {
        uint64_t key = wri_planar_edge_key(t[i / 3][i % 3], t[i / 3][(i + 1) % 3]);
        halved = wri_key_table_add(&table, key) < 0 ? -1 : 0;
    }
    for (int i = 0; halved >= 0 && i < count; i++) {
        int a = wri_planar_edges(p)[i][0], b = wri_planar_edges(p)[i][1];
        if (wri_key_table_find(&table, wri_planar_edge_key(a, b)) >= 0) {
            continue;
        }
        int m = wri_planar_add_point(
            p, 0.5 * (wri_planar_point(p, a)[0] + wri_planar_point(p, b)[0]),
            0.5 * (wri_planar_point(p, a)[1] + wri_planar_point(p, b)[1]), true);
        if (m < 0 || !wri_planar_add_edge(p, m, b)) {
            halved = -1;
            break;
        }
        wri_planar_edges(p)[i][1] = m;
        halved++;
    }
    wri_key_table_destroy(&table);
    return halved;
}

static bool build(wri_planar *p, double spacing, wr_error *error)
{
    p->spacing = spacing;
    if (!wri_planar_place_samples(p)) {
        return wri_fail_memory(error, (size_t)p->points.count * sizeof(wri_point2));
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
        if (halved < 0 || !wri_planar_bin_edges(p)) {
            return wri_fail_memory(error, (size_t)p->points.count * sizeof(wri_point2));
        }
    }
    drop_outside(p);
    return true;
}

// --- the number of vertices -------------------------------------------------------------------

static int count_used(const wri_planar *p, wr_error *error)
{
    size_t n = (size_t)p->points.count;
    int *place = wri_alloc(&p->desc->allocator, n, sizeof *place);
    int count = place ? wri_planar_mark_used(p, place) : -1;
    wri_free(&p->desc->allocator, place, n, sizeof *place);
    if (count < 0) {
        wri_fail_memory(error, n * sizeof *place);
    }
    return count;
}

static double guess_spacing(const wri_planar *p)
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
static bool search_from(wri_planar *p, double s, trial *best, wr_error *error)
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
static bool search(wri_planar *p, wr_error *error)
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

// --- create -----------------------------------------------------------------------------------

// A loop has three vertices at least.
static bool check_specks(const wri_planar *p, wr_error *error)
{
    int least = 3 * p->outline.loop_count;
    return least / 4 <= p->desc->vertices ||
           wri_fail(error, WR_E_ARGUMENT,
                    "image \"%s\": has %d outlines, which %d vertices cannot mesh, expected fewer "
                    "specks, or %d vertices",
                    p->desc->image->name ? p->desc->image->name : "", p->outline.loop_count,
                    p->desc->vertices, least);
}

wr_lattice *wr_lattice_create_planar(const wr_planar_desc *desc, wr_error *error)
{
    if (!check_desc(desc, error)) {
        return NULL;
    }
    const wr_allocator *a = &desc->allocator;
    wri_arena arena = wri_arena_create(a);
    wri_planar p = {.desc = desc,
                    .points = wri_array_create(a, sizeof(wri_point2)),
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
    wr_lattice *lattice = ok ? wri_planar_finish(&p, error) : NULL;
    wri_array *arrays[] = {&p.points,    &p.is_fixed,   &p.edges,    &p.triangles, &p.bin_begin,
                           &p.bin_edges, &p.bin_points, &p.bin_next, &p.handles};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        wri_array_destroy(arrays[i]);
    }
    wri_arena_destroy(&arena);
    return lattice;
}
