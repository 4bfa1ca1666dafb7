// gltf_player.h: a model of a .glb in motion, by the words of the glTF specification and nothing of
// ours: morph targets are added to the mesh, then its node or its joints move it.
#pragma once

#include "wrought/file.h"

#include "check.h"

typedef struct player_matrix {
    double m[3][4];
} player_matrix;

static inline player_matrix player_times(const player_matrix *a, const player_matrix *b)
{
    player_matrix c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            c.m[i][j] = j == 3 ? a->m[i][3] : 0.0;
            for (int k = 0; k < 3; k++) {
                c.m[i][j] += a->m[i][k] * b->m[k][j];
            }
        }
    }
    return c;
}

// Values of a track at a time; false: there is no such track. Quaternions are interpolated as
// numbers, which is near enough between frames of a film.
static inline bool player_sample(const wr_model *model, int node, wr_channel channel, int width,
                                 float time, float *values)
{
    for (int c = 0; model->clip_count > 0 && c < model->clips[0].track_count; c++) {
        const wr_track *track = &model->clips[0].tracks[c];
        if (track->node != node || track->channel != channel) {
            continue;
        }
        int k = 0;
        while (k + 1 < track->key_count && track->times[k + 1] <= time) {
            k++;
        }
        int next = k + 1 < track->key_count ? k + 1 : k;
        float span = track->times[next] - track->times[k];
        float share = span > 0.0f ? fmaxf(time - track->times[k], 0.0f) / span : 0.0f;
        share = track->interpolation == WR_INTERPOLATION_STEP ? 0.0f : share;
        for (int i = 0; i < width; i++) {
            values[i] = track->values[k * width + i] * (1.0f - share) +
                        track->values[next * width + i] * share;
        }
        return true;
    }
    return false;
}

static inline player_matrix player_local_matrix(const wr_model *model, int node, float time)
{
    const wr_node *n = &model->nodes[node];
    float t[3] = {n->pose.position.x, n->pose.position.y, n->pose.position.z};
    float q[4] = {n->pose.rotation.x, n->pose.rotation.y, n->pose.rotation.z, n->pose.rotation.w};
    float s[3] = {n->scale.x, n->scale.y, n->scale.z};
    if (time >= 0.0f) {
        player_sample(model, node, WR_CHANNEL_POSITION, 3, time, t);
        player_sample(model, node, WR_CHANNEL_ROTATION, 4, time, q);
        player_sample(model, node, WR_CHANNEL_SCALE, 3, time, s);
    }
    double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    double l = 2.0 / (x * x + y * y + z * z + w * w);
    const double r[3][3] = {
        {1 - l * (y * y + z * z), l * (x * y - w * z), l * (x * z + w * y)},
        {l * (x * y + w * z), 1 - l * (x * x + z * z), l * (y * z - w * x)},
        {l * (x * z - w * y), l * (y * z + w * x), 1 - l * (x * x + y * y)},
    };
    player_matrix a;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a.m[i][j] = r[i][j] * (double)s[j];
        }
        a.m[i][3] = (double)t[i];
    }
    return a;
}

static inline player_matrix player_global_matrix(const wr_model *model, int node, float time)
{
    player_matrix own = player_local_matrix(model, node, time);
    if (model->nodes[node].parent < 0) {
        return own;
    }
    player_matrix above = player_global_matrix(model, model->nodes[node].parent, time);
    return player_times(&above, &own);
}

static inline void player_add_image(const player_matrix *a, const double u[3], double weight,
                                    double x[3])
{
    for (int i = 0; i < 3; i++) {
        x[i] += weight * (a->m[i][0] * u[0] + a->m[i][1] * u[1] + a->m[i][2] * u[2] + a->m[i][3]);
    }
}

static inline void player_add_morphs(const wr_mesh *mesh, const float *weights, int v, double u[3])
{
    u[0] = (double)mesh->positions[v].x;
    u[1] = (double)mesh->positions[v].y;
    u[2] = (double)mesh->positions[v].z;
    for (int k = 0; k < mesh->morph_count; k++) {
        u[0] += (double)(weights[k] * mesh->morphs[k].positions[v].x);
        u[1] += (double)(weights[k] * mesh->morphs[k].positions[v].y);
        u[2] += (double)(weights[k] * mesh->morphs[k].positions[v].z);
    }
}

// time < 0: without the animation.
static inline void play(const wr_model *model, int node, float time, wr_vec3 *places)
{
    const wr_mesh *mesh = &model->meshes[model->nodes[node].mesh];
    const wr_model_skin *skin =
        model->nodes[node].skin >= 0 ? &model->skins[model->nodes[node].skin] : NULL;
    float weights[256];
    for (int k = 0; k < mesh->morph_count; k++) {
        weights[k] = mesh->morphs[k].weight;
    }
    if (time >= 0.0f) {
        player_sample(model, node, WR_CHANNEL_WEIGHTS, mesh->morph_count, time, weights);
    }
    player_matrix images[256];
    int count = skin ? skin->joint_count : 1;
    assert_true(count <= WRI_COUNT(images));
    for (int i = 0; i < count; i++) {
        images[i] = player_global_matrix(model, skin ? skin->joints[i] : node, time);
        player_matrix bind = {0};
        for (int k = 0; skin && k < 12; k++) {
            bind.m[k / 4][k % 4] = (double)skin->inverse_bind[i].m[k / 4][k % 4];
        }
        images[i] = skin ? player_times(&images[i], &bind) : images[i];
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        double u[3], x[3] = {0};
        player_add_morphs(mesh, weights, v, u);
        for (int k = 0; skin && k < mesh->influence_count; k++) {
            int at = v * mesh->influence_count + k;
            player_add_image(&images[mesh->joints[at]], u, (double)mesh->weights[at], x);
        }
        if (!skin) {
            player_add_image(&images[0], u, 1.0, x);
        }
        places[v] = wr_v3((float)x[0], (float)x[1], (float)x[2]);
    }
}
