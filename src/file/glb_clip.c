// glb_clip.c: animation clips as glTF animations.
//
// Translations and rotations are LINEAR (spherical for rotations), scales STEP. Tracks with equal
// times share one accessor. All animation data lies in one buffer view.
#include "glb_pack.h"

typedef struct time_line { // times that are already in the file
    const float *times;
    int count, accessor;
} time_line;

typedef struct channel {
    int node, input, output;
    const char *path;
    bool step;
} channel;

typedef struct clip_writer {
    wri_glb *glb;
    const wr_model *model;
    const wr_clip *clip;
    wri_array lines;    // time_line, of all clips
    wri_array channels; // of this clip
    uint8_t *animated;  // per node: bits of the paths this clip animates
    int written;        // clips
} clip_writer;

// --- checks -----------------------------------------------------------------------------------

enum { TRANSLATION = 1, ROTATION = 2, SCALE = 4 };

static const char *clip_name(const clip_writer *w)
{
    return w->clip->name ? w->clip->name : "";
}

static bool check_times(clip_writer *w, int index, const wr_track *track)
{
    for (int i = 0; i < track->key_count; i++) {
        float least = i > 0 ? track->times[i - 1] : -1e-30f;
        if (!(track->times[i] > least) || !isfinite(track->times[i])) {
            return wri_fail(
                w->glb->error, WR_E_ARGUMENT,
                "%s: clip \"%s\", track %d: times must start at 0 or later and increase; "
                "key %d does not",
                w->glb->path, clip_name(w), index, i);
        }
    }
    return true;
}

static bool check_values(clip_writer *w, int index, const float *values, int count, int components)
{
    for (size_t i = 0; values && i < (size_t)count * (size_t)components; i++) {
        if (!isfinite(values[i])) {
            return wri_fail(w->glb->error, WR_E_ARGUMENT,
                            "%s: clip \"%s\", track %d: key %zu is not finite", w->glb->path,
                            clip_name(w), index, i / (size_t)components);
        }
    }
    return true;
}

static bool check_track(clip_writer *w, int index, const wr_track *track)
{
    int paths = (track->positions ? TRANSLATION : 0) | (track->rotations ? ROTATION : 0) |
                (track->scales ? SCALE : 0);
    if (track->node < 0 || track->node >= w->model->node_count) {
        return wri_fail(w->glb->error, WR_E_ARGUMENT, "%s: clip \"%s\", track %d: node %d of %d",
                        w->glb->path, clip_name(w), index, track->node, w->model->node_count);
    }
    if (w->animated[track->node] & paths) {
        return wri_fail(w->glb->error, WR_E_ARGUMENT,
                        "%s: clip \"%s\", track %d: node %d is animated twice", w->glb->path,
                        clip_name(w), index, track->node);
    }
    w->animated[track->node] |= (uint8_t)paths;
    int n = track->key_count;
    return check_times(w, index, track) &&
           check_values(w, index, (const float *)track->positions, n, 3) &&
           check_values(w, index, (const float *)track->rotations, n, 4) &&
           check_values(w, index, (const float *)track->scales, n, 3);
}

// --- data -------------------------------------------------------------------------------------

static int add_floats(clip_writer *w, const float *values, int count, int components, bool bounds)
{
    return wri_glb_add_floats(w->glb, values, count, components, WRI_GLB_NO_TARGET, bounds);
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
    int added = add_floats(w, track->times, track->key_count, 1, true);
    time_line *line = added < 0 ? NULL : wri_array_add(&w->lines, 1);
    if (!line) {
        return -1;
    }
    *line = (time_line){track->times, track->key_count, added};
    return added;
}

// Unit length, and each on the side of the one before, for players that do not look for it.
static int add_rotations(clip_writer *w, const wr_track *track)
{
    size_t count = (size_t)track->key_count;
    wr_quat *unit = wri_alloc(NULL, count, sizeof *unit);
    if (!unit) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        wr_quat q = wr_quat_normalize(track->rotations[i]);
        bool other_side = i > 0 && wr_quat_dot(q, unit[i - 1]) < 0.0f;
        unit[i] = other_side ? (wr_quat){-q.x, -q.y, -q.z, -q.w} : q;
    }
    int added = add_floats(w, &unit->x, track->key_count, 4, false);
    wri_free(NULL, unit, count, sizeof *unit);
    return added;
}

