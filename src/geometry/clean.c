// clean.c: a mended copy of a mesh.
//
// The order matters: welding makes triangles collapse and become duplicates; thin triangles are
// mended on what is left; sides come last, for they need the final edges.
#include "mesh_like.h"
#include "normals.h"
#include "topology.h"

enum { COOKIE = 0x636c6e31, PASSES = 16 };

wr_clean_options wr_clean_options_default(void)
{
    return (wr_clean_options){
        .weld = 1e-6,
        .weld_vertices = true,
        .drop_degenerate = true,
        .drop_duplicates = true,
        .drop_unused = true,
        .orient = true,
        .cookie = COOKIE,
    };
}

typedef struct cleaner {
    const wr_mesh *mesh;
    const wr_clean_options *options;
    wri_arena arena;
    wri_topology s;
    wr_clean_report report;
    int *twin;      // vertex that each vertex becomes: itself or an earlier one
    int *triangles; // like the mesh's, changed along the way
    int *part;      // part of each triangle, -1: none
    uint8_t *drop;  // true for triangles that are dropped
    int *kept;      // triangles before each one, and at the end all of them
    int *vertex_map, *triangle_map;
} cleaner;

// --- triangles --------------------------------------------------------------------------------

static void use_places(cleaner *c)
{
    for (int i = 0; i < 3 * c->s.triangle_count; i++) {
        c->s.corners[i] = c->s.place[c->triangles[i]];
    }
}

// The triangles that stay take part in the steps to come. Those that were found but not asked to be
// dropped go to the result, too, but do not take part.
static void drop_by_fate(cleaner *c)
{
    for (int i = 0; i < c->s.triangle_count; i++) {
        const wri_fate fate = c->s.fate[i];
        bool degenerate = fate == WRI_COLLAPSED && c->options->drop_degenerate;
        bool duplicate = fate == WRI_DUPLICATE && c->options->drop_duplicates;
        bool back = fate == WRI_BACK_TO_BACK && c->options->drop_back_to_back;
        c->report.dropped_degenerate += degenerate;
        c->report.dropped_duplicates += duplicate;
        c->report.dropped_back_to_back += back;
        c->drop[i] = degenerate || duplicate || back;
        c->s.fate[i] = c->drop[i] ? WRI_LEFT_OUT : c->s.fate[i];
    }
}

