// test_fracture_film.c: promises of recordings with bodies that break: resumed they are the same
// bytes, and every export has every fragment, before and after, where physics left it.
#include "fracture_bar.h"
#include "program.h"
#include "same_model.h"
#include "usda.h"

#include "../src/base/os.h"
#include "../src/file/asset.h"
#include "../src/file/json.h"
#include "wrought/example.h"
#include "wrought/show.h"

enum { FRAMES = 110, EARLY = 5, ROOM = 1200 };

// The second bar falls on the ground and breaks; the first one lies until a ball comes.
static const char two_bars[] =
    "'length': 1.8333333, 'bodies': [{'name': 'ground', 'shape': 'plane', 'friction': 0.6}, "
    "{'name': 'first', 'asset': 'bar', 'at': [0, 0.101, 0], 'density': 500, 'material': {'metal': "
    "'thin steel', 'break': 0.4}}, {'name': 'second', 'asset': 'bar', 'at': [0, 0.9, 3], 'turn': "
    "{'axis': [0.2, 0.1, 1], 'by': 25}, 'velocity': [0, -4, 0], 'density': 500, 'scale': 1.5, "
    "'material': {'metal': 'thin steel', 'break': 0.25}}, {'name': 'ball', 'shape': {'sphere': "
    "0.12}, 'at': [0.32, 0.35, -7], 'velocity': [0, 4.3, 6], 'mass': 60}]";

static int make_film(void **state)
{
    int failed = set_up_bar(state);
    write_recipe("film.recipe.json",
                 "[{'plane': {'normal': [1, 0.2, 0], 'at': [-0.12, 0, 0]}}, {'plane': {'normal': "
                 "[1, -0.1, 0.1], 'at': [0.15, 0, 0]}}, {'plane': {'normal': [0, 1, 0.1], 'at': "
                 "[0, 0.01, 0]}}]");
    return failed;
}

// --- recording ----------------------------------------------------------------------------------

static void add_frame(wr_record_writer *writer, const show *s)
{
    wr_error error = {0};
    size_t size;
    const void *bytes = NULL;
    bool ok = wr_record_add_frame(writer, wr_world_frame(s->world), &error);
    if (ok && wr_world_forgets(s->world)) {
        bytes = wr_world_save(s->world, &size, &error);
        ok = bytes && wr_record_add_snapshot(writer, bytes, size, &error);
    }
    if (!ok) {
        fail_msg("%s", error.message);
    }
}

// What physics says, vertex by vertex of the render mesh, in the world: the corners of a vertex's
// element as metal has them, in the pose of the part of the engine.
typedef struct truth {
    int count;
    wr_vec3 rest[ROOM], places[ROOM];
    int parts[2]; // of both bodies
} truth;

static truth early, late;
static int broken_bonds; // of both bodies, in the end

static void add_truth(const show *s, int body, truth *t)
{
    const wr_asset *asset = wr_world_record_info(s->world)->assets[0];
    const wr_metal *metal = metal_at(s->world, body);
    const wr_rig *rig = &asset->rig;
    float scale = body == 1 ? 1.5f : 1.0f;
    t->parts[body] = wr_metal_part_count(metal);
    for (int i = 0; i < rig->ride_count; i++) {
        const wr_ride *ride = &rig->rides[i];
        const int *v = &rig->elements[4 * (size_t)ride->element];
        wr_vec3 p = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            p = wr_add_scaled(p, ride->weights[k], wr_metal_positions(metal)[v[k]]);
        }
        int part =
            wr_metal_fragment_part(metal, wr_fragment_of(&asset->fracture, rig, ride->element));
        int engine = s->world->materials[body].part_bodies[part];
        assert_true(t->count < ROOM);
        t->rest[t->count] = wr_scale(scale, asset->model->meshes->positions[i]);
        t->places[t->count++] = wr_pose_point(wr_rigid_pose(s->world->rigid, engine), p);
    }
}

static void note_truth(const show *s, truth *t)
{
    *t = (truth){0};
    add_truth(s, 0, t);
    add_truth(s, 1, t);
}

