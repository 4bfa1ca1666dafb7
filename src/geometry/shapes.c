// shapes.c: key shapes of a deformation, chosen for the largest error of any vertex.
//
// D has a row per frame: the offsets of all vertices from the first frame. Two ways to find an
// orthonormal basis B of few rows are tried, and the one with the smaller largest error is taken:
// - greedy: the row that is worst so far, less what is there already, becomes the next shape;
// - principal components: the leading eigenvectors of W D D^T W (orthogonal iteration, then
//   Rayleigh and Ritz), which is best in the sum of squares. The frames' weights W then grow where
//   the error is large (C. Lawson 1961: weighted least squares that approach the least maximum).
// A frame's weight of a shape is the product of their rows, since B is orthonormal. For D D^T a
// sample of frames and vertices is enough; shapes, weights and errors are of all of them.
#include "shapes.h"

enum { SAMPLE_FRAMES = 512, SAMPLE_VERTICES = 4096, SPARE = 8, ITERATIONS = 30, ROUNDS = 6 };

typedef struct solver {
    const wr_vec3 *frames;
    int f, n; // frames, and numbers per frame: three per vertex
    int most; // shapes
    float tolerance;
    float *rest;    // f * n: what the shapes so far leave of D
    double *row;    // n: the shape at hand
    float *b;       // most * n: the basis
    float *weights; // f * most
    float *errors;  // f: of each frame
    float *best_b, *best_weights;
    int best_count;
    float best_error;
    int s, frame_step;           // sampled frames
    double *gram;                // s * s: D D^T
    double *scale;               // s: W
    int m;                       // vectors of the iteration
    double *q, *z;               // s * m each
    double *ritz, *turn, *value; // m * m, m * m, m
} solver;

// --- deflation --------------------------------------------------------------------------------

static void start_over(solver *o)
{
    const float *frames = &o->frames[0].x;
    for (int f = 0; f < o->f; f++) {
        for (int i = 0; i < o->n; i++) {
            size_t at = (size_t)f * (size_t)o->n + (size_t)i;
            o->rest[at] = frames[at] - frames[i];
        }
    }
}

// The largest error of all, and which frame has it.
static float find_errors(solver *o, int *worst)
{
    float most = -1.0f;
    for (int f = 0; f < o->f; f++) {
        const float *r = o->rest + (size_t)f * (size_t)o->n;
        float largest = 0.0f;
        for (int i = 0; i < o->n; i += 3) {
            float squared = r[i] * r[i] + r[i + 1] * r[i + 1] + r[i + 2] * r[i + 2];
            largest = squared > largest ? squared : largest;
        }
        o->errors[f] = sqrtf(largest);
        if (o->errors[f] > most) {
            most = o->errors[f];
            *worst = f;
        }
    }
    return most;
}

// Adds eight sums at once, which do not wait for one another.
static double dot_row(const solver *o, const float *x)
{
    enum { LANES = 8 };
    double sums[LANES] = {0}, sum = 0.0;
    int i = 0;
    for (; i + LANES <= o->n; i += LANES) {
        for (int k = 0; k < LANES; k++) {
            sums[k] += o->row[i + k] * x[i + k];
        }
    }
    for (; i < o->n; i++) {
        sum += o->row[i] * x[i];
    }
    for (int k = 0; k < LANES; k++) {
        sum += sums[k];
    }
    return sum;
}

