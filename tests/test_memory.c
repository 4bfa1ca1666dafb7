// test_memory.c: any allocation of the process may fail, those of the libraries beneath us among
// them: nothing crashes, and what fails says that memory is the reason.
//
// malloc and its kin are replaced for the whole process, so that Bullet, Qhull, zstd and the C++
// library are refused memory as we are. Each run is a child of its own: the n-th request of what
// is tried is refused, or that and all later ones.
#include "check.h"

#include "wrought/wrought.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1 // the sanitizer has the heap
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if !defined(IS_SANITIZED)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static volatile long requests = -1; // so far; -1: nobody counts
static volatile long first_refused, last_refused;

static bool is_refused(void)
{
    if (requests < 0) {
        return false;
    }
    long number = ++requests;
    return number >= first_refused && number <= last_refused;
}

void *malloc(size_t size)
{
    return is_refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return is_refused() ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return is_refused() ? NULL : __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
    return is_refused() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = is_refused() ? NULL : __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

// --- runs -------------------------------------------------------------------------------------

static const char *folder;           // with the scene
enum { FINE, REFUSED = 101, WRONG }; // how a child ends

typedef bool trial_fn(const char *path, wr_error *error);

typedef struct trial {
    const char *name;
    trial_fn *run;
    const char *text; // of the file that it reads
    int every;        // in the tests; with WROUGHT_SLOW every one is tried
} trial;

static bool run_scene(const char *path, wr_error *error)
{
    wr_scene *scene = wr_scene_read(path, NULL, error);
    if (!scene) {
        return false;
    }
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    wr_world *world = wr_world_create(&desc, error);
    size_t size;
    for (int i = 0; world && i < wr_scene_frame_count(scene); i++) {
        wr_world_step_frame(world);
    }
    bool ok = world && wr_world_check(world, error) && wr_world_save(world, &size, error);
    wr_world_destroy(world);
    wr_scene_destroy(scene);
    return ok;
}

static bool run_rig(const char *path, wr_error *error)
{
    wr_recipe *recipe = wr_recipe_read(path, NULL, error);
    wr_build_desc desc = wr_build_desc_default();
    wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, NULL, error) : NULL;
    bool ok = asset != NULL;
    wr_asset_destroy(asset);
    wr_recipe_destroy(recipe);
    return ok;
}

static bool run_render(const char *path, wr_error *error)
{
    static uint8_t pixels[64 * 48 * 3];
    wr_model *model = wr_model_read(path, NULL, error);
    wr_render_desc desc = wr_render_desc_default();
    desc.width = 64;
    desc.height = 48;
    desc.samples = 1;
    bool ok = model && wr_model_draw(model, &desc, NULL, WR_PAINT_LOOKS, pixels, error);
    wr_model_destroy(model);
    return ok;
}

static bool run_recording(const char *path, wr_error *error)
{
    char file[600];
    snprintf(file, sizeof file, "%s/memory.wrought", folder);
    wr_scene *scene = wr_scene_read(path, NULL, error);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    wr_world *world = scene ? wr_world_create(&desc, error) : NULL;
    wr_record_writer *writer =
        world ? wr_record_create(file, wr_world_record_info(world), error) : NULL;
    bool ok = writer && wr_record_add_frame(writer, wr_world_frame(world), error);
    for (int i = 0; ok && i < wr_scene_frame_count(scene); i++) {
        wr_world_step_frame(world);
        ok = wr_world_check(world, error) &&
             wr_record_add_frame(writer, wr_world_frame(world), error);
    }
    ok = ok && wr_record_finish(writer, true, error);
    wr_record_writer_destroy(writer);
    wr_world_destroy(world);
    wr_scene_destroy(scene);
    wr_take *take = ok ? wr_take_open(file, error) : NULL;
    wr_show_desc show_desc = wr_show_desc_default();
    show_desc.take = take;
    show_desc.width = 64;
    show_desc.height = 48;
    show_desc.samples = 1;
    wr_show *show = take ? wr_show_create(&show_desc, error) : NULL;
    static uint8_t pixels[64 * 48 * 3];
    ok = ok && show && wr_show_draw(show, 3, pixels, error);
    wr_show_destroy(show);
    wr_take_close(take);
    return ok;
}

// Runs in a child; writes a wrong answer's words to `out`.
static _Noreturn void attempt(const trial *t, const char *path, long n, bool all, int out)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS};
    wr_error error = {0};
    for (int i = 0; i < WRI_COUNT(crashes); i++) {
        signal(crashes[i], SIG_DFL); // cmocka would go on with the next test
    }
    alarm(60);
    first_refused = n;
    last_refused = all ? LONG_MAX : n;
    requests = 0;
    bool ok = t->run(path, &error);
    long made = requests;
    requests = -1;
    bool right = ok || (error.code == WR_E_MEMORY && !strstr(error.message, " 0 bytes"));
    if (n == 0) {
        (void)!write(out, &made, sizeof made);
    } else if (!right) {
        (void)!write(out, error.message, sizeof error.message);
    }
    _exit(ok ? FINE : right ? REFUSED : WRONG);
}

