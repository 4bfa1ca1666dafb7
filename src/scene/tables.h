// tables.h: the words of a scene file as raw structs, and the tables that fill them.
#pragma once

#include "../file/keys.h"

typedef struct raw_rate {
    int numerator, denominator;
} raw_rate;

// Members of type const wri_json * are read in a later pass, when assets and names are known.
typedef struct raw_scene {
    int version;
    const char *name;
    double length;
    raw_rate frames;
    int substeps, iterations;
    wr_vec3 gravity, wind;
    bool sleeping, two_phases;
    const wri_json *assets, *bodies, *joints, *contacts, *inputs, *cameras, *light, *flat;
} raw_scene;

typedef struct raw_asset {
    const char *file;
    int unit, up; // indices into wri_unit_words and wri_up_words, -1: not said
} raw_asset;

typedef struct raw_body {
    const char *name, *asset;
    const char *surface;
    const wri_json *shape, *path, *pose, *groups, *misses, *again, *copies, *material, *look;
    double hold;
    wr_vec3 at, velocity, angular_velocity;
    wr_quat turn;
    double scale, density, mass, friction, restitution, rolling, linear_damping, angular_damping;
    int motion; // raw_motion
    bool sleep, visible;
    wr_color color;
} raw_body;

enum raw_motion { RAW_MOVING, RAW_STATIC, RAW_DRIVEN, RAW_UNSAID = -1 };

typedef struct raw_input {
    const char *body, *press, *hold, *down, *up;
    double at, time, from, to, step;
} raw_input;

typedef struct raw_play {
    int version;
    const wri_json *steps, *inputs;
} raw_play;

typedef struct raw_copies {
    int count;
    wr_vec3 step;
    wr_quat turn;
} raw_copies;

typedef struct raw_path_key {
    double time;
    wr_vec3 at;
    wr_quat turn;
} raw_path_key;

typedef struct raw_pose {
    const char *clip, *body, *bones;
    double at, start, speed, blend;
    bool loop;
} raw_pose;

typedef struct raw_joint {
    const char *name;
    int kind;
    const wri_json *bodies, *limits, *copies;
    wr_vec3 at, axis;
    double breaks;
    bool collide;
} raw_joint;

typedef struct raw_again {
    double below;
    wr_vec3 at;
} raw_again;

typedef struct raw_contact {
    const wri_json *between;
    double friction, restitution;
} raw_contact;

typedef struct raw_camera {
    const char *name;
    wr_vec3 from, to;
    double fov, flat, lens, blur;
    const char *follow;
    const wri_json *keys;
} raw_camera;

typedef struct raw_camera_key {
    double time;
    wr_vec3 from, to;
    double fov, flat, lens;
} raw_camera_key;

typedef struct raw_look {
    const char *preset;
    wr_color color;
    double metallic, roughness, glass;
    bool two_sided;
} raw_look;

typedef struct raw_flat {
    wr_color top, low;
    double line;
} raw_flat;

typedef struct raw_light {
    double azimuth, elevation, softness, strength, exposure, turn;
    const char *environment;
    wr_color color, zenith, horizon, ground;
} raw_light;

typedef struct raw_capsule {
    double radius, length;
} raw_capsule;

#define WRI_NAMES_SCHEMA "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"

extern const wri_table wri_scene_table, wri_asset_table, wri_body_table, wri_input_table,
    wri_play_table, wri_copies_table, wri_path_table, wri_pose_table, wri_joint_table,
    wri_again_table, wri_contact_table, wri_camera_table, wri_camera_key_table, wri_light_table,
    wri_flat_table, wri_look_table, wri_capsule_table, wri_cylinder_table;

// Sizes of shapes: positive lengths.
extern const wri_key wri_box_key, wri_radius_key;
