// plot.c: curves over logarithmic or linear axes as a picture.
//
// A curve has its name at the right edge, in its colour, a single point beside itself; names that
// would touch are moved apart.
// What is not measured now is grey. Ticks stand at 1, 2 and 5 of every decade, or about six of them
// evenly.
#include "bench.h"

#include "../src/base/base.h"
#include "../src/render/canvas.h"
#include "wrought/file.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 220, TOP = 62, BOTTOM = 52, CURVES = 8 };

static const wri_ink PAPER = {252, 252, 252}, INK = {40, 44, 50}, FAINT = {225, 227, 230},
                     GREY = {130, 134, 140};
static const wri_ink INKS[CURVES] = {{214, 93, 14},  {30, 106, 168}, {44, 140, 84}, {150, 70, 160},
                                     {150, 140, 20}, {20, 150, 170}, {190, 60, 90}, {90, 90, 90}};

typedef struct axis {
    bool is_linear;
    double low, high; // of the ends: decimal logarithms, or the values themselves
    double from, to;  // pixels
} axis;

typedef struct curve {
    const char *name;
    bool measured;
    wri_ink ink;
    int count;   // of its points
    float x, y;  // pixels, of the last one
    float label; // where its name stands
} curve;

typedef struct drawing {
    const bench_rows *rows;
    int plot;
    wri_canvas canvas;
    axis x, y;
    curve curves[CURVES];
    int curve_count;
} drawing;

static bool is_shown(const drawing *d, const bench_point *p)
{
    bool is_positive = d->rows->plots[d->plot].is_linear || (p->x > 0.0 && p->y > 0.0);
    return p->plot == d->plot && is_positive && isfinite(p->x) && isfinite(p->y);
}

static double scaled(const axis *a, double value)
{
    return a->is_linear ? value : log10(value);
}

static float place(const axis *a, double value)
{
    return (float)(a->from + (a->to - a->from) * (scaled(a, value) - a->low) / (a->high - a->low));
}

// A little more than all points, and at least a third of a decade.
static void find_range(axis *a, double least, double most)
{
    double low = scaled(a, least), high = scaled(a, most), wide = high - low;
    double spare = a->is_linear ? fmax(0.06 * wide, 1e-6) : fmax(0.06 * wide, 0.05);
    if (!a->is_linear && wide < 0.3) {
        spare += 0.5 * (0.3 - wide);
    }
    a->low = low - spare;
    a->high = high + spare;
}

static bool find_axes(drawing *d)
{
    bool is_linear = d->rows->plots[d->plot].is_linear;
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < d->rows->point_count; i++) {
        const bench_point *p = &d->rows->points[i];
        if (is_shown(d, p)) {
            least[0] = fmin(least[0], p->x), most[0] = fmax(most[0], p->x);
            least[1] = fmin(least[1], p->y), most[1] = fmax(most[1], p->y);
        }
    }
    d->x = (axis){.is_linear = is_linear, .from = LEFT, .to = WIDTH - RIGHT};
    d->y = (axis){.is_linear = is_linear, .from = HEIGHT - BOTTOM, .to = TOP};
    if (most[0] < least[0]) {
        return false;
    }
    find_range(&d->x, least[0], most[0]);
    find_range(&d->y, least[1], most[1]);
    return true;
}

// --- axes ---------------------------------------------------------------------------------------

// Of the ticks with this leading digit, the one in a decade; false: it is outside.
static bool find_tick(const axis *a, int decade, double digit, double *value)
{
    *value = digit * pow(10.0, decade);
    double at = log10(*value);
    return at >= a->low - 1e-9 && at <= a->high + 1e-9;
}

static void draw_tick(drawing *d, bool across, double value)
{
    char text[24];
    wri_canvas *c = &d->canvas;
    snprintf(text, sizeof text, "%.6g", value);
    int wide = wri_text_width(text, 1);
    if (across) {
        float x = floorf(place(&d->x, value)) + 0.5f;
        wri_canvas_line(c, x, TOP, x, HEIGHT - BOTTOM, 1.0f, FAINT);
        wri_canvas_text(c, (int)x - wide / 2, HEIGHT - BOTTOM + 17, 1, INK, text);
    } else {
        float y = floorf(place(&d->y, value)) + 0.5f;
        wri_canvas_line(c, LEFT, y, WIDTH - RIGHT, y, 1.0f, FAINT);
        wri_canvas_text(c, LEFT - 8 - wide, (int)y + WRI_TEXT_CAPITAL / 2, 1, INK, text);
    }
}

static void draw_even_ticks(drawing *d, bool across)
{
    const axis *a = across ? &d->x : &d->y;
    double wish = (a->high - a->low) / 6.0, decade = pow(10.0, floor(log10(wish)));
    double step = decade * (wish < 2.0 * decade ? 2.0 : wish < 5.0 * decade ? 5.0 : 10.0);
    for (double k = ceil(a->low / step); k * step <= a->high; k += 1.0) {
        draw_tick(d, across, k * step + 0.0); // not -0
    }
}

