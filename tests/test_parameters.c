// test_parameters.c: what the tables of parameters promise: that structs, ranges, presets, scenes
// and snapshots agree with them and so with one another.
#include "flat_scene.h"

#include "../bench/barrel.h"
#include "../bench/toy.h"
#include "../src/metal/metal.h"
#include "../src/base/os.h"
#include "../src/metal/parameters.h"
#include "../src/sprite/parameters.h"
#include "../src/sprite/world.h"
#include "../src/world/materials.h"
#include "../src/world/metal.h"
#include "../src/world/sprite.h"
#include "../src/world/world.h"

// A value that is not what is left out, allowed whatever the others are.
static double other_value(const wr_parameter *p)
{
    if (p->choices) {
        return p->fallback == 0.0 ? 1.0 : 0.0;
    }
    if (p->is_whole) {
        return p->fallback + 1.0;
    }
    double way = p->fallback > p->min ? p->fallback - p->min : fmin(p->max - p->min, 1.0);
    return p->min + 0.1 * way;
}

// --- tables -----------------------------------------------------------------------------------

static int word_count(const wr_parameter *p)
{
    int count = 0;
    while (p->choices && p->choices[count]) {
        count++;
    }
    return count;
}

static void check_row(const wr_parameter *p, const wr_parameter *table, int count)
{
    assert_true(p->min <= p->fallback && p->fallback <= p->max);
    assert_true(!p->choices || p->fallback < word_count(p));
    assert_true(p->unit && p->about[0] && p->name[0]);
    assert_ptr_equal(wri_parameter_find(table, count, p->name), p); // no two of one name
}

static void rows_make_sense_and_presets_differ_from_what_is_left_out(void **state)
{
    (void)state;
    for (int i = 0; i < wri_material_count(); i++) {
        const wr_material *m = wri_material_at(i);
        for (int k = 0; k < m->parameter_count; k++) {
            check_row(&m->parameters[k], m->parameters, m->parameter_count);
        }
        for (int k = 0; k < m->preset_count; k++) {
            const wr_parameter_value *v = m->presets[k].values;
            for (; v && v->name; v++) {
                const wr_parameter *p =
                    wri_parameter_find(m->parameters, m->parameter_count, v->name);
                assert_non_null(p);
                assert_true(v->value >= p->min && v->value <= p->max && v->value != p->fallback);
            }
        }
    }
}

typedef bool check_fn(int owner, const void *object, wr_error *error);
typedef void default_fn(int owner, void *object);

static float field_of(const wr_parameter *p, const void *object)
{
    const void *at = (const char *)object + p->field.offset;
    return p->field.kind == WR_FIELD_INT     ? (float)*(const int *)at
           : p->field.kind == WR_FIELD_FIRST ? (float)*(const bool *)at
                                             : *(const float *)at;
}

static void expect_refused(const wr_parameter *p, check_fn *check, const void *object)
{
    wr_error error = {0};
    size_t length = strlen(p->name);
    assert_false(check(p->field.owner, object, &error));
    assert_true(strncmp(error.message, p->name, length) == 0 && error.message[length] == ':');
}

// A little beyond either end of the range, in the field itself.
static void check_ends(const wr_parameter *p, default_fn *set_default, check_fn *check,
                       void *object)
{
    for (int end = 0; end < 2; end++) {
        void *at = (char *)object + p->field.offset;
        set_default(p->field.owner, object);
        wri_parameter_set(p, end ? p->max : p->min, object);
        assert_true(check(p->field.owner, object, NULL));
        if (p->field.kind == WR_FIELD_INT) {
            *(int *)at += end ? 1 : -1;
            expect_refused(p, check, object);
        } else if (p->field.zero == 0.0f) {
            *(float *)at = nextafterf(*(float *)at, end ? INFINITY : -INFINITY);
            expect_refused(p, check, object);
            *(float *)at = NAN;
            expect_refused(p, check, object);
        } else if (end) {
            *(float *)at = nextafterf(*(float *)at, INFINITY);
            expect_refused(p, check, object);
        }
    }
    set_default(p->field.owner, object);
}

