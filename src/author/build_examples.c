// build_examples.c: the examples of a recipe, from wherever they come.
#include "build.h"

#include "../base/os.h"
#include "../record/record.h"

typedef struct example_builder {
    wri_builder *b;
    const wri_recipe_example *recipe;
    wri_json at; // place that a sentence about it points to
    wr_example *out;
    wr_example_report *report;
    wr_error *why;
} example_builder;

// --- dragged handles --------------------------------------------------------------------------

static bool is_pin(const wr_asset *asset, int vertex)
{
    for (int i = 0; i < asset->pin_count; i++) {
        if (asset->pins[i].particle == vertex) {
            return true;
        }
    }
    return false;
}

// Every handle scaled and moved along with it, about the middle of the lower edge. Pins go where
// the layer below takes them.
static int scale_all(const wr_asset *asset, wr_vec2 scale, wr_handle_move *moves)
{
    const wr_rig *rig = &asset->rig;
    wr_box box = WR_BOX_EMPTY;
    for (int v = 0; v < rig->vertex_count; v++) {
        box = wr_box_add(box, rig->rest[v]);
    }
    wr_vec2 about = {0.5f * (box.min.x + box.max.x), box.min.y};
    for (int b = 0; b < rig->handle_count; b++) {
        wr_vec3 c = rig->handles[b].pivot;
        moves[b] = (wr_handle_move){.handle = b,
                                    .rotation = WR_QUAT_IDENTITY,
                                    .is_free = is_pin(asset, rig->handles[b].vertex),
                                    .is_scaled = true,
                                    .scale = scale};
        if (!moves[b].is_free) {
            moves[b].is_turned = true;
            moves[b].offset =
                wr_v3((scale.x - 1.0f) * (c.x - about.x), (scale.y - 1.0f) * (c.y - about.y), 0.0f);
        }
    }
    return rig->handle_count;
}

// Adds a move on top of what the whole does.
static void put_move(wr_handle_move *moves, int *count, const wri_move *m, int handle)
{
    int i = 0;
    while (i < *count && moves[i].handle != handle) {
        i++;
    }
    if (i == *count) {
        moves[(*count)++] = (wr_handle_move){
            .handle = handle, .rotation = WR_QUAT_IDENTITY, .is_free = !m->has_offset};
    }
    wr_handle_move *out = &moves[i];
    if (m->has_offset) {
        out->offset = wr_add(out->offset, m->offset);
        out->is_free = false;
        out->is_turned = false; // as far as said; the rotation is found
    }
    if (m->has_rotation) {
        out->rotation = m->rotation;
        out->is_turned = true;
    }
    if (m->has_scale) {
        wr_vec2 whole = out->is_scaled ? out->scale : (wr_vec2){1.0f, 1.0f};
        out->scale = (wr_vec2){whole.x * m->scale.x, whole.y * m->scale.y};
        out->is_scaled = true;
    }
}

static bool is_skeleton(const wr_rig *rig)
{
    for (int b = 0; b < rig->handle_count; b++) {
        if (rig->handles[b].parent >= 0) {
            return true;
        }
    }
    return false;
}

// What hangs on a turned joint goes with it as one piece, and turns on top of that where it is
// turned itself; a joint that is moved is where it was told to be. Where none is moved, the joints
// that nothing turns keep their rotations, too: with those that resist least, a bent elbow would
// turn the shoulder. moves has room for all handles, whose parents come before them.
static bool carry_children(const wr_rig *rig, wr_handle_move *moves, int *count, wri_arena *arena)
{
    size_t handles = (size_t)rig->handle_count;
    wr_handle_move *all = wri_arena_alloc(arena, handles, sizeof *all);
    bool *is_given = wri_arena_alloc(arena, handles, sizeof *is_given), none_moved = true;
    if (!all || !is_given) {
        return false;
    }
    for (int i = 0; i < *count; i++) {
        all[moves[i].handle] = moves[i];
        is_given[moves[i].handle] = true;
        none_moved = none_moved && moves[i].is_free;
    }
    *count = 0;
    for (int b = 0; b < rig->handle_count; b++) {
        wr_handle_move *own = &all[b];
        int parent = rig->handles[b].parent;
        bool hangs = parent >= 0 && is_given[parent] && all[parent].is_turned;
        if (!is_given[b]) {
            *own = (wr_handle_move){b, .rotation = WR_QUAT_IDENTITY, .is_free = true};
        }
        if (hangs && own->is_free) {
            const wr_handle_move *above = &all[parent];
            wr_vec3 arm = wr_sub(rig->handles[b].pivot, rig->handles[parent].pivot);
            own->rotation = wr_quat_multiply(above->rotation, own->rotation);
            own->offset = wr_add(above->offset, wr_sub(wr_rotate(above->rotation, arm), arm));
        }
        own->is_turned = own->is_turned || (own->is_free && (hangs || none_moved));
        is_given[b] = is_given[b] || own->is_turned;
        if (is_given[b]) {
            moves[(*count)++] = *own;
        }
    }
    return true;
}

