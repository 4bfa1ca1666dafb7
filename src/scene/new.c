// new.c: a first scene around a model, to be edited: a floor, something thrown at it, something
// that falls on it, and a camera.
#include "scene.h"

#include "../file/keys.h"

#include <math.h>

#define GRAVITY 9.81

// Lengths are in sizes of the body and speeds in those of a fall from its own height, so that a toy
// and a ship are hit alike.
#define WEIGHT_SIDE 0.36
#define WEIGHT_HEIGHT 1.2  // above the body
#define WEIGHT_BEHIND 0.08 // what is to be hit: it falls over to the back, out of the view
#define BALL_RADIUS 0.15
#define BALL_SPEED 1.6
#define BALL_DISTANCE 6.0 // from where it hits: it comes when the weight has done its work

// Masses: of the body as of a car in its box, of the others in bodies. The weight presses the body
// onto the ground; the ball is light, and the ground smooth to the body: it slides and does not
// topple.
#define DENSITY_OF_BOX 120.0 // kg/m^3
#define WEIGHT_MASS 1.6
#define BALL_MASS 0.15
#define HERO_FRICTION 0.35

#define FIELD_OF_VIEW 35.0   // degrees
#define SHARE_OF_HEIGHT 0.58 // of the picture's that the body takes at the start, at most
#define SHARE_OF_WIDTH 0.66  // likewise

