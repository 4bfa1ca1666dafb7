// test_asset_refused.c: broken assets are refused with a sentence, and short memory harms none.
#include "asset_file.h"

// --- what is refused --------------------------------------------------------------------------

typedef struct change {
    const char *from, *to; // of the JSON
    const char *sentence;  // part of it
    wr_code code;          // 0: WR_E_FORMAT
} change;

static const change changes[] = {
    {"\"WROUGHT_asset\":{", "\"WROUGHT_assez\":{",
     "a model without the extension WROUGHT_asset, so it is not an asset"},
    {"\"version\":3,", "\"versiom\":3,", "WROUGHT_asset without \"version\""},
    {"\"oldestReader\":1", "\"oldestReader\":10",
     "an asset of version 3, which needs a reader of version 10; this one has 9", WR_E_UNSUPPORTED},
    {"\"oldestReader\":1", "\"oldestReader\":-", "- is not a number"},
    {"\"name\":\"sample\",\"recipeHash\"", "\"name\":123456789,\"recipeHash\"",
     "name is a number, expected a text"},
    {"0123456789abcdef", "0123456789abcdeg", "recipeHash: expected 16 hexadecimal digits"},
    {"\"material\":\"{", "\"material\":\"[", "material:1:10: unexpected"},
    {"\"simulation\"", "\"simulatiom\"", "WROUGHT_asset without \"simulation\""},
    {"\"dimension\":3", "\"dimension\":4", "simulation: dimension 4, expected 2 or 3"},
    {"\"dimension\":3", "\"dimension\":1", "simulation: dimension 1, expected 2 or 3"},
    {"\"dimension\":3", "\"dimension\":2", "elements[1]: flat or turned inside out"},
    {"\"rest\":", "\"resz\":", "simulation without \"rest\""},
    {"\"elements\":", "\"elemenzs\":", "simulation without \"elements\""},
    {"\"handles\":[{", "\"handlez\":[{", "weights without \"handles\""},
    {"\"parent\":1", "\"parent\":3", "parent: 3 is not below 2"},
    {"\"vertex\":0", "\"vertex\":-1", "vertex: expected a whole number from 0"},
    {"\"vertex\":26", "\"vertex\":27", "vertex: 27 is not below 27"},
    {"\"pivots\":", "\"pivotz\":", "WROUGHT_asset without \"pivots\""},
    {"\"rotations\":", "\"rotationz\":", "WROUGHT_asset without \"rotations\""},
    {"\"offsets\":", "\"offsetz\":", "WROUGHT_asset without \"offsets\""},
    {"\"examples\":[{", "\"examplez\":[{", "WROUGHT_asset without \"examples\""},
    {"\"rides\":", "\"ridez\":", "WROUGHT_asset without \"rides\""},
    {"\"strength\":1.5", "\"strength\":\"1\"", "strength is a text, expected a number"},
    {"\"strength\":1.5", "\"strength\":-15", "cuts[0]: strength -15"},
    {"\"normal\":[0,1,0]", "\"normal\":[0,2,0]", "cuts[0]: normal not of unit length"},
    {"\"normal\":[0,1,0]", "\"normal\":[0,0,1,0]", "normal: expected 3 numbers"},
    {"\"normal\":", "\"normaX\":", "an item without \"normal\""},
    {"\"clips\":[{", "\"clips\":[7,{", "clips: item 0 is a number, expected an object"},
    {"\"length\":2", "\"lengtX\":2", "an item without \"length\""},
    {"\"length\":2", "\"length\":\"\"", "length is a text, expected a number"},
    {"\"length\":2", "\"length\":-2", "clips[1]: no name, or length -2 s"},
    {"\"length\":1.3", "\"length\":0.3",
     "clip \"walk \"fast\"\": the times of track 0 do not increase from 0 to 0.3"},
    {"\"handle\":1,", "\"handle\":6,", "handle: 6 is not below 6"},
    {"\"handle\":1,", "\"handlX\":1,", "an item without \"handle\""},
    {"\"handle\":1,", "\"handle\":0,", "track 2 is not after the one before"},
    {"\"path\":\"translation\"", "\"path\":\"smell\"",
     "path is \"smell\", expected \"rotation\", \"translation\" or \"stretch\""},
    {"\"path\":\"translation\"", "\"path\":\"rotation\"", "has not 4 floats per element"},
    {"\"path\":\"translation\"", "\"patX\":\"translation\"", "an item without \"path\""},
    {"\"input\":", "\"inpuX\":", "an item without \"input\""},
    {"\"output\":", "\"outpuX\":", "an item without \"output\""},
};

