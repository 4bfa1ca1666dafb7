// test_scene.c: scene files are read as the reference says, and every mistake is one sentence with
// its place.
#include "check.h"
#include "comma_locale.h"
#include "jelly.h"

#include "../src/base/os.h"
#include "../src/file/json.h"
#include "../src/scene/materials.h"
#include "../src/world/materials.h"

#include "wrought/file.h"
#include "wrought/metal.h"
#include "wrought/scene.h"

// --- scenes in a folder of their own ----------------------------------------------------------

static temporary_folder folder;

static char *in_folder(char out[600], const char *name)
{
    snprintf(out, 600, "%s/%s", folder.path, name);
    return out;
}

static void write_text(const char *name, const char *text)
{
    char path[600];
    wr_error error = {0};
    if (!wri_file_write(in_folder(path, name), text, strlen(text), &error)) {
        fail_msg("%s", error.message);
    }
}

static void replace(char *text, char from, char to)
{
    for (; *text; text++) {
        *text = *text == from ? to : *text;
    }
}

static const wr_material *const materials[] = {&jelly_material};
static const wr_scene_options with_jelly = {.materials = materials, .material_count = 1};

// Scenes in this file are written with ' instead of ".
static wr_scene *read_text(const char *text, wr_error *error)
{
    char path[600], json[16384];
    assert_true(strlen(text) < sizeof json);
    strcpy(json, text);
    replace(json, '\'', '"');
    write_text("scene.json", json);
    return wr_scene_read(in_folder(path, "scene.json"), &with_jelly, error);
}

static wr_scene *read_scene(const char *text)
{
    wr_error error = {0};
    wr_scene *scene = read_text(text, &error);
    if (!scene) {
        fail_msg("%s", error.message);
    }
    return scene;
}

// A scene with these bodies and, behind them, whatever else.
static wr_scene *read_bodies(const char *bodies, const char *rest)
{
    char text[8192];
    snprintf(text, sizeof text, "{'wrought': 1, 'bodies': [%s]%s}", bodies, rest);
    return read_scene(text);
}

// Models: a unit cube, the same without its lid, a flat square, two cubes in one file.
#define CUBE_POINTS(x)                                                                             \
    "v " x "0 0 0\nv " x "1 0 0\nv " x "1 1 0\nv " x "0 1 0\nv " x "0 0 1\nv " x "1 0 1\n"         \
    "v " x "1 1 1\nv " x "0 1 1\n"
#define CUBE_SIDES "f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"

static int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    write_text("cube.obj", CUBE_POINTS("") CUBE_SIDES "f 5 6 7 8\n");
    write_text("open.obj", CUBE_POINTS("") CUBE_SIDES);
    write_text("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n");
    write_text("two.obj",
               CUBE_POINTS("") CUBE_POINTS("1") CUBE_SIDES "f 5 6 7 8\n"
                                                           "f 9 12 11 10\nf 9 10 14 13\n"
                                                           "f 10 11 15 14\nf 11 12 16 15\n"
                                                           "f 12 9 13 16\nf 13 14 15 16\n");
    write_text("notes.txt", "no model at all\n");
    write_text("hero.png", "a drawing, one would think\n");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// --- mistakes ---------------------------------------------------------------------------------

typedef struct mistake {
    const char *scene, *message; // behind the name of the file
} mistake;

#define SCENE(text) "{'wrought': 1, 'bodies': [],\n " text "}"
#define BODIES(text) "{'wrought': 1,\n 'bodies': [" text "]}"
#define CRATE(file, text)                                                                          \
    "{'wrought': 1,\n'assets': {'crate': " file "},\n'bodies': [{'asset': " text "}]}"
#define JOINT(text)                                                                                \
    "{'wrought': 1, 'bodies': [{'name': 'a', " BOX "}, {'name': 'b', " BOX "}, {'name': 'b', " BOX \
    "}, {'name': 'link', " BOX ", 'copies': {'count': 3}}],\n 'joints': [{" text "}]}"
#define BOX "'shape': {'box': [1, 1, 1]}"

