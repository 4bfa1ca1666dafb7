// test_recipe.c: recipes are read as the reference says and become assets; every mistake is one
// sentence with its place.
#include "check.h"

#include "../src/base/os.h"
#include "../src/file/json.h"

#include "wrought/recipe.h"
#include "wrought/scene.h"

static temporary_folder folder;

static char *in_folder(char out[600], const char *name)
{
    snprintf(out, 600, "%s/%s", folder.path, name);
    return out;
}

static void write_text(const char *name, const char *text)
{
    char path[600];
    wr_error error = {0};
    if (!wri_file_write(in_folder(path, name), text, strlen(text), &error)) {
        fail_msg("%s", error.message);
    }
}

// Recipes in this file are written with ' instead of ".
static wr_recipe *read_text(const char *text, wr_error *error)
{
    char path[600], json[8192];
    assert_true(strlen(text) < sizeof json);
    strcpy(json, text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    write_text("box.recipe.json", json);
    return wr_recipe_read(in_folder(path, "box.recipe.json"), NULL, error);
}

static wr_asset *build(const char *text, wr_build_report *report, wr_error *error)
{
    wr_recipe *recipe = read_text(text, error);
    wr_build_desc desc = wr_build_desc_default();
    wr_asset *asset = recipe ? wr_recipe_build(recipe, &desc, report, error) : NULL;
    wr_recipe_destroy(recipe);
    return asset;
}

static wr_asset *build_sound(const char *text, wr_build_report *report)
{
    wr_error error = {0};
    wr_asset *asset = build(text, report, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    return asset;
}

// --- models -----------------------------------------------------------------------------------

// A box 2 x 1 x 1 of small squares, so that sculpts can bend it.
enum { ALONG = 12, ACROSS = 6 };

static void add_side(wr_mesh *mesh, wr_vec3 corner, wr_vec3 u, wr_vec3 v, int nu, int nv)
{
    int first = mesh->vertex_count;
    for (int j = 0; j <= nv; j++) {
        for (int i = 0; i <= nu; i++) {
            wr_vec3 p = wr_add_scaled(corner, (float)i / (float)nu, u);
            mesh->positions[mesh->vertex_count++] = wr_add_scaled(p, (float)j / (float)nv, v);
        }
    }
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nu; i++) {
            int a = first + j * (nu + 1) + i, *t = &mesh->triangles[3 * mesh->triangle_count];
            const int corners[6] = {a, a + 1, a + nu + 2, a, a + nu + 2, a + nu + 1};
            memcpy(t, corners, sizeof corners);
            mesh->triangle_count += 2;
        }
    }
}

// A dent in the top, with a fold: as sharp as the render mesh is.
static wr_vec3 dent(wr_vec3 p)
{
    float r = sqrtf(p.x * p.x + p.z * p.z), depth = 0.3f * (1.0f - r / 0.6f);
    return wr_v3(0, p.y > 0.0f && depth > 0.0f ? -depth * (0.5f + p.y) : 0.0f, 0);
}

static wr_model *make_box(void)
{
    wr_error error = {0};
    wr_model *m = wr_model_create(NULL, &error);
    assert_non_null(m);
    wr_mesh *mesh = m->meshes = wr_model_alloc(m, 1, sizeof *mesh);
    mesh->name = "box";
    mesh->positions = wr_model_alloc(m, 2000, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(m, 4000, 3 * sizeof(int));
    wr_vec3 x = wr_v3(2, 0, 0), y = wr_v3(0, 1, 0), z = wr_v3(0, 0, 1);
    wr_vec3 o = wr_v3(-1, -0.5f, -0.5f);
    add_side(mesh, wr_add(o, z), x, y, ALONG, ACROSS);
    add_side(mesh, o, y, x, ACROSS, ALONG);
    add_side(mesh, wr_add(o, y), z, x, ACROSS, ALONG);
    add_side(mesh, o, x, z, ALONG, ACROSS);
    add_side(mesh, wr_add(o, x), y, z, ACROSS, ACROSS);
    add_side(mesh, o, z, y, ACROSS, ACROSS);
    mesh->colors = wr_model_alloc(m, (size_t)mesh->vertex_count, sizeof(wr_color));
    wr_morph *morph = mesh->morphs = wr_model_alloc(m, 1, sizeof *morph);
    morph->name = "dent";
    morph->positions = wr_model_alloc(m, (size_t)mesh->vertex_count, sizeof(wr_vec3));
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 p = mesh->positions[i];
        mesh->colors[i] = (wr_color){0.5f * (p.x + 1.0f), 0, 0, 1};
        morph->positions[i] = dent(p);
    }
    mesh->morph_count = 1;
    m->nodes = wr_model_alloc(m, 1, sizeof *m->nodes);
    *m->nodes = (wr_node){.name = "box", .parent = -1, .skin = -1, .scale = {1, 1, 1}};
    m->nodes->pose.rotation = WR_QUAT_IDENTITY;
    m->name = "box";
    m->mesh_count = m->node_count = 1;
    return m;
}

