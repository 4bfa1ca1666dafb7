// sequence.h: numbered files. #### in a path stands for the number, from 0, with as many digits at
// least.
#pragma once

#include "show.h"

// Before, within and behind the last run of #.
typedef struct wri_sequence {
    const char *path;
    int before, digits; // digits 0: there is no #
} wri_sequence;

wri_sequence wri_sequence_of(const char *path);
char *wri_sequence_name(const wri_sequence *sequence, int number, wri_arena *arena);
// Makes the folder; an earlier sequence under the same name that Wrought did not write fails it,
// unless it may be replaced.
bool wri_sequence_check(const wri_sequence *sequence, bool replace, wr_error *error);
// Removes that one, too.
bool wri_sequence_clear(const wri_sequence *sequence, bool replace, wr_error *error);
