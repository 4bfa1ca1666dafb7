// parts.h: what machines are made of, for the props: bars, tubes, trusses, rivets, corrugated
// sheet, wheels.
//
//     part_tube(&s, from, to, 0.05f, 12);
//     part_truss(&s, &(truss){.from = a, .to = b, .up = {0, 1, 0}, .width = 1, .height = 1, ...});
//
// Every part is a closed shell, or several that overlap, of the solid's look.
#pragma once

#include "models.h"

wr_model *start_prop(const char *name, const wr_look *looks, int look_count);
wr_look plain(const char *name, float r, float g, float b, float roughness, float metallic);

// A bar of a rectangular section: `width` across `up`, `height` along it.
void part_bar(solid *s, wr_vec3 from, wr_vec3 to, wr_vec3 up, float width, float height);
void part_box(solid *s, wr_vec3 at, wr_vec3 size, float bevel);
void part_tube(solid *s, wr_vec3 from, wr_vec3 to, float radius, int sides);
void part_cone(solid *s, wr_vec3 from, wr_vec3 to, float radius0, float radius1, int sides);

// A profile (r, distance along the axis) turned about an axis; both ends lie on it or the profile
// closes. Corners where it turns by more than 35 degrees are hard.
void part_turn(solid *s, wr_vec3 at, wr_vec3 axis, const wr_vec2 *profile, int count, int segments);

// A lattice girder: four chords, or three of which one is at the top, posts and diagonals between.
typedef struct truss {
    wr_vec3 from, to, up;  // along the middle of its section
    float width, height;   // of the section
    float width1, height1; // at the far end; 0: as at the first one
    int bays;
    float chord, brace; // thickness of the members
    bool triangular;
} truss;
void part_truss(solid *s, const truss *t);

// Heads of rivets on a line, which stand out along `normal`.
void part_rivets(solid *s, wr_vec3 from, wr_vec3 to, wr_vec3 normal, float radius, int count);

// A sheet of trapezoid waves: it stands on `from`, its waves follow one another up to `to`, their
// crests run along `up` for `height`.
typedef struct corrugation {
    wr_vec3 from, to, up;
    float height, depth, thickness;
    int waves;
} corrugation;
void part_corrugation(solid *s, const corrugation *c);

// A wheel whose outer side faces along `axis`.
typedef struct wheel {
    wr_vec3 at, axis;
    float radius, width, rim; // rim: radius of the metal
    int spokes;
    int rubber, metal, dark; // looks
} wheel;
void part_wheel(solid *s, const wheel *w);
