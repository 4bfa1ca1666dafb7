// world.c: bodies of flesh, and a step of all of them.
//
// Each is solved with the rigid bodies that it touches, and with what its own bones do to its skin.
#include "balls.h"
#include "meet.h"
#include "../math/turn.h"

struct wr_flesh_world {
    wr_allocator allocator;
    wri_array bodies; // of wri_flesh *; NULL: free
    wr_scratch scratch;
};

static const float SHALLOW = 0.02f;    // of the size: what overlaps by more has no sure normal, and
                                       // does not bounce
static const float THROUGH = 0.01f;    // of the size: how far what came through a triangle may be
static const float FACING = 0.5f;      // cosine between its skin and the triangle, at least
static const double CALM_SPEED = 0.01; // sizes in sqrt(2 size / g): slower than that it may sleep
static const double CALM_TIME = 0.5;   // s
static const double DOZE_TIME = 0.1;   // s: what lies on something that sleeps

// --- bodies -----------------------------------------------------------------------------------

wr_flesh_world *wr_flesh_world_create(const wr_allocator *allocator, wr_error *error)
{
    wr_flesh_world *world = wri_alloc(allocator, 1, sizeof *world);
    if (!world) {
        wri_fail_memory(error, sizeof *world);
        return NULL;
    }
    world->scratch = wri_scratch_create(allocator);
    world->bodies = wri_array_create(allocator, sizeof(wri_flesh *));
    world->allocator = world->bodies.allocator;
    return world;
}

wri_flesh *wri_flesh_of(const wr_flesh_world *world, int body)
{
    return body >= 0 && body < world->bodies.count ? WRI_ITEM(world->bodies, wri_flesh *, body)
                                                   : NULL;
}

void wr_flesh_remove(wr_flesh_world *world, int body)
{
    wri_flesh *f = wri_flesh_of(world, body);
    if (f) {
        wri_flesh_destroy(f);
        wri_free(&world->allocator, f, 1, sizeof *f);
        WRI_ITEM(world->bodies, wri_flesh *, body) = NULL;
    }
}

void wr_flesh_world_destroy(wr_flesh_world *world)
{
    if (world) {
        const wr_allocator a = world->allocator;
        for (int i = 0; i < world->bodies.count; i++) {
            wr_flesh_remove(world, i);
        }
        wri_array_destroy(&world->bodies);
        wri_scratch_destroy(&world->scratch);
        wri_free(&a, world, 1, sizeof *world);
    }
}

// As a whole, from the bind pose.
static bool place(wri_flesh *f, const wr_flesh_desc *desc, wr_scratch *scratch)
{
    wr_quat q = wr_quat_normalize(desc->pose.rotation);
    const double turn[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    for (int i = 0; i < f->model->bone_count; i++) {
        wri_flesh_pose *bone = &f->bones[i];
        double Q[3][3];
        wri_turn_matrix(turn, Q);
        wri_apply(WRI_MATRIX(Q), f->model->bones[i].origin, bone->c);
        bone->c[0] += (double)desc->pose.position.x;
        bone->c[1] += (double)desc->pose.position.y;
        bone->c[2] += (double)desc->pose.position.z;
        memcpy(bone->turn, turn, sizeof bone->turn);
    }
    wri_flesh_find_turns(f);
    wri_flesh_momentum now, wanted;
    if (!wri_flesh_find_momentum(f, NULL, scratch, &now)) {
        return false;
    }
    wr_vec3 v = desc->velocity, w = desc->angular_velocity;
    const double velocity[3] = {(double)v.x, (double)v.y, (double)v.z};
    const double omega[3] = {(double)w.x, (double)w.y, (double)w.z};
    wanted = now;
    wri_apply(WRI_MATRIX(now.inertia), omega, wanted.spin);
    for (int k = 0; k < 3; k++) {
        wanted.P[k] = now.mass * velocity[k];
    }
    wri_flesh_restore(f, &now, &wanted, INFINITY);
    return true;
}

static int find_free(wr_flesh_world *world)
{
    int i = 0;
    while (i < world->bodies.count && wri_flesh_of(world, i)) {
        i++;
    }
    return i < world->bodies.count || wri_array_add(&world->bodies, 1) ? i : -1;
}

static const uint32_t COOKIE = 0x79646f62; // "body"

wr_flesh_desc wr_flesh_desc_default(void)
{
    return (wr_flesh_desc){.pose = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}},
                           .friction = 0.5f,
                           .group = UINT32_MAX,
                           .collides = UINT32_MAX,
                           .cookie = COOKIE};
}

