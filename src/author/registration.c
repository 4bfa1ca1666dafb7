// registration.c: an as-rigid-as-possible mesh that looks for its picture, from coarse to fine.
//
// Two ways to see where to go, both kept together by the mesh (registration_system.c):
// - Push, which finds what has gone far; on the coarse levels.
// - Refine: Gauss-Newton on colours and alpha (registration_colors.c) and on the distance of the
//   outlines, both ways (registration_outlines.c). Exact to a part of a pixel; on all levels.
// u rest, x places, both in pixels.
#include "registrar.h"

#include <math.h>

enum { REFINE_ROUNDS = 14, TURNS = 24 };

#define RIGID_COARSE 0.3 // a, relative to the slopes of the picture
#define RIGID_FINE 0.003
#define STEP 2.0 // pixels of a level that a vertex may go per round

// --- starts -----------------------------------------------------------------------------------

// The middle of what is there, by alpha.
static void find_middle(const wri_pyramid_level *l, double out[2])
{
    double sum = 1e-12;
    out[0] = out[1] = 0.0;
    for (int i = 0; i < l->width * l->height; i++) {
        double a = (double)l->values[4 * i + 3];
        out[0] += a * (i % l->width + 0.5) * l->unit;
        out[1] += a * (i / l->width + 0.5) * l->unit;
        sum += a;
    }
    out[0] /= sum;
    out[1] /= sum;
}

// The whole drawing moved and turned; turned only where that looks much better.
static void start_rigid(wri_search *s)
{
    const wri_registrar *r = s->r;
    int level = s->picture.level_count - 1;
    double from[2], to[2], best = INFINITY;
    int chosen = 0;
    find_middle(&r->picture.levels[level], from);
    find_middle(&s->picture.levels[level], to);
    for (int k = -1; k <= TURNS; k++) { // the last time for good
        int turn = k < TURNS ? k : chosen;
        double angle = turn < 0 ? 0.0 : 2.0 * 3.14159265358979323846 * turn / TURNS;
        double c = cos(angle), t = sin(angle), stay = turn < 0 ? 0.0 : 1.0; // -1: not even moved
        for (int v = 0; v < r->n; v++) {
            double x = r->u[v][0] - from[0], y = r->u[v][1] - from[1];
            s->x[v][0] = c * x - t * y + from[0] + stay * (to[0] - from[0]);
            s->x[v][1] = t * x + c * y + from[1] + stay * (to[1] - from[1]);
        }
        double cost = wri_search_mismatch(s, level) * (turn > 0 ? 1.3 : 1.0);
        if (cost < best) {
            best = cost;
            chosen = turn;
        }
    }
}

// --- rounds -----------------------------------------------------------------------------------

static bool refine(wri_search *s, int level)
{
    double unit = s->picture.levels[level].unit;
    double fine =
        s->picture.level_count > 1 ? 1.0 - (double)level / (s->picture.level_count - 1) : 1.0;
    double a = RIGID_COARSE * pow(RIGID_FINE / RIGID_COARSE, fine);
    for (int round = 0; round < REFINE_ROUNDS; round++) {
        wri_registrar_find_turns(s->r, (const wri_place2 *)s->x);
        wri_registrar_begin_system(s->r, a);
        wri_search_add_colors(s, level);
        if (level > 0 || round < REFINE_ROUNDS / 2) { // the border cuts corners; colours do not
            wri_search_add_outlines(s, 4.0 * unit);
        }
        if (!wri_search_solve(s, STEP * unit)) {
            return false;
        }
    }
    return true;
}

static bool descend(wri_search *s)
{
    bool ok = true;
    for (int level = s->picture.level_count - 1; ok && level >= 0; level--) {
        ok = wri_search_push(s, level) && refine(s, level);
    }
    return ok;
}

// --- how well ---------------------------------------------------------------------------------

// Marks the pixels of a level that the mesh covers.
static void cover(const wri_search *s, const wri_pyramid_level *l, uint8_t *covered)
{
    for (int e = 0; e < s->r->element_count; e++) {
        const int *t = s->r->elements + 3 * e;
        const double *a = s->x[t[0]], *b = s->x[t[1]], *c = s->x[t[2]];
        double low[2], high[2];
        for (int k = 0; k < 2; k++) {
            low[k] = fmax(0.0, fmin(a[k], fmin(b[k], c[k])) / l->unit);
            high[k] =
                fmin(k == 0 ? l->width - 1 : l->height - 1, fmax(a[k], fmax(b[k], c[k])) / l->unit);
        }
        for (int j = (int)low[1]; j <= (int)floor(high[1]); j++) {
            for (int i = (int)low[0]; i <= (int)floor(high[0]); i++) {
                double x = (i + 0.5) * l->unit, y = (j + 0.5) * l->unit;
                double p = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
                double q = (c[0] - b[0]) * (y - b[1]) - (c[1] - b[1]) * (x - b[0]);
                double o = (a[0] - c[0]) * (y - c[1]) - (a[1] - c[1]) * (x - c[0]);
                if ((p >= 0.0 && q >= 0.0 && o >= 0.0) || (p <= 0.0 && q <= 0.0 && o <= 0.0)) {
                    covered[j * l->width + i] = 1;
                }
            }
        }
    }
}

static double find_overlap(const wri_search *s, uint8_t *covered)
{
    const wri_pyramid_level *l = &s->picture.levels[0];
    int both = 0, any = 0;
    cover(s, l, covered);
    for (int i = 0; i < l->width * l->height; i++) {
        bool there = l->values[4 * i + 3] > 0.5f;
        both += there && covered[i];
        any += there || covered[i];
    }
    return any > 0 ? (double)both / any : 0.0;
}

static bool measure(wri_search *s, wri_registration *out)
{
    const wri_pyramid_level *l = &s->picture.levels[0];
    uint8_t *covered = wri_arena_alloc(&s->arena, (size_t)l->width * (size_t)l->height, 1);
    if (!covered) {
        return wri_fail_memory(s->error, (size_t)l->width * (size_t)l->height);
    }
    *out = (wri_registration){.color = sqrt(wri_search_mismatch(s, 0) / WRI_CHANNELS)};
    out->overlap = find_overlap(s, covered);
    wri_search_find_distances(s, out);
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static double cost_of(const wri_registration *report)
{
    return report->color * report->color + 0.5 * (1.0 - report->overlap);
}

bool wri_registrar_find(wri_registrar *r, const wr_image *picture, const wri_place2 *start,
                        wri_place2 *x, wri_registration *report, wr_error *error)
{
    wri_search s = {.r = r, .arena = wri_arena_create(&r->arena.allocator), .x = x, .error = error};
    size_t bytes = (size_t)r->n * sizeof *x;
    wri_registration second;
    bool ok =
        wri_pyramid_create(&s.picture, &s.arena, picture, error) && wri_search_trace(&s, picture);
    if (ok) {
        start_rigid(&s);
        ok = descend(&s) && measure(&s, report);
    }
    bool is_found = ok && report->overlap > 0.95 && report->color < 0.03;
    if (ok && start && !is_found) { // drawn one after the other, poses are near to the last one
        memcpy(r->best, x, bytes);
        memcpy(x, start, bytes);
        ok = descend(&s) && measure(&s, &second);
        if (ok && cost_of(&second) < cost_of(report)) {
            *report = second;
        } else {
            memcpy(x, r->best, bytes);
        }
    }
    wri_arena_destroy(&s.arena);
    return ok;
}
