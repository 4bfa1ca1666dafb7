// tune.c: bend and yield from a run in which nothing bends or breaks.
//
// yield = max(margin * resting, least * hardest); when contact at rest is so strong that this would
// leave nothing of the hits, 0.7 * hardest, and the family is said to be tight. Then the bend: the
// hits of every body above the yield are replayed, in order, on a fresh body of its asset, which
// adds up what hits near each other do; the bend is searched for that makes the largest weight of
// the family's bodies the wished share.
#include "tune.h"

#include "../base/parameter.h"
#include "../world/metal.h"

#include <stdlib.h>

enum { COOKIE = 0x57727475, REPLAYED_MAX = 256 };
#define TIGHT 0.7
#define BEND_MAX 20.0 // far beyond any metal: a hit that weak is none
#define RIGID 1e9     // fall speeds: a yield or a bond that nothing reaches

wr_tune_desc wr_tune_desc_default(void)
{
    return (wr_tune_desc){.share = 0.8,
                          .margin = 1.5,
                          .least = 0.15,
                          .allocator = *wr_allocator_default(),
                          .cookie = COOKIE};
}

// --- bodies and families ------------------------------------------------------------------------

static bool is_metal(const wr_scene_body *body)
{
    return body->material == &wri_metal_material;
}

static bool same_values(const wr_scene_body *a, const wr_scene_body *b)
{
    size_t count = (size_t)wri_metal_material.parameter_count;
    return a->asset == b->asset && a->scale == b->scale &&
           memcmp(a->values, b->values, count * sizeof *a->values) == 0 &&
           memcmp(a->is_real, b->is_real, count * sizeof *a->is_real) == 0;
}

static int find_family(const wr_tuning *t, const int *firsts, const wr_scene_body *body)
{
    for (int g = 0; g < t->family_count; g++) {
        if (same_values(&t->desc.scene->bodies[firsts[g]], body)) {
            return g;
        }
    }
    return t->family_count;
}

static int compare_bodies(const void *a, const void *b)
{
    const wr_tune_body *x = a, *y = b;
    return x->family != y->family ? (x->family > y->family) - (x->family < y->family)
                                  : (x->body > y->body) - (x->body < y->body);
}

static bool find_bodies(wr_tuning *t, wr_error *error)
{
    const wr_scene *scene = t->desc.scene;
    size_t room = (size_t)scene->body_count;
    int *firsts = wri_arena_alloc(&t->arena, room, sizeof *firsts);
    t->bodies = wri_arena_alloc(&t->arena, room, sizeof *t->bodies);
    t->watched = wri_arena_alloc(&t->arena, room, sizeof *t->watched);
    t->info = wri_arena_alloc(&t->arena, room, sizeof *t->info);
    t->hits = wri_arena_alloc(&t->arena, room, sizeof *t->hits);
    t->families = wri_arena_alloc(&t->arena, room, sizeof *t->families);
    if (!firsts || !t->bodies || !t->watched || !t->info || !t->hits || !t->families) {
        return wri_fail_memory(error, room * sizeof *t->info);
    }
    for (int i = 0; i < scene->body_count; i++) {
        t->hits[i] = wri_array_create(&t->arena.allocator, sizeof(wr_tune_hit));
        if (is_metal(&scene->bodies[i])) {
            int family = find_family(t, firsts, &scene->bodies[i]);
            firsts[family] = i;
            t->family_count += family == t->family_count;
            t->bodies[t->body_count++] =
                (wr_tune_body){.body = i, .family = family, .reached = NAN};
        }
    }
    if (t->body_count == 0) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "no body of the scene is of metal: there is nothing to tune");
    }
    qsort(t->bodies, (size_t)t->body_count, sizeof *t->bodies, compare_bodies);
    for (int i = t->body_count - 1; i >= 0; i--) {
        wr_tune_family *family = &t->families[t->bodies[i].family];
        family->first = i;
        family->count++;
        family->reached = NAN;
    }
    t->all = (wr_tune_family){.count = t->body_count, .reached = NAN};
    return true;
}

static int find_parameter(const char *name)
{
    const wr_parameter *table = wri_metal_material.parameters;
    return (int)(wri_parameter_find(table, wri_metal_material.parameter_count, name) - table);
}

// --- running ------------------------------------------------------------------------------------

// A copy of the scene with watched metal; values NULL: as it is.
typedef void values_fn(const wr_tuning *t, int body, double *values, bool *is_real);

