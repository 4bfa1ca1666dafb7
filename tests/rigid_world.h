// rigid_world.h: worlds of rigid bodies for tests: building them, stepping them, comparing numbers.
#pragma once

#include "../src/rigid/engine.h"
#include "check.h"

static const float DT = 1.0f / 240.0f;
static const float G = 9.81f;

// --- building worlds --------------------------------------------------------------------------

static inline wr_rigid *create(const wr_rigid_desc *desc)
{
    wr_error error = {0};
    wr_rigid *rigid = wr_rigid_create(desc, &error);
    if (!rigid) {
        fail_msg("%s", error.message);
    }
    return rigid;
}

static inline wr_rigid *make_world(bool gravity, bool sleeping)
{
    wr_rigid_desc desc = wr_rigid_desc_default();
    desc.sleeping = sleeping;
    desc.gravity = gravity ? desc.gravity : wr_v3(0, 0, 0);
    return create(&desc);
}

static inline int add(wr_rigid *rigid, const wr_rigid_body_desc *desc)
{
    wr_error error = {0};
    int body = wr_rigid_add_body(rigid, desc, &error);
    if (body < 0) {
        fail_msg("%s", error.message);
    }
    return body;
}

static inline int join(wr_rigid *rigid, const wr_joint_desc *desc)
{
    wr_error error = {0};
    int joint = wr_rigid_add_joint(rigid, desc, &error);
    if (joint < 0) {
        fail_msg("%s", error.message);
    }
    return joint;
}

static inline wr_rigid_body_desc solid(wr_shape_kind kind, wr_vec3 size, double density, wr_vec3 at)
{
    static const wr_primitive primitives[] = {WR_PRIMITIVE_BOX, WR_PRIMITIVE_SPHERE,
                                              WR_PRIMITIVE_CAPSULE, WR_PRIMITIVE_CYLINDER};
    wr_rigid_body_desc desc = wr_rigid_body_desc_default();
    assert_true(kind <= WR_SHAPE_CYLINDER); // what has its volume from its size
    desc.shape.kind = kind;
    desc.shape.size = size;
    desc.mass = wr_primitive_mass(primitives[kind], size, density);
    desc.pose.position = at;
    return desc;
}

static inline int add_floor(wr_rigid *rigid)
{
    wr_rigid_body_desc desc = wr_rigid_body_desc_default();
    desc.shape.kind = WR_SHAPE_PLANE;
    desc.motion = WR_MOTION_STATIC;
    return add(rigid, &desc);
}

static inline int add_static_box(wr_rigid *rigid, wr_vec3 size, wr_vec3 at)
{
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, size, 1000, at);
    desc.motion = WR_MOTION_STATIC;
    return add(rigid, &desc);
}

static inline void box_points(wr_vec3 low, wr_vec3 high, wr_vec3 points[8])
{
    for (int i = 0; i < 8; i++) {
        points[i] = wr_v3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    }
}

static const int BOX_TRIANGLES[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

typedef struct mesh_box {
    wr_vec3 points[8];
} mesh_box;

static inline void use_mesh(wr_rigid_body_desc *desc, mesh_box *mesh, wr_vec3 size)
{
    box_points(wr_scale(-0.5f, size), wr_scale(0.5f, size), mesh->points);
    desc->shape.kind = WR_SHAPE_MESH;
    desc->shape.positions = mesh->points;
    desc->shape.vertex_count = 8;
    desc->shape.triangles = BOX_TRIANGLES;
    desc->shape.triangle_count = 12;
}

typedef struct eight_boxes {
    wr_vec3 points[8][8];
    wr_piece pieces[8];
} eight_boxes;

// A box as a compound of 2 x 2 x 2 hulls.
static inline void use_hulls(wr_rigid_body_desc *desc, eight_boxes *boxes, wr_vec3 size)
{
    for (int i = 0; i < 8; i++) {
        wr_vec3 low = wr_v3(i & 1 ? 0 : -0.5f * size.x, i & 2 ? 0 : -0.5f * size.y,
                            i & 4 ? 0 : -0.5f * size.z);
        box_points(low, wr_add_scaled(low, 0.5f, size), boxes->points[i]);
        boxes->pieces[i] = (wr_piece){boxes->points[i], 8};
    }
    desc->shape.kind = WR_SHAPE_HULLS;
    desc->shape.pieces = boxes->pieces;
    desc->shape.piece_count = 8;
}

static inline void use_hull(wr_rigid_body_desc *desc, eight_boxes *boxes, wr_vec3 size)
{
    box_points(wr_scale(-0.5f, size), wr_scale(0.5f, size), boxes->points[0]);
    boxes->pieces[0] = (wr_piece){boxes->points[0], 8};
    desc->shape.kind = WR_SHAPE_HULLS;
    desc->shape.pieces = boxes->pieces;
    desc->shape.piece_count = 1;
}

static inline void step(wr_rigid *rigid, double seconds, float dt)
{
    int count = (int)(seconds / dt + 0.5);
    for (int i = 0; i < count; i++) {
        wr_rigid_step(rigid, dt, NULL, NULL);
    }
}

static inline float fastest(const wr_rigid *rigid)
{
    float most = 0;
    for (int i = 0; i < wr_rigid_body_count(rigid); i++) {
        most = fmaxf(most, wr_length(wr_rigid_velocity(rigid, i)));
    }
    return most;
}
