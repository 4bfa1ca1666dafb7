// draw.c: frames of a recording as things to draw, and a camera that sees them.
#include "cli.h"

bool cli_frame_things(const wr_record_reader *reader, const wr_frame *frame, wri_array *things,
                      wr_error *error)
{
    int body_count;
    const wr_record_body *bodies = wr_record_bodies(reader, &body_count);
    const wr_record_info *info = wr_record_about(reader);
    things->count = 0;
    for (int i = 0; i < frame->body_count && i < body_count; i++) {
        if (bodies[i].model < 0 && !bodies[i].casts_ground) {
            continue;
        }
        wr_render_thing *thing = wri_array_add(things, 1);
        if (!thing) {
            return wri_fail_memory(error, sizeof *thing);
        }
        *thing = (wr_render_thing){
            .model = bodies[i].model < 0 ? NULL : info->models[bodies[i].model],
            .pose = frame->poses[i],
            .tint = bodies[i].color,
        };
        for (int k = 0; k < frame->points_count; k++) {
            if (frame->points[k].body != i || !thing->model) {
                continue;
            }
            if (frame->points[k].count != thing->model->meshes[0].vertex_count) {
                return wri_fail(error, WR_E_UNSUPPORTED,
                                "frame %d: body \"%s\" has %d points, expected the %d of its model",
                                frame->index, bodies[i].name, frame->points[k].count,
                                thing->model->meshes[0].vertex_count);
            }
            thing->positions = frame->points[k].positions;
        }
    }
    return true;
}

static wr_box posed_bounds(wr_box local, wr_pose pose)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < 8; i++) {
        wr_vec3 corner = wr_v3(i & 1 ? local.max.x : local.min.x, i & 2 ? local.max.y : local.min.y,
                               i & 4 ? local.max.z : local.min.z);
        box = wr_box_add(box, wr_pose_point(pose, corner));
    }
    return box;
}

static wr_box clip_box(wr_box box, wr_box limit)
{
    wr_box clipped = {wr_max3(box.min, limit.min), wr_min3(box.max, limit.max)};
    return wr_box_is_empty(clipped) ? limit : clipped;
}

static wr_box grow_box(wr_box box, float factor)
{
    wr_vec3 half = wr_scale(0.5f * factor, wr_box_size(box)), center = wr_box_center(box);
    return (wr_box){wr_sub(center, half), wr_add(center, half)};
}

// What moves, over the whole recording; debris that flies far away does not count.
static bool find_action(wr_record_reader *reader, wr_box *action, wr_error *error)
{
    const wr_record_info *info = wr_record_about(reader);
    int count = wr_record_frame_count(reader);
    wr_box all = WR_BOX_EMPTY, first = WR_BOX_EMPTY, fixed = WR_BOX_EMPTY;
    enum { LOOKS = 24 };
    for (int look = 0; look < LOOKS && count > 0; look++) {
        int index = (int)((int64_t)look * (count - 1) / (LOOKS - 1));
        const wr_frame *frame = wr_record_read_frame(reader, index, error);
        if (!frame) {
            return false;
        }
        for (int i = 0; i < info->body_count && i < frame->body_count; i++) {
            const wr_record_body *body = &info->bodies[i];
            if (body->model < 0) {
                continue;
            }
            wr_box local = wr_mesh_bounds(info->models[body->model]->meshes);
            wr_box box = posed_bounds(local, frame->poses[i]);
            wr_box *sum = body->is_static ? &fixed : &all;
            *sum = wr_box_join(*sum, box);
        }
        first = look == 0 ? all : first;
    }
    *action = wr_box_is_empty(all) ? fixed : clip_box(all, grow_box(first, 2.5f));
    if (wr_box_is_empty(*action)) {
        *action = (wr_box){{-1, -1, -1}, {1, 1, 1}};
    }
    return true;
}

bool cli_find_camera(wr_record_reader *reader, const char *name, float aspect, wr_camera *camera,
                     wr_error *error)
{
    const wr_stage *stage = &wr_record_about(reader)->stage;
    if (!name && stage->camera_count > 0) {
        *camera = stage->cameras[0];
        return true;
    }
    if (!name || strcmp(name, "auto") == 0) {
        wr_box action;
        if (!find_action(reader, &action, error)) {
            return false;
        }
        *camera = wr_camera_frame(action, aspect);
        return true;
    }
    const char *names[WR_STAGE_CAMERAS + 1] = {"auto"};
    for (int i = 0; i < stage->camera_count; i++) {
        names[i + 1] = stage->cameras[i].name;
        if (strcmp(stage->cameras[i].name, name) == 0) {
            *camera = stage->cameras[i];
            return true;
        }
    }
    const char *nearest = wri_nearest_word(name, names, stage->camera_count + 1);
    return wri_fail(error, WR_E_ARGUMENT,
                    "the recording has no camera \"%s\"; did you mean \"%s\"?", name,
                    nearest ? nearest : names[stage->camera_count ? 1 : 0]);
}
