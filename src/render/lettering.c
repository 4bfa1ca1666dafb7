// lettering.c: a small typeface of strokes, drawn with smooth edges.
//
// A letter is a list of strokes with blanks between. A stroke is a list of points, each a digit for
// x and a letter for y: d is the baseline, j the height of small letters, m of capitals, a the
// depth of g and p. Behind ~ the points are the control polygon of a quadratic B-spline that begins
// and ends in its end points; behind @ it is closed. One unit is one pixel times the scale, and
// points are centres of pixels, so that upright lines are sharp.
#include "canvas.h"

enum { FIRST = '!', LAST = '~', GAP = 3, SPACE = 4, POINTS = 16, STEPS = 6, SEGMENTS = 128 };

static const char *const LETTERS[LAST - FIRST + 1] = {
    "0m0g 0d0d",                          // !
    "0m0k 2m2k",                          // "
    "2m1d 5m4d 0j6j 0g6g",                // #
    "~5k5l0l0i5i5e0e0f 2m2d",             // $
    "6m0d @0m3m3i0i @3h6h6d3d",           // %
    "~6d1j1m4m4k0h0d4d6h",                // &
    "0m0k",                               // '
    "~2m0k0e2b",                          // (
    "~0m2k2e0b",                          // )
    "2m2i 0l4j 4l0j",                     // *
    "2i2e 0g4g",                          // +
    "1d0b",                               // ,
    "0g3g",                               // -
    "0d0d",                               // .
    "0c4m",                               // /
    "@0m5m5d0d",                          // 0
    "0k2m2d",                             // 1
    "~0k0m5m5i2g0d 0d5d",                 // 2
    "~0k0m5m5i2i ~2i5i5d0d0f",            // 3
    "4d4m0f5f",                           // 4
    "5m1m0i ~0i1j5j5d0d0f",               // 5
    "@0i5i5d0d ~5l4m0m0f",                // 6
    "0m5m2d",                             // 7
    "@0m5m5i0i @0i5i5d0d",                // 8
    "@0m5m5h0h ~5k5d1d0e",                // 9
    "0i0i 0d0d",                          // :
    "1i1i 1d0b",                          // ;
    "4j0g4d",                             // <
    "0h4h 0f4f",                          // =
    "0j4g0d",                             // >
    "~0k0m4m4j2i2g 2d2d",                 // ?
    "@0l8l8c0c @2i5i5e2e 6i6e",           // @
    "0d3m6d 1g5g",                        // A
    "3d0d0m3m 0i3i ~3m5m5i3i ~3i6i6d3d",  // B
    "~6k6m0m0d6d6f",                      // C
    "2d0d0m2m ~2m6m6d2d",                 // D
    "5m0m0d5d 0i4i",                      // E
    "5m0m0d 0i4i",                        // F
    "~6k6m0m0d6d6h 6h3h",                 // G
    "0d0m 6d6m 0i6i",                     // H
    "0d0m",                               // I
    "4m4f ~4f4d0d0f",                     // J
    "0d0m 5m0h 2j5d",                     // K
    "0m0d5d",                             // L
    "0d0m3g6m6d",                         // M
    "0d0m6d6m",                           // N
    "@0m6m6d0d",                          // O
    "0d0m3m ~3m6m6h3h 3h0h",              // P
    "@0m6m6d0d 4f6d",                     // Q
    "0d0m3m ~3m6m6h3h 3h0h 3h6d",         // R
    "~5k5m0m0i5i5d0d0f",                  // S
    "0m6m 3m3d",                          // T
    "0m0g ~0g0d6d6g 6g6m",                // U
    "0m3d6m",                             // V
    "0m2d4k6d8m",                         // W
    "0m5d 5m0d",                          // X
    "0m3h6m 3h3d",                        // Y
    "0m5m0d5d",                           // Z
    "2m0m0b2b",                           // [
    "0m4c",                               // backslash
    "0m2m2b0b",                           // ]
    "0j2m4j",                             // ^
    "0c5c",                               // _
    "0m1k",                               // `
    "@0j5j5d0d 5j5d",                     // a
    "0m0d @0j5j5d0d",                     // b
    "~5i5j0j0d5d5e",                      // c
    "5m5d @0j5j5d0d",                     // d
    "0g5g ~5g5j0j0d5d5e",                 // e
    "~4m1m1j 1j1d 0j3j",                  // f
    "@0j5j5d0d 5j5c ~5c5a0a0b",           // g
    "0m0d ~0g0j5j5g 5g5d",                // h
    "0j0d 0l0l",                          // i
    "2j2b ~2b2a0a 2l2l",                  // j
    "0m0d 4j0f 2h4d",                     // k
    "0m0d",                               // l
    "0j0d ~0g0j4j4g 4g4d ~4g4j8j8g 8g8d", // m
    "0j0d ~0g0j5j5g 5g5d",                // n
    "@0j5j5d0d",                          // o
    "0j0a @0j5j5d0d",                     // p
    "5j5a @0j5j5d0d",                     // q
    "0j0d ~0g0j3j",                       // r
    "~4i4j0j0g4g4d0d0e",                  // s
    "1l1f ~1f1d3d 0j3j",                  // t
    "0j0g ~0g0d5d5g 5j5d",                // u
    "0j2d4j",                             // v
    "0j2d4i6d8j",                         // w
    "0j4d 4j0d",                          // x
    "0j2d 4j1a",                          // y
    "0j4j0d4d",                           // z
    "~3m1m1g0g ~0g1g1b3b",                // {
    "0m0b",                               // |
    "~0m2m2g3g ~3g2g2b0b",                // }
    "~0g1i3f4h",                          // ~
};

static const char *const UNKNOWN = "0d0m5m5d0d";

