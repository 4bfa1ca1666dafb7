// whole_rig.h: a small rig with two of everything a model can have, oblique and uneven: no two
// numbers are alike, nothing is symmetric.
#pragma once

#include "check.h"

#include "wrought/file.h"

enum { CORNERS = 6, TRIANGLES = 4, MORPHS = 2, KEYS = 3 };
enum { ROOT, LEGS, HIP, KNEE, FLAG, NODES };

static inline void *rig_copy(wr_model *m, const void *values, size_t count, size_t size)
{
    void *out = wr_model_alloc(m, count, size);
    assert_non_null(out);
    return memcpy(out, values, count * size);
}

static inline wr_vec3 rig_noise(uint64_t *seed)
{
    return wr_v3(random_float(seed, -1, 1), random_float(seed, -1, 1), random_float(seed, -1, 1));
}

static inline void rig_fill_mesh(wr_model *m, wr_mesh *mesh, const char *name, uint64_t *seed)
{
    static const int triangles[] = {0, 1, 2, 3, 2, 1, 2, 4, 5, 5, 0, 3};
    wr_vec3 positions[CORNERS], normals[CORNERS];
    wr_vec2 uvs[CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        positions[i] = wr_add(rig_noise(seed), wr_v3((float)i, 0, 0));
        normals[i] = wr_normalize(rig_noise(seed));
        uvs[i] = (wr_vec2){random_float(seed, 0, 1), random_float(seed, 0, 1)};
    }
    const wr_mesh_part parts[] = {{0, 1, 1}, {1, 3, 0}};
    *mesh = (wr_mesh){.name = name,
                      .vertex_count = CORNERS,
                      .triangle_count = TRIANGLES,
                      .part_count = 2,
                      .positions = rig_copy(m, positions, CORNERS, sizeof *positions),
                      .normals = rig_copy(m, normals, CORNERS, sizeof *normals),
                      .uvs = rig_copy(m, uvs, CORNERS, sizeof *uvs),
                      .triangles = rig_copy(m, triangles, 3 * TRIANGLES, sizeof *triangles),
                      .parts = rig_copy(m, parts, 2, sizeof *parts)};
}

static inline void rig_add_colors_and_morphs(wr_model *m, wr_mesh *mesh, uint64_t *seed)
{
    wr_color colors[CORNERS];
    wr_morph morphs[MORPHS];
    for (int i = 0; i < CORNERS; i++) {
        colors[i] = (wr_color){random_float(seed, 0, 1), random_float(seed, 0, 1),
                               random_float(seed, 0, 1), random_float(seed, 0, 1)};
    }
    for (int k = 0; k < MORPHS; k++) {
        wr_vec3 moves[CORNERS], turns[CORNERS];
        for (int i = 0; i < CORNERS; i++) {
            moves[i] = rig_noise(seed);
            turns[i] = wr_scale(0.2f, rig_noise(seed));
        }
        morphs[k] = (wr_morph){.name = k ? "second" : "first",
                               .positions = rig_copy(m, moves, CORNERS, sizeof *moves),
                               .normals = rig_copy(m, turns, CORNERS, sizeof *turns)};
    }
    mesh->colors = rig_copy(m, colors, CORNERS, sizeof *colors);
    mesh->morph_count = MORPHS;
    mesh->morphs = rig_copy(m, morphs, MORPHS, sizeof *morphs);
}

static inline void rig_add_skin(wr_model *m, wr_mesh *mesh)
{
    static const int joints[] = {0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0};
    static const float weights[] = {0.75f, 0.25f, 1, 0, 0.625f, 0.375f, 1, 0, 1, 0, 0.875f, 0.125f};
    static const int nodes[] = {KNEE, HIP};
    static const wr_mat34 binds[] = {
        {{{1.5f, 0.25f, 0, 3}, {0, 0.8f, -0.6f, 0.5f}, {0.125f, 0.6f, 0.8f, -2}}},
        {{{0, -1, 0, 0.25f}, {1, 0, 0.5f, -1}, {0, 0.25f, 1.25f, 4}}}};
    mesh->influence_count = 2;
    mesh->joints = rig_copy(m, joints, 2 * CORNERS, sizeof *joints);
    mesh->weights = rig_copy(m, weights, 2 * CORNERS, sizeof *weights);
    const wr_model_skin skin = {"skin", 2, rig_copy(m, nodes, 2, sizeof *nodes),
                                rig_copy(m, binds, 2, sizeof *binds)};
    m->skins = rig_copy(m, &skin, 1, sizeof skin);
    m->skin_count = 1;
}

