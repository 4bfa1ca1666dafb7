// skin.c: vertices that hang on nodes or modes, and where they are.
//
// A vertex rides in a tetrahedron; what it was sculpted beyond that joins with the shares of the
// targets' shapes. Vertices of reduced bodies have rows of the basis of their own, four vertices
// side by side.
#include "morph.h"

#include "../math/turn.h"

enum { LANE = 4, GRAIN = 32 }; // vertices of a group; groups of a task

// --- models -------------------------------------------------------------------------------------

static void put_basis(wr_morph_model *m, int vertex)
{
    const wr_morph_data *d = m->data;
    int r = d->mode_count, columns = m->skin.column_count;
    f4 *basis = m->skin.basis + (ptrdiff_t)(vertex / LANE) * 3 * columns;
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
    for (int j = r; j < columns; j++) {
        wr_vec3 detail = d->details[(ptrdiff_t)m->skin.detailed[j - r] * d->vertex_count + vertex];
        basis[3 * j][vertex % LANE] = detail.x;
        basis[3 * j + 1][vertex % LANE] = detail.y;
        basis[3 * j + 2][vertex % LANE] = detail.z;
        bool has_any = detail.x != 0.0f || detail.y != 0.0f || detail.z != 0.0f;
        m->skin.is_detailed[vertex / LANE] = m->skin.is_detailed[vertex / LANE] || has_any;
    }
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

static void list_detailed(wr_morph_model *m)
{
    const wr_morph_data *d = m->data;
    int count = 0;
    for (int target = 0; d->details && target < m->target_count; target++) {
        const wr_vec3 *detail = d->details + (ptrdiff_t)target * d->vertex_count;
        bool has_any = false;
        for (int v = 0; v < d->vertex_count; v++) {
            has_any = has_any || detail[v].x != 0.0f || detail[v].y != 0.0f || detail[v].z != 0.0f;
        }
        if (has_any) {
            m->skin.detailed[count++] = target;
        }
    }
    m->skin.column_count = d->mode_count + count;
}

bool wri_morph_skin_create(wr_morph_model *m, wr_error *error)
{
    const wr_morph_data *d = m->data;
    size_t groups = ((size_t)d->vertex_count + LANE - 1) / LANE;
    list_detailed(m);
    size_t numbers = m->is_full ? 0 : groups * 3 * (size_t)m->skin.column_count;
    size_t n = (size_t)d->node_count;
    m->skin.basis = wri_arena_alloc(&m->arena, numbers, sizeof *m->skin.basis);
    m->skin.is_detailed = wri_arena_alloc(&m->arena, groups, sizeof *m->skin.is_detailed);
    m->skin.compliance = wri_arena_alloc(
        &m->arena, (size_t)m->target_count * (size_t)d->vertex_count, sizeof(float));
    double *stiffness = wri_alloc(&m->arena.allocator, n, sizeof *stiffness);
    bool ok = m->skin.basis && m->skin.is_detailed && m->skin.compliance && stiffness;
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
        const f4 *basis = m->skin.basis + (ptrdiff_t)(vertex / LANE) * 3 * m->skin.column_count;
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < m->reduced.r; j++) {
                out[k] += (double)basis[3 * j + k][vertex % LANE] * q[j];
            }
        }
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
        const f4 *basis = m->skin.basis + (ptrdiff_t)(vertex / LANE) * 3 * m->skin.column_count;
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

enum { COLUMNS = WR_MORPH_MODES_MAX + WR_MORPH_TARGETS_MAX };

typedef struct drawing {
    const wri_morph *b;
    float factors[COLUMNS]; // of the basis: q and the shares of shapes
    bool is_posed;          // in the world, not in the bind pose
    wr_vec3 *out;
} drawing;

