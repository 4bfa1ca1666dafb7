// render.c: wrought render: pictures, films and sheets of a recording, or a picture of a model;
// render_asset.c has those of an asset.
#include "cli.h"

#include <stdio.h>

cli_render_options cli_render_options_default(void)
{
    return (cli_render_options){.frame = -1,
                                .from = -1.0,
                                .to = 1e9,
                                .slow = 1.0,
                                .blur = -1.0,
                                .lens = -1.0,
                                .view = "shaded",
                                .blend = 1.0};
}

static bool is_light(const char *path)
{
    return wri_has_ending(path, ".exr");
}

// NAME.####.png is a film, picture by picture.
static bool is_picture(const char *path)
{
    return (wri_has_ending(path, ".png") || is_light(path)) && !strchr(path, '#');
}

static bool is_plot(const cli_render_options *o)
{
    return strcmp(o->view, "manifold") == 0;
}

int cli_find_map(const char *view)
{
    int kind = 0;
    while (kind < WR_MAP_COUNT && strcmp(wr_map_name((wr_map_kind)kind), view) != 0) {
        kind++;
    }
    return kind < WR_MAP_COUNT ? kind : -1;
}

static bool is_wire(const cli_render_options *o)
{
    return strcmp(o->view, "wire") == 0;
}

// Pixels of a picture.
static void choose_size(const cli_render_options *o, int *width, int *height)
{
    bool said = o->size[0] > 0;
    *width = said ? o->size[0] : o->sheet || o->preview ? 480 : 960;
    *height = said ? o->size[1] : o->sheet || o->preview ? 270 : 540;
    if (wri_has_ending(o->output, ".mp4") || wri_has_ending(o->output, ".webm")) {
        *width -= *width % 2; // colour is stored at half size
        *height -= *height % 2;
    }
}

int cli_report_picture(const cli_render_options *o, int width, int height)
{
    if (!o->quiet) {
        char size[32];
        cli_say("%s: %dx%d, %s", o->output, width, height,
                cli_size_text(size, wri_file_size(o->output)));
    }
    return CLI_OK;
}

int cli_write_picture(const cli_render_options *o, const uint8_t *pixels, int width, int height)
{
    wr_error error = {0};
    return wr_png_write(o->output, pixels, width, height, 3, &error)
               ? cli_report_picture(o, width, height)
               : cli_fail(&error);
}

// --- recordings -------------------------------------------------------------------------------

static wr_show_span describe_span(const cli_render_options *o, cli_watcher *watcher)
{
    wr_show_span span = wr_show_span_default();
    span.from = o->from;
    span.to = o->to;
    span.fps = o->fps;
    span.slow = o->slow;
    span.count = o->sheet;
    span.keep_part = !o->changes;
    span.replace = o->force;
    *watcher = (cli_watcher){.quiet = o->quiet, .changes = o->changes};
    span.watch = cli_watch(watcher);
    return span;
}

static int fail_span(const cli_render_options *o)
{
    return cli_complain(CLI_BAD_INPUT, "%s: nothing between --from and --to", o->input);
}

static int render_film(wr_show *show, wr_take *take, const cli_render_options *o)
{
    cli_watcher watcher;
    wr_show_span span = describe_span(o, &watcher);
    wr_schedule plan = wr_take_plan(take, o->fps, o->from, o->to, 30.0);
    int count = wr_schedule_slow(&plan, o->slow).count, width, height;
    double start = wri_seconds();
    wr_error error = {0};
    if (count == 0) {
        return fail_span(o);
    }
    bool ok = wr_show_write_film(show, o->output, &span, &error);
    cli_progress_end(&watcher.progress);
    if (!ok) {
        return cli_fail_watched(&error, "");
    }
    if (!o->quiet) {
        char time[32], size[32];
        choose_size(o, &width, &height);
        bool is_file = wri_file_exists(o->output); // else its pictures are
        cli_say("%s: %d %s of %dx%d in %s%s%s", o->output, count,
                wri_plural(count, "picture", "pictures"), width, height,
                cli_seconds_text(time, wri_seconds() - start), is_file ? ", " : "",
                is_file ? cli_size_text(size, wri_file_size(o->output)) : "");
    }
    return CLI_OK;
}

