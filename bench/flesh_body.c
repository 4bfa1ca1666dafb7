// flesh_body.c: bodies of flesh with their bones, made in code.
//
// The thesis' deer, snake, tyres and head were not published: here are bodies with as many nodes
// and bones. A node follows the limb that it is nearest to, measured in radii, and those that this
// one is joined to. What lies within the core belongs to the bones as if it were fans of tetrahedra
// from each bone's origin to the core below its skin.
#include "flesh_bench.h"

#include <math.h>

static const float LINK = 0.2f;      // metres, of a tube
static const float THICK = 0.05f;    // its radius
static const double SPRING = 2000.0; // N m, of the deer's joints; those of tubes have 1 %
static const double FADE = 4.0;      // power of the distance with which a bone's weight falls
static const float DEER_CELLS[] = {0.0535f, 0.0431f, 0.0249f}; // metres, for the published nodes

// A deer of 34 bones that stands on y = 0, chunky enough for the coarsest grid.
static const flesh_limb DEER[DEER_BONES] = {
    {-1, {-0.45f, 0.85f, 0}, {-0.20f, 0.83f, 0}, {0.17f, 0.17f}}, // pelvis, spine
    {0, {-0.20f, 0.83f, 0}, {0.00f, 0.82f, 0}, {0.17f, 0.17f}},
    {1, {0.00f, 0.82f, 0}, {0.20f, 0.83f, 0}, {0.17f, 0.19f}},
    {2, {0.20f, 0.83f, 0}, {0.38f, 0.86f, 0}, {0.19f, 0.18f}},
    {3, {0.38f, 0.86f, 0}, {0.50f, 0.95f, 0}, {0.17f, 0.13f}},
    {4, {0.50f, 0.95f, 0}, {0.60f, 1.10f, 0}, {0.13f, 0.11f}}, // neck
    {5, {0.60f, 1.10f, 0}, {0.67f, 1.24f, 0}, {0.11f, 0.10f}},
    {6, {0.67f, 1.24f, 0}, {0.72f, 1.36f, 0}, {0.10f, 0.10f}},
    {7, {0.72f, 1.38f, 0}, {0.84f, 1.36f, 0}, {0.10f, 0.09f}}, // head, muzzle
    {8, {0.84f, 1.36f, 0}, {1.00f, 1.31f, 0}, {0.08f, 0.06f}},
    {8, {0.70f, 1.44f, 0.08f}, {0.64f, 1.50f, 0.24f}, {0.055f, 0.05f}}, // ears
    {8, {0.70f, 1.44f, -0.08f}, {0.64f, 1.50f, -0.24f}, {0.055f, 0.05f}},
    {8, {0.76f, 1.46f, 0.06f}, {0.72f, 1.66f, 0.14f}, {0.05f, 0.05f}}, // antlers
    {8, {0.76f, 1.46f, -0.06f}, {0.72f, 1.66f, -0.14f}, {0.05f, 0.05f}},
    {12, {0.72f, 1.66f, 0.14f}, {0.80f, 1.84f, 0.22f}, {0.05f, 0.045f}},
    {13, {0.72f, 1.66f, -0.14f}, {0.80f, 1.84f, -0.22f}, {0.05f, 0.045f}},
    {0, {-0.58f, 0.90f, 0}, {-0.68f, 0.88f, 0}, {0.06f, 0.055f}}, // tail
    {16, {-0.68f, 0.88f, 0}, {-0.78f, 0.80f, 0}, {0.055f, 0.05f}},
    {3, {0.36f, 0.78f, 0.13f}, {0.30f, 0.60f, 0.15f}, {0.10f, 0.08f}}, // legs
    {18, {0.30f, 0.60f, 0.15f}, {0.33f, 0.35f, 0.15f}, {0.08f, 0.06f}},
    {19, {0.33f, 0.35f, 0.15f}, {0.33f, 0.15f, 0.15f}, {0.06f, 0.055f}},
    {20, {0.33f, 0.15f, 0.15f}, {0.36f, 0.06f, 0.15f}, {0.055f, 0.06f}},
    {3, {0.36f, 0.78f, -0.13f}, {0.30f, 0.60f, -0.15f}, {0.10f, 0.08f}},
    {22, {0.30f, 0.60f, -0.15f}, {0.33f, 0.35f, -0.15f}, {0.08f, 0.06f}},
    {23, {0.33f, 0.35f, -0.15f}, {0.33f, 0.15f, -0.15f}, {0.06f, 0.055f}},
    {24, {0.33f, 0.15f, -0.15f}, {0.36f, 0.06f, -0.15f}, {0.055f, 0.06f}},
    {0, {-0.42f, 0.80f, 0.12f}, {-0.36f, 0.58f, 0.15f}, {0.13f, 0.09f}},
    {26, {-0.36f, 0.58f, 0.15f}, {-0.48f, 0.36f, 0.15f}, {0.09f, 0.06f}},
    {27, {-0.48f, 0.36f, 0.15f}, {-0.46f, 0.15f, 0.15f}, {0.06f, 0.055f}},
    {28, {-0.46f, 0.15f, 0.15f}, {-0.42f, 0.06f, 0.15f}, {0.055f, 0.06f}},
    {0, {-0.42f, 0.80f, -0.12f}, {-0.36f, 0.58f, -0.15f}, {0.13f, 0.09f}},
    {30, {-0.36f, 0.58f, -0.15f}, {-0.48f, 0.36f, -0.15f}, {0.09f, 0.06f}},
    {31, {-0.48f, 0.36f, -0.15f}, {-0.46f, 0.15f, -0.15f}, {0.06f, 0.055f}},
    {32, {-0.46f, 0.15f, -0.15f}, {-0.42f, 0.06f, -0.15f}, {0.055f, 0.06f}},
};