static const mistake mistakes[] = {
    {BODIES("{" BOX ", 'manifolt': {}}"),
     "2:43: body 1: unknown key 'manifolt'; did you mean 'manifold'?"},
    {BODIES("{" BOX ", 'nails': [], 'manifold': {}, 'material': 'jelly'}"),
     "2:56: body 1: 'manifold' has no effect on a body that is no sprite"},
    {SCENE("'lenght': 5"), "2:2: scene: unknown key 'lenght'; did you mean 'length'?"},
    {SCENE("'length': true"), "2:12: scene: 'length' is true or false, expected a number"},
    {SCENE("'length': 0"), "2:12: scene: 'length' is 0 s, expected 0.001 to 86400 s"},
    {SCENE("'length': '5 kg'"),
     "2:12: scene: 'length' is '5 kg', expected a number or '<number> s'; units are s, ms, min"},
    {SCENE("'length': '5'"),
     "2:12: scene: 'length' is '5', expected a number or '<number> s'; units are s, ms, min"},
    {SCENE("'gravity': [0, NaN, 0]"), "2:17: unexpected NaN, expected a value"},
    {SCENE("'gravity': [0, 1e999, 0]"), "2:17: the number 1e999 is too large"},
    {SCENE("'gravity': [0, 1]"), "2:13: scene: 'gravity' has 2 numbers, expected 3"},
    {SCENE("'gravity': [0, 'x', 1]"),
     "2:17: scene: 'gravity' is 'x', expected a number or '<number> m/s^2'"},
    {SCENE("'gravity': [0, [], 1]"), "2:17: scene: found an array, expected a number"},
    {SCENE("'gravity': 3"), "2:13: scene: 'gravity' is a number, expected an array"},
    {SCENE("'substeps': 2.5"), "2:14: scene: 'substeps' is 2.5, expected a whole number"},
    {SCENE("'substeps': 0"), "2:14: scene: 'substeps' is 0, expected 1 to 1000"},
    {SCENE("'frames': 0"), "2:12: scene: 'frames' is 0, expected 1 to 1000"},
    {SCENE("'frames': [30000]"),
     "2:12: scene: 'frames' expects a whole number or [numerator, denominator]"},
    {SCENE("'frames': [30000, 0]"), "2:20: scene: 'frames' is 0, expected 1 to 1000000"},
    {SCENE("'sleeping': 1"), "2:14: scene: 'sleeping' is a number, expected true or false"},
    {SCENE("'name': 1"), "2:10: scene: 'name' is a number, expected a text"},
    {SCENE("'length': 86400, 'frames': 1000"), "1:1: scene: has more than 10000000 frames"},
    {"{'wrought': 2, 'bodies': []}", "1:13: scene: 'wrought' is 2, expected 1"},
    {"{'bodies': []}", "1:1: scene: 'wrought' is missing, expected: version of the file format: 1"},
    {"{'wrought': 1}", "1:1: scene: 'bodies' is missing, expected: a list of bodies"},
    {"[]", "1:1: scene: found an array, expected an object"},
    {"", "1:1: unexpected end of file, expected a value"},
    {"{'wrought': 1, 'bodies': []", "1:28: unexpected end of file, expected ',' or '}'"},
    {"{'wrought': 1, 'wrought': 1}", "1:16: the key 'wrought' was already given in line 1"},
    {"{'wrought': 1, 'bodies': {}}", "1:26: scene: 'bodies' is an object, expected an array"},
    {"{'wrought': 1, 'bodies': [3]}", "1:27: body 1: found a number, expected an object"},
    {"{'name': '\xff'}", "1:11: byte 0xff is not UTF-8 text"},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[",
     "1:65: nested deeper than 64 levels"},
    {BODIES("{}"), "2:13: body 1: has neither 'shape' nor 'asset', expected one of them"},
    {BODIES("{'name': 'a', 'shape': 'bocks'}"),
     "2:36: body 'a': unknown shape 'bocks', expected one of: plane, hull, hulls, mesh, box, "
     "sphere, capsule, cylinder"},
    {BODIES("{'shape': 'box'}"),
     "2:23: body 1: the shape 'box' has no size, expected {'box': ...}"},
    {BODIES("{'shape': 'hull'}"),
     "2:23: body 1: the shape 'hull' needs an 'asset' to take it from"},
    {BODIES("{'shape': {'bock': [1, 1, 1]}}"),
     "2:24: body 1: unknown shape 'bock', expected one of: box, sphere, capsule, cylinder"},
    {BODIES("{'shape': {'box': [1, 1, 1], 'sphere': 1}}"),
     "2:23: body 1: 'shape' has 2 keys, expected one of: box, sphere, capsule, cylinder"},
    {BODIES("{'shape': {}}"),
     "2:23: body 1: 'shape' has 0 keys, expected one of: box, sphere, capsule, cylinder"},
    {BODIES("{'shape': 7}"), "2:23: body 1: 'shape' is a number, expected a word or an object"},
    {BODIES("{'shape': {'box': [1, -1, 1]}}"),
     "2:35: body 1: 'box' is -1 m, expected 0.00001 to 1000000 m"},
    {BODIES("{'shape': {'sphere': 0}}"),
     "2:34: body 1: 'sphere' is 0 m, expected 0.00001 to 1000000 m"},
    {BODIES("{'shape': {'capsule': {'radius': 1}}}"),
     "2:35: body 1: 'length' is missing, expected: of the straight part"},
    {BODIES("{'shape': {'cylinder': {'radius': 1, 'length': 2}}}"),
     "2:50: body 1: unknown key 'length', expected one of: radius, height"},
    {BODIES("{" BOX ", 'mass': -1}"),
     "2:51: body 1: 'mass' is -1 kg, expected 0.000000001 to 1000000000000 kg"},
    {BODIES("{" BOX ", 'density': 0}"),
     "2:54: body 1: 'density' is 0 kg/m^3, expected 0.001 to 1000000 kg/m^3"},
    {BODIES("{" BOX ", 'friction': -0.5}"), "2:55: body 1: 'friction' is -0.5, expected 0 to 100"},
    {BODIES("{" BOX ", 'restitution': 1.5}"),
     "2:58: body 1: 'restitution' is 1.5, expected 0 to 1"},
    {BODIES("{" BOX ", 'motion': 'statik'}"),
     "2:53: body 1: unknown motion 'statik'; did you mean 'static'?"},
    {BODIES("{" BOX ", 'motion': 'driven'}"), "2:13: body 1: the motion 'driven' expects a 'path'"},
    {BODIES("{" BOX ", 'motion': 'static', 'path': [{'time': 0, 'at': [0, 0, 0]}]}"),
     "2:13: body 1: a body with a 'path' expects the motion 'driven'"},
    {BODIES("{" BOX ", 'path': []}"), "2:51: body 1: 'path' is empty, expected at least one key"},
    {BODIES("{" BOX ", 'path': [{'time': 1, 'at': [0, 0, 0]}, {'time': 1, 'at': [0, 0, 0]}]}"),
     "2:82: body 1: 'time' is 1 s, expected more than the 1 s before it"},
    {BODIES("{" BOX ", 'path': [{'at': [0, 0, 0]}]}"),
     "2:52: body 1: 'time' is missing, expected: when"},
    {BODIES("{" BOX ", 'path': [{'time': 0}]}"), "2:52: body 1: 'at' is missing, expected: where"},
    {BODIES("{'shape': 'plane', 'motion': 'moving'}"),
     "2:13: body 1: a plane cannot move, expected the motion 'static'"},
    {BODIES("{'shape': 'plane', 'path': [{'time': 0, 'at': [0, 0, 0]}]}"),
     "2:13: body 1: a plane cannot move, expected the motion 'static'"},
    {BODIES("{" BOX ", 'turn': {'axis': [0, 0, 0], 'by': 3}}"),
     "2:51: body 1: 'axis' is zero, expected a direction"},
    {BODIES("{" BOX ", 'turn': [0,0,0,0]}"),
     "2:51: body 1: 'turn' is a zero quaternion, expected a rotation"},
    {BODIES("{" BOX ", 'turn': [0, 0, 0]}"),
     "2:51: body 1: 'turn' is an array, expected {'axis': [x, y, z], 'by': degrees} or a "
     "quaternion [x, y, z, w]"},
    {BODIES("{" BOX ", 'turn': {'by': 3}}"),
     "2:51: body 1: 'axis' is missing, expected: direction to turn about"},
    {BODIES("{" BOX ", 'turn': 90}"), "2:51: body 1: 'turn' is a number, expected {'axis': [x, y, "
                                      "z], 'by': degrees} or a quaternion [x, y, z, w]"},
    {BODIES("{" BOX ", 'color': 'red'}"),
     "2:52: body 1: 'color' is 'red', expected a colour such as '#8a8f98'"},
    {BODIES("{" BOX ", 'color': '#12345g'}"),
     "2:52: body 1: 'color' is '#12345g', expected a colour such as '#8a8f98'"},
    {BODIES("{" BOX ", 'copies': 3}"), "2:53: body 1: 'copies' is a number, expected an object"},
    {BODIES("{" BOX ", 'copies': {'step': [0, 0, 0]}}"),
     "2:53: body 1: 'count' is missing, expected: how many, the first one included"},
    {BODIES("{" BOX ", 'copies': {'count': 10001}}"),
     "2:63: body 1: 'count' is 10001, expected 1 to 10000"},
    {BODIES("{" BOX ", 'copies': [{'count': 1000}, {'count': 1000}]}"),
     "2:53: body 1: 'copies' asks for more than 100000 bodies"},
    {BODIES("{" BOX
            ", 'copies': [{'count': 1}, {'count': 1},{'count': 1},{'count': 1},{'count': 1}]}"),
     "2:53: body 1: 'copies' has 5 rows, expected 1 to 4"},
    {BODIES("{" BOX ", 'copies': {'count': 9999}}, {" BOX
            ", 'copies': [{'count': 10000},{'count': 10}]}"),
     "2:71: body 2: the scene has more than 100000 bodies"},
    {BODIES("{" BOX ", 'groups': 'a'}"), "2:53: body 1: 'groups' is a text, expected an array"},
    {BODIES("{" BOX ", 'groups': [1]}"), "2:54: body 1: found a number, expected a text"},
    {BODIES("{" BOX ", 'groups': "
            "['1','2','3','4','5','6','7','8','9','10','11','12','13','14','15','16','17','"
            "18','19','20','21','22','23','24','25','26','27','28','29','30','31','32']}"),
     "2:200: body 1: '32' is the 32nd group, expected at most 31"},
    {BODIES("{" BOX ", 'material': 'jely'}"),
     "2:55: body 1: unknown material 'jely'; did you mean 'jelly'?"},
    {BODIES("{" BOX ", 'material': 'banana'}"),
     "2:55: body 1: unknown material 'banana', expected "
     "one of: rigid, metal, sprite, clay, flesh, morph, jelly"},
    {BODIES("{" BOX ", 'material': 3}"),
     "2:55: body 1: 'material' is a number, expected a name or an object"},
    {BODIES("{" BOX ", 'material': {}}"),
     "2:55: body 1: 'material' is empty, expected the name of a material"},
    {BODIES("{" BOX ", 'material': {'rigid': 'default'}}"),
     "2:56: body 1: the material 'rigid' has no presets, expected 'material': 'rigid'"},
    {BODIES("{" BOX ", 'material': {'jelli': 'default'}}"),
     "2:56: body 1: unknown material 'jelli'; did you mean 'jelly'?"},
    {BODIES("{" BOX ", 'material': {'jelly': 'frim'}}"),
     "2:65: body 1: unknown preset 'frim'; did you mean 'firm'?"},
    {BODIES("{" BOX ", 'material': {'jelly': 3}}"),
     "2:65: body 1: 'jelly' is a number, expected a text"},
    {BODIES("{" BOX ", 'material': {'jelly': 'firm', 'stifness': 3}}"),
     "2:73: body 1: unknown parameter 'stifness'; did you mean 'stiffness'?"},
    {BODIES("{" BOX ", 'material': {'jelly': 'firm', 'stiffness': -3}}"),
     "2:86: body 1: 'stiffness' is -3 N/m, expected 1 to 10000000 N/m"},
    {BODIES("{" BOX ", 'material': {'jelly': 'firm', 'stiffness': '3 N'}}"),
     "2:86: body 1: 'stiffness' is '3 N', expected a number or '<number> N/m'"},
    {BODIES("{" BOX ", 'material': {'metal': 'tin', 'pieces': 2.5}}"),
     "2:82: body 1: 'pieces' is 2.5, expected a whole number"},
    {BODIES("{" BOX ", 'material': {'metal': 'tin', 'projection': 'gradiant'}}"),
     "2:86: body 1: unknown projection 'gradiant'; did you mean 'gradient'?"},
    {BODIES("{" BOX ", 'material': {'metal': 'tin', 'projection': 2}}"),
     "2:86: body 1: 'projection' is a number, expected a text"},
    {BODIES("{" BOX ", 'motion': 'static', 'material': 'jelly'}"),
     "2:75: body 1: a body of 'jelly' moves, expected the motion 'moving'"},
    {BODIES("{'asset': 'crate'}"), "2:23: body 1: unknown asset 'crate', there are none"},
    {CRATE("'cube.obj'", "'crat'"), "3:22: body 1: unknown asset 'crat'; did you mean 'crate'?"},
    {CRATE("'missing.obj'", "'crate'"),
     "2:21: asset 'crate': DIR/missing.obj: cannot open: No such file or directory"},
    {CRATE("'hero.png'", "'crate'"), "2:21: asset 'crate': DIR/hero.png: a picture is no model; "
                                     "`wrought new` makes a recipe of a drawing"},
    {CRATE("'notes.txt'", "'crate'"), "2:21: asset 'crate': DIR/notes.txt: not a kind of model "
                                      "that can be read, expected .glb, .gltf, .obj, .ply, "
                                      ".off, .mesh, .fbx, .dae or .stl"},
    {CRATE("3", "'crate'"), "2:21: asset 'crate': 'crate' is a number, expected a text"},
    {CRATE("'.'", "'crate'"), "2:21: asset 'crate': DIR/.: is a folder, expected a file"},
    {"{'wrought': 1,\n'assets': [],\n'bodies': [{'asset': 'crate'}]}",
     "2:11: scene: 'assets' is an array, expected an object"},
    {CRATE("'open.obj'", "'crate', 'shape': 'mesh'"),
     "3:40: body 1: mesh 'open': its 10 triangles enclose no volume, expected a closed surface: "
     "this one is open; close it, or choose the shape 'hull'"},
    {CRATE("'flat.obj'", "'crate'"), "3:12: body 1: the shape is flat: its 4 points lie in a plane "
                                     "and have no volume, expected a solid"},
    {CRATE("'flat.obj'", "'crate', 'shape': 'hulls'"),
     "3:40: body 1: the shape is flat: its 4 points lie in a plane and have no volume, expected a "
     "solid"},
    {CRATE("'cube.obj'", "'crate', 'scale': 0"),
     "3:40: body 1: 'scale' is 0, expected 0.000001 to 1000000"},
    {JOINT(""), "2:13: joint 1: 'bodies' is missing, expected: one or two names of bodies; one is "
                "joined to the world. A part of a body stands behind its name and a slash: "
                "`'rex/bone 3'`"},
    {JOINT("'bodies': ['a']"), "2:13: joint 1: 'at' is missing, expected: where, in the world"},
    {JOINT("'bodies': ['c'], 'at': [0, 0, 0]"),
     "2:25: joint 1: unknown body 'c', expected one of: a, b, b, link.1, link.2, link.3"},
    {JOINT("'bodies': ['b'], 'at': [0, 0, 0]"),
     "2:25: joint 1: 2 bodies are called 'b', expected one"},
    {JOINT("'bodies': ['link.4'], 'at': [0, 0, 0]"),
     "2:25: joint 1: unknown body 'link.4'; did you mean 'link.1'?"},
    {JOINT("'bodies': ['lnk.1/lid'], 'at': [0, 0, 0]"),
     "2:25: joint 1: unknown body 'lnk.1'; did you mean 'link.1'?"},
    {JOINT("'bodies': ['link/1'], 'at': [0, 0, 0]"),
     "2:25: joint 1: unknown body 'link/1'; did you mean 'link.1'?"},
    {JOINT("'bodies': ['/lid'], 'at': [0, 0, 0]"),
     "2:25: joint 1: unknown body '', expected one of: a, b, b, link.1, link.2, link.3"},
    {JOINT("'bodies': ['b/lid'], 'at': [0, 0, 0]"),
     "2:25: joint 1: 2 bodies are called 'b', expected one"},
    {JOINT("'bodies': ['a/lid', 'a/lid'], 'at': [0, 0, 0]"),
     "2:24: joint 1: joins a body with itself, expected two bodies"},
    {JOINT("'bodies': ['link.1/lid', 'link.2'], 'at': [0, 0, 0], 'copies': {'count': 4}"),
     "2:39: joint 1: unknown body 'link.4'; did you mean 'link.1'?"},
    {JOINT("'bodies': ['a', 'a'], 'at': [0, 0, 0]"),
     "2:24: joint 1: joins a body with itself, expected two bodies"},
    {JOINT("'bodies': [], 'at': [0, 0, 0]"),
     "2:24: joint 1: 'bodies' has 0 names, expected one or two"},
    {JOINT("'bodies': ['a', 'link.1', 'link.2'], 'at': [0, 0, 0]"),
     "2:24: joint 1: 'bodies' has 3 names, expected one or two"},
    {JOINT("'bodies': [1], 'at': [0, 0, 0]"), "2:25: joint 1: found a number, expected a text"},
    {JOINT("'bodies': ['a'], 'at': [0, 0, 0], 'kind': 'hing'"),
     "2:56: joint 1: unknown kind 'hing'; did you mean 'hinge'?"},
    {JOINT("'bodies': ['a'], 'at': [0, 0, 0], 'axis': [0, 0, 0]"),
     "2:56: joint 1: 'axis' is zero, expected a direction"},
    {JOINT("'bodies': ['a'], 'at': [0, 0, 0], 'limits': [0,1]"),
     "2:58: joint 1: 'limits' are for hinges and sliders"},
    {JOINT("'bodies': ['a'], 'at': [0, 0, 0], 'kind': 'hinge', 'limits': [0]"),
     "2:75: joint 1: 'limits' expects [lower, upper]"},
    {JOINT("'bodies': ['a'], 'at': [0, 0, 0], 'kind': 'hinge', 'limits': [0, 200]"),
     "2:79: joint 1: 'limits' is 200 deg, expected -180 to 180 deg"},
    {JOINT("'bodies': ['a'], 'at': [0, 0, 0], 'kind': 'slider', 'limits': [2, 1]"),
     "2:76: joint 1: 'limits' has its lower end above the upper one"},
    {JOINT("'bodies': ['a'], 'at': [0, 0, 0], 'breaks': -1"),
     "2:58: joint 1: 'breaks' is -1 N s, expected 0 to 1000000000000 N s"},
    {JOINT("'bodies': ['link.1', 'link.2'], 'at': [0, 0, 0], 'copies': {'count': 3}"),
     "2:35: joint 1: unknown body 'link.4'; did you mean 'link.1'?"},
    {JOINT(
         "'bodies': ['link.1', 'link.2'], 'at': [0, 0, 0], 'copies': [{'count': 1}, {'count': 1}]"),
     "2:73: joint 1: 'copies' has 2 rows, expected one for joints"},
    {JOINT("'bodies': 'a', 'at': [0, 0, 0]"),
     "2:24: joint 1: 'bodies' is a text, expected an array"},
    {SCENE("'cameras': [{'from': [0, 0, 0]}]"),
     "2:14: camera 1: 'to' is missing, expected: the point in the middle of the picture"},
    {SCENE("'cameras': [{'from': [0, 0, 0], 'to': [0, 0, 0]}]"),
     "2:14: camera 1: 'from' and 'to' are the same point"},
    {SCENE("'cameras': [{'from': [0, 0, 0], 'to': [0, 0, 1], 'fov': 180}]"),
     "2:58: camera 1: 'fov' is 180 deg, expected 1 to 170 deg"},
    {SCENE("'cameras': [{'from': [0, 0, 0], 'to': [0, 0, 1], 'name': "
           "'0123456789012345678901234567890123456789012345678901234567890123'}]"),
     "2:14: camera 1: 'name' is longer than 63 bytes"},
    {BODIES("{" BOX ", 'name': 'hero'}], 'cameras': [{'follow': 'heroo'}"),
     "2:84: camera 1: unknown body 'heroo'; did you mean 'hero'?"},
    {BODIES("{'shape': 'plane', 'name': 'floor'}], 'cameras': [{'follow': 'floor'}"),
     "2:74: camera 1: 'floor' is a plane, expected a body that ends"},
    {BODIES("{" BOX ", 'name': 'hero'}], 'cameras': [{'follow': 'hero', 'fov': 40}"),
     "2:92: camera 1: 'fov' has no meaning without 'from' and 'to'"},
    {BODIES("{" BOX ", 'name': 'hero'}], 'cameras': [{'follow': 'hero', 'from': [0, 0, 4]}"),
     "2:73: camera 1: 'to' is missing, expected: the point in the middle of the picture"},
    {SCENE("'cameras': [{'keys': []}]"),
     "2:23: camera 1: 'keys' is empty, expected at least one key"},
    {SCENE("'cameras': [{'keys': [{'from': [0, 0, 1], 'to': [0, 0, 0]}]}]"),
     "2:24: camera 1: 'time' is missing, expected: when"},
    {SCENE("'cameras': [{'keys': [{'time': 0, 'from': [0, 0, 1]}]}]"),
     "2:24: camera 1: 'to' is missing, expected: the point in the middle of the picture"},
    {SCENE("'cameras': [{'to': [0, 0, 1], 'keys': [{'time': 0}, {'time': 1, 'from': [0, 0, 0]}]}]"),
     "2:41: camera 1: 'from' is missing, expected: where the camera is"},
    {SCENE("'cameras': [{'from': [0, 0, 4], 'to': [0, 0, 1], 'keys': [{'time': 0},\n "
           "{'time': 1, 'to': [0, 0, 4]}]}]"),
     "3:2: camera 1: 'from' and 'to' are the same point"},
    {SCENE("'cameras': [{'from': [0, 0, 4], 'to': [0, 0, 1], 'keys': [{'time': 2},\n "
           "{'time': 2, 'fov': 20}]}]"),
     "3:2: camera 1: 'time' is 2 s, expected more than the 2 s before it"},
    {SCENE("'cameras': [{'from': [3, 1, 2], 'to': [0, 1, 0], 'keys': [{'time': 0},\n "
           "{'time': 1, 'from': [-1.5, 1, -1]}]}]"),
     "3:2: camera 1: the camera passes through the point it looks at on the way from the key "
     "before, expected another one between them"},
    {SCENE("'cameras': [{'from': [0, 0, 4], 'to': [0, 0, 1], 'keys': [\n {'tiem': 2}]}]"),
     "3:3: camera 1: unknown key 'tiem'; did you mean 'time'?"},
    {SCENE("'cameras': [{'from': [0, 0, 4], 'to': [0, 0, 1], 'keys': [\n "
           "{'time': 2, 'flat': 2}]}]"),
     "3:14: camera 1: 'flat' has no meaning without a 'flat' of the camera"},
    {SCENE("'cameras': [{'to': [0, 0, 1], 'flat': 3, 'keys': [\n {'time': 2, 'fov': 20}]}]"),
     "3:14: camera 1: 'fov' has no meaning beside 'flat'"},
    {SCENE("'cameras': [{'to': [0, 0, 1], 'flat': 3, 'lens': 0.1}]"),
     "2:43: camera 1: 'lens' has no meaning beside 'flat'"},
    {SCENE("'flat': true, 'cameras': [{'from': [0, 0, 4], 'to': [0, 0, 1], 'lens': 0.1}]"),
     "2:65: camera 1: 'lens' has no meaning in a flat scene"},
    {SCENE("'cameras': [{'from': [0, 0, 4], 'to': [0, 0, 1], 'blur': 2}]"),
     "2:59: camera 1: 'blur' is 2, expected 0 to 1"},
    {SCENE("'light': {'elevation': 0}"), "2:25: light: 'elevation' is 0 deg, expected 1 to 90 deg"},
    {SCENE("'light': []"), "2:11: light: 'light' is an array, expected an object"},
    {SCENE("'light': {'colour': '#ffffff'}"),
     "2:12: light: unknown key 'colour'; did you mean 'color'?"},
    {BODIES("{" BOX ", 'name': 'a\\u001b[31m\\n', 'mass': 0}"),
     "2:76: body 'a?[31m?': 'mass' is 0 kg, expected 0.000000001 to 1000000000000 kg"},
    {BODIES("{" BOX ", 'name': "
            "'äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäö"
            "ü', 'mass': 0}"),
     "2:141: body 'äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäö...: 'mass' is 0 kg, expected 0.000000001 to "
     "1000000000000 "
     "kg"},
};

