// render.c: wrought render: pictures, films and sheets of a recording, or a picture of a model;
// render_asset.c has those of an asset.
#include "cli.h"

#include <math.h>
#include <stdio.h>

cli_render_options cli_render_options_default(void)
{
    return (cli_render_options){
        .frame = -1, .from = -1.0, .to = 1e9, .view = "shaded", .blend = 1.0};
}

typedef struct job {
    const cli_render_options *options;
    wri_arena arena;
    wr_record_reader *reader; // NULL when a model is drawn
    wr_render *render;
    cli_drawing drawing;
    cli_camera camera;
    uint8_t *pixels;
    int width, height;
    wr_error error;
} job;

static bool is_picture(const char *path)
{
    return wri_has_ending(path, ".png");
}

static bool is_plot(const cli_render_options *o)
{
    return strcmp(o->view, "manifold") == 0;
}

// usual: samples where none are said.
static bool create_render(job *j, int usual)
{
    wr_render_desc desc = wr_render_desc_default();
    desc.width = j->width;
    desc.height = j->height;
    desc.samples = j->options->samples ? j->options->samples : usual;
    desc.tasks = wr_tasks_openmp(j->options->threads);
    desc.view = strcmp(j->options->view, "wire") == 0 ? WR_VIEW_WIRE : WR_VIEW_SHADED;
    j->render = wr_render_create(&desc, &j->error);
    j->pixels = wri_arena_alloc(&j->arena, (size_t)j->width * (size_t)j->height, 3);
    return j->render && (j->pixels || wri_fail_memory(&j->error, (size_t)j->width));
}

static bool shows_examples(const job *j)
{
    return strcmp(j->options->view, "examples") == 0;
}

// has_legend: where colours mean something, it is said which.
static bool draw_frame(job *j, int index, bool has_legend)
{
    const wr_frame *frame = wr_record_read_frame(j->reader, index, &j->error);
    const wr_record_info *info = wr_record_about(j->reader);
    wr_camera camera = cli_camera_at(&j->camera, index);
    bool ok = frame && cli_drawing_read(&j->drawing, frame, &j->error) &&
              wr_render_draw(j->render, j->drawing.things.items, j->drawing.things.count,
                             &info->stage, &camera, j->pixels, &j->error);
    if (ok && has_legend && shows_examples(j)) {
        cli_draw_legend(info, j->pixels, j->width, j->height);
    }
    return ok;
}

// --- films ------------------------------------------------------------------------------------

// film.mp4 -> film.partial.mp4
static const char *partial_name(job *j)
{
    const char *path = j->options->output, *ending = strrchr(path, '.');
    return wri_arena_printf(&j->arena, "%.*s.partial%s", (int)(ending - path), path, ending);
}

static int render_film(job *j)
{
    cli_schedule s =
        cli_schedule_plan(j->reader, j->options->fps, j->options->from, j->options->to, 30.0);
    if (s.count == 0) {
        return cli_complain(CLI_BAD_INPUT, "%s: nothing between --from and --to",
                            j->options->input);
    }
    wr_film *film = wr_film_create(j->options->output, j->width, j->height, s.numerator,
                                   s.denominator, &j->error);
    cli_progress progress =
        cli_progress_start("rendering", "pictures", 0, s.count, j->options->quiet);
    bool ok = film != NULL;
    int done = 0;
    for (; ok && done < s.count && !cli_interrupted(); done++) {
        ok = draw_frame(j, cli_schedule_frame(&s, done), true) &&
             wr_film_add_picture(film, j->pixels, &j->error);
        cli_progress_show(&progress, done + 1, "");
    }
    cli_progress_end(&progress);
    if (ok && done == 0) { // nothing to keep
        wr_film_destroy(film);
        return cli_complain(CLI_INTERRUPTED, "interrupted before the first picture");
    }
    // Ctrl-C leaves a shorter film that plays, under a name of its own.
    const char *path = done == s.count ? j->options->output : partial_name(j);
    ok = ok && (path || wri_fail_memory(&j->error, 1)) && wr_film_finish(film, path, &j->error);
    wr_film_destroy(film);
    if (!ok) {
        return cli_fail(&j->error);
    }
    if (done < s.count) {
        return cli_complain(CLI_INTERRUPTED, "interrupted; the first %d of %d pictures are in %s",
                            done, s.count, path);
    }
    if (!j->options->quiet) {
        char time[32], size[32];
        printf("%s: %d %s of %dx%d in %s, %s\n", path, done,
               wri_plural(done, "picture", "pictures"), j->width, j->height,
               cli_seconds_text(time, wri_seconds() - progress.start),
               cli_size_text(size, wri_file_size(path)));
    }
    return CLI_OK;
}