static bool build_moves(example_builder *e)
{
    const wr_rig *rig = &e->b->asset->rig;
    const wri_recipe_example *recipe = e->recipe;
    size_t room = (size_t)rig->handle_count;
    wr_handle_move *moves = wri_arena_alloc(&e->b->arena, room, sizeof *moves);
    if (!moves) {
        return wri_fail_memory(e->why, room * sizeof *moves);
    }
    int count = recipe->is_scaled ? scale_all(e->b->asset, recipe->scale, moves) : 0;
    for (int i = 0; i < recipe->move_count; i++) {
        const wri_move *m = &recipe->moves[i];
        int handle = wr_rig_find_handle(rig, m->handle, NULL);
        handle = handle < 0 ? wri_find_handle_in_words(e->b, m->handle) : handle;
        if (handle < 0) {
            (void)wr_rig_find_handle(rig, m->handle, e->why);
            size_t used = strlen(e->why->message);
            if (e->b->layer_count == 0 && e->why->message[used - 1] != '?') { // no handle is near
                snprintf(e->why->message + used, sizeof e->why->message - used,
                         " (or a place such as \"front left top\")");
            }
            e->at = wri_at_key(m->json);
            return false;
        }
        put_move(moves, &count, m, handle);
    }
    if (e->b->layer_count > 1) {
        return wri_pose_layers(e->b, moves, count, recipe->raw.follow, e->out->poses, e->why);
    }
    if (!recipe->raw.follow && is_skeleton(rig) &&
        !carry_children(rig, moves, &count, &e->b->arena)) {
        return wri_fail_memory(e->why, room * sizeof *moves);
    }
    for (int i = 0; i < count; i++) { // otherwise turned and scaled about themselves
        moves[i].is_free = moves[i].is_free && recipe->raw.follow;
    }
    return wri_memo_moves(&e->b->memo, e->b->rig_key, rig, moves, count, recipe->raw.follow,
                          e->out->poses, e->why);
}

// --- shapes -----------------------------------------------------------------------------------

bool wri_build_fit(wri_builder *b, const wr_fit_desc *wish, wr_example *out,
                   wr_example_report *report, wr_error *why)
{
    const wr_rig *rig = &b->asset->rig;
    wr_fit_desc desc = *wish;
    wr_fit_report found = {0};
    desc.rig = rig;
    desc.allocator = &b->desc.allocator;
    out->correctives =
        wr_asset_alloc(b->asset, (size_t)rig->vertex_count, sizeof *out->correctives);
    out->details = wr_asset_alloc(b->asset, (size_t)rig->ride_count, sizeof *out->details);
    if (!out->correctives || !out->details) {
        return wri_fail_memory(why, (size_t)rig->ride_count * sizeof *out->details);
    }
    if (!wri_memo_fit(&b->memo, b->rig_key, &desc, out, &found, why)) {
        return false;
    }
    report->handle_error = found.handles.max;
    report->detail_error = found.correctives.max;
    return true;
}

static bool fit(example_builder *e, const wr_fit_desc *wish)
{
    return wri_build_fit(e->b, wish, e->out, e->report, e->why);
}

static wr_vec3 *shape_room(example_builder *e, int count)
{
    wr_vec3 *shape = wri_arena_alloc(&e->b->arena, (size_t)count, sizeof *shape);
    if (!shape) {
        wri_fail_memory(e->why, (size_t)count * sizeof *shape);
    }
    return shape;
}

