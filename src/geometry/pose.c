// pose.c: clips move nodes, nodes and weights bend meshes.
//
// Sampling, skinning and morphing as glTF 2.0 defines them (sections 3.7.2, 3.7.3, 3.11, appendix
// C). A vertex x with joints j and weights w goes to (sum w_j M_j) x, M_j = joint world times
// inverse bind; its normal goes through the cofactors of that sum, which also carry mirrorings.
#include "wrought/geometry.h"

#include "../base/base.h"
#include "affine.h"

// --- tracks -----------------------------------------------------------------------------------

double wr_clip_length(const wr_clip *clip)
{
    double length = 0.0;
    for (int i = 0; i < clip->track_count; i++) {
        const wr_track *track = &clip->tracks[i];
        double last = track->key_count > 0 ? (double)track->times[track->key_count - 1] : 0.0;
        length = last > length ? last : length;
    }
    return length;
}

static int morph_count(const wr_model *model, int node)
{
    int mesh = model->nodes[node].mesh;
    return mesh < 0 ? 0 : model->meshes[mesh].morph_count;
}

int wr_track_width(const wr_model *model, const wr_track *track)
{
    switch (track->channel) {
    case WR_CHANNEL_ROTATION:
        return 4;
    case WR_CHANNEL_WEIGHTS:
        return morph_count(model, track->node);
    default:
        return 3;
    }
}

