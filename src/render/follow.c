// follow.c: rest zones, running minima and a Gaussian.
#include "follow.h"

static const float GROUND = 0.22f; // of the picture's height, below the ground
static const float ABOVE = 0.08f;  // above the body, at least

typedef struct track {
    float *x, *out, *work; // count each
    int count;
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

// x: where the body is. Leaves where the camera is in out. room: metres that the body may go to
// either side before the camera follows; sigma: frames of the Gaussian's standard deviation.
static void smooth(track *t, float room, double sigma)
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
    int wide = (int)(3.0 * sigma) + 1;
    for (int i = 0; i < t->count; i++) {
        double sum = 0.0, weights = 0.0;
        for (int k = -wide; k <= wide; k++) {
            double w = exp(-0.5 * k * k / fmax(sigma * sigma, 1e-6));
            sum += w * (double)at(t, i + k);
            weights += w;
        }
        t->out[i] = (float)(sum / weights);
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
                 .work = wri_arena_alloc(arena, n, sizeof(float))};
    return (t->x && t->out && t->work) || wri_fail_memory(error, 3 * n * sizeof(float));
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

bool wri_follow_along(const wri_follow *f, wr_vec3 *shifts, wr_error *error)
{
    WR_ASSERT(f->count > 0 && f->rate > 0.0);
    wri_arena arena = wri_arena_create(f->heap);
    track t;
    bool ok = create(&t, &arena, f->count, error);
    for (int axis = 0; ok && axis < 3; axis++) {
        for (int i = 0; i < f->count; i++) {
            t.x[i] = (&f->centers[i].x)[axis];
        }
        smooth(&t, 0.04f * f->height, 0.35 * f->rate);
        for (int i = 0; i < f->count; i++) {
            (&shifts[i].x)[axis] = t.out[i] - t.out[0];
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}
