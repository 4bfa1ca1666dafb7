// skin_import.c: handles, weights and poses from the skin of a model.
//
// A vertex of the model at rest follows a joint by world(t) world(rest)^-1: how it was bound
// cancels out. Weights of render vertices become weights of the simulation mesh by a smooth fit of
// scattered values (scatter.c), with least slope: that stays within what the render mesh has.
#include "wrought/example.h"

#include "../base/base.h"
#include "scatter.h"

#include <stdio.h>

typedef struct handles_owner {
    wri_arena arena;
    wr_skin_handles handles; // lives in the arena that it owns
} handles_owner;

void wr_skin_handles_destroy(wr_skin_handles *handles)
{
    if (handles) {
        wri_arena arena = ((handles_owner *)handles->memory)->arena;
        wri_arena_destroy(&arena);
    }
}

// --- which nodes carry vertices ---------------------------------------------------------------

enum { JOINT = 1, CARRIES = 2 };

typedef struct import {
    const wr_model *model;
    uint8_t *marks; // marks of each node
    int *handle;    // handle of each node, -1: none
    wr_skin_handles *out;
} import;

static const wr_mesh *mesh_of(const wr_model *model, int node)
{
    int mesh = model->nodes[node].mesh;
    return mesh < 0 ? NULL : &model->meshes[mesh];
}

// NULL: the mesh follows its node.
static const wr_model_skin *skin_of(const wr_model *model, int node)
{
    const wr_mesh *mesh = mesh_of(model, node);
    bool is_skinned = mesh && mesh->influence_count > 0 && model->nodes[node].skin >= 0;
    return is_skinned ? &model->skins[model->nodes[node].skin] : NULL;
}

// The node that carries a mesh without a skin: the nearest joint above it, else itself.
static int carrier_of(const import *im, int node)
{
    for (int i = node; i >= 0; i = im->model->nodes[i].parent) {
        if (im->marks[i] & JOINT) {
            return i;
        }
    }
    return node;
}

static void mark_nodes(import *im)
{
    const wr_model *model = im->model;
    for (int i = 0; i < model->node_count; i++) {
        const wr_model_skin *skin = skin_of(model, i);
        for (int k = 0; skin && k < skin->joint_count; k++) {
            im->marks[skin->joints[k]] |= JOINT;
        }
    }
    for (int i = 0; i < model->node_count; i++) {
        const wr_mesh *mesh = mesh_of(model, i);
        const wr_model_skin *skin = skin_of(model, i);
        if (mesh && !skin) {
            im->marks[carrier_of(im, i)] |= CARRIES;
        }
        size_t count = skin ? (size_t)mesh->vertex_count * (size_t)mesh->influence_count : 0;
        for (size_t k = 0; k < count; k++) {
            if (mesh->weights[k] > 0.0f) {
                im->marks[skin->joints[mesh->joints[k]]] |= CARRIES;
            }
        }
    }
}

static bool has_skin(const wr_model *model)
{
    for (int i = 0; i < model->node_count; i++) {
        if (skin_of(model, i)) {
            return true;
        }
    }
    return false;
}

// --- handles ----------------------------------------------------------------------------------

// The node's own name, a number behind it when another handle has it.
static const char *make_name(const wr_skin_handles *out, int count, const char *own,
                             wri_arena *arena)
{
    const char *base = own && own[0] ? own : "joint";
    char name[200];
    snprintf(name, sizeof name, "%.180s", base);
    for (int number = 2, i = 0; i < count; i++) {
        if (strcmp(out->handles[i].name, name) == 0) {
            snprintf(name, sizeof name, "%.180s %d", base, number++);
            i = -1; // once more from the beginning
        }
    }
    return wri_arena_text(arena, name, strlen(name));
}

static bool add_handles(import *im, const wr_mat34 *world, wri_arena *arena)
{
    wr_skin_handles *out = im->out;
    for (int i = 0, b = 0; i < im->model->node_count; i++) {
        int above = im->model->nodes[i].parent;
        if (!(im->marks[i] & CARRIES)) {
            im->handle[i] = above < 0 ? -1 : im->handle[above]; // handle of the nearest one above
            out->unused_joints += im->marks[i] & JOINT;
            continue;
        }
        out->handles[b] = (wr_handle){
            .name = make_name(out, b, im->model->nodes[i].name, arena),
            .pivot = {world[i].m[0][3], world[i].m[1][3], world[i].m[2][3]},
            .parent = above < 0 ? -1 : im->handle[above],
            .vertex = -1,
        };
        if (!out->handles[b].name) {
            return false;
        }
        out->nodes[b] = i;
        im->handle[i] = b++;
    }
    return true;
}

