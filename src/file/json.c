// json.c: a JSON reader (RFC 8259) that keeps the position of every value and key.
//
// Children are collected on a stack while their parent is open and copied to the arena in one run
// when it closes, so items are contiguous and the work is linear in the text. Lines and columns are
// counted from a mark that only moves forward, which is linear as well, also for files of one line.
#include "json.h"
#include "utf8.h"

#include <limits.h>
#include <stdio.h>

enum { MAX_DEPTH = 64, QUOTE_LENGTH = 48 };

typedef struct parser {
    wri_arena *arena;
    const char *path;
    const char *text, *at, *end;
    const char *mark; // line and column below are those of this byte
    int line, column;
    int depth;
    bool comments;
    wri_array stack; // wri_json, children of the containers that are open
    wr_error *error;
} parser;

static bool parse_value(parser *p, wri_json *out);

// --- positions and messages -------------------------------------------------------------------

// Moves the mark forward to `at`. Columns count characters, not bytes.
static void locate(parser *p, const char *at)
{
    WR_ASSERT(at >= p->mark);
    for (; p->mark < at; p->mark++) {
        if (*p->mark == '\n') {
            p->line++;
            p->column = 1;
        } else if (((unsigned char)*p->mark & 0xc0) != 0x80) {
            p->column++;
        }
    }
}

WRI_PRINTF(3, 4) static bool fail(parser *p, const char *at, const char *format, ...)
{
    char message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    locate(p, at);
    return wri_fail(p->error, WR_E_FORMAT, "%s:%d:%d: %s", p->path, p->line, p->column, message);
}

// Returns how many bytes of a text fit into a message without cutting a character.
static int quotable(const char *text, size_t length)
{
    if (length <= QUOTE_LENGTH) {
        return (int)length;
    }
    int n = QUOTE_LENGTH;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) {
        n--;
    }
    return n;
}

static bool fail_unexpected(parser *p, const char *expected)
{
    uint32_t code = 0;
    if (p->at >= p->end) {
        return fail(p, p->at, "unexpected end of file, expected %s", expected);
    }
    int length = wri_utf8_decode(p->at, (size_t)(p->end - p->at), &code);
    if (code < 0x20 || code == 0x7f) {
        return fail(p, p->at, "unexpected control character 0x%02x, expected %s", (unsigned)code,
                    expected);
    }
    return fail(p, p->at, "unexpected '%.*s', expected %s", length, p->at, expected);
}

static bool check_utf8(parser *p)
{
    for (const char *s = p->at; s < p->end;) {
        uint32_t code;
        int length = wri_utf8_decode(s, (size_t)(p->end - s), &code);
        if (!length) {
            return fail(p, s, "byte 0x%02x is not UTF-8 text", (unsigned)(unsigned char)*s);
        }
        s += length;
    }
    return true;
}

// --- blanks -----------------------------------------------------------------------------------

static bool skip_comment(parser *p)
{
    const char *start = p->at;
    if (start[1] == '/') {
        while (p->at < p->end && *p->at != '\n') {
            p->at++;
        }
        return true;
    }
    for (p->at += 2; p->end - p->at >= 2; p->at++) {
        if (p->at[0] == '*' && p->at[1] == '/') {
            p->at += 2;
            return true;
        }
    }
    return fail(p, start, "comment without its closing */");
}

static bool skip_blanks(parser *p)
{
    while (p->at < p->end) {
        char c = *p->at;
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            p->at++;
        } else if (p->comments && c == '/' && p->end - p->at >= 2 &&
                   (p->at[1] == '/' || p->at[1] == '*')) {
            if (!skip_comment(p)) {
                return false;
            }
        } else {
            break;
        }
    }
    return true;
}

// --- text -------------------------------------------------------------------------------------

static bool parse_hex4(parser *p, const char *s, const char *quote, uint32_t *out)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        // Every digit is before the closing quote, so the text cannot end here.
        char c = s + i < quote ? s[i] : 0;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) {
            return fail(p, s - 2, "\\u must be followed by four hexadecimal digits");
        }
        value = value << 4 | (uint32_t)digit;
    }
    *out = value;
    return true;
}

