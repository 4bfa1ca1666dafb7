// crate.c: a crate of planks, and how it breaks.
//
// Planks that will break are drawn broken, with the pieces a hair's breadth apart: at rest that is
// not seen. Wood does not bend: a dent is a field of motion, and every piece takes the rigid motion
// nearest to it (Kabsch 1976).
#include "models.h"

#include "../src/math/decompose.h"

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
    bool weak; // its planks will be broken in the middle
} panel;

typedef struct plank {
    float x, y, depth; // middle; how far its face lies under the panel's outer plane
    wr_vec2 along;     // unit direction of the grain
    wr_vec3 half;      // along, across, thickness
    int row;
    bool turned; // end for end, so that two planks of one row differ
} plank;

enum { MAX_PIECES = 160, MAX_CUTS = 3, TEETH = 5 };
typedef struct pieces {
    int first[MAX_PIECES + 1]; // vertices
    int count;
} pieces;

static const wr_vec3 CRATE_CORNER = {0.4f, 0.4f, 0.4f}; // the one that is stove in

// Where a plank breaks, as places along it in order: a hand's breadth and more from the corner, and
// in the middle of the side that gives way.
static int find_cuts(const frame *f, const plank *k, const panel *p, int seed, float cuts[MAX_CUTS])
{
    wr_vec3 away = wr_sub(f->at, CRATE_CORNER);
    float reach = 0.27f + 0.08f * chance(91u, seed), along = wr_dot(away, f->x);
    float inside = along * along - wr_dot(away, away) + reach * reach;
    float wanted[3] = {-9.0f, -9.0f, -9.0f};
    if (inside > 0.0f) {
        wanted[0] = -along - sqrtf(inside);
        wanted[2] = -along + sqrtf(inside);
    }
    if (p->weak && k->depth > 0.0f) {
        wanted[1] = k->half.x * (0.5f * chance(92u, seed) - 0.25f);
    }
    if (wanted[0] > wanted[1]) { // the corner lies behind the middle
        float swap = wanted[0];
        wanted[0] = wanted[1];
        wanted[1] = swap;
    }
    int count = 0;
    for (int i = 0; i < 3; i++) {
        bool apart = count == 0 || wanted[i] - cuts[count - 1] > 0.14f;
        if (fabsf(wanted[i]) < k->half.x - 0.07f && apart) {
            cuts[count++] = wanted[i];
        }
    }
    return count;
}

static void add_plank(solid *s, const panel *p, plank k, pieces *out)
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
    float cuts[MAX_CUTS], teeth[2][TEETH + 1];
    int count = find_cuts(&f, &k, p, out->count, cuts);
    board_end low = {-k.half.x, NULL};
    s->widths = count > 0 ? TEETH : 1;
    for (int i = 0; i <= count; i++) {
        const float hair = 0.0002f;
        board_end high = {k.half.x, NULL};
        if (i < count) {
            for (int t = 0; t <= TEETH; t++) { // long and short splinters in turn
                float reach = 0.012f + 0.028f * chance(93u, 8 * out->count + t);
                teeth[i % 2][t] = t % 2 ? reach : -reach;
            }
            high = (board_end){cuts[i] - hair, teeth[i % 2]};
        }
        WR_ASSERT(out->count < MAX_PIECES);
        solid_board_piece(s, k.half, 0.0035f, where, low, high);
        out->first[++out->count] = solid_vertex_count(s);
        low = (board_end){high.x + 2.0f * hair, high.teeth};
    }
    s->widths = 0;
}

static void add_panel(solid *s, const panel *p, int seed, pieces *out)
{
    const float w = 0.045f, thick = 0.012f, gap = 0.0015f;
    const wr_vec2 right = {1.0f, 0.0f}, up = {0.0f, 1.0f};
    for (int i = 0; i < 2; i++) {
        float sign = i ? 1.0f : -1.0f;
        wr_vec3 upright = wr_v3(p->b, w, thick), rail = wr_v3(p->a - 2.0f * w - gap, w, thick);
        add_plank(s, p, (plank){sign * (p->a - w), 0, 0, up, upright, (seed + i) % 4, i == 0}, out);
        add_plank(s, p, (plank){0, sign * (p->b - w), 0, right, rail, (seed + i + 2) % 4, i == 1},
                  out);
    }
    float open_a = p->a - 2.0f * w, open_b = p->b - 2.0f * w;
    if (p->brace) {
        float length = sqrtf(open_a * open_a + open_b * open_b);
        wr_vec2 along = {open_a / length, open_b / length};
        // Its ends run into the frame, which hides them.
        wr_vec3 half = wr_v3(length + 0.01f, 0.9f * w, thick - 0.002f);
        add_plank(s, p, (plank){0, 0, 0.004f, along, half, 4}, out);
    }
    const int count = 5;
    float wide = (open_a + 0.02f) / (float)count;
    for (int i = 0; i < count; i++) {
        float depth = 0.0175f + 0.002f * chance(77u, 16 * seed + i);
        float x = wide * (float)(2 * i + 1 - count);
        wr_vec3 half = wr_v3(open_b + 0.03f, wide - gap, 0.007f);
        add_plank(
            s, p,
            (plank){x, 0, depth, up, half, NAILED_ROWS + (seed + 2 * i) % 3, (seed + i) % 2 == 0},
            out);
    }
}

