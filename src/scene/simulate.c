// simulate.c: the scenes that examples of a recipe come from are simulated before it is built.
//
// A scene is simulated up to the last moment that an example of the recipe shows. Recordings are
// kept in the user's cache folder, named by the hash of everything that the scene reads, by the
// program, and by how many frames they have. To what follows they are recordings like any other.
#include "../author/recipe.h"
#include "../base/cache.h"
#include "../base/os.h"
#include "scene.h"

enum { MOST_SCENES = 16 }; // that wait for one another

// A recipe may not need itself.
static bool check_chain(const char *path, const wri_scene_chain *outer, wr_error *error)
{
    int depth = 0;
    for (const wri_scene_chain *c = outer; c; c = c->outer) {
        if (wri_same_file(c->path, path)) {
            return wri_fail(error, WR_E_FORMAT, "%s needs this recipe itself", path);
        }
        depth++;
    }
    return depth < MOST_SCENES ||
           wri_fail(error, WR_E_FORMAT, "%s: more than %d scenes need one another", path,
                    MOST_SCENES);
}

// NULL: there is no place for it.
static const char *find_entry(wri_arena *arena, uint64_t hash, int frames)
{
    hash ^= wri_program_stamp();
    const char *folder = wri_cache_folder(arena);
    char *name = wri_arena_printf(arena, "%016llx-%d.wrought", (unsigned long long)hash, frames);
    return folder && name && wri_folder_create(folder, NULL) ? wri_path_join(arena, folder, name)
                                                             : NULL;
}

// A cache that was damaged is as good as none. The last frame needs all before it.
static bool is_sound(const char *path, const wr_scene *scene, int frames)
{
    wr_record_reader *reader = wri_file_exists(path) ? wr_record_open(path, NULL) : NULL;
    bool sound = reader && wr_record_about(reader)->scene_hash == scene->hash &&
                 wr_record_is_complete(reader) && wr_record_frame_count(reader) == frames + 1 &&
                 wr_record_read_frame(reader, frames, NULL);
    wr_record_close(reader);
    return sound;
}

static bool record(wr_world *world, int frames, const char *path, const wr_progress *progress,
                   wr_error *error)
{
    wr_record_info info = *wr_world_record_info(world);
    info.planned_frames = frames;
    wr_record_writer *writer = wr_record_create(path, &info, error);
    bool ok = writer && wr_record_add_frame(writer, wr_world_frame(world), error);
    for (int i = 0; ok && i < frames; i++) {
        if (progress->report) {
            progress->report(progress->user, "simulating", (double)i / frames);
        }
        wr_world_step_frame(world);
        ok = wr_world_check(world, error) &&
             wr_record_add_frame(writer, wr_world_frame(world), error);
    }
    ok = ok && wr_record_finish(writer, true, error);
    wr_record_writer_destroy(writer);
    return ok;
}

static bool simulate(wri_arena *arena, const wr_scene *scene, int frames,
                     const wr_scene_options *options, const char *path, wr_error *error)
{
    const wr_progress silence = {0};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    if (options) {
        desc.tasks = options->tasks;
    }
    const char *part = wri_path_part(arena, path);
    wr_world *world = part ? wr_world_create(&desc, error) : NULL;
    bool ok = (part || wri_fail_memory(error, strlen(path))) && world &&
              record(world, frames, part, options ? &options->progress : &silence, error) &&
              wri_file_rename(part, path, error);
    wr_world_destroy(world);
    if (part && !ok) {
        wri_file_remove(part);
    }
    return ok;
}

// Number of frames to simulate so that all examples that name the scene as this one does have
// theirs. The readers of examples complain about frames behind the scene's end.
static int needed_frames(const wr_recipe *recipe, const char *name, const wr_scene *scene)
{
    double rate = (double)scene->rate_numerator / scene->rate_denominator;
    int total = wr_scene_frame_count(scene), most = 0;
    for (int i = 0; i < recipe->example_count; i++) {
        const raw_recording *raw = &recipe->examples[i].recording;
        if (raw->scene && strcmp(raw->scene, name) == 0) {
            int frame = wri_recording_frame(raw, rate);
            most = frame < 0 || frame > total ? total : frame > most ? frame : most;
        }
    }
    return most;
}

// The recording of a scene file, in the recipe's arena; NULL: error says why.
static const char *find_recording(wr_recipe *recipe, const char *name, const char *path,
                                  const wr_scene_options *options, const wri_scene_chain *outer,
                                  wr_error *error)
{
    wri_arena *arena = &recipe->arena;
    wr_scene *scene = NULL;
    if (check_chain(path, outer, error)) {
        scene = wri_scene_read(path, options, outer, error);
    }
    int frames = scene ? needed_frames(recipe, name, scene) : 0;
    const char *entry = scene ? find_entry(arena, scene->hash, frames) : NULL;
    if (scene && !entry) {
        wri_fail(error, WR_E_IO,
                 "%s: there is no cache folder to keep its recording in; set XDG_CACHE_HOME", path);
    }
    if (entry && is_sound(entry, scene, frames)) {
        wri_cache_use(entry);
    } else if (entry && !simulate(arena, scene, frames, options, entry, error)) {
        entry = NULL;
    }
    wr_scene_destroy(scene);
    return entry;
}

bool wri_recipe_simulate(wr_recipe *recipe, const wr_scene_options *options,
                         const wri_scene_chain *outer, wr_error *error)
{
    wri_reader reader = {&recipe->arena, recipe->path, "recipe", NULL, error};
    for (int i = 0; i < recipe->example_count; i++) {
        wri_recipe_example *example = &recipe->examples[i];
        const char *scene = example->recording.scene;
        if (!scene || example->simulated) {
            continue;
        }
        wr_error why = {0};
        const char *path = wri_recipe_file(recipe, &recipe->arena, scene);
        if (!path) {
            return wri_fail_memory(error, strlen(scene));
        }
        example->simulated = find_recording(recipe, scene, path, options, outer, &why);
        if (!example->simulated) {
            reader.where = wri_quoted(&reader, "example", example->raw.name);
            return wri_fail_inner(&reader, wri_json_find(example->raw.recording, "scene"), &why);
        }
    }
    return true;
}

bool wr_recipe_simulate(wr_recipe *recipe, const wr_scene_options *options, wr_error *error)
{
    if (!WRI_REQUIRE(error, recipe)) {
        return false;
    }
    return wri_recipe_simulate(recipe, options, NULL, error);
}
