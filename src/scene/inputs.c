// inputs.c: what is played in a scene: buttons in seconds, or a recorded play in steps.
//
// Every body with a controller ends up with a list of steps and the buttons that are down from each
// on: what is down in a step depends on nothing but its number, so that a play that is resumed or
// replayed is the same.
#include "../base/os.h"
#include "../file/out.h"
#include "materials.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLAY_BYTES = 64 << 20 };

typedef struct event {
    int64_t step;
    int body, button, order;
    bool down;
    const wri_json *at;
} event;

static double steps_per_second(const wr_scene *scene)
{
    return (double)scene->rate_numerator * scene->substeps / scene->rate_denominator;
}

static int64_t nearest_step(const wr_scene *scene, double seconds)
{
    return (int64_t)floor(seconds * steps_per_second(scene) + 0.5);
}

// --- one input ----------------------------------------------------------------------------------

static const char *const *buttons_of(const wr_scene_body *body, int *count)
{
    const wri_material_reader *own = wri_material_reader_of(body->material);
    *count = 0;
    return own && own->buttons ? own->buttons(body, count) : NULL;
}

// The words that belong to a kind of input.
typedef struct input_kind {
    const char *name;
    const char *keys[3]; // besides "body"; the first is needed, but for hold
} input_kind;

static const input_kind kinds[] = {
    {"press", {"at", "for"}}, {"hold", {"from", "to"}}, {"down", {"step"}}, {"up", {"step"}}};
enum { PRESS, HOLD, DOWN, UP };

static bool belongs(const input_kind *kind, const char *key)
{
    bool is = strcmp(key, kind->name) == 0 || strcmp(key, "body") == 0;
    for (int i = 0; i < WRI_COUNT(kind->keys) && kind->keys[i]; i++) {
        is = is || strcmp(key, kind->keys[i]) == 0;
    }
    return is;
}

static bool find_kind(wri_reader *reader, const wri_json *json, int *kind)
{
    *kind = -1;
    for (int i = 0; i < WRI_COUNT(kinds) && *kind < 0; i++) {
        *kind = wri_json_find(json, kinds[i].name) ? i : -1;
    }
    if (*kind < 0) {
        return wri_fail_at(reader, json, "expected \"press\", \"hold\", \"down\" or \"up\"");
    }
    for (int i = 0; i < json->count; i++) {
        if (!belongs(&kinds[*kind], json->items[i].key)) {
            wri_json at = wri_at_key(&json->items[i]);
            return wri_fail_at(reader, &at, "\"%s\" has no effect beside \"%s\"",
                               json->items[i].key, kinds[*kind].name);
        }
    }
    const char *needed = *kind == HOLD ? NULL : kinds[*kind].keys[0];
    return !needed || wri_json_find(json, needed) ||
           wri_fail_at(reader, json, "\"%s\" is missing beside \"%s\"", needed, kinds[*kind].name);
}

static bool find_button(wri_reader *reader, const wri_json *value, const char *const *buttons,
                        int count, int *button)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(buttons[i], value->string) == 0) {
            *button = i;
            return true;
        }
    }
    return wri_fail_word(reader, value, "button", value->string, buttons, count);
}

static bool add_event(wri_reader *reader, wri_array *events, event e)
{
    event *added = wri_array_add(events, 1);
    if (!added) {
        return wri_fail_memory(reader->error, sizeof e);
    }
    e.order = events->count;
    *added = e;
    return true;
}

static bool add_events(wri_reader *reader, wri_array *events, const wri_json *json,
                       const raw_input *raw, int kind, event e)
{
    const wri_scene_context *c = reader->context;
    const wr_scene *scene = &c->owner->scene;
    event end = e;
    e.down = kind != UP;
    if (kind == DOWN || kind == UP) {
        e.step = (int64_t)raw->step;
        return raw->step == floor(raw->step)
                   ? add_event(reader, events, e)
                   : wri_fail_at(reader, wri_json_find(json, "step"),
                                 "\"step\" is %s, expected a whole number",
                                 WRI_NUMBER(raw->step, 6));
    }
    e.step = nearest_step(scene, kind == PRESS ? raw->at : raw->from);
    end.step = nearest_step(scene, kind == PRESS ? raw->at + raw->time : raw->to);
    if (kind == PRESS && end.step <= e.step) {
        end.step = e.step + 1;
    }
    bool ends = kind == PRESS || wri_json_find(json, "to");
    if (ends && end.step <= e.step) {
        return wri_fail_at(reader, wri_json_find(json, "to"),
                           "\"to\" is %s s, expected a step after \"from\" %s s",
                           WRI_NUMBER(raw->to, 6), WRI_NUMBER(raw->from, 6));
    }
    return add_event(reader, events, e) && (!ends || add_event(reader, events, end));
}