// The box on two joints.
static void add_joints(wr_model *m)
{
    wr_mesh *mesh = m->meshes;
    size_t n = (size_t)mesh->vertex_count;
    mesh->morph_count = 0;
    mesh->influence_count = 1;
    mesh->joints = wr_model_alloc(m, n, sizeof(int));
    mesh->weights = wr_model_alloc(m, n, sizeof(float));
    for (size_t i = 0; i < n; i++) {
        mesh->joints[i] = mesh->positions[i].x > 0.0f;
        mesh->weights[i] = 1.0f;
    }
    const wr_node box = m->nodes[0];
    m->nodes = wr_model_alloc(m, 3, sizeof *m->nodes);
    for (int i = 0; i < 3; i++) {
        m->nodes[i] = box;
        m->nodes[i].mesh = i == 0 ? 0 : -1;
        m->nodes[i].skin = i == 0 ? 0 : -1;
        m->nodes[i].parent = i - 1 - (i == 1);
    }
    m->nodes[1].name = "left";
    m->nodes[2].name = "right";
    m->nodes[2].pose = (wr_pose){{0.1f, 0.2f, 0}, wr_quat_from_axis_angle(wr_v3(1, 2, 3), 1)};
    m->node_count = 3;
    wr_model_skin *skin = m->skins = wr_model_alloc(m, 1, sizeof *skin);
    *skin = (wr_model_skin){"", 2, wr_model_alloc(m, 2, sizeof(int)),
                            wr_model_alloc(m, 2, sizeof(wr_mat34))};
    skin->joints[0] = 1, skin->joints[1] = 2;
    skin->inverse_bind[0] = WR_MAT34_IDENTITY;
    skin->inverse_bind[1] = WR_MAT34_IDENTITY;
    for (int r = 0; r < 3; r++) { // bound as it is at rest
        wr_vec3 row = wr_rotate(m->nodes[2].pose.rotation, wr_v3(r == 0, r == 1, r == 2));
        skin->inverse_bind[1].m[r][0] = row.x;
        skin->inverse_bind[1].m[r][1] = row.y;
        skin->inverse_bind[1].m[r][2] = row.z;
        skin->inverse_bind[1].m[r][3] = -wr_dot(row, m->nodes[2].pose.position);
    }
    m->skin_count = 1;
}

// Four that turn the second joint; one has no name, one that of another.
static void add_clips(wr_model *m)
{
    static const char *const names[] = {"nod", "shake", "", "nod"};
    enum { CLIPS = 4, KEYS = 3 };
    m->clip_count = CLIPS;
    m->clips = wr_model_alloc(m, CLIPS, sizeof *m->clips);
    for (int i = 0; i < CLIPS; i++) {
        wr_track *track = wr_model_alloc(m, 1, sizeof *track);
        *track = (wr_track){2,
                            WR_CHANNEL_ROTATION,
                            WR_INTERPOLATION_LINEAR,
                            KEYS,
                            wr_model_alloc(m, KEYS, sizeof(float)),
                            wr_model_alloc(m, KEYS, 4 * sizeof(float))};
        for (int k = 0; k < KEYS; k++) {
            wr_quat turn = wr_quat_from_axis_angle(wr_v3(k == 1, 0.3f, i == 1), 0.5f * (float)k);
            turn = wr_quat_multiply(m->nodes[2].pose.rotation, turn);
            track->times[k] = 0.4f * (float)(k * (i + 1));
            memcpy(track->values + 4 * k, &turn, sizeof turn);
        }
        m->clips[i] = (wr_clip){names[i], 1, track};
    }
}

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    setenv("XDG_CACHE_HOME", folder.path, 1);
    char path[600];
    wr_error error = {0};
    wr_model *box = make_box();
    bool ok = wr_model_write_glb(box, in_folder(path, "box.glb"), &error);
    for (int i = 0; i < box->meshes->vertex_count; i++) {
        wr_vec3 *p = &box->meshes->positions[i];
        *p = wr_add(*p, dent(*p));
    }
    box->meshes->morph_count = 0;
    ok = ok && wr_model_write_glb(box, in_folder(path, "sculpt.glb"), &error);
    box->meshes->triangle_count = 100;
    ok = ok && wr_model_write_glb(box, in_folder(path, "other.glb"), &error);
    wr_model_destroy(box);
    box = make_box();
    add_joints(box);
    add_clips(box);
    ok = ok && wr_model_write_glb(box, in_folder(path, "jointed.glb"), &error);
    wr_model_destroy(box);
    if (!ok) {
        fail_msg("%s", error.message);
    }
    write_text("notes.txt", "nothing");
    uint8_t pixels[64 * 64 * 4] = {0};
    for (int i = 0; i < 64 * 64; i++) {
        int x = i % 64 - 32, y = i / 64 - 32;
        pixels[4 * i + 3] = x * x + y * y < 900 ? 255 : 0;
    }
    return wr_png_write(in_folder(path, "disc.png"), pixels, 64, 64, 4, &error) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// --- what comes out ---------------------------------------------------------------------------

