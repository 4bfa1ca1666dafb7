// exchange.c: what passes between materials and the rigid bodies of the engine.
//
// Before a step: the touches of balls, with views of the bodies they touch. After the materials
// advanced: their pushes, in the order of the scene. After every substep of the engine: contacts.
// A push on a part of another material reaches its owner as a contact of the first substep, whose
// contact pose is the one the push was made for.
#include "world.h"

#include <stdlib.h>

// How much faster than what hits them the ends of what is joined may become, by its levers.
static const float LEVERED = 1.5f;

bool wr_push_add(wr_push_list *list, wr_push push)
{
    WR_ASSERT(list && list->items.item_size == sizeof push); // NULL: pushes are for advance only
    wr_push *place = wri_array_add(&list->items, 1);
    if (!place) {
        list->lost = "there was no memory for its pushes";
        return false;
    }
    *place = push;
    return true;
}

// --- touches ----------------------------------------------------------------------------------

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// The bodies of all touches, once each, ascending. Returns how many.
static int list_bodies(const wr_touch *touches, int count, int *bodies)
{
    for (int i = 0; i < count; i++) {
        bodies[i] = touches[i].body;
    }
    qsort(bodies, (size_t)count, sizeof *bodies, compare_ints);
    int unique = 0;
    for (int i = 0; i < count; i++) {
        if (unique == 0 || bodies[unique - 1] != bodies[i]) {
            bodies[unique++] = bodies[i];
        }
    }
    return unique;
}

static int find_index(const int *bodies, int count, int body)
{
    const int *found = bsearch(&body, bodies, (size_t)count, sizeof *bodies, compare_ints);
    WR_ASSERT(found);
    return (int)(found - bodies);
}

static bool view_bodies(wr_world *world, wri_material_body *body, const int *bodies, int count)
{
    wr_scratch *scratch = &world->scratch;
    wr_touched_body *touched = wr_scratch_push(scratch, (size_t)count, sizeof *touched);
    wr_rigid_view *views = wr_scratch_push(scratch, (size_t)count, sizeof *views);
    wr_support *supports =
        wr_scratch_push(scratch, (size_t)count * WR_SUPPORTS_MAX, sizeof *supports);
    if (!touched || !views || !supports) {
        return false;
    }
    wr_rigid_find_views(world->rigid, bodies, count, views);
    for (int i = 0; i < count; i++) {
        WR_ASSERT((i == 0 || bodies[i] > bodies[i - 1]) && views[i].inverse_mass >= 0.0f);
        touched[i] = (wr_touched_body){.body = bodies[i], .view = views[i], .supports = supports};
        if (views[i].inverse_mass > 0.0f) {
            touched[i].support_count =
                wr_rigid_find_supports(world->rigid, bodies[i], supports, WR_SUPPORTS_MAX);
            supports += touched[i].support_count;
        }
    }
    body->touched = touched;
    body->touched_count = count;
    return true;
}

// The engine's list lives until somebody asks again.
static bool keep_touches(wr_world *world, wri_material_body *body, const wr_touch *found, int count)
{
    wr_scratch *scratch = &world->scratch;
    wr_touch *touches = wr_scratch_push(scratch, (size_t)count, sizeof *touches);
    int *of_bodies = wr_scratch_push(scratch, (size_t)count, sizeof *of_bodies);
    int *bodies = wr_scratch_push(scratch, (size_t)count, sizeof *bodies);
    if (!touches || !of_bodies || !bodies) {
        return false;
    }
    memcpy(touches, found, (size_t)count * sizeof *touches);
    int body_count = list_bodies(touches, count, bodies);
    for (int i = 0; i < count; i++) {
        WR_ASSERT(i == 0 || touches[i].ball >= touches[i - 1].ball);
        of_bodies[i] = find_index(bodies, body_count, touches[i].body);
    }
    body->touches = touches;
    body->touch_bodies = of_bodies;
    body->touch_count = count;
    return view_bodies(world, body, bodies, body_count);
}

