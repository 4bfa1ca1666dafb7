// parts.c: shells of a surface, joined with the closed shells around them and with what they trim.
//
// A shell is inside another one when the other's winding number is a whole number other than zero
// at several of its vertices: only a closed surface has whole numbers. A shell is trim of another
// one when it touches that and is much smaller; both are measured by their own surfaces and not by
// what they were joined with, so that the links of a chain stay apart, small as they are beside
// what the first of them hangs on. Should there be more parts than the lattice has vertices for,
// the smallest go to the nearest large one.
#include "parts.h"

#include <stdlib.h>

#define TOUCH 0.1 // of a small shell's extent: gaps and overlaps that artists leave

typedef struct shell {
    int first_triangle, triangle_count;
    int group; // another shell, or itself; followed by find_group
    wr_box box;
} shell;

typedef struct finder {
    const wr_mesh *mesh;
    wri_arena *arena;
    int *shell_of_vertex;
    int shell_count;
    shell *shells;
    int *triangles; // all of them, shell after shell
} finder;

static int find_group(finder *f, int s)
{
    while (f->shells[s].group != s) {
        s = f->shells[s].group;
    }
    return s;
}

static double extent(wr_box box)
{
    return wr_box_is_empty(box) ? 0.0 : (double)wr_length(wr_box_size(box));
}

static int triangle_shell(const finder *f, int triangle)
{
    return f->shell_of_vertex[f->mesh->triangles[3 * (size_t)triangle]];
}

static bool collect_shells(finder *f)
{
    const wr_mesh *mesh = f->mesh;
    f->shell_of_vertex = wri_arena_alloc(f->arena, (size_t)mesh->vertex_count, sizeof(int));
    f->triangles = wri_arena_alloc(f->arena, (size_t)mesh->triangle_count, 3 * sizeof(int));
    f->shell_count = f->shell_of_vertex ? wr_mesh_find_shells(mesh, f->shell_of_vertex) : -1;
    if (f->shell_count < 0 || !f->triangles) {
        return false;
    }
    f->shells = wri_arena_alloc(f->arena, (size_t)f->shell_count + 1, sizeof *f->shells);
    if (!f->shells) {
        return false;
    }
    for (int i = 0; i < f->shell_count; i++) {
        f->shells[i] = (shell){.group = i, .box = WR_BOX_EMPTY};
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        shell *s = &f->shells[triangle_shell(f, i)];
        s->triangle_count++;
        for (int k = 0; k < 3; k++) {
            s->box = wr_box_add(s->box, mesh->positions[mesh->triangles[3 * i + k]]);
        }
    }
    for (int i = 0, sum = 0; i < f->shell_count; i++) {
        f->shells[i].first_triangle = sum;
        sum += f->shells[i].triangle_count;
        f->shells[i].triangle_count = 0;
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        shell *s = &f->shells[triangle_shell(f, i)];
        int place = s->first_triangle + s->triangle_count++;
        memcpy(&f->triangles[3 * (size_t)place], &mesh->triangles[3 * (size_t)i], 3 * sizeof(int));
    }
    return true;
}

static bool has_extent(const shell *s)
{
    return s->triangle_count > 0 && extent(s->box) > 0.0;
}

static bool box_contains(wr_box outer, wr_box inner)
{
    wr_box both = wr_box_join(outer, inner);
    return memcmp(&both, &outer, sizeof both) == 0;
}

// Tests samples of the inner shell against the outer one, triangle by triangle: this has to be
// exact.
static bool is_around(const finder *f, const shell *inner, const wri_soup *outer)
{
    enum { SAMPLES = 9 };
    for (int i = 0; i < SAMPLES; i++) {
        int t =
            inner->first_triangle + (int)((int64_t)i * (inner->triangle_count - 1) / (SAMPLES - 1));
        wr_vec3 p = f->mesh->positions[f->triangles[3 * (size_t)t]];
        double w = wri_winding(outer, (double[3]){p.x, p.y, p.z}, INFINITY);
        if (!(fabs(w) > 0.5 && fabs(w - round(w)) < 1e-3)) {
            return false;
        }
    }
    return true;
}

static bool join_nested(finder *f, wri_lattice_parts *out)
{
    wri_arena working = wri_arena_create(&f->arena->allocator);
    bool ok = true;
    for (int b = 0; ok && b < f->shell_count; b++) {
        shell *outer = &f->shells[b];
        wri_soup soup = {0};
        for (int a = 0; ok && has_extent(outer) && a < f->shell_count; a++) {
            shell *inner = &f->shells[a];
            if (a == b || !has_extent(inner) || inner->group != a ||
                !box_contains(outer->box, inner->box)) {
                continue;
            }
            if (!soup.nodes) {
                ok = wri_soup_build(&soup, &working, f->mesh->positions,
                                    &f->triangles[3 * (size_t)outer->first_triangle],
                                    outer->triangle_count);
            }
            if (ok && find_group(f, b) != a && is_around(f, inner, &soup)) {
                inner->group = b;
                out->nested++;
            }
        }
        if (soup.nodes) {
            wri_arena_destroy(&working);
            working = wri_arena_create(&f->arena->allocator);
        }
    }
    wri_arena_destroy(&working);
    return ok;
}