#define BOX "'wrought': 1, 'model': 'box.glb', 'simulation': {'vertices': 300}"
#define HANDLES "'handles': {'automatic': 6, 'place': [{'name': 'top', 'at': [0, 0.5, 0]}]}"

static const wr_example *find_example(const wr_asset *asset, const char *name)
{
    for (int i = 0; i < asset->rig.example_count; i++) {
        if (strcmp(asset->rig.examples[i].name, name) == 0) {
            return &asset->rig.examples[i];
        }
    }
    fail_msg("no example %s", name);
    return NULL;
}

// The render mesh with one example at a weight everywhere.
static void show(const wr_asset *asset, int example, float weight, wr_vec3 *out)
{
    const wr_rig *rig = &asset->rig;
    const wr_skin_desc desc = wr_skin_desc_default();
    wr_error error = {0};
    wr_skin *skin = wr_skin_create(rig, &desc, &error);
    assert_non_null(skin);
    size_t n = (size_t)rig->vertex_count, examples = (size_t)rig->example_count;
    float *E = calloc(n * examples, sizeof *E);
    wr_vec3 *x = calloc(n, sizeof *x);
    assert_true(E && x);
    for (size_t i = 0; i < n; i++) {
        E[i * examples] = 1.0f - weight;
        E[i * examples + (size_t)example] += weight;
    }
    wr_skin_positions(skin, E, NULL, 0, NULL, x);
    wr_skin_ride_positions(skin, E, x, NULL, 0, NULL, out);
    free(E);
    free(x);
    wr_skin_destroy(skin);
}

static void a_recipe_becomes_an_asset(void **state)
{
    (void)state;
    wr_build_report report;
    wr_asset *asset = build_sound(
        "{" BOX ", 'name': 'crate', " HANDLES ", 'examples': ["
        "{'name': 'pressed', 'move': {'top': [0, -0.2, 0]}},"
        "{'name': 'wrung', 'turn': {'top': {'axis': [0, 1, 0], 'by': 40}}, 'follow': true}],"
        "'material': {'metal': 'thin steel'},"
        "'cuts': [{'plane': {'normal': [0, 2, 0], 'at': [0, 0.1, 0]}, 'strength': 1.5}]}",
        &report);
    const wr_rig *rig = &asset->rig;
    assert_string_equal(asset->name, "crate");
    assert_string_equal(asset->material, "{\"metal\":\"thin steel\"}");
    assert_int_equal(asset->fracture.fragment_count, 2);
    int origins = 0; // of the uncut mesh
    for (int i = 0; i < rig->vertex_count; i++) {
        origins = asset->fracture.origins[i] >= origins ? asset->fracture.origins[i] + 1 : origins;
    }
    assert_true(origins >= 270 && origins <= 330 && rig->vertex_count > origins);
    assert_int_equal(rig->handle_count, 7);
    assert_string_equal(rig->handles[0].name, "top");
    assert_string_equal(rig->handles[1].name, "h0");
    CHECK_NEAR(wr_distance(rig->handles[0].pivot, wr_v3(0, 0.5f, 0)), 0.0, 1e-6);
    CHECK_NEAR(wr_distance(rig->rest[rig->handles[0].vertex], wr_v3(0, 0.5f, 0)), 0.0, 1e-6);
    assert_int_equal(rig->ride_count, asset->model->meshes->vertex_count);
    assert_int_equal(rig->example_count, 3);
    assert_int_equal(asset->cut_count, 1);
    CHECK_NEAR(asset->cuts[0].normal.y, 1.0, 1e-6);
    CHECK_NEAR(asset->cuts[0].strength, 1.5, 0.0);
    const wr_example *pressed = find_example(asset, "pressed");
    CHECK_NEAR(pressed->poses[0].offset.y, -0.2, 1e-6);
    CHECK_NEAR(wr_length(pressed->poses[1].offset), 0.0, 1e-6); // others stay
    wr_quat q = find_example(asset, "wrung")->poses[0].rotation;
    CHECK_NEAR(fabsf(q.y), sin(20.0 * 3.14159265 / 180.0), 1e-5);
    assert_int_equal(report.example_count, 2);
    CHECK_NEAR(report.examples[0].largest_move, 0.2, 0.05);
    wr_build_report_clear(&report);
    wr_asset_destroy(asset);
}

