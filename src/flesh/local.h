// local.h: contacts of a body of one bone as local.c and ahead.c see them: in the frame of the bind
// pose, as springs at the nodes of its patch.
#pragma once

#include "relax.h"

// A contact. Its numbers are those of wri_row, in group.h.
typedef struct wri_near {
    f4 n, c;
    f4 lambda, u;
    f4 known_lambda, known_u; // from which ahead.c begins
    float own, give, compliance, friction;
    int place; // in the patch
    bool closed, is_core;
} wri_near;

enum { WRI_WAYS = 4 };

typedef struct wri_spring {
    float along, across; // N s per m/s
} wri_spring;

// A node of the patch, as the bone moves it.
typedef struct wri_core_node {
    f4 lever;
    f4 follow[6]; // -Y: what it does when the bone moves
} wri_core_node;

typedef struct wri_core_answer {
    f4 of[6]; // what a node does when the bone moves, but its contacts do not
} wri_core_answer;

typedef struct wri_local {
    wri_near *rows;
    wri_columns to_bind, to_world; // rotations
    wri_relax relax;               // around the patch
    int node_count;                // of the patch
    f4 *own, *whole;               // m/s: how each node moves, without its bone and with it
    wri_columns *outer, *inner;    // the springs of what touches it from outside, and of its core,
    f4 *outer_b, *inner_b;         // and what these would pull with if it stayed, N s
    wri_core_node *nodes;
    wri_core_answer *answers;
    double M[36]; // of the bone: G^-1,
    double H[36]; // and the factor of that with what the contacts hold it by
    double w[6];  // how the bone moves
    bool is_held; // H is there
    // Of each row, for ahead.c:
    f4 *residual, *answer;
    f4 *ways[WRI_WAYS], *W_ways[WRI_WAYS]; // ways that were gone, and W of them
} wri_local;

// S v
static inline f4 wri_resist(const wri_near *r, wri_spring s, f4 v)
{
    return s.across * v + (s.along - s.across) * f4_dot(r->n, v) * r->n;
}

// From the world, in which the contact of a core is not, and back.
static inline f4 wri_to_bind(const wri_local *l, const wri_near *r, const double v[3])
{
    f4 x = {(float)v[0], (float)v[1], (float)v[2], 0.0f};
    return r->is_core ? x : wri_columns_apply(&l->to_bind, x);
}

static inline void wri_to_world(const wri_local *l, const wri_near *r, f4 x, double out[3])
{
    f4 v = r->is_core ? x : wri_columns_apply(&l->to_world, x);
    for (int k = 0; k < 3; k++) {
        out[k] = (double)v[k];
    }
}

static inline wri_spring wri_near_spring(const wri_near *r)
{
    float least = 0.01f * r->own; // stiffer ones would only slow down relaxation
    return (wri_spring){1.0f / fmaxf(r->give, least), 1.0f / fmaxf(r->compliance, least)};
}

// How the node moves on which it stands.
static inline f4 wri_near_moved(const wri_local *l, const wri_near *r)
{
    return r->is_core ? l->own[r->place] : l->whole[r->place];
}

// The springs of contacts are added one by one; then they are taken.
void wri_local_clear_springs(wri_local *local);
void wri_local_add_spring(wri_local *local, const wri_near *row, wri_spring spring);
void wri_local_take_springs(wri_local *local);
// What acts on the nodes, N s, likewise.
void wri_local_clear_pulls(wri_local *local);
void wri_local_pull(wri_local *local, const wri_near *row, f4 impulse);
// Skin and bone are still again, before the following.
void wri_local_forget(wri_local *local);
// One cycle nearer to how skin and bone answer to the pulls. anew: how the bone does is found again
// from the springs.
void wri_local_move(wri_local *local, bool anew);
// All springs, from the states of the rows, and how the bone answers to them.
void wri_local_set_springs(wri_local *local, int row_count);
// z = (W + C)^-1 r of what is closed, roughly, with the bone: hardly symmetric.
void wri_local_answer(wri_local *local, const f4 *r, int row_count, f4 *z);
