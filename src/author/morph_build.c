// morph_build.c: the stages from tetrahedra, skin and targets to the data of soft characters.
#include "morph_modes.h"

#include "../base/os.h"
#include "laplacian.h"
#include "scatter.h"

#include "wrought/example.h"

static const uint32_t COOKIE = 0x4d504244;
static const double FARTHEST = 1000.0; // of the size: what a target may move a vertex by

wri_morph_build_desc wri_morph_build_desc_default(void)
{
    return (wri_morph_build_desc){
        .young = 2e4, .poisson = 0.4f, .density = 1000.0, .mode_count = 14, .cookie = COOKIE};
}

// --- checks -------------------------------------------------------------------------------------

static bool check_poisson(float poisson, const char *who, wr_error *error)
{
    if (poisson >= 0.0f && poisson <= 0.49f) {
        return true;
    }
    return wri_fail(error, WR_E_ARGUMENT,
                    "%s: Poisson's ratio is %s, expected 0 to 0.49: at 0.5 nothing changes "
                    "its volume, and no force follows from displacements",
                    who, WRI_NUMBER(poisson, 6));
}

static double size_of(const wri_morph_build_desc *d)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < d->node_count; i++) {
        box = wr_box_add(box, d->nodes[i]);
    }
    return (double)wr_length(wr_box_size(box));
}

static bool check_displacements(const wri_morph_build_desc *d, const wri_morph_target *t,
                                wr_error *error)
{
    double size = size_of(d);
    for (int i = 0; t->displacements && i < d->vertex_count; i++) {
        wr_vec3 u = t->displacements[i];
        if (!wr_is_finite3(u)) {
            return wri_fail(error, WR_E_ARGUMENT, "target \"%.80s\": vertex %d is nowhere", t->name,
                            i);
        }
        double way =
            sqrt((double)u.x * (double)u.x + (double)u.y * (double)u.y + (double)u.z * (double)u.z);
        if (way > FARTHEST * size) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "target \"%.80s\": vertex %d moves by %s m, expected at most %s m: %s "
                            "times the size of the model",
                            t->name, i, WRI_NUMBER(way, 6), WRI_NUMBER(FARTHEST * size, 6),
                            WRI_NUMBER(FARTHEST, 6));
        }
    }
    return true;
}

static bool check_target(const wri_morph_build_desc *d, const wri_morph_target *t, wr_error *error)
{
    if (t->displacements && t->displacement_count != d->vertex_count) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "target \"%.80s\" has %d vertices, but the model has %d", t->name,
                        t->displacement_count, d->vertex_count);
    }
    if (!(t->stiffness > 0.0 && t->stiffness <= 1e6)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "target \"%.80s\" has the stiffness %s, expected more than 0", t->name,
                        WRI_NUMBER(t->stiffness, 6));
    }
    if (!check_displacements(d, t, error)) {
        return false;
    }
    for (int i = 0; t->paint && i < d->vertex_count; i++) {
        if (!(t->paint[i] > 0.0f && t->paint[i] <= 1e6f)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "target \"%.80s\": the paint of vertex %d is %s, expected more "
                            "than 0",
                            t->name, i, WRI_NUMBER(t->paint[i], 6));
        }
    }
    return t->poisson < 0.0f || check_poisson(t->poisson, t->name, error);
}

static bool check_connected(const wri_morph_build_desc *d, wr_error *error)
{
    const wri_elements mesh = {3, d->node_count, d->tet_count, d->nodes, d->tets};
    int *part = wri_alloc(d->allocator, (size_t)d->node_count, sizeof *part);
    int parts = part ? wri_find_parts(&mesh, part, d->allocator) : -1;
    wri_free(d->allocator, part, (size_t)d->node_count, sizeof *part);
    if (parts < 0) {
        return wri_fail_memory(error, 0);
    }
    return parts == 1 ||
           wri_fail(error, WR_E_ARGUMENT,
                    "the simulation mesh has %d parts that are not connected, expected one: "
                    "join the shells of the model",
                    parts);
}

