// asset_check.c: whether an asset is one, whoever made it.
#include "asset.h"
#include "json.h"
#include "model.h"
#include "../skin/skin.h"

// --- the model --------------------------------------------------------------------------------

// Parts follow one another without gaps: a file knows triangles only as those of its parts.
static bool check_parts(const wr_mesh *mesh, wr_error *error)
{
    int next = 0;
    for (int i = 0; i < mesh->part_count; i++) {
        if (mesh->parts[i].first_triangle != next || mesh->parts[i].triangle_count < 1) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "model: part %d begins at triangle %d, expected %d, and at least one",
                            i, mesh->parts[i].first_triangle, next);
        }
        next += mesh->parts[i].triangle_count;
    }
    return (next == mesh->triangle_count && next > 0) ||
           wri_fail(error, WR_E_ARGUMENT, "model: the parts have %d triangles, the mesh %d", next,
                    mesh->triangle_count);
}

static bool is_at_origin(const wr_node *node)
{
    wr_vec3 p = node->pose.position, s = node->scale;
    wr_quat q = node->pose.rotation;
    return p.x == 0.0f && p.y == 0.0f && p.z == 0.0f && q.x == 0.0f && q.y == 0.0f && q.z == 0.0f &&
           q.w == 1.0f && s.x == 1.0f && s.y == 1.0f && s.z == 1.0f;
}

static bool check_model(const wr_model *model, wr_error *error)
{
    if (!model || model->mesh_count != 1 || model->node_count != 1 || model->nodes[0].mesh != 0) {
        return wri_fail(error, WR_E_ARGUMENT, "model: expected one mesh and one node");
    }
    const wr_mesh *mesh = &model->meshes[0];
    if (model->clip_count > 0 || model->skin_count > 0 || mesh->influence_count > 0 ||
        mesh->morph_count > 0) {
        return wri_fail(error, WR_E_ARGUMENT, "model: has a skin, morph targets or clips");
    }
    return wri_model_check(model, "model", WR_E_ARGUMENT, error) && check_parts(mesh, error) &&
           (is_at_origin(&model->nodes[0]) ||
            wri_fail(error, WR_E_ARGUMENT, "model: its node has a transform"));
}

// --- the rig ----------------------------------------------------------------------------------

static bool check_weights(const wr_rig *rig, wr_error *error)
{
    for (int i = 0; i < rig->vertex_count; i++) {
        const float *row = &rig->weights[(size_t)i * (size_t)rig->handle_count];
        double sum = 0.0;
        bool any = false;
        for (int b = 0; b < rig->handle_count; b++) {
            sum += (double)row[b];
            any = any || row[b] != 0.0f;
        }
        if (any && !(fabs(sum - 1.0) <= 1e-3)) {
            return wri_fail(error, WR_E_ARGUMENT, "weights: those of vertex %d add up to %g, not 1",
                            i, sum);
        }
    }
    return true;
}

static double signed_size(const wr_rig *rig, const int *element)
{
    double e[3][3];
    wr_vec3 o = rig->rest[element[0]];
    for (int k = 0; k < rig->dimension; k++) {
        wr_vec3 p = rig->rest[element[k + 1]];
        e[k][0] = (double)p.x - (double)o.x;
        e[k][1] = (double)p.y - (double)o.y;
        e[k][2] = (double)p.z - (double)o.z;
    }
    if (rig->dimension == 2) {
        return e[0][0] * e[1][1] - e[0][1] * e[1][0];
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static bool check_elements(const wr_rig *rig, wr_error *error)
{
    if (rig->element_count < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "elements: there are none");
    }
    for (int i = 0; i < rig->element_count; i++) {
        const int *element = &rig->elements[(size_t)i * (size_t)(rig->dimension + 1)];
        if (!(signed_size(rig, element) > 0.0)) {
            return wri_fail(error, WR_E_ARGUMENT, "elements[%d]: flat or turned inside out", i);
        }
    }
    return true;
}

static bool check_rides(const wr_rig *rig, const wr_mesh *mesh, wr_error *error)
{
    if (rig->ride_count != mesh->vertex_count) {
        return wri_fail(error, WR_E_ARGUMENT, "rides: %d, but the mesh has %d vertices",
                        rig->ride_count, mesh->vertex_count);
    }
    for (int i = 0; i < rig->ride_count; i++) {
        double sum = 0.0, size = 0.0;
        for (int k = 0; k <= rig->dimension; k++) {
            sum += (double)rig->rides[i].weights[k];
            size += fabs((double)rig->rides[i].weights[k]);
        }
        if (!(fabs(sum - 1.0) <= 1e-4 * (1.0 + size))) {
            return wri_fail(error, WR_E_ARGUMENT, "rides[%d]: the weights add up to %g, not 1", i,
                            sum);
        }
    }
    return true;
}

static bool check_names(const wr_rig *rig, wr_error *error)
{
    for (int i = 0; i < rig->handle_count; i++) {
        const wr_handle *handle = &rig->handles[i];
        if (!handle->name || handle->parent < -1 || handle->parent >= i || handle->vertex < -1 ||
            handle->vertex >= rig->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "handles[%d]: no name, or parent %d or vertex %d does not exist", i,
                            handle->parent, handle->vertex);
        }
    }
    for (int i = 0; i < rig->example_count; i++) {
        if (!rig->examples[i].name) {
            return wri_fail(error, WR_E_ARGUMENT, "examples[%d]: no name", i);
        }
    }
    return true;
}

