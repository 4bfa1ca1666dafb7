// flat_scene.h: flat rigs made by arithmetic as assets in a folder, and scenes about them.
#pragma once

#include "check.h"

#include "wrought/scene.h"
#include "wrought/world.h"

#include <stdio.h>

static temporary_folder folder;

static inline const char *in_folder(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    return path;
}

static inline void *copy_for(wr_asset *asset, const void *items, size_t count, size_t size)
{
    void *room = wr_asset_alloc(asset, count, size);
    assert_non_null(room);
    return memcpy(room, items, count * size);
}

// The particles themselves are what is drawn.
static inline wr_model *draw_rig(const wr_rig *rig, const char *name)
{
    wr_model *model = wr_model_create(NULL, NULL);
    assert_non_null(model);
    size_t n = (size_t)rig->vertex_count, t = (size_t)rig->element_count;
    model->mesh_count = model->node_count = 1;
    model->meshes = wr_model_alloc(model, 1, sizeof *model->meshes);
    model->nodes = wr_model_alloc(model, 1, sizeof *model->nodes);
    wr_mesh *mesh = model->meshes;
    mesh->name = name;
    mesh->vertex_count = rig->vertex_count;
    mesh->triangle_count = rig->element_count;
    mesh->positions = wr_model_alloc(model, n, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(model, 3 * t, sizeof(int));
    mesh->parts = wr_model_alloc(model, 1, sizeof *mesh->parts);
    mesh->part_count = 1;
    mesh->parts[0] = (wr_mesh_part){0, rig->element_count, -1};
    memcpy(mesh->positions, rig->rest, n * sizeof(wr_vec3));
    memcpy(mesh->triangles, rig->elements, 3 * t * sizeof(int));
    model->nodes[0] = (wr_node){
        .name = name, .parent = -1, .skin = -1, .pose = WR_POSE_IDENTITY, .scale = {1, 1, 1}};
    return model;
}

// The poses of its examples stay those of the rig, which must outlive it.
static inline wr_asset *make_flat_asset(const wr_rig *from, const char *name,
                                        const char *const *handles)
{
    wr_error error = {0};
    wr_asset *asset = wr_asset_create(draw_rig(from, name), NULL, &error);
    assert_non_null(asset);
    wr_rig *rig = &asset->rig;
    size_t n = (size_t)from->vertex_count, b = (size_t)from->handle_count;
    asset->name = name;
    *rig = *from;
    rig->rest = copy_for(asset, from->rest, n, sizeof(wr_vec3));
    rig->elements = copy_for(asset, from->elements, 3 * (size_t)rig->element_count, sizeof(int));
    rig->weights = copy_for(asset, from->weights, n * b, sizeof(float));
    rig->handles = copy_for(asset, from->handles, b, sizeof(wr_handle));
    rig->examples =
        copy_for(asset, from->examples, (size_t)from->example_count, sizeof(wr_example));
    for (size_t i = 0; i < b; i++) {
        rig->handles[i].name = handles[i];
    }
    rig->ride_count = rig->vertex_count;
    rig->rides = wr_asset_alloc(asset, n, sizeof *rig->rides);
    for (int t = 0; t < 3 * rig->element_count; t++) {
        wr_ride ride = {.element = t / 3};
        ride.weights[t % 3] = 1.0f;
        rig->rides[rig->elements[t]] = ride;
    }
    return asset;
}

// And destroys it.
static inline void write_flat_asset(wr_asset *asset, const char *name)
{
    wr_error error = {0};
    if (!wr_asset_write(asset, in_folder(name), &error)) {
        fail_msg("%s", error.message);
    }
    wr_asset_destroy(asset);
}

// With ' for ".
static inline void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    for (const char *c = text; *c; c++) {
        fputc(*c == '\'' ? '"' : *c, file);
    }
    fclose(file);
}

static inline wr_scene *read_text(const char *text, wr_error *error)
{
    write_text("scene.json", text);
    return wr_scene_read(in_folder("scene.json"), NULL, error);
}

static inline wr_scene *read_good(const char *text)
{
    wr_error error = {0};
    wr_scene *scene = read_text(text, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    return scene;
}

// --- worlds of them -----------------------------------------------------------------------------

typedef struct show {
    wr_scene *scene;
    wr_world *world;
} show;

static inline wr_world *play(const wr_scene *scene, int threads)
{
    wr_error error = {0};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    if (threads) {
        desc.tasks = wr_tasks_openmp(threads);
    }
    wr_world *world = wr_world_create(&desc, &error);
    if (!world) {
        fail_msg("%s", error.message);
    }
    return world;
}

static inline show start(const char *text)
{
    show s = {.scene = read_good(text)};
    s.world = play(s.scene, 0);
    return s;
}

static inline void end(show *s)
{
    wr_world_destroy(s->world);
    wr_scene_destroy(s->scene);
}

static inline void step_frames(wr_world *world, int count)
{
    for (int i = 0; i < count; i++) {
        wr_world_step_frame(world);
    }
}