static int render_sheet(wr_show *show, wr_take *take, const cli_render_options *o)
{
    cli_watcher watcher;
    wr_show_span span = describe_span(o, &watcher);
    wr_error error = {0};
    int width, height;
    if (wr_take_plan(take, 0.0, o->from, o->to, 1e9).count == 0) {
        return fail_span(o);
    }
    bool ok = wr_show_write_sheet(show, o->output, &span, &width, &height, &error);
    cli_progress_end(&watcher.progress);
    return ok ? cli_report_picture(o, width, height) : cli_fail_watched(&error, "");
}

// One frame as light.
static int render_light(wr_show *show, int frame, const cli_render_options *o)
{
    int width, height;
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    choose_size(o, &width, &height);
    size_t count = 3 * (size_t)width * (size_t)height;
    float *light = wri_arena_alloc(&arena, count, sizeof *light);
    bool ok = light ? wr_show_draw_light(show, frame, light, &error) &&
                          wr_exr_write(o->output, light, width, height, &error)
                    : wri_fail_memory(&error, count * sizeof *light);
    wri_arena_destroy(&arena);
    return ok ? cli_report_picture(o, width, height) : cli_fail(&error);
}

static int render_picture(wr_show *show, wr_take *take, const cli_render_options *o)
{
    int last = wr_record_frame_count(wr_take_reader(take)) - 1, width, height;
    int frame = o->frame < 0 ? last / 2 : o->frame;
    if (is_light(o->output)) {
        return render_light(show, frame, o);
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    choose_size(o, &width, &height);
    uint8_t *pixels = wri_arena_alloc(&arena, (size_t)width * (size_t)height, 3);
    bool ok = pixels ? wr_show_draw(show, frame, pixels, &error)
                     : wri_fail_memory(&error, 3 * (size_t)width * (size_t)height);
    int status = ok ? cli_write_picture(o, pixels, width, height) : cli_fail(&error);
    wri_arena_destroy(&arena);
    return status;
}

// --- a camera of its own ------------------------------------------------------------------------

// "1,2.5,-3" in metres.
static bool parse_point(const char *text, wr_vec3 *out)
{
    float numbers[3];
    for (int i = 0; i < 3; i++) {
        size_t length = strcspn(text, ",");
        double number;
        if ((text[length] == ',') != (i < 2) || !wri_parse_double(text, length, &number)) {
            return false;
        }
        numbers[i] = (float)number;
        text += length + (i < 2);
    }
    *out = wr_v3(numbers[0], numbers[1], numbers[2]);
    return true;
}

static bool has_own_camera(const cli_render_options *o)
{
    return o->camera_from || o->camera_to || o->follow;
}

static bool find_followed(wr_take *take, const cli_render_options *o, wr_camera *camera,
                          wr_error *error)
{
    const wr_record_info *info = wr_record_about(wr_take_reader(take));
    wri_arena arena = wri_arena_create(NULL);
    const char **names = wri_arena_alloc(&arena, (size_t)info->body_count, sizeof *names);
    camera->body = -1;
    for (int i = 0; names && i < info->body_count; i++) {
        names[i] = info->bodies[i].name;
        camera->body = strcmp(names[i], o->follow) == 0 ? i : camera->body;
    }
    camera->follows = camera->body >= 0;
    char text[120];
    if (!camera->follows) {
        wri_fail(
            error, WR_E_ARGUMENT, "%.80s: there is no body \"%.40s\"%s", o->input, o->follow,
            wri_suggest_word(text, sizeof text, o->follow, names, names ? info->body_count : 0));
    }
    wri_arena_destroy(&arena);
    return camera->follows;
}

// What is not said is as the automatic camera has it; one that only follows finds its place.
static bool find_own_camera(wr_take *take, const cli_render_options *o, float aspect,
                            wr_camera *camera, wr_error *error)
{
    wr_vec3 from, to;
    if ((o->camera_from && !parse_point(o->camera_from, &from)) ||
        (o->camera_to && !parse_point(o->camera_to, &to))) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "--camera-from and --camera-to are two points in metres, expected such as "
                        "3,1.5,-4");
    }
    wr_shot *automatic = wr_shot_create(take, "auto", aspect, error);
    if (!automatic) {
        return false;
    }
    *camera = wr_shot_camera(automatic, 0);
    wr_shot_destroy(automatic);
    camera->from = o->camera_from ? from : camera->from;
    camera->to = o->camera_to ? to : camera->to;
    if (!(wr_distance(camera->from, camera->to) > 0.0f)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "the camera is at the point that it looks at: --camera-from and "
                        "--camera-to are the same");
    }
    if (o->follow && !o->camera_from && !o->camera_to) {
        camera->from = camera->to;
    }
    return !o->follow || find_followed(take, o, camera, error);
}

