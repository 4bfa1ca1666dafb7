// targets.c: one function per reader: bytes in, and everything that comes out is looked at.
//
// Two inputs are two files in one: what follows the first zero byte of an OBJ or glTF text is its
// material library or its buffer.
#include "fuzz.h"
#include "../import/import.h"
#include "../src/author/recipe.h"
#include "../src/author/sheet.h"
#include "../src/base/os.h"
#include "../src/file/hdr.h"
#include "../src/file/jpeg.h"
#include "../src/file/json.h"
#include "../src/file/png.h"

#include <stdio.h>

// A reader that fails must say why, in one line, and one that does not must not.
static void check_error(const void *result, const wr_error *error)
{
    if (!result && (error->code == WR_OK || !error->message[0])) {
        fuzz_complain("failed without a reason");
    }
    if (!result && error->code == WR_E_MEMORY) {
        fuzz_complain("took too much memory: %s", error->message);
    }
    if (result && error->code != WR_OK) {
        fuzz_complain("succeeded, but said: %s", error->message);
    }
}

static volatile uint8_t sink;

static void touch(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sink ^= ((const uint8_t *)bytes)[i];
    }
}

static void touch_text(const char *text)
{
    touch(text, strlen(text));
}

// --- models -----------------------------------------------------------------------------------

static void check_mesh(const wr_model *model, const wr_mesh *mesh)
{
    wr_mass_properties mass;
    size_t n = (size_t)mesh->vertex_count;
    touch_text(mesh->name);
    touch(mesh->positions, n * sizeof *mesh->positions);
    touch(mesh->normals, mesh->normals ? n * sizeof *mesh->normals : 0);
    touch(mesh->uvs, mesh->uvs ? n * sizeof *mesh->uvs : 0);
    touch(mesh->colors, mesh->colors ? n * sizeof *mesh->colors : 0);
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count) {
            fuzz_complain("vertex %d of %d", mesh->triangles[i], mesh->vertex_count);
        }
    }
    for (int i = 0; i < mesh->part_count; i++) {
        if (mesh->parts[i].look < -1 || mesh->parts[i].look >= model->look_count) {
            fuzz_complain("look %d of %d", mesh->parts[i].look, model->look_count);
        }
    }
    (void)wr_mesh_find_mass(mesh, 1.0, &mass, NULL);
}

static void check_model(const wr_model *model)
{
    touch_text(model->name);
    for (int i = 0; i < model->mesh_count; i++) {
        check_mesh(model, &model->meshes[i]);
    }
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        touch_text(node->name);
        if (node->parent < -1 || node->parent >= i || node->mesh < -1 ||
            node->mesh >= model->mesh_count) {
            fuzz_complain("node %d: parent %d, mesh %d", i, node->parent, node->mesh);
        }
    }
    for (int i = 0; i < model->look_count; i++) {
        touch_text(model->looks[i].name);
        if (model->looks[i].texture < -1 || model->looks[i].texture >= model->image_count) {
            fuzz_complain("texture %d of %d", model->looks[i].texture, model->image_count);
        }
    }
    for (int i = 0; i < model->image_count; i++) {
        const wr_image *image = &model->images[i];
        touch_text(image->name);
        touch(image->pixels, 4 * (size_t)image->width * (size_t)image->height);
    }
    for (int i = 0; i < model->warning_count; i++) {
        for (const char *c = model->warnings[i]; *c; c++) {
            if ((unsigned char)*c < 0x20) {
                fuzz_complain("a warning is not one line");
            }
        }
    }
}

