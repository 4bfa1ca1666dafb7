// glb_pack.c: laying down the bytes of a .glb (glTF 2.0, binary form) and describing them.
#include "glb_pack.h"
#include "../base/os.h"

enum { UNSIGNED_BYTE = 5121, UNSIGNED_SHORT = 5123, UNSIGNED_INT = 5125, FLOAT = 5126 };

typedef struct view {
    int offset, size, target;
} view;

typedef struct accessor {
    int view, offset, component_type, components, count;
    bool bounds; // min and max are written
    float min[4], max[4];
} accessor;

wri_glb wri_glb_create(const char *path, wr_error *error)
{
    wri_glb glb = {
        .path = path,
        .json = wri_json_writer_create(NULL, false),
        .bytes = wri_array_create(NULL, 1),
        .views = wri_array_create(NULL, sizeof(view)),
        .accessors = wri_array_create(NULL, sizeof(accessor)),
        .samplers = wri_array_create(NULL, sizeof(wri_glb_sampler)),
        .animation_view = -1,
        .arena = wri_arena_create(NULL),
        .error = error,
    };
    wri_json_begin_object(&glb.json, NULL);
    wri_json_begin_object(&glb.json, "asset");
    wri_json_write_string(&glb.json, "version", "2.0");
    wri_json_write_string(&glb.json, "generator", WRI_PROGRAM);
    wri_json_end_object(&glb.json);
    return glb;
}

void wri_glb_destroy(wri_glb *glb)
{
    wri_json_writer_destroy(&glb->json);
    wri_array_destroy(&glb->bytes);
    wri_array_destroy(&glb->views);
    wri_array_destroy(&glb->accessors);
    wri_array_destroy(&glb->samplers);
    wri_arena_destroy(&glb->arena);
}

bool wri_glb_fail_memory(wri_glb *glb)
{
    return wri_fail(glb->error, WR_E_MEMORY, "%s: out of memory", glb->path);
}

// --- bytes ------------------------------------------------------------------------------------

// Every piece starts aligned to 4 because every piece ends so.
static uint8_t *add_bytes(wri_glb *glb, size_t size, int *offset)
{
    size_t padded = (size + 3) / 4 * 4;
    uint8_t *room = padded > INT32_MAX ? NULL : wri_array_add(&glb->bytes, (int)padded);
    *offset = glb->bytes.count - (int)padded;
    return room;
}

static int describe_view(wri_glb *glb, int offset, size_t size, int target)
{
    view *v = wri_array_add(&glb->views, 1);
    if (!v) {
        return -1;
    }
    *v = (view){offset, (int)size, target};
    return glb->views.count - 1;
}

int wri_glb_add_view(wri_glb *glb, const void *bytes, size_t size, int target)
{
    int offset = 0;
    uint8_t *room = add_bytes(glb, size, &offset);
    if (!room) {
        return -1;
    }
    memcpy(room, bytes, size);
    return describe_view(glb, offset, size, target);
}

static void put_u32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static void put_float(uint8_t *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(out, bits);
}

static void find_bounds(accessor *a, const float *values)
{
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < a->components; k++) {
            float x = values[(size_t)i * (size_t)a->components + (size_t)k];
            a->min[k] = i == 0 || x < a->min[k] ? x : a->min[k];
            a->max[k] = i == 0 || x > a->max[k] ? x : a->max[k];
        }
    }
    a->bounds = true;
}

static int add_accessor(wri_glb *glb, accessor a)
{
    accessor *added = a.view < 0 ? NULL : wri_array_add(&glb->accessors, 1);
    if (!added) {
        return -1;
    }
    *added = a;
    return glb->accessors.count - 1;
}

