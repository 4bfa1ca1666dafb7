// asset_preview.c: an asset as other programs see it.
//
// Where no example and no clip moves a handle, there are no joints. Else:
// Handles are joints at their pivots, in the hierarchy of their parents. A render vertex follows
// the four handles that weigh most where it rides. A clip per example takes the joints from rest at
// 0 s to the example's pose at 1 s; joint b then maps u to R_b (u - c_b) + c_b + d_b, whatever its
// parents do. Clips of the asset move the joints as they are: the frames are the same. A stretch
// along the axes of the rest shape is a scale, another one is left out.
//
// What joints cannot do (correctives, details, stretches, and with them the weights that were cut)
// is a morph target of the clip's own. glTF adds morph targets before it skins, so the offset o of
// a vertex p with the example's place x solves M (p + o) = x, M = sum_j w_j M_j its blended map:
// o = A^-1 (x - M p), A the linear part of M. Where A is near singular the offset is left out.
#include "asset.h"
#include "../skin/skin.h"

#define LEAST_DETERMINANT 0.01 // least determinant of A, which is 1 for a rotation

typedef struct preview {
    const wr_asset *asset;
    const wr_rig *rig;
    int joint_count; // one per handle, 0: none moves
    wr_model *model;
    wr_mesh *mesh;
    wr_skin *skin;    // NULL: no example needs it
    wr_vec3 *x;       // vertex_count, an example
    wr_vec3 *shape;   // ride_count, likewise
    wr_mat34 *maps;   // per handle or node
    wr_mat34 *joints; // per handle
    float *blend;     // example_count
    float *times;     // 0 and 1
    wri_arena arena;  // lives as long as the making
    wr_error *error;
} preview;

enum { MESH_NODE, ROOT_NODE, FIRST_JOINT }; // joints need a common root

static bool fail_memory(preview *p)
{
    return wri_fail_memory(p->error, (size_t)p->mesh->vertex_count * sizeof(wr_vec3));
}

// --- joints -----------------------------------------------------------------------------------

// Returns the pose of a joint in an example.
static wr_pose joint_pose(const wr_rig *rig, int e, int b)
{
    const wr_handle_pose *pose = &rig->examples[e].poses[b];
    return (wr_pose){wr_add(rig->handles[b].pivot, pose->offset),
                     e == 0 ? WR_QUAT_IDENTITY : wr_quat_normalize(pose->rotation)};
}

// Returns that pose within its parent.
static wr_pose local_pose(const wr_rig *rig, int e, int b)
{
    wr_pose pose = joint_pose(rig, e, b);
    int parent = rig->handles[b].parent;
    if (parent < 0) {
        return pose;
    }
    return wr_pose_multiply(wr_pose_inverse(joint_pose(rig, e, parent)), pose);
}

static int count_joints(const wr_asset *asset)
{
    bool moves = asset->clip_count > 0;
    for (int e = 1; e < asset->rig.example_count; e++) {
        moves =
            moves || !wri_poses_are_still(asset->rig.examples[e].poses, asset->rig.handle_count);
    }
    return moves ? asset->rig.handle_count : 0;
}

static bool add_nodes(preview *p)
{
    const wr_rig *rig = p->rig;
    wr_model *model = p->model;
    model->node_count = p->joint_count > 0 ? FIRST_JOINT + p->joint_count : 1;
    model->nodes = wr_model_alloc(model, (size_t)model->node_count, sizeof *model->nodes);
    if (!model->nodes) {
        return fail_memory(p);
    }
    for (int i = 0; i < model->node_count; i++) {
        int b = i - FIRST_JOINT;
        bool joint = b >= 0;
        model->nodes[i] = (wr_node){
            .name = joint            ? rig->handles[b].name
                    : i == MESH_NODE ? p->asset->model->nodes[0].name
                                     : "handles",
            .parent = !joint                       ? -1
                      : rig->handles[b].parent < 0 ? ROOT_NODE
                                                   : FIRST_JOINT + rig->handles[b].parent,
            .mesh = i == MESH_NODE ? 0 : -1,
            .skin = i == MESH_NODE && p->joint_count > 0 ? 0 : -1,
            .pose = joint ? local_pose(rig, 0, b) : WR_POSE_IDENTITY,
            .scale = {1.0f, 1.0f, 1.0f},
        };
    }
    return true;
}

