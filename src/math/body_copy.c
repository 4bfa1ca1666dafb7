// body_copy.c: the equations of Newton and Euler for one body, between two steps of the engine.
//
// Symbols: m mass, I inertia, r from the centre of mass to a point, w angular velocity, K inverse
// effective mass of a point.
#include "wrought/body_copy.h"

#include <math.h>
#include <stdbool.h>

static void push(wr_body_copy *copy, wr_vec3 point, wr_vec3 impulse)
{
    wr_vec3 angular_impulse = wr_cross(wr_sub(point, copy->center), impulse);
    copy->velocity = wr_add_scaled(copy->velocity, copy->inverse_mass, impulse);
    copy->angular_velocity =
        wr_add(copy->angular_velocity, wr_mat3_apply(copy->inverse_inertia, angular_impulse));
}

static void add_to_sums(wr_body_copy *copy, wr_vec3 point, wr_vec3 impulse, double sign)
{
    const double x[3] = {point.x, point.y, point.z}, j[3] = {impulse.x, impulse.y, impulse.z};
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        copy->impulse[i] += sign * j[i];
        copy->angular_momentum[i] += sign * (x[k] * j[l] - x[l] * j[k]);
    }
}

static void rub(wr_body_copy *copy, const wr_support *s, wr_vec3 *answer)
{
    wr_vec3 v = wr_sub(wr_body_copy_velocity(copy, s->point), s->velocity);
    wr_vec3 slip = wr_add_scaled(v, -wr_dot(v, s->normal), s->normal), t = wr_normalize(slip);
    wr_mat3 K = wr_body_copy_inverse_mass(copy, s->point);
    float stop = wr_length(slip) / fmaxf(wr_dot(t, wr_mat3_apply(K, t)), copy->inverse_mass);
    wr_vec3 friction = wr_scale(-fminf(s->friction * wr_length(*answer), stop), t);
    *answer = wr_add(*answer, friction);
    push(copy, s->point, friction);
}

// What hits a light body that lies on the ground hits the ground: otherwise the light one would
// give way here, and the engine put it back into what hit it. Sequential impulses, then friction.
static void hold(wr_body_copy *copy, bool counts)
{
    enum { SWEEPS = 4 };
    float lambda[WR_SUPPORTS_MAX] = {0};
    for (int k = 0; k < SWEEPS * copy->support_count; k++) {
        int i = k % copy->support_count;
        const wr_support *s = &copy->supports[i];
        wr_vec3 v = wr_sub(wr_body_copy_velocity(copy, s->point), s->velocity);
        if (s->gap <= 0.0f && (wr_dot(v, s->normal) < 0.0f || lambda[i] > 0.0f)) {
            wr_mat3 K = wr_body_copy_inverse_mass(copy, s->point);
            float w = wr_dot(s->normal, wr_mat3_apply(K, s->normal));
            float more = fmaxf(-wr_dot(v, s->normal) / w, -lambda[i]);
            lambda[i] += more;
            push(copy, s->point, wr_scale(more, s->normal));
        }
    }
    for (int i = 0; i < copy->support_count; i++) {
        wr_support *s = &copy->supports[i];
        wr_vec3 answer = wr_scale(lambda[i], s->normal);
        if (counts && lambda[i] > 0.0f) {
            rub(copy, s, &answer);
            s->impulse = wr_add(s->impulse, answer);
            add_to_sums(copy, s->point, answer, 1.0);
        }
    }
}

static void close_gaps(wr_body_copy *copy, float dt)
{
    for (int i = 0; i < copy->support_count; i++) {
        wr_support *s = &copy->supports[i];
        wr_vec3 v = wr_sub(wr_body_copy_velocity(copy, s->point), s->velocity);
        s->gap += dt * wr_dot(v, s->normal);
    }
}

// Supports carry its weight in the engine's step, too: that is not counted here.
void wr_body_copy_move(wr_body_copy *copy, wr_vec3 gravity, float dt)
{
    if (copy->inverse_mass > 0.0f) {
        copy->velocity = wr_add_scaled(copy->velocity, dt, gravity);
        hold(copy, false);
        close_gaps(copy, dt);
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
    push(copy, point, impulse);
    add_to_sums(copy, point, impulse, 1.0);
    if (copy->inverse_mass > 0.0f) {
        hold(copy, true);
    }
}

void wr_body_copy_settle(wr_body_copy *copy, wr_vec3 point, wr_vec3 impulse)
{
    add_to_sums(copy, point, impulse, -1.0);
}
