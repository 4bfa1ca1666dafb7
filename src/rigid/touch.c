// touch.c: what balls touch.
//
// Balls are looked at in rows of 16 and blocks of 512, in the order in which they are given: most
// materials number neighbours one after the other. First every row gets its box. Then, on one
// thread, the engine's trees say which bodies are near each block, and the shapes of these are made
// ready. Then each block tests its rows against its bodies, and each ball what its row is near to.
// Answers of a block go to a place of its own and are closed up in order, so that threads do not
// matter.
#include "touch.h"

enum { ROW = 16, ROWS = 32, BLOCK = ROW * ROWS };
enum { MOST_NEAR = 256 }; // targets or pieces that a row is tested against one by one

static const uint32_t QUERY_COOKIE = 0x57526471u;

typedef struct block_lists {
    int first_near, near_count; // in memory->near
    int first_slot;             // in memory->found
    int found_count, first_touch;
} block_lists;

typedef struct search {
    const wr_rigid *rigid;
    const wr_touch_query *query;
    wri_touch_scene scene;
    double per_metre; // engine units
    int row_count;
    wr_box *rows;
    const int *near;
    block_lists *blocks;
    wr_touch *found, *touches;
} search;

// --- boxes ------------------------------------------------------------------------------------

static void widen(float x, float displacement, float reach, float *low, float *high)
{
    float end = x + displacement, first = (displacement < 0 ? end : x) - reach,
          last = (displacement < 0 ? x : end) + reach;
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
        double slack = WRI_ROUNDING * fmax(fabs(out[0][i]), fabs(out[1][i]));
        out[0][i] -= slack;
        out[1][i] += slack;
    }
}

// True when balls in the box may touch the target. The box of a plane is everywhere.
static bool is_near(const wri_touch_target *t, const double box[2][3])
{
    bool meets = wri_boxes_meet(t->box, box);
    if (!meets || t->solid.kind != WR_SHAPE_PLANE) {
        return meets;
    }
    double up = 0;
    for (int i = 0; i < 3; i++) {
        double n = t->frame.basis[i][1];
        up += n * (box[n > 0 ? 0 : 1][i] - t->frame.position[i]);
    }
    return up <= 0;
}

// --- targets ----------------------------------------------------------------------------------

// The engine's trees hold such a body where it was expected to go in the last substep.
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
    WR_ASSERT(memory->targets.count < memory->targets.capacity);
    int number = memory->targets.count++;
    wri_touch_target *t = &WRI_ITEM(memory->targets, wri_touch_target, number);
    t->body = body;
    t->record = wri_rigid_body_at(rigid, body);
    t->solid = (wri_solid){.kind = t->record->kind};
    memcpy(t->solid.size, t->record->size, sizeof t->solid.size);
    t->frame = wri_body_frame(rigid, body);
    wri_bullet_read_bounds(rigid->bullet, body, t->box[0], t->box[1]);
    t->is_ready = false;
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
    wri_touch_target *t = &WRI_ITEM(memory->targets, wri_touch_target, *number);
    if (!is_near(t, box)) {
        return true;
    }
    int *near = wri_array_add(&memory->near, 1);
    t->is_ready = t->is_ready || wri_prepare_touch(rigid, body);
    if (near) {
        *near = *number;
    }
    return near && t->is_ready;
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
            WR_ASSERT(i == 0 || still[i] > still[i - 1]);
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

// --- a row ------------------------------------------------------------------------------------