// --- clips ------------------------------------------------------------------------------------

static bool check_times(const wr_rig_clip *clip, const wr_rig_track *track)
{
    double last = -1.0;
    bool ok = track->key_count > 0 && track->times[0] >= 0.0f;
    for (int k = 0; k < track->key_count && ok; k++) {
        double time = (double)track->times[k];
        ok = time > last && time <= clip->length;
        last = time;
    }
    return ok;
}

// Rotations must be those that a file keeps bit for bit.
static bool check_values(const wr_rig_track *track)
{
    size_t width = (size_t)wr_rig_channel_width(track->channel);
    bool ok = true;
    for (size_t k = 0; k < (size_t)track->key_count && ok; k++) {
        const float *v = track->values + k * width;
        for (size_t i = 0; i < width; i++) {
            ok = ok && isfinite(v[i]);
        }
        if (track->channel == WR_RIG_ROTATION) {
            wr_quat q = {v[0], v[1], v[2], v[3]}, unit = wri_unit_quat(q);
            ok = ok && memcmp(&q, &unit, sizeof q) == 0;
        }
    }
    return ok;
}

static bool check_track(const wr_rig *rig, const wr_rig_clip *clip, int index, wr_error *error)
{
    const wr_rig_track *track = &clip->tracks[index], *before = index > 0 ? track - 1 : NULL;
    if (track->handle < 0 || track->handle >= rig->handle_count || track->channel < 0 ||
        track->channel >= WR_RIG_CHANNELS) {
        return wri_fail(error, WR_E_ARGUMENT, "clip \"%.80s\": track %d has handle %d, channel %d",
                        clip->name, index, track->handle, (int)track->channel);
    }
    if (before && (before->handle > track->handle ||
                   (before->handle == track->handle && before->channel >= track->channel))) {
        return wri_fail(
            error, WR_E_ARGUMENT,
            "clip \"%.80s\": track %d is not after the one before, by handle and channel",
            clip->name, index);
    }
    if (!check_times(clip, track)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "clip \"%.80s\": the times of track %d do not increase from 0 to %g s",
                        clip->name, index, clip->length);
    }
    return check_values(track) ||
           wri_fail(error, WR_E_ARGUMENT,
                    "clip \"%.80s\": track %d is not finite, or a rotation not of unit length",
                    clip->name, index);
}

static bool check_clips(const wr_asset *asset, wr_error *error)
{
    for (int i = 0; i < asset->clip_count; i++) {
        const wr_rig_clip *clip = &asset->clips[i];
        if (!clip->name || !(clip->length >= 0.0) || !isfinite(clip->length)) {
            return wri_fail(error, WR_E_ARGUMENT, "clips[%d]: no name, or length %g s", i,
                            clip->length);
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(clip->name, asset->clips[k].name) == 0) {
                return wri_fail(error, WR_E_ARGUMENT, "clips[%d]: has the name of another", i);
            }
        }
        for (int k = 0; k < clip->track_count; k++) {
            if (!check_track(&asset->rig, clip, k, error)) {
                return false;
            }
        }
    }
    return asset->clip_count >= 0 || wri_fail(error, WR_E_ARGUMENT, "clip_count: below 0");
}

