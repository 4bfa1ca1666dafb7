// sprite_tables.h: the words of sprites and their controllers as raw structs, and the tables that
// fill them.
#pragma once

#include "../file/keys.h"

// Members of type const wri_json * are read when the poses, buttons and behaviours are known.
typedef struct raw_sprite {
    const wri_json *manifold, *nails, *controller;
} raw_sprite;

typedef struct raw_manifold {
    const char *start, *give_to, *stretch_to;
    const wri_json *poses, *edges, *triangles, *drag;
} raw_manifold;

typedef struct raw_nail {
    const char *handle;
    double until; // < 0: not said
} raw_nail;

typedef struct raw_controller {
    const char *start;
    int looks; // 0 right, 1 left
    const wri_json *buttons, *paths, *behaviours;
} raw_controller;

typedef struct raw_pose_path {
    const wri_json *poses;
    double each, stride;
    bool loop;
} raw_pose_path;

typedef struct raw_pose_key {
    const char *pose;
    double time;
} raw_pose_key;

typedef struct raw_behaviour {
    const char *pose;
    const wri_json *path, *only_while, *push, *set, *drag, *enter, *leave, *go;
    double rate, blend, walk, steer, grip;
    int heading, face;
} raw_behaviour;

typedef struct raw_effect {
    double brake, jump, spin;
    const wri_json *kick, *release, *hold;
    bool flip;
} raw_effect;

typedef struct raw_push {
    const wri_json *held, *along;
    double up_to;
} raw_push;

typedef struct raw_transition {
    const char *to, *near;
    const wri_json *pressed, *released, *held, *not_held;
    double within, nearness, after, before;
    bool on_ground, touching, done;
    int faces; // 0 left, 1 right
    const wri_json *airborne, *speed, *forward, *rising, *falling, *hit;
} raw_transition;

typedef struct raw_range {
    double above, below;
} raw_range;

extern const wri_table wri_sprite_table, wri_manifold_table, wri_nail_table, wri_controller_table,
    wri_behaviour_table, wri_pose_path_table, wri_pose_key_table, wri_effect_table, wri_push_table,
    wri_transition_table, wri_range_table;
