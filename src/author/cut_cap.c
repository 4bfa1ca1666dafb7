// cut_cap.c: triangles that close a cut.
//
// Holes are joined to the loop around them by a bridge, an edge that is passed in both directions,
// and ears are cut off what comes out. When rounding, or a mesh that crosses itself, leaves no ear,
// the corner that comes nearest to one is cut off all the same: triangles may then overlap within
// the plane of the cut, but nothing stays open, and the volume is right.
#include "cut.h"

#include <stdlib.h>

typedef struct loop {
    int begin, end; // in the list of points
    double area;    // twice
    int around;     // loop that it is a hole of, -1: it is none
} loop;

typedef struct filler {
    const wr_vec2 *points;
    loop *loops;
    int loop_count;
    int *chain; // points of one polygon with its holes
    int chain_count;
    int *next, *last; // places in the chain
} filler;

static double cross(wr_vec2 o, wr_vec2 a, wr_vec2 b)
{
    return ((double)a.x - (double)o.x) * ((double)b.y - (double)o.y) -
           ((double)a.y - (double)o.y) * ((double)b.x - (double)o.x);
}

// --- nesting ----------------------------------------------------------------------------------

static bool is_inside(const filler *f, const loop *l, wr_vec2 p)
{
    bool inside = false;
    for (int i = l->begin, k = l->end - 1; i < l->end; k = i++) {
        wr_vec2 a = f->points[i], b = f->points[k];
        if ((a.y > p.y) != (b.y > p.y)) {
            double x = (double)a.x + ((double)p.y - (double)a.y) * ((double)b.x - (double)a.x) /
                                         ((double)b.y - (double)a.y);
            inside = inside != ((double)p.x < x);
        }
    }
    return inside;
}

static void find_nesting(filler *f)
{
    for (int i = 0; i < f->loop_count; i++) {
        loop *hole = &f->loops[i];
        for (int k = 0; hole->area < 0.0 && k < f->loop_count; k++) {
            const loop *l = &f->loops[k];
            bool smaller = hole->around < 0 || l->area < f->loops[hole->around].area;
            if (l->area > 0.0 && smaller && is_inside(f, l, f->points[hole->begin])) {
                hole->around = k;
            }
        }
    }
}

// --- bridges ----------------------------------------------------------------------------------

static bool do_cross(wr_vec2 a, wr_vec2 b, wr_vec2 c, wr_vec2 d)
{
    return cross(a, b, c) * cross(a, b, d) < 0.0 && cross(c, d, a) * cross(c, d, b) < 0.0;
}

static bool is_free(const filler *f, wr_vec2 a, wr_vec2 b, const loop *hole)
{
    for (int i = 0; i < f->chain_count; i++) {
        if (do_cross(a, b, f->points[f->chain[i]], f->points[f->chain[(i + 1) % f->chain_count]])) {
            return false;
        }
    }
    for (int i = hole->begin, k = hole->end - 1; i < hole->end; k = i++) {
        if (do_cross(a, b, f->points[i], f->points[k])) {
            return false;
        }
    }
    return true;
}

// The shortest way from the hole's outermost point to the chain that crosses nothing.
static void add_hole(filler *f, const loop *hole)
{
    int from = hole->begin, count = hole->end - hole->begin, to = 0;
    double least = INFINITY;
    for (int i = hole->begin; i < hole->end; i++) {
        from = f->points[i].x > f->points[from].x ? i : from;
    }
    for (int round = 0; round < 2 && least == INFINITY; round++) {
        for (int i = 0; i < f->chain_count; i++) {
            wr_vec2 a = f->points[from], b = f->points[f->chain[i]];
            double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y;
            if (x * x + y * y < least && (round == 1 || is_free(f, a, b, hole))) {
                least = x * x + y * y;
                to = i;
            }
        }
    }
    memmove(&f->chain[to + count + 3], &f->chain[to + 1],
            (size_t)(f->chain_count - to - 1) * sizeof *f->chain);
    for (int i = 0; i <= count; i++) {
        f->chain[to + 1 + i] = hole->begin + (from - hole->begin + i) % count;
    }
    f->chain[to + count + 2] = f->chain[to];
    f->chain_count += count + 2;
}

static int compare_loops(const void *a, const void *b)
{
    const loop *p = *(const loop *const *)a, *q = *(const loop *const *)b;
    return p->begin - q->begin;
}

// --- ears -------------------------------------------------------------------------------------

static wr_vec2 at(const filler *f, int i)
{
    return f->points[f->chain[i]];
}

static bool is_same(wr_vec2 a, wr_vec2 b)
{
    return a.x == b.x && a.y == b.y;
}