// 1e-5 of the size, at weight 1; half of the way at a half.
static void check_dent(const wr_asset *asset, int example)
{
    const wr_mesh *mesh = asset->model->meshes;
    wr_vec3 *full = calloc((size_t)mesh->vertex_count, sizeof *full);
    wr_vec3 *half = calloc((size_t)mesh->vertex_count, sizeof *half);
    assert_true(full && half);
    show(asset, example, 1.0f, full);
    show(asset, example, 0.5f, half);
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 p = mesh->positions[i], goal = wr_add(p, dent(p));
        CHECK_NEAR(wr_distance(full[i], goal), 0.0, 2.5e-5);
        CHECK_NEAR(wr_distance(half[i], wr_add_scaled(p, 0.5f, dent(p))), 0.0, 0.03);
    }
    free(full);
    free(half);
}

static void sculpts_and_morph_targets_come_out_exactly(void **state)
{
    (void)state;
    wr_build_report report;
    wr_asset *asset =
        build_sound("{" BOX ", " HANDLES ", 'examples': [{'name': 'a', 'morph': 'dent'},"
                    "{'name': 'b', 'sculpt': 'sculpt.glb'}]}",
                    &report);
    check_dent(asset, 1);
    check_dent(asset, 2);
    assert_true(report.examples[0].handle_error > report.examples[0].detail_error);
    wr_build_report_clear(&report);
    wr_asset_destroy(asset);
}

static void paint_goes_from_the_surface_inwards(void **state)
{
    (void)state;
    wr_asset *asset = build_sound(
        "{" BOX ", 'paint': {'strength': {'vertex_color': 'red', 'from': 1, 'to': 3}}}", NULL);
    const float *map = asset->maps[WR_MAP_STRENGTH];
    assert_non_null(map);
    assert_null(asset->maps[WR_MAP_YIELD]);
    for (int i = 0; i < asset->rig.vertex_count; i++) {
        double expected = 2.0 + (double)asset->rig.rest[i].x; // 1 at x = -1, 3 at x = 1
        CHECK_NEAR(map[i], expected < 1 ? 1 : expected > 3 ? 3 : expected, 0.35);
    }
    wr_asset_destroy(asset);
}

static void a_picture_becomes_a_flat_asset(void **state)
{
    (void)state;
    wr_asset *asset = build_sound("{'wrought': 1, 'model': 'disc.png', 'simulation': {'vertices': "
                                  "100}, 'handles': {'automatic': 4}, 'examples': [{'name': 'up', "
                                  "'move': {'h0': [0, 0.1, 0]}}]}",
                                  NULL);
    assert_int_equal(asset->rig.dimension, 2);
    assert_int_equal(asset->model->image_count, 1);
    assert_int_equal(asset->rig.ride_count, asset->model->meshes->vertex_count);
    assert_int_equal(asset->rig.handle_count, 4);
    wr_asset_destroy(asset);
}

static bool same_poses(const wr_asset *a, const wr_asset *b)
{
    size_t weights = (size_t)a->rig.vertex_count * (size_t)a->rig.handle_count;
    return a->rig.vertex_count == b->rig.vertex_count &&
           memcmp(a->rig.weights, b->rig.weights, weights * sizeof(float)) == 0 &&
           memcmp(a->rig.examples[1].poses, b->rig.examples[1].poses,
                  (size_t)a->rig.handle_count * sizeof(wr_handle_pose)) == 0;
}

