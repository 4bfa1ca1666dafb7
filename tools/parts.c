// parts.c: what machines are made of, for the props.
#include "parts.h"

static const area NONE = {0.0f, 0.0f, 1.0f, 1.0f};

wr_model *start_prop(const char *name, const wr_look *looks, int look_count)
{
    wr_error error = {0};
    wr_model *model = wr_model_create(NULL, &error);
    wr_look *copy = model ? wr_model_alloc(model, (size_t)look_count, sizeof *copy) : NULL;
    if (!copy) {
        stop("out of memory");
    }
    memcpy(copy, looks, (size_t)look_count * sizeof *copy);
    model->name = name;
    model->looks = copy;
    model->look_count = look_count;
    return model;
}

wr_look plain(const char *name, float r, float g, float b, float roughness, float metallic)
{
    return (wr_look){name, {r, g, b, 1.0f}, -1, roughness, metallic, false};
}

// --- bars and tubes ---------------------------------------------------------------------------

// Any direction at a right angle to z will do where `up` runs along it.
static frame frame_for(wr_vec3 from, wr_vec3 to, wr_vec3 up)
{
    wr_vec3 z = wr_normalize(wr_sub(to, from));
    if (wr_length(wr_cross(up, z)) < 1e-3f) {
        up = fabsf(z.x) < 0.9f ? wr_v3(1.0f, 0.0f, 0.0f) : wr_v3(0.0f, 0.0f, 1.0f);
    }
    return frame_along(from, to, up);
}

// A bar is cut into pieces this many times as long as it is thick, so that it can bend.
enum { SLENDER = 9, MOST_PIECES = 60, MOST_PROFILE = MOST_PIECES + 3 };

static int count_pieces(float length, float thickness)
{
    int count = (int)ceilf(length / (SLENDER * thickness));
    return count < 1 ? 1 : count > MOST_PIECES ? MOST_PIECES : count;
}

void part_bar(solid *s, wr_vec3 from, wr_vec3 to, wr_vec3 up, float width, float height)
{
    float x = 0.5f * width, y = 0.5f * height, length = wr_distance(from, to);
    const wr_vec2 outline[] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    station stations[MOST_PIECES + 1];
    int pieces = count_pieces(length, wr_maxf(width, height));
    for (int i = 0; i <= pieces; i++) {
        stations[i] = (station){length * (float)i / (float)pieces, NONE};
    }
    s->frame = frame_for(from, to, up);
    solid_extrude(s, &(extrusion){.outline = outline,
                                  .count = WRI_COUNT(outline),
                                  .stations = stations,
                                  .station_count = pieces + 1,
                                  .length = 1.0f,
                                  .height = 1.0f});
}

void part_box(solid *s, wr_vec3 at, wr_vec3 size, float bevel)
{
    add_block(s, at, wr_scale(0.5f, size), bevel, NONE);
}

// For solid_turn, which turns about y.
static frame frame_about(wr_vec3 at, wr_vec3 axis)
{
    frame f = frame_for(at, wr_add(at, axis), wr_v3(0.0f, 1.0f, 0.0f));
    return (frame){at, f.y, f.z, f.x};
}

void part_turn(solid *s, wr_vec3 at, wr_vec3 axis, const wr_vec2 *profile, int count, int segments)
{
    turn_point points[MOST_PROFILE];
    WR_ASSERT(count <= MOST_PROFILE);
    for (int i = 0; i < count; i++) {
        points[i] = (turn_point){profile[i].x, profile[i].y, 0, false};
        if (i > 0 && i + 1 < count) {
            wr_vec2 a = profile[i - 1], b = profile[i], c = profile[i + 1];
            wr_vec3 in = wr_normalize(wr_v3(b.x - a.x, b.y - a.y, 0.0f));
            wr_vec3 out = wr_normalize(wr_v3(c.x - b.x, c.y - b.y, 0.0f));
            points[i].hard = wr_dot(in, out) < 0.82f;
        }
    }
    s->frame = frame_about(at, axis);
    solid_turn(s, points, count, segments, &(turn_zone){TURN_SIDE, NONE, 1.0f});
}

