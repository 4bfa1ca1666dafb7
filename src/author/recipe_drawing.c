// recipe_drawing.c: layers, pins and sprite sheets of a recipe.
#include "recipe.h"

enum { MOST_LAYERS = 256, MOST_PINS = 1000 };

bool wri_recipe_is_drawing(const wr_recipe *recipe)
{
    return recipe->raw.layers || recipe->raw.sheet ||
           (recipe->raw.model && wri_is_picture(recipe->raw.model));
}

int wri_recipe_find_layer(wri_reader *reader, const wr_recipe *recipe, const wri_json *at,
                          const char *key, const char *name)
{
    const char *names[MOST_LAYERS];
    for (int i = 0; i < recipe->layer_count; i++) {
        names[i] = recipe->layers[i].raw.name;
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    wri_fail_word(reader, at, key, name, names, recipe->layer_count);
    return -1;
}

// --- where the drawing comes from -------------------------------------------------------------

static bool read_layer(wri_reader *reader, wr_recipe *r, const wri_json *json)
{
    wri_recipe_layer *layer = &r->layers[r->layer_count];
    reader->where = "layer";
    const wri_json *name = wri_json_find(json, "name");
    if (name && name->type == WRI_JSON_STRING) {
        reader->where = wri_recipe_quoted(reader, "layer", name->string);
    }
    layer->json = json;
    if (!wri_read_object(reader, &wri_layer_table, json, &layer->raw)) {
        return false;
    }
    if (!wri_is_picture(layer->raw.image)) {
        return wri_fail_at(reader, json, "\"image\" is \"%s\", expected a .png", layer->raw.image);
    }
    for (int i = 0; i < r->layer_count; i++) {
        if (strcmp(r->layers[i].raw.name, layer->raw.name) == 0) {
            return wri_fail_at(reader, json, "has the name of another one");
        }
    }
    r->layer_count++;
    return layer->raw.name[0] || wri_fail_at(reader, json, "\"name\" is empty");
}

static bool read_layers(wri_reader *reader, wr_recipe *r)
{
    const wri_json *list = r->raw.layers;
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count < 1 || list->count > MOST_LAYERS) {
        return wri_fail_at(reader, list, "\"layers\" has %d, expected 1 to %d", list->count,
                           MOST_LAYERS);
    }
    r->layers = wri_arena_alloc(&r->arena, (size_t)list->count, sizeof *r->layers);
    if (!r->layers) {
        return wri_fail_memory(reader->error, (size_t)list->count * sizeof *r->layers);
    }
    for (int i = 0; i < list->count; i++) {
        if (!read_layer(reader, r, &list->items[i])) {
            return false;
        }
    }
    return true;
}

static bool read_sheet(wri_reader *reader, wr_recipe *r)
{
    const wri_json *json = r->raw.sheet;
    raw_sheet *sheet = &r->sheet;
    reader->where = "sheet";
    if (!wri_read_object(reader, &wri_sheet_table, json, sheet)) {
        return false;
    }
    bool has_grid = sheet->grid[0] > 0;
    if (has_grid == (sheet->data != NULL)) {
        return wri_fail_at(reader, json, "has %s, expected one of \"grid\" and \"data\"",
                           has_grid ? "both \"grid\" and \"data\"" : "no cells");
    }
    if (has_grid && !sheet->image) {
        return wri_fail_at(reader, json, "has a \"grid\" without an \"image\"");
    }
    if (sheet->image && !wri_is_picture(sheet->image)) {
        return wri_fail_at(reader, json, "\"image\" is \"%s\", expected a .png", sheet->image);
    }
    if (has_grid && sheet->grid[0] * sheet->grid[1] > WR_SKIN_EXAMPLES_MAX) {
        return wri_fail_at(reader, json, "\"grid\" has %d cells, expected at most %d",
                           sheet->grid[0] * sheet->grid[1], WR_SKIN_EXAMPLES_MAX);
    }
    return true;
}

bool wri_recipe_read_source(wri_reader *reader, wr_recipe *r)
{
    const raw_recipe *raw = &r->raw;
    int sources = (raw->model != NULL) + (raw->layers != NULL) + (raw->sheet != NULL);
    reader->where = "recipe";
    if (sources != 1) {
        return wri_fail_at(reader, r->root,
                           "has %s of \"model\", \"layers\" and \"sheet\", "
                           "expected one",
                           sources ? "more than one" : "none");
    }
    return wri_refuse_key(reader, r->root, "pins", !raw->layers, "without \"layers\"") &&
           wri_refuse_key(reader, r->root, "refine", wri_recipe_is_drawing(r), "for a drawing") &&
           (!raw->layers || read_layers(reader, r)) && (!raw->sheet || read_sheet(reader, r));
}

// --- pins -------------------------------------------------------------------------------------

static bool check_pin_name(wri_reader *reader, const wr_recipe *r, const wri_recipe_pin *pin)
{
    const char *name = pin->raw.name;
    bool taken = name[0] == '\0' || (name[0] == 'h' && name[1] != '\0' &&
                                     strspn(name + 1, "0123456789") == strlen(name + 1));
    for (int i = 0; i < r->place_count; i++) {
        taken = taken || strcmp(r->places[i].name, name) == 0;
    }
    for (int i = 0; i < r->pin_count; i++) {
        taken = taken || strcmp(r->pins[i].raw.name, name) == 0;
    }
    return !taken ||
           wri_fail_at(reader, pin->json,
                       "\"name\" is \"%s\", expected a name that no other handle has", name);
}

static bool read_pin(wri_reader *reader, wr_recipe *r, const wri_json *json)
{
    wri_recipe_pin *pin = &r->pins[r->pin_count];
    reader->where = "pin";
    pin->json = json;
    pin->raw.name = wri_arena_printf(&r->arena, "pin%d", r->pin_count);
    if (!pin->raw.name) {
        return wri_fail_memory(reader->error, 1);
    }
    if (!wri_read_object(reader, &wri_pin_table, json, &pin->raw) ||
        !check_pin_name(reader, r, pin)) {
        return false;
    }
    pin->layer =
        wri_recipe_find_layer(reader, r, wri_json_find(json, "layer"), "layer", pin->raw.layer);
    pin->to = pin->layer < 0 ? -1
                             : wri_recipe_find_layer(reader, r, wri_json_find(json, "to"), "layer",
                                                     pin->raw.to);
    if (pin->to < 0) {
        return false;
    }
    r->pin_count++;
    return pin->to != pin->layer ||
           wri_fail_at(reader, json, "ties \"%s\" to itself, expected another layer",
                       pin->raw.layer);
}

bool wri_recipe_read_pins(wri_reader *reader, wr_recipe *r)
{
    const wri_json *list = r->raw.pins;
    reader->where = "recipe";
    if (!list) {
        return true;
    }
    if (!wri_expect(reader, list, WRI_JSON_ARRAY)) {
        return false;
    }
    if (list->count > MOST_PINS) {
        return wri_fail_at(reader, list, "\"pins\" has %d, expected at most %d", list->count,
                           MOST_PINS);
    }
    r->pins = wri_arena_alloc(&r->arena, (size_t)list->count, sizeof *r->pins);
    if (!r->pins) {
        return wri_fail_memory(reader->error, (size_t)list->count * sizeof *r->pins);
    }
    for (int i = 0; i < list->count; i++) {
        if (!read_pin(reader, r, &list->items[i])) {
            return false;
        }
    }
    return true;
}
