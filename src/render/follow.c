// follow.c: rest zones, running minima and a Gaussian, as wide as the picture allows.
#include "follow.h"

static const float GROUND = 0.22f; // of the picture's height, below the ground
static const float ABOVE = 0.08f;  // above the body, at least
static const float EDGE = 0.05f;   // of the picture's height or width, kept free at each border

enum { WIDTHS = 12 }; // of the Gaussian, evenly up to the usual one

typedef struct track {
    float *x, *out, *work; // count each
    int count;
    float *low, *high;    // of out: where the body is in the picture
    float *width, *least; // of the Gaussian, in steps of 1 / WIDTHS
} track;

// Value at a frame. The track goes on evenly before its beginning and behind its end, so that a
// camera which is on its way already neither waits nor hurries.
static float at(const track *t, int frame)
{
    int last = t->count - 1;
    if (frame >= 0 && frame <= last) {
        return t->work[frame];
    }
    int end = frame < 0 ? 0 : last, mirrored = 2 * end - frame;
    mirrored = mirrored < 0 ? 0 : mirrored > last ? last : mirrored;
    return 2.0f * t->work[end] - t->work[mirrored];
}

// room: metres that the body may go to either side before the camera follows. Leaves where the
// camera then is in work.
static void keep_calm(track *t, float room)
{
    float c = t->x[0];
    for (int i = 0; i < t->count; i++) {
        c = wr_clampf(c, t->x[i] - room, t->x[i] + room);
        t->work[i] = 0.5f * c;
    }
    c = t->x[t->count - 1];
    for (int i = t->count - 1; i >= 0; i--) { // ahead as far as the other one is behind
        c = wr_clampf(c, t->x[i] - room, t->x[i] + room);
        t->work[i] += 0.5f * c;
    }
}

// work at a frame, smoothed; sigma: frames of the Gaussian's standard deviation.
static float smoothed(const track *t, int frame, double sigma)
{
    int wide = (int)(3.0 * sigma) + 1;
    double sum = 0.0, weights = 0.0;
    for (int k = -wide; k <= wide; k++) {
        double w = exp(-0.5 * k * k / fmax(sigma * sigma, 1e-6));
        sum += w * (double)at(t, frame + k);
        weights += w;
    }
    return (float)(sum / weights);
}

// x: where the body is. Leaves where the camera is in out.
static void smooth(track *t, float room, double sigma)
{
    keep_calm(t, room);
    for (int i = 0; i < t->count; i++) {
        t->out[i] = smoothed(t, i, sigma);
    }
}

// The widest Gaussian with which the body is in the picture at a frame, in steps. out: as the
// widest of all has it.
static float find_width(track *t, int frame, double sigma)
{
    int step = WIDTHS;
    float c = t->out[frame] = smoothed(t, frame, sigma);
    while (step > 0 && (c < t->low[frame] || c > t->high[frame])) {
        step--;
        c = smoothed(t, frame, sigma * step / WIDTHS);
    }
    return (float)step;
}

// The widths become those that suit all frames around, and change gradually.
static void spread_widths(track *t, int around)
{
    for (int i = 0; i < t->count; i++) {
        t->least[i] = WIDTHS;
        for (int k = i - around; k <= i + around; k++) {
            t->least[i] = k >= 0 && k < t->count ? fminf(t->least[i], t->width[k]) : t->least[i];
        }
    }
    for (int i = 0; i < t->count; i++) {
        double sum = 0.0;
        int count = 0;
        for (int k = i - around; k <= i + around; k++) {
            bool is_there = k >= 0 && k < t->count;
            sum += is_there ? (double)t->least[k] : 0.0;
            count += is_there;
        }
        t->width[i] = (float)(sum / count);
    }
}

// work becomes smooth in out, within low and high of the track.
static void smooth_within(track *t, double sigma)
{
    for (int i = 0; i < t->count; i++) {
        t->width[i] = find_width(t, i, sigma);
    }
    spread_widths(t, (int)(1.5 * sigma));
    for (int i = 0; i < t->count; i++) {
        int step = (int)t->width[i];
        if (step == WIDTHS) {
            continue; // out is that
        }
        float narrow = smoothed(t, i, sigma * step / WIDTHS);
        float wide = smoothed(t, i, sigma * (step + 1) / WIDTHS);
        float c = narrow + (t->width[i] - (float)step) * (wide - narrow);
        t->out[i] = wr_clampf(c, t->low[i], t->high[i]);
    }
}

// The least within some frames to either side: a ball that bounces has the floor.
static float least_around(const wri_follow *f, int frame, int frames)
{
    float least = f->boxes[frame].min.y;
    for (int k = -frames; k <= frames; k++) {
        int at = frame + k;
        least = at >= 0 && at < f->count ? fminf(least, f->boxes[at].min.y) : least;
    }
    return least;
}

static int frames_around(const wri_follow *f)
{
    return (int)(0.8 * f->rate);
}

float wri_follow_height(const wri_follow *f)
{
    float most = 0.0f;
    for (int i = 0; i < f->count; i++) {
        most = fmaxf(most, f->boxes[i].max.y - least_around(f, i, frames_around(f)));
    }
    return most / (1.0f - GROUND - ABOVE);
}

