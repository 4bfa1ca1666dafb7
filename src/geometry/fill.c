// fill.c: fills a model with points: checks, the model's own frame, how many, the result.
//
// Everything is found in a frame in which the model is about 1 large, so that neither size nor
// place matter. How fine the solid has to be depends on its volume, which it tells: it is built for
// a guess, and again where the guess was wrong.
#include "fill.h"

#include <float.h>

enum { COOKIE = 0x46494c4c, TRIES = 6, EMPTY_TRIES = 3, GUESSED = 5000 };
static const double THINNEST = 0.05; // spacings

typedef struct work {
    const wr_fill_desc *desc;
    wri_arena arena;
    double middle[3], scale; // metres per unit
    wr_vec3 *positions;
    wri_soup soup;
    wri_fill_size size;
    wri_fill_solid solid;
    double volume;   // of the model, units^3
    double integral; // of 1 / spacing^3 over the model
    wri_fill_points points;
} work;

wr_fill_desc wr_fill_desc_default(void)
{
    return (wr_fill_desc){.cookie = COOKIE};
}

// --- checks -----------------------------------------------------------------------------------

static bool check_wish(const wr_fill_desc *d, wr_error *error)
{
    if ((d->count != 0) == (d->spacing != 0.0)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "count and spacing: %d and %s m, expected one of them", d->count,
                        WRI_NUMBER(d->spacing, 6));
    }
    if (d->count != 0 && d->count < WR_FILL_LEAST) {
        return wri_fail(error, WR_E_ARGUMENT, "count: %d, expected at least %d points", d->count,
                        WR_FILL_LEAST);
    }
    if (d->count > WR_FILL_MOST) {
        return wri_fail(error, WR_E_LIMIT, "count: %d, expected at most %d points", d->count,
                        WR_FILL_MOST);
    }
    if (!(d->spacing >= 0.0 && d->spacing <= DBL_MAX)) {
        return wri_fail(error, WR_E_ARGUMENT, "spacing: %s m, expected a positive number",
                        WRI_NUMBER(d->spacing, 6));
    }
    return true;
}

static bool check_mesh(const wr_fill_desc *d, wr_error *error)
{
    for (int i = 0; i < d->vertex_count; i++) {
        wr_vec3 p = d->positions[i];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
            return wri_fail(error, WR_E_ARGUMENT, "positions[%d]: not finite", i);
        }
        if (d->factors && !(d->factors[i] > 0.0f && d->factors[i] <= 1e3f)) {
            return wri_fail(error, WR_E_ARGUMENT, "factors[%d]: %s, expected a number in (0, 1000]",
                            i, WRI_NUMBER(d->factors[i], 6));
        }
    }
    for (int i = 0; i < 3 * d->triangle_count; i++) {
        if (d->triangles[i] < 0 || d->triangles[i] >= d->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT, "triangles[%d]: vertex %d of %d", i / 3,
                            d->triangles[i], d->vertex_count);
        }
    }
    return true;
}

static bool check(const wr_fill_desc *desc, wr_error *error)
{
    return WRI_REQUIRE_DESC(error, wr_fill_desc, desc, COOKIE) &&
           WRI_REQUIRE_LIST(error, desc->positions, desc->vertex_count) &&
           WRI_REQUIRE_LIST(error, desc->triangles, desc->triangle_count) &&
           check_wish(desc, error) && check_mesh(desc, error);
}

static bool fail_empty(const wr_fill_desc *d, wr_error *error)
{
    return wri_fail(error, WR_E_ARGUMENT, "the model of %d %s encloses no volume",
                    d->triangle_count, wri_plural(d->triangle_count, "triangle", "triangles"));
}

// --- the model's own frame --------------------------------------------------------------------

