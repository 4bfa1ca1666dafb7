// test_record_bytes.c: a recording put together by hand, as docs/recording.md says, from numbers of
// which no two are alike. What the reader makes of it must be these numbers. A writer and a reader
// that are wrong in the same way agree with each other, but not with this.
#include "check.h"

#include "../src/base/os.h"
#include "wrought/record.h"

// --- bytes ------------------------------------------------------------------------------------

typedef struct bytes {
    uint8_t data[8192];
    size_t size;
} bytes;

static void put(bytes *b, const void *data, size_t size)
{
    assert_true(b->size + size <= sizeof b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_number(bytes *b, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)(value >> (8 * i));
        put(b, &byte, 1);
    }
}

static void put_u8(bytes *b, int value)
{
    put_number(b, (uint64_t)value, 1);
}

static void put_i32(bytes *b, int64_t value)
{
    put_number(b, (uint64_t)value, 4);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static void put_floats(bytes *b, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        put_number(b, bits_of(values[i]), 4);
    }
}

#define PUT_FLOATS(B, ...)                                                                         \
    put_floats(B, (float[]){__VA_ARGS__}, (int)(sizeof(float[]){__VA_ARGS__} / sizeof(float)))

static void put_text(bytes *b, const char *text)
{
    put_number(b, strlen(text), 4);
    put(b, text, strlen(text));
}

// A table of `rows` rows and `columns` columns; predicted NULL: by 0.
static void put_table(bytes *b, const uint32_t *words, const uint32_t *predicted, int rows,
                      int columns)
{
    for (int c = 0; c < columns; c++) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            for (int r = 0; r < rows; r++) {
                uint32_t d = words[r * columns + c];
                d -= predicted ? predicted[r * columns + c] : 0;
                uint32_t folded = (d << 1) ^ (0 - (d >> 31));
                put_u8(b, (int)(folded >> shift & 255));
            }
        }
    }
}

static void put_chained(bytes *b, const uint32_t *words, int rows, int columns)
{
    uint32_t above[64] = {0};
    assert_true(rows * columns <= 64);
    for (int i = columns; i < rows * columns; i++) {
        above[i] = words[i - columns];
    }
    put_table(b, words, above, rows, columns);
}

static void put_chained_floats(bytes *b, const float *values, int rows, int columns)
{
    uint32_t words[64];
    for (int i = 0; i < rows * columns; i++) {
        words[i] = bits_of(values[i]);
    }
    put_chained(b, words, rows, columns);
}

static void put_stream(bytes *frame, int type, const bytes *contents)
{
    put_u8(frame, type);
    put_i32(frame, (int64_t)contents->size);
    put(frame, contents->data, contents->size);
}

static void put_chunk(bytes *file, const char *kind, int flags, const bytes *payload)
{
    bytes head = {0};
    put(&head, kind, 4);
    put_i32(&head, flags);
    put_i32(&head, (int64_t)payload->size);
    put_i32(&head, (int64_t)payload->size);
    uint64_t seed = wri_hash(head.data, 16, file->size);
    put_number(&head, wri_hash(payload->data, payload->size, seed), 8);
    put(file, head.data, head.size);
    put(file, payload->data, payload->size);
}

// --- what stands in it ------------------------------------------------------------------------

enum { BODIES = 3, COLUMNS = 7 };

// Poses of the bodies in each frame: position, then rotation. The second body rests in frame 1, the
// first in frame 2.
static const float poses[3][BODIES][COLUMNS] = {
    {{1, 2, 3, 0.5f, 0.5f, 0.5f, 0.5f}, {4, 5, 6, 0, 0.6f, 0.8f, 0}, {7, 8, 9, 0.8f, 0, 0, -0.6f}},
    {{1.5f, 2.25f, 3.125f, 0.5f, 0.5f, -0.5f, 0.5f},
     {4, 5, 6, 0, 0.6f, 0.8f, 0},
     {7.5f, -8, 9.75f, 0, 0, 0.28f, 0.96f}},
    {{1.5f, 2.25f, 3.125f, 0.5f, 0.5f, -0.5f, 0.5f},
     {-4, 5.5f, 6.25f, 0.6f, 0, 0, 0.8f},
     {8.5f, -9, 10.75f, 0, 0.28f, 0, 0.96f}},
};

