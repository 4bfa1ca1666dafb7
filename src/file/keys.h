// keys.h: objects of scene and recipe files, described once by tables.
//
// A table says of every key its kind, unit, range, default and meaning. The same table reads the
// file, writes the references and JSON Schemas in docs/, and knows the words to suggest when one
// was misspelt. Defaults are JSON text that goes through the same reader as the file.
#pragma once

#include "wrought/geometry.h"

#include "json.h"

#include <stddef.h>

typedef struct wri_reader {
    wri_arena *arena;
    const char *path;  // path of the file, for messages
    const char *where; // "body \"crate\"", "scene": what is being read, for messages
    void *context;     // context that custom readers need
    wr_error *error;
} wri_reader;

typedef enum wri_key_kind {
    WRI_KEY_NUMBER,  // double
    WRI_KEY_ANGLE,   // double; degrees in the file, radians in memory
    WRI_KEY_INTEGER, // int
    WRI_KEY_BOOL,    // bool
    WRI_KEY_TEXT,    // const char *
    WRI_KEY_VECTOR,  // wr_vec3
    WRI_KEY_COLOR,   // wr_color; "#rrggbb" sRGB in the file, linear light in memory
    WRI_KEY_CHOICE,  // int, index into choices
    WRI_KEY_CUSTOM,  // whatever read does
} wri_key_kind;

typedef bool wri_key_fn(wri_reader *reader, const wri_json *value, void *field);

typedef struct wri_key {
    const char *name;
    wri_key_kind kind;
    size_t offset; // offset of the field in the object
    double min, max;
    const char *unit;           // "m", "kg/m^3"; NULL for plain numbers
    const char *fallback;       // JSON text of the default; NULL: the field stays zero
    const char *about;          // sentence for the documentation
    const char *const *choices; // WRI_KEY_CHOICE: words, NULL-terminated
    wri_key_fn *read;           // WRI_KEY_CUSTOM
    const char *type;           // WRI_KEY_CUSTOM: what it looks like, in words
    const char *schema;         // WRI_KEY_CUSTOM: JSON Schema of the value
    bool required;
    bool is_look; // only pictures depend on it
} wri_key;

typedef struct wri_table {
    const char *name;  // "body"
    const char *about; // first sentence of its chapter in the documentation
    const wri_key *keys;
    int count;
    const char *schema; // JSON Schema, where it is not an object with these keys
} wri_table;

#define WRI_TABLE(name, keys, about)                                                               \
    {                                                                                              \
        name, about, keys, WRI_COUNT(keys), NULL                                                   \
    }

// Fills object (zeroed by the caller): first the defaults, then what the file says.
bool wri_read_object(wri_reader *reader, const wri_table *table, const wri_json *json,
                     void *object);

// One value of a key, outside of a table.
bool wri_read_key(wri_reader *reader, const wri_key *key, const wri_json *value, void *field);

// "path:line:column: where: ..." of a value; always false.
bool wri_fail_at(wri_reader *reader, const wri_json *at, const char *format, ...) WRI_PRINTF(3, 4);

// Fails with what an inner reader said. Running out of memory stays that.
bool wri_fail_inner(wri_reader *reader, const wri_json *at, const wr_error *why);

// Makes a value for complaints about a key instead of its value.
static inline wri_json wri_at_key(const wri_json *member)
{
    wri_json at = *member;
    at.line = member->key_line;
    at.column = member->key_column;
    return at;
}

// Expects an object or array; the sentence says what was found.
bool wri_expect(wri_reader *reader, const wri_json *value, wri_json_type type);

// Complains about a word with the nearest valid one suggested; always false.
bool wri_fail_word(wri_reader *reader, const wri_json *at, const char *kind, const char *word,
                   const char *const *words, int count);

// Indices of the words that `word` may mean: what other programs call so, else the nearest by its
// letters, else those that it is a word of, as "steel" of "thin steel". Returns how many.
enum { WRI_MOST_MEANT = 3 };
int wri_find_meant(const char *word, const char *const *words, int count, int *meant, int room);
// What stands before the i-th of count words that are listed: "a, b or c".
static inline const char *wri_or(int i, int count)
{
    return i == 0 ? "" : i < count - 1 ? "," : " or";
}
// They as the end of a sentence: "; did you mean "thin steel" or "thick steel"?", or "". Returns
// out.
const char *wri_mean_words(char *out, size_t size, const char *word, const char *const *words,
                           int count);

// --- values that scenes and recipes share (key_values.c) ----------------------------------------

extern const char *const wri_up_words[]; // NULL at the end

// Custom readers: remembers the value for a later pass; a rotation into a wr_quat.
bool wri_keep_json(wri_reader *reader, const wri_json *value, void *field);
bool wri_read_turn(wri_reader *reader, const wri_json *value, void *field);
extern const wri_table wri_turn_table;

#define WRI_TURN_TYPE "`{\"axis\": [x, y, z], \"by\": degrees}` or a quaternion `[x, y, z, w]`"
#define WRI_TURN_SCHEMA                                                                            \
    "{\"oneOf\": [{\"$ref\": \"#/$defs/turn\"}, {\"type\": \"array\", \"items\": "                 \
    "{\"type\": \"number\"}, \"minItems\": 4, \"maxItems\": 4}]}"
#define WRI_LIST_SCHEMA(table) "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/" table "\"}}"

// --- references (key_reference.c) --------------------------------------------------------------

// Adds formatted text, at most 2047 bytes; out counts bytes.
void wri_say(wri_array *out, const char *format, ...) WRI_PRINTF(2, 3);
// A chapter of Markdown.
void wri_describe_table(wri_array *out, const wri_table *table);
// The first table is the file itself, the others are $defs under their names.
void wri_write_schema(wri_array *out, const char *title, const wri_table *const *tables, int count);
// The text with a final NUL; *size is what wr_text_destroy wants.
char *wri_finish_text(wri_array *out, size_t *size, wr_error *error);
// Likewise, what was written and a line break; the writer is still to be destroyed.
char *wri_json_copy_text(wri_json_writer *writer, size_t *size, wr_error *error);
