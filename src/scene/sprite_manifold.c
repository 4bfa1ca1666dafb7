// sprite_manifold.c: which poses of a sprite may blend, and what it does in them.
#include "sprite.h"

enum { MOST_NAMES = 64 };

typedef struct manifold {
    const wr_rig *rig;
    wri_array simplices; // wr_simplex
    wri_array places;    // const wri_json *: where each is said
} manifold;

static bool find_example(wri_reader *reader, const wr_rig *rig, const wri_json *value, int *example)
{
    const char *names[MOST_NAMES];
    int count = 0;
    if (!wri_expect(reader, value, WRI_JSON_STRING)) {
        return false;
    }
    for (int i = 0; i < rig->example_count; i++) {
        if (strcmp(rig->examples[i].name, value->string) == 0) {
            *example = i;
            return true;
        }
        if (count < MOST_NAMES) {
            names[count++] = rig->examples[i].name;
        }
    }
    return wri_fail_word(reader, value, "pose", value->string, names, count);
}

static bool has_corner(const wr_simplex *simplex, int example)
{
    bool has = false;
    for (int k = 0; k < simplex->corner_count; k++) {
        has = has || simplex->corners[k] == example;
    }
    return has;
}

static bool is_within(const wr_simplex *small, const wr_simplex *large)
{
    bool within = true;
    for (int k = 0; k < small->corner_count; k++) {
        within = within && has_corner(large, small->corners[k]);
    }
    return within;
}

static const char *const kinds[] = {"", "pose", "edge", "triangle"};

static bool read_simplex(wri_reader *reader, manifold *m, const wri_json *value, int corners)
{
    const wri_json *names = value->type == WRI_JSON_ARRAY ? value->items : value;
    if (corners > 1 && (value->type != WRI_JSON_ARRAY || value->count != corners)) {
        return wri_fail_at(reader, value, "expected a list of %d poses", corners);
    }
    wr_simplex simplex = {.corner_count = corners};
    for (int k = 0; k < corners; k++) {
        const wri_json *name = corners > 1 ? &names[k] : value;
        if (!find_example(reader, m->rig, name, &simplex.corners[k])) {
            return false;
        }
        for (int n = 0; n < k; n++) {
            if (simplex.corners[n] == simplex.corners[k]) {
                return wri_fail_at(reader, name, "the pose \"%s\" twice in one %s", name->string,
                                   kinds[corners]);
            }
        }
    }
    if (m->simplices.count >= WR_SPRITE_SIMPLICES_MAX) {
        return wri_fail_at(reader, value, "is one too many, expected at most %d",
                           WR_SPRITE_SIMPLICES_MAX);
    }
    wr_simplex *added = wri_array_add(&m->simplices, 1);
    const wri_json **place = wri_array_add(&m->places, 1);
    if (!added || !place) {
        return wri_fail_memory(reader->error, sizeof simplex);
    }
    *added = simplex;
    *place = value;
    return true;
}

static bool read_simplices(wri_reader *reader, manifold *m, const wri_json *list, int corners)
{
    if (!list) {
        return true;
    }
    bool ok = wri_expect(reader, list, WRI_JSON_ARRAY);
    for (int i = 0; ok && i < list->count; i++) {
        ok = read_simplex(reader, m, &list->items[i], corners);
    }
    return ok;
}

static bool check_apart(wri_reader *reader, const manifold *m)
{
    for (int i = 0; i < m->simplices.count; i++) {
        const wr_simplex *a = &WRI_ITEM(m->simplices, wr_simplex, i);
        for (int k = 0; k < m->simplices.count; k++) {
            const wr_simplex *b = &WRI_ITEM(m->simplices, wr_simplex, k);
            bool same = a->corner_count == b->corner_count;
            if (i == k || !is_within(a, b) || (same && k > i)) {
                continue;
            }
            const wri_json *other = WRI_ITEM(m->places, const wri_json *, k);
            return wri_fail_at(reader, WRI_ITEM(m->places, const wri_json *, i),
                               same ? "the same %s as in line %d"
                                    : "this %s is part of what line %d says, leave it out",
                               kinds[a->corner_count], other->line);
        }
    }
    return true;
}

