// show.h: worlds of scenes that are written in a test, with ' for ".
#pragma once

#include "../bench/metal_world.h"
#include "folder.h"

// `assets`: what the scene may name besides the models of scenes/, as in a scene file; NULL: none.
static inline show start_with(const char *assets, const char *text, const wr_tasks *tasks)
{
    show s = {0};
    wr_error error = {0};
    char path[600];
    snprintf(path, sizeof path, "%s/scene.json", folder.path);
    if (!show_start(&s, path, getenv("WROUGHT_SCENES"), assets, text, tasks, &error)) {
        fail_msg("%s", error.message);
    }
    return s;
}

static inline void step_frames(wr_world *world, int count)
{
    for (int i = 0; i < count; i++) {
        wr_world_step_frame(world);
    }
}
