// sprite_controller.c: the controller of a body of a scene file, or of a file that scenes share.
//
// The words become a wr_controller_desc; what the words alone cannot tell (ways through the
// manifold, behaviours that nothing leads to) is told by the check of the library, which says
// where.
#include "../base/os.h"
#include "../sprite/controller.h"
#include "sprite.h"

enum { MOST_NAMES = 256, CONTROLLER_BYTES = 4 << 20 };

// The controller that is being read.
typedef struct controller_reader {
    wri_reader *reader;
    const wr_material *material;
    const wr_rig *rig;
    const wr_sprite_setup *setup; // with the nails and the manifold, NULL: none
    wr_controller_desc desc;
    wr_behaviour *behaviours;
    const wri_json *list, *paths; // of behaviours; of named paths, NULL: none
    bool *path_used;              // per named path
    const wri_json **keys;        // per behaviour: its list of poses, or its pose
} controller_reader;

static void *alloc(controller_reader *c, size_t count, size_t size)
{
    void *memory = wri_arena_alloc(c->reader->arena, count, size);
    if (!memory) {
        wri_fail_memory(c->reader->error, count * size);
    }
    return memory;
}

static bool fail_index(wri_reader *reader, const wri_json *at, const char *kind, const char *word,
                       const wri_json *members)
{
    const char *names[MOST_NAMES];
    int count = members && members->count < MOST_NAMES ? members->count : 0;
    for (int i = 0; i < count; i++) {
        names[i] = members->items[i].key;
    }
    return wri_fail_word(reader, at, kind, word, names, count);
}

// --- poses and buttons --------------------------------------------------------------------------

static bool find_example(controller_reader *c, const wri_json *at, const char *name, int *example)
{
    const char *names[MOST_NAMES];
    int count = 0;
    for (int i = 0; i < c->rig->example_count; i++) {
        if (strcmp(c->rig->examples[i].name, name) == 0) {
            *example = i;
            return true;
        }
        if (count < MOST_NAMES) {
            names[count++] = c->rig->examples[i].name;
        }
    }
    return wri_fail_word(c->reader, at, "pose", name, names, count);
}

static bool find_button(controller_reader *c, const wri_json *value, uint32_t *bits)
{
    if (!wri_expect(c->reader, value, WRI_JSON_STRING)) {
        return false;
    }
    for (int i = 0; i < c->desc.button_count; i++) {
        if (strcmp(c->desc.buttons[i], value->string) == 0) {
            *bits |= 1u << i;
            return true;
        }
    }
    return wri_fail_word(c->reader, value, "button", value->string, c->desc.buttons,
                         c->desc.button_count);
}

// A name, or a list of names of which any will do. value NULL: none.
static bool read_buttons(controller_reader *c, const wri_json *value, uint32_t *bits)
{
    if (!value || value->type != WRI_JSON_ARRAY) {
        return !value || find_button(c, value, bits);
    }
    if (value->count == 0) {
        return wri_fail_at(c->reader, value, "\"%s\" is empty, expected a button", value->key);
    }
    bool ok = true;
    for (int i = 0; ok && i < value->count; i++) {
        ok = find_button(c, &value->items[i], bits);
    }
    return ok;
}

static bool read_button_names(controller_reader *c, const wri_json *list)
{
    if (!wri_expect(c->reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count > WR_CONTROLLER_BUTTONS_MAX) {
        return wri_fail_at(c->reader, list, "\"buttons\" has %d names, expected at most %d",
                           list->count, WR_CONTROLLER_BUTTONS_MAX);
    }
    const char **names = alloc(c, (size_t)list->count, sizeof *names);
    for (int i = 0; names && i < list->count; i++) {
        const wri_json *item = &list->items[i];
        if (!wri_expect(c->reader, item, WRI_JSON_STRING)) {
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(names[k], item->string) == 0) {
                return wri_fail_at(c->reader, item, "the button \"%s\" is there twice",
                                   item->string);
            }
        }
        if (!item->string[0]) {
            return wri_fail_at(c->reader, item, "a button without a name");
        }
        names[i] = item->string;
        c->desc.left = strcmp(names[i], "left") == 0 ? i : c->desc.left;
        c->desc.right = strcmp(names[i], "right") == 0 ? i : c->desc.right;
    }
    c->desc.buttons = names;
    c->desc.button_count = list->count;
    return names != NULL;
}

