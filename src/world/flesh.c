// flesh.c: flesh as a material of the world: all of a scene live in one world of flesh, which steps
// them against copies of the rigid bodies that their nodes touch.
#include "flesh.h"

#include "wrought/layer.h"

#include "../base/os.h"
#include "../flesh/flesh.h"
#include "../flesh/parameters.h"
#include "../math/elementary.h"
#include "copies.h"
#include "maps.h"
#include "flesh_skeleton.h"
#include "flesh_texels.h"
#include "sharing.h"
#include "world.h"

#include <limits.h>
#include <stdlib.h>

enum { TOUCHES_MAX = 2 };

static const float BALL = 1e-3f;   // of the size: radius of the balls that nodes are
static const float MARGIN = 0.02f; // of the size: what is nearer may be met in a step
static const float AHEAD = 2.0f;   // of the size: likewise at most, where rigid bodies are fast

typedef struct flesh_ensemble {
    wr_allocator allocator;
    wr_flesh_world *world;
    wri_sharing sharing;
    double seconds;   // of the last step
    int detecting[2]; // bodies per wr_flesh_detection
    const char *told; // the last place whose words were told to have no effect: copies share it
    bool has_told_of_planes; // that skins meet exactly, though some bodies ask for planes
} flesh_ensemble;

// What the bodies of a model share.
typedef struct flesh_shared {
    wr_allocator allocator;
    wr_texels *texels; // NULL: nodes are the model's vertices
    wr_mesh mesh;      // what the layer is made of: the model, or its texels
    wr_layer *layer;
    wri_flesh_skeleton *skeleton; // NULL: it is of one core
    wr_flesh_model *model;
    wr_record_skin skin;    // of the skeleton or the core
    wr_record_bone *bones;  // of the skin
    double size;            // m: cube root of the volume
    const float *stiffness; // painted factor per node, while it is created; NULL: 1 everywhere
} flesh_shared;

typedef struct flesh_body {
    wr_allocator allocator;
    flesh_ensemble *ensemble;
    const flesh_shared *shared;
    int body; // number in the world, -1: not in it
    wri_flesh_follower follower;
    float friction, restitution;
    int vertex_count, sample_count, node_count;
    wr_vec3 *vertices; // of the model, world
    wr_vec3 *samples;  // of the texels, if there are any, world
    wr_vec3 *places;   // of the nodes, world
    wr_vec3 *speeds;   // m/s, likewise
    wr_ball *balls;
    wr_pose *bones;         // as the skin is moved by them
    wr_vec3 *displacements; // metres, of the nodes
    bool is_skinned;        // vertices, bones and displacements are those of the nodes
    int64_t ended;          // times a node was put back within its layer after a step
} flesh_body;

// --- the ensemble -----------------------------------------------------------------------------

static void destroy_ensemble(void *state)
{
    flesh_ensemble *g = state;
    if (g) {
        const wr_allocator a = g->allocator;
        wr_flesh_world_destroy(g->world);
        wri_free(&a, g, 1, sizeof *g);
    }
}

static void *create_ensemble(const wr_ensemble_desc *desc, wr_error *error)
{
    flesh_ensemble *g = wri_alloc(&desc->allocator, 1, sizeof *g);
    if (!g) {
        wri_fail_memory(error, sizeof *g);
        return NULL;
    }
    g->allocator = desc->allocator;
    g->world = wr_flesh_world_create(&g->allocator, error);
    if (!g->world) {
        destroy_ensemble(g);
        return NULL;
    }
    return g;
}

// --- a step -----------------------------------------------------------------------------------

// What passes between flesh and the rigid bodies it touches, for one step.
typedef struct exchange {
    wr_flesh_step inner;
    wri_copies copies;
} exchange;

static void add_touches(exchange *x, const flesh_body *b, const wr_material_step *step)
{
    for (int i = 0; i < step->touch_count; i++) {
        const wr_touch *t = &step->touches[i];
        int copy = wri_copies_take(&x->copies, step, i);
        x->inner.touches[x->inner.touch_count++] =
            (wr_flesh_touch){.flesh = b->body,
                             .node = t->ball,
                             .body = copy,
                             .point = t->point,
                             .normal = t->normal,
                             .friction = sqrtf(b->friction * t->friction),
                             .restitution = fmaxf(b->restitution, t->restitution)};
    }
}

