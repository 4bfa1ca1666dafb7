// broken_recordings.c: a sound recording, damaged in one place; lengths and checksums are right
// where the damage is meant to lie behind them.
#include "broken.h"

#include "../src/record/format.h"

#include <zstd.h>

#define INFO "info rec.wrought"
#define EXPORT "export rec.wrought -o out/keep.glb"

typedef struct chunk {
    size_t at, stored, raw;
    uint8_t *head, *payload;
} chunk;

// A copy to damage; written by put_recording.
static uint8_t *copy;
static size_t copy_size;

static void begin_recording(void)
{
    copy_size = sound_recording_size;
    copy = malloc(copy_size);
    assert_non_null(copy);
    memcpy(copy, sound_recording, copy_size);
}

static void put_recording(void)
{
    put_bytes("rec.wrought", copy, copy_size);
    free(copy);
}

static chunk find_chunk(const char *kind, int number)
{
    for (size_t at = WRI_RECORD_HEADER_SIZE; at + WRI_CHUNK_HEAD_SIZE <= copy_size;) {
        chunk c = {.at = at, .head = copy + at, .payload = copy + at + WRI_CHUNK_HEAD_SIZE};
        c.stored = (size_t)wri_read_little(c.head + 8, 4);
        c.raw = (size_t)wri_read_little(c.head + 12, 4);
        if (memcmp(c.head, kind, 4) == 0 && number-- == 0) {
            damaged_byte = at;
            return c;
        }
        at += WRI_CHUNK_HEAD_SIZE + c.stored;
    }
    fail_msg("the recording has no chunk %s", kind);
    return (chunk){0};
}

static void seal(const chunk *c)
{
    size_t stored = (size_t)wri_read_little(c->head + 8, 4);
    wri_write_little(c->head + 16, wri_chunk_checksum(c->head, c->payload, stored, (int64_t)c->at),
                     8);
}

// Everything from the chunk on is replaced by one with these bytes, packed or not.
static void replace_rest(const chunk *c, uint32_t flags, const void *bytes, size_t size, size_t raw)
{
    size_t at = c->at;
    uint8_t kind[4];
    memcpy(kind, c->head, 4);
    copy_size = at + WRI_CHUNK_HEAD_SIZE + size;
    copy = realloc(copy, copy_size);
    assert_non_null(copy);
    chunk new = {.at = at, .head = copy + at, .payload = copy + at + WRI_CHUNK_HEAD_SIZE};
    memcpy(new.head, kind, 4);
    wri_write_little(new.head + 4, flags, 4);
    wri_write_little(new.head + 8, size, 4);
    wri_write_little(new.head + 12, raw, 4);
    memcpy(new.payload, bytes, size);
    seal(&new);
}

static uint8_t *unpack(const chunk *c)
{
    uint8_t *raw = malloc(c->raw + 1);
    assert_non_null(raw);
    if (c->head[4] & WRI_CHUNK_PACKED) {
        assert_int_equal(ZSTD_decompress(raw, c->raw, c->payload, c->stored), c->raw);
    } else {
        memcpy(raw, c->payload, c->raw);
    }
    return raw;
}

// --- damages ----------------------------------------------------------------------------------

static void make_header_damage(void)
{
    begin_recording();
    copy[9] ^= 1;
    put_recording();
}

static void make_later_version(void)
{
    begin_recording();
    wri_write_little(copy + 12, 9, 4);
    wri_write_little(copy + 16, wri_hash(copy, 16, 0), 8);
    put_recording();
}

static void make_text_transfer(void) // \r\n became \n
{
    begin_recording();
    memmove(copy + 4, copy + 5, copy_size - 5);
    copy_size--;
    put_recording();
}

static void make_header_only(void)
{
    begin_recording();
    copy_size = WRI_RECORD_HEADER_SIZE;
    put_recording();
}

static void make_half_description(void)
{
    begin_recording();
    copy_size = WRI_RECORD_HEADER_SIZE + WRI_CHUNK_HEAD_SIZE + 3;
    put_recording();
}

static void make_description_damage(void)
{
    begin_recording();
    find_chunk("INFO", 0).payload[5] ^= 64;
    put_recording();
}

static void make_length_of_2_gb(void)
{
    begin_recording();
    chunk c = find_chunk("INFO", 0);
    wri_write_little(c.head + 8, 0x7fffffff, 4);
    put_recording();
}

