// beside.c: where results may go.
//
// The file that is named is replaced. What comes along with it has a name that nobody said: the
// material library, pictures, the mesh of a cache, the numbered files of a sequence. Such a file is
// replaced when Wrought wrote it, which its first lines tell, or when the caller says so.
#include "export.h"

#include "../file/names.h"

static bool is_ours(const char *path)
{
    static const char picture[] = "tEXtSoftware\0Wrought";           // behind the head of a PNG
    static const char light[] = "software\0string\0\7\0\0\0Wrought"; // the same of an EXR
    char bytes[256] = {0};
    wri_file *file = wri_file_open(path, WRI_FILE_READ, NULL);
    int64_t length = file ? wri_file_length(file) : -1;
    size_t size = length < (int64_t)sizeof bytes ? (size_t)(length < 0 ? 0 : length) : 255;
    bool read = file && wri_file_read_at(file, 0, bytes, size, NULL);
    wri_file_close(file, NULL);
    return read && (strncmp(bytes, "# Wrought", 9) == 0 ||
                    (bytes[0] == '{' && strstr(bytes, "\"app\": \"Wrought ")) ||
                    (strncmp(bytes, "ply\n", 4) == 0 && strstr(bytes, "\ncomment Wrought;")) ||
                    memcmp(bytes + 37, picture, sizeof picture - 1) == 0 ||
                    memcmp(bytes + 8, light, sizeof light - 1) == 0);
}

bool wri_check_beside(const char *path, bool replace, wr_error *error)
{
    return replace || !wri_file_exists(path) || is_ours(path) ||
           wri_fail(error, WR_E_EXISTS, "%s: is in the way, and Wrought did not write it", path);
}

bool wri_check_looks(const wr_model *model, const char *path, const char *library, bool replace,
                     wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    size_t count = (size_t)model->image_count;
    const char **files = wri_arena_alloc(&arena, count, sizeof *files);
    bool ok = files != NULL || wri_fail_memory(error, count * sizeof *files);
    ok = ok && wri_textures_name(model, path, &arena, files, error) &&
         (!library || model->look_count == 0 || wri_check_beside(library, replace, error));
    for (size_t i = 0; i < count && ok; i++) {
        ok = !files[i] || wri_check_beside(files[i], replace, error);
    }
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_check_obj(const wr_model *model, const char *path, bool replace, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    char *stem = wri_path_stem(&arena, path);
    char *library = stem ? wri_arena_printf(&arena, "%s.mtl", stem) : NULL;
    bool ok = library ? wri_check_looks(model, path, library, replace, error)
                      : wri_fail_memory(error, strlen(path));
    wri_arena_destroy(&arena);
    return ok;
}
