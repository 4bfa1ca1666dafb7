// Promises of files with surfaces of changing topology and with particles.
#include "check.h"
#include "program.h"
#include "surface_sample.h"
#include "usda.h"

#include "wrought/file.h"
#include "wrought/show.h"

#include "../src/base/os.h"

static temporary_folder folder;

static const char *in_folder(const char *name)
{
    static char paths[4][700];
    static int at;
    char *path = paths[at++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    return path;
}

static char *read_whole(const char *path, size_t *size)
{
    char *text = wri_file_read(path, 1 << 26, NULL, size, NULL);
    assert_non_null(text);
    return text;
}

#define OK(call)                                                                                   \
    do {                                                                                           \
        wr_error error = {0};                                                                      \
        if (!(call)) {                                                                             \
            fail_msg("%s:%d: %s", __FILE__, __LINE__, error.message);                              \
        }                                                                                          \
    } while (0)

// --- writers ----------------------------------------------------------------------------------

enum { FRAMES = 6 };

static wr_look looks[3] = {{.name = "red", .base_color = {1, 0, 0, 1}, .texture = -1},
                           {.name = "blue", .base_color = {0, 0, 1, 1}, .texture = -1},
                           {.name = "unused", .base_color = {0, 1, 0, 1}, .texture = -1}};
static wr_node nodes[2] = {
    {.name = "clay", .parent = -1, .mesh = -1, .skin = -1, .scale = {1, 1, 1}},
    {.name = "water", .parent = -1, .mesh = -1, .skin = -1, .scale = {1, 1, 1}}};

static wr_model make_model(void)
{
    nodes[0].pose = nodes[1].pose = WR_POSE_IDENTITY;
    return (wr_model){
        .name = "take", .look_count = 3, .looks = looks, .node_count = 2, .nodes = nodes};
}

// A strip of 1, 1, 2, none, 2 and 3 triangles; the second frame has moved, the last look is blue.
typedef struct strip {
    wr_vec3 positions[FRAMES][5], normals[FRAMES][5];
    int triangles[9];
    wr_mesh_part parts[FRAMES][2];
    wr_mesh meshes[FRAMES];
} strip;

static void make_strip(strip *s)
{
    static const int counts[FRAMES] = {1, 1, 2, 0, 2, 3}, order[9] = {0, 1, 2, 2, 1, 3, 2, 3, 4};
    memcpy(s->triangles, order, sizeof order);
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < 5; i++) {
            s->positions[f][i] = wr_v3((float)i, (float)(i % 2), 0.25f * (float)f);
            s->normals[f][i] = wr_v3(0, 0, 1);
        }
        int red = counts[f] > 2 ? 2 : counts[f];
        s->parts[f][0] = (wr_mesh_part){0, red, 0};
        s->parts[f][1] = (wr_mesh_part){2, 1, 1};
        s->meshes[f] = (wr_mesh){.name = "strip",
                                 .vertex_count = counts[f] ? counts[f] + 2 : 0,
                                 .triangle_count = counts[f],
                                 .part_count = counts[f] > 2 ? 2 : 1,
                                 .positions = s->positions[f],
                                 .normals = s->normals[f],
                                 .triangles = s->triangles,
                                 .parts = s->parts[f]};
    }
}

static wr_vec3 places[4] = {{0, 1, 0}, {0.5f, 2, 0}, {1, 3, -1}, {7, 8, 9}};
static float radii[4] = {0.25f, 0.5f, 1, 2};
static uint32_t ids[4] = {3, 5, 4000000000u, 4000000001u};

static wr_particles make_cloud(int frame)
{
    return (wr_particles){
        .count = frame == 2 ? 0 : 1 + frame / 2, .positions = places, .radii = radii, .ids = ids};
}

static const usda_attribute *attribute(const usda *u, const char *prim, const char *declaration)
{
    const usda_attribute *a = usda_attribute_of(u, prim, declaration);
    if (!a || !a->value) {
        fail_msg("%s has no %s", prim, declaration);
    }
    return a;
}

static void check_value(const usda *u, const char *prim, const char *declaration,
                        const char *expected)
{
    const usda_attribute *a = attribute(u, prim, declaration);
    char text[2048] = "";
    size_t length = 0;
    for (size_t i = 0; i < a->length && length + 1 < sizeof text; i++) { // without indentation
        if (a->value[i] != '\n' && !(a->value[i] == ' ' && length && text[length - 1] == ' ')) {
            text[length++] = a->value[i];
        }
    }
    assert_string_equal(text, expected);
}