static bool add_skin(preview *p)
{
    size_t count = (size_t)p->joint_count;
    wr_model *model = p->model;
    if (count == 0) {
        return true;
    }
    wr_model_skin *skin = wr_model_alloc(model, 1, sizeof *skin);
    int *joints = wr_model_alloc(model, count, sizeof *joints);
    wr_mat34 *inverse = wr_model_alloc(model, count, sizeof *inverse);
    if (!skin || !joints || !inverse) {
        return fail_memory(p);
    }
    for (size_t b = 0; b < count; b++) {
        wr_vec3 c = p->rig->handles[b].pivot;
        joints[b] = FIRST_JOINT + (int)b;
        inverse[b] = (wr_mat34){{{1, 0, 0, -c.x}, {0, 1, 0, -c.y}, {0, 0, 1, -c.z}}};
    }
    *skin = (wr_model_skin){"handles", (int)count, joints, inverse};
    model->skins = skin;
    model->skin_count = 1;
    return true;
}

// --- weights ----------------------------------------------------------------------------------

// Weights where a vertex rides; outside of its element they may be negative.
static void find_row(const wr_rig *rig, int ride, double *row)
{
    const wr_ride *r = &rig->rides[ride];
    size_t B = (size_t)rig->handle_count;
    memset(row, 0, B * sizeof *row);
    for (int k = 0; k <= rig->dimension; k++) {
        int vertex = rig->elements[(size_t)r->element * (size_t)(rig->dimension + 1) + (size_t)k];
        const float *weights = &rig->weights[(size_t)vertex * B];
        for (size_t b = 0; b < B; b++) {
            row[b] += (double)r->weights[k] * (double)weights[b];
        }
    }
}

// In the steps of 16 bits, that a file may have them so.
static void keep_largest(const double *row, int count, int joints[4], float weights[4])
{
    double kept[4] = {0}, sum = 0.0;
    for (int b = 0; b < count; b++) {
        int k = 4;
        for (; k > 0 && row[b] > kept[k - 1]; k--) {
            if (k < 4) {
                kept[k] = kept[k - 1];
                joints[k] = joints[k - 1];
            }
        }
        if (k < 4) {
            kept[k] = row[b];
            joints[k] = b;
        }
    }
    for (int k = 0; k < 4; k++) {
        sum += kept[k];
    }
    int rest = UINT16_MAX; // for the first, which is the largest
    for (int k = 3; k >= 0 && sum > 0.0; k--) {
        int whole = k > 0 ? (int)(UINT16_MAX * kept[k] / sum + 0.5) : rest;
        weights[k] = (float)whole / UINT16_MAX;
        rest -= whole;
    }
}

static bool add_weights(preview *p)
{
    wr_mesh *mesh = p->mesh;
    size_t count = (size_t)mesh->vertex_count, B = (size_t)p->joint_count;
    if (B == 0) {
        return true;
    }
    double *row = wri_arena_alloc(&p->arena, B, sizeof *row);
    mesh->joints = wr_model_alloc(p->model, count, 4 * sizeof *mesh->joints);
    mesh->weights = wr_model_alloc(p->model, count, 4 * sizeof *mesh->weights);
    if (!row || !mesh->joints || !mesh->weights) {
        return fail_memory(p);
    }
    mesh->influence_count = 4;
    for (size_t i = 0; i < count; i++) {
        find_row(p->rig, (int)i, row);
        keep_largest(row, (int)B, mesh->joints + 4 * i, mesh->weights + 4 * i);
    }
    return true;
}

// --- clips ------------------------------------------------------------------------------------