// Adds columns of three coordinates, even and odd ones side by side.
static void add_columns(const f4 *basis, int columns, const float *factors, f4 u[3])
{
    f4 x = u[0], y = u[1], z = u[2], x1 = {0.0f}, y1 = {0.0f}, z1 = {0.0f};
    int j = 0;
    for (; j + 2 <= columns; j += 2, basis += 6) {
        float a = factors[j], b = factors[j + 1];
        f4 even = {a, a, a, a}, odd = {b, b, b, b};
        x += even * basis[0], y += even * basis[1], z += even * basis[2];
        x1 += odd * basis[3], y1 += odd * basis[4], z1 += odd * basis[5];
    }
    if (j < columns) {
        float a = factors[j];
        f4 last = {a, a, a, a};
        x += last * basis[0], y += last * basis[1], z += last * basis[2];
    }
    u[0] = x + x1, u[1] = y + y1, u[2] = z + z1;
}

static void find_group(const drawing *draw, int group, f4 u[3])
{
    const wri_morph_skin *skin = &draw->b->model->skin;
    int r = draw->b->model->reduced.r;
    const f4 *basis = skin->basis + (ptrdiff_t)group * 3 * skin->column_count;
    memset(u, 0, 3 * sizeof *u);
    add_columns(basis, r, draw->factors, u);
    if (skin->is_detailed[group]) {
        add_columns(basis + 3 * r, skin->column_count - r, draw->factors + r, u);
    }
}

static void find_group_of_nodes(const drawing *draw, int group, int count, f4 u[3])
{
    memset(u, 0, 3 * sizeof *u);
    for (int i = 0; i < count; i++) {
        double shape[3];
        int vertex = LANE * group + i;
        wr_vec3 X = draw->b->model->data->vertices[vertex];
        find_shape(draw->b, vertex, shape);
        u[0][i] = (float)(shape[0] - (double)X.x);
        u[1][i] = (float)(shape[1] - (double)X.y);
        u[2][i] = (float)(shape[2] - (double)X.z);
    }
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
        f4 x = {at.x, at.x, at.x, at.x}, y = {at.y, at.y, at.y, at.y};
        f4 z = {at.z, at.z, at.z, at.z};
        sum += w * (map[0] * x + map[1] * y + map[2] * z + map[3]);
    }
    return f4_vec3(sum);
}

static void draw_groups(void *context, int block, int begin, int end)
{
    (void)block;
    const drawing *draw = context;
    const wr_morph_model *m = draw->b->model;
    for (int group = begin; group < end; group++) {
        int first = LANE * group, left = m->data->vertex_count - first;
        int count = left < LANE ? left : LANE;
        f4 u[3];
        if (m->is_full) {
            find_group_of_nodes(draw, group, count, u);
        } else {
            find_group(draw, group, u);
        }
        for (int i = 0; i < count; i++) {
            wr_vec3 by = {u[0][i], u[1][i], u[2][i]};
            by = draw->b->is_dented ? wr_add(by, draw->b->dents[first + i]) : by;
            draw->out[first + i] =
                draw->is_posed
                    ? put_in_pose(draw->b, first + i, wr_add(m->data->vertices[first + i], by))
                    : by;
        }
    }
}

static void draw_all(const wri_morph *b, bool is_posed, const wr_tasks *tasks, wr_vec3 *out)
{
    drawing draw = {.b = b, .is_posed = is_posed, .out = out};
    const wr_morph_model *m = b->model;
    for (int j = 0; !m->is_full && j < m->skin.column_count; j++) {
        int r = m->reduced.r;
        draw.factors[j] = (float)(j < r ? b->q[j] : b->shapes[m->skin.detailed[j - r]]);
    }
    wri_parallel_for(tasks, (m->data->vertex_count + LANE - 1) / LANE, GRAIN, draw_groups, &draw);
}

void wr_morph_positions(const wr_morph_world *world, int body, const wr_tasks *tasks, wr_vec3 *out)
{
    draw_all(wri_morph_of(world, body), true, tasks, out);
}

void wr_morph_displacements(const wr_morph_world *world, int body, const wr_tasks *tasks,
                            wr_vec3 *out)
{
    draw_all(wri_morph_of(world, body), false, tasks, out);
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
