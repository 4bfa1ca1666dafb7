// touch.c: what balls touch.
//
// Balls are looked at in rows of 32 and blocks of 512, in the order in which they are given: most
// materials number neighbours one after the other. First every row gets its box. Then, on one
// thread, the engine's trees say which bodies are near each block, and the shapes of these are made
// ready. Then each block tests its rows against its bodies, and each ball what its row is near to.
// Answers of a block go to a place of its own and are closed up in order, so that threads do not
// matter.
#include "engine.h"

#include <float.h>

enum { ROW = 32, ROWS = 16, BLOCK = ROW * ROWS };
enum { MOST_SIDES = 8 };  // of one body, that are compared with each other
enum { MOST_NEAR = 256 }; // targets or pieces that a row is tested against one by one
enum { ALL_PIECES = -2 }; // of a target that has more than that

static const uint32_t QUERY_COOKIE = 0x57526471u;
static const double LEDGE = 0.01;    // of the radius: sides that stick out by less do not count
static const double ROUNDING = 1e-6; // of all lengths: what single precision may miss

// A body near some balls; engine units.
typedef struct target {
    int body;
    bool is_plane;
    const wri_rigid_body *record;
    wri_frame frame; // of the body, in the world
    double box[2][3];
} target;

typedef struct block_lists {
    int first_near, near_count; // in memory->near
    int first_slot;             // in memory->found
    int found_count, first_touch;
} block_lists;

typedef struct search {
    const wr_rigid *rigid;
    const wr_touch_query *query;
    double margin; // engine units
    int row_count;
    wr_box *rows;
    const target *targets;
    const int *near;
    block_lists *blocks;
    wr_touch *found, *touches;
} search;

// --- boxes ------------------------------------------------------------------------------------

static void widen(float x, float way, float reach, float *low, float *high)
{
    float end = x + way, first = (way < 0 ? end : x) - reach, last = (way < 0 ? x : end) + reach;
    *low = first < *low ? first : *low; // no NaN gets in
    *high = last > *high ? last : *high;
}

static void find_rows(void *context, int block, int begin, int end)
{
    (void)block;
    search *s = context;
    for (int first = begin; first < end; first += ROW) {
        wr_box box = WR_BOX_EMPTY;
        for (int i = first; i < end && i < first + ROW; i++) {
            const wr_ball *b = &s->query->balls[i];
            float reach = b->radius + s->query->margin;
            widen(b->center.x, b->sweep.x, reach, &box.min.x, &box.max.x);
            widen(b->center.y, b->sweep.y, reach, &box.min.y, &box.max.y);
            widen(b->center.z, b->sweep.z, reach, &box.min.z, &box.max.z);
        }
        s->rows[first / ROW] = box;
    }
}

static void box_to_engine(const wri_units *units, wr_box box, double out[2][3])
{
    wri_to_engine(box.min, units->length, out[0]);
    wri_to_engine(box.max, units->length, out[1]);
    for (int i = 0; i < 3; i++) {
        double slack = ROUNDING * fmax(fabs(out[0][i]), fabs(out[1][i]));
        out[0][i] -= slack;
        out[1][i] += slack;
    }
}

static bool boxes_meet(const double a[2][3], const double b[2][3])
{
    return a[0][0] <= b[1][0] && b[0][0] <= a[1][0] && a[0][1] <= b[1][1] && b[0][1] <= a[1][1] &&
           a[0][2] <= b[1][2] && b[0][2] <= a[1][2];
}

// Whether balls in the box may touch the target. The box of a plane is everywhere.
static bool is_near(const target *t, const double box[2][3])
{
    if (!t->is_plane) {
        return boxes_meet(t->box, box);
    }
    double up = 0;
    for (int i = 0; i < 3; i++) {
        double n = t->frame.basis[i][1];
        up += n * (box[n > 0 ? 0 : 1][i] - t->frame.position[i]);
    }
    return up <= 0;
}

// --- targets ----------------------------------------------------------------------------------