// s is behind "\u". Returns the byte behind the whole escape, NULL when it is wrong.
static const char *parse_unicode_escape(parser *p, const char *s, const char *quote, char **out)
{
    uint32_t code = 0, low = 0;
    const char *start = s - 2;
    if (!parse_hex4(p, s, quote, &code)) {
        return NULL;
    }
    s += 4;
    if (code >= 0xd800 && code <= 0xdbff && quote - s >= 6 && s[0] == '\\' && s[1] == 'u') {
        if (!parse_hex4(p, s + 2, quote, &low)) {
            return NULL;
        }
        if (low >= 0xdc00 && low <= 0xdfff) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            s += 6;
        }
    }
    if (code >= 0xd800 && code <= 0xdfff) {
        fail(p, start, "\\u%04x is half of a surrogate pair", (unsigned)code);
        return NULL;
    }
    if (code == 0) {
        fail(p, start, "\\u0000 is not allowed in text");
        return NULL;
    }
    *out += wri_utf8_encode(code, *out);
    return s;
}

static const char *parse_escape(parser *p, const char *s, const char *quote, char **out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (*s == 'u') {
        return parse_unicode_escape(p, s + 1, quote, out);
    }
    const char *name = memchr(names, *s, sizeof names - 1);
    if (!name) {
        fail(p, s - 1,
             "unknown escape in text, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
        return NULL;
    }
    *(*out)++ = values[name - names];
    return s + 1;
}

// The closing quote of the text that starts at s, NULL when it is missing or the text is broken.
static const char *find_quote(parser *p, const char *s)
{
    const char *start = s - 1;
    for (; s < p->end && *s != '"'; s++) {
        if (*s == '\n') {
            break;
        }
        if ((unsigned char)*s < 0x20) {
            fail(p, s, "control character 0x%02x in text, expected an escape such as \\t",
                 (unsigned)(unsigned char)*s);
            return NULL;
        }
        if (*s == '\\' && p->end - s >= 2 && s[1] != '\n') {
            s++;
        }
    }
    if (s >= p->end || *s != '"') {
        fail(p, start, "text without its closing quote");
        return NULL;
    }
    return s;
}

static bool parse_text(parser *p, const char **text)
{
    const char *s = p->at + 1;
    const char *quote = find_quote(p, s);
    if (!quote) {
        return false;
    }
    size_t room = (size_t)(quote - s) + 1;
    char *start = wri_arena_alloc(p->arena, room, 1); // no escape is shorter than what it means
    if (!start) {
        return wri_fail_memory(p->error, room);
    }
    char *out = start;
    while (s && s < quote) {
        if (*s == '\\') {
            s = parse_escape(p, s + 1, quote, &out);
        } else {
            *out++ = *s++;
        }
    }
    if (!s) {
        return false;
    }
    *text = start;
    p->at = quote + 1;
    return true;
}

// --- numbers and words ------------------------------------------------------------------------

static bool is_digit(const parser *p, const char *s)
{
    return s < p->end && *s >= '0' && *s <= '9';
}

static const char *skip_digits(const parser *p, const char *s)
{
    while (is_digit(p, s)) {
        s++;
    }
    return s;
}

// The byte behind the number that starts at s by the grammar of JSON, NULL when there is none.
static const char *scan_number(const parser *p, const char *s)
{
    if (*s == '-') {
        s++;
    }
    if (!is_digit(p, s)) {
        return NULL;
    }
    s = *s == '0' ? s + 1 : skip_digits(p, s);
    if (s < p->end && *s == '.') {
        if (!is_digit(p, s + 1)) {
            return NULL;
        }
        s = skip_digits(p, s + 1);
    }
    if (s < p->end && (*s == 'e' || *s == 'E')) {
        s++;
        if (s < p->end && (*s == '+' || *s == '-')) {
            s++;
        }
        if (!is_digit(p, s)) {
            return NULL;
        }
        s = skip_digits(p, s);
    }
    return s;
}

// Letters, digits and signs that a reader would take as one word with a number or a literal.
static const char *scan_word(const parser *p, const char *s)
{
    while (s < p->end && (is_digit(p, s) || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                          *s == '_' || *s == '.' || *s == '+' || *s == '-')) {
        s++;
    }
    return s;
}

static bool parse_number(parser *p, wri_json *out)
{
    const char *word_end = scan_word(p, p->at);
    const char *end = scan_number(p, p->at);
    size_t length = (size_t)(word_end - p->at);
    int quoted = quotable(p->at, length);
    if (end != word_end) {
        return fail(p, p->at, "%.*s is not a number as JSON writes it", quoted, p->at);
    }
    if (!wri_parse_double(p->at, length, &out->number)) {
        return fail(p, p->at, "the number %.*s is too %s", quoted, p->at,
                    length > 300 ? "long" : "large");
    }
    out->type = WRI_JSON_NUMBER;
    p->at = end;
    return true;
}

static bool parse_word(parser *p, wri_json *out)
{
    const char *end = scan_word(p, p->at);
    size_t length = (size_t)(end - p->at);
    if (length == 4 && memcmp(p->at, "null", 4) == 0) {
        out->type = WRI_JSON_NULL;
    } else if (length == 4 && memcmp(p->at, "true", 4) == 0) {
        out->type = WRI_JSON_BOOL;
        out->boolean = true;
    } else if (length == 5 && memcmp(p->at, "false", 5) == 0) {
        out->type = WRI_JSON_BOOL;
    } else if (length > 0) {
        return fail(p, p->at, "unexpected %.*s, expected a value", quotable(p->at, length), p->at);
    } else {
        return fail_unexpected(p, "a value");
    }
    p->at = end;
    return true;
}

// --- arrays and objects -----------------------------------------------------------------------

static bool fail_duplicate(parser *p, const wri_json *first, const wri_json *second)
{
    return wri_fail(p->error, WR_E_FORMAT,
                    "%s:%d:%d: the key \"%.*s\" was already given in line %d", p->path,
                    second->key_line, second->key_column,
                    quotable(second->key, strlen(second->key)), second->key, first->key_line);
}

static bool check_few_keys(parser *p, const wri_json *items, int count)
{
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < i; k++) {
            if (strcmp(items[i].key, items[k].key) == 0) {
                return fail_duplicate(p, &items[k], &items[i]);
            }
        }
    }
    return true;
}

