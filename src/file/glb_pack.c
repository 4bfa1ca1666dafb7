// glb_pack.c: laying down the bytes of a .glb (glTF 2.0, binary form) and describing them.
#include "glb_pack.h"
#include "../base/os.h"

enum {
    UNSIGNED_BYTE = 5121,
    SHORT = 5122,
    UNSIGNED_SHORT = 5123,
    UNSIGNED_INT = 5125,
    FLOAT = 5126
};

typedef struct view {
    int offset, size, target;
    int stream; // that fills it, -1: none
} view;

typedef struct accessor {
    int view, offset, component_type, components, count;
    bool normalized;
    bool bounds; // min and max are written
    float min[4], max[4];
    int sparse_count, index_type; // elements that are not 0, when only these are written
    int sparse_views[2];          // their numbers, their values; `view` is -1 then
} accessor;

wri_glb wri_glb_create(const char *path, wr_error *error)
{
    wri_glb glb = {
        .path = path,
        .json = wri_json_writer_create(NULL, false),
        .bytes = wri_array_create(NULL, 1),
        .views = wri_array_create(NULL, sizeof(view)),
        .accessors = wri_array_create(NULL, sizeof(accessor)),
        .streams = wri_array_create(NULL, sizeof(wri_glb_stream)),
        .samplers = wri_array_create(NULL, sizeof(wri_glb_sampler)),
        .targets = wri_array_create(NULL, sizeof(int)),
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
    wri_array_destroy(&glb->targets);
    for (int i = 0; i < glb->streams.count; i++) {
        wri_array_destroy(&WRI_ITEM(glb->streams, wri_glb_stream, i).bytes);
    }
    wri_array_destroy(&glb->streams);
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
    *v = (view){offset, (int)size, target, -1};
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

static void meet_bounds(accessor *a, int component, float x, bool first)
{
    a->min[component] = first || x < a->min[component] ? x : a->min[component];
    a->max[component] = first || x > a->max[component] ? x : a->max[component];
}

static int add_accessor(wri_glb *glb, accessor a)
{
    bool ok = a.sparse_count > 0 ? a.sparse_views[0] >= 0 && a.sparse_views[1] >= 0 : a.view >= 0;
    accessor *added = ok ? wri_array_add(&glb->accessors, 1) : NULL;
    if (!added) {
        return -1;
    }
    *added = a;
    return glb->accessors.count - 1;
}

// The number of the stream of a kind, -1 when out of memory.
static int find_stream(wri_glb *glb, wri_glb_stream kind)
{
    for (int i = 0; i < glb->streams.count; i++) {
        const wri_glb_stream *s = &WRI_ITEM(glb->streams, wri_glb_stream, i);
        if (s->target == kind.target && s->stride == kind.stride && s->filter == kind.filter) {
            return i;
        }
    }
    kind.view = describe_view(glb, 0, 0, kind.target);
    kind.bytes = wri_array_create(NULL, 1);
    wri_glb_stream *added = kind.view < 0 ? NULL : wri_array_add(&glb->streams, 1);
    if (!added) {
        return -1;
    }
    *added = kind;
    return WRI_ITEM(glb->views, view, kind.view).stream = glb->streams.count - 1;
}

static uint8_t *add_to_stream(wri_glb *glb, wri_glb_stream kind, size_t size, accessor *a)
{
    int number = find_stream(glb, kind);
    if (number < 0 || size > INT32_MAX) {
        return NULL;
    }
    wri_glb_stream *s = &WRI_ITEM(glb->streams, wri_glb_stream, number);
    a->view = s->view;
    a->offset = s->bytes.count;
    return wri_array_add(&s->bytes, (int)size);
}

// Room for the elements of an accessor, which learns where they are.
static uint8_t *add_elements(wri_glb *glb, wri_glb_stream kind, accessor *a)
{
    size_t size = (size_t)a->count * (size_t)kind.stride;
    if (glb->compress) {
        return add_to_stream(glb, kind, size, a);
    }
    int offset = 0;
    uint8_t *room = add_bytes(glb, size, &offset);
    a->view = kind.target == WRI_GLB_NO_TARGET ? glb->animation_view : -1;
    if (room && a->view >= 0) {
        view *v = &WRI_ITEM(glb->views, view, a->view);
        WR_ASSERT(offset == v->offset + v->size);
        a->offset = offset - v->offset;
        v->size = a->offset + (int)size;
    } else if (room) {
        a->view = describe_view(glb, offset, size, kind.target);
        glb->animation_view = kind.target == WRI_GLB_NO_TARGET ? a->view : glb->animation_view;
    }
    return room && a->view >= 0 ? room : NULL;
}

// As m 2^e: e in the upper byte, m in the lower three.
static uint32_t code_exponential(float value, int exponent, float *rounded)
{
    double m = floor(ldexp((double)value, -exponent) + 0.5);
    *rounded = (float)ldexp(m, exponent);
    return (uint32_t)exponent << 24 | ((uint32_t)(int32_t)m & 0xffffff);
}

// --- accessors --------------------------------------------------------------------------------

static int width_of(int component_type)
{
    return component_type == UNSIGNED_BYTE ? 1 : component_type == UNSIGNED_SHORT ? 2 : 4;
}

// The smallest type that holds every number up to `last`.
static int whole_type(int last)
{
    return last <= UINT8_MAX ? UNSIGNED_BYTE : last <= UINT16_MAX ? UNSIGNED_SHORT : UNSIGNED_INT;
}

static void put_whole(uint8_t *out, int value, int width)
{
    for (int i = 0; i < width; i++) {
        out[i] = (uint8_t)((uint32_t)value >> (8 * i));
    }
}

// True when every bit of an element is 0: -0 is not.
static bool is_blank(const float *element, int components)
{
    static const float zero[4] = {0};
    return memcmp(element, zero, (size_t)components * sizeof *element) == 0;
}

// Elements that are not blank, when writing only these saves a quarter; else 0.
static int count_sparse(const wri_glb_floats *f)
{
    int64_t count = 0, size = 4 * (int64_t)f->components;
    for (int i = 0; i < f->count; i++) {
        count += !is_blank(f->values + (size_t)i * (size_t)f->components, f->components);
    }
    int64_t sparse = count * (size + width_of(whole_type(f->count - 1)));
    return 4 * sparse < 3 * size * f->count ? (int)count : 0;
}

// Views of the elements that are not blank and of their numbers.
static bool add_sparse(wri_glb *glb, const wri_glb_floats *f, accessor *a)
{
    int width = width_of(a->index_type = whole_type(f->count - 1)), offset = 0;
    size_t row = 4 * (size_t)f->components, size = (size_t)a->sparse_count * (size_t)width;
    uint8_t *out = add_bytes(glb, size, &offset);
    a->sparse_views[0] = out ? describe_view(glb, offset, size, WRI_GLB_NO_TARGET) : -1;
    for (int i = 0; i < f->count && out; i++) {
        if (!is_blank(f->values + (size_t)i * (size_t)f->components, f->components)) {
            put_whole(out, i, width);
            out += width;
        }
    }
    out = out ? add_bytes(glb, (size_t)a->sparse_count * row, &offset) : NULL;
    a->sparse_views[1] =
        out ? describe_view(glb, offset, (size_t)a->sparse_count * row, WRI_GLB_NO_TARGET) : -1;
    for (size_t i = 0; i < (size_t)f->count && out; i++) {
        const float *element = f->values + i * (size_t)f->components;
        for (int k = 0; k < f->components && !is_blank(element, f->components); k++, out += 4) {
            put_float(out, element[k]);
        }
    }
    return a->sparse_views[1] >= 0;
}

static int add_sparse_floats(wri_glb *glb, const wri_glb_floats *f, int count)
{
    accessor a = {.view = -1,
                  .component_type = FLOAT,
                  .components = f->components,
                  .count = f->count,
                  .bounds = f->bounds,
                  .sparse_count = count};
    for (size_t i = 0; i < (size_t)f->count * (size_t)f->components && f->bounds; i++) {
        size_t component = i % (size_t)f->components;
        meet_bounds(&a, (int)component, f->values[i], i == component);
    }
    return add_sparse(glb, f, &a) ? add_accessor(glb, a) : -1;
}

int wri_glb_add_floats(wri_glb *glb, wri_glb_floats f)
{
    int sparse = f.sparse && !glb->compress ? count_sparse(&f) : 0;
    if (sparse > 0) {
        return add_sparse_floats(glb, &f, sparse);
    }
    size_t n = (size_t)f.count * (size_t)f.components;
    bool rounds = glb->compress && f.step > 0.0f;
    accessor a = {.component_type = FLOAT, .components = f.components, .count = f.count};
    const wri_glb_stream kind = {.target = f.target,
                                 .stride = 4 * f.components,
                                 .filter = rounds ? WRI_GLB_EXPONENTIAL : WRI_GLB_PLAIN};
    uint8_t *out = add_elements(glb, kind, &a);
    if (!out) {
        return -1;
    }
    int exponent = rounds ? wri_glb_exponent(&f) : 0;
    glb->rounding += rounds && f.bounds ? ldexpf(0.5f, exponent) : 0.0f;
    for (size_t i = 0; i < n; i++) {
        float value = f.values[i];
        if (rounds) {
            put_u32(out + 4 * i, code_exponential(f.values[i], exponent, &value));
        } else {
            put_float(out + 4 * i, value);
        }
        if (f.bounds) {
            meet_bounds(&a, (int)(i % (size_t)f.components), value, i < (size_t)f.components);
        }
    }
    a.bounds = f.bounds;
    return add_accessor(glb, a);
}

int wri_glb_add_normals(wri_glb *glb, const wr_vec3 *unit, int count)
{
    enum { BITS = 12 }; // of each of the two coordinates on an octahedron
    if (!glb->compress) {
        return wri_glb_add_floats(
            glb, (wri_glb_floats){&unit->x, count, 3, WRI_GLB_VERTICES, false, 0.0f});
    }
    accessor a = {.component_type = SHORT, .components = 3, .count = count, .normalized = true};
    const wri_glb_stream kind = {
        .target = WRI_GLB_VERTICES, .stride = 8, .filter = WRI_GLB_OCTAHEDRAL};
    uint8_t *out = add_elements(glb, kind, &a);
    if (!out) {
        return -1;
    }
    wri_glb_code_normals(unit, count, BITS, out);
    return add_accessor(glb, a);
}

int wri_glb_add_indices(wri_glb *glb, const int *indices, int count, int vertex_count)
{
    bool small = vertex_count < 65535;
    accessor a = {
        .component_type = small ? UNSIGNED_SHORT : UNSIGNED_INT, .components = 1, .count = count};
    const wri_glb_stream kind = {.target = WRI_GLB_INDICES, .stride = small ? 2 : 4};
    uint8_t *out = add_elements(glb, kind, &a);
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
    return add_accessor(glb, a);
}

int wri_glb_add_joints(wri_glb *glb, const int *joints, int count, int last_joint)
{
    size_t width = last_joint < 256 ? 1 : 2, n = 4 * (size_t)count;
    accessor a = {.component_type = width == 1 ? UNSIGNED_BYTE : UNSIGNED_SHORT,
                  .components = 4,
                  .count = count};
    const wri_glb_stream kind = {.target = WRI_GLB_VERTICES, .stride = 4 * (int)width};
    uint8_t *out = add_elements(glb, kind, &a);
    if (!out) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        out[width * i] = (uint8_t)joints[i];
        if (width == 2) {
            out[2 * i + 1] = (uint8_t)(joints[i] >> 8);
        }
    }
    return add_accessor(glb, a);
}

static int whole_weight(float weight)
{
    return (int)(weight * UINT16_MAX + 0.5f);
}

int wri_glb_add_weights(wri_glb *glb, const float *weights, int count)
{
    size_t n = 4 * (size_t)count;
    bool exact = !glb->compress;
    for (size_t i = 0; i < n && exact; i++) {
        exact = (float)whole_weight(weights[i]) / UINT16_MAX == weights[i];
    }
    if (!exact) {
        return wri_glb_add_floats(glb,
                                  (wri_glb_floats){weights, count, 4, WRI_GLB_VERTICES, false, 0});
    }
    accessor a = {
        .component_type = UNSIGNED_SHORT, .components = 4, .count = count, .normalized = true};
    uint8_t *out = add_elements(glb, (wri_glb_stream){.target = WRI_GLB_VERTICES, .stride = 8}, &a);
    for (size_t i = 0; i < n && out; i++) {
        put_whole(out + 2 * i, whole_weight(weights[i]), 2);
    }
    return out ? add_accessor(glb, a) : -1;
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
    int last = 0, offset = 0;
    for (int i = 0; i < count; i++) {
        last = values[i] > last ? values[i] : last;
    }
    int width = width_of(whole_type(last));
    size_t size = (size_t)count * (size_t)width;
    uint8_t *out = add_bytes(glb, size, &offset);
    if (!out) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        put_whole(out + (size_t)i * (size_t)width, values[i], width);
    }
    return add_accessor(glb, (accessor){
                                 .view = describe_view(glb, offset, size, WRI_GLB_NO_TARGET),
                                 .component_type = whole_type(last),
                                 .components = 1,
                                 .count = count,
                             });
}

