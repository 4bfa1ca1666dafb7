// model.c: what does not change of a body of flesh: masses, stiffness and the factor of its system.
//
// A step solves, with A = (1 + a dt) M_s + (b dt + dt^2) K,                        thesis eq. 4.18
//
//     [M_b    M_bs] [dv_b]   [dt F_b]
//     [M_bs^T A   ] [dv_s] = [dt F_s]
//
// The levers in M_bs are those at rest, so that all of it is constant; condense.c goes on from
// here.
#include "meet.h"
#include "lever.h"
#include "published.h"

#include "../math/elementary.h"

#include <stdlib.h>

static const double CORE_LEAST = 0.1; // of the mass of a bone and its skin: how light a core is

// --- in the order of elimination --------------------------------------------------------------

static bool take_memory(wr_flesh_model *m)
{
    size_t n = (size_t)m->node_count, triangles = (size_t)m->triangle_count;
    m->node_of = wri_arena_alloc(&m->arena, n, sizeof *m->node_of);
    m->rest = wri_arena_alloc(&m->arena, n, sizeof *m->rest);
    m->outward = wri_arena_alloc(&m->arena, n, sizeof *m->outward);
    m->mass = wri_arena_alloc(&m->arena, n, sizeof *m->mass);
    m->diagonal = wri_arena_alloc(&m->arena, n, sizeof *m->diagonal);
    m->bone_ids = wri_arena_alloc(&m->arena, n * WRI_FLESH_BONES, sizeof *m->bone_ids);
    m->weights = wri_arena_alloc(&m->arena, n * WRI_FLESH_BONES, sizeof *m->weights);
    m->triangles = wri_arena_alloc(&m->arena, 3 * triangles, sizeof *m->triangles);
    m->D_inverse = wri_arena_alloc(&m->arena, m->published ? n : 0, sizeof *m->D_inverse);
    return m->node_of && m->rest && m->outward && m->mass && m->diagonal && m->bone_ids &&
           m->weights && m->triangles && m->D_inverse;
}

static void copy_node(wr_flesh_model *m, const wr_flesh_model_desc *d, int from, int node)
{
    wr_vec3 at = d->skin[from], out = wr_normalize(wr_sub(at, d->core[from]));
    bool is_fixed = d->fixed && d->fixed[from];
    m->rest[node] = (f4){at.x, at.y, at.z, wr_distance(at, d->core[from])};
    m->outward[node] = (f4){out.x, out.y, out.z, is_fixed ? 1.0f : 0.0f};
    m->weights[node * WRI_FLESH_BONES] = 1.0f;
    if (d->bones) {
        memcpy(&m->bone_ids[node * WRI_FLESH_BONES], &d->bones[from * WRI_FLESH_BONES],
               WRI_FLESH_BONES * sizeof *m->bone_ids);
        memcpy(&m->weights[node * WRI_FLESH_BONES], &d->weights[from * WRI_FLESH_BONES],
               WRI_FLESH_BONES * sizeof *m->weights);
    }
}

static bool copy_skin(wr_flesh_model *m, const wr_flesh_model_desc *d, const wri_layer *layer,
                      const int *order)
{
    if (!take_memory(m)) {
        return false;
    }
    for (int node = 0; node < m->node_count; node++) {
        m->node_of[order[node]] = node;
        m->mass[node] = layer->mass[order[node]];
        copy_node(m, d, order[node], node);
    }
    for (int i = 0; i < 3 * m->triangle_count; i++) {
        m->triangles[i] = m->node_of[d->triangles[i]];
    }
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static bool permute_stiffness(wr_flesh_model *m, const wri_blocks *K, const int *order)
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

static void add_point(double M[6][6], double mass, const double r[3])
{
    double L[3][6];
    wri_lever_matrix(r, L);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            for (int k = 0; k < 3; k++) {
                M[i][j] += mass * L[k][i] * L[k][j];
            }
        }
    }
}

// Mass and moments about the origin of the bind pose, moved to the bone's own origin.
static void add_moments(double M[6][6], const wr_flesh_mass *inner, const double origin[3])
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
    wri_lever_matrix(s, L);
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
    double(*M)[6] = bone->M;
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

