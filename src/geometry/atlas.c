// atlas.c: the UVs of a mesh as an atlas: charts, and whether every point of the atlas is one point
// of the surface at most.
#include "atlas.h"

static const double OUTSIDE = 1e-4;   // of the atlas: beyond its edge, still within
static const double SAME = 1e-6;      // of the atlas: UVs that are one
static const double OVERLAP = 1e-5;   // of the atlas: what has less than this width in common does
                                      // not overlap
static const double STRETCH = 4.0;    // largest ratio that is not too much
static const double STRETCHED = 0.05; // share of the area that may be more
enum { SEAMS = 8 };                   // that may meet at a place

// Singular values of the map of a facet from the surface to the atlas.
static void find_stretch(const wri_facets *f, int facet, const double (*uv)[2], double out[2])
{
    double e[2][3], g[3], w[2][2];
    for (int k = 0; k < 2; k++) {
        wr_vec3 p = f->topology.points[f->place[3 * facet]];
        wr_vec3 q = f->topology.points[f->place[3 * facet + k + 1]];
        e[k][0] = (double)q.x - p.x, e[k][1] = (double)q.y - p.y, e[k][2] = (double)q.z - p.z;
        w[k][0] = uv[k + 1][0] - uv[0][0];
        w[k][1] = uv[k + 1][1] - uv[0][1];
    }
    // Of w = J e in an orthonormal frame of the facet.
    double length = wri_length3(e[0]), x = wri_dot3(e[0], e[1]) / length;
    wri_cross3(e[0], e[1], g);
    double y = wri_length3(g) / length, J[2][2];
    for (int k = 0; k < 2; k++) {
        J[k][0] = w[0][k] / length;
        J[k][1] = (w[1][k] - x * J[k][0]) / y;
    }
    double a = wri_length2(J[0][0] + J[1][1], J[1][0] - J[0][1]);
    double b = wri_length2(J[0][0] - J[1][1], J[1][0] + J[0][1]);
    out[0] = 0.5 * (a + b);
    out[1] = 0.5 * fabs(a - b);
}

// The share of the area where a stretch is too large, or too far from the mean of the atlas.
static double find_stretched(const wri_facets *f, const double (*uv)[2])
{
    double area[2] = {0.0, 0.0}, bad = 0.0;
    for (int i = 0; i < f->count; i++) {
        area[0] += f->area[i];
        area[1] += 0.5 * wri_cross2(uv[3 * i], uv[3 * i + 1], uv[3 * i + 2]);
    }
    double mean = sqrt(fabs(area[1]) / area[0]);
    for (int i = 0; i < f->count; i++) {
        double s[2];
        if (f->normal[i][0] != 0.0 || f->normal[i][1] != 0.0 || f->normal[i][2] != 0.0) {
            find_stretch(f, i, &uv[3 * i], s);
            bool is_bad =
                !(s[0] <= STRETCH * s[1] && s[0] <= STRETCH * mean && STRETCH * s[1] >= mean);
            bad += is_bad ? f->area[i] : 0.0;
        }
    }
    return bad / area[0];
}

static bool has_area(const wri_facets *f, int facet)
{
    return wri_dot3(f->normal[facet], f->normal[facet]) > 0.0;
}

// Counts what is wrong with single facets, and turns the atlas so that most of it is
// counterclockwise.
static void inspect_facets(const wri_facets *f, double (*uv)[2], wr_uv_report *out)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * f->count; i++) {
        wr_vec2 at = f->mesh->uvs[f->vertex[i]];
        uv[i][0] = (double)at.x;
        uv[i][1] = 1.0 - (double)at.y;
    }
    for (int i = 0; i < f->count; i++) {
        sum += wri_cross2(uv[3 * i], uv[3 * i + 1], uv[3 * i + 2]);
    }
    for (int i = 0; i < f->count; i++) {
        bool is_outside = false;
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            uv[k][0] = sum < 0.0 ? 1.0 - uv[k][0] : uv[k][0];
            is_outside = is_outside || !(uv[k][0] >= -OUTSIDE && uv[k][0] <= 1.0 + OUTSIDE) ||
                         !(uv[k][1] >= -OUTSIDE && uv[k][1] <= 1.0 + OUTSIDE);
        }
        double twice = wri_cross2(uv[3 * i], uv[3 * i + 1], uv[3 * i + 2]);
        out->outside += has_area(f, i) && is_outside;
        out->degenerate += has_area(f, i) && !(fabs(twice) > SAME * SAME);
        out->mirrored += has_area(f, i) && twice < -SAME * SAME;
    }
}

