// world.c: worlds of sprites: what is in them, and what they show.
#include "world.h"

#include "../math/elementary.h"

static const uint32_t WORLD_COOKIE = 0x53505257, SPRITE_COOKIE = 0x53505242;

// Room: contacts per particle on an outline, touches per particle, pairs per sprite.
enum { CONTACTS = 4, TOUCHES = 2, PAIRS = 16, CORNERS_MAX = 1 << 16 };

wr_sprite_world_desc wr_sprite_world_desc_default(void)
{
    return (wr_sprite_world_desc){.gravity = {0.0f, -9.81f}, .cookie = WORLD_COOKIE};
}

wr_sprite_desc wr_sprite_desc_default(void)
{
    return (wr_sprite_desc){.parameters = wr_sprite_parameters_default(),
                            .pose = {.simplex = -1},
                            .group = UINT32_MAX,
                            .collides = UINT32_MAX,
                            .cookie = SPRITE_COOKIE};
}

bool wri_sprite_is_number(float x)
{
    return x > -1e15f && x < 1e15f;
}

// --- the world --------------------------------------------------------------------------------

wr_sprite_world *wr_sprite_world_create(const wr_sprite_world_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_sprite_world_desc, desc, WORLD_COOKIE)) {
        return NULL;
    }
    if (!wri_sprite_is_number(desc->gravity.x) || !wri_sprite_is_number(desc->gravity.y)) {
        wri_fail(error, WR_E_ARGUMENT, "gravity: not finite");
        return NULL;
    }
    wri_arena arena = wri_arena_create(desc->allocator);
    wr_sprite_world *world = wri_arena_alloc(&arena, 1, sizeof *world);
    if (!world) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, sizeof *world);
        return NULL;
    }
    const wr_allocator *heap = &arena.allocator;
    *world = (wr_sprite_world){.arena = arena,
                               .gravity = desc->gravity,
                               .seconds = desc->seconds,
                               .sprites = wri_array_create(heap, sizeof(wri_sprite *)),
                               .levels = wri_array_create(heap, sizeof(wri_level)),
                               .bodies = wri_array_create(heap, sizeof(wri_flat_body *)),
                               .present = wri_array_create(heap, sizeof(int)),
                               .corners = wri_array_create(heap, sizeof(wr_vec2)),
                               .sides = wri_array_create(heap, sizeof(wri_level_side)),
                               .order = wri_array_create(heap, sizeof(int)),
                               .contacts = wri_array_create(heap, sizeof(wri_contact)),
                               .touches = wri_array_create(heap, sizeof(wri_touch)),
                               .pairs = wri_array_create(heap, sizeof(wri_sprite_pair)),
                               .nearness = wri_array_create(heap, sizeof(float))};
    return world;
}

void wr_sprite_world_destroy(wr_sprite_world *world)
{
    if (world) {
        wri_array *arrays[] = {&world->sprites, &world->levels, &world->bodies,  &world->present,
                               &world->corners, &world->sides,  &world->order,   &world->contacts,
                               &world->touches, &world->pairs,  &world->nearness};
        for (int i = 0; i < WRI_COUNT(arrays); i++) {
            wri_array_destroy(arrays[i]);
        }
        wri_arena arena = world->arena;
        wri_arena_destroy(&arena);
    }
}

wr_sprite_statistics wr_sprite_world_stats(const wr_sprite_world *world)
{
    return world->statistics;
}

// --- sprites ----------------------------------------------------------------------------------

// Returns rest, or the first example of the manifold where rest is in no simplex.
static wr_sprite_point start_point(const wr_sprite_asset *asset)
{
    wr_sprite_point point = wr_sprite_asset_example_point(asset, 0);
    if (point.simplex < 0) {
        point = (wr_sprite_point){.simplex = 0, .shares = {1.0f}};
    }
    return point;
}

