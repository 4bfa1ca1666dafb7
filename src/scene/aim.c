// aim.c: where a body of a starter scene shall be hit so that it shows: of the hits that may come,
// each the one that bends most of what the camera sees of the body.
//
// What comes along a direction meets what is foremost in a grid across it: a hit for every cell. It
// goes to the example that moves the places around it farthest along its way, and takes the body as
// far towards that example as metal goes: all of the way where it hits, less with the distance
// (phi, eq. 12 of Jones et al. 2016). Hits are compared by how far the triangles that the camera
// sees turn and move, in the mean over their area in its picture. One that moves what the body
// stands on would leave it in the air. Where there are no examples, or none that shows, the middle
// of what is foremost is hit.
#include "scene.h"

#include "../math/elementary.h"

#include <math.h>

static const float CELL = 1.0f / 14.0f; // of the body's size
static const float STANDS = 0.03f;      // body sizes above the ground: what it stands on
static const double FLOATS = 20.0;      // radians: what it costs to move that by the body's size
static const double MOVES = 5.0;        // radians: what it is worth that all moves by that
static const double AGAIN = 0.5;        // what another hit to the same example is worth
static const double MIDDLE = 1e-4;      // radians: what it is worth to be in the middle
static const float HARD = 3.0f;         // of a hit: goes to 1 - exp(-HARD) of its example
static const float FELT = 0.2f;         // least cosine between a hit and what its example does

// The points across a direction.
typedef struct grid {
    wr_vec3 right, up, along;
    wr_box box; // in these axes
    float side;
    int columns, rows;
    float *front; // per cell the least distance along, metres, infinite where nothing is; with an
                  // empty one around all
} grid;

// What comes along one of the ways and meets what is foremost in a cell across it.
typedef struct hit {
    wr_vec3 at; // the middle of what is foremost there
    int way;
    int example;   // -1: it does nothing
    double filled; // part of the cells around that are about as far in front
    double middle; // from 1 in the middle of the body to 0
} hit;

typedef struct plan {
    const wr_scene_start *start;
    float size, reach;
    wr_vec3 *now;     // the points, by the hits so far
    float *area;      // per triangle: in the camera's picture, 0: not to be seen, metres^2
    double *shown;    // per triangle: by the hits so far
    double all;       // of the areas
    wri_array hits;   // that may come
    wri_arena *arena; // of grids and what is per point and triangle
} plan;

static wr_vec3 to_grid(const grid *g, wr_vec3 point)
{
    return wr_v3(wr_dot(point, g->right), wr_dot(point, g->up), wr_dot(point, g->along));
}

static int cell_of(const grid *g, wr_vec3 at)
{
    int column = 1 + (int)((at.x - g->box.min.x) / g->side);
    int row = 1 + (int)((at.y - g->box.min.y) / g->side);
    return row * g->columns + column;
}

// Without cells where there is no memory.
static grid make_grid(const plan *p, wr_vec3 along)
{
    const wr_scene_start *s = p->start;
    wr_vec3 other = fabsf(along.y) > 0.95f ? wr_v3(0.0f, 0.0f, -1.0f) : wr_v3(0.0f, 1.0f, 0.0f);
    wr_vec3 right = wr_normalize(wr_cross(along, other));
    grid g = {.right = right,
              .up = wr_cross(right, along),
              .along = along,
              .box = WR_BOX_EMPTY,
              .side = CELL * p->size};
    for (int i = 0; i < s->point_count; i++) {
        g.box = wr_box_add(g.box, to_grid(&g, s->points[i]));
    }
    g.columns = 3 + (int)((g.box.max.x - g.box.min.x) / g.side);
    g.rows = 3 + (int)((g.box.max.y - g.box.min.y) / g.side);
    size_t count = (size_t)g.columns * (size_t)g.rows;
    g.front = wri_arena_alloc(p->arena, count, sizeof *g.front);
    for (size_t i = 0; g.front && i < count; i++) {
        g.front[i] = INFINITY;
    }
    for (int i = 0; g.front && i < s->point_count; i++) {
        wr_vec3 at = to_grid(&g, s->points[i]);
        float *front = &g.front[cell_of(&g, at)];
        *front = fminf(*front, at.z);
    }
    return g;
}

// --- what a hit does --------------------------------------------------------------------------

static wr_vec3 find_move(const plan *p, int example, int point)
{
    const wr_scene_start *s = p->start;
    wr_vec3 there = s->shapes[(size_t)example * (size_t)s->point_count + (size_t)point];
    return wr_sub(there, s->points[point]);
}

