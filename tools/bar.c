// bar.c: a bar for pulling, twisting and letting go: plain, but with bands to see how it is bent.
//
// Alpha of the vertex colours, which nothing draws, is a ramp along it: recipes may paint with it.
#include "models.h"

enum { ALONG = 48, ACROSS = 9 }; // quads
static const wr_vec3 HALF = {1.0f, 0.2f, 0.2f};

static rgb bands(float u, float v, uint32_t seed)
{
    (void)seed;
    const rgb pale = {0.86f, 0.78f, 0.64f}, dark = {0.66f, 0.50f, 0.36f};
    float line = fmaxf(ramp(0.06f, 0.03f, v), ramp(0.94f, 0.97f, v)); // along the edges
    float x = 10.0f * u - floorf(10.0f * u);
    return mix(x < 0.5f ? pale : dark, shade(dark, 0.55f), line);
}

static int quads(int axis)
{
    return axis == 0 ? ALONG : ACROSS;
}

// One side: the axes of its plane are a and b, and that which it looks along is n.
static void add_side(wr_mesh *mesh, int n, float sign)
{
    int a = (n + 1) % 3, b = (n + 2) % 3, columns = quads(a), rows = quads(b);
    int first = mesh->vertex_count;
    for (int i = 0; i < (columns + 1) * (rows + 1); i++) {
        const float share[2] = {(float)(i % (columns + 1)) / (float)columns,
                                (float)(i / (columns + 1)) / (float)rows};
        int k = mesh->vertex_count++;
        float *p = &mesh->positions[k].x, *normal = &mesh->normals[k].x;
        const float *half = &HALF.x;
        p[n] = sign * half[n];
        p[a] = half[a] * (2.0f * share[0] - 1.0f);
        p[b] = half[b] * (2.0f * share[1] - 1.0f);
        normal[n] = sign;
        float along = 0.5f * (p[0] / HALF.x + 1.0f);
        mesh->uvs[k] = (wr_vec2){n == 0   ? along
                                 : a == 0 ? share[0]
                                          : share[1],
                                 n == 0 || a == 0 ? share[1] : share[0]};
        mesh->colors[k] = (wr_color){1.0f, 1.0f, 1.0f, along};
    }
    for (int i = 0; i < columns * rows; i++) {
        int corner = first + i / columns * (columns + 1) + i % columns, up = corner + columns + 1;
        const int quad[6] = {corner, corner + 1, up + 1, corner, up + 1, up};
        for (int k = 0; k < 6; k++) {
            int turned = k / 3 * 3 + (sign > 0.0f ? k % 3 : 2 - k % 3);
            mesh->triangles[3 * mesh->triangle_count + k] = quad[turned];
        }
        mesh->triangle_count += 2;
    }
}

wr_model *make_bar(void)
{
    enum {
        VERTICES = 4 * (ALONG + 1) * (ACROSS + 1) + 2 * (ACROSS + 1) * (ACROSS + 1),
        TRIANGLES = 8 * ALONG * ACROSS + 4 * ACROSS * ACROSS,
    };
    canvas texture = {512, 64};
    wr_model *model = start_model("bar", 1, &texture);
    model->looks[0] = textured("dough", 0.7f, 0.0f);
    canvas_paint(&texture, (area){0.0f, 0.0f, 1.0f, 1.0f}, bands, 1u);
    wr_mesh *mesh = wr_model_alloc(model, 1, sizeof *mesh);
    wr_node *node = wr_model_alloc(model, 1, sizeof *node);
    if (mesh) {
        mesh->positions = wr_model_alloc(model, VERTICES, sizeof *mesh->positions);
        mesh->normals = wr_model_alloc(model, VERTICES, sizeof *mesh->normals);
        mesh->uvs = wr_model_alloc(model, VERTICES, sizeof *mesh->uvs);
        mesh->colors = wr_model_alloc(model, VERTICES, sizeof *mesh->colors);
        mesh->triangles = wr_model_alloc(model, 3 * TRIANGLES, sizeof *mesh->triangles);
        mesh->parts = wr_model_alloc(model, 1, sizeof *mesh->parts);
    }
    if (!mesh || !node || !mesh->positions || !mesh->normals || !mesh->uvs || !mesh->colors ||
        !mesh->triangles || !mesh->parts) {
        stop("out of memory");
    }
    for (int side = 0; side < 6; side++) {
        add_side(mesh, side / 2, side % 2 ? 1.0f : -1.0f);
    }
    mesh->name = "bar";
    mesh->parts[0] = (wr_mesh_part){0, mesh->triangle_count, 0};
    mesh->part_count = 1;
    *node = (wr_node){"bar", -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}};
    model->meshes = mesh;
    model->nodes = node;
    model->mesh_count = model->node_count = 1;
    return model;
}