static void every_mistake_is_a_sentence_with_its_place(void **state)
{
    (void)state;
    for (int i = 0; i < WRI_COUNT(mistakes); i++) {
        wr_error error = {0};
        char expected[2048], found[sizeof error.message];
        assert_null(read_text(mistakes[i].scene, &error));
        const char *message = mistakes[i].message, *inner = strstr(message, "DIR/");
        int before = inner ? (int)(inner - message) : (int)strlen(message);
        snprintf(expected, sizeof expected, "%s/scene.json:%.*s%s%s", folder.path, before, message,
                 inner ? folder.path : "", inner ? inner + 3 : "");
        memcpy(found, error.message, sizeof found);
        replace(found, '"', '\'');
        assert_string_equal(found, expected);
        bool is_file = strstr(message, "cannot open") || strstr(message, "is a folder");
        assert_int_equal(error.code, is_file ? WR_E_IO : WR_E_FORMAT);
        assert_null(read_text(mistakes[i].scene, NULL)); // nobody needs to ask why
    }
}

static void a_missing_scene_file_is_named(void **state)
{
    (void)state;
    char path[600], expected[700];
    wr_error error = {0};
    assert_null(wr_scene_read(in_folder(path, "nowhere.json"), NULL, &error));
    snprintf(expected, sizeof expected, "%s: cannot open: No such file or directory", path);
    assert_string_equal(error.message, expected);
    assert_null(wr_scene_read(folder.path, NULL, &error));
    assert_non_null(strstr(error.message, "is a folder"));
}

