// stage.c: cameras, light and colours in a recording, in both directions: all that can be changed
// after it was simulated.
#include "format.h"

#include <math.h>

static void code_camera(wri_codec *c, wr_camera *camera)
{
    const char *name = camera->name;
    if (!c->out) {
        *camera = (wr_camera){0};
    }
    if (c->out && !memchr(name, 0, WR_STAGE_NAME)) {
        wri_codec_fail(c, "a camera's name does not end");
        return;
    }
    wri_code_text(c, &name);
    if (!c->out && strlen(name) >= WR_STAGE_NAME) {
        wri_codec_fail(c, "a camera's name is longer than %d bytes", WR_STAGE_NAME - 1);
    } else if (!c->out) {
        memcpy(camera->name, name, strlen(name) + 1);
    }
    WR_ASSERT(c->code != WR_OK || memchr(camera->name, 0, WR_STAGE_NAME));
    wri_code_floats(c, &camera->from.x, 3, "a camera");
    wri_code_floats(c, &camera->to.x, 3, "a camera");
    wri_code_floats(c, &camera->fov, 1, "a camera");
}

void wri_code_stage(wri_codec *c, wr_stage *stage)
{
    wri_code_count(c, &stage->camera_count, 4 + 28, "cameras");
    wri_codec_check_index(c, stage->camera_count, 0, WR_STAGE_CAMERAS + 1, "cameras");
    for (int i = 0; c->code == WR_OK && i < stage->camera_count; i++) {
        WR_ASSERT(i < WR_STAGE_CAMERAS);
        code_camera(c, &stage->cameras[i]);
    }
    wr_light *light = &stage->light;
    wri_code_floats(c, &light->sun_direction.x, 3, "the sun");
    wri_code_floats(c, &light->sun_color.r, 4, "the sun");
    wri_code_floats(c, &light->sun_radius, 1, "the sun");
    wri_code_floats(c, &light->sky_zenith.r, 4, "the sky");
    wri_code_floats(c, &light->sky_horizon.r, 4, "the sky");
    wri_code_floats(c, &light->ground.r, 4, "the ground");
    wri_code_floats(c, &light->exposure, 1, "the exposure");
}

static bool same_flat(const wr_flat *a, const wr_flat *b)
{
    return a->on == b->on && a->line == b->line && memcmp(&a->top, &b->top, sizeof a->top) == 0 &&
           memcmp(&a->low, &b->low, sizeof a->low) == 0;
}

void wri_code_flat(wri_codec *c, wr_stage *stage, bool more)
{
    const wr_flat usual = wr_stage_default().flat;
    bool said = more || !same_flat(&stage->flat, &usual);
    for (int i = 0; i < stage->camera_count && c->out; i++) {
        said = said || stage->cameras[i].flat != 0.0f;
    }
    if (c->out && !said) {
        return;
    }
    if (!c->out && wri_codec_left(c) == 0) {
        stage->flat = usual;
        return;
    }
    for (int i = 0; c->code == WR_OK && i < stage->camera_count; i++) {
        wri_code_floats(c, &stage->cameras[i].flat, 1, "a camera");
    }
    wri_code_bool(c, &stage->flat.on);
    wri_code_floats(c, &stage->flat.top.r, 4, "the background");
    wri_code_floats(c, &stage->flat.low.r, 4, "the background");
    wri_code_floats(c, &stage->flat.line, 1, "the width of outlines");
}

bool wri_any_follows(const wr_stage *stage)
{
    bool any = stage->follows;
    for (int i = 0; i < stage->camera_count; i++) {
        any = any || stage->cameras[i].follows;
    }
    return any;
}

static void code_follow(wri_codec *c, bool *follows, int *body, int body_count)
{
    int number = *follows ? *body : -1;
    wri_code_int(c, &number);
    wri_codec_check_index(c, number, -1, body_count, "the body that a camera follows");
    *follows = number >= 0;
    *body = *follows ? number : 0;
}

