// soak_morph.c: random scenes of morph, looking for what breaks: arms and jelly in all ways to
// solve them, a thousandth to a thousand times as stiff, a tenth to ten times their size, moved by
// clips at up to five times their speed and along paths that jump, pushed, blown at, hit by rigid
// bodies a hundred times lighter and heavier, and by metal.
//
// Nothing may become NaN or freeze, and no rigid body may come to be below the ground. Bones that
// are driven bring in any amount of energy; in a third of the scenes nothing is driven, pushed or
// blown at, and energy must not grow there. Bones are driven, so momentum is not kept where they
// touch anything.
//
//     soak_morph COUNT [FIRST]    scenes FIRST, FIRST + 1, ... of 1.25 seconds each
//
// One line per scene that fails, and a line at the end; status 1 when one failed. With
// $SOAK_VERBOSE a line for every scene. The scene of a seed is left in soak-morph-SEED.scene.json
// in the folder $SOAK_KEEP when that is set.
#include "check.h"

#include "../bench/metal_world.h"
#include "../src/morph/morph.h"
#include "../src/world/morph.h"

// Where a node is displaced to, metres, bind pose.
static wr_vec3 node_displacement(const wri_morph *b, int node)
{
    const wr_morph_model *m = b->model;
    double u[3] = {0.0};
    int place = m->is_full ? m->full.place_of[node] : -1, r = m->is_full ? 0 : m->reduced.r;
    for (int k = 0; k < 3; k++) {
        u[k] = place >= 0 ? b->q[3 * place + k] : 0.0;
        for (int j = 0; j < r; j++) {
            u[k] += (double)m->data->basis[((ptrdiff_t)node * r + j) * 3 + k] * b->q[j];
        }
    }
    return wr_v3((float)u[0], (float)u[1], (float)u[2]);
}

// J, of motion, strain and height. Bones stand still.
static double morph_energy(const wri_material_body *body, double g)
{
    int number;
    wr_morph_world *world = wri_morph_world_of(body->state, &number);
    const wri_morph *b = wri_morph_of(world, number);
    const wr_morph_data *d = b->model->data;
    wr_morph_statistics s = wr_morph_describe(world, number);
    double height = 0.0;
    for (int node = 0; node < d->node_count; node++) {
        wr_vec3 at = wr_add(d->nodes[node], node_displacement(b, node));
        for (int i = 0; i < WRI_MORPH_BONES; i++) {
            int k = WRI_MORPH_BONES * node + i;
            const wri_morph_bone_motion *bone = &b->bones[d->node_bones[k]];
            wr_quat turn = {(float)bone->turn[0], (float)bone->turn[1], (float)bone->turn[2],
                            (float)bone->turn[3]};
            wr_vec3 arm = wr_rotate(turn, wr_sub(at, d->origins[d->node_bones[k]]));
            double share = (double)d->masses[node] * (double)d->node_weights[k];
            height += share * (bone->c[1] + (double)arm.y);
        }
    }
    return s.elastic_energy + s.motion_energy + g * height;
}

static double world_energy(const wr_world *world)
{
    double sum = rigid_energy(world), g = -(double)world->scene->gravity.y;
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        sum +=
            body->material == &wri_morph_material ? morph_energy(body, g) : metal_energy(world, i);
    }
    return sum;
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

static bool is_still; // the scene that is made now: nothing brings energy in

static void add_body(maker *m)
{
    const kind *k = &KINDS[pick_int(m, WRI_COUNT(KINDS))];
    double s = m->scale;
    add(m, ", {'asset': '%s', 'scale': %.5g", k->asset, s);
    if (pick_int(m, 3)) {
        add(m, ", 'pose': {'clip': '%s', 'speed': %.3g, 'start': %.3g}", k->clips[pick_int(m, 2)],
            is_still ? 0.0 : pick(m, -5, 5), pick(m, 0, 1));
    }
    if (!is_still && pick_int(m, 2)) {
        add_path(m);
    } else {
        add(m, ", 'at': [%.4g, %.4g, %.4g]", s * pick(m, -1, 1), m->top, s * pick(m, -1, 1));
    }
    if (!is_still && k->has_scalar && pick_int(m, 2)) {
        add_scalar(m);
    }
    if (!is_still && pick_int(m, 3) == 0) {
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
    is_still = number % 3 == 0;
    m.top = is_still ? m.scale : 0.0; // nothing overlaps the ground, which would push it out
    double wind = is_still ? 0.0 : 20.0;
    add(&m, "'substeps': %d, 'wind': [%.4g, 0, %.4g], 'bodies': [{'shape': 'plane'}",
        pick_int(&m, 2) ? 4 : 1, pick(&m, -wind, wind), pick(&m, -wind, wind));
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

static double first_energy; // J, after a frame: before it bodies have no elastic energy to tell

// energy 0: it may grow.
static bounds find_bounds(const wr_world *world)
{
    return (bounds){.energy = is_still ? fmax(world_energy(world), 1e-9) : 0.0};
}

static void check_still(const wr_world *world, const bounds *b, int frame, outcome *o)
{
    double energy = world_energy(world) - wr_world_stats(world).material_gain;
    first_energy = frame == 1 ? energy : first_energy;
    double growth = (energy - first_energy) / b->energy;
    o->growth = fmax(o->growth, growth);
    if (!(growth <= MOST_GROWTH)) {
        snprintf(o->note, sizeof o->note, "energy %+.3g %% of %g J", 100.0 * growth, b->energy);
        o->frame = frame;
    }
}

static bool is_below_ground(const wr_world *world)
{
    const wr_scene *scene = world->scene;
    for (int i = 0; i < scene->body_count; i++) {
        const wr_scene_body *body = &scene->bodies[i];
        if (!body->material && body->rigid.motion == WR_MOTION_MOVING &&
            find_motion(world->rigid, world->engine_of_body[i], &body->rigid.mass).height < 0.0) {
            return true;
        }
    }
    return false;
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
    const char *fault = NULL;
    for (int i = 0; i < world->material_count && !fault; i++) {
        const wri_material_body *body = &world->materials[i];
        fault = body->frozen                            ? "frozen"
                : body->material == &wri_morph_material ? find_skin_fault(body)
                                                        : NULL;
    }
    fault = !fault && is_below_ground(world) ? "below the ground" : fault;
    if (fault) {
        snprintf(o->note, sizeof o->note, "%s", fault);
        o->frame = frame;
    } else if (b->energy > 0.0) {
        check_still(world, b, frame, o);
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
            printf("seed %d: %s%s, frame %d, %d bodies, energy %+.2g %%, %.1f s\n", i,
                   o.frame >= 0 ? "FAILED " : "", o.note, o.frame, o.count, 100.0 * o.growth,
                   o.seconds);
        }
        fflush(stdout);
    }
    printf("morph: %d scenes, %d failed, %.0f s\n", scenes, failed, seconds);
    temporary_folder_destroy(&folder);
    return failed > 0;
}
