// damage.c: where the weights are going, as few bytes.
//
//     "WRDM", version u8, oldest reader u8, columns u16, vertices u32, identity of the rig u32
//     of version 2, which broken bodies have: bonds u16, a bit per bond, 1: broken, lowest first
//     a stream of bits, lowest first, the last byte filled with zeros:
//         runs, in turn undamaged and damaged, until all vertices are in one: their length, the
//         first may be 0; in damaged runs a row of weights per vertex, in steps of 1/4096
//
// Vertices are in the skin's order, neighbours in space, so a row is coded as its difference to the
// last damaged one, zigzag, by Rice codes whose parameter follows the mean of each column
// (R. Rice 1979). Lengths are Elias gamma codes of length + 1. Little endian.
//
// Weights of merged damage may add up to more than one; they are scaled back when they are read
// into a body, so that merging itself is a plain maximum and its order does not matter.
#include "metal.h"

enum {
    HEAD = 16,
    VERSION = 2,
    WHOLE_VERSION = 1, // version of bodies that have not broken
    COLUMNS_MAX = WR_SKIN_EXAMPLES_MAX - 1,
    UNARY_MAX = 16, // longer quotients are written as plain numbers
    PLAIN_BITS = 14,
};

typedef struct head {
    int columns, vertices;
    uint32_t identity;
    int bonds;                                                  // 0: none is broken
    uint8_t broken[(WR_FRAGMENTS_MAX * WR_FRAGMENTS_MAX) / 16]; // bit per bond
    size_t size;                                                // of the bytes before the stream
} head;

// The state that coder and decoder both keep about the columns.
typedef struct model {
    int columns;
    uint16_t last[COLUMNS_MAX];
    uint32_t means[COLUMNS_MAX]; // means of the coded numbers, in sixteenths
} model;

static int rice_parameter(uint32_t mean)
{
    int k = 0;
    while (k < 12 && (uint32_t)16 << k < mean) {
        k++;
    }
    return k;
}

static uint32_t follow(uint32_t mean, uint32_t value)
{
    return mean + value - mean / 16;
}

// --- bits -------------------------------------------------------------------------------------

typedef struct bit_writer {
    uint8_t *bytes; // NULL: only counts
    size_t count;
} bit_writer;

static void write_bits(bit_writer *w, uint32_t value, int count)
{
    for (int i = 0; i < count; i++, w->count++) {
        if (w->bytes && w->count % 8 == 0) {
            w->bytes[w->count / 8] = 0;
        }
        if (w->bytes) {
            w->bytes[w->count / 8] |= (uint8_t)((value >> i & 1) << (w->count % 8));
        }
    }
}

static void write_length(bit_writer *w, int length)
{
    uint32_t value = (uint32_t)length + 1;
    int bits = 31 - __builtin_clz(value);
    write_bits(w, 0, bits);
    write_bits(w, 1, 1);
    write_bits(w, value, bits);
}

static void write_row(bit_writer *w, model *m, const uint16_t *row)
{
    for (int e = 0; e < m->columns; e++) {
        int d = row[e] - m->last[e];
        uint32_t value = d < 0 ? (uint32_t)(-2 * d - 1) : (uint32_t)(2 * d);
        int k = rice_parameter(m->means[e]);
        if (value >> k < UNARY_MAX) {
            write_bits(w, 0, (int)(value >> k));
            write_bits(w, 1, 1);
            write_bits(w, value, k);
        } else {
            write_bits(w, 0, UNARY_MAX);
            write_bits(w, value, PLAIN_BITS);
        }
        m->means[e] = follow(m->means[e], value);
        m->last[e] = row[e];
    }
}

typedef struct bit_reader {
    const uint8_t *bytes;
    size_t count, end; // bits
    bool broken;
} bit_reader;

static uint32_t read_bits(bit_reader *r, int count)
{
    uint32_t value = 0;
    if (r->end - r->count < (size_t)count) {
        r->broken = true;
        return 0;
    }
    for (int i = 0; i < count; i++, r->count++) {
        value |= (uint32_t)(r->bytes[r->count / 8] >> (r->count % 8) & 1) << i;
    }
    return value;
}