void part_cone(solid *s, wr_vec3 from, wr_vec3 to, float radius0, float radius1, int sides)
{
    float length = wr_distance(from, to);
    int pieces = count_pieces(length, 2.0f * wr_maxf(radius0, radius1));
    wr_vec2 profile[MOST_PROFILE] = {{0.0f, 0.0f}};
    for (int i = 0; i <= pieces; i++) {
        float t = (float)i / (float)pieces;
        profile[i + 1] = (wr_vec2){radius0 + t * (radius1 - radius0), t * length};
    }
    profile[pieces + 2] = (wr_vec2){0.0f, length};
    part_turn(s, from, wr_sub(to, from), profile, pieces + 3, sides);
}

void part_tube(solid *s, wr_vec3 from, wr_vec3 to, float radius, int sides)
{
    part_cone(s, from, to, radius, radius, sides);
}

// --- trusses ----------------------------------------------------------------------------------

// A corner of the section at a bay's end; chords count round the section.
static wr_vec3 truss_point(const truss *t, const frame *f, int chord, int bay)
{
    float k = (float)bay / (float)t->bays;
    float w1 = t->width1 > 0.0f ? t->width1 : t->width;
    float h1 = t->height1 > 0.0f ? t->height1 : t->height;
    float x = 0.5f * (t->width + k * (w1 - t->width)),
          y = 0.5f * (t->height + k * (h1 - t->height));
    float sign = chord == 0 || chord == 3 ? -1.0f : 1.0f;
    bool high = chord >= 2;
    wr_vec3 p = wr_lerp3(t->from, t->to, k);
    p = wr_add_scaled(p, t->triangular && high ? 0.0f : sign * x, f->x);
    return wr_add_scaled(p, high ? y : -y, f->y);
}

void part_truss(solid *s, const truss *t)
{
    frame f = frame_for(t->from, t->to, t->up);
    int chords = t->triangular ? 3 : 4;
    for (int i = 0; i < chords; i++) {
        part_bar(s, truss_point(t, &f, i, 0), truss_point(t, &f, i, t->bays), t->up, t->chord,
                 t->chord);
    }
    for (int bay = 0; bay <= t->bays; bay++) {
        for (int i = 0; i < chords; i++) {
            int next = (i + 1) % chords;
            wr_vec3 a = truss_point(t, &f, i, bay), b = truss_point(t, &f, next, bay);
            part_bar(s, a, b, t->up, t->brace, t->brace);
            if (bay < t->bays) { // the diagonals of neighbouring bays meet
                bool flip = (bay + i) % 2 == 1;
                wr_vec3 c = truss_point(t, &f, flip ? next : i, bay);
                wr_vec3 d = truss_point(t, &f, flip ? i : next, bay + 1);
                part_bar(s, c, d, t->up, t->brace, t->brace);
            }
        }
    }
}

// --- rivets and sheet -------------------------------------------------------------------------

void part_rivets(solid *s, wr_vec3 from, wr_vec3 to, wr_vec3 normal, float radius, int count)
{
    const turn_point head[] = {{0.0f, -0.3f * radius, 0, false},
                               {radius, -0.3f * radius, 0, false},
                               {0.75f * radius, 0.4f * radius, 0, false},
                               {0.0f, 0.6f * radius, 0, false}};
    for (int i = 0; i < count; i++) {
        float t = count > 1 ? (float)i / (float)(count - 1) : 0.5f;
        s->frame = frame_about(wr_lerp3(from, to, t), normal);
        solid_turn(s, head, WRI_COUNT(head), 6, &(turn_zone){TURN_SIDE, NONE, 1.0f});
    }
}

void part_corrugation(solid *s, const corrugation *c)
{
    enum { MOST_WAVES = 28 };
    wr_vec2 outline[8 * MOST_WAVES + 4];
    WR_ASSERT(c->waves <= MOST_WAVES);
    float length = wr_distance(c->from, c->to), wave = length / (float)c->waves;
    int half = 4 * c->waves + 1;
    for (int i = 0; i < half; i++) { // along the outer side, then back along the inner one
        const float steps[4] = {0.0f, 0.36f, 0.5f, 0.86f};
        float x = wave * ((float)(i / 4) + steps[i % 4]);
        float y = i % 4 >= 2 ? c->depth : 0.0f;
        outline[i] = (wr_vec2){x, y};
        outline[2 * half - 1 - i] = (wr_vec2){x, y + c->thickness};
    }
    const station stations[] = {{0.0f, NONE}, {c->height, NONE}};
    wr_vec3 x = wr_normalize(wr_sub(c->to, c->from)), z = wr_normalize(c->up);
    s->frame = (frame){c->from, x, wr_cross(z, x), z};
    solid_extrude(s, &(extrusion){.outline = outline,
                                  .count = 2 * half,
                                  .stations = stations,
                                  .station_count = WRI_COUNT(stations),
                                  .length = 1.0f,
                                  .height = 1.0f});
}

