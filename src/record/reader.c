// reader.c: opens recordings that may be damaged, hostile or still growing.
//
// Nothing from the file is used before its checksum is right and its numbers are within bounds.
// The index of a finished file is believed only as far as the frames it points to turn out to
// be frames.
#include "format.h"
#include "record.h"

#include "../file/asset.h"

#include <stdio.h>
#include <zstd.h>

// --- chunks -----------------------------------------------------------------------------------

static bool fail_at(const wr_record_reader *r, int64_t offset, const char *what, wr_error *error)
{
    return wri_fail(error, WR_E_FORMAT, "%s: byte %lld: %s", r->path, (long long)offset, what);
}

static bool fail_codec(const wr_record_reader *r, const wri_codec *c, int64_t offset,
                       const char *where, wr_error *error)
{
    return wri_fail(error, c->code, "%s: byte %lld: %s: %s", r->path, (long long)offset, where,
                    c->problem);
}

// Makes room for `size` bytes, whose contents do not matter.
static bool make_room(wri_array *bytes, size_t size, wr_error *error)
{
    WR_ASSERT(size <= WRI_CHUNK_LIMIT);
    bytes->item_size = 1;
    bytes->count = 0;
    return wri_array_reserve(bytes, (int)size + 1) || wri_fail_memory(error, size);
}

// Reads the chunk into r->stored and checks it. A damaged chunk is WR_E_FORMAT.
static bool load_chunk(wr_record_reader *r, int64_t offset, wri_chunk_head *head, wr_error *error)
{
    uint8_t bytes[WRI_CHUNK_HEAD_SIZE];
    WR_ASSERT(offset >= WRI_RECORD_HEADER_SIZE);
    if (r->size - offset < WRI_CHUNK_HEAD_SIZE) {
        return fail_at(r, offset, "the file ends here, inside a chunk", error);
    }
    if (!wri_file_read_at(r->file, offset, bytes, sizeof bytes, error)) {
        return false;
    }
    *head = (wri_chunk_head){
        .kind = (uint32_t)wri_read_little(bytes, 4),
        .flags = (uint32_t)wri_read_little(bytes + 4, 4),
        .stored_size = (uint32_t)wri_read_little(bytes + 8, 4),
        .raw_size = (uint32_t)wri_read_little(bytes + 12, 4),
        .checksum = wri_read_little(bytes + 16, 8),
    };
    if (!wri_chunk_sizes_are_sound(head)) {
        return fail_at(r, offset, "a chunk with impossible sizes", error);
    }
    if (r->size - offset - WRI_CHUNK_HEAD_SIZE < (int64_t)head->stored_size) {
        return fail_at(r, offset, "a chunk that goes on behind the end of the file", error);
    }
    if (!make_room(&r->stored, head->stored_size, error) ||
        !wri_file_read_at(r->file, offset + WRI_CHUNK_HEAD_SIZE, r->stored.items, head->stored_size,
                          error)) {
        return false;
    }
    return wri_chunk_checksum(bytes, r->stored.items, head->stored_size, offset) ==
               head->checksum ||
           fail_at(r, offset, "a damaged chunk (its checksum is wrong)", error);
}

// The contents of the chunk that was loaded last.
static bool unpack_chunk(wr_record_reader *r, const wri_chunk_head *head, int64_t offset,
                         const uint8_t **bytes, wr_error *error)
{
    WR_ASSERT(wri_chunk_sizes_are_sound(head)); // else it was not loaded
    if (!(head->flags & WRI_CHUNK_PACKED)) {
        *bytes = r->stored.items;
        return true;
    }
    if (!make_room(&r->raw, head->raw_size, error)) {
        return false;
    }
    *bytes = r->raw.items;
    if (ZSTD_decompressDCtx(r->unpacker, r->raw.items, head->raw_size, r->stored.items,
                            head->stored_size) != head->raw_size) {
        return fail_at(r, offset, "a chunk that does not unpack to its size", error);
    }
    return true;
}

