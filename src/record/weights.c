// weights.c: weights of a body that go on from those of the frame before (mode 4 of
// docs/recording.md).
//
// A dent changes few rows of weights at a time, and entries come and go more rarely still. So only
// the entries that come are listed, and a bit says of every row, the weights of one vertex, whether
// it moves. A row moves along a line: towards its goal, as in the frame before, or where a hit has
// just begun, in the direction of the row above, which the same hit moved.
//
// Symbols: d the change of a weight in this frame, u the change it is guessed from, s their ratio:
// d = s u fits the weights of the row so far best, in the sense of least squares, together with one
// of u^2 = PRIOR for which s is that of the body. That keeps the rounding of small weights from
// telling the others where to go.
#include "stream.h"

enum { WEIGHT_ONE = 65535, RATIO_ONE = 256, PRIOR = 1024 };

void wri_entries_destroy(wri_entries *e)
{
    wri_array *arrays[] = {&e->vertices, &e->examples, &e->quanta, &e->steps};
    for (int k = 0; k < WRI_COUNT(arrays); k++) {
        wri_array_destroy(arrays[k]);
    }
}

bool wri_entries_resize(wri_entries *e, int count)
{
    return wri_resize(&e->vertices, sizeof(int), count) &&
           wri_resize(&e->examples, sizeof(int), count) &&
           wri_resize(&e->quanta, sizeof(uint32_t), count) &&
           wri_resize(&e->steps, sizeof(int32_t), count);
}

// --- entries ----------------------------------------------------------------------------------

static uint64_t key(const wri_entries *e, int i)
{
    return (uint64_t)WRI_ITEM(e->vertices, uint32_t, i) << 32 | WRI_ITEM(e->examples, uint32_t, i);
}

static void copy_entry(wri_entries *to, int at, const wri_entries *from, int i)
{
    WRI_ITEM(to->vertices, int, at) = WRI_ITEM(from->vertices, int, i);
    WRI_ITEM(to->examples, int, at) = WRI_ITEM(from->examples, int, i);
    WRI_ITEM(to->quanta, uint32_t, at) = WRI_ITEM(from->quanta, uint32_t, i);
    WRI_ITEM(to->steps, int32_t, at) = WRI_ITEM(from->steps, int32_t, i);
}

static void copy_all(wri_entries *to, const wri_entries *from)
{
    size_t size = sizeof(int) * (size_t)from->vertices.count;
    if (size) {
        memcpy(to->vertices.items, from->vertices.items, size);
        memcpy(to->examples.items, from->examples.items, size);
        memcpy(to->quanta.items, from->quanta.items, size);
        memcpy(to->steps.items, from->steps.items, size);
    }
}

static bool is_in_order(const wri_entries *e, int i)
{
    return WRI_ITEM(e->vertices, int, i) >= 0 && WRI_ITEM(e->examples, int, i) >= 0 &&
           (i == 0 || key(e, i) > key(e, i - 1));
}

bool wri_entries_are_tidy(const wri_entries *e)
{
    for (int i = 0; i < e->vertices.count; i++) {
        uint32_t quantum = WRI_ITEM(e->quanta, uint32_t, i);
        if (quantum == 0 || quantum > WEIGHT_ONE || !is_in_order(e, i)) {
            return false;
        }
    }
    return true;
}

// Gathers the entries of `now` that `last` does not have.
static bool find_new(const wri_entries *last, const wri_entries *now, wri_entries *come)
{
    int count = 0, at = 0;
    if (!wri_entries_resize(come, now->vertices.count)) {
        return false;
    }
    for (int i = 0; i < now->vertices.count; i++) {
        while (at < last->vertices.count && key(last, at) < key(now, i)) {
            at++;
        }
        if (at == last->vertices.count || key(last, at) != key(now, i)) {
            copy_entry(come, count++, now, i);
        }
    }
    return wri_entries_resize(come, count);
}

static void code_new(wri_codec *c, wri_entries *come)
{
    int count = come->vertices.count;
    wri_code_count(c, &count, 8, "weights that are new");
    if (c->code != WR_OK || !wri_entries_resize(come, count)) {
        wri_codec_fail_memory(c);
        return;
    }
    wri_rows_block column = {
        .now = come->vertices.items, .count = (size_t)count, .width = 1, .is_chain = true};
    wri_code_rows(c, &column);
    column.now = come->examples.items;
    column.is_chain = false;
    wri_code_rows(c, &column);
    for (int i = 0; i < count; i++) { // they come from nothing
        WRI_ITEM(come->quanta, uint32_t, i) = 0;
        WRI_ITEM(come->steps, int32_t, i) = 0;
    }
}