// The example that moves the points that are foremost within a cell of a place farthest along.
static int choose_example(const plan *p, const grid *g, wr_vec3 at)
{
    const wr_scene_start *s = p->start;
    int best = -1;
    double farthest = 0.0;
    for (int e = 0; e < s->shape_count; e++) {
        double along = 0.0, all = 0.0;
        for (int i = 0; i < s->point_count; i++) {
            wr_vec3 from = wr_sub(s->points[i], at);
            if (wr_length(from) <= 1.5f * g->side) {
                wr_vec3 move = find_move(p, e, i);
                along += (double)wr_dot(move, g->along);
                all += (double)wr_length(move);
            }
        }
        if (along > farthest && along > (double)FELT * all) {
            farthest = along;
            best = e;
        }
    }
    return best;
}

// Where a hit moves a point to.
static wr_vec3 find_moved(const plan *p, const hit *h, int point)
{
    const wr_scene_start *s = p->start;
    float d = wr_distance(s->points[point], h->at) / p->reach;
    if (d >= 1.0f) {
        return p->now[point];
    }
    float phi = 1.0f + d * d * (2.0f * d - 3.0f),
          part = 1.0f - (float)wri_exp((double)(-HARD * phi));
    wr_vec3 there = s->shapes[(size_t)h->example * (size_t)s->point_count + (size_t)point];
    return wr_add_scaled(p->now[point], part, wr_sub(there, p->now[point]));
}

static wr_vec3 find_normal(wr_vec3 a, wr_vec3 b, wr_vec3 c)
{
    return wr_cross(wr_sub(b, a), wr_sub(c, a));
}

// How far a triangle is turned and moved against what it was at rest.
static double find_shown(const plan *p, int triangle, const wr_vec3 now[3])
{
    const wr_vec3 *rest = p->start->points;
    const int *t = &p->start->triangles[3 * (size_t)triangle];
    wr_vec3 before = wr_normalize(find_normal(rest[t[0]], rest[t[1]], rest[t[2]]));
    wr_vec3 after = wr_normalize(find_normal(now[0], now[1], now[2]));
    double moved = 0.0;
    for (int k = 0; k < 3; k++) {
        moved += (double)(wr_distance(now[k], rest[t[k]]) / (3.0f * p->size));
    }
    return (double)wr_distance(before, after) + MOVES * moved;
}

// By how much more is shown with a hit, less what it costs.
static double judge(const plan *p, const hit *h)
{
    const wr_scene_start *s = p->start;
    double shown = 0.0, floats = 0.0;
    int standing = 0;
    for (int i = 0; i < s->triangle_count; i++) {
        const int *t = &s->triangles[3 * (size_t)i];
        if (p->area[i] > 0.0f && wr_distance(s->points[t[0]], h->at) < p->reach) {
            wr_vec3 now[3] = {find_moved(p, h, t[0]), find_moved(p, h, t[1]),
                              find_moved(p, h, t[2])};
            shown += (double)p->area[i] * (find_shown(p, i, now) - p->shown[i]);
        }
    }
    for (int i = 0; i < s->point_count; i++) {
        if (s->points[i].y < s->bounds.min.y + STANDS * p->size) {
            floats += (double)(wr_distance(find_moved(p, h, i), p->now[i]) / p->size);
            standing++;
        }
    }
    return h->filled * shown / p->all - FLOATS * floats / fmax(standing, 1.0);
}

// --- which hits there are ---------------------------------------------------------------------

// How much of a ball finds something there, and nothing before that.
static double find_filled(const grid *g, int column, int row)
{
    float middle = g->front[row * g->columns + column];
    int filled = 0;
    for (int y = row - 1; y <= row + 1; y++) {
        for (int x = column - 1; x <= column + 1; x++) {
            float behind = g->front[y * g->columns + x] - middle;
            filled += behind > -0.5f * g->side && behind < 1.5f * g->side;
        }
    }
    return filled / 9.0;
}

