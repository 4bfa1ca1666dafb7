// sprite_tables.c: every key that only sprites have, and of their controllers, with its unit,
// range, default and meaning.
#include "sprite_tables.h"

#include "tables.h"

#define OBJECT_OF(table)                                                                           \
    "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/" table "\"}}"
#define BUTTONS_TYPE "a name or a list of names"
#define HANDLES_TYPE "the name of a handle or a list of them"
#define BUTTONS_SCHEMA                                                                             \
    "{\"oneOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": "            \
    "\"string\"}, \"minItems\": 1}]}"
#define RANGE_TYPE "a number, at least that, or a `range` object"
#define RANGE_SCHEMA "{\"oneOf\": [{\"type\": \"number\"}, {\"$ref\": \"#/$defs/range\"}]}"
#define SIMPLICES_SCHEMA(corners)                                                                  \
    "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}, "   \
    "\"minItems\": " corners ", \"maxItems\": " corners "}}"
#define PAIR_SCHEMA                                                                                \
    "{\"type\": \"array\", \"items\": {\"type\": \"number\"}, \"minItems\": 2, \"maxItems\": 2}"

static const char *const sides[] = {"right", "left", NULL};
static const char *const facings[] = {"left", "right", NULL};
// In the order of wr_heading and wr_face.
static const char *const headings[] = {"input", "facing", "left", "right", NULL};
static const char *const faces[] = {"stays", "input", "velocity", "left", "right", NULL};

static const wri_key sprite_keys[] = {
    {"manifold", WRI_KEY_CUSTOM, offsetof(raw_sprite, manifold),
     .about = "of a sprite: which poses (examples of its asset) may blend. Default: the rest pose "
              "with every other one",
     .read = wri_keep_json, .type = "a `manifold` object",
     .schema = "{\"$ref\": \"#/$defs/manifold\"}"},
    {"nails", WRI_KEY_CUSTOM, offsetof(raw_sprite, nails),
     .about = "of a sprite: handles of its asset that are held where they are at the start; with "
              "one it swings, with two it hangs or stands and bends. 32 at most",
     .read = wri_keep_json, .type = "a list of names and `nail` objects",
     .schema = "{\"type\": \"array\", \"maxItems\": 32, \"items\": {\"oneOf\": [{\"type\": "
               "\"string\"}, {\"$ref\": \"#/$defs/nail\"}]}}"},
    {"controller", WRI_KEY_CUSTOM, offsetof(raw_sprite, controller),
     .about = "of a sprite: what it does by itself and in answer to `inputs`; or a file with it, "
              "which scenes may share",
     .read = wri_keep_json, .type = "a `controller` object or a file name",
     .schema = "{\"oneOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/controller\"}]}"},
};

static const wri_key manifold_keys[] = {
    {"start", WRI_KEY_TEXT, offsetof(raw_manifold, start),
     .about = "the pose at the start, to which it returns. Default: `rest`"},
    {"edges", WRI_KEY_CUSTOM, offsetof(raw_manifold, edges),
     .about = "pairs of poses that blend: `[[\"rest\", \"squashed\"], …]`", .read = wri_keep_json,
     .type = "a list of pairs of names", .schema = SIMPLICES_SCHEMA("2")},
    {"triangles", WRI_KEY_CUSTOM, offsetof(raw_manifold, triangles),
     .about = "three poses that blend with each other", .read = wri_keep_json,
     .type = "a list of three names each", .schema = SIMPLICES_SCHEMA("3")},
    {"poses", WRI_KEY_CUSTOM, offsetof(raw_manifold, poses),
     .about = "poses that blend with no other: no path leads to or from them",
     .read = wri_keep_json, .type = "a list of names", .schema = WRI_NAMES_SCHEMA},
    {"give_to", WRI_KEY_TEXT, offsetof(raw_manifold, give_to),
     .about = "the pose that a hit moves it to. Default: as the material's `give_way` says"},
    {"stretch_to", WRI_KEY_TEXT, offsetof(raw_manifold, stretch_to),
     .about = "the pose that speed moves it to. Default: none"},
    {"drag", WRI_KEY_CUSTOM, offsetof(raw_manifold, drag),
     .about = "factors on the material's `drag` in poses where it is not 1: `{\"spread\": 20}`",
     .read = wri_keep_json, .type = "an object `{\"pose\": factor}`",
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"number\", "
               "\"minimum\": 0}}"},
};

