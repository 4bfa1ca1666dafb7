// morph_relax.c: where the nodes of a target are, given where its surface was sculpted.  thesis 5.2
//
// The base elastic model is pulled to the sculpted vertices: min 1/2 u' K u + w/2 |P u - d|^2 with
// P the interpolation from nodes to vertices, fixed nodes at 0. Vertices are met with a large w,
// unless a tetrahedron would lose half of its volume: tetrahedra that follow what is finer than
// themselves fold up, and for a remainder that is hardly a tenth less. Then w is moderate. Linear
// elasticity does not keep a tetrahedron from being turned inside out: where that still happens K
// is made ten times as stiff and the target relaxed again. This comes to an end, because what is
// left to a tetrahedron in the limit, an infinitesimal rotation W, has the volume det(I + W) > 1.
// What the tetrahedra do not carry is kept as a detail of each vertex, so that the target is what
// was sculpted.
#include "morph_modes.h"

#include "cholesky.h"
#include "scatter.h"

static const double HOLD = 1e4;     // the large w, of the mean stiffness of nodes
static const double PULL = 10.0;    // the moderate one
static const double SQUEEZED = 0.5; // of the volume of a tetrahedron
static const double FIRMER = 10.0;  // what a tetrahedron that was turned is multiplied by
static const double NOTHING = 5e-5; // of the size: a detail that nobody sees
enum { ROUNDS = 12 };

static void add_block(const wri_morph_builder *b, int row_node, int column_node, const double *K,
                      wri_triplet *out, size_t *count)
{
    int row = b->free_of[row_node], column = b->free_of[column_node];
    for (int k = 0; row >= 0 && column >= 0 && k < 9; k++) {
        int i = 3 * row + k / 3, j = 3 * column + k % 3;
        if (j <= i) {
            out[(*count)++] = (wri_triplet){i, j, K[k]};
        }
    }
}

// factors: per tetrahedron, NULL: all 1.
static size_t list_stiffness(const wri_morph_builder *b, int target, const double *factors,
                             wri_triplet *out)
{
    size_t count = 0;
    for (int tet = 0; tet < b->data->tet_count; tet++) {
        wri_tet t;
        wri_tet_find(b->data, target, tet, &t);
        t.lambda *= factors ? factors[tet] : 1.0;
        t.mu *= factors ? factors[tet] : 1.0;
        for (int i = 0; i < 16; i++) {
            double K[9];
            wri_tet_stiffness(&t, i / 4, i % 4, K);
            add_block(b, t.nodes[i / 4], t.nodes[i % 4], K, out, &count);
        }
    }
    return count;
}

bool wri_morph_stiffness(const wri_morph_builder *b, int target, wri_arena *arena, wri_sparse *out,
                         wr_error *error)
{
    size_t most = 16 * 9 * (size_t)b->data->tet_count;
    wri_triplet *entries = wri_alloc(b->desc->allocator, most, sizeof *entries);
    bool ok = entries && wri_sparse_create(out, arena, 3 * b->free_count, entries,
                                           list_stiffness(b, target, NULL, entries));
    wri_free(b->desc->allocator, entries, most, sizeof *entries);
    return ok || wri_fail_memory(error, 0);
}

// --- relaxing -----------------------------------------------------------------------------------

// K + P' w P. It is stale where it is not that of the factors.
typedef struct pulled {
    double w; // N/m
    wri_cholesky *factor;
    bool is_stale;
} pulled;

typedef struct relax {
    wri_morph_builder *b;
    wri_triplet *entries;
    double *factors; // of the stiffness of tetrahedra
    double *right;
    pulled held, drawn; // with the large w, with the moderate one
} relax;