// Skins, morphs and clips: every pose can be taken.
static void check_motion(const wr_model *model)
{
    wri_arena arena = wri_arena_create(NULL);
    size_t weights = (size_t)wr_model_weight_count(model);
    wr_mat34 *places = wri_arena_alloc(&arena, (size_t)model->node_count, sizeof *places);
    float *values = wri_arena_alloc(&arena, weights, sizeof *values);
    for (int i = -1; i < model->clip_count; i++) {
        const wr_clip *clip = i < 0 ? NULL : &model->clips[i];
        double length = clip ? wr_clip_length(clip) : 0.0;
        for (int k = 0; k < (clip ? 4 : 1); k++) {
            wr_model_pose(model, clip, length * k / 3.0, places, values);
        }
        touch_text(clip ? clip->name : "");
    }
    for (int i = 0; i < model->skin_count; i++) {
        const wr_model_skin *skin = &model->skins[i];
        size_t count = (size_t)skin->joint_count;
        wr_model_skin_matrices(skin, places, wri_arena_alloc(&arena, count, sizeof(wr_mat34)));
        touch_text(skin->name);
    }
    wri_arena_destroy(&arena);
}

typedef bool write_fn(const wr_model *model, const char *path, wr_error *error);

static bool write_obj(const wr_model *model, const char *path, wr_error *error)
{
    return wr_model_write_obj(model, NULL, path, error);
}

static bool write_ply(const wr_model *model, const char *path, wr_error *error)
{
    return wr_model_write_ply(model, model->node_count % 2, path, error);
}

// What was read can be written, and that can be read again.
static void check_writing(const wr_model *model)
{
    static const struct {
        const char *name;
        write_fn *write;
    } kinds[] = {
        {"again.glb", wr_model_write_glb}, {"again.obj", write_obj}, {"again.ply", write_ply}};
    for (int i = 0; i < WRI_COUNT(kinds); i++) {
        wr_error error = {0};
        const char *path = fuzz_path(kinds[i].name);
        if (!kinds[i].write(model, path, &error)) {
            if (!strstr(error.message, "has no finite place")) { // far away, and moved further
                fuzz_complain("cannot be written: %s", error.message);
            }
            continue;
        }
        wr_model *again = wr_model_read(path, NULL, &error);
        if (!again) {
            fuzz_complain("cannot be read again: %s", error.message);
        }
        if (i == 0 && again->node_count != model->node_count) {
            fuzz_complain("%d nodes became %d", model->node_count, again->node_count);
        }
        wr_model_destroy(again);
    }
}

static void check_cleaning(const wr_mesh *mesh)
{
    wr_error error = {0};
    wr_mesh_report report;
    wr_clean_options options = wr_clean_options_default();
    bool ok = wr_mesh_inspect(mesh, NULL, &report, &error);
    check_error(ok ? &report : NULL, &error);
    wr_model *clean = wr_mesh_clean(mesh, &options, NULL, NULL, NULL, NULL, &error);
    check_error(clean, &error);
    wr_model_destroy(clean);
}

static void read_model(const char *path)
{
    wr_error error = {0};
    wr_model *model = wr_model_read(path, NULL, &error);
    check_error(model, &error);
    if (!model) {
        return;
    }
    check_model(model);
    check_motion(model);
    wr_model *flat = wr_model_flatten(model, &error);
    check_error(flat, &error);
    int triangles = flat ? flat->meshes->triangle_count : 0;
    if (flat) {
        check_model(flat);
    }
    if (flat && triangles < 100) {
        check_cleaning(flat->meshes);
    }
    wr_model_destroy(flat);
    if (model->image_count == 0 && triangles < 1000) { // others take long
        check_writing(model);
    }
    wr_model_destroy(model);
}

// The part up to a zero byte under the first name, the rest under the second.
static void read_pair(const uint8_t *bytes, size_t size, const char *name, const char *neighbour)
{
    const uint8_t *zero = size ? memchr(bytes, 0, size) : NULL;
    size_t first = zero ? (size_t)(zero - bytes) : size;
    fuzz_put(neighbour, zero ? zero + 1 : NULL, zero ? size - first - 1 : 0);
    read_model(fuzz_put(name, bytes, first));
}

static void run_glb(const uint8_t *bytes, size_t size)
{
    read_model(fuzz_put("input.glb", bytes, size));
}

static void run_gltf(const uint8_t *bytes, size_t size)
{
    read_pair(bytes, size, "input.gltf", "input.bin");
}

