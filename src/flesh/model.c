// model.c: what does not change of a body of flesh: masses, stiffness, the factor of its system,
// and how bones and skin answer to each other.
//
// A step solves, with A = (1 + a dt) M_s + (b dt + dt^2) K,                        thesis eq. 4.18
//
//     [M_b    M_bs] [dv_b]   [dt F_b]
//     [M_bs^T A   ] [dv_s] = [dt F_s]
//
// whose Schur complement M_b - M_bs Y, Y = A^-1 M_bs^T, is exact (eq. 4.23) and constant, since the
// levers are those at rest: 6 k solves at creation instead of the block diagonal of eq. 4.24.
#include "flesh.h"

#include "../math/dense.h"

#include <stdlib.h>

static const double CORE_LEAST = 0.1;     // of the mass of a bone and its skin: how light a core is
static const float REACH_LEAST = 1e-3f;   // of Y, where several bones share a skin

// --- in the order of elimination --------------------------------------------------------------

static bool copy_skin(wri_flesh_model *m, const wri_flesh_model_desc *desc, const wri_layer *layer,
                      const int *order)
{
    const wri_layer_desc *d = &desc->layer;
    size_t n = (size_t)d->node_count, triangles = (size_t)d->triangle_count;
    m->node_of = wri_arena_alloc(&m->arena, n, sizeof *m->node_of);
    m->rest = wri_arena_alloc(&m->arena, n, sizeof *m->rest);
    m->mass = wri_arena_alloc(&m->arena, n, sizeof *m->mass);
    m->bone_ids = wri_arena_alloc(&m->arena, n * WRI_FLESH_BONES, sizeof *m->bone_ids);
    m->weights = wri_arena_alloc(&m->arena, n * WRI_FLESH_BONES, sizeof *m->weights);
    m->triangles = wri_arena_alloc(&m->arena, 3 * triangles, sizeof *m->triangles);
    if (!m->node_of || !m->rest || !m->mass || !m->bone_ids || !m->weights || !m->triangles) {
        return false;
    }
    for (int k = 0; k < d->node_count; k++) {
        int from = order[k];
        wr_vec3 at = d->skin[from];
        m->node_of[from] = k;
        m->rest[k] = (f4){at.x, at.y, at.z, wr_distance(at, d->core[from])};
        m->mass[k] = layer->mass[from];
        m->weights[k * WRI_FLESH_BONES] = 1.0f;
        if (desc->bone_ids) {
            memcpy(&m->bone_ids[k * WRI_FLESH_BONES], &desc->bone_ids[from * WRI_FLESH_BONES],
                   WRI_FLESH_BONES * sizeof *m->bone_ids);
            memcpy(&m->weights[k * WRI_FLESH_BONES], &desc->weights[from * WRI_FLESH_BONES],
                   WRI_FLESH_BONES * sizeof *m->weights);
        }
    }
    for (size_t i = 0; i < 3 * triangles; i++) {
        m->triangles[i] = m->node_of[d->triangles[i]];
    }
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static bool permute_stiffness(wri_flesh_model *m, const wri_blocks *K, const int *order)
{
    size_t count = (size_t)K->begin[K->count];
    m->K = (wri_blocks){m->node_count,
                        wri_arena_alloc(&m->arena, (size_t)m->node_count + 1, sizeof(int)),
                        wri_arena_alloc(&m->arena, count, sizeof(int)),
                        wri_arena_alloc(&m->arena, count, sizeof *m->K.value)};
    int(*row)[2] = wri_alloc(&m->arena.allocator, (size_t)m->node_count, sizeof *row);
    bool ok = row && m->K.begin && m->K.column && m->K.value;
    for (int k = 0, end = 0; ok && k < m->node_count; k++) {
        int from = K->begin[order[k]], length = K->begin[order[k] + 1] - from;
        for (int e = 0; e < length; e++) {
            row[e][0] = m->node_of[K->column[from + e]];
            row[e][1] = from + e;
        }
        qsort(row, (size_t)length, sizeof *row, compare_places);
        for (int e = 0; e < length; e++, end++) {
            m->K.column[end] = row[e][0];
            memcpy(m->K.value[end], K->value[row[e][1]], sizeof *m->K.value);
        }
        m->K.begin[k + 1] = end;
    }
    wri_free(&m->arena.allocator, row, (size_t)m->node_count, sizeof *row);
    return ok;
}

// --- masses -----------------------------------------------------------------------------------

// 3 x 6: what a bone's increments (da, dalpha) do at the lever r: [I, -r~].
static void lever_matrix(const double r[3], double L[3][6])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            L[i][j] = i == j;
            int k = 3 - i - j; // where i != j
            L[i][3 + j] = i == j ? 0.0 : (j == (i + 1) % 3 ? r[k] : -r[k]);
        }
    }
}

