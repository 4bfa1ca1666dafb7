// world.c: bodies, and a step of all of them.
#include "contact.h"

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

// The touches of a body, one after another.
typedef struct run {
    int body, first, count;
    bool is_alone; // it touches only what cannot be moved: it is solved by itself
    double *numbers;
} run;

typedef struct pass {
    wr_morph_world *world;
    wr_morph_step *step;
    run *runs; // per body
    wri_contact *contacts;
} pass;

static wr_body_copy *rigid_of(const wr_morph_step *step, const wr_morph_touch *touch)
{
    return touch->body >= 0 ? &step->bodies[touch->body] : NULL;
}

static bool find_runs(pass *p)
{
    wr_morph_step *step = p->step;
    for (int i = 0; i < step->touch_count; i++) {
        wr_morph_touch *touch = &step->touches[i];
        run *r = &p->runs[touch->morph];
        const wr_body_copy *rigid = rigid_of(step, touch);
        if (r->count == 0) {
            *r = (run){touch->morph, i, 0, true, NULL};
        }
        r->count++;
        r->is_alone = r->is_alone && (!rigid || rigid->inverse_mass == 0.0f);
        touch->impulse = wr_v3(0.0f, 0.0f, 0.0f);
    }
    for (int i = 0; i < p->world->bodies.count; i++) {
        const wri_morph *b = wri_morph_of(p->world, i);
        run *r = &p->runs[i];
        if (b && r->count > 0 && !b->model->is_full) { // rows, answers, change, impulse
            size_t freedom = (size_t)b->model->freedom;
            r->numbers = wr_scratch_push(&p->world->scratch, (6 * (size_t)r->count + 2) * freedom,
                                         sizeof(double));
            if (!r->numbers) {
                return false;
            }
        }
    }
    return true;
}

static void prepare(const pass *p, const wri_morph *b, const run *r)
{
    for (int i = 0; i < r->count; i++) {
        wr_morph_touch *touch = &p->step->touches[r->first + i];
        wri_contact *c = &p->contacts[r->first + i];
        wri_contact_prepare(b, touch, rigid_of(p->step, touch), c);
        if (!b->model->is_full) {
            int freedom = b->model->freedom;
            c->freedom = freedom;
            c->dz = r->numbers;
            for (int row = 0; row < 3; row++) {
                c->J[row] = r->numbers + (2 + 6 * (ptrdiff_t)i + row) * freedom;
                c->Y[row] = c->J[row] + 3 * (ptrdiff_t)freedom;
            }
        }
    }
}

static void finish(const pass *p, wri_morph *b, const run *r)
{
    double *impulse = r->numbers + b->model->freedom;
    memset(impulse, 0, (size_t)b->model->freedom * sizeof *impulse);
    for (int i = 0; i < r->count; i++) {
        wri_contact_finish(b, &p->contacts[r->first + i], impulse);
    }
    wri_contact_apply(b, r->numbers, impulse);
}

static void make(const pass *p, const wri_morph *b, const run *r)
{
    for (int i = 0; i < r->count; i++) {
        wri_contact *c = &p->contacts[r->first + i];
        wri_contact_make(b, rigid_of(p->step, c->touch), c);
    }
}

// The free step of a body and, where it touches nothing that moves, its contacts.
static void step_body(const pass *p, wri_morph *b, const run *r, const wr_tasks *tasks)
{
    const wr_morph_step *step = p->step;
    prepare(p, b, r);
    b->statistics = (wr_morph_statistics){0};
    wri_morph_forget_dents(b);
    wri_bones_advance(b, step);
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
    make(p, b, r);
    if (r->count > 0 && r->is_alone && !b->model->is_full) {
        const wri_contacts set = {p->contacts + r->first, r->count, step->bodies};
        wri_contacts_solve(&set);
        finish(p, b, r);
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

// Contacts of reduced bodies with what moves, all together.
static bool solve_together(const pass *p)
{
    wr_morph_step *step = p->step;
    wri_contacts set = {NULL, 0, step->bodies};
    set.items = wr_scratch_push(&p->world->scratch, (size_t)step->touch_count, sizeof *set.items);
    if (!set.items) {
        return false;
    }
    for (int i = 0; i < step->touch_count; i++) {
        const run *r = &p->runs[step->touches[i].morph];
        const wri_morph *b = wri_morph_of(p->world, step->touches[i].morph);
        if (!r->is_alone && !b->model->is_full && !b->is_frozen) {
            set.items[set.count++] = p->contacts[i];
        }
    }
    wri_contacts_solve(&set);
    for (int i = 0; i < set.count; i++) {
        p->contacts[set.items[i].touch - step->touches] = set.items[i];
    }
    for (int i = 0; i < p->world->bodies.count; i++) {
        wri_morph *b = wri_morph_of(p->world, i);
        const run *r = &p->runs[i];
        if (b && r->count > 0 && !r->is_alone && !b->model->is_full && !b->is_frozen) {
            finish(p, b, r);
        }
    }
    return true;
}

static bool step_all(pass *p)
{
    wr_morph_world *world = p->world;
    wr_morph_step *step = p->step;
    bool ok = true;
    wri_parallel_for(&step->tasks, world->bodies.count, 1, step_reduced, p);
    ok = solve_together(p);
    for (int i = 0; i < world->bodies.count; i++) {
        wri_morph *b = wri_morph_of(world, i);
        const run *r = &p->runs[i];
        if (b && b->model->is_full) {
            step_body(p, b, r, &step->tasks);
            const wri_contacts set = {p->contacts + r->first, r->count, step->bodies};
            ok = (r->count == 0 || b->is_frozen ||
                  wri_contacts_solve_full(b, &set, &step->tasks, &world->scratch)) &&
                 ok;
        }
    }
    for (int i = 0; i < step->touch_count; i++) {
        wri_morph *b = wri_morph_of(world, step->touches[i].morph);
        b->statistics.touched += wr_length(step->touches[i].impulse) > 0.0f;
    }
    return ok;
}

bool wr_morph_world_step(wr_morph_world *world, wr_morph_step *step)
{
    pass p = {world, step};
    p.runs = wr_scratch_push(&world->scratch, (size_t)world->bodies.count, sizeof *p.runs);
    p.contacts = wr_scratch_push(&world->scratch, (size_t)step->touch_count, sizeof *p.contacts);
    bool ok = p.runs && p.contacts && find_runs(&p) && step_all(&p);
    wri_scratch_reset(&world->scratch);
    return ok;
}
