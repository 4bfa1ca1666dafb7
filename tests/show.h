// show.h: worlds of scenes that are written in a test, with ' for ".
#pragma once

#include "../bench/metal_world.h"
#include "folder.h"

// `assets`: what the scene may name besides the models of scenes/, as in a scene file; NULL: none.
static inline show start_with(const char *assets, const char *text, const wr_tasks *tasks)
{
    show s = {0};
    wr_error error = {0};
    char path[600];
    snprintf(path, sizeof path, "%s/scene.json", folder.path);
    if (!show_start(&s, path, getenv("WROUGHT_SCENES"), assets, text, tasks, &error)) {
        fail_msg("%s", error.message);
    }
    return s;
}

static inline void step_frames(wr_world *world, int count)
{
    for (int i = 0; i < count; i++) {
        wr_world_step_frame(world);
    }
}

// The hash of a scene after `before` and `after` frames. resumes: between them it is saved, and
// goes on in a world that was made anew. What is saved is the state at the last second of film and
// the frames since then: before the first second it would be that at the start.
typedef struct hash_run {
    const char *assets, *text;
    int before, after;
} hash_run;

static inline uint64_t hash_after(const hash_run *run, const wr_tasks *tasks, bool resumes)
{
    show s = start_with(run->assets, run->text, tasks);
    step_frames(s.world, run->before);
    if (resumes) {
        size_t size;
        const void *bytes = wr_world_save(s.world, &size, NULL);
        show other = start_with(run->assets, run->text, tasks);
        assert_true(bytes && wr_world_restore(other.world, bytes, size, NULL));
        show_end(&s);
        s = other;
    }
    step_frames(s.world, run->after);
    uint64_t hash = wr_world_frame(s.world)->hash;
    show_end(&s);
    return hash;
}

// On two threads, and resumed there, everything is the same bit for bit.
static inline void check_same_bits(const hash_run *run)
{
    wr_tasks two = wr_tasks_openmp(2);
    uint64_t hash = hash_after(run, NULL, false);
    assert_true(hash_after(run, &two, true) == hash);
}