// Replaces the first place behind the extension's name; the JSON keeps its length in blanks.
static void put_changed(const char *bytes, size_t size, const change *c)
{
    size_t json = 0, from = strlen(c->from), to = strlen(c->to);
    for (int i = 0; i < 4; i++) {
        json |= (size_t)(uint8_t)bytes[12 + i] << (8 * i);
    }
    char *text = calloc(1, json + 1), *out = malloc(size + 64);
    memcpy(text, bytes + 20, json);
    char *behind = strstr(text, "\"extensions\":");
    char *at = behind ? strstr(behind, c->from) : NULL;
    if (!at) {
        fail_msg("%s is not in the file", c->from);
    }
    size_t first = (size_t)(at - text), grown = (json + to - from + 3) / 4 * 4;
    memcpy(out, bytes, 20 + first);
    memcpy(out + 20 + first, c->to, to);
    memcpy(out + 20 + first + to, at + from, json - first - from);
    memset(out + 20 + json + to - from, ' ', grown - (json + to - from));
    memcpy(out + 20 + grown, bytes + 20 + json, size - 20 - json);
    size_t total = size - json + grown;
    for (int i = 0; i < 4; i++) {
        out[8 + i] = (char)(total >> (8 * i));
        out[12 + i] = (char)(grown >> (8 * i));
    }
    put_bytes(other, out, total);
    free(text);
    free(out);
}

static void broken_extensions_are_refused_with_a_sentence(void **state)
{
    (void)state;
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    wr_asset_destroy(asset);
    size_t size;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
    for (int i = 0; i < WRI_COUNT(changes); i++) {
        wr_error error = {0};
        put_changed(bytes, size, &changes[i]);
        wr_asset *read = wr_asset_read(other, NULL, &error);
        if (read || !strstr(error.message, changes[i].sentence)) {
            fail_msg("%s: \"%s\", expected \"%s\"", changes[i].to,
                     read ? "was read" : error.message, changes[i].sentence);
        }
        assert_int_equal(error.code, changes[i].code ? changes[i].code : WR_E_FORMAT);
        assert_int_equal(strncmp(error.message, other, strlen(other)), 0);
    }
    wri_free(NULL, bytes, size + 1, 1);
}

// A later writer may add what older readers need not know.
static void what_a_later_version_adds_is_passed_over(void **state)
{
    (void)state;
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    size_t size;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
    const change later = {"\"version\":3,", "\"version\":10,\"smell\":[{\"rose\":1}],"};
    put_changed(bytes, size, &later);
    wr_asset *again = read_from(other);
    assert_same_asset(asset, again);
    wri_free(NULL, bytes, size + 1, 1);
    wr_asset_destroy(again);
    wr_asset_destroy(asset);
}

// An asset without clips is the file that it always was.
static void only_clips_need_a_later_version(void **state)
{
    (void)state;
    const struct {
        const sample_shape *shape;
        const char *head;
    } cases[] = {{&rich, "\"version\":3,\"oldestReader\":1,"},
                 {&plain, "\"version\":2,\"oldestReader\":1,"},
                 {&bare, "\"version\":2,\"oldestReader\":1,"}};
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_asset *asset = sample_asset_create(*cases[i].shape);
        write_to(asset, path);
        size_t size;
        char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
        assert_non_null(strstr(bytes + 20, cases[i].head));
        assert_int_equal(!strstr(bytes + 20, "\"clips\""), asset->clip_count == 0);
        wri_free(NULL, bytes, size + 1, 1);
        wr_asset_destroy(asset);
    }
}

