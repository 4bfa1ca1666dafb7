// new.c: wrought new: a first recipe for a model.
#include "cli.h"

#include <stdio.h>

typedef struct job {
    const char *input, *output, *material;
    int vertices, handles;
    wr_read_options read;
    bool force;
} job;

// As the recipe names the model: by its name when they lie in one folder, else by its whole path
// unless the recipe lies where we are.
static const char *model_name(wri_arena *arena, const job *j)
{
    char *from = wri_path_folder(arena, j->input), *to = wri_path_folder(arena, j->output);
    const char *slash = strrchr(j->input, '/');
    if (!from || !to) {
        return NULL;
    }
    if (wri_same_file(from, to)) {
        return slash ? slash + 1 : j->input;
    }
    return strcmp(to, ".") == 0 ? j->input : wri_absolute_path(arena, j->input);
}

// car.glb -> car.recipe.json, beside it.
static const char *default_output(wri_arena *arena, const char *input)
{
    const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - input) : strlen(input);
    return wri_arena_printf(arena, "%.*s.recipe.json", (int)length, input);
}

static int run(job *j, wri_arena *arena)
{
    wr_error error = {0};
    j->output = j->output ? j->output : default_output(arena, j->input);
    const char *name = j->output ? model_name(arena, j) : NULL;
    if (!name) {
        return cli_complain(CLI_BAD_INPUT, "%s: out of memory", j->input);
    }
    if (wri_file_exists(j->output) && !j->force) {
        return cli_complain(CLI_BAD_INPUT, "%s: exists and stays as it is; --force replaces it",
                            j->output);
    }
    const wr_recipe_start start = {.model = name,
                                   .path = j->input,
                                   .material = j->material,
                                   .vertices = j->vertices,
                                   .handles = j->handles,
                                   .read = j->read};
    size_t size;
    char *text = wr_recipe_write_new(&start, &size, &error);
    bool ok = text && wri_file_write(j->output, text, strlen(text), &error);
    wr_text_destroy(text, size);
    if (!ok) {
        return cli_fail(&error);
    }
    printf("%s: written. Next: wrought rig %s\n", j->output, j->output);
    return CLI_OK;
}

int cli_new(int argc, char **argv)
{
    job j = {0};
    const cli_option table[] = {
        {"--output", 'o', CLI_TEXT, &j.output, 0, 0, "FILE",
         "the recipe (default: beside the model, .recipe.json)"},
        {"--vertices", 0, CLI_WHOLE, &j.vertices, 8, 1000000, "N",
         "of the simulation mesh (default: 1800)"},
        {"--handles", 0, CLI_WHOLE, &j.handles, 1, 1000, "N",
         "that are found on the surface (default: the model's skin, else 12)"},
        {"--material", 0, CLI_TEXT, &j.material, 0, 0, "NAME", "what bodies are made of"},
        CLI_READ_OPTIONS(j.read),
        {"--force", 0, CLI_FLAG, &j.force, 0, 0, NULL, "replace the recipe when there is one"},
    };
    const cli_usage usage = {
        "new",
        "MODEL",
        "Starts a recipe for a model, or for a .png with alpha: the text file that says how it\n"
        "becomes an asset. Morph targets and clips of the model become examples, a skin becomes\n"
        "the handles. Edit it, then build it with 'wrought rig'. docs/recipe.md lists the keys.",
        "  wrought new car.glb --handles 32 --vertices 4700 -o car.recipe.json\n"
        "  wrought new hero.png --handles 8\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &j.input, &count);
    status = status < 0 ? cli_check_read_options(&j.read, j.input, true) : status;
    if (status >= 0) {
        return status;
    }
    wri_arena arena = wri_arena_create(NULL);
    status = run(&j, &arena);
    wri_arena_destroy(&arena);
    return status;
}
