// text.c: numbers and letters that ignore the locale, and words that were almost right.
//
// strtod and printf follow the program's locale, in which a decimal comma may rule. We hand them
// text with the locale's own decimal point and put ours back.
#include "base.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *decimal_point(void)
{
    return localeconv()->decimal_point;
}

bool wri_parse_double(const char *text, size_t length, double *out)
{
    if (wri_parse_plain(text, length, out)) {
        return true;
    }
    char buffer[400];
    const char *point = decimal_point();
    size_t used = 0, point_length = strlen(point);
    for (size_t i = 0; i < length; i++) {
        if (used + point_length + 1 >= sizeof buffer) {
            return false;
        }
        char c = text[i];
        if (c == '.') {
            memcpy(buffer + used, point, point_length);
            used += point_length;
        } else if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e' || c == 'E') {
            buffer[used++] = c;
        } else { // also keeps "nan", "inf", hexadecimal and spaces out
            return false;
        }
    }
    buffer[used] = '\0';
    char *end = buffer;
    double value = strtod(buffer, &end);
    if (used == 0 || end != buffer + used || !isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

// The common case without the C library, which is twenty times slower: magnitudes that "%.6g" and
// longer write without an exponent. A decimal m / 10^k of at most nine digits is right when it lies
// nearer to the value than half the step to the next float; the margin pays for the two roundings
// of the test. Returns 0 when no decimal is surely right, or the room is short.
static int print_plain(char *out, size_t size, float value)
{
    static const double powers[] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5};
    static const double tens[] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5,  1e6,
                                  1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};
    double v = fabs((double)value);
    if (!(v >= powers[0] && v < powers[9]) || size < 32) {
        return 0;
    }
    int exponent;
    double below_one = frexp(v, &exponent);
    double half_step = ldexp(below_one == 0.5 ? 0.5 : 1.0, exponent - 25);
    double margin = half_step * (1.0 - 1e-6);
    int places = 9; // decimal places that show six digits
    for (int i = 1; v >= powers[i]; i++) {
        places--;
    }
    int64_t m = 0;
    int end = places + 3;
    for (; places <= end; places++) {
        m = (int64_t)(v * tens[places] + 0.5);
        if (fabs((double)m / tens[places] - v) <= margin) {
            break;
        }
    }
    if (places > end) {
        return 0;
    }
    for (; places > 0 && m % 10 == 0; places--) {
        m /= 10;
    }
    char digits[24];
    int count = 0, length = 0;
    for (; m > 0 || count <= places; m /= 10) {
        digits[count++] = (char)('0' + m % 10);
    }
    if (value < 0.0f) {
        out[length++] = '-';
    }
    while (count > 0) {
        if (count == places) {
            out[length++] = '.';
        }
        out[length++] = digits[--count];
    }
    out[length] = '\0';
    return length;
}

int wri_print_float(char *out, size_t size, float value)
{
    int length = print_plain(out, size, value);
    if (length > 0) {
        return length;
    }
    // Six digits survive every normal float; subnormal ones may need a single digit only.
    for (int digits = fabsf(value) < FLT_MIN ? 1 : 6; digits <= 9; digits++) {
        length = snprintf(out, size, "%.*g", digits, (double)value);
        if (strtof(out, NULL) == value) {
            break;
        }
    }
    const char *point = decimal_point();
    char *found = strcmp(point, ".") ? strstr(out, point) : NULL;
    if (found) {
        size_t point_length = strlen(point);
        *found = '.';
        memmove(found + 1, found + point_length, strlen(found + point_length) + 1);
        length -= (int)point_length - 1;
    }
    return length;
}

