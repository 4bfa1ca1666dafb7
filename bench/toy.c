// toy.c: discs and blocks.
#include "toy.h"

#include <math.h>
#include <stdlib.h>

static toy *create(int vertices, int elements)
{
    toy *t = calloc(1, sizeof *t);
    if (t) {
        t->rest = calloc((size_t)vertices, sizeof *t->rest);
        t->elements = calloc(3 * (size_t)elements, sizeof *t->elements);
        t->weights = calloc((size_t)vertices * TOY_HANDLES, sizeof *t->weights);
    }
    if (!t || !t->rest || !t->elements || !t->weights) {
        toy_destroy(t);
        return NULL;
    }
    t->rig = (wr_rig){.dimension = 2,
                      .vertex_count = vertices,
                      .rest = t->rest,
                      .element_count = elements,
                      .elements = t->elements,
                      .handle_count = TOY_HANDLES,
                      .handles = t->handles,
                      .weights = t->weights,
                      .example_count = TOY_EXAMPLES,
                      .examples = t->examples};
    return t;
}

void toy_destroy(toy *t)
{
    if (t) {
        free(t->rest);
        free(t->elements);
        free(t->weights);
        free(t);
    }
}

// Handles on an ellipse inside, weights by distance, examples by affine maps.
static void add_handles(toy *t, float width, float height)
{
    static const char *const names[TOY_EXAMPLES] = {"rest", "squashed", "stretched", "sheared"};
    static const float maps[TOY_EXAMPLES][3] = {// x by x, y by y, x by y
                                                {1.0f, 1.0f, 0.0f},
                                                {1.4f, 0.6f, 0.0f},
                                                {0.75f, 1.35f, 0.0f},
                                                {1.0f, 1.0f, 0.3f}};
    for (int b = 0; b < TOY_HANDLES; b++) {
        float a = 2.0f * WR_PI * (float)b / TOY_HANDLES;
        t->handles[b] = (wr_handle){.name = "handle", .parent = -1, .vertex = -1};
        t->handles[b].pivot = wr_v3(0.35f * width * cosf(a), 0.35f * height * sinf(a), 0.0f);
        for (int e = 0; e < TOY_EXAMPLES; e++) {
            wr_mat34 map = WR_MAT34_IDENTITY;
            map.m[0][0] = maps[e][0];
            map.m[1][1] = maps[e][1];
            map.m[0][1] = maps[e][2];
            t->poses[e][b] = wr_handle_pose_from_affine(map, t->handles[b].pivot);
        }
    }
    for (int e = 0; e < TOY_EXAMPLES; e++) {
        t->examples[e] = (wr_example){.name = names[e], .poses = t->poses[e]};
    }
    for (int i = 0; i < t->rig.vertex_count; i++) {
        float *w = &t->weights[i * TOY_HANDLES], sum = 0.0f;
        for (int b = 0; b < TOY_HANDLES; b++) {
            float d = wr_distance(t->rest[i], t->handles[b].pivot) / fmaxf(width, height);
            sum += w[b] = 1.0f / ((d * d + 0.01f) * (d * d + 0.01f));
        }
        for (int b = 0; b < TOY_HANDLES; b++) {
            w[b] /= sum;
        }
    }
}

// Ring r has 6 r particles; sixth by sixth, a strip of triangles joins it to the ring inside.
toy *toy_create_disc(float radius, int rings)
{
    toy *t = create(1 + 3 * rings * (rings + 1), 6 * rings * rings);
    if (!t) {
        return NULL;
    }
    int *out = t->elements;
    for (int r = 1; r <= rings; r++) {
        int first = 1 + 3 * r * (r - 1), inner = r > 1 ? 1 + 3 * (r - 1) * (r - 2) : 0;
        int count = 6 * r, inside = r > 1 ? 6 * (r - 1) : 1;
        for (int k = 0; k < count; k++) {
            float a = 2.0f * WR_PI * (float)k / (float)count, d = radius * (float)r / (float)rings;
            t->rest[first + k] = wr_v3(d * cosf(a), d * sinf(a), 0.0f);
            int sixth = k / r, step = k % r, next = first + (k + 1) % count;
            int low = inner + (sixth * (r - 1) + step) % inside;
            *out++ = first + k, *out++ = next, *out++ = low;
            if (step + 1 < r) {
                int low_next = inner + (sixth * (r - 1) + step + 1) % inside;
                *out++ = low, *out++ = next, *out++ = low_next;
            }
        }
    }
    add_handles(t, 2.0f * radius, 2.0f * radius);
    return t;
}

toy *toy_create_block(float width, float height, int across, int up)
{
    toy *t = create((across + 1) * (up + 1), 2 * across * up);
    if (!t) {
        return NULL;
    }
    int *out = t->elements;
    for (int r = 0; r <= up; r++) {
        for (int c = 0; c <= across; c++) {
            t->rest[r * (across + 1) + c] = wr_v3(width * ((float)c / (float)across - 0.5f),
                                                  height * ((float)r / (float)up - 0.5f), 0.0f);
        }
    }
    for (int r = 0; r < up; r++) {
        for (int c = 0; c < across; c++) {
            int a = r * (across + 1) + c, b = a + 1, d = a + across + 1, e = d + 1;
            bool turned = (r + c) % 2; // diagonals alternate: no direction is firmer
            *out++ = a, *out++ = b, *out++ = turned ? d : e;
            *out++ = turned ? b : a, *out++ = e, *out++ = d;
        }
    }
    add_handles(t, width, height);
    return t;
}