// Every prefix of a scene that uses every kind of value.
static void a_scene_cut_anywhere_is_a_sentence(void **state)
{
    (void)state;
    const char *text = CRATE("'two.obj'", "'crate', 'shape': 'hulls', 'at': ['9 cm', 1, -2e3], "
                                          "'material': {'jelly': 'firm'}, 'copies': {'count': 2}");
    char cut[1024];
    for (size_t length = 0; length < strlen(text); length++) {
        wr_error error = {0};
        memcpy(cut, text, length);
        cut[length] = '\0';
        assert_null(read_text(cut, &error));
        assert_non_null(strstr(error.message, "scene.json:"));
    }
}

// --- defaults ---------------------------------------------------------------------------------

static void what_is_left_out_has_the_documented_default(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{" BOX "}", ", 'joints': [{'bodies': ['body 1'], 'at': [1, 2, 3]}], "
                                           "'cameras': [{'from': [0, 0, 1], 'to': [0, 0, 0]}]");
    assert_string_equal(s->name, "scene");
    CHECK_NEAR(s->length, 5.0, 0);
    assert_int_equal(s->rate_numerator, 60);
    assert_int_equal(s->rate_denominator, 1);
    assert_int_equal(s->substeps, 4);
    assert_int_equal(s->iterations, 30);
    assert_true(s->sleeping);
    CHECK_NEAR(s->gravity.y, -9.81, 1e-6);
    assert_int_equal(wr_scene_frame_count(s), 300);
    assert_int_equal(s->body_count, 1);
    const wr_scene_body *b = &s->bodies[0];
    assert_string_equal(b->name, "body 1");
    CHECK_NEAR(b->density, 1000.0, 0);
    CHECK_NEAR(b->rigid.mass.mass, 1000.0, 1e-9);
    CHECK_NEAR(b->rigid.friction, 0.6, 1e-7);
    CHECK_NEAR(b->rigid.restitution, 0.1, 1e-7);
    CHECK_NEAR(b->rigid.rolling_friction, 0.0, 0);
    CHECK_NEAR(b->rigid.linear_damping, 0.0, 0);
    CHECK_NEAR(b->rigid.angular_damping, 0.004, 1e-8);
    assert_int_equal(b->rigid.motion, WR_MOTION_MOVING);
    assert_true(b->rigid.can_sleep);
    assert_int_equal(b->rigid.group, 1);
    assert_int_equal(b->rigid.collides, UINT32_MAX);
    assert_null(b->material);
    assert_int_equal(b->path_count, 0);
    CHECK_NEAR(wr_length(b->rigid.velocity) + wr_length(b->rigid.angular_velocity), 0.0, 0);
    CHECK_NEAR(b->rigid.pose.rotation.w, 1.0, 0);
    CHECK_NEAR(wr_length(b->rigid.pose.position), 0.0, 0);
    const wr_joint_desc *j = &s->joints[0].joint;
    assert_string_equal(s->joints[0].name, "joint");
    assert_int_equal(j->kind, WR_JOINT_POINT);
    assert_int_equal(j->body_a, 0);
    assert_int_equal(j->body_b, -1);
    assert_true(j->lower > j->upper && isinf(j->breaking_impulse) && !j->collide);
    CHECK_NEAR(j->axis.y, 1.0, 0);
    CHECK_NEAR(s->stage.cameras[0].fov, 35.0 * 3.14159265 / 180.0, 1e-6);
    assert_string_equal(s->stage.cameras[0].name, "");
    wr_scene_destroy(s);
}

// What a key leaves out is as in the one before, in the first as in the camera; lengths and times
// take units.
static void keys_of_a_camera_go_on_from_those_before(void **state)
{
    (void)state;
    wr_scene *s = read_bodies(
        "{" BOX "}",
        ", 'cameras': [{'to': [0, 1, 0], 'fov': 30, 'lens': '2 cm', 'blur': 0.5, 'keys': ["
        "{'time': '250 ms', 'from': [4, 1, 0]}, {'time': 2, 'to': ['30 cm', 1, 0], 'fov': 20},"
        "{'time': 3, 'lens': 0, 'from': [4, 2, 0]}]}, {'to': [1, 2, 0], 'flat': 3, "
        "'keys': [{'time': 0}, {'time': 1, 'to': [2, 2, 0], 'flat': 2}]}]");
    const wr_camera *c = &s->stage.cameras[0];
    assert_int_equal(c->key_count, 3);
    assert_true(c->from.x == 4.0f && c->to.y == 1.0f && c->lens == 0.02f && c->blur == 0.5f);
    assert_true(c->keys[0].time == 0.25 && c->keys[0].to.y == 1.0f && c->keys[0].lens == 0.02f);
    CHECK_NEAR(c->keys[0].fov, 30.0 * 3.14159265 / 180.0, 1e-6);
    assert_true(c->keys[1].from.x == 4.0f && c->keys[1].to.x == 0.3f && c->keys[1].lens == 0.02f);
    CHECK_NEAR(c->keys[2].fov, 20.0 * 3.14159265 / 180.0, 1e-6);
    assert_true(c->keys[2].lens == 0.0f && c->keys[2].from.y == 2.0f && c->keys[2].to.x == 0.3f);
    c = &s->stage.cameras[1]; // it stays in front of what it looks at
    assert_true(c->keys[0].from.x == 1.0f && c->keys[0].from.z > 0.0f && c->keys[0].flat == 3.0f);
    assert_true(c->keys[1].from.x == 2.0f && c->keys[1].from.y == 2.0f && c->keys[1].flat == 2.0f);
    wr_scene_destroy(s);
}

static void planes_stand_still_and_are_the_ground(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{'shape': 'plane'}", "");
    assert_int_equal(s->bodies[0].rigid.motion, WR_MOTION_STATIC);
    assert_int_equal(s->bodies[0].rigid.shape.kind, WR_SHAPE_PLANE);
    assert_int_equal(s->bodies[0].model, -1);
    CHECK_NEAR(s->bodies[0].color.a, 0.0, 0); // the stage's own
    wr_scene_destroy(s);
}

