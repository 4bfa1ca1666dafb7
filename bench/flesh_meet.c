// flesh_meet.c: the two ways in which skins find each other, on what happens in the shipped scenes:
// nodes against triangles (src/flesh/meet.c) and contact planes (src/flesh/raster.c).
#include "flesh_bench.h"

#include "../src/flesh/meet.h"
#include "../src/world/flesh.h"
#include "../src/world/world.h"
#include "wrought/scene.h"

#include <math.h>
#include <stdio.h>

static const char *const SCENES[] = {"pumpkins", "tyres", "fist", "tubes"};
enum { ROUNDS = 3, QUICK_FRAMES = 60 };

typedef struct side {
    wri_meetings found;
    wr_scratch scratch;
    double seconds; // of all frames in which somebody met somebody
    double contacts, overlaps;
    double alone, alone_deep; // those of nodes that the other way finds nothing for
} side;

typedef struct duel {
    wr_flesh_world *world;
    int bodies;
    side sides[2];                 // exact, raster
    int frames;                    // with contacts
    double both, difference, most; // of overlaps that both find: number; depths, edges
} duel;

// Looks once. Bodies look at themselves, whether that is due or not.
static bool look(duel *d, wr_flesh_detection way)
{
    side *s = &d->sides[way];
    wri_scratch_reset(&s->scratch);
    s->found.list.count = 0;
    s->found.texel = WRI_FLESH_TEXEL;
    s->found.skin_count = d->bodies;
    s->found.skins = wr_scratch_push(&s->scratch, (size_t)d->bodies, sizeof(wri_skin));
    for (int i = 0; s->found.skins && i < d->bodies; i++) {
        wri_flesh *f = wri_flesh_of(d->world, i);
        f->detection = way;
        f->clear = 0.0f;
        s->found.skins[i] = (wri_skin){.f = f, .body = i};
    }
    return s->found.skins && wri_flesh_find_meetings(&s->found, &s->scratch);
}

static bool measure(duel *d, double seconds[2])
{
    bool ok = true;
    for (int way = 0; way < 2; way++) {
        seconds[way] = INFINITY;
        for (int round = 0; ok && round < ROUNDS; round++) {
            double start = bench_processor_seconds();
            ok = look(d, (wr_flesh_detection)way);
            seconds[way] = fmin(seconds[way], bench_processor_seconds() - start);
        }
    }
    return ok;
}

static void compare(duel *d)
{
    for (int way = 0; way < 2; way++) {
        side *s = &d->sides[way];
        const side *other = &d->sides[1 - way];
        for (int i = 0; i < s->found.list.count; i++) {
            const wri_flesh_contact *c = &WRI_ITEM(s->found.list, wri_flesh_contact, i);
            const wri_skin *skin = &other->found.skins[c->member];
            int met = skin->x ? skin->met[c->node] : -1;
            s->overlaps += c->gap < 0.0f;
            s->alone += met < 0;
            s->alone_deep += met < 0 && c->gap < 0.0f;
            if (way == 0 && met >= 0 && c->gap < 0.0f) {
                float gap = WRI_ITEM(other->found.list, wri_flesh_contact, met).gap;
                double off = (double)(fabsf(gap - c->gap) / skin->f->model->patches.edge);
                d->both += 1.0;
                d->difference += off;
                d->most = fmax(d->most, off);
            }
        }
        s->contacts += s->found.list.count;
    }
}

static bool add_frame(duel *d, float *clear)
{
    double seconds[2];
    for (int i = 0; i < d->bodies; i++) {
        clear[i] = wri_flesh_of(d->world, i)->clear;
    }
    bool ok = measure(d, seconds);
    if (ok && d->sides[0].found.list.count + d->sides[1].found.list.count > 0) {
        d->frames++;
        d->sides[0].seconds += seconds[0];
        d->sides[1].seconds += seconds[1];
        compare(d);
    }
    for (int i = 0; i < d->bodies; i++) { // the scene goes on as if nothing had been
        wri_flesh_of(d->world, i)->clear = clear[i];
        wri_flesh_of(d->world, i)->detection = WR_FLESH_EXACT;
    }
    return ok;
}

static void add_rows(const char *scene, const duel *d, bench_rows *rows)
{
    static const char *const WAYS[] = {"exact", "raster"};
    double frames = fmax(d->frames, 1.0);
    char name[64];
    for (int way = 0; way < 2; way++) {
        const side *s = &d->sides[way];
        snprintf(name, sizeof name, "detection in %s, %s", scene, WAYS[way]);
        bench_add_row(rows, name, "one thread", "ms per step", 1e3 * s->seconds / frames, NAN);
        bench_add_row(rows, name, "contacts", "per step", s->contacts / frames, NAN);
        bench_add_row(rows, name, "found by this alone", "per step", s->alone / frames, NAN);
        bench_add_row(rows, name, "overlaps", "per step", s->overlaps / frames, NAN);
        bench_add_row(rows, name, "overlaps, this alone", "per step", s->alone_deep / frames, NAN);
    }
    snprintf(name, sizeof name, "detection in %s, both", scene);
    bench_add_row(rows, name, "met", "frames", d->frames, NAN);
    bench_add_row(rows, name, "depths differ, mean", "edges", d->difference / fmax(d->both, 1.0),
                  NAN);
    bench_add_row(rows, name, "depths differ, most", "edges", d->most, NAN);
}

static bool run(const wr_scene *scene, wr_world *world, duel *d, const bench_options *options,
                wr_error *error)
{
    int frames = wr_scene_frame_count(scene), body;
    frames = options->full || frames < QUICK_FRAMES ? frames : QUICK_FRAMES;
    d->world = wri_flesh_world_of(world->materials[0].state, &body);
    while (wri_flesh_of(d->world, d->bodies)) {
        d->bodies++;
    }
    float *clear = wri_alloc(NULL, (size_t)d->bodies, sizeof *clear);
    bool ok = clear || wri_fail_memory(error, sizeof *clear);
    for (int i = 0; ok && i < frames; i++) {
        wr_world_step_frame(world);
        ok = bench_goes_on(options, error) && wr_world_check(world, error) &&
             (add_frame(d, clear) || wri_fail_memory(error, 0));
    }
    wri_free(NULL, clear, (size_t)d->bodies, sizeof *clear);
    return ok;
}

static bool add_scene(const char *name, const bench_options *options, bench_rows *rows,
                      wr_error *error)
{
    duel d = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.scene.json", options->scenes, name);
    wr_scene *scene = wr_scene_read(path, NULL, error);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    wr_world *world = scene ? wr_world_create(&desc, error) : NULL;
    for (int way = 0; way < 2; way++) {
        d.sides[way].scratch = wri_scratch_create(NULL);
        d.sides[way].found.list = wri_array_create(NULL, sizeof(wri_flesh_contact));
    }
    bool ok = world && run(scene, world, &d, options, error);
    if (ok) {
        add_rows(name, &d, rows);
    }
    for (int way = 0; way < 2; way++) {
        wri_scratch_destroy(&d.sides[way].scratch);
        wri_array_destroy(&d.sides[way].found.list);
    }
    wr_world_destroy(world);
    wr_scene_destroy(scene);
    return ok;
}

bool bench_flesh_meet(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bool ok = true;
    for (int i = 0; ok && options->scenes && i < WRI_COUNT(SCENES); i++) {
        ok = add_scene(SCENES[i], options, rows, error);
    }
    return ok;
}