static bool check_desc(const wr_sprite_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_sprite_desc, desc, SPRITE_COOKIE) ||
        !WRI_REQUIRE(error, desc->asset)) {
        return false;
    }
    if (!wri_sprite_is_number(desc->position.x) || !wri_sprite_is_number(desc->position.y)) {
        return wri_fail(error, WR_E_ARGUMENT, "position: not finite");
    }
    if (!wri_sprite_is_number(desc->velocity.x) || !wri_sprite_is_number(desc->velocity.y) ||
        !wri_sprite_is_number(desc->angular_velocity) || !wri_sprite_is_number(desc->angle)) {
        return wri_fail(error, WR_E_ARGUMENT, "velocity, angular_velocity or angle: not finite");
    }
    if (desc->pose.simplex != -1 && !wri_sprite_is_point(desc->asset, desc->pose)) {
        return wri_fail(error, WR_E_ARGUMENT, "pose: simplex %d of %d, or shares that are no blend",
                        desc->pose.simplex, desc->asset->simplex_count);
    }
    return wri_sprite_check_parameters(desc->asset, &desc->parameters, error);
}

static bool alloc_arrays(wri_sprite *s, wri_arena *arena)
{
    size_t n = (size_t)s->asset->N;
    float **arrays[] = {
        &s->x, &s->y, &s->vx, &s->vy, &s->px, &s->py, &s->ex, &s->ey, &s->inverse_masses};
    bool ok = true;
    for (int i = 0; i < WRI_COUNT(arrays); i++) {
        ok &= (*arrays[i] = wri_arena_alloc(arena, n, sizeof(float))) != NULL;
    }
    s->sums = wri_arena_alloc(arena, n, sizeof *s->sums);
    s->ring_motions = wri_arena_alloc(arena, n, sizeof *s->ring_motions);
    s->rest_centers = wri_arena_alloc(arena, n, sizeof *s->rest_centers);
    s->positions = wri_arena_alloc(arena, n, sizeof *s->positions);
    s->velocities = wri_arena_alloc(arena, n, sizeof *s->velocities);
    s->ring_nails = wri_arena_alloc(arena, n, 1);
    return ok && s->sums && s->ring_motions && s->rest_centers && s->positions && s->velocities &&
           s->ring_nails;
}

void wri_sprite_show(wri_sprite *s)
{
    for (int i = 0; i < s->asset->N; i++) {
        s->positions[i].x = (float)(s->state.origin[0] + (double)s->x[i]);
        s->positions[i].y = (float)(s->state.origin[1] + (double)s->y[i]);
        s->velocities[i] = (wr_vec2){s->vx[i], s->vy[i]};
    }
}

static void place(wri_sprite *s, const wr_sprite_desc *desc)
{
    wri_sprite_state *state = &s->state;
    double cx = 0.0, cy = 0.0;
    float cosine, sine;
    wri_sprite_shape(s->asset, state->q, s->ex, s->ey);
    for (int i = 0; i < s->asset->N; i++) {
        cx += (double)s->asset->masses[i] * (double)s->ex[i];
        cy += (double)s->asset->masses[i] * (double)s->ey[i];
    }
    cx /= (double)s->asset->mass;
    cy /= (double)s->asset->mass;
    wri_sin_cos(desc->angle, &sine, &cosine);
    state->origin[0] = (double)desc->position.x + (double)cosine * cx - (double)sine * cy;
    state->origin[1] = (double)desc->position.y + (double)sine * cx + (double)cosine * cy;
    for (int i = 0; i < s->asset->N; i++) {
        float ex = (float)((double)s->ex[i] - cx), ey = (float)((double)s->ey[i] - cy);
        s->x[i] = cosine * ex - sine * ey;
        s->y[i] = sine * ex + cosine * ey;
        s->vx[i] = desc->velocity.x - desc->angular_velocity * s->y[i];
        s->vy[i] = desc->velocity.y + desc->angular_velocity * s->x[i];
    }
    state->angle = desc->angle;
    state->velocity[0] = desc->velocity.x;
    state->velocity[1] = desc->velocity.y;
    state->angular_velocity = desc->angular_velocity;
    s->cosine = cosine;
    s->sine = sine;
    wri_sprite_show(s);
}

