// materials.c: the materials that a scene may name, and what it may say for their parameters.
#include "materials.h"

#include "../base/parameter.h"
#include "../world/materials.h"
#include "clay.h"
#include "flesh.h"
#include "morph.h"
#include "sprite.h"

// One line per material with keys of its own.
static const wri_material_reader *const readers[] = {
    &wri_sprite_reader,
    &wri_clay_reader,
    &wri_flesh_reader,
    &wri_morph_reader,
};

static int option_count(const wr_scene_options *options)
{
    return options ? options->material_count : 0;
}

static const wr_material *material_at(const wr_scene_options *options, int i)
{
    int own = wri_material_count();
    return i < own ? wri_material_at(i) : options->materials[i - own];
}

const wr_material *wri_find_material(const wr_scene_options *options, const char *name)
{
    for (int i = 0; i < wri_material_count() + option_count(options); i++) {
        const wr_material *material = material_at(options, i);
        if (strcmp(material->name, name) == 0) {
            return material;
        }
    }
    return NULL;
}

int wri_material_names(const wr_scene_options *options, const char **names, int room)
{
    int count = 0;
    names[count++] = "rigid";
    for (int i = 0; i < wri_material_count() + option_count(options) && count < room; i++) {
        names[count++] = material_at(options, i)->name;
    }
    return count;
}

// --- the table of a program ---------------------------------------------------------------------

typedef struct table_function {
    const char *name;
    size_t offset;
} table_function;

#define FUNCTION(name)                                                                             \
    {                                                                                              \
#name, offsetof(wr_material, name)                                                         \
    }

static bool has_function(const wr_material *material, const table_function *function)
{
    void (*pointer)(void);
    memcpy(&pointer, (const char *)material + function->offset, sizeof pointer);
    return pointer != NULL;
}

static bool check_required(const wr_material *material, int index, wr_error *error)
{
    static const table_function required[] = {
        FUNCTION(create), FUNCTION(destroy), FUNCTION(surface), FUNCTION(is_sound),
        FUNCTION(hash),   FUNCTION(size),    FUNCTION(save),    FUNCTION(restore),
    };
    for (int i = 0; i < WRI_COUNT(required); i++) {
        if (!has_function(material, &required[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "materials[%d]: %s is NULL", index,
                            required[i].name);
        }
    }
    return true;
}

// Functions of which there are both or none.
static bool check_pairs(const wr_material *material, int index, wr_error *error)
{
    static const table_function pairs[][2] = {
        {FUNCTION(create_ensemble), FUNCTION(destroy_ensemble)},
        {FUNCTION(create_ensemble), FUNCTION(step_ensemble)},
        {FUNCTION(create_shared), FUNCTION(destroy_shared)},
        {FUNCTION(boundary), FUNCTION(apply_impulses)},
        {FUNCTION(is_asleep), FUNCTION(wake)},
    };
    for (int i = 0; i < WRI_COUNT(pairs); i++) {
        bool has_first = has_function(material, &pairs[i][0]);
        if (has_first != has_function(material, &pairs[i][1])) {
            return wri_fail(error, WR_E_ARGUMENT, "materials[%d]: %s is NULL, but %s is not", index,
                            pairs[i][has_first].name, pairs[i][!has_first].name);
        }
    }
    if (material->create_ensemble && material->advance) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "materials[%d]: has advance and create_ensemble, expected one of them",
                        index);
    }
    return (!material->joints || material->parts) ||
           wri_fail(error, WR_E_ARGUMENT, "materials[%d]: parts is NULL, but joints is not", index);
}

static bool check_parameters(const wr_material *material, int index, wr_error *error)
{
    if (material->parameter_count < 0 || (material->parameter_count > 0 && !material->parameters)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "materials[%d]: parameter_count is %d, but parameters is%s NULL", index,
                        material->parameter_count, material->parameters ? " not" : "");
    }
    for (int i = 0; i < material->parameter_count; i++) {
        if (!material->parameters[i].name) {
            return wri_fail(error, WR_E_ARGUMENT, "materials[%d]: parameters[%d].name is NULL",
                            index, i);
        }
    }
    return true;
}

static bool check_preset(const wr_material *material, int index, const wr_preset *preset,
                         wr_error *error)
{
    for (const wr_parameter_value *v = preset->values; v && v->name; v++) {
        if (!wri_parameter_find(material->parameters, material->parameter_count, v->name)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "materials[%d]: the preset \"%s\" sets \"%s\", which is no "
                            "parameter of \"%s\"",
                            index, preset->name, v->name, material->name);
        }
    }
    return true;
}

static bool check_presets(const wr_material *material, int index, wr_error *error)
{
    if (material->preset_count < 0 || (material->preset_count > 0 && !material->presets)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "materials[%d]: preset_count is %d, but presets is%s NULL", index,
                        material->preset_count, material->presets ? " not" : "");
    }
    for (int i = 0; i < material->preset_count; i++) {
        if (!material->presets[i].name) {
            return wri_fail(error, WR_E_ARGUMENT, "materials[%d]: presets[%d].name is NULL", index,
                            i);
        }
        if (!check_preset(material, index, &material->presets[i], error)) {
            return false;
        }
    }
    return true;
}

