// test_clay_scene.c: what scenes promise about clay: grips, and sentences where they are wrong.
#include "small_world.h"

#include "../src/clay/clay.h"
#include "../src/world/clay.h"

const wr_material *const small_world_materials[] = {NULL};

static const wri_clay *clay_of(const show *s, int material)
{
    int body;
    const wr_clay_world *world = wri_clay_world_of(s->world->materials[material].state, &body);
    return wri_clay_of(world, body);
}

static uint64_t hash_of(const show *s)
{
    int body;
    const wr_clay_world *world = wri_clay_world_of(s->world->materials[0].state, &body);
    return wr_clay_hash(world, body);
}

#define BAR "{'shape': {'box': [2, 0.5, 0.5]}, 'material': {'clay': 'default', 'particles': 400, "
#define ENDS                                                                                       \
    "'grips': [{'at': [-0.9, 0, 0], 'size': [0.3, 1, 1]}, {'at': [0.9, 0, 0], 'size': [0.3, 1, "   \
    "1], 'path': [{'time': 0.25}, {'time': 0.5, 'turn': {'axis': [1, 0, 0], 'by': 45}}, "          \
    "{'time': 1, 'turn': {'axis': [1, 0, 0], 'by': 45}, 'at': [0.9, 0.2, 0]}], 'until': 1.5}]"

// --- grips --------------------------------------------------------------------------------------

// The mean place of what a grip held at the start, world, and its angle about x in degrees.
typedef struct place {
    double x[3], angle;
    int count;
} place;

static double from_start(const wri_clay *c, int i, int k)
{
    return (double)c->x[i][k] + c->state.origin[k] - c->state.start[k];
}

static place place_of(const wri_clay *c, bool right)
{
    place p = {{0}, 0, 0};
    double sine = 0, cosine = 0;
    for (int i = 0; i < c->count; i++) {
        if (right ? c->seed[i][0] > 0.8f : c->seed[i][0] < -0.8f) {
            for (int k = 0; k < 3; k++) {
                p.x[k] += from_start(c, i, k) - (double)c->seed[i][k];
            }
            p.count++;
        }
    }
    for (int k = 0; k < 3; k++) {
        p.x[k] /= p.count;
    }
    for (int i = 0; i < c->count; i++) {
        if (right ? c->seed[i][0] > 0.8f : c->seed[i][0] < -0.8f) {
            double a = (double)c->seed[i][1], b = (double)c->seed[i][2];
            double y = from_start(c, i, 1) - p.x[1], z = from_start(c, i, 2) - p.x[2];
            sine += a * z - b * y;
            cosine += a * y + b * z;
        }
    }
    p.angle = atan2(sine, cosine) * 180.0 / (double)WR_PI;
    return p;
}

// Two bars, the second one a copy elsewhere that is turned: grips are as seen by the body.
static void grips_follow_their_paths_and_let_go(void **state)
{
    (void)state;
    show s =
        start("'length': 3, 'substeps': 2, 'bodies': [" BAR "'yield': 0.2}, 'at': [0, 2, 0], " ENDS
              ", 'copies': {'count': 2, 'step': [0, 0, 2]}}]");
    for (int k = 0; k < 2; k++) {
        int held = clay_of(&s, 0)->state.grips[k].count;
        assert_true(held > 30 && held == clay_of(&s, 1)->state.grips[k].count);
    }
    step_frames(s.world, 15);
    CHECK_NEAR(place_of(clay_of(&s, 0), true).angle, 0.0, 1e-3);
    CHECK_NEAR(place_of(clay_of(&s, 0), true).x[0], 0.0, 1e-4); // a key without a place
    step_frames(s.world, 8);
    CHECK_NEAR(place_of(clay_of(&s, 1), true).angle, 24.0, 0.1); // 8/60 of 180 degrees per second
    step_frames(s.world, 67);
    for (int k = 0; k < 2; k++) {
        place right = place_of(clay_of(&s, k), true), left = place_of(clay_of(&s, k), false);
        CHECK_NEAR(right.x[1], 0.2, 5e-3);
        CHECK_NEAR(right.angle, 45.0, 0.1);
        CHECK_NEAR(left.x[1], 0.0, 1e-5);
        CHECK_NEAR(left.angle, 0.0, 1e-3);
    }
    step_frames(s.world, 10); // let go, that end hangs down
    assert_true(place_of(clay_of(&s, 0), true).x[1] < 0.19);
    CHECK_NEAR(place_of(clay_of(&s, 0), false).x[1], 0.0, 1e-5);
    assert_true(clay_of(&s, 0)->state.grips[1].count == 0);
    end(s);
}