static bool check(const wri_morph_build_desc *d, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wri_morph_build_desc, d, COOKIE) ||
        !WRI_REQUIRE_AS(error, "nodes, tets, bones, vertices", d->nodes, d->tets, d->bones,
                        d->vertices) ||
        !WRI_REQUIRE_LIST(error, d->targets, d->target_count)) {
        return false;
    }
    if (!d->node_weights && !d->vertex_weights) {
        return wri_fail(error, WR_E_ARGUMENT, "neither nodes nor vertices have weights");
    }
    if (!(d->young > 0.0 && d->young <= 1e12) || !(d->density > 0.0 && d->density <= 1e6) ||
        !(d->smoothing >= 0.0f && d->smoothing <= 1e3f) ||
        !(d->rounding >= 0.0f && d->rounding <= 1e3f) || d->mode_count < 0) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "Young's modulus %s Pa, density %s kg/m^3, smoothing %s, rounding %s "
                        "and %d modes: none may be negative, the first two not 0",
                        WRI_NUMBER(d->young, 6), WRI_NUMBER(d->density, 6),
                        WRI_NUMBER(d->smoothing, 6), WRI_NUMBER(d->rounding, 6), d->mode_count);
    }
    if (!check_poisson(d->poisson, "the model", error)) {
        return false;
    }
    for (int i = 0; i < d->target_count; i++) {
        if (!check_target(d, &d->targets[i], error)) {
            return false;
        }
    }
    return check_connected(d, error);
}

// --- skeleton, skin, masses ---------------------------------------------------------------------

static void copy_bones(wri_morph_builder *b)
{
    for (int i = 0; i < b->data->bone_count; i++) {
        const wri_morph_bone *bone = &b->desc->bones[i];
        b->data->parents[i] = bone->parent;
        b->data->origins[i] = bone->origin;
        float length = bone->parent >= 0
                           ? wr_distance(bone->origin, b->desc->bones[bone->parent].origin)
                           : wr_distance(bone->origin, bone->tail);
        b->data->lengths[i] = wr_maxf(length, 1e-3f * (float)b->size);
    }
}

// The largest weights of a row, in descending order and with the sum 1.
static void choose(const float *row, int bone_count, int *bones, float *weights)
{
    float sum = 0.0f;
    for (int i = 0; i < WRI_MORPH_BONES; i++) {
        bones[i] = 0;
        weights[i] = 0.0f;
    }
    for (int bone = 0; bone < bone_count; bone++) {
        int at = WRI_MORPH_BONES;
        while (at > 0 && row[bone] > weights[at - 1]) {
            at--;
        }
        for (int i = WRI_MORPH_BONES - 1; i > at; i--) {
            bones[i] = bones[i - 1];
            weights[i] = weights[i - 1];
        }
        if (at < WRI_MORPH_BONES) {
            bones[at] = bone;
            weights[at] = row[bone];
        }
    }
    for (int i = 0; i < WRI_MORPH_BONES; i++) {
        weights[i] = weights[i] < 1e-4f ? 0.0f : weights[i];
        sum += weights[i];
    }
    for (int i = 0; sum > 0.0f && i < WRI_MORPH_BONES; i++) {
        weights[i] /= sum;
    }
    weights[0] = sum > 0.0f ? weights[0] : 1.0f;
}

static wri_elements elements_of(const wr_morph_data *d)
{
    return (wri_elements){3, d->node_count, d->tet_count, d->nodes, d->tets};
}

