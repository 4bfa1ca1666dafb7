// manifold.c: heat along edges and over triangles, clocks around poses.
#include "manifold.h"

#include "labels.h"

#include <stdio.h>

enum {
    BINS = 24,  // along an edge, and along each side of a triangle
    MOST = 42,  // pixels, radius of a node with a picture
    LEAST = 7,  // below that there is no picture in it
    DOT = 10,   // of a node without one
    BAND = 10,  // width of an edge
    CLOCK = 5,  // width of what goes around a node
    HEAD = 38,  // pixels above the graph
    SIDE = 12,  // left and right of it
    LEGEND = 30 // below the words
};

static const wri_ink PAPER = {250, 250, 251}, DARK = {28, 30, 34}, GREY = {104, 108, 116},
                     FAINT = {206, 209, 215}, PALE = {235, 237, 240}, ALARM = {196, 43, 43};
static const float NEAR_SIDE = 0.08f; // share of the third corner

typedef struct drawer {
    const wri_manifold_plot *plot;
    wri_canvas *canvas;
    wri_arena arena;
    wri_manifold_use *uses;
    bool *is_used; // per simplex
    float *heat;   // BINS * BINS seconds per simplex, of triangles inside
    float *line;   // BINS seconds per link, from its first node to its second
    int *link_of;  // 3 per simplex: between its corners 0 1, 0 2 and 1 2; -1: none
    float hottest;
    double seconds; // in all
    int *node_of;   // per example, -1: not in the manifold
    int *examples;  // per node
    int node_count;
    wri_link *links; // of nodes
    int link_count;
    wr_vec2 *places; // of nodes, pixels
    float *radii;    // of nodes, with what is around them
    float radius;    // of a node
    int foot;        // pixels below the graph
    wr_error *error;
} drawer;

// --- heat -------------------------------------------------------------------------------------

static int bin_of(float share)
{
    int bin = (int)(share * BINS);
    return bin < BINS ? bin : BINS - 1;
}

static void warm(drawer *d, float *bin, float seconds, bool is_corner)
{
    *bin += seconds;
    d->hottest = is_corner ? d->hottest : fmaxf(d->hottest, *bin);
}

// The clock of a corner tells the time at the corner itself, which is no heat, so that ways do not
// look cold. In a
// triangle a place near a side is one of that side, else the bin (b, c) by the shares of the second
// and the third corner.
static void add_heat(drawer *d, const wri_manifold_stay *stay, float seconds)
{
    static const int ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    const wri_manifold_simplex *s = &d->plot->simplices[stay->simplex];
    const float *shares = stay->shares;
    int side = -1;
    for (int k = 0; s->corner_count > 1 && k < 3; k++) {
        int other = 3 - ends[k][0] - ends[k][1];
        if (ends[k][1] < s->corner_count && (s->corner_count == 2 || shares[other] < NEAR_SIDE) &&
            (side < 0 || shares[other] < shares[3 - ends[side][0] - ends[side][1]])) {
            side = k;
        }
    }
    if (side >= 0) {
        int link = d->link_of[3 * stay->simplex + side], a = ends[side][0], b = ends[side][1];
        bool turned = d->links[link].a != d->node_of[s->corners[a]];
        float sum = fmaxf(shares[a] + shares[b], 1e-6f);
        int bin = bin_of((turned ? shares[a] : shares[b]) / sum);
        warm(d, &d->line[link * BINS + bin], seconds, bin == 0 || bin == BINS - 1);
    } else if (s->corner_count == 3) {
        int bin = (stay->simplex * BINS + bin_of(shares[1])) * BINS + bin_of(shares[2]);
        warm(d, &d->heat[bin], seconds, false);
    }
}

// The body went straight from one stay to the next: the time is spread over the way, so that a fast
// move leaves a line and not dots.
static void find_heat(drawer *d)
{
    for (int i = 0; i < d->plot->stay_count; i++) {
        const wri_manifold_stay *a = &d->plot->stays[i];
        const wri_manifold_stay *b = i + 1 < d->plot->stay_count ? a + 1 : a;
        float change = 0.0f;
        for (int k = 0; k < 3; k++) {
            change = fmaxf(change, fabsf(b->shares[k] - a->shares[k]));
        }
        int steps = a->simplex == b->simplex ? 1 + (int)(2.0f * BINS * change) : 1;
        for (int s = 0; s < steps; s++) {
            float t = (float)s / (float)steps;
            wri_manifold_stay part = *a;
            for (int k = 0; k < 3; k++) {
                part.shares[k] += t * (b->shares[k] - a->shares[k]);
            }
            add_heat(d, &part, a->seconds / (float)steps);
        }
    }
}