// --- another light ------------------------------------------------------------------------------

// Puts the environment that was asked for, if one was, into a light; *read, which may become NULL,
// is the caller's.
static bool find_environment(const cli_render_options *o, wr_light *light, wr_environment **read,
                             wr_error *error)
{
    *read = NULL;
    if (!o->environment) {
        return true;
    }
    bool is_studio = strcmp(o->environment, "studio") == 0;
    *read = is_studio ? NULL : wr_environment_read(o->environment, error);
    light->environment = is_studio ? wr_environment_studio() : *read;
    light->turn = (float)(o->environment_turn * (double)WR_PI / 180.0);
    return light->environment != NULL;
}

static wr_show_view find_view(const cli_render_options *o)
{
    static const char *const words[WR_SHOW_MAPS] = {"shaded", "wire",     "examples",
                                                    "bones",  "contacts", "grey"};
    int map = cli_find_map(o->view), view = WR_SHOW_SHADED;
    while (view < WR_SHOW_GREY && strcmp(words[view], o->view) != 0) {
        view++;
    }
    return (wr_show_view)(map >= 0 ? WR_SHOW_MAPS + map : view);
}

static int draw_take(wr_take *take, const cli_render_options *o, const wr_light *light)
{
    wr_error error = {0};
    wr_camera own;
    wr_show_desc desc = wr_show_desc_default();
    desc.take = take;
    desc.camera = o->camera;
    desc.own_light = light;
    desc.view = find_view(o);
    choose_size(o, &desc.width, &desc.height);
    desc.blur = o->blur;
    desc.lens = (float)o->lens;
    desc.samples = o->preview && !o->samples ? 1 : o->samples;
    desc.tasks = wr_tasks_openmp(o->threads);
    float aspect = (float)desc.width / (float)desc.height;
    if (has_own_camera(o)) {
        if (!find_own_camera(take, o, aspect, &own, &error)) {
            return cli_fail(&error);
        }
        desc.own_camera = &own;
    }
    wr_show *show = wr_show_create(&desc, &error);
    int status = !show                   ? cli_fail(&error)
                 : o->sheet > 0          ? render_sheet(show, take, o)
                 : is_picture(o->output) ? render_picture(show, take, o)
                                         : render_film(show, take, o);
    wr_show_destroy(show);
    return status;
}

static int render_take(wr_take *take, const cli_render_options *o)
{
    const wr_stage *stage = &wr_record_about(wr_take_reader(take))->stage;
    wr_light light = stage->light;
    wr_environment *read;
    wr_error error = {0};
    if (o->environment && stage->flat.on) {
        return cli_complain(CLI_BAD_USAGE, "%s: is flat, without light: no --environment",
                            o->input);
    }
    int status =
        find_environment(o, &light, &read, &error) ? draw_take(take, o, &light) : cli_fail(&error);
    wr_environment_destroy(read);
    return status;
}