// It would sleep long before its grip moves.
static void a_grip_with_plans_keeps_it_awake(void **state)
{
    (void)state;
    show s = start(SPACE "'length': 9, 'substeps': 1, 'bodies': [" BAR "'stiffness': 20}, "
                         "'grips': [{'at': [-0.9, 0, 0], 'size': [0.3, 1, 1], 'path': [{'time': "
                         "4}, {'time': 5, 'at': [-1, 0, 0]}], 'until': 5}]}]");
    step_frames(s.world, 60 * 5);
    CHECK_NEAR(place_of(clay_of(&s, 0), false).x[0], -0.1, 1e-3);
    step_frames(s.world, 30);
    assert_true(place_of(clay_of(&s, 0), false).x[0] < -0.11); // it flies on
    end(s);
}

static void worlds_resume_in_the_middle_of_a_twist(void **state)
{
    (void)state;
    const char *text =
        "'length': 3, 'substeps': 2, 'bodies': [" BAR "'yield': 0.2}, 'at': [0, 2, 0], " ENDS "}]";
    show one = start(text), other = start(text);
    step_frames(one.world, 25);
    size_t size;
    const void *bytes = wr_world_save(one.world, &size, NULL);
    assert_true(bytes && wr_world_restore(other.world, bytes, size, NULL));
    step_frames(one.world, 80);
    step_frames(other.world, 80);
    assert_true(hash_of(&one) == hash_of(&other));
    end(one);
    end(other);
}

// --- the thesis' way ----------------------------------------------------------------------------

// A bar that falls on an edge and is flattened; more: of its material.
static show drop(const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "'bodies': [{'shape': 'plane'}, {'shape': {'box': [0.2, 1, 0.2]}, 'at': [0, 0.7, 0], "
             "'turn': {'axis': [0.2, 0, 1], 'by': -15}, 'velocity': [0, -3, 0], 'density': 1500, "
             "'material': {'clay': 'clay', 'particles': 400, 'stiffness': 60, 'yield': 0, "
             "'hardening': 0%s}}]",
             more);
    show s = start(text);
    step_frames(s.world, 60);
    return s;
}

// Fig. 3.4. What keeps neighbours and step sends particles flying, which are brought back; what
// keeps neighbours alone does not.
static void a_dropped_bar_that_keeps_neighbours_and_step_comes_apart(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        show s = drop(k ? ", 'flow': 0.9, 'embedding': 'none', 'resample': 'off'"
                        : ", 'flow': 0.9, 'embedding': 'none', 'resample': 'off', 'step': 'fixed'");
        step_frames(s.world, 90);
        const wri_clay_state *now = &clay_of(&s, 0)->state;
        double grown = (double)(now->omega / (now->omega_start * now->omega_tightness));
        printf("    the step %s: fastest oscillation x %.2f, %.0f runaways\n",
               k ? "follows" : "is kept", grown, now->retired);
        assert_true(k ? grown > 1.3 : fabs(grown - 1.0) < 1e-3);
        assert_true(k ? now->retired == 0.0 : now->retired > 10.0);
        end(s);
    }
}

static void what_has_blown_up_is_frozen_and_hidden(void **state)
{
    (void)state;
    show s = drop(", 'flow': 0.6");
    clay_of(&s, 0)->v[3] = (f4){0.0f, 2e7f, 0.0f, 0.0f};
    clay_of(&s, 0)->flags[3] |= WRI_CLAY_HELD; // nobody brings it back
    step_frames(s.world, 1);
    assert_true(s.world->materials[0].frozen);
    const wr_frame *frame = wr_world_frame(s.world);
    assert_int_equal(frame->surface_count, 1);
    assert_true(frame->surfaces[0].body == 1 && frame->surfaces[0].triangle_count == 0);
    end(s);
}

