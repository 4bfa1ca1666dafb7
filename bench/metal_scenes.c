// metal_scenes.c: metal in the world: the shipped scenes, rows of barrels, bodies at rest, and how
// well hits follow the examples of the demo assets.
#include "bench.h"
#include "metal_bench.h"
#include "metal_world.h"

#include <math.h>

// --- one scene ----------------------------------------------------------------------------------

enum { MOST_FRAMES = 600 };
typedef struct timing {
    double engine[MOST_FRAMES], material[MOST_FRAMES], whole[MOST_FRAMES]; // least of all rounds
    bool bends[MOST_FRAMES]; // some body at the end of the frame
    int frames;
    double hits, moves, bending, pieces, bodies;
} timing;

static int count_bending(const wr_world *world)
{
    int count = 0;
    for (int i = 0; i < metal_count(world); i++) {
        count += metal_at(world, i)->bending_count > 0;
    }
    return count;
}

static void measure_round(wr_world *world, timing *t)
{
    wr_world_statistics last = wr_world_stats(world);
    t->bending = 0.0;
    for (int i = 0; i < t->frames; i++) {
        double start = wri_seconds();
        wr_world_step_frame(world);
        t->whole[i] = fmin(t->whole[i], wri_seconds() - start);
        wr_world_statistics s = wr_world_stats(world);
        t->engine[i] = fmin(t->engine[i], s.engine_seconds - last.engine_seconds);
        t->material[i] = fmin(t->material[i], s.material_seconds - last.material_seconds);
        last = s;
        int bending = count_bending(world);
        t->bends[i] = bending > 0;
        t->bending += (double)bending / t->frames;
    }
    t->hits = t->moves = t->pieces = 0.0;
    t->bodies = metal_count(world);
    for (int i = 0; i < metal_count(world); i++) {
        t->hits += (double)metal_at(world, i)->statistics.hits_total;
        t->moves += (double)metal_at(world, i)->statistics.moves_total;
        t->pieces += metal_at(world, i)->asset->piece_count / t->bodies;
    }
}

static double sum(const double *values, int count)
{
    double s = 0.0;
    for (int i = 0; i < count; i++) {
        s += values[i];
    }
    return s;
}

// Others run on the machine, too: of several rounds, which are alike, the least of every frame. No
// further round when those before took `patience` seconds.
static bool measure(const bench_options *options, const wr_scene *scene, int frames, int rounds,
                    double patience, timing *t, wr_error *error)
{
    *t = (timing){.frames = frames < MOST_FRAMES ? frames : MOST_FRAMES};
    for (int i = 0; i < MOST_FRAMES; i++) {
        t->engine[i] = t->material[i] = t->whole[i] = INFINITY;
    }
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.tasks = wr_tasks_openmp(options->threads);
    double start = wri_seconds();
    for (int round = 0; round < rounds && (!round || wri_seconds() - start < patience); round++) {
        wr_world *world = bench_goes_on(options, error) ? wr_world_create(&desc, error) : NULL;
        if (!world) {
            return false;
        }
        measure_round(world, t);
        wr_world_destroy(world);
    }
    return true;
}

// Seconds of the scene per 1/60 s.
static double find_film(const wr_scene *scene, int frames)
{
    return 60.0 * frames * (double)scene->rate_denominator / scene->rate_numerator;
}

static bench_numbers find_numbers(const wr_scene *scene, const timing *t)
{
    double steps = (double)t->frames * scene->substeps;
    return (bench_numbers){1e3 * sum(t->engine, t->frames) / steps,
                           1e3 * sum(t->material, t->frames) / steps,
                           find_film(scene, t->frames) / sum(t->whole, t->frames)};
}

// Frames/s of those frames in which something bends.
static double find_frames_bending(const wr_scene *scene, const timing *t)
{
    double seconds = 0.0;
    int frames = 0;
    for (int i = 0; i < t->frames; i++) {
        seconds += t->bends[i] ? t->whole[i] : 0.0;
        frames += t->bends[i];
    }
    return find_film(scene, frames) / seconds;
}