static void lever_of(const wri_flesh_bone *bone, f4 at, double r[3])
{
    for (int k = 0; k < 3; k++) {
        r[k] = (double)at[k] - bone->origin[k];
    }
}

static void add_point(double M[6][6], double mass, const double r[3])
{
    double L[3][6];
    lever_matrix(r, L);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            for (int k = 0; k < 3; k++) {
                M[i][j] += mass * L[k][i] * L[k][j];
            }
        }
    }
}

// Mass and moments about the origin of the bind pose, moved to the bone's own origin.
static void add_moments(double M[6][6], const wri_moments *inner, const double origin[3])
{
    double s[3], trace = 0.0, second[3][3];
    for (int i = 0; i < 3; i++) {
        s[i] = inner->first[i] - inner->mass * origin[i];
        for (int j = 0; j < 3; j++) {
            second[i][j] = inner->second[i][j] - inner->first[i] * origin[j] -
                           origin[i] * inner->first[j] + inner->mass * origin[i] * origin[j];
        }
        trace += second[i][i];
    }
    double L[3][6];
    lever_matrix(s, L);
    for (int i = 0; i < 3; i++) {
        M[i][i] += inner->mass;
        for (int j = 0; j < 3; j++) {
            M[i][3 + j] += L[i][3 + j];
            M[3 + j][i] += L[i][3 + j];
            M[3 + i][3 + j] += (i == j ? trace : 0.0) - second[i][j];
        }
    }
}

// The core keeps at least a tenth, or the condensed system is nearly singular.
static void weigh_core(wri_flesh_bone *bone, double skin)
{
    double (*M)[6] = bone->M;
    double least = CORE_LEAST / (1.0 - CORE_LEAST) * skin;
    double grow = M[0][0] < least && M[0][0] > 0.0 ? least / M[0][0] : 1.0;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            M[i][j] *= grow;
        }
    }
    bone->core_mass = M[0][0];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        bone->core_first[i] = M[j][3 + k]; // where -r~ has r_i
        memcpy(bone->core_inertia[i], &M[3 + i][3], sizeof bone->core_inertia[i]);
    }
}

static bool find_bones(wri_flesh_model *m, const wri_flesh_model_desc *desc, const wri_layer *layer,
                       wr_error *error)
{
    m->bones = wri_arena_alloc(&m->arena, (size_t)m->bone_count, sizeof *m->bones);
    double *skin = wri_arena_alloc(&m->arena, (size_t)m->bone_count, sizeof *skin);
    if (!m->bones || !skin) {
        return wri_fail_memory(error, 0);
    }
    for (int i = 0; i < m->bone_count; i++) {
        wri_flesh_bone *bone = &m->bones[i];
        wr_vec3 o = desc->origins[i];
        bone->origin[0] = (double)o.x, bone->origin[1] = (double)o.y, bone->origin[2] = (double)o.z;
        if (desc->inner) {
            add_moments(bone->M, &desc->inner[i], bone->origin);
        }
    }
    for (int from = 0; from < m->node_count; from++) {
        int node = m->node_of[from];
        wr_vec3 at = desc->layer.core[from];
        for (int b = 0; b < WRI_FLESH_BONES; b++) {
            double w = (double)m->weights[node * WRI_FLESH_BONES + b], r[3];
            int i = m->bone_ids[node * WRI_FLESH_BONES + b];
            lever_of(&m->bones[i], (f4){at.x, at.y, at.z, 0.0f}, r);
            add_point(m->bones[i].M, w * (double)layer->core_mass[from], r);
            skin[i] += w * (double)m->mass[node];
        }
    }
    for (int i = 0; i < m->bone_count; i++) {
        if (!(m->bones[i].M[0][0] > 0.0)) {
            return wri_fail(error, WR_E_ARGUMENT, "bone %d moves no skin", i);
        }
        weigh_core(&m->bones[i], skin[i]);
        m->total_mass += skin[i] + m->bones[i].core_mass;
    }
    for (int node = 0; node < m->node_count; node++) {
        for (int b = 0; b < WRI_FLESH_BONES; b++) {
            double w = (double)m->weights[node * WRI_FLESH_BONES + b], r[3];
            wri_flesh_bone *bone = &m->bones[m->bone_ids[node * WRI_FLESH_BONES + b]];
            lever_of(bone, m->rest[node], r);
            add_point(bone->M, w * (double)m->mass[node], r);
        }
    }
    return true;
}

