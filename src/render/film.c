// film.c: pictures into films, by ffmpeg reading raw frames from a pipe.
//
// The file is written beside its final name and renamed when ffmpeg says that all went well.
// Lighting is sRGB in; H.264 and VP9 get limited-range BT.709, converted with that matrix and
// tagged as such, so that players neither guess nor shift colours. Both store colour at half size,
// so an odd last column or row is cropped. WebP is BT.601 by its own definition.
#include "wrought/render.h"

#include "../base/base.h"
#include "../base/os.h"

struct wr_film {
    wri_arena arena;
    char *path, *part;
    size_t picture_size;
    int64_t picture_count;
    wri_pipe *pipe;
};

typedef struct format {
    const char *ending;
    const char *arguments[28]; // after the input, before the name of the output
} format;

#define BT709                                                                                      \
    "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,scale=out_color_matrix=bt709:out_range=tv",       \
        "-pix_fmt", "yuv420p", "-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace",  \
        "bt709", "-color_range", "tv"

static const format FORMATS[] = {
    {".mp4",
     {BT709, "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-movflags", "+faststart", "-f",
      "mp4"}},
    {".webm",
     {BT709, "-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-deadline", "good", "-cpu-used", "4",
      "-row-mt", "1", "-f", "webm"}},
    {".webp",
     {"-pix_fmt", "yuv420p", "-c:v", "libwebp_anim", "-quality", "75", "-compression_level", "5",
      "-loop", "0", "-f", "webp"}},
    {".gif",
     {"-filter_complex",
      "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=bayer:bayer_scale=4:"
      "diff_mode=rectangle",
      "-loop", "0", "-f", "gif"}},
};

static const format *find_format(const char *path)
{
    for (int i = 0; i < WRI_COUNT(FORMATS); i++) {
        const char *ending = FORMATS[i].ending;
        if (strlen(path) > strlen(ending) && wri_has_ending(path, ending)) {
            return &FORMATS[i];
        }
    }
    return NULL;
}

static bool start_ffmpeg(wr_film *film, const format *kind, const char *size, const char *rate,
                         wr_error *error)
{
    // "file:" keeps ffmpeg from reading a colon or a dash in the name as something else.
    const char *output = wri_arena_printf(&film->arena, "file:%s", film->part);
    if (!output) {
        return wri_fail_memory(error, strlen(film->part));
    }
    const char *arguments[64] = {
        "ffmpeg",   "-nostdin", "-hide_banner", "-loglevel", "error",      "-y", "-f", "rawvideo",
        "-pix_fmt", "rgb24",    "-s",           size,        "-framerate", rate, "-i", "pipe:0",
    };
    int count = 16;
    for (int i = 0; i < WRI_COUNT(kind->arguments) && kind->arguments[i]; i++) {
        arguments[count++] = kind->arguments[i];
    }
    arguments[count++] = output;
    film->pipe = wri_pipe_open(arguments, error);
    if (!film->pipe) {
        return wri_fail(error, WR_E_UNSUPPORTED,
                        "%s: films need the program ffmpeg, which could not be started; install "
                        "it or put it on the PATH",
                        film->path);
    }
    return true;
}

static bool check_film(const char *path, int width, int height, int numerator, int denominator,
                       wr_error *error)
{
    if (!find_format(path)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "%.300s: a film's name ends with .mp4, .webm, .webp or .gif", path);
    }
    if (width < 16 || width > 16384 || height < 16 || height > 16384) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "%.300s: picture size %d x %d is outside 16 to 16384 pixels a side", path,
                        width, height);
    }
    if (numerator < 1 || denominator < 1 || numerator / denominator > 1000) {
        return wri_fail(error, WR_E_ARGUMENT, "%.300s: %d/%d pictures per second is no frame rate",
                        path, numerator, denominator);
    }
    return true;
}

wr_film *wr_film_create(const char *path, int width, int height, int rate_numerator,
                        int rate_denominator, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    if (!check_film(path, width, height, rate_numerator, rate_denominator, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_film *film = wri_arena_alloc(&arena, 1, sizeof(*film));
    if (!film) {
        wri_fail_memory(error, sizeof(*film));
        return NULL;
    }
    film->arena = arena;
    film->picture_size = (size_t)width * (size_t)height * 3;
    film->path = wri_arena_printf(&film->arena, "%s", path);
    film->part = wri_path_part(&film->arena, path);
    const char *size = wri_arena_printf(&film->arena, "%dx%d", width, height);
    const char *rate = wri_arena_printf(&film->arena, "%d/%d", rate_numerator, rate_denominator);
    bool ok = film->path && film->part && size && rate;
    ok = ok ? start_ffmpeg(film, find_format(path), size, rate, error)
            : wri_fail_memory(error, strlen(path));
    if (!ok) {
        wr_film_destroy(film);
        return NULL;
    }
    return film;
}

void wr_film_set_watch(wr_film *film, bool (*go_on)(void *user), void *user)
{
    WR_ASSERT(film);
    if (film->pipe) {
        wri_pipe_set_watch(film->pipe, go_on, user);
    }
}

// Ends ffmpeg and removes what it wrote. Returns false so that failing is one line.
static bool abandon(wr_film *film, wr_error *error)
{
    if (film->pipe) {
        wri_pipe_close(film->pipe, error);
        film->pipe = NULL;
        wri_file_remove(film->part);
    }
    return false;
}

bool wr_film_add_picture(wr_film *film, const uint8_t *pixels, wr_error *error)
{
    if (!WRI_REQUIRE(error, film, pixels)) {
        return false;
    }
    if (!film->pipe) {
        return wri_fail(error, WR_E_IO, "%s: the film has already ended", film->path);
    }
    if (!wri_pipe_write(film->pipe, pixels, film->picture_size, error)) {
        return abandon(film, error); // ffmpeg's own words say more than a broken pipe
    }
    film->picture_count++;
    return true;
}

bool wr_film_finish(wr_film *film, const char *as, wr_error *error)
{
    if (!WRI_REQUIRE(error, film)) {
        return false;
    }
    if (!film->pipe) {
        return wri_fail(error, WR_E_IO, "%s: the film has already ended", film->path);
    }
    if (film->picture_count == 0) {
        abandon(film, NULL);
        return wri_fail(error, WR_E_ARGUMENT, "%s: a film needs at least one picture", film->path);
    }
    bool ok = wri_pipe_close(film->pipe, error);
    film->pipe = NULL;
    ok = ok && wri_file_rename(film->part, as ? as : film->path, error);
    if (!ok) {
        wri_file_remove(film->part);
    }
    return ok;
}

void wr_film_destroy(wr_film *film)
{
    if (!film) {
        return;
    }
    abandon(film, NULL);
    wri_arena arena = film->arena; // the film lives in its own arena
    wri_arena_destroy(&arena);
}