static void run_obj(const uint8_t *bytes, size_t size)
{
    read_pair(bytes, size, "input.obj", "input.mtl");
}

static void run_ply(const uint8_t *bytes, size_t size)
{
    read_model(fuzz_put("input.ply", bytes, size));
}

static void run_off(const uint8_t *bytes, size_t size)
{
    read_model(fuzz_put("input.off", bytes, size));
}

// What wrought-import makes of what Assimp hands it: refused, or a file that our reader takes.
static void run_import(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    importer im = {.path = fuzz_path("input.fbx"),
                   .arena = wri_arena_create(NULL),
                   .unit = 1.0f,
                   .keep_unit = size > 0 && bytes[size - 1] % 4 == 1,
                   .keep_axes = size > 0 && bytes[size - 1] % 4 == 2,
                   .drop_normals = size > 0 && bytes[size - 1] % 4 == 3,
                   .model = wr_model_create(NULL, &error),
                   .error = &error};
    wri_array blocks = wri_array_create(NULL, sizeof(void *));
    im.scene = fuzz_assimp_scene(&blocks, bytes, size);
    uint8_t *file = NULL;
    size_t file_size = 0;
    bool ok = import_scene(&im);
    check_error(ok ? &im : NULL, &error);
    if (ok) {
        check_motion(im.model);
        ok = wri_model_pack_glb(im.model, im.path, &file, &file_size, &error);
        check_error(ok ? &im : NULL, &error);
    }
    if (ok) {
        wr_model *again = wri_gltf_read(im.path, (const char *)file, file_size, NULL, &error);
        if (!again) {
            fuzz_complain("was sent, but cannot be read: %s", error.message);
        }
        check_model(again);
        check_motion(again);
        wr_model_destroy(again);
        wri_free(NULL, file, file_size, 1);
    }
    wr_model_destroy(im.model);
    wri_arena_destroy(&im.arena);
    fuzz_assimp_free(&blocks);
}

// --- rigs -------------------------------------------------------------------------------------

static void run_medit(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    const char *path = fuzz_put("input.mesh", bytes, size);
    wr_tet_mesh *mesh = wr_tet_mesh_read(path, NULL, &error);
    check_error(mesh, &error);
    if (mesh) {
        (void)wr_tet_mesh_volume(mesh);
        touch(mesh->positions, (size_t)mesh->vertex_count * sizeof *mesh->positions);
        touch(mesh->triangles, (size_t)mesh->triangle_count * 3 * sizeof(int));
    }
    wr_tet_mesh_destroy(mesh);
    read_model(path);
}

static void run_dmat(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    wr_matrix *matrix = wr_matrix_read(fuzz_put("input.dmat", bytes, size), NULL, &error);
    check_error(matrix, &error);
    if (matrix) {
        touch(matrix->values, (size_t)matrix->rows * (size_t)matrix->columns * sizeof(double));
    }
    wr_matrix_destroy(matrix);
}

static void run_tgf(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    wr_handle_graph *graph = wr_handle_graph_read(fuzz_put("input.tgf", bytes, size), NULL, &error);
    check_error(graph, &error);
    for (int i = 0; graph && i < graph->edge_count; i++) {
        const wr_handle_edge *e = &graph->edges[i];
        touch(&graph->positions[e->from], sizeof(wr_vec3));
        touch(&graph->positions[e->to], sizeof(wr_vec3));
    }
    wr_handle_graph_destroy(graph);
}

// --- assets -----------------------------------------------------------------------------------