// [x, y]; value NULL: both 0.
static bool read_pair(controller_reader *c, const wri_json *value, wr_vec2 *out)
{
    const wri_key key = {
        .name = value ? value->key : "", .kind = WRI_KEY_NUMBER, .min = -1e4, .max = 1e4};
    double x, y;
    if (!value) {
        return true;
    }
    if (value->type != WRI_JSON_ARRAY || value->count != 2) {
        return wri_fail_at(c->reader, value, "\"%s\" expects two numbers", key.name);
    }
    if (!wri_read_key(c->reader, &key, &value->items[0], &x) ||
        !wri_read_key(c->reader, &key, &value->items[1], &y)) {
        return false;
    }
    *out = (wr_vec2){(float)x, (float)y};
    return true;
}

// --- paths --------------------------------------------------------------------------------------

static bool read_pose_key(controller_reader *c, const wri_json *item, const raw_pose_path *raw,
                          bool last, wr_pose_key *key)
{
    raw_pose_key own = {.time = last && !raw->loop ? 0.0 : raw->each};
    if (item->type == WRI_JSON_OBJECT) {
        if (!wri_read_object(c->reader, &wri_pose_key_table, item, &own)) {
            return false;
        }
        item = wri_json_find(item, "pose");
    } else if (!wri_expect(c->reader, item, WRI_JSON_STRING)) {
        return false;
    } else {
        own.pose = item->string;
    }
    key->time = own.time;
    return find_example(c, item, own.pose, &key->example);
}

static bool read_path_object(controller_reader *c, const wri_json *json, wr_pose_path *path,
                             const wri_json **poses)
{
    raw_pose_path raw = {0};
    if (!wri_read_object(c->reader, &wri_pose_path_table, json, &raw) ||
        !wri_expect(c->reader, raw.poses, WRI_JSON_ARRAY)) {
        return false;
    }
    if (raw.poses->count < 1 || raw.poses->count > WR_CONTROLLER_LIST_MAX) {
        return wri_fail_at(c->reader, raw.poses, "\"poses\" has %d poses, expected 1 to %d",
                           raw.poses->count, WR_CONTROLLER_LIST_MAX);
    }
    wr_pose_key *keys = alloc(c, (size_t)raw.poses->count, sizeof *keys);
    bool ok = keys != NULL;
    for (int i = 0; ok && i < raw.poses->count; i++) {
        ok = read_pose_key(c, &raw.poses->items[i], &raw, i == raw.poses->count - 1, &keys[i]);
    }
    *path = (wr_pose_path){keys, raw.poses->count, raw.loop, (float)raw.stride};
    *poses = raw.poses;
    return ok;
}

static bool read_pose(controller_reader *c, const wri_json *value, wr_pose_path *path)
{
    wr_pose_key *key = alloc(c, 1, sizeof *key);
    *path = (wr_pose_path){.keys = key, .key_count = 1};
    return key && find_example(c, value, value->string, &key->example);
}

static bool read_path(controller_reader *c, const wri_json *json, const raw_behaviour *raw,
                      wr_pose_path *path, const wri_json **poses)
{
    if (raw->pose && raw->path) {
        return wri_fail_at(c->reader, raw->path, "\"path\" has no effect beside a \"pose\"");
    }
    if (raw->pose) {
        *poses = wri_json_find(json, "pose");
        return read_pose(c, *poses, path);
    }
    if (!raw->path) {
        return wri_fail_at(c->reader, json, "expected a \"pose\" or a \"path\"");
    }
    const wri_json *value = raw->path;
    if (value->type == WRI_JSON_STRING) {
        const wri_json *named = c->paths ? wri_json_find(c->paths, value->string) : NULL;
        if (!named) {
            return fail_index(c->reader, value, "path", value->string, c->paths);
        }
        c->path_used[named - c->paths->items] = true;
        value = named;
    }
    return read_path_object(c, value, path, poses);
}

