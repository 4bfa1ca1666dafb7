// posing.h: drag some handles of a rig, and the rest follows as stiffly as it can.
//
//     wr_posing_desc desc = wr_posing_desc_default();
//     desc.rig = rig;
//     wr_posing *posing = wr_posing_create(&desc, &error);
//     wr_posing_set_constraints(posing, constraints, constraint_count, &error); // when others are
//     given wr_posing_solve(posing, targets, 10);                // as often as they move
//     wr_posing_read_poses(posing, poses);
//     wr_posing_destroy(posing);
//
// Thread safety: a posing belongs to one thread at a time.
#pragma once

#include "skin.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct wr_posing wr_posing;

typedef struct wr_posing_desc {
    const wr_rig *rig; // mesh, handles and weights are read by create and not kept
    int cluster_count; // parts that turn as one, at least 1; 0: one and a half per handle. Default
                       // 0
    wr_allocator allocator;
    uint32_t cookie; // set by wr_posing_desc_default
} wr_posing_desc;

WR_API wr_posing_desc wr_posing_desc_default(void);
WR_API WR_NODISCARD wr_posing *wr_posing_create(const wr_posing_desc *desc, wr_error *error);
WR_API void wr_posing_destroy(wr_posing *posing); // accepts NULL

// A point that a handle carries along and that goes where it is told to. One at its pivot fixes a
// point handle, one at each end a bone; arrows say how it turns and stretches.
typedef struct wr_posing_constraint {
    int handle;
    wr_vec3 rest;  // metres, in the authoring frame
    bool is_arrow; // rest is a direction, which becomes the target wherever the handle goes
} wr_posing_constraint;

// Prepares everything that depends on which points are given; at most 4096. None: the shape is
// free.
WR_API bool wr_posing_set_constraints(wr_posing *posing, const wr_posing_constraint *constraints,
                                      int count, wr_error *error);

// Sets the size that the shape wants to have around each handle: handle_count factors along the
// axes of the rest shape, above 0; of drawings z means nothing. NULL: as at rest, as after create.
WR_API void wr_posing_set_scales(wr_posing *posing, const wr_vec3 *scales);

// Back to the rest shape.
WR_API void wr_posing_reset(wr_posing *posing);

// Brings every constraint to its target in `rounds` rounds at most, at least 1, fewer when nothing
// moves any more. Starts from the last shape, or from the rest shape moved rigidly as the
// constraints do, if that costs less. Returns the rounds it took. Never allocates.
WR_API int wr_posing_solve(wr_posing *posing, const wr_vec3 *targets, int rounds);

// Returns the energy of the shape: the integral of |F - R S|^2, m^3 (2D: m^2). It never grows from
// round to round as long as targets stay.
WR_API double wr_posing_energy(const wr_posing *posing);

// handle_count maps of the rest shape: x_i = sum_b W_ib A_b u_i.
WR_API const wr_mat34 *wr_posing_maps(const wr_posing *posing);
// Writes the poses a rig can store of the maps: the rotation of each, and where the pivot went.
WR_API void wr_posing_read_poses(const wr_posing *posing, wr_handle_pose *poses);
// vertex_count places.
WR_API void wr_posing_read_positions(const wr_posing *posing, const wr_rig *rig,
                                     wr_vec3 *positions);

#if defined(__cplusplus)
}
#endif
