// balls.h: balls of something else that skin meets.
#pragma once

#include "flesh.h"

// A ball at a node.
typedef struct wri_ball_pair {
    int flesh, node, ball; // numbers of the world, of the model, of the step
    float share;           // of the ball,
    float mass;            // which is so many kilograms
    wr_vec3 normal;        // unit, out of the ball
    wr_vec3 velocity;      // m/s: of the ball, as the node sees it
    float goal;            // m/s: of the node against it along the normal, at least
    float wish;            // m/s: of the node along the normal of its contact, at least
} wri_ball_pair;

// Balls at a node are one contact, and one body. Its number is that of the node, behind those of
// the step's bodies: the same in every step, so that the contact is known again.
typedef struct wri_ball_group {
    int begin, end;   // pairs
    float mass;       // kg
    wr_vec3 velocity; // m/s
    float wish;       // m/s, in the mean
} wri_ball_group;

typedef struct wri_ball_meetings {
    wri_array pairs;  // of wri_ball_pair
    wri_array groups; // of wri_ball_group
    // In the step's scratch: the first node of each flesh among all, and, for each of all nodes,
    // the number of its group and 1, 0: it has none.
    int *first, *group_of;
    int node_count;
} wri_ball_meetings;

// Lists where skins are near balls or overlap with them. fleshes: by their numbers in the world,
// NULL: not that one. Contacts come behind those there are. False: out of memory.
bool wri_flesh_meet_balls(wri_flesh *const *fleshes, int count, const wr_flesh_step *step,
                          wri_ball_meetings *m, wri_array *contacts, wr_scratch *scratch);
// The bodies of the step, then those of all nodes. NULL: out of memory.
wr_body_copy *wri_flesh_copy_bodies(const wr_flesh_step *step, const wri_ball_meetings *m,
                                    wr_scratch *scratch);
// Adds the impulse of a contact to its balls, if it is with any.
void wri_flesh_answer_balls(const wr_flesh_step *step, const wri_ball_meetings *m,
                            const wri_flesh_contact *contact);
