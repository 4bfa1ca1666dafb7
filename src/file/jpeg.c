// jpeg.c: JPEG in through libjpeg-turbo, with our errors and nothing on stderr.
//
// As in png.c a failing call is left with longjmp, and what has to survive the jump lives in one
// struct. libjpeg takes its working memory from the C library's heap; a limit in proportion to the
// picture, which the size of the file bounds, keeps that small.
#include "jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>
#include <jerror.h>

enum { MAX_SIDE = 16384, MAX_SCANS = 200 };

typedef struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    char message[JMSG_LENGTH_MAX + 1];
    bool out_of_memory;
} decoder;

// --- hooks ------------------------------------------------------------------------------------

static void escape(j_common_ptr jpeg, const char *message)
{
    decoder *d = jpeg->client_data;
    snprintf(d->message, sizeof d->message, "%s", message);
    longjmp(d->escape, 1);
}

static void on_error(j_common_ptr jpeg)
{
    decoder *d = jpeg->client_data;
    d->out_of_memory = jpeg->err->msg_code == JERR_OUT_OF_MEMORY;
    char message[JMSG_LENGTH_MAX + 1];
    jpeg->err->format_message(jpeg, message);
    escape(jpeg, message);
}

// libjpeg goes on after damage and fills up with grey; we would rather say so. Other warnings are
// about oddities that do no harm.
static void on_message(j_common_ptr jpeg, int level)
{
    if (level >= 0) {
        return;
    }
    switch (jpeg->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
        on_error(jpeg);
    }
}

static void on_output(j_common_ptr jpeg)
{
    (void)jpeg;
}

// Every scan of a progressive picture goes over all of it.
static void on_progress(j_common_ptr jpeg)
{
    if (((j_decompress_ptr)jpeg)->input_scan_number > MAX_SCANS) {
        escape(jpeg, "too many scans");
    }
}

// --- reading ----------------------------------------------------------------------------------

// Huffman codes spend at least a bit on every block of 8 x 8 pixels, so a header that promises more
// than that is a lie; better to find out before taking memory for the pixels.
static void check_header(decoder *d, size_t size)
{
    j_common_ptr jpeg = (j_common_ptr)&d->jpeg;
    uint64_t width = d->jpeg.image_width, height = d->jpeg.image_height;
    if (width > MAX_SIDE || height > MAX_SIDE) {
        escape(jpeg, "more than 16384 pixels a side");
    }
    if (d->jpeg.arith_code) {
        escape(jpeg, "arithmetic coding, expected Huffman codes");
    }
    if (d->jpeg.jpeg_color_space == JCS_CMYK || d->jpeg.jpeg_color_space == JCS_YCCK) {
        escape(jpeg, "CMYK colours, expected grey or RGB");
    }
    if (width * height / 512 > size) {
        escape(jpeg, "the data ends too early");
    }
    d->jpeg.mem->max_memory_to_use = (long)(8 * width * height + (1u << 20));
}

static void read_header(decoder *d, const void *bytes, size_t size)
{
    jpeg_create_decompress(&d->jpeg);
    d->jpeg.progress = &d->progress;
    jpeg_mem_src(&d->jpeg, bytes, (unsigned long)size);
    jpeg_read_header(&d->jpeg, TRUE);
    check_header(d, size);
}

static void read_pixels(decoder *d, wri_arena *arena, wr_image *out)
{
    d->jpeg.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&d->jpeg);
    size_t width = d->jpeg.output_width, height = d->jpeg.output_height;
    uint8_t *pixels = wri_arena_alloc(arena, height, 4 * width);
    if (!pixels) {
        d->out_of_memory = true;
        longjmp(d->escape, 1);
    }
    while (d->jpeg.output_scanline < height) {
        JSAMPROW row = pixels + d->jpeg.output_scanline * 4 * width;
        jpeg_read_scanlines(&d->jpeg, &row, 1);
    }
    jpeg_finish_decompress(&d->jpeg);
    *out = (wr_image){.name = "", .width = (int)width, .height = (int)height, .pixels = pixels};
}

// out NULL: only the header.
static bool decode(decoder *d, wri_arena *arena, const void *bytes, size_t size, wr_image *out)
{
    if (setjmp(d->escape)) {
        return false;
    }
    read_header(d, bytes, size);
    if (out) {
        read_pixels(d, arena, out);
    }
    return true;
}

static void prepare(decoder *d)
{
    d->jpeg.err = jpeg_std_error(&d->errors);
    d->jpeg.client_data = d;
    d->errors.error_exit = on_error;
    d->errors.emit_message = on_message;
    d->errors.output_message = on_output;
    d->progress.progress_monitor = on_progress;
}

int64_t wri_jpeg_pixels(const void *bytes, size_t size)
{
    decoder d = {0};
    prepare(&d);
    bool ok = decode(&d, NULL, bytes, size, NULL);
    int64_t pixels = ok ? (int64_t)d.jpeg.image_width * d.jpeg.image_height : 0;
    jpeg_destroy_decompress(&d.jpeg);
    return pixels;
}

// Behind the last byte libjpeg reads an end of its own.
static size_t find_offset(const decoder *d, const uint8_t *bytes, size_t size)
{
    const struct jpeg_source_mgr *source = d->jpeg.src;
    const uint8_t *at = source ? source->next_input_byte : bytes;
    return at >= bytes && at <= bytes + size ? (size_t)(at - bytes) : size;
}

bool wri_jpeg_decode(wri_arena *arena, const void *bytes, size_t size, const char *name,
                     wr_image *out, wr_error *error)
{
    decoder d = {0};
    prepare(&d);
    bool ok = decode(&d, arena, bytes, size, out);
    size_t offset = find_offset(&d, bytes, size);
    jpeg_destroy_decompress(&d.jpeg);
    if (!ok && d.out_of_memory) {
        return wri_fail(error, WR_E_MEMORY, "%s: out of memory for the JPEG", name);
    }
    return ok ||
           wri_fail(error, WR_E_FORMAT, "%s: byte %zu: broken JPEG: %s", name, offset, d.message);
}