static void add_weights(const import *im)
{
    const wr_model *model = im->model;
    size_t handles = (size_t)im->out->handle_count;
    float *row = im->out->weights;
    for (int i = 0; i < model->node_count; i++) {
        const wr_mesh *mesh = mesh_of(model, i);
        const wr_model_skin *skin = skin_of(model, i);
        for (int v = 0; mesh && v < mesh->vertex_count; v++, row += handles) {
            if (!skin) {
                row[im->handle[carrier_of(im, i)]] = 1.0f;
                continue;
            }
            for (int k = 0; k < mesh->influence_count; k++) {
                size_t at = (size_t)v * (size_t)mesh->influence_count + (size_t)k;
                if (mesh->weights[at] > 0.0f) {
                    row[im->handle[skin->joints[mesh->joints[at]]]] += mesh->weights[at];
                }
            }
        }
    }
}

static bool build_handles(import *im, wri_arena *arena, wri_arena *work, wr_error *error)
{
    const wr_model *model = im->model;
    wr_skin_handles *out = im->out;
    size_t nodes = (size_t)model->node_count;
    im->marks = wri_arena_alloc(work, nodes, 1);
    im->handle = wri_arena_alloc(work, nodes, sizeof *im->handle);
    wr_mat34 *world = wri_arena_alloc(work, nodes, sizeof *world);
    if (!im->marks || !im->handle || !world) {
        return wri_fail_memory(error, nodes * sizeof *world);
    }
    mark_nodes(im);
    wr_model_pose(model, NULL, 0.0, world, NULL);
    for (size_t i = 0; i < nodes; i++) {
        out->handle_count += (im->marks[i] & CARRIES) != 0;
    }
    out->vertex_count = wr_shape_vertex_count(model);
    size_t count = (size_t)out->handle_count, vertices = (size_t)out->vertex_count;
    if (count > 4096 || (vertices > 0 && count > ((size_t)1 << 31) / vertices)) {
        return wri_fail(error, WR_E_UNSUPPORTED, "%.100s: %zu joints carry %zu vertices",
                        model->name, count, vertices);
    }
    out->handles = wri_arena_alloc(arena, count, sizeof *out->handles);
    out->nodes = wri_arena_alloc(arena, count, sizeof *out->nodes);
    out->weights = wri_arena_alloc(arena, count * vertices, sizeof *out->weights);
    if (!out->handles || !out->nodes || !out->weights || !add_handles(im, world, arena)) {
        return wri_fail_memory(error, count * vertices * sizeof *out->weights);
    }
    add_weights(im);
    return true;
}

wr_skin_handles *wr_handles_from_skin(const wr_model *model, const wr_allocator *allocator,
                                      wr_error *error)
{
    if (!WRI_REQUIRE(error, model)) {
        return NULL;
    }
    if (!has_skin(model)) {
        wri_fail(error, WR_E_ARGUMENT, "%.100s: has no skin from which handles could come",
                 model->name);
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator), work = wri_arena_create(allocator);
    handles_owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    bool ok = o || wri_fail_memory(error, sizeof *o);
    if (ok) {
import im = {.model = model, .out = & o->handles };
        ok = build_handles(&im, &arena, &work, error);
        o->arena = arena;
        o->handles.memory = o;
    }
    wri_arena_destroy(&work);
    if (!ok) {
        wri_arena_destroy(&arena);
        return NULL;
    }
    return &o->handles;
}

// --- weights for a simulation mesh ------------------------------------------------------------

typedef struct carry {
    wri_scatter scatter;
    const float *from; // rides
    int handle_count;
    double *k; // a column per handle
    float *to;
} carry;

static void gather_weights(carry *c)
{
    size_t n = (size_t)c->scatter.mesh.vertex_count, handles = (size_t)c->handle_count;
    for (int i = 0; i < c->scatter.count; i++) {
        int v[4];
        double w[4];
        int corners = wri_scatter_corners(&c->scatter, i, v, w);
        for (size_t b = 0; b < handles; b++) {
            double value = (double)c->from[(size_t)i * handles + b] * c->scatter.shares[i];
            for (int k = 0; k < corners && value != 0.0; k++) {
                c->k[b * n + (size_t)v[k]] += w[k] * value;
            }
        }
    }
}

