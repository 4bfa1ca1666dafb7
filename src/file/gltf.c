// gltf.c: JSON members, buffers and accessors of glTF 2.0 (Khronos, 2021; ISO/IEC 12113).
//
// All offsets, counts and lengths are 64-bit and checked against the bytes that are really there
// before anything is allocated or touched.
#include "gltf.h"
#include "../base/os.h"

#include <stdio.h>

// --- JSON members -----------------------------------------------------------------------------

bool wri_gltf_fail(wri_gltf *g, const wri_json *value, wr_code code, const char *format, ...)
{
    char message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return wri_fail(g->error, code, "%s:%d:%d: %s", g->json_path, value->line, value->column,
                    message);
}

bool wri_gltf_warn(wri_gltf *g, const wri_json *value, const char *format, ...)
{
    char place[512], message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "%s:%d:%d", g->json_path, value->line, value->column);
    return wri_model_warn(g->model, g->error, place, "%s", message);
}

static bool fail_type(wri_gltf *g, const wri_json *value, const char *expected)
{
    return wri_gltf_fail(g, value, WR_E_FORMAT, "%s is %s, expected %s",
                         value->key ? value->key : "the item", wri_json_type_name(value->type),
                         expected);
}

static bool find_typed(wri_gltf *g, const wri_json *object, const char *key, wri_json_type type,
                       const wri_json **out)
{
    const wri_json *value = wri_json_find(object, key);
    if (value && value->type != type) {
        return fail_type(g, value, wri_json_type_name(type));
    }
    *out = value ? value : *out;
    return true;
}

bool wri_gltf_array(wri_gltf *g, const wri_json *object, const char *key, const wri_json **out)
{
    return find_typed(g, object, key, WRI_JSON_ARRAY, out);
}

bool wri_gltf_object(wri_gltf *g, const wri_json *object, const char *key, const wri_json **out)
{
    return find_typed(g, object, key, WRI_JSON_OBJECT, out);
}

bool wri_gltf_text(wri_gltf *g, const wri_json *object, const char *key, const char **out)
{
    const wri_json *value = NULL;
    if (!find_typed(g, object, key, WRI_JSON_STRING, &value)) {
        return false;
    }
    *out = value ? value->string : *out;
    return true;
}

bool wri_gltf_bool(wri_gltf *g, const wri_json *object, const char *key, bool *out)
{
    const wri_json *value = NULL;
    if (!find_typed(g, object, key, WRI_JSON_BOOL, &value)) {
        return false;
    }
    *out = value ? value->boolean : *out;
    return true;
}

static bool as_float(wri_gltf *g, const wri_json *value, float *out)
{
    if (value->type != WRI_JSON_NUMBER) {
        return fail_type(g, value, "a number");
    }
    *out = (float)value->number;
    return isfinite(*out) || wri_gltf_fail(g, value, WR_E_FORMAT, "the number is too large");
}

// count 0: the member itself is a number, not an array.
bool wri_gltf_floats(wri_gltf *g, const wri_json *object, const char *key, int count, float *out)
{
    const wri_json *value = wri_json_find(object, key);
    if (!value) {
        return true;
    }
    if (count == 0) {
        return as_float(g, value, out);
    }
    if (value->type != WRI_JSON_ARRAY || value->count != count) {
        return wri_gltf_fail(g, value, WR_E_FORMAT, "%s: expected %d numbers", key, count);
    }
    for (int i = 0; i < count; i++) {
        if (!as_float(g, &value->items[i], &out[i])) {
            return false;
        }
    }
    return true;
}

static bool as_integer(wri_gltf *g, const wri_json *value, uint64_t limit, uint64_t *out)
{
    double n = value->number;
    if (value->type != WRI_JSON_NUMBER || n < 0.0 || n != floor(n)) {
        return wri_gltf_fail(g, value, WR_E_FORMAT, "%s: expected a whole number from 0",
                             value->key ? value->key : "index");
    }
    if (n >= (double)limit) {
        return wri_gltf_fail(g, value, WR_E_FORMAT, "%s: %.0f is not below %llu",
                             value->key ? value->key : "index", n, (unsigned long long)limit);
    }
    *out = (uint64_t)n;
    return true;
}