static void usd_has_samples_of_triangles_where_they_change(void **state)
{
    (void)state;
    static strip s;
    make_strip(&s);
    wr_model model = make_model();
    wr_particles clouds[FRAMES];
    for (int f = 0; f < FRAMES; f++) {
        clouds[f] = make_cloud(f);
    }
    wr_node_motion motions[2] = {{.node = 0, .last = FRAMES - 1, .meshes = s.meshes},
                                 {.node = 1,
                                  .last = FRAMES - 1,
                                  .particles = clouds,
                                  .particle_color = {0.1f, 0.2f, 0.9f, 1}}};
    wr_model_motion motion = {30, 1, FRAMES, 2, motions};
    const char *path = in_folder("film.usda");
    OK(wr_model_write_usda(&model, &motion, path, &error));
    size_t size;
    char *text = read_whole(path, &size);
    usda u;
    usda_read(&u, text, size);
    const char *mesh = "/take/clay/mesh";
    check_value(&u, mesh, "int[] faceVertexIndices.timeSamples",
                "{ 0: [0,1,2], 2: [0,1,2,2,1,3], 5: [0,1,2,2,1,3,2,3,4], }");
    check_value(&u, mesh, "int[] faceVertexCounts.timeSamples",
                "{ 0: [3], 2: [3,3], 5: [3,3,3], }");
    check_value(&u, mesh, "int[] faceVertexIndices", "[0,1,2]");
    check_value(&u, mesh, "token visibility.timeSamples",
                "{ 0: \"inherited\", 3: \"invisible\", 4: \"inherited\", }");
    const usda_attribute *points = attribute(&u, mesh, "point3f[] points.timeSamples");
    wri_array numbers = usda_numbers(points->value, points->length);
    assert_int_equal(numbers.count, 5 + 3 * (3 + 3 + 4 + 4 + 5)); // with the frames' numbers
    wri_array_destroy(&numbers);
    // Two looks: subsets that change with the triangles; the third look is not there.
    check_value(&u, "/take/clay/mesh/red", "int[] indices.timeSamples",
                "{ 0: [0], 2: [0,1], 5: [0,1], }");
    check_value(&u, "/take/clay/mesh/blue", "int[] indices.timeSamples",
                "{ 0: [], 2: [], 5: [2], }");
    assert_non_null(usda_find(&u, "/take/clay/Looks/blue"));
    assert_null(usda_find(&u, "/take/clay/Looks/unused"));
    const char *cloud = "/take/water/particles";
    assert_string_equal(usda_find(&u, cloud)->type, "Points");
    check_value(&u, cloud, "float[] widths.timeSamples",
                "{ 0: [0.5], 1: [0.5], 2: [], 3: [0.5,1], 4: [0.5,1,2], 5: [0.5,1,2], }");
    check_value(&u, cloud, "int64[] ids.timeSamples",
                "{ 0: [3], 1: [3], 2: [], 3: [3,5], 4: [3,5,4000000000], 5: [3,5,4000000000], }");
    check_value(&u, cloud, "point3f[] points", "[(0,1,0)]");
    check_value(&u, cloud, "color3f[] primvars:displayColor", "[(0.1,0.2,0.9)]");
    usda_destroy(&u);
    wri_free(NULL, text, size + 1, 1);
}

static void usd_refuses_what_is_none(void **state)
{
    (void)state;
    static strip s;
    make_strip(&s);
    wr_model model = make_model();
    wr_particles clouds[FRAMES];
    for (int f = 0; f < FRAMES; f++) {
        clouds[f] = make_cloud(f);
    }
    wr_node_motion motions[2] = {{.node = 0, .last = FRAMES - 1, .meshes = s.meshes},
                                 {.node = 1, .last = FRAMES - 1, .particles = clouds}};
    wr_model_motion motion = {30, 1, FRAMES, 2, motions};
    wr_error error = {0};
    s.positions[4][2].x = NAN;
    assert_false(wr_model_write_usda(&model, &motion, in_folder("no.usda"), &error));
    assert_non_null(strstr(error.message, "motion 0: frame 4: "));
    s.positions[4][2].x = 0.0f;
    radii[1] = 0.0f;
    assert_false(wr_model_write_usda(&model, &motion, in_folder("no.usda"), &error));
    assert_string_equal(error.message, "motion 1: frame 3: particle 1: not a place and a radius");
    radii[1] = 0.5f;
    wr_mesh mesh = s.meshes[0];
    model.meshes = &mesh;
    model.mesh_count = 1;
    nodes[0].mesh = 0;
    assert_false(wr_model_write_usda(&model, &motion, in_folder("no.usda"), &error));
    assert_string_equal(error.message, "motion 0: node 0 has a mesh of its own");
    nodes[0].mesh = -1;
    assert_false(wri_file_exists(in_folder("no.usda")));
}

static void ply_has_particles_with_radius_and_id(void **state)
{
    (void)state;
    static strip s;
    make_strip(&s);
    wr_mesh mesh = s.meshes[2];
    wr_model model = make_model();
    model.meshes = &mesh;
    model.mesh_count = 1;
    nodes[0].mesh = 0;
    const wr_ply_cloud clouds[2] = {
        {make_cloud(5), {0, 1, 0, 1}},
        {{.count = 1, .positions = places + 3, .radius = 0.125f}, {1, 1, 1, 1}}};
    OK(wr_model_write_ply_clouds(&model, clouds, 2, true, in_folder("cloud.ply"), &error));
    nodes[0].mesh = -1;
    size_t size;
    char *text = read_whole(in_folder("cloud.ply"), &size);
    const char *body = strstr(text, "end_header\n");
    assert_non_null(strstr(text, "element vertex 8\n"));
    assert_non_null(strstr(text, "property float radius\nproperty uint id\nelement face 2\n"));
    assert_non_null(strstr(body, "\n3 1 0.5 0 0 1 255 0 0 255 0 0 \n")); // the mesh's last vertex
    assert_non_null(strstr(body, "\n0 1 0 0 0 0 0 255 0 255 0.25 3 \n"));
    assert_non_null(strstr(body, "\n1 3 -1 0 0 0 0 255 0 255 1 4000000000 \n"));
    assert_non_null(strstr(body, "\n7 8 9 0 0 0 255 255 255 255 0.125 0 \n3 0 1 2\n3 2 1 3\n"));
    wri_free(NULL, text, size + 1, 1);
    // As bytes: others read it, and find the mesh.
    nodes[0].mesh = 0;
    OK(wr_model_write_ply_clouds(&model, clouds, 2, false, in_folder("cloud.ply"), &error));
    nodes[0].mesh = -1;
    wr_model *back = wr_model_read(in_folder("cloud.ply"), NULL, NULL);
    assert_non_null(back);
    assert_int_equal(back->meshes->triangle_count, 2);
    assert_memory_equal(&back->meshes->positions[back->meshes->triangles[5]], &s.positions[2][3],
                        sizeof(wr_vec3));
    wr_model_destroy(back);
    // Particles alone.
    model.mesh_count = 0;
    OK(wr_model_write_ply_clouds(&model, clouds, 2, true, in_folder("alone.ply"), &error));
    text = read_whole(in_folder("alone.ply"), &size);
    assert_non_null(strstr(text,
                           "element vertex 4\nproperty float x\nproperty float y\nproperty float "
                           "z\nproperty uchar red\n"));
    wri_free(NULL, text, size + 1, 1);
    radii[2] = NAN;
    wr_error why = {0};
    assert_false(wr_model_write_ply_clouds(&model, clouds, 2, true, in_folder("none.ply"), &why));
    assert_string_equal(strrchr(why.message, '/'),
                        "/none.ply: particle 2: not a place and a radius");
    radii[2] = 1.0f;
}

