// skin.c: vertices that hang on nodes or modes, and where they are.
//
// A vertex rides in a tetrahedron; what it was sculpted beyond that joins with the shares of the
// targets' shapes. Vertices of reduced bodies have rows of the basis of their own, four vertices
// side by side, and the details of those targets that have any there: most targets of a figure
// change a part of it.
#include "morph.h"

#include "../math/turn.h"

enum { LANE = 4, GRAIN = 32 };     // vertices of a group; groups of a task
static const float LITTLE = 1e-3f; // a share with which no detail is seen

// --- models -------------------------------------------------------------------------------------

static void put_basis(wr_morph_model *m, int vertex)
{
    const wr_morph_data *d = m->data;
    int r = d->mode_count;
    f4 *basis = m->skin.basis + (ptrdiff_t)(vertex / LANE) * 3 * r;
    const wr_ride *ride = &d->rides[vertex];
    for (int j = 0; j < r; j++) {
        double sum[3] = {0.0};
        for (int i = 0; i < 4; i++) {
            int node = d->tets[4 * ride->element + i];
            const float *U = d->basis + ((ptrdiff_t)node * r + j) * 3;
            for (int k = 0; k < 3; k++) {
                sum[k] += (double)ride->weights[i] * (double)U[k];
            }
        }
        for (int k = 0; k < 3; k++) {
            basis[3 * j + k][vertex % LANE] = (float)sum[k];
        }
    }
}

// What a target has beyond the tetrahedra of a group. False: nothing.
static bool find_detail(const wr_morph_model *m, int group, int target, f4 out[3])
{
    const wr_morph_data *d = m->data;
    bool has_any = false;
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < LANE && LANE * group + i < d->vertex_count; i++) {
        wr_vec3 by = d->details[(ptrdiff_t)target * d->vertex_count + LANE * group + i];
        out[0][i] = by.x, out[1][i] = by.y, out[2][i] = by.z;
        has_any = has_any || by.x != 0.0f || by.y != 0.0f || by.z != 0.0f;
    }
    return has_any;
}

// detail_of NULL: they are counted only.
static int list_details(wr_morph_model *m, int groups)
{
    int count = 0, *begin = m->skin.detail_begin;
    for (int target = 0; target < m->target_count; target++) {
        for (int group = 0; group < groups; group++) {
            f4 by[3];
            if (group % GRAIN == 0) {
                *begin++ = count;
            }
            if (m->data->details && find_detail(m, group, target, by)) {
                if (m->skin.detail_of) {
                    m->skin.detail_of[count] = group;
                    memcpy(m->skin.details[count], by, sizeof by);
                }
                count++;
            }
        }
    }
    *begin = count;
    return count;
}

static bool create_details(wr_morph_model *m, int groups)
{
    size_t blocks = (size_t)m->target_count * (size_t)wri_block_count(groups, GRAIN);
    m->skin.detail_begin = wri_arena_alloc(&m->arena, blocks + 1, sizeof *m->skin.detail_begin);
    size_t count = m->skin.detail_begin ? (size_t)list_details(m, groups) : 0;
    m->skin.details = wri_arena_alloc(&m->arena, count, sizeof *m->skin.details);
    m->skin.detail_of = wri_arena_alloc(&m->arena, count, sizeof *m->skin.detail_of);
    if (!m->skin.detail_begin || !m->skin.details || !m->skin.detail_of) {
        return false;
    }
    list_details(m, groups);
    return true;
}

// Of the 3x3 block of K on the diagonal, its mean.
static void find_nodal(const wr_morph_model *m, int target, double *stiffness)
{
    const wr_morph_data *d = m->data;
    memset(stiffness, 0, (size_t)d->node_count * sizeof *stiffness);
    for (int tet = 0; tet < d->tet_count; tet++) {
        wri_tet t;
        wri_tet_find(d, target, tet, &t);
        for (int a = 0; a < 4; a++) {
            double K[9];
            wri_tet_stiffness(&t, a, a, K);
            stiffness[t.nodes[a]] += m->stiffness * (K[0] + K[4] + K[8]) / 3.0;
        }
    }
}