int wr_flesh_add(wr_flesh_world *world, const wr_flesh_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE(error, world) || !WRI_REQUIRE_DESC(error, wr_flesh_desc, desc, COOKIE) ||
        !WRI_REQUIRE_AS(error, "model", desc->model)) {
        return -1;
    }
    int body = find_free(world);
    wri_flesh *f = body >= 0 ? wri_alloc(&world->allocator, 1, sizeof *f) : NULL;
    if (!f || !wri_flesh_create(f, desc->model, error)) {
        wri_free(&world->allocator, f, 1, sizeof *f);
        wri_fail_memory(error, sizeof *f);
        return -1;
    }
    WRI_ITEM(world->bodies, wri_flesh *, body) = f;
    f->friction = desc->friction;
    f->restitution = desc->restitution;
    f->group = desc->group;
    f->collides = desc->collides;
    f->detection = desc->detection;
    if (!place(f, desc, &world->scratch)) {
        wr_flesh_remove(world, body);
        wri_fail_memory(error, 0);
        return -1;
    }
    return body;
}

// --- what moves them ----------------------------------------------------------------------------

// In double, about the bone's own origin.
static wri_flesh_pose pose_of(const wri_flesh *f, int bone, wr_pose pose)
{
    wr_quat q = wr_quat_normalize(pose.rotation);
    wri_flesh_pose out = {.turn = {(double)q.x, (double)q.y, (double)q.z, (double)q.w}};
    double Q[3][3];
    wri_turn_matrix(out.turn, Q);
    wri_apply(WRI_MATRIX(Q), f->model->bones[bone].origin, out.c);
    out.c[0] += (double)pose.position.x;
    out.c[1] += (double)pose.position.y;
    out.c[2] += (double)pose.position.z;
    return out;
}

void wr_flesh_drive(wr_flesh_world *world, int body, int bone, wr_pose pose)
{
    wri_flesh *f = wri_flesh_of(world, body);
    f->goals[bone] = pose_of(f, bone, pose);
    f->is_driven[bone] = true;
    wr_flesh_wake(world, body);
}

void wr_flesh_let_go(wr_flesh_world *world, int body, int bone)
{
    wri_flesh_of(world, body)->is_driven[bone] = false;
    wr_flesh_wake(world, body);
}

void wr_flesh_put(wr_flesh_world *world, int body, int bone, wr_pose pose)
{
    wri_flesh *f = wri_flesh_of(world, body);
    wri_flesh_pose there = pose_of(f, bone, pose);
    memcpy(f->bones[bone].c, there.c, sizeof there.c);
    memcpy(f->bones[bone].turn, there.turn, sizeof there.turn);
    wri_flesh_find_turns(f);
    wr_flesh_wake(world, body);
}

static void copy3(wr_vec3 from, double to[3])
{
    to[0] = (double)from.x, to[1] = (double)from.y, to[2] = (double)from.z;
}

void wr_flesh_aim(wr_flesh_world *world, int body, int joint, wr_vec3 angle, wr_vec3 rate)
{
    wri_target *target = &wri_flesh_of(world, body)->targets[joint];
    copy3(angle, target->angle);
    copy3(rate, target->rate);
}

void wr_flesh_pull(wr_flesh_world *world, int body, int bone, const wr_flesh_pull_desc *desc)
{
    wri_flesh *f = wri_flesh_of(world, body);
    wri_pull *pull = &f->pulls[bone];
    memset(pull, 0, sizeof *pull);
    if (desc) {
        *pull = (wri_pull){.goal = pose_of(f, bone, desc->pose),
                           .stiffness = {desc->stiffness, desc->turn_stiffness},
                           .damping = {desc->damping, desc->turn_damping},
                           .most = {desc->force, desc->torque},
                           .is_on = true};
        copy3(desc->velocity, pull->goal.v);
        copy3(desc->angular_velocity, pull->goal.alpha);
    }
    wr_flesh_wake(world, body);
}