bool wri_gltf_integer(wri_gltf *g, const wri_json *object, const char *key, uint64_t limit,
                      uint64_t *out)
{
    const wri_json *value = wri_json_find(object, key);
    return !value || as_integer(g, value, limit, out);
}

bool wri_gltf_as_index(wri_gltf *g, const wri_json *value, int limit, int *out)
{
    uint64_t n = 0;
    if (!as_integer(g, value, (uint64_t)limit, &n)) {
        return false;
    }
    *out = (int)n;
    return true;
}

bool wri_gltf_index(wri_gltf *g, const wri_json *object, const char *key, int limit, int *out)
{
    const wri_json *value = wri_json_find(object, key);
    return !value || wri_gltf_as_index(g, value, limit, out);
}

const char *wri_gltf_copy_text(wri_gltf *g, const char *text)
{
    char *copy = wri_arena_text(wri_model_arena(g->model), text, strlen(text));
    if (!copy) {
        wri_fail_memory(g->error, strlen(text) + 1);
    }
    return copy;
}

const char *wri_gltf_copy_name(wri_gltf *g, const wri_json *object)
{
    const char *name = "";
    return wri_gltf_text(g, object, "name", &name) ? wri_gltf_copy_text(g, name) : NULL;
}

// --- uris -------------------------------------------------------------------------------------

static int base64_value(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

static bool decode_base64(wri_gltf *g, const wri_json *uri, const char *text, const uint8_t **bytes,
                          uint64_t *size)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    uint8_t *out = wri_arena_alloc(&g->arena, length / 4 * 3 + 3, 1);
    if (!out) {
        return wri_fail_memory(g->error, length);
    }
    size_t used = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        int value = base64_value(text[i]);
        if (value < 0) {
            return wri_gltf_fail(g, uri, WR_E_FORMAT, "character %zu of the data is not base64", i);
        }
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 0) {
            out[used++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
        }
    }
    if (length % 4 == 1) {
        return wri_gltf_fail(g, uri, WR_E_FORMAT, "the base64 data is cut off");
    }
    *bytes = out;
    *size = used;
    return true;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static char *decode_percent(wri_arena *arena, const char *uri)
{
    char *text = wri_arena_alloc(arena, strlen(uri) + 1, 1);
    char *out = text;
    for (const char *s = uri; text && *s; s++) {
        int high = s[0] == '%' ? hex_value(s[1]) : -1;
        int low = high >= 0 ? hex_value(s[2]) : -1;
        if (low >= 0 && (high || low)) {
            *out++ = (char)(16 * high + low);
            s += 2;
        } else {
            *out++ = *s;
        }
    }
    return text;
}

// Returns the path of a file that a uri names, or NULL after a failure.
static char *find_neighbour(wri_gltf *g, const wri_json *uri)
{
    if (g->is_alone) {
        wri_gltf_fail(g, uri, WR_E_FORMAT, "\"%.100s\" is another file, expected none",
                      uri->string);
        return NULL;
    }
    char *name = decode_percent(&g->arena, uri->string);
    // A name may say its slashes as %2F.
    bool leaves = name && (wri_leaves_folder(uri->string) || wri_leaves_folder(name));
    if (leaves && !g->follow_links) {
        wri_gltf_fail(g, uri, WR_E_UNSUPPORTED,
                      "\"%.100s\" leads out of the model's folder, which needs --follow-links",
                      uri->string);
        return NULL;
    }
    if (name && name[0] != '/' && (!wri_is_neighbour(uri->string) || !wri_is_neighbour(name))) {
        wri_gltf_fail(g, uri, WR_E_UNSUPPORTED, "\"%.100s\" is not a neighbouring file",
                      uri->string);
        return NULL;
    }
    char *folder = name ? wri_path_folder(&g->arena, g->path) : NULL;
    char *path = folder ? wri_path_join(&g->arena, folder, name) : NULL;
    if (!path) {
        wri_fail_memory(g->error, strlen(uri->string));
    }
    return path;
}

