// test_registration.c: a drawing is found again where a known warp took it, within a pixel or two.
#include "drawn.h"

#include "../src/author/registration.h"
#include "../src/author/sheet.h"

#include "wrought/author.h"

static const double PI = 3.14159265358979323846;

// --- drawings ---------------------------------------------------------------------------------

enum { SIDE = 128 };

// A figure as colour and distance at a place, y down; arm: degrees that its arm is turned.
static uint32_t figure_at(double x, double y, double arm, double *distance)
{
    double a = arm * PI / 180.0, shoulder[2] = {76, 48};
    double hand[2] = {shoulder[0] + 30 * cos(a + 0.6), shoulder[1] + 30 * sin(a + 0.6)};
    double trunk = bar_distance(x, y, 64, 52, 64, 78, 15), head = hypot(x - 64, y - 24) - 12;
    double left = bar_distance(x, y, 57, 82, 52, 115, 6),
           right = bar_distance(x, y, 71, 82, 78, 115, 6);
    double limb = bar_distance(x, y, shoulder[0], shoulder[1], hand[0], hand[1], 5);
    double fist = hypot(x - hand[0], y - hand[1]) - 5;
    *distance = fmin(fmin(fmin(trunk, head), fmin(left, right)), limb);
    bool is_leg = fmin(left, right) < 0.0 && trunk >= 0.0;
    uint32_t color = fist < 0.0                  ? 0xf0c8a0
                     : limb < 0.0                ? 0x4070c0
                     : hypot(x - 69, y - 22) < 3 ? 0x202020
                     : head < 0.0                ? 0xf0c8a0
                     : is_leg                    ? (y > 106 ? 0x303030 : 0x306040)
                     : fabs(x - 64) < 3          ? 0xe0e0e0
                                                 : 0xc04838;
    bool striped = limb >= 0.0 && head >= 0.0 && fmod(y, 12.0) < 4.0;
    return striped ? color >> 1 & 0x7f7f7f : color;
}

// False: nobody can know.
typedef bool warp_fn(const void *context, double x, double y, double out[2]);

// Colours come from where back takes a pixel. y down.
static drawing draw_figure(warp_fn *back, const void *context, double arm)
{
    drawing d = drawing_create(SIDE, SIDE);
    for (int i = 0; i < 4 * SIDE * SIDE; i++) { // four samples a pixel
        double at[2] = {i / 4 % SIDE + 0.25 + 0.5 * (i & 1), i / 4 / SIDE + 0.25 + 0.25 * (i & 2)};
        double distance;
        if (back) {
            back(context, at[0], at[1], at);
        }
        uint32_t color = figure_at(at[0], at[1], arm, &distance);
        uint8_t *p = d.pixels + i / 4 * 4;
        if (distance < 0.0) {
            for (int k = 0; k < 3; k++) {
                p[k] = (uint8_t)(color >> (16 - 8 * k));
            }
            p[3] = (uint8_t)(p[3] + (p[3] == 192 ? 63 : 64));
        }
    }
    return d;
}

// --- registering ------------------------------------------------------------------------------

typedef struct fixture {
    drawing picture;
    wr_lattice *lattice;
    wri_place2 *rest, *x, *start; // start: NULL or where to look as well
    wri_registrar *registrar;
} fixture;

static wr_image image_of(const drawing *d)
{
    return (wr_image){"drawing", d->width, d->height, d->pixels};
}

static fixture fixture_create(drawing picture, int vertices)
{
    fixture f = {.picture = picture};
    wr_error error = {0};
    wr_image image = image_of(&picture);
    wr_planar_desc desc = wr_planar_desc_default();
    desc.image = &image;
    desc.metres_per_pixel = 1.0;
    desc.vertices = vertices;
    f.lattice = wr_lattice_create_planar(&desc, &error);
    assert_non_null(f.lattice);
    size_t n = (size_t)f.lattice->vertex_count;
    f.rest = calloc(n, sizeof *f.rest);
    f.x = calloc(n, sizeof *f.x);
    for (size_t i = 0; i < n; i++) {
        f.rest[i][0] = (double)f.lattice->rest[i].x;
        f.rest[i][1] = (double)f.lattice->rest[i].y;
    }
    wri_registrar_desc r = {.picture = &image,
                            .vertex_count = (int)n,
                            .rest = (const wri_place2 *)f.rest,
                            .element_count = f.lattice->element_count,
                            .elements = f.lattice->elements};
    f.registrar = wri_registrar_create(&r, &error);
    if (!f.registrar) {
        fail_msg("%s", error.message);
    }
    return f;
}