// --- takes ------------------------------------------------------------------------------------

static wr_take *take;

static int set_up(void **state)
{
    (void)state;
    wr_error error = {0};
    folder = temporary_folder_create();
    if (!sample_write_film(in_folder("take.wrought"), &error)) {
        fail_msg("%s", error.message);
    }
    take = wr_take_open(in_folder("take.wrought"), &error);
    return take ? 0 : -1;
}

static wr_export_report export_as(const char *name, const char *bodies, wr_particle_choice choice)
{
    wr_export_desc desc = wr_export_desc_default();
    wr_export_report report;
    wr_error error = {0};
    desc.bodies = bodies;
    desc.text = true;
    wr_take_set_particles(take, choice, (wr_tasks){0});
    if (!wr_take_export(take, in_folder(name), &desc, &report, &error)) {
        fail_msg("%s", error.message);
    }
    return report;
}

static const wr_frame *frame_at(int index)
{
    const wr_frame *frame = wr_record_read_frame(wr_take_reader(take), index, NULL);
    assert_non_null(frame);
    return frame;
}

static wr_vec3 in_the_world(const wr_frame *frame, const wr_record_surface *s, int vertex)
{
    wr_vec3 x = s->positions[vertex];
    return s->in_world ? x : wr_pose_point(frame->poses[s->body], x);
}

// "skin", "skin 2", but not "skin splash".
static bool is_called(const wr_node *node, const char *name)
{
    size_t length = strlen(name);
    const char *rest = node->name + length;
    return strncmp(node->name, name, length) == 0 &&
           (!*rest || (*rest == ' ' && strspn(rest + 1, "0123456789") == strlen(rest + 1)));
}

static bool is_shown(const wr_mat34 *world)
{
    wr_vec3 unit =
        wr_sub(wr_mat34_apply(*world, wr_v3(0, 1, 0)), wr_mat34_apply(*world, wr_v3(0, 0, 0)));
    return wr_length(unit) > 0.5f;
}

static int count_shown(const wr_model *model, const wr_mat34 *world, const char *name)
{
    int count = 0;
    for (int i = 0; i < model->node_count; i++) {
        count += is_called(&model->nodes[i], name) && is_shown(&world[i]);
    }
    return count;
}

// How far the nearest triangle of a mesh is from one of a surface; looks may have sorted them.
static double find_offset(const wr_frame *frame, const wr_record_surface *s, int triangle,
                          const wr_mesh *mesh, const wr_vec3 *positions)
{
    double least = INFINITY;
    for (int u = 0; u < mesh->triangle_count; u++) {
        double own = 0.0;
        for (int k = 0; k < 3; k++) {
            wr_vec3 a = in_the_world(frame, s, s->triangles[3 * triangle + k]);
            own = fmax(own, (double)wr_distance(a, positions[mesh->triangles[3 * u + k]]));
        }
        least = fmin(least, own);
    }
    return least;
}

// One node shows the surface, as it was recorded.
static void check_surface(const wr_model *model, const wr_mat34 *world, const float *weights,
                          const wr_frame *frame, const wr_record_surface *s, const char *name)
{
    assert_int_equal(count_shown(model, world, name), 1);
    for (int i = 0; i < model->node_count; i++) {
        if (model->nodes[i].mesh < 0) {
            continue;
        }
        const wr_mesh *mesh = &model->meshes[model->nodes[i].mesh];
        if (is_called(&model->nodes[i], name) && is_shown(&world[i])) {
            wr_vec3 positions[64];
            assert_int_equal(mesh->triangle_count, s->triangle_count);
            wr_mesh_deform(mesh, weights, &world[i], NULL, positions, NULL);
            for (int t = 0; t < s->triangle_count; t++) {
                CHECK_NEAR(find_offset(frame, s, t, mesh, positions), 0.0, 1e-4);
            }
        }
        weights += mesh->morph_count;
    }
}

