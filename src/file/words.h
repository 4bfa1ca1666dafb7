// words.h: text of words and numbers between blanks and line ends: OFF, MEDIT, DMAT, TGF.
#pragma once

#include "../base/base.h"

typedef struct wri_words {
    const char *path;
    const char *start, *at, *end; // start: of the file
    const char *word;             // the one at hand
    size_t length;
    int line, next_line; // line of the word at hand; of `at`
    char comment;        // opens a comment up to the line end where a word could start; 0: none
    wr_error *error;
} wri_words;

wri_words wri_words_open(const char *path, const char *bytes, size_t size, char comment,
                         wr_error *error);

bool wri_words_next(wri_words *words);    // false at the end of the file
bool wri_words_on_line(wri_words *words); // true when the line of the word at hand has another one
void wri_words_skip_line(wri_words *words);
bool wri_words_is(const wri_words *words, const char *text);

// The word at hand as a number; false when it is none, without a sentence.
bool wri_words_parse(const wri_words *words, double *out);

// The next word as a number; fails with a sentence that says what was expected.
bool wri_words_number(wri_words *words, const char *what, double *out);
bool wri_words_float(wri_words *words, const char *what, float *out);
bool wri_words_whole(wri_words *words, const char *what, double min, double max, int *out);

// Reads how many of something follow; no more than fit into the rest at `least` bytes each.
bool wri_words_count(wri_words *words, const char *what, int least, int *out);

// "path:line: ..." of the word at hand; always false.
bool wri_words_fail(wri_words *words, const char *format, ...) WRI_PRINTF(2, 3);
