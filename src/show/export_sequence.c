// export_sequence.c: a take as one .obj or .ply per frame.
//
// The materials of an OBJ sequence are in one library, which all files name. An earlier sequence
// under the same name is removed first.
#include "export.h"
#include "sequence.h"

#include "../file/names.h"

// "frames/take.####.obj" -> "frames/take.mtl"
static char *library_path(wri_arena *arena, const wri_sequence *p)
{
    int length = p->before;
    while (length > 0 && strchr("._- ", p->path[length - 1])) {
        length--;
    }
    bool bare = length == 0 || p->path[length - 1] == '/';
    return wri_arena_printf(arena, "%.*s%s.mtl", length, p->path, bare ? "take" : "");
}

static bool write_picture(wri_bake *bake, const wri_sequence *p, const char *library, int picture)
{
    wri_export *e = bake->owner;
    wri_arena arena = wri_arena_create(NULL);
    char *path = wri_sequence_name(p, picture, &arena);
    bool ok = path != NULL || wri_fail_memory(e->error, strlen(p->path));
    ok = ok && wri_bake_picture(bake, picture, true);
    if (ok) {
        ok = wri_has_ending(path, ".ply")
                 ? wr_model_write_ply_clouds(bake->model, bake->clouds, bake->cloud_count,
                                             e->desc->text, path, e->error)
                 : wr_model_write_obj(bake->model, library, path, e->error);
    }
    wri_arena_destroy(&arena);
    return ok;
}

static bool write_pictures(wri_bake *bake, const wri_sequence *p, const char *library)
{
    wri_export *e = bake->owner;
    const wr_watch *watch = &e->desc->watch;
    int *done = &e->report.frames, count = e->schedule.count;
    while (*done < count && wri_watch(watch, WR_WATCH_FILES, *done, count)) {
        if (!write_picture(bake, p, library, *done)) {
            return false;
        }
        ++*done;
    }
    if (*done == count) {
        wri_watch(watch, WR_WATCH_FILES, count, count);
        return true;
    }
    return wri_fail(e->error, WR_E_CANCELLED, "interrupted; the first %d of %d files are there",
                    *done, count);
}

// --- the whole --------------------------------------------------------------------------------

// The folder, without an older sequence, and the library.
static bool prepare(wri_export *e, const wri_sequence *p, const char **library)
{
    char *path = library_path(&e->arena, p);
    if (!path) {
        return wri_fail_memory(e->error, strlen(p->path));
    }
    bool looks = !wri_has_ending(p->path, ".ply") && e->model->look_count > 0;
    *library = wri_path_name(path);
    return (!looks || wri_check_looks(e->model, path, path, e->desc->replace, e->error)) &&
           wri_sequence_clear(p, e->desc->replace, e->error) &&
           (!looks || wr_model_write_mtl(e->model, path, e->error));
}

bool wri_export_sequence(wri_export *e)
{
    wri_sequence p = wri_sequence_of(e->path);
    const char *library = NULL;
    wri_bake bake = {0};
    if (!wri_has_ending(e->path, ".ply") && wri_export_has_clouds(e)) {
        return wri_fail(e->error, WR_E_UNSUPPORTED,
                        "%s: OBJ has no particles; as a surface it has them, and .ply and .usda "
                        "have them as they are",
                        e->path);
    }
    bool ok =
        wri_bake_create(&bake, e) && prepare(e, &p, &library) && write_pictures(&bake, &p, library);
    wri_bake_destroy(&bake);
    return ok;
}