static bool find_paths(controller_reader *c, const wri_json *json)
{
    if (!json) {
        return true;
    }
    c->paths = json;
    c->path_used = alloc(c, (size_t)json->count, sizeof *c->path_used);
    return c->path_used && wri_expect(c->reader, json, WRI_JSON_OBJECT);
}

static bool check_paths(controller_reader *c)
{
    for (int i = 0; c->paths && i < c->paths->count; i++) {
        if (!c->path_used[i]) {
            wri_json at = wri_at_key(&c->paths->items[i]);
            return wri_fail_at(c->reader, &at, "no behaviour has the path \"%s\"", at.key);
        }
    }
    return true;
}

// --- what a behaviour sets ----------------------------------------------------------------------

// Those that are not of its asset.
static bool can_change(const wr_parameter *p)
{
    return wri_sprite_find_parameter(p->name) != NULL;
}

static bool fail_parameter(controller_reader *c, const wri_json *member)
{
    const char *names[MOST_NAMES] = {"friction", "give_to", "stretch_to"};
    int count = 3;
    for (int i = 0; i < c->material->parameter_count && count < MOST_NAMES; i++) {
        if (can_change(&c->material->parameters[i])) {
            names[count++] = c->material->parameters[i].name;
        }
    }
    wri_json at = wri_at_key(member);
    return wri_fail_word(c->reader, &at, "parameter", member->key, names, count);
}

static bool read_parameter(controller_reader *c, const wri_json *member, const wr_parameter *p,
                           wr_setting *setting)
{
    setting->parameter = p->name;
    return wri_read_parameter(c->reader, member, p, &setting->value);
}

static bool read_setting(controller_reader *c, const wri_json *member, wr_setting *settings,
                         int *count)
{
    bool give = strcmp(member->key, "give_to") == 0;
    if (give || strcmp(member->key, "stretch_to") == 0) {
        int example = 0;
        if (!wri_expect(c->reader, member, WRI_JSON_STRING) ||
            !find_example(c, member, member->string, &example)) {
            return false;
        }
        if (give) {
            settings[(*count)++] = (wr_setting){"give_way", WR_SPRITE_ENERGY_EXAMPLE};
        }
        settings[(*count)++] = (wr_setting){give ? "give_example" : "stretch_example", example};
        return true;
    }
    if (strcmp(member->key, "friction") == 0) {
        return read_parameter(c, member, wri_sprite_find_parameter("friction"),
                              &settings[(*count)++]);
    }
    for (int i = 0; i < c->material->parameter_count; i++) {
        const wr_parameter *p = &c->material->parameters[i];
        if (strcmp(p->name, member->key) == 0 && can_change(p)) {
            return read_parameter(c, member, p, &settings[(*count)++]);
        }
    }
    return fail_parameter(c, member);
}

static bool read_settings(controller_reader *c, const wri_json *json, wr_behaviour *b)
{
    if (!json) {
        return true;
    }
    if (!wri_expect(c->reader, json, WRI_JSON_OBJECT)) {
        return false;
    }
    wr_setting *settings = alloc(c, 2 * (size_t)json->count, sizeof *settings);
    bool ok = settings != NULL;
    for (int i = 0; ok && i < json->count; i++) {
        ok = read_setting(c, &json->items[i], settings, &b->setting_count);
    }
    b->settings = settings;
    return ok;
}

static bool read_drag(controller_reader *c, const wri_json *json, wr_behaviour *b)
{
    const wri_key key = {.name = "drag", .kind = WRI_KEY_NUMBER, .min = 0, .max = 1e6};
    if (!json) {
        return true;
    }
    float *drag = alloc(c, (size_t)c->rig->example_count, sizeof *drag);
    if (!drag || !wri_expect(c->reader, json, WRI_JSON_OBJECT)) {
        return false;
    }
    for (int i = 0; i < c->rig->example_count; i++) {
        drag[i] = 1.0f;
    }
    for (int i = 0; i < json->count; i++) {
        wri_json at = wri_at_key(&json->items[i]);
        int example = 0;
        double factor = 1.0;
        if (!find_example(c, &at, json->items[i].key, &example) ||
            !wri_read_key(c->reader, &key, &json->items[i], &factor)) {
            return false;
        }
        drag[example] = (float)factor;
    }
    b->drag_of_example = drag;
    return true;
}

