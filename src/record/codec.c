// codec.c: values and rows of a recording as bytes, in both directions.
//
// Numbers of many rows go through wri_code_rows: what is stored of a value is its difference to a
// guess, taken between the 32-bit patterns, so that every bit survives; the guess of a moving value
// goes on along a straight line (2 last - before). Differences are folded (0, -1, 1, -2, ...) and
// written column by column and byte by byte, highest byte first, which is what lets zstd find the
// zeros.
#include "format.h"

#include <stdio.h>

// --- values -----------------------------------------------------------------------------------

void wri_codec_fail(wri_codec *c, const char *format, ...)
{
    if (c->code == WR_OK) { // the first problem is the one to tell
        c->code = c->out ? WR_E_ARGUMENT : WR_E_FORMAT;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(c->problem, sizeof c->problem, format, arguments);
        va_end(arguments);
    }
}

void wri_codec_fail_memory(wri_codec *c)
{
    if (c->code == WR_OK) {
        c->code = WR_E_MEMORY;
        snprintf(c->problem, sizeof c->problem, "out of memory");
    }
}

size_t wri_codec_left(const wri_codec *c)
{
    WR_ASSERT(!c->out && c->at <= c->end);
    return (size_t)(c->end - c->at);
}

uint8_t *wri_codec_put(wri_codec *c, size_t size)
{
    WR_ASSERT(c->code != WR_OK || (c->out->item_size == 1 && c->out->count <= WRI_CHUNK_LIMIT));
    if (c->code == WR_OK && size > (size_t)WRI_CHUNK_LIMIT - (size_t)c->out->count) {
        wri_codec_fail(c, "more than %d bytes in one block", WRI_CHUNK_LIMIT);
    }
    uint8_t *bytes = c->code == WR_OK ? wri_array_add(c->out, (int)size) : NULL;
    if (!bytes && c->code == WR_OK) {
        wri_codec_fail_memory(c);
    }
    return bytes;
}

const uint8_t *wri_codec_take(wri_codec *c, size_t size)
{
    if (c->code != WR_OK || wri_codec_left(c) < size) {
        wri_codec_fail(c, "a block ends before its contents");
        return NULL;
    }
    c->at += size;
    return c->at - size;
}

static void code_little(wri_codec *c, uint64_t *value, int size)
{
    WR_ASSERT(size >= 1 && size <= (int)sizeof *value);
    if (c->out) {
        uint8_t *bytes = wri_codec_put(c, (size_t)size);
        if (bytes) {
            wri_write_little(bytes, *value, size);
        }
    } else {
        const uint8_t *bytes = wri_codec_take(c, (size_t)size);
        *value = bytes ? wri_read_little(bytes, size) : 0;
    }
}

void wri_code_u32(wri_codec *c, uint32_t *value)
{
    uint64_t wide = c->out ? *value : 0;
    code_little(c, &wide, 4);
    if (!c->out) {
        *value = (uint32_t)wide;
    }
}

void wri_code_u64(wri_codec *c, uint64_t *value)
{
    code_little(c, value, 8);
}

void wri_code_int(wri_codec *c, int *value)
{
    uint32_t bits = (uint32_t)*value;
    wri_code_u32(c, &bits);
    if (!c->out) {
        *value = (int)(int32_t)bits;
    }
}

void wri_code_small(wri_codec *c, int *value, int maximum, const char *what)
{
    WR_ASSERT(maximum >= 0 && maximum <= UINT8_MAX);
    uint64_t byte = (uint64_t)*value;
    code_little(c, &byte, 1);
    if (byte > (uint64_t)maximum) {
        wri_codec_fail(c, "%s: %d, expected at most %d", what, (int)byte, maximum);
        byte = 0;
    }
    if (!c->out) {
        *value = (int)byte;
    }
}

void wri_code_bool(wri_codec *c, bool *value)
{
    int byte = *value;
    wri_code_small(c, &byte, 1, "a yes or no");
    if (!c->out) {
        *value = byte != 0;
    }
}

// LEB128: seven bits per byte, lowest first.
void wri_code_varint(wri_codec *c, uint64_t *value)
{
    uint64_t rest = c->out ? *value : 0;
    for (int shift = 0;; shift += 7) {
        uint64_t byte = (rest & 127) | (rest > 127 ? 128 : 0);
        code_little(c, &byte, 1);
        rest >>= 7;
        if (!c->out && shift <= 63) {
            *value = (shift ? *value : 0) | (byte & 127) << shift;
        } else if (!c->out) {
            wri_codec_fail(c, "a number of more than 64 bits");
        }
        if (c->code != WR_OK || !(byte & 128)) {
            return;
        }
    }
}

// Floats that must be finite.
void wri_code_floats(wri_codec *c, float *values, int count, const char *what)
{
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], 4);
        wri_code_u32(c, &bits);
        if (!c->out) {
            memcpy(&values[i], &bits, 4);
        }
        if (!isfinite(values[i])) {
            wri_codec_fail(c, "%s: not finite", what);
        }
    }
}

