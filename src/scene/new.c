// new.c: a first scene around a model, to be edited: a floor, balls that are thrown at it, and a
// camera that sees what they do.
#include "scene.h"

#include "../file/keys.h"

#include <math.h>

#define GRAVITY 9.81

// Lengths are in sizes of the body and speeds in those of a fall from its own height, so that a toy
// and a ship are hit alike.
#define BALL_RADIUS 0.11
#define SPEED 2.5        // of a ball when it hits
#define LENGTH 5.5       // of the scene in fall times, from 2 to 20 s
#define BETWEEN_HITS 0.2 // of the length, and until the first
#define FREE 0.05        // fall times: what a ball flies freely before it hits

// Masses: of the body as of a car in its box, of the balls in bodies.
#define DENSITY_OF_BOX 120.0 // kg/m^3
#define LEAST_MASS 1e-6      // kg: scenes take balls of 1e-9 kg
#define MOST_MASS 1e12       // kg, likewise
#define LEAST_SIZE 2e-4      // m: scenes take balls of 0.01 mm
#define MOST_SIZE 2e5        // m: places of up to 1 000 km
#define BALL_MASS 0.4

// Metal that shows what hit it: all of the hit goes to one example, and nearly all the way. It is
// bolted to the floor: so it neither topples nor leaves the picture, and what the floor pushes back
// with, which is as much as what hits it from above, does not crush its feet.
#define BEND 6.0
#define YIELD 0.3
#define REACH 0.5
#define REACH_OF_GLASS 1.0 // what is clear shows dents by outlines and folds, but not by shades
#define FOCUS 1.0

#define FIELD_OF_VIEW 35.0  // degrees
#define SHARE_OF_HEIGHT 0.6 // of the picture's that the body takes at the start, at most
#define SHARE_OF_WIDTH 0.7  // likewise

// The setting: the body stands on the ground in the middle.
typedef struct setting {
    const wr_scene_start *start;
    wri_json_writer *json;
    wr_vec3 extent;
    double size;       // longest side
    double fall_speed; // behind a fall from this height
    double length;     // of the scene, seconds
    double mass;       // of the body
    double reach;      // of a dent, in sizes
    bool is_bolted;    // to the floor
    const char *floor; // its name
    wr_camera camera;  // around the points as they are
} setting;

// Four digits are enough for somebody who reads them.
static double rounded(double value)
{
    double scale = 1.0;
    while (value != 0.0 && fabs(value) * scale < 1000.0 && scale < 1e12) {
        scale *= 10.0;
    }
    return round(value * scale) / scale + 0.0; // no -0
}

// To the decimals that four digits of a size have: farther away it takes more digits.
static double rounded_like(double value, double size)
{
    double scale = 1.0;
    while (size * scale < 1000.0 && scale < 1e12) {
        scale *= 10.0;
    }
    return round(value * scale) / scale + 0.0; // no -0
}

static void write_vector(wri_json_writer *json, const char *key, double x, double y, double z)
{
    const double numbers[3] = {rounded(x), rounded(y), rounded(z)};
    wri_json_write_numbers(json, key, numbers, 3);
}

static void begin_box(wri_json_writer *json, const char *name, double x, double y, double z)
{
    wri_json_begin_object(json, NULL);
    wri_json_write_string(json, "name", name);
    wri_json_begin_object(json, "shape");
    write_vector(json, "box", x, y, z);
    wri_json_end_object(json);
}

static void begin_ball(wri_json_writer *json, const char *name, double radius)
{
    wri_json_begin_object(json, NULL);
    wri_json_write_string(json, "name", name);
    wri_json_begin_object(json, "shape");
    wri_json_write_number(json, "sphere", rounded(radius));
    wri_json_end_object(json);
    wri_json_write_string(json, "color", "#b8452c");
}

static bool is_metal(const wri_json *material)
{
    return material &&
           (material->type == WRI_JSON_STRING ? strcmp(material->string, "metal") == 0
                                              : wri_json_find(material, "metal") != NULL);
}

