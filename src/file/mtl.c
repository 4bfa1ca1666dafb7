// mtl.c: the lines of Wavefront files, and MTL: newmtl, Kd, d, map_Kd (PNG, JPEG), Pr, Pm.
#include "mtl.h"
#include "../base/os.h"

#include <stdio.h>

enum {
    MAX_FILES = 1000,  // libraries, and pictures, of one model
    MAX_TRIES = 10000, // names of libraries that are looked for
    MAX_WORDS = 32     // words of one mtllib line in which names with blanks are found
};

// --- lines ------------------------------------------------------------------------------------

wri_text wri_text_open(const char *path, const char *bytes, size_t size, wr_error *error)
{
    bool marked = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0; // byte order mark
    return (wri_text){.path = path,
                      .next = bytes + (marked ? 3 : 0),
                      .end = bytes + size,
                      .next_line = 1,
                      .error = error};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// A backslash before the line end; blanks in between are forgiven.
static bool is_joint(const char *s, const char *end)
{
    if (*s != '\\') {
        return false;
    }
    for (s++; s < end && is_blank(*s); s++) {
    }
    return s < end && *s == '\n';
}

// Returns the end of the line that starts at s; a comment cannot be continued.
static const char *find_line_end(wri_text *text, const char *s)
{
    const char *first = s;
    while (first < text->end && is_blank(*first)) {
        first++;
    }
    bool comment = first < text->end && *first == '#', joined = false;
    for (; s < text->end && (*s != '\n' || joined); s++) {
        joined = *s != '\n' && !comment && (joined || is_joint(s, text->end));
        text->next_line += *s == '\n';
    }
    return s;
}

// # opens a comment where a word could start; names may contain it.
static const char *find_comment(const char *s, const char *end)
{
    for (const char *at = s; at < end; at++) {
        if (*at == '#' && (at == s || is_blank(at[-1]))) {
            return at;
        }
    }
    return end;
}

bool wri_text_line(wri_text *text)
{
    while (text->next < text->end) {
        const char *end = find_line_end(text, text->next);
        text->line = text->next_line; // line of its last piece when joined
        text->at = text->next;
        text->stop = find_comment(text->at, end);
        text->next = end + (end < text->end);
        text->next_line++;
        if (wri_text_word(text, &text->keyword, &text->keyword_length)) {
            return true;
        }
    }
    return false;
}

bool wri_text_is(const wri_text *text, const char *keyword)
{
    return strlen(keyword) == text->keyword_length &&
           memcmp(keyword, text->keyword, text->keyword_length) == 0;
}

static bool is_between(const wri_text *text, const char *s)
{
    return is_blank(*s) || *s == '\n' || is_joint(s, text->stop);
}

bool wri_text_word(wri_text *text, const char **word, size_t *length)
{
    while (text->at < text->stop && is_between(text, text->at)) {
        text->at++;
    }
    *word = text->at;
    while (text->at < text->stop && !is_between(text, text->at)) {
        text->at++;
    }
    *length = (size_t)(text->at - *word);
    return *length > 0;
}

void wri_text_rest(wri_text *text, const char **rest, size_t *length)
{
    while (text->at < text->stop && is_between(text, text->at)) {
        text->at++;
    }
    while (text->stop > text->at && is_blank(text->stop[-1])) {
        text->stop--;
    }
    *rest = text->at;
    *length = (size_t)(text->stop - text->at);
}

int wri_text_floats(wri_text *text, float *out, int most)
{
    const char *word;
    size_t length;
    int count = 0;
    for (; count < most && wri_text_word(text, &word, &length); count++) {
        double value = 0.0;
        if (!wri_parse_double(word, length, &value) || !isfinite((float)value)) {
            wri_text_fail(text, "\"%.*s\" is not a finite number", length < 40 ? (int)length : 40,
                          word);
            return -1;
        }
        out[count] = (float)value;
    }
    return count;
}

bool wri_text_fail(wri_text *text, const char *format, ...)
{
    char message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return wri_fail(text->error, WR_E_FORMAT, "%s:%d: %s", text->path, text->line, message);
}

bool wri_text_warn(const wri_text *text, wr_model *model, const char *format, ...)
{
    char place[512], sentence[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "%s:%d", text->path, text->line);
    return wri_model_warn(model, text->error, place, "%s", sentence);
}

// --- names ------------------------------------------------------------------------------------

wri_mtl wri_mtl_create(wr_model *model, const char *path, size_t source_size, wr_error *error)
{
    const wr_allocator *allocator = &wri_model_arena(model)->allocator;
    return (wri_mtl){
        .model = model,
        .path = path,
        .looks = wri_array_create(allocator, sizeof(wr_look)),
        .images = wri_array_create(allocator, sizeof(wr_image)),
        .libraries = wri_array_create(allocator, sizeof(char *)),
        .files = wri_array_create(allocator, sizeof(wri_mtl_file)),
        .source_size = source_size,
        .pixels_left = WRI_MODEL_PIXEL_LIMIT,
        .error = error,
    };
}

void wri_mtl_destroy(wri_mtl *mtl)
{
    wri_free(&mtl->looks.allocator, mtl->table, mtl->table_size, sizeof *mtl->table);
    wri_array_destroy(&mtl->looks);
    wri_array_destroy(&mtl->images);
    wri_array_destroy(&mtl->libraries);
    wri_array_destroy(&mtl->files);
}

static size_t name_slot(const wri_mtl *mtl, const char *name, size_t length)
{
    size_t slot = wri_hash(name, length, 0) & (mtl->table_size - 1);
    for (; mtl->table[slot]; slot = (slot + 1) & (mtl->table_size - 1)) {
        const char *other = WRI_ITEM(mtl->looks, wr_look, mtl->table[slot] - 1).name;
        if (strlen(other) == length && memcmp(other, name, length) == 0) {
            break;
        }
    }
    return slot;
}

// The first look of a name keeps it.
static void enter_name(wri_mtl *mtl, int look)
{
    const char *name = WRI_ITEM(mtl->looks, wr_look, look).name;
    size_t slot = name_slot(mtl, name, strlen(name));
    mtl->table[slot] = mtl->table[slot] ? mtl->table[slot] : look + 1;
}

static bool grow_table(wri_mtl *mtl)
{
    if (2 * (size_t)mtl->looks.count < mtl->table_size) {
        return true;
    }
    size_t size = mtl->table_size ? 2 * mtl->table_size : 64;
    int *table = wri_alloc(&mtl->looks.allocator, size, sizeof *table);
    if (!table) {
        return wri_fail_memory(mtl->error, size * sizeof *table);
    }
    wri_free(&mtl->looks.allocator, mtl->table, mtl->table_size, sizeof *table);
    mtl->table = table;
    mtl->table_size = size;
    for (int i = 0; i < mtl->looks.count; i++) {
        enter_name(mtl, i);
    }
    return true;
}

int wri_mtl_find(const wri_mtl *mtl, const char *name, size_t length)
{
    return mtl->table ? mtl->table[name_slot(mtl, name, length)] - 1 : -1;
}

static bool add_look(wri_mtl *mtl, const char *name, size_t length)
{
    char *copy = wri_arena_text(wri_model_arena(mtl->model), name, length);
    wr_look *look = copy ? wri_array_add(&mtl->looks, 1) : NULL;
    if (!look) {
        return wri_fail_memory(mtl->error, length);
    }
    *look = (wr_look){
        .name = copy,
        .base_color = {0.8f, 0.8f, 0.8f, 1.0f},
        .texture = -1,
        .roughness = 0.8f,
    };
    if (!grow_table(mtl)) {
        return false;
    }
    enter_name(mtl, mtl->looks.count - 1);
    return true;
}

// --- pictures ---------------------------------------------------------------------------------

static bool is_number(const char *word, size_t length)
{
    double ignored;
    return wri_parse_double(word, length, &ignored);
}

static bool is_option_value(const char *word, size_t length)
{
    return is_number(word, length) || (length == 2 && memcmp(word, "on", 2) == 0) ||
           (length == 3 && memcmp(word, "off", 3) == 0);
}

// Steps over "-s 1 1 1 -clamp on" to the file's name, which may contain blanks.
static void skip_options(wri_text *text)
{
    for (;;) {
        wri_text ahead = *text;
        const char *word;
        size_t length;
        if (!wri_text_word(&ahead, &word, &length) || word[0] != '-' || length < 2) {
            return;
        }
        bool named = (length == 8 && memcmp(word, "-imfchan", 8) == 0) ||
                     (length == 5 && memcmp(word, "-type", 5) == 0);
        *text = ahead;
        for (int i = 0; i < 3; i++) {
            if (!wri_text_word(&ahead, &word, &length) ||
                !(is_option_value(word, length) || (named && i == 0))) {
                break;
            }
            *text = ahead;
        }
    }
}

static bool decode_picture(wri_mtl *mtl, const char *path, const char *bytes, size_t size, int *out)
{
    wr_image image = {0};
    if (!wri_image_decode(wri_model_arena(mtl->model), bytes, size, path, &mtl->pixels_left, &image,
                          mtl->error)) {
        return false;
    }
    if (!image.pixels) {
        return wri_model_warn(mtl->model, mtl->error, path,
                              "is neither PNG nor JPEG; the plain colour stands in its place");
    }
    image.name = wri_model_stem(mtl->model, path);
    wr_image *added = image.name ? wri_array_add(&mtl->images, 1) : NULL;
    if (!added) {
        return wri_fail_memory(mtl->error, sizeof *added);
    }
    *added = image;
    *out = mtl->images.count - 1;
    return true;
}

static char *read_neighbour(wri_mtl *mtl, const char *path, size_t *size)
{
    size_t limit = mtl->source_size < WRI_MODEL_LIMIT ? WRI_MODEL_LIMIT - mtl->source_size : 0;
    char *bytes = wri_file_read(path, limit, &mtl->looks.allocator, size, mtl->error);
    mtl->source_size += bytes ? *size : 0;
    return bytes;
}

static bool load_picture(wri_mtl *mtl, const wri_text *text, const char *path, int *out)
{
    *out = -1;
    for (int i = 0; i < mtl->files.count; i++) {
        const wri_mtl_file *file = &WRI_ITEM(mtl->files, wri_mtl_file, i);
        if (strcmp(file->path, path) == 0) {
            *out = file->image;
            return true;
        }
    }
    if (mtl->files.count >= MAX_FILES) {
        return wri_text_warn(text, mtl->model, "more than %d textures are passed over", MAX_FILES);
    }
    if (!wri_file_exists(path) || wri_is_folder(path)) {
        return wri_text_warn(text, mtl->model, "the texture \"%.120s\" is not there", path);
    }
    size_t size = 0;
    char *bytes = read_neighbour(mtl, path, &size);
    if (!bytes) {
        return false;
    }
    bool ok = decode_picture(mtl, path, bytes, size, out);
    wri_free(&mtl->looks.allocator, bytes, size + 1, 1);
    wri_mtl_file *file = ok ? wri_array_add(&mtl->files, 1) : NULL;
    if (ok && !file) {
        return wri_fail_memory(mtl->error, sizeof *file);
    }
    if (file) {
        *file = (wri_mtl_file){path, *out};
    }
    return ok;
}

// The path of a file that `from` names, NULL when it is not one beside or above; backslashes are
// those of another system.
static bool find_neighbour(wri_mtl *mtl, const char *from, const char *name, size_t length,
                           char **path)
{
    wri_arena *arena = wri_model_arena(mtl->model);
    char *copy = wri_arena_text(arena, name, length);
    for (char *s = copy; s && *s; s++) {
        *s = *s == '\\' ? '/' : *s;
    }
    *path = NULL;
    if (copy && !wri_is_neighbour(copy)) {
        return true;
    }
    char *folder = copy ? wri_path_folder(arena, from) : NULL;
    *path = folder ? wri_path_join(arena, folder, copy) : NULL;
    return *path || wri_fail_memory(mtl->error, length);
}

static bool read_picture(wri_mtl *mtl, wri_text *text, wr_look *look)
{
    const char *name;
    size_t length;
    skip_options(text);
    wri_text_rest(text, &name, &length);
    char *path = NULL;
    if (length == 0) {
        return true;
    }
    if (!find_neighbour(mtl, text->path, name, length, &path)) {
        return false;
    }
    return path ? load_picture(mtl, text, path, &look->texture)
                : wri_text_warn(text, mtl->model,
                                "the texture \"%.*s\" is passed over, expected a path from here",
                                length < 120 ? (int)length : 120, name);
}

// --- libraries --------------------------------------------------------------------------------

static bool read_color(wri_text *text, wr_look *look)
{
    float n[3];
    int count = wri_text_floats(text, n, 3);
    if (count != 1 && count != 3) {
        return count >= 0 && wri_text_fail(text, "Kd: expected three numbers");
    }
    look->base_color.r = wr_clampf(n[0], 0.0f, 1.0f);
    look->base_color.g = wr_clampf(n[count == 3 ? 1 : 0], 0.0f, 1.0f);
    look->base_color.b = wr_clampf(n[count == 3 ? 2 : 0], 0.0f, 1.0f);
    return true;
}

static bool read_fraction(wri_text *text, float *out)
{
    float n;
    int count = wri_text_floats(text, &n, 1);
    if (count < 1) {
        return count >= 0 && wri_text_fail(text, "expected a number");
    }
    *out = wr_clampf(n, 0.0f, 1.0f);
    return true;
}

// Programs disagree on which way it counts; nobody brings an invisible model.
static bool read_opacity(wri_text *text, wr_look *look)
{
    if (!read_fraction(text, &look->base_color.a)) {
        return false;
    }
    bool clear = look->base_color.a > 0.0f && look->base_color.a < 1.0f;
    look->alpha = clear ? WR_ALPHA_BLEND : WR_ALPHA_OPAQUE;
    return true;
}

static bool read_line(wri_mtl *mtl, wri_text *text, bool *begun)
{
    const char *name;
    size_t length;
    if (wri_text_is(text, "newmtl")) {
        wri_text_rest(text, &name, &length);
        *begun = true;
        return add_look(mtl, name, length);
    }
    if (!*begun) {
        return true;
    }
    wr_look *look = &WRI_ITEM(mtl->looks, wr_look, mtl->looks.count - 1);
    return wri_text_is(text, "Kd")       ? read_color(text, look)
           : wri_text_is(text, "d")      ? read_opacity(text, look)
           : wri_text_is(text, "Pr")     ? read_fraction(text, &look->roughness)
           : wri_text_is(text, "Pm")     ? read_fraction(text, &look->metallic)
           : wri_text_is(text, "map_Kd") ? read_picture(mtl, text, look)
                                         : true;
}

static bool read_library(wri_mtl *mtl, const char *path)
{
    size_t size = 0;
    char *bytes = read_neighbour(mtl, path, &size);
    if (!bytes) {
        return false;
    }
    wri_text text = wri_text_open(path, bytes, size, mtl->error);
    bool ok = true, begun = false;
    while (ok && wri_text_line(&text)) {
        ok = read_line(mtl, &text, &begun);
    }
    wri_free(&mtl->looks.allocator, bytes, size + 1, 1);
    return ok;
}

// True also when the library was read before; *found says whether it exists.
static bool try_library(wri_mtl *mtl, const char *name, size_t length, bool *found)
{
    if (++mtl->tries > MAX_TRIES) {
        return wri_fail(mtl->error, WR_E_UNSUPPORTED, "%s: names more than %d material libraries",
                        mtl->path, MAX_TRIES);
    }
    char *path = NULL;
    if (!find_neighbour(mtl, mtl->path, name, length, &path)) {
        return false;
    }
    *found = path && wri_file_exists(path) && !wri_is_folder(path);
    if (!*found) {
        return true;
    }
    for (int i = 0; i < mtl->libraries.count; i++) {
        if (strcmp(WRI_ITEM(mtl->libraries, const char *, i), path) == 0) {
            return true;
        }
    }
    if (mtl->libraries.count >= MAX_FILES) {
        return wri_fail(mtl->error, WR_E_UNSUPPORTED, "%s: more than %d material libraries",
                        mtl->path, MAX_FILES);
    }
    const char **added = wri_array_add(&mtl->libraries, 1);
    if (!added) {
        return wri_fail_memory(mtl->error, sizeof *added);
    }
    *added = path;
    return read_library(mtl, path);
}

typedef struct span {
    const char *first, *end;
} span;

// The longest run of words from `at` on that is the name of a file; *next is the word behind it, or
// behind the first one when none is.
static bool try_run(wri_mtl *mtl, const span *words, int at, int count, int *next, bool *found)
{
    for (*next = count; *next > at; (*next)--) {
        size_t length = (size_t)(words[*next - 1].end - words[at].first);
        if (!try_library(mtl, words[at].first, length, found)) {
            return false;
        }
        if (*found) {
            return true;
        }
    }
    *next = at + 1;
    return true;
}

// Words that are no file up to the next one that is are most likely one name.
static bool warn_of_library(wri_mtl *mtl, const wri_text *text, const char *first, const char *end)
{
    int length = end - first < 120 ? (int)(end - first) : 120;
    return wri_text_warn(text, mtl->model, "the material library \"%.*s\" is not there", length,
                         first);
}

static bool read_words(wri_mtl *mtl, const wri_text *text, const span *words, int count)
{
    int missing = -1;
    for (int at = 0, next; at < count; at = next) {
        bool found = false;
        if (!try_run(mtl, words, at, count, &next, &found)) {
            return false;
        }
        if (found && missing >= 0 &&
            !warn_of_library(mtl, text, words[missing].first, words[at - 1].end)) {
            return false;
        }
        missing = found ? -1 : missing < 0 ? at : missing;
    }
    return missing < 0 || warn_of_library(mtl, text, words[missing].first, words[count - 1].end);
}

bool wri_mtl_read(wri_mtl *mtl, const char *names, size_t length, int line)
{
    span words[MAX_WORDS];
    wri_text text = wri_text_open(mtl->path, names, length, mtl->error);
    text.at = names;
    text.stop = names + length;
    text.line = line;
    for (bool more = true; more;) {
        const char *word;
        size_t word_length;
        int count = 0;
        while (count < MAX_WORDS && (more = wri_text_word(&text, &word, &word_length))) {
            words[count++] = (span){word, word + word_length};
        }
        if (!read_words(mtl, &text, words, count)) {
            return false;
        }
    }
    return true;
}

bool wri_mtl_finish(wri_mtl *mtl)
{
    wr_model *model = mtl->model;
    size_t looks = (size_t)mtl->looks.count, images = (size_t)mtl->images.count;
    model->looks = wr_model_alloc(model, looks, sizeof *model->looks);
    model->images = wr_model_alloc(model, images, sizeof *model->images);
    if (!model->looks || !model->images) {
        return wri_fail_memory(mtl->error, looks * sizeof *model->looks);
    }
    if (looks) {
        memcpy(model->looks, mtl->looks.items, looks * sizeof *model->looks);
    }
    if (images) {
        memcpy(model->images, mtl->images.items, images * sizeof *model->images);
    }
    model->look_count = (int)looks;
    model->image_count = (int)images;
    return true;
}
