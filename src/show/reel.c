// reel.c: pictures one after the other, as a film or as numbered files.
#include "reel.h"

#include "wrought/file.h"

bool wri_reel_is_sequence(const char *path)
{
    return (wri_has_ending(path, ".png") || wri_has_ending(path, ".exr")) &&
           wri_sequence_of(path).digits > 0;
}

bool wri_reel_open(wri_reel *reel, const wr_schedule *schedule, wr_error *error)
{
    reel->arena = wri_arena_create(NULL);
    if (wri_reel_is_sequence(reel->path)) {
        reel->sequence = wri_sequence_of(reel->path);
        reel->is_light = wri_has_ending(reel->path, ".exr");
        return reel->keep_part ? wri_sequence_clear(&reel->sequence, reel->replace, error)
                               : wri_sequence_check(&reel->sequence, reel->replace, error);
    }
    reel->film = wr_film_create(reel->path, reel->width, reel->height, schedule->numerator,
                                schedule->denominator, error);
    return reel->film != NULL;
}

// --- numbered files ---------------------------------------------------------------------------

// A picture of a sequence that appears as a whole waits under a name of its own: the same for a
// number as long as the reel lives.
static const char *waiting_name(wri_reel *reel, int number)
{
    char *name = wri_sequence_name(&reel->sequence, number, &reel->arena);
    return name && !reel->keep_part ? wri_path_part(&reel->arena, name) : name;
}

static const char *next_name(wri_reel *reel, wr_error *error)
{
    const char *path = waiting_name(reel, reel->count++);
    if (!path) {
        wri_fail_memory(error, strlen(reel->path));
    }
    return path;
}

bool wri_reel_add(wri_reel *reel, const uint8_t *pixels, wr_error *error)
{
    if (reel->film) {
        reel->count++;
        return wr_film_add_picture(reel->film, pixels, error);
    }
    const char *path = next_name(reel, error);
    return path && wr_png_write(path, pixels, reel->width, reel->height, 3, error);
}

bool wri_reel_add_light(wri_reel *reel, const float *light, wr_error *error)
{
    const char *path = next_name(reel, error);
    return path && wr_exr_write(path, light, reel->width, reel->height, error);
}

static bool show_waiting(wri_reel *reel, wr_error *error)
{
    bool ok = wri_sequence_clear(&reel->sequence, reel->replace, error);
    for (int i = 0; i < reel->count && ok; i++) {
        const char *from = waiting_name(reel, i);
        const char *to = wri_sequence_name(&reel->sequence, i, &reel->arena);
        ok = from && to ? wri_file_rename(from, to, error)
                        : wri_fail_memory(error, strlen(reel->path));
    }
    reel->count = ok ? 0 : reel->count; // none waits any more
    return ok;
}

static void remove_waiting(wri_reel *reel)
{
    for (int i = 0; i < reel->count; i++) {
        const char *path = waiting_name(reel, i);
        if (path) {
            wri_file_remove(path); // those that were shown are not called so any more
        }
    }
}

// --- ends -------------------------------------------------------------------------------------

bool wri_reel_finish(wri_reel *reel, wr_error *error)
{
    return reel->film        ? wr_film_finish(reel->film, reel->path, error)
           : reel->keep_part ? true
                             : show_waiting(reel, error);
}

static void keep_part_of_film(wri_reel *reel, int wanted, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    const char *path = reel->path, *ending = strrchr(path, '.');
    char *part = wri_arena_printf(&arena, "%.*s.partial%s", (int)(ending - path), path, ending);
    bool ok = part ? wr_film_finish(reel->film, part, error) : wri_fail_memory(error, strlen(path));
    if (ok) {
        wri_fail(error, WR_E_CANCELLED, "interrupted; the first %d of %d pictures are in %s",
                 reel->count, wanted, part);
    }
    wri_arena_destroy(&arena);
}

void wri_reel_stop(wri_reel *reel, int wanted, wr_error *error)
{
    if (reel->count == 0) {
        wri_fail(error, WR_E_CANCELLED, "interrupted before the first picture");
    } else if (!reel->keep_part) {
        wri_fail(error, WR_E_CANCELLED, "interrupted; nothing was written");
    } else if (!reel->film) {
        wri_fail(error, WR_E_CANCELLED, "interrupted; the first %d of %d pictures are there",
                 reel->count, wanted);
    } else {
        keep_part_of_film(reel, wanted, error);
    }
}

void wri_reel_close(wri_reel *reel)
{
    if (!reel->film && !reel->keep_part) {
        remove_waiting(reel);
    }
    wri_arena_destroy(&reel->arena);
    wr_film_destroy(reel->film);
    reel->film = NULL;
}
