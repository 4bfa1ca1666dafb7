// make_models.c: draws the models of the demo scenes: make_models FOLDER writes FOLDER/*.glb.
//
// Lengths in metres, +Y up. Every model is one mesh of closed shells and carries one texture, whose
// areas are declared next to the functions that paint them. The same program writes the same bytes
// every time.
#include "solid.h"

#include "wrought/file.h"
#include "../src/base/os.h"

#include <stdio.h>
#include <stdlib.h>

static const rgb STEEL = {0.42f, 0.42f, 0.43f}, SOOT = {0.09f, 0.085f, 0.08f};
static const rgb RUST = {0.36f, 0.19f, 0.10f}, RUST_LIGHT = {0.52f, 0.30f, 0.15f};

static void stop(const char *message)
{
    fprintf(stderr, "make_models: %s\n", message);
    exit(1);
}

// One look and one texture; more looks can be filled in by the caller.
static wr_model *start_model(const char *name, int look_count, canvas *texture)
{
    wr_error error = {0};
    wr_model *model = wr_model_create(NULL, &error);
    size_t pixels = (size_t)texture->width * (size_t)texture->height;
    wr_image *image = model ? wr_model_alloc(model, 1, sizeof *image) : NULL;
    wr_look *looks = image ? wr_model_alloc(model, (size_t)look_count, sizeof *looks) : NULL;
    texture->pixels = looks ? wr_model_alloc(model, pixels, 4) : NULL;
    if (!texture->pixels) {
        stop("out of memory");
    }
    *image = (wr_image){name, texture->width, texture->height, texture->pixels};
    model->name = name;
    model->images = image;
    model->image_count = 1;
    model->looks = looks;
    model->look_count = look_count;
    return model;
}

static wr_look textured(const char *name, float roughness, float metallic)
{
    return (wr_look){name, {1.0f, 1.0f, 1.0f, 1.0f}, 0, roughness, metallic, false};
}

// Paint over steel: `bare` in [0, 1] says how far the paint is gone, first to primer and rust, then
// to blank metal where something rubs.
static rgb worn(rgb paint, float bare, float rubbed, float grain)
{
    rgb rust = mix(RUST, RUST_LIGHT, grain);
    rgb color = mix(paint, shade(paint, 0.62f), ramp(0.40f, 0.52f, bare));
    color = mix(color, rust, ramp(0.5f, 0.62f, bare));
    return mix(color, STEEL, ramp(0.45f, 0.6f, rubbed));
}

// --- crate ------------------------------------------------------------------------------------

enum { WOOD_ROWS = 8, NAILED_ROWS = 5 }; // rows of the texture; the first ones have nails

static area wood_row(int row)
{
    float margin = 0.004f;
    return (area){0.0f, (float)row / WOOD_ROWS + margin, 1.0f,
                  (float)(row + 1) / WOOD_ROWS - margin};
}

static rgb wood(float u, float v, uint32_t seed)
{
    const rgb pale = {0.74f, 0.585f, 0.40f}, brown = {0.47f, 0.315f, 0.18f};
    float z = 3.7f * (float)seed;
    float knot_u = 0.2f + 0.6f * chance(seed, 1), knot_v = 0.3f + 0.4f * chance(seed, 2);
    float du = 9.0f * (u - knot_u), dv = 2.6f * (v - knot_v), d2 = du * du + dv * dv;
    float knot = chance(seed, 3) < 0.5f ? 1.0f : 0.0f;
    float t = 5.0f * v + 2.6f * fractal(wr_v3(1.6f * u, 1.3f * v, z), 2, 3u);
    t += knot * 2.3f * expf(-2.2f * d2);
    float band = t - floorf(t);
    float late = ramp(0.25f, 0.9f, band) * (1.0f - ramp(0.93f, 1.0f, band));
    float fibre = noise(wr_v3(14.0f * u, 60.0f * v, z), 4u);
    float stain = fractal(wr_v3(3.0f * u, 1.5f * v, z), 3, 5u);
    rgb color = mix(pale, brown, 0.15f + 0.5f * late + 0.25f * (fibre - 0.5f));
    color = mix(color, shade(brown, 0.55f), 0.85f * knot * ramp(0.33f, 0.12f, sqrtf(d2)));
    float ends = fmaxf(ramp(0.05f, 0.0f, u), ramp(0.95f, 1.0f, u)); // handled, dirty
    return shade(color, 0.77f + 0.15f * chance(seed, 4) + 0.16f * stain - 0.12f * ends);
}

