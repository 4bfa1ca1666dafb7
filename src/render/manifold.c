// manifold.c: heat along edges and over triangles.
#include "manifold.h"

#include "layout.h"

#include <stdio.h>

enum {
    BINS = 24, // along an edge, and along each side of a triangle
    NODE = 9,  // pixels, radius
    BAND = 4,  // half the width of an edge
    HEAD = 34, // pixels above the graph
    FOOT = 62, // below
    SIDE = 78, // left and right: names stand below their nodes
};

static const wri_ink PAPER = {250, 250, 251}, DARK = {28, 30, 34}, GREY = {104, 108, 116},
                     FAINT = {206, 209, 215}, PALE = {235, 237, 240}, ALARM = {196, 43, 43};
static const float REACHED = 0.5f;

typedef struct drawer {
    const wri_manifold_plot *plot;
    wri_canvas *canvas;
    wri_arena arena;
    wr_vec2 *places; // pixels
    wri_manifold_use *uses;
    float *heat; // BINS * BINS seconds per simplex
    float hottest;
    wr_error *error;
} drawer;

// --- measuring --------------------------------------------------------------------------------

static bool check(const wri_manifold_plot *p, wr_error *error)
{
    if (p->example_count < 1 || p->example_count > WRI_LAYOUT_NODES) {
        return wri_fail(error, WR_E_ARGUMENT, "examples: %d, expected 1 to %d", p->example_count,
                        WRI_LAYOUT_NODES);
    }
    for (int i = 0; i < p->simplex_count; i++) {
        const wri_manifold_simplex *s = &p->simplices[i];
        bool ok = s->corner_count >= 1 && s->corner_count <= 3;
        for (int k = 0; ok && k < s->corner_count; k++) {
            ok = s->corners[k] >= 0 && s->corners[k] < p->example_count;
        }
        if (!ok) {
            return wri_fail(error, WR_E_ARGUMENT, "simplex %d: a corner that is no example", i);
        }
    }
    for (int i = 0; i < p->stay_count; i++) {
        const wri_manifold_stay *s = &p->stays[i];
        bool ok = s->simplex >= 0 && s->simplex < p->simplex_count && s->seconds >= 0.0f &&
                  s->seconds < 1e9f;
        for (int k = 0; ok && k < p->simplices[s->simplex].corner_count; k++) {
            ok = s->shares[k] >= 0.0f && s->shares[k] <= 1.001f;
        }
        if (!ok) {
            return wri_fail(error, WR_E_ARGUMENT, "stay %d: no place of the manifold", i);
        }
    }
    return true;
}

void wri_manifold_measure(const wri_manifold_plot *p, wri_manifold_use *uses)
{
    memset(uses, 0, (size_t)p->example_count * sizeof *uses);
    for (int i = 0; i < p->stay_count; i++) {
        const wri_manifold_stay *stay = &p->stays[i];
        const wri_manifold_simplex *s = &p->simplices[stay->simplex];
        int most = 0;
        for (int k = 0; k < s->corner_count; k++) {
            wri_manifold_use *use = &uses[s->corners[k]];
            use->nearest = fmaxf(use->nearest, stay->shares[k]);
            most = stay->shares[k] > stay->shares[most] ? k : most;
        }
        uses[s->corners[most]].seconds += (double)stay->seconds;
    }
}

static int bin_of(float share)
{
    int bin = (int)(share * BINS);
    return bin < BINS ? bin : BINS - 1;
}

// An edge uses the bins (b, 0) with b by the share of its second corner; a triangle (b, c).
static void add_heat(drawer *d, const wri_manifold_stay *stay, float seconds)
{
    int count = d->plot->simplices[stay->simplex].corner_count;
    int b = count > 1 ? bin_of(stay->shares[1]) : 0, c = count > 2 ? bin_of(stay->shares[2]) : 0;
    float *bin = &d->heat[(stay->simplex * BINS + b) * BINS + c];
    *bin += seconds;
    d->hottest = fmaxf(d->hottest, *bin);
}

