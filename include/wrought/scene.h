// scene.h: scene files are read, checked and documented.
//
//     wr_scene *scene = wr_scene_read("dock.scene.json", NULL, &error);
//     for (int i = 0; i < scene->warning_count; i++) {
//         puts(scene->warnings[i]);
//     }
//     wr_scene_destroy(scene); // after the worlds that were made of it, see world.h
//
// docs/scene.md lists every key of the file.
// Thread safety: different scenes may be read by different threads.
#pragma once

#include "world.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct wr_scene_options {
    const wr_material *const *materials; // that a scene may name besides those of the library; for
    int material_count;                  // own materials and tests
    wr_tasks tasks;                      // of recipes that must be built first
    wr_progress progress;                // likewise
    wr_log log;                          // likewise: see wr_build_desc
    bool follow_links;                   // of models, see wr_read_options
    const wr_allocator *allocator;
} wr_scene_options;

// options NULL: none. Errors read "file:line:column: where: what, what was expected".
WR_API WR_NODISCARD wr_scene *wr_scene_read(const char *path, const wr_scene_options *options,
                                            wr_error *error);
WR_API void wr_scene_destroy(wr_scene *scene); // accepts NULL

// A first scene around a model, recipe or asset.
typedef struct wr_scene_start {
    const char *name;      // of the scene, the asset and the body
    const char *file;      // path by which the scene shall name it, relative to its folder
    const char *material;  // of the asset, as it has it; NULL: none
    wr_box bounds;         // of the model
    int point_count;       // at least 1
    const wr_vec3 *points; // of the body, so close together that they show its shape
    int shape_count;       // examples
    const wr_vec3 *shapes; // the points in each of them, one shape after the other
    int triangle_count;    // of the body's outside, for what bends; may be 0
    const int *triangles;  // three points each, counter-clockwise seen from outside
    float clearness;       // share of its surface that shows what is behind it, [0, 1]
    bool is_flat;          // a drawing, in the plane
} wr_scene_start;
// It stands on a floor, in sight of a camera, and three balls are thrown at it, to where the camera
// sees what they do.
// The text is freed with wr_text_destroy(text, size).
WR_API WR_NODISCARD char *wr_scene_write_new(const wr_scene_start *start, size_t *size,
                                             wr_error *error);

// Something that was played: a button of a body with a controller went down or came up.
typedef struct wr_input {
    int64_t step;     // of the scene, from 0: frames times substeps
    int body, button; // indices into the scene's bodies and its controller's buttons
    bool down;
} wr_input;
// Writes a play that a scene names by "inputs": "play.json" and that then repeats exactly. Steps
// must not go back.
WR_API bool wr_inputs_write(const char *path, const wr_scene *scene, const wr_input *inputs,
                            int count, wr_error *error);

// Checks that the material of a recipe is one of the library's, with parameters that it knows.
struct wr_recipe;
WR_API bool wr_recipe_check_material(const struct wr_recipe *recipe, wr_error *error);

// What a word of an artist means: a material of the library, or a preset of one, such as "tin" of
// metal; "flesh:rubber" where several materials have a preset of that name. preset NULL: the word
// is a material's. "rigid" is one. An unknown word fails with the nearest and all that there are.
WR_API bool wr_material_find_word(const char *word, const char **material, const char **preset,
                                  wr_error *error);

// Simulates the scenes that examples of a recipe come from, so that it can be built; nothing where
// there are none. Recordings are kept in the user's cache folder until something that the scene
// reads, or the program, changes. options NULL: none; progress tells of the simulation.
WR_API bool wr_recipe_simulate(struct wr_recipe *recipe, const wr_scene_options *options,
                               wr_error *error);

// The tables of the scene reader as a reference in Markdown, and as a JSON Schema.
WR_API WR_NODISCARD char *wr_scene_reference(size_t *size, wr_error *error);
WR_API WR_NODISCARD char *wr_scene_schema(size_t *size, wr_error *error);
// Schema of recipes, with their materials.
WR_API WR_NODISCARD char *wr_recipe_schema(size_t *size, wr_error *error);

#if defined(__cplusplus)
}
#endif
