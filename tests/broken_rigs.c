// broken_rigs.c: tetrahedra, matrices, handle graphs and point caches that cannot be.
#include "broken.h"

#define MEDIT "MeshVersionFormatted 1\nDimension 3\n"
#define FOUR "Vertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
#define PC2(points, frames) "POINTCACHE2\0\1\0\0\0" points "\0\0\0\0\0\0\x80\x3f" frames

#define ASSET "{ 'asset': { 'version': '2.0' },\n 'extensions': { 'WROUGHT_asset': "
#define HEAD ASSET "{ 'version': 1, 'oldestReader': 1,\n"
#define VIEWS                                                                                      \
    " } },\n 'buffers': [ { 'byteLength': 36 } ],"                                                 \
    " 'bufferViews': [ { 'buffer': 0, 'byteLength': 36 } ],\n 'accessors': [ "
#define REAL(n) "{ 'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': " #n " }"
#define WHOLE(n) "{ 'bufferView': 0, 'componentType': 5125, 'type': 'SCALAR', 'count': " #n " }"

static void make_folder(void)
{
    mkdir("m.dmat", 0777);
}

const broken broken_rigs[] = {
    {"an empty mesh", "info m.mesh", "m.mesh", TEXT(""), NULL,
     "m.mesh:1: expected MeshVersionFormatted at the beginning", NULL},
    {"a mesh in two dimensions", "info m.mesh", "m.mesh",
     TEXT("MeshVersionFormatted 1\nDimension 2\n"), NULL,
     "m.mesh:2: \"2\" cannot be the dimension, expected 3", NULL},
    {"a mesh without cells", "info m.mesh", "m.mesh", TEXT(MEDIT FOUR "End\n"), NULL,
     "m.mesh:8: holds no triangles and no tetrahedra", NULL},
    {"a vertex 0 in a mesh", "info m.mesh", "m.mesh", TEXT(MEDIT FOUR "Tetrahedra 1\n0 1 2 3 0\n"),
     NULL,
     "m.mesh:9: \"0\" cannot be a corner of a tetrahedron, expected a whole number from 1 to 4",
     NULL},
    {"a vertex too many in a mesh", "info m.mesh", "m.mesh",
     TEXT(MEDIT FOUR "Tetrahedra 1\n1 2 3 5 0\n"), NULL,
     "m.mesh:9: \"5\" cannot be a corner of a tetrahedron, expected a whole number from 1 to 4",
     NULL},
    {"two billion tetrahedra", "info m.mesh", "m.mesh",
     TEXT(MEDIT FOUR "Tetrahedra 2000000000\n1 2 3 4 0\n"), NULL,
     "m.mesh:8: the number of tetrahedra is 2000000000, which cannot fit into the rest of the file",
     NULL},
    {"a mesh that is cut off", "render m.mesh -o out/keep.png", "m.mesh",
     TEXT(MEDIT "Vertices 4\n0 0 0 0\n1 0"), NULL,
     "m.mesh:3: the number of vertices is 4, which cannot fit into the rest of the file", NULL},
    {"inf in a mesh", "info m.mesh", "m.mesh", TEXT(MEDIT "Vertices 1\n0 inf 0 0\n"), NULL,
     "m.mesh:4: \"inf\" is not a finite number, expected y of a vertex", NULL},
    {"an empty matrix", "info m.dmat", "m.dmat", TEXT(""), NULL,
     "m.dmat:1: the file ends here, expected the number of columns", NULL},
    {"a matrix without values", "info m.dmat", "m.dmat", TEXT("0 3\n"), NULL,
     "m.dmat:1: the matrix holds no values", NULL},
    {"a matrix of 10^18 values", "info m.dmat", "m.dmat", TEXT("1000000000 1000000000\n1\n"), NULL,
     "m.dmat:1: a matrix of 1000000000 rows and 1000000000 columns cannot fit into the rest of the "
     "file",
     NULL},
    {"a negative number of rows", "info m.dmat", "m.dmat", TEXT("2 -2\n1\n"), NULL,
     "m.dmat:1: \"-2\" cannot be the number of rows, expected a whole number from 0 to 2147483647",
     NULL},
    {"too few values", "info m.dmat", "m.dmat", TEXT("2 2\n1 2 3\n"), NULL,
     "m.dmat:3: the file ends here, expected a value of the matrix", NULL},
    {"too many values", "info m.dmat", "m.dmat", TEXT("1 2\n1 2 3\n"), NULL,
     "m.dmat:2: more than 2 x 1 values, expected the end of the file", NULL},
    {"bytes that end too early", "info m.dmat", "m.dmat", TEXT("0 0\n1 2\n12345678"), NULL,
     "m.dmat:2: a matrix of 2 rows and 1 columns cannot fit into the rest of the file", NULL},
    {"nan among bytes", "info m.dmat", "m.dmat", TEXT("0 0\n1 1\n\0\0\0\0\0\0\xf8\x7f"), NULL,
     "m.dmat: byte 8: a value is not finite", NULL},
    {"a folder called .dmat", "info m.dmat", NULL, NULL, 0, make_folder,
     "m.dmat: is a folder, expected a file", NULL},
    {"an empty graph", "info m.tgf", "m.tgf", TEXT(""), NULL, "m.tgf:1: holds no nodes", NULL},
    {"an edge to nowhere", "info m.tgf", "m.tgf", TEXT("1 0 0 0\n2 1 0 0\n#\n1 3\n"), NULL,
     "m.tgf:4: there is no node with the id 3", NULL},
    {"an edge of one node", "info m.tgf", "m.tgf", TEXT("1 0 0 0\n#\n1 1\n"), NULL,
     "m.tgf:3: an edge joins a node with itself", NULL},
    {"a node twice", "info m.tgf", "m.tgf", TEXT("1 0 0 0\n1 1 0 0\n#\n"), NULL,
     "m.tgf:2: a second node with the id 1", NULL},
    {"a node without a place", "info m.tgf", "m.tgf", TEXT("1 0 0\n#\n"), NULL,
     "m.tgf:1: the line ends here, expected z of a node", NULL},
    {"an empty cache", "info m.pc2", "m.pc2", TEXT(""), NULL,
     "m.pc2: byte 0: the file ends within its header", NULL},
    {"a cache of another version", "info m.pc2", "m.pc2",
     TEXT("POINTCACHE2\0\2\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0"), NULL,
     "m.pc2: byte 12: expected version 1, found 2", NULL},
    {"a cache of 2^31 - 1 points", "info m.pc2", "m.pc2",
     TEXT(PC2("\xff\xff\xff\x7f", "\1\0\0\0") "123456789012"), NULL,
     "m.pc2: byte 28: 1 frames of 2147483647 points do not fit into the file", NULL},
    {"a cache of no points", "info m.pc2", "m.pc2", TEXT(PC2("\0\0\0\0", "\1\0\0\0")), NULL,
     "m.pc2: byte 16: the number of points is 0", NULL},
    {"a cache of 2^31 - 1 frames", "info m.pc2", "m.pc2",
     TEXT(PC2("\1\0\0\0", "\xff\xff\xff\x7f") "123456789012"), NULL,
     "m.pc2: byte 28: 2147483647 frames of 1 points do not fit into the file", NULL},
    {"bytes behind a cache", "info m.pc2", "m.pc2",
     TEXT(PC2("\1\0\0\0", "\1\0\0\0") "123456789012x"), NULL,
     "m.pc2: byte 44: bytes follow the last frame: 1", NULL},
    {"nan in a cache", "info m.pc2", "m.pc2",
     TEXT(PC2("\1\0\0\0", "\1\0\0\0") "12345678\0\0\xc0\x7f"), NULL,
     "m.pc2: byte 40: not finite: point 0", NULL},
    {"half a header of MDD", "info m.mdd", "m.mdd", TEXT("\0\0\0\1"), NULL,
     "m.mdd: byte 4: the file ends within its header", NULL},
    {"a truncated MDD", "info m.mdd", "m.mdd", TEXT("\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\0123456789012"),
     NULL, "m.mdd: byte 0: 2 frames of 1 points do not fit into the file", NULL},
    {"a time that is not a number", "info m.mdd", "m.mdd",
     TEXT("\0\0\0\1\0\0\0\1\x7f\xc0\0\0"
          "123456789012"),
     NULL, "m.mdd: byte 8: not finite: the time of frame 0", NULL},
    {"an extension that is a number", "info m.glb", "m.glb", TEXT(ASSET "3 } }"), NULL,
     "m.glb: JSON:2:35: WROUGHT_asset is a number, expected an object", NULL},
    {"an asset of the future", "info m.glb", "m.glb",
     TEXT(ASSET "{ 'version': 10, 'oldestReader': 10 } } }"), NULL,
     "m.glb: JSON:2:35: an asset of version 10, which needs a reader of version 10; this one has 9",
     NULL},
    {"an asset without a version", "info m.glb", "m.glb", TEXT(ASSET "{} } }"), NULL,
     "m.glb: JSON:2:35: WROUGHT_asset without \"version\"", NULL},
    {"an asset without a simulation mesh", "info m.glb", "m.glb", TEXT(HEAD "'examples': [] } } }"),
     NULL, "m.glb: JSON:2:35: WROUGHT_asset without \"simulation\"", NULL},
    {"an asset in four dimensions", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 4 } } } }"), NULL,
     "m.glb: JSON:3:15: simulation: dimension 4, expected 2 or 3", NULL},
    {"a simulation mesh without vertices", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 3 } } } }"), NULL,
     "m.glb: JSON:3:15: simulation without \"rest\"", NULL},
    {"an accessor of an asset that does not exist", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 3, 'rest': 7 } } } }"), NULL,
     "m.glb: JSON:3:41: rest: 7 is not below 0", NULL},
    {"vertices beyond their bytes", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 3, 'rest': 0 }" VIEWS REAL(4) " ] }"), NULL,
     "m.glb: JSON:5:17: accessor 0 needs 48 bytes, but its buffer view has 36", NULL},
    {"a billion vertices", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 3, 'rest': 0 }" VIEWS
               "{ 'componentType': 5126, 'type': 'VEC3', 'count': 1000000000 } ] }"),
     NULL,
     "m.glb: JSON:5:17: the data is more, or used more often, than a file of this size should need",
     NULL},
    {"elements with a corner missing", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 3, 'rest': 0, 'elements': 1 }" VIEWS REAL(
         3) ", " WHOLE(9) " ] }"),
     NULL, "m.glb: JSON:3:15: elements: 9 corners are not a multiple of the 4 of an element", NULL},
    {"elements of floats", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 2, 'rest': 0, 'elements': 0 }" VIEWS REAL(3) " ] }"),
     NULL, "m.glb: JSON:3:56: elements: accessor 0 has not 1 whole number per element", NULL},
    {"handles without pivots", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 2, 'rest': 0, 'elements': 1 }, 'handles': [ {} ]" VIEWS
              REAL(3) ", " WHOLE(9) " ] }"),
     NULL, "m.glb: JSON:2:35: WROUGHT_asset without \"pivots\"", NULL},
    {"a handle that is its own parent", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 2, 'rest': 0, 'elements': 1 },\n 'pivots': 2, "
               "'handles': [ { 'parent': 0 } ]" VIEWS REAL(3) ", " WHOLE(9) ", " REAL(1) " ] }"),
     NULL, "m.glb: JSON:4:40: parent: 0 is not below 0", NULL},
    {"weights of other vertices", "info m.glb", "m.glb",
     TEXT(HEAD
          "'simulation': { 'dimension': 2, 'rest': 0, 'elements': 1 },\n 'pivots': 2, 'weights': "
          "3, 'handles': [ {} ]" VIEWS REAL(3) ", " WHOLE(9) ", " REAL(
              1) ", "
                 "{ 'bufferView': 0, 'componentType': 5126, 'type': 'SCALAR', 'count': 4 } ] }"),
     NULL, "m.glb: JSON:4:26: weights: accessor 3 has 4 elements, expected 3", NULL},
    {"an asset that does not ride", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 2, 'rest': 0, 'elements': 1 }" VIEWS REAL(
         3) ", " WHOLE(9) " ] }"),
     NULL, "m.glb: JSON:2:35: WROUGHT_asset without \"rides\"", NULL},
    {"an asset without a mesh", "info m.glb", "m.glb",
     TEXT(HEAD "'simulation': { 'dimension': 2, 'rest': 0, 'elements': 1 }, 'examples': [ {} ],\n"
               "'rides': { 'elements': 1, 'weights': 2 }" VIEWS REAL(3) ", " WHOLE(
                   3) ", "
                      "{ 'componentType': 5126, 'type': 'VEC4', 'count': 3 } ] }"),
     NULL, "m.glb: the nodes show 0 meshes, expected one", NULL},
};
const int broken_rig_count = WRI_COUNT(broken_rigs);
