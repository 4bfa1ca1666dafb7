// build_model.c: the render mesh of an asset: a model as one mesh, or a picture.
#include "build.h"

#include "../base/os.h"
#include "../file/model.h"

#include <math.h>

enum { PICTURE_BYTES = 1 << 28, MOST_REFINED = 1000000 }; // MOST_REFINED: vertices

// Unless the recipe says its unit.
static bool warn_of_size(const wri_builder *b, wr_model *flat, wr_error *why)
{
    return b->recipe->raw.unit >= 0 ||
           wri_model_warn_of_size(flat, why, b->recipe->path,
                                  wr_box_size(wr_mesh_bounds(flat->meshes)),
                                  "add \"unit\": \"cm\" to the recipe (\"unit\": \"m\" if it is "
                                  "that large)");
}

static const char *find_double_morph(const wr_mesh *mesh)
{
    for (int k = 0; k < mesh->morph_count; k++) {
        const char *name = mesh->morphs[k].name;
        for (int i = 0; name && name[0] && i < k; i++) {
            if (mesh->morphs[i].name && strcmp(mesh->morphs[i].name, name) == 0) {
                return name;
            }
        }
    }
    return NULL;
}

// A name means the targets of all meshes that have it, which is a mistake within one of them.
static bool warn_of_names(const wri_builder *b, const char *path, wr_model *flat, wr_error *why)
{
    for (int i = 0; i < b->source->node_count; i++) {
        int mesh = b->source->nodes[i].mesh;
        const char *name = mesh >= 0 ? find_double_morph(&b->source->meshes[mesh]) : NULL;
        if (name && !wri_model_warn(flat, why, path,
                                    "two morph targets of one mesh are called \"%.100s\" and move "
                                    "together; rename one",
                                    name)) {
            return false;
        }
    }
    return true;
}

// How much larger the nodes of a mesh show it: flat has the vertices of every node that has one.
static double find_scale(const wr_model *source, const wr_mesh *flat, int mesh)
{
    double scale = 0.0;
    int first = 0;
    for (int i = 0; i < source->node_count; i++) {
        int shown = source->nodes[i].mesh;
        if (shown == mesh) {
            wr_mesh placed = source->meshes[mesh];
            double area = wr_mesh_area(&placed);
            placed.positions = &flat->positions[first];
            scale = fmax(scale, area > 0.0 ? sqrt(wr_mesh_area(&placed) / area) : 0.0);
        }
        first += shown >= 0 ? source->meshes[shown].vertex_count : 0;
    }
    WR_ASSERT(first == flat->vertex_count);
    return scale;
}

// The source itself becomes finer, so that whatever else is taken from it fits.
static bool refine_source(wri_builder *b, const wr_mesh *flat, wr_error *why)
{
    wr_vec3 size = wr_box_size(wr_mesh_bounds(flat));
    double length = b->recipe->raw.refine * fmax(size.x, fmax(size.y, size.z));
    size_t count = (size_t)b->source->mesh_count;
    b->finer = wri_arena_alloc(&b->arena, count, sizeof *b->finer);
    double *scales = wri_arena_alloc(&b->arena, count, sizeof *scales);
    if (!b->finer || !scales) {
        return wri_fail_memory(why, count * sizeof *scales);
    }
    for (size_t i = 0; i < count; i++) {
        scales[i] = find_scale(b->source, flat, (int)i);
    }
    for (size_t i = 0; i < count; i++) {
        if (scales[i] > 0.0 && length > 0.0) {
            b->finer[i] = wr_mesh_refine(&b->source->meshes[i], length / scales[i], MOST_REFINED,
                                         &b->desc.allocator, NULL, why);
            if (!b->finer[i]) {
                return false;
            }
            b->source->meshes[i] = b->finer[i]->meshes[0];
        }
    }
    return true;
}

// The model as one mesh, refined where the recipe says so.
static wr_model *flatten(wri_builder *b, wr_error *why)
{
    wr_model *flat = wr_model_flatten(b->source, why);
    if (flat && b->recipe->raw.refine > 0.0) {
        bool ok = refine_source(b, flat->meshes, why);
        int before = flat->meshes->vertex_count;
        wr_model_destroy(flat);
        flat = ok ? wr_model_flatten(b->source, why) : NULL;
        if (flat && flat->meshes->vertex_count > before) {
            b->report->coarse_vertices = before;
            b->report->vertices = flat->meshes->vertex_count;
        }
    }
    return flat;
}

static bool build_solid(wri_builder *b, const char *path, wr_error *why)
{
    wr_read_options options = wri_recipe_read_options(b->recipe);
    options.allocator = &b->desc.allocator;
    b->source = wr_model_read(path, &options, why);
    bool chosen = b->source && wri_choose_named(b, b->source, why);
    wr_model *flat = chosen ? flatten(b, why) : NULL;
    if (!flat) {
        return false;
    }
    // Whoever has the asset tells what the reader said; the source does not live that long.
    if (!wri_model_copy_warnings(b->source, flat)) {
        wr_model_destroy(flat);
        return wri_fail_memory(why, 1);
    }
    if (!warn_of_size(b, flat, why) || !warn_of_names(b, path, flat, why)) {
        wr_model_destroy(flat);
        return false;
    }
    b->asset = wr_asset_create(flat, &b->desc.allocator, why);
    return b->asset != NULL;
}

bool wri_read_picture(wri_arena *arena, const char *path, int64_t *pixels_left, wr_image *image,
                      wr_error *why)
{
    size_t size;
    char *bytes = wri_file_read(path, PICTURE_BYTES, &arena->allocator, &size, why);
    if (!bytes) {
        return false;
    }
    int64_t left = *pixels_left;
    bool ok = wri_image_decode(arena, bytes, size, path, pixels_left, image, why);
    wri_free(&arena->allocator, bytes, size + 1, 1);
    if (!ok && *pixels_left < 0) {
        return wri_fail(why, WR_E_UNSUPPORTED, "%s: has %lld pixels, expected at most %lld%s", path,
                        (long long)(left - *pixels_left), (long long)left,
                        left < WRI_DRAWING_PIXELS ? " beside the other pictures" : "");
    }
    return ok &&
           (image->pixels || wri_fail(why, WR_E_FORMAT, "%s: is not a PNG or JPEG picture", path));
}

bool wri_build_model(wri_builder *b)
{
    const wr_recipe *r = b->recipe;
    wr_error why = {0};
    if (wri_recipe_is_drawing(r)) {
        return wri_build_layers(b, &why) || wri_build_fail(b, b->at_handle, b->where, &why);
    }
    const char *path = wri_path_join(&b->arena, r->folder, r->raw.model);
    if (!path) {
        return wri_fail_memory(b->reader.error, strlen(r->raw.model));
    }
    return build_solid(b, path, &why) ||
           wri_build_fail(b, wri_json_find(r->root, "model"), "model", &why);
}
