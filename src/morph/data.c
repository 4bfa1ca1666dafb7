// data.c: what a body is made of, checked, and as bytes.
#include "morph.h"

static const uint64_t MAGIC = 0x314154414448504d; // "MPHDATA1"

// --- one table of all arrays ----------------------------------------------------------------

typedef struct field {
    void **items;
    size_t count, size; // size 4 or 1: of a number
    bool may_lack;
} field;

enum { FIELDS = 32, HEAD = 12 };

typedef struct owner {
    wri_arena arena;
    wr_morph_data data;
} owner;

static size_t times(int a, int b)
{
    return (size_t)a * (size_t)b;
}

static int list_fields(wr_morph_data *d, field f[FIELDS])
{
    int n = 0, k = d->bone_count, nodes = d->node_count, vertices = d->vertex_count;
    int m = d->target_count, r = d->mode_count;
    wr_morph_space *s = &d->space;
    size_t width = 6 * (size_t)k + (size_t)s->scalar_count;
    f[n++] = (field){(void **)&d->parents, (size_t)k, 4, false};
    f[n++] = (field){(void **)&d->origins, times(k, 3), 4, false};
    f[n++] = (field){(void **)&d->lengths, (size_t)k, 4, false};
    f[n++] = (field){(void **)&d->nodes, times(nodes, 3), 4, false};
    f[n++] = (field){(void **)&d->fixed, (size_t)nodes, 1, false};
    f[n++] = (field){(void **)&d->masses, (size_t)nodes, 4, false};
    f[n++] = (field){(void **)&d->node_bones, times(nodes, WRI_MORPH_BONES), 4, false};
    f[n++] = (field){(void **)&d->node_weights, times(nodes, WRI_MORPH_BONES), 4, false};
    f[n++] = (field){(void **)&d->tets, times(d->tet_count, 4), 4, false};
    f[n++] = (field){(void **)&d->vertices, times(vertices, 3), 4, false};
    f[n++] = (field){(void **)&d->rides, times(vertices, 5), 4, false};
    f[n++] = (field){(void **)&d->vertex_bones, times(vertices, WRI_MORPH_BONES), 4, false};
    f[n++] = (field){(void **)&d->vertex_weights, times(vertices, WRI_MORPH_BONES), 4, false};
    f[n++] = (field){(void **)&d->areas, (size_t)vertices, 4, false};
    f[n++] = (field){(void **)&d->offsets, 3 * times(m, nodes), 4, false};
    f[n++] = (field){(void **)&d->details, 3 * times(m, vertices), 4, true};
    f[n++] = (field){(void **)&d->young, times(m, d->tet_count), 4, false};
    f[n++] = (field){(void **)&d->poisson, (size_t)m, 4, false};
    f[n++] = (field){(void **)&s->scalar_scale, (size_t)s->scalar_count, 4, false};
    f[n++] = (field){(void **)&s->mean, width, 4, false};
    f[n++] = (field){(void **)&s->axes, (size_t)s->axis_count * width, 4, false};
    f[n++] = (field){(void **)&s->points, times(m, s->axis_count), 4, false};
    f[n++] = (field){(void **)&s->cardinal, times(m, m + 1), 4, false};
    f[n++] = (field){(void **)&d->basis, 3 * times(nodes, r), 4, r == 0};
    f[n++] = (field){(void **)&d->cubic, (size_t)m * wr_morph_cubic_size(r), 4, true};
    return n;
}

static void put_head(const wr_morph_data *d, uint32_t head[HEAD])
{
    const wr_morph_space *s = &d->space;
    const int numbers[HEAD] = {d->bone_count,
                               d->node_count,
                               d->tet_count,
                               d->vertex_count,
                               d->target_count,
                               d->mode_count,
                               s->scalar_count,
                               s->axis_count,
                               d->details != NULL,
                               d->cubic != NULL,
                               0,
                               0};
    for (int i = 0; i < HEAD; i++) {
        head[i] = (uint32_t)numbers[i];
    }
    memcpy(&head[HEAD - 2], &s->rounding, sizeof(float));
}

// --- memory ---------------------------------------------------------------------------------