static void check_ranges(const wr_parameter *table, int count, default_fn *set_default,
                         check_fn *check, void *const *objects)
{
    for (int i = 0; i < count; i++) {
        wr_field_kind kind = table[i].field.kind;
        if (kind != WR_FIELD_NONE && kind != WR_FIELD_FIRST) {
            check_ends(&table[i], set_default, check, objects[table[i].field.owner]);
        }
    }
}

static void ranges_of_structs_and_scenes_are_the_same(void **state)
{
    (void)state;
    wr_metal_parameters metal = wr_metal_parameters_default();
    wr_metal_asset_desc metal_asset = wr_metal_asset_desc_default();
    wr_sprite_parameters sprite = wr_sprite_parameters_default();
    wr_sprite_asset_desc sprite_asset = wr_sprite_asset_desc_default();
    void *const metals[] = {&metal, &metal_asset}, *const sprites[] = {&sprite, &sprite_asset};
    assert_string_equal(wri_metal_material.parameters[0].about, wri_metal_parameters[0].about);
    check_ranges(wri_metal_parameters, WRI_COUNT(wri_metal_parameters), wri_metal_set_default,
                 wri_metal_check, metals);
    check_ranges(wri_metal_hidden, WRI_COUNT(wri_metal_hidden), wri_metal_set_default,
                 wri_metal_check, metals);
    check_ranges(wri_sprite_parameters, WRI_COUNT(wri_sprite_parameters), wri_sprite_set_default,
                 wri_sprite_check_ranges, sprites);
    check_ranges(wri_sprite_hidden, WRI_COUNT(wri_sprite_hidden), wri_sprite_set_default,
                 wri_sprite_check_ranges, sprites);
}

static void cover(const wr_parameter *table, int count, int owner, uint8_t *bytes)
{
    for (int i = 0; i < count; i++) {
        const wr_field *f = &table[i].field;
        if (f->kind != WR_FIELD_NONE && f->owner == owner) {
            memset(bytes + f->offset, 1, f->kind == WR_FIELD_FIRST ? sizeof(bool) : 4);
        }
    }
}

// The longest run of bytes that belong to no row: gaps are shorter than a field.
static int longest_gap(const uint8_t *bytes, size_t size)
{
    int most = 0, run = 0;
    for (size_t i = 0; i < size; i++) {
        run = bytes[i] ? 0 : run + 1;
        most = run > most ? run : most;
    }
    return most;
}

static void every_field_has_its_row(void **state)
{
    (void)state;
    uint8_t metal[sizeof(wr_metal_parameters)] = {0}, sprite[sizeof(wr_sprite_parameters)] = {0};
    cover(wri_metal_parameters, WRI_COUNT(wri_metal_parameters), WRI_METAL_BODY, metal);
    cover(wri_metal_hidden, WRI_COUNT(wri_metal_hidden), WRI_METAL_BODY, metal);
    memset(metal + offsetof(wr_metal_parameters, cookie), 1, sizeof(uint32_t));
    assert_in_range(longest_gap(metal, sizeof metal), 0, 3);
    cover(wri_sprite_parameters, WRI_COUNT(wri_sprite_parameters), WRI_SPRITE_BODY, sprite);
    cover(wri_sprite_hidden, WRI_COUNT(wri_sprite_hidden), WRI_SPRITE_BODY, sprite);
    memset(sprite + offsetof(wr_sprite_parameters, drag_of_example), 1, sizeof(float *));
    assert_in_range(longest_gap(sprite, sizeof sprite), 0, 3);
}

