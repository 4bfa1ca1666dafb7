// morph_space.c: the space of poses, and shares of targets as functions on it.  thesis 5.1.3
//
// Descriptors of the targets' poses lie in a space of few dimensions: their principal axes. There
// the shares are radial basis functions with a constant. For phi(r) = r the matrix is conditionally
// negative, so that smoothing (J. Carr et al.: Reconstruction and representation of 3D objects with
// radial basis functions, SIGGRAPH 2001) is subtracted from its diagonal:
//
//     [Phi - rho I  1] [w]   [I]
//     [1'           0] [c] = [0]                                                    eq. 5.3
#include "morph_modes.h"

#include "eigen.h"

static const double NO_AXIS = 1e-8; // of the largest variance
static const double NEAR = 1e-4;    // radians, roughly: poses that are one

static bool check_distances(const wri_morph_builder *b, const double *descriptors, int width,
                            wr_error *error)
{
    for (int i = 0; i < b->data->target_count; i++) {
        for (int j = 0; j < i; j++) {
            double square = 0.0;
            for (int k = 0; k < width; k++) {
                double by = descriptors[i * width + k] - descriptors[j * width + k];
                square += by * by;
            }
            if (!(square > NEAR * NEAR)) {
                return wri_fail(error, WR_E_ARGUMENT,
                                "targets \"%.80s\" and \"%.80s\" belong to one pose: nothing "
                                "says which of them is meant there",
                                b->data->names[j], b->data->names[i]);
            }
        }
    }
    return true;
}

// Principal axes from products of the descriptors, less their mean: at most one less than targets.
static bool find_axes(wri_morph_builder *b, double *descriptors, int width, wr_error *error)
{
    wr_morph_data *d = b->data;
    int m = d->target_count;
    size_t square = (size_t)m * (size_t)m;
    double *G = wri_arena_alloc(&b->arena, square, sizeof *G);
    double *values = wri_arena_alloc(&b->arena, (size_t)m, sizeof *values);
    double *vectors = wri_arena_alloc(&b->arena, square, sizeof *vectors);
    if (!G || !values || !vectors) {
        return wri_fail_memory(error, 0);
    }
    for (int k = 0; k < width; k++) {
        double mean = 0.0;
        for (int i = 0; i < m; i++) {
            mean += descriptors[i * width + k] / m;
        }
        d->space.mean[k] = (float)mean;
        for (int i = 0; i < m; i++) {
            descriptors[i * width + k] -= (double)d->space.mean[k];
        }
    }
    for (int i = 0; i < m * m; i++) {
        for (int k = 0; k < width; k++) {
            G[i] += descriptors[i / m * width + k] * descriptors[i % m * width + k];
        }
    }
    wri_eigen_symmetric(m, G, values, vectors);
    int count = 0;
    while (count < m - 1 && values[count] > NO_AXIS * values[0]) {
        float *axis = d->space.axes + (ptrdiff_t)count * width;
        for (int k = 0; k < width; k++) {
            double sum = 0.0;
            for (int i = 0; i < m; i++) {
                sum += vectors[count * m + i] * descriptors[i * width + k];
            }
            axis[k] = (float)(sum / sqrt(values[count]));
        }
        count++;
    }
    d->space.axis_count = count;
    for (int i = 0; i < m * count; i++) {
        double sum = 0.0;
        for (int k = 0; k < width; k++) {
            sum += descriptors[i / count * width + k] *
                   (double)d->space.axes[(ptrdiff_t)(i % count) * width + k];
        }
        d->space.points[i] = (float)sum;
    }
    return true;
}

static double distance_square(const wr_morph_space *s, int i, int j)
{
    double square = 0.0;
    for (int k = 0; k < s->axis_count; k++) {
        double by =
            (double)s->points[i * s->axis_count + k] - (double)s->points[j * s->axis_count + k];
        square += by * by;
    }
    return square;
}

// Gauss-Jordan with the largest pivot; A has 2 size columns, the right half becomes the inverse.
static bool invert(double *A, int size)
{
    int width = 2 * size;
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int i = k + 1; i < size; i++) {
            best = fabs(A[i * width + k]) > fabs(A[best * width + k]) ? i : best;
        }
        if (!(fabs(A[best * width + k]) > 1e-13)) {
            return false;
        }
        for (int j = 0; j < width; j++) {
            double x = A[k * width + j];
            A[k * width + j] = A[best * width + j];
            A[best * width + j] = x;
        }
        double pivot = A[k * width + k];
        for (int j = 0; j < width; j++) {
            A[k * width + j] /= pivot;
        }
        for (int i = 0; i < size; i++) {
            double share = A[i * width + k];
            for (int j = 0; i != k && j < width; j++) {
                A[i * width + j] -= share * A[k * width + j];
            }
        }
    }
    return true;
}

static bool find_cardinal(wri_morph_builder *b, wr_error *error)
{
    wr_morph_space *s = &b->data->space;
    int m = b->data->target_count, size = m + 1, width = 2 * size;
    double *A = wri_arena_alloc(&b->arena, (size_t)(size * width), sizeof *A), mean = 0.0;
    if (!A) {
        return wri_fail_memory(error, 0);
    }
    for (int i = 0; i < m * m; i++) {
        mean += i / m == i % m ? 0.0 : sqrt(distance_square(s, i / m, i % m)) / (m * (m - 1));
    }
    s->rounding = (float)((double)b->desc->rounding * mean);
    for (int i = 0; i < size; i++) {
        A[i * width + size + i] = 1.0;
        for (int j = 0; j < m && i < m; j++) {
            A[i * width + j] = wri_space_kernel(distance_square(s, i, j), (double)s->rounding);
        }
        A[i * width + m] = A[m * width + i] = i < m ? 1.0 : 0.0;
        if (i < m) {
            A[i * width + i] -= (double)b->desc->smoothing * mean;
        }
    }
    if (!invert(A, size)) {
        return wri_fail(error, WR_E_ARGUMENT, "the poses of the targets cannot be told apart");
    }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < size; k++) { // the inverse is symmetric
            s->cardinal[i * size + k] = (float)A[i * width + size + k];
        }
    }
    return true;
}

bool wri_morph_find_space(wri_morph_builder *b, wr_error *error)
{
    wr_morph_data *d = b->data;
    int m = d->target_count, width = 6 * d->bone_count + d->space.scalar_count;
    double *descriptors = wri_arena_alloc(&b->arena, (size_t)(m * width), sizeof *descriptors);
    wr_pose *bind = wri_arena_alloc(&b->arena, (size_t)d->bone_count, sizeof *bind);
    if (!descriptors || !bind) {
        return wri_fail_memory(error, 0);
    }
    for (int i = 0; i < d->bone_count; i++) {
        bind[i] = WR_POSE_IDENTITY;
    }
    if (m == 1) {
        d->space.axis_count = 0;
        d->space.cardinal[1] = 1.0f;
        return true;
    }
    for (int i = 0; i < m; i++) {
        const wri_morph_target *target = &b->desc->targets[i];
        wri_space_describe(d, target->poses ? target->poses : bind, target->scalars,
                           descriptors + (ptrdiff_t)i * width);
    }
    return check_distances(b, descriptors, width, error) &&
           find_axes(b, descriptors, width, error) && find_cardinal(b, error);
}
