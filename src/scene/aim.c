// aim.c: where a body shall be hit so that it shows: among what can be seen from where the hit
// comes from, where its examples move it farthest along the hit.
//
// What comes from afar along a direction meets what is foremost in a grid across it. A place is
// judged by the mean over its cell and those around it, so that a ball finds something there, and
// a little by how near the middle it is, which alone decides where there are no examples.
#include "scene.h"

#include <math.h>

static const float CELL = 1.0f / 14.0f; // of the body's size
static const float MIDDLE = 0.02f;      // body sizes, what being in the middle is worth

typedef struct cell {
    float front; // least distance along the hit of what is in it, metres
    double depth;
    int count; // points whose depths were summed up, 0: empty
} cell;

typedef struct grid {
    const wr_scene_start *start;
    wr_vec3 along, right, up;
    wr_box box; // in these axes
    float side;
    int columns, rows;
    cell *cells; // with an empty one around all
} grid;

static wr_vec3 to_grid(const grid *g, wr_vec3 point)
{
    return wr_v3(wr_dot(point, g->right), wr_dot(point, g->up), wr_dot(point, g->along));
}

static cell *cell_of(const grid *g, wr_vec3 at)
{
    int column = 1 + (int)((at.x - g->box.min.x) / g->side);
    int row = 1 + (int)((at.y - g->box.min.y) / g->side);
    return &g->cells[(size_t)row * (size_t)g->columns + (size_t)column];
}

// How far the examples move a point along the hit, at most.
static float find_depth(const grid *g, int point)
{
    const wr_scene_start *s = g->start;
    float depth = 0.0f;
    for (int i = 0; i < s->shape_count; i++) {
        wr_vec3 moved = s->shapes[(size_t)i * (size_t)s->point_count + (size_t)point];
        depth = fmaxf(depth, wr_dot(wr_sub(moved, s->points[point]), g->along));
    }
    return depth;
}

static void fill(grid *g)
{
    const wr_scene_start *s = g->start;
    for (int i = 0; i < g->columns * g->rows; i++) {
        g->cells[i] = (cell){.front = INFINITY};
    }
    for (int i = 0; i < s->point_count; i++) {
        wr_vec3 at = to_grid(g, s->points[i]);
        cell *c = cell_of(g, at);
        c->front = fminf(c->front, at.z);
    }
    for (int i = 0; i < s->point_count; i++) {
        wr_vec3 at = to_grid(g, s->points[i]);
        cell *c = cell_of(g, at);
        if (at.z <= c->front + g->side) { // what lies behind is not hit
            c->depth += (double)find_depth(g, i);
            c->count++;
        }
    }
}

static double judge(const grid *g, int column, int row)
{
    double depth = 0.0, middle_x = 0.5 * (double)g->columns, middle_y = 0.5 * (double)g->rows;
    for (int y = row - 1; y <= row + 1; y++) {
        for (int x = column - 1; x <= column + 1; x++) {
            const cell *c = &g->cells[(size_t)y * (size_t)g->columns + (size_t)x];
            double dx = x + 0.5 - middle_x, dy = y + 0.5 - middle_y;
            double near = sqrt(dx * dx + dy * dy) * (double)CELL;
            depth += c->count == 0 ? 0.0
                                   : c->depth / c->count +
                                         (double)(MIDDLE * g->side / CELL) * fmax(1.0 - near, 0.0);
        }
    }
    return depth / 9.0;
}

static wri_aim choose(const grid *g)
{
    wri_aim best = {.at = wr_box_center(g->start->bounds), .depth = -1.0};
    for (int row = 1; row < g->rows - 1; row++) {
        for (int column = 1; column < g->columns - 1; column++) {
            const cell *c = &g->cells[(size_t)row * (size_t)g->columns + (size_t)column];
            double depth = c->count > 0 ? judge(g, column, row) : -1.0;
            if (depth > best.depth) {
                best.depth = depth;
                best.at = wr_scale(g->box.min.x + ((float)column - 0.5f) * g->side, g->right);
                best.at =
                    wr_add_scaled(best.at, g->box.min.y + ((float)row - 0.5f) * g->side, g->up);
                best.at = wr_add_scaled(best.at, c->front, g->along);
            }
        }
    }
    return best;
}

bool wri_find_aim(const wr_scene_start *start, wr_vec3 along, wri_aim *aim, wr_error *error)
{
    grid g = {.start = start, .along = along, .box = WR_BOX_EMPTY};
    wr_vec3 extent = wr_box_size(start->bounds);
    wr_vec3 other = fabsf(along.y) > 0.7f ? wr_v3(0.0f, 0.0f, 1.0f) : wr_v3(0.0f, 1.0f, 0.0f);
    g.right = wr_normalize(wr_cross(along, other));
    g.up = wr_cross(g.right, along);
    for (int i = 0; i < start->point_count; i++) {
        g.box = wr_box_add(g.box, to_grid(&g, start->points[i]));
    }
    g.side = CELL * fmaxf(extent.x, fmaxf(extent.y, extent.z));
    g.columns = 3 + (int)((g.box.max.x - g.box.min.x) / g.side);
    g.rows = 3 + (int)((g.box.max.y - g.box.min.y) / g.side);
    size_t count = (size_t)g.columns * (size_t)g.rows;
    g.cells = wri_alloc(NULL, count, sizeof *g.cells);
    if (!g.cells) {
        return wri_fail_memory(error, count * sizeof *g.cells);
    }
    fill(&g);
    *aim = choose(&g);
    wri_free(NULL, g.cells, count, sizeof *g.cells);
    return true;
}
