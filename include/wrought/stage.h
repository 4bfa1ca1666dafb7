// stage.h: what a picture needs besides triangles: cameras, sun, sky, ground, or flat colours.
//
// Plain data; a zeroed camera or light is not useful, start from wr_stage_default().
#pragma once

#include "geometry.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { WR_STAGE_CAMERAS = 16, WR_STAGE_NAME = 64 };

// Where a camera is at a time, and how much it shows: as in wr_camera.
typedef struct wr_camera_key {
    double time;      // seconds from the start of the take
    wr_vec3 from, to; // metres
    float fov;        // radians, (0, pi)
    float flat;       // metres; of a camera whose flat is more than 0
    float lens;       // metres
} wr_camera_key;

typedef struct wr_camera {
    char name[WR_STAGE_NAME]; // UTF-8, empty for the automatic camera
    wr_vec3 from;             // metres
    wr_vec3 to;               // metres; the point in the middle of the picture
    float fov;                // vertical opening angle, radians, (0, pi)
    float flat;               // metres from the lower to the upper border of the picture, which is
                              // seen without perspective; fov says nothing then. 0: by fov
    bool follows;  // whether it goes along with a body, smoothly: from and to are as at the start.
                   // The same point: they, and a flat of 0, are found from the way of the body and
                   // what is around it
    int body;      // which one, of a scene or recording
    float lens;    // metres: how wide the lens is. What is as far away as `to` is sharp. 0: all is
    float blur;    // of motion: for which part of the time from one picture of a film to the next a
                   // picture is exposed, [0, 1]
    int key_count; // 0: it stays where it is
    const wr_camera_key *keys; // times increasing; not owned. In place of from, to, fov, flat and
                               // lens, see wr_camera_at
} wr_camera;

// Light from all around: a picture of every direction, by its azimuth across and its angle from +Y
// down. The middle looks along -Z; +X is right of it.
typedef struct wr_environment {
    int width, height;     // pixels, twice as wide as high, at most WR_ENVIRONMENT_WIDTH; 0: the
                           // built-in studio, three soft boxes on dark grey
    const uint8_t *pixels; // four bytes each, as in Radiance's RGBE: red, green, blue and a common
                           // exponent, color = byte * 2^(exponent - 136). Rows from the top
} wr_environment;

enum { WR_ENVIRONMENT_WIDTH = 2048 };

typedef struct wr_light {
    wr_vec3 sun_direction; // unit, from the scene towards the sun
    wr_color sun_color;    // linear light; radiance a white surface facing the sun sends back
    float sun_radius;    // radians; half the angle under which the sun is seen. Softness of shadows
    wr_color sky_zenith; // linear light
    wr_color sky_horizon; // linear light
    wr_color ground;      // linear light; colour of the ground where the scene gives it none
    float exposure;       // factor on everything. Default 1
    const wr_environment *environment; // in place of sun and sky, not owned. Default NULL: none
    float turn;                        // radians; of the environment about +Y. Default 0
} wr_light;

WR_API const wr_environment *wr_environment_studio(void);

// The look of a drawn game, in place of light: unlit looks show exactly their own colours (sRGB in,
// sRGB out), blended over each other by alpha as paint programs do; everything else is filled with
// its colour and gets an outline. Of two things at the same depth the later one is in front. Ground
// is everything below it, behind all things. The automatic camera is a flat one that looks along
// -Z.
typedef struct wr_flat {
    bool on;           // Default false
    wr_color top, low; // linear light; the background, blending from top to bottom
    float line;        // width of outlines as a part of the picture's height, [0, 0.1]; 0: none
} wr_flat;

typedef struct wr_stage {
    int camera_count; // 0: framed automatically
    wr_camera cameras[WR_STAGE_CAMERAS];
    wr_light light;
    wr_flat flat;
    bool follows; // whether the automatic camera of a flat stage follows a body that is given: one
    int body;     // that somebody plays; else it may follow the one that travels farthest
} wr_stage;

WR_API wr_stage wr_stage_default(void);

// A camera that sees the whole box from a three-quarter view, for pictures of this aspect
// (width / height).
WR_API wr_camera wr_camera_frame(wr_box box, float aspect);
// The same for points, which may fill less of the picture than their box, and from any side, in
// radians: turn 0 stands in front, on +Z, and goes over +X; rise is up.
WR_API wr_camera wr_camera_frame_points(const wr_vec3 *points, int count, float aspect, float turn,
                                        float rise);

// A flat camera that looks along -Z and sees the whole box.
WR_API wr_camera wr_camera_frame_flat(wr_box box, float aspect);

// The camera at a time, without keys: it waits before the first and after the last one, and passes
// smoothly through each. Between two keys every number stays between theirs.
WR_API wr_camera wr_camera_at(const wr_camera *camera, double time);

// Unit vectors of a camera that does not stand where it looks; one that looks straight up or down
// has -Z at the top.
WR_API void wr_camera_axes(const wr_camera *camera, wr_vec3 *forward, wr_vec3 *right, wr_vec3 *up);
// Where a point is seen in a picture of this size, in pixels from the upper left corner, and how
// far it is in front of the camera, metres. False when it is not in front of it.
WR_API bool wr_camera_project(const wr_camera *camera, int width, int height, wr_vec3 point,
                              wr_vec2 *pixel, float *depth);

#if defined(__cplusplus)
}
#endif