static wri_ink ramp_ink(float value)
{
    return wri_ink_from_color(wr_ramp_color(0.22f + 0.78f * wr_clampf(value, 0.0f, 1.0f)));
}

// A place where it was at all is seen; after that, every factor of ten is a step as large.
static wri_ink heat_ink(const drawer *d, float seconds)
{
    if (!(seconds > 0.0f)) {
        return PALE;
    }
    return ramp_ink(1.0f + log10f(seconds / fmaxf(d->hottest, 1e-9f)) / 2.0f); // two of them
}

// --- places -----------------------------------------------------------------------------------

static int find_link(drawer *d, int a, int b)
{
    for (int i = 0; i < d->link_count; i++) {
        wri_link l = d->links[i];
        if ((l.a == a && l.b == b) || (l.a == b && l.b == a)) {
            return i;
        }
    }
    d->links[d->link_count] = (wri_link){a, b};
    return d->link_count++;
}

static void find_links(drawer *d)
{
    for (int i = 0; i < d->plot->simplex_count; i++) {
        const wri_manifold_simplex *s = &d->plot->simplices[i];
        const int *c = s->corners;
        int *of = &d->link_of[3 * i];
        of[0] = s->corner_count > 1 ? find_link(d, d->node_of[c[0]], d->node_of[c[1]]) : -1;
        of[1] = s->corner_count > 2 ? find_link(d, d->node_of[c[0]], d->node_of[c[2]]) : -1;
        of[2] = s->corner_count > 2 ? find_link(d, d->node_of[c[1]], d->node_of[c[2]]) : -1;
    }
}

static bool find_nodes(drawer *d)
{
    const wri_manifold_plot *p = d->plot;
    size_t n = (size_t)p->example_count, most = 3 * (size_t)p->simplex_count;
    d->node_of = wri_arena_alloc(&d->arena, n, sizeof *d->node_of);
    d->examples = wri_arena_alloc(&d->arena, n, sizeof *d->examples);
    d->places = wri_arena_alloc(&d->arena, n, sizeof *d->places);
    d->radii = wri_arena_alloc(&d->arena, n, sizeof *d->radii);
    d->links = wri_arena_alloc(&d->arena, most, sizeof *d->links);
    d->link_of = wri_arena_alloc(&d->arena, most, sizeof *d->link_of);
    d->line = wri_arena_alloc(&d->arena, most, BINS * sizeof *d->line);
    if (!d->node_of || !d->examples || !d->places || !d->radii || !d->links || !d->link_of ||
        !d->line) {
        return wri_fail_memory(d->error, n * sizeof *d->places + most * BINS * sizeof *d->line);
    }
    for (int e = 0; e < p->example_count; e++) {
        d->node_of[e] = d->uses[e].is_there ? d->node_count : -1;
        d->examples[d->node_count] = e;
        d->node_count += d->uses[e].is_there;
    }
    find_links(d);
    return true;
}

static float nearest_two(const drawer *d)
{
    float least = INFINITY;
    for (int i = 0; i < d->node_count; i++) {
        for (int j = 0; j < i; j++) {
            wr_vec2 a = d->places[i], b = d->places[j];
            least = fminf(least, hypotf(a.x - b.x, a.y - b.y));
        }
    }
    return least;
}

static int widest_name(const drawer *d)
{
    int widest = 0;
    for (int i = 0; i < d->node_count; i++) {
        int width = wri_text_width(d->plot->examples[d->examples[i]], 1);
        widest = width > widest ? width : widest;
    }
    return widest < 2 * MOST ? widest : 2 * MOST;
}

