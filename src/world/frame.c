// frame.c: what a frame of the world looks like to a recording.
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

static int compare_pairs(const void *a, const void *b)
{
    const wri_pair_contact *x = a, *y = b;
    if (x->sum.body_a != y->sum.body_a) {
        return x->sum.body_a < y->sum.body_a ? -1 : 1;
    }
    if (x->sum.body_b != y->sum.body_b) {
        return x->sum.body_b < y->sum.body_b ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

void *wri_world_add_shown(wr_world *world, wri_array *list, int count)
{
    void *added = wri_array_add(list, count);
    world->lacks_memory = world->lacks_memory || !added;
    return added;
}

// One entry per pair: the impulses summed, the place of the strongest.
static void merge_contacts(wr_world *world)
{
    world->contacts.count = 0;
    if (world->pairs.count == 0) {
        return;
    }
    qsort(world->pairs.items, (size_t)world->pairs.count, sizeof(wri_pair_contact), compare_pairs);
    wr_record_contact *out = NULL;
    float strongest = 0.0f;
    for (int i = 0; i < world->pairs.count; i++) {
        const wri_pair_contact *pair = &WRI_ITEM(world->pairs, wri_pair_contact, i);
        WR_ASSERT(pair->sum.body_a < pair->sum.body_b &&
                  (i == 0 || compare_pairs(pair - 1, pair) < 0));
        bool same = out && out->body_a == pair->sum.body_a && out->body_b == pair->sum.body_b;
        if (!same) {
            out = wri_world_add_shown(world, &world->contacts, 1);
            if (!out) {
                return;
            }
            *out = pair->sum;
            strongest = pair->strongest;
            continue;
        }
        out->impulse += pair->sum.impulse;
        if (pair->strongest > strongest) {
            strongest = pair->strongest;
            out->point = pair->sum.point;
            out->normal = pair->sum.normal;
        }
    }
}

static void read_poses(wr_world *world)
{
    int count = world->record_count;
    for (int i = 0; i < world->parts.count; i++) {
        count += WRI_ITEM(world->parts, wri_part, i).record >= world->record_count;
    }
    WR_ASSERT(world->record_of_engine.count == wr_rigid_body_count(world->rigid));
    world->poses.count = 0;
    wr_pose *poses = wri_world_add_shown(world, &world->poses, count);
    if (!poses) {
        world->frame.body_count = 0;
        return;
    }
    world->frame.body_count = count;
    for (int i = 0; i < count; i++) {
        poses[i] = WR_POSE_IDENTITY;
    }
    for (int i = 0; i < wr_rigid_body_count(world->rigid); i++) {
        int record = WRI_ITEM(world->record_of_engine, int, i);
        WR_ASSERT(record >= 0 && record < count);
        poses[record] = wr_rigid_pose(world->rigid, i);
    }
}

// Recordings keep 16 bits: what would be 0 is left out.
static bool is_kept(float weight)
{
    return weight * 65535.0f + 0.5f >= 1.0f;
}

// The weights that are not 0, but for those of the rest shape. There is room for all of them, so
// that the loop has nothing to decide within a row.
static bool keep_weights(wri_material_body *body, const wr_material_surface *surface,
                         int vertex_count)
{
    int examples = surface->example_count, most = vertex_count * (examples - 1), count = 0;
    WR_ASSERT(examples >= 1 && surface->weights_version > 0);
    body->vertices.count = body->examples.count = body->weights.count = 0;
    body->weights_version = 0;
    if (!wri_array_reserve(&body->vertices, most + 1) ||
        !wri_array_reserve(&body->examples, most + 1) ||
        !wri_array_reserve(&body->weights, most + 1)) {
        return false;
    }
    int *restrict vertices = body->vertices.items, *restrict columns = body->examples.items;
    float *restrict weights = body->weights.items;
    const float *row = surface->weights;
    for (int i = 0; i < vertex_count; i++, row += examples) {
        int end = row[0] < 1.0f ? examples : 1; // else they are all 0
        for (int e = 1; e < end; e++) {
            float weight = row[e];
            vertices[count] = i;
            columns[count] = e;
            weights[count] = weight < 1.0f ? weight : 1.0f;
            count += is_kept(weight);
        }
    }
    WR_ASSERT(count <= most);
    body->vertices.count = body->examples.count = body->weights.count = count;
    body->weights_version = surface->weights_version;
    return true;
}

// Keeps the surface, so that a body that fails later is still shown as it last was.
static bool keep_surface(const wr_world *world, wri_material_body *body)
{
    wr_material_surface surface = body->material->surface(body->state);
    WR_ASSERT(surface.part >= -1 && surface.part < body->part_count);
    const wr_asset *asset = world->scene->bodies[body->scene_body].asset;
    body->surface_part = surface.part;
    body->skin = surface.skin;
    body->bones = surface.bones;
    body->displacements = surface.displacements;
    body->has_blends = surface.blends != NULL;
    if (surface.blends) {
        memcpy(body->blends, surface.blends, sizeof body->blends);
    }
    if (body->fragment_parts && surface.fragment_parts) {
        memcpy(body->fragment_parts, surface.fragment_parts,
               (size_t)wri_fragment_count(world, body) * sizeof(int));
    }
    body->shown.count = 0;
    if (surface.weights && asset) {
        WR_ASSERT(surface.example_count == asset->rig.example_count);
        WR_ASSERT(surface.weights_version >= body->weights_version); // versions only grow
        return surface.weights_version == body->weights_version ||
               keep_weights(body, &surface, asset->rig.vertex_count);
    }
    if (!surface.positions || surface.vertex_count == 0) {
        return true;
    }
    wr_vec3 *positions = wri_array_add(&body->shown, surface.vertex_count);
    if (positions) {
        memcpy(positions, surface.positions, (size_t)surface.vertex_count * sizeof *positions);
    }
    return positions != NULL;
}

// A frozen body is shown by its points alone: its bones are no longer to be trusted.
static void read_skinned(wr_world *world, const wri_material_body *body)
{
    bool has = body->skin && !body->frozen && world->body_skins[body->scene_body] >= 0;
    wr_record_skinned *skinned = has ? wri_world_add_shown(world, &world->skinned, 1) : NULL;
    if (skinned) {
        *skinned = (wr_record_skinned){body->scene_body, body->skin->bone_count,
                                       body->skin->node_count, body->bones, body->displacements};
    }
}

static void read_fragments(wr_world *world, const wri_material_body *body)
{
    for (int f = 0; f < wri_fragment_count(world, body); f++) {
        int part = body->fragment_parts[f];
        WR_ASSERT(part < body->part_count);
        WRI_ITEM(world->poses, wr_pose, world->first_fragment[body->scene_body] + f) =
            part < 0 ? WR_POSE_IDENTITY : wr_rigid_pose(world->rigid, body->part_bodies[part]);
    }
}

// Fragments that are gone are hidden by a surface without triangles. They are numbered behind the
// scene's bodies, in their order.
static void hide_fragments(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        for (int f = 0; f < wri_fragment_count(world, body); f++) {
            bool gone = body->fragment_parts[f] < 0;
            wr_record_surface *hidden =
                gone ? wri_world_add_shown(world, &world->surfaces, 1) : NULL;
            if (hidden) {
                *hidden = (wr_record_surface){.body = world->first_fragment[body->scene_body] + f,
                                              .topology = 1,
                                              .look = -1,
                                              .color = {1, 1, 1, 1}};
            }
        }
    }
}

static void read_shapes(wr_world *world)
{
    world->points.count = world->weights.count = world->blends.count = world->skinned.count = 0;
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        if (!body->frozen && !keep_surface(world, body)) {
            world->lacks_memory = true;
            continue;
        }
        int part = body->surface_part;
        WR_ASSERT(part < body->part_count && body->vertices.count == body->weights.count);
        WRI_ITEM(world->poses, wr_pose, body->scene_body) =
            part < 0 ? WR_POSE_IDENTITY : wr_rigid_pose(world->rigid, body->part_bodies[part]);
        read_fragments(world, body);
        wr_record_points *points =
            body->shown.count ? wri_world_add_shown(world, &world->points, 1) : NULL;
        if (points) {
            *points = (wr_record_points){body->scene_body, body->shown.count, body->shown.items};
        }
        read_skinned(world, body);
        wr_record_weights *weights =
            body->vertices.count ? wri_world_add_shown(world, &world->weights, 1) : NULL;
        if (weights) {
            *weights =
                (wr_record_weights){body->scene_body, body->vertices.count, body->vertices.items,
                                    body->examples.items, body->weights.items};
        }
        bool blends = body->has_blends && !body->frozen;
        wr_record_blend *blend = blends ? wri_world_add_shown(world, &world->blends, 1) : NULL;
        if (blend) {
            *blend = (wr_record_blend){body->scene_body, body->blends[0], body->blends[1]};
        }
    }
}

