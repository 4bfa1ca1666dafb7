// new.c: wrought new: a first recipe for a model.
#include "cli.h"

#include <stdio.h>

enum { MOST_LAYERS = 256 };

typedef struct job {
    const char *inputs[MOST_LAYERS], *output, *word, *material, *preset, *grid;
    const char *names[MOST_LAYERS], *objects;
    int count, cells[2];
    int vertices, handles;
    wr_read_options read;
    bool force, dents;
} job;

// car.glb -> car.recipe.json, beside it.
static const char *default_output(wri_arena *arena, const char *input)
{
    const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - input) : strlen(input);
    return wri_arena_printf(arena, "%.*s.recipe.json", (int)length, input);
}

// The words of "Car*, Wheel".
static const char *const *split(wri_arena *arena, const char *list, int *count)
{
    list = list ? list : "";
    const char **words = wri_arena_alloc(arena, strlen(list) + 1, sizeof *words);
    for (list += strspn(list, ", "); words && *list; list += strspn(list, ", ")) {
        size_t length = strcspn(list, ",");
        if (!(words[(*count)++] = wri_arena_text(arena, list, length))) {
            return NULL;
        }
        list += length;
    }
    return words;
}

static int run(job *j, wri_arena *arena)
{
    wr_error error = {0};
    j->output = j->output ? j->output : default_output(arena, j->inputs[0]);
    for (int i = 0; i < j->count; i++) {
        j->names[i] = j->output ? cli_name_from(arena, j->inputs[i], j->output) : NULL;
        if (!j->names[i]) {
            return cli_complain(CLI_BAD_INPUT, "%s: out of memory", j->inputs[i]);
        }
    }
    int status = -1;
    for (int i = 0; i < j->count && status < 0; i++) {
        status = cli_check_other(j->inputs[i], j->output);
    }
    if (status < 0 && !wri_has_ending(j->output, ".json")) {
        status = cli_complain(CLI_BAD_USAGE, "%s: unknown kind of file, expected .recipe.json",
                              j->output);
    }
    status = status < 0 ? cli_check_replace(j->output, j->force) : status;
    if (status >= 0) {
        return status;
    }
    int object_count = 0;
    const char *const *objects = split(arena, j->objects, &object_count);
    if (!objects) {
        return cli_complain(CLI_BAD_INPUT, "%s: out of memory", j->inputs[0]);
    }
    if (j->objects && object_count == 0) {
        return cli_complain(CLI_BAD_USAGE, "--objects: expected names, such as \"Car*,Wheel\"");
    }
    const wr_recipe_start start = {.model = j->names[0],
                                   .path = j->inputs[0],
                                   .material = j->material,
                                   .preset = j->preset,
                                   .vertices = j->vertices,
                                   .handles = j->handles,
                                   .read = j->read,
                                   .objects = objects,
                                   .object_count = object_count,
                                   .log = cli_log_notes(false),
                                   .dents = j->dents,
                                   .more_count = j->count - 1,
                                   .more_models = j->names + 1,
                                   .more_paths = j->inputs + 1,
                                   .grid = {j->cells[0], j->cells[1]}};
    size_t size;
    char *text = wr_recipe_write_new(&start, &size, &error);
    bool ok = text && wri_file_write(j->output, text, strlen(text), &error);
    wr_text_destroy(text, size);
    if (!ok) {
        return cli_fail(&error);
    }
    const char *quoted = cli_quote(arena, j->output);
    cli_say("%s: written. Next: wrought rig %s, then wrought new scene %s", j->output, quoted,
            quoted);
    return CLI_OK;
}

// "4x2": columns and rows. -1: fine.
static int read_grid(job *j)
{
    char end;
    if (!j->grid) {
        return -1;
    }
    bool ok = sscanf(j->grid, "%3dx%3d%c", &j->cells[0], &j->cells[1], &end) == 2;
    if (!ok || j->cells[0] < 1 || j->cells[1] < 1 || j->cells[0] * j->cells[1] > MOST_LAYERS) {
        return cli_complain(CLI_BAD_USAGE,
                            "--grid %s: expected columns and rows, such as 4x2, and at most %d "
                            "cells",
                            j->grid, MOST_LAYERS);
    }
    return -1;
}

