// enter.c: bodies that hold their velocity for a while, and bodies that come in again.
//
// Both follow from the time and from where bodies are, so that nothing has to be saved for them.
#include "world.h"

static wr_vec3 place_of(const wr_scene_body *body)
{
    return body->has_entry ? body->entry_at : body->rigid.pose.position;
}

// A little smaller than the body, so that neighbours that stand side by side do not keep each
// other out.
static wr_box find_entry_box(const wr_world *world, int scene_body)
{
    const float slack = 0.02f;
    const wr_scene_body *body = &world->scene->bodies[scene_body];
    wr_box box = wr_rigid_bounds(world->rigid, world->engine_of_body[scene_body]);
    wr_vec3 shift = wr_sub(place_of(body), body->rigid.pose.position);
    wr_vec3 less = wr_scale(slack, wr_box_size(box));
    return (wr_box){wr_add(wr_add(box.min, shift), less), wr_sub(wr_add(box.max, shift), less)};
}

// Fragments that joints hold together are bodies of the engine one by one, and only the first of
// them would come in.
static bool check_entry(const wr_world *world, int scene_body, wr_error *error)
{
    const wr_scene_body *body = &world->scene->bodies[scene_body];
    bool joined = false;
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *m = &world->materials[i];
        joined = joined || (m->scene_body == scene_body && m->fragment_parts && m->joint_count > 0);
    }
    return !joined || wri_fail(error, WR_E_ARGUMENT,
                               "body \"%s\": \"%s\" moves bodies as a whole, and fragments joined "
                               "by \"ties\" are bodies of their own; leave \"joined\" out",
                               body->name, body->comes_again ? "again" : "hold");
}

bool wri_world_find_entries(wr_world *world, wr_error *error)
{
    for (int i = 0; i < world->scene->body_count; i++) {
        const wr_scene_body *body = &world->scene->bodies[i];
        if ((body->hold > 0.0 || body->comes_again) && world->engine_of_body[i] >= 0) {
            if (!check_entry(world, i, error)) {
                return false;
            }
            wri_entry *e = wri_array_add(&world->entries, 1);
            if (!e) {
                return wri_fail_memory(error, sizeof *e);
            }
            *e = (wri_entry){i, body->comes_again ? find_entry_box(world, i) : WR_BOX_EMPTY};
        }
    }
    return true;
}

// True when another body that can move is where one shall come in.
static bool is_occupied(const wr_world *world, int engine, wr_box box)
{
    for (int i = 0; i < wr_rigid_body_count(world->rigid); i++) {
        const wri_part *part = wri_part_of_engine(world, i);
        int record = WRI_ITEM(world->record_of_engine, int, i);
        bool stands = !part && world->scene->bodies[record].rigid.motion == WR_MOTION_STATIC;
        if (i != engine && !stands && !(part && !part->alive) &&
            wr_boxes_meet(box, wr_rigid_bounds(world->rigid, i))) {
            return true;
        }
    }
    return false;
}

static void note_entry(wr_world *world, int body, wr_vec3 at, wr_vec3 velocity)
{
    wr_event *event = wri_world_add_shown(world, &world->events, 1);
    if (event) {
        *event = (wr_event){.kind = WR_EVENT_AGAIN,
                            .subject = body,
                            .other = -1,
                            .point = at,
                            .strength = wr_length(velocity)};
    }
}

static void come_again(wr_world *world, const wri_entry *e)
{
    const wr_scene_body *body = &world->scene->bodies[e->body];
    int engine = world->engine_of_body[e->body];
    if (wr_rigid_center(world->rigid, engine).y < body->again_below &&
        !wr_rigid_is_frozen(world->rigid, engine) && !is_occupied(world, engine, e->box)) {
        wr_pose pose = {place_of(body), body->rigid.pose.rotation};
        wr_rigid_set_pose(world->rigid, engine, pose);
        wr_rigid_set_velocity(world->rigid, engine, body->rigid.velocity,
                              body->rigid.angular_velocity);
        note_entry(world, e->body, pose.position, body->rigid.velocity);
    }
}

static bool is_held(const wr_scene_body *body, double time)
{
    return time < body->hold - 1e-9;
}

void wri_world_enter(wr_world *world, double time)
{
    for (int i = 0; i < world->entries.count; i++) {
        const wri_entry *e = &WRI_ITEM(world->entries, wri_entry, i);
        const wr_scene_body *body = &world->scene->bodies[e->body];
        if (body->comes_again) {
            come_again(world, e);
        }
        if (is_held(body, time)) {
            wr_rigid_set_velocity(world->rigid, world->engine_of_body[e->body],
                                  body->rigid.velocity, body->rigid.angular_velocity);
        }
    }
}

// Taking gravity off the velocity beforehand would do for a step that is not divided; a fast body,
// whose steps are, would rise by up to g dt^2 / 2 in each.
void wri_world_lift_held(wr_world *world, double time)
{
    for (int i = 0; i < world->entries.count; i++) {
        const wri_entry *e = &WRI_ITEM(world->entries, wri_entry, i);
        if (is_held(&world->scene->bodies[e->body], time)) {
            wr_rigid_lift(world->rigid, world->engine_of_body[e->body]);
        }
    }
}
