// lanes.h: numbers side by side: four of one particle (a vector and something), or one of each of
// eight particles.
//
// Compilers turn these into whatever the machine has: eight lanes are two halves on SSE2 and NEON.
// Only + - * / and sqrt are used, each lane for itself, so the bits are the same for every width.
#pragma once

#include "wrought/math.h"

#include <math.h>

// No vector crosses a border between files by value: the ABI does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

enum { LANES = 8 };

typedef float f4 __attribute__((vector_size(16)));
typedef float f8 __attribute__((vector_size(32)));
typedef int i8 __attribute__((vector_size(32)));

static inline f4 f4_of(wr_vec3 v)
{
    return (f4){v.x, v.y, v.z, 0.0f};
}

static inline wr_vec3 f4_vec3(f4 v)
{
    return (wr_vec3){v[0], v[1], v[2]};
}

static inline float f4_dot(f4 a, f4 b) // of the first three
{
    f4 p = a * b;
    return p[0] + p[1] + p[2];
}

static inline f4 f4_cross(f4 a, f4 b) // likewise; the last is none
{
    f4 a1 = {a[1], a[2], a[0], a[3]}, b1 = {b[1], b[2], b[0], b[3]}, c = a * b1 - a1 * b;
    return (f4){c[1], c[2], c[0], c[3]};
}

static inline f8 f8_all(float x)
{
    return (f8){x, x, x, x, x, x, x, x};
}

// a where the mask is set, else b.
static inline f8 f8_select(i8 mask, f8 a, f8 b)
{
    return (f8)((mask & (i8)a) | (~mask & (i8)b));
}

static inline f8 f8_max(f8 a, f8 b)
{
    return f8_select(a > b, a, b);
}

static inline f8 f8_sqrt(f8 a)
{
    for (int l = 0; l < LANES; l++) {
        a[l] = sqrtf(a[l]);
    }
    return a;
}

static inline bool i8_any(i8 mask)
{
    int any = 0;
    for (int l = 0; l < LANES; l++) {
        any |= mask[l];
    }
    return any != 0;
}

// --- matrices of eight particles --------------------------------------------------------------

typedef struct mat8 {
    f8 m[3][3];
} mat8;

static inline mat8 mat8_multiply(const mat8 *a, const mat8 *b)
{
    mat8 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}

// a^T b
static inline mat8 mat8_transposed_multiply(const mat8 *a, const mat8 *b)
{
    mat8 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
        }
    }
    return c;
}
