// hdr.c: Radiance's .hdr, also called .pic.
//
// After G. Ward. Real pixels. Graphics Gems II, 1991, and "Radiance file formats"
// (radsite.lbl.gov): lines of a header up to an empty one, a line of sizes, and rows of pixels of
// four bytes: red, green, blue and their exponent. A row comes with runs for each of the four apart
// (if it begins with 2, 2 and its width), or pixel by pixel, where 1, 1, 1, n repeats the one
// before. Rows must go from the top and pixels to the right, as those of all environments do. Ward
// adds a half to the bytes of a color; we do not, as most programs do not, so that 1 is written and
// read as 1.
#include "hdr.h"

#include "../base/os.h"

#include <math.h>
#include <string.h>

enum { FILE_BYTES = 512 << 20, LEAST_RUN_WIDTH = 8, MOST_WIDTH = 32766, MOST_LINE = 200 };

typedef struct reader {
    const uint8_t *bytes;
    size_t size, at;
    int width, height;
    double exposure; // light is what the pixels say, divided by it
    uint8_t *row;    // RGBE
    double *sums;    // of colors, three for each pixel that comes out
    const char *name;
    wr_error *error;
} reader;

static bool fail_at(const reader *r, const char *what)
{
    return wri_fail(r->error, WR_E_FORMAT, "%s: byte %zu: %s", r->name, r->at, what);
}

// --- header -----------------------------------------------------------------------------------

// A line without its end; false: there is none.
static bool read_line(reader *r, char line[MOST_LINE])
{
    const uint8_t *begin = r->bytes + r->at, *end = memchr(begin, '\n', r->size - r->at);
    if (!end) {
        return fail_at(r, "the file ends within its header");
    }
    size_t length = (size_t)(end - begin), kept = length < MOST_LINE ? length : MOST_LINE - 1;
    memcpy(line, begin, kept);
    line[kept] = 0;
    line[strcspn(line, "\r")] = 0;
    r->at += length + 1;
    return true;
}

static bool read_variable(reader *r, const char *line)
{
    double exposure;
    if (strncmp(line, "FORMAT=", 7) == 0 && strcmp(line + 7, "32-bit_rle_rgbe") != 0) {
        char format[40];
        wri_escape_text(format, sizeof format, line + 7);
        return wri_fail(r->error, WR_E_UNSUPPORTED,
                        "%s: the format is %s, expected 32-bit_rle_rgbe", r->name, format);
    }
    if (strncmp(line, "EXPOSURE=", 9) == 0) {
        const char *number = line + 9 + strspn(line + 9, " ");
        if (!wri_parse_double(number, strcspn(number, " "), &exposure) ||
            !(exposure > 1e-9 && exposure < 1e9)) {
            return wri_fail(r->error, WR_E_FORMAT,
                            "%s: EXPOSURE is no number from 1e-9 to 1e9 in the header", r->name);
        }
        r->exposure *= exposure;
    }
    return true;
}

// The number behind `sign`; moves *text behind it, where a blank or the end of the line must be.
static bool read_side(const char **text, const char *sign, bool is_last, int *out)
{
    size_t skipped = strlen(sign), length;
    double number;
    if (strncmp(*text, sign, skipped) != 0) {
        return false;
    }
    length = strspn(*text + skipped, "0123456789");
    if (length > 6 || !wri_parse_double(*text + skipped, length, &number)) {
        return false;
    }
    *out = (int)number;
    *text += skipped + length;
    return **text == (is_last ? 0 : ' ');
}

