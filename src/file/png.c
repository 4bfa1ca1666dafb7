// png.c: PNG in and out through libpng, with our memory, our errors and nothing on stderr.
//
// libpng leaves a failing call with longjmp. Everything that has to survive the jump lives in one
// struct that is not on the frame that calls setjmp, so no local can be lost.
#include "png.h"
#include "wrought/file.h"
#include "../base/os.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>

enum { MAX_SIDE = 16384 };

typedef struct coder {
    png_structp png;
    png_infop info;
    wr_allocator allocator;
    jmp_buf escape;
    char message[128];
    bool out_of_memory;
    const uint8_t *input; // reading
    size_t left, size;    // bytes to read; of all
    wri_array *output;    // writing
} coder;

// --- hooks ------------------------------------------------------------------------------------

static PNG_NORETURN void on_error(png_structp png, png_const_charp message)
{
    coder *c = png_get_error_ptr(png);
    snprintf(c->message, sizeof c->message, "%s", message);
    longjmp(c->escape, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

enum {
    SIZE_ROOM = 64
}; // room in front of every block for its size, which our allocators want
   // back

static png_voidp on_alloc(png_structp png, png_alloc_size_t size)
{
    coder *c = png_get_mem_ptr(png);
    uint8_t *block =
        size > SIZE_MAX - SIZE_ROOM ? NULL : wri_alloc(&c->allocator, size + SIZE_ROOM, 1);
    if (!block) {
        c->out_of_memory = true;
        return NULL;
    }
    size_t total = size + SIZE_ROOM;
    memcpy(block, &total, sizeof total);
    return block + SIZE_ROOM;
}

static void on_free(png_structp png, png_voidp memory)
{
    coder *c = png_get_mem_ptr(png);
    if (memory) {
        uint8_t *block = (uint8_t *)memory - SIZE_ROOM;
        size_t total;
        memcpy(&total, block, sizeof total);
        wri_free(&c->allocator, block, total, 1);
    }
}

static void on_read(png_structp png, png_bytep bytes, size_t size)
{
    coder *c = png_get_io_ptr(png);
    if (size > c->left) {
        png_error(png, "the data ends too early");
    }
    memcpy(bytes, c->input, size);
    c->input += size;
    c->left -= size;
}

static void on_write(png_structp png, png_bytep bytes, size_t size)
{
    coder *c = png_get_io_ptr(png);
    void *room = size > INT32_MAX ? NULL : wri_array_add(c->output, (int)size);
    if (!room) {
        c->out_of_memory = true;
        png_error(png, "out of memory");
    }
    memcpy(room, bytes, size);
}

static void on_flush(png_structp png)
{
    (void)png;
}

static bool fail_memory(const char *name, wr_error *error)
{
    return wri_fail(error, WR_E_MEMORY, "%s: out of memory for the PNG", name);
}

// --- reading ----------------------------------------------------------------------------------

static void begin_reading(coder *c)
{
    c->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, c, on_error, on_warning, c, on_alloc,
                                      on_free);
    c->info = c->png ? png_create_info_struct(c->png) : NULL;
    if (!c->info) {
        c->out_of_memory = true;
        longjmp(c->escape, 1);
    }
    png_set_read_fn(c->png, c, on_read);
    png_set_user_limits(c->png, MAX_SIDE, MAX_SIDE);
    png_set_chunk_malloc_max(c->png, 8u << 20);
    png_set_keep_unknown_chunks(c->png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_read_info(c->png, c->info);
}

static uint32_t read_big(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
}

// libpng takes memory for some chunks before it has seen that their bytes are there.
static void check_chunks(coder *c)
{
    enum { SIGNATURE = 8, AROUND = 12 }; // around a chunk: length, kind, checksum
    for (size_t at = SIGNATURE; at < c->size;) {
        const uint8_t *b = c->input + at;
        size_t left = c->size - at;
        size_t length = left < AROUND ? 0 : read_big(b);
        if (left < AROUND || length > left - AROUND) {
            c->left = left;
            snprintf(c->message, sizeof c->message, "the data ends within a chunk");
            longjmp(c->escape, 1);
        }
        if (memcmp(b + 4, "IEND", 4) == 0) {
            return; // the rest is not looked at
        }
        at += AROUND + length;
    }
}

// Deflate shrinks at most 1032 to 1, so a header that promises more than that is a lie; better to
// find out before taking memory for the pixels.
static void check_promise(coder *c)
{
    uint64_t rows = png_get_image_height(c->png, c->info);
    uint64_t promised = rows * (png_get_rowbytes(c->png, c->info) + 1);
    if (promised / 1040 > c->left) {
        png_error(c->png, "the data ends too early");
    }
}

static void read_pixels(coder *c, wri_arena *arena, wr_image *out)
{
    check_chunks(c);
    begin_reading(c);
    check_promise(c);
    png_set_expand(c->png);
    png_set_scale_16(c->png);
    png_set_gray_to_rgb(c->png);
    png_set_add_alpha(c->png, 0xff, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(c->png);
    png_read_update_info(c->png, c->info);
    size_t width = png_get_image_width(c->png, c->info);
    size_t height = png_get_image_height(c->png, c->info);
    WR_ASSERT(png_get_rowbytes(c->png, c->info) == 4 * width);
    uint8_t *pixels = wri_arena_alloc(arena, height, 4 * width);
    if (!pixels) {
        c->out_of_memory = true;
        longjmp(c->escape, 1);
    }
    for (int pass = 0; pass < passes; pass++) {
        for (size_t y = 0; y < height; y++) {
            png_read_row(c->png, pixels + y * 4 * width, NULL);
        }
    }
    png_read_end(c->png, NULL);
    *out = (wr_image){.name = "", .width = (int)width, .height = (int)height, .pixels = pixels};
}

static bool decode(coder *c, wri_arena *arena, wr_image *out)
{
    if (setjmp(c->escape)) {
        return false;
    }
    read_pixels(c, arena, out);
    return true;
}

bool wri_png_decode(wri_arena *arena, const void *bytes, size_t size, const char *name,
                    wr_image *out, wr_error *error)
{
    coder c = {.allocator = arena->allocator, .input = bytes, .left = size, .size = size};
    bool ok = decode(&c, arena, out);
    png_destroy_read_struct(c.png ? &c.png : NULL, c.info ? &c.info : NULL, NULL);
    if (!ok && c.out_of_memory) {
        return fail_memory(name, error);
    }
    return ok || wri_fail(error, WR_E_FORMAT, "%s: byte %zu: broken PNG: %s", name, size - c.left,
                          c.message);
}

int64_t wri_png_pixels(const void *bytes, size_t size)
{
    enum { WIDTH = 16, HEIGHT = 20, END = 24 }; // places in the chunk IHDR, which comes first
    const uint8_t *b = bytes;
    if (size < END || memcmp(b + 12, "IHDR", 4) != 0) {
        return 0;
    }
    uint32_t width = read_big(b + WIDTH), height = read_big(b + HEIGHT);
    return width > MAX_SIDE || height > MAX_SIDE ? 0 : (int64_t)width * height;
}

// --- writing ----------------------------------------------------------------------------------

static bool is_opaque(const wri_png_picture *p)
{
    size_t count = (size_t)p->width * (size_t)p->height;
    for (size_t i = 0; i < count; i++) {
        if (p->pixels[4 * i + 3] != 255) {
            return false;
        }
    }
    return true;
}

// Neighbouring numbers of a palette have nothing to do with each other: filters only harm.
static void write_palette(coder *c, const wri_png_picture *p)
{
    png_color colors[256];
    for (int i = 0; i < p->palette_count; i++) {
        colors[i] = (png_color){p->palette[i][0], p->palette[i][1], p->palette[i][2]};
    }
    png_set_PLTE(c->png, c->info, colors, p->palette_count);
    png_set_filter(c->png, 0, PNG_FILTER_NONE);
}

// small: as small as can be, rather than fast.
static void write_pixels(coder *c, const wri_png_picture *p, bool small)
{
    c->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, c, on_error, on_warning, c, on_alloc,
                                       on_free);
    c->info = c->png ? png_create_info_struct(c->png) : NULL;
    if (!c->info) {
        c->out_of_memory = true;
        longjmp(c->escape, 1);
    }
    png_set_write_fn(c->png, c, on_write, on_flush);
    bool drop_alpha = small && p->channels == 4 && is_opaque(p);
    if (small) {
        png_set_compression_level(c->png, 9);
    } else {
        // Level 1 behind one fixed filter: a tenth of the time of libpng's defaults for files a
        // quarter larger.
        png_set_compression_level(c->png, 1);
        png_set_filter(c->png, 0, PNG_FILTER_SUB);
    }
    int kind = p->channels == 1                 ? PNG_COLOR_TYPE_PALETTE
               : p->channels == 3 || drop_alpha ? PNG_COLOR_TYPE_RGB
                                                : PNG_COLOR_TYPE_RGBA;
    png_set_IHDR(c->png, c->info, (png_uint_32)p->width, (png_uint_32)p->height, 8, kind,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (kind == PNG_COLOR_TYPE_PALETTE) {
        write_palette(c, p);
    }
    if (!small) { // files can be told from those of others
        png_text mark = {.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = (char[]){"Software"},
                         .text = (char[]){"Wrought"}};
        png_set_text(c->png, c->info, &mark, 1);
    }
    png_write_info(c->png, c->info);
    if (drop_alpha) {
        png_set_filler(c->png, 0, PNG_FILLER_AFTER);
    }
    for (int y = 0; y < p->height; y++) {
        png_write_row(c->png, p->pixels + (size_t)y * (size_t)p->width * (size_t)p->channels);
    }
    png_write_end(c->png, NULL);
}

static bool encode(coder *c, const wri_png_picture *p, bool small)
{
    if (setjmp(c->escape)) {
        return false;
    }
    write_pixels(c, p, small);
    return true;
}

static bool encode_to(wri_array *output, const wri_png_picture *p, bool small, const char *name,
                      wr_error *error)
{
    if (p->width < 1 || p->height < 1 || p->width > MAX_SIDE || p->height > MAX_SIDE) {
        return wri_fail(error, WR_E_ARGUMENT, "%s: %d x %d pixels, expected 1 to %d a side", name,
                        p->width, p->height, MAX_SIDE);
    }
    if (p->channels != 3 && p->channels != 4 && !p->palette) {
        return wri_fail(error, WR_E_ARGUMENT, "%s: %d channels, expected 3 or 4", name,
                        p->channels);
    }
    coder c = {.allocator = output->allocator, .output = output};
    bool ok = encode(&c, p, small);
    png_destroy_write_struct(c.png ? &c.png : NULL, c.info ? &c.info : NULL);
    if (!ok && c.out_of_memory) {
        return fail_memory(name, error);
    }
    return ok || wri_fail(error, WR_E_FORMAT, "%s: cannot write PNG: %s", name, c.message);
}

bool wri_png_encode(wri_arena *arena, const wri_png_picture *picture, const uint8_t **bytes,
                    size_t *size, wr_error *error)
{
    WR_ASSERT(!picture->palette || (picture->palette_count >= 1 && picture->palette_count <= 256));
    wri_array output = wri_array_create(&arena->allocator, 1);
    bool ok = encode_to(&output, picture, true, "image", error);
    if (ok) {
        char *copy = wri_arena_text(arena, output.items, (size_t)output.count);
        *bytes = (const uint8_t *)copy;
        *size = (size_t)output.count;
        ok = copy || wri_fail_memory(error, (size_t)output.count);
    }
    wri_array_destroy(&output);
    return ok;
}

bool wr_png_write(const char *path, const uint8_t *pixels, int width, int height, int channels,
                  wr_error *error)
{
    if (!WRI_REQUIRE(error, path, pixels)) {
        return false;
    }
    wri_array output = wri_array_create(NULL, 1);
    const wri_png_picture p = {pixels, width, height, channels};
    bool ok = encode_to(&output, &p, false, path, error) &&
              wri_file_write(path, output.items, (size_t)output.count, error);
    wri_array_destroy(&output);
    return ok;
}
