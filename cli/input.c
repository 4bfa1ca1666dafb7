// input.c: what kind of file an input is.
#include "cli.h"

#include "../src/record/format.h"

bool cli_has_recording(const char *path)
{
    wri_arena arena = wri_arena_create(NULL);
    const char *inside = wri_is_folder(path) ? wri_path_join(&arena, path, WR_RECORD_FILE) : NULL;
    bool has = inside && wri_file_exists(inside);
    wri_arena_destroy(&arena);
    return has;
}

bool cli_is_model(const char *path)
{
    return wr_model_has_ending(path) && !cli_has_recording(path);
}

bool cli_is_published(const char *path)
{
    static const char *const files[] = {"mesh.mesh", "coarseWeights.dmat", "exampleGraph.txt"};
    wri_arena arena = wri_arena_create(NULL);
    bool is_one = wri_is_folder(path);
    for (int i = 0; i < WRI_COUNT(files) && is_one; i++) {
        const char *file = wri_path_join(&arena, path, files[i]);
        is_one = file && wri_file_exists(file);
    }
    wri_arena_destroy(&arena);
    return is_one;
}

static bool begins_like_a_recording(const char *path)
{
    uint8_t ours[WRI_RECORD_HEADER_SIZE], bytes[8] = {0};
    wri_record_header_write(ours, WRI_RECORD_VERSION);
    wri_file *file = wri_file_open(path, WRI_FILE_READ, NULL);
    bool same = file && wri_file_read_at(file, 0, bytes, sizeof bytes, NULL) &&
                memcmp(bytes, ours, sizeof bytes) == 0;
    wri_file_close(file, NULL);
    return same;
}

bool cli_check_recording(const char *path, wr_error *error)
{
    if (cli_is_published(path) && !cli_has_recording(path)) {
        return wri_fail(
            error, WR_E_FORMAT,
            "%s: is a published rig, not a recording: build it with \"wrought rig\" and "
            "name the asset",
            path);
    }
    if (!wri_file_exists(path) || wri_is_folder(path) || wri_has_ending(path, ".wrought") ||
        begins_like_a_recording(path)) {
        return true; // whoever opens it says what is wrong
    }
    static const char *const written[] = {".usda", ".png", ".mp4", ".webm", ".webp", ".gif"};
    static const char *const known[] = {".json", ".dmat", ".tgf", ".pc2", ".mdd"};
    if (wri_has_ending(path, ".scene.json")) {
        return wri_fail(error, WR_E_FORMAT,
                        "%s: is a scene, not a recording: simulate it with \"wrought sim\" first",
                        path);
    }
    if (wr_recipe_has_ending(path)) {
        return wri_fail(error, WR_E_FORMAT,
                        "%s: is a recipe, not a recording: build it with \"wrought rig\" and name "
                        "the asset",
                        path);
    }
    for (int i = 0; i < WRI_COUNT(known); i++) {
        if (wri_has_ending(path, known[i])) {
            return wri_fail(error, WR_E_FORMAT, "%s: is neither a recording nor a model", path);
        }
    }
    for (int i = 0; i < WRI_COUNT(written); i++) {
        if (wri_has_ending(path, written[i])) {
            return wri_fail(error, WR_E_UNSUPPORTED,
                            "%s: wrought writes %s files, but does not read them", path,
                            written[i]);
        }
    }
    return wri_fail(error, WR_E_UNSUPPORTED,
                    "%s: unknown kind of file; wrought reads .json, .wrought, .glb, .gltf, .obj, "
                    ".ply, .off, .mesh, .fbx, .dae, .stl and others, .dmat, .tgf, .pc2, .mdd",
                    path);
}

int cli_choose_particles(const char *word, wr_particle_choice *choice)
{
    static const char *const words[] = {"spheres", "surface"};
    *choice = !word                         ? WR_PARTICLES_AS_RECORDED
              : strcmp(word, words[0]) == 0 ? WR_PARTICLES_AS_SPHERES
                                            : WR_PARTICLES_AS_SURFACE;
    if (!word || strcmp(word, words[0]) == 0 || strcmp(word, words[1]) == 0) {
        return -1;
    }
    return cli_complain(CLI_BAD_USAGE, "--particles \"%s\": expected spheres or surface", word);
}

