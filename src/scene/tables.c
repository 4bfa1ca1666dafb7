// tables.c: every key of a scene file with its unit, range, default and meaning.
#include "tables.h"

#include "../file/unit.h"

#define FAR 1e6 // metres; also the fastest speed, m/s

// --- values with a form of their own ----------------------------------------------------------

static bool read_rate(wri_reader *reader, const wri_json *value, void *field)
{
    const wri_key part = {.name = "frames", .min = 1, .max = 1000000};
    raw_rate *rate = field;
    *rate = (raw_rate){0, 1};
    if (value->type == WRI_JSON_ARRAY && value->count == 2) {
        wri_key key = part;
        key.kind = WRI_KEY_INTEGER;
        return wri_read_key(reader, &key, &value->items[0], &rate->numerator) &&
               wri_read_key(reader, &key, &value->items[1], &rate->denominator);
    }
    if (value->type != WRI_JSON_NUMBER) {
        return wri_fail_at(reader, value,
                           "\"frames\" expects a whole number or [numerator, denominator]");
    }
    wri_key key = part;
    key.kind = WRI_KEY_INTEGER;
    key.max = 1000;
    return wri_read_key(reader, &key, value, &rate->numerator);
}

// --- tables -----------------------------------------------------------------------------------

#define COPIES_TYPE "one `copies` object, or a list of them for rows of rows"
#define COPIES_SCHEMA                                                                              \
    "{\"oneOf\": [{\"$ref\": \"#/$defs/copies\"}, {\"type\": \"array\", "                          \
    "\"items\": {\"$ref\": \"#/$defs/copies\"}, \"maxItems\": 4}]}"

