// test_metal_mesh.c: moving meshes whose vertices change, and metal that collides by its triangles.
#include "folder.h"

#include "../src/base/os.h"
#include "../src/world/metal.h"
#include "../src/metal/metal.h"
#include "../src/world/world.h"
#include "wrought/wrought.h"

#define DT (1.0f / 240.0f)

// --- a table whose top can be pressed in ---------------------------------------------------------

enum { SIDE = 12, RIM = SIDE + 1, TOP = RIM * RIM, VERTICES = TOP + 4 };

typedef struct table {
    wr_vec3 points[VERTICES];
    int triangles[3 * (2 * SIDE * SIDE + 4 * SIDE + 6)];
    int triangle_count;
} table;

static int top_vertex(int i, int j)
{
    return i * RIM + j;
}

static void add_triangle(table *t, int a, int b, int c)
{
    int *to = &t->triangles[3 * t->triangle_count++];
    to[0] = a, to[1] = b, to[2] = c;
}

// 2 x 1 x 2 metres; the middle of its top is `height` above the rest, and smoothly so within 0.8 m.
static void shape_table(table *t, float height)
{
    for (int i = 0; i <= SIDE; i++) {
        for (int j = 0; j <= SIDE; j++) {
            float x = -1.0f + 2.0f * (float)i / SIDE, z = -1.0f + 2.0f * (float)j / SIDE;
            float s = fminf(sqrtf(x * x + z * z) / 0.8f, 1.0f),
                  phi = 1.0f + s * s * (2.0f * s - 3.0f);
            t->points[top_vertex(i, j)] = wr_v3(x, 0.5f + height * phi, z);
        }
    }
    for (int k = 0; k < 4; k++) {
        t->points[TOP + k] = wr_v3(k & 1 ? 1.0f : -1.0f, -0.5f, k & 2 ? 1.0f : -1.0f);
    }
}

static void join_table(table *t)
{
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            int a = top_vertex(i, j), b = top_vertex(i + 1, j), c = top_vertex(i + 1, j + 1),
                d = top_vertex(i, j + 1);
            add_triangle(t, a, c, b);
            add_triangle(t, a, d, c);
        }
        add_triangle(t, top_vertex(i, 0), top_vertex(i + 1, 0), TOP); // walls: fans from a corner
        add_triangle(t, top_vertex(i + 1, SIDE), top_vertex(i, SIDE), TOP + 3);
        add_triangle(t, top_vertex(0, i + 1), top_vertex(0, i), TOP + 2);
        add_triangle(t, top_vertex(SIDE, i), top_vertex(SIDE, i + 1), TOP + 1);
    }
    add_triangle(t, TOP, top_vertex(SIDE, 0), TOP + 1);
    add_triangle(t, TOP + 3, top_vertex(0, SIDE), TOP + 2);
    add_triangle(t, TOP + 2, top_vertex(0, 0), TOP);
    add_triangle(t, TOP + 1, top_vertex(SIDE, SIDE), TOP + 3);
    add_triangle(t, TOP, TOP + 1, TOP + 2);
    add_triangle(t, TOP + 1, TOP + 3, TOP + 2);
}

static wr_mass_properties box_mass(double mass, double x, double y, double z)
{
    wr_mass_properties m = {.mass = mass};
    m.inertia[0][0] = mass * (y * y + z * z) / 12.0;
    m.inertia[1][1] = mass * (x * x + z * z) / 12.0;
    m.inertia[2][2] = mass * (x * x + y * y) / 12.0;
    return m;
}

static int add(wr_rigid *rigid, const wr_rigid_body_desc *desc)
{
    wr_error error = {0};
    int body = wr_rigid_add_body(rigid, desc, &error);
    if (body < 0) {
        fail_msg("%s", error.message);
    }
    return body;
}

static void run(wr_rigid *rigid, double seconds)
{
    for (int i = 0; i < (int)(seconds / (double)DT); i++) {
        wr_rigid_step(rigid, DT, NULL, NULL);
    }
}

