// step.c: the world advances.
//
// A step is: driven bodies get their targets; materials begin; the engine advances in substeps,
// after each of which materials see their contacts and touches and answer with pushes; groups of
// bodies that live together step as a whole; materials end; parts that changed, were born or died
// are carried into the engine; what is not finite is frozen. Materials run side by side on threads;
// everything they say is applied in the order of the scene, so that the number of threads does not
// matter.
#include "world.h"

#include "../base/os.h"

// Even turning along the shorter arc.
static wr_quat slerp(wr_quat a, wr_quat b, double t)
{
    double dot = wr_quat_dot(a, b), side = dot < 0.0 ? -1.0 : 1.0;
    double angle = acos(fmin(side * dot, 1.0)), size = sin(angle);
    if (size < 1e-4) {
        return wr_quat_nlerp(a, b, (float)t);
    }
    float p = (float)(sin((1.0 - t) * angle) / size), q = (float)(side * sin(t * angle) / size);
    return wr_quat_normalize(
        (wr_quat){p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z, p * a.w + q * b.w});
}

wr_pose wri_path_pose(const wr_scene_body *body, double time)
{
    const wr_path_key *keys = body->path;
    int last = body->path_count - 1;
    if (time <= keys[0].time) {
        return keys[0].pose;
    }
    for (int i = 0; i < last; i++) {
        if (time < keys[i + 1].time) {
            double t = (time - keys[i].time) / (keys[i + 1].time - keys[i].time);
            wr_pose a = keys[i].pose, b = keys[i + 1].pose;
            return (wr_pose){wr_lerp3(a.position, b.position, (float)t),
                             slerp(a.rotation, b.rotation, t)};
        }
    }
    return keys[last].pose;
}

static void drive_bodies(wr_world *world, double time)
{
    for (int i = 0; i < world->scene->body_count; i++) {
        const wr_scene_body *body = &world->scene->bodies[i];
        if (body->path_count > 0) {
            wr_rigid_set_target(world->rigid, world->engine_of_body[i], wri_path_pose(body, time));
        }
    }
}

// The last pose read is that at the start of a substep: nothing but the engine moves parts. Within
// a step those that sleep stay where they are.
static void read_part_states(wr_world *world, bool begins)
{
    enum { ROOM = 64 };
    wr_rigid_state now[ROOM];
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        for (int k = 0; k < body->part_count; k++) {
            if (k % ROOM == 0) {
                int left = body->part_count - k;
                wr_rigid_read_states(world->rigid, &body->part_bodies[k], left < ROOM ? left : ROOM,
                                     now);
            }
            const wr_rigid_state *read = &now[k % ROOM];
            wr_part_state *state = &body->part_states[k];
            if (!begins && read->asleep && state->asleep) {
                state->contact_pose = state->pose;
                continue;
            }
            *state = (wr_part_state){
                .pose = read->pose,
                .contact_pose = state->pose,
                .center = read->center,
                .velocity = read->velocity,
                .spin = read->spin,
                .asleep = read->asleep,
            };
        }
    }
}

typedef enum phase { PHASE_BEGIN, PHASE_SUBSTEP, PHASE_END } phase;

typedef struct material_loop {
    wr_world *world;
    phase phase;
    double time;
    float dt;
    bool timed;
} material_loop;

static bool rests(const wri_material_body *body)
{
    return body->frozen || body->resting;
}

// A material that sleeps is left alone for a whole step; what wakes it is answered in the next one,
// whose length it may wish for. When the engine woke one of its parts, it wakes, too.
static void find_resting(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        const wr_material *m = body->material;
        body->resting = m->is_asleep && m->is_asleep(body->state);
        for (int k = 0; k < body->part_count && body->resting && m->wake; k++) {
            if (!wr_rigid_is_asleep(world->rigid, body->part_bodies[k])) {
                m->wake(body->state);
                body->resting = m->is_asleep(body->state);
            }
        }
    }
}

// Parts rest with the material that held them.
static void lay_to_rest(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        if (!rests(body) && body->material->is_asleep && body->material->is_asleep(body->state)) {
            for (int k = 0; k < body->part_count; k++) {
                wr_rigid_sleep(world->rigid, body->part_bodies[k]);
            }
        }
    }
}

