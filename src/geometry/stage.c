// stage.c: a pleasant light and a camera that sees everything.
#include "wrought/stage.h"

#include <string.h>

wr_stage wr_stage_default(void)
{
    wr_stage stage = {0};
    stage.light = (wr_light){
        .sun_direction = wr_normalize(wr_v3(-0.58f, 0.66f, 0.60f)),
        .sun_color = {1.42f, 1.24f, 0.98f, 1.0f},
        .sun_radius = 0.02f,
        .sky_zenith = {0.17f, 0.31f, 0.56f, 1.0f},
        .sky_horizon = {0.62f, 0.74f, 0.86f, 1.0f},
        .ground = {0.38f, 0.36f, 0.32f, 1.0f},
        .exposure = 1.0f,
    };
    stage.flat = (wr_flat){.top = {0.6104956f, 0.7912979f, 0.8879231f, 1.0f},
                           .low = {0.8879231f, 0.9215819f, 0.8879231f, 1.0f},
                           .line = 0.005f};
    return stage;
}

const wr_environment *wr_environment_studio(void)
{
    static const wr_environment studio = {0};
    return &studio;
}

void wr_camera_axes(const wr_camera *camera, wr_vec3 *forward, wr_vec3 *right, wr_vec3 *up)
{
    *forward = wr_normalize(wr_sub(camera->to, camera->from));
    bool steep = fabsf(forward->y) > 0.9999f;
    *right = wr_normalize(wr_cross(*forward, steep ? wr_v3(0, 0, -1) : wr_v3(0, 1, 0)));
    *up = wr_cross(*right, *forward);
}

typedef struct frame {
    wr_vec3 right, up, back; // unit
    float wide, high;        // tangents of half the opening angles, less the margin
} frame;

// The camera distance from `center` at which the points just fit.
static float fit_distance(const frame *f, const wr_vec3 *points, int count, wr_vec3 center)
{
    float distance = 0.0f;
    for (int i = 0; i < count; i++) {
        wr_vec3 d = wr_sub(points[i], center);
        float x = fabsf(wr_dot(d, f->right)) / f->wide, y = fabsf(wr_dot(d, f->up)) / f->high;
        distance = fmaxf(distance, wr_dot(d, f->back) + fmaxf(x, y));
    }
    return distance;
}

// Moves the centre sideways so that the points have equal room on both sides.
static wr_vec3 balance(const frame *f, const wr_vec3 *points, int count, wr_vec3 center,
                       float distance)
{
    float left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        wr_vec3 d = wr_sub(points[i], center);
        float depth = distance - wr_dot(d, f->back);
        float x = wr_dot(d, f->right) / depth, y = wr_dot(d, f->up) / depth;
        left = fminf(left, x);
        right = fmaxf(right, x);
        low = fminf(low, y);
        high = fmaxf(high, y);
    }
    center = wr_add_scaled(center, 0.5f * (left + right) * distance, f->right);
    return wr_add_scaled(center, 0.5f * (low + high) * distance, f->up);
}

static wr_box usable_box(wr_box box)
{
    if (wr_box_is_empty(box) || !wr_is_finite3(box.min) || !wr_is_finite3(box.max)) {
        box = (wr_box){{-1.0f, 0.0f, -1.0f}, {1.0f, 2.0f, 1.0f}};
    }
    float size = wr_length(wr_box_size(box)), reach = wr_length(wr_box_center(box));
    float grow = size > 1e-6f * reach ? 0.0f : reach > 0.0f ? 1e-3f * reach : 0.5f;
    wr_vec3 g = wr_v3(grow, grow, grow); // a point gets a little room to be seen in
    return (wr_box){wr_sub(box.min, g), wr_add(box.max, g)};
}

static wr_camera frame_points(const wr_vec3 *points, int count, wr_vec3 center, float aspect,
                              float turn, float rise)
{
    const float fov = 0.60f, margin = 0.90f; // radians
    aspect = aspect > 0.01f && aspect < 100.0f ? aspect : 1.0f;
    wr_vec3 back = wr_v3(cosf(rise) * sinf(turn), sinf(rise), cosf(rise) * cosf(turn));
    frame f = {.back = back, .high = margin * tanf(0.5f * fov)};
    f.wide = f.high * aspect;
    f.right = wr_normalize(wr_cross(wr_v3(0.0f, 1.0f, 0.0f), back));
    f.up = wr_cross(back, f.right);
    float distance = fit_distance(&f, points, count, center);
    for (int i = 0; i < 4; i++) {
        center = balance(&f, points, count, center, distance);
        distance = fit_distance(&f, points, count, center);
    }
    wr_camera camera = {.to = center, .fov = fov};
    camera.from = wr_add_scaled(center, distance, back);
    return camera;
}

static wr_camera frame_box(wr_box box, float aspect, float turn, float rise)
{
    wr_vec3 corners[8];
    box = usable_box(box);
    for (int i = 0; i < 8; i++) {
        corners[i] = wr_v3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y,
                           i & 4 ? box.max.z : box.min.z);
    }
    return frame_points(corners, 8, wr_box_center(box), aspect, turn, rise);
}

wr_camera wr_camera_frame(wr_box box, float aspect)
{
    return frame_box(box, aspect, 0.45f, 0.21f);
}

wr_camera wr_camera_frame_points(const wr_vec3 *points, int count, float aspect, float turn,
                                 float rise)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < count; i++) {
        box = wr_box_add(box, points[i]);
    }
    wr_box usable = usable_box(box);
    if (memcmp(&box, &usable, sizeof box) != 0) { // nothing, a point, or too far away
        return frame_box(box, aspect, turn, rise);
    }
    return frame_points(points, count, wr_box_center(box), aspect, turn, rise);
}

wr_camera wr_camera_frame_flat(wr_box box, float aspect)
{
    const float margin = 0.90f;
    aspect = aspect > 0.01f && aspect < 100.0f ? aspect : 1.0f;
    box = usable_box(box);
    wr_vec3 size = wr_box_size(box);
    wr_camera camera = {.to = wr_box_center(box), .fov = 0.60f};
    camera.flat = fmaxf(fmaxf(size.y, size.x / aspect), 1e-3f * size.z) / margin;
    // The camera is in front of everything, with room for what is not in the box.
    camera.from = wr_add(camera.to, wr_v3(0.0f, 0.0f, 0.5f * size.z + 4.0f * camera.flat));
    return camera;
}

bool wr_camera_project(const wr_camera *camera, int width, int height, wr_vec3 point,
                       wr_vec2 *pixel, float *depth)
{
    wr_vec3 forward, right, up, d = wr_sub(point, camera->from);
    wr_camera_axes(camera, &forward, &right, &up);
    *depth = wr_dot(d, forward);
    if (!(*depth > 0.0f)) {
        return false;
    }
    float scale = camera->flat > 0.0f ? (float)height / camera->flat
                                      : 0.5f * (float)height / (tanf(0.5f * camera->fov) * *depth);
    pixel->x = 0.5f * (float)width + scale * wr_dot(d, right);
    pixel->y = 0.5f * (float)height - scale * wr_dot(d, up);
    return true;
}