// A level table on the ground, as a mesh or as one hull; returns its number.
static int add_table(wr_rigid *rigid, table *t, bool as_mesh)
{
    t->triangle_count = 0;
    shape_table(t, 0.0f);
    join_table(t);
    wr_rigid_body_desc ground = wr_rigid_body_desc_default();
    ground.shape.kind = WR_SHAPE_PLANE;
    ground.motion = WR_MOTION_STATIC;
    add(rigid, &ground);
    wr_piece piece = {t->points, VERTICES};
    wr_rigid_body_desc desc = wr_rigid_body_desc_default();
    desc.shape = as_mesh ? (wr_shape){.kind = WR_SHAPE_MESH,
                                      .positions = t->points,
                                      .vertex_count = VERTICES,
                                      .triangles = t->triangles,
                                      .triangle_count = t->triangle_count}
                         : (wr_shape){.kind = WR_SHAPE_HULLS, .pieces = &piece, .piece_count = 1};
    desc.mass = box_mass(4000.0, 2.0, 1.0, 2.0);
    desc.pose.position = wr_v3(0, 0.5f, 0);
    return add(rigid, &desc);
}

// Where a ball of 0.2 m comes to rest that falls on the middle of the table, whose top changed
// after it was made.
static float land_on(float height, bool as_mesh)
{
    table t;
    wr_rigid_desc world = wr_rigid_desc_default();
    wr_rigid *rigid = wr_rigid_create(&world, NULL);
    int body = add_table(rigid, &t, as_mesh);
    run(rigid, 0.2);
    shape_table(&t, height);
    if (as_mesh) {
        wr_rigid_set_mesh(rigid, body, t.points);
    } else {
        wr_rigid_set_piece(rigid, body, 0, t.points);
    }
    wr_rigid_body_desc ball = wr_rigid_body_desc_default();
    ball.shape.kind = WR_SHAPE_SPHERE;
    ball.shape.size.x = 0.2f;
    ball.mass = box_mass(10.0, 0.31, 0.31, 0.31);
    ball.restitution = 0.0f;
    ball.rolling_friction = 0.2f;
    ball.pose.position = wr_v3(0.02f, 2.0f, 0.01f);
    int fallen = add(rigid, &ball);
    run(rigid, 2.0);
    float y = wr_rigid_pose(rigid, fallen).position.y;
    wr_vec3 at = wr_rigid_pose(rigid, body).position;
    assert_true(fabsf(at.y - 0.5f) < 0.01f && fabsf(at.x) < 0.01f && fabsf(at.z) < 0.01f);
    wr_rigid_destroy(rigid);
    return y;
}

static void a_ball_falls_into_a_dent_that_a_hull_does_not_have(void **state)
{
    (void)state;
    float mesh = land_on(-0.3f, true), hull = land_on(-0.3f, false);
    CHECK_NEAR((double)mesh, 1.0 - 0.3 + 0.2, 0.02);
    CHECK_NEAR((double)hull, 1.0 + 0.2, 0.02);
}

// The bump lies outside of the bounds that the mesh was made with.
static void a_ball_finds_a_bump_that_was_not_there(void **state)
{
    (void)state;
    CHECK_NEAR((double)land_on(0.4f, true), 1.0 + 0.4 + 0.2, 0.02);
}