// Older readers pass them over.
static void maps_of_clay_and_flesh_have_versions_of_their_own(void **state)
{
    (void)state;
    for (int kind = 0; kind < WR_MAP_COUNT; kind++) {
        wr_asset *asset = sample_asset_create(bare);
        size_t n = (size_t)asset->rig.vertex_count, size;
        for (int k = 0; k < WR_MAP_COUNT; k++) {
            asset->maps[k] = k == kind ? wr_asset_alloc(asset, n, sizeof(float)) : NULL;
        }
        for (size_t i = 0; i < n; i++) {
            asset->maps[kind][i] = 0.1f * (float)i;
        }
        write_to(asset, path);
        char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
        bool is_clay = kind == WR_MAP_FLOW || kind == WR_MAP_SPACING;
        char head[64];
        snprintf(head, sizeof head, "\"version\":%d,\"oldestReader\":1,",
                 kind == WR_MAP_THICKNESS ? 5
                 : is_clay                ? 4
                                          : 2);
        assert_non_null(strstr(bytes + 20, head));
        wri_free(NULL, bytes, size + 1, 1);
        wr_asset *again = read_from(path);
        assert_same_asset(asset, again);
        wr_asset_destroy(again);
        wr_asset_destroy(asset);
    }
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    // Accessors of the extension, by the member that names them, exchanged with another.
    static const char *const pairs[][3] = {
        {"\"weights\":", "\"pivots\":", "has not 1 float per element"},
        {"\"rotations\":", "\"offsets\":", "has not 4 floats per element"},
        {"\"elements\":", "\"rest\":", "has not 1 whole number per element"},
        {"\"yield\":", "\"weights\":", "has 162 elements, expected 27"},
        {"\"correctives\":", "\"rest\":", ""},
        {"\"details\":", "\"rest\":", "has 27 elements, expected 24"},
    };
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    wr_asset_destroy(asset);
    size_t size;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL);
    const char *json = strstr(bytes + 20, "\"extensions\":");
    for (int i = 0; i < WRI_COUNT(pairs); i++) {
        char from[64], to[64];
        wr_error error = {0};
        const char *a = strstr(json, pairs[i][0]), *b = strstr(json, pairs[i][1]);
        assert_true(a && b);
        int number = atoi(a + strlen(pairs[i][0])), wrong = atoi(b + strlen(pairs[i][1]));
        snprintf(from, sizeof from, "%s%d", pairs[i][0], number);
        snprintf(to, sizeof to, "%s%d", pairs[i][0], wrong);
        put_changed(bytes, size, &(change){from, to, ""});
        wr_asset *read = wr_asset_read(other, NULL, &error);
        assert_int_equal(read != NULL, !pairs[i][2][0]); // rest positions are sound correctives
        if (!strstr(error.message, pairs[i][2])) {
            fail_msg("\"%s\", expected \"%s\"", error.message, pairs[i][2]);
        }
        wr_asset_destroy(read);
    }
    wri_free(NULL, bytes, size + 1, 1);
}

static void pins_tie_vertices_of_a_drawing(void **state)
{
    (void)state;
    static const struct {
        wr_pin pin;
        const char *expected;
    } wrong[] = {
        {{-1, {1, 2, 3}, {1, 0, 0}}, "pins[0]: particle -1 on 1 2 3, expected four different"},
        {{16, {1, 2, 3}, {1, 0, 0}}, "pins[0]: particle 16 on 1 2 3"},
        {{3, {1, 2, 3}, {1, 0, 0}}, "pins[0]: particle 3 on 1 2 3"},
        {{0, {1, 2, 2}, {1, 0, 0}}, "pins[0]: particle 0 on 1 2 2"},
        {{0, {1, 2, 3}, {1, 0.5f, 0}}, "pins[0]: the weights add up to 1.5, not 1"},
        {{0, {1, 2, 3}, {NAN, 0, 0}}, "pins[0]: the weights add up to nan, not 1"},
    };
    wr_asset *a = sample_asset_create(flat);
    assert_int_equal(a->pin_count, 2);
    for (int i = 0; i < WRI_COUNT(wrong); i++) {
        wr_error error = {0};
        a->pins[0] = wrong[i].pin;
        assert_false(wr_asset_check(a, &error));
        if (strncmp(error.message, wrong[i].expected, strlen(wrong[i].expected)) != 0) {
            fail_msg("\"%s\", expected \"%s\"", error.message, wrong[i].expected);
        }
    }
    wr_asset_destroy(a);
}

