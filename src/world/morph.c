// morph.c: morph as a material of the world: all of a scene live in one world of morph, whose bones
// follow their pose sources, the simulated bones of flesh among them, and whose skin is stepped
// against copies of the rigid bodies that it touches.
#include "morph.h"

#include "../base/os.h"
#include "../morph/morph.h"
#include "bone_pose.h"
#include "morph_body.h"
#include "morph_parameters.h"
#include "morph_scalars.h"
#include "world.h"

enum { TOUCHES_MAX = 2 };

static const float BALL = 1e-3f;   // of the size: radius of the balls that vertices are
static const float MARGIN = 0.02f; // of the size: what is nearer may be met in a step
static const float WILD = 10.0f;   // sizes per step: skin as fast as that has lost its way

// --- the ensemble -----------------------------------------------------------------------------

static void destroy_ensemble(void *state)
{
    wri_morph_ensemble *g = state;
    if (g) {
        const wr_allocator a = g->allocator;
        wri_array_destroy(&g->nearness);
        wri_array_destroy(&g->meetings);
        wri_array_destroy(&g->met);
        wri_array_destroy(&g->pairs);
        wr_morph_world_destroy(g->world);
        wri_free(&a, g, 1, sizeof *g);
    }
}

static void *create_ensemble(const wr_ensemble_desc *desc, wr_error *error)
{
    wri_morph_ensemble *g = wri_alloc(&desc->allocator, 1, sizeof *g);
    if (!g) {
        wri_fail_memory(error, sizeof *g);
        return NULL;
    }
    g->allocator = desc->allocator;
    g->nearness = wri_array_create(&g->allocator, sizeof(wri_nearness));
    g->meetings = wri_array_create(&g->allocator, sizeof(wr_morph_meeting));
    g->met = wri_array_create(&g->allocator, sizeof(wri_morph_met));
    g->pairs = wri_array_create(&g->allocator, sizeof(wri_morph_pair));
    g->world = wr_morph_world_create(&g->allocator, error);
    if (!g->world) {
        destroy_ensemble(g);
        return NULL;
    }
    return g;
}

// --- poses, scalars, forces -------------------------------------------------------------------

static void find_poses(wri_morph_body *b, const wr_handle_pose *poses)
{
    for (int i = 0; i < b->shared->data->bone_count; i++) {
        b->poses[i] = poses ? wri_bone_pose(b->start, b->scale, &b->skeleton.handles[i], &poses[i])
                            : b->start;
    }
}

static void find_scalars(wri_morph_body *b, const wri_scalar_moment *moment)
{
    for (int i = 0; b->setup && i < b->setup->scalar_count; i++) {
        b->scalars[i] = wri_scalar_value(&b->setup->scalars[i], moment);
    }
}

static void drive(wri_morph_body *b, const wr_material_step *step, float dt)
{
    const wri_scalar_moment moment = {.skeleton = &b->skeleton,
                                      .scale = b->scale,
                                      .begin = step->pose_begin,
                                      .end = step->pose_end,
                                      .time = step->time + (double)dt,
                                      .dt = dt,
                                      .untouched = b->own.untouched};
    if (step->pose_end) {
        find_poses(b, step->pose_end);
    }
    find_scalars(b, &moment);
    wr_morph_drive(b->ensemble->world, b->body, step->pose_end ? b->poses : NULL, b->scalars);
}

static void push(const wri_morph_body *b, const wr_material_step *step, float dt)
{
    for (int i = 0; b->setup && i < b->setup->force_count; i++) {
        const wri_morph_force *f = &b->setup->forces[i];
        const wri_morph_pushed *p = &b->pushed[i];
        for (int k = 0; k < p->count && step->time >= f->from && step->time < f->to; k++) {
            wr_morph_push(b->ensemble->world, b->body, p->vertices[k],
                          wr_scale(dt / (float)p->count, f->force));
        }
    }
}