static void building_again_comes_out_of_the_cache_and_changes_do_not(void **state)
{
    (void)state;
    const char *text = "{" BOX ", " HANDLES ", 'examples': [{'name': 'a', 'morph': 'dent'}]}";
    wr_error error = {0};
    wr_build_report report;
    wr_build_desc desc = wr_build_desc_default();
    wr_recipe *recipe = read_text(text, &error);
    assert_non_null(recipe);
    wr_asset *first = wr_recipe_build_cached(recipe, &desc, false, &report, &error);
    assert_non_null(first);
    assert_false(report.from_cache);
    wr_build_report_clear(&report);
    wr_asset *second = wr_recipe_build_cached(recipe, &desc, false, &report, &error);
    assert_non_null(second);
    assert_true(report.from_cache);
    wr_build_report_clear(&report);
    assert_true(same_poses(first, second));
    wr_tasks tasks = wr_tasks_openmp(2);
    desc.tasks = tasks;
    wr_asset *third = wr_recipe_build(recipe, &desc, NULL, &error);
    assert_non_null(third);
    assert_true(same_poses(first, third));
    wr_recipe_destroy(recipe);
    recipe = read_text("{" BOX ", " HANDLES ", 'examples': [{'name': 'a', 'morph': 'dent', "
                       "'amount': 0.9}]}",
                       &error);
    wr_asset *changed = wr_recipe_build_cached(recipe, &desc, false, &report, &error);
    assert_non_null(changed);
    assert_false(report.from_cache);
    assert_true(changed->recipe_hash != first->recipe_hash);
    wr_build_report_clear(&report);
    wr_asset_destroy(first);
    wr_asset_destroy(second);
    wr_asset_destroy(third);
    wr_asset_destroy(changed);
    wr_recipe_destroy(recipe);
}

static void a_graph_holds_a_picture(void **state)
{
    (void)state;
    write_text("bone.tgf", "1 0.2 0.3 0\n2 0.45 0.3 0\n#\n1 2 1 0 0\n#\n");
    wr_asset *asset = build_sound("{'wrought': 1, 'model': 'disc.png', 'simulation': {'vertices': "
                                  "100}, 'handles': {'graph': 'bone.tgf'}}",
                                  NULL);
    assert_int_equal(asset->rig.handle_count, 1);
    wr_asset_destroy(asset);
}

// Flips one bit of the only asset in the cache.
static void damage_cache(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/wrought", folder.path);
    DIR *listing = opendir(path);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".glb") == 0) {
            snprintf(path, sizeof path, "%s/wrought/%s", folder.path, entry->d_name);
            FILE *file = fopen(path, "r+b");
            assert_non_null(file);
            fseek(file, 3000, SEEK_SET);
            int c = fgetc(file);
            fseek(file, 3000, SEEK_SET);
            fputc(c ^ 4, file);
            fclose(file);
        }
    }
    closedir(listing);
}

static void a_damaged_cache_is_not_believed(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_build_report report;
    const wr_build_desc desc = wr_build_desc_default();
    wr_recipe *recipe = read_text("{" BOX ", 'handles': {'automatic': 3}}", &error);
    assert_non_null(recipe);
    for (int i = 0; i < 3; i++) {
        wr_asset *asset = wr_recipe_build_cached(recipe, &desc, false, &report, &error);
        assert_non_null(asset);
        assert_true(report.from_cache == (i == 1));
        wr_build_report_clear(&report);
        wr_asset_destroy(asset);
        if (i == 1) {
            damage_cache();
        }
    }
    wr_recipe_destroy(recipe);
}

static void the_name_of_the_file_is_part_of_what_is_built(void **state)
{
    (void)state;
    char path[600];
    wr_error error = {0};
    uint64_t hashes[2];
    static const char text[] = "{\"wrought\": 1, \"model\": \"box.glb\"}";
    static const char *const names[2] = {"one.recipe.json", "two.recipe.json"};
    for (int i = 0; i < 2; i++) {
        write_text(names[i], text);
        wr_recipe *recipe = wr_recipe_read(in_folder(path, names[i]), NULL, &error);
        assert_non_null(recipe);
        assert_true(wr_recipe_find_hash(recipe, &hashes[i], &error));
        assert_true(wr_recipe_uses_file(recipe, in_folder(path, "box.glb")));
        assert_false(wr_recipe_uses_file(recipe, in_folder(path, "sculpt.glb")));
        wr_recipe_destroy(recipe);
    }
    assert_true(hashes[0] != hashes[1]);
}