// --- contacts ---------------------------------------------------------------------------------

// Unit, world: out of the skin, as the first of its bones turns it.
static wr_vec3 outward_of(const wri_flesh *f, int node)
{
    const wr_flesh_model *m = f->model;
    f4 o = m->outward[node];
    const double local[3] = {(double)o[0], (double)o[1], (double)o[2]};
    double out[3];
    wri_apply(WRI_MATRIX(f->Q[m->bone_ids[node * WRI_FLESH_BONES]].m), local, out);
    return wr_v3((float)out[0], (float)out[1], (float)out[2]);
}

// Triangles of a mesh have two sides: a node that has just come through one is on the wrong side of
// it, which skin tells by facing away from it.
static wr_vec3 side_of(const wri_flesh *f, int node, wr_vec3 off, wr_vec3 normal)
{
    float gap = wr_dot(off, normal);
    bool is_through = gap > 0.0f && gap < THROUGH * f->model->size &&
                      wr_dot(outward_of(f, node), normal) > FACING;
    return is_through ? wr_scale(-1.0f, normal) : normal;
}

// Whether others of its skin touch the same body from the other side: it is a wall.
static bool is_opposed(const wr_flesh_step *step, const wr_flesh_touch *t, wr_vec3 normal)
{
    bool any = false;
    for (int i = 0; i < step->touch_count && !any; i++) {
        const wr_flesh_touch *other = &step->touches[i];
        any = other->flesh == t->flesh && other->body == t->body &&
              wr_dot(other->normal, normal) < -FACING;
    }
    return any;
}

// What is in a wall, and would come out of it where its skin faces, has passed the middle of it: it
// is not met, since it would be driven through.
static wri_flesh_contact contact_of(const wri_flesh *f, const wr_flesh_step *step,
                                    const wr_flesh_touch *t)
{
    int node = f->model->node_of[t->node];
    wr_vec3 x = wri_flesh_place(f, node), off = wr_sub(x, t->point);
    wr_vec3 normal = side_of(f, node, off, t->normal);
    float gap = wr_dot(off, normal);
    bool is_beyond =
        gap < 0.0f && wr_dot(outward_of(f, node), normal) > FACING && is_opposed(step, t, normal);
    wri_flesh_contact c = {.node = node,
                           .body = t->body,
                           .point = x,
                           .normal = normal,
                           .gap = is_beyond ? INFINITY : gap,
                           .friction = t->friction};
    wr_vec3 v =
        wr_sub(wri_flesh_velocity(f, c.node), wr_body_copy_velocity(&step->bodies[t->body], x));
    c.approach = -wr_dot(v, normal);
    bool bounces = c.approach > 2.0f * wr_length(step->gravity) * f->model->dt &&
                   c.gap > -SHALLOW * f->model->size;
    c.bounce = bounces ? t->restitution * c.approach : 0.0f;
    return c;
}

// --- rest -------------------------------------------------------------------------------------

static double mean_speed(const wri_flesh *f)
{
    const wr_flesh_model *m = f->model;
    double sum = 0.0;
    for (int i = 0; i < m->node_count; i++) {
        wr_vec3 v = wri_flesh_velocity(f, i);
        sum += (double)wr_dot(v, v);
    }
    return sqrt(sum / m->node_count);
}

// m/s: what is slower may sleep.
static double calm_speed(const wri_flesh *f)
{
    double size = (double)f->model->size;
    return CALM_SPEED * size / sqrt(2.0 * size / 9.81);
}

static void sleep_after(wri_flesh *f, double calm)
{
    f->asleep = f->calm >= calm;
    if (f->asleep) {
        memset(f->v, 0, (size_t)f->model->node_count * sizeof *f->v);
        for (int i = 0; i < f->model->bone_count; i++) {
            memset(f->bones[i].v, 0, sizeof f->bones[i].v);
            memset(f->bones[i].alpha, 0, sizeof f->bones[i].alpha);
        }
    }
}

