// patch.h: a small curved surface for tests of compression.
#pragma once

#include <string.h>

enum { WIDE = 5, HIGH = 4, VERTICES = WIDE * HIGH, CORNERS = 6 * (WIDE - 1) * (HIGH - 1) };

typedef struct patch {
    float positions[VERTICES][3];
    unsigned corners[CORNERS];
} patch;

static inline patch make_patch(void)
{
    patch made;
    int at = 0;
    for (int i = 0; i < VERTICES; i++) {
        float u = (float)(i % WIDE), v = (float)(i / WIDE);
        memcpy(made.positions[i], (float[3]){0.37f * u, v - 0.1f * u * u, 0.05f * u * v}, 12);
    }
    for (int y = 0; y + 1 < HIGH; y++) {
        for (int x = 0; x + 1 < WIDE; x++) {
            unsigned a = (unsigned)(y * WIDE + x), b = a + 1, c = a + WIDE, d = c + 1;
            memcpy(made.corners + at, (unsigned[6]){a, b, d, a, d, c}, 6 * sizeof(unsigned));
            at += 6;
        }
    }
    return made;
}

// What accessors of it say.
#define POSITIONS FLOATS(20, VEC3)
#define CORNERS_AS(TYPE) "\"componentType\":" #TYPE ",\"count\":72,\"type\":\"SCALAR\""