// Makes room for all that a step may need, so that no step takes memory.
static bool make_room(wr_sprite_world *world, const wr_sprite_asset *asset)
{
    int contacts = CONTACTS * (asset->outline_count + 16);
    int edges = asset->edge_count - world->nearness.count;
    return wri_array_add(&world->contacts, contacts) &&
           wri_array_add(&world->touches, contacts + TOUCHES * asset->N) &&
           wri_array_add(&world->pairs, PAIRS) &&
           (edges <= 0 || wri_array_add(&world->nearness, edges)) &&
           wri_array_reserve(&world->sprites, world->sprites.count + 1) &&
           wri_array_reserve(&world->order, world->order.count + 1);
}

int wr_sprite_add(wr_sprite_world *world, const wr_sprite_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE(error, world)) {
        return -1;
    }
    if (!check_desc(desc, error)) {
        return -1;
    }
    wri_sprite *s = wri_arena_alloc(&world->arena, 1, sizeof *s);
    if (s) {
        s->asset = desc->asset;
        s->whole = (wri_whole){.sprite = s, .mass = desc->asset->mass};
    }
    if (!s || !alloc_arrays(s, &world->arena) || !make_room(world, desc->asset)) {
        wri_fail_memory(error, world->arena.total);
        return -1;
    }
    s->parameters = desc->parameters;
    s->group = desc->group;
    s->collides = desc->collides;
    s->state.q = desc->pose.simplex < 0 ? start_point(desc->asset) : desc->pose;
    s->state.m_p = s->state.before = s->state.wished = s->state.q;
    s->state.steps = world->sprites.count; // so that they search the whole manifold in turn
    place(s, desc);
    wri_sprite_prepare_nails(s);
    int number = world->sprites.count;
    *(int *)wri_array_add(&world->order, 1) = number;
    *(wri_sprite **)wri_array_add(&world->sprites, 1) = s;
    return number;
}

// --- level ------------------------------------------------------------------------------------

static wri_level_place place_level(wr_vec2 position, float angle)
{
    wri_level_place p = {.position = position, .angle = angle};
    wri_sin_cos(angle, &p.sine, &p.cosine);
    return p;
}

bool wri_sprite_check_outline(const wr_vec2 *corners, int count, wr_error *error)
{
    if (count < 3 || count > CORNERS_MAX || !corners) {
        return wri_fail(error, WR_E_ARGUMENT, "corners: %d, need 3 or more, or 0: a half-plane",
                        count);
    }
    double turned = 0.0; // doubled area
    for (int i = 0; i < count; i++) {
        wr_vec2 a = corners[i], b = corners[(i + 1) % count], c = corners[(i + 2) % count];
        if (!wri_sprite_is_number(a.x) || !wri_sprite_is_number(a.y)) {
            return wri_fail(error, WR_E_ARGUMENT, "corners[%d]: not finite", i);
        }
        double dx = (double)b.x - (double)a.x, dy = (double)b.y - (double)a.y;
        double ex = (double)c.x - (double)b.x, ey = (double)c.y - (double)b.y;
        double length = sqrt((dx * dx + dy * dy) * (ex * ex + ey * ey));
        if (!(dx * dx + dy * dy > 0.0) || dx * ey - dy * ex < -1e-6 * length) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "corners[%d]: not convex and counterclockwise there", (i + 1) % count);
        }
        turned += (double)a.x * (double)b.y - (double)b.x * (double)a.y;
    }
    return turned > 0.0 || wri_fail(error, WR_E_ARGUMENT, "corners: no area, or clockwise");
}

static bool check_level(const wr_sprite_level *level, wr_error *error)
{
    if (level->corner_count != 0 &&
        !wri_sprite_check_outline(level->corners, level->corner_count, error)) {
        return false;
    }
    return (wri_sprite_is_number(level->position.x) && wri_sprite_is_number(level->position.y) &&
            wri_sprite_is_number(level->angle) && level->friction >= 0.0f &&
            level->friction <= 1e6f) ||
           wri_fail(error, WR_E_ARGUMENT, "position, angle or friction: out of range");
}