int wri_glb_add_real(wri_glb *glb, const float *values, int count, int components)
{
    glb->animation_view = -1; // the view at hand is complete
    const wri_glb_floats floats = {
        .values = values, .count = count, .components = components, .sparse = true};
    int added = wri_glb_add_floats(glb, floats);
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

static void write_sparse(wri_json_writer *json, const accessor *a)
{
    wri_json_begin_object(json, "sparse");
    wri_json_write_int(json, "count", a->sparse_count);
    wri_json_begin_object(json, "indices");
    wri_json_write_int(json, "bufferView", a->sparse_views[0]);
    wri_json_write_int(json, "componentType", a->index_type);
    wri_json_end_object(json);
    wri_json_begin_object(json, "values");
    wri_json_write_int(json, "bufferView", a->sparse_views[1]);
    wri_json_end_object(json);
    wri_json_end_object(json);
}

static void write_accessors(wri_glb *glb)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    wri_json_writer *json = &glb->json;
    wri_json_begin_array(json, "accessors");
    for (int i = 0; i < glb->accessors.count; i++) {
        const accessor *a = &WRI_ITEM(glb->accessors, accessor, i);
        wri_json_begin_object(json, NULL);
        if (a->view >= 0) {
            wri_json_write_int(json, "bufferView", a->view);
        }
        if (a->offset > 0) {
            wri_json_write_int(json, "byteOffset", a->offset);
        }
        wri_json_write_int(json, "componentType", a->component_type);
        wri_json_write_int(json, "count", a->count);
        wri_json_write_string(json, "type", a->components == 16 ? "MAT4" : types[a->components]);
        if (a->normalized) {
            wri_json_write_bool(json, "normalized", true);
        }
        if (a->bounds) {
            wri_glb_write_floats(glb, "min", a->min, a->components);
            wri_glb_write_floats(glb, "max", a->max, a->components);
        }
        if (a->sparse_count > 0) {
            write_sparse(json, a);
        }
        wri_json_end_object(json);
    }
    wri_json_end_array(json);
}