void wri_code_follows(wri_codec *c, wr_record_info *info, bool more)
{
    wr_stage *stage = &info->stage;
    if (c->out ? !wri_any_follows(stage) && !more : wri_codec_left(c) == 0) {
        return;
    }
    code_follow(c, &stage->follows, &stage->body, info->body_count);
    for (int i = 0; c->code == WR_OK && i < stage->camera_count; i++) {
        wr_camera *camera = &stage->cameras[i];
        code_follow(c, &camera->follows, &camera->body, info->body_count);
    }
}

// --- keys of cameras --------------------------------------------------------------------------

bool wri_any_keys(const wr_stage *stage)
{
    bool any = false;
    for (int i = 0; i < stage->camera_count; i++) {
        const wr_camera *camera = &stage->cameras[i];
        any = any || camera->key_count > 0 || camera->lens != 0.0f || camera->blur != 0.0f;
    }
    return any;
}

static void code_key(wri_codec *c, wr_camera_key *key, double before)
{
    uint64_t bits;
    memcpy(&bits, &key->time, sizeof bits);
    wri_code_u64(c, &bits);
    memcpy(&key->time, &bits, sizeof bits);
    if (!(key->time > before && key->time < INFINITY)) {
        wri_codec_fail(c, "a key of a camera at %g s, after one at %g s", key->time, before);
    }
    wri_code_floats(c, &key->from.x, 3, "a key of a camera");
    wri_code_floats(c, &key->to.x, 3, "a key of a camera");
    wri_code_floats(c, &key->fov, 1, "a key of a camera");
    wri_code_floats(c, &key->flat, 1, "a key of a camera");
    wri_code_floats(c, &key->lens, 1, "a key of a camera");
}

void wri_code_camera_keys(wri_codec *c, wr_stage *stage)
{
    enum { KEY_BYTES = 8 + 9 * 4 };
    if (c->out ? !wri_any_keys(stage) : wri_codec_left(c) == 0) {
        return;
    }
    for (int i = 0; c->code == WR_OK && i < stage->camera_count; i++) {
        wr_camera *camera = &stage->cameras[i];
        wri_code_floats(c, &camera->lens, 1, "a camera");
        wri_code_floats(c, &camera->blur, 1, "a camera");
        wri_code_count(c, &camera->key_count, KEY_BYTES, "keys of a camera");
        wr_camera_key *read =
            c->out ? NULL : wri_codec_alloc(c, camera->key_count, sizeof *camera->keys);
        double before = -INFINITY;
        for (int k = 0; c->code == WR_OK && k < camera->key_count; k++) {
            wr_camera_key key = c->out ? camera->keys[k] : (wr_camera_key){0};
            code_key(c, &key, before);
            before = key.time;
            if (read) {
                read[k] = key;
            }
        }
        camera->keys = c->out ? camera->keys : read;
    }
}

// --- bodies -----------------------------------------------------------------------------------

bool wri_any_look(const wr_record_info *info)
{
    bool any = false;
    for (int i = 0; i < info->body_count; i++) {
        any = any || info->bodies[i].look.said != 0;
    }
    return any;
}

static void code_look_change(wri_codec *c, wr_look_change *look)
{
    enum {
        ALL = WR_LOOK_COLOR | WR_LOOK_METALLIC | WR_LOOK_ROUGHNESS | WR_LOOK_GLASS | WR_LOOK_SIDES
    };
    wri_code_small(c, &look->said, ALL, "the look of a body");
    if (look->said & WR_LOOK_COLOR) {
        wri_code_floats(c, &look->color.r, 4, "the look of a body");
    }
    float *const numbers[] = {&look->metallic, &look->roughness, &look->transmission};
    for (int i = 0; i < WRI_COUNT(numbers); i++) {
        if (look->said & WR_LOOK_METALLIC << i) {
            wri_code_floats(c, numbers[i], 1, "the look of a body");
        }
    }
    if (look->said & WR_LOOK_SIDES) {
        wri_code_bool(c, &look->double_sided);
    }
}

