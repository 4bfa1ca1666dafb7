// json.h: JSON with comments that remembers where every value stood.
//
// A document is an array of values in one arena. Objects keep their keys in file order. Depth is
// limited to 64, size by the caller. Text is checked to be UTF-8. `//` and `/* */` comments and
// trailing commas are allowed when the caller says so; glTF does not allow them.
#pragma once

#include "../base/base.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum wri_json_type {
    WRI_JSON_NULL,
    WRI_JSON_BOOL,
    WRI_JSON_NUMBER,
    WRI_JSON_STRING,
    WRI_JSON_ARRAY,
    WRI_JSON_OBJECT,
} wri_json_type;

typedef struct wri_json wri_json;
struct wri_json {
    wri_json_type type;
    int line, column; // place of the value's first character, both from 1; columns are characters
    int begin, end;   // bytes of the text that are the value
    const char *key;  // member name when the parent is an object, else NULL
    int key_line, key_column;
    bool boolean;
    double number;         // finite
    const char *string;    // NUL-terminated UTF-8; embedded NUL characters are refused
    int count;             // number of items
    const wri_json *items; // array elements or object members, contiguous
};

// Parses `size` bytes into the arena. `path` is only for messages, which read
// "path:line:column: what, what was expected". Duplicate keys are an error.
const wri_json *wri_json_parse(wri_arena *arena, const char *text, size_t size, const char *path,
                               bool comments, wr_error *error);

// The member called key, or NULL (also when the value is not an object).
const wri_json *wri_json_find(const wri_json *object, const char *key);

const char *wri_json_type_name(wri_json_type type); // "a number", "an object", ...

// A growing text of JSON. Commas and quoting are taken care of; numbers ignore the locale.
typedef struct wri_json_writer {
    wri_array text; // chars, not NUL-terminated until wri_json_finish
    int depth;
    bool pending_comma, failed;
    bool pretty; // newline and two spaces per depth
} wri_json_writer;

wri_json_writer wri_json_writer_create(const wr_allocator *allocator, bool pretty);
void wri_json_writer_destroy(wri_json_writer *writer);
void wri_json_begin_object(wri_json_writer *writer, const char *key); // key NULL inside arrays
void wri_json_end_object(wri_json_writer *writer);
void wri_json_begin_array(wri_json_writer *writer, const char *key);
void wri_json_end_array(wri_json_writer *writer);
void wri_json_write_string(wri_json_writer *writer, const char *key, const char *value);
// The shortest decimal that reads back as the same number; not finite: null.
void wri_json_write_number(wri_json_writer *writer, const char *key, double value);
void wri_json_write_float(wri_json_writer *writer, const char *key, float value);
void wri_json_write_int(wri_json_writer *writer, const char *key, int64_t value);
// An array of numbers in one line.
void wri_json_write_numbers(wri_json_writer *writer, const char *key, const double *values,
                            int count);
void wri_json_write_bool(wri_json_writer *writer, const char *key, bool value);
void wri_json_write_null(wri_json_writer *writer, const char *key);
// NUL-terminated text of text.count - 1 bytes, or NULL when memory ran out on the way. Valid until
// destroy.
const char *wri_json_finish(wri_json_writer *writer);

#if defined(__cplusplus)
}
#endif
