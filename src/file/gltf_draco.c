// gltf_draco.c: primitives that KHR_draco_mesh_compression has packed.
//
// The accessors of such a primitive say what its elements are and have no bytes; the extension
// names a view with all of them compressed. Everything of a file goes to wrought-import in one
// request and comes back as one array after the other (foreign.h). A primitive whose positions are
// there uncompressed as well is read as it is.
#include "foreign.h"
#include "gltf.h"

typedef struct request {
    wri_gltf *g;
    wri_array bytes;   // for wrought-import
    wri_array targets; // int: the accessors, in the order of the answer
    bool *is_asked;    // per accessor
    size_t expected;   // bytes of the answer
} request;

static bool add_bytes(request *r, const void *bytes, size_t size)
{
    size_t padded = (size + 3) / 4 * 4;
    uint8_t *room = padded > INT32_MAX ? NULL : wri_array_add(&r->bytes, (int)padded);
    if (!room) {
        return wri_fail_memory(r->g->error, padded);
    }
    memcpy(room, bytes, size);
    return true;
}

static size_t size_of_elements(const wri_gltf_accessor *a)
{
    size_t size = (size_t)a->count * (size_t)(a->components * a->component_size);
    return (size + 3) / 4 * 4;
}

// Notes an accessor that the answer will fill.
static bool expect(request *r, const wri_json *json, const wri_gltf_accessor *a)
{
    size_t size = size_of_elements(a);
    int *target = wri_array_add(&r->targets, 1);
    if (!target) {
        return wri_fail_memory(r->g->error, sizeof *target);
    }
    *target = a->index;
    r->is_asked[a->index] = true;
    r->expected += size;
    if (r->expected > WRI_MODEL_LIMIT) {
        return wri_gltf_fail(r->g, json, WR_E_UNSUPPORTED,
                             "what Draco has compressed is more than %d MB",
                             WRI_MODEL_LIMIT / 1000000);
    }
    return wri_gltf_keep(r->g, json, (int)(size / 4), 4);
}

// --- primitives -------------------------------------------------------------------------------

// A primitive that is to be decoded.
typedef struct compressed {
    const wri_json *json;       // the extension, NULL: there is nothing to decode
    const wri_json *attributes; // accessors by name
    const wri_json *ids;        // numbers within the compressed bytes by name
    int view;
    wri_gltf_accessor positions, corners;
} compressed;

// The elements of an accessor that must have none of its own.
static bool open_empty(wri_gltf *g, const wri_json *json, int index, wri_gltf_accessor *out)
{
    return index < 0 ? wri_gltf_fail(g, json, WR_E_FORMAT,
                                     "a primitive that Draco has compressed needs POSITION and "
                                     "indices")
                     : wri_gltf_open_accessor(g, index, out);
}

static bool check_corners(wri_gltf *g, const wri_json *json, const wri_gltf_accessor *a)
{
    int type = a->component_type;
    return (a->components == 1 && (type == 5121 || type == 5123 || type == 5125)) ||
           wri_gltf_fail(g, json, WR_E_FORMAT, "accessor %d cannot hold vertex indices", a->index);
}

static bool open_primitive(wri_gltf *g, const wri_json *primitive, compressed *out)
{
    const wri_json *extensions = NULL, *json = NULL;
    int accessors = g->accessors ? g->accessors->count : 0, positions = -1, corners = -1;
    uint64_t mode = 4;
    *out = (compressed){.view = -1};
    if (!wri_gltf_object(g, primitive, "extensions", &extensions) ||
        !wri_gltf_object(g, extensions, "KHR_draco_mesh_compression", &json) ||
        !wri_gltf_integer(g, primitive, "mode", 7, &mode) ||
        !wri_gltf_object(g, primitive, "attributes", &out->attributes) ||
        !wri_gltf_index(g, out->attributes, "POSITION", accessors, &positions) ||
        !wri_gltf_index(g, primitive, "indices", accessors, &corners) ||
        !wri_gltf_index(g, json, "bufferView", g->views ? g->views->count : 0, &out->view) ||
        !wri_gltf_object(g, json, "attributes", &out->ids)) {
        return false;
    }
    if (!json || (positions >= 0 && wri_json_find(&g->accessors->items[positions], "bufferView"))) {
        return true;
    }
    if (mode != 4 || out->view < 0 || !out->ids) {
        return wri_gltf_fail(g, json, WR_E_FORMAT,
                             "what Draco has compressed needs a bufferView, attributes and mode 4");
    }
    out->json = json;
    return open_empty(g, json, positions, &out->positions) &&
           open_empty(g, json, corners, &out->corners) && check_corners(g, json, &out->corners);
}