static const wri_key scene_keys[] = {
    {"wrought", WRI_KEY_INTEGER, offsetof(raw_scene, version), 1, 1,
     .about = "version of the file format: 1", .required = true},
    {"name", WRI_KEY_TEXT, offsetof(raw_scene, name), .fallback = "\"scene\"",
     .about = "title, shown in reports and kept in the recording"},
    {"length", WRI_KEY_NUMBER, offsetof(raw_scene, length), 0.001, 86400, "s", "5",
     "how long to simulate"},
    {"frames", WRI_KEY_CUSTOM, offsetof(raw_scene, frames), .fallback = "60", .unit = "1/s",
     .about = "frames per second, 1 to 1000, or a fraction such as `[30000, 1001]`",
     .read = read_rate, .type = "a whole number or `[numerator, denominator]`",
     .schema = "{\"oneOf\": [{\"type\": \"integer\", \"minimum\": 1, \"maximum\": 1000}, "
               "{\"type\": \"array\", \"items\": {\"type\": \"integer\", \"minimum\": 1, "
               "\"maximum\": 1000000}, \"minItems\": 2, \"maxItems\": 2}]}"},
    {"substeps", WRI_KEY_INTEGER, offsetof(raw_scene, substeps), 1, 1000,
     .about = "simulation steps per frame; more are more exact and slower. Default: 4; if only "
              "sprites move, as many as make steps of at most 1/60 s"},
    {"gravity", WRI_KEY_VECTOR, offsetof(raw_scene, gravity), -1e4, 1e4, "m/s^2", "[0, -9.81, 0]",
     "acceleration of everything that moves"},
    {"wind", WRI_KEY_VECTOR, offsetof(raw_scene, wind), -1000, 1000, "m/s", "[0, 0, 0]",
     "velocity of the air, which bodies of `morph` with some `air` feel"},
    {"iterations", WRI_KEY_INTEGER, offsetof(raw_scene, iterations), 1, 1000, NULL, "30",
     "sweeps of the contact solver per step; raise it for tall stacks and heavy chains"},
    {"sleeping", WRI_KEY_BOOL, offsetof(raw_scene, sleeping), .fallback = "true",
     .about = "whether bodies at rest stop being simulated until something touches them"},
    {"two_phases", WRI_KEY_BOOL, offsetof(raw_scene, two_phases), .fallback = "false",
     .about = "whether every step is computed twice, as in the thesis behind metal: metal bends by "
              "the impulses of the first time, then all bodies go back to where they were and move "
              "with the new shapes; costs twice as much"},
    {"assets", WRI_KEY_CUSTOM, offsetof(raw_scene, assets),
     .about = "names for models (`.glb`, `.gltf`, `.obj`, `.ply`, `.off`, `.mesh`, `.fbx`, `.dae`, "
              "`.stl` ...), built assets (`.glb`) and recipes (`.recipe.json`, built when needed), "
              "relative to the scene file",
     .read = wri_keep_json, .type = "an object `{\"name\": \"file\"}` or `{\"name\": asset}`",
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"oneOf\": [{\"type\": "
               "\"string\"}, {\"$ref\": \"#/$defs/asset\"}]}}"},
    {"bodies", WRI_KEY_CUSTOM, offsetof(raw_scene, bodies), .about = "a list of bodies",
     .read = wri_keep_json, .type = "a list of `body` objects", .schema = WRI_LIST_SCHEMA("body"),
     .required = true},
    {"joints", WRI_KEY_CUSTOM, offsetof(raw_scene, joints), .about = "what holds bodies together",
     .read = wri_keep_json, .type = "a list of `joint` objects",
     .schema = WRI_LIST_SCHEMA("joint")},
    {"contacts", WRI_KEY_CUSTOM, offsetof(raw_scene, contacts),
     .about =
         "how pairs of surfaces rub and bounce, where that does not follow from the bodies' own "
         "`friction` and `restitution`",
     .read = wri_keep_json, .type = "a list of `contact` objects",
     .schema = WRI_LIST_SCHEMA("contact")},
    {"inputs", WRI_KEY_CUSTOM, offsetof(raw_scene, inputs),
     .about = "the buttons that are pressed for the controllers of its bodies, or the file of a "
              "recorded play",
     .read = wri_keep_json, .type = "a list of `input` objects or a file name",
     .schema = "{\"oneOf\": [{\"type\": \"string\"}, " WRI_LIST_SCHEMA("input") "]}"},
    {"cameras", WRI_KEY_CUSTOM, offsetof(raw_scene, cameras),
     .about =
         "points of view, at most 16; the first one is the default. Without any, the picture "
         "shows where most bends, weighed by how much of a body bends how far, or else who is "
         "hit: near, and from a side where little is in the way; it stands still, or goes along "
         "with the body of which most bends. In a `flat` scene in "
         "which all of it would be too small, it follows the first body with a controller, or the "
         "one that travels much "
         "farther than the others",
     .read = wri_keep_json, .type = "a list of `camera` objects",
     .schema = WRI_LIST_SCHEMA("camera"), .is_look = true},
    {"light", WRI_KEY_CUSTOM, offsetof(raw_scene, light),
     .about = "sun, sky and ground colour, or an environment", .read = wri_keep_json,
     .type = "a `light` object", .schema = "{\"$ref\": \"#/$defs/light\"}", .is_look = true},
    {"flat", WRI_KEY_CUSTOM, offsetof(raw_scene, flat), .fallback = "false",
     .about =
         "draws the scene like a flat game, without light: drawings in exactly their own "
         "colours, other bodies filled with theirs and outlined, in front of a plain "
         "background; the automatic camera looks along -z without perspective. With sprites in "
         "it, rigid bodies that move freely stay in the plane: along x and y, turning about z",
     .read = wri_keep_json, .type = "`true`, `false` or a `flat` object",
     .schema = "{\"oneOf\": [{\"type\": \"boolean\"}, {\"$ref\": \"#/$defs/flat\"}]}"},
};

static const wri_key asset_keys[] = {
    {"file", WRI_KEY_TEXT, offsetof(raw_asset, file),
     .about = "a model file, relative to the scene file", .required = true},
    {"unit", WRI_KEY_CHOICE, offsetof(raw_asset, unit),
     .about = "of the lengths in the file. Default: what the file says, else metres",
     .choices = wri_unit_words},
    {"up", WRI_KEY_CHOICE, offsetof(raw_asset, up),
     .about = "which axis of the file points up. Default: what the file says, else y",
     .choices = wri_up_words},
};

static const char *const motions[] = {"moving", "static", "driven", NULL};

