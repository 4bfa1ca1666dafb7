// gltf_meshopt.c: buffer views that EXT_meshopt_compression and KHR_meshopt_compression have
// packed.
//
// libmeshoptimizer's decoders stay within the bytes they are given whatever those are; what they
// assume of counts and strides is checked here first. Its version 0.18 knows version 0 of the codec
// of attributes and versions 0 and 1 of those of indices; a file that needs a later one, as
// KHR_meshopt_compression allows, is refused by that number.
#include "gltf.h"

#include <meshoptimizer.h>

typedef enum mode { ATTRIBUTES, TRIANGLES, INDICES, MODES } mode;
typedef enum filter { NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL, FILTERS } filter;

typedef struct packing {
    const wri_json *json;
    int view;
    const uint8_t *bytes;
    uint64_t size, count, stride; // stride: bytes of an element when it is unpacked
    mode mode;
    filter filter;
} packing;

bool wri_gltf_find_packing(wri_gltf *g, const wri_json *json, const wri_json **out)
{
    const wri_json *extensions = NULL;
    *out = NULL;
    return wri_gltf_object(g, json, "extensions", &extensions) &&
           wri_gltf_object(g, extensions, "EXT_meshopt_compression", out) &&
           wri_gltf_object(g, extensions, "KHR_meshopt_compression", out);
}

static bool read_word(wri_gltf *g, const packing *p, const char *key, const char *const *words,
                      int count, int *out)
{
    const char *word = words[0];
    if (!wri_gltf_text(g, p->json, key, &word)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return wri_gltf_fail(g, p->json, WR_E_UNSUPPORTED,
                         "buffer view %d is compressed with the %s \"%.20s\", which is not known",
                         p->view, key, word);
}

static bool read_packing(wri_gltf *g, packing *p)
{
    static const char *const modes[MODES] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[FILTERS] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    int which_mode = ATTRIBUTES, which_filter = NONE;
    if (!wri_gltf_integer(g, p->json, "count", INT32_MAX, &p->count) ||
        !wri_gltf_integer(g, p->json, "byteStride", 257, &p->stride) ||
        !read_word(g, p, "mode", modes, MODES, &which_mode) ||
        !read_word(g, p, "filter", filters, FILTERS, &which_filter)) {
        return false;
    }
    p->mode = (mode)which_mode;
    p->filter = (filter)which_filter;
    return true;
}

// What the decoders take for granted.
static bool can_be_decoded(const packing *p)
{
    uint64_t stride = p->stride;
    if (p->mode != ATTRIBUTES) {
        return (stride == 2 || stride == 4) && p->filter == NONE &&
               (p->mode == INDICES || p->count % 3 == 0);
    }
    return stride > 0 && stride % 4 == 0 &&
           (p->filter != OCTAHEDRAL || stride == 4 || stride == 8) &&
           (p->filter != QUATERNION || stride == 8);
}

static bool check_packing(wri_gltf *g, const packing *p, uint64_t size)
{
    if (!can_be_decoded(p)) {
        return wri_gltf_fail(
            g, p->json, WR_E_FORMAT,
            "buffer view %d: %llu elements of %llu bytes cannot be compressed with "
            "this mode and filter",
            p->view, (unsigned long long)p->count, (unsigned long long)p->stride);
    }
    if (p->count == 0 || p->count * p->stride != size) {
        return wri_gltf_fail(g, p->json, WR_E_FORMAT,
                             "buffer view %d has %llu bytes, but is compressed from %llu elements "
                             "of %llu",
                             p->view, (unsigned long long)size, (unsigned long long)p->count,
                             (unsigned long long)p->stride);
    }
    return true;
}

// The first byte is the kind of the codec in its upper half and its version in the lower.
static bool check_version(wri_gltf *g, const packing *p)
{
    static const int kinds[MODES] = {0xa, 0xe, 0xd}, latest[MODES] = {0, 1, 1};
    int first = p->size > 0 ? p->bytes[0] : 0, version = first & 15;
    if (first >> 4 != kinds[p->mode]) {
        return wri_gltf_fail(g, p->json, WR_E_FORMAT,
                             "buffer view %d: its bytes are not compressed as their mode says",
                             p->view);
    }
    return version <= latest[p->mode] ||
           wri_gltf_fail(
               g, p->json, WR_E_UNSUPPORTED,
               "buffer view %d is compressed by version %d of the meshopt codec, expected "
               "at most %d",
               p->view, version, latest[p->mode]);
}

static bool decode(const packing *p, uint8_t *out)
{
    size_t count = (size_t)p->count, stride = (size_t)p->stride, size = (size_t)p->size;
    int status =
        p->mode == ATTRIBUTES  ? meshopt_decodeVertexBuffer(out, count, stride, p->bytes, size)
        : p->mode == TRIANGLES ? meshopt_decodeIndexBuffer(out, count, stride, p->bytes, size)
                               : meshopt_decodeIndexSequence(out, count, stride, p->bytes, size);
    if (status != 0) {
        return false;
    }
    if (p->filter == OCTAHEDRAL) {
        meshopt_decodeFilterOct(out, count, stride);
    } else if (p->filter == QUATERNION) {
        meshopt_decodeFilterQuat(out, count, stride);
    } else if (p->filter == EXPONENTIAL) {
        meshopt_decodeFilterExp(out, count, stride);
    }
    return true;
}

bool wri_gltf_unpack_view(wri_gltf *g, int view, const wri_json *json, uint64_t size,
                          const uint8_t **bytes)
{
    packing p = {.json = json, .view = view};
    if (g->unpacked[view]) {
        *bytes = g->unpacked[view];
        return true;
    }
    if (!read_packing(g, &p) || !check_packing(g, &p, size) ||
        !wri_gltf_find_bytes(g, json, view, &p.bytes, &p.size) || !check_version(g, &p) ||
        !wri_gltf_keep(g, json, (int)p.count, (size_t)p.stride)) {
        return false;
    }
    uint8_t *out = wri_arena_alloc(&g->arena, (size_t)p.count, (size_t)p.stride);
    if (!out) {
        return wri_fail_memory(g->error, (size_t)size);
    }
    if (!decode(&p, out)) {
        return wri_gltf_fail(g, json, WR_E_FORMAT,
                             "buffer view %d: its compressed bytes are damaged", view);
    }
    *bytes = g->unpacked[view] = out;
    return true;
}