static bool list_hits(plan *p, int way, wr_vec3 along)
{
    grid g = make_grid(p, along);
    for (int row = 1; g.front && row < g.rows - 1; row++) {
        for (int column = 1; column < g.columns - 1; column++) {
            float front = g.front[row * g.columns + column];
            hit *h = front < INFINITY ? wri_array_add(&p->hits, 1) : NULL;
            if (!h && front < INFINITY) {
                return false;
            }
            if (h) {
                wr_vec3 at = wr_scale(g.box.min.x + ((float)column - 0.5f) * g.side, g.right);
                at = wr_add_scaled(at, g.box.min.y + ((float)row - 0.5f) * g.side, g.up);
                at = wr_add_scaled(at, front, along);
                float from_middle = wr_distance(at, wr_box_center(p->start->bounds));
                *h = (hit){.at = at,
                           .way = way,
                           .example = choose_example(p, &g, at),
                           .filled = find_filled(&g, column, row),
                           .middle = fmax(1.0 - (double)(from_middle / p->size), 0.0)};
            }
        }
    }
    return g.front != NULL;
}

// Which triangles the camera sees: what is behind what is foremost by less than the side of a cell
// counts as well.
static bool look(plan *p, wr_vec3 along)
{
    const wr_scene_start *s = p->start;
    grid view = make_grid(p, along);
    p->now = wri_arena_alloc(p->arena, (size_t)s->point_count, sizeof *p->now);
    p->area = wri_arena_alloc(p->arena, (size_t)s->triangle_count, sizeof *p->area);
    p->shown = wri_arena_alloc(p->arena, (size_t)s->triangle_count, sizeof *p->shown);
    if (!view.front || !p->now || !p->area || !p->shown) {
        return false;
    }
    memcpy(p->now, s->points, (size_t)s->point_count * sizeof *p->now);
    for (int i = 0; i < s->triangle_count; i++) {
        const int *t = &s->triangles[3 * (size_t)i];
        wr_vec3 a = s->points[t[0]], at = to_grid(&view, a);
        wr_vec3 normal = find_normal(a, s->points[t[1]], s->points[t[2]]);
        bool is_seen = at.z <= view.front[cell_of(&view, at)] + view.side;
        p->area[i] = is_seen ? fmaxf(-0.5f * wr_dot(normal, along), 0.0f) : 0.0f;
        p->shown[i] = 0.0;
        p->all += (double)p->area[i];
    }
    p->all = fmax(p->all, 1e-12 * (double)(p->size * p->size));
    return true;
}

// The best of the hits along ways that are left, rather one to an example that is left, too.
static const hit *choose_hit(const plan *p, const wri_aim *aims, int count)
{
    const hit *best = NULL;
    double most = 0.0;
    for (int i = 0; i < p->hits.count; i++) {
        const hit *h = &WRI_ITEM(p->hits, hit, i);
        bool is_used = false, is_again = false;
        for (int k = 0; k < count; k++) {
            is_used |= aims[k].way == h->way;
            is_again |= aims[k].example == h->example;
        }
        if (!is_used) {
            double value = h->example >= 0 ? judge(p, h) * (is_again ? AGAIN : 1.0) : 0.0;
            value += MIDDLE * h->filled * h->middle;
            if (!best || value > most) {
                most = value;
                best = h;
            }
        }
    }
    return best;
}

// Takes a hit as done.
static void take(plan *p, const hit *h)
{
    const wr_scene_start *s = p->start;
    for (int i = 0; h->example >= 0 && i < s->point_count; i++) {
        p->now[i] = find_moved(p, h, i);
    }
    for (int i = 0; i < s->triangle_count; i++) {
        const int *t = &s->triangles[3 * (size_t)i];
        const wr_vec3 now[3] = {p->now[t[0]], p->now[t[1]], p->now[t[2]]};
        p->shown[i] = find_shown(p, i, now);
    }
}

bool wri_find_aims(const wr_scene_start *start, wr_vec3 view, float reach, const wr_vec3 *ways,
                   int way_count, wri_aim *aims, int count, wr_error *error)
{
    WR_ASSERT(count <= way_count);
    wr_vec3 extent = wr_box_size(start->bounds);
    wri_arena arena = wri_arena_create(NULL);
    plan p = {.start = start,
              .size = fmaxf(extent.x, fmaxf(extent.y, extent.z)),
              .hits = wri_array_create(NULL, sizeof(hit)),
              .arena = &arena};
    p.reach = reach * p.size;
    bool ok = look(&p, view);
    for (int i = 0; ok && i < way_count; i++) {
        ok = list_hits(&p, i, ways[i]);
    }
    for (int k = 0; ok && k < count; k++) {
        const hit *h = choose_hit(&p, aims, k);
        aims[k] = (wri_aim){.at = h->at, .way = h->way, .example = h->example};
        take(&p, h);
    }
    wri_array_destroy(&p.hits);
    wri_arena_destroy(&arena);
    return ok || wri_fail_memory(error, (size_t)start->point_count * sizeof(float));
}