static bool load_neighbour(wri_gltf *g, const wri_json *uri, const char *path,
                           const uint8_t **bytes, uint64_t *size)
{
    size_t limit = g->source_size < WRI_MODEL_LIMIT ? WRI_MODEL_LIMIT - g->source_size : 0;
    size_t got = 0;
    const wr_allocator *allocator = &g->arena.allocator;
    wr_error reason = {0};
    char *read = wri_file_read(path, limit, allocator, &got, &reason);
    if (!read) {
        return wri_gltf_fail(g, uri, reason.code, "%s", reason.message);
    }
    char *kept = wri_arena_text(&g->arena, read, got);
    wri_free(allocator, read, got + 1, 1);
    g->source_size += got;
    *bytes = (const uint8_t *)kept;
    *size = got;
    return kept || wri_fail_memory(g->error, got);
}

bool wri_gltf_load_uri(wri_gltf *g, const wri_json *uri, const uint8_t **bytes, uint64_t *size,
                       bool *missing)
{
    if (strncmp(uri->string, "data:", 5) != 0) {
        const char *path = find_neighbour(g, uri);
        if (path && missing && (!wri_file_exists(path) || wri_is_folder(path))) {
            return *missing = true;
        }
        return path && load_neighbour(g, uri, path, bytes, size);
    }
    const char *comma = strchr(uri->string, ',');
    if (!comma || comma - uri->string < 12 || memcmp(comma - 7, ";base64", 7) != 0) {
        return wri_gltf_fail(g, uri, WR_E_UNSUPPORTED, "the data: uri is not base64");
    }
    return decode_base64(g, uri, comma + 1, bytes, size);
}

// --- buffers and views ------------------------------------------------------------------------

bool wri_gltf_open_buffers(wri_gltf *g)
{
    if (!wri_gltf_array(g, g->root, "buffers", &g->buffers) ||
        !wri_gltf_array(g, g->root, "bufferViews", &g->views) ||
        !wri_gltf_array(g, g->root, "accessors", &g->accessors)) {
        return false;
    }
    size_t count = g->buffers ? (size_t)g->buffers->count : 0;
    size_t views = g->views ? (size_t)g->views->count : 0;
    g->loaded = wri_arena_alloc(&g->arena, count, sizeof *g->loaded);
    g->unpacked = wri_arena_alloc(&g->arena, views, sizeof *g->unpacked);
    return (g->loaded && g->unpacked) ||
           wri_fail_memory(g->error, count * sizeof *g->loaded + views * sizeof *g->unpacked);
}

static bool load_buffer(wri_gltf *g, int index)
{
    const wri_json *json = &g->buffers->items[index];
    wri_gltf_buffer *buffer = &g->loaded[index];
    const wri_json *uri = NULL;
    uint64_t size = 0;
    if (!find_typed(g, json, "uri", WRI_JSON_STRING, &uri) ||
        !wri_gltf_integer(g, json, "byteLength", (uint64_t)1 << 53, &size)) {
        return false;
    }
    if (uri) {
        if (!wri_gltf_load_uri(g, uri, &buffer->bytes, &buffer->size, NULL)) {
            return false;
        }
    } else if (index == 0 && g->binary) {
        buffer->bytes = g->binary;
        buffer->size = g->binary_size;
    }
    if (size > buffer->size) {
        return wri_gltf_fail(g, json, WR_E_FORMAT, "buffer %d promises %llu bytes but has %llu",
                             index, (unsigned long long)size, (unsigned long long)buffer->size);
    }
    buffer->size = size;
    buffer->loaded = true;
    return true;
}