// A pose that must be in the manifold. name NULL: not said.
static bool find_pose(wri_reader *reader, const manifold *m, const wri_json *json, const char *key,
                      int *example)
{
    const wri_json *value = wri_json_find(json, key);
    if (!value) {
        return true;
    }
    if (!find_example(reader, m->rig, value, example)) {
        return false;
    }
    bool is_there = m->simplices.count == 0;
    for (int i = 0; i < m->simplices.count; i++) {
        is_there = is_there || has_corner(&WRI_ITEM(m->simplices, wr_simplex, i), *example);
    }
    return is_there || wri_fail_at(reader, value,
                                   "\"%s\" is \"%s\", which is in no edge, triangle or pose of the "
                                   "manifold",
                                   key, value->string);
}

static bool read_drag(wri_reader *reader, const wr_rig *rig, const wri_json *json,
                      wr_sprite_setup *setup)
{
    const wri_key key = {.name = "drag", .kind = WRI_KEY_NUMBER, .min = 0, .max = 1e6};
    if (!json) {
        return true;
    }
    float *drag = wri_arena_alloc(reader->arena, (size_t)rig->example_count, sizeof *drag);
    if (!drag) {
        return wri_fail_memory(reader->error, (size_t)rig->example_count * sizeof *drag);
    }
    for (int i = 0; i < rig->example_count; i++) {
        drag[i] = 1.0f;
    }
    bool ok = wri_expect(reader, json, WRI_JSON_OBJECT);
    for (int i = 0; ok && i < json->count; i++) {
        wri_json name = wri_at_key(&json->items[i]);
        name.type = WRI_JSON_STRING;
        name.string = json->items[i].key;
        int example = 0;
        double factor = 1.0;
        ok = find_example(reader, rig, &name, &example) &&
             wri_read_key(reader, &key, &json->items[i], &factor);
        drag[example] = (float)factor;
    }
    setup->drag_of_example = drag;
    return ok;
}

static bool keep_simplices(wri_reader *reader, const manifold *m, wr_sprite_setup *setup)
{
    size_t count = (size_t)m->simplices.count;
    wr_simplex *simplices = wri_arena_alloc(reader->arena, count, sizeof *simplices);
    if (!simplices) {
        return wri_fail_memory(reader->error, count * sizeof *simplices);
    }
    if (count) {
        memcpy(simplices, m->simplices.items, count * sizeof *simplices);
    }
    setup->simplices = simplices;
    setup->simplex_count = m->simplices.count;
    return true;
}

static bool read_poses(wri_reader *reader, manifold *m, const wri_json *json,
                       const raw_manifold *raw, wr_sprite_setup *setup)
{
    if (!read_simplices(reader, m, raw->poses, 1) || !read_simplices(reader, m, raw->edges, 2) ||
        !read_simplices(reader, m, raw->triangles, 3) || !check_apart(reader, m)) {
        return false;
    }
    if (m->simplices.count == 0 && (raw->poses || raw->edges || raw->triangles)) {
        return wri_fail_at(reader, json, "the manifold is empty, expected at least one pose");
    }
    return find_pose(reader, m, json, "start", &setup->start_example) &&
           find_pose(reader, m, json, "give_to", &setup->give_example) &&
           find_pose(reader, m, json, "stretch_to", &setup->stretch_example) &&
           read_drag(reader, m->rig, raw->drag, setup) && keep_simplices(reader, m, setup);
}

bool wri_read_manifold(wri_reader *reader, const wri_json *json, const wr_rig *rig,
                       wr_sprite_setup *setup)
{
    raw_manifold raw = {0};
    manifold m = {.rig = rig,
                  .simplices = wri_array_create(&reader->arena->allocator, sizeof(wr_simplex)),
                  .places = wri_array_create(&reader->arena->allocator, sizeof(wri_json *))};
    bool ok = wri_read_object(reader, &wri_manifold_table, json, &raw) &&
              read_poses(reader, &m, json, &raw, setup);
    wri_array_destroy(&m.simplices);
    wri_array_destroy(&m.places);
    return ok;
}