// --- how bones and skin answer to each other --------------------------------------------------

// Six columns of M_bs^T of one bone, one after another, 3 n numbers each.
static void fill_columns(const wri_flesh_model *m, int bone, float *columns)
{
    size_t n = 3 * (size_t)m->node_count;
    memset(columns, 0, 6 * n * sizeof *columns);
    for (int i = 0; i < m->node_count * WRI_FLESH_BONES; i++) {
        int node = i / WRI_FLESH_BONES;
        double w = (double)(m->weights[i] * m->mass[node]), r[3], L[3][6];
        if (m->bone_ids[i] != bone || !(w > 0.0)) {
            continue;
        }
        lever_of(&m->bones[bone], m->rest[node], r);
        lever_matrix(r, L);
        for (int k = 0; k < 18; k++) {
            columns[(size_t)(k % 6) * n + (size_t)(3 * node + k / 6)] += (float)(w * L[k / 6][k % 6]);
        }
    }
}

// Turning counts by how far it moves the farthest of the bone's skin.
static float size_of_bone(const wri_flesh_model *m, int bone)
{
    double most = 0.0;
    for (int i = 0; i < m->node_count * WRI_FLESH_BONES; i++) {
        if (m->bone_ids[i] == bone && m->weights[i] > 0.0f) {
            double r[3];
            lever_of(&m->bones[bone], m->rest[i / WRI_FLESH_BONES], r);
            most = fmax(most, r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
        }
    }
    return (float)sqrt(most);
}

typedef struct reach_list {
    wri_array items; // of wri_reach, bone after bone
    wri_array nodes; // of int
} reach_list;

static bool add_reaches(const wri_flesh_model *m, int bone, const float *columns, reach_list *list)
{
    size_t n = 3 * (size_t)m->node_count;
    float size = size_of_bone(m, bone), least = m->bone_count > 1 ? REACH_LEAST : 0.0f;
    for (int node = 0; node < m->node_count; node++) {
        wri_reach reach = {.bone = bone};
        float most = 0.0f;
        for (int k = 0; k < 18; k++) {
            reach.Y[k] = columns[(size_t)(k % 6) * n + (size_t)(3 * node + k / 6)];
            most = fmaxf(most, fabsf(reach.Y[k]) / (k % 6 < 3 ? 1.0f : size));
        }
        if (most < least) {
            continue;
        }
        wri_reach *item = wri_array_add(&list->items, 1);
        int *owner = wri_array_add(&list->nodes, 1);
        if (!item || !owner) {
            return false;
        }
        *item = reach;
        *owner = node;
    }
    return true;
}

// The reaches of each node together, in the order of the bones.
static bool sort_reaches(wri_flesh_model *m, const reach_list *list)
{
    const wri_reach *items = list->items.items;
    const int *nodes = list->nodes.items;
    int count = (int)list->items.count;
    m->reach_begin = wri_arena_alloc(&m->arena, (size_t)m->node_count + 2, sizeof *m->reach_begin);
    m->reaches = wri_arena_alloc(&m->arena, (size_t)count, sizeof *m->reaches);
    if (!m->reach_begin || !m->reaches) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        m->reach_begin[nodes[i] + 2]++;
    }
    for (int i = 0; i < m->node_count; i++) {
        m->reach_begin[i + 2] += m->reach_begin[i + 1];
    }
    for (int i = 0; i < count; i++) {
        m->reaches[m->reach_begin[nodes[i] + 1]++] = items[i];
    }
    return true;
}