// Zeros before the next one, `most` of them at most.
static int read_zeros(bit_reader *r, int most)
{
    int zeros = 0;
    while (zeros < most && !r->broken && read_bits(r, 1) == 0) {
        zeros++;
    }
    return zeros;
}

static int read_length(bit_reader *r)
{
    int bits = read_zeros(r, 31);
    uint32_t value = bits < 31 ? ((uint32_t)1 << bits | read_bits(r, bits)) : 0;
    r->broken |= value == 0;
    return r->broken ? 0 : (int)(value - 1);
}

static void read_row(bit_reader *r, model *m, uint16_t *row)
{
    for (int e = 0; e < m->columns; e++) {
        int k = rice_parameter(m->means[e]), quotient = read_zeros(r, UNARY_MAX);
        uint32_t value = quotient == UNARY_MAX ? read_bits(r, PLAIN_BITS)
                                               : (uint32_t)quotient << k | read_bits(r, k);
        int d = value & 1 ? -(int)(value / 2) - 1 : (int)(value / 2), weight = m->last[e] + d;
        r->broken |= weight < 0 || weight > WRI_METAL_ONE;
        row[e] = r->broken ? 0 : (uint16_t)weight;
        m->means[e] = follow(m->means[e], value);
        m->last[e] = row[e];
    }
}

// --- rows of a blob ---------------------------------------------------------------------------

typedef struct row_reader {
    bit_reader bits;
    model model;
    int run; // rows left of it
    bool damaged;
} row_reader;

static row_reader start_reading(const uint8_t *bytes, size_t size, const head *h)
{
    row_reader r = {.bits = {bytes + h->size, 0, 8 * (size - h->size), false}, .damaged = true};
    r.model.columns = h->columns;
    return r;
}

// Returns whether the vertex is damaged; row is only written then.
static bool next_row(row_reader *r, uint16_t *row)
{
    // Two empty runs in a row can only be the first one and a fault.
    for (int empty = 0; r->run == 0 && !r->bits.broken; empty++) {
        r->run = read_length(&r->bits);
        r->damaged = !r->damaged;
        r->bits.broken |= empty > 1;
    }
    r->run--;
    if (r->damaged && !r->bits.broken) {
        read_row(&r->bits, &r->model, row);
    }
    return r->damaged && !r->bits.broken;
}

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_u32(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(value >> (8 * i));
    }
}

static bool read_head(const uint8_t *p, size_t size, head *h, wr_error *error)
{
    if (size < HEAD || memcmp(p, "WRDM", 4) != 0) {
        return wri_fail(error, WR_E_FORMAT, "damage: does not begin like damage at byte 0");
    }
    if (p[5] > VERSION) {
        return wri_fail(error, WR_E_UNSUPPORTED,
                        "damage: needs a reader of version %d, this is version %d", p[5], VERSION);
    }
    *h = (head){.columns = p[6] | p[7] << 8, .identity = get_u32(p + 12), .size = HEAD};
    uint32_t vertices = get_u32(p + 8);
    if (h->columns > COLUMNS_MAX || vertices > WRI_METAL_VERTICES) {
        return wri_fail(error, WR_E_FORMAT, "damage: %d examples of %u vertices at byte 6",
                        h->columns + 1, vertices);
    }
    h->vertices = (int)vertices;
    if (p[4] < VERSION) {
        return true;
    }
    h->bonds = size < HEAD + 2 ? 0 : p[HEAD] | p[HEAD + 1] << 8;
    size_t bytes = ((size_t)h->bonds + 7) / 8;
    if (size < HEAD + 2 + bytes || bytes > sizeof h->broken) {
        return wri_fail(error, WR_E_FORMAT, "damage: %d bonds at byte %d of %zu", h->bonds, HEAD,
                        size);
    }
    memcpy(h->broken, p + HEAD + 2, bytes);
    h->size = HEAD + 2 + bytes;
    return true;
}

