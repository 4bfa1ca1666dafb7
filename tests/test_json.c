// test_json.c: promises of the JSON reader and writer.
#include "comma_locale.h"

#include "../src/file/json.h"

typedef struct fixture {
    wri_arena arena;
    wr_error error;
    const wri_json *root;
} fixture;

static fixture parse_bytes(const char *text, size_t size, bool comments)
{
    fixture f = {.arena = wri_arena_create(NULL)};
    char *exact = malloc(size ? size : 1); // so that a read past the end is seen
    memcpy(exact, text, size);
    f.root = wri_json_parse(&f.arena, exact, size, "f", comments, &f.error);
    free(exact);
    return f;
}

static fixture parse(const char *text, bool comments)
{
    return parse_bytes(text, strlen(text), comments);
}

static void expect_message(const char *text, bool comments, const char *message)
{
    fixture f = parse(text, comments);
    if (f.root) {
        fail_msg("accepted: %s", text);
    }
    assert_int_equal(f.error.code, WR_E_FORMAT);
    assert_string_equal(f.error.message, message);
    wri_arena_destroy(&f.arena);
}

static void every_form_of_the_grammar_is_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "10",
        "-1.5",
        "1e5",
        "1E+5",
        "1.25e-3",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        " [ ] ",
        "\t{\n}\r\n",
        "[1,2,3]",
        "[[[]]]",
        "{\"a\":{\"b\":[null]}}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"",
        "\"\x7f\"",
        "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "\xef\xbb\xbf{}",
        "{\"\":0}",
        "1e-400",
    };
    for (int i = 0; i < WRI_COUNT(texts); i++) {
        fixture f = parse(texts[i], false);
        if (!f.root) {
            fail_msg("%s: %s", texts[i], f.error.message);
        }
        wri_arena_destroy(&f.arena);
    }
}

static void nothing_outside_the_grammar_is_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        " ",
        "[",
        "]",
        "{",
        "}",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,,2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{1:1}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "nul",
        "True",
        "truex",
        "NaN",
        "Infinity",
        "-Infinity",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "-",
        "1e",
        "1e+",
        "0x10",
        "1_000",
        "1,5",
        "--1",
        "1 2",
        "{}{}",
        "\"",
        "\"a",
        "\"\\",
        "\"\\\"",
        "\"\\x41\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\\ud800\\ud800\"",
        "\"\t\"",
        "\"a\nb\"",
        "\"\x01\"",
        "\xff",
        "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\xe2\x82\"",
        "\"\x80\"",
        "// c\n1",
        "/* c */ 1",
        "1 // c",
        "1e999",
        "-1e999",
        "\xc2\xa0 1",
        "{\"a\":1,\"a\":2}",
    };
    for (int i = 0; i < WRI_COUNT(texts); i++) {
        fixture f = parse(texts[i], false);
        if (f.root) {
            fail_msg("accepted: %s", texts[i]);
        }
        assert_int_equal(f.error.code, WR_E_FORMAT);
        assert_true(strncmp(f.error.message, "f:", 2) == 0);
        wri_arena_destroy(&f.arena);
    }
    fixture f = parse_bytes("\"a\0b\"", 5, false);
    assert_null(f.root);
    wri_arena_destroy(&f.arena);
    f = parse_bytes("1\0", 2, false);
    assert_null(f.root);
    assert_string_equal(f.error.message,
                        "f:1:2: unexpected control character 0x00, expected the end of the file");
    wri_arena_destroy(&f.arena);
}