// What was read can be skinned, written, and read again.
static void run_asset(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    const char *path = fuzz_put("input.glb", bytes, size);
    (void)wr_asset_is_one(path);
    wr_asset *asset = wr_asset_read(path, NULL, &error);
    check_error(asset, &error);
    if (!asset) {
        return;
    }
    wr_skin_desc desc = wr_skin_desc_default();
    wr_skin *skin = wr_skin_create(&asset->rig, &desc, &error);
    check_error(skin, &error);
    wr_skin_destroy(skin);
    check_model(asset->model);
    path = fuzz_path("again.glb");
    if (!wr_asset_write(asset, path, &error)) {
        if (!strstr(error.message, "not finite")) { // the sum of two numbers that are
            fuzz_complain("cannot be written: %s", error.message);
        }
    } else {
        wr_asset *again = wr_asset_read(path, NULL, &error);
        if (!again || again->rig.vertex_count != asset->rig.vertex_count ||
            again->model->meshes->vertex_count != asset->model->meshes->vertex_count) {
            fuzz_complain("cannot be read again: %s", error.message);
        }
        wr_asset_destroy(again);
    }
    wr_asset_destroy(asset);
}

// --- pictures ---------------------------------------------------------------------------------

typedef bool decode_fn(wri_arena *arena, const void *bytes, size_t size, const char *name,
                       wr_image *out, wr_error *error);

typedef int64_t pixels_fn(const void *bytes, size_t size);

static void decode(decode_fn *fn, pixels_fn *count, const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    wr_image image = {0};
    wri_arena arena = wri_arena_create(NULL);
    bool ok = fn(&arena, bytes, size, "input", &image, &error);
    check_error(ok ? &image : NULL, &error);
    int64_t expected = count(bytes, size);
    if (ok) {
        touch(image.pixels, 4 * (size_t)image.width * (size_t)image.height);
        if (expected != (int64_t)image.width * image.height) {
            fuzz_complain("%d x %d pixels, but the header said %lld", image.width, image.height,
                          (long long)expected);
        }
    }
    wri_arena_destroy(&arena);
}

static void run_png(const uint8_t *bytes, size_t size)
{
    decode(wri_png_decode, wri_png_pixels, bytes, size);
}

static void run_hdr(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    wr_environment environment = {0};
    wri_arena arena = wri_arena_create(NULL);
    bool ok = wri_hdr_decode(&arena, bytes, size, "input", &environment, &error);
    check_error(ok ? &environment : NULL, &error);
    if (ok) {
        touch(environment.pixels, 4 * (size_t)environment.width * (size_t)environment.height);
    }
    wri_arena_destroy(&arena);
}

static void run_jpeg(const uint8_t *bytes, size_t size)
{
    decode(wri_jpeg_decode, wri_jpeg_pixels, bytes, size);
}

// --- point caches -----------------------------------------------------------------------------

static void run_cache(const char *path)
{
    wr_error error = {0};
    wr_cache *cache = wr_cache_read(path, NULL, &error);
    check_error(cache, &error);
    if (cache) {
        size_t frames = (size_t)cache->frame_count;
        touch(cache->times, frames * sizeof *cache->times);
        touch(cache->positions, frames * (size_t)cache->point_count * sizeof *cache->positions);
    }
    wr_cache_destroy(cache);
}

static void run_pc2(const uint8_t *bytes, size_t size)
{
    run_cache(fuzz_put("input.pc2", bytes, size));
}

static void run_mdd(const uint8_t *bytes, size_t size)
{
    run_cache(fuzz_put("input.mdd", bytes, size));
}

// --- JSON -------------------------------------------------------------------------------------

static void write_json(wri_json_writer *w, const wri_json *value)
{
    switch (value->type) {
    case WRI_JSON_NULL:
        wri_json_write_null(w, value->key);
        break;
    case WRI_JSON_BOOL:
        wri_json_write_bool(w, value->key, value->boolean);
        break;
    case WRI_JSON_NUMBER:
        wri_json_write_number(w, value->key, value->number);
        break;
    case WRI_JSON_STRING:
        wri_json_write_string(w, value->key, value->string);
        break;
    case WRI_JSON_ARRAY:
        wri_json_begin_array(w, value->key);
        break;
    case WRI_JSON_OBJECT:
        wri_json_begin_object(w, value->key);
        break;
    }
    for (int i = 0; i < value->count; i++) {
        write_json(w, &value->items[i]);
    }
    if (value->type == WRI_JSON_ARRAY) {
        wri_json_end_array(w);
    } else if (value->type == WRI_JSON_OBJECT) {
        wri_json_end_object(w);
    }
}

