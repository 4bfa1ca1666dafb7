// foreign.c: the kinds of model that only Assimp reads, and the meshes that only Draco does.
//
// Assimp is large, and files have crashed it. It runs in a program of its own, wrought-import, with
// limits of time and memory, and hands back a .glb that goes through our own reader: nothing it
// says is believed unread, and whatever happens to it is one sentence here. Draco, which is C++,
// lives there as well and hands back arrays whose length is known.
#include "foreign.h"
#include "../base/os.h"

#include <stdlib.h>

// --- which files ------------------------------------------------------------------------------

static const char *file_ending(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot && (!slash || dot > slash) ? dot + 1 : "";
}

static bool same_word(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char lower = *a >= 'A' && *a <= 'Z' ? (char)(*a + 'a' - 'A') : *a;
        if (lower != *b) {
            return false;
        }
    }
    return *a == *b;
}

// True for the formats with triangles that Assimp 5.2 reads and that are called like nothing else.
bool wri_foreign_is_known(const char *path)
{
    static const char *const endings[] = {
        "3d",     "3ds",     "3mf",   "ac",  "ac3d",    "acc", "amf",  "ase",  "ask",
        "assbin", "b3d",     "blend", "cob", "dae",     "dxf", "enff", "fbx",  "hmp",
        "ifc",    "ifczip",  "iqm",   "irr", "irrmesh", "lwo", "lws",  "lxo",  "md2",
        "md3",    "md5mesh", "mdc",   "mdl", "ms3d",    "ndo", "nff",  "ogex", "pk3",
        "pmx",    "q3o",     "q3s",   "sib", "smd",     "stl", "ter",  "uc",   "vta",
        "x",      "x3d",     "x3db",  "xgl", "zae",     "zgl",
    };
    const char *ending = file_ending(path);
    for (int i = 0; i < WRI_COUNT(endings); i++) {
        if (same_word(ending, endings[i])) {
            return true;
        }
    }
    return false;
}

// --- the program ------------------------------------------------------------------------------

// Returns the program that WROUGHT_IMPORT names, or that beside this one, or where both were
// installed; or NULL.
static const char *find_program(wri_arena *arena)
{
    const char *said = getenv("WROUGHT_IMPORT");
    if (said && *said) {
        return wri_file_exists(said) && !wri_is_folder(said) ? said : NULL;
    }
    static const char *const places[] = {
        "wrought-import",
        "../libexec/wrought/wrought-import",
    };
    const char *folder = wri_program_folder(arena);
    for (int i = 0; i < WRI_COUNT(places) && folder; i++) {
        const char *path = wri_path_join(arena, folder, places[i]);
        if (path && wri_file_exists(path)) {
            return path;
        }
    }
#if defined(WROUGHT_LIBEXEC) // programs of others that use the library lie elsewhere
    if (wri_file_exists(WROUGHT_LIBEXEC "/wrought-import")) {
        return WROUGHT_LIBEXEC "/wrought-import";
    }
#endif
    return NULL;
}

wri_foreign_options wri_foreign_options_default(size_t size)
{
    const int64_t mib = 1 << 20;
    int64_t memory = 512 * mib + 64 * (int64_t)size;
    wri_foreign_options options = {
        .seconds = 60.0 + (double)(size / 1000000),
        .memory = memory < 8192 * mib ? memory : 8192 * mib,
    };
#if defined(WRI_SANITIZED)
    options.memory = 0; // the sanitizers map terabytes
#endif
    return options;
}

// True when there is something in the output. who: Assimp or Draco.
static bool check_end(const char *path, const char *who, const wri_run_result *r,
                      const wri_foreign_options *options, wr_error *error)
{
    bool exited = r->end == WRI_RUN_EXITED;
    bool thrown = r->end == WRI_RUN_SIGNALED && strstr(r->line, "std::bad_alloc");
    if (r->end == WRI_RUN_TOO_LONG) {
        return wri_fail(error, WR_E_UNSUPPORTED, "%s: %s took longer than %s s", path, who,
                        WRI_NUMBER(options->seconds, 6));
    }
    if (thrown || (exited && r->code == WRI_IMPORT_NO_MEMORY)) {
        return options->memory
                   ? wri_fail(error, WR_E_UNSUPPORTED, "%s: %s needed more than %lld MB", path, who,
                              (long long)(options->memory / 1000000))
                   : wri_fail(error, WR_E_UNSUPPORTED, "%s: %s needed more memory than there is",
                              path, who);
    }
    if (r->end == WRI_RUN_STOPPED) {
        return wri_fail(error, WR_E_IO, "%s: reading it was interrupted", path);
    }
    if (r->end == WRI_RUN_SIGNALED) {
        return wri_fail(error, WR_E_FORMAT, "%s: %s crashed while reading it (signal %d)", path,
                        who, r->code);
    }
    if (r->end == WRI_RUN_EXITED && r->code == WRI_IMPORT_DONE && r->output.count > 0) {
        return true;
    }
    return r->line[0]
               ? wri_fail(error, WR_E_FORMAT, "%s: %s", path, r->line)
               : wri_fail(error, WR_E_FORMAT, "%s: %s failed and did not say why", path, who);
}

