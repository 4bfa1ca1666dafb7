// slerp.h: even turning, the same bits with every C library.
#pragma once

#include "wrought/math.h"

// Interpolates like wr_quat_slerp: along the shorter arc, a at t = 0 and b (or -b) at t = 1.
wr_quat wri_quat_slerp(wr_quat a, wr_quat b, double t);