static void fixture_destroy(fixture *f)
{
    wri_registrar_destroy(f->registrar);
    wr_lattice_destroy(f->lattice);
    free(f->picture.pixels);
    free(f->rest);
    free(f->x);
    free(f->start);
}

// Registers a drawing, and where the vertices should be; y down as the drawing's.
static wri_registration check_warp(fixture *f, drawing cell, warp_fn *there, const void *context,
                                   double mean, double worst, const char *what)
{
    wri_registration report;
    wr_error error = {0};
    wr_image image = image_of(&cell);
    if (!wri_registrar_find(f->registrar, &image, (const wri_place2 *)f->start, f->x, &report,
                            &error)) {
        fail_msg("%s", error.message);
    }
    double sum = 0.0, most = 0.0;
    int n = 0;
    for (int i = 0; i < f->lattice->vertex_count; i++) {
        double to[2];
        if (!there(context, f->rest[i][0], SIDE - f->rest[i][1], to)) {
            continue;
        }
        n++;
        double d = hypot(f->x[i][0] - to[0], f->x[i][1] - (SIDE - to[1]));
        sum += d * d;
        most = fmax(most, d);
    }
    print_message("%s: %.2f pixels off, at most %.2f; overlap %.3f, outline %.2f (%.2f), colour "
                  "%.3f\n",
                  what, sqrt(sum / n), most, report.overlap, report.outline, report.farthest,
                  report.color);
    if (!(sqrt(sum / n) < mean && most < worst)) {
        fail_msg("%s: %g pixels off, at most %g", what, sqrt(sum / n), most);
    }
    free(cell.pixels);
    return report;
}

// --- warps ------------------------------------------------------------------------------------

typedef struct rigid {
    double angle, dx, dy;
} rigid;

static bool move(const void *context, double x, double y, double out[2])
{
    const rigid *m = context;
    double c = cos(m->angle), s = sin(m->angle);
    x -= 64, y -= 64;
    out[0] = c * x - s * y + 64 + m->dx;
    out[1] = s * x + c * y + 64 + m->dy;
    return true;
}

static bool move_back(const void *context, double x, double y, double out[2])
{
    const rigid *m = context;
    double c = cos(m->angle), s = sin(m->angle);
    x -= 64 + m->dx, y -= 64 + m->dy;
    out[0] = c * x + s * y + 64;
    out[1] = -s * x + c * y + 64;
    return true;
}

static bool stay(const void *context, double x, double y, double out[2])
{
    (void)context;
    out[0] = x, out[1] = y;
    return true;
}

// Sideways by a wave along y: exact both ways.
static bool wave(const void *context, double x, double y, double out[2])
{
    out[0] = x + *(const double *)context * sin(y * PI / 64.0);
    out[1] = y;
    return true;
}

static bool wave_back(const void *context, double x, double y, double out[2])
{
    out[0] = x - *(const double *)context * sin(y * PI / 64.0);
    out[1] = y;
    return true;
}

// Turned about a place by an angle that falls off with the distance from it: exact both ways.
static bool swirl(const void *context, double x, double y, double out[2])
{
    x -= 64, y -= 60;
    double angle = *(const double *)context * exp(-(x * x + y * y) / 1800.0);
    out[0] = cos(angle) * x - sin(angle) * y + 64;
    out[1] = sin(angle) * x + cos(angle) * y + 60;
    return true;
}

static bool swirl_back(const void *context, double x, double y, double out[2])
{
    double angle = -*(const double *)context;
    return swirl(&angle, x, y, out);
}

// What is of the arm turns about the shoulder, all else stays; around the shoulder it is open.
static bool lift(const void *context, double x, double y, double out[2])
{
    double a = *(const double *)context * PI / 180.0, d = hypot(x - 76, y - 48);
    bool of_arm = bar_distance(x, y, 76, 48, 76 + 30 * cos(0.6), 48 + 30 * sin(0.6), 6) < 0.0;
    double c = cos(of_arm ? a : 0.0), s = sin(of_arm ? a : 0.0);
    out[0] = c * (x - 76) - s * (y - 48) + 76;
    out[1] = s * (x - 76) + c * (y - 48) + 48;
    return d > 22;
}

