// bench.c: what the measuring programs share: rows, stopping, a temporary folder.
#include "bench.h"

#include "../src/base/base.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void bench_add_row(bench_rows *rows, const char *name, const char *measure, const char *unit,
                   double value, double goal)
{
    WR_ASSERT(rows->count < BENCH_ROWS);
    if (rows->count < BENCH_ROWS) {
        bench_row *row = &rows->rows[rows->count++];
        *row = (bench_row){.value = value, .published = NAN, .authors = NAN, .goal = goal};
        snprintf(row->name, sizeof row->name, "%s", name);
        snprintf(row->measure, sizeof row->measure, "%s", measure);
        snprintf(row->unit, sizeof row->unit, "%s", unit);
    }
}

void bench_add_compared(bench_rows *rows, const char *name, const char *measure, const char *unit,
                        double value, double published, double goal, bool more_is_better)
{
    bench_add_row(rows, name, measure, unit, value, goal);
    rows->rows[rows->count - 1].published = published;
    rows->rows[rows->count - 1].more_is_better = more_is_better;
}

void bench_set_authors(bench_rows *rows, double authors)
{
    rows->rows[rows->count - 1].authors = authors;
}

int bench_add_plot(bench_rows *rows, const bench_plot *plot)
{
    WR_ASSERT(rows->plot_count < BENCH_PLOTS);
    rows->plots[rows->plot_count] = *plot;
    return rows->plot_count++;
}

void bench_add_point(bench_rows *rows, int plot, const char *curve, bool measured, double x,
                     double y)
{
    WR_ASSERT(rows->point_count < BENCH_POINTS);
    rows->points[rows->point_count++] = (bench_point){plot, curve, measured, x, y};
}

double bench_processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool bench_goes_on(const bench_options *options, wr_error *error)
{
    return !options->is_interrupted || !options->is_interrupted() ||
           wri_fail(error, WR_E_IO, "interrupted");
}

bool bench_folder_create(bench_folder *folder, wr_error *error)
{
    const char *base = getenv("TMPDIR");
    base = base && base[0] ? base : "/tmp";
    int length = snprintf(folder->path, sizeof folder->path, "%s/wrought-bench-XXXXXX", base);
    if (length >= (int)sizeof folder->path || !mkdtemp(folder->path)) {
        return wri_fail(error, WR_E_IO, "%s: cannot create a folder in it: %s", base,
                        strerror(length < (int)sizeof folder->path ? errno : ENAMETOOLONG));
    }
    return true;
}

void bench_folder_destroy(const bench_folder *folder)
{
    DIR *list = opendir(folder->path);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char path[sizeof folder->path + sizeof entry->d_name + 1];
        snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
        (void)unlink(path); // "." and ".." stay
    }
    if (list) {
        closedir(list);
    }
    (void)rmdir(folder->path);
}
