// lattice.c: a simulation mesh for a model: parts, spacing, handles, boundary.
//
// The number of vertices falls with the spacing like its power -2 (sheets) to -3 (solids), but in
// jumps where a flat side reaches the next layer of cells. The search takes secants in logarithms
// within a bracket. Lattices are centred on their part, which keeps symmetric shapes symmetric; the
// four placements that do are tried first, then a few uneven ones, whose jumps are smaller.
//
// All of this happens in the mesh's own frame (own_frame.h), so that the same shape has the same
// lattice, however it is turned, mirrored, numbered or divided into objects.
#include "wrought/author.h"

#include "../geometry/topology.h"
#include "../geometry/shape_frame.h"
#include "lattice.h"
#include "own_frame.h"
#include "parts.h"
#include "pull.h"

#include <stdlib.h>

enum { COOKIE = 0x1a771ce, VERTICES_MAX = 4000000, ROUNDS = 14, PART_VERTICES = 20 };

#define TOLERANCE 0.1

static const double PHASES[][3] = {{0, 0, 0},          {1, 0, 0},          {0, 1, 0},
                                   {0, 0, 1},          {0.37, 0.61, 0.23}, {0.71, 0.13, 0.47},
                                   {0.19, 0.83, 0.55}, {0.45, 0.29, 0.91}};

typedef double segment[2][3];

typedef struct work {
    const wr_lattice_desc *desc; // with the mesh and the handles in the mesh's own frame
    const wri_own_frame *frame;
    int render_count; // vertices of the mesh as it was given
    wri_arena arena;  // parts and handles
    wri_lattice_parts parts;
    int *handle_part;
    segment *segments; // from the surface to the handles outside it and from trim to what it sits
                       // on, part after part
    int *segment_begin;
    wr_box *bounds; // bounds of each part with its handles

    wri_arena tried; // lattices of the latest try
    wri_bcc *lattices;
    wri_arena kept; // lattices of the best try
    wri_bcc *best;
    int best_count;
    double best_spacing;
    int tries;
    wri_body *bodies; // bodies of the parts, in the end
} work;

wr_lattice_desc wr_lattice_desc_default(void)
{
    return (wr_lattice_desc){.vertices = 1800,
                             .smoothing = 8,
                             .separate_parts = true,
                             .allocator = *wr_allocator_default(),
                             .cookie = COOKIE};
}

static bool check_desc(const wr_lattice_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_lattice_desc, desc, COOKIE)) {
        return false;
    }
    if (!desc->mesh || desc->mesh->triangle_count < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "mesh: expected at least one triangle");
    }
    if (desc->vertices < 8 || desc->vertices > VERTICES_MAX) {
        return wri_fail(error, WR_E_ARGUMENT, "vertices: %d not in [8, %d]", desc->vertices,
                        VERTICES_MAX);
    }
    if (desc->smoothing < 0 || desc->smoothing > 100) {
        return wri_fail(error, WR_E_ARGUMENT, "smoothing: %d not in [0, 100]", desc->smoothing);
    }
    if (!(desc->trim >= 0.0 && desc->trim <= 0.5)) {
        return wri_fail(error, WR_E_ARGUMENT, "trim: %s not in [0, 0.5]",
                        WRI_NUMBER(desc->trim, 6));
    }
    return wri_mesh_check(desc->mesh, error) &&
           wri_handles_check(desc->handles, desc->handle_count, error);
}

