// bullet_soft.h: a block of Bullet's own deformable bodies on the ground, for wrought bench to
// compare with. No part of the library.
#pragma once

#include <stdbool.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct wri_bullet_soft wri_bullet_soft;

typedef struct wri_bullet_soft_desc {
    int counts[3];         // nodes along each axis, at least 2
    double spacing;        // metres, between them
    double density;        // kg/m^3
    double young, poisson; // Pa
    double height;         // metres, of its underside over the ground
    double speed;          // m/s, downwards
} wri_bullet_soft_desc;

// Five tetrahedra in each cell, linear elasticity, implicit steps. NULL when out of memory.
wri_bullet_soft *wri_bullet_soft_create(const wri_bullet_soft_desc *desc);
void wri_bullet_soft_destroy(wri_bullet_soft *soft); // accepts NULL
void wri_bullet_soft_step(wri_bullet_soft *soft, double dt);
int wri_bullet_soft_tetrahedra(const wri_bullet_soft *soft);
// How high the highest node is, metres; not finite when it has blown up.
double wri_bullet_soft_height(const wri_bullet_soft *soft);

#if defined(__cplusplus)
}
#endif
