// options.c: options described by tables; --help writes itself.
#include "cli.h"

#include "../src/file/convert.h"

#include <stdio.h>

static void print_help(const cli_usage *usage)
{
    printf("usage: wrought %s %s%s\n\n%s\n", usage->command, usage->arguments,
           usage->option_count ? " [options]" : "", usage->about);
    if (usage->option_count) {
        printf("\noptions:\n");
    }
    for (int i = 0; i < usage->option_count; i++) {
        const cli_option *o = &usage->options[i];
        char left[64];
        char letter[8] = "    ";
        if (o->letter) {
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        }
        snprintf(left, sizeof left, "%s%s%s%s", letter, o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        printf("  %-26s %s\n", left, o->about);
    }
    if (usage->examples) {
        printf("\nexamples:\n%s", usage->examples);
    }
}

static int bad_usage(const cli_usage *usage, const char *format, ...) WRI_PRINTF(2, 3);
static int bad_usage(const cli_usage *usage, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char prefix[32];
    snprintf(prefix, sizeof prefix, "wrought %s: ", usage->command);
    cli_print_line(stderr, prefix, format, arguments);
    va_end(arguments);
    cli_note("usage: wrought %s %s; 'wrought %s --help' tells more", usage->command,
             usage->arguments, usage->command);
    return CLI_BAD_USAGE;
}

// Returns the length of an option's name: "--output=x" names --output.
static size_t name_length(const char *word)
{
    return strncmp(word, "--", 2) == 0 ? strcspn(word, "=") : strlen(word);
}

static const cli_option *find_option(const cli_usage *usage, const char *word)
{
    size_t length = name_length(word);
    for (int i = 0; i < usage->option_count; i++) {
        const cli_option *o = &usage->options[i];
        bool by_letter = word[0] == '-' && word[1] == o->letter && o->letter && !word[2];
        if (by_letter || (strlen(o->name) == length && strncmp(word, o->name, length) == 0)) {
            return o;
        }
    }
    return NULL;
}

static int unknown_option(const cli_usage *usage, const char *word)
{
    const char *names[32];
    int count = 0;
    for (; count < usage->option_count && count < WRI_COUNT(names); count++) {
        names[count] = usage->options[count].name;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)name_length(word), word);
    const char *nearest = wri_nearest_word(name, names, count);
    if (nearest) {
        return bad_usage(usage, "unknown option \"%s\"; did you mean \"%s\"?", word, nearest);
    }
    return bad_usage(usage, "unknown option \"%s\"", word);
}

static bool parse_number(const char *text, double min, double max, bool whole, double *out)
{
    double value;
    if (!wri_parse_double(text, strlen(text), &value) || value < min || value > max ||
        (whole && value != (double)(int64_t)value)) {
        return false;
    }
    *out = value;
    return true;
}

static bool parse_size(const char *text, const cli_option *o, int out[2])
{
    const char *x = strchr(text, 'x');
    double width, height;
    char left[16];
    if (!x || (size_t)(x - text) >= sizeof left) {
        return false;
    }
    snprintf(left, sizeof left, "%.*s", (int)(x - text), text);
    if (!parse_number(left, o->min, o->max, true, &width) ||
        !parse_number(x + 1, o->min, o->max, true, &height)) {
        return false;
    }
    out[0] = (int)width;
    out[1] = (int)height;
    return true;
}

static int set_option(const cli_usage *usage, const cli_option *o, const char *text)
{
    double value;
    switch (o->kind) {
    case CLI_FLAG:
        *(bool *)o->target = true;
        return -1;
    case CLI_PATH:
        if (!*text) {
            return bad_usage(usage, "%s is empty, expected a path", o->name);
        }
        *(const char **)o->target = text;
        return -1;
    case CLI_TEXT:
        *(const char **)o->target = text;
        return -1;
    case CLI_NUMBER:
    case CLI_WHOLE:
        if (!parse_number(text, o->min, o->max, o->kind == CLI_WHOLE, &value)) {
            return bad_usage(usage, "%s is \"%s\", expected a %s from %s to %s", o->name, text,
                             o->kind == CLI_WHOLE ? "whole number" : "number",
                             WRI_NUMBER(o->min, 6), WRI_NUMBER(o->max, 6));
        }
        if (o->kind == CLI_WHOLE) {
            *(int *)o->target = (int)value;
        } else {
            *(double *)o->target = value;
        }
        return -1;
    case CLI_SIZE:
        if (!parse_size(text, o, o->target)) {
            return bad_usage(usage, "%s is \"%s\", expected WIDTHxHEIGHT from %s to %s", o->name,
                             text, WRI_NUMBER(o->min, 6), WRI_NUMBER(o->max, 6));
        }
        return -1;
    }
    return -1;
}

// The option argv[*i] with its value, which stands behind an equals sign or in the next word.
static int take_option(const cli_usage *usage, const cli_option *o, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *equals = word + name_length(word);
    if (o->kind == CLI_FLAG) {
        return *equals ? bad_usage(usage, "%s takes no value", o->name)
                       : set_option(usage, o, NULL);
    }
    if (*equals) {
        return set_option(usage, o, equals + 1);
    }
    return *i + 1 < argc ? set_option(usage, o, argv[++*i])
                         : bad_usage(usage, "%s expects a value", word);
}

int cli_parse(const cli_usage *usage, int argc, char **argv, const char **arguments, int *count)
{
    *count = 0;
    bool only_arguments = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!only_arguments && strcmp(word, "--") == 0) {
            only_arguments = true;
            continue;
        }
        if (only_arguments || word[0] != '-' || !word[1]) {
            if (*count == usage->most) {
                return bad_usage(usage, "unexpected argument \"%s\"", word);
            }
            arguments[(*count)++] = word;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_help(usage);
            return CLI_OK;
        }
        const cli_option *o = find_option(usage, word);
        if (!o) {
            return unknown_option(usage, word);
        }
        int status = take_option(usage, o, argc, argv, &i);
        if (status >= 0) {
            return status;
        }
    }
    if (*count < usage->least) {
        return bad_usage(usage, "expected %s", usage->arguments);
    }
    return -1;
}

int cli_check_read_options(const wr_read_options *read, const char *path, bool has_lengths)
{
    wri_conversion ignored;
    wr_error error = {0};
    if (!wri_conversion_create(read, &ignored, &error)) {
        return cli_complain(CLI_BAD_USAGE, "%s", error.message);
    }
    if ((read->unit || read->up) && !has_lengths) {
        return cli_complain(CLI_BAD_USAGE, "%s: --unit and --up are for models and handle graphs",
                            path);
    }
    return -1;
}