// Two looks: the model's in the colours of body and surface, and the plain one.
static void check_looks(const wr_model *model)
{
    for (int i = 0; i < model->node_count; i++) {
        if (model->nodes[i].mesh < 0) {
            continue;
        }
        const wr_mesh *mesh = &model->meshes[model->nodes[i].mesh];
        if (is_called(&model->nodes[i], "skin")) {
            assert_int_equal(mesh->part_count, 2);
            const wr_color plain = model->looks[mesh->parts[0].look].base_color;
            const wr_color paint = model->looks[mesh->parts[1].look].base_color;
            assert_int_equal(mesh->parts[0].triangle_count, (mesh->triangle_count + 1) / 2);
            CHECK_NEAR(plain.g, 0.5f * 0.75f, 1e-6);
            CHECK_NEAR(plain.b, 1.0f, 1e-6);
            CHECK_NEAR(paint.r, 0.5f, 1e-6);
            CHECK_NEAR(paint.b, 0.0f, 1e-6);
        }
    }
}

static void glb_has_a_node_for_every_stretch_of_equal_triangles(void **state)
{
    (void)state;
    wr_export_report report = export_as("take.glb", NULL, WR_PARTICLES_AS_SURFACE);
    wr_error error = {0};
    wr_model *model = wr_model_read(in_folder("take.glb"), NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    // Ground, water's and more's models; three stretches of the skin, one of the splash and of the
    // plate; particles in 11 - 1 frames of water and 8 - 1 different ones of sand; a camera, a sun.
    assert_int_equal(report.bodies, 5);
    assert_int_equal(report.nodes, model->node_count);
    assert_int_equal(model->node_count, 3 + 3 + 1 + 1 + 10 + 7 + 2);
    assert_int_equal(model->clip_count, 1);
    check_looks(model);
    wr_mat34 *world = calloc((size_t)model->node_count, sizeof *world);
    float *weights = calloc((size_t)wr_model_weight_count(model) + 1, sizeof *weights);
    for (int f = 0; f < SAMPLE_FRAMES; f++) {
        wr_model_pose(model, model->clips, f / 60.0 + 1e-7, world, weights);
        const wr_frame *frame = frame_at(f);
        static const char *const names[] = {"skin", "skin splash", "water surface 1"};
        for (int i = 0; i < frame->surface_count; i++) {
            const wr_record_surface *s = &frame->surfaces[i];
            int k = s->body == 1 ? s->number / 2 : 2;
            if (s->triangle_count > 0) {
                check_surface(model, world, weights, frame, s, names[k]);
            }
        }
        assert_int_equal(count_shown(model, world, "skin splash"), f >= 7 && f < 12);
        assert_int_equal(count_shown(model, world, "water surface 1"), f >= 3);
        assert_int_equal(count_shown(model, world, "water particles"), f >= 2 && f != 11);
        assert_int_equal(count_shown(model, world, "sand particles"), f >= 5);
        assert_int_equal(count_shown(model, world, "more"), f < 3 || f >= 6); // hidden by nothing
    }
    free(world);
    free(weights);
    wr_model_destroy(model);
}

// Every frame has its own triangles, in the world; also those of the particles' surface.
static void sequences_read_back_equal(void **state)
{
    (void)state;
    static const char *const names[] = {"s.##.obj", "s.##.ply"};
    for (int k = 0; k < 2; k++) {
        export_as(names[k], "skin", WR_PARTICLES_AS_RECORDED);
        for (int f = 0; f < SAMPLE_FRAMES; f++) {
            char name[32];
            snprintf(name, sizeof name, "s.%02d%s", f, names[k] + 4);
            wr_model *read = wr_model_read(in_folder(name), NULL, NULL);
            assert_non_null(read);
            wr_model *model = wr_model_flatten(read, NULL);
            const wr_frame *frame = frame_at(f);
            int corner = 0;
            for (int i = 0; i < frame->surface_count; i++) {
                const wr_record_surface *s = &frame->surfaces[i];
                if (s->body != 1) {
                    continue;
                }
                for (int look = -1; look <= 0; look++) { // sorted by their look
                    for (int t = 0; t < s->triangle_count; t++) {
                        for (int c = 0; (s->looks ? s->looks[t] : -1) == look && c < 3; c++) {
                            wr_vec3 a = in_the_world(frame, s, s->triangles[3 * t + c]);
                            wr_vec3 b =
                                model->meshes->positions[model->meshes->triangles[corner++]];
                            CHECK_NEAR(wr_distance(a, b), 0.0, 2e-6 * (double)wr_length(a));
                        }
                    }
                }
            }
            assert_int_equal(corner, 3 * model->meshes->triangle_count);
            wr_model_destroy(model);
            wr_model_destroy(read);
        }
    }
}

static void ply_sequences_have_the_particles_of_every_frame(void **state)
{
    (void)state;
    export_as("p.##.ply", "water", WR_PARTICLES_AS_SPHERES);
    for (int f = 0; f < SAMPLE_FRAMES; f++) {
        char name[32];
        snprintf(name, sizeof name, "p.%02d.ply", f);
        size_t size;
        char *text = read_whole(in_folder(name), &size);
        const wr_frame *frame = frame_at(f);
        const wr_record_particles *p = wr_frame_particles(frame, 2);
        char expected[128];
        int vertices = 3 + (f >= 3 ? 6 : 0), particles = p ? p->count : 0; // model and plate
        snprintf(expected, sizeof expected, "element vertex %d\n", vertices + particles);
        assert_non_null(strstr(text, expected));
        char *line = strstr(text, "end_header\n");
        for (int i = 0; i <= vertices; i++) {
            line = strchr(line, '\n') + 1;
        }
        for (int i = 0; i < particles; i++, line = strchr(line, '\n') + 1) {
            wr_vec3 x = wr_pose_point(frame->poses[2], p->positions[i]);
            const float expect[3] = {x.x, x.y, x.z};
            char *at = line;
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(strtod(at, &at), expect[k], 1e-5 * (1.0 + fabs((double)expect[k])));
            }
            char words[64];
            snprintf(words, sizeof words, "%.*s", (int)(strchr(line, '\n') - at - 1), at);
            assert_int_equal(strtoul(strrchr(words, ' '), NULL, 10), p->ids[i]);
        }
        wri_free(NULL, text, size + 1, 1);
    }
}