// --- promises ---------------------------------------------------------------------------------

static void the_same_picture_stays_where_it_is(void **state)
{
    (void)state;
    fixture f = fixture_create(draw_figure(NULL, NULL, 0), 250);
    wri_registration r =
        check_warp(&f, draw_figure(NULL, NULL, 0), stay, NULL, 0.1, 0.3, "the same");
    assert_true(r.overlap > 0.95 && r.color < 0.02);
    fixture_destroy(&f);
}

static bool is_covered(const fixture *f, double x, double y)
{
    for (int e = 0; e < f->lattice->element_count; e++) {
        const int *t = f->lattice->elements + 3 * e;
        double side[3];
        for (int k = 0; k < 3; k++) {
            const double *a = f->x[t[k]], *b = f->x[t[(k + 1) % 3]];
            side[k] = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        }
        if ((side[0] >= 0 && side[1] >= 0 && side[2] >= 0) ||
            (side[0] <= 0 && side[1] <= 0 && side[2] <= 0)) {
            return true;
        }
    }
    return false;
}

// A picture without legs: what is found covers all of it and more, and the overlap says how much.
static void the_overlap_is_of_what_either_covers(void **state)
{
    (void)state;
    fixture f = fixture_create(draw_figure(NULL, NULL, 0), 250);
    drawing cell = draw_figure(NULL, NULL, 0);
    memset(cell.pixels + (size_t)4 * SIDE * 90, 0, (size_t)4 * SIDE * (SIDE - 90));
    wr_image image = image_of(&cell);
    wri_registration report;
    assert_true(wri_registrar_find(f.registrar, &image, NULL, f.x, &report, NULL));
    int both = 0, any = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        bool there = cell.pixels[4 * i + 3] > 127;
        bool covered = is_covered(&f, i % SIDE + 0.5, SIDE - (i / SIDE + 0.5));
        both += there && covered;
        any += there || covered;
    }
    CHECK_NEAR(report.overlap, (double)both / any, 1e-3);
    assert_true(any > both + 20); // it does not fit
    free(cell.pixels);
    fixture_destroy(&f);
}

// A start that leads astray does no harm: what was found from rest stays, to the last bit.
static void a_start_that_leads_astray_does_no_harm(void **state)
{
    (void)state;
    fixture f = fixture_create(draw_figure(NULL, NULL, 0), 120);
    drawing cell = draw_figure(NULL, NULL, 0);
    memset(cell.pixels + (size_t)4 * SIDE * 90, 0, (size_t)4 * SIDE * (SIDE - 90));
    wr_image image = image_of(&cell);
    size_t n = (size_t)f.lattice->vertex_count;
    wri_place2 *alone = calloc(n, sizeof *alone);
    f.start = calloc(n, sizeof *f.start);
    for (size_t i = 0; i < n; i++) { // upside down in a corner
        f.start[i][0] = 150.0 - f.rest[i][0], f.start[i][1] = 90.0 - f.rest[i][1];
    }
    wri_registration first, second;
    assert_true(wri_registrar_find(f.registrar, &image, NULL, alone, &first, NULL));
    assert_true(
        wri_registrar_find(f.registrar, &image, (const wri_place2 *)f.start, f.x, &second, NULL));
    assert_true(first.overlap < 0.95); // so that the start was tried
    assert_memory_equal(f.x, alone, n * sizeof *alone);
    assert_true(second.overlap == first.overlap && second.color == first.color);
    free(alone);
    free(cell.pixels);
    fixture_destroy(&f);
}

static void moves_and_turns_as_a_whole_are_found(void **state)
{
    (void)state;
    fixture f = fixture_create(draw_figure(NULL, NULL, 0), 250);
    static const rigid moves[] = {{0, 7, -5}, {0.4, 0, 0}, {-1.2, 3, 3}, {3.0, 0, 0}};
    for (int i = 0; i < WRI_COUNT(moves); i++) {
        char what[40];
        snprintf(what, sizeof what, "moved %d", i);
        check_warp(&f, draw_figure(move_back, &moves[i], 0), move, &moves[i], 0.5, 1.5, what);
    }
    fixture_destroy(&f);
}