static rgb nailed_wood(float u, float v, uint32_t seed)
{
    rgb color = wood(u, v, seed);
    for (int i = 0; i < 4; i++) {
        float du = (u - (i & 1 ? 0.945f : 0.055f)) * 0.75f;
        float dv = (v - (i & 2 ? 0.66f : 0.34f)) * 0.14f;
        float d = sqrtf(du * du + dv * dv);
        float streak = ramp(0.05f, 0.0f, fabsf(du)) * ramp(0.006f, 0.0f, fabsf(dv));
        color = mix(color, shade(color, 0.55f), 0.6f * streak + 0.5f * ramp(0.014f, 0.005f, d));
        color = mix(color, (rgb){0.22f, 0.21f, 0.21f}, ramp(0.0065f, 0.0045f, d));
        float shine = sqrtf((du + 0.0015f) * (du + 0.0015f) + (dv + 0.0015f) * (dv + 0.0015f));
        color = mix(color, (rgb){0.52f, 0.51f, 0.5f}, ramp(0.003f, 0.001f, shine));
    }
    return color;
}

// One side of the crate: x to the right, y up, z outward; half sizes a and b of the panel.
typedef struct panel {
    frame frame;
    float a, b;
    bool brace;
} panel;

typedef struct plank {
    float x, y, depth; // middle; how far its face lies under the panel's outer plane
    wr_vec2 along;     // unit direction of the grain
    wr_vec3 half;      // along, across, thickness
    int row;
    bool turned; // end for end, so that two planks of one row differ
} plank;

static void add_plank(solid *s, const panel *p, plank k)
{
    frame f = p->frame;
    f.at = wr_scale(0.4f - k.depth - k.half.z, p->frame.z);
    f.at = wr_add_scaled(wr_add_scaled(f.at, k.x, p->frame.x), k.y, p->frame.y);
    f.x = wr_add_scaled(wr_scale(k.along.x, p->frame.x), k.along.y, p->frame.y);
    f.y = wr_cross(f.z, f.x);
    s->frame = f;
    area where = wood_row(k.row);
    if (k.turned) {
        where = (area){where.u1, where.v0, where.u0, where.v1};
    }
    solid_board(s, k.half, 0.0035f, where);
}

static void add_panel(solid *s, const panel *p, int seed)
{
    const float w = 0.045f, thick = 0.012f, gap = 0.0015f;
    const wr_vec2 right = {1.0f, 0.0f}, up = {0.0f, 1.0f};
    for (int i = 0; i < 2; i++) {
        float sign = i ? 1.0f : -1.0f;
        wr_vec3 upright = wr_v3(p->b, w, thick), rail = wr_v3(p->a - 2.0f * w - gap, w, thick);
        add_plank(s, p, (plank){sign * (p->a - w), 0, 0, up, upright, (seed + i) % 4, i == 0});
        add_plank(s, p, (plank){0, sign * (p->b - w), 0, right, rail, (seed + i + 2) % 4, i == 1});
    }
    float open_a = p->a - 2.0f * w, open_b = p->b - 2.0f * w;
    if (p->brace) {
        float length = sqrtf(open_a * open_a + open_b * open_b);
        wr_vec2 along = {open_a / length, open_b / length};
        // Its ends run into the frame, which hides them.
        wr_vec3 half = wr_v3(length + 0.01f, 0.9f * w, thick - 0.002f);
        add_plank(s, p, (plank){0, 0, 0.004f, along, half, 4});
    }
    const int count = 5;
    float wide = (open_a + 0.02f) / (float)count;
    for (int i = 0; i < count; i++) {
        float depth = 0.0175f + 0.002f * chance(77u, 16 * seed + i);
        float x = wide * (float)(2 * i + 1 - count);
        wr_vec3 half = wr_v3(open_b + 0.03f, wide - gap, 0.007f);
        add_plank(
            s, p,
            (plank){x, 0, depth, up, half, NAILED_ROWS + (seed + 2 * i) % 3, (seed + i) % 2 == 0});
    }
}

// The front and back panels cover the ends of the side panels, and all four those of lid and floor.
static wr_model *make_crate(void)
{
    canvas texture = {512, 512};
    wr_model *model = start_model("crate", 1, &texture);
    model->looks[0] = textured("wood", 0.75f, 0.0f);
    for (int row = 0; row < WOOD_ROWS; row++) {
        area where = {0.0f, (float)row / WOOD_ROWS, 1.0f, (float)(row + 1) / WOOD_ROWS};
        canvas_paint(&texture, where, row < NAILED_ROWS ? nailed_wood : wood, 20u + (uint32_t)row);
    }
    canvas_simplify(&texture, 3);
    const wr_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, o = {0, 0, 0};
    const wr_vec3 nx = {-1, 0, 0}, ny = {0, -1, 0}, nz = {0, 0, -1};
    const float full = 0.4f, inner = 0.4f - 0.0255f;
    const panel panels[6] = {
        {{o, x, y, z}, full, full, true},     {{o, nx, y, nz}, full, full, true},
        {{o, nz, y, x}, inner, full, true},   {{o, z, y, nx}, inner, full, true},
        {{o, x, nz, y}, inner, inner, false}, {{o, x, z, ny}, inner, inner, false},
    };
    solid s = solid_create();
    for (int i = 0; i < 6; i++) {
        add_panel(&s, &panels[i], i);
    }
    s.frame = frame_at(o);
    solid_board(&s, wr_v3(0.374f, 0.374f, 0.374f), 0.002f, wood_row(NAILED_ROWS));
    solid_finish(&s, model);
    return model;
}

