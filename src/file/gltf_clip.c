// gltf_clip.c: skins and animations of glTF.
//
// Only skins that nodes of the scene use are kept, and only channels that move such nodes; the
// `skeleton` hint is passed over. Numbers stay as they are, except that rotations become unit
// length where they are not.
#include "gltf.h"

// --- skins ------------------------------------------------------------------------------------

static bool read_joints(wri_gltf *g, int index, const wri_json *json, wr_model_skin *skin)
{
    const wri_json *joints = NULL;
    if (!wri_gltf_array(g, json, "joints", &joints)) {
        return false;
    }
    if (!joints || joints->count == 0) {
        return wri_gltf_fail(g, json, WR_E_FORMAT, "skin %d has no joints", index);
    }
    skin->joint_count = joints->count;
    skin->joints = wr_model_alloc(g->model, (size_t)joints->count, sizeof *skin->joints);
    if (!skin->joints) {
        return wri_fail_memory(g->error, (size_t)joints->count * sizeof *skin->joints);
    }
    for (int i = 0; i < joints->count; i++) {
        int node = -1;
        if (!wri_gltf_as_index(g, &joints->items[i], g->node_count, &node)) {
            return false;
        }
        skin->joints[i] = g->node_map[node];
        if (skin->joints[i] < 0) {
            return wri_gltf_fail(g, &joints->items[i], WR_E_FORMAT,
                                 "skin %d: joint %d, node %d, is not part of the scene", index, i,
                                 node);
        }
    }
    return true;
}

// m is column by column; the last row must be 0 0 0 1, give or take some rounding.
static bool set_matrix(const float m[16], wr_mat34 *out)
{
    for (int i = 0; i < 16; i++) {
        if (!isfinite(m[i])) {
            return false;
        }
        if (i % 4 < 3) {
            out->m[i % 4][i / 4] = m[i];
        }
    }
    return fabsf(m[3]) < 1e-3f && fabsf(m[7]) < 1e-3f && fabsf(m[11]) < 1e-3f &&
           fabsf(m[15] - 1.0f) < 1e-3f;
}

static bool fill_matrices(wri_gltf *g, const wri_json *json, int accessor, const float *values,
                          wr_model_skin *skin)
{
    for (int i = 0; i < skin->joint_count; i++) {
        if (!set_matrix(values + 16 * (size_t)i, &skin->inverse_bind[i])) {
            return wri_gltf_fail(g, json, WR_E_FORMAT,
                                 "accessor %d: the matrix of joint %d is not an affine map",
                                 accessor, i);
        }
    }
    return true;
}

static bool read_matrices(wri_gltf *g, const wri_json *json, wr_model_skin *skin)
{
    int accessor = -1;
    skin->inverse_bind =
        wr_model_alloc(g->model, (size_t)skin->joint_count, sizeof *skin->inverse_bind);
    if (!skin->inverse_bind) {
        return wri_fail_memory(g->error, (size_t)skin->joint_count * sizeof *skin->inverse_bind);
    }
    for (int i = 0; i < skin->joint_count; i++) {
        skin->inverse_bind[i] = WR_MAT34_IDENTITY;
    }
    if (!wri_gltf_index(g, json, "inverseBindMatrices", g->accessors ? g->accessors->count : 0,
                        &accessor)) {
        return false;
    }
    wri_gltf_accessor a;
    if (accessor < 0) {
        return true;
    }
    if (!wri_gltf_open_accessor(g, accessor, &a)) {
        return false;
    }
    if (a.components != 16 || a.component_type != 5126 || a.count < skin->joint_count) {
        return wri_gltf_fail(g, json, WR_E_FORMAT,
                             "accessor %d cannot hold the matrices of %d joints", accessor,
                             skin->joint_count);
    }
    float *values = wri_alloc(&g->arena.allocator, (size_t)a.count, 16 * sizeof *values);
    if (!values) {
        return wri_fail_memory(g->error, (size_t)a.count * 16 * sizeof *values);
    }
    bool ok = wri_gltf_read_floats(g, &a, values) && fill_matrices(g, json, accessor, values, skin);
    wri_free(&g->arena.allocator, values, (size_t)a.count, 16 * sizeof *values);
    return ok;
}

// Numbers the skins that are used; -1: not used.
static int choose_skins(wri_gltf *g, int *map, int count)
{
    int used = 0;
    for (int i = 0; i < count; i++) {
        map[i] = -1;
    }
    for (int i = 0; i < g->model->node_count; i++) {
        wr_node *node = &g->model->nodes[i];
        if (node->mesh < 0) {
            node->skin = -1;
        }
        if (node->skin >= 0) {
            map[node->skin] = 0;
        }
    }
    for (int i = 0; i < count; i++) {
        map[i] = map[i] < 0 ? -1 : used++;
    }
    for (int i = 0; i < g->model->node_count; i++) {
        wr_node *node = &g->model->nodes[i];
        node->skin = node->skin < 0 ? -1 : map[node->skin];
    }
    return used;
}

