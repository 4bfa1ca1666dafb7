// show.h: a recording as something to look at: lists of things to draw, cameras, pictures, films,
// and files for other programs.
//
//     wr_take *take = wr_take_open("out", &error);
//     wr_show_desc desc = wr_show_desc_default();
//     desc.take = take;
//     wr_show *show = wr_show_create(&desc, &error);
//     wr_show_draw(show, 60, pixels, &error); // frame 60, in memory
//     wr_show_destroy(show);
//     wr_export_desc options = wr_export_desc_default();
//     wr_take_export(take, "take.glb", &options, NULL, &error);
//     wr_take_close(take);
//
// asset_view.h does the same for assets. The same input gives the same bytes for any number of
// threads. Every file is written whole or not at all.
// Thread safety: a take and what was made of it belong to one thread at a time; different takes,
// also of one recording, are independent.
#pragma once

#include "record.h"
#include "render.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- long work --------------------------------------------------------------------------------

// Things that are counted.
typedef enum wr_watch_work {
    WR_WATCH_READ,     // frames that are read
    WR_WATCH_BEND,     // frames of one body whose vertices are gathered
    WR_WATCH_SHAPES,   // bodies whose morph targets are found
    WR_WATCH_PICTURES, // pictures that are drawn
    WR_WATCH_CELLS,    // cells of a sprite sheet that are drawn
    WR_WATCH_FRAMES,   // frames that are written to a file
    WR_WATCH_FILES,    // files that are written
} wr_watch_work;

// Progress of a long piece of work, told by the calling thread before every item (done from 0) and
// after the last one (done is total); of a film, again and again while ffmpeg keeps us waiting. One
// piece of work may follow another. False stops it: the
// call fails with WR_E_CANCELLED and leaves nothing behind but what keep_part says. When the last
// item of a file that grows is written (WR_WATCH_FRAMES, WR_WATCH_FILES, a film) it is too late,
// unless ffmpeg hangs, see wr_film_set_watch.
typedef struct wr_watch {
    bool (*go_on)(void *user, wr_watch_work work, int done, int total); // NULL: nobody watches
    void *user;
} wr_watch;

// --- takes ------------------------------------------------------------------------------------

// A recording that is looked at. It keeps what it has read, so that frames in order are fast.
typedef struct wr_take wr_take;

// path: the file, or the folder in which it is called WR_RECORD_FILE. It may still be growing.
WR_API WR_NODISCARD wr_take *wr_take_open(const char *path, wr_error *error);
// The same of a reader, which outlives the take; sentences call it name.
WR_API WR_NODISCARD wr_take *wr_take_create(wr_record_reader *reader, const char *name,
                                            wr_error *error);
WR_API void wr_take_close(wr_take *take); // accepts NULL
// The reader of the take's recording: its head, bodies and frames. After wr_record_refresh the take
// has the new frames, too.
WR_API wr_record_reader *wr_take_reader(const wr_take *take);

// Ways to show and export particles.
typedef enum wr_particle_choice {
    WR_PARTICLES_AS_RECORDED,
    WR_PARTICLES_AS_SPHERES,
    WR_PARTICLES_AS_SURFACE, // one closed surface around those of a body
} wr_particle_choice;

// Default: as recorded, and shapes and surfaces are made by the calling thread.
WR_API void wr_take_set_particles(wr_take *take, wr_particle_choice choice, wr_tasks tasks);

// Evenly spaced times of a take.
typedef struct wr_schedule {
    int numerator, denominator; // pictures per second
    int count;                  // pictures; 0: there is nothing at that time
    double start;               // seconds, of the first one
    double slow;                // seconds that a second of the take lasts
    double rate;                // frames per second of the recording
    int last;                   // frame of the recording
} wr_schedule;

// from and to in seconds, both included; what lies outside the take is left out. fps pictures per
// second, brought into [0.001, 1000]; 0: the recording's rate, halved until it is at most `most`.
WR_API wr_schedule wr_take_plan(const wr_take *take, double fps, double from, double to,
                                double most);
