// container.c: a twenty-foot shipping container, and its dents.
#include "models.h"
#include "press.h"

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
typedef struct wall {
    frame frame;
    float width, height, depth;
    int waves, rows;
} wall;

enum { WALL_BACK = 8, MAX_WALL_ROWS = 16 };

static wr_vec2 wave_point(const wall *w, int i)
{
    const float along[4] = {0.0f, 0.28f, 0.5f, 0.78f};
    float pitch = w->width / (float)w->waves;
    float x = -0.5f * w->width + pitch * ((float)(i / 4) + along[i % 4]);
    return (wr_vec2){x, i % 4 < 2 ? 0.0f : w->depth};
}

static void add_wall(solid *s, const wall *w)
{
    wr_vec2 outline[MAX_OUTLINE];
    int count = 0;
    for (int i = 0; i <= 4 * w->waves; i++) {
        outline[count++] = wave_point(w, i);
    }
    for (int i = 0; i <= WALL_BACK; i++) {
        float t = (float)i / WALL_BACK;
        outline[count++] = (wr_vec2){w->width * (0.5f - t), w->depth + 0.02f};
    }
    station stations[MAX_WALL_ROWS + 1];
    for (int i = 0; i <= w->rows; i++) {
        stations[i] = (station){w->height * (float)i / (float)w->rows, BOX_WALL};
    }
    s->frame = w->frame;
    s->weave = true;
    solid_extrude(s,
                  &(extrusion){outline, count, stations, w->rows + 1, 2.5f, 1.1f * w->width, true});
}

static const float BOX_BASE = 0.12f - 1.295f, BOX_TALL = 2.0f * 1.295f - 0.17f, BOX_IN = 0.018f;

// Sides, blind end, roof. Those that a dent goes into are cut more finely.
enum { WALLS = 4 };
static wall box_wall_of(int index)
{
    const wr_vec3 h = BOX_HALF, up = {0.0f, 1.0f, 0.0f};
    if (index < 2) {
        float sign = index == 0 ? 1.0f : -1.0f;
        wr_vec3 low = wr_v3(0.0f, BOX_BASE, sign * (h.z - BOX_IN));
        return (wall){frame_along(low, wr_add(low, up), wr_v3(0.0f, 0.0f, -sign)),
                      2.0f * h.x - 0.2f,
                      BOX_TALL,
                      0.036f,
                      18,
                      index == 0 ? 9 : 6};
    }
    if (index == 2) {
        wr_vec3 low = wr_v3(-h.x + BOX_IN, BOX_BASE, 0.0f);
        return (wall){frame_along(low, wr_add(low, up), wr_v3(1.0f, 0.0f, 0.0f)),
                      2.0f * h.z - 0.2f,
                      BOX_TALL,
                      0.036f,
                      8,
                      3};
    }
    wr_vec3 low = wr_v3(0.0f, h.y - 0.02f, -h.z + 0.035f);
    return (wall){frame_along(low, wr_add(low, wr_v3(0.0f, 0.0f, 1.0f)), wr_v3(0.0f, -1.0f, 0.0f)),
                  2.0f * h.x - 0.2f,
                  2.0f * h.z - 0.07f,
                  0.02f,
                  14,
                  7};
}

static void add_box_walls(solid *s)
{
    for (int i = 0; i < WALLS; i++) {
        wall w = box_wall_of(i);
        add_wall(s, &w);
    }
}

static void add_box_floor(solid *s)
{
    const wr_vec3 h = BOX_HALF;
    s->lengths = 10;
    add_block(s, wr_v3(0.0f, BOX_BASE + 0.03f, 0.0f), wr_v3(h.x - 0.1f, 0.05f, h.z - 0.08f), 0.01f,
              BOX_STEEL);
    s->lengths = 0;
}