// --- shapes -----------------------------------------------------------------------------------

// What a point of the unit sphere is moved to.
static wr_vec3 mould(flesh_kind kind, wr_vec3 u)
{
    float turn = atan2f(u.z, u.x), flat = sqrtf(u.x * u.x + u.z * u.z), by = 0.3f;
    if (kind == FLESH_CYLINDER || kind == FLESH_GEAR) { // with edges a little rounded
        by /= powf(powf(flat, 8.0f) + powf(fabsf(u.y), 8.0f), 0.125f);
        by *= kind == FLESH_GEAR ? 1.0f + 0.12f * flat * sinf(12.0f * turn) : 1.0f;
    } else if (kind == FLESH_PUMPKIN) {
        by *= 1.0f - 0.08f * flat * fabsf(cosf(5.0f * turn)) - 0.2f * fabsf(u.y);
    } else if (kind == FLESH_HEAD) { // longer than wide, with bumps for a nose, a chin and ears
        by *= 1.0f + 0.2f * u.y * u.y + 0.04f * sinf(6.0f * u.x) * cosf(7.0f * u.y + 5.0f * u.z);
    }
    return wr_scale(by, u);
}

static bool make_moulded(wri_arena *arena, const flesh_body_desc *desc, flesh_mesh *out)
{
    bool ok = flesh_make_sphere(arena, desc->detail, out);
    for (int i = 0; ok && i < out->vertex_count; i++) {
        out->positions[i] = mould(desc->kind, out->positions[i]);
    }
    return ok;
}

static flesh_limb *make_links(wri_arena *arena, int count)
{
    flesh_limb *links = wri_arena_alloc(arena, (size_t)count, sizeof *links);
    for (int i = 0; links && i < count; i++) {
        links[i] = (flesh_limb){
            i - 1, {LINK * (float)i, 0, 0}, {LINK * (float)(i + 1), 0, 0}, {THICK, THICK}};
    }
    return links;
}

static bool make_mesh(flesh_body *b, const flesh_body_desc *desc, const flesh_limb **limbs,
                      flesh_mesh *out)
{
    b->bone_count = 1;
    *limbs = NULL;
    if (desc->kind == FLESH_DEER) {
        b->bone_count = DEER_BONES;
        *limbs = DEER;
        return flesh_make_limbs(&b->arena, DEER, DEER_BONES, DEER_CELLS[desc->detail], out);
    }
    if (desc->kind == FLESH_TUBE) {
        b->bone_count = desc->bones;
        *limbs = make_links(&b->arena, desc->bones);
        return *limbs && flesh_make_tube(&b->arena, desc->detail, desc->around,
                                         LINK * (float)desc->bones, THICK, out);
    }
    return desc->kind == FLESH_TYRE
               ? flesh_make_ring(&b->arena, desc->detail, desc->around, 0.3f, 0.1f, out)
               : make_moulded(&b->arena, desc, out);
}