// --- pictures ---------------------------------------------------------------------------------

static int write_picture(job *j, const uint8_t *pixels, int width, int height)
{
    if (!wr_png_write(j->options->output, pixels, width, height, 3, &j->error)) {
        return cli_fail(&j->error);
    }
    if (!j->options->quiet) {
        char size[32];
        printf("%s: %dx%d, %s\n", j->options->output, width, height,
               cli_size_text(size, wri_file_size(j->options->output)));
    }
    return CLI_OK;
}

static int render_picture(job *j)
{
    int last = wr_record_frame_count(j->reader) - 1;
    int frame = j->options->frame < 0 ? last / 2 : j->options->frame;
    if (frame > last) {
        return cli_complain(CLI_BAD_INPUT, "%s: has frames 0 to %d, not %d", j->options->input,
                            last, frame);
    }
    return draw_frame(j, frame, true) ? write_picture(j, j->pixels, j->width, j->height)
                                      : cli_fail(&j->error);
}

// Evenly spaced frames in a grid, left to right, top to bottom, with white between them.
static int render_sheet(job *j)
{
    int count = j->options->sheet, columns = (int)ceil(sqrt((double)count));
    int rows = (count + columns - 1) / columns;
    enum { GAP = 4 }; // pixels
    int across = j->width + GAP, down = j->height + GAP;
    int width = columns * across - GAP, height = rows * down - GAP;
    uint8_t *sheet = wri_arena_alloc(&j->arena, (size_t)width * (size_t)height, 3);
    if (!sheet) {
        return cli_complain(CLI_BAD_INPUT, "out of memory for a sheet of %dx%d", width, height);
    }
    memset(sheet, 255, 3 * (size_t)width * (size_t)height);
    cli_progress progress =
        cli_progress_start("rendering", "pictures", 0, count, j->options->quiet);
    cli_schedule s =
        cli_schedule_plan(j->reader, 0.0, fmax(j->options->from, 0.0), j->options->to, 1e9);
    for (int i = 0; i < count && !cli_interrupted() && s.count > 0; i++) {
        int64_t at = count > 1 ? (int64_t)i * (s.count - 1) / (count - 1) : s.count / 2;
        if (!draw_frame(j, cli_schedule_frame(&s, (int)at), i == 0)) {
            return cli_fail(&j->error);
        }
        for (int y = 0; y < j->height; y++) {
            size_t to =
                (size_t)(i / columns * down + y) * (size_t)width + (size_t)(i % columns * across);
            memcpy(sheet + 3 * to, j->pixels + 3 * (size_t)y * (size_t)j->width,
                   3 * (size_t)j->width);
        }
        cli_progress_show(&progress, i + 1, "");
    }
    cli_progress_end(&progress);
    if (s.count == 0) {
        return cli_complain(CLI_BAD_INPUT, "%s: nothing between --from and --to",
                            j->options->input);
    }
    if (cli_interrupted()) {
        return cli_complain(CLI_INTERRUPTED, "interrupted; no sheet was written");
    }
    return write_picture(j, sheet, width, height);
}

