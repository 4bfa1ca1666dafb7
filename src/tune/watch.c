// watch.c: metal with an eye on every hit.
//
// Wraps metal's table of functions. After each step the sums that metal's yield is compared with
// are read; a peak of such a sum is a hit. A body is calm while it, and everything that touches it
// directly or through others, has been slow for a quarter of its fall time and stays so as long;
// what its sums do then is contact at rest.
#include "tune.h"

#include "../world/metal.h"

#include <stdlib.h>

#define FLOOR 0.01 // fall speeds: weaker hits are not worth remembering
enum { HITS_MAX = 4096 };

// --- disturbance --------------------------------------------------------------------------------

static double speed_of(const wr_rigid *rigid, int engine)
{
    wr_vec3 size = wr_box_size(wr_rigid_bounds(rigid, engine));
    float r = 0.5f * fmaxf(size.x, fmaxf(size.y, size.z));
    return (double)(wr_length(wr_rigid_velocity(rigid, engine)) +
                    r * wr_length(wr_rigid_angular_velocity(rigid, engine)));
}

static bool is_static(const wr_world *world, int engine)
{
    return !wri_part_of_engine(world, engine) &&
           world->scene->bodies[WRI_ITEM(world->record_of_engine, int, engine)].rigid.motion ==
               WR_MOTION_STATIC;
}

static bool grow(wri_watch *watch, int count)
{
    while (watch->disturbed.count < count) {
        double *item = wri_array_add(&watch->disturbed, 1);
        if (!item) {
            watch->failed = true;
            return false;
        }
        *item = -INFINITY;
    }
    return true;
}

// Contacts carry it on by one body per step, which is soon enough: calm is only believed later.
static void note_disturbance(wri_watch *watch, double time)
{
    const wr_world *world = watch->world;
    if (watch->time == time || !grow(watch, world->owner_of_engine.count)) {
        return;
    }
    watch->time = time;
    double *d = watch->disturbed.items;
    for (int e = 0; e < watch->disturbed.count; e++) {
        bool still = is_static(world, e) || wr_rigid_is_asleep(world->rigid, e);
        if (!still && speed_of(world->rigid, e) > watch->slow) {
            d[e] = time;
        }
    }
    int count;
    const wr_contact *contacts = wr_rigid_contacts(world->rigid, &count);
    for (int i = 0; i < count; i++) {
        int a = contacts[i].body_a, b = contacts[i].body_b;
        if (contacts[i].normal_impulse > 0.0f && !is_static(world, a) && !is_static(world, b)) {
            d[a] = d[b] = fmax(d[a], d[b]);
        }
    }
}

static void close_stretch(wri_watched *body, const wri_stretch *s, double settle)
{
    double disturbed = WRI_ITEM(body->watch->disturbed, double, body->engine);
    if (disturbed < s->start - settle) {
        body->resting = fmax(body->resting, s->most);
        body->load = fmax(body->load, s->load);
        body->crept += s->hits;
    }
}

static double settle_time(const wri_watched *body)
{
    return 0.25 * (double)body->metal->asset->t_L;
}

// --- hits ---------------------------------------------------------------------------------------

static int compare_hardest(const void *a, const void *b)
{
    double x = ((const wri_hit *)a)->speed, y = ((const wri_hit *)b)->speed;
    return (x < y) - (x > y);
}

static void keep_hit(wri_watched *body, wri_peak *peak)
{
    peak->is_up = false;
    if (body->hits.count == HITS_MAX) { // the weaker half will not be missed
        qsort(body->hits.items, HITS_MAX, sizeof(wri_hit), compare_hardest);
        body->hits.count = HITS_MAX / 2;
    }
    wri_hit *hit = wri_array_add(&body->hits, 1);
    if (hit) {
        *hit = peak->hit;
    } else {
        body->watch->failed = true;
    }
}

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// A peak is over when the sum has fallen to half of it, and another begins when it has risen again.
static void follow(wri_watched *body, wri_peak *peak, const wri_patch *patch, double time)
{
    const wr_metal *metal = body->metal;
    double size = length3(patch->window_impulse),
           speed = size / (wri_metal_hit_mass(metal, metal->mass) * (double)metal->asset->v_L);
    double weight = metal->mass * WRI_GRAVITY;
    body->now.most = fmax(body->now.most, speed);
    body->now.load = fmax(body->now.load, length3(patch->load) / weight);
    bool rises = peak->is_up ? speed > peak->hit.speed : speed > 1.5 * peak->low + FLOOR;
    if (rises) {
        const double *p = patch->point, *s = patch->window_impulse;
        peak->is_up = true;
        peak->hit =
            (wri_hit){time, speed, wr_v3((float)p[0], (float)p[1], (float)p[2]),
                      wr_v3((float)(s[0] / size), (float)(s[1] / size), (float)(s[2] / size))};
    } else if (peak->is_up && speed < 0.5 * peak->hit.speed) {
        keep_hit(body, peak);
        peak->low = speed;
    }
    peak->low = peak->is_up ? 0.0 : fmin(peak->low, speed);
}

double wri_largest_goal(const wr_metal *metal)
{
    size_t count = (size_t)metal->asset->N * (size_t)metal->asset->C;
    uint16_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most = metal->goal[i] > most ? metal->goal[i] : most;
    }
    return (double)most / WRI_METAL_ONE;
}

static void advance(void *state, const wr_material_step *step)
{
    note_disturbance(((wri_watched *)state)->watch, step->time);
}

