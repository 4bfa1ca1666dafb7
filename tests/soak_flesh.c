// soak_flesh.c: random scenes of flesh, looking for what breaks: bodies of all presets, from 1e3 to
// 1e8 Pa, a tenth to three times their size, and figures by physics alone, by clip and by torque,
// dropped and thrown onto the ground, bars, ridges, rigid bodies a hundred times lighter and
// heavier, metal and each other.
//
//     soak_flesh COUNT [FIRST]    scenes FIRST, FIRST + 1, ... of 1.25 seconds each
//
// One line per scene that fails, and a table at the end; status 1 when one failed. With
// $SOAK_VERBOSE a line for every scene. The scene of a seed is left in soak-flesh-SEED.scene.json
// in the folder $SOAK_KEEP when that is set.
#include "check.h"

#include "flesh_world.h"
#include "soak_world.h"

enum { MOST_BODIES = 3, MOST_NODES = 1400 };
enum { LUMPS, BY_PHYSICS, BY_CLIP, BY_TORQUE, ROWS }; // of the table

// Of the size of a body: how far bones, and in the end skin, may be in the ground; how far skin may
// be in it in a hit, when it comes by a step of 1/60 s at once; and from where its bones have it.
static const double MOST_SUNK = 0.05, MOST_HIT = 0.3, MOST_STRETCH = 2.0;
static const double MOST_PRESSED = 1.001; // layers: how far skin may be pressed in

// --- scenes -----------------------------------------------------------------------------------

typedef struct figure_kind {
    const char *name, *clip; // NULL: it has none
    double half;             // m: a ball around its origin has this radius
    double volume;           // m^3
    int nodes;
} figure_kind;

static const figure_kind FIGURES[] = {
    {"tube", NULL, 0.5, 0.0101, 290},
    {"deer-light", "walk", 2.0, 0.206, 1737},
    {"snake", "slither", 1.03, 0.0128, 3097},
    {"hand", NULL, 0.41, 0.00438, 4052}, // its clip presses it into itself, which takes minutes
};

enum { FIGURE_COUNT = WRI_COUNT(FIGURES) };

static const char *find_assets(wri_arena *arena)
{
    const char *folder = getenv("WROUGHT_SCENES");
    char *text = wri_arena_printf(arena, "'ridges': '%s/models/ridges.glb'", folder);
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const char *name = FIGURES[i].name;
        text = wri_arena_printf(arena, "%s, '%s': '%s/models/%s.glb'", text, name, folder, name);
    }
    return text;
}

// nodes: about how many a shape is to have, 0: those of its model.
static void add_material(maker *m, int nodes)
{
    int count = wri_flesh_material.preset_count;
    const char *preset = wri_flesh_material.presets[pick_int(m, count)].name;
    double friction = pick(m, 0, 1.2), density = pick_log(m, 100, 10000);
    double mass = density * m->volume;
    m->lightest = m->lightest > 0.0 ? fmin(m->lightest, mass) : mass;
    add(m, ", 'density': %.4g, 'friction': %.3g, 'material': {'flesh': '%s', 'spacing': %.4g",
        density, friction, preset, nodes > 0 ? sqrt(2000.0 / nodes) : 0.0);
    if (pick_int(m, 2)) {
        add(m, ", 'stiffness': '%.4g Pa'", pick_log(m, 1e3, 1e8));
    }
    if (pick_int(m, 4) == 0) {
        add(m, ", 'thickness': %.4g, 'poisson': %.3g, 'damping': %.4g", pick_log(m, 0.02, 0.5),
            pick(m, 0, 0.45), pick_int(m, 2) ? 0.0 : pick_log(m, 1e-4, 0.1));
    }
}

static void add_spin(maker *m)
{
    if (pick_int(m, 3) == 0) {
        double spin = pick_log(m, 30, 1000);
        add(m, ", 'spin': [%.4g, %.4g, %.4g]", pick(m, -spin, spin), pick(m, -spin, spin),
            pick(m, -spin, spin));
    }
}

static double pick_speed(maker *m)
{
    return pick_int(m, 3) ? sqrt(m->scale) * pick_log(m, 0.3, 6.0) : 0.0;
}

static void add_lump(maker *m, int nodes)
{
    double speed = pick_speed(m);
    add_shape(m);
    add_place(m, 0.55 * m->scale, speed);
    add_spin(m);
    add_material(m, nodes);
    add(m, "}}");
}

