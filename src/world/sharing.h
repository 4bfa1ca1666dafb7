// sharing.h: whether a step of an ensemble is shared out among threads.
//
// On a busy machine waiting for other threads takes longer than doing their work. So steps are
// shared out as long as that is faster, and the other way is tried now and then. Results do not
// depend on it.
#pragma once

#include "wrought/base.h"

#include "../base/os.h"

typedef struct wri_sharing {
    double seconds[2]; // of a step alone and shared out, lately
    int64_t steps;
    bool is_shared; // this step
    double start;
} wri_sharing;

// Returns the tasks for this step: NULL, or those that there are.
static inline const wr_tasks *wri_sharing_begin(wri_sharing *s, const wr_tasks *tasks)
{
    enum { TRY_EVERY = 256 };
    bool is_faster = s->steps < 2 ? s->steps == 1 : s->seconds[1] < s->seconds[0];
    bool tries = s->steps > 1 && s->steps % TRY_EVERY == 0;
    s->is_shared = tasks->worker_count > 1 && is_faster != tries;
    s->start = wri_seconds();
    return s->is_shared ? tasks : NULL;
}

static inline void wri_sharing_end(wri_sharing *s)
{
    const double share = 0.25; // of a new measurement in what is known
    double took = wri_seconds() - s->start, *known = &s->seconds[s->is_shared];
    *known = *known > 0.0 ? *known + share * (took - *known) : took;
    s->steps++;
}