// From one stay to the next the body went straight: the time is spread over the way, so that a fast
// move leaves a line and not dots.
static void find_heat(drawer *d)
{
    for (int i = 0; i < d->plot->stay_count; i++) {
        const wri_manifold_stay *a = &d->plot->stays[i];
        const wri_manifold_stay *b = i + 1 < d->plot->stay_count ? a + 1 : a;
        float way = 0.0f;
        for (int k = 0; k < 3; k++) {
            way = fmaxf(way, fabsf(b->shares[k] - a->shares[k]));
        }
        int steps = a->simplex == b->simplex ? 1 + (int)(2.0f * BINS * way) : 1;
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

// A place where it was at all is seen; after that, every factor of ten is a step as large.
static bool heat_ink(const drawer *d, float seconds, wri_ink *ink)
{
    if (!(seconds > 0.0f) || !(d->hottest > 0.0f)) {
        return false;
    }
    float value = 1.0f + log10f(seconds / d->hottest) / 2.0f; // two factors of ten
    *ink = wri_ink_from_color(wr_ramp_color(0.22f + 0.78f * wr_clampf(value, 0.0f, 1.0f)));
    return true;
}

// --- places -----------------------------------------------------------------------------------

static bool find_links(drawer *d, wri_link **links, int *count)
{
    const wri_manifold_plot *p = d->plot;
    *links = wri_arena_alloc(&d->arena, 3 * (size_t)p->simplex_count, sizeof **links);
    *count = 0;
    for (int i = 0; *links && i < p->simplex_count; i++) {
        const wri_manifold_simplex *s = &p->simplices[i];
        for (int a = 0; a < s->corner_count; a++) {
            for (int b = 0; b < a; b++) {
                (*links)[(*count)++] = (wri_link){s->corners[b], s->corners[a]};
            }
        }
    }
    return *links || wri_fail_memory(d->error, (size_t)p->simplex_count * sizeof **links);
}

// Into the canvas, as large as possible, but not with links longer than a third of it.
static void fit_places(drawer *d)
{
    wr_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    int n = d->plot->example_count;
    for (int i = 0; i < n; i++) {
        low = (wr_vec2){fminf(low.x, d->places[i].x), fminf(low.y, d->places[i].y)};
        high = (wr_vec2){fmaxf(high.x, d->places[i].x), fmaxf(high.y, d->places[i].y)};
    }
    float wide = (float)(d->canvas->width - 2 * SIDE);
    float tall = (float)(d->canvas->height - HEAD - FOOT - 3 * NODE - 4 * WRI_TEXT_LINE);
    float scale = fminf(fmaxf(wide, 20.0f) / fmaxf(high.x - low.x, 1e-3f),
                        fmaxf(tall, 20.0f) / fmaxf(high.y - low.y, 1e-3f));
    scale = fminf(scale, 0.36f * (float)d->canvas->width);
    float x = 0.5f * (float)d->canvas->width,
          y = (float)(HEAD + NODE + 2 * WRI_TEXT_LINE) + 0.5f * tall;
    for (int i = 0; i < n; i++) {
        wr_vec2 *at = &d->places[i];
        at->x = x + scale * (at->x - 0.5f * (low.x + high.x));
        at->y = y - scale * (at->y - 0.5f * (low.y + high.y));
    }
}

static bool find_places(drawer *d)
{
    wri_link *links;
    int count;
    size_t n = (size_t)d->plot->example_count;
    d->places = wri_arena_alloc(&d->arena, n, sizeof *d->places);
    if (!d->places) {
        return wri_fail_memory(d->error, n * sizeof *d->places);
    }
    if (!find_links(d, &links, &count) ||
        !wri_layout_find((int)n, links, count, d->places, d->error)) {
        return false;
    }
    fit_places(d);
    return true;
}

// --- marks ------------------------------------------------------------------------------------

typedef struct area {
    int left, top, right, low; // pixels, the last two behind
} area;

static area area_around(const drawer *d, const wr_vec2 *points, int count, float reach)
{
    float left = INFINITY, top = INFINITY, right = -INFINITY, low = -INFINITY;
    for (int i = 0; i < count; i++) {
        left = fminf(left, points[i].x);
        right = fmaxf(right, points[i].x);
        top = fminf(top, points[i].y);
        low = fmaxf(low, points[i].y);
    }
    return (area){(int)fmaxf(left - reach, 0.0f), (int)fmaxf(top - reach, 0.0f),
                  (int)fminf(right + reach + 1.0f, (float)d->canvas->width),
                  (int)fminf(low + reach + 1.0f, (float)d->canvas->height)};
}

// Distance of a pixel from a line, and how far along it the nearest point is, [0, 1].
static float along(wr_vec2 a, wr_vec2 b, int x, int y, float *t)
{
    float dx = b.x - a.x, dy = b.y - a.y, px = (float)x + 0.5f - a.x, py = (float)y + 0.5f - a.y;
    float length2 = dx * dx + dy * dy;
    *t = length2 > 0.0f ? wr_clampf((px * dx + py * dy) / length2, 0.0f, 1.0f) : 0.0f;
    return hypotf(px - *t * dx, py - *t * dy);
}

static float cover(float distance, float half_width)
{
    return wr_clampf(half_width + 0.5f - distance, 0.0f, 1.0f);
}

static void draw_line(drawer *d, wr_vec2 a, wr_vec2 b, float half, wri_ink ink, bool dashed)
{
    const wr_vec2 ends[2] = {a, b};
    area box = area_around(d, ends, 2, half + 1.0f);
    float length = hypotf(b.x - a.x, b.y - a.y), t;
    for (int y = box.top; y < box.low; y++) {
        for (int x = box.left; x < box.right; x++) {
            float c = cover(along(a, b, x, y, &t), half);
            if (c > 0.0f && !(dashed && fmodf(t * length, 11.0f) > 6.0f)) {
                wri_canvas_blend(d->canvas, x, y, ink, c);
            }
        }
    }
}

static bool was_visited(const drawer *d, int simplex)
{
    const float *heat = d->heat + (size_t)simplex * BINS * BINS;
    for (int i = 0; i < BINS * BINS; i++) {
        if (heat[i] > 0.0f) {
            return true;
        }
    }
    return false;
}

static void draw_edge(drawer *d, int simplex)
{
    const int *corners = d->plot->simplices[simplex].corners;
    wr_vec2 ends[2] = {d->places[corners[0]], d->places[corners[1]]};
    if (!was_visited(d, simplex)) {
        draw_line(d, ends[0], ends[1], 1.0f, GREY, true);
        return;
    }
    draw_line(d, ends[0], ends[1], BAND + 1.0f, FAINT, false);
    area box = area_around(d, ends, 2, BAND + 1.0f);
    for (int y = box.top; y < box.low; y++) {
        for (int x = box.left; x < box.right; x++) {
            float t, c = cover(along(ends[0], ends[1], x, y, &t), BAND);
            wri_ink ink = PALE;
            heat_ink(d, d->heat[(simplex * BINS + bin_of(t)) * BINS], &ink);
            if (c > 0.0f) {
                wri_canvas_blend(d->canvas, x, y, ink, c);
            }
        }
    }
}

static void fill_triangle(drawer *d, int simplex, const wr_vec2 *p)
{
    float det = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
    area box = area_around(d, p, 3, 1.0f);
    for (int y = box.top; y < box.low && fabsf(det) > 1.0f; y++) {
        for (int x = box.left; x < box.right; x++) {
            float px = (float)x + 0.5f - p[0].x, py = (float)y + 0.5f - p[0].y;
            float b = (px * (p[2].y - p[0].y) - py * (p[2].x - p[0].x)) / det;
            float c = (py * (p[1].x - p[0].x) - px * (p[1].y - p[0].y)) / det;
            if (b >= 0.0f && c >= 0.0f && b + c <= 1.0f) {
                wri_ink ink = PALE;
                heat_ink(d, d->heat[(simplex * BINS + bin_of(b)) * BINS + bin_of(c)], &ink);
                wri_canvas_blend(d->canvas, x, y, ink, 1.0f);
            }
        }
    }
}

static void draw_triangle(drawer *d, int simplex)
{
    const int *corners = d->plot->simplices[simplex].corners;
    wr_vec2 p[3] = {d->places[corners[0]], d->places[corners[1]], d->places[corners[2]]};
    bool visited = was_visited(d, simplex);
    fill_triangle(d, simplex, p);
    for (int i = 0; i < 3; i++) {
        draw_line(d, p[i], p[(i + 1) % 3], 0.8f, GREY, !visited);
    }
}

// Whether the name of a node stands below, above, right or left of it: where the lines to its
// neighbours leave the most room.
static wr_vec2 find_side(const drawer *d, int example)
{
    static const wr_vec2 sides[4] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
    float room[4] = {0.0f, 0.05f, 0.1f, 0.1f}; // less is better; below is best
    const wri_manifold_plot *p = d->plot;
    wr_vec2 at = d->places[example];
    float nearest[4] = {-1.0f, -1.0f, -1.0f, -1.0f};
    for (int i = 0; i < p->simplex_count; i++) {
        const wri_manifold_simplex *s = &p->simplices[i];
        bool mine = false;
        for (int k = 0; k < s->corner_count; k++) {
            mine = mine || s->corners[k] == example;
        }
        for (int k = 0; mine && k < s->corner_count; k++) {
            wr_vec2 to = d->places[s->corners[k]];
            float length = hypotf(to.x - at.x, to.y - at.y);
            for (int n = 0; n < 4 && length > 0.0f; n++) {
                float c = ((to.x - at.x) * sides[n].x + (to.y - at.y) * sides[n].y) / length;
                nearest[n] = fmaxf(nearest[n], c);
            }
        }
    }
    int best = 0;
    for (int n = 1; n < 4; n++) {
        best = nearest[n] + room[n] < nearest[best] + room[best] ? n : best;
    }
    return sides[best];
}

// Two lines beside a node.
static void draw_label(drawer *d, int example, const char *note, wri_ink ink)
{
    char first[96], second[96];
    const char *lines[2] = {
        wri_text_fit(d->plot->examples[example], 1, 2 * SIDE - 8, first, sizeof first),
        wri_text_fit(note, 1, 2 * SIDE - 8, second, sizeof second)};
    wr_vec2 at = d->places[example], side = find_side(d, example);
    int top = (int)(at.y + side.y * (NODE + 6.0f)) + 4;
    top -= side.y < 0.0f ? 2 * WRI_TEXT_LINE : side.y == 0.0f ? WRI_TEXT_LINE : 0;
    for (int k = 0; k < 2; k++) {
        int width = wri_text_width(lines[k], 1), y = top + WRI_TEXT_CAPITAL + k * WRI_TEXT_LINE - 2;
        float x = at.x + side.x * (NODE + 6.0f);
        int left = (int)(x - (side.x > 0.0f ? 0.0f : side.x < 0.0f ? 1.0f : 0.5f) * (float)width);
        left = left + width > d->canvas->width - 2 ? d->canvas->width - 2 - width : left;
        left = left < 2 ? 2 : left;
        wri_canvas_text(d->canvas, left, y, 1, k == 0 ? DARK : ink, lines[k]);
    }
}

static void draw_node(drawer *d, int example)
{
    wr_vec2 at = d->places[example];
    const wri_manifold_use *use = &d->uses[example];
    bool reached = use->nearest >= REACHED;
    wri_ink own = wri_ink_from_color(wr_example_color(example, d->plot->example_count));
    draw_line(d, at, at, NODE + 1.2f, reached ? DARK : GREY, false);
    draw_line(d, at, at, NODE - 0.3f, reached ? own : PAPER, false);
    if (!reached) {
        float r = 0.55f * NODE;
        draw_line(d, (wr_vec2){at.x - r, at.y - r}, (wr_vec2){at.x + r, at.y + r}, 1.2f, ALARM,
                  false);
        draw_line(d, (wr_vec2){at.x + r, at.y - r}, (wr_vec2){at.x - r, at.y + r}, 1.2f, ALARM,
                  false);
    }
    char note[64];
    if (reached) {
        snprintf(note, sizeof note, "%.1f s", use->seconds);
    } else {
        snprintf(note, sizeof note, use->nearest > 0.0f ? "at most %.0f %%" : "never",
                 100.0 * (double)use->nearest);
    }
    draw_label(d, example, note, reached ? GREY : ALARM);
}

// --- words ------------------------------------------------------------------------------------

static void draw_scale(drawer *d)
{
    enum { LONG = 160 };
    int y = d->canvas->height - 30;
    char text[64];
    int left = wri_canvas_text(d->canvas, 8, y + 9, 1, GREY, "short stay") + 6;
    for (int i = 0; i < LONG; i++) {
        wri_ink ink = PALE;
        heat_ink(d, d->hottest * powf(10.0f, 2.0f * ((float)i / LONG - 1.0f)), &ink);
        wri_canvas_fill(d->canvas, left + i, y, 1, 10, ink);
    }
    snprintf(text, sizeof text, "%.3g s at one place", (double)d->hottest);
    wri_canvas_text(d->canvas, left + LONG + 6, y + 9, 1, GREY, text);
}

static void draw_words(drawer *d)
{
    const wri_manifold_plot *p = d->plot;
    char text[512], room[512];
    double sum = 0.0;
    int missed = 0, length = snprintf(text, sizeof text, "never reached: ");
    for (int i = 0; i < p->example_count; i++) {
        sum += d->uses[i].seconds;
        if (d->uses[i].nearest < REACHED && length < (int)sizeof text - 1) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%s",
                               missed ? ", " : "", p->examples[i]);
            missed++;
        }
    }
    int y = d->canvas->height - 40;
    wri_canvas_text(d->canvas, 8, y, 1, missed ? ALARM : GREY,
                    wri_text_fit(missed ? text : "every pose was reached", 1, d->canvas->width - 16,
                                 room, sizeof room));
    int x = wri_canvas_text(d->canvas, 8, 20, 1, DARK,
                            wri_text_fit(p->title, 1, d->canvas->width / 2, room, sizeof room));
    snprintf(text, sizeof text, "where it spent %.1f s between its poses", sum);
    wri_canvas_text(d->canvas, x + 10, 20, 1, GREY,
                    wri_text_fit(text, 1, d->canvas->width - x - 18, room, sizeof room));
    draw_scale(d);
}

