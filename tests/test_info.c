// test_info.c: what `wrought info` says of files that were made by hand, fact by fact. Caches are
// written here byte by byte: MDD has the big end first, PC2 the little one.
#include "program.h"
#include "surface_sample.h"
#include "whole_rig.h"

static temporary_folder folder;

typedef struct fact {
    const char *name, *value;
} fact;

// The line of a fact: two spaces, its name, spaces, its value. NULL: there is none.
static const char *find_fact(const char *printed, const char *name)
{
    static char value[256];
    size_t length = strlen(name);
    for (const char *line = printed; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "  ", 2) == 0 && strncmp(line + 2, name, length) == 0 &&
            line[2 + length] == ' ') {
            const char *from = line + 2 + length;
            from += strspn(from, " ");
            snprintf(value, sizeof value, "%.*s", (int)strcspn(from, "\n"), from);
            return value;
        }
    }
    return NULL;
}

static void expect_facts(const char *file, const fact *facts, int count)
{
    program_run run = RUN_PROGRAM("info", file);
    if (run.status != 0) {
        fail_msg("%s: %s", file, run.said);
    }
    for (int i = 0; i < count; i++) {
        const char *value = find_fact(run.printed, facts[i].name);
        if (!value || strcmp(value, facts[i].value) != 0) {
            fail_msg("%s: %s is %s, expected %s", file, facts[i].name, value ? value : "not said",
                     facts[i].value);
        }
    }
}

#define EXPECT(FILE, ...)                                                                          \
    expect_facts(FILE, (const fact[]){__VA_ARGS__},                                                \
                 (int)(sizeof((const fact[]){__VA_ARGS__}) / sizeof(fact)))

static void put_text(const char *name, const char *text)
{
    assert_true(wri_file_write(name, text, strlen(text), NULL));
}

// --- caches -----------------------------------------------------------------------------------

static const float places[2][9] = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {-1, 20, 3, 4, 5, -6.5f, 7, 8, 10}};

static size_t put_word(uint8_t *out, size_t at, uint32_t word, bool big)
{
    for (int i = 0; i < 4; i++) {
        out[at + (size_t)i] = (uint8_t)(word >> (big ? 24 - 8 * i : 8 * i));
    }
    return at + 4;
}

static size_t put_float(uint8_t *out, size_t at, float value, bool big)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    return put_word(out, at, word, big);
}

static void put_cache(const char *name, bool big)
{
    uint8_t bytes[256];
    size_t at = 0;
    if (big) {
        at = put_word(bytes, at, 2, big);
        at = put_word(bytes, at, 3, big);
        at = put_float(bytes, at, 0.5f, big);
        at = put_float(bytes, at, 2.25f, big);
    } else {
        memcpy(bytes, "POINTCACHE2\0", 12);
        at = put_word(bytes, 12, 1, big);
        at = put_word(bytes, at, 3, big);
        at = put_float(bytes, at, 0.0f, big);
        at = put_float(bytes, at, 1.0f, big);
        at = put_word(bytes, at, 2, big);
    }
    for (int i = 0; i < 18; i++) {
        at = put_float(bytes, at, places[i / 9][i % 9], big);
    }
    assert_true(wri_file_write(name, bytes, at, NULL));
}

static void caches_are_read_in_their_order_of_bytes(void **state)
{
    (void)state;
    put_cache("a.mdd", true);
    put_cache("a.pc2", false);
    EXPECT("a.mdd", {"format", "MDD"}, {"points", "3"}, {"frames", "2"}, {"length", "1.75 s"},
           {"bounds", "-1 2 -6.5 to 7 20 10 m"}, {"sound", "yes"});
    EXPECT("a.pc2", {"format", "PC2"}, {"points", "3"}, {"frames", "2"},
           {"bounds", "-1 2 -6.5 to 7 20 10 m"}, {"sound", "yes"});
    for (int i = 0; i < 2; i++) {
        wr_error error = {0};
        wr_cache *cache = wr_cache_read(i ? "a.pc2" : "a.mdd", NULL, &error);
        assert_non_null(cache);
        assert_memory_equal(cache->positions, places, sizeof places);
        wr_cache_destroy(cache);
    }
}

// --- rig data ---------------------------------------------------------------------------------

