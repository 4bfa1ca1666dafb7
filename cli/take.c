// take.c: reads what is exported out of a recording.
#include "take.h"

#include <math.h>

// --- choosing bodies --------------------------------------------------------------------------

// pattern: a name, or its beginning and a star.
static bool matches(const char *name, const char *pattern, size_t length)
{
    if (length > 0 && pattern[length - 1] == '*') {
        return strncmp(name, pattern, length - 1) == 0;
    }
    return strlen(name) == length && memcmp(name, pattern, length) == 0;
}

static bool is_wanted(const char *name, const char *list)
{
    if (!list || strcmp(name, list) == 0) {
        return true;
    }
    for (;;) {
        size_t length = strcspn(list, ",");
        if (matches(name, list, length)) {
            return true;
        }
        if (!list[length]) {
            return false;
        }
        list += length + 1;
    }
}

static bool fail_unknown(cli_take *take, const wr_record_body *bodies, int count)
{
    const char **names = wri_arena_alloc(&take->arena, (size_t)count, sizeof *names);
    for (int i = 0; names && i < count; i++) {
        names[i] = bodies[i].name;
    }
    const char *wanted = take->options->body;
    const char *nearest = names ? wri_nearest_word(wanted, names, count) : NULL;
    return wri_fail(&take->error, WR_E_ARGUMENT,
                    nearest ? "%s: no body is called \"%s\"; did you mean \"%s\"?"
                            : "%s: no body that can be seen is called \"%s\"",
                    take->options->input, wanted, nearest);
}

// --- poses ------------------------------------------------------------------------------------

// What is found while the frames go by; bodies by their numbers in the recording.
typedef struct scan {
    wri_array poses;            // of picture after picture
    wri_array first_of_picture; // int: where its poses begin
    wri_array lives;            // life
} scan;

typedef struct life {
    int born, removed; // frames; removed: INT32_MAX when it stays
    bool bends;
} life;

static bool note_frame(scan *s, const wr_frame *frame)
{
    int fresh = frame->body_count - s->lives.count;
    life *born = fresh > 0 ? wri_array_add(&s->lives, fresh) : NULL;
    if (fresh > 0 && !born) {
        return false;
    }
    for (int i = 0; i < fresh; i++) {
        born[i] = (life){frame->index, INT32_MAX, false};
    }
    for (int i = 0; i < frame->event_count; i++) {
        const wr_event *event = &frame->events[i];
        if (event->kind == WR_EVENT_REMOVED && event->subject < s->lives.count) {
            WRI_ITEM(s->lives, life, event->subject).removed = frame->index;
        }
    }
    for (int i = 0; i < frame->points_count; i++) {
        WRI_ITEM(s->lives, life, frame->points[i].body).bends = true;
    }
    for (int i = 0; i < frame->weights_count; i++) {
        WRI_ITEM(s->lives, life, frame->weights[i].body).bends = true;
    }
    return true;
}

static bool note_picture(scan *s, const wr_frame *frame)
{
    int *first = wri_array_add(&s->first_of_picture, 1);
    wr_pose *poses = wri_array_add(&s->poses, frame->body_count);
    if (!first || (frame->body_count > 0 && !poses)) {
        return false;
    }
    *first = s->poses.count - frame->body_count;
    memcpy(poses, frame->poses, (size_t)frame->body_count * sizeof *poses);
    return true;
}

// Every frame up to the last picture goes by: births and removals between pictures count, too.
static bool read_frames(cli_take *take, scan *s)
{
    const cli_schedule *schedule = &take->schedule;
    int end = cli_schedule_frame(schedule, schedule->count - 1), picture = 0;
    cli_progress progress =
        cli_progress_start("reading", "frames", 0, end + 1, take->options->quiet);
    for (int f = 0; f <= end; f++) {
        if (cli_interrupted()) {
            take->interrupted = true;
            cli_progress_end(&progress);
            return false;
        }
        const wr_frame *frame = wr_record_read_frame(take->reader, f, &take->error);
        bool ok = frame && (note_frame(s, frame) || wri_fail_memory(&take->error, sizeof(life)));
        for (; ok && picture < schedule->count && cli_schedule_frame(schedule, picture) == f;
             picture++) {
            ok = note_picture(s, frame) || wri_fail_memory(&take->error, sizeof(wr_pose));
        }
        if (!ok) {
            cli_progress_end(&progress);
            return false;
        }
        cli_progress_show(&progress, f + 1, "");
    }
    cli_progress_end(&progress);
    return true;
}

static bool fill_poses(cli_take *take, const scan *s, cli_take_body *body, const life *span)
{
    const cli_schedule *schedule = &take->schedule;
    size_t count = (size_t)schedule->count;
    body->poses = wri_arena_alloc(&take->arena, count, sizeof(wr_pose));
    if (!body->poses) {
        return wri_fail_memory(&take->error, count * sizeof(wr_pose));
    }
    body->first = schedule->count;
    body->last = -1;
    for (int p = schedule->count - 1; p >= 0; p--) {
        int frame = cli_schedule_frame(schedule, p), first = WRI_ITEM(s->first_of_picture, int, p);
        if (frame >= span->born) {
            body->poses[p] = WRI_ITEM(s->poses, wr_pose, first + body->number);
            if (frame < span->removed) {
                body->first = p;
                body->last = body->last < 0 ? p : body->last;
            }
        } else {
            body->poses[p] = p + 1 < schedule->count ? body->poses[p + 1] : WR_POSE_IDENTITY;
        }
    }
    return true;
}

