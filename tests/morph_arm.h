// morph_arm.h: an arm of two bones for tests of morph: a bar with a skin, and targets on request.
#pragma once

#include "../src/author/morph.h"
#include "../src/morph/morph.h"

#include <stdlib.h>

enum { ARM_TARGETS = 4 };

typedef struct arm_desc {
    int cells[3];  // along x, y, z
    float size[3]; // metres
    int target_count;
    double stiffness[ARM_TARGETS]; // factors of the targets
    float bulge;                   // metres: of the last target; the others in proportion
    int mode_count;
    bool with_cubic;
    double young;
    float poisson;
} arm_desc;

typedef struct arm {
    arm_desc desc;
    int node_count, tet_count, vertex_count, triangle_count;
    wr_vec3 *nodes, *vertices;
    int *tets, *triangles;
    wr_ride *rides;
    float *weights; // of nodes
    wri_morph_bone bones[2];
    wri_morph_target targets[ARM_TARGETS];
    wr_vec3 *displacements[ARM_TARGETS];
    wr_pose poses[ARM_TARGETS][2];
    wri_morph_build_desc build;
    wri_morph_report report;
    wr_morph_data *data;
} arm;

static inline arm_desc arm_default(void)
{
    return (arm_desc){.cells = {12, 4, 4},
                      .size = {1.0f, 0.3f, 0.2f},
                      .target_count = 3,
                      .stiffness = {1.0, 2.0, 5.0, 8.0},
                      .bulge = 0.04f,
                      .mode_count = 12,
                      .young = 2e4,
                      .poisson = 0.35f};
}

static inline void *arm_room(size_t count, size_t size)
{
    void *room = calloc(count ? count : 1, size);
    assert_non_null(room);
    return room;
}

// Bends at the elbow by an angle about an oblique axis; bone 0 stays.
static inline void arm_pose(const arm *a, float angle, wr_pose out[2])
{
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(0.1f, 0.2f, 1.0f), angle);
    wr_vec3 elbow = a->bones[1].origin;
    out[0] = WR_POSE_IDENTITY;
    out[1] = (wr_pose){wr_sub(elbow, wr_rotate(turn, elbow)), turn};
}

static inline int arm_node(const arm_desc *d, int x, int y, int z)
{
    return (x * (d->cells[1] + 1) + y) * (d->cells[2] + 1) + z;
}

// A cube in six tetrahedra around its diagonal.
static inline void arm_add_cube(arm *a, int x, int y, int z)
{
    static const int ORDERS[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int k = 0; k < 6; k++) {
        int at[3] = {x, y, z}, *t = a->tets + 4 * (ptrdiff_t)a->tet_count++;
        t[0] = arm_node(&a->desc, x, y, z);
        for (int i = 0; i < 3; i++) {
            at[ORDERS[k][i]]++;
            t[i + 1] = arm_node(&a->desc, at[0], at[1], at[2]);
        }
        if (k >= 3) {
            int swapped = t[1];
            t[1] = t[2];
            t[2] = swapped;
        }
    }
}

static inline void arm_mesh(arm *a)
{
    const int *n = a->desc.cells;
    const float *size = a->desc.size;
    a->node_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    a->nodes = arm_room((size_t)a->node_count, sizeof *a->nodes);
    a->tets = arm_room(24 * (size_t)(n[0] * n[1] * n[2]), sizeof *a->tets);
    a->vertices = arm_room((size_t)a->node_count, sizeof *a->vertices);
    a->rides = arm_room((size_t)a->node_count, sizeof *a->rides);
    a->weights = arm_room(2 * (size_t)a->node_count, sizeof *a->weights);
    for (int x = 0; x < n[0]; x++) {
        for (int y = 0; y < n[1]; y++) {
            for (int z = 0; z < n[2]; z++) {
                arm_add_cube(a, x, y, z);
            }
        }
    }
    for (int i = 0; i < a->node_count; i++) {
        int z = i % (n[2] + 1), y = i / (n[2] + 1) % (n[1] + 1), x = i / (n[2] + 1) / (n[1] + 1);
        wr_vec3 at = {size[0] * (float)x / (float)n[0], size[1] * (float)y / (float)n[1],
                      size[2] * (float)z / (float)n[2]};
        float share = wr_clampf(0.5f + 4.0f * (at.x / size[0] - 0.5f), 0.0f, 1.0f);
        a->nodes[i] = at;
        a->weights[2 * i] = 1.0f - share;
        a->weights[2 * i + 1] = share;
        if (x == 0 || x == n[0] || y == 0 || y == n[1] || z == 0 || z == n[2]) {
            int tet = 0;
            while (a->tets[tet] != i) {
                tet++;
            }
            a->vertices[a->vertex_count] = at;
            a->rides[a->vertex_count].element = tet / 4;
            a->rides[a->vertex_count++].weights[tet % 4] = 1.0f;
        }
    }
}