static void find_compliance(wr_morph_model *m, int target, const double *stiffness)
{
    const wr_morph_data *d = m->data;
    float *out = m->skin.compliance + (ptrdiff_t)target * d->vertex_count;
    for (int v = 0; v < d->vertex_count; v++) {
        double sum = 0.0;
        for (int i = 0; i < 4; i++) {
            int node = d->tets[4 * d->rides[v].element + i];
            double w = (double)d->rides[v].weights[i];
            sum += d->fixed[node] ? 0.0 : w * w / stiffness[node];
        }
        out[v] = (float)sum;
    }
}

bool wri_morph_skin_create(wr_morph_model *m, wr_error *error)
{
    const wr_morph_data *d = m->data;
    int groups = m->is_full ? 0 : (d->vertex_count + LANE - 1) / LANE;
    size_t n = (size_t)d->node_count;
    m->skin.basis = wri_arena_alloc(&m->arena, (size_t)groups * 3 * (size_t)d->mode_count,
                                    sizeof *m->skin.basis);
    m->skin.compliance = wri_arena_alloc(
        &m->arena, (size_t)m->target_count * (size_t)d->vertex_count, sizeof(float));
    double *stiffness = wri_alloc(&m->arena.allocator, n, sizeof *stiffness);
    bool ok = m->skin.basis && create_details(m, groups) && m->skin.compliance && stiffness;
    for (int v = 0; ok && !m->is_full && v < d->vertex_count; v++) {
        put_basis(m, v);
    }
    for (int target = 0; ok && target < m->target_count; target++) {
        find_nodal(m, target, stiffness);
        find_compliance(m, target, stiffness);
    }
    wri_free(&m->arena.allocator, stiffness, n, sizeof *stiffness);
    return ok || wri_fail_memory(error, 0);
}

// --- one vertex ---------------------------------------------------------------------------------

void wri_vertex_displacement(const wri_morph *b, int vertex, const double *q, double out[3])
{
    const wr_morph_model *m = b->model;
    const wr_ride *ride = &m->data->rides[vertex];
    memset(out, 0, 3 * sizeof *out);
    if (!m->is_full) {
        const f4 *basis = m->skin.basis + (ptrdiff_t)(vertex / LANE) * 3 * m->reduced.r;
        double x = 0.0, y = 0.0, z = 0.0;
        for (int j = 0; j < m->reduced.r; j++, basis += 3) {
            x += (double)basis[0][vertex % LANE] * q[j];
            y += (double)basis[1][vertex % LANE] * q[j];
            z += (double)basis[2][vertex % LANE] * q[j];
        }
        out[0] = x, out[1] = y, out[2] = z;
        return;
    }
    for (int i = 0; i < 4; i++) {
        int place = m->full.place_of[m->data->tets[4 * ride->element + i]];
        for (int k = 0; place >= 0 && k < 3; k++) {
            out[k] += (double)ride->weights[i] * q[3 * place + k];
        }
    }
}

void wri_vertex_force(const wri_morph *b, int vertex, const double f[3], double *out)
{
    const wr_morph_model *m = b->model;
    const wr_ride *ride = &m->data->rides[vertex];
    if (!m->is_full) {
        const f4 *basis = m->skin.basis + (ptrdiff_t)(vertex / LANE) * 3 * m->reduced.r;
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < m->reduced.r; j++) {
                out[j] += (double)basis[3 * j + k][vertex % LANE] * f[k];
            }
        }
        return;
    }
    for (int i = 0; i < 4; i++) {
        int place = m->full.place_of[m->data->tets[4 * ride->element + i]];
        for (int k = 0; place >= 0 && k < 3; k++) {
            out[3 * place + k] += (double)ride->weights[i] * f[k];
        }
    }
}

// Where it is in the bind pose, metres.
static void find_shape(const wri_morph *b, int vertex, double out[3])
{
    const wr_morph_data *d = b->model->data;
    wr_vec3 X = d->vertices[vertex];
    wri_vertex_displacement(b, vertex, b->q, out);
    out[0] += (double)X.x, out[1] += (double)X.y, out[2] += (double)X.z;
    for (int i = 0; d->details && i < b->model->target_count; i++) {
        wr_vec3 detail = d->details[(ptrdiff_t)i * d->vertex_count + vertex];
        out[0] += b->shapes[i] * (double)detail.x;
        out[1] += b->shapes[i] * (double)detail.y;
        out[2] += b->shapes[i] * (double)detail.z;
    }
}