// Engine, deformation and frames/s, beside what is known.
static void report_numbers(const char *title, bench_numbers n, const known_scene *k,
                           bench_rows *rows)
{
    bench_add_compared(rows, title, "engine", "ms per step", n.engine, k->published.engine, NAN,
                       false);
    bench_set_authors(rows, k->authors.engine);
    bench_add_compared(rows, title, "deformation", "ms per step", n.deformation,
                       k->published.deformation, k->deformation_goal, false);
    bench_set_authors(rows, k->authors.deformation);
    bench_add_compared(rows, title, "frames", "1/s", n.frames, k->published.frames, k->frames_goal,
                       true);
    bench_set_authors(rows, k->authors.frames);
}

static void report_scene(const wr_scene *scene, const char *name, const timing *t, bench_rows *rows)
{
    known_scene k = bench_find_known(name);
    double steps = (double)t->frames * scene->substeps;
    char title[64];
    snprintf(title, sizeof title, "%.40s, %.0f %s", name, t->bodies,
             t->bodies > 1.0 ? "bodies" : "body");
    report_numbers(title, find_numbers(scene, t), &k, rows);
    bench_add_compared(rows, title, "frames while bending", "1/s", find_frames_bending(scene, t),
                       NAN, k.frames_goal, true);
    bool counts = k.deformation_goal == k.deformation_goal; // enough must happen to count
    bench_add_compared(rows, title, "yielding contacts", "per step", t->hits / steps, NAN,
                       counts ? 0.7 : NAN, true);
    // The authors skin what bends in every step, we once per picture.
    bench_add_compared(rows, title, "bending bodies", "per step", t->bending, NAN,
                       counts ? 3.0 : NAN, true);
    bench_add_row(rows, title, "skinned bodies", "per step", t->moves / steps, NAN);
    bench_add_row(rows, title, "pieces", "per body", t->pieces, NAN);
    bench_keep_measured(name, find_numbers(scene, t));
}

// Figure 11 of the paper: what every frame costs.
static void plot_frames(const timing *t, bench_rows *rows)
{
    int plot = bench_add_plot(
        rows, &(bench_plot){.name = "metal-frames",
                            .title = "Pachinko, nine barrels: what every frame of 1/60 s costs",
                            .across = "frame",
                            .up = "ms",
                            .is_linear = true});
    for (int i = 0; i < t->frames; i++) {
        bench_add_point(rows, plot, "engine", true, i, 1e3 * t->engine[i]);
    }
    for (int i = 0; i < t->frames; i++) {
        bench_add_point(rows, plot, "deformation", true, i, 1e3 * t->material[i]);
    }
}

// --- shipped scenes with other things in them ---------------------------------------------------

// Pegs are cylinders in the shipped scene. As closed meshes they become hulls when a scene is read;
// as tubes without ends, of 96 triangles, they stay triangles in the engine. A scene is plain data
// that only we look at.
enum { TUBE_SIDES = 48 };
typedef struct tube {
    wr_piece hull;
    wr_vec3 positions[2 * TUBE_SIDES];
    int triangles[6 * TUBE_SIDES];
} tube;

static tube make_tube(float radius, float height)
{
    tube t;
    for (int i = 0; i < TUBE_SIDES; i++) {
        int next = (i + 1) % TUBE_SIDES;
        float angle = 2.0f * 3.14159265f * (float)i / TUBE_SIDES;
        const int around[6] = {2 * i, 2 * i + 1, 2 * next, 2 * next, 2 * i + 1, 2 * next + 1};
        for (int end = 0; end < 2; end++) {
            t.positions[2 * i + end] =
                wr_v3(radius * cosf(angle), (end ? 0.5f : -0.5f) * height, radius * sinf(angle));
        }
        memcpy(&t.triangles[6 * i], around, sizeof around);
    }
    return t;
}

static void change_pegs(const wr_scene *scene, bool are_open, tube *t)
{
    for (int i = 0; i < scene->body_count; i++) {
        wr_shape *shape = (wr_shape *)(uintptr_t)&scene->bodies[i].rigid.shape;
        if (shape->kind == WR_SHAPE_CYLINDER && scene->bodies[i].rigid.motion == WR_MOTION_STATIC) {
            *t = make_tube(shape->size.x, shape->size.y);
            t->hull = (wr_piece){t->positions, 2 * TUBE_SIDES};
            *shape = (wr_shape){.kind = are_open ? WR_SHAPE_MESH : WR_SHAPE_HULLS,
                                .pieces = &t->hull,
                                .piece_count = 1,
                                .positions = t->positions,
                                .vertex_count = 2 * TUBE_SIDES,
                                .triangles = t->triangles,
                                .triangle_count = 2 * TUBE_SIDES};
        }
    }
}