static bool add_track(preview *p, wr_clip *clip, int node, wr_channel channel, int width,
                      const float *from, const float *to)
{
    size_t size = (size_t)width * sizeof(float);
    float *values = wr_model_alloc(p->model, 2, size);
    if (!values) {
        return fail_memory(p);
    }
    memcpy(values, from, size);
    memcpy(values + width, to, size);
    clip->tracks[clip->track_count++] = (wr_track){
        .node = node, .channel = channel, .key_count = 2, .times = p->times, .values = values};
    return true;
}

// Joints that stay as they are need no tracks, but a clip needs one.
static bool add_clip(preview *p, int e)
{
    const wr_rig *rig = p->rig;
    wr_clip *clip = &p->model->clips[e - 1];
    clip->name = rig->examples[e].name;
    clip->tracks =
        wr_model_alloc(p->model, 2 * (size_t)rig->handle_count + 1, sizeof *clip->tracks);
    bool ok = clip->tracks || fail_memory(p);
    for (int b = 0; b < p->joint_count && ok; b++) {
        wr_pose from = p->model->nodes[FIRST_JOINT + b].pose, to = local_pose(rig, e, b);
        bool moved = memcmp(&from.position, &to.position, sizeof from.position) != 0;
        bool turned = memcmp(&from.rotation, &to.rotation, sizeof from.rotation) != 0;
        if (moved || (b == 0 && !turned)) {
            ok = add_track(p, clip, FIRST_JOINT + b, WR_CHANNEL_POSITION, 3, &from.position.x,
                           &to.position.x);
        }
        if (ok && turned) {
            ok = add_track(p, clip, FIRST_JOINT + b, WR_CHANNEL_ROTATION, 4, &from.rotation.x,
                           &to.rotation.x);
        }
    }
    return ok;
}

static bool is_scale(const wr_rig_track *track)
{
    bool along = track->channel == WR_RIG_STRETCH;
    for (int k = 0; k < track->key_count && along; k++) {
        const float *s = track->values + 6 * (size_t)k;
        along = s[3] == 0.0f && s[4] == 0.0f && s[5] == 0.0f;
    }
    return along;
}

static bool add_scale(preview *p, const wr_rig_track *track, wr_clip *clip)
{
    size_t count = (size_t)track->key_count;
    wr_vec3 *values = wr_model_alloc(p->model, count, sizeof *values);
    if (!values) {
        return fail_memory(p);
    }
    for (size_t k = 0; k < count; k++) {
        memcpy(&values[k], track->values + 6 * k, sizeof *values);
    }
    clip->tracks[clip->track_count++] = (wr_track){.node = FIRST_JOINT + track->handle,
                                                   .channel = WR_CHANNEL_SCALE,
                                                   .key_count = track->key_count,
                                                   .times = track->times,
                                                   .values = &values->x};
    return true;
}

static bool copy_clip(preview *p, const wr_rig_clip *source, wr_clip *clip)
{
    clip->name = source->name;
    clip->tracks = wr_model_alloc(p->model, (size_t)source->track_count, sizeof *clip->tracks);
    bool ok = clip->tracks || fail_memory(p);
    for (int i = 0; i < source->track_count && ok; i++) {
        const wr_rig_track *track = &source->tracks[i];
        bool turns = track->channel == WR_RIG_ROTATION;
        if (track->channel != WR_RIG_STRETCH) {
            clip->tracks[clip->track_count++] =
                (wr_track){.node = FIRST_JOINT + track->handle,
                           .channel = turns ? WR_CHANNEL_ROTATION : WR_CHANNEL_POSITION,
                           .key_count = track->key_count,
                           .times = track->times,
                           .values = track->values};
        }
    }
    for (int i = 0; i < source->track_count && ok; i++) {
        ok = !is_scale(&source->tracks[i]) || add_scale(p, &source->tracks[i], clip);
    }
    return ok;
}

// --- morph targets ----------------------------------------------------------------------------