bool wri_handles_check(const wr_vec3 *handles, int count, wr_error *error)
{
    if (count < 0 || (count > 0 && !handles)) {
        return wri_fail(error, WR_E_ARGUMENT, "handles: %d of them, but no positions", count);
    }
    for (int i = 0; i < count; i++) {
        if (!wr_is_finite3(handles[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "handles[%d]: not finite", i);
        }
    }
    return true;
}

static void report_progress(const work *w, const char *stage, double done)
{
    if (w->desc->progress.report) {
        w->desc->progress.report(w->desc->progress.user, stage, done);
    }
}

// --- handles ----------------------------------------------------------------------------------

// The part around the handle, else the one whose surface is nearest; outside: the segment from
// there.
static bool find_handle_part(work *w, int handle, segment out)
{
    wr_vec3 h = w->desc->handles[handle];
    const double p[3] = {h.x, h.y, h.z};
    double best = INFINITY;
    for (int i = 0; i < w->parts.count; i++) {
        const wri_soup *soup = &w->parts.items[i].soup;
        wri_soup_point n = wri_soup_nearest(soup, p);
        bool inside = fabs(wri_winding(soup, p, WRI_WINDING_ACCURACY)) > 0.5;
        if (inside || n.distance2 < best) {
            w->handle_part[handle] = i;
            best = n.distance2;
            memcpy(out[0], n.point, sizeof n.point);
            memcpy(out[1], p, sizeof p);
        }
        if (inside) {
            return false;
        }
    }
    return best > 0.0;
}

// A lattice that reaches for a handle far away has no vertices left for the surface.
static bool check_reach(const work *w, int handle, const segment s, wr_error *error)
{
    double d2 = 0.0, size = wr_length(wr_box_size(wr_mesh_bounds(w->desc->mesh)));
    for (int k = 0; k < 3; k++) {
        d2 += (s[1][k] - s[0][k]) * (s[1][k] - s[0][k]);
    }
    return d2 <= size * size ||
           wri_fail(error, WR_E_ARGUMENT,
                    "handles[%d]: %s m from the surface, expected at most the mesh's size of %s m",
                    handle, WRI_NUMBER(sqrt(d2), 6), WRI_NUMBER(size, 6));
}

static bool place_handles(work *w, wr_error *error)
{
    size_t parts = (size_t)w->parts.count, handles = (size_t)w->desc->handle_count;
    segment *all = wri_arena_alloc(&w->arena, handles, sizeof *all);
    uint8_t *outside = wri_arena_alloc(&w->arena, handles, 1);
    w->segments =
        wri_arena_alloc(&w->arena, handles + (size_t)w->parts.bridge_count, sizeof *w->segments);
    w->segment_begin = wri_arena_alloc(&w->arena, parts + 1, sizeof(int));
    w->handle_part = wri_arena_alloc(&w->arena, handles, sizeof(int));
    w->bounds = wri_arena_alloc(&w->arena, parts, sizeof *w->bounds);
    w->bodies = wri_arena_alloc(&w->arena, parts, sizeof *w->bodies);
    if (!all || !outside || !w->segments || !w->segment_begin || !w->handle_part || !w->bounds ||
        !w->bodies) {
        return wri_fail_memory(error, w->arena.total);
    }
    for (int i = 0; i < w->desc->handle_count; i++) {
        outside[i] = find_handle_part(w, i, all[i]);
        if (outside[i] && !check_reach(w, i, (const double(*)[3])all[i], error)) {
            return false;
        }
    }
    int count = 0;
    for (int p = 0; p < w->parts.count; p++) {
        w->bounds[p] = w->parts.items[p].soup.bounds;
        w->segment_begin[p] = count;
        for (int i = 0; i < w->desc->handle_count; i++) {
            if (w->handle_part[i] == p && outside[i]) {
                w->bounds[p] = wr_box_add(w->bounds[p], w->desc->handles[i]);
                memcpy(w->segments[count++], all[i], sizeof *all);
            }
        }
        for (int i = 0; i < w->parts.bridge_count; i++) {
            if (w->parts.of_vertex[w->parts.bridges[i].vertex] == p) {
                memcpy(w->segments[count++], w->parts.bridges[i].ends, sizeof *w->segments);
            }
        }
    }
    w->segment_begin[w->parts.count] = count;
    return true;
}

// --- spacing ----------------------------------------------------------------------------------

// A cube is never larger than the part, or the part's mass would be anyone's guess.
static double part_spacing(const work *w, int part, double spacing)
{
    wr_vec3 size = wr_box_size(w->parts.items[part].soup.bounds);
    return fmin(spacing, fmax(size.x, fmax(size.y, size.z)));
}

static double largest_spacing(const work *w)
{
    double largest = 0.0;
    for (int i = 0; i < w->parts.count; i++) {
        largest = fmax(largest, part_spacing(w, i, INFINITY));
    }
    return largest;
}

static bool choose_grid(const work *w, int part, double spacing, const double phase[3],
                        wri_bcc_grid *grid, wr_error *error)
{
    wr_box inner = w->parts.items[part].soup.bounds, outer = w->bounds[part];
    const double middle[3] = {0.5 * ((double)inner.min.x + inner.max.x),
                              0.5 * ((double)inner.min.y + inner.max.y),
                              0.5 * ((double)inner.min.z + inner.max.z)};
    const double low[3] = {outer.min.x, outer.min.y, outer.min.z};
    const double high[3] = {outer.max.x, outer.max.y, outer.max.z};
    grid->unit = 0.5 * spacing;
    for (int i = 0; i < 3; i++) {
        double below = 2.0 * ceil((middle[i] - low[i]) / spacing) + 8.0;
        double above = (high[i] - middle[i]) / grid->unit;
        if (!(below + above < WRI_BCC_COORDINATE_MAX)) {
            return wri_fail(error, WR_E_UNSUPPORTED,
                            "a lattice with cubes of %s m has too many along one side of %s m",
                            WRI_NUMBER(spacing, 6), WRI_NUMBER(high[i] - low[i], 6));
        }
        grid->origin[i] = middle[i] - grid->unit * (below + phase[i]);
    }
    return true;
}

// Builds all lattices at one spacing; keeps them when they are the best so far.
static bool try_spacing(work *w, double spacing, const double phase[3], int *count, wr_error *error)
{
    wri_arena_destroy(&w->tried);
    w->tried = wri_arena_create(&w->desc->allocator);
    w->lattices = wri_arena_alloc(&w->tried, (size_t)w->parts.count, sizeof *w->lattices);
    if (!w->lattices) {
        return wri_fail_memory(error, (size_t)w->parts.count * sizeof *w->lattices);
    }
    *count = 0;
    for (int i = 0; i < w->parts.count; i++) {
        wri_bcc_input input = {.soup = &w->parts.items[i].soup,
                               .segments =
                                   (const double(*)[2][3])(w->segments + w->segment_begin[i]),
                               .segment_count = w->segment_begin[i + 1] - w->segment_begin[i],
                               .tasks = &w->desc->tasks};
        if (!choose_grid(w, i, part_spacing(w, i, spacing), phase, &input.grid, error) ||
            !wri_bcc_fill(&input, &w->tried, &w->lattices[i], error)) {
            return false;
        }
        *count += w->lattices[i].vertex_count;
    }
    int wanted = w->desc->vertices;
    w->tries++;
    report_progress(w, "lattice", 0.8 * (1.0 - 1.0 / (1.0 + w->tries)));
    if (!w->best || abs(*count - wanted) < abs(w->best_count - wanted)) {
        wri_arena swap = w->kept;
        w->kept = w->tried;
        w->tried = swap;
        w->best = w->lattices;
        w->best_count = *count;
        w->best_spacing = spacing;
    }
    return true;
}

// Vertices fill the volume and a layer around the surface; two per cube.
static double guess_spacing(const work *w)
{
    double volume = 0.0, area = 0.0, length = 0.0;
    for (int i = 0; i < w->parts.count; i++) {
        const wri_soup *soup = &w->parts.items[i].soup;
        double sum = 0.0, c[3][3];
        for (int t = 0; t < soup->triangle_count; t++) {
            wri_soup_corners(soup, t, c);
            double u[3], v[3], n[3],
                p[3] = {soup->bounds.min.x, soup->bounds.min.y, soup->bounds.min.z};
            for (int k = 0; k < 3; k++) {
                u[k] = c[1][k] - c[0][k], v[k] = c[2][k] - c[0][k], p[k] = c[0][k] - p[k];
            }
            n[0] = u[1] * v[2] - u[2] * v[1];
            n[1] = u[2] * v[0] - u[0] * v[2];
            n[2] = u[0] * v[1] - u[1] * v[0];
            area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            sum += (n[0] * p[0] + n[1] * p[1] + n[2] * p[2]) / 6.0;
        }
        volume += fabs(sum);
        length += wr_length(wr_box_size(soup->bounds));
    }
    double low = 1e-7 * length, high = 2.0 * length;
    for (int i = 0; i < 60; i++) {
        double h = sqrt(low * high);
        double count = 2.0 * (volume + 0.7 * area * h + 2.0 * length * h * h) / (h * h * h);
        *(count > w->desc->vertices ? &low : &high) = h;
    }
    return fmin(high, largest_spacing(w));
}

static bool is_on_target(const work *w, double tolerance)
{
    int wanted = w->desc->vertices;
    return w->best && abs(w->best_count - wanted) <= tolerance * wanted;
}

// The spacing to try next, between one that gives too many and one that gives too few; 0: enough.
typedef struct bracket {
    double many, few; // spacings; 0, INFINITY: not known
    int many_count, few_count;
} bracket;

static double next_spacing(const work *w, bracket *b, double spacing, int count)
{
    double wanted = w->desc->vertices, limit = largest_spacing(w);
    if (count > wanted) {
        b->many = spacing, b->many_count = count;
    } else {
        b->few = spacing, b->few_count = count;
    }
    if (b->many == 0.0 || b->few == INFINITY) {
        double next = spacing * fmin(fmax(pow(count / wanted, 1.0 / 2.6), 0.4), 2.5);
        next *= count > wanted ? 1.01 : 0.99;
        return next > limit && spacing >= limit ? 0.0 : fmin(next, limit);
    }
    if (b->few / b->many < 1.0003) {
        return 0.0;
    }
    double t = log(b->many_count / wanted) / log((double)b->many_count / b->few_count);
    return b->many * pow(b->few / b->many, fmin(fmax(t, 0.1), 0.9));
}

static bool search(work *w, wr_error *error)
{
    double spacing = guess_spacing(w);
    for (int p = 0; p < WRI_COUNT(PHASES) && !is_on_target(w, TOLERANCE); p++) {
        bracket b = {.few = INFINITY};
        for (int i = 0; i < ROUNDS && spacing > 0.0; i++) {
            int count = 0;
            if (!try_spacing(w, spacing, PHASES[p], &count, error)) {
                return false;
            }
            if (is_on_target(w, fmin(0.03 + 0.01 * i, TOLERANCE))) {
                return true;
            }
            spacing = next_spacing(w, &b, spacing, count);
        }
        spacing = w->best_spacing;
    }
    return true;
}

// Builds parts and the lattices for them; fewer parts when there are more than vertices for them.
static bool build_lattices(work *w, wr_error *error)
{
    int most = w->desc->separate_parts ? w->desc->vertices / PART_VERTICES : 1;
    for (most = most < 1 ? 1 : most;; most = w->parts.count / 2) {
        w->best = NULL;
        w->bodies = NULL;
        wri_arena_destroy(&w->arena);
        w->arena = wri_arena_create(&w->desc->allocator);
        if (!wri_lattice_parts_find(w->desc->mesh, most, w->desc->trim, &w->arena, &w->parts,
                                    error) ||
            !place_handles(w, error) || !search(w, error)) {
            return false;
        }
        if (w->parts.count == 1 || w->best_count <= w->desc->vertices ||
            is_on_target(w, TOLERANCE)) {
            return true;
        }
    }
}

// --- the result -------------------------------------------------------------------------------

static bool snap_handles(work *w, wr_lattice_report *report, int *vertices, wr_error *error)
{
    for (int i = 0; i < w->desc->handle_count; i++) {
        wri_snap how;
        wri_body *body = &w->bodies[w->handle_part[i]];
        if (!wri_body_snap(body, w->desc->handles[i], &how, &vertices[i], error)) {
            return false;
        }
        report->handles_missed += how == WRI_SNAP_FAILED;
        report->handles_added += how == WRI_SNAP_ADDED;
    }
    return true;
}

static bool make_bodies(work *w, wr_lattice_report *report, int *handle_vertices, wr_error *error)
{
    for (int i = 0; i < w->parts.count; i++) {
        if (!wri_body_create(&w->bodies[i], &w->best[i], &w->desc->allocator, error)) {
            return false;
        }
    }
    if (!snap_handles(w, report, handle_vertices, error)) {
        return false;
    }
    for (int i = 0; i < w->parts.count; i++) {
        const wri_soup *soup = &w->parts.items[i].soup;
        if (!wri_body_pull(&w->bodies[i], soup, w->desc->smoothing, &w->desc->tasks, error)) {
            return false;
        }
        report->largest_gap = fmax(report->largest_gap, wri_body_gap(&w->bodies[i], soup));
        report_progress(w, "boundary", 0.8 + 0.2 * (i + 1) / w->parts.count);
    }
    return true;
}

static void put_body(const wri_body *body, int part, wr_lattice *out)
{
    int first = out->vertex_count;
    const int *corners = body->tetrahedra.items;
    memcpy(out->rest + first, body->x.items, (size_t)body->x.count * sizeof(wr_vec3));
    memcpy(out->is_boundary + first, body->is_boundary.items, (size_t)body->x.count);
    for (int i = 0; i < body->x.count; i++) {
        out->vertex_parts[first + i] = part;
    }
    int *elements = out->elements + 4 * (size_t)out->element_count;
    for (int i = 0; i < 4 * body->tetrahedra.count; i++) {
        elements[i] = first + corners[i];
    }
    for (int i = 0; i < body->tetrahedra.count; i++) {
        double volume = wri_body_volume(body, i);
        out->report.volume += volume;
        out->report.least_volume = fmin(out->report.least_volume, volume / body->regular);
    }
    out->vertex_count += body->x.count;
    out->element_count += body->tetrahedra.count;
}

static void put_bodies(const work *w, int *first_vertex, wr_lattice *out)
{
    out->report.least_volume = INFINITY;
    for (int i = 0; i < w->parts.count; i++) {
        first_vertex[i] = out->vertex_count;
        put_body(&w->bodies[i], i, out);
    }
    for (int i = 0; i < out->handle_count; i++) {
        if (out->handle_vertices[i] >= 0) {
            out->handle_vertices[i] += first_vertex[w->handle_part[i]];
        }
    }
    for (int i = 0; i < out->render_count; i++) {
        out->render_parts[i] = w->parts.of_vertex[w->frame->place_of[i]];
    }
}

wr_lattice *wri_lattice_allocate(const wri_lattice_sizes *sizes, const wr_allocator *allocator,
                                 wr_error *error)
{
    wri_arena arena = wri_arena_create(allocator);
    wri_arena *owner = wri_arena_alloc(&arena, 1, sizeof *owner);
    wr_lattice *l = wri_arena_alloc(&arena, 1, sizeof *l);
    size_t n = (size_t)sizes->vertices, corners = (size_t)sizes->dimension + 1;
    wr_vec3 *rest = wri_arena_alloc(&arena, n, sizeof *rest);
    int *elements = wri_arena_alloc(&arena, (size_t)sizes->elements, corners * sizeof(int));
    int *parts = wri_arena_alloc(&arena, n, sizeof(int));
    uint8_t *boundary = wri_arena_alloc(&arena, n, 1);
    int *handles = wri_arena_alloc(&arena, (size_t)sizes->handles, sizeof(int));
    int *render = wri_arena_alloc(&arena, (size_t)sizes->render, sizeof(int));
    if (!owner || !l || !rest || !elements || !parts || !boundary || !handles || !render) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, n * sizeof *rest);
        return NULL;
    }
    *l = (wr_lattice){.dimension = sizes->dimension,
                      .rest = rest,
                      .elements = elements,
                      .vertex_parts = parts,
                      .is_boundary = boundary,
                      .handle_count = sizes->handles,
                      .handle_vertices = handles,
                      .render_count = sizes->render,
                      .render_parts = render,
                      .memory = owner};
    *owner = arena;
    return l;
}

