// flat.h: pictures without light, as drawn games have them.
#pragma once

#include "eye.h"
#include "shape.h"

// Everything that the pixels of a flat picture are made of; nothing in it changes meanwhile.
typedef struct wri_flat {
    const wri_scene *scene;
    const wri_srgb *srgb;
    wri_eye eye;
    wr_vec3 top, low; // sRGB in [0, 1], as all colours here
    float focus;      // metres: ground is cut by the plane so far ahead
    float step;       // metres: depths that differ by less are the same
    float texel_angle, texel_size;
    float line; // width of outlines, pixels
    bool wire;
    struct wri_flat_lines *lines; // or NULL
} wri_flat;

// The flat stage is checked, and the shapes are flattened. Outlines live in scratch.
bool wri_flat_begin(wri_flat *flat, const wri_scene *scene, const wri_srgb *srgb,
                    const wr_stage *stage, const wr_camera *camera, const wr_render_desc *desc,
                    wr_scratch *scratch, wr_error *error);

// The colour, times alpha, and the alpha of all that is not background at a place in the picture,
// in pixels from its upper left corner.
wr_color wri_flat_shade(const wri_flat *flat, float x, float y);
wr_vec3 wri_flat_background(const wri_flat *flat, float y);