static int render_poses(wr_take *take, const cli_render_options *o)
{
    int width, height;
    wr_error error = {0};
    cli_watcher watcher = {.quiet = true};
    wr_pose_plot_desc desc = wr_pose_plot_desc_default();
    desc.from = o->from;
    desc.to = o->to;
    desc.width = o->size[0];
    desc.height = o->size[1];
    desc.tasks = wr_tasks_openmp(o->threads);
    desc.log = cli_log(o->quiet);
    desc.watch = cli_watch(&watcher);
    return wr_take_write_poses(take, o->output, &desc, &width, &height, &error)
               ? cli_report_picture(o, width, height)
               : cli_fail(&error);
}

static int render_recording(const cli_render_options *o)
{
    wr_error error = {0};
    wr_take *take = cli_check_recording(o->input, &error) ? wr_take_open(o->input, &error) : NULL;
    wr_particle_choice choice;
    if (take && cli_choose_particles(o->particles, &choice) < 0) {
        wr_take_set_particles(take, choice, wr_tasks_openmp(o->threads));
    }
    int status = !take        ? cli_fail(&error)
                 : is_plot(o) ? render_poses(take, o)
                              : render_take(take, o);
    wr_take_close(take);
    return status;
}

// --- models -----------------------------------------------------------------------------------

static int draw_model(const wr_model *model, const cli_render_options *o)
{
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    wr_render_desc desc = wr_render_desc_default();
    choose_size(o, &desc.width, &desc.height);
    desc.samples = o->samples ? o->samples : desc.samples;
    desc.tasks = wr_tasks_openmp(o->threads);
    desc.view = is_wire(o) ? WR_VIEW_WIRE : WR_VIEW_SHADED;
    wr_paint paint = strcmp(o->view, "grey") == 0 ? WR_PAINT_GREY : WR_PAINT_LOOKS;
    size_t count = (size_t)desc.width * (size_t)desc.height;
    uint8_t *pixels = wri_arena_alloc(&arena, count, 3);
    wr_light light = wr_stage_default().light;
    wr_environment *read;
    bool ok = find_environment(o, &light, &read, &error) &&
              (pixels ? wr_model_draw(model, &desc, &light, paint, pixels, &error)
                      : wri_fail_memory(&error, 3 * count));
    wr_environment_destroy(read);
    int status = ok ? cli_write_picture(o, pixels, desc.width, desc.height) : cli_fail(&error);
    wri_arena_destroy(&arena);
    return status;
}

static int render_model(const cli_render_options *o)
{
    wr_error error = {0};
    wr_model *model = wr_model_read(o->input, &o->read, &error);
    wr_model *flat = model ? cli_flatten(model, o->input, &error) : NULL;
    bool ok = flat && cli_warn_of_size(model, flat, &o->read, o->input, &error);
    if (model) {
        cli_warn(model->warning_count, model->warnings);
    }
    int status = !ok                      ? cli_fail(&error)
                 : !is_picture(o->output) ? cli_complain(CLI_BAD_USAGE,
                                                         "%s: a model becomes a picture, expected "
                                                         "a .png",
                                                         o->output)
                                          : draw_model(flat, o);
    wr_model_destroy(flat);
    wr_model_destroy(model);
    return status;
}

int cli_run_render(const cli_render_options *options)
{
    wr_error error = {0};
    cli_catch_interrupts();
    bool makes_folder = strchr(options->output, '#') != NULL; // of numbered pictures
    return !makes_folder && !wri_folder_check(options->output, &error) ? cli_fail(&error)
           : wr_asset_is_one(options->input) ? cli_run_render_asset(options)
           : cli_is_model(options->input)    ? render_model(options)
                                             : render_recording(options);
}