// --- barrel -----------------------------------------------------------------------------------

static const area DRUM_SIDE = {0.0f, 0.0f, 1.0f, 0.5f};
static const area DRUM_LID = {0.0f, 0.5f, 0.3125f, 0.8125f};
static const area DRUM_FLOOR = {0.3125f, 0.5f, 0.625f, 0.8125f};
static const rgb DRUM_PAINT = {0.07f, 0.24f, 0.40f};
static const float DRUM_HALF = 0.44f, DRUM_HOOP = 0.145f;

// How near a height is to the hoops and rims, where a drum meets the world.
static float drum_edge(float y)
{
    float hoop = fabsf(fabsf(y) - DRUM_HOOP), rim = DRUM_HALF - fabsf(y);
    return fmaxf(ramp(0.035f, 0.0f, hoop), ramp(0.06f, 0.01f, rim));
}

static float diamond(float u, float v, float size)
{
    float d = fabsf(u) + fabsf(v);
    return ramp(size + 0.004f, size - 0.004f, d);
}

static rgb drum_side(float u, float v, uint32_t seed)
{
    float y = DRUM_HALF * (1.0f - 2.0f * v);
    wr_vec3 at = wrap_around(u, v, 14.0f, 7.0f);
    float patch = fractal(at, 4, seed), grain = fractal(wr_scale(3.0f, at), 2, seed + 20u);
    float run = fractal(wrap_around(u, v, 60.0f, 1.2f), 3, seed + 40u);
    float edge = drum_edge(y);
    rgb paint = shade(DRUM_PAINT, 1.08f - 0.22f * v);
    float label_x = (u - 0.5f) * 1.82f, label_y = y;
    paint = mix(paint, (rgb){0.80f, 0.78f, 0.70f}, 0.93f * diamond(label_x, label_y, 0.115f));
    paint = mix(paint, (rgb){0.62f, 0.13f, 0.09f}, 0.93f * diamond(label_x, label_y, 0.1f));
    paint = mix(paint, (rgb){0.80f, 0.78f, 0.70f}, 0.9f * diamond(label_x, label_y, 0.05f));
    float below = ramp(0.16f, 0.0f, -DRUM_HOOP - y) * (y < -DRUM_HOOP ? 1.0f : 0.0f);
    below = fmaxf(below, y > 0.0f && y < DRUM_HOOP ? ramp(0.16f, 0.0f, DRUM_HOOP - y) : 0.0f);
    float bare = 0.62f * patch + 0.24f * edge + 0.22f * below * ramp(0.45f, 0.8f, run);
    float rubbed = edge * (0.3f + 0.55f * patch) - 0.06f;
    return worn(paint, bare, rubbed, grain);
}

static rgb drum_lid(float u, float v, uint32_t seed)
{
    float x = 2.0f * u - 1.0f, z = 2.0f * v - 1.0f, r = sqrtf(x * x + z * z);
    wr_vec3 at = wr_v3(5.0f * u, 5.0f * v, (float)seed);
    float patch = fractal(at, 4, seed), grain = fractal(wr_scale(4.0f, at), 2, seed + 20u);
    rgb paint = DRUM_PAINT;
    paint = shade(paint, 1.0f - 0.25f * ramp(0.03f, 0.0f, fabsf(r - 0.78f)));
    float edge = r < 1.1f ? ramp(0.8f, 0.98f, r) : 0.0f; // the corners are not seen
    patch = r < 1.1f ? patch : 0.0f;
    return worn(paint, 0.68f * patch + 0.25f * edge, edge * (0.2f + 0.4f * patch), grain);
}

static void paint_drum(canvas *texture)
{
    canvas_paint(texture, DRUM_SIDE, drum_side, 101u);
    canvas_paint(texture, DRUM_LID, drum_lid, 131u);
    canvas_paint(texture, DRUM_FLOOR, drum_lid, 177u);
    canvas_scratch(texture, DRUM_SIDE, 70, 0.12f, (rgb){0.5f, 0.53f, 0.57f}, 0.5f, 7u);
    canvas_scratch(texture, DRUM_LID, 25, 0.15f, (rgb){0.55f, 0.57f, 0.6f}, 0.5f, 8u);
    canvas_simplify(texture, 4);
}

static void add_bung(solid *s, float x, float z, float radius, const turn_zone *zones)
{
    float r = radius;
    const turn_point profile[] = {
        {0, -0.01f, 1},         {r, -0.01f, 1, true},  {r, 0.006f, 1, true},
        {0.85f * r, 0.009f, 1}, {0.6f * r, 0.009f, 1}, {0.5f * r, 0.005f, 1, true},
        {0, 0.005f, 1},
    };
    s->frame = frame_at(wr_v3(x, 0.424f, z));
    solid_turn(s, profile, WRI_COUNT(profile), 12, zones);
}

