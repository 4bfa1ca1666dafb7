// metal_tables.c: the tables of the paper, and its authors' own barrel with their own parameters.
#include "metal_bench.h"
#include "metal_world.h"

#include <math.h>

// --- table 1: assets ----------------------------------------------------------------------------

// The paper's assets, and ours that stand for them.
typedef struct known_asset {
    const char *name, *recipe;
    double N, B, E;
} known_asset;
static const known_asset assets[] = {
    {"barrel", "barrel", 1790, 12, 3},
    {"car", "car", 4695, 32, 6},
    {"crane", "crane", 1939, 14, 3},
    {"big spaceship", "big-ship", 4178, 64, 6},
    {"little spaceship", "small-ship", 1188, 12, 3},
};

static void report_asset(const known_asset *known, const wr_rig *rig, bench_rows *rows)
{
    char name[64];
    snprintf(name, sizeof name, "table 1: %s", known->name);
    bench_add_compared(rows, name, "vertices", "", rig->vertex_count, known->N, NAN, false);
    bench_add_compared(rows, name, "handles", "", rig->handle_count, known->B, NAN, false);
    // The paper does not count the rest shape.
    bench_add_compared(rows, name, "examples", "", rig->example_count - 1, known->E, NAN, false);
}

static bool bench_assets(const bench_options *options, const bench_folder *folder, bench_rows *rows,
                         wr_error *error)
{
    char path[sizeof folder->path + 32], names[4096];
    snprintf(path, sizeof path, "%s/asset.json", folder->path);
    for (int i = 0; i < WRI_COUNT(assets); i++) {
        show s;
        snprintf(names, sizeof names, "'it': '%s/%s.recipe.json'", options->scenes,
                 assets[i].recipe);
        if (!show_start(&s, path, options->scenes, names,
                        "'bodies': [{'asset': 'it', 'material': 'metal'}]", NULL, error)) {
            return false;
        }
        report_asset(&assets[i], &s.scene->bodies[0].asset->rig, rows);
        show_end(&s);
    }
    return true;
}

// --- table 2: times -----------------------------------------------------------------------------

// Seconds of whole scenes on the authors' laptop, and their program on a machine like ours.
// Pictures are of 1/60 s, so frames/s and the whole time give the number of steps: figure 4, 64.7
// and 47.8 s at 10.6 frames/s, is 4970 steps of 4 ms.
typedef struct known_time {
    const char *name, *scene;
    double dt, solver, deformation, frames;
    bench_numbers authors;
    double frames_goal, deformation_goal;
} known_time;
static const known_time times[] = {
    {"figure 1, airborne cars", "pile-up", 4e-3, 54.2, 6.8, 54.4, {0.74, 1.1, 131}, 1500, NAN},
    {"figure 8, car and barrels", "barrel-stack", 5e-3, 17.3, 8.8, 13.79, {3.1, 2.3, 56}, 450, NAN},
    {"figure 4, pachinko", "pachinko", 4e-3, 64.7, 47.8, 10.6, {0.68, 0.88, 154}, 1000, 0.03},
    {"figure 9, crane yard", "crane-yard", 2e-3, 381, 160, 1.1, {NAN, NAN, NAN}, NAN, NAN},
    {"figure 10, space battle", "space-battle", 4e-3, 43.2, 53.1, 6.2, {23, 64, 2.8}, 30, NAN},
    {"figure 7, cannonballs", "cannonballs", 4e-3, 0.6, 2.4, 197.1, {NAN, NAN, NAN}, NAN, NAN},
};
static bench_numbers here[WRI_COUNT(times)]; // frames 0: not measured

static bench_numbers published_numbers(const known_time *k)
{
    double steps = k->frames * (k->solver + k->deformation) / 60.0 / k->dt;
    return (bench_numbers){1e3 * k->solver / steps, 1e3 * k->deformation / steps, k->frames};
}

known_scene bench_find_known(const char *scene)
{
    for (int i = 0; i < WRI_COUNT(times); i++) {
        const known_time *k = &times[i];
        if (strcmp(k->scene, scene) == 0) {
            return (known_scene){published_numbers(k), k->authors, k->frames_goal,
                                 k->deformation_goal};
        }
    }
    const bench_numbers unknown = {NAN, NAN, NAN};
    return (known_scene){unknown, unknown, strcmp(scene, "hundred-barrels") == 0 ? 60 : NAN, NAN};
}