static bool same_json(const wri_json *a, const wri_json *b)
{
    bool same = a->type == b->type && a->count == b->count && !a->key == !b->key &&
                (!a->key || strcmp(a->key, b->key) == 0) && a->boolean == b->boolean &&
                a->number == b->number &&
                (a->type != WRI_JSON_STRING || strcmp(a->string, b->string) == 0);
    for (int i = 0; same && i < a->count; i++) {
        same = same_json(&a->items[i], &b->items[i]);
    }
    return same;
}

static void run_json(const uint8_t *bytes, size_t size)
{
    for (int comments = 0; comments < 2; comments++) {
        wr_error error = {0};
        wri_arena arena = wri_arena_create(NULL);
        const wri_json *root =
            wri_json_parse(&arena, (const char *)bytes, size, "input.json", comments, &error);
        check_error(root, &error);
        if (root) {
            wri_json_writer w = wri_json_writer_create(NULL, comments);
            write_json(&w, root);
            const char *text = wri_json_finish(&w);
            const wri_json *again =
                wri_json_parse(&arena, text, strlen(text), "again.json", false, &error);
            if (!again || !same_json(root, again)) {
                fuzz_complain("writing and reading changed it %s", error.message);
            }
            wri_json_writer_destroy(&w);
        }
        wri_arena_destroy(&arena);
    }
}

// --- scenes -----------------------------------------------------------------------------------

// Scenes of few bodies and steps also run for a frame.
static void run_scene(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    wr_scene *scene = wr_scene_read(fuzz_put("input.scene.json", bytes, size), NULL, &error);
    check_error(scene, &error);
    if (scene && scene->body_count <= 20 && scene->substeps <= 8 && scene->iterations <= 50) {
        wr_world_desc desc = wr_world_desc_default();
        desc.scene = scene;
        wr_world *world = wr_world_create(&desc, &error);
        check_error(world, &error);
        if (world) {
            size_t saved;
            wr_world_step_frame(world);
            touch(wr_world_frame(world)->poses,
                  sizeof(wr_pose) * (size_t)wr_world_frame(world)->body_count);
            if (!wr_world_save(world, &saved, &error)) {
                fuzz_complain("cannot be saved: %s", error.message);
            }
        }
        wr_world_destroy(world);
    }
    wr_scene_destroy(scene);
}

// Small ones are built.
static void run_recipe(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    wr_recipe *recipe = wr_recipe_read(fuzz_put("input.recipe.json", bytes, size), NULL, &error);
    check_error(recipe, &error);
    if (recipe && recipe->simulation.vertices <= 60 && recipe->handles.automatic <= 4 &&
        recipe->place_count <= 4 && recipe->example_count <= 3) {
        const wr_build_desc desc = wr_build_desc_default();
        wr_asset *asset = wr_recipe_build(recipe, &desc, NULL, &error);
        check_error(asset, &error);
        wr_asset_destroy(asset);
    }
    wr_recipe_destroy(recipe);
}

// Sheets are cut out of a small picture.
static void run_sheet(const uint8_t *bytes, size_t size)
{
    static const uint8_t pixels[4 * 16 * 16] = {255, 255, 255, 255};
    const wr_image picture = {"picture", 16, 16, pixels};
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    wri_sheet sheet;
    bool ok = wri_sheet_parse(&arena, (const char *)bytes, size, "input.json", &sheet, &error);
    check_error(ok ? &sheet : NULL, &error);
    if (ok) { // as a recipe is built
        ok = wri_sheet_check(&sheet, &picture, &error) &&
             wri_sheet_drop_empty(&sheet, &picture, &error) &&
             wri_sheet_begin_with(&arena, &sheet, sheet.cell_count - 1, &error);
        check_error(ok ? &sheet : NULL, &error);
    }
    ok = ok && sheet.width * sheet.height <= 1 << 20;
    for (int i = 0; ok && i < sheet.cell_count; i++) {
        size_t count = 4 * (size_t)sheet.width * (size_t)sheet.height;
        uint8_t *cut = wri_alloc(NULL, count, 1);
        touch_text(sheet.cells[i].name);
        wri_sheet_cut(&sheet, &picture, i, cut);
        touch(cut, count);
        wri_free(NULL, cut, count, 1);
    }
    wri_arena_destroy(&arena);
}

