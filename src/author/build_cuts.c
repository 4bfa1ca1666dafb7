// build_cuts.c: the cuts of a recipe, and the asset cut by them.
#include "build.h"

#include "../file/asset.h"

// --- points within the body -------------------------------------------------------------------

// splitmix64, as a number in [0, 1).
static double next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double volume_of(const wr_rig *rig, int element)
{
    const int *v = &rig->elements[4 * (size_t)element];
    wr_vec3 o = rig->rest[v[0]];
    wr_vec3 n = wr_cross(wr_sub(rig->rest[v[1]], o), wr_sub(rig->rest[v[2]], o));
    return fabs((double)wr_dot(n, wr_sub(rig->rest[v[3]], o)));
}

// A place within an element, evenly likely anywhere: sorted random numbers have that property.
static wr_vec3 place_in(const wr_rig *rig, int element, uint64_t *state)
{
    double s[3] = {next_random(state), next_random(state), next_random(state)};
    for (int i = 0; i < 3; i++) {
        int a = i % 2;
        double t = s[a];
        if (s[a] > s[a + 1]) {
            s[a] = s[a + 1];
            s[a + 1] = t;
        }
    }
    const double w[4] = {s[0], s[1] - s[0], s[2] - s[1], 1.0 - s[2]};
    wr_vec3 p = {0, 0, 0};
    for (size_t k = 0; k < 4; k++) {
        p = wr_add_scaled(p, (float)w[k], rig->rest[rig->elements[4 * (size_t)element + k]]);
    }
    return p;
}

// Points evenly over the volume: of some candidates each time the one farthest from the others, so
// that fragments are of like size.
static void scatter(const wr_rig *rig, uint64_t seed, wr_vec3 *seeds, int count)
{
    enum { CANDIDATES = 6 };
    uint64_t state = seed;
    double all = 0.0;
    for (int e = 0; e < rig->element_count; e++) {
        all += volume_of(rig, e);
    }
    for (int i = 0; i < count; i++) {
        float farthest = -1.0f;
        for (int k = 0; k < CANDIDATES; k++) {
            double left = next_random(&state) * all;
            int e = 0;
            while (e + 1 < rig->element_count && left > volume_of(rig, e)) {
                left -= volume_of(rig, e++);
            }
            wr_vec3 p = place_in(rig, e, &state);
            float near = INFINITY;
            for (int j = 0; j < i; j++) {
                near = fminf(near, wr_distance(seeds[j], p));
            }
            if (near > farthest) {
                farthest = near;
                seeds[i] = p;
            }
        }
    }
}

// --- cuts -------------------------------------------------------------------------------------

static bool find_groups(wri_builder *b, const wri_recipe_cut *source, wr_cut *cut, wr_error *why)
{
    const wr_rig *rig = &b->asset->rig;
    const wri_json *list = source->raw.groups;
    cut->group_count = list->count;
    cut->groups = wr_asset_alloc(b->asset, (size_t)rig->handle_count, sizeof *cut->groups);
    if (!cut->groups) {
        return wri_fail_memory(why, (size_t)rig->handle_count * sizeof *cut->groups);
    }
    for (int i = 0; i < rig->handle_count; i++) {
        cut->groups[i] = -1;
    }
    for (int g = 0; g < list->count; g++) {
        for (int k = 0; k < list->items[g].count; k++) {
            const char *name = list->items[g].items[k].string;
            int handle = wr_rig_find_handle(rig, name, why);
            if (handle < 0) {
                return false;
            }
            if (cut->groups[handle] >= 0) {
                return wri_fail(why, WR_E_FORMAT, "handle \"%s\" is in two groups", name);
            }
            cut->groups[handle] = g;
        }
    }
    return true;
}

static bool copy_parts(wri_builder *b, const wri_json *list, wr_cut *cut, wr_error *why)
{
    cut->parts = wr_asset_alloc(b->asset, (size_t)list->count, sizeof *cut->parts);
    bool ok = cut->parts != NULL;
    for (; ok && cut->part_count < list->count; cut->part_count++) {
        const char *name = list->items[cut->part_count].string;
        cut->parts[cut->part_count] = wri_asset_text(b->asset, name);
        ok = cut->parts[cut->part_count] != NULL;
    }
    return ok || wri_fail_memory(why, (size_t)list->count * sizeof *cut->parts);
}

