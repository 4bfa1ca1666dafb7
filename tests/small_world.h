// small_world.h: scenes written in a test, and worlds of them.
#pragma once

#include "folder.h"

#include "../src/base/os.h"
#include "../src/world/world.h"
#include "wrought/scene.h"

// --- a material without a state -----------------------------------------------------------------

static inline void stateless_destroy(void *body)
{
    (void)body;
}

static inline wr_material_surface stateless_surface(const void *body)
{
    (void)body;
    return (wr_material_surface){.part = -1};
}

static inline bool stateless_is_sound(const void *body)
{
    return body != NULL;
}

static inline uint64_t stateless_hash(const void *body)
{
    return body != NULL;
}

static inline size_t stateless_size(const void *body)
{
    (void)body;
    return 0;
}

static inline void stateless_save(const void *body, void *bytes)
{
    (void)body;
    (void)bytes;
}

static inline bool stateless_restore(void *body, const void *bytes, size_t size, wr_error *error)
{
    (void)body;
    (void)bytes;
    return size == 0 || wri_fail(error, WR_E_FORMAT, "has no state");
}

// What all of them have; the others stand beside it.
#define STATELESS(word)                                                                            \
    .table_size = sizeof(wr_material), .name = word, .about = "Is for a test.",                    \
    .destroy = stateless_destroy, .hash = stateless_hash, .save = stateless_save,                  \
    .restore = stateless_restore

// --- scenes -------------------------------------------------------------------------------------

// Each test file says which materials its scenes may name; NULL at the end.
extern const wr_material *const small_world_materials[];

// Scenes are written with ' instead of ".
static inline wr_scene *read_scene(const char *text)
{
    wr_scene_options options = {.materials = small_world_materials};
    while (small_world_materials[options.material_count]) {
        options.material_count++;
    }
    char path[600], json[8192];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/scene.json", folder.path);
    snprintf(json, sizeof json, "{'wrought': 1, %s}", text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    wr_scene *scene = wri_file_write(path, json, strlen(json), &error)
                          ? wr_scene_read(path, &options, &error)
                          : NULL;
    if (!scene) {
        fail_msg("%s", error.message);
    }
    return scene;
}

static inline wr_world *make_world(const wr_scene *scene, const wr_tasks *tasks)
{
    wr_world_desc desc = wr_world_desc_default();
    wr_error error = {0};
    desc.scene = scene;
    if (tasks) {
        desc.tasks = *tasks;
    }
    wr_world *world = wr_world_create(&desc, &error);
    if (!world) {
        fail_msg("%s", error.message);
    }
    return world;
}

// A scene and a world of it, for tests that need one of each.
typedef struct show {
    wr_scene *scene;
    wr_world *world;
} show;

static inline show start(const char *text)
{
    show s = {.scene = read_scene(text)};
    s.world = make_world(s.scene, NULL);
    return s;
}

static inline void end(show s)
{
    wr_world_destroy(s.world);
    wr_scene_destroy(s.scene);
}

static inline void step_frames(wr_world *world, int count)
{
    for (int i = 0; i < count; i++) {
        wr_world_step_frame(world);
    }
}

#define GROUND "{'name': 'ground', 'shape': 'plane'}"
#define SPACE "'gravity': [0, 0, 0], "
