// clip_import.c: a clip of the model's skeleton as a clip of the handles that are its joints.
//
// What moves a handle within its parent are its own node and the nodes without a handle between the
// two. At each of their keys the poses of wr_poses_from_clip, which examples come from, are taken
// into the parent's frame. Where only the handle's own node moves, and by linear keys, that is
// exact between the keys as well: glTF turns evenly within the node's parent, and so does the clip.
// Elsewhere (steps, cubic curves, several nodes, a sheared frame) spans are halved until straight
// ones between are near enough.
#include "build.h"

#include "../math/slerp.h"
#include "../skin/skin.h"

#include <stdlib.h>

static const double NEAR = 3e-4;       // radians, and of the stretch
static const double NEAR_PLACE = 3e-5; // share of the model's size
static const double NOTHING = 1e-5;  // below this a stretch, an angle in radians and a share of the
                                     // size are noise
static const double SHORTEST = 2e-3; // seconds of a span that is halved

enum { MOST_HALVINGS = 8 };

typedef struct key {
    float time;           // seconds
    wr_handle_pose local; // its offset is the position
} key;

typedef struct importer {
    const wr_model *model;
    int clip;
    const wr_skin_handles *joints;
    double size;           // metres, of the model
    wr_mat34 *rest;        // maps of the nodes
    wri_array *keys;       // per handle: key, in the order of time
    wr_handle_pose *poses; // per handle
    wri_arena *arena;      // arena of the clip
    wri_arena work;
    wr_error *error;
} importer;

static bool fail_memory(const importer *im)
{
    return wri_fail_memory(im->error, (size_t)im->joints->handle_count * sizeof(key));
}

// --- poses at a time --------------------------------------------------------------------------

// Drops stretches that are rounding.
static void drop_noise(wr_handle_pose *pose)
{
    const float none[6] = {1, 1, 1, 0, 0, 0};
    bool is_noise = true;
    for (int i = 0; i < 6; i++) {
        is_noise = is_noise && fabsf(pose->stretch[i] - none[i]) < (float)NOTHING;
    }
    if (is_noise) {
        memcpy(pose->stretch, none, sizeof none);
    }
}

static bool sample_all(const importer *im, double time)
{
    const wr_skin_handles *j = im->joints;
    if (!wr_poses_from_clip(im->model, im->clip, time, j->handles, j->nodes, j->handle_count,
                            im->poses, im->error)) {
        return false;
    }
    for (int b = 0; b < j->handle_count; b++) {
        drop_noise(&im->poses[b]);
    }
    return true;
}

// Samples one handle within its parent, without the others.
static bool sample_one(const importer *im, int b, double time, wr_handle_pose *local)
{
    const wr_skin_handles *j = im->joints;
    int parent = j->handles[b].parent, own = parent < 0 ? 0 : 1;
    wr_handle pair[2] = {j->handles[own ? parent : b], j->handles[b]};
    const int nodes[2] = {j->nodes[own ? parent : b], j->nodes[b]};
    wr_handle_pose poses[2];
    pair[0].parent = -1;
    pair[1].parent = 0;
    if (!wr_poses_from_clip(im->model, im->clip, time, pair, nodes, own + 1, poses, im->error)) {
        return false;
    }
    drop_noise(&poses[0]);
    drop_noise(&poses[own]);
    *local = wri_pose_within(pair, poses, own);
    return true;
}

// --- when -------------------------------------------------------------------------------------

static bool moves_within(const importer *im, int node, int b)
{
    int parent = im->joints->handles[b].parent, top = parent < 0 ? -1 : im->joints->nodes[parent];
    for (int i = im->joints->nodes[b]; i >= 0 && i != top; i = im->model->nodes[i].parent) {
        if (i == node) {
            return true;
        }
    }
    return false;
}

static int compare_keys(const void *a, const void *b)
{
    float x = ((const key *)a)->time, y = ((const key *)b)->time;
    return x < y ? -1 : x > y;
}

static void sort_keys(wri_array *keys)
{
    key *list = keys->items;
    int kept = 0;
    if (keys->count > 1) {
        qsort(list, (size_t)keys->count, sizeof *list, compare_keys);
    }
    for (int i = 0; i < keys->count; i++) {
        if (kept == 0 || list[i].time != list[kept - 1].time) {
            list[kept++] = list[i];
        }
    }
    keys->count = kept;
}

