// pictures.h: small renderings for tests, and what a byte of them means.
#pragma once

#include "check.h"

#include "wrought/render.h"

#include <math.h>

// As linear light.
static inline float decode(int byte)
{
    float c = (float)byte / 255.0f;
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static inline wr_render *make_sized_render(int width, int height, int samples, int workers,
                                           wr_view view)
{
    wr_render_desc desc = wr_render_desc_default();
    desc.width = width;
    desc.height = height;
    desc.samples = samples;
    desc.view = view;
    if (workers > 1) {
        desc.tasks = wr_tasks_openmp(workers);
    }
    wr_error error = {0};
    wr_render *render = wr_render_create(&desc, &error);
    if (!render) {
        fail_msg("%s", error.message);
    }
    return render;
}

// Draws, and destroys the renderer.
static inline void draw_with(wr_render *render, const wr_render_thing *things, int count,
                             const wr_stage *stage, const wr_camera *camera, uint8_t *pixels)
{
    wr_error error = {0};
    if (!wr_render_draw(render, things, count, stage, camera, pixels, &error)) {
        fail_msg("%s", error.message);
    }
    wr_render_destroy(render);
}
