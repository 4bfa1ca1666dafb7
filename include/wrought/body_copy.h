// body_copy.h: a rigid body that a material takes along through steps of its own.
//
//     wr_body_copy copy = wr_touched_body_copy(&step->bodies[0]);
//     for (int i = 0; i < count; i++) {
//         wr_body_copy_move(&copy, gravity, dt / count);
//         wr_vec3 velocity = wr_body_copy_velocity(&copy, point);
//         wr_body_copy_push(&copy, point, impulse);
//     }
//     // copy.impulse and copy.angular_momentum are what the body itself is owed
//
// Light bodies that move evenly through such steps, and get the sum of all impulses afterwards, are
// thrown back and forth with growing energy. A copy answers to every impulse at once.
// Thread safety: plain values.
#pragma once

#include "math.h"

#if defined(__cplusplus)
extern "C" {
#endif

// Something fixed or driven that holds a body: the body does not move into it, and rubs.
typedef struct wr_support {
    wr_vec3 point;    // of the body, world
    wr_vec3 normal;   // unit, towards the body
    wr_vec3 velocity; // m/s, of the support there
    float gap;        // m, between them, now
    float friction;
    wr_vec3 impulse; // N s: how it answered pushes
} wr_support;

enum { WR_SUPPORTS_MAX = 16 }; // of one body

typedef struct wr_body_copy {
    wr_pose pose;             // pose of the body's own frame, now
    wr_vec3 center;           // centre of mass, world, now
    wr_vec3 velocity;         // m/s, of the centre of mass, now
    wr_vec3 angular_velocity; // rad/s, world axes, now
    float inverse_mass;       // 1/kg; 0: nothing can move it, and it goes on evenly
    wr_mat3 inverse_inertia;  // 1/(kg m^2), about the centre of mass, world axes; it does not turn
                              // with the body: steps are short
    wr_support *supports;
    int support_count;          // <= WR_SUPPORTS_MAX
    double impulse[3];          // N s, sum of the pushes, and of how supports answered them
    double angular_momentum[3]; // N m s, likewise, about the origin of the world
} wr_body_copy;

// Advances by dt seconds. Gravity (m/s^2) acts on what can be moved, and its supports stop it.
void wr_body_copy_move(wr_body_copy *copy, wr_vec3 gravity, float dt);
// m/s, at a point of the world.
wr_vec3 wr_body_copy_velocity(const wr_body_copy *copy, wr_vec3 point);
// 1/kg: change of that velocity per impulse at that point.
wr_mat3 wr_body_copy_inverse_mass(const wr_body_copy *copy, wr_vec3 point);
// N s, at a point of the world. Its supports answer at once.
void wr_body_copy_push(wr_body_copy *copy, wr_vec3 point, wr_vec3 impulse);
// As much less of the sums: the body has got it. The copy does not move.
void wr_body_copy_settle(wr_body_copy *copy, wr_vec3 point, wr_vec3 impulse);

#if defined(__cplusplus)
}
#endif
