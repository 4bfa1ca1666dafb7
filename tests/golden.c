// golden.c: books of expected values are read, compared and written anew.
#include "golden.h"

#include "../src/file/png.h"

typedef struct golden_line {
    const char *name, *value;
} golden_line;

enum { THUMB_WIDTH = 32, THUMB_HEIGHT = 18 };

const char *golden_path(const char *name, const char *ending)
{
    static char paths[4][1024];
    static int turn;
    const char *folder = getenv("WROUGHT_GOLDEN");
    char *path = paths[turn++ & 3];
    snprintf(path, 1024, "%s/%s%s", folder ? folder : "tests/golden", name, ending);
    return path;
}

bool golden_writes(void)
{
    return getenv("WROUGHT_GOLDEN_WRITE") != NULL;
}

// --- reading ----------------------------------------------------------------------------------

static void add_line(golden_book *book, wri_array *lines, const char *name, const char *value)
{
    golden_line *line = wri_array_add(lines, 1);
    assert_non_null(line);
    line->name = wri_arena_printf(&book->arena, "%s", name);
    line->value = wri_arena_printf(&book->arena, "%s", value);
}

void golden_open(golden_book *book, const char *name)
{
    *book = (golden_book){.arena = wri_arena_create(NULL),
                          .expected = wri_array_create(NULL, sizeof(golden_line)),
                          .found = wri_array_create(NULL, sizeof(golden_line))};
    snprintf(book->path, sizeof book->path, "%s", golden_path(name, ".txt"));
    size_t size = 0;
    char *text = wri_file_read(book->path, 1 << 24, NULL, &size, NULL);
    for (char *line = text, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? (*next = 0, 1) : 0;
        char *value = strstr(line, " = ");
        if (line[0] != '#' && value) {
            *value = 0;
            add_line(book, &book->expected, line, value + 3);
        }
    }
    if (text) {
        wri_free(NULL, text, size + 1, 1);
    }
}

static const golden_line *find_line(const wri_array *lines, const char *name)
{
    const golden_line *items = lines->items;
    for (int i = 0; i < lines->count; i++) {
        if (strcmp(items[i].name, name) == 0) {
            return &items[i];
        }
    }
    return NULL;
}

// --- comparison -------------------------------------------------------------------------------

// "HASH ~SUM/COUNT": the sums may differ by what the last bits of the numbers do.
static bool is_same(const char *expected, const char *found)
{
    unsigned long long hash_a, hash_b;
    double sum_a, sum_b;
    int count_a, count_b;
    if (strcmp(expected, found) == 0) {
        return true;
    }
    return sscanf(expected, "%llx ~%lf/%d", &hash_a, &sum_a, &count_a) == 3 &&
           sscanf(found, "%llx ~%lf/%d", &hash_b, &sum_b, &count_b) == 3 && hash_a == hash_b &&
           count_a == count_b && fabs(sum_a - sum_b) <= 1e-4 + 1e-5 * sqrt(count_a);
}

static void complain(golden_book *book, const char *name, const char *expected, const char *found,
                     const char *how)
{
    book->changed++;
    if (!golden_writes()) {
        print_message("golden: %s\n  was %s, is %s\n  %s\n", name, expected, found, how);
    }
}

void golden_note_text(golden_book *book, const char *name, const char *value, const char *how)
{
    const golden_line *line = find_line(&book->expected, name);
    bool same = line && is_same(line->value, value);
    add_line(book, &book->found, name, same ? line->value : value);
    if (!same) {
        complain(book, name, line ? line->value : "not there", value, how);
    }
}

void golden_note(golden_book *book, const char *name, const golden_print *print, const char *how)
{
    char value[80];
    int length = snprintf(value, sizeof value, "%016llx", (unsigned long long)print->exact);
    if (print->count) {
        snprintf(value + length, sizeof value - (size_t)length, " ~%.4f/%d", print->sum,
                 print->count);
    }
    golden_note_text(book, name, value, how);
}

void golden_keep(golden_book *book, const char *beginning)
{
    const golden_line *lines = book->expected.items;
    for (int i = 0; i < book->expected.count; i++) {
        if (strncmp(lines[i].name, beginning, strlen(beginning)) == 0) {
            add_line(book, &book->found, lines[i].name, lines[i].value);
        }
    }
}