static const wri_key nail_keys[] = {
    {"handle", WRI_KEY_TEXT, offsetof(raw_nail, handle), .about = "a name, as in the recipe",
     .required = true},
    {"until", WRI_KEY_NUMBER, offsetof(raw_nail, until), 0, 1e9, "s",
     .about = "when it is let go. Default: never"},
};

static const wri_key controller_keys[] = {
    {"start", WRI_KEY_TEXT, offsetof(raw_controller, start),
     .about = "the behaviour it begins with. Default: the first one of the list"},
    {"buttons", WRI_KEY_CUSTOM, offsetof(raw_controller, buttons),
     .fallback = "[\"left\", \"right\", \"up\", \"down\", \"jump\"]",
     .about = "names of its buttons, at most 32; `left` and `right` say where it goes",
     .read = wri_keep_json, .type = "a list of names",
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"maxItems\": 32}"},
    {"looks", WRI_KEY_CHOICE, offsetof(raw_controller, looks), .fallback = "\"right\"",
     .about = "the side the drawing faces", .choices = sides},
    {"paths", WRI_KEY_CUSTOM, offsetof(raw_controller, paths),
     .about = "paths through the poses that behaviours share", .read = wri_keep_json,
     .type = "an object `{\"name\": pose_path}`", .schema = OBJECT_OF("pose_path")},
    {"behaviours", WRI_KEY_CUSTOM, offsetof(raw_controller, behaviours),
     .about = "what it can do, at most 256", .read = wri_keep_json,
     .type = "an object `{\"name\": behaviour}`", .schema = OBJECT_OF("behaviour"),
     .required = true},
};

static const wri_key behaviour_keys[] = {
    {"pose", WRI_KEY_TEXT, offsetof(raw_behaviour, pose),
     .about = "the pose it is pulled to; or give a `path`"},
    {"path", WRI_KEY_CUSTOM, offsetof(raw_behaviour, path),
     .about = "poses that it goes through: a name from `paths`, or one of its own",
     .read = wri_keep_json, .type = "a name or a `pose_path` object",
     .schema = "{\"oneOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/pose_path\"}]}"},
    {"rate", WRI_KEY_NUMBER, offsetof(raw_behaviour, rate), 0, 1000, NULL, "1",
     "how fast it goes along its path"},
    {"blend", WRI_KEY_NUMBER, offsetof(raw_behaviour, blend), 0, 86400, "s", "0",
     "time in which it blends from the pose before to its own"},
    {"only_while", WRI_KEY_CUSTOM, offsetof(raw_behaviour, only_while),
     .about = "it goes along its path only while one of these buttons is held",
     .read = wri_keep_json, .type = BUTTONS_TYPE, .schema = BUTTONS_SCHEMA},
    {"walk", WRI_KEY_NUMBER, offsetof(raw_behaviour, walk), 0, 1e4, "sizes/s", "0",
     "keeps this horizontal speed, in the direction of `heading`"},
    {"steer", WRI_KEY_NUMBER, offsetof(raw_behaviour, steer), 0, 1e4, "sizes/s", "0",
     "like `walk`, but never slows down: for the air"},
    {"grip", WRI_KEY_NUMBER, offsetof(raw_behaviour, grip), 0, 1e4, NULL,
     .about = "largest force for that, in multiples of its weight. Default: 2 for `walk`, "
              "0.5 for `steer`"},
    {"heading", WRI_KEY_CHOICE, offsetof(raw_behaviour, heading), .fallback = "\"input\"",
     .about = "where `walk` and `steer` go: where the buttons `left` and `right` point (nowhere "
              "when none or both are held), where it faces, or always to one side",
     .choices = headings},
    {"face", WRI_KEY_CHOICE, offsetof(raw_behaviour, face), .fallback = "\"stays\"",
     .about =
         "the side it faces: as before, where the buttons point, where it moves, or a fixed one",
     .choices = faces},
    {"push", WRI_KEY_CUSTOM, offsetof(raw_behaviour, push),
     .about = "further forces: to fly, to sink, to hover", .read = wri_keep_json,
     .type = "a `push` object or a list of them",
     .schema = "{\"oneOf\": [{\"$ref\": \"#/$defs/push\"}, {\"type\": \"array\", \"items\": "
               "{\"$ref\": \"#/$defs/push\"}}]}"},
    {"set", WRI_KEY_CUSTOM, offsetof(raw_behaviour, set),
     .about = "parameters of the material `sprite` (not `ring` and `clusters`), `friction`, and "
              "`give_to` and `stretch_to` of the manifold, while it lasts: `{\"settle\": 0.4}`",
     .read = wri_keep_json, .type = "an object `{\"parameter\": value}`",
     .schema = "{\"type\": \"object\"}"},
    {"drag", WRI_KEY_CUSTOM, offsetof(raw_behaviour, drag),
     .about = "factors on the drag in poses where it is not 1, while it lasts: `{\"spread\": 20}`. "
              "Default: as the manifold says",
     .read = wri_keep_json, .type = "an object `{\"pose\": factor}`",
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"number\", "
               "\"minimum\": 0}}"},
    {"enter", WRI_KEY_CUSTOM, offsetof(raw_behaviour, enter),
     .about = "what happens when it begins", .read = wri_keep_json, .type = "an `effect` object",
     .schema = "{\"$ref\": \"#/$defs/effect\"}"},
    {"leave", WRI_KEY_CUSTOM, offsetof(raw_behaviour, leave), .about = "what happens when it ends",
     .read = wri_keep_json, .type = "an `effect` object",
     .schema = "{\"$ref\": \"#/$defs/effect\"}"},
    {"go", WRI_KEY_CUSTOM, offsetof(raw_behaviour, go),
     .about = "transitions to other behaviours: the first whose conditions all hold is taken. "
              "Default: none",
     .read = wri_keep_json, .type = "a list of `transition` objects",
     .schema = WRI_LIST_SCHEMA("transition")},
};

