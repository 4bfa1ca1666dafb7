// cage.c: cages for subdivision, in Wavefront OBJ.
//
// Read: v, f, g, usemtl; and in comments, which other programs pass over:
//
//     #crease 2.5 1 2 3 7     the edges from 1 to 2, 2 to 3 and 3 to 7 are sharp for 2.5 levels
//     #corner 10 4            vertex 4 is not rounded off
//     #mirror x               what follows in the file is one half; the other one is its mirror
//                             image in the plane x = 0, joined where x is 0
//
// Everything else is passed over. Indices count from 1, or negative from the end.
#include "wrought/cage.h"
#include "wrought/file.h"

#include "../base/os.h"
#include "model.h"
#include "words.h"

#include <math.h>

typedef struct reader {
    wri_words words;
    wri_array positions, sharpness, ends, corners, face_groups, creases;
    wri_array groups; // of wr_cage_group
    wri_arena names;
    const char *name, *look; // of the faces to come
    bool is_mirrored;
    wr_error *error;
} reader;

static bool fail_memory(reader *r)
{
    return wri_fail_memory(r->error, 0);
}

static bool read_number(reader *r, const char *what, float *out)
{
    if (!wri_words_on_line(&r->words)) {
        return wri_words_fail(&r->words, "the line ends here, expected %s", what);
    }
    return wri_words_float(&r->words, what, out);
}

static bool read_position(reader *r)
{
    wr_vec3 *p = wri_array_add(&r->positions, 1);
    float *sharpness = wri_array_add(&r->sharpness, 1);
    if (!p || !sharpness) {
        return fail_memory(r);
    }
    return read_number(r, "a coordinate", &p->x) && read_number(r, "a coordinate", &p->y) &&
           read_number(r, "a coordinate", &p->z);
}

// The word at hand, up to a slash, as a vertex.
static bool parse_vertex(reader *r, int *out)
{
    const char *slash = memchr(r->words.word, '/', r->words.length);
    size_t length = slash ? (size_t)(slash - r->words.word) : r->words.length;
    double value = 0.0;
    int count = r->positions.count;
    if (!wri_parse_double(r->words.word, length, &value) || value != floor(value)) {
        return wri_words_fail(&r->words, "\"%.*s\" is not a vertex",
                              r->words.length < 40 ? (int)r->words.length : 40, r->words.word);
    }
    double index = value < 0.0 ? (double)count + value : value - 1.0;
    if (!(index >= 0.0 && index < (double)count)) {
        return wri_words_fail(&r->words, "vertex %.0f does not exist, there are %d so far", value,
                              count);
    }
    *out = (int)index;
    return true;
}

// The group of the faces to come, made when it is new; -1 when out of memory.
static int find_group(reader *r)
{
    for (int i = 0; i < r->groups.count; i++) {
        const wr_cage_group *g = &WRI_ITEM(r->groups, wr_cage_group, i);
        if (strcmp(g->name, r->name) == 0 && strcmp(g->look, r->look) == 0) {
            return i;
        }
    }
    wr_cage_group *added = wri_array_add(&r->groups, 1);
    if (!added) {
        return -1;
    }
    *added = (wr_cage_group){r->name, r->look};
    return r->groups.count - 1;
}

static bool add_int(reader *r, wri_array *array, int value)
{
    int *added = wri_array_add(array, 1);
    if (!added) {
        return fail_memory(r);
    }
    *added = value;
    return true;
}

static bool read_face(reader *r)
{
    int before = r->corners.count, group = find_group(r);
    if (group < 0) {
        return fail_memory(r);
    }
    while (wri_words_on_line(&r->words)) {
        int vertex = 0;
        if (!wri_words_next(&r->words) || !parse_vertex(r, &vertex) ||
            !add_int(r, &r->corners, vertex)) {
            return false;
        }
    }
    if (r->corners.count - before < 3) {
        return wri_words_fail(&r->words, "f: expected at least three corners");
    }
    return add_int(r, &r->ends, r->corners.count) && add_int(r, &r->face_groups, group);
}

static bool read_sharpness(reader *r, float *out)
{
    if (!read_number(r, "a sharpness", out)) {
        return false;
    }
    return (*out >= 0.0f && *out <= WR_SHARPNESS_MAX) ||
           wri_words_fail(&r->words, "sharpness %g, expected 0 to %g", (double)*out,
                          (double)WR_SHARPNESS_MAX);
}

