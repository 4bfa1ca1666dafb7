// export_cache.c: a take as a point cache, with the OBJ of the same vertex order beside it.
#include "take.h"

#include <stdio.h>

// All bodies as one object: programs read a cache for one mesh.
static bool write_obj(cli_bake *bake, const char *path)
{
    cli_take *take = bake->take;
    if (!cli_bake_picture(bake, 0, false)) {
        return false;
    }
    bake->with_normals = false; // the cache itself has none
    wr_model *flat = wr_model_flatten(bake->model, &take->error);
    bool force = take->options->force;
    bool ok = flat && cli_check_beside(path, force, &take->error) &&
              cli_check_obj(flat, path, force, &take->error) &&
              wr_model_write_obj(flat, NULL, path, &take->error);
    wr_model_destroy(flat);
    return ok;
}

// Ctrl-C leaves a shorter cache that plays. Returns the number of frames, -1: failed.
static int write_frames(cli_bake *bake, wr_cache_writer *writer)
{
    cli_take *take = bake->take;
    int done = 0, count = take->schedule.count;
    cli_progress progress =
        cli_progress_start("exporting", "frames", 0, count, take->options->quiet);
    bool ok = true;
    while (ok && done < count && !cli_interrupted()) {
        ok = cli_bake_picture(bake, done, false) &&
             wr_cache_add_frame(writer, bake->positions, &take->error);
        done += ok;
        cli_progress_show(&progress, done, "");
    }
    cli_progress_end(&progress);
    take->interrupted = ok && done == 0;
    return ok && done > 0 && wr_cache_finish(writer, &take->error) ? done : -1;
}

static int export_cache(cli_bake *bake, const char *obj)
{
    cli_take *take = bake->take;
    const char *path = take->options->output;
    wr_cache_desc desc = wr_cache_desc_default();
    desc.format = wri_has_ending(path, ".mdd") ? WR_CACHE_MDD : WR_CACHE_PC2;
    desc.point_count = bake->vertex_count;
    desc.frame_count = take->schedule.count;
    desc.rate_numerator = take->schedule.numerator;
    desc.rate_denominator = take->schedule.denominator;
    if (!write_obj(bake, obj)) {
        return cli_take_failed(take);
    }
    wr_cache_writer *writer = wr_cache_create(path, &desc, &take->error);
    int done = writer ? write_frames(bake, writer) : -1;
    wr_cache_writer_destroy(writer);
    if (done < 0) {
        return cli_take_failed(take);
    }
    if (!take->options->quiet) {
        char size[32];
        printf("%s: %d %s, %d %s, %s; the mesh is in %s\n", path, desc.point_count,
               wri_plural(desc.point_count, "vertex", "vertices"), done,
               wri_plural(done, "frame", "frames"), cli_size_text(size, wri_file_size(path)), obj);
    }
    return done < desc.frame_count
               ? cli_complain(CLI_INTERRUPTED, "interrupted; %s has the first %d of %d frames",
                              path, done, desc.frame_count)
               : CLI_OK;
}

int cli_export_cache(cli_take *take)
{
    const char *path = take->options->output;
    char *obj = wri_arena_printf(&take->arena, "%.*s.obj", (int)strlen(path) - 4, path);
    cli_bake bake;
    if (!obj) {
        wri_fail_memory(&take->error, strlen(path));
        return cli_take_failed(take);
    }
    int status = cli_bake_create(&bake, take) ? export_cache(&bake, obj) : cli_take_failed(take);
    cli_bake_destroy(&bake);
    return status;
}
