// figure_sculpt.h: morph targets of figures.
#pragma once

#include "figure_field.h"

void figure_add_targets(const figure *f, wr_model *model);