int wri_glb_add_floats(wri_glb *glb, const float *values, int count, int components, int target,
                       bool bounds)
{
    size_t n = (size_t)count * (size_t)components;
    int offset = 0;
    uint8_t *out = add_bytes(glb, 4 * n, &offset);
    if (!out) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        put_float(out + 4 * i, values[i]);
    }
    accessor a = {.component_type = FLOAT, .components = components, .count = count};
    if (bounds) {
        find_bounds(&a, values);
    }
    a.view = target == WRI_GLB_NO_TARGET ? glb->animation_view : -1;
    if (a.view >= 0) {
        view *v = &WRI_ITEM(glb->views, view, a.view);
        WR_ASSERT(offset == v->offset + v->size);
        a.offset = offset - v->offset;
        v->size = a.offset + (int)(4 * n);
    } else {
        a.view = describe_view(glb, offset, 4 * n, target);
        glb->animation_view = target == WRI_GLB_NO_TARGET ? a.view : glb->animation_view;
    }
    return add_accessor(glb, a);
}

int wri_glb_add_indices(wri_glb *glb, const int *indices, int count, int vertex_count)
{
    bool small = vertex_count < 65535;
    size_t size = (size_t)count * (small ? 2 : 4);
    int offset = 0;
    uint8_t *out = add_bytes(glb, size, &offset);
    if (!out) {
        return -1;
    }
    for (size_t i = 0; i < (size_t)count; i++) {
        if (small) {
            out[2 * i] = (uint8_t)indices[i];
            out[2 * i + 1] = (uint8_t)(indices[i] >> 8);
        } else {
            put_u32(out + 4 * i, (uint32_t)indices[i]);
        }
    }
    return add_accessor(glb, (accessor){
                                 .view = describe_view(glb, offset, size, WRI_GLB_INDICES),
                                 .component_type = small ? UNSIGNED_SHORT : UNSIGNED_INT,
                                 .components = 1,
                                 .count = count,
                             });
}

int wri_glb_add_joints(wri_glb *glb, const int *joints, int count, int last_joint)
{
    size_t width = last_joint < 256 ? 1 : 2, n = 4 * (size_t)count;
    int offset = 0;
    uint8_t *out = add_bytes(glb, n * width, &offset);
    if (!out) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        out[width * i] = (uint8_t)joints[i];
        if (width == 2) {
            out[2 * i + 1] = (uint8_t)(joints[i] >> 8);
        }
    }
    return add_accessor(glb, (accessor){
                                 .view = describe_view(glb, offset, n * width, WRI_GLB_VERTICES),
                                 .component_type = width == 1 ? UNSIGNED_BYTE : UNSIGNED_SHORT,
                                 .components = 4,
                                 .count = count,
                             });
}

int wri_glb_add_matrices(wri_glb *glb, const wr_mat34 *matrices, int count)
{
    size_t size = 64 * (size_t)count;
    int offset = 0;
    uint8_t *out = add_bytes(glb, size, &offset);
    if (!out) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 16; k++, out += 4) { // column by column
            put_float(out, k % 4 < 3 ? matrices[i].m[k % 4][k / 4] : k == 15 ? 1.0f : 0.0f);
        }
    }
    return add_accessor(glb, (accessor){
                                 .view = describe_view(glb, offset, size, WRI_GLB_NO_TARGET),
                                 .component_type = FLOAT,
                                 .components = 16,
                                 .count = count,
                             });
}

int wri_glb_add_whole(wri_glb *glb, const int *values, int count)
{
    size_t size = 4 * (size_t)count;
    int offset = 0;
    uint8_t *out = add_bytes(glb, size, &offset);
    if (!out) {
        return -1;
    }
    for (size_t i = 0; i < (size_t)count; i++) {
        put_u32(out + 4 * i, (uint32_t)values[i]);
    }
    return add_accessor(glb, (accessor){
                                 .view = describe_view(glb, offset, size, WRI_GLB_NO_TARGET),
                                 .component_type = UNSIGNED_INT,
                                 .components = 1,
                                 .count = count,
                             });
}

int wri_glb_add_real(wri_glb *glb, const float *values, int count, int components)
{
    glb->animation_view = -1; // the view at hand is complete
    int added = wri_glb_add_floats(glb, values, count, components, WRI_GLB_NO_TARGET, false);
    glb->animation_view = -1;
    return added;
}

// --- JSON -------------------------------------------------------------------------------------

