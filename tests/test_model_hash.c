// test_model_hash.c: whatever changes in a model changes its hash, by which recordings and assets
// know what they were made of.
#include "check.h"
#include "whole_rig.h"

#include "../src/file/model.h"

static wr_model *rig;
static uint64_t original;

// Adds one to the number, asks for the hash, and takes it back.
static void expect_change(const void *where, size_t size, const char *what)
{
    uint8_t kept[8], *number = (uint8_t *)(uintptr_t)where;
    memcpy(kept, number, size);
    *number ^= 1;
    uint64_t hash = wri_model_hash(rig, 5);
    memcpy(number, kept, size);
    if (hash == original) {
        fail_msg("%s does not count", what);
    }
    assert_true(wri_model_hash(rig, 5) == original);
}

#define CHANGES(NUMBER) expect_change(&(NUMBER), sizeof(NUMBER), #NUMBER)

static void the_shape_counts(void **state)
{
    (void)state;
    wr_mesh *legs = &rig->meshes[0], *flag = &rig->meshes[1];
    enum { LAST = CORNERS - 1 };
    CHANGES(legs->positions[0].x);
    CHANGES(flag->positions[LAST].z);
    CHANGES(flag->normals[LAST].y);
    CHANGES(flag->uvs[LAST].y);
    CHANGES(flag->colors[LAST].a);
    CHANGES(flag->triangles[3 * TRIANGLES - 1]);
    CHANGES(flag->parts[1].look);
    CHANGES(legs->joints[2 * CORNERS - 1]);
    CHANGES(legs->weights[2 * CORNERS - 1]);
    CHANGES(flag->morphs[MORPHS - 1].positions[LAST].z);
    CHANGES(flag->morphs[MORPHS - 1].normals[LAST].x);
    CHANGES(flag->morphs[MORPHS - 1].weight);
}

static void the_looks_count(void **state)
{
    (void)state;
    wr_look *look = &rig->looks[1];
    CHANGES(look->base_color.r);
    CHANGES(look->base_color.a);
    CHANGES(look->texture);
    CHANGES(look->roughness);
    CHANGES(look->metallic);
    CHANGES(look->double_sided);
    CHANGES(look->unlit);
    CHANGES(look->alpha);
    CHANGES(rig->images[1].pixels[7]);
    look->alpha = WR_ALPHA_MASK;
    original = wri_model_hash(rig, 5);
    CHANGES(look->cutoff);
    look->alpha = WR_ALPHA_OPAQUE;
    original = wri_model_hash(rig, 5);
}

static void the_nodes_and_their_motion_count(void **state)
{
    (void)state;
    wr_node *flag = &rig->nodes[FLAG];
    CHANGES(flag->parent);
    CHANGES(flag->mesh);
    CHANGES(rig->nodes[LEGS].skin);
    CHANGES(flag->pose.position.z);
    CHANGES(flag->pose.rotation.w);
    CHANGES(flag->scale.y);
    CHANGES(rig->skins[0].joints[1]);
    CHANGES(rig->skins[0].inverse_bind[1].m[2][3]);
    wr_track *track = &rig->clips[1].tracks[1];
    CHANGES(track->node);
    CHANGES(track->times[KEYS - 1]);
    CHANGES(track->values[3 * KEYS - 1]);
    CHANGES(track->interpolation);
    float weights[MORPHS] = {0.5f, 0.25f};
    flag->morph_weights = weights;
    assert_true(wri_model_hash(rig, 5) != original);
    original = wri_model_hash(rig, 5);
    CHANGES(weights[1]);
    flag->morph_weights = NULL;
    original = wri_model_hash(rig, 5);
}

static void names_and_the_start_count(void **state)
{
    (void)state;
    const char **names[] = {&rig->nodes[FLAG].name, &rig->looks[1].name, &rig->clips[1].name,
                            &rig->meshes[1].morphs[1].name};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        const char *kept = *names[i];
        *names[i] = "another";
        assert_true(wri_model_hash(rig, 5) != original);
        *names[i] = kept;
    }
    assert_true(wri_model_hash(rig, 6) != original);
}

static int set_up(void **state)
{
    (void)state;
    rig = make_rig();
    original = wri_model_hash(rig, 5);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wr_model_destroy(rig);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shape_counts),
        cmocka_unit_test(the_looks_count),
        cmocka_unit_test(the_nodes_and_their_motion_count),
        cmocka_unit_test(names_and_the_start_count),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
