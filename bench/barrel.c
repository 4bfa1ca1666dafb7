// barrel.c: a lattice of cubes bent round, five tetrahedra in each, mirrored from cube to cube.
#include "barrel.h"

#include <stdlib.h>

static const float RADIUS = 0.38f; // heights

// Corners of a cube as bits x y z; every other cube has bit x turned over.
static const int SPLIT[5][4] = {
    {0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 6, 3}, {4, 0, 5, 6}, {7, 6, 5, 3}};

static void place_vertices(barrel *b, int across, int along, float size)
{
    int i = 0;
    for (int k = 0; k <= along; k++) {
        for (int r = 0; r <= across; r++) {
            for (int c = 0; c <= across; c++, i++) {
                float x = (float)(2 * c - across) / (float)across,
                      z = (float)(2 * r - across) / (float)across;
                float y = (float)(2 * k - along) / (float)(2 * along);
                float bulge = 1.0f - 0.3f * y * y;
                b->rest[i] =
                    wr_scale(size, wr_v3(RADIUS * bulge * x * sqrtf(1.0f - 0.5f * z * z), y,
                                         RADIUS * bulge * z * sqrtf(1.0f - 0.5f * x * x)));
            }
        }
    }
}

static void add_element(barrel *b, const int corners[4])
{
    int *v = &b->elements[4 * b->rig.element_count++];
    for (int k = 0; k < 4; k++) {
        v[k] = corners[k];
    }
    const wr_vec3 *u = b->rest;
    wr_vec3 n = wr_cross(wr_sub(u[v[1]], u[v[0]]), wr_sub(u[v[2]], u[v[0]]));
    if (wr_dot(n, wr_sub(u[v[3]], u[v[0]])) < 0.0f) {
        int t = v[2];
        v[2] = v[3];
        v[3] = t;
    }
}

// base: the cube's first vertex; steps to the next in x, y, z.
static void add_cube(barrel *b, int base, const int steps[3], bool turned)
{
    int cube[8];
    for (int i = 0; i < 8; i++) {
        cube[i] = base + (i & 1 ? steps[0] : 0) + (i & 2 ? steps[1] : 0) + (i & 4 ? steps[2] : 0);
    }
    for (int t = 0; t < 5; t++) {
        int corners[4];
        for (int i = 0; i < 4; i++) {
            corners[i] = cube[turned ? SPLIT[t][i] ^ 1 : SPLIT[t][i]];
        }
        add_element(b, corners);
    }
}

static void place_elements(barrel *b, int across, int along)
{
    const int steps[3] = {1, (across + 1) * (across + 1), across + 1};
    for (int k = 0; k < along; k++) {
        for (int i = 0; i < across * across; i++) {
            int r = i / across, c = i % across;
            add_cube(b, k * steps[1] + r * steps[2] + c, steps, (k + r + c) % 2 == 1);
        }
    }
}

// Three rings of four: towards +x, +z, -x, -z.
static void place_handles(barrel *b, float size)
{
    static const float sides[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int i = 0; i < BARREL_HANDLES; i++) {
        const float *side = sides[i % 4];
        float y = 0.4f * (float)(i / 4 - 1);
        b->handles[i] =
            (wr_handle){"", wr_scale(size, wr_v3(0.3f * side[0], y, 0.3f * side[1])), -1, -1};
    }
    for (int v = 0; v < b->rig.vertex_count; v++) {
        float *w = &b->weights[v * BARREL_HANDLES], sum = 0.0f;
        for (int i = 0; i < BARREL_HANDLES; i++) {
            float d = wr_distance(b->rest[v], b->handles[i].pivot) / (0.75f * size);
            float s = d < 1.0f ? 1.0f - d * d : 0.0f;
            w[i] = s * s * s * s;
            sum += w[i];
        }
        for (int i = 0; i < BARREL_HANDLES; i++) {
            w[i] /= sum;
        }
    }
}

static void pose(barrel *b, int example, int handle, wr_vec3 offset, wr_vec3 axis, float degrees)
{
    wr_handle_pose *p = &b->poses[example][handle];
    p->offset = offset;
    p->rotation = wr_quat_from_axis_angle(axis, degrees * WR_PI / 180.0f);
}

static void pose_examples(barrel *b, float size)
{
    for (int i = 0; i < BARREL_EXAMPLES * BARREL_HANDLES; i++) {
        b->poses[i / BARREL_HANDLES][i % BARREL_HANDLES] =
            (wr_handle_pose){WR_QUAT_IDENTITY, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    }
    const wr_vec3 x = wr_v3(1, 0, 0), z = wr_v3(0, 0, 1);
    pose(b, 1, 4, wr_v3(-0.3f * size, 0, 0), z, 0);
    pose(b, 1, 0, wr_v3(-0.08f * size, 0.04f * size, 0), z, 35);
    pose(b, 1, 8, wr_v3(-0.08f * size, -0.04f * size, 0), z, -35);
    pose(b, 1, 5, wr_v3(-0.04f * size, 0, 0.03f * size), x, 0);
    pose(b, 1, 7, wr_v3(-0.04f * size, 0, -0.03f * size), x, 0);
    pose(b, 2, 8, wr_v3(0.02f * size, -0.25f * size, 0), z, -25);
    pose(b, 2, 10, wr_v3(-0.02f * size, -0.25f * size, 0), z, 25);
    pose(b, 2, 9, wr_v3(0, -0.25f * size, 0.02f * size), x, 20);
    pose(b, 2, 11, wr_v3(0, -0.25f * size, -0.02f * size), x, -20);
    for (int i = 4; i < 8; i++) {
        wr_vec3 out = b->handles[i].pivot;
        pose(b, 2, i, wr_v3(0.25f * out.x, -0.08f * size, 0.25f * out.z), z, 0);
    }
    for (int e = 0; e < BARREL_EXAMPLES; e++) {
        static const char *const names[] = {"rest", "caved", "crushed"};
        b->examples[e] = (wr_example){names[e], b->poses[e], NULL};
    }
}

barrel *barrel_create(int across, int along, float size)
{
    int n = (across + 1) * (across + 1) * (along + 1), cubes = across * across * along;
    barrel *b = calloc(1, sizeof *b);
    if (!b) {
        return NULL;
    }
    b->rest = calloc((size_t)n, sizeof *b->rest);
    b->elements = calloc(20 * (size_t)cubes, sizeof *b->elements);
    b->weights = calloc((size_t)n * BARREL_HANDLES, sizeof *b->weights);
    if (!b->rest || !b->elements || !b->weights) {
        barrel_destroy(b);
        return NULL;
    }
    b->rig = (wr_rig){.dimension = 3,
                      .vertex_count = n,
                      .rest = b->rest,
                      .elements = b->elements,
                      .handle_count = BARREL_HANDLES,
                      .handles = b->handles,
                      .weights = b->weights,
                      .example_count = BARREL_EXAMPLES,
                      .examples = b->examples};
    place_vertices(b, across, along, size);
    place_elements(b, across, along);
    place_handles(b, size);
    pose_examples(b, size);
    return b;
}

void barrel_destroy(barrel *b)
{
    if (b) {
        free(b->rest);
        free(b->elements);
        free(b->weights);
        free(b);
    }
}
