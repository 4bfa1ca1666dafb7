// sim.c: wrought sim: a scene becomes a recording.
//
// The state is kept at whole seconds of film, where the world forgets everything else anyway, as
// often as the recording can bear. So an interrupted run that goes on from there computes the same
// bits as one that was never interrupted.
#include "cli.h"

#include "../src/file/json.h"

#include <math.h>
#include <stdio.h>

typedef struct run {
    const cli_sim_options *options;
    wri_arena arena;
    const char *path; // of the recording
    wr_scene *scene;
    wr_world *world;
    wr_record_writer *writer;
    int first; // frame from which this run goes on
    int saved; // the last frame with a snapshot
    double seconds;
    cli_progress progress;
    wr_error error;
} run;

static bool save(run *r)
{
    size_t size;
    const void *bytes = wr_world_save(r->world, &size, &r->error);
    r->saved = wr_world_frame(r->world)->index;
    return bytes && wr_record_add_snapshot(r->writer, bytes, size, &r->error);
}

// --- opening ----------------------------------------------------------------------------------

// A name that is still free: recording.old.wrought, recording.old.2.wrought, ...
static const char *free_name(run *r)
{
    for (int i = 1;; i++) {
        char *name = i == 1 ? wri_arena_printf(&r->arena, "recording.old.wrought")
                            : wri_arena_printf(&r->arena, "recording.old.%d.wrought", i);
        const char *path = name ? wri_path_join(&r->arena, r->options->folder, name) : NULL;
        if (!path || !wri_file_exists(path)) {
            return path;
        }
    }
}

// A recording of something else is kept under another name, unless it is still being written.
static bool put_aside(run *r, const char *reason)
{
    wri_file *file = wri_file_open(r->path, WRI_FILE_UPDATE, &r->error);
    const char *old = free_name(r);
    bool ok = file && wri_file_lock(file, &r->error) &&
              (old || wri_fail_memory(&r->error, strlen(r->path))) &&
              wri_file_rename(r->path, old, &r->error);
    wri_file_close(file, NULL);
    if (ok && !r->options->quiet) {
        cli_note("%s; starting anew, the old recording is now %s", reason, old);
    }
    return ok;
}

// What watching left in an earlier round is worth nothing once the scene has changed.
static bool make_room(run *r, const char *reason)
{
    if (r->options->is_own && *r->options->is_own) {
        wri_file_remove(r->path);
        return true;
    }
    return put_aside(r, reason);
}

static bool prepare_file(run *r)
{
    if (!wri_file_exists(r->path)) {
        return true;
    }
    if (r->options->fresh) {
        return make_room(r, "--fresh");
    }
    wr_record_reader *reader = wr_record_open(r->path, NULL);
    if (!reader) { // broken off while it was being created, or not ours: resuming tells
        return true;
    }
    const wr_record_info *info = wr_record_about(reader);
    bool same = info->scene_hash == r->scene->hash;
    const char *reason =
        strcmp(info->title, r->scene->name) == 0
            ? "the scene has changed since it was recorded"
            : wri_arena_printf(&r->arena, "%s holds another scene", r->options->folder);
    wr_record_close(reader);
    return same || make_room(r, reason ? reason : "another scene");
}

static bool open_recording(run *r)
{
    const wr_record_info *info = wr_world_record_info(r->world);
    r->first = -1;
    r->saved = 0;
    if (!wri_file_exists(r->path)) {
        r->writer = wr_record_create(r->path, info, &r->error);
        if (r->writer && r->options->is_own) {
            *r->options->is_own = true;
        }
        return r->writer != NULL;
    }
    const void *snapshot;
    size_t size;
    r->writer = wr_record_resume(r->path, info, &r->first, &snapshot, &size, &r->error);
    if (!r->writer) {
        return false;
    }
    r->saved = r->first > 0 ? r->first : 0;
    if (wr_record_has_new_looks(r->writer) && !r->options->quiet) {
        cli_note("only looks have changed: %s has the new ones, its frames stay as they are",
                 r->path);
    }
    return r->first < 0 || snapshot == NULL ||
           wr_world_restore(r->world, snapshot, size, &r->error);
}

// --- running ----------------------------------------------------------------------------------

static bool go_on(void *user)
{
    const run *r = user;
    return !cli_interrupted() && !cli_has_changed(r->options->changes);
}

static void show_progress(run *r, int frame, double spent)
{
    char note[64];
    double rate = (double)r->scene->rate_numerator / r->scene->rate_denominator;
    int done = frame - (r->first < 0 ? 0 : r->first);
    snprintf(note, sizeof note, "%.1fx real time", spent > 0.0 ? done / rate / spent : 0.0);
    cli_progress_show(&r->progress, frame, note);
}