// The same in slow motion: a second of the take lasts `slow` seconds, [1, 1000].
WR_API wr_schedule wr_schedule_slow(const wr_schedule *schedule, double slow);
// When a picture is, in frames: mostly between two of them.
WR_API double wr_schedule_moment(const wr_schedule *schedule, int picture);
WR_API int wr_schedule_frame(const wr_schedule *schedule, int picture); // the nearest one

// --- drawing lists ----------------------------------------------------------------------------

typedef enum wr_paint {
    WR_PAINT_LOOKS,    // as the models say
    WR_PAINT_EXAMPLES, // by the shares of the examples (wr_blend_color); what has none is grey
    WR_PAINT_BONES, // skeletons without their skins; what has none, or a single bone, by its looks
    WR_PAINT_GREY,  // all of it in one matt grey, as modellers judge form
    WR_PAINT_MAPS,  // this and the next WR_MAP_COUNT - 1, WR_PAINT_MAPS + kind: by the map of this
                    // kind of the assets (wr_factor_color); what has no asset is grey
} wr_paint;

// Things to draw, in the world.
typedef struct wr_drawing {
    int count;
    const wr_render_thing *things;
    const int *bodies; // of each thing: the number of its body in the recording; NULL: of none
} wr_drawing;

// A moment of a take as things to draw: a frame, or what is between two of them, mixed from both.
// Valid until the take is read or drawn again.
WR_API bool wr_take_read(wr_take *take, double frame, wr_paint paint, wr_drawing *drawing,
                         wr_error *error);

// --- cameras ----------------------------------------------------------------------------------

// The cameras of the scene, and "auto" behind them, which finds its place from what happened: it
// shows what bends and who is hit. The first one is the usual one.
WR_API int wr_take_camera_count(const wr_take *take);
WR_API const char *wr_take_camera_name(const wr_take *take, int index);

// A camera and its way through a take: by its keys, and it may go along with a body.
typedef struct wr_shot wr_shot;

// name NULL: the usual one. aspect: width / height of the pictures, > 0. Frames that come later are
// not known to it. Fails for a name that there is not, with the nearest one. The shot is
// independent of the take.
WR_API WR_NODISCARD wr_shot *wr_shot_create(wr_take *take, const char *name, float aspect,
                                            wr_error *error);
// The same of a camera that the recording need not have: see wr_camera.
WR_API WR_NODISCARD wr_shot *wr_shot_create_own(wr_take *take, const wr_camera *camera,
                                                float aspect, wr_error *error);
WR_API void wr_shot_destroy(wr_shot *shot); // accepts NULL
// Where it is in a frame, or between two of them.
WR_API wr_camera wr_shot_camera(const wr_shot *shot, double frame);

// --- pictures and films -----------------------------------------------------------------------

typedef enum wr_show_view {
    WR_SHOW_SHADED,
    WR_SHOW_WIRE,     // shaded, with the triangles' edges
    WR_SHOW_EXAMPLES, // WR_PAINT_EXAMPLES, with a legend in the lower left corner
    WR_SHOW_BONES,    // WR_PAINT_BONES
    WR_SHOW_CONTACTS, // pale, with a disc where two bodies met since the picture before in a film,
                      // by the force, and a legend
    WR_SHOW_GREY,     // WR_PAINT_GREY
    WR_SHOW_MAPS,     // and WR_SHOW_MAPS + kind: as WR_PAINT_MAPS, with a legend. Fails when no
                      // asset of the take has the map
} wr_show_view;

// Start from wr_show_desc_default().
typedef struct wr_show_desc {
    wr_take *take;               // outlives the show; at least one frame
    const char *camera;          // name; NULL: the usual one. Default NULL
    const wr_camera *own_camera; // instead of one with a name, or NULL. Default NULL
    const wr_light *own_light;   // instead of the recording's, or NULL. Default NULL
    wr_show_view view;           // Default WR_SHOW_SHADED
    int width, height;           // of a picture, pixels, [16, 16384]. Default 960 x 540
    int samples; // per pixel, [1, 1024]; 0: what the stage needs: 16 when it is flat, where only
                 // edges cost, or with blur or a lens, else 4. Default 0
    double blur; // of motion: for which part of the time from one picture of a film to the next a
                 // picture is exposed, [0, 1]; 0: for none; -1: as the camera says. Default -1
    float lens;  // metres: how wide the lens is. What is as far away as what the camera looks at is
                 // sharp. 0: everything is; -1: as the camera says. Not for stages and cameras that
                 // are flat. Default -1
    wr_tasks tasks;  // the take's from then on, too. Default: the calling thread, or the take's
    uint32_t cookie; // set by wr_show_desc_default; do not touch
} wr_show_desc;

