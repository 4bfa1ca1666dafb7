// blob.h: a flat drawing with handles, made by formulas, for tests of sprites: a sheet of
// COLUMNS x ROWS vertices with eight handles and eight examples that no turn maps to one another.
#pragma once

#include "wrought/sprite.h"

#include "check.h"

enum {
    BLOB_COLUMNS = 15,
    BLOB_ROWS = 9,
    BLOB_N = BLOB_COLUMNS * BLOB_ROWS,
    BLOB_B = 8,
    BLOB_E = 8
};
enum { BLOB_T = 2 * (BLOB_COLUMNS - 1) * (BLOB_ROWS - 1) };
enum { REST, BENT, BACK, LONG, TALL, LEANING, RAISED, ALONE };

typedef struct blob {
    wr_rig rig;
    wr_vec3 rest[BLOB_N];
    int elements[3 * BLOB_T];
    wr_handle handles[BLOB_B];
    float weights[BLOB_N * BLOB_B];
    wr_handle_pose poses[BLOB_E][BLOB_B];
    wr_vec3 correctives[BLOB_N];
    wr_example examples[BLOB_E];
} blob;

// Two triangles, a chain of edges, and an example that blends with nothing.
static const wr_simplex BLOB_SIMPLICES[] = {
    {3, {REST, BENT, LONG}}, {3, {REST, LONG, TALL}}, {2, {REST, BACK}},
    {2, {BACK, LEANING}},    {2, {LEANING, RAISED}},  {1, {ALONE}},
};
enum { BLOB_SIMPLEX_COUNT = 6 };

static inline void blob_make_mesh(blob *b)
{
    int t = 0;
    for (int i = 0; i < BLOB_N; i++) {
        b->rest[i] = wr_v3(0.1f * (float)(i % BLOB_COLUMNS) - 0.7f,
                           0.1f * (float)(i / BLOB_COLUMNS) - 0.4f, 0.0f);
    }
    for (int r = 0; r + 1 < BLOB_ROWS; r++) {
        for (int c = 0; c + 1 < BLOB_COLUMNS; c++) {
            int a = r * BLOB_COLUMNS + c, d = a + BLOB_COLUMNS;
            const int corners[6] = {a, a + 1, d + 1, a, d + 1, d};
            memcpy(&b->elements[3 * t], corners, sizeof corners);
            t += 2;
        }
    }
}

static inline void blob_make_weights(blob *b)
{
    for (int h = 0; h < BLOB_B; h++) {
        b->handles[h] =
            (wr_handle){"", wr_v3(-0.6f + 0.4f * (float)(h % 4), h < 4 ? -0.2f : 0.2f, 0), -1, -1};
    }
    for (int i = 0; i < BLOB_N; i++) {
        double sum = 0.0, w[BLOB_B];
        for (int h = 0; h < BLOB_B; h++) {
            wr_vec3 d = wr_sub(b->rest[i], b->handles[h].pivot);
            w[h] = 1.0 / pow(0.01 + (double)wr_dot(d, d), 2.0);
            sum += w[h];
        }
        for (int h = 0; h < BLOB_B; h++) {
            b->weights[i * BLOB_B + h] = (float)(w[h] / sum);
        }
    }
}

static inline wr_handle_pose flat_pose(float turn, float x, float y, float xx, float yy, float xy)
{
    return (wr_handle_pose){
        {0, 0, sinf(0.5f * turn), cosf(0.5f * turn)}, {x, y, 0}, {xx, yy, 1, xy, 0, 0}};
}

// The sheet rolled to a circle: the middle stays.
static inline wr_handle_pose bent_pose(wr_vec3 at, float curvature)
{
    float turn = curvature * at.x, s = sinf(turn), c = cosf(turn);
    return flat_pose(turn, s / curvature - s * at.y - at.x, (1 - c) / curvature + (c - 1) * at.y, 1,
                     1, 0);
}

static inline void blob_make_poses(blob *b)
{
    static const char *names[BLOB_E] = {"rest", "bent",    "back",   "long",
                                        "tall", "leaning", "raised", "alone"};
    for (int h = 0; h < BLOB_B; h++) {
        wr_vec3 p = b->handles[h].pivot;
        bool arm = h == 7 || h == 3;
        b->poses[REST][h] = flat_pose(0, 0, 0, 1, 1, 0);
        b->poses[BENT][h] = bent_pose(p, 1.8f);
        b->poses[BACK][h] = bent_pose(p, -1.2f);
        b->poses[LONG][h] = flat_pose(0, 0.6f * p.x, -0.3f * p.y, 1.6f, 0.7f, 0);
        b->poses[TALL][h] = flat_pose(0, -0.3f * p.x, 0.8f * p.y, 0.7f, 1.8f, 0);
        b->poses[LEANING][h] = flat_pose(0.3f, 0.8f * p.y, 0.3f * p.x, 1.1f, 0.9f, 0.3f);
        b->poses[RAISED][h] =
            flat_pose(arm ? 1.4f : -0.2f, arm ? -0.2f : 0, arm ? 0.5f : 0, 1, 1, 0);
        b->poses[ALONE][h] =
            flat_pose(-0.6f * p.y, 0.3f * p.x * p.x, 0.5f * p.x, 1.2f, 1.2f, -0.1f);
    }
    for (int i = 0; i < BLOB_N; i++) {
        b->correctives[i] =
            wr_v3(0.05f * sinf(9 * b->rest[i].y), 0.04f * cosf(7 * b->rest[i].x), 0);
    }
    for (int e = 0; e < BLOB_E; e++) {
        b->examples[e] =
            (wr_example){names[e], b->poses[e], e == TALL ? b->correctives : NULL, NULL};
    }
}

static inline void blob_make(blob *b)
{
    memset(b, 0, sizeof *b);
    blob_make_mesh(b);
    blob_make_weights(b);
    blob_make_poses(b);
    b->rig = (wr_rig){.dimension = 2,
                      .vertex_count = BLOB_N,
                      .rest = b->rest,
                      .element_count = BLOB_T,
                      .elements = b->elements,
                      .handle_count = BLOB_B,
                      .handles = b->handles,
                      .weights = b->weights,
                      .example_count = BLOB_E,
                      .examples = b->examples};
}

static inline wr_sprite_asset_desc blob_desc(const blob *b)
{
    wr_sprite_asset_desc desc = wr_sprite_asset_desc_default();
    desc.rig = &b->rig;
    desc.simplices = BLOB_SIMPLICES;
    desc.simplex_count = BLOB_SIMPLEX_COUNT;
    return desc;
}