// Records up to a frame; all of them: finished.
static void record(const char *path, int last)
{
    show s = start("film", two_bars);
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, wr_world_record_info(s.world), &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    add_frame(writer, &s);
    for (int i = 1; i <= last; i++) {
        wr_world_step_frame(s.world);
        add_frame(writer, &s);
        if (i == EARLY || i == FRAMES) {
            note_truth(&s, i == EARLY ? &early : &late);
        }
        if (i == FRAMES) {
            broken_bonds = metal_at(s.world, 0)->broken_count + metal_at(s.world, 1)->broken_count;
        }
        if (i == 60) { // the snapshot: one body of two is broken
            assert_int_equal(wr_metal_part_count(metal_at(s.world, 0)), 1);
            assert_true(wr_metal_part_count(metal_at(s.world, 1)) > 1);
        }
    }
    assert_true(last < FRAMES || wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    show_end(&s);
}

static void resumed_it_is_the_same_bytes(void **state)
{
    (void)state;
    const char *path = in_folder("killed.wrought");
    record(in_folder("film.wrought"), FRAMES);
    assert_int_equal(early.parts[0] + early.parts[1], 2);
    assert_true(late.parts[0] > 1 && late.parts[1] > 1);
    record(in_folder("killed.wrought"), 77);
    show s = start("film", two_bars);
    wr_error error = {0};
    int frame;
    const void *snapshot;
    size_t size, whole_size;
    path = in_folder("killed.wrought");
    wr_record_writer *writer =
        wr_record_resume(path, wr_world_record_info(s.world), &frame, &snapshot, &size, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(frame, 60);
    assert_true(wr_world_restore(s.world, snapshot, size, &error));
    while (frame++ < FRAMES) {
        wr_world_step_frame(s.world);
        add_frame(writer, &s);
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    show_end(&s);
    char *whole = wri_file_read(in_folder("film.wrought"), 1 << 28, NULL, &whole_size, NULL);
    char *bytes = wri_file_read(in_folder("killed.wrought"), 1 << 28, NULL, &size, NULL);
    assert_int_equal(size, whole_size);
    assert_memory_equal(bytes, whole, size);
    wri_free(NULL, whole, whole_size + 1, 1);
    wri_free(NULL, bytes, whole_size + 1, 1);
}

// The damage of the second of two bodies, while dents still fade in: which bonds are broken, and
// the shape when all has appeared. The first one's says that it is whole.
static void damage_is_that_of_its_body(void **state)
{
    (void)state;
    static uint8_t bytes[2][20000];
    wr_error error = {0};
    show s = start("film", two_bars);
    for (int i = 0; wr_metal_part_count(metal_at(s.world, 1)) == 1; i++) {
        assert_true(i < FRAMES);
        wr_world_step_frame(s.world);
    }
    for (int b = 0; b < 2; b++) {
        const wr_metal *source = metal_at(s.world, b);
        size_t size = wr_metal_write_damage(source, NULL);
        assert_true(size < sizeof bytes[b]);
        wr_metal_write_damage(source, bytes[b]);
        wr_metal_desc desc = wr_metal_desc_default();
        desc.asset = source->asset;
        wr_metal *copy = wr_metal_create(&desc, &error);
        assert_true(wr_metal_read_damage(copy, bytes[b], size, &error));
        assert_int_equal(wr_metal_part_count(copy) > 1, b == 1);
        assert_int_equal(copy->broken_count, source->broken_count);
        for (int f = 0; f < source->asset->F; f++) {
            assert_int_equal(wr_metal_fragment_part(copy, f), wr_metal_fragment_part(source, f));
        }
        for (int i = 0; i < source->asset->N; i++) {
            float goal[WR_SKIN_EXAMPLES_MAX], found[WR_SKIN_EXAMPLES_MAX];
            wr_metal_goal(source, i, goal);
            wr_metal_goal(copy, i, found);
            assert_memory_equal(goal, found, (size_t)source->asset->E * sizeof *goal);
        }
        wr_metal_destroy(copy);
    }
    assert_true(metal_at(s.world, 1)->broken_count < metal_at(s.world, 1)->asset->bond_count);
    show_end(&s);
}

// Examples of a body with cuts come from recordings of one without.
static void fragments_are_no_examples(void **state)
{
    (void)state;
    static const char *const names[] = {"second", "second/1"};
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(in_folder("film.wrought"), &error);
    assert_non_null(reader);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wr_record_vertex_count(reader, names[i], -1, NULL, &error), -1);
        assert_non_null(strstr(error.message, "was recorded in fragments, of which no example"));
    }
    wr_record_close(reader);
}

// --- events -------------------------------------------------------------------------------------

// What `wrought info --json` lists, against the frames: all dents and breaks in their order, with
// time, place, strength and the names of their fragments.
static void check_events(const wri_json *list)
{
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(in_folder("film.wrought"), &error);
    assert_non_null(reader);
    const wr_record_body *bodies = wr_record_about(reader)->bodies;
    int next = 0, breaks = 0;
    for (int f = 0; f <= FRAMES; f++) {
        const wr_frame *frame = wr_record_read_frame(reader, f, &error);
        for (int i = 0; i < frame->event_count; i++) {
            const wr_event *event = &frame->events[i];
            bool is_break = event->kind == WR_EVENT_FRACTURE;
            if (!is_break && event->kind != WR_EVENT_DENT) {
                continue;
            }
            assert_true(next < list->count);
            const wri_json *told = &list->items[next++], *at = wri_json_find(told, "at");
            CHECK_NEAR(wri_json_find(told, "time")->number, f / 60.0, 1e-6);
            CHECK_NEAR(wri_json_find(told, "strength")->number, event->strength, 1e-4);
            assert_string_equal(wri_json_find(told, "kind")->string, is_break ? "break" : "dent");
            assert_string_equal(wri_json_find(told, "body")->string, bodies[event->subject].name);
            assert_int_equal(wri_json_find(told, "from") != NULL, is_break);
            assert_true(bodies[event->subject].fragment_of > 0 && event->strength > 0.0f);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(at->items[k].number, (&event->point.x)[k], 1e-4);
            }
            // near the body that it is of
            assert_true(fabsf(event->point.z - (event->point.z > 1.5f ? 3.0f : 0.0f)) < 1.4f);
            breaks += is_break;
        }
    }
    assert_int_equal(next, list->count);
    assert_int_equal(breaks, broken_bonds);
    wr_record_close(reader);
}