static wr_model *make_barrel(void)
{
    canvas texture = {512, 512};
    wr_model *model = start_model("barrel", 1, &texture);
    model->looks[0] = textured("painted steel", 0.42f, 0.35f);
    paint_drum(&texture);
    enum { SIDE, LID, FLOOR };
    const turn_zone zones[] = {{TURN_SIDE, DRUM_SIDE, DRUM_HALF},
                               {TURN_DISC, DRUM_LID, 0.285f},
                               {TURN_DISC, DRUM_FLOOR, 0.285f}};
    // The lower half, from the middle of the floor up; the upper half is its mirror image.
    const turn_point half[] = {
        {0.000f, 0.426f, FLOOR},       {0.215f, 0.426f, FLOOR, true}, {0.222f, 0.422f, FLOOR, true},
        {0.262f, 0.422f, FLOOR, true}, {0.273f, 0.437f, SIDE, true},  {0.277f, 0.440f, SIDE},
        {0.285f, 0.440f, SIDE},        {0.290f, 0.435f, SIDE},        {0.290f, 0.426f, SIDE},
        {0.285f, 0.420f, SIDE},        {0.279f, 0.416f, SIDE},        {0.279f, 0.405f, SIDE},
        {0.279f, 0.172f, SIDE},        {0.283f, 0.161f, SIDE},        {0.290f, 0.149f, SIDE},
        {0.290f, 0.141f, SIDE},        {0.283f, 0.129f, SIDE},        {0.279f, 0.118f, SIDE},
    };
    const int count = WRI_COUNT(half);
    turn_point profile[2 * WRI_COUNT(half)];
    for (int i = 0; i < count; i++) {
        profile[i] = half[i];
        profile[i].y = -half[i].y;
        profile[2 * count - 1 - i] = half[i];
        // A piece has the zone of its lower end: in the mirror that is the next point's.
        int zone = i > 0 ? half[i - 1].zone : FLOOR;
        profile[2 * count - 1 - i].zone = zone == FLOOR ? LID : SIDE;
    }
    solid s = solid_create();
    solid_turn(&s, profile, 2 * count, 32, zones);
    add_bung(&s, 0.15f, 0.09f, 0.036f, zones);
    add_bung(&s, -0.16f, -0.08f, 0.018f, zones);
    solid_finish(&s, model);
    return model;
}

// --- wrecking ball and chain ------------------------------------------------------------------

static const area BALL_SKIN = {0.0f, 0.0f, 1.0f, 0.8125f}, BALL_EYE = {0.0f, 0.8125f, 1.0f, 1.0f};
static const float BALL_RADIUS = 0.6f;

static rgb iron(wr_vec3 at, uint32_t seed)
{
    float cloud = fractal(wr_scale(2.2f, at), 4, seed), pit = noise(wr_scale(24.0f, at), seed);
    rgb color = mix((rgb){0.21f, 0.21f, 0.215f}, (rgb){0.31f, 0.305f, 0.30f}, cloud);
    color = mix(color, mix(RUST, shade(RUST, 0.7f), pit), 0.55f * ramp(0.6f, 0.9f, cloud));
    return mix(color, shade(color, 0.7f), ramp(0.75f, 0.9f, pit));
}

static rgb ball_skin(float u, float v, uint32_t seed)
{
    float y = 1.0f - 2.0f * v, r = sqrtf(fmaxf(1.0f - y * y, 0.0f)), a = 2.0f * WR_PI * (1.0f - u);
    wr_vec3 at = wr_v3(r * cosf(a), y, r * sinf(a));
    rgb color = iron(wr_add(at, wr_v3(9.0f, 9.0f, 9.0f)), seed);
    float seam = fabsf(at.x + 0.004f * fractal(wr_scale(9.0f, at), 2, seed + 3u));
    color = mix(color, (rgb){0.42f, 0.41f, 0.40f}, 0.8f * ramp(0.011f, 0.007f, seam));
    color = mix(color, SOOT, 0.6f * ramp(0.02f, 0.014f, seam) * ramp(0.009f, 0.013f, seam));
    // Blows have polished the belt and the underside.
    float worn_down = ramp(0.1f, -0.9f, y) * ramp(0.35f, 0.75f, fractal(wr_scale(4.0f, at), 4, 5u));
    return mix(color, (rgb){0.47f, 0.465f, 0.46f}, 0.6f * worn_down);
}

static rgb iron_bar(float u, float v, uint32_t seed)
{
    return iron(wrap_around(u, v, 5.0f, 1.3f), seed);
}

// Shallow dents; the ball stays inside its radius.
static wr_vec3 dent(wr_vec3 p)
{
    wr_vec3 at = wr_add(wr_scale(4.5f, p), wr_v3(40.0f, 40.0f, 40.0f));
    float depth = ramp(0.45f, 0.95f, fractal(at, 2, 900u));
    return wr_scale(1.0f - 0.012f * depth * ramp(0.55f, 0.4f, p.y), p);
}

