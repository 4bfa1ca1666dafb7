// pose_pictures.c: the poses of a drawing as small pictures, all at one scale.
#include "asset_view.h"

typedef struct pictures {
    wri_asset_shape shape;
    wr_render *render;
    int size;
    float side; // metres that a picture shows
    uint8_t **out;
} pictures;

static wr_box bounds(const pictures *p)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < p->shape.asset->model->meshes[0].vertex_count; i++) {
        box = wr_box_add(box, p->shape.positions[i]);
    }
    return box;
}

static bool draw_pose(pictures *p, int example, wr_error *error)
{
    if (!wri_asset_shape_pose(&p->shape, example, 1.0f, error)) {
        return false;
    }
    wr_stage stage = wr_stage_default();
    stage.flat.on = true;
    wr_camera camera = wr_camera_frame_flat(bounds(p), 1.0f);
    camera.flat = p->side;
    const wr_render_thing thing = {.model = p->shape.asset->model,
                                   .pose = WR_POSE_IDENTITY,
                                   .tint = {1.0f, 1.0f, 1.0f, 1.0f},
                                   .positions = p->shape.positions,
                                   .normals = p->shape.normals};
    return wr_render_draw_cutout(p->render, &thing, 1, &stage, &camera, p->out[example], error);
}

static bool draw_poses(pictures *p, wr_error *error)
{
    int count = p->shape.asset->rig.example_count;
    bool ok = true;
    for (int e = 0; ok && e < count; e++) {
        ok = wri_asset_shape_pose(&p->shape, e, 1.0f, error);
        wr_vec3 middle = wr_box_center(bounds(p));
        for (int i = 0; ok && i < p->shape.asset->model->meshes[0].vertex_count; i++) {
            wr_vec3 x = p->shape.positions[i]; // a circle around it fits into the picture
            p->side = fmaxf(p->side, 2.0f * hypotf(x.x - middle.x, x.y - middle.y));
        }
    }
    for (int e = 0; ok && e < count; e++) {
        ok = draw_pose(p, e, error);
    }
    return ok;
}

const uint8_t *const *wri_pose_pictures(const wr_asset *asset, int size, wr_tasks tasks,
                                        wri_arena *arena, wr_error *error)
{
    size_t count = (size_t)asset->rig.example_count, bytes = (size_t)size * (size_t)size * 4;
    pictures p = {.size = size, .out = wri_arena_alloc(arena, count, sizeof *p.out)};
    bool ok = p.out != NULL;
    for (size_t e = 0; ok && e < count; e++) {
        p.out[e] = wri_arena_alloc(arena, bytes, 1);
        ok = p.out[e] != NULL;
    }
    if (!ok) {
        wri_fail_memory(error, count * bytes);
        return NULL;
    }
    wr_render_desc desc = wr_render_desc_default();
    desc.width = desc.height = size;
    desc.samples = 4; // they are drawn smaller
    desc.tasks = tasks;
    p.render = wr_render_create(&desc, error);
    ok = p.render && wri_asset_shape_create(&p.shape, asset, tasks, error) && draw_poses(&p, error);
    wr_render_destroy(p.render);
    if (p.shape.asset) {
        wri_asset_shape_destroy(&p.shape);
    }
    return ok ? (const uint8_t *const *)p.out : NULL;
}
