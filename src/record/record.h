// record.h (internal): what other modules need of recordings besides wrought/record.h.
#pragma once

#include "wrought/record.h"

#include "../base/base.h"

// The recording inside a folder, or the path itself when it is no folder; NULL: out of memory.
const char *wri_record_path(wri_arena *arena, const char *path);
