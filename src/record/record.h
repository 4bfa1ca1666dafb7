// record.h (internal): what other modules need of recordings besides wrought/record.h.
#pragma once

#include "wrought/record.h"

#include "../base/base.h"

// The recording inside a folder, or the path itself when it is no folder; NULL: out of memory.
const char *wri_record_path(wri_arena *arena, const char *path);

// Makes the shapes of all bodies of a frame, several at a time, with normals, so that
// wr_reskin_find finds them done. What fails is left for it to say.
void wri_reskin_prepare(wr_reskin *reskin, const wr_frame *frame, const wr_record_body *bodies,
                        int count, const wr_tasks *tasks);