static const float points[3][6] = {
    {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f},
    {1.1f, 1.2f, 1.3f, 1.4f, 1.5f, 1.6f},
    {-2.1f, 2.25f, 2.5f, 2.75f, -3.0f, 3.5f},
};
static const int weights_vertices[2][3] = {{2, 5, 5}, {1, 5, 9}},
                 weights_examples[2][3] = {{3, 1, 2}, {4, 2, 1}};
static const uint32_t weights_quanta[2][3] = {{65535, 13107, 26214}, {39321, 52428, 1}};
static const float surface[3][9] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8.5f},
    {0.25f, 1, 2.5f, 3, 4.75f, 5, 6, 7.125f, 8},
    {0.5f, 1.5f, 3, 2, 5, 5, 6.5f, 7.5f, -8},
};
static const uint32_t ids[3][3] = {{10, 20, 70000}, {20, 30, 70000}, {20, 30, 70000}};
static const int quanta[3][3][3] = {
    {{1, -2, 3}, {400, 500, -600}, {7, 8, 9}},
    {{410, 505, -590}, {-70, 71, 72}, {70000, 9, 10}},
    {{420, 511, -581}, {-75, 73, 70}, {140000, 11, 10}},
};
static const float radii[3][3] = {
    {0.5f, 0.25f, 2.5f}, {0.25f, 0.75f, 2.25f}, {0.25f, 0.625f, 2.125f}};

// 2 last - before of the words of floats.
static void go_on(const float *last, const float *before, int count, uint32_t *out)
{
    for (int i = 0; i < count; i++) {
        out[i] = 2 * bits_of(last[i]) - bits_of(before[i]);
    }
}

static void put_moved(bytes *b, const float *now, const float *last, const float *before, int rows,
                      int columns)
{
    uint32_t words[64], predicted[64];
    for (int i = 0; i < rows * columns; i++) {
        words[i] = bits_of(now[i]);
    }
    if (last) {
        go_on(last, before, rows * columns, predicted);
    }
    put_table(b, words, last ? predicted : NULL, rows, columns);
}

static void put_poses(bytes *frame, int index)
{
    bytes b = {0};
    if (index == 0) {
        put_i32(&b, BODIES);
        put_moved(&b, poses[0][0], NULL, NULL, BODIES, COLUMNS);
    } else { // two of the three, with the bodies left out before each
        float now[2][COLUMNS], last[2][COLUMNS], before[2][COLUMNS];
        static const int moved[2][2] = {{0, 2}, {1, 2}};
        for (int i = 0; i < 2; i++) {
            int body = moved[index - 1][i];
            memcpy(now[i], poses[index][body], sizeof now[i]);
            memcpy(last[i], poses[index - 1][body], sizeof last[i]);
            memcpy(before[i], poses[index == 1 ? 0 : index - 2][body], sizeof before[i]);
        }
        put_i32(&b, 2);
        put_u8(&b, moved[index - 1][0]);
        put_u8(&b, index == 1 ? 1 : 0);
        put_moved(&b, now[0], last[0], before[0], 2, COLUMNS);
    }
    put_stream(frame, 5, &b);
}

static void put_points(bytes *frame, int index)
{
    bytes b = {0};
    put_i32(&b, 1);
    put_i32(&b, 2); // of the last body
    put_i32(&b, 2);
    put_u8(&b, index > 0);
    put_moved(&b, points[index], index ? points[index - 1] : NULL,
              points[index == 2 ? 0 : index / 2], 2, 3);
    put_stream(frame, 6, &b);
}

// Whole, merged with those before, and the same again.
static void put_weights(bytes *frame, int index)
{
    bytes b = {0};
    int k = index ? 1 : 0;
    put_i32(&b, 1);
    put_i32(&b, 1);
    put_i32(&b, 3);
    put_u8(&b, index == 0 ? 0 : index == 1 ? 3 : 2);
    if (index < 2) {
        uint32_t vertices[3], examples[3], guesses[3] = {0};
        for (int i = 0; i < 3; i++) {
            vertices[i] = (uint32_t)weights_vertices[k][i];
            examples[i] = (uint32_t)weights_examples[k][i];
        }
        guesses[1] = index ? 26214 : 0; // vertex 5, example 2 was there
        put_chained(&b, vertices, 3, 1);
        put_table(&b, examples, NULL, 3, 1);
        put_table(&b, weights_quanta[k], guesses, 3, 1);
    }
    put_stream(frame, 7, &b);
}