// A chunk that must be of this kind.
static bool read_chunk(wr_record_reader *r, int64_t offset, uint32_t kind, wri_chunk_head *head,
                       wri_codec *c, wr_error *error)
{
    const uint8_t *bytes;
    if (!load_chunk(r, offset, head, error)) {
        return false;
    }
    if (head->kind != kind) {
        char what[64] = "a chunk of another kind than ????";
        wri_write_little((uint8_t *)what + strlen(what) - 4, kind, 4);
        return fail_at(r, offset, what, error);
    }
    if (!unpack_chunk(r, head, offset, &bytes, error)) {
        return false;
    }
    *c = (wri_codec){.at = bytes, .end = bytes + head->raw_size, .arena = &r->arena};
    return true;
}

static int64_t chunk_size(const wri_chunk_head *head)
{
    return WRI_CHUNK_HEAD_SIZE + (int64_t)head->stored_size;
}

// --- opening ----------------------------------------------------------------------------------

static bool read_header(wr_record_reader *r, wr_error *error)
{
    uint8_t ours[WRI_RECORD_HEADER_SIZE], bytes[WRI_RECORD_HEADER_SIZE] = {0};
    size_t size = r->size < WRI_RECORD_HEADER_SIZE ? (size_t)r->size : sizeof bytes;
    wri_record_header_write(ours, WRI_RECORD_VERSION);
    if (!wri_file_read_at(r->file, 0, bytes, size, error)) {
        return false;
    }
    if (size < sizeof bytes || memcmp(bytes, ours, 8) != 0) {
        return wri_fail(error, WR_E_FORMAT, "%s: is not a recording", r->path);
    }
    if (wri_read_little(bytes + 16, 8) != wri_hash(bytes, 16, 0)) {
        return fail_at(r, 0, "a damaged header (its checksum is wrong)", error);
    }
    r->version = (uint32_t)wri_read_little(bytes + 8, 4);
    uint32_t oldest = (uint32_t)wri_read_little(bytes + 12, 4);
    return oldest <= WRI_RECORD_VERSION ||
           wri_fail(error, WR_E_UNSUPPORTED,
                    "%s: needs a reader of format %u or later, this one reads %d", r->path,
                    (unsigned)oldest, WRI_RECORD_VERSION);
}

static bool read_model(wr_record_reader *r, int number, wri_chunk_head *head,
                       const wr_model **model, wr_error *error)
{
    WR_ASSERT(number >= 0 && number < r->info.model_count);
    wri_codec c;
    if (!read_chunk(r, r->begin, WRI_CHUNK_MODEL, head, &c, error)) {
        return false;
    }
    wr_model *m = wri_codec_alloc(&c, 1, sizeof *m);
    if (m) {
        wri_code_model(&c, m);
    }
    if (c.code != WR_OK) {
        char where[32];
        snprintf(where, sizeof where, "model %d", number);
        return fail_codec(r, &c, r->begin, where, error);
    }
    *model = m;
    return true;
}

static bool read_asset(wr_record_reader *r, int number, wri_chunk_head *head, wr_error *error)
{
    WR_ASSERT(number >= 0 && number < r->info.asset_count && !r->assets[number]);
    wri_codec c;
    if (!read_chunk(r, r->begin, WRI_CHUNK_ASSET, head, &c, error)) {
        return false;
    }
    const char *where = wri_arena_printf(&r->arena, "%s: byte %lld: asset %d", r->path,
                                         (long long)r->begin, number);
    if (!where) {
        return wri_fail_memory(error, strlen(r->path));
    }
    r->assets[number] = wri_asset_unpack(where, c.at, wri_codec_left(&c), NULL, error);
    return r->assets[number] != NULL;
}