static void bends_are_found_within_two_pixels(void **state)
{
    (void)state;
    fixture f = fixture_create(draw_figure(NULL, NULL, 0), 250);
    static const double waves[] = {4, -6}, swirls[] = {0.3, -0.35};
    for (int i = 0; i < 2; i++) {
        check_warp(&f, draw_figure(wave_back, &waves[i], 0), wave, &waves[i], 0.5, 1.6, "wave");
        check_warp(&f, draw_figure(swirl_back, &swirls[i], 0), swirl, &swirls[i], 0.8, 2.0,
                   "swirl");
    }
    fixture_destroy(&f);
}

static void a_lifted_arm_is_found(void **state)
{
    (void)state;
    fixture f = fixture_create(draw_figure(NULL, NULL, 0), 300);
    static const double angles[] = {-25, 30, -60, -105};
    for (int i = 0; i < WRI_COUNT(angles); i++) {
        wri_registration r = check_warp(&f, draw_figure(NULL, NULL, angles[i]), lift, &angles[i],
                                        0.3, 2.0, "lifted");
        assert_true(r.overlap > 0.97);
    }
    fixture_destroy(&f);
}

// Turned so far it is 9 pixels off when it is looked for from rest.
static void the_cell_before_leads_further(void **state)
{
    (void)state;
    fixture f = fixture_create(draw_figure(NULL, NULL, 0), 300);
    static const double before = 1.6, now = 1.9;
    f.start = calloc((size_t)f.lattice->vertex_count, sizeof *f.start);
    for (int i = 0; i < f.lattice->vertex_count; i++) {
        double to[2];
        swirl(&before, f.rest[i][0], SIDE - f.rest[i][1], to);
        f.start[i][0] = to[0], f.start[i][1] = SIDE - to[1];
    }
    check_warp(&f, draw_figure(swirl_back, &now, 0), swirl, &now, 5.0, 20.0, "led");
    fixture_destroy(&f);
}

// --- sheets -----------------------------------------------------------------------------------

static temporary_folder folder;