// The light's defaults are those of a scene without a light.
static void an_empty_light_is_the_default_stage(void **state)
{
    (void)state;
    wr_scene *without = read_bodies("", ""), *with = read_bodies("", ", 'light': {}");
    const wr_light *a = &without->stage.light, *b = &with->stage.light;
    CHECK_NEAR(wr_distance(a->sun_direction, b->sun_direction), 0.0, 0.01);
    CHECK_NEAR(a->sun_radius, b->sun_radius, 1e-3);
    CHECK_NEAR(a->exposure, b->exposure, 1e-6);
    const wr_color pairs[][2] = {{a->sun_color, b->sun_color},
                                 {a->sky_zenith, b->sky_zenith},
                                 {a->sky_horizon, b->sky_horizon},
                                 {a->ground, b->ground}};
    for (int i = 0; i < WRI_COUNT(pairs); i++) {
        CHECK_NEAR(pairs[i][0].r, pairs[i][1].r, 0.01);
        CHECK_NEAR(pairs[i][0].g, pairs[i][1].g, 0.01);
        CHECK_NEAR(pairs[i][0].b, pairs[i][1].b, 0.01);
    }
    wr_scene_destroy(without);
    wr_scene_destroy(with);
}

static bool mentions(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

static void the_reference_and_the_schema_know_every_key(void **state)
{
    (void)state;
    static const char *const words[] = {"wrought",
                                        "length",
                                        "frames",
                                        "substeps",
                                        "gravity",
                                        "iterations",
                                        "sleeping",
                                        "assets",
                                        "bodies",
                                        "joints",
                                        "cameras",
                                        "light",
                                        "shape",
                                        "velocity",
                                        "spin",
                                        "motion",
                                        "path",
                                        "density",
                                        "mass",
                                        "friction",
                                        "restitution",
                                        "rolling",
                                        "groups",
                                        "misses",
                                        "copies",
                                        "step",
                                        "count",
                                        "limits",
                                        "breaks",
                                        "collide",
                                        "fov",
                                        "azimuth",
                                        "zenith",
                                        "horizon",
                                        "exposure",
                                        "radius",
                                        "height",
                                        "axis",
                                        "material",
                                        "visible",
                                        "color",
                                        "time",
                                        "scale",
                                        "softness",
                                        "sleep",
                                        "linear_damping",
                                        "angular_damping",
                                        "keys",
                                        "lens",
                                        "blur"};
    wr_error error = {0};
    size_t reference_size, schema_size;
    char *reference = wr_scene_reference(&reference_size, &error);
    char *schema = wr_scene_schema(&schema_size, &error);
    assert_non_null(reference);
    assert_non_null(schema);
    for (int i = 0; i < WRI_COUNT(words); i++) {
        char quoted[64], ticked[64];
        snprintf(quoted, sizeof quoted, "\"%s\"", words[i]);
        snprintf(ticked, sizeof ticked, "`%s`", words[i]);
        if (!mentions(schema, quoted) || !mentions(reference, ticked)) {
            fail_msg("%s is missing", words[i]);
        }
    }
    wri_arena arena = wri_arena_create(NULL);
    assert_non_null(wri_json_parse(&arena, schema, strlen(schema), "schema", false, &error));
    wri_arena_destroy(&arena);
    wr_text_destroy(reference, reference_size);
    wr_text_destroy(schema, schema_size);
}

static const wri_json *find_in(const wri_json *json, const char *key)
{
    const wri_json *found = json ? wri_json_find(json, key) : NULL;
    if (!found) {
        fail_msg("the schema has no %s", key);
    }
    return found;
}

static void the_schema_knows_every_parameter_of_a_material(void **state)
{
    (void)state;
    wr_error error = {0};
    size_t size;
    char *schema = wr_scene_schema(&size, &error);
    assert_non_null(schema);
    wri_arena arena = wri_arena_create(NULL);
    const wri_json *json = wri_json_parse(&arena, schema, strlen(schema), "schema", false, &error);
    for (int i = 0; i < wri_material_count(); i++) {
        const wr_material *material = wri_material_at(i);
        char name[64];
        snprintf(name, sizeof name, "material-%s", material->name);
        const wri_json *object = find_in(find_in(json, "$defs"), name);
        assert_int_equal(find_in(object, "additionalProperties")->type, WRI_JSON_BOOL);
        const wri_json *keys = find_in(object, "properties");
        assert_int_equal(keys->count, 1 + material->parameter_count);
        const wri_json *presets = find_in(find_in(keys, material->name), "enum");
        assert_int_equal(presets->count, 1 + material->preset_count);
        for (int k = 0; k < material->parameter_count; k++) {
            find_in(keys, material->parameters[k].name);
        }
    }
    wri_arena_destroy(&arena);
    wr_text_destroy(schema, size);
}

static void materials_made_for_another_version_are_refused(void **state)
{
    (void)state;
    wr_material older = jelly_material;
    older.table_size -= sizeof(void *);
    const wr_material *const both[] = {&jelly_material, &older};
    const wr_scene_options options = {.materials = both, .material_count = 2};
    wr_error error = {0};
    assert_null(wr_scene_read("none.json", &options, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    assert_true(strncmp(error.message, "materials[1]: its table has ", 28) == 0);
}

static void presets_that_set_what_is_no_parameter_are_refused(void **state)
{
    (void)state;
    const wr_parameter_value values[] = {{"stiffnes", 1}, {NULL, 0}};
    const wr_preset preset = {"soft", NULL, values};
    wr_material odd = jelly_material;
    odd.presets = &preset;
    const wr_material *const list[] = {&odd};
    const wr_scene_options options = {.materials = list, .material_count = 1};
    wr_error error = {0};
    assert_null(wr_scene_read("none.json", &options, &error));
    assert_string_equal(error.message, "materials[0]: the preset \"soft\" sets \"stiffnes\", which "
                                       "is no parameter of \"jelly\"");
}

// --- what is said -----------------------------------------------------------------------------

static void texts_may_carry_units(void **state)
{
    (void)state;
    wr_scene *s =
        read_bodies("{'shape': {'box': ['90 cm', '900mm', '0.0009 km']}, 'density': "
                    "'7.8 g/cm^3', 'velocity': ['36 km/h', '-100 cm/s', '1 m/s']},"
                    "{'shape': {'sphere': '5 cm'}, 'mass': '2 t', 'spin': [0, '90 deg/s', "
                    "0]}",
                    ", 'length': '0.5 min', 'gravity': [0, '-1.62 m/s^2', 0]");
    const wr_rigid_body_desc *box = &s->bodies[0].rigid, *ball = &s->bodies[1].rigid;
    CHECK_NEAR(wr_distance(box->shape.size, wr_v3(0.9f, 0.9f, 0.9f)), 0.0, 1e-6);
    CHECK_NEAR(wr_distance(box->velocity, wr_v3(10, -1, 1)), 0.0, 1e-5);
    CHECK_NEAR(box->mass.mass, 7800.0 * 0.729, 1e-2);
    CHECK_NEAR(ball->shape.size.x, 0.05, 1e-8);
    CHECK_NEAR(ball->mass.mass, 2000.0, 1e-9);
    CHECK_NEAR(ball->angular_velocity.y, 3.14159265 / 2.0, 1e-6);
    CHECK_NEAR(s->length, 30.0, 1e-12);
    CHECK_NEAR(s->gravity.y, -1.62, 1e-7);
    wr_scene_destroy(s);
}

// The same turn said in both ways: about an oblique axis, and about each axis alone by half a turn.
static void a_turn_is_an_axis_with_degrees_or_a_quaternion(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{" BOX ", 'turn': [2, 4, -6, 8]}, {" BOX ", 'turn': {'axis': [1, 2, "
                              "-3], 'by': 86.177449}}, {" BOX ", 'turn': [1, 0, 0, 0]}, {" BOX
                              ", 'turn': [0, 1, 0, 0]}, {" BOX ", 'turn': [0, 0, 1, 0]}",
                              "");
    static const float expected[5][4] = {{0.18257419f, 0.36514837f, -0.54772256f, 0.73029674f},
                                         {0.18257419f, 0.36514837f, -0.54772256f, 0.73029674f},
                                         {1, 0, 0, 0},
                                         {0, 1, 0, 0},
                                         {0, 0, 1, 0}};
    for (int i = 0; i < 5; i++) {
        const float *q = &s->bodies[i].rigid.pose.rotation.x;
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(q[k], expected[i][k], 1e-6);
        }
    }
    wr_scene_destroy(s);
}

static void the_locale_does_not_change_numbers(void **state)
{
    (void)state;
    comma_locale_begin();
    wr_scene *s = read_bodies("{'shape': {'sphere': '1.5 cm'}, 'mass': 2.5}", "");
    comma_locale_end();
    CHECK_NEAR(s->bodies[0].rigid.shape.size.x, 0.015, 1e-8);
    CHECK_NEAR(s->bodies[0].rigid.mass.mass, 2.5, 0);
    wr_scene_destroy(s);
}

static void copies_are_rows_of_rows_and_the_first_row_counts_fastest(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{'name': 'brick', 'at': [10, 0, 0], " BOX
                              ", 'copies': [{'count': 3, 'step': [1, 0, 0]}, {'count': 2, 'step': "
                              "[0, 5, 0], 'turn': {'axis': [0, 1, 0], 'by': 90}}]}",
                              "");
    assert_int_equal(s->body_count, 6);
    for (int i = 0; i < 6; i++) {
        char name[16];
        wr_pose pose = s->bodies[i].rigid.pose;
        snprintf(name, sizeof name, "brick.%d", i + 1);
        assert_string_equal(s->bodies[i].name, name);
        wr_vec3 at = wr_v3(10.0f + (float)(i % 3), 5.0f * (float)(i / 3), 0.0f);
        CHECK_NEAR(wr_distance(pose.position, at), 0.0, 1e-6);
        wr_vec3 x = wr_rotate(pose.rotation, wr_v3(1, 0, 0));
        CHECK_NEAR(wr_distance(x, i < 3 ? wr_v3(1, 0, 0) : wr_v3(0, 0, -1)), 0.0, 1e-6);
        assert_int_equal(s->bodies[i].model, s->bodies[0].model); // drawn from one model
    }
    assert_int_equal(s->model_count, 1);
    wr_scene_destroy(s);
}

static void copies_of_a_driven_body_move_side_by_side(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{" BOX ", 'path': [{'time': 0, 'at': [0, 0, 0]}, {'time': 1, 'at': "
                              "[0, 0, 7]}], 'copies': {'count': 3, 'step': [2, 0, 0]}}",
                              "");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s->bodies[i].path_count, 2);
        wr_vec3 end = s->bodies[i].path[1].pose.position;
        CHECK_NEAR(wr_distance(end, wr_v3(2.0f * (float)i, 0, 7)), 0.0, 1e-6);
    }
    wr_scene_destroy(s);
}

static void joints_with_copies_count_names(void **state)
{
    (void)state;
    wr_scene *s =
        read_bodies("{'name': 'post', " BOX "}, {'name': 'link', " BOX
                    ", 'copies': {'count': 4, 'step': [0, 1, 0]}}",
                    ", 'joints': [{'bodies': ['link.1', 'link.2'], 'at': [0, 0.5, 0], "
                    "'copies': {'count': 3, 'step': [0, 1, 0]}}, {'kind': 'hinge', 'axis': "
                    "[0, 0, 2], 'limits': [-90, 45], 'breaks': 12, 'collide': true, "
                    "'bodies': ['post', 'link.4'], 'at': [0, 0, 0]}]");
    assert_int_equal(s->joint_count, 4);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s->joints[i].joint.body_a, 1 + i);
        assert_int_equal(s->joints[i].joint.body_b, 2 + i);
        CHECK_NEAR(s->joints[i].joint.at.y, 0.5 + i, 1e-6);
    }
    const wr_joint_desc *hinge = &s->joints[3].joint;
    assert_int_equal(hinge->body_a, 0);
    assert_int_equal(hinge->body_b, 4);
    assert_true(hinge->kind == WR_JOINT_HINGE && hinge->collide);
    CHECK_NEAR(hinge->axis.z, 1.0, 1e-7);
    CHECK_NEAR(hinge->lower, -3.14159265 / 2.0, 1e-6);
    CHECK_NEAR(hinge->upper, 3.14159265 / 4.0, 1e-6);
    CHECK_NEAR(hinge->breaking_impulse, 12.0, 0);
    wr_scene_destroy(s);
}

// A joint that breaks at 0 N s holds nothing; one of which nothing is said holds everything.
static void joints_that_break_at_nothing_are_not_unbreakable(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{'name': 'a', " BOX "}, {'name': 'b', " BOX ", 'at': [0, 2, 0]}",
                              ", 'joints': [{'bodies': ['a', 'b'], 'at': [0, 1, 0], 'breaks': 0}, "
                              "{'bodies': ['a', 'b'], 'at': [0, 1, 0]}]");
    assert_true(s->joints[0].joint.breaking_impulse == 0.0f);
    assert_true(isinf(s->joints[1].joint.breaking_impulse));
    wr_scene_destroy(s);
}

static void check_end(const char *part, const char *expected)
{
    if (expected) {
        assert_non_null(part);
        assert_string_equal(part, expected);
    } else {
        assert_null(part);
    }
}

// A body may be called like a part of another: it wins, and so does the longer name.
static void joints_hang_on_parts_behind_a_slash(void **state)
{
    (void)state;
    static const struct {
        int body_a, body_b;
        const char *part_a, *part_b;
    } expected[] = {{0, 1, NULL, "lod"}, {0, 2, "lid/knob", NULL}, {2, 0, "knob", NULL},
                    {0, 0, "lid", "a"},  {3, 0, "b 1", "x.9"},     {4, 0, "b 1", "x.9"},
                    {5, -1, NULL, NULL}};
    wr_scene *s =
        read_bodies("{'name': 'a', " BOX "}, {'name': 'b', " BOX "}, {'name': 'b/lid', " BOX
                    "}, {'name': 'link', " BOX ", 'copies': {'count': 2}}, {'name': 'c/', " BOX "}",
                    ", 'joints': [{'bodies': ['a', 'b/lod'], 'at': [0, 0, 0]}, "
                    "{'bodies': ['a/lid/knob', 'b/lid'], 'at': [0, 0, 0]}, "
                    "{'bodies': ['b/lid/knob', 'a'], 'at': [0, 0, 0]}, "
                    "{'bodies': ['a/lid', 'a/a'], 'at': [0, 0, 0]}, "
                    "{'bodies': ['link.1/b 1', 'a/x.9'], 'at': [0, 0, 0], 'copies': {'count': 2}}, "
                    "{'bodies': ['c/'], 'at': [0, 0, 0]}]");
    assert_int_equal(s->joint_count, WRI_COUNT(expected));
    for (int i = 0; i < WRI_COUNT(expected); i++) {
        assert_int_equal(s->joints[i].joint.body_a, expected[i].body_a);
        assert_int_equal(s->joints[i].joint.body_b, expected[i].body_b);
        check_end(s->joints[i].part_a, expected[i].part_a);
        check_end(s->joints[i].part_b, expected[i].part_b);
    }
    wr_scene_destroy(s);
}

static void groups_are_bits_and_misses_clear_them(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{" BOX ", 'groups': ['a', 'b']}, {" BOX ", 'groups': ['b']},"
                              "{" BOX ", 'misses': ['a']}, {" BOX "}",
                              "");
    uint32_t a = s->bodies[0].rigid.group & ~s->bodies[1].rigid.group, b = s->bodies[1].rigid.group;
    assert_true(a && b && !(a & (a - 1)) && !(b & (b - 1)) && a != b);
    assert_int_equal(s->bodies[0].rigid.group, a | b);
    assert_int_equal(s->bodies[2].rigid.collides, (uint32_t)~a);
    assert_int_equal(s->bodies[3].rigid.group, 1);
    assert_true(!(1u & (a | b))); // bodies in no group are not in these
    wr_scene_destroy(s);
}

