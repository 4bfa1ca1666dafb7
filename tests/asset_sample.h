// asset_sample.h: an asset made by hand, with something in every field.
#pragma once

#include "../src/base/base.h"
#include "wrought/asset.h"
#include "wrought/author.h"

#include <stdio.h>

typedef struct sample_shape {
    int dimension; // 2 or 3
    int cells;     // of the simulation mesh, along each axis
    int handles;   // 0 or more
    bool plain;    // no correctives, details, stretches, maps, cuts
} sample_shape;

static inline int *sample_add_cell(const int corner[8], int *out)
{
    static const int paths[6][2] = {{1, 2}, {2, 4}, {4, 1}, {2, 1}, {4, 2}, {1, 4}};
    for (int i = 0; i < 6; i++) { // Kuhn: from corner 0 to corner 7, two steps between
        int a = paths[i][0], b = a | paths[i][1];
        *out++ = corner[0];
        *out++ = corner[i < 3 ? a : b];
        *out++ = corner[i < 3 ? b : a];
        *out++ = corner[7];
    }
    return out;
}

// A cube or square of edge 1 about the origin.
static inline void sample_add_simulation(wr_asset *asset, const sample_shape *shape)
{
    wr_rig *rig = &asset->rig;
    bool solid = shape->dimension == 3;
    int n = shape->cells, m = n + 1, layers = solid ? n : 1, total = m * m * (solid ? m : 1);
    rig->dimension = shape->dimension;
    rig->vertex_count = total;
    rig->rest = wr_asset_alloc(asset, (size_t)total, sizeof *rig->rest);
    rig->element_count = n * n * layers * (solid ? 6 : 2);
    rig->elements = wr_asset_alloc(asset, 4 * (size_t)rig->element_count, sizeof(int));
    for (int i = 0; i < total; i++) {
        float x = (float)(i % m) / (float)n, y = (float)(i / m % m) / (float)n;
        float z = (float)(i / m / m) / (float)n;
        rig->rest[i] = wr_v3(x - 0.5f, y - 0.5f, solid ? z - 0.5f : 0.0f);
    }
    int *out = rig->elements;
    for (int i = 0; i < n * n * layers; i++) {
        int first = i % n + m * (i / n % n) + m * m * (i / n / n);
        if (solid) {
            int corner[8];
            for (int k = 0; k < 8; k++) {
                corner[k] = first + (k & 1) + m * (k >> 1 & 1) + m * m * (k >> 2);
            }
            out = sample_add_cell(corner, out);
        } else {
            const int corners[6] = {first, first + 1,     first + m + 1,
                                    first, first + m + 1, first + m};
            memcpy(out, corners, sizeof corners);
            out += 6;
        }
    }
}

static inline void sample_add_handles(wr_asset *asset, const sample_shape *shape)
{
    wr_rig *rig = &asset->rig;
    int n = rig->vertex_count, count = shape->handles;
    rig->handle_count = count;
    rig->handles = wr_asset_alloc(asset, (size_t)count, sizeof *rig->handles);
    rig->weights = wr_asset_alloc(asset, (size_t)n * (size_t)count, sizeof *rig->weights);
    for (int b = 0; b < count; b++) {
        char *name = wr_asset_alloc(asset, 1, 16);
        int vertex = count > 1 ? b * (n - 1) / (count - 1) : 0;
        snprintf(name, 16, "h%d", b);
        rig->handles[b] =
            (wr_handle){name, rig->rest[vertex], b < 2 ? -1 : b - 1, b == 1 ? -1 : vertex};
    }
    for (int i = 0; i < n; i++) {
        float *row = rig->weights + (size_t)i * (size_t)count;
        double sum = 0.0;
        for (int b = 0; b < count; b++) {
            float d = wr_distance(rig->rest[i], rig->handles[b].pivot);
            row[b] = expf(-3.0f * d * d);
            sum += (double)row[b];
        }
        for (int b = 0; b < count; b++) {
            row[b] = (float)((double)row[b] / sum);
        }
    }
}

static inline wr_vec3 sample_wave(int i, float size)
{
    return wr_v3(size * sinf((float)i), size * cosf(3.0f * (float)i), size * sinf(7.0f * (float)i));
}

