// trace.c: the samples of the pixels in a tile.
//
// Every pixel takes points of the same sequences, shifted by a blue-noise mask that is fixed to the
// screen: noise does not flicker where nothing moves, and nothing depends on threads or on earlier
// pictures. Every beginning of the sequences is spread evenly (van der Corput's and the second one
// of Sobol), so that a pixel may stop early. With few samples the first one is enough where it and
// those of the eight pixels around show one surface; on the border of a shadow more rays go to the
// sun from the plane of that surface. An edge between two surfaces parts the middle of the pixel
// that it crosses from the middle of one of the eight.
#include "trace.h"

enum {
    BATCH = 16,  // samples that are traced together
    REFINED = 4, // rays to the sun per sample, on the border of a shadow
    AGAIN = 3,   // more rays of ambient light per sample that the noise filter does not reach
    FEW = 7,     // with more samples somebody wants quality, and has time
    SIDE = WRI_TILE + 2, // of a tile and one pixel around it
};

// What a pixel shows as far as the first samples of it and of the eight around it tell.
typedef enum plainness {
    MIXED,     // more than one surface, or texture
    AT_SHADOW, // one, and the border of a shadow
    PLAIN,     // one, or the sky
} plainness;

// The first sample of a pixel without its ambient ray, and how much of the sun it sees.
typedef struct probe {
    wri_sample of;
    float seen;
} probe;

