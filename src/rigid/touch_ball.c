// touch_ball.c: what one ball touches of one body.
#include "touch.h"

enum { MOST_SIDES = 8 }; // of one body, that are compared with each other

static const double LEDGE = 0.01; // of the radius: sides that stick out by less do not count

// Keeps the deepest first; of equally deep ones the one that came first.
static void insert(wri_side_list *list, const wri_side *s)
{
    int place = list->count;
    WR_ASSERT(list->count <= list->room && list->room <= WR_MOST_TOUCHES);
    while (place > 0 && s->end_depth > list->items[place - 1].end_depth) {
        place--;
    }
    if (place == list->room) {
        return;
    }
    list->count += list->count < list->room;
    for (int i = list->count - 1; i > place; i--) {
        list->items[i] = list->items[i - 1];
    }
    list->items[place] = *s;
}

// Depth of a ball behind the plane of a touch.
static double depth_behind(const wri_touch_ball *b, const wri_nearest *nearest)
{
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = b->at[i] - nearest->point[i];
    }
    return b->radius - wri_dot3(d, nearest->normal);
}

static void try_solid(const wri_touch_scene *scene, const wri_touch_ball *b, const wri_solid *solid,
                      int number, int piece, wri_side_list *list)
{
    wri_side found;
    found.target = number;
    found.piece = piece;
    found.time = 0.0;
    if (!wri_find_nearest(solid, b->at, b->radius + scene->margin, &found.nearest) &&
        !(b->is_swept && wri_find_first_touch(solid, b->at, b->displacement, b->radius, &found.time,
                                              &found.nearest))) {
        return;
    }
    WR_ASSERT(wri_is_unit(found.nearest.normal));
    found.end_depth =
        depth_behind(b, &found.nearest) - wri_dot3(b->displacement, found.nearest.normal);
    insert(list, &found);
}

typedef struct mesh_search {
    const wri_touch_scene *scene;
    const wri_touch_ball *b;
    const wri_touch_shape *shape;
    wr_box box;
    int target;
    wri_side_list *list;
} mesh_search;

// True when the ball stays on one side of the triangle's plane during its sweep, and clear of it.
static bool stays_aside(const wri_touch_ball *b, double radius, const double *const corner[3])
{
    double u[3], v[3], d[3], n[3];
    for (int i = 0; i < 3; i++) {
        u[i] = corner[1][i] - corner[0][i];
        v[i] = corner[2][i] - corner[0][i];
        d[i] = b->at[i] - corner[0][i];
    }
    wri_cross3(u, v, n);
    double first = wri_dot3(n, d), last = first + wri_dot3(n, b->displacement);
    double far = radius * radius * wri_dot3(n, n);
    return (first > 0) == (last > 0) && first * first > far && last * last > far;
}

static bool try_triangle(void *context, int triangle)
{
    const mesh_search *m = context;
    if (!wri_boxes_overlap(m->box, m->shape->boxes[triangle])) {
        return true;
    }
    const int *corner = &m->shape->mesh.triangles[3 * triangle];
    wri_solid solid = {.kind = WR_SHAPE_MESH};
    for (int i = 0; i < 3; i++) {
        solid.corner[i] = m->shape->mesh.points[corner[i]];
    }
    if (!stays_aside(m->b, m->b->radius + m->scene->margin, solid.corner)) {
        try_solid(m->scene, m->b, &solid, m->target, triangle, m->list);
    }
    return true;
}

static void try_mesh(const wri_touch_scene *scene, const wri_touch_ball *b, int number,
                     wri_side_list *list)
{
    const wri_touch_shape *shape = scene->targets[number].record->touch;
    mesh_search m = {.scene = scene, .b = b, .shape = shape, .target = number, .list = list};
    double box[2][3], low[3], high[3];
    wri_find_ball_box(b, scene->margin, box);
    for (int i = 0; i < 3; i++) {
        double slack = shape->rounding + WRI_ROUNDING * fmax(fabs(box[0][i]), fabs(box[1][i]));
        low[i] = box[0][i] - slack;
        high[i] = box[1][i] + slack;
    }
    m.box = (wr_box){wri_from_engine(low, 1.0), wri_from_engine(high, 1.0)};
    wri_bvh_find(&shape->tree, m.box, try_triangle, &m);
}

