// recipe.c: a recipe file becomes plain data. Names of handles, clips and files are looked up when
// it is built.
#include "recipe.h"

#include "../base/os.h"
#include "../file/unit.h"

#include <limits.h>
#include <math.h>

enum { RECIPE_BYTES = 16 << 20, MOST_PLACES = 1000 };

wr_recipe_info wr_recipe_describe(const wr_recipe *recipe)
{
    return (wr_recipe_info){.name = recipe->raw.name,
                            .model = recipe->raw.model     ? recipe->raw.model
                                     : recipe->sheet.data  ? recipe->sheet.data
                                     : recipe->sheet.image ? recipe->sheet.image
                                                           : recipe->layers[0].raw.image,
                            .vertices = recipe->simulation.mesh ? 0 : recipe->simulation.vertices,
                            .placed = recipe->place_count,
                            .automatic = recipe->handles.automatic,
                            .skin = recipe->handles.skin,
                            .graph = recipe->handles.graph != NULL,
                            .layer_count = recipe->layer_count,
                            .sheet = recipe->raw.sheet != NULL,
                            .example_count = recipe->example_count,
                            .cut_count = recipe->cut_count,
                            .material = recipe->material};
}

const char *wr_recipe_example_name(const wr_recipe *recipe, int example)
{
    return recipe->examples[example].raw.name;
}