// --- effects and pushes -------------------------------------------------------------------------

// Checks that the body has no nail there that comes out at a time: it would take out the later one.
static bool check_nail(controller_reader *c, const wri_json *value, int particle)
{
    for (int i = 0; c->setup && i < c->setup->nail_count; i++) {
        const wr_sprite_nail *nail = &c->setup->nails[i];
        if (nail->particle == particle && !isinf(nail->until)) {
            return wri_fail_at(c->reader, value,
                               "the handle \"%s\" has a nail with \"until\": release it by an "
                               "effect instead, or hold another one",
                               value->string);
        }
    }
    return true;
}

// A name or a list of names. value NULL: none.
static bool read_handles(controller_reader *c, const wri_json *value, bool is_nailed,
                         const int **particles, int *count)
{
    if (!value) {
        return true;
    }
    bool many = value->type == WRI_JSON_ARRAY;
    *count = many ? value->count : 1;
    if (*count < 1 || *count > WR_SPRITE_NAILS_MAX) {
        return wri_fail_at(c->reader, value, "\"%s\" has %d handles, expected 1 to %d", value->key,
                           *count, WR_SPRITE_NAILS_MAX);
    }
    int *found = alloc(c, (size_t)*count, sizeof *found);
    bool ok = found != NULL;
    for (int i = 0; ok && i < *count; i++) {
        const wri_json *item = many ? &value->items[i] : value;
        ok = wri_expect(c->reader, item, WRI_JSON_STRING) &&
             wri_find_handle(c->reader, c->rig, item, &found[i]) &&
             (!is_nailed || check_nail(c, item, found[i]));
        for (int k = 0; ok && k < i; k++) {
            ok = found[k] != found[i] ||
                 wri_fail_at(c->reader, item, "the handle \"%s\" twice", item->string);
        }
    }
    *particles = found;
    return ok;
}

static bool read_effect(controller_reader *c, const wri_json *json, wr_effect *effect)
{
    raw_effect raw = {0};
    if (!json) {
        return true;
    }
    if (!wri_read_object(c->reader, &wri_effect_table, json, &raw) ||
        !read_pair(c, raw.kick, &effect->kick) ||
        !read_handles(c, raw.release, false, &effect->releases, &effect->release_count) ||
        !read_handles(c, raw.hold, true, &effect->nails, &effect->nail_count)) {
        return false;
    }
    effect->brake = (float)raw.brake;
    effect->jump = (float)raw.jump;
    effect->angular_velocity = (float)raw.spin;
    effect->flip = raw.flip;
    return true;
}

static bool read_push(controller_reader *c, const wri_json *json, wr_push_while *push)
{
    raw_push raw = {0};
    if (!wri_read_object(c->reader, &wri_push_table, json, &raw) ||
        !read_buttons(c, raw.held, &push->buttons) || !read_pair(c, raw.along, &push->along)) {
        return false;
    }
    push->up_to = (float)raw.up_to;
    return (push->along.x != 0.0f || push->along.y != 0.0f) ||
           wri_fail_at(c->reader, raw.along, "\"along\" is zero, expected a direction");
}

static bool read_pushes(controller_reader *c, const wri_json *json, wr_behaviour *b)
{
    if (!json) {
        return true;
    }
    bool many = json->type == WRI_JSON_ARRAY;
    int count = many ? json->count : 1;
    if (count > WR_CONTROLLER_LIST_MAX) {
        return wri_fail_at(c->reader, json, "\"push\" has %d items, expected at most %d", count,
                           WR_CONTROLLER_LIST_MAX);
    }
    wr_push_while *pushes = alloc(c, (size_t)count, sizeof *pushes);
    bool ok = pushes != NULL;
    for (int i = 0; ok && i < count; i++) {
        ok = read_push(c, many ? &json->items[i] : json, &pushes[i]);
    }
    b->pushes = pushes;
    b->push_count = count;
    return ok;
}