// Builds an example from a clip. Handles that are the model's own joints show the clip themselves.
static bool build_clip(example_builder *e)
{
    wri_builder *b = e->b;
    const wr_rig *rig = &b->asset->rig;
    int clip = wr_clip_find(b->source, e->recipe->raw.clip, e->why);
    wr_vec3 *shape = clip < 0 ? NULL : shape_room(e, rig->ride_count);
    if (!shape) {
        return false;
    }
    double time = e->recipe->raw.time, length = wr_clip_length(&b->source->clips[clip]);
    if (time > length + 1e-4) {
        e->at = *wri_json_find(e->recipe->json, "time");
        return wri_fail(e->why, WR_E_FORMAT, "\"time\" is %s s, the clip ends at %s s",
                        WRI_NUMBER(time, 6), WRI_NUMBER(length, 6));
    }
    time = time < 0.0 ? length : time;
    wr_fit_desc desc = wr_fit_desc_default();
    desc.targets = shape;
    if (b->joints) {
        desc.poses = e->out->poses;
        if (!wr_poses_from_clip(b->source, clip, time, rig->handles, b->joints->nodes,
                                rig->handle_count, e->out->poses, e->why)) {
            return false;
        }
    }
    return wr_shape_from_clip(b->source, clip, time, shape, e->why) && fit(e, &desc);
}

static bool build_morph(example_builder *e)
{
    wr_vec3 *shape = shape_room(e, e->b->asset->rig.ride_count);
    wr_fit_desc desc = wr_fit_desc_default();
    desc.targets = shape;
    return shape &&
           wr_shape_from_morph(e->b->source, e->recipe->raw.morph, e->recipe->raw.amount, shape,
                               e->why) &&
           fit(e, &desc);
}

static bool build_sculpt(example_builder *e)
{
    wri_builder *b = e->b;
    const char *path = wri_recipe_file(b->recipe, &b->arena, e->recipe->raw.sculpt);
    const wr_read_options options = wri_recipe_read_options(b->recipe);
    wr_vec3 *shape = path ? shape_room(e, b->asset->rig.ride_count) : NULL;
    wr_model *sculpt = shape ? wr_model_read(path, &options, e->why) : NULL;
    if (!sculpt) {
        return path ? false : wri_fail_memory(e->why, 1);
    }
    wr_fit_desc desc = wr_fit_desc_default();
    desc.targets = shape;
    bool ok = wri_choose_named(b, sculpt, e->why) &&
              wr_shape_from_sculpt(b->source, sculpt, shape, NULL, e->why) && fit(e, &desc);
    wr_model_destroy(sculpt);
    return ok;
}

// Handles stay at rest: folds are finer than what they can say, and what was not pressed is the
// same in every bit.
static bool build_crush(example_builder *e)
{
    wr_vec3 *shape;
    wr_fit_desc desc = wr_fit_desc_default();
    desc.poses = e->b->asset->rig.examples[0].poses;
    if (!wri_build_crush(e->b, e->recipe, &shape, e->why)) {
        return false;
    }
    desc.targets = shape;
    return fit(e, &desc);
}

static bool find_frame(example_builder *e, const wr_record_reader *reader, int *frame)
{
    const raw_recording *raw = &e->recipe->recording;
    const wr_record_info *info = wr_record_about(reader);
    double rate = (double)info->rate_numerator / info->rate_denominator;
    double end = (wr_record_frame_count(reader) - 1) / rate;
    if (raw->time > end + 0.5 / rate) {
        e->at = *wri_json_find(e->recipe->raw.recording, "time");
        return wri_fail(e->why, WR_E_FORMAT, "\"time\" is %s s, the recording ends at %s s",
                        WRI_NUMBER(raw->time, 6), WRI_NUMBER(end, 6));
    }
    *frame = wri_recording_frame(raw, rate);
    return true;
}

// Handles go where their vertices went (paper, fig. 5), then the rest is fitted.
static bool fit_frame(example_builder *e, wr_record_reader *reader)
{
    wri_builder *b = e->b;
    const wr_rig *rig = &b->asset->rig;
    const raw_recording *raw = &e->recipe->recording;
    int frame = -1, count = -1;
    if (find_frame(e, reader, &frame)) {
        count = wr_record_vertex_count(reader, raw->body, frame, NULL, e->why);
    }
    if (count < 0) {
        return false;
    }
    bool moved, at_vertices = count == rig->vertex_count && count != rig->ride_count;
    if (!at_vertices && count != rig->ride_count) {
        return wri_fail(e->why, WR_E_FORMAT,
                        "body \"%s\" has %d vertices, expected those of the model (%d) or of the "
                        "simulation mesh (%d)",
                        raw->body, count, rig->ride_count, rig->vertex_count);
    }
    wr_vec3 *shape = shape_room(e, count);
    uint8_t *fixed = wri_arena_alloc(&b->arena, (size_t)rig->handle_count, 1);
    if (!shape || !fixed ||
        !wr_shape_from_recording(reader, raw->body, frame, NULL, count, shape, &moved, e->why)) {
        return false;
    }
    wr_fit_desc desc = wr_fit_desc_default();
    desc.targets = shape;
    desc.at_vertices = at_vertices;
    if (moved) {
        wr_shape_align(at_vertices ? rig->rest : b->asset->model->meshes->positions, count, shape);
    }
    if (at_vertices) {
        wr_poses_from_vertices(rig, shape, e->out->poses, fixed);
        desc.poses = e->out->poses;
        desc.fixed = fixed;
    }
    return fit(e, &desc);
}

