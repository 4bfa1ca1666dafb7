// figure.c: a figure as a model: two halves, colours, a skin.
#include "figure_clip.h"
#include "figure_mesh.h"
#include "figure_sculpt.h"

#include <stdio.h>
#include <stdlib.h>

enum { INFLUENCES = 4 };

static void *take(wr_model *model, size_t count, size_t size)
{
    void *memory = wr_model_alloc(model, count, size);
    if (!memory) {
        fputs("make_figures: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

// --- joints -----------------------------------------------------------------------------------

// Joints of a part, for x > 0 and its mirror image; one and the same of parts in the middle.
typedef struct joint_pair {
    int left, right;
} joint_pair;

typedef struct skeleton {
    int count;
    joint_pair of_part[FIGURE_MAX_PARTS];
    int parents[2 * FIGURE_MAX_PARTS]; // joints, -1 for the root
    wr_vec3 places[2 * FIGURE_MAX_PARTS];
    const char *names[2 * FIGURE_MAX_PARTS];
} skeleton;

static int find_part(const field *f, const char *name)
{
    for (int i = 0; i < f->count; i++) {
        if (name && f->parts[i].given.name && strcmp(f->parts[i].given.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// "* leg" becomes "left leg", "leg" becomes "leg.L".
static const char *name_side(wr_model *model, const char *name, bool right)
{
    size_t size = strlen(name) + 8;
    char *out = take(model, size, 1);
    if (name[0] == '*') {
        snprintf(out, size, "%s%s", right ? "right" : "left", name + 1);
    } else {
        snprintf(out, size, "%s%s", name, right ? ".R" : ".L");
    }
    return out;
}

static int add_joint(skeleton *s, const char *name, wr_vec3 place, int parent)
{
    int i = s->count++;
    s->names[i] = name;
    s->parents[i] = parent;
    s->places[i] = place;
    return i;
}

static skeleton find_skeleton(const field *f, wr_model *model)
{
    skeleton s = {0};
    for (int i = 0; i < f->count; i++) {
        const figure_part *part = &f->parts[i].given;
        int at = find_part(f, part->parent);
        joint_pair parent = at >= 0 ? s.of_part[at] : (joint_pair){-1, -1}, *own = &s.of_part[i];
        if (part->use != FIGURE_ADD || part->fixed) {
            *own = parent;
        } else if (f->parts[i].paired) {
            wr_vec3 place = part->from, mirrored = wr_v3(-place.x, place.y, place.z);
            own->left = add_joint(&s, name_side(model, part->name, false), place, parent.left);
            own->right = add_joint(&s, name_side(model, part->name, true), mirrored, parent.right);
        } else {
            own->left = own->right = add_joint(&s, part->name, part->from, parent.left);
        }
    }
    return s;
}

static void add_node(const figure *f, wr_model *model)
{
    model->nodes = take(model, 1, sizeof *model->nodes);
    model->nodes[model->node_count++] =
        (wr_node){f->name, -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}, NULL};
}

// Node 0 shows the mesh; joint i is node i + 1.
static void add_nodes(const figure *f, const skeleton *s, wr_model *model)
{
    const wr_vec3 one = {1.0f, 1.0f, 1.0f};
    wr_node *nodes = take(model, (size_t)s->count + 1, sizeof *nodes);
    wr_model_skin *skin = take(model, 1, sizeof *skin);
    *skin = (wr_model_skin){f->name, s->count, take(model, (size_t)s->count, sizeof(int)),
                            take(model, (size_t)s->count, sizeof(wr_mat34))};
    nodes[0] = (wr_node){f->name, -1, 0, 0, WR_POSE_IDENTITY, one, NULL};
    for (int i = 0; i < s->count; i++) {
        int parent = s->parents[i];
        wr_vec3 at = s->places[i];
        wr_pose pose = WR_POSE_IDENTITY;
        pose.position = parent >= 0 ? wr_sub(at, s->places[parent]) : at;
        nodes[i + 1] =
            (wr_node){s->names[i], parent >= 0 ? parent + 1 : -1, -1, -1, pose, one, NULL};
        skin->joints[i] = i + 1;
        skin->inverse_bind[i] = WR_MAT34_IDENTITY;
        skin->inverse_bind[i].m[0][3] = -at.x;
        skin->inverse_bind[i].m[1][3] = -at.y;
        skin->inverse_bind[i].m[2][3] = -at.z;
    }
    model->nodes = nodes;
    model->node_count = s->count + 1;
    model->skins = skin;
    model->skin_count = 1;
}

static int find_largest(const float *values, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++) {
        best = values[i] > values[best] ? i : best;
    }
    return best;
}

// The largest shares, so that they add up to 1. One that is as large as the first to be left out is
// left out too: in the plane x = 0 left and right stay alike.
static void weigh(const field *f, const skeleton *s, const field_shares *shares, bool mirrored,
                  int *joints, float *weights)
{
    float of_joint[2 * FIGURE_MAX_PARTS] = {0}, sum = 0.0f;
    for (int i = 0; i < f->count; i++) {
        of_joint[s->of_part[i].left] += mirrored ? shares->right[i] : shares->left[i];
        of_joint[s->of_part[i].right] += mirrored ? shares->left[i] : shares->right[i];
    }
    for (int k = 0; k < INFLUENCES; k++) {
        joints[k] = find_largest(of_joint, s->count);
        weights[k] = of_joint[joints[k]];
        of_joint[joints[k]] = 0.0f;
    }
    float left_out = of_joint[find_largest(of_joint, s->count)];
    for (int k = 0; k < INFLUENCES; k++) {
        weights[k] = weights[k] > left_out ? weights[k] : 0.0f;
        joints[k] = weights[k] > 0.0f ? joints[k] : 0;
        sum += weights[k];
    }
    for (int k = 0; k < INFLUENCES; k++) {
        weights[k] /= sum;
    }
}

// With `both` those in the mirror are added as well, in sums that do not depend on the side.
static void add_shares(field_shares *sum, const field_shares *more, bool both, int count)
{
    for (int i = 0; i < count; i++) {
        sum->left[i] += both ? more->left[i] + more->right[i] : more->left[i];
        sum->right[i] += both ? more->left[i] + more->right[i] : more->right[i];
    }
}

// The mean of a vertex and its neighbours, at a rim those in the mirror among them.
static field_shares mean_of_ring(const net *n, const field_shares *shares, int vertex, int parts)
{
    int ring[NET_MAX_RING], count = net_ring(n, vertex, ring);
    bool rim = n->twin[ring[0]] < 0;
    field_shares sum = shares[vertex];
    float weight = 1.0f;
    for (int i = 0; i < count + rim; i++) {
        int next = i < count ? net_head(n, ring[i]) : n->corner[net_previous(ring[count - 1])];
        bool inner = rim && i > 0 && i < count;
        add_shares(&sum, &shares[next], inner, parts);
        weight += inner ? 2.0f : 1.0f;
    }
    for (int i = 0; i < parts; i++) {
        sum.left[i] /= weight;
        sum.right[i] /= weight;
    }
    return sum;
}

// Of every vertex of the net, for free().
static field_shares *find_shares(const field *f, const net *n)
{
    size_t count = (size_t)n->vertex_count;
    field_shares *shares = net_alloc(count, sizeof *shares);
    field_shares *next = net_alloc(count, sizeof *next);
    for (int v = 0; v < n->vertex_count; v++) {
        if (n->out[v] >= 0) {
            field_distance(f, n->places[v], NULL, &shares[v]);
        }
    }
    for (int round = 0; round < f->figure->smooth; round++) {
        for (int v = 0; v < n->vertex_count; v++) {
            if (n->out[v] >= 0) {
                next[v] = mean_of_ring(n, shares, v, f->count);
            }
        }
        field_shares *swapped = shares;
        shares = next;
        next = swapped;
    }
    free(next);
    return shares;
}

// --- mesh -------------------------------------------------------------------------------------

// Vertices of both halves; where colours meet there is one per colour.
typedef struct halves {
    const net *net;
    int count; // 1: the figure is whole
    int color_count, vertex_count;
    int *vertices; // by vertex of the net, colour and half; -1: none
} halves;

static int *vertex_slot(const halves *h, int vertex, int color, int half)
{
    half = h->count > 1 && h->net->places[vertex].x != 0.0f ? half : 0;
    return &h->vertices[(vertex * h->color_count + color) * 2 + half];
}

static void number_vertices(halves *h)
{
    const net *n = h->net;
    for (int i = 0; i < 2 * n->vertex_count * h->color_count; i++) {
        h->vertices[i] = -1;
    }
    for (int i = 0; i < 3 * n->triangle_count; i++) {
        for (int half = 0; half < h->count && n->corner[i] >= 0; half++) {
            int *slot = vertex_slot(h, n->corner[i], n->label[i / 3], half);
            *slot = *slot < 0 ? h->vertex_count++ : *slot;
        }
    }
}

static void add_triangles(const halves *h, int color, int half, wr_mesh *mesh)
{
    const net *n = h->net;
    for (int t = 0; t < n->triangle_count; t++) {
        if (n->corner[3 * t] < 0 || n->label[t] != color) {
            continue;
        }
        int *out = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
        for (int k = 0; k < 3; k++) { // the mirror image runs round the other way
            int corner = n->corner[3 * t + (half == 0 ? k : 2 - k)];
            out[k] = *vertex_slot(h, corner, color, half);
        }
    }
}

static void add_parts(const halves *h, wr_mesh *mesh)
{
    for (int c = 0; c < h->color_count; c++) {
        int first = mesh->triangle_count;
        for (int half = 0; half < h->count; half++) {
            add_triangles(h, c, half, mesh);
        }
        if (mesh->triangle_count > first) {
            mesh->parts[mesh->part_count++] =
                (wr_mesh_part){first, mesh->triangle_count - first, c};
        }
    }
}

// From sRGB to linear light, within 0.001, with the same bits everywhere: a cubic.
static float linear(float s)
{
    return s * (s * (s * 0.305306011f + 0.682171111f) + 0.012522878f);
}

// The field's, which is smooth; in the sharpest creases, where it would be beside the triangles,
// the mean of theirs.
static wr_vec3 find_normal(const field *f, const net *n, int vertex)
{
    int ring[NET_MAX_RING], count = net_ring(n, vertex, ring);
    wr_vec3 sum = {0}, smooth = field_normal(f, n->places[vertex]);
    bool beside = false;
    for (int i = 0; i < count; i++) {
        wr_vec3 a = n->places[vertex], b = n->places[net_head(n, ring[i])];
        wr_vec3 c = n->places[n->corner[net_previous(ring[i])]];
        wr_vec3 own = wr_normalize(wr_cross(wr_sub(b, a), wr_sub(c, a)));
        beside = beside || wr_dot(own, smooth) < 0.3f;
        sum = wr_add(sum, own);
    }
    sum.x = n->twin[ring[0]] < 0 ? 0.0f : sum.x;
    return beside ? wr_normalize(sum) : smooth;
}

static float find_softness(const field *f, const field_shares *shares)
{
    float firm = 0.0f;
    for (int i = 0; i < f->count; i++) {
        firm += f->parts[i].given.firm * (shares->left[i] + shares->right[i]);
    }
    return 1.0f - firm;
}

static void fill_vertices(const halves *h, const field *f, const skeleton *s, wr_mesh *mesh)
{
    field_shares *shares = f->figure->rigid ? NULL : find_shares(f, h->net);
    for (int i = 0; i < 2 * h->net->vertex_count * h->color_count; i++) {
        int to = h->vertices[i], half = i % 2, color = i / 2 % h->color_count;
        if (to < 0) {
            continue;
        }
        int vertex = i / 2 / h->color_count;
        wr_vec3 p = h->net->places[vertex], normal = find_normal(f, h->net, vertex);
        p.x = half == 1 ? -p.x : p.x;
        normal.x = half == 1 ? -normal.x : normal.x;
        rgb tint = field_color(f, color, p);
        float soft = shares ? find_softness(f, &shares[vertex]) : 1.0f;
        mesh->positions[to] = p;
        mesh->normals[to] = normal;
        mesh->colors[to] = (wr_color){linear(tint.r), linear(tint.g), linear(tint.b), soft};
        if (shares) {
            weigh(f, s, &shares[vertex], half == 1, mesh->joints + INFLUENCES * to,
                  mesh->weights + INFLUENCES * to);
        }
    }
    free(shares);
}

static void add_mesh(const field *f, const net *n, const skeleton *s, wr_model *model)
{
    int colors = f->figure->color_count;
    halves h = {.net = n, .count = f->figure->whole ? 1 : 2, .color_count = colors};
    h.vertices = take(model, 2 * (size_t)(n->vertex_count * colors), sizeof *h.vertices);
    number_vertices(&h);
    size_t count = (size_t)h.vertex_count;
    wr_mesh *mesh = take(model, 1, sizeof *mesh);
    *mesh = (wr_mesh){.name = f->figure->name,
                      .vertex_count = h.vertex_count,
                      .positions = take(model, count, sizeof(wr_vec3)),
                      .normals = take(model, count, sizeof(wr_vec3)),
                      .colors = take(model, count, sizeof(wr_color)),
                      .triangles = take(model, 2 * (size_t)n->triangle_count, 3 * sizeof(int)),
                      .parts = take(model, (size_t)colors, sizeof(wr_mesh_part))};
    if (!f->figure->rigid) {
        mesh->influence_count = INFLUENCES;
        mesh->joints = take(model, count, INFLUENCES * sizeof(int));
        mesh->weights = take(model, count, INFLUENCES * sizeof(float));
    }
    fill_vertices(&h, f, s, mesh);
    add_parts(&h, mesh);
    model->meshes = mesh;
    model->mesh_count = 1;
}

static void add_looks(const figure *f, wr_model *model)
{
    model->looks = take(model, (size_t)f->color_count, sizeof *model->looks);
    model->look_count = f->color_count;
    for (int i = 0; i < f->color_count; i++) {
        model->looks[i] = (wr_look){.name = f->colors[i].name,
                                    .base_color = {1.0f, 1.0f, 1.0f, 1.0f},
                                    .texture = -1,
                                    .roughness = f->colors[i].roughness};
    }
}

wr_model *figure_make(const figure *f)
{
    wr_model *model = wr_model_create(NULL, NULL);
    if (!model) {
        fputs("make_figures: out of memory\n", stderr);
        exit(1);
    }
    field all = field_create(f);
    net half = figure_mesh(&all);
    skeleton bones = find_skeleton(&all, model);
    model->name = f->name;
    add_looks(f, model);
    if (f->rigid) {
        add_node(f, model);
    } else {
        add_nodes(f, &bones, model);
    }
    figure_add_clips(f, model);
    add_mesh(&all, &half, &bones, model);
    figure_add_targets(f, model);
    net_destroy(&half);
    return model;
}