static const wri_key body_keys[] = {
    {"name", WRI_KEY_TEXT, offsetof(raw_body, name),
     .about = "its name in joints and messages; copies are called `name.1`, `name.2`, …; default: "
              "`body` and its number in the list"},
    {"asset", WRI_KEY_TEXT, offsetof(raw_body, asset),
     .about = "what is drawn: a name from `assets`; without it the shape itself is drawn"},
    {"shape", WRI_KEY_CUSTOM, offsetof(raw_body, shape),
     .about =
         "what collides. `\"plane\"`: the half space below the body's y = 0. `{\"box\": [x, y, "
         "z]}`: full extents, m. `{\"sphere\": radius}`, m. `{\"capsule\": {\"radius\", "
         "\"length\"}}` and `{\"cylinder\": {\"radius\", \"height\"}}`: along y, m. From the "
         "asset: `\"hull\"` (its convex hull), `\"hulls\"` (one hull per separate shell), "
         "`\"mesh\"` (its triangles; closed convex shells of a static body are solid pieces "
         "instead, which is faster, unless a body begins inside of one). Default: `\"hull\"` where "
         "there is an asset",
     .read = wri_keep_json, .type = "a word or an object with one key",
     .schema = "{\"oneOf\": [{\"enum\": [\"plane\", \"hull\", \"hulls\", \"mesh\"]}, {\"type\": "
               "\"object\", \"minProperties\": 1, \"maxProperties\": 1, \"additionalProperties\": "
               "false, \"properties\": {\"box\": {\"type\": \"array\", \"items\": {\"type\": "
               "[\"number\", \"string\"]}, \"minItems\": 3, \"maxItems\": 3}, \"sphere\": "
               "{\"type\": [\"number\", \"string\"]}, \"capsule\": {\"$ref\": "
               "\"#/$defs/capsule\"}, \"cylinder\": {\"$ref\": \"#/$defs/cylinder\"}}}]}"},
    {"at", WRI_KEY_VECTOR, offsetof(raw_body, at), -FAR, FAR, "m", "[0, 0, 0]",
     "where the body's origin is"},
    {"turn", WRI_KEY_CUSTOM, offsetof(raw_body, turn), .fallback = "[0, 0, 0, 1]",
     .about = "how the body is turned about its origin", .read = wri_read_turn,
     .type = WRI_TURN_TYPE, .schema = WRI_TURN_SCHEMA},
    {"scale", WRI_KEY_NUMBER, offsetof(raw_body, scale), 1e-6, 1e6, NULL, "1",
     "factor on the size of the asset"},
    {"velocity", WRI_KEY_VECTOR, offsetof(raw_body, velocity), -FAR, FAR, "m/s", "[0, 0, 0]",
     "velocity of the centre of mass at the start"},
    {"spin", WRI_KEY_VECTOR, offsetof(raw_body, angular_velocity), -1e6, 1e6, "deg/s", "[0, 0, 0]",
     "angular velocity about the world's axes at the start"},
    {"hold", WRI_KEY_NUMBER, offsetof(raw_body, hold), 0, 86400, "s", "0",
     "how long the body is given `velocity` and `spin` again in every step, whatever acts on it: a "
     "car that is driven against a wall. Of rigid and metal bodies"},
    {"again", WRI_KEY_CUSTOM, offsetof(raw_body, again),
     .about =
         "the body comes in again, with the velocity it began with, when it has fallen below a "
         "height and nobody stands where it comes in. Of rigid and metal bodies; dents stay",
     .read = wri_keep_json, .type = "an `again` object", .schema = "{\"$ref\": \"#/$defs/again\"}"},
    {"motion", WRI_KEY_CHOICE, offsetof(raw_body, motion),
     .about = "`moving` responds to forces, `static` never moves, `driven` follows its path and "
              "pushes others. Default: `static` for planes, `driven` with a path, else `moving`",
     .choices = motions},
    {"path", WRI_KEY_CUSTOM, offsetof(raw_body, path),
     .about = "where a driven body is at which time; it waits before the first and after the last "
              "key. Bodies of `flesh` and `morph` are not driven: the path carries their bones, "
              "in their `pose`, along",
     .read = wri_keep_json, .type = "a list of `path` objects, times increasing",
     .schema = WRI_LIST_SCHEMA("path")},
    {"pose", WRI_KEY_CUSTOM, offsetof(raw_body, pose),
     .about =
         "the motion of its skeleton: of the joints of its model's skin, or the handles of its "
         "asset. A list plays one after the other. "
         "Of `flesh` and `morph`; other materials follow no skeleton",
     .read = wri_keep_json, .type = "a `pose` object or a list of them, times increasing",
     .schema = "{\"oneOf\": [{\"$ref\": \"#/$defs/pose\"}, {\"type\": \"array\", \"items\": "
               "{\"$ref\": \"#/$defs/pose\"}, \"minItems\": 1}]}"},
    {"density", WRI_KEY_NUMBER, offsetof(raw_body, density), 1e-3, 1e6, "kg/m^3", "1000",
     "mass per volume of the shape"},
    {"mass", WRI_KEY_NUMBER, offsetof(raw_body, mass), 1e-9, 1e12, "kg",
     .about = "instead of density times volume"},
    {"friction", WRI_KEY_NUMBER, offsetof(raw_body, friction), 0, 100, NULL, "0.6",
     "Coulomb's coefficient of friction; between two bodies the geometric mean counts, "
     "and never more than 10"},
    {"restitution", WRI_KEY_NUMBER, offsetof(raw_body, restitution), 0, 1, NULL, "0.1",
     "coefficient of restitution; between two bodies the larger one counts. Soft flesh bounces "
     "by itself, whatever it is"},
    {"surface", WRI_KEY_TEXT, offsetof(raw_body, surface),
     .about = "a name for what it is made of, for `contacts` of the scene"},
    {"rolling", WRI_KEY_NUMBER, offsetof(raw_body, rolling), 0, 1, NULL, "0",
     "coefficient of rolling friction as a fraction of the body's size; stops rolling balls"},
    {"linear_damping", WRI_KEY_NUMBER, offsetof(raw_body, linear_damping), 0, 100, "1/T", "0",
     "rate at which linear velocity decays without contact, in the body's own time T = sqrt(r / g) "
     "of its radius of gyration r: 0.2 s for a barrel"},
    {"angular_damping", WRI_KEY_NUMBER, offsetof(raw_body, angular_damping), 0, 100, "1/T", "0.004",
     "rate at which angular velocity decays without contact, in the same time"},
    {"groups", WRI_KEY_CUSTOM, offsetof(raw_body, groups),
     .about = "names of collision groups this body is in, at most 31 different ones in a scene",
     .read = wri_keep_json, .type = "a list of names", .schema = WRI_NAMES_SCHEMA},
    {"misses", WRI_KEY_CUSTOM, offsetof(raw_body, misses),
     .about = "groups whose bodies this one passes through", .read = wri_keep_json,
     .type = "a list of names", .schema = WRI_NAMES_SCHEMA},
    {"sleep", WRI_KEY_BOOL, offsetof(raw_body, sleep), .fallback = "true",
     .about = "whether this body may be put to sleep when at rest"},
    {"visible", WRI_KEY_BOOL, offsetof(raw_body, visible), .fallback = "true",
     .about = "whether it is drawn"},
    {"color", WRI_KEY_COLOR, offsetof(raw_body, color),
     .about = "sRGB; the colour of a shape, or a tint on the asset's own colours. Default: light "
              "grey, or no tint",
     .is_look = true},
    {"look", WRI_KEY_CUSTOM, offsetof(raw_body, look),
     .about = "what its surface looks like, in place of the asset's own look: `\"chrome\"`, `\"car "
              "paint\"`, `\"rust\"`, `\"rubber\"`, `\"glass\"`, `\"clay\"`, or a `look` object",
     .read = wri_keep_json, .type = "a preset or a `look` object",
     .schema = "{\"oneOf\": [{\"enum\": [\"chrome\", \"car paint\", \"rust\", \"rubber\", "
               "\"glass\", \"clay\"]}, {\"$ref\": \"#/$defs/look\"}]}",
     .is_look = true},
    {"copies", WRI_KEY_CUSTOM, offsetof(raw_body, copies),
     .about = "several bodies of the same kind in a row; a list makes rows of rows",
     .read = wri_keep_json, .type = COPIES_TYPE, .schema = COPIES_SCHEMA},
    {"material", WRI_KEY_CUSTOM, offsetof(raw_body, material),
     .about =
         "how it responds to physics: a material's name, or `{\"name\": \"preset\", parameter: "
         "value, …}`; the preset `\"default\"` is always there. Default: `\"rigid\"`",
     .read = wri_keep_json, .type = "a name or an object",
     .schema = "{\"$ref\": \"#/$defs/material\"}"},
};