// What a shipped scene costs with something in it changed.
static bool bench_variant(const bench_options *options, const wr_scene *scene, const char *title,
                          double goal, bench_rows *rows, wr_error *error)
{
    static timing t;
    known_scene k = bench_find_known("");
    int frames = wr_scene_frame_count(scene);
    if (!measure(options, scene, options->full || frames < 180 ? frames : 180, 10,
                 options->full ? 20.0 : 2.0, &t, error)) {
        return false;
    }
    k.frames_goal = goal;
    report_numbers(title, find_numbers(scene, &t), &k, rows);
    return true;
}

// The same scene with triangle meshes in place of pieces, as the paper has it. A scene is plain
// data that only we look at.
static bool bench_triangles(const bench_options *options, const wr_scene *scene, const char *name,
                            bench_rows *rows, wr_error *error)
{
    static timing t;
    for (int i = 0; i < scene->body_count; i++) {
        const wr_material *material = scene->bodies[i].material;
        for (int p = 0; material && p < material->parameter_count; p++) {
            if (strcmp(material->parameters[p].name, "collide") == 0) {
                ((double *)(uintptr_t)scene->bodies[i].values)[p] = 1.0; // "mesh"
            }
        }
    }
    if (!measure(options, scene, options->full ? 180 : 75, 1, 0.0, &t, error)) {
        return false;
    }
    double steps = (double)t.frames * scene->substeps;
    known_scene k = bench_find_known(name);
    char title[64];
    snprintf(title, sizeof title, "%.30s, triangle meshes", name);
    bench_add_compared(rows, title, "engine", "ms per step", 1e3 * sum(t.engine, t.frames) / steps,
                       k.published.engine, NAN, false);
    bench_set_authors(rows, k.authors.engine);
    bench_add_compared(rows, title, "frames", "1/s", t.frames / sum(t.whole, t.frames),
                       k.published.frames, NAN, true);
    bench_set_authors(rows, k.authors.frames);
    return true;
}

static bool bench_pegs(const bench_options *options, const char *path, bool are_open,
                       bench_rows *rows, wr_error *error)
{
    tube peg;
    wr_scene_options scene_options = {.tasks = wr_tasks_openmp(options->threads)};
    wr_scene *scene = wr_scene_read(path, &scene_options, error);
    if (!scene) {
        return false;
    }
    change_pegs(scene, are_open, &peg);
    bool ok = bench_variant(options, scene,
                            are_open ? "pachinko, pegs of open meshes" : "pachinko, pegs of meshes",
                            are_open ? NAN : 700.0, rows, error);
    wr_scene_destroy(scene);
    return ok;
}

// The battle when it is hottest: in every step each body is struck all over, hard enough to yield.
// A step is a frame here, so that nothing of a frame's work is saved.
enum { STRIKES = 20, STORM_STEPS = 120, STORM_BEGIN = 200 };
static const float STRIKE_SPEED = 3.0f; // of the whole body, in multiples of its yield

static void strike_all(wr_world *world, int step)
{
    for (int i = 0; i < metal_count(world); i++) {
        wr_metal *body = metal_at(world, i);
        const wr_metal_asset *asset = body->asset;
        float j = STRIKE_SPEED * body->parameters.yield * asset->v_L *
                  (float)wri_metal_hit_mass(body, body->mass);
        for (int k = 0; k < STRIKES; k++) {
            int at = (int)(((int64_t)k * asset->surface_count) / STRIKES + 7 * step);
            int v = asset->surface[at % asset->surface_count];
            wr_vec3 in = wr_normalize(wr_scale(-1.0f, body->x[v]));
            wr_metal_add_impulse(body, body->x[v], wr_scale(j, in));
        }
    }
}