static bool fill_model(wr_record_reader *r, int number, const wr_model **model, wr_error *error)
{
    wri_chunk_head head;
    if (!wri_model_has_chunk(&r->info, number)) {
        WR_ASSERT(r->info.rigs[number].asset < r->info.asset_count); // all were read before
        const wr_record_rig *rig = &r->info.rigs[number];
        const wr_asset *source = r->assets[rig->asset];
        if (rig->fragment > source->fracture.fragment_count) {
            return fail_at(r, r->begin, "a fragment that its asset does not have", error);
        }
        *model = rig->fragment == 0
                     ? source->model
                     : wri_asset_fragment(source, rig->fragment - 1, rig->scale, &r->arena);
        return *model || wri_fail_memory(error, 1);
    }
    if (!read_model(r, number, &head, model, error)) {
        return false;
    }
    wri_index_add_share(&r->index, head.kind, chunk_size(&head));
    r->begin += chunk_size(&head);
    const wr_asset *asset = wr_record_asset(&r->info, &(wr_record_body){.model = number}, NULL);
    int count = (*model)->meshes->vertex_count;
    return !asset || count == asset->rig.ride_count ||
           wri_fail(error, WR_E_FORMAT, "%s: byte %lld: model %d: %d vertices, its asset has %d",
                    r->path, (long long)r->begin, number, count, asset->rig.ride_count);
}

static bool read_assets(wr_record_reader *r, wr_error *error)
{
    size_t count = (size_t)r->info.asset_count;
    r->assets = wri_arena_alloc(&r->arena, count, sizeof *r->assets);
    if (!r->assets) {
        return wri_fail_memory(error, count * sizeof *r->assets);
    }
    r->info.assets = (const wr_asset *const *)r->assets;
    for (int i = 0; i < r->info.asset_count; i++) {
        wri_chunk_head head;
        if (!read_asset(r, i, &head, error)) {
            return false;
        }
        wri_index_add_share(&r->index, head.kind, chunk_size(&head));
        r->begin += chunk_size(&head);
    }
    return true;
}

// -1 where there is no asset.
static int example_count(const wr_record_reader *r, const wr_record_body *body)
{
    const wr_asset *asset = wr_record_asset(&r->info, body, NULL);
    return asset ? asset->rig.example_count : -1;
}

static bool check_manifolds(const wr_record_reader *r, wr_error *error)
{
    for (int i = 0; i < r->info.manifold_count; i++) {
        const wr_record_manifold *m = &r->info.manifolds[i];
        WR_ASSERT(m->body >= 0 && m->body < r->info.body_count);
        int count = example_count(r, &r->info.bodies[m->body]);
        bool ok = count >= 0;
        for (int k = 0; k < m->simplex_count; k++) {
            for (int n = 0; n < m->simplices[k].corner_count; n++) {
                ok = ok && m->simplices[k].corners[n] < count;
            }
        }
        if (!ok) {
            return fail_at(r, r->begin, "a pose manifold of examples that are not there", error);
        }
    }
    return true;
}

static bool check_skins(const wr_record_reader *r, wr_error *error)
{
    wr_error why = {0};
    return wri_skins_check(&r->info, &why) || fail_at(r, r->begin, why.message, error);
}

// Whoever draws a blend looks its examples up.
static bool check_blends(const wr_record_reader *r, const wr_frame *frame)
{
    bool ok = true;
    for (int i = 0; i < frame->blend_count; i++) {
        const wr_record_blend *b = &frame->blends[i];
        WR_ASSERT(b->body >= 0 && b->body < r->state.bodies.count);
        int count = example_count(r, &WRI_ITEM(r->state.bodies, wr_record_body, b->body));
        for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
            ok = ok && b->looks.examples[k] < count && b->wishes.examples[k] < count;
        }
    }
    return ok;
}

