// recipe_tables.c: every key of a recipe with its unit, range, default and meaning.
#include "recipe.h"

#include "../file/unit.h"

#include "wrought/morph.h"

#define FAR 1e6 // metres

#define SPOT_TYPE "`[x, y, z]`; of drawings also `[x, y]`"
#define SPOT_SCHEMA                                                                                \
    "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 3, \"items\": {\"type\": "               \
    "[\"number\", \"string\"]}}"
#define MOVES_TYPE "an object `{\"handle\": [x, y, z]}`; of drawings also `[x, y]`"
#define MOVES_SCHEMA "{\"type\": \"object\", \"additionalProperties\": " SPOT_SCHEMA "}"
#define TURNS_TYPE "an object `{\"handle\": turn}`; of drawings also `{\"handle\": degrees}`"
#define TURNS_SCHEMA                                                                               \
    "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [" WRI_TURN_SCHEMA               \
    ", {\"type\": [\"number\", \"string\"]}]}}"
#define SCALES_TYPE "an object `{\"handle\": [x, y]}`, or `[x, y]` for the whole drawing"
#define SCALE_SCHEMA                                                                               \
    "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": \"number\", "   \
    "\"minimum\": 0.01, \"maximum\": 100}}"
#define SCALES_SCHEMA                                                                              \
    "{\"anyOf\": [" SCALE_SCHEMA                                                                   \
    ", {\"type\": \"object\", \"additionalProperties\": " SCALE_SCHEMA "}]}"
#define REF(table) "{\"$ref\": \"#/$defs/" table "\"}"

// --- values -----------------------------------------------------------------------------------

// Three numbers; of drawings the third may be left out.
static bool read_spot(wri_reader *reader, const wri_json *value, const char *name, wr_vec3 *out)
{
    const wri_key number = {name, WRI_KEY_NUMBER, 0, -FAR, FAR, "m"};
    bool flat = wri_recipe_is_drawing(reader->context);
    double n[3] = {0};
    if (!wri_expect(reader, value, WRI_JSON_ARRAY)) {
        return false;
    }
    if (value->count != 3 && !(flat && value->count == 2)) {
        return wri_fail_at(reader, value, "\"%s\" has %d %s, expected %s", name, value->count,
                           wri_plural(value->count, "number", "numbers"), flat ? "2 or 3" : "3");
    }
    for (int i = 0; i < value->count; i++) {
        if (!wri_read_key(reader, &number, &value->items[i], &n[i])) {
            return false;
        }
    }
    *out = wr_v3((float)n[0], (float)n[1], (float)n[2]);
    return true;
}

static bool read_at(wri_reader *reader, const wri_json *value, void *field)
{
    return read_spot(reader, value, "at", field);
}

static const char *const spot_words[] = {"front", "rear",   "left",  "right",
                                         "top",   "bottom", "middle"};

// The axis of a word: 0, 1, 2 for ahead, left, up; 3: none of them.
bool wri_spot_read_words(const char *text, int way[3])
{
    bool said[4] = {false};
    way[0] = way[1] = way[2] = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        int word = 0;
        while (word < WRI_COUNT(spot_words) &&
               (strncmp(text, spot_words[word], length) != 0 || spot_words[word][length] != '\0')) {
            word++;
        }
        if (length == 0 || word == WRI_COUNT(spot_words) || said[word / 2]) {
            return false;
        }
        said[word / 2] = true;
        if (word / 2 < 3) {
            way[word / 2] = word % 2 == 0 ? 1 : -1;
        }
        text += length;
        text += *text == ' ' && text[1] != '\0';
    }
    return said[0] || said[1] || said[2] || said[3];
}

static bool read_place_at(wri_reader *reader, const wri_json *value, void *field)
{
    wri_spot *spot = field;
    if (value->type != WRI_JSON_STRING || wri_recipe_is_drawing(reader->context)) {
        return read_spot(reader, value, "at", &spot->at);
    }
    spot->is_named = true;
    return wri_spot_read_words(value->string, spot->way) ||
           wri_fail_at(reader, value,
                       "\"at\" is \"%s\", expected [x, y, z] or one each of front or rear, left or "
                       "right, top or bottom, such as \"front left top\"; or \"middle\"",
                       value->string);
}

static bool read_offset(wri_reader *reader, const wri_json *value, void *field)
{
    return read_spot(reader, value, "move", field);
}

static bool read_pair(wri_reader *reader, const wri_json *value, const wri_key *key, int *out)
{
    if (!wri_expect(reader, value, WRI_JSON_ARRAY)) {
        return false;
    }
    if (value->count != 2) {
        return wri_fail_at(reader, value, "\"%s\" has %d %s, expected 2", key->name, value->count,
                           wri_plural(value->count, "number", "numbers"));
    }
    return wri_read_key(reader, key, &value->items[0], &out[0]) &&
           wri_read_key(reader, key, &value->items[1], &out[1]);
}

