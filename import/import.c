// import.c: wrought-import: reads a model with Assimp and prints it as .glb, or decodes what Draco
// has compressed. A program of its own, because what these do with a bad file must not happen
// inside Wrought (src/file/foreign.c).
#include "draco.h"
#include "import.h"
#include "../src/file/foreign.h"

#include <assimp/cimport.h>
#include <assimp/config.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// --- reading ----------------------------------------------------------------------------------

typedef struct settings {
    bool collada_names, fbx_pivots;
} settings;

static const struct aiScene *read_once(const char *path, settings s)
{
    struct aiPropertyStore *store = aiCreatePropertyStore();
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, s.fbx_pivots);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, s.collada_names);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    // No steps afterwards: those that cut polygons and join vertices lose some.
    const struct aiScene *scene = aiImportFileExWithProperties(path, 0, NULL, store);
    aiReleasePropertyStore(store);
    return scene;
}

// COLLADA's names are what the artist sees, but only its ids tell bones apart for sure. FBX has a
// node for each pivot of a node when asked for; without them what turns about one is turned wrong.
static const struct aiScene *read_scene(const char *path)
{
    settings s = {.collada_names = true, .fbx_pivots = false};
    const struct aiScene *scene = read_once(path, s);
    if (scene) {
        settings better = {
            .collada_names = !import_has_bones(scene, NULL),
            .fbx_pivots = scene->mNumAnimations > 0 && import_is_fbx(scene),
        };
        if (better.collada_names != s.collada_names || better.fbx_pivots != s.fbx_pivots) {
            aiReleaseImport(scene);
            scene = read_once(path, better);
        }
    }
    return scene;
}

static bool ends_with_stl(const char *path)
{
    size_t length = strlen(path);
    const char *end = path + length - (length < 4 ? length : 4);
    return end[0] == '.' && (end[1] | 32) == 's' && (end[2] | 32) == 't' && (end[3] | 32) == 'l';
}

// --- saying -----------------------------------------------------------------------------------

static int refuse(const char *message)
{
    bool memory = strstr(message, "bad_alloc") != NULL;
    fprintf(stderr, "%s\n", memory ? "not enough memory" : message);
    return memory ? WRI_IMPORT_NO_MEMORY : WRI_IMPORT_REFUSED;
}

static bool put(int out, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(out, bytes, size);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        bytes += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

static int import_file(importer *im, int out)
{
    im->scene = read_scene(im->path);
    if (!im->scene) {
        const char *why = aiGetErrorString();
        return refuse(why && *why ? why : "Assimp failed and did not say why");
    }
    im->drop_normals = ends_with_stl(im->path);
    im->model = wr_model_create(NULL, im->error);
    uint8_t *file;
    size_t size;
    if (!im->model || !import_scene(im) ||
        !wri_model_pack_glb(im->model, im->path, &file, &size, im->error)) {
        const char *why = im->error->message; // the parent puts the path before it
        size_t prefix = strlen(im->path);
        bool named = strncmp(why, im->path, prefix) == 0 && strncmp(why + prefix, ": ", 2) == 0;
        fprintf(stderr, "%s\n", why + (named ? prefix + 2 : 0));
        return im->error->code == WR_E_MEMORY ? WRI_IMPORT_NO_MEMORY : WRI_IMPORT_REFUSED;
    }
    bool ok = put(out, file, size);
    for (int i = 0; ok && i < im->model->warning_count; i++) { // a line each, behind the model
        const char *line = im->model->warnings[i] + strlen(im->path) + 2; // the parent knows it
        ok = put(out, (const uint8_t *)line, strlen(line)) && put(out, (const uint8_t *)"\n", 1);
    }
    return ok ? WRI_IMPORT_DONE : refuse("cannot write the model");
}

#if defined(WRI_SANITIZED)
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) // instead of a limit of address space
{
    return "hard_rss_limit_mb=512";
}
#endif

// --- for tests --------------------------------------------------------------------------------

static int misbehave(const char *how)
{
    if (strcmp(how, "--test-crash") == 0) {
        signal(SIGSEGV, SIG_DFL); // not the sanitizers'
        raise(SIGSEGV);
    } else if (strcmp(how, "--test-hang") == 0) {
        for (volatile int i = 0;; i = i + 1) {
        }
    } else if (strcmp(how, "--test-sleep") == 0) { // without even its pipes
        close(1);
        close(2);
        for (;;) {
            pause();
        }
    } else if (strcmp(how, "--test-memory") == 0) {
        for (char *block; (block = malloc(1 << 24));) {
            memset(block, 1, 1 << 24);
        }
        return refuse("std::bad_alloc");
    } else if (strcmp(how, "--test-throw") == 0) { // what an exception that nobody catches does
        fprintf(stderr, "terminate called after throwing an instance of 'std::bad_alloc'\n");
        fprintf(stderr, "  what():  std::bad_alloc\n");
        abort();
    } else if (strcmp(how, "--test-rubbish") == 0) {
        return puts("glTF rubbish") < 0;
    } else if (strcmp(how, "--test-flood") == 0) {
        for (;;) {
            fputs("a line that is of no use to anybody\n", stderr);
        }
    }
    return 2;
}

// --- the program ------------------------------------------------------------------------------

int main(int argc, char **argv)
{
    wr_error error = {0};
    importer im = {.arena = wri_arena_create(NULL), .unit = 1.0f, .error = &error};
    int at = 1;
    for (; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0; at++) {
        if (strncmp(argv[at], "--test-", 7) == 0) {
            return misbehave(argv[at]);
        }
        if (strcmp(argv[at], "--draco") == 0) {
            return import_draco(0, 1);
        }
        im.keep_unit = im.keep_unit || strcmp(argv[at], "--keep-unit") == 0;
        im.keep_axes = im.keep_axes || strcmp(argv[at], "--keep-axes") == 0;
    }
    at += at < argc && strcmp(argv[at], "--") == 0;
    if (at != argc - 1) {
        fprintf(stderr, "usage: wrought-import [--keep-unit] [--keep-axes] MODEL >MODEL.glb\n"
                        "       wrought-import --draco <REQUEST >ARRAYS\n");
        return 2;
    }
    im.path = argv[at];
    // What Assimp prints must not get into the model.
    int out = dup(1);
    if (out < 0 || dup2(2, 1) < 0) {
        return refuse("cannot write the model");
    }
    int status = import_file(&im, out);
    fflush(NULL);
    _exit(status); // the system clears up faster
}