static bool read_motion(controller_reader *c, const wri_json *json, const raw_behaviour *raw,
                        wr_behaviour *b)
{
    static const char *const idle[] = {"grip", "heading"};
    bool moves = raw->walk > 0.0 || raw->steer > 0.0;
    if (raw->walk > 0.0 && raw->steer > 0.0) {
        return wri_fail_at(c->reader, wri_json_find(json, "steer"),
                           "\"steer\" has no effect beside \"walk\"");
    }
    for (int i = 0; i < WRI_COUNT(idle); i++) {
        const wri_json *value = wri_json_find(json, idle[i]);
        if (value && !moves) {
            return wri_fail_at(c->reader, value,
                               "\"%s\" has no effect without \"walk\" or \"steer\"", idle[i]);
        }
    }
    b->steer = raw->steer > 0.0;
    b->walk = (float)(b->steer ? raw->steer : raw->walk);
    b->grip = wri_json_find(json, "grip") ? (float)raw->grip : b->steer ? 0.5f : 2.0f;
    b->heading = (wr_heading)raw->heading;
    b->face = (wr_face)raw->face;
    b->rate = (float)raw->rate;
    b->blend = (float)raw->blend;
    return read_buttons(c, raw->only_while, &b->only_while);
}

// --- transitions --------------------------------------------------------------------------------

typedef struct condition_list {
    wr_condition *items;
    int count;
} condition_list;

enum { MOST_CONDITIONS = 20 };

static void add_condition(condition_list *list, wr_condition condition)
{
    list->items[list->count++] = condition;
}

static bool add_buttons(controller_reader *c, condition_list *list, wr_fact fact, bool no,
                        const wri_json *value, double within)
{
    wr_condition k = {.fact = fact, .no = no, .most = within};
    if (!value) {
        return true;
    }
    add_condition(list, k);
    return read_buttons(c, value, &list->items[list->count - 1].buttons);
}

static bool add_range(controller_reader *c, condition_list *list, wr_fact fact,
                      const wri_json *value)
{
    raw_range range = {0, 1e9};
    if (!value) {
        return true;
    }
    const wri_key number = {.name = value->key, .kind = WRI_KEY_NUMBER, .min = -1e9, .max = 1e9};
    if (value->type == WRI_JSON_OBJECT
            ? !wri_read_object(c->reader, &wri_range_table, value, &range)
            : !wri_read_key(c->reader, &number, value, &range.above)) {
        return false;
    }
    if (range.above > range.below) {
        return wri_fail_at(c->reader, value, "\"%s\" is above %s and below %s, which never holds",
                           value->key, WRI_NUMBER(range.above, 6), WRI_NUMBER(range.below, 6));
    }
    add_condition(list, (wr_condition){.fact = fact, .least = range.above, .most = range.below});
    return true;
}

static void add_yes_no(const wri_json *json, condition_list *list, const char *key, wr_fact fact,
                       bool yes)
{
    if (wri_json_find(json, key)) {
        add_condition(list, (wr_condition){.fact = fact, .no = !yes});
    }
}

static bool add_near(controller_reader *c, const wri_json *json, const raw_transition *raw,
                     condition_list *list)
{
    const wri_json *nearness = wri_json_find(json, "nearness");
    if (!raw->near) {
        return !nearness ||
               wri_fail_at(c->reader, nearness, "\"nearness\" has no effect without \"near\"");
    }
    add_condition(list, (wr_condition){.fact = WR_FACT_NEAR, .most = raw->nearness});
    return find_example(c, wri_json_find(json, "near"), raw->near,
                        &list->items[list->count - 1].example);
}

static bool add_times(controller_reader *c, const wri_json *json, const raw_transition *raw,
                      condition_list *list)
{
    const wri_json *after = wri_json_find(json, "after"), *before = wri_json_find(json, "before");
    const wri_json *within = wri_json_find(json, "within");
    if (within && !raw->pressed && !raw->released) {
        return wri_fail_at(c->reader, within,
                           "\"within\" has no effect without \"pressed\" or \"released\"");
    }
    if (after && before && raw->after >= raw->before) {
        return wri_fail_at(c->reader, before,
                           "\"before\" %s s and \"after\" %s s never hold at once",
                           WRI_NUMBER(raw->before, 6), WRI_NUMBER(raw->after, 6));
    }
    if (after || before) {
        add_condition(list, (wr_condition){.fact = WR_FACT_TIME,
                                           .least = after ? raw->after : 0.0,
                                           .most = before ? raw->before : 1e9});
    }
    return true;
}