static void dents_and_breaks_are_told(void **state)
{
    (void)state;
    const char *words[] = {getenv("WROUGHT_PROGRAM"), "info", in_folder("film.wrought"), "--json",
                           NULL};
    if (!words[0]) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    wri_run_result result = {0};
    assert_true(wri_run(words, &(wri_run_limits){60.0, 0, 1 << 20}, NULL, &result, NULL));
    assert_int_equal(result.code, 0);
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    const wri_json *root = wri_json_parse(&arena, result.output.items, (size_t)result.output.count,
                                          "info", false, &error);
    if (!root) {
        fail_msg("%s", error.message);
    }
    check_events(wri_json_find(root, "events"));
    wri_array_destroy(&result.output);
    wri_arena_destroy(&arena);
}

// --- exports ------------------------------------------------------------------------------------

static void export_to(const char *path)
{
    wr_error error = {0};
    wr_take *take = wr_take_open(in_folder("film.wrought"), &error);
    wr_export_desc desc = wr_export_desc_default();
    desc.bodies = "first,second"; // by the name of the body: all its fragments
    desc.tolerance = 0.0f;
    if (!take || !wr_take_export(take, path, &desc, NULL, &error)) {
        fail_msg("%s: %s", path, error.message);
    }
    wr_take_close(take);
}

// Normals are those of the triangles, outwards: the bar has flat sides, and so have the cuts. bent:
// it is no more quite flat.
static void check_normals(const wr_mesh *mesh, const wr_vec3 *places, const wr_vec3 *normals,
                          bool bent)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * (size_t)i];
        wr_vec3 n =
            wr_cross(wr_sub(places[t[1]], places[t[0]]), wr_sub(places[t[2]], places[t[0]]));
        if (wr_length(n) < (bent ? 2e-4f : 1e-6f)) { // a sliver has no direction
            continue;
        }
        for (int k = 0; k < 3; k++) {
            float cosine = wr_dot(wr_normalize(n), normals[t[k]]);
            if (!(cosine > (bent ? 0.7f : 0.999f))) {
                fail_msg("triangle %d: a normal is off by a cosine of %g", i, (double)cosine);
            }
        }
    }
}

