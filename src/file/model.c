// model.c: which reader a file is for, and what the readers share.
#include "convert.h"
#include "foreign.h"
#include "gltf.h"
#include "model.h"
#include "jpeg.h"
#include "png.h"
#include "utf8.h"
#include "../base/os.h"

#include <math.h>
#include <stdio.h>

// --- dispatch ---------------------------------------------------------------------------------

static bool starts_with(const char *bytes, size_t size, const char *start)
{
    return size >= strlen(start) && memcmp(bytes, start, strlen(start)) == 0;
}

// JSON begins with a brace; nothing in an OBJ file does.
static bool looks_like_json(const char *bytes, size_t size)
{
    size_t i = starts_with(bytes, size, "\xef\xbb\xbf") ? 3 : 0;
    while (i < size && strchr(" \t\r\n", bytes[i]) && bytes[i]) {
        i++;
    }
    return i < size && bytes[i] == '{';
}

typedef wr_model *reader_fn(const char *path, const char *bytes, size_t size,
                            const wr_allocator *allocator, wr_error *error);

// Endings in the order of the readers that take them; NULL at the end.
static const char *const endings[] = {".glb",  ".gltf", ".obj", ".ply", ".off",
                                      ".mesh", ".fbx",  ".dae", ".stl", NULL};
static reader_fn *const readers[] = {
    wri_gltf_read,        wri_gltf_read,    wri_obj_read,     wri_ply_read,     wri_off_read,
    wri_medit_read_model, wri_foreign_read, wri_foreign_read, wri_foreign_read,
};

const char *const *wr_model_endings(void)
{
    return endings;
}

static reader_fn *find_reader_by_name(const char *path)
{
    for (int i = 0; endings[i]; i++) {
        if (wri_has_ending(path, endings[i])) {
            return readers[i];
        }
    }
    return wri_foreign_is_known(path) ? wri_foreign_read : NULL;
}

bool wr_model_has_ending(const char *path)
{
    return find_reader_by_name(path) != NULL;
}

