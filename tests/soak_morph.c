// soak_morph.c: random scenes of morph, looking for what breaks: arms and jelly in all ways to
// solve them, a thousandth to a thousand times as stiff, a tenth to ten times their size, moved by
// clips at up to five times their speed and along paths that jump, pushed, blown at, hit by rigid
// bodies a hundred times lighter and heavier, and by metal.
//
//     soak_morph COUNT [FIRST]    scenes FIRST, FIRST + 1, ... of 1.25 seconds each
//
// One line per scene that fails, and a line at the end; status 1 when one failed. With
// $SOAK_VERBOSE a line for every scene. The scene of a seed is left in soak-morph-SEED.scene.json
// in the folder $SOAK_KEEP when that is set.
#include "check.h"

#include "../bench/metal_world.h"
#include "../src/world/morph.h"

static double world_energy(const wr_world *world)
{
    (void)world; // bones that are driven bring in any amount
    return 0.0;
}

#include "soak_world.h"

enum { MOST_BODIES = 3, MOST_VERTICES = 2000 };

// --- scenes -----------------------------------------------------------------------------------

typedef struct kind {
    const char *asset, *clips[2];
    bool has_scalar;
} kind;

static const kind KINDS[] = {
    {"elbow", {"bend", "curl"}, false},
    {"soft", {"bend", "curl"}, false},
    {"jelly", {"sway", "nod"}, true},
};

static const char *find_assets(wri_arena *arena)
{
    const char *folder = getenv("WROUGHT_SCENES");
    return wri_arena_printf(arena,
                            "'elbow': '%s/elbow.recipe.json', 'soft': "
                            "'%s/elbow-soft.recipe.json', 'jelly': '%s/jelly.recipe.json'",
                            folder, folder, folder);
}

// Full bodies with cubic forces take a hundred times as long as others: few of them will do.
static void add_material(maker *m)
{
    int count = wri_morph_material.preset_count, way = pick_int(m, 32);
    bool is_full = way < 7, is_cubic = way < 1 || way > 20;
    add(m,
        ", 'density': %.4g, 'friction': %.3g, 'material': {'morph': '%s', 'stiffness': %.4g, "
        "'damping': %.4g, 'freedom': '%s', 'elasticity': '%s', 'between': '%s', 'targets': '%s', "
        "'newmark': %.3g, 'touch_points': %d",
        pick_log(m, 100, 10000), pick(m, 0, 1.2),
        wri_morph_material.presets[pick_int(m, count)].name, pick_log(m, 1e-3, 1e3),
        pick_int(m, 3) ? pick_log(m, 1e-4, 0.1) : 0.0, is_full ? "full" : "reduced",
        is_cubic ? "stvk" : "linear", pick_int(m, 2) ? "shapes" : "forces",
        pick_int(m, 4) ? "all" : "none", pick_int(m, 2) ? 0.5 : 0.6, 20 + pick_int(m, 200));
    if (pick_int(m, 3) == 0) {
        add(m, ", 'air': %.4g", pick_log(m, 0.01, 100));
    }
    add(m, "}");
}

// A path in even steps, or one that jumps.
static void add_path(maker *m)
{
    double s = m->scale, step = pick_int(m, 3) ? 0.3 : 0.01;
    add(m, ", 'path': [");
    for (int i = 0; i < 4; i++) {
        add(m,
            "%s{'time': %.4g, 'at': [%.4g, %.4g, %.4g], 'turn': {'axis': [1, %.3g, 2], 'by': "
            "%.4g}}",
            i ? ", " : "", i * step, s * pick(m, -1, 1), m->top + s * pick(m, 0, 1),
            s * pick(m, -1, 1), pick(m, -1, 1), pick(m, -90, 90));
    }
    add(m, "]");
}

static void add_scalar(maker *m)
{
    int way = pick_int(m, 4);
    add(m, ", 'scalars': {'angry': ");
    if (way == 0) {
        add(m, "%.4g}", pick(m, -3, 3));
    } else if (way == 1) {
        add(m, "[{'time': 0, 'value': 0}, {'time': 0.5, 'value': %.4g}]}", pick(m, -10, 10));
    } else {
        add(m, way == 2 ? "{'touched': 0.5}}" : "{'speed': 'head'}}");
    }
}