static void take_contacts(void *state, const wr_material_step *step)
{
    wri_metal_material.take_contacts(((wri_watched *)state)->inner, step);
}

// Metal drops patches that are spent and keeps the order of the others, whose points do not move in
// a step: so they are found again.
static void end_step(void *state, const wr_material_step *step)
{
    wri_watched *body = state;
    const wr_metal *metal = body->metal;
    double points[WRI_METAL_PATCHES][3], time = step->time + (double)step->dt;
    body->engine = step->part_bodies[0];
    int count = metal->patch_count, left = 0;
    for (int i = 0; i < count; i++) {
        memcpy(points[i], metal->patches[i].point, sizeof points[i]);
        if (i >= body->peak_count) {
            body->peaks[i] = (wri_peak){0};
        }
    }
    wri_metal_material.end_step(body->inner, step);
    for (int i = 0; i < count; i++) {
        wri_peak peak = body->peaks[i];
        const wri_patch *patch = left < metal->patch_count ? &metal->patches[left] : NULL;
        if (patch && memcmp(patch->point, points[i], sizeof points[i]) == 0) {
            follow(body, &peak, patch, time);
            body->peaks[left++] = peak;
        } else if (peak.is_up) {
            keep_hit(body, &peak);
        }
    }
    body->peak_count = left;
    if (metal->statistics.hits > 0) {
        body->now.hits += metal->statistics.hits;
        body->reached = fmax(body->reached, wri_largest_goal(metal));
    }
    double settle = settle_time(body);
    if (time - body->now.start >= settle) {
        close_stretch(body, &body->last, settle);
        body->last = body->now;
        body->now = (wri_stretch){.start = time};
    }
}

void wri_watched_finish(wri_watched *body)
{
    for (int i = 0; i < body->peak_count; i++) {
        if (body->peaks[i].is_up) {
            keep_hit(body, &body->peaks[i]);
        }
    }
    body->peak_count = 0;
    if (body->engine < body->watch->disturbed.count) {
        close_stretch(body, &body->last, settle_time(body));
        close_stretch(body, &body->now, settle_time(body));
    }
}

// --- the rest is metal's ------------------------------------------------------------------------

static void destroy(void *state)
{
    wri_watched *body = state;
    if (body) {
        const wr_allocator a = body->allocator;
        wri_metal_material.destroy(body->inner);
        wri_array_destroy(&body->hits);
        wri_free(&a, body, 1, sizeof *body);
    }
}

static void *create_shared(const wr_material_desc *desc, wr_error *error)
{
    return wri_metal_material.create_shared(desc, error);
}

static void destroy_shared(void *shared)
{
    wri_metal_material.destroy_shared(shared);
}

static void *create(const wr_material_desc *desc, wr_error *error)
{
    wri_watched *body = wri_alloc(&desc->allocator, 1, sizeof *body);
    if (!body) {
        wri_fail_memory(error, sizeof *body);
        return NULL;
    }
    body->allocator = desc->allocator;
    body->hits = wri_array_create(&desc->allocator, sizeof(wri_hit));
    body->inner = wri_metal_material.create(desc, error);
    if (!body->inner) {
        destroy(body);
        return NULL;
    }
    body->metal = wri_metal_of(body->inner);
    body->last.start = -INFINITY; // nothing happened in it
    return body;
}

static const void *inner(const void *state)
{
    return ((const wri_watched *)state)->inner;
}

static const wr_material_part *parts(const void *state, int *count)
{
    return wri_metal_material.parts(inner(state), count);
}

static const wr_material_joint *joints(const void *state, int *count)
{
    return wri_metal_material.joints(inner(state), count);
}

static void take_joint_impulse(void *state, int joint, wr_vec3 impulse)
{
    wri_metal_material.take_joint_impulse(((wri_watched *)state)->inner, joint, impulse);
}

static void take_load(void *state, const wr_load *load)
{
    wri_metal_material.take_load(((wri_watched *)state)->inner, load);
}

static int part_at(const void *state, wr_vec3 at)
{
    return wri_metal_material.part_at(inner(state), at);
}

static wr_material_surface surface(const void *state)
{
    return wri_metal_material.surface(inner(state));
}

static bool is_sound(const void *state)
{
    return wri_metal_material.is_sound(inner(state));
}

static uint64_t hash(const void *state)
{
    return wri_metal_material.hash(inner(state));
}

static size_t size(const void *state)
{
    return wri_metal_material.size(inner(state));
}

static void save(const void *state, void *bytes)
{
    wri_metal_material.save(inner(state), bytes);
}

static bool restore(void *state, const void *bytes, size_t byte_count, wr_error *error)
{
    return wri_metal_material.restore(((wri_watched *)state)->inner, bytes, byte_count, error);
}

wr_material wri_watched_metal(void)
{
    const wr_material *m = &wri_metal_material;
    return (wr_material){
        .table_size = m->table_size,
        .name = m->name,
        .about = m->about,
        .parameters = m->parameters,
        .parameter_count = m->parameter_count,
        .presets = m->presets,
        .preset_count = m->preset_count,
        .create_shared = create_shared,
        .destroy_shared = destroy_shared,
        .create = create,
        .destroy = destroy,
        .parts = parts,
        .joints = joints,
        .take_joint_impulse = take_joint_impulse,
        .take_load = take_load,
        .part_at = part_at,
        .advance = advance,
        .take_contacts = take_contacts,
        .end_step = end_step,
        .surface = surface,
        .is_sound = is_sound,
        .hash = hash,
        .size = size,
        .save = save,
        .restore = restore,
    };
}