// Counts in `asked` the attributes of the primitive that nobody has asked for yet, and with a
// request asks for them.
static bool ask_attributes(wri_gltf *g, request *r, const compressed *c, uint32_t *asked)
{
    for (int i = 0; i < c->ids->count; i++) {
        const wri_json *id = &c->ids->items[i];
        wri_gltf_accessor a;
        int index = -1, number = 0;
        if (!wri_gltf_index(g, c->attributes, id->key, g->accessors->count, &index) ||
            !wri_gltf_as_index(g, id, INT32_MAX, &number)) {
            return false;
        }
        if (index < 0 || r->is_asked[index]) {
            continue;
        }
        if (!wri_gltf_open_accessor(g, index, &a)) {
            return false;
        }
        if (a.components > 4 || a.count != c->positions.count) {
            return wri_gltf_fail(
                g, id, WR_E_FORMAT,
                "accessor %d has %d elements of %d numbers, expected %d of up to 4", index, a.count,
                a.components, c->positions.count);
        }
        const wri_draco_attribute wanted = {(uint32_t)number, (uint32_t)a.component_type,
                                            (uint32_t)a.components};
        if (!add_bytes(r, &wanted, sizeof wanted) || !expect(r, id, &a)) {
            return false;
        }
        (*asked)++;
    }
    return true;
}

// Primitives may share what is compressed: it is decoded once.
static bool ask_primitive(request *r, const wri_json *primitive)
{
    wri_gltf *g = r->g;
    compressed c;
    const uint8_t *bytes = NULL;
    uint64_t size = 0, stride = 0;
    if (!open_primitive(g, primitive, &c)) {
        return false;
    }
    if (!c.json || r->is_asked[c.corners.index]) {
        return true;
    }
    if (!wri_gltf_find_view(g, c.view, &bytes, &size, &stride)) {
        return false;
    }
    int at = r->bytes.count;
    wri_draco_primitive head = {
        .size = (uint32_t)size,
        .vertex_count = (uint32_t)c.positions.count,
        .corner_count = (uint32_t)c.corners.count,
        .corner_type = (uint32_t)c.corners.component_type,
    };
    if (size > WRI_MODEL_LIMIT || !add_bytes(r, &head, sizeof head) ||
        !expect(r, c.json, &c.corners) || !ask_attributes(g, r, &c, &head.attribute_count)) {
        return false;
    }
    memcpy((uint8_t *)r->bytes.items + at, &head, sizeof head);
    return add_bytes(r, bytes, (size_t)size);
}

static bool ask_meshes(request *r, const wri_json *meshes)
{
    for (int i = 0; meshes && i < meshes->count; i++) {
        const wri_json *primitives = NULL;
        if (!wri_gltf_array(r->g, &meshes->items[i], "primitives", &primitives)) {
            return false;
        }
        for (int k = 0; primitives && k < primitives->count; k++) {
            if (!ask_primitive(r, &primitives->items[k])) {
                return false;
            }
        }
    }
    return true;
}

// --- the answer -------------------------------------------------------------------------------

static bool take_answer(request *r, const wri_array *answer)
{
    wri_gltf *g = r->g;
    size_t size = (size_t)answer->count;
    uint8_t *bytes = wri_arena_alloc(&g->arena, size, 1);
    g->decoded = wri_arena_alloc(&g->arena, (size_t)g->accessors->count, sizeof *g->decoded);
    if (!bytes || !g->decoded) {
        return wri_fail_memory(g->error, size);
    }
    memcpy(bytes, answer->items, size);
    for (int i = 0; i < r->targets.count; i++) {
        wri_gltf_accessor a;
        int target = WRI_ITEM(r->targets, int, i);
        if (!wri_gltf_open_accessor(g, target, &a)) {
            return false;
        }
        g->decoded[target] = bytes;
        bytes += size_of_elements(&a);
    }
    return true;
}

bool wri_gltf_decode_draco(wri_gltf *g, const wri_json *meshes)
{
    const wr_allocator *allocator = &g->arena.allocator;
    size_t accessors = g->accessors ? (size_t)g->accessors->count : 0;
    request r = {
        .g = g,
        .bytes = wri_array_create(allocator, 1),
        .targets = wri_array_create(allocator, sizeof(int)),
        .is_asked = wri_arena_alloc(&g->arena, accessors, sizeof *r.is_asked),
    };
    wri_array answer = wri_array_create(allocator, 1);
    bool ok = r.is_asked || wri_fail_memory(g->error, accessors);
    ok = ok && ask_meshes(&r, meshes);
    if (ok && r.expected > 0) {
        wri_foreign_options options = wri_foreign_options_default((size_t)r.bytes.count);
        ok = wri_foreign_decode(g->path, &r.bytes, r.expected, &options, &answer, g->error) &&
             take_answer(&r, &answer);
    }
    wri_array_destroy(&answer);
    wri_array_destroy(&r.bytes);
    wri_array_destroy(&r.targets);
    return ok;
}