// Remembers the touched bodies that can move until the step ends.
static bool note_carried(wri_material_body *body)
{
    body->carried.count = 0;
    if (!wri_array_reserve(&body->carried, body->touched_count)) {
        return false;
    }
    for (int i = 0; i < body->touched_count; i++) {
        if (body->touched[i].view.inverse_mass > 0.0f) {
            *(int *)wri_array_add(&body->carried, 1) = body->touched[i].body;
        }
    }
    return true;
}

// Metres: how far the fastest rigid body comes in a step.
static float longest_way(const wr_world *world, float dt)
{
    float fastest = 0.0f;
    for (int i = 0; i < wr_rigid_body_count(world->rigid); i++) {
        float speed = wr_length(wr_rigid_velocity(world->rigid, i));
        fastest = speed > fastest && !wr_rigid_is_asleep(world->rigid, i) ? speed : fastest;
    }
    return dt * fastest;
}

// False: out of memory. A set of balls that is none freezes its body alone.
static bool find_touches(wr_world *world, wri_material_body *body, float dt)
{
    body->touch_count = body->touched_count = body->carried.count = 0;
    body->balls = (wr_ball_set){0};
    if (!body->material->balls || body->frozen) {
        return true;
    }
    wr_ball_set set = body->material->balls(body->state, dt);
    body->balls = set;
    if (set.count == 0) {
        return true;
    }
    const wr_rigid_body_desc *desc = &world->scene->bodies[body->scene_body].rigid;
    wr_touch_query query = wr_touch_query_default();
    query.balls = set.balls;
    query.ball_count = set.count;
    query.margin = set.margin;
    if (set.ahead > 0.0f) {
        query.margin += fminf(set.ahead, LEVERED * longest_way(world, dt));
    }
    query.most = set.most;
    query.group = desc->group;
    query.collides = desc->collides;
    query.ignored = body->part_bodies;
    query.ignored_count = body->part_count;
    query.tasks = world->tasks;
    int count = 0;
    wr_error why = {0};
    const wr_touch *found = wr_rigid_find_touches(world->rigid, &query, &count, &why);
    if (!found && why.code != WR_E_MEMORY) {
        wri_world_freeze(world, body, "the balls it touches with were out of their range");
        return true;
    }
    return found && (count == 0 || (keep_touches(world, body, found, count) && note_carried(body)));
}

bool wri_world_find_touches(wr_world *world, float dt)
{
    bool ok = true;
    for (int i = 0; ok && i < world->material_count; i++) {
        ok = find_touches(world, &world->materials[i], dt);
    }
    return ok;
}

// --- waking -----------------------------------------------------------------------------------

// A body of the engine that is on its way somewhere; -1, another material, always is.
static bool moves(const wr_rigid *rigid, int body)
{
    return body < 0 || (!wr_rigid_is_asleep(rigid, body) &&
                        wr_length(wr_rigid_velocity(rigid, body)) +
                                wr_length(wr_rigid_angular_velocity(rigid, body)) >
                            0.0f);
}

static bool is_touched(const wr_world *world, const wri_material_body *body)
{
    bool touched = false;
    for (int i = 0; i < body->contact_count && !touched; i++) {
        const wr_contact *c = &body->contacts[i];
        touched = c->normal_impulse > 0.0f && moves(world->rigid, c->body_b);
    }
    for (int i = 0; i < body->touch_count && !touched; i++) {
        const wr_touch *t = &body->touches[i];
        touched = t->depth > 0.0f && moves(world->rigid, t->body);
    }
    return touched;
}

void wri_world_wake_touched(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        const wr_material *m = body->material;
        if (body->resting && !body->frozen && m->wake && is_touched(world, body)) {
            m->wake(body->state);
        }
    }
}

// --- contacts ---------------------------------------------------------------------------------