static void a_message_says_where_and_what_was_expected(void **state)
{
    (void)state;
    expect_message("", false, "f:1:1: unexpected end of file, expected a value");
    expect_message("{\n  \"a\": 1\n  \"b\": 2\n}", false,
                   "f:3:3: unexpected '\"', expected ',' or '}'");
    expect_message("[1, 2\n", false, "f:2:1: unexpected end of file, expected ',' or ']'");
    expect_message("{\"a\" 1}", false, "f:1:6: unexpected '1', expected ':' after the key");
    expect_message("{a: 1}", false, "f:1:2: unexpected 'a', expected a key in quotes");
    expect_message("[1,]", false, "f:1:4: unexpected ']', expected a value");
    expect_message("[yes]", false, "f:1:2: unexpected yes, expected a value");
    expect_message("[\n01]", false, "f:2:1: 01 is not a number as JSON writes it");
    expect_message("[1e999]", false, "f:1:2: the number 1e999 is too large");
    expect_message("[\"ab]", false, "f:1:2: text without its closing quote");
    expect_message("[\"ab\ncd\"]", false, "f:1:2: text without its closing quote");
    expect_message("[\"a\tb\"]", false,
                   "f:1:4: control character 0x09 in text, expected an escape such as \\t");
    expect_message(
        "[\"a\\q\"]", false,
        "f:1:4: unknown escape in text, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    expect_message("\"\\ud83d\"", false, "f:1:2: \\ud83d is half of a surrogate pair");
    expect_message("\"\\u00\"", false, "f:1:2: \\u must be followed by four hexadecimal digits");
    expect_message("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", false,
                   "f:3:2: the key \"a\" was already given in line 1");
    expect_message("[\"\xc3\xa4\xc3\xb6\", \xc3\xbc]", false,
                   "f:1:8: unexpected '\xc3\xbc', expected a value");
    expect_message("[\n\"\xc3\xa4\xff\"]", false, "f:2:3: byte 0xff is not UTF-8 text");
    expect_message("[1] 2", false, "f:1:5: unexpected '2', expected the end of the file");
    expect_message("[1 /* a", true, "f:1:4: comment without its closing */");
    expect_message("[1 // a", false, "f:1:4: unexpected '/', expected ',' or ']'");
}

static void comments_and_trailing_commas_need_permission(void **state)
{
    (void)state;
    const char *text = "// head\n{ /* one */ \"a\": [1, 2, /* * / */ ], // end\n \"b\": 3, }//";
    fixture f = parse(text, true);
    assert_non_null(f.root);
    assert_int_equal(f.root->count, 2);
    assert_int_equal(wri_json_find(f.root, "a")->count, 2);
    wri_arena_destroy(&f.arena);
    f = parse(text, false);
    assert_null(f.root);
    wri_arena_destroy(&f.arena);
    expect_message("[,]", true, "f:1:2: unexpected ',', expected a value");
    expect_message("/", true, "f:1:1: unexpected '/', expected a value");
    expect_message("/ 1\n2", true, "f:1:1: unexpected '/', expected a value");
    expect_message("/x*/2", true, "f:1:1: unexpected '/', expected a value");
}

static void every_value_and_key_knows_its_place(void **state)
{
    (void)state;
    fixture f = parse("\xef\xbb\xbf{\n  \"\xc3\xa4\": 1, \"b\" :\r\n    [true, \"x\"]\n}", false);
    assert_non_null(f.root);
    const wri_json *a = &f.root->items[0], *b = &f.root->items[1];
    assert_int_equal(f.root->line, 1);
    assert_int_equal(f.root->column, 1);
    assert_int_equal(a->key_line, 2);
    assert_int_equal(a->key_column, 3);
    assert_int_equal(a->line, 2);
    assert_int_equal(a->column, 8);
    assert_int_equal(b->key_column, 11);
    assert_int_equal(b->line, 3);
    assert_int_equal(b->column, 5);
    assert_int_equal(b->items[1].line, 3);
    assert_int_equal(b->items[1].column, 12);
    assert_null(b->items[1].key);
    assert_int_equal(f.root->begin, 3); // behind the byte order mark
    assert_int_equal(a->end - a->begin, 1);
    assert_int_equal(b->begin, 27);
    assert_int_equal(b->end, 38);
    assert_int_equal(f.root->end, 40);
    assert_int_equal(b->items[1].begin, 34);
    assert_int_equal(b->items[1].end, 37);
    wri_arena_destroy(&f.arena);
}