// Points of others as balls.
static bool add_balls(exchange *x, const wr_ensemble_step *step)
{
    size_t room = 0;
    for (int i = 0; i < step->other_count; i++) {
        room += (size_t)step->others[i].boundary.point_count;
    }
    x->inner.balls = wr_scratch_push(step->work.scratch, room, sizeof *x->inner.balls);
    for (int i = 0; x->inner.balls && i < step->other_count; i++) {
        const wr_ensemble_other *other = &step->others[i];
        const flesh_body *leader = other->leader;
        for (int k = 0; k < other->boundary.point_count; k++) {
            const wr_boundary_point *p = &other->boundary.points[k];
            const wr_mat3 *w = &p->inverse_mass;
            x->inner.balls[x->inner.ball_count++] =
                (wr_flesh_ball){.position = p->position,
                                .velocity = p->velocity,
                                .radius = p->radius,
                                .inverse_mass = (w->m[0][0] + w->m[1][1] + w->m[2][2]) / 3.0f,
                                .body = i,
                                .mass = other->boundary.mass,
                                .friction = other->boundary.friction,
                                .group = other->group,
                                .collides = other->collides,
                                .leader = leader ? leader->body + 1 : 0};
        }
    }
    return x->inner.balls;
}

// The number of balls that were pushed.
static int answer_others(const exchange *x, const wr_ensemble_step *step)
{
    int at = 0, pushed = 0;
    for (int i = 0; i < step->other_count; i++) {
        wr_ensemble_other *other = &step->others[i];
        for (int k = 0; k < other->boundary.point_count; k++) {
            const wr_flesh_ball *ball = &x->inner.balls[at++];
            if (wr_dot(ball->impulse, ball->impulse) > 0.0f) {
                other->impulses[other->impulse_count++] =
                    (wr_boundary_impulse){k, ball->impulse, ball->couple};
                pushed++;
            }
        }
    }
    return pushed;
}

static bool begin(exchange *x, const wr_ensemble_step *step)
{
    wr_scratch *scratch = step->work.scratch;
    *x = (exchange){.inner = wr_flesh_step_default()};
    if (!wri_copies_begin(&x->copies, step)) {
        return false;
    }
    size_t touches = (size_t)x->copies.touch_count;
    x->inner.gravity = step->steps[0].gravity;
    x->inner.bodies = x->copies.bodies;
    x->inner.touches = wr_scratch_push(scratch, touches, sizeof *x->inner.touches);
    return x->inner.touches && add_balls(x, step);
}

// The number of touches in which something was pushed.
static int end(exchange *x, wr_push_list *pushes)
{
    int count = 0;
    for (int i = 0; i < x->inner.touch_count; i++) {
        const wr_flesh_touch *t = &x->inner.touches[i];
        count += wri_copies_push(&x->copies, i, t->body, t->impulse, pushes);
    }
    wri_copies_end(&x->copies, pushes);
    return count;
}

// Whether skin was put back after the step, to just beyond the end of its layer or onto its core.
static bool was_put_back(const wr_layer *layer, int node, wr_vec3 displacement)
{
    const float nearly = 0.99f;
    float thickness = layer->thicknesses[node];
    wr_vec3 inwards = wr_sub(layer->core[node], layer->skin[node]); // as long as the thickness
    return !layer->fixed[node] &&
           (wr_length(displacement) > nearly * WRI_FLESH_MOST * WRI_FLESH_END * thickness ||
            wr_dot(displacement, inwards) > nearly * thickness * thickness);
}

// Nodes that had to be put back, since contacts contradicted each other. Bones that are where a
// clip or path has them may draw off skin farther, or press it in; the thesis puts nothing back.
static void watch(flesh_body *b)
{
    wr_flesh_displacements(b->ensemble->world, b->body, b->displacements);
    for (int i = 0; i < b->node_count; i++) {
        b->ended += was_put_back(b->shared->layer, i, b->displacements[i]);
    }
}

