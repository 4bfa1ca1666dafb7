// words.c: text of words and numbers between blanks and line ends.
#include "words.h"

#include <math.h>
#include <stdio.h>

wri_words wri_words_open(const char *path, const char *bytes, size_t size, char comment,
                         wr_error *error)
{
    bool marked = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0; // byte order mark
    return (wri_words){.path = path,
                       .start = bytes,
                       .at = bytes + (marked ? 3 : 0),
                       .end = bytes + size,
                       .word = bytes,
                       .line = 1,
                       .next_line = 1,
                       .comment = comment,
                       .error = error};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static void skip_blanks(wri_words *words)
{
    while (words->at < words->end && is_blank(*words->at)) {
        words->at++;
    }
}

void wri_words_skip_line(wri_words *words)
{
    while (words->at < words->end && !is_line_end(*words->at)) {
        words->at++;
    }
}

// \n, \r\n or \r.
static void pass_line_end(wri_words *words)
{
    bool two = *words->at == '\r' && words->at + 1 < words->end && words->at[1] == '\n';
    words->at += two ? 2 : 1;
    words->next_line++;
}

bool wri_words_on_line(wri_words *words)
{
    skip_blanks(words);
    return words->at < words->end && !is_line_end(*words->at) &&
           !(words->comment && *words->at == words->comment);
}

bool wri_words_next(wri_words *words)
{
    while (!wri_words_on_line(words)) {
        wri_words_skip_line(words);
        if (words->at == words->end) {
            words->line = words->next_line;
            words->word = words->at;
            words->length = 0;
            return false;
        }
        pass_line_end(words);
    }
    words->word = words->at;
    words->line = words->next_line;
    while (words->at < words->end && !is_blank(*words->at) && !is_line_end(*words->at)) {
        words->at++;
    }
    words->length = (size_t)(words->at - words->word);
    return true;
}

bool wri_words_is(const wri_words *words, const char *text)
{
    return words->length == strlen(text) && memcmp(words->word, text, words->length) == 0;
}

bool wri_words_parse(const wri_words *words, double *out)
{
    return wri_parse_double(words->word, words->length, out);
}

static int shown_length(const wri_words *words)
{
    return words->length < 40 ? (int)words->length : 40;
}

bool wri_words_number(wri_words *words, const char *what, double *out)
{
    if (!wri_words_next(words)) {
        return wri_words_fail(words, "the file ends here, expected %s", what);
    }
    return wri_words_parse(words, out) ||
           wri_words_fail(words, "\"%.*s\" is not a finite number, expected %s",
                          shown_length(words), words->word, what);
}

bool wri_words_float(wri_words *words, const char *what, float *out)
{
    double value = 0.0;
    if (!wri_words_number(words, what, &value)) {
        return false;
    }
    *out = (float)value;
    return isfinite(*out) || wri_words_fail(words, "\"%.*s\" is not a finite number, expected %s",
                                            shown_length(words), words->word, what);
}

bool wri_words_whole(wri_words *words, const char *what, double min, double max, int *out)
{
    double value = 0.0;
    if (!wri_words_next(words)) {
        return wri_words_fail(words, "the file ends here, expected %s", what);
    }
    bool ok =
        wri_words_parse(words, &value) && value == floor(value) && value >= min && value <= max;
    if (!ok && min == max) {
        return wri_words_fail(words, "\"%.*s\" cannot be %s, expected %.0f", shown_length(words),
                              words->word, what, min);
    }
    if (!ok) {
        return wri_words_fail(words,
                              "\"%.*s\" cannot be %s, expected a whole number from %.0f to "
                              "%.0f",
                              shown_length(words), words->word, what, min, max);
    }
    *out = (int)value;
    return true;
}

bool wri_words_count(wri_words *words, const char *what, int least, int *out)
{
    if (!wri_words_whole(words, what, 0, INT32_MAX, out)) {
        return false;
    }
    int64_t room = (words->end - words->at + 1) / least; // + 1: the last line end may be missing
    return *out <= room || wri_words_fail(words,
                                          "%s is %d, which cannot fit into the rest of the "
                                          "file",
                                          what, *out);
}

bool wri_words_fail(wri_words *words, const char *format, ...)
{
    char message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return wri_fail(words->error, WR_E_FORMAT, "%s:%d: %s", words->path, words->line, message);
}