static void scenes_take_recipes_and_assets(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_asset *asset = build_sound("{" BOX ", " HANDLES "}", NULL);
    char path[600], scene_path[600];
    assert_true(wr_asset_write(asset, in_folder(path, "built.glb"), &error));
    write_text("s.scene.json",
               "{\"wrought\": 1, \"assets\": {\"a\": \"box.recipe.json\", \"b\": \"built.glb\"},"
               "\"bodies\": [{\"asset\": \"a\"}, {\"asset\": \"b\", \"scale\": 2}]}");
    wr_scene *scene = wr_scene_read(in_folder(scene_path, "s.scene.json"), NULL, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    for (int i = 0; i < 2; i++) {
        assert_non_null(scene->bodies[i].asset);
        assert_int_equal(scene->bodies[i].asset->rig.vertex_count, asset->rig.vertex_count);
    }
    CHECK_NEAR(scene->bodies[1].scale, 2.0, 0.0);
    wr_scene_destroy(scene);
    wr_asset_destroy(asset);
}

#define JOINTED                                                                                    \
    "'wrought': 1, 'model': 'jointed.glb', 'simulation': {'vertices': 300}, 'handles': "           \
    "{'skin': true}"

// An example of a moment, and the clip at that moment.
static void an_asset_keeps_the_clips_of_its_model(void **state)
{
    (void)state;
    static const char *const names[] = {"nod", "shake", "#2", "nod 2"};
    wr_asset *asset = build_sound(
        "{" JOINTED ", 'examples': [{'name': 'a', 'clip': 'shake', 'time': 1.1}]}", NULL);
    assert_int_equal(asset->clip_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(asset->clips[i].name, names[i]);
        CHECK_NEAR(asset->clips[i].length, 0.8 * (i + 1), 1e-6);
    }
    wr_handle_pose poses[2];
    const wr_example *example = find_example(asset, "a");
    wr_rig_clip_poses(&asset->clips[1], asset->rig.handles, 2, 1.1, false, poses);
    for (int b = 0; b < 2; b++) {
        CHECK_NEAR(wr_distance(poses[b].offset, example->poses[b].offset), 0, 1e-6);
        CHECK_NEAR(fabs((double)wr_quat_dot(poses[b].rotation, example->poses[b].rotation)), 1,
                   1e-6);
    }
    assert_true(fabsf(poses[1].rotation.w) < 0.99f);
    wr_asset_destroy(asset);
}

static void a_recipe_chooses_clips(void **state)
{
    (void)state;
    wr_asset *asset = build_sound("{" JOINTED ", 'clips': ['shake', '#0']}", NULL);
    assert_int_equal(asset->clip_count, 2);
    assert_string_equal(asset->clips[0].name, "shake");
    assert_string_equal(asset->clips[1].name, "nod");
    wr_asset_destroy(asset);
    asset = build_sound("{" JOINTED ", 'clips': []}", NULL);
    assert_int_equal(asset->clip_count, 0);
    wr_asset_destroy(asset);
    asset = build_sound("{" BOX "}", NULL); // handles of our own
    assert_int_equal(asset->clip_count, 0);
    wr_asset_destroy(asset);
}

static void a_new_recipe_builds(void **state)
{
    (void)state;
    char path[600];
    wr_error error = {0};
    const wr_recipe_start start = {
        .model = "box.glb", .path = in_folder(path, "box.glb"), .vertices = 200, .handles = 5};
    size_t size;
    char *text = wr_recipe_write_new(&start, &size, &error);
    assert_non_null(text);
    wr_asset *asset = build_sound(text, NULL);
    assert_int_equal(asset->rig.handle_count, 5);
    assert_int_equal(asset->rig.example_count, 2);
    assert_string_equal(asset->rig.examples[1].name, "dent");
    wr_asset_destroy(asset);
    wr_text_destroy(text, size);
}

// --- mistakes ---------------------------------------------------------------------------------

typedef struct mistake {
    const char *text, *sentence; // without the path
} mistake;

#define EXAMPLE(words) "{" BOX ",\n" HANDLES ",\n'examples': [{" words "}]}"

static const mistake mistakes[] = {
    {"{}", "1:1: recipe: 'wrought' is missing, expected: version of the file format: 1"},
    {"{'wrought': 2}", "1:13: recipe: 'wrought' is 2, expected 1"},
    {"{'wrought': 1, 'modle': 'a'}", "1:16: recipe: unknown key 'modle'; did you mean 'model'?"},
    {"{'wrought': 1, 'model': 'none.glb'}",
     "1:25: model: DIR/none.glb: cannot open: No such file or directory"},
    {"{'wrought': 1, 'model': 'notes.txt'}", "1:25: model: DIR/notes.txt: not a kind of model that "
                                             "can be read, expected .glb, .gltf, .obj, "
                                             ".ply, .off, .mesh, .fbx, .dae or .stl"},
    {"{'wrought': 1, 'model': 'box.glb', 'simulation': {'vertices': 3}}",
     "1:63: simulation: 'vertices' is 3, expected 8 to 1000000"},
    {"{'wrought': 1, 'model': 'box.glb', 'simulation': {'trim': 0.1, 'separate': false}}",
     "1:51: simulation: 'trim' means nothing where all parts share a mesh"},
    {"{'wrought': 1, 'model': 'box.glb', 'handles': {}}",
     "1:47: handles: are none, expected 'automatic', 'place', 'skin' or 'graph'"},
    {"{'wrought': 1, 'model': 'box.glb', 'handles': {'automatic': 3, 'skin': true}}",
     "1:47: handles: come from more than one of 'skin', 'graph' and 'automatic' with 'place', "
     "expected one"},
    {"{" BOX ", 'handles': {'place': [{'name': 'h3', 'at': [0, 0, 0]}]}}",
     "1:91: place: 'name' is 'h3', expected a name that automatic handles do not have"},
    {"{" BOX ", 'handles': {'place': [{'name': 'a', 'at': [0, 0, 0]}, {'name': 'a', 'at': [1, 0, "
     "0]}]}}",
     "1:123: place: 'name' is 'a', as of another one"},
    {"{" BOX ", 'clips': ['nod']}",
     "1:69: recipe: 'clips' means nothing unless the handles are the model's joints: 'handles': "
     "{'skin': true}"},
    {"{" JOINTED ",\n'clips': 'nod'}", "2:10: recipe: 'clips' is a text, expected an array"},
    {"{" JOINTED ",\n'clips': [7]}", "2:11: recipe: 'clips' has a number, expected names"},
    {"{" JOINTED ",\n'clips': ['nod', 'nod']}", "2:18: recipe: 'clips' has 'nod' twice"},
    {"{" JOINTED ",\n'clips': ['nodd']}",
     "2:11: clips: jointed: there is no clip 'nodd'; did you mean 'nod'?"},
    {EXAMPLE("'name': 'a'"),
     "3:14: example 'a': has no source, expected 'move', 'turn' and 'scale', or one "
     "of 'clip', 'morph', 'sculpt', 'recording' and 'crush'"},
    {EXAMPLE("'name': 'a', 'morph': 'dent', 'clip': 'x'"),
     "3:14: example 'a': has more than one source, expected 'move', 'turn' and 'scale', or one of "
     "'clip', "
     "'morph', 'sculpt', 'recording' and 'crush'"},
    {EXAMPLE("'name': 'a', 'morph': 'dent', 'time': 1"),
     "3:45: example 'a': 'time' means nothing without 'clip'"},
    {EXAMPLE("'name': 'rest', 'morph': 'dent'"),
     "3:14: example 'rest': 'name' is 'rest', expected another: 'rest' is the shape of the model"},
    {EXAMPLE("'name': 'a', 'move': {}"), "3:14: example 'a': moves no handle"},
    {EXAMPLE("'name': 'a', 'move': {'h0': [0, 1]}"),
     "3:43: example 'a': 'move' has 2 numbers, expected 3"},
    {EXAMPLE("'name': 'a', 'move': {'tpo': [0, 1, 0]}"),
     "3:37: example 'a': there is no handle 'tpo'; did you mean 'top'?"},
    {EXAMPLE("'name': 'a', 'turn': {'top': {'axis': [0, 0, 0], 'by': 3}}"),
     "3:44: example 'a': 'axis' is zero, expected a direction"},
    {EXAMPLE("'name': 'a', 'morph': 'dint'"),
     "3:14: example 'a': box: there is no morph target 'dint'; did you mean 'dent'?"},
    {EXAMPLE("'name': 'a', 'clip': 'dent'"),
     "3:14: example 'a': box: there is no clip 'dent'; there are none"},
    {EXAMPLE("'name': 'a', 'sculpt': 'other.glb'"),
     "3:14: example 'a': other: has 68 vertices and 100 triangles where box has 462 and 720; a "
     "sculpt must keep the vertices, or at least the faces, in number and order"},
    {EXAMPLE("'name': 'a', 'sculpt': 'none.glb'"),
     "3:14: example 'a': DIR/none.glb: cannot open: No such file or directory"},
    {EXAMPLE("'name': 'a', 'recording': {'file': 'notes.txt', 'body': 'b', 'frame': 0}"),
     "3:14: example 'a': DIR/notes.txt: is not a recording"},
    {"{" BOX ", 'paint': {'strenth': {}}}",
     "1:79: paint: unknown key 'strenth'; did you mean 'strength'?"},
    {"{" BOX ", 'paint': {'strength': {}}}",
     "1:91: paint: 'strength' needs one of 'vertex_color', 'picture' and 'parts'"},
    {"{" BOX ", 'paint': {'strength': {'picture': 'disc.png'}}}",
     "1:91: paint: the model has no texture coordinates"},
    {"{" BOX ", 'cuts': [{'plane': {'normal': [0, 0, 0], 'at': [0, 0, 0]}}]}",
     "1:88: cut: 'normal' is zero, expected a direction"},
    {"{" BOX ", 'material': 3}", "1:81: recipe: 'material' is a number, expected an object or a "
                                 "name"},
    {"{'wrought': 1, 'model': 'disc.png', 'simulation': {'mesh': 'x.mesh'}}",
     "1:52: simulation: 'mesh' means nothing for a picture"},
    {"{'wrought': 1, 'model': 'box.glb', 'simulation': {'pixel': 1}}",
     "1:51: simulation: 'pixel' means nothing unless the model is a picture"},
    {"{" BOX ", 'handles': {'place': [{'name': 'a', 'at': [0, 0.5, 0]},\n{'name': 'b', 'at': [0, "
     "0.5, 0]}]}}",
     "2:1: handles: 'b' is where another handle is"},
    {"{" BOX ", 'handles': {'place': [{'name': 'a', 'at': [0, 0.5, 0]},\n{'name': 'b', 'at': [0, "
     "50, 0]}]}}",
     "2:1: handles: 'b' is too far from the model"},
    {"{" BOX ", 'paint': {'strength': {'vertex_color': 'red', 'channel': 'red'}}}",
     "1:115: paint: 'channel' means nothing without 'picture'"},
    {"{'wrought': 1, 'model': 'disc.png', 'handles': {'skin': true}}",
     "1:48: handles: a picture has no skin"},
};

static void mistakes_are_one_sentence_with_their_place(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        wr_error error = {0};
        wr_asset *asset = build(mistakes[i].text, NULL, &error);
        if (asset) {
            fail_msg("built: %s", mistakes[i].text);
        }
        char said[600] = "", *out = said;
        size_t length = strlen(folder.path);
        for (const char *c = error.message; *c; c++) { // the folder as DIR, " as '
            bool here = strncmp(c, folder.path, length) == 0;
            out += sprintf(out, "%s", here ? "DIR" : (char[2]){*c == '"' ? '\'' : *c, '\0'});
            c += here ? length - 1 : 0;
        }
        const char *start = "DIR/box.recipe.json:";
        if (strncmp(said, start, strlen(start)) != 0) {
            fail_msg("%s: %s", mistakes[i].text, said);
        }
        if (strcmp(said + strlen(start), mistakes[i].sentence) != 0) {
            fail_msg("%s:\n%s\nexpected:\n%s", mistakes[i].text, said + strlen(start),
                     mistakes[i].sentence);
        }
    }
}

