// body_copy.c: the equations of Newton and Euler for one body, between two steps of the engine.
//
// Symbols: m mass, I inertia, r from the centre of mass to a point, w angular velocity, K inverse
// effective mass of a point.
#include "wrought/body_copy.h"

void wr_body_copy_move(wr_body_copy *copy, wr_vec3 gravity, float dt)
{
    if (copy->inverse_mass > 0.0f) {
        copy->velocity = wr_add_scaled(copy->velocity, dt, gravity);
    }
    wr_vec3 arm = wr_sub(copy->pose.position, copy->center);
    wr_vec3 half = wr_scale(0.5f * dt, copy->angular_velocity);
    wr_quat rotation = wr_quat_normalize((wr_quat){half.x, half.y, half.z, 1.0f});
    copy->center = wr_add_scaled(copy->center, dt, copy->velocity);
    copy->pose.position = wr_add(copy->center, wr_rotate(rotation, arm));
    copy->pose.rotation = wr_quat_normalize(wr_quat_multiply(rotation, copy->pose.rotation));
}

wr_vec3 wr_body_copy_velocity(const wr_body_copy *copy, wr_vec3 point)
{
    return wr_add(copy->velocity, wr_cross(copy->angular_velocity, wr_sub(point, copy->center)));
}

// Returns K = 1/m - [r] I^-1 [r], with [r] the matrix of the cross product.
wr_mat3 wr_body_copy_inverse_mass(const wr_body_copy *copy, wr_vec3 point)
{
    wr_vec3 r = wr_sub(point, copy->center);
    wr_mat3 k = {{{0.0f}}};
    for (int c = 0; c < 3; c++) {
        wr_vec3 unit = wr_v3(c == 0, c == 1, c == 2);
        wr_vec3 w = wr_mat3_apply(copy->inverse_inertia, wr_cross(r, unit));
        wr_vec3 column = wr_add_scaled(wr_cross(w, r), copy->inverse_mass, unit);
        k.m[0][c] = column.x;
        k.m[1][c] = column.y;
        k.m[2][c] = column.z;
    }
    return k;
}

void wr_body_copy_push(wr_body_copy *copy, wr_vec3 point, wr_vec3 impulse)
{
    wr_vec3 angular_impulse = wr_cross(wr_sub(point, copy->center), impulse);
    copy->velocity = wr_add_scaled(copy->velocity, copy->inverse_mass, impulse);
    copy->angular_velocity =
        wr_add(copy->angular_velocity, wr_mat3_apply(copy->inverse_inertia, angular_impulse));
    const double x[3] = {point.x, point.y, point.z}, j[3] = {impulse.x, impulse.y, impulse.z};
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        copy->impulse[i] += j[i];
        copy->angular_momentum[i] += x[k] * j[l] - x[l] * j[k];
    }
}
