// out.c: a buffer in front of a file that is not there yet.
#include "out.h"

#include <math.h>
#include <stdio.h>

enum { ROOM = 1 << 16 };

struct wri_out {
    wri_arena arena;
    const char *path, *part;
    wri_file *file;
    int64_t size;   // flushed
    size_t used;    // bytes used of buffer
    wr_error error; // the first failure
    char buffer[ROOM];
};

wri_out *wri_out_create(const char *path, wr_error *error)
{
    wri_out *out = wri_alloc(NULL, 1, sizeof *out);
    if (!out) {
        wri_fail_memory(error, sizeof *out);
        return NULL;
    }
    out->arena = wri_arena_create(NULL);
    out->path = wri_arena_text(&out->arena, path, strlen(path));
    out->part = wri_path_part(&out->arena, path);
    if (!out->path || !out->part) {
        wri_fail_memory(error, strlen(path));
    } else {
        out->file = wri_file_open_as(out->part, path, WRI_FILE_NEW, error);
    }
    if (!out->file) {
        wri_out_destroy(out);
        return NULL;
    }
    return out;
}

void wri_out_destroy(wri_out *out)
{
    if (out) {
        if (out->file) {
            wri_file_close(out->file, NULL);
            wri_file_remove(out->part);
        }
        wri_arena_destroy(&out->arena);
        wri_free(NULL, out, 1, sizeof *out);
    }
}

static void flush(wri_out *out)
{
    if (out->error.code == WR_OK &&
        wri_file_write_at(out->file, out->size, out->buffer, out->used, &out->error)) {
        out->size += (int64_t)out->used;
    }
    out->used = 0;
}

bool wri_out_flush(wri_out *out, wr_error *error)
{
    flush(out);
    if (out->error.code != WR_OK && error) {
        *error = out->error;
    }
    return out->error.code == WR_OK;
}

wri_file *wri_out_file(wri_out *out)
{
    return out->file;
}

bool wri_out_finish(wri_out *out, wr_error *error)
{
    if (!wri_out_flush(out, error) || !wri_file_sync(out->file, error)) {
        return false;
    }
    bool ok = wri_file_close(out->file, error);
    out->file = NULL;
    ok = ok && wri_file_rename(out->part, out->path, error);
    if (!ok) {
        wri_file_remove(out->part);
    }
    return ok;
}

void wri_out_bytes(wri_out *out, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        size_t some = size < ROOM - out->used ? size : ROOM - out->used;
        memcpy(out->buffer + out->used, from, some);
        out->used += some;
        from += some;
        size -= some;
        if (out->used == ROOM) {
            flush(out);
        }
    }
}

void wri_out_text(wri_out *out, const char *text)
{
    wri_out_bytes(out, text, strlen(text));
}

void wri_out_printf(wri_out *out, const char *format, ...)
{
    char line[512];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(line, sizeof line, format, arguments);
    if (length >= (int)sizeof line) { // a long name
        char *text = wri_arena_alloc(&out->arena, (size_t)length + 1, 1);
        if (text) {
            vsnprintf(text, (size_t)length + 1, format, again);
            wri_out_bytes(out, text, (size_t)length);
        } else if (out->error.code == WR_OK) {
            wri_fail_memory(&out->error, (size_t)length);
        }
    } else {
        wri_out_bytes(out, line, (size_t)length);
    }
    va_end(again);
    va_end(arguments);
}

void wri_out_int(wri_out *out, int64_t value)
{
    char text[24];
    int at = sizeof text;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        text[--at] = '-';
    }
    wri_out_bytes(out, text + at, sizeof text - (size_t)at);
}

void wri_out_float(wri_out *out, float value)
{
    char text[32];
    wri_out_bytes(out, text, (size_t)wri_print_float(text, sizeof text, value));
}

void wri_out_fixed(wri_out *out, double value, int digits)
{
    int64_t one = 1;
    for (int i = 0; i < digits; i++) {
        one *= 10;
    }
    double most = 9e18 / (double)one;
    if (!(fabs(value) < most)) {
        wri_out_float(out, (float)value);
        return;
    }
    int64_t whole = (int64_t)floor(fabs(value) * (double)one + 0.5), rest = whole % one;
    wri_out_text(out, value < 0.0 && whole > 0 ? "-" : "");
    wri_out_int(out, whole / one);
    if (rest > 0) {
        wri_out_text(out, ".");
        for (int64_t place = one / 10; rest > 0; place /= 10) {
            wri_out_int(out, rest / place);
            rest %= place;
        }
    }
}
