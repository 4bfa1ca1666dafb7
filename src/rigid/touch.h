// touch.h: what touch.c and touch_ball.c share: bodies near balls, one ball, and what it touches.
// Engine units.
#pragma once

#include "engine.h"

// A body near some balls.
typedef struct wri_touch_target {
    int body;
    wri_solid solid; // primitives; of others the kind only
    const wri_rigid_body *record;
    wri_frame frame; // of the body, in the world
    double box[2][3];
    bool is_ready; // its shape
} wri_touch_target;

typedef struct wri_touch_scene {
    const wri_touch_target *targets;
    double margin;
    int most; // touches of one ball
} wri_touch_scene;

// A target, or a piece of one, that balls may touch.
typedef struct wri_near_thing {
    int target, piece;
} wri_near_thing;
enum { WRI_ALL_PIECES = -2 };

typedef struct wri_touch_ball {
    double at[3], displacement[3], radius; // in the world, or in a target's frame
    bool is_swept;
} wri_touch_ball;

// A touch, and how far the ball would be behind its plane in the end; in the target's frame.
typedef struct wri_side {
    wri_nearest nearest;
    double time, end_depth;
    int target, piece;
} wri_side;

// Touches of a ball, deepest first.
typedef struct wri_side_list {
    int count, room;
    wri_side items[WR_MOST_TOUCHES];
} wri_side_list;

// The box in which the ball may touch something during its sweep.
static inline void wri_find_ball_box(const wri_touch_ball *ball, double margin, double box[2][3])
{
    for (int i = 0; i < 3; i++) {
        double reach = ball->radius + margin, end = ball->at[i] + ball->displacement[i];
        box[0][i] = (ball->displacement[i] < 0 ? end : ball->at[i]) - reach;
        box[1][i] = (ball->displacement[i] < 0 ? ball->at[i] : end) + reach;
    }
}

// Adds what the ball touches of some things, all of one target, whose box the ball's meets.
void wri_touch_things(const wri_touch_scene *scene, const wri_touch_ball *ball,
                      const wri_near_thing *things, int count, wri_side_list *all);
