// exposure.h: pictures that take time, through a lens that is wide.
#pragma once

#include "show.h"

#include "../render/texture.h"

typedef struct wri_exposure {
    double blur;  // of motion: part of the time from one picture to the next
    float lens;   // diameter, metres; -1: as the camera says
    int count;    // of pictures that are averaged; 0: none are
    size_t bytes; // of a picture
    wri_srgb srgb;
    float *mean;     // of the pictures so far, per byte
    uint8_t *pixels; // one of the pictures
    float *light;    // or its light
} wri_exposure;

bool wri_exposure_create(wri_exposure *exposure, const wr_show_desc *desc, int count,
                         wri_arena *arena, wr_error *error);

// When picture i of those that are averaged is, in frames; interval: frames from one picture to the
// next.
double wri_exposure_moment(const wri_exposure *exposure, int i, double moment, double interval,
                           int last);
// The camera as a place within the lens sees what it looks at.
wr_camera wri_exposure_camera(const wri_exposure *exposure, int i, const wr_camera *camera);
void wri_exposure_add(wri_exposure *exposure, int i); // exposure->pixels
void wri_exposure_add_light(wri_exposure *exposure, int i);
void wri_exposure_develop(const wri_exposure *exposure, uint8_t *pixels);