static void colours_are_srgb_outside_and_linear_inside(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{" BOX ", 'color': '#ff8000'}, {" BOX ", 'color': '#BCbc0a'}", "");
    wr_color a = s->bodies[0].color, b = s->bodies[1].color;
    CHECK_NEAR(a.r, 1.0, 1e-6);
    CHECK_NEAR(a.g, 0.2158605, 1e-6); // ((128/255 + 0.055) / 1.055)^2.4
    CHECK_NEAR(a.b, 0.0, 0);
    CHECK_NEAR(b.r, 0.5028865, 1e-6);
    CHECK_NEAR(b.b, 0.003035270, 1e-8); // 10/255/12.92
    CHECK_NEAR(a.a + b.a, 2.0, 0);
    wr_scene_destroy(s);
}

static void frame_rates_may_be_fractions(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("", ", 'frames': [30000, 1001], 'length': 10.01");
    assert_int_equal(s->rate_numerator, 30000);
    assert_int_equal(s->rate_denominator, 1001);
    assert_int_equal(wr_scene_frame_count(s), 300);
    wr_scene_destroy(s);
    s = read_bodies("", ", 'frames': 24, 'length': 1.001"); // a started frame is simulated
    assert_int_equal(wr_scene_frame_count(s), 25);
    wr_scene_destroy(s);
}

static void comments_and_trailing_commas_are_welcome(void **state)
{
    (void)state;
    wr_scene *s = read_scene("// a scene\n{'wrought': 1, /* nothing\n here */ 'bodies': [\n],}\n");
    assert_int_equal(s->body_count, 0);
    wr_scene_destroy(s);
}

static double metal_value(const wr_scene_body *body, const char *name)
{
    for (int i = 0; i < body->material->parameter_count; i++) {
        if (strcmp(body->material->parameters[i].name, name) == 0) {
            return body->values[i];
        }
    }
    fail_msg("no parameter %s", name);
    return 0.0;
}

