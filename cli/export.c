// export.c: wrought export: recordings and models become files of other programs.
#include "cli.h"

#include "../src/file/names.h"

#include <stdio.h>

cli_export_options cli_export_options_default(void)
{
    return (cli_export_options){.output = "take.glb", .to = 1e9, .tolerance = -1.0};
}

// With the option that helps.
static int fail(const wr_error *error)
{
    return cli_fail_with(error, error->code == WR_E_EXISTS      ? "; --force replaces it"
                                : error->code == WR_E_AMBIGUOUS ? "; --body says whose sheet it is"
                                : error->code == WR_E_LIMIT
                                    ? "; --every, --from and --to choose fewer, --cell smaller ones"
                                    : "");
}

static wr_export_desc describe(const cli_export_options *o)
{
    wr_export_desc desc = wr_export_desc_default();
    desc.bodies = o->body;
    desc.from = o->from;
    desc.to = o->to;
    desc.fps = o->fps;
    desc.cell = o->cell ? o->cell : desc.cell;
    desc.every = o->every ? o->every : desc.every;
    desc.shapes = o->shapes ? o->shapes : desc.shapes;
    desc.tolerance = o->tolerance >= 0.0 ? (float)o->tolerance : desc.tolerance;
    desc.compress = o->compress != NULL;
    desc.text = o->text;
    desc.replace = o->force;
    desc.keep_part = true;
    desc.tasks = wr_tasks_openmp(0);
    desc.log = cli_log(o->quiet);
    return desc;
}

// --- models -----------------------------------------------------------------------------------