static void find_rest(wri_flesh *f, bool touches)
{
    bool is_calm = touches && mean_speed(f) < calm_speed(f);
    f->calm = is_calm ? f->calm + (double)f->model->dt : 0.0;
    sleep_after(f, CALM_TIME);
}

// --- groups -----------------------------------------------------------------------------------

// What a body takes to a step.
typedef struct part {
    wri_flesh *f;       // NULL: it has none
    int group;          // the least number of those that it touches, directly or not
    int member;         // number in the group
    int first, touches; // of the step
    int begin, end;     // contacts: first those of the touches
} part;

typedef struct course {
    wr_flesh_world *world;
    wr_flesh_step *step;
    part *parts;                // per body of the world
    wri_flesh_contact *touched; // per touch of the step
    wri_flesh_contact *contacts;
    wri_meetings meetings; // of skins, and of skin and balls
    wri_ball_meetings balls;
    wr_body_copy *bodies; // those of the step, then of balls
} course;

static bool is_active(const wri_flesh *f)
{
    return f && !f->frozen && !f->asleep;
}

static int root_of(const course *p, int body)
{
    while (p->parts[body].group != body) {
        body = p->parts[body].group;
    }
    return body;
}

static void join(course *p, int a, int b)
{
    a = root_of(p, a);
    b = root_of(p, b);
    p->parts[a > b ? a : b].group = a < b ? a : b;
}

// Those that touch each other, or the same thing that gives way.
static bool join_all(course *p)
{
    const wr_flesh_step *step = p->step;
    size_t bodies = (size_t)step->body_count;
    int *holder = wr_scratch_push(&p->world->scratch, bodies, sizeof *holder); // and 1
    for (int i = 0; i < p->meetings.list.count; i++) {
        const wri_flesh_contact *c = &WRI_ITEM(p->meetings.list, wri_flesh_contact, i);
        if (c->body <= WRI_FLESH) {
            join(p, c->member, c->other);
        }
    }
    for (int i = 0; holder && i < step->touch_count; i++) {
        const wr_flesh_touch *t = &step->touches[i];
        if (step->bodies[t->body].inverse_mass > 0.0f && p->parts[t->flesh].f) {
            int *first = &holder[t->body];
            join(p, t->flesh, *first > 0 ? *first - 1 : t->flesh);
            *first = t->flesh + 1;
        }
    }
    return holder;
}

static bool meet_balls(course *p)
{
    int count = p->world->bodies.count;
    if (p->step->ball_count == 0) {
        return true;
    }
    wri_flesh **fleshes = wr_scratch_push(&p->world->scratch, (size_t)count, sizeof *fleshes);
    for (int i = 0; fleshes && i < count; i++) {
        wri_flesh *f = wri_flesh_of(p->world, i);
        fleshes[i] = is_active(f) ? f : NULL;
    }
    return fleshes && wri_flesh_meet_balls(fleshes, count, p->step, &p->balls, &p->meetings.list,
                                           &p->world->scratch);
}

static void list_touches(course *p)
{
    for (int i = 0; i < p->step->touch_count; i++) {
        part *q = &p->parts[p->step->touches[i].flesh];
        q->first = q->touches == 0 ? i : q->first;
        q->touches++;
    }
}

// Skins that may meet: all that are there, if at least two are, or one can meet itself.
static bool find_meetings(course *p)
{
    int count = p->world->bodies.count, able = 0;
    wr_scratch *scratch = &p->world->scratch;
    p->meetings =
        (wri_meetings){.skins = wr_scratch_push(scratch, (size_t)count, sizeof(wri_skin)),
                       .skin_count = count,
                       .gravity = wr_length(p->step->gravity),
                       .texel = WRI_FLESH_TEXEL,
                       .list = wri_array_create(&p->world->allocator, sizeof(wri_flesh_contact))};
    if (!p->meetings.skins) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        wri_flesh *f = wri_flesh_of(p->world, i);
        able += f ? 1 + (f->model->bone_count > 1) : 0;
        p->meetings.skins[i] = (wri_skin){.f = f, .body = i, .is_passive = !is_active(f)};
    }
    return able < 2 || wri_flesh_find_meetings(&p->meetings, scratch);
}