static const wri_key pose_path_keys[] = {
    {"poses", WRI_KEY_CUSTOM, offsetof(raw_pose_path, poses),
     .about = "in order; between two of them it takes the shortest path through the manifold",
     .read = wri_keep_json, .type = "a list of names and `pose_key` objects",
     .schema = "{\"type\": \"array\", \"items\": {\"oneOf\": [{\"type\": \"string\"}, {\"$ref\": "
               "\"#/$defs/pose_key\"}]}, \"minItems\": 1, \"maxItems\": 256}",
     .required = true},
    {"each", WRI_KEY_NUMBER, offsetof(raw_pose_path, each), 0, 86400, "s", "0.1",
     "time from pose to pose"},
    {"loop", WRI_KEY_BOOL, offsetof(raw_pose_path, loop), .fallback = "true",
     .about = "whether it goes on from the last pose to the first; otherwise it stays at the end"},
    {"stride", WRI_KEY_NUMBER, offsetof(raw_pose_path, stride), 0, 1e6, "sizes", "0",
     "distance in which the body goes once through all of them: times are then fractions of it, "
     "feet keep in step with the ground, and moving backwards plays it backwards. 0: it plays with "
     "time"},
};

static const wri_key pose_key_keys[] = {
    {"pose", WRI_KEY_TEXT, offsetof(raw_pose_key, pose), .about = "its name", .required = true},
    {"for", WRI_KEY_NUMBER, offsetof(raw_pose_key, time), 0, 86400, "s",
     .about = "time to the next pose; for the last pose of a path that does not loop, to its end. "
              "Default: `each`, and 0 at the end"},
};