// The lines behind the model, which says how long it is.
static bool take_warnings(const char *path, const wri_array *output, wr_model *model,
                          wr_error *error)
{
    const uint8_t *b = output->items;
    size_t size = (size_t)output->count; // our reader has seen a header
    size_t at = (size_t)b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24;
    while (at < size) {
        const uint8_t *end = memchr(b + at, '\n', size - at);
        int length = (int)((end ? (size_t)(end - b) : size) - at);
        if (!wri_model_warn(model, error, path, "%.*s", length < 200 ? length : 200,
                            (const char *)b + at)) {
            return false;
        }
        at += (size_t)length + 1;
    }
    return true;
}

static wr_model *import_with(const char *program, const char *path,
                             const wri_foreign_options *options, const wr_allocator *allocator,
                             wr_error *error)
{
    const char *arguments[8] = {program}; // the last stays NULL
    int count = 1;
    if (options->test) {
        arguments[count++] = options->test;
    }
    if (options->keep_unit) {
        arguments[count++] = "--keep-unit";
    }
    if (options->keep_axes) {
        arguments[count++] = "--keep-axes";
    }
    arguments[count++] = "--";
    arguments[count++] = path;
    const wri_run_limits run = {options->seconds, options->memory, WRI_MODEL_LIMIT};
    wri_run_result result;
    bool ok = wri_run(arguments, &run, allocator, &result, error);
    if (ok && result.end == WRI_RUN_TOO_MUCH) {
        ok = wri_fail(error, WR_E_UNSUPPORTED, "%s: is more than %d MB as a .glb", path,
                      WRI_MODEL_LIMIT / 1000000);
    }
    ok = ok && check_end(path, "Assimp", &result, options, error);
    wr_model *model =
        ok ? wri_gltf_read(path, result.output.items, (size_t)result.output.count, allocator, error)
           : NULL;
    if (model && !take_warnings(path, &result.output, model, error)) {
        wr_model_destroy(model);
        model = NULL;
    }
    wri_array_destroy(&result.output);
    return model;
}

wr_model *wri_foreign_import(const char *path, const wri_foreign_options *options,
                             const wr_allocator *allocator, wr_error *error)
{
    wri_arena arena = wri_arena_create(allocator);
    const char *program = find_program(&arena);
    wr_model *model = NULL;
    if (program) {
        model = import_with(program, path, options, allocator, error);
    } else {
        wri_fail(error, WR_E_UNSUPPORTED,
                 "%s: wrought-import is not installed; .%s files cannot be read", path,
                 file_ending(path));
    }
    wri_arena_destroy(&arena);
    return model;
}

wr_model *wri_foreign_read(const char *path, const char *bytes, size_t size,
                           const wr_allocator *allocator, wr_error *error)
{
    (void)bytes; // Assimp reads the file itself, and its neighbours
    wri_foreign_options options = wri_foreign_options_default(size);
    return wri_foreign_import(path, &options, allocator, error);
}

// --- Draco ------------------------------------------------------------------------------------

static bool decode_with(const char *program, const char *path, const wri_array *request,
                        size_t expected, const wri_foreign_options *options, wri_array *answer,
                        wr_error *error)
{
    const char *const arguments[] = {program, options->test ? options->test : "--draco", NULL};
    const wri_run_input input = {request->items, (size_t)request->count};
    const wri_run_limits run = {options->seconds, options->memory, (int)expected};
    wri_run_result result;
    bool ok = wri_run_with(arguments, &input, &run, &request->allocator, &result, error);
    if (ok && result.end != WRI_RUN_TOO_MUCH) {
        ok = check_end(path, "Draco", &result, options, error);
    }
    if (ok && (result.end == WRI_RUN_TOO_MUCH || (size_t)result.output.count != expected)) {
        ok = wri_fail(error, WR_E_FORMAT, "%s: Draco gave another number of bytes than %zu", path,
                      expected);
    }
    *answer = result.output;
    return ok;
}

bool wri_foreign_decode(const char *path, const wri_array *request, size_t expected,
                        const wri_foreign_options *options, wri_array *answer, wr_error *error)
{
    WR_ASSERT(expected > 0 && expected <= WRI_MODEL_LIMIT);
    wri_arena arena = wri_arena_create(&request->allocator);
    const char *program = find_program(&arena);
    *answer = wri_array_create(&request->allocator, 1);
    bool ok = program ? decode_with(program, path, request, expected, options, answer, error)
                      : wri_fail(error, WR_E_UNSUPPORTED,
                                 "%s: wrought-import is not installed; meshes that Draco has "
                                 "compressed cannot be read",
                                 path);
    wri_arena_destroy(&arena);
    return ok;
}
