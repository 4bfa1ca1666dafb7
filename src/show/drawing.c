// drawing.c: frames of a take as things to draw.
#include "show.h"

#include "../record/record.h"

static bool mix_grey(wr_take *take, wr_error *error)
{
    size_t most = 0;
    for (int i = 0; i < take->info->model_count; i++) {
        size_t count = (size_t)take->info->models[i]->meshes->vertex_count;
        most = count > most ? count : most;
    }
    if (!take->grey) {
        take->grey = wri_arena_alloc(&take->arena, most, sizeof *take->grey);
        for (size_t i = 0; take->grey && i < most; i++) {
            take->grey[i] = wri_paint_grey();
        }
    }
    return take->grey || wri_fail_memory(error, most * sizeof *take->grey);
}

static void fill_colors(const wr_record_shape *shape, wr_paint paint, wr_color *colors)
{
    if (paint == WR_PAINT_EXAMPLES) {
        wri_paint_examples(&shape->asset->rig, shape->rows, colors);
    } else {
        wri_paint_map(shape->asset, (wr_map_kind)(paint - WR_PAINT_MAPS), colors);
    }
}

// NULL: out of memory.
static const wr_color *find_paint(wr_take *take, const wr_record_shape *shape, wr_paint paint)
{
    int number = shape->owner; // whose fragments share it
    if (!shape->asset || paint == WR_PAINT_GREY) {
        return take->grey;
    }
    if (take->paints.count <= number &&
        !wri_array_add(&take->paints, number + 1 - take->paints.count)) {
        return NULL;
    }
    const wr_rig *rig = &shape->asset->rig;
    wri_body_paint *kept = &WRI_ITEM(take->paints, wri_body_paint, number);
    if (!kept->colors || kept->rig != rig) {
        kept->colors = wri_arena_alloc(&take->arena, (size_t)rig->ride_count, sizeof(wr_color));
        kept->rig = NULL;
    }
    bool is_old = kept->rig != rig || kept->paint != paint ||
                  (paint == WR_PAINT_EXAMPLES && kept->version != shape->version);
    if (kept->colors && is_old) {
        fill_colors(shape, paint, kept->colors);
        kept->rig = rig;
        kept->paint = paint;
        kept->version = shape->version;
    }
    return kept->colors ? kept->colors + shape->first : NULL;
}

void wri_drawing_begin(wr_take *take)
{
    take->things.count = take->bodies.count = 0;
    wri_pieces_forget(&take->pieces);
}

static bool add_model(wr_take *take, const wr_frame *frame, int number, const wr_record_body *body,
                      wr_paint paint, wr_error *error)
{
    wr_record_shape shape;
    wr_render_thing *thing = wri_array_add(&take->things, 1);
    int *owner = wri_array_add(&take->bodies, 1);
    if (!thing || !owner) {
        return wri_fail_memory(error, sizeof *thing);
    }
    *owner = number;
    *thing = (wr_render_thing){.model = body->model < 0 ? NULL : take->info->models[body->model],
                               .pose = frame->poses[number],
                               .tint = body->color,
                               .look = body->look.said ? &body->look : NULL};
    if (!wr_reskin_find(take->reskin, frame, number, body, true, &shape, error)) {
        return false;
    }
    thing->positions = shape.positions;
    thing->normals = shape.normals;
    bool is_painted = wri_paint_is_colors(paint) && thing->model;
    if (is_painted) {
        bool rigid = strcmp(body->material, "rigid") == 0;
        thing->tint = (wr_color){1.0f, 1.0f, 1.0f, 1.0f};
        thing->colors = rigid ? take->grey : find_paint(take, &shape, paint);
    }
    if (paint == WR_PAINT_GREY && !thing->model) {           // the ground
        thing->tint = (wr_color){0.45f, 0.45f, 0.45f, 1.0f}; // paler, so that forms stand out
        thing->look = NULL;
    }
    return !is_painted || thing->colors || wri_fail_memory(error, sizeof(wr_color));
}

bool wri_drawing_add(wr_take *take, const wr_frame *frame, int number, const wr_record_body *body,
                     wr_paint paint, wr_error *error)
{
    if (paint == WR_PAINT_BONES && wri_drawing_has_bones(take, frame, number)) {
        return wri_drawing_add_bones(take, frame, number, body, error);
    }
    bool has_model = body->model >= 0 ? !wr_frame_surface(frame, number, 0) : body->casts_ground;
    return (!has_model || add_model(take, frame, number, body, paint, error)) &&
           wri_drawing_add_pieces(take, frame, number, body, paint, error);
}

bool wr_take_read(wr_take *take, double moment, wr_paint paint, wr_drawing *drawing,
                  wr_error *error)
{
    if (!WRI_REQUIRE(error, take, drawing)) {
        return false;
    }
    int count;
    const wr_frame *frame = wri_take_moment(take, moment, error);
    if (!frame || (wri_paint_is_colors(paint) && !mix_grey(take, error))) {
        return false;
    }
    const wr_record_body *bodies = wr_record_bodies(take->reader, &count);
    count = frame->body_count < count ? frame->body_count : count;
    wri_reskin_prepare(take->reskin, frame, bodies, count, &take->tasks);
    wri_drawing_begin(take);
    for (int i = 0; i < count; i++) {
        if (!wri_drawing_add(take, frame, i, &bodies[i], paint, error)) {
            return false;
        }
    }
    *drawing = (wr_drawing){take->things.count, take->things.items, take->bodies.items};
    return true;
}
