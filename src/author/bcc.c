// bcc.c: which tetrahedra of a body-centred cubic lattice touch the inside of a surface.
//
// The lattice: cubes of two units with a vertex at every corner (even coordinates) and in every
// middle (odd ones). Two neighbouring middles and two neighbouring corners of the square between
// them make a tetrahedron; all are congruent and 24 meet in a vertex, where they fill a convex
// star (a rhombic dodecahedron). A tetrahedron is named by its lower middle, the axis that leads to
// the upper one, and the side of the square.
//
// Kept are those that a triangle crosses, found by cutting the triangle's box in halves down to
// single cubes, and those inside. The winding number w is harmonic off the surface and vanishes far
// away, so that by the maximum principle every region of |w| > 1/2 reaches the surface: a flood
// that starts at the crossed tetrahedra finds all of them and never looks at the space outside.
// A surface that faces inwards has w = -1 inside; hence |w|.
#include "bcc.h"

#define INSIDE 0.5f

enum { GRAIN = 64 };

// --- names ------------------------------------------------------------------------------------

static const int SIGNS[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

static uint64_t vertex_key(const int v[3])
{
    return (uint64_t)v[0] << 42 | (uint64_t)v[1] << 21 | (uint64_t)v[2];
}

static void vertex_coordinates(uint64_t key, int v[3])
{
    v[0] = (int)(key >> 42), v[1] = (int)(key >> 21 & 0x1fffff), v[2] = (int)(key & 0x1fffff);
}

// middle: the lower one.
static uint64_t tetrahedron_key(const int middle[3], int axis, int side)
{
    return (uint64_t)(middle[0] / 2) << 44 | (uint64_t)(middle[1] / 2) << 24 |
           (uint64_t)(middle[2] / 2) << 4 | (uint64_t)(4 * axis + side);
}

static void square_corner(const int middle[3], int axis, int corner, int out[3])
{
    out[axis] = middle[axis] + 1;
    out[(axis + 1) % 3] = middle[(axis + 1) % 3] + SIGNS[corner & 3][0];
    out[(axis + 2) % 3] = middle[(axis + 2) % 3] + SIGNS[corner & 3][1];
}

// Lists the corners in positive order.
static void tetrahedron_corners(uint64_t key, int out[4][3])
{
    int axis = (int)(key & 15) / 4, side = (int)(key & 3);
    out[0][0] = 2 * (int)(key >> 44) + 1;
    out[0][1] = 2 * (int)(key >> 24 & 0xfffff) + 1;
    out[0][2] = 2 * (int)(key >> 4 & 0xfffff) + 1;
    memcpy(out[1], out[0], sizeof out[1]);
    out[1][axis] += 2;
    square_corner(out[0], axis, side, out[2]);
    square_corner(out[0], axis, side + 1, out[3]);
}

// The 24 tetrahedra around a vertex.
static void star_keys(const int v[3], uint64_t out[WRI_BCC_STAR])
{
    int n = 0, m[3];
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < 4; k++) {
            memcpy(m, v, sizeof m);
            if (v[0] & 1) { // one of the two middles
                out[n++] = tetrahedron_key(m, axis, k);
                m[axis] -= 2;
                out[n++] = tetrahedron_key(m, axis, k);
            } else { // corner k of a square, between its sides k - 1 and k
                m[axis] -= 1;
                m[(axis + 1) % 3] -= SIGNS[k][0];
                m[(axis + 2) % 3] -= SIGNS[k][1];
                out[n++] = tetrahedron_key(m, axis, k);
                out[n++] = tetrahedron_key(m, axis, (k + 3) & 3);
            }
        }
    }
}

// --- crossings --------------------------------------------------------------------------------

typedef double corners3[3][3];

// fmin and fmax are calls, and there are many.
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

typedef struct cutter {
    corners3 t; // lattice coordinates
    double normal[3];
    double low[3], high[3];
    double touch;
    wri_array *keys;
    bool is_short_of_memory;
} cutter;

// True when the projections onto an axis overlap by less than `touch` times its length.
static bool separates(const double axis[3], const corners3 t, const double v[4][3], double touch)
{
    double low_t = INFINITY, high_t = -INFINITY, low_v = INFINITY, high_v = -INFINITY;
    double length2 = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    if (length2 < 1e-18) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        double d = axis[0] * v[i][0] + axis[1] * v[i][1] + axis[2] * v[i][2];
        low_v = least(low_v, d), high_v = most(high_v, d);
        if (i < 3) {
            d = axis[0] * t[i][0] + axis[1] * t[i][1] + axis[2] * t[i][2];
            low_t = least(low_t, d), high_t = most(high_t, d);
        }
    }
    double slack = touch * sqrt(length2);
    return low_t > high_v - slack || low_v > high_t - slack;
}