static bool place(work *w, wr_error *error)
{
    const wr_fill_desc *d = w->desc;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * d->triangle_count; i++) {
        wr_vec3 p = d->positions[d->triangles[i]];
        const double c[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], c[k]);
            high[k] = fmax(high[k], c[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        w->scale = fmax(w->scale, high[k] - low[k]);
        w->middle[k] = 0.5 * (low[k] + high[k]);
    }
    if (!(w->scale > 0.0)) {
        return fail_empty(d, error);
    }
    w->positions = wri_arena_alloc(&w->arena, (size_t)d->vertex_count, sizeof *w->positions);
    for (int i = 0; w->positions && i < d->vertex_count; i++) {
        wr_vec3 p = d->positions[i];
        w->positions[i] = wr_v3((float)((p.x - w->middle[0]) / w->scale),
                                (float)((p.y - w->middle[1]) / w->scale),
                                (float)((p.z - w->middle[2]) / w->scale));
    }
    return (w->positions &&
            wri_soup_build(&w->soup, &w->arena, w->positions, d->triangles, d->triangle_count)) ||
           wri_fail_memory(error, 0);
}

// --- volume -----------------------------------------------------------------------------------

// Integrals over the surface, of n, of x n^T, of x . n / 3, and of 1.
typedef struct fluxes {
    double normal[3], flux[3][3], volume, area;
} fluxes;

static fluxes find_fluxes(const wri_soup *soup)
{
    fluxes f = {0};
    for (int i = 0; i < soup->triangle_count; i++) {
        double c[3][3];
        wri_soup_corners(soup, i, c);
        f.area += wri_soup_area(soup, i);
        for (int j = 0; j < 3; j++) {
            int p = (j + 1) % 3, q = (j + 2) % 3;
            double n = 0.5 * ((c[1][p] - c[0][p]) * (c[2][q] - c[0][q]) -
                              (c[1][q] - c[0][q]) * (c[2][p] - c[0][p]));
            f.normal[j] += n;
            for (int k = 0; k < 3; k++) {
                f.flux[k][j] += (c[0][k] + c[1][k] + c[2][k]) / 3.0 * n;
            }
        }
    }
    f.volume = (f.flux[0][0] + f.flux[1][1] + f.flux[2][2]) / 3.0;
    return f;
}

// A closed surface has no net normal and the flux V I.
static bool is_closed(const fluxes *f)
{
    double most = 0.0;
    for (int j = 0; j < 3; j++) {
        most = fmax(most, fabs(f->normal[j]));
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(f->flux[k][j] - (j == k ? f->volume : 0.0)));
        }
    }
    return most < 1e-4 * fabs(f->volume);
}

// Closed, and of no thickness that a float could tell.
static bool is_flat(const fluxes *f)
{
    double normal = 0.0;
    for (int k = 0; k < 3; k++) {
        normal = fmax(normal, fabs(f->normal[k]));
    }
    return normal <= 1e-6 * f->area && fabs(f->volume) <= 1e-6 * f->area;
}

// The volume of a closed surface is known exactly, unless parts of it overlap or differ in side.
static double find_volume(const wri_fill_solid *solid, const fluxes *f)
{
    bool plain =
        solid->least > -0.5f ? solid->most < 1.5f : solid->most < 0.5f && solid->least > -1.5f;
    return plain && is_closed(f) ? fabs(f->volume) : solid->volume;
}

static double find_integral(const work *w)
{
    double sum = 0.0, base = (double)w->size.base;
    if (!w->size.values) {
        return w->volume / (base * base * base);
    }
    for (int tile = 0; tile < w->solid.tile_count; tile++) {
        wri_fill_sample samples[WRI_TILE_SAMPLES];
        int count = wri_fill_tile_samples(&w->solid, tile, samples);
        for (int i = 0; i < count; i++) {
            double s = (double)wri_fill_size_at(&w->size, samples[i].p);
            sum += (double)samples[i].volume / (s * s * s);
        }
    }
    return sum * w->volume / w->solid.volume;
}

// --- how fine ---------------------------------------------------------------------------------

// Newton's method; x > 0.
static double cube_root(double x)
{
    double r = sqrt(sqrt(x));
    for (int i = 0; i < 60; i++) {
        r -= (r - x / (r * r)) / 3.0;
    }
    return r;
}

