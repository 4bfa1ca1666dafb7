// test_exr.c: pictures of light as files, read by a reader of the test's own and by ffmpeg.
#include "wrought/file.h"
#include "wrought/render.h"

#include "folder.h"
#include "pictures.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

#include <zlib.h>

enum { HEADER = 340, ROWS = 16 }; // bytes of our header; rows of a block

static const char *path_of(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    return path;
}

// IEEE 754, by its definition.
static double half_value(unsigned half)
{
    int exponent = (int)(half >> 10 & 31), mantissa = (int)(half & 1023);
    double size = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return half & 0x8000 ? -size : size;
}

static uint64_t number_at(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

// Undoes what a block of a file is packed by: see the head of src/file/exr.c.
static void unpack(const uint8_t *packed, size_t packed_size, uint8_t *out, size_t size)
{
    if (packed_size == size) {
        memcpy(out, packed, size);
        return;
    }
    uint8_t *sorted = malloc(size);
    uLongf length = (uLongf)size;
    assert_non_null(sorted);
    assert_int_equal(uncompress(sorted, &length, packed, (uLong)packed_size), Z_OK);
    assert_int_equal(length, size);
    for (size_t i = 1; i < size; i++) {
        sorted[i] = (uint8_t)(sorted[i - 1] + sorted[i] - 128);
    }
    for (size_t i = 0; i < size; i++) {
        out[i] = sorted[i % 2 ? (size + 1) / 2 + i / 2 : i / 2];
    }
    free(sorted);
}

// Halves in the order of `light`; the caller frees them.
static uint16_t *read_halves(const char *path, int width, int height)
{
    size_t size = 0, row = 6 * (size_t)width;
    uint8_t *file = (uint8_t *)wri_file_read(path, 1 << 26, NULL, &size, NULL);
    uint16_t *out = calloc((size_t)width * (size_t)height, 6);
    uint8_t *block = malloc(ROWS * row);
    assert_true(file && out && block);
    assert_int_equal(number_at(file, 4), 20000630);
    for (int i = 0; i < (height + ROWS - 1) / ROWS; i++) {
        const uint8_t *at = file + number_at(file + HEADER + 8 * i, 8);
        int first = i * ROWS, rows = height - first < ROWS ? height - first : ROWS;
        assert_int_equal(number_at(at, 4), first);
        unpack(at + 8, number_at(at + 4, 4), block, (size_t)rows * row);
        for (int k = 0; k < rows * width * 3; k++) {
            int y = k / (3 * width), c = k / width % 3, x = k % width;
            out[3 * ((first + y) * width + x) + 2 - c] =
                (uint16_t)number_at(block + (size_t)y * row + 2 * (size_t)(k % (3 * width)), 2);
        }
    }
    wri_free(NULL, file, size + 1, 1);
    free(block);
    return out;
}

// Every half there is, in blocks of which the last one is not full, and in ones that do not shrink.
static void every_half_comes_back(void **state)
{
    (void)state;
    enum { WIDTH = 211, HEIGHT = 104, COUNT = WIDTH * HEIGHT * 3 };
    static float light[COUNT];
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        for (int i = 0; i < COUNT; i++) {
            unsigned half = (unsigned)i * (shuffled ? 40503u : 1u) & 0xffff;
            light[i] = (half >> 10 & 31) == 31 ? 0.0f : (float)half_value(half);
        }
        wr_error error = {0};
        assert_true(wr_exr_write(path_of("all.exr"), light, WIDTH, HEIGHT, &error));
        uint16_t *halves = read_halves(path_of("all.exr"), WIDTH, HEIGHT);
        for (int i = 0; i < COUNT; i++) {
            assert_true(half_value(halves[i]) == (double)light[i]);
        }
        free(halves);
    }
}

static void numbers_between_go_to_the_nearest_half(void **state)
{
    (void)state;
    const struct {
        float light;
        double half;
    } cases[] = {
        {1.0f + 0x1p-11f, 1.0},              // a tie goes to the even one
        {1.0f + 3 * 0x1p-11f, 1.0 + 0x1p-9}, // also upwards
        {1.0f + 0x1.002p-11f, 1.0 + 0x1p-10},
        {0x1.ffcp0f + 0x1p-10f, 2.0}, // into the next power
        {0x1p-25f, 0.0},              // half of the least: a tie
        {0x1.8p-25f, 0x1p-24},
        {0x1.ffcp-15f + 0x1p-24f, 0x1p-14}, // from the subnormal to the normal ones
        {-0.3f, -0.300048828125},
        {70000.0f, 65504.0},
        {-INFINITY, -65504.0},
        {NAN, 0.0},
    };
    float light[3 * WRI_COUNT(cases)];
    for (int i = 0; i < 3 * WRI_COUNT(cases); i++) {
        light[i] = cases[i / 3].light;
    }
    assert_true(wr_exr_write(path_of("near.exr"), light, WRI_COUNT(cases), 1, NULL));
    uint16_t *halves = read_halves(path_of("near.exr"), WRI_COUNT(cases), 1);
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        assert_true(half_value(halves[3 * i]) == cases[i].half);
    }
    free(halves);
}

