// test_views.c: wrought render of assets, and of recordings in their colours, as its user meets it.
#include "asset_sample.h"
#include "check.h"

#include "../src/base/os.h"
#include "../src/file/model.h"
#include "../src/file/png.h"
#include "../src/show/show.h"
#include "wrought/record.h"
#include "wrought/render.h"

enum { EXAMPLES = 4, HANDLES = 5 };

static temporary_folder folder;
static char solid[600], flat[600], still[600], picture[600];

static const char *path_in(char *out, const char *name)
{
    snprintf(out, 600, "%s/%s", folder.path, name);
    return out;
}

static void write_sample(const char *path, sample_shape shape)
{
    wr_error error = {0};
    wr_asset *asset = sample_asset_create(shape);
    if (!asset || !wr_asset_write(asset, path, &error)) {
        fail_msg("%s", error.message);
    }
    wr_asset_destroy(asset);
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    write_sample(path_in(solid, "solid.asset.glb"), (sample_shape){3, 3, HANDLES, false});
    write_sample(path_in(flat, "flat.asset.glb"), (sample_shape){2, 4, 3, false});
    write_sample(path_in(still, "still.asset.glb"), (sample_shape){3, 1, 0, false});
    path_in(picture, "picture.png");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// --- running it -------------------------------------------------------------------------------

typedef struct outcome {
    int status;
    char out[4096], errors[256]; // errors: its last line
} outcome;

static outcome run(const char *const *arguments)
{
    outcome o = {0};
    const char *words[24] = {getenv("WROUGHT_PROGRAM"), "render"};
    if (!words[0]) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    for (int i = 0; arguments[i] && i < 20; i++) {
        words[i + 2] = arguments[i];
    }
    wri_run_result result = {0};
    wr_error error = {0};
    remove(picture);
    assert_true(
        wri_run(words, &(wri_run_limits){60.0, 0, sizeof o.out - 1}, NULL, &result, &error));
    o.status = result.end == WRI_RUN_EXITED ? result.code : -1;
    if (result.output.count > 0) {
        memcpy(o.out, result.output.items, (size_t)result.output.count);
    }
    snprintf(o.errors, sizeof o.errors, "%s", result.line);
    wri_array_destroy(&result.output);
    return o;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, "-o", picture, NULL})

static wr_image read_picture(wri_arena *arena)
{
    size_t size;
    wr_error error = {0};
    wr_image image = {0};
    char *bytes = wri_file_read(picture, 1 << 24, NULL, &size, &error);
    if (!bytes || !wri_png_decode(arena, bytes, size, picture, &image, &error)) {
        fail_msg("%s", error.message);
    }
    wri_free(NULL, bytes, size + 1, 1);
    return image;
}

// --- what is in a picture ---------------------------------------------------------------------

static double hue_of(double r, double g, double b, double *saturation)
{
    double top = fmax(r, fmax(g, b)), low = fmin(r, fmin(g, b));
    *saturation = top > 0.0 ? (top - low) / top : 0.0;
    return atan2(sqrt(3.0) * (g - b), 2.0 * r - g - b);
}

// The share of pixels with a hue like this colour's.
static double share_of(const wr_image *image, wr_color color)
{
    double s, hue = hue_of(sqrt(color.r), sqrt(color.g), sqrt(color.b), &s);
    int count = 0, total = image->width * image->height;
    for (int i = 0; i < total; i++) {
        const uint8_t *p = image->pixels + 4 * (size_t)i;
        double saturation, h = hue_of(p[0], p[1], p[2], &saturation);
        count += saturation > 0.4 && cos(h - hue) > 0.95;
    }
    return (double)count / total;
}

// How many of 24 hues cover at least a two-hundredth of the picture.
static int count_hues(const wr_image *image)
{
    int bins[24] = {0}, hues = 0, total = image->width * image->height;
    for (int i = 0; i < total; i++) {
        const uint8_t *p = image->pixels + 4 * (size_t)i;
        double saturation, h = hue_of(p[0], p[1], p[2], &saturation);
        bins[(int)((h / 6.2832 + 0.5) * 23.99)] += saturation > 0.2;
    }
    for (int i = 0; i < 24; i++) {
        hues += bins[i] > total / 200;
    }
    return hues;
}