bool wri_gltf_find_bytes(wri_gltf *g, const wri_json *json, int view, const uint8_t **bytes,
                         uint64_t *size)
{
    uint64_t offset = 0, most = (uint64_t)1 << 53;
    int buffer = -1;
    *size = 0;
    if (!wri_gltf_index(g, json, "buffer", g->buffers ? g->buffers->count : 0, &buffer) ||
        !wri_gltf_integer(g, json, "byteOffset", most, &offset) ||
        !wri_gltf_integer(g, json, "byteLength", most, size)) {
        return false;
    }
    if (buffer < 0) {
        return wri_gltf_fail(g, json, WR_E_FORMAT, "buffer view %d has no buffer", view);
    }
    if (!g->loaded[buffer].loaded && !load_buffer(g, buffer)) {
        return false;
    }
    uint64_t available = g->loaded[buffer].size;
    if (offset > available || *size > available - offset) {
        return wri_gltf_fail(g, json, WR_E_FORMAT,
                             "buffer view %d needs bytes %llu to %llu of buffer %d with %llu", view,
                             (unsigned long long)offset, (unsigned long long)(offset + *size),
                             buffer, (unsigned long long)available);
    }
    *bytes = *size ? g->loaded[buffer].bytes + offset : (const uint8_t *)"";
    return true;
}

// The buffer of a view that is compressed need not be there: its bytes come from another.
bool wri_gltf_find_view(wri_gltf *g, int view, const uint8_t **bytes, uint64_t *size,
                        uint64_t *stride)
{
    WR_ASSERT(view >= 0 && view < g->views->count);
    const wri_json *json = &g->views->items[view], *packing = NULL;
    *size = *stride = 0;
    if (!wri_gltf_integer(g, json, "byteStride", 253, stride) ||
        !wri_gltf_find_packing(g, json, &packing)) {
        return false;
    }
    if (!packing) {
        return wri_gltf_find_bytes(g, json, view, bytes, size);
    }
    return wri_gltf_integer(g, json, "byteLength", (uint64_t)1 << 53, size) &&
           wri_gltf_unpack_view(g, view, packing, *size, bytes);
}

// --- accessors --------------------------------------------------------------------------------

static int size_of_component(int type)
{
    switch (type) {
    case 5120:
    case 5121:
        return 1;
    case 5122:
    case 5123:
        return 2;
    case 5125:
    case 5126:
        return 4;
    default:
        return 0;
    }
}

static int components_of_type(const char *type)
{
    return strcmp(type, "SCALAR") == 0 ? 1
           : strcmp(type, "VEC2") == 0 ? 2
           : strcmp(type, "VEC3") == 0 ? 3
           : strcmp(type, "VEC4") == 0 ? 4
           : strcmp(type, "MAT4") == 0 ? 16
                                       : 0;
}

static bool read_layout(wri_gltf *g, const wri_json *json, wri_gltf_accessor *a)
{
    uint64_t component = 0, count = 0;
    const char *type = "";
    if (!wri_gltf_integer(g, json, "componentType", 10000, &component) ||
        !wri_gltf_integer(g, json, "count", INT32_MAX, &count) ||
        !wri_gltf_text(g, json, "type", &type) ||
        !wri_gltf_bool(g, json, "normalized", &a->normalized) ||
        !wri_gltf_object(g, json, "sparse", &a->sparse)) {
        return false;
    }
    a->component_type = (int)component;
    a->component_size = size_of_component(a->component_type);
    a->components = components_of_type(type);
    a->count = (int)count;
    if (!a->component_size || !a->components || !a->count) {
        return wri_gltf_fail(
            g, json, WR_E_FORMAT,
            "accessor %d: componentType %d, type \"%.20s\", count %d cannot be used", a->index,
            a->component_type, type, a->count);
    }
    return true;
}

// The last element must end within the view; strides may not let elements overlap.
static bool check_range(wri_gltf *g, const wri_json *json, const wri_gltf_accessor *a,
                        uint64_t offset, uint64_t size)
{
    uint64_t element = (uint64_t)(a->component_size * a->components);
    uint64_t needed = offset + a->stride * (uint64_t)(a->count - 1) + element;
    if (a->stride < element) {
        return wri_gltf_fail(g, json, WR_E_FORMAT,
                             "accessor %d: byteStride %llu is less than its elements' %llu bytes",
                             a->index, (unsigned long long)a->stride, (unsigned long long)element);
    }
    if (needed > size) {
        return wri_gltf_fail(g, json, WR_E_FORMAT,
                             "accessor %d needs %llu bytes, but its buffer view has %llu", a->index,
                             (unsigned long long)needed, (unsigned long long)size);
    }
    return true;
}