static bool parse(wri_arena *arena, const char *text, wri_sheet *out, wr_error *error)
{
    char json[4096];
    assert_true(strlen(text) < sizeof json);
    strcpy(json, text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return wri_sheet_parse(arena, json, strlen(json), "walk.json", out, error);
}

#define FRAME(x) "'frame': {'x': " #x ", 'y': 0, 'w': 4, 'h': 6}"

static void arrays_and_hashes_of_frames_are_read(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wri_sheet array, hash;
    wr_error error = {0};
    assert_true(parse(&arena,
                      "{'frames': [{'filename': 'walk 0.aseprite', " FRAME(
                          0) ", 'duration': 100}, "
                             "{'filename': 'walk 1.aseprite', " FRAME(
                                 4) "}, {'filename': 'walk "
                                    "1.aseprite', " FRAME(8) "}, {'filename': 'end.png', " FRAME(
                                        12) "}], 'meta':"
                                            " {'image': '/home/me/walk.png', 'frameTags': "
                                            "[{'name': 'go', 'from': 0, "
                                            "'to': 1, 'direction': 'forward'}, {'name': 'go', "
                                            "'from': 2, 'to': 2}]}}",
                      &array, &error));
    assert_true(wri_sheet_begin_with(&arena, &array, 0, &error));
    assert_int_equal(array.cell_count, 4);
    assert_string_equal(array.image, "walk.png");
    static const char *const names[] = {"rest", "go 1", "go", "end"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(array.cells[i].name, names[i]);
        assert_int_equal(array.cells[i].x, 4 * i);
    }
    assert_true(
        parse(&arena,
              "{'frames': {'hero/run.png': {" FRAME(
                  3) ", 'rotated': true, 'trimmed': true, "
                     "'spriteSourceSize': {'x': 1, 'y': 2, 'w': 4, 'h': 6}, 'sourceSize': {'w': "
                     "10, 'h': 20}, 'pivot': {'x': 0.5, 'y': 0.5}}, 'rest': {" FRAME(9) "}}}",
              &hash, &error));
    assert_true(wri_sheet_begin_with(&arena, &hash, 1, &error));
    assert_null(hash.image);
    assert_int_equal(hash.cells[0].x, 9);
    assert_string_equal(hash.cells[1].name, "hero/run");
    assert_true(hash.cells[1].is_rotated && hash.cells[1].left == 1 && hash.cells[1].top == 2);
    assert_true(hash.width == 10 && hash.height == 20);
    assert_false(wri_sheet_begin_with(&arena, &hash, 2, &error));
    assert_string_equal(error.message, "there is no cell 2, the last is 1");
    wri_arena_destroy(&arena);
}

static void trimmed_and_rotated_cells_are_put_back(void **state)
{
    (void)state;
    drawing d = drawing_create(7, 5); // an L of three pixels, and the same on its side
    const int upright[3][2] = {{0, 0}, {0, 1}, {1, 1}}, turned[3][2] = {{4, 0}, {3, 0}, {3, 1}};
    for (int i = 0; i < 3; i++) {
        put_block(&d, upright[i][0], upright[i][1], upright[i][0] + 1, upright[i][1] + 1,
                  0x101010u * (uint32_t)(i + 1));
        put_block(&d, turned[i][0], turned[i][1], turned[i][0] + 1, turned[i][1] + 1,
                  0x101010u * (uint32_t)(i + 1));
    }
    wr_image image = image_of(&d);
    wri_arena arena = wri_arena_create(NULL);
    wri_sheet sheet;
    wr_error error = {0};
    assert_true(parse(&arena,
                      "{'frames': [{'frame': {'x': 0, 'y': 0, 'w': 3, 'h': 2}}, {'frame': {'x': 3, "
                      "'y': 0, 'w': 3, 'h': 2}, 'rotated': true, 'spriteSourceSize': {'x': 1, 'y': "
                      "2, 'w': 3, 'h': 2}, 'sourceSize': {'w': 5, 'h': 6}}]}",
                      &sheet, &error));
    assert_true(wri_sheet_check(&sheet, &image, &error));
    uint8_t a[4 * 30] = {0}, b[4 * 30] = {0};
    wri_sheet_cut(&sheet, &image, 0, a);
    wri_sheet_cut(&sheet, &image, 1, b);
    for (int y = 0; y < 2; y++) { // the small one stands in the middle of the ground
        for (int x = 0; x < 3; x++) {
            assert_memory_equal(a + 4 * ((y + 4) * 5 + x + 1), b + 4 * ((y + 2) * 5 + x + 1), 4);
        }
    }
    assert_int_equal(b[4 * (2 * 5 + 1)], 0x10);
    assert_int_equal(b[4 * (3 * 5 + 2)], 0x30);
    wri_arena_destroy(&arena);
    free(d.pixels);
}

static void mistakes_in_sheets_are_one_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } mistakes[] = {
        {"{}", "walk.json:1:1: sheet: has no list of 'frames', expected what Aseprite or "
               "TexturePacker writes as JSON"},
        {"[1]", "walk.json:1:1: sheet: has no list of 'frames', expected what Aseprite or "
                "TexturePacker writes as JSON"},
        {"{'frames': []}", "walk.json:1:12: sheet: has 0 frames, expected 1 to 256"},
        {"{'frames': [3]}", "walk.json:1:13: frame 0 '': is a number, expected an object"},
        {"{'frames': {'a.png': {}}}", "walk.json:1:22: frame 0 'a.png': has no 'frame'"},
        {"{'frames': {'a.png': {'frame': {'x': 0, 'y': 0, 'w': 0, 'h': 1}}}}",
         "walk.json:1:54: frame 0 'a.png': 'w' is 0, expected a whole number from 1 to 16384"},
        {"{'frames': {'a.png': {'frame': {'x': -1, 'y': 0, 'w': 1, 'h': 1}}}}",
         "walk.json:1:38: frame 0 'a.png': 'x' is -1, expected a whole number from 0 to 16384"},
        {"{'frames': {'a.png': {'frame': {'x': 1e30, 'y': 0, 'w': 1, 'h': 1}}}}",
         "walk.json:1:38: frame 0 'a.png': 'x' is 1e+30, expected a whole number from 0 to 16384"},
        {"{'frames': {'a.png': {" FRAME(0) ", 'rotated': 1}}}",
         "walk.json:1:77: frame 0 'a.png': 'rotated' is a number, expected true or false"},
        {"{'frames': {'a.png': {" FRAME(0) ", 'sourceSize': {'w': 3, 'h': 9}}}}",
         "walk.json:1:22: frame 0 'a.png': 4 x 6 pixels at 0, 0 leave its 'sourceSize' of 3 x 9"},
        {"{'frames': {'a.png': {" FRAME(0) "}}, 'meta': {'frameTags': [{'name': 'b', 'from': 0, "
                                           "'to': 1}]}}",
         "walk.json:1:91: frameTags: tag 'b' goes from frame 0 to 1 of 1"},
    };
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        wri_arena arena = wri_arena_create(NULL);
        wri_sheet sheet;
        wr_error error = {0};
        assert_false(parse(&arena, mistakes[i].text, &sheet, &error));
        for (char *c = error.message; *c; c++) {
            *c = *c == '"' ? '\'' : *c;
        }
        assert_string_equal(error.message, mistakes[i].expected);
        wri_arena_destroy(&arena);
    }
}