static bool add_times(const wr_track *track, wri_array *keys)
{
    bool ok = true;
    for (int k = 0; k < track->key_count && ok; k++) {
        bool jumps = track->interpolation == WR_INTERPOLATION_STEP && track->times[k] > 0.0f;
        key *added = wri_array_add(keys, jumps ? 2 : 1);
        ok = added != NULL;
        if (ok) {
            added[0].time = track->times[k];
        }
        if (ok && jumps) { // the moment before it
            added[1].time = nextafterf(track->times[k], 0.0f);
        }
    }
    return ok;
}

static bool find_times(importer *im)
{
    const wr_clip *clip = &im->model->clips[im->clip];
    for (int b = 0; b < im->joints->handle_count; b++) {
        for (int i = 0; i < clip->track_count; i++) {
            const wr_track *track = &clip->tracks[i];
            if (track->channel != WR_CHANNEL_WEIGHTS && moves_within(im, track->node, b) &&
                !add_times(track, &im->keys[b])) {
                return fail_memory(im);
            }
        }
        sort_keys(&im->keys[b]);
    }
    return true;
}

// --- keys -------------------------------------------------------------------------------------

static bool fill_keys(importer *im)
{
    int count = im->joints->handle_count;
    wri_array all = wri_array_create(NULL, sizeof(key));
    int *next = wri_arena_alloc(&im->work, (size_t)count, sizeof *next);
    bool ok = next || fail_memory(im);
    for (int b = 0; b < count && ok; b++) {
        key *added = wri_array_add(&all, im->keys[b].count);
        ok = added || im->keys[b].count == 0 || fail_memory(im);
        if (ok && im->keys[b].count > 0) {
            memcpy(added, im->keys[b].items, (size_t)im->keys[b].count * sizeof *added);
        }
    }
    sort_keys(&all);
    for (int i = 0; i < all.count && ok; i++) {
        float time = WRI_ITEM(all, key, i).time;
        ok = sample_all(im, (double)time);
        for (int b = 0; b < count && ok; b++) {
            key *k = next[b] < im->keys[b].count ? &WRI_ITEM(im->keys[b], key, next[b]) : NULL;
            if (k && k->time == time) {
                k->local = wri_pose_within(im->joints->handles, im->poses, b);
                next[b]++;
            }
        }
    }
    wri_array_destroy(&all);
    return ok;
}

// --- between keys -----------------------------------------------------------------------------

// True for maps that turn and scale by one factor along all axes.
static bool is_even(const wr_mat34 *map)
{
    double least = INFINITY, most = 0.0, skew = 0.0;
    for (int i = 0; i < 3; i++) {
        double own = 0.0, other = 0.0;
        for (int r = 0; r < 3; r++) {
            own += (double)map->m[r][i] * map->m[r][i];
            other += (double)map->m[r][i] * map->m[r][(i + 1) % 3];
        }
        least = fmin(least, own);
        most = fmax(most, own);
        skew = fmax(skew, fabs(other));
    }
    return most - least < 1e-4 * most && skew < 1e-4 * most;
}

// True when the clip is exact between the keys.
static bool is_plain(const importer *im, int b)
{
    const wr_clip *clip = &im->model->clips[im->clip];
    int node = im->joints->nodes[b], above = im->model->nodes[node].parent;
    bool plain = above < 0 || is_even(&im->rest[above]);
    for (int i = 0; i < clip->track_count; i++) {
        const wr_track *track = &clip->tracks[i];
        if (track->channel != WR_CHANNEL_WEIGHTS && moves_within(im, track->node, b)) {
            plain = plain && track->node == node && track->interpolation == WR_INTERPOLATION_LINEAR;
        }
    }
    return plain;
}

static bool are_apart(const importer *im, const wr_handle_pose *a, const wr_handle_pose *b,
                      double turn, double place)
{
    wr_quat p = a->rotation, q = b->rotation;
    float side = wr_quat_dot(p, q) < 0.0f ? -1.0f : 1.0f;
    wr_quat gap = {p.x - side * q.x, p.y - side * q.y, p.z - side * q.z, p.w - side * q.w};
    bool apart = 2.0 * sqrt((double)wr_quat_dot(gap, gap)) > turn ||
                 (double)wr_distance(a->offset, b->offset) > place * im->size;
    for (int i = 0; i < 6; i++) {
        apart = apart || fabs((double)a->stretch[i] - (double)b->stretch[i]) > turn;
    }
    return apart;
}