static bool is_paper(const wr_image *image, int x, int y)
{
    const uint8_t *p = image->pixels + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
    return p[0] > 243 && p[1] > 243 && p[2] > 243;
}

// Runs of at least `least` pixels that are not paper, along a row or column.
static int count_runs(const wr_image *image, int fixed, bool along_x, int least)
{
    int runs = 0, length = 0, end = along_x ? image->width : image->height;
    for (int i = 0; i < end; i++) {
        bool paper = along_x ? is_paper(image, i, fixed) : is_paper(image, fixed, i);
        length = paper ? 0 : length + 1;
        runs += length == least;
    }
    return runs;
}

static int count_lines(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

// --- sheets -----------------------------------------------------------------------------------

static void a_sheet_shows_every_example_whole_and_half_in_its_colour(void **state)
{
    (void)state;
    outcome o = RUN(solid, "--view", "examples", "--sheet", "--samples", "4");
    assert_int_equal(o.status, 0);
    static const char *const names[] = {
        "rest:", "simulation mesh:", "bend:", "dent:", "all \"at\" once:"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(count_lines(o.out, names[i]), i < 2 ? 1 : 2);
    }
    assert_int_equal(count_lines(o.out, "half way"), EXAMPLES - 1);
    wri_arena arena = wri_arena_create(NULL);
    wr_image image = read_picture(&arena);
    assert_int_equal(count_runs(&image, 60, true, 100), EXAMPLES); // columns
    assert_int_equal(count_runs(&image, 12, false, 100), 2);       // rows
    for (int e = 1; e < EXAMPLES; e++) {
        assert_true(share_of(&image, wr_example_color(e, EXAMPLES)) > 0.01);
    }
    wri_arena_destroy(&arena);
    assert_true(wri_file_size(picture) <= 200000);
}

static void the_sheet_says_how_far_the_examples_move(void **state)
{
    (void)state;
    outcome o = RUN(solid, "--sheet", "-s", "64x48", "--samples", "1");
    assert_int_equal(o.status, 0);
    wr_asset *asset = wr_asset_read(solid, NULL, NULL);
    wr_skin_desc desc = wr_skin_desc_default();
    wr_skin *skin = wr_skin_create(&asset->rig, &desc, NULL);
    int n = asset->rig.vertex_count, m = asset->rig.ride_count;
    float *E = calloc((size_t)n * EXAMPLES, sizeof *E);
    wr_vec3 *x = calloc((size_t)n, sizeof *x), *p = calloc((size_t)m, sizeof *p);
    for (int i = 0; i < n; i++) {
        E[i * EXAMPLES + 3] = 1.0f;
    }
    wr_skin_positions(skin, E, NULL, 0, NULL, x);
    wr_skin_ride_positions(skin, E, x, NULL, 0, NULL, p);
    double largest = 0.0;
    for (int i = 0; i < m; i++) {
        largest = fmax(largest, wr_distance(p[i], asset->model->meshes[0].positions[i]));
    }
    char expected[64];
    snprintf(expected, sizeof expected, "all \"at\" once: moves %.3g m\n", largest);
    assert_true(largest > 1.0);
    if (!strstr(o.out, expected)) {
        fail_msg("expected %s in %s", expected, o.out);
    }
    free(E);
    free(x);
    free(p);
    wr_skin_destroy(skin);
    wr_asset_destroy(asset);
}

static void a_sheet_of_weights_has_a_cell_for_every_handle(void **state)
{
    (void)state;
    outcome o = RUN(solid, "--view", "weights", "--sheet", "--samples", "4");
    assert_int_equal(o.status, 0);
    assert_int_equal(count_lines(o.out, " %"), HANDLES);
    wr_asset *asset = wr_asset_read(solid, NULL, NULL);
    const char *line = strstr(o.out, "  h4: ");
    float place[3];
    assert_non_null(asset);
    assert_non_null(line);
    assert_int_equal(sscanf(line, "  h4: %f %f %f, ", &place[0], &place[1], &place[2]), 3);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR((double)place[a], (double)(&asset->rig.handles[4].pivot.x)[a], 0.0051);
    }
    wr_asset_destroy(asset);
    wri_arena arena = wri_arena_create(NULL);
    wr_image image = read_picture(&arena);
    assert_int_equal(count_runs(&image, 60, true, 100), HANDLES); // the fullest row
    wri_arena_destroy(&arena);
    assert_true(wri_file_size(picture) <= 200000);
}

