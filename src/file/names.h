// names.h: names that another format can express, each given once, and the pictures of a model as
// files beside it.
#pragma once

#include "model.h"

typedef struct wri_names {
    wri_arena *arena;
    struct wri_names_entry *table; // entries by hash of the name
    size_t table_size, count;
} wri_names;

// Creates names in the arena; forget them with it.
wri_names wri_names_create(wri_arena *arena);
// The name itself, or with _2, _3 ... behind it when it was given before. NULL: out of memory.
const char *wri_names_add(wri_names *names, const char *wanted);

// Letters, digits and _, not beginning with a digit; empty becomes fallback.
const char *wri_name_identifier(wri_arena *arena, const char *name, const char *fallback);
// Returns a name that can stand at the end of a line of OBJ and MTL and comes back when read.
const char *wri_name_line(wri_arena *arena, const char *name, const char *fallback);

// Path without its ending.
char *wri_path_stem(wri_arena *arena, const char *path);
// Returns what follows the last slash.
const char *wri_path_name(const char *path);

// Every image that a look uses is STEM_NAME.png beside `path`; NULL for images nobody uses. The
// first gives paths and writes nothing, the second writes and gives names without their folder.
bool wri_textures_name(const wr_model *model, const char *path, wri_arena *arena,
                       const char **files, wr_error *error);
bool wri_textures_write(const wr_model *model, const char *path, wri_arena *arena,
                        const char **files, wr_error *error);