// A swelling on one side of the upper arm, askew.
static inline wr_vec3 arm_bulge(const arm *a, wr_vec3 at, float share)
{
    const float *size = a->desc.size;
    float x = at.x / size[0], y = at.y / size[1], z = at.z / size[2];
    float height = share * share * a->desc.bulge;
    float hill = sinf((0.7f + 0.3f * share) * WR_PI * x) * (0.3f + y) * (1.0f + 0.4f * z);
    return wr_v3(0.2f * height * hill, height * hill, 0.5f * height * hill * (z - 0.3f));
}

static inline void arm_targets(arm *a)
{
    int last = a->desc.target_count - 1;
    for (int t = 0; t <= last; t++) {
        float share = last > 0 ? (float)t / (float)last : 0.0f;
        a->displacements[t] = arm_room((size_t)a->vertex_count, sizeof(wr_vec3));
        for (int v = 0; v < a->vertex_count; v++) {
            a->displacements[t][v] = arm_bulge(a, a->vertices[v], share);
        }
        arm_pose(a, 2.0f * share, a->poses[t]);
        static const char *const NAMES[ARM_TARGETS] = {"straight", "half", "bent", "clenched"};
        a->targets[t] = (wri_morph_target){.name = NAMES[t],
                                           .displacements = t == 0 ? NULL : a->displacements[t],
                                           .displacement_count = a->vertex_count,
                                           .poses = a->poses[t],
                                           .stiffness = a->desc.stiffness[t],
                                           .poisson = -1.0f};
    }
}

// Everything but the data: what may be changed before it is built.
static inline void arm_describe(arm *a, const arm_desc *desc)
{
    const float *size = desc->size;
    *a = (arm){.desc = *desc};
    arm_mesh(a);
    a->bones[0] = (wri_morph_bone){-1, wr_v3(0, size[1] / 2, size[2] / 2),
                                   wr_v3(size[0] / 2, size[1] / 2, size[2] / 2)};
    a->bones[1] = (wri_morph_bone){0, a->bones[0].tail, wr_v3(size[0], size[1] / 2, size[2] / 2)};
    arm_targets(a);
    a->build = wri_morph_build_desc_default();
    a->build.node_count = a->node_count, a->build.nodes = a->nodes;
    a->build.tet_count = a->tet_count, a->build.tets = a->tets;
    a->build.node_weights = a->weights;
    a->build.bone_count = 2, a->build.bones = a->bones;
    a->build.vertex_count = a->vertex_count, a->build.vertices = a->vertices;
    a->build.rides = a->rides;
    a->build.target_count = desc->target_count, a->build.targets = a->targets;
    a->build.young = desc->young, a->build.poisson = desc->poisson;
    a->build.mode_count = desc->mode_count, a->build.with_cubic = desc->with_cubic;
}

static inline void arm_finish(arm *a)
{
    wr_error error = {0};
    a->data = wri_morph_build(&a->build, &a->report, &error);
    if (!a->data) {
        fail_msg("%s", error.message);
    }
}

static inline void arm_destroy(arm *a)
{
    free(a->nodes);
    free(a->tets);
    free(a->vertices);
    free(a->rides);
    free(a->weights);
    for (int t = 0; t < ARM_TARGETS; t++) {
        free(a->displacements[t]);
    }
    wr_morph_data_destroy(a->data);
}

// --- bodies -------------------------------------------------------------------------------------

typedef struct arm_body {
    wr_morph_model *model;
    wr_morph_world *world;
    wri_morph *body;
    wr_morph_step step;
} arm_body;

static inline wr_morph_model_desc arm_model(const arm *a)
{
    wr_morph_model_desc desc = wr_morph_model_desc_default();
    desc.data = a->data;
    return desc;
}

static inline arm_body arm_start(const wr_morph_model_desc *desc)
{
    wr_error error = {0};
    arm_body b = {.step = wr_morph_step_default()};
    b.model = wr_morph_model_create(desc, &error);
    if (!b.model) {
        fail_msg("%s", error.message);
    }
    b.world = wr_morph_world_create(NULL, &error);
    assert_int_equal(wr_morph_add(b.world, b.model, &error), 0);
    b.body = wri_morph_of(b.world, 0);
    return b;
}

static inline void arm_stop(arm_body *b)
{
    wr_morph_world_destroy(b->world);
    wr_morph_model_destroy(b->model);
}

static inline void arm_advance(arm_body *b, int count)
{
    for (int i = 0; i < count; i++) {
        assert_true(wr_morph_world_step(b->world, &b->step));
        assert_true(wr_morph_is_sound(b->world, 0));
    }
}
