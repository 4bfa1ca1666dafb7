// reference.c: docs/scene.md and docs/scene.schema.json out of the reader's own tables.
//
// Schemas describe materials, too, which is why that of recipes is written here: author does not
// know them.
#include "wrought/scene.h"

#include "../author/recipe.h"
#include "../base/parameter.h"
#include "../world/materials.h"
#include "materials.h"

// The chapters of single materials stand between these two lists.
static const wri_table *const first_chapters[] = {&wri_scene_table, &wri_asset_table};
static const wri_table *const last_chapters[] = {
    &wri_input_table,   &wri_play_table,   &wri_copies_table,     &wri_turn_table,
    &wri_path_table,    &wri_pose_table,   &wri_joint_table,      &wri_again_table,
    &wri_contact_table, &wri_camera_table, &wri_camera_key_table, &wri_light_table,
    &wri_look_table,    &wri_flat_table,   &wri_capsule_table,    &wri_cylinder_table,
};

static void add_chapters(wri_array *chapters, const wri_table *const *tables, int count)
{
    const wri_table **room = wri_array_add(chapters, count);
    if (room && count) {
        memcpy(room, tables, (size_t)count * sizeof *room);
    }
}

// List of const wri_table *, with the bodies in arena. Out of memory: too short.
static wri_array list_chapters(wri_arena *arena, bool *ok)
{
    wri_array chapters = wri_array_create(NULL, sizeof(wri_table *));
    const wri_table *bodies = wri_all_body_keys(arena, false);
    int expected = 1 + WRI_COUNT(first_chapters) + WRI_COUNT(last_chapters);
    add_chapters(&chapters, first_chapters, WRI_COUNT(first_chapters));
    add_chapters(&chapters, &bodies, 1);
    for (int i = 0; i < wri_material_reader_count(); i++) {
        const wri_table *const *own = wri_material_reader_at(i)->chapters;
        for (; *own; own++, expected++) {
            add_chapters(&chapters, own, 1);
        }
    }
    add_chapters(&chapters, last_chapters, WRI_COUNT(last_chapters));
    *ok = bodies && chapters.count == expected;
    return chapters;
}

static const char *number_text(char out[32], double value)
{
    wri_print_float(out, 32, (float)value);
    return out;
}

static const char *value_text(char out[32], const wr_parameter *p, double value)
{
    return p->choices ? p->choices[(int)value] : number_text(out, value);
}

static void describe_range(wri_array *out, const wr_parameter *p)
{
    char low[32], high[32];
    for (int i = 0; p->choices && p->choices[i]; i++) {
        wri_say(out, "%s`\"%s\"`", i > 0 ? ", " : "", p->choices[i]);
    }
    if (!p->choices) {
        wri_say(out, "%s to %s", number_text(low, p->min), number_text(high, p->max));
    }
}

static void describe_presets(wri_array *out, const wr_material *material)
{
    char value[32];
    wri_say(out, "\nPresets: `\"%s\": \"NAME\"`.\n\n| preset |", material->name);
    for (int i = 0; i < material->parameter_count; i++) {
        wri_say(out, " %s |", material->parameters[i].name);
    }
    wri_say(out, "\n|---|");
    for (int i = 0; i < material->parameter_count; i++) {
        wri_say(out, "---|");
    }
    for (int p = 0; p < material->preset_count; p++) {
        wri_say(out, "\n| `%s` |", material->presets[p].name);
        for (int i = 0; i < material->parameter_count; i++) {
            const wr_parameter *parameter = &material->parameters[i];
            double number = wri_parameter_in(&material->presets[p], parameter);
            wri_say(out, " %s |", value_text(value, parameter, number));
        }
    }
    wri_say(out, "\n");
}

static void describe_material(wri_array *out, const wr_material *material)
{
    char fallback[32];
    wri_say(out, "\n## material %s\n\n%s\n\n", material->name, material->about);
    wri_say(out, "| parameter | unit | range | default | meaning |\n|---|---|---|---|---|\n");
    for (int i = 0; i < material->parameter_count; i++) {
        const wr_parameter *p = &material->parameters[i];
        wri_say(out, "| `%s` | %s%s%s | ", p->name, p->unit, p->real_unit ? ", or text in " : "",
                p->real_unit ? p->real_unit : "");
        describe_range(out, p);
        wri_say(out, " | %s | %s |\n", value_text(fallback, p, p->fallback), p->about);
    }
    if (material->preset_count > 0) {
        describe_presets(out, material);
    }
}

static const char introduction[] =
    "# Scene files\n"
    "\n"
    "Written by `make docs` from the tables of the reader; do not edit by hand.\n"
    "The same as a JSON Schema: [scene.schema.json](scene.schema.json).\n"
    "\n"
    "A scene is JSON; `//` and `/* */` comments and trailing commas are allowed. Lengths are "
    "metres,\n"
    "+Y is up, angles are degrees. Every key that is not listed here, every wrong type and every\n"
    "value out of range is an error with file, line and column. Where a unit is given, a number "
    "may\n"
    "be written as text with that unit, or with mm, cm, km, in, ft, yd, ms, min, g, t, lb, cm/s, "
    "km/h, "
    "mph,\n"
    "g/cm^3 where these fit: `\"radius\": \"15 cm\"`. File names are relative to the scene file.\n"
    "\n"
    "`cameras`, `light`, the colours of `flat`, and `color` and `look` of bodies are only for "
    "pictures: "
    "after\n"
    "they changed, `wrought sim` simulates nothing and gives the recording the new ones.\n";

