// drawn.h: pictures that tests draw, and recipes about them.
#pragma once

#include "check.h"

#include "../src/base/os.h"
#include "../src/file/png.h"

#include "wrought/recipe.h"

#include <stdio.h>

typedef struct drawing {
    int width, height;
    uint8_t *pixels; // RGBA, rows from the top
} drawing;

static inline drawing drawing_create(int width, int height)
{
    return (drawing){width, height, calloc((size_t)width * (size_t)height, 4)};
}

// How far outside of a bar with round ends; y down.
static inline double bar_distance(double x, double y, double x0, double y0, double x1, double y1,
                                  double radius)
{
    double dx = x1 - x0, dy = y1 - y0, l2 = dx * dx + dy * dy;
    double t = l2 > 0.0 ? ((x - x0) * dx + (y - y0) * dy) / l2 : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return hypot(x - x0 - t * dx, y - y0 - t * dy) - radius;
}

// Where distance is below 0, with an edge one pixel wide, over what is there.
static inline void put_pixel(drawing *d, int x, int y, double distance, uint32_t rgb)
{
    double a = fmin(fmax(0.5 - distance, 0.0), 1.0);
    uint8_t *p = d->pixels + 4 * (y * d->width + x);
    if (a <= 0.0) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        double color = rgb >> (16 - 8 * k) & 255, below = p[3] / 255.0 * (1.0 - a);
        p[k] = (uint8_t)((color * a + p[k] * below) / (a + below) + 0.5);
    }
    p[3] = (uint8_t)(255.0 * (a + p[3] / 255.0 * (1.0 - a)) + 0.5);
}

static inline void put_bar(drawing *d, double x0, double y0, double x1, double y1, double radius,
                           uint32_t rgb)
{
    for (int y = 0; y < d->height; y++) {
        for (int x = 0; x < d->width; x++) {
            put_pixel(d, x, y, bar_distance(x + 0.5, y + 0.5, x0, y0, x1, y1, radius), rgb);
        }
    }
}

static inline void put_block(drawing *d, int x0, int y0, int x1, int y1, uint32_t rgb)
{
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            put_pixel(d, x, y, -1.0, rgb);
        }
    }
}

static inline void write_drawing(const temporary_folder *folder, const char *name, const drawing *d)
{
    char path[600];
    wri_arena arena = wri_arena_create(NULL);
    const uint8_t *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    const wri_png_picture picture = {d->pixels, d->width, d->height, 4};
    assert_true(wri_png_encode(&arena, &picture, &bytes, &size, NULL));
    assert_true(wri_file_write(path, bytes, size, NULL));
    wri_arena_destroy(&arena);
}

static inline void write_text(const temporary_folder *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    assert_true(wri_file_write(path, text, strlen(text), NULL));
}

// Recipes in tests are written with ' instead of ". NULL: the sentence.
static inline wr_asset *build_drawing(const temporary_folder *folder, const char *text,
                                      wr_build_report *report, wr_error *error)
{
    char path[600], json[8192];
    assert_true(strlen(text) < sizeof json);
    strcpy(json, text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    write_text(folder, "d.recipe.json", json);
    snprintf(path, sizeof path, "%s/d.recipe.json", folder->path);
    wr_recipe *recipe = wr_recipe_read(path, NULL, error);
    wr_build_desc desc = wr_build_desc_default();
    wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, report, error) : NULL;
    wr_recipe_destroy(recipe);
    return asset;
}

static inline wr_asset *build_sound_drawing(const temporary_folder *folder, const char *text,
                                            wr_build_report *report)
{
    wr_error error = {0};
    wr_asset *asset = build_drawing(folder, text, report, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    assert_true(wr_asset_check(asset, &error));
    return asset;
}

// The sentence with the folder as DIR and " as '.
static inline void check_drawing_mistake(const temporary_folder *folder, const char *text,
                                         const char *expected)
{
    wr_error error = {0};
    char said[700] = "", *out = said;
    wr_asset *asset = build_drawing(folder, text, NULL, &error);
    if (asset) {
        fail_msg("built: %s", text);
    }
    size_t length = strlen(folder->path);
    for (const char *c = error.message; *c; c++) {
        bool here = strncmp(c, folder->path, length) == 0;
        out += sprintf(out, "%s", here ? "DIR" : (char[2]){*c == '"' ? '\'' : *c, '\0'});
        c += here ? length - 1 : 0;
    }
    if (strcmp(said, expected) != 0) {
        fail_msg("\"%s\"\nexpected \"%s\"", said, expected);
    }
}