bool wr_recipe_has_ending(const char *path)
{
    static const char ending[] = ".recipe.json";
    size_t length = strlen(path), tail = sizeof ending - 1;
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

const char *wri_recipe_file(const wr_recipe *recipe, wri_arena *arena, const char *name)
{
    return wri_path_join(arena, recipe->folder, name);
}

bool wri_is_picture(const char *name)
{
    static const char ending[] = ".png";
    size_t length = strlen(name), tail = sizeof ending - 1;
    bool same = length > tail;
    for (size_t i = 0; same && i < tail; i++) {
        char c = name[length - tail + i];
        same = (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == ending[i];
    }
    return same;
}

wr_read_options wri_recipe_read_options(const wr_recipe *recipe)
{
    const raw_recipe *raw = &recipe->raw;
    return (wr_read_options){.unit = raw->unit < 0 ? NULL : wri_unit_words[raw->unit],
                             .up = raw->up < 0 ? NULL : wri_up_words[raw->up],
                             .follow_links = recipe->follow_links};
}

void wr_recipe_set_follow_links(wr_recipe *recipe, bool follow_links)
{
    recipe->follow_links = follow_links;
}

const char *wri_recipe_quoted(wri_reader *reader, const char *kind, const char *name)
{
    const char *text = wri_arena_printf(reader->arena, "%s \"%s\"", kind, name);
    return text ? text : kind;
}

bool wri_refuse_key(wri_reader *reader, const wri_json *object, const char *key, bool refused,
                    const char *why)
{
    const wri_json *said = refused && object ? wri_json_find(object, key) : NULL;
    if (!said) {
        return true;
    }
    wri_json at = wri_at_key(said);
    return wri_fail_at(reader, &at, "\"%s\" means nothing %s", key, why);
}

static bool check_simulation(wri_reader *reader, const wr_recipe *r)
{
    bool picture = wri_recipe_is_drawing(r), own = r->simulation.mesh != NULL;
    const wri_json *json = r->raw.simulation;
    reader->where = "simulation";
    return wri_refuse_key(reader, json, "mesh", picture, "for a picture") &&
           wri_refuse_key(reader, json, "smoothing", picture, "for a picture") &&
           wri_refuse_key(reader, json, "separate", picture, "for a picture") &&
           wri_refuse_key(reader, json, "trim", picture, "for a picture") &&
           wri_refuse_key(reader, json, "trim", !r->simulation.separate,
                          "where all parts share a mesh") &&
           wri_refuse_key(reader, json, "pixel", !picture, "unless the model is a picture") &&
           wri_refuse_key(reader, json, "vertices", own, "with a \"mesh\" of your own") &&
           wri_refuse_key(reader, json, "smoothing", own, "with a \"mesh\" of your own") &&
           wri_refuse_key(reader, json, "separate", own, "with a \"mesh\" of your own") &&
           wri_refuse_key(reader, json, "trim", own, "with a \"mesh\" of your own") &&
           wri_refuse_key(reader, r->root, "unit", picture, "for a picture; say \"pixel\"") &&
           wri_refuse_key(reader, r->root, "up", picture, "for a picture");
}

// --- handles ----------------------------------------------------------------------------------

static bool is_automatic_name(const char *name)
{
    return name[0] == 'h' && name[1] != '\0' && strspn(name + 1, "0123456789") == strlen(name + 1);
}

// A name that is taken is complained about where it is said.
static bool is_new_place(wri_reader *reader, const wr_recipe *r, const raw_place *place)
{
    if (place->name[0] == '\0' || is_automatic_name(place->name)) {
        return wri_fail_at(reader, place->json,
                           "\"name\" is \"%s\", expected a name that automatic handles do not have",
                           place->name);
    }
    for (int i = 0; i < r->place_count; i++) {
        if (strcmp(r->places[i].name, place->name) == 0) {
            return wri_fail_at(reader, place->json, "\"name\" is \"%s\", as of another one",
                               place->name);
        }
    }
    return true;
}

// "front left" -> "front right"; NULL: out of memory, or neither is in it.
static const char *mirror_name(wri_arena *arena, const char *name)
{
    static const char *const sides[] = {"left", "right"};
    for (int i = 0; i < 2; i++) {
        const char *found = strstr(name, sides[i]);
        if (found) {
            return wri_arena_printf(arena, "%.*s%s%s", (int)(found - name), name, sides[1 - i],
                                    found + strlen(sides[i]));
        }
    }
    return NULL;
}

// The handle on the other side.
static bool add_mirrored(wri_reader *reader, wr_recipe *r)
{
    raw_place *place = &r->places[r->place_count], *of = place - 1;
    *place = *of;
    place->is_mirrored = true;
    place->name = mirror_name(&r->arena, of->name);
    if (!place->name) {
        return wri_fail_at(reader, of->json,
                           "\"name\" is \"%s\", expected \"left\" or \"right\" in the name of what "
                           "is mirrored",
                           of->name);
    }
    if (!is_new_place(reader, r, place)) {
        return false;
    }
    r->place_count++;
    return true;
}

static bool read_place(wri_reader *reader, wr_recipe *r, const wri_json *json)
{
    raw_place *place = &r->places[r->place_count];
    bool flat = wri_recipe_is_drawing(r);
    reader->where = "place";
    if (!wri_read_object(reader, &wri_place_table, json, place)) {
        return false;
    }
    place->json = json;
    if (!is_new_place(reader, r, place) ||
        !wri_refuse_key(reader, json, "node", flat, "for a drawing") ||
        !wri_refuse_key(reader, json, "mirror", flat, "for a drawing")) {
        return false;
    }
    if ((wri_json_find(json, "at") != NULL) == (place->node != NULL)) {
        return wri_fail_at(reader, json, "needs either \"at\" or \"node\"");
    }
    if (!wri_refuse_key(reader, json, "layer", r->layer_count == 0, "without \"layers\"") ||
        (place->layer && wri_recipe_find_layer(reader, r, wri_json_find(json, "layer"), "layer",
                                               place->layer) < 0)) {
        return false;
    }
    r->place_count++;
    return !place->mirror || add_mirrored(reader, r);
}

static bool check_handles(wri_reader *reader, const wr_recipe *r, const wri_json *json)
{
    const raw_handles *h = &r->handles;
    int sources = h->skin + (h->graph != NULL) + (h->automatic > 0 || r->place_count > 0);
    bool pinned = wri_json_find(r->root, "pins") != NULL; // each pin is a handle
    reader->where = "handles";
    if (sources > 1) {
        return wri_fail_at(reader, json,
                           "come from more than one of \"skin\", \"graph\" and "
                           "\"automatic\" with \"place\", expected one");
    }
    if (sources == 0 && !h->weights && !pinned) {
        return wri_fail_at(reader, json,
                           "are none, expected \"automatic\", \"place\", \"skin\" or "
                           "\"graph\"");
    }
    if (h->graph && r->layer_count > 0) {
        return wri_fail_at(reader, json, "\"graph\" means nothing for a drawing in layers");
    }
    if (h->weights && (!h->graph || !r->simulation.mesh)) {
        return wri_fail_at(reader, json,
                           "\"weights\" need a \"graph\", and a \"mesh\" in \"simulation\"");
    }
    return true;
}

static bool read_handles(wri_reader *reader, wr_recipe *r)
{
    reader->where = "handles";
    if (!r->raw.handles) { // a body of morph has bones, or one alone: see wri_build_simulation
        r->handles.skin = r->raw.morph != NULL;
        r->handles.automatic = r->raw.morph ? 0 : 12;
        return true;
    }
    if (!wri_read_object(reader, &wri_handles_table, r->raw.handles, &r->handles)) {
        return false;
    }
    const wri_json *list = r->handles.place;
    if (list && !wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list && list->count > MOST_PLACES) {
        return wri_fail_at(reader, list, "\"place\" has %d handles, expected at most %d",
                           list->count, MOST_PLACES);
    }
    r->places = wri_arena_alloc(&r->arena, list ? 2 * (size_t)list->count : 0, sizeof *r->places);
    if (!r->places) {
        return wri_fail_memory(reader->error, sizeof *r->places);
    }
    for (int i = 0; list && i < list->count; i++) {
        if (!read_place(reader, r, &list->items[i])) {
            return false;
        }
    }
    return check_handles(reader, r, r->raw.handles);
}

// --- examples ---------------------------------------------------------------------------------

static wri_move *find_move(wri_recipe_example *example, const wri_json *member)
{
    for (int i = 0; i < example->move_count; i++) {
        if (strcmp(example->moves[i].handle, member->key) == 0) {
            return &example->moves[i];
        }
    }
    wri_move *move = &example->moves[example->move_count++];
    *move = (wri_move){.json = member, .handle = member->key, .rotation = WR_QUAT_IDENTITY};
    return move;
}

static bool read_moves(wri_reader *reader, wri_recipe_example *example)
{
    const wri_json *move = example->raw.move, *turn = example->raw.turn;
    const wri_json *scale = example->raw.scale;
    if (scale && scale->type == WRI_JSON_ARRAY) {
        example->is_scaled = true;
        if (!wri_read_key(reader, &wri_scale_key, scale, &example->scale)) {
            return false;
        }
        scale = NULL;
    }
    if ((move && !wri_expect(reader, move, WRI_JSON_OBJECT)) ||
        (turn && !wri_expect(reader, turn, WRI_JSON_OBJECT)) ||
        (scale && !wri_expect(reader, scale, WRI_JSON_OBJECT))) {
        return false;
    }
    int count = (move ? move->count : 0) + (turn ? turn->count : 0) + (scale ? scale->count : 0);
    if (count == 0 && !example->is_scaled) {
        return wri_fail_at(reader, example->json, "moves no handle");
    }
    example->moves = wri_arena_alloc(reader->arena, (size_t)count, sizeof *example->moves);
    if (!example->moves) {
        return wri_fail_memory(reader->error, (size_t)count * sizeof *example->moves);
    }
    for (int i = 0; move && i < move->count; i++) {
        wri_move *m = find_move(example, &move->items[i]);
        m->has_offset = true;
        if (!wri_read_key(reader, &wri_offset_key, &move->items[i], &m->offset)) {
            return false;
        }
    }
    for (int i = 0; turn && i < turn->count; i++) {
        wri_move *m = find_move(example, &turn->items[i]);
        m->has_rotation = true;
        if (!wri_recipe_read_turn(reader, &turn->items[i], &m->rotation)) {
            return false;
        }
    }
    for (int i = 0; scale && i < scale->count; i++) {
        wri_move *m = find_move(example, &scale->items[i]);
        m->has_scale = true;
        if (!wri_read_key(reader, &wri_scale_key, &scale->items[i], &m->scale)) {
            return false;
        }
    }
    return true;
}

static bool check_sources(wri_reader *reader, const wr_recipe *r, const wri_recipe_example *example)
{
    const raw_example *raw = &example->raw;
    bool moves = raw->move || raw->turn || raw->scale;
    int sources = moves + (raw->clip != NULL) + (raw->morph != NULL) + (raw->sculpt != NULL) +
                  (raw->recording != NULL) + (raw->crush != NULL);
    if (sources != 1) {
        return wri_fail_at(
            reader, example->json,
            "has %s source, expected \"move\", \"turn\" and \"scale\", or one of \"clip\", "
            "\"morph\", \"sculpt\", \"recording\" and \"crush\"",
            sources ? "more than one" : "no");
    }
    return wri_refuse_key(reader, example->json, "time", !raw->clip, "without \"clip\"") &&
           wri_refuse_key(reader, example->json, "amount", !raw->morph, "without \"morph\"") &&
           wri_refuse_key(reader, example->json, "follow", !moves,
                          "without \"move\", \"turn\" or \"scale\"") &&
           wri_refuse_key(reader, example->json, "scale", !wri_recipe_is_drawing(r),
                          "unless the model is a picture");
}

static bool read_recording(wri_reader *reader, wri_recipe_example *example)
{
    const wri_json *json = example->raw.recording;
    raw_recording *raw = &example->recording;
    *raw = (raw_recording){.frame = -1, .time = -1.0};
    if (!wri_read_object(reader, &wri_recording_table, json, raw)) {
        return false;
    }
    if (!raw->file == !raw->scene) {
        return wri_fail_at(reader, json, "\"recording\" needs either \"file\" or \"scene\"");
    }
    return wri_refuse_key(reader, json, "frame", raw->time >= 0.0, "beside \"time\"");
}

static bool read_crush(wri_reader *reader, wri_recipe_example *example)
{
    const wri_json *json = example->raw.crush;
    raw_crush *raw = &example->crush;
    *raw = (raw_crush){.shape = -1, .depth = -1.0, .size = -1.0, .hold = -1.0, .cell = -1.0};
    if (!wri_read_object(reader, &wri_crush_table, json, raw) ||
        (raw->rigid && !wri_expect(reader, raw->rigid, WRI_JSON_ARRAY))) {
        return false;
    }
    for (int i = 0; raw->rigid && i < raw->rigid->count; i++) {
        if (!wri_expect(reader, &raw->rigid->items[i], WRI_JSON_STRING)) {
            return false;
        }
    }
    const wri_json *direction = wri_json_find(json, "direction");
    if (direction && wr_length(raw->direction) == 0.0f) {
        return wri_fail_at(reader, direction, "\"direction\" is zero, expected where to press to");
    }
    return wri_refuse_key(reader, json, "tool", raw->shape >= 0, "beside \"shape\"");
}

int wri_recording_frame(const raw_recording *raw, double rate)
{
    return raw->time >= 0.0 ? (int)fmin(raw->time * rate + 0.5, INT_MAX) : raw->frame;
}

static bool read_example(wri_reader *reader, wr_recipe *r, const wri_json *json)
{
    wri_recipe_example *example = &r->examples[r->example_count];
    *example = (wri_recipe_example){.json = json, .raw = {.time = -1.0}};
    reader->where = "example";
    const wri_json *name = wri_json_find(json, "name");
    if (name && name->type == WRI_JSON_STRING) {
        reader->where = wri_recipe_quoted(reader, "example", name->string);
    }
    if (!wri_read_object(reader, &wri_example_table, json, &example->raw) ||
        !check_sources(reader, r, example)) {
        return false;
    }
    if (example->raw.name[0] == '\0' || strcmp(example->raw.name, "rest") == 0) {
        return wri_fail_at(reader, json,
                           "\"name\" is \"%s\", expected another: \"rest\" is the "
                           "shape of the model",
                           example->raw.name);
    }
    for (int i = 0; i < r->example_count; i++) {
        if (strcmp(r->examples[i].raw.name, example->raw.name) == 0) {
            return wri_fail_at(reader, json, "has the name of another one");
        }
    }
    r->example_count++;
    if (example->raw.recording) {
        return read_recording(reader, example);
    }
    if (example->raw.crush) {
        return read_crush(reader, example);
    }
    bool moves = example->raw.move || example->raw.turn || example->raw.scale;
    return !moves || read_moves(reader, example);
}

static bool read_examples(wri_reader *reader, wr_recipe *r)
{
    const wri_json *list = r->raw.examples;
    reader->where = "recipe";
    if (list && !wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    int count = list ? list->count : 0;
    if (count >= WR_SKIN_EXAMPLES_MAX) {
        return wri_fail_at(reader, list, "\"examples\" has %d, expected at most %d", count,
                           WR_SKIN_EXAMPLES_MAX - 1);
    }
    r->examples = wri_arena_alloc(&r->arena, (size_t)count, sizeof *r->examples);
    if (!r->examples) {
        return wri_fail_memory(reader->error, (size_t)count * sizeof *r->examples);
    }
    for (int i = 0; i < count; i++) {
        if (!read_example(reader, r, &list->items[i])) {
            return false;
        }
    }
    return true;
}

// --- objects and clips ------------------------------------------------------------------------

static bool read_objects(wri_reader *reader, const wr_recipe *r)
{
    const wri_json *list = r->raw.objects;
    reader->where = "recipe";
    if (!list ||
        !wri_refuse_key(reader, r->root, "objects", wri_recipe_is_drawing(r), "for a drawing")) {
        return !list;
    }
    bool ok = wri_expect(reader, list, WRI_JSON_ARRAY);
    if (ok && list->count == 0) {
        return wri_fail_at(reader, list, "\"objects\" is empty, expected a name");
    }
    for (int i = 0; ok && i < list->count; i++) {
        ok = wri_expect(reader, &list->items[i], WRI_JSON_STRING);
    }
    return ok;
}

static bool read_clips(wri_reader *reader, const wr_recipe *r)
{
    const wri_json *list = r->raw.clips;
    reader->where = "recipe";
    if (!wri_refuse_key(reader, r->root, "clips", !r->handles.skin,
                        "unless the handles are the model's joints: \"handles\": "
                        "{\"skin\": true}") ||
        (list && !wri_expect(reader, list, WRI_JSON_ARRAY))) {
        return false;
    }
    for (int i = 0; list && i < list->count; i++) {
        if (list->items[i].type != WRI_JSON_STRING) {
            return wri_fail_at(reader, &list->items[i], "\"clips\" has %s, expected names",
                               wri_json_type_name(list->items[i].type));
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(list->items[i].string, list->items[k].string) == 0) {
                return wri_fail_at(reader, &list->items[i], "\"clips\" has \"%s\" twice",
                                   list->items[i].string);
            }
        }
    }
    return true;
}

// --- paint, cuts, material --------------------------------------------------------------------

bool wri_recipe_read_paint(wri_reader *reader, const wri_json *member, wri_recipe_paint *paint)
{
    *paint = (wri_recipe_paint){.json = member, .raw = {.vertex_color = -1}};
    if (!wri_read_object(reader, &wri_paint_table, member, &paint->raw)) {
        return false;
    }
    const raw_paint *raw = &paint->raw;
    if ((raw->vertex_color >= 0) + (raw->picture != NULL) + (raw->parts != NULL) != 1) {
        return wri_fail_at(reader, member,
                           "\"%s\" needs one of \"vertex_color\", \"picture\" and \"parts\"",
                           member->key);
    }
    return (!raw->parts || wri_recipe_check_parts(reader, raw->parts)) &&
           wri_refuse_key(reader, member, "channel", !paint->raw.picture, "without \"picture\"");
}

static bool read_paint(wri_reader *reader, wr_recipe *r)
{
    const wri_json *object = r->raw.paint;
    reader->where = "paint";
    if (object && !wri_expect(reader, object, WRI_JSON_OBJECT)) {
        return false;
    }
    const char *names[WR_MAP_COUNT];
    for (int i = 0; i < WR_MAP_COUNT; i++) {
        names[i] = wr_map_name((wr_map_kind)i);
    }
    for (int i = 0; object && i < object->count; i++) {
        const wri_json *member = &object->items[i];
        int kind = 0;
        while (kind < WR_MAP_COUNT && strcmp(names[kind], member->key) != 0) {
            kind++;
        }
        if (kind == WR_MAP_COUNT) {
            wri_json at = wri_at_key(member);
            return wri_fail_word(reader, &at, "key", member->key, names, WR_MAP_COUNT);
        }
        if (!wri_recipe_read_paint(reader, member, &r->paint[kind])) {
            return false;
        }
    }
    return true;
}

static void write_json(wri_json_writer *out, const char *key, const wri_json *value)
{
    switch (value->type) {
    case WRI_JSON_NULL:
        wri_json_write_null(out, key);
        break;
    case WRI_JSON_BOOL:
        wri_json_write_bool(out, key, value->boolean);
        break;
    case WRI_JSON_NUMBER:
        wri_json_write_number(out, key, value->number);
        break;
    case WRI_JSON_STRING:
        wri_json_write_string(out, key, value->string);
        break;
    case WRI_JSON_ARRAY:
        wri_json_begin_array(out, key);
        for (int i = 0; i < value->count; i++) {
            write_json(out, NULL, &value->items[i]);
        }
        wri_json_end_array(out);
        break;
    case WRI_JSON_OBJECT:
        wri_json_begin_object(out, key);
        for (int i = 0; i < value->count; i++) {
            write_json(out, value->items[i].key, &value->items[i]);
        }
        wri_json_end_object(out);
        break;
    }
}

// Keeps the material as text: what it means is known where scenes are read.
static bool read_material(wri_reader *reader, wr_recipe *r)
{
    const wri_json *value = r->raw.material;
    if (!value) {
        return true;
    }
    reader->where = "recipe";
    if (value->type != WRI_JSON_STRING && value->type != WRI_JSON_OBJECT) {
        return wri_fail_at(reader, value, "\"material\" is %s, expected an object or a name",
                           wri_json_type_name(value->type));
    }
    wri_json_writer out = wri_json_writer_create(&r->arena.allocator, false);
    write_json(&out, NULL, value);
    const char *text = wri_json_finish(&out);
    r->material = text ? wri_arena_text(&r->arena, text, strlen(text)) : NULL;
    wri_json_writer_destroy(&out);
    return r->material || wri_fail_memory(reader->error, 1);
}

// --- the whole --------------------------------------------------------------------------------

// "barrel" of "folder/barrel.recipe.json".
static const char *default_name(wri_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strcspn(name, ".");
    return wri_arena_text(arena, length ? name : "asset", length ? length : 5);
}

static bool read_recipe(wri_reader *reader, wr_recipe *r)
{
    r->raw.unit = r->raw.up = -1;
    r->raw.refine = -1.0;
    r->raw.name = default_name(&r->arena, r->path);
    if (!r->raw.name) {
        return wri_fail_memory(reader->error, 1);
    }
    const wri_json nothing = {.type = WRI_JSON_OBJECT};
    if (!wri_read_object(reader, &wri_recipe_table, r->root, &r->raw)) {
        return false;
    }
    if (!wri_recipe_read_source(reader, r)) {
        return false;
    }
    reader->where = "simulation";
    return wri_read_object(reader, &wri_simulation_table,
                           r->raw.simulation ? r->raw.simulation : &nothing, &r->simulation) &&
           check_simulation(reader, r) && read_handles(reader, r) &&
           wri_recipe_read_pins(reader, r) && read_examples(reader, r) && read_objects(reader, r) &&
           read_clips(reader, r) && read_paint(reader, r) && wri_recipe_read_cuts(reader, r) &&
           wri_recipe_read_morph(reader, r) && read_material(reader, r);
}

static bool read_file(wr_recipe *r, const char *path, wr_error *error)
{
    size_t size;
    char *text = wri_file_read(path, RECIPE_BYTES, &r->arena.allocator, &size, error);
    if (!text) {
        return false;
    }
    r->text_hash = wri_hash(text, size, 0);
    r->path = wri_arena_text(&r->arena, path, strlen(path));
    r->folder = wri_path_folder(&r->arena, path);
    wri_reader reader = {&r->arena, path, "recipe", r, error};
    bool ok = (r->path && r->folder) || wri_fail_memory(error, strlen(path));
    ok = ok && (r->root = wri_json_parse(&r->arena, text, size, path, true, error)) &&
         read_recipe(&reader, r);
    wri_free(&r->arena.allocator, text, size + 1, 1);
    return ok;
}

wr_recipe *wr_recipe_read(const char *path, const wr_allocator *allocator, wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(allocator);
    wr_recipe *recipe = wri_arena_alloc(&arena, 1, sizeof *recipe);
    if (!recipe) {
        wri_fail_memory(error, sizeof *recipe);
        return NULL;
    }
    recipe->arena = arena;
    if (!read_file(recipe, path, error)) {
        wr_recipe_destroy(recipe);
        return NULL;
    }
    return recipe;
}

void wr_recipe_destroy(wr_recipe *recipe)
{
    if (recipe) {
        wri_arena arena = recipe->arena;
        wri_arena_destroy(&arena);
    }
}