// The engine's trees hold such a body where the last substep began.
static bool is_on_its_way(const wr_rigid *rigid, int index)
{
    return wri_rigid_moves(wri_rigid_body_at(rigid, index)) &&
           wri_rigid_state_at(rigid, index)->activation != WRI_ASLEEP;
}

static bool is_asked_for(const wr_rigid *rigid, const wr_touch_query *query, int index)
{
    const wri_bullet_body *engine = &wri_rigid_body_at(rigid, index)->engine;
    return engine->present && (engine->group & query->collides) &&
           (query->group & engine->collides);
}

enum { NOT_ASKED_FOR = -1, NOT_YET = -2 };

static bool begin_targets(wr_rigid *rigid, const wr_touch_query *query)
{
    wri_touch_memory *memory = &rigid->touch;
    int count = rigid->bodies.count;
    if (!wri_array_reserve(&memory->numbers, count) || !wri_array_reserve(&memory->movers, count) ||
        !wri_array_reserve(&memory->targets, count)) {
        return false;
    }
    int *number = memory->numbers.items;
    memory->targets.count = memory->movers.count = memory->near.count = 0;
    for (int i = 0; i < count; i++) {
        number[i] = is_asked_for(rigid, query, i) ? NOT_YET : NOT_ASKED_FOR;
    }
    for (int i = 0; i < query->ignored_count; i++) {
        WR_ASSERT(query->ignored[i] >= 0 && query->ignored[i] < count);
        number[query->ignored[i]] = NOT_ASKED_FOR;
    }
    for (int i = 0; i < count; i++) {
        if (number[i] == NOT_YET && is_on_its_way(rigid, i)) {
            WRI_ITEM(memory->movers, int, memory->movers.count++) = i;
        }
    }
    return true;
}

static void add_target(wr_rigid *rigid, int body)
{
    wri_touch_memory *memory = &rigid->touch;
    int number = memory->targets.count++;
    target *t = &WRI_ITEM(memory->targets, target, number);
    t->body = body;
    t->record = wri_rigid_body_at(rigid, body);
    t->is_plane = t->record->kind == WR_SHAPE_PLANE;
    t->frame = wri_body_frame(rigid, body);
    wri_bullet_read_bounds(rigid->bullet, body, t->box[0], t->box[1]);
    WRI_ITEM(memory->numbers, int, body) = number;
}

// Takes note of a body that may be near a block.
static bool try_body(wr_rigid *rigid, int body, const double box[2][3])
{
    wri_touch_memory *memory = &rigid->touch;
    const int *number = &WRI_ITEM(memory->numbers, int, body);
    if (*number == NOT_ASKED_FOR) {
        return true;
    }
    if (*number == NOT_YET) {
        add_target(rigid, body);
    }
    if (!is_near(&WRI_ITEM(memory->targets, target, *number), box)) {
        return true;
    }
    int *near = wri_array_add(&memory->near, 1);
    if (!near || !wri_prepare_touch(rigid, body)) {
        return false;
    }
    *near = *number;
    return true;
}

// Both lists ascend, and so do the targets of a block by their bodies.
static bool find_near(wr_rigid *rigid, const double box[2][3])
{
    const int *still, *movers = rigid->touch.movers.items;
    int still_count = wri_bullet_find_within(rigid->bullet, box[0], box[1], &still);
    int mover_count = rigid->touch.movers.count;
    bool ok = still_count >= 0;
    for (int i = 0, k = 0; ok && (i < still_count || k < mover_count);) {
        if (k == mover_count || (i < still_count && still[i] < movers[k])) {
            ok = try_body(rigid, still[i++], box);
        } else {
            i += i < still_count && still[i] == movers[k];
            ok = try_body(rigid, movers[k++], box);
        }
    }
    return ok;
}