static bool read_scale(wri_reader *reader, const wri_json *value, void *field)
{
    static const wri_key key = {"scale", WRI_KEY_NUMBER, 0, 0.01, 100};
    wr_vec2 *out = field;
    double n[2];
    if (!wri_expect(reader, value, WRI_JSON_ARRAY)) {
        return false;
    }
    if (value->count != 2) {
        return wri_fail_at(reader, value, "\"scale\" has %d %s, expected 2", value->count,
                           wri_plural(value->count, "number", "numbers"));
    }
    if (!wri_read_key(reader, &key, &value->items[0], &n[0]) ||
        !wri_read_key(reader, &key, &value->items[1], &n[1])) {
        return false;
    }
    *out = (wr_vec2){(float)n[0], (float)n[1]};
    return true;
}

bool wri_recipe_read_turn(wri_reader *reader, const wri_json *value, wr_quat *out)
{
    static const wri_key key = {"turn", WRI_KEY_ANGLE, 0, -36000, 36000, "deg"};
    bool is_angle = value->type == WRI_JSON_NUMBER || value->type == WRI_JSON_STRING;
    double angle;
    if (!is_angle || !wri_recipe_is_drawing(reader->context)) {
        return wri_read_turn(reader, value, out);
    }
    if (!wri_read_key(reader, &key, value, &angle)) {
        return false;
    }
    *out = wr_quat_from_axis_angle(wr_v3(0, 0, 1), (float)angle);
    return true;
}

static bool read_pixels(wri_reader *reader, const wri_json *value, void *field)
{
    static const wri_key key = {"at", WRI_KEY_INTEGER, 0, -16384, 16384};
    return read_pair(reader, value, &key, field);
}

static bool read_grid(wri_reader *reader, const wri_json *value, void *field)
{
    static const wri_key key = {"grid", WRI_KEY_INTEGER, 0, 1, WR_SKIN_EXAMPLES_MAX};
    return read_pair(reader, value, &key, field);
}

#define PAIR_SCHEMA(least, most)                                                                   \
    "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": \"integer\", "  \
    "\"minimum\": " least ", \"maximum\": " most "}}"

// --- tables -----------------------------------------------------------------------------------