static bool add_channel(clip_writer *w, const wr_track *track, const char *path, int output)
{
    int input = output < 0 ? -1 : find_times(w, track);
    channel *c = input < 0 ? NULL : wri_array_add(&w->channels, 1);
    if (!c) {
        return wri_glb_fail_memory(w->glb);
    }
    *c = (channel){track->node, input, output, path, strcmp(path, "scale") == 0};
    return true;
}

static bool add_track(clip_writer *w, int index)
{
    const wr_track *track = &w->clip->tracks[index];
    int n = track->key_count;
    if (n <= 0) {
        return true;
    }
    return check_track(w, index, track) &&
           (!track->positions || add_channel(w, track, "translation",
                                             add_floats(w, &track->positions->x, n, 3, false))) &&
           (!track->rotations || add_channel(w, track, "rotation", add_rotations(w, track))) &&
           (!track->scales ||
            add_channel(w, track, "scale", add_floats(w, &track->scales->x, n, 3, false)));
}

// --- JSON -------------------------------------------------------------------------------------

static void write_channel(wri_json_writer *json, const channel *c, int sampler)
{
    wri_json_begin_object(json, NULL);
    wri_json_write_int(json, "sampler", sampler);
    wri_json_begin_object(json, "target");
    wri_json_write_int(json, "node", c->node);
    wri_json_write_string(json, "path", c->path);
    wri_json_end_object(json);
    wri_json_end_object(json);
}

static void write_sampler(wri_json_writer *json, const channel *c)
{
    wri_json_begin_object(json, NULL);
    wri_json_write_int(json, "input", c->input);
    wri_json_write_string(json, "interpolation", c->step ? "STEP" : "LINEAR");
    wri_json_write_int(json, "output", c->output);
    wri_json_end_object(json);
}

static void write_channels(clip_writer *w)
{
    wri_json_writer *json = &w->glb->json;
    if (w->written++ == 0) {
        wri_json_begin_array(json, "animations");
    }
    wri_json_begin_object(json, NULL);
    wri_glb_write_name(w->glb, w->clip->name);
    wri_json_begin_array(json, "channels");
    for (int i = 0; i < w->channels.count; i++) {
        write_channel(json, &WRI_ITEM(w->channels, channel, i), i);
    }
    wri_json_end_array(json);
    wri_json_begin_array(json, "samplers");
    for (int i = 0; i < w->channels.count; i++) {
        write_sampler(json, &WRI_ITEM(w->channels, channel, i));
    }
    wri_json_end_array(json);
    wri_json_end_object(json);
}

static bool write_clip(clip_writer *w)
{
    w->channels.count = 0;
    memset(w->animated, 0, (size_t)w->model->node_count);
    for (int i = 0; i < w->clip->track_count; i++) {
        if (!add_track(w, i)) {
            return false;
        }
    }
    if (w->channels.count > 0) {
        write_channels(w);
    }
    return true;
}

bool wri_glb_write_clips(wri_glb *glb, const wr_model *model, const wr_clip *clips, int clip_count)
{
    clip_writer w = {
        .glb = glb,
        .model = model,
        .lines = wri_array_create(NULL, sizeof(time_line)),
        .channels = wri_array_create(NULL, sizeof(channel)),
        .animated = wri_arena_alloc(&glb->arena, (size_t)model->node_count, 1),
    };
    bool ok = w.animated || wri_glb_fail_memory(glb);
    for (int i = 0; i < clip_count && ok; i++) {
        w.clip = &clips[i];
        ok = write_clip(&w);
    }
    if (w.written > 0) {
        wri_json_end_array(&glb->json);
    }
    wri_array_destroy(&w.lines);
    wri_array_destroy(&w.channels);
    return ok;
}