static wr_model *make_ball(void)
{
    canvas texture = {512, 256};
    wr_model *model = start_model("ball", 1, &texture);
    model->looks[0] = textured("cast iron", 0.5f, 0.75f);
    canvas_paint(&texture, BALL_SKIN, ball_skin, 300u);
    canvas_paint(&texture, BALL_EYE, iron_bar, 310u);
    canvas_scratch(&texture, BALL_SKIN, 110, 0.12f, (rgb){0.55f, 0.55f, 0.55f}, 0.45f, 9u);
    canvas_simplify(&texture, 2);
    enum { SKIN, COLLAR, ROWS = 23 };
    const turn_zone zones[] = {{TURN_SIDE, BALL_SKIN, BALL_RADIUS},
                               {TURN_SIDE, BALL_EYE, 1.4f * BALL_RADIUS}};
    turn_point profile[ROWS + 6];
    for (int i = 0; i <= ROWS; i++) {
        float a = 0.93f * WR_PI * (float)i / ROWS;
        profile[i] = (turn_point){BALL_RADIUS * sinf(a), -BALL_RADIUS * cosf(a), SKIN};
    }
    float r = profile[ROWS].r;
    profile[ROWS].hard = true;
    profile[ROWS].zone = COLLAR;
    profile[ROWS + 1] = (turn_point){r, 0.615f, COLLAR};
    profile[ROWS + 2] = (turn_point){r - 0.004f, 0.625f, COLLAR};
    profile[ROWS + 3] = (turn_point){r - 0.014f, 0.63f, COLLAR};
    profile[ROWS + 4] = (turn_point){0.07f, 0.63f, COLLAR};
    profile[ROWS + 5] = (turn_point){0.0f, 0.63f, COLLAR};
    solid s = solid_create();
    solid_turn(&s, profile, ROWS + 6, 40, zones);
    solid_bend(&s, dent);
    // The eye stands across the swing; a link's wire touches it from below at y = 0.72.
    s.frame = (frame){{0, 0.659f, 0}, {0, 0, -1}, {0, 1, 0}, {1, 0, 0}};
    solid_ring(&s, (ring){0.06f, 0.05f, 0.024f, 10, 12, 1.0f}, BALL_EYE);
    solid_finish(&s, model);
    return model;
}

static wr_model *make_link(void)
{
    canvas texture = {256, 64};
    wr_model *model = start_model("link", 1, &texture);
    model->looks[0] = textured("chain steel", 0.4f, 0.85f);
    const area whole = {0.0f, 0.0f, 1.0f, 1.0f};
    canvas_paint(&texture, whole, iron_bar, 400u);
    canvas_scratch(&texture, whole, 40, 0.08f, (rgb){0.62f, 0.62f, 0.62f}, 0.5f, 10u);
    canvas_simplify(&texture, 2);
    solid s = solid_create();
    // Outer size 0.18 x 0.36 x 0.05.
    solid_ring(&s, (ring){0.065f, 0.18f, 0.025f, 10, 12, 2.0f}, whole);
    solid_finish(&s, model);
    return model;
}

// --- gantry -----------------------------------------------------------------------------------

static const area GANTRY_PAINT = {0.0f, 0.0f, 1.0f, 0.5f};
static const area GANTRY_STRIPES = {0.0f, 0.5f, 1.0f, 0.75f};
static const area GANTRY_STEEL = {0.0f, 0.75f, 1.0f, 1.0f};
static const rgb YELLOW = {0.86f, 0.60f, 0.09f};

static rgb gantry_paint(float u, float v, uint32_t seed)
{
    wr_vec3 at = wrap_around(u, v, 16.0f, 4.0f);
    float patch = fractal(at, 5, seed), edge = fmaxf(ramp(0.06f, 0.0f, v), ramp(0.94f, 1.0f, v));
    rgb paint = shade(YELLOW, 0.86f + 0.2f * fractal(wr_scale(0.4f, at), 3, seed + 9u));
    float dirt = fractal(wrap_around(u, v, 50.0f, 1.5f), 3, seed + 19u);
    paint = mix(paint, shade(paint, 0.78f), 0.5f * ramp(0.5f, 0.9f, dirt));
    float grain = fractal(wr_scale(4.0f, at), 2, seed + 29u);
    return worn(paint, 0.4f * patch + 0.28f * edge, 0.0f, grain);
}

static rgb gantry_stripes(float u, float v, uint32_t seed)
{
    float t = 10.0f * u + 0.75f * v, band = t - floorf(t);
    wr_vec3 at = wrap_around(u, v, 16.0f, 2.0f);
    float patch = fractal(at, 5, seed);
    float black = ramp(0.0f, 0.03f, band) * ramp(0.53f, 0.5f, band);
    rgb paint = mix(YELLOW, (rgb){0.10f, 0.10f, 0.10f}, black);
    return worn(paint, 0.56f * patch, 0.0f, fractal(wr_scale(4.0f, at), 2, seed + 29u));
}

