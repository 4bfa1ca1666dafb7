// hdr.h: Radiance pictures, as light from all around.
#pragma once

#include "wrought/file.h"
#include "../base/base.h"

// Decodes into the arena, which may be the caller's for longer; `name` is for messages. What is
// wider than WR_ENVIRONMENT_WIDTH comes out averaged to that.
bool wri_hdr_decode(wri_arena *arena, const void *bytes, size_t size, const char *name,
                    wr_environment *out, wr_error *error);
// The same of a file.
bool wri_hdr_read(wri_arena *arena, const char *path, wr_environment *out, wr_error *error);