static bool simulate(run *r)
{
    int total = wr_scene_frame_count(r->scene), frame = r->first < 0 ? 0 : r->first;
    r->progress = cli_progress_start("simulating", "frames", r->first, total, r->options->quiet);
    bool ok = r->first >= 0 ||
              (wr_record_add_frame(r->writer, wr_world_frame(r->world), &r->error) && save(r));
    double start = wri_seconds();
    while (ok && frame < total && go_on(r)) {
        wr_world_step_frame(r->world);
        ok = wr_world_check(r->world, &r->error);
        if (!ok &&
            r->error.code == WR_E_CANCELLED) { // no failure: the frame before is the last one
            ok = true;
            break;
        }
        ok = ok && wr_record_add_frame(r->writer, wr_world_frame(r->world), &r->error);
        frame++;
        bool is_time = wr_world_forgets(r->world) && wr_record_snapshot_is_due(r->writer);
        if (ok && (is_time || frame == total)) {
            ok = save(r);
        }
        show_progress(r, frame, wri_seconds() - start);
    }
    r->seconds = wri_seconds() - start;
    cli_progress_end(&r->progress);
    return ok;
}

// --- reporting --------------------------------------------------------------------------------

// The statistics of this run, as --json prints them and statistics.json keeps them.
static const char *write_statistics(const run *r, const cli_bent *bent, wri_json_writer *w)
{
    wr_world_statistics s = wr_world_stats(r->world);
    const wr_frame *frame = wr_world_frame(r->world);
    int64_t steps = s.steps ? s.steps : 1;
    int first = r->first < 0 ? 0 : r->first;
    double film = frame->time * (frame->index - first) / (frame->index ? frame->index : 1);
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)frame->hash);
    wri_json_begin_object(w, NULL);
    wri_json_write_string(w, "recording", r->path);
    wri_json_write_int(w, "frames", frame->index);
    wri_json_write_int(w, "first_frame", first);
    wri_json_write_number(w, "film_seconds", frame->time);
    wri_json_write_number(w, "seconds", r->seconds);
    wri_json_write_number(w, "times_real_time", r->seconds > 0.0 ? film / r->seconds : 0.0);
    wri_json_write_int(w, "bodies", s.bodies);
    wri_json_write_int(w, "moving", s.moving);
    wri_json_write_int(w, "sprites", s.sprites);
    wri_json_write_int(w, "awake", s.awake);
    wri_json_write_int(w, "joints", s.joints);
    wri_json_write_int(w, "broken_joints", s.broken_joints);
    wri_json_write_int(w, "steps", s.steps);
    wri_json_write_number(w, "contacts_per_step", (double)s.contacts / (double)steps);
    wri_json_write_int(w, "most_contacts", s.most_contacts);
    wri_json_write_int(w, "most_substeps", s.most_substeps);
    wri_json_write_number(w, "engine_ms_per_step", 1e3 * s.engine_seconds / (double)steps);
    wri_json_write_number(w, "material_ms_per_step", 1e3 * s.material_seconds / (double)steps);
    wri_json_write_number(w, "material_energy_gain", s.material_gain);
    wri_json_write_int(w, "material_trouble", s.material_trouble);
    wri_json_write_number(w, "top_speed", s.top_speed);
    wri_json_write_int(w, "frozen", s.frozen);
    wri_json_write_int(w, "too_fast", s.too_fast);
    wri_json_write_int(w, "bytes", wri_file_size(r->path));
    wri_json_write_string(w, "hash", hash);
    cli_bent_write(bent, w);
    wri_json_end_object(w);
    return wri_json_finish(w);
}

static void keep_statistics(run *r, const cli_bent *bent)
{
    wri_json_writer w = wri_json_writer_create(NULL, true);
    const char *text = write_statistics(r, bent, &w);
    const char *path = wri_path_join(&r->arena, r->options->folder, CLI_STATISTICS);
    if (text && path) {
        wri_file_write(path, text, strlen(text),
                       NULL); // only a report: the recording is what counts
        if (r->options->json) {
            printf("%s\n", text);
        }
    }
    wri_json_writer_destroy(&w);
}

static int print_kept_statistics(run *r)
{
    const char *path = wri_path_join(&r->arena, r->options->folder, CLI_STATISTICS);
    size_t size;
    char *text = path ? wri_file_read(path, 1 << 26, NULL, &size, &r->error) : NULL;
    if (!text) {
        return cli_fail(&r->error);
    }
    printf("%s\n", text);
    wri_free(NULL, text, size + 1, 1);
    return CLI_OK;
}

