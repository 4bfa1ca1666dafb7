// golden_scenes.c: small scenes go through exactly the states and frames that their book tells.
//
// usage: golden_scenes BOOK SCENE...: of tests/golden. The first line that changed names the frame.
#include "golden.h"

enum { EVERY = 5 }; // frames from line to line

static const char *book_name;
static char **scene_names;
static int scene_count;

typedef struct run {
    wr_scene *scene;
    wr_world *world;
    golden_print said; // what the world has to tell
} run;

// Files are named without the folder, which is another one elsewhere.
static void hear(void *user, const char *sentence)
{
    const char *folder = golden_path("", "");
    size_t length = strlen(folder);
    const char *text = sentence + (strncmp(sentence, folder, length) == 0 ? length : 0);
    golden_add_text(user, text, strlen(text));
}

static wr_world *create_world(run *r, const wr_tasks *tasks, bool heard)
{
    wr_error error = {0};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = r->scene;
    desc.tasks = *tasks;
    if (heard) {
        desc.log = (wr_log){hear, &r->said};
    }
    wr_world *world = wr_world_create(&desc, &error);
    if (!world) {
        fail_msg("%s", error.message);
    }
    return world;
}

static void note_frame(golden_book *book, const char *scene, const wr_frame *frame,
                       const char *what)
{
    char name[128], how[256];
    golden_print state = {.exact = frame->hash}, look = {0};
    golden_add_frame(&look, frame);
    snprintf(how, sizeof how, "wrought sim tests/golden/%s.scene.json -o out", scene);
    snprintf(name, sizeof name, "%s frame %d %sstate", scene, frame->index, what);
    golden_note(book, name, &state, how);
    snprintf(name, sizeof name, "%s frame %d %slook", scene, frame->index, what);
    golden_note(book, name, &look, how);
}

static void note_end(golden_book *book, const char *scene, run *r)
{
    char name[128];
    wr_world_statistics s = wr_world_stats(r->world);
    const double numbers[] = {
        (double)s.steps, s.bodies,          s.moving,           s.awake,
        s.joints,        s.broken_joints,   s.sprites,          (double)s.contacts,
        s.most_contacts, s.most_substeps,   (double)s.too_fast, s.frozen,
        s.top_speed,     s.material_energy, s.material_gain,    s.material_trouble};
    golden_print statistics = {0}, about = {0};
    for (int i = 0; i < WRI_COUNT(numbers); i++) {
        golden_add_number(&statistics, numbers[i]);
    }
    for (int i = 0; i < r->scene->warning_count; i++) {
        golden_add_text(&r->said, "warning", 7);
    }
    golden_add_info(&about, wr_world_record_info(r->world));
    snprintf(name, sizeof name, "%s statistics", scene);
    golden_note(book, name, &statistics, "wr_world_stats at the end");
    snprintf(name, sizeof name, "%s sentences", scene);
    golden_note(book, name, &r->said, "what the world says to its log, and warnings of the scene");
    snprintf(name, sizeof name, "%s head", scene);
    golden_note(book, name, &about, "wr_world_record_info: stage, bodies, models");
}

// The other half, from the saved bytes on, must end where the whole run did.
static void check_restored(run *r, const void *bytes, size_t size, const wr_frame *last,
                           const char *scene)
{
    wr_error error = {0};
    wr_world *other = create_world(r, &(wr_tasks){0}, false);
    if (!wr_world_restore(other, bytes, size, &error)) {
        fail_msg("%s", error.message);
    }
    while (wr_world_frame(other)->index < last->index) {
        wr_world_step_frame(other);
    }
    golden_print a = {0}, b = {0};
    golden_add_frame(&a, last);
    golden_add_frame(&b, wr_world_frame(other));
    if (wr_world_frame(other)->hash != last->hash || a.exact != b.exact) {
        fail_msg("%s: saved in the middle and restored, it ends elsewhere", scene);
    }
    wr_world_destroy(other);
}

// In the middle, and not within the first second, where a save would be that of the beginning.
static int frame_to_save(const wr_scene *scene)
{
    int frames = wr_scene_frame_count(scene);
    int second = scene->rate_numerator / scene->rate_denominator;
    return frames / 2 > second ? frames / 2 : frames - 2;
}

static void run_scene(golden_book *book, const char *name, const wr_tasks *tasks)
{
    char file[128];
    wr_error error = {0};
    run r = {0};
    snprintf(file, sizeof file, "%s.scene.json", name);
    r.scene = wr_scene_read(golden_path(file, ""), NULL, &error);
    if (!r.scene) {
        fail_msg("%s", error.message);
    }
    r.world = create_world(&r, tasks, true);
    int frames = wr_scene_frame_count(r.scene);
    size_t size = 0;
    void *saved = NULL;
    for (const wr_frame *frame; (frame = wr_world_frame(r.world))->index < frames;) {
        if (frame->index % EVERY == 0) {
            note_frame(book, name, frame, "");
        }
        if (frame->index == frame_to_save(r.scene)) {
            const void *bytes = wr_world_save(r.world, &size, &error);
            assert_non_null(bytes);
            saved = memcpy(malloc(size), bytes, size);
        }
        wr_world_step_frame(r.world);
    }
    note_frame(book, name, wr_world_frame(r.world), "(the last) ");
    check_restored(&r, saved, size, wr_world_frame(r.world), name);
    note_end(book, name, &r);
    free(saved);
    wr_world_destroy(r.world);
    wr_scene_destroy(r.scene);
}

static void small_scenes_go_through_the_frames_of_their_book(void **state)
{
    (void)state;
    temporary_folder folder = temporary_folder_create();
    setenv("XDG_CACHE_HOME", folder.path, 1);
    const wr_tasks threads[] = {{0}, wr_tasks_openmp(3)};
    golden_book book;
    golden_open(&book, book_name);
    for (int i = 0; i < scene_count; i++) {
        run_scene(&book, scene_names[i], &threads[i % 2]);
    }
    temporary_folder_destroy(&folder);
    golden_close(&book);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: golden_scenes BOOK SCENE...\n");
        return 2;
    }
    book_name = argv[1];
    scene_names = argv + 2;
    scene_count = argc - 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_scenes_go_through_the_frames_of_their_book),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