static int render_recording(job *j)
{
    if (cli_check_recording(j->options->input, &j->error)) {
        j->reader = wr_record_open(cli_recording_path(&j->arena, j->options->input), &j->error);
    }
    if (!j->reader) {
        return cli_fail(&j->error);
    }
    if (wr_record_frame_count(j->reader) == 0) {
        return cli_complain(CLI_BAD_INPUT, "%s: has no frames yet", j->options->input);
    }
    // What is drawn flat has no noise, but edges, and only they cost more.
    int usual = wr_record_about(j->reader)->stage.flat.on ? 16 : 4;
    float aspect = (float)j->width / (float)j->height;
    if (!create_render(j, usual) ||
        !cli_drawing_create(&j->drawing, j->reader, shows_examples(j), &j->error) ||
        !cli_find_camera(j->reader, j->options->camera, aspect, &j->arena, &j->camera, &j->error)) {
        return cli_fail(&j->error);
    }
    if (j->options->sheet > 0) {
        return render_sheet(j);
    }
    return is_picture(j->options->output) ? render_picture(j) : render_film(j);
}

// --- models -----------------------------------------------------------------------------------

static int render_model(job *j)
{
    wr_model *model = wr_model_read(j->options->input, &j->options->read, &j->error);
    if (model) {
        cli_warn(model->warning_count, model->warnings);
    }
    wr_model *flat = model ? cli_flatten(model, j->options->input, &j->error) : NULL;
    int status;
    if (!flat || !create_render(j, 4)) {
        status = cli_fail(&j->error);
    } else if (!is_picture(j->options->output)) {
        status = cli_complain(CLI_BAD_USAGE, "%s: a model becomes a picture, expected a .png",
                              j->options->output);
    } else {
        wr_box box = wr_mesh_bounds(flat->meshes);
        wr_stage stage = wr_stage_default();
        wr_camera camera = wr_camera_frame(box, (float)j->width / (float)j->height);
        wr_pose ground = {{0.0f, wr_box_is_empty(box) ? 0.0f : box.min.y, 0.0f}, WR_QUAT_IDENTITY};
        const wr_render_thing things[] = {
            {.model = flat, .pose = WR_POSE_IDENTITY, .tint = {1.0f, 1.0f, 1.0f, 1.0f}},
            {.model = NULL, .pose = ground, .tint = stage.light.ground},
        };
        bool ok = wr_render_draw(j->render, things, WRI_COUNT(things), &stage, &camera, j->pixels,
                                 &j->error);
        status = ok ? write_picture(j, j->pixels, j->width, j->height) : cli_fail(&j->error);
    }
    if (j->render) {
        wr_render_forget(j->render);
    }
    wr_model_destroy(flat);
    wr_model_destroy(model);
    return status;
}

int cli_run_render(const cli_render_options *options)
{
    job j = {.options = options,
             .arena = wri_arena_create(NULL),
             .width = options->size[0],
             .height = options->size[1]};
    if (j.width == 0) { // not said
        j.width = options->sheet ? 480 : 960;
        j.height = options->sheet ? 270 : 540;
    }
    if (wri_has_ending(options->output, ".mp4") || wri_has_ending(options->output, ".webm")) {
        j.width -= j.width % 2; // colour is stored at half size
        j.height -= j.height % 2;
    }
    cli_catch_interrupts();
    int status = !cli_check_folder(options->output, &j.error) ? cli_fail(&j.error)
                 : wr_asset_is_one(options->input)            ? cli_run_render_asset(options)
                 : cli_is_model(options->input)               ? render_model(&j)
                 : is_plot(options)                           ? cli_run_render_manifold(options)
                                                              : render_recording(&j);
    wr_render_destroy(j.render);
    cli_drawing_destroy(&j.drawing);
    wr_record_close(j.reader);
    wri_arena_destroy(&j.arena);
    return status;
}

