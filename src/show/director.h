// director.h: where the automatic camera of a solid stage stands, chosen from what happened: it
// shows what bends and who is hit, near, unobstructed and level.
#pragma once

#include "show.h"

enum { WRI_MOST_HEROES = 8 }; // more are a crowd, which is shown whole

typedef struct wri_direction {
    bool is_found;               // false: nothing stands out, show all that moves
    wr_camera camera;            // at the start
    int body_count;              // 0: it stays
    int bodies[WRI_MOST_HEROES]; // that it goes along with
} wri_direction;

// Memory for a while comes from the arena.
bool wri_direct(wr_record_reader *reader, const wr_record_info *info, float aspect,
                wri_arena *arena, wri_direction *out, wr_error *error);
