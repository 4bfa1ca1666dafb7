// heroes.h (internal to the director): what it knows of a recording, and who the heroes are.
#pragma once

#include "director.h"

#include "sights.h"

enum {
    WRI_BETWEEN = 3, // looks from one moment of the sights to the next
    WRI_LOOKS = WRI_BETWEEN * (WRI_SIGHTS - 1) + 1, // at frames that are evenly spread
};

typedef struct wri_hero {
    double bends;      // how much of it bends how far, m³
    double dents;      // sum of their strengths, m/s
    double hits;       // the largest impulse, N s
    wr_vec3 side;      // sum of the directions from its middle to its dents, by strength
    bool bends_freely; // its points are in the recording
    bool is_missing;   // from some frames, or not to be seen
} wri_hero;

typedef struct wri_director {
    wr_record_reader *reader;
    const wr_record_info *info;
    float aspect;
    wri_arena *arena;
    wr_error *error;
    wr_reskin *reskin;
    wri_sights *sights;
    int count;     // bodies
    wri_hero *all; // per body
    float *needs;  // per body: how much it matters that it is seen; the sum is 1
    wr_box *boxes; // WRI_LOOKS * count; of a body that breaks, its fragments that are together
    int heroes[WRI_MOST_HEROES];
    int hero_count;
    bool is_crowd;   // there are more; the first is the strongest
    bool goes_along; // with the heroes
    int first;       // the look from which on it counts: shortly before the first dent
} wri_director;

wri_director wri_director_create(const wri_set *set);
// Reads the recording, once.
bool wri_director_watch(wri_director *director);
const wr_box *wri_box_at(const wri_director *director, int look, int body);
bool wri_can_be_hero(const wri_director *director, int body);
// Those that stand out, the strongest first, and what everybody needs.
void wri_choose_heroes(wri_director *director);
// What the heroes take up at a look, and over time.
wr_box wri_heroes_at(const wri_director *director, int look);
wr_box wri_heroes_box(const wri_director *director);