bool wri_gltf_count_work(wri_gltf *g, const wri_json *json, int count)
{
    uint64_t limit = 16 * g->source_size + (1u << 20);
    limit = limit < (1u << 29) ? limit : 1u << 29;
    g->work += (uint64_t)count;
    return g->work <= limit ||
           wri_gltf_fail(
               g, json, WR_E_UNSUPPORTED,
               "the data is more, or used more often, than a file of this size should need");
}

bool wri_gltf_keep(wri_gltf *g, const wri_json *json, int count, size_t item_size)
{
    uint64_t limit = 64 * g->source_size + (64u << 20);
    g->kept += (uint64_t)count * item_size;
    return g->kept <= limit ||
           wri_gltf_fail(g, json, WR_E_UNSUPPORTED,
                         "the model takes more than %llu MB, 64 times the file and 67 MB",
                         (unsigned long long)(limit / 1000000));
}

bool wri_gltf_open_accessor(wri_gltf *g, int index, wri_gltf_accessor *out)
{
    WR_ASSERT(index >= 0 && index < g->accessors->count);
    const wri_json *json = &g->accessors->items[index];
    wri_gltf_accessor a = {.index = index};
    uint64_t offset = 0, size = 0;
    int view = -1;
    if (!read_layout(g, json, &a) || !wri_gltf_count_work(g, json, a.count) ||
        !wri_gltf_integer(g, json, "byteOffset", (uint64_t)1 << 53, &offset) ||
        !wri_gltf_index(g, json, "bufferView", g->views ? g->views->count : 0, &view)) {
        return false;
    }
    if (view >= 0) {
        if (!wri_gltf_find_view(g, view, &a.bytes, &size, &a.stride)) {
            return false;
        }
        a.stride = a.stride ? a.stride : (uint64_t)(a.component_size * a.components);
        if (!check_range(g, json, &a, offset, size)) {
            return false;
        }
        a.bytes += offset;
    } else if (g->decoded && g->decoded[index]) {
        a.stride = (uint64_t)(a.component_size * a.components);
        a.bytes = g->decoded[index];
    }
    *out = a;
    return true;
}

static uint32_t read_unsigned(const uint8_t *bytes, int size)
{
    uint32_t value = 0;
    for (int i = 0; i < size; i++) {
        value |= (uint32_t)bytes[i] << (8 * i);
    }
    return value;
}