static void a_flying_mesh_keeps_its_momentum_when_it_changes(void **state)
{
    (void)state;
    table t = {.triangle_count = 0};
    shape_table(&t, 0.0f);
    join_table(&t);
    wr_rigid_desc world = wr_rigid_desc_default();
    world.gravity = wr_v3(0, 0, 0);
    wr_rigid *rigid = wr_rigid_create(&world, NULL);
    wr_rigid_body_desc desc = wr_rigid_body_desc_default();
    desc.shape = (wr_shape){.kind = WR_SHAPE_MESH,
                            .positions = t.points,
                            .vertex_count = VERTICES,
                            .triangles = t.triangles,
                            .triangle_count = t.triangle_count};
    desc.mass = box_mass(100.0, 2.0, 1.0, 2.0);
    desc.velocity = wr_v3(3, 1, -2);
    desc.angular_velocity = wr_v3(0, 2, 0);
    desc.angular_damping = 0.0f;
    int body = add(rigid, &desc);
    run(rigid, 0.1);
    wr_vec3 before = wr_rigid_center(rigid, body);
    double spun = (double)wr_rigid_angular_velocity(rigid, body).y * desc.mass.inertia[1][1];
    shape_table(&t, -0.3f);
    wr_mass_properties mass = box_mass(100.0, 1.8, 0.8, 1.9);
    mass.center[1] = -0.05;
    wr_rigid_set_mesh(rigid, body, t.points);
    wr_rigid_set_mass(rigid, body, &mass);
    wr_vec3 v = wr_rigid_velocity(rigid, body), after = wr_rigid_center(rigid, body);
    CHECK_NEAR((double)wr_distance(v, wr_v3(3, 1, -2)), 0.0, 1e-5);
    CHECK_NEAR((double)wr_rigid_angular_velocity(rigid, body).y * mass.inertia[1][1], spun,
               1e-4 * spun);
    CHECK_NEAR((double)wr_distance(before, after), 0.0, 1e-5);
    wr_rigid_destroy(rigid);
}

// Boxes tumble into a pit that grows while they fall.
static void a_changed_mesh_comes_back_from_bytes(void **state)
{
    (void)state;
    wr_rigid_desc world = wr_rigid_desc_default();
    wr_rigid *rigids[2];
    table t;
    for (int k = 0; k < 2; k++) {
        rigids[k] = wr_rigid_create(&world, NULL);
        add_table(rigids[k], &t, true);
        for (int i = 0; i < 6; i++) {
            wr_rigid_body_desc box = wr_rigid_body_desc_default();
            float size = 0.2f + 0.03f * (float)i;
            box.shape.size = wr_v3(size, size, size);
            box.mass = box_mass(20.0, (double)size, (double)size, (double)size);
            box.angular_velocity = wr_v3(1, (float)i, 2);
            box.pose.position = wr_v3(0.25f * (float)(i % 3) - 0.25f, 1.3f + 0.2f * (float)i,
                                      0.2f * (float)(i % 2));
            add(rigids[k], &box);
        }
    }
    for (int i = 0; i < 100; i++) {
        shape_table(&t, -0.003f * (float)i);
        wr_rigid_set_mesh(rigids[0], 1, t.points);
        run(rigids[0], 0.0043);
    }
    size_t size;
    const void *bytes = wr_rigid_save(rigids[0], &size, NULL);
    assert_true(bytes && wr_rigid_restore(rigids[1], bytes, size, NULL));
    for (int i = 0; i < 240; i++) {
        for (int k = 0; k < 2; k++) {
            wr_rigid_step(rigids[k], DT, NULL, NULL);
        }
        assert_true(wr_rigid_hash(rigids[0]) == wr_rigid_hash(rigids[1]));
    }
    wr_rigid_destroy(rigids[0]);
    wr_rigid_destroy(rigids[1]);
}

// --- metal ---------------------------------------------------------------------------------------

typedef struct show {
    wr_scene *scene;
    wr_world *world;
} show;