static const wri_key input_keys[] = {
    {"body", WRI_KEY_TEXT, offsetof(raw_input, body), .about = "the body with the controller",
     .required = true},
    {"press", WRI_KEY_TEXT, offsetof(raw_input, press), .about = "a button that is pressed `at`"},
    {"at", WRI_KEY_NUMBER, offsetof(raw_input, at), 0, 86400, "s",
     .about = "when it is pressed; the nearest step"},
    {"for", WRI_KEY_NUMBER, offsetof(raw_input, time), 0, 86400, "s", "0.1",
     "how long it is pressed; at least one step"},
    {"hold", WRI_KEY_TEXT, offsetof(raw_input, hold),
     .about = "a button that is held `from` a time `to` a time"},
    {"from", WRI_KEY_NUMBER, offsetof(raw_input, from), 0, 86400, "s", "0", "when it goes down"},
    {"to", WRI_KEY_NUMBER, offsetof(raw_input, to), 0, 86400, "s",
     .about = "when it comes up. Default: never"},
    {"down", WRI_KEY_TEXT, offsetof(raw_input, down), .about = "a button that goes down at `step`"},
    {"up", WRI_KEY_TEXT, offsetof(raw_input, up), .about = "a button that comes up at `step`"},
    {"step", WRI_KEY_NUMBER, offsetof(raw_input, step), 0, 1e15, NULL,
     .about = "number of the step, the first is 0: frames times substeps"},
};