static void write_hero(setting *s, const wri_json *material)
{
    wr_vec3 middle = wr_box_center(s->start->bounds);
    wri_json_begin_object(s->json, NULL);
    wri_json_write_string(s->json, "name", s->start->name);
    wri_json_write_string(s->json, "asset", s->start->name);
    write_vector(s->json, "at", -middle.x, -s->start->bounds.min.y, -middle.z);
    if (!s->start->is_flat) {
        wri_json_write_number(s->json, "mass", rounded(s->mass));
        s->is_bolted = is_metal(material) && s->start->shape_count > 0;
        if (is_metal(material) && !s->is_bolted) {
            wri_json_write_string(s->json, "material", "rigid"); // metal needs examples
        } else if (s->is_bolted && material->type == WRI_JSON_STRING) {
            wri_json_begin_object(s->json, "material"); // one without numbers of its own
            wri_json_write_string(s->json, material->string, "default");
            wri_json_write_number(s->json, "bend", BEND);
            wri_json_write_number(s->json, "yield", YIELD);
            wri_json_write_number(s->json, "reach", rounded(s->reach));
            wri_json_write_number(s->json, "focus", FOCUS);
            wri_json_end_object(s->json);
        }
    }
    wri_json_end_object(s->json);
}

static void write_bolt(const setting *s)
{
    wri_json_begin_array(s->json, "joints");
    wri_json_begin_object(s->json, NULL);
    wri_json_write_string(s->json, "name", "bolt");
    wri_json_write_string(s->json, "kind", "fixed");
    wri_json_begin_array(s->json, "bodies");
    wri_json_write_string(s->json, NULL, s->start->name);
    wri_json_write_string(s->json, NULL, s->floor);
    wri_json_end_array(s->json);
    write_vector(s->json, "at", 0.0, 0.0, 0.0);
    wri_json_end_object(s->json);
    wri_json_end_array(s->json);
}

// The larger of the shares that the points take of what they may of the picture.
static double find_share(const setting *s, const wr_camera *camera)
{
    enum { WIDE = 1600, HIGH = 900 };
    wr_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int i = 0; i < s->start->point_count; i++) {
        wr_vec2 pixel;
        float depth;
        if (!wr_camera_project(camera, WIDE, HIGH, s->start->points[i], &pixel, &depth)) {
            return 1.0;
        }
        low = (wr_vec2){fminf(low.x, pixel.x), fminf(low.y, pixel.y)};
        high = (wr_vec2){fmaxf(high.x, pixel.x), fmaxf(high.y, pixel.y)};
    }
    return fmax((double)(high.x - low.x) / (SHARE_OF_WIDTH * WIDE),
                (double)(high.y - low.y) / (SHARE_OF_HEIGHT * HIGH));
}

// From the front, a little from the side and from above, so far away that the body takes its share.
static void find_camera(setting *s)
{
    const float turn = 0.55f, rise = 0.38f; // radians
    s->camera =
        wr_camera_frame_points(s->start->points, s->start->point_count, 16.0f / 9.0f, turn, rise);
    s->camera.fov = (float)(FIELD_OF_VIEW * 3.14159265358979323846 / 180.0);
    for (int i = 0; i < 8; i++) { // it is nearly, but not quite, as one over the distance
        wr_vec3 back = wr_sub(s->camera.from, s->camera.to);
        s->camera.from = wr_add_scaled(s->camera.to, (float)find_share(s, &s->camera), back);
    }
}

static void write_camera(const setting *s)
{
    wr_vec3 middle = wr_box_center(s->start->bounds);
    wr_vec3 place = wr_v3(middle.x, s->start->bounds.min.y, middle.z);
    wr_vec3 from = wr_sub(s->camera.from, place), to = wr_sub(s->camera.to, place);
    wri_json_begin_array(s->json, "cameras");
    wri_json_begin_object(s->json, NULL);
    wri_json_write_string(s->json, "name", "front");
    write_vector(s->json, "from", (double)from.x, (double)from.y, (double)from.z);
    write_vector(s->json, "to", (double)to.x, (double)to.y, (double)to.z);
    wri_json_write_number(s->json, "fov", FIELD_OF_VIEW);
    wri_json_end_object(s->json);
    wri_json_end_array(s->json);
}