static void cross_edges(const double *a, const double *b, const double *c, const double *d,
                        double out[3])
{
    double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double v[3] = {d[0] - c[0], d[1] - c[1], d[2] - c[2]};
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

// The bounds of the triangle and of the tetrahedron, which most pairs fail.
static bool boxes_part(const double v[4][3], const double low[3], const double high[3])
{
    for (int i = 0; i < 3; i++) {
        double a = least(least(v[0][i], v[1][i]), least(v[2][i], v[3][i]));
        double b = most(most(v[0][i], v[1][i]), most(v[2][i], v[3][i]));
        if (low[i] > b || high[i] < a) {
            return true;
        }
    }
    return false;
}

// Separating axes of a triangle (also one that is a segment or a point) and a tetrahedron.
static bool crosses(const cutter *c, uint64_t key)
{
    const double(*t)[3] = c->t;
    static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    static const int edges[6][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};
    int corners[4][3];
    double v[4][3], axis[3];
    tetrahedron_corners(key, corners);
    for (int i = 0; i < 12; i++) {
        v[i / 3][i % 3] = corners[i / 3][i % 3];
    }
    double touch = c->touch;
    if (boxes_part((const double(*)[3])v, c->low, c->high) ||
        separates(c->normal, t, (const double(*)[3])v, touch)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        const int *f = faces[i];
        cross_edges(v[f[0]], v[f[1]], v[f[0]], v[f[2]], axis);
        if (separates(axis, t, (const double(*)[3])v, touch)) {
            return false;
        }
    }
    for (int i = 0; i < 18; i++) {
        const int *e = edges[i / 3];
        cross_edges(t[i % 3], t[(i + 1) % 3], v[e[0]], v[e[1]], axis);
        if (separates(axis, t, (const double(*)[3])v, touch)) {
            return false;
        }
    }
    return true;
}

// True when the triangle may come near the cubes low to high; the tetrahedra of cube c reach from 2
// c to 2 c + 3.
static bool is_near(const cutter *c, const int low[3], const int high[3])
{
    double distance = 0.0, reach = 0.0;
    for (int i = 0; i < 3; i++) {
        double a = 2.0 * low[i], b = 2.0 * high[i] + 3.0;
        if (c->high[i] < a || c->low[i] > b) {
            return false;
        }
        distance += c->normal[i] * (0.5 * (a + b) - c->t[0][i]);
        reach += fabs(c->normal[i]) * 0.5 * (b - a);
    }
    return fabs(distance) <= reach * (1.0 + 1e-9) + 1e-30;
}

static void test_cube(cutter *c, const int cube[3])
{
    const int middle[3] = {2 * cube[0] + 1, 2 * cube[1] + 1, 2 * cube[2] + 1};
    for (int i = 0; i < 12; i++) {
        uint64_t key = tetrahedron_key(middle, i / 4, i % 4);
        if (crosses(c, key)) {
            uint64_t *k = wri_array_add(c->keys, 1);
            if (!k) {
                c->is_short_of_memory = true;
                return;
            }
            *k = key;
        }
    }
}

static void cut(cutter *c, const int low[3], const int high[3])
{
    if (c->is_short_of_memory || !is_near(c, low, high)) {
        return;
    }
    int axis = 0;
    for (int i = 1; i < 3; i++) {
        axis = high[i] - low[i] > high[axis] - low[axis] ? i : axis;
    }
    if (high[axis] == low[axis]) {
        test_cube(c, low);
        return;
    }
    int middle[3];
    memcpy(middle, high, sizeof middle);
    middle[axis] = (low[axis] + high[axis]) / 2;
    cut(c, low, middle);
    memcpy(middle, low, sizeof middle);
    middle[axis] = (low[axis] + high[axis]) / 2 + 1;
    cut(c, middle, high);
}

// A triangle that lies in a plane of the lattice crosses nothing: then what it touches counts.
static bool cut_triangle(const wri_bcc_grid *grid, const corners3 corners, wri_array *keys)
{
    cutter c = {.touch = 1e-7, .keys = keys};
    int low[3], high[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            c.t[k][i] = (corners[k][i] - grid->origin[i]) / grid->unit;
        }
        c.low[i] = least(c.t[0][i], least(c.t[1][i], c.t[2][i]));
        c.high[i] = most(c.t[0][i], most(c.t[1][i], c.t[2][i]));
        low[i] = (int)ceil(0.5 * (c.low[i] - 3.0) - 1e-6);
        high[i] = (int)floor(0.5 * c.high[i] + 1e-6);
    }
    cross_edges(c.t[0], c.t[1], c.t[0], c.t[2], c.normal);
    int before = keys->count;
    cut(&c, low, high);
    if (keys->count == before) {
        c.touch = -1e-7;
        cut(&c, low, high);
    }
    return !c.is_short_of_memory;
}