void bench_keep_measured(const char *scene, bench_numbers measured)
{
    for (int i = 0; i < WRI_COUNT(times); i++) {
        here[i] = strcmp(times[i].scene, scene) == 0 ? measured : here[i];
    }
}

static void report_time(const known_time *k, bench_numbers measured, bench_rows *rows)
{
    char name[64];
    bench_numbers published = published_numbers(k);
    snprintf(name, sizeof name, "table 2: %s", k->name);
    bench_add_compared(rows, name, "engine", "ms per step", measured.engine, published.engine, NAN,
                       false);
    bench_set_authors(rows, k->authors.engine);
    bench_add_compared(rows, name, "deformation", "ms per step", measured.deformation,
                       published.deformation, k->deformation_goal, false);
    bench_set_authors(rows, k->authors.deformation);
    bench_add_compared(rows, name, "frames", "1/s", measured.frames, published.frames,
                       k->frames_goal, true);
    bench_set_authors(rows, k->authors.frames);
}

// --- the authors' barrel ------------------------------------------------------------------------

// Nine of them between pegs that are triangle meshes in the authors' scene. Their numbers: alpha 38
// per metre, beta 5e-4 m per step, gamma 0.4 m, 1 - lambda 0.05, C_r 0.8, mu 1 per second, nu 300
// with |Delta E| / N; the barrel is 0.735 m tall and falls by that in 0.387 s.
static const char MACHINE[] =
    "%s'length': 6, 'frames': 50, 'substeps': 5, 'bodies': [{'shape': 'plane'}, {'shape': {'box': "
    "[10.4, 8, 0.2]}, 'at': [0, 4, -0.7], 'motion': 'static', 'friction': 0.2, 'copies': {'count': "
    "2, 'step': [0, 0, 1.4]}}, {'shape': {'box': [0.2, 8, 1.6]}, 'at': [-5.1, 4, 0], 'motion': "
    "'static', 'copies': {'count': 2, 'step': [10.2, 0, 0]}}, {'shape': {'cylinder': {'radius': "
    "0.09, 'height': 1.2}}, 'motion': 'static', 'friction': 0.2, 'at': [-4, 4.3, 0], 'turn': "
    "{'axis': [1, 0, 0], 'by': 90}, 'copies': [{'count': 6, 'step': [1.6, 0, 0]}, {'count': 2, "
    "'step': [0, -2.2, 0]}]}, {'shape': {'cylinder': {'radius': 0.09, 'height': 1.2}}, 'motion': "
    "'static', 'friction': 0.2, 'at': [-3.2, 3.2, 0], 'turn': {'axis': [1, 0, 0], 'by': 90}, "
    "'copies': [{'count': 5, 'step': [1.6, 0, 0]}, {'count': 2, 'step': [0, -2.2, 0]}]}, {'asset': "
    "'it', 'at': [-3.6, 5.6, 0.03], 'turn': {'axis': [1, 0.2, 0], 'by': 80}, 'copies': {'count': "
    "9, "
    "'step': [0.9, 0.1, -0.005], 'turn': {'axis': [0, 1, 0.2], 'by': 47}}, 'material': {'metal': "
    "'thin steel', 'yield_by': 'length', 'yield': 5e-4, 'bend': 27.9, 'reach': 0.544, 'lambda': "
    "0.95, 'bounce': 0.8, 'norm': 'all', 'absorb': 300, 'recover': 0.387%s}}]";

typedef struct outcome {
    double frames, engine, deformation; // 1/s, ms per step
    double away, moved, inverted;       // means over bodies
} outcome;

static void find_outcome(const wr_world *world, outcome *o)
{
    int count = metal_count(world);
    for (int i = 0; i < count; i++) {
        const wr_metal *body = metal_at(world, i);
        const wr_metal_asset *asset = body->asset;
        double weight = 1.0 / ((double)count * asset->N);
        for (int v = 0; v < asset->N; v++) {
            o->away += weight * (1.0 - (double)body->E[v * asset->E]);
            o->moved += weight * (double)(wr_distance(body->x[v], asset->rest[v]) / asset->L);
        }
        o->inverted += (double)wr_metal_inverted_count(body) / count;
    }
}

