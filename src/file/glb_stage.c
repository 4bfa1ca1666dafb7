// glb_stage.c: cameras and suns of a model in a .glb, the latter by KHR_lights_punctual.
//
// That extension's light has the illuminance of a surface that faces it, E in lux. A white surface
// sends E / pi back in every direction, which is what colours of our lights say. glTF has no sky.
#include "glb_pack.h"

static void write_camera(wri_glb *glb, const wr_model_camera *camera)
{
    wri_json_writer *json = &glb->json;
    bool flat = camera->flat > 0.0f;
    wri_json_begin_object(json, NULL);
    wri_json_write_string(json, "type", flat ? "orthographic" : "perspective");
    wri_json_begin_object(json, flat ? "orthographic" : "perspective");
    if (flat) {
        wri_json_write_float(json, "xmag", 0.5f * camera->aspect * camera->flat);
        wri_json_write_float(json, "ymag", 0.5f * camera->flat);
    } else {
        wri_json_write_float(json, "aspectRatio", camera->aspect);
        wri_json_write_float(json, "yfov", camera->fov);
    }
    wri_json_write_float(json, "znear", camera->near);
    wri_json_write_float(json, "zfar", camera->far);
    wri_json_end_object(json);
    wri_json_end_object(json);
}

void wri_glb_write_cameras(wri_glb *glb, const wr_model *model)
{
    if (model->camera_count == 0) {
        return;
    }
    wri_json_begin_array(&glb->json, "cameras");
    for (int i = 0; i < model->camera_count; i++) {
        write_camera(glb, &model->cameras[i]);
    }
    wri_json_end_array(&glb->json);
}

static void write_sun(wri_glb *glb, wr_color color)
{
    wri_json_writer *json = &glb->json;
    float most = fmaxf(color.r, fmaxf(color.g, color.b)), share = most > 0.0f ? most : 1.0f;
    const float hue[3] = {color.r / share, color.g / share, color.b / share};
    wri_json_begin_object(json, NULL);
    wri_json_write_string(json, "type", "directional");
    wri_glb_write_floats(glb, "color", hue, 3);
    wri_json_write_float(json, "intensity", WR_PI * most);
    wri_json_end_object(json);
}

void wri_glb_write_suns(wri_glb *glb, const wr_model *model)
{
    wri_json_writer *json = &glb->json;
    for (int i = 0; i < model->light_count; i++) {
        if (model->lights[i].is_sky) {
            continue;
        }
        if (!glb->has_suns) {
            wri_json_begin_object(json, "extensions");
            wri_json_begin_object(json, WRI_GLB_LIGHTS);
            wri_json_begin_array(json, "lights");
            glb->has_suns = true;
        }
        write_sun(glb, model->lights[i].color);
    }
    if (glb->has_suns) {
        wri_json_end_array(json);
        wri_json_end_object(json);
        wri_json_end_object(json);
    }
}

void wri_glb_write_stage(wri_glb *glb, const wr_model *model, int node)
{
    wri_json_writer *json = &glb->json;
    for (int i = 0; i < model->camera_count; i++) {
        if (model->cameras[i].node == node) {
            wri_json_write_int(json, "camera", i);
        }
    }
    for (int i = 0, sun = 0; glb->has_suns && i < model->light_count; i++) {
        const wr_model_light *light = &model->lights[i];
        if (light->node == node && !light->is_sky) {
            wri_json_begin_object(json, "extensions");
            wri_json_begin_object(json, WRI_GLB_LIGHTS);
            wri_json_write_int(json, "light", sun);
            wri_json_end_object(json);
            wri_json_end_object(json);
        }
        sun += !light->is_sky;
    }
}
