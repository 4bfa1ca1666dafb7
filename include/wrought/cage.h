// cage.h: coarse polygon meshes with creases, and the smooth surfaces they stand for.
//
//     wr_cage *cage = wr_cage_read("scenes/cages/car.obj", NULL, &error);   // file.h
//     wr_cage *fine = wr_cage_subdivide(cage, 2, NULL, &error);
//     draw(fine->positions, fine->corners, fine->face_count);               // all quads
//     wr_cage_destroy(fine);
//     wr_cage_destroy(cage);
//
// Catmull-Clark surfaces with semi-sharp creases (DeRose, Kass, Truong 1998). Each vertex of a fine
// cage is an affine combination of those of the coarse one, so turning, moving or scaling the cage
// does the same to the surface.
// Thread safety: data you can share freely as long as nobody changes it; functions are pure.
#pragma once

#include "geometry.h"

#if defined(__cplusplus)
extern "C" {
#endif

// A crease of this sharpness or more never becomes smooth.
#define WR_SHARPNESS_MAX 10.0f

// An edge that stays sharp for `sharpness` levels of subdivision and is rounded off from then on.
typedef struct wr_crease {
    int from, to;    // vertices
    float sharpness; // [0, WR_SHARPNESS_MAX]; fractions lie in between
} wr_crease;

// Faces that belong together, such as a door.
typedef struct wr_cage_group {
    const char *name; // "" for what is in no group
    const char *look; // name of the look, "" for none
} wr_cage_group;

typedef struct wr_cage_counts {
    int vertices, faces, corners, creases, groups;
} wr_cage_counts;

typedef struct wr_cage {
    wr_cage_counts count;
    wr_vec3 *positions;    // metres
    float *sharpness;      // of each vertex, as of creases: 0 lets it be rounded off
    int *first_corner;     // faces + 1 offsets into corners
    int *corners;          // vertices, counter-clockwise seen from outside
    int *face_group;       // index into groups, one per face
    wr_crease *creases;    // edges of the surface's boundary are sharp without being listed
    wr_cage_group *groups; // see wr_cage_set_group
    void *memory;          // owner of all the arrays above
} wr_cage;

// Zeroed arrays of the given lengths.
WR_API WR_NODISCARD wr_cage *wr_cage_create(wr_cage_counts count, const wr_allocator *allocator,
                                            wr_error *error);
WR_API void wr_cage_destroy(wr_cage *cage); // accepts NULL

// Copies the names of a group into the cage. Fails when out of memory only.
WR_API bool wr_cage_set_group(wr_cage *cage, int group, const char *name, const char *look,
                              wr_error *error);

// A cage `levels` times as fine, at least once: every face of n corners becomes n quads per level.
// Vertices of the coarse cage keep their numbers, faces their groups. Fails on indices out of
// range, faces with fewer than three corners or one corner twice, edges of more than two faces or
// of two that face different sides, creases along no edge, positions that are not finite, more than
// 16 million corners, and when out of memory.
WR_API WR_NODISCARD wr_cage *wr_cage_subdivide(const wr_cage *cage, int levels,
                                               const wr_allocator *allocator, wr_error *error);

// Where the vertices of a subdivided cage (all faces are quads) end up after infinitely many
// levels, with creases that are left taken as ones that stay. positions: one per vertex. Fails as
// wr_cage_subdivide does.
WR_API bool wr_cage_find_limit(const wr_cage *cage, const wr_allocator *allocator,
                               wr_vec3 *positions, wr_error *error);

#if defined(__cplusplus)
}
#endif
