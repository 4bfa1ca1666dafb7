// broken_models.c: glTF, OBJ, PLY and OFF files that cannot be, and pictures within them.
#include "broken.h"

#define GLB "export m.glb -o out/keep.glb"
#define GLTF "render m.gltf -o out/keep.png"
#define HEAD "{ 'asset': { 'version': '2.0' }, "
#define VIEWS "'bufferViews': [ { 'buffer': 0, 'byteLength': 36 } ], "
#define BUFFERS "'buffers': [ { 'byteLength': 36 } ], "
#define ACCESSORS                                                                                  \
    "'accessors': [ { 'bufferView': 0, 'componentType': 5126, 'count': 3, 'type': 'VEC3' } ], "
#define MESHES "'meshes': [ { 'primitives': [ { 'attributes': { 'POSITION': 0 } } ] } ], "
#define SKINNED(weights)                                                                           \
    "'meshes': [ { 'primitives': [ { 'attributes': { 'POSITION': 0, 'JOINTS_0': 1, 'WEIGHTS_0': "  \
    "2 } } ] } ],\n"                                                                               \
    "'accessors': [ { 'bufferView': 0, 'componentType': 5126, 'count': 3, 'type': 'VEC3' },\n"     \
    "{ 'bufferView': 0, 'componentType': 5121, 'count': 3, 'type': 'VEC4' },\n"                    \
    "{ 'bufferView': 0, 'componentType': 5121, 'count': " weights                                  \
    ", 'type': 'VEC4', 'normalized': true } ],\n"
#define PACKED(bytes, count, stride)                                                               \
    "'buffers': [ { 'uri': 'data:;base64," bytes "', 'byteLength': 3 }, { 'byteLength': 36 } ], "  \
    "'bufferViews': [ { 'buffer': 1, 'byteLength': 36, 'extensions': {\n"                          \
    "'EXT_meshopt_compression': { 'buffer': 0, 'byteLength': 3, 'count': " count                   \
    ", 'byteStride': " stride ", 'mode': 'ATTRIBUTES' } } } ],\n"
#define DRACO(bytes, length, id)                                                                   \
    "'buffers': [ { 'uri': 'data:;base64," bytes "', 'byteLength': " length " } ], "               \
    "'bufferViews': [ { 'buffer': 0, 'byteLength': " length " } ], 'accessors': [ { "              \
    "'componentType': 5126, 'count': 3, 'type': 'VEC3' }, { 'componentType': 5121, 'count': 3, "   \
    "'type': 'SCALAR' } ], 'meshes': [ { 'primitives': [ { 'attributes': { 'POSITION': 0 }, "      \
    "'indices': 1, 'extensions': {\n'KHR_draco_mesh_compression': { 'bufferView': 0, "             \
    "'attributes': { 'POSITION': " id " } } } } ] } ], "
#define NODES "'nodes': [ { 'mesh': 0 } ] }"
#define PLY "ply\nformat ascii 1.0\n"
#define BYTES "ply\nformat binary_little_endian 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACE "property list uchar int vertex_indices\nend_header\n"
#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void make_deep(void)
{
    enum { COUNT = 100000 };
    char *text = calloc(1, COUNT + 100);
    strcpy(text, "{\"asset\":{\"version\":\"2.0\"},\"extras\":");
    memset(text + strlen(text), '[', COUNT);
    put_bytes("m.gltf", text, strlen(text));
    free(text);
}

// A glTF that names a picture beside it, and that picture.
static void put_painted(const char *picture, const void *bytes, size_t size)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"%s\"}],"
             "\"textures\":[{\"source\":0}],\"materials\":[{\"pbrMetallicRoughness\":"
             "{\"baseColorTexture\":{\"index\":0}}}],\"nodes\":[{\"mesh\":0}]}",
             picture);
    put_bytes("m.gltf", text, strlen(text));
    if (bytes) {
        put_bytes(picture, bytes, size);
    }
}

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define IHDR "\0\0\0\x0dIHDR"
#define IEND "\0\0\0\0IEND\xae\x42\x60\x82"