static void flat_assets_and_those_without_handles_have_sheets_too(void **state)
{
    (void)state;
    assert_int_equal(RUN(flat, "--view", "examples", "--sheet", "-s", "80x60").status, 0);
    assert_int_equal(RUN(flat, "--view", "weights", "--sheet", "-s", "80x60").status, 0);
    assert_int_equal(RUN(flat, "--view", "wire", "-s", "80x60").status, 0);
    assert_int_equal(RUN(still, "--view", "wire", "--sheet", "-s", "80x60").status, 0);
    assert_int_equal(RUN(still, "--view", "weights", "-s", "80x60").status, 0);
    outcome o = RUN(still, "--view", "weights", "--sheet", "-s", "80x60");
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.errors, "has no handles"));
}

// --- grey -------------------------------------------------------------------------------------

// Share of a picture's pixels that are redder than grey ones under a blue sky can be.
static double share_of_red(void)
{
    wri_arena arena = wri_arena_create(NULL);
    wr_image image = read_picture(&arena);
    int count = image.width * image.height, red = 0;
    for (int i = 0; i < count; i++) {
        const uint8_t *p = image.pixels + 4 * i;
        red += p[0] > 1.5 * p[2];
    }
    wri_arena_destroy(&arena);
    return (double)red / count;
}

static void a_grey_view_has_no_colours(void **state)
{
    (void)state;
    char red[600], scene[600], out[600];
    static const char wedge[] = "v 0 0 0 1 0 0\nv 2 0 0 1 0 0\nv 0 0 2 1 0 0\nv 0 2 0 1 0 0\n"
                                "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n";
    static const char alone[] =
        "{ \"wrought\": 1, \"length\": 0.1, \"assets\": { \"a\": \"red.obj\" },\n"
        "  \"bodies\": [ { \"asset\": \"a\", \"motion\": \"static\" } ] }\n";
    assert_true(wri_file_write(path_in(red, "red.obj"), wedge, sizeof wedge - 1, NULL));
    assert_true(wri_file_write(path_in(scene, "red.scene.json"), alone, sizeof alone - 1, NULL));
    path_in(out, "red");
    const char *const sim[] = {getenv("WROUGHT_PROGRAM"), "sim", scene, "-o", out, "-q", NULL};
    wri_run_result result = {0};
    assert_true(!sim[0] || wri_run(sim, &(wri_run_limits){60.0, 0, 4096}, NULL, &result, NULL));
    wri_array_destroy(&result.output);
    const char *const inputs[] = {red, out};
    for (int i = 0; i < WRI_COUNT(inputs); i++) {
        assert_int_equal(RUN(inputs[i], "-s", "160x120").status, 0);
        assert_true(share_of_red() > 0.05);
        assert_int_equal(RUN(inputs[i], "--view", "grey", "-s", "160x120").status, 0);
        assert_true(share_of_red() == 0.0);
    }
    assert_int_equal(RUN(solid, "--view", "grey", "-s", "160x120").status, 0);
    assert_true(share_of_red() == 0.0);
}

// --- pictures ---------------------------------------------------------------------------------

