// writer.c: starts, continues and ends a recording. docs/recording.md has the format.
//
// The file grows by whole chunks, each with one write at its end, so that at any moment everything
// but the last chunk is sound. Memory grows to its peak with the first frames and then stays.
#include "format.h"

#include "../file/asset.h"

#include <zstd.h>

enum {
    PACK_LEVEL = 3,
    PACK_LEVEL_WEIGHTS = 6, // saves 3 % of recordings with weights, for a sixth of the writing time
    PACK_LEAST = 32,        // smaller payloads never shrink
    INDEX_AHEAD = 1 << 16,
    SNAPSHOT_SHARE = 4, // frames take this many times the bytes of the snapshot before them, or
    SNAPSHOT_SECONDS = 3,
};

typedef struct packed_asset {
    uint8_t *bytes; // NULL until they are needed
    size_t size;
} packed_asset;

struct wr_record_writer {
    wri_file *file;
    char *path;
    wri_arena arena;
    int planned_frames;
    int64_t end;      // of the last whole chunk
    bool is_finished; // nothing can be added any more
    bool key_next;
    wr_error broken; // the failure that ended writing
    wri_record_index index;
    wri_frame_state state;
    wri_array payload;  // bytes before packing
    wri_array chunk;    // bytes as they go to the file
    wri_array snapshot; // bytes that a resumed run goes on from
    int rate_numerator, rate_denominator;
    struct {
        int frame; // -1: there is none
        int64_t size, end;
    } last_snapshot;
    bool has_new_looks; // they are others than those of the file that was resumed
    packed_asset *assets;
    int asset_count;
    ZSTD_CCtx *packer;
    int pack_level;
};

// --- chunks -----------------------------------------------------------------------------------

void wri_chunk_head_write(uint8_t *bytes, const wri_chunk_head *head)
{
    wri_write_little(bytes, head->kind, 4);
    wri_write_little(bytes + 4, head->flags, 4);
    wri_write_little(bytes + 8, head->stored_size, 4);
    wri_write_little(bytes + 12, head->raw_size, 4);
    wri_write_little(bytes + 16, head->checksum, 8);
}

uint64_t wri_chunk_checksum(const uint8_t *head, const void *payload, size_t size, int64_t offset)
{
    return wri_hash(payload, size, wri_hash(head, 16, (uint64_t)offset));
}

bool wri_chunk_sizes_are_sound(const wri_chunk_head *head)
{
    if (!(head->flags & WRI_CHUNK_PACKED)) {
        return head->stored_size == head->raw_size && head->raw_size <= WRI_CHUNK_LIMIT;
    }
    return head->stored_size < head->raw_size && head->raw_size <= WRI_CHUNK_LIMIT &&
           (head->raw_size <= WRI_CHUNK_FREE ||
            head->raw_size / WRI_CHUNK_RATIO <= head->stored_size);
}

// Bodies that bend by examples are those of assets.
int wri_record_version(const wr_record_info *info)
{
    return info->asset_count > 0 ? 4 : 3;
}

void wri_record_header_write(uint8_t *bytes, int version)
{
    // As in PNG: the high bit and the line ends show transfers that change text.
    memcpy(bytes, "\x89WRT\r\n\x1a\n", 8);
    wri_write_little(bytes + 8, (uint64_t)version, 4);
    wri_write_little(bytes + 12, (uint64_t)version, 4); // the oldest reader that can read it
    wri_write_little(bytes + 16, wri_hash(bytes, 16, 0), 8);
}

