// joint.c: the joints of a scene file, and the names of the bodies they hold.
#include "scene.h"

#include <stdlib.h>

// The slot of a name in the table, or the free slot where it belongs.
static wri_name_slot *find_name(const wri_scene_context *c, const char *name)
{
    size_t slot = wri_hash(name, strlen(name), 0) & (c->name_room - 1);
    while (c->names[slot].count > 0 &&
           strcmp(WRI_ITEM(c->bodies, wr_scene_body, c->names[slot].body).name, name) != 0) {
        slot = (slot + 1) & (c->name_room - 1);
    }
    return &c->names[slot];
}

static bool index_names(wri_reader *reader)
{
    wri_scene_context *c = reader->context;
    size_t room = 16;
    while (room < 2 * (size_t)c->bodies.count) {
        room *= 2;
    }
    c->names = wri_arena_alloc(reader->arena, room, sizeof *c->names);
    if (!c->names) {
        return wri_fail_memory(reader->error, room * sizeof *c->names);
    }
    c->name_room = room;
    for (int i = 0; i < c->bodies.count; i++) {
        wri_name_slot *slot = find_name(c, WRI_ITEM(c->bodies, wr_scene_body, i).name);
        slot->body = slot->count++ ? slot->body : i;
    }
    return true;
}

static bool has_index(wri_reader *reader)
{
    return ((const wri_scene_context *)reader->context)->names || index_names(reader);
}

bool wri_warn_of_namesakes(wri_reader *reader)
{
    const wri_scene_context *c = reader->context;
    bool ok = has_index(reader);
    for (int i = 0; ok && i < c->bodies.count; i++) {
        const wr_scene_body *body = &WRI_ITEM(c->bodies, wr_scene_body, i);
        const wri_name_slot *slot = find_name(c, body->name);
        ok = slot->body != i || slot->count == 1 ||
             wri_scene_warn(reader, wri_arena_printf(reader->arena,
                                                     "%s: body \"%s\": %d bodies are called so: "
                                                     "joints, poses and cameras cannot name it",
                                                     body->place, body->name, slot->count));
    }
    return ok;
}

// Blames the name of the body in "rx/bone 3", unless there is a body nearly called so.
static bool fail_body(wri_reader *reader, const wri_json *at, const char *name)
{
    const wri_scene_context *c = reader->context;
    const char **names = wri_arena_alloc(reader->arena, (size_t)c->bodies.count, sizeof *names);
    const char *slash = strchr(name, '/');
    const char *head = slash ? wri_arena_text(reader->arena, name, (size_t)(slash - name)) : name;
    if (!names || !head) {
        return wri_fail_memory(reader->error, (size_t)c->bodies.count * sizeof *names);
    }
    for (int i = 0; i < c->bodies.count; i++) {
        names[i] = WRI_ITEM(c->bodies, wr_scene_body, i).name;
    }
    const char *blamed = wri_nearest_word(name, names, c->bodies.count) ? name : head;
    return wri_fail_word(reader, at, "body", blamed, names, c->bodies.count);
}

// "link.3" and 2 copies further: "link.5". Names without a number stay as they are.
static const char *counted_name(wri_reader *reader, const char *name, int copy)
{
    const char *dot = strrchr(name, '.');
    char *end = NULL;
    long number = dot ? strtol(dot + 1, &end, 10) : 0;
    if (!dot || end == dot + 1 || *end || number < 0 || number > WRI_MOST_BODIES || copy == 0) {
        return name;
    }
    return wri_arena_printf(reader->arena, "%.*s.%ld", (int)(dot - name), name, number + copy);
}

bool wri_find_body(wri_reader *reader, const wri_json *at, const char *name, int *body)
{
    const wri_scene_context *c = reader->context;
    if (!has_index(reader)) {
        return false;
    }
    const wri_name_slot *slot = find_name(c, name);
    if (slot->count == 0) {
        return fail_body(reader, at, name);
    }
    *body = slot->body;
    return slot->count == 1 ||
           wri_fail_at(reader, at, "%d bodies are called \"%s\", expected one", slot->count, name);
}

static bool knows_body(const wri_scene_context *c, const char *name)
{
    return find_name(c, name)->count > 0;
}

// A body, or behind its name and a slash a part of it: "rex/bone 3". Names of bodies may have
// slashes, too: the longest that is one counts. What the parts are called only the world knows.
static bool find_end(wri_reader *reader, const wri_json *at, int copy, int *body, const char **part)
{
    const char *text = at->string, *name = counted_name(reader, text, copy), *whole = name;
    if (!has_index(reader)) {
        return false;
    }
    for (size_t length = strlen(text); name && !knows_body(reader->context, name);) {
        while (length > 0 && text[length - 1] != '/') {
            length--;
        }
        if (length == 0) {
            return fail_body(reader, at, whole);
        }
        *part = text + length--;
        name = wri_arena_text(reader->arena, text, length);
        name = name ? counted_name(reader, name, copy) : NULL;
    }
    return name ? wri_find_body(reader, at, name, body)
                : wri_fail_memory(reader->error, strlen(text));
}