wr_morph_data *wri_morph_data_create(const wr_morph_data *counts, const wr_allocator *allocator)
{
    wri_arena arena = wri_arena_create(allocator);
    owner *own = wri_arena_alloc(&arena, 1, sizeof *own);
    if (!own) {
        return NULL;
    }
    own->data = *counts;
    own->data.memory = own;
    field fields[FIELDS];
    int count = list_fields(&own->data, fields);
    bool ok = true;
    for (int i = 0; i < count; i++) {
        bool is_wanted = !fields[i].may_lack || *fields[i].items;
        *fields[i].items =
            is_wanted ? wri_arena_alloc(&arena, fields[i].count, fields[i].size) : NULL;
        ok = ok && (!is_wanted || *fields[i].items);
    }
    own->data.names = wri_arena_alloc(&arena, (size_t)counts->target_count, sizeof(char *));
    for (int i = 0; own->data.names && i < counts->target_count; i++) {
        own->data.names[i] = "";
    }
    own->arena = arena;
    if (!ok || !own->data.names) {
        wri_arena_destroy(&arena);
        return NULL;
    }
    return &own->data;
}

bool wri_morph_data_name(wr_morph_data *data, int target, const char *name)
{
    data->names[target] = wri_arena_text(&((owner *)data->memory)->arena, name, strlen(name));
    return data->names[target] != NULL;
}

void *wri_morph_data_add(wr_morph_data *data, size_t count, size_t size)
{
    return wri_arena_alloc(&((owner *)data->memory)->arena, count, size);
}

void wr_morph_data_destroy(wr_morph_data *data)
{
    if (data) {
        wri_arena arena = ((owner *)data->memory)->arena;
        wri_arena_destroy(&arena);
    }
}

// --- checks ---------------------------------------------------------------------------------

static bool check_counts(const wr_morph_data *d, wr_error *error)
{
    const struct {
        const char *what;
        int count, least, most;
    } counts[] = {
        {"bones", d->bone_count, 1, WR_MORPH_BONES_MAX},
        {"nodes", d->node_count, 4, WR_MORPH_NODES_MAX},
        {"tetrahedra", d->tet_count, 1, 8 * WR_MORPH_NODES_MAX},
        {"vertices", d->vertex_count, 1, 8 * WR_MORPH_NODES_MAX},
        {"targets", d->target_count, 1, WR_MORPH_TARGETS_MAX},
        {"modes", d->mode_count, 0, WR_MORPH_MODES_MAX},
        {"scalars", d->space.scalar_count, 0, WR_MORPH_SCALARS_MAX},
        {"principal axes of poses", d->space.axis_count, 0, d->target_count - 1},
    };
    for (int i = 0; i < WRI_COUNT(counts); i++) {
        if (counts[i].count < counts[i].least || counts[i].count > counts[i].most) {
            return wri_fail(error, WR_E_ARGUMENT, "morph: %d %s, expected %d to %d",
                            counts[i].count, counts[i].what, counts[i].least, counts[i].most);
        }
    }
    return true;
}

static bool check_floats(const float *x, size_t count, float least, float most, const char *what,
                         wr_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!(x[i] >= least && x[i] <= most)) {
            return wri_fail(error, WR_E_ARGUMENT, "morph: %s %zu is %g, expected %g to %g", what, i,
                            (double)x[i], (double)least, (double)most);
        }
    }
    return true;
}

static bool check_indices(const int *x, size_t count, int least, int end, const char *what,
                          wr_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (x[i] < least || x[i] >= end) {
            return wri_fail(error, WR_E_ARGUMENT, "morph: %s %zu is %d, expected %d to %d", what, i,
                            x[i], least, end - 1);
        }
    }
    return true;
}

static bool check_tets(const wr_morph_data *d, wr_error *error)
{
    for (int tet = 0; tet < d->tet_count; tet++) {
        const int *t = d->tets + 4 * (ptrdiff_t)tet;
        wr_vec3 a = wr_sub(d->nodes[t[1]], d->nodes[t[0]]);
        wr_vec3 b = wr_sub(d->nodes[t[2]], d->nodes[t[0]]);
        wr_vec3 c = wr_sub(d->nodes[t[3]], d->nodes[t[0]]);
        if (!(wr_dot(a, wr_cross(b, c)) > 0.0f)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "morph: tetrahedron %d has no volume or is inside out", tet);
        }
    }
    return true;
}

