// broken_scenes.c: scenes that cannot be, and outputs that cannot be written.
#include "broken.h"

#include <sys/stat.h>

#define BODY(more) "{ 'wrought': 1, 'bodies': [\n  { 'shape': { 'box': [1, 1, 1] }, " more " } ] }"
#define BOX "{ 'name': 'a', 'shape': { 'box': [1, 1, 1] } }"

static void make_deep(void)
{
    char text[300];
    memset(text, '[', sizeof text);
    put_bytes("s.json", text, sizeof text);
}

static void make_folder(void)
{
    mkdir("s.json", 0777);
}

static void make_unreadable(void)
{
    put_bytes("s.json", "{}", 2);
    chmod("s.json", 0);
    case_is_void = geteuid() == 0; // who may read everything
}

static void make_large(void) // 2 GB that take no room on the disk
{
    put_bytes("s.json", "{", 1);
    assert_int_equal(truncate("s.json", (off_t)2 << 30), 0);
}

static void make_many_groups(void)
{
    char text[4000] =
        "{ \"wrought\": 1, \"bodies\": [\n{ \"shape\": { \"sphere\": 1 }, \"groups\": [";
    for (int i = 0; i < 40; i++) {
        snprintf(text + strlen(text), 40, "%s\"g%d\"", i ? ", " : "", i);
    }
    strcat(text, "] } ] }");
    put_bytes("s.json", text, strlen(text));
}

static void make_many_cameras(void)
{
    char text[4000] = "{ \"wrought\": 1, \"bodies\": [], \"cameras\": [\n";
    for (int i = 0; i < 17; i++) {
        snprintf(text + strlen(text), 80, "%s{ \"from\": [0, 0, 1], \"to\": [0, 0, 0] }\n",
                 i ? "," : "");
    }
    strcat(text, "] }");
    put_bytes("s.json", text, strlen(text));
}

static void make_pipe(void)
{
    mkfifo("s.json", 0666);
}

static void make_room(void) // a picture of which a row is missing
{
    static const char room[] = "#?RADIANCE\n\n-Y 2 +X 4\nabc\200bcd\200cde\200def\200";
    put_bytes("room.hdr", room, sizeof room - 1);
}

static void make_square_room(void)
{
    put_bytes("room.hdr", "#?RADIANCE\n\n-Y 4 +X 4\n", 23);
}

#define LIGHT(light) "{ 'wrought': 1, 'bodies': [],\n'light': { 'environment': " light " } }"

static void make_loop(void)
{
    assert_int_equal(symlink("s.json", "s.json"), 0);
}

static void make_taken(void) // where a folder should go, there is a file
{
    put_bytes("out/new", "mine", 4);
}

static void make_foreign_recording(void)
{
    mkdir("out/new", 0777);
    put_bytes("out/new/recording.wrought", "a letter to my aunt", 19);
}

static void make_picture_folder(void)
{
    mkdir("out/p.png", 0777);
    put_bytes("out/p.png/mine", "mine", 4);
}

static void make_model_folder(void)
{
    mkdir("out/m.glb", 0777);
    put_bytes("out/m.glb/mine", "mine", 4);
}