static bool build_frame(example_builder *e)
{
    const raw_recording *raw = &e->recipe->recording;
    if (raw->scene && !e->recipe->simulated) {
        return wri_fail(e->why, WR_E_ARGUMENT, "%s has not been simulated: see wr_recipe_simulate",
                        raw->scene);
    }
    const char *path =
        wri_recipe_file(e->b->recipe, &e->b->arena, raw->scene ? e->recipe->simulated : raw->file);
    path = path ? wri_record_path(&e->b->arena, path) : NULL;
    wr_record_reader *reader = path ? wr_record_open(path, e->why) : NULL;
    bool ok = reader && fit_frame(e, reader);
    wr_record_close(reader);
    return ok;
}

// --- each, and what it does -------------------------------------------------------------------

static bool build_source(example_builder *e)
{
    const raw_example *raw = &e->recipe->raw;
    if (raw->move || raw->turn || raw->scale) {
        return build_moves(e);
    }
    if (e->b->layer_count > 0) {
        return wri_fail(e->why, WR_E_FORMAT,
                        "a picture has no clips, morph targets, sculpts or sheet metal, "
                        "expected \"move\", \"turn\" or \"scale\"");
    }
    return raw->clip     ? build_clip(e)
           : raw->morph  ? build_morph(e)
           : raw->sculpt ? build_sculpt(e)
           : raw->crush  ? build_crush(e)
                         : build_frame(e);
}

// A cell of the sheet may have the name already.
static bool is_taken(const wri_builder *b, const char *name)
{
    bool taken = false;
    for (int i = 1; b->sheet.cells && i < b->sheet.cell_count; i++) {
        taken = taken || strcmp(b->sheet.cells[i].name, name) == 0;
    }
    return taken;
}

// Builds an example; index counts all, cells of a sheet included.
static bool build_example(wri_builder *b, int index, wr_error *why)
{
    wr_rig *rig = &b->asset->rig;
    int cells = b->report->example_count - b->recipe->example_count;
    const wri_recipe_example *recipe = &b->recipe->examples[index - cells];
    size_t length = strlen(recipe->raw.name) + 1;
    char *name = wr_asset_alloc(b->asset, length, 1);
    wr_example *out = &rig->examples[index + 1];
    out->poses = wr_asset_alloc(b->asset, (size_t)rig->handle_count, sizeof *out->poses);
    const char *where = wri_arena_printf(&b->arena, "example \"%s\"", recipe->raw.name);
    if (!name || !out->poses || !where) {
        return wri_fail_memory(why, length);
    }
    memcpy(name, recipe->raw.name, length);
    out->name = name;
    example_builder e = {b, recipe, *recipe->json, out, &b->report->examples[index], why};
    return (is_taken(b, name) ? wri_fail(why, WR_E_FORMAT, "has the name of a cell of the sheet")
                              : build_source(&e)) ||
           wri_build_fail(b, &e.at, where, why);
}

bool wri_build_examples(wri_builder *b)
{
    wr_rig *rig = &b->asset->rig;
    int count = b->report->example_count;
    wr_error why = {0};
    if (b->sheet.cells && !wri_build_cells(b, &why)) {
        return wri_build_fail(b, b->recipe->raw.sheet, "sheet", &why);
    }
    for (int i = count - b->recipe->example_count; i < count; i++) {
        b->example_start = fmax(b->example_start, 0.75 + 0.2 * i / count);
        b->example_share = 0.2 / count;
        wri_build_progress(b, "examples", b->example_start);
        if (!build_example(b, i, &why)) {
            return false;
        }
    }
    rig->example_count = count + 1;
    return wr_asset_measure(b->asset, &b->desc.tasks, b->report->examples, &why) ||
           wri_build_fail(b, b->recipe->root, "recipe", &why);
}
