// controller.c: what a character can do: checked, copied, and its paths through the manifold.
#include "controller.h"

#include "../base/parameter.h"

#include <stdio.h>

static const uint32_t COOKIE = 0x4354524c;

wr_behaviour wr_behaviour_default(void)
{
    return (wr_behaviour){.rate = 1.0f, .grip = 2.0f};
}

wr_controller_desc wr_controller_desc_default(void)
{
    return (wr_controller_desc){.left = -1, .right = -1, .cookie = COOKIE};
}

// --- checks -----------------------------------------------------------------------------------

typedef struct check_context {
    const wr_controller_desc *desc;
    const wri_controller_poses *poses;
    wri_controller_place place;
    const wr_behaviour *b; // being checked
    wr_error *error;
} check_context;

// "behaviour "walk": ..."; always false.
static bool fail(check_context *c, const char *format, ...) WRI_PRINTF(2, 3);
static bool fail(check_context *c, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return wri_fail(c->error, WR_E_ARGUMENT, "behaviour \"%.40s\": %s", c->b->name, text);
}

static bool in_range(check_context *c, const char *what, double value, double low, double high)
{
    return (value >= low && value <= high) ||
           fail(c, "%s %s, not in [%s, %s]", what, WRI_NUMBER(value, 6), WRI_NUMBER(low, 6),
                WRI_NUMBER(high, 6));
}

static bool check_count(check_context *c, const char *what, int count, const void *items)
{
    return (count >= 0 && count <= WR_CONTROLLER_LIST_MAX && (items || count == 0)) ||
           fail(c, "%d %s, not in [0, %d]", count, what, WR_CONTROLLER_LIST_MAX);
}

static bool check_buttons(check_context *c, uint32_t buttons)
{
    int count = c->desc->button_count;
    return count == WR_CONTROLLER_BUTTONS_MAX || buttons >> count == 0 ||
           fail(c, "a button that is not among the %d", count);
}

static bool check_example(check_context *c, int example)
{
    if (example < 0 || example >= c->poses->count) {
        return fail(c, "example %d, there are %d", example, c->poses->count);
    }
    return c->poses->components[example] >= 0 ||
           fail(c, "the pose \"%.40s\" is not in the manifold", c->poses->names[example]);
}

static bool check_path(check_context *c)
{
    const wr_pose_path *path = &c->b->path;
    if (!check_count(c, "keys", path->key_count, path->keys)) {
        return false;
    }
    if (path->key_count < 1) {
        return fail(c, "needs a pose or a path");
    }
    for (int i = 0; i < path->key_count; i++) {
        c->place.key = i;
        int example = path->keys[i].example, before = path->keys[i > 0 ? i - 1 : 0].example;
        if (!check_example(c, example) || !in_range(c, "key time", path->keys[i].time, 0, 86400)) {
            return false;
        }
        if (c->poses->components[example] != c->poses->components[before]) {
            return fail(c, "no way in the manifold from the pose \"%.40s\" to \"%.40s\"",
                        c->poses->names[before], c->poses->names[example]);
        }
    }
    c->place.key = -1;
    if (!in_range(c, "stride", (double)path->stride, 0, 1e6)) {
        return false;
    }
    return (!path->loop && !(path->stride > 0.0f)) || wri_pose_path_time(path) > 0.0 ||
           fail(c, "its path takes no time");
}

static bool check_condition(check_context *c, const wr_condition *k)
{
    if (k->fact < 0 || k->fact > WR_FACT_HIT) {
        return fail(c, "an unknown fact %d", (int)k->fact);
    }
    if (k->fact <= WR_FACT_DOWN && k->buttons == 0) {
        return fail(c, "a condition on no button");
    }
    if (k->fact <= WR_FACT_DOWN && !check_buttons(c, k->buttons)) {
        return false;
    }
    if (k->fact == WR_FACT_NEAR && !check_example(c, k->example)) {
        return false;
    }
    if (k->fact == WR_FACT_DONE && c->b->path.loop && !k->no) {
        return fail(c, "its path loops and is never done");
    }
    bool upper = k->fact <= WR_FACT_RELEASED || k->fact == WR_FACT_NEAR;
    if (upper && !(k->most >= 0.0)) {
        return fail(c, "within %g, less than nothing", k->most);
    }
    return k->fact < WR_FACT_TIME || k->least <= k->most ||
           fail(c, "a condition from %g to %g never holds", k->least, k->most);
}