typedef struct influence {
    const int *bones;
    const float *weights;
    int count;
} influence;

static influence find_influence(const wri_morph *b, int vertex)
{
    const wr_morph_data *d = b->model->data;
    influence out = {d->vertex_bones + (ptrdiff_t)vertex * WRI_MORPH_BONES,
                     d->vertex_weights + (ptrdiff_t)vertex * WRI_MORPH_BONES, 0};
    while (out.count < WRI_MORPH_BONES && out.weights[out.count] > 0.0f) {
        out.count++;
    }
    return out;
}

void wri_vertex_turn(const wri_morph *b, int vertex, double out[3][3])
{
    influence in = find_influence(b, vertex);
    memset(out, 0, 9 * sizeof(double));
    for (int i = 0; i < in.count; i++) {
        double Q[3][3];
        wri_turn_matrix(b->bones[in.bones[i]].turn, Q);
        for (int k = 0; k < 9; k++) {
            out[k / 3][k % 3] += (double)in.weights[i] * Q[k / 3][k % 3];
        }
    }
}

typedef struct arm {
    double Q[3][3], lever[3]; // of a bone, and from its origin to the vertex, bind pose
} arm;

static arm find_arm(const wri_morph *b, int bone, const double shape[3])
{
    wr_vec3 o = b->model->data->origins[bone];
    arm out = {.lever = {shape[0] - (double)o.x, shape[1] - (double)o.y, shape[2] - (double)o.z}};
    wri_turn_matrix(b->bones[bone].turn, out.Q);
    return out;
}

void wri_vertex_place(const wri_morph *b, int vertex, double out[3])
{
    influence in = find_influence(b, vertex);
    double shape[3], at[3];
    find_shape(b, vertex, shape);
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < in.count; i++) {
        arm a = find_arm(b, in.bones[i], shape);
        wri_apply(WRI_MATRIX(a.Q), a.lever, at);
        for (int k = 0; k < 3; k++) {
            out[k] += (double)in.weights[i] * (b->bones[in.bones[i]].c[k] + at[k]);
        }
    }
}

void wri_vertex_velocity(const wri_morph *b, int vertex, double out[3])
{
    influence in = find_influence(b, vertex);
    double shape[3], own[3];
    find_shape(b, vertex, shape);
    wri_vertex_displacement(b, vertex, b->v, own);
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < in.count; i++) {
        const wri_morph_bone_motion *bone = &b->bones[in.bones[i]];
        arm a = find_arm(b, in.bones[i], shape);
        double v[3];
        wri_cross3(bone->alpha, a.lever, v);
        for (int k = 0; k < 3; k++) {
            v[k] += own[k];
        }
        wri_apply(WRI_MATRIX(a.Q), v, v);
        for (int k = 0; k < 3; k++) {
            out[k] += (double)in.weights[i] * (bone->v[k] + v[k]);
        }
    }
}

// --- all vertices -------------------------------------------------------------------------------

typedef struct drawing {
    const wri_morph *b;
    float q[WR_MORPH_MODES_MAX], v[WR_MORPH_MODES_MAX];
    f4 *rates; // of each bone: what takes a place in the bind pose to its velocity: three columns,
               // then that of 0
    wri_morph_drawn out;
} drawing;

// U q, even and odd modes side by side.
static void find_group(const drawing *draw, int group, const float *q, f4 u[3])
{
    const wri_morph_skin *skin = &draw->b->model->skin;
    int r = draw->b->model->reduced.r, j = 0;
    const f4 *basis = skin->basis + (ptrdiff_t)group * 3 * r;
    f4 x = {0.0f}, y = {0.0f}, z = {0.0f}, x1 = {0.0f}, y1 = {0.0f}, z1 = {0.0f};
    for (; j + 2 <= r; j += 2, basis += 6) {
        float a = q[j], b = q[j + 1];
        f4 even = {a, a, a, a}, odd = {b, b, b, b};
        x += even * basis[0], y += even * basis[1], z += even * basis[2];
        x1 += odd * basis[3], y1 += odd * basis[4], z1 += odd * basis[5];
    }
    if (j < r) {
        float a = q[j];
        f4 last = {a, a, a, a};
        x += last * basis[0], y += last * basis[1], z += last * basis[2];
    }
    u[0] = x + x1, u[1] = y + y1, u[2] = z + z1;
}

