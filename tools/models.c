// models.c: what the demo models share.
#include "models.h"

#include <stdio.h>
#include <stdlib.h>

static const rgb STEEL = {0.42f, 0.42f, 0.43f}, RUST_LIGHT = {0.52f, 0.30f, 0.15f};

void stop(const char *message)
{
    fprintf(stderr, "make_models: %s\n", message);
    exit(1);
}

wr_model *start_model(const char *name, int look_count, canvas *texture)
{
    wr_error error = {0};
    wr_model *model = wr_model_create(NULL, &error);
    size_t pixels = (size_t)texture->width * (size_t)texture->height;
    wr_image *image = model ? wr_model_alloc(model, 1, sizeof *image) : NULL;
    wr_look *looks = image ? wr_model_alloc(model, (size_t)look_count, sizeof *looks) : NULL;
    texture->pixels = looks ? wr_model_alloc(model, pixels, 4) : NULL;
    if (!texture->pixels) {
        stop("out of memory");
    }
    *image = (wr_image){name, texture->width, texture->height, texture->pixels};
    model->name = name;
    model->images = image;
    model->image_count = 1;
    model->looks = looks;
    model->look_count = look_count;
    return model;
}

wr_look textured(const char *name, float roughness, float metallic)
{
    return (wr_look){name, {1.0f, 1.0f, 1.0f, 1.0f}, 0, roughness, metallic, false};
}

rgb worn(rgb paint, float bare, float rubbed, float grain)
{
    rgb rust = mix(RUST, RUST_LIGHT, grain);
    rgb color = mix(paint, shade(paint, 0.62f), ramp(0.40f, 0.52f, bare));
    color = mix(color, rust, ramp(0.5f, 0.62f, bare));
    return mix(color, STEEL, ramp(0.45f, 0.6f, rubbed));
}

rgb iron(wr_vec3 at, uint32_t seed)
{
    float cloud = fractal(wr_scale(2.2f, at), 4, seed), pit = noise(wr_scale(24.0f, at), seed);
    rgb color = mix((rgb){0.21f, 0.21f, 0.215f}, (rgb){0.31f, 0.305f, 0.30f}, cloud);
    color = mix(color, mix(RUST, shade(RUST, 0.7f), pit), 0.55f * ramp(0.6f, 0.9f, cloud));
    return mix(color, shade(color, 0.7f), ramp(0.75f, 0.9f, pit));
}

rgb iron_bar(float u, float v, uint32_t seed)
{
    return iron(wrap_around(u, v, 5.0f, 1.3f), seed);
}

void add_block(solid *s, wr_vec3 at, wr_vec3 half, float bevel, area where)
{
    s->frame = frame_at(at);
    solid_board(s, half, bevel, where);
}