// Four cells: at rest, moved, the arm lifted, and none.
static void write_sheet(void)
{
    drawing d = drawing_create(2 * SIDE, 2 * SIDE);
    static const rigid shift = {0, 6, 2};
    drawing cells[3] = {draw_figure(NULL, NULL, 0), draw_figure(move_back, &shift, 0),
                        draw_figure(NULL, NULL, -40)};
    for (int i = 0; i < 3 * SIDE; i++) {
        memcpy(d.pixels + 4 * ((i / SIDE / 2 * SIDE + i % SIDE) * 2 * SIDE + i / SIDE % 2 * SIDE),
               cells[i / SIDE].pixels + 4 * (i % SIDE) * SIDE, 4 * SIDE);
    }
    write_drawing(&folder, "walk.png", &d);
    free(d.pixels);
    for (int i = 0; i < 3; i++) {
        free(cells[i].pixels);
    }
}

#define GRID "'wrought': 1, 'sheet': {'image': 'walk.png', 'grid': [2, 2]}"

static void cells_become_examples(void **state)
{
    (void)state;
    wr_build_report report;
    wr_asset *a = build_sound_drawing(
        &folder,
        "{" GRID ", 'simulation': {'vertices': 250, 'pixel': 0.01}, 'handles': {'automatic': 8}, "
        "'examples': [{'name': 'up', 'move': {'h0': [0, 0.1]}}]}",
        &report);
    const wr_rig *rig = &a->rig;
    assert_int_equal(rig->example_count, 4);
    assert_string_equal(rig->examples[1].name, "cell 1");
    assert_string_equal(rig->examples[2].name, "cell 2");
    assert_string_equal(rig->examples[3].name, "up");
    assert_true(report.examples[0].is_registered && !report.examples[0].is_poor);
    assert_true(report.examples[1].overlap > 0.95 && !report.examples[1].is_poor);
    assert_false(report.examples[2].is_registered);
    const wr_skin_desc desc = wr_skin_desc_default();
    wr_skin *skin = wr_skin_create(rig, &desc, NULL);
    wr_vec3 *x = calloc((size_t)rig->vertex_count, sizeof *x);
    const float blend[4] = {0, 1, 0, 0};
    wr_mat34 *maps = calloc((size_t)rig->handle_count, sizeof *maps);
    wr_skin_blend(skin, blend, NULL, maps, x);
    for (int v = 0; v < rig->vertex_count; v++) { // 6 pixels right and 2 down
        CHECK_NEAR(x[v].x - rig->rest[v].x, 0.06, 0.005);
        CHECK_NEAR(x[v].y - rig->rest[v].y, -0.02, 0.005);
    }
    free(maps);
    free(x);
    wr_skin_destroy(skin);
    wr_build_report_clear(&report);
    wr_asset_destroy(a);
}

static void another_thing_is_found_poorly(void **state)
{
    (void)state;
    drawing d = drawing_create(128, 64);
    put_bar(&d, 20, 32, 44, 32, 8, 0xc04040);
    put_bar(&d, 96, 12, 96, 52, 10, 0x40c040);
    put_bar(&d, 76, 32, 116, 32, 4, 0x4040c0);
    write_drawing(&folder, "other.png", &d);
    free(d.pixels);
    wr_build_report report;
    wr_asset *a = build_sound_drawing(&folder,
                                      "{'wrought': 1, 'sheet': {'image': 'other.png', 'grid': [2, "
                                      "1]}, 'simulation': {'vertices': 60}}",
                                      &report);
    assert_true(report.examples[0].is_poor);
    wr_build_report_clear(&report);
    wr_asset_destroy(a);
}

