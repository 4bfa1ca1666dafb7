// front.c: elimination in a dense front, panel after panel.
//
// With the columns of a panel first, A = [A11 A21'; A21 A22] and A11 = L L'. A panel keeps
// [X; -N] with X = L^-1 and N = A21 A11^-1 = L21 X, where L21 = A21 X': solving needs products with
// these only (solve.c). The rest becomes A22 - L21 L21'.
//
// Sums run over columns in ascending order, each lane for itself: the bits do not depend on the
// width of vectors.
#include "plan.h"

enum {
    STEP = 4, // columns at a time
    HALF = LANES / 2,
};

typedef float columns[WRI_PANEL][WRI_PANEL] __attribute__((aligned(32))); // [column][row]

// --- the diagonal -----------------------------------------------------------------------------

static void copy_diagonal(const wri_front *f, int begin, int width, columns A)
{
    memset(A, 0, sizeof(columns));
    for (int j = 0; j < width; j++) {
        const float *column = f->at + (size_t)(begin + j) * f->stride + begin;
        memcpy(A[j] + j, column + j, (size_t)(width - j) * sizeof *column);
    }
}

// out -= x a from row `from` on; what is above counts for nothing.
static inline void subtract_column(float *out, const float *a, float x, int from, int width)
{
    for (int i = from / HALF * HALF; i < width; i += HALF) {
        wri_store(out + i, wri_load(out + i) - wri_all(x) * wri_load(a + i));
    }
}

// A = L L' in place. Returns the column whose pivot is not positive, -1: none.
static int factor_diagonal(columns A, int width)
{
    for (int j = 0; j < width; j++) {
        float pivot = A[j][j];
        if (!(pivot > 0.0f && pivot <= __FLT_MAX__)) {
            return j;
        }
        float root = sqrtf(pivot), scale = 1.0f / root;
        for (int i = 0; i < width; i++) {
            A[j][i] = i < j ? 0.0f : A[j][i] * scale;
        }
        for (int q = j + 1; q < width; q++) {
            subtract_column(A[q], A[j], A[j][q], q, width);
        }
    }
    return -1;
}

// X = L^-1, zero above the diagonal.
static void invert_diagonal(columns L, int width, columns X)
{
    memset(X, 0, sizeof(columns));
    for (int j = 0; j < width; j++) {
        X[j][j] = 1.0f;
        for (int q = j; q < width; q++) {
            float x = X[j][q] / L[q][q];
            subtract_column(X[j], L[q], x, q, width);
            X[j][q] = x;
        }
    }
}

// --- the rows below ---------------------------------------------------------------------------

// L21 = A21 X' for a tile of eight rows: the columns of A are `stride` apart.
static void find_tile(const float *A, size_t stride, columns X, int width, float *tile)
{
    for (int j = 0; j < width; j += STEP) {
        f4 low[STEP] = {{0}}, high[STEP] = {{0}};
        int end = j + STEP < width ? j + STEP : width;
        for (int q = 0; q < end; q++) {
            f4 a = wri_load(A + (size_t)q * stride), b = wri_load(A + (size_t)q * stride + HALF);
            for (int i = 0; i < STEP; i++) {
                f4 x = wri_all(X[q][j + i]);
                low[i] += a * x;
                high[i] += b * x;
            }
        }
        for (int i = 0; i < end - j; i++) {
            wri_store(tile + LANES * (j + i), low[i]);
            wri_store(tile + LANES * (j + i) + HALF, high[i]);
        }
    }
}

// -N = -L21 X for a tile; its columns go `stride` apart.
static void find_product(const float *tile, columns X, int width, float *out, int stride)
{
    for (int j = 0; j < width; j += STEP) {
        f4 low[STEP] = {{0}}, high[STEP] = {{0}};
        for (int q = j; q < width; q++) {
            f4 a = wri_load(tile + LANES * q), b = wri_load(tile + LANES * q + HALF);
            for (int i = 0; i < STEP; i++) {
                f4 x = wri_all(X[j + i][q]);
                low[i] -= a * x;
                high[i] -= b * x;
            }
        }
        for (int i = 0; i < STEP && j + i < width; i++) {
            wri_store(out + stride * (j + i), low[i]);
            wri_store(out + stride * (j + i) + HALF, high[i]);
        }
    }
}