// The outline of an H beam: flanges of width w at top and bottom, a web of height h between.
static void add_beam(solid *s, wr_vec3 from, wr_vec3 to, wr_vec3 up, float w, float h, float foot)
{
    float x = 0.5f * w, y = 0.5f * h, tf = 0.09f * h, tw = 0.045f * h, i = y - tf;
    const wr_vec2 outline[] = {{-x, -y}, {x, -y}, {x, -i}, {tw, -i}, {tw, i},   {x, i},
                               {x, y},   {-x, y}, {-x, i}, {-tw, i}, {-tw, -i}, {-x, -i}};
    float length = wr_distance(from, to);
    const station stations[] = {{0.0f, GANTRY_STRIPES}, {foot, GANTRY_PAINT}, {length}};
    s->frame = frame_along(from, to, up);
    solid_extrude(
        s, &(extrusion){
               .outline = outline,
               .count = WRI_COUNT(outline),
               .stations = foot > 0.0f ? stations : (station[]){{0.0f, GANTRY_PAINT}, {length}},
               .station_count = foot > 0.0f ? 3 : 2,
               .length = 2.56f,
               .height = 0.4f,
           });
}

static void add_block(solid *s, wr_vec3 at, wr_vec3 half, float bevel, area where)
{
    s->frame = frame_at(at);
    solid_board(s, half, bevel, where);
}

// Two legs that lean together over the crossbeam's end, with struts between.
static void add_trestle(solid *s, float z)
{
    const float foot = 1.7f, top = 0.2f, height = 8.68f;
    const wr_vec3 out = {0.0f, 0.0f, 1.0f}, up = {0.0f, 1.0f, 0.0f};
    for (int i = 0; i < 2; i++) {
        float sign = i ? 1.0f : -1.0f;
        wr_vec3 low = wr_v3(sign * foot, 0.03f, z), high = wr_v3(sign * top, height, z);
        add_beam(s, low, high, wr_v3(1.0f, 0.0f, 0.0f), 0.24f, 0.26f, 1.5f);
        add_block(s, wr_v3(sign * foot, 0.03f, z), wr_v3(0.3f, 0.03f, 0.24f), 0.006f, GANTRY_STEEL);
    }
    const float levels[] = {2.4f, 4.8f, 7.0f};
    for (int i = 0; i < WRI_COUNT(levels); i++) {
        float x = foot + (top - foot) * levels[i] / height - 0.02f;
        wr_vec3 left = wr_v3(-x, levels[i], z), right = wr_v3(x, levels[i], z);
        add_beam(s, left, right, up, 0.14f, 0.16f, 0.0f);
    }
    // One diagonal in the middle field keeps the trestle from leaning.
    add_beam(s, wr_v3(-1.24f, 2.5f, z), wr_v3(0.84f, 4.72f, z), out, 0.11f, 0.09f, 0.0f);
    add_block(s, wr_v3(0.0f, 8.69f, z), wr_v3(0.36f, 0.02f, 0.17f), 0.005f, GANTRY_STEEL);
}

static void add_crossbeam(solid *s)
{
    const wr_vec3 up = {0.0f, 1.0f, 0.0f};
    // On the plates of the trestles, from z = -3 to 3 and up to y = 9.
    add_beam(s, wr_v3(0, 8.852f, -3.0f), wr_v3(0, 8.852f, 3.0f), up, 0.26f, 0.296f, 0.0f);
    const float stiffeners[] = {-2.7f, -2.5f, -1.3f, -0.2f, 0.2f, 1.3f, 2.5f, 2.7f};
    for (int i = 0; i < WRI_COUNT(stiffeners); i++) {
        wr_vec3 half = wr_v3(0.118f, 0.13f, 0.008f);
        add_block(s, wr_v3(0.0f, 8.852f, stiffeners[i]), half, 0.002f, GANTRY_PAINT);
    }
    for (int i = 0; i < 2; i++) {
        float sign = i ? 1.0f : -1.0f;
        wr_vec3 low = wr_v3(0.0f, 7.06f, sign * 2.58f), high = wr_v3(0.0f, 8.73f, sign * 1.2f);
        add_beam(s, low, high, wr_v3(1.0f, 0.0f, 0.0f), 0.11f, 0.12f, 0.0f);
    }
    // The hanger: a shoe around the lower flange and an eye along the beam. A link's wire touches
    // the eye from above at y = 8.6.
    add_block(s, wr_v3(0.0f, 8.712f, 0.0f), wr_v3(0.16f, 0.026f, 0.17f), 0.006f, GANTRY_STEEL);
    s->frame = (frame){{0, 8.636f, 0}, {0, 0, -1}, {0, 1, 0}, {1, 0, 0}};
    solid_ring(s, (ring){0.06f, 0.0f, 0.024f, 10, 12, 1.0f}, GANTRY_STEEL);
}