// Cubic forces may feed energy to stiff skin that long steps cannot follow. Before it is no longer
// a number it starts anew from the shape that belongs to its pose: a body that was frozen for good
// would be a statue under a skeleton that goes on. The log hears of it.
static void calm(wri_morph_body *b)
{
    wr_morph_put(b->ensemble->world, b->body, NULL, NULL);
    b->own.calmed++;
    b->is_skinned = false;
}

static bool is_wild(const wri_morph_body *b, float dt)
{
    const wri_morph_shared *s = b->shared;
    bool wild = false;
    for (int i = 0; i < s->touching_count && !wild; i++) {
        wr_vec3 velocity = wr_morph_velocity(b->ensemble->world, b->body, s->touching[i]);
        wild = !(dt * wr_length(velocity) < WILD * (float)s->size);
    }
    return wild;
}

// --- a step -----------------------------------------------------------------------------------

// What passes between skin and the rigid bodies it touches, for one step.
typedef struct exchange {
    wr_morph_step inner;
    wri_copies copies;
} exchange;

static void add_touches(exchange *x, const wri_morph_body *b, const wr_material_step *step)
{
    for (int i = 0; i < step->touch_count; i++) {
        const wr_touch *t = &step->touches[i];
        int copy = wri_copies_take(&x->copies, step, i);
        x->inner.touches[x->inner.touch_count++] =
            (wr_morph_touch){.morph = b->body,
                             .vertex = b->shared->touching[t->ball],
                             .body = copy,
                             .point = t->point,
                             .normal = t->normal,
                             .friction = sqrtf(b->friction * t->friction),
                             .restitution = sqrtf(b->restitution * t->restitution)};
    }
}

static bool begin(exchange *x, const wr_ensemble_step *step)
{
    wr_scratch *scratch = step->work.scratch;
    *x = (exchange){.inner = wr_morph_step_default()};
    if (!wri_copies_begin(&x->copies, step)) {
        return false;
    }
    size_t touches = (size_t)x->copies.touch_count;
    x->inner.gravity = step->steps[0].gravity;
    x->inner.wind = step->steps[0].wind;
    x->inner.bodies = x->copies.bodies;
    x->inner.touches = wr_scratch_push(scratch, touches, sizeof *x->inner.touches);
    return x->inner.touches;
}

// The number of touches in which something was pushed.
static int end(exchange *x, wr_push_list *pushes)
{
    int count = 0;
    for (int i = 0; i < x->inner.touch_count; i++) {
        const wr_morph_touch *t = &x->inner.touches[i];
        count += wri_copies_push(&x->copies, i, t->body, t->impulse, pushes);
    }
    wri_copies_end(&x->copies, pushes);
    return count;
}

// Touches of a body lie one after another, in the order of the members.
static void end_members(const exchange *x, const wr_ensemble_step *step)
{
    int at = 0;
    for (int i = 0; i < step->member_count; i++) {
        wri_morph_body *b = step->members[i];
        b->own.untouched += step->dt;
        for (int k = 0; k < step->steps[i].touch_count; k++, at++) {
            const wr_vec3 *impulse = &x->inner.touches[at].impulse;
            b->own.untouched = wr_dot(*impulse, *impulse) > 0.0f ? 0.0f : b->own.untouched;
        }
        b->is_skinned = false;
        if (!b->is_frozen && !wr_morph_is_sound(b->ensemble->world, b->body)) {
            calm(b);
        }
    }
}

static void step_ensemble(void *state, const wr_ensemble_step *step)
{
    wri_morph_ensemble *g = state;
    double start = wri_seconds();
    exchange x;
    if (begin(&x, step)) { // else it waits until there is memory again
        for (int i = 0; i < step->member_count; i++) {
            wri_morph_body *b = step->members[i];
            drive(b, &step->steps[i], step->dt);
            push(b, &step->steps[i], step->dt);
            add_touches(&x, b, &step->steps[i]);
        }
        x.inner.body_count = x.copies.count;
        if (!wri_morph_find_meetings(g, step, &x.copies, &x.inner)) {
            x.inner.meeting_count = 0; // no memory: they pass through each other this once
        }
        const wr_tasks *tasks = wri_sharing_begin(&g->sharing, &step->work.tasks);
        x.inner.tasks = tasks ? *tasks : (wr_tasks){0};
        wr_morph_world_step(g->world, &x.inner);
        wri_sharing_end(&g->sharing);
        end_members(&x, step);
        int met = wri_morph_end_meetings(g, step, &x.inner);
        *step->tally = (wr_ensemble_tally){end(&x, step->pushes) + met, 1};
    }
    g->seconds = wri_seconds() - start;
}