void wri_glb_write_floats(wri_glb *glb, const char *key, const float *values, int count)
{
    wri_json_begin_array(&glb->json, key);
    for (int i = 0; i < count; i++) {
        wri_json_write_float(&glb->json, NULL, values[i]);
    }
    wri_json_end_array(&glb->json);
}

void wri_glb_write_name(wri_glb *glb, const char *name)
{
    if (name && *name) {
        wri_json_write_string(&glb->json, "name", name);
    }
}

static void write_accessors(wri_glb *glb)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    wri_json_writer *json = &glb->json;
    wri_json_begin_array(json, "accessors");
    for (int i = 0; i < glb->accessors.count; i++) {
        const accessor *a = &WRI_ITEM(glb->accessors, accessor, i);
        wri_json_begin_object(json, NULL);
        wri_json_write_int(json, "bufferView", a->view);
        if (a->offset > 0) {
            wri_json_write_int(json, "byteOffset", a->offset);
        }
        wri_json_write_int(json, "componentType", a->component_type);
        wri_json_write_int(json, "count", a->count);
        wri_json_write_string(json, "type", a->components == 16 ? "MAT4" : types[a->components]);
        if (a->bounds) {
            wri_glb_write_floats(glb, "min", a->min, a->components);
            wri_glb_write_floats(glb, "max", a->max, a->components);
        }
        wri_json_end_object(json);
    }
    wri_json_end_array(json);
}

static void write_views(wri_glb *glb)
{
    wri_json_writer *json = &glb->json;
    wri_json_begin_array(json, "bufferViews");
    for (int i = 0; i < glb->views.count; i++) {
        const view *v = &WRI_ITEM(glb->views, view, i);
        wri_json_begin_object(json, NULL);
        wri_json_write_int(json, "buffer", 0);
        if (v->offset > 0) {
            wri_json_write_int(json, "byteOffset", v->offset);
        }
        wri_json_write_int(json, "byteLength", v->size);
        if (v->target != WRI_GLB_NO_TARGET) {
            wri_json_write_int(json, "target", v->target);
        }
        wri_json_end_object(json);
    }
    wri_json_end_array(json);
    wri_json_begin_array(json, "buffers");
    wri_json_begin_object(json, NULL);
    wri_json_write_int(json, "byteLength", glb->bytes.count);
    wri_json_end_object(json);
    wri_json_end_array(json);
}

// --- the file ---------------------------------------------------------------------------------

static uint8_t *put_chunk(uint8_t *out, const void *bytes, size_t size, const char type[4],
                          char pad)
{
    size_t padded = (size + 3) / 4 * 4;
    put_u32(out, (uint32_t)padded);
    memcpy(out + 4, type, 4);
    memcpy(out + 8, bytes, size);
    memset(out + 8 + size, pad, padded - size);
    return out + 8 + padded;
}

static bool put_file(wri_glb *glb, const char *json, size_t json_size, uint8_t **file,
                     size_t *file_size)
{
    size_t binary_size = (size_t)glb->bytes.count;
    size_t size = 12 + 8 + (json_size + 3) / 4 * 4 + (binary_size ? 8 + binary_size : 0);
    *file = size > UINT32_MAX ? NULL : wri_alloc(NULL, size, 1);
    if (!*file) {
        return wri_glb_fail_memory(glb);
    }
    *file_size = size;
    memcpy(*file, "glTF", 4);
    put_u32(*file + 4, 2);
    put_u32(*file + 8, (uint32_t)size);
    uint8_t *end = put_chunk(*file + 12, json, json_size, "JSON", ' ');
    if (binary_size) {
        put_chunk(end, glb->bytes.items, binary_size, "BIN\0", 0);
    }
    return true;
}

bool wri_glb_finish(wri_glb *glb, uint8_t **file, size_t *size)
{
    if (glb->accessors.count > 0) {
        write_accessors(glb);
    }
    if (glb->views.count > 0) {
        write_views(glb);
    }
    wri_json_end_object(&glb->json);
    const char *json = wri_json_finish(&glb->json);
    return json ? put_file(glb, json, (size_t)glb->json.text.count - 1, file, size)
                : wri_glb_fail_memory(glb);
}
