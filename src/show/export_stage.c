// export_stage.c: cameras and lights of a take as nodes of the export's model.
#include "export.h"

#include "../math/elementary.h"

// Pictures that cameras are placed for.
#define ASPECT (16.0f / 9.0f)

// Where it stands and how it is turned: level, it is turned about +Y and then raised.
static wr_pose camera_pose(const wr_camera *camera)
{
    wr_vec3 forward, right, up;
    wr_camera_axes(camera, &forward, &right, &up);
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(0, 1, 0), wri_atan2(-right.z, right.x));
    wr_quat rise = wr_quat_from_axis_angle(wr_v3(1, 0, 0), wri_atan2(forward.y, up.y));
    return (wr_pose){camera->from, wr_quat_multiply(turn, rise)};
}

static int add_node(wri_export *e, const char *name, wr_pose pose)
{
    int node = e->model->node_count++;
    e->model->nodes[node] = (wr_node){.name = name,
                                      .parent = -1,
                                      .mesh = -1,
                                      .skin = -1,
                                      .pose = pose,
                                      .scale = {1.0f, 1.0f, 1.0f}};
    return node;
}

static wr_shot *create_shot(wri_export *e, int index)
{
    const wr_stage *stage = &e->info->stage;
    return index < stage->camera_count
               ? wr_shot_create_own(e->take, &stage->cameras[index], ASPECT, e->error)
               : wr_shot_create(e->take, "auto", ASPECT, e->error);
}

static bool add_camera(wri_export *e, int index)
{
    wr_model *model = e->model;
    wri_export_view *view = &e->views[e->view_count++];
    view->poses = wri_arena_alloc(&e->arena, (size_t)e->schedule.count, sizeof *view->poses);
    if (!view->poses) {
        return wri_fail_memory(e->error, (size_t)e->schedule.count * sizeof *view->poses);
    }
    wr_shot *shot = create_shot(e, index);
    if (!shot) {
        return false;
    }
    float farthest = 0.0f;
    for (int p = 0; p < e->schedule.count; p++) {
        wr_camera now = wr_shot_camera(shot, wr_schedule_frame(&e->schedule, p));
        view->poses[p] = camera_pose(&now);
        farthest = fmaxf(farthest, wr_length(now.from));
    }
    wr_camera first = wr_shot_camera(shot, wr_schedule_frame(&e->schedule, 0));
    wr_shot_destroy(shot);
    view->focus = wr_distance(first.from, first.to);
    const char *name =
        index < e->info->stage.camera_count ? e->info->stage.cameras[index].name : "";
    view->node = add_node(e, name[0] ? name : "camera", view->poses[0]);
    model->cameras[model->camera_count++] =
        (wr_model_camera){.node = view->node,
                          .fov = first.fov,
                          .flat = first.flat,
                          .aspect = ASPECT,
                          .focus = view->focus,
                          .near = 0.01f * view->focus,
                          .far = 2.0f * (farthest + wri_export_reach(e))};
    return true;
}

static void add_light(wri_export *e, const char *name, wr_pose pose, wr_model_light light)
{
    wr_model *model = e->model;
    float exposure = e->info->stage.light.exposure;
    light.node = add_node(e, name, pose);
    light.color.r *= exposure;
    light.color.g *= exposure;
    light.color.b *= exposure;
    model->lights[model->light_count++] = light;
}

static void add_lights(wri_export *e, bool with_sky)
{
    const wr_light *light = &e->info->stage.light;
    if (light->environment) {
        return; // it is all light there is, and neither a sun nor one colour
    }
    wr_camera towards = {.to = wr_scale(-1.0f, light->sun_direction)};
    wr_color high = light->sky_zenith, low = light->sky_horizon, sky = {.a = 1.0f};
    add_light(e, "sun", camera_pose(&towards),
              (wr_model_light){.color = light->sun_color, .radius = light->sun_radius});
    if (with_sky) { // its mean as level ground has it, as render/shade.c
        sky.r = high.r + 0.1f * (low.r - high.r);
        sky.g = high.g + 0.1f * (low.g - high.g);
        sky.b = high.b + 0.1f * (low.b - high.b);
        add_light(e, "sky", WR_POSE_IDENTITY, (wr_model_light){.is_sky = true, .color = sky});
    }
}

bool wri_export_add_stage(wri_export *e, bool with_sky)
{
    wr_model *model = e->model;
    const wr_stage *stage = &e->info->stage;
    int cameras = stage->camera_count > 0 ? stage->camera_count : 1;
    size_t n = (size_t)model->node_count, all = n + (size_t)cameras + 2;
    wr_node *nodes = wr_model_alloc(model, all, sizeof *nodes);
    model->cameras = wr_model_alloc(model, (size_t)cameras, sizeof *model->cameras);
    model->lights = wr_model_alloc(model, 2, sizeof *model->lights);
    e->views = wri_arena_alloc(&e->arena, (size_t)cameras, sizeof *e->views);
    if (!nodes || !model->cameras || !model->lights || !e->views) {
        return wri_fail_memory(e->error, all * sizeof *nodes);
    }
    memcpy(nodes, model->nodes, n * sizeof *nodes);
    model->nodes = nodes;
    for (int i = 0; i < cameras; i++) {
        if (!add_camera(e, i)) {
            return false;
        }
    }
    if (!stage->flat.on) {
        add_lights(e, with_sky);
    }
    return true;
}
