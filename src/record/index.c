// index.c: where the frames of a recording are, and how many bytes each kind of chunk takes.
#include "format.h"

bool wri_index_add_frame(wri_record_index *index, int64_t offset, bool is_key)
{
    index->frames.item_size = sizeof(wri_frame_entry);
    int number = index->frames.count;
    wri_frame_entry *entry = wri_array_add(&index->frames, 1);
    if (entry) {
        WR_ASSERT(offset > 0 && (number == 0 || offset > entry[-1].offset));
        entry->offset = offset;
        entry->key = is_key || number == 0 ? number : entry[-1].key;
    }
    return entry != NULL;
}

void wri_index_add_share(wri_record_index *index, uint32_t kind, int64_t size)
{
    WR_ASSERT(size >= WRI_CHUNK_HEAD_SIZE && index->share_count <= WRI_SHARE_LIMIT);
    char name[8] = {0};
    for (int i = 0; i < 4; i++) {
        int letter = kind >> (8 * i) & 255;
        name[i] = letter > 32 && letter < 127 ? (char)letter : '?';
    }
    int i = 0;
    while (i < index->share_count && strcmp(index->shares[i].kind, name) != 0) {
        i++;
    }
    i = i < WRI_SHARE_LIMIT ? i : WRI_SHARE_LIMIT - 1; // strangers share the last place
    if (i == index->share_count) {
        memcpy(index->shares[i].kind, name, sizeof name);
        index->share_count++;
    }
    index->shares[i].count++;
    index->shares[i].size += size;
}

void wri_code_index(wri_codec *c, wri_record_index *index)
{
    int count = index->frames.count;
    int64_t offset = 0;
    wri_code_bool(c, &index->is_complete);
    wri_code_count(c, &count, 1, "frames");
    for (int i = 0; c->code == WR_OK && i < count; i++) {
        uint64_t step = 0;
        if (c->out) {
            const wri_frame_entry *entry = &WRI_ITEM(index->frames, wri_frame_entry, i);
            WR_ASSERT(entry->key >= 0 && entry->key <= i);
            step = (uint64_t)(entry->offset - offset) << 1 | (entry->key == i);
        }
        wri_code_varint(c, &step);
        if (step >> 1 == 0 || step >> 1 > (uint64_t)(INT64_MAX - offset)) {
            wri_codec_fail(c, "frame %d does not follow the one before", i);
            return;
        }
        offset += (int64_t)(step >> 1);
        if (!c->out && !wri_index_add_frame(index, offset, step & 1)) {
            wri_codec_fail_memory(c);
        }
    }
    wri_code_int(c, &index->share_count);
    wri_codec_check_index(c, index->share_count, 0, WRI_SHARE_LIMIT + 1, "kinds of chunks");
    for (int i = 0; c->code == WR_OK && i < index->share_count; i++) {
        wr_record_share *share = &index->shares[i];
        uint32_t kind = (uint32_t)wri_read_little((const uint8_t *)share->kind, 4);
        uint64_t sizes[2] = {(uint64_t)share->count, (uint64_t)share->size};
        wri_code_u32(c, &kind);
        wri_code_u64(c, &sizes[0]);
        wri_code_u64(c, &sizes[1]);
        wri_write_little((uint8_t *)share->kind, kind, 4);
        share->count = (int64_t)(sizes[0] & INT64_MAX);
        share->size = (int64_t)(sizes[1] & INT64_MAX);
    }
    if (c->out ? index->looks > 0 : wri_codec_left(c) > 0) {
        uint64_t looks = (uint64_t)index->looks;
        wri_code_u64(c, &looks);
        index->looks = (int64_t)(looks & INT64_MAX);
    }
}
