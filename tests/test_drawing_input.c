// test_drawing_input.c: pictures and sprite sheets of every kind through the program: the right
// thing, or one sentence that says what is wrong where, and status 1, soon and in bounded memory.
#include "drawn.h"
#include "program.h"

#include <png.h>

enum { SIDE = 64, HUGE_SIDE = 8192, CELL_WIDTH = 48, CELL_HEIGHT = 64, CELLS = 3 };

static temporary_folder folder;

// Where a file of the folder is; five paths live at a time.
static const char *at(const char *name)
{
    static char paths[5][600];
    static int next;
    char *path = paths[next++ % 5];
    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    return path;
}

// --- pictures ---------------------------------------------------------------------------------

static bool is_inside(int x, int y)
{
    return hypot(x + 0.5 - 32.0, y + 0.5 - 32.0) < 22.0;
}

// What a kind of PNG writes for a pixel of a disc, and for one beside it.
typedef struct kind {
    const char *name;
    int type, depth, interlace;
    int size; // bytes of a pixel; 0: one bit
    uint8_t in[8], out[8];
    int alphas; // of a palette, or 1: a colour that stands for nothing
    bool is_grey;
} kind;

static const kind kinds[] = {
    {"rgba.png", PNG_COLOR_TYPE_RGBA, 8, PNG_INTERLACE_NONE, 4, {200, 90, 40, 255}, {0}, 0, false},
    {"interlaced.png",
     PNG_COLOR_TYPE_RGBA,
     8,
     PNG_INTERLACE_ADAM7,
     4,
     {200, 90, 40, 255},
     {0},
     0,
     false},
    {"deep.png",
     PNG_COLOR_TYPE_RGBA,
     16,
     PNG_INTERLACE_NONE,
     8,
     {200, 200, 90, 90, 40, 40, 255, 255},
     {0},
     0,
     false},
    {"grey.png", PNG_COLOR_TYPE_GRAY_ALPHA, 8, PNG_INTERLACE_NONE, 2, {90, 255}, {0}, 0, true},
    {"indexed.png", PNG_COLOR_TYPE_PALETTE, 8, PNG_INTERLACE_NONE, 1, {1}, {0}, 2, false},
    {"bits.png", PNG_COLOR_TYPE_PALETTE, 1, PNG_INTERLACE_ADAM7, 0, {1}, {0}, 2, false},
    {"keyed.png",
     PNG_COLOR_TYPE_RGB,
     8,
     PNG_INTERLACE_NONE,
     3,
     {200, 90, 40},
     {255, 0, 255},
     1,
     false},
};

static void put_head(png_structp png, png_infop info, int width, int height, const kind *k)
{
    static const png_color colors[2] = {{0, 0, 0}, {200, 90, 40}};
    static const png_byte alphas[2] = {0, 255};
    static const png_color_16 key = {.red = 255, .green = 0, .blue = 255};
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, k->depth, k->type,
                 k->interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (k->type == PNG_COLOR_TYPE_PALETTE) {
        png_set_PLTE(png, info, colors, 2);
    }
    if (k->alphas == 2) {
        png_set_tRNS(png, info, alphas, 2, NULL);
    } else if (k->alphas == 1) {
        png_set_tRNS(png, info, NULL, 0, &key);
    }
    png_set_compression_level(png, 1);
    png_write_info(png, info);
    png_set_packing(png); // of bits, when there are any
}

typedef bool there_fn(int x, int y);

