// test_flesh_bench.c: the bodies that `wrought bench flesh` makes are sound, and what it measures
// is what it says.
#include "check.h"

#include "../bench/flesh_bench.h"

#include <math.h>
#include <stdlib.h>

static flesh_body make(flesh_kind kind, int detail, int around, int bones)
{
    flesh_body body;
    wr_error error = {0};
    if (!flesh_body_create(&body, &(flesh_body_desc){kind, detail, around, bones}, &error)) {
        fail_msg("%s", error.message);
    }
    return body;
}

static int compare_edges(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

// Every edge is there once in each direction, and the volume is positive.
static void check_closed(const wr_layer *layer)
{
    int count = 3 * layer->triangle_count, (*edges)[2] = malloc((size_t)count * sizeof *edges);
    double volume = 0.0;
    assert_non_null(edges);
    for (int i = 0; i < count; i++) {
        edges[i][0] = layer->triangles[i];
        edges[i][1] = layer->triangles[i % 3 == 2 ? i - 2 : i + 1];
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i < count; i++) {
        const int back[2] = {edges[i][1], edges[i][0]};
        assert_true(i == 0 || compare_edges(edges[i], edges[i - 1]) != 0);
        assert_non_null(bsearch(back, edges, (size_t)count, sizeof *edges, compare_edges));
    }
    for (int i = 0; i < layer->triangle_count; i++) {
        const int *t = &layer->triangles[3 * i];
        volume += (double)wr_dot(layer->skin[t[0]], wr_cross(layer->skin[t[1]], layer->skin[t[2]]));
    }
    assert_true(volume > 0.0);
    free(edges);
}

static void check_bones(const flesh_body *b)
{
    for (int i = 0; b->bones && i < b->layer->node_count; i++) {
        float sum = 0.0f;
        for (int k = 0; k < WR_FLESH_INFLUENCES; k++) {
            int bone = b->bones[WR_FLESH_INFLUENCES * i + k];
            assert_true(bone >= 0 && bone < b->bone_count);
            sum += b->weights[WR_FLESH_INFLUENCES * i + k];
        }
        assert_true(fabsf(sum - 1.0f) < 1e-5f);
    }
    for (int i = 0; i < b->bone_count; i++) {
        assert_true(b->inner[i].mass > 0.0);
    }
}

static void bodies_are_closed_and_have_the_published_nodes(void **state)
{
    (void)state;
    static const struct {
        flesh_kind kind;
        int detail, around, bones, nodes;
    } known[] = {
        {FLESH_DEER, 0, 0, 0, 1748},    {FLESH_DEER, 1, 0, 0, 2755},
        {FLESH_DEER, 2, 0, 0, 8408},    {FLESH_TUBE, 155, 20, 16, 3102},
        {FLESH_TUBE, 29, 10, 2, 292},   {FLESH_TUBE, 29, 10, 5, 292},
        {FLESH_TYRE, 25, 12, 1, 300},   {FLESH_CYLINDER, 9, 0, 1, 326},
        {FLESH_PUMPKIN, 10, 0, 1, 402}, {FLESH_GEAR, 20, 0, 1, 1602},
        {FLESH_HEAD, 100, 0, 1, 40002},
    };
    for (int i = 0; i < WRI_COUNT(known); i++) {
        flesh_body body = make(known[i].kind, known[i].detail, known[i].around, known[i].bones);
        assert_true(abs(body.layer->node_count - known[i].nodes) <= known[i].nodes / 100);
        assert_true(body.layer->fixed_count <= body.layer->node_count / 100);
        assert_int_equal(body.layer->turned_count, 0);
        assert_int_equal(body.bone_count, known[i].kind == FLESH_DEER ? 34 : known[i].bones);
        check_closed(body.layer);
        check_bones(&body);
        flesh_body_destroy(&body);
    }
}

static void what_falls_freely_has_no_contacts_and_what_is_held_has_some(void **state)
{
    (void)state;
    const bench_options options = {.threads = 2};
    flesh_body body = make(FLESH_TUBE, 29, 10, 5);
    flesh_run_desc runs[] = {{&body, .steps = 1, .free = true},
                             {&body, .steps = 4},
                             {&body, .steps = 1, .alone = true, .held = 10}};
    flesh_run got[3];
    for (int i = 0; i < 3; i++) {
        wr_error error = {0};
        if (!flesh_measure(&runs[i], &options, &got[i], &error)) {
            fail_msg("%s", error.message);
        }
        assert_true(got[i].alone > 0.0 && got[i].alone < 1.0);
        assert_true(isnan(got[i].shared) == runs[i].alone);
    }
    assert_true(got[0].contacts == 0.0);
    assert_true(got[1].contacts > 4.0);
    assert_true(got[2].contacts > 4.0 && got[2].contacts <= 10.0);
    flesh_body_destroy(&body);
}

static bool is_wanted(void)
{
    return true;
}

static void an_interrupted_measurement_ends(void **state)
{
    (void)state;
    const bench_options options = {.is_interrupted = is_wanted};
    flesh_body body = make(FLESH_BALL, 6, 0, 1);
    const flesh_run_desc run = {&body, .steps = 1};
    wr_error error = {0};
    flesh_run got;
    assert_false(flesh_measure(&run, &options, &got, &error));
    assert_string_equal(error.message, "interrupted");
    flesh_body_destroy(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_closed_and_have_the_published_nodes),
        cmocka_unit_test(what_falls_freely_has_no_contacts_and_what_is_held_has_some),
        cmocka_unit_test(an_interrupted_measurement_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
