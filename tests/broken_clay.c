// broken_clay.c: bodies of clay that cannot be.
#include "broken.h"

#define BODY(more)                                                                                 \
    "{ 'wrought': 1, 'bodies': [\n  { 'name': 'dough', 'shape': { 'box': [1, 1, 1] }, " more       \
    " } ] }"
#define CLAY(more) BODY("\n    'material': { 'clay': 'clay', " more " }")
#define MODEL(file)                                                                                \
    "{ 'wrought': 1, 'assets': { 'm': '" file "' },\n  'bodies': [ { 'asset': 'm', 'material': "   \
    "'clay' } ] }"
// Something wrong with a parameter, behind the place of its value in the file.
#define WRONG(what, more, column, sentence)                                                        \
    SCENE(what, CLAY(more), "3:" column ": body \"dough\": " sentence)
// Something that only the whole body shows, behind the place of the body.
#define WHOLE "2:3: body \"dough\": "
#define GRIPS(list)                                                                                \
    BODY("'material': { 'clay': 'clay', 'particles': 200 },\n    'grips': [ " list " ]")
#define GRIP(at, size) "{ 'at': [" at "], 'size': [" size "] }"
#define HOLDS_NONE(number, size, at)                                                               \
    WHOLE "grip " number ": the box holds no particle that is free: " size " m at " at             \
          ", expected one around a part of the body"