static void run_material(void *context, int block, int begin, int end)
{
    (void)block;
    const material_loop *loop = context;
    for (int i = begin; i < end; i++) {
        wri_material_body *body = &loop->world->materials[i];
        const wr_material *m = body->material;
        void (*run)(void *, const wr_material_step *) = loop->phase == PHASE_BEGIN ? m->begin_step
                                                        : loop->phase == PHASE_SUBSTEP
                                                            ? m->substep
                                                            : m->end_step;
        body->work = 0.0;
        if (!run || rests(body)) {
            continue;
        }
        double start = loop->timed ? wri_seconds() : 0.0;
        bool sub = loop->phase == PHASE_SUBSTEP;
        wr_material_step step = {
            .time = loop->time,
            .dt = loop->dt,
            .gravity = loop->world->scene->gravity,
            .part_count = body->part_count,
            .parts = body->part_states,
            .part_bodies = body->part_bodies,
            .contact_count = sub ? body->contact_count : 0,
            .contacts = sub ? body->contacts : NULL,
            .contact_parts = sub ? body->contact_parts : NULL,
            .touch_count = sub ? body->touch_count : 0,
            .touches = sub ? body->touches : NULL,
            .pushes = sub ? &body->pushes : NULL,
        };
        run(body->state, &step);
        body->work = loop->timed ? wri_seconds() - start : 0.0;
    }
}

// Waking threads takes longer than a few quiet bodies do, and on a busy machine much longer: work
// is shared only when this phase had enough of it the last time. What counts is the bodies' own
// time, not how long all took, or waiting for each other would be a reason to go on sharing.
// Results do not depend on it.
static void run_materials(wr_world *world, phase p, double time, float dt)
{
    const double worth_sharing = 500e-6; // seconds
    const wr_tasks alone = {0};
    double start = wri_seconds(), *last = &world->phase_seconds[p];
    bool shared = *last > worth_sharing;
    material_loop loop = {world, p, time, dt, shared};
    wri_parallel_for(shared ? &world->tasks : &alone, world->material_count, 1, run_material,
                     &loop);
    double wall = wri_seconds() - start, work = shared ? 0.0 : wall;
    for (int i = 0; shared && i < world->material_count; i++) {
        work += world->materials[i].work;
    }
    *last = fmin(work, 1.25 * *last + 10e-6); // once may be an accident
    world->statistics.material_seconds += wall;
}

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

const wri_part *wri_part_of_engine(const wr_world *world, int engine)
{
    int part = WRI_ITEM(world->owner_of_engine, int, engine);
    return part < 0 ? NULL : &WRI_ITEM(world->parts, wri_part, part);
}

// Hands every material the contacts of its parts, in the engine's order.
static bool deal_contacts(wr_world *world, const wr_contact *contacts, int count)
{
    for (int i = 0; i < world->material_count; i++) {
        world->materials[i].contact_count = 0;
    }
    for (int pass = 0; pass < 2; pass++) { // first count, then fill
        for (int i = 0; pass == 1 && i < world->material_count; i++) {
            wri_material_body *body = &world->materials[i];
            size_t n = (size_t)body->contact_count;
            body->contacts = wri_scratch_push(&world->scratch, n, sizeof(wr_contact));
            body->contact_parts = wri_scratch_push(&world->scratch, n, sizeof(int));
            if (!body->contacts || !body->contact_parts) {
                return false;
            }
            body->contact_count = 0;
        }
        for (int i = 0; i < 2 * count; i++) {
            wr_contact c = contacts[i / 2];
            const wri_part *part = wri_part_of_engine(world, i % 2 ? c.body_b : c.body_a);
            if (!part) {
                continue;
            }
            wri_material_body *body = &world->materials[part->owner];
            int k = body->contact_count++;
            if (pass == 1) {
                ((wr_contact *)(uintptr_t)body->contacts)[k] = i % 2 ? swapped(c) : c;
                ((int *)(uintptr_t)body->contact_parts)[k] = part->index;
            }
        }
    }
    return true;
}

static bool find_touches(wr_world *world, wri_material_body *body)
{
    int ball_count = 0;
    const wr_ball *balls = body->material->balls && !body->frozen
                               ? body->material->balls(body->state, &ball_count)
                               : NULL;
    const wr_rigid_body_desc *desc = &world->scene->bodies[body->scene_body].rigid;
    wr_touch_query query = wr_touch_query_default();
    query.balls = balls;
    query.ball_count = ball_count;
    query.group = desc->group;
    query.collides = desc->collides;
    query.ignored = body->part_bodies;
    query.ignored_count = body->part_count;
    query.tasks = world->tasks;
    int touch_count = 0;
    const wr_touch *found = wr_rigid_find_touches(world->rigid, &query, &touch_count, NULL);
    wr_touch *touches = wri_scratch_push(&world->scratch, (size_t)touch_count, sizeof *touches);
    int room = 2 * ball_count + 4 * body->contact_count + 64;
    body->pushes.items = wri_scratch_push(&world->scratch, (size_t)room, sizeof(wr_push));
    if (!found || !touches || !body->pushes.items) {
        return false;
    }
    memcpy(touches, found, (size_t)touch_count * sizeof *touches);
    body->pushes.count = 0;
    body->pushes.capacity = room;
    body->touches = touches;
    body->touch_count = touch_count;
    return true;
}

