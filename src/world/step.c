// step.c: the world advances.
//
// A step is: driven bodies get their targets; boundaries of materials meet; materials and ensembles
// advance, against what their balls touch, and answer with pushes; the engine advances in substeps,
// after each of which materials see their contacts; materials end the step; parts that changed,
// were born or died are carried into the engine; what is not finite is frozen. Materials run side
// by side on threads; everything they say is applied in the order of the scene, so that the number
// of threads does not matter.
#include "world.h"

#include "../base/os.h"
#include "../math/slerp.h"

wr_pose wri_path_pose(const wr_path_key *keys, int count, double time)
{
    int last = count - 1;
    WR_ASSERT(last >= 0 && keys);
    if (time <= keys[0].time) {
        return keys[0].pose;
    }
    for (int i = 0; i < last; i++) {
        if (time < keys[i + 1].time) {
            WR_ASSERT(time >= keys[i].time); // ascending
            double t = (time - keys[i].time) / (keys[i + 1].time - keys[i].time);
            wr_pose a = keys[i].pose, b = keys[i + 1].pose;
            return (wr_pose){wr_lerp3(a.position, b.position, (float)t),
                             wri_quat_slerp(a.rotation, b.rotation, t)};
        }
    }
    return keys[last].pose;
}

static void drive_bodies(wr_world *world, double time)
{
    for (int i = 0; i < world->driven.count; i++) {
        int body = WRI_ITEM(world->driven, int, i);
        const wr_scene_body *source = &world->scene->bodies[body];
        WR_ASSERT(world->engine_of_body[body] >= 0);
        wr_rigid_set_target(world->rigid, world->engine_of_body[body],
                            wri_path_pose(source->path, source->path_count, time));
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
            WR_ASSERT(fabsf(wr_quat_dot(read->pose.rotation, read->pose.rotation) - 1.0f) < 1e-3f);
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
                .angular_velocity = read->angular_velocity,
                .asleep = read->asleep,
            };
        }
    }
}

typedef enum phase { PHASE_ADVANCE, PHASE_CONTACTS, PHASE_END } phase;

typedef struct material_loop {
    wr_world *world;
    phase phase;
    double time;
    float dt;
    bool timed, uses_tasks; // uses_tasks: which bodies are meant
} material_loop;

bool wri_material_is_active(const wri_material_body *body)
{
    return !body->frozen && !body->resting;
}

// A material that sleeps is left alone until something wakes it. When the engine woke one of its
// parts, it wakes, too.
static void find_resting(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        const wr_material *m = body->material;
        WR_ASSERT(!m->is_asleep == !m->wake); // both or none
        body->resting = m->is_asleep && m->is_asleep(body->state);
        for (int k = 0; k < body->part_count && body->resting && m->wake; k++) {
            if (!wr_rigid_is_asleep(world->rigid, body->part_bodies[k])) {
                m->wake(body->state);
                body->resting = m->is_asleep(body->state);
            }
        }
    }
}

static bool is_slow(const wr_world *world, int engine)
{
    return wr_length(wr_rigid_velocity(world->rigid, engine)) < world->sleep_speed;
}

// True when everything that lies on the body could sleep as well.
static bool carries_only_slow(const wr_world *world, const wri_material_body *body)
{
    bool slow = true;
    for (int i = 0; i < body->carried.count; i++) {
        slow = slow && is_slow(world, WRI_ITEM(body->carried, int, i));
    }
    return slow;
}

// Parts rest with the material that carried them, and so does what lies on it: nothing sleeps
// before it does, and when it does, nobody would hold the others up.
static void lay_to_rest(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        if (!wri_material_is_active(body) || !body->material->is_asleep) {
            continue;
        }
        bool asleep = body->material->is_asleep(body->state);
        if (asleep && !carries_only_slow(world, body)) {
            body->material->wake(body->state);
            asleep = body->material->is_asleep(body->state);
        }
        for (int k = 0; k < body->part_count; k++) {
            (asleep ? wr_rigid_sleep : wr_rigid_wake)(world->rigid, body->part_bodies[k]);
        }
        for (int k = 0; asleep && k < body->carried.count; k++) {
            wr_rigid_sleep(world->rigid, WRI_ITEM(body->carried, int, k));
        }
    }
}

wr_material_step wri_material_step(const wr_world *world, wri_material_body *body, double time,
                                   float dt)
{
    bool alone = body->material->uses_tasks || body->material->step_ensemble;
    WR_ASSERT(body->touch_count == 0 || (body->touches && body->touched_count > 0));
    WR_ASSERT(!body->pose_begin == !body->pose_end);
    return (wr_material_step){
        .work = {.tasks = alone ? world->tasks : (wr_tasks){0}, .scratch = &body->scratch},
        .number = world->step,
        .time = time,
        .dt = dt,
        .is_taken_again = world->scene->two_phases,
        .gravity = world->scene->gravity,
        .wind = world->scene->wind,
        .part_count = body->part_count,
        .parts = body->part_states,
        .part_bodies = body->part_bodies,
        .touch_count = body->touch_count,
        .touches = body->touches,
        .touch_bodies = body->touch_bodies,
        .body_count = body->touched_count,
        .bodies = body->touched,
        .pushes = &body->pushes,
        .pose_begin = body->pose_begin,
        .pose_end = body->pose_end,
    };
}