// --- bodies -----------------------------------------------------------------------------------

static void destroy(void *state)
{
    wri_morph_body *b = state;
    if (b) {
        const wr_allocator a = b->allocator;
        const wri_morph_shared *s = b->shared;
        size_t vertices = (size_t)s->data->vertex_count, bones = (size_t)s->data->bone_count;
        wr_morph_remove(b->ensemble->world, b->body);
        for (int i = 0; b->pushed && b->setup && i < b->setup->force_count; i++) {
            wri_free(&a, b->pushed[i].vertices, (size_t)b->pushed[i].count, sizeof(int));
        }
        wri_free(&a, b->pushed, b->setup ? (size_t)b->setup->force_count : 0, sizeof *b->pushed);
        wri_free(&a, b->poses, bones, sizeof *b->poses);
        wri_free(&a, b->bones, bones, sizeof *b->bones);
        wri_free(&a, b->balls, (size_t)s->touching_count, sizeof *b->balls);
        wri_free(&a, b->points, (size_t)s->touching_count, sizeof *b->points);
        wri_free(&a, b->vertices, vertices, sizeof *b->vertices);
        wri_free(&a, b->displacements, vertices, sizeof *b->displacements);
        wri_free(&a, b, 1, sizeof *b);
    }
}

static int list_near(const wr_morph_data *d, wr_vec3 at, float radius, int *out)
{
    int count = 0, nearest = 0;
    for (int i = 0; i < d->vertex_count; i++) {
        float distance = wr_distance(d->vertices[i], at);
        nearest = distance < wr_distance(d->vertices[nearest], at) ? i : nearest;
        if (distance <= radius) {
            if (out) {
                out[count] = i;
            }
            count++;
        }
    }
    if (count == 0 && out) {
        out[0] = nearest;
    }
    return count > 0 ? count : 1;
}

static bool find_pushed(wri_morph_body *b, wr_error *error)
{
    const wr_morph_data *d = b->shared->data;
    int count = b->setup ? b->setup->force_count : 0;
    b->pushed = wri_alloc(&b->allocator, (size_t)count, sizeof *b->pushed);
    bool ok = b->pushed != NULL;
    for (int i = 0; i < count && ok; i++) {
        const wri_morph_force *f = &b->setup->forces[i];
        wr_vec3 at = wr_scale(b->scale, f->at);
        float radius = b->scale * (float)f->radius;
        int near = list_near(d, at, radius, NULL);
        b->pushed[i].vertices = wri_alloc(&b->allocator, (size_t)near, sizeof(int));
        ok = b->pushed[i].vertices != NULL;
        b->pushed[i].count = ok ? list_near(d, at, radius, b->pushed[i].vertices) : 0;
    }
    return ok || wri_fail_memory(error, (size_t)d->vertex_count * sizeof(int));
}