static bool read_description(wr_record_reader *r, wr_error *error)
{
    wri_codec c;
    wri_chunk_head head;
    r->begin = WRI_RECORD_HEADER_SIZE;
    WR_ASSERT(r->index.share_count == 0); // the shares are counted from here on
    if (!read_chunk(r, r->begin, WRI_CHUNK_INFO, &head, &c, error)) {
        return false;
    }
    wri_code_info(&c, &r->info);
    if (c.code != WR_OK) {
        return fail_codec(r, &c, r->begin, "description", error);
    }
    wri_index_add_share(&r->index, head.kind, chunk_size(&head));
    r->begin += chunk_size(&head);
    // Without rigs, of which there are no more than bytes, the number of models is only a claim.
    int64_t chunks = r->info.asset_count;
    for (int i = 0; r->info.rigs && i < r->info.model_count; i++) {
        chunks += wri_model_has_chunk(&r->info, i);
    }
    chunks += r->info.rigs ? 0 : r->info.model_count;
    if (chunks > (r->size - r->begin) / WRI_CHUNK_HEAD_SIZE) {
        return fail_at(r, r->begin, "the file ends before its models", error);
    }
    size_t count = (size_t)r->info.model_count;
    const wr_model **models = wri_arena_alloc(&r->arena, count, sizeof *models);
    if (!models) {
        return wri_fail_memory(error, count * sizeof *models);
    }
    r->info.models = models;
    bool ok = read_assets(r, error);
    for (int i = 0; ok && i < r->info.model_count; i++) {
        ok = fill_model(r, i, &models[i], error);
    }
    return ok && check_manifolds(r, error) && check_skins(r, error) &&
           wri_frame_state_create(&r->state, &r->info, (int)r->version, error);
}

// Looks that were changed after the recording began take the place of those before them. False:
// they are not sound, and nothing has changed.
static bool take_looks(wr_record_reader *r, wri_codec *c)
{
    size_t size = sizeof(wr_record_body) * (size_t)r->info.body_count;
    wr_record_info info = r->info;
    wr_record_body *bodies = wri_arena_alloc(&r->arena, (size_t)info.body_count, sizeof *bodies);
    if (!bodies) {
        return false;
    }
    if (size) {
        memcpy(bodies, info.bodies, size);
    }
    info.bodies = bodies;
    wri_code_looks(c, &info);
    if (c->code != WR_OK) {
        return false;
    }
    r->info = info;
    if (size) { // those born since keep their own
        memcpy(r->state.bodies.items, bodies, size);
    }
    return true;
}

// Everything the chunk at r->end says about what is where. False: it is out of place.
static bool note_chunk(wr_record_reader *r, const wri_chunk_head *head)
{
    WR_ASSERT(r->end >= r->begin && chunk_size(head) <= r->size - r->end);
    int count = r->index.frames.count;
    bool is_key = head->flags & WRI_CHUNK_KEY;
    if ((head->kind == WRI_CHUNK_FRAME && count == 0 && !is_key) ||
        (head->kind == WRI_CHUNK_SNAPSHOT && count == 0)) {
        return false;
    }
    wri_index_add_share(&r->index, head->kind, chunk_size(head));
    r->has_footer = head->kind == WRI_CHUNK_FOOTER;
    if (head->kind == WRI_CHUNK_FRAME) {
        r->index.is_complete = false;
        return wri_index_add_frame(&r->index, r->end, is_key);
    }
    if (head->kind == WRI_CHUNK_SNAPSHOT) {
        r->snapshot.frame = count - 1;
        r->snapshot.offset = r->end;
        r->snapshot.end = r->end + chunk_size(head);
        r->snapshot.share_count = r->index.share_count;
        memcpy(r->snapshot.shares, r->index.shares, sizeof r->index.shares);
    }
    return true;
}

// Goes on from r->end to the first chunk that is not whole; what lies before counts.
static bool walk(wr_record_reader *r, wr_error *error)
{
    for (;;) {
        wri_chunk_head head;
        wr_error reason = {0};
        const uint8_t *bytes;
        WR_ASSERT(r->end >= r->begin && r->end <= r->size);
        if (r->end == r->size) {
            return true;
        }
        if (!load_chunk(r, r->end, &head, &reason)) {
            return reason.code == WR_E_FORMAT || wri_fail(error, reason.code, "%s", reason.message);
        }
        if (!note_chunk(r, &head)) {
            return true;
        }
        if (head.kind == WRI_CHUNK_INDEX && unpack_chunk(r, &head, r->end, &bytes, NULL)) {
            r->index.is_complete = head.raw_size > 0 && bytes[0] == 1;
        }
        if (head.kind == WRI_CHUNK_LOOKS) {
            wri_codec c;
            if (!read_chunk(r, r->end, WRI_CHUNK_LOOKS, &head, &c, NULL) || !take_looks(r, &c)) {
                return true;
            }
            r->index.looks = r->end;
        }
        r->end += chunk_size(&head);
    }
}