static void materials_take_words_where_they_offer_a_choice(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{" BOX ", 'material': 'metal'},"
                              "{" BOX ", 'material': {'metal': 'tin', 'projection': 'natural',"
                              " 'yield_by': 'impulse', 'norm': 'all', 'lambda': 0.95}}",
                              "");
    const wr_scene_body *plain = &s->bodies[0], *paper = &s->bodies[1];
    CHECK_NEAR(metal_value(plain, "projection"), WR_METAL_PROJECT_GRADIENT, 0);
    CHECK_NEAR(metal_value(plain, "yield_by"), WR_METAL_YIELD_SPEED, 0);
    CHECK_NEAR(metal_value(plain, "norm"), WR_METAL_NORM_ROOT, 0);
    CHECK_NEAR(metal_value(plain, "lambda"), 0, 0);
    CHECK_NEAR(metal_value(paper, "projection"), WR_METAL_PROJECT_NATURAL, 0);
    CHECK_NEAR(metal_value(paper, "yield_by"), WR_METAL_YIELD_IMPULSE, 0);
    CHECK_NEAR(metal_value(paper, "norm"), WR_METAL_NORM_ALL, 0);
    CHECK_NEAR(metal_value(paper, "lambda"), 0.95, 0);
    wr_scene_destroy(s);
}

static void materials_take_presets_and_parameters(void **state)
{
    (void)state;
    wr_scene *s = read_bodies("{" BOX ", 'material': 'jelly'},"
                              "{" BOX ", 'material': {'jelly': 'firm', 'damping': '7 N s/m'}},"
                              "{" BOX ", 'material': {'damping': 8, 'jelly': 'default'}},"
                              "{" BOX ", 'material': 'rigid'}",
                              "");
    const wr_parameter *p = jelly_material.parameters;
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(s->bodies[i].material, &jelly_material);
    }
    for (int i = 0; i < jelly_material.parameter_count; i++) {
        CHECK_NEAR(s->bodies[0].values[i], p[i].fallback, 0);
        bool damping = strcmp(p[i].name, "damping") == 0;
        double firm = strcmp(p[i].name, "stiffness") == 0 ? 100000 : p[i].fallback;
        CHECK_NEAR(s->bodies[1].values[i], damping ? 7.0 : firm, 0);
        CHECK_NEAR(s->bodies[2].values[i], damping ? 8.0 : p[i].fallback, 0);
    }
    assert_null(s->bodies[3].material);
    wr_scene_destroy(s);
}

// --- assets -----------------------------------------------------------------------------------

static void the_hash_knows_every_file(void **state)
{
    (void)state;
    const char *text = CRATE("'tinted.obj'", "'crate'");
    const char *look = "newmtl paint\nKd 1 0 0\n", *other = "newmtl paint\nKd 0 1 0\n";
    uint64_t hashes[5];
    for (int i = 0; i < 5; i++) {
        write_text("tinted.obj", i == 2 ? "mtllib tinted.mtl\nusemtl paint\n" CUBE_POINTS("")
                                              CUBE_SIDES "f 5 6 7 8\n# changed\n"
                                        : "mtllib tinted.mtl\nusemtl paint\n" CUBE_POINTS("")
                                              CUBE_SIDES "f 5 6 7 8\n");
        write_text("tinted.mtl", i == 3 ? other : look);
        wr_scene *s = read_scene(i == 4 ? CRATE("'tinted.obj'", "'crate' ") : text);
        hashes[i] = s->hash;
        wr_scene_destroy(s);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_true(hashes[0] != hashes[2]); // the model
    assert_true(hashes[0] != hashes[3]); // what the model names
    assert_true(hashes[0] == hashes[4]); // a blank in the scene is no physics
}

static void check_inertia(const wr_scene *s, int body, double mass, double xx, double yy, double zz)
{
    const wr_mass_properties *m = &s->bodies[body].rigid.mass;
    CHECK_NEAR(m->mass, mass, 1e-5 * mass);
    CHECK_NEAR(m->inertia[0][0], xx, 1e-5 * xx);
    CHECK_NEAR(m->inertia[1][1], yy, 1e-5 * yy);
    CHECK_NEAR(m->inertia[2][2], zz, 1e-5 * zz);
}

static void shapes_weigh_what_their_formulas_say(void **state)
{
    (void)state;
    const double pi = 3.14159265358979;
    wr_scene *s = read_bodies("{'shape': {'box': [1, 2, 3]}, 'density': 2},"
                              "{'shape': {'sphere': 2}, 'density': 3},"
                              "{'shape': {'cylinder': {'radius': 2, 'height': 3}}, 'density': 1},"
                              "{'shape': {'capsule': {'radius': 1, 'length': 2}}, 'density': 1},"
                              "{'shape': {'box': [1, 2, 3]}, 'mass': 24}",
                              "");
    check_inertia(s, 0, 12, 13, 10, 5); // m (y^2 + z^2) / 12
    double ball = 3.0 * 4.0 / 3.0 * pi * 8.0;
    check_inertia(s, 1, ball, 1.6 * ball, 1.6 * ball, 1.6 * ball); // 2/5 m r^2
    double tube = 12.0 * pi;
    check_inertia(s, 2, tube, tube * (3 * 4 + 9) / 12, tube * 2, tube * (3 * 4 + 9) / 12);
    double straight = 2.0 * pi, ends = 4.0 / 3.0 * pi;
    double along = straight / 2.0 + ends * 0.4;
    // ends: 2/5 r^2 + h^2/4 + 3/8 h r each, with h the straight part
    double across = straight * (4.0 / 12.0 + 1.0 / 4.0) + ends * (0.4 + 1.0 + 0.75);
    check_inertia(s, 3, straight + ends, across, along, across);
    check_inertia(s, 4, 24, 26, 20, 10); // a given mass scales the inertia
    wr_scene_destroy(s);
}

static void assets_weigh_what_their_triangles_enclose(void **state)
{
    (void)state;
    static const char *const shapes[] = {"", ", 'shape': 'hull'", ", 'shape': 'mesh'"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "{'wrought': 1, 'assets': {'c': 'cube.obj'}, 'bodies': [{'asset': 'c', 'scale': 2, "
            "'density': 3%s}]}",
            shapes[i]);
        wr_scene *s = read_scene(text);
        check_inertia(s, 0, 24, 16, 16, 16);                      // m a^2 / 6
        CHECK_NEAR(s->bodies[0].rigid.mass.center[0], 1.0, 1e-6); // the asset's own frame
        assert_int_equal(s->bodies[0].rigid.shape.kind, i == 2 ? WR_SHAPE_MESH : WR_SHAPE_HULLS);
        wr_scene_destroy(s);
    }
}

static void hulls_are_one_piece_per_shell(void **state)
{
    (void)state;
    wr_scene *s = read_scene(CRATE("'two.obj'", "'crate', 'shape': 'hulls', 'density': 1"));
    assert_int_equal(s->bodies[0].rigid.shape.piece_count, 2);
    CHECK_NEAR(s->bodies[0].rigid.mass.mass, 2.0, 1e-5);
    wr_scene_destroy(s);
    s = read_scene(CRATE("'two.obj'", "'crate', 'density': 1"));
    assert_int_equal(s->bodies[0].rigid.shape.piece_count, 1);
    assert_true(s->bodies[0].rigid.mass.mass > 2.5); // with what is between them
    wr_scene_destroy(s);
}

// What bodies of one model share is made once; what each weighs is its own, in any order of
// densities.
static void bodies_of_a_model_share_its_pieces(void **state)
{
    (void)state;
    static const double densities[] = {1000, 500, 500, 1000, 250};
    static const char *const shapes[] = {"hull", "hulls", "mesh"};
    for (int k = 0; k < WRI_COUNT(shapes); k++) {
        char text[2000] = "";
        for (int i = 0; i < WRI_COUNT(densities); i++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used,
                     "%s{'shape': '%s', 'asset': 'two', 'density': %g}", i ? ", " : "", shapes[k],
                     densities[i]);
        }
        strcat(text, ", {'shape': 'hull', 'asset': 'two', 'scale': 2}");
        wr_scene *s = read_bodies(text, ", 'assets': {'two': 'two.obj'}");
        double volume = k == 0 ? 11.0 : 2.0; // from 0 to 11 in one piece, or two cubes
        for (int i = 0; i < WRI_COUNT(densities); i++) {
            const wr_scene_body *body = &s->bodies[i];
            CHECK_NEAR(body->rigid.mass.mass, volume * densities[i], 1e-3 * densities[i]);
            assert_ptr_equal(body->rigid.shape.pieces, s->bodies[0].rigid.shape.pieces);
            assert_int_equal(body->model, 0);
        }
        const wr_scene_body *large = &s->bodies[WRI_COUNT(densities)];
        assert_int_equal(large->model, 1);
        assert_ptr_not_equal(large->rigid.shape.pieces, s->bodies[0].rigid.shape.pieces);
        CHECK_NEAR(large->rigid.mass.mass, 8.0 * 11.0 * 1000.0, 1.0);
        wr_scene_destroy(s);
    }
}

