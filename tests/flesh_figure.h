// flesh_figure.h: rigged models for tests: rods that hang on each other, one bone each.
#pragma once

#include "wrought/file.h"

#include "check.h"

enum { AROUND = 12, RINGS = 13 }; // nodes of a ring, rings of a rod

typedef struct figure {
    int rods;
    bool is_one;      // one skin over all of them, blended at the joints
    bool is_detached; // joints hang on nothing
    int bend;         // axes about which a clip bends the joints: 0, 1 or 2; -1: there is no clip
    float scale;      // of the node above the skeleton, along y alone
    float grows;      // by which the clip scales the first joint
    wr_model *model;
} figure;

static const float ROD_LENGTH = 0.5f, ROD_RADIUS = 0.05f;

static const figure ROD_FIGURE = {.rods = 2, .bend = -1, .scale = 1.0f, .grows = 1.0f};

static inline void *figure_room(const figure *f, size_t count, size_t size)
{
    void *room = wr_model_alloc(f->model, count, size);
    assert_non_null(room);
    return room;
}

// A ring of nodes at a height, weighed to the two joints nearest to it.
static inline void figure_ring(const figure *f, wr_mesh *mesh, int rod, int ring)
{
    float down = ROD_LENGTH * ((float)rod + (float)ring / (RINGS - 1));
    float place = down / ROD_LENGTH;
    int first = (int)fminf(fmaxf(floorf(place - 0.5f), 0.0f), (float)(f->rods - 1));
    int second = first + 1 < f->rods ? first + 1 : first;
    float blend = fminf(fmaxf(4.0f * (place - (float)first - 1.0f) + 0.5f, 0.0f), 1.0f);
    for (int k = 0; k < AROUND; k++) {
        float turn = 2.0f * WR_PI * (float)k / AROUND;
        int v = mesh->vertex_count++;
        mesh->positions[v] = wr_v3(ROD_RADIUS * cosf(turn), -down, ROD_RADIUS * sinf(turn));
        mesh->joints[2 * v] = f->is_one ? first : rod;
        mesh->joints[2 * v + 1] = f->is_one ? second : rod;
        mesh->weights[2 * v + 1] = f->is_one && second != first ? blend : 0.0f;
        mesh->weights[2 * v] = 1.0f - mesh->weights[2 * v + 1];
    }
}

static inline void figure_triangle(wr_mesh *mesh, int a, int b, int c)
{
    int *out = &mesh->triangles[3 * mesh->triangle_count++];
    out[0] = a, out[1] = b, out[2] = c;
}

// A closed tube over rings that were added.
static inline void figure_tube(wr_mesh *mesh, int first, int rings)
{
    for (int k = 0; k < AROUND; k++) {
        int next = (k + 1) % AROUND, last = first + (rings - 1) * AROUND;
        for (int i = 0; i + 1 < rings; i++) {
            int a = first + i * AROUND;
            figure_triangle(mesh, a + k, a + next, a + AROUND + next);
            figure_triangle(mesh, a + k, a + AROUND + next, a + AROUND + k);
        }
        if (k > 0 && k + 1 < AROUND) {
            figure_triangle(mesh, first, first + k + 1, first + k);
            figure_triangle(mesh, last, last + k, last + k + 1);
        }
    }
}

static inline void figure_mesh(figure *f)
{
    wr_mesh *mesh = f->model->meshes = figure_room(f, 1, sizeof *mesh);
    size_t most = (size_t)f->rods * RINGS * AROUND;
    f->model->mesh_count = 1;
    *mesh = (wr_mesh){.name = "rods",
                      .positions = figure_room(f, most, sizeof *mesh->positions),
                      .triangles = figure_room(f, 6 * most, sizeof *mesh->triangles),
                      .influence_count = 2,
                      .joints = figure_room(f, 2 * most, sizeof *mesh->joints),
                      .weights = figure_room(f, 2 * most, sizeof *mesh->weights)};
    for (int rod = 0; rod < f->rods; rod++) {
        int first = mesh->vertex_count;
        for (int ring = f->is_one && rod > 0; ring < RINGS; ring++) {
            figure_ring(f, mesh, rod, ring);
        }
        if (!f->is_one) {
            figure_tube(mesh, first, RINGS);
        }
    }
    if (f->is_one) {
        figure_tube(mesh, 0, f->rods * (RINGS - 1) + 1);
    }
    mesh->part_count = 1;
    mesh->parts = figure_room(f, 1, sizeof *mesh->parts);
    mesh->parts[0] = (wr_mesh_part){0, mesh->triangle_count, -1};
}

