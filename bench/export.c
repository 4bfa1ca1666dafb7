// export.c: a heap of dented metal as files of other programs, and what profiles of dents save.
#include "bench.h"

#include "wrought/show.h"

#include "../src/base/os.h"

#include <math.h>
#include <stdio.h>

// What one export came to.
typedef struct export_cost {
    double seconds, megabytes;
    wr_export_report report;
} export_cost;

static wr_world *create_world(const bench_options *options, const wr_scene *scene, wr_error *error)
{
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.tasks = wr_tasks_openmp(options->threads);
    return wr_world_create(&desc, error);
}

static bool record_frames(const bench_options *options, wr_world *world, int frames,
                          wr_record_writer *writer, wr_error *error)
{
    bool ok = wr_record_add_frame(writer, wr_world_frame(world), error);
    for (int k = 0; ok && k < frames; k++) {
        ok = bench_goes_on(options, error);
        if (ok) {
            wr_world_step_frame(world);
            ok = wr_world_check(world, error) &&
                 wr_record_add_frame(writer, wr_world_frame(world), error);
        }
    }
    return ok && wr_record_finish(writer, true, error);
}

static bool record_scene(const bench_options *options, const char *scene_path, double seconds,
                         const char *path, wr_error *error)
{
    const wr_scene_options scene_options = {.tasks = wr_tasks_openmp(options->threads)};
    wr_scene *scene = wr_scene_read(scene_path, &scene_options, error);
    wr_world *world = scene ? create_world(options, scene, error) : NULL;
    bool ok = false;
    if (world) {
        wr_record_info info = *wr_world_record_info(world);
        int frames = (int)(seconds * scene->rate_numerator / scene->rate_denominator);
        info.planned_frames = frames < info.planned_frames ? frames : info.planned_frames;
        wr_record_writer *writer = wr_record_create(path, &info, error);
        ok = writer && record_frames(options, world, info.planned_frames, writer, error);
        wr_record_writer_destroy(writer);
    }
    wr_world_destroy(world);
    wr_scene_destroy(scene);
    return ok;
}

static bool measure(const bench_options *options, const char *recording, const char *path,
                    const char *bodies, float tolerance, export_cost *cost, wr_error *error)
{
    wr_export_desc desc = wr_export_desc_default();
    desc.bodies = bodies;
    desc.tolerance = tolerance;
    desc.tasks = wr_tasks_openmp(options->threads);
    desc.replace = true;
    double start = wri_seconds();
    wr_take *take = bench_goes_on(options, error) ? wr_take_open(recording, error) : NULL;
    bool ok = take && wr_take_export(take, path, &desc, &cost->report, error);
    wr_take_close(take);
    cost->seconds = wri_seconds() - start;
    cost->megabytes = 1e-6 * (double)wri_file_size(path);
    return ok;
}

static void report(bench_rows *rows, const char *name, const export_cost *cost, double seconds,
                   double megabytes)
{
    bench_add_row(rows, name, "time", "s", cost->seconds, seconds);
    bench_add_row(rows, name, "size", "MB", cost->megabytes, megabytes);
    if (cost->report.shapes > 0) {
        bench_add_row(rows, name, "morph targets", "", cost->report.shapes, NAN);
        bench_add_row(rows, name, "a vertex is off by at most", "mm",
                      1e3 * (double)cost->report.error, NAN);
    }
}

// The whole heap both ways would take half an hour: a body of each asset stands for it.
static bool compare(const bench_options *options, const bench_folder *folder, const char *recording,
                    bench_rows *rows, wr_error *error)
{
    static const char one_of_each[] = "car.1,barrel.1,crate.1";
    char path[600];
    export_cost dents, together;
    snprintf(path, sizeof path, "%s/some.glb", folder->path);
    if (!measure(options, recording, path, one_of_each, wr_export_desc_default().tolerance, &dents,
                 error) ||
        !measure(options, recording, path, one_of_each, 0.0f, &together, error)) {
        return false;
    }
    const char *name = "a car, a barrel, a crate: .glb";
    report(rows, name, &dents, NAN, NAN);
    bench_add_row(rows, "the same, shapes found together", "time", "times",
                  together.seconds / dents.seconds, NAN);
    bench_add_row(rows, "the same, shapes found together", "size", "times",
                  together.megabytes / dents.megabytes, NAN);
    bench_add_row(rows, "the same, shapes found together", "a vertex is off by at most", "mm",
                  1e3 * (double)together.report.error, NAN);
    return true;
}

static bool bench_heap(const bench_options *options, const bench_folder *folder, bench_rows *rows,
                       wr_error *error)
{
    char scene[600], recording[600], path[600];
    export_cost cost;
    double seconds = options->full ? 10.0 : 3.0;
    float by_default = wr_export_desc_default().tolerance;
    snprintf(scene, sizeof scene, "%s/scrap-heap.scene.json", options->scenes);
    snprintf(recording, sizeof recording, "%s/heap.wrought", folder->path);
    if (!record_scene(options, scene, seconds, recording, error)) {
        return false;
    }
    snprintf(path, sizeof path, "%s/heap.glb", folder->path);
    if (!measure(options, recording, path, NULL, by_default, &cost, error)) {
        return false;
    }
    char name[64];
    snprintf(name, sizeof name, "heap of 195, %.0f s: .glb", seconds);
    report(rows, name, &cost, 60.0, 150.0);
    snprintf(path, sizeof path, "%s/heap.usda", folder->path);
    if (!measure(options, recording, path, NULL, by_default, &cost, error)) {
        return false;
    }
    snprintf(name, sizeof name, "heap of 195, %.0f s: .usda", seconds);
    report(rows, name, &cost, NAN, 0.05 * 769.0);
    return compare(options, folder, recording, rows, error);
}

bool bench_export(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bench_folder folder;
    if (!options->scenes) {
        return wri_fail(error, WR_E_IO, "the shipped scenes are not there");
    }
    if (!bench_folder_create(&folder, error)) {
        return false;
    }
    bool ok = bench_heap(options, &folder, rows, error);
    bench_folder_destroy(&folder);
    return ok;
}