// --- the command ------------------------------------------------------------------------------

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
    static const char *const views[] = {"shaded", "wire",     "grey",     "examples", "weights",
                                        "bones",  "manifold", "contacts", "strength", "yield",
                                        "reach",  "flow",     "spacing",  "thickness"};
    bool weights = strcmp(o->view, "weights") == 0;
    if (!is_word_of(o->view, views, WRI_COUNT(views))) {
        char text[240];
        return cli_complain(CLI_BAD_USAGE, "unknown view \"%s\"%s", o->view,
                            wri_suggest_word(text, sizeof text, o->view, views, WRI_COUNT(views)));
    }
    bool model = !asset && cli_is_model(o->input), is_map = cli_find_map(o->view) >= 0;
    if (asset && (strcmp(o->view, "contacts") == 0 || strcmp(o->view, "bones") == 0)) {
        return cli_complain(CLI_BAD_USAGE, "%s: is an asset, and only recordings have a view of %s",
                            o->input, o->view);
    }
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
    if (!asset && (weights || (model && !is_word_of(o->view, views, 3)))) {
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
                       : asset && is_map && o->sheet ? "a painted map is shown in one picture: no "
                                                       "--sheet"
                                                     : NULL;
    return idle ? cli_complain(CLI_BAD_USAGE, "%s", idle) : -1;
}

