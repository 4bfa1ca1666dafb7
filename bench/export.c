// export.c: a heap of dented metal as files of other programs, and what profiles of dents save.
#include "against.h"

#include "wrought/show.h"

#include "../src/base/os.h"

#include <math.h>
#include <stdio.h>

// The whole heap without shapes would take half an hour: a body of each asset stands for it.
static const char one_of_each[] = "car.1,barrel.1,crate.1";

// What one export came to.
typedef struct export_cost {
    double seconds, megabytes;
    wr_export_report report;
} export_cost;

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

static bool compare(const bench_options *options, const bench_folder *folder, const char *recording,
                    bench_rows *rows, wr_error *error)
{
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
    if (!bench_record(options, scene, seconds, recording, error)) {
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

// By this program and by the other one.
static bool compare_programs(const bench_options *options, const bench_folder *folder,
                             bench_rows *rows, wr_error *error)
{
    static const char *const endings[] = {".glb", ".usda"};
    enum { FEW = 6 }; // frames
    char scene[600], path[600], name[64], last[16];
    bench_shared shared;
    int seconds = options->full ? 10 : 3;
    snprintf(last, sizeof last, "%.3f", seconds - 0.5 / 60.0); // the other program's may go on
    snprintf(scene, sizeof scene, "%s/scrap-heap.scene.json", options->scenes);
    bool ok = bench_share_recording(options, folder, scene, seconds, &shared, error);
    for (int i = 0; ok && i < WRI_COUNT(endings); i++) {
        snprintf(path, sizeof path, "%s/both%s", folder->path, endings[i]);
        snprintf(name, sizeof name, "%s, %d s: %s",
                 shared.is_plain ? "boxes" : "a car, a barrel, a crate", seconds, endings[i]);
        const char *words[2][12] = {{"export", shared.path, "-o", path, "--quiet", "--to", "0.09"},
                                    {"export", shared.path, "-o", path, "--quiet", "--to", last}};
        for (int k = 0; k < 2 && !shared.is_plain; k++) {
            words[k][7] = "--body";
            words[k][8] = one_of_each;
        }
        const bench_turns turns = {.name = name,
                                   .item = "frame",
                                   .few = words[0],
                                   .many = words[1],
                                   .items = 60 * seconds - FEW,
                                   .file = path};
        ok = bench_take_turns(options, &turns, rows, error);
    }
    return ok;
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
    bool ok = bench_heap(options, &folder, rows, error) &&
              (!options->against || compare_programs(options, &folder, rows, error));
    bench_folder_destroy(&folder);
    return ok;
}