static double colour_at_blend(const char *blend)
{
    outcome o = RUN(solid, "-v", "examples", "-e", "bend", "-b", blend, "-s", "160x120");
    assert_int_equal(o.status, 0);
    wri_arena arena = wri_arena_create(NULL);
    wr_image image = read_picture(&arena);
    double share = share_of(&image, wr_example_color(1, EXAMPLES));
    wri_arena_destroy(&arena);
    return share;
}

static void an_example_is_drawn_in_its_colour_and_rest_in_white(void **state)
{
    (void)state;
    assert_true(colour_at_blend("1") > 0.05);
    CHECK_NEAR(colour_at_blend("0"), 0.0, 1e-3);
}

static void all_handles_have_their_colour_in_a_view_of_weights(void **state)
{
    (void)state;
    assert_int_equal(RUN(solid, "-v", "weights", "-s", "320x240").status, 0);
    wri_arena arena = wri_arena_create(NULL);
    wr_image image = read_picture(&arena);
    for (int b = 0; b < HANDLES; b++) {
        assert_true(share_of(&image, wr_handle_color(b, HANDLES)) > 0.0005);
    }
    int hues = count_hues(&image);
    assert_int_equal(RUN(solid, "-v", "weights", "--handle", "h4", "-s", "320x240").status, 0);
    wr_image one = read_picture(&arena);
    assert_true(share_of(&one, wr_ramp_color(0.5f)) > 0.005);
    if (hues < 5 || hues <= count_hues(&one)) {
        fail_msg("all weights have %d hues, one has %d", hues, count_hues(&one));
    }
    wri_arena_destroy(&arena);
}

static int count_ink(const wr_image *image, const int ink[3])
{
    int count = 0, total = image->width * image->height;
    for (int i = 0; i < total; i++) {
        const uint8_t *p = image->pixels + 4 * (size_t)i;
        count += abs(p[0] - ink[0]) + abs(p[1] - ink[1]) + abs(p[2] - ink[2]) <= 12;
    }
    return count;
}

// Lines along x, y and z with their lengths, and names: where there is room for words.
static void large_views_of_weights_have_axes(void **state)
{
    (void)state;
    static const int inks[3][3] = {{190, 50, 40}, {40, 130, 50}, {45, 80, 190}};
    static const int dark[3] = {28, 30, 34};
    wri_arena arena = wri_arena_create(NULL);
    assert_int_equal(RUN(solid, "-v", "weights", "--handle", "h4", "-s", "640x400").status, 0);
    wr_image large = read_picture(&arena);
    assert_int_equal(RUN(solid, "-v", "weights", "--handle", "h4", "-s", "390x240").status, 0);
    wr_image small = read_picture(&arena);
    for (int a = 0; a < 3; a++) {
        assert_true(count_ink(&large, inks[a]) > 60);
        assert_true(count_ink(&small, inks[a]) < 10);
    }
    assert_true(count_ink(&large, dark) > count_ink(&small, dark) + 20); // "h4"
    wri_arena_destroy(&arena);
}

static void the_same_asset_gives_the_same_bytes(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        const char *threads = i ? "3" : "1";
        assert_int_equal(RUN(solid, "--sheet", "-s", "64x48", "-t", threads).status, 0);
        size_t size;
        char *bytes = wri_file_read(picture, 1 << 24, NULL, &size, NULL);
        hashes[i] = wri_hash(bytes, size, 0);
        wri_free(NULL, bytes, size + 1, 1);
    }
    assert_true(hashes[0] == hashes[1]);
}

// --- mistakes ---------------------------------------------------------------------------------

static void check_complaint(outcome o, int status, const char *part)
{
    if (o.status != status || !strstr(o.errors, part)) {
        fail_msg("status %d, \"%s\"; expected %d, \"%s\"", o.status, o.errors, status, part);
    }
    assert_false(wri_file_exists(picture));
}

