// make_models.c: draws the models of the demo scenes: make_models FOLDER writes FOLDER/*.glb.
//
// Lengths in metres, +Y up. Every model is one mesh of closed shells and carries one texture, whose
// areas are declared next to the functions that paint them; those to be rigged have examples of how
// they fail as morphs. The same program writes the same bytes every time.
#include "models.h"

#include "wrought/file.h"
#include "../src/base/os.h"

#include <stdio.h>
#include <stdlib.h>

static const rgb SOOT = {0.09f, 0.085f, 0.08f};

// --- wrecking ball and chain ------------------------------------------------------------------

static const area BALL_SKIN = {0.0f, 0.0f, 1.0f, 0.8125f}, BALL_EYE = {0.0f, 0.8125f, 1.0f, 1.0f};
static const float BALL_RADIUS = 0.6f;

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

// ----------------------------------------------------------------------------------------------

int main(int argc, char **argv)
{
    typedef wr_model *make_fn(void);
    make_fn *const makers[] = {make_crate,  make_barrel,    make_ball, make_link,
                               make_gantry, make_container, make_beam, make_bar};
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
