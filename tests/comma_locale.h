// comma_locale.h: a locale that writes 1,5 and 1.000, as German ones do. It is made here by
// localedef, which is part of every glibc, out of our own few lines: which locales are installed
// does not matter. A machine on which it cannot be made fails the test.
#pragma once

#include "check.h"

#include "../src/base/os.h"

#include <locale.h>

static temporary_folder comma_folder;

static inline void comma_write(const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", comma_folder.path, name);
    wr_error error = {0};
    if (!wri_file_write(path, text, strlen(text), &error)) {
        fail_msg("%s", error.message);
    }
}

static inline void comma_run_localedef(void)
{
    char source[600], characters[600], made[600];
    snprintf(source, sizeof source, "%s/source", comma_folder.path);
    snprintf(characters, sizeof characters, "%s/characters", comma_folder.path);
    snprintf(made, sizeof made, "%s/comma", comma_folder.path);
    // Its status is 1: it misses all categories but one, which come out as those of C.
    const char *words[] = {"localedef", "-c", "-i", source, "-f", characters, made, NULL};
    const wri_run_limits limits = {100.0, 0, 1 << 16};
    wri_run_result result = {0};
    wr_error error = {0};
    if (!wri_run(words, &limits, NULL, &result, &error)) {
        fail_msg("no locale with a decimal comma: %s", error.message);
    }
    wri_array_destroy(&result.output);
}

// From here on this program has a decimal comma.
static inline void comma_locale_begin(void)
{
    comma_folder = temporary_folder_create();
    comma_write("source", "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"<U002E>\"\n"
                          "grouping 3;3\nEND LC_NUMERIC\n");
    comma_write("characters", "<code_set_name> ANSI_X3.4-1968\n<escape_char> /\n"
                              "<mb_cur_min> 1\n<mb_cur_max> 1\nCHARMAP\n"
                              "<U0000>..<U007F> /x00 ASCII\nEND CHARMAP\n");
    comma_run_localedef();
    setenv("LOCPATH", comma_folder.path, 1);
    char text[8];
    if (!setlocale(LC_ALL, "comma") || snprintf(text, sizeof text, "%g", 1.5) != 3 ||
        strcmp(text, "1,5") != 0) {
        fail_msg("localedef made no locale with a decimal comma");
    }
}

static inline void comma_locale_end(void)
{
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    temporary_folder_destroy(&comma_folder);
}