// Outside is painted and has its texture coordinates; cut faces have the look of the inside.
// first: number of the mesh's first vertex among those of the truth. Returns triangles inside.
static int check_looks(const wr_model *model, const wr_mesh *mesh, int first)
{
    int inside = 0;
    for (int p = 0; p < mesh->part_count; p++) {
        const wr_mesh_part *part = &mesh->parts[p];
        assert_true(part->look >= 0);
        const char *look = model->looks[part->look].name;
        inside += strcmp(look, "inside") == 0 ? part->triangle_count : 0;
        assert_true(strcmp(look, "inside") == 0 || strcmp(look, "paint") == 0);
        for (int i = 0; i < 3 * part->triangle_count && strcmp(look, "paint") == 0; i++) {
            int v = mesh->triangles[3 * part->first_triangle + i];
            wr_vec3 at = early.rest[first + v];
            at = wr_scale(first + v < early.count / 2 ? 1.0f : 1.0f / 1.5f, at);
            CHECK_NEAR(mesh->uvs[v].x, at.x + 0.5f, 1e-5);
            CHECK_NEAR(mesh->uvs[v].y, 1.0f - (at.y + 0.5f), 1e-5); // glTF's v points down
        }
    }
    return inside;
}

static int inside_of_asset(void)
{
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(in_folder("film.wrought"), &error);
    assert_non_null(reader);
    const wr_asset *asset = wr_record_about(reader)->assets[0];
    assert_true(asset->fracture.fragment_count >= 6);
    const wr_mesh *mesh = asset->model->meshes;
    int inside = 0;
    for (int p = 0; p < mesh->part_count; p++) {
        bool is_inside = strcmp(asset->model->looks[mesh->parts[p].look].name, "inside") == 0;
        inside += is_inside ? mesh->parts[p].triangle_count : 0;
    }
    wr_record_close(reader);
    assert_true(inside > 10);
    return inside;
}

static void check_sequence(const char *name, int frame, const truth *t)
{
    wr_model *model = read_ok(in_folder(name));
    wr_model *flat = wr_model_flatten(model, NULL);
    const wr_mesh *mesh = flat->meshes;
    assert_int_equal(mesh->vertex_count, t->count);
    CHECK_NEAR(largest_distance(mesh->positions, t->places, t->count), 0.0, 2e-5);
    check_normals(mesh, mesh->positions, mesh->normals, frame != EARLY);
    if (strstr(name, ".obj")) {
        assert_int_equal(check_looks(flat, mesh, 0), 2 * inside_of_asset());
        assert_int_equal(model->look_count, 2);
    }
    wr_model_destroy(flat);
    wr_model_destroy(model);
}

// Fragments of a body are one body of metal, and what broke is no less told than what bent.
static void sim_says_what_broke(void **state)
{
    (void)state;
    show s = start("film", two_bars);
    show_end(&s);
    char scene[600], out[600], words[120];
    snprintf(scene, sizeof scene, "%s/scene.json", folder.path);
    snprintf(out, sizeof out, "%s/said", folder.path);
    program_run run = RUN_PROGRAM("sim", scene, "-o", out);
    assert_int_equal(run.status, 0);
    int whole_bars = (late.parts[0] == 1) + (late.parts[1] == 1);
    snprintf(words, sizeof words, "  broke        %d of 2 bodies of metal, at %d bonds; hardest \"",
             2 - whole_bars, broken_bonds);
    const char *broke = strstr(run.printed, words);
    if (!broke) {
        fail_msg("no %s in %s", words, run.printed);
    }
    assert_non_null(strstr(broke, " from \""));
    const char *bent = strstr(run.printed, "  bent         ");
    assert_non_null(bent);
    assert_true(!strstr(bent, " of metal; ") || strstr(bent, " of 2 bodies of metal; "));
    run = RUN_PROGRAM("sim", scene, "-o", out, "--json");
    snprintf(words, sizeof words, "\"breaks\": %d,", broken_bonds);
    assert_non_null(strstr(run.printed, words));
    assert_non_null(strstr(run.printed, "\"metal\": {\n    \"bodies\": 2,"));
    assert_non_null(strstr(run.printed, "\"hardest_break\": {"));
}

