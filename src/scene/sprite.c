// sprite.c: what scenes say about sprites alone: the pose manifold, and what to be warned of.
#include "../world/sprite.h"
#include "scene.h"

enum { MOST_NAMES = 64 };

// --- the pose manifold --------------------------------------------------------------------------

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

static bool read_manifold(wri_reader *reader, manifold *m, const wri_json *json,
                          wr_sprite_setup *setup)
{
    raw_manifold raw = {0};
    if (!wri_read_object(reader, &wri_manifold_table, json, &raw) ||
        !read_simplices(reader, m, raw.poses, 1) || !read_simplices(reader, m, raw.edges, 2) ||
        !read_simplices(reader, m, raw.triangles, 3) || !check_apart(reader, m)) {
        return false;
    }
    if (m->simplices.count == 0 && (raw.poses || raw.edges || raw.triangles)) {
        return wri_fail_at(reader, json, "the manifold is empty, expected at least one pose");
    }
    return find_pose(reader, m, json, "start", &setup->start_example) &&
           find_pose(reader, m, json, "give_to", &setup->give_example) &&
           find_pose(reader, m, json, "stretch_to", &setup->stretch_example) &&
           read_drag(reader, m->rig, raw.drag, setup) && keep_simplices(reader, m, setup);
}

// --- nails --------------------------------------------------------------------------------------

bool wri_find_handle(wri_reader *reader, const wr_rig *rig, const wri_json *value, int *vertex)
{
    const char *names[MOST_NAMES];
    int count = 0;
    for (int i = 0; i < rig->handle_count; i++) {
        if (strcmp(rig->handles[i].name, value->string) == 0) {
            *vertex = rig->handles[i].vertex;
            return *vertex >= 0 ||
                   wri_fail_at(reader, value,
                               "the handle \"%s\" has no vertex of its own to nail, expected one "
                               "that the recipe places as a point",
                               value->string);
        }
        if (count < MOST_NAMES) {
            names[count++] = rig->handles[i].name;
        }
    }
    return wri_fail_word(reader, value, "handle", value->string, names, count);
}

static bool read_nail(wri_reader *reader, const wr_rig *rig, const wri_json *value,
                      wr_sprite_nail *nail)
{
    raw_nail raw = {.until = -1.0};
    const wri_json *handle = value;
    if (value->type == WRI_JSON_OBJECT) {
        if (!wri_read_object(reader, &wri_nail_table, value, &raw)) {
            return false;
        }
        handle = wri_json_find(value, "handle");
    } else if (value->type != WRI_JSON_STRING) {
        return wri_fail_at(reader, value, "expected the name of a handle, or an object with it");
    }
    nail->until = raw.until < 0.0 ? (double)INFINITY : raw.until;
    return wri_find_handle(reader, rig, handle, &nail->particle);
}

static bool read_nails(wri_reader *reader, const wr_rig *rig, const wri_json *list,
                       wr_sprite_setup *setup)
{
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count > WR_SPRITE_NAILS_MAX) {
        return wri_fail_at(reader, list, "%d nails, expected at most %d", list->count,
                           WR_SPRITE_NAILS_MAX);
    }
    wr_sprite_nail *nails = wri_arena_alloc(reader->arena, (size_t)list->count, sizeof *nails);
    if (!nails) {
        return wri_fail_memory(reader->error, (size_t)list->count * sizeof *nails);
    }
    for (int i = 0; i < list->count; i++) {
        if (!read_nail(reader, rig, &list->items[i], &nails[i])) {
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (nails[k].particle == nails[i].particle) {
                return wri_fail_at(reader, &list->items[i], "the same handle as in line %d",
                                   list->items[k].line);
            }
        }
    }
    setup->nails = nails;
    setup->nail_count = list->count;
    return true;
}

bool wri_read_sprite(wri_reader *reader, const wri_json *json, wr_scene_body *body)
{
    const wri_json *said = wri_json_find(json, "manifold");
    const wri_json *controller = wri_json_find(json, "controller");
    const wri_json *nails = wri_json_find(json, "nails");
    const wri_json *any = said ? said : nails ? nails : controller;
    if (!any) {
        return true;
    }
    if (!body->material || !body->material->is_flat) {
        wri_json at = wri_at_key(any);
        return wri_fail_at(reader, &at, "\"%s\" has no effect on a body that is no sprite", at.key);
    }
    wr_sprite_setup *setup = wri_arena_alloc(reader->arena, 1, sizeof *setup);
    if (!setup) {
        return wri_fail_memory(reader->error, sizeof *setup);
    }
    *setup = (wr_sprite_setup){.start_example = -1, .give_example = -1, .stretch_example = -1};
    manifold m = {.rig = &body->asset->rig,
                  .simplices = wri_array_create(&reader->arena->allocator, sizeof(wr_simplex)),
                  .places = wri_array_create(&reader->arena->allocator, sizeof(wri_json *))};
    bool ok = !said ||
              (wri_expect(reader, said, WRI_JSON_OBJECT) && read_manifold(reader, &m, said, setup));
    ok = ok && (!nails || read_nails(reader, m.rig, nails, setup));
    ok = ok &&
         (!controller || wri_read_controller(reader, controller, body, setup, &setup->controller));
    wri_array_destroy(&m.simplices);
    wri_array_destroy(&m.places);
    body->sprite = setup;
    return ok;
}