// Of all there is.
static wr_vec3 center_of(const wr_flesh_model_desc *d, const wri_layer *layer)
{
    double sum[4] = {0.0};
    for (int i = 0; i < d->node_count; i++) {
        double skin = (double)layer->mass[i], core = (double)layer->core_mass[i];
        sum[0] += skin * (double)d->skin[i].x + core * (double)d->core[i].x;
        sum[1] += skin * (double)d->skin[i].y + core * (double)d->core[i].y;
        sum[2] += skin * (double)d->skin[i].z + core * (double)d->core[i].z;
        sum[3] += skin + core;
    }
    for (int k = 0; d->inner && k < 3; k++) {
        sum[k] += d->inner[0].first[k];
    }
    double mass = sum[3] + (d->inner ? d->inner[0].mass : 0.0);
    return wr_v3((float)(sum[0] / mass), (float)(sum[1] / mass), (float)(sum[2] / mass));
}

static bool find_bones(wr_flesh_model *m, const wr_flesh_model_desc *desc, const wri_layer *layer,
                       wr_error *error)
{
    m->bones = wri_arena_alloc(&m->arena, (size_t)m->bone_count, sizeof *m->bones);
    double *skin = wri_arena_alloc(&m->arena, (size_t)m->bone_count, sizeof *skin);
    if (!m->bones || !skin) {
        return wri_fail_memory(error, 0);
    }
    for (int i = 0; i < m->bone_count; i++) {
        wri_flesh_bone *bone = &m->bones[i];
        wr_vec3 o = desc->origins ? desc->origins[i] : center_of(desc, layer);
        bone->origin[0] = (double)o.x, bone->origin[1] = (double)o.y, bone->origin[2] = (double)o.z;
        if (desc->inner) {
            add_moments(bone->M, &desc->inner[i], bone->origin);
        }
    }
    for (int from = 0; from < m->node_count; from++) {
        int node = m->node_of[from];
        wr_vec3 at = desc->core[from];
        for (int b = 0; b < WRI_FLESH_BONES; b++) {
            double w = (double)m->weights[node * WRI_FLESH_BONES + b], r[3];
            int i = m->bone_ids[node * WRI_FLESH_BONES + b];
            wri_lever_of(&m->bones[i], (f4){at.x, at.y, at.z, 0.0f}, r);
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
    m->size = (float)wri_exp(wri_log(m->total_mass / desc->density) / 3.0);
    for (int node = 0; node < m->node_count; node++) {
        for (int b = 0; b < WRI_FLESH_BONES; b++) {
            double w = (double)m->weights[node * WRI_FLESH_BONES + b], r[3];
            wri_flesh_bone *bone = &m->bones[m->bone_ids[node * WRI_FLESH_BONES + b]];
            wri_lever_of(bone, m->rest[node], r);
            add_point(bone->M, w * (double)m->mass[node], r);
        }
    }
    return true;
}

// --- creation ---------------------------------------------------------------------------------

// A = (1 + a dt) M_s + (b dt + dt^2) K.
static void find_system(const wr_flesh_model *m, wri_blocks *A)
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

static void find_diagonal(wr_flesh_model *m, const wri_blocks *A)
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

static bool factor(wr_flesh_model *m, const wr_tasks *tasks, wr_error *error)
{
    size_t count = (size_t)m->K.begin[m->node_count];
    wri_blocks A = m->K;
    A.value = wri_alloc(&m->arena.allocator, count, sizeof *A.value);
    bool ok = A.value || wri_fail_memory(error, count * sizeof *A.value);
    if (ok) {
        find_system(m, &A);
        find_diagonal(m, &A);
        if (m->published) {
            wri_published_invert_blocks(m, &A);
        }
        m->plan = wri_plan_create(&A, &m->arena.allocator, error);
        m->factor = m->plan ? wri_factor_create(m->plan, &m->arena.allocator, error) : NULL;
        ok = m->factor && wri_factor_compute(m->factor, &A, tasks, error) &&
             (m->published || wri_levels_create(&m->levels, &A, &m->arena) ||
              wri_fail_memory(error, 0));
    }
    if (ok) {
        wri_factor_trim(m->factor);
    }
    wri_free(&m->arena.allocator, A.value, count, sizeof *A.value);
    return ok;
}

static bool copy_joints(wr_flesh_model *m, const wr_flesh_model_desc *d)
{
    m->joint_count = d->joint_count;
    m->joints = wri_arena_alloc(&m->arena, (size_t)d->joint_count, sizeof *m->joints);
    for (int i = 0; m->joints && i < d->joint_count; i++) {
        m->joints[i] = d->joints[i];
        m->joints[i].axis = wr_normalize(d->joints[i].axis);
    }
    return m->joints;
}

static bool build(wr_flesh_model *m, const wr_flesh_model_desc *d, wri_arena *temporary,
                  wr_error *error)
{
    wri_layer_desc desc = {d->node_count, d->triangle_count, d->skin,  d->core,    d->fixed,
                           d->triangles,  d->stiffness,      d->young, d->poisson, d->density};
    wri_layer layer;
    int *order = wri_arena_alloc(temporary, (size_t)d->node_count, sizeof *order);
    if (!order) {
        return wri_fail_memory(error, 0);
    }
    return wri_layer_build(&desc, temporary, &layer, error) &&
           wri_order_find(&layer.K, d->skin, order, d->allocator, error) &&
           ((copy_skin(m, d, &layer, order) && permute_stiffness(m, &layer.K, order) &&
             copy_joints(m, d)) ||
            wri_fail_memory(error, 0)) &&
           find_bones(m, d, &layer, error) &&
           (wri_patches_create(&m->patches, m) || wri_fail_memory(error, 0)) &&
           factor(m, &d->tasks, error) && wri_flesh_condense(m, &d->tasks, error);
}

static const uint32_t COOKIE = 0x68736c66; // "flsh"

wr_flesh_model_desc wr_flesh_model_desc_default(void)
{
    return (wr_flesh_model_desc){.young = 2e4,
                                 .poisson = 0.4f,
                                 .density = 1000.0,
                                 .damping = 0.002f,
                                 .bone_count = 1,
                                 .dt = 1.0f / 240.0f,
                                 .cookie = COOKIE};
}

// --- what may be asked for ----------------------------------------------------------------------

static bool check_numbers(const wr_flesh_model_desc *d, wr_error *error)
{
    if (d->node_count < 3 || d->node_count > WR_FLESH_NODES_MAX) {
        return wri_fail(error, WR_E_ARGUMENT, "%d nodes, expected 3 to %d", d->node_count,
                        WR_FLESH_NODES_MAX);
    }
    if (d->bone_count < 1 || d->bone_count > WR_FLESH_BONES_MAX) {
        return wri_fail(error, WR_E_ARGUMENT, "%d bones, expected 1 to %d", d->bone_count,
                        WR_FLESH_BONES_MAX);
    }
    if (!(d->young > 0.0 && isfinite(d->young))) {
        return wri_fail(error, WR_E_ARGUMENT, "young is %g Pa, expected more than 0", d->young);
    }
    if (!(d->poisson >= 0.0f && d->poisson <= WR_FLESH_POISSON_MAX)) {
        return wri_fail(error, WR_E_ARGUMENT, "poisson is %g, expected 0 to %g", (double)d->poisson,
                        (double)WR_FLESH_POISSON_MAX);
    }
    if (!(d->density > 0.0 && isfinite(d->density))) {
        return wri_fail(error, WR_E_ARGUMENT, "density is %g kg/m^3, expected more than 0",
                        d->density);
    }
    if (!(d->damping >= 0.0f && isfinite(d->damping) && d->drag >= 0.0f && isfinite(d->drag))) {
        return wri_fail(error, WR_E_ARGUMENT, "damping is %g s and drag %g 1/s, expected 0 or more",
                        (double)d->damping, (double)d->drag);
    }
    return wri_is_step(d->dt) ||
           wri_fail(error, WR_E_ARGUMENT, "dt is %g s, expected more than 0 and at most %g",
                    (double)d->dt, (double)WR_STEP_MAX);
}

static bool check_node(const wr_flesh_model_desc *d, int i, wr_error *error)
{
    if (!wr_is_finite3(d->skin[i]) || !wr_is_finite3(d->core[i]) ||
        (d->stiffness && !(d->stiffness[i] > 0.0f && isfinite(d->stiffness[i])))) {
        return wri_fail(error, WR_E_ARGUMENT, "node %d: a place or a factor that cannot be", i);
    }
    float sum = 0.0f;
    for (int k = i * WRI_FLESH_BONES; d->bones && k < (i + 1) * WRI_FLESH_BONES; k++) {
        if (d->bones[k] < 0 || d->bones[k] >= d->bone_count || !(d->weights[k] >= 0.0f)) {
            return wri_fail(error, WR_E_ARGUMENT, "node %d: bone %d with weight %g", i, d->bones[k],
                            (double)d->weights[k]);
        }
        sum += d->weights[k];
    }
    return !d->bones || fabsf(sum - 1.0f) < 1e-4f ||
           wri_fail(error, WR_E_ARGUMENT, "node %d: weights sum to %g, expected 1", i, (double)sum);
}

static bool check_joint(const wr_flesh_model_desc *d, int i, wr_error *error)
{
    const wr_flesh_joint *j = &d->joints[i];
    if (j->a < 0 || j->a >= d->bone_count || j->b < 0 || j->b >= d->bone_count || j->a == j->b) {
        return wri_fail(error, WR_E_ARGUMENT, "joint %d: bones %d and %d, expected two of %d", i,
                        j->a, j->b, d->bone_count);
    }
    bool is_turning = j->kind == WR_FLESH_BALL || j->kind == WR_FLESH_HINGE;
    if (!wr_is_finite3(j->at) || !wr_is_finite3(j->axis) ||
        (j->kind != WR_FLESH_FIXED && !is_turning) ||
        (is_turning &&
         !(wr_length(j->axis) > 0.0f && j->least <= 0.0f && j->most >= 0.0f && j->swing >= 0.0f))) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "joint %d: expected a place, an axis, and limits around 0", i);
    }
    return (j->stiffness >= 0.0 && j->damping >= 0.0 && isfinite(j->stiffness + j->damping)) ||
           wri_fail(error, WR_E_ARGUMENT,
                    "joint %d: stiffness %g N m and damping %g N m s, expected 0 or more", i,
                    j->stiffness, j->damping);
}

