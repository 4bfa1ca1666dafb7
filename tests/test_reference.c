// test_reference.c: the references and schemas in docs/ are what the readers' tables say.
#include "check.h"

#include "../src/base/os.h"
#include "wrought/recipe.h"
#include "wrought/scene.h"

typedef char *text_fn(size_t *size, wr_error *error);

static void docs_are_what_the_tables_say(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        text_fn *write;
    } texts[] = {{"scene.md", wr_scene_reference},
                 {"scene.schema.json", wr_scene_schema},
                 {"recipe.md", wr_recipe_reference},
                 {"recipe.schema.json", wr_recipe_schema}};
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        print_message("WROUGHT_SCENES is not set\n");
        skip();
    }
    for (int i = 0; i < WRI_COUNT(texts); i++) {
        char path[1024];
        wr_error error = {0};
        size_t size = 0, said = 0;
        snprintf(path, sizeof path, "%s/../docs/%s", scenes, texts[i].file);
        char *text = texts[i].write(&said, &error);
        char *file = wri_file_read(path, 1 << 24, NULL, &size, &error);
        if (!text || !file) {
            fail_msg("%s", error.message);
        }
        if (strcmp(text, file) != 0) {
            fail_msg("docs/%s is not what the tables say; 'make docs' writes it", texts[i].file);
        }
        wr_text_destroy(text, said);
        wri_free(NULL, file, size + 1, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(docs_are_what_the_tables_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
