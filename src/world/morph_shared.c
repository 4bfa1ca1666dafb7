// morph_shared.c: from the bytes of an asset to a model of the size and density of a scene's
// bodies.
#include "morph_shared.h"

#include "../base/os.h"
#include "../math/elementary.h"
#include "morph_parameters.h"
#include "world.h"

static const double LIGHTEST = 2e-12; // kg: lighter nodes are no data of morph, data.c

static bool fail_for(const wr_material_desc *desc, const wr_error *why, wr_error *error)
{
    return wri_fail(error, why->code, "body \"%s\": %s", desc->name, why->message);
}

void wri_morph_destroy_shared(void *shared)
{
    wri_morph_shared *s = shared;
    if (s) {
        const wr_allocator a = s->allocator;
        size_t vertices = s->data ? (size_t)s->data->vertex_count : 0;
        wri_free(&a, s->bones, (size_t)s->skin.bone_count, sizeof *s->bones);
        wri_free(&a, s->nodes, vertices, sizeof *s->nodes);
        wri_free(&a, s->touching, (size_t)s->touching_room, sizeof *s->touching);
        wr_morph_model_destroy(s->model);
        wr_morph_data_destroy(s->data);
        wri_free(&a, s, 1, sizeof *s);
    }
}

// --- data -------------------------------------------------------------------------------------

static void scale_vectors(wr_vec3 *v, size_t count, float by)
{
    for (size_t i = 0; v && i < count; i++) {
        v[i] = wr_scale(by, v[i]);
    }
}

static void scale_numbers(float *v, size_t count, float by)
{
    for (size_t i = 0; v && i < count; i++) {
        v[i] *= by;
    }
}

// Lengths grow by `length`, and masses by `mass`. The basis stays mass-orthonormal: it shrinks with
// the root of the masses. What was found for cubic forces belongs to the old lengths.
static void scale_data(wr_morph_data *d, double length, double mass)
{
    size_t nodes = (size_t)d->node_count, vertices = (size_t)d->vertex_count;
    size_t targets = (size_t)d->target_count, bones = (size_t)d->bone_count;
    float by = (float)length;
    scale_vectors(d->origins, bones, by);
    scale_numbers(d->lengths, bones, by);
    scale_vectors(d->nodes, nodes, by);
    scale_numbers(d->masses, nodes, (float)mass);
    scale_vectors(d->vertices, vertices, by);
    scale_numbers(d->areas, vertices, by * by);
    scale_vectors(d->offsets, targets * nodes, by);
    scale_vectors(d->details, targets * vertices, by);
    scale_numbers(d->basis, 3 * nodes * (size_t)d->mode_count, (float)(1.0 / sqrt(mass)));
    d->cubic = length == 1.0 && mass == 1.0 ? d->cubic : NULL;
}

static double mass_of(const wr_morph_data *d)
{
    double sum = 0.0;
    for (int i = 0; i < d->node_count; i++) {
        sum += (double)d->masses[i];
    }
    return sum;
}

static double lightest_node(const wr_morph_data *d)
{
    double lightest = (double)d->masses[0];
    for (int i = 1; i < d->node_count; i++) {
        lightest = fmin(lightest, (double)d->masses[i]);
    }
    return lightest;
}

static bool read_data(wri_morph_shared *s, const wr_material_desc *desc, wr_error *error)
{
    wr_error why = {0};
    const wr_asset *asset = desc->asset;
    if (!asset || !asset->morph) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "body \"%s\": has no asset whose recipe says \"morph\"", desc->name);
    }
    s->data = wr_morph_data_read(asset->morph, asset->morph_size, &s->allocator, &why);
    if (!s->data) {
        return fail_for(desc, &why, error);
    }
    if (s->data->vertex_count != desc->model->meshes->vertex_count ||
        s->data->bone_count != asset->rig.handle_count ||
        s->data->space.scalar_count != asset->scalar_count) {
        return wri_fail(error, WR_E_FORMAT,
                        "body \"%s\": the morph of its asset has %d vertices, %d bones and %d "
                        "scalars, expected %d, %d and %d",
                        desc->name, s->data->vertex_count, s->data->bone_count,
                        s->data->space.scalar_count, desc->model->meshes->vertex_count,
                        asset->rig.handle_count, asset->scalar_count);
    }
    double length = (double)desc->scale, volume = length * length * length;
    double mass = mass_of(s->data) * volume;
    double heavier = desc->mass > 0.0 ? desc->mass / mass : desc->density / WRI_MORPH_DENSITY;
    double lightest = lightest_node(s->data) * volume * heavier;
    if (lightest < LIGHTEST) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "body \"%s\": at the scale %s its lightest node weighs %s kg, expected at "
                        "least %s kg: it needs a larger scale, density or mass",
                        desc->name, WRI_NUMBER(length, 6), WRI_NUMBER(lightest, 6),
                        WRI_NUMBER(LIGHTEST, 6));
    }
    scale_data(s->data, length, volume * heavier);
    s->mass = mass * heavier;
    s->size = wri_exp(wri_log(mass / WRI_MORPH_DENSITY) / 3.0);
    return true;
}

