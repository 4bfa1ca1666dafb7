// decimal.c: numbers of everyday length out of text, several times as fast as strtod, to the same
// bits.
//
// A text is m * 10^e with m of at most 19 digits, or it is left to strtod. Two ways, both correctly
// rounded: where m and 10^|e| are doubles without rounding, one multiplication or division rounds
// once (W. D. Clinger. How to read floating point numbers accurately. PLDI 1990). Otherwise
// 10^e = 5^e 2^e, and m * 5^e, or m shifted up to 128 bits over 5^-e with its remainder, is exact
// in whole numbers and rounded once. Everything in reach is a normal number.
#include "base.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct decimal {
    uint64_t m;
    int e;
    bool negative;
} decimal;

enum { MOST_DIGITS = 19, MOST_EXPONENT_DIGITS = 4, MOST_LENGTH = 300 };

// --- scanning ---------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Scans digits; zeros in front do not count. Returns the byte behind them, NULL when they are too
// many.
static const char *scan_digits(const char *s, const char *end, uint64_t *m, int *count)
{
    for (; s < end && is_digit(*s); s++) {
        *count += *s != '0' || *m != 0;
        if (*count > MOST_DIGITS) {
            return NULL;
        }
        *m = 10 * *m + (uint64_t)(*s - '0');
    }
    return s;
}

static const char *scan_exponent(const char *s, const char *end, int *e)
{
    bool negative = s < end && *s == '-';
    s += s < end && (*s == '-' || *s == '+');
    int value = 0, count = 0;
    for (; s < end && is_digit(*s) && count < MOST_EXPONENT_DIGITS; s++, count++) {
        value = 10 * value + (*s - '0');
    }
    *e += negative ? -value : value;
    return count ? s : NULL;
}

// False for everything that is not plain, what is no number at all included.
static bool scan_decimal(const char *s, const char *end, decimal *d)
{
    if (end - s > MOST_LENGTH) {
        return false;
    }
    *d = (decimal){.negative = s < end && *s == '-'};
    s += s < end && (*s == '-' || *s == '+');
    const char *whole = s;
    int count = 0;
    s = scan_digits(s, end, &d->m, &count);
    if (!s) {
        return false;
    }
    int length = (int)(s - whole);
    if (s < end && *s == '.') {
        const char *fraction = s + 1;
        s = scan_digits(fraction, end, &d->m, &count);
        if (!s) {
            return false;
        }
        d->e = (int)(fraction - s);
        length -= d->e;
    }
    if (length > 0 && s < end && (*s == 'e' || *s == 'E')) {
        s = scan_exponent(s + 1, end, &d->e);
    }
    return length > 0 && s == end;
}

// --- rounding ---------------------------------------------------------------------------------

// Computes the number in doubles where they are enough; not where the processor computes with more
// bits than they have.
static bool find_small(const decimal *d, double *out)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int most = WRI_COUNT(tens) - 1;
    if (FLT_EVAL_METHOD != 0 || d->m > (uint64_t)1 << 53 || d->e < -most || d->e > most) {
        return false;
    }
    *out = d->e < 0 ? (double)d->m / tens[-d->e] : (double)d->m * tens[d->e];
    return true;
}

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 wide;

// Rounds n * 2^e to the nearest double, halves to the even one. `more`: there was a little more
// than n, which then has at least 55 bits.
static double round_wide(wide n, int e, bool more)
{
    uint64_t high = (uint64_t)(n >> 64);
    int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)n);
    int shift = bits - 53;
    if (shift <= 0) {
        return ldexp((double)(uint64_t)n, e);
    }
    uint64_t kept = (uint64_t)(n >> shift);
    wide rest = n & (((wide)1 << shift) - 1), half = (wide)1 << (shift - 1);
    bool up = rest > half || (rest == half && (more || (kept & 1)));
    return ldexp((double)(kept + up), e + shift); // 2^53 is a double, too
}

static bool find_large(const decimal *d, double *out)
{
    static const uint64_t fives[] = {1,       5,        25,        125,       625,
                                     3125,    15625,    78125,     390625,    1953125,
                                     9765625, 48828125, 244140625, 1220703125};
    const int half = WRI_COUNT(fives), power = abs(d->e); // 5^27 < 2^63
    if (power >= 2 * half) {
        return false;
    }
    uint64_t five = power < half ? fives[power] : fives[power - half] * fives[half - 1] * 5;
    if (d->e >= 0) {
        *out = round_wide((wide)d->m * five, d->e, false);
        return true;
    }
    int shift = 64 + __builtin_clzll(d->m);
    wide n = (wide)d->m << shift, quotient = n / five;
    *out = round_wide(quotient, d->e - shift, quotient * five != n);
    return true;
}
#else
static bool find_large(const decimal *d, double *out)
{
    (void)d;
    (void)out;
    return false;
}
#endif

bool wri_parse_plain(const char *text, size_t length, double *out)
{
    decimal d;
    double value = 0.0;
    if (!scan_decimal(text, text + length, &d) ||
        (d.m != 0 && !find_small(&d, &value) && !find_large(&d, &value))) {
        return false;
    }
    *out = d.negative ? -value : value;
    return true;
}
