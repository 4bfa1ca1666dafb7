// sights.c: points at equal areas of a surface, rigid fits, and a picture of discs.
#include "sights.h"

#include "../math/decompose.h"

#include <math.h>

enum {
    POINTS = 6144, // of all bodies
    MOST = 128,    // of one
    LEAST = 24,
    HIGH = 36, // of the picture, pixels
    WIDEST = 4 * HIGH,
};

static const float TRACE = 0.003f; // of the size of a body: what has moved less has not bent

// A point on a model.
typedef struct place {
    int triangle;
    float weights[3];
} place;

// What is nearest in a pixel, and what is nearest of any other body.
typedef struct pixel {
    float first, second; // metres ahead
    int body;            // of the first, -1: none
} pixel;

// A camera, ready to project.
typedef struct lens {
    wr_vec3 from, forward, right, up;
    float scale; // pixels per metre, at a metre
    int wide;
} lens;

struct wri_sights {
    const wr_record_info *info;
    int count, per;      // bodies, points of each
    place *places;       // per model and point
    double *model_areas; // per model, m²; 0 until it is needed
    // Per moment and body:
    float *areas;     // of one of its points, m²; 0: it is not there
    double *bends;    // of it and its fragments, m³
    wr_vec3 *middles; // of its points
    bool *is_off;     // it is a fragment that flew off
    // Per moment, body and point:
    wr_vec3 *points, *normals; // normal 0: turned to any camera
    float *moved;              // metres, by bending
    bool *follows;             // per body: its points are the same ones at all moments
    // Of the picture that was drawn last:
    int moment;
    lens lens;
    pixel *pixels; // WIDEST * HIGH
};

static size_t row_of(const wri_sights *s, int moment, int body)
{
    return (size_t)moment * (size_t)s->count + (size_t)body;
}

static size_t first_of(const wri_sights *s, int moment, int body)
{
    return row_of(s, moment, body) * (size_t)s->per;
}

wri_sights *wri_sights_create(const wr_record_info *info, wri_arena *arena, wr_error *error)
{
    wri_sights *s = wri_arena_alloc(arena, 1, sizeof *s);
    int bodies = info->body_count > 0 ? info->body_count : 1, per = POINTS / bodies;
    per = per > MOST ? MOST : per < LEAST ? LEAST : per;
    size_t models = (size_t)info->model_count, rows = WRI_SIGHTS * (size_t)bodies;
    size_t points = rows * (size_t)per;
    if (!s) {
        wri_fail_memory(error, sizeof *s);
        return NULL;
    }
    *s = (wri_sights){.info = info,
                      .count = info->body_count,
                      .per = per,
                      .places = wri_arena_alloc(arena, models * (size_t)per, sizeof *s->places),
                      .model_areas = wri_arena_alloc(arena, models, sizeof *s->model_areas),
                      .areas = wri_arena_alloc(arena, rows, sizeof *s->areas),
                      .bends = wri_arena_alloc(arena, rows, sizeof *s->bends),
                      .middles = wri_arena_alloc(arena, rows, sizeof *s->middles),
                      .is_off = wri_arena_alloc(arena, rows, sizeof *s->is_off),
                      .points = wri_arena_alloc(arena, points, sizeof *s->points),
                      .normals = wri_arena_alloc(arena, points, sizeof *s->normals),
                      .moved = wri_arena_alloc(arena, points, sizeof *s->moved),
                      .follows = wri_arena_alloc(arena, (size_t)bodies, sizeof *s->follows),
                      .pixels = wri_arena_alloc(arena, WIDEST * HIGH, sizeof *s->pixels)};
    if (!s->places || !s->model_areas || !s->areas || !s->bends || !s->middles || !s->is_off ||
        !s->points || !s->normals || !s->moved || !s->follows || !s->pixels) {
        wri_fail_memory(error, points * sizeof *s->points);
        return NULL;
    }
    return s;
}

// --- points on surfaces -----------------------------------------------------------------------

static wr_vec3 find_normal(const wr_vec3 *positions, const int *triangle)
{
    wr_vec3 a = positions[triangle[0]];
    return wr_cross(wr_sub(positions[triangle[1]], a), wr_sub(positions[triangle[2]], a));
}