// --- wheels -----------------------------------------------------------------------------------

static void add_tyre(solid *s, const wheel *w)
{
    float r = w->radius, h = 0.5f * w->width, i = w->rim, groove = 0.03f * r;
    const wr_vec2 profile[] = {{i, -0.80f * h},
                               {i + 0.3f * (r - i), -h},
                               {i + 0.75f * (r - i), -0.97f * h},
                               {r - 0.012f, -0.82f * h},
                               {r, -0.72f * h},
                               {r, -0.40f * h},
                               {r - groove, -0.38f * h},
                               {r - groove, -0.28f * h},
                               {r, -0.26f * h},
                               {r, 0.26f * h},
                               {r - groove, 0.28f * h},
                               {r - groove, 0.38f * h},
                               {r, 0.40f * h},
                               {r, 0.72f * h},
                               {r - 0.012f, 0.82f * h},
                               {i + 0.75f * (r - i), 0.97f * h},
                               {i + 0.3f * (r - i), h},
                               {i, 0.80f * h},
                               {i, -0.80f * h}};
    s->look = w->rubber;
    part_turn(s, w->at, w->axis, profile, WRI_COUNT(profile), 40);
}

static void add_rim(solid *s, const wheel *w)
{
    float h = 0.5f * w->width, i = w->rim;
    const wr_vec2 barrel[] = {{i - 0.035f, -0.7f * h}, {i + 0.004f, -0.78f * h},
                              {i + 0.004f, 0.80f * h}, {i - 0.012f, 0.86f * h},
                              {i - 0.035f, 0.70f * h}, {i - 0.035f, -0.7f * h}};
    const wr_vec2 drum[] = {
        {0.0f, -0.5f * h}, {0.72f * i, -0.5f * h}, {0.72f * i, 0.12f * h}, {0.0f, 0.12f * h}};
    const wr_vec2 hub[] = {{0.0f, 0.1f * h},       {0.30f * i, 0.1f * h},  {0.28f * i, 0.66f * h},
                           {0.22f * i, 0.74f * h}, {0.14f * i, 0.74f * h}, {0.13f * i, 0.80f * h},
                           {0.0f, 0.82f * h}};
    s->look = w->metal;
    part_turn(s, w->at, w->axis, barrel, WRI_COUNT(barrel), 40);
    part_turn(s, w->at, w->axis, hub, WRI_COUNT(hub), 20);
    s->look = w->dark;
    part_turn(s, w->at, w->axis, drum, WRI_COUNT(drum), 20);
}

// A spoke is a board that stands a little out where it leaves the hub.
static void add_spokes(solid *s, const wheel *w)
{
    frame f = frame_for(w->at, wr_add(w->at, w->axis), wr_v3(0.0f, 1.0f, 0.0f));
    float h = 0.5f * w->width, inner = 0.2f * w->rim, outer = w->rim - 0.015f;
    s->look = w->metal;
    for (int i = 0; i < w->spokes; i++) {
        float a = 2.0f * WR_PI * (float)i / (float)w->spokes;
        wr_vec3 out = wr_add(wr_scale(sinf(a), f.x), wr_scale(cosf(a), f.y));
        wr_vec3 from = wr_add_scaled(wr_add_scaled(w->at, inner, out), 0.55f * h, f.z);
        wr_vec3 to = wr_add_scaled(wr_add_scaled(w->at, outer, out), 0.62f * h, f.z);
        float length = wr_distance(from, to);
        s->frame = frame_along(from, to, f.z);
        s->frame = (frame){wr_lerp3(from, to, 0.5f), s->frame.z, s->frame.x, s->frame.y};
        solid_board(s, wr_v3(0.5f * length, 0.13f * w->rim, 0.11f * h), 0.07f * h, NONE);
    }
}

void part_wheel(solid *s, const wheel *w)
{
    add_tyre(s, w);
    add_rim(s, w);
    add_spokes(s, w);
}