static void write_png(const char *name, int width, int height, const kind *k, there_fn *is_there)
{
    FILE *file = fopen(at(name), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    int size = k->size ? k->size : 1;
    uint8_t *row = calloc((size_t)width, (size_t)size);
    assert_true(file && png && info && row);
    png_init_io(png, file);
    put_head(png, info, width, height, k);
    int passes = png_set_interlace_handling(png);
    for (int i = 0; i < passes * height; i++) {
        for (int x = 0; x < width; x++) {
            memcpy(row + size * x, is_there(x, i % height) ? k->in : k->out, (size_t)size);
        }
        png_write_row(png, row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
    free(row);
}

// The recipe that the program starts, built by the program.
static wr_asset *make_asset(const char *picture)
{
    wr_error error = {0};
    const char *recipe = at("made.recipe.json"), *asset = at("made.glb");
    program_run run = RUN_PROGRAM("new", at(picture), "-o", recipe, "--force");
    if (run.status == 0) {
        run = RUN_PROGRAM("rig", recipe, "-o", asset, "--fresh", "-q");
    }
    wr_asset *a = run.status == 0 ? wr_asset_read(asset, NULL, &error) : NULL;
    if (!a) {
        fail_msg("%s: status %d: %s%s", picture, run.status, run.said, error.message);
    }
    return a;
}

static void every_kind_of_png_gives_the_same_rig(void **state)
{
    (void)state;
    wr_asset *first = NULL;
    for (int i = 0; i < WRI_COUNT(kinds); i++) {
        write_png(kinds[i].name, SIDE, SIDE, &kinds[i], is_inside);
        wr_asset *a = make_asset(kinds[i].name);
        first = first ? first : a;
        assert_int_equal(a->rig.vertex_count, first->rig.vertex_count);
        assert_memory_equal(a->rig.rest, first->rig.rest,
                            (size_t)a->rig.vertex_count * sizeof *a->rig.rest);
        const uint8_t *middle = a->model->images[0].pixels + 4 * (32 * SIDE + 32);
        const uint8_t color[4] = {200, 90, 40, 255}, grey[4] = {90, 90, 90, 255};
        assert_memory_equal(middle, kinds[i].is_grey ? grey : color, 4);
        if (a != first) {
            wr_asset_destroy(a);
        }
    }
    wr_asset_destroy(first);
}

static void one_of_a_thing_is_said_as_one(void **state)
{
    (void)state;
    const char *recipe = at("one.recipe.json");
    write_png("one.png", SIDE, SIDE, &kinds[0], is_inside);
    program_run run = RUN_PROGRAM("new", at("one.png"), "-o", recipe, "--handles", "1");
    run = run.status == 0 ? RUN_PROGRAM("rig", recipe, "-o", at("one.glb"), "--fresh") : run;
    if (run.status != 0) {
        fail_msg("%s", run.said);
    }
    assert_non_null(strstr(run.printed, "vertices, 1 handle, 1 example\n"));
    write_text(&folder, "one.scene.json",
               "{ \"wrought\": 1, \"length\": \"10 ms\", \"flat\": true, \"assets\": {\"x\": "
               "\"one.glb\"}, \"bodies\": [{\"name\": \"x\", \"asset\": \"x\", \"material\": "
               "{\"sprite\": \"default\"}}] }");
    run = RUN_PROGRAM("sim", at("one.scene.json"), "-o", at("one"));
    if (run.status != 0) {
        fail_msg("%s", run.said);
    }
    assert_non_null(strstr(run.printed, "done: 1 frame in "));
    assert_non_null(strstr(run.printed, "; 1 sprite "));
    assert_non_null(strstr(run.printed, "; 1 body, 0 asleep"));
}

// Layers that an example pulls apart are said, however small the drawing is: 40 pixels of 2 um.
static void layers_pulled_apart_are_said_at_any_size(void **state)
{
    (void)state;
    drawing back = drawing_create(60, 40), front = drawing_create(60, 40);
    put_block(&back, 4, 4, 36, 36, 0x808080);
    put_block(&front, 24, 12, 56, 28, 0x4060c0);
    write_drawing(&folder, "back.png", &back);
    write_drawing(&folder, "front.png", &front);
    write_text(&folder, "tiny.recipe.json",
               "{\"wrought\": 1, \"layers\": [{\"name\": \"back\", \"image\": \"back.png\"}, "
               "{\"name\": \"front\", \"image\": \"front.png\"}], \"simulation\": {\"vertices\": "
               "60, \"pixel\": 2e-6}, \"pins\": [{\"layer\": \"front\", \"at\": [6e-5, 4e-5], "
               "\"to\": \"back\"}], \"handles\": {\"automatic\": 2}, \"examples\": [{\"name\": "
               "\"tear\", \"move\": {\"pin0\": [4e-5, 0]}}]}");
    program_run run = RUN_PROGRAM("rig", at("tiny.recipe.json"), "-o", at("tiny.glb"), "--fresh");
    if (run.status != 0) {
        fail_msg("%s", run.said);
    }
    assert_non_null(strstr(run.printed, "pulls layers"));
    free(back.pixels);
    free(front.pixels);
}

// Of a file that is there already, its first bytes.
static void write_cut(const char *name, const char *from, double part)
{
    size_t size;
    char *bytes = wri_file_read(at(from), 1 << 20, NULL, &size, NULL);
    assert_non_null(bytes);
    assert_true(wri_file_write(at(name), bytes, (size_t)(part * (double)size), NULL));
    wri_free(NULL, bytes, size + 1, 1);
}

// --- sentences --------------------------------------------------------------------------------

// With the folder as DIR and " as '.
static void check_said(const program_run *run, const char *expected)
{
    char said[512] = "", *out = said;
    size_t length = strlen(folder.path);
    for (const char *c = run->said; *c; c++) {
        bool here = strncmp(c, folder.path, length) == 0;
        out += sprintf(out, "%s", here ? "DIR" : (char[2]){*c == '"' ? '\'' : *c, '\0'});
        c += here ? length - 1 : 0;
    }
    if (run->status != 1 || strcmp(said, expected) != 0) {
        fail_msg("status %d: \"%s\"\nexpected \"%s\"", run->status, said, expected);
    }
}

static bool is_everywhere(int x, int y)
{
    (void)x, (void)y;
    return true;
}

static bool is_nowhere(int x, int y)
{
    (void)x, (void)y;
    return false;
}

static bool is_speck(int x, int y)
{
    return x % 5 < 3 && y % 5 < 3;
}

#define NO_ALPHA                                                                                   \
    "opaque everywhere, expected alpha that shows a shape; a transparent border of one pixel "     \
    "makes a rectangle one"

static void pictures_without_a_shape_are_one_sentence(void **state)
{
    (void)state;
    const kind *rgba = &kinds[0];
    kind rgb = {.type = PNG_COLOR_TYPE_RGB, .depth = 8, .size = 3, .in = {1}, .out = {255}};
    kind opaque = {.type = PNG_COLOR_TYPE_PALETTE, .depth = 8, .size = 1, .in = {1}};
    write_png("rgba.png", SIDE, SIDE, rgba, is_inside);
    write_png("rgb.png", SIDE, SIDE, &rgb, is_inside);
    write_png("opaque.png", SIDE, SIDE, &opaque, is_inside);
    write_png("dot.png", 1, 1, rgba, is_everywhere);
    write_png("line.png", 100, 2, rgba, is_everywhere);
    write_png("clear.png", SIDE, SIDE, rgba, is_nowhere);
    write_png("specks.png", 200, 200, rgba, is_speck);
    write_cut("cut.png", "rgba.png", 0.5);
    write_cut("empty.png", "rgba.png", 0.0);
    write_text(&folder, "text.png", "PNG");
    static const struct {
        const char *picture, *expected;
    } mistakes[] = {
        {"rgb.png", "wrought: image 'DIR/rgb.png': " NO_ALPHA},
        {"opaque.png", "wrought: image 'DIR/opaque.png': " NO_ALPHA},
        {"dot.png", "wrought: image 'DIR/dot.png': has 1 x 1 pixels, expected at least 3 x 3"},
        {"line.png", "wrought: image 'DIR/line.png': has 100 x 2 pixels, expected at least 3 x 3"},
        {"clear.png", "wrought: image 'DIR/clear.png': transparent everywhere, expected a shape"},
        {"specks.png", "wrought: image 'DIR/specks.png': has 1600 outlines, which 300 vertices "
                       "cannot mesh, expected fewer specks, or 4800 vertices"},
        {"cut.png", "wrought: DIR/cut.png: byte 33: broken PNG: the data ends within a chunk"},
        {"empty.png", "wrought: DIR/empty.png: is not a PNG or JPEG picture"},
        {"text.png", "wrought: DIR/text.png: is not a PNG or JPEG picture"},
        {"none.png", "wrought: DIR/none.png: cannot open: No such file or directory"},
    };
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        program_run run = RUN_PROGRAM("new", at(mistakes[i].picture), "-o", at("m.recipe.json"));
        check_said(&run, mistakes[i].expected);
        assert_false(wri_file_exists(at("m.recipe.json")));
    }
}

// The line of the scene leads to the line of the recipe.
static void a_scene_says_what_is_wrong_with_the_drawing_in_it(void **state)
{
    (void)state;
    static const struct {
        const char *recipe, *expected;
    } mistakes[] = {
        {"{ \"wrought\": 1,\n \"model\": \"rgb.png\" }",
         "wrought: DIR/s.scene.json:2:18: asset 'x': DIR/x.recipe.json:2:11: simulation: image "
         "'rgb.png': " NO_ALPHA},
        {"{ \"wrought\": 1,\n \"model\": \"cut.png\" }",
         "wrought: DIR/s.scene.json:2:18: asset 'x': DIR/x.recipe.json:2:11: model: DIR/cut.png: "
         "byte 33: broken PNG: the data ends within a chunk"},
        {"{ \"wrought\": 1, \"model\": \"rgba.png\",\n \"examples\": [{\"name\": \"up\",\n\"move\":"
         " {\"nose\": [0, 0.1]}}] }",
         "wrought: DIR/s.scene.json:2:18: asset 'x': DIR/x.recipe.json:3:10: example 'up': there "
         "is no handle 'nose'; there are 'h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8', "
         "'h9', 'h10', 'h11'"},
    };
    write_text(&folder, "s.scene.json",
               "{ \"wrought\": 1, \"length\": 0.1, \"flat\": true,\n \"assets\": {\"x\": "
               "\"x.recipe.json\"},\n \"bodies\": [{\"name\": \"x\", \"asset\": \"x\", "
               "\"material\": {\"sprite\": \"default\"}}] }");
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        write_text(&folder, "x.recipe.json", mistakes[i].recipe);
        program_run run = RUN_PROGRAM("sim", at("s.scene.json"), "-o", at("taken"), "-q");
        check_said(&run, mistakes[i].expected);
        assert_false(wri_file_exists(at("taken")));
    }
}

// --- 8192 pixels a side -----------------------------------------------------------------------

static bool is_in_huge_disc(int x, int y)
{
    double dx = x + 0.5 - HUGE_SIDE / 2, dy = y + 0.5 - HUGE_SIDE / 2;
    return dx * dx + dy * dy < 3500.0 * 3500.0;
}

static bool is_checkered(int x, int y)
{
    return (x + y) % 2;
}

// run_program allows a minute and 6 GiB of address space; two seconds and half a gigabyte are used.
static void pictures_of_8192_pixels_a_side_are_taken_and_larger_ones_and_noise_are_not(void **state)
{
    (void)state;
    kind bits = kinds[5];
    bits.interlace = PNG_INTERLACE_NONE;
    write_png("huge.png", HUGE_SIDE, HUGE_SIDE, &bits, is_in_huge_disc);
    program_run run = RUN_PROGRAM("new", at("huge.png"), "-o", at("huge.recipe.json"));
    if (run.status != 0) {
        fail_msg("%s", run.said);
    }
    run = RUN_PROGRAM("new", at("huge.png"), at("huge.png"), "-o", at("m.recipe.json"));
    check_said(&run, "wrought: DIR/huge.png: has 67108864 pixels, expected at most 0 beside the "
                     "other pictures");
    write_png("more.png", HUGE_SIDE + 1, HUGE_SIDE, &bits, is_nowhere);
    run = RUN_PROGRAM("new", at("more.png"), "-o", at("m.recipe.json"));
    check_said(&run, "wrought: DIR/more.png: has 67117056 pixels, expected at most 67108864");
    write_png("noise.png", HUGE_SIDE, HUGE_SIDE, &bits, is_checkered);
    run = RUN_PROGRAM("new", at("noise.png"), "-o", at("m.recipe.json"));
    check_said(&run, "wrought: image 'DIR/noise.png': its outline has more than 4194304 points, "
                     "expected a shape rather than noise");
}

// --- layers and sheets ------------------------------------------------------------------------

static void layers_that_do_not_go_together_are_one_sentence(void **state)
{
    (void)state;
    const char *out = at("m.recipe.json");
    write_png("narrow.png", 50, SIDE, &kinds[0], is_inside);
    write_text(&folder, "any.json", "{}");
    program_run run = RUN_PROGRAM("new", at("rgba.png"), at("narrow.png"), "-o", out);
    check_said(&run, "wrought: DIR/narrow.png: has 50 x 64 pixels where DIR/rgba.png has 64 x 64; "
                     "expected layers of one size (a recipe can place others with 'at')");
    run = RUN_PROGRAM("new", at("rgba.png"), at("any.json"), "-o", at("m.recipe.json"));
    check_said(&run, "wrought: DIR/any.json: is no .png, expected layers of a drawing");
    run = RUN_PROGRAM("new", at("any.json"), at("rgba.png"), "-o", at("m.recipe.json"));
    check_said(&run, "wrought: DIR/any.json: is a sprite sheet, expected no layers beside it");
    run = RUN_PROGRAM("new", at("rgba.png"), at("rgba.png"), "--grid", "2x1", "-o",
                      at("m.recipe.json"));
    check_said(&run, "wrought: DIR/rgba.png: is a sprite sheet, expected no layers beside it");
}

// A striped trunk with an arm.
static drawing draw_cell(int number)
{
    drawing d = drawing_create(CELL_WIDTH, CELL_HEIGHT);
    double angle = 0.3 - 0.5 * number;
    put_bar(&d, 20, 18, 20, 46, 9, 0xc85028);
    put_bar(&d, 20, 24, 20, 26, 9, 0xe6c85a);
    put_bar(&d, 20, 40, 20, 42, 9, 0x5a3c28);
    put_bar(&d, 26, 22, 26 + 14 * cos(angle), 22 + 14 * sin(angle), 4, 0x3c5ac8);
    return d;
}

// Copies a part of a cell into a sheet, upright or turned clockwise.
static void pack(drawing *sheet, const drawing *cell, int left, int top, int width, int height,
                 int x0, int y0, bool is_turned)
{
    for (int i = 0; i < width * height; i++) {
        int x = i % width, y = i / width;
        int to = is_turned ? (y0 + x) * sheet->width + x0 + height - 1 - y
                           : (y0 + y) * sheet->width + x0 + x;
        memcpy(sheet->pixels + 4 * to, cell->pixels + 4 * ((top + y) * cell->width + left + x), 4);
    }
}

// The same cells whole in a row, and without what is empty around them, the second turned.
static void write_sheets(void)
{
    drawing row = drawing_create(CELLS * CELL_WIDTH, CELL_HEIGHT), tight = drawing_create(140, 64);
    static const int places[CELLS] = {0, 40, 94};
    for (int i = 0; i < CELLS; i++) {
        drawing cell = draw_cell(i);
        pack(&row, &cell, 0, 0, CELL_WIDTH, CELL_HEIGHT, CELL_WIDTH * i, 0, false);
        pack(&tight, &cell, 8, 2, 40, 54, places[i], 0, i == 1);
        free(cell.pixels);
    }
    write_drawing(&folder, "row.png", &row);
    write_drawing(&folder, "tight.png", &tight);
    free(row.pixels);
    free(tight.pixels);
#define WHOLE(x) "\"frame\": {\"x\": " #x ", \"y\": 0, \"w\": 48, \"h\": 64}}"
#define TRIMMED(x, turned)                                                                         \
    "\"frame\": {\"x\": " #x ", \"y\": 0, \"w\": 40, \"h\": 54}, \"rotated\": " turned             \
    ", \"trimmed\": true, \"spriteSourceSize\": {\"x\": 8, \"y\": 2, \"w\": 40, \"h\": 54}, "      \
    "\"sourceSize\": {\"w\": 48, \"h\": 64}}"
    write_text(
        &folder, "array.json",
        "{\"frames\": [{\"filename\": \"a.png\", " WHOLE(0) ", {\"filename\": \"b.png\", " WHOLE(
            48) ", {\"filename\": \"c.png\", " WHOLE(96) "],\n"
                                                         "\"meta\": {\"image\": "
                                                         "\"row.png\"}}");
    write_text(&folder, "hash.json",
               "{\"frames\": {\"a.png\": {" WHOLE(0) ", \"b.png\": {" WHOLE(
                   48) ", \"c.png\": {" WHOLE(96) "},\n\"meta\": {\"image\": \"row.png\"}}");
    write_text(&folder, "tight.json",
               "{\"frames\": {\"a.png\": {" TRIMMED(0, "false") ", \"b.png\": {" TRIMMED(
                   40, "true") ", \"c.png\": {" TRIMMED(94, "false") "},\n\"meta\": {\"image\": "
                                                                     "\"tight.png\"}}");
}

static void lists_hashes_and_packed_sheets_give_the_same_poses(void **state)
{
    (void)state;
    static const char *const sheets[] = {"array.json", "hash.json", "tight.json"};
    wr_asset *assets[3];
    for (int i = 0; i < 3; i++) {
        const wr_rig *rig = &(assets[i] = make_asset(sheets[i]))->rig, *first = &assets[0]->rig;
        size_t poses = (size_t)rig->handle_count * sizeof(wr_handle_pose);
        assert_int_equal(rig->example_count, CELLS + 1); // rest, two cells, the recipe's own pose
        assert_string_equal(rig->examples[2].name, "c");
        assert_int_equal(rig->handle_count, first->handle_count);
        for (int e = 1; e < CELLS; e++) {
            assert_memory_equal(rig->examples[e].poses, first->examples[e].poses, poses);
        }
        assert_true(rig->examples[1].poses[0].offset.y != first->examples[2].poses[0].offset.y);
    }
    for (int i = 0; i < 3; i++) {
        wr_asset_destroy(assets[i]);
    }
}

#define FRAMES(list, image) "{\"frames\": [\n" list "],\n\"meta\": {\"image\": \"" image "\"}}"
#define FRAME(x, y, w, h)                                                                          \
    "{\"frame\": {\"x\": " #x ", \"y\": " #y ", \"w\": " #w ", \"h\": " #h "}}"

static void sheets_that_do_not_fit_their_picture_are_one_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } mistakes[] = {
        {FRAMES(FRAME(0, 0, 48, 64) ",\n" FRAME(120, 0, 48, 64), "row.png"),
         "DIR/m.json:3:1: sheet: frame 1, 48 x 64 pixels at 120, 0, leaves DIR/row.png of 144 x "
         "64 pixels"},
        {FRAMES(FRAME(0, 0, 48, 64) ",\n" FRAME(0, 60, 10, 4) ",\n" FRAME(96, 0, 48, 64),
                "row.png"),
         "DIR/m.json:3:1: sheet: frame 1 is transparent everywhere in DIR/row.png, expected a "
         "shape"},
        {FRAMES(FRAME(0, 60, 10, 4), "row.png"),
         "DIR/m.json:2:1: sheet: frame 0 is transparent everywhere in DIR/row.png, expected a "
         "shape"},
        {FRAMES(FRAME(0, 0, 48, 64), "none.png"),
         "DIR/none.png: cannot open: No such file or directory"},
        {FRAMES(FRAME(0, 0, 48, 64), "cut.png"),
         "DIR/cut.png: byte 33: broken PNG: the data ends within a chunk"},
        {"{\"frames\": [" FRAME(0, 0, 48, 64) "]}",
         "DIR/m.json: 'meta' names no picture, expected an 'image'"},
        {"{\"frames\": [\n{\"frame\": {\"x\": 0", "DIR/m.json:2:18: unexpected end of file, "
                                                  "expected ',' or '}'"},
    };
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        char expected[400];
        write_text(&folder, "m.json", mistakes[i].text);
        program_run run = RUN_PROGRAM("new", at("m.json"), "-o", at("m.recipe.json"));
        snprintf(expected, sizeof expected, "wrought: %s", mistakes[i].expected);
        check_said(&run, expected);
    }
}