static bool run_machine(const bench_options *options, const char *path, const char *names,
                        const char *keys, const char *method, outcome *o, wr_error *error)
{
    char text[sizeof MACHINE + 128];
    show s;
    *o = (outcome){0};
    wr_tasks tasks = wr_tasks_openmp(options->threads);
    snprintf(text, sizeof text, MACHINE, keys, method);
    if (!bench_goes_on(options, error) ||
        !show_start(&s, path, options->scenes, names, text, &tasks, error)) {
        return false;
    }
    int frames = wr_scene_frame_count(s.scene);
    double start = wri_seconds();
    for (int i = 0; i < frames; i++) {
        wr_world_step_frame(s.world);
    }
    double seconds = wri_seconds() - start, steps = (double)frames * s.scene->substeps;
    wr_world_statistics stats = wr_world_stats(s.world);
    o->frames = 60.0 * s.scene->length / seconds;
    o->engine = 1e3 * stats.engine_seconds / steps;
    o->deformation = 1e3 * stats.material_seconds / steps;
    find_outcome(s.world, o);
    show_end(&s);
    return true;
}

// Figures of the authors' program are of its own plinko, which differs in pegs and walls.
static void report_outcome(const char *title, const outcome *o, bench_rows *rows)
{
    bench_add_row(rows, title, "engine", "ms per step", o->engine, NAN);
    bench_set_authors(rows, 0.86);
    bench_add_row(rows, title, "deformation", "ms per step", o->deformation, NAN);
    bench_set_authors(rows, 1.26);
    bench_add_row(rows, title, "frames", "1/s", o->frames, NAN);
    bench_set_authors(rows, 154);
    bench_add_row(rows, title, "away from rest", "share", o->away, NAN);
    bench_add_row(rows, title, "displacement", "% of size", 100.0 * o->moved, NAN);
    bench_set_authors(rows, 5.2);
    bench_add_row(rows, title, "inverted elements", "per body", o->inverted, NAN);
    bench_set_authors(rows, 58);
}

static bool bench_authors_barrel(const bench_options *options, const bench_folder *folder,
                                 bench_rows *rows, wr_error *error)
{
    static const char *const ways[][3] = {
        {"their barrel, our step", "", ""},
        {"their barrel, published", "", ", 'method': 'published'"},
        {"their barrel, two phases", "'two_phases': true, ", ", 'method': 'published'"},
    };
    const char *data = getenv("WROUGHT_DATA");
    char from[1024], asset[sizeof folder->path + 32], path[sizeof folder->path + 32], names[1024];
    snprintf(from, sizeof from, "%s/ebpd/barrel", data ? data : "../shared/data");
    snprintf(asset, sizeof asset, "%s/theirs.asset.glb", folder->path);
    snprintf(path, sizeof path, "%s/theirs.json", folder->path);
    snprintf(names, sizeof names, "'it': '%s'", asset);
    const wr_read_options centimetres = {.unit = "cm"};
    wr_asset *rig = wr_asset_read_published(from, &centimetres, NULL, NULL);
    if (!rig) {
        return true; // it is not here
    }
    bool ok = wr_asset_write(rig, asset, error);
    wr_asset_destroy(rig);
    for (int i = 0; ok && i < WRI_COUNT(ways); i++) {
        outcome o;
        ok = run_machine(options, path, names, ways[i][1], ways[i][2], &o, error);
        if (ok) {
            report_outcome(ways[i][0], &o, rows);
        }
    }
    return ok;
}

// --- eight cars ---------------------------------------------------------------------------------

// The shipped pile-up, with steps of 4 ms as the authors have them. Their cars end 0.68 to 0.96
// away from rest.
typedef struct car_ends {
    double mean, least, most;
    double size; // of a car, metres
} car_ends;

static double measure_away(const wr_metal *body)
{
    double away = 0.0;
    for (int v = 0; v < body->asset->N; v++) {
        away += (1.0 - (double)body->E[v * body->asset->E]) / body->asset->N;
    }
    return away;
}

// The bodies of the scene file, with this material.
static char *write_cars(wri_arena *arena, const char *file, const char *material)
{
    static const char asset[] = "\"asset\": \"car\",";
    const char *from = strstr(file, "\"bodies\""), *end = strrchr(file, '}');
    char *text = wri_arena_printf(arena, "'length': 5, 'frames': 50, 'substeps': 5, ");
    for (const char *at = from; text && at && (at = strstr(from, asset)); from = at) {
        at += sizeof asset - 1;
        text = wri_arena_printf(arena, "%s%.*s%s", text, (int)(at - from), from, material);
    }
    return text && from && end > from
               ? wri_arena_printf(arena, "%s%.*s", text, (int)(end - from), from)
               : NULL;
}

