// morph_relax.c: where the nodes of a target are, given where its surface was sculpted.  thesis 5.2
//
// The base elastic model is pulled to the sculpted vertices: min 1/2 u' K u + w/2 |P u - d|^2 with
// P the interpolation from nodes to vertices, fixed nodes at 0. Where all vertices are nodes w is
// so large that they are met; otherwise it is moderate, since tetrahedra that follow what is finer
// than themselves fold up, and for a remainder that is hardly a tenth less. Linear elasticity does
// not keep a tetrahedron from being turned inside out: where that happens K is made ten times as
// stiff and the target relaxed again. This comes to an end, because what is left to a tetrahedron
// in the limit, an infinitesimal rotation W, has the volume det(I + W) > 1. What the tetrahedra do
// not carry is kept as a detail of each vertex, so that the target is exactly what was sculpted.
#include "morph_modes.h"

#include "cholesky.h"
#include "scatter.h"

static const double PULL = 10.0;    // w, of the mean stiffness of nodes
static const double HOLD = 1e4;     // w where vertices are nodes
static const double FIRMER = 10.0;  // what a tetrahedron that was turned is multiplied by
static const double NOTHING = 2e-6; // of the size: a detail that nobody sees
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

typedef struct relax {
    wri_morph_builder *b;
    double pull; // w, N/m
    wri_triplet *entries;
    double *factors; // of the stiffness of tetrahedra
    double *right;
    wri_cholesky *system;
    bool is_stale; // the system is not that of the factors
} relax;

// P' w P of one vertex.
static void list_vertex(const relax *r, int vertex, wri_triplet *out, size_t *count)
{
    const wr_ride *ride = &r->b->rides[vertex];
    for (int i = 0; i < 16; i++) {
        const int *t = r->b->data->tets + 4 * (ptrdiff_t)ride->element;
        double w = r->pull * (double)ride->weights[i / 4] * (double)ride->weights[i % 4];
        const double K[9] = {w, 0, 0, 0, w, 0, 0, 0, w};
        if (w != 0.0) {
            add_block(r->b, t[i / 4], t[i % 4], K, out, count);
        }
    }
}

static double find_pull(const wri_morph_builder *b, const wri_triplet *entries, size_t count)
{
    double sum = 0.0;
    bool are_nodes = true;
    for (size_t i = 0; i < count; i++) {
        sum += entries[i].row == entries[i].column ? entries[i].value : 0.0;
    }
    for (int i = 0; i < 4 * b->data->vertex_count; i++) {
        float weight = b->rides[i / 4].weights[i % 4];
        are_nodes = are_nodes && (weight == 0.0f || weight == 1.0f);
    }
    return (are_nodes ? HOLD : PULL) * sum / (3.0 * b->free_count);
}

static bool factor(relax *r, wr_error *error)
{
    const wri_morph_builder *b = r->b;
    wri_arena arena = wri_arena_create(b->desc->allocator);
    wri_sparse A;
    size_t count = list_stiffness(b, 0, r->factors, r->entries);
    r->pull = r->system ? r->pull : find_pull(b, r->entries, count);
    for (int v = 0; v < b->data->vertex_count; v++) {
        list_vertex(r, v, r->entries, &count);
    }
    bool ok = wri_sparse_create(&A, &arena, 3 * b->free_count, r->entries, count) ||
              wri_fail_memory(error, 0);
    if (ok && !r->system) {
        r->system = wri_cholesky_create(&A, NULL, b->desc->allocator, error);
    }
    ok = ok && r->system && wri_cholesky_factor(r->system, &A, error);
    r->is_stale = !ok;
    wri_arena_destroy(&arena);
    return ok;
}

static void solve_target(const relax *r, int target, const wr_vec3 *d)
{
    wri_morph_builder *b = r->b;
    memset(r->right, 0, 3 * (size_t)b->free_count * sizeof *r->right);
    for (int v = 0; v < b->data->vertex_count; v++) {
        const wr_ride *ride = &b->rides[v];
        const double by[3] = {(double)d[v].x, (double)d[v].y, (double)d[v].z};
        for (int i = 0; i < 4; i++) {
            int at = b->free_of[b->data->tets[4 * ride->element + i]];
            for (int k = 0; at >= 0 && k < 3; k++) {
                r->right[3 * at + k] += r->pull * (double)ride->weights[i] * by[k];
            }
        }
    }
    wri_cholesky_solve(r->system, 1, r->right, r->right);
    wr_vec3 *offset = b->data->offsets + (ptrdiff_t)target * b->data->node_count;
    for (int node = 0; node < b->data->node_count; node++) {
        const double *u = r->right + 3 * (ptrdiff_t)b->free_of[node];
        if (b->free_of[node] >= 0) {
            offset[node] = wr_v3((float)u[0], (float)u[1], (float)u[2]);
        }
    }
}

static void make_even(relax *r)
{
    for (int tet = 0; tet < r->b->data->tet_count; tet++) {
        r->is_stale = r->is_stale || r->factors[tet] != 1.0;
        r->factors[tet] = 1.0;
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
    r->is_stale = r->is_stale || is_any;
    return is_any;
}

static bool relax_target(relax *r, int target, const wr_vec3 *d, wr_error *error)
{
    make_even(r);
    for (int round = 0; round < ROUNDS; round++) {
        if (r->is_stale && !factor(r, error)) {
            return false;
        }
        solve_target(r, target, d);
        if (!stiffen_turned(r, target)) {
            break;
        }
    }
    return true;
}

// What vertices were sculpted beyond their tetrahedra.
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
    relax r = {.b = b, .is_stale = true};
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
    wri_cholesky_destroy(r.system);
    wri_arena_destroy(&arena);
    return ok;
}