// The edit distance with insertion, deletion, replacement and swap of neighbours, capped at
// `limit`.
static int edit_distance(const char *a, const char *b, int limit)
{
    enum { LONGEST = 63 };
    int rows[3][LONGEST + 1];
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST || abs(n - m) > limit) {
        return limit + 1;
    }
    for (int j = 0; j <= m; j++) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= n; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                best = above2[j - 2] + 1 < best ? above2[j - 2] + 1 : best;
            }
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *wri_nearest_word(const char *word, const char *const *candidates, int count)
{
    int length = (int)strlen(word);
    int limit = length <= 1 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3; // "x" is not "y" misspelt
    const char *nearest = NULL;
    int nearest_distance = limit + 1;
    for (int i = 0; i < count; i++) {
        int distance = candidates[i] ? edit_distance(word, candidates[i], limit) : limit + 1;
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}

static bool is_among(const char *name, const char *const *list, int count)
{
    bool found = false;
    for (int i = 0; i < count && !found; i++) {
        found = strcmp(list[i], name) == 0;
    }
    return found;
}

const char *wri_suggest_word(char *out, size_t size, const char *word, const char *const *names,
                             int count)
{
    enum { MOST = 16, BEHIND = 20 }; // names; bytes for how many more there are
    const char *listed[MOST], *nearest = wri_nearest_word(word, names, count);
    size_t used = 0;
    int listed_count = 0, more = 0;
    snprintf(out, size, nearest ? "; did you mean \"%.80s\"?" : "; there are none", nearest);
    for (int i = 0; i < count && !nearest; i++) {
        const char *name = names[i];
        if (!name || !name[0] || is_among(name, listed, listed_count)) {
            continue;
        }
        char item[64];
        size_t length = (size_t)snprintf(item, sizeof item, "%s\"%.40s\"",
                                         listed_count ? ", " : "; there are ", name);
        if (more > 0 || listed_count == MOST || used + length + BEHIND > size) {
            more++;
            continue;
        }
        memcpy(out + used, item, length + 1);
        used += length;
        listed[listed_count++] = name;
    }
    if (more > 0) {
        snprintf(out + used, size - used, " and %d more", more);
    }
    return out;
}

// --- control characters -----------------------------------------------------------------------

// Returns the number of bytes of a control character at the head of text, 0: it is none. Those from
// U+0080 to U+009F have two bytes in UTF-8; terminals obey some of them.
static int control_length(const char *text)
{
    unsigned char first = (unsigned char)text[0], second = first ? (unsigned char)text[1] : 0;
    bool wide = first == 0xc2 && second >= 0x80 && second <= 0x9f;
    return wide ? 2 : first < 0x20 || first == 0x7f ? 1 : 0;
}

void wri_escape_text(char *out, size_t size, const char *text)
{
    size_t used = 0;
    while (*text) {
        int length = control_length(text);
        char word[8] = {*text};
        if (length > 0) {
            const char *letter = strchr("\nn\tt\rr", *text); // the letter stands behind
            snprintf(word, sizeof word, letter ? "\\%c" : "\\x%02x",
                     letter ? letter[1] : (unsigned char)text[length - 1]);
        }
        size_t needed = strlen(word);
        if (used + needed >= size) {
            break;
        }
        memcpy(out + used, word, needed);
        used += needed;
        text += length > 0 ? length : 1;
    }
    out[used] = '\0';
}

// --- lengths and endings ----------------------------------------------------------------------

const char *wri_number_text(char *out, double value, int digits)
{
    double size = fabs(value);
    if (value == floor(value) && size < 1e15) {
        snprintf(out, WRI_NUMBER_ROOM, "%.0f", value == 0.0 ? 0.0 : value); // no -0
        return out;
    }
    if (!(size >= 1e-12 && size < 1e15)) {
        snprintf(out, WRI_NUMBER_ROOM, "%.*g", digits, value);
        return out;
    }
    int places = digits; // behind the point
    for (double s = size; s >= 1.0; s /= 10.0) {
        places--;
    }
    for (double s = 10.0 * size; s < 1.0; s *= 10.0) {
        places++;
    }
    double step = 1.0; // of the last digit that counts, where it stands before the point
    for (int i = places; i < 0; i++) {
        step *= 10.0;
    }
    if (places <= 0) {
        snprintf(out, WRI_NUMBER_ROOM, "%.0f", floor(value / step + 0.5) * step);
        return out;
    }
    size_t length = (size_t)snprintf(out, WRI_NUMBER_ROOM, "%.*f", places, value);
    for (; out[length - 1] == '0'; length--) {
    }
    length -= out[length - 1] < '0' || out[length - 1] > '9'; // of a rounded whole number
    out[length] = '\0';
    return out;
}

const char *wri_length_text(char *out, double metres)
{
    if (metres < 1e-6) {
        return "nothing";
    }
    bool small = metres < 0.01, middle = metres < 1.0;
    double number = small ? 1e3 * metres : middle ? 1e2 * metres : metres;
    snprintf(out, 32, "%s %s", WRI_NUMBER(number, 3), small ? "mm" : middle ? "cm" : "m");
    return out;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

bool wri_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    for (size_t i = 0; length >= tail && i < tail; i++) {
        if (lower(path[length - tail + i]) != ending[i]) {
            return false;
        }
    }
    return length >= tail;
}
