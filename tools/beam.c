// beam.c: a rolled I-beam of four metres, and how it fails.
#include "models.h"
#include "press.h"

static const area MILL = {0.0f, 0.0f, 1.0f, 1.0f};
// Half sizes of the section, thickness of flange and web: about an IPE 300, thicker to be seen.
static const float BEAM_X = 0.08f, BEAM_Y = 0.15f, FLANGE = 0.015f, WEB = 0.006f, BEAM_Z = 2.0f;

enum { STATIONS = 61, CUTS = 5, WEB_CUTS = 9 };

// Red primer, scuffed in places.
static rgb primer(float u, float v, uint32_t seed)
{
    const rgb oxide = {0.43f, 0.16f, 0.115f};
    wr_vec3 at = wr_v3(24.0f * u, 7.0f * v, 3.0f);
    float patch = fractal(at, 5, seed), grain = fractal(wr_scale(4.0f, at), 2, seed + 29u);
    float run = fractal(wr_v3(90.0f * u, 6.0f * v, 7.0f), 2, seed + 7u);
    float edge = ramp(0.62f, 0.75f, fractal(wr_scale(0.7f, at), 2, seed + 41u));
    rgb paint = shade(oxide, 0.82f + 0.3f * fractal(wr_scale(0.5f, at), 3, seed + 9u));
    paint = mix(paint, shade(paint, 0.7f), 0.3f * ramp(0.55f, 0.9f, run));
    return worn(paint, 0.58f * patch + 0.14f * edge, edge * (0.1f + 0.5f * patch), grain);
}

// --- failures ---------------------------------------------------------------------------------

// Middle planes of flanges and web, which share the points where they meet.
static sheet *beam_sheet(void)
{
    wr_vec3 points[STATIONS * WEB_CUTS];
    const float y = BEAM_Y - 0.5f * FLANGE;
    sheet *s = sheet_create();
    for (int part = -1; part <= 1; part++) {
        int cuts = part == 0 ? WEB_CUTS : CUTS;
        for (int j = 0; j < STATIONS; j++) {
            for (int i = 0; i < cuts; i++) {
                float w = 2.0f * (float)i / (float)(cuts - 1) - 1.0f;
                float z = BEAM_Z * (2.0f * (float)j / (STATIONS - 1) - 1.0f);
                points[j * cuts + i] =
                    part == 0 ? wr_v3(0.0f, y * w, z) : wr_v3(BEAM_X * w, y * (float)part, z);
            }
        }
        sheet_add_grid(s, points, cuts, STATIONS);
    }
    return s;
}

static bool at_end(wr_vec3 rest)
{
    return fabsf(rest.z) > BEAM_Z - 0.1f;
}

// An end turned by an angle about an axis through a point.
static wr_vec3 turned(wr_vec3 p, wr_vec3 about, wr_vec3 axis, float angle)
{
    return wr_add(about, wr_rotate(wr_quat_from_axis_angle(axis, angle), wr_sub(p, about)));
}

// Sagged over its strong axis: both ends come up about the middle of the span.
static bool hold_bow(wr_vec3 rest, float t, wr_vec3 *at)
{
    float sign = rest.z > 0.0f ? 1.0f : -1.0f, a = -0.42f * t;
    // Between the ends the beam finds its own hinge.
    *at = turned(rest, wr_v3(0.0f, 0.0f, 0.15f * sign), wr_v3(sign, 0.0f, 0.0f), a);
    at->x += 0.02f * t;
    return at_end(rest);
}

// A load on the top flange between supports: the web cripples under it.
static bool hold_supports(wr_vec3 rest, float t, wr_vec3 *at)
{
    float sign = rest.z > 0.0f ? 1.0f : -1.0f;
    *at = turned(rest, wr_v3(0.0f, -BEAM_Y, sign * BEAM_Z), wr_v3(sign, 0.0f, 0.0f), -0.05f * t);
    at->z -= sign * 0.03f * t;
    return at_end(rest);
}

