// trace.c: the samples of the pixels in a tile.
//
// Every pixel takes points of the same sequences, shifted by a blue-noise mask that is fixed to the
// screen: noise does not flicker where nothing moves, and nothing depends on threads or on earlier
// pictures. Every beginning of the sequences is spread evenly (van der Corput's and the second one
// of Sobol), so that a pixel may stop early: half of its samples do where they and the pixels
// beside it show one surface, all of it in the sun or in the shade.
#include "trace.h"

enum {
    BATCH = 16,  // samples that are traced together
    REFINED = 4, // rays to the sun per sample, on the border of a shadow
    PROBES = 4,  // most samples after which a pixel may stop
    NUMBERS = WRI_TILE * WRI_TILE,
};

// Samples of a pixel, and how much of the sun each sees.
typedef struct samples {
    wri_sample of[PROBES];
    float seen[PROBES];
} samples;

typedef struct total {
    wri_sample sum, first;
    int hits, count;
} total;

// --- points -----------------------------------------------------------------------------------

// The second dimension of Sobol's sequence.
static float sobol(unsigned i)
{
    unsigned bits = 0;
    for (unsigned v = 1u << 31; i; i >>= 1, v ^= v >> 1) {
        bits ^= i & 1 ? v : 0;
    }
    return (float)(bits >> 8) * 0x1p-24f;
}

static void ambient_numbers(const wri_noise *noise, int x, int y, int i,
                            float numbers[WRI_SAMPLE_NUMBERS])
{
    float golden = 0.6180340f * (float)i;
    numbers[0] = wri_wrap(wri_radical_inverse((unsigned)i) + wri_mask_at(noise, x, y, 2));
    numbers[1] = wri_wrap(sobol((unsigned)i) + wri_mask_at(noise, x, y, 3));
    numbers[2] = wri_wrap(golden - floorf(golden) + wri_mask_at(noise, x, y, 4));
}

// Whether sample i sees point k of the sun's disc.
static float visible_sun(const wri_picture *p, const wri_sample *sample, int x, int y, int i, int k)
{
    unsigned point = (unsigned)(i + (k + p->exposure) * p->desc->samples);
    float u = wri_wrap(sobol(point) + wri_mask_at(p->noise, x, y, 0));
    float v = wri_wrap(wri_radical_inverse(point) + wri_mask_at(p->noise, x, y, 1));
    return wri_sees_sun(&p->shading, sample->start, u, v) ? 1.0f : 0.0f;
}

// Traces samples [begin, begin + count). The first two are in opposite corners of the pixel.
static void trace_samples(const wri_picture *p, int x, int y, int begin, int count, wri_sample *out,
                          float *seen)
{
    int n = p->desc->samples;
    for (int i = 0; i < count; i++) {
        float numbers[WRI_SAMPLE_NUMBERS];
        int number = begin + i, k = number == 0 ? 0 : number == 1 ? n - 1 : number - 1;
        ambient_numbers(p->noise, x, y, number + n * p->exposure, numbers);
        float jx = ((float)k + 0.5f) / (float)n;
        float jy = wri_radical_inverse((unsigned)k) + 0.5f / (float)n;
        jx = wri_wrap(jx + p->shift[0]);
        jy = wri_wrap(jy + p->shift[1]);
        wr_vec3 from, direction;
        wri_eye_ray(&p->eye, (float)x + jx, (float)y + jy, &from, &direction);
        wri_shade(&p->shading, from, direction, numbers, &out[i]);
        seen[i] = out[i].faces_sun ? visible_sun(p, &out[i], x, y, number, 0) : 0.0f;
    }
}

// --- pixels -----------------------------------------------------------------------------------

// The filter may compare a pixel by one surface alone; a sample of another one only counts as
// colour.
static bool same_surface(const wri_picture *p, const wri_sample *a, const wri_sample *b)
{
    float pixel = p->shading.pixel_angle * wr_length(a->position) + p->shading.pixel_size;
    float off = wr_dot(a->normal, wr_sub(b->position, a->position));
    return wr_dot(a->normal, b->normal) > 0.9f && fabsf(off) < pixel;
}

// Numbers too large to be light leave a black pixel and do not reach its neighbours.
static void store_pixel(const wri_picture *p, int x, int row, const total *t)
{
    const wri_sample black = {0}, *sum = &t->sum;
    bool sound = wr_is_finite3(sum->color) && wr_is_finite3(sum->ambient) &&
                 wr_is_finite3(sum->weight) && wr_is_finite3(sum->normal) &&
                 wr_is_finite3(sum->position);
    int hits = sound ? t->hits : 0;
    sum = sound ? sum : &black;
    float all = 1.0f / (float)t->count, some = hits ? 1.0f / (float)hits : 0.0f;
    const wr_vec3 planes[5] = {
        wr_scale(all, sum->color),   wr_scale(some, sum->ambient),  wr_scale(all, sum->weight),
        wr_scale(some, sum->normal), wr_scale(some, sum->position),
    };
    for (int i = 0; i < 5; i++) {
        *wri_film_at(&p->band, 3 * i, x, row) = planes[i].x;
        *wri_film_at(&p->band, 3 * i + 1, x, row) = planes[i].y;
        *wri_film_at(&p->band, 3 * i + 2, x, row) = planes[i].z;
    }
    *wri_film_at(&p->band, WRI_PLANE_HIT, x, row) = hits ? 1.0f : 0.0f;
}