static bool prepare(drawer *d)
{
    const wri_manifold_plot *p = d->plot;
    size_t bins = (size_t)p->simplex_count * BINS * BINS;
    d->uses = wri_arena_alloc(&d->arena, (size_t)p->example_count, sizeof *d->uses);
    d->heat = wri_arena_alloc(&d->arena, bins, sizeof *d->heat);
    if (!d->uses || !d->heat) {
        return wri_fail_memory(d->error, bins * sizeof *d->heat);
    }
    wri_manifold_measure(p, d->uses);
    find_heat(d);
    return find_places(d);
}

bool wri_manifold_draw(wri_canvas *canvas, const wri_manifold_plot *plot, wr_error *error)
{
    WR_ASSERT(canvas->width >= 160 && canvas->height >= 120);
    if (!check(plot, error)) {
        return false;
    }
    drawer d = {.plot = plot, .canvas = canvas, .arena = wri_arena_create(NULL), .error = error};
    bool ok = prepare(&d);
    if (ok) {
        wri_canvas_fill(canvas, 0, 0, canvas->width, canvas->height, PAPER);
        for (int i = 0; i < plot->simplex_count; i++) {
            if (plot->simplices[i].corner_count == 3) {
                draw_triangle(&d, i);
            }
        }
        for (int i = 0; i < plot->simplex_count; i++) {
            if (plot->simplices[i].corner_count == 2) {
                draw_edge(&d, i);
            }
        }
        for (int i = 0; i < plot->example_count; i++) {
            draw_node(&d, i);
        }
        draw_words(&d);
    }
    wri_arena_destroy(&d.arena);
    return ok;
}