WR_API wr_show_desc wr_show_desc_default(void);

// A take seen by a camera, in pictures of one size.
typedef struct wr_show wr_show;

WR_API WR_NODISCARD wr_show *wr_show_create(const wr_show_desc *desc, wr_error *error);
WR_API void wr_show_destroy(wr_show *show); // accepts NULL

// Fills width * height * 3 bytes of sRGB, rows from the top, as the take is in a frame or between
// two of them.
WR_API bool wr_show_draw(wr_show *show, double frame, uint8_t *pixels, wr_error *error);

// The same as width * height * 3 floats of linear light, see wr_render_draw_light; without a
// legend.
WR_API bool wr_show_draw_light(wr_show *show, double frame, float *light, wr_error *error);

// The part of a take that becomes a film or a sheet. Start from wr_show_span_default().
typedef struct wr_show_span {
    double from, to; // seconds. Default 0 and 1e9: all
    double fps;      // of a film: pictures per second, [0.001, 1000]; 0: the recording's rate,
                     // halved until it is at most 30. Default 0
    double slow;     // of a film: seconds that a second of the take lasts, [1, 1000]. Default 1
    int count;       // of a sheet: pictures, [1, 400]. Default 12
    bool keep_part;  // of a film that is stopped: the pictures before that stay as a shorter film,
                     // NAME.partial.mp4 beside NAME.mp4, or as numbered files. Default false:
                     // nothing of it stays, and what was there before is as it was
    bool replace;    // an earlier sequence of files that Wrought did not write, too. Default false
    wr_watch watch;  // WR_WATCH_PICTURES. Default: none
    uint32_t cookie; // set by wr_show_span_default; do not touch
} wr_show_span;

WR_API wr_show_span wr_show_span_default(void);

// The pictures of wr_take_plan(take, fps, from, to, 30), slowed down, as a file of wr_film_create.
// One whose time is between two frames is mixed from both. NAME.####.png: a file per picture, ####
// is its number, from 0. NAME.####.exr: its light, see wr_show_draw_light.
WR_API bool wr_show_write_film(wr_show *show, const char *path, const wr_show_span *span,
                               wr_error *error);
// Evenly spaced frames in a grid, left to right, top to bottom, as a PNG. *width and *height, which
// may be NULL: pixels of the whole.
WR_API bool wr_show_write_sheet(wr_show *show, const char *path, const wr_show_span *span,
                                int *width, int *height, wr_error *error);

// A model, which must be one mesh (wr_model_flatten), on a ground, from the usual side, in this
// light, NULL: the usual one. paint: WR_PAINT_LOOKS, else grey. pixels as in wr_render_draw, desc
// from wr_render_desc_default().
WR_API bool wr_model_draw(const wr_model *model, const wr_render_desc *desc, const wr_light *light,
                          wr_paint paint, uint8_t *pixels, wr_error *error);

// --- plots of poses ---------------------------------------------------------------------------

// Start from wr_pose_plot_desc_default().
typedef struct wr_pose_plot_desc {
    double from, to;   // seconds. Default 0 and 1e9: all
    int width, height; // of one plot, pixels, [16, 16384], to be read at least 160 x 120; 0: 480 x
                       // 360, or twice that for many poses. Default 0
    wr_tasks tasks;    // Default: the calling thread
    wr_watch watch;    // WR_WATCH_READ. Default: none
    wr_log log;        // sentences on poses and ways that were never used. Default: none
    uint32_t cookie;   // set by wr_pose_plot_desc_default; do not touch
} wr_pose_plot_desc;

WR_API wr_pose_plot_desc wr_pose_plot_desc_default(void);

// Writes a PNG that shows where between their poses sprites spent their time: one plot for each, or
// for all copies of one, at most 16. *width and *height, which may be NULL: pixels of the whole.
// Fails for a take without sprites.
WR_API bool wr_take_write_poses(wr_take *take, const char *path, const wr_pose_plot_desc *desc,
                                int *width, int *height, wr_error *error);