// Returns how the child ended, -1: by a signal.
static int fork_attempt(const trial *t, const char *path, long n, bool all, void *answer,
                        size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        attempt(t, path, n, all, ends[1]);
    }
    close(ends[1]);
    memset(answer, 0, size);
    (void)!read(ends[0], answer, size);
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        snprintf(answer, size, "signal %d", WTERMSIG(status));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_text(const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void try_all(const trial *t)
{
    char path[600];
    snprintf(path, sizeof path, "%s", t->text);
    if (t->text[0] == '{') {
        snprintf(path, sizeof path, "%s/memory.json", folder);
        write_text("memory.json", t->text);
    }
    long made = 0;
    if (fork_attempt(t, path, 0, false, &made, sizeof made) != FINE) { // fills the cache, too
        fail_msg("%s: does not run with enough memory", t->name);
    }
    assert_int_equal(fork_attempt(t, path, 0, false, &made, sizeof made), FINE);
    int went_on = 0, refused = 0, wrong = 0, crashed = 0,
        every = getenv("WROUGHT_SLOW") ? 1 : t->every, tried = 0;
    for (long n = 1; n <= made; n += every) {
        for (int all = 0; all < 2; all++, tried++) {
            char words[512];
            int end = fork_attempt(t, path, n, all, words, sizeof words);
            went_on += end == FINE;
            refused += end == REFUSED;
            wrong += end == WRONG;
            crashed += end != FINE && end != REFUSED && end != WRONG;
            if (end != FINE && end != REFUSED) {
                print_message("%s: request %ld%s: %s\n", t->name, n, all ? " and all later" : "",
                              words);
            }
        }
    }
    print_message(
        "%s: %ld requests, %d tried: %d went on, %d said so, %d wrong words, %d crashed\n", t->name,
        made, tried, went_on, refused, wrong, crashed);
    assert_int_equal(wrong + crashed, 0);
}

// A coarse barrel: the requests of a fine one in a third of the time. %s: the shipped scenes.
static const char small_recipe[] =
    "{ \"wrought\": 1, \"name\": \"small\", \"model\": \"%s/models/barrel.glb\",\n"
    "  \"simulation\": { \"vertices\": 250 }, \"handles\": { \"automatic\": 4 },\n"
    "  \"examples\": [ { \"name\": \"caved\", \"morph\": \"caved\" } ] }\n";

// The hit comes at once, and so do new contacts.
static const char metal_scene[] =
    "{ \"wrought\": 1, \"name\": \"memory\", \"length\": 0.1,\n"
    "  \"assets\": { \"barrel\": \"small.recipe.json\" },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"ground\", \"shape\": \"plane\" },\n"
    "    { \"name\": \"barrel\", \"asset\": \"barrel\", \"material\": \"metal\",\n"
    "      \"at\": [0, 0.46, 0], \"velocity\": [0, -8, 0] },\n"
    "    { \"name\": \"box\", \"shape\": { \"box\": [1, 1, 1] }, \"at\": [0.2, 1.42, 0],\n"
    "      \"velocity\": [0, -8, 0] } ],\n"
    "  \"joints\": [ { \"bodies\": [\"box\"], \"at\": [3, 1.4, 0] } ] }\n";

static const char sprite_scene[] =
    "{ \"wrought\": 1, \"name\": \"memory\", \"length\": 0.1, \"flat\": true,\n"
    "  \"assets\": { \"ball\": \"%s/ball.recipe.json\" },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"one\", \"asset\": \"ball\", \"at\": [0, 0.3, 0],\n"
    "      \"velocity\": [0, -3, 0], \"material\": { \"sprite\": \"rubber ball\" } },\n"
    "    { \"name\": \"box\", \"shape\": { \"box\": [0.4, 0.4, 0.4] }, \"at\": [0.1, 1, 0],\n"
    "      \"velocity\": [0, -3, 0] },\n"
    "    { \"name\": \"floor\", \"shape\": { \"box\": [4, 1, 1] }, \"at\": [0, -0.5, 0],\n"
    "      \"motion\": \"static\" } ] }\n";

static void try_text(const char *name, trial_fn *run, const char *format, int every)
{
    char text[2000];
    snprintf(text, sizeof text, format, getenv("WROUGHT_SCENES"));
    try_all(&(trial){name, run, text, every});
}

static void try_file(const char *name, trial_fn *run, const char *file, int every)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", getenv("WROUGHT_SCENES"), file);
    try_all(&(trial){name, run, path, every});
}

static void metal_scenes_survive_every_refusal(void **state)
{
    (void)state;
    try_text("metal scene", run_scene, metal_scene, 7);
}

static void sprite_scenes_survive_every_refusal(void **state)
{
    (void)state;
    try_text("sprite scene", run_scene, sprite_scene, 11);
}

static void recordings_and_pictures_survive_every_refusal(void **state)
{
    (void)state;
    try_text("recording", run_recording, metal_scene, 23);
}

static void rigs_survive_every_refusal(void **state)
{
    (void)state;
    try_file("rig of a drawing", run_rig, "box.recipe.json", 19);
    try_text("rig of a solid", run_rig, small_recipe, 97);
}

static void pictures_of_models_survive_every_refusal(void **state)
{
    (void)state;
    try_file("picture of a model", run_render, "models/barrel.glb", 5);
}
#endif

// With an argument: only the tests whose name it matches, such as "*metal*".
int main(int argc, char **argv)
{
#if defined(IS_SANITIZED)
    (void)argc;
    (void)argv;
    return 0;
#else
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    temporary_folder own = temporary_folder_create();
    char recipe[600];
    folder = own.path;
    snprintf(recipe, sizeof recipe, small_recipe, getenv("WROUGHT_SCENES"));
    write_text("small.recipe.json", recipe);
    setenv("XDG_CACHE_HOME", folder, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metal_scenes_survive_every_refusal),
        cmocka_unit_test(sprite_scenes_survive_every_refusal),
        cmocka_unit_test(recordings_and_pictures_survive_every_refusal),
        cmocka_unit_test(rigs_survive_every_refusal),
        cmocka_unit_test(pictures_of_models_survive_every_refusal),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    temporary_folder_destroy(&own);
    return failed;
#endif
}