// --- recordings -------------------------------------------------------------------------------

static void check_surface(const wr_record_surface *s)
{
    touch_text(s->name);
    touch(s->positions, sizeof *s->positions * (size_t)s->vertex_count);
    touch(s->uvs, s->uvs ? sizeof *s->uvs * (size_t)s->vertex_count : 0);
    touch(s->looks, s->looks ? sizeof *s->looks * (size_t)s->triangle_count : 0);
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        if (s->triangles[i] < 0 || s->triangles[i] >= s->vertex_count) {
            fuzz_complain("a surface with a triangle of vertex %d", s->triangles[i]);
        }
    }
}

static void check_particles(const wr_record_particles *p)
{
    touch(p->positions, sizeof *p->positions * (size_t)p->count);
    touch(p->radii, p->radii ? sizeof *p->radii * (size_t)p->count : 0);
    for (int i = 1; p->ids && i < p->count; i++) {
        if (p->ids[i] <= p->ids[i - 1]) {
            fuzz_complain("particles with ids that do not ascend");
        }
    }
}

static void touch_frame(const wr_frame *frame)
{
    for (int i = 0; i < frame->surface_count; i++) {
        check_surface(&frame->surfaces[i]);
    }
    for (int i = 0; i < frame->particles_count; i++) {
        check_particles(&frame->particles[i]);
    }
    touch(frame->poses, sizeof *frame->poses * (size_t)frame->body_count);
    touch(frame->contacts, sizeof *frame->contacts * (size_t)frame->contact_count);
    for (int i = 0; i < frame->points_count; i++) {
        const wr_record_points *p = &frame->points[i];
        touch(p->positions, sizeof *p->positions * (size_t)p->count);
    }
    for (int i = 0; i < frame->weights_count; i++) {
        const wr_record_weights *w = &frame->weights[i];
        touch(w->vertices, sizeof *w->vertices * (size_t)w->entry_count);
        touch(w->examples, sizeof *w->examples * (size_t)w->entry_count);
        touch(w->weights, sizeof *w->weights * (size_t)w->entry_count);
    }
    for (int i = 0; i < frame->event_count; i++) {
        if (frame->events[i].kind == WR_EVENT_BORN) {
            touch_text(frame->events[i].born.name);
            touch_text(frame->events[i].born.material);
        }
    }
}

// The shapes of all bodies; those that fail say why.
static void check_shapes(wr_record_reader *reader, wr_reskin *reskin, const wr_frame *frame)
{
    int count;
    const wr_record_body *bodies = wr_record_bodies(reader, &count);
    for (int i = 0; i < frame->body_count && i < count; i++) {
        wr_error error = {0};
        wr_record_shape shape;
        bool ok = wr_reskin_find(reskin, frame, i, &bodies[i], true, &shape, &error);
        check_error(ok ? reader : NULL, &error);
        if (ok && shape.positions) {
            const wr_mesh *mesh = wr_record_about(reader)->models[bodies[i].model]->meshes;
            size_t size = sizeof(wr_vec3) * (size_t)mesh->vertex_count;
            touch(shape.positions, size);
            touch(shape.normals, shape.normals ? size : 0);
        }
    }
}

