// show.h (internal): what the files of show share: an open take, its shapes, and being watched.
#pragma once

#include "wrought/show.h"

#include "../base/os.h"

// Colours of a body by its example weights or a painted map, kept until they change.
typedef struct wri_body_paint {
    const wr_rig *rig;
    wr_paint paint;
    uint32_t version; // of the weights
    wr_color *colors;
} wri_body_paint;

// Memory of what bodies show besides their models, in the frame at hand.
typedef struct wri_pieces {
    wri_arena arena;
    wri_array hulls; // wr_model *: surfaces around particles
} wri_pieces;

// The frames on both sides of a moment, and what lies between them.
typedef struct wri_between {
    wri_arena kept_memory, memory;
    wr_frame kept;  // the earlier one; poses NULL: none yet
    wr_frame mixed; // the moment that was asked for last
} wri_between;

struct wr_take {
    wri_arena arena;
    const char *name; // in sentences
    wr_record_reader *reader;
    bool owns_reader;
    const wr_record_info *info;
    wr_reskin *reskin;
    wri_array things; // wr_render_thing, of the frame at hand
    wri_array bodies; // int, one per thing
    wri_array paints; // wri_body_paint, by the number of the body
    wr_color *grey;   // as many as the largest model has vertices; NULL until it is needed
    wri_pieces pieces;
    wri_between between;
    wr_particle_choice particle_choice;
    wr_tasks tasks; // for shapes, and surfaces around particles
    wr_model plain; // without a mesh, with one white look: what has no look of its own
    wr_look plain_look;
};

// A frame, or a sentence that names the take and its last frame.
const wr_frame *wri_take_frame(wr_take *take, int index, wr_error *error);
// A frame, or what is between two of them, mixed from both.
const wr_frame *wri_take_moment(wr_take *take, double moment, wr_error *error);
void wri_between_destroy(wri_between *between);
bool wri_take_check_frames(const wr_take *take, wr_error *error); // fails when it has none yet

float wri_shot_lens(const wr_shot *shot); // its widest, metres

// Empties the list of things; adds what a body looks like in a frame. The one place where bodies
// become things: one that has nothing to draw adds none.
void wri_drawing_begin(wr_take *take);
bool wri_drawing_add(wr_take *take, const wr_frame *frame, int number, const wr_record_body *body,
                     wr_paint paint, wr_error *error);

// A body that has a skeleton in a frame, and adding that instead.
bool wri_drawing_has_bones(const wr_take *take, const wr_frame *frame, int number);
bool wri_drawing_add_bones(wr_take *take, const wr_frame *frame, int number,
                           const wr_record_body *body, wr_error *error);

// The same for its surfaces and particles.
bool wri_drawing_add_pieces(wr_take *take, const wr_frame *frame, int number,
                            const wr_record_body *body, wr_paint paint, wr_error *error);

void wri_pieces_forget(wri_pieces *pieces); // what is in it is not needed any more
void wri_pieces_destroy(wri_pieces *pieces);
bool wri_particles_are_spheres(wr_particle_choice choice, const wr_record_particles *particles);
wr_particles wri_particle_set(const wr_record_particles *particles);
wr_color wri_tint(wr_color a, wr_color b); // their product
// A surface as a mesh, whose vertices and, unless they have looks of their own, triangles are the
// frame's; normals by its triangles, a part per look of the body's model, -1: none.
bool wri_surface_mesh(const wr_record_surface *surface, wri_arena *arena, wr_mesh *mesh,
                      wr_error *error);
// The surface around particles, with one part; NULL: failed.
const wr_mesh *wri_particle_hull(wri_pieces *pieces, const wr_record_particles *particles,
                                 const wr_tasks *tasks, wr_error *error);

// All that a body shows in a frame, in the world; empty: nothing. Of particles where most of them
// are.
wr_box wri_body_bounds(const wr_record_info *info, const wr_frame *frame, int number);
wr_box wri_surface_bounds(const wr_frame *frame, const wr_record_surface *surface);
wr_box wri_particle_bounds(const wr_frame *frame, const wr_record_particles *particles);

// The body that a fragment is of; any other is its own.
int wri_body_owner(const wr_record_info *info, int number);
// The fragments of a body that breaks. Memory comes from the arena.
typedef struct wri_whole {
    int count; // of fragments, 0: it has none
    int *parts;
    wr_box *boxes; // of each in the frame at hand
    int core;      // the fragment that it is around
    float reach;   // metres from its middle to that of one that counts; less than 0: not known yet
} wri_whole;
bool wri_whole_create(wri_whole *whole, const wr_record_info *info, int body, wri_arena *arena,
                      wr_error *error);
void wri_whole_read(wri_whole *whole, const wr_record_info *info, const wr_frame *frame);
void wri_whole_find_core(wri_whole *whole); // by the boxes, which are those of the last frame
// Bounds of what is still together, by the boxes; those of the first frame come first.
wr_box wri_whole_bounds(wri_whole *whole);

// Colours of the vertices of an asset's model by the rows of example weights of its simulation
// mesh; rows NULL: rest.
void wri_paint_examples(const wr_rig *rig, const float *rows, wr_color *colors);

// Colours of its vertices by a painted map.
void wri_paint_map(const wr_asset *asset, wr_map_kind kind, wr_color *colors);

// Paint that means something, in place of looks.
static inline bool wri_paint_is_colors(wr_paint paint)
{
    return paint == WR_PAINT_EXAMPLES || paint >= WR_PAINT_GREY;
}

// What has no colour that means something.
static inline wr_color wri_paint_grey(void)
{
    return (wr_color){0.25f, 0.25f, 0.26f, 1.0f};
}

// Legends stand in the lower left corner of a picture: the colours of examples and their names,
// those of the factors of a map,
void wri_draw_legend(const wr_record_info *info, uint8_t *pixels, int width, int height);
void wri_draw_map_legend(wr_map_kind kind, uint8_t *pixels, int width, int height);
// and any others after a title.
typedef struct wri_swatch {
    wr_color color;
    char name[24];
} wri_swatch;
void wri_draw_swatches(const char *title, const wri_swatch *swatches, int count, uint8_t *pixels,
                       int width, int height);

// Forces between the bodies of a take in every frame (contacts.c), and marking in a picture those
// of frames `first` to `last`.
typedef struct wri_contacts wri_contacts;
wri_contacts *wri_contacts_gather(wr_take *take, wri_arena *arena, wr_error *error);
void wri_contacts_mark(const wri_contacts *contacts, int first, int last, const wr_camera *camera,
                       uint8_t *pixels, int width, int height);
void wri_contacts_legend(const wri_contacts *contacts, uint8_t *pixels, int width, int height);

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