// Appends the chunk of these bytes to writer->chunk, whose beginning will lie at writer->end.
static bool pack_chunk(wr_record_writer *w, uint32_t kind, uint32_t flags, const void *raw,
                       size_t raw_size, wr_error *error)
{
    WR_ASSERT(raw_size <= WRI_CHUNK_LIMIT && (raw || raw_size == 0));
    size_t room = ZSTD_compressBound(raw_size);
    if (!wri_array_reserve(&w->chunk, w->chunk.count + WRI_CHUNK_HEAD_SIZE + (int)room)) {
        return wri_fail_memory(error, room);
    }
    uint8_t *head_bytes = (uint8_t *)w->chunk.items + w->chunk.count;
    uint8_t *payload = head_bytes + WRI_CHUNK_HEAD_SIZE;
    wri_chunk_head head = {
        .kind = kind, .flags = flags | WRI_CHUNK_PACKED, .raw_size = (uint32_t)raw_size};
    size_t packed = raw_size < PACK_LEAST
                        ? raw_size
                        : ZSTD_compressCCtx(w->packer, payload, room, raw, raw_size, w->pack_level);
    head.stored_size = ZSTD_isError(packed) ? head.raw_size : (uint32_t)packed;
    if (!wri_chunk_sizes_are_sound(&head)) { // it did not shrink, or too much to be trusted
        head.flags = flags;
        head.stored_size = head.raw_size;
        if (raw_size) {
            memcpy(payload, raw, raw_size);
        }
    }
    WR_ASSERT(wri_chunk_sizes_are_sound(&head)); // a reader asks the same
    wri_chunk_head_write(head_bytes, &head);
    head.checksum =
        wri_chunk_checksum(head_bytes, payload, head.stored_size, w->end + w->chunk.count);
    wri_chunk_head_write(head_bytes, &head);
    w->chunk.count += WRI_CHUNK_HEAD_SIZE + (int)head.stored_size;
    WR_ASSERT(w->chunk.count <= w->chunk.capacity);
    wri_index_add_share(&w->index, kind, WRI_CHUNK_HEAD_SIZE + (int64_t)head.stored_size);
    return true;
}

// Remembers the failure and takes back what may have reached the file of a broken chunk.
static bool break_off(wr_record_writer *w, const wr_error *reason, wr_error *error)
{
    WR_ASSERT(reason->code != WR_OK && w->broken.code == WR_OK);
    w->broken = *reason;
    (void)wri_file_truncate(w->file, w->end, NULL);
    return wri_fail(error, reason->code, "%s", reason->message);
}

// Writes what pack_chunk gathered.
static bool write_chunks(wr_record_writer *w, wr_error *error)
{
    wr_error reason = {0};
    size_t size = (size_t)w->chunk.count;
    WR_ASSERT(size >= WRI_CHUNK_HEAD_SIZE && w->end >= WRI_RECORD_HEADER_SIZE);
    if (!wri_file_write_at(w->file, w->end, w->chunk.items, size, &reason)) {
        return break_off(w, &reason, error);
    }
    w->end += w->chunk.count;
    w->chunk.count = 0;
    return true;
}

static bool add_chunk(wr_record_writer *w, uint32_t kind, uint32_t flags, const void *raw,
                      size_t raw_size, wr_error *error)
{
    WR_ASSERT(w->broken.code == WR_OK && !w->is_finished);
    wr_error reason = {0};
    w->chunk.count = 0;
    if (!pack_chunk(w, kind, flags, raw, raw_size, &reason)) {
        return break_off(w, &reason, error);
    }
    return write_chunks(w, error);
}

// --- beginning --------------------------------------------------------------------------------

static bool check_lists(const wr_record_info *info, wr_error *error)
{
    bool ok = WRI_REQUIRE_LIST(error, info->models, info->model_count) &&
              WRI_REQUIRE_LIST(error, info->assets, info->asset_count) &&
              WRI_REQUIRE_LIST(error, info->bodies, info->body_count) &&
              WRI_REQUIRE_LIST(error, info->manifolds, info->manifold_count) &&
              WRI_REQUIRE_LIST(error, info->skins, info->skin_count);
    for (int i = 0; ok && i < info->model_count; i++) {
        ok = WRI_REQUIRE(error, info->models[i]);
    }
    for (int i = 0; ok && i < info->asset_count; i++) {
        ok = WRI_REQUIRE(error, info->assets[i]);
    }
    for (int i = 0; ok && i < info->manifold_count; i++) {
        ok =
            WRI_REQUIRE_LIST(error, info->manifolds[i].simplices, info->manifolds[i].simplex_count);
    }
    return ok && wri_skins_check(info, error);
}