static bool check(const wr_flesh_model_desc *d, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_flesh_model_desc, d, COOKIE) || !check_numbers(d, error) ||
        !WRI_REQUIRE_AS(error, "skin, core, triangles", d->skin, d->core, d->triangles) ||
        (d->bones && !WRI_REQUIRE_AS(error, "weights", d->weights)) ||
        (d->bone_count > 1 && !WRI_REQUIRE_AS(error, "origins, bones", d->origins, d->bones))) {
        return false;
    }
    for (int i = 0; i < d->node_count; i++) {
        if (!check_node(d, i, error)) {
            return false;
        }
    }
    if (d->joint_count < 0 || d->joint_count > WR_FLESH_JOINTS_MAX ||
        !WRI_REQUIRE_LIST(error, d->joints, d->joint_count)) {
        return false;
    }
    for (int i = 0; i < d->joint_count; i++) {
        if (!check_joint(d, i, error)) {
            return false;
        }
    }
    for (int i = 0; i < 3 * d->triangle_count; i++) {
        if (d->triangles[i] < 0 || d->triangles[i] >= d->node_count) {
            return wri_fail(error, WR_E_ARGUMENT, "triangle %d: node %d of %d", i / 3,
                            d->triangles[i], d->node_count);
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------------

wr_flesh_model *wr_flesh_model_create(const wr_flesh_model_desc *desc, wr_error *error)
{
    if (!check(desc, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(desc->allocator);
    wr_flesh_model *m = wri_arena_alloc(&arena, 1, sizeof *m);
    if (!m) {
        wri_fail_memory(error, sizeof *m);
        return NULL;
    }
    *m = (wr_flesh_model){.arena = arena,
                          .node_count = desc->node_count,
                          .bone_count = desc->bone_count,
                          .triangle_count = desc->triangle_count,
                          .dt = desc->dt,
                          .published = desc->published,
                          .damping_mass = desc->drag,
                          .damping_stiffness = desc->damping};
    wri_arena temporary = wri_arena_create(desc->allocator);
    bool ok = build(m, desc, &temporary, error);
    wri_arena_destroy(&temporary);
    if (!ok) {
        wr_flesh_model_destroy(m);
        m = NULL;
    }
    return m;
}

void wr_flesh_model_destroy(wr_flesh_model *model)
{
    if (model) {
        wri_arena arena = model->arena;
        wri_factor_destroy(model->factor);
        wri_plan_destroy(model->plan);
        wri_arena_destroy(&arena);
    }
}

wr_flesh_mass wr_flesh_bone_mass(const wr_flesh_model *model, int bone)
{
    const wri_flesh_bone *b = &model->bones[bone];
    const double(*M)[6] = b->M, *o = b->origin;
    double half_trace = 0.5 * (M[3][3] + M[4][4] + M[5][5]);
    const double first[3] = {M[1][5], M[2][3], M[0][4]}; // where -r~ has r
    wr_flesh_mass out = {.mass = M[0][0]};
    for (int i = 0; i < 3; i++) {
        out.first[i] = first[i] + out.mass * o[i];
        for (int j = 0; j < 3; j++) {
            out.second[i][j] = (i == j ? half_trace : 0.0) - M[3 + i][3 + j] + first[i] * o[j] +
                               o[i] * first[j] + out.mass * o[i] * o[j];
        }
    }
    return out;
}
