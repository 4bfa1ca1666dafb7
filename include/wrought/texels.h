// texels.h: a surface sampled on a regular grid of texels over its texture atlas.
//
//     wr_texels_desc desc = wr_texels_desc_default();
//     desc.mesh = mesh;
//     desc.side = 128;
//     wr_texels *texels = wr_texels_create(&desc, &error);
//     simulate(texels->positions, texels->vertex_count, texels->triangles, texels->triangle_count);
//     wr_texels_follow(texels, moved, positions); // where that takes the vertices of the mesh
//     wr_texels_destroy(texels);
//
// After N. Galoppo, Animation, simulation, and control of soft characters, 2008, 3.5.1: dynamic
// deformation textures.
//
// Thread safety: functions are pure; a result can be shared freely as long as nobody changes it.
#pragma once

#include "geometry.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { WR_TEXELS_SIDE_MIN = 8, WR_TEXELS_SIDE_MAX = 1024 };

// What the UVs of a mesh are like. Triangles without area are not looked at, and overlaps not where
// anything else is wrong.
typedef struct wr_uv_report {
    bool has_uvs;
    int outside;      // triangles that are not within [0, 1]
    int degenerate;   // triangles that have area, but none in the atlas
    int mirrored;     // triangles that face another way there than most of the atlas
    bool overlaps;    // two triangles cover the same part of the atlas
    double stretched; // share of the area, [0, 1], that is shown more than 4 times as large in one
                      // direction as in the other, or as most of it
    int seams_at_place; // the most that meet anywhere: many around the poles of a map of the world
    bool is_injective;  // nothing is outside, degenerate, mirrored or overlaps
    bool is_usable; // as an atlas: injective, at most 0.05 is stretched, and at most 8 seams meet
} wr_uv_report;

// Fails on positions that are not finite, on indices out of range and when out
// of memory.
WR_API bool wr_mesh_inspect_uvs(const wr_mesh *mesh, const wr_allocator *allocator,
                                wr_uv_report *report, wr_error *error);

// A point of a mesh: weights of three vertices, which sum up to 1.
typedef struct wr_mesh_point {
    int vertices[3];
    float weights[3];
} wr_mesh_point;

// What a vertex of the source rides on: a point of a triangle of the samples, and how far it is
// from there, along the triangle's first edge, across it and along its normal.
typedef struct wr_texel_ride {
    int triangle;
    float weights[3];
    wr_vec3 offset; // metres
} wr_texel_ride;

// Start from wr_texels_desc_default().
typedef struct wr_texels_desc {
    const wr_mesh *mesh;    // lives as long as the call
    int side;               // texels along a side of the atlas, [8, 1024]. Default 128
    int vertex_limit;       // WR_E_LIMIT when the result would have more. Default 1000000
    wr_allocator allocator; // of the result and of working memory
    uint32_t cookie;        // set by wr_texels_desc_default; do not touch
} wr_texels_desc;

WR_API wr_texels_desc wr_texels_desc_default(void);

// Plain data in one block.
typedef struct wr_texels {
    int vertex_count, triangle_count;
    wr_vec3 *positions; // metres, on the source's surface
    int *triangles;     // three indices each, counterclockwise seen from outside
    int *texel;         // per vertex: column + side * row from the atlas' lower left; -1: no texel
    wr_mesh_point *at;  // per vertex: where it is on the source
    int ride_count;     // vertices of the source
    wr_texel_ride *rides;
    int side;
    int chart_count;
    int texel_count;   // vertices that are texels
    int seam_count;    // vertices on chart boundaries
    int left_count;    // other vertices: those of the source that could not be left out
    bool is_generated; // the atlas is not that of the mesh's UVs
    wr_uv_report uvs;
    void *memory; // owner of all the arrays above
} wr_texels;

// Samples a mesh. Vertices are the texels of a grid of side x side whose centres lie within a
// chart, by 0.4 of a texel at least, and points of the seams between charts, about a texel apart,
// which the charts of both sides have in common: what is closed, manifold and consistently oriented
// stays so. Triangles are those of Delaunay in the atlas, so that a texel among texels has six
// neighbours.
//
// The atlas is that of the mesh's UVs where they are usable. Otherwise it is made: triangles are
// projected along the axis they face most, what is connected and does not overlap is a chart, and
// charts are packed in rows, all at the same scale. Vertices at one place, within 1e-6 of the size,
// are one. Shells are turned to face outwards as by wr_mesh_clean. What is not manifold stays where
// it is.
//
// Fails on values out of range, meshes without a triangle of any area, more charts than there are
// texels, and when out of memory.
WR_API WR_NODISCARD wr_texels *wr_texels_create(const wr_texels_desc *desc, wr_error *error);
WR_API void wr_texels_destroy(wr_texels *texels); // accepts NULL

// Where the source's vertices are when the samples are at `positions`; at rest they are where they
// were. out: ride_count.
WR_API void wr_texels_follow(const wr_texels *texels, const wr_vec3 *positions, wr_vec3 *out);

// Rows of `width` numbers at the vertices, from rows at the source's.
WR_API void wr_texels_interpolate(const wr_texels *texels, int width, const float *values,
                                  float *out);

#if defined(__cplusplus)
}
#endif