static void make_long_chunk(void) // goes on behind the end
{
    begin_recording();
    chunk c = find_chunk("INFO", 0);
    wri_write_little(c.head + 4, 0, 4);
    wri_write_little(c.head + 8, 1 << 29, 4);
    wri_write_little(c.head + 12, 1 << 29, 4);
    put_recording();
}

static void make_bomb(void) // 128 MB out of 12 kB
{
    begin_recording();
    size_t raw = (size_t)1 << 27, room = 1 << 17;
    uint8_t *zeros = calloc(1, raw), *packed = malloc(room);
    assert_true(zeros && packed);
    size_t size = ZSTD_compress(packed, room, zeros, raw, 1);
    assert_false(ZSTD_isError(size));
    chunk c = find_chunk("INFO", 0);
    replace_rest(&c, WRI_CHUNK_PACKED, packed, size, raw);
    free(zeros);
    free(packed);
    put_recording();
}

static void make_lying_bomb(void) // says 100 kB, unpacks to more
{
    begin_recording();
    enum { RAW = 1 << 22 };
    uint8_t *zeros = calloc(1, RAW), *packed = malloc(1 << 16);
    assert_true(zeros && packed);
    size_t size = ZSTD_compress(packed, 1 << 16, zeros, RAW, 1);
    chunk c = find_chunk("INFO", 0);
    replace_rest(&c, WRI_CHUNK_PACKED, packed, size, 100000);
    free(zeros);
    free(packed);
    put_recording();
}

static void make_bad_zstd(void)
{
    begin_recording();
    chunk c = find_chunk("INFO", 0);
    replace_rest(&c, WRI_CHUNK_PACKED, "no zstd here", 12, 1000);
    put_recording();
}

static void make_wrong_kind(void)
{
    begin_recording();
    chunk c = find_chunk("INFO", 0);
    memcpy(c.head, "INFX", 4);
    seal(&c);
    put_recording();
}

// The chunk holds but the first bytes of what it held, and four of them are others.
static void shorten(const char *kind, const char *first, size_t size)
{
    begin_recording();
    chunk c = find_chunk(kind, 0);
    uint8_t *raw = unpack(&c);
    memcpy(raw, first, 4);
    replace_rest(&c, 0, raw, size, size);
    free(raw);
    put_recording();
}

static void make_endless_title(void)
{
    shorten("INFO", "\xff\xff\xff\x7f", 10);
}

static void make_endless_name(void)
{
    shorten("MODL", "\xff\xff\xff\xff", 10);
}

static void make_short_description(void)
{
    shorten("INFO", "\5\0\0\0", 6);
}

static void make_no_models(void)
{
    begin_recording();
    copy_size = find_chunk("MODL", 0).at;
    put_recording();
}

static void make_model_damage(void)
{
    begin_recording();
    chunk c = find_chunk("MODL", 0);
    c.payload[c.stored / 2] ^= 1;
    put_recording();
}

static void make_frame_damage(void)
{
    begin_recording();
    chunk c = find_chunk("FRAM", 2);
    c.payload[c.stored / 2] ^= 1;
    put_recording();
}

static void make_empty_frame(void)
{
    begin_recording();
    chunk c = find_chunk("FRAM", 0);
    replace_rest(&c, WRI_CHUNK_KEY, "", 0, 0);
    put_recording();
}

static void make_unbegun(void)
{
    begin_recording();
    copy_size = find_chunk("FRAM", 0).at;
    put_recording();
}

static void make_sound(void)
{
    begin_recording();
    put_recording();
}

