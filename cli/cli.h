// cli.h: what the commands share: options, progress, interruption, words.
#pragma once

#include "wrought/wrought.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

// Exit statuses of DESIGN: done, bad input, bad usage, finished with trouble; and Ctrl-C.
enum cli_status {
    CLI_OK = 0,
    CLI_BAD_INPUT = 1,
    CLI_BAD_USAGE = 2,
    CLI_TROUBLE = 3,
    CLI_INTERRUPTED = 130,
};

typedef int cli_command_fn(int argc, char **argv);
cli_command_fn cli_new, cli_rig, cli_sim, cli_render, cli_export, cli_clean, cli_info, cli_bench,
    cli_demo, cli_tune;

// --- options ----------------------------------------------------------------------------------

typedef enum cli_option_kind {
    CLI_FLAG,   // bool *
    CLI_TEXT,   // const char **
    CLI_NUMBER, // double *
    CLI_WHOLE,  // int *
    CLI_SIZE,   // int[2]: "960x540"
} cli_option_kind;

typedef struct cli_option {
    const char *name; // "--output"
    char letter;      // 'o', or 0
    cli_option_kind kind;
    void *target;
    double min, max;
    const char *value; // how help calls the value
    const char *about;
} cli_option;

typedef struct cli_usage {
    const char *command;   // "sim"
    const char *arguments; // "SCENE.json"
    const char *about;     // one paragraph
    const char *examples;  // lines
    const cli_option *options;
    int option_count;
    int least, most; // number of arguments
} cli_usage;

// Reads options and up to usage->most arguments into arguments. Returns -1 to go on; otherwise the
// status to exit with: help was printed, or the usage was wrong.
int cli_parse(const cli_usage *usage, int argc, char **argv, const char **arguments, int *count);

// The two options of every command that reads model files, into a wr_read_options.
#define CLI_READ_OPTIONS(read)                                                                     \
    {"--unit", 0,                                                                                  \
     CLI_TEXT, &(read).unit,                                                                       \
     0,        0,                                                                                  \
     "UNIT",   "of a model's lengths: m, cm, mm, in, ft or km (default: as the file says)"},       \
    {                                                                                              \
        "--up", 0, CLI_TEXT, &(read).up, 0, 0, "AXIS",                                             \
            "which axis of a model points up: x, y or z (default: as the file says)"               \
    }

// Returns -1 to go on, or the status of bad usage when a word is unknown or the file has no use for
// them.
int cli_check_read_options(const wr_read_options *read, const char *path, bool has_lengths);

// --- reports ----------------------------------------------------------------------------------

// Prints "wrought: sentence" and returns the status.
int cli_fail(const wr_error *error);
int cli_complain(int status, const char *format, ...) WRI_PRINTF(2, 3);
// wr_model_flatten, whose failure names the file.
wr_model *cli_flatten(const wr_model *model, const char *path, wr_error *error);
// Prints "warning: sentence" for each, on stderr.
void cli_warn(int count, const char *const *warnings);

// A bar on a terminal, a line now and then elsewhere; on stderr.
typedef struct cli_progress {
    const char *verb, *unit; // "simulating", "frames"
    int total;
    int first; // items that were done before
    int done;  // of the last report of the library
    double start, last_print;
    bool quiet, terminal, shown;
} cli_progress;
cli_progress cli_progress_start(const char *verb, const char *unit, int first, int total,
                                bool quiet);
// note: what stands behind the count, such as "11.2x real time"; may be empty.
void cli_progress_show(cli_progress *progress, int done, const char *note);
void cli_progress_end(cli_progress *progress);
// For work of the library: stages stand behind the count, which is of 100. Work that begins again,
// with another asset, begins a new bar.
wr_progress cli_progress_hook(cli_progress *progress);

// "1.8 MB", "12.3 s": at least 32 bytes of room.
const char *cli_size_text(char *out, int64_t bytes);
const char *cli_seconds_text(char *out, double seconds);
// "12.3 cm"; below a micrometre "nothing", for that is rounding.
const char *cli_length_text(char *out, double metres);

// --- interruption -----------------------------------------------------------------------------

// After this, Ctrl-C and SIGTERM only set a flag; a second Ctrl-C ends the program at once.
void cli_catch_interrupts(void);
bool cli_interrupted(void);

// --- shipped files ------------------------------------------------------------------------------

// Where a shipped scene or recipe lies: beside the build, beside the installation, or where
// WROUGHT_SCENES says; NULL: nowhere.
const char *cli_find_shipped(wri_arena *arena, const char *file);

// --- outputs ----------------------------------------------------------------------------------

// Whether there is a folder for the file: better known before the work than after it.
bool cli_check_folder(const char *path, wr_error *error);
// Whether a file that comes along with an output may be written: there is none, Wrought wrote the
// one that is there, or force.
bool cli_check_beside(const char *path, bool force, wr_error *error);
// The same for the pictures of a model written to path, and for its material library (NULL: none).
bool cli_check_looks(const wr_model *model, const char *path, const char *library, bool force,
                     wr_error *error);
bool cli_check_obj(const wr_model *model, const char *path, bool force, wr_error *error);

