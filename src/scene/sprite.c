// sprite.c: what scenes say about sprites alone: manifold, nails, controller; what makes no sense
// for them, and what to be warned of.
#include "sprite.h"

#include "../world/sprite.h"

enum { MOST_NAMES = 64 };

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

// --- the setup ----------------------------------------------------------------------------------

static bool read_setup(wri_reader *reader, const wri_json *own, wr_scene_body *body)
{
    wr_sprite_setup *setup = wri_arena_alloc(reader->arena, 1, sizeof *setup);
    if (!setup) {
        return wri_fail_memory(reader->error, sizeof *setup);
    }
    *setup = (wr_sprite_setup){.start_example = -1, .give_example = -1, .stretch_example = -1};
    body->setup = setup;
    raw_sprite raw = {0};
    const wr_rig *rig = &body->asset->rig;
    return wri_read_object(reader, &wri_sprite_table, own, &raw) &&
           (!raw.manifold || wri_read_manifold(reader, raw.manifold, rig, setup)) &&
           (!raw.nails || read_nails(reader, rig, raw.nails, setup)) &&
           (!raw.controller ||
            wri_read_controller(reader, raw.controller, body, setup, &setup->controller));
}

// --- what is played -----------------------------------------------------------------------------

static const wr_controller_desc *controller_of(const wr_scene_body *body)
{
    const wr_sprite_setup *setup = body->setup;
    return setup ? setup->controller : NULL;
}

static const char *const *find_buttons(const wr_scene_body *body, int *count)
{
    const wr_controller_desc *desc = controller_of(body);
    *count = desc ? desc->button_count : 0;
    return desc ? desc->buttons : NULL;
}

// Copies of a body share what their entry says, but each is played by itself.
static bool play(wri_reader *reader, const wr_buttons_down *played, int count, wr_scene_body *body)
{
    wr_sprite_setup *setup = wri_arena_alloc(reader->arena, 1, sizeof *setup);
    if (!setup) {
        return wri_fail_memory(reader->error, sizeof *setup);
    }
    *setup = *(const wr_sprite_setup *)body->setup;
    setup->played = played;
    setup->played_count = count;
    body->setup = setup;
    return true;
}

// Somebody plays it: that is where one looks. A machine that is nailed down goes nowhere.
static bool is_hero(const wr_scene_body *body)
{
    const wr_sprite_setup *setup = body->setup;
    bool is_nailed = false;
    for (int i = 0; setup && i < setup->nail_count; i++) {
        is_nailed = is_nailed || isinf(setup->nails[i].until);
    }
    return controller_of(body) && !is_nailed;
}

// --- bodies in the plane ------------------------------------------------------------------------

static bool is_about_z(wr_quat q)
{
    return fabsf(q.x) < 1e-5f && fabsf(q.y) < 1e-5f;
}

// Checks that it lies in the plane and says nothing in vain.
static bool check_body(wri_reader *reader, const wri_json *json, const raw_body *raw,
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
    return (raw->angular_velocity.x == 0.0f && raw->angular_velocity.y == 0.0f) ||
           wri_fail_at(reader, wri_json_find(json, "spin"),
                       "a body of \"%s\" lives in the plane, expected spin about z alone", name);
}

static double find_mass(const wr_scene_body *body)
{
    double area = wri_sprite_area(&body->asset->rig, body->scale);
    return body->mass > 0.0 ? body->mass : area * wri_sprite_density(body->density);
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

// Returns in what way sprites do not touch a body as it looks, or NULL.
static const char *odd_level(const wr_scene_body *body)
{
    if (body->material == &wri_sprite_material) {
        return NULL;
    }
    if (body->material) {
        return "is of another material: the sprites and it do not feel each other";
    }
    if (body->rigid.is_planar &&
        (body->rigid.velocity.z != 0.0f || body->rigid.angular_velocity.x != 0.0f ||
         body->rigid.angular_velocity.y != 0.0f)) {
        return "stays in the plane of a flat scene with sprites: its velocity along z and its spin "
               "about x and y have no effect";
    }
    if (body->rigid.shape.kind == WR_SHAPE_MESH) {
        return "is a mesh, which sprites do not feel; expected the shape \"hull\" or \"hulls\"";
    }
    return leaves_plane(body) ? "leaves the plane z = 0 on its path: the sprites feel it as if it "
                                "went on in it"
                              : NULL;
}

static bool warn(const wr_scene *scene, wri_arena *arena, wri_array *warnings)
{
    bool has_sprites = false;
    for (int i = 0; i < scene->body_count; i++) {
        has_sprites = has_sprites || scene->bodies[i].material == &wri_sprite_material;
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

// --- registration -------------------------------------------------------------------------------

static const wri_table *const chapters[] = {
    &wri_manifold_table,
    &wri_nail_table,
    &wri_controller_table,
    &wri_behaviour_table,
    &wri_transition_table,
    &wri_range_table,
    &wri_pose_path_table,
    &wri_pose_key_table,
    &wri_effect_table,
    &wri_push_table,
    NULL,
};

const wri_material_reader wri_sprite_reader = {
    .material = &wri_sprite_material,
    .keys = &wri_sprite_table,
    .chapters = chapters,
    .check = check_body,
    .read = read_setup,
    .mass = find_mass,
    .buttons = find_buttons,
    .play = play,
    .is_hero = is_hero,
    .warn = warn,
};
