// layers.h: drawings, which rays may pass where they are transparent.
//
// Embree asks a filter about every triangle of a drawing that a ray meets, in any order. It decides
// by what kind of ray it is: whether the ray stops there, goes on, or goes on and takes note.
#pragma once

#include "shape.h"

typedef enum wri_pass {
    WRI_PASS_NOTHING, // everything stops the ray
    WRI_PASS_FAINT,   // what is at least half there stops it, but not glass: shadows and sky light
    WRI_PASS_SOLID,   // what is at least half there stops it: mirrors
    WRI_PASS_CLEAR,   // it takes note of what has alpha
    WRI_PASS_EVERYTHING, // it takes note of everything
} wri_pass;

enum { WRI_LAYERS = 32 }; // what is behind so many is not seen

typedef struct wri_layer {
    float distance;
    int item, triangle;
    float u, v;
} wri_layer;

typedef struct wri_ray_context {
    struct RTCIntersectContext embree; // first: filters get its address
    const wri_scene *scene;
    wri_pass pass;
    int count;
    wri_layer layers[WRI_LAYERS]; // nearest first
} wri_ray_context;

void wri_ray_context_begin(wri_ray_context *context, const wri_scene *scene, wri_pass pass);

// The filter for the triangles of a shape.
void wri_layers_attach(RTCGeometry geometry, const wri_shape *shape);

// The place at which a texture of a triangle's surface is looked up. area2: twice the triangle's
// area, and the width of what is looked at, both in metres.
typedef struct wri_lookup {
    float u, v, level;
} wri_lookup;
wri_lookup wri_lookup_at(const wri_shape *shape, const wri_texture *texture, int triangle,
                         wr_vec3 weights, float area2, float footprint);

// Opacity of a surface, [0, 1], after its cutoff; alpha: of its texture, or 1.
float wri_surface_alpha(const wri_shape *shape, const wri_surface *surface, int triangle,
                        wr_vec3 weights, float alpha);
// The same where paint stands in place of the look: only its texture cuts it out.
float wri_paint_alpha(const wri_surface *surface, float alpha);
