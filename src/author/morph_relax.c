// morph_relax.c: where the nodes of a target are, given where its surface was sculpted.  thesis 5.2
//
// The base elastic model is pulled to the sculpted vertices: min 1/2 u' K u + w/2 |P u - d|^2 with
// P the interpolation from nodes to vertices, fixed nodes at 0 and w so large that elasticity only
// decides where vertices do not. What the tetrahedra cannot carry is kept as a detail of each
// vertex, so that the target is exactly what was sculpted.
#include "morph_modes.h"

#include "cholesky.h"
#include "scatter.h"

static const double PULL = 1e4;     // of the mean stiffness of nodes
static const double NOTHING = 2e-6; // of the size: a detail that nobody sees

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

static size_t list_stiffness(const wri_morph_builder *b, int target, wri_triplet *out)
{
    size_t count = 0;
    for (int tet = 0; tet < b->data->tet_count; tet++) {
        wri_tet t;
        wri_tet_find(b->data, target, tet, &t);
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
                                           list_stiffness(b, target, entries));
    wri_free(b->desc->allocator, entries, most, sizeof *entries);
    return ok || wri_fail_memory(error, 0);
}

// --- relaxing -----------------------------------------------------------------------------------

typedef struct relax {
    wri_morph_builder *b;
    double pull; // N/m, per vertex
    wri_cholesky *system;
    double *right;
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

static bool make_system(relax *r, wri_arena *arena, wr_error *error)
{
    const wri_morph_builder *b = r->b;
    size_t most = 16 * 9 * ((size_t)b->data->tet_count + (size_t)b->data->vertex_count);
    wri_triplet *entries = wri_arena_alloc(arena, most, sizeof *entries);
    wri_sparse A;
    if (!entries) {
        return wri_fail_memory(error, most * sizeof *entries);
    }
    size_t count = list_stiffness(b, 0, entries);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += entries[i].row == entries[i].column ? entries[i].value : 0.0;
    }
    r->pull = PULL * sum / (3.0 * b->free_count);
    for (int v = 0; v < b->data->vertex_count; v++) {
        list_vertex(r, v, entries, &count);
    }
    if (!wri_sparse_create(&A, arena, 3 * b->free_count, entries, count)) {
        return wri_fail_memory(error, 0);
    }
    r->system = wri_cholesky_create(&A, NULL, b->desc->allocator, error);
    return r->system && wri_cholesky_factor(r->system, &A, error);
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

bool wri_morph_relax(wri_morph_builder *b, wr_error *error)
{
    wr_morph_data *d = b->data;
    relax r = {.b = b};
    wri_arena arena = wri_arena_create(b->desc->allocator);
    r.right = wri_arena_alloc(&arena, 3 * (size_t)b->free_count, sizeof *r.right);
    bool ok = r.right || wri_fail_memory(error, 0);
    for (int target = 0; ok && target < b->desc->target_count; target++) {
        const wr_vec3 *sculpted = b->desc->targets[target].displacements;
        if (sculpted) {
            ok = r.system || make_system(&r, &arena, error);
            if (ok) {
                solve_target(&r, target, sculpted);
            }
        }
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
