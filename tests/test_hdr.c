// Radiance's .hdr: what is read, and what is refused and how.
#include "folder.h"

#include "wrought/file.h"

#include "../src/base/os.h"
#include "../src/file/hdr.h"

#include <stdio.h>
#include <string.h>

#define HEAD "#?RADIANCE\n# made by hand\nFORMAT=32-bit_rle_rgbe\n"

typedef struct file {
    uint8_t bytes[1 << 20];
    size_t size;
} file;

static void put(file *f, const void *bytes, size_t size)
{
    assert_true(f->size + size <= sizeof f->bytes);
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static void put_text(file *f, const char *text)
{
    put(f, text, strlen(text));
}

// Fails with a sentence, or NULL.
static const char *read_bytes(wri_arena *arena, const file *f, wr_environment *out)
{
    static wr_error error;
    error = (wr_error){0};
    bool ok = wri_hdr_decode(arena, f->bytes, f->size, "a.hdr", out, &error);
    assert_true(ok == (error.code == WR_OK));
    return ok ? NULL : error.message;
}

// Pixel i of a picture: no two are the same, and none is a repetition.
static void pixel(int i, uint8_t out[4])
{
    out[0] = (uint8_t)(128 + i % 97);
    out[1] = (uint8_t)(7 * i % 251);
    out[2] = (uint8_t)(i / 3);
    out[3] = (uint8_t)(126 + i % 5);
}

static void expect_pixels(const wr_environment *e)
{
    for (int i = 0; i < e->width * e->height; i++) {
        uint8_t expected[4];
        pixel(i, expected);
        assert_memory_equal(e->pixels + 4 * i, expected, 4);
    }
}

static void put_flat(file *f, int count)
{
    for (int i = 0; i < count; i++) {
        uint8_t bytes[4];
        pixel(i, bytes);
        put(f, bytes, 4);
    }
}

static void pixels_one_by_one_are_read(void **state)
{
    (void)state;
    static file f;
    f.size = 0;
    put_text(&f, HEAD "\n-Y 3 +X 6\n");
    put_flat(&f, 18);
    wri_arena arena = wri_arena_create(NULL);
    wr_environment e;
    assert_null(read_bytes(&arena, &f, &e));
    assert_true(e.width == 6 && e.height == 3);
    expect_pixels(&e);
    wri_arena_destroy(&arena);
}

// Each channel of a row as literals up to its middle, and then byte by byte as runs of one.
static void rows_of_runs_are_read(void **state)
{
    (void)state;
    enum { WIDE = 20, HIGH = 10 };
    static file f;
    f.size = 0;
    put_text(&f, "#?RGBE\r\n"
                 "FORMAT=32-bit_rle_rgbe\r\n\r\n-Y 10 +X 20\r\n");
    for (int y = 0; y < HIGH; y++) {
        put(&f, "\2\2\0\24", 4);
        for (int channel = 0; channel < 4; channel++) {
            put(&f, "\12", 1);
            for (int x = 0; x < WIDE; x++) {
                uint8_t bytes[4], run = 129;
                pixel(y * WIDE + x, bytes);
                put(&f, &run, x < 10 ? 0 : 1);
                put(&f, &bytes[channel], 1);
            }
        }
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_environment e;
    assert_null(read_bytes(&arena, &f, &e));
    assert_true(e.width == WIDE && e.height == HIGH);
    expect_pixels(&e);
    wri_arena_destroy(&arena);
}

// 300 = 44 + 1 * 256 times the pixel before.
static void repetitions_are_read(void **state)
{
    (void)state;
    static file f;
    f.size = 0;
    put_text(&f, HEAD "\n-Y 151 +X 302\n");
    for (int y = 0; y < 151; y++) {
        const uint8_t row[] = {200, 100, 50, 130, 1, 1, 1, 44, 1, 1, 1, 1, 9, 128, 9, 120};
        put(&f, row, sizeof row);
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_environment e;
    assert_null(read_bytes(&arena, &f, &e));
    for (int i = 0; i < 302 * 151; i++) {
        assert_memory_equal(e.pixels + 4 * i, i % 302 == 301 ? "\11\200\11\170" : "\310\144\62\202",
                            4);
    }
    wri_arena_destroy(&arena);
}

static double light_of(const uint8_t *rgbe, int channel)
{
    return ldexp(rgbe[channel], rgbe[3] - 136);
}

// Half of the light is in one pixel of each 2 x 2.
static void large_pictures_are_averaged_and_exposure_is_divided_out(void **state)
{
    (void)state;
    enum { WIDE = 4096, HIGH = 2048 };
    static file f;
    f.size = 0;
    put_text(&f, HEAD "EXPOSURE=2\nEXPOSURE= 4.0\n\n-Y 2048 +X 4096\n");
    wri_arena arena = wri_arena_create(NULL);
    size_t row = 4 * (size_t)WIDE, size = f.size + row * HIGH;
    uint8_t *all = wri_arena_alloc(&arena, size, 1);
    memcpy(all, f.bytes, f.size);
    for (int i = 0; i < WIDE * HIGH; i++) {
        bool bright = i % 2 == 1 && i / WIDE % 2 == 1;
        const uint8_t bytes[4] = {bright ? 192 : 64, 128, i % WIDE < WIDE / 2 ? 32 : 0, 132};
        memcpy(all + f.size + 4 * (size_t)i, bytes, 4);
    }
    wr_environment e;
    assert_true(wri_hdr_decode(&arena, all, size, "a.hdr", &e, NULL));
    assert_true(e.width == WR_ENVIRONMENT_WIDTH && e.height == WR_ENVIRONMENT_WIDTH / 2);
    for (int i = 0; i < e.width * e.height; i++) {
        const uint8_t *p = e.pixels + 4 * (size_t)i;
        CHECK_NEAR(light_of(p, 0), 12.0 * 96.0 / 192.0 / 8.0, 1e-6);
        CHECK_NEAR(light_of(p, 1), 8.0 / 8.0, 1e-6);
        CHECK_NEAR(light_of(p, 2), i % e.width < e.width / 2 ? 2.0 / 8.0 : 0.0, 1e-6);
    }
    wri_arena_destroy(&arena);
}

static void what_is_refused_is_said_in_one_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } odd[] = {
        {"", "a.hdr: is no Radiance picture (.hdr): it does not begin with #?"},
        {"\x89PNG\r\n", "a.hdr: is no Radiance picture (.hdr): it does not begin with #?"},
        {"#?RADIANCE\nFORMAT", "a.hdr: byte 11: the file ends within its header"},
        {"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n",
         "a.hdr: the format is 32-bit_rle_xyze, expected 32-bit_rle_rgbe"},
        {HEAD "EXPOSURE=0\n\n", "a.hdr: EXPOSURE is no number from 1e-9 to 1e9 in the header"},
        {HEAD "EXPOSURE=nan\n\n", "a.hdr: EXPOSURE is no number from 1e-9 to 1e9 in the header"},
        {HEAD "\n", "a.hdr: byte 50: the file ends within its header"},
        {HEAD "\n+X 4 -Y 2\n",
         "a.hdr: the line of sizes is \"+X 4 -Y 2\", expected -Y HEIGHT +X WIDTH"},
        {HEAD "\n-Y 4 +X 4\n", "a.hdr: is 4 x 4 pixels, expected a picture of all around: twice as "
                               "wide as high, at most 32766 wide"},
        {HEAD "\n-Y 32768 +X 65536\n",
         "a.hdr: is 65536 x 32768 pixels, expected a picture of all around: twice as wide as high, "
         "at most 32766 wide"},
        {HEAD "\n-Y 1 +X 2\nabcdefg", "a.hdr: byte 64: the file ends within a row"},
        {HEAD "\n-Y 1 +X 2\n\1\1\1\1abcd", "a.hdr: byte 60: a row begins with a repetition"},
        {HEAD "\n-Y 1 +X 2\nabcd\1\1\1\2", "a.hdr: byte 64: a repetition goes beyond its row"},
        {HEAD "\n-Y 4 +X 8\n\2\2", "a.hdr: byte 60: the file ends within a row"},
    };
    static const struct {
        const char bytes[12];
        size_t size;
        const char *sentence;
    } runs[] = {
        {"\2\2\0\10\0a", 6, "a.hdr: byte 64: a run of 0 bytes"},
        {"\2\2\0\10\211a", 6, "a.hdr: byte 64: a run goes beyond its row"},
        {"\2\2\0\10\10abc", 8, "a.hdr: byte 64: the file ends within a row"},
        {"\2\2\0\10\210a\207", 7, "a.hdr: byte 66: the file ends within a row"},
    };
    static file f;
    wri_arena arena = wri_arena_create(NULL);
    wr_environment e;
    for (int i = 0; i < WRI_COUNT(odd); i++) {
        f.size = 0;
        put_text(&f, odd[i].text);
        const char *said = read_bytes(&arena, &f, &e);
        assert_string_equal(said ? said : "nothing", odd[i].sentence);
    }
    for (int i = 0; i < WRI_COUNT(runs); i++) {
        f.size = 0;
        put_text(&f, HEAD "\n-Y 4 +X 8\n");
        put(&f, runs[i].bytes, runs[i].size);
        const char *said = read_bytes(&arena, &f, &e);
        assert_string_equal(said ? said : "nothing", runs[i].sentence);
    }
    wri_arena_destroy(&arena);
}

static void a_file_is_read_and_freed(void **state)
{
    (void)state;
    static file f;
    char path[600];
    f.size = 0;
    put_text(&f, HEAD "\n-Y 3 +X 6\n");
    put_flat(&f, 18);
    snprintf(path, sizeof path, "%s/a.hdr", folder.path);
    assert_true(wri_file_write(path, f.bytes, f.size, NULL));
    wr_environment *e = wr_environment_read(path, NULL);
    assert_non_null(e);
    expect_pixels(e);
    wr_environment_destroy(e);
    wr_environment_destroy(NULL);
    wr_error error = {0};
    assert_null(wr_environment_read("none.hdr", &error));
    assert_int_equal(error.code, WR_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_one_by_one_are_read),
        cmocka_unit_test(rows_of_runs_are_read),
        cmocka_unit_test(repetitions_are_read),
        cmocka_unit_test(large_pictures_are_averaged_and_exposure_is_divided_out),
        cmocka_unit_test(what_is_refused_is_said_in_one_sentence),
        cmocka_unit_test(a_file_is_read_and_freed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