static bool read_crease(reader *r)
{
    float sharpness = 0.0f;
    int last = -1, count = 0;
    if (!read_sharpness(r, &sharpness)) {
        return false;
    }
    for (; wri_words_on_line(&r->words); count++) {
        int vertex = 0;
        if (!wri_words_next(&r->words) || !parse_vertex(r, &vertex)) {
            return false;
        }
        wr_crease *crease = count > 0 ? wri_array_add(&r->creases, 1) : NULL;
        if (count > 0 && !crease) {
            return fail_memory(r);
        }
        if (crease) {
            *crease = (wr_crease){last, vertex, sharpness};
        }
        last = vertex;
    }
    return count >= 2 || wri_words_fail(&r->words, "#crease: expected at least two vertices");
}

static bool read_corner(reader *r)
{
    float sharpness = 0.0f;
    if (!read_sharpness(r, &sharpness)) {
        return false;
    }
    while (wri_words_on_line(&r->words)) {
        int vertex = 0;
        if (!wri_words_next(&r->words) || !parse_vertex(r, &vertex)) {
            return false;
        }
        WRI_ITEM(r->sharpness, float, vertex) = sharpness;
    }
    return true;
}

// The rest of the line, for names.
static bool read_name(reader *r, const char **out)
{
    const char *first = r->words.at;
    if (wri_words_on_line(&r->words)) {
        first = r->words.at;
    }
    wri_words_skip_line(&r->words);
    size_t length = (size_t)(r->words.at - first);
    while (length > 0 && strchr(" \t\r", first[length - 1])) {
        length--;
    }
    *out = wri_arena_text(&r->names, first, length);
    return *out || fail_memory(r);
}

static bool read_line(reader *r)
{
    if (wri_words_is(&r->words, "v")) {
        return read_position(r);
    }
    if (wri_words_is(&r->words, "f")) {
        return read_face(r);
    }
    if (wri_words_is(&r->words, "g")) {
        return read_name(r, &r->name);
    }
    if (wri_words_is(&r->words, "usemtl")) {
        return read_name(r, &r->look);
    }
    if (wri_words_is(&r->words, "#crease")) {
        return read_crease(r);
    }
    if (wri_words_is(&r->words, "#corner")) {
        return read_corner(r);
    }
    if (wri_words_is(&r->words, "#mirror")) {
        r->is_mirrored = true;
        return (wri_words_on_line(&r->words) && wri_words_next(&r->words) &&
                wri_words_is(&r->words, "x")) ||
               wri_words_fail(&r->words, "#mirror: expected x");
    }
    return true;
}

// --- the other half ---------------------------------------------------------------------------

// Number of the mirror image of every vertex; itself where it lies in the plane.
static int *find_images(reader *r)
{
    int count = r->positions.count, next = count;
    int *image = wri_arena_alloc(&r->names, (size_t)count, sizeof *image);
    for (int i = 0; image && i < count; i++) {
        image[i] = WRI_ITEM(r->positions, wr_vec3, i).x == 0.0f ? i : next++;
    }
    return image;
}

static bool mirror_vertices(reader *r, const int *image)
{
    int count = r->positions.count;
    for (int i = 0; i < count; i++) {
        if (image[i] != i) {
            wr_vec3 p = WRI_ITEM(r->positions, wr_vec3, i), *to = wri_array_add(&r->positions, 1);
            float s = WRI_ITEM(r->sharpness, float, i),
                  *sharpness = wri_array_add(&r->sharpness, 1);
            if (!to || !sharpness) {
                return fail_memory(r);
            }
            *to = wr_v3(-p.x, p.y, p.z);
            *sharpness = s;
        }
    }
    return true;
}