static void add_box_doors(solid *s)
{
    const wr_vec3 h = BOX_HALF;
    const turn_zone zone = {TURN_SIDE, BOX_STEEL, 1.2f};
    const float r = 0.018f, y = h.y - 0.09f;
    turn_point bar[12] = {{0, -y, 0}, {r, -y, 0, true}};
    for (int k = 1; k < 10; k++) {
        bar[k + 1] = (turn_point){r, y * ((float)(2 * k) / 9.0f - 1.0f), 0, k == 9};
    }
    bar[11] = (turn_point){0, y, 0};
    for (int i = 0; i < 2; i++) {
        float z = (i ? 1.0f : -1.0f) * (0.5f * h.z - 0.03f);
        frame door = {{h.x - 0.05f, 0.02f, z}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
        s->frame = door;
        s->lengths = 10;
        s->widths = 5;
        solid_board(s, wr_v3(h.y - 0.11f, 0.5f * h.z - 0.035f, 0.018f), 0.006f, BOX_DOOR[i]);
        for (int k = -1; k <= 1; k++) {
            s->frame = door;
            s->frame.at = wr_add(door.at, wr_v3(0.012f, 0.72f * (float)k, 0.0f));
            area where = BOX_DOOR[i];
            where.u0 = 0.4f + 0.28f * (float)k;
            where.u1 = where.u0 + 0.2f;
            s->lengths = 3;
            s->widths = 4;
            solid_board(s, wr_v3(0.24f, 0.5f * h.z - 0.1f, 0.018f), 0.012f, where);
        }
        s->lengths = s->widths = 0;
        for (int k = 0; k < 2; k++) {
            float at = z + (k ? 0.27f : -0.27f);
            s->frame = frame_at(wr_v3(h.x - r - 0.002f, 0.0f, at));
            solid_turn(s, bar, WRI_COUNT(bar), 7, &zone);
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
        s->lengths = 6;
        s->frame =
            (frame){{a * (h.x - 0.064f), 0, b * (h.z - 0.059f)}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
        solid_board(s, wr_v3(h.y - 0.06f, 0.055f, 0.06f), 0.008f, BOX_FRAME);
        float thick = b > 0.0f ? 0.03f : 0.07f; // rails are stronger below
        wr_vec3 along = wr_v3(0.0f, b * (h.y - thick - 0.006f), a * (h.z - 0.04f));
        s->lengths = 18;
        add_block(s, along, wr_v3(h.x - 0.1f, thick, 0.03f), 0.006f, BOX_FRAME);
        s->lengths = 5;
        s->frame = (frame){{a * (h.x - 0.045f), along.y, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
        solid_board(s, wr_v3(h.z - 0.09f, 0.032f, thick - 0.002f), 0.006f, BOX_FRAME);
    }
}

// --- dents ------------------------------------------------------------------------------------

// A kink: 1 at the middle, down to 0 in straight lines, its tip a little round.
static float kink(float x, float middle, float reach)
{
    float d = sqrtf((x - middle) * (x - middle) + 0.02f);
    return fmaxf(1.0f - d / reach, 0.0f);
}

// Where the frame goes: posts, rails, castings, and the edges of the walls that are welded to them.
typedef wr_vec3 lead_fn(wr_vec3 rest, float t);

// The side was rammed: its upper rail is bent in.
static wr_vec3 lead_side(wr_vec3 p, float t)
{
    float upper = ramp(-1.3f, 1.3f, p.y), outer = ramp(-0.6f, 1.2f, p.z);
    float in = 0.26f * kink(p.x, 0.5f, 2.4f) * upper * outer * t;
    return wr_v3(p.x, p.y - 0.25f * in, p.z - in - 0.05f * t * kink(p.x, 0.5f, 2.0f) * outer);
}

// Something long fell across: both upper rails are bent down, and draw the posts together.
static wr_vec3 lead_roof(wr_vec3 p, float t)
{
    float upper = ramp(-1.0f, 1.25f, p.y), side = p.z > 0.0f ? 1.0f : 0.82f;
    float down = 0.8f * side * kink(p.x, -0.35f, 2.75f) * ramp(0.0f, 1.1f, p.y);
    float pull = 0.1f * upper * wr_clampf((p.x + 0.35f) / 2.7f, -1.0f, 1.0f);
    return wr_v3(p.x - pull * t, p.y - down * t, p.z);
}

// Driven into something door first, with one corner.
static wr_vec3 lead_end(wr_vec3 p, float t)
{
    float near = ramp(0.6f, 3.0f, p.x), upper = ramp(-1.2f, 1.3f, p.y),
          side = ramp(-1.3f, 1.3f, p.z);
    float back = near * upper * (0.1f + 0.42f * side);
    float hump = expf(-3.0f * (p.x - 1.7f) * (p.x - 1.7f)) * upper * side;
    wr_vec3 q = wr_v3(p.x - back * t, p.y + 0.24f * hump * t, p.z + 0.12f * hump * t);
    q.y -= 0.1f * near * upper * side * t;
    q.z -= 0.2f * near * upper * t;
    return q;
}

static bool on_frame(wr_vec3 p)
{
    const wr_vec3 h = BOX_HALF;
    const float e = 0.01f;
    bool roof = p.y > h.y - 0.045f, door = p.x > h.x - 0.1f + e;
    if (roof) {
        return fabsf(p.z) > h.z - 0.035f - e || fabsf(p.x) > h.x - 0.1f - e;
    }
    if (door) {
        return fabsf(p.z) > h.z - 0.08f || fabsf(p.y) > h.y - 0.14f;
    }
    bool ends = fabsf(p.z) > h.z - 0.1f ? fabsf(p.x) > h.x - 0.1f - e : fabsf(p.z) > h.z - 0.1f - e;
    return ends || p.y < BOX_BASE + e || p.y > BOX_BASE + BOX_TALL - e;
}

static bool hold_side(wr_vec3 rest, float t, wr_vec3 *at)
{
    *at = lead_side(rest, t);
    return on_frame(rest);
}

static bool hold_roof(wr_vec3 rest, float t, wr_vec3 *at)
{
    *at = lead_roof(rest, t);
    return on_frame(rest);
}

static bool hold_end(wr_vec3 rest, float t, wr_vec3 *at)
{
    *at = lead_end(rest, t);
    return on_frame(rest);
}

static wr_vec3 push_side(wr_vec3 p, wr_vec3 rest, float t)
{
    const blade bumper = {
        {0.5f, 0.05f, 1.215f}, {0.0f, 0.0f, -1.0f}, {0.0f, 1.0f, 0.0f}, 0.35f, 0.22f};
    if (rest.y > 1.25f) { // the roof folds up, unlike under a load
        p.y = fmaxf(p.y, rest.y - 0.03f);
        return p;
    }
    return rest.z > 1.1f ? blade_push(&bumper, 0.78f * t, p) : p;
}

static wr_vec3 push_roof(wr_vec3 p, wr_vec3 rest, float t)
{
    const blade pole = {{-0.35f, 1.3f, 0.05f}, {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 1.0f, 0.1f};
    if (rest.z > 1.1f && rest.y < 1.25f) { // the wall bulges out, unlike when it is rammed
        p.z = fmaxf(p.z, rest.z - 0.03f);
    }
    return rest.y > 1.25f ? blade_push(&pole, 0.8f * t, p) : p;
}

static wr_vec3 push_end(wr_vec3 p, wr_vec3 rest, float t)
{
    const blade post = {
        {3.01f, 0.25f, 0.3f}, {-1.0f, 0.0f, 0.0f}, {0.0f, 0.8f, 0.6f}, 0.45f, 0.15f};
    return rest.x > 2.95f ? blade_push(&post, 0.62f * t, p) : p;
}

// The doors' middle planes, with a gap between them.
static void add_door_sheets(sheet *s)
{
    enum { COLUMNS = 9, ROWS = 17 };
    const wr_vec3 h = BOX_HALF;
    for (int side = 0; side < 2; side++) {
        wr_vec3 points[COLUMNS * ROWS];
        for (int i = 0; i < COLUMNS * ROWS; i++) {
            float a = (float)(i % COLUMNS) / (COLUMNS - 1), b = (float)(i / COLUMNS) / (ROWS - 1);
            float z = 0.01f + a * (h.z - 0.07f);
            points[i] = wr_v3(h.x - 0.04f, (h.y - 0.09f) * (2.0f * b - 1.0f), side ? -z : z);
        }
        sheet_add_grid(s, points, COLUMNS, ROWS);
    }
}

static sheet *box_sheet(void)
{
    sheet *s = sheet_create();
    for (int k = 0; k < WALLS; k++) {
        wall w = box_wall_of(k);
        wr_vec3 points[(4 * 18 + 1) * (MAX_WALL_ROWS + 1)];
        int columns = 4 * w.waves + 1;
        for (int i = 0; i < columns * (w.rows + 1); i++) {
            wr_vec2 p = wave_point(&w, i % columns);
            float z = w.height * (float)(i / columns) / (float)w.rows;
            const frame *f = &w.frame;
            points[i] = wr_add_scaled(wr_add_scaled(f->at, p.x, f->x), p.y, f->y);
            points[i] = wr_add_scaled(points[i], z, f->z);
        }
        sheet_add_grid(s, points, columns, w.rows + 1);
    }
    add_door_sheets(s);
    return s;
}

// The first `skin` vertices are walls and doors and go with the sheets, the others with the frame.
static void add_dents(solid *s, int skin)
{
    press blow = {.steps = 240,
                  .release = 12,
                  .rounds = 24,
                  .bend = 0.15f,
                  .yield = 0.015f,
                  .soften = 0.35f,
                  .stretch = 0.09f,
                  .inertia = 0.7f,
                  .flaw = 0.006f};
    const struct {
        const char *name;
        wr_vec3 (*push)(wr_vec3 p, wr_vec3 rest, float t);
        bool (*hold)(wr_vec3 rest, float t, wr_vec3 *at);
        lead_fn *lead;
    } dents[] = {{"side", push_side, hold_side, lead_side},
                 {"roof", push_roof, hold_roof, lead_roof},
                 {"end", push_end, hold_end, lead_end}};
    sheet *sheets = box_sheet();
    for (int i = 0; i < WRI_COUNT(dents); i++) {
        blow.push = dents[i].push;
        blow.hold = dents[i].hold;
        blow.seed = 650u + 10u * (uint32_t)i;
        sheet_press(sheets, &blow);
        wr_vec3 *at = solid_add_morph(s, dents[i].name);
        sheet_carry(sheets, at, skin, at);
        for (int k = skin; k < solid_vertex_count(s); k++) {
            at[k] = dents[i].lead(at[k], 1.0f);
        }
    }
    sheet_destroy(sheets);
}

wr_model *make_container(void)
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
    int skin = solid_vertex_count(&s);
    add_box_frame(&s);
    add_box_floor(&s);
    add_dents(&s, skin);
    solid_finish(&s, model);
    return model;
}
