// render.h: preview pictures and films from plain triangles and spheres.
//
//     wr_render_desc desc = wr_render_desc_default();
//     wr_render *render = wr_render_create(&desc, &error);
//     wr_render_draw(render, things, count, &stage, &camera, pixels, &error);
//     wr_render_destroy(render);
//
// Sun with soft shadow, sky, light that bounces once, ground; linear light inside, sRGB out. Values
// up to 0.6 come out as they are, brighter ones bend towards white. The sky in a direction that
// rises by y is horizon + (zenith - horizon) (1 - (1 - y)^3), below the horizon the horizon's
// colour. Ground and things fade into it far behind what the camera looks at. The same input gives
// the same pixels for any number of threads and whatever was drawn before. Looks with alpha let
// what is behind them shine through and cast no shadow where less than half is there; unlit ones
// keep their colours. An environment takes the place of sky and sun; a spot in it that is small and
// sends a tenth of its light at least is a sun. Smooth metal is a mirror, and looks with
// transmission are glass of index 1.5: solid, or a thin sheet if they have two sides. On a flat
// stage there is no light at all: see wr_flat. Thread safety: one thread at a time per wr_render.
#pragma once

#include "stage.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct wr_render wr_render;

typedef enum wr_view {
    WR_VIEW_SHADED,
    WR_VIEW_WIRE, // shaded, with the triangles' edges drawn
} wr_view;

typedef struct wr_render_desc {
    int width, height; // pixels, [16, 16384]. Default 960 x 540
    int samples;       // per pixel, [1, 1024]. Default 4
    wr_view view;
    wr_allocator allocator;
    wr_tasks tasks;
    uint32_t cookie; // set by wr_render_desc_default
} wr_render_desc;

WR_API wr_render_desc wr_render_desc_default(void);
WR_API WR_NODISCARD wr_render *wr_render_create(const wr_render_desc *desc, wr_error *error);
WR_API void wr_render_destroy(wr_render *render); // accepts NULL

// One thing in the picture. Models are remembered by their address from one picture to the next, so
// that a moving model is built once, and so is the environment; wr_render_forget when one is freed
// or changed.
typedef struct wr_render_thing {
    const wr_model *model; // one mesh; NULL for an endless ground plane through the pose
    wr_pose pose;
    wr_color tint;            // multiplied with the looks
    const wr_vec3 *positions; // replaces the mesh's positions; NULL: as the mesh says
    const wr_vec3 *normals;   // replaces its normals; NULL: those of the mesh, or, where positions
                              // are replaced and it has some, those of the triangles
    const wr_color *colors; // matte paint per vertex in place of looks and vertex colours, or NULL
    const wr_mesh
        *mesh; // in place of the model's mesh, with the model's looks, and not remembered:
               // its triangles may be others in the next picture. NULL: the model's
    const wr_particles *spheres; // in place of triangles, with the colour of tint: the model may be
                                 // NULL. NULL: triangles
    const wr_look_change *look;  // in place of parts of its looks; NULL: none
} wr_render_thing;

// Fills width * height * 3 bytes of sRGB, rows from the top. Fails for numbers that are not finite,
// triangles without vertices, or a camera that stands where it looks; says which.
WR_API bool wr_render_draw(wr_render *render, const wr_render_thing *things, int count,
                           const wr_stage *stage, const wr_camera *camera, uint8_t *pixels,
                           wr_error *error);
// The same before it becomes bytes: width * height * 3 floats of linear light, without the bend
// towards white. Of a flat stage the light of its colours.
WR_API bool wr_render_draw_light(wr_render *render, const wr_render_thing *things, int count,
                                 const wr_stage *stage, const wr_camera *camera, float *light,
                                 wr_error *error);
// The same as a flat stage shows it, but without a background: width * height * 4 bytes, with
// alpha.
WR_API bool wr_render_draw_cutout(wr_render *render, const wr_render_thing *things, int count,
                                  const wr_stage *stage, const wr_camera *camera, uint8_t *pixels,
                                  wr_error *error);
WR_API void wr_render_forget(wr_render *render);
// Pictures that somebody averages into one have a number each, from 0: the same moment is seen at
// other points within its pixels, of the sun and of the sky. Default 0
WR_API void wr_render_set_exposure(wr_render *render, int number);

// --- colours that mean something --------------------------------------------------------------

// Colour of example `example` out of `count`: 0, the rest shape, is white, the others have hues
// spread evenly around the circle. As linear light, for wr_render_thing.colors.
WR_API wr_color wr_example_color(int example, int count);
// Colour of a row of blend weights: the examples' colours in proportion to their shares, whatever
// their sum; negative shares count as 0.
WR_API wr_color wr_blend_color(const float *row, int count);
// Colour of handle `handle` out of `count`.
WR_API wr_color wr_handle_color(int handle, int count);
// Colour of a number in [0, 1]: from white over yellow and red to dark purple.
WR_API wr_color wr_ramp_color(float value);
// Colour of a factor: 1 is white; the smaller, the deeper orange, the larger, the deeper blue, in
// octaves down to 1/8 and up to 8.
WR_API wr_color wr_factor_color(float factor);

// --- films ------------------------------------------------------------------------------------

// A film: raw pictures go to ffmpeg, which must be on the PATH. The ending of path chooses:
// .mp4 (H.264, yuv420p, BT.709, faststart), .webm (VP9), .webp and .gif (looping pictures). The
// first two need even sizes: an odd last column or row is left out. width and height [16, 16384].
typedef struct wr_film wr_film;
WR_API WR_NODISCARD wr_film *wr_film_create(const char *path, int width, int height,
                                            int rate_numerator, int rate_denominator,
                                            wr_error *error);
// While ffmpeg keeps us waiting, the calling thread asks every tenth of a second. After false
// ffmpeg has 2 s to use the processor, and 30 s in all; then it is ended, and what waits for it
// fails with WR_E_CANCELLED. NULL: waits without end, as it does by default.
WR_API void wr_film_set_watch(wr_film *film, bool (*go_on)(void *user), void *user);
WR_API bool wr_film_add_picture(wr_film *film, const uint8_t *pixels, wr_error *error);
// The file appears under its name, or another one in the same folder (as, not NULL), only when
// everything went well.
WR_API bool wr_film_finish(wr_film *film, const char *as, wr_error *error);
WR_API void wr_film_destroy(wr_film *film); // accepts NULL; abandons an unfinished film

#if defined(__cplusplus)
}
#endif