// Long axes have ticks at powers of ten alone.
static void draw_axis(drawing *d, bool across)
{
    static const double digits[] = {1.0, 2.0, 5.0};
    const axis *a = across ? &d->x : &d->y;
    if (a->is_linear) {
        draw_even_ticks(d, across);
        return;
    }
    int first = (int)floor(a->low), last = (int)ceil(a->high);
    for (int decade = first; decade <= last; decade++) {
        for (int k = 0; k < (last - first > 4 ? 1 : 3); k++) {
            double value;
            if (find_tick(a, decade, digits[k], &value)) {
                draw_tick(d, across, value);
            }
        }
    }
}

static void draw_frame(drawing *d)
{
    const bench_plot *plot = &d->rows->plots[d->plot];
    wri_canvas *c = &d->canvas;
    wri_canvas_fill(c, 0, 0, WIDTH, HEIGHT, PAPER);
    draw_axis(d, true);
    draw_axis(d, false);
    wri_canvas_line(c, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, 1.2f, INK);
    wri_canvas_line(c, LEFT, TOP, LEFT, HEIGHT - BOTTOM, 1.2f, INK);
    wri_canvas_text(c, 14, 24, 1, INK, plot->title);
    wri_canvas_text(c, 14, 46, 1, GREY, plot->up);
    int middle = (LEFT + WIDTH - RIGHT - wri_text_width(plot->across, 1)) / 2;
    wri_canvas_text(c, middle, HEIGHT - 12, 1, GREY, plot->across);
}

// --- curves -------------------------------------------------------------------------------------

// NULL: one too many.
static curve *find_curve(drawing *d, const bench_point *p)
{
    for (int i = 0; i < d->curve_count; i++) {
        if (strcmp(d->curves[i].name, p->curve) == 0) {
            return &d->curves[i];
        }
    }
    if (d->curve_count == CURVES) {
        return NULL;
    }
    curve *c = &d->curves[d->curve_count++];
    *c = (curve){.name = p->curve,
                 .measured = p->measured,
                 .ink = p->measured ? INKS[d->curve_count - 1] : GREY};
    return c;
}

static void draw_curves(drawing *d)
{
    for (int i = 0; i < d->rows->point_count; i++) {
        const bench_point *p = &d->rows->points[i];
        curve *c = is_shown(d, p) ? find_curve(d, p) : NULL;
        if (!c) {
            continue;
        }
        float x = place(&d->x, p->x), y = place(&d->y, p->y);
        if (c->count++ > 0) {
            wri_canvas_line(&d->canvas, c->x, c->y, x, y, c->measured ? 2.0f : 1.2f, c->ink);
        }
        wri_canvas_ring(&d->canvas, x, y, c->measured ? 0.0f : 3.0f, c->measured ? 7.0f : 1.4f,
                        c->ink, 1.0f);
        c->x = x;
        c->y = y;
    }
}

static void draw_names(drawing *d)
{
    const int room = RIGHT - 24;
    for (int done = 0; done < d->curve_count; done++) { // from the highest to the lowest
        curve *next = NULL;
        for (int i = 0; i < d->curve_count; i++) {
            curve *c = &d->curves[i];
            next = c->label == 0.0f && (!next || c->y < next->y) ? c : next;
        }
        float y = next->y;
        for (int i = 0; i < d->curve_count; i++) {
            if (d->curves[i].label > 0.0f) {
                y = fmaxf(y, d->curves[i].label + WRI_TEXT_LINE);
            }
        }
        next->label = y;
        char text[64];
        int x = next->count > 1 ? WIDTH - RIGHT + 16 : (int)next->x + 10;
        if (next->count > 1) {
            wri_canvas_line(&d->canvas, next->x + 6.0f, next->y, (float)x - 4.0f, y, 0.8f, FAINT);
        }
        wri_canvas_text(&d->canvas, x, (int)y + WRI_TEXT_CAPITAL / 2, 1, next->ink,
                        wri_text_fit(next->name, 1, room, text, sizeof text));
    }
}

bool bench_draw_plot(const bench_rows *rows, int plot, const char *folder, wr_error *error)
{
    static uint8_t pixels[3 * WIDTH * HEIGHT];
    char path[4096];
    drawing d = {.rows = rows, .plot = plot, .canvas = {pixels, WIDTH, HEIGHT}};
    if (!find_axes(&d)) {
        return true; // nothing was measured
    }
    draw_frame(&d);
    draw_curves(&d);
    draw_names(&d);
    int length = snprintf(path, sizeof path, "%s/%s.png", folder, rows->plots[plot].name);
    return length < (int)sizeof path ? wr_png_write(path, pixels, WIDTH, HEIGHT, 3, error)
                                     : wri_fail(error, WR_E_IO, "%.200s: name too long", folder);
}