static void a_dropped_bar_is_sound_with_a_step_that_follows(void **state)
{
    (void)state;
    static const char *const stable[] = {
        ", 'flow': 0.9, 'embedding': 'none', 'resample': 'off'",
        ", 'flow': 0.6, 'resample': 'off'",
        ", 'flow': 0.6",
    };
    for (int k = 0; k < WRI_COUNT(stable); k++) {
        show s = drop(stable[k]);
        const wri_clay *c = clay_of(&s, 0);
        assert_true(!s.world->materials[0].frozen && c->state.retired == 0.0);
        for (int i = 0; i < c->count; i++) {
            assert_true(f4_dot(c->v[i], c->v[i]) < 1.0f);
        }
        assert_int_equal(wr_world_frame(s.world)->surface_count, 0);
        end(s);
    }
}

// A bar of rubber that is pulled in two: nothing of it has flowed, but the model would span the
// gap.
static void a_body_in_two_parts_changes_to_particles(void **state)
{
    (void)state;
    show s =
        start("'length': 3, 'gravity': [0, 0, 0], 'bodies': [{'shape': {'box': [0.8, 0.2, 0.2]}, "
              "'at': [0, 2, 0], 'material': {'clay': 'rubber', 'particles': 300, 'tear': 1.4}, "
              "'grips': [{'at': [-0.36, 0, 0], 'size': [0.1, 1, 1], 'path': [{'time': 1, 'at': "
              "[-0.9, 0, 0]}]}, {'at': [0.36, 0, 0], 'size': [0.1, 1, 1]}]}]");
    step_frames(s.world, 5);
    assert_int_equal(wr_world_frame(s.world)->particles_count, 0);
    int parted = 0;
    for (int i = 0; i < 60 && parted == 0; i++) {
        step_frames(s.world, 1);
        const wri_clay *c = clay_of(&s, 0);
        for (int k = 0; k < c->count; k++) {
            parted += c->component[k] != 0;
        }
    }
    assert_true(parted > 60);
    step_frames(s.world, 1);
    assert_int_equal(wr_world_frame(s.world)->particles_count, 1);
    end(s);
}

// --- embedded space -----------------------------------------------------------------------------

// How far the farthest vertex of a twisted bar is from where it was at the start, in what is drawn.
static double farthest_vertex(const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "'length': 3, 'substeps': 2, 'bodies': [" BAR "%s}, 'at': [0, 2, 0], " ENDS "}]",
             more);
    show s = start(text);
    const wri_material_body *b = &s.world->materials[0];
    wr_material_surface at = b->material->surface(b->state);
    wr_vec3 *first = malloc((size_t)at.vertex_count * sizeof *first);
    assert_non_null(first);
    memcpy(first, at.positions, (size_t)at.vertex_count * sizeof *first);
    step_frames(s.world, 45);
    at = b->material->surface(b->state);
    double farthest = 0.0;
    for (int i = 0; i < at.vertex_count; i++) {
        farthest = fmax(farthest, (double)wr_distance(at.positions[i], first[i]));
    }
    free(first);
    end(s);
    return farthest;
}

static void elastic_clay_stays_as_it_was_in_embedded_space(void **state)
{
    (void)state;
    CHECK_NEAR(farthest_vertex("'flow': 0, 'surface': 'embedded'"), 0.0, 1e-4);
    assert_true(farthest_vertex("'flow': 0, 'surface': 'model'") > 0.2);
    assert_true(farthest_vertex("'yield': 0.2, 'surface': 'embedded'") > 0.02);
}

// --- painted maps -------------------------------------------------------------------------------

static void write_text(const char *name, const char *text)
{
    char path[600], json[2048];
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    snprintf(json, sizeof json, "%s", text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    assert_true(wri_file_write(path, json, strlen(json), NULL));
}

// A bar along x whose left end is painted 0 and its right end 1.
static bool write_painted_bar(const char *paint)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    char text[1024];
    snprintf(text, sizeof text,
             "{'wrought': 1, 'model': '%s/models/bar.glb', 'simulation': {'vertices': 300}, "
             "'handles': {'automatic': 4}, 'paint': {%s}}",
             scenes ? scenes : "", paint);
    write_text("bar.recipe.json", text);
    return scenes;
}

