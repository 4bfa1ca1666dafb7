// bcc.c: which tetrahedra of a body-centred cubic lattice touch the inside of a surface.
//
// bcc_key.h describes the lattice. Kept are the tetrahedra that a triangle crosses (bcc_cut.c) and
// those inside. The winding number w is harmonic off the surface and vanishes far away, so that by
// the maximum principle every region of |w| > 1/2 reaches the surface: a flood that starts at the
// crossed tetrahedra finds all of them and never looks at the space outside. A surface that faces
// inwards has w = -1 inside; hence |w|.
#include "bcc_key.h"

#define INSIDE 0.5f

enum { GRAIN = 64 };

typedef struct filler {
    const wri_bcc_input *input;
    wr_allocator allocator;
    wri_key_table crossed;  // tetrahedra
    wri_key_table forced;   // tetrahedra of segments
    wri_key_table vertices; // all that the flood has seen
    wri_array winding;      // float, beside vertices
    wri_array kept;         // uint64_t: tetrahedra
    wri_array unclear;      // uint64_t: not crossed, but with corners inside and outside
    wri_array points;       // double, working memory
} filler;

// --- crossings --------------------------------------------------------------------------------

typedef struct crossing_job {
    const wri_bcc_input *input;
    wri_array *blocks;
    uint8_t *failed;
} crossing_job;

static void cross_block(void *context, int block, int begin, int end)
{
    crossing_job *job = context;
    wri_array *keys = &job->blocks[block];
    double corners[3][3];
    for (int i = begin; i < end; i++) {
        wri_soup_corners(job->input->soup, i, corners);
        if (!wri_bcc_cut_triangle(&job->input->grid, (const double(*)[3])corners, keys)) {
            job->failed[block] = 1;
            return;
        }
    }
    keys->count = wri_keys_sort(keys->items, keys->count);
}

static bool find_crossed(filler *f)
{
    const wri_bcc_input *in = f->input;
    int count = in->soup->triangle_count, blocks = wri_block_count(count, GRAIN);
    crossing_job job = {in, wri_alloc(&f->allocator, (size_t)blocks, sizeof(wri_array)),
                        wri_alloc(&f->allocator, (size_t)blocks, 1)};
    bool ok = job.blocks && job.failed;
    for (int i = 0; ok && i < blocks; i++) {
        job.blocks[i] = wri_array_create(&f->allocator, sizeof(uint64_t));
    }
    if (ok) {
        wri_parallel_for(in->tasks, count, GRAIN, cross_block, &job);
    }
    for (int i = 0; job.blocks && job.failed && i < blocks; i++) {
        ok = ok && !job.failed[i];
        for (int k = 0; ok && k < job.blocks[i].count; k++) {
            ok = wri_key_table_add(&f->crossed, WRI_ITEM(job.blocks[i], uint64_t, k)) >= 0;
        }
        wri_array_destroy(&job.blocks[i]);
    }
    wri_free(&f->allocator, job.blocks, (size_t)blocks, sizeof(wri_array));
    wri_free(&f->allocator, job.failed, (size_t)blocks, 1);
    return ok;
}

static bool find_forced(filler *f)
{
    double corners[3][3];
    wri_array keys = wri_array_create(&f->allocator, sizeof(uint64_t));
    bool ok = true;
    for (int i = 0; ok && i < f->input->segment_count; i++) {
        memcpy(corners[0], f->input->segments[i][0], sizeof corners[0]);
        memcpy(corners[1], f->input->segments[i][1], sizeof corners[1]);
        memcpy(corners[2], f->input->segments[i][1], sizeof corners[2]);
        ok = wri_bcc_cut_triangle(&f->input->grid, (const double(*)[3])corners, &keys);
    }
    for (int i = 0; ok && i < keys.count; i++) {
        uint64_t key = WRI_ITEM(keys, uint64_t, i);
        ok = wri_key_table_add(&f->forced, key) >= 0 && wri_key_table_add(&f->crossed, key) >= 0;
    }
    wri_array_destroy(&keys);
    return ok;
}

// --- filling ----------------------------------------------------------------------------------

static void measure(filler *f, int count, float *out)
{
    const wri_bcc_grid *grid = &f->input->grid;
    double *p = f->points.items;
    for (int i = 0; i < 3 * count; i++) {
        p[i] = grid->origin[i % 3] + grid->unit * p[i];
    }
    wri_winding_many(f->input->soup, p, count, WRI_WINDING_ACCURACY, f->input->tasks, out);
}

// The winding number of all vertices from `first` on.
static bool measure_vertices(filler *f, int first)
{
    int count = f->vertices.keys.count - first, v[3];
    f->points.count = 0;
    double *p = wri_array_add(&f->points, 3 * count);
    float *w = wri_array_add(&f->winding, count);
    if (!p || !w) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        wri_bcc_vertex_coordinates(wri_key_table_key(&f->vertices, first + i), v);
        p[3 * i] = v[0], p[3 * i + 1] = v[1], p[3 * i + 2] = v[2];
    }
    measure(f, count, w);
    return true;
}

static bool is_inside(const filler *f, int vertex)
{
    return fabsf(WRI_ITEM(f->winding, float, vertex)) > INSIDE;
}