// One contact in frame 0, two in frame 1: the second has nobody before it.
static const float contact_numbers[2][COLUMNS] = {{0.1f, 0.2f, 0.3f, 0, 0.6f, 0.8f, 12.5f},
                                                  {1.1f, 1.2f, 1.3f, 0.8f, 0, -0.6f, 0.75f}};

static void put_contacts(bytes *frame, int index)
{
    bytes b = {0};
    uint32_t words[2][9] = {{2, 1}, {1, 0}}, predicted[2][9] = {{0}};
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            words[i][2 + c] = bits_of(contact_numbers[i][c]);
        }
    }
    if (index == 1) {
        memcpy(predicted[0], words[0], sizeof words[0]);
        words[0][8] = bits_of(10.25f);
    }
    put_i32(&b, index + 1);
    put_table(&b, words[0], predicted[0], index + 1, 9);
    put_stream(frame, 8, &b);
}

// The second surface of its body moves; another body's comes in frame 2.
static void put_surfaces(bytes *frame, int index)
{
    bytes b = {0};
    put_i32(&b, index == 2 ? 2 : 1);
    put_i32(&b, 0);
    put_i32(&b, 1);
    put_u8(&b, index > 0);
    if (index == 0) {
        put_i32(&b, 77);
        put_text(&b, "skin");
        put_u8(&b, 1);
        put_i32(&b, -1);
        PUT_FLOATS(&b, 0.1f, 0.2f, 0.3f, 0.4f);
        put_i32(&b, 3);
        put_i32(&b, 2);
        put_u8(&b, 1);
        put_u8(&b, 1);
        put_chained(&b, (uint32_t[]){0, 1, 2, 2, 1, 0}, 6, 1);
        put_chained_floats(&b, (float[]){0.5f, 0.25f, 1, 0.125f, 0, 0.75f}, 3, 2);
        put_chained(&b, (uint32_t[]){(uint32_t)-1, (uint32_t)-1}, 2, 1);
        put_chained_floats(&b, surface[0], 3, 3);
    } else {
        put_moved(&b, surface[index], surface[index - 1], surface[0], 3, 3);
    }
    if (index == 2) {
        put_i32(&b, 2);
        put_i32(&b, 0);
        put_u8(&b, 0);
        put_i32(&b, 5);
        put_text(&b, "");
        put_u8(&b, 0);
        put_i32(&b, -1);
        PUT_FLOATS(&b, 1, 1, 1, 1);
        put_i32(&b, 0);
        put_i32(&b, 0);
        put_u8(&b, 0);
        put_u8(&b, 0);
    }
    put_stream(frame, 10, &b);
}

// Which row of the frame before each particle is, by its id.
static int row_before(int index, int row)
{
    for (int i = 0; i < 3 && index > 0; i++) {
        if (ids[index - 1][i] == ids[index][row]) {
            return i;
        }
    }
    return -1;
}

static void put_places(bytes *b, int index)
{
    uint32_t words[9], cells[9] = {0}, sizes[3], size_guesses[3] = {0};
    for (int i = 0; i < 9; i++) {
        int row = row_before(index, i / 3), k = i % 3;
        words[i] = (uint32_t)quanta[index][i / 3][k];
        cells[i] = i < 3 ? 0 : cells[i - 3]; // a new one comes out where the guess above is
        if (row >= 0) {
            int older = row_before(index - 1, row);
            int last = quanta[index - 1][row][k];
            int before = older >= 0 ? quanta[index - 2][older][k] : last;
            cells[i] = (uint32_t)(2 * last - before);
        }
    }
    for (int i = 0; i < 3; i++) {
        int row = row_before(index, i);
        sizes[i] = bits_of(radii[index][i]);
        size_guesses[i] = row >= 0 ? bits_of(radii[index - 1][row]) : i ? size_guesses[i - 1] : 0;
    }
    if (index == 0) {
        put_chained(b, sizes, 3, 1);
        put_chained(b, words, 3, 3);
    } else {
        put_table(b, sizes, size_guesses, 3, 1);
        put_table(b, words, cells, 3, 3);
    }
}

static void put_particles(bytes *frame, int index)
{
    bytes b = {0};
    put_i32(&b, 1);
    put_i32(&b, 1);
    put_i32(&b, 3);
    put_u8(&b, 1);
    put_u8(&b, 1);
    PUT_FLOATS(&b, 0.9f, 0.8f, 0.7f, 0.6f);
    put_u8(&b, 1);
    put_u8(&b, 1);
    put_u8(&b, index > 0);
    put_i32(&b, -10);
    put_chained(&b, ids[index], 3, 1);
    put_places(&b, index);
    put_stream(frame, 11, &b);
}

