// sprite_cut.h: what the plane z = 0 cuts out of a rigid shape: the level of sprites.
#pragma once

#include "wrought/rigid.h"

#include "../base/base.h"

// Convex pieces of a shape, 0: it is a mesh, which has none, or a plane.
int wri_cut_piece_count(const wr_shape *shape);
// Corners that the outline of a piece has at most, however the body lies.
int wri_cut_most_corners(const wr_shape *shape, int piece);
// Metres: the distance of its farthest point from the origin of its frame.
float wri_cut_size(const wr_shape *shape);
// The outline of a piece in the plane, relative to the place of the body, counterclockwise from the
// leftmost of its corners; into out (wr_vec2), which stays empty where the plane misses it. False:
// out of memory.
bool wri_cut_piece(const wr_shape *shape, int piece, wr_pose pose, wri_array *out);
// The half-plane below which a plane is solid. False: it lies in z = 0, or behind or before it.
bool wri_cut_plane(wr_pose pose, wr_vec2 *position, float *angle);

// Returns the angle by which a body has turned about z since it was turned by `start`, radians.
float wri_cut_turn(wr_quat start, wr_quat now);
