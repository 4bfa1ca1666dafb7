// glb_compress.c: EXT_meshopt_compression: what a .glb has of vertices, triangles and keys, packed.
//
// All elements of one kind lie in one view, so that a file of many small meshes pays for few
// descriptions. Numbers that may be rounded are coded as m 2^e with one e per accessor
// (EXPONENTIAL): multiples of a power of two, which readers get back exactly as floats, so that no
// node has to undo anything. Normals are two shorts on an octahedron, for which glTF needs
// KHR_mesh_quantization.
#include "glb_pack.h"

#include <meshoptimizer.h>

// --- rounding ---------------------------------------------------------------------------------

int wri_glb_exponent(const wri_glb_floats *f)
{
    float largest = 0.0f;
    size_t n = (size_t)f->count * (size_t)f->components;
    for (size_t i = 0; i < n; i++) {
        largest = fmaxf(largest, fabsf(f->values[i]));
    }
    int wanted, least;
    frexpf(f->step, &wanted); // 2^(wanted - 1) <= step < 2^wanted
    frexpf(largest, &least);  // largest < 2^least, and m < 2^23
    least = largest > 0.0f ? least - 22 : -100;
    int exponent = wanted - 1 > least ? wanted - 1 : least;
    return exponent < -100 ? -100 : exponent > 100 ? 100 : exponent;
}

float wri_glb_position_step(const wr_mesh *mesh)
{
    float size = 0.0f;
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < mesh->vertex_count; i++) {
            float x = (&mesh->positions[i].x)[k];
            low = fminf(low, x);
            high = fmaxf(high, x);
        }
        size = fmaxf(size, high - low);
    }
    return fmaxf(fminf(0x1p-16f * size, 0x1p-14f), 0x1p-90f);
}

void wri_glb_code_normals(const wr_vec3 *unit, int count, int bits, uint8_t *out)
{
    for (int i = 0; i < count; i++) {
        const float four[4] = {unit[i].x, unit[i].y, unit[i].z, 0.0f};
        int16_t coded[4];
        meshopt_encodeFilterOct(coded, 1, sizeof coded, bits, four);
        memcpy(out + 8 * (size_t)i, coded, sizeof coded);
    }
}

// --- packing ----------------------------------------------------------------------------------

static size_t pack_triangles(const wri_glb_stream *s, uint8_t *out, size_t room)
{
    size_t count = (size_t)(s->bytes.count / s->stride);
    unsigned *corners = wri_alloc(NULL, count, sizeof *corners);
    const uint8_t *from = s->bytes.items;
    if (!corners) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < s->stride; k++) {
            corners[i] |= (unsigned)*from++ << (8 * k);
        }
    }
    meshopt_encodeIndexVersion(1); // the only one that the extension has
    size_t size = meshopt_encodeIndexBuffer(out, room, corners, count);
    wri_free(NULL, corners, count, sizeof *corners);
    return size;
}

bool wri_glb_pack_stream(wri_glb *glb, wri_glb_stream *s)
{
    bool triangles = s->target == WRI_GLB_INDICES;
    size_t count = (size_t)(s->bytes.count / s->stride), stride = (size_t)s->stride;
    size_t room = triangles ? meshopt_encodeIndexBufferBound(count, count)
                            : meshopt_encodeVertexBufferBound(count, stride);
    s->count = (int)count;
    s->packed_offset = glb->bytes.count;
    uint8_t *out = room > INT32_MAX - 3 ? NULL : wri_array_add(&glb->bytes, (int)room + 3);
    if (!out) {
        return false;
    }
    size_t size = triangles ? pack_triangles(s, out, room)
                            : meshopt_encodeVertexBuffer(out, room, s->bytes.items, count, stride);
    s->packed_size = (int)size;
    memset(out + size, 0, room + 3 - size);
    glb->bytes.count = s->packed_offset + (int)((size + 3) / 4 * 4);
    return size > 0;
}

// --- JSON -------------------------------------------------------------------------------------

void wri_glb_write_stream(wri_glb *glb, const wri_glb_stream *s)
{
    static const char *const filters[] = {NULL, "OCTAHEDRAL", "EXPONENTIAL"};
    wri_json_writer *json = &glb->json;
    bool triangles = s->target == WRI_GLB_INDICES;
    if (s->target == WRI_GLB_VERTICES) {
        wri_json_write_int(json, "byteStride", s->stride);
    }
    wri_json_begin_object(json, "extensions");
    wri_json_begin_object(json, WRI_GLB_MESHOPT);
    wri_json_write_int(json, "buffer", 0);
    wri_json_write_int(json, "byteOffset", s->packed_offset);
    wri_json_write_int(json, "byteLength", s->packed_size);
    wri_json_write_int(json, "byteStride", s->stride);
    wri_json_write_int(json, "count", s->count);
    wri_json_write_string(json, "mode", triangles ? "TRIANGLES" : "ATTRIBUTES");
    if (s->filter != WRI_GLB_PLAIN) {
        wri_json_write_string(json, "filter", filters[s->filter]);
    }
    wri_json_end_object(json);
    wri_json_end_object(json);
}
