// world.c: bodies, and a step of all of them.
#include "contact.h"
#include "full.h"

struct wr_morph_world {
    wr_allocator allocator;
    wri_array bodies; // of wri_morph *; NULL: free
    wr_scratch scratch;
};

// --- bodies -------------------------------------------------------------------------------------

wri_morph *wri_morph_of(const wr_morph_world *world, int body)
{
    return body >= 0 && body < world->bodies.count ? WRI_ITEM(world->bodies, wri_morph *, body)
                                                   : NULL;
}

wr_morph_world *wr_morph_world_create(const wr_allocator *allocator, wr_error *error)
{
    wr_morph_world *world = wri_alloc(allocator, 1, sizeof *world);
    if (!world) {
        wri_fail_memory(error, sizeof *world);
        return NULL;
    }
    world->scratch = wri_scratch_create(allocator);
    world->bodies = wri_array_create(allocator, sizeof(wri_morph *));
    world->allocator = world->bodies.allocator;
    return world;
}

void wr_morph_world_destroy(wr_morph_world *world)
{
    if (world) {
        for (int i = 0; i < world->bodies.count; i++) {
            wr_morph_remove(world, i);
        }
        const wr_allocator allocator = world->allocator;
        wri_array_destroy(&world->bodies);
        wri_scratch_destroy(&world->scratch);
        wri_free(&allocator, world, 1, sizeof *world);
    }
}

static int free_slot(wr_morph_world *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        if (!WRI_ITEM(world->bodies, wri_morph *, i)) {
            return i;
        }
    }
    return wri_array_add(&world->bodies, 1) ? world->bodies.count - 1 : -1;
}

int wr_morph_add(wr_morph_world *world, const wr_morph_model *model, wr_error *error)
{
    if (!WRI_REQUIRE(error, world, model)) {
        return -1;
    }
    int slot = free_slot(world);
    wri_morph *b = slot < 0 ? NULL : wri_alloc(&world->allocator, 1, sizeof *b);
    if (!b || !wri_morph_create(b, model, &world->allocator)) {
        wri_free(&world->allocator, b, 1, sizeof *b);
        wri_fail_memory(error, 0);
        return -1;
    }
    b->number = slot;
    WRI_ITEM(world->bodies, wri_morph *, slot) = b;
    return slot;
}

void wr_morph_remove(wr_morph_world *world, int body)
{
    wri_morph *b = wri_morph_of(world, body);
    if (b) {
        wri_morph_destroy(b);
        wri_free(&world->allocator, b, 1, sizeof *b);
        WRI_ITEM(world->bodies, wri_morph *, body) = NULL;
    }
}

// --- steps --------------------------------------------------------------------------------------

wr_morph_step wr_morph_step_default(void)
{
    return (wr_morph_step){.gravity = {0.0f, -9.81f, 0.0f}};
}

// The contacts of a body: its touches, one after another, and its meetings.
typedef struct run {
    int first, touches, meetings;
    bool is_alone;        // it touches only what cannot be moved: it is solved by itself
    double *dv, *impulse; // what contacts do; of reduced bodies dv is what they all change
    wri_contact_sides sides;
} run;

typedef struct pass {
    wr_morph_world *world;
    wr_morph_step *step;
    run *runs;              // per body
    wri_contact *contacts;  // of touches, then of meetings
    wri_contact **together; // those that are solved together
} pass;

enum { ROUNDS = 4 }; // of full bodies

static bool is_solved(const wri_contact *c)
{
    bool is_frozen = c->sides[0].b->is_frozen;
    return !(is_frozen || (c->side_count == 2 && c->sides[1].b->is_frozen));
}

// --- who meets what

static wri_contact_side vertex_of(const pass *p, int body, int vertex)
{
    return (wri_contact_side){.b = wri_morph_of(p->world, body),
                              .count = 1,
                              .vertices = {vertex},
                              .weights = {1.0},
                              .sign = 1.0};
}

static wri_contact_side place_of(const pass *p, const wr_morph_meeting *m)
{
    wri_contact_side side = {
        .b = wri_morph_of(p->world, m->other), .count = WRI_CORNERS, .sign = 1.0};
    for (int i = 0; i < WRI_CORNERS; i++) {
        side.vertices[i] = m->corners[i];
        side.weights[i] = (double)m->weights[i];
    }
    return side;
}

