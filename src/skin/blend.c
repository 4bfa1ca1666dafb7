// blend.c: positions and their derivatives for a blend that varies from vertex to vertex.
//
// After Jones et al. 2016: linear blend skinning (eq. 1), of which offsets are blended linearly
// (eq. 2) and rotations by QLERP (eq. 3), and J (eq. 5); with rotations about the handles' pivots.
// Symbols: u rest position, W skinning weights, E blend weights, x position, J = dx/dE, c pivot,
// T_e folded offsets of example e (skin.h), R the rotation of a handle's blended quaternion (r, w),
// which is not normalised. With n = |r|^2 + w^2 and v = u - c:
//     D = (R - I) v = 2 (w a + r x a) / n,   a = r x v                                  (a)
// so a normalised blend costs one division and no root, and what does not turn is exactly zero:
//     x = u + sum_b W_b D_b + sum_e E_e T_e                                             (b)
// The derivatives of D by the quaternion are
//     by w:    2 (a - w D) / n                                                          (c)
//     by r_k:  2 (w e_k x v + e_k (r . v) + r v_k - 2 r_k v - r_k D) / n                (d)
// and those by E_e follow with the quaternion of example e, kept as identity + turn: the identity's
// part is the same for all examples and summed once.                                    (e)
#include "skin.h"

enum { GRAIN = 64 }; // groups; list entries a quarter group each

// Added to n against a blend of half turns that cancel: there is no rotation then.
static const float LEAST = 1e-30f;

typedef struct blend_context {
    const wr_skin *skin;
    const float *E;
    const int *vertices; // NULL: all
    wr_vec3 *x;
    float *J;
} blend_context;

typedef struct vec3_lanes {
    wri_lanes x, y, z;
} vec3_lanes;

typedef struct quat_lanes {
    wri_lanes x, y, z, w;
} quat_lanes;

// Transposes the four rows of a group; returns their sums.
static wri_lanes load_rows(const wr_skin *skin, const float *E, int group, wri_lanes *e)
{
    int count = skin->info.example_count;
    const int *order = &skin->order[WRI_LANES * group];
    const float *row[WRI_LANES];
    for (int k = 0; k < WRI_LANES; k++) {
        row[k] = &E[(size_t)order[k] * (size_t)count];
    }
    wri_lanes sum = {0};
    for (int i = 0; i < count; i++) {
        e[i] = (wri_lanes){row[0][i], row[1][i], row[2][i], row[3][i]};
        sum += e[i];
    }
    return sum;
}

// Blends the quaternions of a handle, sum_e E_e q_e, without normalising (eq. 3).
static inline quat_lanes blend_turns(const wr_skin *skin, const wri_turning_handle *handle,
                                     const wri_lanes *e, wri_lanes sum)
{
    quat_lanes q = {{0}, {0}, {0}, sum};
    const wri_turn *turn = &skin->turns[handle->turn_begin];
    const int *example = &skin->turn_examples[handle->turn_begin];
    for (int i = 0; i < handle->turn_count; i++) {
        wri_lanes s = e[example[i]];
        q.x += s * turn[i].x;
        q.y += s * turn[i].y;
        q.z += s * turn[i].z;
        q.w += s * turn[i].w;
    }
    return q;
}

static inline wri_lanes squares(quat_lanes q)
{
    return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w + LEAST;
}

static inline vec3_lanes cross(quat_lanes r, vec3_lanes v)
{
    return (vec3_lanes){r.y * v.z - r.z * v.y, r.z * v.x - r.x * v.z, r.x * v.y - r.y * v.x};
}

// --- positions --------------------------------------------------------------------------------