// By its whole path where they lie in different folders, unless the file lies where we are.
const char *cli_name_from(wri_arena *arena, const char *path, const char *file)
{
    char *from = wri_path_folder(arena, path), *to = wri_path_folder(arena, file);
    const char *slash = strrchr(path, '/');
    if (!from || !to) {
        return NULL;
    }
    if (wri_same_file(from, to)) {
        return slash ? slash + 1 : path;
    }
    return strcmp(to, ".") == 0 ? path : wri_absolute_path(arena, path);
}

int cli_expect_text(const char *path, cli_text_kind wanted)
{
    static const char *const words[] = {[CLI_RECIPE] = "recipe", [CLI_SCENE] = "scene"};
    const char *found = NULL, *instead = NULL;
    if (wr_asset_is_one(path)) {
        found = "an asset";
        instead = "wrought new scene";
    } else if (cli_is_model(path) && !wri_is_folder(path)) {
        found = "a model";
        instead = wanted == CLI_RECIPE ? "wrought new" : "wrought new scene";
    } else if (wanted == CLI_SCENE && wr_recipe_has_ending(path)) {
        found = "a recipe";
        instead = "wrought new scene";
    } else if (wanted == CLI_RECIPE && wri_has_ending(path, ".scene.json")) {
        found = "a scene";
        instead = "wrought sim";
    } else if (cli_has_recording(path) || (!wri_is_folder(path) && begins_like_a_recording(path))) {
        found = "a recording";
        instead = "wrought render";
    }
    if (!found || !wri_file_exists(path)) {
        return -1;
    }
    wri_arena arena = wri_arena_create(NULL);
    int status = cli_complain(CLI_BAD_INPUT, "%s: is %s, expected a %s; try: %s %s", path, found,
                              words[wanted], instead, cli_quote(&arena, path));
    wri_arena_destroy(&arena);
    return status;
}

int cli_refuse_text(const char *path)
{
    bool is_scene = wri_has_ending(path, ".scene.json");
    if (!wri_file_exists(path) || !(is_scene || wr_recipe_has_ending(path))) {
        return -1;
    }
    wri_arena arena = wri_arena_create(NULL);
    int status = cli_complain(CLI_BAD_INPUT, "%s: is a %s already; try: wrought %s %s", path,
                              is_scene ? "scene" : "recipe", is_scene ? "sim" : "rig",
                              cli_quote(&arena, path));
    wri_arena_destroy(&arena);
    return status;
}

int cli_check_other(const char *input, const char *output)
{
    return !wri_same_file(input, output)
               ? -1
               : cli_complain(CLI_BAD_USAGE,
                              "%s: is the input, which stays as it is; expected another output",
                              output);
}

const char *cli_quote(wri_arena *arena, const char *name)
{
    bool is_plain = name[0] != '\0';
    for (const char *c = name; *c && is_plain; c++) { // bytes beyond ASCII mean nothing to a shell
        is_plain = (unsigned char)*c >= 0x80 || (*c >= '0' && *c <= '9') ||
                   (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') || strchr("_-./+=:,@%", *c);
    }
    char *out = is_plain ? NULL : wri_arena_alloc(arena, 4 * strlen(name) + 3, 1), *to = out;
    if (!out) {
        return name;
    }
    *to++ = '\'';
    for (const char *c = name; *c; c++) {
        const char *piece = *c == '\'' ? "'\\''" : NULL; // out of the quotes and in again
        size_t length = piece ? strlen(piece) : 1;
        memcpy(to, piece ? piece : c, length);
        to += length;
    }
    *to++ = '\'';
    *to = '\0';
    return out;
}

int cli_check_replace(const char *path, bool force)
{
    return force || !wri_file_exists(path)
               ? -1
               : cli_complain(CLI_BAD_INPUT, "%s: exists and stays as it is; --force replaces it",
                              path);
}
