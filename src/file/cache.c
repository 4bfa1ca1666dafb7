// cache.c: point caches: the places of the vertices of one mesh, frame after frame.
//
// PC2 (POINTCACHE2, version 1, little endian), 32 bytes, then frames:
//     char magic[12] = "POINTCACHE2\0"; int32 version = 1; int32 points;
//     float start; float rate; int32 frames;          first frame's number, frames per sample
//     float places[frames][points][3];
// MDD (Motion Designer, big endian):
//     int32 frames; int32 points; float times[frames]; seconds
//     float places[frames][points][3];
// An MDD has the times of all frames before the first: room is left for the planned ones and closed
// up at the end when fewer came.
#include "out.h"

#include "wrought/file.h"

#include <math.h>

enum { COOKIE = 0x43414348, PC2_HEAD = 32, MDD_HEAD = 8, LARGEST = 1 << 30 };

static const char magic[12] = "POINTCACHE2";

static void store(uint8_t *bytes, uint32_t value, bool big)
{
    for (int i = 0; i < 4; i++) {
        bytes[big ? 3 - i : i] = (uint8_t)(value >> 8 * i);
    }
}

static void store_float(uint8_t *bytes, float value, bool big)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    store(bytes, bits, big);
}

static uint32_t load(const char *bytes, bool big)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        value |= (uint32_t)(uint8_t)bytes[big ? 3 - i : i] << 8 * i;
    }
    return value;
}

static float load_float(const char *bytes, bool big)
{
    uint32_t bits = load(bytes, big);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// --- writing ----------------------------------------------------------------------------------

struct wr_cache_writer {
    wr_cache_desc desc;
    wri_out *out;
    int frames; // added so far
};

wr_cache_desc wr_cache_desc_default(void)
{
    return (wr_cache_desc){
        .format = WR_CACHE_PC2, .rate_numerator = 60, .rate_denominator = 1, .cookie = COOKIE};
}

static bool check_desc(const wr_cache_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_cache_desc, desc, COOKIE)) {
        return false;
    }
    if (desc->point_count < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "point_count: %d, need at least 1",
                        desc->point_count);
    }
    if (desc->frame_count < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "frame_count: %d, need at least 1",
                        desc->frame_count);
    }
    if (desc->rate_numerator < 1 || desc->rate_denominator < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "rate: %d/%d is not positive", desc->rate_numerator,
                        desc->rate_denominator);
    }
    return true;
}

static void write_head(wri_out *out, const wr_cache_desc *desc)
{
    uint8_t head[PC2_HEAD] = {0};
    if (desc->format == WR_CACHE_PC2) {
        memcpy(head, magic, sizeof magic);
        store(head + 12, 1, false);
        store(head + 16, (uint32_t)desc->point_count, false);
        store_float(head + 20, 0.0f, false);
        store_float(head + 24, 1.0f, false);
        store(head + 28, (uint32_t)desc->frame_count, false);
        wri_out_bytes(out, head, PC2_HEAD);
        return;
    }
    store(head, (uint32_t)desc->frame_count, true);
    store(head + 4, (uint32_t)desc->point_count, true);
    wri_out_bytes(out, head, MDD_HEAD);
    for (int i = 0; i < desc->frame_count; i++) {
        store_float(head, (float)((double)i * desc->rate_denominator / desc->rate_numerator), true);
        wri_out_bytes(out, head, 4);
    }
}

wr_cache_writer *wr_cache_create(const char *path, const wr_cache_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    if (!check_desc(desc, error)) {
        return NULL;
    }
    wr_cache_writer *writer = wri_alloc(NULL, 1, sizeof *writer);
    if (!writer) {
        wri_fail_memory(error, sizeof *writer);
        return NULL;
    }
    writer->desc = *desc;
    writer->out = wri_out_create(path, error);
    if (!writer->out) {
        wr_cache_writer_destroy(writer);
        return NULL;
    }
    write_head(writer->out, desc);
    return writer;
}

void wr_cache_writer_destroy(wr_cache_writer *writer)
{
    if (writer) {
        wri_out_destroy(writer->out);
        wri_free(NULL, writer, 1, sizeof *writer);
    }
}

