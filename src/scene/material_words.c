// material_words.c: what a word for a material means: its name, a preset of it, or nearly one.
#include "materials.h"

#include "scene.h"

#include <stdio.h>

enum { MOST = 64 }; // names of materials, and presets of all of them

// Presets of all materials and what they are presets of.
typedef struct preset_list {
    const char *names[MOST], *materials[MOST];
    int count;
} preset_list;

static preset_list list_presets(const wr_scene_options *options)
{
    preset_list list = {.count = 0};
    const char *names[MOST];
    int count = wri_material_names(options, names, MOST);
    for (int i = 0; i < count; i++) {
        const wr_material *material = wri_find_material(options, names[i]);
        for (int k = 0; material && k < material->preset_count && list.count < MOST; k++) {
            list.names[list.count] = material->presets[k].name;
            list.materials[list.count++] = names[i];
        }
    }
    return list;
}

// Indices of the presets that are called so, in several materials: "rubber" of clay and of flesh.
static int find_presets(const preset_list *list, const char *word, int *found, int room)
{
    int count = 0;
    for (int i = 0; i < list->count && count < room; i++) {
        if (strcmp(list->names[i], word) == 0) {
            found[count++] = i;
        }
    }
    return count;
}

// Each name once.
static void add_names(char *out, size_t size, const char *const *names, int count)
{
    size_t used = strlen(out);
    for (int i = 0, listed = 0; i < count && used < size; i++) {
        bool is_new = true;
        for (int k = 0; k < i; k++) {
            is_new = is_new && strcmp(names[k], names[i]) != 0;
        }
        if (is_new) {
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", listed++ ? ", " : "", names[i]);
        }
    }
}

const char *wri_mean_material(char *out, size_t size, const wr_scene_options *options,
                              const char *word)
{
    const char *names[MOST];
    int meant[WRI_MOST_MEANT], count = wri_material_names(options, names, MOST);
    const preset_list list = list_presets(options);
    int found = find_presets(&list, word, meant, WRI_COUNT(meant));
    if (found == 0 && wri_is_look(word)) {
        snprintf(out, size, "; did you mean \"look\": \"%s\"?", word);
        return out;
    }
    if (found == 0 && wri_mean_words(out, size, word, names, count)[0]) {
        return out;
    }
    if (found == 0) {
        found = wri_find_meant(word, list.names, list.count, meant, WRI_COUNT(meant));
    }
    snprintf(out, size, "%s", found ? "; did you mean" : ", expected one of: ");
    for (int i = 0; i < found; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s { \"%s\": \"%s\" }%s", wri_or(i, found),
                 list.materials[meant[i]], list.names[meant[i]], i == found - 1 ? "?" : "");
    }
    if (found == 0) {
        add_names(out, size, names, count);
    }
    return out;
}

// --- words of command lines -------------------------------------------------------------------

// "; did you mean clay:rubber or flesh:rubber?"
static void mean_presets(char *out, size_t size, const preset_list *list, const int *meant,
                         int count)
{
    size_t used = 0;
    for (int i = 0; i < count && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s \"%s:%s\"%s",
                                 i ? wri_or(i, count) : "; did you mean", list->materials[meant[i]],
                                 list->names[meant[i]], i == count - 1 ? "?" : "");
    }
}

static bool fail_word(const char *word, const preset_list *list, wr_error *error)
{
    const char *names[MOST];
    char meant_text[200], all[400] = "";
    int meant[WRI_MOST_MEANT], count = wri_material_names(NULL, names, MOST);
    int same = find_presets(list, word, meant, WRI_COUNT(meant));
    if (same > 0) {
        mean_presets(meant_text, sizeof meant_text, list, meant, same);
        return wri_fail(error, WR_E_ARGUMENT, "\"%s\" is a preset of several materials%s", word,
                        meant_text);
    }
    wri_mean_words(meant_text, sizeof meant_text, word, names, count);
    if (!meant_text[0]) {
        mean_presets(meant_text, sizeof meant_text, list, meant,
                     wri_find_meant(word, list->names, list->count, meant, WRI_COUNT(meant)));
    }
    if (!meant_text[0]) {
        snprintf(all, sizeof all, ", expected one of: ");
        add_names(all, sizeof all, names, count);
        snprintf(all + strlen(all), sizeof all - strlen(all), "; or a preset of one: ");
        add_names(all, sizeof all, list->names, list->count);
    }
    return wri_fail(error, WR_E_ARGUMENT, "unknown material \"%.80s\"%s%s", word, all, meant_text);
}

// "tin", or "flesh:rubber" where several materials have it.
static bool names_preset(const char *word, const char *material, const char *preset)
{
    size_t length = strlen(material);
    bool is_owned = strncmp(word, material, length) == 0 && word[length] == ':';
    return strcmp(is_owned ? word + length + 1 : word, preset) == 0;
}

bool wr_material_find_word(const char *word, const char **material, const char **preset,
                           wr_error *error)
{
    if (!WRI_REQUIRE(error, word, material, preset)) {
        return false;
    }
    const char *names[MOST];
    int count = wri_material_names(NULL, names, MOST), found = 0;
    *preset = NULL;
    for (int i = 0; i < count; i++) {
        if (strcmp(word, names[i]) == 0) {
            *material = names[i];
            return true;
        }
    }
    const preset_list list = list_presets(NULL);
    for (int i = 0; i < list.count; i++) {
        if (names_preset(word, list.materials[i], list.names[i])) {
            *material = list.materials[i];
            *preset = list.names[i];
            found++;
        }
    }
    return found == 1 || fail_word(word, &list, error);
}
