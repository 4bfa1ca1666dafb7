// drawings.h: the sprites of the demo scenes.
#pragma once

#include "sketch.h"

// Each draws one picture; parts of the cannon, the catapult and the ragdoll are pictures of their
// own on the canvas of the whole.
sketch draw_ball(void);
sketch draw_brick(void);
sketch draw_beam(void);
sketch draw_rope(void);
sketch draw_snake(void);
sketch draw_spring(void);
sketch draw_box(void);
sketch draw_cannon_barrel(void);
sketch draw_cannon_carriage(void);
sketch draw_catapult_frame(void);
sketch draw_catapult_arm(void);
sketch draw_doll_arm_far(void);
sketch draw_doll_leg_far(void);
sketch draw_doll_body(void);
sketch draw_doll_leg_near(void);
sketch draw_doll_jacket(void);
sketch draw_doll_head(void);
sketch draw_doll_arm_near(void);

// An eye that looks to the right; radius is of the white.
void draw_eye(sketch *s, wr_vec2 at, float radius);