static float read_component(const wri_gltf_accessor *a, const uint8_t *bytes)
{
    uint32_t bits = read_unsigned(bytes, a->component_size);
    float value;
    switch (a->component_type) {
    case 5120:
        value = (float)(int8_t)bits;
        return !a->normalized ? value : value < -127.0f ? -1.0f : value / 127.0f;
    case 5121:
        return a->normalized ? (float)bits / 255.0f : (float)bits;
    case 5122:
        value = (float)(int16_t)bits;
        return !a->normalized ? value : value < -32767.0f ? -1.0f : value / 32767.0f;
    case 5123:
        return a->normalized ? (float)bits / 65535.0f : (float)bits;
    case 5125:
        return (float)bits;
    default:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}

static void read_element(const wri_gltf_accessor *a, const uint8_t *bytes, float *out)
{
    for (int i = 0; i < a->components; i++) {
        out[i] = read_component(a, bytes + i * a->component_size);
    }
}

// One of the two tightly packed arrays of a sparse accessor. Its layout is already in *a.
static bool open_sparse_array(wri_gltf *g, const wri_json *json, int count, wri_gltf_accessor *a)
{
    uint64_t offset = 0, size = 0, stride = 0;
    int view = -1;
    a->count = count;
    a->stride = (uint64_t)(a->component_size * a->components);
    if (!wri_gltf_index(g, json, "bufferView", g->views ? g->views->count : 0, &view) ||
        !wri_gltf_integer(g, json, "byteOffset", (uint64_t)1 << 53, &offset)) {
        return false;
    }
    if (view < 0) {
        return wri_gltf_fail(g, json, WR_E_FORMAT, "accessor %d: sparse without bufferView",
                             a->index);
    }
    if (!wri_gltf_find_view(g, view, &a->bytes, &size, &stride) ||
        !check_range(g, json, a, offset, size)) {
        return false;
    }
    a->bytes += offset;
    return true;
}

static bool open_sparse(wri_gltf *g, const wri_gltf_accessor *a, wri_gltf_accessor *indices,
                        wri_gltf_accessor *values)
{
    const wri_json *json = a->sparse, *index_json = NULL, *value_json = NULL;
    uint64_t count = 0, type = 0;
    if (!wri_gltf_integer(g, json, "count", (uint64_t)a->count + 1, &count) ||
        !wri_gltf_object(g, json, "indices", &index_json) ||
        !wri_gltf_object(g, json, "values", &value_json) ||
        !wri_gltf_integer(g, index_json, "componentType", 10000, &type)) {
        return false;
    }
    if (!index_json || !value_json || count == 0) {
        return wri_gltf_fail(g, json, WR_E_FORMAT,
                             "accessor %d: sparse needs count, indices and values", a->index);
    }
    if (type != 5121 && type != 5123 && type != 5125) {
        return wri_gltf_fail(g, index_json, WR_E_FORMAT,
                             "accessor %d: sparse indices have componentType %d", a->index,
                             (int)type);
    }
    *values = *a;
    *indices = (wri_gltf_accessor){
        .index = a->index,
        .component_type = (int)type,
        .component_size = size_of_component((int)type),
        .components = 1,
    };
    return open_sparse_array(g, index_json, (int)count, indices) &&
           open_sparse_array(g, value_json, (int)count, values);
}

static bool apply_sparse(wri_gltf *g, const wri_gltf_accessor *a, float *out)
{
    wri_gltf_accessor indices, values;
    if (!open_sparse(g, a, &indices, &values)) {
        return false;
    }
    for (int i = 0; i < indices.count; i++) {
        uint64_t at = (uint64_t)i;
        uint32_t target =
            read_unsigned(indices.bytes + at * indices.stride, indices.component_size);
        if (target >= (uint32_t)a->count) {
            return wri_gltf_fail(g, a->sparse, WR_E_FORMAT,
                                 "accessor %d: sparse index %d is %u, not below %d", a->index, i,
                                 (unsigned)target, a->count);
        }
        read_element(&values, values.bytes + at * values.stride,
                     out + target * (size_t)a->components);
    }
    return true;
}

bool wri_gltf_read_floats(wri_gltf *g, const wri_gltf_accessor *a, float *out)
{
    size_t n = (size_t)a->components;
    if (!a->bytes) {
        memset(out, 0, (size_t)a->count * n * sizeof *out);
    }
    for (int i = 0; i < a->count && a->bytes; i++) {
        read_element(a, a->bytes + (uint64_t)i * a->stride, out + (size_t)i * n);
    }
    return !a->sparse || apply_sparse(g, a, out);
}

bool wri_gltf_read_indices(wri_gltf *g, const wri_gltf_accessor *a, int *out)
{
    const wri_json *json = &g->accessors->items[a->index];
    if (a->components != 1 || !a->bytes || a->sparse ||
        (a->component_type != 5121 && a->component_type != 5123 && a->component_type != 5125)) {
        return wri_gltf_fail(g, json, WR_E_FORMAT, "accessor %d cannot hold vertex indices",
                             a->index);
    }
    for (int i = 0; i < a->count; i++) {
        uint32_t value = read_unsigned(a->bytes + (uint64_t)i * a->stride, a->component_size);
        if (value > INT32_MAX) {
            return wri_gltf_fail(g, json, WR_E_FORMAT, "accessor %d: index %d is %u", a->index, i,
                                 (unsigned)value);
        }
        out[i] = (int)value;
    }
    return true;
}