static bool read_conditions(controller_reader *c, const wri_json *json, const raw_transition *raw,
                            condition_list *list)
{
    add_yes_no(json, list, "on_ground", WR_FACT_ON_GROUND, raw->on_ground);
    add_yes_no(json, list, "touching", WR_FACT_TOUCHING, raw->touching);
    add_yes_no(json, list, "done", WR_FACT_DONE, raw->done);
    add_yes_no(json, list, "faces", WR_FACT_FACES_RIGHT, raw->faces == 1);
    return add_buttons(c, list, WR_FACT_PRESSED, false, raw->pressed, raw->within) &&
           add_buttons(c, list, WR_FACT_RELEASED, false, raw->released, raw->within) &&
           add_buttons(c, list, WR_FACT_DOWN, false, raw->held, 0.0) &&
           add_buttons(c, list, WR_FACT_DOWN, true, raw->not_held, 0.0) &&
           add_near(c, json, raw, list) && add_times(c, json, raw, list) &&
           add_range(c, list, WR_FACT_AIRBORNE, raw->airborne) &&
           add_range(c, list, WR_FACT_SPEED, raw->speed) &&
           add_range(c, list, WR_FACT_FORWARD, raw->forward) &&
           add_range(c, list, WR_FACT_RISING, raw->rising) &&
           add_range(c, list, WR_FACT_FALLING, raw->falling) &&
           add_range(c, list, WR_FACT_HIT, raw->hit);
}

static bool read_transition(controller_reader *c, const wri_json *json, wr_transition *t)
{
    raw_transition raw = {0};
    if (!wri_read_object(c->reader, &wri_transition_table, json, &raw)) {
        return false;
    }
    const wri_json *to = wri_json_find(c->list, raw.to);
    if (!to) {
        return fail_index(c->reader, wri_json_find(json, "to"), "behaviour", raw.to, c->list);
    }
    condition_list list = {alloc(c, MOST_CONDITIONS, sizeof(wr_condition)), 0};
    if (!list.items || !read_conditions(c, json, &raw, &list)) {
        return false;
    }
    *t = (wr_transition){(int)(to - c->list->items), list.items, list.count};
    return list.count > 0 ||
           wri_fail_at(c->reader, json, "leads to \"%s\" at once, expected a condition", raw.to);
}

static bool read_transitions(controller_reader *c, const wri_json *list, wr_behaviour *b)
{
    if (!list) {
        return true;
    }
    if (!wri_expect(c->reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count > WR_CONTROLLER_LIST_MAX) {
        return wri_fail_at(c->reader, list, "\"go\" has %d items, expected at most %d", list->count,
                           WR_CONTROLLER_LIST_MAX);
    }
    wr_transition *items = alloc(c, (size_t)list->count, sizeof *items);
    bool ok = items != NULL;
    for (int i = 0; ok && i < list->count; i++) {
        ok = read_transition(c, &list->items[i], &items[i]);
    }
    b->transitions = items;
    b->transition_count = list->count;
    return ok;
}

// --- the whole ----------------------------------------------------------------------------------

static bool read_behaviour(controller_reader *c, int index)
{
    const wri_json *json = &c->list->items[index];
    wr_behaviour *b = &c->behaviours[index];
    raw_behaviour raw = {0};
    *b = wr_behaviour_default();
    b->name = json->key;
    if (!json->key[0]) {
        wri_json at = wri_at_key(json);
        return wri_fail_at(c->reader, &at, "a behaviour without a name");
    }
    return wri_read_object(c->reader, &wri_behaviour_table, json, &raw) &&
           read_path(c, json, &raw, &b->path, &c->keys[index]) && read_motion(c, json, &raw, b) &&
           read_pushes(c, raw.push, b) && read_settings(c, raw.set, b) &&
           read_drag(c, raw.drag, b) && read_effect(c, raw.enter, &b->enter) &&
           read_effect(c, raw.leave, &b->leave) && read_transitions(c, raw.go, b);
}

// Complaints of the library's check come with what they are about.
static wri_json find_place(const controller_reader *c, const wri_controller_place *place)
{
    if (place->behaviour < 0) {
        return *c->list;
    }
    const wri_json *json = &c->list->items[place->behaviour];
    const wri_json *keys = c->keys[place->behaviour];
    if (place->key >= 0) {
        return keys->type == WRI_JSON_ARRAY ? keys->items[place->key] : *keys;
    }
    if (place->transition >= 0) {
        return wri_json_find(json, "go")->items[place->transition];
    }
    return wri_at_key(json);
}

static bool check(controller_reader *c)
{
    const wr_sprite_setup *setup = c->setup;
    int n = c->rig->example_count, components[WR_SKIN_EXAMPLES_MAX] = {0}; // all with rest
    const char **names = alloc(c, (size_t)n, sizeof *names);
    if (!names) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        names[i] = c->rig->examples[i].name;
    }
    if (setup && setup->simplex_count) {
        wri_controller_find_components(setup->simplices, setup->simplex_count, n, components);
    }
    const wri_controller_poses poses = {names, components, n, c->rig->vertex_count};
    wri_controller_place place;
    wr_error why = {0};
    if (wri_controller_check(&c->desc, &poses, &place, &why)) {
        return true;
    }
    wri_json at = find_place(c, &place);
    return wri_fail_inner(c->reader, &at, &why);
}

