// space.c: how near a pose is to those of the targets, and what share each of them has.
//
// Shares are cardinal functions of radial basis functions phi(r) = r with a constant, eq. 5.2, 5.3
// so that all coefficients are interpolated with the same few numbers b_i(s), whose sum is 1. They
// may be negative, and a sum of stiffness matrices with negative shares need not be positive:
// stiffness takes max(b, 0), made to have the sum 1 again, which changes nothing at the targets.
#include "morph.h"

static const double FAR = 100.0; // radians, roughly, from the nearest target

static void describe_bone(const wr_morph_data *d, int bone, const wr_pose *poses, double out[6])
{
    int parent = d->parents[bone];
    if (parent < 0) {
        memset(out, 0, 6 * sizeof *out);
        return;
    }
    wr_pose inner = wr_pose_multiply(wr_pose_inverse(poses[parent]), poses[bone]);
    wr_vec3 moved = wr_sub(wr_pose_point(inner, d->origins[bone]), d->origins[bone]);
    wr_quat q = inner.rotation;
    double sign = q.w < 0.0f ? -2.0 : 2.0, length = (double)d->lengths[bone];
    out[0] = (double)moved.x / length, out[1] = (double)moved.y / length;
    out[2] = (double)moved.z / length;
    out[3] = sign * (double)q.x, out[4] = sign * (double)q.y, out[5] = sign * (double)q.z;
}

void wri_space_describe(const wr_morph_data *data, const wr_pose *poses, const float *scalars,
                        double *descriptor)
{
    for (int bone = 0; bone < data->bone_count; bone++) {
        describe_bone(data, bone, poses, descriptor + 6 * bone);
    }
    for (int i = 0; i < data->space.scalar_count; i++) {
        descriptor[6 * data->bone_count + i] =
            scalars ? (double)data->space.scalar_scale[i] * (double)scalars[i] : 0.0;
    }
}

static void project(const wr_morph_data *data, const double *descriptor, double *out)
{
    const wr_morph_space *s = &data->space;
    int size = 6 * data->bone_count + s->scalar_count;
    for (int axis = 0; axis < s->axis_count; axis++) {
        const float *row = s->axes + (ptrdiff_t)axis * size;
        double sum = 0.0;
        for (int i = 0; i < size; i++) {
            sum += (double)row[i] * (descriptor[i] - (double)s->mean[i]);
        }
        out[axis] = sum;
    }
}

double wri_space_kernel(double square, double rounding)
{
    return sqrt(square + rounding * rounding);
}

// Weights of a share have the sum 0, but for rounding: far from all targets it would be multiplied
// by how far that is. What all kernels have in common beyond a reach where this does not matter is
// left out.
static void leave_out_the_far(int target_count, double *kernel)
{
    double nearest = kernel[0];
    for (int i = 1; i < target_count; i++) {
        nearest = fmin(nearest, kernel[i]);
    }
    for (int i = 0; nearest > FAR && i < target_count; i++) {
        kernel[i] -= nearest - FAR;
    }
}

void wri_space_shares(const wr_morph_data *data, int target_count, const double *descriptor,
                      double *of_shapes, double *of_stiffness)
{
    const wr_morph_space *s = &data->space;
    double at[WR_MORPH_TARGETS_MAX], kernel[WR_MORPH_TARGETS_MAX + 1], sum = 0.0;
    of_shapes[0] = of_stiffness[0] = 1.0;
    if (target_count == 1) {
        return;
    }
    project(data, descriptor, at);
    for (int i = 0; i < target_count; i++) {
        double square = 0.0;
        for (int k = 0; k < s->axis_count; k++) {
            double d = at[k] - (double)s->points[i * s->axis_count + k];
            square += d * d;
        }
        kernel[i] = wri_space_kernel(square, (double)s->rounding);
    }
    leave_out_the_far(target_count, kernel);
    kernel[target_count] = 1.0;
    for (int i = 0; i < target_count; i++) {
        const float *row = s->cardinal + (ptrdiff_t)i * (target_count + 1);
        of_shapes[i] = 0.0;
        for (int k = 0; k <= target_count; k++) {
            of_shapes[i] += (double)row[k] * kernel[k];
        }
        of_stiffness[i] = of_shapes[i] > 0.0 ? of_shapes[i] : 0.0;
        sum += of_stiffness[i];
    }
    for (int i = 0; i < target_count; i++) {
        of_stiffness[i] /= sum;
    }
}