// Weights of nodes, or those of vertices carried inwards.                                     (5.2)
static bool find_weights(wri_morph_builder *b, wr_error *error)
{
    wr_morph_data *d = b->data;
    size_t bones = (size_t)d->bone_count;
    const float *rows = b->desc->node_weights;
    float *carried = NULL;
    if (!rows) {
        const wr_solid solid = {3, d->node_count, d->nodes, d->tet_count, d->tets};
        carried = wri_arena_alloc(&b->arena, (size_t)d->node_count * bones, sizeof *carried);
        if (!carried) {
            return wri_fail_memory(error, 0);
        }
        if (!wr_weights_carry(&solid, b->rides, d->vertex_count, b->desc->vertex_weights,
                              d->bone_count, b->desc->allocator, carried, NULL, error)) {
            return false;
        }
        rows = carried;
    }
    float *row = wri_arena_alloc(&b->arena, bones, sizeof *row);
    if (!row) {
        return wri_fail_memory(error, 0);
    }
    for (int node = 0; node < d->node_count; node++) {
        choose(rows + (size_t)node * bones, d->bone_count, d->node_bones + WRI_MORPH_BONES * node,
               d->node_weights + WRI_MORPH_BONES * node);
    }
    for (int v = 0; v < d->vertex_count; v++) {
        for (int bone = 0; bone < d->bone_count; bone++) {
            row[bone] = 0.0f;
            for (int i = 0; !b->desc->vertex_weights && i < 4; i++) {
                int node = d->tets[4 * b->rides[v].element + i];
                row[bone] += b->rides[v].weights[i] * rows[(size_t)node * bones + (size_t)bone];
            }
            row[bone] = b->desc->vertex_weights
                            ? b->desc->vertex_weights[(size_t)v * bones + (size_t)bone]
                            : wr_maxf(row[bone], 0.0f);
        }
        choose(row, d->bone_count, d->vertex_bones + WRI_MORPH_BONES * v,
               d->vertex_weights + WRI_MORPH_BONES * v);
    }
    return true;
}

static bool find_masses(wri_morph_builder *b, wr_error *error)
{
    wr_morph_data *d = b->data;
    for (int tet = 0; tet < d->tet_count; tet++) {
        const int *t = d->tets + 4 * (ptrdiff_t)tet;
        wr_vec3 x = wr_sub(d->nodes[t[1]], d->nodes[t[0]]),
                y = wr_sub(d->nodes[t[2]], d->nodes[t[0]]);
        wr_vec3 z = wr_sub(d->nodes[t[3]], d->nodes[t[0]]);
        double share = b->desc->density * (double)wr_dot(x, wr_cross(y, z)) / 24.0;
        if (!(share > 0.0)) {
            return wri_fail(error, WR_E_ARGUMENT, "tetrahedron %d has no volume or is inside out",
                            tet);
        }
        for (int i = 0; i < 4; i++) {
            d->masses[t[i]] += (float)share;
        }
    }
    for (int node = 0; node < d->node_count; node++) {
        if (!(d->masses[node] > 0.0f)) {
            return wri_fail(error, WR_E_ARGUMENT, "node %d is in no tetrahedron", node);
        }
    }
    for (int i = 0; i < b->desc->triangle_count; i++) {
        const int *t = b->desc->triangles + 3 * (ptrdiff_t)i;
        wr_vec3 x = wr_sub(d->vertices[t[1]], d->vertices[t[0]]);
        wr_vec3 y = wr_sub(d->vertices[t[2]], d->vertices[t[0]]);
        for (int k = 0; k < 3; k++) {
            d->areas[t[k]] += wr_length(wr_cross(x, y)) / 6.0f;
        }
    }
    return true;
}

// --- firmness -----------------------------------------------------------------------------------