// Takes o->row, less what is in the basis already, as shape number k. False when nothing is left.
static bool add_shape(solver *o, int k)
{
    size_t n = (size_t)o->n;
    double before = 0.0, after = 0.0;
    for (size_t i = 0; i < n; i++) {
        before += o->row[i] * o->row[i];
    }
    for (int pass = 0; pass < 2; pass++) { // the second takes away what rounding left
        for (int j = 0; j < k; j++) {
            double w = dot_row(o, o->b + (size_t)j * n);
            for (size_t i = 0; i < n; i++) {
                o->row[i] -= w * o->b[(size_t)j * n + i];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        after += o->row[i] * o->row[i];
    }
    if (!(after > 1e-14 * before)) {
        return false;
    }
    double unit = 1.0 / sqrt(after);
    float *b = o->b + (size_t)k * n;
    for (size_t i = 0; i < n; i++) {
        o->row[i] *= unit;
        b[i] = (float)o->row[i];
    }
    for (int f = 0; f < o->f; f++) {
        float *r = o->rest + (size_t)f * n;
        double w = dot_row(o, r);
        o->weights[(size_t)f * (size_t)o->most + (size_t)k] = (float)w;
        for (size_t i = 0; i < n; i++) {
            r[i] -= (float)w * b[i];
        }
    }
    return true;
}

static void keep_if_better(solver *o, int count, float error)
{
    bool now = error <= o->tolerance, then = o->best_error <= o->tolerance;
    bool better = now && then ? count < o->best_count : error < o->best_error;
    if (better) {
        o->best_count = count;
        o->best_error = error;
        memcpy(o->best_b, o->b, (size_t)count * (size_t)o->n * sizeof *o->b);
        memcpy(o->best_weights, o->weights, (size_t)o->f * (size_t)o->most * sizeof *o->weights);
    }
}

// --- greedy -----------------------------------------------------------------------------------

static void try_greedy(solver *o)
{
    int count = 0, worst = 0;
    start_over(o);
    float error = find_errors(o, &worst);
    while (count < o->most && error > o->tolerance) {
        const float *r = o->rest + (size_t)worst * (size_t)o->n;
        for (int i = 0; i < o->n; i++) {
            o->row[i] = r[i];
        }
        if (!add_shape(o, count)) {
            break;
        }
        count++;
        error = find_errors(o, &worst);
    }
    keep_if_better(o, count, error);
}

// --- principal components ---------------------------------------------------------------------

static void find_gram(solver *o)
{
    int vertices = o->n / 3, step = (vertices + SAMPLE_VERTICES - 1) / SAMPLE_VERTICES;
    start_over(o);
    for (int a = 0; a < o->s; a++) {
        const float *x = o->rest + (size_t)(a * o->frame_step) * (size_t)o->n;
        for (int c = 0; c <= a; c++) {
            const float *y = o->rest + (size_t)(c * o->frame_step) * (size_t)o->n;
            double sum = 0.0;
            for (int i = 0; i < o->n; i += 3 * step) {
                sum +=
                    (double)x[i] * y[i] + (double)x[i + 1] * y[i + 1] + (double)x[i + 2] * y[i + 2];
            }
            o->gram[(size_t)a * (size_t)o->s + (size_t)c] = sum;
            o->gram[(size_t)c * (size_t)o->s + (size_t)a] = sum;
        }
    }
}

// Computes z = W G W q.
static void apply_gram(const solver *o)
{
    size_t s = (size_t)o->s, m = (size_t)o->m;
    memset(o->z, 0, s * m * sizeof *o->z);
    for (size_t a = 0; a < s; a++) {
        for (size_t c = 0; c < s; c++) {
            double g = o->scale[a] * o->gram[a * s + c] * o->scale[c];
            for (size_t k = 0; k < m; k++) {
                o->z[a * m + k] += g * o->q[c * m + k];
            }
        }
    }
}

// Columns of z become an orthonormal q; those without a direction of their own become zero.
static void orthonormalise(const solver *o)
{
    size_t s = (size_t)o->s, m = (size_t)o->m;
    memcpy(o->q, o->z, s * m * sizeof *o->q);
    for (size_t k = 0; k < m; k++) {
        double before = 0.0, after = 0.0;
        for (size_t a = 0; a < s; a++) {
            before += o->q[a * m + k] * o->q[a * m + k];
        }
        for (size_t j = 0; j < 2 * k; j++) { // twice
            size_t other = j % k;
            double sum = 0.0;
            for (size_t a = 0; a < s; a++) {
                sum += o->q[a * m + k] * o->q[a * m + other];
            }
            for (size_t a = 0; a < s; a++) {
                o->q[a * m + k] -= sum * o->q[a * m + other];
            }
        }
        for (size_t a = 0; a < s; a++) {
            after += o->q[a * m + k] * o->q[a * m + k];
        }
        double unit = after > 1e-20 * before && after > 0.0 ? 1.0 / sqrt(after) : 0.0;
        for (size_t a = 0; a < s; a++) {
            o->q[a * m + k] *= unit;
        }
    }
}

// One Jacobi rotation that makes ritz[p][r] zero; `turn` gathers the eigenvectors.
static void rotate(solver *o, size_t p, size_t r)
{
    size_t m = (size_t)o->m;
    double *h = o->ritz, apr = h[p * m + r];
    if (fabs(apr) <= 1e-15 * sqrt(fabs(h[p * m + p] * h[r * m + r])) || apr == 0.0) {
        return;
    }
    double theta = 0.5 * (h[r * m + r] - h[p * m + p]) / apr;
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (size_t i = 0; i < m; i++) {
        double x = h[i * m + p], y = h[i * m + r];
        h[i * m + p] = c * x - s * y;
        h[i * m + r] = s * x + c * y;
    }
    for (size_t i = 0; i < m; i++) {
        double x = h[p * m + i], y = h[r * m + i];
        h[p * m + i] = c * x - s * y;
        h[r * m + i] = s * x + c * y;
        x = o->turn[i * m + p];
        y = o->turn[i * m + r];
        o->turn[i * m + p] = c * x - s * y;
        o->turn[i * m + r] = s * x + c * y;
    }
}

// Finds eigenvectors within the span of q, largest first: order[k] is a column of `turn`.
static void find_ritz(solver *o, int *order)
{
    size_t s = (size_t)o->s, m = (size_t)o->m;
    apply_gram(o);
    memset(o->ritz, 0, m * m * sizeof *o->ritz);
    memset(o->turn, 0, m * m * sizeof *o->turn);
    for (size_t i = 0; i < m; i++) {
        o->turn[i * m + i] = 1.0;
        for (size_t k = 0; k < m; k++) {
            for (size_t a = 0; a < s; a++) {
                o->ritz[i * m + k] += o->q[a * m + i] * o->z[a * m + k];
            }
        }
    }
    for (int sweep = 0; sweep < 12; sweep++) {
        for (size_t p = 0; p < m; p++) {
            for (size_t r = p + 1; r < m; r++) {
                rotate(o, p, r);
            }
        }
    }
    for (int k = 0; k < o->m; k++) { // sorted by insertion
        double value = o->value[k] = o->ritz[(size_t)k * m + (size_t)k];
        int at = k;
        for (; at > 0 && o->value[order[at - 1]] < value; at--) {
            order[at] = order[at - 1];
        }
        order[at] = k;
    }
}

// Computes o->row = D^T W q turn[column], over all vertices.
static void build_component(solver *o, int column)
{
    size_t m = (size_t)o->m;
    memset(o->row, 0, (size_t)o->n * sizeof *o->row);
    const float *frames = &o->frames[0].x;
    for (int a = 0; a < o->s; a++) {
        double u = 0.0;
        for (size_t k = 0; k < m; k++) {
            u += o->q[(size_t)a * m + k] * o->turn[k * m + (size_t)column];
        }
        u *= o->scale[a];
        const float *x = frames + (size_t)(a * o->frame_step) * (size_t)o->n;
        double *row = o->row;
        for (int i = 0; i < o->n; i++) {
            row[i] += u * (double)(x[i] - frames[i]);
        }
    }
}

static float try_components(solver *o)
{
    enum { ROOM = 1024 };
    int order[ROOM], count = 0, worst = 0;
    for (int i = 0; i < ITERATIONS; i++) {
        apply_gram(o);
        orthonormalise(o);
    }
    find_ritz(o, order);
    start_over(o);
    float error = find_errors(o, &worst);
    for (int k = 0; k < o->m && count < o->most && error > o->tolerance; k++) {
        if (!(o->value[order[k]] > 1e-14 * o->value[order[0]])) {
            break;
        }
        build_component(o, order[k]);
        if (add_shape(o, count)) {
            count++;
            error = find_errors(o, &worst);
        }
    }
    keep_if_better(o, count, error);
    return error;
}

static void try_weighted_components(solver *o)
{
    uint64_t seed = 0x9E3779B97F4A7C15u;
    find_gram(o);
    for (int i = 0; i < o->s; i++) {
        o->scale[i] = 1.0;
    }
    for (size_t i = 0; i < (size_t)o->s * (size_t)o->m; i++) { // any directions, always the same
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        o->q[i] = (double)(int64_t)seed * 0x1p-63;
    }
    for (int round = 0; round < ROUNDS; round++) {
        float error = try_components(o);
        if (error <= o->tolerance) {
            break;
        }
        for (int i = 0; i < o->s; i++) {
            double share = (double)o->errors[i * o->frame_step] / (double)error;
            o->scale[i] = fmax(o->scale[i] * sqrt(share), 1e-3);
        }
    }
}

// --- the whole --------------------------------------------------------------------------------

static bool prepare(solver *o, wri_arena *arena)
{
    size_t f = (size_t)o->f, n = (size_t)o->n, most = (size_t)o->most;
    o->frame_step = (o->f + SAMPLE_FRAMES - 1) / SAMPLE_FRAMES;
    o->s = (o->f + o->frame_step - 1) / o->frame_step;
    o->m = o->most + SPARE < o->s ? o->most + SPARE : o->s;
    size_t s = (size_t)o->s, m = (size_t)o->m;
    struct {
        void *to;
        size_t count, size;
    } arrays[] = {
        {&o->rest, f * n, 4},
        {&o->row, n, 8},
        {&o->b, most * n, 4},
        {&o->weights, f * most, 4},
        {&o->errors, f, 4},
        {&o->best_b, most * n, 4},
        {&o->best_weights, f * most, 4},
        {&o->gram, s * s, 8},
        {&o->scale, s, 8},
        {&o->q, s * m, 8},
        {&o->z, s * m, 8},
        {&o->ritz, m * m, 8},
        {&o->turn, m * m, 8},
        {&o->value, m, 8},
    };
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        void *memory = wri_arena_alloc(arena, arrays[i].count, arrays[i].size);
        if (!memory) {
            return false;
        }
        memcpy(arrays[i].to, &memory, sizeof memory);
    }
    return true;
}

// The least weight of a shape goes into the base, and the range of its weights becomes [0, 1].
static void settle_shape(const solver *o, wri_shapes *out, size_t k)
{
    size_t n = (size_t)o->n, most = (size_t)o->most, count = (size_t)out->count;
    const float *weights = o->best_weights;
    float low = weights[k], high = weights[k];
    for (size_t f = 1; f < (size_t)o->f; f++) {
        low = fminf(low, weights[f * most + k]);
        high = fmaxf(high, weights[f * most + k]);
    }
    float range = high - low;
    float *base = &out->base[0].x, *offset = &out->offsets[0].x + k * n;
    for (size_t i = 0; i < n; i++) {
        offset[i] = o->best_b[k * n + i] * range;
        base[i] += o->best_b[k * n + i] * low;
    }
    for (size_t f = 0; f < (size_t)o->f; f++) {
        float w = range > 0.0f ? (weights[f * most + k] - low) / range : 0.0f;
        out->weights[f * count + k] = wr_clampf(w, 0.0f, 1.0f);
    }
}

static void measure_error(const solver *o, wri_shapes *out)
{
    size_t vertices = (size_t)o->n / 3, count = (size_t)out->count;
    for (size_t f = 0; f < (size_t)o->f; f++) {
        for (size_t i = 0; i < vertices; i++) {
            wr_vec3 p = out->base[i];
            for (size_t k = 0; k < count; k++) {
                p = wr_add_scaled(p, out->weights[f * count + k], out->offsets[k * vertices + i]);
            }
            out->error = fmaxf(out->error, wr_distance(p, o->frames[f * vertices + i]));
        }
    }
}

static bool hand_over(const solver *o, wri_arena *arena, wri_shapes *out)
{
    size_t vertices = (size_t)o->n / 3, count = (size_t)o->best_count;
    out->count = o->best_count;
    out->base = wri_arena_alloc(arena, vertices, sizeof(wr_vec3));
    out->offsets = wri_arena_alloc(arena, count * vertices, sizeof(wr_vec3));
    out->weights = wri_arena_alloc(arena, count * (size_t)o->f, sizeof(float));
    if (!out->base || !out->offsets || !out->weights) {
        return false;
    }
    memcpy(out->base, o->frames, vertices * sizeof(wr_vec3));
    for (size_t k = 0; k < count; k++) {
        settle_shape(o, out, k);
    }
    measure_error(o, out);
    return true;
}

bool wri_shapes_find(const wr_vec3 *frames, int frame_count, int vertex_count, int most,
                     float tolerance, wri_arena *arena, wri_shapes *out, wr_error *error)
{
    WR_ASSERT(frame_count > 0 && vertex_count > 0 && most > 0 && most <= 512);
    solver o = {.frames = frames,
                .f = frame_count,
                .n = 3 * vertex_count,
                .most = most < frame_count ? most : frame_count,
                .tolerance = tolerance,
                .best_error = INFINITY};
    *out = (wri_shapes){0};
    if (vertex_count > INT32_MAX / 3) {
        return wri_fail(error, WR_E_UNSUPPORTED, "a surface with more than 2^31 numbers");
    }
    wri_arena room = wri_arena_create(&arena->allocator);
    bool ok = prepare(&o, &room);
    if (ok) {
        try_greedy(&o);
        try_weighted_components(&o);
        ok = hand_over(&o, arena, out);
    }
    wri_arena_destroy(&room);
    return ok || wri_fail_memory(error, (size_t)frame_count * (size_t)vertex_count * 12);
}
