// draw.c: frames of a recording as things to draw.
#include "cli.h"

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
