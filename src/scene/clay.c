// clay.c: what scenes say about clay alone: the grips that hold and move parts of it.
#include "clay.h"

#include "wrought/clay.h"

#include "../base/parameter.h"
#include "../world/clay.h"

#define FAR 1e6 // metres

// --- keys ---------------------------------------------------------------------------------------

typedef struct raw_clay {
    const wri_json *grips;
} raw_clay;

typedef struct raw_grip {
    wr_vec3 at, size;
    const wri_json *path;
    double until; // < 0: not said
    bool rest;
} raw_grip;

static const wri_key clay_keys[] = {
    {"grips", WRI_KEY_CUSTOM, offsetof(raw_clay, grips),
     .about = "of clay: parts that are held, moved and let go, 16 at most", .read = wri_keep_json,
     .type = "a list of `grip` objects",
     .schema = "{\"type\": \"array\", \"maxItems\": 16, \"items\": {\"$ref\": "
               "\"#/$defs/grip\"}}"},
};

static const wri_key grip_keys[] = {
    {"at", WRI_KEY_VECTOR, offsetof(raw_grip, at), -FAR, FAR, "m",
     .about = "middle of a box, as seen by the body where it is at the start: from its origin, "
              "along its axes",
     .required = true},
    {"size", WRI_KEY_VECTOR, offsetof(raw_grip, size), 1e-5, FAR, "m",
     .about = "full extents of the box: everything inside is held at the start", .required = true},
    {"path", WRI_KEY_CUSTOM, offsetof(raw_grip, path),
     .about = "where the box is at which time, from its place at 0 s on; after the last key it "
              "waits. Default: it stays",
     .read = wri_keep_json, .type = "a list of `grip_path` objects, times increasing",
     .schema = WRI_LIST_SCHEMA("grip_path")},
    {"until", WRI_KEY_NUMBER, offsetof(raw_grip, until), 0, 1e9, "s",
     .about = "when it lets go. Default: never"},
    {"rest", WRI_KEY_BOOL, offsetof(raw_grip, rest), .fallback = "false",
     .about = "whether what it lets go stands still then, instead of flying on as it was moved"},
};

static const wri_key path_keys[] = {
    {"time", WRI_KEY_NUMBER, offsetof(raw_path_key, time), 0, 86400, "s", .about = "when",
     .required = true},
    {"at", WRI_KEY_VECTOR, offsetof(raw_path_key, at), -FAR, FAR, "m",
     .about = "where the middle of the box is, as in `grip`. Default: where it is at the start"},
    {"turn", WRI_KEY_CUSTOM, offsetof(raw_path_key, turn), .fallback = "[0, 0, 0, 1]",
     .about = "how it is turned about its middle; between keys it rotates along the shorter arc",
     .read = wri_read_turn, .type = WRI_TURN_TYPE, .schema = WRI_TURN_SCHEMA},
};

static const wri_table clay_table = WRI_TABLE("clay", clay_keys, "A body of clay.");
static const wri_table grip_table =
    WRI_TABLE("grip", grip_keys, "A box that holds and moves what is inside of it, of clay.");
static const wri_table path_table =
    WRI_TABLE("grip_path", path_keys, "A key on the path of a grip.");

// --- paths --------------------------------------------------------------------------------------

static bool read_key(wri_reader *reader, const wri_json *json, wr_vec3 start, wr_path_key *key)
{
    raw_path_key raw = {0};
    bool ok = wri_read_object(reader, &path_table, json, &raw);
    key->time = raw.time;
    key->pose = (wr_pose){wri_json_find(json, "at") ? raw.at : start, raw.turn};
    return ok;
}

static bool is_at(const wr_path_key *key, wr_vec3 start)
{
    wr_quat q = key->pose.rotation;
    return wr_length(wr_sub(key->pose.position, start)) < 1e-6f && fabsf(q.w) > 1.0f - 1e-6f;
}