static wr_vec3 push_load(wr_vec3 p, wr_vec3 rest, float t)
{
    (void)rest;
    const blade load = {
        {0.0f, BEAM_Y, 0.18f}, {0.0f, -1.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, 0.2f, 0.07f};
    const blade nudge = {
        {-0.02f, 0.03f, 0.18f}, {1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 0.1f, 0.03f};
    if (fabsf(p.y) < 0.1f && t < 0.4f) {
        p = blade_push(&nudge, 0.08f * t, p);
    }
    return blade_push(&load, 0.17f * t, p);
}

static bool hold_twist(wr_vec3 rest, float t, wr_vec3 *at)
{
    float sign = rest.z > 0.0f ? 1.0f : -1.0f;
    *at = turned(rest, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(0.0f, 0.0f, 1.0f), sign * 0.85f * t);
    at->z -= sign * 0.006f * t * t;
    return at_end(rest);
}

static void add_failures(solid *s)
{
    press blow = {.steps = 300,
                  .release = 30,
                  .rounds = 30,
                  .bend = 0.25f,
                  .yield = 0.03f,
                  .soften = 0.6f,
                  .inertia = 0.8f,
                  .gap = 0.012f,
                  .flaw = 0.002f};
    const struct {
        const char *name;
        wr_vec3 (*push)(wr_vec3 p, wr_vec3 rest, float t);
        bool (*hold)(wr_vec3 rest, float t, wr_vec3 *at);
    } failures[] = {{"bent", NULL, hold_bow},
                    {"buckled", push_load, hold_supports},
                    {"twisted", NULL, hold_twist}};
    sheet *middle = beam_sheet();
    for (int i = 0; i < WRI_COUNT(failures); i++) {
        blow.push = failures[i].push;
        blow.hold = failures[i].hold;
        blow.seed = 800u + 10u * (uint32_t)i;
        sheet_press(middle, &blow);
        wr_vec3 *at = solid_add_morph(s, failures[i].name);
        sheet_carry(middle, at, solid_vertex_count(s), at);
    }
    sheet_destroy(middle);
}

wr_model *make_beam(void)
{
    canvas texture = {512, 256};
    wr_model *model = start_model("beam", 1, &texture);
    model->looks[0] = textured("primed steel", 0.55f, 0.15f);
    canvas_paint(&texture, MILL, primer, 900u);
    canvas_scratch(&texture, MILL, 40, 0.03f, (rgb){0.5f, 0.5f, 0.5f}, 0.5f, 14u);
    canvas_simplify(&texture, 3);
    const float x = BEAM_X, y = BEAM_Y, i = BEAM_Y - FLANGE, w = WEB, f = 0.012f, h = 0.5f * x;
    // With fillets between web and flanges.
    const wr_vec2 outline[] = {
        {-x, -y},    {-h, -y},     {0, -y},     {h, -y},     {x, -y},     {x, -i},    {h, -i},
        {w + f, -i}, {w, f - i},   {w, -0.07f}, {w, 0},      {w, 0.07f},  {w, i - f}, {w + f, i},
        {h, i},      {x, i},       {x, y},      {h, y},      {0, y},      {-h, y},    {-x, y},
        {-x, i},     {-h, i},      {-w - f, i}, {-w, i - f}, {-w, 0.07f}, {-w, 0},    {-w, -0.07f},
        {-w, f - i}, {-w - f, -i}, {-h, -i},    {-x, -i},
    };
    station stations[STATIONS];
    for (int k = 0; k < STATIONS; k++) {
        stations[k] = (station){2.0f * BEAM_Z * (float)k / (STATIONS - 1), MILL};
    }
    solid s = solid_create();
    s.weave = true;
    s.frame = frame_at(wr_v3(0.0f, 0.0f, -BEAM_Z));
    solid_extrude(&s, &(extrusion){.outline = outline,
                                   .count = WRI_COUNT(outline),
                                   .stations = stations,
                                   .station_count = STATIONS,
                                   .length = 2.0f * BEAM_Z,
                                   .height = 1.28f,
                                   .around = true});
    add_failures(&s);
    solid_finish(&s, model);
    return model;
}
