// reference.c: docs/scene.md and docs/scene.schema.json out of the reader's own tables.
#include "wrought/world.h"

#include "materials.h"
#include "scene_tables.h"

#include <stdio.h>

static const wri_table *const chapters[] = {
    &wri_scene_table, &wri_asset_table,   &wri_body_table,     &wri_copies_table,
    &wri_turn_table,  &wri_path_table,    &wri_joint_table,    &wri_camera_table,
    &wri_light_table, &wri_capsule_table, &wri_cylinder_table,
};

static void say(wri_array *out, const char *format, ...) WRI_PRINTF(2, 3);
static void say(wri_array *out, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    WR_ASSERT(length >= 0 && length < (int)sizeof text);
    char *room = wri_array_add(out, length);
    if (room) {
        memcpy(room, text, (size_t)length);
    }
}

static const char *number_text(char out[32], double value)
{
    wri_print_float(out, 32, (float)value);
    return out;
}

// --- Markdown ---------------------------------------------------------------------------------

static const char *type_words(const wri_key *key)
{
    switch (key->kind) {
    case WRI_KEY_NUMBER:
    case WRI_KEY_ANGLE:
        return "a number";
    case WRI_KEY_INTEGER:
        return "a whole number";
    case WRI_KEY_BOOL:
        return "`true` or `false`";
    case WRI_KEY_TEXT:
        return "text";
    case WRI_KEY_VECTOR:
        return "`[x, y, z]`";
    case WRI_KEY_COLOR:
        return "`\"#rrggbb\"`";
    case WRI_KEY_CHOICE:
        return "a word";
    case WRI_KEY_CUSTOM:
        return key->type;
    }
    return "";
}

static bool has_range(const wri_key *key)
{
    return key->kind == WRI_KEY_NUMBER || key->kind == WRI_KEY_ANGLE ||
           key->kind == WRI_KEY_INTEGER || key->kind == WRI_KEY_VECTOR;
}

static void describe_key(wri_array *out, const wri_key *key)
{
    char low[32], high[32];
    say(out, "| `%s` | ", key->name);
    if (key->kind == WRI_KEY_CHOICE) {
        for (int i = 0; key->choices[i]; i++) {
            say(out, "%s`\"%s\"`", i ? ", " : "", key->choices[i]);
        }
    } else {
        say(out, "%s", type_words(key));
    }
    say(out, " | %s | ", key->unit ? key->unit : "");
    if (has_range(key)) {
        say(out, "%s to %s", number_text(low, key->min), number_text(high, key->max));
    }
    say(out, " | ");
    if (key->required) {
        say(out, "*required*");
    } else if (key->fallback) {
        say(out, "`%s`", key->fallback);
    }
    say(out, " | %s |\n", key->about);
}

static void describe_table(wri_array *out, const wri_table *table)
{
    say(out, "\n## %s\n\n%s\n\n", table->name, table->about);
    say(out, "| key | value | unit | range | default | meaning |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < table->count; i++) {
        describe_key(out, &table->keys[i]);
    }
}