// --- skin -------------------------------------------------------------------------------------

// How recordings know it: every vertex is a node.
static bool describe_skin(wri_morph_shared *s, const wr_material_desc *desc, wr_error *error)
{
    const wr_morph_data *d = s->data;
    size_t bones = (size_t)d->bone_count, vertices = (size_t)d->vertex_count;
    s->bones = wri_alloc(&s->allocator, bones, sizeof *s->bones);
    s->skin.bone_count = s->bones ? d->bone_count : 0;
    s->nodes = wri_alloc(&s->allocator, vertices, sizeof *s->nodes);
    if (!s->bones || !s->nodes) {
        return wri_fail_memory(error, vertices * sizeof *s->nodes);
    }
    for (int i = 0; i < d->bone_count; i++) {
        s->bones[i] =
            (wr_record_bone){desc->asset->rig.handles[i].name, d->parents[i], d->origins[i]};
    }
    for (int i = 0; i < d->vertex_count; i++) {
        s->nodes[i] = i;
    }
    s->skin = (wr_record_skin){.bone_count = d->bone_count,
                               .bones = s->bones,
                               .vertex_count = d->vertex_count,
                               .nodes = s->nodes,
                               .node_count = d->vertex_count,
                               .joints = d->vertex_bones,
                               .weights = d->vertex_weights};
    return true;
}

// --- touch ------------------------------------------------------------------------------------

// One vertex after the other, each the farthest from those before it; of vertices at one place the
// first alone.
static bool spread_touch(wri_morph_shared *s, int wished, const wr_work *work, wr_error *error)
{
    const wr_morph_data *d = s->data;
    int most = wished < d->vertex_count ? wished : d->vertex_count;
    float *away = wr_scratch_push(work->scratch, (size_t)d->vertex_count, sizeof *away);
    s->touching = wri_alloc(&s->allocator, (size_t)most, sizeof *s->touching);
    s->touching_room = s->touching ? most : 0;
    if (!away || !s->touching) {
        return wri_fail_memory(error, (size_t)d->vertex_count * sizeof *away);
    }
    for (int i = 0; i < d->vertex_count; i++) {
        away[i] = INFINITY;
    }
    int count = 0;
    for (int next = 0; count < most && away[next] > 0.0f; count++) {
        s->touching[count] = next;
        wr_vec3 at = d->vertices[next];
        for (int i = 0; i < d->vertex_count; i++) {
            away[i] = fminf(away[i], wr_distance(d->vertices[i], at));
            next = away[i] > away[next] ? i : next;
        }
    }
    s->touching_count = count;
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool create_model(wri_morph_shared *s, const wr_material_desc *desc, wr_error *error)
{
    const double *v = desc->values;
    wr_error why = {0};
    wr_morph_model_desc model = wr_morph_model_desc_default();
    model.data = s->data;
    model.is_full = v[WRI_MORPH_FREEDOM] == WRI_MORPH_FULL;
    model.elasticity = (wr_morph_elasticity)v[WRI_MORPH_ELASTICITY];
    model.between = (wr_morph_between)v[WRI_MORPH_BETWEEN];
    model.without_targets = v[WRI_MORPH_TARGETS] == WRI_MORPH_NO_TARGETS;
    model.stiffness = v[WRI_MORPH_STIFFNESS];
    model.damping = (float)v[WRI_MORPH_DAMPING];
    model.drag = (float)v[WRI_MORPH_DRAG];
    model.gamma = (float)v[WRI_MORPH_NEWMARK];
    model.air = (float)v[WRI_MORPH_AIR];
    model.dt = desc->dt;
    model.tasks = desc->work.tasks;
    model.allocator = &s->allocator;
    s->model = wr_morph_model_create(&model, &why);
    return s->model || fail_for(desc, &why, error);
}

void *wri_morph_create_shared(const wr_material_desc *desc, wr_error *error)
{
    wri_morph_shared *s = wri_alloc(&desc->allocator, 1, sizeof *s);
    if (!s) {
        wri_fail_memory(error, sizeof *s);
        return NULL;
    }
    s->allocator = desc->allocator;
    if (!read_data(s, desc, error) || !describe_skin(s, desc, error) ||
        !spread_touch(s, (int)desc->values[WRI_MORPH_TOUCH_POINTS], &desc->work, error) ||
        !create_model(s, desc, error)) {
        wri_morph_destroy_shared(s);
        return NULL;
    }
    return s;
}

// Scalars and forces are of single bodies.
bool wri_morph_can_share(const wr_material_desc *a, const wr_material_desc *b)
{
    return a->mass == b->mass;
}