// A recording of one turned body, whose surface says its places in the body's frame first and in
// the world's later.
static void write_mixed(const char *path)
{
    static const wr_record_body body = {"drop", "clay", -1, false, false, {1, 1, 1, 1}};
    static const wr_pose pose = {{4, 5, 6}, {0.6f, 0, 0, 0.8f}};
    static const wr_vec3 corners[] = {{1, 2, 3}, {4, 2, 3}, {1, 7, 5}};
    static const int triangle[] = {0, 1, 2};
    wr_error error = {0};
    wr_record_info info = {.title = "mixed",
                           .program = "test",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = 3,
                           .stage = wr_stage_default(),
                           .body_count = 1,
                           .bodies = &body};
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    assert_non_null(writer);
    for (int f = 0; f < 4; f++) {
        const wr_record_surface surface = {.topology = (uint32_t)(f / 2),
                                           .name = "",
                                           .in_world = f >= 2,
                                           .look = -1,
                                           .color = {1, 1, 1, 1},
                                           .vertex_count = 3,
                                           .triangle_count = 1,
                                           .positions = corners,
                                           .triangles = triangle};
        const wr_frame frame = {.index = f,
                                .time = f / 60.0,
                                .body_count = 1,
                                .poses = &pose,
                                .surface_count = 1,
                                .surfaces = &surface};
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
}

static void a_surface_may_change_whose_frame_it_is_in(void **state)
{
    (void)state;
    wr_error error = {0};
    write_mixed(in_folder("mixed.wrought"));
    wr_take *mixed = wr_take_open(in_folder("mixed.wrought"), &error);
    assert_non_null(mixed);
    wr_export_desc desc = wr_export_desc_default();
    assert_true(wr_take_export(mixed, in_folder("mixed.glb"), &desc, NULL, &error));
    wr_model *model = wr_model_read(in_folder("mixed.glb"), NULL, &error);
    assert_non_null(model);
    for (int f = 0; f < 4; f++) {
        wr_mat34 world[4];
        float weights[16];
        const wr_frame *frame = wr_record_read_frame(wr_take_reader(mixed), f, &error);
        assert_true(model->node_count == 3 && wr_model_weight_count(model) <= 16);
        wr_model_pose(model, model->clip_count ? model->clips : NULL, f / 60.0 + 1e-7, world,
                      weights);
        assert_true(is_shown(&world[2]));
        wr_vec3 positions[3];
        wr_mesh_deform(model->meshes, weights, &world[2], NULL, positions, NULL);
        CHECK_NEAR(find_offset(frame, frame->surfaces, 0, model->meshes, positions), 0.0, 1e-4);
    }
    wr_model_destroy(model);
    wr_take_close(mixed);
}

// A surface of number 0 without triangles hides the model.
static void a_hidden_model_is_not_in_the_files_of_a_sequence(void **state)
{
    (void)state;
    export_as("h.##.ply", "more", WR_PARTICLES_AS_SPHERES);
    for (int f = 0; f < SAMPLE_FRAMES; f++) {
        char name[32];
        snprintf(name, sizeof name, "h.%02d.ply", f);
        size_t size;
        char *text = read_whole(in_folder(name), &size);
        const char *expected = f < 3 || f >= 6 ? "element vertex 3\n" : "element vertex 0\n";
        assert_non_null(strstr(text, expected));
        wri_free(NULL, text, size + 1, 1);
    }
}

static void usd_has_surfaces_and_particles_of_a_take(void **state)
{
    (void)state;
    wr_export_report report = export_as("take.usda", NULL, WR_PARTICLES_AS_RECORDED);
    assert_int_equal(report.nodes, 3 + 3 + 2 + 3); // a camera, a sun, a sky
    size_t size;
    char *text = read_whole(in_folder("take.usda"), &size);
    usda u;
    usda_read(&u, text, size);
    check_value(&u, "/sample/skin/mesh", "int[] faceVertexCounts.timeSamples",
                "{ 0: [3,3,3], 4: [3,3,3,3], 9: [3,3,3,3,3], }");
    check_value(&u, "/sample/skin_splash/mesh", "token visibility.timeSamples",
                "{ 0: \"invisible\", 7: \"inherited\", 12: \"invisible\", }");
    check_value(&u, "/sample/more", "token visibility.timeSamples",
                "{ 0: \"inherited\", 3: \"invisible\", 6: \"inherited\", }");
    assert_string_equal(usda_find(&u, "/sample/water_particles/particles")->type, "Points");
    assert_string_equal(usda_find(&u, "/sample/sand_particles/mesh")->type, "Mesh"); // as recorded
    usda_destroy(&u);
    wri_free(NULL, text, size + 1, 1);
}

// The numbers of an attribute in a frame: of its last sample up to there, or its only value.
static wri_array numbers_at(const usda *u, const char *prim, const char *declaration, int frame)
{
    char sampled[128];
    snprintf(sampled, sizeof sampled, "%s.timeSamples", declaration);
    const usda_attribute *a = usda_attribute_of(u, prim, sampled);
    if (!a || !a->value) {
        a = attribute(u, prim, declaration);
        return usda_numbers(a->value, a->length);
    }
    const char *begin = NULL, *end = NULL, *stop = a->value + a->length;
    for (const char *at = strchr(a->value, '{') + 1; at < stop;) {
        at += strspn(at, " \n");
        char *colon;
        long key = strtol(at, &colon, 10);
        const char *close = colon;
        for (int depth = 0; close < stop && (depth > 0 || *close != ','); close++) {
            depth += (*close == '[' || *close == '(') - (*close == ']' || *close == ')');
        }
        if (*colon == ':' && key <= frame) {
            begin = colon + 1;
            end = close;
        }
        at = *colon == ':' ? close + 1 : stop;
    }
    assert_non_null(begin);
    return usda_numbers(begin, (size_t)(end - begin));
}

// Vertices or particles of a prim in the world, where its parent carries it.
static int places_at(const usda *u, const char *name, const char *kind, int frame, wr_vec3 *out)
{
    char parent[128], prim[160];
    snprintf(parent, sizeof parent, "/sample/%s", name);
    snprintf(prim, sizeof prim, "%s/%s", parent, kind);
    wri_array t = numbers_at(u, parent, "double3 xformOp:translate", frame);
    wri_array q = numbers_at(u, parent, "quatf xformOp:orient", frame);
    wri_array p = numbers_at(u, prim, "point3f[] points", frame);
    const double *x = t.items, *r = q.items, *v = p.items;
    int count = p.count / 3;
    assert_true(t.count == 3 && q.count == 4 && count <= 64);
    wr_pose pose = {{(float)x[0], (float)x[1], (float)x[2]},
                    {(float)r[1], (float)r[2], (float)r[3], (float)r[0]}}; // w stands first
    for (int i = 0; i < count; i++) {
        wr_vec3 local = wr_v3((float)v[3 * i], (float)v[3 * i + 1], (float)v[3 * i + 2]);
        out[i] = wr_pose_point(pose, local);
    }
    wri_array_destroy(&t);
    wri_array_destroy(&q);
    wri_array_destroy(&p);
    return count;
}

// The box that a prim says it fills is that of its points, half their widths wider.
static void check_extent(const usda *u, const char *prim, int frame, const wri_array *widths)
{
    wri_array points = numbers_at(u, prim, "point3f[] points", frame);
    wri_array extent = numbers_at(u, prim, "float3[] extent", frame);
    assert_int_equal(extent.count, points.count ? 6 : 0);
    for (int k = 0; k < extent.count; k++) {
        double most = -INFINITY, side = k < 3 ? -1.0 : 1.0;
        for (int i = 0; i < points.count / 3; i++) {
            double margin = widths ? 0.5 * WRI_ITEM(*widths, double, i) : 0.0;
            most = fmax(most, side * WRI_ITEM(points, double, 3 * i + k % 3) + margin);
        }
        CHECK_NEAR(side * WRI_ITEM(extent, double, k), most, 1e-6 * (1.0 + fabs(most)));
    }
    wri_array_destroy(&points);
    wri_array_destroy(&extent);
}

static void check_usd_surface(const usda *u, const wr_frame *frame, const wr_record_surface *s,
                              const char *name)
{
    wr_vec3 positions[64];
    char prim[160];
    int triangles[64];
    snprintf(prim, sizeof prim, "/sample/%s/mesh", name);
    assert_int_equal(places_at(u, name, "mesh", frame->index, positions), s->vertex_count);
    wri_array corners = numbers_at(u, prim, "int[] faceVertexIndices", frame->index);
    assert_int_equal(corners.count, 3 * s->triangle_count);
    for (int i = 0; i < corners.count; i++) {
        triangles[i] = (int)WRI_ITEM(corners, double, i);
    }
    check_extent(u, prim, frame->index, NULL);
    wr_mesh mesh = {.triangle_count = s->triangle_count, .triangles = triangles};
    for (int t = 0; t < s->triangle_count; t++) {
        CHECK_NEAR(find_offset(frame, s, t, &mesh, positions), 0.0, 1e-5);
    }
    wri_array_destroy(&corners);
}

static void check_usd_cloud(const usda *u, const wr_frame *frame, int body, const char *name)
{
    const wr_record_particles *p = wr_frame_particles(frame, body);
    wr_vec3 found[64];
    char prim[160];
    snprintf(prim, sizeof prim, "/sample/%s/particles", name);
    int count = places_at(u, name, "particles", frame->index, found);
    wri_array widths = numbers_at(u, prim, "float[] widths", frame->index);
    assert_int_equal(count, p ? p->count : 0);
    assert_int_equal(widths.count, count);
    check_extent(u, prim, frame->index, &widths);
    for (int i = 0; i < count; i++) {
        wr_vec3 x = p->positions[i];
        x = p->in_world ? x : wr_pose_point(frame->poses[body], x);
        CHECK_NEAR(wr_distance(found[i], x), 0.0, 2e-5);
        double radius = (double)(p->radii ? p->radii[i] : p->radius);
        CHECK_NEAR(WRI_ITEM(widths, double, i), 2.0 * radius, 1e-6);
    }
    wri_array_destroy(&widths);
}

// Every surface and every particle of every frame is where the recording has it.
static void usd_has_the_places_of_every_frame(void **state)
{
    (void)state;
    export_as("places.usda", NULL, WR_PARTICLES_AS_SPHERES);
    size_t size;
    char *text = read_whole(in_folder("places.usda"), &size);
    usda u;
    usda_read(&u, text, size);
    static const char *const names[] = {"skin", "skin_splash", "water_surface_1"};
    for (int f = 0; f < SAMPLE_FRAMES; f++) {
        const wr_frame *frame = frame_at(f);
        for (int i = 0; i < frame->surface_count; i++) {
            const wr_record_surface *s = &frame->surfaces[i];
            if (s->triangle_count > 0) {
                check_usd_surface(&u, frame, s, names[s->body == 1 ? s->number / 2 : 2]);
            }
        }
        check_usd_cloud(&u, frame, 2, "water_particles");
        check_usd_cloud(&u, frame, 4, "sand_particles");
    }
    usda_destroy(&u);
    wri_free(NULL, text, size + 1, 1);
}

static void what_a_format_cannot_say_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *bodies, *sentence;
    } cases[] = {
        {"no.pc2", NULL,
         "no.pc2: a point cache keeps its triangles, but \"skin\" changes; .glb, .usda, .obj and "
         ".ply can say that"},
        {"no.mdd", "sand",
         "no.mdd: a point cache keeps its triangles, but \"sand particles\" changes; .glb, .usda, "
         ".obj and .ply can say that"},
        {"no.glb", NULL,
         "no.glb: glTF has no particles; as a surface it has them, and .ply and .usda have them as "
         "they are"},
        {"no.##.obj", "water",
         "no.##.obj: OBJ has no particles; as a surface it has them, and .ply and .usda have them "
         "as "
         "they are"},
        {"no.png", "skin",
         "no.png: a sprite sheet has drawings, but \"skin\" is none; render makes pictures of it"},
    };
    wr_take_set_particles(take, WR_PARTICLES_AS_RECORDED, (wr_tasks){0});
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        wr_export_desc desc = wr_export_desc_default();
        wr_error error = {0};
        desc.bodies = cases[i].bodies;
        assert_false(wr_take_export(take, in_folder(cases[i].name), &desc, NULL, &error));
        assert_int_equal(error.code, WR_E_UNSUPPORTED);
        assert_string_equal(strrchr(error.message, '/') + 1, cases[i].sentence);
        assert_false(wri_file_exists(in_folder(cases[i].name)));
    }
}