static bool read_input(wri_reader *reader, wri_array *events, const wri_json *json, int index)
{
    wri_scene_context *c = reader->context;
    raw_input raw = {0};
    int kind;
    reader->where = wri_numbered(reader, "input", index);
    if (!wri_read_object(reader, &wri_input_table, json, &raw) || !find_kind(reader, json, &kind)) {
        return false;
    }
    const wri_json *name = wri_json_find(json, "body");
    event e = {.at = wri_json_find(json, kinds[kind].name)};
    if (!wri_find_body(reader, name, raw.body, &e.body)) {
        return false;
    }
    int count;
    const char *const *buttons = buttons_of(&WRI_ITEM(c->bodies, wr_scene_body, e.body), &count);
    if (!buttons) {
        return wri_fail_at(reader, name, "the body \"%s\" has no controller", raw.body);
    }
    return find_button(reader, e.at, buttons, count, &e.button) &&
           add_events(reader, events, json, &raw, kind, e);
}

// --- from events to the buttons that are down ---------------------------------------------------

// Orders by body and step; buttons come up before others go down, so that one press may follow
// another.
static int compare_events(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->body != y->body) {
        return x->body < y->body ? -1 : 1;
    }
    if (x->step != y->step) {
        return x->step < y->step ? -1 : 1;
    }
    return x->down != y->down ? (y->down ? -1 : 1) : x->order < y->order ? -1 : 1;
}

static bool change_buttons(wri_reader *reader, const event *e, uint32_t *down)
{
    uint32_t bit = 1u << e->button;
    if (((*down & bit) != 0) == e->down) {
        return wri_fail_at(reader, e->at, "\"%s\" is %s then", e->at->string,
                           e->down ? "already held" : "not held");
    }
    *down ^= bit;
    return true;
}

static bool keep_down(wri_reader *reader, wri_array *events)
{
    wri_scene_context *c = reader->context;
    reader->where = "inputs";
    if (events->count == 0) {
        return true;
    }
    qsort(events->items, (size_t)events->count, sizeof(event), compare_events);
    wr_buttons_down *keys = wri_arena_alloc(reader->arena, (size_t)events->count, sizeof *keys);
    if (!keys) {
        return wri_fail_memory(reader->error, (size_t)events->count * sizeof *keys);
    }
    for (int i = 0; i < events->count;) {
        wr_scene_body *body = &WRI_ITEM(c->bodies, wr_scene_body, WRI_ITEM(*events, event, i).body);
        int first = i, count = 0;
        uint32_t down = 0;
        for (; i < events->count &&
               WRI_ITEM(*events, event, i).body == WRI_ITEM(*events, event, first).body;
             i++) {
            const event *e = &WRI_ITEM(*events, event, i);
            if (!change_buttons(reader, e, &down)) {
                return false;
            }
            count += count == 0 || keys[count - 1].step != e->step;
            keys[count - 1] = (wr_buttons_down){e->step, down};
        }
        if (!wri_material_reader_of(body->material)->play(reader, keys, count, body)) {
            return false;
        }
        keys += count;
    }
    return true;
}

// Warns of buttons that go down after the last step, which does nothing: a slip of the time, or of
// the scene's length.
static bool warn_of_late(wri_reader *reader, const wri_array *events)
{
    const wri_scene_context *c = reader->context;
    const wr_scene *scene = &c->owner->scene;
    int64_t end = (int64_t)wr_scene_frame_count(scene) * scene->substeps;
    const event *first = NULL;
    int count = 0;
    for (int i = 0; i < events->count; i++) {
        const event *e = &WRI_ITEM(*events, event, i);
        if (e->down && e->step >= end) {
            first = first ? first : e;
            count++;
        }
    }
    if (!first) {
        return true;
    }
    char more[32] = "";
    if (count > 1) {
        snprintf(more, sizeof more, " (and %d more)", count - 1);
    }
    wr_error late = {0};
    wri_reader speaker = *reader;
    speaker.error = &late;
    speaker.where = "inputs";
    wri_fail_at(&speaker, first->at, "\"%s\" goes down at %s s, but the scene ends at %s s%s",
                first->at->string, WRI_NUMBER(first->step / steps_per_second(scene), 6),
                WRI_NUMBER(end / steps_per_second(scene), 6), more);
    return wri_scene_warn(reader,
                          wri_arena_text(reader->arena, late.message, strlen(late.message)));
}

// --- plays --------------------------------------------------------------------------------------

