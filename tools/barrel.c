// barrel.c: a steel drum, and its dents.
#include "models.h"
#include "press.h"

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

// --- dents ------------------------------------------------------------------------------------

static float radius_of(wr_vec3 p)
{
    return sqrtf(p.x * p.x + p.z * p.z);
}

// Rolled rims and hoops are stiffer than the wall between them.
static float drum_stiffness(wr_vec3 rest)
{
    return 1.0f + 3.0f * drum_edge(rest.y);
}

static bool hold_floor(wr_vec3 rest, float t, wr_vec3 *at)
{
    (void)t;
    *at = rest;
    return rest.y < -0.41f;
}

// Against a wall behind the drum; and a lid that stays up, so that a dent in the side does not look
// like a load from above.
static wr_vec3 push_surroundings(wr_vec3 p, wr_vec3 rest, wr_vec3 way)
{
    float past = wr_dot(p, way) - 0.29f;
    p = past > 0.0f ? wr_add_scaled(p, -past, way) : p;
    p.y = rest.y > 0.405f ? fmaxf(p.y, rest.y) : p.y;
    return p;
}

// A fork of a truck against the belly.
static wr_vec3 push_fork(wr_vec3 p, wr_vec3 rest, float t)
{
    const wr_vec3 way = {-0.375f, 0.0f, -0.927f};
    const blade fork = {wr_add(wr_scale(-0.295f, way), wr_v3(0.0f, 0.013f, 0.0f)), way,
                        wr_v3(0.927f, 0.0f, -0.375f), 0.085f, 0.026f};
    return blade_push(&fork, 0.235f * t, push_surroundings(p, rest, way));
}

// A bar across the side, from `out` at a height.
static wr_vec3 push_bar(wr_vec3 p, wr_vec3 rest, wr_vec3 out, float height, float depth)
{
    const wr_vec3 way = wr_scale(-1.0f, out);
    const blade bar = {wr_add(wr_scale(0.3f, out), wr_v3(0.0f, height, 0.0f)), way,
                       wr_v3(out.z, 0.0f, -out.x), 0.2f, 0.05f};
    return blade_push(&bar, depth, push_surroundings(p, rest, way));
}

static wr_vec3 push_upper_bar(wr_vec3 p, wr_vec3 rest, float t)
{
    return push_bar(p, rest, wr_v3(-0.99f, 0.0f, -0.139f), 0.2f, 0.19f * t);
}

static wr_vec3 push_lower_bar(wr_vec3 p, wr_vec3 rest, float t)
{
    return push_bar(p, rest, wr_v3(0.616f, 0.0f, -0.788f), -0.17f, 0.2f * t);
}

// Loaded from above until it folds: the lid comes down, a little aslant and turning.
static bool hold_ends(wr_vec3 rest, float t, wr_vec3 *at)
{
    *at = rest;
    if (rest.y > 0.405f) {
        float a = 0.14f * t, lean = 0.035f * t;
        at->x = cosf(a) * rest.x - sinf(a) * rest.z;
        at->z = sinf(a) * rest.x + cosf(a) * rest.z;
        at->y = rest.y - 0.225f * t + lean * rest.x;
    }
    return fabsf(rest.y) > 0.405f && radius_of(rest) > 0.2f;
}

// The first folds are pressed in by hand: a row of them between hoops, the next row half a fold on.
static wr_vec3 push_folds(wr_vec3 p, wr_vec3 rest, float t)
{
    float tier = rest.y / (2.0f * DRUM_HOOP), inside = tier - floorf(tier + 0.5f);
    float angle = atan2f(rest.z, rest.x), shift = 0.5f * floorf(tier + 0.5f);
    float fold = cosf(6.0f * angle + 2.0f * WR_PI * shift + 1.1f) * cosf(WR_PI * inside);
    if (t < 0.8f && radius_of(rest) > 0.286f && fabsf(rest.y) < 0.2f) { // hoops share the way
        p.y += 0.2f * (rest.y - 0.225f * t * (rest.y > 0.0f ? 0.6f : 0.24f) - p.y);
    }
    float r = radius_of(p), most = radius_of(rest) - 0.035f * fminf(5.0f * t, 1.0f) * fold;
    if (t > 0.3f || fold < 0.35f || fabsf(rest.y) > 0.4f || r <= most) {
        return p;
    }
    return wr_v3(p.x * most / r, p.y, p.z * most / r);
}