static const wri_key play_keys[] = {
    {"wrought", WRI_KEY_INTEGER, offsetof(raw_play, version), 1, 1,
     .about = "version of the file format: 1", .required = true},
    {"steps", WRI_KEY_CUSTOM, offsetof(raw_play, steps), .unit = "1/s",
     .about = "steps per second of the scene that was played, as a fraction: `[240, 1]`; those of "
              "the scene must be the same",
     .read = wri_keep_json, .type = "`[numerator, denominator]`",
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"integer\", \"minimum\": 1}, "
               "\"minItems\": 2, \"maxItems\": 2}",
     .required = true},
    {"inputs", WRI_KEY_CUSTOM, offsetof(raw_play, inputs), .about = "what was played",
     .read = wri_keep_json, .type = "a list of `input` objects", .schema = WRI_LIST_SCHEMA("input"),
     .required = true},
};

static const wri_key copies_keys[] = {
    {"count", WRI_KEY_INTEGER, offsetof(raw_copies, count), 1, 10000,
     .about = "how many, the first one included", .required = true},
    {"step", WRI_KEY_VECTOR, offsetof(raw_copies, step), -FAR, FAR, "m", "[0, 0, 0]",
     "from one to the next"},
    {"turn", WRI_KEY_CUSTOM, offsetof(raw_copies, turn), .fallback = "[0, 0, 0, 1]",
     .about = "from one to the next, about each body's own origin; only for bodies",
     .read = wri_read_turn, .type = WRI_TURN_TYPE, .schema = WRI_TURN_SCHEMA},
};

static const wri_key path_keys[] = {
    {"time", WRI_KEY_NUMBER, offsetof(raw_path_key, time), 0, 86400, "s", .about = "when",
     .required = true},
    {"at", WRI_KEY_VECTOR, offsetof(raw_path_key, at), -FAR, FAR, "m", .about = "where",
     .required = true},
    {"turn", WRI_KEY_CUSTOM, offsetof(raw_path_key, turn), .fallback = "[0, 0, 0, 1]",
     .about = "how it is turned; between keys it rotates along the shorter arc",
     .read = wri_read_turn, .type = WRI_TURN_TYPE, .schema = WRI_TURN_SCHEMA},
};

static const wri_key pose_keys[] = {
    {"clip", WRI_KEY_TEXT, offsetof(raw_pose, clip), .about = "a clip of its asset, by name"},
    {"start", WRI_KEY_NUMBER, offsetof(raw_pose, start), 0, 86400, "s", "0",
     "with `clip`: the time in it at which to begin"},
    {"speed", WRI_KEY_NUMBER, offsetof(raw_pose, speed), -100, 100, NULL, "1",
     "with `clip`: how fast it plays; 0 stops it, negative values play it backwards"},
    {"loop", WRI_KEY_BOOL, offsetof(raw_pose, loop), .fallback = "true",
     .about = "with `clip`: whether it begins again at its end; otherwise it stays there"},
    {"body", WRI_KEY_TEXT, offsetof(raw_pose, body),
     .about = "instead of `clip`: a body with a `pose` whose motion it copies, including that "
              "along its `path` unless it has one of its own. Handles are matched by name; those "
              "without a partner follow the handle above them"},
    {"bones", WRI_KEY_TEXT, offsetof(raw_pose, bones),
     .about = "instead of `clip`: a body of flesh whose bones it follows as physics moves them: "
              "pushed, falling, or driven by torques. Handles are matched as with `body`"},
    {"at", WRI_KEY_NUMBER, offsetof(raw_pose, at), 0, 86400, "s", "0",
     "when it begins; before that, the first of a list waits at its `start`"},
    {"blend", WRI_KEY_NUMBER, offsetof(raw_pose, blend), 0, 86400, "s", "0",
     "in a list: how long it takes to blend over from the one before, which plays on meanwhile"},
};

static const char *const joint_kinds[] = {"point", "hinge", "slider", "fixed", NULL};