static bool check_steps(wri_reader *reader, const wri_json *value)
{
    const wri_scene_context *c = reader->context;
    const wr_scene *scene = &c->owner->scene;
    const wri_key key = {.name = "steps", .kind = WRI_KEY_INTEGER, .min = 1, .max = 1e9};
    int n, d;
    if (value->type != WRI_JSON_ARRAY || value->count != 2) {
        return wri_fail_at(reader, value, "\"steps\" expects [numerator, denominator]");
    }
    if (!wri_read_key(reader, &key, &value->items[0], &n) ||
        !wri_read_key(reader, &key, &value->items[1], &d)) {
        return false;
    }
    int64_t own = (int64_t)scene->rate_numerator * scene->substeps;
    return own * d == (int64_t)n * scene->rate_denominator ||
           wri_fail_at(reader, value, "was played at %s steps per second, the scene has %s",
                       WRI_NUMBER((double)n / d, 6), WRI_NUMBER(steps_per_second(scene), 6));
}

static const wri_json *read_play(wri_reader *reader, const wri_json *value)
{
    const wri_json *json = wri_open_beside(reader, value, PLAY_BYTES);
    raw_play raw = {0};
    reader->where = "play";
    return json && wri_read_object(reader, &wri_play_table, json, &raw) &&
                   check_steps(reader, raw.steps)
               ? raw.inputs
               : NULL;
}

bool wri_read_inputs(wri_reader *reader, const wri_json *value)
{
    if (!value) {
        return true;
    }
    wri_reader own = *reader;
    own.where = "inputs";
    const wri_json *list = value->type == WRI_JSON_STRING ? read_play(&own, value) : value;
    if (!list || !wri_expect(&own, list, WRI_JSON_ARRAY)) {
        return false;
    }
    wri_array events = wri_array_create(&reader->arena->allocator, sizeof(event));
    bool ok = true;
    for (int i = 0; ok && i < list->count; i++) {
        ok = read_input(&own, &events, &list->items[i], i);
    }
    ok = ok && warn_of_late(&own, &events) && keep_down(&own, &events);
    wri_array_destroy(&events);
    return ok;
}

// --- writing ------------------------------------------------------------------------------------

static bool check_input(const wr_scene *scene, const wr_input *inputs, int i, wr_error *error)
{
    const wr_input *in = &inputs[i];
    int count = 0;
    bool is_there = in->body >= 0 && in->body < scene->body_count;
    if (!is_there || !buttons_of(&scene->bodies[in->body], &count)) {
        return wri_fail(error, WR_E_ARGUMENT, "inputs[%d]: body %d has no controller", i, in->body);
    }
    if (in->button < 0 || in->button >= count) {
        return wri_fail(error, WR_E_ARGUMENT, "inputs[%d]: button %d, there are %d", i, in->button,
                        count);
    }
    return in->step >= (i > 0 ? inputs[i - 1].step : 0) ||
           wri_fail(error, WR_E_ARGUMENT, "inputs[%d]: step %lld, expected no less than before", i,
                    (long long)in->step);
}

bool wr_inputs_write(const char *path, const wr_scene *scene, const wr_input *inputs, int count,
                     wr_error *error)
{
    if (!WRI_REQUIRE(error, path, scene) || !WRI_REQUIRE_LIST(error, inputs, count)) {
        return false;
    }
    wri_json_writer json = wri_json_writer_create(NULL, true);
    bool ok = true;
    wri_json_begin_object(&json, NULL);
    wri_json_write_int(&json, "wrought", 1);
    wri_json_begin_array(&json, "steps");
    wri_json_write_int(&json, NULL, (int64_t)scene->rate_numerator * scene->substeps);
    wri_json_write_int(&json, NULL, scene->rate_denominator);
    wri_json_end_array(&json);
    wri_json_begin_array(&json, "inputs");
    for (int i = 0; ok && i < count; i++) {
        ok = check_input(scene, inputs, i, error);
        const wr_scene_body *body = ok ? &scene->bodies[inputs[i].body] : NULL;
        if (ok) {
            wri_json_begin_object(&json, NULL);
            wri_json_write_int(&json, "step", inputs[i].step);
            wri_json_write_string(&json, "body", body->name);
            int buttons;
            wri_json_write_string(&json, inputs[i].down ? "down" : "up",
                                  buttons_of(body, &buttons)[inputs[i].button]);
            wri_json_end_object(&json);
        }
    }
    wri_json_end_array(&json);
    wri_json_end_object(&json);
    const char *text = ok ? wri_json_finish(&json) : NULL;
    wri_out *out = NULL;
    if (ok) {
        out = text ? wri_out_create(path, error) : NULL;
        ok = out != NULL || (!text && wri_fail_memory(error, (size_t)json.text.count));
    }
    if (out) {
        wri_out_text(out, text);
        wri_out_text(out, "\n");
        ok = wri_out_finish(out, error);
    }
    wri_out_destroy(out);
    wri_json_writer_destroy(&json);
    return ok;
}