// Adds the eight neighbours along the diagonals and the six along the axes.
static bool add_neighbours(filler *f, int vertex)
{
    int v[3], n[3];
    wri_bcc_vertex_coordinates(wri_key_table_key(&f->vertices, vertex), v);
    for (int i = 0; i < 14; i++) {
        for (int k = 0; k < 3; k++) {
            int side = i < 8 ? (i >> k & 1 ? 1 : -1) : (i - 8) / 2 != k ? 0 : i & 1 ? 2 : -2;
            n[k] = v[k] + side;
        }
        if (wri_key_table_add(&f->vertices, wri_bcc_vertex_key(n)) < 0) {
            return false;
        }
    }
    return true;
}

static bool flood(filler *f)
{
    int corners[4][3];
    for (int i = 0; i < f->crossed.keys.count; i++) {
        wri_bcc_tetrahedron_corners(wri_key_table_key(&f->crossed, i), corners);
        for (int k = 0; k < 4; k++) {
            if (wri_key_table_add(&f->vertices, wri_bcc_vertex_key(corners[k])) < 0) {
                return false;
            }
        }
    }
    for (int first = 0; first < f->vertices.keys.count;) {
        int end = f->vertices.keys.count;
        if (!measure_vertices(f, first)) {
            return false;
        }
        for (; first < end; first++) {
            if (is_inside(f, first) && !add_neighbours(f, first)) {
                return false;
            }
        }
    }
    return true;
}

static int corner_numbers(const filler *f, uint64_t key, int out[4])
{
    int corners[4][3], inside = 0;
    wri_bcc_tetrahedron_corners(key, corners);
    for (int k = 0; k < 4; k++) {
        out[k] = wri_key_table_find(&f->vertices, wri_bcc_vertex_key(corners[k]));
        inside += is_inside(f, out[k]);
    }
    return inside;
}

static int find_root(int *parent, int v)
{
    for (; parent[v] != v; v = parent[v]) {
        parent[v] = parent[parent[v]];
    }
    return v;
}

// Marks the vertices of crossed tetrahedra that reach inside as solid, then joins the vertices of
// the other crossed ones that are not solid; a group is deep when one of its tetrahedra has no
// solid corner.
static void group_thin(filler *f, uint8_t *is_solid, int *parent, uint8_t *is_deep)
{
    int c[4], count = f->crossed.keys.count;
    for (int i = 0; i < count; i++) {
        bool reaches_inside = corner_numbers(f, wri_key_table_key(&f->crossed, i), c) > 0;
        for (int k = 0; k < 4 && reaches_inside; k++) {
            is_solid[c[k]] = 1;
        }
    }
    for (int round = 0; round < 2; round++) { // groups first, then which of them are deep
        for (int i = 0; i < count; i++) {
            int last = -1, solid = 0;
            corner_numbers(f, wri_key_table_key(&f->crossed, i), c);
            for (int k = 0; k < 4; k++) {
                solid += is_solid[c[k]];
                int root = is_solid[c[k]] ? -1 : find_root(parent, c[k]);
                if (root >= 0 && last >= 0 && round == 0) {
                    parent[root] = find_root(parent, last);
                }
                last = root >= 0 ? root : last;
            }
            if (round == 1 && solid == 0) {
                is_deep[find_root(parent, c[0])] = 1;
            }
        }
    }
}

// The two sides of a surface differ by one: beside a sheet or a hole not all can be this small.
static bool is_clearly_outside(const filler *f, const int c[4])
{
    bool outside = true;
    for (int k = 0; k < 4; k++) {
        outside = outside && fabsf(WRI_ITEM(f->winding, float, c[k])) < 0.25f;
    }
    return outside;
}

// A crossed tetrahedron without a corner inside is kept where the body is thinner than the lattice.
// Where it only covers others that reach inside, it would become a flake or a spike.
static bool sort_crossed(filler *f)
{
    int c[4], count = f->crossed.keys.count, n = f->vertices.keys.count;
    uint8_t *marks = wri_alloc(&f->allocator, (size_t)n, 2), *is_deep = marks ? marks + n : NULL;
    int *parent = wri_alloc(&f->allocator, (size_t)n, sizeof *parent);
    bool ok = marks && parent && wri_array_reserve(&f->kept, count);
    for (int i = 0; ok && i < n; i++) {
        parent[i] = i;
    }
    if (ok) {
        group_thin(f, marks, parent, is_deep);
    }
    for (int i = 0; ok && i < count; i++) {
        uint64_t key = wri_key_table_key(&f->crossed, i);
        corner_numbers(f, key, c);
        bool keep = !is_clearly_outside(f, c) || wri_key_table_find(&f->forced, key) >= 0;
        for (int k = 0; k < 4 && !keep; k++) {
            keep = !marks[c[k]] && is_deep[find_root(parent, c[k])];
        }
        if (keep) {
            *(uint64_t *)wri_array_add(&f->kept, 1) = key;
        }
    }
    wri_free(&f->allocator, marks, (size_t)n, 2);
    wri_free(&f->allocator, parent, (size_t)n, sizeof *parent);
    return ok;
}