static void what_0_stands_for_is_in_the_struct(void **state)
{
    (void)state;
    assert_true(isnan(wr_metal_parameters_default().lambda)); // fade says it
    assert_true(isinf(wr_metal_asset_desc_default().wall));   // solid
    assert_true(wr_sprite_parameters_default().smooth);
    wr_metal_parameters p = wr_metal_parameters_default();
    p.lambda = 0.0f; // of the struct: everything appears at once
    assert_true(wri_metal_check_parameters(&p, NULL));
}

// --- pages ------------------------------------------------------------------------------------

static char *read_page(const char *name, size_t *size)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    char path[1024];
    if (!scenes) {
        print_message("WROUGHT_SCENES is not set\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/../docs/%s", scenes, name);
    wr_error error = {0};
    char *page = wri_file_read(path, 1 << 20, NULL, size, &error);
    if (!page) {
        fail_msg("%s", error.message);
    }
    return page;
}

// Copies cell `column` of the row of a table that begins with `first`, without blanks and quotes.
static bool find_cell(const char *page, const char *first, int column, char cell[64])
{
    char begin[80];
    snprintf(begin, sizeof begin, "\n| %s |", first);
    const char *at = strstr(page, begin);
    for (int i = 0; at && i <= column; i++) {
        at = strchr(at + 1, '|');
    }
    if (!at) {
        return false;
    }
    size_t skipped = strspn(at + 1, " `"), length = strcspn(at + 1 + skipped, " `|");
    snprintf(cell, 64, "%.*s", (int)length, at + 1 + skipped);
    return true;
}

static void the_page_of_sprites_has_every_parameter(void **state)
{
    (void)state;
    size_t size;
    char *page = read_page("sprite.md", &size), cell[64], name[64], wanted[64];
    for (int i = 0; i < WRI_COUNT(wri_sprite_parameters); i++) {
        const wr_parameter *p = &wri_sprite_parameters[i];
        snprintf(name, sizeof name, "`%s`", p->name);
        snprintf(wanted, sizeof wanted, "%g", p->fallback);
        if (!find_cell(page, name, 2, cell)) {
            fail_msg("docs/sprite.md has no row for %s", name);
        }
        assert_string_equal(cell, p->choices ? p->choices[(int)p->fallback] : wanted);
    }
    wri_free(NULL, page, size + 1, 1);
}

static void the_page_of_metal_has_the_presets_as_they_are(void **state)
{
    (void)state;
    size_t size;
    char *page = read_page("metal.md", &size), cell[64], wanted[64];
    for (int i = 0; i < WRI_COUNT(wri_metal_presets); i++) {
        const wr_preset *preset = &wri_metal_presets[i];
        for (int column = 1; column <= 7; column++) {
            assert_true(find_cell(page, "preset", column, cell));
            const wr_parameter *p =
                wri_parameter_find(wri_metal_parameters, WRI_COUNT(wri_metal_parameters), cell);
            assert_non_null(p);
            snprintf(wanted, sizeof wanted, "%g", wri_parameter_in(preset, p));
            if (!find_cell(page, preset->name, column, cell)) {
                fail_msg("docs/metal.md has no row for %s", preset->name);
            }
            assert_string_equal(cell, wanted);
        }
    }
    wri_free(NULL, page, size + 1, 1);
}

// --- sprites ----------------------------------------------------------------------------------

static const char *append_number(char *text, const wr_parameter *p)
{
    char *end = text + strlen(text);
    double value = other_value(p);
    if (p->choices) {
        sprintf(end, ", '%s': '%s'", p->name, p->choices[(int)value]);
    } else {
        sprintf(end, ", '%s': %.17g", p->name, value);
    }
    return text;
}

// All parameters of the sprite but for the examples and the drag of each.
static wr_sprite_parameters other_sprite(void)
{
    wr_sprite_parameters p = wr_sprite_parameters_default();
    const wr_sprite_parameters left_out = p;
    for (int i = 0; i < WRI_COUNT(wri_sprite_parameters); i++) {
        const wr_parameter *row = &wri_sprite_parameters[i];
        if (row->field.owner == WRI_SPRITE_BODY) {
            wri_parameter_set(row, other_value(row), &p);
            assert_true(field_of(row, &p) != field_of(row, &left_out));
        }
    }
    p.friction = 0.125f;
    p.stretch_example = TOY_STRETCHED;
    return p;
}