bool wri_gltf_read_skins(wri_gltf *g)
{
    const wri_json *skins = NULL;
    if (!wri_gltf_array(g, g->root, "skins", &skins)) {
        return false;
    }
    int count = skins ? skins->count : 0;
    int *map = wri_arena_alloc(&g->arena, (size_t)count, sizeof *map);
    int used = map ? choose_skins(g, map, count) : 0;
    g->model->skins = map ? wr_model_alloc(g->model, (size_t)used, sizeof *g->model->skins) : NULL;
    if (!g->model->skins) {
        return wri_fail_memory(g->error, (size_t)count * sizeof *g->model->skins);
    }
    for (int i = 0; i < count; i++) {
        if (map[i] < 0) {
            continue;
        }
        wr_model_skin *skin = &g->model->skins[g->model->skin_count++];
        skin->name = wri_gltf_copy_name(g, &skins->items[i]);
        if (!skin->name || !read_joints(g, i, &skins->items[i], skin) ||
            !read_matrices(g, &skins->items[i], skin)) {
            return false;
        }
    }
    return true;
}

// --- tracks -----------------------------------------------------------------------------------

static bool read_times(wri_gltf *g, const wri_json *json, int accessor, wr_track *track)
{
    wri_gltf_accessor a;
    if (!wri_gltf_open_accessor(g, accessor, &a)) {
        return false;
    }
    if (a.components != 1 || a.component_type != 5126) {
        return wri_gltf_fail(g, json, WR_E_FORMAT, "accessor %d cannot hold times", accessor);
    }
    if (!wri_gltf_keep(g, json, a.count, sizeof *track->times)) {
        return false;
    }
    track->key_count = a.count;
    track->times = wr_model_alloc(g->model, (size_t)a.count, sizeof *track->times);
    if (!track->times) {
        return wri_fail_memory(g->error, (size_t)a.count * sizeof *track->times);
    }
    if (!wri_gltf_read_floats(g, &a, track->times)) {
        return false;
    }
    for (int i = 0; i < a.count; i++) {
        float time = track->times[i];
        if (!(i > 0 ? time > track->times[i - 1] : time >= 0.0f) || !isfinite(time)) {
            return wri_gltf_fail(g, json, WR_E_FORMAT,
                                 "accessor %d: times must start at 0 or later and increase; time "
                                 "%d is %g",
                                 accessor, i, (double)time);
        }
    }
    return true;
}

static bool tidy_rotations(wri_gltf *g, const wri_json *json, int accessor, wr_track *track)
{
    bool cubic = track->interpolation == WR_INTERPOLATION_CUBIC;
    for (size_t i = 0; i < (size_t)track->key_count; i++) {
        float *v = track->values + 4 * (cubic ? 3 * i + 1 : i);
        wr_quat q = {v[0], v[1], v[2], v[3]};
        if (q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 0.0f) {
            return wri_gltf_fail(g, json, WR_E_FORMAT,
                                 "accessor %d: key %zu is the quaternion 0 0 0 0, expected a "
                                 "rotation",
                                 accessor, i);
        }
        q = wri_unit_quat(q);
        memcpy(v, &q, sizeof q);
    }
    return true;
}

static bool read_values(wri_gltf *g, const wri_json *json, int accessor, wr_track *track)
{
    wri_gltf_accessor a;
    if (!wri_gltf_open_accessor(g, accessor, &a)) {
        return false;
    }
    uint64_t rows = (uint64_t)track->key_count;
    rows *= track->interpolation == WR_INTERPOLATION_CUBIC ? 3 : 1;
    int width = wr_track_width(g->model, track), components = width;
    if (track->channel == WR_CHANNEL_WEIGHTS) {
        rows *= (uint64_t)width;
        components = 1;
    }
    if (a.components != components || (uint64_t)a.count != rows) {
        return wri_gltf_fail(g, json, WR_E_FORMAT,
                             "accessor %d has %d elements of %d numbers, expected %llu of %d",
                             accessor, a.count, a.components, (unsigned long long)rows, components);
    }
    if (!wri_gltf_keep(g, json, a.count, (size_t)components * sizeof *track->values)) {
        return false;
    }
    size_t count = (size_t)a.count * (size_t)components;
    track->values = wr_model_alloc(g->model, count, sizeof *track->values);
    if (!track->values) {
        return wri_fail_memory(g->error, count * sizeof *track->values);
    }
    if (!wri_gltf_read_floats(g, &a, track->values)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(track->values[i])) {
            return wri_gltf_fail(g, json, WR_E_FORMAT, "accessor %d: element %zu is not finite",
                                 accessor, i / (size_t)components);
        }
    }
    return track->channel != WR_CHANNEL_ROTATION || tidy_rotations(g, json, accessor, track);
}

