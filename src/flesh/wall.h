// wall.h: what a published body meets, as a wall that moves evenly.
#pragma once

#include "flesh.h"

// A body as if it were rigid.
typedef struct wri_whole {
    wri_flesh_momentum now;
    double turning[3]; // rad/s, world
    double inverse_inertia[9];
} wri_whole;

// Of all members, NULL where nothing is met that gives way. False: out of memory.
bool wri_walls_find(wri_flesh *const *members, int member_count, const wri_flesh_step_desc *step,
                    wr_scratch *scratch, wri_whole **out);
// m/s, world: of what is met, now.
wr_vec3 wri_wall_velocity(wri_flesh *const *members, const wri_flesh_contact *c,
                          const wr_body_copy *bodies);
// m/s, along the normal: of the wall at the time of maximum compression, which is when both sides,
// as if they were rigid, have stopped each other. v, other: of the node and of what it meets, now.
double wri_wall_speed(const wri_whole *wholes, const wri_flesh_contact *c, wr_body_copy *bodies,
                      wr_vec3 v, wr_vec3 other);