const broken broken_recordings[] = {
    {"an empty recording", INFO, "rec.wrought", TEXT(""), NULL, "rec.wrought: is not a recording",
     NULL},
    {"a letter as recording", INFO, "rec.wrought",
     TEXT("a letter to my aunt, longer than the header"), NULL, "rec.wrought: is not a recording",
     NULL},
    {"a damaged header", INFO, NULL, NULL, 0, make_header_damage,
     "rec.wrought: byte 0: a damaged header (its checksum is wrong)", NULL},
    {"a later version of recordings", INFO, NULL, NULL, 0, make_later_version,
     "rec.wrought: needs a reader of format 9 or later, this one reads 4", NULL},
    {"a recording sent as text", INFO, NULL, NULL, 0, make_text_transfer,
     "rec.wrought: is not a recording", NULL},
    {"a header only", INFO, NULL, NULL, 0, make_header_only,
     "rec.wrought: byte 24: the file ends here, inside a chunk", NULL},
    {"half a description", INFO, NULL, NULL, 0, make_half_description,
     "rec.wrought: byte 24: a chunk that goes on behind the end of the file", NULL},
    {"a damaged description", INFO, NULL, NULL, 0, make_description_damage,
     "rec.wrought: byte 24: a damaged chunk (its checksum is wrong)", NULL},
    {"a description of 2 GB", INFO, NULL, NULL, 0, make_length_of_2_gb,
     "rec.wrought: byte 24: a chunk with impossible sizes", NULL},
    {"a chunk behind the end", INFO, NULL, NULL, 0, make_long_chunk,
     "rec.wrought: byte 24: a chunk that goes on behind the end of the file", NULL},
    {"a bomb of 128 MB", INFO, NULL, NULL, 0, make_bomb,
     "rec.wrought: byte 24: a chunk with impossible sizes", NULL},
    {"a bomb that lies about its size", INFO, NULL, NULL, 0, make_lying_bomb,
     "rec.wrought: byte 24: a chunk that does not unpack to its size", NULL},
    {"bytes that are no zstd", INFO, NULL, NULL, 0, make_bad_zstd,
     "rec.wrought: byte 24: a chunk that does not unpack to its size", NULL},
    {"no description", INFO, NULL, NULL, 0, make_wrong_kind,
     "rec.wrought: byte 24: a chunk of another kind than INFO", NULL},
    {"a title of 2 GB", INFO, NULL, NULL, 0, make_endless_title,
     "rec.wrought: byte 24: description: a text: a count of 2147483647 in a block of 6 bytes",
     NULL},
    {"a description that ends", INFO, NULL, NULL, 0, make_short_description,
     "rec.wrought: byte 24: description: a text: a count of 5 in a block of 2 bytes", NULL},
    {"a recording without its models", EXPORT, NULL, NULL, 0, make_no_models,
     "rec.wrought: byte @: the file ends before its models", NULL},
    {"a model with a name of 4 GB", EXPORT, NULL, NULL, 0, make_endless_name,
     "rec.wrought: byte @: model 0: a text: a count of 4294967295 in a block of 6 bytes", NULL},
    {"a damaged model", EXPORT, NULL, NULL, 0, make_model_damage,
     "rec.wrought: byte @: a damaged chunk (its checksum is wrong)", NULL},
    {"a damaged frame, exported", EXPORT, NULL, NULL, 0, make_frame_damage,
     "rec.wrought: byte @: a damaged chunk (its checksum is wrong)", NULL},
    {"a damaged frame, drawn", "render rec.wrought -o out/keep.png --frame 3 -q", NULL, NULL, 0,
     make_frame_damage, "rec.wrought: byte @: a damaged chunk (its checksum is wrong)", NULL},
    {"a damaged frame, told about", INFO, NULL, NULL, 0, make_frame_damage,
     "rec.wrought: byte @: a damaged chunk (its checksum is wrong)", "  sound                no\n"},
    {"a camera that is not there", "render rec.wrought -o out/keep.png --camera side", NULL, NULL,
     0, make_sound, "the recording has no camera \"side\"; did you mean \"auto\"?", NULL},
    {"a body that is not there", "export rec.wrought -o out/keep.glb --body ball", NULL, NULL, 0,
     make_sound, "rec.wrought: no body that can be seen is called \"ball\"", NULL},
    {"a frame of no bytes", EXPORT, NULL, NULL, 0, make_empty_frame,
     "rec.wrought: byte @: frame 0: stream 1: a block ends before its contents", NULL},
    {"no frames yet, exported", EXPORT, NULL, NULL, 0, make_unbegun,
     "rec.wrought: has no frames yet", NULL},
    {"no frames yet, drawn", "render rec.wrought -o out/keep.png", NULL, NULL, 0, make_unbegun,
     "rec.wrought: has no frames yet", NULL},
    {"a frame that is not there", "render rec.wrought -o out/keep.png --frame 900", NULL, NULL, 0,
     make_sound, "rec.wrought: has frames 0 to 6, not 900", NULL},
};
const int broken_recording_count = WRI_COUNT(broken_recordings);