// Places at equal areas of a surface, anywhere in their triangles. Returns the whole area, 0: it
// has none.
static double spread(const wr_vec3 *positions, const int *triangles, int triangle_count, int count,
                     place *places)
{
    double area = 0.0, sum = 0.0;
    for (int i = 0; i < triangle_count; i++) {
        area += 0.5 * (double)wr_length(find_normal(positions, triangles + 3 * i));
    }
    int k = 0;
    for (int i = 0; i < triangle_count && area > 0.0; i++) {
        sum += 0.5 * (double)wr_length(find_normal(positions, triangles + 3 * i));
        for (; k < count && ((k + 0.5) * area <= sum * count || i == triangle_count - 1); k++) {
            // Roberts' sequence, folded into the triangle.
            double u = fmod(0.5 + 0.7548776662466927 * k, 1.0);
            double v = fmod(0.5 + 0.5698402909980532 * k, 1.0);
            bool beyond = u + v > 1.0;
            u = beyond ? 1.0 - u : u;
            v = beyond ? 1.0 - v : v;
            places[k] = (place){i, {(float)(1.0 - u - v), (float)u, (float)v}};
        }
    }
    return area;
}

// Puts the points of a body on a surface.
static void put(wri_sights *s, int moment, int body, const wr_vec3 *positions, const int *triangles,
                const place *places, wr_pose pose)
{
    size_t first = first_of(s, moment, body);
    for (int k = 0; k < s->per; k++) {
        const int *t = triangles + 3 * places[k].triangle;
        wr_vec3 at = wr_scale(places[k].weights[0], positions[t[0]]);
        at = wr_add_scaled(at, places[k].weights[1], positions[t[1]]);
        at = wr_add_scaled(at, places[k].weights[2], positions[t[2]]);
        wr_vec3 normal = find_normal(positions, t);
        float length = wr_length(normal);
        normal = length > 0.0f ? wr_scale(1.0f / length, normal) : normal;
        s->points[first + (size_t)k] = wr_pose_point(pose, at);
        s->normals[first + (size_t)k] = wr_rotate(pose.rotation, normal);
    }
}

static bool note_model(wri_sights *s, int moment, int body, wr_reskin *reskin,
                       const wr_frame *frame, wr_error *error)
{
    int number = s->info->bodies[body].model;
    const wr_mesh *mesh = s->info->models[number]->meshes;
    place *places = s->places + (size_t)number * (size_t)s->per;
    wr_record_shape shape;
    if (!wr_reskin_find(reskin, frame, body, &s->info->bodies[body], false, &shape, error)) {
        return false;
    }
    if (s->model_areas[number] == 0.0) {
        s->model_areas[number] =
            spread(mesh->positions, mesh->triangles, mesh->triangle_count, s->per, places);
    }
    if (s->model_areas[number] > 0.0) {
        put(s, moment, body, shape.positions ? shape.positions : mesh->positions, mesh->triangles,
            places, frame->poses[body]);
        s->areas[row_of(s, moment, body)] = (float)(s->model_areas[number] / s->per);
        s->follows[body] = s->follows[body] || moment == 0;
    }
    return true;
}

// The first surface of a body, whose triangles may be others at every moment.
static bool note_surface(wri_sights *s, int moment, int body, const wr_frame *frame)
{
    const wr_record_surface *surface = wr_frame_surface(frame, body, 0);
    place places[MOST];
    if (!surface) {
        return false;
    }
    double area =
        spread(surface->positions, surface->triangles, surface->triangle_count, s->per, places);
    if (area > 0.0) {
        wr_pose pose = surface->in_world ? WR_POSE_IDENTITY : frame->poses[body];
        put(s, moment, body, surface->positions, surface->triangles, places, pose);
        s->areas[row_of(s, moment, body)] = (float)(area / s->per);
    }
    return true;
}

static void note_particles(wri_sights *s, int moment, int body, const wr_frame *frame)
{
    const wr_record_particles *particles = wr_frame_particles(frame, body);
    if (!particles || particles->count == 0) {
        return;
    }
    wr_pose pose = particles->in_world ? WR_POSE_IDENTITY : frame->poses[body];
    size_t first = first_of(s, moment, body);
    double area = 0.0;
    for (int k = 0; k < s->per; k++) {
        int i = (int)((int64_t)k * particles->count / s->per);
        double radius = (double)(particles->radii ? particles->radii[i] : particles->radius);
        s->points[first + (size_t)k] = wr_pose_point(pose, particles->positions[i]);
        s->normals[first + (size_t)k] = wr_v3(0.0f, 0.0f, 0.0f);
        area += 3.14159265 * radius * radius;
    }
    // One stands for several around it.
    double crowd = cbrt((double)particles->count / s->per);
    s->areas[row_of(s, moment, body)] = (float)(area / s->per * crowd * crowd);
}