static void report_engine_events(wr_world *world)
{
    WR_ASSERT(world->frozen.count == wr_rigid_body_count(world->rigid));
    WR_ASSERT(world->broken.count == world->scene->joint_count);
    for (int i = 0; i < world->frozen.count; i++) {
        bool *known = &WRI_ITEM(world->frozen, bool, i);
        if (*known || !wr_rigid_is_frozen(world->rigid, i)) {
            continue;
        }
        *known = true;
        wr_event *event =
            wri_part_of_engine(world, i) ? NULL : wri_world_add_shown(world, &world->events, 1);
        if (event) {
            int record = WRI_ITEM(world->record_of_engine, int, i);
            *event = (wr_event){.kind = WR_EVENT_FROZEN, .subject = record, .other = -1};
        }
    }
    for (int i = 0; i < world->broken.count; i++) {
        bool *known = &WRI_ITEM(world->broken, bool, i);
        if (*known || !wr_rigid_joint_is_broken(world->rigid, i)) {
            continue;
        }
        *known = true;
        wr_event *event = wri_world_add_shown(world, &world->events, 1);
        if (event) {
            *event = (wr_event){.kind = WR_EVENT_BROKEN, .subject = i, .other = -1};
        }
    }
}

static const char *why_frozen(const wr_world *world, int scene_body)
{
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        if (body->scene_body == scene_body && body->frozen_why) {
            return body->frozen_why;
        }
    }
    return "its motion was no longer a sensible number";
}

