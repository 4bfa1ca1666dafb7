// sketch.c: shapes by signed distance, painted one over the other with straight alpha.
#include "sketch.h"

#include "../src/base/os.h"
#include "../src/file/png.h"

#include <stdio.h>
#include <stdlib.h>

static const wr_vec2 AWAY = {-0.022f, 0.030f}; // how far the lit part is moved, metres
enum { SPLINE_STEPS = 8, ELLIPSE_CORNERS = 96 };

static void stop(const char *message)
{
    fprintf(stderr, "make_drawings: %s\n", message);
    exit(1);
}

rgb shaded(rgb color)
{
    return mix(color, INK, 0.25f);
}

// --- shapes -----------------------------------------------------------------------------------

static wr_vec2 sub(wr_vec2 a, wr_vec2 b)
{
    return (wr_vec2){a.x - b.x, a.y - b.y};
}

static void add_corner(shape *s, wr_vec2 p)
{
    if (s->corner_count == MOST_CORNERS) {
        stop("a shape has too many corners");
    }
    s->corners[s->corner_count++] = p;
}

static void add_rod(shape *s, rod r)
{
    if (s->rod_count == MOST_RODS) {
        stop("a shape has too many rods");
    }
    s->rods[s->rod_count++] = r;
}

shape ellipse(wr_vec2 middle, float rx, float ry)
{
    shape s = {0};
    for (int i = 0; i < ELLIPSE_CORNERS; i++) {
        float a = 2.0f * WR_PI * (float)i / ELLIPSE_CORNERS;
        add_corner(&s, (wr_vec2){middle.x + rx * cosf(a), middle.y + ry * sinf(a)});
    }
    return s;
}

shape block(wr_vec2 middle, float half_width, float half_height, float round)
{
    float x = half_width - round, y = half_height - round;
    const wr_vec2 corners[] = {{middle.x - x, middle.y - y},
                               {middle.x + x, middle.y - y},
                               {middle.x + x, middle.y + y},
                               {middle.x - x, middle.y + y}};
    return polygon(corners, 4, round);
}

shape polygon(const wr_vec2 *corners, int count, float grow)
{
    shape s = {.grow = grow};
    for (int i = 0; i < count; i++) {
        add_corner(&s, corners[i]);
    }
    return s;
}

// Catmull-Rom between b and c.
static wr_vec2 spline(wr_vec2 a, wr_vec2 b, wr_vec2 c, wr_vec2 d, float t)
{
    float wa = t * (t * (2.0f - t) - 1.0f), wb = t * t * (3.0f * t - 5.0f) + 2.0f;
    float wc = t * (t * (4.0f - 3.0f * t) + 1.0f), wd = t * t * (t - 1.0f);
    return (wr_vec2){0.5f * (wa * a.x + wb * b.x + wc * c.x + wd * d.x),
                     0.5f * (wa * a.y + wb * b.y + wc * c.y + wd * d.y)};
}

shape blob(const wr_vec2 *points, int count)
{
    shape s = {0};
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < SPLINE_STEPS; k++) {
            add_corner(&s,
                       spline(points[(i + count - 1) % count], points[i], points[(i + 1) % count],
                              points[(i + 2) % count], (float)k / SPLINE_STEPS));
        }
    }
    return s;
}

shape limb(const wr_vec2 *points, int count, float from_radius, float to_radius)
{
    shape s = {0};
    int steps = SPLINE_STEPS * (count - 1);
    wr_vec2 last = points[0];
    for (int i = 1; i <= steps; i++) {
        int k = (i - 1) / SPLINE_STEPS;
        wr_vec2 at = spline(points[k > 0 ? k - 1 : 0], points[k], points[k + 1],
                            points[k + 2 < count ? k + 2 : count - 1],
                            (float)(i - k * SPLINE_STEPS) / SPLINE_STEPS);
        float from = (float)(i - 1) / (float)steps, to = (float)i / (float)steps;
        add_rod(&s, (rod){last, at, from_radius + from * (to_radius - from_radius),
                          from_radius + to * (to_radius - from_radius)});
        last = at;
    }
    return s;
}

shape stroke(const wr_vec2 *points, int count)
{
    return limb(points, count, 0.5f * LINE, 0.5f * LINE);
}

void shape_add(shape *s, const shape *other)
{
    for (int i = 0; i < other->rod_count; i++) {
        add_rod(s, other->rods[i]);
    }
    if (s->corner_count > 0 && other->corner_count > 0) {
        stop("only one shape of a union may have a polygon");
    }
    if (other->corner_count > 0) {
        s->grow = other->grow;
    }
    for (int i = 0; i < other->corner_count; i++) {
        add_corner(s, other->corners[i]);
    }
}

