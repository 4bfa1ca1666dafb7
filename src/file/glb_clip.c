// glb_clip.c: animation clips as glTF animations.
//
// Tracks with equal times share one accessor. All animation data lies in one buffer view. The model
// has been checked.
#include "glb_pack.h"

typedef struct time_line { // times that are already in the file
    const float *times;
    int count, accessor;
} time_line;

typedef struct clip_writer {
    wri_glb *glb;
    const wr_model *model;
    const wr_clip *clip;
    wri_array lines; // time_line, of all clips
    int written;     // clips
} clip_writer;

// --- data -------------------------------------------------------------------------------------

static int add_floats(clip_writer *w, const float *values, int count, int components, float step)
{
    const wri_glb_floats floats = {values, count, components, WRI_GLB_NO_TARGET, false, step};
    return wri_glb_add_floats(w->glb, floats);
}

// Places are rounded to a part of how far they lie from the parent's.
static float place_step(const float *values, int count)
{
    float largest = 0.0f;
    for (int i = 0; i < 3 * count; i++) {
        largest = fmaxf(largest, fabsf(values[i]));
    }
    return 0x1p-21f * largest;
}

static int find_times(clip_writer *w, const wr_track *track)
{
    size_t size = (size_t)track->key_count * sizeof *track->times;
    for (int i = w->lines.count - 1; i >= 0; i--) {
        const time_line *line = &WRI_ITEM(w->lines, time_line, i);
        if (line->count == track->key_count &&
            (line->times == track->times || memcmp(line->times, track->times, size) == 0)) {
            return line->accessor;
        }
    }
    int added = wri_glb_add_floats(
        w->glb, (wri_glb_floats){track->times, track->key_count, 1, WRI_GLB_NO_TARGET, true, 0.0f});
    time_line *line = added < 0 ? NULL : wri_array_add(&w->lines, 1);
    if (!line) {
        return -1;
    }
    *line = (time_line){track->times, track->key_count, added};
    return added;
}

// Unit length where they are not.
static int add_rotations(clip_writer *w, const wr_track *track, int rows)
{
    bool cubic = track->interpolation == WR_INTERPOLATION_CUBIC;
    size_t count = (size_t)rows;
    wr_quat *unit = wri_alloc(NULL, count, sizeof *unit);
    if (!unit) {
        return -1;
    }
    memcpy(unit, track->values, count * sizeof *unit);
    for (size_t i = cubic ? 1 : 0; i < count; i += cubic ? 3 : 1) {
        unit[i] = wri_unit_quat(unit[i]);
    }
    int added = add_floats(w, &unit->x, rows, 4, cubic ? 0.0f : 0x1p-20f);
    wri_free(NULL, unit, count, sizeof *unit);
    return added;
}

static int add_values(clip_writer *w, const wr_track *track)
{
    int width = wr_track_width(w->model, track);
    int64_t rows = track->key_count;
    rows *= track->interpolation == WR_INTERPOLATION_CUBIC ? 3 : 1;
    rows *= track->channel == WR_CHANNEL_WEIGHTS ? width : 1;
    if (rows > INT32_MAX / 16) {
        return -1;
    }
    switch (track->channel) {
    case WR_CHANNEL_ROTATION:
        return add_rotations(w, track, (int)rows);
    case WR_CHANNEL_WEIGHTS:
        return add_floats(w, track->values, (int)rows, 1, 0x1p-16f);
    case WR_CHANNEL_POSITION:
        return add_floats(w, track->values, (int)rows, 3, place_step(track->values, (int)rows));
    default:
        return add_floats(w, track->values, (int)rows, 3, 0.0f);
    }
}

static bool add_track(clip_writer *w, const wr_track *track)
{
    wri_glb_sampler s = {.output = add_values(w, track)};
    s.input = s.output < 0 ? -1 : find_times(w, track);
    wri_glb_sampler *added = s.input < 0 ? NULL : wri_array_add(&w->glb->samplers, 1);
    if (!added) {
        return wri_glb_fail_memory(w->glb);
    }
    *added = s;
    return true;
}

// --- JSON -------------------------------------------------------------------------------------

static void write_channel(wri_json_writer *json, const wr_track *track, int index)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    wri_json_begin_object(json, NULL);
    wri_json_write_int(json, "sampler", index);
    wri_json_begin_object(json, "target");
    wri_json_write_int(json, "node", track->node);
    wri_json_write_string(json, "path", paths[track->channel]);
    wri_json_end_object(json);
    wri_json_end_object(json);
}

static void write_sampler(wri_json_writer *json, const wr_track *track, const wri_glb_sampler *s)
{
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    wri_json_begin_object(json, NULL);
    wri_json_write_int(json, "input", s->input);
    wri_json_write_string(json, "interpolation", names[track->interpolation]);
    wri_json_write_int(json, "output", s->output);
    wri_json_end_object(json);
}

static bool write_clip(clip_writer *w)
{
    wri_json_writer *json = &w->glb->json;
    int first = w->glb->samplers.count;
    for (int i = 0; i < w->clip->track_count; i++) {
        if (!add_track(w, &w->clip->tracks[i])) {
            return false;
        }
    }
    if (w->written++ == 0) {
        wri_json_begin_array(json, "animations");
    }
    wri_json_begin_object(json, NULL);
    wri_glb_write_name(w->glb, w->clip->name);
    wri_json_begin_array(json, "channels");
    for (int i = 0; i < w->clip->track_count; i++) {
        write_channel(json, &w->clip->tracks[i], i);
    }
    wri_json_end_array(json);
    wri_json_begin_array(json, "samplers");
    for (int i = 0; i < w->clip->track_count; i++) {
        write_sampler(json, &w->clip->tracks[i],
                      &WRI_ITEM(w->glb->samplers, wri_glb_sampler, first + i));
    }
    wri_json_end_array(json);
    wri_json_end_object(json);
    return true;
}

bool wri_glb_write_clips(wri_glb *glb, const wr_model *model)
{
    clip_writer w = {
        .glb = glb,
        .model = model,
        .lines = wri_array_create(NULL, sizeof(time_line)),
    };
    bool ok = true;
    for (int i = 0; i < model->clip_count && ok; i++) {
        w.clip = &model->clips[i];
        ok = w.clip->track_count == 0 || write_clip(&w);
    }
    if (w.written > 0) {
        wri_json_end_array(&glb->json);
    }
    wri_array_destroy(&w.lines);
    return ok;
}