char *wr_scene_reference(size_t *size, wr_error *error)
{
    if (!WRI_REQUIRE(error, size)) {
        return NULL;
    }
    bool ok;
    wri_arena arena = wri_arena_create(NULL);
    wri_array chapters = list_chapters(&arena, &ok), out = wri_array_create(NULL, 1);
    wri_say(&out, "%s", introduction);
    for (int i = 0; ok && i < chapters.count; i++) {
        wri_describe_table(&out, WRI_ITEM(chapters, const wri_table *, i));
    }
    for (int i = 0; i < wri_material_count(); i++) {
        describe_material(&out, wri_material_at(i));
    }
    char *text = ok ? wri_finish_text(&out, size, error) : NULL;
    if (!ok) {
        wri_fail_memory(error, sizeof(wri_table));
        wri_array_destroy(&out);
    }
    wri_array_destroy(&chapters);
    wri_arena_destroy(&arena);
    return text;
}

// --- JSON Schema ------------------------------------------------------------------------------

// Some may be given in real units, see wr_parameter.
static wri_key parameter_key(const wr_parameter *p)
{
    wri_key key = wri_parameter_key(p);
    key.unit = p->real_unit ? p->real_unit : key.unit;
    return key;
}

// A material as a table: its own name says the preset, then come its parameters.
static const wri_table *material_table(wri_arena *arena, const wr_material *material)
{
    int count = 1 + material->parameter_count;
    wri_table *table = wri_arena_alloc(arena, 1, sizeof *table);
    wri_key *keys = wri_arena_alloc(arena, (size_t)count, sizeof *keys);
    const char **presets =
        wri_arena_alloc(arena, (size_t)material->preset_count + 2, sizeof *presets);
    const char *name = wri_arena_printf(arena, "material-%s", material->name);
    if (!table || !keys || !presets || !name) {
        return NULL;
    }
    presets[0] = "default";
    for (int i = 0; i < material->preset_count; i++) {
        presets[1 + i] = material->presets[i].name;
    }
    presets[1 + material->preset_count] = NULL;
    keys[0] = (wri_key){
        .name = material->name, .kind = WRI_KEY_CHOICE, .choices = presets, .required = true};
    for (int i = 0; i < material->parameter_count; i++) {
        keys[1 + i] = parameter_key(&material->parameters[i]);
    }
    *table = (wri_table){.name = name, .keys = keys, .count = count};
    return table;
}

// The name of any material, or an object of one.
static const wri_table *any_material(wri_arena *arena)
{
    const char *names = "\"rigid\"", *objects = "";
    for (int i = 0; i < wri_material_count() && names && objects; i++) {
        const char *name = wri_material_at(i)->name;
        names = wri_arena_printf(arena, "%s, \"%s\"", names, name);
        objects = wri_arena_printf(arena, "%s, {\"$ref\": \"#/$defs/material-%s\"}", objects, name);
    }
    wri_table *table = wri_arena_alloc(arena, 1, sizeof *table);
    if (!table || !names || !objects) {
        return NULL;
    }
    *table = (wri_table){.name = "material"};
    table->schema = wri_arena_printf(arena, "{\"oneOf\": [{\"enum\": [%s]}%s]}", names, objects);
    return table->schema ? table : NULL;
}

static bool write_schema(wri_array *out, const char *title, const wri_table *const *tables,
                         int count)
{
    wri_arena arena = wri_arena_create(NULL);
    int total = count + 1 + wri_material_count();
    const wri_table **all = wri_arena_alloc(&arena, (size_t)total, sizeof(wri_table *));
    bool ok = all != NULL;
    if (ok) {
        memcpy(all, tables, (size_t)count * sizeof *all);
        all[count] = any_material(&arena);
        ok = all[count] != NULL;
    }
    for (int i = 0; ok && i < wri_material_count(); i++) {
        all[count + 1 + i] = material_table(&arena, wri_material_at(i));
        ok = all[count + 1 + i] != NULL;
    }
    if (ok) {
        wri_write_schema(out, title, all, total);
    }
    wri_arena_destroy(&arena);
    return ok;
}

static char *schema_text(const char *title, const wri_table *const *tables, int count, size_t *size,
                         wr_error *error)
{
    wri_array out = wri_array_create(NULL, 1);
    if (!write_schema(&out, title, tables, count)) {
        wri_fail_memory(error, sizeof(wri_table));
        wri_array_destroy(&out);
        return NULL;
    }
    return wri_finish_text(&out, size, error);
}

char *wr_scene_schema(size_t *size, wr_error *error)
{
    if (!WRI_REQUIRE(error, size)) {
        return NULL;
    }
    bool ok;
    wri_arena arena = wri_arena_create(NULL);
    wri_array chapters = list_chapters(&arena, &ok);
    char *text = NULL;
    if (ok) {
        text = schema_text("Wrought scene", chapters.items, chapters.count, size, error);
    } else {
        wri_fail_memory(error, sizeof(wri_table));
    }
    wri_array_destroy(&chapters);
    wri_arena_destroy(&arena);
    return text;
}

char *wr_recipe_schema(size_t *size, wr_error *error)
{
    if (!WRI_REQUIRE(error, size)) {
        return NULL;
    }
    return schema_text("Wrought recipe", wri_recipe_chapters, wri_recipe_chapter_count, size,
                       error);
}