static bool fill(wri_morph_body *b, const wr_material_desc *desc, wr_error *error)
{
    const wri_morph_shared *s = b->shared;
    size_t vertices = (size_t)s->data->vertex_count, bones = (size_t)s->data->bone_count;
    b->poses = wri_alloc(&b->allocator, bones, sizeof *b->poses);
    b->bones = wri_alloc(&b->allocator, bones, sizeof *b->bones);
    b->balls = wri_alloc(&b->allocator, (size_t)s->touching_count, sizeof *b->balls);
    b->points = wri_alloc(&b->allocator, (size_t)s->touching_count, sizeof *b->points);
    b->vertices = wri_alloc(&b->allocator, vertices, sizeof *b->vertices);
    b->displacements = wri_alloc(&b->allocator, vertices, sizeof *b->displacements);
    if (!b->poses || !b->bones || !b->balls || !b->points || !b->vertices || !b->displacements) {
        return wri_fail_memory(error, vertices * sizeof *b->vertices);
    }
    if (!find_pushed(b, error)) {
        return false;
    }
    wr_error why = {0};
    b->body = wr_morph_add(b->ensemble->world, s->model, &why);
    if (b->body < 0) {
        return wri_fail(error, why.code, "body \"%s\": %s", desc->name, why.message);
    }
    const wri_scalar_moment moment = {.skeleton = &b->skeleton,
                                      .scale = b->scale,
                                      .begin = desc->handle_poses,
                                      .end = desc->handle_poses,
                                      .dt = desc->dt,
                                      .untouched = b->own.untouched};
    find_poses(b, desc->handle_poses);
    find_scalars(b, &moment);
    wr_morph_put(b->ensemble->world, b->body, b->poses, b->scalars);
    return true;
}

static void *create(const wr_material_desc *desc, wr_error *error)
{
    wri_morph_body *b = wri_alloc(&desc->allocator, 1, sizeof *b);
    if (!b) {
        wri_fail_memory(error, sizeof *b);
        return NULL;
    }
    *b = (wri_morph_body){.allocator = desc->allocator,
                          .ensemble = desc->ensemble,
                          .shared = desc->shared,
                          .setup = desc->setup,
                          .mesh = desc->model->meshes,
                          .skeleton = desc->skeleton ? *desc->skeleton : (wr_skeleton){0},
                          .start = desc->pose,
                          .scale = desc->scale,
                          .friction = desc->friction,
                          .restitution = desc->restitution,
                          .group = desc->group,
                          .collides = desc->collides,
                          .body = -1,
                          .own = {.untouched = INFINITY}};
    if (!fill(b, desc, error)) {
        destroy(b);
        return NULL;
    }
    return b;
}

wr_morph_world *wri_morph_world_of(const void *state, int *body)
{
    const wri_morph_body *b = state;
    *body = b->body;
    return b->ensemble->world;
}

static wr_ball_set balls(void *state, float dt)
{
    wri_morph_body *b = state;
    const wri_morph_shared *s = b->shared;
    const wr_morph_world *world = b->ensemble->world;
    float size = (float)s->size;
    if (!b->is_frozen && is_wild(b, dt)) {
        calm(b);
    }
    for (int i = 0; i < s->touching_count; i++) {
        wr_vec3 at = wr_morph_position(world, b->body, s->touching[i]);
        wr_vec3 velocity = wr_morph_velocity(world, b->body, s->touching[i]);
        b->balls[i] = (wr_ball){at, BALL * size, wr_scale(dt, velocity)};
    }
    return (wr_ball_set){b->balls, s->touching_count, MARGIN * size, TOUCHES_MAX};
}

static wr_boundary boundary(void *state, float dt, const wr_work *work)
{
    (void)dt;
    (void)work;
    return wri_morph_boundary(state);
}

static void apply_impulses(void *state, const wr_boundary_impulse *impulses, int count)
{
    wri_morph_body *b = state;
    for (int i = 0; i < count; i++) {
        wr_morph_push(b->ensemble->world, b->body, b->shared->touching[impulses[i].point],
                      impulses[i].impulse);
        b->own.untouched = 0.0f;
    }
}

// --- what it shows and keeps ------------------------------------------------------------------

static void find_surface(wri_morph_body *b)
{
    const wr_morph_world *world = b->ensemble->world;
    wri_morph_draw(wri_morph_of(world, b->body), NULL,
                   (wri_morph_drawn){.displacements = b->displacements, .places = b->vertices});
    for (int i = 0; i < b->shared->data->bone_count; i++) {
        b->bones[i] = wr_morph_bone_pose(world, b->body, i);
    }
    b->is_skinned = true;
}