bool wr_morph_data_check(const wr_morph_data *d, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "data", d) || !check_counts(d, error)) {
        return false;
    }
    wr_morph_data copy = *d;
    field fields[FIELDS];
    int count = list_fields(&copy, fields);
    for (int i = 0; i < count; i++) {
        if (!*fields[i].items && !fields[i].may_lack) {
            return wri_fail(error, WR_E_ARGUMENT, "morph: array %d of the data is missing", i);
        }
    }
    size_t nodes = (size_t)d->node_count, vertices = (size_t)d->vertex_count, n4 = WRI_MORPH_BONES;
    size_t m = (size_t)d->target_count, tets = (size_t)d->tet_count, k = (size_t)d->bone_count;
    const float big = 1e9f, tiny = 1e-12f;
    const wr_morph_space *s = &d->space;
    size_t width = 6 * k + (size_t)s->scalar_count;
    bool ok =
        check_indices(d->parents, k, -1, d->bone_count, "parent", error) &&
        check_floats(&d->origins->x, 3 * k, -big, big, "origin coordinate", error) &&
        check_floats(d->lengths, k, tiny, big, "bone length", error) &&
        check_floats(&d->nodes->x, 3 * nodes, -big, big, "node coordinate", error) &&
        check_floats(d->masses, nodes, tiny, big, "node mass", error) &&
        check_indices(d->node_bones, n4 * nodes, 0, d->bone_count, "bone of nodes", error) &&
        check_floats(d->node_weights, n4 * nodes, 0.0f, 1.001f, "weight of nodes", error) &&
        check_indices(d->tets, 4 * tets, 0, d->node_count, "corner", error) &&
        check_floats(&d->vertices->x, 3 * vertices, -big, big, "vertex coordinate", error) &&
        check_indices(d->vertex_bones, n4 * vertices, 0, d->bone_count, "bone of vertices",
                      error) &&
        check_floats(d->vertex_weights, n4 * vertices, 0.0f, 1.001f, "weight of vertices", error) &&
        check_floats(d->areas, vertices, 0.0f, big, "area", error) &&
        check_floats(&d->offsets->x, 3 * m * nodes, -big, big, "offset", error) &&
        check_floats(d->young, m * tets, tiny, 1e15f, "Young's modulus", error) &&
        check_floats(d->poisson, m, 0.0f, 0.49f, "Poisson's ratio", error) &&
        check_floats(s->scalar_scale, (size_t)s->scalar_count, tiny, big, "scale", error) &&
        check_floats(s->mean, width, -big, big, "mean", error) &&
        check_floats(s->axes, (size_t)s->axis_count * width, -1.001f, 1.001f, "axis", error) &&
        check_floats(s->points, m * (size_t)s->axis_count, -big, big, "point", error) &&
        check_floats(s->cardinal, m * (m + 1), -big, big, "cardinal factor", error) &&
        check_floats(&s->rounding, 1, 0.0f, big, "rounding", error) && check_tets(d, error);
    for (size_t v = 0; ok && v < vertices; v++) {
        ok = check_indices(&d->rides[v].element, 1, 0, d->tet_count, "ride", error) &&
             check_floats(d->rides[v].weights, 4, -1e4f, 1e4f, "ride weight", error);
    }
    if (ok && d->details) {
        ok = check_floats(&d->details->x, 3 * m * vertices, -big, big, "detail", error);
    }
    if (ok && d->mode_count > 0) {
        ok = check_floats(d->basis, 3 * nodes * (size_t)d->mode_count, -big, big, "basis", error);
    }
    if (ok && d->cubic) {
        ok = check_floats(d->cubic, m * wr_morph_cubic_size(d->mode_count), -1e30f, 1e30f,
                          "coefficient", error);
    }
    return ok;
}

// --- bytes ----------------------------------------------------------------------------------

static uint8_t *put_numbers(uint8_t *out, const void *in, size_t count, size_t size)
{
    if (size == 1) {
        memcpy(out, in, count);
        return out + count;
    }
    for (size_t i = 0; i < count; i++, out += 4) {
        uint32_t x;
        memcpy(&x, (const uint8_t *)in + 4 * i, 4);
        for (int k = 0; k < 4; k++) {
            out[k] = (uint8_t)(x >> (8 * k));
        }
    }
    return out;
}

static const uint8_t *take_numbers(const uint8_t *in, void *out, size_t count, size_t size)
{
    if (size == 1) {
        memcpy(out, in, count);
        return in + count;
    }
    for (size_t i = 0; i < count; i++, in += 4) {
        uint32_t x = 0;
        for (int k = 0; k < 4; k++) {
            x |= (uint32_t)in[k] << (8 * k);
        }
        memcpy((uint8_t *)out + 4 * i, &x, 4);
    }
    return in;
}

enum { START = 16 + 4 * HEAD }; // magic, hash of what follows, head

static size_t fields_size(const wr_morph_data *data)
{
    wr_morph_data copy = *data;
    field fields[FIELDS];
    size_t sum = 0;
    int count = list_fields(&copy, fields);
    for (int i = 0; i < count; i++) {
        sum += *fields[i].items ? fields[i].count * fields[i].size : 0;
    }
    return sum;
}