static int export_model(const cli_export_options *o)
{
    wr_export_kind kind = wr_export_kind_of(o->output);
    if (kind == WR_EXPORT_CACHE || kind == WR_EXPORT_SPRITES) {
        return cli_complain(CLI_BAD_USAGE,
                            "%s: a model has no frames, expected .glb, .usda, .obj or .ply",
                            o->output);
    }
    if (wri_same_file(o->input, o->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: would be written over itself", o->output);
    }
    wr_error error = {0};
    const wr_export_desc desc = describe(o);
    wr_model *model =
        wri_folder_check(o->output, &error) ? wr_model_read(o->input, &o->read, &error) : NULL;
    if (model) {
        cli_warn(model->warning_count, model->warnings);
    }
    int status = model && wr_model_export(model, o->output, &desc, &error) ? CLI_OK : fail(&error);
    if (status == CLI_OK && !o->quiet) {
        char size[32];
        cli_say("%s: %d %s, %d %s, %s", o->output, model->node_count,
                wri_plural(model->node_count, "node", "nodes"), model->mesh_count,
                wri_plural(model->mesh_count, "mesh", "meshes"),
                cli_size_text(size, wri_file_size(o->output)));
    }
    wr_model_destroy(model);
    return status;
}

// --- recordings -------------------------------------------------------------------------------

static void report(const char *path, const wr_export_report *r)
{
    wri_arena arena = wri_arena_create(NULL);
    const char *stem = wri_path_stem(&arena, path),
               *frames = wri_plural(r->frames, "frame", "frames");
    const char *nodes = wri_plural(r->nodes, "node", "nodes");
    char size[32], error[96] = "", rounding[64] = "";
    cli_size_text(size, wri_file_size(path));
    stem = stem ? stem : path;
    if (r->shapes > 0) {
        snprintf(error, sizeof error, "%d %s, no vertex off by more than %s mm, ", r->shapes,
                 wri_plural(r->shapes, "morph target", "morph targets"),
                 WRI_NUMBER(1e3 * (double)r->error, 2));
    }
    switch (wr_export_kind_of(path)) {
    case WR_EXPORT_GLB:
        if (r->rounding > 0.0f) {
            snprintf(rounding, sizeof rounding, "compressed to within %s mm, ",
                     WRI_NUMBER(1e3 * (double)r->rounding, 2));
        }
        cli_say("%s: %d %s, %d of them animated, %s%s%s", path, r->nodes, nodes, r->moving, error,
                rounding, size);
        break;
    case WR_EXPORT_USD:
        cli_say("%s: %d %s, %d %s, %s%s", path, r->nodes, nodes, r->frames, frames, error, size);
        break;
    case WR_EXPORT_CACHE:
        cli_say("%s: %d %s, %d %s, %s; the mesh is in %s.obj", path, r->vertices,
                wri_plural(r->vertices, "vertex", "vertices"), r->frames, frames, size, stem);
        break;
    case WR_EXPORT_SPRITES:
        cli_say("%s: %d %s of %dx%d, %s; %s.json", path, r->frames,
                wri_plural(r->frames, "cell", "cells"), r->width, r->height, size, stem);
        break;
    case WR_EXPORT_SEQUENCE:
        cli_say("%s: %d %s, %d %s", path, r->frames, wri_plural(r->frames, "file", "files"),
                r->bodies, wri_plural(r->bodies, "body", "bodies"));
        break;
    case WR_EXPORT_UNKNOWN:
        break;
    }
    wri_arena_destroy(&arena);
}

static int export_take(wr_take *take, const cli_export_options *o)
{
    wr_export_desc desc = describe(o);
    wr_export_report done = {0};
    wr_error error = {0};
    if (wr_record_frame_count(wr_take_reader(take)) > 0 &&
        wr_take_plan(take, o->fps, o->from, o->to, 1e9).count == 0) {
        return cli_complain(CLI_BAD_INPUT, "%s: nothing between --from and --to", o->input);
    }
    cli_watcher watcher = {.quiet = o->quiet};
    desc.watch = cli_watch(&watcher);
    bool ok = wr_take_export(take, o->output, &desc, &done, &error);
    cli_progress_end(&watcher.progress);
    bool part = !ok && error.code == WR_E_CANCELLED && done.frames > 0;
    if ((ok || part) && !o->quiet) {
        report(o->output, &done);
    }
    return ok ? CLI_OK : fail(&error);
}

static int export_recording(const cli_export_options *o)
{
    bool sequence = wr_export_kind_of(o->output) == WR_EXPORT_SEQUENCE;
    if (sequence && !strchr(wri_path_name(o->output), '#')) {
        return cli_complain(CLI_BAD_USAGE,
                            "%s: a recording becomes a file per frame, such as take.####%s",
                            o->output, wri_has_ending(o->output, ".obj") ? ".obj" : ".ply");
    }
    wr_error error = {0};
    bool ok =
        (sequence || wri_folder_check(o->output, &error)) && cli_check_recording(o->input, &error);
    wr_take *take = ok ? wr_take_open(o->input, &error) : NULL;
    wr_particle_choice choice;
    if (take && cli_choose_particles(o->particles, &choice) < 0) {
        wr_take_set_particles(take, choice, wr_tasks_openmp(0));
    }
    int status = take ? export_take(take, o) : cli_fail(&error);
    wr_take_close(take);
    return status;
}

int cli_run_export(const cli_export_options *options)
{
    cli_export_options o = *options;
    wri_arena arena = wri_arena_create(NULL);
    size_t length = strlen(o.output);
    bool slash = length > 0 && o.output[length - 1] == '/', model = cli_is_model(o.input);
    bool is_folder = wri_is_folder(o.output) || slash;
    if (is_folder && (model || (!slash && wr_export_kind_of(o.output)))) {
        return cli_complain(CLI_BAD_USAGE, "%s: is a folder, expected a file", o.output);
    }
    if (is_folder) {
        o.output = wri_path_join(&arena, o.output, "take.####.obj");
    }
    if ((o.cell || o.every) && (model || !wri_has_ending(o.output, ".png"))) {
        return cli_complain(CLI_BAD_USAGE, "--cell and --every are for sprite sheets (.png)");
    }
    bool morphs = wri_has_ending(o.output, ".glb") || wri_has_ending(o.output, ".usda");
    if ((o.shapes || o.tolerance >= 0.0) && (model || !morphs)) {
        return cli_complain(CLI_BAD_USAGE, "%s is for recordings that become .glb or .usda",
                            o.shapes ? "--shapes" : "--tolerance");
    }
    if (o.compress && strcmp(o.compress, "meshopt") != 0) {
        return cli_complain(CLI_BAD_USAGE, "--compress %s: expected meshopt", o.compress);
    }
    if (o.compress && !wri_has_ending(o.output, ".glb")) {
        return cli_complain(CLI_BAD_USAGE, "--compress is for .glb");
    }
    wr_particle_choice choice;
    if (model && o.particles) {
        return cli_complain(CLI_BAD_USAGE, "only recordings have particles");
    }
    int bad = cli_choose_particles(o.particles, &choice);
    if (bad >= 0) {
        return bad;
    }
    cli_catch_interrupts();
    int status = !o.output ? cli_complain(CLI_BAD_INPUT, "out of memory")
                 : !wr_export_kind_of(o.output)
                     ? cli_complain(CLI_BAD_USAGE,
                                    "%s: unknown kind of file, expected .glb, "
                                    ".usda, .pc2, .mdd, .png, .obj or .ply",
                                    o.output)
                 : model ? export_model(&o)
                         : export_recording(&o);
    wri_arena_destroy(&arena);
    return status;
}

int cli_export(int argc, char **argv)
{
    cli_export_options o = cli_export_options_default();
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &o.output, 0, 0, "FILE", "see above (default: take.glb)"},
        {"--fps", 0, CLI_NUMBER, &o.fps, 0.1, 1000, "N",
         "frames per second (default: the recording's rate)"},
        {"--from", 0, CLI_NUMBER, &o.from, 0, 1e6, "S", "seconds: where the export begins"},
        {"--to", 0, CLI_NUMBER, &o.to, 0, 1e6, "S", "seconds: where the export ends"},
        {"--body", 'b', CLI_TEXT, &o.body, 0, 0, "NAMES",
         "only these bodies, with all their fragments: names separated by commas; a star at the "
         "end of "
         "a name matches any rest"},
        CLI_PARTICLES_OPTION(o.particles),
        CLI_READ_OPTIONS(o.read),
        {"--force", 0, CLI_FLAG, &o.force, 0, 0, NULL,
         "also replace files beside FILE that Wrought did not write"},
        {"--shapes", 0, CLI_WHOLE, &o.shapes, 1, 256, "N",
         "of a .glb or .usda: morph targets of a body that bends, at most (default: 32 and 64)"},
        {"--tolerance", 0, CLI_NUMBER, &o.tolerance, 0, 0.1, "R",
         "of a .glb or .usda: the part of its size by which a vertex of a dented body may be off, "
         "up to 0.004 or four times as much where --shapes would not do; 0: dents are like all "
         "else "
         "that bends: shapes found together, in a .usda all points (default: 0.001 and 0.003)"},
        {"--compress", 0, CLI_TEXT, &o.compress, 0, 0, "meshopt",
         "of a .glb: by EXT_meshopt_compression, which not every program opens (Blender 3.4 does "
         "not)"},
        {"--cell", 0, CLI_WHOLE, &o.cell, 16, 4096, "N",
         "of a sprite sheet: pixels of a cell's longer side (default: 128)"},
        {"--every", 0, CLI_WHOLE, &o.every, 1, 1e6, "N",
         "of a sprite sheet: a cell for every N-th frame (default: 1)"},
        {"--text", 0, CLI_FLAG, &o.text, 0, 0, NULL, ".ply as text instead of bytes"},
        {"--quiet", 'q', CLI_FLAG, &o.quiet, 0, 0, NULL, "print errors only"},
    };
    const cli_usage usage = {
        "export",
        "RECORDING|MODEL",
        "Writes a recording for other programs, by the ending of FILE:\n"
        "  take.glb        one standard glTF: a node per body, one animation; skins for bones,\n"
        "                  cameras and the sun\n"
        "  take.usda       USD text with time samples (experimental), textures beside it, "
        "cameras,\n"
        "                  sun and sky\n"
        "  take.pc2, .mdd  a point cache of all vertices in the world, and the mesh as take.obj\n"
        "  hero.png        a sprite sheet of one --body, cells with alpha, and hero.json, which\n"
        "                  lists them in Aseprite's layout\n"
        "  f/take.####.obj one file per frame, numbered from 0; also .ply; a folder will do\n"
        "or a model (.glb, .obj, .ply, .off, .mesh, .fbx, .dae, .stl ...) as .glb, .usda, .obj or "
        ".ply, in metres, +Y up.\n"
        "FILE is replaced. Materials, pictures, the mesh of a cache and the files of an earlier\n"
        "sequence are replaced only if Wrought wrote them, or with --force; the remaining files\n"
        "of a longer sequence are removed.",
        "  wrought export out -o take.glb\n"
        "  wrought export out -o take.glb --compress meshopt\n"
        "  wrought export out -o take.pc2 --fps 24 --body 'crate*'\n"
        "  wrought export out -o hero.png --body hero --cell 64 --every 4\n"
        "  wrought export out -o frames/take.####.ply --from 1 --to 2\n"
        "  wrought export car.obj --unit cm --up z -o car.glb\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &o.input, &count);
    if (status < 0) {
        status = cli_check_read_options(&o.read, o.input, cli_is_model(o.input));
    }
    return status >= 0 ? status : cli_run_export(&o);
}