static void ffmpeg_reads_the_same(void **state)
{
    (void)state;
    enum { WIDTH = 45, HEIGHT = 37, COUNT = WIDTH * HEIGHT };
    static float light[3 * COUNT], planes[3 * COUNT];
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) {
        skip();
    }
    for (int i = 0; i < COUNT; i++) {
        light[3 * i] = 0.25f * (float)(i % WIDTH);
        light[3 * i + 1] = 0.5f * (float)(i / WIDTH);
        light[3 * i + 2] = 1.0f / (float)(1 << i % 7);
    }
    assert_true(wr_exr_write(path_of("seen.exr"), light, WIDTH, HEIGHT, NULL));
    char command[1400], raw[600];
    snprintf(raw, sizeof raw, "%s", path_of("seen.raw"));
    snprintf(command, sizeof command,
             "ffmpeg -v error -y -i '%s' -f rawvideo -pix_fmt gbrpf32le '%s'", path_of("seen.exr"),
             raw);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(raw, "rb");
    assert_non_null(file);
    assert_int_equal(fread(planes, sizeof(float), 3 * COUNT, file), 3 * COUNT);
    fclose(file);
    for (int i = 0; i < COUNT; i++) {
        assert_true(planes[i] == light[3 * i + 1]);         // green
        assert_true(planes[COUNT + i] == light[3 * i + 2]); // blue
        assert_true(planes[2 * COUNT + i] == light[3 * i]); // red
    }
}

// Light and bytes are one picture: tone, sRGB and dither lie between.
static void light_becomes_the_same_bytes(void **state)
{
    (void)state;
    enum { WIDTH = 64, HEIGHT = 48, COUNT = WIDTH * HEIGHT * 3 };
    static uint8_t pixels[COUNT];
    static float light[COUNT];
    wr_render *render = make_sized_render(WIDTH, HEIGHT, 4, 1, WR_VIEW_SHADED);
    wr_model *ball = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(0.5f, 0, 0),
                                               (wr_color){0.5f, 0.3f, 0.2f, 1.0f}, NULL);
    assert_non_null(ball);
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    wr_render_thing things[2] = {{.pose = WR_POSE_IDENTITY, .tint = {0.4f, 0.4f, 0.4f, 1.0f}},
                                 {.model = ball, .pose = WR_POSE_IDENTITY, .tint = white}};
    things[1].pose.position = wr_v3(0.1f, 0.5f, 0.2f);
    wr_camera camera = {.from = {1, 1.5f, 3}, .to = {0, 0.4f, 0}, .fov = 0.6f};
    for (int flat = 0; flat < 2; flat++) {
        wr_stage stage = wr_stage_default();
        stage.flat.on = flat;
        stage.light.exposure = 2.0f;
        assert_true(wr_render_draw(render, things, 2, &stage, &camera, pixels, NULL));
        assert_true(wr_render_draw_light(render, things, 2, &stage, &camera, light, NULL));
        int bright = 0;
        for (int i = 0; i < COUNT; i++) {
            float seen = light[i] <= 0.6f || flat
                             ? light[i]
                             : 0.6f + 0.4f * (1.0f - expf(-(light[i] - 0.6f) / 0.4f));
            bright += light[i] > 1.0f;
            assert_true(seen >= decode(pixels[i] > 0 ? pixels[i] - 1 : 0) - 1e-5f);
            assert_true(seen <= decode(pixels[i] < 255 ? pixels[i] + 1 : 255) + 1e-5f);
        }
        assert_true(flat || bright > 0); // no curve has bent it
    }
    wr_render_destroy(render);
    wr_model_destroy(ball);
}

static void impossible_pictures_are_one_sentence(void **state)
{
    (void)state;
    const float light[3] = {0};
    wr_error error = {0};
    assert_false(wr_exr_write(path_of("none.exr"), light, 0, 1, &error));
    assert_non_null(strstr(error.message, "0 x 1 pixels, expected 1 to 16384 a side"));
    assert_false(wr_exr_write(path_of("no/folder.exr"), light, 1, 1, &error));
    assert_int_equal(error.code, WR_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_comes_back),
        cmocka_unit_test(numbers_between_go_to_the_nearest_half),
        cmocka_unit_test(ffmpeg_reads_the_same),
        cmocka_unit_test(light_becomes_the_same_bytes),
        cmocka_unit_test(impossible_pictures_are_one_sentence),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
