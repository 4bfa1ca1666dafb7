// draw.c: frames of a recording as things to draw, and a camera that sees them.
#include "cli.h"

#include <math.h>
#include <stdlib.h>

bool cli_drawing_create(cli_drawing *d, wr_record_reader *reader, bool examples, wr_error *error)
{
    const wr_record_info *info = wr_record_about(reader);
    *d = (cli_drawing){.reader = reader,
                       .examples = examples,
                       .things = wri_array_create(NULL, sizeof(wr_render_thing)),
                       .paints = wri_array_create(NULL, sizeof(cli_paint)),
                       .arena = wri_arena_create(NULL),
                       .reskin = wr_reskin_create(info, error)};
    size_t most = 0;
    for (int i = 0; i < info->model_count; i++) {
        size_t count = (size_t)info->models[i]->meshes->vertex_count;
        most = examples && count > most ? count : most;
    }
    d->grey = d->reskin ? wri_arena_alloc(&d->arena, most, sizeof *d->grey) : NULL;
    for (size_t i = 0; d->grey && i < most; i++) {
        d->grey[i] = (wr_color){0.25f, 0.25f, 0.26f, 1.0f};
    }
    return d->grey || (d->reskin && wri_fail_memory(error, most * sizeof *d->grey));
}

void cli_drawing_destroy(cli_drawing *d)
{
    wr_reskin_destroy(d->reskin);
    wri_array_destroy(&d->things);
    wri_array_destroy(&d->paints);
    wri_arena_destroy(&d->arena);
}

// A body's colours by its example weights, kept until they change; grey for what has none.
static const wr_color *find_paint(cli_drawing *d, int number, const wr_record_shape *shape)
{
    cli_paint *added = NULL;
    if (!shape->asset) {
        return d->grey;
    }
    if (d->paints.count <= number) {
        added = wri_array_add(&d->paints, number + 1 - d->paints.count);
        if (!added) {
            return NULL;
        }
    }
    const wr_rig *rig = &shape->asset->rig;
    cli_paint *paint = &WRI_ITEM(d->paints, cli_paint, number);
    if (!paint->colors || paint->rig != rig) {
        paint->colors = wri_arena_alloc(&d->arena, (size_t)rig->ride_count, sizeof(wr_color));
        paint->rig = NULL;
    }
    if (paint->colors && (paint->rig != rig || paint->version != shape->version)) {
        cli_paint_examples(rig, shape->rows, paint->colors);
        paint->rig = rig;
        paint->version = shape->version;
    }
    return paint->colors;
}

