// export_scan.c: reads what is exported out of a take: which bodies, and where they are when.
#include "export.h"

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

bool wri_export_wants(const wri_export *e, const char *name)
{
    return is_wanted(name, e->desc->bodies);
}

// A body is wanted by its own name; a fragment by that of its body, too.
static bool is_body_wanted(const wri_export *e, const wr_record_body *bodies, int body)
{
    int owner = bodies[body].fragment_of - 1;
    return is_wanted(bodies[body].name, e->desc->bodies) ||
           (owner >= 0 && is_wanted(bodies[owner].name, e->desc->bodies));
}

static bool fail_unknown(wri_export *e, const wr_record_body *bodies, int count)
{
    const char **names = wri_arena_alloc(&e->arena, (size_t)count, sizeof *names);
    for (int i = 0; names && i < count; i++) {
        names[i] = bodies[i].name;
    }
    const char *wanted = e->desc->bodies;
    const char *nearest = names ? wri_nearest_word(wanted, names, count) : NULL;
    return wri_fail(e->error, WR_E_ARGUMENT,
                    nearest ? "%s: no body is called \"%s\"; did you mean \"%s\"?"
                            : "%s: no body that can be seen is called \"%s\"",
                    e->take->name, wanted, nearest);
}

// --- poses ------------------------------------------------------------------------------------

// Findings while the frames go by; bodies by their numbers in the recording.
typedef struct scan {
    wri_array poses;            // of picture after picture
    wri_array first_of_picture; // int: where its poses begin
    wri_array lives;            // life
    wri_array films;            // wri_export_film
} scan;

typedef struct life {
    int born, removed; // frames; removed: INT32_MAX when it stays
    bool bends;
    bool is_loose; // its points came without bones at least once
    int changes;   // frames in which its points or weights differ from those before, perhaps
    uint64_t hash; // of its weights
    bool *hidden;  // see wri_export_body
} life;

static void note_weights(life *span, const wr_record_weights *weights)
{
    size_t size = (size_t)weights->entry_count * sizeof *weights->weights;
    uint64_t hash = wri_hash(weights->vertices, size, 0);
    hash = wri_hash(weights->examples, size, hash);
    hash = wri_hash(weights->weights, size, hash);
    span->bends = true;
    span->changes += hash != span->hash;
    span->hash = hash;
}

