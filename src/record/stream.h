// stream.h (internal): what the streams of a frame share. Each file of streams codes, checks and
// forgets what is its own; frame.c puts them in order.
#pragma once

#include "format.h"

typedef struct wri_frame_job {
    wri_frame_state *state;
    wr_frame *frame;
    bool is_key;
} wri_frame_job;

// Ways in which values of a body are stored; weights may also have other entries than before.
enum { WRI_WHOLE = 0, WRI_CHANGED = 1, WRI_SAME = 2, WRI_MERGED = 3, WRI_MOVED = 4 };

// Sets the number of items; new ones are zero. The array may start zeroed.
bool wri_resize(wri_array *array, size_t item_size, int count);
void wri_swap(wri_array *a, wri_array *b);
bool wri_same_items(const wri_array *a, const wri_array *b);

// True when reading a stream that is not there.
bool wri_stream_is_absent(const wri_codec *codec);
// Checks that there is what `mode` needs: values in the frame before, or `count` rows of at least
// `row` bytes to read.
void wri_check_mode(wri_codec *codec, int mode, bool is_known, int count, size_t row);

// A counted list. It is taken into `list` on both sides; an empty one has no bytes.
typedef void wri_item_fn(wri_codec *codec, wri_frame_job *job, void *item);
void *wri_code_list(wri_codec *codec, wri_frame_job *job, const void *items, int *count,
                    wri_array *list, size_t item_size, wri_item_fn *code_item);

// The weights of one body, an item of each per entry.
typedef struct wri_entries {
    wri_array vertices, examples; // int
    wri_array quanta;             // uint32_t, 65535 stands for 1
    wri_array steps;              // int32_t: change from the frame before, where that is known
} wri_entries;

bool wri_entries_resize(wri_entries *entries, int count);
void wri_entries_destroy(wri_entries *entries);
// Ordered by vertex, then example; none is 0.
bool wri_entries_are_tidy(const wri_entries *entries);

// weights.c: memory for the weights of a body in mode WRI_MOVED.
typedef struct wri_moves {
    wri_entries come, all; // new entries, and those of the last frame with them
    wri_array values;      // uint32_t: what the quanta of `all` become
    wri_array rows;        // those that move
    int moving, ratio;     // entries in them; of the last frame's change, 256 is 1
} wri_moves;

// Weights from those of the last frame, which may be none; both are tidy. Reading fills `now`,
// whose size the caller has set.
void wri_code_moves(wri_codec *codec, wri_moves *moves, const wri_entries *last, wri_entries *now);
void wri_moves_destroy(wri_moves *moves);

// Each codes one stream; a stream without bytes is left out of the file, and reading it then starts
// with wri_stream_is_absent.
typedef void wri_stream_fn(wri_codec *codec, wri_frame_job *job);
wri_stream_fn wri_code_points, wri_code_weights;  // deformation.c
wri_stream_fn wri_code_contacts, wri_code_blends; // contacts.c
wri_stream_fn wri_code_surfaces, wri_code_particles, wri_code_skinned;

// Checks what must hold in a frame, whether it was read or is to be written.
typedef void wri_check_fn(wri_codec *codec, const wr_frame *frame);
wri_check_fn wri_check_deformation, wri_check_contacts, wri_check_blends, wri_check_particles;
void wri_check_surfaces(wri_codec *codec, const wri_frame_state *state, const wr_frame *frame);
void wri_check_skinned(wri_codec *codec, const wri_frame_state *state, const wr_frame *frame);
// Looks of the model of a body, which may be born in this frame.
int wri_frame_look_count(const wri_frame_state *state, const wr_frame *frame, int body);

// Which bodies have a skin. False: out of memory, here and below.
bool wri_skinned_create(wri_frame_state *state, const wr_record_info *info);
// Leaves the points that bones tell out of a frame that is written.
bool wri_skinned_take_points(wri_frame_state *state, wr_frame *frame);

// A key frame comes.
void wri_deformation_forget(wri_frame_state *state);
void wri_surfaces_forget(wri_frame_state *state);
void wri_particles_forget(wri_frame_state *state);
void wri_skinned_forget(wri_frame_state *state);

void wri_deformation_destroy(wri_frame_state *state);
void wri_surfaces_destroy(wri_frame_state *state);
void wri_particles_destroy(wri_frame_state *state);
void wri_skinned_destroy(wri_frame_state *state);