// Number of the items that follow; each takes at least `least` bytes, which bounds what a reader
// allocates.
void wri_code_count(wri_codec *c, int *count, size_t least, const char *what)
{
    WR_ASSERT(least > 0); // else a few bytes could claim any number of items
    uint32_t bits = (uint32_t)*count;
    if (c->out && *count < 0) {
        wri_codec_fail(c, "%s: a count of %d", what, *count);
    }
    wri_code_u32(c, &bits);
    if (!c->out && (bits > INT32_MAX || bits > wri_codec_left(c) / least)) {
        wri_codec_fail(c, "%s: a count of %u in a block of %zu bytes", what, (unsigned)bits,
                       wri_codec_left(c));
        bits = 0;
    }
    if (!c->out) {
        *count = (int)bits;
    }
}

void *wri_codec_alloc(wri_codec *c, int count, size_t size)
{
    WR_ASSERT(c->code != WR_OK || (!c->out && c->arena && count >= 0));
    void *items = c->code == WR_OK ? wri_arena_alloc(c->arena, (size_t)count, size) : NULL;
    if (!items) {
        wri_codec_fail_memory(c);
    }
    return items;
}

void wri_code_text(wri_codec *c, const char **text)
{
    const char *source = *text && c->out ? *text : "";
    int length = (int)strnlen(source, INT32_MAX);
    wri_code_count(c, &length, 1, "a text");
    if (c->out) {
        uint8_t *bytes = length ? wri_codec_put(c, (size_t)length) : NULL;
        if (bytes) {
            memcpy(bytes, source, (size_t)length);
        }
        return;
    }
    const uint8_t *bytes = wri_codec_take(c, (size_t)length);
    char *copy = wri_codec_alloc(c, length + 1, 1);
    *text = copy ? copy : "";
    if (copy && length) {
        memcpy(copy, bytes, (size_t)length);
        if (memchr(copy, 0, (size_t)length)) {
            wri_codec_fail(c, "a text with a zero byte inside");
        }
    }
}

void wri_codec_check_index(wri_codec *c, int index, int least, int count, const char *what)
{
    if (index < least || index >= count) {
        wri_codec_fail(c, "%s: index %d of %d", what, index, count);
    }
}

// --- rows -------------------------------------------------------------------------------------

// Reads through memcpy, because the words are floats to everybody else.
static uint32_t word(const void *items, size_t index)
{
    uint32_t bits;
    memcpy(&bits, (const uint8_t *)items + 4 * index, 4);
    return bits;
}

static uint32_t guess(const wri_rows_block *t, size_t row, size_t index)
{
    if (t->is_chain) {
        return row ? word(t->now, index - t->width) : 0;
    }
    if (!t->last) {
        return 0;
    }
    uint32_t last = word(t->last, index);
    return t->before ? 2 * last - word(t->before, index) : last;
}

static size_t index_of(const wri_rows_block *t, size_t i, size_t k, size_t *row)
{
    WR_ASSERT(!t->rows || i == 0 || t->rows[i] > t->rows[i - 1]);
    *row = t->rows ? (size_t)t->rows[i] : i;
    return *row * t->width + k;
}

enum { AT_ONCE = 128 }; // rows

// Rows are gathered some at a time, so that each byte of theirs goes out in a loop of its own.
static void write_column(const wri_rows_block *t, size_t k, uint8_t *out)
{
    uint32_t folded[AT_ONCE];
    size_t n = t->count;
    for (size_t begin = 0; begin < n; begin += AT_ONCE) {
        size_t count = n - begin < AT_ONCE ? n - begin : AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            size_t row, index = index_of(t, begin + i, k, &row);
            uint32_t r = word(t->now, index) - guess(t, row, index);
            folded[i] = r << 1 ^ (0 - (r >> 31));
        }
        for (size_t byte = 0; byte < 4; byte++) {
            uint8_t *to = out + byte * n + begin;
            for (size_t i = 0; i < count; i++) {
                to[i] = (uint8_t)(folded[i] >> (24 - 8 * byte));
            }
        }
    }
}

// A chain guesses from the row above, which was just read.
static void read_column(const wri_rows_block *t, size_t k, const uint8_t *in)
{
    size_t n = t->count;
    for (size_t i = 0; i < n; i++) {
        size_t row, index = index_of(t, i, k, &row);
        uint32_t r = (uint32_t)in[i] << 24 | (uint32_t)in[i + n] << 16 |
                     (uint32_t)in[i + 2 * n] << 8 | in[i + 3 * n];
        r = (r >> 1 ^ (0 - (r & 1))) + guess(t, row, index);
        memcpy((uint8_t *)t->now + 4 * index, &r, 4);
    }
}

void wri_code_rows(wri_codec *c, const wri_rows_block *t)
{
    size_t n = t->count, size = 4 * n * t->width;
    WR_ASSERT(t->width > 0 && (n == 0 || t->now || c->code != WR_OK));
    WR_ASSERT(!t->is_chain || (!t->rows && !t->last)); // the row above was just coded
    uint8_t *out = n && c->out ? wri_codec_put(c, size) : NULL;
    const uint8_t *in = n && !c->out ? wri_codec_take(c, size) : NULL;
    for (size_t k = 0; k < t->width; k++) {
        if (out) {
            write_column(t, k, out + 4 * n * k);
        } else if (in) {
            read_column(t, k, in + 4 * n * k);
        }
    }
}