// --- trim -------------------------------------------------------------------------------------

static double box_gap(wr_box a, wr_box b)
{
    wr_vec3 gap = wr_max3(wr_sub(a.min, b.max), wr_sub(b.min, a.max));
    return wr_length(wr_max3(gap, wr_v3(0, 0, 0)));
}

// Nearest pair so far of a point of the small shell and one of the large.
typedef struct nearest_pair {
    const wri_soup *soup; // of the large shell
    double step;          // no point of a triangle is further than this from one that is looked at
    double distance;
    double ends[2][3];
} nearest_pair;

static void look_from_point(nearest_pair *pair, const double p[3])
{
    wri_soup_point n = wri_soup_nearest_within(pair->soup, p, pair->distance);
    if (n.triangle >= 0 && sqrt(n.distance2) < pair->distance) {
        pair->distance = sqrt(n.distance2);
        memcpy(pair->ends[0], p, sizeof pair->ends[0]);
        memcpy(pair->ends[1], n.point, sizeof pair->ends[1]);
    }
}

// A plate that a large triangle bounds may touch with its middle alone, so triangles are looked at
// from the points of a grid.
static void look_from_triangle(nearest_pair *pair, const double c[3][3])
{
    double longest = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *a = c[i], *b = c[(i + 1) % 3];
        longest = fmax(longest, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
    int cuts = (int)fmax(1.0, ceil(longest / pair->step));
    for (int i = 0; i <= cuts; i++) {
        for (int k = 0; k <= cuts - i; k++) {
            double p[3], u = (double)i / cuts, v = (double)k / cuts;
            for (int axis = 0; axis < 3; axis++) {
                p[axis] =
                    c[0][axis] + u * (c[1][axis] - c[0][axis]) + v * (c[2][axis] - c[0][axis]);
            }
            look_from_point(pair, p);
        }
    }
}

// Joins a small shell with the large one if they touch; no nearer one was found before.
static void join_if_touching(finder *f, int small, int large, const wri_soup *soup,
                             double *distances, wri_lattice_bridge *bridges)
{
    const shell *s = &f->shells[small];
    nearest_pair pair = {soup, TOUCH * extent(s->box), distances[small], {{0}}};
    for (int t = 0; t < s->triangle_count && pair.distance > 0.0; t++) {
        const int *corners = &f->triangles[3 * (size_t)(s->first_triangle + t)];
        double c[3][3];
        for (int k = 0; k < 3; k++) {
            wr_vec3 p = f->mesh->positions[corners[k]];
            c[k][0] = p.x, c[k][1] = p.y, c[k][2] = p.z;
        }
        look_from_triangle(&pair, (const double(*)[3])c);
    }
    if (pair.distance < distances[small]) {
        distances[small] = pair.distance;
        f->shells[small].group = large;
        bridges[small].vertex = f->triangles[3 * (size_t)s->first_triangle];
        memcpy(bridges[small].ends, pair.ends, sizeof pair.ends);
    }
}

// A shell is joined with the nearest of the large ones that it touches. Since groups grow from
// small to large, they form no circle.
static bool join_trim(finder *f, double trim, wri_lattice_parts *out)
{
    wri_arena working = wri_arena_create(&f->arena->allocator);
    size_t count = (size_t)f->shell_count;
    double *distances = wri_arena_alloc(f->arena, count, sizeof *distances);
    wri_lattice_bridge *bridges = wri_arena_alloc(f->arena, count, sizeof *bridges);
    bool ok = distances && bridges;
    for (int i = 0; ok && i < f->shell_count; i++) { // what is inside of another one stays there
        const shell *s = &f->shells[i];
        distances[i] = has_extent(s) && s->group == i ? TOUCH * extent(s->box) : 0.0;
        bridges[i].vertex = -1;
    }
    for (int b = 0; ok && b < f->shell_count; b++) {
        const shell *large = &f->shells[b];
        wri_soup soup = {0};
        for (int a = 0; ok && a < f->shell_count; a++) {
            const shell *small = &f->shells[a];
            if (distances[a] <= 0.0 || extent(small->box) > trim * extent(large->box) ||
                box_gap(small->box, large->box) >= distances[a]) {
                continue;
            }
            if (!soup.nodes) {
                ok = wri_soup_build(&soup, &working, f->mesh->positions,
                                    &f->triangles[3 * (size_t)large->first_triangle],
                                    large->triangle_count);
            }
            if (ok) {
                join_if_touching(f, a, b, &soup, distances, bridges);
            }
        }
        wri_arena_destroy(&working);
        working = wri_arena_create(&f->arena->allocator);
    }
    out->bridges = bridges;
    for (int i = 0; ok && i < f->shell_count; i++) {
        if (bridges[i].vertex >= 0) {
            bridges[out->bridge_count++] = bridges[i];
        }
    }
    wri_arena_destroy(&working);
    return ok;
}

// --- too many ---------------------------------------------------------------------------------

typedef struct ranked {
    double extent;
    int shell;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->extent != y->extent ? (x->extent < y->extent) - (x->extent > y->extent)
                                  : (x->shell > y->shell) - (x->shell < y->shell);
}

// The nearest of the `count` largest; among overlapping ones that with the nearest middle.
static int nearest_large(const finder *f, const ranked *order, int count, wr_box box)
{
    int best = 0;
    double best_gap = INFINITY, best_middle = INFINITY;
    for (int i = 0; i < count; i++) {
        wr_box other = f->shells[order[i].shell].box;
        double gap = box_gap(other, box);
        double middle = wr_distance(wr_box_center(other), wr_box_center(box));
        if (gap < best_gap || (gap == best_gap && middle < best_middle)) {
            best = order[i].shell, best_gap = gap, best_middle = middle;
        }
    }
    return best;
}

static bool glue_smallest(finder *f, int most, wri_lattice_parts *out)
{
    ranked *order = wri_arena_alloc(f->arena, (size_t)f->shell_count + 1, sizeof *order);
    int count = 0;
    if (!order) {
        return false;
    }
    for (int i = 0; i < f->shell_count; i++) {
        if (has_extent(&f->shells[i]) && f->shells[i].group == i) {
            order[count++] = (ranked){extent(f->shells[i].box), i};
        }
    }
    qsort(order, (size_t)count, sizeof *order, compare_ranked);
    for (int i = most; i < count; i++) {
        shell *s = &f->shells[order[i].shell];
        s->group = nearest_large(f, order, most, s->box);
        out->glued++;
    }
    return true;
}

// --- parts ------------------------------------------------------------------------------------

static bool number_parts(finder *f, wri_lattice_parts *out)
{
    const wr_mesh *mesh = f->mesh;
    int *part_of_shell = wri_arena_alloc(f->arena, (size_t)f->shell_count + 1, sizeof(int));
    out->items = wri_arena_alloc(f->arena, (size_t)f->shell_count + 1, sizeof *out->items);
    out->of_vertex = wri_arena_alloc(f->arena, (size_t)mesh->vertex_count, sizeof(int));
    if (!part_of_shell || !out->items || !out->of_vertex) {
        return false;
    }
    for (int i = 0; i < f->shell_count; i++) {
        part_of_shell[i] = -1;
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        int s = triangle_shell(f, i), group = find_group(f, s);
        if (has_extent(&f->shells[s])) {
            if (part_of_shell[group] < 0) {
                part_of_shell[group] = out->count++;
            }
            out->items[part_of_shell[group]].triangle_count++;
        }
    }
    for (int i = 0; i < f->shell_count; i++) {
        part_of_shell[i] = has_extent(&f->shells[i]) ? part_of_shell[find_group(f, i)] : -1;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        out->of_vertex[i] = part_of_shell[f->shell_of_vertex[i]];
    }
    return true;
}

static bool fill_parts(const wr_mesh *mesh, wri_arena *arena, wri_lattice_parts *out)
{
    for (int i = 0; i < out->count; i++) {
        wri_lattice_part *part = &out->items[i];
        part->triangles = wri_arena_alloc(arena, (size_t)part->triangle_count, 3 * sizeof(int));
        part->triangle_count = 0;
        if (!part->triangles) {
            return false;
        }
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        int p = out->of_vertex[mesh->triangles[3 * (size_t)i]];
        if (p >= 0) {
            memcpy(&out->items[p].triangles[3 * (size_t)out->items[p].triangle_count++],
                   &mesh->triangles[3 * (size_t)i], 3 * sizeof(int));
        }
    }
    for (int i = 0; i < out->count; i++) {
        wri_lattice_part *part = &out->items[i];
        if (!wri_soup_build(&part->soup, arena, mesh->positions, part->triangles,
                            part->triangle_count)) {
            return false;
        }
    }
    return true;
}

bool wri_lattice_parts_find(const wr_mesh *mesh, int most, double trim, wri_arena *arena,
                            wri_lattice_parts *out, wr_error *error)
{
    WR_ASSERT(most >= 1);
    *out = (wri_lattice_parts){0};
    finder f = {.mesh = mesh, .arena = arena};
    if (!collect_shells(&f)) {
        return wri_fail_memory(error, arena->total);
    }
    for (int i = 0; i < f.shell_count; i++) {
        out->shells += has_extent(&f.shells[i]);
    }
    if (out->shells == 0) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "mesh \"%s\": its %d triangles have no extent, expected a surface",
                        mesh->name ? mesh->name : "", mesh->triangle_count);
    }
    if ((most > 1 && !join_nested(&f, out)) ||
        (most > 1 && trim > 0.0 && !join_trim(&f, trim, out)) || !glue_smallest(&f, most, out) ||
        !number_parts(&f, out) || !fill_parts(mesh, arena, out)) {
        return wri_fail_memory(error, arena->total);
    }
    return true;
}
