// test_decimal.c: numbers are read to the bit as strtod reads them, whichever way they take.
#include "check.h"

#include <inttypes.h>

// What wri_parse_double promises, by strtod alone; the locale of this program is C.
static bool parse_slowly(const char *text, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || strspn(text, "0123456789.+-eE") < strlen(text)) {
        return false;
    }
    *out = value;
    return true;
}

// Returns whether the fast way was taken.
static bool check_same(const char *text)
{
    double expected = 7.0, value = 7.0, plain = 7.0;
    bool good = parse_slowly(text, &expected);
    if (wri_parse_double(text, strlen(text), &value) != good) {
        fail_msg("\"%s\" is %s", text, good ? "refused" : "accepted");
    }
    if (memcmp(&value, &expected, sizeof value) != 0) {
        fail_msg("\"%s\" is %a, expected %a", text, value, expected);
    }
    bool is_plain = wri_parse_plain(text, strlen(text), &plain);
    if (is_plain && (!good || memcmp(&plain, &expected, sizeof plain) != 0)) {
        fail_msg("\"%s\" is %a on the fast way, expected %a", text, plain, expected);
    }
    return is_plain;
}

static int pick(uint64_t *seed, int count)
{
    return (int)((random_bits(seed) >> 32) % (uint64_t)count);
}

static void random_decimals_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int plain = 0;
    enum { COUNT = 2000000 };
    for (int i = 0; i < COUNT; i++) {
        char text[64];
        int length = 0, digits = 1 + pick(&seed, 21), point = pick(&seed, 2 * digits);
        static const char *const signs[] = {"", "-", "", "+"};
        length += sprintf(text, "%s", signs[pick(&seed, 4)]);
        for (int k = 0; k < digits; k++) {
            length += sprintf(text + length, k == point ? ".%d" : "%d", pick(&seed, 10));
        }
        if (pick(&seed, 3) == 0) {
            sprintf(text + length, "%c%+d", pick(&seed, 2) ? 'e' : 'E', pick(&seed, 81) - 40);
        }
        plain += check_same(text);
    }
    assert_in_range(plain, COUNT / 2, COUNT);
}

static void printed_doubles_and_floats_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    uint64_t seed = 2;
    int plain = 0;
    enum { COUNT = 300000 };
    for (int i = 0; i < COUNT; i++) {
        char text[64];
        double value = ldexp((double)random_bits(&seed), pick(&seed, 100) - 110);
        snprintf(text, sizeof text, "%.17g", value);
        plain += check_same(text);
        snprintf(text, sizeof text, "%.9g", (double)(float)value);
        plain += check_same(text);
        snprintf(text, sizeof text, "%.6f", (double)(float)value);
        plain += check_same(text);
    }
    assert_in_range(plain, COUNT, 3 * COUNT);
}

// A whole number of 54 bits that is odd lies half-way between two doubles; so does it over 2^k.
static void half_way_goes_to_the_even_neighbour(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int plain = 0;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        uint64_t half = (random_bits(&seed) >> 10) | 1 | (uint64_t)1 << 53;
        int places = pick(&seed, 4); // half / 2^places has as many behind the point
        uint64_t scale = places == 0 ? 1 : places == 1 ? 5 : places == 2 ? 25 : 125;
        uint64_t digits = (half >> places) * (places == 0   ? 1
                                              : places == 1 ? 10
                                              : places == 2 ? 100
                                                            : 1000) +
                          (half & ((1u << places) - 1)) * scale;
        for (int off = -1; off <= 1; off++) { // and just beside
            snprintf(text, sizeof text, "%" PRIu64 "e-%d", digits + (uint64_t)off, places);
            plain += check_same(text);
        }
    }
    assert_true(plain > 500000);
    check_same("9007199254740993");     // 2^53 + 1
    check_same("9007199254740993.0");   // the same with a point
    check_same("9007199254740993.001"); // a little more
    check_same("9999999999999999999");  // as many digits as there can be
    check_same("99999999999999999995"); // one more
}

static void the_ends_of_the_fast_ways_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {1,
                                       9,
                                       ((uint64_t)1 << 53) - 1,
                                       (uint64_t)1 << 53,
                                       ((uint64_t)1 << 53) + 1,
                                       1234567890123456789u,
                                       (uint64_t)1 << 63,
                                       9999999999999999999u};
    for (int i = 0; i < WRI_COUNT(numbers); i++) {
        for (int e = -400; e <= 400; e++) {
            char text[64];
            snprintf(text, sizeof text, "%" PRIu64 "e%d", numbers[i], e);
            check_same(text);
        }
    }
    uint64_t seed = 5;
    for (int i = 0; i < 500000; i++) { // where the quotient has the fewest bits behind a double's
        char text[64];
        uint64_t digits = 1000000000000000000u + random_bits(&seed) % 9000000000000000000u;
        snprintf(text, sizeof text, "%" PRIu64 "e-%d", digits, 22 + pick(&seed, 6));
        assert_true(check_same(text));
    }
    char zeros[500];
    for (int n = 1; n < 380; n++) {
        snprintf(zeros, sizeof zeros, "0.%0*d", n, 3);
        check_same(zeros);
        snprintf(zeros, sizeof zeros, "-%0*d.5", n, 12);
        check_same(zeros);
    }
    check_same("0e99999");
    check_same("-0e-99999");
    check_same("1e00000000002");
}

static void what_is_no_number_is_refused_on_both_ways(void **state)
{
    (void)state;
    static const char letters[] = "0123456789.+-eE0123456789.e ,xn\t";
    uint64_t seed = 4;
    for (int i = 0; i < 500000; i++) {
        char text[12];
        int length = pick(&seed, (int)sizeof text);
        for (int k = 0; k < length; k++) {
            text[k] = letters[pick(&seed, (int)sizeof letters - 1)];
        }
        text[length] = 0;
        check_same(text);
    }
}

// --- numbers as people write them ---------------------------------------------------------------

static void numbers_for_people_have_no_exponents(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } rows[] = {{284.4, 2, "280"},
                {597.0, 2, "597"},
                {99.96, 3, "100"},
                {100.0, 2, "100"},
                {0.5, 2, "0.5"},
                {0.00001234, 2, "0.000012"},
                {-0.0315, 2, "-0.032"},
                {1234567.0, 6, "1234567"},
                {1234567.5, 3, "1230000"},
                {9.6, 1, "10"},
                {0.0, 3, "0"},
                {-12.26, 3, "-12.3"},
                {0.0999, 2, "0.1"},
                {1e9, 6, "1000000000"}};
    for (int i = 0; i < WRI_COUNT(rows); i++) {
        assert_string_equal(WRI_NUMBER(rows[i].value, rows[i].digits), rows[i].text);
    }
    char length[32];
    assert_string_equal(wri_length_text(length, 1234.5), "1230 m");
    assert_string_equal(wri_length_text(length, 0.9999), "100 cm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_decimals_are_read_as_strtod_reads_them),
        cmocka_unit_test(printed_doubles_and_floats_are_read_as_strtod_reads_them),
        cmocka_unit_test(half_way_goes_to_the_even_neighbour),
        cmocka_unit_test(the_ends_of_the_fast_ways_are_read_as_strtod_reads_them),
        cmocka_unit_test(what_is_no_number_is_refused_on_both_ways),
        cmocka_unit_test(numbers_for_people_have_no_exponents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