// Each makes one fault, and returns what is said of it; NULL: there are no more.
static const char *spoil_rig(wr_asset *a, int fault)
{
    wr_rig *rig = &a->rig;
    switch (fault) {
    case 0:
        rig->weights[9] += 0.01f;
        return "weights: those of vertex 1 add up to 1.01, not 1";
    case 1:
        rig->rest[4].y = NAN;
        return "rest[4]: not finite";
    case 2:
        rig->elements[4] = rig->elements[5];
        return "elements[1]: flat or turned inside out";
    case 3:
        rig->ride_count--;
        return "rides: 23, but the mesh has 24 vertices";
    case 4:
        rig->rides[7].weights[2] += 0.5f;
        return "rides[7]: the weights add up to 1.5, not 1";
    case 5:
        rig->handles[3].parent = 3;
        return "handles[3]: no name, or parent 3 or vertex";
    case 6:
        rig->examples[0].poses[0].offset.x = 1.0f;
        return "examples[0]: must be the rest shape, but handle 0 is moved";
    case 7:
        rig->examples[2].name = NULL;
        return "examples[2]: no name";
    case 8:
        rig->element_count = 0;
        rig->ride_count = 0;
        return "elements: there are none";
    default:
        return NULL;
    }
}

static const char *spoil_model(wr_asset *a, int fault)
{
    static wr_pin lone = {0, {1, 2, 3}, {1, 0, 0}};
    switch (fault) {
    case 0:
        a->maps[WR_MAP_YIELD][2] = -1.0f;
        return "map yield: vertex 2 has -1";
    case 1:
        a->cuts[1].normal.x = 0.0f;
        return "cuts[1]: normal not of unit length, or not finite";
    case 2:
        a->material = "{ \"metal\": }";
        return "material:1:12: unexpected '}', expected a value";
    case 3:
        a->model->meshes->parts[1].first_triangle++;
        a->model->meshes->parts[1].triangle_count--;
        return "model: part 1 begins at triangle 5, expected 4, and at least one";
    case 4:
        a->model->nodes[0].pose.position.x = 1.0f;
        return "model: its node has a transform";
    case 5:
        a->pin_count = 1;
        a->pins = &lone;
        return "pins: 1 in dimension 3, expected them in 2 only";
    default:
        return NULL;
    }
}

static const char *spoil_clips(wr_asset *a, int fault)
{
    wr_rig_clip *clips = a->clips;
    switch (fault) {
    case 0:
        clips[1].name = clips[0].name;
        return "clips[1]: has the name of another";
    case 1:
        clips[0].tracks[0].times[2] = clips[0].tracks[0].times[1];
        return "clip \"walk \"fast\"\": the times of track 0 do not increase";
    case 2:
        clips[0].tracks[0].values[3] += 1e-3f;
        return "clip \"walk \"fast\"\": track 0 is not finite, or a rotation not of unit";
    case 3:
        clips[0].tracks[2].values[0] = NAN;
        return "clip \"walk \"fast\"\": track 2 is not finite";
    case 4:
        clips[0].tracks[3].key_count = 0;
        return "clip \"walk \"fast\"\": the times of track 3 do not increase";
    default:
        return NULL;
    }
}

