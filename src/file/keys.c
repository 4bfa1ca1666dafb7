// keys.c: reading JSON objects by table.
#include "keys.h"

#include "unit.h"

#include <math.h>
#include <stdio.h>

// Names out of the file may be long and contain anything: no line breaks or escape sequences reach
// a terminal, and no character is cut in half.
static void clean_text(char *text, size_t room)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        text[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    if (length + 1 == room) {
        size_t cut = length - 3;
        while (cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80) {
            cut--;
        }
        strcpy(text + cut, "...");
    }
}

bool wri_fail_at(wri_reader *reader, const wri_json *at, const char *format, ...)
{
    char text[240], where[80];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(where, sizeof where, "%s", reader->where);
    clean_text(text, sizeof text);
    clean_text(where, sizeof where);
    return wri_fail(reader->error, WR_E_FORMAT, "%s:%d:%d: %s: %s", reader->path, at->line,
                    at->column, where, text);
}

bool wri_fail_inner(wri_reader *reader, const wri_json *at, const wr_error *why)
{
    if (why->code == WR_E_MEMORY) {
        return wri_fail(reader->error, WR_E_MEMORY, "%s", why->message);
    }
    wri_fail_at(reader, at, "%s", why->message);
    if (reader->error && why->code == WR_E_IO) {
        reader->error->code = WR_E_IO;
    }
    return false;
}

bool wri_expect(wri_reader *reader, const wri_json *value, wri_json_type type)
{
    const char *found = wri_json_type_name(value->type), *expected = wri_json_type_name(type);
    if (value->type == type) {
        return true;
    }
    return value->key ? wri_fail_at(reader, value, "\"%s\" is %s, expected %s", value->key, found,
                                    expected)
                      : wri_fail_at(reader, value, "found %s, expected %s", found, expected);
}

// Index of the word for what other programs, or people, call so; -1: nothing of the kind is among
// them.
static int find_foreign(const char *word, const char *const *words, int count)
{
    static const char *const foreign[][2] = {
        {"position", "at"},
        {"pos", "at"},
        {"location", "at"},
        {"translation", "at"},
        {"translate", "at"},
        {"origin", "at"},
        {"rotation", "turn"},
        {"rotate", "turn"},
        {"orientation", "turn"},
        {"quaternion", "turn"},
        {"bounce", "restitution"},
        {"elasticity", "restitution"},
        {"colour", "color"},
        {"duration", "length"},
        {"seconds", "length"},
        {"fps", "frames"},
        {"frame_rate", "frames"},
        {"speed", "velocity"},
        {"angular_velocity", "spin"},
        {"model", "asset"},
        {"mesh", "asset"},
        {"file", "asset"},
        {"recipe", "asset"},
        {"objects", "bodies"},
        {"target", "to"},
        {"look_at", "to"},
        {"lookat", "to"},
        {"eye", "from"},
        {"position", "from"}, // of a camera, which has no "at"
        {"location", "from"},
        {"weight", "mass"},
        {"linear_velocity", "velocity"},
        {"static", "motion"},
        {"kinematic", "motion"},
        {"type", "motion"},
        {"roughness", "look"},
        {"metallic", "look"},
        {"intensity", "strength"},
        {"hdri", "environment"},
        {"ball", "sphere"},
        {"cube", "box"},
        {"back", "rear"}, // sides that are crushed
        {"top", "roof"},
        {"above", "roof"},
        {"flat", "flattened"},
    };
    for (int i = 0; i < WRI_COUNT(foreign); i++) {
        for (int k = 0; k < count && strcmp(foreign[i][0], word) == 0; k++) {
            if (strcmp(foreign[i][1], words[k]) == 0) {
                return k;
            }
        }
    }
    return -1;
}