void wr_lattice_destroy(wr_lattice *lattice)
{
    if (lattice) {
        wri_arena arena = *(wri_arena *)lattice->memory;
        wri_arena_destroy(&arena);
    }
}

static wr_lattice *finish(work *w, wr_error *error)
{
    wr_lattice_report report = {.shells = w->parts.shells,
                                .parts = w->parts.count,
                                .nested_shells = w->parts.nested,
                                .trim_shells = w->parts.bridge_count,
                                .glued_shells = w->parts.glued,
                                .spacing = w->best_spacing};
    wri_lattice_sizes sizes = {3, 0, 0, w->desc->handle_count, w->render_count};
    int *handles = wri_arena_alloc(&w->arena, (size_t)sizes.handles, sizeof(int));
    int *first_vertex = wri_arena_alloc(&w->arena, (size_t)w->parts.count, sizeof(int));
    if (!handles || !first_vertex) {
        wri_fail_memory(error, w->arena.total);
        return NULL;
    }
    if (!make_bodies(w, &report, handles, error)) {
        return NULL;
    }
    for (int i = 0; i < w->parts.count; i++) {
        sizes.vertices += w->bodies[i].x.count;
        sizes.elements += w->bodies[i].tetrahedra.count;
    }
    wr_lattice *out = wri_lattice_allocate(&sizes, &w->desc->allocator, error);
    if (out) {
        out->report = report;
        memcpy(out->handle_vertices, handles, (size_t)sizes.handles * sizeof(int));
        put_bodies(w, first_vertex, out);
    }
    return out;
}