bool wri_sights_note(wri_sights *s, int moment, wr_reskin *reskin, const wr_frame *frame,
                     wr_error *error)
{
    for (int i = 0; i < s->count && i < frame->body_count; i++) {
        const wr_record_body *body = &s->info->bodies[i];
        if (body->casts_ground) {
            continue;
        }
        if (note_surface(s, moment, i, frame)) {
            s->follows[i] = false;
        } else if (body->model >= 0) {
            if (!note_model(s, moment, i, reskin, frame, error)) {
                return false;
            }
        } else {
            note_particles(s, moment, i, frame);
        }
    }
    return true;
}

// --- bending ----------------------------------------------------------------------------------

static wr_vec3 mean_of(const wr_vec3 *points, int count)
{
    double sum[3] = {0.0};
    for (int k = 0; k < count; k++) {
        sum[0] += (double)points[k].x;
        sum[1] += (double)points[k].y;
        sum[2] += (double)points[k].z;
    }
    return wr_v3((float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count));
}

// The rigid motion that takes points a as near to b as one can.
static wr_pose fit(const wr_vec3 *a, const wr_vec3 *b, int count)
{
    wr_vec3 from = mean_of(a, count), to = mean_of(b, count);
    double m[3][3] = {{0.0}}, rotation[3][3];
    for (int k = 0; k < count; k++) {
        wr_vec3 p = wr_sub(b[k], to), q = wr_sub(a[k], from);
        for (int i = 0; i < 9; i++) {
            m[i / 3][i % 3] += (double)(&p.x)[i / 3] * (double)(&q.x)[i % 3];
        }
    }
    wri_polar3d(m, rotation, NULL);
    wr_pose pose = {to, wri_quat_from_rotation(rotation)};
    pose.position = wr_sub(to, wr_rotate(pose.rotation, from));
    return pose;
}

// Whether a part of a body is there at a moment, with the same points as at the first one.
static bool is_part(const wri_sights *s, int moment, int part, int owner)
{
    return s->follows[part] && wri_body_owner(s->info, part) == owner &&
           s->areas[row_of(s, 0, part)] > 0.0f && s->areas[row_of(s, moment, part)] > 0.0f;
}

// The part of a body that the others are nearest to in the end, as wri_whole_find_core; -1: none.
static int find_core(const wri_sights *s, int owner)
{
    enum { LAST = WRI_SIGHTS - 1 };
    int core = -1;
    float least = INFINITY;
    for (int i = 0; i < s->count; i++) {
        float sum = 0.0f;
        wr_vec3 own = s->middles[row_of(s, LAST, i)];
        for (int k = 0; k < s->count && is_part(s, LAST, i, owner); k++) {
            sum += is_part(s, LAST, k, owner) ? wr_distance(own, s->middles[row_of(s, LAST, k)])
                                              : 0.0f;
        }
        core = is_part(s, LAST, i, owner) && sum < least ? i : core;
        least = core == i ? sum : least;
    }
    return core;
}

static float size_of(const wri_sights *s, int owner)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < s->count; i++) {
        size_t first = first_of(s, 0, i);
        bool counts = wri_body_owner(s->info, i) == owner && s->areas[row_of(s, 0, i)] > 0.0f;
        for (int k = 0; k < s->per && counts; k++) {
            box = wr_box_add(box, s->points[first + (size_t)k]);
        }
    }
    wr_vec3 size = wr_box_is_empty(box) ? wr_v3(0.0f, 0.0f, 0.0f) : wr_box_size(box);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

// How far the points of a part are from where a rigid motion would have them. What flew off counts
// as far as the body is long.
static double find_bend(wri_sights *s, int moment, int part, wr_pose motion, float size)
{
    size_t before = first_of(s, 0, part), now = first_of(s, moment, part);
    double sum = 0.0;
    for (int k = 0; k < s->per; k++) {
        wr_vec3 rigid = wr_pose_point(motion, s->points[before + (size_t)k]);
        float moved = wr_distance(rigid, s->points[now + (size_t)k]);
        moved = moved > TRACE * size ? fminf(moved, size) : 0.0f;
        s->moved[now + (size_t)k] = moved;
        sum += (double)moved;
    }
    return sum * (double)s->areas[row_of(s, 0, part)];
}

