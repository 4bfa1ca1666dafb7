// solid.h: closed triangle surfaces built from a few kinds of pieces, for the demo models.
//
//     solid s = solid_create();
//     s.frame = frame_at(wr_v3(0, 1, 0));
//     solid_board(&s, wr_v3(0.4f, 0.1f, 0.02f), 0.004f, wood);
//     solid_finish(&s, model);
//
// Every piece is a closed shell that faces outward; pieces may overlap but must not share an edge.
// Running out of memory ends the program: this is a build tool.
#pragma once

#include "draw.h"
#include "../src/base/base.h"

// Where a piece stands: axes of length 1, at right angles. Vectors, because a quarter turn by them
// is exact.
typedef struct frame {
    wr_vec3 at, x, y, z;
} frame;

typedef struct solid {
    wri_array vertices, triangles, morphs;
    frame frame;         // of the pieces added next
    int look;            // of the pieces added next
    int groups;          // smoothing groups so far; normals are averaged inside a group only
    int lengths, widths; // of the boards added next
    bool weave; // diagonals of turned and drawn pieces alternate, for surfaces that will be bent
} solid;

solid solid_create(void);

// A box of half extents `half` with edges cut off by `bevel`. The grain runs along x: u over the
// length, v over side (-y), top (+z) and side (+y); the bottom repeats the top. It is cut into
// s->lengths pieces along the grain and s->widths across, 0 is as 1.
enum { MAX_WIDTHS = 8 };
void solid_board(solid *s, wr_vec3 half, float bevel, area where);

// A piece of a broken board, up to a break at one end or both. teeth are offsets along x of the
// break's edge, s->widths + 1 of them across; NULL: here the board itself ends.
typedef struct board_end {
    float x;
    const float *teeth;
} board_end;
void solid_board_piece(solid *s, wr_vec3 half, float bevel, area where, board_end low,
                       board_end high);

// A profile turned about the y axis, from the bottom of the axis round the outside to its top.
typedef enum turn_map {
    TURN_SIDE, // u around, v down
    TURN_DISC, // seen along the axis
} turn_map;
typedef struct turn_point {
    float r, y;
    int zone;  // index into zones
    bool hard; // an edge, not a rounding
} turn_point;
typedef struct turn_zone {
    turn_map map;
    area where;
    float size; // TURN_SIDE: the half height, TURN_DISC: the radius that the area covers
} turn_zone;
void solid_turn(solid *s, const turn_point *profile, int count, int segments,
                const turn_zone *zones);

// A wire bent to a ring in the xy plane: two half circles of `radius` (of the wire's middle) joined
// by straight pieces along y of length `straight`, 0 for a torus. u runs `turns` times along it.
typedef struct ring {
    float radius, straight, wire;
    int segments, sides; // of a half circle, of the wire
    float turns;
} ring;
void solid_ring(solid *s, ring shape, area where);

// An outline in the xy plane, counter-clockwise seen from +z, drawn out along z through stations;
// the piece from a station to the next one has the station's area. u follows z; v follows the
// outline, from its first point or anew on every side, as far as the area reaches.
typedef struct station {
    float z;
    area where;
} station;
typedef struct extrusion {
    const wr_vec2 *outline;
    int count;
    const station *stations;
    int station_count;
    float length, height; // metres that the width and height of the area stand for
    bool around;          // v follows the whole outline
} extrusion;
enum { MAX_OUTLINE = 256 };
void solid_extrude(solid *s, const extrusion *e);

// Pieces of any other kind: vertices in the frame, quads and triangles (c == d) of them, counter-
// clockwise seen from outside. The caller closes the shell; solid_end_group makes its edge a hard
// one for what follows.
int solid_add_vertex(solid *s, wr_vec3 position);
void solid_add_face(solid *s, int a, int b, int c, int d);
void solid_end_group(solid *s);

// Moves every vertex so far.
void solid_bend(solid *s, wr_vec3 (*fn)(wr_vec3 position));

// What there is so far, for those who bend it.
int solid_triangle_count(const solid *s);
void solid_corners(const solid *s, int triangle, wr_vec3 corners[3]);
int solid_vertex_count(const solid *s);

// Another shape of all pieces: the caller moves the places, one per vertex. No pieces may follow.
wr_vec3 *solid_add_morph(solid *s, const char *name);

frame frame_at(wr_vec3 at); // axes of the world
// z points from `from` to `to` and y is as near to `up` as can be; stands at `from`.
frame frame_along(wr_vec3 from, wr_vec3 to, wr_vec3 up);

// Fills in the model's mesh and node and frees the solid.
void solid_finish(solid *s, wr_model *model);