// The setting: the body stands on the ground in the middle.
typedef struct setting {
    const wr_scene_start *start;
    wri_json_writer *json;
    wr_vec3 extent, aim;
    double size;       // longest side
    double fall_speed; // behind a fall from this height
    double mass;
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

static void begin_ball(wri_json_writer *json, double radius)
{
    wri_json_begin_object(json, NULL);
    wri_json_write_string(json, "name", "ball");
    wri_json_begin_object(json, "shape");
    wri_json_write_number(json, "sphere", rounded(radius));
    wri_json_end_object(json);
    wri_json_write_string(json, "color", "#b8452c");
}

static void write_hero(const setting *s)
{
    wr_vec3 middle = wr_box_center(s->start->bounds);
    wri_json_begin_object(s->json, NULL);
    wri_json_write_string(s->json, "name", s->start->name);
    wri_json_write_string(s->json, "asset", s->start->name);
    write_vector(s->json, "at", -middle.x, -s->start->bounds.min.y, -middle.z);
    if (!s->start->is_flat) {
        wri_json_write_number(s->json, "mass", rounded(s->mass));
        wri_json_write_number(s->json, "friction", HERO_FRICTION);
    }
    wri_json_end_object(s->json);
}

// It flies so that it comes down again by as much as it rose.
static void write_thrown_ball(const setting *s)
{
    double radius = BALL_RADIUS * s->size, speed = BALL_SPEED * s->fall_speed;
    double flight = BALL_DISTANCE * s->size / speed;
    begin_ball(s->json, radius);
    wri_json_write_number(s->json, "mass", rounded(BALL_MASS * s->mass));
    write_vector(s->json, "at", s->aim.x, fmax(s->aim.y, 1.1 * radius),
                 0.5 * s->extent.z + radius + BALL_DISTANCE * s->size);
    write_vector(s->json, "velocity", 0.0, 0.5 * GRAVITY * flight, -speed);
    wri_json_end_object(s->json);
}

static void write_falling_weight(const setting *s)
{
    double side = WEIGHT_SIDE * s->size;
    begin_box(s->json, "weight", side, side, side);
    wri_json_write_string(s->json, "color", "#3f5f78");
    wri_json_write_number(s->json, "mass", rounded(WEIGHT_MASS * s->mass));
    write_vector(s->json, "at", s->aim.x, s->extent.y + WEIGHT_HEIGHT * s->size,
                 s->aim.z - WEIGHT_BEHIND * s->size);
    wri_json_begin_object(s->json, "turn");
    write_vector(s->json, "axis", -1.0, 0.3, 0.2);
    wri_json_write_int(s->json, "by", 12);
    wri_json_end_object(s->json);
    wri_json_end_object(s->json);
}

// From the front, a little from the side and from above, so far away that the body takes its share.
static void write_camera(const setting *s)
{
    double half_angle = 0.5 * FIELD_OF_VIEW * 3.14159265358979323846 / 180.0;
    double width = sqrt(s->extent.x * s->extent.x + s->extent.z * s->extent.z);
    double height = fmax(s->extent.y / SHARE_OF_HEIGHT, 9.0 / 16.0 * width / SHARE_OF_WIDTH);
    double distance = 0.5 * height / tan(half_angle) + 0.5 * width;
    wr_vec3 to = {0.0f, 0.5f * s->extent.y, 0.0f};
    wr_vec3 from = wr_add_scaled(to, (float)distance, wr_normalize(wr_v3(0.62f, 0.42f, 1.0f)));
    wri_json_begin_array(s->json, "cameras");
    wri_json_begin_object(s->json, NULL);
    wri_json_write_string(s->json, "name", "front");
    write_vector(s->json, "from", from.x, from.y, from.z);
    write_vector(s->json, "to", to.x, to.y, to.z);
    wri_json_write_number(s->json, "fov", FIELD_OF_VIEW);
    wri_json_end_object(s->json);
    wri_json_end_array(s->json);
}

static void write_solid(const setting *s)
{
    wri_json_begin_array(s->json, "bodies");
    wri_json_begin_object(s->json, NULL);
    wri_json_write_string(s->json, "name", "floor");
    wri_json_write_string(s->json, "shape", "plane");
    wri_json_write_number(s->json, "friction", 0.8);
    wri_json_end_object(s->json);
    write_hero(s);
    write_falling_weight(s);
    write_thrown_ball(s);
    wri_json_end_array(s->json);
    write_camera(s);
}

// A drawing in its plane; the camera finds it by itself.
static void write_flat(const setting *s)
{
    wri_json_write_bool(s->json, "flat", true);
    wri_json_begin_array(s->json, "bodies");
    begin_box(s->json, "floor", 20.0 * s->size, s->size, s->size);
    write_vector(s->json, "at", 0.0, -0.5 * s->size, 0.0);
    wri_json_write_string(s->json, "motion", "static");
    wri_json_write_string(s->json, "color", "#36979c");
    wri_json_end_object(s->json);
    write_hero(s);
    begin_ball(s->json, 0.12 * s->size);
    wri_json_write_number(s->json, "density", 20.0); // drawings are as light as a sheet
    write_vector(s->json, "at", -1.5 * s->size - 0.5 * s->extent.x, 0.6 * s->extent.y, 0.0);
    write_vector(s->json, "velocity", 1.5 * s->fall_speed, 0.25 * s->fall_speed, 0.0);
    wri_json_end_object(s->json);
    wri_json_end_array(s->json);
}

char *wr_scene_write_new(const wr_scene_start *start, size_t *size, wr_error *error)
{
    if (!WRI_REQUIRE(error, start, size) || !WRI_REQUIRE(error, start->name, start->file)) {
        return NULL;
    }
    wri_json_writer json = wri_json_writer_create(NULL, true);
    setting s = {.start = start, .json = &json, .extent = wr_box_size(start->bounds)};
    s.size = fmax(s.extent.x, fmax(s.extent.y, s.extent.z));
    wr_vec3 middle = wr_box_center(start->bounds);
    s.aim =
        wr_v3(start->aim.x - middle.x, start->aim.y - start->bounds.min.y, start->aim.z - middle.z);
    s.fall_speed = sqrt(2.0 * GRAVITY * s.size);
    // A sheet has a volume, too.
    s.mass = DENSITY_OF_BOX * fmax(s.extent.x, 0.1 * s.size) * fmax(s.extent.y, 0.1 * s.size) *
             fmax(s.extent.z, 0.1 * s.size);
    if (!(s.size > 0.0 && isfinite(s.size))) {
        wri_fail(error, WR_E_FORMAT, "%s: has no size, expected a model to put into a scene",
                 start->file);
        return NULL;
    }
    double length = 4.5 * s.fall_speed / GRAVITY; // as many falls from its own height
    wri_json_begin_object(&json, NULL);
    wri_json_write_int(&json, "wrought", 1);
    wri_json_write_string(&json, "name", start->name);
    wri_json_write_number(&json, "length", round(2.0 * fmin(fmax(length, 2.0), 20.0)) / 2.0);
    wri_json_begin_object(&json, "assets");
    wri_json_write_string(&json, start->name, start->file);
    wri_json_end_object(&json);
    if (start->is_flat) {
        write_flat(&s);
    } else {
        write_solid(&s);
    }
    wri_json_end_object(&json);
    char *text = wri_json_copy_text(&json, size, error);
    wri_json_writer_destroy(&json);
    return text;
}