static wr_handle_pose between(const key *from, const key *to, double t)
{
    wr_handle_pose out = {
        .rotation = wri_quat_slerp(from->local.rotation, to->local.rotation, t),
        .offset = wr_lerp3(from->local.offset, to->local.offset, (float)t),
    };
    for (int i = 0; i < 6; i++) {
        float a = from->local.stretch[i], b = to->local.stretch[i];
        out.stretch[i] = a + (float)t * (b - a);
    }
    return out;
}

// Adds keys between two to the list. Three looks: a curve that eases in and out is right half way.
static bool halve(const importer *im, int b, key from, key to, int depth, wri_array *out)
{
    static const double looks[3] = {0.5, 0.3, 0.7};
    double span = (double)to.time - (double)from.time;
    key middle = {.time = (float)(0.5 * ((double)from.time + (double)to.time))};
    bool apart = false;
    for (int i = 0; i < 3 && depth > 0 && span > SHORTEST && !apart; i++) {
        wr_handle_pose is, seems = between(&from, &to, looks[i]);
        if (!sample_one(im, b, (double)from.time + looks[i] * span, &is)) {
            return false;
        }
        apart = are_apart(im, &is, &seems, NEAR, NEAR_PLACE);
    }
    if (!apart) {
        return true;
    }
    if (!sample_one(im, b, (double)middle.time, &middle.local) ||
        !halve(im, b, from, middle, depth - 1, out)) {
        return false;
    }
    key *added = wri_array_add(out, 1);
    if (!added) {
        return fail_memory(im);
    }
    *added = middle;
    return halve(im, b, middle, to, depth - 1, out);
}

static bool add_between(importer *im, int b)
{
    wri_array *keys = &im->keys[b], found = wri_array_create(NULL, sizeof(key));
    bool ok = true;
    for (int i = 0; i + 1 < keys->count && ok; i++) {
        ok = halve(im, b, WRI_ITEM(*keys, key, i), WRI_ITEM(*keys, key, i + 1), MOST_HALVINGS,
                   &found);
    }
    key *added = ok && found.count > 0 ? wri_array_add(keys, found.count) : NULL;
    if (added) {
        memcpy(added, found.items, (size_t)found.count * sizeof *added);
        sort_keys(keys);
    }
    ok = ok && (added || found.count == 0 || fail_memory(im));
    wri_array_destroy(&found);
    return ok;
}

// --- tracks -----------------------------------------------------------------------------------

static const float *numbers_of(const key *k, wr_rig_channel channel)
{
    const float *const fields[] = {&k->local.rotation.x, &k->local.offset.x, k->local.stretch};
    return fields[channel];
}

// The pose with one channel of another one.
static wr_handle_pose with_channel(wr_handle_pose pose, const wr_handle_pose *other,
                                   wr_rig_channel channel)
{
    pose.rotation = channel == WR_RIG_ROTATION ? other->rotation : pose.rotation;
    pose.offset = channel == WR_RIG_POSITION ? other->offset : pose.offset;
    if (channel == WR_RIG_STRETCH) {
        memcpy(pose.stretch, other->stretch, sizeof pose.stretch);
    }
    return pose;
}

// Returns the number of keys that the channel needs: none where it stays as at rest, one where it
// stays.
static int count_keys(const importer *im, int b, wr_rig_channel channel)
{
    const wri_array *keys = &im->keys[b];
    const wr_handle *handles = im->joints->handles;
    int parent = handles[b].parent;
    wr_vec3 c = handles[b].pivot;
    const wr_handle_pose rest = {.rotation = WR_QUAT_IDENTITY,
                                 .offset = parent < 0 ? c : wr_sub(c, handles[parent].pivot),
                                 .stretch = {1, 1, 1, 0, 0, 0}};
    bool moves = false, differs = false;
    for (int i = 0; i < keys->count; i++) {
        const wr_handle_pose *local = &WRI_ITEM(*keys, key, i).local;
        const wr_handle_pose *first = &WRI_ITEM(*keys, key, 0).local;
        wr_handle_pose now = with_channel(rest, local, channel);
        wr_handle_pose begun = with_channel(rest, first, channel);
        moves = moves || are_apart(im, &now, &begun, NOTHING, 0.1 * NOTHING);
        differs = differs || are_apart(im, &now, &rest, NOTHING, 0.1 * NOTHING);
    }
    return moves ? keys->count : differs ? 1 : 0;
}

