// usda.h: a small reader of USD text for tests: prims, attributes, balance. Knows nothing of what
// the writer does; fails the test with the line when something is not as the grammar wants it.
#pragma once

#include "check.h"

#include <math.h>

typedef struct usda_prim {
    char path[512], specifier[16], type[64];
    char metadata[512];
} usda_prim;

typedef struct usda_attribute {
    char prim[512], declaration[128]; // "double3 xformOp:translate.timeSamples"
    const char *value;                // NULL: only declared
    size_t length;
} usda_attribute;

typedef struct usda {
    char *text;
    size_t size;
    const char *at;
    char path[512];
    wri_array prims, attributes;
} usda;

static inline void usda_fail(const usda *u, const char *what)
{
    int line = 1;
    for (const char *s = u->text; s < u->at; s++) {
        line += *s == '\n';
    }
    fail_msg("line %d: %s at \"%.40s\"", line, what, u->at);
}

static inline void usda_blank(usda *u)
{
    while (*u->at && strchr(" \t\r\n", *u->at)) {
        u->at++;
    }
}

// Steps over brackets with everything inside them, a string, a path, an asset or a word.
static inline void usda_value(usda *u)
{
    char open[64];
    int depth = 0;
    do {
        char c = *u->at;
        if (!c) {
            usda_fail(u, "the text ends within a value");
        } else if (c == '"' || c == '@') {
            for (u->at++; *u->at && *u->at != c; u->at++) {
                if (*u->at == '\n') {
                    usda_fail(u, "a line ends within quotes");
                }
                u->at += *u->at == '\\' && u->at[1];
            }
            u->at++;
        } else if (strchr("([{", c)) {
            assert_true(depth < (int)sizeof open);
            open[depth++] = c;
            u->at++;
        } else if (strchr(")]}", c)) {
            if (depth == 0 || open[depth - 1] != (c == ')' ? '(' : c == ']' ? '[' : '{')) {
                usda_fail(u, "brackets do not match");
            }
            depth--;
            u->at++;
        } else if (depth == 0) {
            while (*u->at && !strchr(" \t\r\n)]}", *u->at)) {
                u->at++;
            }
        } else {
            u->at++;
        }
    } while (depth > 0);
}

static inline void usda_copy(char *out, size_t size, const char *from, const char *to)
{
    assert_true((size_t)(to - from) < size);
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
}

static inline bool usda_is_identifier(const char *name)
{
    bool good = name[0] && !(name[0] >= '0' && name[0] <= '9');
    for (; *name; name++) {
        good = good && ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                        (*name >= '0' && *name <= '9') || *name == '_');
    }
    return good;
}

static inline const usda_prim *usda_find(const usda *u, const char *path)
{
    for (int i = 0; i < u->prims.count; i++) {
        if (strcmp(WRI_ITEM(u->prims, usda_prim, i).path, path) == 0) {
            return &WRI_ITEM(u->prims, usda_prim, i);
        }
    }
    return NULL;
}

static inline void usda_body(usda *u);

static inline void usda_read_prim(usda *u)
{
    usda_prim prim = {0};
    const char *first = u->at;
    char name[128];
    while (*u->at > ' ') {
        u->at++;
    }
    usda_copy(prim.specifier, sizeof prim.specifier, first, u->at);
    usda_blank(u);
    first = u->at;
    while (*u->at > ' ' && *u->at != '"') {
        u->at++;
    }
    usda_copy(prim.type, sizeof prim.type, first, u->at);
    usda_blank(u);
    first = u->at;
    if (*first != '"') {
        usda_fail(u, "expected a prim's name");
    }
    usda_value(u);
    usda_copy(name, sizeof name, first + 1, u->at - 1);
    if (!usda_is_identifier(name)) {
        usda_fail(u, "not an identifier");
    }
    size_t parent = strlen(u->path);
    snprintf(u->path + parent, sizeof u->path - parent, "/%s", name);
    snprintf(prim.path, sizeof prim.path, "%s", u->path);
    if (usda_find(u, prim.path)) {
        usda_fail(u, "a name twice");
    }
    usda_blank(u);
    if (*u->at == '(') {
        first = u->at;
        usda_value(u);
        usda_copy(prim.metadata, sizeof prim.metadata, first, u->at);
        usda_blank(u);
    }
    *(usda_prim *)wri_array_add(&u->prims, 1) = prim;
    if (*u->at != '{') {
        usda_fail(u, "expected {");
    }
    u->at++;
    usda_body(u);
    if (*u->at != '}') {
        usda_fail(u, "expected }");
    }
    u->at++;
    u->path[parent] = '\0';
}

