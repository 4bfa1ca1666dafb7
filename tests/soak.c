// soak.c: random scenes of metal, looking for what breaks: bodies of the demo assets, stacked,
// thrown, spinning, shot at walls with up to 200 m/s, a hundredth to a hundred times their size,
// with any preset and parameter. In every eighth scene what breaks is joined by ties.
//
//     soak COUNT [FIRST]    scenes FIRST, FIRST + 1, ... of 5 seconds each
//
// One line per scene that fails, with what went wrong and how to repeat it, and a table at the end;
// status 1 when one failed. With $SOAK_VERBOSE a line for every scene. The scene of a seed is left
// in soak-SEED.scene.json in the folder $SOAK_KEEP when that is set.
#include "check.h"
#include "soak.h"

#include "../bench/metal_world.h"
#include "../src/rigid/engine.h"

#include <math.h>

enum { FRAMES = 300, MOST_BODIES = 8 };

// Of the energy at the start, or of the least that counts. In all nothing may be gained; within one
// frame a dent that grows into a neighbour, or two that met too fast, are pushed apart, which is
// work that no body had before.
static const double MOST_GROWTH = 0.01, MOST_RISE = 0.05;

static const double REST_SPEED = 0.02;     // in the engine's units; slower bodies may sleep there
static const double LEAST_FRAGMENT = 1e-3; // of a body's mass

static const char *scenes_folder(void)
{
    return getenv("WROUGHT_SCENES");
}

// --- scenes -----------------------------------------------------------------------------------

static const char *const assets[] = {"barrel", "crate", "container", "beam", "barrel-breaking"};
// From the middle to the farthest corner, metres.
static const double halves[] = {0.54, 0.70, 3.75, 2.05, 0.54};

// A preset, and now and then some numbers of its own, wild ones among them.
static void add_material(maker *m)
{
    static const struct {
        const char *name;
        double low, high;
    } numbers[] = {{"bend", 0.01, 50},    {"yield", 0.001, 3}, {"fade", 0.001, 3},
                   {"bounce", 0.001, 1},  {"absorb", 0.1, 50}, {"recover", 0.01, 50},
                   {"focus", 0.01, 1},    {"patch", 0.01, 2},  {"window", 0.001, 1},
                   {"carries", 0.1, 100}, {"break", 0.01, 5}};
    int count;
    const wr_preset *presets = wr_metal_presets(&count);
    add(m, ", 'material': {'metal': '%s'", presets[pick_int(m, count)].name);
    for (int i = 0; i < WRI_COUNT(numbers); i++) {
        if (pick_int(m, 6) == 0) {
            double value = pick_int(m, 8) ? pick_log(m, numbers[i].low, numbers[i].high) : 0.0;
            add(m, ", '%s': %.4g", numbers[i].name, value);
        }
    }
    add(m, "%s}", m->tied ? ", 'joined': 'ties'" : "");
}

static void add_turn(maker *m)
{
    add(m, ", 'turn': {'axis': [%.3g, %.3g, 1], 'by': %.4g}", pick(m, -1, 1), pick(m, -1, 1),
        pick(m, -180, 180));
}

static void add_motion(maker *m, double speed)
{
    double turn = pick(m, 0, 6.28), rise = pick(m, -1, 0.3);
    add(m, ", 'velocity': [%.5g, %.5g, %.5g]", speed * cos(turn) * sqrt(1 - rise * rise),
        speed * rise, speed * sin(turn) * sqrt(1 - rise * rise));
    if (pick_int(m, 2)) {
        double spin = pick_log(m, 10, 6000);
        add(m, ", 'spin': [%.4g, %.4g, %.4g]", pick(m, -spin, spin), pick(m, -spin, spin),
            pick(m, -spin, spin));
    }
}