// Rest, a bend of all handles, a dent with correctives, and one with everything.
static inline void sample_add_examples(wr_asset *asset, const sample_shape *shape)
{
    static const char *const names[4] = {"rest", "bend", "dent", "all \"at\" once"};
    wr_rig *rig = &asset->rig;
    bool flat = shape->dimension == 2;
    rig->example_count = 4;
    rig->examples = wr_asset_alloc(asset, 4, sizeof *rig->examples);
    for (int e = 0; e < 4; e++) {
        wr_example *example = &rig->examples[e];
        example->name = names[e];
        example->poses = wr_asset_alloc(asset, (size_t)rig->handle_count, sizeof *example->poses);
        for (int b = 0; b < rig->handle_count; b++) {
            wr_vec3 axis = flat ? wr_v3(0, 0, 1) : sample_wave(b + e, 1.0f);
            bool moves = e == 1 || e == 3;
            wr_vec3 offset = moves ? sample_wave(b + 5 * e, 0.2f) : wr_v3(0, 0, 0);
            offset.z = flat ? 0.0f : offset.z;
            example->poses[b] = (wr_handle_pose){
                .rotation =
                    moves ? wr_quat_from_axis_angle(axis, 0.4f * (float)(b + 1)) : WR_QUAT_IDENTITY,
                .offset = offset,
                .stretch = {1, 1, 1, 0, 0, 0}};
            if (flat && e == 3 && !shape->plain) {
                const float stretch[6] = {1.2f, 0.8f, 1.0f, 0.1f, 0.0f, 0.0f};
                memcpy(example->poses[b].stretch, stretch, sizeof stretch);
            }
        }
        if (e >= 2 && !shape->plain) {
            example->correctives =
                wr_asset_alloc(asset, (size_t)rig->vertex_count, sizeof(wr_vec3));
            for (int i = 0; i < rig->vertex_count; i++) {
                example->correctives[i] = sample_wave(i + e, 0.05f);
            }
        }
        if (e == 3 && !shape->plain) {
            example->details = wr_asset_alloc(asset, (size_t)rig->ride_count, sizeof(wr_vec3));
            for (int i = 0; i < rig->ride_count; i++) {
                example->details[i] = sample_wave(i, 0.01f);
            }
        }
    }
}

static inline wr_rig_track *sample_add_track(wr_asset *asset, wr_rig_clip *clip, int handle,
                                             wr_rig_channel channel, int keys)
{
    wr_rig_track *track = &clip->tracks[clip->track_count++];
    size_t width = (size_t)wr_rig_channel_width(channel);
    *track =
        (wr_rig_track){handle, channel, keys, wr_asset_alloc(asset, (size_t)keys, sizeof(float)),
                       wr_asset_alloc(asset, (size_t)keys * width, sizeof(float))};
    for (int k = 0; k < keys; k++) {
        float *out = track->values + (size_t)k * width;
        wr_vec3 wave = sample_wave(k + handle, 0.3f);
        wr_quat turn = wr_quat_from_axis_angle(sample_wave(handle, 1.0f), 0.5f * (float)k);
        const float stretch[6] = {1.0f + wave.x, 1.1f, 0.9f, handle == 3 ? 0.1f : 0.0f, 0.0f, 0.0f};
        track->times[k] = 0.1f + 0.3f * (float)k;
        memcpy(out,
               channel == WR_RIG_ROTATION   ? &turn.x
               : channel == WR_RIG_POSITION ? &wave.x
                                            : stretch,
               width * sizeof *out);
    }
    return track;
}

// One that moves all kinds of things, and one that moves nothing.
static inline void sample_add_clips(wr_asset *asset)
{
    if (asset->rig.handle_count < 5) {
        return;
    }
    asset->clip_count = 2;
    asset->clips = wr_asset_alloc(asset, 2, sizeof *asset->clips);
    asset->clips[0] = (wr_rig_clip){"walk \"fast\"", 4.0 / 3.0, 0,
                                    wr_asset_alloc(asset, 8, sizeof(wr_rig_track))};
    asset->clips[1] = (wr_rig_clip){"still", 2.0, 0, NULL};
    wr_rig_clip *walk = &asset->clips[0];
    sample_add_track(asset, walk, 0, WR_RIG_ROTATION, 4);
    sample_add_track(asset, walk, 0, WR_RIG_STRETCH, 1);
    sample_add_track(asset, walk, 1, WR_RIG_POSITION, 3);
    sample_add_track(asset, walk, 3, WR_RIG_ROTATION, 4);
    sample_add_track(asset, walk, 3, WR_RIG_POSITION, 1);
    sample_add_track(asset, walk, 3, WR_RIG_STRETCH, 2);
    sample_add_track(asset, walk, 4, WR_RIG_POSITION, 4);
}