// --- pictures ---------------------------------------------------------------------------------

static wr_pose pose_of(int frame, int body)
{
    return wr_record_read_frame(wr_take_reader(take), frame, NULL)->poses[body];
}

static void things_are_models_surfaces_and_particles(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_drawing list;
    for (int choice = 0; choice < 3; choice++) {
        wr_take_set_particles(take, (wr_particle_choice)choice, (wr_tasks){0});
        for (int f = 0; f < SAMPLE_FRAMES; f++) {
            for (int paint = 0; paint < 2; paint++) {
                assert_true(wr_take_read(take, f, (wr_paint)paint, &list, &error));
                int models = 0, meshes = 0, spheres = 0;
                for (int i = 0; i < list.count; i++) {
                    const wr_render_thing *t = &list.things[i];
                    meshes += t->mesh != NULL;
                    spheres += t->spheres != NULL;
                    models += !t->mesh && !t->spheres;
                    assert_true(!t->mesh || t->mesh->normals);
                    if (t->mesh && list.bodies[i] == 1) { // the skin goes along, the splash not
                        bool splash = t->mesh->triangle_count == 2;
                        wr_pose pose = splash ? WR_POSE_IDENTITY : pose_of(f, 1);
                        assert_memory_equal(&t->pose, &pose, sizeof pose);
                    }
                }
                bool water = f >= 2 && f != 11, sand = f >= 5;
                int surfaces = 1 + (f >= 7 && f < 12) + (f >= 3);
                int round = choice == WR_PARTICLES_AS_SPHERES   ? water + sand
                            : choice == WR_PARTICLES_AS_SURFACE ? 0
                                                                : water;
                // The ground, water's model, and more's while nothing hides it; never the skin's.
                assert_int_equal(models, 2 + (f < 3 || f >= 6));
                assert_int_equal(spheres, round);
                assert_int_equal(meshes, surfaces + water + sand - round);
            }
        }
    }
}

