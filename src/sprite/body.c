// body.c: rigid bodies that move freely, as far as sprites touch them.
//
// Somebody else moves them. A step takes a copy of each along that responds to every contact at
// once: bodies that went on evenly and got the sum afterwards would be thrown back and forth by
// what is heavier. Contacts move a copy as they move a sprite; the velocity that this gives is
// handed over as an impulse, the part that was due before the step as a shift. Contacts among
// bodies are in bearing.c.
#include "world.h"

#include "../math/elementary.h"

// --- making them ------------------------------------------------------------------------------

enum { PAIRS = 8 }; // room for pairs with sprites, besides that which sprites bring

static bool make_room(wr_sprite_world *world, const wr_sprite_body_desc *desc, int corner_count)
{
    return wri_array_reserve(&world->corners, world->corners.count + corner_count) &&
           wri_array_reserve(&world->sides, world->sides.count + corner_count) &&
           wri_array_reserve(&world->levels, world->levels.count + desc->piece_count) &&
           wri_array_reserve(&world->present, world->levels.count + desc->piece_count) &&
           wri_array_reserve(&world->bodies, world->bodies.count + 1) &&
           wri_array_add(&world->pairs, PAIRS);
}

int wr_sprite_add_body(wr_sprite_world *world, const wr_sprite_body_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE(error, world, desc) ||
        !WRI_REQUIRE_LIST(error, desc->corner_counts, desc->piece_count)) {
        return -1;
    }
    int corner_count = 0;
    for (int i = 0; i < desc->piece_count; i++) {
        if (desc->corner_counts[i] < 0 || desc->corner_counts[i] > INT32_MAX - corner_count) {
            wri_fail(error, WR_E_ARGUMENT, "corner_counts[%d]: %d", i, desc->corner_counts[i]);
            return -1;
        }
        corner_count += desc->corner_counts[i];
    }
    wri_flat_body *body = wri_arena_alloc(&world->arena, 1, sizeof *body);
    if (!body || !make_room(world, desc, corner_count)) {
        wri_fail_memory(error, (size_t)corner_count * sizeof(wr_vec2));
        return -1;
    }
    body->whole.body = body;
    body->first_piece = world->levels.count;
    body->piece_count = desc->piece_count;
    for (int i = 0; i < desc->piece_count; i++) {
        wri_level *level = wri_array_add(&world->levels, 1);
        *level = (wri_level){.first = world->corners.count,
                             .friction = desc->friction,
                             .group = desc->group,
                             .collides = desc->collides,
                             .body = body,
                             .room = desc->corner_counts[i],
                             .is_absent = true};
        wri_array_add(&world->corners, desc->corner_counts[i]);
        wri_array_add(&world->sides, desc->corner_counts[i]);
    }
    *(wri_flat_body **)wri_array_add(&world->bodies, 1) = body;
    return world->bodies.count - 1;
}

bool wr_sprite_set_outline(wr_sprite_world *world, int body, int piece, const wr_vec2 *corners,
                           int corner_count, wr_error *error)
{
    if (!WRI_REQUIRE(error, world) || !WRI_REQUIRE_LIST(error, corners, corner_count)) {
        return false;
    }
    if (body < 0 || body >= world->bodies.count) {
        return wri_fail(error, WR_E_ARGUMENT, "body: there is no body %d", body);
    }
    const wri_flat_body *b = wri_flat_body_of(world, body);
    if (piece < 0 || piece >= b->piece_count) {
        return wri_fail(error, WR_E_ARGUMENT, "piece: there is no piece %d", piece);
    }
    wri_level *level = &WRI_ITEM(world->levels, wri_level, b->first_piece + piece);
    if (corner_count > level->room) {
        return wri_fail(error, WR_E_ARGUMENT, "corners: %d, there is room for %d", corner_count,
                        level->room);
    }
    if (corner_count > 0 && !wri_sprite_check_outline(corners, corner_count, error)) {
        return false;
    }
    wri_sprite_set_corners(world, level, corners, corner_count);
    return true;
}

static bool is_body(const wr_sprite_body *b)
{
    return wri_sprite_is_number(b->position.x) && wri_sprite_is_number(b->position.y) &&
           wri_sprite_is_number(b->angle) && wri_sprite_is_number(b->center.x) &&
           wri_sprite_is_number(b->center.y) && wri_sprite_is_number(b->velocity.x) &&
           wri_sprite_is_number(b->velocity.y) && wri_sprite_is_number(b->angular_velocity) &&
           b->inverse_mass >= 0.0f && b->inverse_inertia >= 0.0f;
}

void wr_sprite_place_body(wr_sprite_world *world, int body, const wr_sprite_body *now)
{
    if (is_body(now)) {
        wri_flat_body_of(world, body)->start = *now;
    }
}

void wr_sprite_set_bearings(wr_sprite_world *world, wr_sprite_bearing *bearings, int count)
{
    world->bearings = bearings;
    world->bearing_count = count;
}

