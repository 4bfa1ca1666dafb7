// limbs_world.h: worlds of limbs, springs and rigid bodies for tests.
#pragma once

#include "limbs.h"
#include "small_world.h"
#include "springs.h"

const wr_material *const small_world_materials[] = {&limbs_material, &springs_material, NULL};

// Five bones of 40 cm along x, in a skin of 40 x 60 cm.
#define LIMBS(limbs, more)                                                                         \
    "{'name': 'rex', 'shape': {'box': [2, 0.4, 0.6]}, 'material': {'limbs': 'default'" limbs       \
    "}" more "}"
#define BLOCK(name, size, springs, more)                                                           \
    "{'name': '" name "', 'shape': {'box': " size "}, 'material': {'springs': 'default', " springs \
    "}" more "}"
#define STEPS "'frames': [240, 1], 'substeps': 1, "

static inline limbs_view limbs_of(const wr_world *world, int index)
{
    return limbs_look(world->materials[index].state);
}

static inline springs_view block_of(const wr_world *world, int index)
{
    return springs_look(world->materials[index].state);
}

// As the engine has it.
static inline wr_pose part_pose(const wr_world *world, int index, int part)
{
    return wr_rigid_pose(wr_world_rigid(world), world->materials[index].part_bodies[part]);
}

static inline wr_vec3 part_velocity(const wr_world *world, int index, int part)
{
    return wr_rigid_velocity(wr_world_rigid(world), world->materials[index].part_bodies[part]);
}

static inline wr_vec3 part_angular_velocity(const wr_world *world, int index, int part)
{
    return wr_rigid_angular_velocity(wr_world_rigid(world),
                                     world->materials[index].part_bodies[part]);
}

static inline int count_events(const wr_world *world, wr_event_kind kind, int subject)
{
    const wr_frame *frame = wr_world_frame(world);
    int count = 0;
    for (int i = 0; i < frame->event_count; i++) {
        count +=
            frame->events[i].kind == kind && (subject < 0 || frame->events[i].subject == subject);
    }
    return count;
}