static wr_record_writer *writer_alloc(const char *path, const wr_record_info *info, wr_error *error)
{
    wr_record_writer *w = wri_alloc(NULL, 1, sizeof *w);
    if (!w) {
        wri_fail_memory(error, sizeof *w);
        return NULL;
    }
    w->arena = wri_arena_create(NULL);
    w->payload = wri_array_create(NULL, 1);
    w->chunk = wri_array_create(NULL, 1);
    w->snapshot = wri_array_create(NULL, 1);
    w->index.frames = wri_array_create(NULL, sizeof(wri_frame_entry));
    w->planned_frames = info->planned_frames;
    w->rate_numerator = info->rate_numerator;
    w->rate_denominator = info->rate_denominator;
    w->last_snapshot.frame = -1;
    w->key_next = true;
    w->path = wri_arena_text(&w->arena, path, strlen(path));
    w->packer = ZSTD_createCCtx();
    w->pack_level = info->asset_count > 0 ? PACK_LEVEL_WEIGHTS : PACK_LEVEL;
    w->assets = wri_arena_alloc(&w->arena, (size_t)info->asset_count, sizeof *w->assets);
    w->asset_count = w->assets ? info->asset_count : 0;
    int ahead = info->planned_frames < INDEX_AHEAD ? info->planned_frames + 1 : INDEX_AHEAD;
    if (!w->path || !w->packer || !w->assets || !wri_array_reserve(&w->index.frames, ahead)) {
        wri_fail_memory(error, strlen(path) + 1);
    } else if (wri_frame_state_create(&w->state, info, wri_record_version(info), error)) {
        return w;
    }
    wr_record_writer_destroy(w);
    return NULL;
}

// The description in parts: the info, the assets, the models.
static int part_count(const wr_record_info *info)
{
    return 1 + info->asset_count + info->model_count;
}

// 0: the part has no chunk.
static uint32_t part_kind(const wr_record_info *info, int part)
{
    WR_ASSERT(part >= 0 && part < part_count(info));
    int model = part - 1 - info->asset_count;
    return part == 0                          ? WRI_CHUNK_INFO
           : model < 0                        ? WRI_CHUNK_ASSET
           : wri_model_has_chunk(info, model) ? WRI_CHUNK_MODEL
                                              : 0;
}

// Packing takes time: it is done once.
static bool code_asset(wr_record_writer *w, const wr_asset *asset, int number, wr_error *error)
{
    WR_ASSERT(number >= 0 && number < w->asset_count);
    packed_asset *packed = &w->assets[number];
    wr_error why = {0};
    if (!packed->bytes &&
        !wri_asset_pack(asset, asset->name, &packed->bytes, &packed->size, &why)) {
        packed->bytes = NULL;
        return wri_fail(error, why.code, "%s: asset %d: %s", w->path, number, why.message);
    }
    wri_codec c = {.out = &w->payload};
    uint8_t *room = wri_codec_put(&c, packed->size);
    if (room) {
        memcpy(room, packed->bytes, packed->size);
    }
    return room || wri_fail(error, c.code, "%s: asset %d: %s", w->path, number, c.problem);
}

// Codes a part into payload.
static bool code_part(wr_record_writer *w, const wr_record_info *info, int part, wr_error *error)
{
    WR_ASSERT(part_kind(info, part) != 0);
    wri_codec c = {.out = &w->payload};
    w->payload.count = 0;
    if (part == 0) {
        wr_record_info copy = *info;
        wri_code_info(&c, &copy);
        return c.code == WR_OK || wri_fail(error, c.code, "%s: %s", w->path, c.problem);
    }
    if (part <= info->asset_count) {
        return code_asset(w, info->assets[part - 1], part - 1, error);
    }
    int model = part - 1 - info->asset_count;
    wr_model copy = *info->models[model];
    wri_code_model(&c, &copy);
    return c.code == WR_OK ||
           wri_fail(error, c.code, "%s: model %d: %s", w->path, model, c.problem);
}

// Finds what cannot be recorded before anything is replaced.
static bool check_description(wr_record_writer *w, const wr_record_info *info, wr_error *error)
{
    bool ok = true;
    for (int i = 0; ok && i < part_count(info); i++) {
        ok = !part_kind(info, i) || code_part(w, info, i, error);
    }
    return ok;
}

static void forget_assets(wr_record_writer *w)
{
    for (int i = 0; i < w->asset_count; i++) {
        if (w->assets[i].bytes) {
            wri_free(NULL, w->assets[i].bytes, w->assets[i].size, 1);
        }
        w->assets[i].bytes = NULL;
    }
}