static bool check_transitions(check_context *c)
{
    const wr_behaviour *b = c->b;
    if (!check_count(c, "transitions", b->transition_count, b->transitions)) {
        return false;
    }
    for (int i = 0; i < b->transition_count; i++) {
        const wr_transition *t = &b->transitions[i];
        c->place.transition = i;
        if (t->to < 0 || t->to >= c->desc->behaviour_count) {
            return fail(c, "transition %d leads to behaviour %d, there are %d", i, t->to,
                        c->desc->behaviour_count);
        }
        if (!check_count(c, "conditions", t->condition_count, t->conditions)) {
            return false;
        }
        if (t->condition_count < 1) {
            return fail(c, "the transition to \"%.40s\" has no condition",
                        c->desc->behaviours[t->to].name);
        }
        for (int k = 0; k < t->condition_count; k++) {
            c->place.condition = k;
            if (!check_condition(c, &t->conditions[k])) {
                return false;
            }
        }
        c->place.condition = -1;
    }
    c->place.transition = -1;
    return true;
}

// Ranges that do not depend on what the sprite has already.
static bool check_settings(check_context *c)
{
    const wr_behaviour *b = c->b;
    if (!check_count(c, "settings", b->setting_count, b->settings)) {
        return false;
    }
    for (int i = 0; i < b->setting_count; i++) {
        c->place.setting = i;
        wr_setting s = b->settings[i];
        const wr_parameter *parameter = s.parameter ? wri_sprite_find_parameter(s.parameter) : NULL;
        if (!parameter || !(fabs(s.value) <= 1e6)) {
            return fail(c, "setting %d: %g of the parameter \"%.40s\"", i, s.value,
                        s.parameter ? s.parameter : "");
        }
        wr_sprite_parameters p = wr_sprite_parameters_default();
        p.give_example = 0;
        wri_parameter_set(parameter, s.value, &p);
        bool is_strength = strcmp(s.parameter, "aim_strength") == 0;
        p.aim_strength = p.smooth || is_strength ? p.aim_strength : 0.5f;
        const wr_sprite_asset size = {.E = c->poses->count};
        wr_error why = {0};
        if (!wri_sprite_check_parameters(&size, &p, &why)) {
            return fail(c, "%.120s", why.message);
        }
    }
    c->place.setting = -1;
    for (int e = 0; b->drag_of_example && e < c->poses->count; e++) {
        if (!in_range(c, "drag of an example", (double)b->drag_of_example[e], 0, 1e6)) {
            return false;
        }
    }
    return true;
}

static bool check_particles(check_context *c, const char *what, const int *particles, int count)
{
    if (!check_count(c, what, count, particles)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (particles[i] < 0 || particles[i] >= c->poses->particle_count) {
            return fail(c, "particle %d is %s, there are %d", particles[i], what,
                        c->poses->particle_count);
        }
    }
    return true;
}

static bool check_effect(check_context *c, const wr_effect *e)
{
    return in_range(c, "brake", (double)e->brake, 0, 1) &&
           in_range(c, "jump", (double)e->jump, 0, 1e4) &&
           in_range(c, "kick", (double)e->kick.x, -1e4, 1e4) &&
           in_range(c, "kick", (double)e->kick.y, -1e4, 1e4) &&
           in_range(c, "spin", (double)e->angular_velocity, -1e4, 1e4) &&
           check_particles(c, "held", e->nails, e->nail_count) &&
           check_particles(c, "released", e->releases, e->release_count);
}

static bool check_pushes(check_context *c)
{
    const wr_behaviour *b = c->b;
    if (!check_count(c, "pushes", b->push_count, b->pushes)) {
        return false;
    }
    for (int i = 0; i < b->push_count; i++) {
        const wr_push_while *p = &b->pushes[i];
        c->place.push = i;
        if (!check_buttons(c, p->buttons) ||
            !in_range(c, "push along", (double)p->along.x, -1e4, 1e4) ||
            !in_range(c, "push along", (double)p->along.y, -1e4, 1e4) ||
            !in_range(c, "push up to", (double)p->up_to, 0, 1e4)) {
            return false;
        }
    }
    c->place.push = -1;
    return true;
}

static bool check_motion(check_context *c)
{
    const wr_behaviour *b = c->b;
    if (!in_range(c, "rate", (double)b->rate, 0, 1000) ||
        !in_range(c, "blend", (double)b->blend, 0, 86400) ||
        !in_range(c, "walk", (double)b->walk, 0, 1e4) ||
        !in_range(c, "grip", (double)b->grip, 0, 1e4) ||
        !in_range(c, "heading", (double)b->heading, 0, WR_HEADING_RIGHT) ||
        !in_range(c, "face", (double)b->face, 0, WR_FACE_RIGHT) ||
        !check_buttons(c, b->only_while)) {
        return false;
    }
    bool pointed = (b->walk > 0.0f && b->heading == WR_HEADING_INPUT) || b->face == WR_FACE_INPUT;
    return !pointed || (c->desc->left >= 0 && c->desc->right >= 0) ||
           fail(c, "needs the buttons \"left\" and \"right\"");
}

