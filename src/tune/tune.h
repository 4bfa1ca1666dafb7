// tune.h (internal): metal that is watched while it is simulated.
#pragma once

#include "wrought/tune.h"

#include "../metal/metal.h"
#include "../world/world.h"

// A peak of the impulse that a contact patch of metal had summed up.
typedef struct wri_hit {
    double time;  // seconds
    double speed; // fall speeds
    wr_vec3 point, direction;
    double share; // of an example that it reaches alone, as proposed
} wri_hit;

typedef struct wri_peak {
    wri_hit hit;
    double low; // fall speeds: how far the sum has fallen since the last peak
    bool is_up; // the peak in hit is not over yet
} wri_peak;

// A stretch of time, which turns out to have been calm or not.
typedef struct wri_stretch {
    double start; // seconds
    double most;  // fall speeds
    double load;  // body weights
    int hits;
} wri_stretch;

// State that all watched bodies of a world share. Materials must run on one thread.
typedef struct wri_watch {
    wr_world *world;
    double slow;         // m/s: bodies faster than this are not at rest
    double time;         // when disturbed was last brought up to date
    wri_array disturbed; // double per engine number: when it, or what leaned on it, was last fast
    bool failed;         // out of memory
} wri_watch;

typedef struct wri_watched {
    wr_allocator allocator;
    void *inner; // the metal
    wr_metal *metal;
    wri_watch *watch;
    int engine;

    wri_peak peaks[WRI_METAL_PATCHES]; // one per patch, in its order
    int peak_count;
    wri_stretch last, now;

    wri_array hits; // wri_hit, in the order they ended
    double resting; // fall speeds
    double load;    // body weights
    double reached; // largest goal so far
    int crept;
} wri_watched;

// Metal as wri_metal_material, with wri_watched as its state. watch must be set before a step.
wr_material wri_watched_metal(void);
// Closes what is still open after the last step.
void wri_watched_finish(wri_watched *body);
double wri_largest_goal(const wr_metal *metal); // [0, 1]

struct wr_tuning {
    wri_arena arena; // the tuning itself lives in it
    wr_tune_desc desc;
    int bend, yield, bonds;    // which parameters of metal they are; bonds: of "break"
    wr_tune_body *bodies;      // by family
    wri_watched **watched;     // of each, in the present run
    wr_metal_asset_info *info; // of each
    int body_count;
    wr_tune_family *families;
    int family_count;
    wr_tune_family all;
    wri_array *hits; // of wr_tune_hit, of each body, by time

    wr_material material;
    wr_scene scene; // as it is simulated
    wr_world *world;
    wri_watch watch;
    int frame;
    bool is_checking;
};