typedef struct total {
    wri_sample sum, first;
    int hits, count;
    bool is_dim; // no ambient ray was traced
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

// Where in the sun's disc sample i looks for the k-th time.
static void sun_numbers(const wri_picture *p, int x, int y, int i, int k, float *u, float *v)
{
    unsigned point = (unsigned)(i + (k + p->exposure) * p->desc->samples);
    *u = wri_wrap(sobol(point) + wri_mask_at(p->noise, x, y, 0));
    *v = wri_wrap(wri_radical_inverse(point) + wri_mask_at(p->noise, x, y, 1));
}

static float visible_sun(const wri_picture *p, wr_vec3 start, int x, int y, int i, int k)
{
    float u, v;
    sun_numbers(p, x, y, i, k, &u, &v);
    return wri_sees_sun(&p->shading, start, u, v) ? 1.0f : 0.0f;
}

static void add_sun_ray(const wri_picture *p, wr_vec3 start, int x, int y, int i, wri_rays *rays)
{
    float u, v;
    sun_numbers(p, x, y, i, 0, &u, &v);
    rays->from[rays->count] = start;
    rays->direction[rays->count++] = wri_toward_sun(&p->shading, u, v);
}

// Ray number i of `count` through a pixel; the first one is in the middle.
static void pixel_ray(const wri_picture *p, int x, int y, int i, int count, wr_vec3 *from,
                      wr_vec3 *direction)
{
    float jx = wri_wrap((float)i / (float)count + 0.5f);
    float jy = wri_wrap(wri_radical_inverse((unsigned)i) + 0.5f);
    jx = wri_wrap(jx + p->shift[0]);
    jy = wri_wrap(jy + p->shift[1]);
    wri_eye_ray(&p->eye, (float)x + jx, (float)y + jy, from, direction);
}

// Sample `number` of a pixel with point `point` of the sky.
static void trace_sample(const wri_picture *p, int x, int y, int number, int point, wri_sample *out)
{
    float numbers[WRI_SAMPLE_NUMBERS];
    wr_vec3 from, direction;
    ambient_numbers(p->noise, x, y, point + p->desc->samples * p->exposure, numbers);
    pixel_ray(p, x, y, number, p->desc->samples, &from, &direction);
    wri_shade(&p->shading, from, direction, numbers, out);
}

// The first samples of `count` pixels in a row, at most WRI_RAYS.
static void trace_probes(const wri_picture *p, int x, int y, int count, probe *out)
{
    wri_rays rays = {.count = count}, to_sun = {.count = 0};
    float numbers[WRI_RAYS][WRI_SAMPLE_NUMBERS];
    wri_sample *samples[WRI_RAYS];
    bool seen[WRI_RAYS];
    for (int i = 0; i < count; i++) {
        ambient_numbers(p->noise, x + i, y, p->desc->samples * p->exposure, numbers[i]);
        pixel_ray(p, x + i, y, 0, p->desc->samples, &rays.from[i], &rays.direction[i]);
        samples[i] = &out[i].of;
    }
    wri_shade_rays(&p->shading, &rays, numbers, samples);
    for (int i = 0; i < count; i++) {
        if (out[i].of.faces_sun) {
            add_sun_ray(p, out[i].of.start, x + i, y, 0, &to_sun);
        }
    }
    wri_see_sun(&p->shading, &to_sun, seen);
    for (int i = 0, k = 0; i < count; i++) {
        out[i].seen = out[i].of.faces_sun && seen[k++] ? 1.0f : 0.0f;
    }
}

// Traces samples [begin, begin + count).
static void trace_samples(const wri_picture *p, int x, int y, int begin, int count, wri_sample *out,
                          float *seen)
{
    for (int i = 0; i < count; i++) {
        trace_sample(p, x, y, begin + i, begin + i, &out[i]);
        wri_look_around(&p->shading, &out[i]);
        seen[i] = out[i].faces_sun ? visible_sun(p, out[i].start, x, y, begin + i, 0) : 0.0f;
    }
}

// In an environment the light is known that comes to a surface where nothing is in the way of it.
// What an ambient ray would bring there, against that, is a control variate: in the open it takes
// all noise away, and where everything is hidden it would only bring noise. So each pixel takes it
// or not as one more ray finds a way out, which knows nothing of the others: the mean stays.
static void take_control(const wri_picture *p, int x, int y, wri_sample *of, int count)
{
    int first = 0;
    while (first < count && !of[first].has_known) {
        first++;
    }
    if (first == count) {
        return;
    }
    float u = wri_wrap(sobol((unsigned)p->exposure) + wri_mask_at(p->noise, x, y, 5));
    float v = wri_wrap(wri_radical_inverse((unsigned)p->exposure) + wri_mask_at(p->noise, x, y, 6));
    bool is_open = wri_sees_out(&p->shading, &of[first], u, v);
    for (int i = first; is_open && i < count; i++) {
        of[i].ambient = wr_add(of[i].ambient, of[i].ambient_control);
        of[i].open += of[i].open_control;
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
                 wr_is_finite3(sum->weight) && wr_is_finite3(sum->gloss) &&
                 wr_is_finite3(sum->normal) && wr_is_finite3(sum->position);
    int hits = sound ? t->hits : 0;
    sum = sound ? sum : &black;
    float all = 1.0f / (float)t->count, some = hits ? 1.0f / (float)hits : 0.0f;
    const struct {
        int plane;
        wr_vec3 value;
    } planes[] = {
        {WRI_PLANE_COLOR, wr_scale(all, sum->color)},
        {WRI_PLANE_AMBIENT, wr_scale(some, sum->ambient)},
        {WRI_PLANE_WEIGHT, wr_scale(all, sum->weight)},
        {WRI_PLANE_GLOSS, wr_scale(all, sum->gloss)},
        {WRI_PLANE_NORMAL, wr_scale(some, sum->normal)},
        {WRI_PLANE_POSITION, wr_scale(some, sum->position)},
    };
    for (int i = 0; i < WRI_COUNT(planes); i++) {
        *wri_film_at(&p->band, planes[i].plane, x, row) = planes[i].value.x;
        *wri_film_at(&p->band, planes[i].plane + 1, x, row) = planes[i].value.y;
        *wri_film_at(&p->band, planes[i].plane + 2, x, row) = planes[i].value.z;
    }
    *wri_film_at(&p->band, WRI_PLANE_OPEN, x, row) = some * sum->open;
    *wri_film_at(&p->band, WRI_PLANE_HIT, x, row) = hits ? 1.0f : 0.0f;
    *wri_film_at(&p->band, WRI_PLANE_LOOKED, x, row) = hits && !t->is_dim ? 1.0f : 0.0f;
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
            seen[i] += visible_sun(p, of[i].start, x, y, begin + i, k);
        }
        seen[i] /= REFINED;
    }
}