// Where balls may come from, as the camera sees it: right, up, and towards it. None comes along its
// line of sight.
static const wr_vec3 from_sides[] = {
    {0.9f, 0.3f, 0.45f},  {-0.9f, 0.3f, 0.45f},  {0.6f, 0.8f, 0.3f},  {-0.6f, 0.8f, 0.3f},
    {0.65f, 0.35f, 0.7f}, {-0.65f, 0.35f, 0.7f}, {0.15f, 1.0f, 0.25f}};

// One after the other. They fly straight until just before they hit.
static bool write_balls(const setting *s, wr_error *error)
{
    enum { WAYS = WRI_COUNT(from_sides), BALLS = 3 };
    static const char *const names[BALLS] = {"first ball", "second ball", "third ball"};
    double radius = BALL_RADIUS * s->size, fall_time = s->fall_speed / GRAVITY;
    wr_vec3 middle = wr_box_center(s->start->bounds), ways[WAYS];
    wr_vec3 view = wr_normalize(wr_sub(s->camera.to, s->camera.from));
    wr_vec3 back = wr_normalize(wr_v3(-view.x, 0.0f, -view.z)),
            right = wr_v3(back.z, 0.0f, -back.x);
    wri_aim aims[BALLS];
    for (int i = 0; i < WAYS; i++) {
        wr_vec3 side = wr_add_scaled(wr_scale(from_sides[i].x, right), from_sides[i].z, back);
        ways[i] = wr_normalize(wr_v3(-side.x, -from_sides[i].y, -side.z));
    }
    if (!wri_find_aims(s->start, view, (float)REACH, ways, WAYS, aims, BALLS, error)) {
        return false;
    }
    for (int i = 0; i < BALLS; i++) {
        double time = (i + 1) * BETWEEN_HITS * s->length;
        wr_vec3 along = ways[aims[i].way];
        // It flies by many sizes: what its velocity lacks of digits it would miss a small body by.
        double speed = SPEED * s->fall_speed;
        const double velocity[3] = {rounded(speed * (double)along.x),
                                    rounded(speed * (double)along.y),
                                    rounded(speed * (double)along.z)};
        wr_vec3 at = wr_add_scaled(aims[i].at, -(float)radius, along);
        at = wr_sub(at, wr_v3(middle.x, s->start->bounds.min.y, middle.z));
        at.y = fmaxf(at.y, 1.02f * (float)radius);
        const double from[3] = {rounded_like((double)at.x - time * velocity[0], s->size),
                                rounded_like((double)at.y - time * velocity[1], s->size),
                                rounded_like((double)at.z - time * velocity[2], s->size)};
        begin_ball(s->json, names[i], radius);
        wri_json_write_number(s->json, "mass", rounded(BALL_MASS * s->mass));
        wri_json_write_numbers(s->json, "at", from, 3);
        wri_json_write_numbers(s->json, "velocity", velocity, 3);
        wri_json_write_number(s->json, "hold", rounded(time - fmin(FREE * fall_time, 0.5 * time)));
        wri_json_end_object(s->json);
    }
    return true;
}

static bool write_solid(setting *s, const wri_json *material, wr_error *error)
{
    wri_json_begin_array(s->json, "bodies");
    wri_json_begin_object(s->json, NULL);
    wri_json_write_string(s->json, "name", s->floor);
    wri_json_write_string(s->json, "shape", "plane");
    wri_json_write_number(s->json, "friction", 0.8);
    wri_json_end_object(s->json);
    write_hero(s, material);
    find_camera(s);
    bool ok = write_balls(s, error);
    wri_json_end_array(s->json);
    if (s->is_bolted) {
        write_bolt(s);
    }
    write_camera(s);
    return ok;
}

