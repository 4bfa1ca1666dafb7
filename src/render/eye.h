// eye.h: from pixels to rays and back. Scene coordinates: the camera is the origin.
#pragma once

#include "wrought/stage.h"

typedef struct wri_eye {
    wr_vec3 forward;   // unit
    wr_vec3 right, up; // from the middle of the picture to its border, one metre ahead; where there
                       // is no perspective, in metres
    bool flat;         // no perspective
    int width, height; // pixels
} wri_eye;

static inline wri_eye wri_eye_open(const wr_camera *camera, int width, int height)
{
    wri_eye e = {.flat = camera->flat > 0.0f, .width = width, .height = height};
    float reach = e.flat ? 0.5f * camera->flat : tanf(0.5f * camera->fov);
    wr_camera_axes(camera, &e.forward, &e.right, &e.up);
    e.right = wr_scale(reach * (float)width / (float)height, e.right);
    e.up = wr_scale(reach, e.up);
    return e;
}

// The ray through a place in the picture, in pixels from its upper left corner.
static inline void wri_eye_ray(const wri_eye *e, float x, float y, wr_vec3 *from,
                               wr_vec3 *direction)
{
    float u = 2.0f * x / (float)e->width - 1.0f;
    float v = 1.0f - 2.0f * y / (float)e->height;
    if (e->flat) {
        *from = wr_add_scaled(wr_scale(u, e->right), v, e->up);
        *direction = e->forward;
        return;
    }
    *from = wr_v3(0.0f, 0.0f, 0.0f);
    *direction = wr_normalize(wr_add_scaled(wr_add_scaled(e->forward, u, e->right), v, e->up));
}

// False when the point is not in front of the camera.
static inline bool wri_eye_project(const wri_eye *e, wr_vec3 point, wr_vec2 *pixel, float *depth)
{
    *depth = wr_dot(point, e->forward);
    float scale = e->flat ? 1.0f : 1.0f / *depth;
    float u = scale * wr_dot(point, e->right) / wr_dot(e->right, e->right);
    float v = scale * wr_dot(point, e->up) / wr_dot(e->up, e->up);
    pixel->x = 0.5f * (1.0f + u) * (float)e->width;
    pixel->y = 0.5f * (1.0f - v) * (float)e->height;
    return *depth > 0.0f;
}