// What sleeps is a wall for those that hardly move, and wakes for the others.
static void wake_met(course *p)
{
    for (int i = 0; i < p->meetings.list.count; i++) {
        wri_flesh_contact *c = &WRI_ITEM(p->meetings.list, wri_flesh_contact, i);
        wri_flesh *a = wri_flesh_of(p->world, c->member), *b = wri_flesh_of(p->world, c->other);
        bool is_hit = !a->frozen && !b->frozen && (a->asleep != b->asleep);
        if (is_hit && mean_speed(a->asleep ? b : a) > calm_speed(a->asleep ? b : a)) {
            a->asleep = b->asleep = false;
            a->calm = b->calm = 0.0;
        }
    }
    for (int i = 0; i < p->meetings.list.count; i++) {
        wri_flesh_contact *c = &WRI_ITEM(p->meetings.list, wri_flesh_contact, i);
        if (!is_active(wri_flesh_of(p->world, c->other))) {
            c->body = WRI_FIXED;
        }
    }
}

static void press(const wri_flesh *f, int node, const wri_flesh_contact *c, float *pressed)
{
    pressed[node] = fmaxf(pressed[node], f->model->dt * c->approach - c->gap);
}

// How far the nodes of a body may be pressed in by what touches it: by its own contacts, and as the
// corners of those of others.
static void find_pressed(const course *p, int body, float *pressed)
{
    const part *q = &p->parts[body];
    memset(pressed, 0, (size_t)q->f->model->node_count * sizeof *pressed);
    for (int k = q->first; k < q->first + q->touches; k++) {
        press(q->f, p->touched[k].node, &p->touched[k], pressed);
    }
    for (int k = 0; k < p->meetings.list.count; k++) {
        const wri_flesh_contact *c = &WRI_ITEM(p->meetings.list, wri_flesh_contact, k);
        if (c->member == body) {
            press(q->f, c->node, c, pressed);
        }
        for (int corner = 0; c->body < 0 && c->other == body && corner < 3; corner++) {
            press(q->f, c->corners[corner], c, pressed);
        }
    }
}

static bool list_contacts(course *p)
{
    int bodies = p->world->bodies.count, count = p->meetings.list.count + p->step->touch_count;
    float **pressed = wr_scratch_push(&p->world->scratch, (size_t)bodies, sizeof *pressed);
    size_t touches = (size_t)p->step->touch_count;
    p->touched = wr_scratch_push(&p->world->scratch, touches, sizeof *p->touched);
    for (int i = 0; pressed && p->touched && i < bodies; i++) {
        wri_flesh *f = wri_flesh_of(p->world, i);
        p->parts[i].f = is_active(f) ? f : NULL;
        p->parts[i].group = i;
        size_t nodes = is_active(f) ? (size_t)f->model->node_count : 0;
        pressed[i] = wr_scratch_push(&p->world->scratch, nodes, sizeof **pressed);
        if (!pressed[i]) {
            return false;
        }
        for (int k = 0; is_active(f) && k < p->parts[i].touches; k++) {
            int touch = p->parts[i].first + k;
            p->touched[touch] = contact_of(f, p->step, &p->step->touches[touch]);
        }
        if (is_active(f)) {
            find_pressed(p, i, pressed[i]);
            count += wri_flesh_list_own(f, pressed[i], NULL);
        }
    }
    p->contacts = wr_scratch_push(&p->world->scratch, (size_t)count, sizeof *p->contacts);
    int at = 0;
    for (int i = 0; pressed && p->touched && p->contacts && i < bodies; i++) {
        part *q = &p->parts[i];
        q->begin = at;
        for (int k = 0; q->f && k < q->touches; k++) {
            p->contacts[at++] = p->touched[q->first + k];
        }
        for (int k = 0; q->f && k < p->meetings.list.count; k++) {
            const wri_flesh_contact *c = &WRI_ITEM(p->meetings.list, wri_flesh_contact, k);
            if (c->member == i) {
                p->contacts[at++] = *c;
            }
        }
        at += q->f ? wri_flesh_list_own(q->f, pressed[i], p->contacts + at) : 0;
        q->end = at;
        for (int k = q->begin; k < q->end; k++) {
            p->contacts[k].member = i;
        }
    }
    return pressed && p->touched && p->contacts;
}