const broken broken_scenes[] = {
    // environments
    {"an environment that is cut off", SIM, "s.json", TEXT(LIGHT("'room.hdr'")), make_room,
     "s.json:2:27: light: room.hdr: byte 38: the file ends within a row", NULL},
    {"a square environment", SIM, "s.json", TEXT(LIGHT("'room.hdr'")), make_square_room,
     "s.json:2:27: light: room.hdr: is 4 x 4 pixels, expected a picture of all around: twice as "
     "wide as "
     "high, at most 32766 wide",
     NULL},
    {"an environment that is not there", SIM, "s.json", TEXT(LIGHT("'none.hdr'")), NULL,
     "s.json:2:27: light: none.hdr: cannot open: No such file or directory", NULL},
    SCENE("an environment of a kind that is not", LIGHT("'room.exr'"),
          "2:27: light: unknown environment \"room.exr\", expected studio or a .hdr"),
    SCENE("an environment and a sun", LIGHT("'studio', 'elevation': 30"),
          "2:37: light: \"elevation\" has no effect beside an \"environment\""),
    SCENE("a turn of nothing", "{ 'wrought': 1, 'bodies': [],\n'light': { 'turn': 20 } }",
          "2:20: light: \"turn\" has no effect without an \"environment\""),
    {"an .hdr that is none", "render box.obj -o out/keep.png --environment r.hdr", "r.hdr",
     TEXT("P6 4 2"), NULL, "r.hdr: is no Radiance picture (.hdr): it does not begin with #?", NULL},
    // JSON
    SCENE("an empty file", "", "1:1: unexpected end of file, expected a value"),
    SCENE("nothing but blanks", " \n\n  ", "3:3: unexpected end of file, expected a value"),
    SCENE("not JSON", "wrought: 1\n", "1:1: unexpected wrought, expected a value"),
    SCENE("broken off", "{ 'wrought': 1,\n  'bodies': [",
          "2:14: unexpected end of file, expected a value"),
    SCENE("a text that does not end", "{ 'wrought': 1,\n  'name': 'x\n}",
          "2:11: text without its closing quote"),
    SCENE("a comment that does not end", "{ 'wrought': 1, /* no\n",
          "1:17: comment without its closing */"),
    SCENE("rubbish behind the end", "{ 'wrought': 1, 'bodies': [] }\n}",
          "2:1: unexpected '}', expected the end of the file"),
    SCENE("not a number", BODY("'mass': NaN"), "2:44: unexpected NaN, expected a value"),
    SCENE("infinity", BODY("'mass': 1e999"), "2:44: the number 1e999 is too large"),
    SCENE("a key twice", "{ 'wrought': 1,\n  'name': 'a',\n  'name': 'b' }",
          "3:3: the key \"name\" was already given in line 2"),
    SCENE("wrong UTF-8", "{ 'wrought': 1,\n  'name': 'caf\xe9' }",
          "2:15: byte 0xe9 is not UTF-8 text"),
    SCENE("overlong UTF-8", "{ 'name': '\xc0\xaf' }", "1:12: byte 0xc0 is not UTF-8 text"),
    SCENE("half a surrogate pair", "{ 'name': '\\ud800' }",
          "1:12: \\ud800 is half of a surrogate pair"),
    SCENE("a zero inside a text", "{ 'name': 'a\\u0000b' }",
          "1:13: \\u0000 is not allowed in text"),
    SCENE("a zero byte", "{ 'wrought': 1,\0 }",
          "1:16: unexpected control character 0x00, expected a key in quotes"),
    {"nested too deep", SIM, NULL, NULL, 0, make_deep, "s.json:1:65: nested deeper than 64 levels",
     NULL},
    // files
    {"no such file", SIM, NULL, NULL, 0, NULL, "s.json: cannot open: No such file or directory",
     NULL},
    {"a folder", SIM, NULL, NULL, 0, make_folder, "s.json: is a folder, expected a file", NULL},
    {"a pipe", SIM, NULL, NULL, 0, make_pipe, "s.json: is a pipe, expected a file", NULL},
    {"a link to itself", SIM, NULL, NULL, 0, make_loop,
     "s.json: cannot open: Too many levels of symbolic links", NULL},
    {"a file that may not be read", SIM, NULL, NULL, 0, make_unreadable,
     "s.json: cannot open: Permission denied", NULL},
    {"a file of 2 GB", SIM, NULL, NULL, 0, make_large,
     "s.json: is 2147483648 bytes large, expected at most 67108864", NULL},
    {"a device", "sim /dev/zero -o out/new", NULL, NULL, 0, NULL,
     "/dev/zero: is a device, expected a file", NULL},
    // the scene
    SCENE("a list", "[1]", "1:1: scene: found an array, expected an object"),
    SCENE("no version", "{ 'bodies': [] }",
          "1:1: scene: \"wrought\" is missing, expected: version of the file format: 1"),
    SCENE("a later version", "{ 'wrought': 2, 'bodies': [] }",
          "1:14: scene: \"wrought\" is 2, expected 1"),
    SCENE("no bodies", "{ 'wrought': 1 }",
          "1:1: scene: \"bodies\" is missing, expected: a list of bodies"),
    SCENE("an unknown key", "{ 'wrought': 1, 'bodys': [] }",
          "1:17: scene: unknown key \"bodys\"; did you mean \"bodies\"?"),
    SCENE("an unknown key of a body", BODY("'colour': '#fff'"),
          "2:36: body 1: unknown key \"colour\"; did you mean \"color\"?"),
    SCENE("a text for a number", "{ 'wrought': 1, 'length': 'long', 'bodies': [] }",
          "1:27: scene: \"length\" is \"long\", expected a number or \"<number> s\"; units are s, "
          "ms, min"),
    SCENE("an unknown unit", BODY("'mass': '3 stone'"),
          "2:44: body 1: \"mass\" is \"3 stone\", expected a number or \"<number> kg\"; units are "
          "kg, g, t, lb"),
    SCENE("a fraction for a whole number", "{ 'wrought': 1, 'substeps': 1.5, 'bodies': [] }",
          "1:29: scene: \"substeps\" is 1.5, expected a whole number"),
    SCENE("too many substeps", "{ 'wrought': 1, 'substeps': 1e9, 'bodies': [] }",
          "1:29: scene: \"substeps\" is 1000000000, expected 1 to 1000"),
    SCENE("no frames a second", "{ 'wrought': 1, 'frames': [60, 0], 'bodies': [] }",
          "1:32: scene: \"frames\" is 0, expected 1 to 1000000"),
    SCENE("negative mass", BODY("'mass': -1"),
          "2:44: body 1: \"mass\" is -1 kg, expected 0.000000001 to 1000000000000 kg"),
    SCENE("no mass at all", BODY("'density': 0"),
          "2:47: body 1: \"density\" is 0 kg/m^3, expected 0.001 to 1000000 kg/m^3"),
    SCENE("two numbers for a place", BODY("'at': [1, 2]"),
          "2:42: body 1: \"at\" has 2 numbers, expected 3"),
    SCENE("a box without size", "{ 'wrought': 1, 'bodies': [ { 'shape': { 'box': [1, 0, 1] } } ] }",
          "1:53: body 1: \"box\" is 0 m, expected 0.00001 to 1000000 m"),
    SCENE("a ball inside out", "{ 'wrought': 1, 'bodies': [ { 'shape': { 'sphere': -1 } } ] }",
          "1:52: body 1: \"sphere\" is -1 m, expected 0.00001 to 1000000 m"),
    SCENE("an unknown shape", "{ 'wrought': 1, 'bodies': [ { 'shape': { 'bax': [1, 1, 1] } } ] }",
          "1:42: body 1: unknown shape \"bax\"; did you mean \"box\"?"),
    SCENE("no shape", "{ 'wrought': 1, 'bodies': [ { 'name': 'a' } ] }",
          "1:29: body \"a\": has neither \"shape\" nor \"asset\", expected one of them"),
    SCENE("a turn about nothing", BODY("'turn': { 'axis': [0, 0, 0], 'by': 90 }"),
          "2:44: body 1: \"axis\" is zero, expected a direction"),
    SCENE("a quaternion of zero", BODY("'turn': [0, 0, 0, 0]"),
          "2:44: body 1: \"turn\" is a zero quaternion, expected a rotation"),
    SCENE("a colour that is none", BODY("'color': 'red'"),
          "2:45: body 1: \"color\" is \"red\", expected a colour such as \"#8a8f98\""),
    SCENE("an unknown motion", BODY("'motion': 'moved'"),
          "2:46: body 1: unknown motion \"moved\", expected one of: moving, static, driven"),
    SCENE("an unknown material", BODY("'material': 'rubbr'"),
          "2:48: body 1: unknown material \"rubbr\"; did you mean { \"clay\": \"rubber\" }, { "
          "\"flesh\": \"rubber\" } or { \"morph\": \"rubber\" }?"),
    SCENE("a path back in time",
          BODY("'path': [ { 'time': 1, 'at': [0, 0, 0] }, { 'time': 1, 'at': [1, 0, 0] } ]"),
          "2:78: body 1: \"time\" is 1 s, expected more than the 1 s before it"),
    SCENE("a million copies", BODY("'copies': [ { 'count': 1000 }, { 'count': 1000 } ]"),
          "2:46: body 1: \"copies\" asks for more than 100000 bodies"),
    {"too many groups", SIM, NULL, NULL, 0, make_many_groups,
     "s.json:2:247: body 1: \"g31\" is the 32nd group, expected at most 31", NULL},
    {"too many cameras", SIM, NULL, NULL, 0, make_many_cameras,
     "s.json:18:2: camera 17: is one too many, expected at most 16", NULL},
    SCENE("a camera that looks nowhere",
          "{ 'wrought': 1, 'bodies': [],\n  'cameras': [ { 'from': [1, 2, 3], 'to': [1, 2, 3] } ] "
          "}",
          "2:16: camera 1: \"from\" and \"to\" are the same point"),
    SCENE("a joint of nobody",
          "{ 'wrought': 1, 'bodies': [" BOX
          "],\n  'joints': [ { 'bodies': ['a', 'c'], 'at': [0, 0, 0] } ] }",
          "2:33: joint 1: unknown body \"c\", expected one of: a"),
    SCENE("a joint with itself",
          "{ 'wrought': 1, 'bodies': [" BOX
          "],\n  'joints': [ { 'bodies': ['a', 'a'], 'at': [0, 0, 0] } ] }",
          "2:27: joint 1: joins a body with itself, expected two bodies"),
    SCENE("two bodies of a name",
          "{ 'wrought': 1, 'bodies': [" BOX ", " BOX
          "],\n  'joints': [ { 'bodies': ['a'], 'at': [0, 0, 0] } ] }",
          "2:28: joint 1: 2 bodies are called \"a\", expected one"),
    SCENE("limits the wrong way round",
          "{ 'wrought': 1, 'bodies': [" BOX "],\n  'joints': [ { 'kind': 'hinge', 'bodies': ['a'], "
          "'at': [0, 0, 0], 'limits': [9, -9] } ] }",
          "2:78: joint 1: \"limits\" has its lower end above the upper one"),
    // assets
    SCENE("an asset that is not there",
          "{ 'wrought': 1,\n  'assets': { 'car': 'car.glb' }, 'bodies': [ { 'asset': 'car' } ] }",
          "2:22: asset \"car\": car.glb: cannot open: No such file or directory"),
    SCENE("an asset nobody named",
          "{ 'wrought': 1, 'assets': { 'box': 'box.obj' },\n  'bodies': [ { 'asset': 'bux' } ] }",
          "2:26: body 1: unknown asset \"bux\"; did you mean \"box\"?"),
    SCENE("a folder as asset",
          "{ 'wrought': 1, 'assets': { 'box': 'out' },\n  'bodies': [ { 'asset': 'box' } ] }",
          "1:36: asset \"box\": out: is a folder, expected a file"),
    SCENE("a device as asset",
          "{ 'wrought': 1, 'assets': { 'box': '/dev/zero' },\n  'bodies': [ { 'asset': 'box' } ] }",
          "1:36: asset \"box\": /dev/zero: is a device, expected a file"),
    SCENE("an asset with an unknown unit",
          "{ 'wrought': 1, 'assets': { 'box': { 'file': 'box.obj', 'unit': 'league' } },\n  "
          "'bodies': [ { 'asset': 'box' } ] }",
          "1:65: asset \"box\": unknown unit \"league\", expected one of: m, cm, mm, in, "
          "inch, inches, ft, foot, feet, yd, yard, yards, km"),
    SCENE("a flat asset that shall move",
          "{ 'wrought': 1, 'assets': { 'box': 'flat.obj' },\n  'bodies': [ { 'asset': 'box' } ] }",
          "2:15: body 1: the shape is flat: its 3 points lie in a plane and have no volume, "
          "expected a solid"),
    SCENE("the scene itself as asset",
          "{ 'wrought': 1, 'assets': { 'box': 's.json' },\n  'bodies': [ { 'asset': 'box' } ] }",
          "1:36: asset \"box\": s.json: is a scene, expected a model"),
    {"info of a broken scene", "info s.json --json", "s.json",
     TEXT("{ 'wrought': 1, 'bodies': [ 3 ] }"), NULL,
     "s.json:1:29: body 1: found a number, expected an object",
     "\"error\": \"s.json:1:29: body 1: found a number, expected an object\""},
    // where the output goes
    {"a file where a folder should go", "sim ok.json -o out/new", NULL, NULL, 0, make_taken,
     "out/new: is a file, expected a folder", NULL},
    {"a folder below a file", "sim ok.json -o out/notes.txt/x", NULL, NULL, 0, NULL,
     "out/notes.txt/x: cannot create: out/notes.txt is not a folder", NULL},
    {"a foreign recording", "sim ok.json -o out/new", NULL, NULL, 0, make_foreign_recording,
     "out/new/recording.wrought: is not a recording", NULL},
    {"a folder as picture", "render box.obj -o out/p.png", NULL, NULL, 0, make_picture_folder,
     "out/p.png: is a folder, expected a file", NULL, 2},
    {"a picture in a folder that is not there", "render box.obj -o nowhere/p.png", NULL, NULL, 0,
     NULL, "nowhere/p.png: cannot create: there is no folder nowhere", NULL},
    {"a folder as model", "export box.obj -o out/m.glb", NULL, NULL, 0, make_model_folder,
     "out/m.glb: is a folder, expected a file", NULL, 2},
    {"a model in a folder that is not there", "export box.obj -o nowhere/m.glb", NULL, NULL, 0,
     NULL, "nowhere/m.glb: cannot create: there is no folder nowhere", NULL},
    {"a clean model in a folder that is not there", "clean box.obj -o nowhere/m.glb", NULL, NULL, 0,
     NULL, "nowhere/m.glb: cannot create: there is no folder nowhere", NULL},
    {"a model below a file", "export box.obj -o out/notes.txt/m.glb", NULL, NULL, 0, NULL,
     "out/notes.txt/m.glb: cannot create: out/notes.txt is not a folder", NULL},
    {"a clean model where a folder is", "clean box.obj -o out/m.glb", NULL, NULL, 0,
     make_model_folder, "out/m.glb: is a folder, expected a file", NULL, 2},
    {"what is only written", "info scene.usda --json", "scene.usda", TEXT("#usda 1.0\n"), NULL,
     "scene.usda: wrought writes .usda files, but does not read them",
     "\"error\": \"scene.usda: wrought writes .usda files, but does not read them\""},
    {"an unknown kind", "info letter.txt", "letter.txt", TEXT("Dear aunt, this is long enough\n"),
     NULL,
     "letter.txt: unknown kind of file; wrought reads .json, .wrought, .glb, .gltf, .obj, .ply, "
     ".off, .mesh, .fbx, .dae, .stl and others, .dmat, .tgf, .pc2, .mdd",
     NULL},
    {"an unknown kind to draw", "render letter.usda -o out/keep.png", "letter.usda",
     TEXT("#usda 1.0\n"), NULL, "letter.usda: wrought writes .usda files, but does not read them",
     NULL},
    {"a matrix to export", "export m.dmat -o out/keep.glb", "m.dmat", TEXT("1 1\n1\n"), NULL,
     "m.dmat: is neither a recording nor a model", NULL},
    {"a scene to draw", "render s.scene.json -o out/keep.png", "s.scene.json", TEXT("{}\n"), NULL,
     "s.scene.json: is a scene, not a recording: simulate it with \"wrought sim\" first", NULL},
    {"an export of nothing", "export none -o out/keep.glb", NULL, NULL, 0, NULL,
     "none: cannot open: No such file or directory", NULL},
    {"a picture of nothing", "render none -o out/keep.png", NULL, NULL, 0, NULL,
     "none: cannot open: No such file or directory", NULL},
    {"an export of a folder without recording", "export out -o out/keep.glb", NULL, NULL, 0, NULL,
     "out/recording.wrought: cannot open: No such file or directory", NULL},
};
const int broken_scene_count = WRI_COUNT(broken_scenes);