static bool bench_storm(const bench_options *options, wr_scene *scene, bench_rows *rows,
                        wr_error *error)
{
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.tasks = wr_tasks_openmp(options->threads);
    scene->rate_numerator *= scene->substeps;
    scene->substeps = 1;
    wr_world *world = wr_world_create(&desc, error);
    double seconds = 0.0, hits = 0.0;
    int parts = 0;
    for (int i = 0; world && i < STORM_BEGIN + STORM_STEPS && bench_goes_on(options, error); i++) {
        if (i >= STORM_BEGIN) {
            strike_all(world, i);
        }
        double start = wri_seconds();
        wr_world_step_frame(world);
        seconds += i >= STORM_BEGIN ? wri_seconds() - start : 0.0;
        for (int k = 0; i >= STORM_BEGIN && k < metal_count(world); k++) {
            hits += metal_at(world, k)->statistics.hits;
        }
    }
    for (int k = 0; world && k < metal_count(world); k++) {
        parts += world->materials[k].part_count;
    }
    if (!world) {
        return false;
    }
    char title[64];
    snprintf(title, sizeof title, "space battle, all struck, %d pieces", parts);
    bench_add_row(rows, title, "contacts that yield", "per step", STRIKES * metal_count(world),
                  NAN);
    bench_add_row(rows, title, "patches that yield", "per step", hits / STORM_STEPS, NAN);
    bench_add_compared(rows, title, "frames", "1/s",
                       STORM_STEPS * 60.0 / (scene->rate_numerator * seconds), NAN, 30.0, true);
    wr_world_destroy(world);
    return bench_goes_on(options, error);
}

static bool has_metal(const wr_scene *scene)
{
    for (int i = 0; i < scene->body_count; i++) {
        if (scene->bodies[i].material && strcmp(scene->bodies[i].material->name, "metal") != 0) {
            return false;
        }
    }
    for (int i = 0; i < scene->body_count; i++) {
        if (scene->bodies[i].material) {
            return true;
        }
    }
    return false;
}

static bool bench_scene(const bench_options *options, const char *path, const char *name,
                        bench_rows *rows, wr_error *error)
{
    static timing t;
    wr_scene_options scene_options = {.tasks = wr_tasks_openmp(options->threads)};
    wr_scene *scene = wr_scene_read(path, &scene_options, error);
    if (!scene) {
        return false;
    }
    bool ok = true;
    if (has_metal(scene)) {
        int frames = wr_scene_frame_count(scene);
        frames = options->full || frames < 180 ? frames : 180;
        ok = measure(options, scene, frames, 10, options->full ? 20.0 : 2.0, &t, error);
        if (ok) {
            report_scene(scene, name, &t, rows);
        }
        if (ok && strcmp(name, "pachinko") == 0) {
            plot_frames(&t, rows);
            ok = bench_triangles(options, scene, name, rows, error) &&
                 bench_pegs(options, path, false, rows, error) &&
                 bench_pegs(options, path, true, rows, error);
        }
        if (ok && options->full && strcmp(name, "hundred-barrels") == 0) {
            scene->substeps = 4;
            ok = bench_variant(options, scene, "hundred-barrels, 1/240 s", 60.0, rows, error);
        }
        if (ok && options->full && strcmp(name, "space-battle") == 0) {
            ok = bench_storm(options, scene, rows, error);
        }
    }
    wr_scene_destroy(scene);
    return ok;
}

// --- the shipped scenes -------------------------------------------------------------------------

// Nine barrels roll over rows of pegs between two panes.
static const char PEGS[] =
    "{'wrought': 1, 'name': 'pegs', 'length': 5, 'assets': {'barrel': '%s/barrel.recipe.json'}, "
    "'bodies': [{'shape': 'plane'}, {'shape': {'box': [8, 9, 0.2]}, 'at': [0, 4.5, -0.65], "
    "'motion': 'static', 'friction': 0.1, 'copies': {'count': 2, 'step': [0, 0, 1.3]}}, {'shape': "
    "{'cylinder': {'radius': 0.1, 'height': 1.1}}, 'motion': 'static', 'at': [-2.4, 1.2, 0], "
    "'turn': {'axis': [1, 0, 0], 'by': 90}, 'copies': [{'count': 4, 'step': [1.6, 0, 0]}, {'count':"
    " 2, 'step': [0, 2.2, 0]}]}, {'shape': {'cylinder': {'radius': 0.1, 'height': 1.1}}, 'motion': "
    "'static', 'at': [-1.6, 2.3, 0], 'turn': {'axis': [1, 0, 0], 'by': 90}, 'copies': [{'count': 3,"
    " 'step': [1.6, 0, 0]}, {'count': 2, 'step': [0, 2.2, 0]}]}, {'asset': 'barrel', 'at': [-1.5, "
    "5.4, 0], 'turn': {'axis': [1, 0, 0], 'by': 90}, 'velocity': [1, -3, 0], 'material': 'metal', "
    "'copies': [{'count': 3, 'step': [1.2, 0.1, 0]}, {'count': 3, 'step': [0.1, 0.8, 0]}]}]}";

