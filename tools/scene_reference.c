// scene_reference.c: prints docs/scene.md (no argument) or docs/scene.schema.json (--schema).
#include "wrought/world.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    bool schema = argc > 1 && strcmp(argv[1], "--schema") == 0;
    wr_error error = {0};
    size_t size;
    char *text = schema ? wr_scene_schema(&size, &error) : wr_scene_reference(&size, &error);
    if (!text) {
        fprintf(stderr, "scene_reference: %s\n", error.message);
        return 1;
    }
    bool ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    wr_text_destroy(text, size);
    return ok ? 0 : 1;
}