static bool is_word_of(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int check_view(const cli_render_options *o, bool asset)
{
    static const char *const views[] = {"shaded", "wire", "examples", "weights", "manifold"};
    bool weights = strcmp(o->view, "weights") == 0;
    if (!is_word_of(o->view, views, WRI_COUNT(views))) {
        const char *nearest = wri_nearest_word(o->view, views, WRI_COUNT(views));
        return cli_complain(
            CLI_BAD_USAGE,
            "unknown view \"%s\"%s%s%s, expected shaded, wire, examples, weights or "
            "manifold",
            o->view, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
            nearest ? "\"?" : "");
    }
    bool model = !asset && cli_is_model(o->input);
    if (is_plot(o)) {
        const char *odd = asset || model ? "only recordings have a view of manifold"
                          : !is_picture(o->output)
                              ? "a view of manifold is a picture, expected a .png"
                          : o->sheet || o->camera || o->samples
                              ? "a view of manifold has no --sheet, --camera or --samples"
                              : NULL;
        if (odd) {
            return cli_complain(CLI_BAD_USAGE, "%s: %s", o->input, odd);
        }
    }
    if (!asset && (weights || (model && !is_word_of(o->view, views, 2)))) {
        return cli_complain(CLI_BAD_USAGE,
                            weights ? "%s: is no asset, and only assets have a view of %s"
                                    : "%s: is a model, and only assets and recordings have a "
                                      "view of %s",
                            o->input, o->view);
    }
    const char *idle = !asset && (o->example || o->handle || o->blend < 1.0)
                           ? "--example, --blend and --handle are for assets"
                       : o->blend < 1.0 && !o->example ? "--blend needs an --example"
                       : o->example && o->sheet        ? "a sheet shows all examples: no --example"
                       : o->handle && !weights         ? "--handle needs --view weights"
                       : o->handle && o->sheet         ? "a sheet shows all handles: no --handle"
                                                       : NULL;
    return idle ? cli_complain(CLI_BAD_USAGE, "%s", idle) : -1;
}

static int check(const cli_render_options *o, bool asset)
{
    static const char *const endings[] = {".png", ".mp4", ".webm", ".webp", ".gif"};
    bool known = false;
    for (int i = 0; i < WRI_COUNT(endings); i++) {
        known = known || wri_has_ending(o->output, endings[i]);
    }
    if (!known) {
        return cli_complain(CLI_BAD_USAGE,
                            "%s: unknown kind of file, expected .png, .mp4, .webm, .webp or .gif",
                            o->output);
    }
    if (wri_is_folder(o->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: is a folder, expected a file", o->output);
    }
    if (o->sheet > 0 && !is_picture(o->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: a sheet is a picture, expected a .png", o->output);
    }
    if (asset && !is_picture(o->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: an asset becomes a picture, expected a .png",
                            o->output);
    }
    bool film = !is_picture(o->output), model = !asset && cli_is_model(o->input);
    if (model && o->sheet && wri_file_exists(o->input)) { // else reading says what is wrong
        return cli_complain(CLI_BAD_USAGE,
                            "%s: is a model and no asset: it has nothing to fill a sheet with",
                            o->input);
    }
    bool times = o->from >= 0.0 || o->to < 1e9;
    const char *idle = is_plot(o) && o->frame >= 0 ? "--frame has no effect on a view of manifold"
                       : film && o->frame >= 0     ? "--frame has no effect on a film"
                       : o->sheet && o->frame >= 0 ? "--frame has no effect on a sheet"
                       : !film && !o->sheet && times && !is_plot(o)
                           ? "--from and --to have no effect on "
                             "a single picture"
                       : !film && o->fps > 0.0  ? "--fps has no effect on a picture"
                       : model && o->frame >= 0 ? "a model has no frames"
                       : model && o->camera     ? "a model has no cameras"
                       : asset && o->frame >= 0 ? "an asset has no frames"
                       : asset && times         ? "an asset has no times"
                       : asset && o->camera     ? "an asset has no cameras"
                                                : NULL;
    if (idle) {
        return cli_complain(CLI_BAD_USAGE, "%s", idle);
    }
    return check_view(o, asset);
}

int cli_render(int argc, char **argv)
{
    cli_render_options o = cli_render_options_default();
    bool sheet = false;
    const cli_option table[] = {
        {"--output", 'o', CLI_TEXT, &o.output, 0, 0, "FILE",
         ".mp4, .webm, .webp or .gif: a film; .png: a picture (default: film.mp4, picture.png)"},
        {"--size", 's', CLI_SIZE, o.size, 16, 16384, "WxH",
         "pixels of each picture (default: 960x540; in a sheet 480x270, or what keeps a sheet of "
         "an "
         "asset small)"},
        {"--samples", 0, CLI_WHOLE, &o.samples, 1, 1024, "N",
         "per pixel (default: 4; of an asset or a flat scene 16)"},
        {"--fps", 0, CLI_NUMBER, &o.fps, 0.1, 1000, "N",
         "pictures per second (default: the recording's rate, halved until at most 30)"},
        {"--camera", 'c', CLI_TEXT, &o.camera, 0, 0, "NAME",
         "a camera of the scene, or auto (default: the first one)"},
        {"--from", 0, CLI_NUMBER, &o.from, 0, 1e6, "S", "seconds: where the film or sheet begins"},
        {"--to", 0, CLI_NUMBER, &o.to, 0, 1e6, "S", "seconds: where the film or sheet ends"},
        {"--frame", 'f', CLI_WHOLE, &o.frame, 0, 1e9, "N",
         "which frame a picture shows (default: the middle one)"},
        {"--sheet", 0, CLI_FLAG, &sheet, 0, 0, NULL,
         "12 frames in one picture; of an asset: all examples, with --view weights all handles"},
        {"--sheet-count", 0, CLI_WHOLE, &o.sheet, 1, 400, "N", "N frames in one picture"},
        {"--view", 'v', CLI_TEXT, &o.view, 0, 0, "VIEW",
         "shaded or wire; of a recording or asset also examples (a colour each); of a recording "
         "also manifold: where between their poses sprites spent their time; of an asset also "
         "weights, and wire is its simulation mesh (default: shaded)"},
        {"--example", 'e', CLI_TEXT, &o.example, 0, 0, "NAME",
         "which example of an asset to show (default: the rest shape)"},
        {"--blend", 'b', CLI_NUMBER, &o.blend, 0, 1, "X",
         "how far from rest to the example (default: 1)"},
        {"--handle", 0, CLI_TEXT, &o.handle, 0, 0, "NAME",
         "show the weight of one handle of an asset"},
        {"--threads", 't', CLI_WHOLE, &o.threads, 1, 256, "N", "threads (default: one per core)"},
        CLI_READ_OPTIONS(o.read),
        {"--quiet", 'q', CLI_FLAG, &o.quiet, 0, 0, NULL, "print errors only"},
    };
    const cli_usage usage = {
        "render",
        "RECORDING|MODEL|ASSET",
        "Draws a recording (a folder or file that sim wrote) as a film or "
        "picture,\nor a model (.glb, .obj, .ply, .off, .mesh, .fbx, .dae, .stl ...) or an asset "
        "(.glb that\nrig wrote) as a picture.",
        "  wrought render out -o film.mp4\n"
        "  wrought render out --sheet -o sheet.png\n"
        "  wrought render out --view examples -o why.mp4\n"
        "  wrought render out --view manifold -o poses.png\n"
        "  wrought render scenes/models/barrel.glb -o barrel.png\n"
        "  wrought render car.asset.glb --view examples --sheet -o sheet.png\n"
        "  wrought render car.asset.glb --example crushed --blend 0.5 -o half.png\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &o.input, &count);
    if (status >= 0) {
        return status;
    }
    bool asset = wr_asset_is_one(o.input);
    if (asset && o.sheet) {
        return cli_complain(CLI_BAD_USAGE,
                            "--sheet-count has no effect on an asset: --sheet shows everything");
    }
    o.sheet = sheet && !o.sheet ? 12 : o.sheet;
    if (!o.output) {
        bool picture = o.sheet || o.frame >= 0 || cli_is_model(o.input) || is_plot(&o);
        o.output = picture ? "picture.png" : "film.mp4";
    }
    status = check(&o, asset);
    if (status < 0) {
        bool lengths = !asset && cli_is_model(o.input); // an asset's are metres
        status = cli_check_read_options(&o.read, o.input, lengths);
    }
    return status >= 0 ? status : cli_run_render(&o);
}
