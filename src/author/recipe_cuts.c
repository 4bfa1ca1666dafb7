// recipe_cuts.c: what a recipe says about cuts.
#include "cut.h"
#include "recipe.h"

static const wri_key seed_key = {"seeds", WRI_KEY_VECTOR, 0, -1e6, 1e6, "m"};

static bool read_seeds(wri_reader *reader, wr_recipe *r, wri_recipe_cut *cut)
{
    const wri_json *list = cut->raw.seeds;
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count < 2 || list->count > WR_FRAGMENTS_MAX) {
        return wri_fail_at(reader, list, "\"seeds\" has %d %s, expected 2 to %d", list->count,
                           wri_plural(list->count, "point", "points"), WR_FRAGMENTS_MAX);
    }
    cut->seeds = wri_arena_alloc(&r->arena, (size_t)list->count, sizeof *cut->seeds);
    if (!cut->seeds) {
        return wri_fail_memory(reader->error, (size_t)list->count * sizeof *cut->seeds);
    }
    for (int i = 0; i < list->count; i++) {
        if (!wri_read_key(reader, &seed_key, &list->items[i], &cut->seeds[i])) {
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (wr_distance(cut->seeds[i], cut->seeds[k]) == 0.0f) {
                return wri_fail_at(reader, &list->items[i], "\"seeds\" has this point twice");
            }
        }
    }
    return true;
}

// Names of handles are looked up when there are handles.
static bool check_groups(wri_reader *reader, const wri_json *list)
{
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count < 2 || list->count > WR_FRAGMENTS_MAX) {
        return wri_fail_at(reader, list, "\"groups\" has %d %s, expected 2 to %d", list->count,
                           wri_plural(list->count, "group", "groups"), WR_FRAGMENTS_MAX);
    }
    for (int i = 0; i < list->count; i++) {
        if (!wri_expect(reader, &list->items[i], WRI_JSON_ARRAY)) {
            return false;
        }
        for (int k = 0; k < list->items[i].count; k++) {
            if (!wri_expect(reader, &list->items[i].items[k], WRI_JSON_STRING)) {
                return false;
            }
        }
    }
    return true;
}

bool wri_recipe_check_parts(wri_reader *reader, const wri_json *list)
{
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count < 1 || list->count > WR_FRAGMENTS_MAX - 1) {
        return wri_fail_at(reader, list, "\"parts\" has %d %s, expected 1 to %d", list->count,
                           wri_plural(list->count, "name", "names"), WR_FRAGMENTS_MAX - 1);
    }
    for (int i = 0; i < list->count; i++) {
        if (!wri_expect(reader, &list->items[i], WRI_JSON_STRING)) {
            return false;
        }
    }
    return true;
}

static bool read_plane(wri_reader *reader, wri_recipe_cut *cut)
{
    return wri_read_object(reader, &wri_plane_table, cut->raw.plane, &cut->plane) &&
           (wr_length(cut->plane.normal) > 1e-12f ||
            wri_fail_at(reader, cut->raw.plane, "\"normal\" is zero, expected a direction"));
}

static bool read_cut(wri_reader *reader, wr_recipe *r, const wri_json *json, wri_recipe_cut *cut)
{
    const raw_cut *raw = &cut->raw;
    reader->where = "cut";
    *cut = (wri_recipe_cut){.json = json};
    if (!wri_read_object(reader, &wri_cut_table, json, &cut->raw)) {
        return false;
    }
    int said = (raw->plane != NULL) + (raw->seeds != NULL) + (raw->groups != NULL) +
               (raw->parts != NULL) + (raw->scatter > 0);
    if (said != 1) {
        return wri_fail_at(
            reader, json,
            "needs one of \"plane\", \"seeds\", \"scatter\", \"groups\" and \"parts\"");
    }
    return wri_refuse_key(reader, json, "seed", raw->scatter == 0, "without \"scatter\"") &&
           (!raw->plane || read_plane(reader, cut)) &&
           (!raw->seeds || read_seeds(reader, r, cut)) &&
           (!raw->groups || check_groups(reader, raw->groups)) &&
           (!raw->parts || wri_recipe_check_parts(reader, raw->parts));
}

bool wri_recipe_read_cuts(wri_reader *reader, wr_recipe *r)
{
    const wri_json *list = r->raw.cuts;
    reader->where = "recipe";
    if (!wri_refuse_key(reader, r->root, "inside", !list, "without \"cuts\"")) {
        return false;
    }
    if (!list) {
        return true;
    }
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count > WRI_CUTS_MAX) {
        return wri_fail_at(reader, list, "\"cuts\" has %d, expected at most %d", list->count,
                           WRI_CUTS_MAX);
    }
    if (list->count > 0 && wri_recipe_is_drawing(r)) {
        return wri_fail_at(reader, list, "a drawing cannot be cut");
    }
    r->cuts = wri_arena_alloc(&r->arena, (size_t)list->count, sizeof *r->cuts);
    if (!r->cuts) {
        return wri_fail_memory(reader->error, (size_t)list->count * sizeof *r->cuts);
    }
    for (; r->cut_count < list->count; r->cut_count++) {
        if (!read_cut(reader, r, &list->items[r->cut_count], &r->cuts[r->cut_count])) {
            return false;
        }
    }
    return true;
}
