// reference.c: prints a file of docs/: reference scene|recipe, or scene-schema|recipe-schema.
#include "wrought/recipe.h"
#include "wrought/scene.h"

#include <stdio.h>
#include <string.h>

typedef char *text_fn(size_t *size, wr_error *error);

static const struct {
    const char *word;
    text_fn *write;
} texts[] = {{"scene", wr_scene_reference},
             {"scene-schema", wr_scene_schema},
             {"recipe", wr_recipe_reference},
             {"recipe-schema", wr_recipe_schema}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(argv[1], texts[i].word) != 0) {
            continue;
        }
        wr_error error = {0};
        size_t size;
        char *text = texts[i].write(&size, &error);
        if (!text) {
            fprintf(stderr, "reference: %s\n", error.message);
            return 1;
        }
        bool ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
        wr_text_destroy(text, size);
        return ok ? 0 : 1;
    }
    fprintf(stderr, "usage: reference scene|scene-schema|recipe|recipe-schema\n");
    return 2;
}
