// condense.c: how bones and skin answer to each other.
//
// The Schur complement of the skin in the system of a step (model.c), eq. 4.23, is constant: it and
// its inverse G are found once. Y = A^-1 M_bs^T (eq. 3.11) is kept, too: it carries impulses from
// nodes to bones, and the motion of bones to nodes.
#include "flesh.h"
#include "lever.h"
#include "published.h"

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
            columns[(size_t)(k % 6) * n + (size_t)(3 * node + k / 6)] +=
                (float)(w * L[k / 6][k % 6]);
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
    wri_array items; // of wri_bone_reach, bone after bone
    wri_array nodes; // of int
    float *dropped;  // 18 of each node: what of Y is left out
} reach_list;

static bool add_reaches(const wr_flesh_model *m, int bone, const float *columns, reach_list *list)
{
    size_t n = 3 * (size_t)m->node_count;
    float size = size_of_bone(m, bone), least = m->bone_count > 1 ? REACH_LEAST : 0.0f;
    for (int node = 0; node < m->node_count; node++) {
        wri_bone_reach reach = {.bone = bone};
        float most = 0.0f;
        for (int k = 0; k < 18; k++) {
            reach.Y[k] = columns[(size_t)(k % 6) * n + (size_t)(3 * node + k / 6)];
            most = fmaxf(most, fabsf(reach.Y[k]) / (k % 6 < 3 ? 1.0f : size));
        }
        if (most < least) {
            for (int k = 0; k < 18; k++) {
                list->dropped[18 * node + k] += k % 6 < 3 ? reach.Y[k] : 0.0f;
            }
            continue;
        }
        wri_bone_reach *item = wri_array_add(&list->items, 1);
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
    const wri_bone_reach *items = list->items.items;
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
    for (int node = 0; node < m->node_count; node++) { // what falls evenly keeps its shape
        int main_bone = m->bone_ids[node * WRI_FLESH_BONES];
        for (int e = m->reach_begin[node]; e < m->reach_begin[node + 1]; e++) {
            for (int k = 0; k < 18 && m->reaches[e].bone == main_bone; k++) {
                m->reaches[e].Y[k] += list->dropped[18 * node + k];
            }
        }
    }
    return true;
}

// --- G ----------------------------------------------------------------------------------------

// Takes the column of one bone of M_bs Y from M, both halves of it alike.
static void subtract_answer(const wr_flesh_model *m, int bone, const float *columns, double *M)
{
    size_t size = 6 * (size_t)m->bone_count, n = 3 * (size_t)m->node_count;
    for (int pair = 0; pair < m->node_count * WRI_FLESH_BONES; pair++) {
        int node = pair / WRI_FLESH_BONES, i = m->bone_ids[pair];
        double w = (double)(m->weights[pair] * m->mass[node]), r[3], L[3][6];
        wri_lever_of(&m->bones[i], m->rest[node], r);
        wri_lever_matrix(r, L);
        for (int k = 0; k < 36 && w > 0.0; k++) {
            double sum = 0.0;
            for (int l = 0; l < 3; l++) {
                sum += L[l][k / 6] * (double)columns[(size_t)(k % 6) * n + (size_t)(3 * node + l)];
            }
            size_t row = (size_t)(6 * i + k / 6), column = (size_t)(6 * bone + k % 6);
            M[row * size + column] -= 0.5 * w * sum;
            M[column * size + row] -= 0.5 * w * sum;
        }
    }
}

static void start_system(const wr_flesh_model *m, double *M)
{
    size_t size = 6 * (size_t)m->bone_count;
    for (int i = 0; i < m->bone_count; i++) {
        for (int k = 0; k < 36; k++) {
            M[(size_t)(6 * i + k / 6) * size + (size_t)(6 * i + k % 6)] =
                m->bones[i].M[k / 6][k % 6];
        }
    }
}

// --- all of it ----------------------------------------------------------------------------------

// Y, whose small parts are dropped, and the system of the bones, in which they are not.
static bool find_reaches(wr_flesh_model *m, double *M, const wr_tasks *tasks, wr_error *error)
{
    size_t room = 18 * (size_t)m->node_count;
    float *columns = wri_alloc(&m->arena.allocator, room, sizeof *columns);
    reach_list list = {wri_array_create(&m->arena.allocator, sizeof(wri_bone_reach)),
                       wri_array_create(&m->arena.allocator, sizeof(int)),
                       wri_alloc(&m->arena.allocator, room, sizeof *list.dropped)};
    bool ok = (columns && list.dropped) || wri_fail_memory(error, room * sizeof *columns);
    start_system(m, M);
    for (int bone = 0; ok && bone < m->bone_count; bone++) {
        fill_columns(m, bone, columns);
        ok = wri_factor_solve_many(m->factor, columns, 6, tasks, error) &&
             (add_reaches(m, bone, columns, &list) || wri_fail_memory(error, 0));
        if (ok && m->published) { // eq. 4.24
            fill_columns(m, bone, columns);
            wri_published_solve_columns(m, columns);
        }
        if (ok) {
            subtract_answer(m, bone, columns, M);
        }
    }
    ok = ok && (sort_reaches(m, &list) || wri_fail_memory(error, 0));
    wri_array_destroy(&list.items);
    wri_array_destroy(&list.nodes);
    wri_free(&m->arena.allocator, list.dropped, room, sizeof *list.dropped);
    wri_free(&m->arena.allocator, columns, room, sizeof *columns);
    return ok;
}

bool wri_flesh_condense(wr_flesh_model *m, const wr_tasks *tasks, wr_error *error)
{
    size_t size = 6 * (size_t)m->bone_count;
    double *M = wri_alloc(&m->arena.allocator, size * size, sizeof *M);
    m->G = wri_arena_alloc(&m->arena, size * size, sizeof *m->G);
    bool ok = (M && m->G) || wri_fail_memory(error, size * size * sizeof *M);
    ok = ok && find_reaches(m, M, tasks, error) &&
         (wri_dense_factor((int)size, M) ||
          wri_fail(error, WR_E_ARGUMENT, "the bones and their skin cannot be told apart by mass"));
    if (ok) {
        wri_dense_invert((int)size, M, m->G);
    }
    wri_free(&m->arena.allocator, M, size * size, sizeof *M);
    return ok;
}
