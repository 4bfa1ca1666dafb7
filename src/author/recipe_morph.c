// recipe_morph.c: what a recipe says about morph targets and the poses they belong to. Names of
// targets and clips are looked up when it is built.
#include "recipe.h"

#include "wrought/morph.h"

static int find_scalar(const wr_recipe *r, const char *name)
{
    for (int i = 0; i < r->scalar_count; i++) {
        if (strcmp(r->scalars[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_scales(wri_reader *reader, wr_recipe *r)
{
    const wri_key key = {.name = "scalars", .kind = WRI_KEY_NUMBER, .min = 1e-6, .max = 1e6};
    const wri_json *object = r->morph.scalars;
    size_t count = object ? (size_t)object->count : 0;
    if (object && !wri_expect(reader, object, WRI_JSON_OBJECT)) {
        return false;
    }
    if (count > WR_MORPH_SCALARS_MAX) {
        return wri_fail_at(
            reader, object,
            "\"scalars\" has %zu, expected at most %d: a \"clip\" tells more targets apart", count,
            WR_MORPH_SCALARS_MAX);
    }
    r->scalars = wri_arena_alloc(&r->arena, count, sizeof *r->scalars);
    r->scalar_scales = wri_arena_alloc(&r->arena, count, sizeof *r->scalar_scales);
    if (!r->scalars || !r->scalar_scales) {
        return wri_fail_memory(reader->error, count * sizeof *r->scalars);
    }
    for (int i = 0; object && i < object->count; i++) {
        double scale = 0.0;
        if (!wri_read_key(reader, &key, &object->items[i], &scale)) {
            return false;
        }
        r->scalars[i] = object->items[i].key;
        r->scalar_scales[i] = (float)scale;
        r->scalar_count++;
    }
    return true;
}

static bool read_scalars(wri_reader *reader, const wr_recipe *r, wri_recipe_target *target)
{
    const wri_key key = {.name = "scalars", .kind = WRI_KEY_NUMBER, .min = -1e9, .max = 1e9};
    const wri_json *object = target->raw.scalars;
    size_t count = (size_t)r->scalar_count;
    float *scalars = wri_arena_alloc(reader->arena, count, sizeof *scalars);
    if (!scalars) {
        return wri_fail_memory(reader->error, count * sizeof *scalars);
    }
    target->scalars = scalars;
    if (object && !wri_expect(reader, object, WRI_JSON_OBJECT)) {
        return false;
    }
    for (int i = 0; object && i < object->count; i++) {
        const wri_json *member = &object->items[i];
        int scalar = find_scalar(r, member->key);
        double value = 0.0;
        if (scalar < 0) {
            wri_json at = wri_at_key(member);
            return r->scalar_count > 0 ? wri_fail_word(reader, &at, "scalar", member->key,
                                                       r->scalars, r->scalar_count)
                                       : wri_fail_at(reader, &at,
                                                     "\"morph\" has no \"scalars\" to which \"%s\" "
                                                     "could belong",
                                                     member->key);
        }
        if (!wri_read_key(reader, &key, member, &value)) {
            return false;
        }
        scalars[scalar] = (float)value;
    }
    return true;
}

static bool read_target(wri_reader *reader, const wr_recipe *r, const wri_json *json,
                        wri_recipe_target *target)
{
    *target = (wri_recipe_target){.json = json, .raw = {.time = -1.0, .poisson = -1.0}};
    const wri_json *name = wri_json_find(json, "target");
    reader->where = name && name->type == WRI_JSON_STRING
                        ? wri_recipe_quoted(reader, "target", name->string)
                        : "target";
    return wri_read_object(reader, &wri_target_table, json, &target->raw) &&
           wri_refuse_key(reader, json, "time", !target->raw.clip, "without \"clip\"") &&
           read_scalars(reader, r, target) &&
           (!target->raw.paint || wri_recipe_read_paint(reader, target->raw.paint, &target->paint));
}

// The model itself comes first, wherever it is said.
static bool read_targets(wri_reader *reader, wr_recipe *r)
{
    const wri_json *list = r->morph.targets;
    if (list && !wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    int count = list ? list->count : 0, rest = -1;
    if (count >= WR_MORPH_TARGETS_MAX) {
        return wri_fail_at(reader, list, "\"targets\" has %d, expected at most %d", count,
                           WR_MORPH_TARGETS_MAX - 1);
    }
    r->targets = wri_arena_alloc(&r->arena, (size_t)count + 1, sizeof *r->targets);
    if (!r->targets) {
        return wri_fail_memory(reader->error, (size_t)count * sizeof *r->targets);
    }
    r->targets[0] = (wri_recipe_target){
        .json = r->raw.morph, .raw = {.target = "rest", .stiffness = 1.0, .poisson = -1.0}};
    r->target_count = 1;
    for (int i = 0; i < count; i++) {
        wri_recipe_target target;
        if (!read_target(reader, r, &list->items[i], &target)) {
            return false;
        }
        bool is_rest = strcmp(target.raw.target, "rest") == 0;
        if (is_rest && rest >= 0) {
            return wri_fail_at(reader, &list->items[i], "is there twice");
        }
        rest = is_rest ? i : rest;
        r->targets[is_rest ? 0 : r->target_count++] = target;
    }
    reader->where = "morph";
    return rest >= 0 || read_scalars(reader, r, &r->targets[0]);
}

bool wri_recipe_read_morph(wri_reader *reader, wr_recipe *r)
{
    const wri_json *json = r->raw.morph;
    if (!json) {
        return true;
    }
    reader->where = "morph";
    if (wri_recipe_is_drawing(r)) {
        return wri_fail_at(reader, json, "\"morph\" means nothing for a picture");
    }
    return wri_read_object(reader, &wri_morph_table, json, &r->morph) && read_scales(reader, r) &&
           (!r->morph.paint || wri_recipe_read_paint(reader, r->morph.paint, &r->morph_paint)) &&
           read_targets(reader, r);
}