static void expect_sprite(const wr_sprite_world *world, const wr_sprite_parameters *wanted)
{
    const wr_sprite_parameters *is = wr_sprite_get_parameters(world, 0);
    for (int i = 0; i < WRI_COUNT(wri_sprite_parameters); i++) {
        const wr_parameter *p = &wri_sprite_parameters[i];
        if (p->field.owner == WRI_SPRITE_BODY) {
            assert_true(field_of(p, is) == field_of(p, wanted));
        }
    }
    assert_true(is->friction == wanted->friction);
    assert_int_equal(is->stretch_example, wanted->stretch_example);
    assert_int_equal(is->give_example, wanted->give_example);
}

static void every_parameter_of_a_sprite_survives_from_scene_to_snapshot(void **state)
{
    (void)state;
    char text[4096] = "{'wrought': 1, 'assets': {'ball': 'ball.glb'}, 'bodies': [{'asset': 'ball', "
                      "'friction': 0.125, 'manifold': {'stretch_to': 'stretched'}, 'material': "
                      "{'sprite': 'default'";
    for (int i = 0; i < WRI_COUNT(wri_sprite_parameters); i++) {
        append_number(text, &wri_sprite_parameters[i]);
    }
    wr_scene *scene = read_good(strcat(text, "}}]}"));
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    wr_world *world = wr_world_create(&desc, NULL);
    assert_non_null(world);
    int sprite;
    wr_sprite_world *own = wri_sprite_world_of(world->materials[0].state, &sprite);
    const wr_sprite_parameters wanted = other_sprite(), left_out = wr_sprite_parameters_default();
    expect_sprite(own, &wanted);
    assert_int_equal(wr_sprite_asset_describe(wr_sprite_get_asset(own, 0)).cluster_count, 17);

    size_t size;
    const void *bytes = wr_world_save(world, &size, NULL);
    void *kept = memcpy(malloc(size), bytes, size);
    assert_true(wr_sprite_set_parameters(own, 0, &left_out, NULL));
    expect_sprite(own, &left_out);
    assert_true(wr_world_restore(world, kept, size, NULL));
    expect_sprite(wri_sprite_world_of(world->materials[0].state, &sprite), &wanted);
    free(kept);
    wr_world_destroy(world);
    wr_scene_destroy(scene);
}

// --- metal ------------------------------------------------------------------------------------

enum { METAL_COUNT = WRI_COUNT(wri_metal_parameters) };

static void expect_metal(const wr_material_desc *said, const double *relative)
{
    wr_error error = {0};
    wr_material_desc desc = *said;
    desc.shared = wri_metal_material.create_shared(&desc, &error);
    void *state = desc.shared ? wri_metal_material.create(&desc, &error) : NULL;
    if (!state) {
        fail_msg("%s", error.message);
    }
    const wr_metal_parameters *p = &wri_metal_of(state)->parameters;
    wr_metal_parameters wanted = wr_metal_parameters_default();
    for (int i = 0; i < METAL_COUNT; i++) {
        const wr_parameter *row = &wri_metal_parameters[i];
        if (row->field.kind != WR_FIELD_NONE && row->field.owner == WRI_METAL_BODY) {
            wri_parameter_set(row, relative[i], &wanted);
            CHECK_NEAR(field_of(row, p), field_of(row, &wanted),
                       1e-6 * fabs((double)field_of(row, &wanted)));
        }
    }
    assert_true(p->refresh == desc.picture_time);
    wri_metal_material.destroy(state);
    wri_metal_material.destroy_shared(desc.shared);
}