static void put_body(bytes *b, const char *name, bool is_static, bool is_ground)
{
    put_text(b, name);
    put_text(b, "rigid");
    put_i32(b, -1);
    put_u8(b, is_static);
    put_u8(b, is_ground);
    PUT_FLOATS(b, 0.25f, 0.5f, 0.75f, 1);
}

static void put_frame(bytes *file, int index)
{
    bytes frame = {0}, b = {0};
    put_number(&b, 0x1122334455667788u + (uint64_t)index, 8);
    put_stream(&frame, 1, &b);
    if (index == 1) {
        double time = 0.125;
        uint64_t bits;
        memcpy(&bits, &time, 8);
        b.size = 0;
        put_number(&b, bits, 8);
        put_stream(&frame, 2, &b);
    }
    if (index == 0) {
        b.size = 0;
        put_i32(&b, 0); // nobody was born before
        put_stream(&frame, 3, &b);
    }
    if (index == 1) {
        b.size = 0;
        put_i32(&b, 2);
        put_u8(&b, 2); // body 1 was removed
        put_i32(&b, 1);
        put_i32(&b, -1);
        put_u8(&b, 3); // joint 4 broke
        put_i32(&b, 4);
        put_i32(&b, -1);
        put_stream(&frame, 4, &b);
    }
    put_poses(&frame, index);
    put_points(&frame, index);
    put_weights(&frame, index);
    if (index < 2) {
        put_contacts(&frame, index);
    }
    put_surfaces(&frame, index);
    put_particles(&frame, index);
    put_chunk(file, "FRAM", index == 0 ? 2 : 0, &frame);
}

static void put_info(bytes *file)
{
    bytes b = {0};
    put_text(&b, "by hand");
    put_text(&b, "nobody 1");
    put_number(&b, 0x0123456789abcdefu, 8);
    put_i32(&b, 24000);
    put_i32(&b, 1001);
    put_i32(&b, 7);
    put_i32(&b, 2);
    put_i32(&b, 2); // cameras
    put_text(&b, "first");
    PUT_FLOATS(&b, 1, 2, 3, 4, 5, 6, 0.5f);
    put_text(&b, "second");
    PUT_FLOATS(&b, 7, 8, 9, 10, 11, 12, 0.75f);
    PUT_FLOATS(&b, 0.6f, 0.8f, 0, 1, 2, 3, 4, 0.1f);          // sun
    PUT_FLOATS(&b, 0.1f, 0.2f, 0.3f, 1, 0.4f, 0.5f, 0.6f, 1); // zenith, horizon
    PUT_FLOATS(&b, 0.7f, 0.8f, 0.9f, 1, 1.5f);                // ground, exposure
    put_i32(&b, 0);                                           // models
    put_i32(&b, BODIES);
    put_body(&b, "a", false, false);
    put_body(&b, "b", true, false);
    put_body(&b, "c", false, true);
    put_i32(&b, 0);          // assets
    PUT_FLOATS(&b, 0, 2.5f); // the second camera is flat
    put_u8(&b, 1);           // and so is the stage
    PUT_FLOATS(&b, 0.1f, 0.3f, 0.5f, 1, 0.2f, 0.4f, 0.6f, 1, 0.03f);
    put_i32(&b, 0); // manifolds
    put_i32(&b, -1);
    put_i32(&b, -1);
    put_i32(&b, 2); // the second camera follows the last body
    put_chunk(file, "INFO", 0, &b);
}

// --- promises ---------------------------------------------------------------------------------

static temporary_folder folder;
static wr_record_reader *reader;

static int write_file(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    char path[600];
    snprintf(path, sizeof path, "%s/hand.wrought", folder.path);
    static bytes file;
    put(&file, "\x89WRT\r\n\x1a\n", 8);
    put_i32(&file, 3);
    put_i32(&file, 3);
    put_number(&file, wri_hash(file.data, 16, 0), 8);
    put_info(&file);
    for (int i = 0; i < 3; i++) {
        put_frame(&file, i);
    }
    wr_error error = {0};
    assert_true(wri_file_write(path, file.data, file.size, &error));
    reader = wr_record_open(path, &error);
    if (!reader) {
        print_message("%s\n", error.message);
        return -1;
    }
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    wr_record_close(reader);
    temporary_folder_destroy(&folder);
    return 0;
}