static const wri_key joint_keys[] = {
    {"name", WRI_KEY_TEXT, offsetof(raw_joint, name), .fallback = "\"joint\"",
     .about = "shown in reports"},
    {"kind", WRI_KEY_CHOICE, offsetof(raw_joint, kind), .fallback = "\"point\"",
     .about = "`point`: a shared point; `hinge`: a shared point and axis; `slider`: free along the "
              "axis; `fixed`: nothing free",
     .choices = joint_kinds},
    {"bodies", WRI_KEY_CUSTOM, offsetof(raw_joint, bodies),
     .about =
         "one or two names of bodies; one is joined to the world. A part of a body stands behind "
         "its name and a slash: `\"rex/bone 3\"`",
     .read = wri_keep_json, .type = "a list of one or two names",
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": 1, "
               "\"maxItems\": 2}",
     .required = true},
    {"at", WRI_KEY_VECTOR, offsetof(raw_joint, at), -FAR, FAR, "m", .about = "where, in the world",
     .required = true},
    {"axis", WRI_KEY_VECTOR, offsetof(raw_joint, axis), -FAR, FAR, NULL, "[0, 1, 0]",
     "of hinges and sliders, in the world"},
    {"limits", WRI_KEY_CUSTOM, offsetof(raw_joint, limits),
     .about =
         "lower and upper limit of the motion of the first body relative to the second (or the "
         "world): degrees about the axis (hinge) or metres along it (slider); default: none",
     .read = wri_keep_json, .type = "`[lower, upper]`",
     .schema = "{\"type\": \"array\", \"items\": {\"type\": [\"number\", \"string\"]}, "
               "\"minItems\": 2, \"maxItems\": 2}"},
    {"breaks", WRI_KEY_NUMBER, offsetof(raw_joint, breaks), 0, 1e12, "N s",
     .about = "impulse within about 1/60 s at which it breaks; default: never"},
    {"collide", WRI_KEY_BOOL, offsetof(raw_joint, collide), .fallback = "false",
     .about = "whether the two bodies touch each other"},
    {"copies", WRI_KEY_CUSTOM, offsetof(raw_joint, copies),
     .about = "a row of joints: the numbers at the end of the bodies' names (`link.1`) count up",
     .read = wri_keep_json, .type = "one `copies` object",
     .schema = "{\"$ref\": \"#/$defs/copies\"}"},
};

static const wri_key again_keys[] = {
    {"below", WRI_KEY_NUMBER, offsetof(raw_again, below), -FAR, FAR, "m",
     .about = "the height below which its centre of mass must be", .required = true},
    {"at", WRI_KEY_VECTOR, offsetof(raw_again, at), -FAR, FAR, "m",
     .about = "where its origin is then. Default: where it began, each copy for itself"},
};

static const wri_key contact_keys[] = {
    {"between", WRI_KEY_CUSTOM, offsetof(raw_contact, between),
     .about = "two names that bodies have as their `surface`; twice the same: among each other",
     .read = wri_keep_json, .type = "a list of two names", .schema = WRI_NAMES_SCHEMA,
     .required = true},
    {"friction", WRI_KEY_NUMBER, offsetof(raw_contact, friction), 0, 100,
     .about = "coefficient of friction between them. Default: the geometric mean of both"},
    {"restitution", WRI_KEY_NUMBER, offsetof(raw_contact, restitution), 0, 1,
     .about = "coefficient of restitution between them. Default: the larger of both. Metal that "
              "bends loses as large a part of it as of its own `bounce`"},
};

static const wri_key camera_keys[] = {
    {"name", WRI_KEY_TEXT, offsetof(raw_camera, name), .fallback = "\"\"",
     .about = "for `--camera`, at most 63 bytes"},
    {"from", WRI_KEY_VECTOR, offsetof(raw_camera, from), -FAR, FAR, "m",
     .about = "where the camera is. It may be left out with `flat`: the camera is then in front of "
              "`to`, on its +z side; with `keys` the first of them may have it"},
    {"to", WRI_KEY_VECTOR, offsetof(raw_camera, to), -FAR, FAR, "m",
     .about = "the point in the middle of the picture. Required, but with `keys` the first of them "
              "may have it; without `from`, `to` and `keys` a camera that follows a body finds its "
              "place by itself, with an angle of its own"},
    {"fov", WRI_KEY_ANGLE, offsetof(raw_camera, fov), 1, 170, "deg", "35",
     "vertical angle of view"},
    {"flat", WRI_KEY_NUMBER, offsetof(raw_camera, flat), 1e-5, FAR, "m",
     .about = "height of the visible area, without perspective; instead of `fov`"},
    {"follow", WRI_KEY_TEXT, offsetof(raw_camera, follow),
     .about =
         "a body that the camera follows smoothly; `from` and `to` are those at the start. "
         "Without them it finds its place by itself: the body takes a quarter to two thirds of "
         "the picture's height, from a side where little is in the way. In a `flat` scene "
         "the ground stays in view, and without a `flat` of its own it shows five sizes of "
         "the body"},
    {"keys", WRI_KEY_CUSTOM, offsetof(raw_camera, keys),
     .about = "where it is at which time, and how much it shows: it waits before the first and "
              "after the last key, passes smoothly through each, and between two never goes beyond "
              "them; two equal keys hold it still. With `follow` all of them go along",
     .read = wri_keep_json, .type = "a list of `camera_key` objects, times increasing",
     .schema = WRI_LIST_SCHEMA("camera_key")},
    {"lens", WRI_KEY_NUMBER, offsetof(raw_camera, lens), 0, FAR, "m", "0",
     "depth of field: how wide the lens is; what is as far away as `to` is sharp. `--lens` counts "
     "in place of it"},
    {"blur", WRI_KEY_NUMBER, offsetof(raw_camera, blur), 0, 1, NULL, "0",
     "motion blur: for which part of the time between two pictures of a film each is exposed; 0.5 "
     "is usual. `--blur` counts in place of it"},
};

