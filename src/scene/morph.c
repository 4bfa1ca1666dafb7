// morph.c: what scenes say about morph alone: the numbers that join the joints of its poses, and
// forces on its skin.
#include "morph.h"

#include "../author/recipe.h"
#include "../world/morph.h"

#define FAR 1e6 // metres

enum { FORCES_MAX = 64, KEYS_MAX = 10000 };

// --- keys -------------------------------------------------------------------------------------

typedef struct raw_body_morph {
    const wri_json *scalars, *forces;
} raw_body_morph;

typedef struct raw_scalar {
    const char *speed, *turn;
    double touched; // seconds; 0: not said
} raw_scalar;

typedef struct raw_scalar_key {
    double time, value;
} raw_scalar_key;

typedef struct raw_force {
    wr_vec3 at, force;
    double radius, from, to; // to < 0: for ever
} raw_force;

static const wri_key morph_keys[] = {
    {"scalars", WRI_KEY_CUSTOM, offsetof(raw_body_morph, scalars),
     .about = "of morph: what the scalars of its asset are, 0 where nothing is said: a number, "
              "`scalar_key` objects with values over time, or a `scalar` object",
     .read = wri_keep_json, .type = "an object `{\"name\": number, list or scalar}`",
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"oneOf\": [{\"type\": "
               "\"number\"}, " WRI_LIST_SCHEMA("scalar_key") ", {\"$ref\": \"#/$defs/scalar\"}]}}"},
    {"forces", WRI_KEY_CUSTOM, offsetof(raw_body_morph, forces),
     .about = "of morph: forces on parts of its skin, 64 at most", .read = wri_keep_json,
     .type = "a list of `force` objects",
     .schema = "{\"type\": \"array\", \"maxItems\": 64, \"items\": {\"$ref\": "
               "\"#/$defs/force\"}}"},
};

static const wri_key scalar_keys[] = {
    {"speed", WRI_KEY_TEXT, offsetof(raw_scalar, speed), .about = "m/s, of a joint"},
    {"turn", WRI_KEY_TEXT, offsetof(raw_scalar, turn),
     .about = "degrees by which a joint is turned against the one above it"},
    {"touched", WRI_KEY_NUMBER, offsetof(raw_scalar, touched), 1e-3, 86400, "s",
     .about = "1 while something touches it, and then down to 0 within so many seconds"},
};

static const wri_key key_keys[] = {
    {"time", WRI_KEY_NUMBER, offsetof(raw_scalar_key, time), 0, 86400, "s", .about = "when",
     .required = true},
    {"value", WRI_KEY_NUMBER, offsetof(raw_scalar_key, value), -1e9, 1e9,
     .about = "how much; even between keys, and constant before and after them", .required = true},
};

static const wri_key force_keys[] = {
    {"at", WRI_KEY_VECTOR, offsetof(raw_force, at), -FAR, FAR, "m",
     .about = "where, on the model at rest", .required = true},
    {"force", WRI_KEY_VECTOR, offsetof(raw_force, force), -1e9, 1e9, "N",
     .about = "how much in all, along the axes of the world", .required = true},
    {"radius", WRI_KEY_NUMBER, offsetof(raw_force, radius), 0, FAR, "m", "0",
     "vertices that are no farther from `at` share it; the nearest one has it where there are "
     "none"},
    {"from", WRI_KEY_NUMBER, offsetof(raw_force, from), 0, 86400, "s", "0", "when it begins"},
    {"to", WRI_KEY_NUMBER, offsetof(raw_force, to), 0, 86400, "s",
     .about = "when it ends. Default: never"},
};

static const wri_table morph_table = WRI_TABLE("morph", morph_keys, "A body of morph.");
static const wri_table scalar_table =
    WRI_TABLE("scalar", scalar_keys, "A number that something in the scene makes, of morph.");
static const wri_table key_table = WRI_TABLE("scalar_key", key_keys, "A number at a time.");
static const wri_table force_table = WRI_TABLE("force", force_keys, "A force on skin, of morph.");

// --- scalars ----------------------------------------------------------------------------------

