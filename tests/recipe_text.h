// recipe_text.h: recipes that a test writes as text, with ' instead of ", into its folder.
#pragma once

#include "folder.h"

#include "../src/base/os.h"

#include "wrought/recipe.h"

static inline void write_text(const char *name, const char *text)
{
    assert_true(wri_file_write(in_folder(name), text, strlen(text), NULL));
}

// NULL: error says why.
static inline wr_recipe *read_recipe_text(const char *name, const char *text, wr_error *error)
{
    char json[2048];
    assert_true(strlen(text) < sizeof json);
    strcpy(json, text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    write_text(name, json);
    return wr_recipe_read(in_folder(name), NULL, error);
}

// Likewise.
static inline wr_asset *build_recipe_text(const char *name, const char *text, wr_error *error)
{
    wr_recipe *recipe = read_recipe_text(name, text, error);
    const wr_build_desc desc = wr_build_desc_default();
    wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, NULL, error) : NULL;
    wr_recipe_destroy(recipe);
    return asset;
}
