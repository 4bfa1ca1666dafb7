// seen.h: what a film shows of the body that it is about: how high it stands in the picture,
// whether it topples, how much of what the camera sees of it is bent, and what is in front of it.
//
// Pictures of SEEN_WIDE by SEEN_HIGH pixels without light, by the middles of pixels.
#pragma once

#include "wrought/show.h"

#include "../src/base/base.h"

#include <math.h>

enum { SEEN_WIDE = 320, SEEN_HIGH = 180, SEEN_PIXELS = SEEN_WIDE * SEEN_HIGH };

// One thing, per pixel.
typedef struct seen_layer {
    float depth[SEEN_PIXELS]; // metres, infinite: it is not there
    float moved[SEEN_PIXELS]; // by bending, in sizes of the body
    float bent[SEEN_PIXELS];  // by how much its surface turned by bending, radians
} seen_layer;

typedef struct seen {
    double low, high;   // height in the picture, as a share of it: the least and the most of all
    double cut;         // share of the pictures in which it touches the border
    double tilt;        // radians between its upright axis in the first and in the last picture
    double most_tilt;   // between the first and any
    double moved;       // share of what is seen of it at the end that moved by over 2 % of its size
    double bent;        // and of what turned by more than 0.3
    double hidden;      // seconds in which others are in front of more than a tenth of it
    double last_hidden; // share of it that others hide at the end
    int pictures;
} seen;

static inline wr_vec3 seen_normal(const wr_vec3 *p, const int *t)
{
    return wr_cross(wr_sub(p[t[1]], p[t[0]]), wr_sub(p[t[2]], p[t[0]]));
}

// The angle between two vectors of any length.
static inline float seen_angle(wr_vec3 a, wr_vec3 b)
{
    return atan2f(wr_length(wr_cross(a, b)), wr_dot(a, b));
}

static inline void seen_draw_triangle(seen_layer *layer, const wr_vec2 *p, const float *depth,
                                      const float *moved, float bent)
{
    float area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
    float left = fminf(p[0].x, fminf(p[1].x, p[2].x)), top = fminf(p[0].y, fminf(p[1].y, p[2].y));
    float right = fmaxf(p[0].x, fmaxf(p[1].x, p[2].x));
    float bottom = fmaxf(p[0].y, fmaxf(p[1].y, p[2].y));
    for (int y = (int)fmaxf(top, 0.0f); y < SEEN_HIGH && (float)y <= bottom; y++) {
        for (int x = (int)fmaxf(left, 0.0f); x < SEEN_WIDE && (float)x <= right; x++) {
            float w[3], nearness = 0.0f, sum = 0.0f;
            bool inside = area != 0.0f;
            for (int k = 0; k < 3 && inside; k++) {
                wr_vec2 a = p[(k + 1) % 3], b = p[(k + 2) % 3];
                float dx = (float)x + 0.5f - a.x, dy = (float)y + 0.5f - a.y;
                w[k] = ((b.x - a.x) * dy - (b.y - a.y) * dx) / area;
                inside = w[k] >= 0.0f;
                nearness += inside ? w[k] / depth[k] : 0.0f;
            }
            int at = y * SEEN_WIDE + x;
            if (inside && 1.0f / nearness < layer->depth[at]) {
                for (int k = 0; k < 3; k++) {
                    sum += w[k] * moved[k];
                }
                layer->depth[at] = 1.0f / nearness;
                layer->moved[at] = sum;
                layer->bent[at] = bent;
            }
        }
    }
}

// Adds a thing to a layer; the ground hides nothing.
static inline void seen_draw(seen_layer *layer, const wr_render_thing *thing, const wr_camera *view)
{
    const wr_mesh *mesh = thing->mesh ? thing->mesh : thing->model ? thing->model->meshes : NULL;
    wr_vec3 extent = mesh ? wr_box_size(wr_mesh_bounds(mesh)) : wr_v3(0.0f, 0.0f, 0.0f);
    float size = fmaxf(extent.x, fmaxf(extent.y, extent.z));
    for (int i = 0; mesh && i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles + 3 * i;
        const wr_vec3 *rest = mesh->positions, *now = thing->positions ? thing->positions : rest;
        float depth[3], moved[3];
        wr_vec2 p[3];
        bool ahead = true;
        for (int k = 0; k < 3; k++) {
            wr_vec3 at = wr_pose_point(thing->pose, now[t[k]]);
            ahead = ahead && wr_camera_project(view, SEEN_WIDE, SEEN_HIGH, at, &p[k], &depth[k]);
            moved[k] = wr_distance(now[t[k]], rest[t[k]]) / size;
        }
        if (ahead) {
            seen_draw_triangle(layer, p, depth, moved,
                               seen_angle(seen_normal(rest, t), seen_normal(now, t)));
        }
    }
}

