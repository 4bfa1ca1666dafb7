// test_options.c: options of the program do what they say, each seen by what it changes.
#include "program.h"

#include "folder.h"

static void put_text(const char *name, const char *text)
{
    wr_error error = {0};
    if (!wri_file_write(name, text, strlen(text), &error)) {
        fail_msg("%s", error.message);
    }
}

static void need(program_run run)
{
    if (run.status != 0) {
        fail_msg("status %d: %s", run.status, run.said);
    }
}

// Bytes of a file, which the caller frees.
static char *bytes_of(const char *name, size_t *size)
{
    char *bytes = wri_file_read(name, 1 << 22, NULL, size, NULL);
    assert_non_null(bytes);
    return bytes;
}

static bool same_files(const char *a, const char *b)
{
    size_t sizes[2];
    char *x = bytes_of(a, &sizes[0]), *y = bytes_of(b, &sizes[1]);
    bool same = sizes[0] == sizes[1] && memcmp(x, y, sizes[0]) == 0;
    wri_free(NULL, x, sizes[0] + 1, 1);
    wri_free(NULL, y, sizes[1] + 1, 1);
    return same;
}

// --- rendering ----------------------------------------------------------------------------------

static void more_samples_give_another_picture(void **state)
{
    (void)state;
    static const char *const inputs[] = {"run", "box.obj"};
    for (int i = 0; i < 2; i++) {
        need(
            RUN_PROGRAM("render", inputs[i], "-o", "few.png", "--size", "64x36", "--samples", "1"));
        need(RUN_PROGRAM("render", inputs[i], "-o", "many.png", "--size", "64x36", "--samples",
                         "25"));
        need(RUN_PROGRAM("render", inputs[i], "-o", "again.png", "--size", "64x36", "--samples",
                         "25"));
        assert_false(same_files("few.png", "many.png"));
        assert_true(same_files("many.png", "again.png"));
    }
}

static void a_film_has_as_many_pictures_as_its_rate_says(void **state)
{
    (void)state;
    if (system("ffprobe -version >/dev/null 2>&1 && ffmpeg -version >/dev/null 2>&1") != 0) {
        print_message("ffmpeg is not installed\n");
        skip();
    }
    need(RUN_PROGRAM("render", "run", "-o", "slow.mp4", "--size", "32x18", "--samples", "1",
                     "--fps", "12.5", "--from", "0.1", "--to", "0.5"));
    assert_int_equal(system("ffprobe -v error -count_frames -select_streams v -show_entries "
                            "stream=nb_read_frames -of csv=p=0 slow.mp4 >frames.txt"),
                     0);
    size_t size;
    char *text = bytes_of("frames.txt", &size);
    assert_int_equal(atoi(text), 6); // at 0.1, 0.18 ... 0.5 s
    wri_free(NULL, text, size + 1, 1);
}

// --- exporting ----------------------------------------------------------------------------------

static void ply_is_text_when_asked_for(void **state)
{
    (void)state;
    for (int text = 0; text < 2; text++) {
        need(RUN_PROGRAM("export", "run", "-o", "ply.####.ply", "--to", "0.02",
                         text ? "--text" : "--quiet"));
        need(RUN_PROGRAM("export", "box.obj", "-o", "model.ply", text ? "--text" : "--quiet"));
        static const char *const names[] = {"ply.0000.ply", "model.ply"};
        for (int i = 0; i < 2; i++) {
            size_t size;
            char *bytes = bytes_of(names[i], &size);
            assert_int_equal(strstr(bytes, "format ascii 1.0") != NULL, text);
            wri_free(NULL, bytes, size + 1, 1);
        }
    }
}

// --- cleaning -----------------------------------------------------------------------------------

static int count_in(const char *json, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *mended = strstr(json, "\"mended\""), *at = mended ? strstr(mended, quoted) : NULL;
    assert_non_null(at);
    return atoi(at + strlen(quoted));
}

// A box with a vertex that nobody uses, a face that is there twice, one that is turned, and one
// without area.
static void faults_are_kept_when_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *option, *key;
    } cases[] = {{"--keep-unused", "dropped_vertices"},
                 {"--keep-duplicates", "dropped_duplicates"},
                 {"--keep-sides", "turned_triangles"},
                 {"--keep-degenerate", "dropped_degenerate"}};
    put_text("bad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                        "v 5 5 5\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\n"
                        "f 1 4 5\nf 4 8 5\nf 1 4 3\nf 1 2 2\n");
    program_run all = RUN_PROGRAM("clean", "bad.obj", "-o", "clean.glb", "--json");
    need(all);
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        program_run run =
            RUN_PROGRAM("clean", "bad.obj", "-o", "clean.glb", "--json", cases[i].option);
        need(run);
        if (count_in(all.printed, cases[i].key) < 1 || count_in(run.printed, cases[i].key) != 0) {
            fail_msg("%s: %s is %d, and %d without it", cases[i].option, cases[i].key,
                     count_in(run.printed, cases[i].key), count_in(all.printed, cases[i].key));
        }
    }
}

// A model is sound when all its meshes are, whichever comes last.
static void one_unsound_mesh_makes_a_model_unsound(void **state)
{
    (void)state;
    static const char *const box = "f %d %d %d %d\n";
    static const int faces[6][4] = {{1, 4, 3, 2}, {5, 6, 7, 8}, {1, 2, 6, 5},
                                    {3, 4, 8, 7}, {2, 3, 7, 6}, {4, 1, 5, 8}};
    for (int open = 0; open < 3; open++) { // 2: neither
        char text[2000], *out = text;
        for (int k = 0; k < 2; k++) {
            out += sprintf(out, "o box%d\n", k);
            for (int i = 0; i < 8; i++) {
                int x = (i + 1) / 2 % 2, y = i / 2 % 2;
                out += sprintf(out, "v %d %d %d\n", x + 4 * k, y, i / 4);
            }
            for (int i = k == open; i < 6; i++) {
                const int *f = faces[i];
                out += sprintf(out, box, f[0] + 8 * k, f[1] + 8 * k, f[2] + 8 * k, f[3] + 8 * k);
            }
        }
        put_text("two.obj", text);
        program_run run = RUN_PROGRAM("clean", "two.obj", "-o", "two.glb", "--json");
        need(run);
        const char *last = NULL; // of the whole, behind those of the meshes
        for (const char *at = run.printed; (at = strstr(at, "\"sound\": ")); at++) {
            last = at;
        }
        assert_non_null(last);
        assert_int_equal(strncmp(last, "\"sound\": true", 13) == 0, open == 2);
    }
}

static int begin_tests(void **state)
{
    set_up(state);
    if (chdir(folder.path) != 0) {
        return -1;
    }
    put_text("box.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                        "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n");
    put_text("run.scene.json", "{\"wrought\": 1, \"length\": 0.5, \"bodies\": [{\"shape\": "
                               "{\"sphere\": 0.3}, \"at\": [0, 1, 0]}, {\"shape\": \"plane\"}]}");
    return RUN_PROGRAM("sim", "run.scene.json", "-o", "run").status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_samples_give_another_picture),
        cmocka_unit_test(a_film_has_as_many_pictures_as_its_rate_says),
        cmocka_unit_test(ply_is_text_when_asked_for),
        cmocka_unit_test(faults_are_kept_when_asked_for),
        cmocka_unit_test(one_unsound_mesh_makes_a_model_unsound),
    };
    return cmocka_run_group_tests(tests, begin_tests, tear_down);
}