// P' w P of one vertex.
static void list_vertex(const wri_morph_builder *b, int vertex, double pull, wri_triplet *out,
                        size_t *count)
{
    const wr_ride *ride = &b->rides[vertex];
    for (int i = 0; i < 16; i++) {
        const int *t = b->data->tets + 4 * (ptrdiff_t)ride->element;
        double w = pull * (double)ride->weights[i / 4] * (double)ride->weights[i % 4];
        const double K[9] = {w, 0, 0, 0, w, 0, 0, 0, w};
        if (w != 0.0) {
            add_block(b, t[i / 4], t[i % 4], K, out, count);
        }
    }
}

static double mean_stiffness(const wri_triplet *entries, size_t count, int rows)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += entries[i].row == entries[i].column ? entries[i].value : 0.0;
    }
    return sum / rows;
}

static bool factor(relax *r, pulled *p, double pull, wr_error *error)
{
    const wri_morph_builder *b = r->b;
    wri_arena arena = wri_arena_create(b->desc->allocator);
    wri_sparse A;
    int rows = 3 * b->free_count;
    size_t count = list_stiffness(b, 0, r->factors, r->entries);
    p->w = p->factor ? p->w : pull * mean_stiffness(r->entries, count, rows);
    for (int v = 0; v < b->data->vertex_count; v++) {
        list_vertex(b, v, p->w, r->entries, &count);
    }
    bool ok = wri_sparse_create(&A, &arena, rows, r->entries, count) || wri_fail_memory(error, 0);
    if (ok && !p->factor) {
        p->factor = wri_cholesky_create(&A, NULL, b->desc->allocator, error);
    }
    ok = ok && p->factor && wri_cholesky_factor(p->factor, &A, error);
    p->is_stale = !ok;
    wri_arena_destroy(&arena);
    return ok;
}

static void solve_target(const relax *r, const pulled *p, int target, const wr_vec3 *d)
{
    wri_morph_builder *b = r->b;
    memset(r->right, 0, 3 * (size_t)b->free_count * sizeof *r->right);
    for (int v = 0; v < b->data->vertex_count; v++) {
        const wr_ride *ride = &b->rides[v];
        const double by[3] = {(double)d[v].x, (double)d[v].y, (double)d[v].z};
        for (int i = 0; i < 4; i++) {
            int at = b->free_of[b->data->tets[4 * ride->element + i]];
            for (int k = 0; at >= 0 && k < 3; k++) {
                r->right[3 * at + k] += p->w * (double)ride->weights[i] * by[k];
            }
        }
    }
    wri_cholesky_solve(p->factor, 1, r->right, r->right);
    wr_vec3 *offset = b->data->offsets + (ptrdiff_t)target * b->data->node_count;
    for (int node = 0; node < b->data->node_count; node++) {
        const double *u = r->right + 3 * (ptrdiff_t)b->free_of[node];
        if (b->free_of[node] >= 0) {
            offset[node] = wr_v3((float)u[0], (float)u[1], (float)u[2]);
        }
    }
}

// Makes tetrahedra firm that the target has turned inside out. False: there are none.
static bool stiffen_turned(relax *r, int target)
{
    bool is_any = false;
    for (int tet = 0; tet < r->b->data->tet_count; tet++) {
        wri_tet t;
        if (wri_tet_find(r->b->data, target, tet, &t)) {
            r->factors[tet] *= FIRMER;
            is_any = true;
        }
    }
    r->drawn.is_stale = r->drawn.is_stale || is_any;
    return is_any;
}

static void make_even(relax *r)
{
    for (int tet = 0; tet < r->b->data->tet_count; tet++) {
        r->drawn.is_stale = r->drawn.is_stale || r->factors[tet] != 1.0;
        r->factors[tet] = 1.0;
    }
}

static double find_volume(const wr_morph_data *d, const wr_vec3 *offset, int tet)
{
    wr_vec3 x[4];
    for (int i = 0; i < 4; i++) {
        int node = d->tets[4 * tet + i];
        x[i] = offset ? wr_add(d->nodes[node], offset[node]) : d->nodes[node];
    }
    wr_vec3 area = wr_cross(wr_sub(x[1], x[0]), wr_sub(x[2], x[0]));
    return (double)wr_dot(area, wr_sub(x[3], x[0])) / 6.0;
}

