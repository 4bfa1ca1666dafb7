// sprite.c: what a frame of sprites costs, in levels as large as the paper's games and in a heap.
//
// The levels are made by arithmetic: as many bodies and particles as the games had, with eight
// handles and four examples each, thrown about so that they fly, land and lie on one another. The
// same script is run several times and the least time of every frame taken, because others use the
// machine. The shipped games are played as they are, in the same table; their frames have as many
// steps as their scenes say.
#include "bench.h"

#include "../src/base/base.h"
#include "../src/base/os.h"
#include "../src/sprite/world.h"
#include "../src/world/sprite.h"
#include "../src/world/world.h"
#include "toy.h"

#include <math.h>
#include <stdio.h>

enum { KINDS = 3, FRAMES_MAX = 1200 };

// Blocks of (across + 1) (up + 1) particles; a disc where up is 0, of `across` rings.
typedef struct kind {
    float width, height;
    int across, up, count;
} kind;

typedef struct level {
    const char *name;
    kind kinds[KINDS];
    float width;         // between the walls, metres
    int platforms;       //
    int every;           // frames between two throws of a body; 0: none, they fall and lie
    double published[4]; // ms: projection, matching, collision, other
    double goal;         // ms per frame
} level;

static const level LEVELS[] = {
    {"platformer, 12 / 1100",
     {{1, 1, 5, 0, 4}, {2.4f, 0.4f, 22, 3, 8}},
     16.0f,
     6,
     40,
     {5.0, 3.6, 0.7, 1.2},
     0.5},
    {"puzzle, 20 / 1800",
     {{1, 1, 5, 0, 10}, {1.6f, 0.6f, 14, 5, 5}, {2.4f, 0.4f, 21, 3, 5}},
     14.0f,
     4,
     60,
     {8.9, 2.3, 13.2, 1.0},
     1.0},
    {"launcher, 15 / 1500",
     {{1, 1, 5, 0, 5}, {2.4f, 0.4f, 25, 3, 5}, {1.6f, 0.5f, 20, 4, 5}},
     30.0f,
     2,
     30,
     {2.0, 6.1, 0.3, 0.5},
     0.5},
    {"heap, 100 / 15000", {{1.2f, 0.8f, 14, 9, 100}}, 14.0f, 0, 0, {NAN, NAN, NAN, NAN}, 16.6},
};

typedef struct stage {
    toy *toys[KINDS];
    wr_sprite_asset *assets[KINDS];
    wr_sprite_world *world;
} stage;

static void close_stage(stage *s)
{
    wr_sprite_world_destroy(s->world);
    for (int k = 0; k < KINDS; k++) {
        wr_sprite_asset_destroy(s->assets[k]);
        toy_destroy(s->toys[k]);
    }
}

static bool add_box(wr_sprite_world *world, float x, float y, float width, float height,
                    wr_error *error)
{
    const wr_vec2 corners[4] = {{-0.5f * width, -0.5f * height},
                                {0.5f * width, -0.5f * height},
                                {0.5f * width, 0.5f * height},
                                {-0.5f * width, 0.5f * height}};
    wr_sprite_level box = {
        .corners = corners, .corner_count = 4, .position = {x, y}, .friction = 0.6f};
    return wr_sprite_add_level(world, &box, error) >= 0;
}

static bool add_surroundings(stage *s, const level *l, wr_error *error)
{
    float half = 0.5f * l->width;
    bool ok = add_box(s->world, 0.0f, -0.5f, l->width + 2.0f, 1.0f, error) &&
              add_box(s->world, -half - 0.5f, 30.0f, 1.0f, 62.0f, error) &&
              add_box(s->world, half + 0.5f, 30.0f, 1.0f, 62.0f, error);
    for (int i = 0; ok && i < l->platforms; i++) {
        float x = l->width * ((float)(i + 1) / (float)(l->platforms + 1) - 0.5f);
        ok = add_box(s->world, x, 1.5f + 1.2f * (float)(i % 3), 1.5f, 0.3f, error);
    }
    return ok;
}

