// recipe.h: the text file that says how a model becomes an asset, and the building of it.
//
//     wr_recipe *recipe = wr_recipe_read("barrel.recipe.json", NULL, &error);
//     wr_build_desc desc = wr_build_desc_default();
//     wr_asset *asset = wr_recipe_build(recipe, &desc, &report, &error);
//     wr_asset_write(asset, "barrel.asset.glb", &error);
//
// docs/recipe.md lists every key of the file. Errors read "file:line:column: where: what, what was
// expected". Slow work with progress; the same recipe gives the same bits for any number of
// threads. Thread safety: a recipe is only read after wr_recipe_read; share it.
#pragma once

#include "asset.h"
#include "author.h"
#include "weights.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct wr_recipe wr_recipe;

WR_API WR_NODISCARD wr_recipe *wr_recipe_read(const char *path, const wr_allocator *allocator,
                                              wr_error *error);
WR_API void wr_recipe_destroy(wr_recipe *recipe); // accepts NULL
// How its models are read: see wr_read_options. Default: false
WR_API void wr_recipe_set_follow_links(wr_recipe *recipe, bool follow_links);

typedef struct wr_recipe_info {
    const char *name, *model; // the model, sheet or first layer as the recipe names it
    int vertices;             // wanted, of the simulation mesh; 0: it brings its own
    int placed, automatic;    // handles
    bool skin, graph;         // other sources of handles
    int layer_count;          // layers of a drawing, else 0
    bool sheet;               // a sprite sheet: each of its cells becomes an example, besides
    int example_count, cut_count;
    const char *material; // JSON, or NULL
} wr_recipe_info;
WR_API wr_recipe_info wr_recipe_describe(const wr_recipe *recipe);
WR_API const char *wr_recipe_example_name(const wr_recipe *recipe, int example);
// True when a name ends in ".recipe.json".
WR_API bool wr_recipe_has_ending(const char *path);

// Start from wr_build_desc_default().
typedef struct wr_build_desc {
    wr_tasks tasks; // Default: the calling thread
    wr_allocator allocator;
    wr_progress progress;
    wr_log log;      // says before the work begins that it will take minutes. Default: none
    uint32_t cookie; // set by wr_build_desc_default; do not touch
} wr_build_desc;

WR_API wr_build_desc wr_build_desc_default(void);

// The quality of one example.
typedef struct wr_example_report {
    const char *name;    // belongs to the asset
    double largest_move; // metres, of a render vertex
    double half_move;    // the largest displacement half way; further than that: handles turn what
                         // they should not
    // Known only when it was fitted now, else 0. Metres, at most:
    double handle_error; // distance of the handles alone from what was sculpted
    double detail_error; // distance of handles and correctives; details are the rest
    int inverted;        // elements that it turns inside out
    bool is_registered;  // it is a cell of a sheet, found just now:
    double overlap;      // overlap of the shapes, as a part of what one of them covers
    double outline;      // pixels: distance of the outlines, root mean square
    double farthest;     // the largest such distance
    double color;        // difference of the colours, root mean square, of 1
    bool is_poor;        // one should look at it
    double pin_gap;      // metres: how far layers come apart at their pins, at most
} wr_example_report;

// What became of the targets of a body of morph.
typedef struct wr_morph_build_report {
    int target_count;  // the model itself among them
    int mode_count;    // in which a reduced body moves: modes of vibration and targets
    int fixed_count;   // nodes that move with the bones alone
    int outside_bones; // bones that cross no tetrahedron and hold the nearest nodes
    int turned_count;  // tetrahedra that a target would turn inside out: there it has the stiffness
                       // of the model itself
    double largest_detail; // metres: farthest that a vertex was sculpted beyond its tetrahedron
    double seconds;
} wr_morph_build_report;