typedef struct near_list {
    int count;
    wri_near_thing items[MOST_NEAR];
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

static void add_pieces(const wri_touch_target *t, int number, const double box[2][3],
                       near_list *list)
{
    int first = list->count;
    double own[2][3];
    WR_ASSERT(t->is_ready && first < MOST_NEAR);
    turn_box(&t->frame, box, own);
    for (int i = 0; i < t->record->piece_count; i++) {
        const wri_polytope *p = &t->record->touch->pieces[i];
        if (!wri_boxes_meet((const double(*)[3])own, p->box)) {
            continue;
        }
        if (list->count == MOST_NEAR) {
            list->count = first;
            list->items[list->count++] = (wri_near_thing){number, WRI_ALL_PIECES};
            return;
        }
        list->items[list->count++] = (wri_near_thing){number, i};
    }
}

static void find_near_things(const search *s, const block_lists *lists, const double box[2][3],
                             near_list *list)
{
    list->count = 0;
    for (list->rest = 0; list->rest < lists->near_count && list->count < MOST_NEAR; list->rest++) {
        int number = s->near[lists->first_near + list->rest];
        WR_ASSERT(number >= 0);
        const wri_touch_target *t = &s->scene.targets[number];
        if (!is_near(t, box)) {
            continue;
        }
        if (t->record->kind == WR_SHAPE_HULLS) {
            add_pieces(t, number, box, list);
        } else {
            list->items[list->count++] = (wri_near_thing){number, -1};
        }
    }
}

static bool read_ball(const search *s, int index, wri_touch_ball *out)
{
    const wr_ball *b = &s->query->balls[index];
    const double at[3] = {b->center.x, b->center.y, b->center.z};
    const double displacement[3] = {b->sweep.x, b->sweep.y, b->sweep.z};
    for (int i = 0; i < 3; i++) {
        out->at[i] = s->per_metre * at[i];
        out->displacement[i] = s->per_metre * displacement[i];
    }
    out->radius = s->per_metre * b->radius;
    out->is_swept = displacement[0] != 0 || displacement[1] != 0 || displacement[2] != 0;
    return wr_is_finite3(b->center) && wr_is_finite3(b->sweep) && b->radius > 0 &&
           isfinite(b->radius);
}

static void try_ball(const search *s, const wri_touch_ball *b, const block_lists *lists,
                     const near_list *near, wri_side_list *all)
{
    double box[2][3];
    wri_find_ball_box(b, s->scene.margin, box);
    all->count = 0;
    all->room = s->scene.most;
    for (int i = 0, end; i < near->count; i = end) {
        int number = near->items[i].target;
        for (end = i + 1; end < near->count && near->items[end].target == number;) {
            end++;
        }
        if (is_near(&s->scene.targets[number], (const double(*)[3])box)) {
            wri_touch_things(&s->scene, b, &near->items[i], end - i, all);
        }
    }
    for (int i = near->rest; i < lists->near_count; i++) {
        wri_near_thing thing = {s->near[lists->first_near + i], WRI_ALL_PIECES};
        if (is_near(&s->scene.targets[thing.target], (const double(*)[3])box)) {
            wri_touch_things(&s->scene, b, &thing, 1, all);
        }
    }
}

// --- answers ----------------------------------------------------------------------------------

static void fill_touch(const search *s, const wri_touch_ball *b, int index, const wri_side *found,
                       wr_touch *out)
{
    const wri_touch_target *t = &s->scene.targets[found->target];
    const wri_units *units = &s->rigid->units;
    const wri_body_state *state = wri_rigid_state_at(s->rigid, t->body);
    double point[3], normal[3], arm[3], velocity[3];
    wri_frame_point(&t->frame, found->nearest.point, point);
    wri_frame_turn(&t->frame, found->nearest.normal, normal);
    for (int i = 0; i < 3; i++) {
        arm[i] = point[i] - state->frame.position[i];
    }
    wri_cross3(state->angular_velocity, arm, velocity);
    for (int i = 0; i < 3; i++) {
        velocity[i] += state->velocity[i];
    }
    double depth = found->end_depth + wri_dot3(b->displacement, normal);
    WR_ASSERT(wri_is_unit(normal) && found->time >= 0 && found->time <= 1);
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
        wri_touch_ball b;
        wri_side_list all;
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
    WR_ASSERT(lists->found_count <= (end - begin) * s->scene.most);
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
        .targets = wri_array_create(allocator, sizeof(wri_touch_target)),
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
                .scene = {NULL, query->margin / rigid->units.length, query->most},
                .per_metre = 1.0 / rigid->units.length,
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
    WR_ASSERT(slots <= INT32_MAX - BLOCK * WR_MOST_TOUCHES);
    s.scene.targets = memory->targets.items;
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

static bool check_query(const wr_touch_query *query, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_touch_query, query, QUERY_COOKIE) ||
        !WRI_REQUIRE_LIST(error, query->balls, query->ball_count) ||
        !WRI_REQUIRE_LIST(error, query->ignored, query->ignored_count)) {
        return false;
    }
    if (query->most < 1 || query->most > WR_MOST_TOUCHES) {
        return wri_fail(error, WR_E_ARGUMENT, "most: %d not in [1, %d]", query->most,
                        WR_MOST_TOUCHES);
    }
    return (query->margin >= 0.0f && isfinite(query->margin)) ||
           wri_fail(error, WR_E_ARGUMENT, "margin: %g is no length", (double)query->margin);
}

const wr_touch *wr_rigid_find_touches(wr_rigid *rigid, const wr_touch_query *query, int *count,
                                      wr_error *error)
{
    if (!WRI_REQUIRE(error, rigid, count)) {
        return NULL;
    }
    *count = 0;
    if (!check_query(query, error)) {
        return NULL;
    }
    if (query->ball_count > 0 ? !find_all(rigid, query, count)
                              : !wri_array_reserve(&rigid->touch.touches, 1)) {
        *count = 0;
        wri_fail_memory(error, (size_t)query->ball_count * sizeof(wr_touch));
        return NULL;
    }
    return rigid->touch.touches.items;
}
