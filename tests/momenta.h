// momenta.h: momentum and angular momentum of rigid bodies, summed in double from what anybody can
// read of them, whatever the library makes of its own matrices.
#pragma once

#include "check.h"
#include "wrought/rigid.h"

typedef struct momenta {
    double p[3], L[3]; // kg m/s; kg m^2/s, about the origin
} momenta;

static inline void add_cross(const double a[3], const double b[3], double out[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

static inline void rotation_of(wr_quat q, double r[3][3])
{
    double x = q.x, y = q.y, z = q.z, w = q.w, n = 2.0 / (x * x + y * y + z * z + w * w);
    const double m[3][3] = {{1 - n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w)},
                            {n * (x * y + z * w), 1 - n * (x * x + z * z), n * (y * z - x * w)},
                            {n * (x * z - y * w), n * (y * z + x * w), 1 - n * (x * x + y * y)}};
    memcpy(r, m, sizeof m);
}

// Of one body, from its pose, its velocities and the mass it was described with.
static inline momenta momenta_of(const wr_rigid *rigid, int body, const wr_mass_properties *mass)
{
    wr_pose pose = wr_rigid_pose(rigid, body);
    wr_vec3 v = wr_rigid_velocity(rigid, body), w = wr_rigid_angular_velocity(rigid, body);
    const double spin[3] = {w.x, w.y, w.z};
    double R[3][3], c[3] = {pose.position.x, pose.position.y, pose.position.z};
    double local[3] = {0}, turned[3] = {0};
    momenta m = {{mass->mass * v.x, mass->mass * v.y, mass->mass * v.z}, {0}};
    rotation_of(pose.rotation, R);
    for (int i = 0; i < 9; i++) {
        c[i / 3] += R[i / 3][i % 3] * mass->center[i % 3];
        local[i / 3] += R[i % 3][i / 3] * spin[i % 3];
    }
    for (int i = 0; i < 9; i++) {
        turned[i / 3] += mass->inertia[i / 3][i % 3] * local[i % 3];
    }
    for (int i = 0; i < 9; i++) {
        m.L[i / 3] += R[i / 3][i % 3] * turned[i % 3];
    }
    add_cross(c, m.p, m.L);
    return m;
}

static inline void add_impulse(momenta *m, wr_vec3 at, wr_vec3 impulse)
{
    const double point[3] = {at.x, at.y, at.z}, j[3] = {impulse.x, impulse.y, impulse.z};
    for (int k = 0; k < 3; k++) {
        m->p[k] += j[k];
    }
    add_cross(point, j, m->L);
}

static inline void check_momenta(const momenta *a, const momenta *b, double tolerance)
{
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(a->p[k], b->p[k], tolerance);
        CHECK_NEAR(a->L[k], b->L[k], tolerance);
    }
}

// Mass of a box whose centre of mass lies beside its middle and whose axes are all askew.
static inline wr_mass_properties lopsided_mass(wr_vec3 size, double density)
{
    wr_mass_properties mass = wr_primitive_mass(WR_PRIMITIVE_BOX, size, density);
    const double off[3] = {0.1, -0.15, 0.2}; // xy, xz, yz, as shares of the largest moment
    double most = fmax(mass.inertia[0][0], mass.inertia[1][1]);
    mass.inertia[0][1] = mass.inertia[1][0] = off[0] * most;
    mass.inertia[0][2] = mass.inertia[2][0] = off[1] * most;
    mass.inertia[1][2] = mass.inertia[2][1] = off[2] * most;
    for (int k = 0; k < 3; k++) {
        mass.center[k] = 0.02 * (k + 1);
    }
    return mass;
}