// Scenes would never find the second of two materials with the same name.
static bool check_name(const wr_scene_options *options, int index, wr_error *error)
{
    const char *name = options->materials[index]->name;
    if (!name) {
        return wri_fail(error, WR_E_ARGUMENT, "materials[%d]: name is NULL", index);
    }
    bool is_taken = strcmp(name, "rigid") == 0;
    for (int i = 0; i < wri_material_count() + index; i++) {
        is_taken = is_taken || strcmp(name, material_at(options, i)->name) == 0;
    }
    return !is_taken ||
           wri_fail(error, WR_E_ARGUMENT, "materials[%d]: there is a material \"%s\" before it",
                    index, name);
}

static bool check_material(const wr_scene_options *options, int index, wr_error *error)
{
    const wr_material *material = options->materials[index];
    if (!material) {
        return wri_fail(error, WR_E_ARGUMENT, "materials[%d] is NULL", index);
    }
    if (material->table_size != sizeof(wr_material)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "materials[%d]: its table has %zu bytes, expected %zu: it was made for "
                        "another version of wrought/material.h",
                        index, material->table_size, sizeof(wr_material));
    }
    return check_name(options, index, error) && check_required(material, index, error) &&
           check_pairs(material, index, error) && check_parameters(material, index, error) &&
           check_presets(material, index, error);
}

bool wri_check_materials(const wr_scene_options *options, wr_error *error)
{
    if (options && !WRI_REQUIRE_LIST(error, options->materials, options->material_count)) {
        return false;
    }
    bool ok = true;
    for (int i = 0; ok && i < option_count(options); i++) {
        ok = check_material(options, i, error);
    }
    return ok;
}

// --- parameters in files ---------------------------------------------------------------------

wri_key wri_parameter_key(const wr_parameter *p)
{
    return (wri_key){.name = p->name,
                     .kind = p->choices    ? WRI_KEY_CHOICE
                             : p->is_whole ? WRI_KEY_INTEGER
                                           : WRI_KEY_NUMBER,
                     .min = p->min,
                     .max = p->max,
                     .unit = p->unit && p->unit[0] ? p->unit : NULL,
                     .choices = p->choices};
}

bool wri_read_parameter(wri_reader *reader, const wri_json *value, const wr_parameter *p,
                        double *number)
{
    const wri_key key = wri_parameter_key(p);
    int whole = 0;
    if (key.kind == WRI_KEY_NUMBER) {
        return wri_read_key(reader, &key, value, number);
    }
    bool ok = wri_read_key(reader, &key, value, &whole);
    *number = whole;
    return ok;
}

// --- what only one material knows ---------------------------------------------------------------

int wri_material_reader_count(void)
{
    return WRI_COUNT(readers);
}

const wri_material_reader *wri_material_reader_at(int index)
{
    return readers[index];
}

const wri_material_reader *wri_material_reader_of(const wr_material *material)
{
    for (int i = 0; i < WRI_COUNT(readers); i++) {
        if (readers[i]->material == material) {
            return readers[i];
        }
    }
    return NULL;
}

static bool pass_over(wri_reader *reader, const wri_json *value, void *field)
{
    (void)reader;
    (void)value;
    (void)field;
    return true;
}

const wri_table *wri_all_body_keys(wri_arena *arena, bool for_reading)
{
    int count = wri_body_table.count;
    for (int i = 0; i < WRI_COUNT(readers); i++) {
        count += readers[i]->keys->count;
    }
    wri_table *table = wri_arena_alloc(arena, 1, sizeof *table);
    wri_key *keys = wri_arena_alloc(arena, (size_t)count, sizeof *keys);
    if (!table || !keys) {
        return NULL;
    }
    *table = wri_body_table;
    table->keys = keys;
    table->count = count;
    memcpy(keys, wri_body_table.keys, (size_t)wri_body_table.count * sizeof *keys);
    keys += wri_body_table.count;
    for (int i = 0; i < WRI_COUNT(readers); i++) {
        for (int k = 0; k < readers[i]->keys->count; k++, keys++) {
            const wri_key *own = &readers[i]->keys->keys[k];
            *keys = for_reading
                        ? (wri_key){.name = own->name, .kind = WRI_KEY_CUSTOM, .read = pass_over}
                        : *own;
        }
    }
    return table;
}

// The first key of a table that an object has, in the table's order.
static const wri_json *find_any(const wri_table *table, const wri_json *json)
{
    const wri_json *found = NULL;
    for (int i = 0; i < table->count && !found; i++) {
        found = wri_json_find(json, table->keys[i].name);
    }
    return found;
}

static bool read_own(wri_reader *reader, const wri_material_reader *r, const wri_json *json,
                     wr_scene_body *body)
{
    wri_json own = *json;
    wri_json *items = wri_arena_alloc(reader->arena, (size_t)r->keys->count, sizeof *items);
    if (!items) {
        return wri_fail_memory(reader->error, (size_t)r->keys->count * sizeof *items);
    }
    own.items = items;
    own.count = 0;
    for (int i = 0; i < r->keys->count; i++) {
        const wri_json *member = wri_json_find(json, r->keys->keys[i].name);
        if (member) {
            items[own.count++] = *member;
        }
    }
    return r->read(reader, &own, body);
}

bool wri_read_own_keys(wri_reader *reader, const wri_json *json, wr_scene_body *body)
{
    bool ok = true;
    for (int i = 0; ok && i < WRI_COUNT(readers); i++) {
        const wri_material_reader *r = readers[i];
        const wri_json *first = find_any(r->keys, json);
        if (first && r->material != body->material) {
            wri_json at = wri_at_key(first);
            return wri_fail_at(reader, &at, "\"%s\" has no effect on a body that is no %s", at.key,
                               r->material->name);
        }
        ok = !first || read_own(reader, r, json, body);
    }
    return ok;
}
