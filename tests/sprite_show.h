// sprite_show.h: a shipped scene of sprites that is played.
#pragma once

#include "check.h"

#include "wrought/scene.h"

#include "../src/world/sprite.h"
#include "../src/world/world.h"

typedef struct show {
    wr_scene *scene;
    wr_world *world;
    wr_sprite_world *sprites;
} show;

// Skips the test where there are no scenes.
static inline wr_scene *read_shipped(const char *name)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        print_message("WROUGHT_SCENES is not set\n");
        skip();
    }
    char path[600];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/%s.scene.json", scenes, name);
    wr_scene *scene = wr_scene_read(path, NULL, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    return scene;
}

static inline show play(wr_scene *scene)
{
    wr_error error = {0};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    show s = {scene, wr_world_create(&desc, &error), NULL};
    if (!s.world) {
        fail_msg("%s", error.message);
    }
    int sprite;
    assert_true(s.world->material_count > 0);
    s.sprites = wri_sprite_world_of(s.world->materials[0].state, &sprite);
    return s;
}

static inline void end(show *s)
{
    wr_world_destroy(s->world);
    wr_scene_destroy(s->scene);
}

static inline int body_of(const wr_scene *scene, const char *name)
{
    for (int i = 0; i < scene->body_count; i++) {
        if (strcmp(scene->bodies[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("no body \"%s\"", name);
    return -1;
}

static inline int sprite_of(const show *s, const char *name)
{
    int body = body_of(s->scene, name), sprite = -1;
    for (int i = 0; i < s->world->material_count; i++) {
        if (s->world->materials[i].scene_body == body) {
            wri_sprite_world_of(s->world->materials[i].state, &sprite);
        }
    }
    assert_true(sprite >= 0);
    return sprite;
}

static inline wr_sprite_facts facts_of(const show *s, const char *name)
{
    return wr_sprite_get_facts(s->sprites, sprite_of(s, name));
}