static void step_ensemble(void *state, const wr_ensemble_step *step)
{
    flesh_ensemble *g = state;
    double start = wri_seconds();
    exchange x;
    if (begin(&x, step)) { // else it waits until there is memory again
        for (int i = 0; i < step->member_count; i++) {
            const flesh_body *b = step->members[i];
            if (step->steps[i].pose_end) {
                wri_flesh_follow_poses(&b->follower, step->steps[i].pose_begin,
                                       step->steps[i].pose_end, step->dt);
            }
            add_touches(&x, b, &step->steps[i]);
        }
        x.inner.body_count = x.copies.count;
        const wr_tasks *tasks = wri_sharing_begin(&g->sharing, &step->work.tasks);
        x.inner.tasks = tasks ? *tasks : (wr_tasks){0};
        wr_flesh_world_step(g->world, &x.inner);
        wri_sharing_end(&g->sharing);
        int pushed = answer_others(&x, step);
        *step->tally = (wr_ensemble_tally){end(&x, step->pushes) + pushed, 1};
    }
    for (int i = 0; i < step->member_count; i++) {
        flesh_body *b = step->members[i];
        b->is_skinned = false;
        if (!b->shared->model->published && (b->follower.by_torque || !step->steps[i].pose_end)) {
            watch(b);
        }
    }
    g->seconds = wri_seconds() - start;
}

// --- from model to layer ----------------------------------------------------------------------

// A length at which halved edges leave about 2000 nodes on the skin.
static double usual_spacing(const wr_mesh *mesh)
{
    return sqrt(wr_mesh_area(mesh) / 600.0);
}

// Where there are texels, edges of two texels, of which half is in use, show what they do.
static double edge_length(const wr_mesh *mesh, const double *values, const bool *is_real)
{
    double spacing = values[WRI_FLESH_SPACING], texels = values[WRI_FLESH_TEXELS];
    if (texels > 0.0) {
        return 2.0 * sqrt(wr_mesh_area(mesh) / 0.5) / texels;
    }
    return is_real[WRI_FLESH_SPACING] ? spacing : spacing * usual_spacing(mesh);
}

static bool fail_for(const wr_material_desc *desc, const wr_error *why, wr_error *error)
{
    return wri_fail(error, why->code, "body \"%s\": %s", desc->name, why->message);
}

static void destroy_shared(void *shared)
{
    flesh_shared *s = shared;
    if (s) {
        const wr_allocator a = s->allocator;
        wri_free(&a, s->bones, (size_t)s->skin.bone_count, sizeof *s->bones);
        wr_flesh_model_destroy(s->model);
        wri_flesh_skeleton_destroy(s->skeleton);
        wr_layer_destroy(s->layer);
        wr_texels_destroy(s->texels);
        wri_free(&a, s, 1, sizeof *s);
    }
}

// A value in the unit of the body or, where it is said so, in SI.
static double value_of(const wr_material_desc *desc, int i, double unit)
{
    return desc->is_real[i] ? desc->values[i] : desc->values[i] * unit;
}

// The mass of what lies within the core, with its moments.
static bool find_inner(const wr_layer *layer, double density, wr_flesh_mass *out)
{
    wr_mesh mesh = {.vertex_count = layer->node_count,
                    .triangle_count = layer->triangle_count,
                    .positions = layer->core,
                    .triangles = layer->triangles};
    wr_mass_properties p;
    wr_error error;
    if (!wr_mesh_find_mass(&mesh, density, &p, &error)) {
        return false;
    }
    double trace = p.inertia[0][0] + p.inertia[1][1] + p.inertia[2][2];
    out->mass = p.mass;
    for (int i = 0; i < 3; i++) {
        out->first[i] = p.mass * p.center[i];
        for (int j = 0; j < 3; j++) {
            out->second[i][j] =
                (i == j ? 0.5 * trace : 0.0) - p.inertia[i][j] + p.mass * p.center[i] * p.center[j];
        }
    }
    return true;
}

// The volume of the model, or of its box where it is not closed.
static double volume_of(const wr_mesh *mesh)
{
    wr_mass_properties p;
    wr_error error;
    if (wr_mesh_find_mass(mesh, 1.0, &p, &error) && p.mass > 0.0) {
        return p.mass;
    }
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < mesh->vertex_count; i++) {
        box.min = wr_min3(box.min, mesh->positions[i]);
        box.max = wr_max3(box.max, mesh->positions[i]);
    }
    wr_vec3 d = wr_sub(box.max, box.min);
    return (double)d.x * (double)d.y * (double)d.z;
}