static bool add_kind(stage *s, const level *l, int k, int *placed, wr_error *error)
{
    const kind *made = &l->kinds[k];
    wr_sprite_asset_desc asset = wr_sprite_asset_desc_default();
    s->toys[k] = made->up ? toy_create_block(made->width, made->height, made->across, made->up)
                          : toy_create_disc(0.5f * made->width, made->across);
    if (!s->toys[k]) {
        return wri_fail_memory(error, sizeof *s->toys[k]);
    }
    asset.rig = &s->toys[k]->rig;
    s->assets[k] = wr_sprite_asset_create(&asset, error);
    int row = (int)(l->width / 2.7f);
    for (int i = 0; s->assets[k] && i < made->count; i++, (*placed)++) {
        wr_sprite_desc desc = wr_sprite_desc_default();
        desc.asset = s->assets[k];
        desc.position.x = 2.7f * ((float)(*placed % row) - 0.5f * (float)(row - 1));
        desc.position.y = 6.0f + 1.3f * (float)(*placed / row);
        desc.parameters.stretch_example = TOY_STRETCHED;
        desc.parameters.aim = made->up ? WR_SPRITE_AIM_NONE : WR_SPRITE_AIM_AXIS;
        desc.parameters.angle = 0.5f * WR_PI;
        if (wr_sprite_add(s->world, &desc, error) < 0) {
            return false;
        }
    }
    return s->assets[k] != NULL;
}

static bool open_stage(stage *s, const level *l, wr_error *error)
{
    wr_sprite_world_desc desc = wr_sprite_world_desc_default();
    desc.seconds = wri_seconds;
    *s = (stage){.world = wr_sprite_world_create(&desc, error)};
    int placed = 0;
    bool ok = s->world && add_surroundings(s, l, error);
    for (int k = 0; ok && k < KINDS && l->kinds[k].count > 0; k++) {
        ok = add_kind(s, l, k, &placed, error);
    }
    return ok;
}

// Least times of every frame so far.
typedef struct frame_times {
    double parts[FRAMES_MAX][4];
    double total[FRAMES_MAX];
} frame_times;

static void forget_times(frame_times *least)
{
    for (int f = 0; f < FRAMES_MAX; f++) {
        least->total[f] = INFINITY;
        for (int k = 0; k < 4; k++) {
            least->parts[f][k] = INFINITY;
        }
    }
}

static void keep_least(frame_times *least, int frame, const double parts[4], double total)
{
    for (int k = 0; k < 4; k++) {
        least->parts[frame][k] = fmin(least->parts[frame][k], parts[k]);
    }
    least->total[frame] = fmin(least->total[frame], total);
}

static void throw_one(stage *s, const level *l, int frame)
{
    if (l->every > 0 && frame % l->every == 0) {
        int body = (frame / l->every * 7) % wr_sprite_count(s->world);
        float side = (float)(frame / l->every % 5) - 2.0f;
        wr_sprite_add_velocity(s->world, body, (wr_vec2){1.5f * side, 9.0f}, side);
    }
}

static bool run_level(const level *l, const wr_tasks *tasks, int frames, frame_times *least,
                      wr_error *error)
{
    stage s;
    bool ok = open_stage(&s, l, error);
    for (int f = 0; ok && f < frames; f++) {
        throw_one(&s, l, f);
        wr_sprite_world_step(s.world, 1.0f / 60.0f, tasks);
        wr_sprite_statistics t = wr_sprite_world_stats(s.world);
        double parts[4] = {t.projection, t.matching, t.collision, t.other};
        double total = parts[0] + parts[1] + parts[2] + parts[3];
        keep_least(least, f, parts, total);
    }
    for (int i = 0; ok && i < wr_sprite_count(s.world); i++) {
        ok = wr_sprite_is_sound(s.world, i) ||
             wri_fail(error, WR_E_UNSUPPORTED, "sprite %d has numbers that are not finite", i);
    }
    close_stage(&s);
    return ok;
}

static void add_rows(const char *name, const level *l, const frame_times *t, int frames,
                     bench_rows *rows)
{
    static const char *const parts[4] = {"manifold projection", "shape matching", "collisions",
                                         "other"};
    double mean = 0.0, worst = 0.0, published = 0.0;
    for (int f = 0; f < frames; f++) {
        mean += 1e3 * t->total[f] / frames;
        worst = fmax(worst, 1e3 * t->total[f]);
    }
    for (int k = 0; k < 4; k++) {
        published += l->published[k];
    }
    bench_add_compared(rows, name, "time per frame", "ms", mean, published, l->goal, false);
    bench_add_row(rows, name, "longest frame", "ms", worst, NAN);
    for (int k = 0; k < 4; k++) {
        double part = 0.0;
        for (int f = 0; f < frames; f++) {
            part += 1e3 * t->parts[f][k] / frames;
        }
        bench_add_compared(rows, name, parts[k], "ms", part, l->published[k], NAN, false);
    }
}

// --- the shipped games ------------------------------------------------------------------------

static wr_sprite_world *find_sprites(const wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        if (world->materials[i].material == &wri_sprite_material) {
            int sprite;
            return wri_sprite_world_of(world->materials[i].state, &sprite);
        }
    }
    return NULL;
}