static double distance(wr_vec3 a, wr_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static int longest_half(const wri_topology *s, int triangle)
{
    int best = 3 * triangle;
    double longest = -1.0;
    for (int half = 3 * triangle; half < 3 * triangle + 3; half++) {
        wr_vec3 a = s->points[s->corners[half]], b = s->points[s->corners[wri_next_half(half)]];
        double length = distance(a, b);
        best = length > longest ? half : best;
        longest = fmax(longest, length);
    }
    return best;
}

static bool is_thin(const cleaner *c, const int *triangle)
{
    const int corners[3] = {c->s.place[triangle[0]], c->s.place[triangle[1]],
                            c->s.place[triangle[2]]};
    return wri_is_thin(c->s.points, corners, c->s.size);
}

// The neighbour u over the longest edge of the thin triangle t is divided at t's third corner,
// which lies on that edge: t becomes one half of u and u the other.
static bool swap_edge(cleaner *c, int half, int other)
{
    int t = half / 3, u = other / 3;
    int *ct = &c->triangles[3 * t], *cu = &c->triangles[3 * u];
    int a = c->triangles[half], b = c->triangles[wri_next_half(half)];
    int middle = c->triangles[wri_next_half(wri_next_half(half))];
    int ua = c->triangles[other], ub = c->triangles[wri_next_half(other)];
    bool same_vertices = (a == ua && b == ub) || (a == ub && b == ua);
    if (!same_vertices || c->part[t] != c->part[u] || is_thin(c, cu)) {
        return false;
    }
    int first[3], second[3];
    for (int k = 0; k < 3; k++) {
        first[k] = cu[k] == a ? middle : cu[k];
        second[k] = cu[k] == b ? middle : cu[k];
    }
    if (is_thin(c, first) || is_thin(c, second)) {
        return false;
    }
    memcpy(cu, first, sizeof first);
    memcpy(ct, second, sizeof second);
    return true;
}

static void touch_neighbours(const wri_topology *s, int triangle, uint8_t *touched)
{
    touched[triangle] = 1;
    for (int half = 3 * triangle; half < 3 * triangle + 3; half++) {
        int other = wri_other_half(s, half);
        if (other >= 0) {
            touched[other / 3] = 1;
        }
    }
}

// Looks once at all thin triangles; those whose surroundings changed wait for the next time.
// Returns how many were mended; kept: how many stay.
static int mend_thin_once(cleaner *c, uint8_t *touched, int *kept)
{
    wri_topology *s = &c->s;
    int mended = 0;
    *kept = 0;
    memset(touched, 0, (size_t)s->triangle_count);
    for (int t = 0; t < s->triangle_count; t++) {
        if (!wri_takes_part(s->fate[t]) || !is_thin(c, &c->triangles[3 * t])) {
            continue;
        }
        int half = longest_half(s, t), other = wri_other_half(s, half);
        bool free_edge = wri_edge_triangles(s, s->edge[half]) == 1;
        bool quiet = !touched[t] && (other < 0 || !touched[other / 3]);
        if (quiet && free_edge) {
            c->report.dropped_degenerate++;
            c->drop[t] = 1;
            s->fate[t] = WRI_LEFT_OUT;
        } else if (quiet && other >= 0 && swap_edge(c, half, other)) {
            c->report.swapped_edges++;
            touch_neighbours(s, other / 3, touched);
        } else {
            ++*kept;
            continue;
        }
        touch_neighbours(s, t, touched);
        mended++;
    }
    return mended;
}

static bool mend_thin(cleaner *c)
{
    uint8_t *touched = wri_arena_alloc(&c->arena, (size_t)c->s.triangle_count, 1);
    if (!touched) {
        return false;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        if (!wri_topology_find_edges(&c->s)) {
            return false;
        }
        int mended = mend_thin_once(c, touched, &c->report.kept_degenerate);
        use_places(c);
        if (mended == 0) {
            return true;
        }
    }
    return wri_topology_find_edges(&c->s);
}

// --- sides ------------------------------------------------------------------------------------

static bool find_turned(cleaner *c)
{
    wri_topology *s = &c->s;
    if (!wri_topology_find_shells(s) || !wri_topology_find_sides(s)) {
        return false;
    }
    for (int i = 0; i < s->shell_count; i++) {
        c->report.turned_shells += s->shells[i].is_inverted;
    }
    for (int i = 0; i < s->triangle_count; i++) {
        if (s->shell[i] >= 0) {
            s->turned[i] ^= s->shells[s->shell[i]].is_inverted;
        } else if (s->fate[i] == WRI_DUPLICATE) { // earlier ones are done
            s->turned[i] = s->turned[s->original[i]];
        }
        if (s->turned[i]) {
            int *t = &c->triangles[3 * i], swap = t[1];
            t[1] = t[2];
            t[2] = swap;
            c->report.turned_triangles++;
        }
    }
    use_places(c);
    return true;
}

// Turns normals that now look against the triangles that were turned, taken together with the
// others of the vertex.
static bool turn_normals(cleaner *c, wr_mesh *out)
{
    const wri_topology *s = &c->s;
    size_t n = (size_t)out->vertex_count;
    wr_vec3 *sums = wri_arena_alloc(&c->arena, n, sizeof *sums);
    uint8_t *is_turned = wri_arena_alloc(&c->arena, n, 1);
    if (!sums || !is_turned) {
        return false;
    }
    for (int i = 0; i < s->triangle_count; i++) {
        if (c->drop[i]) {
            continue;
        }
        int corners[3];
        for (int k = 0; k < 3; k++) {
            corners[k] = c->vertex_map[c->triangles[3 * i + k]];
            is_turned[corners[k]] |= s->turned && s->turned[i];
        }
        wri_add_normal(out->positions, corners, sums);
    }
    for (int i = 0; i < out->vertex_count; i++) {
        if (is_turned[i] && wr_dot(sums[i], out->normals[i]) < 0.0f) {
            out->normals[i] = wr_scale(-1.0f, out->normals[i]);
            for (int k = 0; k < out->morph_count; k++) {
                wr_vec3 *offsets = out->morphs[k].normals;
                if (offsets) {
                    offsets[i] = wr_scale(-1.0f, offsets[i]);
                }
            }
            c->report.turned_normals++;
        }
    }
    return true;
}

// --- result -----------------------------------------------------------------------------------

static void number_vertices(cleaner *c, wr_mesh *out)
{
    const wri_topology *s = &c->s;
    for (int i = 0; i < s->vertex_count; i++) {
        c->vertex_map[i] = c->options->drop_unused ? -1 : 0;
    }
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        if (!c->drop[i / 3]) {
            c->vertex_map[c->triangles[i]] = 0;
        }
    }
    for (int i = 0; i < s->vertex_count; i++) {
        bool joined = c->twin[i] != i, unused = !joined && c->vertex_map[i] < 0;
        c->report.welded_vertices += joined;
        c->report.dropped_vertices += unused;
        c->vertex_map[i] = joined ? c->vertex_map[c->twin[i]] : unused ? -1 : out->vertex_count++;
    }
}

