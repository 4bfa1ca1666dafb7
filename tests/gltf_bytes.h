// gltf_bytes.h: glTF written by hand, byte by byte, and read back.
#pragma once

#include "folder.h"

#include "../src/base/os.h"
#include "wrought/file.h"

// NULL with an error when the file is refused.
static inline wr_model *try_bytes(const char *name, const void *bytes, size_t size, wr_error *error)
{
    const char *path = in_folder(name);
    assert_true(wri_file_write(path, bytes, size, error));
    return wr_model_read(path, NULL, error);
}

// --- a file in the making ---------------------------------------------------------------------

typedef struct pack {
    uint8_t bytes[2048];
    size_t size;
    char views[2048], accessors[3072];
    int view_count, accessor_count;
    const char *buffers; // JSON of further ones, NULL: none
} pack;

// The bytes begin with some that nobody asks for.
static inline pack begin(void)
{
    return (pack){.bytes = {0xde, 0xad, 0xbe, 0xef, 0xff, 0xff, 0xff, 0x7f}, .size = 8};
}

static inline size_t add_bytes(pack *p, const void *bytes, size_t size)
{
    size_t offset = p->size;
    assert_true(p->size + size + 4 <= sizeof p->bytes);
    memcpy(p->bytes + p->size, bytes, size);
    p->size = (p->size + size + 3) / 4 * 4;
    return offset;
}

static inline int describe_view(pack *p, const char *text)
{
    assert_true(strlen(p->views) + strlen(text) + 2 < sizeof p->views);
    strcat(p->views, p->view_count ? "," : "");
    strcat(p->views, text);
    return p->view_count++;
}

// Appends a view and returns its number. stride 0: it has none.
static inline int add_view(pack *p, const void *bytes, size_t size, int stride)
{
    char text[160], strides[40] = "";
    if (stride) {
        snprintf(strides, sizeof strides, ",\"byteStride\":%d", stride);
    }
    snprintf(text, sizeof text, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu%s}",
             add_bytes(p, bytes, size), size, strides);
    return describe_view(p, text);
}

// fields: what stands in the accessor besides its view. Returns its number.
static inline int add_accessor(pack *p, int view, const char *fields)
{
    char text[512], views[40] = "";
    if (view >= 0) {
        snprintf(views, sizeof views, "\"bufferView\":%d,", view);
    }
    snprintf(text, sizeof text, "%s{%s%s}", p->accessor_count ? "," : "", views, fields);
    assert_true(strlen(p->accessors) + strlen(text) < sizeof p->accessors);
    strcat(p->accessors, text);
    return p->accessor_count++;
}

#define FLOATS(COUNT, TYPE) "\"componentType\":5126,\"count\":" #COUNT ",\"type\":\"" #TYPE "\""

static inline int add_floats(pack *p, const float *values, size_t count, const char *fields)
{
    return add_accessor(p, add_view(p, values, count * sizeof *values, 0), fields);
}

static inline void put_u32(uint8_t *out, size_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

// rest: meshes, nodes and what else there is. NULL with an error when it is refused.
static inline wr_model *try_pack(const pack *p, const char *rest, wr_error *error)
{
    static uint8_t out[16384];
    char json[8192];
    int length = snprintf(json, sizeof json,
                          "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}%s],"
                          "\"bufferViews\":[%s],\"accessors\":[%s],%s}",
                          p->size, p->buffers ? p->buffers : "", p->views, p->accessors, rest);
    assert_true(length > 0 && length < (int)sizeof json);
    size_t padded = ((size_t)length + 3) / 4 * 4, size = 28 + padded + p->size;
    assert_true(size <= sizeof out);
    memcpy(out, "glTF\2\0\0\0", 8);
    put_u32(out + 8, size);
    put_u32(out + 12, padded);
    memcpy(out + 16, "JSON", 4);
    memset(out + 20, ' ', padded);
    memcpy(out + 20, json, (size_t)length);
    put_u32(out + 20 + padded, p->size);
    memcpy(out + 24 + padded, "BIN\0", 4);
    memcpy(out + 28 + padded, p->bytes, p->size);
    return try_bytes("made.glb", out, size, error);
}

static inline wr_model *need_model(wr_model *model, const wr_error *error)
{
    if (!model) {
        fail_msg("%s", error->message);
    }
    return model;
}

static inline wr_model *read_pack(const pack *p, const char *rest)
{
    wr_error error = {0};
    return need_model(try_pack(p, rest, &error), &error);
}

#define ONE_NODE "\"nodes\":[{\"mesh\":0}]"

static inline void expect_floats(const void *got, const float *expected, int count)
{
    for (int i = 0; i < count; i++) {
        float value;
        memcpy(&value, (const char *)got + 4 * i, 4);
        CHECK_NEAR(value, expected[i], 2e-7 * fabs((double)expected[i]));
    }
}

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
