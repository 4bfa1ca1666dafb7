// json_write.c: a growing text of JSON.
//
// Numbers are the shortest decimals that read back as the same value and always have a decimal
// point, whatever the program's locale says. Text that is not UTF-8 becomes U+FFFD, so what comes
// out is always JSON.
#include "json.h"
#include "utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

wri_json_writer wri_json_writer_create(const wr_allocator *allocator, bool pretty)
{
    return (wri_json_writer){.text = wri_array_create(allocator, 1), .pretty = pretty};
}

void wri_json_writer_destroy(wri_json_writer *writer)
{
    wri_array_destroy(&writer->text);
}

static void put(wri_json_writer *writer, const char *bytes, int count)
{
    char *room = writer->failed ? NULL : wri_array_add(&writer->text, count);
    if (!room) {
        writer->failed = true;
        return;
    }
    memcpy(room, bytes, (size_t)count);
}

static void put_text(wri_json_writer *writer, const char *text)
{
    put(writer, text, (int)strlen(text));
}

static void put_line_break(wri_json_writer *writer)
{
    if (writer->pretty) {
        put(writer, "\n", 1);
        for (int i = 0; i < writer->depth; i++) {
            put(writer, "  ", 2);
        }
    }
}

static void put_escape(wri_json_writer *writer, uint32_t code)
{
    static const char names[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *name = memchr(names, (int)code, sizeof names - 1);
    char escape[16] = {'\\', name ? letters[name - names] : 0};
    if (!name) {
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code);
    }
    put_text(writer, escape);
}

static bool needs_escape(uint32_t code)
{
    return code < 0x20 || code == '"' || code == '\\' || code == 0x7f;
}

static void put_quoted(wri_json_writer *writer, const char *text)
{
    size_t size = strlen(text), run = 0;
    put(writer, "\"", 1);
    for (size_t i = 0; i < size;) {
        uint32_t code = 0;
        int length = wri_utf8_decode(text + i, size - i, &code);
        if (length && !needs_escape(code)) {
            i += (size_t)length;
            continue;
        }
        put(writer, text + run, (int)(i - run));
        if (length) {
            put_escape(writer, code);
        } else {
            put_text(writer, "\xef\xbf\xbd");
        }
        i += length ? (size_t)length : 1;
        run = i;
    }
    put(writer, text + run, (int)(size - run));
    put(writer, "\"", 1);
}

// Comma, line break and key before a value.
static void begin_value(wri_json_writer *writer, const char *key)
{
    if (writer->pending_comma) {
        put(writer, ",", 1);
    }
    if (writer->depth > 0) {
        put_line_break(writer);
    }
    if (key) {
        put_quoted(writer, key);
        put_text(writer, writer->pretty ? ": " : ":");
    }
    writer->pending_comma = true;
}

static void begin(wri_json_writer *writer, const char *key, const char *bracket)
{
    begin_value(writer, key);
    put(writer, bracket, 1);
    writer->depth++;
    writer->pending_comma = false;
}

static void end(wri_json_writer *writer, const char *bracket)
{
    WR_ASSERT(writer->depth > 0);
    writer->depth--;
    if (writer->pending_comma) { // it is not empty
        put_line_break(writer);
    }
    put(writer, bracket, 1);
    writer->pending_comma = true;
}

void wri_json_begin_object(wri_json_writer *writer, const char *key)
{
    begin(writer, key, "{");
}

void wri_json_end_object(wri_json_writer *writer)
{
    end(writer, "}");
}

void wri_json_begin_array(wri_json_writer *writer, const char *key)
{
    begin(writer, key, "[");
}

void wri_json_end_array(wri_json_writer *writer)
{
    end(writer, "]");
}

void wri_json_write_string(wri_json_writer *writer, const char *key, const char *value)
{
    begin_value(writer, key);
    put_quoted(writer, value);
}

// The locale's decimal separator, which may be several bytes, becomes a point.
static int print_double(char *out, size_t size, int digits, double value)
{
    char text[48];
    int length = snprintf(text, sizeof text, "%.*g", digits, value), used = 0;
    for (int i = 0; i < length && used + 1 < (int)size; i++) {
        char c = text[i];
        bool plain = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e';
        if (plain || used == 0 || out[used - 1] != '.') {
            out[used++] = plain ? c : '.';
        }
    }
    out[used] = 0;
    return used;
}

static void put_number(wri_json_writer *writer, double value)
{
    if (!isfinite(value)) {
        put_text(writer, "null");
        return;
    }
    char text[48];
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        double back = 0.0;
        length = print_double(text, sizeof text, digits, value);
        if (wri_parse_double(text, (size_t)length, &back) && back == value) {
            break;
        }
    }
    put(writer, text, length);
}

void wri_json_write_number(wri_json_writer *writer, const char *key, double value)
{
    begin_value(writer, key);
    put_number(writer, value);
}

void wri_json_write_numbers(wri_json_writer *writer, const char *key, const double *values,
                            int count)
{
    begin_value(writer, key);
    put(writer, "[", 1);
    for (int i = 0; i < count; i++) {
        put_text(writer, i == 0 ? "" : writer->pretty ? ", " : ",");
        put_number(writer, values[i]);
    }
    put(writer, "]", 1);
}

void wri_json_write_float(wri_json_writer *writer, const char *key, float value)
{
    if (!isfinite(value)) {
        wri_json_write_null(writer, key);
        return;
    }
    char text[48];
    int length = wri_print_float(text, sizeof text, value);
    begin_value(writer, key);
    put(writer, text, length);
}

void wri_json_write_int(wri_json_writer *writer, const char *key, int64_t value)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRId64, value);
    begin_value(writer, key);
    put(writer, text, length);
}

void wri_json_write_bool(wri_json_writer *writer, const char *key, bool value)
{
    begin_value(writer, key);
    put_text(writer, value ? "true" : "false");
}

void wri_json_write_null(wri_json_writer *writer, const char *key)
{
    begin_value(writer, key);
    put_text(writer, "null");
}

const char *wri_json_finish(wri_json_writer *writer)
{
    WR_ASSERT(writer->depth == 0);
    if (writer->pretty) {
        put(writer, "\n", 1);
    }
    put(writer, "", 1);
    return writer->failed ? NULL : writer->text.items;
}
