// press.h: bends thin sheet as metal gives: lengths stay, angles go. For the dents of the demo
// models.
//
//     sheet *s = sheet_create();
//     sheet_add_grid(s, points, columns, rows);
//     sheet_press(s, &(press){.steps = 300, .rounds = 30, .bend = 0.2f, .push = fist});
//     sheet_carry(s, model_points, count, dented_points);
//     sheet_destroy(s);
//
// Running out of memory ends the program: this is a build tool.
#pragma once

#include "wrought/math.h"

#include <stdint.h>

typedef struct sheet sheet;

sheet *sheet_create(void);
void sheet_destroy(sheet *s);

// Points at the same place are one.
void sheet_add_triangle(sheet *s, wr_vec3 a, wr_vec3 b, wr_vec3 c);
// columns x rows points, row after row; the diagonals alternate, so that no direction of folds is
// better than its mirror image.
void sheet_add_grid(sheet *s, const wr_vec3 *points, int columns, int rows);

// One stroke of the press, from the sheet at rest; t runs from 0 to 1, in the release it stays 1.
typedef struct press {
    int steps, release; // how many with the tools, and then without
    int rounds;         // over all constraints per step
    float bend;         // how much of an angle's error a round takes away, [0, 1]
    float yield;        // radians by which a fold springs back
    float soften;       // factor on bend where the sheet has folded; 1: none
    float stretch;      // how much longer than at rest an edge may become for good, part of it
    float inertia;      // part of a step's motion that goes on in the next, [0, 1)
    float gap;          // metres that separate folds keep from each other; 0: they may cross
    float flaw;         // metres: unevenness of the sheet at the start
    uint32_t seed;      // of the flaws
    wr_vec3 (*push)(wr_vec3 p, wr_vec3 rest, float t); // out of the tools; NULL: none
    bool (*hold)(wr_vec3 rest, float t, wr_vec3 *at);  // points that are led; NULL: none
    float (*stiff)(wr_vec3 rest);                      // factor on bend; NULL: 1
} press;
void sheet_press(sheet *s, const press *p);

// A tool: a bar that comes along `way` with its round front edge at `tip`.
typedef struct blade {
    wr_vec3 tip;        // middle of the edge before it moves
    wr_vec3 way, along; // unit, at right angles: where it goes, and the direction of the edge
    float half, radius; // half length of the edge without its round ends
} blade;
// p, or where it is put by a blade that has gone `depth` metres.
wr_vec3 blade_push(const blade *b, float depth, wr_vec3 p);

// Where points near the sheet go with it: each hangs on the nearest triangle at rest.
void sheet_carry(const sheet *s, const wr_vec3 *points, int count, wr_vec3 *out);