bool wr_cache_add_frame(wr_cache_writer *writer, const wr_vec3 *positions, wr_error *error)
{
    if (!WRI_REQUIRE(error, writer, positions)) {
        return false;
    }
    bool big = writer->desc.format == WR_CACHE_MDD;
    if (writer->frames == writer->desc.frame_count) {
        return wri_fail(error, WR_E_ARGUMENT, "more than the planned %d frames",
                        writer->desc.frame_count);
    }
    for (int i = 0; i < writer->desc.point_count; i++) {
        if (!wr_is_finite3(positions[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "frame %d: point %d is not finite",
                            writer->frames, i);
        }
    }
    for (int i = 0; i < writer->desc.point_count; i++) {
        uint8_t bytes[12];
        store_float(bytes, positions[i].x, big);
        store_float(bytes + 4, positions[i].y, big);
        store_float(bytes + 8, positions[i].z, big);
        wri_out_bytes(writer->out, bytes, sizeof bytes);
    }
    writer->frames++;
    return wri_out_flush(writer->out, error); // a full disk is told at the frame that met it
}

// Moves `size` bytes towards the beginning of the file.
static bool move_down(wri_file *file, int64_t from, int64_t to, int64_t size, wr_error *error)
{
    enum { PIECE = 1 << 20 };
    uint8_t *room = wri_alloc(NULL, PIECE, 1);
    bool ok = room != NULL || wri_fail_memory(error, PIECE);
    for (int64_t done = 0; ok && done < size;) {
        size_t some = size - done < PIECE ? (size_t)(size - done) : PIECE;
        ok = wri_file_read_at(file, from + done, room, some, error) &&
             wri_file_write_at(file, to + done, room, some, error);
        done += (int64_t)some;
    }
    if (room) {
        wri_free(NULL, room, PIECE, 1);
    }
    return ok;
}

// The header of a cache with fewer frames than planned.
static bool shorten(wr_cache_writer *writer, wr_error *error)
{
    wri_file *file = wri_out_file(writer->out);
    uint8_t count[4];
    if (writer->desc.format == WR_CACHE_PC2) {
        store(count, (uint32_t)writer->frames, false);
        return wri_file_write_at(file, 28, count, 4, error);
    }
    int64_t from = MDD_HEAD + 4 * (int64_t)writer->desc.frame_count;
    int64_t to = MDD_HEAD + 4 * (int64_t)writer->frames;
    int64_t size = 12 * (int64_t)writer->desc.point_count * writer->frames;
    store(count, (uint32_t)writer->frames, true);
    return move_down(file, from, to, size, error) && wri_file_write_at(file, 0, count, 4, error) &&
           wri_file_truncate(file, to + size, error);
}

bool wr_cache_finish(wr_cache_writer *writer, wr_error *error)
{
    if (!WRI_REQUIRE(error, writer)) {
        return false;
    }
    if (writer->frames == 0) {
        return wri_fail(error, WR_E_ARGUMENT, "a point cache without frames");
    }
    return wri_out_flush(writer->out, error) &&
           (writer->frames == writer->desc.frame_count || shorten(writer, error)) &&
           wri_out_finish(writer->out, error);
}

// --- reading ----------------------------------------------------------------------------------

struct cache_owner {
    wri_arena arena;
    wr_cache cache;
};

static bool fail_at(wr_error *error, const char *path, int byte, const char *what, long long number)
{
    return wri_fail(error, WR_E_FORMAT, "%s: byte %d: %s %lld", path, byte, what, number);
}

// Counts that fit the file exactly; *data is where the places begin.
static bool read_head(const char *path, const char *bytes, size_t size, wr_cache *cache,
                      size_t *data, wr_error *error)
{
    bool pc2 = size >= 11 && memcmp(bytes, magic, 11) == 0;
    size_t head = pc2 ? PC2_HEAD : MDD_HEAD;
    if (size < head) {
        return wri_fail(error, WR_E_FORMAT, "%s: byte %zu: the file ends within its header", path,
                        size);
    }
    cache->format = pc2 ? WR_CACHE_PC2 : WR_CACHE_MDD;
    if (pc2 && load(bytes + 12, false) != 1) {
        return fail_at(error, path, 12, "expected version 1, found",
                       (int32_t)load(bytes + 12, false));
    }
    int at_frames = pc2 ? 28 : 0, at_points = pc2 ? 16 : 4;
    int64_t frames = (int32_t)load(bytes + at_frames, !pc2);
    int64_t points = (int32_t)load(bytes + at_points, !pc2);
    int64_t rest = (int64_t)(size - head), each = 12 * points + (pc2 ? 0 : 4);
    if (points < 1) {
        return fail_at(error, path, at_points, "the number of points is", points);
    }
    if (frames < 1 || frames > rest / each) {
        return wri_fail(error, WR_E_FORMAT,
                        "%s: byte %d: %lld frames of %lld points do not fit into the file", path,
                        at_frames, (long long)frames, (long long)points);
    }
    if (frames * each != rest) {
        return fail_at(error, path, (int)(head + (size_t)(frames * each)),
                       "bytes follow the last frame:", rest - frames * each);
    }
    cache->frame_count = (int)frames;
    cache->point_count = (int)points;
    *data = head + (pc2 ? 0 : 4 * (size_t)frames);
    return true;
}

static bool read_body(const char *path, const char *bytes, wr_cache *cache, size_t data,
                      wr_error *error)
{
    bool big = cache->format == WR_CACHE_MDD;
    float start = big ? 0.0f : load_float(bytes + 20, false);
    float rate = big ? 0.0f : load_float(bytes + 24, false);
    for (int i = 0; i < cache->frame_count; i++) {
        cache->times[i] =
            big ? load_float(bytes + MDD_HEAD + 4 * (size_t)i, true) : start + rate * (float)i;
        if (!isfinite(cache->times[i])) {
            return fail_at(error, path, big ? MDD_HEAD + 4 * i : 20,
                           "not finite: the time of frame", i);
        }
    }
    float *out = &cache->positions[0].x;
    size_t count = 3 * (size_t)cache->frame_count * (size_t)cache->point_count;
    for (size_t i = 0; i < count; i++) {
        out[i] = load_float(bytes + data + 4 * i, big);
        if (!isfinite(out[i])) {
            return fail_at(error, path, (int)(data + 4 * i), "not finite: point",
                           (long long)(i / 3 % (size_t)cache->point_count));
        }
    }
    return true;
}

static wr_cache *read_cache(const char *path, const char *bytes, size_t size,
                            const wr_allocator *allocator, wr_error *error)
{
    wr_cache head = {0};
    size_t data = 0;
    if (!read_head(path, bytes, size, &head, &data, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator);
    struct cache_owner *owner = wri_arena_alloc(&arena, 1, sizeof *owner);
    size_t frames = (size_t)head.frame_count, points = frames * (size_t)head.point_count;
    head.times = owner ? wri_arena_alloc(&arena, frames, sizeof *head.times) : NULL;
    head.positions = head.times ? wri_arena_alloc(&arena, points, sizeof *head.positions) : NULL;
    bool ok = head.positions != NULL || wri_fail_memory(error, points * sizeof *head.positions);
    if (!ok || !read_body(path, bytes, &head, data, error)) {
        wri_arena_destroy(&arena);
        return NULL;
    }
    owner->arena = arena;
    owner->cache = head;
    owner->cache.memory = owner;
    return &owner->cache;
}

wr_cache *wr_cache_read(const char *path, const wr_allocator *allocator, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    size_t size = 0;
    char *bytes = wri_file_read(path, LARGEST, allocator, &size, error);
    if (!bytes) {
        return NULL;
    }
    wr_cache *cache = read_cache(path, bytes, size, allocator, error);
    wri_free(allocator, bytes, size + 1, 1);
    return cache;
}

void wr_cache_destroy(wr_cache *cache)
{
    if (cache) {
        wri_arena arena = ((struct cache_owner *)cache->memory)->arena;
        wri_arena_destroy(&arena);
    }
}
