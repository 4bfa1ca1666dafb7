// drawing.h: a drawing for tests: a square in the plane z = 0 with a picture on it, no light.
#pragma once

#include "wrought/geometry.h"

enum { DRAWING_SIDE = 32 }; // pixels

typedef struct drawing {
    wr_model model;
    wr_mesh mesh;
    wr_look look;
    wr_image image;
    wr_node node;
    wr_mesh_part part;
    wr_vec3 positions[4], normals[4];
    wr_vec2 uvs[4];
    int triangles[6];
    uint8_t pixels[DRAWING_SIDE * DRAWING_SIDE * 4];
} drawing;

static inline void drawing_fill(drawing *d, int x, int y, int width, int height, uint8_t r,
                                uint8_t g, uint8_t b, uint8_t a)
{
    for (int row = y; row < y + height; row++) {
        for (int column = x; column < x + width; column++) {
            uint8_t *p = d->pixels + 4 * (row * DRAWING_SIDE + column);
            p[0] = r;
            p[1] = g;
            p[2] = b;
            p[3] = a;
        }
    }
}

// A square of side 2 around the origin, of one colour.
static inline void drawing_create(drawing *d, uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
    *d = (drawing){
        .positions = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
        .normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}},
        .uvs = {{0, 1}, {1, 1}, {1, 0}, {0, 0}},
        .triangles = {0, 1, 2, 0, 2, 3},
        .part = {0, 2, 0},
        .look = {.name = "ink",
                 .base_color = {1, 1, 1, 1},
                 .roughness = 1.0f,
                 .double_sided = true,
                 .unlit = true,
                 .alpha = WR_ALPHA_BLEND},
    };
    d->image = (wr_image){"picture", DRAWING_SIDE, DRAWING_SIDE, d->pixels};
    d->node = (wr_node){
        .name = "drawing", .parent = -1, .skin = -1, .pose = WR_POSE_IDENTITY, .scale = {1, 1, 1}};
    d->mesh = (wr_mesh){.name = "square",
                        .vertex_count = 4,
                        .triangle_count = 2,
                        .part_count = 1,
                        .positions = d->positions,
                        .normals = d->normals,
                        .uvs = d->uvs,
                        .triangles = d->triangles,
                        .parts = &d->part};
    d->model = (wr_model){.name = "drawing",
                          .mesh_count = 1,
                          .look_count = 1,
                          .image_count = 1,
                          .node_count = 1,
                          .meshes = &d->mesh,
                          .looks = &d->look,
                          .images = &d->image,
                          .nodes = &d->node};
    drawing_fill(d, 0, 0, DRAWING_SIDE, DRAWING_SIDE, r, g, b, a);
}
