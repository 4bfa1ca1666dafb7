// cholesky.c: CHOLMOD's supernodal factorisation behind cholesky.h.
//
// Y. Chen, T. A. Davis, W. W. Hager, S. Rajamanickam. Algorithm 887: CHOLMOD, supernodal sparse
// Cholesky factorization and update/downdate. ACM TOMS 35(3), 2008.
#include "cholesky.h"
#include "../base/os.h"

#include <cblas.h>
#include <suitesparse/cholmod.h>

typedef struct lane {
    cholmod_common common;
    cholmod_dense *x, *y, *e; // kept from one solve to the next
} lane;

struct wri_cholesky {
    cholmod_common common;
    cholmod_factor *factor;
    int size, lane_count;
    lane *lanes;
};

wri_thread_limits wri_cholesky_begin(int levels)
{
    wri_thread_limits before = {wri_openmp_levels(levels), openblas_get_num_threads()};
    openblas_set_num_threads(1);
    return before;
}

void wri_cholesky_end(wri_thread_limits before)
{
    openblas_set_num_threads(before.blas_threads);
    wri_openmp_levels(before.levels);
}

// --- life -------------------------------------------------------------------------------------

static void start(cholmod_common *common)
{
    cholmod_start(common);
    common->print = 0;
    common->try_catch = 1; // no messages; the status says it
    common->final_ll = 1;  // small systems as well: what is not positive definite is noticed
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_METIS;
    common->postorder = 1;
}

// Our rows of the lower triangle are CHOLMOD's columns of the upper one.
static cholmod_sparse view(const wri_sparse *lower)
{
    return (cholmod_sparse){.nrow = (size_t)lower->size,
                            .ncol = (size_t)lower->size,
                            .nzmax = (size_t)lower->begin[lower->size],
                            .p = lower->begin,
                            .i = lower->index,
                            .x = lower->values,
                            .stype = 1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

bool wri_cholesky_order(const wri_sparse *lower, int *order, wr_error *error)
{
    cholmod_common common;
    start(&common);
    cholmod_sparse a = view(lower);
    int done = cholmod_metis(&a, NULL, 0, 1, order, &common);
    cholmod_finish(&common);
    return done ||
           wri_fail(error, WR_E_MEMORY, "out of memory for the order of %d rows", lower->size);
}

wri_cholesky *wri_cholesky_create(const wri_sparse *lower, const int *order, int lanes,
                                  wr_error *error)
{
    WR_ASSERT(lanes >= 1);
    wri_cholesky *c = wri_alloc(NULL, 1, sizeof *c);
    lane *l = wri_alloc(NULL, (size_t)lanes, sizeof *l);
    if (!c || !l) {
        wri_free(NULL, c, 1, sizeof *c);
        wri_free(NULL, l, (size_t)lanes, sizeof *l);
        wri_fail_memory(error, (size_t)lanes * sizeof *l);
        return NULL;
    }
    c->size = lower->size;
    c->lane_count = lanes;
    c->lanes = l;
    start(&c->common);
    for (int i = 0; i < lanes; i++) {
        start(&l[i].common);
    }
    cholmod_sparse a = view(lower);
    if (order) {
        c->common.method[0].ordering = CHOLMOD_GIVEN;
    }
    c->factor = cholmod_analyze_p(&a, (int *)(uintptr_t)order, NULL, 0, &c->common);
    if (!c->factor) {
        wri_cholesky_destroy(c);
        wri_fail(error, WR_E_MEMORY, "out of memory for the analysis of a matrix of %d rows",
                 lower->size);
        return NULL;
    }
    return c;
}

void wri_cholesky_destroy(wri_cholesky *c)
{
    if (!c) {
        return;
    }
    for (int i = 0; i < c->lane_count; i++) {
        lane *l = &c->lanes[i];
        cholmod_free_dense(&l->x, &l->common);
        cholmod_free_dense(&l->y, &l->common);
        cholmod_free_dense(&l->e, &l->common);
        cholmod_finish(&l->common);
    }
    cholmod_free_factor(&c->factor, &c->common);
    cholmod_finish(&c->common);
    wri_free(NULL, c->lanes, (size_t)c->lane_count, sizeof *c->lanes);
    wri_free(NULL, c, 1, sizeof *c);
}

// --- work -------------------------------------------------------------------------------------

bool wri_cholesky_factor(wri_cholesky *c, const wri_sparse *lower, wr_error *error)
{
    WR_ASSERT(lower->size == c->size);
    cholmod_sparse a = view(lower);
    cholmod_factorize(&a, c->factor, &c->common);
    if (c->common.status == CHOLMOD_NOT_POSDEF) {
        return wri_fail(error, WR_E_ARGUMENT, "a matrix of %d rows is not positive definite",
                        c->size);
    }
    if (c->common.status < CHOLMOD_OK) {
        return wri_fail(error, WR_E_MEMORY, "out of memory for a factorisation of %d rows",
                        c->size);
    }
    return true;
}

bool wri_cholesky_solve(wri_cholesky *c, int index, int columns, const double *b, double *x)
{
    WR_ASSERT(index >= 0 && index < c->lane_count && columns >= 1);
    lane *l = &c->lanes[index];
    size_t n = (size_t)c->size;
    cholmod_dense right = {.nrow = n,
                           .ncol = (size_t)columns,
                           .nzmax = n * (size_t)columns,
                           .d = n,
                           .x = (double *)(uintptr_t)b, // CHOLMOD does not write to it
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    int done =
        cholmod_solve2(CHOLMOD_A, c->factor, &right, NULL, &l->x, NULL, &l->y, &l->e, &l->common);
    if (!done) {
        return false;
    }
    memcpy(x, l->x->x, n * (size_t)columns * sizeof *x);
    return true;
}

double wri_cholesky_entries(const wri_cholesky *c)
{
    return c->common.lnz;
}