// Takes the index of a finished file. False: there is none that is sound.
static bool read_index(wr_record_reader *r)
{
    wri_chunk_head foot, head;
    wri_codec c;
    uint64_t offset = 0;
    int64_t end = r->size - WRI_FOOTER_SIZE;
    if (end < r->begin || !read_chunk(r, end, WRI_CHUNK_FOOTER, &foot, &c, NULL)) {
        return false;
    }
    wri_code_u64(&c, &offset);
    if (c.code != WR_OK || offset < (uint64_t)r->begin || offset >= (uint64_t)end ||
        !read_chunk(r, (int64_t)offset, WRI_CHUNK_INDEX, &head, &c, NULL) ||
        (int64_t)offset + chunk_size(&head) != end) {
        return false;
    }
    wri_record_index index = {0};
    wri_code_index(&c, &index);
    const wri_frame_entry *entries = index.frames.items;
    int count = index.frames.count;
    bool ok =
        c.code == WR_OK &&
        (!count || (entries[0].offset >= r->begin && entries[count - 1].offset < (int64_t)offset));
    if (ok && index.looks) {
        wri_chunk_head looks;
        ok = index.looks >= r->begin && index.looks < (int64_t)offset &&
             read_chunk(r, index.looks, WRI_CHUNK_LOOKS, &looks, &c, NULL) && take_looks(r, &c);
    }
    if (!ok) {
        wri_array_destroy(&index.frames);
        return false;
    }
    WR_ASSERT(r->index.frames.count == 0 && r->index.share_count > 0);
    r->index = index;
    wri_index_add_share(&r->index, head.kind, chunk_size(&head));
    wri_index_add_share(&r->index, foot.kind, chunk_size(&foot));
    r->has_footer = true;
    r->end = r->size;
    return true;
}

static bool open_file(wr_record_reader *r, const char *path, bool is_walking, wr_error *error)
{
    r->path = wri_arena_text(&r->arena, path, strlen(path));
    r->unpacker = ZSTD_createDCtx();
    if (!r->path || !r->unpacker) {
        return wri_fail_memory(error, strlen(path) + 1);
    }
    r->size = wri_file_length(r->file);
    if (!read_header(r, error) || !read_description(r, error)) {
        return false;
    }
    r->end = r->snapshot.end = r->begin;
    r->snapshot.frame = -1;
    r->snapshot.share_count = r->index.share_count;
    memcpy(r->snapshot.shares, r->index.shares, sizeof r->index.shares);
    return (!is_walking && read_index(r)) || walk(r, error);
}

static wr_record_reader *reader_alloc(wr_error *error)
{
    wr_record_reader *r = wri_alloc(NULL, 1, sizeof *r);
    if (!r) {
        wri_fail_memory(error, sizeof *r);
        return NULL;
    }
    r->arena = wri_arena_create(NULL);
    r->at = -1;
    return r;
}

const char *wri_record_path(wri_arena *arena, const char *path)
{
    return wri_is_folder(path) ? wri_path_join(arena, path, WR_RECORD_FILE) : path;
}

wr_record_reader *wr_record_open(const char *path, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    wr_record_reader *r = reader_alloc(error);
    if (!r) {
        return NULL;
    }
    r->owns_file = true;
    r->file = wri_file_open(path, WRI_FILE_READ, error);
    if (!r->file || !open_file(r, path, false, error)) {
        wr_record_close(r);
        return NULL;
    }
    return r;
}

wr_record_reader *wri_record_open_walking(wri_file *file, const char *path, wr_error *error)
{
    wr_record_reader *r = reader_alloc(error);
    if (!r) {
        return NULL;
    }
    r->file = file;
    if (!open_file(r, path, true, error)) {
        wr_record_close(r);
        return NULL;
    }
    return r;
}