// Above all others, so that nothing overlaps at the start.
static void add_thrown(maker *m, int asset, double speed)
{
    double half = 1.02 * halves[asset] * m->scale;
    add(m, ", {'asset': '%s', 'scale': %.6g, 'at': [%.4g, %.6g, %.4g]", assets[asset], m->scale,
        0.5 * half * pick(m, -1, 1), m->top + half, 0.5 * half * pick(m, -1, 1));
    m->top += 2.0 * half;
    add_turn(m);
    add_motion(m, speed);
    add_material(m);
    add(m, "}");
}

// Upright crates, exactly on top of each other, and then something falls on them.
static void add_stack(maker *m, int count)
{
    double side = 0.8 * m->scale;
    add(m, ", {'asset': 'crate', 'scale': %.6g, 'at': [0, %.8g, 0]", m->scale, 0.5 * side);
    add_material(m);
    add(m, ", 'copies': {'count': %d, 'step': [0, %.8g, 0]}}", count, side);
    m->top = fmax(m->top, 1.02 * side * count);
}

static void add_wall(maker *m)
{
    double size = 6.0 * m->scale;
    add(m,
        ", {'shape': {'box': [%.5g, %.5g, %.5g]}, 'at': [%.5g, %.5g, 0], 'motion': 'static', "
        "'restitution': %.3g}",
        0.3 * size, 2 * size, 4 * size, 1.6 * size, size, pick(m, 0, 1));
}

// How fast the things of this scene are: a few fall speeds, or up to 200 m/s.
static double pick_speed(maker *m)
{
    double fall = sqrt(2.0 * 9.81 * m->scale);
    return pick_int(m, 3) ? pick_log(m, 0.1 * fall, 10.0 * fall) : pick_log(m, 1.0, 200.0);
}

static const char *make_scene(wri_arena *arena, int number)
{
    maker m = {.seed = (uint64_t)number * 0x9E3779B97F4A7C15u + 1,
               .arena = arena,
               .text = "",
               .tied = number % 8 == 0};
    random_bits(&m.seed);
    bool space = pick_int(&m, 8) == 0;
    m.scale = pick_int(&m, 2) ? pick_log(&m, 0.01, 100.0) : 1.0;
    add(&m,
        "'name': 'soak %d', 'sleeping': %s, 'gravity': [0, %s, 0], 'bodies': [{'shape': "
        "'plane', 'restitution': %.3g}",
        number, pick_int(&m, 2) ? "true" : "false", space ? "0" : "-9.81", pick(&m, 0, 1));
    if (pick_int(&m, 3) == 0) {
        add_wall(&m);
    }
    int count = 1 + pick_int(&m, 4);
    if (pick_int(&m, 3) == 0) {
        add_stack(&m, 2 + pick_int(&m, MOST_BODIES - 4 - 2));
        count = 1 + pick_int(&m, 2);
    }
    double speed = pick_speed(&m);
    int asset = pick_int(&m, WRI_COUNT(assets));
    for (int i = 0; i < count; i++) {
        asset = pick_int(&m, 3) ? asset : pick_int(&m, WRI_COUNT(assets));
        add_thrown(&m, asset, pick_int(&m, 3) ? speed : 0.0);
    }
    add(&m, "]");
    return m.text;
}

// --- what must hold ---------------------------------------------------------------------------

typedef struct bounds {
    double start;  // J, energy at the start, above the ground
    double energy; // J, that gains are compared with
    double speed;  // m/s: nothing can be faster
    double way;    // metres: nothing can be farther from the origin
    double size;   // metres, of the largest body
} bounds;