// True: a clip holds its bones, and what falls on it has nowhere to go.
static bool add_figure(maker *m, const figure_kind *kind)
{
    int way = pick_int(m, 4); // by clip, by torque, by physics
    double size = 0.5 * m->scale / kind->half;
    m->volume = size * size * size * kind->volume;
    add(m, ", {'asset': '%s', 'scale': %.5g", kind->name, size);
    if (kind->clip && way < 2) {
        add(m, ", 'at': [0, %.5g, 0], 'pose': {'clip': '%s', 'speed': %.3g}", m->top, kind->clip,
            pick(m, 0.3, 2));
        m->top += m->scale;
    } else {
        add_place(m, 0.55 * m->scale, pick_speed(m));
        add_spin(m);
    }
    add_material(m, 0);
    if (way == 1) {
        add(m, ", 'follow': 'by torque', 'torque': %.3g, 'balance': %.3g", pick_log(m, 1, 100),
            kind->clip ? pick(m, 0, 3) : 0.0);
    } else {
        add(m, ", 'joints': %.3g", pick_int(m, 3) ? pick_log(m, 0.01, 10) : 0.0);
    }
    add(m, "}}");
    return kind->clip && way == 0;
}

// Something fixed below all others.
static void add_fixed(maker *m)
{
    double s = m->scale;
    int kind = pick_int(m, 4);
    if (kind == 1) {
        add(m, ", {'shape': {'box': [%.4g, %.4g, %.4g]}, 'at': [0, %.4g, 0], 'motion': 'static'}",
            0.1 * s, 0.4 * s, 3.0 * s, 0.2 * s);
        m->top = 0.41 * s;
    } else if (kind == 2) {
        add(m, ", {'shape': {'sphere': %.4g}, 'at': [0, %.4g, 0], 'motion': 'static'}", 0.25 * s,
            0.25 * s);
        m->top = 0.51 * s;
    } else if (kind == 3) {
        add(m, ", {'asset': 'ridges', 'scale': %.4g, 'shape': 'mesh', 'motion': 'static'}", s);
        m->top = 0.3 * s;
    }
}

static const char *make_scene(wri_arena *arena, int number)
{
    maker m = {(uint64_t)number * 0x9e3779b97f4a7c15u + 1, arena, "", 0.0, 0.0, 0.0};
    random_bits(&m.seed);
    const figure_kind *figure = pick_int(&m, 4) ? NULL : &FIGURES[pick_int(&m, FIGURE_COUNT)];
    int bodies = figure ? 1 : 1 + pick_int(&m, MOST_BODIES);
    bool is_large = figure && figure->nodes > MOST_NODES; // fewer steps for as many nodes
    m.scale = pick_log(&m, 0.1, 3.0);
    add(&m, "'substeps': %d, 'bodies': [{'shape': 'plane', 'friction': %.3g}",
        is_large || pick_int(&m, 4) == 0 ? 1 : 4, pick(&m, 0, 1));
    add_fixed(&m);
    for (int i = 0; i < bodies; i++) {
        int other = pick_int(&m, 4);
        if (figure) {
            other = add_figure(&m, figure) ? -1 : other;
        } else {
            add_lump(&m, (int)pick_log(&m, 60, MOST_NODES / bodies));
        }
        if (other == 0) {
            add_rigid(&m);
        } else if (other == 1) {
            add_metal(&m);
        }
    }
    add(&m, "]");
    return m.text;
}

// --- what must hold ---------------------------------------------------------------------------

// Something brings energy in: a clip, or a pull towards one.
static bool is_driven(const wr_world *world)
{
    bool any = false;
    for (int i = 0; i < world->material_count; i++) {
        any = any || world->materials[i].is_posed;
    }
    return any;
}

static bounds find_bounds(const wr_world *world)
{
    bounds b = {.energy = fmax(world_energy(world), 1e-9)};
    double lightest = INFINITY, far = 0.0, size = 0.0;
    for (int i = 0; i < world->material_count; i++) {
        const wri_flesh *f = flesh_at(world, i);
        for (int k = 0; f && k < f->model->node_count; k++) {
            far = fmax(far, (double)wr_length(wri_flesh_place(f, k)));
        }
        lightest = f ? fmin(lightest, f->model->total_mass) : lightest;
        size = f ? fmax(size, (double)f->model->size) : size;
    }
    b.way = far + FRAMES / 60.0 * sqrt(2.0 * b.energy / lightest) + 10.0 * size;
    return b;
}

// NULL: nothing is wrong.
static const char *find_node_fault(const wri_flesh *f, int i, const bounds *b, double most_sunk)
{
    wr_vec3 x = wri_flesh_place(f, i);
    double size = (double)f->model->size, q = sqrt((double)f4_dot(f->q[i], f->q[i]));
    if (!((double)wr_length(x) < b->way)) { // no NaN passes
        return "skin ran away";
    }
    if (!((double)x.y > -most_sunk * size)) {
        return "skin passed the ground";
    }
    return q < MOST_STRETCH * size || most_sunk == INFINITY ? NULL : "skin is far from its bones";
}

