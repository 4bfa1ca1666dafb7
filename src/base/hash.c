// hash.c: XXH64 (Y. Collet, xxHash specification 0.1.1), written from the specification.
#include "base.h"

static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                      P4 = 0x85EBCA77C2B2AE63u, P5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static uint64_t little4(const uint8_t *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24;
}

// Spelt out: compilers make one load of it, which they do not of a loop at -O2.
static uint64_t little8(const uint8_t *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

static uint64_t round64(uint64_t lane, uint64_t input)
{
    return rotate(lane + input * P2, 31) * P1;
}

static uint64_t merge(uint64_t hash, uint64_t lane)
{
    return (hash ^ round64(0, lane)) * P1 + P4;
}

uint64_t wri_hash(const void *data, size_t size, uint64_t seed)
{
    const uint8_t *p = size ? data : (const uint8_t *)"", *end = p + size; // NULL may be empty
    uint64_t hash = seed + P5;
    if (size >= 32) {
        uint64_t a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
        for (; end - p >= 32; p += 32) {
            a = round64(a, little8(p));
            b = round64(b, little8(p + 8));
            c = round64(c, little8(p + 16));
            d = round64(d, little8(p + 24));
        }
        hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
        hash = merge(merge(merge(merge(hash, a), b), c), d);
    }
    hash += size;
    for (; end - p >= 8; p += 8) {
        hash = rotate(hash ^ round64(0, little8(p)), 27) * P1 + P4;
    }
    if (end - p >= 4) {
        hash = rotate(hash ^ little4(p) * P1, 23) * P2 + P3;
        p += 4;
    }
    for (; p < end; p++) {
        hash = rotate(hash ^ *p * P5, 11) * P1;
    }
    hash = (hash ^ hash >> 33) * P2;
    hash = (hash ^ hash >> 29) * P3;
    return hash ^ hash >> 32;
}