// --- breaking ---------------------------------------------------------------------------------

typedef wr_vec3 field_fn(wr_vec3 p);

static wr_vec3 field_corner(wr_vec3 p)
{
    wr_vec3 d = wr_sub(p, CRATE_CORNER);
    float near = fmaxf(1.0f - wr_length(d) / 0.5f, 0.0f);
    return wr_add_scaled(p, 0.3f * near, wr_v3(-0.66f, -0.6f, -0.45f));
}

// Leaning over until nothing holds it: uprights turn about their feet.
static wr_vec3 field_flat(wr_vec3 p)
{
    const float angle = 0.62f;
    float y = p.y + 0.4f;
    return wr_v3(p.x + y * sinf(angle), y * cosf(angle) - 0.4f, p.z);
}

static wr_vec3 field_side(wr_vec3 p)
{
    float r = sqrtf(p.x * p.x + 0.8f * (p.y + 0.03f) * (p.y + 0.03f));
    float in = 0.34f * fmaxf(1.0f - r / 0.40f, 0.0f) * ramp(0.2f, 0.36f, p.z);
    return wr_v3(p.x - 0.1f * in, p.y - 0.25f * in, p.z - in);
}

// The rotation nearest to the field, and the way of the middle.
static wr_mat3 fit_motion(const wr_vec3 *rest, int count, field_fn *field, wr_vec3 *middle,
                          wr_vec3 *goal)
{
    *middle = *goal = wr_v3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < count; i++) {
        *middle = wr_add_scaled(*middle, 1.0f / (float)count, rest[i]);
        *goal = wr_add_scaled(*goal, 1.0f / (float)count, field(rest[i]));
    }
    float sum[3][3] = {{0}}, stretch[3][3];
    for (int i = 0; i < count; i++) {
        wr_vec3 from = wr_sub(rest[i], *middle), to = wr_sub(field(rest[i]), *goal);
        for (int k = 0; k < 9; k++) {
            sum[k / 3][k % 3] += (&to.x)[k / 3] * (&from.x)[k % 3];
        }
    }
    wr_mat3 turn;
    wri_polar3f(sum, turn.m, stretch);
    return turn;
}

// A piece that has moved has also been knocked about: by up to `loose` radians for every metre.
static void break_crate(solid *s, const pieces *p, const char *name, field_fn *field, float loose)
{
    wr_vec3 *at = solid_add_morph(s, name);
    for (int i = 0; i < p->count; i++) {
        int first = p->first[i], count = p->first[i + 1] - first;
        wr_vec3 middle, goal;
        wr_mat3 turn = fit_motion(at + first, count, field, &middle, &goal);
        wr_vec3 axis = wr_v3(chance(94u, i) - 0.5f, chance(95u, i) - 0.5f, chance(96u, i) - 0.5f);
        float far = wr_distance(middle, goal), angle = loose * far * (0.4f + 0.6f * chance(97u, i));
        wr_quat knock = wr_quat_from_axis_angle(wr_normalize(axis), angle);
        for (int k = first; k < first + count; k++) {
            wr_vec3 arm = wr_mat3_apply(turn, wr_sub(at[k], middle));
            at[k] = wr_add(goal, wr_rotate(knock, arm));
        }
    }
}

// The front and back panels cover the ends of the side panels, and all four those of lid and floor.
wr_model *make_crate(void)
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
        {{o, x, y, z}, full, full, true, true}, {{o, nx, y, nz}, full, full, true, true},
        {{o, nz, y, x}, inner, full, true},     {{o, z, y, nx}, inner, full, true},
        {{o, x, nz, y}, inner, inner, false},   {{o, x, z, ny}, inner, inner, false},
    };
    solid s = solid_create();
    pieces planks = {0};
    for (int i = 0; i < 6; i++) {
        add_panel(&s, &panels[i], i, &planks);
    }
    break_crate(&s, &planks, "corner", field_corner, 2.2f);
    break_crate(&s, &planks, "flat", field_flat, 0.25f);
    break_crate(&s, &planks, "side", field_side, 1.2f);
    solid_finish(&s, model);
    return model;
}