static void wrong_names_get_the_nearest_one(void **state)
{
    (void)state;
    check_complaint(RUN(solid, "--example", "bent"), 1,
                    "has no example \"bent\"; did you mean \"bend\"?");
    check_complaint(RUN(solid, "--example", "crumpled"), 1, "the first of 4 is \"rest\"");
    check_complaint(RUN(solid, "-v", "weights", "--handle", "h44"), 1, "did you mean \"h4\"?");
    check_complaint(RUN(still, "-v", "weights", "--handle", "h1"), 1, "has no handles");
    check_complaint(RUN(solid, "--view", "exmaples"), 2, "did you mean \"examples\"?");
}

static void options_that_would_do_nothing_are_refused(void **state)
{
    (void)state;
    char model[700];
    snprintf(model, sizeof model, "%s/models/crate.glb", getenv("WROUGHT_SCENES"));
    check_complaint(RUN(model, "--view", "weights"), 2, "is no asset");
    check_complaint(RUN(model, "--view", "examples"), 2, "only assets and recordings have a view");
    check_complaint(RUN(model, "--example", "bend"), 2, "are for assets");
    check_complaint(RUN(model, "--sheet"), 2, "nothing to fill a sheet with");
    check_complaint(RUN("nowhere.asset.glb", "--sheet"), 1, "nowhere.asset.glb: cannot open");
    check_complaint(RUN(solid, "--blend", "0.5"), 2, "--blend needs an --example");
    check_complaint(RUN(solid, "--sheet", "-e", "bend"), 2, "no --example");
    check_complaint(RUN(solid, "--handle", "h1"), 2, "needs --view weights");
    check_complaint(RUN(solid, "--sheet", "-v", "weights", "--handle", "h1"), 2, "no --handle");
    check_complaint(RUN(solid, "--sheet-count", "4"), 2, "--sheet-count");
    check_complaint(RUN(solid, "--frame", "4"), 2, "no frames");
    check_complaint(RUN(solid, "--camera", "low"), 2, "no cameras");
    check_complaint(RUN(solid, "--unit", "cm"), 2, "--unit");
    check_complaint(RUN(solid, "--sheet", "-s", "9000x9000"), 1, "a smaller --size helps");
    check_complaint(run((const char *const[]){solid, "-o", "film.mp4", NULL}), 2,
                    "expected a .png");
}

// --- recordings -------------------------------------------------------------------------------

// Four boxes side by side: bent all over towards an example, bent towards another, at rest until
// the second frame, and a rigid one of the same asset.
static void write_recording(const char *path)
{
    wr_error error = {0};
    wr_asset *asset = sample_asset_create((sample_shape){3, 2, HANDLES, false});
    const wr_model *models[] = {asset->model};
    const wr_asset *assets[] = {asset};
    const wr_record_rig rig = {0, 1.0f};
    const wr_color red = {1, 0, 0, 1};
    const wr_record_body bodies[4] = {{"a", "metal", 0, false, false, red},
                                      {"b", "metal", 0, false, false, red},
                                      {"c", "metal", 0, false, false, red},
                                      {"d", "rigid", 0, false, false, red}};
    wr_record_info info = {.title = "t",
                           .program = "p",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = 1,
                           .stage = wr_stage_default(),
                           .model_count = 1,
                           .models = models,
                           .asset_count = 1,
                           .assets = assets,
                           .rigs = &rig,
                           .body_count = 4,
                           .bodies = bodies};
    info.stage.camera_count = 1;
    info.stage.cameras[0] = (wr_camera){"front", {0, 0, 6}, {0, 0, 0}, 0.7f};
    wr_pose poses[4];
    int vertices[100], examples[3][100], n = asset->rig.vertex_count;
    float weights[100];
    for (int i = 0; i < n; i++) {
        vertices[i] = i;
        examples[0][i] = 1;
        examples[1][i] = 3;
        examples[2][i] = 2;
        weights[i] = 1.0f;
    }
    for (int i = 0; i < 4; i++) {
        poses[i] = (wr_pose){{1.6f * (float)i - 2.4f, 0.0f, 0.0f}, WR_QUAT_IDENTITY};
    }
    const wr_record_weights lists[3] = {{0, n, vertices, examples[0], weights},
                                        {1, n, vertices, examples[1], weights},
                                        {2, n, vertices, examples[2], weights}};
    wr_frame frames[2] = {{.body_count = 4, .poses = poses, .weights_count = 2, .weights = lists}};
    frames[1] = frames[0];
    frames[1].index = 1;
    frames[1].weights_count = 3;
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    if (!writer || !wr_record_add_frame(writer, &frames[0], &error) ||
        !wr_record_add_frame(writer, &frames[1], &error) ||
        !wr_record_finish(writer, true, &error)) {
        fail_msg("%s", error.message);
    }
    wr_record_writer_destroy(writer);
    wr_asset_destroy(asset);
}