static void put(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static void make_sheet(void) // both of its sides
{
    put("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 4 3 2 1\n");
}

static void make_point(void)
{
    put("m.obj", "v 3 4 5\nv 3 4 5\nv 3 4 5\nv 3 4 5\nf 1 2 3\nf 1 3 4\n");
}

static void make_folded_sheet(void) // not in a plane, but without volume
{
    put("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 3 2 1\nf 1 3 4\nf 4 3 1\n");
}

static void make_painted(void)
{
    put("m.recipe.json", "{ \"wrought\": 1, \"model\": \"box.obj\",\n"
                         "  \"paint\": { \"flow\": { \"picture\": \"soft.png\" } } }\n");
}

// Such a scene had put this away as recording.old.wrought before it was found to be wrong.
static void make_recording(void)
{
    mkdir("out/new", 0777);
    put_bytes("out/new/recording.wrought", sound_recording, sound_recording_size);
}

const broken broken_clay[] = {
    // models
    SCENE("clay of an open triangle", MODEL("flat.obj"),
          "2:15: body 1: the shape is flat: its 3 points lie in a plane and have no volume, "
          "expected a solid"),
    {"clay of a flat sheet", SIM, "s.json", TEXT(MODEL("m.obj")), make_sheet,
     "s.json:2:15: body 1: the shape is flat: its 4 points lie in a plane and have no volume, "
     "expected a solid",
     NULL},
    {"clay of a point", SIM, "s.json", TEXT(MODEL("m.obj")), make_point,
     "s.json:2:15: body 1: the shape is flat: its 4 points lie in a plane and have no volume, "
     "expected a solid",
     NULL},
    {"clay of a folded sheet", SIM, "s.json", TEXT(MODEL("m.obj")), make_folded_sheet,
     "s.json:2:15: body \"body 1\": the model of 4 triangles encloses no volume", NULL},
    SCENE("clay as thin as foil",
          "{ 'wrought': 1, 'bodies': [\n  { 'shape': { 'box': [1, 1, 1e-5] }, 'material': 'clay' } "
          "] }",
          "2:3: body \"body 1\": the model is 0.00001 m thick in the mean, expected at least "
          "0.000075 m for points 0.0015 m apart"),
    SCENE("a plane of clay",
          "{ 'wrought': 1, 'bodies': [\n  { 'shape': 'plane', 'material': 'clay' } ] }",
          "2:35: body 1: a body of \"clay\" moves, expected the motion \"moving\""),
    {"clay painted with a picture that does not fit", SIM, "s.json", TEXT(MODEL("m.recipe.json")),
     make_painted,
     "s.json:1:34: asset \"m\": m.recipe.json:2:22: paint: the model has no texture coordinates",
     NULL},
    // particles
    WRONG("three particles", "'particles': 3", "48", "\"particles\" is 3, expected 4 to 2000000"),
    WRONG("no particles", "'particles': 0", "48", "\"particles\" is 0, expected 4 to 2000000"),
    WRONG("ten million particles", "'particles': 10000000", "48",
          "\"particles\" is 10000000, expected 4 to 2000000"),
    WRONG("half a particle", "'particles': 99.5", "48",
          "\"particles\" is 99.5, expected a whole number"),
    SCENE("an unknown parameter", CLAY("'stifness': 3"),
          "3:35: body \"dough\": unknown parameter \"stifness\"; did you mean \"stiffness\"?"),
    // numbers
    WRONG("a negative modulus", "'stiffness': -1", "48",
          "\"stiffness\" is -1, expected 0.001 to 1000000000"),
    WRONG("a negative modulus in pascal", "'stiffness': '-5 Pa'", "48",
          "\"stiffness\" is -5 Pa, expected 0 to 1000000000 Pa"),
    WRONG("a modulus with a unit of length", "'stiffness': '5 m'", "48",
          "\"stiffness\" is \"5 m\", expected a number or \"<number> Pa\""),
    WRONG("a modulus that is no number", "'stiffness': 'nan'", "48",
          "\"stiffness\" is \"nan\", expected a number or \"<number> Pa\""),
    SCENE("an infinite modulus", CLAY("'stiffness': 1e999"), "3:48: the number 1e999 is too large"),
    SCENE("a yield that is not a number", CLAY("'yield': NaN"),
          "3:44: unexpected NaN, expected a value"),
    SCENE("no modulus", CLAY("'stiffness': '0 Pa'"),
          WHOLE
          "\"stiffness\" is 0 Pa, expected 9.81 to 9810000000000 Pa for its size and density"),
    WRONG("Poisson's ratio of water", "'poisson': 0.5", "46",
          "\"poisson\" is 0.5, expected 0 to 0.49"),
    WRONG("Poisson's ratio above", "'poisson': 0.7", "46",
          "\"poisson\" is 0.7, expected 0 to 0.49"),
    WRONG("Poisson's ratio -1", "'poisson': -1", "46", "\"poisson\" is -1, expected 0 to 0.49"),
    WRONG("a negative yield", "'yield': -1", "44", "\"yield\" is -1, expected 0 to 1000000000"),
    WRONG("all flows at once", "'flow': 1", "43", "\"flow\" is 1, expected 0 to 0.9999"),
    WRONG("negative flow", "'flow': -0.1", "43", "\"flow\" is -0.1, expected 0 to 0.9999"),
    WRONG("negative viscosity", "'viscosity': '-1 Pa s'", "48",
          "\"viscosity\" is -1 Pa s, expected 0 to 1000000000 Pa s"),
    WRONG("a negative hourglass term", "'hourglass': -1", "48",
          "\"hourglass\" is -1, expected 0 to 10"),
    WRONG("it tears at rest", "'tear': 1", "43",
          "\"tear\" is 1, expected more than 1, or 0: never"),
    WRONG("an unknown embedding", "'embedding': 'lineer'", "48",
          "unknown embedding \"lineer\"; did you mean \"linear\"?"),
    WRONG("a truth for a switch", "'resample': true", "47",
          "\"resample\" is true or false, expected a text"),
    SCENE("an unknown preset", BODY("\n    'material': { 'clay': 'rubbr' }"),
          "3:27: body \"dough\": unknown preset \"rubbr\"; did you mean \"rubber\"?"),
    SCENE("a preset for a material", BODY("\n    'material': 'putty'"),
          "3:17: body \"dough\": unknown material \"putty\"; did you mean { \"clay\": "
          "\"putty\" }?"),
    SCENE("clay of negative density", BODY("'material': 'clay',\n    'density': -1"),
          "3:16: body \"dough\": \"density\" is -1 kg/m^3, expected 0.001 to 1000000 kg/m^3"),
    SCENE("clay as heavy as a neutron star", BODY("'material': 'clay', 'mass': 1e12"),
          WHOLE "density: 1e+12 not in (0, 1e9] kg/m^3"),
    SCENE("clay that does not move", BODY("'motion': 'static',\n    'material': 'clay'"),
          "3:17: body \"dough\": a body of \"clay\" moves, expected the motion \"moving\""),
    // grips
    SCENE("a grip in the air", GRIPS(GRIP("3, 0, 0", "1, 1, 1")),
          HOLDS_NONE("1", "1 x 1 x 1", "3 0 0")),
    SCENE("a grip on what is held",
          GRIPS(GRIP("0, 0, 0", "2, 2, 2") ", " GRIP("0, 0, 0", "2, 2, 2")),
          HOLDS_NONE("2", "2 x 2 x 2", "0 0 0")),
    // what was there before
    {"a grip in the air where a recording is", SIM, "s.json",
     TEXT(GRIPS(GRIP("3, 0, 0", "1, 1, 1"))), make_recording,
     "s.json:" HOLDS_NONE("1", "1 x 1 x 1", "3 0 0"), NULL},
};
const int broken_clay_count = WRI_COUNT(broken_clay);