// Frames in any order, on one renderer; each choice shows sand in another way.
static void pictures_show_surfaces_and_particles(void **state)
{
    (void)state;
    enum { W = 96, H = 64 };
    static uint8_t pixels[3][W * H * 3], again[W * H * 3];
    wr_render_desc desc = wr_render_desc_default();
    desc.width = W;
    desc.height = H;
    wr_render *render = wr_render_create(&desc, NULL);
    wr_stage stage = wr_stage_default();
    wr_camera camera = {.from = {7, 0, 5}, .to = {7, 0, 0}, .fov = 0.8f};
    for (int choice = 0; choice < 3; choice++) {
        wr_take_set_particles(take, (wr_particle_choice)choice, (wr_tasks){0});
        for (int f = SAMPLE_FRAMES - 1; f >= 0; f--) {
            wr_drawing list;
            wr_error error = {0};
            uint8_t *out = f == 8 ? pixels[choice] : again;
            if (!wr_take_read(take, f == 0 ? 8 : f, WR_PAINT_LOOKS, &list, &error) ||
                !wr_render_draw(render, list.things, list.count, &stage, &camera, out, &error)) {
                fail_msg("%s", error.message);
            }
        }
        assert_memory_equal(pixels[choice], again, sizeof again);
    }
    wr_render_destroy(render);
    assert_true(memcmp(pixels[0], pixels[1], sizeof again) != 0);
    for (int i = 0; i < W * H * 3; i++) { // sand was a surface; water beside it shades
        assert_true(abs(pixels[0][i] - pixels[2][i]) <= 1);
    }
}

