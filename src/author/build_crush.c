// build_crush.c: an example that is pressed when the recipe is built.
#include "build.h"

#include "wrought/crush.h"

// Every key that was said, over what the place stands for.
static void set_desc(const wri_builder *b, const wri_recipe_example *example, wr_crush_desc *desc)
{
    const raw_crush *raw = &example->crush;
    const wri_json *json = example->raw.crush;
    desc->mesh = b->asset->model->meshes;
    wr_crush_desc_set_place(desc, (wr_crush_place)raw->place, wr_mesh_bounds(desc->mesh));
    if (raw->shape >= 0) {
        desc->shape = (wr_crush_shape)raw->shape;
    }
    if (wri_json_find(json, "direction")) {
        desc->direction = raw->direction;
    }
    desc->axis = raw->axis;
    desc->at = raw->at;
    desc->has_at = wri_json_find(json, "at") != NULL;
    desc->depth = raw->depth >= 0.0 ? raw->depth : desc->depth;
    desc->size = raw->size >= 0.0 ? raw->size : desc->size;
    desc->cell = raw->cell >= 0.0 ? raw->cell : desc->cell;
    desc->hold = raw->hold >= 0.0 ? raw->hold : desc->hold;
}

static bool find_rigid(wri_builder *b, const raw_crush *raw, wr_crush_desc *desc, wr_error *why)
{
    int count = raw->rigid ? raw->rigid->count : 0;
    if (count == 0) {
        return true;
    }
    const char **words = wri_arena_alloc(&b->arena, (size_t)count, sizeof *words);
    int *rigid = wri_arena_alloc(&b->arena, (size_t)desc->mesh->vertex_count, sizeof *rigid);
    if (!words || !rigid) {
        return wri_fail_memory(why, (size_t)desc->mesh->vertex_count * sizeof *rigid);
    }
    for (int i = 0; i < count; i++) {
        words[i] = raw->rigid->items[i].string;
    }
    desc->rigid = rigid;
    return wr_crush_find_rigid(b->source, desc->mesh, words, count, rigid, why);
}

static void report(void *user, const char *stage, double done)
{
    wri_builder *b = user;
    wri_build_progress(b, stage, b->example_start + done * b->example_share);
}

bool wri_build_crush(wri_builder *b, const wri_recipe_example *example, wr_vec3 *shape,
                     wr_error *why)
{
    wr_crush_desc desc = wr_crush_desc_default();
    wr_model *read = NULL, *tool = NULL;
    set_desc(b, example, &desc);
    desc.allocator = b->desc.allocator;
    desc.progress = (wr_progress){report, b};
    if (example->crush.tool) {
        const wr_read_options options = wri_recipe_read_options(b->recipe);
        const char *path = wri_recipe_file(b->recipe, &b->arena, example->crush.tool);
        read = path ? wr_model_read(path, &options, why) : NULL;
        tool = read ? wr_model_flatten(read, why) : NULL;
        desc.shape = WR_CRUSH_MESH;
        desc.tool = tool ? tool->meshes : NULL;
    }
    bool ok = (tool || !example->crush.tool) && find_rigid(b, &example->crush, &desc, why) &&
              wr_crush(&desc, shape, NULL, why);
    wr_model_destroy(tool);
    wr_model_destroy(read);
    return ok;
}
