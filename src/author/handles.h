// handles.h: what makers of handle sets share.
#pragma once

#include "wrought/weights.h"

// Creates named handles without parents; everything else is zero.
wr_handle_set *wri_handle_set_create(int handle_count, int anchor_count,
                                     const wr_allocator *allocator, wr_error *error);
bool wri_solid_check(const wr_solid *mesh, wr_error *error);