// Keeps a picture within [low, high]; in the middle where that is less than the picture shows.
static float keep_within(float x, float size, float low, float high)
{
    return high - low <= size ? 0.5f * (low + high)
                              : wr_clampf(x, low + 0.5f * size, high - 0.5f * size);
}

static bool create(track *t, wri_arena *arena, int count, wr_error *error)
{
    size_t n = (size_t)count;
    *t = (track){.count = count,
                 .x = wri_arena_alloc(arena, n, sizeof(float)),
                 .out = wri_arena_alloc(arena, n, sizeof(float)),
                 .work = wri_arena_alloc(arena, n, sizeof(float)),
                 .low = wri_arena_alloc(arena, n, sizeof(float)),
                 .high = wri_arena_alloc(arena, n, sizeof(float)),
                 .width = wri_arena_alloc(arena, n, sizeof(float)),
                 .least = wri_arena_alloc(arena, n, sizeof(float))};
    return (t->x && t->out && t->work && t->low && t->high && t->width && t->least) ||
           wri_fail_memory(error, 7 * n * sizeof(float));
}

bool wri_follow_flat(const wri_follow *f, wr_vec3 *to, wr_error *error)
{
    WR_ASSERT(f->count > 0 && f->rate > 0.0);
    wri_arena arena = wri_arena_create(f->heap);
    track t;
    bool ok = create(&t, &arena, f->count, error), bound = !wr_box_is_empty(f->borders);
    float H = f->height, W = H * f->aspect;
    if (ok) {
        for (int i = 0; i < f->count; i++) {
            float x = f->centers[i].x;
            t.x[i] = bound ? keep_within(x, W, f->borders.min.x, f->borders.max.x) : x;
        }
        smooth(&t, 0.06f * W, 0.45 * f->rate);
        for (int i = 0; i < f->count; i++) {
            to[i] = wr_v3(t.out[i], 0.0f, 0.0f);
            float y = least_around(f, i, frames_around(f)) + (0.5f - GROUND) * H;
            y = fmaxf(y, f->boxes[i].max.y - (0.5f - ABOVE) * H);
            t.x[i] = bound ? keep_within(y, H, f->borders.min.y, f->borders.max.y) : y;
        }
        smooth(&t, 0.03f * H, 0.5 * f->rate);
        for (int i = 0; i < f->count; i++) {
            to[i].y = t.out[i];
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}

// Where the camera may be along an axis of its picture, so that every corner of the body's box is
// within; size: metres of the picture at what the camera looks at. Of one that is too large it
// shows a part. rest: metres that the camera is off without any smoothing. At the ends of a track
// the Gaussian leaves it as it is, so that off, by which it leaves the body at the start, is known.
static void find_limits(const wri_follow *f, track *t, wr_vec3 axis, wr_vec3 forward, float size,
                        float rest)
{
    const wr_camera *c = &f->camera;
    float off = t->x[0] - t->work[0], half = (0.5f - EDGE) * size;
    float distance = wr_distance(c->from, c->to);
    for (int i = 0; i < t->count; i++) {
        wr_box box = f->boxes[i];
        wr_vec3 to =
            wr_add(c->to, wr_sub(f->centers[i], f->centers[0])); // if it came along at once
        float low = -INFINITY, high = INFINITY;
        for (int k = 0; k < 8; k++) {
            wr_vec3 corner = wr_v3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                                   k & 4 ? box.max.z : box.min.z);
            wr_vec3 d = wr_sub(corner, to);
            float depth = 1.0f + wr_dot(d, forward) / distance; // what is nearer is seen larger
            float room = half * (c->flat > 0.0f ? 1.0f : fmaxf(depth, 0.0f)), x = wr_dot(d, axis);
            low = fmaxf(low, x - room);
            high = fminf(high, x + room);
        }
        t->low[i] = t->x[i] - off + fminf(fminf(low, high), -rest);
        t->high[i] = t->x[i] - off + fmaxf(fmaxf(low, high), rest);
    }
}

static void forget_limits(track *t)
{
    for (int i = 0; i < t->count; i++) {
        t->low[i] = -INFINITY;
        t->high[i] = INFINITY;
    }
}

bool wri_follow_along(const wri_follow *f, wr_vec3 *shifts, wr_error *error)
{
    WR_ASSERT(f->count > 0 && f->rate > 0.0);
    wri_arena arena = wri_arena_create(f->heap);
    track t;
    wr_vec3 axes[3]; // the last one forward, along which nothing leaves the picture
    wr_camera_axes(&f->camera, &axes[2], &axes[0], &axes[1]);
    const float sizes[2] = {f->height * f->aspect, f->height}, room = 0.04f * f->height;
    bool ok = create(&t, &arena, f->count, error);
    for (int i = 0; ok && i < f->count; i++) {
        shifts[i] = wr_v3(0.0f, 0.0f, 0.0f);
    }
    for (int axis = 0; ok && axis < 3; axis++) {
        for (int i = 0; i < f->count; i++) {
            t.x[i] = wr_dot(f->centers[i], axes[axis]);
        }
        keep_calm(&t, room);
        if (axis < 2) {
            find_limits(f, &t, axes[axis], axes[2], sizes[axis], 2.0f * room);
        } else {
            forget_limits(&t);
        }
        smooth_within(&t, 0.35 * f->rate);
        for (int i = 0; i < f->count; i++) {
            shifts[i] = wr_add_scaled(shifts[i], t.out[i] - t.out[0], axes[axis]);
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}