static inline void sample_add_rides(wr_asset *asset)
{
    wr_rig *rig = &asset->rig;
    const wr_mesh *mesh = asset->model->meshes;
    int *parts = wr_asset_alloc(asset, (size_t)rig->vertex_count, sizeof *parts);
    wr_lattice lattice = {.dimension = rig->dimension,
                          .vertex_count = rig->vertex_count,
                          .rest = rig->rest,
                          .element_count = rig->element_count,
                          .elements = rig->elements,
                          .vertex_parts = parts,
                          .report = {.parts = 1, .spacing = 0.1}};
    rig->ride_count = mesh->vertex_count;
    rig->rides = wr_asset_alloc(asset, (size_t)rig->ride_count, sizeof *rig->rides);
    if (!wr_lattice_find_rides(&lattice, mesh->positions, NULL, rig->ride_count, NULL, rig->rides,
                               NULL, NULL)) {
        rig->ride_count = 0;
    }
}

static inline void sample_add_words(wr_asset *asset)
{
    size_t n = (size_t)asset->rig.vertex_count;
    asset->name = "sample";
    asset->material = "{ \"metal\": \"thin steel\", \"bend\": 1.5 }";
    asset->recipe_hash = 0x0123456789abcdefu;
    asset->maps[WR_MAP_YIELD] = wr_asset_alloc(asset, n, sizeof(float));
    for (size_t i = 0; i < n; i++) {
        asset->maps[WR_MAP_YIELD][i] = 0.3f + (float)i;
    }
    asset->cut_count = 2;
    asset->cuts = wr_asset_alloc(asset, 2, sizeof *asset->cuts);
    asset->cuts[0] = (wr_cut){{0, 1, 0}, {-0.0f, 0.1f, 1e-7f}, 1.5};
    asset->cuts[1] = (wr_cut){{0.6f, 0, -0.8f}, {3e8f, 1.0f / 3.0f, 0}, 0.1};
    if (asset->rig.dimension == 2) {
        asset->pin_count = 2;
        asset->pins = wr_asset_alloc(asset, 2, sizeof *asset->pins);
        asset->pins[0] = (wr_pin){0, {1, 2, 3}, {0.25f, 0.75f, 0.0f}};
        asset->pins[1] = (wr_pin){3, {0, 2, 1}, {1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f}};
    }
}

// A box, or two triangles, with a picture, colours and two looks.
static inline wr_model *sample_model_create(const sample_shape *shape)
{
    static const uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 128, 7, 8, 9, 0, 1, 2, 3, 4};
    wr_color red = {1.0f, 0.2f, 0.1f, 1.0f};
    float depth = shape->dimension == 3 ? 0.9f : 0.001f;
    wr_model *model =
        wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(0.9f, 0.9f, depth), red, NULL);
    wr_mesh *mesh = model->meshes;
    size_t n = (size_t)mesh->vertex_count;
    model->images = wr_model_alloc(model, 1, sizeof *model->images);
    model->images[0] = (wr_image){"dots", 2, 2, pixels};
    model->image_count = 1;
    model->looks = wr_model_alloc(model, 2, sizeof *model->looks);
    model->looks[0] = (wr_look){"paint", red, 0, 0.5f, 0.1f, true};
    model->looks[1] = (wr_look){"glass", {0.1f, 1.0f / 3.0f, 1.0f, 0.25f}, -1, 0.0f, 1.0f, false};
    model->look_count = 2;
    mesh->parts = wr_model_alloc(model, 2, sizeof *mesh->parts);
    mesh->parts[0] = (wr_mesh_part){0, 4, 1};
    mesh->parts[1] = (wr_mesh_part){4, mesh->triangle_count - 4, 0};
    mesh->part_count = 2;
    mesh->uvs = wr_model_alloc(model, n, sizeof *mesh->uvs);
    mesh->colors = wr_model_alloc(model, n, sizeof *mesh->colors);
    for (size_t i = 0; i < n; i++) {
        float t = (float)i / (float)n;
        mesh->uvs[i] = (wr_vec2){t, -3.0f * t};
        mesh->colors[i] = (wr_color){t, 1.0f - t, 0.5f, 1.0f};
        if (shape->dimension == 2) {
            mesh->positions[i].z = 0.0f;
        }
    }
    return model;
}

static inline wr_asset *sample_asset_create(sample_shape shape)
{
    wr_asset *asset = wr_asset_create(sample_model_create(&shape), NULL, NULL);
    if (asset) {
        sample_add_simulation(asset, &shape);
        sample_add_handles(asset, &shape);
        sample_add_rides(asset);
        sample_add_examples(asset, &shape);
        if (!shape.plain) {
            sample_add_clips(asset);
            sample_add_words(asset);
        }
    }
    return asset;
}