// Whether no other corner lies in the triangle that is cut off at i.
static bool is_empty(const filler *f, int i)
{
    int p = f->last[i], n = f->next[i];
    wr_vec2 a = at(f, p), b = at(f, i), c = at(f, n);
    for (int k = f->next[n]; k != p; k = f->next[k]) {
        wr_vec2 q = at(f, k);
        if (!is_same(q, a) && !is_same(q, b) && !is_same(q, c) && cross(a, b, q) >= 0.0 &&
            cross(b, c, q) >= 0.0 && cross(c, a, q) >= 0.0) {
            return false;
        }
    }
    return true;
}

// How well shaped the triangle at i is: its area over its longest side squared.
static double quality(const filler *f, int i)
{
    wr_vec2 c[3] = {at(f, f->last[i]), at(f, i), at(f, f->next[i])};
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        double x = (double)c[k].x - (double)c[(k + 1) % 3].x;
        double y = (double)c[k].y - (double)c[(k + 1) % 3].y;
        longest = fmax(longest, x * x + y * y);
    }
    return longest > 0.0 ? cross(c[0], c[1], c[2]) / longest : 0.0;
}

// The ear to cut off: the first good one from `from` on, else the best there is.
static int find_ear(const filler *f, int from, int left)
{
    int best = -1, least_bad = from;
    double best_quality = 0.0, least_badness = -INFINITY;
    for (int k = 0, i = from; k < left; k++, i = f->next[i]) {
        double q = quality(f, i);
        if (q > best_quality && is_empty(f, i)) {
            best_quality = q;
            best = i;
            if (q > 0.2) {
                break;
            }
        }
        if (q > least_badness && q <= 1e-9) { // corners on one line first
            least_badness = q;
            least_bad = i;
        }
    }
    return best >= 0 ? best : least_bad;
}

static bool cut_ears(filler *f, wri_array *triangles)
{
    int n = f->chain_count, from = 0;
    for (int i = 0; i < n; i++) {
        f->next[i] = (i + 1) % n;
        f->last[i] = (i + n - 1) % n;
    }
    for (int left = n; left >= 3; left--) {
        int i = find_ear(f, from, left), p = f->last[i], q = f->next[i];
        int *t = wri_array_add(triangles, 3);
        if (!t) {
            return false;
        }
        t[0] = f->chain[p];
        t[1] = f->chain[i];
        t[2] = f->chain[q];
        f->next[p] = q;
        f->last[q] = p;
        from = q;
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool fill_loop(filler *f, int number, const loop **holes, wri_array *triangles)
{
    const loop *l = &f->loops[number];
    int count = 0;
    f->chain_count = 0;
    for (int i = l->begin; i < l->end; i++) {
        f->chain[f->chain_count++] = i;
    }
    for (int i = 0; i < f->loop_count; i++) {
        if (f->loops[i].around == number) {
            holes[count++] = &f->loops[i];
        }
    }
    qsort(holes, (size_t)count, sizeof *holes, compare_loops);
    for (int i = 0; i < count; i++) {
        add_hole(f, holes[i]);
    }
    return cut_ears(f, triangles);
}

bool wri_cap_fill(const wr_vec2 *points, const int *loops, int loop_count, wri_array *triangles)
{
    wri_arena arena = wri_arena_create(NULL);
    size_t most = (size_t)loops[loop_count] + 2 * (size_t)loop_count;
    filler f = {.points = points, .loop_count = loop_count};
    f.loops = wri_arena_alloc(&arena, (size_t)loop_count, sizeof *f.loops);
    f.chain = wri_arena_alloc(&arena, most, sizeof *f.chain);
    f.next = wri_arena_alloc(&arena, most, sizeof *f.next);
    f.last = wri_arena_alloc(&arena, most, sizeof *f.last);
    const loop **holes = wri_arena_alloc(&arena, (size_t)loop_count, sizeof *holes);
    bool ok = f.loops && f.chain && f.next && f.last && holes;
    for (int i = 0; ok && i < loop_count; i++) {
        loop *l = &f.loops[i];
        *l = (loop){loops[i], loops[i + 1], 0.0, -1};
        for (int k = l->begin + 1; k + 1 < l->end; k++) {
            l->area += cross(points[l->begin], points[k], points[k + 1]);
        }
    }
    if (ok) {
        find_nesting(&f);
    }
    for (int i = 0; ok && i < loop_count; i++) {
        ok = f.loops[i].around >= 0 || fill_loop(&f, i, holes, triangles);
    }
    wri_arena_destroy(&arena);
    return ok;
}
