// pose_keys.h: the frames of a motion between which straight ways do.
#pragma once

#include "wrought/math.h"

// Numbers of poses, ascending from 0 to count - 1, into keys, which has room for all; returns how
// many. Those that are left out are missed by at most so many metres and radians.
int wri_pose_keys(const wr_pose *poses, int count, float max_distance, float max_angle, int *keys);