// Computes x by eq. 3 in the form (b).
static vec3_lanes skin_group(const wr_skin *skin, const float *E, int group)
{
    wri_lanes e[WR_SKIN_EXAMPLES_MAX];
    wri_lanes sum = load_rows(skin, E, group, e);
    int count = skin->info.example_count;
    const wri_lanes *u = &skin->rest[3 * (size_t)group];
    const wri_lanes *folded = &skin->folded[3 * (size_t)group * (size_t)(count - 1)];
    vec3_lanes d = {{0}, {0}, {0}};
    for (int i = 1; i < count; i++, folded += 3) { // eq. 2: offsets blend linearly, sum_e E_e T_e
        d.x += e[i] * folded[0];
        d.y += e[i] * folded[1];
        d.z += e[i] * folded[2];
    }
    for (int k = skin->entry_begin[group]; k < skin->entry_begin[group + 1]; k++) { // eq. 1: sum_b
        const wri_turning_handle *handle = &skin->turning[skin->entry_handles[k]];
        quat_lanes q = blend_turns(skin, handle, e, sum); // eq. 3
        vec3_lanes v = {u[0] - handle->pivot[0], u[1] - handle->pivot[1], u[2] - handle->pivot[2]};
        vec3_lanes a = cross(q, v), b = cross(q, a);
        wri_lanes s = 2.0f * skin->entry_weights[k] / squares(q);
        d.x += s * (q.w * a.x + b.x); // W D, (a)
        d.y += s * (q.w * a.y + b.y);
        d.z += s * (q.w * a.z + b.z);
    }
    return (vec3_lanes){u[0] + d.x, u[1] + d.y, u[2] + d.z};
}

static void positions_of_groups(void *context, int block, int begin, int end)
{
    (void)block;
    const blend_context *ctx = context;
    for (int g = begin; g < end; g++) {
        vec3_lanes x = skin_group(ctx->skin, ctx->E, g);
        for (int k = 0; k < WRI_LANES && WRI_LANES * g + k < ctx->skin->info.vertex_count; k++) {
            ctx->x[ctx->skin->order[WRI_LANES * g + k]] = wr_v3(x.x[k], x.y[k], x.z[k]);
        }
    }
}

// Vertices of the list that follow each other in one group are computed together.
static void positions_of_list(void *context, int block, int begin, int end)
{
    (void)block;
    const blend_context *ctx = context;
    int group = -1;
    vec3_lanes x = {{0}, {0}, {0}};
    for (int i = begin; i < end; i++) {
        int slot = ctx->skin->slots[ctx->vertices[i]], k = slot % WRI_LANES;
        if (slot / WRI_LANES != group) {
            group = slot / WRI_LANES;
            x = skin_group(ctx->skin, ctx->E, group);
        }
        ctx->x[ctx->vertices[i]] = wr_v3(x.x[k], x.y[k], x.z[k]);
    }
}

void wr_skin_positions(const wr_skin *skin, const float *E, const int *vertices, int count,
                       const wr_tasks *tasks, wr_vec3 *x)
{
    blend_context ctx = {skin, E, vertices, x, NULL};
    if (vertices) {
        wri_parallel_for(tasks, count, GRAIN * WRI_LANES, positions_of_list, &ctx);
    } else {
        wri_parallel_for(tasks, skin->group_count, GRAIN, positions_of_groups, &ctx);
    }
}

// --- derivatives ------------------------------------------------------------------------------

static inline vec3_lanes column(wri_lanes s, wri_lanes x, wri_lanes y, wri_lanes z)
{
    return (vec3_lanes){s * x, s * y, s * z};
}

// Computes the weight times the derivatives of D by x, y, z (d) and w (c) of the quaternion.
static inline void differentiate(quat_lanes q, vec3_lanes v, wri_lanes weight, vec3_lanes g[4])
{
    wri_lanes n = squares(q), s = 2.0f * weight / n, t = 2.0f / n;
    vec3_lanes a = cross(q, v), b = cross(q, a);
    vec3_lanes d = {t * (q.w * a.x + b.x), t * (q.w * a.y + b.y), t * (q.w * a.z + b.z)};
    wri_lanes rv = q.x * v.x + q.y * v.y + q.z * v.z;
    vec3_lanes f = {2.0f * v.x + d.x, 2.0f * v.y + d.y, 2.0f * v.z + d.z};
    g[0] = column(s, rv + q.x * v.x - q.x * f.x, q.y * v.x - q.w * v.z - q.x * f.y,
                  q.z * v.x + q.w * v.y - q.x * f.z);
    g[1] = column(s, q.x * v.y + q.w * v.z - q.y * f.x, rv + q.y * v.y - q.y * f.y,
                  q.z * v.y - q.w * v.x - q.y * f.z);
    g[2] = column(s, q.x * v.z - q.w * v.y - q.z * f.x, q.y * v.z + q.w * v.x - q.z * f.y,
                  rv + q.z * v.z - q.z * f.z);
    g[3] = column(s, a.x - q.w * d.x, a.y - q.w * d.y, a.z - q.w * d.z);
}

