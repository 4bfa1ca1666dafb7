// test_shipped.c: no scene that is shipped gives a warning when it is read and begun, since these
// are what beginners copy. Left out are scenes of clay, flesh and morph, which take minutes to
// begin; heavy recipes are lightened.
#include "wrought/scene.h"
#include "folder.h"

enum { MOST_TEXT = 1 << 17, HEAVY = 4000, LIGHT = 1500 }; // HEAVY, LIGHT: vertices of a lattice

// Names of files may be longer than those that in_folder() is made for.
static const char *copy_of(const char *name)
{
    static char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    return path;
}

static char *read_text(const char *path)
{
    static char text[MOST_TEXT];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    assert_in_range(size, 1, sizeof text - 2);
    text[size] = '\0';
    fclose(file);
    return text;
}

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

// Crushes and fine lattices take most of the time of a build, and what a body touches at the start
// hardly depends on them: the copy has fewer vertices and one example.
static void write_lighter(const char *path, const char *text, const char *vertices)
{
    const char *examples = strstr(vertices, "\n  \"examples\": [");
    const char *rest = examples ? strstr(examples, "\n  ]") : NULL;
    assert_non_null(rest); // as our recipes are laid out
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    const char *behind = vertices + strspn(vertices, "0123456789");
    fprintf(file, "%.*s%d%.*s", (int)(vertices - text), text, LIGHT, (int)(examples - behind),
            behind);
    fprintf(file,
            "\n  \"examples\": [ { \"name\": \"moved\", "
            "\"move\": { \"front left top\": [0, 0.01, 0] } }%s",
            rest);
    assert_int_equal(fclose(file), 0);
}

// Puts what scenes name beside where they are copied to.
static void place(const char *scenes, const char *name)
{
    char from[4096];
    const char *to = copy_of(name), key[] = "\"vertices\": ";
    snprintf(from, sizeof from, "%s/%s", scenes, name);
    if (ends_with(name, ".recipe.json")) {
        const char *text = read_text(from), *vertices = strstr(text, key);
        vertices = vertices ? vertices + strlen(key) : NULL;
        if (vertices && (atoi(vertices) > HEAVY || strstr(text, "\"crush\": {"))) {
            write_lighter(to, text, vertices);
            return;
        }
    }
    assert_int_equal(symlink(from, to), 0);
}

// What this scene warned of is printed with its name.
typedef struct listener {
    const char *name;
    int count;
} listener;

static void listen(void *user, const char *message)
{
    listener *l = user;
    print_message("%s: %s\n", l->name, message);
    l->count++;
}

// Clay, flesh and morph take a minute to begin, and stand alone in most of their scenes.
static bool is_quick(const char *name)
{
    const char *text = read_text(copy_of(name));
    return !strstr(text, "\"clay\"") && !strstr(text, "\"flesh\"") && !strstr(text, "\"morph\"");
}

static int count_warnings(const char *name)
{
    wr_error error = {0};
    listener l = {.name = name};
    const wr_scene_options options = {.tasks = wr_tasks_openmp(2)};
    wr_scene *scene = wr_scene_read(copy_of(name), &options, &error);
    for (int i = 0; scene && i < scene->warning_count; i++) {
        listen(&l, scene->warnings[i]);
    }
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    desc.tasks = options.tasks;
    desc.log = (wr_log){listen, &l};
    wr_world *world = scene ? wr_world_create(&desc, &error) : NULL;
    if (!world) {
        fail_msg("%s", error.message);
    }
    wr_world_step_frame(world);
    wr_world_destroy(world);
    wr_scene_destroy(scene);
    return l.count;
}

static void no_shipped_scene_gives_a_warning(void **state)
{
    (void)state;
    int warnings = 0, count = 0;
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        print_message("WROUGHT_SCENES is not set; no scenes to look at\n");
        skip();
    }
    DIR *list = opendir(scenes);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        if (entry->d_name[0] != '.') {
            place(scenes, entry->d_name);
        }
    }
    rewinddir(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        if (ends_with(entry->d_name, ".scene.json") && is_quick(entry->d_name)) {
            warnings += count_warnings(entry->d_name);
            count++;
        }
    }
    closedir(list);
    assert_true(count > 25);
    assert_int_equal(warnings, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_shipped_scene_gives_a_warning),
    };
    return cmocka_run_group_tests(tests, set_up_with_cache, tear_down);
}