// Paint of vertices for nodes, smoothly.
static bool carry_paint(wri_morph_builder *b, const float *paint, double *out, wr_error *error)
{
    wr_morph_data *d = b->data;
    wri_arena arena = wri_arena_create(b->desc->allocator);
    wri_scatter s = {.mesh = elements_of(d), .rides = b->rides, .count = d->vertex_count};
    s.allocator = arena.allocator;
    double *values = wri_arena_alloc(&arena, (size_t)d->vertex_count, sizeof *values);
    bool ok = values && wri_scatter_create(&s, &arena);
    if (ok) {
        for (int v = 0; v < d->vertex_count; v++) {
            values[v] = (double)paint[v];
        }
        wri_scatter_gather(&s, values, 1, out);
        ok = wri_scatter_solve(&s, WRI_SMOOTH_FLAT, 1, out, out, error);
    } else {
        wri_fail_memory(error, 0);
    }
    wri_arena_destroy(&arena);
    return ok;
}

static bool find_firmness(wri_morph_builder *b, wr_error *error)
{
    wr_morph_data *d = b->data;
    double *paint = wri_arena_alloc(&b->arena, (size_t)d->node_count, sizeof *paint);
    if (!paint) {
        return wri_fail_memory(error, 0);
    }
    for (int target = 0; target < d->target_count; target++) {
        const wri_morph_target *t =
            target < b->desc->target_count ? &b->desc->targets[target] : NULL;
        double young = b->desc->young * (t ? t->stiffness : 1.0);
        d->poisson[target] = t && t->poisson >= 0.0f ? t->poisson : b->desc->poisson;
        if (t && t->paint && !carry_paint(b, t->paint, paint, error)) {
            return false;
        }
        for (int tet = 0; tet < d->tet_count; tet++) {
            double factor = t && t->paint ? 0.0 : 1.0;
            for (int i = 0; t && t->paint && i < 4; i++) {
                factor += 0.25 * fmax(paint[d->tets[4 * tet + i]], 1e-6);
            }
            d->young[(ptrdiff_t)target * d->tet_count + tet] = (float)(young * factor);
        }
    }
    return true;
}

// --- all ----------------------------------------------------------------------------------------

static bool find_rides(wri_morph_builder *b, wr_error *error)
{
    wr_morph_data *d = b->data;
    int left = d->vertex_count;
    b->rides = d->rides;
    if (b->desc->rides) {
        memcpy(d->rides, b->desc->rides, (size_t)d->vertex_count * sizeof *d->rides);
        return true;
    }
    for (int v = 0; v < d->vertex_count; v++) {
        d->rides[v].element = -1;
    }
    for (int i = 0; i < 4 * d->tet_count; i++) {
        int node = d->tets[i];
        if (node < d->vertex_count && d->rides[node].element < 0) {
            d->rides[node].element = i / 4;
            d->rides[node].weights[i % 4] = 1.0f;
            left--;
        }
    }
    return left == 0 ||
           wri_fail(error, WR_E_ARGUMENT, "%d vertices are no nodes of the tetrahedra", left);
}

static wr_morph_data *start(wri_morph_builder *b, wr_error *error)
{
    const wri_morph_build_desc *in = b->desc;
    static wr_vec3 there;
    wr_morph_data counts = {.bone_count = in->bone_count,
                            .node_count = in->node_count,
                            .tet_count = in->tet_count,
                            .vertex_count = in->vertex_count,
                            .target_count = in->target_count > 0 ? in->target_count : 1,
                            .details = &there};
    counts.space.scalar_count = in->scalar_count;
    counts.space.axis_count = counts.target_count - 1;
    if (in->bone_count > WR_MORPH_BONES_MAX || counts.target_count > WR_MORPH_TARGETS_MAX ||
        in->node_count > WR_MORPH_NODES_MAX || in->scalar_count > WR_MORPH_SCALARS_MAX) {
        wri_fail(error, WR_E_LIMIT,
                 "%d bones, %d targets, %d nodes and %d scalars, expected at most %d, %d, %d "
                 "and %d",
                 in->bone_count, counts.target_count, in->node_count, in->scalar_count,
                 WR_MORPH_BONES_MAX, WR_MORPH_TARGETS_MAX, WR_MORPH_NODES_MAX,
                 WR_MORPH_SCALARS_MAX);
        return NULL;
    }
    wr_morph_data *d = wri_morph_data_create(&counts, in->allocator);
    if (!d) {
        wri_fail_memory(error, 0);
        return NULL;
    }
    memcpy(d->nodes, in->nodes, (size_t)d->node_count * sizeof *d->nodes);
    memcpy(d->tets, in->tets, 4 * (size_t)d->tet_count * sizeof *d->tets);
    memcpy(d->vertices, in->vertices, (size_t)d->vertex_count * sizeof *d->vertices);
    for (int i = 0; i < in->scalar_count; i++) {
        d->space.scalar_scale[i] = in->scalar_scale ? in->scalar_scale[i] : 1.0f;
    }
    b->size = size_of(in);
    return d;
}