// Dropped on an edge: the rim is folded in.
static wr_vec3 push_kerb(wr_vec3 p, wr_vec3 rest, float t)
{
    (void)rest;
    const wr_vec3 out = {0.616f, 0.0f, 0.788f};
    const wr_vec3 way = wr_normalize(wr_add(wr_scale(-0.8f, out), wr_v3(0.0f, -0.6f, 0.0f)));
    const blade kerb = {wr_add(wr_scale(0.29f, out), wr_v3(0.0f, 0.44f, 0.0f)), way,
                        wr_v3(0.788f, 0.0f, -0.616f), 0.35f, 0.03f};
    return blade_push(&kerb, 0.175f * t, p);
}

static void add_dents(solid *s, sheet *skin)
{
    press blow = {.steps = 240,
                  .release = 40,
                  .rounds = 24,
                  .bend = 0.16f,
                  .yield = 0.03f,
                  .soften = 0.4f,
                  .inertia = 0.7f,
                  .gap = 0.012f,
                  .flaw = 0.0015f,
                  .stiff = drum_stiffness};
    const struct {
        const char *name;
        wr_vec3 (*push)(wr_vec3 p, wr_vec3 rest, float t);
        bool (*hold)(wr_vec3 rest, float t, wr_vec3 *at);
        float stretch;
    } dents[] = {{"caved", push_fork, hold_floor, 0.05f},
                 {"crushed", push_folds, hold_ends, 0.0f},
                 {"lid", push_kerb, hold_floor, 0.0f},
                 {"struck", push_upper_bar, hold_floor, 0.05f},
                 {"kicked", push_lower_bar, hold_floor, 0.05f}};
    for (int i = 0; i < WRI_COUNT(dents); i++) {
        blow.push = dents[i].push;
        blow.hold = dents[i].hold;
        blow.stretch = dents[i].stretch;
        blow.seed = 700u + 10u * (uint32_t)i;
        sheet_press(skin, &blow);
        wr_vec3 *at = solid_add_morph(s, dents[i].name);
        sheet_carry(skin, at, solid_vertex_count(s), at);
    }
}

wr_model *make_barrel(void)
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
        {0.000f, 0.426f, FLOOR},       {0.060f, 0.426f, FLOOR},       {0.115f, 0.426f, FLOOR},
        {0.168f, 0.426f, FLOOR},       {0.215f, 0.426f, FLOOR, true}, {0.222f, 0.422f, FLOOR, true},
        {0.262f, 0.422f, FLOOR, true}, {0.273f, 0.437f, SIDE, true},  {0.277f, 0.440f, SIDE},
        {0.285f, 0.440f, SIDE},        {0.290f, 0.435f, SIDE},        {0.290f, 0.426f, SIDE},
        {0.285f, 0.420f, SIDE},        {0.279f, 0.416f, SIDE},        {0.279f, 0.405f, SIDE},
        {0.279f, 0.378f, SIDE},        {0.279f, 0.349f, SIDE},        {0.279f, 0.320f, SIDE},
        {0.279f, 0.290f, SIDE},        {0.279f, 0.260f, SIDE},        {0.279f, 0.230f, SIDE},
        {0.279f, 0.200f, SIDE},        {0.279f, 0.172f, SIDE},        {0.283f, 0.161f, SIDE},
        {0.290f, 0.149f, SIDE},        {0.290f, 0.141f, SIDE},        {0.283f, 0.129f, SIDE},
        {0.279f, 0.118f, SIDE},        {0.279f, 0.092f, SIDE},        {0.279f, 0.066f, SIDE},
        {0.279f, 0.040f, SIDE},        {0.279f, 0.013f, SIDE},
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
    s.weave = true;
    solid_turn(&s, profile, 2 * count, 56, zones);
    sheet *skin = sheet_create();
    for (int i = 0; i < solid_triangle_count(&s); i++) {
        wr_vec3 c[3];
        solid_corners(&s, i, c);
        sheet_add_triangle(skin, c[0], c[1], c[2]);
    }
    add_bung(&s, 0.15f, 0.09f, 0.036f, zones);
    add_bung(&s, -0.16f, -0.08f, 0.018f, zones);
    add_dents(&s, skin);
    sheet_destroy(skin);
    solid_finish(&s, model);
    return model;
}