// How much of the sun a pixel of one surface sees, on the border of a shadow: from many places of
// the plane through its sample, one point of the sun each.
static float sun_on_plane(const wri_picture *p, int x, int y, const wri_sample *s)
{
    wri_rays to_sun = {.count = 0};
    bool seen[WRI_RAYS];
    int sum = 0;
    for (int i = 0; i < WRI_RAYS; i++) {
        wr_vec3 from, direction;
        pixel_ray(p, x, y, i, WRI_RAYS, &from, &direction);
        float down = wr_dot(s->normal, direction);
        float t = wr_dot(s->normal, wr_sub(s->position, from)) / down;
        wr_vec3 off = wr_sub(wr_add_scaled(from, t, direction), s->position);
        bool is_grazing = !(down < -0.1f); // the plane goes far there
        wr_vec3 start = is_grazing ? s->start : wr_add(s->start, off);
        add_sun_ray(p, start, x, y, i, &to_sun);
    }
    wri_see_sun(&p->shading, &to_sun, seen);
    for (int i = 0; i < WRI_RAYS; i++) {
        sum += seen[i];
    }
    return (float)sum / WRI_RAYS;
}

// The mean over more points of the sky.
static wr_vec3 look_again(const wri_picture *p, int x, int y, int number, const wri_sample *first)
{
    wr_vec3 sum = wri_light_without_sun(first);
    for (int k = 1; k <= AGAIN; k++) {
        wri_sample more;
        trace_sample(p, x, y, number, number + k * p->desc->samples, &more);
        wri_look_around(&p->shading, &more);
        sum = wr_add(sum, wri_light_without_sun(&more));
    }
    return wr_scale(1.0f / (float)(1 + AGAIN), sum);
}

// The noise filter knows one surface per pixel. Behind its edge samples of another one would stay
// as they are, and be seen as dark and bright dots: they look at more of the sky.
static void add_samples(const wri_picture *p, int x, int y, int begin, const wri_sample *of,
                        const float *seen, int count, total *t)
{
    bool is_rough = p->desc->samples <= FEW;
    for (int i = 0; i < count; i++) {
        const wri_sample *s = &of[i];
        t->first = s->hit && !t->first.hit ? *s : t->first;
        bool is_filtered = s->hit && same_surface(p, &t->first, s);
        wr_vec3 lit = s->hit && !is_filtered && is_rough ? look_again(p, x, y, begin + i, s)
                                                         : wri_light_without_sun(s);
        t->sum.color = wr_add(t->sum.color, wr_add_scaled(lit, seen[i], s->sun));
        if (is_filtered) {
            t->sum.ambient = wr_add(t->sum.ambient, s->ambient);
            t->sum.open += s->open;
            t->sum.weight = wr_add(t->sum.weight, s->weight);
            t->sum.gloss = wr_add(t->sum.gloss, s->gloss);
            t->sum.normal = wr_add(t->sum.normal, s->normal);
            t->sum.position = wr_add(t->sum.position, s->position);
            t->hits++;
        }
    }
    t->count += count;
}

// All samples of a pixel, the first of which may be there already.
static void finish_pixel(const wri_picture *p, int x, int y, const probe *first)
{
    wri_sample batch[BATCH];
    float seen[BATCH];
    total t = {0};
    int n = p->desc->samples;
    for (int begin = 0; begin < n; begin += BATCH) {
        int count = n - begin < BATCH ? n - begin : BATCH, known = first && begin == 0;
        if (known) {
            batch[0] = first->of;
            seen[0] = first->seen;
            wri_look_around(&p->shading, &batch[0]);
        }
        trace_samples(p, x, y, begin + known, count - known, batch + known, seen + known);
        ask_again(p, x, y, begin, count, batch, seen);
        take_control(p, x, y, batch, count);
        add_samples(p, x, y, begin, batch, seen, count, &t);
    }
    store_pixel(p, x, y - p->first_row, &t);
}