// The model, or its texels where it is to have some.
static bool find_mesh(flesh_shared *s, const wr_material_desc *desc, wr_error *error)
{
    wr_error why = {0};
    s->mesh = *desc->model->meshes;
    s->texels = wri_flesh_sample(desc, desc->values[WRI_FLESH_TEXELS], &why);
    if (s->texels) {
        s->mesh = (wr_mesh){.vertex_count = s->texels->vertex_count,
                            .triangle_count = s->texels->triangle_count,
                            .positions = s->texels->positions,
                            .triangles = s->texels->triangles};
    }
    return why.code == WR_OK || fail_for(desc, &why, error);
}

// Painted factors within what a layer and a model take.
static float *find_factors(const flesh_shared *s, const wr_material_desc *desc, wr_map_kind kind,
                           float least, bool *ok)
{
    float *factors = wri_map_at_vertices(desc, kind, ok);
    if (factors && s->texels) {
        const float *painted = factors;
        size_t count = (size_t)s->mesh.vertex_count;
        factors = wr_scratch_push(desc->work.scratch, count, sizeof *factors);
        *ok = *ok && factors;
        if (factors) {
            wr_texels_interpolate(s->texels, 1, painted, factors);
        }
    }
    for (int i = 0; factors && i < s->mesh.vertex_count; i++) {
        factors[i] = fminf(fmaxf(factors[i], least), 1e3f);
    }
    return factors;
}

// Of vertices at one place the first counts, as for the thickness.
static bool find_stiffness(flesh_shared *s, const wr_material_desc *desc, wr_error *error)
{
    bool ok = true;
    float *stiffness = find_factors(s, desc, WR_MAP_STRENGTH, 1e-3f, &ok);
    for (int i = 0; stiffness && i < s->layer->node_count; i++) {
        WR_ASSERT(s->layer->vertex_of[i] >= i); // it is read before it is written
        stiffness[i] = stiffness[s->layer->vertex_of[i]];
    }
    s->stiffness = stiffness;
    return ok || wri_fail_memory(error, (size_t)s->layer->node_count * sizeof *stiffness);
}

static bool build_layer(flesh_shared *s, const wr_material_desc *desc, wr_error *error)
{
    const wr_mesh *mesh = &s->mesh;
    wr_layer_desc layer = wr_layer_desc_default();
    layer.positions = mesh->positions;
    layer.vertex_count = mesh->vertex_count;
    layer.triangles = mesh->triangles;
    layer.triangle_count = mesh->triangle_count;
    layer.thickness = value_of(desc, WRI_FLESH_THICKNESS, s->size);
    bool ok = true;
    layer.factors = find_factors(s, desc, WR_MAP_THICKNESS, 0.0f, &ok);
    layer.allocator = desc->allocator;
    layer.tasks = desc->work.tasks;
    if (!ok) {
        return wri_fail_memory(error, (size_t)mesh->vertex_count * sizeof *layer.factors);
    }
    wr_error why = {0};
    s->layer = wr_layer_create(&layer, &why);
    return s->layer ? find_stiffness(s, desc, error) : fail_for(desc, &why, error);
}

// None where all of it moves as one.
static bool build_skeleton(flesh_shared *s, const wr_material_desc *desc, double density,
                           wr_error *error)
{
    bool by_torque = desc->values[WRI_FLESH_FOLLOW] == WRI_FLESH_BY_TORQUE;
    const wr_flesh_setup *setup = desc->setup;
    const wri_flesh_skeleton_desc skeleton = {
        .skeleton = desc->skeleton,
        .mesh = desc->model->meshes,
        .added = &desc->added,
        .texels = s->texels,
        .layer = s->layer,
        .scale = desc->scale,
        .density = density,
        .factors = setup ? setup->joint_stiffness : NULL,
        .stiffness = desc->values[by_torque ? WRI_FLESH_TORQUE : WRI_FLESH_JOINTS],
        .allocator = desc->allocator,
        .tasks = desc->work.tasks};
    wr_error why = {0};
    s->skeleton = wri_flesh_skeleton_create(&skeleton, &why);
    return why.code == WR_OK || fail_for(desc, &why, error);
}

