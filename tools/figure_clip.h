// figure_clip.h: a figure's clips as tracks of its model.
#pragma once

#include "figure.h"

// After the nodes.
void figure_add_clips(const figure *f, wr_model *model);
