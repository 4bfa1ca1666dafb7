// show.h (internal): what the files of show share: an open take, its shapes, and being watched.
#pragma once

#include "wrought/show.h"

#include "../base/os.h"

// Colours of a body by its example weights, kept until they change.
typedef struct wri_example_paint {
    const wr_rig *rig;
    uint32_t version; // of the weights
    wr_color *colors;
} wri_example_paint;

struct wr_take {
    wri_arena arena;
    const char *name; // in sentences
    wr_record_reader *reader;
    bool owns_reader;
    const wr_record_info *info;
    wr_reskin *reskin;
    wri_array things; // wr_render_thing, of the frame at hand
    wri_array bodies; // int, one per thing
    wri_array paints; // wri_example_paint, by the number of the body
    wr_color *grey;   // as many as the largest model has vertices; NULL until it is needed
};

// A frame, or a sentence that names the take and its last frame.
const wr_frame *wri_take_frame(wr_take *take, int index, wr_error *error);
bool wri_take_check_frames(const wr_take *take, wr_error *error); // fails when it has none yet

// Empties the list of things; adds what a body looks like in a frame. The one place where bodies
// become things: one that has nothing to draw adds none.
void wri_drawing_begin(wr_take *take);
bool wri_drawing_add(wr_take *take, const wr_frame *frame, int number, const wr_record_body *body,
                     wr_paint paint, wr_error *error);

// Colours of the vertices of an asset's model by the rows of example weights of its simulation
// mesh; rows NULL: rest.
void wri_paint_examples(const wr_rig *rig, const float *rows, wr_color *colors);

// The colours of examples and their names, in a corner of a picture.
void wri_draw_legend(const wr_record_info *info, uint8_t *pixels, int width, int height);

// All examples of an asset with a flat rig, each in the largest circle that fits into a picture of
// size x size pixels with alpha, at one scale. They live in the arena.
const uint8_t *const *wri_pose_pictures(const wr_asset *asset, int size, wr_tasks tasks,
                                        wri_arena *arena, wr_error *error);

static inline bool wri_watch(const wr_watch *watch, wr_watch_work work, int done, int total)
{
    return !watch->go_on || watch->go_on(watch->user, work, done, total);
}

// The log's sentence is cut off at 4 kB.
void wri_show_say(const wr_log *log, const char *format, ...) WRI_PRINTF(2, 3);