// Into the canvas, as large as possible, but not with links longer than a third of it.
static void fit_places(drawer *d)
{
    wr_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int i = 0; i < d->node_count; i++) {
        low = (wr_vec2){fminf(low.x, d->places[i].x), fminf(low.y, d->places[i].y)};
        high = (wr_vec2){fmaxf(high.x, d->places[i].x), fmaxf(high.y, d->places[i].y)};
    }
    float largest = d->plot->pictures ? MOST : DOT, apart = nearest_two(d);
    float least = d->plot->pictures ? LEAST : 4.0f;
    float edge = fmaxf(largest + CLOCK, 0.5f * (float)widest_name(d)) + SIDE;
    float top = HEAD + largest + CLOCK + 4.0f;
    float bottom = (float)d->foot + largest + CLOCK + 2.0f * WRI_TEXT_LINE + 12.0f;
    float wide = fmaxf((float)d->canvas->width - 2.0f * edge, 20.0f);
    float tall = fmaxf((float)d->canvas->height - top - bottom, 20.0f);
    float scale = fminf(wide / fmaxf(high.x - low.x, 1e-3f), tall / fmaxf(high.y - low.y, 1e-3f));
    scale = fminf(scale, 0.36f * (float)d->canvas->width);
    d->radius = fmaxf(least, fminf(largest, 0.25f * apart * scale)); // links stay longer than nodes
    for (int i = 0; i < d->node_count; i++) {
        wr_vec2 *at = &d->places[i];
        at->x = 0.5f * (float)d->canvas->width + scale * (at->x - 0.5f * (low.x + high.x));
        at->y = top + 0.5f * tall - scale * (at->y - 0.5f * (low.y + high.y));
        d->radii[i] = d->radius + CLOCK;
    }
}

// --- ways -------------------------------------------------------------------------------------