// All entries of the last frame and the new ones, in order.
static void merge(wri_codec *c, const wri_entries *last, const wri_entries *come, wri_entries *all)
{
    int old_count = last->vertices.count, new_count = come->vertices.count, a = 0, b = 0;
    if (c->code != WR_OK || !wri_entries_resize(all, old_count + new_count)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (new_count == 0) {
        copy_all(all, last);
    }
    for (int i = 0; new_count > 0 && i < old_count + new_count; i++) {
        bool old = b == new_count || (a < old_count && key(last, a) < key(come, b));
        copy_entry(all, i, old ? last : come, old ? a++ : b++);
        if (!is_in_order(all, i)) {
            wri_codec_fail(c, "weights that are new: out of order");
            return;
        }
    }
}

// --- rows -------------------------------------------------------------------------------------

// The weights of one vertex.
typedef struct row {
    int begin, end;
} row;

static row row_at(const wri_entries *e, int begin)
{
    row r = {begin, begin + 1};
    int vertex = WRI_ITEM(e->vertices, int, begin);
    while (r.end < e->vertices.count && WRI_ITEM(e->vertices, int, r.end) == vertex) {
        r.end++;
    }
    return r;
}

static int32_t change(const wri_moves *m, int i)
{
    return (int32_t)(WRI_ITEM(m->values, uint32_t, i) - WRI_ITEM(m->all.quanta, uint32_t, i));
}

static bool moves(const wri_moves *m, row r)
{
    for (int i = r.begin; i < r.end; i++) {
        if (change(m, i) != 0) {
            return true;
        }
    }
    return false;
}

static bool goes_on(const wri_entries *all, row r)
{
    for (int i = r.begin; i < r.end; i++) {
        if (WRI_ITEM(all->steps, int32_t, i) != 0) {
            return true;
        }
    }
    return false;
}

// Codes which rows move, a bit each, and lists them.
static void code_moving(wri_codec *c, wri_moves *m)
{
    int row_count = 0, byte_count = 0, count = m->all.vertices.count;
    for (int i = 0; i < count; i = row_at(&m->all, i).end) {
        row_count++;
    }
    byte_count = (row_count + 7) / 8;
    uint8_t *out = c->out ? wri_codec_put(c, (size_t)byte_count) : NULL;
    const uint8_t *in = c->out ? NULL : wri_codec_take(c, (size_t)byte_count);
    m->rows.count = m->moving = 0;
    if (c->code != WR_OK || !wri_resize(&m->rows, sizeof(row), row_count)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (out) {
        memset(out, 0, (size_t)byte_count);
    }
    int moving = 0, i = 0;
    for (int k = 0; k < row_count; k++) {
        row r = row_at(&m->all, i);
        bool bit = out ? moves(m, r) : in[k / 8] >> (k % 8) & 1;
        if (out) {
            out[k / 8] |= (uint8_t)(bit << (k % 8));
        }
        if (bit) {
            WRI_ITEM(m->rows, row, moving++) = r;
            m->moving += r.end - r.begin;
        }
        i = r.end;
    }
    m->rows.count = moving;
}

// The part of the last frame's change that this one makes, by least squares, of 256.
static int find_ratio(const wri_moves *m)
{
    double along = 0.0, square = 0.0;
    for (int k = 0; k < m->rows.count; k++) {
        row r = WRI_ITEM(m->rows, row, k);
        for (int i = r.begin; i < r.end; i++) {
            double u = WRI_ITEM(m->all.steps, int32_t, i);
            along += u * change(m, i);
            square += u * u;
        }
    }
    double ratio = square > 0.0 ? floor(RATIO_ONE * along / square + 0.5) : 0.0;
    return ratio < 0.0 ? 0 : ratio > UINT8_MAX ? UINT8_MAX : (int)ratio;
}

// Change of the same example in the row above.
static int32_t change_above(const wri_moves *m, row above, int i)
{
    for (int k = above.begin; k < above.end; k++) {
        if (WRI_ITEM(m->all.examples, int, k) == WRI_ITEM(m->all.examples, int, i)) {
            return change(m, k);
        }
    }
    return 0;
}

// Codes d' = value - guess modulo 2^16, folded, as two bytes `n` apart.
static void code_value(uint8_t *out, const uint8_t *in, int n, uint32_t *value, uint32_t guess)
{
    if (out) {
        uint32_t d = (*value - guess) & 0xffff;
        d = (d << 1 ^ (0 - (d >> 15))) & 0xffff;
        out[0] = (uint8_t)(d >> 8);
        out[n] = (uint8_t)d;
    } else {
        uint32_t d = (uint32_t)in[0] << 8 | in[n];
        *value = ((d >> 1 ^ (0 - (d & 1))) + guess) & 0xffff;
    }
}

static void code_row(wri_moves *m, row r, row above, uint8_t *out, const uint8_t *in)
{
    bool on = goes_on(&m->all, r);
    double square = PRIOR, along = on ? PRIOR * m->ratio / RATIO_ONE : PRIOR;
    for (int i = r.begin; i < r.end; i++) {
        double u = on ? WRI_ITEM(m->all.steps, int32_t, i) : change_above(m, above, i);
        double guess = floor(WRI_ITEM(m->all.quanta, uint32_t, i) + u * along / square + 0.5);
        guess = guess < 0.0 ? 0.0 : guess > WEIGHT_ONE ? WEIGHT_ONE : guess;
        int at = i - r.begin;
        code_value(out ? out + at : NULL, in ? in + at : NULL, m->moving,
                   &WRI_ITEM(m->values, uint32_t, i), (uint32_t)guess);
        along += u * change(m, i);
        square += u * u;
    }
}

static void code_rows(wri_codec *c, wri_moves *m)
{
    m->ratio = c->code == WR_OK && c->out ? find_ratio(m) : 0;
    wri_code_small(c, &m->ratio, UINT8_MAX, "a ratio");
    size_t size = 2 * (size_t)m->moving;
    uint8_t *out = c->out ? wri_codec_put(c, size) : NULL;
    const uint8_t *in = c->out ? NULL : wri_codec_take(c, size);
    row above = {0, 0};
    for (int k = 0; c->code == WR_OK && k < m->rows.count; k++) {
        row r = WRI_ITEM(m->rows, row, k);
        code_row(m, r, above, out, in);
        out = out ? out + (r.end - r.begin) : NULL;
        in = in ? in + (r.end - r.begin) : NULL;
        above = r;
    }
}

// --- both -------------------------------------------------------------------------------------

// What the weights are in this frame, or 0 until they are read.
static void load_values(wri_moves *m, const wri_entries *now)
{
    for (int i = 0, at = 0; i < m->all.vertices.count; i++) {
        bool found = at < now->vertices.count && key(now, at) == key(&m->all, i);
        WRI_ITEM(m->values, uint32_t, i) = found ? WRI_ITEM(now->quanta, uint32_t, at++) : 0;
    }
}

static void keep_values(wri_moves *m)
{
    for (int i = 0; i < m->all.vertices.count; i++) {
        WRI_ITEM(m->values, uint32_t, i) = WRI_ITEM(m->all.quanta, uint32_t, i);
    }
}

// The entries of this frame: those that are not 0.
static int take_values(wri_moves *m, wri_entries *now, int count)
{
    int left = 0;
    for (int i = 0; i < m->all.vertices.count; i++) {
        uint32_t value = WRI_ITEM(m->values, uint32_t, i);
        if (value && left < count) {
            copy_entry(now, left, &m->all, i);
            WRI_ITEM(now->steps, int32_t, left) = change(m, i);
            WRI_ITEM(now->quanta, uint32_t, left) = value;
        }
        left += value != 0;
    }
    return left;
}

void wri_code_moves(wri_codec *c, wri_moves *m, const wri_entries *last, wri_entries *now)
{
    int count = now->vertices.count;
    if (c->out && !find_new(last, now, &m->come)) {
        wri_codec_fail_memory(c);
    }
    code_new(c, &m->come);
    merge(c, last, &m->come, &m->all);
    if (c->code != WR_OK || !wri_resize(&m->values, sizeof(uint32_t), m->all.vertices.count)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (c->out) {
        load_values(m, now);
    } else {
        keep_values(m);
    }
    code_moving(c, m);
    code_rows(c, m);
    if (c->code == WR_OK && take_values(m, now, count) != count) {
        wri_codec_fail(c, "the number of weights is not %d", count);
    }
}

void wri_moves_destroy(wri_moves *m)
{
    wri_entries_destroy(&m->come);
    wri_entries_destroy(&m->all);
    wri_array_destroy(&m->values);
    wri_array_destroy(&m->rows);
}