static bool copy_scene(wr_tuning *t, const wr_scene *scene, values_fn *set, wr_error *error)
{
    size_t room = (size_t)scene->body_count, count = (size_t)wri_metal_material.parameter_count;
    wr_scene_body *bodies = wri_arena_alloc(&t->arena, room, sizeof *bodies);
    double *values = wri_arena_alloc(&t->arena, (size_t)t->body_count * count, sizeof *values);
    bool *is_real = wri_arena_alloc(&t->arena, (size_t)t->body_count * count, sizeof *is_real);
    if (!bodies || !values || !is_real) {
        return wri_fail_memory(error, room * sizeof *bodies);
    }
    memcpy(bodies, scene->bodies, room * sizeof *bodies);
    for (int i = 0; i < t->body_count; i++) {
        wr_scene_body *body = &bodies[t->bodies[i].body];
        memcpy(values, body->values, count * sizeof *values);
        memcpy(is_real, body->is_real, count * sizeof *is_real);
        if (set) {
            set(t, i, values, is_real);
        }
        body->material = &t->material;
        body->values = values;
        body->is_real = is_real;
        values += count;
        is_real += count;
    }
    t->scene = *scene;
    t->scene.bodies = bodies;
    return true;
}

static wri_watched *find_watched(const wr_tuning *t, int scene_body)
{
    int low = 0, high = t->world->material_count - 1; // in the order of the scene
    while (low < high) {
        int middle = (low + high) / 2;
        if (t->world->materials[middle].scene_body < scene_body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return t->world->materials[low].state;
}

static bool start_run(wr_tuning *t, wr_error *error)
{
    wr_world_destroy(t->world);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = &t->scene;
    desc.allocator = t->desc.allocator;
    desc.log = t->desc.log; // and no tasks: watching is for one thread
    t->world = wr_world_create(&desc, error);
    if (!t->world) {
        return false;
    }
    wri_array_destroy(&t->watch.disturbed);
    t->watch = (wri_watch){.world = t->world, .slow = INFINITY, .time = NAN};
    t->watch.disturbed = wri_array_create(&t->desc.allocator, sizeof(double));
    t->frame = 0;
    for (int i = 0; i < t->body_count; i++) {
        wri_watched *w = find_watched(t, t->bodies[i].body);
        w->watch = &t->watch;
        t->watched[i] = w;
        t->info[i] = wr_metal_asset_describe(w->metal->asset);
        t->watch.slow = fmin(t->watch.slow, 0.05 * (double)t->info[i].unit_speed);
        if (w->metal->parameters.yield_by != WR_METAL_YIELD_SPEED) {
            return wri_fail(error, WR_E_UNSUPPORTED,
                            "body \"%s\": tuning expects metal that yields by speed",
                            t->scene.bodies[t->bodies[i].body].name);
        }
    }
    return true;
}

static void make_rigid(const wr_tuning *t, int body, double *values, bool *is_real)
{
    (void)body;
    values[t->yield] = values[t->bonds] = RIGID;
    is_real[t->yield] = is_real[t->bonds] = false;
}

static void set_proposed(const wr_tuning *t, int body, double *values, bool *is_real)
{
    const wr_tune_family *family = &t->families[t->bodies[body].family];
    values[t->bend] = family->bend;
    values[t->yield] = is_real[t->yield] ? family->yield_speed : family->yield;
}

wr_tuning *wr_tuning_create(const wr_tune_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_tune_desc, desc, COOKIE) || !WRI_REQUIRE(error, desc->scene)) {
        return NULL;
    }
    if (!(desc->share > 0.0 && desc->share <= 1.0 && desc->margin >= 1.0 && desc->margin <= 100.0 &&
          desc->least >= 0.0 && desc->least <= 0.9)) {
        wri_fail(error, WR_E_ARGUMENT, "share %s, margin %s or least %s is out of range",
                 WRI_NUMBER(desc->share, 6), WRI_NUMBER(desc->margin, 6),
                 WRI_NUMBER(desc->least, 6));
        return NULL;
    }
    wri_arena arena = wri_arena_create(&desc->allocator);
    wr_tuning *t = wri_arena_alloc(&arena, 1, sizeof *t);
    if (!t) {
        wri_fail_memory(error, sizeof *t);
        return NULL;
    }
    t->arena = arena;
    t->desc = *desc;
    t->bend = find_parameter("bend");
    t->yield = find_parameter("yield");
    t->bonds = find_parameter("break");
    t->material = wri_watched_metal();
    if (!find_bodies(t, error) || !copy_scene(t, desc->scene, make_rigid, error) ||
        !start_run(t, error)) {
        wr_tuning_destroy(t);
        return NULL;
    }
    return t;
}