// Where nothing moves and nothing falls there is no energy at the start, and bodies that touch are
// pushed apart by what they overlap, a ten-thousandth of their size. What all have together when
// they are as slow as what may sleep is the least energy that the engine tells from rest.
static bounds find_bounds(const wr_world *world)
{
    bounds b = {.start = total_energy(world)};
    double lightest = INFINITY, far = 0.0, rest = 0.0;
    double slow = REST_SPEED * wri_unit_speed(&world->rigid->units);
    for (int i = 0; i < metal_count(world); i++) {
        const wr_metal *body = metal_at(world, i);
        rest += 0.5 * body->mass * slow * slow;
        lightest = fmin(lightest, body->mass * LEAST_FRAGMENT);
        b.size = fmax(b.size, (double)body->asset->L);
        far = fmax(far, (double)wr_length(wr_rigid_center(world->rigid, metal_engine(world, i))));
    }
    b.energy = fmax(b.start, rest);
    b.speed = sqrt(2.0 * b.energy / lightest); // all energy in the lightest
    b.way = far + FRAMES / 60.0 * b.speed + 10.0 * b.size;
    return b;
}

// NULL: nothing is wrong. `thorough`: weights, too.
static const char *find_trouble(const wr_world *world, const bounds *b, bool thorough,
                                char note[static 200])
{
    for (int i = 0; i < metal_count(world); i++) {
        const wri_material_body *body = &world->materials[i];
        const char *fault = thorough ? find_fault(metal_at(world, i)) : NULL;
        for (int k = 0; k < body->part_count; k++) {
            wr_vec3 at = wr_rigid_center(world->rigid, body->part_bodies[k]);
            if (body->frozen) {
                fault = "frozen";
            } else if (!wr_pose_is_finite(wr_rigid_pose(world->rigid, body->part_bodies[k]))) {
                fault = "not finite";
            } else if (!((double)wr_length(at) <= b->way)) {
                fault = "farther away than it can have flown";
            } else if (!((double)at.y > -0.5 * (double)metal_at(world, i)->asset->L)) {
                fault = "fell through the ground";
            }
        }
        if (fault) {
            snprintf(note, 200, "body %d: %s", i, fault);
            return note;
        }
    }
    return NULL;
}

typedef struct outcome {
    char note[200];
    int frame; // at which it failed, -1: it did not
    double seconds;
    double growth, rise; // J / J: above the start, and within one frame
    double gain;         // J / J: by changes of shape
    int64_t hits, breaks, too_fast;
} outcome;

// Nothing in these scenes brings energy but changes of shape: crumpling draws a spinning body
// together, and with the same momentum it has more energy then; and a dent moves the centre of mass
// up or down. That is work its insides did, and it is told. What else there is comes from numbers:
// overlaps are moved apart, and lift what is above them; a substep of another length shifts places
// against speeds.
static const char *check_energy(const wr_world *world, const bounds *b, double *last, outcome *o)
{
    double now = total_energy(world) - wr_world_stats(world).material_gain;
    double growth = (now - b->start) / b->energy, rise = (now - *last) / b->energy;
    o->growth = fmax(o->growth, growth);
    o->rise = fmax(o->rise, rise);
    *last = now;
    if (growth <= MOST_GROWTH && rise <= MOST_RISE) { // no NaN passes
        return NULL;
    }
    snprintf(o->note, sizeof o->note, "energy %g J, %g J at the start, %+.3g %% in one frame", now,
             b->start, 100.0 * rise);
    return o->note;
}

static outcome run_scene(int number, const char *folder)
{
    wri_arena arena = wri_arena_create(NULL);
    outcome o = {.frame = -1};
    char path[700];
    wr_error error = {0};
    show s = {0};
    const char *keep = getenv("SOAK_KEEP");
    double start = wri_seconds();
    snprintf(path, sizeof path, "%s/soak-%d.scene.json", keep ? keep : folder, number);
    if (!show_start(&s, path, scenes_folder(), NULL, make_scene(&arena, number), NULL, &error)) {
        snprintf(o.note, sizeof o.note, "%.190s", error.message);
        o.frame = 0;
    }
    bounds b = s.world ? find_bounds(s.world) : (bounds){0};
    double last = b.start;
    for (int i = 1; s.world && i <= FRAMES && o.frame < 0; i++) {
        wr_world_step_frame(s.world);
        if (check_energy(s.world, &b, &last, &o) ||
            find_trouble(s.world, &b, i % 30 == 0, o.note)) {
            o.frame = i;
        }
    }
    for (int i = 0; s.world && i < metal_count(s.world); i++) {
        o.hits += metal_at(s.world, i)->statistics.hits_total;
        o.breaks += metal_at(s.world, i)->broken_count;
    }
    o.too_fast = s.world ? wr_world_stats(s.world).too_fast : 0;
    o.gain = s.world ? wr_world_stats(s.world).material_gain / b.energy : 0.0;
    o.seconds = wri_seconds() - start;
    show_end(&s);
    if (!keep) {
        remove(path);
    }
    wri_arena_destroy(&arena);
    return o;
}