// The last key that is not after the time, -1 when all are.
static int find_key(const wr_track *track, double time)
{
    int low = -1, high = track->key_count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if ((double)track->times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static const float *key_value(const wr_track *track, int width, int key)
{
    bool cubic = track->interpolation == WR_INTERPOLATION_CUBIC;
    size_t row = cubic ? 3 * (size_t)key + 1 : (size_t)key;
    return track->values + row * (size_t)width;
}

static void sample_linear(const float *a, const float *b, int width, bool rotation, float t,
                          float *out)
{
    if (rotation) {
        wr_quat q =
            wr_quat_slerp((wr_quat){a[0], a[1], a[2], a[3]}, (wr_quat){b[0], b[1], b[2], b[3]}, t);
        memcpy(out, &q, sizeof q);
        return;
    }
    for (int i = 0; i < width; i++) {
        out[i] = (1.0f - t) * a[i] + t * b[i];
    }
}

// a and b are values; a's slope after it and b's slope before it are `width` numbers away.
static void sample_cubic(const float *a, const float *b, int width, double t, double span,
                         float *out)
{
    double t2 = t * t, t3 = t2 * t;
    for (int i = 0; i < width; i++) {
        double leaving = span * (double)a[i + width], arriving = span * (double)b[i - width];
        out[i] =
            (float)((2.0 * t3 - 3.0 * t2 + 1.0) * (double)a[i] + (t3 - 2.0 * t2 + t) * leaving +
                    (3.0 * t2 - 2.0 * t3) * (double)b[i] + (t3 - t2) * arriving);
    }
}

void wr_track_sample(const wr_track *track, int width, double time, float *values)
{
    WR_ASSERT(track->key_count > 0);
    int key = find_key(track, time), last = track->key_count - 1;
    const float *a = key_value(track, width, key < 0 ? 0 : key);
    bool between = key >= 0 && key < last && track->interpolation != WR_INTERPOLATION_STEP;
    if (!between || (double)track->times[key] == time) {
        memcpy(values, a, (size_t)width * sizeof *values);
        return;
    }
    const float *b = key_value(track, width, key + 1);
    double start = track->times[key], span = (double)track->times[key + 1] - start;
    double t = (time - start) / span;
    bool rotation = track->channel == WR_CHANNEL_ROTATION;
    if (track->interpolation == WR_INTERPOLATION_LINEAR) {
        sample_linear(a, b, width, rotation, (float)t, values);
        return;
    }
    sample_cubic(a, b, width, t, span, values);
    if (rotation) {
        wr_quat q = wr_quat_normalize((wr_quat){values[0], values[1], values[2], values[3]});
        memcpy(values, &q, sizeof q);
    }
}

// --- models -----------------------------------------------------------------------------------

int wr_model_weight_count(const wr_model *model)
{
    int count = 0;
    for (int i = 0; i < model->node_count; i++) {
        count += morph_count(model, i);
    }
    return count;
}

static void rest_weights(const wr_model *model, float *out)
{
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        for (int k = 0; k < morph_count(model, i); k++) {
            *out++ = node->morph_weights ? node->morph_weights[k]
                                         : model->meshes[node->mesh].morphs[k].weight;
        }
    }
}

static void sample_weights(const wr_model *model, const wr_clip *clip, double time, float *out)
{
    // Few clips move weights, and few nodes have any: looking for each is cheap.
    for (int i = 0; i < clip->track_count; i++) {
        const wr_track *track = &clip->tracks[i];
        if (track->channel == WR_CHANNEL_WEIGHTS) {
            size_t first = 0;
            for (int k = 0; k < track->node; k++) {
                first += (size_t)morph_count(model, k);
            }
            wr_track_sample(track, morph_count(model, track->node), time, out + first);
        }
    }
}

// A node's own transform, kept where its world matrix will be.
typedef struct placement {
    wr_pose pose;
    wr_vec3 scale;
} placement;

_Static_assert(sizeof(placement) <= sizeof(wr_mat34), "a placement fits into a matrix");

static placement get_placement(const wr_mat34 *slot)
{
    placement p;
    memcpy(&p, slot, sizeof p);
    return p;
}

static void sample_place(const wr_track *track, double time, wr_mat34 *slot)
{
    placement p = get_placement(slot);
    float v[4];
    if (track->channel == WR_CHANNEL_ROTATION) {
        wr_track_sample(track, 4, time, v);
        p.pose.rotation = wr_quat_normalize((wr_quat){v[0], v[1], v[2], v[3]});
    } else {
        wr_track_sample(track, 3, time, v);
        *(track->channel == WR_CHANNEL_POSITION ? &p.pose.position : &p.scale) =
            wr_v3(v[0], v[1], v[2]);
    }
    memcpy(slot, &p, sizeof p);
}

void wr_model_pose(const wr_model *model, const wr_clip *clip, double time, wr_mat34 *node_world,
                   float *morph_weights)
{
    for (int i = 0; i < model->node_count; i++) {
        placement p = {model->nodes[i].pose, model->nodes[i].scale};
        memcpy(&node_world[i], &p, sizeof p);
    }
    for (int i = 0; clip && i < clip->track_count; i++) {
        if (clip->tracks[i].channel != WR_CHANNEL_WEIGHTS) {
            sample_place(&clip->tracks[i], time, &node_world[clip->tracks[i].node]);
        }
    }
    for (int i = 0; i < model->node_count; i++) { // parents come first
        placement p = get_placement(&node_world[i]);
        wr_mat34 local = wr_mat34_from_pose(p.pose, p.scale);
        int parent = model->nodes[i].parent;
        node_world[i] = parent < 0 ? local : wr_mat34_multiply(node_world[parent], local);
    }
    if (morph_weights) {
        rest_weights(model, morph_weights);
        if (clip) {
            sample_weights(model, clip, time, morph_weights);
        }
    }
}

// --- meshes -----------------------------------------------------------------------------------

void wr_model_skin_matrices(const wr_model_skin *skin, const wr_mat34 *node_world, wr_mat34 *joints)
{
    for (int i = 0; i < skin->joint_count; i++) {
        joints[i] = wr_mat34_multiply(node_world[skin->joints[i]], skin->inverse_bind[i]);
    }
}

static void apply_morphs(const wr_mesh *mesh, const float *weights, wr_vec3 *positions,
                         wr_vec3 *normals)
{
    for (int k = 0; k < mesh->morph_count; k++) {
        const wr_morph *morph = &mesh->morphs[k];
        float w = weights ? weights[k] : morph->weight;
        for (int i = 0; i < mesh->vertex_count && w != 0.0f; i++) {
            positions[i] = wr_add_scaled(positions[i], w, morph->positions[i]);
            if (normals && morph->normals) {
                normals[i] = wr_add_scaled(normals[i], w, morph->normals[i]);
            }
        }
    }
}

static wr_mat34 blend(const wr_mesh *mesh, const wr_mat34 *joints, int vertex)
{
    size_t n = (size_t)mesh->influence_count, first = (size_t)vertex * n;
    wr_mat34 sum = {{{0}}};
    for (size_t i = first; i < first + n; i++) {
        const wr_mat34 *joint = &joints[mesh->joints[i]];
        float w = mesh->weights[i];
        for (int k = 0; k < 12 && w != 0.0f; k++) {
            sum.m[k / 4][k % 4] += w * joint->m[k / 4][k % 4];
        }
    }
    return sum;
}

static wr_vec3 turn_normal(wr_mat34 map, wr_vec3 normal)
{
    wr_mat3 linear = wr_mat34_linear(map), turn = wri_cofactors(linear);
    float side = wri_determinant(linear) < 0.0f ? -1.0f : 1.0f;
    return wr_normalize(wr_scale(side, wr_mat3_apply(turn, normal)));
}

void wr_mesh_deform(const wr_mesh *mesh, const float *morph_weights, const wr_mat34 *node,
                    const wr_mat34 *joints, wr_vec3 *positions, wr_vec3 *normals)
{
    size_t size = (size_t)mesh->vertex_count * sizeof *positions;
    bool skinned = joints && mesh->influence_count > 0;
    normals = mesh->normals ? normals : NULL;
    if (size > 0) {
        memcpy(positions, mesh->positions, size);
    }
    if (normals && size > 0) {
        memcpy(normals, mesh->normals, size);
    }
    apply_morphs(mesh, morph_weights, positions, normals);
    wr_mat34 map = node ? *node : WR_MAT34_IDENTITY;
    for (int i = 0; i < mesh->vertex_count && (skinned || node); i++) {
        map = skinned ? blend(mesh, joints, i) : map;
        positions[i] = wr_mat34_apply(map, positions[i]);
        if (normals) {
            normals[i] = turn_normal(map, normals[i]);
        }
    }
    bool bent = normals && mesh->morph_count > 0;
    for (int i = 0; i < mesh->vertex_count && bent && !skinned && !node; i++) {
        normals[i] = wr_normalize(normals[i]);
    }
}