// Builds size field and solid for a spacing.
static bool build(work *w, const fluxes *f, double spacing, wr_error *error)
{
    wri_fill_solid_destroy(&w->solid);
    w->size.base = (float)spacing;
    wri_fill_size_limit(&w->size);
    if (!wri_fill_solid_build(&w->solid, &w->arena, &w->soup, &w->size, &w->desc->tasks)) {
        return wri_fail_memory(error, 0);
    }
    w->volume = w->solid.volume > 0.0 ? find_volume(&w->solid, f) : 0.0;
    w->integral = w->volume > 0.0 ? find_integral(w) : 0.0;
    return true;
}

// Returns the spacing that the wish means, in units, as far as the solid tells.
static double wished(const work *w)
{
    const wr_fill_desc *d = w->desc;
    return d->count ? (double)w->size.base * cube_root(w->integral / d->count)
                    : d->spacing / w->scale;
}

static double find_count(const work *w)
{
    double ratio = (double)w->size.base / wished(w);
    return w->integral * ratio * ratio * ratio;
}

// A wished count is in range, but may be found again with a rounding error.
static bool check_count(const work *w, wr_error *error)
{
    double count = find_count(w);
    return w->desc->count || count <= WR_FILL_MOST ||
           wri_fail(error, WR_E_LIMIT, "spacing: %s m makes %.0f points, expected at most %d",
                    WRI_NUMBER(w->desc->spacing, 6), count, WR_FILL_MOST);
}

// A sheet gets one layer of points however thin it is, s / thickness times as many as were wished.
static bool check_thickness(const work *w, const fluxes *f, wr_error *error)
{
    const wr_fill_desc *d = w->desc;
    double volume = fabs(f->volume), thickness = 2.0 * volume / f->area;
    double spacing = d->count ? cube_root(volume / d->count) : d->spacing / w->scale;
    return !is_closed(f) || thickness >= THINNEST * spacing ||
           wri_fail(error, WR_E_ARGUMENT,
                    "the model is %s m thick in the mean, expected at least %s m for points "
                    "%s m apart",
                    WRI_NUMBER(thickness * w->scale, 2),
                    WRI_NUMBER(THINNEST * spacing * w->scale, 2),
                    WRI_NUMBER(spacing * w->scale, 2));
}

// A first guess, rather too wide: a count only says something together with a volume.
static double guess_spacing(const work *w, const fluxes *f)
{
    int count = w->desc->count ? w->desc->count : GUESSED;
    double volume = fabs(f->volume);
    if (!is_closed(f)) {
        count = count < GUESSED ? count : GUESSED;
        volume = fmax(volume, 0.1);
    }
    return fmax(cube_root(volume / count), w->desc->spacing / w->scale);
}

static bool find_spacing(work *w, wr_error *error)
{
    fluxes f = find_fluxes(&w->soup);
    if (is_flat(&f)) {
        return fail_empty(w->desc, error);
    }
    if (!check_thickness(w, &f, error)) {
        return false;
    }
    double guess = guess_spacing(w, &f);
    for (int i = 0, empty = 0; i < TRIES && empty < EMPTY_TRIES; i++) {
        if (!build(w, &f, guess, error)) {
            return false;
        }
        if (w->volume <= 0.0) {
            empty++;
            guess *= 0.5;
            continue;
        }
        if (!check_count(w, error)) {
            return false;
        }
        double wish = wished(w);
        if (fabs(wish / guess - 1.0) < 0.1) {
            break;
        }
        guess = wish;
    }
    return w->volume > 0.0 || fail_empty(w->desc, error);
}

// --- the result -------------------------------------------------------------------------------

typedef struct owner {
    wri_arena arena;
    wr_fill fill; // lives in the arena that it owns
} owner;

static wr_fill *create_result(const work *w)
{
    wri_arena arena = wri_arena_create(&w->desc->allocator);
    size_t count = (size_t)w->points.count;
    owner *o = wri_arena_alloc(&arena, 1, sizeof *o);
    wr_fill f = {.count = w->points.count, .memory = o};
    f.positions = wri_arena_alloc(&arena, count, sizeof *f.positions);
    f.volumes = wri_arena_alloc(&arena, count, sizeof *f.volumes);
    f.spacings = wri_arena_alloc(&arena, count, sizeof *f.spacings);
    f.places = wri_arena_alloc(&arena, count, sizeof *f.places);
    if (!o || !f.positions || !f.volumes || !f.spacings || !f.places) {
        wri_arena_destroy(&arena);
        return NULL;
    }
    *o = (owner){arena, f};
    return &o->fill;
}

