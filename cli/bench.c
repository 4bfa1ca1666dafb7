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
    {"clay", bench_clay, "clay at the particle counts and steps of the thesis, and its growth"},
    {"export", bench_export, "a heap of dented metal as .glb and .usda"},
    {"file", bench_file, "reading and writing of every format"},
    {"flesh", bench_flesh, "flesh at the numbers of nodes and bones of the thesis, and its growth"},
    {"metal", bench_metal,
     "metal under a script of hits, in scenes with the engine, and its growth"},
    {"morph", bench_morph,
     "soft characters with morph targets as in the thesis, and crowds of them"},
    {"render", bench_render, "pictures of the demo's film, of a preview and of a heap"},
    {"rig", bench_rig, "decompositions and skinning of rigs with examples"},
    {"rigid", bench_rigid, "bodies, their touches and recording"},
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

static bool has_authors(const bench_rows *rows)
{
    for (int i = 0; i < rows->count; i++) {
        if (rows->rows[i].authors == rows->rows[i].authors) {
            return true;
        }
    }
    return false;
}

// Columns of numbers that a bench has nothing for are left out.
static void print_line(bool authors, const char *const cells[7])
{
    printf("  %-34s %-32s %10s %10s ", cells[0], cells[1], cells[2], cells[3]);
    if (authors) {
        printf("%10s ", cells[4]);
    }
    printf("%10s  %s\n", cells[5], cells[6]);
}

static void print_table(const char *name, const bench_rows *rows)
{
    static const char *const head[] = {"what",    "measure", "here", "published",
                                       "authors", "goal",    "ok"};
    bool authors = has_authors(rows);
    printf("bench %s\n", name);
    print_line(authors, head);
    for (int i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->rows[i];
        char measure[64], value[24], published[24], theirs[24], goal[24];
        snprintf(measure, sizeof measure, row->unit[0] ? "%s, %s" : "%s", row->measure, row->unit);
        print_number(row->value, value);
        print_number(row->published, published);
        print_number(row->authors, theirs);
        print_number(row->goal, goal);
        const char *ok = row->goal != row->goal ? "" : row_is_ok(row) ? "yes" : "NO";
        print_line(authors,
                   (const char *[7]){row->name, measure, value, published, theirs, goal, ok});
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
        write_number(&w, "authors", row->authors);
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

// 256 rows and points are too large for a stack.
static bench_rows rows;

static int draw_plots(const char *folder, bool json)
{
    wr_error error = {0};
    for (int i = 0; i < rows.plot_count; i++) {
        if (!bench_draw_plot(&rows, i, folder, &error)) {
            return cli_fail(&error);
        }
        if (!json) {
            cli_say("%s/%s.png: %s", folder, rows.plots[i].name, rows.plots[i].title);
        }
    }
    return CLI_OK;
}

static int run_bench(const bench *b, const bench_options *options, bool json, const char *plot)
{
    wr_error error = {0};
    rows = (bench_rows){0};
    if (!b->run(options, &rows, &error)) {
        return cli_interrupted() ? CLI_INTERRUPTED : cli_fail(&error);
    }
    if (json) {
        print_json(b->name, &rows);
    } else {
        print_table(b->name, &rows);
    }
    return plot ? draw_plots(plot, json) : CLI_OK;
}

int cli_bench(int argc, char **argv)
{
    bool json = false;
    const char *plot = NULL;
    bench_options options = {.is_interrupted = cli_interrupted};
    const cli_option table[] = {
        {"--full", 0, CLI_FLAG, &options.full, 0, 0, NULL, "measure longer and larger"},
        {"--json", 0, CLI_FLAG, &json, 0, 0, NULL, "print as JSON"},
        {"--plot", 0, CLI_PATH, &plot, 0, 0, "FOLDER",
         "plot how costs grow, and volumes of clay, as FOLDER/*.png; FOLDER must exist"},
        {"--against", 0, CLI_PATH, &options.against, 0, 0, "PROGRAM",
         "of render and export: also PROGRAM, another build of wrought, by turns with this one on "
         "the same recordings, each by its command, and the ratios of the two"},
        {"--threads", 't', CLI_WHOLE, &options.threads, 1, 256, "N",
         "threads (default: one per core)"},
    };
    const cli_usage usage = {
        "bench",
        "[NAME]",
        "Measures on this machine. NAME: clay (the tables of the thesis, growth), export (a heap "
        "of\ndented metal), file (every format, in a temporary folder), flesh (the tables of the "
        "thesis,\ngrowth), metal (deformation, scenes), morph (the table of the thesis, crowds), "
        "render (pictures\nof films, previews and heaps), rig (decompositions, skinning), rigid "
        "(bodies, touches, recording)\nor sprite (levels of the paper, a heap). Without a name: "
        "all, "
        "in a few minutes.",
        "  wrought bench rigid\n"
        "  wrought bench metal --plot .\n"
        "  wrought bench render --against ../before/build/wrought\n"
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
    bool can_compare = name && (strcmp(name, "render") == 0 || strcmp(name, "export") == 0);
    if (options.against && !can_compare) {
        return cli_complain(CLI_BAD_USAGE, "--against is for bench render and bench export");
    }
    wr_error error = {0};
    if (options.against && !bench_check_against(options.against, &error)) {
        return cli_fail(&error);
    }
    if (plot && !wri_is_folder(plot)) {
        return cli_complain(CLI_BAD_INPUT, "%s: is no folder", plot);
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
            status = run_bench(&benches[i], &options, json, plot);
        }
    }
    wri_arena_destroy(&arena);
    if (!found) {
        char text[240];
        return cli_complain(CLI_BAD_USAGE, "unknown bench \"%s\"%s", name,
                            wri_suggest_word(text, sizeof text, name, names, WRI_COUNT(names)));
    }
    return status;
}