// "steel" is a word of "thin steel".
static bool is_word_of(const char *word, const char *name)
{
    size_t length = strlen(word);
    for (const char *at = strstr(name, word); length > 1 && at; at = strstr(at + 1, word)) {
        if ((at == name || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

int wri_find_meant(const char *word, const char *const *words, int count, int *meant, int room)
{
    int found = 0, foreign = find_foreign(word, words, count);
    const char *nearest = foreign < 0 ? wri_nearest_word(word, words, count) : NULL;
    for (int i = 0; i < count && found < room; i++) {
        bool is_meant = foreign >= 0 ? i == foreign
                        : nearest    ? words[i] && strcmp(words[i], nearest) == 0
                                     : words[i] && is_word_of(word, words[i]);
        if (is_meant) {
            meant[found++] = i;
        }
    }
    return found;
}

const char *wri_mean_words(char *out, size_t size, const char *word, const char *const *words,
                           int count)
{
    int meant[WRI_MOST_MEANT];
    int found = wri_find_meant(word, words, count, meant, WRI_COUNT(meant));
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < found && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s \"%.80s\"%s",
                                 i ? wri_or(i, found) : "; did you mean", words[meant[i]],
                                 i == found - 1 ? "?" : "");
    }
    return out;
}

bool wri_fail_word(wri_reader *reader, const wri_json *at, const char *kind, const char *word,
                   const char *const *words, int count)
{
    char meant[300];
    if (wri_mean_words(meant, sizeof meant, word, words, count)[0]) {
        return wri_fail_at(reader, at, "unknown %s \"%s\"%s", kind, word, meant);
    }
    if (count == 0) {
        return wri_fail_at(reader, at, "unknown %s \"%s\", there are none", kind, word);
    }
    char list[240] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    return wri_fail_at(reader, at, "unknown %s \"%s\", expected one of: %s", kind, word, list);
}

// --- numbers with units -----------------------------------------------------------------------

// A number, or text such as "30 cm".
static bool read_quantity(wri_reader *reader, const wri_key *key, const wri_json *value,
                          double *out)
{
    if (value->type == WRI_JSON_NUMBER) {
        *out = value->number;
        return true;
    }
    if (value->type != WRI_JSON_STRING || !key->unit) {
        return wri_expect(reader, value, WRI_JSON_NUMBER);
    }
    const char *text = value->string;
    size_t digits = strspn(text, "+-.0123456789eE");
    const char *unit = text + digits + strspn(text + digits, " ");
    double number, factor;
    if (!wri_parse_double(text, digits, &number) || !wri_unit_find(key->unit, unit, &factor)) {
        char units[128];
        wri_unit_list(key->unit, units, sizeof units);
        return wri_fail_at(reader, value,
                           "\"%s\" is \"%.40s\", expected a number or \"<number> %s\"%s", key->name,
                           text, key->unit, units);
    }
    *out = number * factor;
    return true;
}

static bool read_number(wri_reader *reader, const wri_key *key, const wri_json *value, double *out)
{
    if (!read_quantity(reader, key, value, out)) {
        return false;
    }
    if (!(*out >= key->min && *out <= key->max)) {
        const char *unit = key->unit ? key->unit : "", *space = *unit ? " " : "";
        if (key->min == key->max) {
            return wri_fail_at(reader, value, "\"%s\" is %s%s%s, expected %s", key->name,
                               WRI_NUMBER(*out, 6), space, unit, WRI_NUMBER(key->min, 6));
        }
        return wri_fail_at(reader, value, "\"%s\" is %s%s%s, expected %s to %s%s%s", key->name,
                           WRI_NUMBER(*out, 6), space, unit, WRI_NUMBER(key->min, 6),
                           WRI_NUMBER(key->max, 6), space, unit);
    }
    return true;
}

// --- kinds ------------------------------------------------------------------------------------

static bool read_integer(wri_reader *reader, const wri_key *key, const wri_json *value, int *out)
{
    double number;
    if (!wri_expect(reader, value, WRI_JSON_NUMBER) || !read_number(reader, key, value, &number)) {
        return false;
    }
    if (number != floor(number)) {
        return wri_fail_at(reader, value, "\"%s\" is %s, expected a whole number", key->name,
                           WRI_NUMBER(number, 6));
    }
    *out = (int)number;
    return true;
}

static bool read_vector(wri_reader *reader, const wri_key *key, const wri_json *value, wr_vec3 *out)
{
    if (!wri_expect(reader, value, WRI_JSON_ARRAY)) {
        return false;
    }
    if (value->count != 3) {
        return wri_fail_at(reader, value, "\"%s\" has %d %s, expected 3", key->name, value->count,
                           wri_plural(value->count, "number", "numbers"));
    }
    double numbers[3];
    for (int i = 0; i < 3; i++) {
        if (!read_number(reader, key, &value->items[i], &numbers[i])) {
            return false;
        }
    }
    *out = wr_v3((float)numbers[0], (float)numbers[1], (float)numbers[2]);
    return true;
}

static float linear_from_srgb(int byte)
{
    double c = byte / 255.0;
    return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_color(wri_reader *reader, const wri_key *key, const wri_json *value, wr_color *out)
{
    if (!wri_expect(reader, value, WRI_JSON_STRING)) {
        return false;
    }
    const char *text = value->string;
    int digits[6], count = 0;
    if (text[0] == '#' && strlen(text) == 7) {
        for (; count < 6; count++) {
            char c = text[count + 1];
            digits[count] = hex_digit(c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c);
            if (digits[count] < 0) {
                break;
            }
        }
    }
    if (count != 6) {
        return wri_fail_at(reader, value, "\"%s\" is \"%s\", expected a colour such as \"#8a8f98\"",
                           key->name, text);
    }
    *out = (wr_color){linear_from_srgb(16 * digits[0] + digits[1]),
                      linear_from_srgb(16 * digits[2] + digits[3]),
                      linear_from_srgb(16 * digits[4] + digits[5]), 1.0f};
    return true;
}

static bool read_choice(wri_reader *reader, const wri_key *key, const wri_json *value, int *out)
{
    if (!wri_expect(reader, value, WRI_JSON_STRING)) {
        return false;
    }
    int count = 0;
    for (; key->choices[count]; count++) {
        if (strcmp(key->choices[count], value->string) == 0) {
            *out = count;
            return true;
        }
    }
    return wri_fail_word(reader, value, key->name, value->string, key->choices, count);
}

bool wri_read_key(wri_reader *reader, const wri_key *key, const wri_json *value, void *field)
{
    switch (key->kind) {
    case WRI_KEY_NUMBER:
        return read_number(reader, key, value, field);
    case WRI_KEY_ANGLE:
        if (!read_number(reader, key, value, field)) {
            return false;
        }
        *(double *)field *= 3.14159265358979323846 / 180.0;
        return true;
    case WRI_KEY_INTEGER:
        return read_integer(reader, key, value, field);
    case WRI_KEY_BOOL:
        *(bool *)field = value->boolean;
        return wri_expect(reader, value, WRI_JSON_BOOL);
    case WRI_KEY_TEXT:
        *(const char **)field = value->string;
        return wri_expect(reader, value, WRI_JSON_STRING);
    case WRI_KEY_VECTOR:
        return read_vector(reader, key, value, field);
    case WRI_KEY_COLOR:
        return read_color(reader, key, value, field);
    case WRI_KEY_CHOICE:
        return read_choice(reader, key, value, field);
    case WRI_KEY_CUSTOM:
        return key->read(reader, value, field);
    }
    return false;
}

// --- objects ----------------------------------------------------------------------------------

static bool read_fallbacks(wri_reader *reader, const wri_table *table, void *object)
{
    for (int i = 0; i < table->count; i++) {
        const wri_key *key = &table->keys[i];
        if (!key->fallback) {
            continue;
        }
        const wri_json *value = wri_json_parse(reader->arena, key->fallback, strlen(key->fallback),
                                               "default", false, reader->error);
        if (!value || !wri_read_key(reader, key, value, (char *)object + key->offset)) {
            return false; // out of memory: the tables' defaults are tested
        }
    }
    return true;
}

static const wri_key *find_key(const wri_table *table, const char *name)
{
    for (int i = 0; i < table->count; i++) {
        if (strcmp(table->keys[i].name, name) == 0) {
            return &table->keys[i];
        }
    }
    return NULL;
}

static bool fail_unknown_key(wri_reader *reader, const wri_table *table, const wri_json *member)
{
    const char *names[64];
    int count = 0;
    for (; count < table->count && count < WRI_COUNT(names); count++) {
        names[count] = table->keys[count].name;
    }
    wri_json at = wri_at_key(member);
    return wri_fail_word(reader, &at, "key", member->key, names, count);
}

bool wri_read_object(wri_reader *reader, const wri_table *table, const wri_json *json, void *object)
{
    if (!wri_expect(reader, json, WRI_JSON_OBJECT) || !read_fallbacks(reader, table, object)) {
        return false;
    }
    for (int i = 0; i < json->count; i++) {
        const wri_json *member = &json->items[i];
        const wri_key *key = find_key(table, member->key);
        if (!key) {
            return fail_unknown_key(reader, table, member);
        }
        if (!wri_read_key(reader, key, member, (char *)object + key->offset)) {
            return false;
        }
    }
    for (int i = 0; i < table->count; i++) {
        const wri_key *key = &table->keys[i];
        if (key->required && !wri_json_find(json, key->name)) {
            return wri_fail_at(reader, json, "\"%s\" is missing, expected: %s", key->name,
                               key->about);
        }
    }
    return true;
}