static bool check_many_keys(parser *p, const wri_json *items, int count)
{
    size_t room = 16;
    while (room < 2 * (size_t)count) {
        room *= 2;
    }
    int *table = wri_alloc(&p->arena->allocator, room, sizeof *table); // index + 1, 0 is free
    if (!table) {
        return wri_fail_memory(p->error, room * sizeof *table);
    }
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        size_t slot = wri_hash(items[i].key, strlen(items[i].key), 0) & (room - 1);
        for (; table[slot] && ok; slot = (slot + 1) & (room - 1)) {
            const wri_json *other = &items[table[slot] - 1];
            ok = strcmp(items[i].key, other->key) != 0 || fail_duplicate(p, other, &items[i]);
        }
        table[slot] = i + 1;
    }
    wri_free(&p->arena->allocator, table, room, sizeof *table);
    return ok;
}

static bool check_keys(parser *p, const wri_json *items, int count)
{
    return count <= 12 ? check_few_keys(p, items, count) : check_many_keys(p, items, count);
}

static bool parse_key(parser *p, wri_json *item)
{
    if (p->at >= p->end || *p->at != '"') {
        return fail_unexpected(p, "a key in quotes");
    }
    locate(p, p->at);
    item->key_line = p->line;
    item->key_column = p->column;
    if (!parse_text(p, &item->key) || !skip_blanks(p)) {
        return false;
    }
    if (p->at >= p->end || *p->at != ':') {
        return fail_unexpected(p, "':' after the key");
    }
    p->at++;
    return skip_blanks(p);
}

static bool peek(const parser *p, char c)
{
    return p->at < p->end && *p->at == c;
}

static bool parse_item(parser *p, bool is_object)
{
    wri_json item = {0};
    if ((is_object && !parse_key(p, &item)) || !parse_value(p, &item) || !skip_blanks(p)) {
        return false;
    }
    wri_json *top = wri_array_add(&p->stack, 1);
    if (!top) {
        return wri_fail_memory(p->error, sizeof *top);
    }
    *top = item;
    return true;
}