bool wri_asset_has_morph(const wr_rig *rig, int e)
{
    static const float none[6] = {1, 1, 1, 0, 0, 0};
    const wr_example *example = &rig->examples[e];
    bool stretched = false;
    for (int b = 0; b < rig->handle_count; b++) {
        for (int k = 0; k < 6; k++) {
            stretched = stretched || example->poses[b].stretch[k] != none[k];
        }
    }
    return stretched || example->correctives || example->details;
}

// The exact shape of an example in which handles move.
static void find_shape(preview *p, int e)
{
    const wr_vec3 *details = p->rig->examples[e].details;
    memset(p->blend, 0, (size_t)p->rig->example_count * sizeof *p->blend);
    p->blend[e] = 1.0f;
    wr_skin_blend(p->skin, p->blend, NULL, p->maps, p->x);
    wr_skin_ride_positions(p->skin, NULL, p->x, NULL, 0, NULL, p->shape);
    for (int i = 0; details && i < p->rig->ride_count; i++) {
        p->shape[i] = wr_add(p->shape[i], details[i]);
    }
}

// o of one vertex.
static wr_vec3 solve_offset(const double m[3][4], wr_vec3 at, wr_vec3 wanted)
{
    const double u[3] = {at.x, at.y, at.z}, x[3] = {wanted.x, wanted.y, wanted.z};
    double r[3], c[3][3], o[3] = {0}, determinant = 0.0;
    for (int i = 0; i < 3; i++) {
        r[i] = x[i] - m[i][3];
        for (int k = 0; k < 3; k++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            r[i] -= m[i][k] * u[k];
            c[i][k] = m[i1][k1] * m[i2][k2] - m[i1][k2] * m[i2][k1];
        }
    }
    for (int k = 0; k < 3; k++) {
        determinant += m[0][k] * c[0][k];
    }
    if (!(fabs(determinant) >= LEAST_DETERMINANT)) {
        return wr_v3(0.0f, 0.0f, 0.0f);
    }
    for (int i = 0; i < 3; i++) {
        o[i] = (c[0][i] * r[0] + c[1][i] * r[1] + c[2][i] * r[2]) / determinant;
    }
    return wr_v3((float)o[0], (float)o[1], (float)o[2]);
}

static wr_vec3 find_offset(const preview *p, int vertex)
{
    const wr_mesh *mesh = p->mesh;
    double m[3][4] = {{0}};
    for (int k = 0; k < mesh->influence_count; k++) {
        size_t at = (size_t)vertex * 4 + (size_t)k;
        const wr_mat34 *joint = &p->joints[mesh->joints[at]];
        for (int i = 0; i < 12; i++) {
            m[i / 4][i % 4] += (double)mesh->weights[at] * (double)joint->m[i / 4][i % 4];
        }
    }
    for (int i = 0; i < 3 && mesh->influence_count == 0; i++) {
        m[i][i] = 1.0;
    }
    return solve_offset((const double(*)[4])m, mesh->positions[vertex], p->shape[vertex]);
}

static bool add_morph(preview *p, int e)
{
    wr_mesh *mesh = p->mesh;
    wr_morph *morph = &mesh->morphs[mesh->morph_count++];
    *morph = (wr_morph){.name = p->rig->examples[e].name};
    morph->positions =
        wr_model_alloc(p->model, (size_t)mesh->vertex_count, sizeof *morph->positions);
    if (!morph->positions) {
        return fail_memory(p);
    }
    if (wri_rig_find_moves(p->rig, e, morph->positions)) {
        return true;
    }
    find_shape(p, e);
    wr_model_pose(p->model, &p->model->clips[e - 1], 1.0, p->maps, NULL);
    if (p->model->skin_count > 0) {
        wr_model_skin_matrices(p->model->skins, p->maps, p->joints);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        morph->positions[i] = find_offset(p, i);
    }
    return true;
}

// Clips first: where their joints go is what the morph targets start from.
static bool add_morph_track(preview *p, int e, int morph)
{
    size_t count = (size_t)p->mesh->morph_count;
    float *weights = wri_arena_alloc(&p->arena, 2 * count, sizeof *weights);
    if (!weights) {
        return fail_memory(p);
    }
    weights[count + (size_t)morph] = 1.0f;
    return add_track(p, &p->model->clips[e - 1], MESH_NODE, WR_CHANNEL_WEIGHTS, (int)count, weights,
                     weights + count);
}