static void describe_material(wri_array *out, const wr_material *material)
{
    char low[32], high[32], fallback[32];
    say(out, "\n## material %s\n\n%s\n\n", material->name, material->about);
    say(out, "| parameter | unit | range | default | meaning |\n|---|---|---|---|---|\n");
    for (int i = 0; i < material->parameter_count; i++) {
        const wr_parameter *p = &material->parameters[i];
        say(out, "| `%s` | %s | %s to %s | %s | %s |\n", p->name, p->unit, number_text(low, p->min),
            number_text(high, p->max), number_text(fallback, p->fallback), p->about);
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
    "be written as text with that unit, or with mm, cm, km, ms, min, g, t, cm/s, km/h, g/cm^3 "
    "where\n"
    "these fit: `\"radius\": \"15 cm\"`. File names are relative to the scene file.\n";

static char *finish(wri_array *out, size_t *size, wr_error *error)
{
    *size = (size_t)out->capacity;
    if (!wri_array_add(out, 1)) { // the final NUL
        wri_fail_memory(error, *size);
        wri_array_destroy(out);
        return NULL;
    }
    *size = (size_t)out->capacity;
    return out->items;
}

char *wr_scene_reference(size_t *size, wr_error *error)
{
    wri_array out = wri_array_create(NULL, 1);
    say(&out, "%s", introduction);
    for (int i = 0; i < WRI_COUNT(chapters); i++) {
        describe_table(&out, chapters[i]);
    }
    for (int i = 0; i < wri_material_count(); i++) {
        describe_material(&out, wri_material_at(i));
    }
    return finish(&out, size, error);
}

void wr_text_destroy(char *text, size_t size)
{
    wri_free(NULL, text, size, 1);
}

// --- JSON Schema ------------------------------------------------------------------------------

static void schema_number(wri_array *out, const wri_key *key, const char *type)
{
    char low[32], high[32];
    say(out, "{\"type\": \"%s\", \"minimum\": %s, \"maximum\": %s}", type,
        number_text(low, key->min), number_text(high, key->max));
}

// A number, or text with a unit.
static void schema_quantity(wri_array *out, const wri_key *key)
{
    if (!key->unit) {
        schema_number(out, key, "number");
        return;
    }
    say(out, "{\"oneOf\": [");
    schema_number(out, key, "number");
    say(out, ", {\"type\": \"string\", \"pattern\": \"^[-+0-9.eE]+ *[^-+0-9. ]\\\\S*$\"}]}");
}

static void schema_value(wri_array *out, const wri_key *key)
{
    switch (key->kind) {
    case WRI_KEY_NUMBER:
    case WRI_KEY_ANGLE:
        schema_quantity(out, key);
        break;
    case WRI_KEY_INTEGER:
        schema_number(out, key, "integer");
        break;
    case WRI_KEY_BOOL:
        say(out, "{\"type\": \"boolean\"}");
        break;
    case WRI_KEY_TEXT:
        say(out, "{\"type\": \"string\"}");
        break;
    case WRI_KEY_VECTOR:
        say(out, "{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": ");
        schema_quantity(out, key);
        say(out, "}");
        break;
    case WRI_KEY_COLOR:
        say(out, "{\"type\": \"string\", \"pattern\": \"^#[0-9a-fA-F]{6}$\"}");
        break;
    case WRI_KEY_CHOICE:
        say(out, "{\"enum\": [");
        for (int i = 0; key->choices[i]; i++) {
            say(out, "%s\"%s\"", i ? ", " : "", key->choices[i]);
        }
        say(out, "]}");
        break;
    case WRI_KEY_CUSTOM:
        say(out, "%s", key->schema);
        break;
    }
}

static void schema_object(wri_array *out, const wri_table *table, const char *indent)
{
    say(out, "%s\"type\": \"object\",\n%s\"additionalProperties\": false,\n", indent, indent);
    say(out, "%s\"required\": [", indent);
    int required = 0;
    for (int i = 0; i < table->count; i++) {
        if (table->keys[i].required) {
            say(out, "%s\"%s\"", required++ ? ", " : "", table->keys[i].name);
        }
    }
    say(out, "],\n%s\"properties\": {\n", indent);
    for (int i = 0; i < table->count; i++) {
        say(out, "%s  \"%s\": ", indent, table->keys[i].name);
        schema_value(out, &table->keys[i]);
        say(out, "%s\n", i + 1 < table->count ? "," : "");
    }
    say(out, "%s}", indent);
}

char *wr_scene_schema(size_t *size, wr_error *error)
{
    wri_array out = wri_array_create(NULL, 1);
    say(&out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
              "  \"title\": \"Wrought scene\",\n");
    schema_object(&out, &wri_scene_table, "  ");
    say(&out, ",\n  \"$defs\": {\n");
    for (int i = 1; i < WRI_COUNT(chapters); i++) {
        say(&out, "    \"%s\": {\n", chapters[i]->name);
        schema_object(&out, chapters[i], "      ");
        say(&out, "\n    }%s\n", i + 1 < WRI_COUNT(chapters) ? "," : "");
    }
    say(&out, "  }\n}\n");
    return finish(&out, size, error);
}
