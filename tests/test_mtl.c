// test_mtl.c: material libraries of Wavefront: options before a picture's name, names that are
// there twice, and which library is not there.
#include "check.h"

#include "../src/base/os.h"
#include "wrought/file.h"

static temporary_folder folder;
static char path[600];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    return path;
}

static wr_model *read_with(const char *libraries, const char *library, const char *use)
{
    char text[1000];
    wr_error error = {0};
    snprintf(text, sizeof text, "mtllib %s\nv 0 0 0\nv 1 0 0\nv 0 1 0\n%sf 1 2 3\n", libraries,
             use);
    assert_true(wri_file_write(in_folder("looks.mtl"), library, strlen(library), NULL));
    assert_true(wri_file_write(in_folder("model.obj"), text, strlen(text), NULL));
    wr_model *m = wr_model_read(path, NULL, &error);
    if (!m) {
        fail_msg("%s", error.message);
    }
    return m;
}

// Options have up to three numbers or words of theirs; the name behind them may begin with either.
static void options_before_a_picture_are_stepped_over(void **state)
{
    (void)state;
    static const char *const lines[] = {"wood.png",
                                        "-imfchan r wood.png",
                                        "-type cube_right wood.png",
                                        "-s 2 2 1 -o 0.5 0 0 wood.png",
                                        "-clamp off -blendu on -type sphere wood.png",
                                        "-bm 0.3 -imfchan l -mm 0 1 wood.png",
                                        "-type sphere -s 1 1 1 two wood.png"};
    for (int i = 0; i < WRI_COUNT(lines); i++) {
        char library[200];
        snprintf(library, sizeof library, "newmtl wood\nmap_Kd %s\n", lines[i]);
        wr_model *m = read_with("looks.mtl", library, "usemtl wood\n");
        if (m->warning_count != 0 || m->looks[0].texture != 0) {
            fail_msg("%s: %s", lines[i], m->warning_count ? m->warnings[0] : "no texture");
        }
        assert_string_equal(m->images[0].name, i < 6 ? "wood" : "two wood");
        wr_model_destroy(m);
    }
}

static void the_first_material_of_a_name_is_meant(void **state)
{
    (void)state;
    wr_model *m = read_with(
        "looks.mtl", "newmtl a\nKd 1 0 0\nnewmtl b\nKd 0 1 0\nnewmtl a\nKd 0 0 1\n", "usemtl a\n");
    assert_int_equal(m->look_count, 3);
    assert_int_equal(m->meshes[0].parts[0].look, 0);
    assert_true(m->looks[0].base_color.r == 1.0f && m->looks[2].base_color.b == 1.0f);
    wr_model_destroy(m);
}

// Words that are no file are one name, up to the next one that is.
static void libraries_that_are_not_there_are_named_whole(void **state)
{
    (void)state;
    static const struct {
        const char *names, *missing;
    } cases[] = {{"not here.mtl looks.mtl", "\"not here.mtl\""},
                 {"looks.mtl gone away.mtl", "\"gone away.mtl\""},
                 {"one two three.mtl looks.mtl", "\"one two three.mtl\""}};
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_model *m = read_with(cases[i].names, "newmtl a\nKd 1 0 0\n", "usemtl a\n");
        assert_int_equal(m->look_count, 1);
        assert_int_equal(m->warning_count, 1);
        assert_non_null(strstr(m->warnings[0], cases[i].missing));
        wr_model_destroy(m);
    }
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    const uint8_t pixels[] = {255, 0, 0, 0, 255, 0};
    return wr_png_write(in_folder("wood.png"), pixels, 2, 1, 3, NULL) &&
                   wr_png_write(in_folder("two wood.png"), pixels, 2, 1, 3, NULL)
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_before_a_picture_are_stepped_over),
        cmocka_unit_test(the_first_material_of_a_name_is_meant),
        cmocka_unit_test(libraries_that_are_not_there_are_named_whole),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
