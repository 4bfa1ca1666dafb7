// report.c: sentences, progress and interruption.
#include "cli.h"

#include "../src/file/asset.h"
#include "../src/file/model.h"

#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void cli_print_line(FILE *file, const char *prefix, const char *format, va_list arguments)
{
    char text[8192], line[8192];
    vsnprintf(text, sizeof text, format, arguments);
    wri_escape_text(line, sizeof line, text);
    fprintf(file, "%s%s\n", prefix, line);
}

void cli_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cli_print_line(stderr, "", format, arguments);
    va_end(arguments);
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cli_print_line(stdout, "", format, arguments);
    va_end(arguments);
}

int cli_fail(const wr_error *error)
{
    return cli_fail_with(error, "");
}

int cli_fail_with(const wr_error *error, const char *hint)
{
    cli_note("wrought: %s%s", error->message, hint);
    return error->code == WR_E_FULL        ? CLI_TROUBLE
           : error->code == WR_E_CANCELLED ? CLI_INTERRUPTED
                                           : CLI_BAD_INPUT;
}

int cli_complain(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cli_print_line(stderr, "wrought: ", format, arguments);
    va_end(arguments);
    return status;
}

wr_model *cli_flatten(const wr_model *model, const char *path, wr_error *error)
{
    wr_model *flat = wr_model_flatten(model, error);
    if (!flat) {
        wri_fail(error, error->code, "%s: %s", path, error->message);
    }
    return flat;
}

bool cli_warn_of_size(wr_model *model, const wr_model *flat, const wr_read_options *read,
                      const char *path, wr_error *error)
{
    return read->unit ||
           wri_model_warn_of_size(model, error, path, wr_box_size(wr_mesh_bounds(flat->meshes)),
                                  "--unit cm says so (--unit m if it is that large)");
}

void cli_warn(int count, const char *const *warnings)
{
    for (int i = 0; i < count; i++) {
        cli_note("warning: %s", warnings[i]);
    }
}

const char *cli_size_text(char *out, int64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double size = (double)bytes;
    int unit = 0;
    for (; size >= 1000.0 && unit < WRI_COUNT(units) - 1; unit++) {
        size /= 1000.0;
    }
    snprintf(out, 32, unit && size < 100.0 ? "%.1f %s" : "%.0f %s", size, units[unit]);
    return out;
}

const char *cli_seconds_text(char *out, double seconds)
{
    if (seconds < 100.0) {
        snprintf(out, 32, "%.1f s", seconds);
    } else {
        int whole = (int)(seconds + 0.5);
        snprintf(out, 32, "%d min %02d s", whole / 60, whole % 60);
    }
    return out;
}

// --- progress ---------------------------------------------------------------------------------

static bool is_terminal(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

cli_progress cli_progress_start(const char *verb, const char *unit, int first, int total,
                                bool quiet)
{
    return (cli_progress){.verb = verb,
                          .unit = unit,
                          .total = total,
                          .first = first,
                          .start = wri_seconds(),
                          .last_print = -1e9,
                          .quiet = quiet,
                          .terminal = is_terminal()};
}

static void print_bar(int done, int total)
{
    enum { WIDTH = 20 };
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    int full = total > 0 ? (int)((int64_t)WIDTH * done / total) : WIDTH;
    for (int i = 0; i < WIDTH; i++) {
        fputs(i < full ? utf8 ? "█" : "#" : utf8 ? "░" : "-", stderr);
    }
}

void cli_progress_show(cli_progress *p, int done, const char *note)
{
    double now = wri_seconds(), pause = p->terminal ? 0.1 : 10.0;
    // Elsewhere than on a terminal the first line comes only when it takes long.
    double since = p->last_print < p->start && !p->terminal ? p->start : p->last_print;
    if (p->quiet || (now - since < pause && !(p->terminal && done == p->total))) {
        return;
    }
    p->last_print = now;
    char left[32] = "";
    int fresh = done - p->first;
    if (fresh > 0) {
        cli_seconds_text(left, (now - p->start) * (p->total - done) / fresh);
    }
    fprintf(stderr, "%s%-10s  ", p->terminal ? "\r" : "", p->verb);
    if (p->terminal) {
        print_bar(done, p->total);
    }
    fprintf(stderr, "  %d/%d %s   %s%s%s%s%s", done, p->total, p->unit, note, *note ? "   " : "",
            left, *left ? " left" : "", p->terminal ? "\033[K" : "\n");
    fflush(stderr);
    p->shown = true;
}

void cli_progress_end(cli_progress *p)
{
    if (p->shown && p->terminal) {
        fputc('\n', stderr);
    }
    p->shown = false;
}

static void on_progress(void *user, const char *stage, double done)
{
    cli_progress *p = user;
    int percent = (int)(p->total * done);
    if (percent < p->done) {
        cli_progress_end(p);
        *p = cli_progress_start(p->verb, p->unit, 0, p->total, p->quiet);
    }
    p->done = percent;
    cli_progress_show(p, percent, stage);
}

wr_progress cli_progress_hook(cli_progress *progress)
{
    return (wr_progress){on_progress, progress};
}

static void print_line(void *user, const char *message)
{
    (void)user;
    cli_say("%s", message);
}

static void print_note(void *user, const char *message)
{
    (void)user;
    cli_note("%s", message);
}

wr_log cli_log_notes(bool quiet)
{
    return (wr_log){quiet ? NULL : print_note, NULL};
}

wr_log cli_log(bool quiet)
{
    return (wr_log){quiet ? NULL : print_line, NULL};
}

// --- interruption -----------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL);
}

static void handle_signals(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void cli_catch_interrupts(void)
{
    handle_signals(on_signal);
}

static void end_now(int number)
{
    static const char sentence[] = "\nwrought: interrupted\n"; // behind what a bar has drawn
    (void)number;
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0) {
        // nobody is there to hear it
    }
    _exit(CLI_INTERRUPTED);
}

void cli_end_on_interrupts(void)
{
    handle_signals(end_now);
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

// How long the vertices of a body take to gather is not worth a bar.
static bool on_work(void *user, wr_watch_work work, int done, int total)
{
    static const struct {
        const char *verb, *unit;
    } words[] = {
        [WR_WATCH_READ] = {"reading", "frames"},
        [WR_WATCH_BEND] = {NULL, NULL},
        [WR_WATCH_SHAPES] = {"finding shapes", "bodies"},
        [WR_WATCH_PICTURES] = {"rendering", "pictures"},
        [WR_WATCH_CELLS] = {"drawing", "cells"},
        [WR_WATCH_FRAMES] = {"exporting", "frames"},
        [WR_WATCH_FILES] = {"exporting", "files"},
    };
    cli_watcher *w = user;
    bool has_begun =
        words[work].verb && w->progress.verb == words[work].verb && w->progress.total == total;
    if (words[work].verb && done == 0 && !has_begun) {
        cli_progress_end(&w->progress);
        w->progress = cli_progress_start(words[work].verb, words[work].unit, 0, total, w->quiet);
    } else if (has_begun) {
        cli_progress_show(&w->progress, done, "");
    }
    if (has_begun && done == total) {
        cli_progress_end(&w->progress);
        w->progress = (cli_progress){0};
    }
    return !cli_interrupted() && !cli_has_changed(w->changes);
}

int cli_fail_watched(const wr_error *error, const char *hint)
{
    bool is_overtaken = error->code == WR_E_CANCELLED && !cli_interrupted();
    return is_overtaken ? CLI_INTERRUPTED : cli_fail_with(error, hint);
}

wr_watch cli_watch(cli_watcher *watcher)
{
    return (wr_watch){on_work, watcher};
}