static const wri_key effect_keys[] = {
    {"brake", WRI_KEY_NUMBER, offsetof(raw_effect, brake), 0, 1, NULL, "0",
     "fraction of its velocity that it loses"},
    {"jump", WRI_KEY_NUMBER, offsetof(raw_effect, jump), 0, 1e4, "sizes", "0",
     "how high it jumps from rest under 9.81 m/s^2; if it falls, that stops first"},
    {"kick", WRI_KEY_CUSTOM, offsetof(raw_effect, kick), .unit = "sizes/s",
     .about = "change of its velocity, forward (where it faces) and up", .read = wri_keep_json,
     .type = "`[forward, up]`", .schema = PAIR_SCHEMA},
    {"spin", WRI_KEY_ANGLE, offsetof(raw_effect, spin), -1e5, 1e5, "deg/s", "0",
     "change of its angular velocity; positive is a forward roll"},
    {"flip", WRI_KEY_BOOL, offsetof(raw_effect, flip), .fallback = "false",
     .about = "whether it turns round"},
    {"release", WRI_KEY_CUSTOM, offsetof(raw_effect, release),
     .about = "handles that are held no more, by an effect or by a nail of the body",
     .read = wri_keep_json, .type = HANDLES_TYPE, .schema = BUTTONS_SCHEMA},
    {"hold", WRI_KEY_CUSTOM, offsetof(raw_effect, hold),
     .about = "handles that are nailed where they are, as by the body's `nails`, until an effect "
              "releases them: a hand that grips a bar, a foot that sticks",
     .read = wri_keep_json, .type = HANDLES_TYPE, .schema = BUTTONS_SCHEMA},
};

static const wri_key push_keys[] = {
    {"held", WRI_KEY_CUSTOM, offsetof(raw_push, held),
     .about = "while one of these buttons is held. Default: always", .read = wri_keep_json,
     .type = BUTTONS_TYPE, .schema = BUTTONS_SCHEMA},
    {"along", WRI_KEY_CUSTOM, offsetof(raw_push, along),
     .about = "the force, to the right and up, in multiples of its weight", .read = wri_keep_json,
     .type = "`[right, up]`", .schema = PAIR_SCHEMA, .required = true},
    {"up_to", WRI_KEY_NUMBER, offsetof(raw_push, up_to), 0, 1e4, "sizes/s", "0",
     "the force stops at this speed in its direction; 0: without limit"},
};

static const wri_key transition_keys[] = {
    {"to", WRI_KEY_TEXT, offsetof(raw_transition, to), .about = "the behaviour it leads to",
     .required = true},
    {"pressed", WRI_KEY_CUSTOM, offsetof(raw_transition, pressed),
     .about = "one of these buttons goes down; a press counts once", .read = wri_keep_json,
     .type = BUTTONS_TYPE, .schema = BUTTONS_SCHEMA},
    {"released", WRI_KEY_CUSTOM, offsetof(raw_transition, released),
     .about = "one of these buttons comes up", .read = wri_keep_json, .type = BUTTONS_TYPE,
     .schema = BUTTONS_SCHEMA},
    {"within", WRI_KEY_NUMBER, offsetof(raw_transition, within), 0, 86400, "s", "0",
     "how long ago `pressed` and `released` may have been: 0.1 forgives a press just before "
     "landing"},
    {"held", WRI_KEY_CUSTOM, offsetof(raw_transition, held),
     .about = "one of these buttons is down", .read = wri_keep_json, .type = BUTTONS_TYPE,
     .schema = BUTTONS_SCHEMA},
    {"not_held", WRI_KEY_CUSTOM, offsetof(raw_transition, not_held),
     .about = "none of these buttons is down", .read = wri_keep_json, .type = BUTTONS_TYPE,
     .schema = BUTTONS_SCHEMA},
    {"on_ground", WRI_KEY_BOOL, offsetof(raw_transition, on_ground),
     .about = "whether something supports it"},
    {"touching", WRI_KEY_BOOL, offsetof(raw_transition, touching),
     .about = "whether something touches it"},
    {"done", WRI_KEY_BOOL, offsetof(raw_transition, done),
     .about = "whether it is at the end of its path; a path that loops has none"},
    {"faces", WRI_KEY_CHOICE, offsetof(raw_transition, faces), .about = "the side it faces",
     .choices = facings},
    {"near", WRI_KEY_TEXT, offsetof(raw_transition, near), .about = "it looks like this pose"},
    {"nearness", WRI_KEY_NUMBER, offsetof(raw_transition, nearness), 0, 1, NULL, "0.2",
     "how far from `near` it may be, as a fraction of the distance from pose to pose"},
    {"after", WRI_KEY_NUMBER, offsetof(raw_transition, after), 0, 86400, "s",
     .about = "the behaviour has lasted this long"},
    {"before", WRI_KEY_NUMBER, offsetof(raw_transition, before), 0, 86400, "s",
     .about = "the behaviour has not yet lasted this long"},
    {"airborne", WRI_KEY_CUSTOM, offsetof(raw_transition, airborne), .unit = "s",
     .about = "time since it was on the ground", .read = wri_keep_json, .type = RANGE_TYPE,
     .schema = RANGE_SCHEMA},
    {"speed", WRI_KEY_CUSTOM, offsetof(raw_transition, speed), .unit = "sizes/s",
     .about = "its speed", .read = wri_keep_json, .type = RANGE_TYPE, .schema = RANGE_SCHEMA},
    {"forward", WRI_KEY_CUSTOM, offsetof(raw_transition, forward), .unit = "sizes/s",
     .about = "velocity in the direction it faces", .read = wri_keep_json, .type = RANGE_TYPE,
     .schema = RANGE_SCHEMA},
    {"rising", WRI_KEY_CUSTOM, offsetof(raw_transition, rising), .unit = "sizes/s",
     .about = "upward velocity", .read = wri_keep_json, .type = RANGE_TYPE, .schema = RANGE_SCHEMA},
    {"falling", WRI_KEY_CUSTOM, offsetof(raw_transition, falling), .unit = "sizes/s",
     .about = "downward velocity", .read = wri_keep_json, .type = RANGE_TYPE,
     .schema = RANGE_SCHEMA},
    {"hit", WRI_KEY_CUSTOM, offsetof(raw_transition, hit), .unit = "(fall speed)²",
     .about = "how hard something hit it in the step before: 1 is a fall from its own height",
     .read = wri_keep_json, .type = RANGE_TYPE, .schema = RANGE_SCHEMA},
};