static bool find_start(controller_reader *c, const wri_json *json, const char *name)
{
    const wri_json *found = name ? wri_json_find(c->list, name) : c->list->items;
    if (!found) {
        return fail_index(c->reader, wri_json_find(json, "start"), "behaviour", name, c->list);
    }
    c->desc.start = (int)(found - c->list->items);
    return true;
}

static bool read_controller(controller_reader *c, const wri_json *json)
{
    raw_controller raw = {0};
    if (!wri_read_object(c->reader, &wri_controller_table, json, &raw) ||
        !wri_expect(c->reader, raw.behaviours, WRI_JSON_OBJECT) ||
        !read_button_names(c, raw.buttons)) {
        return false;
    }
    int count = raw.behaviours->count;
    if (count < 1 || count > WR_CONTROLLER_BEHAVIOURS_MAX) {
        return wri_fail_at(c->reader, raw.behaviours,
                           "\"behaviours\" has %d of them, expected 1 to %d", count,
                           WR_CONTROLLER_BEHAVIOURS_MAX);
    }
    c->list = raw.behaviours;
    c->desc.faces_left = raw.looks == 1;
    c->behaviours = alloc(c, (size_t)count, sizeof *c->behaviours);
    c->keys = alloc(c, (size_t)count, sizeof *c->keys);
    c->desc.behaviours = c->behaviours;
    c->desc.behaviour_count = count;
    const char *where = c->reader->where;
    bool ok =
        c->behaviours && c->keys && find_paths(c, raw.paths) && find_start(c, json, raw.start);
    for (int i = 0; ok && i < count; i++) {
        c->reader->where = wri_arena_printf(c->reader->arena, "%s: behaviour \"%s\"", where,
                                            raw.behaviours->items[i].key);
        ok = (c->reader->where || wri_fail_memory(c->reader->error, 64)) && read_behaviour(c, i);
    }
    c->reader->where = where;
    return ok && check_paths(c) && check(c);
}

bool wri_read_controller(wri_reader *reader, const wri_json *value, const wr_scene_body *body,
                         const wr_sprite_setup *setup, const wr_controller_desc **desc)
{
    wri_reader own = *reader;
    const wri_json *json =
        value->type == WRI_JSON_STRING ? wri_open_beside(&own, value, CONTROLLER_BYTES) : value;
    if (!json) {
        return false;
    }
    controller_reader c = {.reader = &own,
                           .material = body->material,
                           .rig = &body->asset->rig,
                           .setup = setup,
                           .desc = wr_controller_desc_default()};
    wr_controller_desc *made = alloc(&c, 1, sizeof *made);
    if (!made || !read_controller(&c, json)) {
        return false;
    }
    *made = c.desc;
    *desc = made;
    return true;
}