// --- inputs -----------------------------------------------------------------------------------

bool cli_has_recording(const char *path); // a folder that sim wrote, whatever its name
bool cli_is_model(const char *path);      // by its ending, unless it has a recording
// Whether a file that is no model may be a recording: fails for other kinds that are there.
bool cli_check_recording(const char *path, wr_error *error);

// --- recordings -------------------------------------------------------------------------------

#define CLI_RECORDING "recording.wrought"
#define CLI_STATISTICS "statistics.json" // of the last run of sim

// The recording inside a folder, or the path itself when it is a file.
const char *cli_recording_path(wri_arena *arena, const char *path);

// Evenly spaced times of a recording, each shown by the nearest frame.
typedef struct cli_schedule {
    int numerator, denominator; // pictures per second
    int count;                  // pictures
    double start;               // seconds, of the first one
    double rate;                // frames per second of the recording
    int last;                   // frame of the recording
} cli_schedule;
// from and to in seconds. fps 0: the recording's rate, halved until it is at most `most`.
cli_schedule cli_schedule_plan(const wr_record_reader *reader, double fps, double from, double to,
                               double most);
int cli_schedule_frame(const cli_schedule *schedule, int picture);

// What `sim`, `render` and `export` do; `demo` calls them too.
typedef struct cli_sim_options {
    const char *scene_path, *folder;
    int threads; // 0: one per core
    bool quiet, json, fresh;
} cli_sim_options;
int cli_run_sim(const cli_sim_options *options);

typedef struct cli_render_options {
    const char *input, *output, *camera, *view;
    const char *example, *handle;         // of an asset, NULL: rest; all
    double blend;                         // how far to the example, [0, 1]
    int size[2], samples, threads, frame; // size and samples 0: not said; frame -1: all
    int sheet;                            // 0: no sheet, else number of pictures
    double fps, from, to;                 // fps 0: 30 or the recording's rate if that is lower
    wr_read_options read;                 // of a model
    bool quiet;
} cli_render_options;
cli_render_options cli_render_options_default(void);
int cli_run_render(const cli_render_options *options);
int cli_run_render_asset(const cli_render_options *options);
int cli_run_render_manifold(const cli_render_options *options);

typedef struct cli_export_options {
    const char *input, *output;
    const char *body;     // names with commas between, NULL: all
    double fps, from, to; // fps 0: the recording's rate
    wr_read_options read; // of a model
    bool text, quiet;     // text: .ply as text
    bool force;           // replace files of others, too
    int cell;             // of a sprite sheet: pixels of a cell's longer side; 0: 128
    int every;            // of a sprite sheet: frames from one cell to the next; 0: 1
} cli_export_options;
cli_export_options cli_export_options_default(void);
int cli_run_export(const cli_export_options *options);

// --- meshes -----------------------------------------------------------------------------------

// What wr_mesh_inspect found: as lines of text, or as an object called key when writer is not NULL.
struct wri_json_writer;
void cli_print_mesh_report(const wr_mesh_report *report, struct wri_json_writer *writer,
                           const char *key);

// --- assets -----------------------------------------------------------------------------------

// Prints what is in an asset, or writes it as members when writer is not NULL; returns the status.
int cli_info_asset(const char *path, struct wri_json_writer *writer, wr_error *error);

// --- drawing ----------------------------------------------------------------------------------

// Colours of the vertices of an asset's model, by the rows of example weights of its simulation
// mesh; NULL: rest.
void cli_paint_examples(const wr_rig *rig, const float *rows, wr_color *colors);

typedef struct cli_paint {
    const wr_rig *rig;
    uint32_t version; // of the weights
    wr_color *colors;
} cli_paint;

// The frames of a recording as things to draw.
typedef struct cli_drawing {
    wr_record_reader *reader;
    wr_reskin *reskin;
    bool examples;    // in the colours of their examples instead of their own
    wri_array things; // of wr_render_thing, after reading a frame
    wri_array paints; // cli_paint per body
    wr_color *grey;   // as many as the largest model has vertices
    wri_arena arena;
} cli_drawing;
// The reader must outlive it. Destroy also after failure.
bool cli_drawing_create(cli_drawing *drawing, wr_record_reader *reader, bool examples,
                        wr_error *error);
void cli_drawing_destroy(cli_drawing *drawing);
// The things live until the next frame is read.
bool cli_drawing_read(cli_drawing *drawing, const wr_frame *frame, wr_error *error);
// The colours of examples and their names, in a corner of a picture.
void cli_draw_legend(const wr_record_info *info, uint8_t *pixels, int width, int height);

// A camera and how it moves.
typedef struct cli_camera {
    wr_camera at_start;
    const wr_vec3 *shifts; // per frame, metres
    int count;             // of them, 0: it does not move
} cli_camera;
// A camera of the recording by name (NULL: the first, or an automatic one). What it keeps is in the
// arena.
bool cli_find_camera(wr_record_reader *reader, const char *name, float aspect, wri_arena *arena,
                     cli_camera *camera, wr_error *error);
wr_camera cli_camera_at(const cli_camera *camera, int frame);
