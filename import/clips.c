// clips.c: animations of Assimp as clips.
//
// Assimp gives every animated node keys of all three kinds and forgets how the file went from key
// to key: tracks are linear, and those that never leave the rest pose are left out.
#include "import.h"

#include <assimp/anim.h>

typedef struct clip_builder {
    importer *im;
    double seconds; // per tick
    double start;   // ticks, subtracted where it is negative
    wri_array tracks;
    uint8_t *taken; // per node: channels that have a track
} clip_builder;

// --- tracks -----------------------------------------------------------------------------------

static wr_track *add_track(clip_builder *b, int node, wr_channel channel, unsigned keys, int width)
{
    wr_model *model = b->im->model;
    wr_track track = {
        .node = node,
        .channel = channel,
        .interpolation = WR_INTERPOLATION_LINEAR,
        .times = wr_model_alloc(model, keys, sizeof *track.times),
        .values = wr_model_alloc(model, (size_t)keys * (size_t)width, sizeof *track.values),
    };
    wr_track *added = track.times && track.values ? wri_array_add(&b->tracks, 1) : NULL;
    if (!added) {
        wri_fail_memory(b->im->error, (size_t)keys * (size_t)width * sizeof *track.values);
        return NULL;
    }
    *added = track;
    b->taken[node] |= (uint8_t)(1u << channel);
    return added;
}

// Room for the values of the key, NULL when its time does not come after the one before.
static float *add_key(const clip_builder *b, wr_track *track, double ticks, int width)
{
    float time = (float)((ticks - b->start) * b->seconds);
    if (!(time >= 0.0f) || !isfinite(time) ||
        (track->key_count > 0 && !(time > track->times[track->key_count - 1]))) {
        return NULL;
    }
    track->times[track->key_count] = time;
    return track->values + (size_t)track->key_count++ * (size_t)width;
}

// Takes the track back when it has no keys or all of them are what the node is without it.
static void drop_idle(clip_builder *b, const wr_track *track, const float *rest, int width)
{
    bool idle = true;
    for (int i = 0; i < track->key_count * width && idle; i++) {
        float r = rest[i % width];
        idle = fabsf(track->values[i] - r) <= 1e-6f * (1.0f + fabsf(r));
    }
    if (idle) {
        b->taken[track->node] &= (uint8_t) ~(1u << track->channel);
        b->tracks.count--;
    }
}

static bool add_vectors(clip_builder *b, int node, wr_channel channel,
                        const struct aiVectorKey *keys, unsigned count, float scale, wr_vec3 rest)
{
    if (count == 0 || (b->taken[node] & 1u << channel)) {
        return true;
    }
    wr_track *track = add_track(b, node, channel, count, 3);
    for (unsigned i = 0; track && i < count; i++) {
        float *value = add_key(b, track, keys[i].mTime, 3);
        if (value) {
            value[0] = scale * keys[i].mValue.x;
            value[1] = scale * keys[i].mValue.y;
            value[2] = scale * keys[i].mValue.z;
        }
    }
    if (track) {
        drop_idle(b, track, (float[3]){rest.x, rest.y, rest.z}, 3);
    }
    return track != NULL;
}

static bool add_rotations(clip_builder *b, int node, const struct aiQuatKey *keys, unsigned count)
{
    if (count == 0 || (b->taken[node] & 1u << WR_CHANNEL_ROTATION)) {
        return true;
    }
    wr_quat rest = b->im->model->nodes[node].pose.rotation, last = rest;
    wr_track *track = add_track(b, node, WR_CHANNEL_ROTATION, count, 4);
    for (unsigned i = 0; track && i < count; i++) {
        const struct aiQuaternion *k = &keys[i].mValue;
        float *value = add_key(b, track, keys[i].mTime, 4);
        if (value) {
            wr_quat q = wri_unit_quat((wr_quat){k->x, k->y, k->z, k->w});
            float side = wr_quat_dot(q, last) < 0.0f ? -1.0f : 1.0f; // the same turn, nearer
            last = (wr_quat){side * q.x, side * q.y, side * q.z, side * q.w};
            memcpy(value, &last, sizeof last);
        }
    }
    if (track) {
        drop_idle(b, track, (float[4]){rest.x, rest.y, rest.z, rest.w}, 4);
    }
    return track != NULL;
}

static bool add_channel(clip_builder *b, const struct aiNodeAnim *channel)
{
    importer *im = b->im;
    int node = import_find_node(im, channel->mNodeName.data, channel->mNodeName.length);
    if (node < 0) {
        return true;
    }
    const wr_node *at = &im->model->nodes[node];
    return add_vectors(b, node, WR_CHANNEL_POSITION, channel->mPositionKeys,
                       channel->mNumPositionKeys, im->unit, at->pose.position) &&
           add_rotations(b, node, channel->mRotationKeys, channel->mNumRotationKeys) &&
           add_vectors(b, node, WR_CHANNEL_SCALE, channel->mScalingKeys, channel->mNumScalingKeys,
                       1.0f, at->scale);
}

// --- morph weights ----------------------------------------------------------------------------

static bool find_weight(const struct aiMeshMorphKey *key, unsigned morph, double *weight)
{
    for (unsigned i = 0; i < key->mNumValuesAndWeights; i++) {
        if (key->mValues[i] == morph) {
            *weight = key->mWeights[i];
            return true;
        }
    }
    return false;
}