static bool find_targets(wr_rigid *rigid, const search *s, int *slot_count)
{
    wri_touch_memory *memory = &rigid->touch;
    bool ok = begin_targets(rigid, s->query);
    *slot_count = 0;
    for (int b = 0; ok && b < wri_block_count(s->query->ball_count, BLOCK); b++) {
        wr_box box = WR_BOX_EMPTY;
        for (int r = b * ROWS; r < s->row_count && r < (b + 1) * ROWS; r++) {
            box = wr_box_join(box, s->rows[r]);
        }
        s->blocks[b] = (block_lists){memory->near.count, 0, *slot_count, 0, 0};
        if (!wr_box_is_empty(box)) {
            double engine_box[2][3];
            box_to_engine(&rigid->units, box, engine_box);
            ok = find_near(rigid, (const double(*)[3])engine_box);
        }
        s->blocks[b].near_count = memory->near.count - s->blocks[b].first_near;
        *slot_count += s->blocks[b].near_count > 0 ? BLOCK * s->query->most : 0;
    }
    return ok;
}

// --- one ball ---------------------------------------------------------------------------------

typedef struct ball {
    double at[3], way[3], radius; // engine units, the world or a target's frame
    bool is_swept;
} ball;

// A touch, and how far the ball would be behind its plane in the end.
typedef struct side {
    wri_nearest nearest;
    double time, coming;
    int target, piece;
} side;

typedef struct side_list {
    int count, room;
    side items[WR_MOST_TOUCHES];
} side_list;

// Deepest first; the first of those that are equally deep.
static void insert(side_list *list, const side *s)
{
    int place = list->count;
    while (place > 0 && s->coming > list->items[place - 1].coming) {
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

// How far a ball is behind the plane of a touch.
static double depth_behind(const ball *b, const wri_nearest *nearest)
{
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = b->at[i] - nearest->point[i];
    }
    return b->radius - wri_dot3(d, nearest->normal);
}

static void try_solid(const search *s, const ball *b, const wri_solid *solid, int number, int piece,
                      side_list *list)
{
    side found = {.target = number, .piece = piece};
    if (!wri_find_nearest(solid, b->at, b->radius + s->margin, &found.nearest) &&
        !(b->is_swept &&
          wri_find_first_touch(solid, b->at, b->way, b->radius, &found.time, &found.nearest))) {
        return;
    }
    found.coming = depth_behind(b, &found.nearest) - wri_dot3(b->way, found.nearest.normal);
    insert(list, &found);
}

static void find_ball_box(const search *s, const ball *b, double box[2][3])
{
    for (int i = 0; i < 3; i++) {
        double reach = b->radius + s->margin, end = b->at[i] + b->way[i];
        box[0][i] = (b->way[i] < 0 ? end : b->at[i]) - reach;
        box[1][i] = (b->way[i] < 0 ? b->at[i] : end) + reach;
    }
}

typedef struct mesh_search {
    const search *s;
    const ball *b;
    const wri_touch_shape *shape;
    wr_box box;
    int target;
    side_list *list;
} mesh_search;

static bool try_triangle(void *context, int triangle)
{
    const mesh_search *m = context;
    if (wri_boxes_overlap(m->box, m->shape->boxes[triangle])) {
        const int *corner = &m->shape->mesh.triangles[3 * triangle];
        wri_solid solid = {.kind = WR_SHAPE_MESH};
        for (int i = 0; i < 3; i++) {
            solid.corner[i] = m->shape->mesh.points[corner[i]];
        }
        try_solid(m->s, m->b, &solid, m->target, triangle, m->list);
    }
    return true;
}

static void try_mesh(const search *s, const ball *b, const double box[2][3], int number,
                     side_list *list)
{
    const wri_touch_shape *shape = s->targets[number].record->touch;
    mesh_search m = {.s = s, .b = b, .shape = shape, .target = number, .list = list};
    double low[3], high[3];
    for (int i = 0; i < 3; i++) {
        double slack = shape->rounding + ROUNDING * fmax(fabs(box[0][i]), fabs(box[1][i]));
        low[i] = box[0][i] - slack;
        high[i] = box[1][i] + slack;
    }
    m.box = (wr_box){wri_from_engine(low, 1.0), wri_from_engine(high, 1.0)};
    wri_bvh_find(&shape->tree, m.box, try_triangle, &m);
}

static void try_piece(const search *s, const ball *b, const double box[2][3], int number, int piece,
                      side_list *list)
{
    const wri_polytope *p = &s->targets[number].record->touch->pieces[piece];
    if (box[0][0] <= p->high[0] && box[1][0] >= p->low[0] && box[0][1] <= p->high[1] &&
        box[1][1] >= p->low[1] && box[0][2] <= p->high[2] && box[1][2] >= p->low[2]) {
        wri_solid solid = {.kind = WR_SHAPE_HULLS, .polytope = p};
        try_solid(s, b, &solid, number, piece, list);
    }
}

static void try_target(const search *s, const ball *b, const double box[2][3], int number,
                       int piece, side_list *list)
{
    const wri_rigid_body *record = s->targets[number].record;
    if (record->kind == WR_SHAPE_MESH) {
        try_mesh(s, b, box, number, list);
    } else if (record->kind != WR_SHAPE_HULLS) {
        wri_solid solid = {.kind = record->kind};
        memcpy(solid.size, record->size, sizeof solid.size);
        try_solid(s, b, &solid, number, -1, list);
    } else if (piece != ALL_PIECES) {
        try_piece(s, b, box, number, piece, list);
    } else {
        for (int i = 0; i < record->piece_count; i++) {
            try_piece(s, b, box, number, i, list);
        }
    }
}

// Pieces that lie side by side, and triangles, touch a ball with their edges as well as with their
// faces. What does not stick out of the plane of a deeper touch is no side of its own.
static void keep_sides(const ball *b, const side_list *own, side_list *all)
{
    int kept[MOST_SIDES], count = 0;
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

static ball seen_from(const wri_frame *frame, const ball *b)
{
    ball own = {.radius = b->radius, .is_swept = b->is_swept};
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = b->at[i] - frame->position[i];
    }
    wri_frame_turn_back(frame, d, own.at);
    if (b->is_swept) {
        wri_frame_turn_back(frame, b->way, own.way);
    }
    return own;
}

// --- a row ------------------------------------------------------------------------------------

// A target, or a piece of one, that some ball of the row may touch.
typedef struct near_thing {
    int target, piece;
} near_thing;

typedef struct near_list {
    int count;
    near_thing items[MOST_NEAR];
    int rest; // of the block's targets, those from here on found no room
} near_list;

// The box as the target sees it.
static void turn_box(const wri_frame *frame, const double box[2][3], double out[2][3])
{
    double middle[3], half[3], d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = 0.5 * (box[0][i] + box[1][i]) - frame->position[i];
        half[i] = 0.5 * (box[1][i] - box[0][i]);
    }
    wri_frame_turn_back(frame, d, middle);
    for (int i = 0; i < 3; i++) {
        double reach = 0;
        for (int k = 0; k < 3; k++) {
            reach += fabs(frame->basis[k][i]) * half[k];
        }
        out[0][i] = middle[i] - reach;
        out[1][i] = middle[i] + reach;
    }
}