static void begin_touch(const pass *p, int i)
{
    wr_morph_touch *t = &p->step->touches[i];
    wri_contact_side side = vertex_of(p, t->morph, t->vertex);
    p->contacts[i] = (wri_contact){.sides = {side},
                                   .side_count = 1,
                                   .is_gentle = side.b->model->is_full,
                                   .rigid = t->body >= 0 ? &p->step->bodies[t->body] : NULL,
                                   .point = t->point,
                                   .friction = (double)t->friction,
                                   .restitution = (double)t->restitution,
                                   .answer = &t->impulse};
    t->impulse = wr_v3(0.0f, 0.0f, 0.0f);
}

// A vertex meets skin as it would a plane, a ball is one that skin meets.
static void begin_meeting(const pass *p, int i)
{
    wr_morph_meeting *m = &p->step->meetings[i];
    wri_contact *c = &p->contacts[p->step->touch_count + i];
    *c = (wri_contact){.is_gentle = true,
                       .friction = (double)m->friction,
                       .restitution = (double)m->restitution,
                       .answer = &m->impulse};
    m->impulse = wr_v3(0.0f, 0.0f, 0.0f);
    if (m->morph >= 0) {
        c->sides[0] = vertex_of(p, m->morph, m->vertex);
        c->sides[1] = place_of(p, m);
        c->sides[1].sign = -1.0;
        c->side_count = 2;
        wri_contact_prepare(c, m->normal);
    } else {
        c->sides[0] = place_of(p, m);
        c->side_count = 1;
        c->rigid = &p->step->bodies[m->body];
        c->point = m->point;
        wri_contact_prepare(c, wr_scale(-1.0f, m->normal));
    }
}

static void count_contacts(const pass *p)
{
    const wr_morph_step *step = p->step;
    for (int i = 0; i < step->touch_count; i++) {
        const wr_morph_touch *touch = &step->touches[i];
        const wr_body_copy *rigid = touch->body >= 0 ? &step->bodies[touch->body] : NULL;
        run *r = &p->runs[touch->morph];
        r->first = r->touches == 0 ? i : r->first;
        r->is_alone = (r->touches == 0 || r->is_alone) && (!rigid || rigid->inverse_mass == 0.0f);
        r->touches++;
    }
    for (int i = 0; i < step->meeting_count; i++) {
        const wr_morph_meeting *m = &step->meetings[i];
        p->runs[m->other].meetings++;
        if (m->morph >= 0) {
            p->runs[m->morph].meetings++;
        }
    }
    for (int i = 0; i < p->world->bodies.count; i++) {
        const wri_morph *b = wri_morph_of(p->world, i);
        run *r = &p->runs[i];
        r->is_alone = r->is_alone && r->meetings == 0 && !b->model->is_full;
    }
}

// Rows and answers of reduced bodies; those of full ones follow where they are needed.
static bool take_rows(const pass *p, wri_contact_side *side)
{
    size_t freedom = (size_t)side->b->model->freedom;
    double *rows = wr_scratch_push(&p->world->scratch, 6 * freedom, sizeof *rows);
    for (int i = 0; rows && i < 3; i++) {
        side->J[i] = rows + (size_t)i * freedom;
        side->Y[i] = rows + (size_t)(3 + i) * freedom;
    }
    side->dz = p->runs[side->b->number].dv;
    side->freedom = (int)freedom;
    return rows;
}

static bool list_sides(const pass *p, wri_contact *c)
{
    bool ok = true;
    for (int i = 0; ok && i < c->side_count; i++) {
        wri_contact_side *side = &c->sides[i];
        run *r = &p->runs[side->b->number];
        ok = side->b->model->is_full || take_rows(p, side);
        r->sides.items[r->sides.count++] = side;
    }
    return ok;
}

static bool take_memory(const pass *p)
{
    wr_scratch *scratch = &p->world->scratch;
    for (int i = 0; i < p->world->bodies.count; i++) {
        run *r = &p->runs[i];
        size_t count = (size_t)(r->touches + r->meetings);
        if (count > 0) {
            size_t freedom = (size_t)wri_morph_of(p->world, i)->model->freedom;
            r->dv = wr_scratch_push(scratch, 2 * freedom, sizeof *r->dv);
            r->sides.items = wr_scratch_push(scratch, count, sizeof *r->sides.items);
            if (!r->dv || !r->sides.items) {
                return false;
            }
            r->impulse = r->dv + freedom;
        }
    }
    return true;
}