int cli_check_picture(const char *output)
{
    static const char *const endings[] = {".png", ".exr", ".mp4", ".webm", ".webp", ".gif"};
    bool known = false;
    for (int i = 0; i < WRI_COUNT(endings); i++) {
        known = known || wri_has_ending(output, endings[i]);
    }
    if (!known) {
        return cli_complain(CLI_BAD_USAGE,
                            "%s: unknown kind of file, expected .png, .####.png, .exr, .####.exr, "
                            ".mp4, .webm, .webp or .gif",
                            output);
    }
    if (wri_is_folder(output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: is a folder, expected a file", output);
    }
    const char *number = strchr(output, '%');
    size_t digits = number ? strspn(number + 1, "0123456789") : 0;
    if (number && number[1 + digits] == 'd') { // as other programs have it
        return cli_complain(CLI_BAD_USAGE,
                            "%s: numbers of pictures are written as #, expected such as "
                            "\"%.*s####%s\"",
                            output, (int)(number - output), output, number + digits + 2);
    }
    return -1;
}

static int check(const cli_render_options *o, bool asset)
{
    int status = cli_check_picture(o->output);
    if (status >= 0) {
        return status;
    }
    if (o->sheet > 0 && !is_picture(o->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: a sheet is a picture, expected a .png", o->output);
    }
    if (asset && !is_picture(o->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: an asset becomes a picture, expected a .png",
                            o->output);
    }
    if (is_light(o->output) &&
        (asset || cli_is_model(o->input) || o->sheet > 0 || is_plot(o) ||
         strcmp(o->view, "examples") == 0 || strcmp(o->view, "contacts") == 0 ||
         strcmp(o->view, "grey") == 0 || cli_find_map(o->view) >= 0)) {
        return cli_complain(CLI_BAD_USAGE,
                            "%s: an .exr holds the light of a recording in its own colours, "
                            "expected a .png",
                            o->output);
    }
    bool film = !is_picture(o->output), model = !asset && cli_is_model(o->input);
    if (model && o->sheet && wri_file_exists(o->input)) { // else reading says what is wrong
        return cli_complain(CLI_BAD_USAGE,
                            "%s: is a model and no asset: it has nothing to fill a sheet with",
                            o->input);
    }
    bool times = o->from >= 0.0 || o->to < 1e9;
    const char *idle =
        is_plot(o) && o->frame >= 0                  ? "--frame has no effect on a view of manifold"
        : film && o->frame >= 0                      ? "--frame has no effect on a film"
        : o->sheet && o->frame >= 0                  ? "--frame has no effect on a sheet"
        : !film && !o->sheet && times && !is_plot(o) ? "--from and --to have no effect on "
                                                       "a single picture"
        : !film && o->fps > 0.0                      ? "--fps has no effect on a picture"
        : !film && o->slow > 1.0                     ? "--slow has no effect on a picture"
        : model && o->frame >= 0                     ? "a model has no frames"
        : o->camera && has_own_camera(o)
            ? "--camera is a camera of the scene; --camera-from, --camera-to and "
              "--follow make another"
        : model && (o->camera || has_own_camera(o)) ? "a model has no cameras"
        : asset && o->frame >= 0                    ? "an asset has no frames"
        : asset && times                            ? "an asset has no times"
        : asset && (o->camera || has_own_camera(o)) ? "an asset has no cameras"
        : (asset || model || is_plot(o)) && (o->blur > 0.0 || o->lens > 0.0)
            ? "--blur and --lens are for pictures and films of recordings"
        : asset && o->environment      ? "an asset is drawn in a light of its own: no --environment"
        : is_plot(o) && o->environment ? "a view of manifold has no --environment"
        : o->environment_turn != 0.0 && !o->environment
            ? "--environment-turn needs an --environment"
        : (asset || model) && o->particles    ? "only recordings have particles"
        : (asset || model) && o->preview      ? "only recordings have a preview"
        : o->force && !strchr(o->output, '#') ? "--force is for numbered pictures, NAME.####.png"
                                              : NULL;
    if (idle) {
        return cli_complain(CLI_BAD_USAGE, "%s", idle);
    }
    wr_particle_choice choice;
    status = cli_choose_particles(o->particles, &choice);
    return status < 0 ? check_view(o, asset) : status;
}

int cli_render(int argc, char **argv)
{
    cli_render_options o = cli_render_options_default();
    bool sheet = false;
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &o.output, 0, 0, "FILE",
         ".mp4, .webm, .webp or .gif: a film; .####.png: its pictures, numbered from 0; .png: a "
         "picture; .####.exr and .exr: the same as linear light (default: film.mp4, picture.png)"},
        {"--size", 's', CLI_SIZE, o.size, 16, 16384, "WxH",
         "pixels of each picture (default: 960x540; in a sheet 480x270; for a sheet of an asset, "
         "what keeps it small)"},
        {"--preview", 0, CLI_FLAG, &o.preview, 0, 0, NULL,
         "a recording quickly, to judge motion by: 480x270 with one sample, unless said otherwise"},
        {"--samples", 0, CLI_WHOLE, &o.samples, 1, 1024, "N",
         "samples per pixel (default: 4; of an asset or a flat scene, with --blur or --lens 16)"},
        {"--fps", 0, CLI_NUMBER, &o.fps, 0.1, 1000, "N",
         "pictures per second (default: the recording's rate, halved until at most 30)"},
        {"--slow", 0, CLI_NUMBER, &o.slow, 1, 1000, "N",
         "slow motion: a second lasts N seconds; what is between two frames is mixed from both "
         "(default: 1)"},
        {"--blur", 0, CLI_NUMBER, &o.blur, 0, 1, "X",
         "motion blur: for which part of the time between two pictures each is exposed; in films "
         "0.5 is usual (default: as the camera of the scene says, else 0)"},
        {"--lens", 0, CLI_NUMBER, &o.lens, 0, 1e6, "M",
         "depth of field: how wide the lens is, in metres; what is as far as what the camera looks "
         "at is sharp (default: as the camera of the scene says, else 0)"},
        {"--camera", 'c', CLI_TEXT, &o.camera, 0, 0, "NAME",
         "a camera of the scene, or auto (default: the first one)"},
        {"--camera-from", 0, CLI_TEXT, &o.camera_from, 0, 0, "X,Y,Z",
         "where another camera stands, in metres (default: where auto does)"},
        {"--camera-to", 0, CLI_TEXT, &o.camera_to, 0, 0, "X,Y,Z",
         "the point in the middle of its picture (default: as auto)"},
        {"--follow", 0, CLI_TEXT, &o.follow, 0, 0, "NAME",
         "a body that it goes along with, smoothly; alone, it stands where the body is large and "
         "little "
         "is in the way"},
        {"--environment", 0, CLI_TEXT, &o.environment, 0, 0, "FILE|studio",
         "light from all around in place of sun and sky: a Radiance .hdr that is twice as wide as "
         "high, or three soft boxes (default: the scene's light)"},
        {"--environment-turn", 0, CLI_NUMBER, &o.environment_turn, -360, 360, "DEG",
         "turns it about the vertical, counterclockwise from above (default: 0)"},
        {"--from", 0, CLI_NUMBER, &o.from, 0, 1e6, "S", "seconds: where the film or sheet begins"},
        {"--to", 0, CLI_NUMBER, &o.to, 0, 1e6, "S", "seconds: where the film or sheet ends"},
        {"--frame", 'f', CLI_WHOLE, &o.frame, 0, 1e9, "N",
         "which frame a picture shows (default: the middle one)"},
        {"--sheet", 0, CLI_FLAG, &sheet, 0, 0, NULL,
         "12 frames in one picture; of an asset: all examples, with --view weights all handles"},
        {"--sheet-count", 0, CLI_WHOLE, &o.sheet, 1, 400, "N", "N frames in one picture"},
        {"--view", 'v', CLI_TEXT, &o.view, 0, 0, "VIEW",
         "shaded, wire (of an asset: its simulation mesh) or grey (matt, without colours and "
         "textures, as form is judged); of a recording or asset also examples "
         "(a colour each); of a recording also bones (skeletons without their skins) and manifold "
         "(where between their poses sprites spent their time) and contacts (where bodies touch, "
         "by "
         "the recorded impulses of each pair over a frame, as a force); of an asset also weights; "
         "of an asset, or a recording of metal: strength, yield, reach, and of an asset flow, "
         "spacing, thickness (what was painted) (default: shaded)"},
        CLI_PARTICLES_OPTION(o.particles),
        {"--example", 'e', CLI_TEXT, &o.example, 0, 0, "NAME",
         "which example of an asset to show (default: the rest shape)"},
        {"--blend", 'b', CLI_NUMBER, &o.blend, 0, 1, "X",
         "how far from rest to the example (default: 1)"},
        {"--handle", 0, CLI_TEXT, &o.handle, 0, 0, "NAME",
         "show the weight of one handle of an asset"},
        {"--threads", 't', CLI_WHOLE, &o.threads, 1, 256, "N", "threads (default: one per core)"},
        CLI_READ_OPTIONS(o.read),
        {"--force", 0, CLI_FLAG, &o.force, 0, 0, NULL,
         "also replace numbered pictures that Wrought did not write"},
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
        "  wrought render out --follow car -o chase.mp4\n"
        "  wrought render out --from 1.2 --to 2 --slow 8 -o crash.mp4\n"
        "  wrought render out --camera-from 3,1.2,5 --camera-to 0,0.5,0 -o side.mp4\n"
        "  wrought render out --blur 0.5 --lens 0.05 -o cinema.mp4\n"
        "  wrought render out --environment studio -o shop.mp4\n"
        "  wrought render out --view examples -o why.mp4\n"
        "  wrought render out --view contacts -o touch.mp4\n"
        "  wrought render out --preview -o quick.mp4\n"
        "  wrought render out -o pictures/take.####.png\n"
        "  wrought render out -o light/take.####.exr\n"
        "  wrought render out --view manifold -o poses.png\n"
        "  wrought render scenes/models/barrel.glb -o barrel.png\n"
        "  wrought render car.asset.glb --view examples --sheet -o sheet.png\n"
        "  wrought render car.asset.glb --view strength -o paint.png\n"
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