// The images run the other way round, so that they face outwards, too.
static bool mirror_faces(reader *r, const int *image)
{
    int faces = r->ends.count, first = 0;
    for (int f = 0; f < faces; f++) {
        int end = WRI_ITEM(r->ends, int, f);
        for (int i = end - 1; i >= first; i--) {
            if (!add_int(r, &r->corners, image[WRI_ITEM(r->corners, int, i)])) {
                return false;
            }
        }
        first = end;
        if (!add_int(r, &r->ends, r->corners.count) ||
            !add_int(r, &r->face_groups, WRI_ITEM(r->face_groups, int, f))) {
            return false;
        }
    }
    for (int i = 0, count = r->creases.count; i < count; i++) {
        wr_crease c = WRI_ITEM(r->creases, wr_crease, i), *to = wri_array_add(&r->creases, 1);
        if (!to) {
            return fail_memory(r);
        }
        *to = (wr_crease){image[c.from], image[c.to], c.sharpness};
    }
    return true;
}

static bool mirror(reader *r)
{
    const int *image = find_images(r);
    return image ? mirror_vertices(r, image) && mirror_faces(r, image) : fail_memory(r);
}

// --- the whole --------------------------------------------------------------------------------

static bool fill_cage(const reader *r, wr_cage *cage)
{
    wr_cage_counts n = cage->count;
    memcpy(cage->positions, r->positions.items, (size_t)n.vertices * sizeof *cage->positions);
    memcpy(cage->sharpness, r->sharpness.items, (size_t)n.vertices * sizeof *cage->sharpness);
    memcpy(cage->first_corner + 1, r->ends.items, (size_t)n.faces * sizeof(int));
    memcpy(cage->corners, r->corners.items, (size_t)n.corners * sizeof(int));
    memcpy(cage->face_group, r->face_groups.items, (size_t)n.faces * sizeof(int));
    if (n.creases > 0) {
        memcpy(cage->creases, r->creases.items, (size_t)n.creases * sizeof *cage->creases);
    }
    for (int i = 0; i < n.groups; i++) {
        const wr_cage_group *g = &WRI_ITEM(r->groups, wr_cage_group, i);
        if (!wr_cage_set_group(cage, i, g->name, g->look, r->error)) {
            return false;
        }
    }
    return true;
}

static wr_cage *finish(reader *r, const wr_allocator *allocator)
{
    wr_cage_counts count = {r->positions.count, r->ends.count, r->corners.count, r->creases.count,
                            r->groups.count};
    wr_cage *cage = wr_cage_create(count, allocator, r->error);
    if (cage && !fill_cage(r, cage)) {
        wr_cage_destroy(cage);
        return NULL;
    }
    return cage;
}

static wr_cage *read_cage(reader *r, const wr_allocator *allocator)
{
    while (wri_words_next(&r->words)) {
        if (!read_line(r)) {
            return NULL;
        }
        wri_words_skip_line(&r->words);
    }
    if (r->ends.count == 0) {
        wri_fail(r->error, WR_E_FORMAT, "%s: there are no faces", r->words.path);
        return NULL;
    }
    return !r->is_mirrored || mirror(r) ? finish(r, allocator) : NULL;
}

static wr_cage *parse_cage(const char *path, const char *bytes, size_t size,
                           const wr_allocator *allocator, wr_error *error)
{
    reader r = {
        .words = wri_words_open(path, bytes, size, 0, error),
        .positions = wri_array_create(allocator, sizeof(wr_vec3)),
        .sharpness = wri_array_create(allocator, sizeof(float)),
        .ends = wri_array_create(allocator, sizeof(int)),
        .corners = wri_array_create(allocator, sizeof(int)),
        .face_groups = wri_array_create(allocator, sizeof(int)),
        .creases = wri_array_create(allocator, sizeof(wr_crease)),
        .groups = wri_array_create(allocator, sizeof(wr_cage_group)),
        .names = wri_arena_create(allocator),
        .name = "",
        .look = "",
        .error = error,
    };
    wr_cage *cage = read_cage(&r, allocator);
    wri_array *arrays[] = {&r.positions,   &r.sharpness, &r.ends,  &r.corners,
                           &r.face_groups, &r.creases,   &r.groups};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        wri_array_destroy(arrays[i]);
    }
    wri_arena_destroy(&r.names);
    return cage;
}

wr_cage *wr_cage_read(const char *path, const wr_allocator *allocator, wr_error *error)
{
    size_t size = 0;
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    char *bytes = wri_file_read(path, WRI_MODEL_LIMIT, allocator, &size, error);
    wr_cage *cage = bytes ? parse_cage(path, bytes, size, allocator, error) : NULL;
    wri_free(allocator, bytes, size + 1, 1);
    return cage;
}
