// gear.c: a toothed wheel about the z axis, its middle in the origin.
//
// Its surface is drawn as a loop of rings: from the bore's front edge over the front face, the
// teeth and the back face to the bore's back edge, and through the bore. A ring has a point at
// every angle of the teeth's outline, or at every second one.
#include "figure.h"
#include "../src/base/base.h"
#include "../src/math/elementary.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEETH = 10, TOOTH_POINTS = 8, POINTS = TEETH * TOOTH_POINTS };

static const float ROOT = 0.2f, TIP = 0.25f;

// Of the outline of a tooth: degrees from its middle, and how far up it is.
static const float OUTLINE[TOOTH_POINTS][2] = {{-18.0f, 0.0f}, {-10.0f, 0.0f}, {-7.5f, 0.5f},
                                               {-5.0f, 1.0f},  {0.0f, 1.0f},   {5.0f, 1.0f},
                                               {7.5f, 0.5f},   {10.0f, 0.0f}};

typedef struct gear_ring {
    float radius, z;
    float toothed; // 0: a circle with even points, 1: the outline
    bool half;     // every second point
    bool facets;   // from here to the next ring every piece is flat
} gear_ring;

static const gear_ring RINGS[] = {
    {0.085f, 0.062f, .half = true},
    {0.125f, 0.062f, .half = true},
    {0.135f, 0.05f, .half = true},
    {0.16f, 0.05f},
    {0.16f, 0.05f, .toothed = 0.4f},
    {0.16f, 0.05f, .toothed = 1.0f, .facets = true},
    {0.16f, 0.017f, .toothed = 1.0f, .facets = true},
    {0.16f, -0.017f, .toothed = 1.0f, .facets = true},
    {0.16f, -0.05f, .toothed = 1.0f},
    {0.16f, -0.05f, .toothed = 0.4f},
    {0.16f, -0.05f},
    {0.135f, -0.05f, .half = true},
    {0.125f, -0.062f, .half = true},
    {0.085f, -0.062f, .half = true},
    {0.085f, -0.02f, .half = true},
    {0.085f, 0.02f, .half = true},
};

typedef struct draft {
    wr_mesh mesh;
    int *groups; // of vertices: normals are averaged inside one only
} draft;

static void *take(wr_model *model, size_t count, size_t size)
{
    void *memory = model ? wr_model_alloc(model, count, size) : NULL;
    if (!memory) {
        fputs("make_figures: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static wr_vec3 place(const gear_ring *ring, int point)
{
    const float pitch = 360.0f / TEETH, *p = OUTLINE[point % TOOTH_POINTS];
    float even = pitch * ((float)(point % TOOTH_POINTS) / TOOTH_POINTS - 0.5f), s, c;
    float degrees = pitch * (float)(point / TOOTH_POINTS) + even + ring->toothed * (p[0] - even);
    float radius = ring->radius + ring->toothed * (ROOT + (TIP - ROOT) * p[1] - ring->radius);
    wri_sin_cos(WR_PI / 180.0f * degrees, &s, &c);
    return wr_v3(radius * c, radius * s, ring->z);
}

static int find_vertex(draft *d, wr_vec3 p, int group)
{
    wr_mesh *m = &d->mesh;
    for (int i = 0; i < m->vertex_count; i++) {
        if (d->groups[i] == group && wr_distance(m->positions[i], p) == 0.0f) {
            return i;
        }
    }
    m->positions[m->vertex_count] = p;
    d->groups[m->vertex_count] = group;
    return m->vertex_count++;
}

// A corner is a point of one of two rings.
typedef struct corner {
    int ring, point;
} corner;

static void add_triangle(draft *d, int group, corner a, corner b, corner c)
{
    const corner corners[3] = {a, b, c};
    int *out = d->mesh.triangles + 3 * (size_t)d->mesh.triangle_count++;
    for (int k = 0; k < 3; k++) {
        const gear_ring *ring = &RINGS[corners[k].ring];
        out[k] = find_vertex(d, place(ring, corners[k].point), group);
    }
}

static float distance(corner a, corner b)
{
    return wr_distance(place(&RINGS[a.ring], a.point), place(&RINGS[b.ring], b.point));
}

// Cut along the shorter diagonal.
static void add_quad(draft *d, int group, const corner *low, const corner *high)
{
    bool rising = distance(low[0], high[1]) < distance(low[1], high[0]);
    add_triangle(d, group, low[0], high[0], rising ? high[1] : low[1]);
    add_triangle(d, group, rising ? low[0] : high[0], high[1], low[1]);
}

static void add_strip(draft *d, int ring)
{
    int next = (ring + 1) % WRI_COUNT(RINGS);
    const gear_ring *a = &RINGS[ring], *b = &RINGS[next];
    for (int i = 0; i < POINTS; i += 2) {
        int group = a->facets ? WRI_COUNT(RINGS) + i : ring, other = a->facets ? group + 1 : group;
        corner low[3], high[3];
        for (int k = 0; k < 3; k++) {
            low[k] = (corner){ring, (i + k) % POINTS};
            high[k] = (corner){next, (i + k) % POINTS};
        }
        if (a->half && b->half) {
            add_triangle(d, group, low[0], high[0], high[2]);
            add_triangle(d, group, low[0], high[2], low[2]);
        } else if (a->half) {
            add_triangle(d, group, low[0], high[0], high[1]);
            add_triangle(d, group, low[0], high[1], low[2]);
            add_triangle(d, group, low[2], high[1], high[2]);
        } else if (b->half) {
            add_triangle(d, group, low[0], high[0], low[1]);
            add_triangle(d, group, low[1], high[0], high[2]);
            add_triangle(d, group, low[1], high[2], low[2]);
        } else {
            add_quad(d, group, low, high);
            add_quad(d, other, low + 1, high + 1);
        }
    }
}

wr_model *make_gear(void)
{
    enum { MAX_TRIANGLES = 2 * POINTS * WRI_COUNT(RINGS) };
    wr_model *model = wr_model_create(NULL, NULL);
    wr_mesh *mesh = take(model, 1, sizeof *mesh);
    draft d = {.mesh = {.name = "gear",
                        .positions = take(model, 3 * MAX_TRIANGLES, sizeof(wr_vec3)),
                        .triangles = take(model, 3 * MAX_TRIANGLES, sizeof(int)),
                        .parts = take(model, 1, sizeof(wr_mesh_part)),
                        .part_count = 1},
               .groups = take(model, 3 * MAX_TRIANGLES, sizeof(int))};
    for (int i = 0; i < WRI_COUNT(RINGS); i++) {
        add_strip(&d, i);
    }
    *mesh = d.mesh;
    mesh->normals = take(model, (size_t)mesh->vertex_count, sizeof(wr_vec3));
    wr_find_normals(mesh->positions, mesh->vertex_count, mesh->triangles, mesh->triangle_count,
                    mesh->normals);
    mesh->parts[0] = (wr_mesh_part){0, mesh->triangle_count, 0};
    model->looks = take(model, 1, sizeof *model->looks);
    model->looks[model->look_count++] = (wr_look){.name = "brass",
                                                  .base_color = {0.52f, 0.33f, 0.09f, 1.0f},
                                                  .texture = -1,
                                                  .roughness = 0.45f,
                                                  .metallic = 0.3f};
    model->nodes = take(model, 1, sizeof *model->nodes);
    model->nodes[model->node_count++] =
        (wr_node){"gear", -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}, NULL};
    model->meshes = mesh;
    model->mesh_count = 1;
    model->name = "gear";
    return model;
}