static bool build_model(flesh_shared *s, const wr_material_desc *desc, double volume,
                        wr_error *error)
{
    const wr_layer *layer = s->layer;
    double density = desc->mass > 0.0 ? desc->mass / volume : desc->density;
    double time = sqrt(2.0 * s->size / 9.81);
    wr_flesh_mass inner;
    wr_flesh_model_desc model = wr_flesh_model_desc_default();
    if (layer->fixed_count == layer->node_count) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "body \"%s\": a layer of %s m is nowhere thick enough to be flesh, "
                        "expected more \"thickness\"",
                        desc->name, WRI_NUMBER(layer->thickness, 2));
    }
    if (!(desc->values[WRI_FLESH_STIFFNESS] > 0.0)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "body \"%s\": \"stiffness\" is 0 Pa, expected more than 0", desc->name);
    }
    if (!build_skeleton(s, desc, density, error)) {
        return false;
    }
    model.node_count = layer->node_count;
    model.skin = layer->skin;
    model.core = layer->core;
    model.fixed = layer->fixed;
    model.triangles = layer->triangles;
    model.triangle_count = layer->triangle_count;
    model.stiffness = s->stiffness;
    model.young = value_of(desc, WRI_FLESH_STIFFNESS, density * 9.81 * s->size);
    model.poisson = (float)desc->values[WRI_FLESH_POISSON];
    model.damping = (float)value_of(desc, WRI_FLESH_DAMPING, time);
    model.drag = (float)value_of(desc, WRI_FLESH_DRAG, 1.0 / time);
    model.density = density;
    model.published = desc->values[WRI_FLESH_METHOD] == WRI_FLESH_PUBLISHED;
    if (s->skeleton) {
        wri_flesh_skeleton_describe(s->skeleton, &model);
    } else {
        model.inner = find_inner(layer, density, &inner) ? &inner : NULL;
    }
    model.dt = desc->dt;
    model.tasks = desc->work.tasks;
    model.allocator = &s->allocator;
    wr_error why = {0};
    s->model = wr_flesh_model_create(&model, &why);
    return s->model || fail_for(desc, &why, error);
}

// How recordings know the skin: as the model does. Without a skeleton it has one bone.
static bool describe_skin(flesh_shared *s, const wr_material_desc *desc, wr_error *error)
{
    const wri_flesh_skeleton *skeleton = s->skeleton;
    int count = skeleton ? skeleton->bone_count : 1;
    s->bones = wri_alloc(&s->allocator, (size_t)count, sizeof *s->bones);
    if (!s->bones) {
        return wri_fail_memory(error, (size_t)count * sizeof *s->bones);
    }
    for (int i = 0; i < count; i++) {
        s->bones[i] = skeleton
                          ? (wr_record_bone){desc->skeleton->handles[skeleton->handles[i]].name,
                                             skeleton->parents[i], skeleton->origins[i]}
                          : (wr_record_bone){.name = "core", .parent = -1};
    }
    s->skin = (wr_record_skin){.bone_count = count,
                               .bones = s->bones,
                               .vertex_count = desc->model->meshes->vertex_count,
                               .nodes = s->layer->node_of,
                               .node_count = s->layer->node_count,
                               .joints = skeleton ? skeleton->bones : NULL,
                               .weights = skeleton ? skeleton->weights : NULL};
    return true;
}

// The mass and the stiffness of single joints are part of the model.
static bool can_share(const wr_material_desc *a, const wr_material_desc *b)
{
    return a->mass == b->mass && a->setup == b->setup;
}

static void *create_shared(const wr_material_desc *desc, wr_error *error)
{
    flesh_shared *s = wri_alloc(&desc->allocator, 1, sizeof *s);
    if (!s) {
        wri_fail_memory(error, sizeof *s);
        return NULL;
    }
    s->allocator = desc->allocator;
    if (!find_mesh(s, desc, error)) {
        destroy_shared(s);
        return NULL;
    }
    double volume = volume_of(&s->mesh);
    s->size = wri_exp(wri_log(volume) / 3.0);
    bool ok = (volume > 0.0 && isfinite(volume)) ||
              wri_fail(error, WR_E_ARGUMENT, "body \"%s\": its model is flat, expected a volume",
                       desc->name);
    if (!ok || !build_layer(s, desc, error) || !build_model(s, desc, volume, error) ||
        !describe_skin(s, desc, error)) {
        destroy_shared(s);
        return NULL;
    }
    return s;
}

// --- bodies -----------------------------------------------------------------------------------