// The point at which the line from a to b leaves the node around a: heat begins there, or nodes
// would hide it.
static wr_vec2 border(const drawer *d, wr_vec2 a, wr_vec2 b)
{
    float length = hypotf(b.x - a.x, b.y - a.y);
    float t = length > 0.0f ? fminf((d->radius + 0.5f * CLOCK) / length, 0.45f) : 0.0f;
    return (wr_vec2){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

static bool is_warm(const drawer *d, int link)
{
    bool warm = false;
    for (int bin = 1; bin < BINS - 1; bin++) {
        warm = warm || d->line[link * BINS + bin] > 0.0f;
    }
    return warm;
}

// Colours blend from bin to bin.
static wri_ink ink_along(const drawer *d, int link, float t)
{
    float at = wr_clampf(t * BINS - 0.5f, 0.0f, BINS - 1.0f);
    int bin = (int)at < BINS - 2 ? (int)at : BINS - 2;
    wri_ink a = heat_ink(d, d->line[link * BINS + bin]);
    wri_ink b = heat_ink(d, d->line[link * BINS + bin + 1]);
    float s = at - (float)bin;
    return (wri_ink){(uint8_t)((float)a.r + s * ((float)b.r - (float)a.r)),
                     (uint8_t)((float)a.g + s * ((float)b.g - (float)a.g)),
                     (uint8_t)((float)a.b + s * ((float)b.b - (float)a.b))};
}

static void draw_heat(drawer *d, int link, wr_vec2 from, wr_vec2 to)
{
    float dx = to.x - from.x, dy = to.y - from.y, length2 = fmaxf(dx * dx + dy * dy, 1e-6f);
    int right = (int)fminf(fmaxf(from.x, to.x) + BAND, (float)d->canvas->width);
    int low = (int)fminf(fmaxf(from.y, to.y) + BAND, (float)d->canvas->height);
    for (int y = (int)fmaxf(fminf(from.y, to.y) - BAND, 0.0f); y < low; y++) {
        for (int x = (int)fmaxf(fminf(from.x, to.x) - BAND, 0.0f); x < right; x++) {
            float px = (float)x + 0.5f - from.x, py = (float)y + 0.5f - from.y;
            float t = wr_clampf((px * dx + py * dy) / length2, 0.0f, 1.0f);
            float off = hypotf(px - t * dx, py - t * dy);
            float cover = wr_clampf(0.5f + 0.5f * BAND - off, 0.0f, 1.0f);
            if (cover > 0.0f) {
                wri_canvas_blend(d->canvas, x, y, ink_along(d, link, t), cover);
            }
        }
    }
}

static void draw_link(drawer *d, int link)
{
    wr_vec2 a = d->places[d->links[link].a], b = d->places[d->links[link].b];
    wr_vec2 from = border(d, a, b), to = border(d, b, a);
    if (!is_warm(d, link)) {
        wri_canvas_dashes(d->canvas, from.x, from.y, to.x, to.y, 2.0f, 6.0f, GREY);
        return;
    }
    wri_canvas_line(d->canvas, from.x, from.y, to.x, to.y, BAND + 2.0f, FAINT);
    draw_heat(d, link, from, to);
}

static void fill_triangle(drawer *d, int simplex, const wr_vec2 *p)
{
    float det = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
    float left = fminf(p[0].x, fminf(p[1].x, p[2].x)), right = fmaxf(p[0].x, fmaxf(p[1].x, p[2].x));
    float top = fminf(p[0].y, fminf(p[1].y, p[2].y)), low = fmaxf(p[0].y, fmaxf(p[1].y, p[2].y));
    for (int y = (int)fmaxf(top, 0.0f); y < d->canvas->height && (float)y < low; y++) {
        for (int x = (int)fmaxf(left, 0.0f);
             x < d->canvas->width && (float)x < right && fabsf(det) > 1.0f; x++) {
            float px = (float)x + 0.5f - p[0].x, py = (float)y + 0.5f - p[0].y;
            float b = (px * (p[2].y - p[0].y) - py * (p[2].x - p[0].x)) / det;
            float c = (py * (p[1].x - p[0].x) - px * (p[1].y - p[0].y)) / det;
            if (b >= 0.0f && c >= 0.0f && b + c <= 1.0f) {
                float seconds = d->heat[(simplex * BINS + bin_of(b)) * BINS + bin_of(c)];
                wri_canvas_blend(d->canvas, x, y, heat_ink(d, seconds), 1.0f);
            }
        }
    }
}

static void draw_triangle(drawer *d, int simplex)
{
    const int *corners = d->plot->simplices[simplex].corners;
    wr_vec2 p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = d->places[d->node_of[corners[k]]];
    }
    fill_triangle(d, simplex, p);
}

// --- nodes ------------------------------------------------------------------------------------

// A clock of the share of the time.
static void draw_clock(wri_canvas *canvas, float x, float y, float radius, float share)
{
    wri_canvas_disc(canvas, x, y, radius + 0.5f * CLOCK + 2.0f, PAPER); // apart from ways
    wri_canvas_ring(canvas, x, y, radius, CLOCK, FAINT, 1.0f);
    wri_canvas_arc(canvas, x, y, radius, CLOCK, share, wri_ink_from_color(wr_ramp_color(0.95f)));
}

static void draw_node(drawer *d, int node)
{
    const wri_manifold_plot *p = d->plot;
    int example = d->examples[node];
    const wri_manifold_use *use = &d->uses[example];
    wr_vec2 at = d->places[node];
    float share = d->seconds > 0.0 ? (float)(use->seconds / d->seconds) : 0.0f;
    const wri_ink white = {255, 255, 255};
    draw_clock(d->canvas, at.x, at.y, d->radius, use->is_reached ? share : 0.0f);
    wri_canvas_disc(d->canvas, at.x, at.y, d->radius - 0.5f * CLOCK,
                    use->is_reached ? white : PAPER);
    if (p->pictures) {
        int side = (int)(2.0f * d->radius) - CLOCK - 4; // the picture's circle inside the clock
        side = side > 1 ? side : 1;
        side = side < p->picture_size ? side : p->picture_size;
        wri_canvas_stamp(d->canvas, at.x, at.y, p->pictures[example], p->picture_size, side,
                         use->is_reached ? 0.0f : 0.72f, PAPER);
    } else if (use->is_reached) {
        wri_ink own = wri_ink_from_color(wr_example_color(example, p->example_count));
        wri_canvas_disc(d->canvas, at.x, at.y, d->radius - 0.5f * CLOCK - 1.0f, own);
    }
    if (!use->is_reached) {
        float r = d->radius, turn = 0.70711f * r;
        wri_canvas_ring(d->canvas, at.x, at.y, r, 2.0f, ALARM, 1.0f);
        wri_canvas_line(d->canvas, at.x - turn, at.y + turn, at.x + turn, at.y - turn, 2.0f, ALARM);
    }
}

static void write_note(const wri_manifold_use *use, char *note, size_t size)
{
    if (use->is_reached) {
        snprintf(note, size, "%.1f s", use->seconds);
    } else {
        snprintf(note, size, use->nearest >= 0.005f ? "at most %.0f %%" : "never",
                 100.0 * (double)use->nearest);
    }
}

// Writes with paper around the letters, so that they are read on top of lines.
static void write_over(drawer *d, int x, int y, wri_ink ink, const char *text)
{
    for (int i = 0; i < 9; i++) {
        wri_canvas_text(d->canvas, x + i % 3 - 1, y + i / 3 - 1, 1, PAPER, text);
    }
    wri_canvas_text(d->canvas, x, y, 1, ink, text);
}

static bool draw_labels(drawer *d)
{
    size_t n = (size_t)d->node_count;
    wri_label *labels = wri_arena_alloc(&d->arena, n, sizeof *labels);
    char name[96], note[32];
    if (!labels) {
        return wri_fail_memory(d->error, n * sizeof *labels);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < d->node_count; i++) {
            const wri_manifold_use *use = &d->uses[d->examples[i]];
            const char *text = wri_text_fit(d->plot->examples[d->examples[i]], 1, 2 * MOST + 40,
                                            name, sizeof name);
            write_note(use, note, sizeof note);
            int first = wri_text_width(text, 1), second = wri_text_width(note, 1);
            wri_label *l = &labels[i];
            if (pass == 0) {
                *l = (wri_label){.width = first > second ? first : second,
                                 .height = 2 * WRI_TEXT_LINE - 2};
                continue;
            }
            int y = l->top + WRI_TEXT_CAPITAL + 2;
            write_over(d, l->left + (l->width - first) / 2, y, DARK, text);
            write_over(d, l->left + (l->width - second) / 2, y + WRI_TEXT_LINE,
                       use->is_reached ? GREY : ALARM, note);
        }
        const wri_label_room room = {d->places,
                                     d->radii,
                                     d->node_count,
                                     d->links,
                                     d->link_count,
                                     4,
                                     HEAD - 6,
                                     d->canvas->width - 4,
                                     d->canvas->height - d->foot};
        if (pass == 0) {
            wri_labels_place(&room, labels);
        }
    }
    return true;
}

