// look.c: the looks of bodies: presets, and what changes them.
#include "scene.h"

enum { PRESET = WR_LOOK_COLOR | WR_LOOK_METALLIC | WR_LOOK_ROUGHNESS | WR_LOOK_GLASS };

// Colours are linear light.
static const struct preset {
    const char *name;
    wr_look_change look;
} presets[] = {
    {"chrome", {PRESET, {0.78f, 0.79f, 0.80f, 1.0f}, 1.0f, 0.02f, 0.0f, false}},
    {"car paint", {PRESET, {0.43f, 0.008f, 0.012f, 1.0f}, 0.0f, 0.05f, 0.0f, false}},
    {"rust", {PRESET, {0.22f, 0.072f, 0.024f, 1.0f}, 0.0f, 0.95f, 0.0f, false}},
    {"rubber", {PRESET, {0.012f, 0.012f, 0.013f, 1.0f}, 0.0f, 0.7f, 0.0f, false}},
    {"glass", {PRESET, {0.96f, 0.99f, 0.97f, 1.0f}, 0.0f, 0.0f, 1.0f, false}},
    {"clay", {PRESET, {0.46f, 0.25f, 0.16f, 1.0f}, 0.0f, 1.0f, 0.0f, false}},
};

bool wri_is_look(const char *name)
{
    bool found = false;
    for (int i = 0; i < WRI_COUNT(presets) && !found; i++) {
        found = strcmp(name, presets[i].name) == 0;
    }
    return found;
}

static bool find_preset(wri_reader *reader, const wri_json *at, const char *name, bool has_color,
                        wr_look_change *look)
{
    const char *names[WRI_COUNT(presets)];
    for (int i = 0; i < WRI_COUNT(presets); i++) {
        names[i] = presets[i].name;
        if (strcmp(name, names[i]) == 0) {
            *look = presets[i].look;
            look->color = has_color ? (wr_color){1.0f, 1.0f, 1.0f, 1.0f} : look->color;
            return true;
        }
    }
    return wri_fail_word(reader, at, "look", name, names, WRI_COUNT(presets));
}

bool wri_read_look(wri_reader *reader, const wri_json *json, bool has_color, wr_look_change *look)
{
    if (json->type == WRI_JSON_STRING) {
        return find_preset(reader, json, json->string, has_color, look);
    }
    raw_look raw = {0};
    if (json->type != WRI_JSON_OBJECT) {
        return wri_fail_at(reader, json, "\"look\" expects a preset or an object, found %s",
                           wri_json_type_name(json->type));
    }
    if (!wri_read_object(reader, &wri_look_table, json, &raw) ||
        (raw.preset &&
         !find_preset(reader, wri_json_find(json, "preset"), raw.preset, has_color, look))) {
        return false;
    }
    const wr_look_change own = {
        0, raw.color, (float)raw.metallic, (float)raw.roughness, (float)raw.glass, raw.two_sided};
    static const char *const keys[] = {"color", "metallic", "roughness", "glass", "two_sided"};
    for (int i = 0; i < WRI_COUNT(keys); i++) {
        look->said |= wri_json_find(json, keys[i]) ? WR_LOOK_COLOR << i : 0;
    }
    look->color = wri_json_find(json, "color") ? own.color : look->color;
    look->metallic = wri_json_find(json, "metallic") ? own.metallic : look->metallic;
    look->roughness = wri_json_find(json, "roughness") ? own.roughness : look->roughness;
    look->transmission = wri_json_find(json, "glass") ? own.transmission : look->transmission;
    look->double_sided = wri_json_find(json, "two_sided") ? own.double_sided : look->double_sided;
    return true;
}