// Every row, to the end. A damaged run may not be longer than what is left of the bits, so this
// takes no longer than the bytes are many; undamaged runs cost nothing.
static bool check_rows(const uint8_t *bytes, size_t size, const head *h, wr_error *error)
{
    row_reader r = start_reading(bytes, size, h);
    uint16_t row[COLUMNS_MAX];
    int done = 0;
    while (done < h->vertices && !r.bits.broken) {
        (void)next_row(&r, row);
        done++;
        if (!r.damaged || h->columns == 0) { // the rest of the run at once
            r.bits.broken |= r.run > h->vertices - done;
            done += r.run;
            r.run = 0;
        }
    }
    bool too_long = r.run > 0, rest = (r.bits.count + 7) / 8 + h->size != size;
    if (r.bits.broken || too_long || rest) {
        return wri_fail(error, WR_E_FORMAT, "damage: broken near byte %zu of %zu",
                        h->size + r.bits.count / 8, size);
    }
    return true;
}

// --- writing ----------------------------------------------------------------------------------

// The source of rows: a body, or two blobs. It is copied to look ahead.
typedef struct row_source {
    const wr_metal *body; // NULL: the readers
    row_reader a, b;
    int columns, next;
} row_source;

static bool is_damaged(const uint16_t *row, int columns)
{
    for (int e = 0; e < columns; e++) {
        if (row[e]) {
            return true;
        }
    }
    return false;
}

static bool take_row(row_source *s, uint16_t *row)
{
    int i = s->next++;
    if (s->body) {
        memcpy(row, &s->body->goal[(size_t)i * (size_t)s->columns],
               (size_t)s->columns * sizeof *row);
        return is_damaged(row, s->columns);
    }
    uint16_t other[COLUMNS_MAX];
    bool a = next_row(&s->a, row), b = next_row(&s->b, other);
    for (int e = 0; e < s->columns; e++) {
        uint16_t from_a = a ? row[e] : 0, from_b = b ? other[e] : 0;
        row[e] = from_a > from_b ? from_a : from_b;
    }
    return is_damaged(row, s->columns);
}

static int run_length(const row_source *source, int vertices, bool damaged)
{
    row_source ahead = *source;
    uint16_t row[COLUMNS_MAX];
    int length = 0;
    while (ahead.next < vertices && take_row(&ahead, row) == damaged) {
        length++;
    }
    return length;
}

static size_t write_damage(row_source *source, const head *h, uint8_t *bytes)
{
    if (bytes) {
        memcpy(bytes, "WRDM", 4);
        bytes[4] = bytes[5] = h->bonds > 0 ? VERSION : WHOLE_VERSION;
        bytes[6] = (uint8_t)h->columns;
        bytes[7] = (uint8_t)(h->columns >> 8);
        put_u32(bytes + 8, (uint32_t)h->vertices);
        put_u32(bytes + 12, h->identity);
    }
    size_t bonds = ((size_t)h->bonds + 7) / 8, size = HEAD + (bonds > 0 ? 2 + bonds : 0);
    if (bytes && bonds > 0) {
        bytes[HEAD] = (uint8_t)h->bonds;
        bytes[HEAD + 1] = (uint8_t)(h->bonds >> 8);
        memcpy(bytes + HEAD + 2, h->broken, bonds);
    }
    bit_writer w = {bytes ? bytes + size : NULL, 0};
    model m = {.columns = h->columns};
    uint16_t row[COLUMNS_MAX];
    for (bool damaged = false; source->next < h->vertices; damaged = !damaged) {
        int length = run_length(source, h->vertices, damaged);
        write_length(&w, length);
        for (int i = 0; i < length; i++) {
            (void)take_row(source, row);
            if (damaged) {
                write_row(&w, &m, row);
            }
        }
    }
    return size + (w.count + 7) / 8;
}

