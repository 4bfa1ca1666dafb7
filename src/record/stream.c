// stream.c: what the streams of a frame share.
#include "stream.h"

bool wri_resize(wri_array *array, size_t item_size, int count)
{
    WR_ASSERT(count >= 0 && item_size > 0);
    WR_ASSERT(array->item_size == item_size || !array->items); // one kind of item for life
    array->item_size = item_size;
    if (count > array->count) {
        return wri_array_add(array, count - array->count) != NULL;
    }
    array->count = count;
    return true;
}

void wri_swap(wri_array *a, wri_array *b)
{
    WR_ASSERT(a->item_size == b->item_size || !a->items || !b->items);
    wri_array c = *a;
    *a = *b;
    *b = c;
}

bool wri_same_items(const wri_array *a, const wri_array *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->items, b->items, a->item_size * (size_t)a->count) == 0);
}

bool wri_stream_is_absent(const wri_codec *c)
{
    return !c->out && c->at == c->end;
}

void wri_check_mode(wri_codec *c, int mode, bool is_known, int count, size_t row)
{
    WR_ASSERT(mode >= WRI_WHOLE && mode <= WRI_MERGED && row > 0);
    if (mode != WRI_WHOLE && !is_known) {
        wri_codec_fail(c, "a body refers to values that are not in the frame before");
    }
    if (!c->out && mode != WRI_SAME && (size_t)count > wri_codec_left(c) / row) {
        wri_codec_fail(c, "%d values in a block of %zu bytes", count, wri_codec_left(c));
    }
}

void *wri_code_list(wri_codec *c, wri_frame_job *j, const void *items, int *count, wri_array *list,
                    size_t item_size, wri_item_fn *code_item)
{
    enum { LEAST = 9 }; // bytes of an event, of a body's points or weights
    *count = c->out ? *count : 0;
    WR_ASSERT(*count == 0 || (*count > 0 && items));
    if (!wri_stream_is_absent(c) && (!c->out || *count)) {
        wri_code_count(c, count, LEAST, "a list");
    }
    list->count = 0;
    if (!wri_resize(list, item_size, *count)) {
        wri_codec_fail_memory(c);
        return NULL;
    }
    if (c->out && *count) {
        memcpy(list->items, items, item_size * (size_t)*count);
    }
    for (int i = 0; c->code == WR_OK && i < *count; i++) {
        code_item(c, j, (uint8_t *)list->items + item_size * (size_t)i);
    }
    return list->items;
}