static void expect_floats(const void *got, const float *expected, int count)
{
    assert_memory_equal(got, expected, (size_t)count * sizeof *expected);
}

#define EXPECT_FLOATS(GOT, ...)                                                                    \
    expect_floats(GOT, (float[]){__VA_ARGS__}, (int)(sizeof(float[]){__VA_ARGS__} / sizeof(float)))

static const wr_frame *read_frame(int index)
{
    wr_error error = {0};
    const wr_frame *frame = wr_record_read_frame(reader, index, &error);
    if (!frame) {
        fail_msg("%s", error.message);
    }
    assert_true(frame->hash == 0x1122334455667788u + (uint64_t)index);
    return frame;
}

static void the_description_says_what_was_written(void **state)
{
    (void)state;
    const wr_record_info *info = wr_record_about(reader);
    assert_string_equal(info->title, "by hand");
    assert_string_equal(info->program, "nobody 1");
    assert_true(info->scene_hash == 0x0123456789abcdefu);
    assert_int_equal(info->rate_numerator, 24000);
    assert_int_equal(info->rate_denominator, 1001);
    assert_int_equal(info->substeps, 7);
    assert_int_equal(info->planned_frames, 2);
    assert_int_equal(info->body_count, BODIES);
    assert_true(info->bodies[1].is_static && !info->bodies[1].casts_ground);
    assert_true(!info->bodies[2].is_static && info->bodies[2].casts_ground);
    assert_string_equal(info->bodies[2].name, "c");
    EXPECT_FLOATS(&info->bodies[1].color, 0.25f, 0.5f, 0.75f, 1);
    const wr_stage *stage = &info->stage;
    assert_int_equal(stage->camera_count, 2);
    assert_string_equal(stage->cameras[1].name, "second");
    EXPECT_FLOATS(&stage->cameras[0].from, 1, 2, 3);
    EXPECT_FLOATS(&stage->cameras[1].from, 7, 8, 9);
    EXPECT_FLOATS(&stage->cameras[1].to, 10, 11, 12);
    EXPECT_FLOATS(&stage->cameras[1].fov, 0.75f);
    EXPECT_FLOATS(&stage->cameras[1].flat, 2.5f);
    EXPECT_FLOATS(&stage->cameras[0].flat, 0);
    assert_true(stage->cameras[1].follows && stage->cameras[1].body == 2);
    assert_false(stage->cameras[0].follows || stage->follows);
    EXPECT_FLOATS(&stage->light.sun_direction, 0.6f, 0.8f, 0);
    EXPECT_FLOATS(&stage->light.sun_color, 1, 2, 3, 4);
    EXPECT_FLOATS(&stage->light.sky_zenith, 0.1f, 0.2f, 0.3f, 1);
    EXPECT_FLOATS(&stage->light.sky_horizon, 0.4f, 0.5f, 0.6f, 1);
    EXPECT_FLOATS(&stage->light.ground, 0.7f, 0.8f, 0.9f, 1);
    EXPECT_FLOATS(&stage->light.exposure, 1.5f);
    EXPECT_FLOATS(&stage->light.sun_radius, 0.1f);
    assert_true(stage->flat.on);
    EXPECT_FLOATS(&stage->flat.top, 0.1f, 0.3f, 0.5f, 1);
    EXPECT_FLOATS(&stage->flat.low, 0.2f, 0.4f, 0.6f, 1);
    EXPECT_FLOATS(&stage->flat.line, 0.03f);
}

static void poses_points_and_weights_say_what_was_written(void **state)
{
    (void)state;
    static const int order[] = {0, 1, 2, 1, 0, 2};
    for (int i = 0; i < WRI_COUNT(order); i++) {
        int index = order[i], k = index ? 1 : 0;
        const wr_frame *frame = read_frame(index);
        assert_int_equal(frame->body_count, BODIES);
        expect_floats(frame->poses, poses[index][0], BODIES * COLUMNS);
        CHECK_NEAR(frame->time, index == 1 ? 0.125 : index * 1001.0 / 24000.0, 0.0);
        assert_int_equal(frame->points_count, 1);
        assert_int_equal(frame->points->body, 2);
        assert_int_equal(frame->points->count, 2);
        expect_floats(frame->points->positions, points[index], 6);
        const wr_record_weights *weights = frame->weights;
        assert_int_equal(frame->weights_count, 1);
        assert_int_equal(weights->body, 1);
        assert_int_equal(weights->entry_count, 3);
        assert_memory_equal(weights->vertices, weights_vertices[k], sizeof weights_vertices[k]);
        assert_memory_equal(weights->examples, weights_examples[k], sizeof weights_examples[k]);
        for (int e = 0; e < 3; e++) {
            CHECK_NEAR(weights->weights[e], weights_quanta[k][e] / 65535.0, 6e-8);
        }
    }
}