static inline void add_turn(const wri_turn *t, const vec3_lanes g[4], vec3_lanes *j)
{
    j->x += g[0].x * t->x + g[1].x * t->y + g[2].x * t->z + g[3].x * t->w;
    j->y += g[0].y * t->x + g[1].y * t->y + g[2].y * t->z + g[3].y * t->w;
    j->z += g[0].z * t->x + g[1].z * t->y + g[2].z * t->z + g[3].z * t->w;
}

// Computes J (eq. 5), one column per example, by (c), (d) and (e).
static void differentiate_group(const wr_skin *skin, const float *E, int group, vec3_lanes *J)
{
    wri_lanes e[WR_SKIN_EXAMPLES_MAX];
    wri_lanes sum = load_rows(skin, E, group, e);
    int count = skin->info.example_count;
    const wri_lanes *u = &skin->rest[3 * (size_t)group];
    const wri_lanes *folded = &skin->folded[3 * (size_t)group * (size_t)(count - 1)];
    J[0] = (vec3_lanes){{0}, {0}, {0}};
    for (int i = 1; i < count; i++, folded += 3) {
        J[i] = (vec3_lanes){folded[0], folded[1], folded[2]};
    }
    vec3_lanes shared = {{0}, {0}, {0}};
    for (int k = skin->entry_begin[group]; k < skin->entry_begin[group + 1]; k++) {
        const wri_turning_handle *handle = &skin->turning[skin->entry_handles[k]];
        quat_lanes q = blend_turns(skin, handle, e, sum);
        vec3_lanes v = {u[0] - handle->pivot[0], u[1] - handle->pivot[1], u[2] - handle->pivot[2]};
        vec3_lanes g[4];
        differentiate(q, v, skin->entry_weights[k], g);
        shared.x += g[3].x;
        shared.y += g[3].y;
        shared.z += g[3].z;
        for (int i = handle->turn_begin; i < handle->turn_begin + handle->turn_count; i++) {
            add_turn(&skin->turns[i], g, &J[skin->turn_examples[i]]);
        }
    }
    for (int i = 0; i < count; i++) {
        J[i].x += shared.x;
        J[i].y += shared.y;
        J[i].z += shared.z;
    }
}

static void store_jacobian(const vec3_lanes *J, int lane, int count, float *out)
{
    for (int i = 0; i < count; i++) {
        out[i] = J[i].x[lane];
        out[count + i] = J[i].y[lane];
        out[2 * count + i] = J[i].z[lane];
    }
}

static void jacobians_of_groups(void *context, int block, int begin, int end)
{
    (void)block;
    const blend_context *ctx = context;
    vec3_lanes J[WR_SKIN_EXAMPLES_MAX];
    int count = ctx->skin->info.example_count;
    for (int g = begin; g < end; g++) {
        differentiate_group(ctx->skin, ctx->E, g, J);
        for (int k = 0; k < WRI_LANES && WRI_LANES * g + k < ctx->skin->info.vertex_count; k++) {
            size_t i = (size_t)ctx->skin->order[WRI_LANES * g + k];
            store_jacobian(J, k, count, &ctx->J[3 * i * (size_t)count]);
        }
    }
}

static void jacobians_of_list(void *context, int block, int begin, int end)
{
    (void)block;
    const blend_context *ctx = context;
    vec3_lanes J[WR_SKIN_EXAMPLES_MAX];
    int count = ctx->skin->info.example_count, group = -1;
    for (int i = begin; i < end; i++) {
        int slot = ctx->skin->slots[ctx->vertices[i]];
        if (slot / WRI_LANES != group) {
            group = slot / WRI_LANES;
            differentiate_group(ctx->skin, ctx->E, group, J);
        }
        store_jacobian(J, slot % WRI_LANES, count, &ctx->J[3 * (size_t)i * (size_t)count]);
    }
}

void wr_skin_jacobians(const wr_skin *skin, const float *E, const int *vertices, int count,
                       const wr_tasks *tasks, float *J)
{
    blend_context ctx = {skin, E, vertices, NULL, J};
    if (vertices) {
        wri_parallel_for(tasks, count, GRAIN * WRI_LANES, jacobians_of_list, &ctx);
    } else {
        wri_parallel_for(tasks, skin->group_count, GRAIN, jacobians_of_groups, &ctx);
    }
}