static bool find_handle(wri_reader *reader, const wr_skeleton *skeleton, const wri_json *at,
                        const char *name, int *handle)
{
    const char *names[64];
    int count = 0;
    for (int i = 0; skeleton && i < skeleton->handle_count; i++) {
        if (strcmp(skeleton->handles[i].name, name) == 0) {
            *handle = i;
            return true;
        }
        if (count < WRI_COUNT(names)) {
            names[count++] = skeleton->handles[i].name;
        }
    }
    return wri_fail_word(reader, at, "joint", name, names, count);
}

static bool read_source(wri_reader *reader, const wri_json *json, const wr_skeleton *skeleton,
                        wri_scalar *out)
{
    raw_scalar raw = {0};
    if (!wri_read_object(reader, &scalar_table, json, &raw)) {
        return false;
    }
    if ((raw.speed != NULL) + (raw.turn != NULL) + (raw.touched > 0.0) != 1) {
        return wri_fail_at(reader, json, "\"%s\" needs one of \"speed\", \"turn\" and \"touched\"",
                           json->key);
    }
    out->kind = raw.speed ? WRI_SCALAR_SPEED : raw.turn ? WRI_SCALAR_TURN : WRI_SCALAR_TOUCHED;
    out->fade = raw.touched;
    const char *joint = raw.speed ? raw.speed : raw.turn;
    return !joint ||
           find_handle(reader, skeleton, wri_json_find(json, raw.speed ? "speed" : "turn"), joint,
                       &out->handle);
}