#define PAINT(kind, from, to)                                                                      \
    "'" kind "': {'vertex_color': 'alpha', 'from': " from ", 'to': " to "}"
#define PAINTED "'assets': {'bar': 'bar.recipe.json'}, 'bodies': [{'asset': 'bar', "

static void maps_are_painted_on_particles(void **state)
{
    (void)state;
    if (!write_painted_bar(PAINT("strength", "1", "3") ", " PAINT("yield", "2", "0") ", " PAINT(
            "flow", "0", "1") ", " PAINT("spacing", "0.5", "1"))) {
        skip();
    }
    show s = start(PAINTED "'material': {'clay': 'default', 'particles': 1000}}]");
    const wri_clay *c = clay_of(&s, 0);
    double radius[2] = {0}, x0 = c->state.origin[0];
    int count[2] = {0};
    for (int i = 0; i < c->count; i++) {
        double x = (double)c->x[i][0] + x0, t = 0.5 * (x + 1.0);
        // Near an end its face may be nearer than the sides.
        CHECK_NEAR(c->soften[i], 1.0 + 2.0 * t, 0.25);
        CHECK_NEAR(c->yield[i], 2.0 - 2.0 * t, 0.25);
        CHECK_NEAR(c->flow[i], t, 0.13);
        if (fabs(x) > 0.6) {
            radius[x > 0.0] += (double)c->radius[i];
            count[x > 0.0]++;
        }
    }
    double ratio = radius[1] / count[1] / (radius[0] / count[0]);
    assert_true(ratio > 1.4 && ratio < 2.0); // 0.9 : 0.6 of what is painted, made smooth
    end(s);
}

// How far ends sink, over the length, of a bar that is held in the middle.
static void sink(const char *material, double out[2])
{
    char text[1024];
    snprintf(text, sizeof text,
             PAINTED
             "'material': %s, 'at': [0, 9, 0], 'grips': [{'at': [0, 0, 0], 'size': [0.2, 1, "
             "1]}]}]",
             material);
    show s = start(text);
    step_frames(s.world, 60);
    out[0] = -place_of(clay_of(&s, 0), false).x[1];
    out[1] = -place_of(clay_of(&s, 0), true).x[1];
    end(s);
}

static void a_bar_that_is_stiff_at_one_end_bends_at_the_other(void **state)
{
    (void)state;
    const char *rubber = "{'clay': 'rubber', 'particles': 500, 'viscosity': 0.3}";
    double even[2], painted[2];
    if (!write_painted_bar("")) {
        skip();
    }
    sink(rubber, even);
    write_painted_bar(PAINT("strength", "0.25", "4"));
    sink(rubber, painted);
    CHECK_NEAR(even[0] / even[1], 1.0, 0.15);
    assert_true(painted[0] > 2.5 * painted[1] && painted[1] > 0.0);
    assert_true(painted[0] > 1.1 * even[0] && painted[1] < even[1]);
}

// --- warnings -----------------------------------------------------------------------------------

static int warning_count;
static char last_warning[1024];

static void hear(void *user, const char *message)
{
    (void)user;
    snprintf(last_warning, sizeof last_warning, "%s", message);
    warning_count++;
}

// A world of the text, whose warnings are counted.
static show start_heard(const char *text)
{
    show s = {.scene = read_scene(text)};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = s.scene;
    desc.log = (wr_log){hear, NULL};
    warning_count = 0;
    s.world = wr_world_create(&desc, NULL);
    assert_non_null(s.world);
    return s;
}

static int warnings_of(const char *bodies)
{
    char text[1024];
    snprintf(text, sizeof text, "'bodies': [%s]", bodies);
    end(start_heard(text));
    return warning_count;
}

// The last one is this sentence, behind the file, line and column.
static void expect_warning(const char *at, const char *sentence)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s/scene.json:%s: %s", folder.path, at, sentence);
    assert_string_equal(last_warning, whole);
}

#define ACROSS(size, count)                                                                        \
    "{'name': 'slab', 'shape': {'box': [" size                                                     \
    "]}, 'turn': {'axis': [1, 2, 3], 'by': 30}, 'material': {'clay': 'clay', 'particles': " count  \
    "}"