static bool check_behaviour(check_context *c, int index)
{
    const wr_behaviour *all = c->desc->behaviours;
    c->b = &all[index];
    c->place = (wri_controller_place){.behaviour = index, -1, -1, -1, -1, -1};
    if (!c->b->name || !c->b->name[0]) {
        return wri_fail(c->error, WR_E_ARGUMENT, "behaviours[%d]: has no name", index);
    }
    for (int i = 0; i < index; i++) {
        if (strcmp(all[i].name, c->b->name) == 0) {
            return fail(c, "is there twice");
        }
    }
    return check_path(c) && check_motion(c) && check_pushes(c) && check_settings(c) &&
           check_effect(c, &c->b->enter) && check_effect(c, &c->b->leave) && check_transitions(c);
}

static bool check_reach(check_context *c)
{
    const wr_controller_desc *desc = c->desc;
    int todo[WR_CONTROLLER_BEHAVIOURS_MAX], count = 0;
    bool seen[WR_CONTROLLER_BEHAVIOURS_MAX] = {false};
    todo[count++] = desc->start;
    seen[desc->start] = true;
    while (count > 0) {
        const wr_behaviour *b = &desc->behaviours[todo[--count]];
        for (int i = 0; i < b->transition_count; i++) {
            int to = b->transitions[i].to;
            if (!seen[to]) {
                seen[to] = true;
                todo[count++] = to;
            }
        }
    }
    const wr_behaviour *first = &desc->behaviours[desc->start];
    int component = c->poses->components[first->path.keys[0].example];
    for (int i = 0; i < desc->behaviour_count; i++) {
        c->b = &desc->behaviours[i];
        c->place = (wri_controller_place){.behaviour = i, -1, -1, -1, -1, -1};
        if (!seen[i]) {
            return fail(c, "cannot be reached from \"%.40s\"", first->name);
        }
        int example = c->b->path.keys[0].example;
        if (c->poses->components[example] != component) {
            c->place.key = 0;
            return fail(c,
                        "no way in the manifold from the pose \"%.40s\" of \"%.40s\" to \"%.40s\"",
                        c->poses->names[first->path.keys[0].example], first->name,
                        c->poses->names[example]);
        }
    }
    return true;
}

static bool check_whole(check_context *c)
{
    const wr_controller_desc *desc = c->desc;
    if (desc->behaviour_count < 1 || desc->behaviour_count > WR_CONTROLLER_BEHAVIOURS_MAX ||
        !desc->behaviours) {
        return wri_fail(c->error, WR_E_ARGUMENT, "behaviour_count: %d, not in [1, %d]",
                        desc->behaviour_count, WR_CONTROLLER_BEHAVIOURS_MAX);
    }
    if (desc->start < 0 || desc->start >= desc->behaviour_count) {
        return wri_fail(c->error, WR_E_ARGUMENT, "start: behaviour %d, there are %d", desc->start,
                        desc->behaviour_count);
    }
    int n = desc->button_count;
    if (n < 0 || n > WR_CONTROLLER_BUTTONS_MAX || (n > 0 && !desc->buttons)) {
        return wri_fail(c->error, WR_E_ARGUMENT, "button_count: %d, not in [0, %d]", n,
                        WR_CONTROLLER_BUTTONS_MAX);
    }
    for (int i = 0; i < n; i++) {
        if (!desc->buttons[i] || !desc->buttons[i][0]) {
            return wri_fail(c->error, WR_E_ARGUMENT, "buttons[%d]: has no name", i);
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(desc->buttons[k], desc->buttons[i]) == 0) {
                return wri_fail(c->error, WR_E_ARGUMENT, "buttons[%d]: \"%.40s\" is there twice", i,
                                desc->buttons[i]);
            }
        }
    }
    if (desc->left < -1 || desc->left >= n || desc->right < -1 || desc->right >= n) {
        return wri_fail(c->error, WR_E_ARGUMENT, "left %d or right %d: there are %d buttons",
                        desc->left, desc->right, n);
    }
    return true;
}