// Where samples disagree about the sun, the pixel lies on the border of a shadow, and each of them
// asks again: few pixels, much less noise.
static void ask_again(const wri_picture *p, int x, int y, int begin, int count,
                      const wri_sample *of, float *seen)
{
    int lit = 0, facing = 0;
    for (int i = 0; i < count; i++) {
        facing += of[i].faces_sun;
        lit += seen[i] > 0.0f;
    }
    if (lit == 0 || lit == facing) {
        return;
    }
    for (int i = 0; i < count; i++) {
        for (int k = 1; k < REFINED && of[i].faces_sun; k++) {
            seen[i] += visible_sun(p, &of[i], x, y, begin + i, k);
        }
        seen[i] /= REFINED;
    }
}

static void add_samples(const wri_picture *p, const wri_sample *of, const float *seen, int count,
                        total *t)
{
    for (int i = 0; i < count; i++) {
        const wri_sample *s = &of[i];
        wr_vec3 lit = wr_v3(s->weight.x * s->ambient.x, s->weight.y * s->ambient.y,
                            s->weight.z * s->ambient.z);
        lit = wr_add_scaled(wr_add(s->color, lit), seen[i], s->sun);
        t->sum.color = wr_add(t->sum.color, lit);
        t->first = s->hit && !t->first.hit ? *s : t->first;
        if (s->hit && same_surface(p, &t->first, s)) {
            t->sum.ambient = wr_add(t->sum.ambient, s->ambient);
            t->sum.weight = wr_add(t->sum.weight, s->weight);
            t->sum.normal = wr_add(t->sum.normal, s->normal);
            t->sum.position = wr_add(t->sum.position, s->position);
            t->hits++;
        }
    }
    t->count += count;
}

// All samples of a pixel, the first `probes` of which are there already.
static void finish_pixel(const wri_picture *p, int x, int y, const samples *first, int probes,
                         bool is_enough)
{
    wri_sample batch[BATCH];
    float seen[BATCH];
    total t = {0};
    int n = is_enough ? probes : p->desc->samples;
    for (int begin = 0; begin < n; begin += BATCH) {
        int count = n - begin < BATCH ? n - begin : BATCH, known = begin == 0 ? probes : 0;
        for (int i = 0; i < known; i++) {
            batch[i] = first->of[i];
            seen[i] = first->seen[i];
        }
        trace_samples(p, x, y, begin + known, count - known, batch + known, seen + known);
        ask_again(p, x, y, begin, count, batch, seen);
        add_samples(p, batch, seen, count, &t);
    }
    store_pixel(p, x, y - p->first_row, &t);
}

// --- tiles ------------------------------------------------------------------------------------

static bool is_near(wr_vec3 a, wr_vec3 b)
{
    const float least = 0.01f, part = 0.08f;
    wr_vec3 d = wr_sub(a, b);
    return fabsf(d.x) <= least + part * fabsf(a.x) && fabsf(d.y) <= least + part * fabsf(a.y) &&
           fabsf(d.z) <= least + part * fabsf(a.z);
}

static bool is_one_surface(const wri_picture *p, const samples *s, int probes)
{
    const wri_sample *a = &s->of[0];
    bool is = a->item != WRI_ITEM_MIXED;
    for (int i = 1; is && i < probes; i++) {
        const wri_sample *b = &s->of[i];
        is = a->item == b->item && s->seen[i] == s->seen[0] && a->faces_sun == b->faces_sun &&
             is_near(a->weight, b->weight) && is_near(a->color, b->color) &&
             (!a->hit || same_surface(p, a, b));
    }
    return is;
}

static bool continues(const samples *a, const samples *b)
{
    const wri_sample *s = &a->of[0], *t = &b->of[0];
    return s->item == t->item && a->seen[0] == b->seen[0] &&
           (!s->hit || wr_dot(s->normal, t->normal) > 0.9f);
}

// Whether the probes of a pixel are all that it needs. At the border of the tile those of its
// neighbours are not known: its own must do.
static bool is_done(const wri_picture *p, const samples *all, int x, int y, int width, int height,
                    int probes)
{
    const samples *own = &all[y * WRI_TILE + x];
    return is_one_surface(p, own, probes) && (x == 0 || continues(own, own - 1)) &&
           (y == 0 || continues(own, own - WRI_TILE)) &&
           (x + 1 == width || continues(own, own + 1)) &&
           (y + 1 == height || continues(own, own + WRI_TILE));
}

static void trace_tile(const wri_picture *p, int x0, int y0)
{
    samples all[NUMBERS];
    int n = p->desc->samples, across = p->desc->width - x0, down = p->trace_end - y0;
    int width = across < WRI_TILE ? across : WRI_TILE, height = down < WRI_TILE ? down : WRI_TILE;
    // With many samples somebody wants quality, and has time.
    int probes = n >= 4 && n <= 2 * PROBES && !p->shading.wire ? n / 2 : 0;
    for (int i = 0; probes && i < width * height; i++) {
        int x = i % width, y = i / width;
        samples *s = &all[y * WRI_TILE + x];
        trace_samples(p, x0 + x, y0 + y, 0, probes, s->of, s->seen);
    }
    for (int i = 0; i < width * height; i++) {
        int x = i % width, y = i / width;
        bool done = probes && is_done(p, all, x, y, width, height, probes);
        finish_pixel(p, x0 + x, y0 + y, &all[y * WRI_TILE + x], probes, done);
    }
}

void wri_trace_tile(void *picture, int block, int begin, int end)
{
    const wri_picture *p = picture;
    unsigned mode = wri_enter_float_mode();
    (void)block;
    for (int tile = begin; tile < end; tile++) {
        int across = (p->desc->width + WRI_TILE - 1) / WRI_TILE;
        trace_tile(p, tile % across * WRI_TILE, p->trace_begin + tile / across * WRI_TILE);
    }
    wri_leave_float_mode(mode);
}