static const wri_key camera_key_keys[] = {
    {"time", WRI_KEY_NUMBER, offsetof(raw_camera_key, time), 0, 86400, "s", .about = "when",
     .required = true},
    {"from", WRI_KEY_VECTOR, offsetof(raw_camera_key, from), -FAR, FAR, "m",
     .about = "where the camera is"},
    {"to", WRI_KEY_VECTOR, offsetof(raw_camera_key, to), -FAR, FAR, "m",
     .about = "the point in the middle of the picture; nearer or farther on the same line of sight "
              "it changes what is sharp, and nothing else"},
    {"fov", WRI_KEY_ANGLE, offsetof(raw_camera_key, fov), 1, 170, "deg",
     .about = "vertical angle of view"},
    {"flat", WRI_KEY_NUMBER, offsetof(raw_camera_key, flat), 1e-5, FAR, "m",
     .about = "height of the visible area, of a camera that has a `flat` itself"},
    {"lens", WRI_KEY_NUMBER, offsetof(raw_camera_key, lens), 0, FAR, "m",
     .about = "how wide the lens is"},
};

static const wri_key flat_keys[] = {
    {"top", WRI_KEY_COLOR, offsetof(raw_flat, top), .fallback = "\"#cde6f2\"",
     .about = "of the background, at the top of the picture"},
    {"low", WRI_KEY_COLOR, offsetof(raw_flat, low), .fallback = "\"#f2f6f2\"",
     .about = "of the background, at the bottom; the same as `top` makes it plain"},
    {"line", WRI_KEY_NUMBER, offsetof(raw_flat, line), 0, 0.1, NULL, "0.005",
     "width of outlines as a part of the picture's height; 0: none"},
};

static const wri_key look_keys[] = {
    {"preset", WRI_KEY_TEXT, offsetof(raw_look, preset),
     .about =
         "one of the presets, which the other keys change. With it, the body's `color` counts in "
         "place of the preset's"},
    {"color", WRI_KEY_COLOR, offsetof(raw_look, color),
     .about = "sRGB, in place of the asset's colours and textures"},
    {"metallic", WRI_KEY_NUMBER, offsetof(raw_look, metallic), 0, 1,
     .about = "1: metal, which mirrors in its own colour"},
    {"roughness", WRI_KEY_NUMBER, offsetof(raw_look, roughness), 0, 1,
     .about = "0: polished, 1: dull"},
    {"glass", WRI_KEY_NUMBER, offsetof(raw_look, glass), 0, 1,
     .about = "how much of the light goes through and is bent on its way"},
    {"two_sided", WRI_KEY_BOOL, offsetof(raw_look, two_sided),
     .about = "of `glass`: a thin sheet, which does not bend light. In exports: both sides of "
              "triangles are seen, as they always are in our pictures"},
};