typedef struct wr_build_report {
    int coarse_vertices, vertices; // of the model before it was refined and since; 0: it was not
    wr_lattice_report lattice;     // report of a lattice of ours; zero for tetrahedra of the artist
    wr_ride_report rides;
    wr_weights_report weights; // zero when they came from a file
    bool weights_are_kept;     // they were found before, when something else was built
    int flipped_elements;      // tetrahedra of the artist that had to be turned
    int example_count;         // without rest
    wr_example_report *examples;
    wr_morph_build_report morph; // zero where the recipe says nothing about it
    bool from_cache;             // nothing was built; only the examples are told of then
    void *memory;
} wr_build_report;
WR_API void wr_build_report_clear(wr_build_report *report); // frees its list

// report may be NULL; clear it afterwards, also when building failed. A recipe with examples out of
// a scene is given to wr_recipe_simulate (scene.h) first.
WR_API WR_NODISCARD wr_asset *wr_recipe_build(const wr_recipe *recipe, const wr_build_desc *desc,
                                              wr_build_report *report, wr_error *error);

// Fills name, moves, inverted and pin_gap of example_count - 1 reports.
WR_API bool wr_asset_measure(const wr_asset *asset, const wr_tasks *tasks,
                             wr_example_report *reports, wr_error *error);

// Builds the asset, or takes it from the user's cache folder when the asset of this recipe, these
// files and this version of the program was built before, and keeps it there. So are simulation
// meshes, weights, crushes and fitted examples one by one: of an edited recipe only what the edit
// reaches is computed. fresh: all of it, in any case. A cache that cannot be read or written, or
// was damaged, does not matter; of one above 2 GB what was not used for longest is dropped.
WR_API WR_NODISCARD wr_asset *wr_recipe_build_cached(const wr_recipe *recipe,
                                                     const wr_build_desc *desc, bool fresh,
                                                     wr_build_report *report, wr_error *error);

// True when a recipe names this file: its model, a sculpt, ...
WR_API bool wr_recipe_uses_file(const wr_recipe *recipe, const char *path);

// Hashes the recipe's name and text, all files that it names and the program's version: the
// recipe_hash of the asset.
WR_API bool wr_recipe_find_hash(const wr_recipe *recipe, uint64_t *hash, wr_error *error);

// --- starting one -----------------------------------------------------------------------------

typedef struct wr_recipe_start {
    const char *model;    // path by which the recipe shall name it, relative to its folder
    const char *path;     // path where it lies now
    const char *material; // "metal", ...; NULL: none. wr_material_find_word tells what is one
    const char *preset;   // of the material, "tin"; NULL: the material as it is
    int vertices;         // 0: 1800, 300 of a drawing
    int handles;          // automatic ones; 0: 12, or those of the model's skin when it has one;
                          // of a drawing they are placed, 0: 8
    wr_read_options read;
    const char *const *objects; // names of those that are meant, a star at the end for any rest
    int object_count;           // 0: all; not of a drawing
    wr_log log;                 // says what of a model does not come into the recipe. Default: none
    int more_count; // further pictures of a drawing in layers, each before the one before it
    const char *const *more_models, *const *more_paths;
    bool dents;  // six crushes as examples, and metal when no material is named; not of a drawing
    int grid[2]; // the model is a sprite sheet of so many columns and rows; 0 0: it is not
} wr_recipe_start;

// A recipe for a model: its clips and morph targets become examples, its skin the handles. For a
// .png with alpha, layers of them, a grid of cells or the .json of a sprite sheet: about a metre
// on the larger side of what is drawn, handles in limbs and middle, pins where layers overlap, and
// a pose to begin with. The text is freed with wr_text_destroy(text, size).
WR_API WR_NODISCARD char *wr_recipe_write_new(const wr_recipe_start *start, size_t *size,
                                              wr_error *error);

// The tables of the reader as a reference in Markdown. Likewise. As a JSON Schema: see scene.h.
WR_API WR_NODISCARD char *wr_recipe_reference(size_t *size, wr_error *error);

#if defined(__cplusplus)
}
#endif