// A key need not name every morph: those left out lie between their neighbours in time.
static double weight_at(const struct aiMeshMorphAnim *channel, unsigned key, unsigned morph,
                        double rest)
{
    double before = rest, after = rest;
    long low = (long)key, high = (long)key, count = (long)channel->mNumKeys;
    while (low >= 0 && !find_weight(&channel->mKeys[low], morph, &before)) {
        low--;
    }
    while (high < count && !find_weight(&channel->mKeys[high], morph, &after)) {
        high++;
    }
    if (low < 0 || high >= count) {
        return low >= 0 ? before : after;
    }
    double t0 = channel->mKeys[low].mTime, t1 = channel->mKeys[high].mTime;
    double t = channel->mKeys[key].mTime;
    return t1 > t0 ? before + (after - before) * (t - t0) / (t1 - t0) : before;
}

// FBX has "node*0" for the first geometry of a node.
static int find_morph_node(const importer *im, const struct aiString *name)
{
    int node = import_find_node(im, name->data, name->length);
    const char *star = node < 0 ? strrchr(name->data, '*') : NULL;
    return star ? import_find_node(im, name->data, (size_t)(star - name->data)) : node;
}

static bool add_weights(clip_builder *b, const struct aiMeshMorphAnim *channel)
{
    importer *im = b->im;
    int node = find_morph_node(im, &channel->mName);
    int shown = node < 0 ? -1 : im->model->nodes[node].mesh;
    const wr_mesh *mesh = shown < 0 ? NULL : &im->model->meshes[shown];
    if (!mesh || mesh->morph_count == 0 || channel->mNumKeys == 0 ||
        (b->taken[node] & 1u << WR_CHANNEL_WEIGHTS)) {
        return true;
    }
    int width = mesh->morph_count;
    wr_track *track = add_track(b, node, WR_CHANNEL_WEIGHTS, channel->mNumKeys, width);
    float *rest = wri_arena_alloc(&im->arena, (size_t)width, sizeof *rest);
    if (!track || !rest) {
        return wri_fail_memory(im->error, (size_t)width * sizeof *rest);
    }
    for (unsigned i = 0; i < channel->mNumKeys; i++) {
        float *value = add_key(b, track, channel->mKeys[i].mTime, width);
        for (int k = 0; value && k < width; k++) {
            rest[k] = mesh->morphs[k].weight;
            value[k] = (float)weight_at(channel, i, (unsigned)k, (double)rest[k]);
        }
    }
    drop_idle(b, track, rest, width);
    return true;
}

// --- clips ------------------------------------------------------------------------------------

static void find_start(clip_builder *b, const struct aiAnimation *source)
{
    for (unsigned i = 0; i < source->mNumChannels; i++) {
        const struct aiNodeAnim *c = source->mChannels[i];
        b->start = c->mNumPositionKeys ? fmin(b->start, c->mPositionKeys[0].mTime) : b->start;
        b->start = c->mNumRotationKeys ? fmin(b->start, c->mRotationKeys[0].mTime) : b->start;
        b->start = c->mNumScalingKeys ? fmin(b->start, c->mScalingKeys[0].mTime) : b->start;
    }
    for (unsigned i = 0; i < source->mNumMorphMeshChannels; i++) {
        const struct aiMeshMorphAnim *c = source->mMorphMeshChannels[i];
        b->start = c->mNumKeys ? fmin(b->start, c->mKeys[0].mTime) : b->start;
    }
}

static bool add_tracks(clip_builder *b, const struct aiAnimation *source)
{
    for (unsigned i = 0; i < source->mNumChannels; i++) {
        if (!add_channel(b, source->mChannels[i])) {
            return false;
        }
    }
    for (unsigned i = 0; i < source->mNumMorphMeshChannels; i++) {
        if (!add_weights(b, source->mMorphMeshChannels[i])) {
            return false;
        }
    }
    return true;
}

// A clip without tracks is left out.
static bool add_clip(importer *im, const struct aiAnimation *source)
{
    wr_model *model = im->model;
    clip_builder b = {
        .im = im,
        .seconds = source->mTicksPerSecond > 0.0 ? 1.0 / source->mTicksPerSecond : 1.0 / 25.0,
        .tracks = wri_array_create(NULL, sizeof(wr_track)),
        .taken = wri_arena_alloc(&im->arena, (size_t)model->node_count, 1),
    };
    find_start(&b, source);
    wr_clip *clip = &model->clips[model->clip_count];
    clip->name = import_text(im, &source->mName);
    bool ok = clip->name && (b.taken || wri_fail_memory(im->error, 1)) && add_tracks(&b, source);
    size_t count = (size_t)b.tracks.count;
    clip->tracks = ok ? wr_model_alloc(model, count, sizeof *clip->tracks) : NULL;
    if (clip->tracks && count > 0) {
        memcpy(clip->tracks, b.tracks.items, count * sizeof *clip->tracks);
        clip->track_count = (int)count;
        model->clip_count++;
    }
    wri_array_destroy(&b.tracks);
    return ok && (clip->tracks || wri_fail_memory(im->error, count * sizeof *clip->tracks));
}

bool import_clips(importer *im)
{
    size_t count = im->scene->mNumAnimations;
    im->model->clips = wr_model_alloc(im->model, count, sizeof *im->model->clips);
    if (!im->model->clips) {
        return wri_fail_memory(im->error, count * sizeof *im->model->clips);
    }
    for (size_t i = 0; i < count; i++) {
        if (!add_clip(im, im->scene->mAnimations[i])) {
            return false;
        }
    }
    return true;
}