// bodies: text with ' for "; the asset is called "barrel".
static show start(const char *options, const char *bodies)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        print_message("WROUGHT_SCENES is not set\n");
        skip();
    }
    wri_arena arena = wri_arena_create(NULL);
    char *path = wri_arena_printf(&arena, "%s/mesh.scene.json", folder.path);
    char *text = wri_arena_printf(&arena,
                                  "{ 'wrought': 1, %s, 'assets': { 'barrel': "
                                  "'%s/barrel.recipe.json' }, 'bodies': [ %s ] }",
                                  options, scenes, bodies);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    wr_error error = {0};
    show s = {0};
    wr_world_desc desc = wr_world_desc_default();
    assert_true(wri_file_write(path, text, strlen(text), NULL));
    s.scene = wr_scene_read(path, NULL, &error);
    desc.scene = s.scene;
    s.world = s.scene ? wr_world_create(&desc, &error) : NULL;
    wri_arena_destroy(&arena);
    if (!s.world) {
        fail_msg("%s", error.message);
    }
    return s;
}

static void stop(show *s)
{
    wr_world_destroy(s->world);
    wr_scene_destroy(s->scene);
}

static void step_frames(show *s, int count)
{
    for (int i = 0; i < count; i++) {
        wr_world_step_frame(s->world);
    }
}

#define MESH "'material': { 'metal': 'thin steel', 'collide': 'mesh' }"
#define BARREL "{ 'name': 'b', 'asset': 'barrel', " MESH

// Of the barrel when it stands; its origin is in its middle.
static double half_height(const show *s)
{
    const wr_metal *metal = wri_metal_of(s->world->materials[0].state);
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < metal->asset->N; i++) {
        box = wr_box_add(box, metal->asset->rest[i]);
    }
    return -(double)box.min.y;
}

static void an_unknown_shape_is_refused_with_those_there_are(void **state)
{
    (void)state;
    char path[600];
    wr_error error = {0};
    static const char text[] =
        "{ \"wrought\": 1, \"bodies\": [ { \"shape\": { \"sphere\": 1 },\n"
        "  \"material\": { \"metal\": \"tin\", \"collide\": \"mash\" } } ] }";
    snprintf(path, sizeof path, "%s/bad.scene.json", folder.path);
    assert_true(wri_file_write(path, text, sizeof text - 1, NULL));
    assert_null(wr_scene_read(path, NULL, &error));
    assert_non_null(strstr(error.message, ":2:"));
    assert_non_null(strstr(error.message, "mesh"));
}

static void metal_stands_on_its_triangles_and_stays_whole(void **state)
{
    (void)state;
    show s = start("'length': 3, 'sleeping': false",
                   "{ 'shape': 'plane' }, " BARREL ", 'at': [0, 0.44, 0] }");
    const wr_metal *metal = wri_metal_of(s.world->materials[0].state);
    step_frames(&s, 60);
    wr_vec3 at = wr_rigid_pose(s.world->rigid, s.world->engine_of_body[1]).position;
    CHECK_NEAR((double)at.y, half_height(&s), 0.005);
    step_frames(&s, 120);
    wr_vec3 later = wr_rigid_pose(s.world->rigid, s.world->engine_of_body[1]).position;
    CHECK_NEAR((double)wr_distance(at, later), 0.0, 1e-3);
    assert_int_equal(metal->statistics.hits_total, 0);
    stop(&s);
}

static void momentum_outlives_a_blow_that_dents(void **state)
{
    (void)state;
    show s = start("'length': 1, 'gravity': [0, 0, 0]",
                   BARREL ", 'mass': 50 }, { 'shape': { 'sphere': 0.15 }, 'mass': 30, "
                          "'at': [2, 0.02, 0.01], 'velocity': [-12, 0, 0] }");
    const wr_metal *metal = wri_metal_of(s.world->materials[0].state);
    step_frames(&s, 60);
    assert_true(metal->statistics.hits_total > 0);
    wr_rigid *rigid = s.world->rigid;
    wr_vec3 a = wr_rigid_velocity(rigid, s.world->engine_of_body[0]);
    wr_vec3 b = wr_rigid_velocity(rigid, s.world->engine_of_body[1]);
    wr_vec3 sum = wr_add_scaled(wr_scale(50.0f, a), 30.0f, b);
    CHECK_NEAR((double)wr_distance(sum, wr_v3(-360, 0, 0)), 0.0, 1e-4 * 360);
    assert_true(a.x < -0.5f);
    stop(&s);
}

