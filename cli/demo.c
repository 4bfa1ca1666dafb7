// demo.c: wrought demo: a shipped scene becomes a recording, a film, a .glb and a table; of sprites
// also a sprite sheet and a plot of the poses they were in.
#include "cli.h"

#include "../src/file/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define METAL                                                                                      \
    "pachinko, pachinko-35, plinko, loading-dock, missing-example, simulated-example, "            \
    "hundred-barrels"
#define MORE_METAL                                                                                 \
    "wrecking-ball, cannonballs, barrel-stack, pile-up, bridge, crane-yard, space-battle, "        \
    "breaking, scrap-heap"
#define CLAY                                                                                       \
    "bunny, spheres, five-rabbits, densities, fowl, house, clay-wall, twist, release, dropped"
#define FLESH "tyres, snake, deer, pumpkins, fist, hand, ridges, gear, tubes, fish, core, imprint"
#define MORPH "elbow, diver, shoulder, crowd, tumble"
#define SPRITES                                                                                    \
    "ball, three-balls, hero, bar, ragdoll, platformer, puzzle, launcher, launcher-examples or "   \
    "launcher-matching"

// The body that a sprite sheet is made of, in scenes that have sprites.
static const struct {
    const char *scene, *body;
} sprites[] = {
    {"ball", "ball"},
    {"three-balls", "rubber"},
    {"hero", "hero"},
    {"bar", "hero"},
    {"ragdoll", "hero"},
    {"platformer", "snake"},
    {"puzzle", "player"},
    {"launcher", "stuntman"},
    {"launcher-examples", "stuntman"},
    {"launcher-matching", "stuntman"},
};

// Where shipped scenes may lie, NULL where there is no such place.
typedef struct places {
    const char *folder[3];
} places;

static places list_places(wri_arena *arena)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    const char *folder = wri_path_folder(arena, program);
    return (places){{
        getenv("WROUGHT_SCENES"),
        folder ? wri_path_join(arena, folder, "../scenes") : NULL,
        folder ? wri_path_join(arena, folder, "../share/wrought/scenes") : NULL,
    }};
}

const char *cli_find_shipped(wri_arena *arena, const char *file)
{
    places p = list_places(arena);
    for (int i = 0; i < WRI_COUNT(p.folder); i++) {
        char *path = p.folder[i] ? wri_path_join(arena, p.folder[i], file) : NULL;
        if (path && wri_file_exists(path)) {
            return path;
        }
    }
    return NULL;
}

// The default demo is always shipped: without it the folder is missing, not the name wrong.
static int fail_demo(wri_arena *arena, const char *name)
{
    if (cli_find_shipped(arena, "pachinko.scene.json")) {
        return cli_complain(CLI_BAD_USAGE,
                            "there is no demo called \"%s\", expected " METAL ", " MORE_METAL
                            ", " CLAY ", " FLESH ", " MORPH ", " SPRITES,
                            name);
    }
    places p = list_places(arena);
    return cli_complain(CLI_BAD_INPUT,
                        "the shipped scenes are not found, neither in %s nor in %s; set "
                        "WROUGHT_SCENES to their folder%s%s%s",
                        p.folder[1] ? p.folder[1] : "../scenes",
                        p.folder[2] ? p.folder[2] : "../share/wrought/scenes",
                        p.folder[0] ? " (it is " : "", p.folder[0] ? p.folder[0] : "",
                        p.folder[0] ? ")" : "");
}

static bool is_newer(const char *path, const char *source)
{
    return wri_file_changed_ns(path) > wri_file_changed_ns(source);
}

typedef struct demo {
    const char *scene, *folder, *recording, *film, *take;
    const char *sprite, *sheet, *poses; // NULL: there is no sprite
    bool quiet;
    int threads;
} demo;

// Each does nothing where the file is up to date.

static int draw(const demo *d, const char *file, const char *view)
{
    cli_render_options render = cli_render_options_default();
    render.input = d->folder;
    render.output = file;
    render.view = view ? view : render.view;
    render.quiet = d->quiet;
    render.threads = d->threads;
    return is_newer(file, d->recording) ? CLI_OK : cli_run_render(&render);
}

static int export(const demo *d, const char *file, const char *body)
{
    cli_export_options export = cli_export_options_default();
    export.input = d->recording;
    export.output = file;
    export.body = body;
    export.every = body ? 4 : export.every;
    export.quiet = d->quiet;
    return is_newer(file, d->recording) ? CLI_OK : cli_run_export(&export);
}