// Copies the contacts of a group's members one after another, with the members' numbers in it, or
// the answers back.
static int copy_contacts(course *p, int group, wri_flesh_contact *to, bool back)
{
    int count = 0;
    for (int i = group; i < p->world->bodies.count; i++) {
        const part *q = &p->parts[i];
        for (int k = q->begin; q->f && q->group == group && k < q->end; k++, count++) {
            if (back) {
                p->contacts[k].impulse = to[count].impulse;
            } else if (to) {
                to[count] = p->contacts[k];
                to[count].member = q->member;
                to[count].other = p->parts[p->contacts[k].other].member;
            }
        }
    }
    return count;
}

static bool step_group(course *p, int group)
{
    wr_scratch *scratch = &p->world->scratch;
    int bodies = p->world->bodies.count, count = 0;
    wri_flesh **members = wr_scratch_push(scratch, (size_t)bodies, sizeof *members);
    if (!members) {
        return false;
    }
    float slop = INFINITY;
    for (int i = group; i < bodies; i++) {
        part *q = &p->parts[i];
        if (q->f && q->group == group) {
            q->member = count;
            members[count++] = q->f;
            slop = fminf(slop, WRI_FLESH_SLOP * q->f->model->size);
        }
    }
    int contact_count = copy_contacts(p, group, NULL, false);
    wri_flesh_contact *contacts = wr_scratch_push(scratch, (size_t)contact_count, sizeof *contacts);
    if (!contacts) {
        return false;
    }
    copy_contacts(p, group, contacts, false);
    wr_vec3 g = p->step->gravity;
    wri_flesh_step_desc inner = {.gravity = {(double)g.x, (double)g.y, (double)g.z},
                                 .contacts = contacts,
                                 .contact_count = contact_count,
                                 .bodies = p->bodies,
                                 .body_count = p->step->body_count + p->balls.node_count,
                                 .slop = slop,
                                 .tasks = p->step->tasks};
    bool ok = wri_flesh_step(members, count, &inner, scratch);
    copy_contacts(p, group, contacts, true);
    return ok;
}

static void answer_touches(course *p)
{
    for (int i = 0; i < p->world->bodies.count; i++) {
        const part *q = &p->parts[i];
        for (int k = 0; q->f && k < q->touches; k++) {
            p->step->touches[q->first + k].impulse =
                wr_scale(-1.0f, p->contacts[q->begin + k].impulse);
        }
        for (int k = q->begin; q->f && k < q->end; k++) {
            wri_flesh_answer_balls(p->step, &p->balls, &p->contacts[k]);
        }
    }
    for (int i = 0; i < p->step->body_count; i++) {
        p->step->bodies[i] = p->bodies[i];
    }
}

// --- a step -----------------------------------------------------------------------------------

wr_flesh_step wr_flesh_step_default(void)
{
    return (wr_flesh_step){.gravity = {0.0f, -9.81f, 0.0f}};
}

// As the engine will.
static void accelerate_bodies(const course *p)
{
    float dt = 0.0f;
    for (int i = 0; i < p->world->bodies.count; i++) {
        dt = p->parts[i].f ? p->parts[i].f->model->dt : dt;
    }
    for (int i = 0; i < p->step->body_count; i++) {
        wr_body_copy *body = &p->step->bodies[i];
        if (body->inverse_mass > 0.0f) {
            body->velocity = wr_add_scaled(body->velocity, dt, p->step->gravity);
        }
    }
}