// The engine knows the dent: the ball that lies on the barrel touches the triangles it has now.
static void a_ball_lies_on_the_dented_skin(void **state)
{
    (void)state;
    show s = start("'length': 4, 'substeps': 8",
                   "{ 'shape': 'plane' }, " BARREL ", 'mass': 500, 'at': [0, 0.44, 0], "
                   "'friction': 1 }, { 'shape': { 'sphere': 0.1 }, 'mass': 1, 'rolling': 0.5, "
                   "'friction': 1, 'restitution': 0, 'at': [0.02, 1.4, 0.01] }");
    wr_metal *metal = wri_metal_of(s.world->materials[0].state);
    uint16_t goal[WR_SKIN_EXAMPLES_MAX] = {WRI_METAL_ONE};
    for (int i = 0; i < metal->asset->N; i++) {
        wri_metal_set_goal(metal, i, goal);
    }
    metal->parameters.yield = 1e9f; // from here on it stays as it is
    step_frames(&s, 240);
    wr_rigid *rigid = s.world->rigid;
    wr_pose at = wr_rigid_pose(rigid, s.world->engine_of_body[1]);
    wr_vec3 center = wr_rigid_pose(rigid, s.world->engine_of_body[2]).position;
    wr_vec3 local = wr_rotate(wr_quat_conjugate(at.rotation), wr_sub(center, at.position));
    float least = INFINITY;
    for (int t = 0; t < metal->asset->triangle_count; t++) {
        const int *v = &metal->asset->triangles[3 * t];
        for (int k = 0; k < 64; k++) { // enough places of each
            float u = (float)(k % 8) / 7.0f, w = (1.0f - u) * (float)(k / 8) / 7.0f;
            wr_vec3 p = wr_scale(1.0f - u - w, metal->x[v[0]]);
            p = wr_add_scaled(wr_add_scaled(p, u, metal->x[v[1]]), w, metal->x[v[2]]);
            least = fminf(least, wr_distance(p, local));
        }
    }
    assert_true(center.y > 0.3f && metal->bending_count == 0); // it did not roll off
    CHECK_NEAR((double)least, 0.1, 0.006);
    stop(&s);
}

static void going_on_after_a_restore_is_the_same(void **state)
{
    (void)state;
    static const char bodies[] =
        "{ 'shape': 'plane' }, " BARREL ", 'at': [0, 1.5, 0], 'spin': [100, 0, 60], 'copies': "
        "{ 'count': 2, 'step': [0.3, 0.9, 0.1] } }";
    show a = start("'length': 3", bodies), b = start("'length': 3", bodies);
    size_t size;
    step_frames(&a, 60);
    assert_true(wr_world_forgets(a.world));
    const void *bytes = wr_world_save(a.world, &size, NULL);
    assert_non_null(bytes);
    assert_true(wri_metal_of(a.world->materials[0].state)->statistics.hits_total > 0);
    assert_true(wr_world_restore(b.world, bytes, size, NULL));
    step_frames(&a, 60);
    step_frames(&b, 60);
    assert_true(wr_world_frame(a.world)->hash == wr_world_frame(b.world)->hash);
    stop(&a);
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_falls_into_a_dent_that_a_hull_does_not_have),
        cmocka_unit_test(a_ball_finds_a_bump_that_was_not_there),
        cmocka_unit_test(a_flying_mesh_keeps_its_momentum_when_it_changes),
        cmocka_unit_test(a_changed_mesh_comes_back_from_bytes),
        cmocka_unit_test(an_unknown_shape_is_refused_with_those_there_are),
        cmocka_unit_test(metal_stands_on_its_triangles_and_stays_whole),
        cmocka_unit_test(momentum_outlives_a_blow_that_dents),
        cmocka_unit_test(a_ball_lies_on_the_dented_skin),
        cmocka_unit_test(going_on_after_a_restore_is_the_same),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