// From the mesh's own frame back to where it was given; handles exactly.
static void put_back(const wri_own_frame *frame, const wr_vec3 *handles, wr_lattice *out)
{
    for (int i = 0; i < out->vertex_count; i++) {
        out->rest[i] = wri_out_of_frame((const double(*)[3])frame->axes, out->rest[i]);
    }
    for (int i = 0; i < out->handle_count; i++) {
        if (out->handle_vertices[i] >= 0) {
            out->rest[out->handle_vertices[i]] = handles[i];
        }
    }
    for (int i = 0; frame->is_mirrored && i < out->element_count; i++) {
        int *v = &out->elements[4 * (size_t)i], kept = v[2];
        v[2] = v[3];
        v[3] = kept;
    }
}

static wr_lattice *create_in_frame(const wr_lattice_desc *desc, const wri_own_frame *frame,
                                   int render_count, wr_error *error)
{
    work w = {.desc = desc,
              .frame = frame,
              .render_count = render_count,
              .arena = wri_arena_create(&desc->allocator),
              .tried = wri_arena_create(&desc->allocator),
              .kept = wri_arena_create(&desc->allocator)};
    wr_lattice *out = build_lattices(&w, error) ? finish(&w, error) : NULL;
    for (int i = 0; w.bodies && i < w.parts.count; i++) {
        wri_body_destroy(&w.bodies[i]);
    }
    wri_arena_destroy(&w.arena);
    wri_arena_destroy(&w.tried);
    wri_arena_destroy(&w.kept);
    return out;
}

wr_lattice *wr_lattice_create(const wr_lattice_desc *desc, wr_error *error)
{
    if (!check_desc(desc, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(&desc->allocator);
    wri_own_frame frame;
    wr_lattice_desc own = *desc;
    wr_vec3 *handles = wri_arena_alloc(&arena, (size_t)desc->handle_count, sizeof *handles);
    wr_lattice *out = NULL;
    if (handles && wri_own_frame_create(&frame, desc->mesh, &arena)) {
        for (int i = 0; i < desc->handle_count; i++) {
            handles[i] = wri_into_frame((const double(*)[3])frame.axes, desc->handles[i]);
        }
        own.mesh = &frame.mesh;
        own.handles = handles;
        out = create_in_frame(&own, &frame, desc->mesh->vertex_count, error);
    } else {
        wri_fail_memory(error, arena.total);
    }
    if (out) {
        put_back(&frame, desc->handles, out);
    }
    wri_arena_destroy(&arena);
    return out;
}
