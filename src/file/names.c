// names.c: what things are called in files of others.
#include "names.h"

typedef struct wri_names_entry {
    const char *name; // NULL: free
    int next;         // the number to try when it is wanted again
} entry;

wri_names wri_names_create(wri_arena *arena)
{
    return (wri_names){.arena = arena};
}

static entry *find(const wri_names *names, const char *name)
{
    size_t slot = wri_hash(name, strlen(name), 0) & (names->table_size - 1);
    while (names->table[slot].name && strcmp(names->table[slot].name, name) != 0) {
        slot = (slot + 1) & (names->table_size - 1);
    }
    return &names->table[slot];
}

static bool grow(wri_names *names)
{
    if (2 * (names->count + 1) < names->table_size) {
        return true;
    }
    wri_names old = *names;
    names->table_size = old.table_size ? 2 * old.table_size : 64;
    names->table = wri_arena_alloc(names->arena, names->table_size, sizeof(entry));
    if (!names->table) {
        return false;
    }
    for (size_t i = 0; i < old.table_size; i++) {
        if (old.table[i].name) {
            *find(names, old.table[i].name) = old.table[i];
        }
    }
    return true;
}

const char *wri_names_add(wri_names *names, const char *wanted)
{
    if (!grow(names)) {
        return NULL;
    }
    const char *name = wanted;
    entry *first = find(names, wanted), *slot = first;
    while (slot->name) {
        name = wri_arena_printf(names->arena, "%s_%d", wanted, first->next++);
        if (!name) {
            return NULL;
        }
        slot = find(names, name);
    }
    *slot = (entry){name, 2};
    names->count++;
    return name;
}

// --- alphabets --------------------------------------------------------------------------------

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char *wri_name_identifier(wri_arena *arena, const char *name, const char *fallback)
{
    name = name[0] ? name : fallback;
    char *text = wri_arena_printf(arena, "%s%s", is_digit(name[0]) ? "_" : "", name);
    for (char *s = text; s && *s; s++) {
        *s = is_letter(*s) || is_digit(*s) ? *s : '_';
    }
    return text;
}

const char *wri_name_line(wri_arena *arena, const char *name, const char *fallback)
{
    name = name[0] ? name : fallback;
    char *text = wri_arena_text(arena, name, strlen(name));
    char before = ' ';
    for (char *s = text; s && *s; s++) {
        bool blank_edge = *s == ' ' && (s == text || !s[1]);
        bool comment = *s == '#' && before == ' ';
        if ((unsigned char)*s < 0x20 || *s == 0x7f || *s == '\\' || blank_edge || comment) {
            *s = '_';
        }
        before = *s;
    }
    return text;
}

// --- files ------------------------------------------------------------------------------------

const char *wri_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *wri_path_stem(wri_arena *arena, const char *path)
{
    const char *name = wri_path_name(path), *dot = strrchr(name, '.');
    return wri_arena_text(arena, path, dot && dot != name ? (size_t)(dot - path) : strlen(path));
}

static bool write_image(const wr_image *image, const char *path, wr_error *error)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    bool opaque = true;
    for (size_t i = 0; i < count && opaque; i++) {
        opaque = image->pixels[4 * i + 3] == 255;
    }
    if (!opaque) {
        return wr_png_write(path, image->pixels, image->width, image->height, 4, error);
    }
    uint8_t *pixels = wri_alloc(NULL, count, 3);
    if (!pixels) {
        return wri_fail_memory(error, 3 * count);
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(pixels + 3 * i, image->pixels + 4 * i, 3);
    }
    bool ok = wr_png_write(path, pixels, image->width, image->height, 3, error);
    wri_free(NULL, pixels, count, 3);
    return ok;
}

bool wri_textures_name(const wr_model *model, const char *path, wri_arena *arena,
                       const char **files, wr_error *error)
{
    wri_names names = wri_names_create(arena);
    const char *stem = wri_path_stem(arena, path);
    for (int i = 0; i < model->look_count; i++) {
        int image = model->looks[i].texture;
        if (image < 0 || files[image]) {
            continue;
        }
        const char *name = wri_name_identifier(arena, model->images[image].name, "texture");
        name = name && stem ? wri_names_add(&names, name) : NULL;
        files[image] = name ? wri_arena_printf(arena, "%s_%s.png", stem, name) : NULL;
        if (!files[image]) {
            return wri_fail_memory(error, strlen(path));
        }
    }
    return true;
}

bool wri_textures_write(const wr_model *model, const char *path, wri_arena *arena,
                        const char **files, wr_error *error)
{
    bool ok = wri_textures_name(model, path, arena, files, error);
    for (int i = 0; i < model->image_count && ok; i++) {
        if (files[i]) {
            ok = write_image(&model->images[i], files[i], error);
            files[i] = wri_path_name(files[i]);
        }
    }
    return ok;
}