static void sequences_have_every_fragment(void **state)
{
    (void)state;
    export_to(in_folder("obj/film.####.obj"));
    check_sequence("obj/film.0005.obj", EARLY, &early);
    check_sequence("obj/film.0110.obj", FRAMES, &late);
    export_to(in_folder("ply/film.####.ply"));
    check_sequence("ply/film.0005.ply", EARLY, &early);
    check_sequence("ply/film.0110.ply", FRAMES, &late);
}

static void caches_have_every_fragment(void **state)
{
    (void)state;
    static const char *const names[] = {"film.pc2", "film.mdd"};
    for (int i = 0; i < 2; i++) {
        wr_error error = {0};
        export_to(in_folder(names[i]));
        wr_cache *cache = wr_cache_read(in_folder(names[i]), NULL, &error);
        if (!cache) {
            fail_msg("%s", error.message);
        }
        size_t n = (size_t)cache->point_count;
        assert_int_equal(cache->point_count, early.count);
        assert_int_equal(cache->frame_count, FRAMES + 1);
        CHECK_NEAR(largest_distance(cache->positions + EARLY * n, early.places, early.count), 0.0,
                   2e-5);
        CHECK_NEAR(largest_distance(cache->positions + FRAMES * n, late.places, late.count), 0.0,
                   2e-5);
        wr_cache_destroy(cache);
        wr_model *beside = read_ok(in_folder("film.obj"));
        assert_int_equal(wr_shape_vertex_count(beside), early.count);
        wr_model_destroy(beside);
    }
}

static void glb_has_every_fragment(void **state)
{
    (void)state;
    static wr_vec3 shown[ROOM];
    wr_error error = {0};
    export_to(in_folder("film.glb"));
    wr_model *model = read_ok(in_folder("film.glb"));
    assert_int_equal(wr_shape_vertex_count(model), early.count);
    assert_int_equal(model->look_count, 2); // fragments share them
    int first = 0, inside = 0;
    for (int i = 0; i < model->node_count; i++) {
        if (model->nodes[i].mesh < 0) { // camera and sun
            continue;
        }
        const wr_mesh *mesh = &model->meshes[model->nodes[i].mesh];
        assert_non_null(strchr(model->nodes[i].name, '/'));
        inside += check_looks(model, mesh, first);
        check_normals(mesh, mesh->positions, mesh->normals, mesh->morph_count > 0);
        first += mesh->vertex_count;
    }
    assert_int_equal(inside, 2 * inside_of_asset());
    assert_true(wr_shape_from_clip(model, 0, EARLY / 60.0, shown, &error));
    CHECK_NEAR(largest_distance(shown, early.places, early.count), 0.0, 1e-4);
    assert_true(wr_shape_from_clip(model, 0, FRAMES / 60.0, shown, &error));
    CHECK_NEAR(largest_distance(shown, late.places, late.count), 0.0, 1e-4);
    wr_model_destroy(model);
}

// --- USD ----------------------------------------------------------------------------------------

static const double *sample_of(const usda *u, const char *prim, const char *declaration, int frame,
                               int size)
{
    static wri_array numbers;
    const usda_attribute *a = usda_attribute_of(u, prim, declaration);
    if (!a) {
        fail_msg("%s has no %s", prim, declaration);
    }
    wri_array_destroy(&numbers);
    numbers = usda_numbers(a->value, a->length);
    assert_int_equal(numbers.count % (1 + size), 0);
    int last = numbers.count / (1 + size) - 1;
    while (last > 0 && WRI_ITEM(numbers, double, last *(1 + size)) > frame) {
        last--;
    }
    return &WRI_ITEM(numbers, double, last *(1 + size) + 1);
}

// The mesh of a fragment: its own, or the shared one that it refers to when it does not bend.
static void find_usd_mesh(const usda *u, const char *path, char *mesh, size_t room)
{
    static const char reference[] = "references = <";
    const usda_prim *prim = usda_find(u, path);
    assert_non_null(prim);
    const char *shared = strstr(prim->metadata, reference);
    const char *from = shared ? shared + strlen(reference) : path;
    int length = (int)(shared ? strcspn(from, ">") : strlen(from));
    snprintf(mesh, room, "%.*s/mesh", length, from);
}