static inline void seen_clear(seen_layer *layer)
{
    for (int i = 0; i < SEEN_PIXELS; i++) {
        layer->depth[i] = INFINITY;
    }
}

// Counts a picture: `body` is what it is about.
static inline void seen_count(seen *s, const wr_drawing *drawing, int body, const wr_camera *view,
                              double seconds)
{
    static seen_layer hero, others;
    int top = SEEN_HIGH, bottom = -1, all = 0, hidden = 0, moved = 0, bent = 0;
    bool cut = false;
    seen_clear(&hero);
    seen_clear(&others);
    for (int i = 0; i < drawing->count; i++) {
        seen_draw(drawing->bodies[i] == body ? &hero : &others, &drawing->things[i], view);
    }
    for (int i = 0; i < SEEN_PIXELS; i++) {
        if (hero.depth[i] < INFINITY) {
            int x = i % SEEN_WIDE, y = i / SEEN_WIDE;
            top = y < top ? y : top;
            bottom = y;
            cut = cut || x == 0 || y == 0 || x == SEEN_WIDE - 1 || y == SEEN_HIGH - 1;
            all++;
            hidden += others.depth[i] < hero.depth[i];
            moved += hero.moved[i] > 0.02f && others.depth[i] >= hero.depth[i];
            bent += hero.bent[i] > 0.3f && others.depth[i] >= hero.depth[i];
        }
    }
    double height = (double)(bottom + 1 - top) / SEEN_HIGH;
    height = all > 0 ? height : 0.0;
    s->low = s->pictures == 0 ? height : fmin(s->low, height);
    s->high = fmax(s->high, height);
    s->cut += cut;
    s->pictures++;
    s->hidden += all == 0 || hidden > 0.1 * all ? seconds : 0.0;
    s->last_hidden = all > 0 ? (double)hidden / all : 1.0;
    s->moved = all > 0 ? (double)moved / all : 0.0;
    s->bent = all > 0 ? (double)bent / all : 0.0;
}

// The body that a film is about: the first that bends, -1: none does.
static inline int seen_hero(const wr_record_info *info)
{
    for (int i = 0; i < info->body_count; i++) {
        if (strcmp(info->bodies[i].material, "metal") == 0) {
            return i;
        }
    }
    return -1;
}

static inline wr_vec3 seen_up(const wr_drawing *drawing, int body)
{
    for (int i = 0; i < drawing->count; i++) {
        if (drawing->bodies[i] == body) {
            return wr_rotate(drawing->things[i].pose.rotation, wr_v3(0.0f, 1.0f, 0.0f));
        }
    }
    return wr_v3(0.0f, 0.0f, 0.0f);
}

// Reads every `step`-th frame of a recording, by the usual camera of the film, and the last one.
static inline bool seen_measure(const char *path, int step, seen *s, wr_error *error)
{
    wr_take *take = wr_take_open(path, error);
    wr_shot *shot = take ? wr_shot_create(take, NULL, 16.0f / 9.0f, error) : NULL;
    const wr_record_info *info = take ? wr_record_about(wr_take_reader(take)) : NULL;
    int last = take ? wr_record_frame_count(wr_take_reader(take)) - 1 : -1;
    int body = info ? seen_hero(info) : -1;
    bool ok = shot != NULL && last >= 0 && body >= 0;
    double seconds = ok ? (double)step * info->rate_denominator / info->rate_numerator : 0.0;
    wr_vec3 up = wr_v3(0.0f, 0.0f, 0.0f);
    *s = (seen){0};
    for (int i = 0; ok && i <= last; i = i == last || i + step <= last ? i + step : last) {
        wr_drawing drawing;
        ok = wr_take_read(take, i, WR_PAINT_LOOKS, &drawing, error);
        if (ok) {
            wr_camera view = wr_shot_camera(shot, i);
            up = i == 0 ? seen_up(&drawing, body) : up;
            seen_count(s, &drawing, body, &view, seconds);
            s->tilt = (double)seen_angle(up, seen_up(&drawing, body));
            s->most_tilt = fmax(s->most_tilt, s->tilt);
        }
    }
    s->cut /= s->pictures > 0 ? s->pictures : 1;
    wr_shot_destroy(shot);
    wr_take_close(take);
    return ok;
}