static void escapes_mean_what_the_standard_says(void **state)
{
    (void)state;
    fixture f = parse("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e4\\u20AC\\ud83d\\ude00\"]", false);
    assert_non_null(f.root);
    assert_string_equal(f.root->items[0].string, "\"\\/\b\f\n\r\t");
    assert_string_equal(f.root->items[1].string, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    wri_arena_destroy(&f.arena);
}

static void depth_64_is_the_limit(void **state)
{
    (void)state;
    char text[2 * 65 + 1] = {0};
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    fixture f = parse(text, false);
    assert_non_null(f.root);
    wri_arena_destroy(&f.arena);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    f = parse_bytes(text, 130, false);
    assert_null(f.root);
    assert_string_equal(f.error.message, "f:1:65: nested deeper than 64 levels");
    wri_arena_destroy(&f.arena);
    // A million brackets must not reach the machine's stack.
    char *deep = malloc(1000000);
    memset(deep, '[', 1000000);
    f = parse_bytes(deep, 1000000, false);
    assert_null(f.root);
    wri_arena_destroy(&f.arena);
    free(deep);
}

static void find_returns_members_of_objects_only(void **state)
{
    (void)state;
    fixture f = parse("{\"a\":1,\"b\":[2]}", false);
    assert_true(wri_json_find(f.root, "a")->number == 1.0);
    assert_null(wri_json_find(f.root, "c"));
    assert_null(wri_json_find(wri_json_find(f.root, "b"), "a"));
    assert_null(wri_json_find(NULL, "a"));
    assert_string_equal(wri_json_type_name(f.root->type), "an object");
    wri_arena_destroy(&f.arena);
}

// One object of n keys, on one line; the last key repeats the first when asked.
static char *many_keys(int n, bool repeat)
{
    char *text = malloc((size_t)n * 24 + 64);
    int used = sprintf(text, "{");
    for (int i = 0; i < n; i++) {
        used += sprintf(text + used, "%s\"key%d\":%d", i ? "," : "", i, i);
    }
    sprintf(text + used, "%s}", repeat ? ",\"key0\":1" : "");
    return text;
}

static void large_objects_are_checked_in_linear_time(void **state)
{
    (void)state;
    double start = processor_seconds();
    for (int n = 2; n <= 200000; n = n < 30 ? n + 1 : n * 80) {
        char *text = many_keys(n, false);
        fixture f = parse(text, false);
        assert_non_null(f.root);
        assert_int_equal(f.root->count, n);
        wri_arena_destroy(&f.arena);
        free(text);
        text = many_keys(n, true);
        f = parse(text, false);
        assert_null(f.root);
        assert_non_null(strstr(f.error.message, "the key \"key0\" was already given in line 1"));
        wri_arena_destroy(&f.arena);
        free(text);
    }
    assert_true(processor_seconds() - start < 10.0); // 0.2; minutes when all pairs are compared
}

static void a_long_key_is_cut_between_characters(void **state)
{
    (void)state;
    char text[400] = "{\"", key[128] = "x";
    for (int i = 0; i < 50; i++) {
        strcat(key, "\xc3\xa4");
    }
    sprintf(text, "{\"%s\":1,\"%s\":2}", key, key);
    fixture f = parse(text, false);
    assert_null(f.root);
    char expected[128] = "";
    sprintf(expected, "the key \"%.47s\" was", key); // one x and 23 characters of two bytes
    assert_non_null(strstr(f.error.message, expected));
    wri_arena_destroy(&f.arena);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    const char *text = "{\"a\":[1.5e3,true,null,\"x\\ud83d\\ude00\xc3\xa4\",{}],\"b\":-0.25} ";
    for (size_t i = 0; i + 1 < strlen(text); i++) {
        fixture f = parse_bytes(text, i, true);
        assert_null(f.root);
        wri_arena_destroy(&f.arena);
    }
}

// --- writer -----------------------------------------------------------------------------------

static void write_sample(wri_json_writer *w)
{
    wri_json_begin_object(w, NULL);
    wri_json_write_string(w, "text", "a\"\\\n\x01\xc3\xa4");
    wri_json_write_number(w, "tenth", 0.1);
    wri_json_write_float(w, "float", 0.1f);
    wri_json_write_int(w, "int", -9007199254740993);
    wri_json_begin_array(w, "list");
    wri_json_write_bool(w, NULL, true);
    wri_json_write_null(w, NULL);
    wri_json_begin_object(w, NULL);
    wri_json_end_object(w);
    wri_json_begin_array(w, NULL);
    wri_json_end_array(w);
    wri_json_end_array(w);
    wri_json_end_object(w);
}

static const char *const sample =
    "{\"text\":\"a\\\"\\\\\\n\\u0001\xc3\xa4\",\"tenth\":0.1,\"float\":0.1,"
    "\"int\":-9007199254740993,\"list\":[true,null,{},[]]}";

static void the_writer_places_commas_and_quotes(void **state)
{
    (void)state;
    wri_json_writer w = wri_json_writer_create(NULL, false);
    write_sample(&w);
    assert_string_equal(wri_json_finish(&w), sample);
    wri_json_writer_destroy(&w);
    w = wri_json_writer_create(NULL, true);
    write_sample(&w);
    assert_string_equal(wri_json_finish(&w),
                        "{\n  \"text\": \"a\\\"\\\\\\n\\u0001\xc3\xa4\",\n  \"tenth\": 0.1,\n"
                        "  \"float\": 0.1,\n  \"int\": -9007199254740993,\n  \"list\": [\n"
                        "    true,\n    null,\n    {},\n    []\n  ]\n}\n");
    wri_json_writer_destroy(&w);
}

static void text_that_is_not_utf8_still_makes_json(void **state)
{
    (void)state;
    wri_json_writer w = wri_json_writer_create(NULL, false);
    wri_json_write_string(&w, NULL, "a\xff\xc3");
    assert_string_equal(wri_json_finish(&w), "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
    wri_json_writer_destroy(&w);
}

static void numbers_that_are_not_finite_become_null(void **state)
{
    (void)state;
    wri_json_writer w = wri_json_writer_create(NULL, false);
    wri_json_begin_array(&w, NULL);
    wri_json_write_number(&w, NULL, (double)NAN);
    wri_json_write_float(&w, NULL, INFINITY);
    wri_json_end_array(&w);
    assert_string_equal(wri_json_finish(&w), "[null,null]");
    wri_json_writer_destroy(&w);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// Random bit patterns, so that all exponents and subnormals take part.
static void check_number_round_trip(void)
{
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = next_random(&random);
        uint32_t low = (uint32_t)(bits >> 20);
        double d;
        float s;
        memcpy(&d, &bits, sizeof d);
        memcpy(&s, &low, sizeof s);
        if (!isfinite(d) || !isfinite(s)) {
            continue;
        }
        wri_json_writer w = wri_json_writer_create(NULL, i % 2);
        wri_json_begin_array(&w, NULL);
        wri_json_write_number(&w, NULL, d);
        wri_json_write_float(&w, NULL, s);
        wri_json_end_array(&w);
        fixture f = parse(wri_json_finish(&w), false);
        assert_non_null(f.root);
        assert_true(f.root->items[0].number == d);
        assert_true((float)f.root->items[1].number == s);
        wri_arena_destroy(&f.arena);
        wri_json_writer_destroy(&w);
    }
}

static void numbers_read_back_bit_for_bit(void **state)
{
    (void)state;
    check_number_round_trip();
}

static void a_locale_with_decimal_commas_does_not_matter(void **state)
{
    (void)state;
    comma_locale_begin();
    check_number_round_trip();
    wri_json_writer w = wri_json_writer_create(NULL, false);
    write_sample(&w);
    assert_string_equal(wri_json_finish(&w), sample);
    wri_json_writer_destroy(&w);
    comma_locale_end();
}

// --- memory -----------------------------------------------------------------------------------

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char *text = many_keys(3000, false);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wri_arena arena = wri_arena_create(&allocator);
        wr_error error = {0};
        done = wri_json_parse(&arena, text, strlen(text), "f", false, &error) != NULL;
        assert_true(done || error.code == WR_E_MEMORY);
        wri_arena_destroy(&arena);
        assert_int_equal(heap.alive, 0);
    }
    done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wri_json_writer w = wri_json_writer_create(&allocator, true);
        write_sample(&w);
        done = wri_json_finish(&w) != NULL;
        wri_json_writer_destroy(&w);
        assert_int_equal(heap.alive, 0);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_the_grammar_is_read),
        cmocka_unit_test(nothing_outside_the_grammar_is_read),
        cmocka_unit_test(a_message_says_where_and_what_was_expected),
        cmocka_unit_test(comments_and_trailing_commas_need_permission),
        cmocka_unit_test(every_value_and_key_knows_its_place),
        cmocka_unit_test(escapes_mean_what_the_standard_says),
        cmocka_unit_test(depth_64_is_the_limit),
        cmocka_unit_test(find_returns_members_of_objects_only),
        cmocka_unit_test(large_objects_are_checked_in_linear_time),
        cmocka_unit_test(a_long_key_is_cut_between_characters),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(the_writer_places_commas_and_quotes),
        cmocka_unit_test(text_that_is_not_utf8_still_makes_json),
        cmocka_unit_test(numbers_that_are_not_finite_become_null),
        cmocka_unit_test(numbers_read_back_bit_for_bit),
        cmocka_unit_test(a_locale_with_decimal_commas_does_not_matter),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
