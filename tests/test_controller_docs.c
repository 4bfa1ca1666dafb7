// test_controller_docs.c: docs/controllers.md as a newcomer reads it: its examples run as printed,
// and no key of a controller is missing.
#include "flat_scene.h"

#include "wrought/controller.h"
#include "wrought/scene.h"

#include "../src/base/os.h"
#include "../src/world/sprite.h"
#include "../src/sprite/world.h"
#include "../src/scene/sprite_tables.h"
#include "../src/scene/tables.h"
#include "../src/world/world.h"

enum { BLOCKS = 4, ROOM = 16384 };
enum { A_SCENE, A_CONTROLLER, AN_INPUT, A_PLAY };

static char *page;
static size_t page_size;
static char blocks[BLOCKS][ROOM];

// Between ``` and ```, in order.
static void find_blocks(void)
{
    const char *at = page;
    int count = 0;
    while ((at = strstr(at, "\n```json")) != NULL) {
        const char *begin = strchr(at + 1, '\n'), *finish = begin ? strstr(begin, "\n```") : NULL;
        assert_non_null(finish);
        assert_true(count < BLOCKS && finish - begin < ROOM);
        memcpy(blocks[count], begin + 1, (size_t)(finish - begin));
        blocks[count++][finish - begin] = 0;
        at = finish;
    }
    assert_int_equal(count, BLOCKS);
}

static int setup(void **state)
{
    (void)state;
    const char *scenes = getenv("WROUGHT_SCENES");
    char path[1024];
    wr_error error = {0};
    if (!scenes) {
        print_message("WROUGHT_SCENES is not set\n");
        return 0;
    }
    snprintf(path, sizeof path, "%s/../docs/controllers.md", scenes);
    page = wri_file_read(path, 1 << 20, NULL, &page_size, &error);
    if (!page) {
        print_message("%s\n", error.message);
        return -1;
    }
    find_blocks();
    folder = temporary_folder_create();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (page) {
        wri_free(NULL, page, page_size + 1, 1);
        temporary_folder_destroy(&folder);
    }
    return 0;
}

static void need_page(void)
{
    if (!page) {
        print_message("WROUGHT_SCENES is not set\n");
        skip();
    }
}

// Other words in place of those from `from` up to `to`.
static void change(char *text, const char *from, const char *to, const char *words)
{
    static char rest[ROOM];
    char *begin = strstr(text, from), *finish = begin ? strstr(begin, to) : NULL;
    assert_non_null(finish);
    assert_true(strlen(finish) < ROOM);
    strcpy(rest, finish);
    snprintf(begin, (size_t)(text + 2 * ROOM - begin), "%s%s", words, rest);
}

// The printed scene; its recipe is where the others are.
static char *take_scene(void)
{
    static char text[2 * ROOM];
    char path[1024];
    snprintf(path, sizeof path, "\"%s/ragdoll.recipe.json\"", getenv("WROUGHT_SCENES"));
    strcpy(text, blocks[A_SCENE]);
    change(text, "\"ragdoll.recipe.json\"", " }", path);
    return text;
}

typedef struct taken {
    float x, top; // metres: where the hero is at the end, and how high he was
    int held;     // steps in which he was held
} taken;

static taken play_all(const char *text)
{
    show s = start(text);
    taken t = {0};
    for (int i = 0; i < wr_scene_frame_count(s.scene); i++) {
        int sprite;
        wr_world_step_frame(s.world);
        const wr_sprite_world *own = wri_sprite_world_of(s.world->materials[0].state, &sprite);
        wr_vec2 center = wr_sprite_get_facts(own, sprite).center;
        t.x = center.x;
        t.top = fmaxf(t.top, center.y);
        t.held += wri_sprite_of(own, sprite)->state.nail_count > 0;
    }
    end(&s);
    return t;
}

// He walks to the right for four and a half seconds, jumps, and floats.
static void the_scene_runs_as_printed(void **state)
{
    (void)state;
    need_page();
    taken t = play_all(take_scene());
    assert_true(t.x > 3.0f && t.x < 9.0f);
    assert_true(t.top > 1.4f && t.top < 3.0f);
}

// Below a bar: he jumps, hangs from it for as long as the button is held, and drops.
static void the_controller_that_grips_runs_as_printed(void **state)
{
    (void)state;
    need_page();
    char *text = take_scene();
    write_text("bar.controller.json", blocks[A_CONTROLLER]);
    change(
        text, "\"controller\":", "\n  ],",
        "\"controller\": \"bar.controller.json\" }, { \"name\": \"bar\", \"shape\": { \"sphere\": "
        "0.08 }, \"at\": [0.8, 2.4, 0], \"motion\": \"static\", \"friction\": 0 }");
    change(text, "\"inputs\":", "\n}",
           "\"inputs\": [ { \"body\": \"hero\", \"press\": \"jump\", \"at\": 1 }, { \"body\": "
           "\"hero\", \"hold\": \"grip\", \"from\": 1, \"to\": 3 } ]");
    taken t = play_all(text);
    assert_in_range(t.held, 60, 120); // frames
}

static void the_inputs_run_as_printed(void **state)
{
    (void)state;
    need_page();
    char *text = take_scene();
    change(text, "\"inputs\":", "\n}", blocks[AN_INPUT]);
    taken t = play_all(text); // half as far
    assert_true(t.x > 2.0f && t.x < 5.5f && t.top > 1.4f);
    write_text("play.json", blocks[A_PLAY]);
    text = take_scene();
    change(text, "\"inputs\":", "\n}", "\"inputs\": \"play.json\"");
    t = play_all(text); // jumps where he stands
    assert_true(fabsf(t.x - 0.5f) < 0.5f && t.top > 1.4f);
}

static void every_key_is_there(void **state)
{
    (void)state;
    need_page();
    const wri_table *const tables[] = {
        &wri_controller_table, &wri_behaviour_table, &wri_pose_path_table,  &wri_pose_key_table,
        &wri_effect_table,     &wri_push_table,      &wri_transition_table, &wri_range_table,
        &wri_input_table,      &wri_play_table};
    for (int i = 0; i < WRI_COUNT(tables); i++) {
        for (int k = 0; k < tables[i]->count; k++) {
            const char *name = tables[i]->keys[k].name;
            char code[64], json[64];
            snprintf(code, sizeof code, "`%s`", name);
            snprintf(json, sizeof json, "\"%s\":", name);
            if (!strstr(page, code) && !strstr(page, json)) {
                fail_msg("docs/controllers.md says nothing of \"%s\" of %s", name, tables[i]->name);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scene_runs_as_printed),
        cmocka_unit_test(the_controller_that_grips_runs_as_printed),
        cmocka_unit_test(the_inputs_run_as_printed),
        cmocka_unit_test(every_key_is_there),
    };
    return cmocka_run_group_tests_name("controller_docs", tests, setup, teardown);
}