static wr_material_surface surface(const void *state)
{
    wri_morph_body *b = (wri_morph_body *)(uintptr_t)state;
    if (!b->is_skinned) {
        find_surface(b);
    }
    int count = b->shared->data->vertex_count;
    return (wr_material_surface){.part = -1,
                                 .vertex_count = count,
                                 .positions = b->vertices,
                                 .changed_end = count,
                                 .skin = &b->shared->skin,
                                 .bones = b->bones,
                                 .displacements = b->displacements};
}

static wr_material_statistics statistics(const void *state)
{
    const wri_morph_body *b = state;
    wr_morph_statistics s = wr_morph_describe(b->ensemble->world, b->body);
    return (wr_material_statistics){.work_seconds = b->ensemble->seconds,
                                    .energy = s.elastic_energy,
                                    .active = wr_morph_model_freedom(b->shared->model),
                                    .trouble = b->own.calmed,
                                    .speed = (float)sqrt(2.0 * s.motion_energy / b->shared->mass)};
}

static bool is_sound(const void *state)
{
    const wri_morph_body *b = state;
    return wr_morph_is_sound(b->ensemble->world, b->body);
}

static const char *warning(const void *state)
{
    const wri_morph_body *b = state;
    return b->own.calmed > 0 ? "moved faster than its steps can follow and was put back into its "
                               "shape; more \"substeps\", \"damping\" or \"newmark\" help"
                             : NULL;
}

static void freeze(void *state)
{
    wri_morph_body *b = state;
    b->is_frozen = true;
    wr_morph_freeze(b->ensemble->world, b->body);
}

static uint64_t hash(const void *state)
{
    const wri_morph_body *b = state;
    return wri_hash(&b->own, sizeof b->own, wr_morph_hash(b->ensemble->world, b->body));
}

static size_t size(const void *state)
{
    const wri_morph_body *b = state;
    return sizeof b->own + wr_morph_save_size(b->ensemble->world, b->body);
}

static void save(const void *state, void *bytes)
{
    const wri_morph_body *b = state;
    memcpy(bytes, &b->own, sizeof b->own);
    wr_morph_save(b->ensemble->world, b->body, (char *)bytes + sizeof b->own);
}

static bool restore(void *state, const void *bytes, size_t byte_count, wr_error *error)
{
    wri_morph_body *b = state;
    size_t head = sizeof b->own;
    if (byte_count < head) {
        return wri_fail(error, WR_E_FORMAT, "a body of morph in %zu bytes, expected more",
                        byte_count);
    }
    if (!wr_morph_restore(b->ensemble->world, b->body, (const char *)bytes + head,
                          byte_count - head, error)) {
        return false;
    }
    memcpy(&b->own, bytes, head);
    b->is_skinned = b->is_frozen = false;
    return true;
}

const wr_material wri_morph_material = {
    .table_size = sizeof(wr_material),
    .name = "morph",
    .about = "Its shape and firmness change with its pose.",
    .parameters = wri_morph_parameters,
    .parameter_count = WRI_MORPH_PARAMETERS,
    .presets = wri_morph_presets,
    .preset_count = WRI_COUNT(wri_morph_presets),
    .follows_pose = true,
    .meets_boundaries = true,
    .ignores_stretch = true,
    .create_ensemble = create_ensemble,
    .destroy_ensemble = destroy_ensemble,
    .step_ensemble = step_ensemble,
    .create_shared = wri_morph_create_shared,
    .destroy_shared = wri_morph_destroy_shared,
    .can_share = wri_morph_can_share,
    .create = create,
    .destroy = destroy,
    .balls = balls,
    .boundary = boundary,
    .apply_impulses = apply_impulses,
    .surface = surface,
    .statistics = statistics,
    .warning = warning,
    .is_sound = is_sound,
    .freeze = freeze,
    .hash = hash,
    .size = size,
    .save = save,
    .restore = restore,
};