static int check_usd_body(const usda *u, const char *path, int first, int count, int frame,
                          const truth *t)
{
    char mesh[700];
    static wr_vec3 local[ROOM];
    find_usd_mesh(u, path, mesh, sizeof mesh);
    static const char sampled[] = "point3f[] points.timeSamples";
    const usda_attribute *rest = usda_attribute_of(u, mesh, "point3f[] points");
    assert_non_null(rest);
    wri_array places = usda_numbers(rest->value, rest->length);
    assert_int_equal(places.count, 3 * count);
    const double *p = usda_attribute_of(u, mesh, sampled)
                          ? sample_of(u, mesh, sampled, frame, 3 * count)
                          : places.items;
    for (int i = 0; i < count; i++) {
        local[i] = wr_v3((float)p[3 * i], (float)p[3 * i + 1], (float)p[3 * i + 2]);
    }
    wri_array_destroy(&places);
    const double *at = sample_of(u, path, "double3 xformOp:translate.timeSamples", frame, 3);
    wr_pose pose = {.position = {(float)at[0], (float)at[1], (float)at[2]}};
    const double *q = sample_of(u, path, "quatf xformOp:orient.timeSamples", frame, 4);
    pose.rotation = (wr_quat){(float)q[1], (float)q[2], (float)q[3], (float)q[0]};
    for (int i = 0; i < count; i++) {
        wr_vec3 place = wr_pose_point(pose, local[i]);
        CHECK_NEAR(wr_distance(place, t->places[first + i]), 0.0, 2e-5);
    }
    char inside[800];
    snprintf(inside, sizeof inside, "%s/inside", mesh);
    assert_non_null(usda_find(u, inside));
    return first + count;
}

static void usd_has_every_fragment(void **state)
{
    (void)state;
    wr_error error = {0};
    export_to(in_folder("film.usda"));
    size_t size;
    char *text = wri_file_read(in_folder("film.usda"), 1 << 28, NULL, &size, &error);
    usda u;
    usda_read(&u, text, size);
    wr_record_reader *reader = wr_record_open(in_folder("film.wrought"), &error);
    assert_non_null(reader);
    const wr_record_info *info = wr_record_about(reader);
    for (int frame = EARLY; frame <= FRAMES; frame += FRAMES - EARLY) {
        int first = 0;
        for (int b = 0; b < info->body_count; b++) {
            char path[600];
            if (info->bodies[b].fragment_of == 0) {
                continue;
            }
            const char *slash = strchr(info->bodies[b].name, '/');
            assert_non_null(slash);
            snprintf(path, sizeof path, "/scene/%.*s_%s", (int)(slash - info->bodies[b].name),
                     info->bodies[b].name, slash + 1);
            first = check_usd_body(&u, path, first,
                                   info->models[info->bodies[b].model]->meshes->vertex_count, frame,
                                   frame == EARLY ? &early : &late);
        }
        assert_int_equal(first, early.count);
    }
    wr_record_close(reader);
    usda_destroy(&u);
    wri_free(NULL, text, size + 1, 1);
}

// --- pictures -----------------------------------------------------------------------------------

static void drawings_have_every_fragment(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_take *take = wr_take_open(in_folder("film.wrought"), &error);
    assert_non_null(take);
    for (int frame = EARLY; frame <= FRAMES; frame += FRAMES - EARLY) {
        wr_drawing drawing;
        const truth *t = frame == EARLY ? &early : &late;
        assert_true(wr_take_read(take, frame, WR_PAINT_LOOKS, &drawing, &error));
        int first = 0;
        for (int i = 0; i < drawing.count; i++) {
            const wr_render_thing *thing = &drawing.things[i];
            if (!thing->model || thing->model->look_count != 2) { // ground and ball
                continue;
            }
            const wr_mesh *mesh = thing->model->meshes;
            const wr_vec3 *x = thing->positions ? thing->positions : mesh->positions;
            for (int k = 0; k < mesh->vertex_count; k++) {
                wr_vec3 place = wr_pose_point(thing->pose, x[k]);
                CHECK_NEAR(wr_distance(place, t->places[first + k]), 0.0, 2e-5);
            }
            check_normals(mesh, x, thing->normals ? thing->normals : mesh->normals, frame != EARLY);
            first += mesh->vertex_count;
        }
        assert_int_equal(first, t->count);
    }
    wr_take_close(take);
}