typedef struct segment {
    wr_vec2 a, b;
} segment;

typedef struct letter {
    int count;
    segment segments[SEGMENTS]; // units, y up
} letter;

// The strokes of the character at *text, which moves behind it; NULL for a blank.
static const char *next_letter(const char **text)
{
    unsigned char c = (unsigned char)*(*text)++;
    while (((unsigned char)**text & 0xc0) == 0x80) { // the rest of one of several bytes
        (*text)++;
    }
    return c == ' ' ? NULL : c >= FIRST && c <= LAST ? LETTERS[c - FIRST] : UNKNOWN;
}

static int letter_advance(const char *strokes)
{
    int width = 0;
    for (const char *s = strokes; s && *s; s++) {
        width = *s >= '0' && *s <= '9' && *s - '0' > width ? *s - '0' : width;
    }
    return strokes ? width + GAP : SPACE;
}

static wr_vec2 middle(wr_vec2 a, wr_vec2 b)
{
    return (wr_vec2){0.5f * (a.x + b.x), 0.5f * (a.y + b.y)};
}

static void add_line(letter *l, wr_vec2 a, wr_vec2 b)
{
    if (l->count < SEGMENTS) {
        l->segments[l->count++] = (segment){a, b};
    }
}

static void add_arc(letter *l, wr_vec2 a, wr_vec2 control, wr_vec2 b)
{
    wr_vec2 last = a;
    for (int i = 1; i <= STEPS; i++) {
        float t = (float)i / STEPS, u = 1.0f - t;
        wr_vec2 p = {u * u * a.x + 2.0f * u * t * control.x + t * t * b.x,
                     u * u * a.y + 2.0f * u * t * control.y + t * t * b.y};
        add_line(l, last, p);
        last = p;
    }
}

static void add_stroke(letter *l, const wr_vec2 *p, int count, char kind)
{
    for (int i = 0; kind == 0 && i + 1 < count; i++) {
        add_line(l, p[i], p[i + 1]);
    }
    for (int i = 1; kind == '~' && i + 1 < count; i++) {
        add_arc(l, i == 1 ? p[0] : middle(p[i - 1], p[i]), p[i],
                i + 2 == count ? p[i + 1] : middle(p[i], p[i + 1]));
    }
    for (int i = 0; kind == '@' && i < count; i++) {
        wr_vec2 before = p[(i + count - 1) % count], after = p[(i + 1) % count];
        add_arc(l, middle(before, p[i]), p[i], middle(p[i], after));
    }
}

static void read_letter(const char *strokes, letter *l)
{
    l->count = 0;
    while (*strokes) {
        wr_vec2 points[POINTS];
        int count = 0;
        char kind = *strokes == '~' || *strokes == '@' ? *strokes++ : 0;
        for (; *strokes > ' ' && strokes[1] && count < POINTS; strokes += 2) {
            points[count++] = (wr_vec2){(float)(strokes[0] - '0'), (float)(strokes[1] - 'd')};
        }
        add_stroke(l, points, count, kind);
        strokes += *strokes == ' ';
    }
}

static float distance_to(const segment *s, float x, float y)
{
    float dx = s->b.x - s->a.x, dy = s->b.y - s->a.y, px = x - s->a.x, py = y - s->a.y;
    float length2 = dx * dx + dy * dy;
    float t = length2 > 0.0f ? wr_clampf((px * dx + py * dy) / length2, 0.0f, 1.0f) : 0.0f;
    px -= t * dx;
    py -= t * dy;
    return sqrtf(px * px + py * py);
}

static void draw_letter(wri_canvas *canvas, int x, int y, int scale, wri_ink ink, const letter *l,
                        int width)
{
    for (int row = y - 11 * scale; row <= y + 5 * scale; row++) {
        for (int column = x - 2 * scale; column <= x + width + 2 * scale; column++) {
            if (row < 0 || row >= canvas->height || column < 0 || column >= canvas->width) {
                continue;
            }
            float nearest = INFINITY;
            for (int i = 0; i < l->count; i++) {
                nearest =
                    fminf(nearest, distance_to(&l->segments[i], (float)(column - x) / (float)scale,
                                               (float)(y - row) / (float)scale));
            }
            const float half = 0.62f; // of the stroke, in units
            float a = wr_clampf((half - nearest) * (float)scale + 0.5f, 0.0f, 1.0f);
            wri_canvas_blend(canvas, column, row, ink, a);
        }
    }
}

int wri_canvas_text(wri_canvas *canvas, int x, int y, int scale, wri_ink ink, const char *text)
{
    while (*text) {
        const char *strokes = next_letter(&text);
        int advance = scale * letter_advance(strokes);
        if (strokes && x < canvas->width) {
            letter l;
            read_letter(strokes, &l);
            draw_letter(canvas, x, y, scale, ink, &l, advance);
        }
        x += advance;
    }
    return x;
}

int wri_text_width(const char *text, int scale)
{
    int width = 0;
    while (*text && width < 1 << 20) {
        width += scale * letter_advance(next_letter(&text));
    }
    return width;
}

const char *wri_text_fit(const char *text, int scale, int width, char *out, size_t size)
{
    size_t length = strlen(text);
    if (wri_text_width(text, scale) <= width && length < size) {
        memcpy(out, text, length + 1);
        return out;
    }
    static const char dots[] = "...";
    int room = width - wri_text_width(dots, scale);
    size_t kept = 0;
    for (const char *at = text; *at;) {
        room -= scale * letter_advance(next_letter(&at));
        if (room < 0 || (size_t)(at - text) + sizeof dots > size) {
            break;
        }
        kept = (size_t)(at - text);
    }
    memcpy(out, text, kept);
    memcpy(out + kept, dots, sizeof dots);
    return out;
}