static int read_material(job *j)
{
    wr_error error = {0};
    return !j->word || wr_material_find_word(j->word, &j->material, &j->preset, &error)
               ? -1
               : cli_complain(CLI_BAD_USAGE, "--material: %s", error.message);
}

int cli_new(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "scene") == 0) {
        return cli_new_scene(argc - 1, argv + 1);
    }
    job j = {0};
    const cli_option table[] = {
        {"--output", 'o', CLI_PATH, &j.output, 0, 0, "FILE",
         "the recipe (default: beside the model, .recipe.json)"},
        {"--vertices", 0, CLI_WHOLE, &j.vertices, 8, 1000000, "N",
         "vertices of the simulation mesh (default: 1800, of drawings 300, of morph 600)"},
        {"--handles", 0, CLI_WHOLE, &j.handles, 1, 1000, "N",
         "handles to find on the surface (default: the model's skin, else 12; of drawings 8, at "
         "most 128)"},
        {"--grid", 0, CLI_TEXT, &j.grid, 0, 0, "CxR",
         "the drawing is a sprite sheet with this many columns and rows of cells"},
        {"--dents", 0, CLI_FLAG, &j.dents, 0, 0, NULL,
         "six crushes as examples in place of clips: front, rear, left side, right side, roof, "
         "flattened"},
        {"--objects", 0, CLI_TEXT, &j.objects, 0, 0, "NAMES",
         "only these objects of the model, such as \"Car*,Wheel\" (default: all)"},
        {"--material", 0, CLI_TEXT, &j.word, 0, 0, "NAME",
         "material of the bodies, such as metal, or a preset of one, such as tin (default: none; "
         "with --dents metal)"},
        CLI_READ_OPTIONS(j.read),
        {"--force", 0, CLI_FLAG, &j.force, 0, 0, NULL, "replace the recipe if it exists"},
    };
    const cli_usage usage = {
        "new",
        "MODEL [LAYER...]",
        "Starts a recipe for a model: the text file that says how it becomes an asset. Morph\n"
        "targets and clips of the model become examples, a skin becomes the handles; with\n"
        "--material morph each target belongs to a moment of the first clip. A .png with\n"
        "alpha is a drawing; several are its layers, the hindmost first, and hang together where\n"
        "they overlap; the .json of Aseprite or TexturePacker, or a .png with --grid, is a sprite\n"
        "sheet whose cells become examples. The larger side of what is drawn becomes about a "
        "metre.\n"
        "Edit the recipe, then build it with 'wrought rig'. docs/recipe.md lists the keys.\n"
        "'wrought new scene' starts a scene around it.",
        "  wrought new car.glb --handles 32 --vertices 4700 -o car.recipe.json\n"
        "  wrought new car.glb --dents\n"
        "  wrought new street.glb --objects \"Car*\" --dents -o car.recipe.json\n"
        "  wrought new hero.png --handles 8\n"
        "  wrought new leg.png body.png arm.png -o hero.recipe.json\n"
        "  wrought new walk.png --grid 4x2\n",
        table,
        WRI_COUNT(table),
        1,
        MOST_LAYERS};
    int status = cli_parse(&usage, argc, argv, j.inputs, &j.count);
    status = status < 0 ? cli_refuse_text(j.inputs[0]) : status;
    status = status < 0 ? cli_check_read_options(&j.read, j.inputs[0], true) : status;
    status = status < 0 ? read_grid(&j) : status;
    status = status < 0 ? read_material(&j) : status;
    if (status >= 0) {
        return status;
    }
    wri_arena arena = wri_arena_create(NULL);
    status = run(&j, &arena);
    wri_arena_destroy(&arena);
    return status;
}
