// cli.h: what the commands share: options, progress, interruption, words.
#pragma once

#include "wrought/show.h"
#include "wrought/wrought.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

#include <stdio.h>

// Exit statuses of DESIGN: done, bad input, bad usage, finished with trouble; and Ctrl-C.
enum cli_status {
    CLI_OK = 0,
    CLI_BAD_INPUT = 1,
    CLI_BAD_USAGE = 2,
    CLI_TROUBLE = 3,
    CLI_INTERRUPTED = 130,
};

typedef int cli_command_fn(int argc, char **argv);
cli_command_fn cli_new, cli_new_scene, cli_rig, cli_sim, cli_render, cli_export, cli_clean,
    cli_info, cli_bench, cli_demo, cli_tune, cli_crush;

// --- options ----------------------------------------------------------------------------------

typedef enum cli_option_kind {
    CLI_FLAG,   // bool *
    CLI_TEXT,   // const char **
    CLI_PATH,   // const char **, never empty
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

// The option of every command that reads models, also those of scenes and recipes; into a bool.
#define CLI_FOLLOW_LINKS(flag)                                                                     \
    {                                                                                              \
        "--follow-links", 0, CLI_FLAG, &(flag), 0, 0, NULL,                                        \
            "let a .gltf name files outside its folder: ../ and absolute paths"                    \
    }

// The options of every command that reads model files itself, into a wr_read_options.
#define CLI_READ_OPTIONS(read)                                                                     \
    {"--unit",                                                                                     \
     0,                                                                                            \
     CLI_TEXT,                                                                                     \
     &(read).unit,                                                                                 \
     0,                                                                                            \
     0,                                                                                            \
     "UNIT",                                                                                       \
     "unit of a model's lengths: m, cm, mm, in, ft, yd or km (default: as the file says)"},        \
        {"--up",   0,                                                                              \
         CLI_TEXT, &(read).up,                                                                     \
         0,        0,                                                                              \
         "AXIS",   "which axis of a model points up: x, y or z (default: as the file says)"},      \
        CLI_FOLLOW_LINKS((read).follow_links)

// Returns -1 to go on, or the status of bad usage when a word is unknown or the file has no use for
// them.
int cli_check_read_options(const wr_read_options *read, const char *path, bool has_lengths);

// --- reports ----------------------------------------------------------------------------------

// Prints a line on stderr, whatever control characters are in the names it tells.
void cli_note(const char *format, ...) WRI_PRINTF(1, 2);
void cli_say(const char *format, ...) WRI_PRINTF(1, 2); // likewise, on stdout
// Prints "wrought: sentence" and returns the status.
int cli_fail(const wr_error *error);
int cli_fail_with(const wr_error *error, const char *hint); // the hint behind the sentence
int cli_complain(int status, const char *format, ...) WRI_PRINTF(2, 3);
void cli_print_line(FILE *file, const char *prefix, const char *format, va_list arguments);
// wr_model_flatten, whose failure names the file.
wr_model *cli_flatten(const wr_model *model, const char *path, wr_error *error);
// Adds to the model's warnings where it is so large that its unit may be another one, unless that
// was said.
bool cli_warn_of_size(wr_model *model, const wr_model *flat, const wr_read_options *read,
                      const char *path, wr_error *error);
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
// Returns a hook for work of the library: stages stand behind the count, which is of 100. Work that
// begins again, with another asset, begins a new bar.
wr_progress cli_progress_hook(cli_progress *progress);

// Returns a log that prints what the library says as lines on stdout; quiet: prints nothing.
wr_log cli_log(bool quiet);
wr_log cli_log_notes(bool quiet); // likewise, on stderr

// "1.8 MB", "12.3 s": at least 32 bytes of room.
const char *cli_size_text(char *out, int64_t bytes);
const char *cli_seconds_text(char *out, double seconds);

// --- interruption -----------------------------------------------------------------------------

// After this, Ctrl-C and SIGTERM only set a flag; a second Ctrl-C ends the program at once.
void cli_catch_interrupts(void);
bool cli_interrupted(void);
// After this, they end the program at once, with status CLI_INTERRUPTED: for work that nobody asks
// whether to go on, and that writes whole files only.
void cli_end_on_interrupts(void);

// --- watching ---------------------------------------------------------------------------------

// The files that a recipe or scene names, and those that these name, as they were before the work.
typedef struct cli_changes cli_changes;
// True when one of them was written since; looks ten times a second at most. NULL: false.
bool cli_has_changed(cli_changes *changes);

// Does the work, and again whenever one of the files was written, until Ctrl-C; returns CLI_OK. The
// work says itself what went wrong; it may stop when cli_has_changed, without a word.
typedef int cli_work_fn(void *user, cli_changes *changes);
int cli_work_on_changes(const char *path, bool quiet, cli_work_fn *work, void *user);

// A bar for each piece of work on a take; Ctrl-C and changes stop it. The caller ends the last bar.
typedef struct cli_watcher {
    cli_progress progress;
    bool quiet;
    cli_changes *changes; // NULL: none
} cli_watcher;
wr_watch cli_watch(cli_watcher *watcher);
// cli_fail_with of such work; that it was stopped by changes is told by cli_work_on_changes.
int cli_fail_watched(const wr_error *error, const char *hint);

// --- shipped files ------------------------------------------------------------------------------

// Returns where a shipped scene or recipe lies: beside the build, beside the installation, or where
// WROUGHT_SCENES says; NULL: nowhere.
const char *cli_find_shipped(wri_arena *arena, const char *file);

// --- inputs -----------------------------------------------------------------------------------

bool cli_has_recording(const char *path); // a folder that sim wrote, whatever its name
bool cli_is_model(const char *path);      // by its ending, unless it has a recording
// A folder with a rig as the authors of plastic deformation by examples published theirs.
bool cli_is_published(const char *path);
// Returns whether a file that is no model may be a recording: fails for other kinds that are there.
bool cli_check_recording(const char *path, wr_error *error);
// How a file of ours names a path that it reads: by its name when they lie in one folder. NULL: out
// of memory.
const char *cli_name_from(wri_arena *arena, const char *path, const char *file);
// Returns -1 unless the file is there and stays; then says so and returns the status.
int cli_check_replace(const char *path, bool force);
// Returns -1 unless both are one file, which stays as it is; then says so and returns the status.
int cli_check_other(const char *input, const char *output);
// A name as it can be pasted into a shell; out of memory, the name itself.
const char *cli_quote(wri_arena *arena, const char *name);
typedef enum cli_text_kind { CLI_RECIPE, CLI_SCENE } cli_text_kind;
// Returns -1 unless the file is plainly of another kind; then says what it is and which command is
// for it, and returns the status.
int cli_expect_text(const char *path, cli_text_kind wanted);
// Returns -1 unless the file is a scene or recipe where a model is expected; then says which
// command is for it, and returns the status.
int cli_refuse_text(const char *path);

// --- recordings -------------------------------------------------------------------------------

#define CLI_STATISTICS "statistics.json" // of the last run of sim

// These are the work of `sim`, `render` and `export`; `demo` calls them too.
typedef struct cli_sim_options {
    const char *scene_path, *folder;
    int threads; // 0: one per core
    bool quiet, json, fresh;
    bool follow_links;
    cli_changes *changes; // it stops when these files change; NULL: it does not
    bool *is_own; // this program began the recording in the folder: one of another scene then takes
                  // its place instead of putting it aside. NULL: never
} cli_sim_options;
int cli_run_sim(const cli_sim_options *options);

int cli_whole_of(const wr_record_body *bodies, int body); // that a fragment is of, else itself
// Who dented a body: who touched it nearest to the dent in its frame. What it stands on may push
// harder (hit.c).
typedef struct cli_striker {
    int body;       // -1: nobody
    double impulse; // N s, of the contacts of the two in that frame
} cli_striker;
cli_striker cli_striker_find(const wr_frame *frame, const wr_record_body *bodies,
                             const wr_event *dent);
// How hard a body was hit or loaded: "an impulse of 840 N s". Returns out, of CLI_HIT_ROOM bytes.
enum { CLI_HIT_ROOM = 96 };
const char *cli_hit_text(char *out, const wr_event *event, const cli_striker *striker);

// What metal did in a recording that is done (sim_bent.c).
typedef struct cli_bent_body {
    const char *name;
    const wr_mesh *rest;
    const wr_vec3 *positions; // at the end of the take
    double moved, size;       // of the vertex that went farthest; longest side at rest; metres
    int triangles, crossing;  // of its triangles, and that cross newly; 0: not looked for
} cli_bent_body;

// Dents or breaks of a recording.
typedef struct cli_hits {
    int count;
    wr_event hardest;
    cli_striker striker; // of the hardest; of breaks nobody
    double time;         // of the hardest, seconds
} cli_hits;

// Bodies of the scene, each counted once however many of its fragments are met.
typedef struct cli_wholes {
    int count;
    bool *is_counted;
} cli_wholes;

typedef struct cli_bent {
    bool is_known; // false: the scene has no metal, or the recording cannot be read
    wr_take *take;
    const wr_record_body *bodies;
    wri_array list; // cli_bent_body: bodies and fragments that bent, the farthest first
    int metal_count;
    cli_wholes bent, broken;
    cli_hits dents, breaks;
    wri_arena arena;
} cli_bent;
cli_bent cli_bent_find(const char *path, const wr_scene *scene); // end it
void cli_bent_end(cli_bent *bent);
void cli_bent_say(const cli_bent *bent, const char *scene_path);
struct wri_json_writer;
void cli_bent_write(const cli_bent *bent, struct wri_json_writer *writer); // as the field "metal"

typedef struct cli_render_options {
    const char *input, *output, *camera, *view;
    const char *camera_from, *camera_to, *follow; // of a camera of its own: "x,y,z"; a body; NULL
    const char *environment;                      // "studio" or a file, NULL: as it is
    double environment_turn;                      // degrees
    const char *example, *handle;                 // of an asset, NULL: rest; all
    const char *particles;                        // spheres or surface, NULL: as recorded
    double blend;                                 // how far to the example, [0, 1]
    int size[2], samples, threads, frame;         // size and samples 0: not said; frame -1: all
    int sheet;                                    // 0: no sheet, else number of pictures
    double fps, from, to; // fps 0: 30 or the recording's rate if that is lower
    double slow;          // seconds that a second lasts
    double blur, lens;    // of motion, [0, 1]; metres; -1: as the camera says
    wr_read_options read; // of a model
    bool preview, force, quiet;
    cli_changes *changes; // of --watch: whoever writes to these files stops it, and no part of it
                          // stays; NULL: nobody
} cli_render_options;
cli_render_options cli_render_options_default(void);
int cli_run_render(const cli_render_options *options);
int cli_run_render_asset(const cli_render_options *options);
// Returns -1 to go on, or the status of bad usage: the name of a file that is none of render's.
int cli_check_picture(const char *output);
// Writes a picture and reports it; cli_report_picture reports one that was written before.
int cli_find_map(const char *view); // kind of the painted map that a view shows, -1: none
int cli_write_picture(const cli_render_options *options, const uint8_t *pixels, int width,
                      int height);
int cli_report_picture(const cli_render_options *options, int width, int height);

// Finds the choice that a word stands for, NULL: as recorded. Returns -1, or says what is wrong and
// returns the status.
int cli_choose_particles(const char *word, wr_particle_choice *choice);
// The option of every command that draws or writes particles, into a const char *.
#define CLI_PARTICLES_OPTION(word)                                                                 \
    {                                                                                              \
        "--particles", 0, CLI_TEXT, &(word), 0, 0, "HOW",                                          \
            "of a recording with particles: spheres, or a surface around them (default: as "       \
            "recorded)"                                                                            \
    }

typedef struct cli_export_options {
    const char *input, *output;
    const char *body;      // names with commas between, NULL: all
    const char *particles; // spheres or surface, NULL: as recorded
    const char *compress;  // of a .glb: meshopt, NULL: nothing is compressed
    double fps, from, to;  // fps 0: the recording's rate
    wr_read_options read;  // of a model
    bool text, quiet;      // text: .ply as text
    bool force;            // replace files of others, too
    int cell;              // of a sprite sheet: pixels of a cell's longer side; 0: 128
    int every;             // of a sprite sheet: frames from one cell to the next; 0: 1
    double tolerance;      // of a .glb or .usda: part of its size that a dented vertex may be off,
                           // -1: default
    int shapes; // of a .glb or .usda: morph targets of a body that bends, at most; 0: default
} cli_export_options;
cli_export_options cli_export_options_default(void);
int cli_run_export(const cli_export_options *options);

// --- meshes -----------------------------------------------------------------------------------

// What wr_mesh_inspect found: as lines of text, or as an object called key when writer is not NULL.
struct wri_json_writer;
// "  bounds               0 0 0 to 1 2 3 m"
void cli_print_box(const char *name, wr_box box);
void cli_print_mesh_report(const wr_mesh_report *report, struct wri_json_writer *writer,
                           const char *key);

// What nodes, meshes, looks, joints and morph targets are called, likewise. False: out of memory.
bool cli_print_names(const wr_model *model, struct wri_json_writer *writer, wr_error *error);

// --- surfaces and particles -------------------------------------------------------------------

// A surface of a body, or its particles, over the frames that were noted.
typedef struct cli_soft_item {
    int body, surface; // number of the surface, -1: particles
    const char *name;
    int first, last;   // frames
    uint32_t topology; // in the last one
    int topologies;
    int vertices, triangles; // at most; vertices: also particles
    bool has_ids;
    wr_particle_view view;
} cli_soft_item;

typedef struct cli_soft {
    wri_arena arena;
    wri_array items;     // cli_soft_item
    cli_soft_item other; // behind the most that are told
    bool is_cut;
} cli_soft;

bool cli_soft_note(cli_soft *soft, const wr_frame *frame); // false: out of memory
// As lines of text, or as arrays called surfaces and particles when writer is not NULL. bodies: as
// wr_record_bodies has them in the last frame.
void cli_soft_print(const cli_soft *soft, const wr_record_body *bodies,
                    struct wri_json_writer *writer);
void cli_soft_destroy(cli_soft *soft);

// Dents and breaks of a recording (info_events.c).
typedef struct cli_event {
    double time; // seconds
    wr_event event;
    cli_striker striker; // of a dent
} cli_event;

// bodies: of this frame. False: out of memory.
bool cli_events_note(wri_array *list, const wr_frame *frame, const wr_record_body *bodies);
// json NULL: their numbers as text.
void cli_events_print(const wri_array *list, const wr_record_body *bodies,
                      struct wri_json_writer *json);

// --- assets -----------------------------------------------------------------------------------

// Prints what is in an asset, or writes it as members when writer is not NULL; returns the status.
int cli_info_asset(const char *path, struct wri_json_writer *writer, wr_error *error);
