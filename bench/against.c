// against.c: this program and another build of it, by turns, on the same recordings.
//
// Both are started by their command line, so that a build without any benchmark can be measured,
// too. A command takes time to start, to read the recording and to make the models ready: each does
// some items of the work and then more of them, and the difference belongs to these alone. On a
// busy machine one round tells little; of several rounds, in which the programs take turns, the
// least time of each counts.
#include "against.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

enum { THIS, OTHER, PROGRAMS, WORDS = 24, MOST_SAID = 1 << 24 };
#define LONGEST (4.0 * 3600.0) // seconds that a piece of work may take

#define THIS_PROGRAM "/proc/self/exe"

// --- commands ---------------------------------------------------------------------------------

typedef struct cost {
    double wall, work; // seconds of the clock and of processors
} cost;

static double children_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// What a program that failed did not say itself.
static const char *reason(const wri_run_result *result)
{
    return result->line[0]                   ? result->line
           : result->end == WRI_RUN_TOO_LONG ? "it did not end in time"
           : result->end == WRI_RUN_TOO_MUCH ? "it said too much"
           : result->end == WRI_RUN_SIGNALED ? "it was ended by a signal"
                                             : "it said nothing about the reason";
}

// Returns false when it failed; words end with NULL. said: room for what it printed, or NULL.
static bool run(const char *program, const char *const *words, double seconds, cost *spent,
                char said[64], wr_error *error)
{
    const char *arguments[WORDS + 1] = {program};
    const wri_run_limits limits = {.seconds = seconds, .output = MOST_SAID};
    wri_run_result result;
    for (int i = 0; words[i] && i + 1 < WORDS; i++) {
        arguments[i + 1] = words[i];
    }
    double wall = wri_seconds(), work = children_seconds();
    bool ok = wri_run(arguments, &limits, NULL, &result, error);
    if (spent) {
        *spent = (cost){wri_seconds() - wall, children_seconds() - work};
    }
    if (ok && (result.end != WRI_RUN_EXITED || result.code != 0)) {
        ok = wri_fail(error, WR_E_IO, "%.100s %s failed: %s", program, words[0], reason(&result));
    }
    if (said) {
        const char *printed = result.output.count ? result.output.items : "";
        snprintf(said, 64, "%.*s", result.output.count, printed);
    }
    wri_array_destroy(&result.output);
    return ok;
}

bool bench_check_against(const char *program, wr_error *error)
{
    static const char *const words[] = {"--version", NULL};
    char said[64];
    return run(program, words, 10.0, NULL, said, error) &&
           (strncmp(said, "wrought ", 8) == 0 ||
            wri_fail(error, WR_E_ARGUMENT, "%s: is no build of wrought", program));
}

// --- turns ------------------------------------------------------------------------------------

static void keep_least(cost *least, const cost *c)
{
    least->wall = fmin(least->wall, c->wall);
    least->work = fmin(least->work, c->work);
}

static void add_rows(bench_rows *rows, const char *name, const char *what, const char *unit,
                     const double values[PROGRAMS])
{
    char measure[3][64];
    snprintf(measure[0], sizeof measure[0], "this: %s", what);
    snprintf(measure[1], sizeof measure[1], "other: %s", what);
    snprintf(measure[2], sizeof measure[2], "other / this: %s", what);
    bench_add_row(rows, name, measure[0], unit, values[THIS], NAN);
    bench_add_row(rows, name, measure[1], unit, values[OTHER], NAN);
    bench_add_row(rows, name, measure[2], "", values[OTHER] / values[THIS], NAN);
}

bool bench_take_turns(const bench_options *options, const bench_turns *turns, bench_rows *rows,
                      wr_error *error)
{
    const char *const programs[PROGRAMS] = {turns->program ? turns->program : THIS_PROGRAM,
                                            options->against};
    const cost none = {INFINITY, INFINITY};
    cost few[PROGRAMS] = {none, none}, many[PROGRAMS] = {none, none}, c;
    double megabytes[PROGRAMS] = {0};
    for (int round = 0; round < (options->full ? 5 : 3); round++) {
        for (int i = 0; i < 2 * PROGRAMS; i++) {
            int p = i % PROGRAMS;
            bool is_few = i < PROGRAMS;
            if (!bench_goes_on(options, error) ||
                !run(programs[p], is_few ? turns->few : turns->many, LONGEST, &c, NULL, error)) {
                return false;
            }
            keep_least(is_few ? &few[p] : &many[p], &c);
            megabytes[p] = turns->file ? 1e-6 * (double)wri_file_size(turns->file) : 0.0;
        }
    }
    double wall[PROGRAMS], work[PROGRAMS];
    for (int p = 0; p < PROGRAMS; p++) {
        wall[p] = 1e3 * (many[p].wall - few[p].wall) / turns->items;
        work[p] = 1e3 * (many[p].work - few[p].work) / turns->items;
    }
    char time[32];
    snprintf(time, sizeof time, "time per %s", turns->item);
    add_rows(rows, turns->name, time, "ms", wall);
    add_rows(rows, turns->name, "processor time", "ms", work);
    if (turns->file) {
        add_rows(rows, turns->name, "size", "MB", megabytes);
    }
    return true;
}