// --- bones ------------------------------------------------------------------------------------

static double radii_from(const flesh_limb *limb, wr_vec3 x)
{
    wr_vec3 along = wr_sub(limb->to, limb->from), to = wr_sub(x, limb->from);
    float t = wr_clampf(wr_dot(to, along) / wr_dot(along, along), 0.0f, 1.0f);
    float radius = limb->radius[0] + t * (limb->radius[1] - limb->radius[0]);
    return fmax((double)(wr_length(wr_sub(to, wr_scale(t, along))) / radius),
                0.1); // on the axis, too
}

// Keeps the WR_FLESH_INFLUENCES largest, descending.
static void add_weight(int *bones, double *weights, int bone, double weight)
{
    for (int k = 0; k < WR_FLESH_INFLUENCES; k++) {
        if (weight > weights[k]) {
            double other = weights[k];
            int moved = bones[k];
            weights[k] = weight, bones[k] = bone;
            weight = other, bone = moved;
        }
    }
}

static void weigh_node(const flesh_body *b, const flesh_limb *limbs, int node)
{
    wr_vec3 x = b->layer->skin[node];
    int nearest = 0, *bones = &b->bones[WR_FLESH_INFLUENCES * node];
    double least = INFINITY, weights[WR_FLESH_INFLUENCES] = {0.0}, sum = 0.0;
    for (int i = 0; i < b->bone_count; i++) {
        double distance = radii_from(&limbs[i], x);
        nearest = distance < least ? i : nearest;
        least = fmin(distance, least);
    }
    for (int i = 0; i < b->bone_count; i++) {
        bool is_joined = limbs[i].parent == nearest || limbs[nearest].parent == i;
        double share = pow(least / radii_from(&limbs[i], x), 2.0 * FADE);
        if (i == nearest || (is_joined && share > 0.02)) {
            add_weight(bones, weights, i, share);
        }
    }
    for (int k = 0; k < WR_FLESH_INFLUENCES; k++) {
        sum += weights[k];
    }
    for (int k = 0; k < WR_FLESH_INFLUENCES; k++) {
        b->weights[WR_FLESH_INFLUENCES * node + k] = (float)(weights[k] / sum);
    }
}

static bool make_bones(flesh_body *b, const flesh_limb *limbs, double stiffness)
{
    size_t nodes = WR_FLESH_INFLUENCES * (size_t)b->layer->node_count;
    size_t bones = (size_t)b->bone_count;
    b->bones = wri_arena_alloc(&b->arena, nodes, sizeof *b->bones);
    b->weights = wri_arena_alloc(&b->arena, nodes, sizeof *b->weights);
    b->origins = wri_arena_alloc(&b->arena, bones, sizeof *b->origins);
    b->joints = wri_arena_alloc(&b->arena, bones, sizeof *b->joints);
    if (!b->bones || !b->weights || !b->origins || !b->joints) {
        return false;
    }
    for (int i = 0; i < b->bone_count; i++) {
        b->origins[i] = wr_lerp3(limbs[i].from, limbs[i].to, 0.5f);
        if (i > 0) {
            b->joints[i - 1] = (wr_flesh_joint){.a = i,
                                                .b = limbs[i].parent,
                                                .kind = WR_FLESH_BALL,
                                                .at = limbs[i].from,
                                                .axis = {1, 0, 0},
                                                .least = -INFINITY,
                                                .most = INFINITY,
                                                .swing = INFINITY,
                                                .stiffness = stiffness,
                                                .damping = 0.01 * stiffness};
        }
    }
    for (int i = 0; i < b->layer->node_count; i++) {
        weigh_node(b, limbs, i);
    }
    return true;
}

// --- what lies within -------------------------------------------------------------------------