static void read_frames(wr_record_reader *reader)
{
    wr_error why = {0};
    wr_reskin *reskin = wr_reskin_create(wr_record_about(reader), &why);
    check_error(reskin, &why);
    int count = wr_record_frame_count(reader), most = count < 200 ? count : 200;
    for (int i = 0; i < most + 8; i++) { // forwards, then some in another order
        wr_error error = {0};
        int index = i < most ? i : (most - 1) * 5 / (i - most + 1);
        const wr_frame *frame = wr_record_read_frame(reader, index, &error);
        check_error(frame, &error);
        if (frame) {
            touch_frame(frame);
        }
        if (frame && reskin && i < 20) {
            check_shapes(reader, reskin, frame);
        }
    }
    wr_reskin_destroy(reskin);
}

// A recording that was opened and is resumed can be opened again.
static void resume(const char *path, const wr_record_info *info)
{
    int frame;
    const void *snapshot;
    size_t size;
    wr_error error = {0};
    wr_record_writer *writer = wr_record_resume(path, info, &frame, &snapshot, &size, &error);
    check_error(writer, &error);
    if (!writer) {
        return;
    }
    touch(snapshot, snapshot ? size : 0);
    (void)wr_record_finish(writer, false, NULL);
    wr_record_writer_destroy(writer);
    wr_record_reader *again = wr_record_open(path, &error);
    if (!again) {
        fuzz_complain("resumed, but cannot be opened: %s", error.message);
    }
    wr_record_close(again);
}

static void run_recording(const uint8_t *bytes, size_t size)
{
    wr_error error = {0};
    const char *path = fuzz_put("input.wrought", bytes, size);
    wr_record_reader *reader = wr_record_open(path, &error);
    check_error(reader, &error);
    if (!reader) {
        return;
    }
    const wr_record_info *info = wr_record_about(reader);
    for (int i = 0; i < info->model_count; i++) {
        check_model(info->models[i]);
    }
    for (int i = 0; i < info->body_count; i++) {
        touch_text(info->bodies[i].name);
    }
    read_frames(reader);
    resume(path, info);
    (void)wr_record_refresh(reader, NULL);
    wr_record_close(reader);
}

// --- snapshots --------------------------------------------------------------------------------

static void run_snapshot(const uint8_t *bytes, size_t size)
{
    static wr_scene *scene; // stays
    if (!scene) {
        scene = fuzz_scene_create();
    }
    wr_error error = {0};
    wr_world *world = fuzz_world_create(scene);
    bool ok = wr_world_restore(world, bytes, size, &error);
    check_error(ok ? world : NULL, &error);
    if (ok) {
        wr_world_step_frame(world);
        const wr_frame *frame = wr_world_frame(world);
        for (int i = 0; i < frame->body_count; i++) {
            if (!wr_is_finite3(frame->poses[i].position)) {
                fuzz_complain("body %d is not finite", i);
            }
        }
        if (!wr_world_save(world, &size, &error)) {
            fuzz_complain("cannot be saved: %s", error.message);
        }
    }
    wr_world_destroy(world);
}

// --- the table --------------------------------------------------------------------------------

const fuzz_target fuzz_targets[] = {
    {"json", run_json, NULL},
    {"scene", run_scene, NULL},
    {"recipe", run_recipe, NULL},
    {"sheet", run_sheet, NULL},
    {"glb", run_glb, fuzz_repair_glb},
    {"gltf", run_gltf, NULL},
    {"obj", run_obj, NULL},
    {"ply", run_ply, NULL},
    {"off", run_off, NULL},
    {"medit", run_medit, NULL},
    {"dmat", run_dmat, NULL},
    {"tgf", run_tgf, NULL},
    {"asset", run_asset, fuzz_repair_glb},
    {"pc2", run_pc2, NULL},
    {"mdd", run_mdd, NULL},
    {"png", run_png, fuzz_repair_png},
    {"jpeg", run_jpeg, NULL},
    {"hdr", run_hdr, NULL},
    {"recording", run_recording, fuzz_repair_recording},
    {"snapshot", run_snapshot, fuzz_repair_snapshot},
    {"import", run_import, NULL},
};
const int fuzz_target_count = WRI_COUNT(fuzz_targets);