static void fewer_than_four_across_is_said_once(void **state)
{
    (void)state;
    assert_int_equal(warnings_of(ACROSS("3, 3, 24", "216") "}"), 1); // three across
    expect_warning("1:27", "body \"slab\" is 3 particles across where it is thickest, too few to "
                           "bend as it should; raise \"particles\" to 700");
    assert_int_equal(warnings_of(ACROSS("3, 18, 18", "972") "}"), 1);
    assert_int_equal(
        warnings_of(ACROSS("2, 2, 16", "64") ", 'copies': {'count': 3, 'step': [9, 0, 0]}}"), 1);
    assert_int_equal(warnings_of(ACROSS("5, 5, 40", "1000") "}"), 0); // five
    assert_int_equal(warnings_of(ACROSS("5, 30, 30", "4500") "}"), 0);
    assert_int_equal(warnings_of(ACROSS("5, 5, 5", "125") "}"), 0);
}

// No number of particles that one would wait for bends a sheet of 5 mm.
static void more_particles_are_not_advised_for_a_sheet(void **state)
{
    (void)state;
    assert_int_equal(warnings_of(ACROSS("1, 1, 0.005", "500") "}"), 1);
    expect_warning("1:27", "body \"slab\" is 0.005 m thick where it is thickest, and its particles "
                           "are 0.022 m apart: it is too thin to bend as it should; thicken it, or "
                           "give it another material");
}

#define BLOCK(height, more)                                                                        \
    "{'name': 'dough', 'shape': {'box': [1, 1, 1]}, 'at': [0, " height                             \
    ", 0], 'material': {'clay': 'clay', 'particles': 300}" more "}"
#define ANVIL(more) "{'name': 'anvil', 'shape': {'box': [4, 1, 4]}, 'motion': 'static'" more "}, "

static void what_starts_deep_inside_another_is_said_once(void **state)
{
    (void)state;
    assert_int_equal(warnings_of(ANVIL("") BLOCK("1.0", "")), 0);
    assert_int_equal(warnings_of(ANVIL("") BLOCK("0.85", "")), 0); // less than a quarter
    assert_int_equal(warnings_of(ANVIL("") BLOCK("0.5", "")), 1);
    expect_warning("1:95",
                   "body \"dough\" starts with 51 % of its particles inside body \"anvil\", "
                   "which pushes them out; move the two apart");
    assert_int_equal(
        warnings_of(ANVIL("") BLOCK("0.5", ", 'copies': {'count': 3, 'step': [1.1, 0, 0]}")), 1);
    assert_int_equal(warnings_of(ANVIL(", 'groups': ['a']") BLOCK("0.5", ", 'misses': ['a']")), 0);
    // what is within it counts as well, and the ground
    assert_int_equal(warnings_of("{'name': 'core', 'shape': {'sphere': 0.45}}, " BLOCK("0", "")),
                     1);
    assert_int_equal(warnings_of("{'name': 'core', 'shape': {'sphere': 0.3}}, " BLOCK("0", "")), 0);
    assert_int_equal(warnings_of("{'name': 'ground', 'shape': 'plane'}, " BLOCK("0.1", "")), 1);
}

// What needs more substeps than there are is softer than was asked for: the log hears of it once.
static void what_is_made_softer_is_said_once(void **state)
{
    (void)state;
    static const char *const stiffness[] = {"1000", "1e7"};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "'bodies': [{'name': 'rock', 'shape': {'box': [1, 1, 1]}, 'material': {'clay': "
                 "'rubber', 'particles': 200, 'stiffness': %s}}]",
                 stiffness[k]);
        show s = start_heard(text);
        step_frames(s.world, 5);
        assert_int_equal(warning_count, k);
        end(s);
    }
    assert_non_null(strstr(last_warning, "body \"rock\" was made softer, "));
}

// --- wrong scenes -------------------------------------------------------------------------------

static wr_scene *read_wrong(const char *text, wr_error *error)
{
    char path[600];
    snprintf(path, sizeof path, "%s/wrong.json", folder.path);
    write_text("wrong.json", text);
    return wr_scene_read(path, NULL, error);
}

