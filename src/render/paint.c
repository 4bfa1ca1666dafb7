// paint.c: colours that stand for examples, handles and weights.
//
// Hues are spread evenly in OKLab (B. Ottosson, 2020), where equal steps look equally large and
// equal lightness looks equally light. A hue that a screen cannot show at full chroma gets as much
// as it can.
#include "wrought/render.h"

static const wr_color REST = {0.80f, 0.80f, 0.80f, 1.0f};

static wr_color from_oklab(double L, double a, double b)
{
    double l = L + 0.3963377774 * a + 0.2158037573 * b;
    double m = L - 0.1055613458 * a - 0.0638541728 * b;
    double s = L - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return (wr_color){(float)(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                      (float)(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                      (float)(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), 1.0f};
}

static bool is_shown(wr_color c)
{
    return fminf(c.r, fminf(c.g, c.b)) >= 0.0f && fmaxf(c.r, fmaxf(c.g, c.b)) <= 1.0f;
}

// The colour of this lightness and hue (radians) with the chroma, or the most that can be shown.
static wr_color from_hue(double lightness, double chroma, double hue)
{
    double x = cos(hue), y = sin(hue), low = 0.0, high = chroma;
    wr_color c = from_oklab(lightness, chroma * x, chroma * y);
    for (int i = 0; i < 16 && !is_shown(c); i++) {
        double middle = 0.5 * (low + high);
        bool shown = is_shown(from_oklab(lightness, middle * x, middle * y));
        low = shown ? middle : low;
        high = shown ? high : middle;
        if (i == 15) {
            c = from_oklab(lightness, low * x, low * y);
        }
    }
    return (wr_color){wr_clampf(c.r, 0.0f, 1.0f), wr_clampf(c.g, 0.0f, 1.0f),
                      wr_clampf(c.b, 0.0f, 1.0f), 1.0f};
}

// Colour `index` of `count` around the circle. Where hues come close together, neighbours differ in
// lightness too.
static wr_color spread_color(int index, int count)
{
    static const double levels[3] = {0.66, 0.80, 0.54};
    const double first = 0.80, circle = 6.283185307179586; // begins with orange
    double lightness = count > 8 ? levels[index % 3] : 0.68;
    return from_hue(lightness, 0.19, first + circle * index / (count > 0 ? count : 1));
}

wr_color wr_example_color(int example, int count)
{
    return example <= 0 || example >= count ? REST : spread_color(example - 1, count - 1);
}

wr_color wr_blend_color(const float *row, int count)
{
    double r = 0.0, g = 0.0, b = 0.0, sum = 0.0;
    for (int e = 0; e < count; e++) {
        double share = row[e] > 0.0f ? (double)row[e] : 0.0;
        wr_color c = share > 0.0 ? wr_example_color(e, count) : REST;
        r += share * (double)c.r;
        g += share * (double)c.g;
        b += share * (double)c.b;
        sum += share;
    }
    if (!(sum > 0.0) || !isfinite(sum)) {
        return REST;
    }
    return (wr_color){(float)(r / sum), (float)(g / sum), (float)(b / sum), 1.0f};
}

static int common_divisor(int a, int b)
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

wr_color wr_handle_color(int handle, int count)
{
    // Handles next to each other in the list are often next to each other on the body: they get
    // hues more than a third of the circle apart.
    int step = (int)(0.381966 * count + 0.5);
    while (step > 1 && common_divisor(step, count) > 1) {
        step++;
    }
    int index = count > 0 ? (int)((int64_t)handle * (step > 1 ? step : 1) % count) : 0;
    return spread_color(index < 0 ? 0 : index, count);
}

wr_color wr_ramp_color(float value)
{
    // Lightness falls all the way, so that the ramp also reads in grey.
    static const double stops[5][3] = {// lightness, chroma, hue
                                       {0.92, 0.01, 1.6},
                                       {0.86, 0.13, 1.6},
                                       {0.73, 0.17, 1.0},
                                       {0.57, 0.21, 0.45},
                                       {0.36, 0.15, -0.55}};
    float x = 4.0f * (value > 0.0f ? fminf(value, 1.0f) : 0.0f);
    int k = x < 4.0f ? (int)x : 3;
    double t = (double)x - k, lch[3];
    for (int i = 0; i < 3; i++) {
        lch[i] = stops[k][i] + t * (stops[k + 1][i] - stops[k][i]);
    }
    return from_hue(lch[0], lch[1], lch[2]);
}

wr_color wr_factor_color(float factor)
{
    const double white = 0.92, end = 0.50, chroma = 0.16; // lightness of 1 and of the ends
    const double orange = 0.95, blue = -1.75;             // hues
    double octaves = factor > 0.0f ? log2((double)factor) : -3.0;
    double t = fmin(fabs(octaves) / 3.0, 1.0);
    // The first octave is told from white best when chroma comes early.
    return from_hue(white + t * (end - white), chroma * sqrt(t), octaves < 0.0 ? orange : blue);
}