static void find_middles(wri_sights *s)
{
    for (int moment = 0; moment < WRI_SIGHTS; moment++) {
        for (int i = 0; i < s->count; i++) {
            s->middles[row_of(s, moment, i)] = mean_of(s->points + first_of(s, moment, i), s->per);
        }
    }
}

static void watch_body(wri_sights *s, int moment, int owner, int core, float size)
{
    const wr_vec3 *before = s->points + first_of(s, 0, core);
    wr_pose motion = fit(before, s->points + first_of(s, moment, core), s->per);
    wr_vec3 middle = s->middles[row_of(s, moment, core)];
    for (int i = 0; i < s->count; i++) {
        if (is_part(s, moment, i, owner)) {
            size_t row = row_of(s, moment, i);
            s->is_off[row] = wr_distance(s->middles[row], middle) > size;
            s->bends[row_of(s, moment, owner)] += find_bend(s, moment, i, motion, size);
        }
    }
}

void wri_sights_find_bends(wri_sights *s)
{
    find_middles(s);
    for (int owner = 0; owner < s->count; owner++) {
        bool moves = !s->info->bodies[owner].is_static && wri_body_owner(s->info, owner) == owner;
        int core = moves ? find_core(s, owner) : -1;
        float size = core >= 0 ? size_of(s, owner) : 0.0f;
        for (int moment = 1; moment < WRI_SIGHTS && core >= 0; moment++) {
            if (s->areas[row_of(s, moment, core)] > 0.0f) {
                watch_body(s, moment, owner, core, size);
            }
        }
    }
}

double wri_sights_bend(const wri_sights *s, int moment, int body)
{
    return s->bends[row_of(s, moment, body)];
}

// --- the picture ------------------------------------------------------------------------------

static lens make_lens(const wr_camera *camera, float aspect)
{
    lens l = {.from = camera->from, .scale = 0.5f * HIGH / tanf(0.5f * camera->fov)};
    wr_camera_axes(camera, &l.forward, &l.right, &l.up);
    l.wide = (int)wr_clampf(HIGH * aspect + 0.5f, 1.0f, WIDEST);
    return l;
}

// Where a point is, in pixels; false: not ahead.
static bool project(const lens *l, wr_vec3 point, float *x, float *y, float *depth)
{
    wr_vec3 d = wr_sub(point, l->from);
    *depth = wr_dot(d, l->forward);
    if (!(*depth > 1e-6f)) {
        return false;
    }
    float scale = l->scale / *depth;
    *x = 0.5f * (float)l->wide + scale * wr_dot(d, l->right);
    *y = 0.5f * HIGH - scale * wr_dot(d, l->up);
    return true;
}

static void mark(pixel *p, float depth, int body)
{
    if (body == p->body) {
        p->first = depth < p->first ? depth : p->first;
    } else if (depth < p->first) {
        p->second = p->first;
        p->first = depth;
        p->body = body;
    } else if (depth < p->second) {
        p->second = depth;
    }
}

// Marks every pixel whose ray meets a disc; normal 0: it faces the camera.
static void draw_disc(wri_sights *s, wr_vec3 point, wr_vec3 normal, float radius, int body)
{
    const lens *l = &s->lens;
    wr_vec3 way = wr_sub(point, l->from);
    float depth = wr_dot(way, l->forward), x, y;
    normal = wr_dot(normal, normal) > 0.0f ? normal : l->forward;
    int left = 0, right = l->wide - 1, top = 0, bottom = HIGH - 1;
    if (depth < -radius) {
        return;
    }
    if (depth > 2.0f * radius && project(l, point, &x, &y, &depth)) {
        float reach = l->scale * radius / (depth - radius);
        left = (int)wr_clampf(x - reach, 0.0f, (float)l->wide);
        right = (int)wr_clampf(x + reach, -1.0f, (float)(l->wide - 1));
        top = (int)wr_clampf(y - reach, 0.0f, HIGH);
        bottom = (int)wr_clampf(y + reach, -1.0f, HIGH - 1);
        if (x + reach < 0.0f || y + reach < 0.0f) {
            return;
        }
    }
    float along = wr_dot(way, normal), step = 1.0f / l->scale;
    for (int py = top; py <= bottom; py++) {
        float dy = step * (0.5f * HIGH - (float)py - 0.5f);
        wr_vec3 row = wr_add_scaled(l->forward, dy, l->up);
        for (int px = left; px <= right; px++) {
            float dx = step * ((float)px + 0.5f - 0.5f * (float)l->wide);
            wr_vec3 ray = wr_add_scaled(row, dx, l->right);
            float t = along / wr_dot(ray, normal); // metres ahead, as ray is 1 ahead
            wr_vec3 off = wr_sub(wr_scale(t, ray), way);
            if (t > 1e-6f && wr_dot(off, off) <= radius * radius) {
                mark(&s->pixels[py * l->wide + px], t, body);
            }
        }
    }
}