static const char *find_flesh_fault(const wri_flesh *f, const bounds *b, bool driven, int frame)
{
    const char *fault = NULL;
    double most_sunk = driven ? INFINITY : frame < FRAMES ? MOST_HIT : MOST_SUNK;
    for (int i = 0; i < f->model->node_count && !fault; i++) {
        fault = find_node_fault(f, i, b, most_sunk);
    }
    for (int i = 0; i < f->model->bone_count && !fault; i++) {
        bool is_above = f->bones[i].c[1] > -MOST_SUNK * (double)f->model->size;
        fault = is_above || driven ? NULL : "a bone passed the ground";
    }
    return fault;
}

static const char *find_rigid_fault(const wr_world *world)
{
    const wr_scene *scene = world->scene;
    for (int i = 0; i < scene->body_count; i++) {
        const wr_scene_body *body = &scene->bodies[i];
        if (!body->material && body->rigid.motion == WR_MOTION_MOVING &&
            !(wr_rigid_center(world->rigid, world->engine_of_body[i]).y > 0.0f)) {
            return "a rigid body passed the ground";
        }
    }
    return NULL;
}

static void check(const wr_world *world, const bounds *b, int frame, outcome *o)
{
    bool driven = is_driven(world);
    const char *fault = find_rigid_fault(world);
    if (!driven) {
        check_energy(world, b, frame, o);
    }
    for (int i = 0; i < world->material_count && !fault; i++) {
        const wri_flesh *f = flesh_at(world, i);
        fault = world->materials[i].frozen ? "frozen"
                : f                        ? find_flesh_fault(f, b, driven, frame)
                                           : NULL;
        if (f && !driven) {
            o->deepest = fmax(o->deepest, flesh_deepest(f));
            fault = !fault && o->deepest > MOST_PRESSED ? "skin passed its core" : fault;
        }
    }
    if (fault) {
        snprintf(o->note, sizeof o->note, "%s", fault);
        o->frame = frame;
    }
}

// Nodes, and which row of the table the scene belongs to.
static void describe(const wr_world *world, outcome *o)
{
    for (int i = 0; i < world->material_count; i++) {
        const wri_flesh *f = flesh_at(world, i);
        o->count += f ? f->model->node_count : 0;
        if (f && f->model->bone_count > 1) {
            o->row = f->is_driven[0] ? BY_CLIP : is_driven(world) ? BY_TORQUE : BY_PHYSICS;
        }
    }
}

static const soak_kind KIND = {"flesh", make_scene, find_assets, find_bounds, check, describe};

// --- all of them ------------------------------------------------------------------------------

// The largest of something, and whose it was.
typedef struct record {
    double value;
    int seed;
} record;

typedef struct table_row {
    int scenes, failed;
    double seconds;
    record growth, deepest, longest;
} table_row;

static void note(record *r, double value, int seed)
{
    if (value > r->value) {
        *r = (record){value, seed};
    }
}

static void add_outcome(table_row *row, const outcome *o, int seed)
{
    row->scenes++;
    row->failed += o->frame >= 0;
    row->seconds += o->seconds;
    note(&row->growth, 100.0 * o->growth, seed);
    note(&row->deepest, o->deepest, seed);
    note(&row->longest, o->seconds, seed);
}

static void print_table(const table_row rows[static ROWS])
{
    static const char *const names[ROWS] = {"lumps", "figures by physics", "by clip", "by torque"};
    printf("%-20s %7s %7s %16s %22s %9s %16s\n", "flesh", "scenes", "failed", "growth, % (seed)",
           "pressed in, layers", "seconds", "slowest (seed)");
    for (int i = 0; i < ROWS; i++) {
        const table_row *r = &rows[i];
        printf("%-20s %7d %7d %9.3g (%4d) %15.3g (%4d) %9.0f %9.1f (%4d)\n", names[i], r->scenes,
               r->failed, r->growth.value, r->growth.seed, r->deepest.value, r->deepest.seed,
               r->seconds, r->longest.value, r->longest.seed);
    }
}

int main(int count, char **arguments)
{
    int scenes = count > 1 ? atoi(arguments[1]) : 300, first = count > 2 ? atoi(arguments[2]) : 1;
    int failed = 0;
    table_row rows[ROWS] = {0};
    if (!getenv("WROUGHT_SCENES")) {
        fprintf(stderr, "soak_flesh: WROUGHT_SCENES is not set\n");
        return 2;
    }
    temporary_folder folder = temporary_folder_create();
    for (int i = first; i < first + scenes; i++) {
        outcome o = run_scene(&KIND, i, folder.path);
        failed += o.frame >= 0;
        add_outcome(&rows[o.row], &o, i);
        if (o.frame >= 0 || getenv("SOAK_VERBOSE")) {
            printf("seed %d: %s%s, frame %d, %d nodes, energy growth %.3g %%, pressed in by %.3g "
                   "layers, %.1f s\n",
                   i, o.frame >= 0 ? "FAILED " : "", o.note, o.frame, o.count, 100.0 * o.growth,
                   o.deepest, o.seconds);
        }
        fflush(stdout);
    }
    print_table(rows);
    temporary_folder_destroy(&folder);
    return failed > 0;
}