static void mistakes_about_sheets_are_one_sentence(void **state)
{
    (void)state;
    write_text(&folder, "far.json",
               "{\"frames\": [{\"frame\": {\"x\": 200, \"y\": 0, \"w\": 100, "
               "\"h\": 9}}], \"meta\": {\"image\": \"walk.png\"}}");
    write_text(&folder, "mute.json",
               "{\"frames\": [{\"frame\": {\"x\": 0, \"y\": 0, \"w\": 9, \"h\": 9}}]}");
    write_text(&folder, "vast.json",
               "{\"frames\": [{\"frame\": {\"x\": 0, \"y\": 0, \"w\": 128, \"h\": 128}, "
               "\"sourceSize\": {\"w\": 16384, \"h\": 16384}}]}");
    static const struct {
        const char *text, *expected;
    } mistakes[] = {
        {"{'wrought': 1, 'sheet': {'image': 'walk.png'}}",
         "DIR/d.recipe.json:1:25: sheet: has no cells, expected one of 'grid' and 'data'"},
        {"{'wrought': 1, 'sheet': {'grid': [2, 2]}}",
         "DIR/d.recipe.json:1:25: sheet: has a 'grid' without an 'image'"},
        {"{'wrought': 1, 'sheet': {'image': 'walk.png', 'grid': [2, 0]}}",
         "DIR/d.recipe.json:1:59: sheet: 'grid' is 0, expected 1 to 256"},
        {"{'wrought': 1, 'sheet': {'image': 'walk.png', 'grid': [3, 2]}}",
         "DIR/d.recipe.json:1:25: sheet: walk.png: has 256 x 256 pixels, which do not divide into "
         "3 columns and 2 rows"},
        {"{'wrought': 1, 'sheet': {'image': 'walk.png', 'grid': [256, 256]}}",
         "DIR/d.recipe.json:1:25: sheet: 'grid' has 65536 cells, expected at most 256"},
        {"{'wrought': 1, 'sheet': {'data': 'far.json'}}",
         "DIR/d.recipe.json:1:25: sheet: DIR/far.json:1:13: sheet: frame 0, 100 x 9 pixels at 200, "
         "0, leaves walk.png of 256 x 256 pixels"},
        {"{'wrought': 1, 'sheet': {'data': 'mute.json'}}",
         "DIR/d.recipe.json:1:25: sheet: mute.json names no picture, expected 'image' here to say "
         "which"},
        {"{'wrought': 1, 'sheet': {'data': 'vast.json', 'image': 'walk.png'}}",
         "DIR/d.recipe.json:1:25: sheet: 1 cells of 16384 x 16384 pixels, expected at most "
         "268435456 pixels together"},
        {"{" GRID ", 'examples': [{'name': 'cell 1', 'move': {'h0': [0, 1]}}]}",
         "DIR/d.recipe.json:1:77: example 'cell 1': has the name of a cell of the sheet"},
        {"{" GRID ", 'examples': [{'name': 'a', 'morph': 'b'}]}",
         "DIR/d.recipe.json:1:77: example 'a': a picture has no clips, morph targets, sculpts or "
         "sheet metal, "
         "expected 'move', 'turn' or 'scale'"},
        {"{'wrought': 1, 'sheet': {'image': 'walk.png', 'grid': [2, 2], 'cell': 3}}",
         "DIR/d.recipe.json:1:25: sheet: there is no cell 3, the last is 2"},
    };
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        check_drawing_mistake(&folder, mistakes[i].text, mistakes[i].expected);
    }
}

static int prepare(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    write_sheet();
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_picture_stays_where_it_is),
        cmocka_unit_test(the_overlap_is_of_what_either_covers),
        cmocka_unit_test(a_start_that_leads_astray_does_no_harm),
        cmocka_unit_test(moves_and_turns_as_a_whole_are_found),
        cmocka_unit_test(bends_are_found_within_two_pixels),
        cmocka_unit_test(a_lifted_arm_is_found),
        cmocka_unit_test(the_cell_before_leads_further),
        cmocka_unit_test(arrays_and_hashes_of_frames_are_read),
        cmocka_unit_test(trimmed_and_rotated_cells_are_put_back),
        cmocka_unit_test(mistakes_in_sheets_are_one_sentence),
        cmocka_unit_test(cells_become_examples),
        cmocka_unit_test(another_thing_is_found_poorly),
        cmocka_unit_test(mistakes_about_sheets_are_one_sentence),
    };
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
