// condense.c: how bones and skin answer to each other.
//
// The Schur complement of the skin in the system of a step (model.c), eq. 4.23, is constant: it and
// its inverse G are found once. Y = A^-1 M_bs^T (eq. 3.11) is kept, too: it carries impulses from
// nodes to bones, and the motion of bones to nodes.
#include "flesh.h"
#include "lever.h"

#include "../math/dense.h"

static const float REACH_LEAST = 1e-3f; // of Y, where several bones share a skin

// --- Y ----------------------------------------------------------------------------------------

// Six columns of M_bs^T of one bone, one after another, 3 n numbers each.
static void fill_columns(const wr_flesh_model *m, int bone, float *columns)
{
    size_t n = 3 * (size_t)m->node_count;
    memset(columns, 0, 6 * n * sizeof *columns);
    for (int i = 0; i < m->node_count * WRI_FLESH_BONES; i++) {
        int node = i / WRI_FLESH_BONES;
        double w = (double)(m->weights[i] * m->mass[node]), r[3], L[3][6];
        if (m->bone_ids[i] != bone || !(w > 0.0)) {
            continue;
        }
        wri_lever_of(&m->bones[bone], m->rest[node], r);
        wri_lever_matrix(r, L);
        for (int k = 0; k < 18; k++) {
            columns[(size_t)(k % 6) * n + (size_t)(3 * node + k / 6)] += (float)(w * L[k / 6][k % 6]);
        }
    }
}

// Turning counts by how far it moves the farthest of the bone's skin.
static float size_of_bone(const wr_flesh_model *m, int bone)
{
    double most = 0.0;
    for (int i = 0; i < m->node_count * WRI_FLESH_BONES; i++) {
        if (m->bone_ids[i] == bone && m->weights[i] > 0.0f) {
            double r[3];
            wri_lever_of(&m->bones[bone], m->rest[i / WRI_FLESH_BONES], r);
            most = fmax(most, r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
        }
    }
    return (float)sqrt(most);
}

typedef struct reach_list {
    wri_array items; // of wri_reach, bone after bone
    wri_array nodes; // of int
} reach_list;

static bool add_reaches(const wr_flesh_model *m, int bone, const float *columns, reach_list *list)
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
static bool sort_reaches(wr_flesh_model *m, const reach_list *list)
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
static bool find_reaches(wr_flesh_model *m, const wr_tasks *tasks, wr_error *error)
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

// --- G ----------------------------------------------------------------------------------------

// M_b - M_bs Y, both halves of it alike.
static void condense(const wr_flesh_model *m, double *M)
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
        wri_lever_of(&m->bones[i], m->rest[node], r);
        wri_lever_matrix(r, L);
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

static bool find_answer_of_bones(wr_flesh_model *m, wr_error *error)
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

bool wri_flesh_condense(wr_flesh_model *m, const wr_tasks *tasks, wr_error *error)
{
    return find_reaches(m, tasks, error) && find_answer_of_bones(m, error);
}
