// fill.h: points that fill a model evenly, each with its share of the volume.
//
//     wr_fill_desc desc = wr_fill_desc_default();
//     desc.positions = mesh->positions;
//     desc.vertex_count = mesh->vertex_count;
//     desc.triangles = mesh->triangles;
//     desc.triangle_count = mesh->triangle_count;
//     desc.count = 5000;
//     wr_fill *fill = wr_fill_create(&desc, &error);
//     for (int i = 0; fill && i < fill->count; i++) {
//         add_particle(fill->positions[i], 1000.0f * fill->volumes[i]);
//     }
//     wr_fill_destroy(fill);
//
// Thread safety: functions are pure; a result can be shared freely as long as nobody changes it.
#pragma once

#include "base.h"
#include "math.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { WR_FILL_LEAST = 4, WR_FILL_MOST = 2000000 }; // number of points

// Start from wr_fill_desc_default(). Inside is where the winding number of the triangles is at
// least one half or at most minus one half: shells may overlap, have holes and be inside out.
typedef struct wr_fill_desc {
    const wr_vec3 *positions; // metres, finite
    int vertex_count;
    const int *triangles; // three indices each
    int triangle_count;
    int count;            // wished number of points; 0, the default: by spacing
    double spacing;       // metres, edge of the cube that a point stands for; 0, the default: by
                          // count. Just one of the two is set
    const float *factors; // factor on the spacing, one per vertex, (0, 1e3]; only ratios matter to
                          // a count. NULL, the default: 1
    wr_allocator allocator; // of the result and of working memory
    wr_tasks tasks;         // nothing depends on them but the time
    uint32_t cookie;        // set by wr_fill_desc_default; do not touch
} wr_fill_desc;

WR_API wr_fill_desc wr_fill_desc_default(void);

// The point of a triangle with these barycentric coordinates.
typedef struct wr_fill_place {
    int triangle;
    float weights[3]; // of the triangle's corners, not negative; their sum is 1
} wr_fill_place;

// Points in an order in which neighbours in memory are near each other. Plain data in one block.
typedef struct wr_fill {
    int count;
    wr_vec3 *positions;    // metres
    float *volumes;        // m^3, > 0: the part of the inside that is nearer to this point than to
                           // others; the sum is `volume`
    float *spacings;       // metres: the spacing that is wished at the point
    wr_fill_place *places; // the nearest point of the surface
    double spacing;        // metres, where the factor is 1
    double volume;         // m^3, inside of the model
    double far_volume;     // m^3 of it that are farther than one spacing from any point
    double area, far_area; // m^2 of the surface, and of triangles whose middle is farther than 1.3
                           // spacings from any point: parts too thin for points
    void *memory;          // owner of all the arrays above
} wr_fill;

// Points inside, about half a spacing below the surface and a spacing apart, without rows. Parts
// thinner than a spacing get a sheet or a line of points along their middle, and more of them than
// their volume demands. Factors are carried inwards from the nearest surface and made smooth: the
// spacing changes by at most 0.3 per unit of length and by a factor of 4 in all. Fails on values
// out of range, models that enclose no volume or are thinner than a twentieth of a spacing in the
// mean, fewer than WR_FILL_LEAST and more than WR_FILL_MOST
// points, and when out of memory.
WR_API WR_NODISCARD wr_fill *wr_fill_create(const wr_fill_desc *desc, wr_error *error);
WR_API void wr_fill_destroy(wr_fill *fill); // accepts NULL

#if defined(__cplusplus)
}
#endif