// --- words ------------------------------------------------------------------------------------

typedef struct sentence {
    char text[1024];
    int length, count;
} sentence;

static void append(sentence *s, const char *text)
{
    int room = (int)sizeof s->text - s->length;
    int n = snprintf(s->text + s->length, (size_t)room, "%s", text);
    s->length = n < room ? s->length + n : (int)sizeof s->text - 1;
}

static void append_item(sentence *s, const char *item)
{
    append(s, s->count++ ? ", " : "");
    append(s, item);
}

// 0: poses that were never reached, 1: ways that were never used, 2: poses apart.
static sentence find_sentence(const drawer *d, int which)
{
    static const char *const heads[3] = {
        "never reached: ", "ways never used: ", "not in the manifold: "};
    const wri_manifold_plot *p = d->plot;
    sentence s = {.length = 0};
    append(&s, heads[which]);
    for (int e = 0; which != 1 && e < p->example_count; e++) {
        const wri_manifold_use *use = &d->uses[e];
        if (which == 2 ? !use->is_there : use->is_there && !use->is_reached) {
            append_item(&s, p->examples[e]);
        }
    }
    for (int i = 0; which == 1 && i < p->simplex_count; i++) {
        for (int k = 0; !d->is_used[i] && k < p->simplices[i].corner_count; k++) {
            const char *name = p->examples[p->simplices[i].corners[k]];
            if (k == 0) {
                append_item(&s, name);
            } else {
                append(&s, " - ");
                append(&s, name);
            }
        }
    }
    return s;
}

static int count_words(const drawer *d)
{
    int lines = find_sentence(d, 0).count == 0;
    for (int which = 0; which < 3; which++) {
        lines += find_sentence(d, which).count > 0;
    }
    return lines;
}