int wri_controller_find_nails(const wr_controller_desc *desc, int *particles)
{
    int count = 0;
    for (int i = 0; i < 2 * desc->behaviour_count; i++) {
        const wr_behaviour *b = &desc->behaviours[i / 2];
        const wr_effect *e = i % 2 ? &b->leave : &b->enter;
        for (int k = 0; k < e->nail_count; k++) {
            int known = 0;
            while (known < count && particles[known] != e->nails[k]) {
                known++;
            }
            if (known == WR_SPRITE_NAILS_MAX) {
                return WR_SPRITE_NAILS_MAX + 1;
            }
            particles[known] = e->nails[k];
            count = known == count ? count + 1 : count;
        }
    }
    return count;
}

static bool check_nails(check_context *c)
{
    int particles[WR_SPRITE_NAILS_MAX];
    return wri_controller_find_nails(c->desc, particles) <= WR_SPRITE_NAILS_MAX ||
           wri_fail(c->error, WR_E_ARGUMENT,
                    "behaviours hold more than %d particles, the most nails of a sprite",
                    WR_SPRITE_NAILS_MAX);
}

bool wri_controller_check(const wr_controller_desc *desc, const wri_controller_poses *poses,
                          wri_controller_place *place, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_controller_desc, desc, COOKIE)) {
        return false;
    }
    check_context c = {desc, poses, {-1, -1, -1, -1, -1, -1}, NULL, error};
    bool ok = check_whole(&c);
    for (int i = 0; ok && i < desc->behaviour_count; i++) {
        ok = check_behaviour(&c, i);
    }
    ok = ok && check_reach(&c) && check_nails(&c);
    if (place) {
        *place = c.place;
    }
    return ok;
}

void wri_controller_find_components(const wr_simplex *simplices, int simplex_count,
                                    int example_count, int *components)
{
    for (int e = 0; e < example_count; e++) {
        components[e] = -1;
    }
    for (int i = 0; i < simplex_count; i++) {
        for (int k = 0; k < simplices[i].corner_count; k++) {
            components[simplices[i].corners[k]] = simplices[i].corners[k];
        }
    }
    for (bool changed = true; changed;) { // at most once per example
        changed = false;
        for (int i = 0; i < simplex_count; i++) {
            const wr_simplex *s = &simplices[i];
            int least = example_count;
            for (int k = 0; k < s->corner_count; k++) {
                least = components[s->corners[k]] < least ? components[s->corners[k]] : least;
            }
            for (int k = 0; k < s->corner_count; k++) {
                changed = changed || components[s->corners[k]] != least;
                components[s->corners[k]] = least;
            }
        }
    }
}

// --- copies -----------------------------------------------------------------------------------

// items may be NULL where there are none. A NULL comes back as an empty list.
static void *copy(wri_arena *arena, const void *items, int count, size_t size, bool *ok)
{
    void *made = wri_arena_alloc(arena, (size_t)count, size);
    *ok = *ok && made;
    if (made && count > 0) {
        memcpy(made, items, (size_t)count * size);
    }
    return made;
}

static bool copy_transitions(wri_arena *arena, wr_behaviour *b)
{
    bool ok = true;
    wr_transition *made = wri_arena_alloc(arena, (size_t)b->transition_count, sizeof *made);
    for (int i = 0; made && i < b->transition_count; i++) {
        made[i] = b->transitions[i];
        made[i].conditions =
            copy(arena, made[i].conditions, made[i].condition_count, sizeof(wr_condition), &ok);
    }
    b->transitions = made;
    return made && ok;
}

static bool copy_effect(wri_arena *arena, wr_effect *e)
{
    bool ok = true;
    e->nails = copy(arena, e->nails, e->nail_count, sizeof(int), &ok);
    e->releases = copy(arena, e->releases, e->release_count, sizeof(int), &ok);
    return ok;
}

static bool copy_behaviour(wri_arena *arena, wr_behaviour *b, int example_count)
{
    bool ok = true;
    b->name = wri_arena_text(arena, b->name, strlen(b->name));
    b->path.keys = copy(arena, b->path.keys, b->path.key_count, sizeof(wr_pose_key), &ok);
    b->pushes = copy(arena, b->pushes, b->push_count, sizeof(wr_push_while), &ok);
    wr_setting *settings = copy(arena, b->settings, b->setting_count, sizeof(wr_setting), &ok);
    for (int i = 0; settings && i < b->setting_count; i++) { // names live as long as the program
        settings[i].parameter = wri_sprite_find_parameter(settings[i].parameter)->name;
    }
    b->settings = settings;
    if (b->drag_of_example) {
        b->drag_of_example = copy(arena, b->drag_of_example, example_count, sizeof(float), &ok);
    }
    return copy_transitions(arena, b) && copy_effect(arena, &b->enter) &&
           copy_effect(arena, &b->leave) && ok && b->name;
}