static bool write_scene(const char *path, const char *format, const char *scenes, wr_error *error)
{
    char text[4096];
    snprintf(text, sizeof text, format, scenes);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return wri_file_write(path, text, strlen(text), error);
}

static bool ends_in(const char *name, const char *ending)
{
    size_t a = strlen(name), b = strlen(ending);
    return a > b && strcmp(name + a - b, ending) == 0;
}

static bool bench_shipped(const bench_options *options, wri_arena *arena, bench_rows *rows,
                          wr_error *error)
{
    wri_array names = wri_array_create(NULL, sizeof(char *));
    bool ok = wri_folder_list(options->scenes, arena, &names, error);
    for (int i = 0; ok && i < names.count; i++) {
        const char *file = WRI_ITEM(names, const char *, i);
        if (ends_in(file, ".scene.json")) {
            char *path = wri_path_join(arena, options->scenes, file);
            char *name = wri_arena_printf(arena, "%.*s", (int)strlen(file) - 11, file);
            ok = bench_scene(options, path, name, rows, error);
        }
    }
    wri_array_destroy(&names);
    return ok;
}

// --- how it grows with the number of bodies -----------------------------------------------------

static void report_crowd(const wr_scene *scene, int plot, const timing *t, bench_rows *rows)
{
    double steps = (double)t->frames * scene->substeps,
           frames = t->frames / sum(t->whole, t->frames);
    double engine = 1e3 * sum(t->engine, t->frames) / steps;
    double deformation = 1e3 * sum(t->material, t->frames) / steps;
    char name[64];
    snprintf(name, sizeof name, "%.0f barrel%s dropped", t->bodies, t->bodies > 1.0 ? "s" : "");
    bench_add_row(rows, name, "engine", "ms per step", engine, NAN);
    bench_add_row(rows, name, "deformation", "ms per step", deformation, NAN);
    bench_add_compared(rows, name, "frames", "1/s", frames, NAN, t->bodies < 100.0 ? NAN : 60.0,
                       true);
    bench_add_point(rows, plot, "engine", true, t->bodies, engine);
    bench_add_point(rows, plot, "deformation", true, t->bodies, deformation);
}

static bool bench_crowds(const bench_options *options, const bench_folder *folder, bench_rows *rows,
                         wr_error *error)
{
    static const int sides[][2] = {{1, 1}, {3, 1}, {3, 3}, {6, 5}, {10, 10}};
    static timing t;
    char path[sizeof folder->path + 32];
    snprintf(path, sizeof path, "%s/crowd.json", folder->path);
    int plot = bench_add_plot(rows, &(bench_plot){"metal-bodies",
                                                  "Barrels that are dropped on a floor and on one "
                                                  "another: growth with their number",
                                                  "barrels", "ms per step of 1/240 s"});
    for (int i = 0; i < WRI_COUNT(sides); i++) {
        char text[1024];
        show s;
        snprintf(text, sizeof text,
                 "'bodies': [{'shape': 'plane'}, {'asset': 'barrel', 'at': [0, 1.5, 0], 'turn': "
                 "{'axis': [1, 0.3, 0], 'by': 40}, 'velocity': [0, -3, 0], 'material': 'metal', "
                 "'copies': [{'count': %d, 'step': [0.8, 0.1, 0]}, {'count': %d, 'step': [0, 0.05, "
                 "0.9]}]}]",
                 sides[i][0], sides[i][1]);
        if (!show_start(&s, path, options->scenes, NULL, text, NULL, error)) {
            return false;
        }
        bool ok = measure(options, s.scene, options->full ? 300 : 45, 3,
                          options->full ? 600.0 : 1.0, &t, error);
        if (ok) {
            report_crowd(s.scene, plot, &t, rows);
        }
        show_end(&s);
        if (!ok) {
            return false;
        }
    }
    bench_add_point(rows, plot, "real time, 1/240 s", false, 1, 1e3 / 240.0);
    bench_add_point(rows, plot, "real time, 1/240 s", false, 100, 1e3 / 240.0);
    // Its pachinko has nine barrels, its car hits thirty.
    bench_add_point(rows, plot, "authors' engine", false, 9, 0.68);
    bench_add_point(rows, plot, "authors' engine", false, 31, 3.1);
    bench_add_point(rows, plot, "authors' deformation", false, 9, 0.88);
    bench_add_point(rows, plot, "authors' deformation", false, 31, 2.3);
    return true;
}

