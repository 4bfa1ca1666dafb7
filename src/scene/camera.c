// camera.c: the cameras of a scene, and their keys.
#include "scene.h"

static bool fail_key(wri_reader *reader, const wri_json *json, const char *key, const char *why)
{
    wri_json at = wri_at_key(wri_json_find(json, key));
    return wri_fail_at(reader, &at, "\"%s\" has no meaning %s", key, why);
}

static bool has(const wri_json *json, const char *key)
{
    return wri_json_find(json, key) != NULL;
}

// In front of what a flat camera looks at.
static wr_vec3 in_front(wr_vec3 to, double flat)
{
    return wr_add(to, wr_v3(0.0f, 0.0f, (float)(4.0 * flat)));
}

// What a camera, or one key of it, says of itself besides its place.
static bool check_words(wri_reader *reader, const wri_json *json, bool is_flat)
{
    const wri_scene_context *c = reader->context;
    if (is_flat && (has(json, "fov") || has(json, "lens"))) {
        return fail_key(reader, json, has(json, "fov") ? "fov" : "lens", "beside \"flat\"");
    }
    return !c->owner->scene.stage.flat.on || !has(json, "lens") ||
           fail_key(reader, json, "lens", "in a flat scene");
}

static bool check_place(wri_reader *reader, const wri_json *json, bool has_from, bool has_to,
                        const raw_camera *raw)
{
    if (!has_to) {
        return wri_fail_at(reader, json,
                           "\"to\" is missing, expected: the point in the middle of the picture");
    }
    if (!has_from && !(raw->flat > 0.0)) {
        return wri_fail_at(reader, json, "\"from\" is missing, expected: where the camera is");
    }
    return wr_distance(raw->from, raw->to) > 0.0f ||
           wri_fail_at(reader, json, "\"from\" and \"to\" are the same point");
}

// --- keys -------------------------------------------------------------------------------------

// raw: of the key before or, at first, of the camera; becomes that of this one.
static bool read_key(wri_reader *reader, const wri_json *json, bool has_from, bool has_to,
                     raw_camera *raw, double *time)
{
    bool is_flat = raw->flat > 0.0;
    raw_camera_key key = {.time = *time,
                          .from = raw->from,
                          .to = raw->to,
                          .fov = raw->fov,
                          .flat = raw->flat,
                          .lens = raw->lens};
    if (!wri_read_object(reader, &wri_camera_key_table, json, &key) ||
        !check_words(reader, json, is_flat)) {
        return false;
    }
    if (!is_flat && has(json, "flat")) {
        return fail_key(reader, json, "flat", "without a \"flat\" of the camera");
    }
    *time = key.time;
    raw->from = has_from ? key.from : in_front(key.to, raw->flat);
    raw->to = key.to;
    raw->fov = key.fov;
    raw->flat = key.flat;
    raw->lens = key.lens;
    return check_place(reader, json, has_from, has_to, raw);
}

static bool is_opposite(wr_vec3 a, wr_vec3 b)
{
    const float nearly = -0.999999f; // cosine
    return wr_dot(a, b) < nearly * wr_length(a) * wr_length(b);
}