static void destroy(void *state)
{
    flesh_body *b = state;
    if (b) {
        const wr_allocator a = b->allocator;
        wr_flesh_remove(b->ensemble->world, b->body);
        wri_free(&a, b->vertices, (size_t)b->vertex_count, sizeof *b->vertices);
        wri_free(&a, b->samples, (size_t)b->sample_count, sizeof *b->samples);
        wri_free(&a, b->places, (size_t)b->node_count, sizeof *b->places);
        wri_free(&a, b->speeds, (size_t)b->node_count, sizeof *b->speeds);
        wri_free(&a, b->balls, (size_t)b->node_count, sizeof *b->balls);
        wri_free(&a, b->displacements, (size_t)b->node_count, sizeof *b->displacements);
        wri_free(&a, b->bones, (size_t)b->shared->skin.bone_count, sizeof *b->bones);
        wri_free(&a, b, 1, sizeof *b);
    }
}

static bool fill(flesh_body *b, const wr_material_desc *desc, wr_error *error)
{
    b->vertex_count = desc->model->meshes->vertex_count;
    b->node_count = b->shared->layer->node_count;
    b->sample_count = b->shared->texels ? b->shared->texels->vertex_count : 0;
    size_t n = (size_t)b->node_count;
    b->samples = wri_alloc(&b->allocator, (size_t)b->sample_count, sizeof *b->samples);
    b->vertices = wri_alloc(&b->allocator, (size_t)b->vertex_count, sizeof *b->vertices);
    b->places = wri_alloc(&b->allocator, n, sizeof *b->places);
    b->speeds = wri_alloc(&b->allocator, n, sizeof *b->speeds);
    b->balls = wri_alloc(&b->allocator, n, sizeof *b->balls);
    b->displacements = wri_alloc(&b->allocator, n, sizeof *b->displacements);
    b->bones = wri_alloc(&b->allocator, (size_t)b->shared->skin.bone_count, sizeof *b->bones);
    if (!b->samples || !b->vertices || !b->places || !b->speeds || !b->balls || !b->displacements ||
        !b->bones) {
        return wri_fail_memory(error, n * sizeof *b->balls);
    }
    wr_flesh_desc flesh = wr_flesh_desc_default();
    flesh.model = b->shared->model;
    flesh.pose = desc->pose;
    flesh.velocity = desc->velocity;
    flesh.angular_velocity = desc->angular_velocity;
    flesh.friction = desc->friction;
    flesh.restitution = desc->restitution;
    flesh.group = desc->group;
    flesh.collides = desc->collides;
    flesh.detection = (wr_flesh_detection)desc->values[WRI_FLESH_DETECTION];
    wr_error why = {0};
    b->body = wr_flesh_add(b->ensemble->world, &flesh, &why);
    b->follower.body = b->body;
    if (b->body >= 0 && desc->handle_poses) {
        wri_flesh_follow_at_once(&b->follower, desc->handle_poses);
    } else if (b->body >= 0 && b->follower.by_torque) {
        wri_flesh_stay(&b->follower);
    }
    return b->body >= 0 || fail_for(desc, &why, error);
}

static wri_flesh_follower follower_of(const flesh_body *b, const wr_material_desc *desc)
{
    const wr_skeleton *skeleton = desc->skeleton;
    const wr_rig *rig = desc->asset ? &desc->asset->rig : NULL;
    return (wri_flesh_follower){.world = b->ensemble->world,
                                .model = b->shared->model,
                                .skeleton = b->shared->skeleton,
                                .handles = skeleton ? skeleton->handles
                                           : rig    ? rig->handles
                                                    : NULL,
                                .handle_count = skeleton ? skeleton->handle_count
                                                : rig    ? rig->handle_count
                                                         : 0,
                                .start = desc->pose,
                                .scale = desc->scale,
                                .by_torque = desc->values[WRI_FLESH_FOLLOW] == WRI_FLESH_BY_TORQUE,
                                .balance = desc->values[WRI_FLESH_BALANCE]};
}

static void tell(const wr_material_desc *desc, const char *text)
{
    char line[700];
    snprintf(line, sizeof line, "%.200s%sbody \"%.100s\" %.300s", desc->place ? desc->place : "",
             desc->place ? ": " : "", desc->name, text);
    desc->log.write(desc->log.user, line);
}