// The description, at the beginning of a file that is locked.
static bool begin(wr_record_writer *w, const wr_record_info *info, wr_error *error)
{
    WR_ASSERT(w->index.frames.count == 0 && !w->is_finished && w->key_next);
    uint8_t header[WRI_RECORD_HEADER_SIZE];
    wri_record_header_write(header, wri_record_version(info));
    if (!wri_file_truncate(w->file, 0, error) ||
        !wri_file_write_at(w->file, 0, header, sizeof header, error)) {
        return false;
    }
    w->end = WRI_RECORD_HEADER_SIZE;
    w->index.share_count = 0;
    memset(w->index.shares, 0, sizeof w->index.shares);
    bool ok = true;
    for (int i = 0; ok && i < part_count(info); i++) {
        uint32_t kind = part_kind(info, i);
        ok = !kind || (code_part(w, info, i, error) &&
                       add_chunk(w, kind, 0, w->payload.items, (size_t)w->payload.count, error));
    }
    forget_assets(w);
    return ok;
}

wr_record_writer *wr_record_create(const char *path, const wr_record_info *info, wr_error *error)
{
    if (!WRI_REQUIRE(error, path, info) || !check_lists(info, error)) {
        return NULL;
    }
    wr_record_writer *w = writer_alloc(path, info, error);
    if (!w || !check_description(w, info, error)) {
        wr_record_writer_destroy(w);
        return NULL;
    }
    // Truncating comes after locking: the file may be another writer's.
    w->file = wri_file_open(path, wri_file_exists(path) ? WRI_FILE_UPDATE : WRI_FILE_CREATE, error);
    if (!w->file || !wri_file_lock(w->file, error) || !begin(w, info, error)) {
        wr_record_writer_destroy(w);
        return NULL;
    }
    return w;
}

void wr_record_writer_destroy(wr_record_writer *w)
{
    if (!w) {
        return;
    }
    (void)wri_file_close(w->file, NULL);
    forget_assets(w);
    wri_frame_state_destroy(&w->state);
    wri_array_destroy(&w->index.frames);
    wri_array_destroy(&w->payload);
    wri_array_destroy(&w->chunk);
    wri_array_destroy(&w->snapshot);
    wri_arena_destroy(&w->arena);
    (void)ZSTD_freeCCtx(w->packer);
    wri_free(NULL, w, 1, sizeof *w);
}

// --- resuming ---------------------------------------------------------------------------------

// True when the file is the beginning of the description that we would write: nothing is lost by
// writing it again.
static bool is_unbegun(wr_record_writer *w, const wr_record_info *info)
{
    int64_t size = wri_file_length(w->file);
    bool same = size >= 0 && wri_array_reserve(&w->chunk, WRI_RECORD_HEADER_SIZE);
    if (same) {
        wri_record_header_write(w->chunk.items, wri_record_version(info));
        w->chunk.count = WRI_RECORD_HEADER_SIZE;
    }
    w->end = 0;
    for (int part = 0; same; part++) {
        int64_t left = size - w->end;
        size_t count = left < w->chunk.count ? (size_t)left : (size_t)w->chunk.count;
        same = wri_array_reserve(&w->payload, (int)count + 1) &&
               wri_file_read_at(w->file, w->end, w->payload.items, count, NULL) &&
               memcmp(w->payload.items, w->chunk.items, count) == 0;
        w->end += w->chunk.count;
        if (!same || w->end >= size) {
            break;
        }
        w->chunk.count = 0;
        same = part < part_count(info);
        uint32_t kind = same ? part_kind(info, part) : 0;
        same = same && (!kind ||
                        (code_part(w, info, part, NULL) &&
                         pack_chunk(w, kind, 0, w->payload.items, (size_t)w->payload.count, NULL)));
    }
    return same;
}

