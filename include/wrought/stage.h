// stage.h: what a picture needs besides triangles: cameras, sun, sky, ground.
//
// Plain data; a zeroed camera or light is not useful, start from wr_stage_default().
#pragma once

#include "geometry.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { WR_STAGE_CAMERAS = 16, WR_STAGE_NAME = 64 };

typedef struct wr_camera {
    char name[WR_STAGE_NAME]; // UTF-8, empty for the automatic camera
    wr_vec3 from;             // metres
    wr_vec3 to;               // metres; the point in the middle of the picture
    float fov;                // vertical opening angle, radians, (0, pi)
} wr_camera;

typedef struct wr_light {
    wr_vec3 sun_direction; // unit, from the scene towards the sun
    wr_color sun_color;    // linear light; radiance a white surface facing the sun sends back
    float sun_radius;    // radians; half the angle under which the sun is seen. Softness of shadows
    wr_color sky_zenith; // linear light
    wr_color sky_horizon; // linear light
    wr_color ground;      // linear light; colour of the ground where the scene gives it none
    float exposure;       // factor on everything. Default 1
} wr_light;

typedef struct wr_stage {
    int camera_count; // 0: framed automatically
    wr_camera cameras[WR_STAGE_CAMERAS];
    wr_light light;
} wr_stage;

WR_API wr_stage wr_stage_default(void);

// A camera that sees the whole box from a three-quarter view, for pictures of this aspect
// (width / height).
WR_API wr_camera wr_camera_frame(wr_box box, float aspect);
// The same for points, which may fill less of the picture than their box, and from any side, in
// radians: turn 0 stands in front, on +Z, and goes over +X; rise is up.
WR_API wr_camera wr_camera_frame_points(const wr_vec3 *points, int count, float aspect, float turn,
                                        float rise);

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