static void the_reference_knows_every_key(void **state)
{
    (void)state;
    static const char *const words[] = {"model", "simulation", "handles", "automatic", "place",
                                        "graph", "weights",    "move",    "turn",      "follow",
                                        "clip",  "morph",      "sculpt",  "recording", "paint",
                                        "cuts",  "plane",      "channel", "picture",   "pixel"};
    wr_error error = {0};
    size_t reference_size, schema_size;
    char *reference = wr_recipe_reference(&reference_size, &error);
    char *schema = wr_recipe_schema(&schema_size, &error);
    assert_true(reference && schema);
    for (int i = 0; i < WRI_COUNT(words); i++) {
        char quoted[64], ticked[64];
        snprintf(quoted, sizeof quoted, "\"%s\"", words[i]);
        snprintf(ticked, sizeof ticked, "`%s`", words[i]);
        if (!strstr(schema, quoted) || !strstr(reference, ticked)) {
            fail_msg("%s is missing", words[i]);
        }
    }
    wri_arena arena = wri_arena_create(NULL);
    assert_non_null(wri_json_parse(&arena, schema, strlen(schema), "schema", false, &error));
    wri_arena_destroy(&arena);
    wr_text_destroy(reference, reference_size);
    wr_text_destroy(schema, schema_size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recipe_becomes_an_asset),
        cmocka_unit_test(sculpts_and_morph_targets_come_out_exactly),
        cmocka_unit_test(paint_goes_from_the_surface_inwards),
        cmocka_unit_test(a_picture_becomes_a_flat_asset),
        cmocka_unit_test(building_again_comes_out_of_the_cache_and_changes_do_not),
        cmocka_unit_test(a_graph_holds_a_picture),
        cmocka_unit_test(a_damaged_cache_is_not_believed),
        cmocka_unit_test(the_name_of_the_file_is_part_of_what_is_built),
        cmocka_unit_test(scenes_take_recipes_and_assets),
        cmocka_unit_test(an_asset_keeps_the_clips_of_its_model),
        cmocka_unit_test(a_recipe_chooses_clips),
        cmocka_unit_test(a_new_recipe_builds),
        cmocka_unit_test(mistakes_are_one_sentence_with_their_place),
        cmocka_unit_test(the_reference_knows_every_key),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