static void number_triangles(cleaner *c, wr_mesh *out)
{
    for (int i = 0; i < c->s.triangle_count; i++) {
        c->kept[i] = out->triangle_count;
        c->triangle_map[i] = c->drop[i] ? -1 : out->triangle_count++;
    }
    c->kept[c->s.triangle_count] = out->triangle_count;
}

static bool copy_vertices(cleaner *c, wr_mesh *out)
{
    const wr_mesh *mesh = c->mesh;
    int row_count;
    const wri_rows *from = wri_mesh_rows(mesh, &c->arena, &row_count);
    const wri_rows *to = wri_mesh_rows(out, &c->arena, &row_count); // rows of the same kinds
    if (!from || !to) {
        return false;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        int o = c->vertex_map[i];
        wr_vec3 p = c->s.points[c->s.place[i]];
        double move = o >= 0 ? distance(p, mesh->positions[i]) : 0.0;
        c->report.moved_vertices += move > 0.0;
        c->report.largest_move = fmax(c->report.largest_move, move);
        if (o < 0 || c->twin[i] != i) {
            continue;
        }
        out->positions[o] = move > 0.0 ? p : mesh->positions[i];
        for (int k = 0; k < row_count; k++) {
            size_t size = 4 * (size_t)from[k].words;
            memcpy((uint8_t *)to[k].values + (size_t)o * size,
                   (const uint8_t *)from[k].values + (size_t)i * size, size);
        }
    }
    return true;
}

// Parts that lost all their triangles are gone; parts that had none stay.
static void copy_triangles(cleaner *c, wr_mesh *out)
{
    const wr_mesh *mesh = c->mesh;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        if (!c->drop[i / 3]) {
            out->triangles[3 * c->triangle_map[i / 3] + i % 3] = c->vertex_map[c->triangles[i]];
        }
    }
    for (int i = 0; i < mesh->part_count; i++) {
        wr_mesh_part part = mesh->parts[i];
        int first = c->kept[part.first_triangle];
        int end = c->kept[part.first_triangle + part.triangle_count];
        if (end > first || part.triangle_count == 0) {
            out->parts[out->part_count++] = (wr_mesh_part){first, end - first, part.look};
        }
    }
}