// Next to sunlight noise in the ambient light is hardly seen: every second pixel, of one sample
// three in four, leave it to the noise filter, which averages over those around it if they lie in
// one plane with it. Some that are beside it, or at its corners, never leave it.
static bool is_left_to_others(const wri_picture *p, int x, int y, const probe *own)
{
    static const int sides[] = {-1, 1, -SIDE, SIDE};
    static const int corners[] = {-SIDE - 1, -SIDE + 1, SIDE - 1, SIDE + 1};
    bool is_single = p->desc->samples == 1;
    bool is_left = own->seen > 0.0f && (is_single ? x % 2 || y % 2 : (x + y) % 2);
    for (int i = 0; is_left && i < 4; i++) {
        is_left = same_surface(p, &own->of, &own[sides[i]].of) &&
                  (!is_single || same_surface(p, &own->of, &own[corners[i]].of));
    }
    return is_left;
}

// A pixel of which the first sample, and those around it, tell everything but, on the border of a
// shadow, the sun.
static void finish_plain_pixel(const wri_picture *p, int x, int y, const probe *own, plainness is)
{
    wri_sample sample = own->of;
    bool asks_again =
        is == AT_SHADOW && p->desc->samples > 1; // one sample: a preview, or one of many
    float seen = asks_again ? sun_on_plane(p, x, y, &sample) : own->seen;
    total t = {.is_dim = is == PLAIN && is_left_to_others(p, x, y, own)};
    if (!t.is_dim) {
        wri_look_around(&p->shading, &sample);
    }
    add_samples(p, x, y, 0, &sample, &seen, 1, &t);
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

static bool continues(const wri_sample *a, const wri_sample *b)
{
    return a->item == b->item && a->faces_sun == b->faces_sun &&
           (!a->hit || wr_dot(a->normal, b->normal) > 0.9f) && is_near(a->weight, b->weight) &&
           is_near(a->color, b->color);
}

static plainness find_plainness(const probe *own)
{
    plainness is = own->of.item == WRI_ITEM_MIXED ? MIXED : PLAIN;
    for (int i = 0; i < 9 && is != MIXED; i++) {
        const probe *other = own + (i / 3 - 1) * SIDE + i % 3 - 1;
        is = i == 4                             ? is
             : !continues(&own->of, &other->of) ? MIXED
             : own->seen != other->seen         ? AT_SHADOW
                                                : is;
    }
    return is;
}

// Beyond the border of the tile one sample of each pixel tells the same as those of the tile that
// it belongs to, so that no tile is seen.
static void trace_tile(const wri_picture *p, int x0, int y0)
{
    probe all[SIDE * SIDE];
    int n = p->desc->samples, across = p->desc->width - x0, down = p->trace_end - y0;
    int width = across < WRI_TILE ? across : WRI_TILE, height = down < WRI_TILE ? down : WRI_TILE;
    // Lamps that ambient rays must find leave more noise than the filter takes away.
    bool has_lamps = p->shading.environment && p->shading.environment->bright_share > 0.0f;
    bool has_probes = n <= FEW && !p->shading.wire && !has_lamps;
    for (int y = 0; has_probes && y < height + 2; y++) {
        for (int x = 0; x < width + 2; x += WRI_RAYS) {
            int left = width + 2 - x, count = left < WRI_RAYS ? left : WRI_RAYS;
            trace_probes(p, x0 + x - 1, y0 + y - 1, count, &all[y * SIDE + x]);
        }
    }
    for (int i = 0; i < width * height; i++) {
        int x = x0 + i % width, y = y0 + i / width;
        const probe *own = has_probes ? &all[(i / width + 1) * SIDE + i % width + 1] : NULL;
        plainness is = own ? find_plainness(own) : MIXED;
        if (is == MIXED) {
            finish_pixel(p, x, y, own);
        } else {
            finish_plain_pixel(p, x, y, own, is);
        }
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