static wr_model *make_gantry(void)
{
    canvas texture = {512, 256};
    wr_model *model = start_model("gantry", 1, &texture);
    model->looks[0] = textured("painted steel", 0.5f, 0.1f);
    canvas_paint(&texture, GANTRY_PAINT, gantry_paint, 500u);
    canvas_paint(&texture, GANTRY_STRIPES, gantry_stripes, 520u);
    canvas_paint(&texture, GANTRY_STEEL, iron_bar, 540u);
    canvas_scratch(&texture, GANTRY_PAINT, 40, 0.08f, RUST, 0.6f, 11u);
    canvas_simplify(&texture, 2);
    solid s = solid_create();
    add_trestle(&s, -2.76f);
    add_trestle(&s, 2.76f);
    add_crossbeam(&s);
    solid_finish(&s, model);
    return model;
}

// --- shipping container -----------------------------------------------------------------------

static const area BOX_WALL = {0.0f, 0.0f, 1.0f, 0.75f}, BOX_FRAME = {0.0f, 0.75f, 1.0f, 0.875f};
static const area BOX_DOOR[2] = {{0.0f, 0.1f, 1.0f, 0.24f}, {0.0f, 0.45f, 1.0f, 0.59f}};
static const area BOX_STEEL = {0.0f, 0.875f, 1.0f, 1.0f};
static const rgb BOX_PAINT = {0.52f, 0.17f, 0.10f};
static const wr_vec3 BOX_HALF = {3.03f, 1.295f, 1.22f}; // a twenty-foot container

// u is the height on the walls: rain runs along it.
static rgb box_wall(float u, float v, uint32_t seed)
{
    wr_vec3 at = wrap_around(u, v, 6.0f, 12.0f);
    float patch = fractal(at, 5, seed), run = fractal(wrap_around(u, v, 3.0f, 90.0f), 2, seed + 7u);
    rgb paint = shade(BOX_PAINT, 0.85f + 0.25f * fractal(wr_scale(0.4f, at), 3, seed + 9u));
    paint = mix(paint, (rgb){0.40f, 0.25f, 0.2f}, 0.35f * ramp(0.5f, 0.85f, run));
    float grain = fractal(wr_scale(5.0f, at), 2, seed + 29u);
    return worn(paint, 0.58f * patch + 0.1f * ramp(0.5f, 0.9f, run), 0.0f, grain);
}

// A wall that is corrugated on the outside; x along it, -y outward, drawn out along z.
static void add_corrugated(solid *s, frame f, float width, float height, int waves, float depth)
{
    wr_vec2 outline[MAX_OUTLINE];
    int count = 0;
    float pitch = width / (float)waves;
    for (int i = 0; i < waves; i++) {
        float x = -0.5f * width + pitch * (float)i;
        outline[count++] = (wr_vec2){x, 0.0f};
        outline[count++] = (wr_vec2){x + 0.28f * pitch, 0.0f};
        outline[count++] = (wr_vec2){x + 0.5f * pitch, depth};
        outline[count++] = (wr_vec2){x + 0.78f * pitch, depth};
    }
    outline[count++] = (wr_vec2){0.5f * width, 0.0f};
    outline[count++] = (wr_vec2){0.5f * width, depth + 0.02f};
    outline[count++] = (wr_vec2){-0.5f * width, depth + 0.02f};
    s->frame = f;
    const station stations[] = {{0.0f, BOX_WALL}, {height}};
    solid_extrude(s, &(extrusion){outline, count, stations, 2, 2.5f, 1.1f * width, true});
}

static void add_box_walls(solid *s)
{
    const wr_vec3 h = BOX_HALF;
    const float base = -h.y + 0.12f, tall = 2.0f * h.y - 0.2f, in = 0.018f;
    for (int i = 0; i < 2; i++) {
        float sign = i ? 1.0f : -1.0f;
        wr_vec3 low = wr_v3(0.0f, base, sign * (h.z - in)), high = wr_add(low, wr_v3(0, 1, 0));
        frame side = frame_along(low, high, wr_v3(0.0f, 0.0f, -sign));
        add_corrugated(s, side, 2.0f * h.x - 0.2f, tall, 18, 0.036f);
    }
    wr_vec3 low = wr_v3(-h.x + in, base, 0.0f), high = wr_add(low, wr_v3(0.0f, 1.0f, 0.0f));
    add_corrugated(s, frame_along(low, high, wr_v3(1, 0, 0)), 2.0f * h.z - 0.2f, tall, 8, 0.036f);
    low = wr_v3(0.0f, h.y - 0.02f, -h.z + 0.06f);
    high = wr_add(low, wr_v3(0.0f, 0.0f, 1.0f));
    float across = 2.0f * h.z - 0.12f;
    add_corrugated(s, frame_along(low, high, wr_v3(0, -1, 0)), 2.0f * h.x - 0.2f, across, 14,
                   0.02f);
    add_block(s, wr_v3(0.0f, base + 0.03f, 0.0f), wr_v3(h.x - 0.1f, 0.05f, h.z - 0.08f), 0.01f,
              BOX_STEEL);
}