// What targets have beyond U q in the groups of a block, target by target: the inner loop is long,
// and targets that have no share are left out.
static void add_details(const drawing *draw, int block, f4 (*u)[3])
{
    const wr_morph_model *m = draw->b->model;
    int blocks = wri_block_count((m->data->vertex_count + LANE - 1) / LANE, GRAIN);
    for (int target = 0; target < m->target_count; target++) {
        const int *begin = m->skin.detail_begin + target * blocks + block;
        float a = (float)draw->b->shapes[target];
        f4 share = {a, a, a, a};
        for (int i = begin[0]; fabsf(a) > LITTLE && i < begin[1]; i++) {
            f4 *at = u[m->skin.detail_of[i] - GRAIN * block];
            const f4 *by = m->skin.details[i];
            at[0] += share * by[0], at[1] += share * by[1], at[2] += share * by[2];
        }
    }
}

static void find_group_of_nodes(const drawing *draw, int group, f4 u[3])
{
    int left = draw->b->model->data->vertex_count - LANE * group;
    for (int i = 0; i < LANE && i < left; i++) {
        double shape[3];
        int vertex = LANE * group + i;
        wr_vec3 X = draw->b->model->data->vertices[vertex];
        find_shape(draw->b, vertex, shape);
        u[0][i] = (float)(shape[0] - (double)X.x);
        u[1][i] = (float)(shape[1] - (double)X.y);
        u[2][i] = (float)(shape[2] - (double)X.z);
    }
}

static f4 apply(const f4 columns[3], wr_vec3 at)
{
    f4 x = {at.x, at.x, at.x, at.x}, y = {at.y, at.y, at.y, at.y}, z = {at.z, at.z, at.z, at.z};
    return columns[0] * x + columns[1] * y + columns[2] * z;
}

static wr_vec3 put_in_pose(const wri_morph *b, int vertex, wr_vec3 at)
{
    const wr_morph_data *d = b->model->data;
    const int *bones = d->vertex_bones + (ptrdiff_t)vertex * WRI_MORPH_BONES;
    const float *weights = d->vertex_weights + (ptrdiff_t)vertex * WRI_MORPH_BONES;
    f4 sum = {0.0f};
    for (int i = 0; i < WRI_MORPH_BONES && weights[i] > 0.0f; i++) {
        const f4 *map = b->maps + 4 * (ptrdiff_t)bones[i];
        f4 w = {weights[i], weights[i], weights[i], weights[i]};
        sum += w * (apply(map, at) + map[3]);
    }
    return f4_vec3(sum);
}

// Of a vertex that is at `at` in the bind pose and moves by `own` there.
static wr_vec3 find_velocity(const drawing *draw, int vertex, wr_vec3 at, wr_vec3 own)
{
    const wr_morph_data *d = draw->b->model->data;
    const int *bones = d->vertex_bones + (ptrdiff_t)vertex * WRI_MORPH_BONES;
    const float *weights = d->vertex_weights + (ptrdiff_t)vertex * WRI_MORPH_BONES;
    f4 sum = {0.0f};
    for (int i = 0; i < WRI_MORPH_BONES && weights[i] > 0.0f; i++) {
        const f4 *map = draw->b->maps + 4 * (ptrdiff_t)bones[i];
        const f4 *rate = draw->rates + 4 * (ptrdiff_t)bones[i];
        f4 w = {weights[i], weights[i], weights[i], weights[i]};
        sum += w * (apply(rate, at) + rate[3] + apply(map, own));
    }
    return f4_vec3(sum);
}

static void find_velocities_of_nodes(const drawing *draw, int group, f4 v[3])
{
    int left = draw->b->model->data->vertex_count - LANE * group;
    for (int i = 0; i < LANE && i < left; i++) {
        double own[3];
        wri_vertex_displacement(draw->b, LANE * group + i, draw->b->v, own);
        v[0][i] = (float)own[0], v[1][i] = (float)own[1], v[2][i] = (float)own[2];
    }
}

static void draw_vertex(const drawing *draw, int vertex, wr_vec3 by, wr_vec3 own)
{
    const wri_morph *b = draw->b;
    wr_vec3 X = b->model->data->vertices[vertex];
    wr_vec3 dented = b->is_dented ? wr_add(by, b->dents[vertex]) : by;
    if (draw->out.displacements) {
        draw->out.displacements[vertex] = dented;
    }
    if (draw->out.places) {
        draw->out.places[vertex] = put_in_pose(b, vertex, wr_add(X, dented));
    }
    if (draw->out.velocities) {
        draw->out.velocities[vertex] = find_velocity(draw, vertex, wr_add(X, by), own);
    }
}