static bool read_interpolation(wri_gltf *g, const wri_json *sampler, wr_track *track)
{
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const char *name = names[0];
    if (!wri_gltf_text(g, sampler, "interpolation", &name)) {
        return false;
    }
    for (int i = 0; i < WRI_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            track->interpolation = (wr_interpolation)i;
            return true;
        }
    }
    return wri_gltf_fail(g, sampler, WR_E_UNSUPPORTED,
                         "interpolation \"%.40s\", expected LINEAR, STEP or CUBICSPLINE", name);
}

static bool read_sampler(wri_gltf *g, const wri_json *sampler, wr_track *track)
{
    int accessors = g->accessors ? g->accessors->count : 0, input = -1, output = -1;
    if (!wri_gltf_index(g, sampler, "input", accessors, &input) ||
        !wri_gltf_index(g, sampler, "output", accessors, &output) ||
        !read_interpolation(g, sampler, track)) {
        return false;
    }
    if (input < 0 || output < 0) {
        return wri_gltf_fail(g, sampler, WR_E_FORMAT, "the sampler needs input and output");
    }
    if (!read_times(g, sampler, input, track)) {
        return false;
    }
    if (track->interpolation == WR_INTERPOLATION_CUBIC && track->key_count < 2) {
        return wri_gltf_fail(g, sampler, WR_E_FORMAT, "CUBICSPLINE needs at least 2 keys");
    }
    return read_values(g, sampler, output, track);
}

// Reads the property that a channel moves; *moves stays false when that is nothing we have.
static bool read_target(wri_gltf *g, const wri_json *channel, wr_track *track, bool *moves)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const wri_json *target = NULL;
    const char *path = "";
    int node = -1, found = -1;
    if (!wri_gltf_object(g, channel, "target", &target) ||
        !wri_gltf_index(g, target, "node", g->node_count, &node) ||
        !wri_gltf_text(g, target, "path", &path)) {
        return false;
    }
    for (int i = 0; i < WRI_COUNT(paths); i++) {
        found = strcmp(path, paths[i]) == 0 ? i : found;
    }
    if (found < 0 || node < 0 || g->node_map[node] < 0) {
        return true; // extensions have more paths
    }
    track->node = g->node_map[node];
    track->channel = (wr_channel)found;
    int mesh = g->model->nodes[track->node].mesh;
    if (track->channel == WR_CHANNEL_WEIGHTS && mesh < 0) {
        return true; // a mesh without triangles was left out
    }
    *moves = true;
    return wr_track_width(g->model, track) > 0 ||
           wri_gltf_fail(g, channel, WR_E_FORMAT, "node %d has no morph targets to animate", node);
}

static bool read_channel(wri_gltf *g, const wri_json *channel, const wri_json *samplers,
                         wr_clip *clip)
{
    wr_track track = {0};
    bool moves = false;
    int sampler = -1;
    if (!read_target(g, channel, &track, &moves) ||
        !wri_gltf_index(g, channel, "sampler", samplers ? samplers->count : 0, &sampler)) {
        return false;
    }
    if (!moves) {
        return true;
    }
    if (sampler < 0) {
        return wri_gltf_fail(g, channel, WR_E_FORMAT, "the channel has no sampler");
    }
    if (!read_sampler(g, &samplers->items[sampler], &track)) {
        return false;
    }
    clip->tracks[clip->track_count++] = track;
    return true;
}

static bool read_clip(wri_gltf *g, const wri_json *json, wr_clip *clip)
{
    const wri_json *channels = NULL, *samplers = NULL;
    clip->name = wri_gltf_copy_name(g, json);
    if (!clip->name || !wri_gltf_array(g, json, "channels", &channels) ||
        !wri_gltf_array(g, json, "samplers", &samplers)) {
        return false;
    }
    size_t count = channels ? (size_t)channels->count : 0;
    clip->tracks = wr_model_alloc(g->model, count, sizeof *clip->tracks);
    if (!clip->tracks) {
        return wri_fail_memory(g->error, count * sizeof *clip->tracks);
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_channel(g, &channels->items[i], samplers, clip)) {
            return false;
        }
    }
    return true;
}

bool wri_gltf_read_clips(wri_gltf *g)
{
    const wri_json *animations = NULL;
    if (!wri_gltf_array(g, g->root, "animations", &animations)) {
        return false;
    }
    size_t count = animations ? (size_t)animations->count : 0;
    g->model->clips = wr_model_alloc(g->model, count, sizeof *g->model->clips);
    if (!g->model->clips) {
        return wri_fail_memory(g->error, count * sizeof *g->model->clips);
    }
    for (size_t i = 0; i < count; i++) {
        wr_clip clip = {0};
        if (!read_clip(g, &animations->items[i], &clip)) {
            return false;
        }
        if (clip.track_count > 0) {
            g->model->clips[g->model->clip_count++] = clip;
        }
    }
    return true;
}