static void tell_warnings(wr_world *world)
{
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        const wr_material *m = body->material;
        const char *warning =
            m->warning && !body->has_warned && !body->frozen ? m->warning(body->state) : NULL;
        if (warning) {
            char text[512];
            snprintf(text, sizeof text, "body \"%.100s\" %.300s",
                     world->scene->bodies[body->scene_body].name, warning);
            world->log.write(world->log.user, text);
            body->has_warned = true;
        }
    }
}

// Tells the log what an artist should know at once.
static void tell(wr_world *world)
{
    char text[256];
    if (!world->log.write) {
        return;
    }
    for (int i = 0; i < world->events.count; i++) {
        const wr_event *event = &WRI_ITEM(world->events, wr_event, i);
        if (event->kind == WR_EVENT_FROZEN && event->subject < world->scene->body_count) {
            snprintf(text, sizeof text, "body \"%.100s\" was frozen at %.2f s: %s",
                     world->scene->bodies[event->subject].name, world->frame.time,
                     why_frozen(world, event->subject));
            world->log.write(world->log.user, text);
        }
    }
    tell_warnings(world);
    int64_t too_fast = wr_rigid_stats(world->rigid).too_fast;
    if (world->too_fast == 0 && too_fast > 0) {
        snprintf(text, sizeof text,
                 "at %.2f s something was too fast to be sure that it did not "
                 "pass through what was in its way; raise \"substeps\"",
                 world->frame.time);
        world->log.write(world->log.user, text);
    }
    world->too_fast = too_fast;
}

void wri_world_mark_reported(wr_world *world)
{
    for (int i = 0; i < world->frozen.count; i++) {
        WRI_ITEM(world->frozen, bool, i) = wr_rigid_is_frozen(world->rigid, i);
    }
    for (int i = 0; i < world->broken.count; i++) {
        WRI_ITEM(world->broken, bool, i) = wr_rigid_joint_is_broken(world->rigid, i);
    }
    world->events.count = 0;
}

static uint64_t state_hash(const wr_world *world)
{
    uint64_t parts[2] = {wr_rigid_hash(world->rigid), (uint64_t)world->step};
    uint64_t hash = wri_hash(parts, sizeof parts, 0);
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        uint64_t own[2] = {body->material->hash(body->state), body->frozen};
        hash = wri_hash(own, sizeof own, hash);
    }
    return hash;
}

void wri_world_read_frame(wr_world *world)
{
    report_engine_events(world);
    read_poses(world);
    if (world->frame.body_count > 0) {
        read_shapes(world);
        wri_world_read_surfaces(world);
        hide_fragments(world);
    }
    merge_contacts(world);
    wr_frame *frame = &world->frame;
    frame->index = (int)(world->step / world->scene->substeps);
    WR_ASSERT(frame->index >= 0 && frame->body_count == world->poses.count);
    frame->time = (double)world->step * world->dt;
    frame->hash = state_hash(world);
    tell(world);
    frame->poses = world->poses.items;
    frame->points = world->points.items;
    frame->points_count = world->points.count;
    frame->weights = world->weights.items;
    frame->weights_count = world->weights.count;
    frame->events = world->events.items;
    frame->event_count = world->events.count;
    frame->contacts = world->contacts.items;
    frame->contact_count = world->contacts.count;
    frame->blends = world->blends.items;
    frame->blend_count = world->blends.count;
    frame->surfaces = world->surfaces.items;
    frame->surface_count = world->surfaces.count;
    frame->particles = world->particles.items;
    frame->particles_count = world->particles.count;
    frame->skinned = world->skinned.items;
    frame->skinned_count = world->skinned.count;
}