static bool check_same(const char *path, const wr_record_reader *old, const wr_record_info *info,
                       wr_error *error)
{
    const wr_record_info *is = &old->info;
    int version = wri_record_version(info);
    if ((int)old->version != version) {
        return wri_fail(error, WR_E_UNSUPPORTED,
                        "%s: was written by %s version (format %u, this is %d); it can be read "
                        "but not continued",
                        path, (int)old->version > version ? "a later" : "an earlier",
                        (unsigned)old->version, version);
    }
    if (is->scene_hash != info->scene_hash) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "%s: was made from another scene or other settings (%016llx, this is "
                        "%016llx); it was left as it is",
                        path, (unsigned long long)is->scene_hash,
                        (unsigned long long)info->scene_hash);
    }
    const struct {
        const char *what;
        int is, wanted;
    } numbers[] = {
        {"rate numerator", is->rate_numerator, info->rate_numerator},
        {"rate denominator", is->rate_denominator, info->rate_denominator},
        {"substeps", is->substeps, info->substeps},
        {"planned frames", is->planned_frames, info->planned_frames},
        {"models", is->model_count, info->model_count},
        {"assets", is->asset_count, info->asset_count},
        {"bodies", is->body_count, info->body_count},
        {"skins", is->skin_count, info->skin_count},
    };
    for (int i = 0; i < WRI_COUNT(numbers); i++) {
        if (numbers[i].is != numbers[i].wanted) {
            return wri_fail(error, WR_E_ARGUMENT, "%s: %s: %d there, %d here; it was left as it is",
                            path, numbers[i].what, numbers[i].is, numbers[i].wanted);
        }
    }
    return true;
}

static bool adopt_frames(wr_record_writer *w, const wr_record_reader *old, int count,
                         wr_error *error)
{
    const wri_frame_entry *entries = old->index.frames.items;
    WR_ASSERT(w->index.frames.count == 0);
    for (int i = 0; i < count; i++) {
        if (!wri_index_add_frame(&w->index, entries[i].offset, entries[i].key == i)) {
            return wri_fail_memory(error, sizeof *entries);
        }
    }
    return true;
}

// The chunk that begins at this offset and ends the file is the snapshot of a frame; frame -1:
// there is none.
static void note_snapshot(wr_record_writer *w, int frame, int64_t offset)
{
    w->last_snapshot.frame = frame;
    w->last_snapshot.size = w->end - offset;
    w->last_snapshot.end = w->end;
}

// Takes over what is sound up to the last snapshot, whose frame `old` has read.
static bool adopt(wr_record_writer *w, wr_record_reader *old, int frame, wr_error *error)
{
    WR_ASSERT(frame < 0 || old->at == frame);
    if (!adopt_frames(w, old, frame + 1, error)) {
        return false;
    }
    for (int i = w->state.first_count; frame >= 0 && i < old->state.bodies.count; i++) {
        if (!wri_frame_add_body(&w->state, &WRI_ITEM(old->state.bodies, wr_record_body, i))) {
            return wri_fail_memory(error, sizeof(wr_record_body));
        }
    }
    w->index.share_count = old->snapshot.share_count;
    memcpy(w->index.shares, old->snapshot.shares, sizeof w->index.shares);
    w->end = old->snapshot.end;
    note_snapshot(w, frame, old->snapshot.offset);
    w->index.looks = old->index.looks < w->end ? old->index.looks : 0;
    return true;
}

// Takes over a finished recording as a whole, to go on behind its end.
static bool adopt_finished(wr_record_writer *w, const wr_record_reader *old, wr_error *error)
{
    w->index.share_count = old->index.share_count;
    memcpy(w->index.shares, old->index.shares, sizeof w->index.shares);
    w->end = old->end;
    w->is_finished = false;
    return adopt_frames(w, old, old->index.frames.count, error);
}

static bool keep_snapshot(wr_record_writer *w, wr_record_reader *old, const void **snapshot,
                          size_t *snapshot_size, wr_error *error)
{
    const void *bytes;
    if (!wri_record_read_snapshot(old, &bytes, snapshot_size, error)) {
        return false;
    }
    uint8_t *copy =
        wri_array_add(&w->snapshot, (int)*snapshot_size + 1); // so that it is never NULL
    if (!copy) {
        return wri_fail_memory(error, *snapshot_size);
    }
    memcpy(copy, bytes, *snapshot_size);
    *snapshot = copy;
    return true;
}