static bool step_all(course *p)
{
    int bodies = p->world->bodies.count;
    p->parts = wr_scratch_push(&p->world->scratch, (size_t)bodies, sizeof *p->parts);
    if (!p->parts || !find_meetings(p)) {
        return false;
    }
    wake_met(p);
    list_touches(p);
    if (!meet_balls(p) || !list_contacts(p) || !join_all(p)) {
        return false;
    }
    for (int i = 0; i < bodies; i++) {
        p->parts[i].group = root_of(p, i);
    }
    accelerate_bodies(p);
    p->bodies = wri_flesh_copy_bodies(p->step, &p->balls, &p->world->scratch);
    bool ok = p->bodies;
    for (int i = 0; p->bodies && i < bodies; i++) {
        bool is_group = p->parts[i].f && p->parts[i].group == i;
        ok = (!is_group || step_group(p, i)) && ok;
    }
    if (p->bodies) {
        answer_touches(p);
    }
    for (int i = 0; i < bodies; i++) {
        const part *q = &p->parts[i];
        if (q->f) {
            find_rest(q->f, q->end > q->begin);
        }
    }
    return ok;
}

bool wr_flesh_world_step(wr_flesh_world *world, wr_flesh_step *step)
{
    course p = {.world = world,
                .step = step,
                .balls = {.pairs = wri_array_create(&world->allocator, sizeof(wri_ball_pair)),
                          .groups = wri_array_create(&world->allocator, sizeof(wri_ball_group))}};
    bool ok = step_all(&p);
    wri_array_destroy(&p.meetings.list);
    wri_array_destroy(&p.balls.pairs);
    wri_array_destroy(&p.balls.groups);
    wri_scratch_reset(&world->scratch);
    return ok;
}

// --- what it is like --------------------------------------------------------------------------

int wr_flesh_count(const wr_flesh_world *world, int body)
{
    return wri_flesh_of(world, body)->model->node_count;
}

void wr_flesh_positions(const wr_flesh_world *world, int body, wr_vec3 *out)
{
    const wri_flesh *f = wri_flesh_of(world, body);
    for (int i = 0; i < f->model->node_count; i++) {
        out[i] = wri_flesh_place(f, f->model->node_of[i]);
    }
}

void wr_flesh_displacements(const wr_flesh_world *world, int body, wr_vec3 *out)
{
    const wri_flesh *f = wri_flesh_of(world, body);
    for (int i = 0; i < f->model->node_count; i++) {
        out[i] = f4_vec3(f->q[f->model->node_of[i]]);
    }
}

void wr_flesh_velocities(const wr_flesh_world *world, int body, wr_vec3 *out)
{
    const wri_flesh *f = wri_flesh_of(world, body);
    for (int i = 0; i < f->model->node_count; i++) {
        out[i] = wri_flesh_velocity(f, f->model->node_of[i]);
    }
}

wr_pose wr_flesh_bone_pose(const wr_flesh_world *world, int body, int bone)
{
    const wri_flesh *f = wri_flesh_of(world, body);
    const wri_flesh_pose *pose = &f->bones[bone];
    const double *o = f->model->bones[bone].origin, *t = pose->turn;
    double at[3];
    wri_apply(WRI_MATRIX(f->Q[bone].m), o, at);
    return (wr_pose){wr_v3((float)(pose->c[0] - at[0]), (float)(pose->c[1] - at[1]),
                           (float)(pose->c[2] - at[2])),
                     {(float)t[0], (float)t[1], (float)t[2], (float)t[3]}};
}

double wr_flesh_mass_of(const wr_flesh_world *world, int body)
{
    return wri_flesh_of(world, body)->model->total_mass;
}

float wr_flesh_speed_of(const wr_flesh_world *world, int body)
{
    return (float)mean_speed(wri_flesh_of(world, body));
}

double wr_flesh_energy_of(const wr_flesh_world *world, int body)
{
    return wri_flesh_strain_energy(wri_flesh_of(world, body));
}

bool wr_flesh_is_asleep(const wr_flesh_world *world, int body)
{
    return wri_flesh_of(world, body)->asleep;
}

void wr_flesh_wake(wr_flesh_world *world, int body)
{
    wri_flesh *f = wri_flesh_of(world, body);
    f->asleep = false;
    f->calm = 0.0;
}

bool wr_flesh_doze(wr_flesh_world *world, int body)
{
    wri_flesh *f = wri_flesh_of(world, body);
    sleep_after(f, DOZE_TIME);
    return f->asleep;
}

void wr_flesh_freeze(wr_flesh_world *world, int body)
{
    wri_flesh_of(world, body)->frozen = true;
}