static bool name_targets(wri_morph_builder *b, wr_error *error)
{
    for (int i = 0; i < b->data->target_count; i++) {
        const char *name = b->desc->target_count > 0 ? b->desc->targets[i].name : "rest";
        if (!wri_morph_data_name(b->data, i, name ? name : "")) {
            return wri_fail_memory(error, 0);
        }
    }
    return true;
}

static bool find_cubic(wri_morph_builder *b, wr_error *error)
{
    wr_morph_data *d = b->data;
    size_t size = wr_morph_cubic_size(d->mode_count);
    d->cubic = wri_morph_data_add(d, (size_t)d->target_count * size, sizeof *d->cubic);
    bool ok = d->cubic != NULL;
    for (int target = 0; ok && target < d->target_count; target++) {
        ok = wri_cubic_make(d, target, &b->desc->tasks, b->desc->allocator,
                            d->cubic + (size_t)target * size);
    }
    return ok || wri_fail_memory(error, 0);
}

static bool tell(const wri_morph_builder *b, const char *stage, double done)
{
    if (b->desc->progress.report) {
        b->desc->progress.report(b->desc->progress.user, stage, done);
    }
    return true;
}

static bool build(wri_morph_builder *b, wr_error *error)
{
    double times[5];
    b->free_of = wri_arena_alloc(&b->arena, (size_t)b->desc->node_count, sizeof *b->free_of);
    times[0] = wri_seconds();
    if (!b->free_of || !name_targets(b, error)) {
        return b->free_of || wri_fail_memory(error, 0);
    }
    copy_bones(b);
    if (!find_rides(b, error) || !find_masses(b, error) || !tell(b, "weights", 0.0) ||
        !find_weights(b, error) || !wri_morph_fix_bones(b, error) || !find_firmness(b, error) ||
        !wri_morph_find_space(b, error)) {
        return false;
    }
    times[1] = wri_seconds();
    if (!tell(b, "targets", 0.0) || !wri_morph_relax(b, error)) {
        return false;
    }
    times[2] = wri_seconds();
    if (b->desc->mode_count > 0 && !wri_morph_find_basis(b, error)) {
        return false;
    }
    times[3] = wri_seconds();
    if (b->desc->mode_count > 0 && b->desc->with_cubic &&
        !(tell(b, "coefficients", 0.0) && find_cubic(b, error))) {
        return false;
    }
    times[4] = wri_seconds();
    for (int i = 0; i < 4; i++) {
        b->report->seconds[i] = times[i + 1] - times[i];
    }
    return wr_morph_data_check(b->data, error);
}

wr_morph_data *wri_morph_build(const wri_morph_build_desc *desc, wri_morph_report *report,
                               wr_error *error)
{
    wri_morph_report own;
    if (!check(desc, error)) {
        return NULL;
    }
    wri_morph_builder b = {.desc = desc, .report = report ? report : &own};
    *b.report = (wri_morph_report){0};
    b.arena = wri_arena_create(desc->allocator);
    b.data = start(&b, error);
    if (b.data && !build(&b, error)) {
        wr_morph_data_destroy(b.data);
        b.data = NULL;
    }
    wri_arena_destroy(&b.arena);
    return b.data;
}