void wri_sprite_set_corners(wr_sprite_world *world, wri_level *level, const wr_vec2 *corners,
                            int count)
{
    level->count = count;
    level->radius = 0.0f;
    for (int i = 0; i < count; i++) {
        wr_vec2 a = corners[i], b = corners[(i + 1) % count];
        float dx = b.x - a.x, dy = b.y - a.y, length = sqrtf(dx * dx + dy * dy);
        float nx = dy / length, ny = -dx / length;
        WRI_ITEM(world->corners, wr_vec2, level->first + i) = a;
        WRI_ITEM(world->sides, wri_level_side, level->first + i) =
            (wri_level_side){{nx, ny}, nx * a.x + ny * a.y};
        level->radius = wr_maxf(level->radius, sqrtf(a.x * a.x + a.y * a.y));
    }
}

int wr_sprite_add_level(wr_sprite_world *world, const wr_sprite_level *desc, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "world, level", world, desc)) {
        return -1;
    }
    if (!check_level(desc, error)) {
        return -1;
    }
    int count = desc->corner_count, first = world->corners.count;
    if (!wri_array_reserve(&world->corners, first + count) ||
        !wri_array_reserve(&world->sides, first + count) ||
        !wri_array_reserve(&world->levels, world->levels.count + 1) ||
        !wri_array_reserve(&world->present, world->levels.count + 1)) {
        wri_fail_memory(error, (size_t)count * sizeof(wr_vec2));
        return -1;
    }
    wri_level *level = wri_array_add(&world->levels, 1);
    level->first = first;
    bool is_open = !desc->group && !desc->collides;
    level->friction = desc->friction;
    level->group = is_open ? UINT32_MAX : desc->group;
    level->collides = is_open ? UINT32_MAX : desc->collides;
    level->now = level->before = level->next = place_level(desc->position, desc->angle);
    wri_array_add(&world->corners, count);
    wri_array_add(&world->sides, count);
    wri_sprite_set_corners(world, level, desc->corners, count);
    return world->levels.count - 1;
}

void wr_sprite_move_level(wr_sprite_world *world, int level, wr_vec2 position, float angle)
{
    WR_ASSERT(level >= 0 && level < world->levels.count);
    if (wri_sprite_is_number(position.x) && wri_sprite_is_number(position.y) &&
        wri_sprite_is_number(angle)) {
        WRI_ITEM(world->levels, wri_level, level).next = place_level(position, angle);
    }
}

void wr_sprite_place_level(wr_sprite_world *world, int level, wr_vec2 position, float angle)
{
    wr_sprite_move_level(world, level, position, angle);
    wri_level *l = &WRI_ITEM(world->levels, wri_level, level);
    l->now = l->next;
}

// --- one sprite -------------------------------------------------------------------------------

int wr_sprite_count(const wr_sprite_world *world)
{
    return world->sprites.count;
}

const wr_sprite_asset *wr_sprite_get_asset(const wr_sprite_world *world, int sprite)
{
    return wri_sprite_of(world, sprite)->asset;
}

const wr_vec2 *wr_sprite_positions(const wr_sprite_world *world, int sprite)
{
    return wri_sprite_of(world, sprite)->positions;
}

const wr_vec2 *wr_sprite_velocities(const wr_sprite_world *world, int sprite)
{
    return wri_sprite_of(world, sprite)->velocities;
}