size_t wr_morph_data_size(const wr_morph_data *data)
{
    size_t sum = START + fields_size(data);
    for (int i = 0; i < data->target_count; i++) {
        sum += 4 + strlen(data->names[i]);
    }
    return sum;
}

void wr_morph_data_write(const wr_morph_data *data, void *bytes)
{
    uint8_t *out = bytes;
    wr_morph_data copy = *data;
    field fields[FIELDS];
    uint32_t head[HEAD], words[4] = {(uint32_t)MAGIC, (uint32_t)(MAGIC >> 32), 0, 0};
    put_head(data, head);
    out = put_numbers(out + 16, head, HEAD, 4);
    int count = list_fields(&copy, fields);
    for (int i = 0; i < count; i++) {
        if (*fields[i].items) {
            out = put_numbers(out, *fields[i].items, fields[i].count, fields[i].size);
        }
    }
    for (int i = 0; i < data->target_count; i++) {
        uint32_t length = (uint32_t)strlen(data->names[i]);
        out = put_numbers(out, &length, 1, 4);
        out = put_numbers(out, data->names[i], length, 1);
    }
    uint64_t hash = wri_hash((uint8_t *)bytes + 16, (size_t)(out - (uint8_t *)bytes) - 16, 0);
    words[2] = (uint32_t)hash, words[3] = (uint32_t)(hash >> 32);
    put_numbers(bytes, words, 4, 4);
}

// Counts from the head; marks say which arrays are there.
static bool take_head(const uint8_t *in, wr_morph_data *d, wr_error *error)
{
    static char there;
    int head[HEAD];
    take_numbers(in + 16, head, HEAD, 4);
    *d = (wr_morph_data){.bone_count = head[0],
                         .node_count = head[1],
                         .tet_count = head[2],
                         .vertex_count = head[3],
                         .target_count = head[4],
                         .mode_count = head[5]};
    d->space.scalar_count = head[6];
    d->space.axis_count = head[7];
    memcpy(&d->space.rounding, &head[HEAD - 2], sizeof(float));
    if (!check_counts(d, error)) {
        return false;
    }
    field fields[FIELDS];
    int count = list_fields(d, fields);
    for (int i = 0; i < count; i++) {
        *fields[i].items = fields[i].may_lack ? NULL : (void *)&there;
    }
    d->details = head[8] ? (void *)&there : NULL;
    d->cubic = head[9] ? (void *)&there : NULL;
    return true;
}

static bool take_names(wr_morph_data *d, const uint8_t *in, const uint8_t *end)
{
    for (int i = 0; i < d->target_count; i++) {
        uint32_t length;
        if (end - in < 4) {
            return false;
        }
        in = take_numbers(in, &length, 1, 4);
        if ((size_t)(end - in) < length) {
            return false;
        }
        d->names[i] = wri_arena_text(&((owner *)d->memory)->arena, (const char *)in, length);
        if (!d->names[i]) {
            return false;
        }
        in += length;
    }
    return in == end;
}

wr_morph_data *wr_morph_data_read(const void *bytes, size_t size, const wr_allocator *allocator,
                                  wr_error *error)
{
    const uint8_t *in = bytes;
    uint32_t words[4] = {0};
    wr_morph_data counts;
    if (!WRI_REQUIRE(error, bytes)) {
        return NULL;
    }
    if (size >= START) {
        take_numbers(in, words, 4, 4);
    }
    uint64_t magic = words[0] | (uint64_t)words[1] << 32,
             hash = words[2] | (uint64_t)words[3] << 32;
    if (magic != MAGIC || hash != wri_hash(in + 16, size - 16, 0)) {
        wri_fail(error, WR_E_FORMAT,
                 "morph: the data of soft characters is damaged, or from "
                 "another version");
        return NULL;
    }
    if (!take_head(in, &counts, error)) {
        return NULL;
    }
    if (size - START < fields_size(&counts)) {
        wri_fail(error, WR_E_FORMAT, "morph: the data of soft characters is cut off");
        return NULL;
    }
    wr_morph_data *d = wri_morph_data_create(&counts, allocator);
    if (!d) {
        wri_fail_memory(error, size);
        return NULL;
    }
    field fields[FIELDS];
    int count = list_fields(d, fields);
    in += START;
    for (int i = 0; i < count; i++) {
        if (*fields[i].items) {
            in = take_numbers(in, *fields[i].items, fields[i].count, fields[i].size);
        }
    }
    if (!take_names(d, in, (const uint8_t *)bytes + size)) {
        wri_fail(error, WR_E_FORMAT, "morph: the names of targets are damaged");
    } else if (wr_morph_data_check(d, error)) {
        return d;
    }
    wr_morph_data_destroy(d);
    return NULL;
}
