// exr.c: pictures of light as OpenEXR: scan lines of 16-bit floats, packed by zlib.
//
// After "The OpenEXR File Layout" (openexr.com): a header of named attributes, where each block of
// rows begins, and the blocks. Within one, every row has its blue, then its green, then its red;
// before it is packed, its even bytes go before its odd ones (the exponents lie together then), and
// every byte becomes its difference from the one before.
#include "out.h"
#include "wrought/file.h"

#include <math.h>
#include <zlib.h>

enum { MAGIC = 20000630, VERSION = 2, HALF = 1, ZIP = 3, BLOCK = 16, MAX_SIDE = 16384 };
enum { HEADER = 340 }; // bytes

typedef struct exr {
    wri_out *out;
    wri_arena arena; // of everything else, zlib's among it
    const float *light;
    int width, height;
    uint8_t *rows, *sorted; // of one block
    uint8_t *packed;        // all blocks, each with its row and size in front
    uint64_t *starts;       // of blocks in packed; at the end, their size
    int block_count;
    z_stream zip;
    bool is_zip_open;
} exr;

// --- numbers ----------------------------------------------------------------------------------

static void set(uint8_t *out, uint64_t value, int bytes) // little-endian
{
    for (int i = 0; i < bytes; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static void put(exr *x, uint64_t value, int bytes)
{
    uint8_t out[8];
    set(out, value, bytes);
    wri_out_bytes(x->out, out, (size_t)bytes);
}

// To the nearest half, of two equally near ones to the even one.
static uint16_t to_half(float value)
{
    const float greatest = 65504.0f;
    float v = value > greatest ? greatest : value < -greatest ? -greatest : value;
    uint32_t bits;
    v = isnan(v) ? 0.0f : v;
    memcpy(&bits, &v, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, all = bits & 0x7fffffffu, drop = 13;
    if (all < 0x33000000u) { // less than half of the least
        return (uint16_t)sign;
    }
    uint32_t number = all - 0x38000000u; // the exponent's bias is 15 in place of 127
    if (all < 0x38800000u) {             // subnormal: multiples of 2^-24
        number = (all & 0x7fffffu) | 0x800000u;
        drop = 126 - (all >> 23);
    }
    uint32_t rest = number & ((1u << drop) - 1), middle = 1u << (drop - 1);
    number >>= drop;
    number += rest > middle || (rest == middle && (number & 1));
    return (uint16_t)(sign | number);
}

// --- blocks ----------------------------------------------------------------------------------

static voidpf on_alloc(voidpf arena, uInt count, uInt size)
{
    return wri_arena_alloc(arena, count, size);
}

static void on_free(voidpf arena, voidpf memory) // the arena frees everything at once
{
    (void)arena;
    (void)memory;
}

enum { FRONT = 8 }; // bytes of a block's row and size

static bool open_zip(exr *x, wr_error *error)
{
    size_t size = (size_t)x->width * 6 * BLOCK;
    x->block_count = (x->height + BLOCK - 1) / BLOCK;
    x->zip = (z_stream){.zalloc = on_alloc, .zfree = on_free, .opaque = &x->arena};
    x->is_zip_open = deflateInit(&x->zip, 4) == Z_OK;
    size_t most = x->is_zip_open ? deflateBound(&x->zip, (uLong)size) + FRONT : 0;
    x->rows = wri_arena_alloc(&x->arena, size, 1);
    x->sorted = wri_arena_alloc(&x->arena, size, 1);
    x->packed = wri_arena_alloc(&x->arena, (size_t)x->block_count, most);
    x->starts = wri_arena_alloc(&x->arena, (size_t)x->block_count + 1, sizeof *x->starts);
    return (x->is_zip_open && x->rows && x->sorted && x->packed && x->starts) ||
           wri_fail_memory(error, (size_t)x->block_count * most);
}

// Returns the bytes of the block.
static size_t fill_rows(exr *x, int begin, int end)
{
    uint8_t *out = x->rows;
    for (int y = begin; y < end; y++) {
        const float *row = x->light + 3 * (size_t)y * (size_t)x->width;
        for (int c = 2; c >= 0; c--) {
            for (int i = 0; i < x->width; i++, out += 2) {
                set(out, to_half(row[3 * i + c]), 2);
            }
        }
    }
    return (size_t)(out - x->rows);
}

static void sort_bytes(exr *x, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        x->sorted[i / 2 + (i % 2) * (size / 2)] = x->rows[i]; // size is even
    }
    for (size_t i = size - 1; i > 0; i--) {
        x->sorted[i] = (uint8_t)(x->sorted[i] - x->sorted[i - 1] + 128);
    }
}

// Where packing does not make it smaller, a block is stored as it is.
static bool pack_block(exr *x, int index, wr_error *error)
{
    int begin = index * BLOCK, end = begin + BLOCK < x->height ? begin + BLOCK : x->height;
    uint8_t *out = x->packed + x->starts[index];
    size_t size = fill_rows(x, begin, end), most = deflateBound(&x->zip, (uLong)size);
    sort_bytes(x, size);
    x->zip.next_in = x->sorted;
    x->zip.avail_in = (uInt)size;
    x->zip.next_out = out + FRONT;
    x->zip.avail_out = (uInt)most;
    bool ok = deflate(&x->zip, Z_FINISH) == Z_STREAM_END; // there is room for everything
    size_t packed = most - x->zip.avail_out;
    if (packed >= size) {
        memcpy(out + FRONT, x->rows, packed = size);
    }
    set(out, (uint64_t)begin, 4);
    set(out + 4, packed, 4);
    x->starts[index + 1] = x->starts[index] + FRONT + packed;
    return (ok && deflateReset(&x->zip) == Z_OK) || wri_fail_memory(error, most);
}

// --- the file -----------------------------------------------------------------------------------

static void begin_attribute(exr *x, const char *name, const char *type, int size)
{
    wri_out_bytes(x->out, name, strlen(name) + 1);
    wri_out_bytes(x->out, type, strlen(type) + 1);
    put(x, (uint64_t)size, 4);
}

static void put_box(exr *x, const char *name)
{
    begin_attribute(x, name, "box2i", 16);
    put(x, 0, 8);
    put(x, (uint64_t)(x->width - 1), 4);
    put(x, (uint64_t)(x->height - 1), 4);
}

static void put_header(exr *x)
{
    static const char *const channels[] = {"B", "G", "R"};
    const uint64_t one = 0x3f800000; // 1.0f
    put(x, MAGIC, 4);
    put(x, VERSION, 4);
    begin_attribute(x, "software", "string", 7); // first: by it we know our own files again
    wri_out_bytes(x->out, "Wrought", 7);
    begin_attribute(x, "channels", "chlist", 3 * 18 + 1);
    for (int i = 0; i < 3; i++) {
        wri_out_bytes(x->out, channels[i], 2);
        put(x, HALF, 4);
        put(x, 0, 4);
        put(x, 1, 4); // every column and every row has one
        put(x, 1, 4);
    }
    put(x, 0, 1);
    begin_attribute(x, "compression", "compression", 1);
    put(x, ZIP, 1);
    put_box(x, "dataWindow");
    put_box(x, "displayWindow");
    begin_attribute(x, "lineOrder", "lineOrder", 1);
    put(x, 0, 1); // from the top
    begin_attribute(x, "pixelAspectRatio", "float", 4);
    put(x, one, 4);
    begin_attribute(x, "screenWindowCenter", "v2f", 8);
    put(x, 0, 8);
    begin_attribute(x, "screenWindowWidth", "float", 4);
    put(x, one, 4);
    put(x, 0, 1);
}

static void put_file(exr *x)
{
    put_header(x);
    uint64_t begin = HEADER + 8 * (uint64_t)x->block_count;
    for (int i = 0; i < x->block_count; i++) {
        put(x, begin + x->starts[i], 8);
    }
    wri_out_bytes(x->out, x->packed, x->starts[x->block_count]);
}

static bool check_picture(const char *path, int width, int height, wr_error *error)
{
    return (width >= 1 && height >= 1 && width <= MAX_SIDE && height <= MAX_SIDE) ||
           wri_fail(error, WR_E_ARGUMENT, "%s: %d x %d pixels, expected 1 to %d a side", path,
                    width, height, MAX_SIDE);
}

bool wr_exr_write(const char *path, const float *light, int width, int height, wr_error *error)
{
    if (!WRI_REQUIRE(error, path, light) || !check_picture(path, width, height, error)) {
        return false;
    }
    exr x = {.arena = wri_arena_create(NULL), .light = light, .width = width, .height = height};
    bool ok = open_zip(&x, error);
    for (int i = 0; ok && i < x.block_count; i++) {
        ok = pack_block(&x, i, error);
    }
    x.out = ok ? wri_out_create(path, error) : NULL;
    if (x.out) {
        put_file(&x);
    }
    ok = x.out && wri_out_finish(x.out, error);
    wri_out_destroy(x.out);
    if (x.is_zip_open) {
        deflateEnd(&x.zip);
    }
    wri_arena_destroy(&x.arena);
    return ok;
}
