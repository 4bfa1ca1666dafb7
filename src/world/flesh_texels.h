// flesh_texels.h: nodes of flesh from the texels of its model.
#pragma once

#include "wrought/material.h"
#include "wrought/texels.h"

// The model of a body sampled by texels, `side` along a side, or as many as the limit of 100 000
// nodes allows, which its log is told. NULL with WR_OK in `error`: side is 0, there are none.
wr_texels *wri_flesh_sample(const wr_material_desc *desc, double side, wr_error *error);