static const wri_key recipe_keys[] = {
    {"wrought", WRI_KEY_INTEGER, offsetof(raw_recipe, version), 1, 1,
     .about = "version of the file format: 1", .required = true},
    {"name", WRI_KEY_TEXT, offsetof(raw_recipe, name),
     .about = "of the asset; default: the file's name"},
    {"model", WRI_KEY_TEXT, offsetof(raw_recipe, model),
     .about =
         "the artist's model, relative to the recipe: `.glb`, `.obj`, `.fbx` and others; or a "
         "`.png` with alpha, which becomes flat. A recipe has either this, `layers` or `sheet`"},
    {"layers", WRI_KEY_CUSTOM, offsetof(raw_recipe, layers),
     .about = "instead of `model`: a drawing in several pictures with alpha, the hindmost first; "
              "each becomes a flat mesh of its own",
     .read = wri_keep_json, .type = "a list of `layer` objects",
     .schema = WRI_LIST_SCHEMA("layer")},
    {"pins", WRI_KEY_CUSTOM, offsetof(raw_recipe, pins),
     .about = "with `layers`: what ties them to one another", .read = wri_keep_json,
     .type = "a list of `pin` objects", .schema = WRI_LIST_SCHEMA("pin")},
    {"sheet", WRI_KEY_CUSTOM, offsetof(raw_recipe, sheet),
     .about = "instead of `model`: a sprite sheet; one cell is the drawing, every other one is "
              "registered to it and becomes an example",
     .read = wri_keep_json, .type = "a `sheet` object", .schema = REF("sheet")},
    {"objects", WRI_KEY_CUSTOM, offsetof(raw_recipe, objects),
     .about =
         "which objects of the model: nodes or meshes with one of these names, and nodes below "
         "them; a star at the end of a name stands for any rest. Default: all",
     .read = wri_keep_json, .type = "a list of names",
     .schema = "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}"},
    {"unit", WRI_KEY_CHOICE, offsetof(raw_recipe, unit),
     .about = "of the model's lengths. Default: what the file says, else metres",
     .choices = wri_unit_words},
    {"up", WRI_KEY_CHOICE, offsetof(raw_recipe, up),
     .about = "which axis of the model points up. Default: what the file says, else y",
     .choices = wri_up_words},
    {"refine", WRI_KEY_NUMBER, offsetof(raw_recipe, refine), 0.001, 1,
     .about =
         "edges of the model that are longer than this share of its size are halved until none "
         "is, as folds of a crush need it; its vertices keep their numbers. A `sculpt` or "
         "`recording` has those of the finer model. Default: it stays as it is"},
    {"simulation", WRI_KEY_CUSTOM, offsetof(raw_recipe, simulation),
     .about = "the mesh that is simulated", .read = wri_keep_json, .type = "a `simulation` object",
     .schema = REF("simulation")},
    {"handles", WRI_KEY_CUSTOM, offsetof(raw_recipe, handles),
     .about = "what the artist moves; a drawing has at most 128, including those of its pins. "
              "Default: 12 automatic ones",
     .read = wri_keep_json, .type = "a `handles` object", .schema = REF("handles")},
    {"examples", WRI_KEY_CUSTOM, offsetof(raw_recipe, examples),
     .about = "how the body may deform, at most 255", .read = wri_keep_json,
     .type = "a list of `example` objects", .schema = WRI_LIST_SCHEMA("example")},
    {"clips", WRI_KEY_CUSTOM, offsetof(raw_recipe, clips),
     .about = "with `\"skin\": true` in `handles`: which clips of the model the asset keeps, for "
              "bodies that play them. Default: all",
     .read = wri_keep_json, .type = "a list of names; `\"#0\"`, `\"#1\"`, … count the model's",
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"},
    {"material", WRI_KEY_CUSTOM, offsetof(raw_recipe, material),
     .about = "the material of bodies that name none themselves; as in a scene",
     .read = wri_keep_json, .type = "as a body's `material` in a scene", .schema = REF("material")},
    {"paint", WRI_KEY_CUSTOM, offsetof(raw_recipe, paint),
     .about = "factors on the material that vary over the surface: `strength` (2 bends half "
              "as far), `yield` (how hard a hit must be), `reach` (how far a dent spreads); "
              "of clay `strength` (its stiffness), `yield`, `flow` (how fast it flows) and "
              "`spacing` (distance of its particles; within a factor of 4); of flesh `strength` "
              "(its stiffness) and `thickness` (of the layer; 0: there is none)",
     .read = wri_keep_json, .type = "an object `{\"strength\": paint, ...}`",
     .schema =
         "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": "
         "{\"strength\": " REF("paint") ", \"yield\": " REF("paint") ", \"reach\": " REF(
             "paint") ", \"flow\": " REF("paint") ", \"spacing\": " REF("paint") ", "
                                                                                 "\"thickness\":"
                                                                                 " " REF(
                                                                                     "paint") "}}"},
    {"morph", WRI_KEY_CUSTOM, offsetof(raw_recipe, morph),
     .about = "for bodies of `morph`: morph targets of the model, the poses they belong to and how "
              "stiff they are. `handles` are then the joints of the model's skin, or one bone "
              "alone where it has none",
     .read = wri_keep_json, .type = "a `morph` object", .schema = REF("morph")},
    {"cuts", WRI_KEY_CUSTOM, offsetof(raw_recipe, cuts),
     .about = "where it breaks when it is metal, at most 64; together they make at most 64 "
              "fragments. Later cuts divide what earlier ones leave",
     .read = wri_keep_json, .type = "a list of `cut` objects", .schema = WRI_LIST_SCHEMA("cut")},
    {"inside", WRI_KEY_TEXT, offsetof(raw_recipe, inside),
     .about = "with `cuts`: the look of the model that cut faces get. Default: bare grey metal"},
};

static const wri_key layer_keys[] = {
    {"name", WRI_KEY_TEXT, offsetof(raw_layer, name), .about = "its name in handles and pins",
     .required = true},
    {"image", WRI_KEY_TEXT, offsetof(raw_layer, image), .about = "a `.png` with alpha",
     .required = true},
    {"at", WRI_KEY_CUSTOM, offsetof(raw_layer, at), .unit = "pixels", .fallback = "[0, 0]",
     .about = "where its upper left corner is on the canvas, from the canvas's upper left corner, "
              "y down, as drawing programs say. The canvas holds all layers; its lower left corner "
              "is the origin",
     .read = read_pixels, .type = "`[x, y]`", .schema = PAIR_SCHEMA("-16384", "16384")},
};

static const wri_key sheet_keys[] = {
    {"image", WRI_KEY_TEXT, offsetof(raw_sheet, image),
     .about = "a `.png` with alpha, with `grid`. With `data` it replaces the picture named there"},
    {"grid", WRI_KEY_CUSTOM, offsetof(raw_sheet, grid),
     .about = "how many cells of one size the picture has, row after row from the upper left; "
              "empty ones at the end are left out. Examples are called `cell 1`, `cell 2`, …",
     .read = read_grid, .type = "`[columns, rows]`", .schema = PAIR_SCHEMA("1", "256")},
    {"data", WRI_KEY_TEXT, offsetof(raw_sheet, data),
     .about =
         "the `.json` that Aseprite or TexturePacker wrote, as array or hash, instead of "
         "`grid`; trimmed and rotated frames are put back. Examples get the names of the frames "
         "without their file extension; within a tag, the tag and their number in it, `walk 1`"},
    {"cell", WRI_KEY_INTEGER, offsetof(raw_sheet, cell), 0, WR_SKIN_EXAMPLES_MAX - 1, NULL, "0",
     "which cell is the drawing, counted from 0; choose one in which limbs do not touch"},
};

static const wri_key pin_keys[] = {
    {"name", WRI_KEY_TEXT, offsetof(raw_pin, name),
     .about = "of the handle at the pin. Default: `pin0`, `pin1`, …; where a handle is placed, "
              "that one stays"},
    {"layer", WRI_KEY_TEXT, offsetof(raw_pin, layer), .about = "the layer that hangs",
     .required = true},
    {"at", WRI_KEY_CUSTOM, offsetof(raw_pin, at), .unit = "m",
     .about = "where, inside both layers; the simulation mesh of the first gets a vertex and a "
              "handle exactly there",
     .read = read_at, .type = SPOT_TYPE, .schema = SPOT_SCHEMA, .required = true},
    {"to", WRI_KEY_TEXT, offsetof(raw_pin, to), .about = "the layer it hangs on", .required = true},
};

static const wri_key simulation_keys[] = {
    {"vertices", WRI_KEY_INTEGER, offsetof(raw_simulation, vertices), 8, 1000000, NULL, "1800",
     "how many vertices it gets, within a tenth; fewer are faster, more are finer"},
    {"smoothing", WRI_KEY_INTEGER, offsetof(raw_simulation, smoothing), 0, 100, NULL, "8",
     "passes that pull its boundary to the surface"},
    {"separate", WRI_KEY_BOOL, offsetof(raw_simulation, separate), .fallback = "true",
     .about = "whether parts that do not touch get meshes of their own"},
    {"trim", WRI_KEY_NUMBER, offsetof(raw_simulation, trim), 0, 0.5, NULL, "0",
     "parts that touch another one and have at most this share of its size, such as handles, lamps "
     "and buttons, get no mesh of their own but belong to that one; 0: none"},
    {"mesh", WRI_KEY_TEXT, offsetof(raw_simulation, mesh),
     .about = "tetrahedra of your own instead, a MEDIT `.mesh` in the model's unit and axes"},
    {"pixel", WRI_KEY_NUMBER, offsetof(raw_simulation, pixel), 1e-6, 1000, "m", "0.01",
     "how wide a pixel of a picture is"},
};

static const wri_key handles_keys[] = {
    {"automatic", WRI_KEY_INTEGER, offsetof(raw_handles, automatic), 0, 1000, NULL, "0",
     "how many are found on the surface (in drawings, over limbs and middle) in addition to those "
     "placed; they are called `h0`, `h1`, …"},
    {"place", WRI_KEY_CUSTOM, offsetof(raw_handles, place),
     .about = "points of your own; the simulation mesh gets a vertex exactly there",
     .read = wri_keep_json, .type = "a list of `place` objects",
     .schema = WRI_LIST_SCHEMA("place")},
    {"skin", WRI_KEY_BOOL, offsetof(raw_handles, skin), .fallback = "false",
     .about = "take the joints of the model's skin as handles, with their weights; no other key is "
              "allowed then"},
    {"graph", WRI_KEY_TEXT, offsetof(raw_handles, graph),
     .about = "bones and points from a `.tgf` file in the model's unit and axes"},
    {"weights", WRI_KEY_TEXT, offsetof(raw_handles, weights),
     .about = "weights of your own from a `.dmat` file, a row per vertex of `mesh` and a column "
              "per handle. Default: bounded biharmonic weights are computed"},
};

static const wri_key place_keys[] = {
    {"name", WRI_KEY_TEXT, offsetof(raw_place, name), .about = "its name in examples",
     .required = true},
    {"at", WRI_KEY_CUSTOM, offsetof(raw_place, at), .unit = "m",
     .about =
         "where, in the model's frame at rest; in words it is the point of the surface that is "
         "nearest to that corner, edge or side of the model's box: one each of front or rear, "
         "left or right, top or bottom, or `middle`. The front is the positive end of the "
         "longer horizontal axis, as of a `crush`, left is seen from within",
     .read = read_place_at,
     .type = "`[x, y, z]`, or words such as `\"front left top\"`; of drawings `[x, y]`",
     .schema = "{\"anyOf\": [" SPOT_SCHEMA ", {\"type\": \"string\"}]}"},
    {"node", WRI_KEY_TEXT, offsetof(raw_place, node),
     .about = "instead of `at`: where this node of the model is at rest, such as an empty or a "
              "bone"},
    {"mirror", WRI_KEY_BOOL, offsetof(raw_place, mirror), .fallback = "false",
     .about = "whether there is another one where the middle plane of the model's box mirrors it, "
              "which has `right` in its name for `left`, and the other way round. The model must "
              "be symmetric there"},
    {"layer", WRI_KEY_TEXT, offsetof(raw_place, layer),
     .about = "with `layers`: the layer it belongs to. Default: the front one there"},
};

static const wri_key example_keys[] = {
    {"name", WRI_KEY_TEXT, offsetof(raw_example, name), .about = "how it is called",
     .required = true},
    {"move", WRI_KEY_CUSTOM, offsetof(raw_example, move), .unit = "m",
     .about = "handles that are moved, and by how much; their rotations are found. A handle may be "
              "called by its place, as in `at`: `\"front left top\"` is the one nearest to it",
     .type = MOVES_TYPE, .schema = MOVES_SCHEMA, .read = wri_keep_json},
    {"turn", WRI_KEY_CUSTOM, offsetof(raw_example, turn),
     .about =
         "handles that are turned. What hangs on a turned joint of a skin or bone of a graph goes "
         "with it, the rest stays as it is. Handles that are not moved too stay where they "
         "are; with `follow`, and in a layer that hangs by pins, they go where the others take "
         "them",
     .type = TURNS_TYPE, .schema = TURNS_SCHEMA, .read = wri_keep_json},
    {"scale", WRI_KEY_CUSTOM, offsetof(raw_example, scale),
     .about = "of drawings: how many times wider and higher the shape is around a handle, before "
              "it turns. For the whole drawing: every handle is scaled about the middle of the "
              "lower edge, and then moved and turned as `move` and `turn` say. Squash and stretch "
              "keep the area if x times y is 1",
     .type = SCALES_TYPE, .schema = SCALES_SCHEMA, .read = wri_keep_json},
    {"follow", WRI_KEY_BOOL, offsetof(raw_example, follow), .fallback = "false",
     .about = "with `move`, `turn` or `scale`: whether the other handles may follow; otherwise "
              "they stay"},
    {"clip", WRI_KEY_TEXT, offsetof(raw_example, clip), .about = "a clip of the model"},
    {"time", WRI_KEY_NUMBER, offsetof(raw_example, time), 0, 86400, "s",
     .about = "with `clip`: the time in it. Default: its last key"},
    {"morph", WRI_KEY_TEXT, offsetof(raw_example, morph), .about = "a morph target of the model"},
    {"amount", WRI_KEY_NUMBER, offsetof(raw_example, amount), -10, 10, NULL, "1",
     "with `morph`: its weight"},
    {"sculpt", WRI_KEY_TEXT, offsetof(raw_example, sculpt),
     .about = "a model file with the same vertices in the same order, in other places"},
    {"recording", WRI_KEY_CUSTOM, offsetof(raw_example, recording),
     .about = "a body in a frame of a simulation", .read = wri_keep_json,
     .type = "a `recording` object", .schema = REF("recording")},
    {"crush", WRI_KEY_CUSTOM, offsetof(raw_example, crush),
     .about = "the model pressed as if it were sheet metal: computed when the recipe is built",
     .read = wri_keep_json, .type = "a `crush` object", .schema = REF("crush")},
};

static const char *const place_words[] = {"front", "rear",      "left side", "right side",
                                          "roof",  "flattened", NULL};
static const char *const shape_words[] = {"plane", "sphere", "post", "box", "wedge", NULL};

static const wri_key crush_keys[] = {
    {"place", WRI_KEY_CHOICE, offsetof(raw_crush, place), .fallback = "\"front\"",
     .about = "where; every other key changes what it stands for. The front is the positive end of "
              "the longer horizontal axis",
     .choices = place_words},
    {"shape", WRI_KEY_CHOICE, offsetof(raw_crush, shape),
     .about = "what presses: a wall, a ball, an upright cylinder, a beam's end or an edge",
     .choices = shape_words},
    {"tool", WRI_KEY_TEXT, offsetof(raw_crush, tool),
     .about = "instead of `shape`: a closed model that presses, in its own size and orientation"},
    {"direction", WRI_KEY_VECTOR, offsetof(raw_crush, direction), -FAR, FAR,
     .about = "which way it presses"},
    {"depth", WRI_KEY_NUMBER, offsetof(raw_crush, depth), 0, FAR, "m",
     .about = "how far, from the first touch, whatever crosses. Default: as the place has it, and "
              "less where more than 0.5 % of the triangles would cross others; `rig` says so"},
    {"size", WRI_KEY_NUMBER, offsetof(raw_crush, size), 0, FAR, "m",
     .about = "radius of a sphere, a post or a wedge's edge, half the width of a box"},
    {"axis", WRI_KEY_VECTOR, offsetof(raw_crush, axis), -FAR, FAR,
     .about = "along which a post, box or wedge lies"},
    {"at", WRI_KEY_VECTOR, offsetof(raw_crush, at), -FAR, FAR, "m",
     .about =
         "a point that the middle of the shape goes through. Default: the model's middle, or what "
         "is nearest to it where there is nothing in the way"},
    {"hold", WRI_KEY_NUMBER, offsetof(raw_crush, hold), 0, 1,
     .about = "share of the model's length along the direction behind which it is held; 1: it lies "
              "against a wall"},
    {"cell", WRI_KEY_NUMBER, offsetof(raw_crush, cell), 0, FAR, "m",
     .about = "length of the smallest folds, at least a thousandth of the model. Default: a little "
              "more than its edges"},
    {"rigid", WRI_KEY_CUSTOM, offsetof(raw_crush, rigid),
     .about = "parts that stay rigid: words in the names of nodes, meshes or looks",
     .read = wri_keep_json, .type = "a list of words",
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"},
};

static const wri_key recording_keys[] = {
    {"file", WRI_KEY_TEXT, offsetof(raw_recording, file),
     .about = "a recording, or the folder that `wrought sim` left it in"},
    {"scene", WRI_KEY_TEXT, offsetof(raw_recording, scene),
     .about = "a scene file instead: it is simulated when the recipe is built, once and as far as "
              "its examples need; the recording is kept in the cache until the scene changes"},
    {"body", WRI_KEY_TEXT, offsetof(raw_recording, body),
     .about = "a body that shows the recipe's model", .required = true},
    {"time", WRI_KEY_NUMBER, offsetof(raw_recording, time), 0, 86400 * 365.0, "s",
     .about = "the time. Default: the end"},
    {"frame", WRI_KEY_INTEGER, offsetof(raw_recording, frame), 0, 10000000,
     .about = "the frame, counted from 0, instead of `time`"},
};

const char *const wri_channel_words[] = {"red", "green", "blue", "alpha", NULL};

static const wri_key paint_keys[] = {
    {"vertex_color", WRI_KEY_CHOICE, offsetof(raw_paint, vertex_color),
     .about = "a channel of the model's vertex colours", .choices = wri_channel_words},
    {"picture", WRI_KEY_TEXT, offsetof(raw_paint, picture),
     .about =
         "instead of `vertex_color`: a `.png` or `.jpg` mapped by the model's texture coordinates"},
    {"parts", WRI_KEY_CUSTOM, offsetof(raw_paint, parts),
     .about = "instead of both: full on these parts of the model and black elsewhere, as in `cut`; "
              "with a large `to` of `strength` they stay as they are",
     .read = wri_keep_json, .type = "a list of names",
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"},
    {"channel", WRI_KEY_CHOICE, offsetof(raw_paint, channel), .fallback = "\"red\"",
     .about = "with `picture`: its channel", .choices = wri_channel_words},
    {"from", WRI_KEY_NUMBER, offsetof(raw_paint, from), 0, 1000, NULL, "0",
     "the factor where the channel is black"},
    {"to", WRI_KEY_NUMBER, offsetof(raw_paint, to), 0, 1000, NULL, "1",
     "the factor where it is full"},
};

static const wri_key cut_keys[] = {
    {"plane", WRI_KEY_CUSTOM, offsetof(raw_cut, plane), .about = "a plane parts it in two",
     .read = wri_keep_json, .type = "a `plane` object", .schema = REF("plane")},
    {"seeds", WRI_KEY_CUSTOM, offsetof(raw_cut, seeds), .unit = "m",
     .about = "a fragment for each of these 2 to 64 points: what is nearest to it (Voronoi cells)",
     .read = wri_keep_json, .type = "a list of `[x, y, z]`",
     .schema = "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 64, \"items\": "
               "{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": {\"type\": "
               "[\"number\", \"string\"]}}}"},
    {"scatter", WRI_KEY_INTEGER, offsetof(raw_cut, scatter), 2, WR_FRAGMENTS_MAX,
     .about = "as many such points, scattered over the body"},
    {"seed", WRI_KEY_INTEGER, offsetof(raw_cut, seed), 0, 1000000, NULL, "0",
     "with `scatter`: another number scatters them otherwise"},
    {"groups", WRI_KEY_CUSTOM, offsetof(raw_cut, groups),
     .about = "a fragment for each of these groups of handles: what follows its handles more than "
              "those of the others",
     .read = wri_keep_json, .type = "a list of lists of handles",
     .schema = "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 64, \"items\": "
               "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}}"},
    {"parts", WRI_KEY_CUSTOM, offsetof(raw_cut, parts),
     .about = "a fragment for each of these parts of the model, and one for the rest: what a node "
              "(of an OBJ file an object), a mesh or a look with this name has; a star at the end "
              "of a name stands for any rest",
     .read = wri_keep_json, .type = "a list of names",
     .schema = "{\"type\": \"array\", \"minItems\": 1, \"maxItems\": 63, \"items\": "
               "{\"type\": \"string\"}}"},
    {"strength", WRI_KEY_NUMBER, offsetof(raw_cut, strength), 0, 1e6, NULL, "1",
     "factor on the strength of the material here"},
};

static const wri_key morph_keys[] = {
    {"stiffness", WRI_KEY_NUMBER, offsetof(raw_morph, stiffness), 1, 1e12, "Pa", "20000",
     "Young's modulus of all targets, before their own factors"},
    {"poisson", WRI_KEY_NUMBER, offsetof(raw_morph, poisson), 0, 0.49, NULL, "0.4",
     "Poisson's ratio; at 0.5 its volume would not change at all, which tetrahedra cannot do"},
    {"paint", WRI_KEY_CUSTOM, offsetof(raw_morph, paint),
     .about = "a factor on the stiffness of all targets that varies over the surface: heads and "
              "hands are firm",
     .read = wri_keep_json, .type = "a `paint` object", .schema = REF("paint")},
    {"modes", WRI_KEY_INTEGER, offsetof(raw_morph, modes), 0, WR_MORPH_MODES_MAX, NULL, "14",
     "modes of vibration in which reduced bodies move, besides one per target; 0: only whole "
     "bodies can be made of it"},
    {"stvk", WRI_KEY_BOOL, offsetof(raw_morph, stvk), .fallback = "false",
     .about = "whether it keeps what reduced bodies with `\"elasticity\": \"stvk\"` need, "
              "instead of finding it when a scene begins"},
    {"smoothing", WRI_KEY_NUMBER, offsetof(raw_morph, smoothing), 0, 100, NULL, "0",
     "of the interpolation between poses, in mean distances of targets; more than 0 no longer "
     "goes through them"},
    {"rounding", WRI_KEY_NUMBER, offsetof(raw_morph, rounding), 0, 100, NULL, "0",
     "radius, in the same unit, within which shape and stiffness go smoothly through a target; 0: "
     "with a kink"},
    {"scalars", WRI_KEY_CUSTOM, offsetof(raw_morph, scalars),
     .about = "numbers that belong to a pose besides its joints, and what one of each counts in "
              "radians of a joint: `{\"angry\": 1}`; a body's `scalars` in a scene say what they "
              "are",
     .read = wri_keep_json, .type = "an object `{\"name\": scale}`",
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"number\", "
               "\"minimum\": 1e-6, \"maximum\": 1000000}}"},
    {"targets", WRI_KEY_CUSTOM, offsetof(raw_morph, targets),
     .about = "which shape belongs to which pose. The model itself is at rest unless it is among "
              "them, as `rest`",
     .read = wri_keep_json, .type = "a list of `target` objects",
     .schema = WRI_LIST_SCHEMA("target")},
};

static const wri_key target_keys[] = {
    {"target", WRI_KEY_TEXT, offsetof(raw_target, target),
     .about = "a morph target of the model, by its name or as `#0`, `#1`, …; `rest`: the model "
              "itself",
     .required = true},
    {"clip", WRI_KEY_TEXT, offsetof(raw_target, clip),
     .about = "the pose it belongs to: a clip of the model. Default: the pose at rest"},
    {"time", WRI_KEY_NUMBER, offsetof(raw_target, time), 0, 86400, "s",
     .about = "with `clip`: the time in it. Default: its last key"},
    {"scalars", WRI_KEY_CUSTOM, offsetof(raw_target, scalars),
     .about = "what scalars are there where they are not 0: `{\"angry\": 1}`",
     .read = wri_keep_json, .type = "an object `{\"name\": number}`",
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"number\"}}"},
    {"stiffness", WRI_KEY_NUMBER, offsetof(raw_target, stiffness), 1e-4, 1e4, NULL, "1",
     "factor on the stiffness of all"},
    {"paint", WRI_KEY_CUSTOM, offsetof(raw_target, paint),
     .about = "another factor on it, which varies over the surface", .read = wri_keep_json,
     .type = "a `paint` object", .schema = REF("paint")},
    {"poisson", WRI_KEY_NUMBER, offsetof(raw_target, poisson), 0, 0.49,
     .about = "its own Poisson's ratio. Default: that of all"},
};

static const wri_key plane_keys[] = {
    {"normal", WRI_KEY_VECTOR, offsetof(raw_plane, normal), -FAR, FAR,
     .about = "direction across the plane", .required = true},
    {"at", WRI_KEY_VECTOR, offsetof(raw_plane, at), -FAR, FAR, "m", .about = "a point of it",
     .required = true},
};

const wri_table wri_recipe_table = WRI_TABLE("recipe", recipe_keys, "The whole file.");
const wri_table wri_simulation_table =
    WRI_TABLE("simulation", simulation_keys, "The mesh of tetrahedra around the model.");
const wri_table wri_handles_table = WRI_TABLE("handles", handles_keys, "What the artist moves.");
const wri_table wri_place_table = WRI_TABLE("place", place_keys, "A handle of your own.");
const wri_table wri_example_table = WRI_TABLE(
    "example", example_keys,
    "One deformed state. It has one source: `move`, `turn` and `scale`, or `clip`, `morph`, "
    "`sculpt`, `recording` or "
    "`crush`. What handles cannot express of the last five is kept as an offset per vertex.");
const wri_table wri_recording_table = WRI_TABLE(
    "recording", recording_keys,
    "A frame of a simulation: of an existing recording (`file`), or of a scene (`scene`).");
const wri_table wri_crush_table =
    WRI_TABLE("crush", crush_keys, "Something that is pressed into the model; see crush.md.");
const wri_table wri_paint_table =
    WRI_TABLE("paint", paint_keys, "A factor that varies over the surface.");
const wri_table wri_cut_table =
    WRI_TABLE("cut", cut_keys,
              "A way to come apart: one of `plane`, `seeds`, `scatter`, `groups` and `parts`.");
const wri_table wri_plane_table = WRI_TABLE("plane", plane_keys, "A plane in the model's frame.");

const wri_table wri_morph_table =
    WRI_TABLE("morph", morph_keys,
              "What bodies of `morph` are made of: shapes and stiffness that follow the pose.");
const wri_table wri_target_table = WRI_TABLE(
    "target", target_keys,
    "A shape that belongs to a pose. Between poses both shape and stiffness are interpolated.");

const wri_table wri_layer_table =
    WRI_TABLE("layer", layer_keys, "One of several pictures of a drawing.");
const wri_table wri_sheet_table =
    WRI_TABLE("sheet", sheet_keys, "Pictures of one drawing in many poses.");
const wri_table wri_pin_table =
    WRI_TABLE("pin", pin_keys,
              "A point that two layers share. A layer that hangs by pins follows what it hangs on: "
              "in an example the pin goes where the other layer takes it, and handles of the "
              "hanging layer that are not moved follow.");

const wri_key wri_offset_key = {
    .name = "move", .kind = WRI_KEY_CUSTOM, .unit = "m", .read = read_offset};
const wri_key wri_scale_key = {.name = "scale", .kind = WRI_KEY_CUSTOM, .read = read_scale};

// --- documentation ----------------------------------------------------------------------------

const wri_table *const wri_recipe_chapters[] = {
    &wri_recipe_table,     &wri_layer_table,   &wri_pin_table,   &wri_sheet_table,
    &wri_simulation_table, &wri_handles_table, &wri_place_table, &wri_example_table,
    &wri_recording_table,  &wri_crush_table,   &wri_turn_table,  &wri_paint_table,
    &wri_cut_table,        &wri_plane_table,   &wri_morph_table, &wri_target_table,
};
const int wri_recipe_chapter_count = WRI_COUNT(wri_recipe_chapters);

static const char introduction[] =
    "# Recipes\n"
    "\n"
    "Written by `make docs` from the tables of the reader; do not edit by hand.\n"
    "The same as a JSON Schema: [recipe.schema.json](recipe.schema.json).\n"
    "\n"
    "A recipe says how a model becomes an asset: `wrought new` starts one, `wrought rig` builds "
    "it,\n"
    "scenes take it as it is. It is JSON; `//` and `/* */` comments and trailing commas are\n"
    "allowed. Lengths are metres in the model's frame, +Y up, angles are degrees. Every key that "
    "is\n"
    "not listed here, every wrong type and every value out of range is an error with file, line "
    "and\n"
    "column. File names are relative to the recipe.\n";

char *wr_recipe_reference(size_t *size, wr_error *error)
{
    if (!WRI_REQUIRE(error, size)) {
        return NULL;
    }
    wri_array out = wri_array_create(NULL, 1);
    wri_say(&out, "%s", introduction);
    for (int i = 0; i < wri_recipe_chapter_count; i++) {
        wri_describe_table(&out, wri_recipe_chapters[i]);
    }
    return wri_finish_text(&out, size, error);
}
