// test_golden.c: five scenes end in exactly the states they ended in when this table was made.
//
// The numbers hold for every compiler, with and without sanitizers and assertions, and for every
// number of threads. A commit that changes one of them says why in its message; the poses beside
// the state tell whether the motion changed or only what a state consists of.
#include "check.h"

#include "wrought/wrought.h"

#include "../src/base/base.h"

#include <stdlib.h>

enum { STEPS = 600 };

typedef struct golden {
    const char *scene;
    uint64_t state; // hash of everything that goes on
    uint64_t poses; // hash of where the bodies are
} golden;

static golden run(const char *name, const wr_tasks *tasks)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.scene.json", getenv("WROUGHT_SCENES"), name);
    wr_error error = {0};
    wr_scene *scene = wr_scene_read(path, NULL, &error);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.tasks = *tasks;
    wr_world *world = scene ? wr_world_create(&desc, &error) : NULL;
    if (!world) {
        fail_msg("%s", error.message);
    }
    for (int step = 0; step < STEPS; step += scene->substeps) {
        wr_world_step_frame(world);
    }
    const wr_frame *frame = wr_world_frame(world);
    golden result = {name, frame->hash,
                     wri_hash(frame->poses, (size_t)frame->body_count * sizeof(wr_pose), 0)};
    wr_world_destroy(world);
    wr_scene_destroy(scene);
    return result;
}

static void five_scenes_end_where_they_always_ended(void **state)
{
    (void)state;
    static const golden expected[] = {
        {"pachinko", 0x710f38b34a65b215, 0x72b60e83c9a69e98},
        {"loading-dock", 0xd316178dbe901677, 0xd13e10cb28281ba7},
        {"wrecking-ball", 0x0ca81a2f87feec3e, 0xfc45ae2a965bf0e4},
        {"hero", 0x0ec415ffe281c73b, 0x8cf9b8b06be4c962},
        {"ragdoll", 0x028d9613f4bc2b63, 0x661d6e9e4710213d},
    };
    const wr_tasks threads[] = {{0}, wr_tasks_openmp(3)};
    bool same = true;
    for (int i = 0; i < WRI_COUNT(expected); i++) {
        golden found = run(expected[i].scene, &threads[i % 2]);
        if (found.state != expected[i].state || found.poses != expected[i].poses) {
            print_message("{\"%s\", 0x%016llx, 0x%016llx},\n", found.scene,
                          (unsigned long long)found.state, (unsigned long long)found.poses);
            same = false;
        }
    }
    assert_true(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_scenes_end_where_they_always_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
