// draco_encode.h: Draco's encoder, for tests.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct draco_mesh {
    const float *positions, *normals, *uvs; // three, three and two per vertex
    const uint8_t *joints;                  // four per vertex
    int vertex_count;
    const unsigned *corners;
    int corner_count;
} draco_mesh;

// Numbers of the attributes in what is encoded.
enum { DRACO_POSITIONS = 3, DRACO_NORMALS = 5, DRACO_UVS = 0, DRACO_JOINTS = 9 };

// bits 0: as they are, in their order; else that many per coordinate, in Draco's order. Returns the
// number of bytes written, 0 on failure.
size_t draco_encode(const draco_mesh *mesh, int bits, uint8_t *out, size_t room);

#if defined(__cplusplus)
}
#endif