typedef struct crossing_job {
    const wri_bcc_input *input;
    wri_array *blocks;
    uint8_t *failed;
} crossing_job;

static void cross_block(void *context, int block, int begin, int end)
{
    crossing_job *job = context;
    wri_array *keys = &job->blocks[block];
    corners3 corners;
    for (int i = begin; i < end; i++) {
        wri_soup_corners(job->input->soup, i, corners);
        if (!cut_triangle(&job->input->grid, (const double(*)[3])corners, keys)) {
            job->failed[block] = 1;
            return;
        }
    }
    keys->count = wri_keys_sort(keys->items, keys->count);
}

// --- filling ----------------------------------------------------------------------------------

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
    corners3 corners;
    wri_array keys = wri_array_create(&f->allocator, sizeof(uint64_t));
    bool ok = true;
    for (int i = 0; ok && i < f->input->segment_count; i++) {
        memcpy(corners[0], f->input->segments[i][0], sizeof corners[0]);
        memcpy(corners[1], f->input->segments[i][1], sizeof corners[1]);
        memcpy(corners[2], f->input->segments[i][1], sizeof corners[2]);
        ok = cut_triangle(&f->input->grid, (const double(*)[3])corners, &keys);
    }
    for (int i = 0; ok && i < keys.count; i++) {
        uint64_t key = WRI_ITEM(keys, uint64_t, i);
        ok = wri_key_table_add(&f->forced, key) >= 0 && wri_key_table_add(&f->crossed, key) >= 0;
    }
    wri_array_destroy(&keys);
    return ok;
}

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
        vertex_coordinates(wri_key_table_key(&f->vertices, first + i), v);
        p[3 * i] = v[0], p[3 * i + 1] = v[1], p[3 * i + 2] = v[2];
    }
    measure(f, count, w);
    return true;
}

static bool is_inside(const filler *f, int vertex)
{
    return fabsf(WRI_ITEM(f->winding, float, vertex)) > INSIDE;
}

// Eight along the diagonals, six along the axes.
static bool add_neighbours(filler *f, int vertex)
{
    int v[3], n[3];
    vertex_coordinates(wri_key_table_key(&f->vertices, vertex), v);
    for (int i = 0; i < 14; i++) {
        for (int k = 0; k < 3; k++) {
            int side = i < 8 ? (i >> k & 1 ? 1 : -1) : (i - 8) / 2 != k ? 0 : i & 1 ? 2 : -2;
            n[k] = v[k] + side;
        }
        if (wri_key_table_add(&f->vertices, vertex_key(n)) < 0) {
            return false;
        }
    }
    return true;
}

static bool flood(filler *f)
{
    int corners[4][3];
    for (int i = 0; i < f->crossed.keys.count; i++) {
        tetrahedron_corners(wri_key_table_key(&f->crossed, i), corners);
        for (int k = 0; k < 4; k++) {
            if (wri_key_table_add(&f->vertices, vertex_key(corners[k])) < 0) {
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
    tetrahedron_corners(key, corners);
    for (int k = 0; k < 4; k++) {
        out[k] = wri_key_table_find(&f->vertices, vertex_key(corners[k]));
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
    uint8_t *marks = wri_alloc(&f->allocator, (size_t)n, 2), *is_deep = marks + n;
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
        vertex_coordinates(wri_key_table_key(&f->vertices, i), v);
        star_keys(v, star);
        for (int k = 0; k < WRI_BCC_STAR; k++) {
            if (!sort_tetrahedron(f, i, star[k])) {
                return false;
            }
        }
    }
    return true;
}

// Beside a hole, or where the surface lies in the faces of tetrahedra: their middles decide.
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
        tetrahedron_corners(WRI_ITEM(f->unclear, uint64_t, i), corners);
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
        tetrahedron_corners(tetrahedra[i], corners);
        for (int k = 0; ok && k < 4; k++) {
            int number = wri_key_table_add(&used, vertex_key(corners[k]));
            out->tetrahedra[4 * (size_t)i + (size_t)k] = number;
            ok = number >= 0;
        }
    }
    out->vertex_count = used.keys.count;
    out->positions = wri_arena_alloc(arena, (size_t)used.keys.count, 3 * sizeof(double));
    ok = ok && out->positions;
    for (int i = 0; ok && i < used.keys.count; i++) {
        vertex_coordinates(wri_key_table_key(&used, i), v);
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
