// shade.h: the light that one ray from the eye sees.
#pragma once

#include "environment.h"
#include "layers.h"
#include "noise.h"

// Everything the shading of a picture reads; nothing in it changes while rays are traced.
typedef struct wri_shading {
    const wri_scene *scene;
    const wri_noise *noise;
    const wri_srgb *srgb;
    wr_vec3 sun_direction, sun_tangent, sun_bitangent;
    wr_vec3 sun, zenith, horizon;       // radiance
    const wri_environment *environment; // in place of the sky, or NULL
    float turn_sine, turn_cosine;       // of the environment
    float exposure;
    wr_vec3 bounce;               // radiance of open ground
    wr_vec3 sky_mean;             // cosine-weighted mean over the upper half
    float sun_size;               // tangent of its radius
    float pixel_angle;            // radians that a pixel sees, in the middle of the picture
    float texel_angle;            // the part of it that one sample stands for
    float pixel_size, texel_size; // the same in metres where there is no perspective, else 0
    float haze_distance;          // metres
    bool wire;
} wri_shading;

// Radiance is color + weight * ambient + open * gloss, and sun where the sun is seen. What ambient
// rays bring is filtered later and the sun's disc may be asked again, so they are kept apart.
typedef struct wri_sample {
    wr_vec3 color;
    wr_vec3 weight;
    wr_vec3 ambient; // 0 until wri_look_around
    wr_vec3 known;   // the mean of ambient where nothing is in the way
    float open;      // 1: nothing is in the way of the ambient ray
    wr_vec3 around;  // its direction
    float share;     // factor on what it brings, which makes up for how it was chosen
    wr_vec3 lobe; // another factor: of the lobe that was chosen, against weight, the mean of both
    wr_vec3 ambient_control; // what takes the noise from ambient and open where nothing is in the
    float open_control;      // way; the mean of both is 0: see trace.c
    wr_vec3 gloss;
    wr_vec3 sun;
    wr_vec3 position, normal; // scene coordinates
    wr_vec3 start;            // where rays leave the surface
    int item;                 // of the scene; WRI_ITEM_SKY, WRI_ITEM_MIXED, or less: a plane
    bool hit;
    bool faces_sun;    // sun is not zero
    bool looks_around; // there is an ambient ray
    bool has_known;    // that of a matte surface in an environment
} wri_sample;

enum { WRI_SAMPLE_NUMBERS = 3, WRI_ITEM_SKY = -1, WRI_ITEM_MIXED = -2 };

// The light is checked; scene, noise, srgb and environment, which is the light's or NULL, stay the
// caller's.
wri_shading wri_shading_create(const wri_scene *scene, const wri_noise *noise, const wri_srgb *srgb,
                               const wr_light *light, const wri_environment *environment);

// The background in a unit direction: the environment with its sun, or the sky. Below the horizon
// the sky is the colour of the horizon.
wr_vec3 wri_sky(const wri_shading *shading, wr_vec3 direction);

// direction is unit length; numbers, for the ambient ray and the choice of lobe, are in [0, 1). The
// ambient ray itself is left to wri_look_around.
void wri_shade(const wri_shading *shading, wr_vec3 from, wr_vec3 direction,
               const float numbers[WRI_SAMPLE_NUMBERS], wri_sample *out);

enum { WRI_RAYS = 8 };
typedef struct wri_rays {
    wr_vec3 from[WRI_RAYS], direction[WRI_RAYS]; // unit length
    int count;
} wri_rays;

// The same for rays that are near each other, which costs less.
void wri_shade_rays(const wri_shading *shading, const wri_rays *rays,
                    const float numbers[WRI_RAYS][WRI_SAMPLE_NUMBERS], wri_sample *const out[]);
// Towards the point (u, v) of the sun's disc, each in [0, 1).
wr_vec3 wri_toward_sun(const wri_shading *shading, float u, float v);
// Whether the sun is seen along each of them.
void wri_see_sun(const wri_shading *shading, const wri_rays *rays, bool seen[WRI_RAYS]);

// Traces the ambient ray of a sample, if it has one.
void wri_look_around(const wri_shading *shading, wri_sample *sample);

// True when nothing is in the way of a cosine-weighted ray from a sample.
bool wri_sees_out(const wri_shading *shading, const wri_sample *sample, float u, float v);

static inline wr_vec3 wri_light_without_sun(const wri_sample *s)
{
    wr_vec3 light = wr_add_scaled(s->color, s->open, s->gloss);
    return wr_add(light, wr_v3(s->weight.x * s->ambient.x, s->weight.y * s->ambient.y,
                               s->weight.z * s->ambient.z));
}

// True when the point of the sun's disc at (u, v) is seen from a sample's start.
bool wri_sees_sun(const wri_shading *shading, wr_vec3 start, float u, float v);