static wr_vec3 lane_of(const f4 x[3], int lane)
{
    return wr_v3(x[0][lane], x[1][lane], x[2][lane]);
}

static void draw_block(void *context, int block, int begin, int end)
{
    const drawing *draw = context;
    const wr_morph_model *m = draw->b->model;
    bool moves = draw->out.velocities != NULL;
    f4 u[GRAIN][3], v[GRAIN][3];
    for (int group = begin; group < end; group++) {
        if (m->is_full) {
            find_group_of_nodes(draw, group, u[group - begin]);
        } else {
            find_group(draw, group, draw->q, u[group - begin]);
        }
        if (moves && m->is_full) {
            find_velocities_of_nodes(draw, group, v[group - begin]);
        } else if (moves) {
            find_group(draw, group, draw->v, v[group - begin]);
        }
    }
    if (!m->is_full) {
        add_details(draw, block, u);
    }
    int last = LANE * end < m->data->vertex_count ? LANE * end : m->data->vertex_count;
    for (int i = LANE * begin; i < last; i++) {
        int group = i / LANE - begin;
        draw_vertex(draw, i, lane_of(u[group], i % LANE),
                    moves ? lane_of(v[group], i % LANE) : wr_v3(0.0f, 0.0f, 0.0f));
    }
}

// The velocity of a place x on a bone is c' + Q (alpha x (x - o)).
static void find_rates(const wri_morph *b, f4 *rates)
{
    for (int i = 0; i < b->model->data->bone_count; i++, rates += 4) {
        const wri_morph_bone_motion *bone = &b->bones[i];
        wr_vec3 o = b->model->data->origins[i];
        const f4 *map = b->maps + 4 * (ptrdiff_t)i;
        wr_vec3 alpha = wr_v3((float)bone->alpha[0], (float)bone->alpha[1], (float)bone->alpha[2]);
        for (int k = 0; k < 3; k++) {
            wr_vec3 axis = wr_v3((float)(k == 0), (float)(k == 1), (float)(k == 2));
            rates[k] = apply(map, wr_cross(alpha, axis));
        }
        rates[3] = (f4){(float)bone->v[0], (float)bone->v[1], (float)bone->v[2], 0.0f};
        rates[3] -= apply(map, wr_cross(alpha, o));
    }
}

void wri_morph_draw(const wri_morph *b, const wr_tasks *tasks, wri_morph_drawn out)
{
    f4 rates[4 * WR_MORPH_BONES_MAX];
    drawing draw = {.b = b, .rates = rates, .out = out};
    const wr_morph_model *m = b->model;
    for (int j = 0; !m->is_full && j < m->reduced.r; j++) {
        draw.q[j] = (float)b->q[j];
        draw.v[j] = (float)b->v[j];
    }
    if (out.velocities) {
        find_rates(b, rates);
    }
    wri_parallel_for(tasks, (m->data->vertex_count + LANE - 1) / LANE, GRAIN, draw_block, &draw);
}

void wr_morph_positions(const wr_morph_world *world, int body, const wr_tasks *tasks, wr_vec3 *out)
{
    wri_morph_draw(wri_morph_of(world, body), tasks, (wri_morph_drawn){.places = out});
}

void wr_morph_displacements(const wr_morph_world *world, int body, const wr_tasks *tasks,
                            wr_vec3 *out)
{
    wri_morph_draw(wri_morph_of(world, body), tasks, (wri_morph_drawn){.displacements = out});
}

wr_vec3 wr_morph_position(const wr_morph_world *world, int body, int vertex)
{
    double x[3];
    wri_vertex_place(wri_morph_of(world, body), vertex, x);
    return wr_v3((float)x[0], (float)x[1], (float)x[2]);
}

wr_vec3 wr_morph_velocity(const wr_morph_world *world, int body, int vertex)
{
    double v[3];
    wri_vertex_velocity(wri_morph_of(world, body), vertex, v);
    return wr_v3((float)v[0], (float)v[1], (float)v[2]);
}
