// flesh.c: what scenes say about flesh alone: how stiff single joints of its skeleton are.
#include "flesh.h"

#include "wrought/flesh.h"

#include "../author/recipe.h"
#include "../world/flesh.h"

typedef struct raw_flesh {
    const wri_json *joint_stiffness;
} raw_flesh;

static const wri_key flesh_keys[] = {
    {"joint_stiffness", WRI_KEY_CUSTOM, offsetof(raw_flesh, joint_stiffness),
     .about = "of flesh: factors on the stiffness of joints of its skeleton where it is not 1, by "
              "the names they have in the model: `{\"neck\": 5}`",
     .read = wri_keep_json, .type = "an object `{\"joint\": factor}`",
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"number\", "
               "\"minimum\": 0}}"},
};

static const wri_table flesh_table = WRI_TABLE("flesh", flesh_keys, "A body of flesh.");

static bool find_handle(wri_reader *reader, const wr_skeleton *skeleton, const wri_json *json,
                        int *handle)
{
    const char *names[64];
    int count = 0;
    for (int i = 0; i < skeleton->handle_count; i++) {
        if (strcmp(skeleton->handles[i].name, json->key) == 0) {
            *handle = i;
            return true;
        }
        if (count < WRI_COUNT(names)) {
            names[count++] = skeleton->handles[i].name;
        }
    }
    wri_json at = wri_at_key(json);
    return wri_fail_word(reader, &at, "joint", json->key, names, count);
}

static bool read_factors(wri_reader *reader, const wri_json *json, const wr_scene_body *body,
                         wr_flesh_setup *setup)
{
    const wri_key key = {.name = "joint_stiffness", .kind = WRI_KEY_NUMBER, .min = 0, .max = 1e6};
    const wr_skeleton *skeleton = body->skeleton;
    if (!skeleton || !skeleton->weights) {
        return wri_fail_at(reader, json,
                           "\"joint_stiffness\" has no effect on a body without a skeleton");
    }
    size_t count = (size_t)skeleton->handle_count;
    double *factors = wri_arena_alloc(reader->arena, count, sizeof *factors);
    if (!factors) {
        return wri_fail_memory(reader->error, count * sizeof *factors);
    }
    for (size_t i = 0; i < count; i++) {
        factors[i] = 1.0;
    }
    bool ok = wri_expect(reader, json, WRI_JSON_OBJECT);
    for (int i = 0; ok && i < json->count; i++) {
        int handle = 0;
        ok = find_handle(reader, skeleton, &json->items[i], &handle) &&
             wri_read_key(reader, &key, &json->items[i], &factors[handle]);
    }
    setup->joint_stiffness = factors;
    return ok;
}

static bool read_setup(wri_reader *reader, const wri_json *own, wr_scene_body *body)
{
    wr_flesh_setup *setup = wri_arena_alloc(reader->arena, 1, sizeof *setup);
    if (!setup) {
        return wri_fail_memory(reader->error, sizeof *setup);
    }
    raw_flesh raw = {0};
    body->setup = setup;
    return wri_read_object(reader, &flesh_table, own, &raw) &&
           (!raw.joint_stiffness || read_factors(reader, raw.joint_stiffness, body, setup));
}

// What only the engine does with its own bodies.
static bool check_body(wri_reader *reader, const wri_json *json, const raw_body *raw,
                       const wr_scene_body *body)
{
    static const char *const idle[] = {"rolling", "linear_damping", "angular_damping"};
    bool ok = true;
    for (int i = 0; ok && i < WRI_COUNT(idle); i++) {
        ok = wri_refuse_key(reader, json, idle[i], true, "for a body of \"flesh\"");
    }
    (void)raw;
    (void)body;
    return ok;
}

static const wri_table *const chapters[] = {NULL};

const wri_material_reader wri_flesh_reader = {
    .material = &wri_flesh_material,
    .keys = &flesh_table,
    .chapters = chapters,
    .check = check_body,
    .read = read_setup,
};