wr_sprite_push wr_sprite_body_push(const wr_sprite_world *world, int body)
{
    const wri_flat_body *b = wri_flat_body_of(world, body);
    return (wr_sprite_push){.impulse = {(float)b->impulse[0], (float)b->impulse[1]},
                            .angular_impulse = (float)b->angular_impulse,
                            .shift = {(float)b->shift[0], (float)b->shift[1]},
                            .rotation = (float)b->shift[2]};
}

// --- where they are ---------------------------------------------------------------------------

static wri_level_place place_at(const wri_flat_body *b, const double center[2], double angle)
{
    const wr_sprite_body *s = &b->start;
    float x = s->position.x - s->center.x, y = s->position.y - s->center.y, sine, cosine;
    wri_sin_cos((float)(angle - (double)s->angle), &sine, &cosine);
    wri_level_place p = {.angle = (float)angle};
    p.position.x = (float)(center[0] + (double)(cosine * x - sine * y));
    p.position.y = (float)(center[1] + (double)(sine * x + cosine * y));
    wri_sin_cos(p.angle, &p.sine, &p.cosine);
    return p;
}

static void place_pieces(wr_sprite_world *world, const wri_flat_body *b)
{
    const double center[2] = {b->origin[0] + b->center[0], b->origin[1] + b->center[1]};
    wri_level_place place = place_at(b, center, b->angle);
    for (int i = 0; i < b->piece_count; i++) {
        WRI_ITEM(world->levels, wri_level, b->first_piece + i).now = place;
    }
}

static void start(wr_sprite_world *world, wri_flat_body *b, float dt)
{
    const wr_sprite_body *s = &b->start;
    bool is_loose = s->inverse_mass > 0.0f;
    b->whole.mass = is_loose ? 1.0f / s->inverse_mass : 0.0f;
    b->whole.inertia =
        is_loose && s->inverse_inertia > 0.0f ? 1.0 / (double)s->inverse_inertia : 0.0;
    b->whole.lever_inertia = (float)b->whole.inertia;
    b->whole.nail_count = is_loose ? 0 : 2;
    b->origin[0] = (double)s->center.x;
    b->origin[1] = (double)s->center.y;
    b->center[0] = b->center[1] = 0.0;
    b->angle = (double)s->angle;
    b->velocity[0] = s->velocity.x;
    b->velocity[1] = s->velocity.y;
    b->angular_velocity = s->angular_velocity;
    b->impulse[0] = b->impulse[1] = b->angular_impulse = 0.0;
    memset(b->shift, 0, sizeof b->shift);
    place_pieces(world, b);
    float fall = is_loose ? dt : 0.0f;
    const double center[2] = {
        b->origin[0] + (double)(dt * (b->velocity[0] + fall * world->gravity.x)),
        b->origin[1] + (double)(dt * (b->velocity[1] + fall * world->gravity.y))};
    wri_level_place next = place_at(b, center, b->angle + (double)(dt * b->angular_velocity));
    for (int i = 0; i < b->piece_count; i++) {
        wri_level *level = &WRI_ITEM(world->levels, wri_level, b->first_piece + i);
        level->next = next;
        level->is_absent = level->count == 0;
    }
}

void wri_flat_bodies_start(wr_sprite_world *world, float dt)
{
    for (int i = 0; i < world->bodies.count; i++) {
        start(world, wri_flat_body_of(world, i), dt);
    }
}

// --- who takes part ---------------------------------------------------------------------------

static bool may_meet_sprite(const wr_sprite_world *world, const wri_flat_body *b)
{
    bool may = false;
    for (int k = 0; k < b->piece_count && !may; k++) {
        const wri_level *level = &WRI_ITEM(world->levels, wri_level, b->first_piece + k);
        wr_vec2 p = level->now.position, q = level->next.position;
        float r = level->radius;
        const float box[4] = {wr_minf(p.x, q.x) - r, wr_minf(p.y, q.y) - r, wr_maxf(p.x, q.x) + r,
                              wr_maxf(p.y, q.y) + r};
        for (int i = 0; i < world->sprites.count && !may; i++) {
            const wri_sprite *s = wri_sprite_of(world, i);
            may = !s->removed && wri_sprite_collides_with_level(s, level) &&
                  wri_sprite_boxes_meet(s->world_box, box);
        }
    }
    return may;
}

void wri_flat_bodies_find_near(wr_sprite_world *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        b->is_near = may_meet_sprite(world, b);
    }
    for (bool changed = true; changed;) { // with whatever leans on one of them
        changed = false;
        for (int i = 0; i < world->bearing_count; i++) {
            const wr_sprite_bearing *c = &world->bearings[i];
            wri_flat_body *a = wri_flat_body_of(world, c->a);
            wri_flat_body *b = c->b >= 0 ? wri_flat_body_of(world, c->b) : a;
            changed = changed || a->is_near != b->is_near;
            a->is_near = b->is_near = a->is_near || b->is_near;
        }
    }
    int count = 0;
    for (int i = 0; i < world->bearing_count; i++) {
        if (wri_flat_body_of(world, world->bearings[i].a)->is_near) {
            world->bearings[count++] = world->bearings[i];
        }
    }
    world->bearing_count = count;
    for (int i = 0; i < world->levels.count; i++) {
        wri_level *level = &WRI_ITEM(world->levels, wri_level, i);
        level->is_absent = level->is_absent || (level->body && !level->body->is_near);
    }
}