// --- bodies in the plane ------------------------------------------------------------------------

static bool is_about_z(wr_quat q)
{
    return fabsf(q.x) < 1e-5f && fabsf(q.y) < 1e-5f;
}

bool wri_check_flat(wri_reader *reader, const wri_json *json, const raw_body *raw,
                    const wr_scene_body *body)
{
    static const char *const idle[] = {"shape",          "restitution",     "rolling",
                                       "linear_damping", "angular_damping", "sleep"};
    const char *name = body->material->name;
    for (int i = 0; i < WRI_COUNT(idle); i++) {
        const wri_json *value = wri_json_find(json, idle[i]);
        if (value) {
            wri_json at = wri_at_key(value);
            return wri_fail_at(reader, &at, "\"%s\" has no effect on a body of \"%s\"", idle[i],
                               name);
        }
    }
    if (!body->asset || body->asset->rig.dimension != 2) {
        const wri_json *asset = wri_json_find(json, "asset");
        return wri_fail_at(reader, asset ? asset : json,
                           "a body of \"%s\" expects an \"asset\" with a flat rig: the recipe of a "
                           "drawing",
                           name);
    }
    raw_copies rows[4];
    int row_count;
    bool turns = !is_about_z(raw->turn);
    if (!wri_read_copies(reader, raw->copies, rows, &row_count)) {
        return false;
    }
    for (int i = 0; i < row_count; i++) {
        turns = turns || !is_about_z(rows[i].turn);
    }
    if (turns) {
        const wri_json *turn = wri_json_find(json, "turn");
        return wri_fail_at(reader, turn ? turn : raw->copies,
                           "a body of \"%s\" lives in the plane, expected a turn about z", name);
    }
    if (raw->velocity.z != 0.0f) {
        return wri_fail_at(reader, wri_json_find(json, "velocity"),
                           "a body of \"%s\" lives in the plane, expected no velocity along z",
                           name);
    }
    return (raw->spin.x == 0.0f && raw->spin.y == 0.0f) ||
           wri_fail_at(reader, wri_json_find(json, "spin"),
                       "a body of \"%s\" lives in the plane, expected spin about z alone", name);
}

void wri_find_flat_mass(wr_scene_body *body)
{
    double area = wri_sprite_area(&body->asset->rig, body->scale);
    body->rigid.mass.mass =
        body->mass > 0.0 ? body->mass : area * wri_sprite_density(body->density);
}

// --- warnings -----------------------------------------------------------------------------------

static bool leaves_plane(const wr_scene_body *body)
{
    bool leaves = false;
    for (int i = 1; i < body->path_count; i++) {
        wr_pose a = body->path[0].pose, b = body->path[i].pose;
        wr_quat turn = wr_quat_multiply(b.rotation, wr_quat_conjugate(a.rotation));
        leaves = leaves || fabsf(b.position.z - a.position.z) > 1e-6f || !is_about_z(turn);
    }
    return leaves;
}

// What sprites do not feel as it looks, or NULL.
static const char *odd_level(const wr_scene_body *body)
{
    if (body->material && body->material->is_flat) {
        return NULL;
    }
    if (body->rigid.motion == WR_MOTION_MOVING) {
        return "moves freely: the sprites and it do not feel each other";
    }
    if (body->rigid.shape.kind == WR_SHAPE_MESH) {
        return "is a mesh, which sprites do not feel; expected the shape \"hull\" or \"hulls\"";
    }
    return leaves_plane(body) ? "leaves the plane z = 0 on its path: the sprites feel it as if it "
                                "went on in it"
                              : NULL;
}

bool wri_warn_of_sprites(const wr_scene *scene, wri_arena *arena, wri_array *warnings)
{
    bool has_sprites = false;
    for (int i = 0; i < scene->body_count; i++) {
        const wr_material *material = scene->bodies[i].material;
        has_sprites = has_sprites || (material && material->is_flat);
    }
    bool ok = true;
    for (int i = 0; ok && has_sprites && i < scene->body_count; i++) {
        const wr_scene_body *body = &scene->bodies[i];
        bool first = i == 0 || scene->bodies[i - 1].entry != body->entry; // copies are told once
        const char *why = first ? odd_level(body) : NULL;
        if (why) {
            const char **warning = wri_array_add(warnings, 1);
            const char *text = wri_arena_printf(arena, "body \"%s\" %s", body->name, why);
            ok = warning && text;
            if (ok) {
                *warning = text;
            }
        }
    }
    return ok;
}