static bool fail_ending(const char *path, wr_error *error)
{
    char list[128] = "";
    size_t used = 0;
    if (wri_has_ending(path, ".png")) {
        return wri_fail(error, WR_E_UNSUPPORTED,
                        "%s: a picture is no model; `wrought new` makes a recipe of a drawing",
                        path);
    }
    for (int i = 0; endings[i]; i++) {
        const char *between = i == 0 ? "" : endings[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", between, endings[i]);
    }
    return wri_fail(error, WR_E_UNSUPPORTED,
                    "%s: not a kind of model that can be read, expected %s", path, list);
}

static reader_fn *find_reader(const char *path, const char *bytes, size_t size, wr_error *error)
{
    if (size == 0) {
        wri_fail(error, WR_E_FORMAT, "%s: the file is empty", path);
        return NULL;
    }
    if (starts_with(bytes, size, "ply\n") || starts_with(bytes, size, "ply\r")) {
        return wri_ply_read;
    }
    if (starts_with(bytes, size, "glTF") || looks_like_json(bytes, size)) {
        return wri_gltf_read;
    }
    if (starts_with(bytes, size, "MeshVersionFormatted")) {
        return wri_medit_read_model;
    }
    reader_fn *reader = find_reader_by_name(path);
    if (!reader) {
        fail_ending(path, error);
    }
    return reader;
}

static bool has_triangles(const wr_model *model)
{
    for (int i = 0; i < model->node_count; i++) {
        if (model->nodes[i].mesh >= 0) {
            return true;
        }
    }
    return false;
}

// Reads a foreign file; the options replace what it says itself.
static wr_model *read_foreign(const char *path, size_t size, const wr_read_options *options,
                              wr_error *error)
{
    wri_foreign_options foreign = wri_foreign_options_default(size);
    foreign.keep_unit = options && options->unit;
    foreign.keep_axes = options && options->up;
    return wri_foreign_import(path, &foreign, options ? options->allocator : NULL, error);
}

static wr_model *read_bytes(const char *path, const char *bytes, size_t size,
                            const wr_read_options *options, wr_error *error)
{
    reader_fn *reader = find_reader(path, bytes, size, error);
    if (reader == wri_foreign_read) {
        return read_foreign(path, size, options, error);
    }
    if (reader == wri_gltf_read) {
        return wri_gltf_read_with(path, bytes, size, NULL, NULL, options, error);
    }
    return reader ? reader(path, bytes, size, options ? options->allocator : NULL, error) : NULL;
}

wr_model *wr_model_read(const char *path, const wr_read_options *options, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    const wr_allocator *allocator = options ? options->allocator : NULL;
    wri_conversion conversion;
    size_t size = 0;
    if (!wri_conversion_create(options, &conversion, error)) {
        return NULL;
    }
    char *bytes = wri_file_read(path, WRI_MODEL_LIMIT, allocator, &size, error);
    if (!bytes) {
        return NULL;
    }
    wr_model *model = read_bytes(path, bytes, size, options, error);
    wri_free(allocator, bytes, size + 1, 1);
    bool ok = model != NULL;
    if (ok) {
        wri_convert_model(&conversion, model);
        ok = wri_model_check(model, path, WR_E_FORMAT, error);
    }
    if (ok && !has_triangles(model)) {
        ok = wri_fail(error, WR_E_FORMAT, "%s: holds no triangles", path);
    }
    if (!ok) {
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}

// --- shared pieces ----------------------------------------------------------------------------

wri_arena *wri_model_arena(wr_model *model)
{
    return model->memory; // the owner begins with its arena
}

char *wri_model_stem(wr_model *model, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return wri_arena_text(wri_model_arena(model), name, length);
}

bool wri_model_add_nodes(wr_model *model, const char *path, wr_error *error)
{
    model->name = wri_model_stem(model, path);
    model->nodes = wr_model_alloc(model, (size_t)model->mesh_count, sizeof *model->nodes);
    if (!model->name || !model->nodes) {
        return wri_fail_memory(error, (size_t)model->mesh_count * sizeof *model->nodes);
    }
    model->node_count = model->mesh_count;
    for (int i = 0; i < model->mesh_count; i++) {
        wr_mesh *mesh = &model->meshes[i];
        mesh->name = mesh->name && *mesh->name ? mesh->name : model->name;
        model->nodes[i] = (wr_node){
            .name = mesh->name,
            .parent = -1,
            .mesh = i,
            .skin = -1,
            .pose = WR_POSE_IDENTITY,
            .scale = wr_v3(1.0f, 1.0f, 1.0f),
        };
    }
    return true;
}

wr_vec3 wri_unit_normal(wr_vec3 normal)
{
    double x = normal.x, y = normal.y, z = normal.z;
    double squared = x * x + y * y + z * z;
    if (fabs(squared - 1.0) < 1e-5) {
        return normal;
    }
    if (squared == 0.0) {
        return wr_v3(0.0f, 1.0f, 0.0f);
    }
    double s = 1.0 / sqrt(squared);
    return wr_v3((float)(s * x), (float)(s * y), (float)(s * z));
}

wr_quat wri_unit_quat(wr_quat q)
{
    double x = q.x, y = q.y, z = q.z, w = q.w, squared = x * x + y * y + z * z + w * w;
    if (fabs(squared - 1.0) < 1e-6) {
        return q;
    }
    double s = squared > 0.0 ? 1.0 / sqrt(squared) : 0.0;
    return squared > 0.0 ? (wr_quat){(float)(s * x), (float)(s * y), (float)(s * z), (float)(s * w)}
                         : WR_QUAT_IDENTITY;
}

float wri_srgb_to_linear(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

float wri_linear_to_srgb(float value)
{
    float v = wr_clampf(value, 0.0f, 1.0f);
    return v <= 0.0031308f ? 12.92f * v : fminf(1.055f * powf(v, 1.0f / 2.4f) - 0.055f, 1.0f);
}

int *wri_mesh_looks(const wr_mesh *mesh)
{
    size_t count = (size_t)mesh->triangle_count;
    int *looks = wri_alloc(NULL, count, sizeof *looks);
    for (size_t i = 0; looks && i < count; i++) {
        looks[i] = -1;
    }
    for (int i = 0; looks && i < mesh->part_count; i++) {
        const wr_mesh_part *part = &mesh->parts[i];
        for (int k = 0; k < part->triangle_count; k++) {
            looks[part->first_triangle + k] = part->look;
        }
    }
    return looks;
}

bool wri_image_decode(wri_arena *arena, const void *bytes, size_t size, const char *name,
                      int64_t *pixels_left, wr_image *out, wr_error *error)
{
    *out = (wr_image){.name = ""};
    bool png = starts_with(bytes, size, "\x89PNG\r\n\x1a\n");
    if (!png && !starts_with(bytes, size, "\xff\xd8\xff")) {
        return true;
    }
    *pixels_left -= png ? wri_png_pixels(bytes, size) : wri_jpeg_pixels(bytes, size);
    if (*pixels_left < 0) {
        return wri_fail(error, WR_E_UNSUPPORTED, "%s: the images have more than %d pixels", name,
                        WRI_MODEL_PIXEL_LIMIT);
    }
    return png ? wri_png_decode(arena, bytes, size, name, out, error)
               : wri_jpeg_decode(arena, bytes, size, name, out, error);
}

// --- neighbours and warnings ------------------------------------------------------------------

bool wri_is_neighbour(const char *name)
{
    size_t length = strcspn(name, ":/?#");
    return name[0] && name[0] != '/' && name[0] != '\\' && name[length] != ':';
}

bool wri_leaves_folder(const char *path)
{
    bool leaves = path[0] == '/';
    for (const char *step = path; *step && !leaves;) {
        size_t length = strcspn(step, "/");
        leaves = length == 2 && step[0] == '.' && step[1] == '.';
        step += length + (step[length] == '/');
    }
    return leaves;
}

// Whatever a file contains, a warning is UTF-8 without line breaks and escape sequences.
static void clean_warning(char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        uint32_t code = 0;
        int length = wri_utf8_decode(text, left, &code);
        if (length == 0 || code < 0x20 || code == 0x7f) {
            *text = '?';
            length = 1;
        }
        text += length;
        left -= (size_t)length;
    }
}

static bool has_warning(const wr_model *model, const char *sentence)
{
    size_t length = strlen(sentence);
    for (int i = 0; i < model->warning_count; i++) {
        size_t whole = strlen(model->warnings[i]);
        if (whole >= length && strcmp(model->warnings[i] + whole - length, sentence) == 0) {
            return true;
        }
    }
    return false;
}

static const char **alloc_warnings(wr_model *model)
{
    return wr_model_alloc(model, WRI_MODEL_WARNINGS, sizeof *model->warnings);
}

bool wri_model_warn(wr_model *model, wr_error *error, const char *place, const char *format, ...)
{
    char sentence[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    clean_warning(sentence);
    if (model->warning_count == WRI_MODEL_WARNINGS || has_warning(model, sentence)) {
        return true;
    }
    if (!model->warnings) {
        model->warnings = alloc_warnings(model);
    }
    char *warning = wri_arena_printf(wri_model_arena(model), "%s: %s", place, sentence);
    if (!model->warnings || !warning) {
        return wri_fail_memory(error, sizeof sentence);
    }
    clean_warning(warning);
    model->warnings[model->warning_count++] = warning;
    return true;
}

bool wri_model_keep_warning(wr_model *model, const char *text, size_t length)
{
    WR_ASSERT(model->warning_count < WRI_MODEL_WARNINGS);
    model->warnings = model->warnings ? model->warnings : alloc_warnings(model);
    char *copy = wri_arena_text(wri_model_arena(model), text, length);
    bool ok = model->warnings && copy;
    if (ok) {
        model->warnings[model->warning_count++] = copy;
    }
    return ok;
}

bool wri_model_copy_warnings(const wr_model *from, wr_model *to)
{
    bool ok = true;
    for (int i = 0; ok && i < from->warning_count; i++) {
        ok = wri_model_keep_warning(to, from->warnings[i], strlen(from->warnings[i]));
    }
    return ok;
}

static const double LARGE = 50.0; // metres; who has something that large says its unit

// A fox of 157 m was modelled in centimetres, and nobody said so.
bool wri_model_warn_of_size(wr_model *model, wr_error *error, const char *place, wr_vec3 size,
                            const char *remedy)
{
    double longest = fmax(size.x, fmax(size.y, size.z));
    return longest < LARGE ||
           wri_model_warn(model, error, place, "the model is %s m %s: centimetres? %s",
                          WRI_NUMBER(longest, 3), longest == (double)size.y ? "tall" : "long",
                          remedy);
}

// --- influences -------------------------------------------------------------------------------

// Adds the weights of a joint that is named twice.
static void merge_joints(int count, const int *joints, float *weights)
{
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < i && weights[i] > 0.0f; k++) {
            if (joints[k] == joints[i] && weights[k] > 0.0f) {
                weights[k] += weights[i];
                weights[i] = 0.0f;
            }
        }
    }
}

static void sort_joints(int count, int *joints, float *weights)
{
    for (int i = 1; i < count; i++) {
        int joint = joints[i], k = i;
        float weight = weights[i];
        for (; k > 0 && weights[k - 1] < weight; k--) {
            joints[k] = joints[k - 1];
            weights[k] = weights[k - 1];
        }
        joints[k] = joint;
        weights[k] = weight;
    }
}

// The sum of rounded weights is off by less than half of the tolerance, so that doing this twice is
// doing it once. It is also half of what the Khronos validator allows.
void wri_tidy_influences(int count, int *joints, float *weights)
{
    merge_joints(count, joints, weights);
    double sum = 0.0;
    int used = 0;
    for (int i = 0; i < count; i++) {
        sum += (double)weights[i];
        used += weights[i] > 0.0f;
    }
    if (!(sum > 0.0)) {
        weights[0] = 1.0f;
        joints[0] = 0;
    } else if (fabs(sum - 1.0) > 1e-7 * used) {
        for (int i = 0; i < count; i++) {
            weights[i] = (float)((double)weights[i] / sum);
        }
    }
    for (int i = 0; i < count; i++) {
        joints[i] = weights[i] > 0.0f ? joints[i] : 0;
    }
    sort_joints(count, joints, weights);
}