// Parses from behind the opening bracket to behind the closing one; the items end up on the stack.
static bool parse_items(parser *p, bool is_object)
{
    char close = is_object ? '}' : ']';
    for (bool first = true;; first = false) {
        if (!skip_blanks(p)) {
            return false;
        }
        if (peek(p, close) && (first || p->comments)) {
            break;
        }
        if (!parse_item(p, is_object)) {
            return false;
        }
        if (peek(p, close)) {
            break;
        }
        if (!peek(p, ',')) {
            return fail_unexpected(p, is_object ? "',' or '}'" : "',' or ']'");
        }
        p->at++;
    }
    p->at++;
    return true;
}

static bool parse_container(parser *p, wri_json *out)
{
    bool is_object = *p->at == '{';
    int base = p->stack.count;
    if (p->depth == MAX_DEPTH) {
        return fail(p, p->at, "nested deeper than %d levels", MAX_DEPTH);
    }
    p->at++;
    p->depth++;
    if (!parse_items(p, is_object)) {
        return false;
    }
    p->depth--;
    int count = p->stack.count - base;
    wri_json *items = wri_arena_alloc(p->arena, (size_t)count, sizeof *items);
    if (!items) {
        return wri_fail_memory(p->error, (size_t)count * sizeof *items);
    }
    if (count > 0) {
        memcpy(items, &WRI_ITEM(p->stack, wri_json, base), (size_t)count * sizeof *items);
    }
    p->stack.count = base;
    out->type = is_object ? WRI_JSON_OBJECT : WRI_JSON_ARRAY;
    out->count = count;
    out->items = items;
    return !is_object || check_keys(p, items, count);
}

static bool parse_any(parser *p, wri_json *out)
{
    char c = p->at < p->end ? *p->at : 0;
    if (c == '{' || c == '[') {
        return parse_container(p, out);
    }
    if (c == '"') {
        out->type = WRI_JSON_STRING;
        return parse_text(p, &out->string);
    }
    if (c == '-' || c == '+' || c == '.' || is_digit(p, p->at)) {
        return parse_number(p, out);
    }
    return parse_word(p, out);
}

static bool parse_value(parser *p, wri_json *out)
{
    locate(p, p->at);
    out->line = p->line;
    out->column = p->column;
    out->begin = (int)(p->at - p->text);
    bool ok = parse_any(p, out);
    out->end = (int)(p->at - p->text);
    return ok;
}

static bool parse_document(parser *p, wri_json *root)
{
    if (p->end - p->at >= 3 && memcmp(p->at, "\xef\xbb\xbf", 3) == 0) { // byte order mark
        p->at += 3;
        p->mark = p->at;
    }
    if (!check_utf8(p) || !skip_blanks(p) || !parse_value(p, root) || !skip_blanks(p)) {
        return false;
    }
    return p->at == p->end || fail_unexpected(p, "the end of the file");
}

// --- interface --------------------------------------------------------------------------------

const wri_json *wri_json_parse(wri_arena *arena, const char *text, size_t size, const char *path,
                               bool comments, wr_error *error)
{
    if (size > INT_MAX) {
        wri_fail(error, WR_E_UNSUPPORTED, "%s: JSON of more than 2 GiB", path);
        return NULL;
    }
    parser p = {
        .arena = arena,
        .path = path,
        .text = text,
        .at = text,
        .end = text + size,
        .mark = text,
        .line = 1,
        .column = 1,
        .comments = comments,
        .stack = wri_array_create(&arena->allocator, sizeof(wri_json)),
        .error = error,
    };
    wri_json *root = wri_arena_alloc(arena, 1, sizeof *root);
    bool ok = root ? parse_document(&p, root) : wri_fail_memory(error, sizeof *root);
    wri_array_destroy(&p.stack);
    return ok ? root : NULL;
}

const wri_json *wri_json_find(const wri_json *object, const char *key)
{
    if (!object || object->type != WRI_JSON_OBJECT) {
        return NULL;
    }
    for (int i = 0; i < object->count; i++) {
        if (strcmp(object->items[i].key, key) == 0) {
            return &object->items[i];
        }
    }
    return NULL;
}

const char *wri_json_type_name(wri_json_type type)
{
    static const char *const names[] = {"null",   "true or false", "a number",
                                        "a text", "an array",      "an object"};
    return names[type];
}