wr_vec2 turned(wr_vec2 p, wr_vec2 about, float degrees)
{
    float a = degrees * WR_PI / 180.0f, c = cosf(a), s = sinf(a);
    wr_vec2 d = sub(p, about);
    return (wr_vec2){about.x + c * d.x - s * d.y, about.y + s * d.x + c * d.y};
}

shape shape_turned(const shape *s, wr_vec2 about, float degrees)
{
    shape out = *s;
    for (int i = 0; i < s->rod_count; i++) {
        out.rods[i].from = turned(s->rods[i].from, about, degrees);
        out.rods[i].to = turned(s->rods[i].to, about, degrees);
    }
    for (int i = 0; i < s->corner_count; i++) {
        out.corners[i] = turned(s->corners[i], about, degrees);
    }
    return out;
}

// Where on the way from a to b it is nearest, [0, 1].
static float nearest(wr_vec2 p, wr_vec2 a, wr_vec2 b, float *distance)
{
    wr_vec2 d = sub(b, a), e = sub(p, a);
    float l2 = d.x * d.x + d.y * d.y;
    float t = l2 > 0.0f ? wr_clampf((e.x * d.x + e.y * d.y) / l2, 0.0f, 1.0f) : 0.0f;
    *distance = sqrtf((e.x - t * d.x) * (e.x - t * d.x) + (e.y - t * d.y) * (e.y - t * d.y));
    return t;
}

static float polygon_distance(const shape *s, wr_vec2 p)
{
    float least = INFINITY;
    bool inside = false;
    for (int i = 0; i < s->corner_count; i++) {
        wr_vec2 a = s->corners[i], b = s->corners[(i + 1) % s->corner_count];
        float distance;
        nearest(p, a, b, &distance);
        least = fminf(least, distance);
        if ((a.y > p.y) != (b.y > p.y)) {
            inside ^= p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x);
        }
    }
    return (inside ? -least : least) - s->grow;
}

float shape_distance(const shape *s, wr_vec2 p)
{
    float least = s->corner_count > 0 ? polygon_distance(s, p) : INFINITY;
    for (int i = 0; i < s->rod_count; i++) {
        const rod *r = &s->rods[i];
        float distance, t = nearest(p, r->from, r->to, &distance);
        least = fminf(least, distance - r->from_radius - t * (r->to_radius - r->from_radius));
    }
    return least;
}

// --- painting ---------------------------------------------------------------------------------

sketch sketch_create(float width, float height, float pixel)
{
    sketch s = {(int)(width / pixel + 0.5f), (int)(height / pixel + 0.5f), pixel, NULL};
    s.rgba = calloc((size_t)s.width * (size_t)s.height, 4 * sizeof *s.rgba);
    if (!s.rgba) {
        stop("out of memory");
    }
    return s;
}

void sketch_destroy(sketch *s)
{
    free(s->rgba);
    *s = (sketch){0};
}

static wr_vec2 place(const sketch *s, int x, int y)
{
    return (wr_vec2){((float)x + 0.5f) * s->pixel, ((float)(s->height - y) - 0.5f) * s->pixel};
}

// Over what is there; cover is how much of the pixel, [0, 1].
static void lay(sketch *s, int x, int y, float cover, rgb color)
{
    float *p = s->rgba + 4 * ((size_t)y * (size_t)s->width + (size_t)x);
    float below = p[3] * (1.0f - cover), alpha = cover + below;
    if (cover <= 0.0f) {
        return;
    }
    p[0] = (color.r * cover + p[0] * below) / alpha;
    p[1] = (color.g * cover + p[1] * below) / alpha;
    p[2] = (color.b * cover + p[2] * below) / alpha;
    p[3] = alpha;
}

static float cover(const sketch *s, float distance)
{
    return wr_clampf(0.5f - distance / s->pixel, 0.0f, 1.0f);
}

// Pixels that a shape may touch, [x0, x1) x [y0, y1).
typedef struct pixels {
    int x0, y0, x1, y1;
} pixels;

static pixels pixels_of(const sketch *s, const shape *what)
{
    wr_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int i = 0; i < 2 * what->rod_count + what->corner_count; i++) {
        const rod *r = &what->rods[i / 2];
        bool corner = i >= 2 * what->rod_count;
        wr_vec2 p = corner ? what->corners[i - 2 * what->rod_count] : i % 2 ? r->to : r->from;
        float reach = corner ? what->grow : i % 2 ? r->to_radius : r->from_radius;
        low = (wr_vec2){fminf(low.x, p.x - reach), fminf(low.y, p.y - reach)};
        high = (wr_vec2){fmaxf(high.x, p.x + reach), fmaxf(high.y, p.y + reach)};
    }
    float w = (float)s->width, h = (float)s->height;
    return (pixels){(int)wr_clampf(low.x / s->pixel - 1.0f, 0.0f, w),
                    (int)wr_clampf(h - high.y / s->pixel - 1.0f, 0.0f, h),
                    (int)wr_clampf(high.x / s->pixel + 2.0f, 0.0f, w),
                    (int)wr_clampf(h - low.y / s->pixel + 2.0f, 0.0f, h)};
}

