// figure_clip.c: turns of joints as keys.
//
// Values at even times are joined by Catmull and Rom's curve, which is then cut into keys that a
// reader joins by even turns: at 32 per clip nothing is seen of that, at 96 little is felt.
#include "figure_clip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_KEYS = 33 };

static void stop(const char *message, const char *name)
{
    fprintf(stderr, "make_figures: %s%s\n", message, name);
    exit(1);
}

static void *take(wr_model *model, size_t count, size_t size)
{
    void *memory = wr_model_alloc(model, count, size);
    if (!memory) {
        stop("out of memory", "");
    }
    return memory;
}

static float value_at(const figure_turn *t, bool once, int i)
{
    int last = t->count - 1;
    return t->degrees[!once ? (i + t->count) % t->count : i < 0 ? 0 : i > last ? last : i];
}

// `time` in lengths of the clip.
static float find_degrees(const figure_turn *t, bool once, float time)
{
    float at = once ? time * (float)(t->count - 1)
                    : (time + 4.0f - t->phase) * (float)t->count; // phases are below 4
    int i = (int)at;
    float u = at - (float)i, p[4];
    for (int k = 0; k < 4; k++) {
        p[k] = value_at(t, once, once ? i + k - 1 : i % t->count + k - 1);
    }
    float a = -p[0] + 3.0f * p[1] - 3.0f * p[2] + p[3];
    float b = 2.0f * p[0] - 5.0f * p[1] + 4.0f * p[2] - p[3];
    return p[1] + 0.5f * u * (p[2] - p[0] + u * (b + u * a));
}

static wr_quat find_rotation(const figure_clip *clip, const char *joint, float time)
{
    wr_quat q = WR_QUAT_IDENTITY;
    for (int i = 0; i < clip->turn_count; i++) {
        const figure_turn *t = &clip->turns[i];
        if (strcmp(t->joint, joint) == 0) {
            float angle = WR_PI / 180.0f * find_degrees(t, clip->once, time);
            q = wr_quat_multiply(q, wr_quat_from_axis_angle(wr_normalize(t->axis), angle));
        }
    }
    return wr_quat_normalize(q);
}

static wr_track make_track(const figure_clip *clip, int node, wr_model *model)
{
    int keys = clip->keys > 0 ? clip->keys : USUAL_KEYS;
    wr_track track = {.node = node,
                      .channel = WR_CHANNEL_ROTATION,
                      .interpolation = WR_INTERPOLATION_LINEAR,
                      .key_count = keys,
                      .times = take(model, (size_t)keys, sizeof(float)),
                      .values = take(model, (size_t)keys, 4 * sizeof(float))};
    for (int k = 0; k < keys; k++) {
        float share = (float)k / (float)(keys - 1);
        bool again = k == keys - 1 && !clip->once; // to the last bit
        wr_quat q = find_rotation(clip, model->nodes[node].name, again ? 0.0f : share);
        memcpy(track.values + 4 * k, (float[]){q.x, q.y, q.z, q.w}, 4 * sizeof(float));
        track.times[k] = share * clip->length;
    }
    return track;
}

static bool has_joint(const figure_clip *clip, const char *name)
{
    for (int i = 0; i < clip->turn_count; i++) {
        if (strcmp(clip->turns[i].joint, name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_joints(const figure_clip *clip, const wr_model *model)
{
    for (int i = 0; i < clip->turn_count; i++) {
        bool found = false;
        for (int k = 0; k < model->node_count; k++) {
            found = found || strcmp(clip->turns[i].joint, model->nodes[k].name) == 0;
        }
        if (!found) {
            stop("a clip turns what is no joint: ", clip->turns[i].joint);
        }
    }
}

void figure_add_clips(const figure *f, wr_model *model)
{
    model->clips = f->clip_count ? take(model, (size_t)f->clip_count, sizeof *model->clips) : NULL;
    model->clip_count = f->clip_count;
    for (int i = 0; i < f->clip_count; i++) {
        wr_clip *clip = &model->clips[i];
        clip->name = f->clips[i].name;
        clip->tracks = take(model, (size_t)model->node_count, sizeof *clip->tracks);
        check_joints(&f->clips[i], model);
        for (int node = 1; node < model->node_count; node++) {
            if (has_joint(&f->clips[i], model->nodes[node].name)) {
                clip->tracks[clip->track_count++] = make_track(&f->clips[i], node, model);
            }
        }
    }
}
