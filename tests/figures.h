// figures.h: the figures of the demo scenes, read once for all tests of a program.
#pragma once

#include "check.h"

#include "wrought/file.h"
#include "../src/base/os.h"
#include "../tools/figure_field.h"
#include "../tools/net.h"

typedef struct expectation {
    const char *name;
    int vertices[2]; // places, from and to
    int bytes;
    float mass[2];   // of water, kg
    float height[2]; // m
    float uneven;    // longest edge by shortest
    int joints;      // 0: it is rigid
    bool animal;     // it stands, has eyes and can nod
    const char *loops[2], *onces[3];
    int targets;
} expectation;

static const expectation FIGURES[] = {
    {"rabbit", {5500, 6000}, 600000, {3.0f, 12.0f}, {0.28f, 0.4f}, 16.0f, 14, true},
    {"hen", {5500, 6000}, 600000, {3.0f, 12.0f}, {0.28f, 0.4f}, 16.0f, 31, true},
    {"pig", {5500, 6000}, 600000, {3.0f, 12.0f}, {0.28f, 0.4f}, 16.0f, 22, true},
    {"tyre", {3500, 4200}, 300000, {35.0f, 50.0f}, {0.59f, 0.6f}, 3.0f},
    {"pumpkin", {3800, 4200}, 300000, {24.0f, 32.0f}, {0.3f, 0.4f}, 3.2f},
    {"tube", {285, 300}, 50000, {9.0f, 12.0f}, {0.12f, 0.122f}, 2.5f, 5},
    {"three-links", {600, 640}, 60000, {9.0f, 12.0f}, {0.12f, 0.122f}, 2.5f, 3},
    {"snake", {3000, 3200}, 400000, {10.0f, 15.0f}, {0.1f, 0.12f}, 3.0f, 16, .loops = {"slither"}},
    {"fish",
     {3200, 3600},
     400000,
     {8.0f, 13.0f},
     {0.35f, 0.38f},
     3.4f,
     9,
     .loops = {"swim", "flap"}},
    {"deer", {8200, 8500}, 800000, {180, 240}, {2, 2.1f}, 3.5f, 34, true, {"walk", "look"}},
    {"deer-light",
     {1700, 1800},
     250000,
     {180, 240},
     {1.7f, 1.8f},
     4.4f,
     34,
     true,
     {"walk", "look"}},
    {"bird", {1700, 2000}, 150000, {1.5f, 2.5f}, {0.14f, 0.15f}, 3.6f},
    {"hand", {3800, 4200}, 400000, {4, 5}, {0.37f, 0.4f}, 3.6f, 17, .onces = {"close", "open"}},
    {"fist", {2600, 3000}, 300000, {4, 6}, {0.23f, 0.25f}, 3.0f, 1},
    {"head", {3900, 4300}, 400000, {11, 16}, {0.36f, 0.38f}, 3.6f, 1},
    {"elbow",
     {1600, 1800},
     300000,
     {7, 9},
     {0.35f, 0.37f},
     3.0f,
     4,
     .loops = {"curl"},
     .onces = {"bend"},
     .targets = 3},
    {"diver",
     {5000, 5300},
     750000,
     {65, 85},
     {1.75f, 1.8f},
     6.0f,
     46,
     .onces = {"tuck", "jump", "flip"},
     .targets = 2},
    {"shoulder",
     {3600, 3900},
     800000,
     {25, 50},
     {0.79f, 0.82f},
     4.0f,
     5,
     .onces = {"targets", "others"},
     .targets = 5},
    {"jelly",
     {1400, 1700},
     250000,
     {15, 40},
     {0.46f, 0.52f},
     5.0f,
     5,
     .loops = {"sway", "nod"},
     .targets = 2},
};
// What is there on one side alone: a right hand is no mirror image of itself.
static inline bool is_whole(const expectation *e)
{
    static const char *const names[] = {"hand", "fist", "elbow", "shoulder"};
    bool whole = false;
    for (int i = 0; i < WRI_COUNT(names); i++) {
        whole = whole || strcmp(e->name, names[i]) == 0;
    }
    return whole;
}

enum { FIGURE_COUNT = WRI_COUNT(FIGURES), OLDER = 3 };
static const float LEAST_ANGLE = 20.0f; // degrees

typedef struct fixture {
    wri_arena arena;
    const char *paths[FIGURE_COUNT];
    wr_model *models[FIGURE_COUNT];
} fixture;

static inline int read_figures(void **state)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        *state = NULL;
        return 0;
    }
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->arena = wri_arena_create(NULL);
    for (int i = 0; i < FIGURE_COUNT; i++) {
        wr_error error = {0};
        f->paths[i] = wri_arena_printf(&f->arena, "%s/models/%s.glb", scenes, FIGURES[i].name);
        f->models[i] = wr_model_read(f->paths[i], NULL, &error);
        if (!f->models[i]) {
            print_error("%s\n", error.message);
            return 1;
        }
    }
    return 0;
}

static inline int free_figures(void **state)
{
    fixture *f = *state;
    for (int i = 0; f && i < FIGURE_COUNT; i++) {
        wr_model_destroy(f->models[i]);
    }
    if (f) {
        wri_arena_destroy(&f->arena);
        free(f);
    }
    return 0;
}

// One of the figures per call; NULL behind the last.
static inline const wr_model *figure_at(void **state, int i)
{
    fixture *f = *state;
    if (!f) {
        print_message("WROUGHT_SCENES is not set; no figures to look at\n");
        skip();
    }
    return i < FIGURE_COUNT ? f->models[i] : NULL;
}

static inline int compare_places(const void *a, const void *b)
{
    const float *x = a, *y = b;
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

static inline float weight_of(const wr_mesh *mesh, int vertex, int joint)
{
    for (int k = 0; k < mesh->influence_count; k++) {
        int at = vertex * mesh->influence_count + k;
        if (mesh->joints[at] == joint && mesh->weights[at] > 0.0f) {
            return mesh->weights[at];
        }
    }
    return 0.0f;
}

static inline void check_weights(const wr_mesh *mesh)
{
    assert_in_range(mesh->influence_count, 1, 4);
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum = 0.0;
        for (int k = 0; k < mesh->influence_count; k++) {
            float weight = mesh->weights[v * mesh->influence_count + k];
            assert_true(weight >= 0.0f);
            sum += (double)weight;
        }
        assert_true(fabs(sum - 1.0) < 1e-6);
    }
}
