// golden_file.c: fingerprints of files, by their endings.
#include "golden.h"

#include "../src/file/png.h"

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

static bool is_text(const char *path)
{
    static const char *const endings[] = {".json", ".usda", ".obj", ".mtl", ".txt"};
    for (int i = 0; i < WRI_COUNT(endings); i++) {
        if (ends_with(path, endings[i])) {
            return true;
        }
    }
    return false;
}

// --- .glb -------------------------------------------------------------------------------------

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Bytes of the PNG file that begins here, 0: none does.
static size_t png_size(const uint8_t *bytes, size_t size)
{
    if (size < 8 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0) {
        return 0;
    }
    for (size_t at = 8; at + 12 <= size;) {
        bool last = memcmp(bytes + at + 4, "IEND", 4) == 0;
        at += 12 + (size_t)big_endian(bytes + at);
        if (last) {
            return at;
        }
    }
    return 0;
}

static void add_png(golden_print *print, const uint8_t *bytes, size_t size)
{
    wri_arena arena = wri_arena_create(NULL);
    wr_image image = {0};
    wr_error error = {0};
    if (!wri_png_decode(&arena, bytes, size, "picture", &image, &error)) {
        fail_msg("%s", error.message);
    }
    golden_add_bytes(print, &image.width, sizeof image.width);
    golden_add_bytes(print, image.pixels, 4 * (size_t)image.width * (size_t)image.height);
    wri_arena_destroy(&arena);
}

// Words that are floats of a sensible size count nearly; indices and bytes are none.
static void add_words(golden_print *print, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at + 4 <= size;) {
        size_t picture = png_size(bytes + at, size - at);
        if (picture) {
            add_png(print, bytes + at, picture);
            at += (picture + 3) & ~(size_t)3;
            continue;
        }
        uint32_t word;
        float value;
        memcpy(&word, bytes + at, 4);
        memcpy(&value, bytes + at, 4);
        bool number = (fabsf(value) > 1e-12f && fabsf(value) < 1e9f) || (word << 1) == 0;
        if (number) {
            golden_add_number(print, value);
        } else {
            golden_add_bytes(print, &word, 4);
        }
        at += 4;
    }
}

// Places in the buffer, which depend on how well pictures were compressed, and hashes of recipes,
// which change with the program, become blanks.
static void blank(char *text, const char *key)
{
    for (char *at = text; (at = strstr(at, key));) {
        at += strlen(key);
        for (; *at && *at != ',' && *at != '}'; at++) {
            *at = ' ';
        }
    }
}

static void add_glb(golden_print *print, char *bytes, size_t size)
{
    uint32_t length;
    assert_true(size >= 20);
    memcpy(&length, bytes + 12, 4);
    char *json = malloc((size_t)length + 1);
    memcpy(json, bytes + 20, length);
    json[length] = 0;
    blank(json, "\"generator\":");
    blank(json, "\"recipeHash\":");
    if (strstr(json, "\"image/png\"")) {
        blank(json, "\"byteOffset\":");
        blank(json, "\"byteLength\":");
    }
    char *kept = json;
    for (char *at = json; *at; at++) { // blanks are as many as there were digits
        if (*at != ' ') {
            *kept++ = *at;
        }
    }
    golden_add_text(print, json, (size_t)(kept - json));
    free(json);
    if (size > 28 + (size_t)length) {
        add_words(print, (const uint8_t *)bytes + 28 + length, size - 28 - length);
    }
}

// --- recordings -------------------------------------------------------------------------------

static void add_recording(golden_print *print, const char *path)
{
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(path, &error);
    if (!reader) {
        fail_msg("%s", error.message);
    }
    golden_add_info(print, wr_record_about(reader));
    for (int i = 0; i < wr_record_frame_count(reader); i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, &error);
        if (!frame) {
            fail_msg("%s", error.message);
        }
        golden_add_bytes(print, &frame->hash, sizeof frame->hash);
        golden_add_frame(print, frame);
    }
    wr_record_close(reader);
}

bool golden_add_file(golden_print *print, const char *path)
{
    if (ends_with(path, ".wrought")) {
        add_recording(print, path);
        return true;
    }
    size_t size = 0;
    char *bytes = wri_file_read(path, (size_t)1 << 28, NULL, &size, NULL);
    if (!bytes) {
        return false;
    }
    if (is_text(path)) {
        golden_add_text(print, bytes, size);
    } else if (ends_with(path, ".glb")) {
        add_glb(print, bytes, size);
    } else {
        golden_add_bytes(print, bytes, size);
    }
    wri_free(NULL, bytes, size + 1, 1);
    return true;
}