static bool moves(const wr_rigid *rigid, int engine)
{
    return !wr_rigid_is_asleep(rigid, engine) &&
           wr_length(wr_rigid_velocity(rigid, engine)) + wr_length(wr_rigid_spin(rigid, engine)) >
               0.0f;
}

// A sleeping material wakes when something that moves touches it.
static void wake_if_touched(const wr_world *world, const wri_material_body *body)
{
    if (!body->resting || body->frozen || !body->material->wake) {
        return;
    }
    bool touched = false;
    for (int i = 0; i < body->contact_count && !touched; i++) {
        const wr_contact *c = &body->contacts[i];
        touched = c->normal_impulse > 0.0f && moves(world->rigid, c->body_b);
    }
    for (int i = 0; i < body->touch_count && !touched; i++) {
        touched = moves(world->rigid, body->touches[i].body);
    }
    if (touched) {
        body->material->wake(body->state);
    }
}

static void apply_pushes(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        const wr_push_list *list = &world->materials[i].pushes;
        for (int k = 0; k < list->count; k++) {
            const wr_push *push = &list->items[k];
            if (push->body >= 0 && push->body < wr_rigid_body_count(world->rigid) &&
                wr_is_finite3(push->impulse) && wr_is_finite3(push->point)) {
                wr_rigid_push(world->rigid, push->body, push->point, push->impulse);
            }
        }
    }
}

static void note_contacts(wr_world *world, const wr_contact *contacts, int count)
{
    for (int i = 0; i < count; i++) {
        const wr_contact *c = &contacts[i];
        wri_pair_contact *pair = c->normal_impulse > 0.0f ? wri_array_add(&world->pairs, 1) : NULL;
        if (!pair) {
            continue;
        }
        pair->sum = (wr_record_contact){WRI_ITEM(world->record_of_engine, int, c->body_a),
                                        WRI_ITEM(world->record_of_engine, int, c->body_b), c->point,
                                        c->normal, c->normal_impulse};
        pair->strongest = c->normal_impulse;
        pair->order = world->pairs.count;
        if (pair->sum.body_a > pair->sum.body_b) {
            wr_contact s = swapped(*c);
            pair->sum.body_a = WRI_ITEM(world->record_of_engine, int, s.body_a);
            pair->sum.body_b = WRI_ITEM(world->record_of_engine, int, s.body_b);
            pair->sum.point = s.point;
            pair->sum.normal = s.normal;
        }
    }
}

static void after_substep(void *user, float dt, const wr_contact *contacts, int count)
{
    wr_world *world = user;
    note_contacts(world, contacts, count);
    if (world->material_count == 0) {
        return;
    }
    read_part_states(world, false);
    wri_scratch_reset(&world->scratch);
    bool ok = deal_contacts(world, contacts, count);
    for (int i = 0; ok && i < world->material_count; i++) {
        ok = find_touches(world, &world->materials[i]);
    }
    if (ok) { // out of memory: this substep passes without an answer of the materials
        for (int i = 0; i < world->material_count; i++) {
            wake_if_touched(world, &world->materials[i]);
        }
        run_materials(world, PHASE_SUBSTEP, world->time, dt);
        apply_pushes(world);
    }
    world->time += dt;
}

static void freeze(wr_world *world, wri_material_body *body)
{
    body->frozen = true;
    if (body->material->freeze) {
        body->material->freeze(body->state);
    }
    for (int k = 0; k < body->part_count; k++) {
        wr_rigid_freeze(world->rigid, body->part_bodies[k]);
    }
    wr_event *event = wri_array_add(&world->events, 1);
    if (event) {
        *event = (wr_event){.kind = WR_EVENT_FROZEN, .subject = body->scene_body, .other = -1};
    }
}

// Whether the engine had to freeze one of its parts.
static bool lost_a_part(const wr_world *world, const wri_material_body *body)
{
    bool lost = false;
    for (int k = 0; k < body->part_count; k++) {
        lost = lost || wr_rigid_is_frozen(world->rigid, body->part_bodies[k]);
    }
    return lost;
}