static bool run_cars(const bench_options *options, const char *path, const char *text,
                     car_ends *ends, wr_error *error)
{
    char names[1024];
    show s;
    wr_tasks tasks = wr_tasks_openmp(options->threads);
    snprintf(names, sizeof names, "'car': '%s/car-light.recipe.json'", options->scenes);
    if (!bench_goes_on(options, error) ||
        !show_start(&s, path, options->scenes, names, text, &tasks, error)) {
        return false;
    }
    for (int i = wr_scene_frame_count(s.scene); i > 0; i--) {
        wr_world_step_frame(s.world);
    }
    int count = metal_count(s.world);
    *ends = (car_ends){.least = INFINITY, .size = (double)metal_at(s.world, 0)->asset->L};
    for (int i = 0; i < count; i++) {
        double away = measure_away(metal_at(s.world, i));
        ends->mean += away / count;
        ends->least = fmin(ends->least, away);
        ends->most = fmax(ends->most, away);
    }
    show_end(&s);
    return true;
}

// alpha and gamma in metres, of a body of this size; mu 1 per second and nu 300 with |Delta E| / N
// are their defaults.
static char *write_theirs(wri_arena *arena, double size, double alpha, double gamma, double lambda,
                          const char *method)
{
    return wri_arena_printf(arena,
                            "'density': 6000, 'material': {'metal': 'car body', 'wall': 0.02, "
                            "'yield_by': 'length', 'yield': 0.011, 'bend': %.3f, 'reach': %.4f, "
                            "'lambda': %.4f, 'bounce': 0.5, 'norm': 'all', 'absorb': 300, "
                            "'recover': %.4f%s},",
                            alpha * size, gamma / size, lambda, sqrt(2.0 * size / 9.81), method);
}

static bool bench_cars(const bench_options *options, const bench_folder *folder, bench_rows *rows,
                       wr_error *error)
{
    static const struct {
        const char *title, *method;
        double alpha, gamma, lambda; // 0: as shipped
    } ways[] = {
        {"eight cars, as shipped", "", 0, 0, 0},
        {"eight cars, their least", "", 80, 3, 0.975},
        {"eight cars, their most", "", 100, 4, 0.95},
        {"published, their least", ", 'method': 'published'", 80, 3, 0.975},
        {"published, their most", ", 'method': 'published'", 100, 4, 0.95},
    };
    wri_arena arena = wri_arena_create(NULL);
    char path[sizeof folder->path + 32], from[1024];
    size_t size;
    snprintf(path, sizeof path, "%s/cars.json", folder->path);
    snprintf(from, sizeof from, "%s/pile-up.scene.json", options->scenes);
    char *file = wri_file_read(from, 1 << 20, NULL, &size, error);
    bool ok = file != NULL;
    car_ends ends = {0};
    for (int i = 0; ok && i < WRI_COUNT(ways); i++) {
        const char *material = ways[i].alpha > 0.0
                                   ? write_theirs(&arena, ends.size, ways[i].alpha, ways[i].gamma,
                                                  ways[i].lambda, ways[i].method)
                                   : "";
        char *text = material ? write_cars(&arena, file, material) : NULL;
        ok = text ? run_cars(options, path, text, &ends, error)
                  : wri_fail(error, WR_E_FORMAT, "%s: has no cars", from);
        if (ok) {
            bench_add_row(rows, ways[i].title, "away from rest, mean", "share", ends.mean, NAN);
            bench_add_row(rows, ways[i].title, "away from rest, least", "share", ends.least, NAN);
            bench_set_authors(rows, 0.68);
            bench_add_row(rows, ways[i].title, "away from rest, most", "share", ends.most, NAN);
            bench_set_authors(rows, 0.96);
        }
    }
    wri_free(NULL, file, file ? size + 1 : 0, 1);
    wri_arena_destroy(&arena);
    return ok;
}

bool bench_metal_tables(const bench_options *options, const bench_folder *folder, bench_rows *rows,
                        wr_error *error)
{
    for (int i = 0; i < WRI_COUNT(times); i++) {
        if (here[i].frames > 0.0) {
            report_time(&times[i], here[i], rows);
        }
    }
    return bench_assets(options, folder, rows, error) &&
           bench_authors_barrel(options, folder, rows, error) &&
           bench_cars(options, folder, rows, error);
}
