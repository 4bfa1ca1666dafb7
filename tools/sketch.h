// sketch.h: flat drawings with a line around everything, for the sprites of the demo scenes.
//
//     sketch s = sketch_create(0.6f, 0.6f, 0.002f);
//     shape ball = ellipse((wr_vec2){0.3f, 0.3f}, 0.25f, 0.25f);
//     cut_out(&s, &ball, CORAL);
//     sketch_write(&s, "ball.png");
//     sketch_destroy(&s);
//
// Metres, y up, the origin is the lower left corner: a recipe with the same pixel size has its
// handles where the drawing has its joints. Every shape knows its distance from any point; edges
// are as sharp as a pixel allows. Running out of memory or room ends the program: this is a build
// tool.
#pragma once

#include "draw.h"

// The palette.
static const rgb INK = {0.165f, 0.137f, 0.220f};
static const rgb CREAM = {1.0f, 0.945f, 0.839f};
static const rgb CORAL = {0.918f, 0.376f, 0.294f};
static const rgb HONEY = {0.965f, 0.733f, 0.275f};
static const rgb TEAL = {0.212f, 0.592f, 0.612f};

rgb shaded(rgb color); // with a quarter of ink: the one shade of each

#define LINE 0.028f // metres: the width of every line

typedef struct sketch {
    int width, height;
    float pixel; // metres
    float *rgba; // straight alpha, rows from the top
} sketch;

// Everything that is nearer to a rod's axis than its radius there, and a polygon made larger.
typedef struct rod {
    wr_vec2 from, to;
    float from_radius, to_radius;
} rod;

enum { MOST_RODS = 400, MOST_CORNERS = 400 };

typedef struct shape {
    rod rods[MOST_RODS];
    int rod_count;
    wr_vec2 corners[MOST_CORNERS];
    int corner_count;
    float grow; // metres, of the polygon
} shape;

// --- shapes -----------------------------------------------------------------------------------

shape ellipse(wr_vec2 middle, float rx, float ry);
// Straight edges; corners are rounded with this radius, the shape stays within them.
shape block(wr_vec2 middle, float half_width, float half_height, float round);
// Corners against the clock; grown by `grow`, with round corners.
shape polygon(const wr_vec2 *corners, int count, float grow);
// A smooth closed outline through the points.
shape blob(const wr_vec2 *points, int count);
// A smooth way through the points; its radius goes from one end to the other.
shape limb(const wr_vec2 *points, int count, float from_radius, float to_radius);
// A thin line, as INK draws it.
shape stroke(const wr_vec2 *points, int count);

void shape_add(shape *s, const shape *other); // at most one of them has a polygon
shape shape_turned(const shape *s, wr_vec2 about, float degrees);
// A place in a frame that is turned about `about`.
wr_vec2 turned(wr_vec2 p, wr_vec2 about, float degrees);

// Metres, negative inside.
float shape_distance(const shape *s, wr_vec2 p);

// --- drawing ----------------------------------------------------------------------------------

sketch sketch_create(float width, float height, float pixel);
void sketch_destroy(sketch *s);

// Fills; within: only inside of that shape and its line, NULL: everywhere.
void fill(sketch *s, const shape *what, const shape *within, rgb color);
// Fills, shades the side away from the light, draws the line.
void cut_out(sketch *s, const shape *what, rgb color);
// The three steps of it, for what is drawn between them.
void shadow(sketch *s, const shape *what, rgb color);
void outline(sketch *s, const shape *what);
// A line of INK along the points, within a shape (NULL: everywhere).
void draw_line(sketch *s, const wr_vec2 *points, int count, const shape *within);

// Cut down to what is drawn and `margin` pixels around it; at: its upper left corner on the canvas.
void sketch_write(const sketch *s, const char *path, int margin, int at[2], int size[2]);
