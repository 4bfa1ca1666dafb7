// mtl.h: the lines of Wavefront files, and the material libraries that OBJ files name.
#pragma once

#include "model.h"

// --- lines ------------------------------------------------------------------------------------

// Steps through a text line by line and word by word. A backslash at the end joins two lines, #
// opens a comment.
typedef struct wri_text {
    const char *path;
    const char *next, *end; // text that is still to come
    const char *at, *stop;  // the rest of the line at hand
    const char *keyword;    // its first word
    size_t keyword_length;
    int line, next_line;
    wr_error *error;
} wri_text;

wri_text wri_text_open(const char *path, const char *bytes, size_t size, wr_error *error);
bool wri_text_line(wri_text *text); // the next line that is not empty; false at the end
bool wri_text_is(const wri_text *text, const char *keyword);
bool wri_text_word(wri_text *text, const char **word, size_t *length);
void wri_text_rest(wri_text *text, const char **rest, size_t *length); // without blanks around
// Up to `most` numbers; how many there were, -1 when one is not a finite number (and fails).
int wri_text_floats(wri_text *text, float *out, int most);
bool wri_text_fail(wri_text *text, const char *format, ...) WRI_PRINTF(2, 3);
// A warning of the model about the line at hand.
bool wri_text_warn(const wri_text *text, wr_model *model, const char *format, ...) WRI_PRINTF(3, 4);

// --- materials --------------------------------------------------------------------------------

typedef struct wri_mtl_file { // a picture that was looked at
    const char *path;
    int image; // -1: nothing we can show
} wri_mtl_file;

typedef struct wri_mtl {
    wr_model *model;
    const char *path;           // path of the OBJ file
    wri_array looks, images;    // wr_look, wr_image; go to the model at the end
    wri_array libraries, files; // char *, wri_mtl_file: what was read
    int *table;                 // look + 1 by hash of its name, 0 is free
    size_t table_size;
    size_t source_size; // bytes read so far
    int tries;          // names looked for so far
    int64_t pixels_left;
    wr_error *error;
} wri_mtl;

wri_mtl wri_mtl_create(wr_model *model, const char *path, size_t source_size, wr_error *error);
void wri_mtl_destroy(wri_mtl *mtl);
// One library, or several with blanks between and perhaps within, named in a line of the OBJ file;
// those that do not exist are passed over with a warning.
bool wri_mtl_read(wri_mtl *mtl, const char *names, size_t length, int line);
int wri_mtl_find(const wri_mtl *mtl, const char *name, size_t length); // -1: none of that name
bool wri_mtl_finish(wri_mtl *mtl); // hands looks and images to the model