static void rig_data_is_told(void **state)
{
    (void)state;
    put_text("g.tgf", "1 0 0 0\n2 1 -2 0\n5 1 -2 0\n7 4 2 3\n#\n1 2 1 0 0\n2 5 1 0 0\n1 7 0 1 0\n"
                      "2 7 0 0 1\n5 7 0 1 1\n");
    EXPECT("g.tgf", {"nodes", "4"}, {"edges", "5"}, {"bones", "2"}, {"pseudo edges", "2"},
           {"cage edges", "2"}, {"bones of no length", "1"}, {"bounds", "0 -2 0 to 4 2 3 m"},
           {"sound", "no"});
    put_text("m.dmat", "2 3\n0.25\n0.5\n0.125\n-0.75\n2\n1.5\n"); // columns, rows
    EXPECT("m.dmat", {"rows", "3"}, {"columns", "2"}, {"least value", "-0.75"},
           {"greatest value", "2"}, {"least row sum", "-0.5"}, {"greatest row sum", "2.5"},
           {"rows sum to 1", "no"});
    put_text("t.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n2 0 0 0\n"
                       "0 3 0 0\n0 0 4 0\n0 0 -1 0\nTetrahedra\n2\n1 2 3 4 0\n1 2 3 5 0\nEnd\n");
    EXPECT("t.mesh", {"vertices", "5"}, {"tetrahedra", "2"}, {"bounds", "0 0 -1 to 2 3 4 m"},
           {"volume", "3 m^3"}, {"inverted tetrahedra", "1"}, {"flat tetrahedra", "0"},
           {"sound", "no"});
}

// --- models, scenes and recordings ------------------------------------------------------------

static void a_rig_is_told(void **state)
{
    (void)state;
    wr_model *rig = make_rig();
    assert_true(wr_model_write_glb(rig, "rig.glb", NULL));
    wr_model_destroy(rig);
    EXPECT("rig.glb", {"nodes", "5"}, {"meshes", "2"}, {"looks", "2"}, {"images", "2"},
           {"vertices", "12"}, {"triangles", "8"}, {"skins", "1"}, {"joints", "2"},
           {"joints per vertex", "2"}, {"morph targets", "2"}, {"clips", "2"},
           {"clip", "\"walk\", 2 s, 5 tracks, 15 keys"});
    program_run run = RUN_PROGRAM("info", "rig.glb");
    assert_non_null(strstr(run.printed, "\"wave\", 2 s, 2 tracks, 6 keys\n"));
}

static void a_scene_is_told(void **state)
{
    (void)state;
    put_text(
        "s.scene.json",
        "{\"wrought\": 1, \"name\": \"two\", \"length\": 2.5, \"frames\": 24, \"substeps\": 7, "
        "\"bodies\": [{\"shape\": {\"sphere\": 0.1}, \"mass\": 3}, {\"shape\": {\"box\": [1, "
        "1, 1]}, \"mass\": 4.5, \"at\": [3, 0, 0]}, {\"shape\": \"plane\"}], \"cameras\": "
        "[{\"name\": \"a\", \"from\": [0, 1, 5], \"to\": [0, 0, 0]}]}");
    EXPECT("s.scene.json", {"name", "two"}, {"length", "2.5 s"}, {"rate", "24 frames/s"},
           {"substeps", "7 per frame"}, {"bodies", "3"}, {"moving bodies", "2"},
           {"moving mass", "7.5 kg"}, {"joints", "0"}, {"cameras", "1"}, {"sound", "yes"});
}

static void a_recording_is_told(void **state)
{
    (void)state;
    assert_true(sample_write_film("film.wrought", NULL));
    EXPECT("film.wrought", {"title", "sample"}, {"written by", "test"}, {"complete", "yes"},
           {"frames", "13"}, {"planned frames", "13"}, {"rate", "60 frames/s"}, {"length", "0.2 s"},
           {"bodies", "6"}, {"models", "2"}, {"sound", "yes"});
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    return chdir(folder.path);
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
        cmocka_unit_test(caches_are_read_in_their_order_of_bytes),
        cmocka_unit_test(rig_data_is_told),
        cmocka_unit_test(a_rig_is_told),
        cmocka_unit_test(a_scene_is_told),
        cmocka_unit_test(a_recording_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