static void call_material(const material_loop *loop, wri_material_body *body)
{
    const wr_material *m = body->material;
    WR_ASSERT(wri_material_is_active(body) && loop->dt > 0.0f);
    wr_material_step step = wri_material_step(loop->world, body, loop->time, loop->dt);
    if (loop->phase != PHASE_ADVANCE) {
        step.touch_count = step.body_count = 0;
        step.pushes = NULL;
    }
    switch (loop->phase) {
    case PHASE_ADVANCE:
        WR_ASSERT(body->pushes.items.count == 0); // the last ones were applied
        m->advance(body->state, &step);
        break;
    case PHASE_CONTACTS:
        step.contact_count = body->contact_count;
        step.contacts = body->contacts;
        step.contact_parts = body->contact_parts;
        m->take_contacts(body->state, &step);
        break;
    case PHASE_END:
        m->end_step(body->state, &step);
        break;
    }
    wri_scratch_reset(&body->scratch);
}

static bool has_phase(const wr_material *m, phase p)
{
    return p == PHASE_ADVANCE ? m->advance != NULL
                              : (p == PHASE_CONTACTS ? m->take_contacts : m->end_step) != NULL;
}

static void run_material(void *context, int block, int begin, int end)
{
    (void)block;
    const material_loop *loop = context;
    for (int i = begin; i < end; i++) {
        wri_material_body *body = &loop->world->materials[i];
        if (body->material->uses_tasks != loop->uses_tasks) {
            continue;
        }
        body->work = 0.0;
        if (has_phase(body->material, loop->phase) && wri_material_is_active(body)) {
            double start = loop->timed ? wri_seconds() : 0.0;
            call_material(loop, body);
            body->work = loop->timed ? wri_seconds() - start : 0.0;
        }
    }
}

// Bodies that do not share their work out themselves run side by side, the others one by one.
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
    material_loop loop = {world, p, time, dt, shared, false};
    wri_parallel_for(shared ? &world->tasks : &alone, world->material_count, 1, run_material,
                     &loop);
    double wall = wri_seconds() - start, work = shared ? 0.0 : wall;
    for (int i = 0; shared && i < world->material_count; i++) {
        work += world->materials[i].material->uses_tasks ? 0.0 : world->materials[i].work;
    }
    *last = fmin(work, 1.25 * *last + 10e-6); // once may be an accident
    loop.uses_tasks = true;
    run_material(&loop, 0, 0, world->material_count);
    world->statistics.material_seconds += wri_seconds() - start;
}

static void after_substep(void *user, float dt, const wr_contact *contacts, int count)
{
    wr_world *world = user;
    WR_ASSERT(dt > 0.0f && (count == 0 || contacts));
    wri_world_note_contacts(world, contacts, count);
    if (world->step == 0 && world->log.write) {
        wri_world_warn_overlaps(world, contacts, count);
    }
    if (world->material_count == 0) {
        return;
    }
    read_part_states(world, false);
    wri_scratch_reset(&world->scratch);
    if (wri_world_deal_contacts(world, contacts, count)) { // else no memory: they go unseen
        wri_world_wake_touched(world);
        run_materials(world, PHASE_CONTACTS, world->time, dt);
    }
    world->time += dt;
}

// Materials move themselves, and what they touch.
static void advance_materials(wr_world *world, double time, double end, float dt)
{
    read_part_states(world, true);
    wri_scratch_reset(&world->scratch);
    for (int i = 0; i < world->material_count; i++) {
        world->materials[i].contact_count = 0;
    }
    if (!wri_world_find_touches(world, dt)) { // no memory: this step they touch nothing
        for (int i = 0; i < world->material_count; i++) {
            world->materials[i].touch_count = world->materials[i].touched_count = 0;
        }
    }
    wri_world_wake_touched(world);
    find_resting(world);
    wri_world_find_poses(world, time, end);
    wri_world_meet(world, dt);
    run_materials(world, PHASE_ADVANCE, time, dt);
    wri_world_step_ensembles(world, time, end, dt);
    wri_world_drive_parts(world);
    wri_world_apply_pushes(world); // on top of the velocities that parts were given
    for (int i = 0; i < world->material_count; i++) { // they were of this phase alone
        wri_material_body *body = &world->materials[i];
        body->touch_count = body->touched_count = 0;
        body->pose_begin = body->pose_end = NULL;
    }
}