// Writes rows in [0, 1] with sum 1. Returns how many vertices no ride reaches; those get a row of
// zeros.
static int write_rows(carry *c)
{
    size_t n = (size_t)c->scatter.mesh.vertex_count, handles = (size_t)c->handle_count;
    int loose = 0;
    for (size_t v = 0; v < n; v++) {
        double sum = 0.0;
        for (size_t b = 0; b < handles; b++) {
            double *w = &c->k[b * n + v];
            *w = *w < 1e-4 ? 0.0 : fmin(*w, 1.0); // far tails would only cost time
            sum += *w;
        }
        bool reached = sum > 0.01;
        loose += !reached;
        for (size_t b = 0; b < handles; b++) {
            c->to[v * handles + b] = reached ? (float)(c->k[b * n + v] / sum) : 0.0f;
        }
    }
    return loose;
}

static bool is_reached(const carry *c, int v)
{
    const float *row = c->to + (size_t)v * (size_t)c->handle_count;
    float sum = 0.0f;
    for (int b = 0; b < c->handle_count; b++) {
        sum += row[b];
    }
    return sum > 0.0f;
}

// Vertices of parts on which nothing rides do as the nearest of the others; reached: of each.
static void fill_loose(carry *c, const uint8_t *reached)
{
    const wri_elements *mesh = &c->scatter.mesh;
    size_t handles = (size_t)c->handle_count;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int nearest = -1;
        float best = INFINITY;
        for (int o = 0; !reached[v] && o < mesh->vertex_count; o++) {
            float d = wr_distance(mesh->positions[v], mesh->positions[o]);
            if (reached[o] && d < best) {
                best = d;
                nearest = o;
            }
        }
        if (nearest >= 0) {
            memcpy(c->to + (size_t)v * handles, c->to + (size_t)nearest * handles,
                   handles * sizeof *c->to);
        }
    }
}

static float find_worst(const carry *c)
{
    size_t handles = (size_t)c->handle_count;
    double worst = 0.0;
    for (int i = 0; i < c->scatter.count; i++) {
        int v[4];
        double w[4];
        int corners = wri_scatter_corners(&c->scatter, i, v, w);
        for (size_t b = 0; b < handles; b++) {
            double sum = -(double)c->from[(size_t)i * handles + b];
            for (int k = 0; k < corners; k++) {
                sum += w[k] * (double)c->to[(size_t)v[k] * handles + b];
            }
            worst = fmax(worst, fabs(sum));
        }
    }
    return (float)worst;
}

static bool check_carry(const wr_solid *mesh, const wr_ride *rides, int ride_count,
                        const float *weights, int handle_count, wr_error *error)
{
    if ((mesh->dimension != 2 && mesh->dimension != 3) || mesh->vertex_count < 1 ||
        ride_count < 1 || handle_count < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "dimension %d, %d vertices, %d rides, %d handles",
                        mesh->dimension, mesh->vertex_count, ride_count, handle_count);
    }
    for (int i = 0; i < ride_count; i++) {
        const float *w = rides[i].weights, *row = weights + (size_t)i * (size_t)handle_count;
        float sum = w[0] + w[1] + w[2] + w[3];
        for (int b = 0; b < handle_count; b++) {
            sum += row[b];
        }
        if (rides[i].element < 0 || rides[i].element >= mesh->element_count || !isfinite(sum)) {
            return wri_fail(error, WR_E_ARGUMENT, "rides[%d]: element %d of %d, or not finite", i,
                            rides[i].element, mesh->element_count);
        }
    }
    return true;
}