static inline void rig_add_looks(wr_model *m)
{
    uint8_t pixels[2][8] = {{10, 20, 30, 255, 40, 50, 60, 255}, {70, 80, 90, 255, 15, 25, 35, 255}};
    const wr_image images[] = {
        {.name = "flat", .width = 2, .height = 1, .pixels = rig_copy(m, pixels[0], 8, 1)},
        {.name = "high", .width = 1, .height = 2, .pixels = rig_copy(m, pixels[1], 8, 1)}};
    const wr_look looks[] = {{.name = "red",
                              .base_color = {0.9f, 0.1f, 0.2f, 1},
                              .texture = 1,
                              .roughness = 0.25f,
                              .metallic = 0.75f},
                             {.name = "blue",
                              .base_color = {0.3f, 0.4f, 0.8f, 1},
                              .texture = 0,
                              .roughness = 0.5f,
                              .metallic = 0.125f,
                              .double_sided = true}};
    m->images = rig_copy(m, images, 2, sizeof *images);
    m->looks = rig_copy(m, looks, 2, sizeof *looks);
    m->image_count = m->look_count = 2;
}

static inline wr_node rig_make_node(const char *name, int parent, int mesh, wr_vec3 at, wr_quat q,
                                    wr_vec3 s)
{
    return (wr_node){.name = name,
                     .parent = parent,
                     .mesh = mesh,
                     .skin = mesh == 0 ? 0 : -1,
                     .pose = {at, wr_quat_normalize(q)},
                     .scale = s};
}

static inline void rig_add_nodes(wr_model *m)
{
    const wr_node nodes[NODES] = {
        rig_make_node("root", -1, -1, wr_v3(1, 2, 3), (wr_quat){1, 2, 3, 4},
                      wr_v3(1.5f, 1.5f, 1.5f)),
        rig_make_node("legs", ROOT, 0, wr_v3(0, 0, 0), WR_QUAT_IDENTITY, wr_v3(1, 1, 1)),
        rig_make_node("hip", ROOT, -1, wr_v3(-1, 0.5f, 2), (wr_quat){-1, 2, 0, 3},
                      wr_v3(1, 2, 0.5f)),
        rig_make_node("knee", HIP, -1, wr_v3(0, -3, 1), (wr_quat){2, 0, -1, 1}, wr_v3(1, 1, 1)),
        rig_make_node("flag", ROOT, 1, wr_v3(4, -1, 0), (wr_quat){0, 1, -2, 2}, wr_v3(1, 0.5f, 3)),
    };
    m->nodes = rig_copy(m, nodes, NODES, sizeof *nodes);
    m->node_count = NODES;
}

static inline wr_track rig_make_track(wr_model *m, int node, wr_channel channel, uint64_t *seed)
{
    static const float times[KEYS] = {0.25f, 0.5f, 2};
    wr_track track = {.node = node, .channel = channel, .key_count = KEYS};
    int width = wr_track_width(m, &track);
    float values[4 * KEYS];
    for (int i = 0; i < width * KEYS; i++) {
        values[i] = random_float(seed, 0.125f, 1.0f);
    }
    for (int i = 0; channel == WR_CHANNEL_ROTATION && i < KEYS; i++) {
        wr_quat q = {values[4 * i], -values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]};
        q = wr_quat_normalize(q);
        memcpy(&values[4 * i], &q, sizeof q);
    }
    track.times = rig_copy(m, times, KEYS, sizeof *times);
    track.values = rig_copy(m, values, (size_t)(width * KEYS), sizeof *values);
    return track;
}

static inline void rig_add_clips(wr_model *m, uint64_t *seed)
{
    const wr_track walk[] = {rig_make_track(m, HIP, WR_CHANNEL_ROTATION, seed),
                             rig_make_track(m, HIP, WR_CHANNEL_POSITION, seed),
                             rig_make_track(m, KNEE, WR_CHANNEL_ROTATION, seed),
                             rig_make_track(m, KNEE, WR_CHANNEL_SCALE, seed),
                             rig_make_track(m, FLAG, WR_CHANNEL_WEIGHTS, seed)};
    const wr_track wave[] = {rig_make_track(m, FLAG, WR_CHANNEL_POSITION, seed),
                             rig_make_track(m, FLAG, WR_CHANNEL_SCALE, seed)};
    const wr_clip clips[] = {{"walk", 5, rig_copy(m, walk, 5, sizeof *walk)},
                             {"wave", 2, rig_copy(m, wave, 2, sizeof *wave)}};
    m->clips = rig_copy(m, clips, 2, sizeof *clips);
    m->clip_count = 2;
}

static inline wr_model *make_rig(void)
{
    wr_model *m = wr_model_create(NULL, NULL);
    assert_non_null(m);
    uint64_t seed = 11;
    m->name = "rig";
    m->meshes = wr_model_alloc(m, 2, sizeof *m->meshes);
    m->mesh_count = 2;
    rig_fill_mesh(m, &m->meshes[0], "legs", &seed);
    rig_fill_mesh(m, &m->meshes[1], "flag", &seed);
    rig_add_skin(m, &m->meshes[0]);
    rig_add_colors_and_morphs(m, &m->meshes[1], &seed);
    rig_add_looks(m);
    rig_add_nodes(m);
    rig_add_clips(m, &seed);
    return m;
}