static void add_box_doors(solid *s)
{
    const wr_vec3 h = BOX_HALF;
    const turn_zone zone = {TURN_SIDE, BOX_STEEL, 1.2f};
    const float r = 0.018f, y = h.y - 0.09f;
    const turn_point bar[] = {{0, -y, 0}, {r, -y, 0, true}, {r, y, 0, true}, {0, y, 0}};
    for (int i = 0; i < 2; i++) {
        float z = (i ? 1.0f : -1.0f) * (0.5f * h.z - 0.03f);
        frame door = {{h.x - 0.05f, 0.02f, z}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
        s->frame = door;
        solid_board(s, wr_v3(h.y - 0.11f, 0.5f * h.z - 0.035f, 0.018f), 0.006f, BOX_DOOR[i]);
        for (int k = -1; k <= 1; k++) {
            s->frame = door;
            s->frame.at = wr_add(door.at, wr_v3(0.012f, 0.72f * (float)k, 0.0f));
            area where = BOX_DOOR[i];
            where.u0 = 0.4f + 0.28f * (float)k;
            where.u1 = where.u0 + 0.2f;
            solid_board(s, wr_v3(0.24f, 0.5f * h.z - 0.1f, 0.018f), 0.012f, where);
        }
        for (int k = 0; k < 2; k++) {
            float at = z + (k ? 0.27f : -0.27f);
            s->frame = frame_at(wr_v3(h.x - r - 0.002f, 0.0f, at));
            solid_turn(s, bar, WRI_COUNT(bar), 8, &zone);
            wr_vec3 lever =
                wr_v3(h.x - 0.014f, -0.3f + 0.12f * (float)k, at + (k ? -0.12f : 0.12f));
            add_block(s, lever, wr_v3(0.009f, 0.02f, 0.15f), 0.004f, BOX_STEEL);
        }
    }
}

static void add_box_frame(solid *s)
{
    const wr_vec3 h = BOX_HALF, casting = {0.089f, 0.059f, 0.081f};
    for (int i = 0; i < 8; i++) {
        wr_vec3 sign = wr_v3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
        wr_vec3 d = wr_sub(h, casting);
        add_block(s, wr_v3(sign.x * d.x, sign.y * d.y, sign.z * d.z), casting, 0.006f, BOX_STEEL);
    }
    for (int i = 0; i < 4; i++) {
        float a = i & 1 ? 1.0f : -1.0f, b = i & 2 ? 1.0f : -1.0f;
        s->frame =
            (frame){{a * (h.x - 0.064f), 0, b * (h.z - 0.059f)}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
        solid_board(s, wr_v3(h.y - 0.06f, 0.055f, 0.06f), 0.008f, BOX_FRAME);
        float thick = b > 0.0f ? 0.03f : 0.07f; // rails are stronger below
        wr_vec3 along = wr_v3(0.0f, b * (h.y - thick - 0.006f), a * (h.z - 0.04f));
        add_block(s, along, wr_v3(h.x - 0.1f, thick, 0.03f), 0.006f, BOX_FRAME);
        s->frame = (frame){{a * (h.x - 0.045f), along.y, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
        solid_board(s, wr_v3(h.z - 0.09f, 0.032f, thick - 0.002f), 0.006f, BOX_FRAME);
    }
}

static wr_model *make_container(void)
{
    canvas texture = {256, 512};
    wr_model *model = start_model("container", 1, &texture);
    model->looks[0] = textured("painted steel", 0.55f, 0.1f);
    canvas_paint(&texture, BOX_WALL, box_wall, 600u);
    canvas_paint(&texture, BOX_FRAME, box_wall, 620u);
    canvas_paint(&texture, BOX_STEEL, iron_bar, 640u);
    canvas_scratch(&texture, BOX_WALL, 40, 0.08f, RUST, 0.6f, 12u);
    canvas_simplify(&texture, 2);
    solid s = solid_create();
    add_box_walls(&s);
    add_box_doors(&s);
    add_box_frame(&s);
    solid_finish(&s, model);
    return model;
}

// ----------------------------------------------------------------------------------------------

int main(int argc, char **argv)
{
    typedef wr_model *make_fn(void);
    make_fn *const makers[] = {make_crate, make_barrel, make_ball,
                               make_link,  make_gantry, make_container};
    wr_error error = {0};
    if (argc != 2) {
        fputs("usage: make_models FOLDER\n", stderr);
        return 2;
    }
    if (!wri_folder_create(argv[1], &error)) {
        stop(error.message);
    }
    for (int i = 0; i < WRI_COUNT(makers); i++) {
        wr_model *model = makers[i]();
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.glb", argv[1], model->name);
        if (!wr_model_write_glb(model, path, &error)) {
            stop(error.message);
        }
        printf("%s: %d triangles, %d vertices\n", path, model->meshes[0].triangle_count,
               model->meshes[0].vertex_count);
        wr_model_destroy(model);
    }
    return 0;
}
