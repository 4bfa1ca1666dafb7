// build_maps.c: painted factors, from the surface of the render mesh to the simulation mesh.
#include "build.h"

#include "../file/model.h"

#include <math.h>

static float channel_of(wr_color c, int channel)
{
    const float values[4] = {c.r, c.g, c.b, c.a};
    float v = values[channel];
    return v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v;
}

// The pixel nearest to a texture coordinate; pictures repeat.
static float sample(const wr_image *image, wr_vec2 uv, int channel)
{
    double u = (double)uv.x - floor((double)uv.x), v = (double)uv.y - floor((double)uv.y);
    int x = (int)(u * image->width), y = (int)(v * image->height);
    x = x < image->width ? x : image->width - 1;
    y = y < image->height ? y : image->height - 1;
    size_t pixel = (size_t)y * (size_t)image->width + (size_t)x;
    return (float)image->pixels[4 * pixel + (size_t)channel] / 255.0f;
}

// 1 where a triangle of one of these parts of the model is, else 0.
static bool mark_parts(wri_builder *b, const wri_json *list, float *surface, wr_error *why)
{
    const wr_mesh *mesh = b->asset->model->meshes;
    const char **names = wri_arena_alloc(&b->arena, (size_t)list->count, sizeof *names);
    int *parts = wri_arena_alloc(&b->arena, (size_t)mesh->triangle_count, sizeof *parts);
    if (!names || !parts) {
        return wri_fail_memory(why, (size_t)mesh->triangle_count * sizeof *parts);
    }
    for (int i = 0; i < list->count; i++) {
        names[i] = list->items[i].string;
    }
    if (!wri_build_find_parts(b, names, list->count, parts, why)) {
        return false;
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        if (parts[i / 3] < list->count) {
            surface[mesh->triangles[i]] = 1.0f;
        }
    }
    return true;
}

bool wri_build_surface(wri_builder *b, const raw_paint *raw, float *surface, wr_error *why)
{
    const wr_mesh *mesh = b->asset->model->meshes;
    if (raw->vertex_color >= 0) {
        for (int i = 0; mesh->colors && i < mesh->vertex_count; i++) {
            surface[i] = channel_of(mesh->colors[i], raw->vertex_color);
        }
        return mesh->colors || wri_fail(why, WR_E_FORMAT, "the model has no vertex colours");
    }
    if (raw->parts) {
        return mark_parts(b, raw->parts, surface, why);
    }
    wr_image image = {0};
    const char *path = wri_recipe_file(b->recipe, &b->arena, raw->picture);
    if (!path) {
        return wri_fail_memory(why, 1);
    }
    if (!mesh->uvs) {
        return wri_fail(why, WR_E_FORMAT, "the model has no texture coordinates");
    }
    int64_t pixels_left = WRI_MODEL_PIXEL_LIMIT;
    if (!wri_read_picture(&b->arena, path, &pixels_left, &image, why)) {
        return false;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        surface[i] = sample(&image, mesh->uvs[i], raw->channel);
    }
    return true;
}

// A vertex takes the mean of what rides on it, by how much it carries.
static void gather(const wr_rig *rig, const float *surface, float *map, float *known)
{
    for (int i = 0; i < rig->ride_count; i++) {
        const wr_ride *ride = &rig->rides[i];
        const int *t = &rig->elements[(size_t)ride->element * (size_t)(rig->dimension + 1)];
        for (int k = 0; k <= rig->dimension; k++) {
            float w = ride->weights[k] > 0.0f ? ride->weights[k] : 0.0f;
            map[t[k]] += w * surface[i];
            known[t[k]] += w;
        }
    }
    for (int v = 0; v < rig->vertex_count; v++) {
        map[v] = known[v] > 1e-6f ? map[v] / known[v] : 0.0f;
        known[v] = known[v] > 1e-6f;
    }
}

// Gives vertices on which nothing rides the mean of their neighbours, layer after layer inwards.
static void grow(const wr_rig *rig, float *map, float *known, float *sum, float *count)
{
    bool grown = true;
    while (grown) {
        grown = false;
        memset(sum, 0, (size_t)rig->vertex_count * sizeof *sum);
        memset(count, 0, (size_t)rig->vertex_count * sizeof *count);
        for (int i = 0; i < rig->element_count; i++) {
            const int *t = &rig->elements[(size_t)i * (size_t)(rig->dimension + 1)];
            for (int k = 0; k <= rig->dimension; k++) {
                for (int m = 0; m <= rig->dimension && known[t[k]] == 0.0f; m++) {
                    sum[t[k]] += known[t[m]] * map[t[m]];
                    count[t[k]] += known[t[m]];
                }
            }
        }
        for (int v = 0; v < rig->vertex_count; v++) {
            if (count[v] > 0.0f) {
                map[v] = sum[v] / count[v];
                known[v] = 1.0f;
                grown = true;
            }
        }
    }
}

// What is painted the same everywhere was painted elsewhere: in another channel, or not at all.
static bool warn_of_constant(wri_builder *b, wr_map_kind kind, const float *surface, wr_error *why)
{
    for (int i = 1; i < b->asset->rig.ride_count; i++) {
        if (surface[i] != surface[0]) {
            return true;
        }
    }
    return wri_model_warn(b->asset->model, why, b->recipe->path,
                          "paint: \"%s\" is the same everywhere: is it painted in another channel?",
                          wr_map_name(kind));
}

static bool build_map(wri_builder *b, wr_map_kind kind, wr_error *why)
{
    const wr_rig *rig = &b->asset->rig;
    const raw_paint *raw = &b->recipe->paint[kind].raw;
    size_t n = (size_t)rig->vertex_count;
    float *surface = wri_arena_alloc(&b->arena, (size_t)rig->ride_count, sizeof *surface);
    float *room = wri_arena_alloc(&b->arena, 3 * n, sizeof *room);
    float *map = wr_asset_alloc(b->asset, n, sizeof *map);
    if (!surface || !room || !map) {
        return wri_fail_memory(why, n * sizeof *map);
    }
    if (!wri_build_surface(b, raw, surface, why) || !warn_of_constant(b, kind, surface, why)) {
        return false;
    }
    gather(rig, surface, map, room);
    grow(rig, map, room, room + n, room + 2 * n);
    for (size_t v = 0; v < n; v++) {
        map[v] = (float)(raw->from + (double)map[v] * (raw->to - raw->from));
    }
    b->asset->maps[kind] = map;
    return true;
}

bool wri_build_maps(wri_builder *b)
{
    for (int kind = 0; kind < WR_MAP_COUNT; kind++) {
        const wri_json *at = b->recipe->paint[kind].json;
        wr_error why = {0};
        if (at && !build_map(b, (wr_map_kind)kind, &why)) {
            return wri_build_fail(b, at, "paint", &why);
        }
    }
    return true;
}
