// test_arguments.c: what a caller must not pass, in the library as it is installed: every desc that
// was not made by its default function, every required pointer that is NULL, every list with a
// negative count is refused with WR_E_ARGUMENT and the name of what is wrong; steps of no length do
// nothing.
#include "check.h"

#include "../bench/toy.h"
#include "wrought/wrought.h"

static char some[8192]; // an address for what is never looked at: something before it is refused
static char path[600];  // of a file that must not come into being

static void expect_refusal(bool refused, const wr_error *error, const char *word, int line)
{
    if (!refused || error->code != WR_E_ARGUMENT || !strstr(error->message, word)) {
        fail_msg("line %d: %s, code %d, \"%s\", expected \"%s\"", line,
                 refused ? "refused" : "accepted", (int)error->code, error->message, word);
    }
}

// `call` gives what it returns on success as a truth; it may use error, and text for addresses.
#define REFUSES(word, call)                                                                        \
    do {                                                                                           \
        wr_error e = {0}, *error = &e;                                                             \
        bool accepted = (call);                                                                    \
        expect_refusal(!accepted, error, word, __LINE__);                                          \
    } while (0)

// A desc that is not there, and one of zeros.
#define REFUSES_DESC(type, call)                                                                   \
    do {                                                                                           \
        const type zeros = {0}, *desc = NULL;                                                      \
        REFUSES(" is NULL", call);                                                                 \
        desc = &zeros;                                                                             \
        REFUSES("cookie is not set: start from " #type "_default()", call);                        \
    } while (0)

#define OBJECT(type) ((type *)(void *)some)
#define CALL(function, ...) (function(__VA_ARGS__, error) != 0)
#define INDEX(function, ...) (function(__VA_ARGS__, error) >= 0)

static void every_desc_must_come_from_its_default_function(void **state)
{
    (void)state;
    wr_vec3 *points = OBJECT(wr_vec3);
    int count;
    REFUSES_DESC(wr_asset_view_desc, CALL(wr_asset_view_create, desc));
    REFUSES_DESC(wr_asset_sheet_desc,
                 CALL(wr_asset_view_write_sheet, OBJECT(wr_asset_view), path, desc, NULL, NULL));
    REFUSES_DESC(wr_lattice_desc, CALL(wr_lattice_create, desc));
    REFUSES_DESC(wr_planar_desc, CALL(wr_lattice_create_planar, desc));
    REFUSES_DESC(wr_controller_desc,
                 CALL(wr_controller_create, OBJECT(const wr_sprite_asset), desc));
    wr_example out = {.poses = OBJECT(wr_handle_pose), .correctives = points};
    REFUSES_DESC(wr_fit_desc, CALL(wr_example_fit, desc, &out, NULL));
    REFUSES_DESC(wr_cache_desc, CALL(wr_cache_create, path, desc));
    REFUSES_DESC(wr_clean_options,
                 CALL(wr_mesh_clean, OBJECT(wr_mesh), desc, NULL, NULL, NULL, NULL));
    REFUSES_DESC(wr_metal_asset_desc, CALL(wr_metal_asset_create, desc));
    REFUSES_DESC(wr_metal_desc, CALL(wr_metal_create, desc));
    REFUSES_DESC(wr_metal_parameters, CALL(wr_metal_set_parameters, OBJECT(wr_metal), desc));
    REFUSES_DESC(wr_posing_desc, CALL(wr_posing_create, desc));
    REFUSES_DESC(wr_build_desc, CALL(wr_recipe_build, OBJECT(wr_recipe), desc, NULL));
    REFUSES_DESC(wr_build_desc, CALL(wr_recipe_build_cached, OBJECT(wr_recipe), desc, true, NULL));
    REFUSES_DESC(wr_render_desc, CALL(wr_render_create, desc));
    REFUSES_DESC(wr_render_desc, CALL(wr_model_draw, OBJECT(wr_model), desc, NULL, WR_PAINT_LOOKS,
                                      OBJECT(uint8_t)));
    REFUSES_DESC(wr_rigid_desc, CALL(wr_rigid_create, desc));
    REFUSES_DESC(wr_rigid_body_desc, INDEX(wr_rigid_add_body, OBJECT(wr_rigid), desc));
    REFUSES_DESC(wr_joint_desc, INDEX(wr_rigid_add_joint, OBJECT(wr_rigid), desc));
    REFUSES_DESC(wr_touch_query, CALL(wr_rigid_find_touches, OBJECT(wr_rigid), desc, &count));
    REFUSES_DESC(wr_show_desc, CALL(wr_show_create, desc));
    REFUSES_DESC(wr_show_span, CALL(wr_show_write_film, OBJECT(wr_show), path, desc));
    REFUSES_DESC(wr_show_span, CALL(wr_show_write_sheet, OBJECT(wr_show), path, desc, NULL, NULL));
    REFUSES_DESC(wr_pose_plot_desc,
                 CALL(wr_take_write_poses, OBJECT(wr_take), path, desc, NULL, NULL));
    REFUSES_DESC(wr_export_desc, CALL(wr_take_export, OBJECT(wr_take), path, desc, NULL));
    REFUSES_DESC(wr_export_desc, CALL(wr_model_export, OBJECT(wr_model), path, desc));
    REFUSES_DESC(wr_skin_desc, CALL(wr_skin_create, OBJECT(wr_rig), desc));
    REFUSES_DESC(wr_sprite_asset_desc, CALL(wr_sprite_asset_create, desc));
    REFUSES_DESC(wr_sprite_desc, INDEX(wr_sprite_add, OBJECT(wr_sprite_world), desc));
    REFUSES_DESC(wr_sprite_world_desc, CALL(wr_sprite_world_create, desc));
    REFUSES_DESC(wr_tune_desc, CALL(wr_tuning_create, desc));
    REFUSES_DESC(wr_weights_desc, CALL(wr_weights_find, desc, OBJECT(float), NULL));
    REFUSES_DESC(wr_world_desc, CALL(wr_world_create, desc));
}

// The default of these is NULL, and only that is wrong.
static void what_a_desc_must_point_to_is_named(void **state)
{
    (void)state;
#define REFUSES_DEFAULT(type, word, call)                                                          \
    do {                                                                                           \
        type from = type##_default(), *desc = &from;                                               \
        REFUSES(word, call);                                                                       \
    } while (0)
    REFUSES_DEFAULT(wr_asset_view_desc, "desc->asset", CALL(wr_asset_view_create, desc));
    REFUSES_DEFAULT(wr_lattice_desc, "mesh", CALL(wr_lattice_create, desc));
    REFUSES_DEFAULT(wr_planar_desc, "image", CALL(wr_lattice_create_planar, desc));
    wr_example out = {.poses = OBJECT(wr_handle_pose), .correctives = OBJECT(wr_vec3)};
    REFUSES_DEFAULT(wr_fit_desc, "desc->rig", CALL(wr_example_fit, desc, &out, NULL));
    REFUSES_DEFAULT(wr_fit_desc, "desc->targets",
                    (desc->rig = OBJECT(wr_rig), CALL(wr_example_fit, desc, &out, NULL)));
    REFUSES_DEFAULT(wr_metal_asset_desc, "desc->rig", CALL(wr_metal_asset_create, desc));
    REFUSES_DEFAULT(wr_metal_desc, "desc->asset", CALL(wr_metal_create, desc));
    REFUSES_DEFAULT(wr_posing_desc, "desc->rig", CALL(wr_posing_create, desc));
    REFUSES_DEFAULT(wr_show_desc, "desc->take", CALL(wr_show_create, desc));
    REFUSES_DEFAULT(wr_sprite_asset_desc, "desc->rig", CALL(wr_sprite_asset_create, desc));
    REFUSES_DEFAULT(wr_sprite_desc, "desc->asset",
                    INDEX(wr_sprite_add, OBJECT(wr_sprite_world), desc));
    REFUSES_DEFAULT(wr_tune_desc, "desc->scene", CALL(wr_tuning_create, desc));
    const wr_solid solid = {3, 4, OBJECT(wr_vec3), 1, OBJECT(int)};
    REFUSES_DEFAULT(wr_weights_desc, "handles",
                    (desc->mesh = solid, CALL(wr_weights_find, desc, OBJECT(float), NULL)));
    REFUSES_DEFAULT(wr_world_desc, "desc->scene", CALL(wr_world_create, desc));
    wr_rig empty = {.dimension = 3, .vertex_count = 4, .example_count = 1};
    wr_skin_desc skin = wr_skin_desc_default();
    REFUSES("rig->rest", CALL(wr_skin_create, &empty, &skin));
    int count;
    REFUSES_DEFAULT(
        wr_touch_query, "query->balls",
        (desc->ball_count = 3, CALL(wr_rigid_find_touches, OBJECT(wr_rigid), desc, &count)));
    REFUSES_DEFAULT(
        wr_touch_query, "query->ball_count is -1",
        (desc->ball_count = -1, CALL(wr_rigid_find_touches, OBJECT(wr_rigid), desc, &count)));
    REFUSES_DEFAULT(wr_touch_query, "most",
                    (desc->most = 0, CALL(wr_rigid_find_touches, OBJECT(wr_rigid), desc, &count)));
    REFUSES_DEFAULT(
        wr_touch_query, "margin",
        (desc->margin = NAN, CALL(wr_rigid_find_touches, OBJECT(wr_rigid), desc, &count)));
    wr_sprite_body_desc body = {.piece_count = -2};
    REFUSES("desc->piece_count is -2", INDEX(wr_sprite_add_body, OBJECT(wr_sprite_world), &body));
    body = (wr_sprite_body_desc){.piece_count = 2};
    REFUSES("desc->corner_counts", INDEX(wr_sprite_add_body, OBJECT(wr_sprite_world), &body));
}

// Each call lacks what its word names.
static void pointers_of_rigs_are_named(void **state)
{
    (void)state;
    wr_model *model = OBJECT(wr_model);
    wr_rig *rig = OBJECT(wr_rig);
    wr_asset *asset = OBJECT(wr_asset);
    wr_vec3 *points = OBJECT(wr_vec3);
    wr_solid solid = {.dimension = 3, .vertex_count = 4};
    float *floats = OBJECT(float);
    size_t size;
    REFUSES("model is", CALL(wr_asset_create, NULL, NULL));
    REFUSES("asset is", CALL(wr_asset_check, NULL));
    REFUSES("asset is", CALL(wr_asset_write, NULL, path));
    REFUSES("path is", CALL(wr_asset_write, asset, NULL));
    REFUSES("path is", CALL(wr_asset_read, NULL, NULL));
    REFUSES("folder is", CALL(wr_asset_read_published, NULL, NULL, NULL));
    REFUSES("points is", CALL(wr_lattice_find_rides, OBJECT(wr_lattice), NULL, NULL, 5, NULL,
                              OBJECT(wr_ride), NULL));
    REFUSES("count is -5", CALL(wr_lattice_find_rides, OBJECT(wr_lattice), points, NULL, -5, NULL,
                                OBJECT(wr_ride), NULL));
    REFUSES("rig is", INDEX(wr_rig_find_handle, NULL, "a"));
    REFUSES("name is", INDEX(wr_rig_find_handle, rig, NULL));
    REFUSES("moves is", CALL(wr_example_from_moves, rig, NULL, 2, false, OBJECT(wr_handle_pose)));
    REFUSES("model is", INDEX(wr_clip_find, NULL, "a"));
    REFUSES("positions is", CALL(wr_shape_from_clip, model, -1, 0.0, NULL));
    REFUSES("sculpt is", CALL(wr_shape_from_sculpt, model, NULL, points, NULL));
    REFUSES("model is", CALL(wr_handles_from_skin, NULL, NULL));
    REFUSES("posing is", CALL(wr_posing_set_constraints, NULL, NULL, 0));
    REFUSES("constraints is", CALL(wr_posing_set_constraints, OBJECT(wr_posing), NULL, 2));
    REFUSES("path is", CALL(wr_recipe_read, NULL, NULL));
    REFUSES("reports is", CALL(wr_asset_measure, asset, NULL, NULL));
    REFUSES("hash is", CALL(wr_recipe_find_hash, OBJECT(wr_recipe), NULL));
    REFUSES("start is", CALL(wr_recipe_write_new, NULL, &size));
    REFUSES("size is", CALL(wr_recipe_reference, NULL));
    REFUSES("recipe is", CALL(wr_recipe_simulate, NULL, NULL));
    REFUSES("mesh->positions is", CALL(wr_handles_place, &solid, NULL, 0, 2, NULL));
    REFUSES("placed is", CALL(wr_handles_place, &solid, NULL, 1, 2, NULL));
    REFUSES("graph is", CALL(wr_handles_from_graph, &solid, NULL, 0.1f, NULL));
    REFUSES("weights is", CALL(wr_weights_find, OBJECT(wr_weights_desc), NULL, NULL));
    REFUSES("weights is",
            CALL(wr_weights_carry, &solid, OBJECT(wr_ride), 1, floats, 1, NULL, NULL, NULL));
}

static void pointers_of_files_and_meshes_are_named(void **state)
{
    (void)state;
    wr_model *model = OBJECT(wr_model);
    wr_mesh *mesh = OBJECT(wr_mesh);
    wr_vec3 *points = OBJECT(wr_vec3);
    REFUSES("path is", CALL(wr_model_read, NULL, NULL));
    REFUSES("path is", CALL(wr_tet_mesh_read, NULL, NULL));
    REFUSES("path is", CALL(wr_matrix_read, NULL, NULL));
    REFUSES("path is", CALL(wr_handle_graph_read, NULL, NULL));
    REFUSES("path is", CALL(wr_cache_read, NULL, NULL));
    REFUSES("model is", CALL(wr_model_write_glb, NULL, path));
    REFUSES("model is", CALL(wr_model_write_obj, NULL, NULL, path));
    REFUSES("model is", CALL(wr_model_write_mtl, NULL, path));
    REFUSES("model is", CALL(wr_model_write_ply, NULL, true, path));
    REFUSES("clouds is", CALL(wr_model_write_ply_clouds, model, NULL, 1, true, path));
    REFUSES("path is", CALL(wr_model_write_usda, model, NULL, NULL));
    REFUSES("model is", CALL(wr_model_flatten, NULL));
    REFUSES("vertex_count", CALL(wr_tet_mesh_create, -1, 0, 0, NULL));
    REFUSES("mesh is", CALL(wr_tet_mesh_create_surface, NULL, NULL));
    REFUSES("rows", CALL(wr_matrix_create, -1, 4, NULL));
    REFUSES("edge_count", CALL(wr_handle_graph_create, 1, -4, NULL));
    REFUSES("out is", CALL(wr_mesh_find_mass, mesh, 1.0, NULL));
    REFUSES("points is", CALL(wr_hull_create, NULL, 8));
    REFUSES("count is -8", CALL(wr_hull_create, points, -8));
    REFUSES("normals is", CALL(wr_mesh_renew_normals, mesh, points, points, NULL, NULL));
    REFUSES("particles is", CALL(wr_particles_create_surface, NULL, NULL));
    REFUSES("report is", CALL(wr_mesh_inspect, mesh, NULL, NULL));
    wr_mesh torn = {.vertex_count = 3, .triangle_count = 1};
    wr_mesh_report report;
    REFUSES("mesh->positions is", CALL(wr_mesh_inspect, &torn, NULL, &report));
}

static void pointers_of_recordings_and_pictures_are_named(void **state)
{
    (void)state;
    wr_vec3 *points = OBJECT(wr_vec3);
    uint8_t *bytes = OBJECT(uint8_t);
    REFUSES("view is", CALL(wr_asset_view_draw, NULL, OBJECT(wr_asset_pose), bytes));
    REFUSES("pose is", CALL(wr_asset_view_draw, OBJECT(wr_asset_view), NULL, bytes));
    REFUSES("pixels is",
            CALL(wr_asset_view_draw, OBJECT(wr_asset_view), OBJECT(wr_asset_pose), NULL));
    REFUSES("reader is", INDEX(wr_record_vertex_count, NULL, "a", 0, NULL));
    REFUSES("writer is", CALL(wr_cache_add_frame, NULL, points));
    REFUSES("pixels is", CALL(wr_png_write, path, NULL, 4, 4, 3));
    REFUSES("path is", CALL(wr_record_open, NULL));
    REFUSES("info is", CALL(wr_record_create, path, NULL));
    REFUSES("writer is", CALL(wr_record_add_frame, NULL, OBJECT(wr_frame)));
    REFUSES("frame is", CALL(wr_record_add_frame, OBJECT(wr_record_writer), NULL));
    REFUSES("bytes is", CALL(wr_record_add_snapshot, OBJECT(wr_record_writer), NULL, 8));
    assert_false(wr_record_snapshot_is_due(NULL));
    REFUSES("reader is", CALL(wr_record_read_frame, NULL, 0));
    REFUSES("rows is", CALL(wr_record_fill_rows, OBJECT(wr_record_weights), 1, 1, NULL));
    REFUSES("info is", CALL(wr_reskin_create, NULL));
    REFUSES("shape is", CALL(wr_reskin_find, OBJECT(wr_reskin), OBJECT(wr_frame), 0,
                             OBJECT(wr_record_body), false, NULL));
    REFUSES("render is",
            CALL(wr_render_draw, NULL, NULL, 0, OBJECT(wr_stage), OBJECT(wr_camera), bytes));
    REFUSES("things is", CALL(wr_render_draw, OBJECT(wr_render), NULL, 2, OBJECT(wr_stage),
                              OBJECT(wr_camera), bytes));
    REFUSES("path is", CALL(wr_film_create, NULL, 64, 64, 30, 1));
    REFUSES("film is", CALL(wr_film_add_picture, NULL, bytes));
    REFUSES("path is", CALL(wr_take_open, NULL));
    REFUSES("reader is", CALL(wr_take_create, NULL, "a"));
    REFUSES("take is", CALL(wr_shot_create, NULL, NULL, 1.0f));
    REFUSES("show is", CALL(wr_show_draw, NULL, 0, bytes));
}

static void pointers_of_simulations_are_named(void **state)
{
    (void)state;
    uint8_t *bytes = OBJECT(uint8_t);
    size_t size;
    wr_controller_desc desc = wr_controller_desc_default();
    REFUSES("asset is", CALL(wr_controller_create, NULL, &desc));
    REFUSES("controller is", CALL(wr_actor_create, NULL, OBJECT(wr_sprite_world), 0, NULL));
    REFUSES("name is", CALL(wr_metal_find_preset, NULL, OBJECT(wr_metal_parameters)));
    REFUSES("body is", CALL(wr_metal_read_damage, NULL, bytes, 8));
    REFUSES("bytes is", CALL(wr_metal_restore, OBJECT(wr_metal), NULL, 8));
    REFUSES("b is", CALL(wr_metal_merge_damage, bytes, 8, NULL, 8, bytes));
    REFUSES("rigid is", CALL(wr_rigid_save, NULL, &size));
    REFUSES("bytes is", CALL(wr_rigid_restore, OBJECT(wr_rigid), NULL, 0));
    REFUSES("path is", CALL(wr_scene_read, NULL, NULL));
    REFUSES("inputs is", CALL(wr_inputs_write, path, OBJECT(wr_scene), NULL, 2));
    REFUSES("level is", INDEX(wr_sprite_add_level, OBJECT(wr_sprite_world), NULL));
    REFUSES("corners is", CALL(wr_sprite_set_outline, OBJECT(wr_sprite_world), 0, 0, NULL, 4));
    REFUSES("world is", CALL(wr_sprite_set_nail, NULL, 0, 0, ((wr_vec2){0, 0})));
    REFUSES("tuning is", CALL(wr_tuning_propose, NULL, true));
    REFUSES("tuning is", CALL(wr_tuning_check, NULL, NULL));
    REFUSES("tuning is", CALL(wr_tuning_step, NULL));
    REFUSES("world is", CALL(wr_world_save, NULL, &size));
    REFUSES("bytes is", CALL(wr_world_restore, OBJECT(wr_world), NULL, 0));
}

static void numbers_of_things_that_are_not_there_are_refused(void **state)
{
    (void)state;
    wr_rigid_desc rigid_desc = wr_rigid_desc_default();
    wr_rigid *rigid = wr_rigid_create(&rigid_desc, NULL);
    assert_non_null(rigid);
    REFUSES("body_a", CALL(wr_rigid_set_collides_with, rigid, 0, 1, true));
    wr_joint_desc joint = wr_joint_desc_default();
    REFUSES("body_a", INDEX(wr_rigid_add_joint, rigid, &joint));
    wr_rigid_destroy(rigid);
    wr_sprite_world_desc world_desc = wr_sprite_world_desc_default();
    wr_sprite_world *world = wr_sprite_world_create(&world_desc, NULL);
    wr_sprite_parameters parameters = wr_sprite_parameters_default();
    assert_non_null(world);
    REFUSES("sprite", CALL(wr_sprite_set_nail, world, 0, 0, ((wr_vec2){0, 0})));
    REFUSES("sprite", CALL(wr_sprite_set_parameters, world, -1, &parameters));
    REFUSES("sprite", CALL(wr_sprite_restore, world, 7, some, 8));
    REFUSES("sprite", CALL(wr_actor_create, OBJECT(wr_controller), world, 0, NULL));
    REFUSES("body", CALL(wr_sprite_set_outline, world, 0, 0, NULL, 0));
    wr_sprite_world_destroy(world);
}

static void a_scene_without_time_has_no_world(void **state)
{
    (void)state;
    static const int rates[][3] = {{0, 1, 4}, {60, 0, 4}, {60, 1, 0}, {-60, 1, 4}, {1, 1 << 30, 1}};
    for (int i = 0; i < WRI_COUNT(rates); i++) {
        wr_scene scene = {.rate_numerator = rates[i][0],
                          .rate_denominator = rates[i][1],
                          .substeps = rates[i][2]};
        wr_world_desc desc = wr_world_desc_default();
        desc.scene = &scene;
        REFUSES("rate_numerator", CALL(wr_world_create, &desc));
    }
}

// --- recordings -------------------------------------------------------------------------------

static wr_record_info make_info(void)
{
    static const wr_record_body bodies[] = {{.name = "one", .model = -1, .color = {1, 1, 1, 1}}};
    return (wr_record_info){.title = "",
                            .program = "",
                            .rate_numerator = 60,
                            .rate_denominator = 1,
                            .substeps = 1,
                            .planned_frames = 10,
                            .stage = wr_stage_default(),
                            .body_count = 1,
                            .bodies = bodies};
}

static void a_recorder_refuses_lists_that_are_not_there(void **state)
{
    (void)state;
// The number of a list below zero, and a list that is not there.
#define REFUSES_COUNT(type, desc, good, list, counter, call)                                       \
    do {                                                                                           \
        type desc = good;                                                                          \
        desc.counter = -1;                                                                         \
        REFUSES(#desc "->" #counter " is -1", call);                                               \
        desc.counter = INT32_MIN;                                                                  \
        REFUSES(#desc "->" #counter, call);                                                        \
        desc.counter = 1;                                                                          \
        desc.list = NULL;                                                                          \
        REFUSES(#desc "->" #list " is NULL", call);                                                \
    } while (0)
#define REFUSES_LIST(list, counter)                                                                \
    REFUSES_COUNT(wr_record_info, info, make_info(), list, counter,                                \
                  CALL(wr_record_create, path, &info))
    REFUSES_LIST(models, model_count);
    REFUSES_LIST(assets, asset_count);
    REFUSES_LIST(bodies, body_count);
    REFUSES_LIST(manifolds, manifold_count);
    wr_record_info info = make_info();
    wr_record_writer *writer = wr_record_create(path, &info, NULL);
    assert_non_null(writer);
    const wr_pose pose = {.rotation = WR_QUAT_IDENTITY};
    const wr_frame good = {.body_count = 1, .poses = &pose};
#define REFUSES_FRAME(list, counter)                                                               \
    REFUSES_COUNT(wr_frame, frame, good, list, counter, CALL(wr_record_add_frame, writer, &frame))
    REFUSES_FRAME(poses, body_count);
    REFUSES_FRAME(points, points_count);
    REFUSES_FRAME(weights, weights_count);
    REFUSES_FRAME(events, event_count);
    REFUSES_FRAME(contacts, contact_count);
    REFUSES_FRAME(blends, blend_count);
    REFUSES_FRAME(surfaces, surface_count);
    REFUSES_FRAME(particles, particles_count);
    wr_frame frame = good;
    const wr_record_points free_points[] = {{.count = -3}, {.count = 3}};
    const wr_record_weights weights[] = {{.entry_count = -3}, {.entry_count = 3}};
    const wr_record_surface surfaces[] = {{.vertex_count = -3}, {.vertex_count = 3}};
    const wr_record_particles particles[] = {{.count = -3}, {.count = 3}};
    for (int i = 0; i < 2; i++) {
        frame = good;
        frame.points_count = frame.weights_count = frame.surface_count = frame.particles_count = 0;
        frame.points = &free_points[i];
        frame.weights = &weights[i];
        frame.surfaces = &surfaces[i];
        frame.particles = &particles[i];
        int *counts[] = {&frame.points_count, &frame.weights_count, &frame.surface_count,
                         &frame.particles_count};
        for (int k = 0; k < 4; k++) {
            *counts[k] = 1;
            REFUSES(i && k == 1 ? "w->vertices is NULL"
                    : i         ? "positions is NULL"
                    : k < 2     ? "is -3"
                                : "an impossible number",
                    CALL(wr_record_add_frame, writer, &frame));
            *counts[k] = 0;
        }
    }
    wr_error error = {0};
    assert_true(wr_record_add_frame(writer, &good, &error)); // none of that was taken
    wr_record_writer_destroy(writer);
    unlink(path);
}

// --- steps ------------------------------------------------------------------------------------

static const float no_steps[] = {0.0f, -0.0f, -1.0f, 1e18f, -1e18f, INFINITY, -INFINITY, NAN};

static void a_step_of_no_length_moves_no_rigid_body(void **state)
{
    (void)state;
    wr_rigid_desc desc = wr_rigid_desc_default();
    wr_rigid *rigid = wr_rigid_create(&desc, NULL);
    wr_rigid_body_desc ball = wr_rigid_body_desc_default();
    ball.shape = (wr_shape){.kind = WR_SHAPE_SPHERE, .size = {0.5f, 0, 0}};
    ball.mass = wr_primitive_mass(WR_PRIMITIVE_SPHERE, ball.shape.size, 1000.0);
    assert_int_equal(wr_rigid_add_body(rigid, &ball, NULL), 0);
    wr_rigid_step(rigid, 0.01f, NULL, NULL);
    uint64_t before = wr_rigid_hash(rigid);
    for (int i = 0; i < WRI_COUNT(no_steps); i++) {
        wr_rigid_step(rigid, no_steps[i], NULL, NULL);
        assert_true(wr_rigid_hash(rigid) == before);
    }
    wr_rigid_step(rigid, WR_STEP_MAX, NULL, NULL); // an hour of falling
    assert_true(wr_rigid_pose(rigid, 0).position.y < -1e3f);
    wr_rigid_destroy(rigid);
}

static void surfaces_out_of_their_range_change_nothing(void **state)
{
    (void)state;
    wr_rigid_desc desc = wr_rigid_desc_default();
    wr_rigid *rigid = wr_rigid_create(&desc, NULL);
    wr_rigid_body_desc ball = wr_rigid_body_desc_default();
    ball.shape = (wr_shape){.kind = WR_SHAPE_SPHERE, .size = {0.5f, 0, 0}};
    ball.mass = wr_primitive_mass(WR_PRIMITIVE_SPHERE, ball.shape.size, 1000.0);
    int body = wr_rigid_add_body(rigid, &ball, NULL);
    wr_rigid_set_surface(rigid, body, 0.5f, 0.25f);
    const float wrong[][2] = {{NAN, 0.1f},   {-1.0f, 0.1f}, {INFINITY, 0.1f},
                              {0.1f, -3.0f}, {0.1f, 1.5f},  {0.1f, NAN}};
    for (int i = 0; i < WRI_COUNT(wrong); i++) {
        wr_rigid_set_surface(rigid, body, wrong[i][0], wrong[i][1]);
        wr_rigid_view view;
        wr_rigid_find_views(rigid, &body, 1, &view);
        assert_true(view.friction == 0.5f && view.restitution == 0.25f);
    }
    wr_rigid_destroy(rigid);
}

static void a_step_of_no_length_moves_no_sprite(void **state)
{
    (void)state;
    toy *disc = toy_create_disc(0.5f, 3);
    wr_sprite_asset_desc asset_desc = wr_sprite_asset_desc_default();
    asset_desc.rig = &disc->rig;
    wr_sprite_asset *asset = wr_sprite_asset_create(&asset_desc, NULL);
    wr_sprite_world_desc world_desc = wr_sprite_world_desc_default();
    wr_sprite_world *world = wr_sprite_world_create(&world_desc, NULL);
    wr_sprite_desc desc = wr_sprite_desc_default();
    desc.asset = asset;
    assert_int_equal(wr_sprite_add(world, &desc, NULL), 0);
    wr_sprite_world_step(world, 1.0f / 60.0f, NULL);
    uint64_t before = wr_sprite_hash(world, 0);
    for (int i = 0; i < WRI_COUNT(no_steps); i++) {
        wr_sprite_world_step(world, no_steps[i], NULL);
        assert_true(wr_sprite_hash(world, 0) == before);
    }
    wr_behaviour stand = wr_behaviour_default();
    const wr_pose_key key = {0};
    stand.name = "stand";
    stand.path.keys = &key;
    stand.path.key_count = 1;
    wr_controller_desc controller_desc = wr_controller_desc_default();
    controller_desc.behaviour_count = 1;
    controller_desc.behaviours = &stand;
    wr_error error = {0};
    wr_controller *controller = wr_controller_create(asset, &controller_desc, &error);
    wr_actor *actor = controller ? wr_actor_create(controller, world, 0, NULL, &error) : NULL;
    if (!actor) {
        fail_msg("%s", error.message);
    }
    wr_actor_step(actor, 1, 1.0f / 60.0f);
    before = wr_actor_hash(actor);
    for (int i = 0; i < WRI_COUNT(no_steps); i++) {
        wr_actor_step(actor, 1, no_steps[i]);
        assert_true(wr_actor_hash(actor) == before);
    }
    wr_actor_destroy(actor);
    wr_controller_destroy(controller);
    wr_sprite_world_destroy(world);
    wr_sprite_asset_destroy(asset);
    toy_destroy(disc);
}

// --- materials of a program -------------------------------------------------------------------

static void *make_nothing(const wr_material_desc *desc, wr_error *error)
{
    (void)desc;
    (void)error;
    return NULL;
}

static void take_nothing(void *body)
{
    (void)body;
}

static wr_material_surface no_surface(const void *body)
{
    (void)body;
    return (wr_material_surface){.part = -1};
}

static bool is_there(const void *body)
{
    return body != NULL;
}

static uint64_t no_hash(const void *body)
{
    return body != NULL;
}

static size_t no_size(const void *body)
{
    return body != NULL;
}

static void save_nothing(const void *body, void *bytes)
{
    (void)body;
    (void)bytes;
}

static bool restore_nothing(void *body, const void *bytes, size_t size, wr_error *error)
{
    (void)bytes;
    (void)error;
    return body && size == 0;
}

static wr_boundary no_boundary(void *body, float dt, const wr_work *work)
{
    (void)body;
    (void)dt;
    (void)work;
    return (wr_boundary){0};
}

static void *make_no_ensemble(const wr_ensemble_desc *desc, wr_error *error)
{
    (void)desc;
    (void)error;
    return NULL;
}

static void step_no_ensemble(void *ensemble, const wr_ensemble_step *step)
{
    (void)ensemble;
    (void)step;
}

static void advance_nothing(void *body, const wr_material_step *step)
{
    (void)body;
    (void)step;
}

static const wr_material_joint *no_joints(const void *body, int *count)
{
    (void)body;
    *count = 0;
    return NULL;
}

static wr_material whole_material(void)
{
    return (wr_material){
        .table_size = sizeof(wr_material),
        .name = "nothing",
        .create = make_nothing,
        .destroy = take_nothing,
        .surface = no_surface,
        .is_sound = is_there,
        .hash = no_hash,
        .size = no_size,
        .save = save_nothing,
        .restore = restore_nothing,
    };
}

// What is changed in a whole material, and the word that names it.
#define REFUSES_MATERIAL(word, change)                                                             \
    do {                                                                                           \
        wr_material m = whole_material();                                                          \
        change;                                                                                    \
        const wr_material *const list[] = {&m};                                                    \
        const wr_scene_options options = {.materials = list, .material_count = 1};                 \
        REFUSES("materials[0]: " word, CALL(wr_scene_read, "none.json", &options));                \
    } while (0)

static void tables_of_materials_with_holes_are_refused(void **state)
{
    (void)state;
    REFUSES_MATERIAL("name is NULL", m.name = NULL);
    REFUSES_MATERIAL("create is NULL", m.create = NULL);
    REFUSES_MATERIAL("destroy is NULL", m.destroy = NULL);
    REFUSES_MATERIAL("surface is NULL", m.surface = NULL);
    REFUSES_MATERIAL("is_sound is NULL", m.is_sound = NULL);
    REFUSES_MATERIAL("hash is NULL", m.hash = NULL);
    REFUSES_MATERIAL("size is NULL", m.size = NULL);
    REFUSES_MATERIAL("save is NULL", m.save = NULL);
    REFUSES_MATERIAL("restore is NULL", m.restore = NULL);
    REFUSES_MATERIAL("apply_impulses is NULL, but boundary is not", m.boundary = no_boundary);
    REFUSES_MATERIAL("wake is NULL, but is_asleep is not", m.is_asleep = is_there);
    REFUSES_MATERIAL("is_asleep is NULL, but wake is not", m.wake = take_nothing);
    REFUSES_MATERIAL("destroy_shared is NULL", m.create_shared = make_nothing);
    REFUSES_MATERIAL("destroy_ensemble is NULL", m.create_ensemble = make_no_ensemble);
    REFUSES_MATERIAL("step_ensemble is NULL, but create_ensemble is not",
                     (m.create_ensemble = make_no_ensemble, m.destroy_ensemble = take_nothing));
    REFUSES_MATERIAL("has advance and create_ensemble",
                     (m.create_ensemble = make_no_ensemble, m.destroy_ensemble = take_nothing,
                      m.step_ensemble = step_no_ensemble, m.advance = advance_nothing));
    REFUSES_MATERIAL("parts is NULL, but joints is not", m.joints = no_joints);
    REFUSES_MATERIAL("parameter_count is 1, but parameters is NULL", m.parameter_count = 1);
    REFUSES_MATERIAL("parameter_count is -1", m.parameter_count = -1);
    REFUSES_MATERIAL("preset_count is 2, but presets is NULL", m.preset_count = 2);
    const wr_parameter no_name = {0};
    REFUSES_MATERIAL("parameters[0].name is NULL",
                     (m.parameters = &no_name, m.parameter_count = 1));
    const wr_preset no_word = {0};
    REFUSES_MATERIAL("presets[0].name is NULL", (m.presets = &no_word, m.preset_count = 1));
    REFUSES_MATERIAL("there is a material \"metal\" before it", m.name = "metal");
    REFUSES_MATERIAL("there is a material \"rigid\" before it", m.name = "rigid");
}

static void lists_of_materials_with_holes_are_refused(void **state)
{
    (void)state;
    wr_scene_options options = {.material_count = 1};
    REFUSES("options->materials is NULL", CALL(wr_scene_read, "none.json", &options));
    wr_material m = whole_material();
    const wr_material *const hole[] = {&m, NULL}, *const twice[] = {&m, &m};
    options = (wr_scene_options){.materials = hole, .material_count = 2};
    REFUSES("materials[1] is NULL", CALL(wr_scene_read, "none.json", &options));
    options.materials = twice;
    REFUSES("materials[1]: there is a material \"nothing\" before it",
            CALL(wr_scene_read, "none.json", &options));
    options.material_count = 1;
    wr_error error = {0};
    assert_null(wr_scene_read("none.json", &options, &error)); // a whole one: the file is not there
    assert_int_equal(error.code, WR_E_IO);
}

int main(void)
{
    temporary_folder folder = temporary_folder_create();
    snprintf(path, sizeof path, "%s/file.glb", folder.path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_desc_must_come_from_its_default_function),
        cmocka_unit_test(what_a_desc_must_point_to_is_named),
        cmocka_unit_test(pointers_of_rigs_are_named),
        cmocka_unit_test(pointers_of_files_and_meshes_are_named),
        cmocka_unit_test(pointers_of_recordings_and_pictures_are_named),
        cmocka_unit_test(pointers_of_simulations_are_named),
        cmocka_unit_test(numbers_of_things_that_are_not_there_are_refused),
        cmocka_unit_test(a_scene_without_time_has_no_world),
        cmocka_unit_test(a_recorder_refuses_lists_that_are_not_there),
        cmocka_unit_test(tables_of_materials_with_holes_are_refused),
        cmocka_unit_test(lists_of_materials_with_holes_are_refused),
        cmocka_unit_test(surfaces_out_of_their_range_change_nothing),
        cmocka_unit_test(a_step_of_no_length_moves_no_rigid_body),
        cmocka_unit_test(a_step_of_no_length_moves_no_sprite),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    temporary_folder_destroy(&folder);
    return failed;
}