static void every_parameter_of_metal_gets_from_the_scene_into_the_struct(void **state)
{
    (void)state;
    barrel *b = barrel_create(4, 9, 0.76f);
    wr_asset asset = {.rig = b->rig};
    double values[METAL_COUNT], relative[METAL_COUNT];
    bool is_real[METAL_COUNT] = {false};
    const wr_material_desc desc = {.name = "barrel",
                                   .asset = &asset,
                                   .scale = 1.0f,
                                   .values = values,
                                   .is_real = is_real,
                                   .density = 1000.0,
                                   .pose = WR_POSE_IDENTITY,
                                   .picture_time = 0.04f,
                                   .allocator = *wr_allocator_default()};
    for (int i = 0; i < METAL_COUNT; i++) {
        values[i] = relative[i] = other_value(&wri_metal_parameters[i]);
    }
    expect_metal(&desc, relative);

    const double size = 0.76, time = sqrt(2.0 * size / 9.81), speed = sqrt(2.0 * 9.81 * size);
    for (int i = 0; i < METAL_COUNT; i++) { // the same said in metres and seconds
        const wr_parameter *p = &wri_metal_parameters[i];
        const char *unit = p->real_unit ? p->real_unit : "";
        is_real[i] = p->real_unit != NULL;
        values[i] *= !strcmp(unit, "m")     ? size
                     : !strcmp(unit, "s")   ? time
                     : !strcmp(unit, "m/s") ? speed
                                            : 1.0;
        if (!strcmp(p->name, "yield_by") || !strcmp(p->name, "method")) { // of a yield speed
            values[i] = relative[i] = p->fallback;
        }
    }
    expect_metal(&desc, relative);
    barrel_destroy(b);
}

static void what_is_out_of_its_range_in_units_of_the_body_is_refused(void **state)
{
    (void)state;
    barrel *b = barrel_create(4, 9, 0.76f);
    wr_asset asset = {.rig = b->rig};
    double values[METAL_COUNT];
    bool is_real[METAL_COUNT] = {false};
    for (int i = 0; i < METAL_COUNT; i++) {
        values[i] = wri_metal_parameters[i].fallback;
        if (strcmp(wri_metal_parameters[i].name, "fade") == 0) {
            values[i] = 60.0; // seconds, 152 fall times
            is_real[i] = true;
        }
    }
    const wr_material_desc desc = {.name = "barrel",
                                   .asset = &asset,
                                   .scale = 1.0f,
                                   .values = values,
                                   .is_real = is_real,
                                   .density = 1000.0,
                                   .allocator = *wr_allocator_default()};
    wr_error error = {0};
    assert_null(wri_metal_material.create_shared(&desc, &error));
    assert_string_equal(error.message, "body \"barrel\": fade: 152.428 not in [0, 100]");
    barrel_destroy(b);
}

// ----------------------------------------------------------------------------------------------

static int set_up(void **state)
{
    (void)state;
    static const char *const handles[TOY_HANDLES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    folder = temporary_folder_create();
    toy *ball = toy_create_disc(0.25f, 4);
    write_flat_asset(make_flat_asset(&ball->rig, "ball", handles), "ball.glb");
    toy_destroy(ball);
    return 0;
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
        cmocka_unit_test(rows_make_sense_and_presets_differ_from_what_is_left_out),
        cmocka_unit_test(ranges_of_structs_and_scenes_are_the_same),
        cmocka_unit_test(every_field_has_its_row),
        cmocka_unit_test(what_0_stands_for_is_in_the_struct),
        cmocka_unit_test(the_page_of_sprites_has_every_parameter),
        cmocka_unit_test(the_page_of_metal_has_the_presets_as_they_are),
        cmocka_unit_test(every_parameter_of_a_sprite_survives_from_scene_to_snapshot),
        cmocka_unit_test(every_parameter_of_metal_gets_from_the_scene_into_the_struct),
        cmocka_unit_test(what_is_out_of_its_range_in_units_of_the_body_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