static const uint8_t *pixel(const wr_image *image, int x, int y)
{
    return image->pixels + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
}

// How many of the examples' colours are in the rows from `top` on, exactly.
static int colours_below(const wr_image *image, int top)
{
    int found = 0;
    for (int e = 0; e < EXAMPLES; e++) {
        wr_color c = wr_example_color(e, EXAMPLES);
        const double wanted[3] = {c.r, c.g, c.b};
        bool here = false;
        for (int i = top * image->width; i < image->height * image->width && !here; i++) {
            const uint8_t *p = pixel(image, i % image->width, i / image->width);
            double far = 0.0;
            for (int k = 0; k < 3; k++) { // sRGB
                double v = wanted[k] <= 0.0031308 ? 12.92 * wanted[k]
                                                  : 1.055 * pow(wanted[k], 1 / 2.4) - 0.055;
                far = fmax(far, fabs(255.0 * v - p[k]));
            }
            here = far < 2.0;
        }
        found += here;
    }
    return found;
}

static void a_recording_is_painted_by_its_weights_with_a_legend(void **state)
{
    (void)state;
    char path[600];
    write_recording(path_in(path, "boxes.wrought"));
    wri_arena arena = wri_arena_create(NULL);
    assert_int_equal(RUN(path, "--view", "examples", "-s", "640x360", "-f", "0").status, 0);
    wr_image image = read_picture(&arena);
    assert_true(share_of(&image, wr_example_color(1, EXAMPLES)) > 0.01);
    assert_true(share_of(&image, wr_example_color(3, EXAMPLES)) > 0.01);
    // The third box is white, the rigid one grey; nothing shows the red of their own.
    const uint8_t *rest = pixel(&image, 405, 180), *rigid = pixel(&image, 555, 180);
    double saturation;
    (void)hue_of(rest[0], rest[1], rest[2], &saturation);
    assert_true(saturation < 0.2);
    (void)hue_of(rigid[0], rigid[1], rigid[2], &saturation);
    assert_true(saturation < 0.2);
    assert_true(rest[1] > rigid[1] + 40);
    // The legend: paper, with the four colours in it.
    assert_true(is_paper(&image, 10, 345));
    assert_int_equal(colours_below(&image, 335), EXAMPLES);
    wri_arena_destroy(&arena);
    // Where the picture is narrow it has more lines, and ends before the margin.
    arena = wri_arena_create(NULL);
    assert_int_equal(RUN(path, "-v", "examples", "-s", "140x360", "-f", "0").status, 0);
    image = read_picture(&arena);
    assert_int_equal(colours_below(&image, 270), EXAMPLES);
    assert_true(is_paper(&image, 10, 345));
    assert_false(is_paper(&image, 136, 345));
    wri_arena_destroy(&arena);
    arena = wri_arena_create(NULL);
    assert_int_equal(RUN(path, "-s", "640x360", "-f", "0").status, 0);
    image = read_picture(&arena);
    assert_false(is_paper(&image, 10, 345));
    wri_arena_destroy(&arena);
    arena = wri_arena_create(NULL);
    assert_int_equal(RUN(path, "-v", "examples", "-s", "640x360", "--sheet-count", "2").status, 0);
    image = read_picture(&arena);
    assert_true(share_of(&image, wr_example_color(2, EXAMPLES)) > 0.01); // in the second frame
    wri_arena_destroy(&arena);
    check_complaint(RUN(path, "--view", "weights"), 2, "only assets have a view of weights");
    check_complaint(RUN(path, "--view", "bones"), 1, "holds no bones");
}