static bool read_size(reader *r)
{
    char line[MOST_LINE];
    const char *text = line;
    if (!read_line(r, line)) {
        return false;
    }
    if (!read_side(&text, "-Y ", false, &r->height) || !read_side(&text, " +X ", true, &r->width)) {
        char shown[60];
        wri_escape_text(shown, sizeof shown, line);
        return wri_fail(r->error, WR_E_FORMAT,
                        "%s: the line of sizes is \"%s\", expected -Y HEIGHT +X WIDTH", r->name,
                        shown);
    }
    if (r->width < 2 || r->width > MOST_WIDTH || r->width != 2 * r->height) {
        return wri_fail(r->error, WR_E_UNSUPPORTED,
                        "%s: is %d x %d pixels, expected a picture of all around: twice as wide as "
                        "high, at most %d wide",
                        r->name, r->width, r->height, MOST_WIDTH);
    }
    return true;
}

static bool read_header(reader *r)
{
    char line[MOST_LINE];
    if (r->size < 2 || memcmp(r->bytes, "#?", 2) != 0) {
        return wri_fail(r->error, WR_E_FORMAT,
                        "%s: is no Radiance picture (.hdr): it does not begin with #?", r->name);
    }
    do {
        if (!read_line(r, line) || !read_variable(r, line)) {
            return false;
        }
    } while (line[0]);
    return read_size(r);
}

// --- rows -------------------------------------------------------------------------------------

static bool read_run(reader *r, int channel, int *x)
{
    size_t left = r->size - r->at;
    const uint8_t *b = r->bytes + r->at;
    int count = left > 0 ? b[0] : 0;
    bool is_repeated = count > 128;
    count -= is_repeated ? 128 : 0;
    if (left < 2 || (!is_repeated && left - 1 < (size_t)count)) {
        return fail_at(r, "the file ends within a row");
    }
    if (count == 0 || count > r->width - *x) {
        return fail_at(r, count ? "a run goes beyond its row" : "a run of 0 bytes");
    }
    for (int i = 0; i < count; i++) {
        r->row[4 * (*x + i) + channel] = b[is_repeated ? 1 : 1 + i];
    }
    *x += count;
    r->at += is_repeated ? 2 : 1 + (size_t)count;
    return true;
}

static bool read_runs(reader *r)
{
    r->at += 4;
    for (int channel = 0; channel < 4; channel++) {
        for (int x = 0; x < r->width;) {
            if (!read_run(r, channel, &x)) {
                return false;
            }
        }
    }
    return true;
}

// Repetitions that follow each other count in a number of base 256, from its lowest digit.
static bool read_pixels(reader *r)
{
    int shift = 0;
    for (int x = 0; x < r->width;) {
        const uint8_t *b = r->bytes + r->at;
        if (r->size - r->at < 4) {
            return fail_at(r, "the file ends within a row");
        }
        bool repeats = b[0] == 1 && b[1] == 1 && b[2] == 1;
        int64_t count = repeats && shift <= 16 ? (int64_t)b[3] << shift : repeats ? MOST_WIDTH : 1;
        if ((repeats && x == 0) || count > r->width - x) {
            return fail_at(r, x == 0 ? "a row begins with a repetition"
                                     : "a repetition goes beyond its row");
        }
        for (int64_t i = 0; i < count; i++) {
            memcpy(r->row + 4 * x, repeats ? r->row + 4 * (x - 1) : b, 4);
            x++;
        }
        shift = repeats ? shift + 8 : 0;
        r->at += 4;
    }
    return true;
}

static bool read_row(reader *r)
{
    const uint8_t *b = r->bytes + r->at;
    bool has_runs = r->size - r->at >= 4 && b[0] == 2 && b[1] == 2 &&
                    (b[2] << 8 | b[3]) == r->width && r->width >= LEAST_RUN_WIDTH;
    return has_runs ? read_runs(r) : read_pixels(r);
}

// --- averages ---------------------------------------------------------------------------------

static void encode(const double *color, uint8_t *out)
{
    const double most = 1e30;
    double largest = fmin(most, fmax(color[0], fmax(color[1], color[2])));
    int exponent;
    frexp(largest, &exponent);
    if (!(largest > 1e-30)) {
        memset(out, 0, 4);
        return;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = (uint8_t)fmin(255.0, ldexp(fmin(most, color[k]), 8 - exponent) + 0.5);
    }
    out[3] = (uint8_t)(exponent + 128);
}