// --- the program ------------------------------------------------------------------------------

static void info_tells_of_surfaces_and_particles(void **state)
{
    (void)state;
    program_run run = RUN_PROGRAM("info", in_folder("take.wrought"));
    assert_int_equal(run.status, 0);
    static const char *const lines[] = {
        "  surface              \"skin\" 0 \"skin\", frames 0 to 12, 3 topologies, at most 7 "
        "vertices "
        "and 5 triangles\n",
        "  surface              \"skin\" 2 \"splash\", frames 7 to 11, 1 topology, at most 4 "
        "vertices "
        "and 2 triangles\n",
        "  surface              \"more\" 0 \"\", frames 3 to 5, 1 topology, at most 0 vertices and "
        "0 "
        "triangles\n",
        "  particles            \"water\", frames 0 to 12, at most 18, with ids, shown as "
        "spheres\n",
        "  particles            \"sand\", frames 5 to 12, at most 9, without ids, shown as "
        "surface\n",
    };
    for (int i = 0; i < WRI_COUNT(lines); i++) {
        if (!strstr(run.printed, lines[i])) {
            fail_msg("%s is not in\n%s", lines[i], run.printed);
        }
    }
    run = RUN_PROGRAM("info", in_folder("take.wrought"), "--json");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.printed, "\"topologies\": 3"));
    assert_non_null(strstr(run.printed, "\"most\": 18"));
}

// One frame with large particles.
static void write_drops(const char *path)
{
    const wr_vec3 drops[3] = {{0, 1, 0}, {0.8f, 1, 0}, {0.4f, 2, 0}};
    const wr_record_particles cloud = {
        .body = 3, .count = 3, .color = {1, 1, 1, 1}, .positions = drops, .radius = 0.5f};
    const wr_frame frame = {.body_count = SAMPLE_BODIES,
                            .poses = sample_poses,
                            .particles_count = 1,
                            .particles = &cloud};
    wr_record_writer *writer = sample_create_writer(path, 0, NULL);
    assert_true(writer && wr_record_add_frame(writer, &frame, NULL));
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
}

static void the_command_line_chooses_how_particles_are_shown(void **state)
{
    (void)state;
    const char *take_path = in_folder("take.wrought");
    program_run run = RUN_PROGRAM("export", take_path, "-o", in_folder("cli.glb"), "-q");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.said, "cli.glb: glTF has no particles"));
    take_path = in_folder("take.wrought");
    run = RUN_PROGRAM("export", take_path, "-o", in_folder("cli.glb"), "-q", "--particles",
                      "surface");
    assert_int_equal(run.status, 0);
    static const char *const words[] = {"render", "export"};
    for (int i = 0; i < 2; i++) {
        take_path = in_folder("take.wrought");
        run = RUN_PROGRAM(words[i], take_path, "--particles", "dots");
        assert_int_equal(run.status, 2);
        assert_string_equal(run.said, "wrought: --particles \"dots\": expected spheres or surface");
        run = RUN_PROGRAM(words[i], in_folder("cli.glb"), "-o", in_folder(i ? "a.obj" : "a.png"),
                          "--particles", "spheres");
        assert_int_equal(run.status, 2);
        assert_string_equal(run.said, "wrought: only recordings have particles");
    }
    size_t sizes[2];
    char *pictures[2];
    write_drops(in_folder("drops.wrought"));
    for (int i = 0; i < 2; i++) {
        run = RUN_PROGRAM("render", in_folder("drops.wrought"), "-o", in_folder("a.png"), "-q",
                          "--size", "96x64", "--particles", i ? "surface" : "spheres");
        assert_int_equal(run.status, 0);
        pictures[i] = read_whole(in_folder("a.png"), &sizes[i]);
    }
    assert_true(sizes[0] != sizes[1] || memcmp(pictures[0], pictures[1], sizes[0]) != 0);
    wri_free(NULL, pictures[0], sizes[0] + 1, 1);
    wri_free(NULL, pictures[1], sizes[1] + 1, 1);
}

static int tear_down(void **state)
{
    (void)state;
    wr_take_close(take);
    temporary_folder_destroy(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usd_has_samples_of_triangles_where_they_change),
        cmocka_unit_test(usd_refuses_what_is_none),
        cmocka_unit_test(ply_has_particles_with_radius_and_id),
        cmocka_unit_test(glb_has_a_node_for_every_stretch_of_equal_triangles),
        cmocka_unit_test(sequences_read_back_equal),
        cmocka_unit_test(ply_sequences_have_the_particles_of_every_frame),
        cmocka_unit_test(a_hidden_model_is_not_in_the_files_of_a_sequence),
        cmocka_unit_test(usd_has_surfaces_and_particles_of_a_take),
        cmocka_unit_test(usd_has_the_places_of_every_frame),
        cmocka_unit_test(a_surface_may_change_whose_frame_it_is_in),
        cmocka_unit_test(what_a_format_cannot_say_is_refused),
        cmocka_unit_test(things_are_models_surfaces_and_particles),
        cmocka_unit_test(pictures_show_surfaces_and_particles),
        cmocka_unit_test(info_tells_of_surfaces_and_particles),
        cmocka_unit_test(the_command_line_chooses_how_particles_are_shown),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