static void add_pieces(const target *t, int number, const double box[2][3], near_list *list)
{
    int first = list->count;
    double own[2][3];
    turn_box(&t->frame, box, own);
    for (int i = 0; i < t->record->piece_count; i++) {
        const wri_polytope *p = &t->record->touch->pieces[i];
        const double piece[2][3] = {{p->low[0], p->low[1], p->low[2]},
                                    {p->high[0], p->high[1], p->high[2]}};
        if (!boxes_meet((const double(*)[3])own, piece)) {
            continue;
        }
        if (list->count == MOST_NEAR) {
            list->count = first;
            list->items[list->count++] = (near_thing){number, ALL_PIECES};
            return;
        }
        list->items[list->count++] = (near_thing){number, i};
    }
}

static void find_near_things(const search *s, const block_lists *lists, const double box[2][3],
                             near_list *list)
{
    list->count = 0;
    for (list->rest = 0; list->rest < lists->near_count && list->count < MOST_NEAR; list->rest++) {
        int number = s->near[lists->first_near + list->rest];
        const target *t = &s->targets[number];
        if (!is_near(t, box)) {
            continue;
        }
        if (t->record->kind == WR_SHAPE_HULLS) {
            add_pieces(t, number, box, list);
        } else {
            list->items[list->count++] = (near_thing){number, -1};
        }
    }
}