static void carry_changes(wr_world *world, wri_part *part, const wr_material_part *source)
{
    wr_rigid *rigid = world->rigid;
    if (part->pieces_version != source->pieces_version) {
        part->pieces_version = source->pieces_version;
        for (int i = 0; i < source->piece_count; i++) {
            if (!source->piece_changed || source->piece_changed[i]) {
                wr_rigid_set_piece(rigid, part->engine, i, source->pieces[i].points);
            }
        }
        if (source->piece_count == 0) {
            wr_rigid_set_mesh(rigid, part->engine, source->positions);
        }
    }
    if (part->mass_version != source->mass_version) {
        part->mass_version = source->mass_version;
        wr_rigid_set_mass(rigid, part->engine, &source->mass);
    }
    if (part->surface_version != source->surface_version) {
        part->surface_version = source->surface_version;
        wr_rigid_set_surface(rigid, part->engine, source->friction, source->restitution);
    }
    if (!source->alive) {
        part->alive = false;
        wr_rigid_remove_body(rigid, part->engine);
        wr_event *event = wri_array_add(&world->events, 1);
        if (event) {
            *event = (wr_event){.kind = WR_EVENT_REMOVED, .subject = part->record, .other = -1};
        }
    }
}

// Parts that changed, were born or died, and bodies that lost their numbers.
static void update_parts(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        if (!body->frozen && (!body->material->is_sound(body->state) || lost_a_part(world, body))) {
            freeze(world, body);
        }
        int count = 0;
        if (body->material->parts && !body->frozen) {
            body->material->parts(body->state, &count);
        }
        for (int k = body->part_count; k < count; k++) {
            if (!wri_world_add_part(world, i, k, true, NULL)) {
                freeze(world, body);
                break;
            }
        }
    }
    for (int i = 0; i < world->parts.count; i++) {
        wri_part *part = &WRI_ITEM(world->parts, wri_part, i);
        wri_material_body *body = &world->materials[part->owner];
        if (part->alive && !body->frozen) {
            int count;
            carry_changes(world, part, &body->material->parts(body->state, &count)[part->index]);
        }
    }
}

// How many equal steps make one step of the scene so that every material gets its wish.
static int wished_steps(const wr_world *world)
{
    double wish = world->dt;
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        if (body->material->step_wish && !rests(body)) {
            wish = fmin(wish, body->material->step_wish(body->state));
        }
    }
    enum { MOST = 1000 };
    double steps = ceil(world->dt / wish - 1e-6);
    return steps >= MOST ? MOST : steps < 1.0 ? 1 : (int)steps;
}

static void step(wr_world *world)
{
    find_resting(world);
    int parts = wished_steps(world);
    for (int i = 0; i < parts; i++) {
        double time = ((double)world->step + (double)i / parts) * world->dt;
        double end = ((double)world->step + (double)(i + 1) / parts) * world->dt;
        float dt = (float)(world->dt / parts);
        world->time = time;
        drive_bodies(world, end);
        if (world->material_count) {
            read_part_states(world, true);
            run_materials(world, PHASE_BEGIN, time, dt);
        }
        double start = wri_seconds(), material = world->statistics.material_seconds;
        wr_rigid_step(world->rigid, dt, after_substep, world);
        world->statistics.engine_seconds +=
            wri_seconds() - start - (world->statistics.material_seconds - material);
        wr_rigid_statistics stats = wr_rigid_stats(world->rigid);
        world->statistics.contacts += stats.contacts;
        if (stats.contacts > world->statistics.most_contacts) {
            world->statistics.most_contacts = stats.contacts;
        }
        if (stats.substeps > world->statistics.most_substeps) {
            world->statistics.most_substeps = stats.substeps;
        }
        if (world->material_count) {
            read_part_states(world, false);
            wri_world_step_groups(world, time, end, dt);
            run_materials(world, PHASE_END, time, dt);
            update_parts(world);
            wr_rigid_take_back_bounces(world->rigid);
        }
    }
    lay_to_rest(world);
    world->step++;
    world->statistics.steps++;
}

void wr_world_step_frame(wr_world *world)
{
    world->events.count = 0;
    world->pairs.count = 0;
    for (int i = 0; i < world->scene->substeps; i++) {
        step(world);
    }
    wri_world_read_frame(world);
    if (wr_world_forgets(world)) {
        wri_world_forget(world);
    }
}
