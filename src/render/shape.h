// shape.h: models and things made ready for rays.
//
// A shape is what is remembered of a model from picture to picture; a scene is everything in one
// picture. Scene coordinates have their origin at the eye: what is near the camera keeps its digits
// also when it stands kilometres from the origin.
#pragma once

#include "wrought/render.h"
#include "edges.h"
#include "texture.h"

#include <embree3/rtcore.h>

// A look made ready.
typedef struct wri_surface {
    wr_vec3 color;    // linear light
    wr_vec3 mean;     // color times the means of texture and vertex colours: seen in reflections
    wr_vec3 emission; // linear light
    wr_vec3 glow;     // emission times the mean of its map
    float roughness, metallic, transmission;
    const wri_texture *texture;                 // or NULL
    const wri_texture *maps[WR_LOOK_MAP_COUNT]; // or NULL
    float normal_scale, occlusion;
    float layouts[WR_LOOK_MAP_COUNT][2][3]; // u, v and 1 of the mesh to those of a map
    bool is_laid[WR_LOOK_MAP_COUNT];        // false: they are the same
    bool has_maps;                          // or light of its own
    float opacity;                          // of the base colour
    float cutoff;
    wr_alpha alpha;
    bool unlit, double_sided;
} wri_surface;

// A tree over the triangles of a shape that goes along with replaced positions.
typedef struct wri_bent {
    RTCScene scene;
    wr_vec3 *positions; // Embree's copy
} wri_bent;

typedef struct wri_shape {
    const wr_model *model;       // not owned
    const wr_mesh *mesh;         // NULL: no triangles to draw
    const wr_particles *spheres; // in place of triangles; not owned
    wri_arena arena;
    RTCScene scene;        // NULL when there is nothing to draw
    wri_texture *textures; // of each kind one per image, kind after kind
    wri_surface *surfaces; // one per look, then the default one; of spheres a single one
    int *surface_of_triangle;
    bool
        is_filtered; // see layers.h: has a look with alpha or of glass, or is part of flat pictures
    wri_edge *edges; // for outlines of flat pictures
    int edge_count;
    wri_array bent; // wri_bent, for things of one picture that replace its positions
    int bent_count; // of them in use
    float reach;    // largest coordinate, metres: the scale of rounding errors
    float radius;   // metres, half the diagonal of the bounds
    wr_vec3 center;
} wri_shape;

// A thing of the picture, with what a ray needs when it hits it.
typedef struct wri_item {
    const wri_shape *shape;
    const wri_surface *surfaces;        // those of the shape, or its own
    bool is_plain;                      // its vertex colours do not count
    const wr_vec3 *positions, *normals; // own frame; normals may be NULL
    const wr_color *colors;             // in place of looks and vertex colours, or NULL
    wr_vec3 mean;                       // of colors
    RTCScene scene;                     // of its shape
    wr_mat3 rotation;
    wr_vec3 offset; // scene coordinates of the thing's origin
    wr_vec3 tint;
    float slack; // metres, rounding error of points on this thing
} wri_item;

typedef struct wri_plane {
    wr_vec3 normal;
    float height; // normal . p == height on the plane, scene coordinates
    wr_pose pose; // scene coordinates
    wri_surface surface;
} wri_plane;

typedef struct wri_scene {
    RTCScene top;
    wri_item *items;
    wri_plane *planes;
    int item_count, plane_count;
    bool is_filtered; // some of its things are
    // Geometric means, which one thing that flies far away hardly moves. 1 without things.
    float thing_size;     // metres, of the things' radii
    float thing_distance; // metres, from the eye to the things
} wri_scene;

static inline const wri_surface *wri_surface_at(const wri_item *item, int primitive)
{
    const wri_shape *shape = item->shape;
    return &item->surfaces[shape->spheres ? 0 : shape->surface_of_triangle[primitive]];
}

// NULL with a sentence about thing `index` when the model cannot be drawn.
wri_shape *wri_shape_create(RTCDevice device, const wr_model *model, const wri_srgb *srgb,
                            const wr_allocator *allocator, int index, wr_error *error);
// Another mesh with the looks of a shape, which must outlive it.
wri_shape *wri_shape_create_mesh(RTCDevice device, const wri_shape *looks, const wr_mesh *mesh,
                                 const wri_srgb *srgb, const wr_allocator *allocator, int index,
                                 wr_error *error);
// is_filtered: for flat pictures.
wri_shape *wri_shape_create_spheres(RTCDevice device, const wr_particles *spheres, bool is_filtered,
                                    const wr_allocator *allocator, int index, wr_error *error);
void wri_shape_destroy(wri_shape *shape); // accepts NULL
// Makes it ready for rays that pass some of it: see layers.h.
bool wri_shape_filter(wri_shape *shape, RTCDevice device, wr_error *error);
// Makes it ready for flat pictures, too.
bool wri_shape_flatten(wri_shape *shape, RTCDevice device, wr_error *error);

// Fills the scene for an eye at `eye`. shapes[i] belongs to things[i], NULL for ground; trees that
// the shapes keep are the scene's until the next one is built. Arrays come from scratch;
// wri_scene_release also after a failure.
bool wri_scene_build(wri_scene *scene, RTCDevice device, wr_scratch *scratch,
                     const wr_render_thing *things, wri_shape *const *shapes, int count,
                     wr_vec3 eye, wr_error *error);
void wri_scene_release(wri_scene *scene);
