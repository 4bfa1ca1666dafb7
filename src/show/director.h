// director.h: where the automatic camera of a solid stage stands, chosen from what happened: it
// shows what bends and who is hit, near, unobstructed and level. Also where one stands that goes
// along with a body which somebody named.
#pragma once

#include "show.h"

enum { WRI_MOST_HEROES = 8 }; // more are a crowd, which is shown whole

typedef struct wri_direction {
    bool is_found;               // false: nothing stands out, show all that moves
    wr_camera camera;            // at the start
    int body_count;              // 0: it stays
    int bodies[WRI_MOST_HEROES]; // that it goes along with
} wri_direction;

// What a director works with. Memory for a while comes from the arena.
typedef struct wri_set {
    wr_record_reader *reader;
    const wr_record_info *info;
    wr_reskin *reskin;
    float aspect; // of the picture
    wri_arena *arena;
    wr_error *error;
} wri_set;

bool wri_direct(const wri_set *set, wri_direction *out);
// Along with one body; not found: it is not there all the time.
bool wri_direct_along(const wri_set *set, int body, wri_direction *out);
