// global.c: one blend for the whole body.
//
// Rotations blend by the spherical mean: S. Buss, J. Fillmore. Spherical averages and applications
// to spherical splines and interpolation. ACM Trans. Graph. 20(2), 2001, algorithm A1, which is
// slerp between two and the mean angle in the plane. Stretch and offsets are linear. Symbols: u
// rest position, c pivot, W skinning weights, E the blend, R and S rotation and stretch of a
// handle, T folded offsets (skin.h):
//     x = u + sum_b W_b (R_b S_b - I)(u - c_b) + sum_e E_e T_e                          (a)
#include "skin.h"

#include "../math/elementary.h"

enum { GRAIN = 256, MEAN_STEPS = 12 };

typedef struct dquat {
    double x, y, z, w;
} dquat;

static double dot4(dquat a, dquat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static dquat add_scaled(dquat a, double s, dquat b)
{
    return (dquat){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}

static dquat normalize4(dquat q)
{
    double length = sqrt(dot4(q, q));
    return length > 1e-12 ? add_scaled((dquat){0}, 1.0 / length, q) : (dquat){0, 0, 0, 1};
}

// Returns the tangent at p that leads to q along the sphere, as long as the arc.
static dquat log_at(dquat p, dquat q)
{
    double c = dot4(p, q);
    dquat along = add_scaled(q, -c, p);
    double s = sqrt(dot4(along, along));
    return s > 1e-12 ? add_scaled((dquat){0}, wri_atan2_fine(s, c) / s, along) : (dquat){0};
}

static dquat exp_at(dquat p, dquat t)
{
    double length = sqrt(dot4(t, t));
    if (!(length > 1e-15)) {
        return p;
    }
    double sine, cosine; // length is an arc: pi at most
    wri_sin_cos_fine(length, &sine, &cosine);
    dquat q = add_scaled((dquat){0}, cosine, p);
    return normalize4(add_scaled(q, sine / length, t));
}

// Returns the mean rotation of one handle over all examples (Buss and Fillmore, A1).
static wr_quat mean_rotation(const wr_skin *skin, int handle, const float *blend)
{
    int E = skin->info.example_count, B = skin->info.handle_count;
    dquat mean = {0};
    double sum = 0.0;
    for (int e = 0; e < E; e++) {
        wr_quat q = skin->poses[e * B + handle].rotation;
        mean = add_scaled(mean, (double)blend[e], (dquat){q.x, q.y, q.z, q.w});
        sum += (double)blend[e];
    }
    mean = normalize4(mean);
    for (int i = 0; sum > 0.0 && i < MEAN_STEPS; i++) {
        dquat step = {0};
        for (int e = 0; e < E; e++) {
            wr_quat q = skin->poses[e * B + handle].rotation;
            if (blend[e] != 0.0f) {
                dquat to = log_at(mean, (dquat){q.x, q.y, q.z, q.w});
                step = add_scaled(step, (double)blend[e] / sum, to);
            }
        }
        mean = exp_at(mean, step);
        if (dot4(step, step) < 1e-24) {
            break;
        }
    }
    return (wr_quat){(float)mean.x, (float)mean.y, (float)mean.z, (float)mean.w};
}

// Returns the map of a handle: exactly the identity for the rest shape, whose handles must not move
// by a rounding.
static wr_mat34 handle_map(const wr_skin *skin, int handle, const float *blend)
{
    int E = skin->info.example_count, B = skin->info.handle_count;
    double s[6] = {0}, d[3] = {0};
    for (int e = 0; e < E; e++) {
        const wr_handle_pose *pose = &skin->poses[e * B + handle];
        for (int k = 0; k < 6; k++) {
            s[k] += (double)blend[e] * (double)pose->stretch[k];
        }
        d[0] += (double)blend[e] * (double)pose->offset.x;
        d[1] += (double)blend[e] * (double)pose->offset.y;
        d[2] += (double)blend[e] * (double)pose->offset.z;
    }
    const double stretch[3][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
    wr_mat3 r = wr_mat3_from_quat(mean_rotation(skin, handle, blend));
    wr_vec3 c = skin->pivots[handle];
    const double pivot[3] = {(double)c.x, (double)c.y, (double)c.z};
    wr_mat34 map;
    for (int i = 0; i < 3; i++) {
        double at = pivot[i] + d[i];
        for (int j = 0; j < 3; j++) {
            double m = (double)r.m[i][0] * stretch[0][j] + (double)r.m[i][1] * stretch[1][j] +
                       (double)r.m[i][2] * stretch[2][j];
            map.m[i][j] = (float)m;
            at -= m * pivot[j];
        }
        map.m[i][3] = (float)at;
    }
    return map;
}

typedef struct global_context {
    const wr_skin *skin;
    const float *blend;
    const wr_mat34 *maps;
    wr_vec3 *x;
} global_context;

static void skin_group(const global_context *ctx, int group, wri_lanes x[3])
{
    const wr_skin *skin = ctx->skin;
    int count = skin->info.example_count;
    const wri_lanes *u = &skin->rest[3 * (size_t)group];
    const wri_lanes *folded = &skin->folded[3 * (size_t)group * (size_t)(count - 1)];
    wri_lanes d[3] = {{0}, {0}, {0}};
    for (int e = 1; e < count; e++, folded += 3) {
        d[0] += ctx->blend[e] * folded[0];
        d[1] += ctx->blend[e] * folded[1];
        d[2] += ctx->blend[e] * folded[2];
    }
    for (int k = skin->entry_begin[group]; k < skin->entry_begin[group + 1]; k++) {
        const wri_turning_handle *handle = &skin->turning[skin->entry_handles[k]];
        const wr_mat34 *m = &ctx->maps[handle->index];
        wri_lanes v[3], w = skin->entry_weights[k];
        for (int i = 0; i < 3; i++) {
            v[i] = u[i] - handle->pivot[i];
        }
        d[0] += w * ((m->m[0][0] - 1.0f) * v[0] + m->m[0][1] * v[1] + m->m[0][2] * v[2]);
        d[1] += w * (m->m[1][0] * v[0] + (m->m[1][1] - 1.0f) * v[1] + m->m[1][2] * v[2]);
        d[2] += w * (m->m[2][0] * v[0] + m->m[2][1] * v[1] + (m->m[2][2] - 1.0f) * v[2]);
    }
    for (int i = 0; i < 3; i++) {
        x[i] = u[i] + d[i];
    }
}

static void blend_groups(void *context, int block, int begin, int end)
{
    (void)block;
    const global_context *ctx = context;
    for (int g = begin; g < end; g++) {
        wri_lanes x[3];
        skin_group(ctx, g, x);
        for (int k = 0; k < WRI_LANES && WRI_LANES * g + k < ctx->skin->info.vertex_count; k++) {
            ctx->x[ctx->skin->order[WRI_LANES * g + k]] = wr_v3(x[0][k], x[1][k], x[2][k]);
        }
    }
}

void wr_skin_blend(const wr_skin *skin, const float *blend, const wr_tasks *tasks,
                   wr_mat34 *transforms, wr_vec3 *x)
{
    for (int b = 0; b < skin->info.handle_count; b++) {
        transforms[b] = handle_map(skin, b, blend);
    }
    if (x) {
        global_context ctx = {skin, blend, transforms, x};
        wri_parallel_for(tasks, skin->group_count, GRAIN, blend_groups, &ctx);
    }
}