static void name_game(char *name, size_t size, const char *file, const wr_sprite_world *sprites)
{
    int particles = 0;
    for (int i = 0; i < wr_sprite_count(sprites); i++) {
        particles += wr_sprite_asset_describe(wr_sprite_get_asset(sprites, i)).particle_count;
    }
    snprintf(name, size, "%s.scene, %d / %d", file, wr_sprite_count(sprites), particles);
}

// What a frame took is exact, controllers included; how it is split is that of its last step.
static bool run_game(const wr_scene *scene, const char *file, int frames, frame_times *least,
                     char *name, size_t name_size, wr_error *error)
{
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    wr_world *world = wr_world_create(&desc, error);
    wr_sprite_world *sprites = world ? find_sprites(world) : NULL;
    bool ok = sprites || (world && wri_fail(error, WR_E_FORMAT, "%s: no sprites", file));
    for (int f = 0; ok && f < frames; f++) {
        sprites->seconds = wri_seconds;
        double before = wr_world_stats(world).material_seconds;
        wr_world_step_frame(world);
        double total = wr_world_stats(world).material_seconds - before;
        wr_sprite_statistics t = wr_sprite_world_stats(sprites);
        double parts[4] = {t.projection, t.matching, t.collision, total};
        for (int k = 0; k < 3; k++) {
            parts[k] *= scene->substeps;
            parts[3] = fmax(parts[3] - parts[k], 0.0);
        }
        keep_least(least, f, parts, total);
    }
    if (ok) {
        name_game(name, name_size, file, sprites);
    }
    wr_world_destroy(world);
    return ok;
}

// Not there: no rows.
static bool bench_game(const bench_options *options, const char *file, const level *as,
                       frame_times *least, bench_rows *rows, wr_error *error)
{
    char path[1024], name[64];
    snprintf(path, sizeof path, "%s/%s.scene.json", options->scenes, file);
    if (!wri_file_exists(path)) {
        return true;
    }
    wr_scene_options scene_options = {.tasks = wr_tasks_openmp(options->threads)};
    wr_scene *scene = wr_scene_read(path, &scene_options, error);
    bool ok = scene != NULL;
    int frames = ok ? wr_scene_frame_count(scene) : 0, runs = options->full ? 8 : 2;
    frames = frames < FRAMES_MAX ? frames : FRAMES_MAX;
    forget_times(least);
    for (int r = 0; ok && r < runs; r++) {
        ok = bench_goes_on(options, error) &&
             run_game(scene, file, frames, least, name, sizeof name, error);
    }
    if (ok) {
        add_rows(name, as, least, frames, rows);
    }
    wr_scene_destroy(scene);
    return ok;
}

static bool bench_games(const bench_options *options, frame_times *least, bench_rows *rows,
                        wr_error *error)
{
    static const char *const files[] = {"platformer", "puzzle", "launcher"}; // as in LEVELS
    bool ok = true;
    for (int i = 0; ok && options->scenes && i < WRI_COUNT(files); i++) {
        ok = bench_game(options, files[i], &LEVELS[i], least, rows, error);
    }
    return ok;
}

static bool bench_level(const bench_options *options, const level *l, const wr_tasks *tasks,
                        const char *name, frame_times *least, bench_rows *rows, wr_error *error)
{
    int frames = options->full ? FRAMES_MAX : 360, runs = options->full ? 8 : 3;
    bool ok = true;
    forget_times(least);
    for (int r = 0; ok && r < runs; r++) {
        ok = bench_goes_on(options, error) && run_level(l, tasks, frames, least, error);
    }
    if (ok) {
        add_rows(name, l, least, frames, rows);
    }
    return ok;
}

// One thread, as in the paper; and what is large enough to be shared out, on all.
bool bench_sprite(const bench_options *options, bench_rows *rows, wr_error *error)
{
    frame_times *least = wri_alloc(NULL, 1, sizeof *least);
    bool ok = least || wri_fail_memory(error, sizeof *least);
    for (int i = 0; ok && i < WRI_COUNT(LEVELS); i++) {
        ok = bench_level(options, &LEVELS[i], NULL, LEVELS[i].name, least, rows, error);
    }
    const level *heap = &LEVELS[WRI_COUNT(LEVELS) - 1];
    wr_tasks tasks = wr_tasks_openmp(options->threads);
    char name[64];
    snprintf(name, sizeof name, "%s, %d threads", heap->name, tasks.worker_count);
    ok = ok &&
         (tasks.worker_count == 1 || bench_level(options, heap, &tasks, name, least, rows, error));
    ok = ok && bench_games(options, least, rows, error);
    wri_free(NULL, least, 1, sizeof *least);
    return ok;
}
