// bench.c: wrought bench: tables of measurements, as text or JSON.
#include "../bench/bench.h"

#include "cli.h"

#include "../src/file/json.h"

#include <stdio.h>

typedef struct bench {
    const char *name;
    bench_fn *run;
    const char *about;
} bench;

static const bench benches[] = {
    {"file", bench_file, "reading and writing of every format"},
    {"metal", bench_metal,
     "metal under a script of hits, in scenes with the engine, and its growth"},
    {"rig", bench_rig, "decompositions and skinning of rigs with examples"},
    {"rigid", bench_rigid, "bodies, recording and rendering of the first slice"},
    {"sprite", bench_sprite, "sprites in levels as large as the paper's games, and in a heap"},
};

static bool row_is_ok(const bench_row *row)
{
    bool has_goal = row->goal == row->goal; // NaN: none
    return !has_goal || (row->more_is_better ? row->value >= row->goal : row->value <= row->goal);
}

static void print_number(double value, char out[24])
{
    if (value != value) {
        snprintf(out, 24, "-");
    } else {
        snprintf(out, 24, "%.4g", value);
    }
}

static void print_table(const char *name, const bench_rows *rows)
{
    printf("bench %s\n  %-34s %-28s %10s %10s %10s  %s\n", name, "what", "measure", "here",
           "published", "goal", "ok");
    for (int i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->rows[i];
        char value[24], published[24], goal[24];
        print_number(row->value, value);
        print_number(row->published, published);
        print_number(row->goal, goal);
        char measure[64];
        snprintf(measure, sizeof measure, "%s, %s", row->measure, row->unit);
        printf("  %-34s %-28s %10s %10s %10s  %s\n", row->name, measure, value, published, goal,
               row->goal != row->goal ? ""
               : row_is_ok(row)       ? "yes"
                                      : "NO");
    }
}

static void write_number(wri_json_writer *w, const char *key, double value)
{
    if (value != value) {
        wri_json_write_null(w, key);
    } else {
        wri_json_write_number(w, key, value);
    }
}

static void print_json(const char *name, const bench_rows *rows)
{
    wri_json_writer w = wri_json_writer_create(NULL, true);
    wri_json_begin_object(&w, NULL);
    wri_json_write_string(&w, "bench", name);
    wri_json_begin_array(&w, "rows");
    for (int i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->rows[i];
        wri_json_begin_object(&w, NULL);
        wri_json_write_string(&w, "name", row->name);
        wri_json_write_string(&w, "measure", row->measure);
        wri_json_write_string(&w, "unit", row->unit);
        write_number(&w, "value", row->value);
        write_number(&w, "published", row->published);
        write_number(&w, "goal", row->goal);
        wri_json_write_bool(&w, "ok", row_is_ok(row));
        wri_json_end_object(&w);
    }
    wri_json_end_array(&w);
    wri_json_end_object(&w);
    const char *text = wri_json_finish(&w);
    printf("%s\n", text ? text : "{}");
    wri_json_writer_destroy(&w);
}

static int run_bench(const bench *b, const bench_options *options, bool json)
{
    bench_rows rows = {0};
    wr_error error = {0};
    if (!b->run(options, &rows, &error)) {
        return cli_interrupted() ? CLI_INTERRUPTED : cli_fail(&error);
    }
    if (json) {
        print_json(b->name, &rows);
    } else {
        print_table(b->name, &rows);
    }
    return CLI_OK;
}

int cli_bench(int argc, char **argv)
{
    bool json = false;
    bench_options options = {.is_interrupted = cli_interrupted};
    const cli_option table[] = {
        {"--full", 0, CLI_FLAG, &options.full, 0, 0, NULL, "measure longer and larger"},
        {"--json", 0, CLI_FLAG, &json, 0, 0, NULL, "print as JSON"},
        {"--threads", 't', CLI_WHOLE, &options.threads, 1, 256, "N",
         "threads (default: one per core)"},
    };
    const cli_usage usage = {
        "bench",
        "[NAME]",
        "Measures on this machine. NAME: file (every format, in a temporary folder), metal "
        "(deformation,\nscenes), rig (decompositions, skinning), rigid (bodies, recording, "
        "rendering) or sprite\n(levels of the paper, a heap). Without a name: all. "
        "Without --full under 60 s.",
        "  wrought bench rigid\n"
        "  wrought bench file --json\n",
        table,
        WRI_COUNT(table),
        0,
        1};
    const char *name = NULL;
    int count, status = cli_parse(&usage, argc, argv, &name, &count);
    if (status >= 0) {
        return status;
    }
    cli_catch_interrupts();
    wri_arena arena = wri_arena_create(NULL);
    const char *recipe = cli_find_shipped(&arena, "barrel.recipe.json");
    const char *folder = recipe ? wri_path_folder(&arena, recipe) : NULL;
    options.scenes = folder ? wri_absolute_path(&arena, folder) : NULL;
    const char *names[WRI_COUNT(benches)];
    bool found = false;
    status = CLI_OK;
    for (int i = 0; i < WRI_COUNT(benches) && status == CLI_OK; i++) {
        names[i] = benches[i].name;
        if (!name || strcmp(name, benches[i].name) == 0) {
            found = true;
            status = run_bench(&benches[i], &options, json);
        }
    }
    wri_arena_destroy(&arena);
    if (!found) {
        const char *nearest = wri_nearest_word(name, names, WRI_COUNT(names));
        return cli_complain(CLI_BAD_USAGE, "unknown bench \"%s\"; did you mean \"%s\"?", name,
                            nearest ? nearest : names[0]);
    }
    return status;
}
