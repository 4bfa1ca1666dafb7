// reel.h: where the pictures of a film go: to ffmpeg, or into numbered files.
#pragma once

#include "sequence.h"

typedef struct wri_reel {
    const char *path;
    int width, height;
    bool replace;   // also an earlier sequence that Wrought did not write
    bool keep_part; // when it is stopped: a film NAME.partial.mp4 beside NAME.mp4, or the numbered
                    // files so far. False: what was there before stays until all pictures are done
    int count;      // of pictures so far
    wr_film *film;  // NULL: into the sequence
    wri_sequence sequence;
    bool is_light;   // the sequence is of .exr
    wri_arena arena; // names of files that are not whole
} wri_reel;

// True for NAME.####.png and NAME.####.exr.
bool wri_reel_is_sequence(const char *path);
// Of a reel that has what stands before its count; close it, even when this fails.
bool wri_reel_open(wri_reel *reel, const wr_schedule *schedule, wr_error *error);
bool wri_reel_add(wri_reel *reel, const uint8_t *pixels, wr_error *error);
bool wri_reel_add_light(wri_reel *reel, const float *light, wr_error *error); // where is_light
bool wri_reel_finish(wri_reel *reel, wr_error *error);
// Ends it before the last of `wanted` pictures, with a sentence that says what is there.
void wri_reel_stop(wri_reel *reel, int wanted, wr_error *error);
void wri_reel_close(wri_reel *reel); // abandons what is not finished
