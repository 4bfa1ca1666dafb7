// build_crush.c: examples that are pressed when the recipe is built, all of them at once: they know
// nothing of each other, so every thread takes one.
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
    if (raw->depth >= 0.0) { // the artist's own, whatever crosses
        desc->depth = raw->depth;
        desc->crossing = 1.0;
    }
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

struct wri_press {
    bool is_ready, is_done;
    wr_crush_desc desc;
    wr_model *tool;
    wr_vec3 *shape;
    wri_crush_end end;
    double done; // of this one
    struct pressing *all;
    wr_error why;
};

typedef struct pressing {
    wri_builder *b;
    wri_press *presses; // one per example of the recipe
    double done;        // by the thread that began, of all that it did, in presses
    double share;       // of the whole work that a press is, when every thread does as much
} pressing;

// Only the thread that began may tell how far it is.
static _Thread_local const pressing *telling;

static void report(void *user, const char *stage, double done)
{
    wri_press *press = user;
    pressing *all = press->all;
    if (telling == all) {
        all->done += done - press->done;
        press->done = done;
        wri_build_progress(all->b, stage, all->b->example_start + all->share * all->done);
    }
}

static bool read_tool(wri_builder *b, const wri_recipe_example *example, wri_press *press)
{
    const wr_read_options options = wri_recipe_read_options(b->recipe);
    const char *path = wri_recipe_file(b->recipe, &b->arena, example->crush.tool);
    wr_model *read = path ? wr_model_read(path, &options, &press->why) : NULL;
    press->tool = read ? wr_model_flatten(read, &press->why) : NULL;
    wr_model_destroy(read);
    press->desc.shape = WR_CRUSH_MESH;
    press->desc.tool = press->tool ? press->tool->meshes : NULL;
    return press->tool || (!path && wri_fail_memory(&press->why, 1));
}

static void prepare(wri_builder *b, const wri_recipe_example *example, wri_press *press)
{
    wr_crush_desc *desc = &press->desc;
    *desc = wr_crush_desc_default();
    set_desc(b, example, desc);
    desc->allocator = b->desc.allocator;
    desc->progress = (wr_progress){report, press};
    size_t vertices = (size_t)desc->mesh->vertex_count;
    press->shape = wri_arena_alloc(&b->arena, vertices, sizeof *press->shape);
    press->is_ready = (press->shape || wri_fail_memory(&press->why, vertices)) &&
                      (!example->crush.tool || read_tool(b, example, press)) &&
                      find_rigid(b, &example->crush, desc, &press->why);
}

static void press_block(void *context, int block, int begin, int end)
{
    const pressing *all = context;
    (void)block;
    for (int i = begin; i < end; i++) {
        wri_press *press = &all->presses[i];
        press->is_done = press->is_ready && wri_memo_crush(&all->b->memo, &press->desc,
                                                           press->shape, &press->end, &press->why);
    }
}

static bool press_all(wri_builder *b, wr_error *why)
{
    const wr_recipe *r = b->recipe;
    size_t count = (size_t)r->example_count;
    pressing all = {.b = b, .share = b->example_share};
    all.presses = b->presses = wri_arena_alloc(&b->arena, count, sizeof *b->presses);
    if (!b->presses) {
        return wri_fail_memory(why, count * sizeof *b->presses);
    }
    int workers = b->desc.tasks.worker_count, waiting = 0;
    for (int i = 0; i < r->example_count; i++) {
        b->presses[i].all = &all;
        if (r->examples[i].raw.crush) {
            prepare(b, &r->examples[i], &b->presses[i]);
            waiting++;
        }
    }
    all.share *= workers < 2 ? 1 : workers < waiting ? workers : waiting;
    telling = &all;
    wri_parallel_for(&b->desc.tasks, r->example_count, 1, press_block, &all);
    telling = NULL;
    b->example_start += b->example_share * waiting;
    for (int i = 0; i < r->example_count; i++) {
        wr_model_destroy(b->presses[i].tool);
    }
    return true;
}

// Says when a press ended before its depth, and when too many triangles cross.
static bool tell_end(wri_builder *b, const char *name, const wri_press *press)
{
    const double most = wr_crush_desc_default().crossing;
    const wri_crush_end *end = &press->end;
    char went[32], meant[32];
    if (end->crossing_share > most && end->depth < press->desc.depth) {
        return wri_build_warn(b,
                              "example \"%s\": %s %% of its triangles cross others, pressed by "
                              "%s of %s, and more at every other depth",
                              name, WRI_NUMBER(100.0 * end->crossing_share, 2),
                              wri_length_text(went, end->depth),
                              wri_length_text(meant, press->desc.depth));
    }
    if (end->crossing_share > most) {
        return wri_build_warn(
            b, "example \"%s\": %s %% of its triangles cross others; less \"depth\"%s", name,
            WRI_NUMBER(100.0 * end->crossing_share, 2),
            press->desc.crossing > most ? ", or none, keeps them apart" : " keeps them apart");
    }
    return end->depth >= press->desc.depth ||
           wri_build_warn(b,
                          "example \"%s\": pressed by %s of %s; deeper, more than %s %% of its "
                          "triangles would cross others, which \"depth\" allows",
                          name, wri_length_text(went, end->depth),
                          wri_length_text(meant, press->desc.depth), WRI_NUMBER(100.0 * most, 6));
}

bool wri_build_crush(wri_builder *b, const wri_recipe_example *example, wr_vec3 **shape,
                     wr_error *why)
{
    if (!b->presses && !press_all(b, why)) {
        return false;
    }
    const wri_press *press = &b->presses[example - b->recipe->examples];
    *shape = press->shape;
    if (!press->is_done && why) {
        *why = press->why;
    }
    return press->is_done && (tell_end(b, example->raw.name, press) || wri_fail_memory(why, 1));
}