void wr_tuning_destroy(wr_tuning *t)
{
    if (t) {
        wr_world_destroy(t->world);
        wri_array_destroy(&t->watch.disturbed);
        for (int i = 0; t->hits && i < t->desc.scene->body_count; i++) {
            wri_array_destroy(&t->hits[i]);
        }
        wri_arena arena = t->arena;
        wri_arena_destroy(&arena);
    }
}

// Reads the results of the check so far.
static void read_check(wr_tuning *t)
{
    t->all.reached = t->all.crept = 0;
    for (int i = 0; i < t->body_count; i++) {
        wr_tune_body *body = &t->bodies[i];
        wr_tune_family *family = &t->families[body->family];
        body->reached = t->watched[i]->reached;
        body->crept = t->watched[i]->crept;
        family->reached = fmax(i == family->first ? 0.0 : family->reached, body->reached);
        family->crept = (i == family->first ? 0 : family->crept) + body->crept;
        t->all.reached = fmax(t->all.reached, body->reached);
        t->all.crept += body->crept;
    }
}

bool wr_tuning_step(wr_tuning *t, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "tuning", t)) {
        return false;
    }
    wr_world_step_frame(t->world);
    t->frame++;
    if (t->is_checking) {
        read_check(t);
    }
    return wr_world_check(t->world, error);
}

int wr_tuning_frame(const wr_tuning *t)
{
    return t->frame;
}

// --- the proposal -------------------------------------------------------------------------------

static int compare_times(const void *a, const void *b)
{
    double x = ((const wri_hit *)a)->time, y = ((const wri_hit *)b)->time;
    return (x > y) - (x < y);
}

static int compare_speeds(const void *a, const void *b)
{
    double x = ((const wri_hit *)a)->speed, y = ((const wri_hit *)b)->speed;
    return (x < y) - (x > y);
}

// Leaves the hardest hits, in the order of time.
static void sort_hits(wri_watched *w)
{
    if (w->hits.count == 0) {
        return;
    }
    qsort(w->hits.items, (size_t)w->hits.count, sizeof(wri_hit), compare_speeds);
    w->hits.count = w->hits.count > REPLAYED_MAX ? REPLAYED_MAX : w->hits.count;
    qsort(w->hits.items, (size_t)w->hits.count, sizeof(wri_hit), compare_times);
}

static double hardest(const wri_watched *w)
{
    double most = 0.0;
    for (int i = 0; i < w->hits.count; i++) {
        most = fmax(most, WRI_ITEM(w->hits, wri_hit, i).speed);
    }
    return most;
}

// The largest weight after the hits of a body, each on its own.
static bool replay(wri_watched *w, double yield, double bend, double *share, wr_error *error)
{
    const wr_metal *metal = w->metal;
    const wr_metal_asset *asset = metal->asset;
    wr_metal_desc desc = wr_metal_desc_default();
    desc.asset = metal->asset;
    desc.parameters = metal->parameters;
    desc.parameters.yield = (float)yield;
    desc.parameters.bend = (float)bend;
    desc.mass = metal->mass;
    desc.allocator = &w->allocator;
    wr_metal *body = wr_metal_create(&desc, error);
    if (!body) {
        return false;
    }
    *share = 0.0;
    for (int i = 0; i < w->hits.count; i++) {
        wri_hit *hit = &WRI_ITEM(w->hits, wri_hit, i);
        hit->share = 0.0;
        float size =
            (float)(hit->speed * wri_metal_hit_mass(metal, metal->mass) * (double)asset->v_L);
        if (hit->speed > yield * (double)asset->yield_min) {
            wr_metal_add_impulse(body, hit->point, wr_scale(size, hit->direction));
            wr_metal_step(body, 1e-4f * asset->t_L);
            hit->share = wri_largest_goal(body);
            *share = fmax(*share, hit->share);
            wr_metal_step(body, 100.0f * asset->t_L); // forgotten, and all of it has appeared
        }
    }
    wr_metal_destroy(body);
    return true;
}