static void make_cut_picture(void)
{
    put_painted("p.png", SIGNATURE IHDR "\0\0", 18);
}

static void make_picture_bomb(void) // 16384 x 16384 grey pixels in 69 bytes
{
    static const char bytes[] = SIGNATURE "\000\000\000\015\111\110\104\122\000\000\100\000\000\000"
                                          "\100\000\010\000\000\000\000\214\243\117"
                                          "\130\000\000\000\014\111\104\101\124\170\332\143\140\240"
                                          "\075\000\000\000\144\000\001\270\231\357"
                                          "\231\000\000\000\000\111\105\116\104\256\102\140\202";
    put_painted("p.png", bytes, sizeof bytes - 1);
}

static void make_long_chunk(void) // that says it has 2 GB
{
    static const char bytes[] = SIGNATURE "\x7f\xff\xff\xffsPLTx" IEND;
    put_painted("p.png", bytes, sizeof bytes - 1);
}

static void make_outer_picture(void)
{
    put_painted("../p.png", NULL, 0);
}

static void make_cut_jpeg(void)
{
    put_painted("p.jpg", "\xff\xd8\xff\xe0\0\x10JFIF", 10);
}

static void make_broken_library(void)
{
    put_bytes("m.mtl", TEXT("newmtl a\nKd 1 0 0\nKd red\n"));
}

static void make_broken_texture(void)
{
    put_bytes("m.mtl", TEXT("newmtl a\nmap_Kd t.png\n"));
    put_bytes("t.png", TEXT(SIGNATURE "rubbish"));
}

static void make_large(void)
{
    put_bytes("m.obj", "v", 1);
    assert_int_equal(truncate("m.obj", (off_t)2 << 30), 0);
}

static void make_short_neighbour(void)
{
    put_bytes("m.bin", "short", 5);
}

// Vertices of 64 kB, told apart by nothing but the numbers of their accessors.
static void make_shared_buffer(void)
{
    enum { COUNT = 3000, ROOM = 200 * COUNT };
    static const uint8_t zeros[65536];
    char *text = malloc(ROOM);
    assert_non_null(text);
    int at = snprintf(text, ROOM,
                      "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],"
                      "\"buffers\":[{\"uri\":\"m.bin\",\"byteLength\":65536}],"
                      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":65536}],"
                      "\"meshes\":[{\"primitives\":[\n");
    for (int i = 0; i < COUNT; i++) {
        at += snprintf(text + at, (size_t)(ROOM - at), "%s{\"attributes\":{\"POSITION\":%d}}",
                       i ? "," : "", i);
    }
    at += snprintf(text + at, (size_t)(ROOM - at), "]}],\"accessors\":[\n");
    for (int i = 0; i < COUNT; i++) {
        at += snprintf(text + at, (size_t)(ROOM - at),
                       "%s{\"bufferView\":0,\"componentType\":5126,\"count\":5461,"
                       "\"type\":\"VEC3\"}",
                       i ? "," : "");
    }
    at += snprintf(text + at, (size_t)(ROOM - at), "]}");
    put_bytes("m.gltf", text, (size_t)at);
    put_bytes("m.bin", zeros, sizeof zeros);
    free(text);
}