static void cells_of_another_size_are_found_and_other_things_are_warned_of(void **state)
{
    (void)state;
    write_text(&folder, "sizes.json",
               FRAMES(FRAME(0, 0, 48, 64) ",\n" FRAME(48, 0, 48, 60) ",\n" FRAME(18, 20, 5, 5),
                      "row.png"));
    program_run run = RUN_PROGRAM("new", at("sizes.json"), "-o", at("sizes.recipe.json"));
    assert_int_equal(run.status, 0);
    run = RUN_PROGRAM("rig", at("sizes.recipe.json"), "--fresh", "--json", "-o", at("made.glb"));
    assert_int_equal(run.status, 0);
    const char *first = strstr(run.printed, "\"poor\": false");
    assert_non_null(first); // four rows less of nothing at the feet
    assert_non_null(strstr(first, "\"poor\": true"));
    run = RUN_PROGRAM("rig", at("sizes.recipe.json"), "--fresh", "-o", at("made.glb"));
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.printed, "warning: the cell was found poorly"));
}

static int prepare(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    write_sheets();
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
        cmocka_unit_test(every_kind_of_png_gives_the_same_rig),
        cmocka_unit_test(one_of_a_thing_is_said_as_one),
        cmocka_unit_test(layers_pulled_apart_are_said_at_any_size),
        cmocka_unit_test(pictures_without_a_shape_are_one_sentence),
        cmocka_unit_test(a_scene_says_what_is_wrong_with_the_drawing_in_it),
        cmocka_unit_test(
            pictures_of_8192_pixels_a_side_are_taken_and_larger_ones_and_noise_are_not),
        cmocka_unit_test(layers_that_do_not_go_together_are_one_sentence),
        cmocka_unit_test(lists_hashes_and_packed_sheets_give_the_same_poses),
        cmocka_unit_test(sheets_that_do_not_fit_their_picture_are_one_sentence),
        cmocka_unit_test(cells_of_another_size_are_found_and_other_things_are_warned_of),
    };
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