// --- pictures ---------------------------------------------------------------------------------

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static bool decode(wri_arena *arena, const char *path, wr_image *image)
{
    size_t size = 0;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
    bool ok = bytes && wri_png_decode(arena, bytes, size, path, image, NULL);
    if (bytes) {
        wri_free(NULL, bytes, size + 1, 1);
    }
    return ok;
}

// Mean of a channel over the part of a picture that a pixel of the thumbnail shows.
static uint8_t mean(const wr_image *image, int column, int row, int channel)
{
    int left = column * image->width / THUMB_WIDTH, top = row * image->height / THUMB_HEIGHT;
    int right = larger((column + 1) * image->width / THUMB_WIDTH, left + 1);
    int bottom = larger((row + 1) * image->height / THUMB_HEIGHT, top + 1);
    double sum = 0;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            sum += image->pixels[4 * (y * image->width + x) + channel];
        }
    }
    return (uint8_t)lrint(sum / ((double)(right - left) * (bottom - top)));
}

static int difference(const uint8_t *a, const uint8_t *b, int count)
{
    int most = 0;
    for (int i = 0; i < count; i++) {
        most = larger(most, abs((int)a[i] - (int)b[i]));
    }
    return most;
}

void golden_note_picture(golden_book *book, const char *folder, const char *name, const char *path,
                         const char *how)
{
    enum { BYTES = 4 * THUMB_WIDTH * THUMB_HEIGHT };
    wri_arena arena = wri_arena_create(NULL);
    wr_image image = {0}, thumb = {0};
    uint8_t found[BYTES];
    assert_true(decode(&arena, path, &image));
    for (int i = 0; i < BYTES; i++) {
        found[i] = mean(&image, i / 4 % THUMB_WIDTH, i / 4 / THUMB_WIDTH, i % 4);
    }
    char file[256], value[64];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    for (char *c = file + strlen(folder) + 1; *c; c++) {
        *c = *c == ' ' || *c == '/' ? '-' : *c;
    }
    const char *thumb_path = golden_path(file, "");
    int most = decode(&arena, thumb_path, &thumb) ? difference(thumb.pixels, found, BYTES) : 255;
    if (most > 2 && golden_writes()) {
        wri_folder_create(golden_path(folder, ""), NULL);
        wri_png_picture picture = {found, THUMB_WIDTH, THUMB_HEIGHT, 4, NULL, 0};
        const uint8_t *bytes;
        size_t size;
        assert_true(wri_png_encode(&arena, &picture, &bytes, &size, NULL));
        assert_true(wri_file_write(thumb_path, bytes, size, NULL));
        most = 0;
    }
    snprintf(value, sizeof value, "%dx%d, %s", image.width, image.height,
             most <= 2 ? "as its thumbnail" : "unlike its thumbnail");
    golden_note_text(book, name, value, how);
    wri_arena_destroy(&arena);
}

// --- writing ----------------------------------------------------------------------------------

static void write_book(golden_book *book)
{
    FILE *file = fopen(book->path, "w");
    assert_non_null(file);
    fprintf(file,
            "# What the program makes of small inputs. `make golden` writes this file anew; a "
            "commit that\n# changes a line says why in its message.\n");
    const golden_line *lines = book->found.items;
    for (int i = 0; i < book->found.count; i++) {
        fprintf(file, "%s = %s\n", lines[i].name, lines[i].value);
    }
    assert_int_equal(fclose(file), 0);
}

void golden_close(golden_book *book)
{
    const golden_line *lines = book->expected.items;
    for (int i = 0; i < book->expected.count; i++) {
        if (!find_line(&book->found, lines[i].name)) {
            complain(book, lines[i].name, lines[i].value, "not there any more", "");
        }
    }
    int changed = book->changed;
    if (golden_writes() && changed) {
        write_book(book);
        print_message("%s: %d lines changed\n", book->path, changed);
        changed = 0;
    }
    if (changed) {
        print_message("%d lines of %s changed; on purpose? make golden\n", changed, book->path);
    }
    wri_array_destroy(&book->expected);
    wri_array_destroy(&book->found);
    wri_arena_destroy(&book->arena);
    assert_int_equal(changed, 0);
}