static const wri_key range_keys[] = {
    {"above", WRI_KEY_NUMBER, offsetof(raw_range, above), -1e9, 1e9, NULL, "-1e9", "at least"},
    {"below", WRI_KEY_NUMBER, offsetof(raw_range, below), -1e9, 1e9, NULL, "1e9", "at most"},
};

const wri_table wri_sprite_table =
    WRI_TABLE("sprite", sprite_keys, "What bodies of sprite may say besides what all may.");
const wri_table wri_manifold_table =
    WRI_TABLE("manifold", manifold_keys,
              "The poses of a sprite and which of them blend: the vertices, edges and triangles of "
              "a simplicial complex in which its pose moves. Sides of triangles and ends of edges "
              "belong to it without being listed.");
const wri_table wri_nail_table = WRI_TABLE("nail", nail_keys, "A handle that is held for a while.");
const wri_table wri_controller_table = WRI_TABLE(
    "controller", controller_keys,
    "What a character does: behaviours, and what leads from one to the other. Lengths are in sizes "
    "of the body, the larger side of the drawing at rest; speeds in sizes per second.");
const wri_table wri_behaviour_table =
    WRI_TABLE("behaviour", behaviour_keys,
              "One thing that a character does, until one of its transitions fires. It has either "
              "a pose or a path. Legs only show how it walks; a force on the whole body keeps its "
              "speed. What it sets ends with it.");
const wri_table wri_pose_path_table =
    WRI_TABLE("pose_path", pose_path_keys, "A path through the poses of a sprite.");
const wri_table wri_pose_key_table =
    WRI_TABLE("pose_key", pose_key_keys, "A pose of a path with a time of its own.");
const wri_table wri_effect_table =
    WRI_TABLE("effect", effect_keys, "What happens at one moment, in the order of this table.");
const wri_table wri_push_table = WRI_TABLE("push", push_keys, "A force while a button is held.");
const wri_table wri_transition_table =
    WRI_TABLE("transition", transition_keys,
              "A change from one behaviour to another when all of its conditions hold; it needs at "
              "least one. At most one transition fires per step.");
const wri_table wri_range_table = WRI_TABLE("range", range_keys, "From a number to a number.");