static void add_body(maker *m)
{
    const kind *k = &KINDS[pick_int(m, WRI_COUNT(KINDS))];
    double s = m->scale;
    add(m, ", {'asset': '%s', 'scale': %.5g", k->asset, s);
    if (pick_int(m, 3)) {
        add(m, ", 'pose': {'clip': '%s', 'speed': %.3g, 'start': %.3g}", k->clips[pick_int(m, 2)],
            pick(m, -5, 5), pick(m, 0, 1));
    }
    if (pick_int(m, 2)) {
        add_path(m);
    } else {
        add(m, ", 'at': [%.4g, %.4g, %.4g]", s * pick(m, -1, 1), m->top, s * pick(m, -1, 1));
    }
    if (k->has_scalar && pick_int(m, 2)) {
        add_scalar(m);
    }
    if (pick_int(m, 3) == 0) {
        add(m, ", 'forces': [{'at': [0, %.4g, 0], 'force': [%.4g, %.4g, 0], 'radius': 0.1}]",
            pick(m, 0, 0.5), pick_log(m, 0.1, 1000), -pick_log(m, 0.1, 1000));
    }
    add_material(m);
    add(m, "}");
}

static const char *make_scene(wri_arena *arena, int number)
{
    maker m = {(uint64_t)number * 0x9e3779b97f4a7c15u + 1, arena, "", 0.0, 0.0, 0.0};
    random_bits(&m.seed);
    int bodies = 1 + pick_int(&m, MOST_BODIES);
    m.scale = pick_log(&m, 0.1, 10.0);
    add(&m, "'substeps': %d, 'wind': [%.4g, 0, %.4g], 'bodies': [{'shape': 'plane'}",
        pick_int(&m, 2) ? 4 : 1, pick(&m, -20, 20), pick(&m, -20, 20));
    for (int i = 0; i < bodies; i++) {
        add_body(&m);
        m.top += 0.5 * m.scale;
        int other = pick_int(&m, 4);
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

static bounds find_bounds(const wr_world *world)
{
    (void)world;
    return (bounds){0};
}

// NULL: nothing is wrong.
static const char *find_skin_fault(const wri_material_body *body)
{
    static wr_vec3 moved[MOST_VERTICES];
    int number;
    wr_morph_world *world = wri_morph_world_of(body->state, &number);
    int count = wr_morph_vertex_count(world, number);
    assert_true(count <= MOST_VERTICES);
    wr_morph_displacements(world, number, NULL, moved);
    for (int i = 0; i < count; i++) {
        if (!isfinite(wr_length(moved[i]))) {
            return "skin is nowhere";
        }
    }
    return NULL;
}

static void check(const wr_world *world, const bounds *b, int frame, outcome *o)
{
    (void)b;
    const char *fault = NULL;
    for (int i = 0; i < world->material_count && !fault; i++) {
        const wri_material_body *body = &world->materials[i];
        fault = body->frozen                            ? "frozen"
                : body->material == &wri_morph_material ? find_skin_fault(body)
                                                        : NULL;
    }
    if (fault) {
        snprintf(o->note, sizeof o->note, "%s", fault);
        o->frame = frame;
    }
}

static void describe(const wr_world *world, outcome *o)
{
    o->count = world->material_count;
}

static const soak_kind KIND = {"morph", make_scene, find_assets, find_bounds, check, describe};

int main(int count, char **arguments)
{
    int scenes = count > 1 ? atoi(arguments[1]) : 200, first = count > 2 ? atoi(arguments[2]) : 1;
    int failed = 0;
    double seconds = 0.0;
    if (!getenv("WROUGHT_SCENES")) {
        fprintf(stderr, "soak_morph: WROUGHT_SCENES is not set\n");
        return 2;
    }
    temporary_folder folder = temporary_folder_create();
    for (int i = first; i < first + scenes; i++) {
        outcome o = run_scene(&KIND, i, folder.path);
        failed += o.frame >= 0;
        seconds += o.seconds;
        if (o.frame >= 0 || getenv("SOAK_VERBOSE")) {
            printf("seed %d: %s%s, frame %d, %d bodies, %.1f s\n", i, o.frame >= 0 ? "FAILED " : "",
                   o.note, o.frame, o.count, o.seconds);
        }
        fflush(stdout);
    }
    printf("morph: %d scenes, %d failed, %.0f s\n", scenes, failed, seconds);
    temporary_folder_destroy(&folder);
    return failed > 0;
}