static bool alloc_shapes(preview *p, int morphs)
{
    const wr_rig *rig = p->rig;
    size_t B = (size_t)rig->handle_count;
    wr_skin_desc desc = wr_skin_desc_default();
    desc.least_weight = 0.0f;
    p->mesh->morphs = wr_model_alloc(p->model, (size_t)morphs, sizeof *p->mesh->morphs);
    p->x = wri_arena_alloc(&p->arena, (size_t)rig->vertex_count, sizeof *p->x);
    p->shape = wri_arena_alloc(&p->arena, (size_t)rig->ride_count, sizeof *p->shape);
    p->maps = wri_arena_alloc(&p->arena, B + FIRST_JOINT, sizeof *p->maps);
    p->joints = wri_arena_alloc(&p->arena, B, sizeof *p->joints);
    p->blend = wri_arena_alloc(&p->arena, (size_t)rig->example_count, sizeof *p->blend);
    if (!p->mesh->morphs || !p->x || !p->shape || !p->maps || !p->joints || !p->blend) {
        return fail_memory(p);
    }
    p->skin = wr_skin_create(rig, &desc, p->error);
    return p->skin != NULL;
}

static bool add_morphs(preview *p)
{
    int count = 0, morph = 0;
    for (int e = 1; e < p->rig->example_count; e++) {
        count += wri_asset_has_morph(p->rig, e);
    }
    bool ok = count == 0 || alloc_shapes(p, count);
    for (int e = 1; e < p->rig->example_count && ok; e++) {
        ok = !wri_asset_has_morph(p->rig, e) || add_morph(p, e);
    }
    for (int e = 1; e < p->rig->example_count && ok; e++) {
        ok = !wri_asset_has_morph(p->rig, e) || add_morph_track(p, e, morph++);
    }
    return ok;
}

static bool add_clips(preview *p)
{
    wr_model *model = p->model;
    int examples = p->rig->example_count - 1, count = examples + p->asset->clip_count;
    model->clips = wr_model_alloc(model, (size_t)count, sizeof *model->clips);
    p->times = wr_model_alloc(model, 2, sizeof *p->times);
    if (!model->clips || !p->times) {
        return fail_memory(p);
    }
    p->times[1] = 1.0f;
    model->clip_count = count;
    bool ok = true;
    for (int e = 1; e < p->rig->example_count && ok; e++) {
        ok = add_clip(p, e);
    }
    for (int i = 0; i < p->asset->clip_count && ok; i++) {
        ok = copy_clip(p, &p->asset->clips[i], &model->clips[examples + i]);
    }
    return ok;
}

// --- the whole --------------------------------------------------------------------------------

static bool build(preview *p)
{
    const wr_model *source = p->asset->model;
    wr_model *model = p->model;
    model->name = p->asset->name;
    model->looks = source->looks;
    model->look_count = source->look_count;
    model->images = source->images;
    model->image_count = source->image_count;
    p->mesh = model->meshes = wr_model_alloc(model, 1, sizeof *model->meshes);
    if (!p->mesh) {
        return wri_fail_memory(p->error, sizeof *p->mesh);
    }
    *p->mesh = source->meshes[0];
    model->mesh_count = 1;
    return add_nodes(p) && add_skin(p) && add_weights(p) && add_clips(p) && add_morphs(p);
}

wr_model *wri_asset_create_preview(const wr_asset *asset, wr_error *error)
{
    preview p = {.asset = asset,
                 .rig = &asset->rig,
                 .joint_count = count_joints(asset),
                 .model = wr_model_create(NULL, error),
                 .arena = wri_arena_create(NULL),
                 .error = error};
    bool ok = p.model && build(&p);
    wr_skin_destroy(p.skin);
    wri_arena_destroy(&p.arena);
    if (!ok) {
        wr_model_destroy(p.model);
        return NULL;
    }
    return p.model;
}
