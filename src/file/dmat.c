// dmat.c: DMAT, matrices of libigl.
//
// As text: a line "columns rows", then the values, column after column. As bytes: a line "0 0", a
// line "columns rows", then the values as little-endian doubles. An empty matrix is refused: it
// cannot be told from a file of bytes that was cut off.
#include "model.h"
#include "words.h"
#include "../base/os.h"

#include <stdio.h>

typedef struct reader {
    wri_words words;
    const wr_allocator *allocator;
    wr_error *error;
} reader;

// --- sizes ------------------------------------------------------------------------------------

static bool read_size(reader *r, int *columns, int *rows)
{
    return wri_words_whole(&r->words, "the number of columns", 0, INT32_MAX, columns) &&
           wri_words_whole(&r->words, "the number of rows", 0, INT32_MAX, rows);
}

static bool check_size(reader *r, int columns, int rows, int64_t room)
{
    if (columns == 0 || rows == 0) {
        return wri_words_fail(&r->words, "the matrix holds no values");
    }
    return (int64_t)columns <= room / rows ||
           wri_words_fail(&r->words,
                          "a matrix of %d rows and %d columns cannot fit into the rest "
                          "of the file",
                          rows, columns);
}

// --- values -----------------------------------------------------------------------------------

static bool read_text(reader *r, wr_matrix *matrix)
{
    int64_t count = (int64_t)matrix->rows * matrix->columns;
    for (int64_t i = 0; i < count; i++) {
        if (!wri_words_number(&r->words, "a value of the matrix", &matrix->values[i])) {
            return false;
        }
    }
    return !wri_words_next(&r->words) ||
           wri_words_fail(&r->words, "more than %d x %d values, expected the end of the file",
                          matrix->rows, matrix->columns);
}

static bool read_bytes(reader *r, wr_matrix *matrix)
{
    int64_t count = (int64_t)matrix->rows * matrix->columns;
    const uint8_t *at = (const uint8_t *)r->words.at;
    for (int64_t i = 0; i < count; i++, at += 8) {
        uint64_t bits = 0;
        for (int k = 7; k >= 0; k--) {
            bits = bits << 8 | at[k];
        }
        memcpy(&matrix->values[i], &bits, sizeof bits);
        if (!isfinite(matrix->values[i])) {
            return wri_fail(r->error, WR_E_FORMAT, "%s: byte %lld: a value is not finite",
                            r->words.path, (long long)((const char *)at - r->words.start));
        }
    }
    return true;
}

// Steps behind the line end of the header; the bytes begin there.
static bool begin_bytes(reader *r, int columns, int rows)
{
    wri_words *w = &r->words;
    w->at += w->at < w->end && *w->at == '\r';
    if (w->at == w->end || *w->at != '\n') {
        return wri_words_fail(w, "expected a line end behind the number of rows");
    }
    w->at++;
    int64_t room = (w->end - w->at) / 8;
    if (!check_size(r, columns, rows, room)) {
        return false;
    }
    int64_t size = 8 * (int64_t)columns * rows;
    return w->end - w->at == size ||
           wri_fail(r->error, WR_E_FORMAT,
                    "%s: byte %lld: expected the end of the file behind %d x %d values", w->path,
                    (long long)(w->at - w->start + size), rows, columns);
}

// --- the whole --------------------------------------------------------------------------------

static wr_matrix *read_dmat(reader *r)
{
    int columns = 0, rows = 0;
    if (!read_size(r, &columns, &rows)) {
        return NULL;
    }
    wri_words ahead = r->words;
    bool binary = columns == 0 && rows == 0 && wri_words_next(&ahead);
    bool ok = binary ? read_size(r, &columns, &rows) && begin_bytes(r, columns, rows)
                     : check_size(r, columns, rows, (r->words.end - r->words.at + 1) / 2);
    wr_matrix *matrix = ok ? wr_matrix_create(rows, columns, r->allocator, r->error) : NULL;
    if (matrix && !(binary ? read_bytes(r, matrix) : read_text(r, matrix))) {
        wr_matrix_destroy(matrix);
        return NULL;
    }
    return matrix;
}

wr_matrix *wri_dmat_read(const char *path, const char *bytes, size_t size,
                         const wr_allocator *allocator, wr_error *error)
{
    reader r = {wri_words_open(path, bytes, size, 0, error), allocator, error};
    return read_dmat(&r);
}

wr_matrix *wr_matrix_read(const char *path, const wr_allocator *allocator, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    size_t size = 0;
    char *bytes = wri_file_read(path, WRI_MODEL_LIMIT, allocator, &size, error);
    wr_matrix *matrix = bytes ? wri_dmat_read(path, bytes, size, allocator, error) : NULL;
    wri_free(allocator, bytes, size + 1, 1);
    return matrix;
}