// Rows of X from `row` on; what is below them stays.
static void put_diagonal(columns X, int row, int rows, int width, float *out, int stride)
{
    for (int j = 0; j < width; j++) {
        memcpy(out + stride * j, X[j] + row, (size_t)rows * sizeof *out);
    }
}

// Writes the panel and returns its end; keeps L21 in the front's panel.
static float *put_panel(const wri_front *f, int begin, int width, columns X, float *out)
{
    int lead = wri_lead_count(width), all = wri_tile_count(f->size - begin);
    for (int q = 0; q < lead; q++) {
        put_diagonal(X, WRI_GROUP * q, WRI_GROUP, WRI_GROUP * (q + 1), out, WRI_GROUP);
        out += WRI_GROUP * WRI_GROUP * (q + 1);
    }
    for (int first = WRI_GROUP_TILES * lead; first < all; first += WRI_GROUP_TILES) {
        int tiles = all - first < WRI_GROUP_TILES ? all - first : WRI_GROUP_TILES;
        int own = width - LANES * first < LANES * tiles ? width - LANES * first : LANES * tiles;
        for (int t = 0; t < tiles; t++) {
            float *tile = f->panel + (size_t)(first + t) * LANES * (size_t)width;
            find_tile(f->at + (size_t)begin * f->stride + begin + LANES * (first + t), f->stride, X,
                      width, tile);
            find_product(tile, X, width, out + LANES * t, LANES * tiles);
        }
        if (own > 0) {
            put_diagonal(X, LANES * first, own, width, out, LANES * tiles);
        }
        out += LANES * tiles * width;
    }
    return out;
}

// --- the rest ---------------------------------------------------------------------------------

// Four columns of a tile of A22 -= L21 L21'.
static inline void subtract_tile(float *out, size_t stride, const float *tile, const float *factors,
                                 int width)
{
    f4 low[STEP], high[STEP];
    for (int i = 0; i < STEP; i++) {
        low[i] = wri_load(out + (size_t)i * stride);
        high[i] = wri_load(out + (size_t)i * stride + HALF);
    }
    for (int q = 0; q < width; q++) {
        f4 a = wri_load(tile + LANES * q), b = wri_load(tile + LANES * q + HALF);
        for (int i = 0; i < STEP; i++) {
            f4 x = wri_all(factors[LANES * q + i]);
            low[i] -= a * x;
            high[i] -= b * x;
        }
    }
    for (int i = 0; i < STEP; i++) {
        wri_store(out + (size_t)i * stride, low[i]);
        wri_store(out + (size_t)i * stride + HALF, high[i]);
    }
}

// Begins at a multiple of STEP: columns of the panel itself in between count for nothing any more.
static void subtract_panel(const wri_front *f, int begin, int width)
{
    int tiles = wri_tile_count(f->size - begin), size = f->size - begin;
    size_t tile_size = LANES * (size_t)width;
    for (int j = width / STEP * STEP; j < size; j += STEP) {
        const float *own = f->panel + (size_t)(j / LANES) * tile_size + j % LANES;
        float *column = f->at + (size_t)(begin + j) * f->stride + begin;
        for (int t = j / LANES; t < tiles; t++) {
            subtract_tile(column + LANES * t, f->stride, f->panel + (size_t)t * tile_size, own,
                          width);
        }
    }
}

int wri_front_eliminate(const wri_front *f, float *out)
{
    columns A, X;
    for (int begin = 0; begin < f->width; begin += WRI_PANEL) {
        int width = wri_panel_width(f->width, begin);
        copy_diagonal(f, begin, width, A);
        int bad = factor_diagonal(A, width);
        if (bad >= 0) {
            return begin + bad;
        }
        invert_diagonal(A, width, X);
        out = put_panel(f, begin, width, X, out);
        subtract_panel(f, begin, width);
    }
    return -1;
}