static void try_piece(const wri_touch_scene *scene, const wri_touch_ball *b, const double box[2][3],
                      int number, int piece, wri_side_list *list)
{
    const wri_polytope *p = &scene->targets[number].record->touch->pieces[piece];
    WR_ASSERT(piece >= 0 && piece < scene->targets[number].record->piece_count);
    if (wri_boxes_meet(box, p->box)) {
        wri_solid solid = {.kind = WR_SHAPE_HULLS, .polytope = p};
        try_solid(scene, b, &solid, number, piece, list);
    }
}

// Pieces that lie side by side, and triangles, touch a ball with their edges as well as with their
// faces. What does not stick out of the plane of a deeper touch is no side of its own.
static void keep_sides(const wri_touch_ball *b, const wri_side_list *own, wri_side_list *all)
{
    int kept[MOST_SIDES], count = 0;
    WR_ASSERT(own->count <= MOST_SIDES);
    for (int i = 0; i < own->count; i++) {
        const double *p = own->items[i].nearest.point;
        bool sticks_out = true;
        for (int k = 0; k < count; k++) {
            const wri_nearest *deeper = &own->items[kept[k]].nearest;
            double d[3] = {p[0] - deeper->point[0], p[1] - deeper->point[1],
                           p[2] - deeper->point[2]};
            sticks_out = sticks_out && wri_dot3(d, deeper->normal) > LEDGE * b->radius;
        }
        if (sticks_out) {
            kept[count++] = i;
            insert(all, &own->items[i]);
        }
    }
}

static void see_from(const wri_frame *frame, const wri_touch_ball *b, wri_touch_ball *out)
{
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = b->at[i] - frame->position[i];
        out->displacement[i] = 0.0;
    }
    wri_frame_turn_back(frame, d, out->at);
    if (b->is_swept) {
        wri_frame_turn_back(frame, b->displacement, out->displacement);
    }
    out->radius = b->radius;
    out->is_swept = b->is_swept;
}

static void try_pieces(const wri_touch_scene *scene, const wri_touch_ball *b,
                       const wri_near_thing *things, int count, wri_side_list *list)
{
    int number = things->target;
    double box[2][3];
    wri_find_ball_box(b, scene->margin, box);
    for (int i = 0; i < count; i++) {
        bool all = things[i].piece == WRI_ALL_PIECES;
        int first = all ? 0 : things[i].piece;
        int end = all ? scene->targets[number].record->piece_count : first + 1;
        for (int piece = first; piece < end; piece++) {
            try_piece(scene, b, (const double(*)[3])box, number, piece, list);
        }
    }
}

// Things of one target, whose box the ball's meets.
void wri_touch_things(const wri_touch_scene *scene, const wri_touch_ball *b,
                      const wri_near_thing *things, int count, wri_side_list *all)
{
    WR_ASSERT(count >= 1 && things[count - 1].target == things->target);
    int number = things->target;
    const wri_touch_target *t = &scene->targets[number];
    wri_touch_ball own;
    wri_side_list sides;
    sides.count = 0;
    sides.room = scene->most == 1 ? 1 : MOST_SIDES;
    see_from(&t->frame, b, &own);
    if (t->solid.kind == WR_SHAPE_HULLS) {
        try_pieces(scene, &own, things, count, &sides);
    } else if (t->solid.kind == WR_SHAPE_MESH) {
        try_mesh(scene, &own, number, &sides);
    } else {
        try_solid(scene, &own, &t->solid, number, -1, &sides);
    }
    if (sides.count > 0) {
        keep_sides(&own, &sides, all);
    }
}
