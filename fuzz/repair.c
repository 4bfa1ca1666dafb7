// repair.c: lengths and checksums of mutated files made right again.
#include "fuzz.h"
#include "../src/record/format.h"

#include <zlib.h>

static void put_big(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

// --- GLB --------------------------------------------------------------------------------------

// The JSON chunk reaches to the BIN chunk, that one to the end of the file.
void fuzz_repair_glb(uint8_t *bytes, size_t size)
{
    if (size < 20) {
        return;
    }
    memcpy(bytes, "glTF\2\0\0", 8);
    wri_write_little(bytes + 8, size, 4);
    memcpy(bytes + 16, "JSON", 4);
    size_t binary = size;
    for (size_t at = 24; at + 4 <= size; at += 4) {
        if (memcmp(bytes + at, "BIN", 4) == 0) {
            binary = at - 4;
            wri_write_little(bytes + binary, size - at - 4, 4);
            break;
        }
    }
    wri_write_little(bytes + 12, binary - 20, 4);
}

// --- PNG --------------------------------------------------------------------------------------

void fuzz_repair_png(uint8_t *bytes, size_t size)
{
    if (size < 8) {
        return;
    }
    memcpy(bytes, "\x89PNG\r\n\x1a\n", 8);
    for (size_t at = 8; at + 12 <= size;) {
        size_t length = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 |
                        (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (length > size - at - 12) {
            length = size - at - 12;
            put_big(bytes + at, (uint32_t)length);
        }
        uLong sum = crc32(0, bytes + at + 4, (uInt)length + 4);
        put_big(bytes + at + 8 + length, (uint32_t)sum);
        at += 12 + length;
    }
}

// --- recordings -------------------------------------------------------------------------------

static bool is_chunk(const uint8_t *bytes)
{
    static const char kinds[][5] = {"INFO", "ASST", "MODL", "FRAM", "SNAP", "INDX", "FOOT"};
    for (int i = 0; i < WRI_COUNT(kinds); i++) {
        if (memcmp(bytes, kinds[i], 4) == 0) {
            return true;
        }
    }
    return false;
}

static size_t find_chunk(const uint8_t *bytes, size_t at, size_t size)
{
    while (at + WRI_CHUNK_HEAD_SIZE <= size && !is_chunk(bytes + at)) {
        at++;
    }
    return at + WRI_CHUNK_HEAD_SIZE <= size ? at : size;
}

// Every chunk reaches to the next one.
static void repair_chunk(uint8_t *bytes, size_t at, size_t end, size_t index)
{
    uint8_t *head = bytes + at, *payload = head + WRI_CHUNK_HEAD_SIZE;
    size_t stored = end - at - WRI_CHUNK_HEAD_SIZE;
    if (memcmp(head, "FOOT", 4) == 0 && stored >= 8 && index) {
        wri_write_little(payload, index, 8);
    }
    if (memcmp(head, "ASST", 4) == 0 && !(head[4] & WRI_CHUNK_PACKED)) {
        fuzz_repair_glb(payload, stored);
    }
    wri_write_little(head + 8, stored, 4);
    if (!(head[4] & WRI_CHUNK_PACKED)) {
        wri_write_little(head + 12, stored, 4);
    }
    wri_write_little(head + 16, wri_chunk_checksum(head, payload, stored, (int64_t)at), 8);
}

void fuzz_repair_recording(uint8_t *bytes, size_t size)
{
    if (size < WRI_RECORD_HEADER_SIZE) {
        return;
    }
    wri_record_header_write(bytes, WRI_RECORD_VERSION);
    size_t index = 0;
    for (size_t at = find_chunk(bytes, WRI_RECORD_HEADER_SIZE, size); at < size;) {
        size_t end = find_chunk(bytes, at + WRI_CHUNK_HEAD_SIZE, size);
        index = memcmp(bytes + at, "INDX", 4) == 0 ? at : index;
        repair_chunk(bytes, at, end, index);
        at = end;
    }
}

// --- snapshots --------------------------------------------------------------------------------

enum { WORLD_HEAD = 16, RIGID_HEAD = 48, RIGID_HASH = 40 };

// The engine's bytes are the last ones, and begin with its mark.
void fuzz_repair_snapshot(uint8_t *bytes, size_t size)
{
    if (size < WORLD_HEAD) {
        return;
    }
    memcpy(bytes, "wrworld", 8);
    for (size_t at = WORLD_HEAD + 8; at + RIGID_HEAD <= size; at++) {
        if (memcmp(bytes + at, "WRDS", 4) == 0) {
            uint8_t *rigid = bytes + at;
            memset(rigid + RIGID_HASH, 0, 8);
            uint64_t hash = wri_hash(rigid + RIGID_HEAD, size - at - RIGID_HEAD,
                                     wri_hash(rigid, RIGID_HEAD, 0));
            memcpy(rigid + RIGID_HASH, &hash, 8);
            wri_write_little(rigid - 8, size - at, 8);
            break;
        }
    }
    wri_write_little(bytes + 8, wri_hash(bytes + WORLD_HEAD, size - WORLD_HEAD, 0), 8);
}