static bool read_ball(const search *s, int index, ball *out)
{
    const wr_ball *b = &s->query->balls[index];
    double unit = s->rigid->units.length;
    wri_to_engine(b->center, unit, out->at);
    wri_to_engine(b->sweep, unit, out->way);
    out->radius = b->radius / unit;
    out->is_swept = b->sweep.x != 0 || b->sweep.y != 0 || b->sweep.z != 0;
    return wr_is_finite3(b->center) && wr_is_finite3(b->sweep) && b->radius > 0 &&
           isfinite(b->radius);
}

// Things of one target.
static void try_things(const search *s, const ball *b, const near_thing *things, int count,
                       side_list *all)
{
    int number = things->target;
    const target *t = &s->targets[number];
    double box[2][3];
    find_ball_box(s, b, box);
    if (!is_near(t, (const double(*)[3])box)) {
        return;
    }
    ball own = seen_from(&t->frame, b);
    side_list sides;
    sides.count = 0;
    sides.room = s->query->most == 1 ? 1 : MOST_SIDES;
    find_ball_box(s, &own, box);
    for (int i = 0; i < count; i++) {
        try_target(s, &own, (const double(*)[3])box, number, things[i].piece, &sides);
    }
    keep_sides(&own, &sides, all);
}

static void try_ball(const search *s, const ball *b, const block_lists *lists,
                     const near_list *near, side_list *all)
{
    all->count = 0;
    all->room = s->query->most;
    for (int i = 0, end; i < near->count; i = end) {
        for (end = i + 1; end < near->count && near->items[end].target == near->items[i].target;) {
            end++;
        }
        try_things(s, b, &near->items[i], end - i, all);
    }
    for (int i = near->rest; i < lists->near_count; i++) {
        near_thing thing = {s->near[lists->first_near + i], ALL_PIECES};
        try_things(s, b, &thing, 1, all);
    }
}

// --- answers ----------------------------------------------------------------------------------

static void fill_touch(const search *s, const ball *b, int index, const side *found, wr_touch *out)
{
    const target *t = &s->targets[found->target];
    const wri_units *units = &s->rigid->units;
    const wri_body_state *state = wri_rigid_state_at(s->rigid, t->body);
    double point[3], normal[3], arm[3], velocity[3];
    wri_frame_point(&t->frame, found->nearest.point, point);
    wri_frame_turn(&t->frame, found->nearest.normal, normal);
    for (int i = 0; i < 3; i++) {
        arm[i] = point[i] - state->frame.position[i];
    }
    wri_cross3(state->spin, arm, velocity);
    for (int i = 0; i < 3; i++) {
        velocity[i] += state->velocity[i];
    }
    double depth = found->coming + wri_dot3(b->way, normal);
    *out = (wr_touch){
        .ball = index,
        .body = t->body,
        .piece = found->piece,
        .point = wri_from_engine(point, units->length),
        .normal = wri_from_engine(normal, 1.0),
        .local_point = wri_from_engine(found->nearest.point, units->length),
        .local_normal = wri_from_engine(found->nearest.normal, 1.0),
        .depth = (float)(depth * units->length),
        .time = (float)found->time,
        .velocity = wri_from_engine(velocity, wri_unit_speed(units)),
        .friction = (float)t->record->engine.friction,
        .restitution = (float)t->record->engine.restitution,
    };
}

static void find_in_row(const search *s, block_lists *lists, int row, int begin, int end)
{
    near_list near;
    double box[2][3];
    box_to_engine(&s->rigid->units, s->rows[row], box);
    find_near_things(s, lists, (const double(*)[3])box, &near);
    for (int i = begin; i < end && near.count > 0; i++) {
        ball b;
        side_list all;
        if (!read_ball(s, i, &b)) {
            continue;
        }
        try_ball(s, &b, lists, &near, &all);
        for (int k = 0; k < all.count; k++) {
            fill_touch(s, &b, i, &all.items[k],
                       &s->found[lists->first_slot + lists->found_count++]);
        }
    }
}