static void write_areas(const work *w, wr_fill *f)
{
    for (int i = 0; i < w->soup.triangle_count; i++) {
        double area = wri_soup_area(&w->soup, i) * w->scale * w->scale;
        f->area += area;
        f->far_area += w->points.is_far[i] ? area : 0.0;
    }
}

static void write_result(const work *w, wr_fill *f)
{
    double cube = w->scale * w->scale * w->scale, ratio = w->volume / w->solid.volume;
    f->spacing = (double)w->size.base * w->scale;
    f->volume = w->volume * cube;
    f->far_volume = w->points.far_volume * ratio * cube;
    for (int i = 0; i < f->count; i++) {
        const float *x = w->points.x[i];
        f->positions[i] = wr_v3((float)(w->middle[0] + w->scale * (double)x[0]),
                                (float)(w->middle[1] + w->scale * (double)x[1]),
                                (float)(w->middle[2] + w->scale * (double)x[2]));
        f->volumes[i] = (float)(w->points.volumes[i] * ratio * cube);
        f->spacings[i] = (float)((double)wri_fill_size_at(&w->size, x) * w->scale);
        f->places[i].triangle = w->points.nearest[i].triangle;
        wri_soup_weights(&w->soup, &w->points.nearest[i], f->places[i].weights);
    }
}

static bool check_result(const work *w, wr_error *error)
{
    int count = w->points.count;
    if (count >= WR_FILL_LEAST) {
        return true;
    }
    if (w->desc->count) {
        return wri_fail(error, WR_E_ARGUMENT, "count: %d makes %d %s, expected at least %d",
                        w->desc->count, count, wri_plural(count, "point", "points"), WR_FILL_LEAST);
    }
    return wri_fail(error, WR_E_ARGUMENT,
                    "spacing: %s m makes %d %s of the model's %s m^3, expected at least %d",
                    WRI_NUMBER(w->desc->spacing, 6), count, wri_plural(count, "point", "points"),
                    WRI_NUMBER(w->volume * w->scale * w->scale * w->scale, 3), WR_FILL_LEAST);
}

static bool spread(work *w, wr_error *error)
{
    if (!find_spacing(w, error)) {
        return false;
    }
    double total = find_count(w), wish = wished(w);
    int count = w->desc->count ? w->desc->count : (int)fmax(total + 0.5, 1.0);
    w->size.base = (float)wish;
    if (!wri_fill_points_spread(&w->points, &w->arena, &w->soup, &w->solid, &w->size,
                                total * w->solid.volume / w->volume, count, &w->desc->tasks)) {
        return wri_fail_memory(error, 0);
    }
    return check_result(w, error);
}

wr_fill *wr_fill_create(const wr_fill_desc *desc, wr_error *error)
{
    if (!check(desc, error)) {
        return NULL;
    }
    work w = {.desc = desc, .arena = wri_arena_create(&desc->allocator)};
    wr_fill *fill = NULL;
    bool ok = place(&w, error);
    if (ok && !wri_fill_size_build(&w.size, &w.arena, &w.soup, desc->factors, &desc->tasks)) {
        ok = wri_fail_memory(error, 0);
    }
    if (ok && spread(&w, error)) {
        fill = create_result(&w);
        if (fill) {
            write_result(&w, fill);
            write_areas(&w, fill);
        } else {
            wri_fail_memory(error, (size_t)w.points.count * sizeof *fill->positions);
        }
    }
    wri_fill_solid_destroy(&w.solid);
    wri_arena_destroy(&w.arena);
    return fill;
}

void wr_fill_destroy(wr_fill *fill)
{
    if (fill) {
        wri_arena arena = ((owner *)fill->memory)->arena;
        wri_arena_destroy(&arena);
    }
}