// --- what the artist said ---------------------------------------------------------------------

static bool check_maps(const wr_asset *asset, wr_error *error)
{
    for (int k = 0; k < WR_MAP_COUNT; k++) {
        for (int i = 0; asset->maps[k] && i < asset->rig.vertex_count; i++) {
            float value = asset->maps[k][i];
            if (!(value >= 0.0f) || !isfinite(value)) {
                return wri_fail(error, WR_E_ARGUMENT, "map %s: vertex %d has %g",
                                wr_map_name((wr_map_kind)k), i, (double)value);
            }
        }
    }
    return true;
}

static bool check_cuts(const wr_asset *asset, wr_error *error)
{
    for (int i = 0; i < asset->cut_count; i++) {
        const wr_cut *cut = &asset->cuts[i];
        bool is_plane = cut->seed_count == 0 && cut->group_count == 0 && cut->part_count == 0;
        if (cut->part_count < 0 || cut->part_count >= WR_FRAGMENTS_MAX) {
            return wri_fail(error, WR_E_ARGUMENT, "cuts[%d]: %d parts, expected 1 to %d", i,
                            cut->part_count, WR_FRAGMENTS_MAX - 1);
        }
        if (cut->seed_count == 1 || cut->group_count == 1 || cut->seed_count < 0 ||
            cut->group_count < 0 || cut->seed_count > WR_FRAGMENTS_MAX ||
            cut->group_count > WR_FRAGMENTS_MAX) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "cuts[%d]: %d seeds or %d groups, expected 2 to %d", i, cut->seed_count,
                            cut->group_count, WR_FRAGMENTS_MAX);
        }
        for (int k = 0; k < cut->seed_count; k++) {
            if (!wr_is_finite3(cut->seeds[k])) {
                return wri_fail(error, WR_E_ARGUMENT, "cuts[%d]: seed %d is not finite", i, k);
            }
        }
        if (is_plane && (!(fabsf(wr_dot(cut->normal, cut->normal) - 1.0f) < 1e-3f) ||
                         !wr_is_finite3(cut->at))) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "cuts[%d]: normal not of unit length, or not finite", i);
        }
        if (!(cut->strength >= 0.0) || !isfinite(cut->strength)) {
            return wri_fail(error, WR_E_ARGUMENT, "cuts[%d]: strength %g", i, cut->strength);
        }
    }
    return asset->cut_count >= 0 || wri_fail(error, WR_E_ARGUMENT, "cut_count: below 0");
}

static bool is_number(float value)
{
    return value >= 0.0f && isfinite(value);
}

static bool check_bonds(const wr_fracture *f, wr_error *error)
{
    for (int i = 0; i < f->bond_count; i++) {
        const wr_bond *bond = &f->bonds[i];
        if (bond->a < 0 || bond->a >= bond->b || bond->b >= f->fragment_count) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "bonds[%d]: fragments %d and %d, expected two of %d in order", i,
                            bond->a, bond->b, f->fragment_count);
        }
        if (!wr_is_finite3(bond->at) || !wr_is_finite3(bond->normal) || !is_number(bond->area) ||
            !is_number(bond->radius) || !is_number(bond->strength)) {
            return wri_fail(error, WR_E_ARGUMENT, "bonds[%d]: a number that is not finite", i);
        }
    }
    return f->bond_count >= 0 || wri_fail(error, WR_E_ARGUMENT, "bond_count: below 0");
}