static void print_summary(const run *r, const wr_world_statistics *s, int64_t size)
{
    char time[32], engine[32], bytes[32];
    int frames = wr_world_frame(r->world)->index - (r->first < 0 ? 0 : r->first);
    char sprites[64] = "", spent[32];
    if (s->sprites) {
        snprintf(sprites, sizeof sprites, "%d %s %s; ", s->sprites,
                 wri_plural(s->sprites, "sprite", "sprites"),
                 cli_seconds_text(spent, s->material_seconds));
    }
    cli_say("done: %d %s in %s; engine %s; %s%d %s, %d asleep; %s %s", frames,
            wri_plural(frames, "frame", "frames"), cli_seconds_text(time, r->seconds),
            cli_seconds_text(engine, s->engine_seconds), sprites, s->bodies,
            wri_plural(s->bodies, "body", "bodies"), s->moving - s->awake, r->path,
            cli_size_text(bytes, size));
    if (s->broken_joints) {
        printf("%d of %d %s broke\n", s->broken_joints, s->joints,
               wri_plural(s->joints, "joint", "joints"));
    }
}

// Names what was frozen: the first three, and how many more.
static int complain_of_frozen(const run *r, int count)
{
    enum { NAMED = 3 };
    char names[400] = "";
    size_t at = 0;
    int named = 0; // of those that froze: fragments have no name of their own
    for (int i = 0; i < r->scene->body_count && named < NAMED; i++) {
        if (wr_world_is_frozen(r->world, i)) {
            at += (size_t)snprintf(names + at, sizeof names - at, "%s\"%.100s\"",
                                   named++ > 0 ? ", " : ": ", r->scene->bodies[i].name);
        }
    }
    if (named > 0 && count > named) {
        snprintf(names + at, sizeof names - at, " and %d more", count - named);
    }
    return cli_complain(CLI_TROUBLE, "%d %s frozen, and did nothing from then on%s", count,
                        wri_plural(count, "body was", "bodies were"), names);
}

static int report(run *r)
{
    wr_world_statistics s = wr_world_stats(r->world);
    cli_bent bent = cli_bent_find(r->path, r->scene);
    keep_statistics(r, &bent);
    if (!r->options->json && !r->options->quiet) {
        print_summary(r, &s, wri_file_size(r->path));
        cli_bent_say(&bent, r->options->scene_path);
    }
    cli_bent_end(&bent);
    if (s.frozen) {
        return complain_of_frozen(r, s.frozen);
    }
    if (s.too_fast) {
        return cli_complain(CLI_TROUBLE,
                            "in %lld %s something was too fast to be sure that it did not pass "
                            "through a wall; raise \"substeps\"",
                            (long long)s.too_fast, wri_plural(s.too_fast, "step", "steps"));
    }
    return CLI_OK;
}

// A failed or interrupted run leaves a recording that can be read and resumed.
static int conclude(run *r, bool ok)
{
    int frame = wr_world_frame(r->world)->index;
    if (!ok) {
        wr_record_finish(r->writer, false, NULL);
        return cli_complain(CLI_TROUBLE, "%s; what was recorded before is kept in %s",
                            r->error.message, r->path);
    }
    bool complete = frame == wr_scene_frame_count(r->scene);
    if (!wr_record_finish(r->writer, complete, &r->error)) {
        return cli_complain(CLI_TROUBLE, "%s", r->error.message);
    }
    if (!complete && !cli_interrupted()) { // its files have changed: who watches them tells
        return CLI_INTERRUPTED;
    }
    if (!complete) {
        return cli_complain(CLI_INTERRUPTED,
                            "interrupted at frame %d; the same command goes on from frame %d, "
                            "the last one whose whole state was saved",
                            frame, r->saved);
    }
    return report(r);
}

static void on_warning(void *user, const char *message)
{
    run *r = user;
    if (!r->options->quiet) {
        cli_progress_end(&r->progress); // a line of its own
        cli_note("%s", message);
    }
}

static bool read_scene(run *r)
{
    r->progress = cli_progress_start("preparing", "%", 0, 100, r->options->quiet);
    const wr_scene_options options = {.tasks = wr_tasks_openmp(r->options->threads),
                                      .progress = cli_progress_hook(&r->progress),
                                      .log = cli_log_notes(r->options->quiet),
                                      .follow_links = r->options->follow_links};
    r->scene = wr_scene_read(r->options->scene_path, &options, &r->error);
    cli_progress_end(&r->progress);
    if (r->scene) {
        cli_warn(r->scene->warning_count, r->scene->warnings);
    }
    return r->scene != NULL;
}

static bool create_world(run *r)
{
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = r->scene;
    desc.tasks = wr_tasks_openmp(r->options->threads);
    desc.log = (wr_log){on_warning, r};
    desc.watch = (wr_world_watch){go_on, r};
    r->world = wr_world_create(&desc, &r->error);
    return r->world != NULL;
}