static float *copy_times(const importer *im, const wri_array *keys)
{
    float *times = wri_arena_alloc(im->arena, (size_t)keys->count, sizeof *times);
    for (int i = 0; times && i < keys->count; i++) {
        times[i] = WRI_ITEM(*keys, key, i).time;
    }
    return times;
}

// Neighbours in time are in one hemisphere, for programs that do not look for the shorter arc.
static float *copy_values(const importer *im, const wri_array *keys, wr_rig_channel channel,
                          int count)
{
    size_t width = (size_t)wr_rig_channel_width(channel);
    float *values = wri_arena_alloc(im->arena, (size_t)count, width * sizeof *values);
    for (int i = 0; values && i < count; i++) {
        float *out = values + (size_t)i * width, dot = 0.0f;
        const float *before = i > 0 ? out - width : out;
        memcpy(out, numbers_of(&WRI_ITEM(*keys, key, i), channel), width * sizeof *out);
        for (size_t k = 0; k < width && i > 0 && channel == WR_RIG_ROTATION; k++) {
            dot += out[k] * before[k];
        }
        for (size_t k = 0; k < width && dot < 0.0f; k++) {
            out[k] = -out[k];
        }
    }
    return values;
}

static bool add_tracks(const importer *im, int b, wr_rig_clip *out)
{
    const wri_array *keys = &im->keys[b];
    float *times = NULL;
    for (int c = 0; c < WR_RIG_CHANNELS; c++) {
        wr_rig_channel channel = (wr_rig_channel)c;
        int count = count_keys(im, b, channel);
        if (count == 0) {
            continue;
        }
        times = times ? times : copy_times(im, keys);
        wr_rig_track track = {b, channel, count, times, copy_values(im, keys, channel, count)};
        if (!track.times || !track.values) {
            return fail_memory(im);
        }
        out->tracks[out->track_count++] = track;
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool prepare(importer *im, wr_rig_clip *out)
{
    size_t count = (size_t)im->joints->handle_count, nodes = (size_t)im->model->node_count;
    im->keys = wri_arena_alloc(&im->work, count, sizeof *im->keys);
    for (size_t b = 0; im->keys && b < count; b++) {
        im->keys[b] = wri_array_create(NULL, sizeof(key));
    }
    im->rest = wri_arena_alloc(&im->work, nodes, sizeof *im->rest);
    im->poses = wri_arena_alloc(&im->work, count, sizeof *im->poses);
    out->tracks = wri_arena_alloc(im->arena, WR_RIG_CHANNELS * count, sizeof *out->tracks);
    if (!im->keys || !im->rest || !im->poses || !out->tracks) {
        return fail_memory(im);
    }
    wr_model_pose(im->model, NULL, 0.0, im->rest, NULL);
    return true;
}

bool wri_clip_import(const wr_model *model, int clip, const wr_skin_handles *joints, double size,
                     wri_arena *arena, wr_rig_clip *out, wr_error *error)
{
    importer im = {.model = model,
                   .clip = clip,
                   .joints = joints,
                   .size = size,
                   .arena = arena,
                   .work = wri_arena_create(NULL),
                   .error = error};
    *out = (wr_rig_clip){.name = model->clips[clip].name,
                         .length = wr_clip_length(&model->clips[clip])};
    bool ok = prepare(&im, out) && find_times(&im) && fill_keys(&im);
    for (int b = 0; b < joints->handle_count && ok; b++) {
        ok = (is_plain(&im, b) || add_between(&im, b)) && add_tracks(&im, b, out);
    }
    for (int b = 0; im.keys && b < joints->handle_count; b++) {
        wri_array_destroy(&im.keys[b]);
    }
    wri_arena_destroy(&im.work);
    return ok;
}