// Sorts a tetrahedron around an inside vertex; it is looked at once, from its first inside corner.
static bool sort_tetrahedron(filler *f, int vertex, uint64_t key)
{
    int c[4], inside = corner_numbers(f, key, c);
    for (int k = 0; k < 4; k++) {
        if (c[k] < vertex && is_inside(f, c[k])) {
            return true;
        }
    }
    if (wri_key_table_find(&f->crossed, key) >= 0) {
        return true;
    }
    uint64_t *k = wri_array_add(inside == 4 ? &f->kept : &f->unclear, 1);
    if (k) {
        *k = key;
    }
    return k != NULL;
}

static bool sort_tetrahedra(filler *f)
{
    uint64_t star[WRI_BCC_STAR];
    int v[3];
    for (int i = 0; i < f->vertices.keys.count; i++) {
        if (!is_inside(f, i)) {
            continue;
        }
        wri_bcc_vertex_coordinates(wri_key_table_key(&f->vertices, i), v);
        wri_bcc_star_keys(v, star);
        for (int k = 0; k < WRI_BCC_STAR; k++) {
            if (!sort_tetrahedron(f, i, star[k])) {
                return false;
            }
        }
    }
    return true;
}

// Decides tetrahedra beside a hole, or where the surface lies in the faces of tetrahedra, by their
// middles.
static bool decide_unclear(filler *f)
{
    int count = f->unclear.count, corners[4][3];
    f->points.count = f->winding.count = 0;
    double *p = wri_array_add(&f->points, 3 * count);
    float *w = wri_array_add(&f->winding, count);
    if (!p || !w) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        wri_bcc_tetrahedron_corners(WRI_ITEM(f->unclear, uint64_t, i), corners);
        for (int k = 0; k < 3; k++) {
            p[3 * i + k] = 0.25 * (corners[0][k] + corners[1][k] + corners[2][k] + corners[3][k]);
        }
    }
    measure(f, count, w);
    for (int i = 0; i < count; i++) {
        if (fabsf(w[i]) > INSIDE) {
            uint64_t *k = wri_array_add(&f->kept, 1);
            if (!k) {
                return false;
            }
            *k = WRI_ITEM(f->unclear, uint64_t, i);
        }
    }
    return true;
}

// --- the result -------------------------------------------------------------------------------

static bool number_vertices(filler *f, const uint64_t *tetrahedra, int count, wri_arena *arena,
                            wri_bcc *out)
{
    int corners[4][3], v[3];
    wri_key_table used = wri_key_table_create(&f->allocator);
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        wri_bcc_tetrahedron_corners(tetrahedra[i], corners);
        for (int k = 0; ok && k < 4; k++) {
            int number = wri_key_table_add(&used, wri_bcc_vertex_key(corners[k]));
            out->tetrahedra[4 * (size_t)i + (size_t)k] = number;
            ok = number >= 0;
        }
    }
    out->vertex_count = used.keys.count;
    out->positions = wri_arena_alloc(arena, (size_t)used.keys.count, 3 * sizeof(double));
    ok = ok && out->positions;
    for (int i = 0; ok && i < used.keys.count; i++) {
        wri_bcc_vertex_coordinates(wri_key_table_key(&used, i), v);
        for (int k = 0; k < 3; k++) {
            out->positions[3 * (size_t)i + (size_t)k] = out->grid.origin[k] + out->grid.unit * v[k];
        }
    }
    wri_key_table_destroy(&used);
    return ok;
}

static bool put_result(filler *f, wri_arena *arena, wri_bcc *out)
{
    int count = wri_keys_sort(f->kept.items, f->kept.count);
    *out = (wri_bcc){.grid = f->input->grid, .tetrahedron_count = count};
    out->tetrahedra = wri_arena_alloc(arena, (size_t)count, 4 * sizeof(int));
    return out->tetrahedra && number_vertices(f, f->kept.items, count, arena, out);
}

bool wri_bcc_fill(const wri_bcc_input *input, wri_arena *arena, wri_bcc *out, wr_error *error)
{
    const wr_allocator *a = &arena->allocator;
    filler f = {.input = input,
                .allocator = *a,
                .crossed = wri_key_table_create(a),
                .forced = wri_key_table_create(a),
                .vertices = wri_key_table_create(a),
                .winding = wri_array_create(a, sizeof(float)),
                .kept = wri_array_create(a, sizeof(uint64_t)),
                .unclear = wri_array_create(a, sizeof(uint64_t)),
                .points = wri_array_create(a, sizeof(double))};
    bool ok = find_crossed(&f) && find_forced(&f) && flood(&f) && sort_crossed(&f) &&
              sort_tetrahedra(&f) && decide_unclear(&f) && put_result(&f, arena, out);
    wri_key_table_destroy(&f.crossed);
    wri_key_table_destroy(&f.forced);
    wri_key_table_destroy(&f.vertices);
    wri_array_destroy(&f.winding);
    wri_array_destroy(&f.kept);
    wri_array_destroy(&f.unclear);
    wri_array_destroy(&f.points);
    return ok || wri_fail_memory(error, arena->total);
}