// A contact as its owner wants to see it: body_a is the own part.
static wr_contact swapped(wr_contact c)
{
    wr_contact s = c;
    s.body_a = c.body_b, s.body_b = c.body_a;
    s.piece_a = c.piece_b, s.piece_b = c.piece_a;
    s.normal = wr_scale(-1.0f, c.normal);
    s.tangential_impulse = wr_scale(-1.0f, c.tangential_impulse);
    s.point = wr_add_scaled(c.point, c.distance, c.normal);
    return s;
}

// One walk over pushes and contacts: first to count, then to fill.
static void deal(wr_world *world, const wr_contact *contacts, int count, bool fill)
{
    int pushes = world->push_contacts.count;
    for (int i = 0; i < 2 * (pushes + count); i++) {
        wr_contact c = i / 2 < pushes ? WRI_ITEM(world->push_contacts, wr_contact, i / 2)
                                      : contacts[i / 2 - pushes];
        int engine = i % 2 ? c.body_b : c.body_a;
        const wri_part *part = engine < 0 ? NULL : wri_part_of_engine(world, engine);
        if (!part) {
            continue;
        }
        wri_material_body *body = &world->materials[part->owner];
        int k = body->contact_count++;
        WR_ASSERT(part->index < body->part_count && body->part_bodies[part->index] == engine);
        if (fill) {
            ((wr_contact *)(uintptr_t)body->contacts)[k] = i % 2 ? swapped(c) : c;
            ((int *)(uintptr_t)body->contact_parts)[k] = part->index;
        }
    }
}

static bool reserve_contacts(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        size_t n = (size_t)body->contact_count;
        body->contacts = wr_scratch_push(&world->scratch, n, sizeof(wr_contact));
        body->contact_parts = wr_scratch_push(&world->scratch, n, sizeof(int));
        if (!body->contacts || !body->contact_parts) {
            return false;
        }
        body->contact_count = 0;
    }
    return true;
}

// Pushes belong to this substep: without memory they go unseen, too.
bool wri_world_deal_contacts(wr_world *world, const wr_contact *contacts, int count)
{
    for (int i = 0; i < world->material_count; i++) {
        world->materials[i].contact_count = 0;
    }
    deal(world, contacts, count, false);
    bool ok = reserve_contacts(world);
    if (ok) {
        deal(world, contacts, count, true);
    }
    world->push_contacts.count = 0;
    return ok;
}

void wri_world_note_pair(wr_world *world, wr_record_contact contact)
{
    WR_ASSERT(contact.body_a >= 0 && contact.body_b >= 0 && contact.body_a != contact.body_b);
    WR_ASSERT(contact.impulse > 0.0f && wr_is_finite3(contact.point));
    wri_pair_contact *pair = wri_array_add(&world->pairs, 1);
    if (!pair) {
        return;
    }
    if (contact.body_a > contact.body_b) {
        int a = contact.body_a;
        contact.body_a = contact.body_b;
        contact.body_b = a;
        contact.normal = wr_scale(-1.0f, contact.normal);
    }
    *pair = (wri_pair_contact){contact, contact.impulse, world->pairs.count};
}

void wri_world_note_contacts(wr_world *world, const wr_contact *contacts, int count)
{
    for (int i = 0; i < count; i++) {
        int a = WRI_ITEM(world->record_of_engine, int, contacts[i].body_a);
        int b = WRI_ITEM(world->record_of_engine, int, contacts[i].body_b);
        WR_ASSERT(fabsf(wr_dot(contacts[i].normal, contacts[i].normal) - 1.0f) < 1e-3f);
        wr_contact c = a > b ? swapped(contacts[i]) : contacts[i];
        if (c.normal_impulse > 0.0f) {
            wri_world_note_pair(world, (wr_record_contact){a < b ? a : b, a < b ? b : a, c.point,
                                                           c.normal, c.normal_impulse});
        }
    }
}

// --- pushes -----------------------------------------------------------------------------------