static void draw_legend(drawer *d)
{
    enum { LONG = 90, WORDS = 140, DASHES = 34, APART = 22 };
    int wide = d->canvas->width - WORDS, length = wide < LONG ? wide : LONG;
    int y = d->canvas->height - 12, right = d->canvas->width - SIDE;
    int x = wri_canvas_text(d->canvas, SIDE, y, 1, GREY, "short") + 6;
    for (int i = 0; i < length; i++) {
        wri_canvas_fill(d->canvas, x + i, y - 9, 1, 10, ramp_ink((float)i / (float)length));
    }
    x = wri_canvas_text(d->canvas, x + length + 6, y, 1, GREY, "long stay") + APART;
    if (x + DASHES + 80 < right) {
        float middle = (float)y - 4.0f;
        wri_canvas_dashes(d->canvas, (float)x, middle, (float)(x + DASHES), middle, 2.0f, 6.0f,
                          GREY);
        x = wri_canvas_text(d->canvas, x + DASHES + 6, y, 1, GREY, "never used") + APART;
    }
    if (x + 130 < right) {
        draw_clock(d->canvas, (float)x + 7.0f, (float)y - 4.0f, 6.0f, 0.3f);
        wri_canvas_text(d->canvas, x + 22, y, 1, GREY, "share of the time");
    }
}

static void draw_words(drawer *d)
{
    const wri_ink inks[3] = {ALARM, GREY, GREY};
    char room[1024], text[64];
    int y = d->canvas->height - d->foot + WRI_TEXT_LINE, wide = d->canvas->width - 2 * SIDE;
    for (int which = 0; which < 3; which++) {
        sentence s = find_sentence(d, which);
        bool all = which == 0 && s.count == 0;
        if (all || s.count > 0) {
            wri_canvas_text(
                d->canvas, SIDE, y, 1, all ? GREY : inks[which],
                wri_text_fit(all ? "every pose was reached" : s.text, 1, wide, room, sizeof room));
            y += WRI_TEXT_LINE;
        }
    }
    int x = wri_canvas_text(d->canvas, SIDE, 26, 2, DARK,
                            wri_text_fit(d->plot->title, 2, wide / 2, room, sizeof room));
    snprintf(text, sizeof text, "where it spent %.1f s", d->seconds);
    wri_canvas_text(d->canvas, x + 12, 26, 1, GREY,
                    wri_text_fit(text, 1, d->canvas->width - x - 12 - SIDE, room, sizeof room));
    draw_legend(d);
}

// --- the whole --------------------------------------------------------------------------------

static bool prepare(drawer *d)
{
    const wri_manifold_plot *p = d->plot;
    size_t bins = (size_t)p->simplex_count * BINS * BINS;
    d->uses = wri_arena_alloc(&d->arena, (size_t)p->example_count, sizeof *d->uses);
    d->is_used = wri_arena_alloc(&d->arena, (size_t)p->simplex_count, sizeof *d->is_used);
    d->heat = wri_arena_alloc(&d->arena, bins, sizeof *d->heat);
    if (!d->uses || !d->is_used || !d->heat) {
        return wri_fail_memory(d->error, bins * sizeof *d->heat);
    }
    wri_manifold_measure(p, d->uses, d->is_used);
    for (int e = 0; e < p->example_count; e++) {
        d->seconds += d->uses[e].seconds;
    }
    d->foot = LEGEND + WRI_TEXT_LINE * count_words(d);
    if (!find_nodes(d) ||
        !wri_layout_find(d->node_count, d->links, d->link_count, d->places, d->error)) {
        return false;
    }
    find_heat(d);
    fit_places(d);
    return true;
}

static bool draw(drawer *d)
{
    const wri_manifold_plot *p = d->plot;
    wri_canvas_fill(d->canvas, 0, 0, d->canvas->width, d->canvas->height, PAPER);
    for (int i = 0; i < p->simplex_count; i++) {
        if (p->simplices[i].corner_count == 3) {
            draw_triangle(d, i);
        }
    }
    for (int pass = 0; pass < 2; pass++) { // what was used lies above
        for (int i = 0; i < d->link_count; i++) {
            if (is_warm(d, i) == (pass == 1)) {
                draw_link(d, i);
            }
        }
    }
    for (int i = 0; i < d->node_count; i++) {
        draw_node(d, i);
    }
    draw_words(d);
    return draw_labels(d);
}

bool wri_manifold_draw(wri_canvas *canvas, const wri_manifold_plot *plot, wr_error *error)
{
    if (!wri_manifold_check(plot, error)) {
        return false;
    }
    drawer d = {.plot = plot, .canvas = canvas, .arena = wri_arena_create(NULL), .error = error};
    bool ok = prepare(&d) && draw(&d);
    wri_arena_destroy(&d.arena);
    return ok;
}