static bool find_overlaps(const wri_facets *f, const double (*uv)[2], bool *overlaps)
{
    const double min[2] = {0.0, 0.0}, max[2] = {1.0, 1.0};
    wri_tiles tiles;
    bool ok = wri_tiles_create(&tiles, f->arena, min, max, f->count);
    for (int i = 0; ok && i < f->count && !*overlaps; i++) {
        if (has_area(f, i)) {
            *overlaps = wri_tiles_overlap(&tiles, &uv[3 * i], uv, 0, OVERLAP);
            ok = wri_tiles_add(&tiles, &uv[3 * i], i, 0);
        }
    }
    wri_tiles_destroy(&tiles);
    return ok;
}

static bool is_same(const double a[2], const double b[2])
{
    return fabs(a[0] - b[0]) <= SAME && fabs(a[1] - b[1]) <= SAME;
}

// Whether the charts go on across an edge.
static bool goes_on(const wri_atlas *atlas, const wri_facets *f, int half)
{
    int twin = f->twin[half];
    return twin >= 0 && is_same(atlas->uv[half], atlas->uv[wri_next_half(twin)]) &&
           is_same(atlas->uv[wri_next_half(half)], atlas->uv[twin]);
}

// The most seams that meet at a place, as around the poles of a map of the world.
static int count_seams(const wri_atlas *atlas, const wri_facets *f, int *count)
{
    int most = 0;
    for (int h = 0; h < 3 * f->count; h++) {
        if (!goes_on(atlas, f, h) && h > f->twin[h]) {
            for (int k = 0; k < 2; k++) {
                int *there = &count[f->place[k == 0 ? h : wri_next_half(h)]];
                most = ++*there > most ? *there : most;
            }
        }
    }
    return most;
}

// Charts are what is connected in the atlas as well.
static bool find_charts(wri_atlas *atlas, const wri_facets *f)
{
    int *stack = wri_arena_alloc(f->arena, (size_t)f->count, sizeof *stack);
    for (int i = 0; stack && i < f->count; i++) {
        int count = 0;
        if (atlas->chart[i] < 0) {
            atlas->chart[i] = atlas->chart_count++;
            stack[count++] = i;
        }
        while (count > 0) {
            int facet = stack[--count];
            for (int h = 3 * facet; h < 3 * facet + 3; h++) {
                int g = f->twin[h];
                if (g >= 0 && atlas->chart[g / 3] < 0 && goes_on(atlas, f, h)) {
                    atlas->chart[g / 3] = atlas->chart[facet];
                    stack[count++] = g / 3;
                }
            }
        }
    }
    return stack;
}

bool wri_atlas_from_uvs(wri_atlas *atlas, const wri_facets *f, int side, wr_uv_report *report)
{
    *report = (wr_uv_report){.has_uvs = f->mesh->uvs && f->count > 0};
    *atlas = (wri_atlas){.side = side};
    atlas->chart = wri_arena_alloc(f->arena, (size_t)f->count, sizeof *atlas->chart);
    atlas->uv = wri_arena_alloc(f->arena, 3 * (size_t)f->count, sizeof *atlas->uv);
    if (!atlas->chart || !atlas->uv) {
        return false;
    }
    if (!report->has_uvs) {
        return true;
    }
    inspect_facets(f, atlas->uv, report);
    bool is_whole = !report->outside && !report->degenerate && !report->mirrored;
    if (is_whole && !find_overlaps(f, (const double(*)[2])atlas->uv, &report->overlaps)) {
        return false;
    }
    report->stretched = find_stretched(f, (const double(*)[2])atlas->uv);
    report->is_injective = is_whole && !report->overlaps;
    memset(atlas->chart, -1, (size_t)f->count * sizeof *atlas->chart);
    size_t places = (size_t)f->topology.place_count;
    int *count = wri_arena_alloc(f->arena, places, sizeof *count);
    bool ok = count && find_charts(atlas, f);
    report->seams_at_place = ok ? count_seams(atlas, f, count) : 0;
    report->is_usable =
        report->is_injective && report->stretched <= STRETCHED && report->seams_at_place <= SEAMS;
    for (int i = 0; i < 3 * f->count; i++) {
        atlas->uv[i][0] *= side;
        atlas->uv[i][1] *= side;
    }
    return ok;
}

bool wr_mesh_inspect_uvs(const wr_mesh *mesh, const wr_allocator *allocator, wr_uv_report *report,
                         wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh, report) || !wri_mesh_check(mesh, error)) {
        return false;
    }
    wri_arena arena = wri_arena_create(allocator);
    wri_facets facets;
    wri_atlas atlas;
    bool ok = (wri_facets_create(&facets, &arena, mesh) &&
               wri_atlas_from_uvs(&atlas, &facets, 1, report)) ||
              wri_fail_memory(error, arena.total);
    wri_arena_destroy(&arena);
    return ok;
}