// Adds the contact by which the owner of a pushed part learns of the push.
static void tell_owner(wr_world *world, const wr_push *push, float impulse)
{
    WR_ASSERT(impulse > 0.0f && wri_part_of_engine(world, push->body));
    wr_contact *contact = wri_array_add(&world->push_contacts, 1);
    if (contact) {
        *contact = (wr_contact){.body_a = push->body,
                                .body_b = -1,
                                .piece_a = -1,
                                .piece_b = -1,
                                .point = push->point,
                                .normal = wr_scale(1.0f / impulse, push->impulse),
                                .normal_impulse = impulse};
    }
}

static bool is_zero(wr_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

static void apply_shift(wr_world *world, const wr_push *push)
{
    wr_pose pose = wr_rigid_pose(world->rigid, push->body);
    wr_vec3 center = wr_rigid_center(world->rigid, push->body);
    wr_vec3 half = wr_scale(0.5f, push->rotation);
    wr_quat turn = wr_quat_normalize((wr_quat){half.x, half.y, half.z, 1.0f});
    wr_vec3 arm = wr_rotate(turn, wr_sub(pose.position, center));
    pose.position = wr_add(wr_add(center, push->shift), arm);
    pose.rotation = wr_quat_normalize(wr_quat_multiply(turn, pose.rotation));
    wr_rigid_set_pose(world->rigid, push->body, pose);
}

static bool is_push(const wr_world *world, const wr_push *push)
{
    return push->body >= 0 && push->body < wr_rigid_body_count(world->rigid) &&
           wr_is_finite3(push->impulse) && wr_is_finite3(push->point) &&
           wr_is_finite3(push->angular_impulse) && wr_is_finite3(push->shift) &&
           wr_is_finite3(push->rotation);
}

// owner: the material that gave it, -1: an ensemble did; self: the body of the scene that is
// recorded to touch what is pushed, -1: none is.
static void apply_push(wr_world *world, int owner, int self, const wr_push *push)
{
    wr_rigid_push(world->rigid, push->body, push->point, push->impulse);
    if (!is_zero(push->angular_impulse)) {
        wr_rigid_twist(world->rigid, push->body, push->angular_impulse);
    }
    if (!is_zero(push->shift) || !is_zero(push->rotation)) {
        apply_shift(world, push);
    }
    float impulse = wr_length(push->impulse);
    const wri_part *part = wri_part_of_engine(world, push->body);
    if (impulse <= 0.0f || (part && part->owner == owner)) {
        return;
    }
    if (part && world->materials[part->owner].material->take_contacts) {
        tell_owner(world, push, impulse);
    }
    int other = WRI_ITEM(world->record_of_engine, int, push->body);
    if (self >= 0 && self != other) {
        wr_vec3 normal = wr_scale(-1.0f / impulse, push->impulse); // from the other to itself
        wri_world_note_pair(world, (wr_record_contact){self, other, push->point, normal, impulse});
    }
}

// The body of the scene with this state, -1: there is none. Pushes of one follow each other: it is
// looked for from `hint`, a number among the materials, on.
static int find_giver(const wr_world *world, const void *state, int *hint)
{
    for (int i = 0; state && i < world->material_count; i++) {
        int k = (*hint + i) % world->material_count;
        if (world->materials[k].state == state) {
            *hint = k;
            return world->materials[k].scene_body;
        }
    }
    return -1;
}

static void apply_list(wr_world *world, int owner, wr_push_list *list)
{
    int hint = 0;
    for (int k = 0; k < list->items.count; k++) {
        const wr_push *push = &WRI_ITEM(list->items, wr_push, k);
        if (is_push(world, push)) {
            int self = owner >= 0 ? world->materials[owner].scene_body
                                  : find_giver(world, push->member, &hint);
            apply_push(world, owner, self, push);
        } else {
            list->lost = "it pushed with numbers that are none, or a body that is not there";
        }
    }
    list->items.count = 0;
}

void wri_world_apply_pushes(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        apply_list(world, i, &world->materials[i].pushes);
    }
    for (int i = 0; i < world->ensembles.count; i++) {
        apply_list(world, -1, &WRI_ITEM(world->ensembles, wri_ensemble, i).pushes);
    }
}