static inline void usda_read_attribute(usda *u)
{
    usda_attribute attribute = {0};
    const char *first = u->at;
    while (*u->at && *u->at != '=' && *u->at != '\n') {
        u->at++;
    }
    const char *end = u->at;
    while (end > first && end[-1] == ' ') {
        end--;
    }
    usda_copy(attribute.declaration, sizeof attribute.declaration, first, end);
    snprintf(attribute.prim, sizeof attribute.prim, "%s", u->path);
    if (*u->at == '=') {
        u->at++;
        usda_blank(u);
        attribute.value = u->at;
        usda_value(u);
        attribute.length = (size_t)(u->at - attribute.value);
        while (*u->at == ' ') {
            u->at++;
        }
        if (*u->at == '(') { // its metadata
            usda_value(u);
        }
        if (*u->at != '\n') {
            usda_fail(u, "expected the end of the line");
        }
    }
    *(usda_attribute *)wri_array_add(&u->attributes, 1) = attribute;
}

static inline void usda_body(usda *u)
{
    for (;;) {
        usda_blank(u);
        if (!*u->at || *u->at == '}') {
            return;
        }
        if (strncmp(u->at, "def ", 4) == 0 || strncmp(u->at, "class ", 6) == 0 ||
            strncmp(u->at, "over ", 5) == 0) {
            usda_read_prim(u);
        } else {
            usda_read_attribute(u);
        }
    }
}

static inline void usda_read(usda *u, char *text, size_t size)
{
    *u = (usda){.text = text,
                .size = size,
                .at = text,
                .prims = wri_array_create(NULL, sizeof(usda_prim)),
                .attributes = wri_array_create(NULL, sizeof(usda_attribute))};
    assert_int_equal(strlen(text), size);
    assert_memory_equal(text, "#usda 1.0\n", 10);
    u->at += 10;
    usda_blank(u);
    if (*u->at == '(') {
        usda_value(u);
    }
    usda_body(u);
    if (*u->at) {
        usda_fail(u, "something is left");
    }
}

static inline void usda_destroy(usda *u)
{
    wri_array_destroy(&u->prims);
    wri_array_destroy(&u->attributes);
}

static inline const usda_attribute *usda_attribute_of(const usda *u, const char *prim,
                                                      const char *declaration)
{
    for (int i = 0; i < u->attributes.count; i++) {
        const usda_attribute *a = &WRI_ITEM(u->attributes, usda_attribute, i);
        if (strcmp(a->prim, prim) == 0 && strcmp(a->declaration, declaration) == 0) {
            return a;
        }
    }
    return NULL;
}

// All numbers of a value, in order; freed by the caller with wri_array_destroy.
static inline wri_array usda_numbers(const char *text, size_t length)
{
    wri_array out = wri_array_create(NULL, sizeof(double));
    for (const char *s = text, *end = text + length; s < end;) {
        size_t n = 0;
        while (s + n < end && strchr("0123456789+-.eE", s[n]) && s[n]) {
            n++;
        }
        double value;
        if (n > 0 && wri_parse_double(s, n, &value)) {
            *(double *)wri_array_add(&out, 1) = value;
        }
        s += n ? n : 1;
    }
    return out;
}

// Samples "frame: (n, n, ...)" of `width` numbers each at a frame, on a straight way between two;
// between two rotations, w first, along the arc.
static inline void usda_sample(const usda *u, const char *prim, const char *declaration, int width,
                               bool turns, double frame, double *out)
{
    const usda_attribute *a = usda_attribute_of(u, prim, declaration);
    if (!a) {
        fail_msg("%s has no %s", prim, declaration);
    }
    wri_array all = usda_numbers(a->value, a->length);
    const double *s = all.items;
    int row = width + 1, count = all.count / row, k = 0;
    assert_true(count > 0 && all.count == count * row);
    while (k + 2 < count && s[(k + 1) * row] <= frame) {
        k++;
    }
    const double *from = s + k * row, *to = count > 1 ? from + row : from;
    double t = count > 1 ? fmin(fmax((frame - from[0]) / (to[0] - from[0]), 0.0), 1.0) : 0.0;
    double dot = 0.0, b = t;
    for (int i = 1; i <= width; i++) {
        dot += from[i] * to[i];
    }
    double angle = turns ? acos(fmin(fmax(dot, -1.0), 1.0)) : 0.0, f = 1.0 - t;
    if (angle > 1e-4) {
        f = sin((1.0 - t) * angle) / sin(angle);
        b = sin(t * angle) / sin(angle);
    }
    for (int i = 0; i < width; i++) {
        out[i] = f * from[i + 1] + b * to[i + 1];
    }
    wri_array_destroy(&all);
}

// Where an Xform that moves is in a frame.
static inline wr_pose usda_pose(const usda *u, const char *prim, double frame)
{
    double p[3], q[4];
    usda_sample(u, prim, "double3 xformOp:translate.timeSamples", 3, false, frame, p);
    usda_sample(u, prim, "quatf xformOp:orient.timeSamples", 4, true, frame, q);
    return (wr_pose){wr_v3((float)p[0], (float)p[1], (float)p[2]),
                     {(float)q[1], (float)q[2], (float)q[3], (float)q[0]}};
}