static bool replay_all(const wr_tuning *t, const wr_tune_family *family, double bend, double *share,
                       wr_error *error)
{
    *share = 0.0;
    for (int i = family->first; i < family->first + family->count; i++) {
        double one;
        if (!replay(t->watched[i], family->yield, bend, &one, error)) {
            return false;
        }
        *share = fmax(*share, one);
    }
    return true;
}

// Three digits; up: not less than the value.
static double rounded(double value, bool up)
{
    if (!(value > 0.0)) {
        return 0.0;
    }
    double unit = pow(10.0, floor(log10(value)) - 2.0);
    double digits = value / unit;
    digits = up ? ceil(digits - 1e-6) : round(digits);
    return unit < 1.0 ? digits / round(1.0 / unit) : digits * unit;
}

// Weights grow with the bend, almost in proportion until they fill up; a bracket keeps it honest.
static bool find_bend(const wr_tuning *t, wr_tune_family *family, wr_error *error)
{
    double low = 0.0, high = INFINITY, bend = 1.0, share;
    for (int round = 0; round < 20; round++) {
        if (!replay_all(t, family, bend, &share, error)) {
            return false;
        }
        if (fabs(share - t->desc.share) < 0.004) {
            break;
        }
        *(share < t->desc.share ? &low : &high) = bend;
        double next = bend * fmin(fmax(t->desc.share / fmax(share, 1e-9), 0.1), 10.0);
        if (!(next > low && next < high)) {
            next = isinf(high) ? 2.0 * bend : low > 0.0 ? sqrt(low * high) : 0.5 * high;
        }
        if (low >= BEND_MAX) { // no hit moves an example that far
            break;
        }
        bend = fmin(next, BEND_MAX);
    }
    family->is_tuned = share > 0.01;
    family->is_limited = family->is_tuned && low >= BEND_MAX;
    family->bend = rounded(bend, false);
    return true;
}

// No hit says how far it is to bend: only a yield that contact at rest would pass is raised.
static void keep_values(const wr_tuning *t, wr_tune_family *family, double resting)
{
    const wr_scene_body *body = &t->desc.scene->bodies[t->bodies[family->first].body];
    double unit = (double)t->info[family->first].unit_speed, yield = body->values[t->yield];
    bool is_real = body->is_real[t->yield];
    double relative = is_real ? yield / unit : yield, wished = t->desc.margin * resting;
    family->bend = body->values[t->bend];
    family->yield = fmax(relative, rounded(wished, true));
    family->is_kept = family->yield == relative;
    family->yield_speed = family->yield > relative ? rounded(family->yield * unit, true)
                          : is_real                ? yield
                                                   : relative * unit;
}

static bool propose(wr_tuning *t, wr_tune_family *family, wr_error *error)
{
    double most = 0.0, resting = 0.0;
    bool one_size = true;
    family->hits = 0;
    family->is_kept = false;
    family->hardest = family->resting = family->expected = 0.0;
    for (int i = family->first; i < family->first + family->count; i++) {
        const wri_watched *w = t->watched[i];
        most = fmax(most, hardest(w));
        resting = fmax(resting, w->resting);
        one_size = one_size && t->info[i].unit_speed == t->info[family->first].unit_speed;
        family->hardest = fmax(family->hardest, hardest(w) * (double)t->info[i].unit_speed);
        family->resting = fmax(family->resting, w->resting * (double)t->info[i].unit_speed);
    }
    double least = fmax(t->desc.least * most, 1e-3), wished = fmax(t->desc.margin * resting, least);
    family->is_tight = most > 0.0 && wished > TIGHT * most;
    family->yield =
        rounded(family->is_tight && most > resting ? fmax(TIGHT * most, resting) : wished, true);
    family->yield_speed =
        one_size ? rounded(family->yield * (double)t->info[family->first].unit_speed, true) : NAN;
    if (!find_bend(t, family, error)) {
        return false;
    }
    if (!family->is_tuned) {
        keep_values(t, family, resting);
    }
    return true;
}

