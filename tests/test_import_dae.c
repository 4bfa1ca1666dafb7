// test_import_dae.c: COLLADA with normals, looks that say they are invisible, and clips that begin
// before 0, as they come through Assimp.
#include "folder.h"

#include "../src/base/os.h"
#include "wrought/file.h"

#define SOURCE(id, count, stride, numbers, parameters)                                             \
    "<source id=\"" id "\"><float_array id=\"" id "a\" count=\"" count "\">" numbers               \
    "</float_array><technique_common><accessor source=\"#" id "a\" count=\"2\" stride=\"" stride   \
    "\">" parameters "</accessor></technique_common></source>"
#define XYZ                                                                                        \
    "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" "       \
    "type=\"float\"/>"

// A triangle in no special plane with its own normal at every corner; %s: its place, an animation.
static const char text[] =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
    "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
    "<asset><unit name=\"m\" meter=\"1\"/><up_axis>Y_UP</up_axis></asset>\n"
    "<library_effects><effect id=\"fx\"><profile_COMMON><technique sid=\"c\"><lambert><diffuse>"
    "<color>0.8 0.1 0.05 1</color></diffuse><transparent opaque=\"A_ONE\"><color>1 1 1 0</color>"
    "</transparent><transparency><float>0</float></transparency></lambert></technique>"
    "</profile_COMMON></effect></library_effects><library_materials><material id=\"m\" "
    "name=\"M\"><instance_effect url=\"#fx\"/></material></library_materials>\n"
    "%2$s<library_geometries><geometry id=\"g\" name=\"g\"><mesh>"
    "<source id=\"p\"><float_array id=\"pa\" count=\"9\">0 0 0 2 0.5 -1 0.25 3 1</float_array>"
    "<technique_common><accessor source=\"#pa\" count=\"3\" stride=\"3\">" XYZ
    "</accessor></technique_common></source><source id=\"n\"><float_array id=\"na\" count=\"3\">"
    "0.486167 -0.312536 0.816066</float_array><technique_common><accessor source=\"#na\" "
    "count=\"1\" "
    "stride=\"3\">" XYZ "</accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
    "<triangles count=\"1\" material=\"m0\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
    "<input semantic=\"NORMAL\" source=\"#n\" offset=\"1\"/><p>0 0 1 0 2 0</p></triangles></mesh>"
    "</geometry></library_geometries>\n"
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"holder\" name=\"holder\"><matrix "
    "sid=\"transform\">%1$s</matrix><instance_geometry url=\"#g\"><bind_material>"
    "<technique_common><instance_material symbol=\"m0\" target=\"#m\"/></technique_common>"
    "</bind_material></instance_geometry></node></visual_scene></library_visual_scenes>\n"
    "<scene><instance_visual_scene url=\"#s\"/></scene>\n</COLLADA>\n";

static wr_model *read_dae(const char *place, const char *animation)
{
    char path[600], *all = malloc(2 * sizeof text + 2000);
    wr_error error = {0};
    sprintf(all, text, place, animation);
    snprintf(path, sizeof path, "%s/model.dae", folder.path);
    assert_true(wri_file_write(path, all, strlen(all), NULL));
    wr_model *model = wr_model_read(path, NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    free(all);
    return model;
}

// Turned, sheared or mirrored, its normal stays at right angles to it and on its front.
static void normals_stay_on_the_front_of_sheared_and_mirrored_triangles(void **state)
{
    (void)state;
    static const char *const places[] = {
        "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1",
        "1 0.5 0.25 10 -0.25 2 0.5 20 0.125 -0.5 1.5 30 0 0 0 1",  // sheared
        "1 0.5 0.25 10 -0.25 2 0.5 20 -0.125 0.5 -1.5 30 0 0 0 1", // and mirrored
        "-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1",
    };
    for (int i = 0; i < WRI_COUNT(places); i++) {
        wr_model *model = read_dae(places[i], ""), *flat = wr_model_flatten(model, NULL);
        assert_non_null(flat);
        const wr_mesh *mesh = flat->meshes;
        const int *t = mesh->triangles;
        const wr_vec3 *p = mesh->positions;
        wr_vec3 front = wr_normalize(wr_cross(wr_sub(p[t[1]], p[t[0]]), wr_sub(p[t[2]], p[t[0]])));
        assert_non_null(mesh->normals);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(wr_distance(mesh->normals[t[k]], front), 0.0, 1e-3);
        }
        wr_model_destroy(flat);
        wr_model_destroy(model);
    }
}

// Programs disagree on which way transparency counts: nobody brings an invisible model.
static void nothing_is_invisible(void **state)
{
    (void)state;
    wr_model *model = read_dae("1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "");
    assert_int_equal(model->look_count, 1);
    assert_true(model->looks[0].base_color.a == 1.0f);
    CHECK_NEAR(model->looks[0].base_color.r, 0.8, 1e-6);
    wr_model_destroy(model);
}

// From -0.5 to 0.5 s: the clip begins at 0 and lasts a second.
static void a_clip_that_begins_before_0_is_whole(void **state)
{
    (void)state;
    wr_model *model = read_dae(
        "1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1",
        "<library_animations><animation id=\"a\">" SOURCE("in", "2", "1", "-0.5 0.5",
                                                          "<param name=\"TIME\" type=\"float\"/>")
            SOURCE("out", "32", "16",
                   "1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1  1 0 0 3 0 1 0 0 0 0 1 0 0 0 0 1",
                   "<param name=\"TRANSFORM\" type=\"float4x4\"/>") "<sampler id=\"sa\"><input "
                                                                    "semantic=\"INPUT\" "
                                                                    "source=\"#in\"/><input "
                                                                    "semantic=\"OUTPUT\" "
                                                                    "source=\"#out\"/>"
                                                                    "</sampler><channel "
                                                                    "source=\"#sa\" "
                                                                    "target=\"holder/transform\"/"
                                                                    "></animation>"
                                                                    "</library_animations>");
    assert_int_equal(model->clip_count, 1);
    CHECK_NEAR(wr_clip_length(&model->clips[0]), 1.0, 1e-5);
    for (int i = 0; i <= 4; i++) {
        wr_mat34 world[8];
        assert_true(model->node_count <= 8);
        wr_model_pose(model, &model->clips[0], 0.25 * i, world, NULL);
        float most = 0.0f;
        for (int n = 0; n < model->node_count; n++) {
            most = model->nodes[n].mesh >= 0 ? world[n].m[0][3] : most;
        }
        CHECK_NEAR(most, 1.0 + 0.5 * i, 1e-4);
    }
    wr_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_stay_on_the_front_of_sheared_and_mirrored_triangles),
        cmocka_unit_test(nothing_is_invisible),
        cmocka_unit_test(a_clip_that_begins_before_0_is_whole),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