static void add_tetrahedron(wr_flesh_mass *to, const wr_vec3 corners[4], double density)
{
    wr_vec3 a = wr_sub(corners[1], corners[0]), b = wr_sub(corners[2], corners[0]);
    double mass = density * (double)wr_dot(a, wr_cross(b, wr_sub(corners[3], corners[0]))) / 6.0;
    double x[4][3], sum[3] = {0.0};
    for (int c = 0; c < 4; c++) {
        x[c][0] = (double)corners[c].x, x[c][1] = (double)corners[c].y;
        x[c][2] = (double)corners[c].z;
        for (int k = 0; k < 3; k++) {
            sum[k] += x[c][k];
        }
    }
    if (!(mass > 0.0)) { // seen from outside
        return;
    }
    to->mass += mass;
    for (int i = 0; i < 3; i++) {
        to->first[i] += mass * sum[i] / 4.0;
        for (int j = 0; j < 3; j++) {
            double squares = sum[i] * sum[j];
            for (int c = 0; c < 4; c++) {
                squares += x[c][i] * x[c][j];
            }
            to->second[i][j] += mass * squares / 20.0;
        }
    }
}

static bool make_inner(flesh_body *b, double density)
{
    const wr_layer *layer = b->layer;
    b->inner = wri_arena_alloc(&b->arena, (size_t)b->bone_count, sizeof *b->inner);
    for (int i = 0; b->inner && i < layer->triangle_count; i++) {
        const int *t = &layer->triangles[3 * i];
        int bone = b->bones ? b->bones[WR_FLESH_INFLUENCES * t[0]] : 0;
        const wr_vec3 corners[4] = {b->origins ? b->origins[bone] : wr_v3(0, 0, 0),
                                    layer->core[t[0]], layer->core[t[1]], layer->core[t[2]]};
        add_tetrahedron(&b->inner[bone], corners, density);
    }
    return b->inner != NULL;
}

// --- bodies -----------------------------------------------------------------------------------

void flesh_body_destroy(flesh_body *body)
{
    wr_layer_destroy(body->layer);
    wri_arena_destroy(&body->arena);
}

bool flesh_body_create(flesh_body *out, const flesh_body_desc *desc, wr_error *error)
{
    flesh_mesh mesh;
    const flesh_limb *limbs;
    *out = (flesh_body){.arena = wri_arena_create(NULL)};
    bool ok = make_mesh(out, desc, &limbs, &mesh) || wri_fail_memory(error, 0);
    if (ok) {
        wr_layer_desc layer = wr_layer_desc_default();
        layer.positions = mesh.positions;
        layer.vertex_count = mesh.vertex_count;
        layer.triangles = mesh.triangles;
        layer.triangle_count = mesh.triangle_count;
        layer.tasks = wr_tasks_openmp(1);
        out->layer = wr_layer_create(&layer, error);
        ok = out->layer != NULL;
    }
    double stiffness = desc->kind == FLESH_DEER ? SPRING : 0.01 * SPRING;
    ok = ok && (((!limbs || make_bones(out, limbs, stiffness)) &&
                 make_inner(out, wr_flesh_model_desc_default().density)) ||
                wri_fail_memory(error, 0));
    if (!ok) {
        flesh_body_destroy(out);
    }
    return ok;
}

wr_flesh_model *flesh_body_model(const flesh_body *body, double young, float dt, bool published,
                                 wr_error *error)
{
    const wr_layer *layer = body->layer;
    wr_flesh_model_desc desc = wr_flesh_model_desc_default();
    desc.node_count = layer->node_count;
    desc.skin = layer->skin;
    desc.core = layer->core;
    desc.fixed = layer->fixed;
    desc.triangles = layer->triangles;
    desc.triangle_count = layer->triangle_count;
    desc.young = young > 0.0 ? young : desc.young;
    desc.bone_count = body->bone_count;
    desc.origins = body->origins;
    desc.bones = body->bones;
    desc.weights = body->weights;
    desc.inner = body->inner;
    desc.joints = body->joints;
    desc.joint_count = body->bone_count - 1;
    desc.dt = dt;
    desc.published = published;
    desc.tasks = wr_tasks_openmp(1);
    return wr_flesh_model_create(&desc, error);
}