static bool go_on(wr_record_writer *w, wr_record_reader *old, int *frame, const void **snapshot,
                  size_t *snapshot_size, wr_error *error)
{
    *frame = old->snapshot.frame;
    WR_ASSERT(*frame >= -1 && *frame < old->index.frames.count);
    // Finished recordings stay as they are, with a snapshot at their end or not.
    w->is_finished = old->has_footer && old->index.is_complete;
    if (w->is_finished && *frame != old->index.frames.count - 1) {
        *frame = old->index.frames.count - 1;
        return true;
    }
    if (*frame >= 0 && (!wr_record_read_frame(old, *frame, error) ||
                        !keep_snapshot(w, old, snapshot, snapshot_size, error))) {
        return false;
    }
    return w->is_finished ||
           (adopt(w, old, *frame, error) && wri_file_truncate(w->file, w->end, error));
}

static bool code_looks(wr_record_writer *w, const wr_record_info *info, wri_array *out,
                       wr_error *error)
{
    wri_codec c = {.out = out};
    wr_record_info copy = *info;
    wri_code_looks(&c, &copy);
    return c.code == WR_OK || wri_fail(error, c.code, "%s: %s", w->path, c.problem);
}

static bool add_looks(wr_record_writer *w, const wr_record_reader *old, const wri_array *looks,
                      wr_error *error)
{
    bool is_finished = w->is_finished;
    if (is_finished && !adopt_finished(w, old, error)) {
        return false;
    }
    w->index.looks = w->end;
    return add_chunk(w, WRI_CHUNK_LOOKS, 0, looks->items, (size_t)looks->count, error) &&
           (!is_finished || wr_record_finish(w, true, error));
}

// Looks that differ from the recorded ones, or were cut off behind the snapshot, are appended: what
// was there is never touched, so that nothing is lost if this breaks off.
static bool renew_looks(wr_record_writer *w, const wr_record_reader *old,
                        const wr_record_info *info, wr_error *error)
{
    wri_array is = wri_array_create(NULL, 1), wanted = wri_array_create(NULL, 1);
    bool ok = code_looks(w, &old->info, &is, error) && code_looks(w, info, &wanted, error);
    w->has_new_looks =
        ok && (is.count != wanted.count || memcmp(is.items, wanted.items, (size_t)is.count) != 0);
    bool were_cut = !w->is_finished && old->index.looks >= w->end;
    ok = ok && ((!w->has_new_looks && !were_cut) || add_looks(w, old, &wanted, error));
    wri_array_destroy(&is);
    wri_array_destroy(&wanted);
    return ok;
}

wr_record_writer *wr_record_resume(const char *path, const wr_record_info *info, int *frame,
                                   const void **snapshot, size_t *snapshot_size, wr_error *error)
{
    if (!WRI_REQUIRE(error, path, info, frame, snapshot, snapshot_size) ||
        !check_lists(info, error)) {
        return NULL;
    }
    *frame = -1;
    *snapshot = NULL;
    *snapshot_size = 0;
    wr_record_writer *w = writer_alloc(path, info, error);
    if (!w) {
        return NULL;
    }
    w->file = wri_file_open(path, WRI_FILE_UPDATE, error);
    bool ok = w->file && wri_file_lock(w->file, error);
    if (ok) {
        wr_error reason = {0};
        wr_record_reader *old = wri_record_open_walking(w->file, path, &reason);
        if (old) {
            ok = check_same(path, old, info, error) &&
                 go_on(w, old, frame, snapshot, snapshot_size, error) &&
                 renew_looks(w, old, info, error);
            wr_record_close(old);
        } else if (is_unbegun(w, info)) {
            ok = begin(w, info, error);
        } else {
            ok = wri_fail(error, reason.code, "%s", reason.message);
        }
    }
    if (!ok) {
        wr_record_writer_destroy(w);
        return NULL;
    }
    return w;
}

bool wr_record_has_new_looks(const wr_record_writer *w)
{
    return w->has_new_looks;
}

// --- frames -----------------------------------------------------------------------------------

static bool check_open(const wr_record_writer *w, wr_error *error)
{
    if (w->broken.code != WR_OK) {
        return wri_fail(error, w->broken.code, "%s", w->broken.message);
    }
    return !w->is_finished ||
           wri_fail(error, WR_E_ARGUMENT, "%s: the recording is finished", w->path);
}