// The folder and what is in it are as before where the scene or its world are not sound.
static bool open_all(run *r)
{
    if (!wri_folder_check_new(r->options->folder, &r->error) || !read_scene(r) ||
        !create_world(r) || !wri_folder_create(r->options->folder, &r->error)) {
        return false;
    }
    r->path = wri_path_join(&r->arena, r->options->folder, WR_RECORD_FILE);
    return r->path && prepare_file(r) && open_recording(r);
}

int cli_run_sim(const cli_sim_options *options)
{
    run r = {.options = options, .arena = wri_arena_create(NULL)};
    cli_catch_interrupts();
    int status;
    if (!open_all(&r)) {
        status = cli_fail(&r.error);
    } else if (r.first == wr_scene_frame_count(r.scene)) {
        // It may have been killed between its last frame and its index.
        bool ok = wr_record_finish(r.writer, true, &r.error);
        if (!options->quiet && !wr_record_has_new_looks(r.writer)) {
            cli_note("%s is complete: nothing to do (--fresh simulates it again)", r.path);
        }
        status = !ok             ? cli_complain(CLI_TROUBLE, "%s", r.error.message)
                 : options->json ? print_kept_statistics(&r)
                                 : CLI_OK;
    } else {
        if (r.first >= 0 && !options->quiet) {
            cli_note("resuming %s at frame %d", r.path, r.first);
        }
        status = conclude(&r, simulate(&r));
    }
    wr_record_writer_destroy(r.writer);
    wr_world_destroy(r.world);
    wr_scene_destroy(r.scene);
    wri_arena_destroy(&r.arena);
    return status;
}

// --- the command ------------------------------------------------------------------------------

typedef struct job {
    cli_sim_options options;
    const char *picture; // NULL: none
    bool watch, is_own;
} job;

// The picture of what was simulated, quickly drawn.
static int draw(const job *j)
{
    cli_render_options render = cli_render_options_default();
    render.input = j->options.folder;
    render.output = j->picture;
    render.threads = j->options.threads;
    render.quiet = j->options.quiet || j->options.json;
    render.preview = true;
    render.changes = j->options.changes;
    return cli_run_render(&render);
}

static int simulate_and_draw(const job *j)
{
    int status = cli_run_sim(&j->options);
    bool is_done = status == CLI_OK || status == CLI_TROUBLE;
    if (j->picture && is_done && !cli_has_changed(j->options.changes)) {
        int drawn = draw(j);
        status = drawn == CLI_OK ? status : drawn;
    }
    return status;
}

static int work(void *user, cli_changes *changes)
{
    job *j = user;
    j->options.changes = changes;
    j->options.is_own = &j->is_own;
    int status = simulate_and_draw(j);
    j->options.fresh = false;
    return status;
}

int cli_sim(int argc, char **argv)
{
    job j = {.options.folder = "out"};
    cli_sim_options *options = &j.options;
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &options->folder, 0, 0, "FOLDER",
         "where the recording goes (default: out)"},
        {"--threads", 't', CLI_WHOLE, &options->threads, 1, 256, "N",
         "threads to use; the result does not depend on it (default: one per core)"},
        {"--fresh", 0, CLI_FLAG, &options->fresh, 0, 0, NULL,
         "start again instead of resuming; the old recording is kept as recording.old.wrought"},
        {"--picture", 0, CLI_PATH, &j.picture, 0, 0, "FILE",
         "also a film or the middle picture, as 'render --preview' draws them"},
        {"--watch", 0, CLI_FLAG, &j.watch, 0, 0, NULL,
         "simulate again whenever the scene or a file it names was written, until Ctrl-C"},
        CLI_FOLLOW_LINKS(options->follow_links),
        {"--json", 0, CLI_FLAG, &options->json, 0, 0, NULL, "print the statistics as JSON"},
        {"--quiet", 'q', CLI_FLAG, &options->quiet, 0, 0, NULL, "print errors only"},
    };
    const cli_usage usage = {
        "sim",
        "SCENE.json",
        "Simulates a scene and writes FOLDER/recording.wrought. Run the same command again after "
        "an\n"
        "interruption: it goes on where it stopped, and the result is the same, bit for bit. "
        "Ctrl-C\n"
        "ends it within a step and drops the frame it was at. If only cameras, light or looks of "
        "the\n"
        "scene have changed, nothing is simulated: the recording gets the new ones. At the end it\n"
        "says of metal what bent and how far, what broke, what hit hardest and what passes "
        "through\n"
        "itself.",
        "  wrought sim scenes/wrecking-ball.scene.json -o out\n"
        "  wrought sim my.scene.json -o out --watch --picture quick.mp4\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &options->scene_path, &count);
    status = status < 0 ? cli_expect_text(options->scene_path, CLI_SCENE) : status;
    status = status < 0 && j.picture ? cli_check_picture(j.picture) : status;
    return status >= 0 ? status
           : j.watch   ? cli_work_on_changes(options->scene_path, options->quiet, work, &j)
                       : simulate_and_draw(&j);
}
