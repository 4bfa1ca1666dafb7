// usda_stage.c: cameras and lights of a model in a .usda.
//
// Both look along the -Z of their prim, as a camera's and a light's node does. UsdLux measures a
// light by its radiance; a DistantLight with normalize by what arrives at a surface that faces it,
// E, of which a white surface sends E / pi back in every direction. The sky is a DomeLight of one
// colour.
#include "usda.h"

#include "../math/elementary.h"

// Tenths of a unit, of which only ratios count where there is perspective.
#define APERTURE 24.0f

static const wr_model_camera *camera_of(const wri_usda *u, int node)
{
    for (int i = 0; i < u->model->camera_count; i++) {
        if (u->model->cameras[i].node == node) {
            return &u->model->cameras[i];
        }
    }
    return NULL;
}

static const wr_model_light *light_of(const wri_usda *u, int node)
{
    for (int i = 0; i < u->model->light_count; i++) {
        if (u->model->lights[i].node == node) {
            return &u->model->lights[i];
        }
    }
    return NULL;
}

const char *wri_usda_stage_type(const wri_usda *u, int node)
{
    const wr_model_light *light = light_of(u, node);
    return camera_of(u, node) ? "Camera"
           : !light           ? NULL
           : light->is_sky    ? "DomeLight"
                              : "DistantLight";
}

static void write_number(wri_usda *u, const char *declaration, float value)
{
    wri_usda_begin(u, declaration);
    wri_out_text(u->out, " = ");
    wri_out_float(u->out, value);
    wri_out_text(u->out, "\n");
}

static void write_camera(wri_usda *u, const wr_model_camera *camera)
{
    bool flat = camera->flat > 0.0f;
    float height = flat ? 10.0f * camera->flat : APERTURE, sine, cosine;
    wri_sin_cos(0.5f * camera->fov, &sine, &cosine);
    wri_usda_line(u, "token projection = \"%s\"", flat ? "orthographic" : "perspective");
    if (!flat) { // fov = 2 atan(verticalAperture / (2 focalLength))
        write_number(u, "float focalLength", 0.5f * height * cosine / sine);
    }
    write_number(u, "float horizontalAperture", camera->aspect * height);
    write_number(u, "float verticalAperture", height);
    write_number(u, "float focusDistance", camera->focus);
    wri_usda_begin(u, "float2 clippingRange = ");
    wri_usda_tuple(u, (float[2]){camera->near, camera->far}, 2);
    wri_out_text(u->out, "\n");
}

static void write_light(wri_usda *u, const wr_model_light *light)
{
    wr_color c = light->color;
    float most = fmaxf(c.r, fmaxf(c.g, c.b)), share = most > 0.0f ? most : 1.0f;
    wri_usda_begin(u, "color3f inputs:color = ");
    wri_usda_tuple(u, (float[3]){c.r / share, c.g / share, c.b / share}, 3);
    wri_out_text(u->out, "\n");
    write_number(u, "float inputs:intensity", light->is_sky ? most : WR_PI * most);
    if (!light->is_sky) {
        write_number(u, "float inputs:angle", light->radius * (360.0f / WR_PI)); // the whole disc
        wri_usda_line(u, "bool inputs:normalize = 1");
    }
}

void wri_usda_stage(wri_usda *u, int node)
{
    const wr_model_camera *camera = camera_of(u, node);
    const wr_model_light *light = light_of(u, node);
    if (camera) {
        write_camera(u, camera);
    } else if (light) {
        write_light(u, light);
    }
}
