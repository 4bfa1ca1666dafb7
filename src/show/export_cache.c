// export_cache.c: a take as a point cache, with the OBJ of the same vertex order beside it.
#include "export.h"

// All bodies as one object: programs read a cache for one mesh.
static wr_model *flatten(wri_bake *bake, const char *obj)
{
    wri_export *e = bake->owner;
    wr_model *flat =
        wri_bake_picture(bake, 0, false) ? wr_model_flatten(bake->model, e->error) : NULL;
    bool replace = e->desc->replace;
    if (!flat || !wri_check_beside(obj, replace, e->error) ||
        !wri_check_obj(flat, obj, replace, e->error)) {
        wr_model_destroy(flat);
        return NULL;
    }
    bake->with_normals = false; // the cache itself has none
    return flat;
}

// Returns the number of frames, -1: failed.
static int write_frames(wri_bake *bake, wr_cache_writer *writer)
{
    wri_export *e = bake->owner;
    int done = 0, count = e->schedule.count;
    while (done < count && wri_watch(&e->desc->watch, WR_WATCH_FRAMES, done, count)) {
        if (!wri_bake_picture(bake, done, false) ||
            !wr_cache_add_frame(writer, bake->positions, e->error)) {
            return -1;
        }
        done++;
    }
    if (done == count) {
        wri_watch(&e->desc->watch, WR_WATCH_FRAMES, done, count);
    }
    return done;
}

// The mesh is written last but one, so that nothing is there when nothing is to stay.
static bool write_cache(wri_bake *bake, wr_cache_writer *writer, const wr_model *flat,
                        const char *obj)
{
    wri_export *e = bake->owner;
    int done = write_frames(bake, writer), count = e->schedule.count;
    if (done >= 0 && done < count && (done == 0 || !e->desc->keep_part)) {
        return wri_export_cancel(e);
    }
    if (done < 0 || !wr_model_write_obj(flat, NULL, obj, e->error) ||
        !wr_cache_finish(writer, e->error)) {
        return false;
    }
    e->report.vertices = bake->vertex_count;
    e->report.frames = done;
    return done == count ||
           wri_fail(e->error, WR_E_CANCELLED, "interrupted; %s has the first %d of %d frames",
                    e->path, done, count);
}

static bool export_cache(wri_bake *bake, const char *obj)
{
    wri_export *e = bake->owner;
    wr_cache_desc desc = wr_cache_desc_default();
    desc.format = wri_has_ending(e->path, ".mdd") ? WR_CACHE_MDD : WR_CACHE_PC2;
    desc.point_count = bake->vertex_count;
    desc.frame_count = e->schedule.count;
    desc.rate_numerator = e->schedule.numerator;
    desc.rate_denominator = e->schedule.denominator;
    wr_model *flat = flatten(bake, obj);
    wr_cache_writer *writer = flat ? wr_cache_create(e->path, &desc, e->error) : NULL;
    bool ok = writer && write_cache(bake, writer, flat, obj);
    wr_cache_writer_destroy(writer);
    wr_model_destroy(flat);
    return ok;
}

bool wri_export_cache(wri_export *e)
{
    wri_bake bake;
    if (e->film_count > 0) {
        return wri_fail(e->error, WR_E_UNSUPPORTED,
                        "%s: a point cache keeps its triangles, but \"%s\" changes; .glb, .usda, "
                        ".obj and .ply can say that",
                        e->path, e->films[0].name);
    }
    char *obj = wri_arena_printf(&e->arena, "%.*s.obj", (int)strlen(e->path) - 4, e->path);
    if (!obj) {
        return wri_fail_memory(e->error, strlen(e->path));
    }
    bool ok = wri_bake_create(&bake, e) && export_cache(&bake, obj);
    wri_bake_destroy(&bake);
    return ok;
}