// --- files for other programs -----------------------------------------------------------------

// File type, chosen by the ending of the name.
typedef enum wr_export_kind {
    WR_EXPORT_UNKNOWN,
    WR_EXPORT_GLB,      // .glb: one node per body with one animation; morph targets for what bends,
                        // skins for bodies that are recorded with bones
    WR_EXPORT_USD,      // .usda: time samples; experimental
    WR_EXPORT_CACHE,    // .pc2 and .mdd: all vertices in the world; the mesh is in NAME.obj
    WR_EXPORT_SPRITES,  // .png: a sprite sheet of one body, with alpha; NAME.json says where cells
                        // are, as Aseprite does
    WR_EXPORT_SEQUENCE, // .obj and .ply: a file per frame; #### in the name is its number, from 0
} wr_export_kind;

WR_API wr_export_kind wr_export_kind_of(const char *path);

// Start from wr_export_desc_default().
typedef struct wr_export_desc {
    const char *bodies; // names with commas between, a star at the end stands for the rest; NULL:
                        // all. Default NULL
    double from, to;    // seconds. Default 0 and 1e9: all
    double fps;         // frames per second, [0.001, 1000]; 0: the recording's rate. Default 0
    int cell;           // of a sprite sheet: pixels of a cell's longer side, [16, 4096]. Default
                        // 128
    int every;          // of a sprite sheet: frames from one cell to the next, >= 1. Default 1
    int shapes;      // of a .glb or .usda: morph targets of a body that bends, at most, [1, 256];
                     // 0: 32 in a .glb, 64 in a .usda. Default 0
    float tolerance; // of a .glb or .usda: the part of its size by which a vertex of a dented body
                     // may be off, up to 0.004 or four times as much where `shapes` would not do,
                     // [0, 0.1]; 0: dents are like all else that bends: shapes found together, in
                     // .usda all points; negative: 0.001 in a .glb, 0.003 in a .usda. Default -1
    bool compress;   // of a .glb: by EXT_meshopt_compression. Default false
    bool text;       // .ply as text instead of bytes. Default false
    bool replace;    // also files that Wrought did not write and that are in the way of what
                     // comes along: materials, textures, the mesh of a cache, the words of a
                     // sheet, an earlier sequence. Else they fail it with WR_E_EXISTS. Default
                     // false
    bool keep_part;  // of a cache that is stopped: a shorter one stays. Default false: nothing
                     // stays. Of a sequence the files up to there always do
    wr_tasks tasks;  // Default: the calling thread
    wr_watch watch;  // WR_WATCH_READ, then others. Default: none
    wr_log log;      // sentences on how near the shapes of a .glb come. Default: none
    uint32_t cookie; // set by wr_export_desc_default; do not touch
} wr_export_desc;

WR_API wr_export_desc wr_export_desc_default(void);

// Contents of the file. Also filled when a stopped export leaves a part.
typedef struct wr_export_report {
    int bodies;
    int nodes;         // of a .glb or .usda: one per body, and those of surfaces, particles, bones,
                       // cameras and lights
    int moving;        // of a .glb: nodes that move
    int shapes;        // of a .glb: morph targets of all bodies
    float error;       // of a .glb: metres by which they leave a vertex off, at most
    float rounding;    // of a .glb that is compressed: metres by which that moves one, at most
    int frames;        // frames, files or cells
    int vertices;      // of a cache
    int width, height; // of a cell of a sprite sheet, pixels
} wr_export_report;

// Fails with WR_E_AMBIGUOUS for a sprite sheet of several bodies that were not asked for, with
// WR_E_LIMIT for one that is too large. report may be NULL.
WR_API bool wr_take_export(wr_take *take, const char *path, const wr_export_desc *desc,
                           wr_export_report *report, wr_error *error);
// A model by itself, as .glb, .usda, .obj or .ply; of the desc, compress, text and replace
// count.
WR_API bool wr_model_export(const wr_model *model, const char *path, const wr_export_desc *desc,
                            wr_error *error);

#if defined(__cplusplus)
}
#endif
