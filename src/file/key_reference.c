// key_reference.c: documentation and JSON Schemas out of the tables that read our files.
#include "keys.h"

#include <stdio.h>

void wri_say(wri_array *out, const char *format, ...)
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
    wri_say(out, "| `%s` | ", key->name);
    if (key->kind == WRI_KEY_CHOICE) {
        for (int i = 0; key->choices[i]; i++) {
            wri_say(out, "%s`\"%s\"`", i ? ", " : "", key->choices[i]);
        }
    } else {
        wri_say(out, "%s", type_words(key));
    }
    wri_say(out, " | %s | ", key->unit ? key->unit : "");
    if (has_range(key)) {
        wri_say(out, "%s to %s", number_text(low, key->min), number_text(high, key->max));
    }
    wri_say(out, " | ");
    if (key->required) {
        wri_say(out, "*required*");
    } else if (key->fallback) {
        wri_say(out, "`%s`", key->fallback);
    }
    wri_say(out, " | %s |\n", key->about);
}

void wri_describe_table(wri_array *out, const wri_table *table)
{
    wri_say(out, "\n## %s\n\n%s\n\n", table->name, table->about);
    wri_say(out, "| key | value | unit | range | default | meaning |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < table->count; i++) {
        describe_key(out, &table->keys[i]);
    }
}

// --- JSON Schema ------------------------------------------------------------------------------

static void schema_number(wri_array *out, const wri_key *key, const char *type)
{
    char low[32], high[32];
    wri_say(out, "{\"type\": \"%s\", \"minimum\": %s, \"maximum\": %s}", type,
            number_text(low, key->min), number_text(high, key->max));
}

// A number, or text with a unit.
static void schema_quantity(wri_array *out, const wri_key *key)
{
    if (!key->unit) {
        schema_number(out, key, "number");
        return;
    }
    wri_say(out, "{\"oneOf\": [");
    schema_number(out, key, "number");
    wri_say(out, ", {\"type\": \"string\", \"pattern\": \"^[-+0-9.eE]+ *[^-+0-9. ]\\\\S*$\"}]}");
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
        wri_say(out, "{\"type\": \"boolean\"}");
        break;
    case WRI_KEY_TEXT:
        wri_say(out, "{\"type\": \"string\"}");
        break;
    case WRI_KEY_VECTOR:
        wri_say(out, "{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": ");
        schema_quantity(out, key);
        wri_say(out, "}");
        break;
    case WRI_KEY_COLOR:
        wri_say(out, "{\"type\": \"string\", \"pattern\": \"^#[0-9a-fA-F]{6}$\"}");
        break;
    case WRI_KEY_CHOICE:
        wri_say(out, "{\"enum\": [");
        for (int i = 0; key->choices[i]; i++) {
            wri_say(out, "%s\"%s\"", i ? ", " : "", key->choices[i]);
        }
        wri_say(out, "]}");
        break;
    case WRI_KEY_CUSTOM:
        wri_say(out, "%s", key->schema);
        break;
    }
}

static void schema_object(wri_array *out, const wri_table *table, const char *indent)
{
    wri_say(out, "%s\"type\": \"object\",\n%s\"additionalProperties\": false,\n", indent, indent);
    wri_say(out, "%s\"required\": [", indent);
    int required = 0;
    for (int i = 0; i < table->count; i++) {
        if (table->keys[i].required) {
            wri_say(out, "%s\"%s\"", required++ ? ", " : "", table->keys[i].name);
        }
    }
    wri_say(out, "],\n%s\"properties\": {\n", indent);
    for (int i = 0; i < table->count; i++) {
        wri_say(out, "%s  \"%s\": ", indent, table->keys[i].name);
        schema_value(out, &table->keys[i]);
        wri_say(out, "%s\n", i + 1 < table->count ? "," : "");
    }
    wri_say(out, "%s}", indent);
}

void wri_write_schema(wri_array *out, const char *title, const wri_table *const *tables, int count)
{
    wri_say(out,
            "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
            "  \"title\": \"%s\",\n",
            title);
    schema_object(out, tables[0], "  ");
    wri_say(out, ",\n  \"$defs\": {\n");
    for (int i = 1; i < count; i++) {
        const char *comma = i + 1 < count ? "," : "";
        if (tables[i]->schema) {
            wri_say(out, "    \"%s\": %s%s\n", tables[i]->name, tables[i]->schema, comma);
            continue;
        }
        wri_say(out, "    \"%s\": {\n", tables[i]->name);
        schema_object(out, tables[i], "      ");
        wri_say(out, "\n    }%s\n", comma);
    }
    wri_say(out, "  }\n}\n");
}

char *wri_finish_text(wri_array *out, size_t *size, wr_error *error)
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

char *wri_json_copy_text(wri_json_writer *json, size_t *size, wr_error *error)
{
    const char *text = wri_json_finish(json);
    wri_array out = wri_array_create(NULL, 1);
    if (!text) {
        wri_fail_memory(error, 1);
        return NULL;
    }
    size_t length = strlen(text);
    char *copy = wri_array_add(&out, (int)length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\n';
    }
    return wri_finish_text(&out, size, error);
}