static void find_in_block(void *context, int block, int begin, int end)
{
    const search *s = context;
    block_lists *lists = &s->blocks[block];
    for (int first = begin; lists->near_count > 0 && first < end; first += ROW) {
        find_in_row(s, lists, first / ROW, first, first + ROW < end ? first + ROW : end);
    }
}

static void close_up(void *context, int block, int begin, int end)
{
    (void)begin, (void)end;
    const search *s = context;
    const block_lists *lists = &s->blocks[block];
    if (lists->found_count > 0) {
        memcpy(&s->touches[lists->first_touch], &s->found[lists->first_slot],
               (size_t)lists->found_count * sizeof(wr_touch));
    }
}

// --- the question -----------------------------------------------------------------------------

wr_touch_query wr_touch_query_default(void)
{
    return (wr_touch_query){.most = 1, .group = 1, .collides = UINT32_MAX, .cookie = QUERY_COOKIE};
}

void wri_touch_memory_create(wri_touch_memory *memory, const wr_allocator *allocator)
{
    *memory = (wri_touch_memory){
        .rows = wri_array_create(allocator, sizeof(wr_box)),
        .targets = wri_array_create(allocator, sizeof(target)),
        .numbers = wri_array_create(allocator, sizeof(int)),
        .movers = wri_array_create(allocator, sizeof(int)),
        .near = wri_array_create(allocator, sizeof(int)),
        .blocks = wri_array_create(allocator, sizeof(block_lists)),
        .found = wri_array_create(allocator, sizeof(wr_touch)),
        .touches = wri_array_create(allocator, sizeof(wr_touch)),
    };
}

void wri_touch_memory_destroy(wri_touch_memory *memory)
{
    wri_array *arrays[] = {&memory->rows, &memory->targets, &memory->numbers, &memory->movers,
                           &memory->near, &memory->blocks,  &memory->found,   &memory->touches};
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        wri_array_destroy(arrays[i]);
    }
}

static bool find_all(wr_rigid *rigid, const wr_touch_query *query, int *count)
{
    wri_touch_memory *memory = &rigid->touch;
    int balls = query->ball_count, blocks = wri_block_count(balls, BLOCK), slots;
    search s = {.rigid = rigid,
                .query = query,
                .margin = query->margin / rigid->units.length,
                .row_count = wri_block_count(balls, ROW)};
    if (!wri_array_reserve(&memory->rows, s.row_count) ||
        !wri_array_reserve(&memory->blocks, blocks)) {
        return false;
    }
    s.rows = memory->rows.items;
    s.blocks = memory->blocks.items;
    wri_parallel_for(&query->tasks, balls, BLOCK, find_rows, &s);
    if (!find_targets(rigid, &s, &slots) || !wri_array_reserve(&memory->found, slots)) {
        return false;
    }
    s.targets = memory->targets.items;
    s.near = memory->near.items;
    s.found = memory->found.items;
    if (slots > 0) {
        wri_parallel_for(&query->tasks, balls, BLOCK, find_in_block, &s);
    }
    for (int i = 0; i < blocks; i++) {
        s.blocks[i].first_touch = *count;
        *count += s.blocks[i].found_count;
    }
    if (!wri_array_reserve(&memory->touches, *count + 1)) {
        return false;
    }
    s.touches = memory->touches.items;
    if (*count > 0) {
        wri_parallel_for(&query->tasks, balls, BLOCK, close_up, &s);
    }
    return true;
}

const wr_touch *wr_rigid_find_touches(wr_rigid *rigid, const wr_touch_query *query, int *count,
                                      wr_error *error)
{
    WR_ASSERT(query->cookie == QUERY_COOKIE); // start from wr_touch_query_default()
    WR_ASSERT(query->most >= 1 && query->most <= WR_MOST_TOUCHES);
    WR_ASSERT(query->margin >= 0.0f && query->ball_count >= 0);
    *count = 0;
    if (query->ball_count > 0 ? !find_all(rigid, query, count)
                              : !wri_array_reserve(&rigid->touch.touches, 1)) {
        *count = 0;
        wri_fail_memory(error, (size_t)query->ball_count * sizeof(wr_touch));
        return NULL;
    }
    return rigid->touch.touches.items;
}