// --- recordings -------------------------------------------------------------------------------

static bool add_frames(const bench_options *options, wr_world *world, int frames,
                       wr_record_writer *writer, wr_error *error)
{
    bool ok = wr_record_add_frame(writer, wr_world_frame(world), error);
    for (int k = 0; ok && k < frames; k++) {
        ok = bench_goes_on(options, error);
        if (ok) {
            wr_world_step_frame(world);
            ok = wr_world_check(world, error) &&
                 wr_record_add_frame(writer, wr_world_frame(world), error);
        }
    }
    return ok && wr_record_finish(writer, true, error);
}

bool bench_record(const bench_options *options, const char *scene_path, double seconds,
                  const char *path, wr_error *error)
{
    const wr_scene_options reading = {.tasks = wr_tasks_openmp(options->threads)};
    wr_world_desc desc = wr_world_desc_default();
    wr_scene *scene = wr_scene_read(scene_path, &reading, error);
    desc.scene = scene;
    desc.tasks = reading.tasks;
    wr_world *world = scene ? wr_world_create(&desc, error) : NULL;
    bool ok = false;
    if (world) {
        wr_record_info info = *wr_world_record_info(world);
        int frames = (int)(seconds * scene->rate_numerator / scene->rate_denominator);
        info.planned_frames = frames < info.planned_frames ? frames : info.planned_frames;
        wr_record_writer *writer = wr_record_create(path, &info, error);
        ok = writer && add_frames(options, world, info.planned_frames, writer, error);
        wr_record_writer_destroy(writer);
    }
    wr_world_destroy(world);
    wr_scene_destroy(scene);
    return ok;
}

// Forty boxes that fall onto each other, in words that every version knows.
static bool write_plain_scene(const char *path, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    char *text = wri_arena_printf(&arena, "{\"wrought\": 1, \"length\": 10, \"bodies\": [\n"
                                          "{\"name\": \"floor\", \"shape\": \"plane\"}");
    for (int i = 0; text && i < 40; i++) {
        text = wri_arena_printf(
            &arena,
            "%s,\n{\"name\": \"box.%d\", \"shape\": {\"box\": [0.5, 0.4, 0.3]}, \"at\": [%.2f, "
            "%.2f, %.2f]}",
            text, i + 1, 0.35 * (i % 4), 0.5 + 0.7 * i, 0.3 * (i % 3));
    }
    text = text ? wri_arena_printf(&arena, "%s]}\n", text) : NULL;
    bool ok =
        text ? wri_file_write(path, text, strlen(text), error) : wri_fail_memory(error, 1 << 13);
    wri_arena_destroy(&arena);
    return ok;
}

static bool other_reads(const bench_options *options, const char *path)
{
    const char *const words[] = {"info", path, NULL};
    return run(options->against, words, LONGEST, NULL, NULL, NULL);
}

static bool other_records(const bench_options *options, const char *scene, const char *folder,
                          const char *path)
{
    const char *const words[] = {"sim", scene, "-o", folder, "--quiet", NULL};
    wri_file_remove(path); // of this program
    wr_take *take =
        run(options->against, words, LONGEST, NULL, NULL, NULL) ? wr_take_open(path, NULL) : NULL;
    wr_take_close(take);
    return take != NULL;
}

bool bench_share_recording(const bench_options *options, const bench_folder *folder,
                           const char *scene, double seconds, bench_shared *out, wr_error *error)
{
    char plain[sizeof folder->path + 32];
    snprintf(plain, sizeof plain, "%s/plain.scene.json", folder->path);
    snprintf(out->path, sizeof out->path, "%s/%s", folder->path, WR_RECORD_FILE);
    const char *const scenes[] = {scene, plain};
    if (!write_plain_scene(plain, error)) {
        return false;
    }
    bool ok = false;
    for (int i = 0; i < WRI_COUNT(scenes) && !ok; i++) {
        out->is_plain = i > 0;
        wri_file_remove(out->path);
        ok = (bench_record(options, scenes[i], seconds, out->path, error) &&
              other_reads(options, out->path)) ||
             (bench_goes_on(options, error) &&
              other_records(options, scenes[i], folder->path, out->path));
        if (!bench_goes_on(options, error)) {
            return false;
        }
    }
    return ok ||
           wri_fail(error, WR_E_UNSUPPORTED,
                    "%s: there is no recording that both programs can read", options->against);
}