// The sample's yield begins with 0.3 and grows by 1 from vertex to vertex.
static void a_painted_map_is_shown_with_a_legend(void **state)
{
    (void)state;
    char path[600];
    write_recording(path_in(path, "painted.wrought"));
    const char *const inputs[] = {solid, path};
    for (int i = 0; i < 2; i++) {
        wri_arena arena = wri_arena_create(NULL);
        assert_int_equal(RUN(inputs[i], "--view", "yield", "-s", "640x360").status, 0);
        wr_image image = read_picture(&arena);
        assert_true(share_of(&image, wr_factor_color(8.0f)) > 0.02);
        assert_true(is_paper(&image, 10, 345));
        wri_arena_destroy(&arena);
    }
    check_complaint(RUN(solid, "--view", "strength"), 1, "has no painted strength");
    check_complaint(RUN(path, "--view", "flow"), 1, "holds no painted flow");
    check_complaint(RUN(solid, "--view", "yield", "--sheet"), 2, "shown in one picture");
    check_complaint(RUN(solid, "--view", "contacts"), 2, "only recordings have a view of contacts");
    check_complaint(RUN(solid, "--view", "bones"), 2, "only recordings have a view of bones");
    check_complaint(RUN(solid, "--view", "yeild"), 2, "did you mean \"yield\"?");
}

// Every swatch is whole, with paper around it, as narrow as the picture may be.
static void legends_fit_narrow_pictures(void **state)
{
    (void)state;
    enum { HEIGHT = 120, WIDEST = 400 };
    static uint8_t pixels[3 * WIDEST * HEIGHT];
    for (int width = 120; width <= WIDEST; width += 40) {
        memset(pixels, 7, sizeof pixels);
        wri_draw_map_legend(0, pixels, width, HEIGHT);
        for (int i = 0; i < 7; i++) {
            wr_color color = wr_factor_color(ldexpf(1.0f, i - 3));
            const int ink[3] = {(int)lroundf(255.0f * wri_linear_to_srgb(color.r)),
                                (int)lroundf(255.0f * wri_linear_to_srgb(color.g)),
                                (int)lroundf(255.0f * wri_linear_to_srgb(color.b))};
            int found = 0;
            for (int k = 0; k < width * HEIGHT; k++) {
                const uint8_t *p = pixels + 3 * k;
                found += abs(p[0] - ink[0]) < 3 && abs(p[1] - ink[1]) < 3 && abs(p[2] - ink[2]) < 3;
            }
            assert_true(found >= 25);
        }
        for (int y = 0; y < HEIGHT; y++) { // the margin is free
            assert_int_equal(pixels[3 * (y * width + width - 1)], 7);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_shows_every_example_whole_and_half_in_its_colour),
        cmocka_unit_test(the_sheet_says_how_far_the_examples_move),
        cmocka_unit_test(a_sheet_of_weights_has_a_cell_for_every_handle),
        cmocka_unit_test(flat_assets_and_those_without_handles_have_sheets_too),
        cmocka_unit_test(an_example_is_drawn_in_its_colour_and_rest_in_white),
        cmocka_unit_test(all_handles_have_their_colour_in_a_view_of_weights),
        cmocka_unit_test(large_views_of_weights_have_axes),
        cmocka_unit_test(the_same_asset_gives_the_same_bytes),
        cmocka_unit_test(wrong_names_get_the_nearest_one),
        cmocka_unit_test(options_that_would_do_nothing_are_refused),
        cmocka_unit_test(a_recording_is_painted_by_its_weights_with_a_legend),
        cmocka_unit_test(a_painted_map_is_shown_with_a_legend),
        cmocka_unit_test(legends_fit_narrow_pictures),
        cmocka_unit_test(a_grey_view_has_no_colours),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