static void make_many_nodes(void) // 7 500 of a mesh with 300 000 vertices
{
    enum { COUNT = 7500, ROOM = 20 * COUNT + 1000 };
    char *text = malloc(ROOM);
    assert_non_null(text);
    int at = snprintf(text, ROOM,
                      "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,"
                      "\"count\":300000,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":["
                      "{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[");
    for (int i = 0; i < COUNT; i++) {
        at += snprintf(text + at, (size_t)(ROOM - at), "%s{\"mesh\":0}", i ? "," : "");
    }
    at += snprintf(text + at, (size_t)(ROOM - at), "]}");
    put_bytes("m.gltf", text, (size_t)at);
    free(text);
}

static void make_tangle(void) // to and fro along a line
{
    enum { COUNT = 5000, ROOM = 40 * COUNT };
    char *text = malloc(ROOM);
    assert_non_null(text);
    int at = 0;
    uint64_t seed = 6;
    for (int i = 0; i < COUNT; i++) {
        int x = (int)(random_bits(&seed) >> 44);
        at += snprintf(text + at, (size_t)(ROOM - at), "v %d %d 0\n", x, i % 100 == 7);
    }
    at += snprintf(text + at, (size_t)(ROOM - at), "f");
    for (int i = 0; i < COUNT; i++) {
        at += snprintf(text + at, (size_t)(ROOM - at), " %d", i + 1);
    }
    put_bytes("m.obj", text, (size_t)at);
    free(text);
}

const broken broken_models[] = {
    // GLB
    {"an empty model", GLB, "m.glb", TEXT(""), NULL, "m.glb: the file is empty", NULL},
    {"half a header", GLB, "m.glb", TEXT("glTF\2\0\0\0\x20"), NULL,
     "m.glb: byte 9: the file ends within the header of 20 bytes", NULL},
    {"another version", GLB, "m.glb", TEXT("glTF\1\0\0\0\x14\0\0\0\0\0\0\0JSON"), NULL,
     "m.glb: byte 4: GLB version 1, expected 2", NULL},
    {"a length of 2 GB", GLB, "m.glb", TEXT("glTF\2\0\0\0\xff\xff\xff\x7f\4\0\0\0JSON{}  "), NULL,
     "m.glb: byte 24: the file ends here, expected 2147483647 bytes", NULL},
    {"a chunk of 2 GB", GLB, "m.glb", TEXT("glTF\2\0\0\0\x18\0\0\0\xff\xff\xff\x7fJSON{}  "), NULL,
     "m.glb: byte 12: a chunk of 2147483647 bytes does not fit into the file", NULL},
    {"a truncated chunk", GLB, "m.glb", TEXT("glTF\2\0\0\0\x18\0\0\0\x08\0\0\0JSON{}  "), NULL,
     "m.glb: byte 12: a chunk of 8 bytes does not fit into the file", NULL},
    {"no JSON", GLB, "m.glb", TEXT("glTF\2\0\0\0\x18\0\0\0\4\0\0\0BIN\0\0\0\0\0"), NULL,
     "m.glb: byte 12: the first chunk, and only that, must be JSON", NULL},
    {"a letter called .glb", GLB, "m.glb", TEXT("dear aunt"), NULL,
     "m.glb:1:1: unexpected dear, expected a value", NULL},
    {"no triangles", GLB, "m.glb", TEXT(HEAD "'nodes': [] }"), NULL, "m.glb: holds no triangles",
     NULL},
    {"nodes in a circle", GLB, "m.glb",
     TEXT(HEAD "'nodes': [ { 'children': [1] }, { 'children': [0] } ] }"), NULL,
     "m.glb: JSON:1:45: node 0 is its own ancestor", NULL},
    {"a node that is its own child", GLB, "m.glb",
     TEXT(HEAD "'scenes': [ { 'nodes': [0] } ], 'scene': 0,\n'nodes': [ { 'children': [0] } ] }"),
     NULL, "m.glb: JSON:2:27: node 0 is reached twice; nodes must form trees", NULL},
    {"a node with two parents", GLB, "m.glb",
     TEXT(HEAD "'nodes': [ { 'children': [2] }, { 'children': [2] }, {} ] }"), NULL,
     "m.glb: JSON:1:81: node 2 is reached twice; nodes must form trees", NULL},
    {"a child that does not exist", GLB, "m.glb", TEXT(HEAD "'nodes': [ { 'children': [7] } ] }"),
     NULL, "m.glb: JSON:1:60: index: 7 is not below 1", NULL},
    {"a mesh that does not exist", GLB, "m.glb", TEXT(HEAD "'nodes': [ { 'mesh': 3 } ] }"), NULL,
     "m.glb: JSON:1:55: mesh: 3 is not below 0", NULL},
    {"an accessor that does not exist", GLB, "m.glb", TEXT(HEAD MESHES NODES), NULL,
     "m.glb: JSON:1:94: POSITION: 0 is not below 0", NULL},
    {"an accessor beyond its bytes", GLB, "m.glb",
     TEXT(HEAD BUFFERS VIEWS MESHES "'accessors': [ { 'bufferView': 0,\n 'componentType': 5126, "
                                    "'count': 4, 'type': 'VEC3' } ], " NODES),
     NULL, "m.glb: JSON:1:213: accessor 0 needs 48 bytes, but its buffer view has 36", NULL},
    {"an accessor of 2^31 values", GLB, "m.glb",
     TEXT(HEAD MESHES "'accessors': [ {\n 'componentType': 5126, 'count': 2147483648, 'type': "
                      "'VEC3' } ], " NODES),
     NULL, "m.glb: JSON:2:34: count: 2147483648 is not below 2147483647", NULL},
    {"an accessor of a billion zeros", GLB, "m.glb",
     TEXT(HEAD MESHES "'accessors': [ {\n 'componentType': 5126, 'count': 1000000000, 'type': "
                      "'VEC3' } ], " NODES),
     NULL,
     "m.glb: JSON:1:122: the data is more, or used more often, than a file of this size should "
     "need",
     NULL},
    {"a view beyond its buffer", GLB, "m.glb",
     TEXT(HEAD BUFFERS ACCESSORS MESHES
          "'bufferViews': [ { 'buffer': 0, 'byteOffset': 8, 'byteLength': 36 } ], " NODES),
     NULL, "m.glb: JSON:1:250: buffer view 0 needs bytes 8 to 44 of buffer 0 with 36", NULL},
    {"a buffer beyond the file", GLB, "m.glb",
     TEXT(HEAD "'buffers': [ { 'byteLength': 2147483647 } ], " VIEWS ACCESSORS MESHES NODES), NULL,
     "m.glb: JSON:1:47: buffer 0 promises 2147483647 bytes but has 36", NULL},
    {"a negative offset", GLB, "m.glb",
     TEXT(HEAD BUFFERS ACCESSORS MESHES
          "'bufferViews': [ { 'buffer': 0, 'byteOffset': -8, 'byteLength': 36 } ], " NODES),
     NULL, "m.glb: JSON:1:279: byteOffset: expected a whole number from 0", NULL},
    {"an index beyond the vertices", GLB, "m.glb",
     TEXT(HEAD "'buffers': [ { 'uri': "
               "'data:;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAkA', "
               "'byteLength': 42 } ], 'bufferViews': [ { 'buffer': 0, 'byteLength': 36 }, { "
               "'buffer': 0, 'byteOffset': 36, 'byteLength': 6 } ], 'accessors': [ { 'bufferView': "
               "0, 'componentType': 5126, 'count': 3, 'type': 'VEC3' }, { 'bufferView': 1, "
               "'componentType': 5123, 'count': 3, 'type': 'SCALAR' } ], 'meshes': [ { "
               "'primitives': [ { 'attributes': { 'POSITION': 0 }, 'indices': 1 } ] } ], " NODES),
     NULL, "m.glb: JSON:1:450: index 2 is vertex 9, but there are 3 vertices", NULL},
    {"a vertex that is not a number", GLB, "m.glb",
     TEXT(HEAD
          "'buffers': [ { 'uri': 'data:;base64,AADAfwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', "
          "'byteLength': 36 } ], " VIEWS ACCESSORS MESHES NODES),
     NULL, "m.glb: mesh 0: vertex 0 is not finite", NULL},
    {"positions in two dimensions", GLB, "m.glb",
     TEXT(HEAD BUFFERS VIEWS MESHES "'accessors': [ { 'bufferView': 0,\n 'componentType': 5126, "
                                    "'count': 3, 'type': 'VEC2' } ], " NODES),
     NULL, "m.glb: JSON:1:155: accessor 0 has 2 numbers per vertex, expected 3", NULL},
    {"an extension nobody has", GLB, "m.glb",
     TEXT(HEAD "'extensionsRequired': ['ACME_magic'], 'nodes': [] }"), NULL,
     "m.glb: JSON:1:57: needs the extension ACME_magic, which cannot be read", NULL},
    {"a skin that does not exist", GLB, "m.glb",
     TEXT(HEAD BUFFERS VIEWS ACCESSORS MESHES "'nodes': [ { 'mesh': 0, 'skin': 0 } ] }"), NULL,
     "m.glb: JSON:1:319: skin: 0 is not below 0", NULL},
    {"weights of too few vertices", GLB, "m.glb",
     TEXT(HEAD BUFFERS VIEWS SKINNED(
         "2") "'skins': [ { 'joints': [0] } ], 'nodes': [ { 'mesh': 0, 'skin': 0 } ] }"),
     NULL,
     "m.glb: JSON:1:155: set of weights 0: accessor 2 has 2 elements of 4 numbers, expected 3 "
     "of 4, one per vertex",
     NULL},
    {"a joint that does not exist", GLB, "m.glb",
     TEXT(HEAD BUFFERS VIEWS SKINNED(
         "3") "'skins': [ { 'joints': [9] } ], 'nodes': [ { 'mesh': 0, 'skin': 0 } ] }"),
     NULL, "m.glb: JSON:5:25: index: 9 is not below 1", NULL},
    {"a morph target of too few vertices", GLB, "m.glb",
     TEXT(HEAD BUFFERS VIEWS
          "'meshes': [ { 'primitives': [ { 'attributes': { 'POSITION': 0 },\n 'targets': [ { "
          "'POSITION': 1 } ] } ] } ], 'accessors': [ { 'bufferView': 0, 'componentType': 5126, "
          "'count': 3, 'type': 'VEC3' }, { 'bufferView': 0, 'componentType': 5126, 'count': 2, "
          "'type': 'VEC3' } ], " NODES),
     NULL,
     "m.glb: JSON:1:155: morph target 0: accessor 1 has 2 elements of 3 numbers, expected 3 of "
     "3, one per vertex",
     NULL},
    {"a clip of a node that does not exist", GLB, "m.glb",
     TEXT(HEAD BUFFERS VIEWS ACCESSORS MESHES
          "'animations': [ { 'channels': [ { 'sampler': 0, 'target': { 'node': 5, 'path': 'scale' "
          "} } ],\n 'samplers': [ { 'input': 0, 'output': 0 } ] } ], " NODES),
     NULL, "m.glb: JSON:1:355: node: 5 is not below 1", NULL},
    {"a clip of data that does not exist", GLB, "m.glb",
     TEXT(HEAD BUFFERS VIEWS ACCESSORS MESHES
          "'animations': [ { 'channels': [ { 'sampler': 0, 'target': { 'node': 0, 'path': 'scale' "
          "} } ],\n 'samplers': [ { 'input': 7, 'output': 0 } ] } ], " NODES),
     NULL, "m.glb: JSON:2:27: input: 7 is not below 1", NULL},
    {"compressed bytes that end too early", GLB, "m.glb",
     TEXT(HEAD PACKED("oAAA", "3", "12") ACCESSORS MESHES NODES), NULL,
     "m.glb: JSON:2:28: buffer view 0: its compressed bytes are damaged", NULL},
    {"compressed bytes of a later version", GLB, "m.glb",
     TEXT(HEAD PACKED("oQAA", "3", "12") ACCESSORS MESHES NODES), NULL,
     "m.glb: JSON:2:28: buffer view 0 is compressed by version 1 of the meshopt codec, expected at "
     "most 0",
     NULL},
    {"more compressed elements than the view has", GLB, "m.glb",
     TEXT(HEAD PACKED("oAAA", "2000000000", "256") ACCESSORS MESHES NODES), NULL,
     "m.glb: JSON:2:28: buffer view 0 has 36 bytes, but is compressed from 2000000000 elements of "
     "256",
     NULL},
    {"a letter as Draco data", GLB, "m.glb", TEXT(HEAD DRACO("ZGVhciBhdW50", "9", "0") NODES), NULL,
     "m.glb: compressed primitive 0: Not a Draco file.", NULL},
    {"Draco data that ends too early", GLB, "m.glb",
     TEXT(HEAD DRACO("RFJBQ08CAgEB", "9", "0") NODES), NULL,
     "m.glb: compressed primitive 0: Failed to parse Draco header.", NULL},
    {"Draco data without a number", GLB, "m.glb",
     TEXT(HEAD DRACO("RFJBQ08CAgEB", "9", "'x'") NODES), NULL,
     "m.glb: JSON:2:78: POSITION: expected a whole number from 0", NULL},
    // glTF
    {"one buffer under many names", GLTF, NULL, NULL, 0, make_shared_buffer,
     "m.gltf:2:10035: the model takes more than 90 MB, 64 times the file and 67 MB", NULL},
    {"more than 2^31 vertices in nodes", "info m.gltf", NULL, NULL, 0, make_many_nodes,
     "m.gltf: the nodes show more than 2^31 vertices or triangle corners", NULL},
    {"a comment in glTF", GLTF, "m.gltf", TEXT("{ 'asset': { 'version': '2.0' } // no\n}"), NULL,
     "m.gltf:1:33: unexpected '/', expected ',' or '}'", NULL},
    {"glTF 1.0", GLTF, "m.gltf", TEXT("{ 'asset': { 'version': '1.0' } }"), NULL,
     "m.gltf:1:12: asset.version is \"1.0\", expected glTF 2.0", NULL},
    {"glTF nested too deep", GLTF, NULL, NULL, 0, make_deep,
     "m.gltf:1:100: nested deeper than 64 levels", NULL},
    {"a wrong type", GLTF, "m.gltf",
     TEXT("{ 'asset': { 'version': '2.0' },\n  'nodes': { 'mesh': 0 } }"), NULL,
     "m.gltf:2:12: nodes is an object, expected an array", NULL},
    {"a buffer that is not there", GLTF, "m.gltf",
     TEXT(HEAD VIEWS ACCESSORS MESHES
          "\n'buffers': [ { 'uri': 'm.bin', 'byteLength': 36 } ], " NODES),
     NULL, "m.gltf:2:23: m.bin: cannot open: No such file or directory", NULL},
    {"a buffer that is too short", GLTF, "m.gltf",
     TEXT(HEAD VIEWS ACCESSORS MESHES
          "\n'buffers': [ { 'uri': 'm.bin', 'byteLength': 36 } ], " NODES),
     make_short_neighbour, "m.gltf:2:14: buffer 0 promises 36 bytes but has 5", NULL},
    {"a buffer out of the web", GLTF, "m.gltf",
     TEXT(HEAD VIEWS ACCESSORS MESHES
          "\n'buffers': [ { 'uri': 'https://example.org/m.bin', 'byteLength': 36 } ], " NODES),
     NULL, "m.gltf:2:23: \"https://example.org/m.bin\" is not a neighbouring file", NULL},
    {"base64 that is none", GLTF, "m.gltf",
     TEXT(HEAD VIEWS ACCESSORS MESHES
          "\n'buffers': [ { 'uri': 'data:;base64,AA*A', 'byteLength': 3 } ], " NODES),
     NULL, "m.gltf:2:23: character 2 of the data is not base64", NULL},
    {"a device as buffer", GLTF, "m.gltf",
     TEXT(HEAD VIEWS ACCESSORS MESHES
          "\n'buffers': [ { 'uri': '/dev/zero', 'byteLength': 36 } ], " NODES),
     NULL, "m.gltf:2:23: \"/dev/zero\" leads out of the model's folder, which needs --follow-links",
     NULL},
    // pictures
    {"a picture that is cut off", GLTF, NULL, NULL, 0, make_cut_picture,
     "m.gltf: image 0: byte 8: broken PNG: the data ends within a chunk", NULL},
    {"a picture bomb", GLTF, NULL, NULL, 0, make_picture_bomb,
     "m.gltf: image 0: byte 41: broken PNG: the data ends too early", NULL},
    {"a chunk of 2 GB in a picture", GLTF, NULL, NULL, 0, make_long_chunk,
     "m.gltf: image 0: byte 8: broken PNG: the data ends within a chunk", NULL},
    {"a picture out of the folder", GLTF, NULL, NULL, 0, make_outer_picture,
     "m.gltf:1:45: \"../p.png\" leads out of the model's folder, which needs --follow-links", NULL},
    {"a JPEG that is cut off", GLTF, NULL, NULL, 0, make_cut_jpeg,
     "m.gltf: image 0: byte 4: broken JPEG: Premature end of JPEG file", NULL},
    // OBJ
    {"an empty OBJ", "info m.obj", "m.obj", TEXT(""), NULL, "m.obj: the file is empty", NULL},
    {"no faces", "info m.obj", "m.obj", TEXT(TRIANGLE), NULL, "m.obj: holds no triangles", NULL},
    {"a vertex that is a word", "info m.obj", "m.obj", TEXT("v 0 zero 0\n"), NULL,
     "m.obj:1: \"zero\" is not a finite number", NULL},
    {"nan in OBJ", "info m.obj", "m.obj", TEXT("v 0 nan 0\n"), NULL,
     "m.obj:1: \"nan\" is not a finite number", NULL},
    {"a number beyond float", "info m.obj", "m.obj", TEXT("v 0 1e39 0\n"), NULL,
     "m.obj:1: \"1e39\" is not a finite number", NULL},
    {"vertex 0", "info m.obj", "m.obj", TEXT(TRIANGLE "f 0 1 2\n"), NULL,
     "m.obj:4: f: vertex 0 does not exist, there are 3 so far", NULL},
    {"a vertex that does not exist yet", "info m.obj", "m.obj", TEXT(TRIANGLE "f 1 2 4\n"), NULL,
     "m.obj:4: f: vertex 4 does not exist, there are 3 so far", NULL},
    {"2^31 as index", "info m.obj", "m.obj", TEXT(TRIANGLE "f 1 2 2147483648\n"), NULL,
     "m.obj:4: f: vertex 2147483648 does not exist, there are 3 so far", NULL},
    {"a face with two corners", "info m.obj", "m.obj", TEXT(TRIANGLE "f 1 2\n"), NULL,
     "m.obj:4: f: expected at least three corners", NULL},
    {"slashes without numbers", "info m.obj", "m.obj", TEXT(TRIANGLE "f 1/ 2/ /3\n"), NULL,
     "m.obj:4: f: texture coordinate 3 does not exist, there are 0 so far", NULL},
    {"a broken library", "info m.obj", "m.obj", TEXT("mtllib m.mtl\n" TRIANGLE "f 1 2 3\n"),
     make_broken_library, "m.mtl:3: \"red\" is not a finite number", NULL},
    {"a broken texture of a library", "info m.obj", "m.obj",
     TEXT("mtllib m.mtl\n" TRIANGLE "f 1 2 3\n"), make_broken_texture,
     "t.png: byte 8: broken PNG: the data ends within a chunk", NULL},
    {"an OBJ of 2 GB", "info m.obj", NULL, NULL, 0, make_large,
     "m.obj: is 2147483648 bytes large, expected at most 1073741824", NULL},
    {"a broken model, cleaned", "clean m.obj -o out/keep.glb", "m.obj", TEXT("f 1 2 3\n"), NULL,
     "m.obj:1: f: vertex 1 does not exist, there are 0 so far", NULL},
    {"a tangle of one polygon", "info m.obj", NULL, NULL, 0, make_tangle,
     "m.obj:5001: f: a polygon of 5000 corners is too tangled to be cut into triangles", NULL},
    // PLY
    {"an empty PLY", "info m.ply", "m.ply", TEXT(""), NULL, "m.ply: the file is empty", NULL},
    {"a PLY without an end of its header", "info m.ply", "m.ply", TEXT(PLY "element vertex 1\n"),
     NULL, "m.ply:3: 1 rows cannot fit into the rest of the file", NULL},
    {"a PLY without format", "info m.ply", "m.ply", TEXT("ply\nend_header\n"), NULL,
     "m.ply:2: the header has no format", NULL},
    {"2 billion vertices", "info m.ply", "m.ply",
     TEXT(PLY "element vertex 2000000000\n" XYZ "end_header\n0 0 0\n"), NULL,
     "m.ply:3: 2000000000 rows cannot fit into the rest of the file", NULL},
    {"vertices without z", "info m.ply", "m.ply",
     TEXT(PLY "element vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n"), NULL,
     "m.ply:7: the vertices have no x, y and z", NULL},
    {"vertices twice", "info m.ply", "m.ply",
     TEXT(PLY "element vertex 1\nelement vertex 1\n" XYZ "end_header\n0 0 0\n"), NULL,
     "m.ply:4: more than one element called vertex", NULL},
    {"too few vertices", "info m.ply", "m.ply",
     TEXT(BYTES "element vertex 2\n" XYZ "element face 0\n" FACE "\0\0\0\0\0\0\0\0\0\0\0\0"), NULL,
     "m.ply: byte 169: 2 vertices cannot fit into the rest of the file", NULL},
    {"a face beyond the vertices", "info m.ply", "m.ply",
     TEXT(PLY "element vertex 3\n" XYZ "element face 1\n" FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"),
     NULL, "m.ply:13: face 0 uses vertex 3 of 3", NULL},
    {"a face of 4 billion corners", "info m.ply", "m.ply",
     TEXT(BYTES "element vertex 1\n" XYZ "element face 1\nproperty list uint int "
                "vertex_indices\nend_header\n\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff"),
     NULL, "m.ply: byte 184: a list of 4294967295 items cannot be read", NULL},
    {"infinity in PLY", "info m.ply", "m.ply",
     TEXT(BYTES "element vertex 1\n" XYZ "element face 0\n" FACE "\0\0\x80\x7f\0\0\0\0\0\0\0\0"),
     NULL, "m.ply: byte 173: vertex 0: x is not finite", NULL},
    // OFF
    {"an OFF without keyword or numbers", "info m.off", "m.off", TEXT("FOO\n"), NULL,
     "m.off:1: \"FOO\" is not OFF, COFF, NOFF, STOFF or a mix of them", NULL},
    {"a billion faces", "info m.off", "m.off",
     TEXT("OFF\n3 1000000000 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"), NULL,
     "m.off:2: the number of faces is 1000000000, which cannot fit into the rest of the file",
     NULL},
    {"a face of a vertex that is not there", "info m.off", "m.off",
     TEXT("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n"), NULL,
     "m.off:6: \"-1\" cannot be a vertex of a face, expected a whole number from 0 to 2", NULL},
    {"an OFF that is cut off", "info m.off", "m.off", TEXT("OFF\n3 1 0\n0 0 0\n1 0"), NULL,
     "m.off:2: the number of vertices is 3, which cannot fit into the rest of the file", NULL},
    {"nan in OFF", "info m.off", "m.off", TEXT("OFF\n3 1 0\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n"),
     NULL, "m.off:4: \"nan\" is not a finite number, expected a vertex", NULL},
};
const int broken_model_count = WRI_COUNT(broken_models);