static const wri_key light_keys[] = {
    {"environment", WRI_KEY_TEXT, offsetof(raw_light, environment),
     .about = "light from all around in place of sun and sky: `studio`, three soft boxes on dark "
              "grey, or a Radiance .hdr that is twice as wide as high, beside the scene; beyond "
              "2048 pixels it is averaged. A small bright spot in it casts shadows as the sun "
              "does. Recordings keep it"},
    {"turn", WRI_KEY_ANGLE, offsetof(raw_light, turn), -360, 360, "deg", "0",
     "of the environment, counterclockwise from above; at 0 its middle is at -z"},
    {"azimuth", WRI_KEY_ANGLE, offsetof(raw_light, azimuth), -360, 360, "deg", "-44",
     "direction of the sun, from +z towards +x"},
    {"elevation", WRI_KEY_ANGLE, offsetof(raw_light, elevation), 1, 90, "deg", "38",
     "height of the sun above the horizon"},
    {"softness", WRI_KEY_ANGLE, offsetof(raw_light, softness), 0, 30, "deg", "1.15",
     "angular radius of the sun: blurs the edges of shadows"},
    {"strength", WRI_KEY_NUMBER, offsetof(raw_light, strength), 0, 1000, NULL, "1.42",
     "factor on the sun; of an environment on all of it, and 1 by default"},
    {"color", WRI_KEY_COLOR, offsetof(raw_light, color), .fallback = "\"#fff0d9\"",
     .about = "of the sun"},
    {"zenith", WRI_KEY_COLOR, offsetof(raw_light, zenith), .fallback = "\"#7397c5\"",
     .about = "of the sky above"},
    {"horizon", WRI_KEY_COLOR, offsetof(raw_light, horizon), .fallback = "\"#cedfee\"",
     .about = "of the sky at the horizon"},
    {"ground", WRI_KEY_COLOR, offsetof(raw_light, ground), .fallback = "\"#a6a29a\"",
     .about = "of planes without a colour of their own"},
    {"exposure", WRI_KEY_NUMBER, offsetof(raw_light, exposure), 0.001, 1000, NULL, "1",
     "factor on everything"},
};

static const wri_key capsule_keys[] = {
    {"radius", WRI_KEY_NUMBER, offsetof(raw_capsule, radius), 1e-5, FAR, "m",
     .about = "of the ends", .required = true},
    {"length", WRI_KEY_NUMBER, offsetof(raw_capsule, length), 0, FAR, "m",
     .about = "of the straight part", .required = true},
};

static const wri_key cylinder_keys[] = {
    {"radius", WRI_KEY_NUMBER, offsetof(raw_capsule, radius), 1e-5, FAR, "m",
     .about = "across the axis", .required = true},
    {"height", WRI_KEY_NUMBER, offsetof(raw_capsule, length), 1e-5, FAR, "m",
     .about = "along the axis", .required = true},
};

const wri_table wri_scene_table = WRI_TABLE("scene", scene_keys, "The whole file.");
const wri_table wri_asset_table =
    WRI_TABLE("asset", asset_keys,
              "A model file that does not state its unit or axes, or states them wrongly.");
const wri_table wri_body_table =
    WRI_TABLE("body", body_keys, "A body of the world, or a row of them.");
const wri_table wri_input_table =
    WRI_TABLE("input", input_keys,
              "A button that is pressed: by `press`, `hold`, or `down` and `up` at a step.");
const wri_table wri_play_table = WRI_TABLE(
    "play", play_keys, "A recorded play, a file of its own: `\"inputs\": \"play.json\"`.");
const wri_table wri_copies_table =
    WRI_TABLE("copies", copies_keys, "A row of equal bodies or joints.");
const wri_table wri_path_table =
    WRI_TABLE("path", path_keys, "A key on the path of a driven body.");
const wri_table wri_pose_table = WRI_TABLE(
    "pose", pose_keys, "The motion of a skeleton: a `clip`, or the same as another `body`.");
const wri_table wri_joint_table =
    WRI_TABLE("joint", joint_keys, "A joint between two bodies, or between one and the world.");
const wri_table wri_again_table =
    WRI_TABLE("again", again_keys, "When and where a body comes in again.");
const wri_table wri_contact_table =
    WRI_TABLE("contact", contact_keys, "How two surfaces rub and bounce against each other.");
const wri_table wri_camera_table = WRI_TABLE("camera", camera_keys, "A point of view.");
const wri_table wri_camera_key_table =
    WRI_TABLE("camera_key", camera_key_keys,
              "A key of a camera. What it leaves out is as in the key before, in the first one as "
              "in the camera.");
const wri_table wri_light_table =
    WRI_TABLE("light", light_keys,
              "Sun, sky and ground, or an environment in place of sun and "
              "sky, beside which only `turn`, `strength`, `ground` and "
              "`exposure` have an effect.");
const wri_table wri_look_table =
    WRI_TABLE("look", look_keys, "The look of a body's surface; what is not said stays as it is.");
const wri_table wri_flat_table = WRI_TABLE("flat", flat_keys, "The colours of a flat picture.");
const wri_table wri_capsule_table = WRI_TABLE("capsule", capsule_keys, "A tube with round ends.");
const wri_table wri_cylinder_table = WRI_TABLE("cylinder", cylinder_keys, "A tube with flat ends.");

const wri_key wri_box_key = {"box", WRI_KEY_VECTOR, 0, 1e-5, FAR, "m"};
const wri_key wri_radius_key = {"sphere", WRI_KEY_NUMBER, 0, 1e-5, FAR, "m"};
