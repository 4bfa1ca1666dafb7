// slab.c: things of clay in layers: rounded boxes that stand on y = 0, each one closed shell of
// even triangles that can follow whatever is pressed into it; one of stone with ridges; and a
// cylinder of flesh that is round where those are square.
#include "figure.h"
#include "../src/math/elementary.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct slab {
    const char *name;
    wr_vec3 half;   // extents
    int cells[3];   // along x, y and z
    float rounding; // radius of the edges
    int layer;      // cells up
    bool graded;    // alpha grows along x, for maps that are painted; else it is 1
    int ridges;     // on top, along z
    float ridge;    // their height
    bool round;     // about x: the squares that make up its section become circles
} slab;

static const rgb LIGHT = {0.80f, 0.62f, 0.45f}, DARK = {0.62f, 0.34f, 0.22f};
static const rgb STONE = {0.66f, 0.65f, 0.62f};
static const rgb SOFT = {0.93f, 0.55f, 0.50f}, FIRM = {0.22f, 0.36f, 0.50f};

static void *take(wr_model *model, size_t count, size_t size)
{
    void *memory = model ? wr_model_alloc(model, count, size) : NULL;
    if (!memory) {
        fputs("make_figures: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static bool is_outside(const slab *s, const int at[3])
{
    bool outside = false;
    for (int k = 0; k < 3; k++) {
        outside = outside || at[k] == 0 || at[k] == s->cells[k];
    }
    return outside;
}

static int slot_of(const slab *s, const int at[3])
{
    return (at[2] * (s->cells[1] + 1) + at[1]) * (s->cells[0] + 1) + at[0];
}

// On the surface of the box at the distance of the rounding around the one within.
static void place(const slab *s, const int at[3], wr_vec3 *position, wr_vec3 *normal)
{
    const float h[3] = {s->half.x, s->half.y, s->half.z};
    float inner[3], out[3];
    for (int k = 0; k < 3; k++) {
        float x = h[k] * (2.0f * (float)at[k] / (float)s->cells[k] - 1.0f),
              most = h[k] - s->rounding;
        inner[k] = wr_clampf(x, -most, most);
        out[k] = x - inner[k];
    }
    *normal = wr_normalize(wr_v3(out[0], out[1], out[2]));
    *position =
        wr_add(wr_v3(inner[0], inner[1] + s->half.y, inner[2]), wr_scale(s->rounding, *normal));
}

// The same of a cylinder: a point of a square is at even angles on the circle that its ring
// becomes.
static void place_round(const slab *s, const int at[3], wr_vec3 *position, wr_vec3 *normal)
{
    float p[3], sine, cosine;
    for (int k = 0; k < 3; k++) {
        p[k] = 2.0f * (float)at[k] / (float)s->cells[k] - 1.0f;
    }
    bool upper = fabsf(p[1]) >= fabsf(p[2]);
    float far = upper ? p[1] : p[2], aside = upper ? p[2] : p[1], side = far < 0.0f ? -1.0f : 1.0f;
    wri_sin_cos(far == 0.0f ? 0.0f : 0.25f * WR_PI * aside / far, &sine, &cosine);
    wr_vec3 outward = wr_scale(side, upper ? wr_v3(0, cosine, sine) : wr_v3(0, sine, cosine));
    float x = s->half.x * p[0], most = s->half.x - s->rounding, inner = wr_clampf(x, -most, most);
    float radius = s->half.y * side * far, within = fminf(radius, s->half.y - s->rounding);
    *normal = wr_normalize(wr_add(wr_v3(x - inner, 0, 0), wr_scale(radius - within, outward)));
    wr_vec3 middle = wr_add(wr_v3(inner, s->half.y, 0), wr_scale(within, outward));
    *position = wr_add(middle, wr_scale(s->rounding, *normal));
}

// Raises the top in waves that begin and end between two ridges.
static void raise(const slab *s, wr_vec3 *position, wr_vec3 *normal)
{
    float k = WR_PI * (float)s->ridges / s->half.x, sine, cosine;
    wri_sin_cos(k * (position->x + s->half.x), &sine, &cosine);
    position->y += 0.5f * s->ridge * (1.0f - cosine);
    *normal = wr_normalize(
        wr_v3(normal->x - 0.5f * s->ridge * k * sine * normal->y, normal->y, normal->z));
}

// Layers are a little uneven, as by hand.
static wr_color tint(const slab *s, int row, wr_vec3 p)
{
    float uneven = 0.12f * fractal(wr_add(wr_scale(9.0f, p), wr_v3(20.0f, 20.0f, 20.0f)), 3, 77u);
    int layer = (row < s->cells[1] ? row : row - 1) / s->layer;
    rgb c = shade(s->ridges > 0 ? STONE : layer % 2 ? LIGHT : DARK, 0.94f + uneven);
    float alpha = s->graded ? wr_clampf(0.5f + 0.5f * p.x / s->half.x, 0.0f, 1.0f) : 1.0f;
    return (wr_color){c.r * c.r, c.g * c.g, c.b * c.b, alpha}; // about linear light
}

// Chequered, to see how it is bent. Of what is graded the right half is firm, where alpha is 1.
static wr_color tint_round(const slab *s, const int at[3])
{
    int half = s->cells[1] / 2, y = abs(at[1] - half), z = abs(at[2] - half);
    int far = y > z ? y : z, around = far > 0 ? half * (y + z - far) / far : 0;
    int field = (around + s->layer / 2) / s->layer + at[0] / s->layer;
    float right = wr_clampf((float)(at[0] - s->cells[0] / 2) + 0.5f, 0.0f, 1.0f);
    float firm = s->graded ? right : 0.0f;
    rgb c = shade(mix(SOFT, FIRM, firm), field % 2 ? 1.0f : 0.8f);
    return (wr_color){c.r * c.r, c.g * c.g, c.b * c.b, firm};
}

static int *number_vertices(const slab *s, wr_model *model, wr_mesh *mesh)
{
    size_t slots =
        (size_t)(s->cells[0] + 1) * (size_t)(s->cells[1] + 1) * (size_t)(s->cells[2] + 1);
    int *number = take(model, slots, sizeof *number);
    mesh->positions = take(model, slots, sizeof *mesh->positions);
    mesh->normals = take(model, slots, sizeof *mesh->normals);
    mesh->colors = take(model, slots, sizeof *mesh->colors);
    int at[3];
    for (at[2] = 0; at[2] <= s->cells[2]; at[2]++) {
        for (at[1] = 0; at[1] <= s->cells[1]; at[1]++) {
            for (at[0] = 0; at[0] <= s->cells[0]; at[0]++) {
                if (is_outside(s, at)) {
                    int i = mesh->vertex_count++;
                    number[slot_of(s, at)] = i;
                    (s->round ? place_round : place)(s, at, &mesh->positions[i], &mesh->normals[i]);
                    mesh->colors[i] =
                        s->round ? tint_round(s, at) : tint(s, at[1], mesh->positions[i]);
                    if (s->ridges > 0 && at[1] == s->cells[1]) {
                        raise(s, &mesh->positions[i], &mesh->normals[i]);
                    }
                }
            }
        }
    }
    return number;
}

// The side of the box at an end of an axis. Diagonals alternate, so that no direction bends easier.
static void add_side(const slab *s, const int *number, int axis, bool high, wr_mesh *mesh)
{
    int b = (axis + 1) % 3, c = (axis + 2) % 3, at[3];
    at[axis] = high ? s->cells[axis] : 0;
    for (int j = 0; j < s->cells[c]; j++) {
        for (int i = 0; i < s->cells[b]; i++) {
            int q[4];
            for (int k = 0; k < 4; k++) { // counter-clockwise, seen from +axis
                at[b] = i + (k == 1 || k == 2);
                at[c] = j + (k >= 2);
                q[k] = number[slot_of(s, at)];
            }
            int first = (i + j) % 2;
            for (int t = 0; t < 2; t++) {
                int *out = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
                out[0] = q[first];
                out[high ? 1 : 2] = q[(first + 1 + t) % 4];
                out[high ? 2 : 1] = q[(first + 2 + t) % 4];
            }
        }
    }
}

static wr_model *make(const slab *s)
{
    wr_model *model = wr_model_create(NULL, NULL);
    wr_mesh *mesh = take(model, 1, sizeof *mesh);
    *mesh = (wr_mesh){.name = s->name};
    const int *number = number_vertices(s, model, mesh), *n = s->cells;
    size_t quads = 2 * (size_t)(n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    mesh->triangles = take(model, 2 * quads, 3 * sizeof(int));
    for (int side = 0; side < 6; side++) {
        add_side(s, number, side / 2, side % 2 == 1, mesh);
    }
    mesh->parts = take(model, 1, sizeof *mesh->parts);
    mesh->parts[mesh->part_count++] = (wr_mesh_part){0, mesh->triangle_count, 0};
    model->looks = take(model, 1, sizeof *model->looks);
    model->looks[model->look_count++] = (wr_look){.name = s->round        ? "flesh"
                                                          : s->ridges > 0 ? "stone"
                                                                          : "clay",
                                                  .base_color = {1.0f, 1.0f, 1.0f, 1.0f},
                                                  .texture = -1,
                                                  .roughness = 0.9f};
    model->nodes = take(model, 1, sizeof *model->nodes);
    model->nodes[model->node_count++] =
        (wr_node){s->name, -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}, NULL};
    model->meshes = mesh;
    model->mesh_count = 1;
    model->name = s->name;
    return model;
}

wr_model *make_wall(void)
{
    return make(&(slab){"wall", {1.2f, 0.8f, 0.3f}, {48, 32, 12}, 0.06f, 4, false});
}

wr_model *make_loaf(void)
{
    return make(&(slab){"loaf", {0.3f, 0.1f, 0.1f}, {54, 18, 18}, 0.02f, 3, true});
}

wr_model *make_ridges(void)
{
    return make(&(slab){.name = "ridges",
                        .half = {0.8f, 0.05f, 0.5f},
                        .cells = {64, 4, 28},
                        .rounding = 0.01f,
                        .layer = 1,
                        .ridges = 8,
                        .ridge = 0.06f});
}

wr_model *make_cylinder(void)
{
    return make(&(slab){.name = "cylinder",
                        .half = {0.4f, 0.2f, 0.2f},
                        .cells = {60, 24, 24},
                        .rounding = 0.03f,
                        .layer = 6,
                        .graded = true,
                        .round = true});
}

wr_model *make_roller(void)
{
    return make(&(slab){.name = "roller",
                        .half = {0.14f, 0.2f, 0.2f},
                        .cells = {22, 24, 24},
                        .rounding = 0.03f,
                        .layer = 6,
                        .round = true});
}