static void step_engine(wr_world *world, float dt, wr_substep_fn *substep)
{
    double start = wri_seconds(), material = world->statistics.material_seconds;
    wr_rigid_step(world->rigid, dt, substep, world);
    world->statistics.engine_seconds +=
        wri_seconds() - start - (world->statistics.material_seconds - material);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// What ensembles did before the engine, and the engine.
static void count_step(wr_world *world)
{
    wr_world_statistics *s = &world->statistics;
    wr_rigid_statistics engine = wr_rigid_stats(world->rigid);
    int contacts = engine.contacts + world->tally.contacts;
    s->steps++;
    s->contacts += contacts;
    s->most_contacts = larger(s->most_contacts, contacts);
    s->most_substeps = larger(s->most_substeps, larger(engine.substeps, world->tally.substeps));
}

// Of several dents of a body in one frame the strongest is told.
static void note_event(wr_world *world, const wr_event *event)
{
    wr_event *place = NULL;
    for (int i = 0; event->kind == WR_EVENT_DENT && i < world->events.count; i++) {
        wr_event *known = &WRI_ITEM(world->events, wr_event, i);
        place = known->kind == WR_EVENT_DENT && known->subject == event->subject ? known : place;
    }
    bool stronger = !place || event->strength > place->strength;
    place = place ? place : wri_world_add_shown(world, &world->events, 1);
    if (place && stronger) {
        *place = *event;
    }
}

// What happened to materials in this step, with the numbers of recordings and places in the world.
static void note_events(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        int count = 0, first = world->first_fragment[body->scene_body];
        bool tells = body->material->events && wri_material_is_active(body);
        const wr_event *events = tells ? body->material->events(body->state, &count) : NULL;
        for (int k = 0; k < count; k++) {
            wr_event event = events[k];
            event.subject = first < 0 ? body->scene_body : first + event.subject;
            event.other = first < 0 || event.other < 0 ? -1 : first + event.other;
            note_event(world, &event);
        }
    }
}

// False: out of memory.
static bool step(wr_world *world)
{
    double time = (double)world->step * world->dt, end = (double)(world->step + 1) * world->dt;
    float dt = (float)world->dt;
    WR_ASSERT(world->owner_of_engine.count == wr_rigid_body_count(world->rigid));
    world->time = time;
    wri_world_enter(world, time);
    wri_world_lift_held(world, time);
    drive_bodies(world, end);
    if (world->material_count) {
        find_resting(world);
        advance_materials(world, time, end, dt);
    }
    bool twice = world->scene->two_phases && world->material_count;
    if (twice && !wr_rigid_keep_states(world->rigid, NULL)) {
        return false;
    }
    step_engine(world, dt, after_substep);
    if (!wr_rigid_check(world->rigid, NULL)) {
        return false;
    }
    WR_ASSERT(!world->material_count || fabs(world->time - end) < 1e-3 * world->dt);
    if (world->material_count) {
        read_part_states(world, false);
        wri_world_pass_on_loads(world);
        run_materials(world, PHASE_END, time, dt);
        note_events(world);
        wri_world_update_parts(world);
        wri_world_rehang_joints(world);
        if (twice) { // bodies that bounce less now do so from the very hit that bent them
            wr_rigid_rewind(world->rigid);
            wri_world_lift_held(world, time);
            drive_bodies(world, end);
            step_engine(world, dt, NULL);
        } else {
            wr_rigid_take_back_bounces(world->rigid);
        }
        lay_to_rest(world);
    }
    world->step++;
    count_step(world);
    return true;
}

bool wr_world_check(const wr_world *world, wr_error *error)
{
    return WRI_REQUIRE(error, world) && wr_rigid_check(world->rigid, error) &&
           (!world->lacks_memory || wri_fail_memory(error, 0)) &&
           (!world->is_cancelled ||
            wri_fail(error, WR_E_CANCELLED,
                     "interrupted in the middle of frame %d, which was dropped",
                     world->frame.index + 1)) &&
           (world->unsaved.code == WR_OK ||
            wri_fail(error, world->unsaved.code, "%s", world->unsaved.message));
}

static bool goes_on(wr_world *world)
{
    world->is_cancelled =
        world->is_cancelled || (world->watch.go_on && !world->watch.go_on(world->watch.user));
    return !world->is_cancelled;
}

void wr_world_step_frame(wr_world *world)
{
    world->events.count = 0;
    world->pairs.count = 0;
    world->lacks_memory = false;
    world->unsaved.code = WR_OK;
    if (world->is_changed && !world->is_cancelled) { // nobody could simulate that again
        wri_world_forget(world, NULL);
    }
    for (int i = 0; i < world->scene->substeps; i++) {
        if (!goes_on(world) || !step(world)) {
            return;
        }
    }
    WR_ASSERT(world->saved_step < world->step);
    wri_world_read_frame(world);
    if (wr_world_forgets(world)) { // else what follows would not be what a resumed run computes
        wri_world_forget(world, &world->unsaved);
    }
}
