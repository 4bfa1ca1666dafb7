// take.c: an open recording, and which of its frames become pictures.
#include "show.h"

#include "../record/record.h"

#include <math.h>
#include <stdio.h>

static const double LEAST_FPS = 0.001, MOST_FPS = 1000.0;

static wr_take *create_take(const char *name, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    wr_take *take = wri_arena_alloc(&arena, 1, sizeof *take);
    char *copy = take ? wri_arena_text(&arena, name, strlen(name)) : NULL;
    if (!copy) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, sizeof *take + strlen(name));
        return NULL;
    }
    *take = (wr_take){
        .arena = arena,
        .name = copy,
        .things = wri_array_create(NULL, sizeof(wr_render_thing)),
        .bodies = wri_array_create(NULL, sizeof(int)),
        .paints = wri_array_create(NULL, sizeof(wri_body_paint)),
        .pieces = {wri_arena_create(NULL), wri_array_create(NULL, sizeof(wr_model *))},
        .between = {.kept_memory = wri_arena_create(NULL), .memory = wri_arena_create(NULL)},
        .plain_look = {.name = "plain",
                       .base_color = {1.0f, 1.0f, 1.0f, 1.0f},
                       .texture = -1,
                       .roughness = 0.5f}};
    take->plain = (wr_model){.name = "", .look_count = 1, .looks = &take->plain_look};
    return take;
}

static wr_take *begin_take(wr_take *take, wr_error *error)
{
    if (take->reader) {
        take->info = wr_record_about(take->reader);
        take->reskin = wr_reskin_create(take->info, error);
    }
    if (!take->reskin) {
        wr_take_close(take);
        return NULL;
    }
    return take;
}

wr_take *wr_take_open(const char *path, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    wr_take *take = create_take(path, error);
    if (!take) {
        return NULL;
    }
    const char *file = wri_record_path(&take->arena, path);
    take->owns_reader = true;
    take->reader = file ? wr_record_open(file, error) : NULL;
    if (!file) {
        wri_fail_memory(error, strlen(path));
    }
    return begin_take(take, error);
}

wr_take *wr_take_create(wr_record_reader *reader, const char *name, wr_error *error)
{
    if (!WRI_REQUIRE(error, reader, name)) {
        return NULL;
    }
    wr_take *take = create_take(name, error);
    if (!take) {
        return NULL;
    }
    take->reader = reader;
    return begin_take(take, error);
}

void wr_take_close(wr_take *take)
{
    if (!take) {
        return;
    }
    wr_reskin_destroy(take->reskin);
    if (take->owns_reader) {
        wr_record_close(take->reader);
    }
    wri_array_destroy(&take->things);
    wri_array_destroy(&take->bodies);
    wri_array_destroy(&take->paints);
    wri_pieces_destroy(&take->pieces);
    wri_between_destroy(&take->between);
    wri_arena arena = take->arena; // the take itself is in it
    wri_arena_destroy(&arena);
}

wr_record_reader *wr_take_reader(const wr_take *take)
{
    return take->reader;
}

void wr_take_set_particles(wr_take *take, wr_particle_choice choice, wr_tasks tasks)
{
    take->particle_choice = choice;
    take->tasks = tasks;
}

// --- frames -----------------------------------------------------------------------------------

bool wri_take_check_frames(const wr_take *take, wr_error *error)
{
    return wr_record_frame_count(take->reader) > 0 ||
           wri_fail(error, WR_E_ARGUMENT, "%s: has no frames yet", take->name);
}

const wr_frame *wri_take_frame(wr_take *take, int index, wr_error *error)
{
    int last = wr_record_frame_count(take->reader) - 1;
    if (!wri_take_check_frames(take, error)) {
        return NULL;
    }
    if (index < 0 || index > last) {
        wri_fail(error, WR_E_ARGUMENT, "%s: has frames 0 to %d, not %d", take->name, last, index);
        return NULL;
    }
    return wr_record_read_frame(take->reader, index, error);
}

// --- times ------------------------------------------------------------------------------------

wr_schedule wr_take_plan(const wr_take *take, double fps, double from, double to, double most)
{
    const wr_record_info *info = take->info;
    wr_schedule s = {.numerator = info->rate_numerator,
                     .denominator = info->rate_denominator,
                     .start = fmax(from, 0.0),
                     .slow = 1.0,
                     .rate = (double)info->rate_numerator / info->rate_denominator,
                     .last = wr_record_frame_count(take->reader) - 1};
    if (fps > 0.0) {
        s.numerator = (int)lround(1000.0 * fmin(fmax(fps, LEAST_FPS), MOST_FPS));
        s.denominator = 1000;
    } else {
        while ((double)s.numerator / s.denominator > most && s.denominator < 1000000) {
            s.denominator *= 2; // every second frame, every fourth ...
        }
    }
    double end = fmin(to, s.last / s.rate);
    s.count =
        end < s.start ? 0 : (int)floor((end - s.start) * s.numerator / s.denominator + 1e-6) + 1;
    return s;
}

wr_schedule wr_schedule_slow(const wr_schedule *schedule, double slow)
{
    wr_schedule s = *schedule;
    s.slow *= slow;
    s.count = s.count > 0 ? (int)floor((s.count - 1) * slow + 1e-6) + 1 : 0;
    return s;
}

double wr_schedule_moment(const wr_schedule *s, int picture)
{
    double time = s->start + (double)picture * s->denominator / (s->numerator * s->slow);
    double moment = time * s->rate, nearest = round(moment);
    moment = fabs(moment - nearest) < 1e-6 * (1.0 + nearest) ? nearest : moment;
    return fmin(moment, s->last);
}

int wr_schedule_frame(const wr_schedule *s, int picture)
{
    return (int)lround(wr_schedule_moment(s, picture));
}

// --- saying -----------------------------------------------------------------------------------

void wri_show_say(const wr_log *log, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    if (!log->write) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->write(log->user, text);
}