// Words of its material that have no effect, and why.
static void warn_of_idle(const flesh_body *b, const wr_material_desc *desc)
{
    const wri_flesh_skeleton *s = b->shared->skeleton;
    const wr_flesh_setup *setup = desc->setup;
    bool by_torque = b->follower.by_torque, has_joints = s && s->joint_count > 0;
    bool is_driven = !by_torque && desc->handle_poses;
    const struct {
        int parameter;
        bool is_idle;
        const char *because;
    } words[] = {
        {WRI_FLESH_BALANCE, !by_torque, "does not follow by torque"},
        {WRI_FLESH_TORQUE, !by_torque, "does not follow by torque"},
        {WRI_FLESH_TORQUE, by_torque && !has_joints, "has no joints"},
        {WRI_FLESH_JOINTS, by_torque, "follows by torque"},
        {WRI_FLESH_JOINTS, is_driven, "follows its pose exactly"},
        {WRI_FLESH_JOINTS, !by_torque && !is_driven && !has_joints, "has no joints"},
    };
    for (int i = 0; i < WRI_COUNT(words); i++) {
        const wr_parameter *p = &wri_flesh_parameters[words[i].parameter];
        if (words[i].is_idle && desc->values[words[i].parameter] != p->fallback) {
            char text[200];
            snprintf(text, sizeof text, "%s: its \"%s\" has no effect", words[i].because, p->name);
            tell(desc, text);
        }
    }
    if (setup && setup->joint_stiffness && is_driven) {
        tell(desc, "follows its pose exactly: its \"joint_stiffness\" has no effect");
    }
}

static void warn_of_words(flesh_body *b, const wr_material_desc *desc)
{
    flesh_ensemble *g = b->ensemble;
    g->detecting[(int)desc->values[WRI_FLESH_DETECTION]]++;
    if (!desc->log.write || (desc->place && desc->place == g->told)) {
        return;
    }
    g->told = desc->place;
    warn_of_idle(b, desc);
    if (!g->has_told_of_planes && g->detecting[0] > 0 && g->detecting[1] > 0) {
        tell(desc, "and another one of flesh find each other exactly: only one of them has "
                   "\"detection\": \"raster\"");
        g->has_told_of_planes = true;
    }
}

static void *create(const wr_material_desc *desc, wr_error *error)
{
    flesh_body *b = wri_alloc(&desc->allocator, 1, sizeof *b);
    if (!b) {
        wri_fail_memory(error, sizeof *b);
        return NULL;
    }
    b->allocator = desc->allocator;
    b->ensemble = desc->ensemble;
    b->shared = desc->shared;
    b->body = -1;
    b->friction = desc->friction;
    b->restitution = desc->restitution;
    b->follower = follower_of(b, desc);
    warn_of_words(b, desc);
    if (!fill(b, desc, error)) {
        destroy(b);
        return NULL;
    }
    return b;
}

wr_flesh_world *wri_flesh_world_of(const void *state, int *body)
{
    const flesh_body *b = state;
    *body = b->body;
    return b->ensemble->world;
}

static void handle_poses(const void *state, wr_handle_pose *poses)
{
    wri_flesh_read_handles(&((const flesh_body *)state)->follower, poses);
}

// --- contact ----------------------------------------------------------------------------------

static wr_ball_set balls(void *state, float dt)
{
    flesh_body *b = state;
    const wr_flesh_world *world = b->ensemble->world;
    float size = (float)b->shared->size;
    wr_flesh_positions(world, b->body, b->places);
    wr_flesh_velocities(world, b->body, b->speeds);
    for (int i = 0; i < b->node_count; i++) {
        b->balls[i] = (wr_ball){b->places[i], BALL * size, wr_scale(dt, b->speeds[i])};
    }
    return (wr_ball_set){b->balls, b->node_count, MARGIN * size, TOUCHES_MAX, AHEAD * size};
}

static void wake(void *state)
{
    const flesh_body *b = state;
    wr_flesh_wake(b->ensemble->world, b->body);
}

static bool is_asleep(const void *state)
{
    const flesh_body *b = state;
    return wr_flesh_is_asleep(b->ensemble->world, b->body);
}

static bool doze(void *state)
{
    const flesh_body *b = state;
    return wr_flesh_doze(b->ensemble->world, b->body);
}

// --- what it shows and keeps ------------------------------------------------------------------

// Vertices of the model are nodes, or ride on texels.
static void find_surface(flesh_body *b)
{
    const wr_flesh_world *world = b->ensemble->world;
    const wr_texels *texels = b->shared->texels;
    wr_vec3 *on_nodes = texels ? b->samples : b->vertices;
    int count = texels ? b->sample_count : b->vertex_count;
    wr_flesh_positions(world, b->body, b->places);
    wr_flesh_displacements(world, b->body, b->displacements);
    for (int i = 0; i < count; i++) {
        on_nodes[i] = b->places[b->shared->layer->node_of[i]];
    }
    if (texels) {
        wr_texels_follow(texels, b->samples, b->vertices);
    }
    for (int i = 0; i < b->shared->skin.bone_count; i++) {
        b->bones[i] = wr_flesh_bone_pose(world, b->body, i);
    }
    b->is_skinned = true;
}