// A drawing in its plane; the camera finds it by itself.
static void write_flat(setting *s)
{
    wri_json_write_bool(s->json, "flat", true);
    wri_json_begin_array(s->json, "bodies");
    begin_box(s->json, s->floor, 20.0 * s->size, s->size, s->size);
    write_vector(s->json, "at", 0.0, -0.5 * s->size, 0.0);
    wri_json_write_string(s->json, "motion", "static");
    wri_json_write_string(s->json, "color", "#36979c");
    wri_json_end_object(s->json);
    write_hero(s, NULL);
    begin_ball(s->json, "ball", 0.12 * s->size);
    wri_json_write_number(s->json, "density", 20.0); // drawings are as light as a sheet
    write_vector(s->json, "at", -1.5 * s->size - 0.5 * (double)s->extent.x,
                 0.6 * (double)s->extent.y, 0.0);
    write_vector(s->json, "velocity", 1.5 * s->fall_speed, 0.25 * s->fall_speed, 0.0);
    wri_json_end_object(s->json);
    wri_json_end_array(s->json);
}

static bool write_scene(setting *s, const wri_json *material, wr_error *error)
{
    const wr_scene_start *start = s->start;
    bool ok = true;
    wri_json_begin_object(s->json, NULL);
    wri_json_write_int(s->json, "wrought", 1);
    wri_json_write_string(s->json, "name", start->name);
    wri_json_write_number(s->json, "length", s->length);
    wri_json_begin_object(s->json, "assets");
    wri_json_write_string(s->json, start->name, start->file);
    wri_json_end_object(s->json);
    if (start->is_flat) {
        write_flat(s);
    } else {
        ok = write_solid(s, material, error);
    }
    wri_json_end_object(s->json);
    return ok;
}

char *wr_scene_write_new(const wr_scene_start *start, size_t *size, wr_error *error)
{
    if (!WRI_REQUIRE(error, start, size) || !WRI_REQUIRE(error, start->name, start->file) ||
        !WRI_REQUIRE(error, start->points)) {
        return NULL;
    }
    wri_json_writer json = wri_json_writer_create(NULL, true);
    setting s = {.start = start, .json = &json, .extent = wr_box_size(start->bounds)};
    s.floor = strcmp(start->name, "floor") == 0 ? "ground" : "floor";
    double x = (double)s.extent.x, y = (double)s.extent.y, z = (double)s.extent.z;
    s.size = fmax(x, fmax(y, z));
    s.fall_speed = sqrt(2.0 * GRAVITY * s.size);
    double length = LENGTH * s.fall_speed / GRAVITY;
    s.length = round(2.0 * fmin(fmax(length, 2.0), 20.0)) / 2.0;
    // A sheet has a volume, too.
    s.mass = DENSITY_OF_BOX * fmax(x, 0.1 * s.size) * fmax(y, 0.1 * s.size) * fmax(z, 0.1 * s.size);
    s.mass = fmin(fmax(s.mass, LEAST_MASS), MOST_MASS);
    s.reach = REACH + (REACH_OF_GLASS - REACH) * (double)start->clearness;
    if (!(s.size > 0.0 && isfinite(s.size))) {
        wri_fail(error, WR_E_FORMAT, "%s: has no size, expected a model to put into a scene",
                 start->file);
        return NULL;
    }
    if (s.size < LEAST_SIZE || s.size > MOST_SIZE) { // its balls would be refused, or their places
        wri_fail(error, WR_E_FORMAT,
                 "%s: is %s m in size, expected 0.2 mm to 200 km: is it in another unit?",
                 start->file, WRI_NUMBER(s.size, 3));
        return NULL;
    }
    wri_arena arena = wri_arena_create(NULL);
    const wri_json *material =
        start->material ? wri_json_parse(&arena, start->material, strlen(start->material),
                                         start->file, false, error)
                        : NULL;
    bool ok = (material || !start->material) && write_scene(&s, material, error);
    char *text = ok ? wri_json_copy_text(&json, size, error) : NULL;
    wri_json_writer_destroy(&json);
    wri_arena_destroy(&arena);
    return text;
}
