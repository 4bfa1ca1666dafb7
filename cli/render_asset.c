// render_asset.c: wrought render of an asset: one shape, or a contact sheet of all.
#include "cli.h"

#include <stdio.h>

// --- names ------------------------------------------------------------------------------------

// -1 with a sentence that suggests the nearest.
static int find_name(const char *const *names, int count, const char *path, const char *what,
                     const char *name, wr_error *error)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    const char *nearest = wri_nearest_word(name, names, count);
    if (nearest) {
        wri_fail(error, WR_E_ARGUMENT, "%s: has no %s \"%.100s\"; did you mean \"%.100s\"?", path,
                 what, name, nearest);
    } else if (count > 0) {
        wri_fail(error, WR_E_ARGUMENT, "%s: has no %s \"%.100s\"; the first of %d is \"%.100s\"",
                 path, what, name, count, names[0]);
    } else {
        wri_fail(error, WR_E_ARGUMENT, "%s: has no %ss, so none called \"%.100s\"", path, what,
                 name);
    }
    return -1;
}

static int find_example(const wr_asset *asset, const char *path, const char *name, wr_error *error)
{
    const char *names[WR_SKIN_EXAMPLES_MAX] = {0};
    int count = asset->rig.example_count;
    for (int i = 0; i < count; i++) {
        names[i] = asset->rig.examples[i].name;
    }
    return find_name(names, count, path, "example", name, error);
}

static int find_handle(const wr_asset *asset, const char *path, const char *name, wr_error *error)
{
    size_t count = (size_t)asset->rig.handle_count;
    const char **names = wri_alloc(NULL, count, sizeof *names);
    int found = -1;
    if (!names) {
        wri_fail_memory(error, count * sizeof *names);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = asset->rig.handles[i].name;
    }
    found = find_name(names, (int)count, path, "handle", name, error);
    wri_free(NULL, (void *)names, count, sizeof *names);
    return found;
}

// --- pictures ---------------------------------------------------------------------------------

static bool find_pose(const wr_asset *asset, const cli_render_options *o, wr_asset_pose *pose,
                      wr_error *error)
{
    *pose = (wr_asset_pose){.share = (float)o->blend, .handle = -1};
    if (o->example) {
        pose->example = find_example(asset, o->input, o->example, error);
    }
    if (o->handle && pose->example >= 0) {
        pose->handle = find_handle(asset, o->input, o->handle, error);
    }
    return pose->example >= 0 && (!o->handle || pose->handle >= 0);
}

static int render_picture(wr_asset_view *view, const wr_asset_view_desc *desc,
                          const cli_render_options *o)
{
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    wr_asset_pose pose;
    size_t count = (size_t)desc->width * (size_t)desc->height;
    uint8_t *pixels = wri_arena_alloc(&arena, count, 3);
    bool ok = pixels || wri_fail_memory(&error, 3 * count);
    ok = ok && find_pose(desc->asset, o, &pose, &error) &&
         wr_asset_view_draw(view, &pose, pixels, &error);
    int status = ok ? cli_write_picture(o, pixels, desc->width, desc->height) : cli_fail(&error);
    wri_arena_destroy(&arena);
    return status;
}

static void print_cell(void *user, const char *message)
{
    (void)user;
    cli_say("  %s", message);
}

static int render_sheet(wr_asset_view *view, const cli_render_options *o)
{
    int width, height;
    wr_error error = {0};
    cli_watcher watcher = {.quiet = o->quiet, .changes = o->changes};
    wr_asset_sheet_desc desc = wr_asset_sheet_desc_default();
    desc.width = o->size[0];
    desc.height = o->size[1];
    desc.watch = cli_watch(&watcher);
    desc.log = (wr_log){o->quiet ? NULL : print_cell, NULL};
    bool ok = wr_asset_view_write_sheet(view, o->output, &desc, &width, &height, &error);
    cli_progress_end(&watcher.progress);
    return ok ? cli_report_picture(o, width, height)
              : cli_fail_watched(&error,
                                 error.code == WR_E_LIMIT ? "; a smaller --size helps" : "");
}

// --- the command ------------------------------------------------------------------------------

static wr_asset_style find_style(const char *view)
{
    static const char *const words[] = {"shaded", "examples", "weights", "wire", "grey"};
    int style = WR_ASSET_SHADED, map = cli_find_map(view);
    while (style < WR_ASSET_GREY && strcmp(words[style], view) != 0) {
        style++;
    }
    return (wr_asset_style)(map >= 0 ? WR_ASSET_MAPS + map : style);
}

static int render_asset(const wr_asset *asset, const cli_render_options *o)
{
    wr_error error = {0};
    wr_asset_view_desc desc = wr_asset_view_desc_default();
    desc.asset = asset;
    desc.style = find_style(o->view);
    desc.width = o->size[0] ? o->size[0] : desc.width;
    desc.height = o->size[0] ? o->size[1] : desc.height;
    desc.samples = o->samples ? o->samples : desc.samples;
    desc.tasks = wr_tasks_openmp(o->threads);
    if (o->sheet && desc.style == WR_ASSET_WEIGHTS && asset->rig.handle_count < 1) {
        return cli_complain(CLI_BAD_INPUT, "%s: has no handles", o->input);
    }
    wr_asset_view *view = wr_asset_view_create(&desc, &error);
    int status = !view      ? cli_fail(&error)
                 : o->sheet ? render_sheet(view, o)
                            : render_picture(view, &desc, o);
    wr_asset_view_destroy(view);
    return status;
}

int cli_run_render_asset(const cli_render_options *options)
{
    wr_error error = {0};
    wr_asset *asset = wr_asset_read(options->input, NULL, &error);
    int status = asset ? render_asset(asset, options) : cli_fail(&error);
    wr_asset_destroy(asset);
    return status;
}