void wr_record_close(wr_record_reader *r)
{
    if (!r) {
        return;
    }
    if (r->owns_file) {
        (void)wri_file_close(r->file, NULL);
    }
    for (int i = 0; r->assets && i < r->info.asset_count; i++) {
        wr_asset_destroy(r->assets[i]);
    }
    wri_frame_state_destroy(&r->state);
    wri_array_destroy(&r->index.frames);
    wri_array_destroy(&r->stored);
    wri_array_destroy(&r->raw);
    wri_arena_destroy(&r->arena);
    (void)ZSTD_freeDCtx(r->unpacker);
    wri_free(NULL, r, 1, sizeof *r);
}

bool wr_record_refresh(wr_record_reader *r, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "reader", r)) {
        return false;
    }
    int64_t size = wri_file_length(r->file);
    if (size < r->end) {
        return wri_fail(
            error, WR_E_FORMAT,
            "%s: became shorter while it was read, as when it is resumed; open it again", r->path);
    }
    r->size = size;
    return walk(r, error);
}

// --- reading ----------------------------------------------------------------------------------

static bool decode_frame(wr_record_reader *r, int index, wr_error *error)
{
    const wri_frame_entry *entry = &WRI_ITEM(r->index.frames, wri_frame_entry, index);
    WR_ASSERT(entry->key >= 0 && entry->key <= index);
    WR_ASSERT(entry->key == index || r->at == index - 1); // only key frames need none before them
    wri_chunk_head head;
    wri_codec c;
    r->at = -1;
    if (!read_chunk(r, entry->offset, WRI_CHUNK_FRAME, &head, &c, error)) {
        return false;
    }
    bool is_key = head.flags & WRI_CHUNK_KEY;
    if (is_key != (entry->key == index)) {
        return fail_at(r, entry->offset, "a frame that is not what the index says", error);
    }
    r->frame = (wr_frame){.index = index};
    wri_code_frame(&c, &r->state, &r->frame, is_key);
    if (c.code != WR_OK) {
        char where[32];
        snprintf(where, sizeof where, "frame %d", index);
        return fail_codec(r, &c, entry->offset, where, error);
    }
    if (!check_blends(r, &r->frame)) {
        return fail_at(r, entry->offset, "a blend of examples that are not there", error);
    }
    WR_ASSERT(r->frame.body_count == r->state.bodies.count);
    r->at = index;
    return true;
}

const wr_frame *wr_record_read_frame(wr_record_reader *r, int index, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "reader", r)) {
        return NULL;
    }
    if (index < 0 || index >= r->index.frames.count) {
        wri_fail(error, WR_E_ARGUMENT, "%s: frame %d of %d", r->path, index, r->index.frames.count);
        return NULL;
    }
    int key = WRI_ITEM(r->index.frames, wri_frame_entry, index).key;
    int next = r->at >= key && r->at <= index ? r->at + 1 : key;
    for (; next <= index; next++) {
        if (!decode_frame(r, next, error)) {
            return NULL;
        }
    }
    WR_ASSERT(r->at == index && r->frame.index == index);
    return &r->frame;
}

bool wri_record_read_snapshot(wr_record_reader *r, const void **bytes, size_t *size,
                              wr_error *error)
{
    WR_ASSERT(r->snapshot.frame >= 0 && r->snapshot.offset < r->snapshot.end);
    wri_chunk_head head;
    wri_codec c = {0};
    if (!read_chunk(r, r->snapshot.offset, WRI_CHUNK_SNAPSHOT, &head, &c, error)) {
        return false;
    }
    *bytes = c.at;
    *size = head.raw_size;
    return true;
}

const wr_record_info *wr_record_about(const wr_record_reader *r)
{
    return &r->info;
}

int wr_record_frame_count(const wr_record_reader *r)
{
    return r->index.frames.count;
}

bool wr_record_is_complete(const wr_record_reader *r)
{
    return r->index.is_complete;
}

int64_t wr_record_size(const wr_record_reader *r)
{
    return r->size;
}

const wr_record_body *wr_record_bodies(const wr_record_reader *r, int *count)
{
    *count = r->state.bodies.count;
    return r->state.bodies.items;
}

int wr_record_shares(const wr_record_reader *r, wr_record_share *kinds)
{
    memcpy(kinds, r->index.shares, sizeof *kinds * (size_t)r->index.share_count);
    return r->index.share_count;
}