static bool is_squeezed(const wr_morph_data *d, int target)
{
    for (int tet = 0; tet < d->tet_count; tet++) {
        const wr_vec3 *offset = d->offsets + (ptrdiff_t)target * d->node_count;
        if (find_volume(d, offset, tet) < SQUEEZED * find_volume(d, NULL, tet)) {
            return true;
        }
    }
    return false;
}

static bool relax_target(relax *r, int target, const wr_vec3 *d, wr_error *error)
{
    make_even(r);
    if (r->held.is_stale && !factor(r, &r->held, HOLD, error)) {
        return false;
    }
    solve_target(r, &r->held, target, d);
    bool is_done = !is_squeezed(r->b->data, target);
    for (int round = 0; !is_done && round < ROUNDS; round++) {
        if (r->drawn.is_stale && !factor(r, &r->drawn, PULL, error)) {
            return false;
        }
        solve_target(r, &r->drawn, target, d);
        is_done = !stiffen_turned(r, target);
    }
    return true;
}

// What vertices were sculpted beyond their tetrahedra. d NULL: nothing was.
static void find_details(const wri_morph_builder *b, int target, const wr_vec3 *d, wr_vec3 *out)
{
    const wr_vec3 *offset = b->data->offsets + (ptrdiff_t)target * b->data->node_count;
    for (int v = 0; v < b->data->vertex_count; v++) {
        const wr_ride *ride = &b->rides[v];
        wr_vec3 rest = d ? d[v] : wr_v3(0.0f, 0.0f, 0.0f);
        for (int i = 0; i < 4; i++) {
            int node = b->data->tets[4 * ride->element + i];
            rest = wr_add_scaled(rest, -ride->weights[i], offset[node]);
        }
        bool is_seen = (double)wr_length(rest) > NOTHING * b->size;
        out[v] = is_seen ? rest : wr_v3(0.0f, 0.0f, 0.0f);
        b->report->largest_detail = fmax(b->report->largest_detail, (double)wr_length(rest));
    }
}

static void count_turned(const wri_morph_builder *b)
{
    for (int target = 0; target < b->data->target_count; target++) {
        for (int tet = 0; tet < b->data->tet_count; tet++) {
            wri_tet t;
            b->report->turned_count += wri_tet_find(b->data, target, tet, &t);
        }
    }
}

static bool start(relax *r, wri_arena *arena, wr_error *error)
{
    const wr_morph_data *d = r->b->data;
    size_t most = 16 * 9 * ((size_t)d->tet_count + (size_t)d->vertex_count);
    r->entries = wri_arena_alloc(arena, most, sizeof *r->entries);
    r->factors = wri_arena_alloc(arena, (size_t)d->tet_count, sizeof *r->factors);
    r->right = wri_arena_alloc(arena, 3 * (size_t)r->b->free_count, sizeof *r->right);
    return (r->entries && r->factors && r->right) || wri_fail_memory(error, 0);
}

bool wri_morph_relax(wri_morph_builder *b, wr_error *error)
{
    wr_morph_data *d = b->data;
    relax r = {.b = b, .held.is_stale = true, .drawn.is_stale = true};
    wri_arena arena = wri_arena_create(b->desc->allocator);
    bool ok = start(&r, &arena, error);
    for (int target = 0; ok && target < b->desc->target_count; target++) {
        const wr_vec3 *sculpted = b->desc->targets[target].displacements;
        ok = !sculpted || relax_target(&r, target, sculpted, error);
        if (ok) {
            find_details(b, target, sculpted, d->details + (ptrdiff_t)target * d->vertex_count);
        }
    }
    if (ok) {
        count_turned(b);
        d->details = b->report->largest_detail > NOTHING * b->size ? d->details : NULL;
    }
    wri_cholesky_destroy(r.held.factor);
    wri_cholesky_destroy(r.drawn.factor);
    wri_arena_destroy(&arena);
    return ok;
}