static int make_all(const demo *d)
{
    cli_sim_options sim = {
        .scene_path = d->scene, .folder = d->folder, .quiet = d->quiet, .threads = d->threads};
    int simulated = cli_run_sim(&sim), status = simulated == CLI_TROUBLE ? CLI_OK : simulated;
    status = status ? status : draw(d, d->film, NULL);
    status = status ? status : export(d, d->take, NULL);
    if (d->sprite) {
        status = status ? status : export(d, d->sheet, d->sprite);
        status = status ? status : draw(d, d->poses, "manifold");
    }
    return status ? status : simulated;
}

// A number that sim kept about its last run, 0 when there is none.
static double statistic(const wri_json *json, const char *name)
{
    const wri_json *value = json ? wri_json_find(json, name) : NULL;
    return value ? value->number : 0.0;
}

static void print_table(wri_arena *arena, const demo *d)
{
    const char *path = wri_path_join(arena, d->folder, CLI_STATISTICS);
    size_t size = 0;
    char *text = path ? wri_file_read(path, 1 << 20, NULL, &size, NULL) : NULL;
    const wri_json *json = text ? wri_json_parse(arena, text, size, path, false, NULL) : NULL;
    char bytes[32];
    int64_t recorded = wri_file_size(d->recording);
    double film = statistic(json, "film_seconds");
    printf("\n");
    bool moving = statistic(json, "moving") > 0.0 || !d->sprite; // contacts are those of the engine
    double some = statistic(json, moving ? "moving" : "sprites");
    printf("  %-24s %.0f, %.0f of them %s\n", "bodies", statistic(json, "bodies"), some,
           moving ? "moving" : wri_plural((int64_t)some, "a sprite", "sprites"));
    if (moving) {
        printf("  %-24s %.1f on average, %.0f at most\n", "contacts per step",
               statistic(json, "contacts_per_step"), statistic(json, "most_contacts"));
    }
    printf("  %-24s %.3f\n", "ms per step",
           statistic(json, "engine_ms_per_step") + statistic(json, "material_ms_per_step"));
    printf("  %-24s %.1f\n", "times real time", statistic(json, "times_real_time"));
    cli_say("  %-24s %s, %.1f MB per minute of film", d->recording, cli_size_text(bytes, recorded),
            film > 0.0 ? 60e-6 * (double)recorded / film : 0.0);
    const char *files[] = {d->film, d->take, d->sheet, d->poses};
    for (int i = 0; i < (d->sprite ? 4 : 2); i++) {
        cli_say("  %-24s %s", files[i], cli_size_text(bytes, wri_file_size(files[i])));
    }
    wri_free(NULL, text, size + 1, 1);
}

int cli_demo(int argc, char **argv)
{
    demo d = {.folder = "out"};
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &d.folder, 0, 0, "FOLDER",
         "where everything goes (default: out)"},
        {"--threads", 't', CLI_WHOLE, &d.threads, 1, 256, "N", "threads (default: one per core)"},
        {"--quiet", 'q', CLI_FLAG, &d.quiet, 0, 0, NULL, "print only the table"},
    };
    const cli_usage usage = {"demo",
                             "[NAME]",
                             "Simulates a shipped scene and writes a recording, film.mp4 and "
                             "take.glb, of a sprite also\n"
                             "sprite.png with sprite.json and, if it has poses, poses.png. Files "
                             "that are up to date are\n"
                             "not made again. NAME, default pachinko:\n" METAL ",\n" MORE_METAL
                             ",\n" CLAY ",\n" FLESH ",\n" MORPH ",\n" SPRITES ".",
                             NULL,
                             table,
                             WRI_COUNT(table),
                             0,
                             1};
    const char *name = "pachinko";
    int count, status = cli_parse(&usage, argc, argv, &name, &count);
    if (status >= 0) {
        return status;
    }
    wri_arena arena = wri_arena_create(NULL);
    const char *file = wri_arena_printf(&arena, "%s.scene.json", name);
    d.scene = file ? cli_find_shipped(&arena, file) : NULL;
    d.recording = wri_path_join(&arena, d.folder, WR_RECORD_FILE);
    d.film = wri_path_join(&arena, d.folder, "film.mp4");
    d.take = wri_path_join(&arena, d.folder, "take.glb");
    d.sheet = wri_path_join(&arena, d.folder, "sprite.png");
    d.poses = wri_path_join(&arena, d.folder, "poses.png");
    for (int i = 0; i < WRI_COUNT(sprites); i++) {
        d.sprite = !strcmp(name, sprites[i].scene) ? sprites[i].body : d.sprite;
    }
    if (!d.scene) {
        status = fail_demo(&arena, name);
    } else {
        status = make_all(&d);
        if (status == CLI_OK || status == CLI_TROUBLE) {
            print_table(&arena, &d);
        }
    }
    wri_arena_destroy(&arena);
    return status;
}
