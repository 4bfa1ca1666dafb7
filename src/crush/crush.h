// crush.h: a crush, and how it ended, without the measures of the whole shape.
// Thread safety: functions are pure.
#pragma once

#include "wrought/crush.h"

typedef struct wri_crush_end {
    double depth;          // metres that the tool went
    double crossing_share; // of triangles that cross newly, at the whole of the motion or half of
                           // it, whichever are more
} wri_crush_end;

// As wr_crush.
bool wri_crush(const wr_crush_desc *desc, wr_vec3 *positions, wri_crush_end *end, wr_error *error);