static void contacts_and_events_say_what_was_written(void **state)
{
    (void)state;
    const wr_frame *frame = read_frame(0);
    assert_int_equal(frame->contact_count, 1);
    EXPECT_FLOATS(&frame->contacts[0].impulse, 12.5f);
    frame = read_frame(1);
    assert_int_equal(frame->contact_count, 2);
    assert_int_equal(frame->contacts[0].body_a, 2);
    assert_int_equal(frame->contacts[0].body_b, 1);
    assert_int_equal(frame->contacts[1].body_a, 1);
    assert_int_equal(frame->contacts[1].body_b, 0);
    EXPECT_FLOATS(&frame->contacts[0].point, 0.1f, 0.2f, 0.3f, 0, 0.6f, 0.8f, 10.25f);
    expect_floats(&frame->contacts[1].point, contact_numbers[1], COLUMNS);
    assert_int_equal(frame->event_count, 2);
    assert_int_equal(frame->events[0].kind, WR_EVENT_REMOVED);
    assert_int_equal(frame->events[0].subject, 1);
    assert_int_equal(frame->events[1].kind, WR_EVENT_BROKEN);
    assert_int_equal(frame->events[1].subject, 4);
    assert_int_equal(read_frame(2)->contact_count, 0);
}

static void surfaces_say_what_was_written(void **state)
{
    (void)state;
    static const int order[] = {0, 1, 2, 1};
    static const int triangles[] = {0, 1, 2, 2, 1, 0}, looks[] = {-1, -1};
    for (int i = 0; i < WRI_COUNT(order); i++) {
        const wr_frame *frame = read_frame(order[i]);
        assert_int_equal(frame->surface_count, order[i] == 2 ? 2 : 1);
        assert_null(wr_frame_surface(frame, 0, 0));
        const wr_record_surface *s = wr_frame_surface(frame, 0, 1);
        assert_non_null(s);
        assert_string_equal(s->name, "skin");
        assert_true(s->topology == 77 && s->in_world && s->look == -1);
        EXPECT_FLOATS(&s->color, 0.1f, 0.2f, 0.3f, 0.4f);
        assert_int_equal(s->vertex_count, 3);
        assert_int_equal(s->triangle_count, 2);
        assert_memory_equal(s->triangles, triangles, sizeof triangles);
        assert_memory_equal(s->looks, looks, sizeof looks);
        EXPECT_FLOATS(s->uvs, 0.5f, 0.25f, 1, 0.125f, 0, 0.75f);
        expect_floats(s->positions, surface[order[i]], 9);
        const wr_record_surface *other = wr_frame_surface(frame, 2, 0);
        assert_true((other != NULL) == (order[i] == 2));
        assert_true(!other || (other->topology == 5 && other->vertex_count == 0));
    }
}

static void particles_say_what_was_written(void **state)
{
    (void)state;
    static const int order[] = {0, 1, 2, 1};
    for (int i = 0; i < WRI_COUNT(order); i++) {
        int index = order[i];
        const wr_record_particles *p = wr_frame_particles(read_frame(index), 1);
        assert_non_null(p);
        assert_int_equal(p->count, 3);
        assert_true(p->in_world && p->view == WR_PARTICLES_SURFACE);
        EXPECT_FLOATS(&p->color, 0.9f, 0.8f, 0.7f, 0.6f);
        assert_memory_equal(p->ids, ids[index], sizeof ids[index]);
        expect_floats(p->radii, radii[index], 3);
        for (int k = 0; k < 9; k++) {
            float place;
            memcpy(&place, (const char *)p->positions + 4 * k, 4);
            CHECK_NEAR(place, quanta[index][k / 3][k % 3] / 1024.0, 0.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_description_says_what_was_written),
        cmocka_unit_test(poses_points_and_weights_say_what_was_written),
        cmocka_unit_test(contacts_and_events_say_what_was_written),
        cmocka_unit_test(surfaces_say_what_was_written),
        cmocka_unit_test(particles_say_what_was_written),
    };
    return cmocka_run_group_tests(tests, write_file, remove_file);
}