static bool copy_desc(wr_controller *controller, const wr_controller_desc *desc)
{
    wri_arena *arena = &controller->arena;
    controller->desc = *desc;
    wr_behaviour *behaviours =
        wri_arena_alloc(arena, (size_t)desc->behaviour_count, sizeof *behaviours);
    const char **buttons = wri_arena_alloc(arena, (size_t)desc->button_count, sizeof *buttons);
    bool ok = behaviours && buttons;
    for (int i = 0; ok && i < desc->behaviour_count; i++) {
        behaviours[i] = desc->behaviours[i];
        ok = copy_behaviour(arena, &behaviours[i], controller->asset->E);
    }
    for (int i = 0; ok && i < desc->button_count; i++) {
        buttons[i] = wri_arena_text(arena, desc->buttons[i], strlen(desc->buttons[i]));
        ok = buttons[i] != NULL;
    }
    controller->desc.behaviours = behaviours;
    controller->desc.buttons = buttons;
    controller->desc.allocator = NULL;
    return ok;
}

wr_controller *wr_controller_create(const wr_sprite_asset *asset, const wr_controller_desc *desc,
                                    wr_error *error)
{
    if (!WRI_REQUIRE(error, asset)) {
        return NULL;
    }
    int components[WR_SKIN_EXAMPLES_MAX];
    wri_controller_find_components(asset->simplices, asset->simplex_count, asset->E, components);
    const wri_controller_poses poses = {asset->example_names, components, asset->E, asset->N};
    if (!wri_controller_check(desc, &poses, NULL, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(desc->allocator);
    wr_controller *controller = wri_arena_alloc(&arena, 1, sizeof *controller);
    if (!controller) {
        wri_fail_memory(error, sizeof *controller);
        return NULL;
    }
    controller->arena = arena;
    controller->asset = asset;
    if (!copy_desc(controller, desc)) {
        wri_fail_memory(error, controller->arena.total);
        wr_controller_destroy(controller);
        return NULL;
    }
    return controller;
}

void wr_controller_destroy(wr_controller *controller)
{
    if (controller) {
        wri_arena arena = controller->arena;
        wri_arena_destroy(&arena);
    }
}

// --- questions --------------------------------------------------------------------------------

int wr_controller_find_button(const wr_controller *controller, const char *name)
{
    for (int i = 0; i < controller->desc.button_count; i++) {
        if (strcmp(controller->desc.buttons[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

int wr_controller_find_behaviour(const wr_controller *controller, const char *name)
{
    for (int i = 0; i < controller->desc.behaviour_count; i++) {
        if (strcmp(controller->desc.behaviours[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *wr_controller_button_name(const wr_controller *controller, int button)
{
    WR_ASSERT(button >= 0 && button < controller->desc.button_count);
    return controller->desc.buttons[button];
}

const char *wr_controller_behaviour_name(const wr_controller *controller, int behaviour)
{
    WR_ASSERT(behaviour >= 0 && behaviour < controller->desc.behaviour_count);
    return controller->desc.behaviours[behaviour].name;
}

// --- paths ------------------------------------------------------------------------------------

double wri_pose_path_time(const wr_pose_path *path)
{
    double time = 0.0;
    for (int i = 0; i < path->key_count; i++) {
        time += path->keys[i].time;
    }
    return time;
}

wr_sprite_point wri_pose_path_point(const wr_sprite_asset *asset, const wr_pose_path *path,
                                    double seconds)
{
    double total = wri_pose_path_time(path);
    if (path->loop) {
        seconds -= total * floor(seconds / total);
    }
    int last = path->key_count - 1, i = 0;
    while (i < last && seconds >= path->keys[i].time) {
        seconds -= path->keys[i].time;
        i++;
    }
    const wr_pose_key *key = &path->keys[i];
    wr_sprite_point from = wr_sprite_asset_example_point(asset, key->example);
    int next = i < last ? i + 1 : path->loop ? 0 : last;
    if (next == i || !(key->time > 0.0) || !(seconds > 0.0)) {
        return from;
    }
    wr_sprite_point to = wr_sprite_asset_example_point(asset, path->keys[next].example);
    return wr_sprite_asset_walk(asset, from, to, (float)(seconds / key->time));
}

wr_sprite_point wr_controller_path_point(const wr_controller *controller, int behaviour,
                                         double seconds)
{
    WR_ASSERT(behaviour >= 0 && behaviour < controller->desc.behaviour_count);
    return wri_pose_path_point(controller->asset, &controller->desc.behaviours[behaviour].path,
                               seconds);
}