bool wr_record_add_frame(wr_record_writer *w, const wr_frame *frame, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "writer, frame", w, frame)) {
        return false;
    }
    int number = w->index.frames.count;
    if (!check_open(w, error)) {
        return false;
    }
    if (frame->index != number || number > w->planned_frames) {
        return wri_fail(error, WR_E_ARGUMENT, "%s: frame %d is added as number %d of 0 to %d",
                        w->path, frame->index, number, w->planned_frames);
    }
    if (!wri_frame_check(&w->state, frame, error)) {
        return false;
    }
    wr_frame copy = *frame;
    wri_codec c = {.out = &w->payload};
    w->payload.count = 0;
    wri_code_frame(&c, &w->state, &copy, w->key_next);
    if (c.code == WR_OK && !wri_index_add_frame(&w->index, w->end, w->key_next)) {
        c.code = WR_E_MEMORY;
    }
    if (c.code != WR_OK) { // the state has moved on: there is no way back
        wr_error reason;
        wri_fail(&reason, c.code, "%s: frame %d: %s", w->path, number, c.problem);
        return break_off(w, &reason, error);
    }
    WR_ASSERT(copy.body_count == w->state.bodies.count && (number > 0 || w->key_next));
    bool is_key = w->key_next;
    w->key_next = false;
    return add_chunk(w, WRI_CHUNK_FRAME, is_key ? WRI_CHUNK_KEY : 0, w->payload.items,
                     (size_t)w->payload.count, error);
}

bool wr_record_add_snapshot(wr_record_writer *w, const void *bytes, size_t size, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "writer, bytes", w, bytes)) {
        return false;
    }
    if (!check_open(w, error)) {
        return false;
    }
    if (w->index.frames.count == 0) {
        return wri_fail(error, WR_E_ARGUMENT, "%s: a snapshot before the first frame", w->path);
    }
    if (size > WRI_CHUNK_LIMIT) {
        return wri_fail(error, WR_E_UNSUPPORTED, "%s: a snapshot of %zu bytes, expected at most %d",
                        w->path, size, WRI_CHUNK_LIMIT);
    }
    wr_error reason = {0};
    int64_t offset = w->end;
    if (!add_chunk(w, WRI_CHUNK_SNAPSHOT, 0, bytes, size, error)) {
        return false;
    }
    note_snapshot(w, w->index.frames.count - 1, offset);
    w->key_next = true;
    return wri_file_sync(w->file, &reason) || break_off(w, &reason, error);
}

bool wr_record_snapshot_is_due(const wr_record_writer *w)
{
    if (!WRI_REQUIRE(NULL, w)) {
        return false;
    }
    int64_t frames = w->index.frames.count - 1 - w->last_snapshot.frame;
    return w->last_snapshot.frame < 0 ||
           w->end - w->last_snapshot.end >= SNAPSHOT_SHARE * w->last_snapshot.size ||
           frames * w->rate_denominator >= (int64_t)SNAPSHOT_SECONDS * w->rate_numerator;
}

bool wr_record_finish(wr_record_writer *w, bool complete, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "writer", w)) {
        return false;
    }
    if (w->is_finished && complete) { // resumed, and there was nothing left to do
        return true;
    }
    if (!check_open(w, error)) {
        return false;
    }
    if (complete && w->index.frames.count != w->planned_frames + 1) {
        return wri_fail(error, WR_E_ARGUMENT, "%s: complete with %d frames, expected %d", w->path,
                        w->index.frames.count, w->planned_frames + 1);
    }
    WR_ASSERT(w->index.frames.count <= w->planned_frames + 1);
    wri_codec c = {.out = &w->payload};
    w->payload.count = w->chunk.count = 0;
    w->index.is_complete = complete;
    wri_code_index(&c, &w->index);
    wr_error reason = {0};
    uint8_t place[8];
    wri_write_little(place, (uint64_t)w->end, 8);
    bool ok = c.code == WR_OK ? pack_chunk(w, WRI_CHUNK_INDEX, 0, w->payload.items,
                                           (size_t)w->payload.count, &reason) &&
                                    pack_chunk(w, WRI_CHUNK_FOOTER, 0, place, 8, &reason)
                              : wri_fail(&reason, c.code, "%s: %s", w->path, c.problem);
    if (!ok) {
        return break_off(w, &reason, error);
    }
    w->is_finished = write_chunks(w, error);
    return w->is_finished;
}