static bool is_same_end(const wr_scene_joint *joint)
{
    const char *a = joint->part_a, *b = joint->part_b;
    return joint->joint.body_a == joint->joint.body_b && (a && b ? strcmp(a, b) == 0 : a == b);
}

static bool join_bodies(wri_reader *reader, const raw_joint *raw, int copy, wr_scene_joint *joint)
{
    int *bodies[2] = {&joint->joint.body_a, &joint->joint.body_b};
    const char **parts[2] = {&joint->part_a, &joint->part_b};
    for (int i = 0; i < raw->bodies->count; i++) {
        const wri_json *item = &raw->bodies->items[i];
        if (!wri_expect(reader, item, WRI_JSON_STRING) ||
            !find_end(reader, item, copy, bodies[i], parts[i])) {
            return false;
        }
    }
    return !is_same_end(joint) ||
           wri_fail_at(reader, raw->bodies, "joins a body with itself, expected two bodies");
}

static bool read_limits(wri_reader *reader, const raw_joint *raw, wr_joint_desc *joint)
{
    const wri_json *list = raw->limits;
    if (!list) {
        return true;
    }
    if (joint->kind != WR_JOINT_HINGE && joint->kind != WR_JOINT_SLIDER) {
        return wri_fail_at(reader, list, "\"limits\" are for hinges and sliders");
    }
    if (list->type != WRI_JSON_ARRAY || list->count != 2) {
        return wri_fail_at(reader, list, "\"limits\" expects [lower, upper]");
    }
    bool hinge = joint->kind == WR_JOINT_HINGE;
    const wri_key key = {.name = "limits",
                         .kind = hinge ? WRI_KEY_ANGLE : WRI_KEY_NUMBER,
                         .min = hinge ? -180 : -1e6,
                         .max = hinge ? 180 : 1e6,
                         .unit = hinge ? "deg" : "m"};
    double lower, upper;
    if (!wri_read_key(reader, &key, &list->items[0], &lower) ||
        !wri_read_key(reader, &key, &list->items[1], &upper)) {
        return false;
    }
    if (lower > upper) {
        return wri_fail_at(reader, list, "\"limits\" has its lower end above the upper one");
    }
    joint->lower = (float)lower;
    joint->upper = (float)upper;
    return true;
}

bool wri_read_joint(wri_reader *reader, const wri_json *json, int index)
{
    wri_scene_context *c = reader->context;
    reader->where = wri_numbered(reader, "joint", index);
    raw_joint raw = {.breaks = -1.0};
    raw_copies rows[4];
    int row_count;
    if (!wri_read_object(reader, &wri_joint_table, json, &raw) ||
        !wri_expect(reader, raw.bodies, WRI_JSON_ARRAY) ||
        !wri_read_copies(reader, raw.copies, rows, &row_count)) {
        return false;
    }
    if (raw.bodies->count < 1 || raw.bodies->count > 2) {
        return wri_fail_at(reader, raw.bodies, "\"bodies\" has %d names, expected one or two",
                           raw.bodies->count);
    }
    if (row_count > 1) {
        return wri_fail_at(reader, raw.copies, "\"copies\" has %d rows, expected one for joints",
                           row_count);
    }
    if (row_count == 1 &&
        wri_json_find(raw.copies->type == WRI_JSON_ARRAY ? raw.copies->items : raw.copies,
                      "turn")) {
        return wri_fail_at(reader, raw.copies, "\"turn\" has no effect on copies of joints");
    }
    if (!(wr_length(raw.axis) > 0.0f)) {
        return wri_fail_at(reader, wri_json_find(json, "axis"),
                           "\"axis\" is zero, expected a direction");
    }
    wr_joint_desc joint = wr_joint_desc_default();
    joint.kind = (wr_joint_kind)raw.kind;
    joint.axis = wr_normalize(raw.axis);
    joint.breaking_impulse = raw.breaks >= 0.0 ? (float)raw.breaks : INFINITY;
    joint.collide = raw.collide;
    if (!read_limits(reader, &raw, &joint)) {
        return false;
    }
    int copies = row_count ? rows[0].count : 1;
    for (int i = 0; i < copies; i++) {
        joint.at = row_count ? wr_add_scaled(raw.at, (float)i, rows[0].step) : raw.at;
        wr_scene_joint whole = {.name = raw.name, .joint = joint};
        if (!join_bodies(reader, &raw, i, &whole)) {
            return false;
        }
        wr_scene_joint *item = wri_array_add(&c->joints, 1);
        if (!item) {
            return wri_fail_memory(reader->error, sizeof *item);
        }
        *item = whole;
    }
    return true;
}