wr_sprite_facts wr_sprite_get_facts(const wr_sprite_world *world, int sprite)
{
    const wri_sprite *s = wri_sprite_of(world, sprite);
    const wri_sprite_state *state = &s->state;
    double cx = 0.0, cy = 0.0;
    for (int i = 0; i < s->asset->N; i++) {
        cx += (double)s->asset->masses[i] * (double)s->x[i];
        cy += (double)s->asset->masses[i] * (double)s->y[i];
    }
    return (wr_sprite_facts){.center = {(float)(state->origin[0] + cx / (double)s->asset->mass),
                                        (float)(state->origin[1] + cy / (double)s->asset->mass)},
                             .velocity = {state->velocity[0], state->velocity[1]},
                             .angle = state->angle,
                             .angular_velocity = state->angular_velocity + state->control_rate,
                             .on_ground = state->on_ground,
                             .touching = state->touching,
                             .impact_energy = state->impact_energy,
                             .projected = state->m_p,
                             .wished = state->wished,
                             .equilibrium = state->q,
                             .flipped = state->flipped};
}

const wr_sprite_parameters *wr_sprite_get_parameters(const wr_sprite_world *world, int sprite)
{
    return &wri_sprite_of(world, sprite)->parameters;
}

bool wr_sprite_set_parameters(wr_sprite_world *world, int sprite,
                              const wr_sprite_parameters *parameters, wr_error *error)
{
    if (!WRI_REQUIRE(error, world, parameters) || !wri_sprite_exists(world, sprite, error)) {
        return false;
    }
    wri_sprite *s = wri_sprite_of(world, sprite);
    if (!wri_sprite_check_parameters(s->asset, parameters, error)) {
        return false;
    }
    s->parameters = *parameters;
    return true;
}

void wr_sprite_set_equilibrium(wr_sprite_world *world, int sprite, wr_sprite_point point)
{
    wri_sprite *s = wri_sprite_of(world, sprite);
    WR_ASSERT(wri_sprite_is_point(s->asset, point));
    if (wri_sprite_is_point(s->asset, point)) {
        s->state.drive += wri_sprite_point_distance(s->asset, s->state.q, point);
        s->state.q = point;
    }
}

void wr_sprite_add_velocity(wr_sprite_world *world, int sprite, wr_vec2 change,
                            float angular_change)
{
    wri_sprite *s = wri_sprite_of(world, sprite);
    if (!wri_sprite_is_number(change.x) || !wri_sprite_is_number(change.y) ||
        !wri_sprite_is_number(angular_change)) {
        world->statistics.trouble++;
        return;
    }
    wr_sprite_facts facts = wr_sprite_get_facts(world, sprite);
    float cx = (float)((double)facts.center.x - s->state.origin[0]);
    float cy = (float)((double)facts.center.y - s->state.origin[1]);
    for (int i = 0; i < s->asset->N; i++) {
        s->vx[i] += change.x - angular_change * (s->y[i] - cy);
        s->vy[i] += change.y + angular_change * (s->x[i] - cx);
    }
    s->state.velocity[0] += change.x;
    s->state.velocity[1] += change.y;
    s->state.angular_velocity += angular_change;
    wri_sprite_show(s);
}

// Puts its box nowhere, so that no search finds it.
void wr_sprite_remove(wr_sprite_world *world, int sprite)
{
    wri_sprite *s = wri_sprite_of(world, sprite);
    s->removed = true;
    s->world_box[0] = s->world_box[1] = INFINITY;
    s->world_box[2] = s->world_box[3] = -INFINITY;
}

// Mirrors positions and no velocities: x_prev = x' - dt v (eq. 4.15) follows without saying so.
void wr_sprite_flip(wr_sprite_world *world, int sprite)
{
    wri_sprite *s = wri_sprite_of(world, sprite);
    double cx = 0.0;
    for (int i = 0; i < s->asset->N; i++) {
        cx += (double)s->asset->masses[i] * (double)s->x[i];
    }
    float twice = (float)(2.0 * cx / (double)s->asset->mass);
    if (s->state.nail_count > 0) {
        twice = wri_sprite_mirror_nails(s);
    }
    for (int i = 0; i < s->asset->N; i++) {
        s->x[i] = twice - s->x[i];
    }
    s->state.flipped = !s->state.flipped;
    s->state.angle = -s->state.angle;
    s->state.control_rate = -s->state.control_rate;
    s->state.has_goal = 0;
    s->sine = -s->sine;
    wri_sprite_show(s);
}