static void add_row(reader *r, int width)
{
    for (int x = 0; x < r->width; x++) {
        const uint8_t *b = r->row + 4 * x;
        double *sum = r->sums + 3 * (int)((int64_t)x * width / r->width);
        double unit = b[3] ? ldexp(1.0, b[3] - 136) : 0.0;
        for (int k = 0; k < 3; k++) {
            sum[k] += unit * b[k];
        }
    }
}

// Pixels of `rows` rows become one row.
static void finish_row(reader *r, int width, int rows, uint8_t *out)
{
    for (int x = 0; x < width; x++) {
        int64_t first = ((int64_t)x * r->width + width - 1) / width;
        int64_t next = ((int64_t)(x + 1) * r->width + width - 1) / width;
        double *sum = r->sums + 3 * x, part = 1.0 / ((double)(next - first) * rows * r->exposure);
        const double color[3] = {part * sum[0], part * sum[1], part * sum[2]};
        encode(color, out + 4 * x);
    }
    memset(r->sums, 0, 3 * (size_t)width * sizeof *r->sums);
}

static bool read_rows(reader *r, int width, uint8_t *out)
{
    int height = width / 2, rows = 0;
    for (int y = 0; y < r->height; y++) {
        int to = (int)((int64_t)y * height / r->height);
        if (!read_row(r)) {
            return false;
        }
        add_row(r, width);
        rows++;
        if (y + 1 == r->height || (int64_t)(y + 1) * height / r->height > to) {
            finish_row(r, width, rows, out + 4 * (size_t)width * (size_t)to);
            rows = 0;
        }
    }
    return true;
}

bool wri_hdr_decode(wri_arena *arena, const void *bytes, size_t size, const char *name,
                    wr_environment *out, wr_error *error)
{
    reader r = {.bytes = bytes, .size = size, .exposure = 1.0, .name = name, .error = error};
    if (!read_header(&r)) {
        return false;
    }
    int width = r.width < WR_ENVIRONMENT_WIDTH ? r.width : WR_ENVIRONMENT_WIDTH;
    size_t count = (size_t)width * (size_t)(width / 2);
    uint8_t *pixels = wri_arena_alloc(arena, count, 4);
    r.row = wri_arena_alloc(arena, (size_t)r.width, 4);
    r.sums = wri_arena_alloc(arena, (size_t)width, 3 * sizeof *r.sums);
    if (!pixels || !r.row || !r.sums) {
        return wri_fail_memory(error, 4 * count);
    }
    *out = (wr_environment){width, width / 2, pixels};
    return read_rows(&r, width, pixels);
}

bool wri_hdr_read(wri_arena *arena, const char *path, wr_environment *out, wr_error *error)
{
    size_t size;
    char *bytes = wri_file_read(path, FILE_BYTES, &arena->allocator, &size, error);
    bool ok = bytes && wri_hdr_decode(arena, bytes, size, path, out, error);
    if (bytes) {
        wri_free(&arena->allocator, bytes, size + 1, 1);
    }
    return ok;
}

// --- the public interface ---------------------------------------------------------------------

typedef struct owner {
    wr_environment environment;
    wri_arena arena; // this is in it
} owner;

wr_environment *wr_environment_read(const char *path, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(NULL);
    owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    bool ok =
        o ? wri_hdr_read(&arena, path, &o->environment, error) : wri_fail_memory(error, sizeof *o);
    if (!ok) {
        wri_arena_destroy(&arena);
        return NULL;
    }
    o->arena = arena;
    return &o->environment;
}

void wr_environment_destroy(wr_environment *environment)
{
    if (environment) {
        wri_arena arena = ((owner *)environment)->arena;
        wri_arena_destroy(&arena);
    }
}
