// soak_world.h: what random scenes of clay and of flesh share: shapes, places, other bodies, and
// the run of one scene. The world's own energy comes from clay_world.h or flesh_world.h, which are
// included before.
#pragma once

#include "soak.h"

enum { FRAMES = 75 };

static const double MOST_RATIO = 100.0; // of masses: of what is rigid to the lightest of flesh

static const double MOST_GROWTH = 0.02; // of the energy at the start

// --- bodies -----------------------------------------------------------------------------------

static inline void add_shape(maker *m)
{
    const double pi = (double)WR_PI, s = m->scale;
    int kind = pick_int(m, 4);
    if (kind == 0) {
        double radius = s * pick(m, 0.2, 0.35);
        add(m, ", {'shape': {'sphere': %.5g}", radius);
        m->volume = 4.0 / 3.0 * pi * radius * radius * radius;
    } else if (kind == 1) {
        double height = s * pick(m, 0.2, 0.6), radius = s * pick(m, 0.1, 0.3);
        add(m, ", {'shape': {'cylinder': {'radius': %.5g, 'height': %.5g}}", radius, height);
        m->volume = pi * radius * radius * height;
    } else {
        double z = s * pick(m, 0.15, 0.6), y = s * pick(m, 0.15, 0.6), x = s * pick(m, 0.15, 0.6);
        add(m, ", {'shape': {'box': [%.5g, %.5g, %.5g]}", x, y, z);
        m->volume = x * y * z;
    }
}

// Above all others, and somewhat beside them.
static inline void add_place(maker *m, double half, double speed)
{
    double turn = pick(m, 0.0, 6.28);
    add(m, ", 'at': [%.5g, %.5g, %.5g]", 0.3 * half * pick(m, -1, 1), m->top + half,
        0.3 * half * pick(m, -1, 1));
    add(m, ", 'turn': {'axis': [%.3g, %.3g, 1], 'by': %.4g}", pick(m, -1, 1), pick(m, -1, 1),
        pick(m, -180, 180));
    add(m, ", 'velocity': [%.4g, %.4g, %.4g]", 0.3 * speed * cos(turn), -speed,
        0.3 * speed * sin(turn));
    m->top += 2.0 * half;
}

static inline void add_rigid(maker *m)
{
    add_shape(m);
    add_place(m, 0.55 * m->scale, pick_int(m, 2) ? 0.0 : sqrt(m->scale) * pick(m, 0.5, 4));
    double density = pick_log(m, 30, 30000);
    if (m->lightest > 0.0) {
        density = fmin(density, MOST_RATIO * m->lightest / m->volume);
    }
    add(m, ", 'density': %.4g}", density);
}

static inline void add_metal(maker *m)
{
    add(m, ", {'asset': '%s', 'scale': %.5g", pick_int(m, 2) ? "barrel" : "crate", m->scale);
    add_place(m, 0.75 * m->scale, pick_int(m, 2) ? 0.0 : sqrt(m->scale) * pick(m, 0.5, 8));
    add(m, ", 'material': 'metal'}");
}

// --- what must hold ---------------------------------------------------------------------------

typedef struct bounds {
    double energy, way; // J, m: nothing can be farther from the origin
} bounds;

typedef struct outcome {
    char note[200];
    int frame; // at which it failed, -1: it did not
    int count; // of particles or nodes
    double seconds, growth;
    double deepest; // of flesh: layers that skin was pressed in by
    int row;        // in the table at the end
} outcome;

static inline void check_energy(const wr_world *world, const bounds *b, int frame, outcome *o)
{
    double growth = world_energy(world) - wr_world_stats(world).material_gain;
    growth = growth / b->energy - 1.0;
    o->growth = fmax(o->growth, growth);
    if (!(growth <= MOST_GROWTH)) {
        snprintf(o->note, sizeof o->note, "energy %+.3g %% of %g J", 100.0 * growth, b->energy);
        o->frame = frame;
    }
}

// --- a run ------------------------------------------------------------------------------------

typedef struct soak_kind {
    const char *name;                                  // in those of its files
    const char *(*make)(wri_arena *arena, int number); // what the scene says
    const char *(*find_assets)(wri_arena *arena);      // that it may name; NULL: none
    bounds (*find_bounds)(const wr_world *world);
    void (*check)(const wr_world *world, const bounds *b, int frame, outcome *o);
    void (*describe)(const wr_world *world, outcome *o); // when it has ended
} soak_kind;

static inline outcome run_scene(const soak_kind *kind, int number, const char *folder)
{
    wri_arena arena = wri_arena_create(NULL);
    outcome o = {.frame = -1};
    char path[700];
    wr_error error = {0};
    show s = {0};
    const char *keep = getenv("SOAK_KEEP");
    double start = wri_seconds();
    snprintf(path, sizeof path, "%s/soak-%s-%d.scene.json", keep ? keep : folder, kind->name,
             number);
    if (!show_start(&s, path, getenv("WROUGHT_SCENES"),
                    kind->find_assets ? kind->find_assets(&arena) : NULL,
                    kind->make(&arena, number), NULL, &error)) {
        snprintf(o.note, sizeof o.note, "%.190s", error.message);
        o.frame = 0;
    }
    bounds b = s.world ? kind->find_bounds(s.world) : (bounds){0};
    for (int i = 1; s.world && i <= FRAMES && o.frame < 0; i++) {
        wr_world_step_frame(s.world);
        kind->check(s.world, &b, i, &o);
    }
    if (s.world) {
        kind->describe(s.world, &o);
    }
    o.seconds = wri_seconds() - start;
    show_end(&s);
    if (!keep) {
        remove(path);
    }
    wri_arena_destroy(&arena);
    return o;
}