void wri_code_body_looks(wri_codec *c, wr_record_info *info, bool more)
{
    if (c->out ? !wri_any_look(info) && !more : wri_codec_left(c) == 0) {
        return;
    }
    wr_record_body *bodies = (wr_record_body *)(uintptr_t)info->bodies;
    for (int i = 0; c->code == WR_OK && i < info->body_count; i++) {
        wr_look_change look = c->out ? bodies[i].look : (wr_look_change){0};
        code_look_change(c, &look);
        if (!c->out) {
            bodies[i].look = look;
        }
    }
}

// --- environments -----------------------------------------------------------------------------

static void code_pixels(wri_codec *c, wr_environment *environment)
{
    size_t size = 4 * (size_t)environment->width * (size_t)environment->height;
    if (c->out && !environment->pixels) {
        wri_codec_fail(c, "an environment has no pixels");
        return;
    }
    if (c->out) {
        uint8_t *bytes = wri_codec_put(c, size);
        if (bytes) {
            memcpy(bytes, environment->pixels, size);
        }
        return;
    }
    const uint8_t *bytes = wri_codec_take(c, size);
    uint8_t *own = bytes ? wri_codec_alloc(c, (int)size, 1) : NULL;
    if (own) {
        memcpy(own, bytes, size);
        environment->pixels = own;
    }
}

void wri_code_environment(wri_codec *c, wr_light *light, bool more)
{
    if (c->out && !light->environment && !more) {
        return;
    }
    if (!c->out && wri_codec_left(c) == 0) { // also of one that had some
        light->environment = NULL;
        light->turn = 0.0f;
        return;
    }
    wr_environment coded = {.width = -1};
    coded = c->out && light->environment ? *light->environment : coded;
    wri_code_floats(c, &light->turn, 1, "the turn of the environment");
    wri_code_int(c, &coded.width);
    wri_codec_check_index(c, coded.width, -1, WR_ENVIRONMENT_WIDTH + 1, "an environment's width");
    if (coded.width == -1) { // none, and something behind it
        light->environment = NULL;
        return;
    }
    coded.height = coded.width / 2;
    if (coded.width % 2) {
        wri_codec_fail(c, "an environment is %d pixels wide, expected an even number", coded.width);
    }
    if (c->code == WR_OK && coded.width > 0) {
        code_pixels(c, &coded);
    }
    if (!c->out) {
        wr_environment *read = wri_codec_alloc(c, 1, sizeof *read);
        if (read) {
            *read = coded;
            light->environment = read;
        }
    }
}

// --- looks, apart from the rest --------------------------------------------------------------

void wri_code_looks(wri_codec *c, wr_record_info *info)
{
    wri_code_stage(c, &info->stage);
    wri_code_flat(c, &info->stage, true);
    wri_code_follows(c, info, true);
    int count = info->body_count;
    wri_code_count(c, &count, sizeof(wr_color), "bodies");
    if (count != info->body_count) {
        wri_codec_fail(c, "the looks of %d bodies, there are %d", count, info->body_count);
    }
    for (int i = 0; c->code == WR_OK && i < count; i++) {
        wr_color color = info->bodies[i].color;
        wri_code_floats(c, &color.r, 4, "a body's colour");
        if (!c->out) {
            wr_record_body *body = &((wr_record_body *)(uintptr_t)info->bodies)[i];
            body->color = color;
            body->look = (wr_look_change){0};
        }
    }
    bool keys = c->out && wri_any_keys(&info->stage);
    wri_code_body_looks(c, info, keys || info->stage.light.environment != NULL);
    wri_code_environment(c, &info->stage.light, keys);
    wri_code_camera_keys(c, &info->stage);
}