size_t wr_metal_write_damage(const wr_metal *body, void *bytes)
{
    head h = {.columns = body->asset->C,
              .vertices = body->asset->N,
              .identity = body->asset->identity,
              .bonds = body->broken_count > 0 ? body->asset->bond_count : 0};
    for (int i = 0; i < h.bonds; i++) {
        h.broken[i / 8] |= (uint8_t)((body->broken[i / 64] >> (i % 64) & 1) << (i % 8));
    }
    row_source source = {.body = body, .columns = h.columns};
    return write_damage(&source, &h, bytes);
}

size_t wr_metal_merge_damage(const void *a, size_t a_size, const void *b, size_t b_size, void *out,
                             wr_error *error)
{
    if (!WRI_REQUIRE(error, a, b)) {
        return 0;
    }
    head h, other;
    if (!read_head(a, a_size, &h, error) || !read_head(b, b_size, &other, error) ||
        !check_rows(a, a_size, &h, error) || !check_rows(b, b_size, &other, error)) {
        return 0;
    }
    if (h.columns != other.columns || h.vertices != other.vertices ||
        h.identity != other.identity) {
        wri_fail(error, WR_E_ARGUMENT, "damage: of two different assets");
        return 0;
    }
    head first = h; // as it was read
    h.bonds = h.bonds > other.bonds ? h.bonds : other.bonds;
    for (size_t i = 0; i < sizeof h.broken; i++) {
        h.broken[i] |= other.broken[i];
    }
    row_source source = {.a = start_reading(a, a_size, &first),
                         .b = start_reading(b, b_size, &other),
                         .columns = h.columns};
    return write_damage(&source, &h, out);
}

// --- reading ----------------------------------------------------------------------------------

static void store_row(wr_metal *body, int slot, const uint16_t *row)
{
    int C = body->asset->C, sum = 0;
    for (int e = 0; e < C; e++) {
        sum += row[e];
    }
    for (int e = 0; e < C; e++) {
        int goal = sum > WRI_METAL_ONE ? row[e] * WRI_METAL_ONE / sum : row[e];
        body->goal[(size_t)slot * (size_t)C + (size_t)e] = (uint16_t)goal;
    }
}

static void store_bonds(wr_metal *body, const head *h)
{
    body->broken_count = 0;
    for (int i = 0; i < body->asset->bond_count; i++) {
        uint64_t bit = (uint64_t)1 << (i % 64);
        bool is_broken = i < h->bonds && h->broken[i / 8] >> (i % 8) & 1;
        body->broken[i / 64] = is_broken ? body->broken[i / 64] | bit : body->broken[i / 64] & ~bit;
        body->broken_count += is_broken;
    }
    memset(body->loads, 0, (size_t)body->asset->F * sizeof *body->loads);
    body->slack = 0.0;
    body->masses_stale = true;
    wri_metal_find_parts(body);
    wri_metal_reset_ties(body);
}

bool wr_metal_read_damage(wr_metal *body, const void *bytes, size_t size, wr_error *error)
{
    if (!WRI_REQUIRE(error, body, bytes)) {
        return false;
    }
    const wr_metal_asset *asset = body->asset;
    head h;
    if (!read_head(bytes, size, &h, error)) {
        return false;
    }
    if (h.columns != asset->C || h.vertices != asset->N || h.identity != asset->identity ||
        h.bonds > asset->bond_count) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "damage: of another asset, with %d vertices and %d examples", h.vertices,
                        h.columns + 1);
    }
    if (!check_rows(bytes, size, &h, error)) {
        return false;
    }
    row_reader r = start_reading(bytes, size, &h);
    uint16_t row[COLUMNS_MAX], none[COLUMNS_MAX] = {0};
    for (int i = 0; i < h.vertices; i++) {
        bool damaged = next_row(&r, row);
        store_row(body, i, damaged ? row : none);
    }
    if (body->part_of) {
        store_bonds(body, &h);
    }
    body->patch_count = 0; // hits on the shape it had
    body->restitution = body->parameters.bounce;
    body->repair_due = 0.0f;
    wri_metal_settle(body);
    return true;
}