// --- all of them --------------------------------------------------------------------------------

// The largest of something, and whose it was.
typedef struct record {
    double value;
    int seed;
} record;

typedef struct table {
    int scenes, failed, fast, breaking;
    int64_t hits, breaks;
    double seconds;
    record growth, rise, gain, longest;
} table;

static void note(record *r, double value, int seed)
{
    if (value > r->value) {
        *r = (record){value, seed};
    }
}

static void add_outcome(table *t, const outcome *o, int seed)
{
    t->scenes++;
    t->failed += o->frame >= 0;
    t->fast += o->too_fast > 0;
    t->breaking += o->breaks > 0;
    t->hits += o->hits;
    t->breaks += o->breaks;
    t->seconds += o->seconds;
    note(&t->growth, 100.0 * o->growth, seed);
    note(&t->rise, 100.0 * o->rise, seed);
    note(&t->gain, 100.0 * o->gain, seed);
    note(&t->longest, o->seconds, seed);
}

static void print_table(const table *t)
{
    printf("scenes                       %12d\n", t->scenes);
    printf("failed                       %12d\n", t->failed);
    printf("too fast for 64 substeps     %12d\n", t->fast);
    printf("hits                         %12lld\n", (long long)t->hits);
    printf("bonds broken                 %12lld  in %d scenes\n", (long long)t->breaks,
           t->breaking);
    printf("energy growth, %%             %12.3g  seed %d\n", t->growth.value, t->growth.seed);
    printf("in one frame, %%              %12.3g  seed %d\n", t->rise.value, t->rise.seed);
    printf("by changes of shape, %%       %12.3g  seed %d\n", t->gain.value, t->gain.seed);
    printf("seconds                      %12.0f\n", t->seconds);
    printf("slowest, s                   %12.1f  seed %d\n", t->longest.value, t->longest.seed);
}

int main(int count, char **arguments)
{
    int scenes = count > 1 ? atoi(arguments[1]) : 1000, first = count > 2 ? atoi(arguments[2]) : 1;
    table t = {0};
    if (!scenes_folder()) {
        fprintf(stderr, "soak: WROUGHT_SCENES is not set\n");
        return 2;
    }
    temporary_folder folder = temporary_folder_create();
    for (int i = first; i < first + scenes; i++) {
        outcome o = run_scene(i, folder.path);
        add_outcome(&t, &o, i);
        if (o.frame >= 0) {
            printf("seed %d: frame %d: %s%s; make soak COUNT=1 FIRST=%d\n", i, o.frame, o.note,
                   o.too_fast ? " (too fast for the substeps)" : "", i);
        }
        if (getenv("SOAK_VERBOSE")) {
            printf("seed %d: %.2f s, %lld hits, %lld steps too fast, energy growth %.3g %%, in one "
                   "frame %.3g %%\n",
                   i, o.seconds, (long long)o.hits, (long long)o.too_fast, 100.0 * o.growth,
                   100.0 * o.rise);
        }
        fflush(stdout);
        fprintf(stderr, "\rsoak %d/%d, %d failed", t.scenes, scenes, t.failed);
    }
    fprintf(stderr, "\n");
    print_table(&t);
    temporary_folder_destroy(&folder);
    return t.failed > 0;
}
