// export.c: wrought export: recordings and models become files of other programs.
#include "take.h"

#include "../src/file/names.h"

#include <stdio.h>

cli_export_options cli_export_options_default(void)
{
    return (cli_export_options){.output = "take.glb", .to = 1e9};
}

typedef int export_fn(cli_take *take);

typedef struct kind {
    const char *ending;
    export_fn *run; // NULL: one per frame only
} kind;

static const kind kinds[] = {{".glb", cli_export_glb},
                             {".usda", cli_export_usd},
                             {".pc2", cli_export_cache},
                             {".mdd", cli_export_cache},
                             {".png", cli_export_sheet},
                             {".obj", NULL},
                             {".ply", NULL}};

static const kind *find_kind(const char *path)
{
    for (int i = 0; i < WRI_COUNT(kinds); i++) {
        if (wri_has_ending(path, kinds[i].ending) && strlen(path) > strlen(kinds[i].ending)) {
            return &kinds[i];
        }
    }
    return NULL;
}

// --- models -----------------------------------------------------------------------------------

static bool write_model(const wr_model *model, const cli_export_options *o, wr_error *error)
{
    return wri_has_ending(o->output, ".glb")    ? wr_model_write_glb(model, o->output, error)
           : wri_has_ending(o->output, ".usda") ? wr_model_write_usda(model, NULL, o->output, error)
           : wri_has_ending(o->output, ".obj")
               ? wr_model_write_obj(model, NULL, o->output, error)
               : wr_model_write_ply(model, o->text, o->output, error);
}

// What would come along with the file.
static bool check_beside(const wr_model *model, const cli_export_options *o, wr_error *error)
{
    return wri_has_ending(o->output, ".obj") ? cli_check_obj(model, o->output, o->force, error)
           : wri_has_ending(o->output, ".usda")
               ? cli_check_looks(model, o->output, NULL, o->force, error)
               : true;
}

static int export_model(const cli_export_options *o)
{
    if (wri_has_ending(o->output, ".pc2") || wri_has_ending(o->output, ".mdd") ||
        wri_has_ending(o->output, ".png")) {
        return cli_complain(CLI_BAD_USAGE,
                            "%s: a model has no frames, expected .glb, .usda, .obj or .ply",
                            o->output);
    }
    if (wri_same_file(o->input, o->output)) {
        return cli_complain(CLI_BAD_USAGE, "%s: would be written over itself", o->output);
    }
    wr_error error = {0};
    wr_model *model =
        cli_check_folder(o->output, &error) ? wr_model_read(o->input, &o->read, &error) : NULL;
    if (model) {
        cli_warn(model->warning_count, model->warnings);
    }
    int status = model && check_beside(model, o, &error) && write_model(model, o, &error)
                     ? CLI_OK
                     : cli_fail(&error);
    if (status == CLI_OK && !o->quiet) {
        char size[32];
        printf("%s: %d %s, %d %s, %s\n", o->output, model->node_count,
               wri_plural(model->node_count, "node", "nodes"), model->mesh_count,
               wri_plural(model->mesh_count, "mesh", "meshes"),
               cli_size_text(size, wri_file_size(o->output)));
    }
    wr_model_destroy(model);
    return status;
}

// --- recordings -------------------------------------------------------------------------------

static int export_recording(const cli_export_options *o)
{
    const kind *found = find_kind(o->output);
    if (!found->run && !strchr(wri_path_name(o->output), '#')) {
        return cli_complain(CLI_BAD_USAGE,
                            "%s: a recording becomes a file per frame, such as take.####%s",
                            o->output, found->ending);
    }
    cli_take take = {.options = o};
    bool ok = (!found->run || cli_check_folder(o->output, &take.error)) &&
              cli_check_recording(o->input, &take.error) && cli_take_open(&take, o);
    int status =
        ok ? found->run ? found->run(&take) : cli_export_sequence(&take) : cli_take_failed(&take);
    cli_take_close(&take);
    return status;
}

int cli_run_export(const cli_export_options *options)
{
    cli_export_options o = *options;
    wri_arena arena = wri_arena_create(NULL);
    size_t length = strlen(o.output);
    bool slash = length > 0 && o.output[length - 1] == '/', model = cli_is_model(o.input);
    bool is_folder = wri_is_folder(o.output) || slash;
    if (is_folder && (model || (!slash && find_kind(o.output)))) {
        return cli_complain(CLI_BAD_USAGE, "%s: is a folder, expected a file", o.output);
    }
    if (is_folder) {
        o.output = wri_path_join(&arena, o.output, "take.####.obj");
    }
    if ((o.cell || o.every) && (model || !wri_has_ending(o.output, ".png"))) {
        return cli_complain(CLI_BAD_USAGE, "--cell and --every are for sprite sheets (.png)");
    }
    cli_catch_interrupts();
    int status = !o.output              ? cli_complain(CLI_BAD_INPUT, "out of memory")
                 : !find_kind(o.output) ? cli_complain(CLI_BAD_USAGE,
                                                       "%s: unknown kind of file, expected .glb, "
                                                       ".usda, .pc2, .mdd, .png, .obj or .ply",
                                                       o.output)
                 : model                ? export_model(&o)
                                        : export_recording(&o);
    wri_arena_destroy(&arena);
    return status;
}

int cli_export(int argc, char **argv)
{
    cli_export_options o = cli_export_options_default();
    const cli_option table[] = {
        {"--output", 'o', CLI_TEXT, &o.output, 0, 0, "FILE", "see above (default: take.glb)"},
        {"--fps", 0, CLI_NUMBER, &o.fps, 0.1, 1000, "N",
         "frames per second (default: the recording's rate)"},
        {"--from", 0, CLI_NUMBER, &o.from, 0, 1e6, "S", "seconds: where the export begins"},
        {"--to", 0, CLI_NUMBER, &o.to, 0, 1e6, "S", "seconds: where the export ends"},
        {"--body", 'b', CLI_TEXT, &o.body, 0, 0, "NAMES",
         "only these bodies: names with commas between; a star at the end stands for the rest"},
        CLI_READ_OPTIONS(o.read),
        {"--force", 0, CLI_FLAG, &o.force, 0, 0, NULL,
         "replace files of others that are in the way of what comes along"},
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
        "  take.glb        one standard glTF: a node per body, one animation\n"
        "  take.usda       USD text with time samples (experimental), textures beside it\n"
        "  take.pc2, .mdd  a point cache of all vertices in the world, and the mesh as take.obj\n"
        "  hero.png        a sprite sheet of one --body, cells with alpha, and hero.json, which\n"
        "                  says where they are as Aseprite does\n"
        "  f/take.####.obj one file per frame, numbered from 0; also .ply; a folder alone will do\n"
        "or a model (.glb, .obj, .ply, .off, .mesh, .fbx, .dae, .stl ...) as .glb, .usda, .obj or "
        ".ply, in metres, +Y up.\n"
        "FILE is replaced. Materials, pictures, the mesh of a cache and the files of an earlier\n"
        "sequence are only if Wrought wrote them, or with --force; what is left of a longer\n"
        "sequence is removed.",
        "  wrought export out -o take.glb\n"
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