// Y = A^-1 M_bs^T, eq. 3.11.
static bool find_reaches(wri_flesh_model *m, const wr_tasks *tasks, wr_error *error)
{
    size_t room = 18 * (size_t)m->node_count;
    float *columns = wri_alloc(&m->arena.allocator, room, sizeof *columns);
    reach_list list = {wri_array_create(&m->arena.allocator, sizeof(wri_reach)),
                       wri_array_create(&m->arena.allocator, sizeof(int))};
    bool ok = columns || wri_fail_memory(error, room * sizeof *columns);
    for (int bone = 0; ok && bone < m->bone_count; bone++) {
        fill_columns(m, bone, columns);
        ok = wri_factor_solve_many(m->factor, columns, 6, tasks, error) &&
             (add_reaches(m, bone, columns, &list) || wri_fail_memory(error, 0));
    }
    ok = ok && (sort_reaches(m, &list) || wri_fail_memory(error, 0));
    wri_array_destroy(&list.items);
    wri_array_destroy(&list.nodes);
    wri_free(&m->arena.allocator, columns, room, sizeof *columns);
    return ok;
}

// M_b - M_bs Y, eq. 4.23, both halves of it alike.
static void condense(const wri_flesh_model *m, double *M)
{
    size_t size = 6 * (size_t)m->bone_count;
    for (int i = 0; i < m->bone_count; i++) {
        for (int k = 0; k < 36; k++) {
            M[(size_t)(6 * i + k / 6) * size + (size_t)(6 * i + k % 6)] = m->bones[i].M[k / 6][k % 6];
        }
    }
    for (int pair = 0; pair < m->node_count * WRI_FLESH_BONES; pair++) {
        int node = pair / WRI_FLESH_BONES, i = m->bone_ids[pair];
        double w = (double)(m->weights[pair] * m->mass[node]), r[3], L[3][6];
        lever_of(&m->bones[i], m->rest[node], r);
        lever_matrix(r, L);
        for (int e = m->reach_begin[node]; e < m->reach_begin[node + 1] && w > 0.0; e++) {
            const wri_reach *reach = &m->reaches[e];
            for (int k = 0; k < 36; k++) {
                double sum = 0.0;
                for (int l = 0; l < 3; l++) {
                    sum += L[l][k / 6] * (double)reach->Y[6 * l + k % 6];
                }
                size_t row = (size_t)(6 * i + k / 6), column = (size_t)(6 * reach->bone + k % 6);
                M[row * size + column] -= 0.5 * w * sum;
                M[column * size + row] -= 0.5 * w * sum;
            }
        }
    }
}

static bool find_answer_of_bones(wri_flesh_model *m, wr_error *error)
{
    size_t size = 6 * (size_t)m->bone_count;
    double *M = wri_alloc(&m->arena.allocator, size * size, sizeof *M);
    m->G = wri_arena_alloc(&m->arena, size * size, sizeof *m->G);
    bool ok = (M && m->G) || wri_fail_memory(error, size * size * sizeof *M);
    if (ok) {
        condense(m, M);
        ok = wri_dense_factor((int)size, M) ||
             wri_fail(error, WR_E_ARGUMENT, "the bones and their skin cannot be told apart by mass");
    }
    if (ok) {
        wri_dense_invert((int)size, M, m->G);
    }
    wri_free(&m->arena.allocator, M, size * size, sizeof *M);
    return ok;
}

// --- creation ---------------------------------------------------------------------------------