// Barrels that sleep in empty space, and the same without metal.
static bool bench_idle(const bench_options *options, const bench_folder *folder, bench_rows *rows,
                       wr_error *error)
{
    enum { COUNT = 100, FRAMES = 120 };
    char path[sizeof folder->path + 32];
    double seconds[2];
    snprintf(path, sizeof path, "%s/idle.json", folder->path);
    for (int kind = 0; kind < 2; kind++) {
        char text[512];
        show s;
        snprintf(text, sizeof text,
                 "'gravity': [0, 0, 0], 'bodies': [{'asset': 'barrel', 'material': '%s', 'copies': "
                 "{'count': %d, 'step': [2, 0, 0]}}]",
                 kind ? "metal" : "rigid", COUNT);
        if (!show_start(&s, path, options->scenes, NULL, text, NULL, error)) {
            return false;
        }
        for (int i = 0; i < 180; i++) { // they fall asleep
            wr_world_step_frame(s.world);
        }
        seconds[kind] = INFINITY;
        for (int i = 0; i < FRAMES; i++) {
            double start = wri_seconds();
            wr_world_step_frame(s.world);
            seconds[kind] = fmin(seconds[kind], wri_seconds() - start);
        }
        seconds[kind] /= COUNT * s.scene->substeps;
        show_end(&s);
    }
    bench_add_row(rows, "idle body in the world", "time per step", "us", 1e6 * seconds[1], 1.0);
    bench_add_row(rows, "idle rigid body", "time per step", "us", 1e6 * seconds[0], NAN);
    return true;
}

// --- direction ----------------------------------------------------------------------------------

static bool bench_direction(const bench_options *options, const bench_folder *folder,
                            bench_rows *rows, wr_error *error)
{
    static const char *const names[] = {
        "barrel", "barrel-missing", "barrel-added", "barrel-simulated",
        "crate",  "container",      "beam"};
    char path[sizeof folder->path + 32];
    snprintf(path, sizeof path, "%s/asset.json", folder->path);
    for (int i = 0; i < WRI_COUNT(names); i++) {
        char assets[4096];
        show s;
        snprintf(assets, sizeof assets, "'it': '%s/%s.recipe.json'", options->scenes, names[i]);
        const char *text = "'bodies': [{'asset': 'it', 'material': 'metal'}]";
        if (!bench_goes_on(options, error) ||
            !show_start(&s, path, options->scenes, assets, text, NULL, error)) {
            return false;
        }
        directions d = find_directions(metal_at(s.world, 0), options->full ? 1 : 8);
        double held = d.tried > 0.0 ? d.chosen / d.tried : 0.0;
        bench_add_row(rows, names[i], "a leader is chosen", "% of tries", 100.0 * held, NAN);
        bench_add_compared(rows, names[i], "one leads, is chosen", "% of surface",
                           100.0 * held * d.clear / d.area, NAN, 60.0, true);
        show_end(&s);
    }
    return true;
}

bool bench_metal_scenes(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bench_folder folder;
    if (!options->scenes) {
        return true; // without demo assets there is nothing to simulate
    }
    if (!bench_folder_create(&folder, error)) {
        return false;
    }
    wri_arena arena = wri_arena_create(NULL);
    char path[sizeof folder.path + 32];
    snprintf(path, sizeof path, "%s/pegs.json", folder.path);
    bool ok = write_scene(path, PEGS, options->scenes, error) &&
              bench_scene(options, path, "nine barrels over pegs", rows, error) &&
              bench_shipped(options, &arena, rows, error) &&
              (!options->full || bench_metal_tables(options, &folder, rows, error)) &&
              bench_crowds(options, &folder, rows, error) &&
              bench_idle(options, &folder, rows, error) &&
              bench_direction(options, &folder, rows, error);
    wri_arena_destroy(&arena);
    bench_folder_destroy(&folder);
    return ok;
}