static bool note_frame(scan *s, const wr_frame *frame)
{
    int fresh = frame->body_count - s->lives.count;
    life *born = fresh > 0 ? wri_array_add(&s->lives, fresh) : NULL;
    if (fresh > 0 && !born) {
        return false;
    }
    for (int i = 0; i < fresh; i++) {
        born[i] = (life){.born = frame->index, .removed = INT32_MAX};
    }
    for (int i = 0; i < frame->event_count; i++) {
        const wr_event *event = &frame->events[i];
        if (event->kind == WR_EVENT_REMOVED && event->subject < s->lives.count) {
            WRI_ITEM(s->lives, life, event->subject).removed = frame->index;
        }
    }
    for (int i = 0; i < frame->points_count; i++) {
        life *span = &WRI_ITEM(s->lives, life, frame->points[i].body);
        span->bends = true;
        span->changes++;
        span->is_loose = span->is_loose || !wr_frame_skinned(frame, frame->points[i].body);
    }
    for (int i = 0; i < frame->weights_count; i++) {
        note_weights(&WRI_ITEM(s->lives, life, frame->weights[i].body), &frame->weights[i]);
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

// A surface of number 0 is shown in place of the model.
static bool note_hidden(wri_export *e, scan *s, const wr_frame *frame, int picture)
{
    for (int i = 0; i < frame->surface_count; i++) {
        life *span = &WRI_ITEM(s->lives, life, frame->surfaces[i].body);
        if (frame->surfaces[i].number > 0) {
            continue;
        }
        if (!span->hidden) {
            span->hidden = wri_arena_alloc(&e->arena, (size_t)e->schedule.count, sizeof(bool));
        }
        if (!span->hidden) {
            return wri_fail_memory(e->error, (size_t)e->schedule.count);
        }
        span->hidden[picture] = true;
    }
    return true;
}

// Every frame up to the last picture goes by: births and removals between pictures count, too.
static bool read_frames(wri_export *e, scan *s)
{
    const wr_schedule *schedule = &e->schedule;
    int end = wr_schedule_frame(schedule, schedule->count - 1), picture = 0;
    for (int f = 0; f <= end; f++) {
        if (!wri_watch(&e->desc->watch, WR_WATCH_READ, f, end + 1)) {
            return wri_export_cancel(e);
        }
        const wr_frame *frame = wr_record_read_frame(e->take->reader, f, e->error);
        bool ok = frame && (note_frame(s, frame) || wri_fail_memory(e->error, sizeof(life)));
        for (; ok && picture < schedule->count && wr_schedule_frame(schedule, picture) == f;
             picture++) {
            ok = (note_picture(s, frame) || wri_fail_memory(e->error, sizeof(wr_pose))) &&
                 note_hidden(e, s, frame, picture) &&
                 wri_export_note_films(e, &s->films, frame, picture);
        }
        if (!ok) {
            return false;
        }
    }
    return wri_watch(&e->desc->watch, WR_WATCH_READ, end + 1, end + 1) || wri_export_cancel(e);
}

static bool fill_poses(wri_export *e, const scan *s, wri_export_body *body, const life *span)
{
    const wr_schedule *schedule = &e->schedule;
    size_t count = (size_t)schedule->count;
    body->poses = wri_arena_alloc(&e->arena, count, sizeof(wr_pose));
    if (!body->poses) {
        return wri_fail_memory(e->error, count * sizeof(wr_pose));
    }
    body->first = schedule->count;
    body->last = -1;
    for (int p = schedule->count - 1; p >= 0; p--) {
        int frame = wr_schedule_frame(schedule, p), first = WRI_ITEM(s->first_of_picture, int, p);
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

static bool choose_bodies(wri_export *e, const scan *s)
{
    int count;
    const wr_record_body *bodies = wr_record_bodies(e->take->reader, &count);
    count = count < s->lives.count ? count : s->lives.count;
    e->bodies = wri_arena_alloc(&e->arena, (size_t)count, sizeof *e->bodies);
    if (!e->bodies) {
        return wri_fail_memory(e->error, (size_t)count * sizeof *e->bodies);
    }
    for (int i = 0; i < count; i++) {
        const life *span = &WRI_ITEM(s->lives, life, i);
        if ((bodies[i].model < 0 && !bodies[i].casts_ground) || !is_body_wanted(e, bodies, i)) {
            continue;
        }
        wri_export_body *body = &e->bodies[e->body_count];
        *body = (wri_export_body){.number = i, .body = bodies[i]};
        int owner = bodies[i].fragment_of > 0 ? bodies[i].fragment_of - 1 : i;
        body->bends = WRI_ITEM(s->lives, life, owner).bends && bodies[i].model >= 0;
        body->changes = WRI_ITEM(s->lives, life, owner).changes;
        body->skin = body->bends && !span->is_loose ? wr_record_skin_of(e->info, i) : NULL;
        body->body.name = wri_arena_text(&e->arena, bodies[i].name, strlen(bodies[i].name));
        if (!body->body.name) {
            return wri_fail_memory(e->error, strlen(bodies[i].name));
        }
        body->hidden = span->hidden;
        if (!fill_poses(e, s, body, span)) {
            return false;
        }
        bool seen = false;
        for (int p = body->first; p <= body->last; p++) {
            seen = seen || wri_export_shows(body, p);
        }
        e->body_count += seen;
    }
    return e->body_count > 0 || s->films.count > 0 || !e->desc->bodies ||
           fail_unknown(e, bodies, count);
}

// The films that were noted get poses, and names that outlive the reading.
static bool choose_films(wri_export *e, scan *s)
{
    size_t count = (size_t)s->films.count;
    e->films = wri_arena_alloc(&e->arena, count, sizeof *e->films);
    if (!e->films) {
        return wri_fail_memory(e->error, count * sizeof *e->films);
    }
    for (int i = 0; i < s->films.count; i++) {
        wri_export_film *film = &e->films[i];
        *film = WRI_ITEM(s->films, wri_export_film, i);
        e->film_count++;
        wri_export_body body = {.number = film->number};
        if (!fill_poses(e, s, &body, &WRI_ITEM(s->lives, life, film->number))) {
            return false;
        }
        film->poses = body.poses;
        for (int p = 0; film->in_world && p < e->schedule.count; p++) {
            film->poses[p] = WR_POSE_IDENTITY;
        }
    }
    s->films.count = 0; // they belong to the export now
    return true;
}

bool wri_export_scan(wri_export *e)
{
    scan s = {.poses = wri_array_create(NULL, sizeof(wr_pose)),
              .first_of_picture = wri_array_create(NULL, sizeof(int)),
              .lives = wri_array_create(NULL, sizeof(life)),
              .films = wri_array_create(NULL, sizeof(wri_export_film))};
    bool ok = read_frames(e, &s) && choose_bodies(e, &s) && choose_films(e, &s);
    for (int i = 0; i < s.films.count; i++) {
        wri_array_destroy(&WRI_ITEM(s.films, wri_export_film, i).tints);
    }
    wri_array_destroy(&s.films);
    wri_array_destroy(&s.poses);
    wri_array_destroy(&s.first_of_picture);
    wri_array_destroy(&s.lives);
    return ok;
}

// --- shapes -----------------------------------------------------------------------------------

const wr_frame *wri_export_frame(wri_export *e, int picture)
{
    return wr_record_read_frame(e->take->reader, wr_schedule_frame(&e->schedule, picture),
                                e->error);
}

bool wri_export_shape(wri_export *e, const wr_frame *frame, const wri_export_body *body,
                      bool with_normals, wr_record_shape *shape)
{
    *shape = (wr_record_shape){0};
    return !body->bends || wr_reskin_find(e->take->reskin, frame, body->number, &body->body,
                                          with_normals, shape, e->error);
}