static bool begin_contacts(const pass *p)
{
    const wr_morph_step *step = p->step;
    bool ok = true;
    count_contacts(p);
    if (!take_memory(p)) {
        return false;
    }
    for (int i = 0; ok && i < step->touch_count + step->meeting_count; i++) {
        if (i < step->touch_count) {
            begin_touch(p, i);
        } else {
            begin_meeting(p, i - step->touch_count);
        }
        ok = list_sides(p, &p->contacts[i]);
    }
    return ok;
}

// --- bodies

static void find_impulse(const pass *p, const run *r, size_t freedom)
{
    memset(r->impulse, 0, freedom * sizeof *r->impulse);
    for (int i = 0; i < r->sides.count; i++) {
        const wri_contact_side *side = r->sides.items[i];
        wri_contact_side_give(wri_contact_of(p->contacts, side), side, r->impulse);
    }
}

static void finish_body(const pass *p, wri_morph *b, const run *r)
{
    find_impulse(p, r, (size_t)b->model->freedom);
    wri_contact_apply(b, r->dv, r->impulse);
}

static void solve_alone(const pass *p, wri_morph *b, const run *r)
{
    wri_contact **items = p->together + r->first;
    for (int i = 0; i < r->touches; i++) {
        items[i] = &p->contacts[r->first + i];
        wri_contact_find_masses(items[i]);
    }
    wri_contacts_solve(&(wri_contacts){items, r->touches});
    for (int i = 0; i < r->touches; i++) {
        wri_contact_finish(items[i]);
    }
    finish_body(p, b, r);
}

// The free step of a body and, where it touches nothing that moves, its contacts.
static void step_body(const pass *p, wri_morph *b, const run *r, const wr_tasks *tasks)
{
    for (int i = 0; i < r->touches; i++) {
        wri_contact_prepare(&p->contacts[r->first + i], p->step->touches[r->first + i].normal);
    }
    b->statistics = (wr_morph_statistics){0};
    memcpy(b->statistics.impulse, b->pushed, sizeof b->pushed);
    memset(b->pushed, 0, sizeof b->pushed);
    wri_morph_forget_dents(b);
    wri_bones_advance(b, p->step);
    wri_morph_find_shape(b, false);
    if (b->is_frozen) {
        return;
    }
    if (b->model->is_full) {
        wri_full_step(b, tasks);
    } else {
        wri_reduced_step(b);
    }
    if (b->is_pushed) {
        memset(b->push, 0, (size_t)b->model->freedom * sizeof *b->push);
        b->is_pushed = false;
    }
    for (int i = 0; i < r->touches; i++) {
        wri_contact_make(&p->contacts[r->first + i]);
    }
    if (r->is_alone) {
        solve_alone(p, b, r);
    }
}

static void step_reduced(void *context, int block, int begin, int end)
{
    (void)block;
    const pass *p = context;
    for (int i = begin; i < end; i++) {
        wri_morph *b = wri_morph_of(p->world, i);
        if (b && !b->model->is_full) {
            step_body(p, b, &p->runs[i], NULL);
        }
    }
}

// --- what is solved together

static bool has_contacts(const pass *p, int body, bool full)
{
    const wri_morph *b = wri_morph_of(p->world, body);
    const run *r = &p->runs[body];
    return b && !b->is_frozen && r->sides.count > 0 && !r->is_alone && b->model->is_full == full;
}

// Full bodies answer to the impulses so far, and what the factor of another target got wrong is
// seen in their velocities. Whether there are any.
static bool correct_full(const pass *p)
{
    bool any = false;
    for (int i = 0; i < p->world->bodies.count; i++) {
        wri_morph *b = wri_morph_of(p->world, i);
        const run *r = &p->runs[i];
        if (!has_contacts(p, i, true)) {
            continue;
        }
        find_impulse(p, r, (size_t)b->model->freedom);
        wri_full_solve(b, r->impulse, r->dv, &p->step->tasks);
        for (int k = 0; k < r->sides.count; k++) {
            wri_contact_side *side = r->sides.items[k];
            wri_contact_sides_correct(wri_contact_of(p->contacts, side), side, r->dv);
        }
        any = true;
    }
    return any;
}

