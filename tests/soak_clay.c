// soak_clay.c: random scenes of clay, looking for what breaks: bodies of all presets, over six
// orders of stiffness, a tenth to three times their size, dropped and thrown onto the ground, bars,
// rigid bodies a hundred times lighter and heavier, metal and each other.
//
//     soak_clay COUNT [FIRST]    scenes FIRST, FIRST + 1, ... of 1.25 seconds each
//
// One line per scene that fails, and a table at the end; status 1 when one failed. With
// $SOAK_VERBOSE a line for every scene. The scene of a seed is left in soak-clay-SEED.scene.json in
// the folder $SOAK_KEEP when that is set.
#include "check.h"

#include "clay_world.h"
#include "soak_world.h"

enum { MOST_BODIES = 3, MOST_PARTICLES = 1500 };

// --- scenes -----------------------------------------------------------------------------------

static void add_clay(maker *m, int particles)
{
    int count;
    const wr_preset *presets = wr_clay_presets(&count);
    double speed = pick_int(m, 3) ? sqrt(m->scale) * pick_log(m, 0.3, 6.0) : 0.0;
    add_shape(m);
    add_place(m, 0.55 * m->scale, speed);
    add(m, ", 'density': %.4g, 'material': {'clay': '%s', 'particles': %d", pick_log(m, 100, 10000),
        presets[pick_int(m, count)].name, particles);
    if (pick_int(m, 2)) {
        add(m, ", 'stiffness': %.4g", pick_log(m, 10, 1e7));
    }
    if (pick_int(m, 4) == 0) {
        add(m, ", 'implicit': 'on', 'viscosity': %.4g", pick_log(m, 0.01, 100));
    }
    add(m, "}}");
}

static const char *make_scene(wri_arena *arena, int number)
{
    maker m = {(uint64_t)number * 0x9e3779b97f4a7c15u + 1, arena, "", 0.0, 0.0};
    int bodies = 1 + pick_int(&m, MOST_BODIES);
    int particles = MOST_PARTICLES / bodies * 9 / 10;
    m.scale = pick_log(&m, 0.1, 3.0);
    add(&m, "'bodies': [{'shape': 'plane'}");
    if (pick_int(&m, 2)) {
        add(&m, ", {'shape': {'box': [%.4g, %.4g, %.4g]}, 'at': [0, %.4g, 0], 'motion': 'static'}",
            0.1 * m.scale, 0.4 * m.scale, 3.0 * m.scale, 0.2 * m.scale);
        m.top = 0.41 * m.scale;
    }
    for (int i = 0; i < bodies; i++) {
        int other = pick_int(&m, 4);
        add_clay(&m, (int)pick_log(&m, 40, particles));
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
    bounds b = {.energy = fmax(world_energy(world), 1e-9)};
    double lightest = INFINITY, far = 0.0, size = 0.0;
    for (int i = 0; i < world->material_count; i++) {
        const wri_clay *c = clay_at(world, i);
        if (c) {
            lightest = fmin(lightest, clay_mass(c));
            size = fmax(size, (double)c->moduli.L);
            far = fmax(far, clay_height(c, 0) + 10.0 * size);
        }
    }
    b.way = far + FRAMES / 60.0 * sqrt(2.0 * b.energy / lightest) + 10.0 * size;
    return b;
}

// NULL: nothing is wrong.
static const char *find_clay_fault(const wri_clay *c, const bounds *b)
{
    for (int i = 0; i < c->count; i++) {
        double x[3], squared = 0.0;
        for (int k = 0; k < 3; k++) {
            x[k] = (double)c->x[i][k] + c->state.origin[k];
            squared += x[k] * x[k];
        }
        if (!(squared < b->way * b->way)) { // no NaN passes
            return "a particle ran away";
        }
        if (!(x[1] > -0.5 * (double)c->moduli.L)) {
            return "a particle fell through the ground";
        }
    }
    return NULL;
}

static void check(const wr_world *world, const bounds *b, int frame, outcome *o)
{
    check_energy(world, b, frame, o);
    for (int i = 0; i < world->material_count; i++) {
        const wri_clay *c = clay_at(world, i);
        const char *fault = world->materials[i].frozen ? "frozen"
                            : c                        ? find_clay_fault(c, b)
                                                       : NULL;
        if (fault) {
            snprintf(o->note, sizeof o->note, "body %d: %s", i, fault);
            o->frame = frame;
        }
    }
}

static void count_particles(const wr_world *world, outcome *o)
{
    for (int i = 0; i < world->material_count; i++) {
        o->count += clay_at(world, i) ? clay_at(world, i)->count : 0;
    }
}

static const soak_kind KIND = {"clay", make_scene, NULL, find_bounds, check, count_particles};

int main(int count, char **arguments)
{
    int scenes = count > 1 ? atoi(arguments[1]) : 300, first = count > 2 ? atoi(arguments[2]) : 1;
    int failed = 0, worst = 0;
    double seconds = 0.0, growth = 0.0;
    if (!getenv("WROUGHT_SCENES")) {
        fprintf(stderr, "soak_clay: WROUGHT_SCENES is not set\n");
        return 2;
    }
    temporary_folder folder = temporary_folder_create();
    for (int i = first; i < first + scenes; i++) {
        outcome o = run_scene(&KIND, i, folder.path);
        failed += o.frame >= 0;
        seconds += o.seconds;
        worst = o.growth > growth ? i : worst;
        growth = fmax(growth, o.growth);
        if (o.frame >= 0 || getenv("SOAK_VERBOSE")) {
            printf("seed %d: %s%s, frame %d, %d particles, energy growth %.3g %%, %.1f s\n", i,
                   o.frame >= 0 ? "FAILED " : "", o.note, o.frame, o.count, 100.0 * o.growth,
                   o.seconds);
        }
        fflush(stdout);
    }
    printf("scenes of clay %d, failed %d, energy growth at most %.3g %% (seed %d), %.0f s\n",
           scenes, failed, 100.0 * growth, worst, seconds);
    temporary_folder_destroy(&folder);
    return failed > 0;
}