void fill(sketch *s, const shape *what, const shape *within, rgb color)
{
    pixels r = pixels_of(s, what);
    for (int y = r.y0; y < r.y1; y++) {
        for (int x = r.x0; x < r.x1; x++) {
            wr_vec2 p = place(s, x, y);
            float d = shape_distance(what, p);
            if (within && d < s->pixel) {
                d = fmaxf(d, shape_distance(within, p) + 0.5f * LINE);
            }
            lay(s, x, y, cover(s, d), color);
        }
    }
}

void shadow(sketch *s, const shape *what, rgb color)
{
    pixels r = pixels_of(s, what);
    for (int y = r.y0; y < r.y1; y++) {
        for (int x = r.x0; x < r.x1; x++) {
            wr_vec2 p = place(s, x, y);
            float d = shape_distance(what, p) + 0.5f * LINE;
            if (d < s->pixel) {
                float lit = shape_distance(what, sub(p, AWAY)) + LINE;
                lay(s, x, y, cover(s, fmaxf(d, -lit)), shaded(color));
            }
        }
    }
}

void outline(sketch *s, const shape *what)
{
    pixels r = pixels_of(s, what);
    for (int y = r.y0; y < r.y1; y++) {
        for (int x = r.x0; x < r.x1; x++) {
            float d = shape_distance(what, place(s, x, y));
            lay(s, x, y, cover(s, fmaxf(d, -d - LINE)), INK);
        }
    }
}

void cut_out(sketch *s, const shape *what, rgb color)
{
    fill(s, what, what, color); // under the middle of the line, so that none shows outside of it
    shadow(s, what, color);
    outline(s, what);
}

void draw_line(sketch *s, const wr_vec2 *points, int count, const shape *within)
{
    shape line = stroke(points, count);
    fill(s, &line, within, INK);
}

// --- files ------------------------------------------------------------------------------------

static uint8_t to_byte(float x)
{
    return (uint8_t)(wr_clampf(x, 0.0f, 1.0f) * 255.0f + 0.5f);
}

static void find_bounds(const sketch *s, int margin, int low[2], int high[2])
{
    low[0] = s->width, low[1] = s->height, high[0] = high[1] = 0;
    for (int y = 0; y < s->height; y++) {
        for (int x = 0; x < s->width; x++) {
            if (to_byte(s->rgba[4 * ((size_t)y * (size_t)s->width + (size_t)x) + 3]) > 0) {
                low[0] = x < low[0] ? x : low[0];
                low[1] = y < low[1] ? y : low[1];
                high[0] = x + 1 > high[0] ? x + 1 : high[0];
                high[1] = y + 1 > high[1] ? y + 1 : high[1];
            }
        }
    }
    const int most[2] = {s->width, s->height};
    for (int k = 0; k < 2; k++) {
        low[k] = low[k] > margin ? low[k] - margin : 0;
        high[k] = high[k] + margin < most[k] ? high[k] + margin : most[k];
    }
}

void sketch_write(const sketch *s, const char *path, int margin, int at[2], int size[2])
{
    int high[2];
    find_bounds(s, margin, at, high);
    size[0] = high[0] - at[0];
    size[1] = high[1] - at[1];
    if (size[0] <= 0 || size[1] <= 0) {
        stop("nothing is drawn");
    }
    uint8_t *colors = malloc((size_t)size[0] * (size_t)size[1] * 4), *out = colors;
    wr_error error = {0};
    if (!colors) {
        stop("out of memory");
    }
    for (int y = at[1]; y < high[1]; y++) {
        for (int x = at[0]; x < high[0]; x++, out += 4) {
            const float *p = s->rgba + 4 * ((size_t)y * (size_t)s->width + (size_t)x);
            // What does not show has the colour of the line, for filters that look at it anyway.
            bool shows = to_byte(p[3]) > 0;
            out[0] = to_byte(shows ? p[0] : INK.r);
            out[1] = to_byte(shows ? p[1] : INK.g);
            out[2] = to_byte(shows ? p[2] : INK.b);
            out[3] = to_byte(p[3]);
        }
    }
    wri_arena arena = wri_arena_create(NULL);
    const uint8_t *bytes;
    size_t length;
    const wri_png_picture picture = {colors, size[0], size[1], 4};
    if (!wri_png_encode(&arena, &picture, &bytes, &length, &error) ||
        !wri_file_write(path, bytes, length, &error)) {
        stop(error.message);
    }
    wri_arena_destroy(&arena);
    free(colors);
}