static bool answer_full(const pass *p, wri_morph *b, const run *r)
{
    wr_scratch *scratch = &p->world->scratch;
    wri_contact_sides pushed = {
        .items = wr_scratch_push(scratch, (size_t)r->sides.count, sizeof *pushed.items)};
    for (int i = 0; pushed.items && i < r->sides.count; i++) {
        if (wri_contact_of(p->contacts, r->sides.items[i])->is_met) {
            pushed.items[pushed.count++] = r->sides.items[i];
        }
    }
    return pushed.items &&
           (pushed.count == 0 || wri_contact_sides_make(b, pushed, &p->step->tasks, scratch));
}

static bool has_full_side(const wri_contact *c)
{
    return c->sides[0].b->model->is_full || (c->side_count == 2 && c->sides[1].b->model->is_full);
}

// Lists those that push, or would overlap without an impulse. Of full bodies most that are near do
// neither, and each of them costs three solves: who is pushed into another one joins later. False:
// out of memory.
static bool list_together(const pass *p, wri_contacts *set)
{
    int before = set->count, count = p->step->touch_count + p->step->meeting_count;
    set->count = 0;
    for (int i = 0; i < count; i++) {
        wri_contact *c = &p->contacts[i];
        if (is_solved(c) && !p->runs[c->sides[0].b->number].is_alone) {
            c->is_met = c->is_met || !has_full_side(c) || wri_contact_overlaps(c);
            set->items[set->count] = c;
            set->count += c->is_met;
        }
    }
    bool ok = true;
    for (int i = 0; ok && set->count > before && i < p->world->bodies.count; i++) {
        ok = !has_contacts(p, i, true) || answer_full(p, wri_morph_of(p->world, i), &p->runs[i]);
    }
    for (int i = 0; ok && set->count > before && i < set->count; i++) {
        wri_contact_find_masses(set->items[i]);
    }
    return ok;
}

static void make_meetings(const pass *p)
{
    for (int i = 0; i < p->step->meeting_count; i++) {
        wri_contact *c = &p->contacts[p->step->touch_count + i];
        if (is_solved(c)) {
            wri_contact_make(c);
        }
    }
}

static bool solve_together(const pass *p)
{
    wri_contacts set = {p->together, 0};
    make_meetings(p);
    for (int round = 0, rounds = ROUNDS; round < rounds; round++) {
        if (!list_together(p, &set)) {
            return false;
        }
        wri_contacts_solve(&set);
        rounds = set.count > 0 && correct_full(p) ? rounds : 1;
    }
    for (int i = 0; i < set.count; i++) {
        wri_contact_finish(set.items[i]);
    }
    for (int i = 0; i < p->world->bodies.count; i++) {
        if (has_contacts(p, i, true) || has_contacts(p, i, false)) {
            finish_body(p, wri_morph_of(p->world, i), &p->runs[i]);
        }
    }
    return true;
}

static bool step_all(pass *p)
{
    wr_morph_world *world = p->world;
    wri_parallel_for(&p->step->tasks, world->bodies.count, 1, step_reduced, p);
    for (int i = 0; i < world->bodies.count; i++) {
        wri_morph *b = wri_morph_of(world, i);
        if (b && b->model->is_full) {
            step_body(p, b, &p->runs[i], &p->step->tasks);
        }
    }
    return solve_together(p);
}

bool wr_morph_world_step(wr_morph_world *world, wr_morph_step *step)
{
    pass p = {world, step};
    p.runs = wr_scratch_push(&world->scratch, (size_t)world->bodies.count, sizeof *p.runs);
    size_t contacts = (size_t)step->touch_count + (size_t)step->meeting_count;
    p.contacts = wr_scratch_push(&world->scratch, contacts, sizeof *p.contacts);
    p.together = wr_scratch_push(&world->scratch, contacts, sizeof *p.together);
    bool ok = p.runs && p.contacts && p.together && begin_contacts(&p) && step_all(&p);
    wri_scratch_reset(&world->scratch);
    return ok;
}