bool wr_weights_carry(const wr_solid *mesh, const wr_ride *rides, int ride_count,
                      const float *ride_weights, int handle_count, const wr_allocator *allocator,
                      float *weights, float *worst, wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh, weights) || !WRI_REQUIRE_LIST(error, rides, ride_count) ||
        !WRI_REQUIRE(error, ride_weights)) {
        return false;
    }
    if (!check_carry(mesh, rides, ride_count, ride_weights, handle_count, error)) {
        return false;
    }
    wri_arena arena = wri_arena_create(allocator);
    size_t n = (size_t)mesh->vertex_count;
    carry c = {.scatter = {.mesh = {mesh->dimension, mesh->vertex_count, mesh->element_count,
                                    mesh->positions, mesh->elements},
                           .rides = rides,
                           .count = ride_count},
               .from = ride_weights,
               .handle_count = handle_count,
               .k = wri_arena_alloc(&arena, n * (size_t)handle_count, sizeof *c.k),
               .to = weights};
    uint8_t *reached = wri_arena_alloc(&arena, n, 1);
    bool ok = (c.k && reached && wri_scatter_create(&c.scatter, &arena)) ||
              wri_fail_memory(error, n * (size_t)handle_count * sizeof *c.k);
    if (ok) {
        gather_weights(&c);
        ok = wri_scatter_solve(&c.scatter, WRI_SMOOTH_FLAT, handle_count, c.k, c.k, error);
    }
    if (ok && write_rows(&c) > 0) {
        for (int v = 0; v < mesh->vertex_count; v++) {
            reached[v] = is_reached(&c, v);
        }
        fill_loose(&c, reached);
    }
    if (ok && worst) {
        *worst = find_worst(&c);
    }
    wri_arena_destroy(&arena);
    return ok;
}

// --- poses ------------------------------------------------------------------------------------

// Computes b a^-1 in double; false when a has no inverse.
static bool divide(wr_mat34 b, wr_mat34 a, wr_mat34 *out)
{
    double inverse[3][3], determinant = 0.0, largest = 0.0;
    for (int i = 0; i < 9; i++) {
        int r = i / 3, k = i % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, k1 = (k + 1) % 3,
            k2 = (k + 2) % 3;
        inverse[k][r] = (double)a.m[r1][k1] * a.m[r2][k2] - (double)a.m[r1][k2] * a.m[r2][k1];
        determinant += r == 0 ? (double)a.m[0][k] * inverse[k][0] : 0.0;
        largest = fmax(largest, fabs((double)a.m[r][k]));
    }
    if (!(fabs(determinant) > 1e-12 * largest * largest * largest)) {
        return false;
    }
    for (int r = 0; r < 3; r++) {
        double row[3], at = (double)b.m[r][3];
        for (int k = 0; k < 3; k++) {
            row[k] = ((double)b.m[r][0] * inverse[0][k] + (double)b.m[r][1] * inverse[1][k] +
                      (double)b.m[r][2] * inverse[2][k]) /
                     determinant;
            at -= row[k] * (double)a.m[k][3];
            out->m[r][k] = (float)row[k];
        }
        out->m[r][3] = (float)at;
    }
    return true;
}

bool wr_poses_from_clip(const wr_model *model, int clip, double time, const wr_handle *handles,
                        const int *nodes, int handle_count, wr_handle_pose *poses, wr_error *error)
{
    if (!WRI_REQUIRE(error, model, poses) || !WRI_REQUIRE_LIST(error, handles, handle_count)) {
        return false;
    }
    if (clip < -1 || clip >= model->clip_count || !isfinite(time) || time < 0.0) {
        return wri_fail(error, WR_E_ARGUMENT, "%.100s: clip %d of %d at %g s", model->name, clip,
                        model->clip_count, time);
    }
    wri_arena arena = wri_arena_create(NULL);
    size_t count = (size_t)model->node_count;
    wr_mat34 *rest = wri_arena_alloc(&arena, count, sizeof *rest);
    wr_mat34 *now = wri_arena_alloc(&arena, count, sizeof *now);
    bool ok = (rest && now) || wri_fail_memory(error, count * sizeof *rest);
    if (ok) {
        wr_model_pose(model, NULL, 0.0, rest, NULL);
        wr_model_pose(model, clip < 0 ? NULL : &model->clips[clip], time, now, NULL);
    }
    for (int b = 0; ok && b < handle_count; b++) {
        wr_mat34 map;
        WR_ASSERT(nodes[b] >= 0 && nodes[b] < model->node_count);
        ok = (divide(now[nodes[b]], rest[nodes[b]], &map) && wr_mat34_is_finite(map)) ||
             wri_fail(error, WR_E_ARGUMENT,
                      "%.100s: joint \"%.100s\" has no extent at rest, or no finite place",
                      model->name, model->nodes[nodes[b]].name);
        if (ok) {
            poses[b] = wr_handle_pose_from_affine(map, handles[b].pivot);
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}
