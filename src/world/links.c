// links.c: joints of the scene on bodies of materials that may break: the loads they bring, and the
// part that they hang on. And what joints within such bodies passed on.
#include "world.h"

// The part of a material that a side of a joint hangs on, NULL: none that cares.
static const wri_part *find_part(const wr_world *world, int joint, int side)
{
    int engine = wr_rigid_joint_body(world->rigid, joint, side);
    const wri_part *part = engine < 0 ? NULL : wri_part_of_engine(world, engine);
    const wri_material_body *body = part ? &world->materials[part->owner] : NULL;
    return body && body->material->part_at && wri_material_is_active(body) ? part : NULL;
}

static void pass_on_own(wr_world *world)
{
    for (int i = 0; i < world->joints.count; i++) {
        const wri_part_joint *joint = &WRI_ITEM(world->joints, wri_part_joint, i);
        const wri_material_body *body = &world->materials[joint->owner];
        if (!joint->alive || !body->material->take_joint_impulse || !wri_material_is_active(body)) {
            continue;
        }
        wr_vec3 impulse = wr_rigid_joint_impulse(world->rigid, joint->engine);
        if (wr_dot(impulse, impulse) > 0.0f) {
            body->material->take_joint_impulse(body->state, joint->index, impulse);
        }
    }
}

void wri_world_pass_on_loads(wr_world *world)
{
    pass_on_own(world);
    for (int i = 0; i < 2 * world->scene->joint_count; i++) {
        const wri_part *part = find_part(world, i / 2, i % 2);
        if (!part) {
            continue;
        }
        const wri_material_body *body = &world->materials[part->owner];
        const wr_part_state *state = &body->part_states[part->index];
        wr_quat back = wr_quat_conjugate(state->pose.rotation);
        wr_vec3 impulse = wr_rigid_joint_impulse(world->rigid, i / 2);
        wr_load load = {
            .at = wr_rigid_joint_point(world->rigid, i / 2, i % 2),
            .center = wr_rotate(back, wr_sub(state->center, state->pose.position)),
            .impulse = wr_rotate(back, i % 2 ? wr_scale(-1.0f, impulse) : impulse),
            .angular_impulse =
                wr_rotate(back, wr_rigid_joint_angular_impulse(world->rigid, i / 2, i % 2)),
        };
        if (wr_dot(load.impulse, load.impulse) > 0.0f) {
            body->material->take_load(body->state, &load);
        }
    }
}

void wri_world_rehang_joints(wr_world *world)
{
    for (int i = 0; i < 2 * world->scene->joint_count; i++) {
        const wri_part *part = find_part(world, i / 2, i % 2);
        if (!part) {
            continue;
        }
        const wri_material_body *body = &world->materials[part->owner];
        wr_vec3 at = wr_rigid_joint_point(world->rigid, i / 2, i % 2);
        int index = body->material->part_at(body->state, at);
        if (index >= 0 && index < body->part_count && index != part->index) {
            wr_rigid_move_joint(world->rigid, i / 2, i % 2, body->part_bodies[index]);
        }
    }
}