static bool choose_bodies(cli_take *take, const scan *s)
{
    int count;
    const wr_record_body *bodies = wr_record_bodies(take->reader, &count);
    count = count < s->lives.count ? count : s->lives.count;
    take->bodies = wri_arena_alloc(&take->arena, (size_t)count, sizeof *take->bodies);
    if (!take->bodies) {
        return wri_fail_memory(&take->error, (size_t)count * sizeof *take->bodies);
    }
    for (int i = 0; i < count; i++) {
        const life *span = &WRI_ITEM(s->lives, life, i);
        if ((bodies[i].model < 0 && !bodies[i].casts_ground) ||
            !is_wanted(bodies[i].name, take->options->body)) {
            continue;
        }
        cli_take_body *body = &take->bodies[take->body_count];
        *body = (cli_take_body){.number = i, .body = bodies[i]};
        body->bends = span->bends && bodies[i].model >= 0;
        body->body.name = wri_arena_text(&take->arena, bodies[i].name, strlen(bodies[i].name));
        if (!body->body.name) {
            return wri_fail_memory(&take->error, strlen(bodies[i].name));
        }
        if (!fill_poses(take, s, body, span)) {
            return false;
        }
        take->body_count += body->last >= 0; // seen at all
    }
    return take->body_count > 0 || !take->options->body || fail_unknown(take, bodies, count);
}

// --- shapes -----------------------------------------------------------------------------------

bool cli_take_shape(cli_take *take, const wr_frame *frame, const cli_take_body *body,
                    bool with_normals, wr_record_shape *shape)
{
    *shape = (wr_record_shape){0};
    return !body->bends || wr_reskin_find(take->reskin, frame, body->number, &body->body,
                                          with_normals, shape, &take->error);
}

bool cli_take_read_points(cli_take *take, const cli_take_body *body, wri_arena *arena,
                          wr_vec3 **points)
{
    const wr_mesh *mesh = take->info->models[body->body.model]->meshes;
    size_t n = (size_t)mesh->vertex_count, frames = (size_t)take->schedule.count;
    *points = wri_arena_alloc(arena, n * frames, sizeof **points);
    if (!*points) {
        return wri_fail_memory(&take->error, n * frames * sizeof **points);
    }
    for (int p = 0; p < take->schedule.count; p++) {
        if (cli_interrupted()) {
            take->interrupted = true;
            return false;
        }
        const wr_frame *frame = wr_record_read_frame(
            take->reader, cli_schedule_frame(&take->schedule, p), &take->error);
        wr_record_shape now;
        if (!frame || !cli_take_shape(take, frame, body, false, &now)) {
            return false;
        }
        memcpy(*points + (size_t)p * n, now.positions ? now.positions : mesh->positions,
               n * sizeof **points);
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool scan_recording(cli_take *take)
{
    scan s = {.poses = wri_array_create(NULL, sizeof(wr_pose)),
              .first_of_picture = wri_array_create(NULL, sizeof(int)),
              .lives = wri_array_create(NULL, sizeof(life))};
    bool ok = read_frames(take, &s) && choose_bodies(take, &s);
    wri_array_destroy(&s.poses);
    wri_array_destroy(&s.first_of_picture);
    wri_array_destroy(&s.lives);
    return ok;
}

bool cli_take_open(cli_take *take, const cli_export_options *options)
{
    *take = (cli_take){.options = options, .arena = wri_arena_create(NULL)};
    take->reader = wr_record_open(cli_recording_path(&take->arena, options->input), &take->error);
    if (!take->reader) {
        return false;
    }
    take->info = wr_record_about(take->reader);
    take->reskin = wr_reskin_create(take->info, &take->error);
    if (!take->reskin) {
        return false;
    }
    if (wr_record_frame_count(take->reader) == 0) {
        return wri_fail(&take->error, WR_E_ARGUMENT, "%s: has no frames yet", options->input);
    }
    take->schedule =
        cli_schedule_plan(take->reader, options->fps, options->from, options->to, INFINITY);
    if (take->schedule.count == 0) {
        return wri_fail(&take->error, WR_E_ARGUMENT, "%s: nothing between --from and --to",
                        options->input);
    }
    return scan_recording(take) && cli_take_build_model(take);
}

void cli_take_close(cli_take *take)
{
    wr_model_destroy(take->model);
    wr_reskin_destroy(take->reskin);
    wr_record_close(take->reader);
    wri_arena_destroy(&take->arena);
}

int cli_take_failed(const cli_take *take)
{
    return take->interrupted ? cli_complain(CLI_INTERRUPTED, "interrupted; nothing was written")
                             : cli_fail(&take->error);
}
