// reel.c: pictures one after the other, as a film or as numbered files.
#include "reel.h"

#include "wrought/file.h"

bool wri_reel_is_sequence(const char *path)
{
    return (wri_has_ending(path, ".png") || wri_has_ending(path, ".exr")) &&
           wri_sequence_of(path).digits > 0;
}

bool wri_reel_open(wri_reel *reel, const wr_schedule *schedule, bool replace, wr_error *error)
{
    if (wri_reel_is_sequence(reel->path)) {
        reel->sequence = wri_sequence_of(reel->path);
        reel->is_light = wri_has_ending(reel->path, ".exr");
        return wri_sequence_clear(&reel->sequence, replace, error);
    }
    reel->film = wr_film_create(reel->path, reel->width, reel->height, schedule->numerator,
                                schedule->denominator, error);
    return reel->film != NULL;
}

bool wri_reel_add(wri_reel *reel, const uint8_t *pixels, wr_error *error)
{
    if (reel->film) {
        reel->count++;
        return wr_film_add_picture(reel->film, pixels, error);
    }
    wri_arena arena = wri_arena_create(NULL);
    char *path = wri_sequence_name(&reel->sequence, reel->count++, &arena);
    bool ok = path ? wr_png_write(path, pixels, reel->width, reel->height, 3, error)
                   : wri_fail_memory(error, strlen(reel->path));
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_reel_add_light(wri_reel *reel, const float *light, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    char *path = wri_sequence_name(&reel->sequence, reel->count++, &arena);
    bool ok = path ? wr_exr_write(path, light, reel->width, reel->height, error)
                   : wri_fail_memory(error, strlen(reel->path));
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_reel_finish(wri_reel *reel, wr_error *error)
{
    return !reel->film || wr_film_finish(reel->film, reel->path, error);
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

void wri_reel_stop(wri_reel *reel, int wanted, bool keep_part, wr_error *error)
{
    if (reel->count == 0) {
        wri_fail(error, WR_E_CANCELLED, "interrupted before the first picture");
    } else if (!reel->film) {
        wri_fail(error, WR_E_CANCELLED, "interrupted; the first %d of %d pictures are there",
                 reel->count, wanted);
    } else if (keep_part) {
        keep_part_of_film(reel, wanted, error);
    } else {
        wri_fail(error, WR_E_CANCELLED, "interrupted; nothing was written");
    }
}

void wri_reel_close(wri_reel *reel)
{
    wr_film_destroy(reel->film);
    reel->film = NULL;
}