static bool read_keys(wri_reader *reader, const wri_json *list, wri_scalar *out)
{
    size_t count = (size_t)list->count;
    double *times = wri_arena_alloc(reader->arena, count, sizeof *times);
    double *values = wri_arena_alloc(reader->arena, count, sizeof *values);
    if (!times || !values) {
        return wri_fail_memory(reader->error, count * sizeof *values);
    }
    if (count == 0 || count > KEYS_MAX) {
        return wri_fail_at(reader, list, "\"%s\" has %zu keys, expected 1 to %d", list->key, count,
                           KEYS_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        raw_scalar_key raw = {0};
        if (!wri_read_object(reader, &key_table, &list->items[i], &raw)) {
            return false;
        }
        if (i > 0 && !(raw.time > times[i - 1])) {
            return wri_fail_at(reader, &list->items[i],
                               "\"time\" is %s s, expected more than the %s s before it",
                               WRI_NUMBER(raw.time, 6), WRI_NUMBER(times[i - 1], 6));
        }
        times[i] = raw.time;
        values[i] = raw.value;
    }
    out->key_count = list->count;
    out->times = times;
    out->values = values;
    return true;
}

static bool read_number(wri_reader *reader, double number, wri_scalar *out)
{
    double *one = wri_arena_alloc(reader->arena, 2, sizeof *one);
    if (!one) {
        return wri_fail_memory(reader->error, 2 * sizeof *one);
    }
    one[1] = number;
    out->key_count = 1;
    out->times = &one[0];
    out->values = &one[1];
    return true;
}

static bool read_scalar(wri_reader *reader, const wri_json *json, const wr_skeleton *skeleton,
                        wri_scalar *out)
{
    const wri_key key = {.name = json->key, .kind = WRI_KEY_NUMBER, .min = -1e9, .max = 1e9};
    double number = 0.0;
    return json->type == WRI_JSON_ARRAY ? read_keys(reader, json, out)
           : json->type == WRI_JSON_OBJECT
               ? read_source(reader, json, skeleton, out)
               : wri_read_key(reader, &key, json, &number) && read_number(reader, number, out);
}

static bool read_scalars(wri_reader *reader, const wri_json *json, const wr_scene_body *body,
                         wri_morph_setup *setup)
{
    const wr_asset *asset = body->asset;
    size_t count = (size_t)asset->scalar_count;
    wri_scalar *scalars = wri_arena_alloc(reader->arena, count, sizeof *scalars);
    bool ok = scalars || wri_fail_memory(reader->error, count * sizeof *scalars);
    for (size_t i = 0; i < count && ok; i++) {
        ok = read_number(reader, 0.0, &scalars[i]);
    }
    setup->scalars = scalars;
    setup->scalar_count = asset->scalar_count;
    ok = ok && (!json || wri_expect(reader, json, WRI_JSON_OBJECT));
    for (int i = 0; ok && json && i < json->count; i++) {
        const wri_json *member = &json->items[i];
        int scalar = 0;
        while (scalar < asset->scalar_count && strcmp(asset->scalars[scalar], member->key) != 0) {
            scalar++;
        }
        if (scalar == asset->scalar_count) {
            wri_json at = wri_at_key(member);
            return asset->scalar_count > 0
                       ? wri_fail_word(reader, &at, "scalar", member->key, asset->scalars,
                                       asset->scalar_count)
                       : wri_fail_at(reader, &at, "the recipe of its asset has no \"scalars\"");
        }
        ok = read_scalar(reader, member, body->skeleton, &scalars[scalar]);
    }
    return ok;
}

// --- forces -----------------------------------------------------------------------------------

static bool read_forces(wri_reader *reader, const wri_json *list, wri_morph_setup *setup)
{
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count > FORCES_MAX) {
        return wri_fail_at(reader, list, "%d forces, expected at most %d", list->count, FORCES_MAX);
    }
    wri_morph_force *forces = wri_arena_alloc(reader->arena, (size_t)list->count, sizeof *forces);
    if (!forces) {
        return wri_fail_memory(reader->error, (size_t)list->count * sizeof *forces);
    }
    for (int i = 0; i < list->count; i++) {
        raw_force raw = {.to = -1.0};
        if (!wri_read_object(reader, &force_table, &list->items[i], &raw)) {
            return false;
        }
        if (raw.to >= 0.0 && !(raw.to > raw.from)) {
            return wri_fail_at(reader, &list->items[i],
                               "\"to\" is %s s, expected more than the %s s of \"from\"",
                               WRI_NUMBER(raw.to, 6), WRI_NUMBER(raw.from, 6));
        }
        forces[i] = (wri_morph_force){.at = raw.at,
                                      .force = raw.force,
                                      .radius = raw.radius,
                                      .from = raw.from,
                                      .to = raw.to < 0.0 ? (double)INFINITY : raw.to};
    }
    setup->forces = forces;
    setup->force_count = list->count;
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool read_setup(wri_reader *reader, const wri_json *own, wr_scene_body *body)
{
    wri_morph_setup *setup = wri_arena_alloc(reader->arena, 1, sizeof *setup);
    if (!setup) {
        return wri_fail_memory(reader->error, sizeof *setup);
    }
    raw_body_morph raw = {0};
    body->setup = setup;
    return wri_read_object(reader, &morph_table, own, &raw) &&
           read_scalars(reader, raw.scalars, body, setup) &&
           (!raw.forces || read_forces(reader, raw.forces, setup));
}

// Bones follow what they are told, so nothing can throw the body.
static bool check_body(wri_reader *reader, const wri_json *json, const raw_body *raw,
                       const wr_scene_body *body)
{
    static const char why[] =
        "for a body of \"morph\", whose bones follow its \"pose\" or \"path\"";
    if (!body->asset || !body->asset->morph) {
        return wri_fail_at(reader, json,
                           raw->asset ? "the asset \"%s\" has no \"morph\" in its recipe; `wrought "
                                        "new MODEL --material morph` starts one"
                                      : "%sa body of \"morph\" expects an \"asset\" of a recipe "
                                        "with \"morph\"",
                           raw->asset ? raw->asset : "");
    }
    return wri_refuse_key(reader, json, "velocity", true, why) &&
           wri_refuse_key(reader, json, "spin", true, why) &&
           wri_refuse_key(reader, json, "motion", true, why);
}

static const wri_table *const chapters[] = {&scalar_table, &key_table, &force_table, NULL};

const wri_material_reader wri_morph_reader = {
    .material = &wri_morph_material,
    .keys = &morph_table,
    .chapters = chapters,
    .check = check_body,
    .read = read_setup,
};