// The camera becomes as in its first key.
static bool read_keys(wri_reader *reader, const wri_json *json, raw_camera *raw, wr_camera *camera)
{
    wri_scene_context *c = reader->context;
    const wri_json *list = raw->keys;
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count == 0) {
        return wri_fail_at(reader, list, "\"keys\" is empty, expected at least one key");
    }
    size_t count = (size_t)list->count;
    wr_camera_key *keys = wri_arena_alloc(&c->owner->arena, count, sizeof *keys);
    if (!keys) {
        return wri_fail_memory(reader->error, count * sizeof *keys);
    }
    bool has_from = has(json, "from"), has_to = has(json, "to");
    raw_camera now = *raw;
    for (int i = 0; i < list->count; i++) {
        const wri_json *item = &list->items[i];
        double before = i > 0 ? keys[i - 1].time : -1.0, time = 0.0;
        has_from = has_from || (item->type == WRI_JSON_OBJECT && has(item, "from"));
        has_to = has_to || (item->type == WRI_JSON_OBJECT && has(item, "to"));
        if (!read_key(reader, item, has_from, has_to, &now, &time)) {
            return false;
        }
        if (!(time > before)) {
            return wri_fail_at(reader, item,
                               "\"time\" is %s s, expected more than the %s s before it",
                               WRI_NUMBER(time, 6), WRI_NUMBER(before, 6));
        }
        wr_vec3 ahead = wr_sub(now.to, now.from);
        if (i > 0 && is_opposite(ahead, wr_sub(keys[i - 1].to, keys[i - 1].from))) {
            return wri_fail_at(
                reader, item,
                "the camera passes through the point it looks at on the way from the "
                "key before, expected another one between them");
        }
        keys[i] = (wr_camera_key){time,           now.from,        now.to,
                                  (float)now.fov, (float)now.flat, (float)now.lens};
        *raw = i == 0 ? now : *raw;
    }
    camera->keys = keys;
    camera->key_count = list->count;
    return true;
}

// --- the camera -------------------------------------------------------------------------------

static bool place(wri_reader *reader, const wri_json *json, raw_camera *raw, wr_camera *camera)
{
    bool has_from = has(json, "from"), has_to = has(json, "to"), is_flat = has(json, "flat");
    if (!check_words(reader, json, is_flat)) {
        return false;
    }
    if (raw->keys) {
        return read_keys(reader, json, raw, camera);
    }
    if (raw->follow && !has_from && !has_to) { // it finds its place by itself
        raw->from = raw->to = wr_v3(0.0f, 0.0f, 0.0f);
        return !has(json, "fov") || fail_key(reader, json, "fov", "without \"from\" and \"to\"");
    }
    raw->from = has_from || !is_flat ? raw->from : in_front(raw->to, raw->flat);
    return check_place(reader, json, has_from, has_to, raw);
}

static bool find_followed(wri_reader *reader, const wri_json *at, const char *name,
                          wr_camera *camera)
{
    const wri_scene_context *c = reader->context;
    if (!wri_find_body(reader, at, name, &camera->body)) {
        return false;
    }
    const wr_scene_body *body = &WRI_ITEM(c->bodies, wr_scene_body, camera->body);
    camera->follows = true;
    return body->rigid.shape.kind != WR_SHAPE_PLANE || body->material ||
           wri_fail_at(reader, at, "\"%s\" is a plane, expected a body that ends", name);
}

bool wri_read_camera(wri_reader *reader, const wri_json *json, int index)
{
    wri_scene_context *c = reader->context;
    wr_stage *stage = &c->owner->scene.stage;
    reader->where = wri_numbered(reader, "camera", index);
    if (index >= WR_STAGE_CAMERAS) {
        return wri_fail_at(reader, json, "is one too many, expected at most %d", WR_STAGE_CAMERAS);
    }
    raw_camera raw = {0};
    if (!wri_read_object(reader, &wri_camera_table, json, &raw)) {
        return false;
    }
    if (strlen(raw.name) >= WR_STAGE_NAME) {
        return wri_fail_at(reader, json, "\"name\" is longer than %d bytes", WR_STAGE_NAME - 1);
    }
    wr_camera *camera = &stage->cameras[stage->camera_count];
    if (!place(reader, json, &raw, camera) ||
        (raw.follow && !find_followed(reader, wri_json_find(json, "follow"), raw.follow, camera))) {
        return false;
    }
    stage->camera_count++;
    strcpy(camera->name, raw.name);
    camera->from = raw.from;
    camera->to = raw.to;
    camera->fov = (float)raw.fov;
    camera->flat = (float)raw.flat;
    camera->lens = (float)raw.lens;
    camera->blur = (float)raw.blur;
    return true;
}