static bool finds_fault(const char *(*spoil)(wr_asset *a, int fault), int fault)
{
    wr_asset *a = sample_asset_create(rich);
    wr_error error = {0};
    assert_true(wr_asset_check(a, &error));
    const char *expected = spoil(a, fault);
    if (expected) {
        assert_false(wr_asset_check(a, &error));
        if (strncmp(error.message, expected, strlen(expected)) != 0) {
            fail_msg("\"%s\", expected \"%s\"", error.message, expected);
        }
        wri_file_remove(path);
        assert_false(wr_asset_write(a, path, &error));
        assert_false(wri_file_exists(path));
    }
    wr_asset_destroy(a);
    return expected != NULL;
}

static void check_finds_what_cannot_be(void **state)
{
    (void)state;
    const char *(*const spoilers[])(wr_asset * a, int fault) = {spoil_rig, spoil_model,
                                                                spoil_clips};
    int faults = 0;
    for (int i = 0; i < WRI_COUNT(spoilers); i++) {
        for (int fault = 0; finds_fault(spoilers[i], fault); fault++) {
            faults++;
        }
    }
    assert_int_equal(faults, 20);
}

static void models_are_no_assets(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_color grey = {0.5f, 0.5f, 0.5f, 1.0f};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 1, 1), grey, &error);
    need(wr_model_write_glb(box, path, &error), &error);
    wr_model_destroy(box);
    assert_false(wr_asset_is_one(path));
    assert_null(wr_asset_read(path, NULL, &error));
    assert_int_equal(error.code, WR_E_FORMAT);
    assert_false(wr_asset_is_one(folder.path));
    assert_false(wr_asset_is_one("no such file"));
    assert_null(wr_asset_read("no such file", NULL, &error));
    assert_int_equal(error.code, WR_E_IO);
}

// --- robustness -------------------------------------------------------------------------------

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_asset *asset = sample_asset_create(rich);
    write_to(asset, path);
    wr_asset_destroy(asset);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_asset *read = wr_asset_read(path, &allocator, &error);
        done = read != NULL;
        if (!done) {
            assert_int_equal(error.code, WR_E_MEMORY);
        }
        wr_asset_destroy(read);
        assert_int_equal(heap.alive, 0);
    }
    done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_asset *made = wr_asset_create(sample_model_create(&rich), &allocator, NULL);
        done = made != NULL;
        wr_asset_destroy(made);
        assert_int_equal(heap.alive, 0);
    }
}

// Any byte may be anything.
static void damaged_files_are_read_or_refused(void **state)
{
    (void)state;
    uint64_t seed = 11;
    wr_asset *asset = sample_asset_create((sample_shape){3, 1, 2, false});
    write_to(asset, path);
    wr_asset_destroy(asset);
    size_t size;
    int refused = 0;
    char *bytes = wri_file_read(path, 1 << 26, NULL, &size, NULL), *copy = malloc(size);
    for (int i = 0; i < 1500; i++) {
        wr_error error = {0};
        memcpy(copy, bytes, size);
        for (int k = 0; k < 1 + i % 3; k++) {
            copy[random_bits(&seed) % size] = (char)random_bits(&seed);
        }
        size_t cut = i % 10 == 0 ? (size_t)random_bits(&seed) % size : size;
        put_bytes(other, copy, cut);
        wr_asset *read = wr_asset_read(other, NULL, &error);
        assert_true(read ? error.code == WR_OK : error.code != WR_OK && error.message[0]);
        refused += !read;
        wr_asset_destroy(read);
    }
    assert_true(refused > 300);
    wri_free(NULL, bytes, size + 1, 1);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_extensions_are_refused_with_a_sentence),
        cmocka_unit_test(what_a_later_version_adds_is_passed_over),
        cmocka_unit_test(only_clips_need_a_later_version),
        cmocka_unit_test(maps_of_clay_and_flesh_have_versions_of_their_own),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(check_finds_what_cannot_be),
        cmocka_unit_test(pins_tie_vertices_of_a_drawing),
        cmocka_unit_test(models_are_no_assets),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(damaged_files_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, set_up_files, tear_down);
}