static bool check_fragments(const wr_asset *asset, wr_error *error)
{
    const wr_fracture *f = &asset->fracture;
    const wr_rig *rig = &asset->rig;
    for (int i = 0; i < rig->vertex_count; i++) {
        if (f->fragments[i] < (i > 0 ? f->fragments[i - 1] : 0) ||
            f->fragments[i] >= f->fragment_count || f->origins[i] < 0 ||
            f->origins[i] >= rig->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT, "vertex %d: fragment %d of %d, origin %d", i,
                            f->fragments[i], f->fragment_count, f->origins[i]);
        }
    }
    for (int i = 0; i < 4 * rig->element_count; i++) {
        if (f->fragments[rig->elements[i]] != wr_fragment_of(f, rig, i / 4) ||
            !(f->shares[i] >= -1e-6f && f->shares[i] <= 1.0f)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "elements[%d]: in two fragments, or a share of %g", i / 4,
                            (double)f->shares[i]);
        }
    }
    for (int i = 0, last = 0; i < rig->ride_count; i++) {
        int fragment = wr_fragment_of(f, rig, rig->rides[i].element);
        if (fragment < last) {
            return wri_fail(error, WR_E_ARGUMENT, "rides[%d]: not in the order of fragments", i);
        }
        last = fragment;
    }
    return true;
}

static bool check_fracture(const wr_asset *asset, wr_error *error)
{
    const wr_fracture *f = &asset->fracture;
    if (f->fragment_count == 0) {
        return true;
    }
    if (f->fragment_count < 2 || f->fragment_count > WR_FRAGMENTS_MAX ||
        asset->rig.dimension != 3) {
        return wri_fail(error, WR_E_ARGUMENT, "%d fragments, expected 2 to %d of a solid",
                        f->fragment_count, WR_FRAGMENTS_MAX);
    }
    for (int i = 0; i < f->corner_count; i++) {
        if (f->corners[i].element < 0 || f->corners[i].element >= asset->rig.element_count) {
            return wri_fail(error, WR_E_ARGUMENT, "corners[%d]: element %d of %d", i,
                            f->corners[i].element, asset->rig.element_count);
        }
    }
    return check_fragments(asset, error) && check_bonds(f, error);
}

static bool check_pin(const wr_rig *rig, const wr_pin *pin, int index, wr_error *error)
{
    const int *c = pin->corners, n = rig->vertex_count;
    float sum = pin->weights[0] + pin->weights[1] + pin->weights[2];
    bool exist = pin->particle >= 0 && pin->particle < n;
    for (int k = 0; k < 3; k++) {
        exist = exist && c[k] >= 0 && c[k] < n && c[k] != pin->particle && c[k] != c[(k + 1) % 3];
    }
    if (!exist) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "pins[%d]: particle %d on %d %d %d, expected four different vertices of %d",
                        index, pin->particle, c[0], c[1], c[2], n);
    }
    return fabsf(sum - 1.0f) <= 1e-4f ||
           wri_fail(error, WR_E_ARGUMENT, "pins[%d]: the weights add up to %g, not 1", index,
                    (double)sum);
}

static bool check_pins(const wr_asset *asset, wr_error *error)
{
    if (asset->pin_count < 0 || (asset->pin_count > 0 && asset->rig.dimension != 2)) {
        return wri_fail(error, WR_E_ARGUMENT, "pins: %d in dimension %d, expected them in 2 only",
                        asset->pin_count, asset->rig.dimension);
    }
    for (int i = 0; i < asset->pin_count; i++) {
        if (!check_pin(&asset->rig, &asset->pins[i], i, error)) {
            return false;
        }
    }
    return true;
}

static bool check_material(const wr_asset *asset, wr_error *error)
{
    if (!asset->material) {
        return true;
    }
    wri_arena arena = wri_arena_create(NULL);
    const wri_json *json =
        wri_json_parse(&arena, asset->material, strlen(asset->material), "material", true, error);
    wri_arena_destroy(&arena);
    return json != NULL;
}

bool wr_asset_check(const wr_asset *asset, wr_error *error)
{
    if (!WRI_REQUIRE(error, asset) || !WRI_REQUIRE(error, asset->model)) {
        return false;
    }
    const wr_rig *rig = &asset->rig;
    if (!asset->name) {
        return wri_fail(error, WR_E_ARGUMENT, "name: there is none");
    }
    return check_model(asset->model, error) && wri_rig_check(rig, error) &&
           check_weights(rig, error) && check_elements(rig, error) &&
           check_rides(rig, asset->model->meshes, error) && check_names(rig, error) &&
           check_clips(asset, error) && check_maps(asset, error) && check_cuts(asset, error) &&
           check_fracture(asset, error) && check_pins(asset, error) && check_material(asset, error);
}