// Enough sizes that the table of models grows several times.
static void equal_sizes_share_a_model_among_many(void **state)
{
    (void)state;
    enum { SIZES = 500 };
    wri_array text = wri_array_create(NULL, 1);
    char path[600];
    for (int i = 0; i < 2 * SIZES; i++) {
        char body[160];
        int which = i < SIZES ? i : 2 * SIZES - 1 - i; // there and back
        int length =
            snprintf(body, sizeof body, "%s{\"shape\": {\"%s\": %s%g%s}}",
                     i ? ", " : "{\"wrought\": 1, \"bodies\": [", which % 2 ? "box" : "sphere",
                     which % 2 ? "[1, 1, " : "", 1.0 + which, which % 2 ? "]" : "");
        memcpy(wri_array_add(&text, length), body, (size_t)length);
    }
    memcpy(wri_array_add(&text, 3), "]}", 3);
    write_text("many.scene.json", text.items);
    wr_error error = {0};
    wr_scene *s = wr_scene_read(in_folder(path, "many.scene.json"), NULL, &error);
    if (!s) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(s->model_count, SIZES);
    for (int i = 0; i < SIZES; i++) {
        assert_int_equal(s->bodies[i].model, i);
        assert_int_equal(s->bodies[2 * SIZES - 1 - i].model, i);
        wr_vec3 size = wr_box_size(wr_mesh_bounds(s->models[i]->meshes));
        CHECK_NEAR((double)size.z, i % 2 ? 1.0 + i : 2.0 + 2.0 * i, 1e-4 * i + 1e-4);
    }
    wr_scene_destroy(s);
    wri_array_destroy(&text);
}

static void an_open_mesh_may_stand_still(void **state)
{
    (void)state;
    wr_scene *s = read_scene(CRATE("'open.obj'", "'crate', 'shape': 'mesh', 'motion': 'static'"));
    assert_int_equal(s->bodies[0].rigid.shape.triangle_count, 10);
    wr_scene_destroy(s);
}

// A static mesh and a ball at a place, with which shape the mesh collides then.
static wr_shape_kind kind_of_mesh(const char *file, const char *motion, const char *ball)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{'wrought': 1, 'assets': {'it': '%s'}, 'bodies': [{'asset': 'it', 'shape': 'mesh', "
             "'at': [5, 1, 0], 'turn': {'axis': [0, 0, 1], 'by': 90}, 'scale': 2, 'motion': '%s'}, "
             "{'shape': {'sphere': 0.1}, 'at': %s}]}",
             file, motion, ball);
    wr_scene *scene = read_scene(text);
    wr_shape_kind kind = scene->bodies[0].rigid.shape.kind;
    if (kind == WR_SHAPE_HULLS) {
        assert_int_equal(scene->bodies[0].rigid.shape.pieces[0].point_count, 8);
    }
    wr_scene_destroy(scene);
    return kind;
}

// The cube, 2 m wide, ends up in [3, 5] x [1, 3] x [0, 2].
static void static_meshes_that_are_convex_become_solid(void **state)
{
    (void)state;
    const char *far = "[0, 9, 0]", *inside = "[3.2, 2.8, 0.3]", *beside = "[5.2, 1.2, 0.3]";
    assert_int_equal(kind_of_mesh("cube.obj", "static", far), WR_SHAPE_HULLS);
    assert_int_equal(kind_of_mesh("cube.obj", "static", beside), WR_SHAPE_HULLS);
    assert_int_equal(kind_of_mesh("cube.obj", "static", inside), WR_SHAPE_MESH); // a room
    assert_int_equal(kind_of_mesh("cube.obj", "moving", far), WR_SHAPE_MESH);
    assert_int_equal(kind_of_mesh("two.obj", "static", far), WR_SHAPE_HULLS);
    assert_int_equal(kind_of_mesh("open.obj", "static", far), WR_SHAPE_MESH);
    // A corner pushed in, and a cube seen from within.
    write_text("dent.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 0.3 0.3 0.3\n"
                           "v 0 1 1\nf 1 4 3 2\nf 1 2 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\n"
                           "f 4 1 5 8\nf 5 6 7\nf 5 7 8\n");
    assert_int_equal(kind_of_mesh("dent.obj", "static", far), WR_SHAPE_MESH);
    write_text("room.obj", CUBE_POINTS("") "f 2 3 4 1\nf 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\n"
                                           "f 8 5 1 4\nf 8 7 6 5\n");
    assert_int_equal(kind_of_mesh("room.obj", "static", far), WR_SHAPE_MESH);
}

static void bodies_that_are_not_visible_are_not_drawn(void **state)
{
    (void)state;
    wr_scene *s = read_scene(CRATE("'cube.obj'", "'crate', 'shape': 'mesh', 'visible': false"));
    assert_false(s->bodies[0].visible);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = s;
    wr_error error = {0};
    wr_world *world = wr_world_create(&desc, &error);
    assert_non_null(world);
    assert_int_equal(wr_world_record_info(world)->bodies[0].model, -1);
    wr_world_destroy(world);
    wr_scene_destroy(s);
}

// --- trouble ----------------------------------------------------------------------------------

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char path[600];
    wr_scene *s =
        read_scene("{'wrought': 1, 'assets': {'c': 'two.obj'}, 'bodies': [{'asset': 'c', "
                   "'shape': 'hulls'}, {'shape': {'sphere': 1}, 'copies': {'count': 200}, "
                   "'material': 'jelly'}, {'name': 'd', " BOX
                   ", 'path': [{'time': 0, 'at': [0, 0, 0]}], 'copies': {'count': 2}}], "
                   "'joints': [{'bodies': ['body 1', 'd.1'], 'at': [0, 0, 0]}]}");
    wr_scene_destroy(s);
    for (int budget = 0;; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_scene_options options = with_jelly;
        options.allocator = &allocator;
        wr_error error = {0};
        s = wr_scene_read(in_folder(path, "scene.json"), &options, &error);
        bool ok = s != NULL;
        wr_scene_destroy(s);
        assert_int_equal(heap.alive, 0);
        if (ok) {
            assert_true(budget > 10); // it was asked
            return;
        }
        if (error.code != WR_E_MEMORY) {
            fail_msg("allocation %d: %s", budget, error.message);
        }
    }
}

static void names_that_several_bodies_have_are_told(void **state)
{
    (void)state;
    wr_scene *s =
        read_bodies("{'name': 'a', 'shape': 'plane'},\n{'name': 'b', 'shape': 'plane'},\n"
                    "{'name': 'a', 'shape': {'sphere': 1}}, {'name': 'a', 'shape': "
                    "{'sphere': 2}}, {'name': 'c', 'shape': {'sphere': 2}, 'copies': "
                    "{'count': 3, 'step': [5, 0, 0]}}, {'shape': 'plane'}, {'shape': 'plane'}",
                    "");
    assert_int_equal(s->warning_count, 1);
    assert_non_null(strstr(s->warnings[0], "scene.json:1:"));
    assert_non_null(strstr(s->warnings[0], "body \"a\": 3 bodies are called so: joints, poses and "
                                           "cameras cannot name it"));
    wr_scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_a_sentence_with_its_place),
        cmocka_unit_test(a_missing_scene_file_is_named),
        cmocka_unit_test(names_that_several_bodies_have_are_told),
        cmocka_unit_test(a_scene_cut_anywhere_is_a_sentence),
        cmocka_unit_test(what_is_left_out_has_the_documented_default),
        cmocka_unit_test(keys_of_a_camera_go_on_from_those_before),
        cmocka_unit_test(planes_stand_still_and_are_the_ground),
        cmocka_unit_test(an_empty_light_is_the_default_stage),
        cmocka_unit_test(the_reference_and_the_schema_know_every_key),
        cmocka_unit_test(the_schema_knows_every_parameter_of_a_material),
        cmocka_unit_test(materials_made_for_another_version_are_refused),
        cmocka_unit_test(presets_that_set_what_is_no_parameter_are_refused),
        cmocka_unit_test(texts_may_carry_units),
        cmocka_unit_test(a_turn_is_an_axis_with_degrees_or_a_quaternion),
        cmocka_unit_test(the_locale_does_not_change_numbers),
        cmocka_unit_test(copies_are_rows_of_rows_and_the_first_row_counts_fastest),
        cmocka_unit_test(copies_of_a_driven_body_move_side_by_side),
        cmocka_unit_test(joints_with_copies_count_names),
        cmocka_unit_test(joints_that_break_at_nothing_are_not_unbreakable),
        cmocka_unit_test(joints_hang_on_parts_behind_a_slash),
        cmocka_unit_test(groups_are_bits_and_misses_clear_them),
        cmocka_unit_test(colours_are_srgb_outside_and_linear_inside),
        cmocka_unit_test(frame_rates_may_be_fractions),
        cmocka_unit_test(comments_and_trailing_commas_are_welcome),
        cmocka_unit_test(materials_take_presets_and_parameters),
        cmocka_unit_test(materials_take_words_where_they_offer_a_choice),
        cmocka_unit_test(the_hash_knows_every_file),
        cmocka_unit_test(shapes_weigh_what_their_formulas_say),
        cmocka_unit_test(assets_weigh_what_their_triangles_enclose),
        cmocka_unit_test(hulls_are_one_piece_per_shell),
        cmocka_unit_test(bodies_of_a_model_share_its_pieces),
        cmocka_unit_test(equal_sizes_share_a_model_among_many),
        cmocka_unit_test(an_open_mesh_may_stand_still),
        cmocka_unit_test(static_meshes_that_are_convex_become_solid),
        cmocka_unit_test(bodies_that_are_not_visible_are_not_drawn),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