// How many fragments and bonds there are, and which cut does nothing; also from the cache.
static void rig_says_what_cuts_do(void **state)
{
    (void)state;
    write_recipe("beside.recipe.json",
                 "[{'plane': {'normal': [1, 0, 0], 'at': [0.1, 0, 0]}}, {'plane': {'normal': "
                 "[1, 0, 0], 'at': [90, 0, 0]}}, {'plane': {'normal': [0, 1, 0], 'at': "
                 "[0, 0.01, 0]}}]");
    for (int i = 0; i < 2; i++) {
        program_run run = RUN_PROGRAM("rig", in_folder("beside.recipe.json"));
        assert_int_equal(run.status, 0);
        assert_non_null(
            strstr(run.printed, "  cuts             4 fragments, held together by 4 bonds\n"));
        assert_non_null(
            strstr(run.said, "\"cuts\": number 2 of them does not pass through the body"));
    }
    program_run run = RUN_PROGRAM("rig", in_folder("film.recipe.json"), "--json");
    assert_non_null(strstr(run.printed, "\"fragments\": 6,"));
}

// --- the automatic camera ------------------------------------------------------------------------

// The bar of which most breaks stands in the first picture with all of its fragments, and not
// smaller than needs be.
static void the_automatic_camera_frames_all_fragments(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_take *take = wr_take_open(in_folder("film.wrought"), &error);
    wr_shot *shot = take ? wr_shot_create(take, "auto", 1.6f, &error) : NULL;
    assert_non_null(shot);
    const wr_record_info *info = wr_record_about(wr_take_reader(take));
    const wr_frame *frame = wr_record_read_frame(wr_take_reader(take), 0, &error);
    assert_non_null(frame);
    wr_camera camera = wr_shot_camera(shot, 0);
    wr_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    enum { SECOND = 2 }; // after the ground and the first bar
    int fragments = 0;
    for (int b = 0; b < info->body_count; b++) {
        const wr_record_body *body = &info->bodies[b];
        if (body->fragment_of != SECOND + 1) {
            continue;
        }
        const wr_mesh *mesh = info->models[body->model]->meshes;
        fragments++;
        for (int v = 0; v < mesh->vertex_count; v++) {
            wr_vec2 pixel;
            float depth;
            wr_vec3 x = wr_pose_point(frame->poses[b], mesh->positions[v]);
            assert_true(wr_camera_project(&camera, 1600, 1000, x, &pixel, &depth));
            low = (wr_vec2){fminf(low.x, pixel.x), fminf(low.y, pixel.y)};
            high = (wr_vec2){fmaxf(high.x, pixel.x), fmaxf(high.y, pixel.y)};
        }
    }
    assert_true(fragments > 2);
    assert_true(low.x > 0.0f && low.y > 0.0f && high.x < 1600.0f && high.y < 1000.0f);
    assert_true(high.x - low.x > 480.0f || high.y - low.y > 300.0f);
    wr_shot_destroy(shot);
    wr_take_close(take);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed_it_is_the_same_bytes),
        cmocka_unit_test(damage_is_that_of_its_body),
        cmocka_unit_test(fragments_are_no_examples),
        cmocka_unit_test(dents_and_breaks_are_told),
        cmocka_unit_test(sim_says_what_broke),
        cmocka_unit_test(rig_says_what_cuts_do),
        cmocka_unit_test(sequences_have_every_fragment),
        cmocka_unit_test(caches_have_every_fragment),
        cmocka_unit_test(glb_has_every_fragment),
        cmocka_unit_test(usd_has_every_fragment),
        cmocka_unit_test(drawings_have_every_fragment),
        cmocka_unit_test(the_automatic_camera_frames_all_fragments),
    };
    return cmocka_run_group_tests(tests, make_film, tear_down);
}
