// walker.h: a flat character on two legs, made by arithmetic, for tests of controllers: 1 m tall,
// its feet at y = 0, looking to the right by a nose.
#pragma once

#include "wrought/sprite.h"

#include "check.h"

enum { WALKER_COLUMNS = 7, WALKER_ROWS = 11, WALKER_N = 75, WALKER_T = 106, WALKER_B = 4 };
enum { STAND, STRIDE_A, PASS, STRIDE_B, CROUCH, ALONE, WALKER_E };
enum { TORSO, LEFT_LEG, RIGHT_LEG, NOSE };

typedef struct walker {
    wr_rig rig;
    wr_vec3 rest[WALKER_N];
    int elements[3 * WALKER_T];
    wr_handle handles[WALKER_B];
    float weights[WALKER_N * WALKER_B];
    wr_handle_pose poses[WALKER_E][WALKER_B];
    wr_example examples[WALKER_E];
} walker;

// A loop of four edges, an edge to crouch, and a pose that blends with nothing.
static const wr_simplex WALKER_SIMPLICES[] = {
    {2, {STAND, STRIDE_A}}, {2, {STRIDE_A, PASS}}, {2, {PASS, STRIDE_B}},
    {2, {STRIDE_B, STAND}}, {2, {STAND, CROUCH}},  {1, {ALONE}},
};
enum { WALKER_SIMPLEX_COUNT = 6 };

// Cells of 0.1 m: a torso over two legs of two columns with two columns between them, and a nose.
static inline bool walker_has_cell(int column, int row)
{
    return row >= 4 ? column < 6 || (column == 6 && row == 8)
                    : column < 2 || (column >= 4 && column < 6);
}

static inline void walker_make_mesh(walker *w)
{
    int number[WALKER_COLUMNS + 1][WALKER_ROWS], n = 0, t = 0;
    memset(number, -1, sizeof number);
    for (int row = 0; row < WALKER_ROWS - 1; row++) {
        for (int column = 0; column < WALKER_COLUMNS; column++) {
            if (!walker_has_cell(column, row)) {
                continue;
            }
            int corners[4];
            for (int k = 0; k < 4; k++) {
                int x = column + (k == 1 || k == 2), y = row + (k >= 2);
                if (number[x][y] < 0) {
                    w->rest[n] = wr_v3(0.1f * (float)x - 0.3f, 0.1f * (float)y, 0.0f);
                    number[x][y] = n++;
                }
                corners[k] = number[x][y];
            }
            const int two[6] = {corners[0], corners[1], corners[2],
                                corners[0], corners[2], corners[3]};
            memcpy(&w->elements[3 * t], two, sizeof two);
            t += 2;
        }
    }
    w->rig.vertex_count = n;
    w->rig.element_count = t;
}

static inline void walker_make_weights(walker *w)
{
    const wr_vec3 pivots[WALKER_B] = {
        {0, 0.7f, 0}, {-0.2f, 0.4f, 0}, {0.2f, 0.4f, 0}, {0.3f, 0.8f, 0}};
    for (int h = 0; h < WALKER_B; h++) {
        w->handles[h] = (wr_handle){"", pivots[h], -1, -1};
    }
    for (int i = 0; i < w->rig.vertex_count; i++) {
        wr_vec3 p = w->rest[i];
        float leg = fminf(fmaxf((0.5f - p.y) / 0.2f, 0.0f), 1.0f); // 0 at the hip's upper end
        float *row = &w->weights[i * WALKER_B];
        row[TORSO] = 1.0f - leg;
        row[p.x < 0.0f ? LEFT_LEG : RIGHT_LEG] = leg;
        if (p.x > 0.35f) {
            memset(row, 0, WALKER_B * sizeof *row);
            row[NOSE] = 1.0f;
        }
    }
}

static inline wr_handle_pose walker_pose(float turn, float y, float tall)
{
    return (wr_handle_pose){
        {0, 0, sinf(0.5f * turn), cosf(0.5f * turn)}, {0, y, 0}, {1, tall, 1, 0, 0, 0}};
}

static inline void walker_make_poses(walker *w)
{
    static const char *names[WALKER_E] = {"stand",    "stride a", "pass",
                                          "stride b", "crouch",   "alone"};
    const float legs[WALKER_E] = {0, 0.35f, 0.05f, -0.35f, 0, 0};
    for (int e = 0; e < WALKER_E; e++) {
        float low = e == CROUCH ? -0.15f : 0.0f, lift = e == PASS ? 0.05f : 0.0f;
        w->poses[e][TORSO] = walker_pose(0, low, e == CROUCH ? 0.8f : e == ALONE ? 1.4f : 1.0f);
        w->poses[e][LEFT_LEG] = walker_pose(legs[e], low + lift, 1.0f + low / 0.4f);
        w->poses[e][RIGHT_LEG] = walker_pose(-legs[e], low, 1.0f + low / 0.4f);
        w->poses[e][NOSE] = walker_pose(e == PASS ? 0.1f : 0, low, 1);
        w->examples[e] = (wr_example){names[e], w->poses[e], NULL, NULL};
    }
}

static inline void walker_make(walker *w)
{
    memset(w, 0, sizeof *w);
    walker_make_mesh(w);
    walker_make_weights(w);
    walker_make_poses(w);
    w->rig.dimension = 2;
    w->rig.rest = w->rest;
    w->rig.elements = w->elements;
    w->rig.handle_count = WALKER_B;
    w->rig.handles = w->handles;
    w->rig.weights = w->weights;
    w->rig.example_count = WALKER_E;
    w->rig.examples = w->examples;
}

// The vertex at the tip of the nose.
static inline int walker_tip(const walker *w)
{
    int tip = 0;
    for (int i = 0; i < w->rig.vertex_count; i++) {
        tip = w->rest[i].x > w->rest[tip].x ? i : tip;
    }
    return tip;
}

static inline wr_sprite_asset *walker_create_asset(const walker *w)
{
    wr_error error = {0};
    wr_sprite_asset_desc desc = wr_sprite_asset_desc_default();
    desc.rig = &w->rig;
    desc.simplices = WALKER_SIMPLICES;
    desc.simplex_count = WALKER_SIMPLEX_COUNT;
    wr_sprite_asset *asset = wr_sprite_asset_create(&desc, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    return asset;
}