static void wrong_grips_are_said_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *body; // from line 3 on
        const char *sentence;
    } cases[] = {
        {"'grips': {}", "expected"},
        {"'grips': [{'at': [0, 0, 0]}]", "size"},
        {"'grips': [{'size': [1, 1, 1]}]", "at"},
        {"'grips': [{'at': [0, 0, 0],\n'size': [1, 0, 1]}]", ":4:"},
        {"'grips': [{'at': [0, 0, 0], 'size': [1, 1, 1],\n'untill': 2}]",
         ":4:1: body \"dough\": unknown key \"untill\"; did you mean \"until\"?"},
        {"'grips': [{'at': [0, 0, 0], 'size': [1, 1, 1], 'until': -1}]", "until"},
        {"'grips': [{'at': [0, 0, 0], 'size': [1, 1, 1], 'path': 3}]", "expected"},
        {"'grips': [{'at': [0, 0, 0], 'size': [1, 1, 1], 'path': [{'at': [0, 1, 0]}]}]", "time"},
        {"'grips': [{'at': [0, 0, 0], 'size': [1, 1, 1], 'path': [{'time': 1},\n{'time': 1}]}]",
         ":4:1: body \"dough\": \"time\" is 1 s, expected more than the 1 s before it"},
        {"'grips': [{'at': [0, 0, 0], 'size': [1, 1, 1], 'path': [\n{'time': 0, 'at': [0, 1, "
         "0]}]}]",
         ":4:1: body \"dough\": at 0 s it is where the grip's \"at\" says"},
        {"'grips': [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", "17 grips, expected at most 16"},
    };
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        char text[1024];
        wr_error error = {0};
        snprintf(text, sizeof text,
                 "{'wrought': 1, 'bodies': [\n{'name': 'dough', 'shape': {'box': [1, 1, 1]}, "
                 "'material': 'clay',\n%s}]}",
                 cases[i].body);
        assert_null(read_wrong(text, &error));
        assert_int_equal(error.code, WR_E_FORMAT);
        if (!strstr(error.message, cases[i].sentence)) {
            fail_msg("%s; expected: %s", error.message, cases[i].sentence);
        }
    }
    wr_error error = {0};
    assert_null(
        read_wrong("{'wrought': 1, 'bodies': [{'shape': {'sphere': 1}, 'grips': []}]}", &error));
    assert_non_null(strstr(error.message, "\"grips\" has no effect on a body that is no clay"));
}

static void a_grip_beside_the_body_is_said(void **state)
{
    (void)state;
    wr_scene *scene = read_scene("'bodies': [" BAR "'flow': 0}, 'name': 'bar', 'grips': [{'at': "
                                 "[0, 0, 0], 'size': [9, 9, 9]}, {'at': [7, 0, 0], 'size': [1, 1, "
                                 "1]}]}]");
    wr_world_desc desc = wr_world_desc_default();
    wr_error error = {0};
    desc.scene = scene;
    assert_null(wr_world_create(&desc, &error));
    assert_non_null(strstr(error.message, "body \"bar\": grip 2: the box holds no particle"));
    wr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grips_follow_their_paths_and_let_go),
        cmocka_unit_test(a_grip_with_plans_keeps_it_awake),
        cmocka_unit_test(worlds_resume_in_the_middle_of_a_twist),
        cmocka_unit_test(a_dropped_bar_that_keeps_neighbours_and_step_comes_apart),
        cmocka_unit_test(what_has_blown_up_is_frozen_and_hidden),
        cmocka_unit_test(a_dropped_bar_is_sound_with_a_step_that_follows),
        cmocka_unit_test(a_body_in_two_parts_changes_to_particles),
        cmocka_unit_test(elastic_clay_stays_as_it_was_in_embedded_space),
        cmocka_unit_test(maps_are_painted_on_particles),
        cmocka_unit_test(a_bar_that_is_stiff_at_one_end_bends_at_the_other),
        cmocka_unit_test(fewer_than_four_across_is_said_once),
        cmocka_unit_test(more_particles_are_not_advised_for_a_sheet),
        cmocka_unit_test(what_starts_deep_inside_another_is_said_once),
        cmocka_unit_test(what_is_made_softer_is_said_once),
        cmocka_unit_test(wrong_grips_are_said_with_their_line),
        cmocka_unit_test(a_grip_beside_the_body_is_said),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