// Keeps the hits of a body, whose watch the check begins anew.
static bool keep_hits(wr_tuning *t, int index, wr_error *error)
{
    const wri_watched *w = t->watched[index];
    wri_array *kept = &t->hits[index];
    kept->count = 0;
    wr_tune_hit *out = wri_array_add(kept, w->hits.count);
    for (int i = 0; out && i < w->hits.count; i++) {
        const wri_hit *hit = &WRI_ITEM(w->hits, wri_hit, i);
        out[i] = (wr_tune_hit){.time = hit->time,
                               .speed = hit->speed * (double)t->info[index].unit_speed,
                               .expected = hit->share};
    }
    return out || w->hits.count == 0 || wri_fail_memory(error, (size_t)w->hits.count * sizeof *out);
}

static bool expect(wr_tuning *t, int index, wr_tune_family *family, wr_error *error)
{
    wr_tune_body *body = &t->bodies[index];
    wri_watched *w = t->watched[index];
    double unit = (double)t->info[index].unit_speed;
    body->hardest = hardest(w) * unit;
    body->resting = w->resting * unit;
    body->load = w->load;
    body->hits = 0;
    for (int i = 0; i < w->hits.count; i++) {
        body->hits += WRI_ITEM(w->hits, wri_hit, i).speed > family->yield;
    }
    family->hits += body->hits;
    if (!replay(w, family->yield, family->bend, &body->expected, error)) {
        return false;
    }
    family->expected = fmax(family->expected, body->expected);
    return keep_hits(t, index, error);
}

static void take_values(wr_tuning *t, wr_tune_family *family)
{
    family->yield = t->all.yield;
    family->yield_speed = rounded(t->all.yield * (double)t->info[family->first].unit_speed, true);
    family->bend = t->all.bend;
    family->is_tuned = true;
    family->is_kept = false;
    family->is_limited = t->all.is_limited;
}

bool wr_tuning_propose(wr_tuning *t, bool together, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "tuning", t)) {
        return false;
    }
    WR_ASSERT(!t->is_checking);
    for (int i = 0; i < t->body_count; i++) {
        wri_watched_finish(t->watched[i]);
        sort_hits(t->watched[i]);
    }
    if (t->watch.failed) {
        return wri_fail_memory(error, sizeof(wri_hit));
    }
    if (!propose(t, &t->all, error)) {
        return false;
    }
    for (int g = 0; g < t->family_count; g++) {
        wr_tune_family *family = &t->families[g];
        bool ok = propose(t, family, error);
        if (ok && together && t->all.is_tuned) {
            take_values(t, family);
        }
        for (int i = family->first; ok && i < family->first + family->count; i++) {
            ok = expect(t, i, family, error);
        }
        if (!ok) {
            return false;
        }
    }
    for (int i = 0; i < t->body_count; i++) { // as the one set of values would have it
        double one;
        wri_watched *w = t->watched[i];
        if (!replay(w, t->all.yield, t->all.bend, &one, error)) {
            return false;
        }
        t->all.expected = fmax(t->all.expected, one);
        for (int k = 0; k < w->hits.count; k++) {
            t->all.hits += WRI_ITEM(w->hits, wri_hit, k).speed > t->all.yield;
        }
    }
    return true;
}

bool wr_tuning_check(wr_tuning *t, const wr_scene *scene, wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "tuning", t)) {
        return false;
    }
    if (scene && scene->body_count != t->desc.scene->body_count) {
        return wri_fail(error, WR_E_ARGUMENT, "the scene to check has %d bodies, expected %d",
                        scene->body_count, t->desc.scene->body_count);
    }
    for (int i = 0; scene && i < t->body_count; i++) {
        if (!is_metal(&scene->bodies[t->bodies[i].body])) {
            return wri_fail(error, WR_E_ARGUMENT, "body %d of the scene to check is not of metal",
                            t->bodies[i].body + 1);
        }
    }
    t->is_checking = true;
    if (!copy_scene(t, scene ? scene : t->desc.scene, scene ? NULL : set_proposed, error) ||
        !start_run(t, error)) {
        return false;
    }
    read_check(t);
    return true;
}

// --- questions ----------------------------------------------------------------------------------

const wr_tune_body *wr_tuning_bodies(const wr_tuning *t, int *count)
{
    *count = t->body_count;
    return t->bodies;
}

const wr_tune_family *wr_tuning_families(const wr_tuning *t, int *count)
{
    *count = t->family_count;
    return t->families;
}

const wr_tune_hit *wr_tuning_hits(const wr_tuning *t, int body, int *count)
{
    *count = t->hits[body].count;
    return t->hits[body].items;
}

const wr_tune_family *wr_tuning_all(const wr_tuning *t)
{
    return &t->all;
}