// Node 0 has the mesh, node 1 is above the joints, node 2 + i joint i.
static inline void figure_nodes(figure *f)
{
    static const char *const names[] = {"rod 1", "rod 2", "rod 3", "rod 4", "rod 5", "rod 6"};
    const wr_pose none = {{0, 0, 0}, {0, 0, 0, 1}};
    wr_model_skin *skin = f->model->skins = figure_room(f, 1, sizeof *skin);
    wr_node *nodes = f->model->nodes = figure_room(f, (size_t)f->rods + 2, sizeof *nodes);
    size_t joints = (size_t)f->rods;
    f->model->skin_count = 1;
    f->model->node_count = f->rods + 2;
    *skin = (wr_model_skin){.name = "skin",
                            .joint_count = f->rods,
                            .joints = figure_room(f, joints, sizeof *skin->joints),
                            .inverse_bind = figure_room(f, joints, sizeof *skin->inverse_bind)};
    nodes[0] = (wr_node){"figure", -1, 0, 0, none, {1, 1, 1}, NULL};
    nodes[1] = (wr_node){"above", -1, -1, -1, none, {1, f->scale, 1}, NULL};
    for (int i = 0; i < f->rods; i++) {
        wr_pose pose = {{0, i > 0 ? -ROD_LENGTH : 0.0f, 0}, {0, 0, 0, 1}};
        pose.position.y = f->is_detached ? -ROD_LENGTH * (float)i : pose.position.y;
        nodes[2 + i] = (wr_node){names[i], f->is_detached ? -1 : 1 + i, -1, -1, pose, {1, 1, 1}, 0};
        skin->joints[i] = 2 + i;
        skin->inverse_bind[i] = WR_MAT34_IDENTITY;
        skin->inverse_bind[i].m[1][3] = ROD_LENGTH * (float)i;
    }
}

static inline void figure_clip(figure *f)
{
    static const float times[3] = {0.0f, 0.4f, 1.0f}, angles[3] = {0.1f, -0.6f, 0.5f};
    wr_clip *clip = f->model->clips = figure_room(f, 1, sizeof *clip);
    f->model->clip_count = 1;
    *clip = (wr_clip){"bend", 0, figure_room(f, (size_t)f->rods + 1, sizeof *clip->tracks)};
    for (int i = 1; i < f->rods; i++) {
        wr_track *track = &clip->tracks[clip->track_count++];
        *track = (wr_track){2 + i,
                            WR_CHANNEL_ROTATION,
                            WR_INTERPOLATION_LINEAR,
                            3,
                            figure_room(f, 3, sizeof(float)),
                            figure_room(f, 12, sizeof(float))};
        for (int k = 0; k < 3; k++) {
            bool other = f->bend == 2 && k == 1;
            wr_quat q = wr_quat_from_axis_angle(wr_v3(other, 0, !other), angles[k]);
            track->times[k] = times[k];
            memcpy(&track->values[4 * k], &q, sizeof q);
        }
    }
    if (f->grows != 1.0f) {
        wr_track *track = &clip->tracks[clip->track_count++];
        *track = (wr_track){2,
                            WR_CHANNEL_SCALE,
                            WR_INTERPOLATION_LINEAR,
                            3,
                            figure_room(f, 3, sizeof(float)),
                            figure_room(f, 9, sizeof(float))};
        for (int k = 0; k < 9; k++) {
            track->times[k / 3] = times[k / 3];
            track->values[k] = k < 3 ? 1.0f : f->grows;
        }
    }
}

// Rods that hang down from the origin one below the other, written to a file.
static inline void figure_write(figure f, const char *path)
{
    wr_error error = {0};
    f.model = wr_model_create(NULL, &error);
    assert_non_null(f.model);
    f.model->name = "rods";
    figure_mesh(&f);
    figure_nodes(&f);
    if (f.bend >= 0) {
        figure_clip(&f);
    }
    if (!wr_model_write_glb(f.model, path, &error)) {
        fail_msg("%s", error.message);
    }
    wr_model_destroy(f.model);
}