static bool build_cut(wri_builder *b, const wri_recipe_cut *source, wr_cut *cut,
                      wri_cut_field *field, wr_error *why)
{
    const raw_cut *raw = &source->raw;
    *cut = (wr_cut){.strength = raw->strength};
    if (raw->plane) {
        cut->normal = wr_normalize(source->plane.normal);
        cut->at = source->plane.at;
        return true;
    }
    if (raw->groups) {
        return find_groups(b, source, cut, why);
    }
    if (raw->parts) {
        return copy_parts(b, raw->parts, cut, why) && wri_build_cut_parts(b, cut, field, why);
    }
    cut->seed_count = raw->seeds ? raw->seeds->count : raw->scatter;
    cut->seeds = wr_asset_alloc(b->asset, (size_t)cut->seed_count, sizeof *cut->seeds);
    if (!cut->seeds) {
        return wri_fail_memory(why, (size_t)cut->seed_count * sizeof *cut->seeds);
    }
    if (raw->seeds) {
        memcpy(cut->seeds, source->seeds, (size_t)cut->seed_count * sizeof *cut->seeds);
    } else {
        scatter(&b->asset->rig, (uint64_t)raw->seed, cut->seeds, cut->seed_count);
    }
    return true;
}

// The look of cut faces, -1: none is named.
static bool find_inside(wri_builder *b, int *inside, wr_error *why)
{
    const wr_model *model = b->asset->model;
    const char *name = b->recipe->raw.inside, *names[256];
    int count = model->look_count < WRI_COUNT(names) ? model->look_count : WRI_COUNT(names);
    *inside = -1;
    for (int i = 0; name && i < count; i++) {
        names[i] = model->looks[i].name;
        *inside = strcmp(name, names[i]) == 0 && *inside < 0 ? i : *inside;
    }
    if (!name || *inside >= 0) {
        return true;
    }
    char text[120];
    return wri_fail(why, WR_E_FORMAT, "the model has no look \"%.80s\"%s", name,
                    wri_suggest_word(text, sizeof text, name, names, count));
}

// A plane beside the body, a group that nothing follows.
static bool warn_of_idle(wri_builder *b, uint64_t parting)
{
    bool ok = true;
    if (b->asset->fracture.fragment_count == 0) {
        return wri_build_warn(b, "\"cuts\": they do not pass through the body, which stays whole");
    }
    for (int i = 0; ok && i < b->asset->cut_count; i++) {
        ok = parting >> i & 1 ||
             wri_build_warn(b, "\"cuts\": number %d of them does not pass through the body", i + 1);
    }
    return ok;
}

bool wri_build_cuts(wri_builder *b)
{
    const wr_recipe *r = b->recipe;
    wr_asset *asset = b->asset;
    wr_error why = {0};
    int inside;
    uint64_t parting;
    if (r->cut_count == 0) {
        return true;
    }
    wri_build_progress(b, "cuts", 0.97);
    if (!find_inside(b, &inside, &why)) {
        return wri_build_fail(b, wri_json_find(r->root, "inside"), "inside", &why);
    }
    asset->cuts = wr_asset_alloc(asset, (size_t)r->cut_count, sizeof *asset->cuts);
    wri_cut_field *fields = wri_arena_alloc(&b->arena, (size_t)r->cut_count, sizeof *fields);
    if (!asset->cuts || !fields) {
        return wri_fail_memory(b->reader.error, (size_t)r->cut_count * sizeof *asset->cuts);
    }
    for (; asset->cut_count < r->cut_count; asset->cut_count++) {
        const wri_recipe_cut *source = &r->cuts[asset->cut_count];
        int number = asset->cut_count;
        if (!build_cut(b, source, &asset->cuts[number], &fields[number], &why)) {
            return wri_build_fail(b, source->json, "cut", &why);
        }
    }
    const wri_cut_desc desc = {b->lattice, fields, inside, &b->desc.tasks, &parting};
    if (!wri_asset_cut(asset, &desc, &why)) {
        return wri_build_fail(b, r->raw.cuts, "cuts", &why);
    }
    return warn_of_idle(b, parting);
}
