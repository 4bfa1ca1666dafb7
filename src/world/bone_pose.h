// bone_pose.h: how a handle moves the bind pose of its body.
#pragma once

#include "wrought/skin.h"

// The bind pose as the handle moves it, in the world. start: of the body, scale: of its asset.
static inline wr_pose wri_bone_pose(wr_pose start, float scale, const wr_handle *handle,
                                    const wr_handle_pose *pose)
{
    wr_quat turn = wr_quat_normalize(pose->rotation);
    wr_vec3 at = wr_sub(wr_add(handle->pivot, pose->offset), wr_rotate(turn, handle->pivot));
    return wr_pose_multiply(start, (wr_pose){wr_scale(scale, at), turn});
}

// The other way round: how the handle moves when the bind pose is there. It does not stretch.
static inline wr_handle_pose wri_handle_pose(wr_pose start, float scale, const wr_handle *handle,
                                             wr_pose pose)
{
    wr_pose own = wr_pose_multiply(wr_pose_inverse(start), pose);
    wr_vec3 at =
        wr_add(wr_scale(1.0f / scale, own.position), wr_rotate(own.rotation, handle->pivot));
    return (wr_handle_pose){own.rotation, wr_sub(at, handle->pivot), {1, 1, 1, 0, 0, 0}};
}