// A = (1 + a dt) M_s + (b dt + dt^2) K.
static void find_system(const wri_flesh_model *m, wri_blocks *A)
{
    float stiff = m->damping_stiffness * m->dt + m->dt * m->dt;
    float heavy = 1.0f + m->damping_mass * m->dt;
    for (int i = 0; i < m->node_count; i++) {
        for (int k = m->K.begin[i]; k < m->K.begin[i + 1]; k++) {
            for (int l = 0; l < 9; l++) {
                bool is_diagonal = m->K.column[k] == i && l % 4 == 0;
                A->value[k][l] =
                    stiff * m->K.value[k][l] + (is_diagonal ? heavy * m->mass[i] : 0.0f);
            }
        }
    }
}

static void find_diagonal(wri_flesh_model *m, const wri_blocks *A)
{
    for (int i = 0; i < m->node_count; i++) {
        for (int k = A->begin[i]; k < A->begin[i + 1]; k++) {
            const float *block = A->value[k];
            if (A->column[k] == i) {
                m->diagonal[i] = (block[0] + block[4] + block[8]) / 3.0f;
            }
        }
    }
}

static bool factor(wri_flesh_model *m, const wr_tasks *tasks, wr_error *error)
{
    size_t count = (size_t)m->K.begin[m->node_count];
    wri_blocks A = m->K;
    A.value = wri_alloc(&m->arena.allocator, count, sizeof *A.value);
    m->diagonal = wri_arena_alloc(&m->arena, (size_t)m->node_count, sizeof *m->diagonal);
    bool ok = (A.value && m->diagonal) || wri_fail_memory(error, count * sizeof *A.value);
    if (ok) {
        find_system(m, &A);
        find_diagonal(m, &A);
        m->plan = wri_plan_create(&A, &m->arena.allocator, error);
        m->factor = m->plan ? wri_factor_create(m->plan, &m->arena.allocator, error) : NULL;
        ok = m->factor && wri_factor_compute(m->factor, &A, tasks, error);
    }
    if (ok) {
        wri_factor_trim(m->factor);
    }
    wri_free(&m->arena.allocator, A.value, count, sizeof *A.value);
    return ok;
}

static bool build(wri_flesh_model *m, const wri_flesh_model_desc *desc, const wr_tasks *tasks,
                  wri_arena *temporary, wr_error *error)
{
    const wri_layer_desc *d = &desc->layer;
    wri_layer layer;
    int *order = wri_arena_alloc(temporary, (size_t)d->node_count, sizeof *order);
    if (!order) {
        return wri_fail_memory(error, 0);
    }
    return wri_layer_build(d, temporary, &layer, error) &&
           wri_order_find(&layer.K, d->skin, order, desc->allocator, error) &&
           ((copy_skin(m, desc, &layer, order) &&
             permute_stiffness(m, &layer.K, order)) ||
            wri_fail_memory(error, 0)) &&
           find_bones(m, desc, &layer, error) && factor(m, tasks, error) &&
           find_reaches(m, tasks, error) && find_answer_of_bones(m, error);
}

wri_flesh_model *wri_flesh_model_create(const wri_flesh_model_desc *desc, const wr_tasks *tasks,
                                        wr_error *error)
{
    wri_arena arena = wri_arena_create(desc->allocator);
    wri_flesh_model *m = wri_arena_alloc(&arena, 1, sizeof *m);
    if (!m) {
        wri_fail_memory(error, sizeof *m);
        return NULL;
    }
    *m = (wri_flesh_model){.arena = arena,
                           .node_count = desc->layer.node_count,
                           .bone_count = desc->bone_count,
                           .triangle_count = desc->layer.triangle_count,
                           .dt = desc->dt,
                           .damping_mass = desc->damping_mass,
                           .damping_stiffness = desc->damping_stiffness};
    wri_arena temporary = wri_arena_create(desc->allocator);
    bool ok = build(m, desc, tasks, &temporary, error);
    wri_arena_destroy(&temporary);
    if (!ok) {
        wri_flesh_model_destroy(m);
        m = NULL;
    }
    return m;
}

void wri_flesh_model_destroy(wri_flesh_model *model)
{
    if (model) {
        wri_arena arena = model->arena;
        wri_factor_destroy(model->factor);
        wri_plan_destroy(model->plan);
        wri_arena_destroy(&arena);
    }
}