// --- a part of a step -------------------------------------------------------------------------

static void begin(wri_flat_body *b, wr_vec2 gravity, float dt)
{
    float fall = b->whole.nail_count == 0 ? dt : 0.0f;
    for (int k = 0; k < 2; k++) {
        b->begin[k] = b->origin[k] + b->center[k];
        b->begin_velocity[k] = b->velocity[k];
        b->velocity[k] += fall * (k == 0 ? gravity.x : gravity.y);
        b->whole.positional_impulse[k] = 0.0f;
    }
    b->begin[2] = b->angle;
    b->begin_velocity[2] = b->angular_velocity;
    b->whole.angular_positional_impulse = 0.0;
    b->whole.met = false;
}

static void predict(wri_flat_body *b, float dt)
{
    for (int k = 0; k < 2; k++) {
        b->origin[k] = b->begin[k] + (double)dt * (double)b->velocity[k];
        b->center[k] = 0.0;
        b->whole.velocity[k] = b->velocity[k];
    }
    b->angle = b->begin[2] + (double)dt * (double)b->angular_velocity;
}

void wri_flat_bodies_begin(wr_sprite_world *world, float dt)
{
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        for (int k = 0; b->is_near && k < b->piece_count; k++) {
            wri_level *level = &WRI_ITEM(world->levels, wri_level, b->first_piece + k);
            level->before = level->now;
        }
        if (b->is_near) {
            begin(b, world->gravity, dt);
        }
    }
    wri_bearings_rest(world);
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        if (b->is_near) {
            predict(b, dt);
            place_pieces(world, b);
        }
    }
    wri_bearings_find_supports(world);
}

// --- contacts ---------------------------------------------------------------------------------

float wri_flat_body_inverse_effective_mass(const wri_flat_body *b, const float at[2], float nx,
                                           float ny)
{
    float arm = at[0] * ny - at[1] * nx;
    return b->start.inverse_mass + b->start.inverse_inertia * arm * arm;
}

float wri_flat_body_travel(const wri_flat_body *b, const float at[2], float nx, float ny, float dt)
{
    return dt * ((b->begin_velocity[0] - b->begin_velocity[2] * at[1]) * nx +
                 (b->begin_velocity[1] + b->begin_velocity[2] * at[0]) * ny);
}

void wri_flat_body_move(wr_sprite_world *world, wri_flat_body *b, const float slide[3])
{
    b->center[0] += (double)slide[0];
    b->center[1] += (double)slide[1];
    b->angle += (double)wr_clampf(slide[2], -0.3f, 0.3f);
    place_pieces(world, b);
}

void wri_flat_body_push(wr_sprite_world *world, wri_flat_body *b, const float at[2], float x,
                        float y, const float slide[3], const float old[3])
{
    for (int i = 0; i < 3; i++) {
        b->shift[i] += (double)old[i];
    }
    wri_sprite_add_impulse(&b->whole, (float)b->center[0] + at[0], (float)b->center[1] + at[1], x,
                           y);
    wri_flat_body_move(world, b, slide);
}

void wri_flat_body_shift(wri_flat_body *b, const float at[2], float x, float y)
{
    b->shift[0] += (double)(b->start.inverse_mass * x);
    b->shift[1] += (double)(b->start.inverse_mass * y);
    b->shift[2] += (double)(b->start.inverse_inertia * (at[0] * y - at[1] * x));
}

// --- the end of a part ------------------------------------------------------------------------

static void end(wri_flat_body *b, float dt)
{
    const wri_whole *w = &b->whole;
    double px = (double)w->positional_impulse[0], py = (double)w->positional_impulse[1],
           per = 1.0 / (double)dt;
    double gained = w->angular_positional_impulse - (b->center[0] * py - b->center[1] * px) +
                    b->bearing_impulse[2];
    double x = b->begin[0] - (double)b->start.center.x, y = b->begin[1] - (double)b->start.center.y;
    px += b->bearing_impulse[0];
    py += b->bearing_impulse[1];
    b->impulse[0] += per * px;
    b->impulse[1] += per * py;
    b->angular_impulse += per * (gained + x * py - y * px);
    b->velocity[0] += (float)(per * b->displacement[0]);
    b->velocity[1] += (float)(per * b->displacement[1]);
    b->angular_velocity += (float)(per * b->displacement[2]);
}

void wri_flat_bodies_end(wr_sprite_world *world, float dt)
{
    wri_bearings_settle(world);
    for (int i = 0; i < world->bodies.count; i++) {
        wri_flat_body *b = wri_flat_body_of(world, i);
        if (b->is_near && b->whole.nail_count == 0) {
            end(b, dt);
        }
    }
    wri_bearings_limit_shifts(world);
}