static wr_material_surface surface(const void *state)
{
    flesh_body *b = (flesh_body *)(uintptr_t)state;
    if (!b->is_skinned) {
        find_surface(b);
    }
    return (wr_material_surface){.part = -1,
                                 .vertex_count = b->vertex_count,
                                 .positions = b->vertices,
                                 .changed_end = b->vertex_count,
                                 .skin = b->shared->texels ? NULL : &b->shared->skin,
                                 .bones = b->bones,
                                 .displacements = b->displacements};
}

static wr_material_statistics statistics(const void *state)
{
    const flesh_body *b = state;
    const wr_flesh_world *world = b->ensemble->world;
    return (wr_material_statistics){.work_seconds = b->ensemble->seconds,
                                    .energy = wr_flesh_energy_of(world, b->body),
                                    .active = is_asleep(b) ? 0 : b->node_count,
                                    .trouble = (int)(b->ended < INT_MAX ? b->ended : INT_MAX),
                                    .speed = wr_flesh_speed_of(world, b->body)};
}

static const char *warning(const void *state)
{
    const flesh_body *b = state;
    return b->ended > 0
               ? "had skin drawn off beyond the end of its layer, or pressed past its core: "
                 "what it touches is too heavy or too fast for it; more \"stiffness\", "
                 "\"thickness\" or \"substeps\" help"
               : NULL;
}

static bool is_sound(const void *state)
{
    const flesh_body *b = state;
    return wr_flesh_is_sound(b->ensemble->world, b->body);
}

static void freeze(void *state)
{
    const flesh_body *b = state;
    wr_flesh_freeze(b->ensemble->world, b->body);
}

static uint64_t hash(const void *state)
{
    const flesh_body *b = state;
    return wr_flesh_hash(b->ensemble->world, b->body);
}

// What was counted, then the state of the solver.
static size_t size(const void *state)
{
    const flesh_body *b = state;
    return sizeof b->ended + wr_flesh_save_size(b->ensemble->world, b->body);
}

static void save(const void *state, void *bytes)
{
    const flesh_body *b = state;
    memcpy(bytes, &b->ended, sizeof b->ended);
    wr_flesh_save(b->ensemble->world, b->body, (uint8_t *)bytes + sizeof b->ended);
}

static bool restore(void *state, const void *bytes, size_t byte_count, wr_error *error)
{
    flesh_body *b = state;
    int64_t ended;
    if (byte_count < sizeof ended) {
        return wri_fail(error, WR_E_FORMAT, "the state of a body of flesh is damaged");
    }
    memcpy(&ended, bytes, sizeof ended);
    if (!wr_flesh_restore(b->ensemble->world, b->body, (const uint8_t *)bytes + sizeof ended,
                          byte_count - sizeof ended, error)) {
        return false;
    }
    b->ended = ended;
    b->is_skinned = false;
    return true;
}

const wr_material wri_flesh_material = {
    .table_size = sizeof(wr_material),
    .name = "flesh",
    .about = "It has a firm core under skin that squashes where it is touched.",
    .parameters = wri_flesh_parameters,
    .parameter_count = WRI_FLESH_PARAMETERS,
    .presets = wri_flesh_presets,
    .preset_count = WRI_COUNT(wri_flesh_presets),
    .edge_length = edge_length,
    .follows_pose = true,
    .meets_boundaries = true,
    .ignores_stretch = true,
    .create_ensemble = create_ensemble,
    .destroy_ensemble = destroy_ensemble,
    .step_ensemble = step_ensemble,
    .create_shared = create_shared,
    .destroy_shared = destroy_shared,
    .can_share = can_share,
    .create = create,
    .destroy = destroy,
    .handle_poses = handle_poses,
    .balls = balls,
    .wake = wake,
    .is_asleep = is_asleep,
    .doze = doze,
    .surface = surface,
    .statistics = statistics,
    .warning = warning,
    .is_sound = is_sound,
    .freeze = freeze,
    .hash = hash,
    .size = size,
    .save = save,
    .restore = restore,
};