// A key at 0 s with the place of the box, and those of the file.
static bool read_path(wri_reader *reader, const wri_json *list, wr_vec3 start, wr_clay_grip *grip)
{
    int count = list ? list->count : 0;
    wr_path_key *keys = wri_arena_alloc(reader->arena, (size_t)count + 1, sizeof *keys);
    if (!keys) {
        return wri_fail_memory(reader->error, ((size_t)count + 1) * sizeof *keys);
    }
    int used = 0;
    keys[used++] = (wr_path_key){0.0, {start, WR_QUAT_IDENTITY}};
    for (int i = 0; i < count; i++) {
        const wri_json *json = &list->items[i];
        if (!read_key(reader, json, start, &keys[used])) {
            return false;
        }
        if (i == 0 && keys[used].time == 0.0) {
            if (!is_at(&keys[used], start)) {
                return wri_fail_at(reader, json,
                                   "at 0 s it is where the grip's \"at\" says, expected a later "
                                   "\"time\"");
            }
            continue;
        }
        if (!(keys[used].time > keys[used - 1].time)) {
            return wri_fail_at(reader, json,
                               "\"time\" is %s s, expected more than the %s s before it",
                               WRI_NUMBER(keys[used].time, 6), WRI_NUMBER(keys[used - 1].time, 6));
        }
        used++;
    }
    grip->path = keys;
    grip->path_count = used;
    return true;
}

// --- grips --------------------------------------------------------------------------------------

static bool read_grip(wri_reader *reader, const wri_json *json, wr_clay_grip *grip)
{
    raw_grip raw = {.until = -1.0};
    if (!wri_read_object(reader, &grip_table, json, &raw) ||
        (raw.path && !wri_expect(reader, raw.path, WRI_JSON_ARRAY))) {
        return false;
    }
    grip->size = raw.size;
    grip->until = raw.until < 0.0 ? (double)INFINITY : raw.until;
    grip->rests = raw.rest;
    return read_path(reader, raw.path, raw.at, grip);
}

static bool read_grips(wri_reader *reader, const wri_json *list, wr_clay_setup *setup)
{
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count > WR_CLAY_GRIPS_MAX) {
        return wri_fail_at(reader, list, "%d grips, expected at most %d", list->count,
                           WR_CLAY_GRIPS_MAX);
    }
    wr_clay_grip *grips = wri_arena_alloc(reader->arena, (size_t)list->count, sizeof *grips);
    if (!grips) {
        return wri_fail_memory(reader->error, (size_t)list->count * sizeof *grips);
    }
    bool ok = true;
    for (int i = 0; ok && i < list->count; i++) {
        ok = read_grip(reader, &list->items[i], &grips[i]);
    }
    setup->grips = grips;
    setup->grip_count = list->count;
    return ok;
}

static bool read_setup(wri_reader *reader, const wri_json *own, wr_scene_body *body)
{
    wr_clay_setup *setup = wri_arena_alloc(reader->arena, 1, sizeof *setup);
    if (!setup) {
        return wri_fail_memory(reader->error, sizeof *setup);
    }
    raw_clay raw = {0};
    body->setup = setup;
    return wri_read_object(reader, &clay_table, own, &raw) &&
           (!raw.grips || read_grips(reader, raw.grips, setup));
}

// Nothing tears before it is stretched.
static bool check_body(wri_reader *reader, const wri_json *json, const raw_body *raw,
                       const wr_scene_body *body)
{
    const wr_material *m = body->material;
    const wr_parameter *p = wri_parameter_find(m->parameters, m->parameter_count, "tear");
    double tear = body->values[p - m->parameters];
    const wri_json *at = raw->material ? wri_json_find(raw->material, "tear") : NULL;
    return tear == 0.0 || tear > 1.0 ||
           wri_fail_at(reader, at ? at : json, "\"tear\" is %s, expected more than 1, or 0: never",
                       WRI_NUMBER(tear, 6));
}

static const wri_table *const chapters[] = {&grip_table, &path_table, NULL};

const wri_material_reader wri_clay_reader = {
    .material = &wri_clay_material,
    .keys = &clay_table,
    .chapters = chapters,
    .check = check_body,
    .read = read_setup,
};