bool cli_drawing_read(cli_drawing *d, const wr_frame *frame, wr_error *error)
{
    int body_count;
    const wr_record_body *bodies = wr_record_bodies(d->reader, &body_count);
    const wr_record_info *info = wr_record_about(d->reader);
    d->things.count = 0;
    for (int i = 0; i < frame->body_count && i < body_count; i++) {
        const wr_record_body *body = &bodies[i];
        if (body->model < 0 && !body->casts_ground) {
            continue;
        }
        wr_render_thing *thing = wri_array_add(&d->things, 1);
        wr_record_shape shape;
        if (!thing) {
            return wri_fail_memory(error, sizeof *thing);
        }
        *thing = (wr_render_thing){.model = body->model < 0 ? NULL : info->models[body->model],
                                   .pose = frame->poses[i],
                                   .tint = body->color};
        if (!wr_reskin_find(d->reskin, frame, i, body, true, &shape, error)) {
            return false;
        }
        thing->positions = shape.positions;
        thing->normals = shape.normals;
        if (d->examples && thing->model) {
            bool rigid = strcmp(body->material, "rigid") == 0;
            thing->tint = (wr_color){1.0f, 1.0f, 1.0f, 1.0f};
            thing->colors = rigid ? d->grey : find_paint(d, i, &shape);
            if (!thing->colors) {
                return wri_fail_memory(error, sizeof(wr_color));
            }
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

// --- where the action is ----------------------------------------------------------------------

// Bounds of moving bodies at several times, one array per side of the box.
typedef struct action {
    wri_array sides[6]; // of float: least x, y, z, greatest x, y, z
} action;

static bool add_box(action *a, wr_box box)
{
    const float sides[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    for (int i = 0; i < 6; i++) {
        float *side = wri_array_add(&a->sides[i], 1);
        if (!side) {
            return false;
        }
        *side = sides[i];
    }
    return true;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The value that a fraction of the samples stays below.
static float quantile(wri_array *samples, double fraction)
{
    qsort(samples->items, (size_t)samples->count, sizeof(float), compare_floats);
    return WRI_ITEM(*samples, float, (int)(fraction * (samples->count - 1) + 0.5));
}

// Where a body's vertices are, in the frame of its pose: those of the frame, or of its model.
static wr_box body_bounds(const wr_record_info *info, const wr_frame *frame, int number)
{
    for (int i = 0; i < frame->points_count; i++) {
        const wr_record_points *points = &frame->points[i];
        if (points->body == number) {
            wr_box box = WR_BOX_EMPTY;
            for (int k = 0; k < points->count; k++) {
                box = wr_box_add(box, points->positions[k]);
            }
            return box;
        }
    }
    return wr_mesh_bounds(info->models[info->bodies[number].model]->meshes);
}

static bool gather(wr_record_reader *reader, action *moving, wr_box *fixed, wr_error *error)
{
    const wr_record_info *info = wr_record_about(reader);
    int count = wr_record_frame_count(reader);
    enum { LOOKS = 24 };
    for (int look = 0; look < LOOKS; look++) {
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
            wr_box box = posed_bounds(body_bounds(info, frame, i), frame->poses[i]);
            if (body->is_static) {
                *fixed = wr_box_join(*fixed, box);
            } else if (!add_box(moving, box)) {
                return wri_fail_memory(error, sizeof box);
            }
        }
    }
    return true;
}

// Where most of what moves is for most of the time: the outermost few in a hundred, such as debris
// that flies far or a ball that comes from afar, do not count. fixed: what never moves.
static bool find_action(wr_record_reader *reader, wr_box *box, wr_box *fixed, wr_error *error)
{
    action moving;
    for (int i = 0; i < 6; i++) {
        moving.sides[i] = wri_array_create(NULL, sizeof(float));
    }
    *fixed = WR_BOX_EMPTY;
    bool ok = gather(reader, &moving, fixed, error);
    if (ok && moving.sides[0].count > 0) {
        const double outside = 0.03;
        wri_array *s = moving.sides;
        box->min =
            wr_v3(quantile(&s[0], outside), quantile(&s[1], outside), quantile(&s[2], outside));
        box->max = wr_v3(quantile(&s[3], 1.0 - outside), quantile(&s[4], 1.0 - outside),
                         quantile(&s[5], 1.0 - outside));
    } else if (ok) {
        *box = wr_box_is_empty(*fixed) ? (wr_box){{-1, -1, -1}, {1, 1, 1}} : *fixed;
    }
    for (int i = 0; i < 6; i++) {
        wri_array_destroy(&moving.sides[i]);
    }
    return ok;
}

// In a drawn game there is room around the action, and more below, where the ground is.
static wr_camera frame_flat(wr_box box, wr_box fixed, float aspect)
{
    wr_vec3 size = wr_box_size(box);
    float room = 0.12f * fmaxf(size.x / aspect, size.y);
    box.min.x -= room;
    box.max.x += room;
    box.min.y -= 1.5f * room;
    box.max.y += room;
    if (!wr_box_is_empty(fixed)) { // the camera stands in front of the level
        box.min.z = fminf(box.min.z, fixed.min.z);
        box.max.z = fmaxf(box.max.z, fixed.max.z);
    }
    return wr_camera_frame_flat(box, aspect);
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
        wr_box box, fixed;
        if (!find_action(reader, &box, &fixed, error)) {
            return false;
        }
        *camera = stage->flat.on ? frame_flat(box, fixed, aspect) : wr_camera_frame(box, aspect);
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