static wr_model *build_result(cleaner *c, wr_error *error)
{
    wr_model *model = wri_mesh_create_like(&c->options->allocator, error);
    if (!model) {
        return NULL;
    }
    number_vertices(c, model->meshes);
    number_triangles(c, model->meshes);
    bool ok = wri_mesh_alloc_like(model, model->meshes, c->mesh);
    if (ok) {
        copy_triangles(c, model->meshes);
        ok = copy_vertices(c, model->meshes) &&
             (!c->mesh->normals || turn_normals(c, model->meshes));
    }
    if (!ok) {
        wri_fail_memory(error, (size_t)c->mesh->vertex_count * sizeof(wr_vec3));
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}

// --- all --------------------------------------------------------------------------------------

static bool alloc_cleaner(cleaner *c)
{
    size_t vertices = (size_t)c->mesh->vertex_count, triangles = (size_t)c->mesh->triangle_count;
    c->twin = wri_arena_alloc(&c->arena, vertices, sizeof *c->twin);
    c->vertex_map = wri_arena_alloc(&c->arena, vertices, sizeof *c->vertex_map);
    c->triangles = wri_arena_alloc(&c->arena, triangles, 3 * sizeof *c->triangles);
    c->triangle_map = wri_arena_alloc(&c->arena, triangles, sizeof *c->triangle_map);
    c->part = wri_arena_alloc(&c->arena, triangles, sizeof *c->part);
    c->drop = wri_arena_alloc(&c->arena, triangles, 1);
    c->kept = wri_arena_alloc(&c->arena, triangles + 1, sizeof *c->kept);
    return c->twin && c->vertex_map && c->triangles && c->triangle_map && c->part && c->drop &&
           c->kept;
}

static void begin(cleaner *c)
{
    for (int i = 0; i < c->mesh->vertex_count; i++) {
        c->twin[i] = c->options->weld_vertices ? c->twin[i] : i;
    }
    for (int i = 0; i < 3 * c->mesh->triangle_count; i++) {
        c->triangles[i] = c->twin[c->mesh->triangles[i]];
    }
    memset(c->part, 0xff, (size_t)c->mesh->triangle_count * sizeof *c->part);
    for (int i = 0; i < c->mesh->part_count; i++) {
        const wr_mesh_part *part = &c->mesh->parts[i];
        for (int k = 0; k < part->triangle_count; k++) {
            c->part[part->first_triangle + k] = i;
        }
    }
}

static bool mend(cleaner *c)
{
    wri_topology *s = &c->s;
    double weld = c->options->weld_vertices ? c->options->weld : 0.0;
    if (!alloc_cleaner(c) || !wri_topology_begin(s, &c->arena, c->mesh, weld) ||
        !wri_topology_find_twins(s, c->mesh, c->twin)) {
        return false;
    }
    begin(c);
    if (!wri_topology_find_fates(s)) {
        return false;
    }
    drop_by_fate(c);
    bool ok = c->options->drop_degenerate ? mend_thin(c) : wri_topology_find_edges(s);
    return ok && (!c->options->orient || find_turned(c));
}

static bool check_options(const wr_mesh *mesh, const wr_clean_options *options, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_clean_options, options, COOKIE)) {
        return false;
    }
    if (!(options->weld >= 0.0 && options->weld <= 0.1)) {
        return wri_fail(error, WR_E_ARGUMENT, "weld: %g, expected 0 to 0.1 of the mesh's size",
                        options->weld);
    }
    return wri_mesh_check_parts(mesh, error) && wri_mesh_check(mesh, error);
}

static bool has_changed(const wr_clean_report *r)
{
    return r->moved_vertices || r->welded_vertices || r->dropped_vertices ||
           r->dropped_degenerate || r->swapped_edges || r->dropped_duplicates ||
           r->dropped_back_to_back || r->turned_triangles;
}

wr_model *wr_mesh_clean(const wr_mesh *mesh, const wr_clean_options *options,
                        wr_mesh_report *before, wr_clean_report *mended, int *vertex_map,
                        int *triangle_map, wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh, options)) {
        return NULL;
    }
    const wr_allocator *allocator = &options->allocator;
    if (!check_options(mesh, options, error) ||
        (before && !wri_mesh_inspect(mesh, &options->tasks, allocator, before, error))) {
        return NULL;
    }
    cleaner c = {.mesh = mesh, .options = options, .arena = wri_arena_create(allocator)};
    wr_model *model = NULL;
    if (mend(&c)) {
        model = build_result(&c, error);
    } else {
        wri_fail_memory(error, c.arena.total);
    }
    if (model) {
        c.report.is_changed = has_changed(&c.report);
        if (mended) {
            *mended = c.report;
        }
        if (vertex_map && mesh->vertex_count > 0) {
            memcpy(vertex_map, c.vertex_map, (size_t)mesh->vertex_count * sizeof *vertex_map);
        }
        if (triangle_map && mesh->triangle_count > 0) {
            memcpy(triangle_map, c.triangle_map,
                   (size_t)mesh->triangle_count * sizeof *triangle_map);
        }
    }
    wri_arena_destroy(&c.arena);
    return model;
}