static void write_view(wri_glb *glb, const view *v)
{
    wri_json_writer *json = &glb->json;
    wri_json_begin_object(json, NULL);
    wri_json_write_int(json, "buffer", v->stream < 0 ? 0 : 1);
    if (v->offset > 0) {
        wri_json_write_int(json, "byteOffset", v->offset);
    }
    wri_json_write_int(json, "byteLength", v->size);
    if (v->target != WRI_GLB_NO_TARGET) {
        wri_json_write_int(json, "target", v->target);
    }
    if (v->stream >= 0) {
        wri_glb_write_stream(glb, &WRI_ITEM(glb->streams, wri_glb_stream, v->stream));
    }
    wri_json_end_object(json);
}

static void write_views(wri_glb *glb)
{
    wri_json_writer *json = &glb->json;
    wri_json_begin_array(json, "bufferViews");
    for (int i = 0; i < glb->views.count; i++) {
        write_view(glb, &WRI_ITEM(glb->views, view, i));
    }
    wri_json_end_array(json);
    wri_json_begin_array(json, "buffers");
    wri_json_begin_object(json, NULL);
    wri_json_write_int(json, "byteLength", glb->bytes.count);
    wri_json_end_object(json);
    if (glb->streams.count > 0) { // what the views would be of, were they not packed
        const view *last = &WRI_ITEM(
            glb->views, view, WRI_ITEM(glb->streams, wri_glb_stream, glb->streams.count - 1).view);
        wri_json_begin_object(json, NULL);
        wri_json_write_int(json, "byteLength", last->offset + last->size);
        wri_json_begin_object(json, "extensions");
        wri_json_begin_object(json, WRI_GLB_MESHOPT);
        wri_json_write_bool(json, "fallback", true);
        wri_json_end_object(json);
        wri_json_end_object(json);
        wri_json_end_object(json);
    }
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

// Packs the streams; their views lie one after the other in the buffer that is not there.
static bool pack_streams(wri_glb *glb)
{
    int64_t offset = 0;
    for (int i = 0; i < glb->streams.count; i++) {
        wri_glb_stream *s = &WRI_ITEM(glb->streams, wri_glb_stream, i);
        view *v = &WRI_ITEM(glb->views, view, s->view);
        v->offset = (int)offset;
        v->size = s->bytes.count;
        offset = (offset + v->size + 3) / 4 * 4;
        if (offset > INT32_MAX || !wri_glb_pack_stream(glb, s)) {
            return wri_glb_fail_memory(glb);
        }
        wri_array_destroy(&s->bytes);
    }
    return true;
}

bool wri_glb_finish(wri_glb *glb, uint8_t **file, size_t *size)
{
    if (!pack_streams(glb)) {
        return false;
    }
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
