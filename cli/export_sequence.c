// export_sequence.c: a take as one .obj or .ply per frame.
//
// #### in the name stands for the number of the frame, from 0, with as many digits at least. The
// materials of an OBJ sequence are in one library, which all files name.
#include "take.h"

#include <stdio.h>

// Before, within and behind the last run of #.
typedef struct pattern {
    const char *path;
    int before, digits;
} pattern;

static pattern find_pattern(const char *path)
{
    pattern p = {.path = path};
    int length = (int)strlen(path), end = length;
    while (end > 0 && path[end - 1] != '#') {
        end--;
    }
    p.before = end;
    while (p.before > 0 && path[p.before - 1] == '#') {
        p.before--;
    }
    p.digits = end - p.before;
    return p;
}

static char *numbered(wri_arena *arena, const pattern *p, int number)
{
    return wri_arena_printf(arena, "%.*s%0*d%s", p->before, p->path, p->digits, number,
                            p->path + p->before + p->digits);
}

// "frames/take.####.obj" -> "frames/take.mtl"
static char *library_path(wri_arena *arena, const pattern *p)
{
    int length = p->before;
    while (length > 0 && strchr("._- ", p->path[length - 1])) {
        length--;
    }
    bool bare = length == 0 || p->path[length - 1] == '/';
    return wri_arena_printf(arena, "%.*s%s.mtl", length, p->path, bare ? "take" : "");
}

static bool write_picture(cli_bake *bake, const pattern *p, const char *library, int picture)
{
    cli_take *take = bake->take;
    wri_arena arena = wri_arena_create(NULL);
    char *path = numbered(&arena, p, picture);
    bool ok = path != NULL || wri_fail_memory(&take->error, strlen(p->path));
    ok = ok && cli_bake_picture(bake, picture, true);
    if (ok) {
        ok = cli_has_ending(path, ".ply")
                 ? wr_model_write_ply(bake->model, take->options->text, path, &take->error)
                 : wr_model_write_obj(bake->model, library, path, &take->error);
    }
    wri_arena_destroy(&arena);
    return ok;
}

static int write_pictures(cli_bake *bake, const pattern *p, const char *library)
{
    cli_take *take = bake->take;
    int done = 0, count = take->schedule.count;
    cli_progress progress =
        cli_progress_start("exporting", "files", 0, count, take->options->quiet);
    bool ok = true;
    while (ok && done < count && !cli_interrupted()) {
        ok = write_picture(bake, p, library, done);
        done += ok;
        cli_progress_show(&progress, done, "");
    }
    cli_progress_end(&progress);
    if (!ok) {
        return cli_take_failed(take);
    }
    if (!take->options->quiet) {
        printf("%s: %d files, %d bodies\n", p->path, done, take->body_count);
    }
    return done < count
               ? cli_complain(CLI_INTERRUPTED, "interrupted; the first %d of %d files are there",
                              done, count)
               : CLI_OK;
}

static bool prepare(cli_take *take, const pattern *p, const char **library)
{
    char *folder = wri_path_folder(&take->arena, p->path);
    char *path = folder ? library_path(&take->arena, p) : NULL;
    if (!path) {
        return wri_fail_memory(&take->error, strlen(p->path));
    }
    const char *slash = strrchr(path, '/');
    *library = slash ? slash + 1 : path;
    return wri_folder_create(folder, &take->error) &&
           (cli_has_ending(p->path, ".ply") || take->model->look_count == 0 ||
            wr_model_write_mtl(take->model, path, &take->error));
}

int cli_export_sequence(cli_take *take)
{
    pattern p = find_pattern(take->options->output);
    const char *library = NULL;
    cli_bake bake = {0};
    int status = prepare(take, &p, &library) && cli_bake_create(&bake, take)
                     ? write_pictures(&bake, &p, library)
                     : cli_take_failed(take);
    cli_bake_destroy(&bake);
    return status;
}