// Of a disc with the area of a point, a little larger so that they leave no gaps.
static float radius_of(float area)
{
    return 1.15f * sqrtf(area / 3.14159265f);
}

void wri_sights_aim(wri_sights *s, int moment, const wr_camera *camera, float aspect)
{
    s->moment = moment;
    s->lens = make_lens(camera, aspect);
}

void wri_sights_draw(wri_sights *s)
{
    int moment = s->moment;
    for (int i = 0; i < s->lens.wide * HIGH; i++) {
        s->pixels[i] = (pixel){INFINITY, INFINITY, -1};
    }
    for (int i = 0; i < s->count; i++) {
        float area = s->areas[row_of(s, moment, i)];
        size_t first = first_of(s, moment, i);
        int owner = wri_body_owner(s->info, i);
        for (int k = 0; k < s->per && area > 0.0f; k++) {
            size_t at = first + (size_t)k;
            draw_disc(s, s->points[at], s->normals[at], radius_of(area), owner);
        }
    }
}

// Whether a point of a body is in the picture with nobody else before it.
static bool is_shown(const wri_sights *s, float x, float y, float depth, float radius, int owner)
{
    if (!(x >= 0.0f && x < (float)s->lens.wide && y >= 0.0f && y < HIGH)) {
        return false;
    }
    const pixel *p = &s->pixels[(int)y * s->lens.wide + (int)x];
    float other = p->body == owner ? p->second : p->first;
    return other >= depth - radius - depth / s->lens.scale; // or as near as what touches it
}

wri_sight wri_sights_see(const wri_sights *s, int body)
{
    float left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    double facing = 0.0, shown = 0.0, bends = 0.0, bends_shown = 0.0;
    bool ahead = true;
    for (int i = 0; i < s->count; i++) {
        float area = s->areas[row_of(s, s->moment, i)];
        size_t first = first_of(s, s->moment, i);
        bool counts = area > 0.0f && wri_body_owner(s->info, i) == body &&
                      !s->is_off[row_of(s, s->moment, i)];
        for (int k = 0; k < s->per && counts; k++) {
            wr_vec3 point = s->points[first + (size_t)k], normal = s->normals[first + (size_t)k];
            double bend = (double)(area * s->moved[first + (size_t)k]);
            float x = 0.0f, y = 0.0f, depth;
            bool is_ahead = project(&s->lens, point, &x, &y, &depth);
            bool faces = wr_dot(normal, wr_sub(point, s->lens.from)) <= 0.0f;
            bool is_seen = is_ahead && faces && is_shown(s, x, y, depth, radius_of(area), body);
            ahead = ahead && is_ahead;
            left = fminf(left, x);
            right = fmaxf(right, x);
            top = fminf(top, y);
            bottom = fmaxf(bottom, y);
            facing += faces ? (double)area : 0.0;
            shown += is_seen ? (double)area : 0.0;
            bends += bend;
            bends_shown += is_seen ? bend : 0.0;
        }
    }
    wri_sight out = {1.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f};
    if (ahead && left <= right) {
        float wide = 1.0f / (float)s->lens.wide;
        out = (wri_sight){
            .left = left * wide, .right = right * wide, .top = top / HIGH, .bottom = bottom / HIGH};
    }
    out.shown = facing > 0.0 ? (float)(shown / facing) : 0.0f;
    out.bent = bends > 0.0 ? (float)fmin(2.0 * bends_shown / bends, 1.0) : 0.0f;
    return out;
}
